/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_trace.c - the event log: the newest records of the trace ring, one per line, with a filter.
 *
 * Field names are those of trace_events.def and thus mostly of the kernel's tracepoints; task and
 * policy numbers are shown as names. The log follows the newest record until the cursor moves up.
 */
#include <stdio.h>
#include <string.h>

#include "engine/access.h"
#include "engine/policy/nohz.h"
#include "ui/fmt.h"
#include "ui/utf8.h"
#include "ui/view.h"

#define SCAN_MAX 20000 /* records looked at for one frame: a rare match must not stop the screen */

struct trace_view {
	bool follow;
	u64 at; /* record of the cursor, counted from the beginning of time */
	char filter[UI_FILTER_MAX];
	int page;
};

static void trace_init(void *state)
{
	struct trace_view *v = state;

	v->follow = true;
}

/* Append "name=value", with numbers that stand for something spelt out. */
static void add_field(char *buf, size_t size, const struct sim *s, const char *name, u64 value,
		      bool wide)
{
	static const char states[] = "RRSWX"; /* enum task_state; the idle task counts as running */
	size_t n = strlen(buf);

	if (name[0] == '-' || n + 1 >= size)
		return;
	buf += n;
	size -= n;
	if (trace_names_task(name))
		snprintf(buf, size, " %s=%s", name,
			 (u32)value == NONE ? "idle" : sim_task_name(s, (task_id)value));
	else if (!strcmp(name, "prev_state"))
		snprintf(buf, size, " %s=%c", name,
			 value < sizeof(states) - 1 ? states[value] : '?');
	else if (!strcmp(name, "func") && value < NR_KFUNCS)
		snprintf(buf, size, " %s=%s", name, kfunc_names[value]);
	else if (!strcmp(name, "why") && value < NR_NOHZ_REFUSALS)
		snprintf(buf, size, " %s=%s", name, nohz_refusal_keys[value]);
	else if (!strcmp(name, "because") && value < NR_NOHZ_REASONS)
		snprintf(buf, size, " %s=%s", name, nohz_reason_keys[value]);
	else if (!strcmp(name, "slot") && value < NR_SLOTS)
		snprintf(buf, size, " %s=%s", name, policy_slot_names[value]);
	else if (!strcmp(name, "policy") && value < s->nr_registry && s->registry[value])
		snprintf(buf, size, " %s=%s", name, s->registry[value]->name);
	else if (!wide && (u32)value == NONE)
		snprintf(buf, size, " %s=-", name);
	else
		snprintf(buf, size, " %s=%lld", name,
			 (long long)(wide ? (s64)value : (s64)(s32)value));
}

static void event_text(const struct sim *s, const struct trace_rec *r, char *buf, size_t size)
{
	const struct trace_event_desc *d;
	bool pair;

	buf[0] = '\0';
	if (r->type >= NR_TRACE_TYPES)
		return;
	d = &trace_event_descs[r->type];
	add_field(buf, size, s, d->task, r->task, false);
	pair = d->a_hi[0] != '-';
	add_field(buf, size, s, d->a, pair ? (u32)r->a : r->a, !pair);
	add_field(buf, size, s, d->a_hi, r->a >> 32, false);
	pair = d->b_hi[0] != '-';
	add_field(buf, size, s, d->b, pair ? (u32)r->b : r->b, !pair);
	add_field(buf, size, s, d->b_hi, r->b >> 32, false);
}

static char lower(char ch)
{
	return ch >= 'A' && ch <= 'Z' ? (char)(ch | 32) : ch;
}

static bool has(const char *text, const char *part)
{
	for (; *text; text++) {
		size_t i = 0;

		while (part[i] && lower(text[i]) == lower(part[i]))
			i++;
		if (!part[i])
			return true;
	}
	return !*part;
}

static bool passes(const struct sim *s, const struct trace_view *v, const struct trace_rec *r)
{
	char line[320], fields[256];

	/* Functions of the kernel would crowd out all else: for who asks, or as a graph. */
	if (!v->filter[0])
		return r->type != TR_kfunc_entry && r->type != TR_kfunc_exit;
	event_text(s, r, fields, sizeof(fields));
	snprintf(line, sizeof(line), "cpu%u %s%s", r->cpu,
		 r->type < NR_TRACE_TYPES ? trace_event_descs[r->type].name : "", fields);
	return has(line, v->filter);
}

