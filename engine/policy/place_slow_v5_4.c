/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_slow_v5_4.c - the slow path as it was before groups had classes: by load and spare capacity.
 *
 * Follows find_idlest_group() and find_idlest_group_cpu() of kernel/sched/fair.c, Linux v5.4. Idle
 * CPUs play no part in the choice of the group. Simplified: no preferred nodes.
 */
#include "engine/policy/place_linux.h"
#include "engine/sched/capacity.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/queued_load.h"
#include "engine/sched/util_est.h"

/* Loads of a group per 1024 of capacity, and the largest capacity left on one of its CPUs. */
struct group_room {
	u64 queued, load, spare;
};

static struct group_room group_room(const struct sim *s, u32 sg, task_id p)
{
	struct group_room r = { 0 };
	u64 capacity = s->sgcs[s->sgroups[sg].sgc].capacity;

	for_each_cpu_mask(i, sg_span(s, sg), s->g->mask_words)
	{
		/* A task that is attached nowhere is in no sum. */
		task_id own = s->tasks[p].cpu == i && s->task_se[p].avg.last_update_time ? p : NONE;

		r.queued += cpu_queued_load(s, i);
		r.load += root_cfs(s, i)->avg.load_avg;
		r.spare = max_u64(r.spare, sub_positive(capacity_of(s, i),
							cpu_util(s, i, own, NONE, false)));
	}
	r.queued = r.queued * SCHED_CAPACITY_SCALE / capacity;
	r.load = r.load * SCHED_CAPACITY_SCALE / capacity;
	return r;
}

u32 find_idlest_group_v5_4(struct sim *s, u32 sd, task_id p, cpu_id this_cpu, bool fork)
{
	const struct sched_domain *d = &s->domains[sd];
	u64 imbalance = (u64)SCHED_CAPACITY_SCALE * (d->imbalance_pct - 100) / 100;
	u64 scale = 100 + (d->imbalance_pct - 100) / 2;
	struct group_room local = { ~0ull, ~0ull, 0 }, least = { ~0ull, ~0ull, 0 };
	u32 idlest = NONE, roomy = NONE;

	for_each_group(s, sd, sg)
	{
		if (!cpumask_intersects(sg_span(s, sg), mask_get(s, s->tasks[p].cpus),
					s->g->mask_words))
			continue;

		struct group_room r = group_room(s, sg, p);

		if (cpumask_test(sg_span(s, sg), this_cpu)) {
			local = r;
			continue;
		}
		if (r.spare > least.spare) {
			least.spare = r.spare;
			roomy = sg;
		}
		/* Clearly less queued; or about as much, and clearly less in the longer run. */
		if (least.queued == ~0ull || least.queued > r.queued + imbalance) {
			least.queued = r.queued;
			least.load = r.load;
			idlest = sg;
		} else if (r.queued < least.queued + imbalance &&
			   100 * least.load > scale * r.load) {
			least.load = r.load;
			idlest = sg;
		}
	}
	if (!fork) {
		u64 half = s->task_se[p].avg.util_avg / 2;

		if (local.spare > half && scale * local.spare > 100 * least.spare)
			return NONE;
		if (least.spare > half)
			return roomy;
	}
	/* The waker's group may not be allowed: then whatever there is. */
	if (idlest == NONE || local.queued == ~0ull)
		return idlest;
	if ((d->flags & SD_NUMA) && least.queued + imbalance >= local.queued)
		return NONE;
	if (least.queued > local.queued + imbalance)
		return NONE;
	if (local.queued < least.queued + imbalance && 100 * local.load < scale * least.load)
		return NONE;
	return idlest;
}
