/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind_step.c - from the tables of scripts/lua/steps.lua to the engine's task programs.
 */
#include "app/lua/bind_step.h"

#include "app/lua/script_int.h"
#include "engine/base/cpumask.h"

#include <stdlib.h>
#include <string.h>

#define NEST_MAX 24

static const char step_key = 's', body_key = 'b', spec_key = 'p';

/* ---- what steps.lua calls ---- */

static int raw_time(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)lv_time(L, 1, luaL_checkstring(L, 2)));
	return 1;
}

static int raw_int(lua_State *L)
{
	lua_pushinteger(L, lv_int(L, 1, luaL_checkstring(L, 2), luaL_checkinteger(L, 3),
				  luaL_checkinteger(L, 4)));
	return 1;
}

/* A duty in per cent to thousandths of one. */
static int raw_duty(lua_State *L)
{
	lua_pushinteger(L, lv_scaled(L, 1, luaL_checkstring(L, 2), 1000, 0, 100000));
	return 1;
}

static int raw_text(lua_State *L)
{
	lv_text(L, 1, luaL_checkstring(L, 2), 1, 63);
	lua_settop(L, 1);
	return 1;
}

static int raw_fields(lua_State *L)
{
	lv_fields(L, 1, luaL_checkstring(L, 2), luaL_checkstring(L, 3), lua_toboolean(L, 4));
	return 0;
}

static int raw_fail(lua_State *L)
{
	return lua_box_fail(L, "%s", luaL_checkstring(L, 1));
}

static bool is_step(lua_State *L, int idx)
{
	bool same;

	if (lua_type(L, idx) != LUA_TTABLE || !lua_getmetatable(L, idx))
		return false;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &step_key);
	same = lua_rawequal(L, -1, -2);
	lua_pop(L, 2);
	return same;
}

static int raw_is_step(lua_State *L)
{
	lua_pushboolean(L, is_step(L, 1));
	return 1;
}

/* Mark a table as a step. */
static int raw_step(lua_State *L)
{
	lua_settop(L, 1);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &step_key);
	lua_setmetatable(L, 1);
	return 1;
}

static int spec_gc(lua_State *L)
{
	struct task_spec **p = lua_touserdata(L, 1);

	task_spec_free(*p);
	*p = NULL;
	return 0;
}

void lua_open_steps(lua_State *L)
{
	static const luaL_Reg funcs[] = {
		{ "time", raw_time },	 { "int", raw_int },	   { "duty", raw_duty },
		{ "text", raw_text },	 { "fields", raw_fields }, { "fail", raw_fail },
		{ "STEP", raw_is_step }, { "step", raw_step },	   { NULL, NULL },
	};

	lua_createtable(L, 0, 2);
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pushliteral(L, "step");
	lua_setfield(L, -2, "__name");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &step_key);

	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, spec_gc);
	lua_setfield(L, -2, "__gc");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &spec_key);

	if (luaL_loadbufferx(L, (const char *)lua_steps, lua_steps_len, "=prelude", "t") != LUA_OK)
		lua_error(L);
	lua_createtable(L, 0, 12);
	luaL_setfuncs(L, funcs, 0);
	lua_box_env(L);
	lua_setfield(L, -2, "env");
	lua_pushvalue(L, -1);
	lua_insert(L, -3);
	lua_call(L, 1, 0);
	lua_getfield(L, -1, "body");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &body_key);
	lua_pop(L, 1);
}

/* ---- programs ---- */

struct build {
	lua_State *L;
	struct task_spec *spec;
	u32 nr_cpus, depth;
	const char *name; /* of the task, for messages */
};

static void check(struct build *b, int ret, struct err *err)
{
	if (ret < 0)
		lua_box_fail(b->L, "task.spawn: %s", err->msg);
}

static u64 operand(struct build *b, int idx, const char *key)
{
	u64 v;

	lua_getfield(b->L, idx, key);
	v = (u64)lua_tointeger(b->L, -1);
	lua_pop(b->L, 1);
	return v;
}

static u32 object(struct build *b, int idx, const char *key, enum sync_kind kind, bool local)
{
	struct err err = { 0 };
	int obj;

	lua_getfield(b->L, idx, key);
	obj = spec_obj(b->spec, luaL_checkstring(b->L, -1), kind, local, &err);
	lua_pop(b->L, 1);
	check(b, obj, &err);
	return (u32)obj;
}

u32 step_mask(lua_State *L, int idx, const char *what, struct task_spec *spec, u32 nr_cpus)
{
	u32 nwords = cpumask_words(nr_cpus);
	struct err err = { 0 };
	u64 *words;
	int m;

	words = lua_newuserdatauv(L, nwords * sizeof(*words), 0);
	lv_cpus(L, idx < 0 ? idx - 1 : idx, what, words, nwords, nr_cpus);
	m = spec_mask(spec, words, nwords, &err);
	lua_pop(L, 1);
	if (m < 0)
		lua_box_fail(L, "%s", err.msg);
	return (u32)m;
}

