/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind_cpu.c - CPUs, frequency domains and task groups as scripts see them.
 */
#include "app/lua/script_int.h"
#include "app/units.h"
#include "app/xalloc.h"
#include "engine/access.h"

#include <string.h>

#define GROUPS_MAX 10000

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

/* Index of @key in @names, raises with the nearest one. */
static int field(lua_State *L, const char *what, const char *const *names)
{
	const char *key = lua_tostring(L, 2);
	size_t nr = 0;

	for (; names[nr]; nr++)
		if (!strcmp(names[nr], key))
			return (int)nr;
	return lv_unknown(L, what, "field", key, names, nr);
}

/* ---- CPUs ---- */

static const char *const cpu_fields[] = {
	"id",	      "util",	"runnable", "load",    "util_est", "capacity", "capacity_orig",
	"nr_running", "idle",	"curr",	    "khz",     "node",	   "llc",      "cluster",
	"core",	      "domain", "busy_ns",  "idle_ns", "switches", "x",	       NULL
};

static int cpu_field(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	u64 c = lua_handle_check(L, 1, HANDLE_CPU);
	int f = field(L, "cpu", cpu_fields);
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
		lua_pushboolean(L, rq->mode == CPU_IDLE && !rq->nr_running && !rq->ttwu_pending);
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
	int f = field(L, "domain", domain_fields);

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

/* ---- task groups: a handle stands for a name, because its number is known only later ---- */

static u32 group_find(const struct sim *sim, const char *name)
{
	if (!strcmp(name, "/"))
		return 0;
	for_each_live(g, &sim->arena,
		      POOL_GROUP) if (!strcmp(sim->texts[sim->groups[g].name].s, name)) return g;
	return NONE;
}

void need_group(lua_State *L, const char *path)
{
	struct sim_input in = { .kind = INPUT_GROUP_NEW, .text = path, .b = 1024 };
	struct sim *sim = script_need_sim(L);
	const struct journal *j = &sim->journal;

	if (path[0] != '/' || strlen(path) > 60)
		lua_box_fail(L, "a group is named like \"/background\", at most 60 bytes");
	if (group_find(sim, path) != NONE)
		return;
	for (u32 i = j->applied; i < j->nr; i++)
		if (j->e[i].kind == INPUT_GROUP_NEW && !strcmp(j->e[i].text, path))
			return;
	if (strchr(path + 1, '/'))
		lua_box_fail(L,
			     "groups within groups are not in this version; '%s' has one level too "
			     "many",
			     path);
	gate_input(L, &in, NULL);
}

static int bind_group(lua_State *L)
{
	struct script *s = script_of(L);
	const char *name = lv_text(L, 1, "group", 1, 60);
	u32 i;

	need_group(L, name);
	for (i = 0; i < s->nr_groups && strcmp(s->groups[i], name) != 0; i++)
		;
	if (i == s->nr_groups) {
		if (i == GROUPS_MAX)
			return lua_box_fail(L, "more than %d groups", GROUPS_MAX);
		s->groups = xrealloc_array(s->groups, i + 1, sizeof(*s->groups));
		s->groups[s->nr_groups++] = xstrdup(name);
	}
	lua_handle_push(L, HANDLE_GROUP, i);
	return 1;
}

static const char *group_name(lua_State *L)
{
	struct script *s = script_of(L);
	u64 i = lua_handle_check(L, 1, HANDLE_GROUP);

	return i < s->nr_groups ? s->groups[i] : "/";
}

static u32 group_arg(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	u32 g = group_find(sim, group_name(L));

	if (g == NONE)
		lua_box_fail(L,
			     "the group '%s' comes to be at the end of this call; change it in a "
			     "later one, e.g. after(0, function() ... end)",
			     group_name(L));
	return g;
}

static const char *const group_fields[] = { "name", "shares", "nr_tasks", "load_avg", NULL };

static int group_field(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	int f = field(L, "group", group_fields);
	u32 g;

	if (f == 0) {
		lua_pushstring(L, group_name(L));
		return 1;
	}
	g = group_find(sim, group_name(L));
	if (g == NONE)
		return 0;
	lua_pushinteger(L, (lua_Integer)(f == 1	  ? sim->groups[g].shares >> 10
					 : f == 2 ? sim->groups[g].nr_tasks
						  : sim->groups[g].load_avg));
	return 1;
}

static int group_set_shares(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_GROUP_SHARES };

	in.b = lv_int(L, 2, "set_shares: shares", 2, 262144);
	if (!gate_open(L))
		return 0;
	in.a = group_arg(L);
	gate_input(L, &in, NULL);
	return 0;
}

/* task:set_group(group | name) */
static int task_set_group(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_SET_GROUP };
	struct sim *sim = script_need_sim(L);

	in.serial = lua_handle_check(L, 1, HANDLE_TASK);
	lua_remove(L, 1);
	if (lua_type(L, 1) == LUA_TSTRING) {
		u32 g = group_find(sim, lua_tostring(L, 1));

		if (g == NONE)
			return lua_box_fail(
				L, "set_group: there is no group of this name; group(name) "
				   "makes one");
		in.a = g;
	} else {
		if (!gate_open(L))
			return 0;
		in.a = group_arg(L);
	}
	gate_input(L, &in, NULL);
	return 0;
}

/* ---- opening ---- */

void bind_cpu_open(lua_State *L)
{
	handle_fields(L, HANDLE_CPU, cpu_field);
	handle_fields(L, HANDLE_DOMAIN, domain_field);
	handle_fields(L, HANDLE_GROUP, group_field);
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
	  "khz node llc cluster core domain busy_ns idle_ns switches." },
	{ "cpu:offline", cpu_offline, "cpu:offline()", "Takes the CPU offline." },
	{ "cpu:online", cpu_online, "cpu:online()", "Brings it back." },
	{ "domain", bind_domain, "domain(number)", "A frequency domain's handle." },
	{ "domains", bind_domains, "domains()", "The list of all frequency domains." },
	{ "domain:cap", domain_cap, "domain:cap([\"1.8GHz\" | khz])",
	  "The highest frequency allowed; nothing lifts it." },
	{ "domain:khz", NULL, "domain.khz",
	  "Fields of a domain: id khz min_khz max_khz ref_khz capacity first_cpu nr_cpus transitions." },
	{ "group", bind_group, "group(\"/name\")", "A task group's handle; makes it if need be." },
	{ "group:set_shares", group_set_shares, "group:set_shares(shares)",
	  "Its weight against other groups, 2 .. 262144, 1024 like one task of nice 0." },
	{ "group:shares", NULL, "group.shares",
	  "Fields of a group: name shares nr_tasks load_avg." },
	{ "task:set_group", task_set_group, "task:set_group(group | name)",
	  "Moves the task to a group." },
	{ NULL, NULL, NULL, NULL },
};
