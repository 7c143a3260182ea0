/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_task.c - the tasks as a table: sortable, filterable, with a cursor. What does not fit into
 * the width is left out by importance. Averages are those "as of now", computed on copies.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "ui/fmt.h"
#include "ui/utf8.h"
#include "ui/view.h"
#include "ui/xalloc.h"

enum task_col {
	TC_NAME,
	TC_STATE,
	TC_CPU,
	TC_NICE,
	TC_UTIL,
	TC_EST,
	TC_LOAD,
	TC_RUN,
	TC_WAIT,
	TC_WAKE,
	TC_MIGR,
	TC_CLASS,
	TC_ID,
	NR_TASK_COLS
};

static const struct {
	const char *name, *head;
	int w;
	enum align align;
	int rank; /* 0 = always there; the highest go first when it is narrow */
} cols[NR_TASK_COLS] = {
	[TC_NAME] = { "name", "task", 10, ALIGN_LEFT, 0 },
	[TC_STATE] = { "state", "state", 5, ALIGN_LEFT, 1 },
	[TC_CPU] = { "cpu", "cpu", 4, ALIGN_RIGHT, 0 },
	[TC_NICE] = { "nice", "ni", 3, ALIGN_RIGHT, 4 },
	[TC_UTIL] = { "util", "util", 4, ALIGN_RIGHT, 0 },
	[TC_EST] = { "est", "est", 4, ALIGN_RIGHT, 5 },
	[TC_LOAD] = { "load", "load", 5, ALIGN_RIGHT, 8 },
	[TC_RUN] = { "run", "run", 6, ALIGN_RIGHT, 2 },
	[TC_WAIT] = { "wait", "wait", 6, ALIGN_RIGHT, 3 },
	[TC_WAKE] = { "wake", "wakes", 6, ALIGN_RIGHT, 6 },
	[TC_MIGR] = { "migr", "migr", 5, ALIGN_RIGHT, 7 },
	[TC_CLASS] = { "class", "class", 6, ALIGN_LEFT, 9 },
	[TC_ID] = { "id", "#", 5, ALIGN_RIGHT, 10 },
};

struct task_view {
	enum task_col sort;
	bool reverse;
	char filter[UI_FILTER_MAX];
	int top, page;
};

static void task_init(void *state)
{
	struct task_view *v = state;

	v->sort = TC_ID;
}

/* One line of the table, and what it sorts by. */
struct line {
	task_id id;
	s64 key;
};

static bool is_rt(const struct task *t)
{
	return t->policy == SCHED_FIFO || t->policy == SCHED_RR;
}

static const char *state_name(const struct sim *s, const struct task *t)
{
	switch (t->state) {
	case TASK_NEW:
		return "new";
	case TASK_RUNNING:
		if (s->rqs[t->cpu].curr == t->id)
			return "RUN";
		if (t->dl_throttled || (is_rt(t) && s->rqs[t->cpu].rt_throttled))
			return "spent";
		return sim_task_throttled(s, t->id) ? "quota" : "ready";
	case TASK_SLEEPING:
		return "sleep";
	case TASK_WAITING:
		return "wait";
	default:
		return "dead";
	}
}

static s64 sort_key(const struct sim *s, enum task_col col, task_id p)
{
	const struct task *t = &s->tasks[p];

	switch (col) {
	case TC_STATE:
		return t->state == TASK_RUNNING ? (s->rqs[t->cpu].curr == p ? 0 : 1)
						: 1 + (s64)t->state;
	case TC_CPU:
		return t->cpu;
	case TC_NICE:
		return t->nice;
	/* Of these the large ones are of interest: they come first. */
	case TC_UTIL:
		return -(s64)sim_task_avg_now(s, p).util_avg;
	case TC_EST:
		return -(s64)(sim_task_avg_now(s, p).util_est & ~UTIL_AVG_UNCHANGED);
	case TC_LOAD:
		return -(s64)sim_task_avg_now(s, p).load_avg;
	case TC_RUN:
		return -(s64)sim_task_exec_now(s, p);
	case TC_WAIT:
		return -(s64)sim_task_stats_now(s, p).wait_ns;
	case TC_WAKE:
		return -(s64)s->task_stats[p].wakeups;
	case TC_MIGR:
		return -(s64)s->task_stats[p].migrations;
	case TC_CLASS:
		return t->policy;
	case TC_NAME:
	case TC_ID:
	default:
		return (s64)t->serial;
	}
}

