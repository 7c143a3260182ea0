/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pelt.c - the geometric series. See pelt.h.
 *
 * Follows kernel/sched/pelt.c. Where the kernel decays each sum by itself, the three share one
 * factor here, and the closed form of the full periods comes from a table; the results are equal.
 */
#include "engine/sched/pelt.h"

#define UNIT_SHIFT 10 /* 1024 ns, about a microsecond */
#define PERIOD_UNITS 1024u

u64 decay_load(u64 val, u64 n)
{
	if (n > PELT_DECAY_END)
		return 0;
	return mul_u64_u32_shr(val >> (n / LOAD_AVG_PERIOD),
			       pelt_decay_inverse[n % LOAD_AVG_PERIOD], 32);
}

static inline u32 pelt_full(u64 periods)
{
	return pelt_full_periods[periods < PELT_FULL_PERIODS ? periods : PELT_FULL_PERIODS - 1];
}

u32 pelt_segments(u64 periods, u32 d1, u32 d3)
{
	return (u32)decay_load(d1, periods) + pelt_full(periods) + d3;
}

/*
 * The step of update_load_sum() when a period ended: decay everything by whole periods. Returns the
 * contribution of the time since the last update to a sum at the new place in the period.
 */
static inline u32 pelt_cross(struct sched_avg *sa, u64 periods, u32 rest)
{
	u32 first = PERIOD_UNITS - sa->period_contrib;
	unsigned shift = (unsigned)(periods / LOAD_AVG_PERIOD);
	u32 inv = pelt_decay_inverse[periods % LOAD_AVG_PERIOD];

	if (__builtin_expect(periods > PELT_DECAY_END, 0)) {
		sa->load_sum = 0;
		sa->runnable_sum = 0;
		sa->util_sum = 0;
		return pelt_full(periods) + rest;
	}
	sa->load_sum = mul_u64_u32_shr(sa->load_sum >> shift, inv, 32);
	sa->runnable_sum = mul_u64_u32_shr(sa->runnable_sum >> shift, inv, 32);
	/* Two 32-bit factors: the products have 64 bits. */
	sa->util_sum = (u32)(((u64)sa->util_sum >> shift) * inv >> 32);
	return (u32)(((u64)first >> shift) * inv >> 32) + pelt_full(periods) + rest;
}

static inline __attribute__((always_inline)) bool
pelt_accumulate(u64 now, struct sched_avg *sa, u64 load, u64 runnable, u32 running)
{
	u64 delta = now - sa->last_update_time;
	u64 units, total, periods;
	u32 contrib, rest;

	if (__builtin_expect((s64)delta < 0, 0)) {
		/* Clocks of two CPUs may differ after a migration. */
		sa->last_update_time = now;
		return false;
	}
	units = delta >> UNIT_SHIFT;
	if (!units)
		return false;
	sa->last_update_time += units << UNIT_SHIFT;
	total = units + sa->period_contrib;
	periods = total / PERIOD_UNITS;
	rest = (u32)total % PERIOD_UNITS;
	contrib = (u32)units;
	if (periods)
		contrib = pelt_cross(sa, periods, rest);
	sa->period_contrib = rest;
	if (load) {
		/* At most 2^27 (weights of a queue) * 47742 * 2^10: the load term has no 2^10. */
		sa->load_sum += load * contrib;
		sa->runnable_sum += (runnable * contrib) << SCHED_CAPACITY_SHIFT;
		/* 32 bits: 47742 << 10 is below 2^26. */
		if (running)
			sa->util_sum += contrib << SCHED_CAPACITY_SHIFT;
	}
	return periods != 0;
}

static inline __attribute__((always_inline)) void pelt_average(struct sched_avg *sa, u64 mult)
{
	u32 divider = get_pelt_divider(sa);

	sa->load_avg = mult * sa->load_sum / divider;
	sa->runnable_avg = sa->runnable_sum / divider;
	sa->util_avg = sa->util_sum / divider;
}

