/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * access.h - from ids to objects: entities, queues, CPUs, masks, and the loop over parents.
 *
 * The kernel follows pointers (kernel/sched/fair.c: cfs_rq_of(), group_cfs_rq(), task_of(),
 * for_each_sched_entity()); here an id is looked up in a pool. A pointer is good for one event.
 */
#ifndef SG_ENGINE_ACCESS_H
#define SG_ENGINE_ACCESS_H

#include "engine/sim.h"

#define SE_GROUP 0x80000000u

static inline bool is_task_se(se_id se)
{
	return !(se & SE_GROUP);
}

/* se_get - entity @se, which must not be NONE. */
static inline struct sched_entity *se_get(const struct sim *s, se_id se)
{
	return se & SE_GROUP ? &s->group_se[se & ~SE_GROUP] : &s->task_se[se];
}

static inline struct cfs_rq *cfs_get(const struct sim *s, cfs_id q)
{
	return &s->cfs_rqs[q];
}

static inline struct rq *rq_get(const struct sim *s, cpu_id cpu)
{
	return &s->rqs[cpu];
}

/* The queue of a CPU itself: task group 0. */
static inline struct cfs_rq *root_cfs(const struct sim *s, cpu_id cpu)
{
	return &s->cfs_rqs[cpu];
}

static inline cfs_id cfs_id_of(const struct sim *s, const struct cfs_rq *q)
{
	return (cfs_id)(q - s->cfs_rqs);
}

static inline struct rq *rq_of(const struct sim *s, const struct cfs_rq *q)
{
	return &s->rqs[q->cpu];
}

static inline cfs_id tg_cfs_id(const struct sim *s, u32 tg, cpu_id cpu)
{
	return tg * s->g->nr_cpus + cpu;
}

static inline struct cfs_rq *tg_cfs(const struct sim *s, u32 tg, cpu_id cpu)
{
	return &s->cfs_rqs[tg_cfs_id(s, tg, cpu)];
}

/* Entity that stands for a group's queue on the parent's queue; NONE for a root queue. */
static inline se_id cfs_se_id(const struct sim *s, const struct cfs_rq *q)
{
	return q->tg ? SE_GROUP | cfs_id_of(s, q) : NONE;
}

/* cfs_rq_is_idle - the queue of an idle group: all its tasks count as idle outside of it. */
static inline bool cfs_rq_is_idle(const struct sim *s, const struct cfs_rq *q)
{
	return q->tg && s->group_se[cfs_id_of(s, q)].idle;
}

/* Queue that @se is or was last queued on. */
static inline struct cfs_rq *cfs_rq_of(const struct sim *s, se_id se)
{
	return &s->cfs_rqs[se_get(s, se)->cfs_rq];
}

/* Queue that the group entity @se stands for, NULL for a task. */
static inline struct cfs_rq *group_cfs_rq(const struct sim *s, se_id se)
{
	return is_task_se(se) ? NULL : &s->cfs_rqs[s->group_se[se & ~SE_GROUP].my_q];
}

static inline se_id parent_se(const struct sim *s, se_id se)
{
	return se_get(s, se)->parent;
}

/* for_each_sched_entity - @se, a se_id variable, climbs from where it is to the root. */
#define for_each_sched_entity(s, se) for (; (se) != NONE; (se) = parent_se(s, se))

static inline const u64 *mask_get(const struct sim *s, mask_id mask)
{
	return s->mask_words + (size_t)mask * s->g->mask_words;
}

static inline bool mask_has_cpu(const struct sim *s, mask_id mask, cpu_id cpu)
{
	return mask_get(s, mask)[cpu / 64] >> (cpu % 64) & 1;
}

/* Number of the jiffy that @t lies in; jiffy n begins at floor(n * 10^9 / HZ) ns. */
static inline u64 jiffies_at(const struct sim *s, ktime_ns t)
{
	u64 hz = s->g->tun.hz;

	if (t < ~0ull / 1024 && hz <= 1000)
		return ((t + 1) * hz - 1) / NSEC_PER_SEC;
	return (u64)(((u128)(t + 1) * hz - 1) / NSEC_PER_SEC);
}

static inline u64 sim_jiffies(const struct sim *s)
{
	return jiffies_at(s, s->g->now);
}

static inline u64 tick_ns(const struct sim *s)
{
	return NSEC_PER_SEC / s->g->tun.hz;
}

#endif
