/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sandbox.c - the basic functions and coroutines scripts get.
 *
 * No io, os, debug, package, require, dofile, loadfile or collectgarbage, and no string.dump. What
 * remains either runs in Lua, where the hook sees it, or in C for a bounded time. pcall, xpcall and
 * the coroutine functions are our own because the budget must get through them: see state.c.
 */
#include "app/lua/handle.h"
#include "app/lua/state.h"

#include "app/text.h"

#include <lualib.h>
#include <string.h>

/* ---- texts without addresses ---- */

const char *lua_box_tostring(lua_State *L, int idx, size_t *len)
{
	lua_Number f;

	idx = lua_absindex(L, idx);
	if (luaL_callmeta(L, idx, "__tostring")) {
		if (lua_type(L, -1) != LUA_TSTRING)
			lua_box_fail(L, "'__tostring' must return a string, not a %s",
				     luaL_typename(L, -1));
		return lua_tolstring(L, -1, len);
	}
	switch (lua_type(L, idx)) {
	case LUA_TNUMBER:
		f = lua_tonumber(L, idx);
		if (f != f) {
			/* its sign differs between processors */
			lua_pushliteral(L, "nan");
			break;
		}
		return luaL_tolstring(L, idx, len);
	case LUA_TNIL:
	case LUA_TBOOLEAN:
	case LUA_TSTRING:
		return luaL_tolstring(L, idx, len);
	default:
		lua_pushstring(L, luaL_typename(L, idx));
		break;
	}
	return lua_tolstring(L, -1, len);
}

static int base_tostring(lua_State *L)
{
	luaL_checkany(L, 1);
	/* A number is formatted, a table looked up: far more than the one instruction of the call. */
	lua_box_charge(L, lua_type(L, 1) == LUA_TNUMBER ? 60 : 20);
	lua_box_tostring(L, 1, NULL);
	return 1;
}

/* print: all arguments on one line, shown by the application; each line feed starts a new one. */
static int base_print(lua_State *L)
{
	struct lua_box *b = lua_box_of(L);
	int i, n = lua_gettop(L);
	size_t len, cut;
	const char *s;
	luaL_Buffer buf;
	char line[1024];

	luaL_buffinit(L, &buf);
	for (i = 1; i <= n; i++) {
		if (i > 1)
			luaL_addchar(&buf, ' ');
		lua_box_tostring(L, i, NULL);
		luaL_addvalue(&buf);
	}
	luaL_pushresult(&buf);
	s = lua_tolstring(L, -1, &len);
	lua_box_charge(L, 100 + len);
	for (;;) {
		const char *lf = memchr(s, '\n', len);

		cut = lf ? (size_t)(lf - s) : len;
		if (b->printed == b->lim.print_lines && b->host.print)
			b->host.print(b->host.arg, "(more lines than one call may print; the rest "
						   "is left out)");
		if (b->printed <= b->lim.print_lines) {
			b->printed++;
			if (b->printed <= b->lim.print_lines && b->host.print) {
				text_clean_n(line, sizeof(line), s, cut);
				b->host.print(b->host.arg, line);
			}
		}
		if (!lf || (size_t)(lf - s) + 1 == len)
			break;
		s += cut + 1;
		len -= cut + 1;
	}
	return 0;
}

/* ---- protected calls ---- */

/* Returns of pcall and xpcall: @extra values below the results are not theirs. */
static int finish_pcall(lua_State *L, int status, lua_KContext extra)
{
	struct lua_box *b = lua_box_of(L);

	lua_box_check(L);
	if (status != LUA_OK && status != LUA_YIELD) {
		lua_box_charge(L, 100); /* for the way of the error */
		if (status == LUA_ERRMEM)
			b->denied = false;
		lua_pushboolean(L, 0);
		lua_pushvalue(L, -2);
		return 2;
	}
	return lua_gettop(L) - (int)extra;
}

static int base_pcall(lua_State *L)
{
	luaL_checkany(L, 1);
	lua_box_charge(L, 20);
	lua_pushboolean(L, 1);
	lua_insert(L, 1);
	return finish_pcall(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_pcall),
			    0);
}

/* The script's handler, upvalue 1, unless the call is given up: hooks would be off in there. */
static int call_handler(lua_State *L)
{
	lua_settop(L, 1);
	if (lua_box_of(L)->aborted)
		return 1;
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, 1, 1);
	return 1;
}

