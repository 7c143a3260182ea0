/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_idle.c - the search for an idle CPU near the target: select_idle_sibling() and below.
 *
 * Follows kernel/sched/fair.c of Linux v6.12. Releases before v6.8 have no cluster scan (feature
 * CLUSTER_SCAN); what else v5.4 to v6.6 did otherwise hangs on place_form(), SIS_PROP among it.
 * "Usable" is idle, or busy with SCHED_IDLE tasks only. Simplified: a search takes no time of its own,
 * what a wake-up costs is paid before it; the time SIS_PROP measures is that of the CPUs looked at.
 */
#include "engine/policy/place_linux.h"

#include "engine/base/cpumask.h"
#include "engine/hw/machine.h"
#include "engine/observe/emit.h"
#include "engine/sched/capacity.h"
#include "engine/sched/core.h"
#include "engine/sched/costs.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/util_est.h"

#define MASK_WORDS_MAX MACHINE_WORDS(MACHINE_MAX_CPUS)

/* The search of one wake-up. */
struct search {
	struct sim *s;
	const struct task *t;
	task_id p;
	cpu_id this_cpu;
	u64 util; /* asymmetric machines only */
	bool asym;
	bool has_core; /* the cache is said to have a whole idle core */
	u32 budget; /* CPUs that may still be looked at, plus one */
	u32 looked; /* CPUs looked at */
	cpu_id fallback; /* idle thread of a core that is not idle; v5.4: CPU with SCHED_IDLE tasks */
	u64 *cpus; /* candidates left */
};

static bool usable(const struct sim *s, cpu_id cpu)
{
	return idle_cpu(s, cpu) || sched_idle_cpu(s, cpu);
}

static int fits(const struct search *q, cpu_id cpu)
{
	int f;

	if (place_form(q->s)->sis_fit == 2)
		f = util_fits_cpu(q->s, q->util, q->t->uclamp_min, q->t->uclamp_max, cpu);
	else
		f = fits_capacity(uclamp_task_util(q->s, q->p), capacity_of(q->s, cpu));

	if (trace_on(q->s, TR_select_cpu_candidate))
		trace(q->s, TR_select_cpu_candidate, cpu, q->p, trace_pair(cpu, (u32)f),
		      trace_pair((u32)sub_positive(capacity_of(q->s, cpu), q->util), 0));
	return f;
}

static bool good(const struct search *q, cpu_id cpu)
{
	return usable(q->s, cpu) && (!q->asym || fits(q, cpu) > 0);
}

static struct choice select_idle_capacity(const struct search *q, u32 sd, cpu_id target)
{
	struct sim *s = q->s;
	u32 words = s->g->mask_words;
	struct choice best = { target, RULE_asym_none };
	u64 best_cap = 0;
	int best_fits = 0;

	cpumask_and(q->cpus, sd_span(s, sd), mask_get(s, q->t->cpus), words);
	for_each_cpu_mask_wrap(cpu, q->cpus, words, target)
	{
		if (!usable(s, cpu))
			continue;

		int f = fits(q, cpu);
		u64 cap = f < 0 ? actual_cpu_capacity(s, cpu) : capacity_of(s, cpu);

		if (f > 0)
			return (struct choice){ cpu, RULE_asym_fits };
		if (f < best_fits || (f == best_fits && cap > best_cap)) {
			best_fits = f;
			best_cap = cap;
			best = (struct choice){ cpu, RULE_asym_best };
		}
	}
	return best;
}

/* Usable thread beside @cpu within the domain; v5.4: anywhere, an idle one rather. */
static cpu_id select_idle_smt(const struct search *q, u32 sd, cpu_id cpu)
{
	struct sim *s = q->s;
	const u64 *smt = mask_get(s, s->topo[cpu].smt_mask);
	bool within = place_form(s)->smt_in_domain;
	cpu_id sched_idle = NONE;

	for_each_cpu_mask_and(i, smt, mask_get(s, q->t->cpus), s->g->mask_words)
	{
		if (i == cpu || (within && !cpumask_test(sd_span(s, sd), i)))
			continue;
		if (idle_cpu(s, i) || (within && sched_idle_cpu(s, i)))
			return i;
		if (sched_idle == NONE && sched_idle_cpu(s, i))
			sched_idle = i;
	}
	return sched_idle;
}

