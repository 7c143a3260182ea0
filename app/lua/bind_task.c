/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind_task.c - tasks: spawning them, changing them, reading them.
 *
 * A handle names a task by the serial of its spawn, which is never given out again: a handle of a
 * task that has ended reads nil and changes nothing.
 */
#include "app/lua/bind_step.h"
#include "app/lua/script_int.h"
#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/sched/dl.h"
#include "engine/workload/workload.h"

#include <string.h>

#define INSTANCES_MAX 100000

static const char order_key = 'o';

static const char *const policies[] = { "normal", "batch", "idle", "fifo", "rr", "deadline", NULL };
static const u8 policy_numbers[] = { SCHED_NORMAL, SCHED_BATCH, SCHED_IDLE,
				     SCHED_FIFO,   SCHED_RR,	SCHED_DEADLINE };

/* ---- descriptions ---- */

static void copy_text(lua_State *L, int idx, const char *key, const char *what, size_t min,
		      char *dst, size_t size)
{
	if (!lv_field(L, idx, key))
		return;
	strcpy(dst, lv_text(L, -1, what, min, size - 1));
	lua_pop(L, 1);
}

static u64 time_field(lua_State *L, int idx, const char *key, const char *what)
{
	u64 v = 0;

	if (lv_field(L, idx, key)) {
		v = lv_time(L, -1, what);
		lua_pop(L, 1);
	}
	return v;
}

/* runtime, deadline and period of the table at @idx. */
static struct dl_params read_reservation(lua_State *L, int idx, const char *who)
{
	struct dl_params dl = {
		.runtime = time_field(L, idx, "runtime", "the runtime"),
		.deadline = time_field(L, idx, "deadline", "the deadline"),
		.period = time_field(L, idx, "period", "the period"),
	};
	struct err err = { 0 };

	if (dl_params_check(&dl, who, &err))
		lua_box_fail(L, "%s", err.msg);
	return dl;
}

static void read_class(lua_State *L, int idx, struct task_spec *spec)
{
	if (lv_field(L, idx, "nice")) {
		spec->nice = (s8)lv_int(L, -1, "task.spawn: nice", -20, 19);
		lua_pop(L, 1);
	}
	if (lv_field(L, idx, "policy")) {
		spec->policy = policy_numbers[lv_choice(L, -1, "task.spawn: policy", policies)];
		lua_pop(L, 1);
	}
	if (spec->policy == SCHED_FIFO || spec->policy == SCHED_RR)
		spec->rt_priority = 1;
	if (spec->policy == SCHED_DEADLINE)
		spec->dl = read_reservation(L, idx, "task.spawn");
	else if (time_field(L, idx, "runtime", "task.spawn: runtime") ||
		 time_field(L, idx, "deadline", "task.spawn: deadline") ||
		 time_field(L, idx, "period", "task.spawn: period"))
		lua_box_fail(L, "task.spawn: runtime, deadline and period are for policy "
				"\"deadline\"");
	if (lv_field(L, idx, "priority")) {
		if (!spec->rt_priority)
			lua_box_fail(
				L, "task.spawn: priority is for policy \"fifo\" or \"rr\"; others "
				   "have nice");
		spec->rt_priority = (u8)lv_int(L, -1, "task.spawn: priority", 1, 99);
		lua_pop(L, 1);
	}
	if (lv_field(L, idx, "uclamp")) {
		int u = lua_gettop(L);

		luaL_checktype(L, u, LUA_TTABLE);
		lua_rawgeti(L, u, 1);
		lua_rawgeti(L, u, 2);
		spec->uclamp_min = (u32)lv_int(L, -2, "task.spawn: uclamp[1]", 0, 1024);
		spec->uclamp_max =
			(u32)lv_int(L, -1, "task.spawn: uclamp[2]", (s64)spec->uclamp_min, 1024);
		lua_pop(L, 3);
	}
	if (lv_field(L, idx, "slice")) {
		spec->slice = lv_time(L, -1, "task.spawn: slice");
		lua_pop(L, 1);
	}
}

struct task_spec **lua_push_spec(lua_State *L, int idx, u32 nr_cpus, u32 depth)
{
	struct task_spec **box, *spec;
	struct err err = { 0 };
	char name[TASK_COMM_LEN];

