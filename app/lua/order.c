/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * order.c - pairs() and next() with one order for everybody.
 *
 * Lua walks a table in the order of its hash, which is seeded from addresses and the time: four
 * runs, four orders. Here: numbers by value, then strings by their bytes, then booleans, then
 * handles (by their kind and id). Tables and functions as keys have no order that would be the
 * same in the next run, so walking a table that has some is an error; looking them up is fine.
 */
#include "app/lua/handle.h"
#include "app/lua/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KEYS 1000000

enum key_kind { KEY_INT, KEY_FLT, KEY_STR, KEY_BOOL, KEY_HANDLE };

struct key {
	enum key_kind kind;
	union {
		lua_Integer i;
		lua_Number f;
		struct {
			const char *p;
			size_t len;
		} s;
		struct {
			u64 major, minor;
			const void *ud;
		} h;
	} u;
};

static int cmp_int(lua_Integer a, lua_Integer b)
{
	return a < b ? -1 : a > b;
}

/* An integer against a float that has a fraction or lies outside the integers. */
static int cmp_int_flt(lua_Integer i, lua_Number f)
{
	if (f >= 9223372036854775808.0)
		return -1;
	if (f < -9223372036854775808.0)
		return 1;
	return i <= (lua_Integer)floor(f) ? -1 : 1;
}

static int key_cmp(const struct key *a, const struct key *b)
{
	size_t n;
	int c;

	if (a->kind == KEY_INT && b->kind == KEY_FLT)
		return cmp_int_flt(a->u.i, b->u.f);
	if (a->kind == KEY_FLT && b->kind == KEY_INT)
		return -cmp_int_flt(b->u.i, a->u.f);
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	switch (a->kind) {
	case KEY_INT:
	case KEY_BOOL:
		return cmp_int(a->u.i, b->u.i);
	case KEY_FLT:
		return a->u.f < b->u.f ? -1 : a->u.f > b->u.f;
	case KEY_STR:
		n = a->u.s.len < b->u.s.len ? a->u.s.len : b->u.s.len;
		c = memcmp(a->u.s.p, b->u.s.p, n);
		if (c)
			return c;
		return a->u.s.len < b->u.s.len ? -1 : a->u.s.len > b->u.s.len;
	case KEY_HANDLE:
		if (a->u.h.major != b->u.h.major)
			return a->u.h.major < b->u.h.major ? -1 : 1;
		return a->u.h.minor < b->u.h.minor ? -1 : a->u.h.minor > b->u.h.minor;
	}
	return 0;
}

static int key_cmp_qsort(const void *a, const void *b)
{
	return key_cmp(a, b);
}

/* Read the key at @idx; an error for kinds that have no order. */
static void key_read(lua_State *L, int idx, struct key *k)
{
	const struct lua_handle *h;

	switch (lua_type(L, idx)) {
	case LUA_TNUMBER:
		if (lua_isinteger(L, idx)) {
			k->kind = KEY_INT;
			k->u.i = lua_tointeger(L, idx);
		} else {
			k->kind = KEY_FLT;
			k->u.f = lua_tonumber(L, idx);
		}
		return;
	case LUA_TSTRING:
		k->kind = KEY_STR;
		k->u.s.p = lua_tolstring(L, idx, &k->u.s.len);
		return;
	case LUA_TBOOLEAN:
		k->kind = KEY_BOOL;
		k->u.i = lua_toboolean(L, idx);
		return;
	case LUA_TUSERDATA:
		h = lua_handle_get(L, idx);
		if (h) {
			k->kind = KEY_HANDLE;
			k->u.h.major = (u64)h->kind;
			k->u.h.minor = h->id;
			k->u.h.ud = h;
			return;
		}
		break;
	default:
		break;
	}
	lua_box_fail(L,
		     "a table with a %s as key cannot be walked: such keys have no order that "
		     "is the same in every run; use names or numbers as keys",
		     luaL_typename(L, idx));
}

static void key_push(lua_State *L, const struct key *k)
{
	switch (k->kind) {
	case KEY_INT:
		lua_pushinteger(L, k->u.i);
		break;
	case KEY_FLT:
		lua_pushnumber(L, k->u.f);
		break;
	case KEY_STR:
		lua_pushlstring(L, k->u.s.p, k->u.s.len);
		break;
	case KEY_BOOL:
		lua_pushboolean(L, k->u.i != 0);
		break;
	case KEY_HANDLE:
		lua_handle_push_same(L, k->u.h.ud);
		break;
	}
}

