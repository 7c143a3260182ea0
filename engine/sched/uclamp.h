/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uclamp.h - utilisation clamps: what a task asks for, and the strongest wish on a CPU.
 *
 * Follows uclamp_rq_inc_id(), uclamp_rq_dec_id() and uclamp_idle_value() of kernel/sched/core.c,
 * Linux v6.12, with its default of 5 buckets: a bucket keeps the largest value it saw until it
 * empties, so a CPU's clamp may stay above that of its tasks. Groups: cpu_util_update_eff().
 */
#ifndef SG_ENGINE_SCHED_UCLAMP_H
#define SG_ENGINE_SCHED_UCLAMP_H

#include "engine/access.h"

/* uclamp_rq_inc, uclamp_rq_dec - @p becomes or stops being runnable on @rq. */
void uclamp_rq_inc(struct sim *s, struct rq *rq, task_id p);
void uclamp_rq_dec(struct sim *s, struct rq *rq, task_id p);

/*
 * uclamp_restrict - what @p asks for within the clamps of its group: uclamp_tg_restrict(). The group
 * raises a lower clamp and lowers an upper one. Not while @p counts on a CPU.
 */
void uclamp_restrict(struct sim *s, task_id p);

/*
 * group_set_uclamp - clamps of group @tg, 0 .. 1024: cpu.uclamp.min and max. The groups in it have no
 * more than this, and a minimum no more than the maximum. At once for whoever is runnable.
 */
void group_set_uclamp(struct sim *s, u32 tg, u32 min, u32 max);

/* uclamp_set - new clamps for @p, 0 .. 1024; takes effect at once if it is runnable. */
void uclamp_set(struct sim *s, task_id p, u32 min, u32 max);

#endif
