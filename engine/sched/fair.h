/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair.h - the fair class: what the core asks of it. Clocks must be up to date (clock.h) before
 * each call. Follows the fair_sched_class functions of kernel/sched/fair.c, Linux v6.12; the order
 * of entities in virtual time is the pick policy's (policy.h).
 */
#ifndef SG_ENGINE_SCHED_FAIR_H
#define SG_ENGINE_SCHED_FAIR_H

#include "engine/sim.h"

/* update_curr - charge the running entity of @q for the time since its last accounting. */
void update_curr(struct sim *s, struct cfs_rq *q);

/* enqueue_task_fair - @p joins @rq at every level of its group path. @flags: ENQUEUE_*. */
void enqueue_task_fair(struct sim *s, struct rq *rq, task_id p, u32 flags);

/*
 * dequeue_task_fair - @p leaves @rq. @flags: DEQUEUE_*. false: the pick policy keeps it queued as
 * delayed (DEQUEUE_SLEEP only); the task is asleep all the same.
 */
bool dequeue_task_fair(struct sim *s, struct rq *rq, task_id p, u32 flags);

/* pick_task_fair - the task to run next, NONE when no fair task is runnable. Changes no current. */
task_id pick_task_fair(struct sim *s, struct rq *rq);

/*
 * switch_fair - @prev stops and @next starts being the running fair task; either may be NONE.
 * Levels that both share are put back and set only once, as pick_next_task_fair() does.
 */
void switch_fair(struct sim *s, struct rq *rq, task_id prev, task_id next);

/* put_prev_task_fair, set_next_task_fair - the halves, at every level, as between classes. */
void put_prev_task_fair(struct sim *s, struct rq *rq, task_id prev);
void set_next_task_fair(struct sim *s, struct rq *rq, task_id next);

/* task_tick_fair - tick while @p runs; true = reschedule. */
bool task_tick_fair(struct sim *s, struct rq *rq, task_id p);

/* check_preempt_wakeup_fair - @p was just queued while @curr runs; true = reschedule. */
bool check_preempt_wakeup_fair(struct sim *s, struct rq *rq, task_id curr, task_id p, u32 flags);

/*
 * fair_dequeue_group, fair_enqueue_group - the entity @se of a group leaves its queue for want of run
 * time, or comes back: with the counts of all tasks below, up to where a queue stays throttled.
 */
void fair_dequeue_group(struct sim *s, struct rq *rq, se_id se);
void fair_enqueue_group(struct sim *s, struct rq *rq, se_id se);

/* yield_task_fair - the running task @p lets others go first. */
void yield_task_fair(struct sim *s, struct rq *rq, task_id p);

/* migrate_task_rq_fair - @p, asleep, is about to wake on another CPU: leave the old queue's sums. */
void migrate_task_rq_fair(struct sim *s, task_id p);

#endif