	idx = lua_absindex(L, idx);
	if (depth > 8)
		lua_box_fail(L, "task.spawn: forks within forks, more than 8 deep");
	luaL_checkstack(L, 20, "forks");
	lv_fields(L, idx, "task.spawn",
		  "name nice policy priority cpus group uclamp slice program delay instances "
		  "latency_group runtime deadline period",
		  false);
	strcpy(name, "task");
	copy_text(L, idx, "name", "task.spawn: name", 1, name, sizeof(name));
	box = step_spec_box(L, name);
	spec = *box;
	copy_text(L, idx, "latency_group", "task.spawn: latency_group", 1, spec->latency_group,
		  sizeof(spec->latency_group));
	copy_text(L, idx, "group", "task.spawn: group", 1, spec->group, sizeof(spec->group));
	if (spec->group[0])
		need_group(L, spec->group);
	read_class(L, idx, spec);
	if (lv_field(L, idx, "cpus")) {
		spec->cpus = step_mask(L, -1, "task.spawn: cpus", spec, nr_cpus);
		lua_pop(L, 1);
	}
	if (lv_field(L, idx, "delay")) {
		spec->delay = lv_time(L, -1, "task.spawn: delay");
		lua_pop(L, 1);
	}
	if (lv_field(L, idx, "instances")) {
		spec->instances = (u32)lv_int(L, -1, "task.spawn: instances", 1, INSTANCES_MAX);
		lua_pop(L, 1);
	}
	if (!lv_field(L, idx, "program"))
		lua_box_fail(L,
			     "task.spawn: a program is needed, e.g. program = periodic { period = "
			     "\"16ms\", duty = 20 }");
	step_program(L, -1, spec, nr_cpus, depth);
	lua_pop(L, 1);
	if (spec_check(spec, nr_cpus, &err))
		lua_box_fail(L, "task.spawn: %s", err.msg);
	return box;
}

static int bind_spawn(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	struct task_spec **box;
	u64 serial = 0;
	u32 n;

	lua_settop(L, 1);
	box = lua_push_spec(L, 1, sim->g->nr_cpus, 0);
	n = (*box)->instances;
	lua_box_charge(L, n);

	struct sim_input in = { .kind = INPUT_SPAWN, .spec = *box };

	gate_input(L, &in, &serial);
	task_spec_free(*box);
	*box = NULL;
	lua_handle_push(L, HANDLE_TASK, serial);
	if (n == 1)
		return 1;
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		lua_handle_push(L, HANDLE_TASK, serial + i);
		lua_rawseti(L, -2, i + 1);
	}
	return 2;
}

/* ---- finding ---- */

task_id script_task(struct script *s, u64 serial)
{
	u32 slot = serial % TASK_CACHE;
	task_id id = s->cache[slot].id;
	struct sim *sim = s->sim;

	if (!sim)
		return NONE;
	if (s->cache[slot].serial == serial && id < arena_len(&sim->arena, POOL_TASK) &&
	    arena_is_live(&sim->arena, POOL_TASK, id) && sim->tasks[id].serial == serial)
		return sim->tasks[id].state == TASK_DEAD ? NONE : id;
	id = sim_find_task(sim, serial);
	if (id != NONE) {
		s->cache[slot].serial = serial;
		s->cache[slot].id = id;
	}
	return id;
}

void push_task(lua_State *L, struct sim *sim, task_id id)
{
	struct script *s = script_of(L);
	u64 serial = sim->tasks[id].serial;

	s->cache[serial % TASK_CACHE].serial = serial;
	s->cache[serial % TASK_CACHE].id = id;
	lua_handle_push(L, HANDLE_TASK, serial);
}

/* sched.task[name]: the first one alive, nil if there is none. */
static int task_by_name(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	task_id p = sim_find_task_by_name(sim, lv_text(L, 2, "sched.task", 1, 255));

	lua_box_charge(L, arena_len(&sim->arena, POOL_TASK) / 4);
	if (p == NONE)
		return 0;
	push_task(L, sim, p);
	return 1;
}

/* tasks(): all that live, in order of their birth. */
static int bind_tasks(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	lua_Integer n = 0;

	lua_newtable(L);
	for_each_live(p, &sim->arena, POOL_TASK)
	{
		if (sim->tasks[p].state == TASK_DEAD || (sim->tasks[p].flags & PF_KTHREAD))
			continue;
		lua_box_charge(L, 10);
		push_task(L, sim, p);
		lua_rawseti(L, -2, ++n);
	}
	/* Slots are used again; serials tell the order. */
	lua_box_env(L);
	lua_getfield(L, -1, "table");
	lua_getfield(L, -1, "sort");
	lua_pushvalue(L, -4);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &order_key);
	lua_call(L, 2, 0);
	lua_pop(L, 2);
	return 1;
}

/* ---- reading ---- */

static const char *state_text(const struct sim *sim, task_id p)
{
	const struct task *t = &sim->tasks[p];

	switch (t->state) {
	case TASK_NEW:
		return "new";
	case TASK_RUNNING:
		return sim->rqs[t->cpu].curr == p ? "running" : "runnable";
	case TASK_SLEEPING:
		return "sleeping";
	case TASK_WAITING:
		return "waiting";
	default:
		return "dead";
	}
}

