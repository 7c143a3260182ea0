/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load_avg.h - the averages of entities and queues kept in step: ageing, attaching, detaching,
 * changing weights, propagating through groups, decaying idle CPUs.
 *
 * Follows kernel/sched/fair.c of v6.12: update_load_avg(), attach_entity_load_avg() and relatives.
 * What v6.1 did otherwise hangs on bits of features.def. Every function expects the clock of the
 * run queue up to date (update_rq_clock()) unless it says that it does that.
 */
#ifndef SG_ENGINE_SCHED_LOAD_AVG_H
#define SG_ENGINE_SCHED_LOAD_AVG_H

#include "engine/access.h"

/* flags of update_load_avg() */
#define UPDATE_TG 1u /* carry a change to the task group's total */
#define SKIP_AGE_LOAD 2u /* do not age the entity itself */
#define DO_ATTACH 4u /* attach it if it is attached nowhere */
#define DO_DETACH 8u

/*
 * update_load_avg - age @se and its queue @q to now, take in what left the queue, carry changes of
 * a group's queue to its entity, attach or detach. Calls the cpufreq hook for a root queue.
 */
void update_load_avg(struct sim *s, struct cfs_rq *q, se_id se, u32 flags);

/*
 * update_cfs_rq_load_avg - take removed averages off @q and age it to @now (PELT ns). Returns
 * whether its averages changed.
 */
bool update_cfs_rq_load_avg(struct sim *s, u64 now, struct cfs_rq *q);

/* Add @se to or take it from the averages of @q, both up to date. They call the cpufreq hook. */
void attach_entity_load_avg(struct sim *s, struct cfs_rq *q, se_id se);
void detach_entity_load_avg(struct sim *s, struct cfs_rq *q, se_id se);
/* A sleeping entity leaves its queue, whose owner takes it off at its next update. */
void remove_entity_load_avg(struct sim *s, se_id se);

/* Age @se to the last update of its queue, as blocked. */
void sync_entity_load_avg(struct sim *s, se_id se);

/*
 * propagate_entity_load_avg - @se is a group's entity: carry what was attached to or detached from
 * the group's queue up to the entity and its queue. Returns whether there was anything.
 */
bool propagate_entity_load_avg(struct sim *s, se_id se);

/* Carry the load of a group's queue to the group's total, if it changed enough. */
void update_tg_load_avg(struct sim *s, struct cfs_rq *q);

/*
 * attach_entity_cfs_rq, detach_entity_cfs_rq - a sleeping or queued entity joins or leaves its
 * queue for good (a task changes group, a group is made): averages, total, all parents.
 */
void attach_entity_cfs_rq(struct sim *s, se_id se);
void detach_entity_cfs_rq(struct sim *s, se_id se);

/* A new entity: all 0, but a task starts with the load of its weight. */
void init_entity_runnable_average(struct sim *s, se_id se);
/* A new task on the CPU chosen for it, before its first enqueue: first guess of its utilisation. */
void post_init_entity_util_avg(struct sim *s, task_id p);

/*
 * migrate_se_pelt_lag - @se wakes on another CPU after remove_entity_load_avg(): if its old CPU is
 * idle, and so has not moved its clock, decay the entity by the time since.
 */
void migrate_se_pelt_lag(struct sim *s, se_id se);

/*
 * reweight_entity - give @se on queue @q the weight @weight (full resolution): averages, the
 * queue's total, and its place in virtual time through the pick policy. update_load_avg() must have
 * run before, except for group entities in update_cfs_group().
 */
void reweight_entity(struct sim *s, struct cfs_rq *q, se_id se, u64 weight);
/* reweight_task - the same for a task's nice value or SCHED_IDLE, with its stored inverse. */
void reweight_task(struct sim *s, task_id p, s8 nice, bool idle);

/* cfs_rq_is_decayed - nothing queued, nothing left of its averages: it needs no more updates. */
bool cfs_rq_is_decayed(const struct sim *s, const struct cfs_rq *q);

/* task_h_load - the task's load as seen from the root queue; as of this jiffy. */
u64 task_h_load(struct sim *s, task_id p);

/*
 * update_blocked_averages - decay everything on @cpu, with clock update: what the balancer and the
 * idle load balancer call. Empty group queues leave the CPU's list. Returns the queues visited.
 */
u32 update_blocked_averages(struct sim *s, cpu_id cpu);

#endif
