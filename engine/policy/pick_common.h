/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick_common.h - what the pick policies beside EEVDF and CFS share.
 *
 * No counterpart in the kernel. The teaching policies do not need virtual time, but keep it going:
 * a queue's min_vruntime is the furthest that anyone on it got, and whoever joins stands there.
 * So a swap to CFS or EEVDF finds neither favourites nor sleepers far ahead of everyone.
 */
#ifndef SG_ENGINE_POLICY_PICK_COMMON_H
#define SG_ENGINE_POLICY_PICK_COMMON_H

#include "engine/access.h"
#include "engine/policy/policy.h"
#include "engine/sched/load.h"
#include "engine/sched/timeline.h"

/* Arrival number on a CPU; SCHED_IDLE stands behind all others. */
static inline u64 pick_arrival_key(struct sim *s, const struct cfs_rq *q,
				   const struct sched_entity *se)
{
	return ++s->rqs[q->cpu].policy_seq + ((u64)se->idle << 61);
}

/* The entity joins where the queue stands, owed nothing. */
static inline void pick_join(const struct cfs_rq *q, struct sched_entity *se)
{
	se->vruntime = q->min_vruntime;
	se->vlag = 0;
	se->rel_deadline = 0;
}

static inline void pick_advance(struct cfs_rq *q, struct sched_entity *curr, u64 delta)
{
	curr->vruntime += calc_delta_fair(delta, curr);
	if ((s64)(curr->vruntime - q->min_vruntime) > 0)
		q->min_vruntime = curr->vruntime;
}

/* Start of a hand-over: fields that other policies give a meaning to. */
static inline void pick_adopt_start(struct sim *s, struct cfs_rq *q)
{
	q->min_vruntime = timeline_middle(s, q);
	q->zero_vruntime = q->min_vruntime;
	q->next = q->last = q->skip = NONE;
}

/* Smallest key among the tree and the current entity, which wins a tie. NONE on an empty queue. */
static inline se_id pick_smallest_key(const struct sim *s, const struct cfs_rq *q)
{
	const struct sched_entity *curr = queued_curr(s, q);
	se_id first = timeline_first(q);

	if (!curr)
		return first;
	if (first == NONE)
		return q->curr;
	return (s64)(se_get(s, first)->key - curr->key) < 0 ? first : q->curr;
}

/* Members of struct pick_ops for policies that have nothing to do there. */

static inline void pick_unplace_nothing(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	(void)s, (void)q, (void)id, (void)flags;
}

static inline void pick_insert(struct sim *s, struct cfs_rq *q, se_id id)
{
	timeline_insert(s, q, id);
}

static inline void pick_erase(struct sim *s, struct cfs_rq *q, se_id id)
{
	timeline_erase(s, q, id);
}

static inline void pick_nothing(struct sim *s, struct cfs_rq *q, se_id id)
{
	(void)s, (void)q, (void)id;
}

static inline bool pick_no(struct sim *s, struct cfs_rq *q, se_id id)
{
	(void)s, (void)q, (void)id;
	return false;
}

/* Wakees wait their turn. */
static inline bool pick_preempt_idle_only(struct sim *s, struct cfs_rq *q, se_id curr, se_id wakee,
					  u32 flags)
{
	(void)s, (void)q, (void)curr, (void)wakee;
	return flags & WF_IDLE_CURR;
}

static inline void pick_reweight_nothing(struct sim *s, struct cfs_rq *q, se_id id, u64 weight)
{
	(void)s, (void)q, (void)id, (void)weight;
}

static inline void pick_fork_join(struct sim *s, struct cfs_rq *q, se_id id)
{
	pick_join(q, se_get(s, id));
}

#endif
