/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * util_est_runnable.c - the rule of v6.8 to v6.12: a task that had to wait keeps its estimate.
 *
 * Follows util_est_update() of kernel/sched/fair.c, v6.12; the test came with commit 50181c0cff31,
 * "sched/pelt: Avoid underestimation of task utilization".
 */
#include "engine/policy/util_est_rule.h"

static void uest_runnable_update(struct sim *s, task_id p)
{
	struct sched_avg *avg = &s->task_se[p].avg;

	if (!util_est_decide(s, p, avg))
		return;
	if (avg->util_avg + UTIL_EST_MARGIN < avg->runnable_avg)
		util_est_store(avg);
	else
		util_est_store_ewma(avg);
}

static const struct util_est_ops uest_runnable_ops = {
	.update = uest_runnable_update,
	.stored = util_est_stored_one,
	.adopt = util_est_adopt_one,
};

const struct sched_policy util_est_runnable = {
	.name = "runnable",
	.summary = "a task that waited for others keeps its estimate (v6.8 to v6.12)",
	.doc = "When a task goes to sleep with less utilisation than remembered, the estimate moves a "
	       "quarter of the way down, except if the task was runnable for longer than it ran: then "
	       "others took the CPU and the sample says too little. util_est_update(), v6.12.",
	.slot = SLOT_UTIL_EST,
	.ops = &uest_runnable_ops,
};
