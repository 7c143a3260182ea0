/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sandbox_lib.c - string, table, utf8 and math as scripts get them.
 *
 * A C function runs without the hook, so each one here either takes a bounded time (counts up to
 * 10^6, raw lengths, strings up to the limit of the allocator) or charges its loop to the budget.
 * find, match, gmatch, gsub and sort are in the prelude, in Lua. Everything that would differ
 * from run to run or from machine to machine is gone or replaced: addresses, the locale, the
 * library's own seeds.
 */
#include "app/lua/state.h"

#include <lualib.h>
#include <string.h>

#define MAX_COUNT 1000000
#define CALL_COST 8 /* instructions that a call of the shortest function here takes */
#define MATH_COST 20
#define FLOAT_COST 80 /* and a number made a text */
#define MAX_VALUES 8000 /* on the stack at once: results of unpack and byte */

/* A stock function, upvalue 1, charged for the length of its first argument. */
static int charged(lua_State *L)
{
	size_t len = 0;

	if (lua_type(L, 1) == LUA_TSTRING)
		lua_tolstring(L, 1, &len);
	lua_box_charge(L, CALL_COST + len / 2);
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* A stock function, upvalue 1, whose call counts as upvalue 2 more instructions. */
static int counted(lua_State *L)
{
	lua_box_charge(L, (u64)lua_tointeger(L, lua_upvalueindex(2)));
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

void lua_push_counted(lua_State *L, int cost)
{
	lua_pushinteger(L, cost);
	lua_pushcclosure(L, counted, 2);
}

/* ---- string ---- */

static int str_rep(lua_State *L)
{
	struct lua_box *b = lua_box_of(L);
	size_t len, sep;
	lua_Integer n = luaL_checkinteger(L, 2);

	luaL_checklstring(L, 1, &len);
	luaL_optlstring(L, 3, "", &sep);
	if (n > MAX_COUNT)
		return lua_box_fail(L, "string.rep: %lld times; %d is the most", (long long)n,
				    MAX_COUNT);
	if (n > 0 && (len + sep) > b->lim.str_bytes / (size_t)n)
		return lua_box_fail(L,
				    "string.rep: the result would be longer than %zu bytes "
				    "(limit: lua_string)",
				    b->lim.str_bytes);
	if (n > 0)
		lua_box_charge(L, (u64)n);
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static int str_byte(lua_State *L)
{
	lua_Integer i = luaL_optinteger(L, 2, 1), j = luaL_optinteger(L, 3, i);
	size_t len;

	luaL_checklstring(L, 1, &len);
	if (i < 0)
		i = i < -(lua_Integer)len ? 1 : (lua_Integer)len + i + 1;
	if (j < 0)
		j = j < -(lua_Integer)len ? 0 : (lua_Integer)len + j + 1;
	if (i < 1)
		i = 1;
	if (j > (lua_Integer)len)
		j = (lua_Integer)len;
	lua_box_charge(L, CALL_COST + (j > i ? (u64)(j - i) : 0));
	if (j - i >= MAX_VALUES)
		return lua_box_fail(L, "string.byte: %lld values at once; %d is the most",
				    (long long)(j - i + 1), MAX_VALUES);
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* lower and upper for ASCII: the library's follow the locale. */
static int str_case(lua_State *L)
{
	bool up = lua_toboolean(L, lua_upvalueindex(1));
	size_t len, i;
	const char *s = luaL_checklstring(L, 1, &len);
	luaL_Buffer buf;
	char *p;

	lua_box_charge(L, CALL_COST + len / 8);
	p = luaL_buffinitsize(L, &buf, len);
	for (i = 0; i < len; i++) {
		char c = s[i];

		if (up && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		else if (!up && c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		p[i] = c;
	}
	luaL_pushresultsize(&buf, len);
	return 1;
}

/*
 * format: the library's, upvalue 1, after its %s arguments became strings without addresses. %p,
 * which shows nothing but an address, is refused.
 */
static int str_format(lua_State *L)
{
	size_t len, i = 0;
	const char *f = luaL_checklstring(L, 1, &len);
	int arg = 1, top = lua_gettop(L);

	lua_box_charge(L, CALL_COST + len / 4);
	while (i < len) {
		if (f[i++] != '%')
			continue;
		if (i < len && f[i] == '%') {
			i++;
			continue;
		}
		while (i < len && strchr("-+#0 .123456789", f[i]))
			i++;
		if (i == len)
			break;
		arg++;
		lua_box_charge(L, strchr("aAeEfFgG", f[i]) ? FLOAT_COST : 30);
		if (f[i] == 'p')
			return lua_box_fail(L, "string.format: %%p shows an address, which differs "
					       "in every run; use %%s");
		if (f[i] == 's' && arg <= top) {
			lua_box_tostring(L, arg, NULL);
			lua_replace(L, arg);
		}
		i++;
	}
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, top, 1);
	return 1;
}

/* plain_find(s, what, init): for the prelude's find(). memmem() takes linear time. */
static int str_plain_find(lua_State *L)
{
	size_t ls, lw;
	const char *s = luaL_checklstring(L, 1, &ls), *w = luaL_checklstring(L, 2, &lw);
	lua_Integer init = luaL_checkinteger(L, 3);
	const char *hit;

	if (init < 1 || (size_t)init > ls + 1)
		return 0;
	lua_box_charge(L, (ls - (size_t)init + 1) / 8);
	hit = memmem(s + init - 1, ls - (size_t)init + 1, w, lw);
	if (!hit)
		return 0;
	lua_pushinteger(L, (lua_Integer)(hit - s) + 1);
	lua_pushinteger(L, (lua_Integer)(hit - s) + (lua_Integer)lw);
	return 2;
}

/* ---- table: raw access, so that no metamethod can lie or run inside a C loop ---- */

/* Number of elements from @i to @j, at most @max. */
static lua_Integer span(lua_State *L, const char *what, lua_Integer i, lua_Integer j,
			lua_Integer max)
{
	u64 n = (u64)j - (u64)i;

	if (i > j)
		return 0;
	if (n >= (u64)max)
		lua_box_fail(L, "%s: more than %lld elements at once", what, (long long)max);
	return (lua_Integer)n + 1;
}

static lua_Integer raw_len(lua_State *L, int idx)
{
	luaL_checktype(L, idx, LUA_TTABLE);
	return (lua_Integer)lua_rawlen(L, idx);
}

static int tab_concat(lua_State *L)
{
	lua_Integer last = luaL_opt(L, luaL_checkinteger, 4, raw_len(L, 1));
	lua_Integer i = luaL_optinteger(L, 3, 1), k, n;
	size_t lsep;
	const char *sep = luaL_optlstring(L, 2, "", &lsep);
	luaL_Buffer buf;

	luaL_checktype(L, 1, LUA_TTABLE);
	n = span(L, "table.concat", i, last, MAX_COUNT);
	lua_box_charge(L, 4 * (u64)n);
	luaL_buffinit(L, &buf);
	for (k = 0; k < n; k++) {
		if (k)
			luaL_addlstring(&buf, sep, lsep);
		lua_rawgeti(L, 1, i + k);
		if (!lua_isstring(L, -1))
			return lua_box_fail(L,
					    "table.concat: element %lld is a %s, not a string "
					    "or number",
					    (long long)(i + k), luaL_typename(L, -1));
		if (lua_type(L, -1) == LUA_TNUMBER)
			lua_box_charge(L, FLOAT_COST);
		luaL_addvalue(&buf);
	}
	luaL_pushresult(&buf);
	return 1;
}

static int tab_insert(lua_State *L)
{
	lua_Integer n = raw_len(L, 1), pos, i;

	lua_check_writable(L, 1);
	switch (lua_gettop(L)) {
	case 2:
		pos = n + 1;
		break;
	case 3:
		pos = luaL_checkinteger(L, 2);
		luaL_argcheck(L, (u64)pos - 1u < (u64)n + 1u, 2, "position out of bounds");
		break;
	default:
		return lua_box_fail(L, "table.insert takes (table, value) or (table, position, "
				       "value)");
	}
	span(L, "table.insert", pos, n, MAX_COUNT);
	lua_box_charge(L, CALL_COST + 3 * (u64)(n + 1 - pos));
	for (i = n; i >= pos; i--) {
		lua_rawgeti(L, 1, i);
		lua_rawseti(L, 1, i + 1);
	}
	lua_pushvalue(L, -1);
	lua_rawseti(L, 1, pos);
	return 0;
}

static int tab_remove(lua_State *L)
{
	lua_Integer n = raw_len(L, 1), pos = luaL_optinteger(L, 2, n);

	lua_check_writable(L, 1);
	if (pos != n)
		luaL_argcheck(L, (u64)pos - 1u <= (u64)n, 2, "position out of bounds");
	span(L, "table.remove", pos, n, MAX_COUNT);
	lua_box_charge(L, CALL_COST + (pos <= n ? 3 * (u64)(n - pos) : 0));
	lua_rawgeti(L, 1, pos);
	for (; pos < n; pos++) {
		lua_rawgeti(L, 1, pos + 1);
		lua_rawseti(L, 1, pos);
	}
	lua_pushnil(L);
	lua_rawseti(L, 1, pos);
	return 1;
}

static int tab_move(lua_State *L)
{
	lua_Integer f = luaL_checkinteger(L, 2), e = luaL_checkinteger(L, 3);
	lua_Integer t = luaL_checkinteger(L, 4), n, k;
	int to = lua_isnoneornil(L, 5) ? 1 : 5;

	luaL_checktype(L, 1, LUA_TTABLE);
	lua_check_writable(L, to);
	n = span(L, "table.move", f, e, MAX_COUNT);
	luaL_argcheck(L, n == 0 || t <= LUA_MAXINTEGER - n + 1, 4, "destination wrap around");
	lua_box_charge(L, CALL_COST + 3 * (u64)n);
	if (t > e || t <= f || (to != 1 && !lua_rawequal(L, 1, to))) {
		for (k = 0; k < n; k++) {
			lua_rawgeti(L, 1, f + k);
			lua_rawseti(L, to, t + k);
		}
	} else {
		for (k = n - 1; k >= 0; k--) {
			lua_rawgeti(L, 1, f + k);
			lua_rawseti(L, to, t + k);
		}
	}
	lua_pushvalue(L, to);
	return 1;
}

static int tab_pack(lua_State *L)
{
	int i, n = lua_gettop(L);

	lua_box_charge(L, CALL_COST + 2 * (u64)n);
	lua_createtable(L, n, 1);
	lua_insert(L, 1);
	for (i = n; i >= 1; i--)
		lua_rawseti(L, 1, i);
	lua_pushinteger(L, n);
	lua_setfield(L, 1, "n");
	return 1;
}

static int tab_unpack(lua_State *L)
{
	lua_Integer i = luaL_optinteger(L, 2, 1);
	lua_Integer e = luaL_opt(L, luaL_checkinteger, 3, raw_len(L, 1)), n, k;

	luaL_checktype(L, 1, LUA_TTABLE);
	n = span(L, "table.unpack", i, e, MAX_VALUES);
	lua_box_charge(L, CALL_COST + 2 * (u64)n);
	luaL_checkstack(L, (int)n, "too many results to unpack");
	for (k = 0; k < n; k++)
		lua_rawgeti(L, 1, i + k);
	return (int)n;
}

/* ---- math.random from the application's stream ---- */

static u64 draw(lua_State *L)
{
	struct lua_box *b = lua_box_of(L);

	if (!b->host.random)
		lua_box_fail(L, "math.random has no stream of random numbers here");
	return b->host.random(b->host.arg);
}

static int math_random(lua_State *L)
{
	lua_Integer low, up;
	u64 range, r, limit;

	lua_box_charge(L, MATH_COST);
	switch (lua_gettop(L)) {
	case 0:
		lua_pushnumber(L, (lua_Number)(draw(L) >> 11) * 0x1p-53);
		return 1;
	case 1:
		low = 1;
		up = luaL_checkinteger(L, 1);
		if (up == 0) {
			lua_pushinteger(L, (lua_Integer)draw(L));
			return 1;
		}
		break;
	case 2:
		low = luaL_checkinteger(L, 1);
		up = luaL_checkinteger(L, 2);
		break;
	default:
		return luaL_error(L, "wrong number of arguments");
	}
	luaL_argcheck(L, low <= up, lua_gettop(L), "interval is empty");
	range = (u64)up - (u64)low + 1;
	r = draw(L);
	if (range) {
		/* Draws from the last, incomplete round are thrown away: no value is favoured. */
		limit = -range % range;
		while (r < limit)
			r = draw(L);
		r %= range;
	}
	lua_pushinteger(L, (lua_Integer)((u64)low + r));
	return 1;
}

static int math_randomseed(lua_State *L)
{
	return lua_box_fail(L, "math.randomseed is not available: the stream follows from the "
			       "scenario's seed (scenario { seed = ... } or --seed)");
}

/* ---- the set ---- */

struct wrapped {
	const char *name;
	lua_CFunction fn; /* gets the stock function as upvalue 1 */
};

static const struct wrapped str_funcs[] = {
	{ "byte", str_byte },	{ "char", charged }, { "format", str_format }, { "len", charged },
	{ "reverse", charged }, { "rep", str_rep },  { "sub", charged },       { NULL, NULL },
};

static const struct wrapped utf8_funcs[] = {
	{ "char", charged }, { "codepoint", charged }, { "codes", charged },
	{ "len", charged },  { "offset", charged },    { NULL, NULL },
};

static const luaL_Reg tab_funcs[] = {
	{ "concat", tab_concat }, { "insert", tab_insert }, { "move", tab_move },
	{ "pack", tab_pack },	  { "remove", tab_remove }, { "unpack", tab_unpack },
	{ NULL, NULL },
};

static const char *const math_funcs[] = { "abs", "acos", "asin",     "atan", "ceil", "cos",
					  "deg", "exp",	 "floor",    "fmod", "log",  "max",
					  "min", "modf", "rad",	     "sin",  "sqrt", "tan",
					  "ult", "type", "tointeger" };

/* Fill the table on top with @funcs, each around the stock function in the table below it. */
static void wrap_all(lua_State *L, const struct wrapped *funcs)
{
	for (; funcs->name; funcs++) {
		lua_getfield(L, -2, funcs->name);
		lua_pushcclosure(L, funcs->fn, 1);
		lua_setfield(L, -2, funcs->name);
	}
}

void lua_open_libs(lua_State *L)
{
	lua_box_env(L);

	luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
	lua_createtable(L, 0, 16);
	wrap_all(L, str_funcs);
	lua_pushboolean(L, 0);
	lua_pushcclosure(L, str_case, 1);
	lua_setfield(L, -2, "lower");
	lua_pushboolean(L, 1);
	lua_pushcclosure(L, str_case, 1);
	lua_setfield(L, -2, "upper");
	lua_pushcfunction(L, str_plain_find);
	lua_setfield(L, -2, "plain_find"); /* the prelude takes it out */
	/* The metatable of strings: our table, and out of reach. */
	lua_pushliteral(L, "");
	lua_getmetatable(L, -1); /* the library's own, with its arithmetic on numerals */
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 2);
	lua_setfield(L, -3, LUA_STRLIBNAME);
	lua_pop(L, 1);

	lua_createtable(L, 0, 8);
	luaL_setfuncs(L, tab_funcs, 0);
	lua_setfield(L, -2, LUA_TABLIBNAME);

	luaL_requiref(L, LUA_UTF8LIBNAME, luaopen_utf8, 0);
	lua_createtable(L, 0, 8);
	wrap_all(L, utf8_funcs);
	lua_getfield(L, -2, "charpattern");
	lua_setfield(L, -2, "charpattern");
	lua_setfield(L, -3, LUA_UTF8LIBNAME);
	lua_pop(L, 1);

	luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 0);
	for (size_t i = 0; i < ARRAY_SIZE(math_funcs); i++) {
		lua_getfield(L, -1, math_funcs[i]);
		lua_push_counted(L, MATH_COST);
		lua_setfield(L, -2, math_funcs[i]);
	}
	lua_pushcfunction(L, math_random);
	lua_setfield(L, -2, "random");
	lua_pushcfunction(L, math_randomseed);
	lua_setfield(L, -2, "randomseed");
	lua_setfield(L, -2, LUA_MATHLIBNAME);
	lua_pop(L, 1);
}