/* @core if all its threads are idle; else it leaves the candidates, an idle thread is remembered. */
static cpu_id select_idle_core(struct search *q, cpu_id core)
{
	struct sim *s = q->s;
	const u64 *smt = mask_get(s, s->topo[core].smt_mask);
	u32 words = s->g->mask_words;
	bool idle = true;

	for_each_cpu_mask(i, smt, words)
	{
		if (s->rqs[i].mode == CPU_OFFLINE)
			continue;
		if (!idle_cpu(s, i)) {
			idle = false;
			if (q->fallback != NONE)
				break;
			if (!sched_idle_cpu(s, i) || !cpumask_test(q->cpus, i))
				continue;
			q->fallback = i;
			break;
		}
		if (q->fallback == NONE && cpumask_test(q->cpus, i))
			q->fallback = i;
	}
	if (idle)
		return core;
	cpumask_andnot(q->cpus, q->cpus, smt, words);
	return NONE;
}

enum scan { SCAN_ON, SCAN_FOUND, SCAN_GAVE_UP };

/* One CPU of the scan; *@found is set with SCAN_FOUND. */
static enum scan scan_cpu(struct search *q, cpu_id cpu, cpu_id *found)
{
	if (q->has_core) {
		*found = select_idle_core(q, cpu);
		return *found != NONE ? SCAN_FOUND : SCAN_ON;
	}
	if (--q->budget == 0)
		return SCAN_GAVE_UP;
	q->looked++;
	if (!place_form(q->s)->sched_idle_usable) {
		if (!idle_cpu(q->s, cpu)) {
			if (q->fallback == NONE && sched_idle_cpu(q->s, cpu))
				q->fallback = cpu;
			return SCAN_ON;
		}
	} else if (!usable(q->s, cpu)) {
		return SCAN_ON;
	}
	*found = cpu;
	return SCAN_FOUND;
}

/* Idle time to be expected of the waker's CPU, which a search must not use up. */
static u64 idle_time_ahead(const struct search *q)
{
	struct sim *s = q->s;
	struct rq *rq = &s->rqs[q->this_cpu];
	u64 now = sim_jiffies(s);

	if (place_form(s)->sis_prop == 1)
		return rq->avg_idle / 512;
	/* Foreseen at the last wake-up; every jiffy since then halves it. */
	for (; rq->wake_stamp < now && rq->wake_avg_idle; rq->wake_stamp++)
		rq->wake_avg_idle >>= 1;
	return rq->wake_avg_idle;
}

static bool prop_bounds(const struct search *q)
{
	return sched_feat(q->s, SIS_PROP) && place_form(q->s)->sis_prop && !q->has_core;
}

/* SIS_PROP: as many CPUs as the search may look at for the idle time there is, at least three. */
static u32 prop_budget(const struct search *q, u32 sd)
{
	const struct sim *s = q->s;
	u32 own = s->cpu_sd[q->this_cpu].llc;
	u64 span, cost;

	if (own == NONE)
		return 1;
	span = s->domains[sd].span_weight * idle_time_ahead(q);
	cost = s->domains[own].avg_scan_cost + 1;
	return span > 4 * cost ? (u32)min_u64(span / cost, ~0u) : 4;
}

