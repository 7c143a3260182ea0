/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpuset.c - masks of groups and tasks. See cpuset.h.
 *
 * Simplified: no memory nodes; an affinity that was
 * asked for survives a change of the group's CPUs in every profile, as it does since v6.2.
 */
#include "engine/sched/cpuset.h"

#include "engine/base/cpumask.h"
#include "engine/hw/machine.h"
#include "engine/sched/core.h"
#include "engine/sched/group.h"
#include "engine/sched/partition.h"
#include "engine/sched/place.h"
#include "engine/sim_internal.h"

/* a & b where that has an online CPU, else b. A reference is the caller's. */
static mask_id mask_within(struct sim *s, mask_id a, mask_id b)
{
	u64 both[MACHINE_WORDS(MACHINE_MAX_CPUS)];
	u32 words = s->g->mask_words;

	cpumask_and(both, mask_get(s, a), mask_get(s, b), words);
	if (!cpumask_intersects(both, mask_get(s, s->g->online), words)) {
		mask_get_ref(s, b);
		return b;
	}

	mask_id m = mask_intern(s, both);

	BUG_ON(m == NONE); /* callers made room */
	return m;
}

mask_id cpuset_mask(struct sim *s, mask_id user, u32 tg)
{
	mask_id group = s->groups[tg].cpus_now;

	/* Nearly everybody: no affinity, or a group without CPUs of its own. */
	if (user == group || !user || !group) {
		mask_id m = user ? user : group;

		if (m == group || cpumask_intersects(mask_get(s, m), mask_get(s, s->g->online),
						     s->g->mask_words)) {
			mask_get_ref(s, m);
			return m;
		}
	}
	return mask_within(s, user, group);
}

void cpuset_task(struct sim *s, task_id p)
{
	const struct task *t = &s->tasks[p];

	set_cpus_allowed(s, p, cpuset_mask(s, t->user_cpus, t->tg));
}

void sched_setaffinity(struct sim *s, task_id p, mask_id mask)
{
	struct task *t = &s->tasks[p];

	mask_put(s, t->user_cpus);
	t->user_cpus = mask;
	cpuset_task(s, p);
}

/* The CPUs of group @id as they should be now: what others took as a partition is not there. A reference. */
static mask_id group_mask(struct sim *s, u32 id)
{
	const struct task_group *tg = &s->groups[id];
	u64 words[MACHINE_WORDS(MACHINE_MAX_CPUS)];
	mask_id m = tg->cpus;

	if (tg->parent == NONE && partitions_asked(s)) {
		partition_words(s, id, words);
		m = mask_intern(s, words);
		BUG_ON(m == NONE); /* callers made room */
		return m;
	}
	if (tg->parent != NONE && !tg->partition_now)
		return mask_within(s, tg->cpus, s->groups[tg->parent].cpus_now);
	mask_get_ref(s, m);
	return m;
}

int cpuset_update(struct sim *s, u32 top)
{
	u32 need = 1;

	/* Every group may get a mask of its own, and every task with an affinity. */
	for (u32 tg = top; tg != NONE; tg = next_group_below(s, top, tg))
		need++;
	for_each_live(p, &s->arena, POOL_TASK) need += s->tasks[p].user_cpus != 0;
	if (sim_room_masks(s, need))
		return -1;
	for (u32 id = top; id != NONE; id = next_group_below(s, top, id)) {
		struct task_group *tg = &s->groups[id];
		mask_id old = tg->cpus_now;

		tg->cpus_now = group_mask(s, id);
		mask_put(s, old);
	}
	for_each_live(p, &s->arena, POOL_TASK)
	{
		u32 tg = s->tasks[p].tg;

		if (s->tasks[p].state == TASK_DEAD || (s->tasks[p].flags & PF_KTHREAD))
			continue;
		while (tg != top && tg != NONE)
			tg = s->groups[tg].parent;
		if (tg == top)
			cpuset_task(s, p);
	}
	return 0;
}

int group_set_cpus(struct sim *s, u32 tg, const u64 *words)
{
	mask_id old = s->groups[tg].cpus;

	if (sim_room_masks(s, 1))
		return -1;
	if (words) {
		s->groups[tg].cpus = mask_intern(s, words);
	} else {
		s->groups[tg].cpus = 0;
		mask_get_ref(s, 0);
	}
	mask_put(s, old);
	return partitions_asked(s) ? partitions_update(s, tg) : cpuset_update(s, tg);
}

int cpuset_hotplug(struct sim *s)
{
	for (u32 id = 0; id < arena_len(&s->arena, POOL_GROUP); id++) {
		struct task_group *tg = &s->groups[id];
		mask_id now;

		/* Room was made: a mask that is not there yet is of CPUs that have just come back. */
		now = group_mask(s, id);
		mask_put(s, now);
		if (now != tg->cpus_now && cpuset_update(s, id))
			return -1;
	}
	return 0;
}
