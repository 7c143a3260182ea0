/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nohz_global.c - idle balancing for CPUs whose tick is stopped, with one record for the machine.
 *
 * Follows nohz_balance_enter_idle(), nohz_balancer_kick(), find_new_ilb() and _nohz_idle_balance() of
 * kernel/sched/fair.c, Linux v6.12. Simplified: the kicked CPU does its round in the event of the
 * tick that kicked it; every CPU is a housekeeping CPU; no asymmetric packing.
 */
#include "engine/base/cpumask.h"
#include "engine/observe/emit.h"
#include "engine/policy/balance.h"
#include "engine/policy/policy.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/costs.h"
#include "engine/sched/domain.h"
#include "engine/sched/load_avg.h"

#define NOHZ_BALANCE_KICK 1u
#define NOHZ_STATS_KICK 2u
#define NOHZ_NEWILB_KICK 4u
#define NOHZ_NEXT_KICK 8u
#define NOHZ_KICK_MASK (NOHZ_BALANCE_KICK | NOHZ_STATS_KICK | NOHZ_NEXT_KICK)

#define BLOCKED_PERIOD_MS 32u /* of rounds that update blocked load */

static void set_llc_busy(struct sim *s, cpu_id cpu, bool busy)
{
	u32 llc = s->cpu_sd[cpu].llc_shared;

	if (llc != NONE)
		s->llcs[llc].nr_busy_cpus += busy ? 1u : ~0u;
}

static void nohz_enter(struct sim *s, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];
	struct globals *g = s->g;

	if (rq->mode == CPU_OFFLINE)
		return;
	rq->has_blocked_load = 1;
	if (!rq->nohz_tick_stopped) {
		if (s->cpu_sd[cpu].sd == NONE)
			return;
		rq->nohz_tick_stopped = 1;
		cpumask_set(s->nohz_mask, cpu);
		g->nohz_nr_cpus++;
		set_llc_busy(s, cpu, false);
		g->nohz_needs_update = 1;
	}
	g->nohz_has_blocked = 1;
}

static void nohz_exit(struct sim *s, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];

	if (!rq->nohz_tick_stopped)
		return;
	rq->nohz_tick_stopped = 0;
	cpumask_clear(s->nohz_mask, cpu);
	s->g->nohz_nr_cpus--;
	set_llc_busy(s, cpu, true);
}

/* Conditions for a full balance, in the kernel's order. */
static bool wants_balance(const struct sim *s, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];
	const struct cpu_sd *k = &s->cpu_sd[cpu];

	if (rq->nr_running >= 2)
		return true;
	if (k->sd != NONE && root_cfs(s, cpu)->h_nr_runnable && reduced_capacity(s, cpu, k->sd))
		return true;
	if (k->asym != NONE)
		return rq->misfit_task_load != 0;
	return k->llc_shared != NONE && s->llcs[k->llc_shared].nr_busy_cpus > 1;
}

/* First idle CPU of the mask: no distance, no depth. */
static cpu_id find_new_ilb(const struct sim *s, cpu_id cpu)
{
	for_each_cpu_mask(i, s->nohz_mask,
			  s->g->mask_words) if (i != cpu && idle_cpu(s, i)) return i;
	return NONE;
}

/* Tick on @cpu; returns the CPU that is to balance for the others, NONE. */
static cpu_id nohz_kick(struct sim *s, cpu_id cpu)
{
	struct globals *g = s->g;
	u64 now = sim_jiffies(s);
	u32 flags = 0;
	cpu_id ilb;

	if (s->rqs[cpu].idle_balance)
		return NONE;
	nohz_exit(s, cpu);
	if (!g->nohz_nr_cpus)
		return NONE;
	if (g->nohz_has_blocked && now > g->nohz_next_blocked)
		flags = NOHZ_STATS_KICK;
	if (now >= g->nohz_next_balance && wants_balance(s, cpu))
		flags = NOHZ_STATS_KICK | NOHZ_BALANCE_KICK;
	if (g->nohz_needs_update)
		flags |= NOHZ_NEXT_KICK;
	if (!flags)
		return NONE;
	if (flags & NOHZ_BALANCE_KICK)
		g->nohz_next_balance = now + 1;
	ilb = find_new_ilb(s, cpu);
	if (ilb == NONE || (s->rqs[ilb].nohz_flags & NOHZ_KICK_MASK))
		return NONE;
	s->rqs[ilb].nohz_flags |= flags;
	s->stats->nohz_kicks++;
	s->stats->nohz_kicks_balance += (flags & NOHZ_BALANCE_KICK) != 0;
	s->stats->nohz_kicks_stats += (flags & NOHZ_STATS_KICK) != 0;
	trace(s, TR_nohz_kick, cpu, NONE, trace_pair(ilb, flags), 0);
	return ilb;
}

/* update_nohz_stats(): does the CPU still have load to decay? */
static bool update_stats(struct sim *s, cpu_id cpu, cpu_id by)
{
	struct rq *rq = &s->rqs[cpu];

	if (!rq->has_blocked_load || !cpumask_test(s->nohz_mask, cpu))
		return false;
	if (sim_jiffies(s) <= rq->last_blocked_load_update_tick)
		return true;
	/* The round pays. */
	cost_owe(s, &s->rqs[by], PATH_ILB, cost_of_blocked(s, by, cpu));
	update_blocked_averages(s, cpu);
	return rq->has_blocked_load;
}

