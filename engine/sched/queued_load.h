/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queued_load.h - the third average of v5.4: load of what is queued now, without what sleeps.
 *
 * Follows enqueue_runnable_load_avg(), dequeue_runnable_load_avg(), calc_group_runnable() and
 * __update_load_avg_cfs_rq() of kernel/sched/fair.c and pelt.c, Linux v5.4 (runnable_load_avg there).
 * Kept only with feature QUEUED_LOAD. Simplified: an entity's own value is derived from its load
 * average and its two weights, from which v5.4 keeps it equal up to rounding.
 */
#ifndef SG_ENGINE_SCHED_QUEUED_LOAD_H
#define SG_ENGINE_SCHED_QUEUED_LOAD_H

#include "engine/access.h"

/*
 * queued_load_add, queued_load_sub - entity @se, aged to now, is put on @q or taken from it. A change
 * of what a queued entity weighs or of its average stands between a sub and an add.
 */
void queued_load_add(struct sim *s, struct cfs_rq *q, se_id se);
void queued_load_sub(struct sim *s, struct cfs_rq *q, se_id se);

/* queued_load_age - @q was updated to @now, its average having stood at @last with @contrib. */
void queued_load_age(struct cfs_rq *q, u64 now, u64 last, u32 contrib);

/* queued_load_group - set what the entity @se of a group weighs here, by what is queued below it. */
void queued_load_group(struct sim *s, se_id se);

/*
 * cpu_queued_load - cpu_runnable_load() of v5.4, load of the tasks queued on @cpu; without feature
 * QUEUED_LOAD the load average, that of sleeping ones included.
 */
u64 cpu_queued_load(const struct sim *s, cpu_id cpu);

#endif
