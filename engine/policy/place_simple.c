/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_simple.c - placements to compare with: prev, random, least-loaded.
 *
 * None of them is in the kernel; they show what its placement is worth.
 */
#include "engine/base/rng.h"
#include "engine/observe/emit.h"
#include "engine/policy/policy.h"
#include "engine/sched/core.h"
#include "engine/sched/place.h"
#include "engine/sched/util_est.h"

static cpu_id place_prev_cpu(struct sim *s, const void *priv, task_id p, cpu_id prev,
			     cpu_id this_cpu, u32 flags)
{
	(void)priv;
	(void)this_cpu;
	(void)flags;
	if (cpu_allowed(s, &s->tasks[p], prev))
		return prev;
	return any_allowed_cpu(s, &s->tasks[p], prev);
}

static cpu_id place_any(struct sim *s, const void *priv, task_id p, cpu_id prev, cpu_id this_cpu,
			u32 flags)
{
	const struct task *t = &s->tasks[p];
	struct rq *rq = &s->rqs[this_cpu];
	u64 key = rng_child_key(rng_root_key(s->g->seed), (1ull << 40) | this_cpu);

	(void)priv;
	(void)prev;
	(void)flags;
	/* The engine's own draws have a stream per CPU: a task's workload is the same without them. */
	return any_allowed_cpu(s, t, (cpu_id)rng_uniform(key, &rq->rng_draws, s->g->nr_cpus));
}

static cpu_id place_least(struct sim *s, const void *priv, task_id p, cpu_id prev, cpu_id this_cpu,
			  u32 flags)
{
	const struct task *t = &s->tasks[p];
	cpu_id best = NONE;
	u64 best_key = ~0ull;

	(void)priv;
	(void)this_cpu;
	(void)flags;
	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		if (!cpu_allowed(s, t, c))
			continue;

		const struct rq *rq = &s->rqs[c];
		u64 util = cpu_util(s, c, p, NONE, false);
		/* Tasks queued first, then utilisation relative to size; the previous CPU wins ties. */
		u64 key = (u64)rq->nr_running << 40 |
			  (util * SCHED_CAPACITY_SCALE / rq->cpu_capacity_orig) << 1 | (c != prev);

		if (key < best_key) {
			best_key = key;
			best = c;
		}
	}
	return best;
}

static const struct place_ops prev_ops = { .select_task_rq = place_prev_cpu };
static const struct place_ops random_ops = { .select_task_rq = place_any };
static const struct place_ops least_ops = { .select_task_rq = place_least };

const struct sched_policy place_prev = {
	.name = "prev",
	.summary = "always the CPU it ran on last",
	.doc = "A waking task goes back to its previous CPU, a new one stays with its parent; "
	       "balancing alone spreads the load.",
	.slot = SLOT_PLACE,
	.ops = &prev_ops,
};

const struct sched_policy place_random = {
	.name = "random",
	.summary = "any allowed CPU, drawn from the engine's stream",
	.doc = "Every wake-up draws an allowed CPU. The draws come from a stream per CPU that the "
	       "seed determines, apart from those of the workload.",
	.slot = SLOT_PLACE,
	.ops = &random_ops,
};

const struct sched_policy place_least_loaded = {
	.name = "least-loaded",
	.summary = "the CPU with the fewest tasks, then the least utilised",
	.doc = "Looks at every allowed CPU: fewest queued tasks first, then the lowest utilisation "
	       "relative to capacity; the previous CPU wins ties. Ignores caches and energy.",
	.slot = SLOT_PLACE,
	.ops = &least_ops,
};
