/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nohz_global.c - one record of idle CPUs for the machine, and nobody who balances for them.
 *
 * Follows kernel/sched/fair.c, Linux v6.12: struct nohz; nohz_core.c has the rest.
 */
#include "engine/policy/nohz.h"

static u32 global_record(const struct sim *s, cpu_id by, cpu_id cpu)
{
	(void)s;
	(void)by;
	(void)cpu;
	return 0;
}

static const struct nohz_scope global_scope = { .record = global_record, .kicks = true };
static const struct nohz_scope none_scope = { .record = global_record };

NOHZ_OPS(nohz_global_ops, global_scope, "machine", NULL);
NOHZ_OPS(nohz_none_ops, none_scope, "machine", NULL);

const struct sched_policy nohz_global = {
	.name = "global",
	.summary = "one mask of idle CPUs; busy ticks kick the first of them to balance for all",
	.doc = "nohz_balancer_kick() and _nohz_idle_balance(). A tick on a busy CPU that has more "
	       "than it can do, or that finds blocked load not updated for 32 ms, sends the first "
	       "idle housekeeping CPU of the machine round all idle ones: averages are decayed, "
	       "domains that are due are balanced. Distance does not matter.",
	.slot = SLOT_NOHZ,
	.ops = &nohz_global_ops,
};

const struct sched_policy nohz_none = {
	.name = "none",
	.summary = "nobody balances for idle CPUs",
	.doc = "Idle CPUs with a stopped tick are left alone: they get work when something wakes there, "
	       "and their blocked load stays as old as it is. The mask of idle CPUs is kept.",
	.slot = SLOT_NOHZ,
	.ops = &nohz_none_ops,
};
