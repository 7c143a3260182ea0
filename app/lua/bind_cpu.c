/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind_cpu.c - CPUs and frequency domains as scripts see them.
 */
#include "app/lua/script_int.h"
#include "app/units.h"
#include "app/xalloc.h"
#include "engine/access.h"
#include "engine/base/cpumask.h"

#include <string.h>

/* handle.field: a method of the class, or what upvalue 2 reads. */
static int field_or_method(lua_State *L)
{
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
		return 1;
	lua_pop(L, 1);
	if (lua_type(L, 2) != LUA_TSTRING)
		return lua_box_fail(L, "a field is named by a text");
	return lua_tocfunction(L, lua_upvalueindex(2))(L);
}

void handle_fields(lua_State *L, enum lua_handle_kind kind, lua_CFunction fn)
{
	lua_handle_push(L, kind, 0);
	lua_getmetatable(L, -1);
	lua_handle_class(L, kind);
	lua_pushcfunction(L, fn);
	lua_pushcclosure(L, field_or_method, 2);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 2);
}

int handle_field_index(lua_State *L, const char *what, const char *const *names)
{
	const char *key = lua_tostring(L, 2);
	size_t nr = 0;

	for (; names[nr]; nr++)
		if (!strcmp(names[nr], key))
			return (int)nr;
	return lv_unknown(L, what, "field", key, names, nr);
}

/* ---- CPUs ---- */

static const char *const cpu_fields[] = { "id",	      "util",	  "runnable",	   "load",
					  "util_est", "capacity", "capacity_orig", "nr_running",
					  "idle",     "curr",	  "khz",	   "node",
					  "llc",      "cluster",  "core",	   "domain",
					  "busy_ns",  "idle_ns",  "switches",	   "is_online",
					  "x",	      NULL };

static int cpu_field(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	u64 c = lua_handle_check(L, 1, HANDLE_CPU);
	int f = handle_field_index(L, "cpu", cpu_fields);
	s64 v;

	if (c >= sim->g->nr_cpus)
		return 0;

	const struct rq *rq = &sim->rqs[c];
	const struct cpu_topo *t = &sim->topo[c];
	cpu_id cpu = (cpu_id)c;

	lua_box_charge(L, 10);
	switch (f) {
	case 0:
		v = (s64)c;
		break;
	case 1:
		v = (s64)sim_cpu_util(sim, cpu);
		break;
	case 2:
		v = (s64)sim_cpu_avg_now(sim, cpu).runnable_avg;
		break;
	case 3:
		v = (s64)sim_cpu_avg_now(sim, cpu).load_avg;
		break;
	case 4:
		v = (s64)sim->cfs_rqs[c].avg.util_est;
		break;
	case 5:
		v = rq->cpu_capacity;
		break;
	case 6:
		v = rq->cpu_capacity_orig;
		break;
	case 7:
		v = rq->nr_running;
		break;
	case 8:
		lua_pushboolean(L, rq->mode == CPU_IDLE && !rq->nr_running);
		return 1;
	case 9:
		if (rq->curr == NONE)
			return 0;
		push_task(L, sim, rq->curr);
		return 1;
	case 10:
		v = sim_cpu_khz(sim, cpu);
		break;
	case 11:
		v = t->node;
		break;
	case 12:
		v = t->llc;
		break;
	case 13:
		v = t->cluster;
		break;
	case 14:
		v = t->core;
		break;
	case 15:
		lua_handle_push(L, HANDLE_DOMAIN, t->fd);
		return 1;
	case 16:
		v = (s64)sim_cpu_stats_now(sim, cpu).busy_ns;
		break;
	case 17:
		v = (s64)sim_cpu_stats_now(sim, cpu).idle_ns;
		break;
	case 18:
		v = (s64)sim_cpu_stats_now(sim, cpu).switches;
		break;
	case 19:
		lua_pushboolean(L, rq->mode != CPU_OFFLINE);
		return 1;
	default:
		return policy_push_cpu_x(L, cpu);
	}
	lua_pushinteger(L, v);
	return 1;
}

static int bind_cpu(lua_State *L)
{
	lua_handle_push(L, HANDLE_CPU, lv_cpu(L, 1, "cpu", script_need_sim(L)->g->nr_cpus));
	return 1;
}

static int bind_cpus(lua_State *L)
{
	struct sim *sim = script_need_sim(L);

	lua_box_charge(L, sim->g->nr_cpus * 5);
	lua_createtable(L, (int)sim->g->nr_cpus, 0);
	for (u32 c = 0; c < sim->g->nr_cpus; c++) {
		lua_handle_push(L, HANDLE_CPU, c);
		lua_rawseti(L, -2, (lua_Integer)c + 1);
	}
	return 1;
}

/* sched.cpu[i], nil outside. */
static int cpu_by_number(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	lua_Integer i = luaL_checkinteger(L, 2);

	if (i < 0 || i >= (lua_Integer)sim->g->nr_cpus)
		return 0;
	lua_handle_push(L, HANDLE_CPU, (u64)i);
	return 1;
}

static int cpu_count(lua_State *L)
{
	lua_pushinteger(L, script_need_sim(L)->g->nr_cpus);
	return 1;
}

