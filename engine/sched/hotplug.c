/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hotplug.c - CPUs that keep house for the others.
 *
 * Follows kernel/sched/isolation.c of Linux v6.12: the set of HK_TYPE_TIMER and HK_TYPE_MISC, one
 * here, as nohz_full= sets them. Simplified: it may change while the machine runs.
 */
#include "engine/sched/hotplug.h"

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/observe/emit.h"
#include "engine/sched/place.h"

cpu_id housekeeping_cpu(const struct sim *s)
{
	const u64 *online = mask_get(s, s->g->online);
	cpu_id cpu = cpumask_first_and(mask_get(s, s->g->housekeeping), online, s->g->mask_words);

	return cpu == NONE ? cpumask_first(online, s->g->mask_words) : cpu;
}

void housekeeping_set(struct sim *s, const u64 *words)
{
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;
	mask_id old = s->g->housekeeping;

	s->g->housekeeping = mask_intern(s, words);
	mask_put(s, old);
	/* per-node-posted has one record for all while any CPU is isolated. */
	nohz->adopt(s);
}