static int base_xpcall(lua_State *L)
{
	int n = lua_gettop(L);

	luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_box_charge(L, 20);
	lua_pushvalue(L, 2);
	lua_pushcclosure(L, call_handler, 1);
	lua_replace(L, 2);
	lua_pushboolean(L, 1);
	lua_pushvalue(L, 1);
	lua_rotate(L, 3, 2);
	return finish_pcall(L, lua_pcallk(L, n - 2, LUA_MULTRET, 2, 2, finish_pcall), 2);
}

/* ---- tables ---- */

void lua_check_writable(lua_State *L, int idx)
{
	luaL_checktype(L, idx, LUA_TTABLE);
	switch (luaL_getmetafield(L, idx, "__metatable")) {
	case LUA_TNIL:
		return; /* and nothing was pushed */
	case LUA_TBOOLEAN:
		if (!lua_toboolean(L, -1))
			lua_box_fail(L, "this table is read-only");
		break;
	default:
		break;
	}
	lua_pop(L, 1);
}

static int base_rawset(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	luaL_checkany(L, 2);
	luaL_checkany(L, 3);
	lua_settop(L, 3);
	lua_check_writable(L, 1);
	lua_settop(L, 3);
	lua_rawset(L, 1);
	return 1;
}

static int base_getmetatable(lua_State *L)
{
	luaL_checkany(L, 1);
	if (!lua_getmetatable(L, 1)) {
		lua_pushnil(L);
		return 1;
	}
	luaL_getmetafield(L, 1, "__metatable");
	return 1;
}

static int base_setmetatable(lua_State *L)
{
	static const char *const refused[] = { "__gc", "__mode", "__close" };
	size_t i;

	luaL_checktype(L, 1, LUA_TTABLE);
	lua_box_charge(L, 15);
	luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
	lua_settop(L, 2);
	if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
		return lua_box_fail(L, "cannot change a protected metatable");
	for (i = 0; i < ARRAY_SIZE(refused) && lua_istable(L, 2); i++) {
		lua_pushstring(L, refused[i]);
		if (lua_rawget(L, 2) != LUA_TNIL)
			return lua_box_fail(L,
					    "'%s' is not available: when it acts depends on "
					    "memory, and every run must be the same",
					    refused[i]);
		lua_pop(L, 1);
	}
	lua_settop(L, 2);
	lua_setmetatable(L, 1);
	return 1;
}

/* load(text [, name [, mode [, env]]]): text only, in the script's globals or in @env. */
static int base_load(lua_State *L)
{
	size_t len;
	const char *text, *name, *mode;
	char chunk[64];

	if (lua_type(L, 1) == LUA_TFUNCTION)
		return lua_box_fail(L, "load() takes a text here, not a function");
	text = luaL_checklstring(L, 1, &len);
	name = luaL_optstring(L, 2, "load");
	mode = luaL_optstring(L, 3, "t");
	if (strcmp(mode, "t") != 0 && strcmp(mode, "bt") != 0)
		return lua_box_fail(L, "load() takes source text only: mode must be \"t\"");
	lua_box_charge(L, 100 + len * 8);
	chunk[0] = '@';
	text_clean(chunk + 1, sizeof(chunk) - 1,
		   name[0] == '@' || name[0] == '=' ? name + 1 : name);
	if (!strcmp(chunk + 1, "prelude"))
		strcpy(chunk + 1, "load");
	if (memmem(text, len, "_ENV", 4)) {
		lua_pushnil(L);
		lua_pushfstring(L, "%s: _ENV is not available to scripts", chunk + 1);
		return 2;
	}
	if (luaL_loadbufferx(L, text, len, chunk, "t") != LUA_OK) {
		lua_box_check(L);
		lua_pushnil(L);
		lua_insert(L, -2);
		return 2;
	}
	if (!lua_isnone(L, 4)) {
		lua_pushvalue(L, 4);
		if (!lua_setupvalue(L, -2, 1))
			lua_pop(L, 1);
	}
	return 1;
}

