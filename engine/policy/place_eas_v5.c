/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_eas_v5.c - energy-aware placement with a margin: v5.4 to v5.13.
 *
 * Follows find_energy_efficient_cpu() and compute_energy() of kernel/sched/fair.c, Linux v5.10; what
 * v5.4 and v5.13 did otherwise hangs on place_form(). In every domain the CPU with most capacity to
 * spare is looked at, and the previous CPU; another one must save 1/16 of the energy of all domains.
 */
#include "engine/hw/energy.h"
#include "engine/observe/emit.h"
#include "engine/policy/place_linux.h"
#include "engine/policy/sugov.h"
#include "engine/sched/capacity.h"
#include "engine/sched/util_est.h"

/* Energy of frequency domain @fd with @p on @dst, NONE = nowhere. */
static u64 compute_energy_v5(const struct sim *s, u32 fd, task_id p, cpu_id dst)
{
	bool estimate = place_form(s)->eas_sum == 1;
	u64 max_util = 0, sum_util = 0;

	for_each_pd_cpu(s, fd, c)
	{
		u64 busy;

		/* v5.13: what the task adds is its estimate, whatever the CPU's own one hides. */
		if (estimate && c == dst)
			busy = cpu_util(s, c, p, NONE, false) + task_util_est(s, p);
		else
			busy = cpu_util(s, c, p, dst, false);
		sum_util += effective_cpu_util_v6_1(s, c, busy, false);
		max_util = max_u64(max_util, eas_cpu_perf(s, c, p, dst));
	}
	return em_cpu_energy(s, fd, max_util, sum_util, ~0ull);
}

/* Would @util, with the clamps of CPU and task from v5.10 on, fit? */
static bool fits_with(const struct sim *s, u64 util, task_id p, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];
	const struct task *t = &s->tasks[p];

	if (place_form(s)->eas_fit && uclamp_is_used(s)) {
		u64 min = t->uclamp_min, max = t->uclamp_max;

		if (!rq->uclamp_idle) {
			min = max_u64(min, rq->uclamp_min);
			max = max_u64(max, rq->uclamp_max);
		}
		util = min >= max ? min : max_u64(min, min_u64(util, max));
	}
	return fits_capacity(util, capacity_of(s, cpu));
}

struct choice find_energy_efficient_cpu_v5(struct sim *s, u32 sd, task_id p, cpu_id prev)
{
	u64 prev_delta = ~0ull, best_delta = ~0ull, base = 0;
	cpu_id best = prev;

	for (u32 i = 0; i < arena_len(&s->arena, POOL_PERF_DOMAIN); i++) {
		u32 fd = s->perf_domains[i].fd;
		u64 nowhere = compute_energy_v5(s, fd, p, NONE), max_spare = 0;
		cpu_id roomy = NONE;

		base += nowhere;
		for_each_pd_cpu(s, fd, cpu)
		{
			u64 util, spare;
			bool fits;

			if (!cpumask_test(sd_span(s, sd), cpu) ||
			    !mask_has_cpu(s, s->tasks[p].cpus, cpu))
				continue;
			util = cpu_util(s, cpu, p, cpu, false);
			spare = sub_positive(capacity_of(s, cpu), util);
			fits = fits_with(s, util, p, cpu);
			if (trace_on(s, TR_select_cpu_candidate))
				trace(s, TR_select_cpu_candidate, cpu, p, trace_pair(cpu, fits),
				      trace_pair((u32)spare, 0));
			if (!fits)
				continue;
			if (cpu == prev) {
				prev_delta = compute_energy_v5(s, fd, p, prev) - nowhere;
				best_delta = min_u64(best_delta, prev_delta);
			}
			if (spare > max_spare) {
				max_spare = spare;
				roomy = cpu;
			}
		}
		/* The roomiest CPU may be the previous one: then nothing else of the domain counts. */
		if (roomy == NONE || roomy == prev)
			continue;

		u64 delta = compute_energy_v5(s, fd, p, roomy) - nowhere;

		if (trace_on(s, TR_select_cpu_candidate))
			trace(s, TR_select_cpu_candidate, roomy, p, trace_pair(roomy, 1),
			      trace_pair((u32)max_spare, (u32)min_u64(delta, ~0u)));
		if (delta < best_delta) {
			best_delta = delta;
			best = roomy;
		}
	}
	if (prev_delta == ~0ull)
		return (struct choice){ best,
					best == prev ? RULE_eas_nowhere : RULE_eas_fits_better };
	if (prev_delta == best_delta)
		return (struct choice){ prev, RULE_eas_prev_cheapest };
	if (prev_delta - best_delta > (prev_delta + base) >> 4)
		return (struct choice){ best, RULE_eas_saves };
	return (struct choice){ prev, RULE_eas_margin };
}