static char lower(char ch)
{
	return ch >= 'A' && ch <= 'Z' ? (char)(ch | 32) : ch;
}

static bool name_has(const char *name, const char *part)
{
	for (; *name; name++) {
		size_t i = 0;

		while (part[i] && lower(name[i]) == lower(part[i]))
			i++;
		if (!part[i])
			return true;
	}
	return !*part;
}

struct order {
	const struct sim *s;
	const struct task_view *v;
};

/* qsort_r() of glibc; the serial makes the order total. */
static int line_cmp(const void *a, const void *b, void *ctx)
{
	const struct line *x = a, *y = b;
	const struct order *o = ctx;
	int d = 0;

	if (o->v->sort == TC_NAME)
		d = strcmp(sim_task_name(o->s, x->id), sim_task_name(o->s, y->id));
	else
		d = x->key < y->key ? -1 : x->key > y->key;
	if (d == 0) {
		u64 m = o->s->tasks[x->id].serial, n = o->s->tasks[y->id].serial;

		d = m < n ? -1 : m > n;
	}
	return o->v->reverse ? -d : d;
}

/* The tasks that pass the filter, in order; the caller frees. */
static struct line *collect(const struct sim *s, const struct task_view *v, int *n)
{
	struct line *l = xcalloc(arena_live(&s->arena, POOL_TASK) + 1, sizeof(*l));
	struct order o = { s, v };

	*n = 0;
	for_each_live(p, &s->arena, POOL_TASK)
	{
		if (s->tasks[p].state == TASK_DEAD || (s->tasks[p].flags & PF_KTHREAD) ||
		    !name_has(sim_task_name(s, p), v->filter))
			continue;
		l[(*n)++] = (struct line){ p, sort_key(s, v->sort, p) };
	}
	qsort_r(l, (size_t)*n, sizeof(*l), line_cmp, &o);
	return l;
}

static void cell_text(const struct sim *s, enum task_col col, task_id p, char *buf, size_t size)
{
	const struct task *t = &s->tasks[p];
	char num[FMT_LEN];

	switch (col) {
	case TC_NAME:
		snprintf(buf, size, "%s", sim_task_name(s, p));
		break;
	case TC_STATE:
		snprintf(buf, size, "%s", state_name(s, t));
		break;
	case TC_CPU:
		snprintf(buf, size, "%u", t->cpu);
		break;
	case TC_NICE:
		if (is_rt(t))
			snprintf(buf, size, "%u", t->rt_priority);
		else if (t->policy == SCHED_DEADLINE)
			snprintf(buf, size, "-");
		else
			snprintf(buf, size, "%d", t->nice);
		break;
	case TC_UTIL:
		snprintf(buf, size, "%llu", (unsigned long long)sim_task_avg_now(s, p).util_avg);
		break;
	case TC_EST:
		snprintf(buf, size, "%u", sim_task_avg_now(s, p).util_est & ~UTIL_AVG_UNCHANGED);
		break;
	case TC_LOAD:
		snprintf(buf, size, "%s",
			 fmt_count(num, sizeof(num), sim_task_avg_now(s, p).load_avg));
		break;
	case TC_RUN:
		fmt_ns(buf, size, sim_task_exec_now(s, p));
		break;
	case TC_WAIT:
		fmt_ns(buf, size, sim_task_stats_now(s, p).wait_ns);
		break;
	case TC_WAKE:
		fmt_count(buf, size, s->task_stats[p].wakeups);
		break;
	case TC_MIGR:
		fmt_count(buf, size, s->task_stats[p].migrations);
		break;
	case TC_CLASS:
		snprintf(buf, size, "%s", fmt_class(t->policy));
		break;
	case TC_ID:
	default:
		snprintf(buf, size, "%llu", (unsigned long long)t->serial);
		break;
	}
}

