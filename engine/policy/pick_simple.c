/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick_simple.c - first in first out, and round robin: two policies to compare with.
 *
 * After SCHED_FIFO and SCHED_RR of kernel/sched/rt.c, without priorities: among themselves fair
 * tasks are served in order of arrival, whatever their weight. SCHED_IDLE tasks come last. A group
 * is one member of its parent's queue, with one turn at a time.
 */
#include "engine/policy/pick_common.h"

static void simple_place(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	struct sched_entity *se = se_get(s, id);

	(void)flags;
	pick_join(q, se);
	se->key = pick_arrival_key(s, q, se);
}

static bool simple_fifo_charge(struct sim *s, struct cfs_rq *q, se_id id, u64 delta)
{
	pick_advance(q, se_get(s, id), delta);
	return false;
}

static se_id simple_pick(struct sim *s, struct cfs_rq *q)
{
	return pick_smallest_key(s, q);
}

static void simple_yield(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	se->key = pick_arrival_key(s, q, se);
}

static void simple_adopt_entity(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	pick_join(q, se);
	se->key = pick_arrival_key(s, q, se);
	se->policy_data = 0;
}

/* The current one keeps its turn, the others queue in the order they stood in. */
static void simple_adopt(struct sim *s, struct cfs_rq *q)
{
	pick_adopt_start(s, q);
	if (queued_curr(s, q))
		simple_adopt_entity(s, q, q->curr);
	timeline_rebuild(s, q, simple_adopt_entity);
}

static const struct pick_ops simple_fifo_ops = {
	.place = simple_place,
	.unplace = pick_unplace_nothing,
	.insert = pick_insert,
	.erase = pick_erase,
	.requeue = pick_nothing,
	.charge = simple_fifo_charge,
	.pick = simple_pick,
	.set_next = pick_nothing,
	.put_prev = pick_nothing,
	.tick = pick_no,
	.preempt = pick_preempt_idle_only,
	.yield = simple_yield,
	.reweight = pick_reweight_nothing,
	.adopt = simple_adopt,
	.fork = pick_fork_join,
};

const struct sched_policy pick_fifo = {
	.name = "fifo",
	.summary = "first come, first served, until it sleeps or yields",
	.doc = "Tasks run in the order in which they became runnable, and each keeps the CPU until it "
	       "sleeps or yields. No weights, no slices, no preemption: one busy task holds up everyone. "
	       "After SCHED_FIFO of kernel/sched/rt.c, without priorities.",
	.slot = SLOT_PICK,
	.ops = &simple_fifo_ops,
};

/* ---- round robin --------------------------------------------------------------------------- */

enum { RR_SLICE_US };

static const struct policy_param simple_rr_params[] = {
	{ "slice_us", 100, 1000000, 10000, "us",
	  "run time after which the next task has its turn" },
	{ NULL, 0, 0, 0, NULL, NULL },
};

static s64 simple_rr_slice(const struct sim *s)
{
	return sim_policy_param(s, SLOT_PICK, RR_SLICE_US) * 1000;
}

/* policy_data: ns left of the slice, which a task keeps while it is pushed aside. */
static void simple_rr_place(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	simple_place(s, q, id, flags);
	se_get(s, id)->policy_data = simple_rr_slice(s);
}

static bool simple_rr_charge(struct sim *s, struct cfs_rq *q, se_id id, u64 delta)
{
	struct sched_entity *curr = se_get(s, id);
	s64 slice = simple_rr_slice(s);

	pick_advance(q, curr, delta);
	if (curr->policy_data > slice) /* the parameter was lowered */
		curr->policy_data = slice;
	curr->policy_data -= (s64)delta;
	if (curr->policy_data > 0)
		return false;
	curr->policy_data = slice;
	curr->key = pick_arrival_key(s, q, curr);
	return true;
}

static void simple_rr_yield(struct sim *s, struct cfs_rq *q, se_id id)
{
	simple_yield(s, q, id);
	se_get(s, id)->policy_data = simple_rr_slice(s);
}

static void simple_rr_adopt(struct sim *s, struct cfs_rq *q)
{
	simple_adopt(s, q);
	if (queued_curr(s, q))
		se_get(s, q->curr)->policy_data = simple_rr_slice(s);
	for_each_timeline(s, q, id) se_get(s, id)->policy_data = simple_rr_slice(s);
}

static const struct pick_ops simple_rr_ops = {
	.place = simple_rr_place,
	.unplace = pick_unplace_nothing,
	.insert = pick_insert,
	.erase = pick_erase,
	.requeue = pick_nothing,
	.charge = simple_rr_charge,
	.pick = simple_pick,
	.set_next = pick_nothing,
	.put_prev = pick_nothing,
	.tick = pick_no,
	.preempt = pick_preempt_idle_only,
	.yield = simple_rr_yield,
	.reweight = pick_reweight_nothing,
	.adopt = simple_rr_adopt,
	.fork = pick_fork_join,
};

const struct sched_policy pick_rr = {
	.name = "rr",
	.summary = "round robin: equal slices in turn",
	.doc = "Tasks run in turn for slice_us each, whatever their weight; a slice ends where its end is "
	       "noticed, at a tick or another accounting. After SCHED_RR of kernel/sched/rt.c, without "
	       "priorities.",
	.slot = SLOT_PICK,
	.params = simple_rr_params,
	.ops = &simple_rr_ops,
};
