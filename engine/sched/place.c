/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place.c - select_task_rq() and select_fallback_rq() of kernel/sched/core.c, Linux v6.12, and the
 * interned CPU masks that affinity stands on.
 */
#include "engine/sched/place.h"

#include "engine/base/cpumask.h"
#include "engine/observe/emit.h"
#include "engine/observe/starved.h"
#include "engine/policy/policy.h"
#include "engine/sched/class.h"
#include "engine/sched/core.h"

cpu_id any_allowed_cpu(const struct sim *s, const struct task *t, cpu_id from)
{
	u32 nr = s->g->nr_cpus;

	for (u32 i = 0; i < nr; i++) {
		cpu_id cpu = from + i < nr ? from + i : from + i - nr;

		if (cpu_allowed(s, t, cpu))
			return cpu;
	}
	return NONE;
}

/*
 * The affinity names no CPU that is online: it is lost for good, as in the kernel, and the task may use
 * the CPUs of its group: cpuset_cpus_allowed_fallback().
 */
static void break_affinity(struct sim *s, task_id p)
{
	struct task *t = &s->tasks[p];
	mask_id mask = s->groups[t->tg].cpus_now;

	mask_get_ref(s, mask);
	mask_get_ref(s, 0);
	mask_put(s, t->cpus);
	mask_put(s, t->user_cpus);
	t->user_cpus = 0;
	t->cpus = mask;
	t->nr_cpus_allowed = s->masks[mask].weight;
	s->stats->affinity_broken++;
	starved_touch(s, t->cpu);
}

cpu_id select_fallback_rq(struct sim *s, task_id p, cpu_id cpu)
{
	const struct task *t = &s->tasks[p];
	const u64 *node = mask_get(s, s->topo[cpu].node_mask), *online = mask_get(s, s->g->online);
	u32 words = s->g->mask_words;
	cpu_id to;

	for_each_cpu_mask_and(c, node, online, words)
	{
		if (cpu_allowed(s, t, c))
			return c;
	}
	to = cpumask_first_and(mask_get(s, t->cpus), online, words);
	if (to != NONE)
		return to;
	break_affinity(s, p);
	to = cpumask_first_and(mask_get(s, t->cpus), mask_get(s, s->g->online), words);
	trace(s, TR_affinity_broken, cpu, p, to, 0);
	return to;
}

cpu_id select_task_rq(struct sim *s, task_id p, cpu_id prev, cpu_id this_cpu, u32 flags)
{
	const struct task *t = &s->tasks[p];
	cpu_id cpu;

	if (t->nr_cpus_allowed == 1) {
		cpu = any_allowed_cpu(s, t, 0);
	} else if (!task_is_fair(s, p)) {
		cpu = select_task_rq_classes(s, p, prev, this_cpu, flags);
		if (!cpu_allowed(s, t, cpu))
			cpu = any_allowed_cpu(s, t, prev);
	} else {
		const struct sched_policy *pol = s->policy[SLOT_PLACE];
		const struct place_ops *ops = pol->ops;

		cpu = ops->select_task_rq(s, pol->priv, p, prev, this_cpu, flags);
		if (cpu >= s->g->nr_cpus || !cpu_allowed(s, t, cpu))
			cpu = any_allowed_cpu(s, t, prev < s->g->nr_cpus ? prev : 0);
	}
	/* Its CPUs are all offline: the kernel breaks the affinity rather than lose the task. */
	return cpu == NONE ? select_fallback_rq(s, p, t->cpu) : cpu;
}

mask_id mask_intern(struct sim *s, const u64 *words)
{
	u32 nwords = s->g->mask_words;

	for_each_live(id, &s->arena, POOL_MASK)
	{
		if (s->masks[id].refs && cpumask_equal(mask_get(s, id), words, nwords)) {
			s->masks[id].refs++;
			return id;
		}
	}
	if (!arena_room(&s->arena, POOL_MASK))
		return NONE;

	mask_id id = arena_alloc(&s->arena, POOL_MASK);

	s->stats->room_used = 1;

	if ((size_t)(id + 1) * nwords > arena_len(&s->arena, POOL_MASK_WORDS)) {
		arena_free(&s->arena, POOL_MASK, id);
		return NONE;
	}
	s->masks[id] = (struct mask_head){ .refs = 1, .weight = cpumask_weight(words, nwords) };
	cpumask_copy(s->mask_words + (size_t)id * nwords, words, nwords);
	return id;
}

void mask_get_ref(struct sim *s, mask_id mask)
{
	s->masks[mask].refs++;
}

void mask_put(struct sim *s, mask_id mask)
{
	BUG_ON(!s->masks[mask].refs);
	if (--s->masks[mask].refs)
		return;
	memset(s->mask_words + (size_t)mask * s->g->mask_words, 0, s->g->mask_words * sizeof(u64));
	arena_free(&s->arena, POOL_MASK, mask);
}
