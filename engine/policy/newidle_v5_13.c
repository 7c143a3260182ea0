/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newidle_v5_13.c - newly idle balancing that leaves other CPUs' blocked load to the idle loop.
 *
 * Follows newidle_balance() of kernel/sched/fair.c, Linux v5.13 to v6.6, and sched_balance_newidle()
 * of v6.12; what changed in between hangs on the features NEWIDLE_MEASURED and NI_RANDOM.
 */
#include "engine/policy/newidle_pass.h"
#include "engine/policy/policy.h"

/* nohz_newidle_balance(): the idle loop may have to update blocked load. */
static u32 v5_13_idle(struct sim *s, cpu_id cpu, bool begun)
{
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;

	(void)begun;
	if (nohz->newidle)
		nohz->newidle(s, cpu);
	return 0;
}

static const struct newidle_ops v5_13_ops = {
	.wants = newidle_worth_it,
	.idle = v5_13_idle,
};

const struct sched_policy newidle_v5_13 = {
	.name = "v5.13",
	.summary =
		"a CPU out of work pulls one task, nearest domain first, if any CPU has a spare one",
	.doc = "sched_balance_newidle(): only while some CPU is overloaded and the CPU tends to be "
	       "idle for long enough; at most one task; with NI_RANDOM the less often the less it "
	       "succeeded. Other CPUs' blocked load is left to the idle loop, where interrupts are "
	       "open and the round can be given up.",
	.slot = SLOT_NEWIDLE,
	.ops = &v5_13_ops,
};
