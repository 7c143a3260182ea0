/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nohz_node.c - idle balancing by node and by cache, mended.
 *
 * Not in the kernel: what the review of the patch of July 2021 asked for. The record is that of the
 * CPU concerned, whoever runs the code. A tick in a place without an idle CPU kicks for the nearest
 * place that has some; a place whose idle CPUs may not balance is served by the nearest that may.
 */
#include "engine/policy/nohz.h"

#include "engine/base/cpumask.h"

static u32 node_record(const struct sim *s, cpu_id by, cpu_id cpu)
{
	(void)by;
	return s->topo[cpu].node;
}

static u32 node_distance(const struct sim *s, cpu_id cpu, u32 to)
{
	const u64 *dist = arena_base(&s->arena, POOL_NODE_DISTANCE);

	return to < s->g->nr_nodes ? (u32)dist[s->topo[cpu].node * s->g->nr_nodes + to] : ~0u;
}

static u32 llc_record_of(const struct sim *s, cpu_id by, cpu_id cpu)
{
	(void)by;
	return s->topo[cpu].llc;
}

static u32 llc_distance(const struct sim *s, cpu_id cpu, u32 to)
{
	/* All CPUs of a record are in one cache: any of its mask stands for it. */
	cpu_id other = cpumask_first(nohz_mask_of(s, to), s->g->mask_words);

	return other == NONE ? ~0u : node_distance(s, cpu, s->topo[other].node);
}

static const struct nohz_scope node_scope = { .record = node_record,
					      .distance = node_distance,
					      .kicks = true };
static const struct nohz_scope llc_scope = { .record = llc_record_of,
					     .distance = llc_distance,
					     .kicks = true };

NOHZ_OPS(nohz_node_ops, node_scope, "node", NULL);
NOHZ_OPS(nohz_llc_ops, llc_scope, "cache", NULL);

const struct sched_policy nohz_node = {
	.name = "per-node",
	.summary = "a record per node; a node without idle CPUs kicks for the nearest with some",
	.doc = "As per-node-posted, mended: the record is that of the CPU concerned; a tick in a node "
	       "without an idle CPU kicks an idle CPU of the nearest node that has one, whose round "
	       "is for that node; where no housekeeping CPU of a node is idle, the nearest one "
	       "elsewhere does the round for it. Blocked load of a node that is idle as a whole is "
	       "looked after only while another node has no idle CPU. "
	       "A node whose idle CPUs may not take what waits there does not look further.",
	.slot = SLOT_NOHZ,
	.ops = &nohz_node_ops,
};

const struct sched_policy nohz_llc = {
	.name = "per-llc",
	.summary =
		"a record per last-level cache; the nearest one when all CPUs of a cache are busy",
	.doc = "As per-node, with last-level caches for nodes: caches of the same node come first, then "
	       "those of nearer nodes.",
	.slot = SLOT_NOHZ,
	.ops = &nohz_llc_ops,
};
