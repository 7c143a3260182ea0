/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy.h - policy slots: what can be swapped while the simulation runs.
 *
 * A slot asks one kind of question; a policy is a const table of functions that answers it. Built-in
 * ones stand in policies.def, Lua ones are registered at run time with the same struct. Policies
 * keep no state of their own: it lives in the structs of state.h or, for Lua, in s64 columns of the
 * arena, so that a checkpoint is a copy and a rewind is right.
 */
#ifndef SG_ENGINE_POLICY_POLICY_H
#define SG_ENGINE_POLICY_POLICY_H

#include "engine/base/err.h"
#include "engine/state.h"

struct sim;

enum policy_slot {
	SLOT_PICK,
	SLOT_PLACE,
	SLOT_BALANCE,
	SLOT_NEWIDLE,
	SLOT_NOHZ,
	SLOT_UTIL_EST,
	SLOT_GOVERNOR,
	NR_SLOTS
};
extern const char *const policy_slot_names[NR_SLOTS];

struct policy_param {
	const char *name;
	s64 min, max, def;
	const char *unit, *help;
};

/* Flags of enqueue, dequeue and wake-up; names of kernel/sched/sched.h, values ours. */
#define ENQUEUE_WAKEUP 0x01u
#define ENQUEUE_MIGRATED 0x02u /* arrives from another CPU: attach */
#define ENQUEUE_INITIAL 0x04u /* first enqueue of a new task */
#define ENQUEUE_DELAYED 0x08u /* requeue of a delayed entity */
#define ENQUEUE_RESTORE 0x10u
#define ENQUEUE_HEAD 0x20u /* real-time: before the others of its priority */
#define DEQUEUE_SLEEP 0x01u
#define DEQUEUE_DELAYED 0x02u /* take a delayed entity off for good */
#define DEQUEUE_SAVE 0x04u
#define DEQUEUE_MIGRATING 0x08u /* the balancer takes it: detach */
#define DEQUEUE_SPECIAL 0x10u /* never delay: exiting, or stopped for good */
#define WF_FORK 0x10u
#define WF_TTWU 0x20u
#define WF_SYNC 0x40u
#define WF_EXEC 0x80u
#define WF_MIGRATED 0x100u
#define WF_IDLE_CURR 0x200u

/*
 * pick: the order of one queue, at every level of the group hierarchy. Load averages, weights and
 * counts are kept by sched/fair.c around these calls; update_curr() has run before each.
 */
struct pick_ops {
	/* The entity joins: set its place in virtual time; it is not in the tree yet. flags ENQUEUE_*. */
	void (*place)(struct sim *s, struct cfs_rq *q, se_id se, u32 flags);
	/* It is taken off: remember lag or relative vruntime. flags DEQUEUE_*. */
	void (*unplace)(struct sim *s, struct cfs_rq *q, se_id se, u32 flags);
	/* It is off: weight and counts are down, it is not in the tree. NULL = nothing to do. */
	void (*dequeued)(struct sim *s, struct cfs_rq *q, se_id se, u32 flags);
	/* Tree insert and erase of a queued entity that is not current. */
	void (*insert)(struct sim *s, struct cfs_rq *q, se_id se);
	void (*erase)(struct sim *s, struct cfs_rq *q, se_id se);
	/* Should the sleeping entity stay queued as delayed? NULL = never. */
	bool (*delay)(struct sim *s, struct cfs_rq *q, se_id se);
	/* A delayed entity wakes: place it again where the rule says so. */
	void (*requeue)(struct sim *s, struct cfs_rq *q, se_id se);
	/* Charge delta ns of run time to the current entity; true = ask for a reschedule. */
	bool (*charge)(struct sim *s, struct cfs_rq *q, se_id curr, u64 delta);
	/* Next entity to run, NONE for an empty queue. Current may be chosen; it is not in the tree. */
	se_id (*pick)(struct sim *s, struct cfs_rq *q);
	void (*set_next)(struct sim *s, struct cfs_rq *q, se_id se);
	void (*put_prev)(struct sim *s, struct cfs_rq *q, se_id se);
	/* Tick on the current entity; true = reschedule. */
	bool (*tick)(struct sim *s, struct cfs_rq *q, se_id curr);
	/*
	 * Both on queue q: does the woken entity take the CPU from the current one? With
	 * WF_IDLE_CURR the answer is already yes (current is idle, the wakee is not): only drop
	 * what protects current.
	 */
	bool (*preempt)(struct sim *s, struct cfs_rq *q, se_id curr, se_id wakee, u32 flags);
	void (*yield)(struct sim *s, struct cfs_rq *q, se_id curr);
	/* The weight of a queued or sleeping entity is about to become @weight (full resolution). */
	void (*reweight)(struct sim *s, struct cfs_rq *q, se_id se, u64 weight);
	/* Rebuild the order of a queue from whatever the previous policy left. */
	void (*adopt)(struct sim *s, struct cfs_rq *q);
	/* The entity sleeps and is about to wake on another CPU: q is the queue it leaves. NULL = nothing. */
	void (*migrate)(struct sim *s, struct cfs_rq *q, se_id se);
	/* A task of this queue forked or first joins: initial vruntime before place(). */
	void (*fork)(struct sim *s, struct cfs_rq *q, se_id se);
};

