/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * governor_schedutil.c - the governor that follows the scheduler's signals.
 *
 * Follows kernel/sched/cpufreq_schedutil.c of v6.12, and of v6.1 where HEADROOM_FIRST is off:
 * sugov_update_single_freq(), sugov_update_shared(), get_next_freq(). Simplified: no direct
 * performance interface, any CPU may update any domain.
 */
#include "engine/hw/cpufreq.h"
#include "engine/hw/energy.h"
#include "engine/observe/emit.h"
#include "engine/sched/costs.h"
#include "engine/policy/sugov.h"
#include "engine/sched/dl.h"
#include "engine/sched/features.h"
#include "engine/sched/util_est.h"

static bool sugov_should_update(struct freq_domain *d, u64 time)
{
	if (d->limits_changed) {
		d->limits_changed = 0;
		d->need_freq_update = 1;
		return true;
	}
	return (s64)(time - d->last_freq_update_time) >= (s64)d->freq_update_delay_ns;
}

/* get_next_freq(): @util of @cap, headroom included in v6.12 and to be added in v6.1. */
static u32 sugov_next_freq(struct sim *s, u32 fd, u64 util, u64 cap, u32 *raw)
{
	struct freq_domain *d = &s->fds[fd];
	const struct opp *opps = &s->opps[d->first_opp];
	bool headroom_first = sched_feat(s, HEADROOM_FIRST);

	/* Frequency invariance is always there: the reference is never the present frequency. */
	u32 ref = sched_feat(s, SUGOV_REF_FREQ) ? d->ref_khz : opps[d->nr_opps - 1].khz;

	*raw = sugov_raw_khz(ref, headroom_first ? util : map_util_perf(util), cap);
	if (*raw == d->cached_raw_freq && !d->need_freq_update)
		return d->next_freq;
	d->cached_raw_freq = *raw;
	return opps[cpufreq_resolve(opps, d->nr_opps, d->min_khz, d->max_khz, *raw,
				    headroom_first ? EM_INEFFICIENT : EM_INEFFICIENT_V6_1)]
		.khz;
}

/* sugov_update_next_freq() and what follows it. */
static void sugov_commit(struct sim *s, u32 fd, cpu_id cpu, u64 time, u32 khz, u64 util, u32 raw)
{
	struct freq_domain *d = &s->fds[fd];

	/* Whoever changed the averages called the hook: a balancer may, for another CPU. */
	cpu_id by = s->g->this_cpu == NONE ? cpu : s->g->this_cpu;

	cost_owe(s, &s->rqs[by], PATH_SUGOV, cost_of_sugov(s, fd));
	d->need_freq_update = 0;
	if (d->next_freq == khz)
		return;
	d->next_freq = khz;
	d->last_freq_update_time = time;
	trace(s, TR_cpu_frequency_request, d->first_cpu, NONE, trace_pair(khz, fd),
	      trace_pair((u32)util, raw));
	if (!d->fast_switch) {
		/* The thread that is on its way will read next_freq. */
		if (d->work_in_progress)
			return;
		d->work_in_progress = 1;
	} else {
		cost_owe(s, &s->rqs[by], PATH_SUGOV, cost_ns(s, COST_freq_fast));
	}
	cpufreq_request(s, fd, khz);
}

/* Has the CPU not been idle since the last call? Then it may well need what it has. */
static bool sugov_hold_freq(struct sim *s, cpu_id cpu)
{
	struct sugov_cpu *sg = &s->sugov[cpu];
	const struct rq *rq = rq_get(s, cpu);

	/* A capped CPU is always busy: that is the point of the cap. */
	if (uclamp_is_used(s) && rq->uclamp_max < SCHED_CAPACITY_SCALE &&
	    cpu_util_cfs(s, cpu) + rq->avg_rt.util_avg >= rq->uclamp_max)
		return false;

	bool busy = rq->idle_calls == sg->saved_idle_calls;

	sg->saved_idle_calls = rq->idle_calls;
	return busy;
}

/* ignore_dl_rate_limit(): more bandwidth than was asked for last time does not wait. */
static void sugov_heed_deadlines(struct sim *s, cpu_id cpu, struct freq_domain *d)
{
	if (dl_bw_util(rq_get(s, cpu)) > s->sugov[cpu].bw_min)
		d->limits_changed = 1;
}

