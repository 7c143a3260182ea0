/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topology.h - building sched domains from what the machine shares.
 */
#ifndef SG_ENGINE_HW_TOPOLOGY_H
#define SG_ENGINE_HW_TOPOLOGY_H

#include "engine/sim.h"

/*
 * domains_build - build the domains, groups, caches' records and performance domains of the CPUs
 * that are online, in place of the present ones. It may move the arena's pools, so no pointer into
 * them survives it. Balancing starts anew: intervals, failures and costs are forgotten. -1 with
 * ERR_LIMIT when memory or a limit is reached; the old domains are then still whole.
 */
int domains_build(struct sim *s, struct err *err);

/*
 * domains_retune - balance_form or asym_packing has changed: values and flags of the domains, preferred
 * CPUs of the groups.
 */
void domains_retune(struct sim *s);

/* domains_bytes - bytes of the arena that domains and their masks' records take. */
u64 domains_bytes(const struct sim *s);

#endif
