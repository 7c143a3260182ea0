/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * costs.c - the table and what a path costs in the present state. See costs.def for sources.
 */
#include "engine/sched/costs.h"

#include "engine/access.h"
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

u64 cost_of_line(const struct sim *s, cpu_id cpu, cpu_id other)
{
	if (!s->g->tun.costs || cpu == other)
		return 0;
	return wall(&s->rqs[cpu], machine_comm_ns(s->machine, s->comm_ranks, cpu, other));
}

u64 cost_of_blocked(const struct sim *s, u32 queues)
{
	return cost_ns(s, COST_blocked) + queues * cost_ns(s, COST_blocked_queue);
}

void rq_lock_cost(struct sim *s, struct rq *me, struct rq *target, enum cost_path path, u64 hold)
{
	if (!s->g->tun.costs || me == target)
		return;

	u64 now = s->g->now;
	u64 begin = max_u64(now, target->lock_free_at) +
		    machine_comm_ns(s->machine, s->comm_ranks, me->cpu, target->cpu);

	target->lock_free_at = begin + (hold << 20) / me->speed;
	target->lock_holder = me->cpu;
	s->stats->remote_locks++;
	s->stats->remote_lock_ns += begin - now;
	cost_owe(s, me, path, wall(me, begin - now));
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

u64 cost_of_switch(const struct sim *s, const struct rq *rq)
{
	if (!s->g->tun.costs)
		return 0;

	u64 ns = cost_ns(s, COST_switch) + depth_of(s, rq) * cost_ns(s, COST_switch_group);

	/* Another CPU holds this queue's lock: it spins. */
	if (rq->lock_free_at > s->g->now)
		ns += wall(rq, rq->lock_free_at - s->g->now);
	return ns;
}

u64 cost_of_tick(const struct sim *s, const struct rq *rq)
{
	if (!s->g->tun.costs)
		return 0;
	return cost_ns(s, COST_tick) + depth_of(s, rq) * cost_ns(s, COST_tick_group);
}

u64 cost_of_newidle(const struct sim *s, const struct rq *rq)
{
	if (!s->g->tun.costs)
		return 0;

	u32 sd = s->cpu_sd[rq->cpu].sd;
	u64 queues = 0;

	for (cfs_id q = rq->leaf_head; q != NONE; q = s->cfs_rqs[q].leaf_next)
		queues++;
	return cost_ns(s, COST_newidle) + cost_ns(s, COST_blocked) +
	       queues * cost_ns(s, COST_blocked_queue) +
	       (sd == NONE ? 0 : s->masks[s->domains[sd].span].weight) *
		       cost_ns(s, COST_newidle_cpu);
}

u64 cost_of_sugov(const struct sim *s, u32 fd)
{
	if (!s->g->tun.costs)
		return 0;
	return cost_ns(s, COST_sugov) + s->fds[fd].nr_cpus * cost_ns(s, COST_sugov_cpu);
}
