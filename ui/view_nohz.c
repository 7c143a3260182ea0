/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_nohz.c - idle balancing: the records of idle CPUs, kicks with their reasons and those that were
 * not sent, who looked after whom and when, and the newest kicks.
 *
 * Follows struct nohz and _nohz_idle_balance() of kernel/sched/fair.c, Linux v6.12: "record" is a
 * struct nohz, of which the policies per node and per cache have several.
 */
#include <stdio.h>
#include <string.h>

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/policy/nohz.h"
#include "engine/sched/core.h"
#include "ui/fmt.h"
#include "ui/view.h"

#define RECORD_ROWS 8 /* records shown; there may be one for each cache */
#define KICK_ROWS 5
#define RING_LOOK 65536 /* trace records looked at for kicks */

struct nohz_view {
	int top, page; /* first CPU shown */
};

static const struct nohz_ops *nohz_policy(const struct sim *s)
{
	return s->policy[SLOT_NOHZ]->ops;
}

/* Records that some CPU belongs to. */
static u32 records_used(const struct sim *s)
{
	u32 n = 1;

	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		u32 r = nohz_policy(s)->record(s, c) + 1;

		n = r > n ? r : n;
	}
	return n;
}

/* "node 3", or "machine" where there is one for all. */
static const char *record_name(const struct sim *s, u32 record, char *buf, size_t size)
{
	const char *unit = nohz_policy(s)->unit;

	if (!strcmp(unit, "machine"))
		snprintf(buf, size, "%s", unit);
	else
		snprintf(buf, size, "%s %u", unit, record);
	return buf;
}

static u32 record_size(const struct sim *s, u32 record)
{
	u32 n = 0;

	for (cpu_id c = 0; c < s->g->nr_cpus; c++)
		n += s->rqs[c].mode != CPU_OFFLINE && nohz_policy(s)->record(s, c) == record;
	return n;
}

static void draw_record(const struct sim *s, struct canvas *c, int y, u32 record)
{
	const struct nohz_record *n = &s->nohz[record];
	const u64 *mask = nohz_mask_of(s, record);
	s32 held = (s32)cpumask_weight(mask, s->g->mask_words);
	u64 now = sim_jiffies(s);
	char cpus[64], line[128];
	int x;

	canvas_field(c, 1, y, 10, ALIGN_LEFT, STYLE(COL_TEXT, COL_DEFAULT, 0),
		     record_name(s, record, line, sizeof(line)), 0);
	snprintf(line, sizeof(line), "%d of %u", n->nr_cpus, record_size(s, record));
	canvas_field(c, 12, y, 10, ALIGN_LEFT,
		     STYLE(n->nr_cpus > 0 ? COL_TEXT : COL_WARN, COL_DEFAULT, 0), line, 0);
	if (held != n->nr_cpus) {
		snprintf(line, sizeof(line), "mask: %d!", held);
		canvas_field(c, 22, y, 9, ALIGN_LEFT, STYLE(COL_ERROR, COL_DEFAULT, ATTR_BOLD),
			     line, 0);
	}
	snprintf(line, sizeof(line), "%s", n->next_balance > now ? "" : "due");
	if (n->next_balance > now)
		snprintf(line, sizeof(line), "in %llu",
			 (unsigned long long)(n->next_balance - now));
	canvas_field(c, 32, y, 9, ALIGN_LEFT, STYLE(COL_TEXT, COL_DEFAULT, 0), line, 0);
	if (!n->has_blocked)
		snprintf(line, sizeof(line), "none");
	else if (n->next_blocked < now)
		snprintf(line, sizeof(line), "due");
	else
		snprintf(line, sizeof(line), "in %llu",
			 (unsigned long long)(n->next_blocked - now + 1));
	canvas_field(c, 42, y, 9, ALIGN_LEFT, STYLE(COL_TEXT, COL_DEFAULT, 0), line, 0);
	x = 52;
	if (n->needs_update)
		x += canvas_text(c, x, y, STYLE(COL_DIM, COL_DEFAULT, 0), "new  ");
	cpumask_format(mask, s->g->mask_words, cpus, sizeof(cpus));
	canvas_text(c, x, y, STYLE(COL_DIM, COL_DEFAULT, 0), cpus[0] ? cpus : "-");
}

