/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * starved.h - how long a node was wholly idle while a task that may run there waited elsewhere.
 */
#ifndef SG_ENGINE_OBSERVE_STARVED_H
#define SG_ENGINE_OBSERVE_STARVED_H

#include "engine/sim.h"

/* starved_touch - tasks of @cpu came, went, were switched, or may run elsewhere than before. */
static inline void starved_touch(struct sim *s, cpu_id cpu)
{
	if (s->g->nr_nodes > 1) {
		s->starved_new[cpu / 64] |= 1ull << (cpu % 64);
		s->stats->starved_touched = 1;
	}
}

/* starved_update - after an event: which nodes starve from now on. */
void starved_update(struct sim *s);

/* starved_recount - CPUs went offline or came back, or the simulation begins. */
void starved_recount(struct sim *s);

/* starved_ns_now - ns that node @node has starved, the open interval included. */
u64 starved_ns_now(const struct sim *s, u32 node);

#endif
