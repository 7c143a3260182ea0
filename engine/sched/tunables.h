/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tunables.h - tunables as the scheduler sees them: scaled by the number of CPUs.
 *
 * Follows get_update_sysctl_factor() of kernel/sched/fair.c (v5.4 .. v6.12) with the default
 * logarithmic scaling. The unscaled values are in struct tunables; multiplying at each use costs
 * less than keeping scaled copies right when CPUs come and go.
 */
#ifndef SG_ENGINE_SCHED_TUNABLES_H
#define SG_ENGINE_SCHED_TUNABLES_H

#include "engine/sim.h"

/* scaling_factor - 1 + floor(log2(min(@online, 8))): 1, 2, 3 or 4. No CPU counts as one. */
static inline u32 scaling_factor(u32 online)
{
	if (online > 8)
		online = 8;
	return online ? (u32)fls64(online) : 1;
}

/* scaled_tunable - the tunable @ns, given for one CPU, for the CPUs now online. ns. */
static inline u64 scaled_tunable(const struct sim *s, u64 ns)
{
	return ns * scaling_factor(s->g->nr_online);
}

#endif
