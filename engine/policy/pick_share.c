/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick_share.c - stride and lottery scheduling: proportional shares by arithmetic and by chance.
 *
 * Not in the kernel. Stride scheduling follows C. A. Waldspurger, W. E. Weihl, "Stride Scheduling",
 * MIT/LCS/TM-528, 1995; lottery scheduling the same authors, OSDI 1994. Tickets are weights. Both
 * are here because they are CFS's ancestors and show what its extra rules are for.
 *
 * Simplified: no ticket transfers, no compensation tickets. Both decide when a quantum ends, a task
 * sleeps or yields, never at a wake-up. sched_entity.deadline is the sum_exec_runtime at which
 * the quantum ends.
 */
#include "engine/base/rng.h"
#include "engine/policy/pick_common.h"

enum { SHARE_QUANTUM_US };

static const struct policy_param share_params[] = {
	{ "quantum_us", 100, 1000000, 10000, "us", "run time between two decisions" },
	{ NULL, 0, 0, 0, NULL, NULL },
};

static u64 share_quantum(const struct sim *s)
{
	return (u64)sim_policy_param(s, SLOT_PICK, SHARE_QUANTUM_US) * 1000;
}

static void share_new_quantum(const struct sim *s, struct sched_entity *se)
{
	se->deadline = se->sum_exec_runtime + share_quantum(s);
}

static bool share_quantum_over(const struct sched_entity *se)
{
	return (s64)(se->sum_exec_runtime - se->deadline) >= 0;
}

static void share_set_next(struct sim *s, struct cfs_rq *q, se_id id)
{
	(void)q;
	share_new_quantum(s, se_get(s, id));
}

/* ---- stride -------------------------------------------------------------------------------- */

/*
 * The pass is vruntime, the stride what calc_delta_fair() makes of the time run. The queue's global
 * pass, in zero_vruntime, advances as someone with all tickets would; what a task was ahead or
 * behind of it when it left (policy_data) it has again when it comes back, up to one quantum.
 */
static void stride_place(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	struct sched_entity *se = se_get(s, id);
	s64 limit = (s64)calc_delta_fair(share_quantum(s), se);
	s64 remain = se->policy_data;

	if (flags & ENQUEUE_INITIAL)
		remain = limit;
	if (remain > limit)
		remain = limit;
	if (remain < -limit)
		remain = -limit;
	se->vlag = 0;
	se->rel_deadline = 0;
	se->vruntime = q->zero_vruntime + (u64)remain;
}

static void stride_unplace(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	struct sched_entity *se = se_get(s, id);

	(void)flags;
	se->policy_data = (s64)(se->vruntime - q->zero_vruntime);
}

static void stride_insert(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	se->key = se->vruntime;
	timeline_insert(s, q, id);
}

static bool stride_charge(struct sim *s, struct cfs_rq *q, se_id id, u64 delta)
{
	struct sched_entity *curr = se_get(s, id);

	pick_advance(q, curr, delta);
	if (q->load.weight)
		q->zero_vruntime += calc_delta(delta, NICE_0_LOAD, &q->load);
	if (!share_quantum_over(curr))
		return false;
	share_new_quantum(s, curr);
	return true;
}

static se_id stride_pick(struct sim *s, struct cfs_rq *q)
{
	struct sched_entity *curr = queued_curr(s, q);

	if (curr)
		curr->key = curr->vruntime;
	return pick_smallest_key(s, q);
}

/* The rest of the quantum is paid for without being used. */
static void stride_yield(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *curr = se_get(s, id);
	s64 left = (s64)(curr->deadline - curr->sum_exec_runtime);

	(void)q;
	if (left > 0)
		curr->vruntime += calc_delta_fair((u64)left, curr);
	share_new_quantum(s, curr);
}

/* Other tickets, other stride: what is left of the way to the next turn grows or shrinks with it. */
static void stride_reweight(struct sim *s, struct cfs_rq *q, se_id id, u64 weight)
{
	struct sched_entity *se = se_get(s, id);
	s64 remain = se->on_rq ? (s64)(se->vruntime - q->zero_vruntime) : se->policy_data;

	(void)s;
	remain = (s64)((s128)remain * (s64)se->load.weight / (s64)max_u64(weight, 1));
	if (se->on_rq)
		se->vruntime = q->zero_vruntime + (u64)remain;
	else
		se->policy_data = remain;
}

static void stride_adopt_entity(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	pick_join(q, se);
	se->policy_data = 0;
	se->key = se->vruntime;
	share_new_quantum(s, se);
}

static void stride_adopt(struct sim *s, struct cfs_rq *q)
{
	pick_adopt_start(s, q);
	if (queued_curr(s, q))
		stride_adopt_entity(s, q, q->curr);
	timeline_rebuild(s, q, stride_adopt_entity);
}

