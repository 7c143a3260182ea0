/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick_cfs.c - the completely fair scheduler: whoever had the least virtual time runs.
 *
 * Follows kernel/sched/fair.c of Linux v6.1 (stable 6.1.192): place_entity(), sched_slice(),
 * update_min_vruntime(), pick_next_entity(), check_preempt_tick(), check_preempt_wakeup(),
 * wakeup_preempt_entity(), the renormalisation in enqueue_entity(), dequeue_entity() and
 * migrate_task_rq_fair(). v5.4 to v5.13 are the same file with bits of features.def off
 * (ALT_PERIOD, BASE_SLICE, CFS_IDLE).
 *
 * Simplified: a queue counts as all idle-policy by its tasks (h_nr_idle), the kernel counts its
 * entities, which differs only where idle groups are nested; sched_yield() of a SCHED_BATCH task is
 * accounted at once rather than at the switch that follows.
 */
#include "engine/policy/pick_common.h"
#include "engine/sched/features.h"
#include "engine/sched/tunables.h"

static inline bool cfs_before(const struct sched_entity *a, const struct sched_entity *b)
{
	return (s64)(a->vruntime - b->vruntime) < 0;
}

static inline u64 cfs_later(u64 a, u64 b)
{
	return (s64)(a - b) > 0 ? a : b;
}

/* ---- slices ------------------------------------------------------------------------------- */

/* sched_nr_latency: tasks that share one latency with at least the minimum granularity each. */
static u64 cfs_nr_latency(const struct sim *s)
{
	const struct tunables *t = &s->g->tun;

	return t->min_granularity ? (t->sched_latency + t->min_granularity - 1) / t->min_granularity
				  : 1;
}

/* __sched_period(): the time in which everyone should run once. */
static u64 cfs_period(const struct sim *s, u64 nr)
{
	const struct tunables *t = &s->g->tun;

	if (nr > cfs_nr_latency(s))
		return nr * scaled_tunable(s, t->min_granularity);
	return scaled_tunable(s, t->sched_latency);
}

/* sched_slice(): the entity's part of the period, in wall time. */
static u64 cfs_slice(const struct sim *s, const struct cfs_rq *q, se_id id)
{
	const struct sched_entity *first = se_get(s, id);
	u64 nr = sched_feat(s, ALT_PERIOD) ? root_cfs(s, q->cpu)->h_nr_queued : q->nr_queued;
	u64 slice = cfs_period(s, nr + !first->on_rq);

	for (; id != NONE; id = parent_se(s, id)) {
		const struct sched_entity *se = se_get(s, id);
		struct cfs_rq *on = cfs_rq_of(s, id);
		struct load_weight with = on->load;

		if (se->on_rq) {
			/* The queue keeps the inverse that this computes. */
			slice = calc_delta(slice, se->load.weight, &on->load);
			continue;
		}
		update_load_add(&with, se->load.weight);
		slice = calc_delta(slice, se->load.weight, &with);
	}
	if (!sched_feat(s, BASE_SLICE))
		return slice;

	u64 least = scaled_tunable(s, s->g->tun.min_granularity);

	if (sched_feat(s, CFS_IDLE) && first->idle && q->h_nr_queued != q->h_nr_idle)
		least = s->g->tun.idle_min_granularity;
	return max_u64(slice, least);
}

/* ---- virtual time ------------------------------------------------------------------------- */

/* update_min_vruntime(): follows whoever is furthest behind, and never goes back. */
static void cfs_update_min(const struct sim *s, struct cfs_rq *q)
{
	const struct sched_entity *curr = queued_curr(s, q);
	se_id left = timeline_first(q);
	u64 v = q->min_vruntime;

	if (curr)
		v = curr->vruntime;
	if (left != NONE) {
		u64 first = se_get(s, left)->vruntime;

		if (!curr || (s64)(first - v) < 0)
			v = first;
	}
	q->min_vruntime = cfs_later(q->min_vruntime, v);
}

/* entity_is_long_sleeper(): asleep for so long that comparing virtual times could wrap. */
static bool cfs_long_sleeper(const struct sim *s, const struct cfs_rq *q,
			     const struct sched_entity *se)
{
	u64 now = s->rqs[q->cpu].clock_task;

	if (!sched_feat(s, CFS_IDLE) || !se->exec_start || now <= se->exec_start)
		return false;
	return now - se->exec_start > (1ull << 63) / scale_load_down(NICE_0_LOAD);
}

