/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick-world.h - one run queue without events, clocks or averages, to test pick policies on.
 *
 * A struct sim put together by hand, and the order of calls that sched/fair.c makes.
 */
#ifndef SG_TESTS_UNIT_PICK_WORLD_H
#define SG_TESTS_UNIT_PICK_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "engine/policy/policy.h"
#include "engine/sched/features.h"
#include "engine/sched/load.h"
#include "engine/sched/timeline.h"

#define WORLD_TASKS 300
#define WORLD_PARAM_US 10000 /* what every parameter of a policy reads as */

struct world {
	struct sim sim;
	struct globals g;
	struct rq rq;
	struct cfs_rq cfs;
	struct sched_entity se[WORLD_TASKS];
	struct task tasks[WORLD_TASKS];
	struct task_group groups[2]; /* the root, and one below it for tests that use it */
	s64 params[1024];
	bool resched;
	u64 switches;
};

static inline void world_use(struct world *w, const struct sched_policy *p)
{
	w->sim.policy[SLOT_PICK] = p;
	w->sim.pick = p->ops;
}

static inline struct world *world_new(const struct sched_policy *p)
{
	struct world *w = calloc(1, sizeof(*w));

	w->sim.g = &w->g;
	w->sim.rqs = &w->rq;
	w->sim.cfs_rqs = &w->cfs;
	w->sim.task_se = w->se;
	w->sim.tasks = w->tasks;
	w->sim.groups = w->groups;
	for (u32 i = 0; i < ARRAY_SIZE(w->groups); i++)
		w->groups[i].parent = w->groups[i].first_child = w->groups[i].next_sibling = NONE;
	for (u32 i = 0; i < ARRAY_SIZE(w->params); i++)
		w->params[i] = WORLD_PARAM_US;
	w->sim.policy_global = w->params;
	w->g.nr_cpus = w->g.nr_online = 1;
	w->g.tun.hz = 250;
	w->g.tun.sched_latency = 6000000;
	w->g.tun.min_granularity = w->g.tun.idle_min_granularity = 750000;
	w->g.tun.wakeup_granularity = 1000000;
	w->g.tun.base_slice = 700000;
	w->g.tun.features = sched_feat_default;
	w->cfs.curr = w->cfs.next = w->cfs.last = w->cfs.skip = NONE;
	w->cfs.zero_vruntime = w->cfs.min_vruntime = (u64) - (1 << 20);
	tree_root_init(&w->cfs.timeline);
	for (u32 i = 0; i < WORLD_TASKS; i++) {
		w->se[i].parent = w->se[i].my_q = NONE;
		set_load_weight(&w->se[i], 0, false);
	}
	world_use(w, p);
	return w;
}

static inline void world_enqueue(struct world *w, se_id id, u32 flags)
{
	struct cfs_rq *q = &w->cfs;

	if ((flags & ENQUEUE_INITIAL) && w->sim.pick->fork)
		w->sim.pick->fork(&w->sim, q, id);
	w->sim.pick->place(&w->sim, q, id, flags);
	update_load_add(&q->load, w->se[id].load.weight);
	q->nr_queued++;
	q->h_nr_queued++;
	w->sim.pick->insert(&w->sim, q, id);
	w->se[id].on_rq = 1;
}

static inline void world_dequeue(struct world *w, se_id id, u32 flags)
{
	struct cfs_rq *q = &w->cfs;

	w->sim.pick->unplace(&w->sim, q, id, flags);
	if (q->curr != id)
		w->sim.pick->erase(&w->sim, q, id);
	w->se[id].on_rq = 0;
	update_load_sub(&q->load, w->se[id].load.weight);
	q->nr_queued--;
	q->h_nr_queued--;
	if (w->sim.pick->dequeued)
		w->sim.pick->dequeued(&w->sim, q, id, flags);
}

static inline void world_run(struct world *w, u64 ns)
{
	w->rq.clock_task += ns;
	if (w->cfs.curr == NONE)
		return;
	w->se[w->cfs.curr].sum_exec_runtime += ns;
	if (w->sim.pick->charge(&w->sim, &w->cfs, w->cfs.curr, ns))
		w->resched = true;
	if (w->cfs.nr_queued > 1 && w->sim.pick->tick(&w->sim, &w->cfs, w->cfs.curr))
		w->resched = true;
}

static inline se_id world_schedule(struct world *w)
{
	struct cfs_rq *q = &w->cfs;
	se_id prev = q->curr;
	se_id next = q->nr_queued ? w->sim.pick->pick(&w->sim, q) : NONE;

	w->resched = false;
	if (next == prev)
		return next;
	w->switches++;
	if (prev != NONE) {
		if (w->se[prev].on_rq)
			w->sim.pick->insert(&w->sim, q, prev);
		w->sim.pick->put_prev(&w->sim, q, prev);
		q->curr = NONE;
	}
	if (next != NONE) {
		w->sim.pick->erase(&w->sim, q, next);
		q->curr = next;
		w->sim.pick->set_next(&w->sim, q, next);
		w->se[next].prev_sum_exec_runtime = w->se[next].sum_exec_runtime;
	}
	return next;
}

static inline void world_sleep(struct world *w)
{
	world_dequeue(w, w->cfs.curr, DEQUEUE_SLEEP);
	world_schedule(w);
}

/* @ms ticks of a millisecond, switching where the policy asks for it. */
static inline void world_ticks(struct world *w, u32 ms)
{
	while (ms--) {
		world_run(w, 1000000);
		if (w->resched && w->cfs.nr_queued > 1)
			world_schedule(w);
	}
}

static inline void world_reweight(struct world *w, se_id id, s8 nice)
{
	struct sched_entity *se = &w->se[id];
	struct load_weight lw = load_weight_of(nice, false);
	bool in_tree = se->on_rq && w->cfs.curr != id;

	if (in_tree)
		w->sim.pick->erase(&w->sim, &w->cfs, id);
	if (se->on_rq)
		update_load_sub(&w->cfs.load, se->load.weight);
	w->sim.pick->reweight(&w->sim, &w->cfs, id, lw.weight);
	se->load = lw;
	if (se->on_rq)
		update_load_add(&w->cfs.load, lw.weight);
	if (in_tree)
		w->sim.pick->insert(&w->sim, &w->cfs, id);
}

#endif
