/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * script_int.h - what the files of app/lua/ share: the script, its timers, the gate, the tables.
 */
#ifndef SG_APP_LUA_SCRIPT_INT_H
#define SG_APP_LUA_SCRIPT_INT_H

#include "app/lua/doc.h"
#include "app/lua/handle.h"
#include "app/lua/script.h"
#include "app/lua/value.h"

#define SCRIPT_TIMERS_MAX 100000
#define SCRIPT_HANDLERS_MAX 256
#define SCRIPT_KNOBS_MAX 256
#define SCRIPT_EXPECTS_MAX 1000
#define SCRIPT_PUBLISHED_MAX 1000
#define SCRIPT_QUEUE_MAX 65536
#define SCRIPT_CALLS_PER_INSTANT 10000
#define TASK_CACHE 64

enum timer_kind {
	TIMER_CALL, /* at, after: @ref is a function */
	TIMER_EVERY, /* the same again each period */
	TIMER_RESUME, /* wait: @ref is a thread */
	TIMER_UNTIL, /* wait_until: thread @ref goes on when function @cond says so */
};

struct script_timer {
	ktime_ns when;
	u64 ordinal; /* order among equal times: that of creation */
	u64 id; /* what handles name */
	u64 txn; /* the call that made it */
	u64 period;
	enum timer_kind kind;
	int ref, cond;
	bool dead;
};

struct script_handler { /* on(event, function) */
	u64 id, txn;
	u32 type; /* enum trace_type */
	int ref;
	bool dead;
};

struct script_record {
	struct trace_rec rec;
	u64 serial, serial2; /* of the tasks it names, ~0 = none */
};

struct knob {
	struct script_knob pub;
	int change; /* function or LUA_NOREF */
};

struct expect {
	struct script_expect pub;
	char *metric; /* or NULL with a test function */
	s128 min, max; /* times 10^9 */
	bool has_min, has_max;
	int test;
};

/* What to take back if the running call fails. */
struct script_txn {
	u64 id;
	u32 journal_nr;
	u32 nr_specs;
	u32 nr_knobs, nr_expects, nr_published;
	u32 nr_policies;
};

struct lua_policy;

struct script {
	struct lua_box *box;
	struct sim *sim;
	struct script_host host;
	struct script_scenario sc;
	bool have_scenario;

	/* A policy side: the same text, effects are no-ops. */
	struct script *main; /* the script it belongs to, NULL = is the script itself */

	enum input_origin origin;
	lua_State *current; /* coroutine that runs and may wait, NULL = none */
	bool waiting; /* it yielded through wait() */
	struct script_timer wait;
	struct script_txn txn;
	u64 next_id, next_ordinal;
	u64 running; /* timer whose callback runs; 0 = none, or cancelled meanwhile */

	struct script_timer *timers; /* heap by (when, ordinal) */
	u32 nr_timers, cap_timers;
	struct script_handler *handlers;
	u32 nr_handlers;
	struct script_record *queue;
	u32 nr_queue, cap_queue;
	u64 dropped;
	ktime_ns instant; /* calls at this instant so far */
	u32 nr_instant;

	struct knob *knobs;
	u32 nr_knobs;
	struct expect *expects;
	u32 nr_expects;
	struct script_published *published;
	u32 nr_published;

	struct lua_policy **policies;
	u32 nr_policies;
	bool defines_policy; /* the text being loaded called policy.define */
	bool loading; /* a text runs for the first time, before any wait() */
	struct lua_policy *active; /* a side: the policy that is being asked */
	u32 revert; /* slots whose policy failed too often, bit per slot */

	u64 rng_key, rng_draws;
	char **groups; /* names that handles of groups stand for */
	u32 nr_groups;
	struct {
		u64 serial;
		task_id id;
	} cache[TASK_CACHE];
	char trace[4096];
};

static inline struct script *script_of(lua_State *L)
{
	return lua_box_of(L)->owner;
}

/* ---- script.c ---- */
/* script_need_sim - the simulation; builds it if there is none. Raises. */
struct sim *script_need_sim(lua_State *L);
/* script_side_new - the policy side of @main. */
struct script *script_side_new(struct script *main, struct err *err);
/* Run the text on a policy side and freeze it. */
int script_side_load(struct script *side, const char *text, size_t len, const char *name,
		     struct err *err);