static int draw_records(const struct sim *s, struct canvas *c, int y)
{
	const struct style dim = STYLE(COL_DIM, COL_DEFAULT, 0);
	u32 n = records_used(s), shown = n < RECORD_ROWS ? n : RECORD_ROWS;

	canvas_text(c, 1, y, dim, "record");
	canvas_text(c, 12, y, dim, "idle CPUs");
	canvas_text(c, 32, y, dim, "balance");
	canvas_text(c, 42, y, dim, "blocked");
	canvas_text(c, 52, y, dim, "idle, tick stopped");
	for (u32 r = 0; r < shown; r++)
		draw_record(s, c, y + 1 + (int)r, r);
	return 1 + (int)shown;
}

/* Per node: kicks sent by reason, kicks wanted and not sent. */
static int draw_kicks_by_node(const struct sim *s, struct canvas *c, int y, int rows)
{
	const struct style dim = STYLE(COL_DIM, COL_DEFAULT, 0);
	int used = 1;

	canvas_text(c, 1, y, dim, "kicks");
	for (int i = 0; i < NR_NOHZ_REASONS; i++)
		canvas_field(c, 18 + 9 * i, y, 8, ALIGN_RIGHT, dim, nohz_reason_keys[i], 0);
	canvas_field(c, 8, y, 9, ALIGN_RIGHT, dim, "none idle", 0);
	canvas_field(c, 18 + 9 * NR_NOHZ_REASONS, y, 11, ALIGN_RIGHT, dim, "no balancer", 0);
	for (u32 n = 0; n < s->g->nr_nodes && used < rows; n++, used++) {
		const struct node_stats *ns = &s->node_stats[n];
		char num[FMT_LEN];

		canvas_printf(c, 1, y + used, STYLE(COL_TEXT, COL_DEFAULT, 0), "node %u", n);
		for (int i = 0; i < NR_NOHZ_REASONS; i++)
			canvas_field(c, 18 + 9 * i, y + used, 8, ALIGN_RIGHT,
				     ns->nohz_kicks[i] ? STYLE(COL_TEXT, COL_DEFAULT, 0) : dim,
				     fmt_count(num, sizeof(num), ns->nohz_kicks[i]), 0);
		canvas_field(c, 8, y + used, 9, ALIGN_RIGHT,
			     ns->nohz_refused[NOHZ_NONE_IDLE] ? STYLE(COL_WARN, COL_DEFAULT, 0)
							      : dim,
			     fmt_count(num, sizeof(num), ns->nohz_refused[NOHZ_NONE_IDLE]), 0);
		canvas_field(c, 18 + 9 * NR_NOHZ_REASONS, y + used, 11, ALIGN_RIGHT, dim,
			     fmt_count(num, sizeof(num), ns->nohz_refused[NOHZ_NO_BALANCER]), 0);
	}
	return used;
}

static const char *cpu_word(const struct sim *s, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];

	if (rq->mode == CPU_OFFLINE)
		return "offline";
	if (!idle_cpu(s, cpu))
		return rq->nohz_tick_stopped ? "busy, short" : "busy";
	return rq->nohz_tick_stopped ? "idle" : "idle, tick";
}

static void draw_cpu(const struct sim *s, struct canvas *c, int y, cpu_id cpu)
{
	const struct cpu_stats *st = &s->cpu_stats[cpu];
	const struct style text = STYLE(COL_TEXT, COL_DEFAULT, 0);
	const struct style dim = STYLE(COL_DIM, COL_DEFAULT, 0);
	char num[FMT_LEN], ago[FMT_LEN];

	canvas_printf(c, 1, y, text, "cpu%u", cpu);
	canvas_field(c, 9, y, 12, ALIGN_LEFT, text, cpu_word(s, cpu), 0);
	if (!mask_has_cpu(s, s->g->housekeeping, cpu))
		canvas_text(c, 22, y, STYLE(COL_WARN, COL_DEFAULT, 0), "isolated");
	if (st->ilb_runs) {
		canvas_field(c, 31, y, 6, ALIGN_RIGHT, text,
			     fmt_count(num, sizeof(num), st->ilb_runs), 0);
		canvas_printf(c, 38, y, dim, "%s, %s ago",
			      record_name(s, st->ilb_record, num, sizeof(num)),
			      fmt_ns(ago, sizeof(ago), s->g->now - st->ilb_ran_at));
	} else {
		canvas_field(c, 31, y, 6, ALIGN_RIGHT, dim, "-", 0);
	}
	if (st->ilb_at)
		canvas_printf(c, 60, y, st->ilb_by == cpu ? dim : text, "cpu%u, %s ago", st->ilb_by,
			      fmt_ns(ago, sizeof(ago), s->g->now - st->ilb_at));
}

