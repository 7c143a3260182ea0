/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capacity.h - what a CPU can carry, who does not fit, and when the machine is overutilised.
 *
 * Follows fits_capacity(), util_fits_cpu(), update_misfit_status() and cpu_overutilized() of
 * kernel/sched/fair.c, Linux v6.12; of earlier releases where lb_form() (release.h) says so.
 */
#ifndef SG_ENGINE_SCHED_CAPACITY_H
#define SG_ENGINE_SCHED_CAPACITY_H

#include "engine/access.h"

/* fits_capacity - @util within 80 % of @cap. */
static inline bool fits_capacity(u64 util, u64 cap)
{
	return util * 1280 < cap * 1024;
}

/* capacity_greater - @a more than 5 % above @b. */
static inline bool capacity_greater(u64 a, u64 b)
{
	return a * 1024 > b * 1078;
}

/* capacity_of - what is left of the CPU for fair tasks, as of its last refresh. */
static inline u64 capacity_of(const struct sim *s, cpu_id cpu)
{
	return s->rqs[cpu].cpu_capacity;
}

/*
 * util_fits_cpu - the arithmetic alone: 1 fits, 0 does not, -1 fits but cannot give the boost @umin
 * asks for. @capacity: capacity_of(); @orig: architectural; @actual: that minus pressure; @uclamp:
 * whether clamps are in use at all.
 */
int util_fits(u64 util, u64 umin, u64 umax, u64 capacity, u64 orig, u64 actual, bool uclamp);

/* The same for a CPU of the simulation. */
int util_fits_cpu(const struct sim *s, u64 util, u64 umin, u64 umax, cpu_id cpu);

/* task_fits_cpu - > 0: the task's estimate fits the CPU. */
bool task_fits_cpu(const struct sim *s, task_id p, cpu_id cpu);

/* uclamp_task_util - the task's estimate within its clamps: v5.10 to v6.6 compare that. */
u64 uclamp_task_util(const struct sim *s, task_id p);

/* update_misfit_status - does the running task @p outgrow its CPU? Sets rq.misfit_task_load. */
void update_misfit_status(struct sim *s, struct rq *rq, task_id p);

bool cpu_overutilized(const struct sim *s, cpu_id cpu);

/* check_update_overutilized - raise the root domain's flag if @rq is overutilised. */
void check_update_overutilized(struct sim *s, struct rq *rq);

/* set_overutilized - set or clear the flag, with its event and statistics. */
void set_overutilized(struct sim *s, bool on);

/* eas_active - energy model, asymmetric capacities, no SMT, schedutil: EAS may place. */
bool eas_active(const struct sim *s);

#endif
