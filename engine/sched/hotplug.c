/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hotplug.c - a CPU goes offline or comes back, at any instant; CPUs that keep house for the others.
 *
 * Follows sched_cpu_deactivate(), balance_push(), rq_offline_fair() and their opposites in
 * kernel/sched/core.c and fair.c, timers_dead_cpu() of kernel/time/timer.c, and
 * kernel/sched/isolation.c, Linux v6.12. One set of CPUs stands for HK_TYPE_TIMER and HK_TYPE_MISC,
 * as nohz_full= sets them, and may change while the machine runs. Simplified: it takes no time; what
 * the CPU still had to do in the kernel is done at once; tasks leave in the order in which they would
 * have run.
 */
#include "engine/sched/hotplug.h"

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/hw/topology.h"
#include "engine/observe/emit.h"
#include "engine/observe/starved.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/capacity.h"
#include "engine/sched/class.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/cpuset.h"
#include "engine/sched/dl.h"
#include "engine/sched/exec.h"
#include "engine/sched/features.h"
#include "engine/sched/group.h"
#include "engine/sched/idle.h"
#include "engine/sched/partition.h"
#include "engine/sched/pass.h"
#include "engine/sched/place.h"
#include "engine/sched/signal_energy.h"
#include "engine/sim_internal.h"

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

/* Is there more than one kind of CPU online in partition @part? */
static bool several_capacities(const struct sim *s, u32 part)
{
	u64 words[MACHINE_WORDS(MACHINE_MAX_CPUS)];
	u32 first = 0;

	partition_words(s, part, words);
	for_each_cpu_mask_and(c, words, mask_get(s, s->g->online), s->g->mask_words)
	{
		u32 cap = s->rqs[c].cpu_capacity_orig;

		first = first ? first : cap;
		if (cap != first)
			return true;
	}
	return false;
}

/* sched_asym_cpucapacity: is it so where tasks can be balanced? */
static void count_capacities(struct sim *s)
{
	s->g->asym_capacity = several_capacities(s, ROOT_TG);
	for (u32 id = 1; id < arena_len(&s->arena, POOL_GROUP); id++)
		if (s->groups[id].partition_now == PARTITION_ROOT && several_capacities(s, id))
			s->g->asym_capacity = 1;
}

/* Masks that groups and tasks may need when the set of CPUs online changes, and that set. */
static int reserve_masks(struct sim *s)
{
	u32 need = 2 + arena_len(&s->arena, POOL_GROUP);

	/* Spans of domains that differ by partition. */
	if (partitions_asked(s))
		need += 2 * s->g->nr_cpus;

	for_each_live(p, &s->arena, POOL_TASK) need += s->tasks[p].user_cpus != 0;
	/* Twice: who is asked later makes sure of the same once more. */
	return sim_room_masks(s, 2 * need);
}

int domains_rebuild(struct sim *s, u32 changed, bool always, bool *moved)
{
	u8 *was;

	if (reserve_masks(s) || partitions_decide(s, changed, &was, moved))
		return -1;
	count_capacities(s);
	if ((always || *moved) && domains_build(s, &s->err)) {
		partitions_undo(s, was);
		count_capacities(s);
		return -1;
	}
	partitions_commit(s, was);
	return 0;
}

void root_domain_reset(struct sim *s)
{
	set_overutilized(s, false);
	s->g->overloaded = 0;
	if (!s->g->asym_capacity)
		for (cpu_id c = 0; c < s->g->nr_cpus; c++)
			s->rqs[c].misfit_task_load = 0;
	pass_cancel_all(s);
}

/* The set of CPUs online as @mode of @cpu says, and all that is built from it. */
static int rebuild(struct sim *s, cpu_id cpu, bool online)
{
	u64 words[MACHINE_WORDS(MACHINE_MAX_CPUS)];
	mask_id old = s->g->online;
	u32 mode = s->rqs[cpu].mode;
	bool moved;

	if (reserve_masks(s))
		return -1;
	cpumask_copy(words, mask_get(s, old), s->g->mask_words);
	if (online)
		cpumask_set(words, cpu);
	else
		cpumask_clear(words, cpu);
	s->g->online = mask_intern(s, words);
	s->rqs[cpu].mode = online ? CPU_IDLE : CPU_OFFLINE;
	if (domains_rebuild(s, NONE, true, &moved)) {
		mask_put(s, s->g->online);
		s->g->online = old;
		s->rqs[cpu].mode = mode;
		count_capacities(s);
		return -1;
	}
	mask_put(s, old);
	s->rqs[cpu].mode = mode;
	s->g->nr_online = s->masks[s->g->online].weight;
	s->fds[s->topo[cpu].fd].nr_cpus += online ? 1u : ~0u;
	root_domain_reset(s);
	return 0;
}

