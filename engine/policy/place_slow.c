/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_slow.c - where new and exec'ing tasks go: idlest group, then idlest CPU, domain by domain.
 *
 * Follows sched_balance_find_dst_cpu() of kernel/sched/fair.c, Linux v6.12 (find_idlest_cpu() before
 * v6.12; the same rules from v5.10 on but for place_form(); v5.4 in place_slow_v5_4.c). Simplified:
 * preferred nodes of automatic NUMA balancing are not modelled.
 */
#include "engine/policy/place_linux.h"
#include "engine/policy/sg_stats.h"
#include "engine/sched/capacity.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/queued_load.h"
#include "engine/sched/util_est.h"

/* Sums of group @sg as if @p were not there; the clocks of other CPUs are as they were left. */
static void wakeup_stats(struct sim *s, u32 sd, u32 sg, task_id p, struct sg_stats *g)
{
	const struct sched_domain *d = &s->domains[sd];
	const struct task *t = &s->tasks[p];
	const struct sched_avg *avg = &s->task_se[p].avg;
	bool asym = d->flags & SD_ASYM_CPUCAPACITY;
	const struct sched_group_capacity *c = &s->sgcs[s->sgroups[sg].sgc];

	*g = (struct sg_stats){ .misfit = asym };
	/* Mask 0 is every CPU. */
	const u64 *counted = mask_get(s, place_form(s)->slow_allowed ? t->cpus : 0);

	for_each_group_cpu(i, s, sg, counted)
	{
		const struct rq *rq = &s->rqs[i];
		const struct cfs_rq *root = root_cfs(s, i);
		/* A new task is in no sum yet. */
		bool here = t->cpu == i && avg->last_update_time;
		u32 own = here && t->on_rq;
		u32 nr = rq->nr_running - own;

		g->load += here ? sub_positive(root->avg.load_avg, task_h_load(s, p))
				: root->avg.load_avg;
		g->util += cpu_util(s, i, here ? p : NONE, NONE, false);
		g->runnable += here ? sub_positive(root->avg.runnable_avg, avg->runnable_avg)
				    : root->avg.runnable_avg;
		g->h_nr_running += root->h_nr_runnable - own;
		g->nr_running += nr;
		if (!nr && (rq->curr == NONE || rq->curr == p))
			g->idle_cpus++;
		if (g->misfit && task_fits_cpu(s, p, i))
			g->misfit = 0;
	}
	g->capacity = c->capacity;
	g->weight = s->sgroups[sg].weight;
	g->type = group_classify(d->imbalance_pct, c->imbalance, g);
	if (g->type == GROUP_FULLY_BUSY || g->type == GROUP_OVERLOADED)
		g->avg_load = g->load * SCHED_CAPACITY_SCALE / g->capacity;
}

static u64 group_max_capacity(const struct sim *s, u32 sg)
{
	return s->sgcs[s->sgroups[sg].sgc].max_capacity;
}

/* update_pick_idlest(): is @g idler than the best so far? */
static bool idler(const struct sim *s, const struct sg_stats *g, u32 sg,
		  const struct sg_stats *best, u32 best_sg)
{
	if (g->type != best->type)
		return g->type < best->type;
	switch (g->type) {
	case GROUP_OVERLOADED:
	case GROUP_FULLY_BUSY:
		return g->avg_load < best->avg_load;
	case GROUP_MISFIT:
		return group_max_capacity(s, sg) > group_max_capacity(s, best_sg);
	case GROUP_HAS_SPARE:
		if (g->idle_cpus != best->idle_cpus)
			return g->idle_cpus > best->idle_cpus;
		return g->util < best->util;
	default:
		return false;
	}
}

/* Of two groups of one type: does the task stay with the local one? */
static bool stay_local(const struct sim *s, u32 sd, task_id p, u32 local_sg,
		       const struct sg_stats *local, u32 remote_sg, const struct sg_stats *remote)
{
	const struct sched_domain *d = &s->domains[sd];
	u64 imb = (u64)SCHED_CAPACITY_SCALE * (d->imbalance_pct - 100) / 100;
	bool numa = d->flags & SD_NUMA;

	switch (local->type) {
	case GROUP_OVERLOADED:
	case GROUP_FULLY_BUSY:
		if (numa && remote->avg_load + imb >= local->avg_load)
			return true;
		if (remote->avg_load >= local->avg_load + imb)
			return true;
		return 100 * local->avg_load <= d->imbalance_pct * remote->avg_load;
	case GROUP_MISFIT:
		return group_max_capacity(s, local_sg) >= group_max_capacity(s, remote_sg);
	case GROUP_HAS_SPARE:
		if (numa && place_form(s)->slow_numa == 1 && local->idle_cpus)
			return true;
		if (numa && place_form(s)->slow_numa == 2 && local->nr_running < d->span_weight / 4)
			return true;
		if (numa && place_form(s)->slow_numa == 3) {
			u32 allow = 0;
			s32 diff = (s32)local->idle_cpus - (s32)remote->idle_cpus;

			for_each_cpu_mask_and(i, sg_span(s, local_sg),
					      mask_get(s, s->tasks[p].cpus), s->g->mask_words)
				allow++;
			allow = allow < d->imb_numa_nr ? allow : d->imb_numa_nr;
			if (!adjust_numa_imbalance(diff < 0 ? -diff : diff, local->nr_running + 1,
						   allow))
				return true;
		}
		return local->idle_cpus >= remote->idle_cpus;
	default:
		return true;
	}
}

