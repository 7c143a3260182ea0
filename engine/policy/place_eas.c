/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_eas.c - energy-aware placement: where does a waking task cost the least energy?
 *
 * Follows find_energy_efficient_cpu() and compute_energy() of kernel/sched/fair.c, Linux v6.12; what
 * v6.1 and v6.6 did otherwise hangs on HEADROOM_FIRST and place_form(). v5.4 to v5.13, which wanted a
 * saving of 1/16, are in place_eas_v5.c.
 */
#include "engine/hw/energy.h"
#include "engine/observe/emit.h"
#include "engine/policy/place_linux.h"
#include "engine/policy/sugov.h"
#include "engine/sched/capacity.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/util_est.h"

/* eenv_task_busy_time(): what the task adds, on a CPU that interrupts share. */
static u64 task_busy_time(const struct sim *s, task_id p, cpu_id prev)
{
	u64 max = s->rqs[prev].cpu_capacity_orig, irq = s->rqs[prev].avg_irq.util_avg;

	return irq >= max ? max : task_util_est(s, p) * (max - irq) / max;
}

static u64 pd_busy_time(const struct sim *s, u32 fd, u64 pd_cap, task_id p)
{
	u64 busy = 0;

	for_each_pd_cpu(s, fd, c)
	{
		u64 util = cpu_util(s, c, p, NONE, false);

		busy += sched_feat(s, HEADROOM_FIRST) ? effective_cpu_util(s, c, util, NULL, NULL)
						      : effective_cpu_util_v6_1(s, c, util, false);
	}
	return min_u64(pd_cap, busy);
}

/* Only whether @c is @dst matters. */
u64 eas_cpu_perf(const struct sim *s, cpu_id c, task_id p, cpu_id dst)
{
	const struct task *t = &s->tasks[p];
	bool clamp = c == dst && uclamp_is_used(s), idle = s->rqs[c].uclamp_idle;
	u64 perf;

	if (sched_feat(s, HEADROOM_FIRST)) {
		u64 util = cpu_util(s, c, p, dst, true), min, max;

		util = effective_cpu_util(s, c, util, &min, &max);
		if (clamp) {
			min = max_u64(min, t->uclamp_min);
			max = idle ? t->uclamp_max : max_u64(max, t->uclamp_max);
		}
		return sugov_effective_cpu_perf(util, min, max);
	}
	perf = effective_cpu_util_v6_1(s, c, cpu_util(s, c, p, dst, place_form(s)->eas_boost),
				       true);
	if (clamp)
		perf = max_u64(perf, t->uclamp_min);
	if (clamp && idle)
		perf = min_u64(perf, t->uclamp_max);
	return perf;
}

/*
 * What the CPUs of a domain ask for while @p is nowhere. A candidate changes one CPU's demand, so
 * the two largest answer for every candidate without another look at the others.
 */
struct pd_peak {
	u64 first, second;
	cpu_id first_cpu;
};

static struct pd_peak pd_peak(const struct sim *s, u32 fd, task_id p)
{
	struct pd_peak peak = { .first_cpu = NONE };

	for_each_pd_cpu(s, fd, c)
	{
		u64 perf = eas_cpu_perf(s, c, p, NONE);

		if (peak.first_cpu == NONE || perf > peak.first) {
			peak.second = peak.first;
			peak.first = perf;
			peak.first_cpu = c;
		} else {
			peak.second = max_u64(peak.second, perf);
		}
	}
	return peak;
}

/* Performance the domain must give with @p on @dst, an online CPU of it, or nowhere (NONE). */
static u64 peak_with(const struct sim *s, const struct pd_peak *peak, u64 cpu_cap, task_id p,
		     cpu_id dst)
{
	u64 max_util = peak->first;

	if (dst != NONE)
		max_util = max_u64(dst == peak->first_cpu ? peak->second : peak->first,
				   eas_cpu_perf(s, dst, p, dst));
	return min_u64(max_util, cpu_cap);
}

/* What one performance domain offers: its roomiest CPU apart from prev, and prev itself. */
struct offer {
	u64 cpu_cap, pd_cap;
	cpu_id max_spare_cpu;
	s64 max_spare, prev_spare;
	int max_fits, prev_fits;
	struct pd_peak peak;
};

/*
 * compute_energy - of frequency domain @fd if @p ran on @dst (NONE = nowhere). @o: what the domain
 * offers, @busy: its busy time without the task, @task_busy: the task's.
 */
static u64 compute_energy(const struct sim *s, u32 fd, const struct offer *o, u64 busy,
			  u64 task_busy, task_id p, cpu_id dst)
{
	if (dst != NONE)
		busy = min_u64(o->pd_cap, busy + task_busy);
	return em_cpu_energy(s, fd, peak_with(s, &o->peak, o->cpu_cap, p, dst), busy, o->cpu_cap);
}

static void look_at_cpu(struct sim *s, task_id p, cpu_id cpu, cpu_id prev, struct offer *o)
{
	const struct rq *rq = &s->rqs[cpu];
	const struct task *t = &s->tasks[p];
	u64 util = cpu_util(s, cpu, p, cpu, false), cap = capacity_of(s, cpu);
	u64 umin = t->uclamp_min, umax = t->uclamp_max;
	s64 spare = (s64)sub_positive(cap, util);

	if (uclamp_is_used(s) && !rq->uclamp_idle) {
		umin = max_u64(umin, rq->uclamp_min);
		umax = max_u64(umax, rq->uclamp_max);
	}

	int f = util_fits_cpu(s, util, umin, umax, cpu);

	if (trace_on(s, TR_select_cpu_candidate))
		trace(s, TR_select_cpu_candidate, cpu, p, trace_pair(cpu, (u32)f),
		      trace_pair((u32)spare, 0));
	if (!f || (!spare && place_form(s)->eas_spare_nonzero))
		return;
	if (cpu == prev) {
		o->prev_spare = spare;
		o->prev_fits = f;
	} else if (f > o->max_fits || (f == o->max_fits && spare > o->max_spare)) {
		o->max_spare = spare;
		o->max_spare_cpu = cpu;
		o->max_fits = f;
	}
}