/* next(t, k): the smallest key above @k. One pass over the table, so it is for odd uses only. */
int lua_ordered_next(lua_State *L)
{
	struct key from, best, k;
	bool first, found = false;
	u64 n = 0;

	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 2);
	first = lua_isnil(L, 2);
	if (!first)
		key_read(L, 2, &from);
	lua_pushnil(L); /* 3: best key */
	lua_pushnil(L); /* 4: its value */
	lua_pushnil(L);
	while (lua_next(L, 1)) {
		n++;
		key_read(L, -2, &k);
		if ((first || key_cmp(&k, &from) > 0) && (!found || key_cmp(&k, &best) < 0)) {
			best = k;
			found = true;
			lua_pushvalue(L, -2);
			lua_replace(L, 3);
			lua_replace(L, 4);
		} else {
			lua_pop(L, 1);
		}
	}
	lua_box_charge(L, n * 20);
	if (!found)
		return 1;
	return 2;
}

/* Iterator over 1..n. upvalues: position, last. */
static int iter_array(lua_State *L)
{
	lua_Integer i = lua_tointeger(L, lua_upvalueindex(1));
	lua_Integer n = lua_tointeger(L, lua_upvalueindex(2));

	luaL_checktype(L, 1, LUA_TTABLE);
	while (i < n) {
		if (lua_rawgeti(L, 1, ++i) != LUA_TNIL) {
			lua_pushinteger(L, i);
			lua_copy(L, -1, lua_upvalueindex(1));
			lua_insert(L, -2);
			return 2;
		}
		lua_pop(L, 1);
	}
	lua_pushinteger(L, n);
	lua_copy(L, -1, lua_upvalueindex(1));
	return 0;
}

/* Iterator over a list of sorted keys. upvalues: position, list of keys, their number. */
static int iter_keys(lua_State *L)
{
	lua_Integer i = lua_tointeger(L, lua_upvalueindex(1));
	lua_Integer n = lua_tointeger(L, lua_upvalueindex(3));

	luaL_checktype(L, 1, LUA_TTABLE);
	while (i < n) {
		lua_rawgeti(L, lua_upvalueindex(2), ++i);
		lua_pushvalue(L, -1);
		if (lua_rawget(L, 1) != LUA_TNIL) {
			lua_pushinteger(L, i);
			lua_replace(L, lua_upvalueindex(1));
			return 2;
		}
		lua_pop(L, 2);
	}
	lua_pushinteger(L, n);
	lua_replace(L, lua_upvalueindex(1));
	return 0;
}

/* The guarded views of libraries and globals are empty; walk what they show. */
static void see_through(lua_State *L, int idx)
{
	if (!lua_getmetatable(L, idx))
		return;
	if (lua_getfield(L, -1, "__metatable") == LUA_TBOOLEAN && !lua_toboolean(L, -1) &&
	    lua_getfield(L, -2, "__index") == LUA_TTABLE)
		lua_replace(L, idx);
	lua_settop(L, idx);
}

int lua_ordered_pairs(lua_State *L)
{
	lua_Integer border, n = 0;
	struct key *keys;
	bool plain = true;
	lua_Integer i;

	luaL_checkany(L, 1);
	if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
		lua_pushvalue(L, 1);
		lua_call(L, 1, 3);
		return 3;
	}
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	see_through(L, 1);
	border = (lua_Integer)lua_rawlen(L, 1);
	lua_pushnil(L);
	while (lua_next(L, 1)) {
		if (++n > MAX_KEYS)
			return lua_box_fail(L, "a table of more than %d entries cannot be walked",
					    MAX_KEYS);
		if (plain && !(lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1 &&
			       lua_tointeger(L, -2) <= border))
			plain = false;
		lua_pop(L, 1);
	}
	/* Walking costs little, sorting n log n. */
	lua_box_charge(L, (u64)n * (plain ? 5 : 20 + 3 * (u64)fls64((u64)n)));
	if (plain) {
		lua_pushinteger(L, 0);
		lua_pushinteger(L, border);
		lua_pushcclosure(L, iter_array, 2);
	} else {
		/* The keys' strings stay alive through the table; the block is Lua's to free. */
		keys = lua_newuserdatauv(L, (size_t)n * sizeof(*keys), 0);
		n = 0;
		lua_pushnil(L);
		while (lua_next(L, 1)) {
			key_read(L, -2, &keys[n++]);
			lua_pop(L, 1);
		}
		qsort(keys, (size_t)n, sizeof(*keys), key_cmp_qsort);
		lua_pushinteger(L, 0);
		lua_createtable(L, (int)n, 0);
		for (i = 0; i < n; i++) {
			key_push(L, &keys[i]);
			lua_rawseti(L, -2, i + 1);
		}
		lua_pushinteger(L, n);
		lua_pushcclosure(L, iter_keys, 3);
	}
	lua_pushvalue(L, 1);
	lua_pushnil(L);
	return 3;
}
