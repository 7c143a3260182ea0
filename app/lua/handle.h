/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * handle.h - what a script holds instead of pointers: (kind, id), checked at every use.
 *
 * For tasks the id is the serial of the instance, which is never given out twice, so a handle of a
 * task that has exited can be told from its slot's next tenant. CPUs, domains and groups are
 * numbered. Two handles of the same thing are the same Lua value, so they compare equal and work as
 * table keys.
 */
#ifndef SG_APP_LUA_HANDLE_H
#define SG_APP_LUA_HANDLE_H

#include "app/lua/state.h"

enum lua_handle_kind {
	HANDLE_TASK,
	HANDLE_CPU,
	HANDLE_DOMAIN,
	HANDLE_GROUP,
	HANDLE_TIMER,
	NR_HANDLE_KINDS
};

struct lua_handle {
	enum lua_handle_kind kind;
	u64 id;
};

extern const char *const lua_handle_names[NR_HANDLE_KINDS];

/* lua_handle_open - create the metatables; @methods[kind] is a list ending with NULL, or NULL. */
void lua_handle_open(lua_State *L);

/* lua_handle_class - push the table of methods of @kind, to be filled by bindings. */
void lua_handle_class(lua_State *L, enum lua_handle_kind kind);

/* lua_handle_push - push the one handle of (@kind, @id). */
void lua_handle_push(lua_State *L, enum lua_handle_kind kind, u64 id);

/* lua_handle_push_same - push the handle @h again. */
void lua_handle_push_same(lua_State *L, const struct lua_handle *h);

/* lua_handle_get - the handle at @idx, NULL for anything else. */
const struct lua_handle *lua_handle_get(lua_State *L, int idx);

/* lua_handle_check - id of the handle of @kind at argument @arg; raises otherwise. */
u64 lua_handle_check(lua_State *L, int arg, enum lua_handle_kind kind);

#endif