/* tonumber with the length of its text bounded, so that a conversion is short. */
static int base_tonumber(lua_State *L)
{
	size_t len;

	luaL_checkany(L, 1);
	if (lua_type(L, 1) == LUA_TSTRING) {
		lua_tolstring(L, 1, &len);
		lua_box_charge(L, 60 + len / 8);
	}
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* ---- coroutines ---- */

static lua_State *check_co(lua_State *L)
{
	lua_State *co = lua_tothread(L, 1);

	luaL_argexpected(L, co, 1, "coroutine");
	return co;
}

static int co_create(lua_State *L)
{
	lua_State *co;

	luaL_checktype(L, 1, LUA_TFUNCTION);
	/* Its own count to the next hook starts anew: charge for what that could hide. */
	lua_box_charge(L, LUA_BOX_STEP / 2);
	co = lua_newthread(L);
	lua_box_hook(co);
	lua_pushvalue(L, 1);
	lua_xmove(L, co, 1);
	return 1;
}

/* Resume @co with the top @narg values; results or the error end up on @L. -1: failed. */
static int resume(lua_State *L, lua_State *co, int narg)
{
	int status, nres;

	if (!lua_checkstack(co, narg)) {
		lua_pushliteral(L, "too many arguments to resume");
		return -1;
	}
	lua_xmove(L, co, narg);
	status = lua_resume(co, L, narg, &nres);
	lua_box_check(L);
	if (status == LUA_OK || status == LUA_YIELD) {
		if (!lua_checkstack(L, nres + 1)) {
			lua_pop(co, nres);
			lua_pushliteral(L, "too many results to resume");
			return -1;
		}
		lua_xmove(co, L, nres);
		return nres;
	}
	lua_xmove(co, L, 1);
	return -1;
}

static int co_resume(lua_State *L)
{
	lua_State *co = check_co(L);
	int n = resume(L, co, lua_gettop(L) - 1);

	if (n < 0) {
		lua_pushboolean(L, 0);
		lua_insert(L, -2);
		return 2;
	}
	lua_pushboolean(L, 1);
	lua_insert(L, -(n + 1));
	return n + 1;
}

/* Close @co within bounds: each level of closing inside closing takes C stack. */
static int reset_thread(lua_State *L, lua_State *co)
{
	struct lua_box *b = lua_box_of(L);
	int status;

	if (b->closing >= 16)
		return lua_box_fail(L, "coroutines closing each other too deeply");
	b->closing++;
#if LUA_VERSION_RELEASE_NUM >= 50406
	status = lua_closethread(co, L);
#else
	status = lua_resetthread(co);
#endif
	b->closing--;
	lua_box_check(L);
	return status;
}

static int wrap_call(lua_State *L)
{
	lua_State *co = lua_tothread(L, lua_upvalueindex(1));
	int n = resume(L, co, lua_gettop(L));
	int status;

	if (n >= 0)
		return n;
	status = lua_status(co);
	if (status != LUA_OK && status != LUA_YIELD) {
		reset_thread(L, co);
		lua_settop(co, 0);
	}
	return lua_error(L);
}

static int co_wrap(lua_State *L)
{
	co_create(L);
	lua_pushcclosure(L, wrap_call, 1);
	return 1;
}

/* As the library's: running, suspended, normal or dead. */
static const char *co_state(lua_State *L, lua_State *co)
{
	lua_Debug ar;

	if (L == co)
		return "running";
	switch (lua_status(co)) {
	case LUA_YIELD:
		return "suspended";
	case LUA_OK:
		if (lua_getstack(co, 0, &ar))
			return "normal";
		return lua_gettop(co) ? "suspended" : "dead";
	default:
		return "dead";
	}
}

static int co_close(lua_State *L)
{
	lua_State *co = check_co(L);
	const char *state = co_state(L, co);

	if (strcmp(state, "dead") != 0 && strcmp(state, "suspended") != 0)
		return lua_box_fail(L, "cannot close a %s coroutine", state);
	if (reset_thread(L, co) == LUA_OK) {
		lua_pushboolean(L, 1);
		return 1;
	}
	lua_pushboolean(L, 0);
	lua_xmove(co, L, 1);
	return 2;
}

/* ---- the set ---- */

static const luaL_Reg base_funcs[] = {
	{ "getmetatable", base_getmetatable },
	{ "load", base_load },
	{ "next", lua_ordered_next },
	{ "pairs", lua_ordered_pairs },
	{ "pcall", base_pcall },
	{ "print", base_print },
	{ "rawset", base_rawset },
	{ "setmetatable", base_setmetatable },
	{ "tostring", base_tostring },
	{ "xpcall", base_xpcall },
	{ NULL, NULL },
};

/* Stock functions, and how many instructions a call takes beside its own. */
static const struct {
	const char *name;
	int cost;
} base_kept[] = {
	{ "assert", 4 }, { "error", 60 }, { "ipairs", 4 }, { "rawequal", 4 },
	{ "rawget", 4 }, { "rawlen", 4 }, { "select", 8 }, { "type", 4 },
};

static const luaL_Reg co_funcs[] = {
	{ "close", co_close }, { "create", co_create }, { "resume", co_resume },
	{ "wrap", co_wrap },   { NULL, NULL },
};

static const char *const co_kept[] = { "isyieldable", "running", "status", "yield" };

/* Put the named fields of the table at @from into the one at @to. */
static void keep(lua_State *L, int from, int to, const char *const *names, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		lua_getfield(L, from, names[i]);
		lua_setfield(L, to, names[i]);
	}
}