/* Which columns fit: all up to a rank. Returns the room for the name. */
static int choose_columns(int w, int *max_rank)
{
	*max_rank = 0;
	for (int rank = 10; rank >= 0; rank--) {
		int need = 1;

		for (int i = 0; i < NR_TASK_COLS; i++)
			need += cols[i].rank <= rank ? cols[i].w + 1 : 0;
		if (need <= w || rank == 0) {
			int name = cols[TC_NAME].w + (w > need ? w - need : 0);

			*max_rank = rank;
			return name > 24 ? 24 : name;
		}
	}
	return cols[TC_NAME].w;
}

static void draw_head(const struct ui *ui, const struct task_view *v, struct canvas *c, int name_w,
		      int rank)
{
	int x = 2;

	for (int i = 0; i < NR_TASK_COLS; i++) {
		int w = i == TC_NAME ? name_w - 1 : cols[i].w;
		bool by = v->sort == (enum task_col)i;
		char head[16];

		if (cols[i].rank > rank)
			continue;
		snprintf(head, sizeof(head), "%s", cols[i].head);
		canvas_field(c, x, 0, w, cols[i].align,
			     STYLE(by ? COL_ACCENT : COL_DIM, COL_DEFAULT, ATTR_UNDERLINE), head,
			     ui->g->more);
		x += w + 1;
	}
}

static u16 state_colour(const struct sim *s, const struct task *t)
{
	if (t->state != TASK_RUNNING)
		return COL_DIM;
	return s->rqs[t->cpu].curr == t->id ? COL_GOOD : COL_WARN;
}

static void draw_line(const struct ui *ui, const struct sim *s, struct canvas *c, task_id p, int y,
		      int name_w, int rank)
{
	bool sel = s->tasks[p].serial == ui->serial;
	u16 bg = sel ? COL_SEL_BG : COL_DEFAULT;
	char buf[64];
	int x = 2;

	if (sel)
		canvas_fill(c, 0, y, c->w, 1, STYLE(COL_SEL_FG, bg, 0), ' ');
	canvas_put(c, 0, y, STYLE(sel ? COL_SEL_FG : COL_DEFAULT, bg, 0), sel ? ui->g->right : ' ');
	for (int i = 0; i < NR_TASK_COLS; i++) {
		int w = i == TC_NAME ? name_w - 1 : cols[i].w;
		u16 fg = i == TC_NAME || i == TC_UTIL ? COL_TEXT
			 : i == TC_STATE	      ? state_colour(s, &s->tasks[p])
						      : COL_DIM;

		if (cols[i].rank > rank)
			continue;
		cell_text(s, (enum task_col)i, p, buf, sizeof(buf));
		canvas_field(c, x, y, w, cols[i].align, STYLE(sel ? COL_SEL_FG : fg, bg, 0), buf,
			     ui->g->more);
		x += w + 1;
	}
}

static void task_draw(struct ui *ui, const struct sim *s, void *state, struct canvas *c)
{
	struct task_view *v = state;
	int n, rank, name_w = choose_columns(c->w, &rank), rows = c->h - 1, sel = -1;
	struct line *l = collect(s, v, &n);

	draw_head(ui, v, c, name_w, rank);
	for (int i = 0; i < n; i++)
		if (s->tasks[l[i].id].serial == ui->serial)
			sel = i;
	v->page = rows;
	v->top = v->top > n - rows ? n - rows : v->top;
	if (sel >= 0)
		v->top = v->top > sel ? sel : v->top <= sel - rows ? sel - rows + 1 : v->top;
	v->top = v->top < 0 ? 0 : v->top;
	for (int y = 0; y < rows && v->top + y < n; y++)
		draw_line(ui, s, c, l[v->top + y].id, y + 1, name_w, rank);
	if (n == 0)
		canvas_field(c, 2, 2, c->w - 3, ALIGN_LEFT, STYLE(COL_DIM, COL_DEFAULT, 0),
			     v->filter[0] ? "no task matches the filter"
					  : "no task yet: t injects one",
			     ui->g->more);
	free(l);
}