/* balance_push(): all its tasks leave, the running one first. Returns how many. */
static u32 leave_cpu(struct sim *s, struct rq *rq)
{
	u32 n = 0;
	task_id p;

	update_rq_clock(s, rq);
	if (rq->curr != NONE) {
		trace(s, TR_sched_switch, rq->cpu, rq->curr, trace_pair(NONE, TASK_RUNNING), 0);
		rq_vacate(s, rq);
	}
	/* Nothing is held back, now that nothing is charged any more. */
	rt_rq_online(s, rq);
	fair_server_stop(s, rq);
	/* Picking also takes delayed tasks off for good. */
	while ((p = pick_task(s, rq)) != NONE) {
		cpu_id to = select_fallback_rq(s, p, rq->cpu);

		s->tasks[p].flags &= ~(PF_PUSH | PF_PINNED_PENDING);
		update_rq_clock(s, &s->rqs[to]);
		move_queued_task(s, p, to, MOVED_BY_HOTPLUG);
		n++;
	}
	fair_server_stop(s, rq);
	dl_rq_offline(s, rq);
	return n;
}

/* timers_dead_cpu(): whatever would fire there fires on the first housekeeping CPU. */
static u32 move_timers(struct sim *s, cpu_id cpu)
{
	cpu_id to = housekeeping_cpu(s);
	u32 n = 0;

	for_each_live(p, &s->arena, POOL_TASK)
	{
		struct task *t = &s->tasks[p];

		if (t->wake_cpu != cpu)
			continue;
		t->wake_cpu = to;
		n += t->wake_at != NEVER;
	}
	return n;
}

/* clear_tg_offline_cfs_rqs(), v6.8: its groups' queues no longer count for the groups' loads. */
static void clear_group_loads(struct sim *s, cpu_id cpu)
{
	if (!sched_feat(s, TG_RATELIMIT))
		return;
	for (u32 tg = 1; tg < arena_len(&s->arena, POOL_GROUP); tg++) {
		struct cfs_rq *q = tg_cfs(s, tg, cpu);

		s->groups[tg].load_avg -= q->tg_load_avg_contrib;
		q->tg_load_avg_contrib = 0;
	}
}

static void restart_governor(struct sim *s, u32 fd)
{
	const struct sched_policy *pol = s->policy[SLOT_GOVERNOR];
	const struct governor_ops *ops = pol->ops;

	/* Without CPUs the domain keeps its frequency, and nobody asks for another. */
	if (s->fds[fd].nr_cpus && ops->start)
		ops->start(s, pol->priv, fd);
}

int cpu_down(struct sim *s, cpu_id cpu)
{
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;
	struct rq *rq = &s->rqs[cpu];
	u32 tasks, timers;

	if (rq->mode == CPU_OFFLINE || s->g->nr_online == 1)
		return 0;
	if (rebuild(s, cpu, false))
		return -1;
	/* Who runs this: itself, with one policy perhaps another. */
	nohz->exit(s, cpu, nohz->offline_by ? nohz->offline_by(s, cpu) : cpu);
	/* Before tasks leave: a group whose CPUs are all gone has others now. */
	BUG_ON(cpuset_hotplug(s));
	rq = &s->rqs[cpu];
	rq->softirq_pending = 0;
	rq->nohz_flags = 0;
	rq->irq_pending &= ~IRQ_NOHZ;
	cpu_flush(s, rq);
	bandwidth_rq_online(s, rq, false);
	tasks = leave_cpu(s, rq);
	timers = move_timers(s, cpu);
	clear_group_loads(s, cpu);
	rq->misfit_task_load = 0;
	rq->active_balance = 0;
	rq->idle_stamp = 0;
	cpu_set_online(s, rq, false);
	signal_energy_update(s, cpu);
	restart_governor(s, s->topo[cpu].fd);
	starved_recount(s);
	trace(s, TR_cpu_hotplug, cpu, NONE, trace_pair(0, s->g->nr_online),
	      trace_pair(tasks, timers));
	return 0;
}

int cpu_up(struct sim *s, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];

	if (rq->mode != CPU_OFFLINE)
		return 0;
	if (rebuild(s, cpu, true))
		return -1;
	rq = &s->rqs[cpu];
	cpu_set_online(s, rq, true);
	rt_rq_online(s, rq);
	bandwidth_rq_online(s, rq, true);
	update_rq_clock(s, rq);
	signal_energy_update(s, cpu);
	restart_governor(s, s->topo[cpu].fd);
	idle_enter(s, rq);
	BUG_ON(cpuset_hotplug(s));
	starved_recount(s);
	trace(s, TR_cpu_hotplug, cpu, NONE, trace_pair(1, s->g->nr_online), 0);
	return 0;
}
