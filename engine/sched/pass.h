/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pass.h - passes: work of the kernel in many steps, which reads, decides and acts at the end of
 * each one and not before.
 *
 * How a pass iterates. pass_begin() calls the pass's function at once with stage 0: nothing has been
 * paid yet. The function says in *ns what the next step costs at full speed and returns true; when
 * that step has been paid it is called again, does what the step was for (visits the CPU, moves the
 * tasks), decides, and names the next step, and so on until it returns false: the pass is over. What
 * it has to remember between two calls is in struct kpass. So an abort test belongs after the visit
 * of a CPU, in the same call, and sees what came while the step was paid: rq->need_resched,
 * rq->nr_running, rq->irq_pending.
 *
 *	step(p): if (p->stage == VISIT) { visit(p->cpu); if (give_up()) return false; }
 *		 p->cpu = next(); p->stage = VISIT; *ns = cost(p->cpu); return p->cpu != NONE;
 *
 * A step that costs nothing is not waited for: with costs off the whole pass happens inside
 * pass_begin(), in the event that begins it. What is owed meanwhile (costs.h) is paid before the
 * next step. Time spent waiting for the lock of a visited queue belongs to the step's cost:
 * rq_lock_wait().
 *
 * No such thing in the kernel, whose loops simply take their time.
 */
#ifndef SG_ENGINE_SCHED_PASS_H
#define SG_ENGINE_SCHED_PASS_H

#include "engine/sim.h"

enum pass_fn {
	PASS_NONE,
	PASS_NEWIDLE, /* policy/newidle_pass.c */
	PASS_BALANCE, /* policy/balance_linux.c: a CPU's own domains */
	PASS_NOHZ, /* policy/nohz_core.c: round for idle CPUs */
	NR_PASS_FNS
};

/*
 * pass_begin - @rq's CPU begins the pass @fn in context @ctx, in which it has none, with @flags for
 * its function. True: it is over already. The steps of PASS_SCHEDULE have interrupts off, those of
 * PASS_SOFTIRQ are in interrupt context with interrupts open, those of PASS_IDLE_LOOP are neither.
 */
bool pass_begin(struct sim *s, struct rq *rq, enum pass_ctx ctx, enum pass_fn fn, u32 flags);

/* pass_step - a step of the pass in @ctx has been paid. True: that was the last. */
bool pass_step(struct sim *s, struct rq *rq, enum pass_ctx ctx);

/*
 * The function graph: before it returns, the pass's function says what the step to be paid is, and it
 * may say that a part made of several steps begins. The pass itself is shown by its own name. A pass
 * that took no time is not shown.
 */
static inline void pass_step_is(struct kpass *p, enum kfunc func, cpu_id cpu)
{
	p->step_func = (u8)func;
	p->step_cpu = cpu;
}
void pass_part_begin(struct sim *s, struct kpass *p, enum kfunc func);
void pass_part_end(struct sim *s, struct rq *rq, struct kpass *p);

/* pass_step_starts - the step that the pass in @ctx waits for begins to run. */
void pass_step_starts(struct sim *s, struct rq *rq, enum pass_ctx ctx);

/* pass_shows - has a pass of @rq's CPU been entered in the function graph and not been left? */
bool pass_shows(const struct rq *rq);

/* pass_cancel_all - domains are about to change: passes that look at them end at their next step. */
void pass_cancel_all(struct sim *s);

/* pass_active - is @rq's CPU at a pass in this context? */
static inline bool pass_active(const struct rq *rq, enum pass_ctx ctx)
{
	return rq->pass[ctx].fn != PASS_NONE;
}

/*
 * softirq_raise - @rq's CPU is to balance its domains (SOFTIRQ_BALANCE), or to go round for idle
 * CPUs as it was asked (SOFTIRQ_NOHZ), after what its softirq is at.
 */
void softirq_raise(struct sim *s, struct rq *rq, u32 what);

/* The functions: see above. */
bool newidle_step(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns);
bool balance_step(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns);
/* nohz_round_lost - round @p will not come to its end: somebody has to do it again. */
void nohz_round_lost(struct sim *s, const struct kpass *p);
bool nohz_step(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns);

#endif