static void add_block(struct build *b, int idx, bool in_phase);

static void add_fork(struct build *b, int idx)
{
	struct task_spec *spec = b->spec, **child, **forks;
	struct err err = { 0 };

	if (spec->nr_forks >= 1000)
		lua_box_fail(b->L, "task.spawn: more than 1000 forks in one program");
	lua_getfield(b->L, idx, "spec");
	child = lua_push_spec(b->L, -1, b->nr_cpus, b->depth + 1);
	forks = realloc(spec->forks, (spec->nr_forks + 1) * sizeof(*forks));
	if (!forks)
		lua_box_fail(b->L, "not enough memory");
	spec->forks = forks;
	spec->forks[spec->nr_forks++] = *child;
	*child = NULL; /* the parent owns it now */
	check(b, spec_step(spec, STEP_FORK, 0, NONE, spec->nr_forks - 1, 0, &err), &err);
	lua_pop(b->L, 2);
}

/* count, stamp, sample: a stamp or none, and for two of them a name of what they feed. */
static void add_measure(struct build *b, int idx, enum step_op op, u64 a, u64 bb)
{
	lua_State *L = b->L;
	struct err err = { 0 };
	u32 flags = 0, stamp = NONE;
	bool shared;

	if (lv_field(L, idx, "obj")) {
		lua_pop(L, 1);
		lua_getfield(L, idx, "shared");
		shared = lua_toboolean(L, -1);
		lua_pop(L, 1);
		stamp = object(b, idx, "obj", SYNC_STAMP, !shared);
		flags = shared ? 0 : STEP_F_LOCAL;
	}
	if (op == STEP_STAMP) {
		check(b, spec_step(b->spec, op, flags, stamp, 0, 0, &err), &err);
		return;
	}
	lua_getfield(L, idx, "what");
	check(b, spec_measure(b->spec, op, flags, stamp, luaL_checkstring(L, -1), a, bb, &err),
	      &err);
	lua_pop(L, 1);
}