static const char *const fields[] = { "name",	  "id",	     "alive",	   "state",   "cpu",
				      "nice",	  "util",    "runnable",   "load",    "util_est",
				      "exec_ns",  "wakeups", "migrations", "wait_ns", "vruntime",
				      "deadline", "allowed", "weight",	   "x",	      "policy",
				      "priority", NULL };

static int field_index(const char *key)
{
	for (int i = 0; fields[i]; i++)
		if (!strcmp(fields[i], key))
			return i;
	return -1;
}

static int task_field(lua_State *L)
{
	struct script *s = script_of(L);
	u64 serial = lua_handle_check(L, 1, HANDLE_TASK);
	const char *key = luaL_checkstring(L, 2);
	struct sim *sim = script_need_sim(L);
	int f = field_index(key);
	task_id p;

	if (f < 0)
		return lv_unknown(L, "task", "field", key, fields, ARRAY_SIZE(fields) - 1);
	if (f == 1) {
		lua_pushinteger(L, (lua_Integer)serial);
		return 1;
	}
	p = script_task(s, serial);
	if (f == 2) {
		lua_pushboolean(L, p != NONE);
		return 1;
	}
	if (p == NONE)
		return 0;

	const struct task *t = &sim->tasks[p];
	const struct sched_entity *se = &sim->task_se[p];
	s64 v = 0;

	switch (f) {
	case 0:
		lua_pushstring(L, t->comm);
		return 1;
	case 3:
		lua_pushstring(L, state_text(sim, p));
		return 1;
	case 4:
		v = t->cpu;
		break;
	case 5:
		v = t->nice;
		break;
	case 6:
		v = (s64)sim_task_avg_now(sim, p).util_avg;
		break;
	case 7:
		v = (s64)sim_task_avg_now(sim, p).runnable_avg;
		break;
	case 8:
		v = (s64)sim_task_avg_now(sim, p).load_avg;
		break;
	case 9:
		v = (s64)(se->avg.util_est & ~UTIL_AVG_UNCHANGED);
		break;
	case 10:
		v = (s64)sim_task_exec_now(sim, p);
		break;
	case 11:
		v = (s64)sim_task_stats_now(sim, p).wakeups;
		break;
	case 12:
		v = (s64)sim_task_stats_now(sim, p).migrations;
		break;
	case 13:
		v = (s64)sim_task_stats_now(sim, p).wait_ns;
		break;
	case 14:
		v = (s64)se->vruntime;
		break;
	case 15:
		v = (s64)se->deadline;
		break;
	case 16: {
		lua_Integer n = 0;

		lua_newtable(L);
		for (u32 c = 0; c < sim->g->nr_cpus; c++) {
			if (!mask_has_cpu(sim, t->cpus, c))
				continue;
			lua_pushinteger(L, c);
			lua_rawseti(L, -2, ++n);
		}
		lua_box_charge(L, sim->g->nr_cpus);
		return 1;
	}
	case 18:
		return policy_push_task_x(L, p);
	case 19:
		for (size_t i = 0; policies[i]; i++)
			if (policy_numbers[i] == t->policy)
				lua_pushstring(L, policies[i]);
		return 1;
	case 20:
		v = t->rt_priority;
		break;
	default:
		v = (s64)(se->load.weight >> 10);
		break;
	}
	lua_box_charge(L, 20);
	lua_pushinteger(L, v);
	return 1;
}

/* task:allows(cpu) */
static int task_allows(lua_State *L)
{
	u64 serial = lua_handle_check(L, 1, HANDLE_TASK);
	struct sim *sim = script_need_sim(L);
	u32 cpu = lv_cpu(L, 2, "task:allows: the CPU", sim->g->nr_cpus);
	task_id p = script_task(script_of(L), serial);

	lua_pushboolean(L, p != NONE && mask_has_cpu(sim, sim->tasks[p].cpus, cpu));
	return 1;
}

/* ---- changing ---- */

static int effect(lua_State *L, struct sim_input *in)
{
	in->serial = lua_handle_check(L, 1, HANDLE_TASK);
	gate_input(L, in, NULL);
	return 0;
}

static int task_set_nice(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_SET_NICE };

	in.a = lv_int(L, 2, "set_nice: nice", -20, 19);
	return effect(L, &in);
}

static int task_kill_bind(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_KILL };

	return effect(L, &in);
}

static int task_migrate(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_MIGRATE };

	in.a = lv_cpu(L, 2, "migrate: the CPU", script_need_sim(L)->g->nr_cpus);
	return effect(L, &in);
}

static int task_set_cpus(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_SET_CPUS };
	struct sim *sim = script_need_sim(L);
	u32 nwords = cpumask_words(sim->g->nr_cpus);
	u64 *words = lua_newuserdatauv(L, nwords * sizeof(*words), 0);

	lv_cpus(L, 2, "set_cpus: the CPUs", words, nwords, sim->g->nr_cpus);
	in.words = words;
	return effect(L, &in);
}

