/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * util_est_idle_aware.c - proposed rule: only on a CPU without idle time a task keeps its estimate.
 *
 * Follows "sched/fair: Decrease util_est in presence of idle time", Pierre Gondois, 19 December
 * 2024 (not merged), on top of v6.12.
 */
#include "engine/policy/util_est_rule.h"
#include "engine/sched/clock.h"

static void uest_idle_aware_update(struct sim *s, task_id p)
{
	struct sched_avg *avg = &s->task_se[p].avg;

	if (!util_est_decide(s, p, avg))
		return;
	/* With idle time left everybody got what he asked for, however long he waited. */
	if (rq_saturated(s, rq_get(s, s->tasks[p].cpu)))
		util_est_store(avg);
	else
		util_est_store_ewma(avg);
}

static const struct util_est_ops uest_idle_aware_ops = {
	.update = uest_idle_aware_update,
	.stored = util_est_stored_one,
	.adopt = util_est_adopt_one,
};

const struct sched_policy util_est_idle_aware = {
	.name = "idle-aware",
	.summary =
		"a task keeps its estimate only where the CPU had no idle time (proposal of 2024)",
	.doc = "As `runnable`, but what keeps the estimate up is that the CPU was saturated: its root "
	       "queue, real-time and deadline utilisation left no idle time. A CPU with idle time gave "
	       "every task what it asked for, so a smaller sample is a real one.",
	.slot = SLOT_UTIL_EST,
	.ops = &uest_idle_aware_ops,
};