static void add_step(struct build *b, int idx, bool in_phase)
{
	static const char *const ops[] = { "run",   "runtime",	 "sleep", "timer",  "wait",
					   "wake",  "broadcast", "lock",  "unlock", "barrier",
					   "yield", "fork",	 "exit",  "loop",   "phase",
					   "nice",  "cpus",	 "count", "stamp",  "sample",
					   NULL };
	static const struct {
		const char *name;
		enum step_op op;
		enum sync_kind kind;
	} messages[] = {
		{ "sem_post", STEP_SEM_POST, SYNC_SEM },   { "sem_wait", STEP_SEM_WAIT, SYNC_SEM },
		{ "sem_reset", STEP_SEM_RESET, SYNC_SEM }, { "send", STEP_SEND, SYNC_QUEUE },
		{ "receive", STEP_RECEIVE, SYNC_QUEUE },   { "requeue", STEP_REQUEUE, SYNC_COND },
	};
	static const char *const kinds[] = { "uniform", "exp", "absolute", NULL };
	static const u32 kind_flags[] = { STEP_F_UNIFORM, STEP_F_EXP, STEP_F_ABSOLUTE };
	lua_State *L = b->L;
	struct err err = { 0 };
	u32 flags = 0, obj = NONE;
	u64 a = operand(b, idx, "a"), bb = operand(b, idx, "b");
	enum step_op op;
	bool shared;

	lua_box_charge(L, 50);
	lua_getfield(L, idx, "op");
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		if (lua_type(L, -1) != LUA_TSTRING ||
		    strcmp(lua_tostring(L, -1), messages[i].name) != 0)
			continue;
		lua_pop(L, 1);
		obj = object(b, idx, "obj", messages[i].kind, false);
		if (messages[i].op == STEP_REQUEUE)
			bb = (u64)object(b, idx, "to", SYNC_COND, false) + 1;
		check(b, spec_step(b->spec, messages[i].op, 0, obj, a, bb, &err), &err);
		return;
	}
	int o = lv_choice(L, -1, "step", ops);

	lua_pop(L, 1);
	if (lv_field(L, idx, "kind")) {
		flags = kind_flags[lv_choice(L, -1, "step", kinds)];
		lua_pop(L, 1);
	}
	switch (o) {
	case 0:
	case 1:
	case 2:
		op = (enum step_op[]){ STEP_RUN, STEP_RUNTIME, STEP_SLEEP }[o];
		if (o == 2 && lv_field(L, idx, "io")) {
			flags |= STEP_F_IOWAIT;
			lua_pop(L, 1);
		}
		break;
	case 3:
		op = STEP_TIMER;
		lua_getfield(L, idx, "shared");
		shared = lua_toboolean(L, -1);
		lua_pop(L, 1);
		obj = object(b, idx, "obj", SYNC_TIMER, !shared);
		flags |= shared ? 0 : STEP_F_LOCAL;
		break;
	case 4:
		op = STEP_WAIT;
		obj = object(b, idx, "obj", SYNC_COND, false);
		if (lv_field(L, idx, "mutex")) {
			lua_pop(L, 1);
			bb = (u64)object(b, idx, "mutex", SYNC_MUTEX, false) + 1;
		} else if (lv_field(L, idx, "post")) {
			lua_pop(L, 1);
			bb = (u64)object(b, idx, "post", SYNC_SEM, false) + 1;
			flags |= STEP_F_POST;
		}
		break;
	case 5:
	case 6:
		op = o == 5 ? STEP_WAKE : STEP_BROADCAST;
		obj = object(b, idx, "obj", SYNC_COND, false);
		if (lv_field(L, idx, "stamp")) {
			lua_pop(L, 1);
			bb = (u64)object(b, idx, "stamp", SYNC_STAMP, false) + 1;
		}
		break;
	case 7:
	case 8:
		op = o == 7 ? STEP_LOCK : STEP_UNLOCK;
		obj = object(b, idx, "obj", SYNC_MUTEX, false);
		break;
	case 9:
		op = STEP_BARRIER;
		obj = object(b, idx, "obj", SYNC_BARRIER, false);
		break;
	case 10:
		op = STEP_YIELD;
		break;
	case 11:
		add_fork(b, idx);
		return;
	case 12:
		op = STEP_EXIT;
		break;
	case 13:
	case 14:
		if (b->depth >= NEST_MAX)
			lua_box_fail(L, "task.spawn: loops and phases nested too deeply");
		/* A phase repeats what is in it: an endless loop there would never let it end. */
		if (o == 13 && in_phase && !a) {
			add_block(b, idx, true);
			return;
		}
		check(b, spec_open(b->spec, o == 13 ? STEP_LOOP : STEP_PHASE, a, &err), &err);
		b->depth++;
		add_block(b, idx, o == 14);
		b->depth--;
		check(b, spec_close(b->spec, &err), &err);
		return;
	case 15:
		op = STEP_SET_NICE;
		break;
	case 17:
	case 18:
	case 19:
		add_measure(b, idx, (enum step_op[]){ STEP_COUNT, STEP_STAMP, STEP_SAMPLE }[o - 17],
			    a, bb);
		return;
	default:
		op = STEP_SET_CPUS;
		lua_getfield(L, idx, "cpus");
		a = step_mask(L, -1, "phase: cpus", b->spec, b->nr_cpus);
		lua_pop(L, 1);
		break;
	}
	check(b, spec_step(b->spec, op, flags, obj, a, bb, &err), &err);
}

/* The steps 1..n of the table at @idx, which are steps already. */
static void add_block(struct build *b, int idx, bool in_phase)
{
	lua_Integer n = (lua_Integer)lua_rawlen(b->L, idx);

	luaL_checkstack(b->L, 8, "program");
	for (lua_Integer i = 1; i <= n; i++) {
		lua_rawgeti(b->L, idx, i);
		if (!is_step(b->L, -1))
			lua_box_fail(b->L, "task.spawn: element %lld of a program is no step",
				     (long long)i);
		add_step(b, lua_gettop(b->L), in_phase && i == n);
		lua_pop(b->L, 1);
	}
}

void step_program(lua_State *L, int idx, struct task_spec *spec, u32 nr_cpus, u32 depth)
{
	struct build b = { .L = L, .spec = spec, .nr_cpus = nr_cpus, .depth = depth };

	idx = lua_absindex(L, idx);
	if (lua_type(L, idx) != LUA_TTABLE)
		lua_box_fail(L, "task.spawn: program is a list of steps such as { run(\"2ms\"), "
				"sleep(\"8ms\") } or a shape such as periodic { }");
	/* Let steps.lua take nested lists apart, with its messages. */
	lua_rawgetp(L, LUA_REGISTRYINDEX, &body_key);
	if (is_step(L, idx)) {
		lua_createtable(L, 1, 0);
		lua_pushvalue(L, idx);
		lua_rawseti(L, -2, 1);
	} else {
		lua_pushvalue(L, idx);
	}
	lua_pushinteger(L, 1);
	lua_pushliteral(L, "program");
	lua_call(L, 3, 1);
	if (!lua_rawlen(L, -1))
		lua_box_fail(L, "task.spawn: the program has no steps");
	add_block(&b, lua_gettop(L), false);
	lua_pop(L, 1);
}