/* The search came to an end by itself: the time it took goes into the mean. */
static void prop_account(const struct search *q)
{
	struct sim *s = q->s;
	struct rq *rq = &s->rqs[q->this_cpu];
	u32 own = s->cpu_sd[q->this_cpu].llc;
	u64 ns = (q->looked * cost_ns(s, COST_wakeup_scan) << 20) / rq->speed;

	if (own == NONE)
		return;

	u64 *mean = &s->domains[own].avg_scan_cost;

	if (place_form(s)->sis_prop == 2)
		rq->wake_avg_idle -= min_u64(rq->wake_avg_idle, ns);
	*mean = (u64)((s64)*mean + ((s64)ns - (s64)*mean) / 8);
}

/* select_idle_cpu(): cpu NONE with the rule that says why not. */
static struct choice select_idle_cpu(struct search *q, u32 sd, cpu_id target)
{
	struct sim *s = q->s;
	u32 words = s->g->mask_words, own = s->domains[sd].groups, nr = s->g->nr_cpus;
	const struct llc_shared *llc = &s->llcs[s->domains[sd].shared];
	enum place_rule rule = q->has_core ? RULE_idle_core : RULE_idle_scan;
	enum scan r = SCAN_ON;
	cpu_id found = NONE;

	cpumask_and(q->cpus, sd_span(s, sd), mask_get(s, q->t->cpus), words);
	q->budget = ~0u;
	if (prop_bounds(q)) {
		q->budget = prop_budget(q, sd);
	} else if (sched_feat(s, SIS_UTIL)) {
		q->budget = llc->nr_idle_scan + 1;
		if (q->budget == 1)
			return (struct choice){ NONE, RULE_scan_cut };
	}

	cpu_id start = place_form(s)->scan_from_target ? target : target + 1 < nr ? target + 1 : 0;

	if (sched_feat(s, CLUSTER_SCAN) && (s->sgroups[own].flags & SD_CLUSTER)) {
		for_each_cpu_mask_wrap(cpu, sg_span(s, own), words, start)
		{
			if (!cpumask_test(q->cpus, cpu))
				continue;
			r = scan_cpu(q, cpu, &found);
			if (r != SCAN_ON)
				goto out;
		}
		cpumask_andnot(q->cpus, q->cpus, sg_span(s, own), words);
	}
	for_each_cpu_mask_wrap(cpu, q->cpus, words, start)
	{
		r = scan_cpu(q, cpu, &found);
		if (r != SCAN_ON)
			break;
	}
out:
	if (r != SCAN_GAVE_UP && prop_bounds(q))
		prop_account(q);
	if (r == SCAN_FOUND)
		return (struct choice){ found, rule };
	if (!place_form(s)->sched_idle_usable) {
		if (r == SCAN_GAVE_UP && q->fallback != NONE)
			return (struct choice){ q->fallback, RULE_sched_idle_last };
		q->fallback = NONE;
	}
	if (r == SCAN_GAVE_UP)
		return (struct choice){ NONE, RULE_scan_cut };
	if (q->has_core)
		s->llcs[s->domains[sd].shared].has_idle_cores = 0;
	return (struct choice){ q->fallback, RULE_idle_thread };
}

/* Until v5.11: a walk over the cores of its own, when the cache is said to have an idle one. */
static cpu_id find_idle_core(struct search *q, u32 sd, cpu_id target)
{
	struct sim *s = q->s;
	u32 words = s->g->mask_words;
	struct llc_shared *llc = &s->llcs[s->domains[sd].shared];

	if (!llc->has_idle_cores)
		return NONE;
	cpumask_and(q->cpus, sd_span(s, sd), mask_get(s, q->t->cpus), words);
	for_each_cpu_mask_wrap(core, q->cpus, words, target)
	{
		cpu_id found = select_idle_core(q, core);

		if (found != NONE)
			return found;
	}
	q->fallback = NONE;
	llc->has_idle_cores = 0;
	return NONE;
}

/* Until v5.11: an idle core, an idle CPU, an idle thread beside the target, in turn. */
static struct choice search_in_turn(struct search *q, u32 sd, cpu_id target)
{
	struct choice c = { NONE, RULE_idle_core };

