/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * emit.h - writing a trace record from the engine: one mask test while nobody listens.
 */
#ifndef SG_ENGINE_OBSERVE_EMIT_H
#define SG_ENGINE_OBSERVE_EMIT_H

#include "engine/sim.h"

/* trace_on - does anyone want records of @type? For callers that must compute the fields. */
static inline bool trace_on(const struct sim *s, enum trace_type type)
{
	return __builtin_expect((s->trace.mask >> type & 1) != 0, 0);
}

/* Out of the way of the code around it, which mostly runs while nobody listens. */
__attribute__((cold, noinline)) void trace_emit(struct sim *s, enum trace_type type, cpu_id cpu,
						task_id task, u64 a, u64 b);

/* trace - record @type on @cpu about @task (NONE = nobody) with fields @a and @b. */
static inline void trace(struct sim *s, enum trace_type type, cpu_id cpu, task_id task, u64 a,
			 u64 b)
{
	if (trace_on(s, type))
		trace_emit(s, type, cpu, task, a, b);
}

#endif
