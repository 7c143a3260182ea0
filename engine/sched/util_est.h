/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * util_est.h - the remembered utilisation of tasks and the utilisation of a CPU that follows.
 *
 * Follows kernel/sched/fair.c: util_est_enqueue(), util_est_dequeue(), cpu_util(). How the value is
 * updated when a task goes to sleep is a policy slot (engine/policy/util_est_*.c). All values are on
 * the capacity scale 0..1024.
 */
#ifndef SG_ENGINE_SCHED_UTIL_EST_H
#define SG_ENGINE_SCHED_UTIL_EST_H

#include "engine/access.h"
#include "engine/sched/features.h"

#define UTIL_EST_MARGIN (SCHED_CAPACITY_SCALE / 100) /* 10: differences below it do not count */
#define UTIL_EST_WEIGHT_SHIFT 2 /* a new sample counts 1/4 */

/* The sum of the CPU's root queue gains or loses the task's stored part. */
void util_est_enqueue(struct sim *s, struct rq *rq, task_id p);
void util_est_dequeue(struct sim *s, struct rq *rq, task_id p);

/* util_est_update - the task goes to sleep: ask the policy. Counts and traces. */
void util_est_update(struct sim *s, task_id p);

/* util_est_recount - make all sums anew: the rule, or whether there is one at all, has changed. */
void util_est_recount(struct sim *s);

/* _task_util_est - the stored part; task_util_est - not below the present utilisation. */
u32 _task_util_est(const struct sim *s, task_id p);
u64 task_util_est(const struct sim *s, task_id p);

/*
 * cpu_util - utilisation of @cpu if task @p (NONE = no task) were on @dst_cpu (NONE = nowhere).
 * @boost: not below runnable (v6.6 on). At most the CPU's capacity.
 */
u64 cpu_util(const struct sim *s, cpu_id cpu, task_id p, cpu_id dst_cpu, bool boost);

/* cpu_util_cfs, cpu_util_cfs_boost - cpu_util() with no task, of which little is left to do. */
static inline u64 cpu_util_cfs(const struct sim *s, cpu_id cpu)
{
	const struct sched_avg *avg = &root_cfs(s, cpu)->avg;
	u64 util = max_u64(avg->util_avg, sched_feat(s, UTIL_EST) ? avg->util_est : 0);

	return min_u64(util, s->rqs[cpu].cpu_capacity_orig);
}

static inline u64 cpu_util_cfs_boost(const struct sim *s, cpu_id cpu)
{
	u64 runnable = sched_feat(s, UTIL_BOOST) ? root_cfs(s, cpu)->avg.runnable_avg : 0;

	return max_u64(cpu_util_cfs(s, cpu), min_u64(runnable, s->rqs[cpu].cpu_capacity_orig));
}

#endif
