/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind_workload.c - workload.NAME { }: ready-made sets of tasks that act as well-known benchmarks.
 *
 * They are scripts like any other, scripts/lua/workload/NAME.lua, embedded in the program and loaded
 * when one is first used. A chunk sees the functions of the scenario language as they were before the
 * scenario began, so a scenario that calls one of its own things `run` breaks none; it gets the helpers
 * by which steps.lua checks what it is given, and returns the function that starts the tasks.
 */
#include "app/lua/script_int.h"
#include "app/rtapp.h"

static const char lib_key = 'l', loaded_key = 'w';

enum {
#define WORKLOAD(name, sig, doc) WL_##name,
#include "app/lua/workloads.def"
#undef WORKLOAD
	NR_WORKLOADS
};

#define WORKLOAD(name, sig, doc)                                                                   \
	extern const unsigned char lua_workload_##name[];                                          \
	extern const size_t lua_workload_##name##_len;
#include "app/lua/workloads.def"
#undef WORKLOAD

static const struct {
	const unsigned char *text;
	const size_t *len;
} texts[] = {
#define WORKLOAD(name, sig, doc) { lua_workload_##name, &lua_workload_##name##_len },
#include "app/lua/workloads.def"
#undef WORKLOAD
};

static int arg_time(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)lv_time(L, 1, luaL_checkstring(L, 2)));
	return 1;
}

static int arg_int(lua_State *L)
{
	lua_pushinteger(L, lv_int(L, 1, luaL_checkstring(L, 2), luaL_checkinteger(L, 3),
				  luaL_checkinteger(L, 4)));
	return 1;
}

/* A number in thousandths: scaled(v, what, min, max), the bounds in thousandths too. */
static int arg_scaled(lua_State *L)
{
	lua_pushinteger(L, lv_scaled(L, 1, luaL_checkstring(L, 2), 1000, luaL_checkinteger(L, 3),
				     luaL_checkinteger(L, 4)));
	return 1;
}

static int arg_text(lua_State *L)
{
	lv_text(L, 1, luaL_checkstring(L, 2), 1, TASK_COMM_LEN - 8);
	lua_settop(L, 1);
	return 1;
}

static int arg_fields(lua_State *L)
{
	lv_fields(L, 1, luaL_checkstring(L, 2), luaL_checkstring(L, 3), lua_toboolean(L, 4));
	return 0;
}

static int arg_fail(lua_State *L)
{
	return lua_box_fail(L, "%s", luaL_checkstring(L, 1));
}

static int arg_nr_cpus(lua_State *L)
{
	lua_pushinteger(L, script_need_sim(L)->g->nr_cpus);
	return 1;
}

/* Push the function that starts workload @w; loads it on first use. */
static void need_workload(lua_State *L, int w)
{
	static const luaL_Reg args[] = {
		{ "time", arg_time },	    { "int", arg_int },	      { "scaled", arg_scaled },
		{ "text", arg_text },	    { "fields", arg_fields }, { "fail", arg_fail },
		{ "nr_cpus", arg_nr_cpus }, { NULL, NULL },
	};

	lua_rawgetp(L, LUA_REGISTRYINDEX, &loaded_key);
	if (lua_rawgeti(L, -1, w + 1) == LUA_TFUNCTION) {
		lua_remove(L, -2);
		return;
	}
	lua_pop(L, 1);
	if (luaL_loadbufferx(L, (const char *)texts[w].text, *texts[w].len, "=prelude", "t") !=
	    LUA_OK)
		lua_error(L);
	/* The one upvalue of a chunk is where it finds its globals. */
	lua_rawgetp(L, LUA_REGISTRYINDEX, &lib_key);
	lua_setupvalue(L, -2, 1);
	lua_createtable(L, 0, 8);
	luaL_setfuncs(L, args, 0);
	lua_call(L, 1, 1);
	luaL_checktype(L, -1, LUA_TFUNCTION);
	lua_pushvalue(L, -1);
	lua_rawseti(L, -3, w + 1);
	lua_remove(L, -2);
}

static int start(lua_State *L, int w)
{
	lua_settop(L, 1);
	if (lua_isnil(L, 1))
		lua_newtable(L), lua_replace(L, 1);
	need_workload(L, w);
	lua_insert(L, 1);
	lua_call(L, 1, 1);
	return 1;
}

#define WORKLOAD(name, sig, doc)                                                                   \
	static int start_##name(lua_State *L)                                                      \
	{                                                                                          \
		return start(L, WL_##name);                                                        \
	}
#include "app/lua/workloads.def"
#undef WORKLOAD

/* ---- files of rt-app ---- */

static int rtapp_gc(lua_State *L)
{
	struct rtapp **r = lua_touserdata(L, 1);

	rtapp_free(*r);
	*r = NULL;
	return 0;
}

static int give_input(void *ctx, struct sim_input *in)
{
	gate_input(ctx, in, NULL);
	return 0;
}

/* workload.rtapp(name) -> list of tasks */
static int start_rtapp(lua_State *L)
{
	const char *name = lv_text(L, 1, "workload.rtapp: the file", 1, 255);
	struct script *s = script_of(L);
	struct sim *sim = script_need_sim(L);
	struct err err = { 0 };
	struct rtapp **r;
	lua_Integer n = 0;

	lua_box_charge(L, 1000000);
	lua_newtable(L);
	if (s->main) /* a policy side: what it would start is of no interest */
		return 1;
	if (!s->host.rtapp)
		return lua_box_fail(L, "workload.rtapp: files cannot be read here");
	r = lua_newuserdatauv(L, sizeof(*r), 0);
	*r = NULL;
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, rtapp_gc);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	*r = s->host.rtapp(s->host.ctx, name, &err);
	if (!*r)
		return lua_box_fail(L, "workload.rtapp: %s", err.msg);
	rtapp_give_groups(*r, sim, give_input, L);
	for (u32 i = 0; i < (*r)->nr_specs; i++) {
		struct sim_input in = { .kind = INPUT_SPAWN, .spec = (*r)->specs[i] };
		u32 instances = in.spec->instances;
		u64 serial = 0;

		if (spec_check(in.spec, sim->g->nr_cpus, &err))
			return lua_box_fail(L, "workload.rtapp: %s", err.msg);
		lua_box_charge(L, 100 * (u64)instances);
		gate_input(L, &in, &serial);
		for (u32 k = 0; k < instances; k++) {
			lua_handle_push(L, HANDLE_TASK, serial + k);
			lua_rawseti(L, 2, ++n);
		}
	}
	rtapp_free(*r);
	*r = NULL;
	lua_settop(L, 2);
	return 1;
}

void bind_workload_open(lua_State *L)
{
	lua_createtable(L, NR_WORKLOADS, 0);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &loaded_key);
	/* A copy of the globals as they are before a script runs. */
	lua_newtable(L);
	lua_box_env(L);
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		lua_pushvalue(L, -2);
		lua_insert(L, -2);
		lua_rawset(L, -5);
	}
	lua_pop(L, 1);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &lib_key);
}

const struct lua_binding bind_workload_rows[] = {
#define WORKLOAD(name, sig, doc) { "workload." #name, start_##name, sig, doc },
#include "app/lua/workloads.def"
#undef WORKLOAD
	{ "workload.rtapp", start_rtapp, "workload.rtapp(file)",
	  "The tasks of an rt-app file that is shipped or lies beside the scenario, as a list." },
	{ NULL, NULL, NULL, NULL },
};