static void nohz_round(struct sim *s, cpu_id cpu, u32 flags)
{
	struct globals *g = s->g;
	u64 now = sim_jiffies(s), next = now + 60 * g->tun.hz;
	bool blocked = false, changed = false;
	u32 nr = g->nr_cpus;

	s->stats->ilb_runs++;
	s->cpu_stats[cpu].ilb_runs++;
	if (flags & NOHZ_STATS_KICK)
		g->nohz_has_blocked = 0;
	if (flags & NOHZ_NEXT_KICK)
		g->nohz_needs_update = 0;
	for_each_cpu_mask_wrap(i, s->nohz_mask, g->mask_words, cpu + 1 < nr ? cpu + 1 : 0)
	{
		struct rq *rq = &s->rqs[i];

		if (!idle_cpu(s, i))
			continue;
		/* Work has come for this CPU: others must wait. */
		if (!idle_cpu(s, cpu) && s->rqs[cpu].need_resched) {
			blocked |= flags & NOHZ_STATS_KICK;
			if (flags & NOHZ_NEXT_KICK)
				g->nohz_needs_update = 1;
			s->stats->ilb_aborted++;
			goto abort;
		}
		s->stats->ilb_remote_visits += s->topo[i].node != s->topo[cpu].node;
		if (flags & NOHZ_STATS_KICK)
			blocked |= update_stats(s, i, cpu);
		if (now >= rq->next_balance) {
			update_rq_clock(s, rq);
			if (flags & NOHZ_BALANCE_KICK)
				sched_balance_domains(s, i, cpu, CPU_IS_IDLE);
		}
		if (rq->next_balance < next) {
			next = rq->next_balance;
			changed = true;
		}
	}
	if (changed)
		g->nohz_next_balance = next;
	if (flags & NOHZ_STATS_KICK)
		g->nohz_next_blocked = now + (BLOCKED_PERIOD_MS * g->tun.hz + 999) / 1000;
abort:
	if (blocked)
		g->nohz_has_blocked = 1;
}

static void nohz_run(struct sim *s, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];
	u32 flags = rq->nohz_flags & NOHZ_KICK_MASK;

	rq->nohz_flags = 0;
	if (flags && idle_cpu(s, cpu))
		nohz_round(s, cpu, flags);
}

/* A newly idle pass pulled nothing: the idle loop is to update blocked load of others. */
static void nohz_newidle(struct sim *s, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];

	if (rq->avg_idle < s->g->tun.migration_cost || !s->g->nohz_has_blocked ||
	    sim_jiffies(s) < s->g->nohz_next_blocked)
		return;
	rq->nohz_flags |= NOHZ_NEWILB_KICK;
}

/* nohz_run_idle_balance(): start of the idle loop. */
static void nohz_idle(struct sim *s, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];
	u32 flags = rq->nohz_flags;

	rq->nohz_flags &= ~NOHZ_NEWILB_KICK;
	if (flags == NOHZ_NEWILB_KICK && !rq->need_resched)
		nohz_round(s, cpu, NOHZ_STATS_KICK);
}

static bool nohz_has_blocked(const struct sim *s, cpu_id cpu)
{
	(void)cpu;
	return s->g->nohz_has_blocked;
}

/* A newly idle pass of v5.4 did what a round would have: the next one is put off. */
static void nohz_walked(struct sim *s, cpu_id cpu, u32 sd)
{
	(void)cpu;
	for (u32 w = 0; w < s->g->mask_words; w++)
		if (s->nohz_mask[w] & ~sd_span(s, sd)[w])
			return;
	s->g->nohz_next_blocked = sim_jiffies(s) + (BLOCKED_PERIOD_MS * s->g->tun.hz + 999) / 1000;
}

static const struct nohz_ops nohz_global_ops = {
	.enter = nohz_enter,
	.exit = nohz_exit,
	.kick = nohz_kick,
	.run = nohz_run,
	.newidle = nohz_newidle,
	.idle = nohz_idle,
	.has_blocked = nohz_has_blocked,
	.walked = nohz_walked,
};

const struct sched_policy nohz_global = {
	.name = "global",
	.summary = "one mask of idle CPUs; busy ticks kick the first of them to balance for all",
	.doc = "nohz_balancer_kick() and _nohz_idle_balance(). A tick on a busy CPU that has more "
	       "than it can do, or that finds blocked load not updated for 32 ms, sends the first "
	       "idle CPU of the machine round all idle ones: averages are decayed, domains that are "
	       "due are balanced. Distance does not matter.",
	.slot = SLOT_NOHZ,
	.ops = &nohz_global_ops,
};

static const struct nohz_ops no_nohz = { .enter = NULL };

const struct sched_policy nohz_none = {
	.name = "none",
	.summary = "nobody balances for idle CPUs",
	.doc = "Idle CPUs with a stopped tick are left alone.",
	.slot = SLOT_NOHZ,
	.ops = &no_nohz,
};
