/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * handle.c - what a script holds instead of pointers: (kind, id), checked at every use.
 *
 * The handles of one state are kept in a table with weak values, keyed "kind:id", so that the same
 * thing is the same value. Garbage collection can be seen through it by nobody.
 */
#include "app/lua/handle.h"

#include <stdio.h>

static const char mt_key[NR_HANDLE_KINDS], class_key[NR_HANDLE_KINDS], cache_key = 'c';

const char *const lua_handle_names[NR_HANDLE_KINDS] = {
	[HANDLE_TASK] = "task",	  [HANDLE_CPU] = "cpu",	    [HANDLE_DOMAIN] = "domain",
	[HANDLE_GROUP] = "group", [HANDLE_TIMER] = "timer",
};

/* The four numbers up to 2^61 share one integer key with the kind in the top bits. */
static lua_Integer cache_index(enum lua_handle_kind kind, u64 id)
{
	return (lua_Integer)((u64)kind << 60 | (id & ((1ull << 60) - 1)));
}

static int handle_tostring(lua_State *L)
{
	const struct lua_handle *h = lua_handle_get(L, 1);

	if (!h)
		return luaL_argerror(L, 1, "not a handle");
	lua_pushfstring(L, "%s %I", lua_handle_names[h->kind], (lua_Integer)h->id);
	return 1;
}

static int handle_newindex(lua_State *L)
{
	const struct lua_handle *h = lua_handle_get(L, 1);

	return lua_box_fail(L, "a %s handle is read-only; use its methods",
			    h ? lua_handle_names[h->kind] : "foreign");
}

void lua_handle_open(lua_State *L)
{
	int k;

	lua_newtable(L);
	lua_createtable(L, 0, 1);
	lua_pushliteral(L, "v");
	lua_setfield(L, -2, "__mode");
	lua_setmetatable(L, -2);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &cache_key);
	for (k = 0; k < NR_HANDLE_KINDS; k++) {
		lua_createtable(L, 0, 6);
		lua_newtable(L);
		lua_pushvalue(L, -1);
		lua_rawsetp(L, LUA_REGISTRYINDEX, &class_key[k]);
		lua_setfield(L, -2, "__index");
		lua_pushcfunction(L, handle_tostring);
		lua_setfield(L, -2, "__tostring");
		lua_pushcfunction(L, handle_newindex);
		lua_setfield(L, -2, "__newindex");
		lua_pushstring(L, lua_handle_names[k]);
		lua_setfield(L, -2, "__name");
		lua_pushboolean(L, 0);
		lua_setfield(L, -2, "__metatable");
		lua_rawsetp(L, LUA_REGISTRYINDEX, &mt_key[k]);
	}
}

void lua_handle_class(lua_State *L, enum lua_handle_kind kind)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &class_key[kind]);
}

void lua_handle_push(lua_State *L, enum lua_handle_kind kind, u64 id)
{
	struct lua_handle *h;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &cache_key);
	if (lua_rawgeti(L, -1, cache_index(kind, id)) == LUA_TNIL) {
		lua_pop(L, 1);
		h = lua_newuserdatauv(L, sizeof(*h), 0);
		h->kind = kind;
		h->id = id;
		lua_rawgetp(L, LUA_REGISTRYINDEX, &mt_key[kind]);
		lua_setmetatable(L, -2);
		lua_pushvalue(L, -1);
		lua_rawseti(L, -3, cache_index(kind, id));
	}
	lua_remove(L, -2);
}

void lua_handle_push_same(lua_State *L, const struct lua_handle *h)
{
	lua_handle_push(L, h->kind, h->id);
}

const struct lua_handle *lua_handle_get(lua_State *L, int idx)
{
	const struct lua_handle *h = lua_touserdata(L, idx);
	bool same = false;
	int k;

	if (lua_type(L, idx) != LUA_TUSERDATA || !lua_getmetatable(L, idx))
		return NULL;
	for (k = 0; k < NR_HANDLE_KINDS && !same; k++) {
		lua_rawgetp(L, LUA_REGISTRYINDEX, &mt_key[k]);
		same = lua_rawequal(L, -1, -2);
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	return same ? h : NULL;
}

u64 lua_handle_check(lua_State *L, int arg, enum lua_handle_kind kind)
{
	const struct lua_handle *h = lua_handle_get(L, arg);

	if (!h || h->kind != kind)
		luaL_typeerror(L, arg, lua_handle_names[kind]);
	return h->id;
}