/* The prelude's own door to C: raise an error at the script's line. */
static int raw_fail(lua_State *L)
{
	return lua_box_fail(L, "%s", luaL_checkstring(L, 1));
}

/* Run scripts/lua/prelude.lua with the library tables; it adds what is written in Lua. */
static void run_prelude(lua_State *L, int env)
{
	if (luaL_loadbufferx(L, (const char *)lua_prelude, lua_prelude_len, "=prelude", "t") !=
	    LUA_OK)
		lua_error(L);
	lua_createtable(L, 0, 2);
	lua_pushcfunction(L, raw_fail);
	lua_setfield(L, -2, "fail");
	lua_pushvalue(L, env);
	lua_setfield(L, -2, "env");
	lua_call(L, 1, 0);
}

/* Replace library @name by an empty read-only view of it. */
static int view_newindex(lua_State *L)
{
	return lua_box_fail(L, "the library '%s' is read-only",
			    lua_tostring(L, lua_upvalueindex(1)));
}

static void make_view(lua_State *L, int env, const char *name)
{
	lua_newtable(L);
	lua_createtable(L, 0, 3);
	lua_getfield(L, env, name);
	lua_setfield(L, -2, "__index");
	lua_pushstring(L, name);
	lua_pushcclosure(L, view_newindex, 1);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_setfield(L, env, name);
}

int lua_open_sandbox(lua_State *L)
{
	int env, lib;

	lua_box_env(L);
	env = lua_gettop(L);
	/* The stock libraries live in a table that nothing keeps after this function. */
	lua_newtable(L);
	lib = lua_gettop(L);
	luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
	lua_replace(L, lib);
	for (size_t i = 0; i < ARRAY_SIZE(base_kept); i++) {
		lua_getfield(L, lib, base_kept[i].name);
		lua_push_counted(L, base_kept[i].cost);
		lua_setfield(L, env, base_kept[i].name);
	}
	lua_getfield(L, lib, "_VERSION");
	lua_setfield(L, env, "_VERSION");
	lua_pushvalue(L, env);
	luaL_setfuncs(L, base_funcs, 0);
	lua_pop(L, 1);
	lua_getfield(L, lib, "tonumber");
	lua_pushcclosure(L, base_tonumber, 1);
	lua_setfield(L, env, "tonumber");

	luaL_requiref(L, LUA_COLIBNAME, luaopen_coroutine, 0);
	lua_createtable(L, 0, 8);
	keep(L, lua_gettop(L) - 1, lua_gettop(L), co_kept, ARRAY_SIZE(co_kept));
	luaL_setfuncs(L, co_funcs, 0);
	lua_setfield(L, env, LUA_COLIBNAME);
	lua_pop(L, 1);

	lua_open_libs(L);
	lua_handle_open(L);

	/* Nothing must lead to what was left out. */
	lua_pushnil(L);
	lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
	run_prelude(L, env);
	make_view(L, env, LUA_COLIBNAME);
	make_view(L, env, LUA_STRLIBNAME);
	make_view(L, env, LUA_TABLIBNAME);
	make_view(L, env, LUA_UTF8LIBNAME);
	make_view(L, env, LUA_MATHLIBNAME);
	return 0;
}
