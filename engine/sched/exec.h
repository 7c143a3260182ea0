/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec.h - what a CPU does with its time: idle, the current task, or steps of the kernel.
 *
 * Kernel work is a stack of steps per CPU, each with a cost; its effect happens at its end. A step
 * of cost 0 has its effect in the same event, so the ideal scheduler and the costly one are one
 * code path. Times here never touch the run queue's clock: the kernel scales a whole delta at its
 * next clock update, and an extra update would change the signals.
 */
#ifndef SG_ENGINE_SCHED_EXEC_H
#define SG_ENGINE_SCHED_EXEC_H

#include "engine/sim.h"

enum cost_path {
	PATH_WAKEUP,
	PATH_SWITCH,
	PATH_TICK,
	PATH_NEWIDLE,
	PATH_ILB,
	PATH_BALANCE,
	PATH_SUGOV,
	PATH_IDLE_EXIT,
	PATH_SYSCALL,
	NR_PATHS
};
extern const char *const cost_path_names[NR_PATHS];

enum kstep_effect {
	KS_NONE,
	KS_SCHEDULE,
	KS_TTWU, /* a: task, b: wake flags */
	KS_TICK,
	KS_NEW_TASK, /* a: task */
	KS_KTHREAD_WAKE, /* the governor's thread is woken on this CPU */
	KS_KTHREAD, /* it has done its work */
	KS_NOHZ, /* asked to balance for idle CPUs */
	KS_PASS, /* a: enum pass_ctx; work that decides step by step: pass.h says how */
};

/* cpu_account - book the time since the CPU's segment began; the new one begins now. */
void cpu_account(struct sim *s, struct rq *rq);

/* cpu_set_speed - frequency, sibling or cap changed: book, recompute, re-arm. */
void cpu_set_speed(struct sim *s, cpu_id cpu);

/* cpu_interrupt - an interrupt on @rq whose handler has @effect after @cost ns. */
void cpu_interrupt(struct sim *s, struct rq *rq, enum cost_path path, enum kstep_effect effect,
		   u32 a, u64 b, u64 cost);

/* cpu_push_step - @step comes before what the CPU is at now; its time begins. */
void cpu_push_step(struct sim *s, struct rq *rq, struct kstep step);

/* kfunc_entry, kfunc_exit - for the function graph: @func, about CPU @target or NONE; begun when. */
void kfunc_entry(struct sim *s, const struct rq *rq, enum kfunc func, cpu_id target);
void kfunc_exit(struct sim *s, const struct rq *rq, enum kfunc func, cpu_id target, ktime_ns began);

/* timer_pending_cancel - @p no longer waits for its timer's interrupt to be handled. */
void timer_pending_cancel(struct sim *s, task_id p);

/* cpu_run - the way out of the kernel: pending steps, interrupts, reschedule, then task or idle. */
void cpu_run(struct sim *s, struct rq *rq);

/* cpu_segment_end - the event of the CPU's segment: a step or the task's work is over. */
void cpu_segment_end(struct sim *s, struct rq *rq);

/* kthread_wake - the CPU @by wakes the governor's thread of @rq's frequency domain there. */
void kthread_wake(struct sim *s, struct rq *rq, cpu_id by);

/* cpu_attend - the CPU has work to look at (a reschedule): before the next event. */
static inline void cpu_attend(struct sim *s, cpu_id cpu)
{
	s->resched[cpu / 64] |= 1ull << (cpu % 64);
	s->g->nr_need_resched = 1;
}

/*
 * cpu_flush - all that the CPU still had to do in the kernel is done at once: it is about to go
 * offline. Its current task, if any, is then one that may run.
 */
void cpu_flush(struct sim *s, struct rq *rq);

/* cpu_set_online - @rq's CPU, which has no task, ceases to be there, owing nothing, or is back. */
void cpu_set_online(struct sim *s, struct rq *rq, bool online);

/* tick_start, tick_stop - the periodic tick of a CPU, on jiffies. */
void tick_start(struct sim *s, struct rq *rq);
void tick_stop(struct sim *s, struct rq *rq);

/* jiffy_start - when jiffy @n begins: floor(n * 10^9 / HZ). */
ktime_ns jiffy_start(const struct sim *s, u64 n);

/* cpu_power_uw - what the CPU draws in its present mode, at its domain's frequency. */
u64 cpu_power_uw(const struct sim *s, const struct rq *rq);

#endif
