/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pelt.h - per-entity load tracking: geometric averages over periods of 1024 * 1024 ns that halve in
 * 32 periods.
 *
 * Follows kernel/sched/pelt.c and pelt.h; the arithmetic is the same in v6.1 and v6.12. Times are
 * PELT time (clock.h) in ns, except for interrupts, which use the CPU's wall clock. Everything is
 * integer arithmetic and the same to the last bit.
 */
#ifndef SG_ENGINE_SCHED_PELT_H
#define SG_ENGINE_SCHED_PELT_H

#include "engine/sched/load.h"
#include "engine/sched/pelt_table.h"
#include "engine/sim.h"

/* What sums are divided by: the largest they can be at this place in the period. */
static inline u32 get_pelt_divider(const struct sched_avg *sa)
{
	return PELT_MIN_DIVIDER + sa->period_contrib;
}

/* decay_load - @val decayed by @n periods; 0 from 2017 on. Even n = 0 loses up to 1. */
u64 decay_load(u64 val, u64 n);

/*
 * pelt_segments - contribution of time that crosses @periods (>= 1) period boundaries: @d1 units
 * of 1024 ns before the first of them, @d3 after the last.
 */
u32 pelt_segments(u64 periods, u32 d1, u32 d3);

/*
 * update_load_sum - accumulate up to @now (ns) with the inputs that held since the last update.
 * @load 0 switches the other two off. Returns whether a period ended: only then are averages
 * computed anew, by update_load_avg_values() with the load's multiplier @mult.
 * load * 47742 must stay below 2^64 and runnable below 2^16 or so: held by weights and task counts.
 */
bool update_load_sum(u64 now, struct sched_avg *sa, u64 load, u64 runnable, u32 running);
void update_load_avg_values(struct sched_avg *sa, u64 mult);

/* Both at once, as one call of each kernel function. All return whether averages were recomputed. */

/* A queued or sleeping entity; @running: it is its queue's current one. Clears "unchanged". */
bool update_se(u64 now, struct sched_entity *se, bool running);
/* A blocked entity: all inputs 0. Does not touch "unchanged". */
bool update_se_blocked(u64 now, struct sched_entity *se);
/* A fair queue from its weight, its tasks and whether it has a current entity. */
bool update_cfs(u64 now, struct cfs_rq *q);
/* Real-time and deadline tasks of a CPU: @running 0 or 1. */
bool update_rt(u64 now, struct rq *rq, u32 running);
bool update_dl(u64 now, struct rq *rq, u32 running);
/* Capacity lost to hardware limits, 0..1024; @now is clock_task. Read its load_avg. */
bool update_hw(u64 now, struct rq *rq, u32 lost);
/*
 * @running ns of interrupt time that end at the CPU's clock; scaled by frequency and capacity. Two
 * updates, before and within that time: returns how many of them recomputed averages.
 */
u32 update_irq(struct rq *rq, u64 running);

/* PELT now of a CPU, which all its queues share: rq_clock_pelt() of clock.h. */
static inline u64 pelt_now(const struct rq *rq)
{
	return rq->clock_pelt - rq->lost_idle_time;
}

/* Nothing left to decay: no sum of @sa is above 0. */
static inline bool load_avg_is_decayed(const struct sched_avg *sa)
{
	return !sa->load_sum && !sa->util_sum && !sa->runnable_sum;
}

/* What an entity adds to its own runnable sum: se_runnable() of kernel/sched/sched.h. */
static inline u64 se_runnable(const struct sched_entity *se)
{
	if (se->sched_delayed)
		return 0;
	return se->my_q == NONE ? se->on_rq : se->runnable_weight;
}

#endif