/* Idlest group of the domain, NONE = the local one. */
static u32 find_idlest_group(struct sim *s, u32 sd, task_id p, cpu_id this_cpu)
{
	struct sg_stats local = { 0 }, best = { .avg_load = ~0ull, .type = GROUP_OVERLOADED }, g;
	u32 local_sg = NONE, best_sg = NONE;

	for_each_group(s, sd, sg)
	{
		if (group_next_and(s, sg, mask_get(s, s->tasks[p].cpus), 0) == NONE)
			continue;
		wakeup_stats(s, sd, sg, p, &g);
		if (cpumask_test(sg_span(s, sg), this_cpu)) {
			local = g;
			local_sg = sg;
		} else if (idler(s, &g, sg, &best, best_sg)) {
			best = g;
			best_sg = sg;
		}
	}
	if (best_sg == NONE || local_sg == NONE)
		return best_sg;
	if (local.type != best.type)
		return local.type < best.type ? NONE : best_sg;
	return stay_local(s, sd, p, local_sg, &local, best_sg, &best) ? NONE : best_sg;
}

static u32 exit_latency(const struct sim *s, const struct rq *rq)
{
	return rq->idle_state == NONE ? ~0u : s->idle_states[rq->idle_state].exit_us;
}

static cpu_id find_idlest_group_cpu(const struct sim *s, u32 sg, task_id p, cpu_id this_cpu)
{
	cpu_id least = this_cpu, shallowest = NONE, sched_idle = NONE;
	bool by_queued = place_form(s)->queued_load;
	u64 min_load = ~0ull, latest = 0;
	u32 min_exit = ~0u;

	if (s->sgroups[sg].weight == 1)
		return s->sgroups[sg].asym_prefer_cpu;
	for_each_group_cpu(i, s, sg, mask_get(s, s->tasks[p].cpus))
	{
		const struct rq *rq = &s->rqs[i];

		if (sched_idle_cpu(s, i) && place_form(s)->sched_idle_usable)
			return i;
		if (idle_cpu(s, i)) {
			u32 exit = exit_latency(s, rq);
			/* Counted from 1: idle since the start of the run is a time as well. */
			u64 stamp = rq->idle_stamp + 1;

			if (exit < min_exit || (exit == min_exit && stamp > latest)) {
				min_exit = exit;
				latest = stamp;
				shallowest = i;
			}
		} else if (shallowest == NONE && sched_idle == NONE) {
			u64 load = by_queued ? cpu_queued_load(s, i) : root_cfs(s, i)->avg.load_avg;

			/* v5.4: the first such one, if none is idle. */
			if (sched_idle_cpu(s, i)) {
				sched_idle = i;
			} else if (load < min_load) {
				min_load = load;
				least = i;
			}
		}
	}
	return shallowest != NONE ? shallowest : sched_idle != NONE ? sched_idle : least;
}

static u32 idlest_group(struct sim *s, u32 sd, task_id p, cpu_id cpu, u32 sd_flag)
{
	if (place_form(s)->slow_load)
		return find_idlest_group_v5_4(s, sd, p, cpu, sd_flag == SD_BALANCE_FORK);
	return find_idlest_group(s, sd, p, cpu);
}

struct choice find_idlest_cpu(struct sim *s, u32 sd, task_id p, cpu_id cpu, cpu_id prev,
			      u32 sd_flag)
{
	struct choice c = { cpu, RULE_slow_stay };

	if (!cpumask_intersects(sd_span(s, sd), mask_get(s, s->tasks[p].cpus), s->g->mask_words))
		return (struct choice){ prev, RULE_stay };
	if (sd_flag != SD_BALANCE_FORK)
		sync_entity_load_avg(s, p);
	while (sd != NONE) {
		u32 group, weight;

		if (!sd_balances(s, sd, sd_flag)) {
			sd = s->domains[sd].child;
			continue;
		}
		group = idlest_group(s, sd, p, cpu, sd_flag);
		if (group != NONE)
			c.cpu = find_idlest_group_cpu(s, group, p, cpu);
		if (group == NONE || c.cpu == cpu) {
			sd = s->domains[sd].child;
			continue;
		}
		/* Go on below, as seen from the new CPU. */
		c.rule = RULE_slow_path;
		cpu = c.cpu;
		weight = s->domains[sd].span_weight;
		sd = NONE;
		for_each_domain(s, cpu, up)
		{
			if (weight <= s->domains[up].span_weight)
				break;
			if (sd_balances(s, up, sd_flag))
				sd = up;
		}
	}
	return c;
}
