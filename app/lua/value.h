/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * value.h - Lua values read as what bindings need: whole numbers, times, names, sets of CPUs.
 *
 * Everything raises at the script's line when the value does not fit: what it was for, what was
 * found, what is allowed. @what names the value as the script knows it, e.g. "task.spawn: delay".
 */
#ifndef SG_APP_LUA_VALUE_H
#define SG_APP_LUA_VALUE_H

#include "app/lua/state.h"

/* lv_int - a whole number @min .. @max; a float counts if it has no fraction. */
s64 lv_int(lua_State *L, int idx, const char *what, s64 min, s64 max);

/* lv_scaled - a number times @scale, rounded half away from zero: 12.5 with scale 1000 is 12500. */
s64 lv_scaled(lua_State *L, int idx, const char *what, s64 scale, s64 min, s64 max);

/* lv_time - "250us" or a whole number of ns; at most 2^61. */
u64 lv_time(lua_State *L, int idx, const char *what);

/* lv_bool - true or false, nothing else. */
bool lv_bool(lua_State *L, int idx, const char *what);

/* lv_text - a string of @min .. @max bytes without NUL; lives as long as the value on the stack. */
const char *lv_text(lua_State *L, int idx, const char *what, size_t min, size_t max);

/* lv_choice - index of a string in @names (ended by NULL), with the nearest one in the message. */
int lv_choice(lua_State *L, int idx, const char *what, const char *const *names);

/*
 * lv_fields - @idx is a table whose keys are all in @names (blank separated) or 1..n if @list.
 * @fn is who asks. A table with a metatable is replaced on the stack by a plain copy of its fields,
 * inherited ones included, so that no later look at it runs code of the script.
 */
void lv_fields(lua_State *L, int idx, const char *fn, const char *names, bool list);

/* lv_field - push field @key of the table at @idx; false with nothing pushed when it is nil. */
bool lv_field(lua_State *L, int idx, const char *key);

/* lv_unknown - raise "FN: there is no WHAT 'NAME'; did you mean 'X'?" from @nr names. */
int lv_unknown(lua_State *L, const char *fn, const char *what, const char *name,
	       const char *const *names, size_t nr);

/* lv_cpus - "0-3,6", "all", a CPU's number or handle, or a list of them, to @words (zeroed). */
void lv_cpus(lua_State *L, int idx, const char *what, u64 *words, u32 nwords, u32 nr_cpus);

/* lv_cpu - a CPU's number or handle. */
u32 lv_cpu(lua_State *L, int idx, const char *what, u32 nr_cpus);

#endif
