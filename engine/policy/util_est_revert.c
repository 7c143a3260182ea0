/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * util_est_revert.c - the v6.12 rule without its test of runnable time: every sample counts.
 */
#include "engine/policy/util_est_rule.h"

static void uest_revert_update(struct sim *s, task_id p)
{
	struct sched_avg *avg = &s->task_se[p].avg;

	if (util_est_decide(s, p, avg))
		util_est_store_ewma(avg);
}

static const struct util_est_ops uest_revert_ops = {
	.update = uest_revert_update,
	.stored = util_est_stored_one,
	.adopt = util_est_adopt_one,
};

const struct sched_policy util_est_revert = {
	.name = "revert",
	.summary = "every smaller sample lowers the estimate, waiting or not",
	.doc = "As `runnable` with its last test reverted: a task that waits for others on a busy CPU "
	       "loses its estimate although it would need the time.",
	.slot = SLOT_UTIL_EST,
	.ops = &uest_revert_ops,
};
