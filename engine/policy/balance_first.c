/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance_first.c - balancing in a simple form: a CPU that runs out of work pulls one task, and a
 * busy CPU with a waiting task pushes it to an idle CPU at its tick.
 *
 * Stands for sched_balance_newidle() and, in place of NOHZ idle balancing and periodic passes over
 * domains, for what they achieve (kernel/sched/fair.c, v6.12). Intervals, group statistics and
 * costs are not modelled here.
 */
#include "engine/observe/emit.h"
#include "engine/policy/policy.h"
#include "engine/sched/capacity.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/place.h"

/* Last task in the balancer's order that waits on @src and may run on @dst. */
static task_id movable(const struct sim *s, const struct rq *src, cpu_id dst)
{
	for (task_id p = src->cfs_tasks_tail; p != NONE; p = s->tasks[p].list_prev)
		if (p != src->curr && !s->task_se[p].sched_delayed &&
		    cpu_allowed(s, &s->tasks[p], dst))
			return p;
	return NONE;
}

static u32 distance(const struct sim *s, cpu_id a, cpu_id b)
{
	const struct cpu_topo *ta = &s->topo[a], *tb = &s->topo[b];

	return ta->core == tb->core ? 0 : ta->llc == tb->llc ? 1 : ta->node == tb->node ? 2 : 3;
}

static u32 pull_one(struct sim *s, cpu_id cpu)
{
	cpu_id best = NONE;
	u64 best_key = 0;

	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		const struct rq *rq = &s->rqs[c];

		if (c == cpu || rq->nr_running < 2 || movable(s, rq, cpu) == NONE)
			continue;

		u64 key = (u64)(4 - distance(s, cpu, c)) << 32 | rq->nr_running;

		if (key > best_key) {
			best_key = key;
			best = c;
		}
	}
	s->stats->newidle_count++;
	if (best == NONE)
		return 0;

	update_rq_clock(s, &s->rqs[best]);
	move_queued_task(s, movable(s, &s->rqs[best], cpu), cpu, 2);
	s->stats->newidle_pulled++;
	trace(s, TR_newidle_balance, cpu, NONE, trace_pair(1, best), 0);
	return 1;
}

static void push_at_tick(struct sim *s, cpu_id cpu, bool idle)
{
	struct rq *rq = &s->rqs[cpu];

	if (idle || rq->nr_running < 2)
		return;

	cpu_id best = NONE;
	u32 best_dist = ~0u;

	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		if (c == cpu || !idle_cpu(s, c) || s->rqs[c].mode == CPU_OFFLINE)
			continue;
		if (distance(s, cpu, c) < best_dist && movable(s, rq, c) != NONE) {
			best = c;
			best_dist = distance(s, cpu, c);
		}
	}
	if (best == NONE)
		return;
	update_rq_clock(s, &s->rqs[best]);
	move_queued_task(s, movable(s, rq, best), best, 1);
	s->stats->balance_pulled++;
}

static const struct newidle_ops first_newidle = { .newidle = pull_one };
static const struct newidle_ops no_newidle = { .newidle = NULL };
static const struct balance_ops first_balance = { .tick = push_at_tick };
static const struct balance_ops no_balance = { .tick = NULL };
static const struct nohz_ops no_nohz = { .enter = NULL };

const struct sched_policy newidle_first = {
	.name = "simple",
	.summary = "a CPU out of work pulls one waiting task, nearest first (first form)",
	.doc = "Takes the task that ran least recently from the nearest CPU that has one waiting. "
	       "sched_balance_newidle() in outline: no domains, no cost limit.",
	.slot = SLOT_NEWIDLE,
	.ops = &first_newidle,
};

const struct sched_policy newidle_none = {
	.name = "none",
	.summary = "a CPU out of work goes idle",
	.doc = "No newly-idle balancing at all.",
	.slot = SLOT_NEWIDLE,
	.ops = &no_newidle,
};

const struct sched_policy balance_first = {
	.name = "simple",
	.summary = "at a busy CPU's tick a waiting task goes to an idle CPU (first form)",
	.doc = "Stands for periodic and NOHZ idle balancing: a tick on a CPU with a waiting task "
	       "sends it to the nearest idle CPU it may use.",
	.slot = SLOT_BALANCE,
	.ops = &first_balance,
};

const struct sched_policy balance_none = {
	.name = "none",
	.summary = "no periodic balancing",
	.doc = "Tasks move at wake-up and when a CPU runs out of work, never at a tick.",
	.slot = SLOT_BALANCE,
	.ops = &no_balance,
};

const struct sched_policy nohz_none = {
	.name = "none",
	.summary = "nobody balances for idle CPUs",
	.doc = "Idle CPUs with a stopped tick are left alone.",
	.slot = SLOT_NOHZ,
	.ops = &no_nohz,
};
