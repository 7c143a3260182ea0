/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * partition.c - partitions of CPUs. See partition.h.
 *
 * Follows kernel/cgroup/cpuset.c, Linux v6.12. Simplified: no remote or nested partitions, no
 * cpuset.cpus.exclusive; what the kernel keeps by root domain (overutilised, overloaded, deadline
 * bandwidth, the largest capacity) is one for the machine.
 */
#include "engine/sched/partition.h"

#include <stdlib.h>

#include "engine/base/cpumask.h"
#include "engine/hw/machine.h"
#include "engine/observe/emit.h"
#include "engine/observe/starved.h"
#include "engine/sched/cpuset.h"
#include "engine/sched/group.h"
#include "engine/sched/hotplug.h"
#include "engine/sched/place.h"
#include "engine/sim_internal.h"

const char *const partition_names[NR_PARTITION_KINDS] = { "member", "root", "isolated" };

bool partitions_asked(const struct sim *s)
{
	for (u32 id = 1; id < arena_len(&s->arena, POOL_GROUP); id++)
		if (s->groups[id].partition)
			return true;
	return false;
}

u32 partition_of_cpu(const struct sim *s, cpu_id cpu)
{
	for (u32 id = 1; id < arena_len(&s->arena, POOL_GROUP); id++)
		if (s->groups[id].partition_now && mask_has_cpu(s, s->groups[id].cpus, cpu))
			return id;
	return ROOT_TG;
}

u32 partition_of_group(const struct sim *s, u32 tg)
{
	while (tg != ROOT_TG && !s->groups[tg].partition_now)
		tg = s->groups[tg].parent;
	return tg;
}

void partition_words(const struct sim *s, u32 part, u64 *words)
{
	cpumask_copy(words, mask_get(s, s->groups[part].cpus), s->g->mask_words);
	if (part != ROOT_TG)
		return;
	for (u32 id = 1; id < arena_len(&s->arena, POOL_GROUP); id++)
		if (s->groups[id].partition_now)
			cpumask_andnot(words, words, mask_get(s, s->groups[id].cpus),
				       s->g->mask_words);
}

bool partition_covered(const struct sim *s, u32 tg, const u64 *mask)
{
	u64 words[MACHINE_WORDS(MACHINE_MAX_CPUS)];

	partition_words(s, partition_of_group(s, tg), words);
	cpumask_and(words, words, mask_get(s, s->g->online), s->g->mask_words);
	return cpumask_subset(words, mask, s->g->mask_words);
}

/* ---- which can be -------------------------------------------------------------------------- */

/* Can group @id have its CPUs to itself, and leave one to the others? Takes them from @rest. */
static bool take_partition(const struct sim *s, u32 id, u64 *rest)
{
	const struct task_group *tg = &s->groups[id];
	const u64 *own = mask_get(s, tg->cpus), *online = mask_get(s, s->g->online);
	u64 left[MACHINE_WORDS(MACHINE_MAX_CPUS)];
	u32 words = s->g->mask_words;

	if (!tg->partition || tg->parent != ROOT_TG || !cpumask_subset(own, rest, words) ||
	    !cpumask_intersects(own, online, words))
		return false;
	cpumask_andnot(left, rest, own, words);
	if (!cpumask_intersects(left, online, words))
		return false;
	cpumask_copy(rest, left, words);
	return true;
}

static void decide_one(struct sim *s, u32 id, u64 *rest)
{
	struct task_group *tg = &s->groups[id];

	tg->partition_now = take_partition(s, id, rest) ? tg->partition : PARTITION_MEMBER;
}

int partitions_decide(struct sim *s, u32 changed, u8 **was, bool *moved)
{
	u64 rest[MACHINE_WORDS(MACHINE_MAX_CPUS)];
	u32 nr = arena_len(&s->arena, POOL_GROUP);
	bool any = false;

	*was = NULL;
	*moved = false;
	for (u32 id = 1; id < nr && !any; id++)
		any = s->groups[id].partition || s->groups[id].partition_now;
	if (!any)
		return 0;
	*was = calloc(nr, 1);
	if (!*was)
		return err_set(&s->err, ERR_LIMIT, "no memory for the partitions of %u groups", nr);
	for (u32 id = 1; id < nr; id++)
		(*was)[id] = (u8)s->groups[id].partition_now;
	cpumask_copy(rest, mask_get(s, 0), s->g->mask_words);
	for (u32 id = 1; id < nr; id++)
		if ((*was)[id] && id != changed)
			decide_one(s, id, rest);
	for (u32 id = 1; id < nr; id++)
		if (!(*was)[id] && s->groups[id].partition && id != changed)
			decide_one(s, id, rest);
	if (changed != NONE)
		decide_one(s, changed, rest);
	for (u32 id = 1; id < nr; id++)
		*moved |= (*was)[id] != s->groups[id].partition_now;
	/* Its CPUs may be others. */
	*moved |= changed != NONE && s->groups[changed].partition_now;
	return 0;
}

void partitions_undo(struct sim *s, u8 *was)
{
	for (u32 id = 1; was && id < arena_len(&s->arena, POOL_GROUP); id++)
		s->groups[id].partition_now = was[id];
	free(was);
}

static void trace_partition(struct sim *s, u32 id)
{
	const struct task_group *tg = &s->groups[id];

	trace(s, TR_group_partition, cpumask_first(mask_get(s, tg->cpus), s->g->mask_words), NONE,
	      trace_pair(id, tg->partition),
	      trace_pair(tg->partition_now, s->masks[tg->cpus].weight));
}