/* place_entity() */
static void cfs_place_at(const struct sim *s, const struct cfs_rq *q, se_id id, bool initial)
{
	struct sched_entity *se = se_get(s, id);
	u64 v = q->min_vruntime;

	if (initial) {
		if (sched_feat(s, START_DEBIT))
			v += calc_delta_fair(cfs_slice(s, q, id), se);
	} else {
		u64 credit = s->g->tun.sched_latency;

		if (se->idle && sched_feat(s, CFS_IDLE))
			credit = s->g->tun.min_granularity;
		credit = scaled_tunable(s, credit);
		if (sched_feat(s, GENTLE_FAIR_SLEEPERS))
			credit >>= 1;
		v -= credit;
	}
	se->vruntime = cfs_long_sleeper(s, q, se) ? v : cfs_later(se->vruntime, v);
}

static void cfs_place(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	struct sched_entity *se = se_get(s, id);

	/* Off a queue, what is not asleep there has its virtual time relative to it. */
	if (!(flags & ENQUEUE_WAKEUP) || (flags & ENQUEUE_MIGRATED))
		se->vruntime += q->min_vruntime;
	if (flags & ENQUEUE_WAKEUP)
		cfs_place_at(s, q, id, false);
	se->rel_deadline = 0;
}

static void cfs_unplace(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	(void)s;
	if (!(flags & DEQUEUE_SLEEP))
		se_get(s, id)->vruntime -= q->min_vruntime;
}

static void cfs_dequeued(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	(void)id;
	/* What comes back at once must not find that the queue went on without it. */
	if ((flags & DEQUEUE_SAVE) && !(flags & DEQUEUE_MIGRATING))
		return;
	cfs_update_min(s, q);
}

static void cfs_migrate(struct sim *s, struct cfs_rq *q, se_id id)
{
	se_get(s, id)->vruntime -= q->min_vruntime;
}

static void cfs_insert(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	se->key = se->vruntime;
	timeline_insert(s, q, id);
}

static bool cfs_charge(struct sim *s, struct cfs_rq *q, se_id id, u64 delta)
{
	struct sched_entity *curr = se_get(s, id);

	curr->vruntime += calc_delta_fair(delta, curr);
	cfs_update_min(s, q);
	return false;
}

static void cfs_fork(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	if (q->curr != NONE)
		se->vruntime = se_get(s, q->curr)->vruntime;
	cfs_place_at(s, q, id, true);
	se->vruntime -= q->min_vruntime;
	se->vlag = 0;
}

/* ---- choosing ----------------------------------------------------------------------------- */

/* wakeup_preempt_entity(): 1 = @se is behind @curr by more than the granularity, -1 = not at all. */
static int cfs_lead(const struct sim *s, const struct sched_entity *curr, struct sched_entity *se)
{
	s64 lead = (s64)(curr->vruntime - se->vruntime);

	if (lead <= 0)
		return -1;

	u64 gran = scaled_tunable(s, s->g->tun.wakeup_granularity);

	return lead > (s64)calc_delta_fair(gran, se) ? 1 : 0;
}

static se_id cfs_pick(struct sim *s, struct cfs_rq *q)
{
	const struct sched_entity *curr = queued_curr(s, q);
	se_id first = timeline_first(q);
	se_id left = first;

	if (left == NONE || (curr && cfs_before(curr, se_get(s, left))))
		left = curr ? q->curr : NONE;
	if (left == NONE || (q->skip == NONE && q->next == NONE && q->last == NONE))
		return left;

	struct sched_entity *leftmost = se_get(s, left);

	if (q->next != NONE && cfs_lead(s, se_get(s, q->next), leftmost) < 1)
		return q->next;
	if (q->last != NONE && cfs_lead(s, se_get(s, q->last), leftmost) < 1)
		return q->last;
	if (q->skip != left)
		return left;

	/* It yielded: take the next one if that is not too unfair. */
	se_id second = first;

	if (!curr || left != q->curr) {
		second = timeline_next(s, left);
		if (curr && (second == NONE || cfs_before(curr, se_get(s, second))))
			second = q->curr;
	}
	return second != NONE && cfs_lead(s, se_get(s, second), leftmost) < 1 ? second : left;
}

/* Buddies of @id, here and as far up as they stand: clear_buddies(). */
static void cfs_clear_buddies(struct sim *s, se_id id)
{
	bool more = true;

	for (; id != NONE && more; id = parent_se(s, id)) {
		struct cfs_rq *q = cfs_rq_of(s, id);

		more = false;
		if (q->last == id)
			q->last = NONE, more = true;
		if (q->next == id)
			q->next = NONE, more = true;
		if (q->skip == id)
			q->skip = NONE, more = true;
	}
}