static void sugov_update_single(struct sim *s, cpu_id cpu, u64 time, u32 flags)
{
	u32 fd = s->topo[cpu].fd, raw, khz;
	struct freq_domain *d = &s->fds[fd];
	struct sugov_cpu *sg = &s->sugov[cpu];
	u64 cap = rq_get(s, cpu)->cpu_capacity_orig;
	u32 cached = d->cached_raw_freq;

	sugov_iowait_boost(sg, time, flags, tick_ns(s));
	sg->last_update = time;
	sugov_heed_deadlines(s, cpu, d);
	if (!sugov_should_update(d, time))
		return;
	sugov_get_util(s, cpu, sugov_iowait_apply(sg, time, cap, tick_ns(s)));
	khz = sugov_next_freq(s, fd, sg->util, cap, &raw);
	if (sugov_hold_freq(s, cpu) && khz < d->next_freq && !d->need_freq_update) {
		khz = d->next_freq;
		/* What was not granted must not count as already asked for. */
		d->cached_raw_freq = cached;
	}
	sugov_commit(s, fd, cpu, time, khz, sg->util, raw);
}

static void sugov_update_shared(struct sim *s, cpu_id cpu, u64 time, u32 flags)
{
	u32 fd = s->topo[cpu].fd, raw, khz;
	struct freq_domain *d = &s->fds[fd];
	struct sugov_cpu *sg = &s->sugov[cpu];
	u64 cap = rq_get(s, cpu)->cpu_capacity_orig, util = 0;

	sugov_iowait_boost(sg, time, flags, tick_ns(s));
	sg->last_update = time;
	sugov_heed_deadlines(s, cpu, d);
	if (!sugov_should_update(d, time))
		return;
	/* The CPU that needs most decides for all of the domain. */
	for (cpu_id c = d->first_cpu; c < s->g->nr_cpus; c++) {
		if (s->topo[c].fd != fd || s->rqs[c].mode == CPU_OFFLINE)
			continue;
		sugov_get_util(s, c, sugov_iowait_apply(&s->sugov[c], time, cap, tick_ns(s)));
		util = max_u64(util, s->sugov[c].util);
	}
	khz = sugov_next_freq(s, fd, util, cap, &raw);
	sugov_commit(s, fd, cpu, time, khz, util, raw);
}

static void sugov_update(struct sim *s, const void *priv, cpu_id cpu, u32 flags)
{
	u64 time = rq_get(s, cpu)->clock;

	(void)priv;
	if (s->fds[s->topo[cpu].fd].nr_cpus > 1)
		sugov_update_shared(s, cpu, time, flags);
	else
		sugov_update_single(s, cpu, time, flags);
}

/* sugov_start(): forget the past; the first update is let through. */
static void sugov_start(struct sim *s, const void *priv, u32 fd)
{
	struct freq_domain *d = &s->fds[fd];

	(void)priv;
	d->freq_update_delay_ns = sugov_rate_limit_us(s, fd) * NSEC_PER_USEC;
	d->last_freq_update_time = 0;
	d->cached_raw_freq = 0;
	d->limits_changed = 0;
	d->need_freq_update = 0;
	/* A change that is under way stays so: next_freq is what it will read. */
	if (!d->work_in_progress)
		d->next_freq = 0;
	for (cpu_id c = d->first_cpu; c < s->g->nr_cpus; c++) {
		if (s->topo[c].fd == fd)
			s->sugov[c] = (struct sugov_cpu){ 0 };
	}
}

static const struct governor_ops sugov_ops = {
	.update = sugov_update,
	.start = sugov_start,
};

const struct sched_policy governor_schedutil = {
	.name = "schedutil",
	.summary = "frequency follows the utilisation the scheduler sees",
	.doc = "The domain runs at the lowest point at which its busiest CPU would be 80 % busy: "
	       "utilisation of all classes, remembered utilisation, waiting time (v6.6 on), a boost for "
	       "tasks that waited for io, bounds by clamps. Changes are rate limited; a CPU that has "
	       "not been idle keeps its frequency. kernel/sched/cpufreq_schedutil.c.",
	.slot = SLOT_GOVERNOR,
	.ops = &sugov_ops,
};
