/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - a box: one Lua state that can neither harm, surprise nor outlive its budget.
 *
 * Models nothing of the kernel. Only files under app/lua/ include this header, because it brings
 * <lua.h>; the application sees app/lua/script.h.
 *
 * A box counts and caps its memory and ends a call by its instruction budget, never by a moment
 * of wall time: the same script stops at the same place on every machine. Being out of budget is
 * sticky: every later hook call in every coroutine raises it again, and pcall, xpcall and the
 * coroutine functions pass it on, so a script cannot swallow it (sandbox.c has the details).
 */
#ifndef SG_APP_LUA_STATE_H
#define SG_APP_LUA_STATE_H

#include "engine/base/err.h"

#include <lauxlib.h>
#include <lua.h>
#include <signal.h>

/* Instructions between two looks of the hook at the budget. */
#define LUA_BOX_STEP 1000

/* What the box needs from its owner. Any function may be NULL. */
struct lua_host {
	void *arg;
	/* The next draw of the deterministic stream behind math.random. */
	u64 (*random)(void *arg);
	/* One cleaned line of print(), without line feed. */
	void (*print)(void *arg, const char *line);
	/* A console line has run for another 10^6 instructions: true ends it (Ctrl-C). */
	bool (*poll)(void *arg);
};

/* Limits; each names the knob of the application that raises it. 0 means the default. */
struct lua_limits {
	size_t mem_bytes; /* lua_mem: all of a state, default 64 MiB */
	size_t str_bytes; /* lua_string: one string, default 256 KiB */
	u64 callback_insns; /* lua_callback: one callback or load, default 10^8 */
	u64 policy_insns; /* lua_policy: one call of a policy function, default 10^6 */
	u32 print_lines; /* lua_print: lines one call may print, default 1000 */
};

/* Who is called: decides the budget and whether Ctrl-C acts. */
enum lua_call {
	LUA_CALL_CALLBACK, /* file, timer, hook, coroutine */
	LUA_CALL_POLICY, /* a function of a policy slot */
	LUA_CALL_CONSOLE, /* the user's own line: a callback that Ctrl-C ends */
};

struct lua_box {
	lua_State *L;
	struct lua_host host;
	struct lua_limits lim;
	void *owner; /* the script or policy the bindings belong to */

	/* memory */
	size_t used, peak;
	u64 long_strings; /* ever made: two and more can be compared */
	bool denied; /* the last growth was refused: a second refusal is final */
	u64 fail_at; /* tests: counted down by allocations; at 1 and 0 they fail. 0 = none */

	/* the running call */
	int depth; /* calls nested in each other; budgets belong to the outermost */
	enum lua_call kind;
	s64 left; /* instructions left; C functions charge their loops here too */
	s64 next_poll;
	u32 printed;
	bool aborted; /* sticky until the outermost call returns */
	enum err_code abort_code;
	char abort_msg[256];
	volatile sig_atomic_t interrupted;
	int closing; /* nested coroutine.close */

	bool frozen; /* globals are read-only: a policy state after load */

	/* the last error */
	char where_file[128];
	int where_line;
	char trace[4096];
};

/*
 * lua_box_new - a state with the sandboxed libraries and the prelude, nothing else.
 * @lim: limits, NULL for all defaults
 * @host: copied; NULL for none
 * Returns NULL and sets @err when memory is short.
 */
struct lua_box *lua_box_new(const struct lua_limits *lim, const struct lua_host *host,
			    struct err *err);

/* lua_box_free - release everything; NULL is allowed. */
void lua_box_free(struct lua_box *b);

/*
 * lua_box_load - compile @text as a chunk and push the function.
 * @name: file name for messages; text chunks only. Returns 0, or -1 with ERR_SCRIPT.
 */
int lua_box_load(struct lua_box *b, const char *text, size_t len, const char *name,
		 struct err *err);

/*
 * lua_box_call - call the function below @nargs arguments on the stack, like lua_pcall().
 * @nres: results to keep, or LUA_MULTRET
 * @kind: whose budget is spent
 * Returns 0 with the results on the stack, or -1 with nothing there and @err set: ERR_SCRIPT, or
 * ERR_LIMIT when memory or budget ran out. lua_box_where() and b->trace tell more.
 */
int lua_box_call(struct lua_box *b, int nargs, int nres, enum lua_call kind, struct err *err);

/*
 * lua_box_resume - resume coroutine @co with @nargs arguments on its stack, within a budget.
 * @done: set when it finished
 * Results are dropped. Returns 0 or -1 with @err set; a failed coroutine is dead.
 */
int lua_box_resume(struct lua_box *b, lua_State *co, int nargs, bool *done, enum lua_call kind,
		   struct err *err);

/* lua_box_interrupt - end the running console line; safe in a signal handler. */
void lua_box_interrupt(struct lua_box *b);

/* lua_box_freeze - globals become read-only from now on. */
void lua_box_freeze(struct lua_box *b);

/* lua_box_set - make the value on top of the stack the global @name (pops it); may raise. */
void lua_box_set(lua_State *L, const char *name);

/* lua_box_env - push the table of globals itself (not the guarded view scripts get). */
void lua_box_env(lua_State *L);

/* ---- for C functions that run inside a call ---- */

/* The box a state belongs to. */
static inline struct lua_box *lua_box_of(lua_State *L)
{
	return *(struct lua_box **)lua_getextraspace(L);
}

/* lua_box_charge - count @n instructions for work done in C; raises when none are left. */
void lua_box_charge(lua_State *L, u64 n);

/* lua_box_check - raise again if the call is already given up; call after any lua_pcall(). */
void lua_box_check(lua_State *L);

/* lua_box_fail - raise "file:line: ..." with the place of the script line that called. */
int lua_box_fail(lua_State *L, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* lua_box_tostring - push tostring(value at @idx) without any address in it; may raise. */
const char *lua_box_tostring(lua_State *L, int idx, size_t *len);

/* lua_box_hook - put the budget hook on a thread. */
void lua_box_hook(lua_State *L);

/* sandbox.c, sandbox_lib.c, order.c: called once by lua_box_new(), protected. */
int lua_open_sandbox(lua_State *L);
void lua_open_libs(lua_State *L);
/* lua_push_counted - around the C function on top: a call of it counts as @cost instructions more. */
void lua_push_counted(lua_State *L, int cost);
int lua_ordered_pairs(lua_State *L);
int lua_ordered_next(lua_State *L);

/* The text of scripts/lua/prelude.lua: app/lua/prelude_text.c, made by the build. */
extern const unsigned char lua_prelude[];
extern const size_t lua_prelude_len;
/* The text of scripts/lua/steps.lua, likewise. */
extern const unsigned char lua_steps[];
extern const size_t lua_steps_len;

/* Is the table at @idx one that scripts must not write? Raises if so. */
void lua_check_writable(lua_State *L, int idx);

#endif