static u64 oldest(const struct sim *s)
{
	return s->trace.head - trace_count(&s->trace);
}

static const struct trace_rec *rec(const struct sim *s, u64 n)
{
	return n < oldest(s) ? NULL : trace_at(&s->trace, n - oldest(s));
}

/* The next record that passes at or beyond @n in direction @dir; ~0 if none is in reach. */
static u64 seek(const struct sim *s, const struct trace_view *v, u64 n, int dir, u32 *budget)
{
	for (; n >= oldest(s) && n < s->trace.head && *budget; n += (u64)(s64)dir, --*budget)
		if (passes(s, v, rec(s, n)))
			return n;
	return ~0ull;
}

static u16 event_colour(u16 type)
{
	switch (type) {
	case TR_sched_wakeup:
	case TR_sched_wakeup_new:
	case TR_sched_process_fork:
		return COL_GOOD;
	case TR_sched_migrate_task:
	case TR_select_cpu:
		return COL_WARN;
	case TR_cpu_frequency:
	case TR_cpu_idle:
		return COL_TITLE;
	case TR_policy_change:
	case TR_tunable_change:
	case TR_input:
		return COL_ACCENT;
	case TR_policy_error:
	case TR_signal_lost:
	case TR_no_time_passes:
		return COL_ERROR;
	default:
		return COL_TEXT;
	}
}

static void draw_event(const struct ui *ui, const struct sim *s, struct canvas *c, int y,
		       const struct trace_rec *r, bool sel)
{
	u16 bg = sel ? COL_SEL_BG : COL_DEFAULT;
	struct style dim = STYLE(sel ? COL_SEL_FG : COL_DIM, bg, 0);
	char buf[256], num[FMT_LEN];
	int name_w = c->w >= 70 ? 20 : 14;

	if (sel)
		canvas_fill(c, 0, y, c->w, 1, dim, ' ');
	canvas_put(c, 0, y, dim, sel ? ui->g->right : ' ');
	canvas_field(c, 1, y, 12, ALIGN_RIGHT, dim, fmt_clock(num, sizeof(num), r->time, 6), 0);
	snprintf(num, sizeof(num), "cpu%u", r->cpu);
	canvas_field(c, 14, y, 6, ALIGN_LEFT, dim, r->cpu == 0xffff ? "" : num, 0);
	canvas_field(c, 21, y, name_w, ALIGN_LEFT,
		     STYLE(sel ? COL_SEL_FG : event_colour(r->type), bg, 0),
		     r->type < NR_TRACE_TYPES ? trace_event_descs[r->type].name : "?", ui->g->more);
	event_text(s, r, buf, sizeof(buf));
	canvas_field(c, 22 + name_w, y, c->w - 22 - name_w, ALIGN_LEFT,
		     STYLE(sel ? COL_SEL_FG : COL_TEXT, bg, 0), buf[0] ? buf + 1 : "", ui->g->more);
}

/* The help of the event under the cursor: what a newcomer would look up next. */
static void draw_explanation(const struct ui *ui, struct canvas *c, int y,
			     const struct trace_rec *r)
{
	if (r && r->type < NR_TRACE_TYPES)
		canvas_field(c, 1, y, c->w - 2, ALIGN_LEFT, STYLE(COL_DIM, COL_DEFAULT, 0),
			     trace_event_descs[r->type].help, ui->g->more);
}

static void trace_draw(struct ui *ui, const struct sim *s, void *state, struct canvas *c)
{
	struct trace_view *v = state;
	int rows = c->h > 6 ? c->h - 1 : c->h, y = rows - 1;
	u32 budget = SCAN_MAX;
	u64 n;

	v->page = rows;
	if (!s->trace.head || !trace_count(&s->trace)) {
		canvas_field(c, 1, 0, c->w - 2, ALIGN_LEFT, STYLE(COL_DIM, COL_DEFAULT, 0),
			     s->trace.ring ? "nothing has happened yet: space lets time run"
					   : "the trace ring is off",
			     ui->g->more);
		return;
	}
	if (v->follow || v->at >= s->trace.head)
		v->at = s->trace.head - 1;
	if (v->at < oldest(s))
		v->at = oldest(s);
	/* The cursor's record is in the middle once it left the end, so that both sides are seen. */
	n = v->at;
	for (int below = 0; !v->follow && below < rows / 2; below++) {
		u64 next = seek(s, v, n + 1, 1, &budget);

		if (next == ~0ull)
			break;
		n = next;
	}
	for (n = seek(s, v, n, -1, &budget); n != ~0ull && y >= 0; y--) {
		draw_event(ui, s, c, y, rec(s, n), !v->follow && n == v->at);
		n = n ? seek(s, v, n - 1, -1, &budget) : ~0ull;
	}
	if (y == rows - 1)
		canvas_field(c, 1, 0, c->w - 2, ALIGN_LEFT, STYLE(COL_DIM, COL_DEFAULT, 0),
			     "no recent event matches the filter", ui->g->more);
	if (rows < c->h)
		draw_explanation(ui, c, rows, rec(s, v->at));
}

