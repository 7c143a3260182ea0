/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.c - a box: counted memory, an instruction budget nobody can swallow, errors with a place.
 *
 * How a call ends that does not want to: the count hook takes LUA_BOX_STEP from the budget; C
 * functions charge their loops and the allocator charges long strings to the same account. Once it
 * is empty the box is "aborted": the hook then comes after every single instruction and raises
 * each time, and our pcall and coroutine functions raise again on their way out. Two holes of the
 * stock library are closed by not using it: an xpcall handler would run inside the hook, and a
 * coroutine killed by the hook would run its __close methods with hooks switched off.
 *
 * Known gap: `..` makes texts of numbers inside one instruction, which takes as long as fifty.
 */
#include "app/lua/state.h"

#include "app/lua/doc.h"
#include "app/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((size_t)1 << 20)
#define POLL_STEP 1000000
#define ALLOC_COST 10 /* instructions */
#define LONG_STRING 4096 /* from here on a string's length counts */
#define LONG_SEEN 16

/* Key of the real table of globals in the registry. */
static const char env_key = 'e';

static void give_up(struct lua_box *b, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void give_up(struct lua_box *b, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (b->aborted)
		return;
	b->aborted = true;
	b->abort_code = code;
	va_start(ap, fmt);
	vsnprintf(b->abort_msg, sizeof(b->abort_msg), fmt, ap);
	va_end(ap);
}

static void give_up_budget(struct lua_box *b)
{
	bool policy = b->kind == LUA_CALL_POLICY;

	give_up(b, ERR_LIMIT,
		"this %s used up its %llu instructions; is there a loop that never "
		"ends? (limit: %s)",
		policy ? "policy function" : "callback",
		(unsigned long long)(policy ? b->lim.policy_insns : b->lim.callback_insns),
		policy ? "lua_policy" : "lua_callback");
}

/* ---- memory ---- */

/* Refuse a growth. Lua collects garbage and tries once more: a second refusal ends the call. */
static void *deny(struct lua_box *b, bool string, size_t want)
{
	if (b->depth) {
		b->left -= (s64)(b->used / 4);
		if (b->denied && string && want > b->lim.str_bytes)
			give_up(b, ERR_LIMIT,
				"a string of %zu bytes; the longest may have %zu "
				"(limit: lua_string)",
				want, b->lim.str_bytes);
		else if (b->denied)
			give_up(b, ERR_LIMIT,
				"this script wants more memory than its %zu KiB "
				"(limit: lua_mem)",
				b->lim.mem_bytes >> 10);
	}
	b->denied = true;
	return NULL;
}

static void *box_alloc(void *ud, void *ptr, size_t osize, size_t nsize)
{
	struct lua_box *b = ud;
	bool string = !ptr && osize == LUA_TSTRING; /* for new objects osize is their type */
	size_t old = ptr ? osize : 0;
	void *p;

	if (!nsize) {
		b->used -= old;
		free(ptr);
		return NULL;
	}
	if (nsize > old) {
		if (b->fail_at && --b->fail_at < 2)
			return NULL;
		if (string && nsize > b->lim.str_bytes + 64)
			return deny(b, true, nsize);
		if (b->used - old + nsize > b->lim.mem_bytes)
			return deny(b, false, nsize);
		b->long_strings += string && nsize >= LONG_STRING;
		/*
		 * Each new object is made and freed, which takes as long as several instructions, and
		 * will be walked by the collector, together with all that live.
		 */
		if (!ptr && osize && b->depth)
			b->left -= ALLOC_COST + (s64)(b->used >> 19);
		if (string && b->depth) {
			b->left -= (s64)(nsize >> 5);
			if (b->left < 0 && nsize >= 4096) {
				give_up_budget(b);
				return NULL;
			}
		}
	}
	p = realloc(ptr, nsize);
	if (!p) {
		if (nsize > old)
			return NULL;
		p = ptr; /* Lua counts on it that a block can shrink */
	}
	b->denied = false;
	b->used = b->used - old + nsize;
	if (b->used > b->peak)
		b->peak = b->used;
	return p;
}

/* ---- budget ---- */

/* Is this activation record a line of a script, not of C or of our own prelude? */
static bool is_script(lua_State *L, lua_Debug *ar)
{
	return lua_getinfo(L, "Sl", ar) && ar->currentline > 0 &&
	       strcmp(ar->source, "=prelude") != 0;
}

/* Remember the innermost script line at or above @level. Returns false if there is none. */
static bool find_place(lua_State *L, int level, char *file, size_t size, int *line)
{
	lua_Debug ar;

	for (; level < 200 && lua_getstack(L, level, &ar); level++) {
		if (is_script(L, &ar)) {
			text_clean(file, size, ar.short_src);
			*line = ar.currentline;
			return true;
		}
	}
	return false;
}

static void note_place(lua_State *L, lua_State *at, int level);

static int raise_abort(lua_State *L)
{
	lua_pushstring(L, lua_box_of(L)->abort_msg);
	return lua_error(L);
}

/*
 * A call of a function with very many varargs copies them each time: one instruction that takes
 * as long as thousands. Look how many there are, in powers of two, and charge for them.
 */
static s64 vararg_cost(lua_State *L, lua_Debug *ar)
{
	int n = 256;

	if (!lua_getlocal(L, ar, -n))
		return 0;
	lua_pop(L, 1);
	while (n < 1 << 20 && lua_getlocal(L, ar, -2 * n)) {
		lua_pop(L, 1);
		n *= 2;
	}
	return (s64)n * LUA_BOX_STEP / 16;
}

/*
 * Comparing two long strings that begin alike is one instruction too, and walks over both. Look for
 * such a pair among the values of the running function and charge as if every fifth instruction
 * compared it.
 */
static s64 compare_cost(lua_State *L, lua_Debug *ar)
{
	const char *s[LONG_SEEN];
	size_t len[LONG_SEEN], worst = 0;
	int nr = 0, i, k;

	for (i = 1; nr < LONG_SEEN && lua_getlocal(L, ar, i); i++) {
		if (lua_type(L, -1) == LUA_TSTRING && lua_rawlen(L, -1) >= LONG_STRING) {
			s[nr] = lua_tolstring(L, -1, &len[nr]);
			nr++;
		}
		lua_pop(L, 1);
	}
	if (!lua_getinfo(L, "f", ar))
		return 0;
	for (i = 1; nr < LONG_SEEN && lua_getupvalue(L, -1, i); i++) {
		if (lua_type(L, -1) == LUA_TSTRING && lua_rawlen(L, -1) >= LONG_STRING) {
			s[nr] = lua_tolstring(L, -1, &len[nr]);
			nr++;
		}
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	for (i = 1; i < nr; i++) {
		for (k = 0; k < i; k++) {
			size_t n = len[i] < len[k] ? len[i] : len[k];

			if (s[i] != s[k] && n > worst && !memcmp(s[i], s[k], LONG_STRING))
				worst = n;
		}
	}
	return (s64)(worst / 64) * (LUA_BOX_STEP / 5);
}

static void budget_hook(lua_State *L, lua_Debug *ar)
{
	struct lua_box *b = lua_box_of(L);

	if (!b->aborted) {
		b->left -= LUA_BOX_STEP + vararg_cost(L, ar);
		if (b->long_strings >= 2)
			b->left -= compare_cost(L, ar);
		if (b->left < 0)
			give_up_budget(b);
		if (b->kind == LUA_CALL_CONSOLE && !b->aborted) {
			if (b->left < b->next_poll) {
				b->next_poll = b->left - POLL_STEP;
				if (b->host.poll && b->host.poll(b->host.arg))
					b->interrupted = 1;
			}
			if (b->interrupted)
				give_up(b, ERR_SCRIPT, "interrupted");
		}
	}
	if (b->aborted) {
		lua_sethook(L, budget_hook, LUA_MASKCOUNT, 1);
		if (!b->where_line)
			note_place(L, L, 0);
		raise_abort(L);
	}
}

void lua_box_hook(lua_State *L)
{
	lua_sethook(L, budget_hook, LUA_MASKCOUNT, LUA_BOX_STEP);
}

void lua_box_charge(lua_State *L, u64 n)
{
	struct lua_box *b = lua_box_of(L);

	b->left -= n > (u64)INT64_MAX / 4 ? INT64_MAX / 4 : (s64)n;
	if (b->depth && b->left < 0)
		give_up_budget(b);
	lua_box_check(L);
}

void lua_box_check(lua_State *L)
{
	struct lua_box *b = lua_box_of(L);

	if (!b->aborted)
		return;
	if (!b->where_line)
		note_place(L, L, 0);
	raise_abort(L);
}

void lua_box_interrupt(struct lua_box *b)
{
	b->interrupted = 1;
}

/* ---- errors ---- */

int lua_box_fail(lua_State *L, const char *fmt, ...)
{
	char msg[512], file[128];
	va_list ap;
	int line;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (find_place(L, 0, file, sizeof(file), &line))
		lua_pushfstring(L, "%s:%d: %s", file, line, msg);
	else
		lua_pushstring(L, msg);
	return lua_error(L);
}

/* Copy the traceback, cleaned, without the lines that only show our own machinery. */
static void keep_trace(struct lua_box *b, const char *text)
{
	size_t out = 0, n;
	char line[256];

	b->trace[0] = '\0';
	while (*text) {
		n = strcspn(text, "\n");
		text_clean_n(line, sizeof(line), text + (*text == '\t'), n - (*text == '\t'));
		if (strcmp(line, "stack traceback:") != 0 && strncmp(line, "[C]: in ", 8) != 0 &&
		    strncmp(line, "prelude:", 8) != 0 && *line) {
			int w = snprintf(b->trace + out, sizeof(b->trace) - out, "%s%s",
					 out ? "\n" : "", line);

			if (w < 0 || out + (size_t)w >= sizeof(b->trace))
				break;
			out += (size_t)w;
		}
		text += n + (text[n] == '\n');
	}
}

/* Note place and traceback of the error just raised on @at, seen from call level @level. */
static void note_place(lua_State *L, lua_State *at, int level)
{
	struct lua_box *b = lua_box_of(L);

	b->where_line = 0;
	find_place(at, level, b->where_file, sizeof(b->where_file), &b->where_line);
	luaL_traceback(L, at, NULL, level);
	keep_trace(b, lua_tostring(L, -1));
	lua_pop(L, 1);
}

static int protected_tostring(lua_State *L)
{
	lua_box_tostring(L, 1, NULL);
	return 1;
}

/* Turn the error object at the top of the stack into a string in its place. */
static void error_to_string(lua_State *L)
{
	if (lua_type(L, -1) == LUA_TSTRING)
		return;
	if (luaL_getmetafield(L, -1, "__tostring") != LUA_TNIL) {
		lua_pop(L, 1);
		lua_pushcfunction(L, protected_tostring);
		lua_pushvalue(L, -2);
		if (lua_pcall(L, 1, 1, 0) == LUA_OK) {
			lua_replace(L, -2);
			return;
		}
		lua_pop(L, 1);
		lua_pushstring(L, "an error object whose __tostring fails itself");
	} else if (lua_type(L, -1) == LUA_TNUMBER) {
		lua_tostring(L, -1);
		return;
	} else {
		lua_pushfstring(L, "the error object is a %s; call error() with a text",
				luaL_typename(L, -1));
	}
	lua_replace(L, -2);
}

/* Runs where the error was raised, so the stack is still there to look at. */
static void note_error(lua_State *L, lua_State *at, int level)
{
	struct lua_box *b = lua_box_of(L);

	if (b->aborted) {
		lua_pop(L, 1);
		lua_pushstring(L, b->abort_msg);
	} else {
		error_to_string(L);
	}
	if (!b->aborted || !b->where_line)
		note_place(L, at, level);
}

static int message_handler(lua_State *L)
{
	lua_settop(L, 1);
	note_error(L, L, 1);
	return 1;
}

/* Move the error text on top of @L to @err and pop it. */
static int report(struct lua_box *b, lua_State *L, struct err *err)
{
	enum err_code code = b->aborted ? b->abort_code : ERR_SCRIPT;
	char msg[480], place[160];
	const char *raw;
	size_t len = 0;

	raw = "not enough memory";
	if (b->aborted)
		raw = b->abort_msg;
	else if (lua_type(L, -1) == LUA_TSTRING)
		raw = lua_tolstring(L, -1, &len);
	text_clean_n(msg, sizeof(msg), raw, len ? len : strlen(raw));
	/* Buffers of C functions report a refused growth themselves, without a second try. */
	if (!b->aborted && !strcmp(msg, "not enough memory")) {
		code = ERR_LIMIT;
		snprintf(msg, sizeof(msg),
			 "this script wants more memory than its %zu KiB "
			 "(limit: lua_mem)",
			 b->lim.mem_bytes >> 10);
	}
	place[0] = '\0';
	if (b->where_line > 0) {
		char prefix[150];

		snprintf(prefix, sizeof(prefix), "%s:%d: ", b->where_file, b->where_line);
		if (strncmp(msg, prefix, strcspn(prefix, ":")) != 0)
			snprintf(place, sizeof(place), "%s", prefix);
	}
	err_set(err, code, "%s%s", place, msg);
	if (err)
		lua_doc_hint(err);
	lua_pop(L, 1);
	return -1;
}

/* ---- calls ---- */

static void enter(struct lua_box *b, enum lua_call kind)
{
	if (b->depth++)
		return;
	b->kind = kind;
	b->left = (s64)(kind == LUA_CALL_POLICY ? b->lim.policy_insns : b->lim.callback_insns);
	b->next_poll = b->left - POLL_STEP;
	b->printed = 0;
	b->aborted = false;
	b->denied = false;
	b->interrupted = 0;
	b->closing = 0;
	b->where_line = 0;
	b->trace[0] = '\0';
	lua_box_hook(b->L);
}

static void leave(struct lua_box *b)
{
	bool collect = b->aborted && b->abort_code == ERR_LIMIT;

	if (--b->depth)
		return;
	b->aborted = false;
	if (collect)
		lua_gc(b->L, LUA_GCCOLLECT);
}

int lua_box_call(struct lua_box *b, int nargs, int nres, enum lua_call kind, struct err *err)
{
	lua_State *L = b->L;
	int base = lua_gettop(L) - nargs;
	int ret = 0;

	if (!lua_checkstack(L, 4))
		return lua_settop(L, base - 1), err_set(err, ERR_LIMIT, "Lua stack is full");
	lua_pushcfunction(L, message_handler);
	lua_insert(L, base);
	enter(b, kind);
	if (lua_pcall(L, nargs, nres, base) != LUA_OK || b->aborted) {
		if (lua_gettop(L) == base)
			lua_pushnil(L);
		ret = report(b, L, err);
		lua_settop(L, base - 1);
	} else {
		lua_remove(L, base);
	}
	leave(b);
	return ret;
}

struct resume_args {
	lua_State *co;
	int nargs;
	bool done;
};

static int resume_protected(lua_State *L)
{
	struct resume_args *a = lua_touserdata(L, 1);
	int status, nres = 0;

	lua_box_hook(a->co);
	status = lua_resume(a->co, L, a->nargs, &nres);
	lua_box_check(L);
	if (status != LUA_OK && status != LUA_YIELD) {
		if (!lua_checkstack(L, 2))
			return luaL_error(L, "stack overflow");
		lua_xmove(a->co, L, 1);
		note_error(L, a->co, 0);
		a->done = true;
		return lua_error(L);
	}
	lua_pop(a->co, nres);
	a->done = status == LUA_OK;
	return 0;
}

/* As message_handler(), but the place was already found in the coroutine's own stack. */
static int resume_handler(lua_State *L)
{
	struct lua_box *b = lua_box_of(L);

	lua_settop(L, 1);
	if (b->aborted || b->where_line == 0)
		note_error(L, L, 1);
	return 1;
}

int lua_box_resume(struct lua_box *b, lua_State *co, int nargs, bool *done, enum lua_call kind,
		   struct err *err)
{
	struct resume_args a = { co, nargs, false };
	lua_State *L = b->L;
	int base = lua_gettop(L) + 1, ret = 0;

	*done = true;
	if (!lua_checkstack(L, 6))
		return err_set(err, ERR_LIMIT, "Lua stack is full");
	lua_pushcfunction(L, resume_handler);
	lua_pushcfunction(L, resume_protected);
	lua_pushlightuserdata(L, &a);
	enter(b, kind);
	if (lua_pcall(L, 1, 0, base) != LUA_OK) {
		ret = report(b, L, err);
		a.done = true;
	}
	*done = a.done;
	lua_settop(L, base - 1);
	leave(b);
	return ret;
}

/*
 * Lua 5.4.4 compiles "local _ENV <const>" to wrong code. No script needs the name, so the text must
 * not have it at all (it cannot be spelled with escapes).
 */
static int refuse_env(const char *text, size_t len, const char *name, struct err *err)
{
	const char *hit = memmem(text, len, "_ENV", 4);
	const char *p;
	char shown[128];
	int line = 1;

	if (!hit)
		return 0;
	for (p = text; p < hit; p++)
		line += *p == '\n';
	text_clean(shown, sizeof(shown), name);
	return err_set(err, ERR_SCRIPT,
		       "%s:%d: _ENV is not available to scripts; use load(text, "
		       "name, \"t\", env)",
		       shown, line);
}

int lua_box_load(struct lua_box *b, const char *text, size_t len, const char *name, struct err *err)
{
	char chunk[140];
	size_t n;
	int status;

	chunk[0] = '@';
	n = text_clean(chunk + 1, sizeof(chunk) - 1, name);
	/* A long path keeps its end, which is what tells files apart; Lua shows 59 characters. */
	if (n > LUA_IDSIZE - 1) {
		memmove(chunk + 4, chunk + 1 + n - (LUA_IDSIZE - 5), LUA_IDSIZE - 4);
		memcpy(chunk + 1, "...", 3);
	}
	if (len >= 4 && !memcmp(text, LUA_SIGNATURE, 4))
		return err_set(err, ERR_SCRIPT, "%s: a compiled Lua chunk; only source text is run",
			       chunk + 1);
	if (refuse_env(text, len, chunk + 1, err))
		return -1;
	if (!lua_checkstack(b->L, 4))
		return err_set(err, ERR_LIMIT, "Lua stack is full");
	enter(b, LUA_CALL_CALLBACK);
	status = luaL_loadbufferx(b->L, text, len, chunk, "t");
	if (status != LUA_OK || b->aborted) {
		report(b, b->L, err);
		status = -1;
	}
	leave(b);
	return status;
}

/* ---- globals ---- */

void lua_box_env(lua_State *L)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &env_key);
}