static int draw_newest_kicks(const struct sim *s, struct canvas *c, int y, int rows)
{
	const struct style dim = STYLE(COL_DIM, COL_DEFAULT, 0);
	u64 n = trace_count(&s->trace), looked = 0;
	int used = 1;

	if (rows < 2)
		return 0;
	canvas_text(c, 1, y, dim, "newest kicks");
	for (u64 i = n; i > 0 && used < rows && looked < RING_LOOK; i--, looked++) {
		const struct trace_rec *r = trace_at(&s->trace, i - 1);
		char at[FMT_LEN], name[FMT_LEN];
		u32 why, flags;

		if (!r || r->type != TR_nohz_kick)
			continue;
		why = (u32)r->b;
		flags = (u32)(r->a >> 32);
		canvas_printf(c, 1, y + used, dim, "%10s", fmt_clock(at, sizeof(at), r->time, 4));
		canvas_printf(c, 13, y + used, STYLE(COL_TEXT, COL_DEFAULT, 0),
			      "cpu%u asks cpu%u for %s%s: %s", r->cpu, (u32)r->a,
			      record_name(s, (u32)(r->b >> 32), name, sizeof(name)),
			      flags & NOHZ_BALANCE_KICK ? "" : ", no balancing",
			      why < NR_NOHZ_REASONS ? nohz_reason_names[why] : "?");
		used++;
	}
	return used;
}

static void nohz_draw(struct ui *ui, const struct sim *s, void *state, struct canvas *c)
{
	struct nohz_view *v = state;
	const struct style dim = STYLE(COL_DIM, COL_DEFAULT, 0);
	int kicks = c->h >= 16 ? KICK_ROWS : 0, y = 0, nodes = (int)s->g->nr_nodes;

	(void)ui;
	y += draw_records(s, c, y);
	if (c->h - y - kicks > 4)
		y += draw_kicks_by_node(s, c, y, 1 + (nodes < 4 ? nodes : 4));
	v->page = c->h - y - kicks - 1;
	if (v->page < 1)
		v->page = 1;
	if (v->top > (int)s->g->nr_cpus - 1)
		v->top = (int)s->g->nr_cpus - 1;
	if (y < c->h) {
		canvas_text(c, 1, y, dim, "CPU");
		canvas_field(c, 31, y, 6, ALIGN_RIGHT, dim, "rounds", 0);
		canvas_text(c, 38, y, dim, "the last, for");
		canvas_text(c, 60, y, dim, "looked after by");
		y++;
	}
	for (int i = 0; i < v->page && v->top + i < (int)s->g->nr_cpus && y < c->h - kicks; i++)
		draw_cpu(s, c, y++, (cpu_id)(v->top + i));
	if (kicks)
		draw_newest_kicks(s, c, c->h - kicks, kicks);
}

static void nohz_subtitle(const struct ui *ui, const struct sim *s, const void *state, char *buf,
			  size_t size)
{
	char cpus[64];

	(void)ui;
	(void)state;
	if (!s->g->housekeeping) {
		snprintf(buf, size, "%s", s->policy[SLOT_NOHZ]->name);
		return;
	}
	cpumask_format(mask_get(s, s->g->housekeeping), s->g->mask_words, cpus, sizeof(cpus));
	snprintf(buf, size, "%s, housekeeping %s", s->policy[SLOT_NOHZ]->name, cpus);
}

static int nohz_command(struct ui *ui, const struct sim *s, void *state, int argc, char **argv,
			struct err *err)
{
	struct nohz_view *v = state;
	int at;

	(void)ui;
	if (strcmp(argv[0], "cursor") != 0)
		return 0;
	at = ui_scroll(argc > 1 ? argv[1] : "", v->top, v->page, (int)s->g->nr_cpus, err);
	if (at < 0)
		return -1;
	v->top = at;
	return 1;
}

const struct view_ops view_nohz = {
	.name = "nohz",
	.title = "idle balancing",
	.help = "Idle CPUs have no tick; a busy CPU's tick asks one of them, by a kick, to balance for "
		"all in its record. Top: each record, its count of idle CPUs, when balancing and "
		"blocked load are due (in jiffies), \"new\" when a CPU went idle since. A count that is "
		"not that of its mask is marked. Then the kicks from each node by reason; \"none idle\": "
		"wanted, but the record counted no idle CPU; \"no balancer\": no housekeeping CPU was "
		"idle. Then each CPU: rounds it made and for which record, who looked after it last. "
		"\"busy, short\": still in the mask, since no tick has found it busy. Arrows go through "
		"the CPUs.",
	.min_w = 40,
	.min_h = 6,
	.state_size = sizeof(struct nohz_view),
	.subtitle = nohz_subtitle,
	.draw = nohz_draw,
	.command = nohz_command,
};