static void trace_subtitle(const struct ui *ui, const struct sim *s, const void *state, char *buf,
			   size_t size)
{
	const struct trace_view *v = state;
	char num[FMT_LEN];
	size_t n;

	(void)ui;
	snprintf(buf, size, "%s so far%s", fmt_count(num, sizeof(num), s->trace.head),
		 v->follow ? ", newest last" : ", stopped here");
	n = strlen(buf);
	if (v->filter[0])
		snprintf(buf + n, size - n, ", with '%s'", v->filter);
}

static int move_cursor(const struct sim *s, struct trace_view *v, const char *how, struct err *err)
{
	int step = ui_scroll(how, 1000, v->page, 2000, err);
	u32 budget = SCAN_MAX;
	u64 n = v->at;
	int times;

	if (step < 0)
		return -1;
	if (!strcmp(how, "end")) {
		v->follow = true;
		return 1;
	}
	if (!s->trace.head)
		return 1;
	if (v->follow)
		n = s->trace.head - 1;
	if (!strcmp(how, "home")) {
		n = seek(s, v, oldest(s), 1, &budget);
		v->at = n == ~0ull ? oldest(s) : n;
		v->follow = false;
		return 1;
	}
	times = step > 1000 ? step - 1000 : 1000 - step;
	/* From the end the first move only lands on the newest that matches. */
	if (v->follow && step < 1000) {
		n = seek(s, v, n, -1, &budget);
		times--;
	}
	for (; n != ~0ull && times > 0; times--) {
		u64 next;

		if (step < 1000 && n == 0)
			break;
		next = step < 1000 ? seek(s, v, n - 1, -1, &budget) : seek(s, v, n + 1, 1, &budget);
		if (next == ~0ull) {
			if (step > 1000)
				v->follow = true;
			break;
		}
		n = next;
	}
	if (step < 1000)
		v->follow = false;
	if (n != ~0ull)
		v->at = n;
	return 1;
}

static int trace_command(struct ui *ui, const struct sim *s, void *state, int argc, char **argv,
			 struct err *err)
{
	struct trace_view *v = state;
	const struct trace_rec *r;

	if (!strcmp(argv[0], "cursor"))
		return move_cursor(s, v, argc > 1 ? argv[1] : "", err);
	if (!strcmp(argv[0], "filter")) {
		utf8_clean(v->filter, sizeof(v->filter), argc > 1 ? argv[1] : "", false, false);
		v->follow = true;
		return 1;
	}
	if (!strcmp(argv[0], "open")) {
		r = s->trace.head ? rec(s, v->follow ? s->trace.head - 1 : v->at) : NULL;
		if (r && arena_is_live(&s->arena, POOL_TASK, r->task)) {
			ui->serial = s->tasks[r->task].serial;
			ui->of_task = true;
		} else if (r && r->cpu < s->g->nr_cpus) {
			ui->cpu = r->cpu;
			ui->of_task = false;
		}
		ui_show(ui, VIEW_curves);
		return 1;
	}
	return 0;
}

const struct view_ops view_events = {
	.name = "events",
	.title = "events",
	.help = "What the scheduler did, newest last: time in seconds, CPU, event, fields. Names are "
		"those of the kernel's tracepoints. Up stops the log and picks an event, End follows "
		"again; / shows only lines that contain a text: sched_switch, cpu3, a task's name. "
		"Functions of the kernel show with / kfunc, or as a tree with the command graph. "
		"The last line says what the picked event means.",
	.min_w = 34,
	.min_h = 4,
	.state_size = sizeof(struct trace_view),
	.init = trace_init,
	.subtitle = trace_subtitle,
	.draw = trace_draw,
	.command = trace_command,
};
