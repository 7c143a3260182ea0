/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dl.h - SCHED_DEADLINE: reservations, their admission, and what the core must know of them.
 */
#ifndef SG_ENGINE_SCHED_DL_H
#define SG_ENGINE_SCHED_DL_H

#include "engine/sim.h"

#define DL_BW_SHIFT 20 /* 2^20 = a whole CPU */
#define DL_RUNTIME_MIN 1024ull /* ns */
#define DL_PERIOD_MIN (100 * NSEC_PER_USEC)
#define DL_PERIOD_MAX (4194304 * NSEC_PER_USEC)

/*
 * dl_params_check - what the kernel takes: runtime <= deadline <= period, the period in 100 us .. 4.19 s.
 * @who: for the message. A deadline of 0 is the period, a period of 0 the deadline: filled in.
 */
int dl_params_check(struct dl_params *dl, const char *who, struct err *err);

/* dl_bandwidth - runtime / period, 2^20 = a whole CPU. */
static inline u64 dl_bandwidth(u64 runtime, u64 period)
{
	return period ? (runtime << DL_BW_SHIFT) / period : 0;
}

/*
 * dl_admits - may bandwidth @more be added to what is admitted, less @less? At most rt_runtime_us /
 * rt_period_us of the capacity of the online CPUs. 0, or -1 with @err that says how much is left.
 */
int dl_admits(const struct sim *s, u64 more, u64 less, struct err *err);

/* dl_spares_cpu - do the other CPUs keep what was admitted when @cpu goes offline? 0, or -1 with @err. */
int dl_spares_cpu(const struct sim *s, cpu_id cpu, struct err *err);

/*
 * dl_rq_offline - throttled tasks wait for their budget elsewhere: dl_task_offline_migration(). Those
 * that can run have left.
 */
void dl_rq_offline(struct sim *s, struct rq *rq);

/* dl_may_join - is @p, in another class or with another reservation, admitted with @dl? */
int dl_may_join(const struct sim *s, task_id p, const struct dl_params *dl, struct err *err);

/* dl_set_params - give @p, which is on no queue, the reservation and count its bandwidth. */
void dl_set_params(struct sim *s, task_id p, const struct dl_params *dl);

/* dl_leave - @p leaves the class, or ends: nothing of its reservation remains. Not queued. */
void dl_leave(struct sim *s, task_id p);

/* dl_replenish_timer - what the task @p waits for is due: a budget, or the end of its bandwidth. */
void dl_replenish_timer(struct sim *s, struct rq *rq, task_id p);

/* dl_bw_util - the bandwidth reserved on @rq as utilisation, 1024 = a whole CPU: cpu_bw_dl(). */
static inline u64 dl_bw_util(const struct rq *rq)
{
	return (rq->dl_running_bw * SCHED_CAPACITY_SCALE) >> DL_BW_SHIFT;
}

#endif