static int task_set_policy(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_SET_POLICY };
	int i = lv_choice(L, 2, "set_policy: the policy", policies);

	in.a = policy_numbers[i];
	if (in.a == SCHED_DEADLINE)
		lua_box_fail(L, "set_policy: a deadline task needs a reservation; use "
				"set_deadline { runtime = \"5ms\", period = \"20ms\" }");
	if (in.a == SCHED_FIFO || in.a == SCHED_RR)
		in.b = lua_isnoneornil(L, 3) ? 1 : lv_int(L, 3, "set_policy: priority", 1, 99);
	return effect(L, &in);
}

static int task_set_deadline_lua(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_SET_DEADLINE };

	luaL_checktype(L, 2, LUA_TTABLE);
	lv_fields(L, 2, "set_deadline", "runtime deadline period", false);

	struct dl_params dl = read_reservation(L, 2, "set_deadline");

	in.a = (s64)dl.runtime;
	in.b = (s64)dl.deadline;
	in.c = (s64)dl.period;
	return effect(L, &in);
}

static int task_set_uclamp(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_SET_UCLAMP };

	in.a = lv_int(L, 2, "set_uclamp: min", 0, 1024);
	in.b = lv_int(L, 3, "set_uclamp: max", in.a, 1024);
	return effect(L, &in);
}

static int task_set_slice(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_SET_SLICE };

	in.a = lua_isnoneornil(L, 2) ? 0 : (s64)lv_time(L, 2, "set_slice: the slice");
	return effect(L, &in);
}

/* Order of serials, for tasks(). */
static int by_serial(lua_State *L)
{
	lua_pushboolean(L,
			lua_handle_check(L, 1, HANDLE_TASK) < lua_handle_check(L, 2, HANDLE_TASK));
	return 1;
}

static int set_sched_task(lua_State *L)
{
	return lua_box_fail(L, "sched.task is read-only; task.spawn makes tasks");
}

void bind_task_open(lua_State *L)
{
	lua_pushcfunction(L, by_serial);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &order_key);
	handle_fields(L, HANDLE_TASK, task_field);
	lua_box_env(L);
	lua_getfield(L, -1, "sched");
	lua_newtable(L);
	lua_createtable(L, 0, 3);
	lua_pushcfunction(L, task_by_name);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, set_sched_task);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_setfield(L, -2, "task");
	lua_pop(L, 2);
}

const struct lua_binding bind_task_rows[] = {
	{ "task.spawn", bind_spawn,
	  "task.spawn { name =, nice =, cpus =, group =, policy =, priority =, uclamp = {min, max}, "
	  "slice =, runtime =, deadline =, period =, delay =, instances =, latency_group =, program = "
	  "}",
	  "Makes a task that runs the program: a list of steps or a shape. Returns its handle; with "
	  "instances also the list of all." },
	{ "tasks", bind_tasks, "tasks()", "All tasks alive, in the order of their birth." },
	{ "sched.task", NULL, "sched.task[name]", "The first task of that name alive, or nil." },
	{ "task:set_nice", task_set_nice, "task:set_nice(nice)",
	  "Changes the nice value, -20 .. 19." },
	{ "task:set_cpus", task_set_cpus, "task:set_cpus(\"0-3\" | cpu | list)",
	  "Changes the CPUs the task may use." },
	{ "task:set_deadline", task_set_deadline_lua,
	  "task:set_deadline { runtime =, deadline =, period = }",
	  "Makes it a SCHED_DEADLINE task: runtime in each period, by the deadline (without one: the "
	  "period). Deadline tasks may use all CPUs and reserve 95 % of them at most." },
	{ "task:set_policy", task_set_policy,
	  "task:set_policy(\"normal\" | \"batch\" | \"idle\" | \"fifo\" | \"rr\" [, priority])",
	  "Changes the scheduling class." },
	{ "task:set_uclamp", task_set_uclamp, "task:set_uclamp(min, max)",
	  "Bounds of the task's utilisation, 0 .. 1024." },
	{ "task:set_slice", task_set_slice, "task:set_slice([time])",
	  "The task's own slice (eevdf); nothing: the default." },
	{ "task:migrate", task_migrate, "task:migrate(cpu)",
	  "Moves the task to a CPU it may use." },
	{ "task:kill", task_kill_bind, "task:kill()", "Ends the task." },
	{ "task:allows", task_allows, "task:allows(cpu)", "May the task run there?" },
	{ "task:util", NULL, "task.util",
	  "Fields of a task: name id alive state cpu nice util runnable load util_est exec_ns wakeups "
	  "migrations wait_ns vruntime deadline allowed weight; nil once it has ended." },
	{ NULL, NULL, NULL, NULL },
};
