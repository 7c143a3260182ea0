/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline.h - the ordered entities of one queue: cfs_rq.timeline over sched_entity.run_node.
 *
 * Follows cfs_rq.tasks_timeline of kernel/sched/fair.c, Linux v6.12: ordered by a wrapping 64-bit
 * key, equal keys in order of insertion, every node augmented with the smallest vruntime of its
 * subtree. What the key is, the pick policy decides (sched_entity.key): a deadline, a vruntime, a
 * number of arrival. Between insert and erase key and vruntime of an entity must stay.
 */
#ifndef SG_ENGINE_SCHED_TIMELINE_H
#define SG_ENGINE_SCHED_TIMELINE_H

#include "engine/access.h"
#include "engine/sched/load.h"

static inline bool timeline_less(const struct sim *s, se_id a, se_id b)
{
	return (s64)(se_get(s, a)->key - se_get(s, b)->key) < 0;
}

/* Recompute the smallest vruntime below @id; whether it changed. */
static inline bool timeline_augment(const struct sim *s, se_id id)
{
	struct sched_entity *se = se_get(s, id);
	u64 old = se->min_vruntime;
	u64 min = se->vruntime;

	for (u32 dir = 0; dir < 2; dir++) {
		se_id c = se->run_node.child[dir];

		if (c == NONE)
			continue;

		u64 below = se_get(s, c)->min_vruntime;

		if ((s64)(below - min) < 0)
			min = below;
	}
	se->min_vruntime = min;
	return min != old;
}

#define TREE_NAME timeline_tree
#define TREE_CTX const struct sim *
#define TREE_NODE(s, id) (&se_get(s, id)->run_node)
#define TREE_LESS(s, a, b) timeline_less(s, a, b)
#define TREE_AUGMENT(s, id) timeline_augment(s, id)
#include "engine/base/tree_impl.h"

static inline void timeline_insert(const struct sim *s, struct cfs_rq *q, se_id id)
{
	timeline_tree_insert(s, &q->timeline, id);
}

static inline void timeline_erase(const struct sim *s, struct cfs_rq *q, se_id id)
{
	timeline_tree_erase(s, &q->timeline, id);
}

/* Entity with the smallest key, NONE if the tree is empty. */
static inline se_id timeline_first(const struct cfs_rq *q)
{
	return q->timeline.first;
}

static inline se_id timeline_next(const struct sim *s, se_id id)
{
	return timeline_tree_next(s, id);
}

/* for_each_timeline - @id over the tree of @q in order of keys. The tree must not change. */
#define for_each_timeline(s, q, id)                                                                \
	for (se_id id = timeline_first(q); id != NONE; id = timeline_next(s, id))

/* Current entity of @q while it is queued, else NULL. It is not in the tree. */
static inline struct sched_entity *queued_curr(const struct sim *s, const struct cfs_rq *q)
{
	if (q->curr == NONE)
		return NULL;

	struct sched_entity *curr = se_get(s, q->curr);

	return curr->on_rq ? curr : NULL;
}

/*
 * timeline_middle - where a policy that takes over @q lets its virtual time begin: the average
 * vruntime of what is queued, but behind no reference point that a sleeper may have been measured
 * against.
 */
static inline u64 timeline_middle(const struct sim *s, const struct cfs_rq *q)
{
	u64 zero = q->min_vruntime;
	const struct sched_entity *curr = queued_curr(s, q);
	s128 sum = 0;
	s64 weight = 0;

	if (curr) {
		sum += (s128)(s64)(curr->vruntime - zero) * (s64)se_weight(curr);
		weight += (s64)se_weight(curr);
	}
	for_each_timeline(s, q, id)
	{
		const struct sched_entity *se = se_get(s, id);

		sum += (s128)(s64)(se->vruntime - zero) * (s64)se_weight(se);
		weight += (s64)se_weight(se);
	}

	s64 ahead = weight ? (s64)(sum / weight) : (s64)(q->zero_vruntime - zero);

	return ahead > 0 ? zero + (u64)ahead : zero;
}

/*
 * timeline_rebuild - give every entity in the tree a new place: @move sets key and vruntime. They
 * are taken in the old order, which therefore decides among equal new keys.
 */
static inline void timeline_rebuild(struct sim *s, struct cfs_rq *q,
				    void (*move)(struct sim *s, struct cfs_rq *q, se_id id))
{
	struct tree_root old = q->timeline;

	tree_root_init(&q->timeline);
	for (se_id id = old.first; id != NONE; id = old.first) {
		timeline_tree_erase(s, &old, id);
		move(s, q, id);
		timeline_insert(s, q, id);
	}
}

#endif
