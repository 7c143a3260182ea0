/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * starved.c - time during which a node is wholly idle while another has a task waiting that may run
 * there.
 *
 * No counterpart in the kernel. A node is idle when no task is queued on any of its CPUs; a task
 * waits while it is queued, not running, not throttled and not merely finishing a delayed dequeue.
 * Only CPUs that an event touched are looked at again, their tasks only while some node is idle.
 */
#include "engine/observe/starved.h"

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/class.h"

static u32 node_words(const struct sim *s)
{
	return (s->g->nr_nodes + 63) / 64;
}

static u64 *row_of(const struct sim *s, cpu_id cpu)
{
	return s->starved_rows + (size_t)cpu * node_words(s);
}

static bool waits(const struct sim *s, const struct rq *rq, task_id p)
{
	if (p == rq->curr || !task_is_fair(s, p))
		return p != rq->curr;
	return !s->task_se[p].sched_delayed && !throttled_hierarchy(cfs_rq_of(s, p));
}

/* Adds the nodes that the tasks of a list, from @p on, may use; true: that is all nodes but its own. */
static bool add_wanted(const struct sim *s, const struct rq *rq, task_id p, u64 *row)
{
	u32 nodes = s->g->nr_nodes, own = s->topo[rq->cpu].node;
	const u64 *online = mask_get(s, s->g->online);

	for (; p != NONE; p = s->tasks[p].list_next) {
		if (!waits(s, rq, p))
			continue;
		if (!s->tasks[p].cpus) {
			cpumask_fill(row, node_words(s), nodes);
			cpumask_clear(row, own);
			return true;
		}
		for_each_cpu_mask_and(c, mask_get(s, s->tasks[p].cpus), online, s->g->mask_words)
		{
			if (s->topo[c].node != own)
				cpumask_set(row, s->topo[c].node);
		}
		if (cpumask_weight(row, node_words(s)) == nodes - 1)
			return true;
	}
	return false;
}

/* Nodes other than its own that some task waiting on @cpu may use. */
static void wanted_nodes(const struct sim *s, cpu_id cpu, u64 *row)
{
	const struct rq *rq = &s->rqs[cpu];

	cpumask_zero(row, node_words(s));
	if (!rq->nr_running || add_wanted(s, rq, rq->cfs_tasks_head, row) ||
	    add_wanted(s, rq, rq->dl_head, row) || rq->rt_throttled)
		return;
	add_wanted(s, rq, rq->rt_head, row);
}

static void refresh_row(struct sim *s, cpu_id cpu)
{
	u64 fresh[MACHINE_MAX_NODES / 64] = { 0 }, *row = row_of(s, cpu);

	wanted_nodes(s, cpu, fresh);
	for (u32 w = 0; w < node_words(s); w++) {
		for (u64 diff = row[w] ^ fresh[w]; diff; diff &= diff - 1) {
			u32 n = w * 64 + (u32)__builtin_ctzll(diff);

			s->node_stats[n].wanted_by += fresh[w] & diff & -diff ? 1u : ~0u;
		}
		row[w] = fresh[w];
	}
}

static void set_starving(struct sim *s, struct node_stats *ns, bool on)
{
	if (on == (ns->starved_since != NEVER))
		return;
	if (on) {
		ns->starved_since = s->g->now;
	} else {
		ns->starved_ns += s->g->now - ns->starved_since;
		ns->starved_since = NEVER;
	}
	s->stats->nodes_starving += on ? 1u : ~0u;
}

static bool is_idle_node(const struct node_stats *ns)
{
	return ns->online && !ns->busy_cpus;
}

void starved_update(struct sim *s)
{
	struct sim_stats *st = s->stats;

	st->starved_touched = 0;
	for (u32 w = 0; w < s->g->mask_words; w++) {
		for (u64 left = s->starved_new[w]; left; left &= left - 1) {
			cpu_id cpu = w * 64 + (u32)__builtin_ctzll(left);
			struct cpu_stats *cs = &s->cpu_stats[cpu];
			u32 busy = s->rqs[cpu].nr_running != 0;

			if (busy == cs->counted_busy)
				continue;

			struct node_stats *ns = &s->node_stats[s->topo[cpu].node];
			bool was = is_idle_node(ns);

			ns->busy_cpus += busy - cs->counted_busy;
			cs->counted_busy = busy;
			st->nodes_idle += (u32)is_idle_node(ns) - (u32)was;
		}
		s->starved_old[w] |= s->starved_new[w];
		s->starved_new[w] = 0;
	}
	if (!st->nodes_idle && !st->nodes_starving)
		return;
	if (st->nodes_idle) {
		for (u32 w = 0; w < s->g->mask_words; w++) {
			for (; s->starved_old[w]; s->starved_old[w] &= s->starved_old[w] - 1)
				refresh_row(s, w * 64 + (u32)__builtin_ctzll(s->starved_old[w]));
		}
	}
	for (u32 n = 0; n < s->g->nr_nodes; n++) {
		struct node_stats *ns = &s->node_stats[n];

		set_starving(s, ns, is_idle_node(ns) && ns->wanted_by);
	}
}

void starved_recount(struct sim *s)
{
	if (s->g->nr_nodes <= 1)
		return;
	for (u32 n = 0; n < s->g->nr_nodes; n++) {
		s->node_stats[n].online = 0;
		s->node_stats[n].busy_cpus = 0;
	}
	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		s->node_stats[s->topo[c].node].online += s->rqs[c].mode != CPU_OFFLINE;
		s->cpu_stats[c].counted_busy = 0;
		starved_touch(s, c);
	}
	s->stats->nodes_idle = 0;
	for (u32 n = 0; n < s->g->nr_nodes; n++)
		s->stats->nodes_idle += is_idle_node(&s->node_stats[n]);
}

u64 starved_ns_now(const struct sim *s, u32 node)
{
	const struct node_stats *ns = &s->node_stats[node];

	return ns->starved_ns + (ns->starved_since == NEVER ? 0 : s->g->now - ns->starved_since);
}