	if (q->s->g->has_smt)
		c.cpu = find_idle_core(q, sd, target);
	if (c.cpu == NONE)
		c = select_idle_cpu(q, sd, target);
	if (c.cpu == NONE && q->s->g->has_smt) {
		c.cpu = select_idle_smt(q, sd, target);
		if (c.cpu != NONE)
			c.rule = RULE_smt_target;
	}
	return c;
}

static bool per_cpu_kthread(const struct sim *s, task_id p)
{
	return p != NONE && (s->tasks[p].flags & PF_KTHREAD) && s->tasks[p].nr_cpus_allowed == 1;
}

/* Same cluster, or a machine or release without clusters. */
static bool near(const struct sim *s, cpu_id a, cpu_id b)
{
	return !sched_feat(s, CLUSTER_SCAN) || cpus_share_resources(s, a, b);
}

struct choice select_idle_sibling(struct sim *s, task_id p, cpu_id prev, cpu_id target,
				  cpu_id this_cpu)
{
	u64 words[MASK_WORDS_MAX];
	struct search q = { .s = s,
			    .t = &s->tasks[p],
			    .p = p,
			    .this_cpu = this_cpu,
			    .asym = s->g->asym_capacity && place_form(s)->sis_fit,
			    .fallback = NONE,
			    .cpus = words };
	cpu_id prev_far = NONE, recent_far = NONE;

	if (q.asym) {
		sync_entity_load_avg(s, p);
		q.util = task_util_est(s, p);
	}
	if (good(&q, target))
		return (struct choice){ target,
					target == prev ? RULE_prev_idle : RULE_target_idle };
	if (prev != target && cpus_share_cache(s, prev, target) && good(&q, prev)) {
		if (near(s, prev, target))
			return (struct choice){ prev, RULE_prev_idle };
		prev_far = prev;
	}
	if (place_form(s)->sis_kthread && per_cpu_kthread(s, s->rqs[this_cpu].curr) &&
	    prev == this_cpu && s->rqs[this_cpu].nr_running <= 1 && (!q.asym || fits(&q, prev) > 0))
		return (struct choice){ prev, RULE_kthread_prev };

	cpu_id recent = s->tasks[p].recent_used_cpu;

	if (place_form(s)->recent_always)
		s->tasks[p].recent_used_cpu = prev;
	if (recent < s->g->nr_cpus && recent != prev && recent != target &&
	    cpus_share_cache(s, recent, target) && mask_has_cpu(s, q.t->cpus, recent) &&
	    good(&q, recent)) {
		s->tasks[p].recent_used_cpu = prev;
		if (near(s, recent, target))
			return (struct choice){ recent, RULE_recent_idle };
		recent_far = recent;
	}
	if (q.asym && s->cpu_sd[target].asym != NONE)
		return select_idle_capacity(&q, s->cpu_sd[target].asym, target);

	u32 sd = s->cpu_sd[target].llc;
	struct choice c = { NONE, RULE_scan_cut };

	if (sd != NONE && !place_form(s)->sis_one_scan) {
		c = search_in_turn(&q, sd, target);
		if (c.cpu != NONE)
			return c;
	} else if (sd != NONE) {
		if (s->g->has_smt) {
			q.has_core = s->llcs[s->domains[sd].shared].has_idle_cores;
			if (!q.has_core && cpus_share_cache(s, prev, target)) {
				cpu_id i = select_idle_smt(&q, sd, prev);

				if (i != NONE)
					return (struct choice){ i, RULE_smt_sibling };
			}
		}
		c = select_idle_cpu(&q, sd, target);
		if (c.cpu != NONE)
			return c;
	}
	if (prev_far != NONE)
		return (struct choice){ prev_far, RULE_prev_far };
	if (recent_far != NONE)
		return (struct choice){ recent_far, RULE_recent_far };
	if (sd != NONE && c.rule == RULE_scan_cut)
		return (struct choice){ target, RULE_scan_cut };
	return (struct choice){ target, target == prev ? RULE_prev_busy : RULE_target_busy };
}
