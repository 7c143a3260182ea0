/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nohz_node_posted.c - idle balancing by node as Nicholas Piggin posted it in July 2021.
 *
 * Not in the kernel: a patch to kernel/sched/fair.c of Linux v5.13 that was not merged. Every use of
 * struct nohz becomes one of the record of the node that the executing CPU belongs to. Kept as they
 * were: a tick looks at the count of idle CPUs of its own node only; the record is that of who runs
 * the code, not of the CPU that it is about; one record for all as soon as any CPU is isolated.
 */
#include "engine/policy/nohz.h"

#include "engine/access.h"
#include "engine/base/cpumask.h"

static u32 posted_record(const struct sim *s, cpu_id by, cpu_id cpu)
{
	(void)cpu;
	return s->g->housekeeping ? 0 : s->topo[by].node;
}

static const struct nohz_scope posted_scope = { .record = posted_record,
						.kicks = true,
						.abort_first = true };

/* Assumed, where the parameter says so: the first CPU of another node does it. */
static cpu_id posted_offline_by(const struct sim *s, cpu_id cpu)
{
	if (!sim_policy_param(s, SLOT_NOHZ, 0))
		return cpu;
	for_each_cpu_mask(c, mask_get(s, s->g->online), s->g->mask_words)
	{
		if (s->topo[c].node != s->topo[cpu].node)
			return c;
	}
	return cpu;
}

NOHZ_OPS(nohz_posted_ops, posted_scope, "node", posted_offline_by);

static const struct policy_param posted_params[] = {
	{ "offline_remote", 0, 1, 0, "",
	  "1: a CPU of another node runs the offline path (assumed, to see what then happens)" },
	{ NULL, 0, 0, 0, NULL, NULL },
};

const struct sched_policy nohz_node_posted = {
	.name = "per-node-posted",
	.summary = "a record per node, exactly as posted in July 2021",
	.doc = "Each node has its own mask and count of idle CPUs; a kick wakes an idle CPU of the "
	       "kicker's node, whose round visits that node only. A node without an idle CPU counts "
	       "0 and never kicks, so a node that is idle as a whole gets no help while the busy one "
	       "stays full. Code takes the record of the CPU it runs on: where a CPU of another node "
	       "takes one offline (offline_remote), the wrong record is changed. With isolated CPUs "
	       "there is one record for all.",
	.slot = SLOT_NOHZ,
	.params = posted_params,
	.ops = &nohz_posted_ops,
};
