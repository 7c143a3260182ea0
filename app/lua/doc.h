/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * doc.h - the tables of bindings: one row is a function, its signature and its documentation.
 *
 * help(), completion, .luacheckrc and the reference all come from these rows. Names: "wait" is a
 * global, "task.spawn" lives in a read-only table, "task:kill" is a method of a handle and
 * "task:util" with a signature without parentheses a field of one.
 */
#ifndef SG_APP_LUA_DOC_H
#define SG_APP_LUA_DOC_H

#include "app/lua/state.h"

struct lua_binding {
	const char *name;
	lua_CFunction fn; /* NULL: made elsewhere (prelude, metatables), documented here */
	const char *sig;
	const char *doc;
};

/* All tables, each ended by a NULL name; the list is ended by NULL. */
extern const struct lua_binding *const lua_bindings[];

/* lua_bind - put the rows that have a function where their names say; call inside a protected call. */
void lua_bind(lua_State *L);

/* help([name]): prints. */
int lua_help(lua_State *L);

/*
 * lua_doc_hint - where the error is that a name which does not exist was called or indexed, and one that
 * is spelt nearly so exists, add "did you mean" to it.
 */
void lua_doc_hint(struct err *err);

/* lua_doc_find - the row called @name, NULL if there is none. */
const struct lua_binding *lua_doc_find(const char *name);

#endif
