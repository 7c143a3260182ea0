/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim.h - the engine's public face: create, run, inject, look, copy.
 *
 * Everything an application needs beside the structs of state.h. All state is in one arena, all
 * change comes in through sim_input() (journalled, applied at the next event boundary) or from the
 * event queue, so that inputs alone determine every byte.
 */
#ifndef SG_ENGINE_SIM_H
#define SG_ENGINE_SIM_H

#include "engine/base/arena.h"
#include "engine/base/err.h"
#include "engine/base/evq.h"
#include "engine/history/journal.h"
#include "engine/hw/machine.h"
#include "engine/observe/trace.h"
#include "engine/policy/policy.h"
#include "engine/state.h"
#include "engine/workload/program.h"

/*
 * Class of an event: the order inside one instant, part of the specification. Inputs and scripts are
 * not in the queue: they come before and after all that is; balancing runs in ticks and passes.
 */
enum event_class {
	EVC_INPUT,
	EVC_FREQ,
	EVC_BANDWIDTH,
	EVC_WAKE,
	EVC_SEGMENT,
	EVC_BALANCE,
	EVC_TICK,
	EVC_SCRIPT,
};

/*
 * What the application hangs on a simulation. None may change it except through sim_input().
 * script: the clock has reached sim->script_next, after every event of that instant.
 * boundary: called between two events when sim->boundary_wanted was set (by a probe).
 */
struct sim_hooks {
	void *ctx;
	void (*script)(void *ctx, struct sim *s);
	void (*boundary)(void *ctx, struct sim *s);
};

#define SIM_REGISTRY_MAX 256

struct sim {
	/* cached pool bases: valid until the next reserve */
	struct globals *g;
	struct rq *rqs;
	struct cpu_topo *topo;
	struct freq_domain *fds;
	struct opp *opps;
	struct sugov_cpu *sugov;
	struct idle_state *idle_states;
	struct task *tasks;
	struct sched_entity *task_se;
	struct task_group *groups;
	struct sched_entity *group_se;
	struct cfs_rq *cfs_rqs;
	struct step *steps;
	struct program *programs;
	struct sync_obj *syncs;
	struct text *texts;
	struct mask_head *masks;
	u64 *mask_words;
	u64 *resched;
	struct nohz_record *nohz;
	u64 *nohz_mask;
	s64 *policy_cpu, *policy_task, *policy_global;
	struct sched_domain *domains;
	struct sched_group *sgroups;
	struct sched_group_capacity *sgcs;
	struct llc_shared *llcs;
	struct cpu_sd *cpu_sd;
	struct perf_domain *perf_domains;
	struct sim_stats *stats;
	struct cpu_stats *cpu_stats;
	struct node_stats *node_stats;
	u64 *starved_rows, *starved_new, *starved_old;
	struct task_stats *task_stats;
	struct opp_stats *opp_stats;
	struct fd_stats *fd_stats;
	struct group_stats *group_stats;
	struct lat_group *lat_groups;
	struct task_hist *task_hists;
	struct khist_row *khists;
	struct counter *counters;
	struct throughput *throughputs;
	struct evq evq;
	/* first source of each kind */
	u32 src_fd, src_seg, src_tick, src_class, src_rt, src_group, src_task;

	struct arena arena;
	const struct sched_policy *registry[SIM_REGISTRY_MAX];
	u32 nr_registry;
	const struct sched_policy *policy[NR_SLOTS]; /* registry[g->policy[slot]] */
	const struct pick_ops *pick;
	const struct util_est_ops *uest;
	struct trace trace;
	struct journal journal;
	struct machine_desc *machine; /* owned copy */
	u8 *comm_ranks; /* of machine_remote_ranks() */
	struct spec_table *specs; /* every description a task was ever spawned from */
	struct sim_hooks hooks;
	ktime_ns script_next; /* next script timer, NEVER = none */
	bool boundary_wanted;
	bool replaying; /* journal entries come from the past: script hook is not called */
	struct err err; /* what stopped the run */
};