static int cpu_offline(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_CPU_ONLINE };

	in.a = (s64)lua_handle_check(L, 1, HANDLE_CPU);
	gate_input(L, &in, NULL);
	return 0;
}

static int cpu_online(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_CPU_ONLINE, .b = 1 };

	in.a = (s64)lua_handle_check(L, 1, HANDLE_CPU);
	gate_input(L, &in, NULL);
	return 0;
}

static int sched_housekeeping(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_HOUSEKEEPING };
	struct sim *sim = script_need_sim(L);
	u32 nwords = cpumask_words(sim->g->nr_cpus);
	u64 *words = lua_newuserdatauv(L, nwords * sizeof(*words), 0);

	lv_cpus(L, 1, "sched.housekeeping: the CPUs", words, nwords, sim->g->nr_cpus);
	in.words = words;
	gate_input(L, &in, NULL);
	return 0;
}

static int read_only(lua_State *L)
{
	return lua_box_fail(L, "this table is read-only");
}

/* ---- frequency domains ---- */

static const char *const domain_fields[] = { "id",	    "khz",	"min_khz",   "max_khz",
					     "ref_khz",	    "capacity", "first_cpu", "nr_cpus",
					     "transitions", NULL };

static int domain_field(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	u64 id = lua_handle_check(L, 1, HANDLE_DOMAIN);
	int f = handle_field_index(L, "domain", domain_fields);

	if (id >= sim->g->nr_fds)
		return 0;

	const struct freq_domain *d = &sim->fds[id];
	const s64 values[] = { (s64)id,	     d->cur_khz, d->min_khz,
			       d->max_khz,   d->ref_khz, d->capacity_orig,
			       d->first_cpu, d->nr_cpus, (s64)d->transitions };

	lua_pushinteger(L, values[f]);
	return 1;
}

static int bind_domain(lua_State *L)
{
	struct sim *sim = script_need_sim(L);

	lua_handle_push(L, HANDLE_DOMAIN, (u64)lv_int(L, 1, "domain", 0, (s64)sim->g->nr_fds - 1));
	return 1;
}

static int bind_domains(lua_State *L)
{
	struct sim *sim = script_need_sim(L);

	lua_createtable(L, (int)sim->g->nr_fds, 0);
	for (u32 i = 0; i < sim->g->nr_fds; i++) {
		lua_handle_push(L, HANDLE_DOMAIN, i);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

/* domain:cap("1.8GHz"), a number of kHz, or nothing to lift it. */
static int domain_cap(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_FREQ_CAP };
	struct err err = { 0 };
	size_t len;
	u64 khz;

	in.a = (s64)lua_handle_check(L, 1, HANDLE_DOMAIN);
	if (lua_type(L, 2) == LUA_TSTRING) {
		const char *s = lua_tolstring(L, 2, &len);

		if (parse_freq(s, len, &khz, &err))
			return lua_box_fail(L, "cap: %s", err.msg);
		in.b = (s64)khz;
	} else if (!lua_isnoneornil(L, 2)) {
		in.b = lv_int(L, 2, "cap: the frequency in kHz", 0, 1000000000);
	}
	gate_input(L, &in, NULL);
	return 0;
}

/* ---- opening ---- */

void bind_cpu_open(lua_State *L)
{
	handle_fields(L, HANDLE_CPU, cpu_field);
	handle_fields(L, HANDLE_DOMAIN, domain_field);
	lua_newtable(L);
	lua_newtable(L);
	lua_createtable(L, 0, 4);
	lua_pushcfunction(L, cpu_by_number);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, cpu_count);
	lua_setfield(L, -2, "__len");
	lua_pushcfunction(L, read_only);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_setfield(L, -2, "cpu");
	lua_box_set(L, "sched");
}

const struct lua_binding bind_cpu_rows[] = {
	{ "cpu", bind_cpu, "cpu(number)", "A CPU's handle." },
	{ "cpus", bind_cpus, "cpus()", "The list of all CPUs." },
	{ "sched.cpu", NULL, "sched.cpu[number]",
	  "A CPU's handle, nil if there is none; #sched.cpu." },
	{ "cpu:util", NULL, "cpu.util",
	  "Fields of a CPU: id util runnable load util_est capacity capacity_orig nr_running idle curr "
	  "khz node llc cluster core domain busy_ns idle_ns switches is_online." },
	{ "cpu:offline", cpu_offline, "cpu:offline()",
	  "Takes the CPU offline: its tasks and timers go elsewhere." },
	{ "cpu:online", cpu_online, "cpu:online()", "Brings it back." },
	{ "sched.housekeeping", sched_housekeeping, "sched.housekeeping(cpus)",
	  "Which CPUs may balance for idle ones and take the timers of absent ones." },
	{ "domain", bind_domain, "domain(number)", "A frequency domain's handle." },
	{ "domains", bind_domains, "domains()", "The list of all frequency domains." },
	{ "domain:cap", domain_cap, "domain:cap([\"1.8GHz\" | khz])",
	  "The highest frequency allowed; nothing lifts it." },
	{ "domain:khz", NULL, "domain.khz",
	  "Fields of a domain: id khz min_khz max_khz ref_khz capacity first_cpu nr_cpus transitions." },
	{ NULL, NULL, NULL, NULL },
};
