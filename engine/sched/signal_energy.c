/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * signal_energy.c - energy as the scheduler's signals tell it. See signal_energy.h.
 */
#include "engine/sched/signal_energy.h"

#include "engine/access.h"
#include "engine/hw/energy.h"
#include "engine/policy/sugov.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"
#include "engine/sched/util_est.h"

/* What the fair class has on a CPU: cpu_util() with no task to place, without and with boost. */
struct fair_signals {
	u64 util, boosted;
};

static struct fair_signals fair_signals(const struct sim *s, cpu_id cpu)
{
	const struct sched_avg *avg = &root_cfs(s, cpu)->avg;
	u64 cap = s->rqs[cpu].cpu_capacity_orig;
	u64 util = max_u64(avg->util_avg, sched_feat(s, UTIL_EST) ? avg->util_est : 0);
	u64 boosted = max_u64(util, sched_feat(s, UTIL_BOOST) ? avg->runnable_avg : 0);

	return (struct fair_signals){ min_u64(util, cap), min_u64(boosted, cap) };
}

/* What the CPU asks of its domain's frequency. */
static u64 signal_perf(const struct sim *s, cpu_id cpu, struct fair_signals fair)
{
	u64 util, min, max;

	if (!sched_feat(s, HEADROOM_FIRST))
		return effective_cpu_util_v6_1(s, cpu, fair.util, true);
	util = effective_cpu_util(s, cpu, fair.boosted, &min, &max);
	return sugov_effective_cpu_perf(util, min, max);
}

static u64 signal_busy(const struct sim *s, cpu_id cpu, struct fair_signals fair)
{
	return sched_feat(s, HEADROOM_FIRST) ? effective_cpu_util(s, cpu, fair.util, NULL, NULL)
					     : effective_cpu_util_v6_1(s, cpu, fair.util, false);
}

static u64 peak_of(const struct sim *s, u32 fd)
{
	u64 peak = 0;

	for (cpu_id c = s->fds[fd].first_cpu; c < s->g->nr_cpus; c++)
		if (s->topo[c].fd == fd)
			peak = max_u64(peak, s->cpu_stats[c].signal_perf);
	return peak;
}

/* Are the figures that all comes from others than last time? Most calls find them unchanged. */
static bool signals_changed(struct sim *s, cpu_id cpu, struct fair_signals fair)
{
	const struct rq *rq = &s->rqs[cpu];
	u64 *key = s->cpu_stats[cpu].signal_key;
	bool offline = rq->mode == CPU_OFFLINE;
	/* Utilisations are below 2^11 each, clamps too. */
	u64 all = fair.util | fair.boosted << 12 | rq->avg_rt.util_avg << 24 |
		  rq->avg_dl.util_avg << 36 | rq->avg_irq.util_avg << 48 | (u64)offline << 62 |
		  (u64)(rq->rt_nr && !rq->rt_throttled) << 63;
	u64 limits = (u64)rq->uclamp_min | (u64)rq->uclamp_max << 12 | rq->dl_running_bw << 24;

	if (key[0] == all && key[1] == limits)
		return false;
	key[0] = all;
	key[1] = limits;
	return true;
}

void signal_energy_cpu(struct sim *s, cpu_id cpu)
{
	u32 fd = s->topo[cpu].fd;
	struct fd_stats *st = &s->fd_stats[fd];
	struct cpu_stats *cs = &s->cpu_stats[cpu];
	struct fair_signals fair = fair_signals(s, cpu);
	u64 busy = 0, perf = 0, old = cs->signal_perf;

	if (!signals_changed(s, cpu, fair))
		return;
	/* What is left of the signals of a CPU that is offline is nobody's demand. */
	if (s->rqs[cpu].mode != CPU_OFFLINE) {
		busy = signal_busy(s, cpu, fair);
		perf = signal_perf(s, cpu, fair);
	}
	if (busy == cs->signal_busy && perf == old)
		return;

	u128 sum = ((u128)st->energy_hi << 64 | st->energy_lo) +
		   (u128)st->power_uw * (s->g->now - st->since);
	u64 cap = actual_cpu_capacity(s, s->fds[fd].first_cpu);

	st->energy_lo = (u64)sum;
	st->energy_hi = (u64)(sum >> 64);
	st->since = s->g->now;
	st->busy += busy - cs->signal_busy;
	cs->signal_busy = busy;
	cs->signal_perf = perf;
	if (perf >= st->peak)
		st->peak = perf;
	else if (old == st->peak)
		st->peak = peak_of(s, fd);
	st->power_uw = em_cpu_energy(s, fd, min_u64(st->peak, cap),
				     min_u64(st->busy, cap * s->fds[fd].nr_cpus), cap);
	/* Costs of v6.12 have another digit. */
	if (sched_feat(s, EM_PERFORMANCE))
		st->power_uw /= 10;
}