struct sim_config {
	const struct machine_desc *machine;
	const char *profile; /* NULL = v6.12 */
	u64 seed; /* 0 .. 2^53 - 1 */
	u32 max_tasks; /* 0 = 131072 */
	u64 max_bytes; /* arena, 0 = 4 GiB */
	u32 trace_records; /* ring length, rounded up to a power of two; 0 = no ring */
	void *(*alloc)(void *ctx, void *ptr, size_t size); /* NULL = realloc/free */
	void *alloc_ctx;
};

/* ---- life ---- */
struct sim *sim_new(const struct sim_config *cfg, struct err *err);
void sim_free(struct sim *s);
/* sim_copy - a second simulation in the same state, without hooks and probes; own journal copy. */
struct sim *sim_copy(const struct sim *s, struct err *err);
/* sim_restore - put @s back into the state of @from, a copy of an earlier moment of it. */
int sim_restore(struct sim *s, const struct sim *from, struct err *err);

/* sim_bind - refresh the cached pool bases: after every call that may move the arena. */
void sim_bind(struct sim *s);

/* ---- time ---- */
enum sim_stop { SIM_REACHED, SIM_BUDGET, SIM_ERROR, SIM_IDLE_FOREVER };
/*
 * sim_run_until - dispatch every event up to and including @until, at most @max_events of them
 * (0 = no bound). SIM_REACHED leaves now == until; SIM_BUDGET leaves it at the last event;
 * SIM_ERROR: s->err says why, state is that of the last whole event.
 */
enum sim_stop sim_run_until(struct sim *s, ktime_ns until, u64 max_events);
/* sim_step - one model event, however far away; SIM_IDLE_FOREVER when none is pending. */
enum sim_stop sim_step(struct sim *s);
/* Time of the next model event, NEVER = none. */
ktime_ns sim_next_event(const struct sim *s);

/* ---- inputs ---- */
enum input_kind {
	INPUT_SPAWN, /* spec; a = serial reserved for the first instance */
	INPUT_KILL, /* serial */
	INPUT_SET_NICE, /* serial, a */
	INPUT_SET_CPUS, /* serial, words */
	INPUT_SET_POLICY, /* serial, a policy, b rt priority */
	INPUT_SET_UCLAMP, /* serial, a min, b max */
	INPUT_SET_SLICE, /* serial, a ns */
	INPUT_MIGRATE, /* serial, a cpu */
	INPUT_USE_POLICY, /* a slot, b registry index */
	INPUT_SET_PARAM, /* a slot, b parameter index, c value */
	INPUT_TUNABLE, /* a index in sim_tunables, b value */
	INPUT_FREQ_CAP, /* a domain, b khz (0 = none) */
	INPUT_GROUP_NEW, /* text name; a parent, b shares (table units) */
	INPUT_GROUP_SHARES, /* a tg, b shares */
	INPUT_SET_GROUP, /* serial, a tg */
	INPUT_CONSOLE, /* text: journalled for replay, no effect in the engine */
	INPUT_CPU_ONLINE, /* a cpu, b 0/1 */
	INPUT_SET_DEADLINE, /* serial, a runtime, b deadline, c period, ns: SCHED_DEADLINE from now on */
	INPUT_THROUGHPUT, /* text "name counter [base]"; a enum throughput_kind, b divide, c target */
	INPUT_COUNT, /* text counter; a how many */
	INPUT_SAMPLE, /* text latency group; a ns */
	INPUT_GROUP_MAX, /* a tg, b quota ns (-1 = none), c period ns, serial: burst ns */
	INPUT_HOUSEKEEPING, /* words: CPUs that balance for idle ones and take timers */
	INPUT_GROUP_UCLAMP, /* a tg, b min, c max */
	INPUT_GROUP_IDLE, /* a tg, b 0/1 */
	INPUT_GROUP_CPUS, /* a tg, words (NULL = all) */
	INPUT_GROUP_PARTITION, /* a tg, b enum partition_kind (sched/partition.h) */
	NR_INPUT_KINDS
};
enum input_origin { ORIGIN_USER, ORIGIN_SCRIPT };

struct sim_input {
	enum input_kind kind;
	enum input_origin origin;
	u64 serial;
	s64 a, b, c;
	const struct task_spec *spec; /* copied */
	const u64 *words; /* mask words, copied */
	const char *text; /* copied */
};