/* check_preempt_tick() */
static bool cfs_tick(struct sim *s, struct cfs_rq *q, se_id id)
{
	const struct sched_entity *curr = se_get(s, id);
	u64 ideal = cfs_slice(s, q, id);
	u64 ran = curr->sum_exec_runtime - curr->prev_sum_exec_runtime;

	if (ran > ideal) {
		/* The buddies must not bring it back at once. */
		cfs_clear_buddies(s, id);
		return true;
	}
	/* A wake-up that was refused for the granularity is not granted earlier by a tick. */
	if (ran < scaled_tunable(s, s->g->tun.min_granularity) || timeline_first(q) == NONE)
		return false;

	s64 ahead = (s64)(curr->vruntime - se_get(s, timeline_first(q))->vruntime);

	return ahead > 0 && (u64)ahead > ideal;
}

enum cfs_buddy { CFS_NEXT, CFS_LAST };

/* set_next_buddy(), set_last_buddy(): at every level up to the root. */
static void cfs_set_buddy(struct sim *s, se_id id, enum cfs_buddy which)
{
	for (; id != NONE; id = parent_se(s, id)) {
		const struct sched_entity *se = se_get(s, id);
		struct cfs_rq *q = cfs_rq_of(s, id);

		if (!se->on_rq || se->idle)
			return;
		if (which == CFS_NEXT)
			q->next = id;
		else
			q->last = id;
	}
}

/* check_preempt_wakeup() */
static bool cfs_preempt(struct sim *s, struct cfs_rq *q, se_id curr, se_id wakee, u32 flags)
{
	if (flags & WF_IDLE_CURR)
		return true;

	bool crowded = q->nr_queued >= cfs_nr_latency(s);
	bool marked = sched_feat(s, NEXT_BUDDY) && crowded && !(flags & WF_FORK);

	if (marked)
		cfs_set_buddy(s, wakee, CFS_NEXT);
	if (cfs_lead(s, se_get(s, curr), se_get(s, wakee)) < 1)
		return false;
	if (!marked)
		cfs_set_buddy(s, wakee, CFS_NEXT);
	/* The preempted one has its cache still warm: it is the second choice. */
	if (sched_feat(s, LAST_BUDDY) && crowded && is_task_se(curr))
		cfs_set_buddy(s, curr, CFS_LAST);
	return true;
}

static void cfs_yield(struct sim *s, struct cfs_rq *q, se_id id)
{
	(void)q;
	for (; id != NONE; id = parent_se(s, id))
		cfs_rq_of(s, id)->skip = id;
}

/* ---- hand-over ---------------------------------------------------------------------------- */

static void cfs_adopt_entity(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	se->vruntime = q->min_vruntime;
	se->key = se->vruntime;
	se->vlag = 0;
	se->rel_deadline = 0;
}

static void cfs_adopt(struct sim *s, struct cfs_rq *q)
{
	q->min_vruntime = timeline_middle(s, q);
	q->next = q->last = q->skip = NONE;
	if (queued_curr(s, q))
		cfs_adopt_entity(s, q, q->curr);
	timeline_rebuild(s, q, cfs_adopt_entity);
}

static const struct pick_ops cfs_ops = {
	.place = cfs_place,
	.unplace = cfs_unplace,
	.dequeued = cfs_dequeued,
	.insert = cfs_insert,
	.erase = pick_erase,
	.requeue = pick_nothing, /* an entity that EEVDF left as delayed just goes on */
	.charge = cfs_charge,
	.pick = cfs_pick,
	.set_next = pick_nothing,
	.put_prev = pick_nothing,
	.tick = cfs_tick,
	.preempt = cfs_preempt,
	.yield = cfs_yield,
	.reweight = pick_reweight_nothing,
	.adopt = cfs_adopt,
	.migrate = cfs_migrate,
	.fork = cfs_fork,
};

const struct sched_policy pick_cfs = {
	.name = "cfs",
	.summary = "completely fair scheduler: least virtual time first (until v6.5)",
	.doc = "Every task's run time is divided by its weight; whoever has the least of this virtual time "
	       "runs, for its part of a latency of 6 ms (24 ms on 8 CPUs). A sleeper comes back at most "
	       "half a latency behind the others and preempts if that is more than a granularity. "
	       "Follows kernel/sched/fair.c, Linux v6.1; with other switches v5.4 to v5.13.",
	.slot = SLOT_PICK,
	.ops = &cfs_ops,
};