void partitions_commit(struct sim *s, u8 *was)
{
	for (u32 id = 1; was && id < arena_len(&s->arena, POOL_GROUP); id++)
		if (was[id] != s->groups[id].partition_now)
			trace_partition(s, id);
	free(was);
}

/* ---- changing ------------------------------------------------------------------------------ */

int partitions_update(struct sim *s, u32 changed)
{
	bool moved;

	if (domains_rebuild(s, changed, false, &moved))
		return -1;
	if (!moved)
		return cpuset_update(s, changed);
	root_domain_reset(s);
	if (cpuset_update(s, ROOT_TG))
		return -1;
	starved_recount(s);
	return 0;
}

int group_set_partition(struct sim *s, u32 tg, enum partition_kind kind)
{
	u32 was = s->groups[tg].partition, in_force = s->groups[tg].partition_now;

	if (was == (u32)kind)
		return 0;
	s->groups[tg].partition = kind;
	if (partitions_update(s, tg)) {
		s->groups[tg].partition = was;
		return -1;
	}
	/* Asked for, and not possible any more. */
	if (kind && s->groups[tg].partition_now == in_force)
		trace_partition(s, tg);
	return 0;
}

/* ---- asking -------------------------------------------------------------------------------- */

/* A group as it will be when the inputs not yet applied have been. */
struct coming_group {
	const char *name;
	u32 parent;
	u32 partition;
	const u64 *cpus; /* NULL = all */
};

static struct coming_group coming(const struct sim *s, u32 id)
{
	u32 next = arena_len(&s->arena, POOL_GROUP);
	struct coming_group g = { .name = "", .parent = ROOT_TG };

	if (id < next) {
		const struct task_group *tg = &s->groups[id];

		g = (struct coming_group){ .name = s->texts[tg->name].s,
					   .parent = tg->parent,
					   .partition = tg->partition_now,
					   .cpus = tg->cpus ? mask_get(s, tg->cpus) : NULL };
	}
	for (u32 i = s->journal.applied; i < s->journal.nr; i++) {
		const struct journal_entry *e = &s->journal.e[i];

		if (e->ordinal > s->g->ordinal)
			break; /* a future that this input ends */
		if (e->kind == INPUT_GROUP_NEW && next++ == id) {
			g.name = e->text;
			g.parent = (u32)e->a;
		}
		if (e->kind == INPUT_GROUP_CPUS && e->a == id)
			g.cpus = e->words;
		if (e->kind == INPUT_GROUP_PARTITION && e->a == id)
			g.partition = (u32)e->b;
	}
	return g;
}

/* CPUs online then; the number of groups then. */
static u32 coming_online(const struct sim *s, u64 *online)
{
	u32 nr = arena_len(&s->arena, POOL_GROUP);

	cpumask_copy(online, mask_get(s, s->g->online), s->g->mask_words);
	for (u32 i = s->journal.applied; i < s->journal.nr; i++) {
		const struct journal_entry *e = &s->journal.e[i];

		if (e->ordinal > s->g->ordinal)
			break;
		nr += e->kind == INPUT_GROUP_NEW;
		if (e->kind == INPUT_CPU_ONLINE && e->b)
			cpumask_set(online, (cpu_id)e->a);
		else if (e->kind == INPUT_CPU_ONLINE)
			cpumask_clear(online, (cpu_id)e->a);
	}
	return nr;
}

int partition_check(const struct sim *s, s64 tg, s64 kind, struct err *err)
{
	u64 online[MACHINE_WORDS(MACHINE_MAX_CPUS)];
	u32 words = s->g->mask_words, nr = coming_online(s, online);
	struct coming_group g = coming(s, (u32)tg);

	if (kind < 0 || kind >= NR_PARTITION_KINDS)
		return err_set(err, ERR_USAGE,
			       "no such partition; member, root and isolated are possible");
	if (kind == PARTITION_MEMBER)
		return 0;
	if (g.parent != ROOT_TG)
		return err_set(err, ERR_USAGE,
			       "group '%s' is inside another; only a group directly below '/' can "
			       "be a partition: make one there",
			       g.name);
	if (!g.cpus)
		return err_set(err, ERR_USAGE,
			       "group '%s' has no CPUs of its own; a partition needs some: "
			       "give it some first, as 'group %s cpus 0' does",
			       g.name, g.name);
	if (!cpumask_intersects(g.cpus, online, words))
		return err_set(err, ERR_USAGE,
			       "no CPU of group '%s' is online; a partition needs one: bring one "
			       "online, or give the group others",
			       g.name);
	for (u32 id = 1; id < nr; id++) {
		struct coming_group other = coming(s, id);
		cpu_id both;

		if (id == (u32)tg || !other.partition || !other.cpus)
			continue;
		both = cpumask_first_and(g.cpus, other.cpus, words);
		if (both != NONE)
			return err_set(err, ERR_USAGE,
				       "CPU %u of group '%s' belongs to the partition '%s'; a CPU "
				       "can be in one only: take it out of one of them",
				       both, g.name, other.name);
		cpumask_andnot(online, online, other.cpus, words);
	}
	if (cpumask_subset(online, g.cpus, words))
		return err_set(err, ERR_USAGE,
			       "no CPU online would be left to tasks outside partitions; group "
			       "'%s' may have all but one: leave out CPU %u",
			       g.name, cpumask_first(online, words));
	return 0;
}
