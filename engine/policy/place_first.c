/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_first.c - policy `linux` in a first form, until wakeup placement is whole.
 *
 * Of select_task_rq_fair() (kernel/sched/fair.c, v6.12) it has: affinity, idle previous CPU, idle
 * CPU sharing the cache, capacity fit on asymmetric machines, spreading of new tasks. It lacks:
 * wake_affine, bounded scans, energy-aware placement, groups.
 */
#include "engine/observe/emit.h"
#include "engine/policy/policy.h"
#include "engine/sched/capacity.h"
#include "engine/sched/core.h"
#include "engine/sched/place.h"
#include "engine/sched/util_est.h"

static bool usable_first(const struct sim *s, const struct task *t, cpu_id c)
{
	return cpu_allowed(s, t, c) && idle_cpu(s, c);
}

static cpu_id smallest_idle_that_fits(const struct sim *s, task_id p, cpu_id from, bool llc_only)
{
	const struct task *t = &s->tasks[p];
	cpu_id best = NONE;

	for (u32 i = 0; i < s->g->nr_cpus; i++) {
		cpu_id c = (from + i) % s->g->nr_cpus;

		if (!usable_first(s, t, c) || (llc_only && s->topo[c].llc != s->topo[from].llc))
			continue;
		if (s->g->asym_capacity && !task_fits_cpu(s, p, c))
			continue;
		if (best == NONE || s->rqs[c].cpu_capacity_orig < s->rqs[best].cpu_capacity_orig)
			best = c;
		if (!s->g->asym_capacity)
			break;
	}
	return best;
}

static cpu_id first_select(struct sim *s, const void *priv, task_id p, cpu_id prev, cpu_id this_cpu,
			   u32 flags)
{
	const struct task *t = &s->tasks[p];
	bool fork = flags & WF_FORK;

	(void)priv;
	(void)this_cpu;
	if (!fork && usable_first(s, t, prev) && (!s->g->asym_capacity || task_fits_cpu(s, p, prev)))
		return prev;

	cpu_id c = smallest_idle_that_fits(s, p, prev, !fork);

	if (c == NONE)
		c = smallest_idle_that_fits(s, p, prev, false);
	if (c != NONE)
		return c;

	/* Nobody fits and is idle: fewest tasks, then most spare capacity. */
	u64 best_key = ~0ull;

	for (u32 i = 0; i < s->g->nr_cpus; i++) {
		cpu_id k = (prev + i) % s->g->nr_cpus;

		if (!cpu_allowed(s, t, k))
			continue;

		u64 spare = sub_positive(s->rqs[k].cpu_capacity, cpu_util(s, k, p, NONE, false));
		u64 key = (u64)s->rqs[k].nr_running << 32 | (u32)(~0u - (u32)spare);

		if (key < best_key) {
			best_key = key;
			c = k;
		}
	}
	return c;
}

static const struct place_ops ops = { .select_task_rq = first_select };

const struct sched_policy place_linux_first = {
	.name = "linux",
	.summary = "idle previous CPU, else an idle one that fits (first form)",
	.doc = "A waking task takes its previous CPU if that is idle and big enough, else the "
	       "smallest idle CPU that fits, in its cache domain first; new tasks spread over the "
	       "machine. select_task_rq_fair() in outline.",
	.slot = SLOT_PLACE,
	.ops = &ops,
};