/* Report a failure of something that runs beside the script's main path. */
void script_failed(struct script *s, struct lua_box *box, const struct err *err);
/* script_start - run the function on top of the stack as a coroutine that may wait. */
int script_start(struct script *s, enum lua_call kind, struct err *err);
/* script_callback - call the function below @nargs arguments; it cannot wait. */
int script_callback(struct script *s, int nargs, int nres, struct err *err);

/* ---- gate.c: the one way to change the simulation ---- */
/* Do effects count in this state? False on a policy side. */
bool gate_open(lua_State *L);
/*
 * gate_input - journal @in with the origin of the running call. Raises if the engine refuses it; a
 * no-op on a policy side.
 */
void gate_input(lua_State *L, struct sim_input *in, u64 *serial);
void gate_begin(struct script *s);
void gate_commit(struct script *s);
void gate_rollback(struct script *s);

/* ---- timers.c ---- */
void timers_arm(struct script *s);
void timers_free(struct script *s);
void timers_rollback(struct script *s, u64 txn);
int timers_add(struct script *s, const struct script_timer *t);
void script_hook(void *ctx, struct sim *sim);
void script_boundary(void *ctx, struct sim *sim);
void handlers_update(struct script *s);
/*
 * script_go - resume or start coroutine @co (registry reference @ref, taken over) with @nargs
 * arguments on its stack, as one call of the gate: what it did is taken back if it fails.
 */
int script_go(struct script *s, lua_State *co, int ref, int nargs, enum lua_call kind,
	      struct err *err);

/* ---- bind_task.c ---- */
/* task_of - id of the task with @serial, NONE if it does not live. */
task_id script_task(struct script *s, u64 serial);
void push_task(lua_State *L, struct sim *sim, task_id id);

/* ---- bind_sim.c ---- */
/* sim_bindings_drop - forget knobs and expectations above these numbers. */
void sim_bindings_drop(struct script *s, u32 nr_knobs, u32 nr_expects);
/* text_field - a copy of text field @key of the table at 1, NULL if it is absent; raises. */
char *text_field(lua_State *L, const char *key, const char *what, size_t max);
/* metric_exists - is there such a metric, or may it come to be? Else false with @err. */
bool metric_exists(const struct sim *sim, const char *path, struct err *err);

/* ---- bind_report.c ---- */
/* published_drop - forget published figures above this number. */
void published_drop(struct script *s, u32 nr);

/* ---- bind_group.c ---- */
/* need_group - make the group @path unless it is there or on its way. */
void need_group(lua_State *L, const char *path);

/* ---- policy.c ---- */
void policies_free(struct script *s, u32 keep);
/* policies_revert - put the profile's policy back into slots whose Lua policy failed too often. */
void policies_revert(struct script *s, struct sim *sim);
/* policy_push_task_x, policy_push_cpu_x - push the declared fields of a task or CPU. */
int policy_push_task_x(lua_State *L, u32 id);
int policy_push_cpu_x(lua_State *L, u32 cpu);
/* policies_finish - after a text that defines policies was loaded: give them their state. */
int policies_finish(struct script *s, const char *text, size_t len, const char *name,
		    struct err *err);

/* bind_step.c: run scripts/lua/steps.lua, which makes the steps and shapes. */
void lua_open_steps(lua_State *L);

/* handle_fields - let handles of @kind read fields through @fn(L: handle, key). */
void handle_fields(lua_State *L, enum lua_handle_kind kind, lua_CFunction fn);
/* handle_field_index - which of @names (ended by NULL) key 2 is; raises with the nearest one. */
int handle_field_index(lua_State *L, const char *what, const char *const *names);
void bind_cpu_open(lua_State *L);
void bind_group_open(lua_State *L);
void bind_sim_open(lua_State *L);
void bind_task_open(lua_State *L);
void bind_policy_open(lua_State *L);
/* bind_workload_open - after all other bindings: workloads see what is there then. */
void bind_workload_open(lua_State *L);

extern const struct lua_binding bind_report_rows[], bind_sim_rows[], bind_time_rows[],
	bind_step_rows[], bind_task_rows[], bind_cpu_rows[], bind_group_rows[], bind_policy_rows[],
	bind_workload_rows[];

#endif
