/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - the clocks of a run queue: wall time, task time, PELT time.
 *
 * Follows kernel/sched/core.c (update_rq_clock(), update_rq_clock_task()) and kernel/sched/pelt.h
 * (update_rq_clock_pelt(), update_idle_rq_clock_pelt()), the same in v6.1 and v6.12. As in the
 * kernel a whole step is scaled by the capacity and frequency in force when it is made: a change of
 * frequency does not split it. Ours: tunables.pelt_shift makes PELT time run 2 or 4 times as fast,
 * which halves the half-life once or twice.
 */
#ifndef SG_ENGINE_SCHED_CLOCK_H
#define SG_ENGINE_SCHED_CLOCK_H

#include "engine/access.h"

/*
 * Where task and PELT time begin, a whole PELT period: an entity's last update at 0 would say that
 * it is attached nowhere.
 */
#define CLOCK_TASK_START (1ull << 20)

/* update_rq_clock - bring the clocks of @rq to now. */
void update_rq_clock(struct sim *s, struct rq *rq);

/*
 * update_idle_rq_clock_pelt - @rq is about to go idle, its previous task still counts as current:
 * what a slow CPU is behind is either caught up as idle time, or, if it had none, written off.
 */
void update_idle_rq_clock_pelt(struct sim *s, struct rq *rq);

static inline u64 rq_clock(const struct rq *rq)
{
	return rq->clock;
}

static inline u64 rq_clock_task(const struct rq *rq)
{
	return rq->clock_task;
}

/* PELT time of a CPU in ns. */
static inline u64 rq_clock_pelt(const struct rq *rq)
{
	return rq->clock_pelt - rq->lost_idle_time;
}

/* PELT time of a queue: its CPU's, less the time it stood while there was no run time (bandwidth.h). */
static inline u64 cfs_rq_clock_pelt(const struct sim *s, const struct cfs_rq *q)
{
	u64 now = rq_clock_pelt(rq_of(s, q));

	if (__builtin_expect(q->clock_stopped, 0))
		return (q->throttle_count ? q->throttled_clock_pelt : now) - q->throttled_pelt_time;
	return now;
}

/*
 * rq_saturated - has the CPU had no idle time within the memory of its averages? The test of the
 * going-idle rule, also used by the util_est rule "idle-aware".
 */
bool rq_saturated(const struct sim *s, const struct rq *rq);

#endif