void lua_box_set(lua_State *L, const char *name)
{
	lua_box_env(L);
	lua_insert(L, -2);
	lua_setfield(L, -2, name);
	lua_pop(L, 1);
}

void lua_box_freeze(struct lua_box *b)
{
	b->frozen = true;
}

static int set_global(lua_State *L)
{
	char name[64] = "?";

	if (lua_box_of(L)->frozen) {
		if (lua_type(L, 2) == LUA_TSTRING)
			text_clean(name, sizeof(name), lua_tostring(L, 2));
		return lua_box_fail(L,
				    "a policy must not set the global '%s': it keeps nothing "
				    "outside its declared fields; use 'local'",
				    name);
	}
	lua_settop(L, 3);
	lua_box_env(L);
	lua_insert(L, 2);
	lua_rawset(L, 2);
	return 0;
}

/*
 * What scripts see as globals is an empty table that reads from the real one and asks set_global()
 * before each write, new name or old: only so can it be frozen.
 */
static void guard_globals(lua_State *L)
{
	lua_newtable(L);
	lua_createtable(L, 0, 3);
	lua_box_env(L);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, set_global);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_pushvalue(L, -1);
	lua_box_set(L, "_G");
	lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

static int open_box(lua_State *L)
{
	lua_newtable(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &env_key);
	lua_open_sandbox(L);
	guard_globals(L);
	return 0;
}

