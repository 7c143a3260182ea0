/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * doc.c - bindings put in place, and help() out of their rows.
 */
#include "app/lua/doc.h"

#include "app/lua/handle.h"
#include "app/lua/script_int.h"
#include "app/suggest.h"
#include "app/text.h"

#include <stdio.h>
#include <string.h>

static const struct lua_binding doc_bindings[] = {
	{ "help", lua_help, "help([name])",
	  "Lists the functions of the scenario language; with a name, e.g. help(\"task.spawn\"), tells "
	  "what it does." },
	{ NULL, NULL, NULL, NULL },
};

const struct lua_binding *const lua_bindings[] = {
	doc_bindings,  bind_sim_rows,	bind_time_rows,	  bind_step_rows,     bind_task_rows,
	bind_cpu_rows, bind_group_rows, bind_policy_rows, bind_workload_rows, bind_report_rows,
	NULL,
};

const struct lua_binding *lua_doc_find(const char *name)
{
	for (size_t t = 0; lua_bindings[t]; t++)
		for (const struct lua_binding *r = lua_bindings[t]; r->name; r++)
			if (!strcmp(r->name, name))
				return r;
	return NULL;
}

static int find_kind(const char *name, size_t len)
{
	for (int k = 0; k < NR_HANDLE_KINDS; k++)
		if (strlen(lua_handle_names[k]) == len && !memcmp(lua_handle_names[k], name, len))
			return k;
	return -1;
}

void lua_bind(lua_State *L)
{
	int env;

	lua_box_env(L);
	env = lua_gettop(L);
	for (size_t t = 0; lua_bindings[t]; t++) {
		for (const struct lua_binding *r = lua_bindings[t]; r->name; r++) {
			const char *dot = strchr(r->name, '.'), *colon = strchr(r->name, ':');

			if (!r->fn)
				continue;
			if (colon) {
				int kind = find_kind(r->name, (size_t)(colon - r->name));

				BUG_ON(kind < 0);
				lua_handle_class(L, (enum lua_handle_kind)kind);
			} else if (dot) {
				lua_pushlstring(L, r->name, (size_t)(dot - r->name));
				lua_pushvalue(L, -1);
				if (lua_gettable(L, env) == LUA_TNIL) {
					lua_pop(L, 1);
					lua_newtable(L);
					lua_pushvalue(L, -2);
					lua_pushvalue(L, -2);
					lua_settable(L, env);
				}
				lua_remove(L, -2);
			} else {
				lua_pushvalue(L, env);
			}
			lua_pushcfunction(L, r->fn);
			lua_setfield(L, -2, colon ? colon + 1 : dot ? dot + 1 : r->name);
			lua_pop(L, 1);
		}
	}
	lua_pop(L, 1);
}

static void say(lua_State *L, const char *text)
{
	struct lua_box *b = lua_box_of(L);
	char line[512];

	lua_box_charge(L, 100);
	if (!b->host.print)
		return;
	while (*text) {
		size_t n = strcspn(text, "\n");

		text_clean_n(line, sizeof(line), text, n);
		b->host.print(b->host.arg, line);
		text += n + (text[n] == '\n');
	}
}

static const char *tail_of(const char *name)
{
	const char *end = name + strcspn(name, ".:");

	return *end ? end + 1 : name;
}

void lua_doc_hint(struct err *err)
{
	static const char *const tables[] = { "policy", "report", "sched", "task", "workload" };
	static const char *const kinds[] = { "(global '", "(field '", "(method '" };
	const char *tails[256], *at = NULL, *near;
	size_t nr = 0, len;
	char word[48];

	if (!strstr(err->msg, "a nil value"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !at; i++)
		if ((at = strstr(err->msg, kinds[i])) != NULL)
			at += strlen(kinds[i]);
	if (!at)
		return;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, "'"), at);
	for (size_t t = 0; lua_bindings[t]; t++) {
		const struct lua_binding *r = lua_bindings[t];

		for (; r->name && nr + 1 < ARRAY_SIZE(tails); r++) {
			tails[nr++] = tail_of(r->name);
			if (!strcmp(r->name, word))
				return; /* it exists: what is wrong lies elsewhere */
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i], word))
			return;
	near = suggest(word, tables, ARRAY_SIZE(tables));
	len = strlen(err->msg);
	if (near) {
		snprintf(err->msg + len, sizeof(err->msg) - len, "; did you mean '%s'?", near);
		return;
	}
	near = suggest(word, tails, nr);
	if (!near || !strcmp(near, word))
		return;
	/* A tail is the end of its row's name. */
	for (size_t t = 0; lua_bindings[t]; t++)
		for (const struct lua_binding *r = lua_bindings[t]; r->name; r++)
			if (tail_of(r->name) == near) {
				snprintf(err->msg + len, sizeof(err->msg) - len,
					 "; did you mean '%s'?", r->name);
				return;
			}
}

int lua_help(lua_State *L)
{
	const char *names[256];
	const struct lua_binding *r;
	size_t nr = 0;
	char line[512];

	for (size_t t = 0; lua_bindings[t]; t++)
		for (r = lua_bindings[t]; r->name && nr < ARRAY_SIZE(names); r++)
			names[nr++] = r->name;
	if (lua_isnoneornil(L, 1)) {
		size_t len = 0;

		say(L, "Functions; help(\"NAME\") tells more:");
		line[0] = '\0';
		for (size_t i = 0; i < nr; i++) {
			if (len + strlen(names[i]) > 78) {
				say(L, line);
				len = 0;
			}
			len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s",
						len ? "  " : "  ", names[i]);
		}
		say(L, line);
		return 0;
	}
	r = lua_doc_find(luaL_checkstring(L, 1));
	if (r) {
		say(L, r->sig);
		snprintf(line, sizeof(line), "  %s", r->doc);
		say(L, line);
		return 0;
	}
	const char *near = suggest(lua_tostring(L, 1), names, nr);

	return lua_box_fail(L, "help: there is nothing of this name%s%s%s",
			    near ? "; did you mean '" : "; help() lists all", near ? near : "",
			    near ? "'?" : "");
}