/*
 * sim_input - check and journal an input; it takes effect before the next event, at the current
 * instant. Returns 0, or -1 with @err (nothing is journalled). For INPUT_SPAWN *serial (may be
 * NULL) gets the serial of the first instance; the others follow one by one.
 */
int sim_input(struct sim *s, const struct sim_input *in, u64 *serial, struct err *err);
/* Apply what is pending now, without dispatching an event: what a paused UI does. */
int sim_apply_inputs(struct sim *s);

/* sim_find_task - id of the live task with @serial, NONE if it is gone or not yet born. */
task_id sim_find_task(const struct sim *s, u64 serial);
/*
 * sim_find_group - number of the task group called @name, NONE if there is none. A group that pending
 * inputs will make counts: it can be named in other inputs at once.
 */
u32 sim_find_group(const struct sim *s, const char *name);
task_id sim_find_task_by_name(const struct sim *s, const char *name);

/* ---- policies, profiles, tunables ---- */
/* Add a run-time policy; returns its registry index or -1. The struct must outlive the sim. */
int sim_register_policy(struct sim *s, const struct sched_policy *p, struct err *err);
int sim_policy_index(const struct sim *s, enum policy_slot slot, const char *name);
s64 sim_policy_param(const struct sim *s, enum policy_slot slot, u32 param);

struct kernel_profile {
	const char *name, *summary;
	const char *policy[NR_SLOTS];
	void (*tune)(struct tunables *t);
	const char *borrowed; /* what it runs in place of its own, "" = nothing */
};
extern const struct kernel_profile kernel_profiles[];
extern const u32 nr_kernel_profiles;

struct sim_tunable {
	const char *name, *unit, *help;
	u64 min, max;
	u32 offset; /* into struct tunables; of a switch, 1 + its bit stands above the low 16 bits */
};
extern const struct sim_tunable sim_tunables[];
extern const u32 nr_sim_tunables;
int sim_tunable_index(const char *name);
u64 sim_tunable_value(const struct sim *s, u32 index);

/* ---- looking: none of these changes a byte ---- */
u64 sim_digest(const struct sim *s);
/* Averages of a task or a CPU's root queue aged to now on a copy. */
struct sched_avg sim_task_avg_now(const struct sim *s, task_id p);
struct sched_avg sim_cpu_avg_now(const struct sim *s, cpu_id cpu);
u64 sim_cpu_other_now(const struct sim *s,
		      cpu_id cpu); /* util of real-time, deadline, interrupts */
u64 sim_cpu_util(const struct sim *s, cpu_id cpu); /* cpu_util() of the stored averages */
u32 sim_cpu_khz(const struct sim *s, cpu_id cpu);
const char *sim_task_name(const struct sim *s, task_id p); /* "idle" for NONE */
/* Statistics with the open interval closed on a copy. */
struct cpu_stats sim_cpu_stats_now(const struct sim *s, cpu_id cpu);
struct task_stats sim_task_stats_now(const struct sim *s, task_id p);
/* Is the task runnable, and one of the groups it is in has no run time left on its CPU? */
bool sim_task_throttled(const struct sim *s, task_id p);
/* Run time of a group's fair tasks, those of groups in it included; cpu.stat. Not of the root. */
u64 sim_group_exec_now(const struct sim *s, u32 tg);
struct group_stats sim_group_stats_now(const struct sim *s, u32 tg);
u64 sim_task_exec_now(const struct sim *s, task_id p);
u128 sim_domain_energy_now(const struct sim *s, u32 fd); /* microwatt * ns */
/* The same as the energy model computes it from utilisations. */
u128 sim_domain_signal_energy_now(const struct sim *s, u32 fd);
/* ns at full speed that tasks got done so far. */
u64 sim_work_done_now(const struct sim *s);
/* Time spent at operating point @opp of a domain, and overutilised, the open interval included. */
u64 sim_fd_residency_now(const struct sim *s, u32 fd, u32 opp);
u64 sim_overutilized_ns_now(const struct sim *s);
/* Every invariant of the state; 0, or -1 with the first that does not hold. */
int sim_check(const struct sim *s, struct err *err);

struct sim_limitation {
	const char *what, *how;
};
/* What the model does and does not do: shown by the tool and the manual. Ended by NULL. */
extern const struct sim_limitation sim_modelled[], sim_not_modelled[];

#endif
