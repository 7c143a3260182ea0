/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - what a task does: the language of steps, and the description a task is spawned from.
 *
 * A program is a flat list of steps; loops and phases are pairs of an opening and a closing step
 * that share a depth. Time-like operands carry a distribution, drawn from the task's own stream,
 * so that a workload is the same under every policy. struct task_spec is heap memory of the
 * application; spawning copies what it needs into the arena.
 */
#ifndef SG_ENGINE_WORKLOAD_PROGRAM_H
#define SG_ENGINE_WORKLOAD_PROGRAM_H

#include "engine/base/err.h"
#include "engine/state.h"

enum step_op {
	STEP_RUN, /* a: work in ns at capacity 1024, top frequency; ~0 = for ever */
	STEP_RUNTIME, /* a: busy until that much wall time has passed, waiting included */
	STEP_SLEEP, /* a: relative sleep */
	STEP_TIMER, /* obj: SYNC_TIMER, a: period; STEP_F_ABSOLUTE: a missed release is caught up */
	STEP_WAIT, /* obj: SYNC_COND: wait for a signal; b: index + 1 of a mutex that is released meanwhile,
		    * or with STEP_F_POST of a semaphore that is posted once it waits */
	STEP_WAKE, /* obj: SYNC_COND: wake one waiter; lost if nobody waits; b: index + 1 of the SYNC_STAMP
		    * that it carries, 0 = the present moment */
	STEP_BROADCAST, /* obj: SYNC_COND: wake all; b as above */
	STEP_LOCK, /* obj: SYNC_MUTEX */
	STEP_UNLOCK,
	STEP_BARRIER, /* obj: SYNC_BARRIER, a: parties */
	STEP_SEM_POST, /* obj: SYNC_SEM, with memory */
	STEP_SEM_WAIT,
	STEP_YIELD,
	STEP_FORK, /* a: index of a spec in task_spec.forks */
	STEP_EXIT,
	STEP_LOOP, /* depth, a: iterations, 0 = for ever */
	STEP_LOOP_END, /* depth, target: index of the first step of the body */
	STEP_PHASE, /* depth, a: duration; the body repeats while it lasts */
	STEP_PHASE_END, /* depth, target */
	STEP_SET_NICE, /* a: (u64)(s64)nice */
	STEP_SET_POLICY, /* a: enum sched_class_policy, b: rt priority */
	STEP_SET_CPUS, /* a: index of a mask in task_spec.masks; ~0 = the task's own */
	STEP_SET_UCLAMP, /* a: min, b: max; ~0 = leave */
	STEP_SET_SLICE, /* a: own slice in ns, 0 = none */
	STEP_COUNT, /* target: SYNC_COUNTER, a: how many; obj: SYNC_STAMP, then only if b ns are over */
	STEP_STAMP, /* obj: SYNC_STAMP */
	STEP_SAMPLE, /* obj: SYNC_STAMP, NONE = what the last signal carried; target: SYNC_LATENCY: the
		      * time since, nothing without a stamp */
	STEP_SEM_RESET, /* obj: SYNC_SEM: forget what was posted */
	STEP_SEND, /* obj: SYNC_QUEUE, a: depth; waits while that many messages stand in it */
	STEP_RECEIVE, /* obj: SYNC_QUEUE: take a message, wait for one */
	STEP_REQUEUE, /* obj: SYNC_COND, b: index + 1 of another one, where all who wait here wait now */
	NR_STEP_OPS
};

#define STEP_F_ABSOLUTE 0x01u
#define STEP_F_LOCAL 0x02u /* obj is the task's own, not shared by name */
#define STEP_F_IOWAIT 0x04u /* a sleep that waits for io */
#define STEP_F_POST 0x08u /* a wait that posts a semaphore */
#define STEP_F_UNIFORM 0x10u /* a + uniform(0 .. b) */
#define STEP_F_EXP 0x20u /* exponential with mean a, cut at b (0 = 20 a) */

#define NO_MASK (~0u)
#define QUEUE_DEPTH_MAX 1000000u

/* A reservation: runtime in each period, to be had by the deadline; ns. */
struct dl_params {
	u64 runtime, deadline, period;
};

struct step_spec {
	u8 op, flags;
	u16 depth; /* 0 .. PROGRAM_DEPTH - 1 */
	u32 target; /* index into steps; count and sample: into objs */
	u32 obj; /* index into objs, NONE */
	u64 a, b;
};

struct obj_spec {
	char name[64];
	u8 kind; /* enum sync_kind */
	bool local; /* every task of the spec gets its own */
};

struct task_spec {
	char name[TASK_COMM_LEN]; /* with instances > 1 "-0", "-1", ... are appended */
	char latency_group[TASK_COMM_LEN]; /* "" = name */
	char group[64]; /* "/" or "" = root */
	s8 nice; /* -20 .. 19 */
	u8 policy; /* enum sched_class_policy */
	u8 rt_priority; /* 1 .. 99 with SCHED_FIFO and SCHED_RR */
	struct dl_params dl; /* for SCHED_DEADLINE, from the start or by a step */
	u32 instances; /* >= 1 */
	u32 uclamp_min, uclamp_max; /* 0 .. 1024 */
	u64 slice; /* own slice in ns, 0 = the default */
	ktime_ns delay; /* from the moment of spawning */
	u32 cpus; /* index into masks, NO_MASK = all */
	u32 nr_steps, nr_objs, nr_masks, nr_forks;
	struct step_spec *steps;
	struct obj_spec *objs;
	u64 *masks; /* nr_masks times mask_words words */
	u32 mask_words;
	struct task_spec **forks; /* owned */
};

/*
 * Builder over a heap spec. All return 0 or -1 with @err; limits: 65536 steps, depth PROGRAM_DEPTH,
 * 1024 objects, 4096 masks.
 */
struct task_spec *task_spec_new(const char *name);
void task_spec_free(struct task_spec *spec);
struct task_spec *task_spec_dup(const struct task_spec *spec);
/* spec_step - append; returns the index or -1. depth and target are filled by spec_open/spec_close. */
int spec_step(struct task_spec *spec, enum step_op op, u32 flags, u32 obj, u64 a, u64 b,
	      struct err *err);
/* spec_measure - append STEP_COUNT or STEP_SAMPLE that feeds what is called @name. */
int spec_measure(struct task_spec *spec, enum step_op op, u32 flags, u32 stamp, const char *name,
		 u64 a, u64 b, struct err *err);
/* spec_open - append STEP_LOOP (a = count) or STEP_PHASE (a = duration); spec_close ends the innermost. */
int spec_open(struct task_spec *spec, enum step_op op, u64 a, struct err *err);
int spec_close(struct task_spec *spec, struct err *err);
/*
 * spec_obj - index of the named object, made on first use; a name has one kind. Names of counters and
 * of latency groups are apart from them and from each other.
 */
int spec_obj(struct task_spec *spec, const char *name, enum sync_kind kind, bool local,
	     struct err *err);
/* spec_mask - add a CPU mask of @nwords words; returns its index. */
int spec_mask(struct task_spec *spec, const u64 *words, u32 nwords, struct err *err);
/*
 * spec_check - everything the engine relies on: balanced loops, ranges, objects of the right kind,
 * masks not empty within @nr_cpus. sim_spawn() calls it again.
 */
int spec_check(const struct task_spec *spec, u32 nr_cpus, struct err *err);

extern const char *const step_op_names[NR_STEP_OPS];

#endif
