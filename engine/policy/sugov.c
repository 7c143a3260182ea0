/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sugov.c - utilisation of a CPU over all classes, and frequencies from it. See sugov.h.
 *
 * Simplified: no direct performance interface of drivers.
 */
#include "engine/policy/sugov.h"

#include "engine/sched/dl.h"
#include "engine/sched/features.h"
#include "engine/sched/util_est.h"

u64 sugov_effective_cpu_perf(u64 actual, u64 min, u64 max)
{
	actual = map_util_perf(actual);
	/* The upper clamp only counts when the request is above it; the lower one wins over it. */
	return max_u64(min, min_u64(actual, max));
}

u32 sugov_raw_khz(u64 ref_khz, u64 perf, u64 cap)
{
	return (u32)min_u64(ref_khz * perf / cap, ~0u);
}

u32 cpufreq_resolve(const struct opp *opps, u32 nr, u32 min_khz, u32 max_khz, u32 khz, u32 skip)
{
	u32 best = NONE;

	if (khz > max_khz)
		khz = max_khz;
	if (khz < min_khz)
		khz = min_khz;
	for (u32 i = 0; i < nr; i++) {
		if (opps[i].khz > max_khz)
			break;
		if (opps[i].khz < min_khz || (opps[i].em_flags & skip))
			continue;
		best = i;
		if (opps[i].khz >= khz)
			return i;
	}
	if (skip)
		return cpufreq_resolve(opps, nr, min_khz, max_khz, khz, 0);
	if (best != NONE)
		return best;
	/* No point lies within the limits: the lowest above, else the highest there is. */
	for (u32 i = 0; i < nr; i++) {
		if (opps[i].khz >= min_khz)
			return i;
	}
	return nr - 1;
}

bool uclamp_is_used(const struct sim *s)
{
	return sched_feat(s, UCLAMP_USED);
}

u64 uclamp_rq_util(const struct sim *s, const struct rq *rq, u64 util)
{
	if (!uclamp_is_used(s))
		return util;
	/* A minimum above the maximum wins: boosts of others do not cap. */
	if (rq->uclamp_min >= rq->uclamp_max)
		return rq->uclamp_min;
	return max_u64(rq->uclamp_min, min_u64(util, rq->uclamp_max));
}

static bool rt_runnable(const struct sim *s, const struct rq *rq)
{
	(void)s;
	return rq->rt_nr && !rq->rt_throttled;
}

/* What interrupts leave of @util: they take their share of the capacity first. */
static u64 scale_irq_capacity(u64 util, u64 irq, u64 max)
{
	return irq ? util * (max - irq) / max : util; /* most often none: spare the division */
}

u64 effective_cpu_util(const struct sim *s, cpu_id cpu, u64 util, u64 *min, u64 *max)
{
	const struct rq *rq = rq_get(s, cpu);
	u64 cap = rq->cpu_capacity_orig, irq = rq->avg_irq.util_avg;

	if (irq >= cap) {
		if (min)
			*min = cap;
		if (max)
			*max = cap;
		return cap;
	}
	if (min) {
		/* Deadline tasks need their bandwidth whatever they used of it lately. */
		*min = irq + dl_bw_util(rq);
		if (uclamp_is_used(s))
			*min = max_u64(*min, rq->uclamp_min);
		if (!uclamp_is_used(s) && rt_runnable(s, rq))
			*min = max_u64(*min, cap);
	}
	if (max)
		*max = uclamp_is_used(s) ? min_u64(cap, rq->uclamp_max) : cap;
	util += rq->avg_rt.util_avg + rq->avg_dl.util_avg;
	if (util >= cap)
		return cap;
	return min_u64(scale_irq_capacity(util, irq, cap) + irq, cap);
}

u64 effective_cpu_util_v6_1(const struct sim *s, cpu_id cpu, u64 util, bool freq)
{
	const struct rq *rq = rq_get(s, cpu);
	u64 cap = rq->cpu_capacity_orig, irq = rq->avg_irq.util_avg;

	if (freq && !uclamp_is_used(s) && rt_runnable(s, rq))
		return cap;
	if (irq >= cap)
		return cap;
	util += rq->avg_rt.util_avg;
	if (freq)
		util = uclamp_rq_util(s, rq, util);
	if (util + rq->avg_dl.util_avg >= cap)
		return cap;
	if (!freq)
		util += rq->avg_dl.util_avg;
	util = scale_irq_capacity(util, irq, cap) + irq;
	return min_u64(freq ? util + dl_bw_util(rq) : util, cap);
}

/* sugov_iowait_reset(): boosts do not outlive a tick without io. */
static bool iowait_expired(struct sugov_cpu *sg, u64 time, bool set, u64 tick)
{
	if ((s64)(time - sg->last_update) <= (s64)tick)
		return false;
	sg->iowait_boost = set ? IOWAIT_BOOST_MIN : 0;
	sg->iowait_boost_pending = set;
	return true;
}

void sugov_iowait_boost(struct sugov_cpu *sg, u64 time, u32 flags, u64 tick)
{
	bool set = flags & SCHED_CPUFREQ_IOWAIT;

	if (sg->iowait_boost && iowait_expired(sg, time, set, tick))
		return;
	/* Doubled once per update of the frequency, however many tasks wake. */
	if (!set || sg->iowait_boost_pending)
		return;
	sg->iowait_boost_pending = 1;
	if (sg->iowait_boost)
		sg->iowait_boost = (u32)min_u64(2 * sg->iowait_boost, SCHED_CAPACITY_SCALE);
	else
		sg->iowait_boost = IOWAIT_BOOST_MIN;
}

u64 sugov_iowait_apply(struct sugov_cpu *sg, u64 time, u64 max_cap, u64 tick)
{
	if (!sg->iowait_boost || iowait_expired(sg, time, false, tick))
		return 0;
	if (!sg->iowait_boost_pending) {
		/* No io since the last time: fade. */
		sg->iowait_boost /= 2;
		if (sg->iowait_boost < IOWAIT_BOOST_MIN) {
			sg->iowait_boost = 0;
			return 0;
		}
	}
	sg->iowait_boost_pending = 0;
	return cap_scale(sg->iowait_boost, max_cap);
}

void sugov_get_util(struct sim *s, cpu_id cpu, u64 boost)
{
	struct sugov_cpu *sg = &s->sugov[cpu];
	u64 cap = rq_get(s, cpu)->cpu_capacity_orig;

	if (sched_feat(s, HEADROOM_FIRST)) {
		u64 min, max, util = cpu_util_cfs_boost(s, cpu);

		util = effective_cpu_util(s, cpu, util, &min, &max);
		sg->bw_min = min;
		sg->util = sugov_effective_cpu_perf(max_u64(util, boost), min, max);
	} else {
		u64 util =
			effective_cpu_util_v6_1(s, cpu, min_u64(cpu_util_cfs(s, cpu), cap), true);

		sg->bw_min = dl_bw_util(rq_get(s, cpu));
		sg->util = max_u64(util, uclamp_rq_util(s, rq_get(s, cpu), boost));
	}
}

u64 sugov_rate_limit_us(const struct sim *s, u32 fd)
{
	u64 latency = s->fds[fd].transition_latency_us;

	if (s->g->tun.rate_limit_us != ~0ull)
		return s->g->tun.rate_limit_us;
	if (!latency)
		return NSEC_PER_MSEC / NSEC_PER_USEC;
	if (sched_feat(s, SUGOV_SHORT_LIMIT))
		return latency + (latency >> 1);
	return min_u64(1000 * latency, 10000);
}
