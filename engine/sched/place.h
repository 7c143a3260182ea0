/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place.h - which CPU a task goes to: the question to the `place` slot, and the answer's check.
 */
#ifndef SG_ENGINE_SCHED_PLACE_H
#define SG_ENGINE_SCHED_PLACE_H

#include "engine/access.h"

/*
 * select_task_rq - CPU for @p. @flags: WF_TTWU, WF_FORK, WF_EXEC, or 0 for "must leave its CPU". A
 * task with one allowed CPU is not asked about; an answer outside its mask, or offline, is replaced
 * by an allowed CPU (select_fallback_rq()).
 */
cpu_id select_task_rq(struct sim *s, task_id p, cpu_id prev, cpu_id this_cpu, u32 flags);

static inline bool cpu_allowed(const struct sim *s, const struct task *t, cpu_id cpu)
{
	return mask_has_cpu(s, t->cpus, cpu) && s->rqs[cpu].mode != CPU_OFFLINE;
}

/*
 * select_fallback_rq - a CPU for @p, which may not stay on @cpu or go where it should: one of the same
 * node, then any that it may use, both in the order of their numbers. If its affinity has no online
 * CPU it loses that: event affinity_broken.
 */
cpu_id select_fallback_rq(struct sim *s, task_id p, cpu_id cpu);

/* First allowed and online CPU at or after @from, wrapping; NONE if there is none. */
cpu_id any_allowed_cpu(const struct sim *s, const struct task *t, cpu_id from);

/* mask_intern - id of the mask with these words; takes a reference. NONE: pool full. */
mask_id mask_intern(struct sim *s, const u64 *words);
void mask_get_ref(struct sim *s, mask_id mask);
void mask_put(struct sim *s, mask_id mask);

#endif
