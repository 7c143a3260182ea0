/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newidle_none.c - no newly idle balancing. The kernel has no such setting, short of clearing
 * SD_BALANCE_NEWIDLE in every domain.
 */
#include "engine/policy/policy.h"

static const struct newidle_ops none_ops = { .wants = NULL };

const struct sched_policy newidle_none = {
	.name = "none",
	.summary = "a CPU out of work goes idle",
	.doc = "No newly-idle balancing at all.",
	.slot = SLOT_NEWIDLE,
	.ops = &none_ops,
};