bool update_load_sum(u64 now, struct sched_avg *sa, u64 load, u64 runnable, u32 running)
{
	return pelt_accumulate(now, sa, load, runnable, running);
}

void update_load_avg_values(struct sched_avg *sa, u64 mult)
{
	pelt_average(sa, mult);
}

bool update_se(u64 now, struct sched_entity *se, bool running)
{
	if (!pelt_accumulate(now, &se->avg, se->on_rq, se_runnable(se), running))
		return false;
	pelt_average(&se->avg, se_weight(se));
	se->avg.util_est &= ~UTIL_AVG_UNCHANGED;
	return true;
}

bool update_se_blocked(u64 now, struct sched_entity *se)
{
	if (!pelt_accumulate(now, &se->avg, 0, 0, 0))
		return false;
	pelt_average(&se->avg, se_weight(se));
	return true;
}

bool update_cfs(u64 now, struct cfs_rq *q)
{
	if (!pelt_accumulate(now, &q->avg, scale_load_down(q->load.weight), q->h_nr_runnable,
			     q->curr != NONE))
		return false;
	pelt_average(&q->avg, 1);
	return true;
}

/*
 * An average of nothing, as those of other classes mostly are: only its time goes on. False: it is
 * not one. *@crossed as pelt_accumulate() returns it.
 */
static inline bool pelt_pass(u64 now, struct sched_avg *sa, bool *crossed)
{
	s64 delta = (s64)(now - sa->last_update_time);
	u64 total;

	if (sa->load_sum | sa->runnable_sum | sa->util_sum | sa->load_avg | sa->runnable_avg |
	    sa->util_avg)
		return false;
	*crossed = false;
	if (delta < 0) {
		sa->last_update_time = now;
	} else if (delta >> UNIT_SHIFT) {
		sa->last_update_time += (u64)delta >> UNIT_SHIFT << UNIT_SHIFT;
		total = ((u64)delta >> UNIT_SHIFT) + sa->period_contrib;
		*crossed = total >= PERIOD_UNITS;
		sa->period_contrib = (u32)total % PERIOD_UNITS;
	}
	return true;
}

bool update_rt(u64 now, struct rq *rq, u32 running)
{
	bool crossed;

	if (!running && pelt_pass(now, &rq->avg_rt, &crossed))
		return crossed;
	if (!pelt_accumulate(now, &rq->avg_rt, running, running, running))
		return false;
	pelt_average(&rq->avg_rt, 1);
	return true;
}

bool update_dl(u64 now, struct rq *rq, u32 running)
{
	bool crossed;

	if (!running && pelt_pass(now, &rq->avg_dl, &crossed))
		return crossed;
	if (!pelt_accumulate(now, &rq->avg_dl, running, running, running))
		return false;
	pelt_average(&rq->avg_dl, 1);
	return true;
}

bool update_hw(u64 now, struct rq *rq, u32 lost)
{
	bool crossed;

	if (!lost && pelt_pass(now, &rq->avg_hw, &crossed))
		return crossed;
	if (!pelt_accumulate(now, &rq->avg_hw, lost, lost, lost != 0))
		return false;
	pelt_average(&rq->avg_hw, 1);
	return true;
}

u32 update_irq(struct rq *rq, u64 running)
{
	bool before, within;

	if (!running && pelt_pass(rq->clock, &rq->avg_irq, &before))
		return before;
	/* Interrupt time is kept as work, like the rest: a slow CPU's counts less. */
	running = cap_scale(running, rq->freq_scale);
	running = cap_scale(running, rq->cpu_capacity_orig);
	/* The time itself is known to end now; that it was one piece is an approximation. */
	before = pelt_accumulate(rq->clock - running, &rq->avg_irq, 0, 0, 0);
	within = pelt_accumulate(rq->clock, &rq->avg_irq, 1, 1, 1);
	if (before || within)
		pelt_average(&rq->avg_irq, 1);
	return (u32)before + within;
}
