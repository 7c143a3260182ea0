/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpuset.h - where a task may run: its own affinity and the CPUs of its group.
 *
 * Follows kernel/cgroup/cpuset.c (update_cpumasks_hier(), update_tasks_cpumask()) and
 * __set_cpus_allowed_ptr() of kernel/sched/core.c, Linux v6.12. A group's CPUs are its own and those
 * of the groups around it; where that leaves no CPU that is online, those around it alone. A task's are
 * its affinity and its group's; where that leaves none, its group's. The affinity asked for is
 * remembered, and counts again when the group's CPUs change.
 */
#ifndef SG_ENGINE_SCHED_CPUSET_H
#define SG_ENGINE_SCHED_CPUSET_H

#include "engine/access.h"

/*
 * sched_setaffinity - @p asks for @mask, a mask id whose reference is taken over. Needs room for one
 * more mask.
 */
void sched_setaffinity(struct sim *s, task_id p, mask_id mask);

/* cpuset_task - @p's group, or what is online, has changed: where may it run now? Room as above. */
void cpuset_task(struct sim *s, task_id p);

/*
 * cpuset_mask - the mask a task of group @tg that asks for @user gets. A reference is the caller's.
 * Needs room for one more mask.
 */
mask_id cpuset_mask(struct sim *s, mask_id user, u32 tg);

/*
 * group_set_cpus - the CPUs of group @tg, @words as of a mask; NULL = all. Tasks that are outside
 * move. Makes room, so pools may move; -1 with s->err.
 */
int group_set_cpus(struct sim *s, u32 tg, const u64 *words);

/*
 * cpuset_hotplug - a CPU went offline or came back: groups whose CPUs were all offline have those of the
 * groups around them, and get their own back. Other groups' tasks are left as they are. Room for a mask
 * per group and per task with an affinity is there.
 */
int cpuset_hotplug(struct sim *s);

/*
 * cpuset_update - what is online has changed: the masks of @tg (ROOT_TG = everyone) and all below it
 * anew, and those of their tasks. Makes room, so pools may move; -1 with s->err.
 */
int cpuset_update(struct sim *s, u32 tg);

#endif
