/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload.h - the interpreter of task programs, and birth and death of what it runs.
 */
#ifndef SG_ENGINE_WORKLOAD_WORKLOAD_H
#define SG_ENGINE_WORKLOAD_WORKLOAD_H

#include "engine/access.h"
#include "engine/workload/program.h"

/*
 * workload_run - go on with the program of the running task @p until a step takes time (true: its
 * segment can be armed) or the task must give up the CPU (false: a reschedule is pending).
 */
bool workload_run(struct sim *s, struct rq *rq, task_id p);

/* workload_cancel - take @p off timers, objects and locks: it ends. */
void workload_cancel(struct sim *s, task_id p);

/* task_release - free a dead task's memory: averages leave the queue, objects and program go. */
void task_release(struct sim *s, task_id p);

/*
 * Descriptions of tasks, numbered; heap memory beside the arena, because it never changes: the
 * number is the same in every run with the same inputs. A description's forks follow it.
 */
struct spec_table {
	struct task_spec **v; /* entries of forks point into their parent's tree */
	u8 *owned;
	u32 nr, cap;
};
/* spec_table_add - take over @spec; returns its number or -1 (then @spec is still the caller's). */
int spec_table_add(struct spec_table *t, struct task_spec *spec, struct err *err);
int spec_table_copy(struct spec_table *dst, const struct spec_table *src, struct err *err);
/* spec_table_truncate - forget the descriptions from number @nr on. */
void spec_table_truncate(struct spec_table *t, u32 nr);
void spec_table_free(struct spec_table *t);

/*
 * sim_room - make room for programs, objects and @tasks tasks of spec number @spec (NONE: one forked
 * task). Moves pools: every pointer into the arena is void after it.
 */
int sim_room(struct sim *s, u32 spec, u32 tasks, struct err *err);
/* sim_has_room - can the event about to run create one task? */
bool sim_has_room(const struct sim *s);

/* program_load - copy the steps of spec number @spec, and its forks', into the arena. */
u32 program_load(struct sim *s, u32 spec);
void program_put(struct sim *s, u32 program);

/*
 * task_create - one task of @program in state TASK_NEW on @cpu; the pools have room. @instance: its
 * number when the spec has several, NONE = forked. @key: its random stream. Returns the id.
 */
task_id task_create(struct sim *s, u32 program, u32 instance, cpu_id cpu, u64 key, u32 parent);

/* text_intern - id of the text, made on first use. */
u32 text_intern(struct sim *s, const char *text);

#endif