static void stride_fork(struct sim *s, struct cfs_rq *q, se_id id)
{
	pick_join(q, se_get(s, id));
	se_get(s, id)->policy_data = 0;
}

static const struct pick_ops stride_ops = {
	.place = stride_place,
	.unplace = stride_unplace,
	.insert = stride_insert,
	.erase = pick_erase,
	.requeue = pick_nothing,
	.charge = stride_charge,
	.pick = stride_pick,
	.set_next = share_set_next,
	.put_prev = pick_nothing,
	.tick = pick_no,
	.preempt = pick_preempt_idle_only,
	.yield = stride_yield,
	.reweight = stride_reweight,
	.adopt = stride_adopt,
	.fork = stride_fork,
};

const struct sched_policy pick_stride = {
	.name = "stride",
	.summary = "stride scheduling: smallest pass runs for one quantum",
	.doc = "Each task has a pass that advances by its stride, inverse to its weight, as it runs; the "
	       "smallest pass runs next, for quantum_us. Shares are exact to one quantum. No credit for "
	       "sleepers and no wake-up preemption: what CFS added. Waldspurger and Weihl, 1995.",
	.slot = SLOT_PICK,
	.params = share_params,
	.ops = &stride_ops,
};

/* ---- lottery ------------------------------------------------------------------------------- */

static void lottery_place(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	struct sched_entity *se = se_get(s, id);

	(void)flags;
	pick_join(q, se);
	se->key = pick_arrival_key(s, q, se);
}

static bool lottery_charge(struct sim *s, struct cfs_rq *q, se_id id, u64 delta)
{
	struct sched_entity *curr = se_get(s, id);

	pick_advance(q, curr, delta);
	return share_quantum_over(curr);
}

/* One draw from the CPU's own stream: @n tickets, numbered from 0. */
static u64 lottery_draw(struct sim *s, cpu_id cpu, u64 n)
{
	struct rq *rq = &s->rqs[cpu];
	u64 key = rng_child_key(rng_root_key(s->g->seed), ~(u64)cpu);

	return rng_uniform(key, &rq->rng_draws, n);
}

static se_id lottery_pick(struct sim *s, struct cfs_rq *q)
{
	struct sched_entity *curr = queued_curr(s, q);
	se_id winner = timeline_first(q);

	if (curr && (winner == NONE || !share_quantum_over(curr)))
		return q->curr;
	if (winner == NONE || (!curr && q->timeline.nr == 1))
		return winner;

	u64 ticket = lottery_draw(s, q->cpu, q->load.weight);

	if (curr) {
		if (ticket < curr->load.weight) {
			share_new_quantum(s, curr);
			return q->curr;
		}
		ticket -= curr->load.weight;
	}
	for_each_timeline(s, q, id)
	{
		u64 tickets = se_get(s, id)->load.weight;

		winner = id;
		if (ticket < tickets)
			break;
		ticket -= tickets;
	}
	return winner;
}

static void lottery_yield(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *curr = se_get(s, id);

	(void)s, (void)q;
	curr->deadline = curr->sum_exec_runtime;
}

static void lottery_adopt_entity(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	pick_join(q, se);
	se->key = pick_arrival_key(s, q, se);
	share_new_quantum(s, se);
}

static void lottery_adopt(struct sim *s, struct cfs_rq *q)
{
	pick_adopt_start(s, q);
	if (queued_curr(s, q))
		lottery_adopt_entity(s, q, q->curr);
	timeline_rebuild(s, q, lottery_adopt_entity);
}

static bool lottery_preempt(struct sim *s, struct cfs_rq *q, se_id curr, se_id wakee, u32 flags)
{
	(void)wakee;
	if (!(flags & WF_IDLE_CURR))
		return false;
	lottery_yield(s, q, curr); /* a new draw, in which it still has its few tickets */
	return true;
}

static const struct pick_ops lottery_ops = {
	.place = lottery_place,
	.unplace = pick_unplace_nothing,
	.insert = pick_insert,
	.erase = pick_erase,
	.requeue = pick_nothing,
	.charge = lottery_charge,
	.pick = lottery_pick,
	.set_next = share_set_next,
	.put_prev = pick_nothing,
	.tick = pick_no,
	.preempt = lottery_preempt,
	.yield = lottery_yield,
	.reweight = pick_reweight_nothing,
	.adopt = lottery_adopt,
	.fork = pick_fork_join,
};

const struct sched_policy pick_lottery = {
	.name = "lottery",
	.summary = "lottery scheduling: the winning ticket runs for one quantum",
	.doc = "At the end of each quantum a ticket is drawn; every task has as many as its weight. Shares "
	       "are right on average only, and a drawing looks at every runnable task. The draws come from "
	       "the CPU's own random stream, so a run repeats. Waldspurger and Weihl, 1994.",
	.slot = SLOT_PICK,
	.params = share_params,
	.ops = &lottery_ops,
};
