/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.c - advancing the clocks of a run queue. See clock.h.
 *
 * Simplified: no steal time, and one clock for all CPUs that never runs backwards.
 */
#include "engine/sched/clock.h"

#include "engine/observe/emit.h"
#include "engine/sched/features.h"
#include "engine/sched/pelt.h"

/* PELT time of an idle CPU is task time: nothing runs that could be slow. */
static void sync_idle_clock(struct rq *rq)
{
	rq->clock_pelt = rq->clock_task_mult;
	rq->clock_idle = rq->clock;
	rq->clock_pelt_idle = rq_clock_pelt(rq);
}

static void update_rq_clock_pelt(struct rq *rq, u64 delta)
{
	if (rq->curr == NONE) {
		sync_idle_clock(rq);
		return;
	}
	/* Both below 2^10, delta below 2^44 (4 hours without an update). */
	delta = cap_scale(delta, rq->cpu_capacity_orig);
	delta = cap_scale(delta, rq->freq_scale);
	rq->clock_pelt += delta;
}

void update_rq_clock(struct sim *s, struct rq *rq)
{
	u64 delta = s->g->now - rq->clock;

	if ((s64)delta <= 0)
		return;
	rq->clock += delta;

	u64 irq = 0;

	if (rq->irq_time != rq->prev_irq_time) {
		irq = rq->irq_time - rq->prev_irq_time;
		if (!sched_feat(s, IRQ_TIME)) {
			rq->prev_irq_time = rq->irq_time;
			irq = 0;
		}
		/* Time of an interrupt that began before the last update is folded in later. */
		if (irq > delta)
			irq = delta;
		rq->prev_irq_time += irq;
		delta -= irq;
	}
	rq->clock_task += delta;
	if (irq && sched_feat(s, NONTASK_CAPACITY) && update_irq(rq, irq))
		trace(s, TR_pelt_irq, rq->cpu, NONE,
		      trace_pair((u32)rq->avg_irq.load_avg, (u32)rq->avg_irq.runnable_avg),
		      rq->avg_irq.util_avg);
	delta <<= s->g->tun.pelt_shift;
	rq->clock_task_mult += delta;
	update_rq_clock_pelt(rq, delta);
}

bool rq_saturated(const struct sim *s, const struct rq *rq)
{
	/* 32 bits: three sums below 2^26. */
	u32 sum = root_cfs(s, rq->cpu)->avg.util_sum + rq->avg_rt.util_sum + rq->avg_dl.util_sum;

	return sum >= PELT_FULL_UTIL_SUM;
}

void update_idle_rq_clock_pelt(struct sim *s, struct rq *rq)
{
	/*
	 * A CPU that always had work would have had less to do at full speed, but no idle time
	 * either: the time it is behind is lost, not idle.
	 */
	if (rq_saturated(s, rq))
		rq->lost_idle_time += rq->clock_task_mult - rq->clock_pelt;
	sync_idle_clock(rq);
}
