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

/* What the CPU asks of its domain's frequency. */
static u64 signal_perf(const struct sim *s, cpu_id cpu)
{
	u64 util, min, max;

	if (!sched_feat(s, HEADROOM_FIRST))
		return effective_cpu_util_v6_1(s, cpu, cpu_util_cfs(s, cpu), true);
	util = effective_cpu_util(s, cpu, cpu_util_cfs_boost(s, cpu), &min, &max);
	return sugov_effective_cpu_perf(util, min, max);
}

static u64 signal_busy(const struct sim *s, cpu_id cpu)
{
	u64 util = cpu_util_cfs(s, cpu);

	return sched_feat(s, HEADROOM_FIRST) ? effective_cpu_util(s, cpu, util, NULL, NULL)
					     : effective_cpu_util_v6_1(s, cpu, util, false);
}

static u64 peak_of(const struct sim *s, u32 fd)
{
	u64 peak = 0;

	for (cpu_id c = s->fds[fd].first_cpu; c < s->g->nr_cpus; c++)
		if (s->topo[c].fd == fd)
			peak = max_u64(peak, s->cpu_stats[c].signal_perf);
	return peak;
}

/* What the two are computed from; most calls find it unchanged. */
static bool signals_changed(struct sim *s, cpu_id cpu)
{
	const struct sched_avg *avg = &root_cfs(s, cpu)->avg;
	const struct rq *rq = &s->rqs[cpu];
	u64 *key = s->cpu_stats[cpu].signal_key;
	u64 util = max_u64(avg->util_avg, avg->util_est);
	u64 fair = util | max_u64(util, avg->runnable_avg) << 32;
	u64 rest = rq->avg_rt.util_avg ^ rq->avg_irq.util_avg << 16 ^ (u64)rq->uclamp_min << 32 ^
		   (u64)rq->uclamp_max << 48 ^ (u64)(rq->mode == CPU_OFFLINE) << 63;

	if (key[0] == fair && key[1] == rest)
		return false;
	key[0] = fair;
	key[1] = rest;
	return true;
}

void signal_energy_cpu(struct sim *s, cpu_id cpu)
{
	u32 fd = s->topo[cpu].fd;
	struct fd_stats *st = &s->fd_stats[fd];
	struct cpu_stats *cs = &s->cpu_stats[cpu];
	u64 busy, perf, old = cs->signal_perf;

	if (!signals_changed(s, cpu))
		return;
	/* What is left of the signals of a CPU that is offline is nobody's demand. */
	busy = s->rqs[cpu].mode == CPU_OFFLINE ? 0 : signal_busy(s, cpu);
	perf = s->rqs[cpu].mode == CPU_OFFLINE ? 0 : signal_perf(s, cpu);
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