struct place_ops {
	/* CPU for a waking (WF_TTWU), new (WF_FORK) or exec'ing task; @this_cpu runs the waker. */
	cpu_id (*select_task_rq)(struct sim *s, const void *priv, task_id p, cpu_id prev,
				 cpu_id this_cpu, u32 flags);
};

struct balance_ops {
	/* Tick on @cpu: decide what periodic balancing does. */
	void (*tick)(struct sim *s, cpu_id cpu);
	/* The stopper of @src, asked by an active balance: one task goes to @dst. Nothing runs there. */
	void (*stop)(struct sim *s, cpu_id src, cpu_id dst);
};

/*
 * newidle: what a CPU does that ran out of fair tasks. The pass itself is in newidle_pass.c: own
 * blocked load, then domain by domain statistics and a pull; a policy says what differs.
 */
struct newidle_ops {
	/* Is a pass begun? NULL: there is none at all, the CPU goes idle. Changes nothing. */
	bool (*wants)(const struct sim *s, cpu_id cpu);
	/*
	 * The pass of @cpu has come to CPU @b: is its blocked load brought up to date before it is
	 * read? *@left: it has some that stays. NULL: others are left alone.
	 */
	bool (*updates)(const struct sim *s, cpu_id cpu, cpu_id b, bool *left);
	/* After each CPU that it visited: does @cpu give up? NULL: it looks between domains only. */
	bool (*gives_up)(const struct sim *s, cpu_id cpu);
	/*
	 * The pass is over, or was not @begun, and nothing was pulled. Returns flags of a round for
	 * others (nohz_ops.inline_round) that follows at once, interrupts still off; 0 = none.
	 */
	u32 (*idle)(struct sim *s, cpu_id cpu, bool begun);
};

/* nohz: who balances for CPUs whose tick is stopped: nohz.h. */
struct nohz_ops {
	/* The tick of @cpu is stopped; it has been started again, or the CPU goes away: @by does it. */
	void (*enter)(struct sim *s, cpu_id cpu);
	void (*exit)(struct sim *s, cpu_id cpu, cpu_id by);
	/* A tick on @cpu: asks an idle CPU, by interrupt, to balance for the others, if need be. */
	void (*kick)(struct sim *s, cpu_id cpu);
	/* That interrupt, on @cpu: it begins its round. */
	void (*run)(struct sim *s, cpu_id cpu);
	/* A newly idle pass of @cpu found nothing. */
	void (*newidle)(struct sim *s, cpu_id cpu);
	/* v5.4: a newly idle pass of @cpu was not worth it. Flags of a round it makes now, 0 = none. */
	u32 (*inline_round)(struct sim *s, cpu_id cpu);
	/* @cpu comes to the idle loop, its tick not stopped yet: it may begin a round. */
	void (*idle)(struct sim *s, cpu_id cpu);
	/* v5.4's newly idle pass: is there blocked load to look for? NULL = no. */
	bool (*has_blocked)(const struct sim *s, cpu_id cpu);
	/* It went through all of domain @sd, and load is left somewhere. NULL = nothing. */
	void (*walked)(struct sim *s, cpu_id cpu, u32 sd);
	/* Build the records from the CPUs' own nohz_tick_stopped. */
	void (*adopt)(struct sim *s);
	/* What a record is of: "machine", "node", "cache". */
	const char *unit;
	/* Number of the record that holds @cpu while it is idle. */
	u32 (*record)(const struct sim *s, cpu_id cpu);
	/* Which CPU takes @cpu offline? NULL = itself, by its own hotplug thread. */
	cpu_id (*offline_by)(const struct sim *s, cpu_id cpu);
};

struct util_est_ops {
	/* The task goes to sleep: update its estimate. @rq_saturated: the CPU has no idle time left. */
	void (*update)(struct sim *s, task_id p);
	/* Value the estimate contributes to its queue's sum: _task_util_est(). */
	u32 (*stored)(const struct sched_avg *avg);
	/* Hand-over from the previous rule: the pair (Q, A) or the one value E. */
	void (*adopt)(struct sim *s, task_id p, bool from_pair);
	bool pair; /* keeps two values */
};

struct governor_ops {
	/* cpufreq hook of @cpu: flags as SCHED_CPUFREQ_IOWAIT. */
	void (*update)(struct sim *s, const void *priv, cpu_id cpu, u32 flags);
	void (*start)(struct sim *s, const void *priv, u32 fd); /* take over a frequency domain */
	/* Lua governors: frequency for the domain; NULL where update decides by itself. */
	u32 (*target_khz)(struct sim *s, const void *priv, u32 fd, cpu_id cpu);
};
#define SCHED_CPUFREQ_IOWAIT 1u

#define POLICY_PARAMS_MAX 16

struct sched_policy {
	const char *name, *summary;
	const char *doc; /* one paragraph: what it does, which kernel function it follows */
	enum policy_slot slot;
	const struct policy_param *params; /* ended by a NULL name; values live in the arena */
	const void *ops; /* struct <slot>_ops */
	void *priv; /* Lua: its functions. Built-ins: NULL */
	u32 generation; /* Lua: counts reloads of one name */
};

/* The built-in ones, in the order of policies.def. */
extern const struct sched_policy *const builtin_policies[];
extern const u32 nr_builtin_policies;

#endif