struct task_spec **step_spec_box(lua_State *L, const char *name)
{
	struct task_spec **p = lua_newuserdatauv(L, sizeof(*p), 0);

	*p = NULL;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &spec_key);
	lua_setmetatable(L, -2);
	*p = task_spec_new(name);
	if (!*p)
		lua_box_fail(L, "not enough memory for a task");
	return p;
}

const struct lua_binding bind_step_rows[] = {
	{ "run", NULL, "run(time | { time =, spread = } | { mean =, max = } | \"forever\")",
	  "Step: work that takes this long on the largest CPU at its top frequency." },
	{ "runtime", NULL, "runtime(time)",
	  "Step: stay busy until that much time has passed, waiting included." },
	{ "sleep", NULL, "sleep(time | { time =, spread =, io = } | { mean =, max =, io = })",
	  "Step: sleep that long; io = true: waiting for a device, which governors reward." },
	{ "timer", NULL, "timer(period | { period =, name =, absolute =, shared = })",
	  "Step: sleep until the next multiple of the period; returns at once when it is late." },
	{ "wait_for", NULL, "wait_for(name [, lock | { post = semaphore }])",
	  "Step: sleep until someone wakes this name; the lock is released meanwhile, or the semaphore "
	  "posted once the task waits." },
	{ "wake", NULL, "wake(name [, { stamp = name }])",
	  "Step: wake one task that waits for the name; a shared stamp may go with it." },
	{ "broadcast", NULL, "broadcast(name [, { stamp = name }])",
	  "Step: wake all tasks that wait for the name, one after the other; each wake-up is paid for." },
	{ "lock", NULL, "lock(name)", "Step: take a lock, asleep while another task has it." },
	{ "unlock", NULL, "unlock(name)", "Step: release a lock." },
	{ "barrier", NULL, "barrier(name, parties)",
	  "Step: wait until that many tasks stand at the barrier." },
	{ "sem_post", NULL, "sem_post(name)",
	  "Step: add one to a semaphore and wake a task that waits for it." },
	{ "sem_wait", NULL, "sem_wait(name)",
	  "Step: take one from a semaphore, asleep while it is 0." },
	{ "sem_reset", NULL, "sem_reset(name)", "Step: set a semaphore to 0." },
	{ "requeue", NULL, "requeue(name, other)",
	  "Step: let all tasks that wait for the name wait for the other one from now on." },
	{ "send", NULL, "send(name [, depth])",
	  "Step: put a message into a queue; sleep while depth (1) messages stand in it. The first "
	  "program that names a depth decides." },
	{ "receive", NULL, "receive(name)",
	  "Step: take a message from a queue, asleep while it is empty." },
	{ "yield", NULL, "yield()", "Step: sched_yield()." },
	{ "count", NULL, "count(name [, n]) | count { name =, n =, from =, above =, shared = }",
	  "Step: add n (1) to a counter: throughput.NAME of the metrics. With from, a stamp, only if more "
	  "than above has passed since." },
	{ "stamp", NULL, "stamp(name) | stamp { name =, shared = true }",
	  "Step: note the time. The stamp is the task's own, or with shared one for all tasks." },
	{ "sample", NULL, "sample(name [, stamp]) | sample { name =, from =, shared = true }",
	  "Step: the time since the stamp is a latency of the group NAME, in place of the wake-up "
	  "latencies of the tasks that count under it. Without a stamp: since the signal that woke the task "
	  "last, or the stamp which that signal carried." },
	{ "fork", NULL, "fork { name =, program =, ... }",
	  "Step: start another task, described as for task.spawn." },
	{ "exit", NULL, "exit()", "Step: the task ends." },
	{ "loop", NULL, "loop(n, step, ...)", "Step: the steps n times; 0 or no n: for ever." },
	{ "phase", NULL, "phase { duration = | loop =, nice =, cpus =, step, ... }",
	  "Step: repeat the steps while the duration lasts, or loop times (1)." },
	{ "periodic", NULL, "periodic { period =, duty = | run = }",
	  "Shape: duty per cent of each period is work, for ever." },
	{ "ramp", NULL, "ramp { period =, from =, to =, over = }",
	  "Shape: the duty goes evenly from one value to another." },
	{ "stair", NULL, "stair { period =, from =, to =, steps =, hold = }",
	  "Shape: the duty goes up or down in steps, each held for a while." },
	{ "pulse", NULL, "pulse { period =, low =, high =, low_for =, high_for = }",
	  "Shape: the duty changes between two values, for ever." },
	{ "sweep", NULL, "sweep { duty =, from =, to =, steps =, hold = }",
	  "Shape: the same duty at periods from one length to another." },
	{ NULL, NULL, NULL, NULL },
};
