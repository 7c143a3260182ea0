/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pelt_run.h - the averages of tasks whose timeline is known: no program runs and no policy picks,
 * but clocks, queues, averages and estimates are the engine's own.
 *
 * Follows what kernel/sched/core.c and fair.c do to the averages at a wake-up, a sleep, a switch, a
 * tick and a migration. A delayed dequeue (v6.12) shows as a sleep: a timeline does not tell when
 * the task left the queue, and neither its util_avg nor its runnable_avg depends on it.
 */
#ifndef SG_APP_PELT_RUN_H
#define SG_APP_PELT_RUN_H

#include "engine/sim.h"

struct pelt_run_config {
	u32 nr_cpus, nr_tasks; /* at most so many */
	const char *profile; /* NULL: v6.12 */
	const char *rule; /* util_est rule; NULL: the profile's */
	u32 half_life_ms; /* 8, 16, 32; 0: 32 */
	u32 hz; /* only kept for those who ask the tick's length; 0: 250 */
};

/* Returns a simulation to be driven by the functions below and freed by sim_free(), or NULL. */
struct sim *pelt_run_new(const struct pelt_run_config *cfg, struct err *err);

/*
 * It is @now ns of the timeline, not before the last call's. Nothing is updated. PELT time begins
 * at CLOCK_TASK_START of engine/sched/clock.h, the start of a period.
 */
void pelt_run_time(struct sim *s, u64 now);

/*
 * pelt_run_task - a task that sleeps on @cpu, all averages 0; @fresh: it is new and has yet to get
 * the kernel's first guess, at its first wake-up. Its name is of no importance here.
 */
task_id pelt_run_task(struct sim *s, cpu_id cpu, s8 nice, bool fresh);

/* Capacity and frequency of a CPU from now on, 1..1024 each; time up to now is as it was. */
void pelt_run_speed(struct sim *s, cpu_id cpu, u32 capacity, u32 freq_scale);

/* A sleeping task becomes runnable on @cpu. */
void pelt_run_wake(struct sim *s, task_id p, cpu_id cpu);
/* A queued task goes to sleep; if it runs, pelt_run_switch() must follow before it wakes. */
void pelt_run_sleep(struct sim *s, task_id p);
/* A queued task that does not run goes to @cpu. */
void pelt_run_move(struct sim *s, task_id p, cpu_id cpu);
/* @cpu runs @next from now on, which is queued there or NONE. */
void pelt_run_switch(struct sim *s, cpu_id cpu, task_id next);
/* The tick on @cpu; nothing happens while it is idle. */
void pelt_run_tick(struct sim *s, cpu_id cpu);
/* A new nice value. */
void pelt_run_nice(struct sim *s, task_id p, s8 nice);

#endif
