/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind_group.c - task groups as scripts see them: shares, bandwidth, clamps, idleness, CPUs.
 *
 * A handle stands for a name, for the group may come to be at the end of the call that names it.
 */
#include "app/lua/script_int.h"
#include "app/xalloc.h"
#include "engine/access.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/partition.h"

#include <string.h>

#define GROUPS_MAX 10000

void need_group(lua_State *L, const char *path)
{
	struct sim_input in = { .kind = INPUT_GROUP_NEW, .text = path, .b = 1024 };
	struct sim *sim = script_need_sim(L);
	char above[64];
	const char *last;

	if (path[0] != '/' || strlen(path) > 60 || strstr(path, "//") ||
	    (path[1] && path[strlen(path) - 1] == '/'))
		lua_box_fail(L,
			     "a group is named like \"/background\" or \"/user/web\", at most 60 "
			     "bytes");
	if (sim_find_group(sim, path) != NONE || !gate_open(L))
		return;
	/* Those around it first. */
	last = strrchr(path, '/');
	if (last != path) {
		snprintf(above, sizeof(above), "%.*s", (int)(last - path), path);
		need_group(L, above);
		in.a = sim_find_group(sim, above);
	}
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

/* Number of the group at argument 1, that which is still to be made included. */
static u32 group_arg(lua_State *L)
{
	u32 g = sim_find_group(script_need_sim(L), group_name(L));

	if (g == NONE)
		lua_box_fail(L, "the group '%s' is not there; its making was undone",
			     group_name(L));
	return g;
}

/* The numbers of the CPUs of a mask, as a list. */
static void push_mask(lua_State *L, const struct sim *sim, mask_id mask)
{
	lua_Integer n = 0;

	lua_newtable(L);
	for (u32 c = 0; c < sim->g->nr_cpus; c++) {
		if (!mask_has_cpu(sim, mask, c))
			continue;
		lua_pushinteger(L, c);
		lua_rawseti(L, -2, ++n);
	}
	lua_box_charge(L, sim->g->nr_cpus);
}

enum {
	GF_NAME,
	GF_SHARES,
	GF_NR_TASKS,
	GF_LOAD_AVG,
	GF_CPU_NS,
	GF_QUOTA_NS,
	GF_PERIOD_NS,
	GF_BURST_NS,
	GF_THROTTLED_NS,
	GF_NR_PERIODS,
	GF_NR_THROTTLED,
	GF_UCLAMP_MIN,
	GF_UCLAMP_MAX,
	GF_IDLE,
	GF_CPUS,
	GF_PARTITION,
};

static const char *const group_fields[] = {
	[GF_NAME] = "name",
	[GF_SHARES] = "shares",
	[GF_NR_TASKS] = "nr_tasks",
	[GF_LOAD_AVG] = "load_avg",
	[GF_CPU_NS] = "cpu_ns",
	[GF_QUOTA_NS] = "quota_ns",
	[GF_PERIOD_NS] = "period_ns",
	[GF_BURST_NS] = "burst_ns",
	[GF_THROTTLED_NS] = "throttled_ns",
	[GF_NR_PERIODS] = "nr_periods",
	[GF_NR_THROTTLED] = "nr_throttled",
	[GF_UCLAMP_MIN] = "uclamp_min",
	[GF_UCLAMP_MAX] = "uclamp_max",
	[GF_IDLE] = "idle",
	[GF_CPUS] = "cpus",
	[GF_PARTITION] = "partition",
	NULL,
};

static int group_field(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	int f = handle_field_index(L, "group", group_fields);
	const struct task_group *tg;
	u64 v = 0;
	u32 g;

	if (f == GF_NAME) {
		lua_pushstring(L, group_name(L));
		return 1;
	}
	g = sim_find_group(sim, group_name(L));
	/* Not yet there. */
	if (g >= arena_len(&sim->arena, POOL_GROUP))
		return 0;
	tg = &sim->groups[g];
	switch (f) {
	case GF_SHARES:
		v = tg->shares >> 10;
		break;
	case GF_NR_TASKS:
		v = tg->nr_tasks;
		break;
	case GF_LOAD_AVG:
		v = tg->load_avg;
		break;
	case GF_CPU_NS:
		v = g ? sim_group_exec_now(sim, g) : 0;
		break;
	case GF_QUOTA_NS:
		if (tg->quota == RUNTIME_INF)
			return 0;
		v = tg->quota;
		break;
	case GF_PERIOD_NS:
		v = tg->period;
		break;
	case GF_BURST_NS:
		v = tg->burst;
		break;
	case GF_THROTTLED_NS:
		v = sim_group_stats_now(sim, g).throttled_ns;
		break;
	case GF_NR_PERIODS:
		v = sim->group_stats[g].nr_periods;
		break;
	case GF_NR_THROTTLED:
		v = sim->group_stats[g].nr_throttled;
		break;
	case GF_UCLAMP_MIN:
		v = tg->uclamp[0];
		break;
	case GF_UCLAMP_MAX:
		v = tg->uclamp[1];
		break;
	case GF_IDLE:
		lua_pushboolean(L, (int)tg->idle);
		return 1;
	case GF_PARTITION:
		lua_pushstring(L, partition_names[tg->partition_now]);
		return 1;
	default:
		push_mask(L, sim, tg->cpus_now);
		return 1;
	}
	lua_pushinteger(L, (lua_Integer)v);
	return 1;
}

/* Hand @in over with its group filled in. */
static int give(lua_State *L, struct sim_input *in)
{
	if (!gate_open(L))
		return 0;
	in->a = group_arg(L);
	gate_input(L, in, NULL);
	return 0;
}

static int group_set_shares(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_GROUP_SHARES };

	in.b = lv_int(L, 2, "set_shares: shares", 2, 262144);
	return give(L, &in);
}

