/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy.c - names of the slots and the table of built-in policies.
 *
 * No counterpart in the kernel, whose choices are compiled in. The table is generated from
 * policies.def, so that a policy is one file and one line.
 */
#include "engine/policy/policy.h"

const char *const policy_slot_names[NR_SLOTS] = {
	[SLOT_PICK] = "pick",	      [SLOT_PLACE] = "place", [SLOT_BALANCE] = "balance",
	[SLOT_NEWIDLE] = "newidle",   [SLOT_NOHZ] = "nohz",   [SLOT_UTIL_EST] = "util_est",
	[SLOT_GOVERNOR] = "governor",
};

#define POLICY(symbol) extern const struct sched_policy symbol;
#include "engine/policy/policies.def"
#undef POLICY

#define POLICY(symbol) &symbol,
const struct sched_policy *const builtin_policies[] = {
#include "engine/policy/policies.def"
};
#undef POLICY

const u32 nr_builtin_policies = ARRAY_SIZE(builtin_policies);
