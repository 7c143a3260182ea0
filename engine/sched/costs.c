/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * costs.c - the table and what a path costs in the present state. See costs.def for sources.
 */
#include "engine/sched/costs.h"

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/sched/capacity.h"

const struct cost_desc cost_descs[NR_COSTS] = {
#define COST(name, ns, what, source) { "cost_" #name "_ns", what, source, ns },
#include "engine/sched/costs.def"
#undef COST
};

/* Wall time as work: what a CPU waits does not get longer with its clock. */
static u64 wall(const struct rq *rq, u64 ns)
{
	return (ns * rq->speed) >> 20;
}

/* How long a cache line takes from @other to @cpu, ns; between nodes as numa_remote_pct has it. */
static u64 line_ns(const struct sim *s, cpu_id cpu, cpu_id other)
{
	u64 ns = machine_comm_ns(s->machine, s->comm_ranks, cpu, other);

	return s->topo[cpu].node == s->topo[other].node ? ns : ns * s->g->tun.numa_remote_pct / 100;
}

u64 cost_of_line(const struct sim *s, cpu_id cpu, cpu_id other)
{
	if (!s->g->tun.costs || cpu == other)
		return 0;
	return wall(&s->rqs[cpu], line_ns(s, cpu, other));
}

/* Lines of another CPU that an update of its averages touches: overhead of the root, per queue. */
#define BLOCKED_LINES 6u /* lock, clocks (2), root averages (2), flags */
#define BLOCKED_QUEUE_LINES 3u /* the queue's averages (2), the group's total */

static u64 cost_of_queues(const struct sim *s, cpu_id by, cpu_id cpu, u64 queues)
{
	return cost_ns(s, COST_blocked) + queues * cost_ns(s, COST_blocked_queue) +
	       (BLOCKED_LINES + BLOCKED_QUEUE_LINES * queues) * cost_of_line(s, by, cpu);
}

u64 cost_of_blocked(const struct sim *s, cpu_id by, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];
	u64 queues = 0;

	if (!s->g->tun.costs)
		return 0;
	for (cfs_id q = rq->leaf_head; q != NONE; q = s->cfs_rqs[q].leaf_next)
		queues++;
	return cost_of_queues(s, by, cpu, queues);
}

u64 governor_owed(const struct sim *s)
{
	return s->g->this_cpu == NONE ? 0 : s->rqs[s->g->this_cpu].owed[PATH_SUGOV];
}

void blocked_took(struct sim *s, cpu_id cpu, u32 queues, u64 owed_before)
{
	cpu_id by = s->g->this_cpu;
	u64 ns;

	if (by == NONE || !s->g->tun.costs)
		return;
	ns = cost_of_queues(s, by, cpu, queues) + governor_owed(s) - owed_before;
	hist_fine_add(&s->khists[KHIST_BLOCKED].hist, (ns << 20) / s->rqs[by].speed);
}

u64 cost_of_visits(const struct sim *s, cpu_id by, mask_id span, enum cost_id each)
{
	u64 ns = 0;

	if (!s->g->tun.costs)
		return 0;
	for_each_cpu_mask(i, mask_get(s, span), s->g->mask_words)
		ns += cost_ns(s, each) + cost_of_line(s, by, i);
	return ns;
}

/* When @me gets the lock, which it then holds for @hold ns of work. */
static u64 lock_take(struct sim *s, struct rq *me, struct rq *target, u64 hold)
{
	u64 now = s->g->now, free_at = target->lock_free_at, begin = now;

	/* The kernel never waits for a lock that it holds itself. */
	if (free_at > now && target->lock_holder != me->cpu)
		begin = free_at;
	begin += line_ns(s, me->cpu, target->cpu);
	target->lock_free_at = max_u64(free_at, begin + (hold << 20) / me->speed);
	target->lock_holder = me->cpu;
	if (me != target) {
		s->stats->remote_locks++;
		s->stats->remote_lock_ns += begin - now;
	}
	return begin - now;
}

u64 rq_lock_wait(struct sim *s, struct rq *me, struct rq *target, u64 hold)
{
	return s->g->tun.costs ? wall(me, lock_take(s, me, target, hold)) : 0;
}

void rq_lock_cost(struct sim *s, struct rq *me, struct rq *target, enum cost_path path, u64 hold)
{
	if (s->g->tun.costs && me != target)
		cost_owe(s, me, path, wall(me, lock_take(s, me, target, hold)));
}

u64 cost_of_wakeup(const struct sim *s, cpu_id this_cpu)
{
	if (!s->g->tun.costs)
		return 0;

	u64 ns = cost_ns(s, COST_wakeup);

	if (eas_active(s) && !s->g->overutilized)
		return ns + s->g->nr_cpus * cost_ns(s, COST_wakeup_eas);
	return ns + s->masks[s->topo[this_cpu].llc_mask].weight * cost_ns(s, COST_wakeup_scan);
}

static u32 depth_of(const struct sim *s, const struct rq *rq)
{
	return rq->curr == NONE ? 0 : s->task_se[rq->curr].depth;
}

/* Another CPU holds this queue's lock: its own CPU spins. */
static u64 wait_for_own(const struct sim *s, const struct rq *rq)
{
	if (rq->lock_free_at <= s->g->now || rq->lock_holder == rq->cpu)
		return 0;
	return wall(rq, rq->lock_free_at - s->g->now);
}

u64 cost_of_switch(const struct sim *s, const struct rq *rq)
{
	if (!s->g->tun.costs)
		return 0;

	u64 ns = cost_ns(s, COST_switch) + depth_of(s, rq) * cost_ns(s, COST_switch_group);

	if (rq->active_balance ||
	    (rq->curr != NONE && (s->tasks[rq->curr].flags & PF_PINNED_PENDING)))
		ns += cost_ns(s, COST_stopper);
	return ns + wait_for_own(s, rq);
}

u64 cost_of_tick(const struct sim *s, const struct rq *rq)
{
	if (!s->g->tun.costs)
		return 0;
	return cost_ns(s, COST_tick) + depth_of(s, rq) * cost_ns(s, COST_tick_group) +
	       wait_for_own(s, rq);
}

u64 cost_of_sugov(const struct sim *s, u32 fd)
{
	if (!s->g->tun.costs)
		return 0;
	return cost_ns(s, COST_sugov) + s->fds[fd].nr_cpus * cost_ns(s, COST_sugov_cpu);
}

u64 freq_thread_work(const struct sim *s)
{
	u64 ns = cost_ns(s, COST_freq_thread);

	return ns ? ns + cost_ns(s, COST_switch) : 0;
}