/* group:set_max(quota | "max" [, period [, burst]]) */
static int group_set_max(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_GROUP_MAX, .b = -1, .c = BANDWIDTH_PERIOD_DEFAULT };

	if (!lua_isnoneornil(L, 2) &&
	    !(lua_type(L, 2) == LUA_TSTRING && !strcmp(lua_tostring(L, 2), "max")))
		in.b = (s64)lv_time(L, 2, "set_max: the quota");
	if (!lua_isnoneornil(L, 3))
		in.c = (s64)lv_time(L, 3, "set_max: the period");
	if (!lua_isnoneornil(L, 4))
		in.serial = lv_time(L, 4, "set_max: the burst");
	return give(L, &in);
}

static int group_set_uclamp(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_GROUP_UCLAMP };

	in.b = lv_int(L, 2, "set_uclamp: min", 0, 1024);
	in.c = lv_int(L, 3, "set_uclamp: max", 0, 1024);
	return give(L, &in);
}

static int group_set_idle(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_GROUP_IDLE };

	in.b = lua_isnoneornil(L, 2) || lv_bool(L, 2, "set_idle");
	return give(L, &in);
}

static int group_set_cpus(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_GROUP_CPUS };
	struct sim *sim = script_need_sim(L);
	u64 words[MACHINE_WORDS(MACHINE_MAX_CPUS)] = { 0 };

	if (lua_isnoneornil(L, 2))
		return give(L, &in);
	lv_cpus(L, 2, "set_cpus", words, sim->g->mask_words, sim->g->nr_cpus);
	in.words = words;
	return give(L, &in);
}

static int group_set_partition_lua(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_GROUP_PARTITION };
	const char *name = luaL_checkstring(L, 2);

	for (in.b = 0; in.b < NR_PARTITION_KINDS; in.b++)
		if (!strcmp(name, partition_names[in.b]))
			return give(L, &in);
	return lua_box_fail(L, "set_partition: \"member\", \"root\" and \"isolated\" are possible");
}

/* task:set_group(group | name) */
static int task_set_group(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_SET_GROUP };
	struct sim *sim = script_need_sim(L);

	in.serial = lua_handle_check(L, 1, HANDLE_TASK);
	lua_remove(L, 1);
	if (lua_type(L, 1) == LUA_TSTRING) {
		u32 g = sim_find_group(sim, lua_tostring(L, 1));

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

void bind_group_open(lua_State *L)
{
	handle_fields(L, HANDLE_GROUP, group_field);
}

const struct lua_binding bind_group_rows[] = {
	{ "group", bind_group, "group(\"/name\")",
	  "A task group's handle; makes it if need be, and those around it: group(\"/user/web\")." },
	{ "group:set_shares", group_set_shares, "group:set_shares(shares)",
	  "Its weight against other groups, 2 .. 262144, 1024 like one task of nice 0." },
	{ "group:set_max", group_set_max, "group:set_max(quota | \"max\" [, period [, burst]])",
	  "At most quota of run time in each period (1ms .. 1s, by default 100ms), on all CPUs "
	  "together, and up to burst more that earlier periods left: cpu.max. \"max\" lifts it." },
	{ "group:set_uclamp", group_set_uclamp, "group:set_uclamp(min, max)",
	  "Raises and limits the clamps of its tasks, 0 .. 1024, within those of the groups around "
	  "it." },
	{ "group:set_idle", group_set_idle, "group:set_idle([true | false])",
	  "To everybody outside its tasks count as SCHED_IDLE: cpu.idle." },
	{ "group:set_cpus", group_set_cpus, "group:set_cpus([cpus])",
	  "Where its tasks may run, within their own affinity: \"0-3,6\", a CPU or a list of CPUs. "
	  "Nothing: everywhere." },
	{ "group:set_partition", group_set_partition_lua,
	  "group:set_partition(\"member\" | \"root\" | \"isolated\")",
	  "root: its CPUs are for its tasks alone, and load balancing ends at their edge. isolated: "
	  "there is none between them either. The group is directly below \"/\" and has CPUs that no "
	  "other partition has. Without an online CPU it counts as member." },
	{ "group:shares", NULL, "group.shares",
	  "Fields of a group: name shares nr_tasks load_avg cpu_ns quota_ns period_ns burst_ns "
	  "throttled_ns nr_periods nr_throttled uclamp_min uclamp_max idle cpus partition. quota_ns is nil "
	  "without a limit; clamps, cpus and partition are those in force." },
	{ "task:set_group", task_set_group, "task:set_group(group | name)",
	  "Moves the task to a group." },
	{ NULL, NULL, NULL, NULL },
};