/* ---- lifecycle ---- */

static int panic(lua_State *L)
{
	(void)L;
	bug_at(__FILE__, __LINE__, "Lua error outside a protected call");
}

struct lua_box *lua_box_new(const struct lua_limits *lim, const struct lua_host *host,
			    struct err *err)
{
	struct lua_box *b = calloc(1, sizeof(*b));

	if (!b) {
		err_set(err, ERR_LIMIT, "not enough memory for a Lua state");
		return NULL;
	}
	if (lim)
		b->lim = *lim;
	if (host)
		b->host = *host;
	if (!b->lim.mem_bytes)
		b->lim.mem_bytes = 64 * MIB;
	if (!b->lim.str_bytes)
		b->lim.str_bytes = MIB / 4;
	if (!b->lim.callback_insns)
		b->lim.callback_insns = 100000000;
	if (!b->lim.policy_insns)
		b->lim.policy_insns = 1000000;
	if (!b->lim.print_lines)
		b->lim.print_lines = 1000;
	b->L = lua_newstate(box_alloc, b);
	if (!b->L) {
		free(b);
		err_set(err, ERR_LIMIT, "not enough memory for a Lua state (limit: lua_mem)");
		return NULL;
	}
	*(struct lua_box **)lua_getextraspace(b->L) = b;
	lua_atpanic(b->L, panic);
	lua_gc(b->L, LUA_GCINC, 150, 0, 0);
	lua_pushcfunction(b->L, open_box);
	if (lua_box_call(b, 0, 0, LUA_CALL_CALLBACK, err)) {
		lua_box_free(b);
		return NULL;
	}
	return b;
}

void lua_box_free(struct lua_box *b)
{
	if (!b)
		return;
	lua_close(b->L);
	BUG_ON(b->used != 0);
	free(b);
}