static struct offer domain_offer(struct sim *s, u32 sd, u32 fd, task_id p, cpu_id prev)
{
	/* An unfit CPU ranks below one that fits but for the boost, as in the kernel. */
	struct offer o = {
		.max_spare_cpu = NONE, .max_spare = -1, .prev_spare = -1, .max_fits = -1
	};
	bool first = true;

	for_each_pd_cpu(s, fd, cpu)
	{
		if (first)
			o.cpu_cap = actual_cpu_capacity(s, cpu);
		first = false;
		o.pd_cap += o.cpu_cap;
		if (cpumask_test(sd_span(s, sd), cpu) && mask_has_cpu(s, s->tasks[p].cpus, cpu))
			look_at_cpu(s, p, cpu, prev, &o);
	}
	return o;
}

static u64 energy_delta(struct sim *s, u32 fd, const struct offer *o, u64 busy, u64 task_busy,
			u64 base, task_id p, cpu_id dst, bool *below)
{
	u64 e = compute_energy(s, fd, o, busy, task_busy, p, dst);

	*below = e < base;
	if (trace_on(s, TR_select_cpu_candidate))
		trace(s, TR_select_cpu_candidate, dst, p,
		      trace_pair(dst, (u32)(dst == o->max_spare_cpu ? o->max_fits : o->prev_fits)),
		      trace_pair((u32)(dst == o->max_spare_cpu ? o->max_spare : o->prev_spare),
				 (u32)min_u64(e - base, ~0u)));
	return e - base;
}

/* A task whose estimate is 0 says nothing about where it is cheap. */
static bool uses_nothing(const struct sim *s, task_id p)
{
	switch (place_form(s)->eas_zero) {
	case 0: /* bit 0 of the estimate was a flag: never 0 */
		return false;
	case 1:
		return !task_util_est(s, p);
	case 2:
		return !task_util_est(s, p) && !s->tasks[p].uclamp_min;
	default:
		return !uclamp_task_util(s, p);
	}
}

struct choice find_energy_efficient_cpu(struct sim *s, task_id p, cpu_id prev, cpu_id this_cpu)
{
	struct choice stay = { prev, RULE_eas_prev_cheapest };
	u64 prev_delta = ~0ull, best_delta = ~0ull, best_cap = 0, prev_cap = 0;
	int best_fits = -1, prev_fits = -1;
	cpu_id best = NONE;
	bool below;
	u32 sd = s->cpu_sd[this_cpu].asym;

	while (sd != NONE && !cpumask_test(sd_span(s, sd), prev))
		sd = s->domains[sd].parent;
	if (sd == NONE)
		return (struct choice){ NONE, RULE_stay };
	sync_entity_load_avg(s, p);
	if (uses_nothing(s, p))
		return (struct choice){ prev, RULE_eas_prev_zero };
	if (place_form(s)->eas_margin)
		return find_energy_efficient_cpu_v5(s, sd, p, prev);

	u64 task_busy = task_busy_time(s, p, prev);

	for (u32 i = 0; i < arena_len(&s->arena, POOL_PERF_DOMAIN); i++) {
		u32 fd = s->perf_domains[i].fd;
		struct offer o = domain_offer(s, sd, fd, p, prev);

		if (o.max_spare_cpu == NONE && o.prev_spare < 0)
			continue;

		u64 busy = pd_busy_time(s, fd, o.pd_cap, p);
		o.peak = pd_peak(s, fd, p);

		u64 base = compute_energy(s, fd, &o, busy, task_busy, p, NONE);

		if (o.prev_spare > -1) {
			prev_delta =
				energy_delta(s, fd, &o, busy, task_busy, base, p, prev, &below);
			if (below)
				return stay;
			prev_fits = o.prev_fits;
			prev_cap = o.cpu_cap;
			best_delta = min_u64(best_delta, prev_delta);
		}
		if (o.max_spare_cpu == NONE || o.max_spare <= o.prev_spare)
			continue;
		if (o.max_fits < best_fits || (o.max_fits < 0 && o.cpu_cap <= best_cap))
			continue;

		u64 delta =
			energy_delta(s, fd, &o, busy, task_busy, base, p, o.max_spare_cpu, &below);

		if (below)
			return stay;
		if (o.max_fits > 0 && best_fits > 0 && delta >= best_delta)
			continue;
		best_delta = delta;
		best = o.max_spare_cpu;
		best_fits = o.max_fits;
		best_cap = o.cpu_cap;
	}
	if (best == NONE)
		return prev_fits > 0 ? stay : (struct choice){ prev, RULE_eas_nowhere };
	if (best_fits > prev_fits)
		return (struct choice){ best, RULE_eas_fits_better };
	if (best_fits > 0 && best_delta < prev_delta)
		return (struct choice){ best, RULE_eas_saves };
	if (best_fits < 0 && best_cap > prev_cap)
		return (struct choice){ best, RULE_eas_bigger };
	return stay;
}
