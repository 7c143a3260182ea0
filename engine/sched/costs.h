/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * costs.h - the cost table (costs.def) and the ways a path pays.
 *
 * A path that is known beforehand is a step of the kernel whose effect comes at its end (exec.h).
 * What turns up inside another effect - a frequency computed during a wake-up - is owed: the CPU
 * pays it in a step of its own right after, before it does anything else. That may be another
 * CPU than the one that acts: a queue's owner pays for what is done to it.
 */
#ifndef SG_ENGINE_SCHED_COSTS_H
#define SG_ENGINE_SCHED_COSTS_H

#include "engine/sched/exec.h"
#include "engine/sim.h"

enum cost_id {
#define COST(name, ns, what, source) COST_##name,
#include "engine/sched/costs.def"
#undef COST
	NR_COSTS
};
_Static_assert(NR_COSTS <= COSTS_MAX, "struct tunables has room");
_Static_assert(NR_COSTS <= MACHINE_MAX_COSTS, "struct machine_desc has room");

struct cost_desc {
	const char *name, *what, *source;
	u64 ns;
};
extern const struct cost_desc cost_descs[NR_COSTS];

/* cost_ns - the cost in force: 0 when costs are off. */
static inline u64 cost_ns(const struct sim *s, enum cost_id id)
{
	return s->g->tun.costs ? s->g->tun.cost[id] : 0;
}

/* cost_owe - @rq's CPU owes @ns for work on @path; nobody pays where it is offline. */
static inline void cost_owe(struct sim *s, struct rq *rq, enum cost_path path, u64 ns)
{
	if (s->g->tun.costs && ns && rq->mode != CPU_OFFLINE) {
		rq->owed[path] += (u32)ns;
		rq->owes = 1;
		cpu_attend(s, rq->cpu);
	}
}

/*
 * rq_lock_cost - @me's CPU takes the lock of @target, another CPU's queue, and holds it for @hold ns
 * of work: it waits until the lock is free and its cache line has come, and owes that time on @path.
 * First come, first served, in event order.
 */
void rq_lock_cost(struct sim *s, struct rq *me, struct rq *target, enum cost_path path, u64 hold);

/* cost_of_line - moving a cache line from @other to @cpu, in full-speed ns of @cpu; 0 = costs off. */
u64 cost_of_line(const struct sim *s, cpu_id cpu, cpu_id other);
/*
 * rq_lock_wait - the same for a step of a pass that is about to be paid: takes the lock of @target for
 * @hold ns and returns what waiting for it and for its line costs, in full-speed ns of @me's CPU.
 * Also for @me's own queue, which another CPU may hold.
 */
u64 rq_lock_wait(struct sim *s, struct rq *me, struct rq *target, u64 hold);

/*
 * cost_of_blocked - CPU @by updates the blocked averages of @cpu: lock and root queue, each queue on
 * the list of those with load, and, for another CPU's, the cache lines that all these lie in.
 */
u64 cost_of_blocked(const struct sim *s, cpu_id by, cpu_id cpu);
/* governor_owed - what the executing CPU owes to the governor by now. */
u64 governor_owed(const struct sim *s);
/*
 * blocked_took - statistics: such an update, with @queues on the list, has just been done. It includes
 * what the governor was owed since then: @owed_before is governor_owed() at its beginning.
 */
void blocked_took(struct sim *s, cpu_id cpu, u32 queues, u64 owed_before);
/* cost_of_visits - CPU @by reads the statistics of the CPUs of @span: @each, and a line each. */
u64 cost_of_visits(const struct sim *s, cpu_id by, mask_id span, enum cost_id each);

/* Whole paths: with the number of CPUs, levels and queues that the machine and state give. */
u64 cost_of_wakeup(const struct sim *s, cpu_id this_cpu);
u64 cost_of_switch(const struct sim *s, const struct rq *rq);
u64 cost_of_tick(const struct sim *s, const struct rq *rq);
u64 cost_of_sugov(const struct sim *s, u32 fd);
/* freq_thread_work - what the governor's thread does for one change, the switch to it included. */
u64 freq_thread_work(const struct sim *s);

#endif
