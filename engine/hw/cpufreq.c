/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpufreq.c - frequency domains: requests, transitions, and what changes with the frequency.
 *
 * Follows drivers/cpufreq/cpufreq.c and topology_set_freq_scale() of drivers/base/arch_topology.c,
 * Linux v6.12. Where a domain does not switch fast a kernel thread of deadline class does it: it runs
 * first on a CPU of the domain, as a step of the kernel, and transition_latency_us later the hardware
 * is there. Simplified: the thread's time counts as the interrupted task's; without costs there is
 * only the delay.
 */
#include "engine/hw/cpufreq.h"

#include "engine/base/cpumask.h"
#include "engine/observe/emit.h"
#include "engine/sched/costs.h"
#include "engine/sched/clock.h"
#include "engine/sched/domain.h"
#include "engine/sched/exec.h"
#include "engine/sched/pelt.h"
#include "engine/sched/release.h"
#include "engine/sched/signal_energy.h"

void cpufreq_update_util(struct sim *s, struct rq *rq, u32 flags)
{
	const struct sched_policy *pol = s->policy[SLOT_GOVERNOR];
	const struct governor_ops *ops = pol->ops;

	signal_energy_update(s, rq->cpu);
	if (ops->update && s->fds[s->topo[rq->cpu].fd].nr_cpus)
		ops->update(s, pol->priv, rq->cpu, flags);
}

static u32 opp_at_least(const struct sim *s, const struct freq_domain *fd, u32 khz)
{
	const struct opp *opps = &s->opps[fd->first_opp];
	u32 best = 0;

	/* Lowest at or above, else the highest within the limits. */
	for (u32 i = 0; i < fd->nr_opps; i++) {
		if (opps[i].khz > fd->max_khz && i)
			break;
		best = i;
		if (opps[i].khz >= khz && opps[i].khz >= fd->min_khz)
			break;
	}
	return best;
}

static void set_opp(struct sim *s, u32 id, u32 opp)
{
	struct freq_domain *fd = &s->fds[id];
	u32 old = fd->cur_khz;

	fd->target = opp;
	if (fd->cur == opp)
		return;
	/* Everything up to now was done and drawn at the old frequency. */
	for (cpu_id c = fd->first_cpu; c < s->g->nr_cpus; c++)
		if (s->topo[c].fd == id)
			cpu_account(s, &s->rqs[c]);
	fd_account(s, id);
	fd->cur = opp;
	fd->cur_khz = s->opps[fd->first_opp + opp].khz;
	fd->transitions++;
	trace(s, TR_cpu_frequency, fd->first_cpu, NONE, trace_pair(fd->cur_khz, id), old);

	u32 scale = (u32)(((u64)fd->cur_khz << SCHED_CAPACITY_SHIFT) / fd->ref_khz);

	for (cpu_id c = fd->first_cpu; c < s->g->nr_cpus; c++) {
		if (s->topo[c].fd != id)
			continue;
		s->rqs[c].freq_scale = scale;
		cpu_set_speed(s, c);
	}
}

void fd_account(struct sim *s, u32 id)
{
	struct freq_domain *fd = &s->fds[id];

	s->opp_stats[fd->first_stat + fd->cur].ns += s->g->now - fd->since;
	fd->since = s->g->now;
}

void cpufreq_switch_done(struct sim *s, u32 id)
{
	struct freq_domain *fd = &s->fds[id];

	fd->switch_at = NEVER;
	evq_set(&s->evq, s->src_fd + id, EVQ_NEVER);
	fd->work_in_progress = 0;
	set_opp(s, id, opp_at_least(s, fd, fd->next_freq));
}

/* The thread stays on the first CPU of the domain: bound to all of them, nothing makes it move. */
static cpu_id thread_cpu(const struct sim *s, const struct freq_domain *fd)
{
	cpu_id cpu = cpumask_first_and(mask_get(s, fd->cpus), mask_get(s, s->g->online),
				       s->g->mask_words);

	return cpu == NONE ? fd->first_cpu : cpu;
}

void cpufreq_thread(struct sim *s, u32 id)
{
	struct freq_domain *fd = &s->fds[id];

	fd->thread_woken = 0;
	fd->switch_at = s->g->now + fd->transition_latency_us * NSEC_PER_USEC;
	evq_set(&s->evq, s->src_fd + id, evq_key_of(fd->switch_at, EVC_FREQ));
}

void cpufreq_request(struct sim *s, u32 id, u32 khz)
{
	struct freq_domain *fd = &s->fds[id];

	fd->next_freq = khz;
	if (fd->fast_switch || !fd->transition_latency_us) {
		cpufreq_switch_done(s, id);
		return;
	}
	if (fd->switch_at != NEVER || fd->thread_woken)
		return; /* under way: it reads next_freq when it is there */
	fd->work_in_progress = 1;
	/* A domain whose CPUs are all offline has nobody to run the thread: a cap is obeyed anyway. */
	if (!freq_thread_work(s) || !fd->nr_cpus) {
		cpufreq_thread(s, id);
		return;
	}
	fd->thread_woken = 1;
	kthread_wake(s, &s->rqs[thread_cpu(s, fd)], s->g->this_cpu);
}

void cpufreq_set_limits(struct sim *s, u32 id, u32 min_khz, u32 max_khz)
{
	struct freq_domain *fd = &s->fds[id];
	const struct sched_policy *pol = s->policy[SLOT_GOVERNOR];
	const struct governor_ops *ops = pol->ops;
	u32 lowest = s->opps[fd->first_opp].khz, top = s->opps[fd->first_opp + fd->nr_opps - 1].khz;

	for (cpu_id c = fd->first_cpu; c < s->g->nr_cpus; c++) {
		if (s->topo[c].fd != id || lb_form(s)->cap_pressure != 1)
			continue;
		/* Up to now the old cap was felt. */
		update_rq_clock(s, &s->rqs[c]);
		update_hw(rq_clock_task(&s->rqs[c]), &s->rqs[c], hw_pressure_input(s, c));
	}
	fd->min_khz = min_khz ? min_khz : lowest;
	fd->max_khz = max_khz ? max_khz : top;
	if (fd->max_khz < lowest)
		fd->max_khz = lowest;
	if (fd->min_khz > fd->max_khz)
		fd->min_khz = fd->max_khz;
	fd->limits_changed = 1;
	/* A cap is obeyed at once, without waiting for the governor. */
	set_opp(s, id, opp_at_least(s, fd, fd->cur_khz < fd->min_khz ? fd->min_khz : fd->cur_khz));
	if (ops->start)
		ops->start(s, pol->priv, id);
}