static void task_subtitle(const struct ui *ui, const struct sim *s, const void *state, char *buf,
			  size_t size)
{
	const struct task_view *v = state;

	(void)ui;
	(void)s;
	if (v->filter[0])
		snprintf(buf, size, "with '%s'", v->filter);
	else if (v->sort != TC_ID)
		snprintf(buf, size, "by %s", cols[v->sort].head);
}

static int move_cursor(struct ui *ui, const struct sim *s, struct task_view *v, const char *how,
		       struct err *err)
{
	int n, at = -1;
	struct line *l = collect(s, v, &n);

	for (int i = 0; i < n; i++)
		if (s->tasks[l[i].id].serial == ui->serial)
			at = i;
	/* The first move selects a row; which one depends on the way. */
	if (at < 0)
		at = !strcmp(how, "up") ? n : -1;
	at = ui_scroll(how, at, v->page, n, err);
	if (at >= 0 && n > 0) {
		ui->serial = s->tasks[l[at].id].serial;
		ui->of_task = true;
	}
	free(l);
	return at < 0 ? -1 : 1;
}

static int task_command(struct ui *ui, const struct sim *s, void *state, int argc, char **argv,
			struct err *err)
{
	struct task_view *v = state;
	const char *arg = argc > 1 ? argv[1] : "";

	if (!strcmp(argv[0], "cursor"))
		return move_cursor(ui, s, v, arg, err);
	if (!strcmp(argv[0], "filter")) {
		utf8_clean(v->filter, sizeof(v->filter), arg, false, false);
		return 1;
	}
	if (!strcmp(argv[0], "open")) {
		if (ui->serial == SERIES_NO_TASK)
			return err_set(err, ERR_USAGE,
				       "open: no task is selected; arrows select one");
		ui->of_task = true;
		if (ui->single >= 0)
			ui_show(ui, VIEW_curves);
		else
			layout_focus(&ui->layout, VIEW_curves);
		return 1;
	}
	if (strcmp(argv[0], "tasks") != 0)
		return 0;
	if (!strcmp(arg, "reverse")) {
		v->reverse = !v->reverse;
		return 1;
	}
	if (!strcmp(arg, "sort") && argc == 2) {
		v->sort = (v->sort + 1) % NR_TASK_COLS;
		return 1;
	}
	for (int i = 0; !strcmp(arg, "sort") && i < NR_TASK_COLS; i++) {
		if (!strcmp(argv[2], cols[i].name) || !strcmp(argv[2], cols[i].head)) {
			v->sort = (enum task_col)i;
			return 1;
		}
	}
	return err_set(
		err, ERR_USAGE,
		"tasks: use sort or reverse; sort takes name state cpu nice util est load run wait "
		"wake migr class id");
}

const struct view_ops view_tasks = {
	.name = "tasks",
	.title = "tasks",
	.help = "One row per task. state: RUN on its CPU, ready (wants to run and waits), quota "
		"(its group has used up its run time), spent (it has used its real-time budget), sleep, "
		"wait (for another). ni: nice, or the priority of a real-time task. util, est, load: its averages now. "
		"run: time on a CPU; wait: time ready but not running; wakes, migr: how often. "
		"Arrows select a task for the curves, o orders by the next column, / filters.",
	.min_w = 28,
	.min_h = 4,
	.state_size = sizeof(struct task_view),
	.init = task_init,
	.subtitle = task_subtitle,
	.draw = task_draw,
	.command = task_command,
};
