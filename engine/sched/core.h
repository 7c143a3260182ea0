/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core.h - schedule(), wake-ups, ticks, birth and death of tasks: kernel/sched/core.c of v6.12.
 */
#ifndef SG_ENGINE_SCHED_CORE_H
#define SG_ENGINE_SCHED_CORE_H

#include "engine/sched/dl.h"
#include "engine/sim.h"

/* resched_curr - the CPU must look again at who runs; it does before the next event. */
void resched_curr(struct sim *s, struct rq *rq);

/* schedule - put the current task back or to sleep, pick the next one, switch. */
void schedule(struct sim *s, struct rq *rq);

/* newidle_over - the search for work that schedule() began has been paid: it may finish. */
void newidle_over(struct sim *s, struct rq *rq);

/* try_to_wake_up - @p becomes runnable; @this_cpu runs the waker. False if it was not asleep. */
bool try_to_wake_up(struct sim *s, task_id p, cpu_id this_cpu, u32 wake_flags);

/* wake_up_new_task - first enqueue of @p, forked or spawned on @this_cpu. */
void wake_up_new_task(struct sim *s, task_id p, cpu_id this_cpu);

/* scheduler_tick - the tick's work on a CPU that is not idle. */
void scheduler_tick(struct sim *s, struct rq *rq);

/* set_task_rq - point the task's entity at the queue of its group on @cpu. */
void set_task_rq(struct sim *s, task_id p, cpu_id cpu);

#define MOVED_BY_HOTPLUG 4u

/*
 * move_queued_task - a queued task that does not run goes to @cpu. @reason as in the trace event
 * sched_migrate_task. Both clocks must be up to date.
 */
void move_queued_task(struct sim *s, task_id p, cpu_id cpu, u32 reason);

/* rq_vacate - the running task is put back into the queue; nobody runs until the next schedule(). */
void rq_vacate(struct sim *s, struct rq *rq);

/* task_kill - end @p wherever it is. Running tasks end when their CPU schedules. */
void task_kill(struct sim *s, task_id p);

/*
 * set_cpus_allowed - @p may run on the CPUs of @mask, a mask id whose reference is taken over, and
 * moves if it has to. What a task asks for goes through sched_setaffinity() of cpuset.h.
 */
void set_cpus_allowed(struct sim *s, task_id p, mask_id mask);

/* task_push - @p goes to @cpu, if it may: a running task at its CPU's next schedule(). */
void task_push(struct sim *s, task_id p, cpu_id cpu);

/* task_set_slice - own slice of @p in ns, 0 = the default again. */
void task_set_slice(struct sim *s, task_id p, u64 slice);

/* sched_move_task - @p changes its task group. Needs room for one more mask. */
void sched_move_task(struct sim *s, task_id p, u32 tg);

/*
 * task_set_sched - change policy, nice and rt priority of a task in any state. The
 * policy SCHED_DEADLINE is only kept by it, not given: task_set_deadline().
 */
void task_set_sched(struct sim *s, task_id p, u8 policy, s8 nice, u8 rt_priority);

/* task_set_deadline - @p becomes a SCHED_DEADLINE task, unless it is not admitted (traced). */
void task_set_deadline(struct sim *s, task_id p, const struct dl_params *dl);

/* idle_cpu - kernel/sched/syscalls.c: nothing runs, nothing queued, nothing on its way. */
static inline bool idle_cpu(const struct sim *s, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];

	return rq->curr == NONE && rq->nr_running == 0 && !rq->kthread && rq->mode != CPU_OFFLINE;
}

#endif
