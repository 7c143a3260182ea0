/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * script.c - life of a script: state, loading, console, errors.
 *
 * Two kinds of states use this struct. The script itself loads the scenario, builds the simulation
 * when the text first needs it, and is called by timers, handlers and the console. A policy side
 * (policy.c) loads the same text with every effect a no-op, for its policy functions alone.
 */
#include "app/lua/script.h"

#include "app/command.h"
#include "app/lua/script_int.h"
#include "app/text.h"
#include "app/xalloc.h"
#include "engine/base/rng.h"
#include "engine/workload/workload.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stream of math.random: a child of the run's root that no task can be. */
#define SCRIPT_STREAM (1ull << 42)

static u64 host_random(void *arg)
{
	struct script *s = arg;

	return rng_at(s->rng_key, s->rng_draws++);
}

static void host_print(void *arg, const char *line)
{
	struct script *s = arg;

	if (s->host.print)
		s->host.print(s->host.ctx, line);
}

static bool host_poll(void *arg)
{
	struct script *s = arg;

	return s->host.poll && s->host.poll(s->host.ctx);
}

/* Hang the script on @sim. */
static void attach(struct script *s, struct sim *sim)
{
	s->sim = sim;
	s->rng_key = rng_child_key(rng_root_key(sim->g->seed), SCRIPT_STREAM);
	if (s->main)
		return;
	sim->hooks =
		(struct sim_hooks){ .ctx = s, .script = script_hook, .boundary = script_boundary };
	s->txn.journal_nr = sim->journal.nr;
	s->txn.nr_specs = sim->specs->nr;
}

static int need_sim(struct script *s, struct err *err)
{
	struct sim *sim;

	if (s->sim)
		return 0;
	sim = s->host.build(s->host.ctx, &s->sc, err);
	if (!sim)
		return err->code ? -1 : err_set(err, ERR_USAGE, "the simulation cannot be built");
	attach(s, sim);
	return 0;
}

struct sim *script_need_sim(lua_State *L)
{
	struct script *s = script_of(L);
	struct err err = { 0 };

	if (need_sim(s, &err))
		lua_box_fail(L, "%s", err.msg);
	return s->sim;
}

static int open_script(lua_State *L)
{
	bind_cpu_open(L);
	bind_group_open(L);
	bind_task_open(L);
	bind_sim_open(L);
	bind_policy_open(L);
	lua_bind(L);
	lua_open_steps(L);
	bind_workload_open(L);
	return 0;
}

static struct script *new_script(const struct script_host *host, struct sim *sim,
				 struct script *main, struct err *err)
{
	struct script *s = xcalloc(1, sizeof(*s));
	struct lua_host lh = { s, host_random, main ? NULL : host_print, host_poll };

	s->host = *host;
	s->main = main;
	s->origin = ORIGIN_SCRIPT;
	s->rng_key = rng_child_key(rng_root_key(1), SCRIPT_STREAM);
	s->box = lua_box_new(NULL, &lh, err);
	if (!s->box) {
		free(s);
		return NULL;
	}
	s->box->owner = s;
	lua_pushcfunction(s->box->L, open_script);
	if (lua_box_call(s->box, 0, 0, LUA_CALL_CALLBACK, err)) {
		lua_box_free(s->box);
		free(s);
		return NULL;
	}
	if (sim)
		attach(s, sim);
	return s;
}

struct script *script_new(const struct script_host *host, struct sim *sim, struct err *err)
{
	return new_script(host, sim, NULL, err);
}

struct script *script_side_new(struct script *main, struct err *err)
{
	return new_script(&main->host, main->sim, main, err);
}

static void free_scenario(struct script_scenario *sc)
{
	const char **texts[] = { &sc->name, &sc->title, &sc->about, &sc->machine, &sc->kernel };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free((void *)(uintptr_t)*texts[i]);
	*sc = (struct script_scenario){ 0 };
}

void script_free(struct script *s)
{
	if (!s)
		return;
	policies_free(s, 0);
	if (s->sim && !s->main) {
		s->nr_handlers = 0;
		handlers_update(s);
		s->sim->hooks = (struct sim_hooks){ 0 };
		s->sim->script_next = NEVER;
	}
	lua_box_free(s->box);
	sim_bindings_drop(s, 0, 0);
	published_drop(s, 0);
	free(s->published);
	for (u32 i = 0; i < s->nr_groups; i++)
		free(s->groups[i]);
	free(s->groups);
	free(s->knobs);
	free(s->expects);
	free(s->handlers);
	free(s->queue);
	timers_free(s);
	free_scenario(&s->sc);
	free(s);
}

/* ---- loading and calling ---- */

static void keep_trace(struct script *s, const struct lua_box *b)
{
	memcpy(s->trace, b->trace, sizeof(s->trace));
}

void script_failed(struct script *s, struct lua_box *box, const struct err *err)
{
	keep_trace(s, box);
	if (s->host.fail)
		s->host.fail(s->host.ctx, err, box->trace);
}

/* thread(f): a coroutine of f, kept in the registry; returns its reference. */
static int make_thread(lua_State *L)
{
	lua_State *co = lua_newthread(L);

	lua_box_hook(co);
	lua_pushvalue(L, 1);
	lua_xmove(L, co, 1);
	lua_pushinteger(L, luaL_ref(L, LUA_REGISTRYINDEX));
	return 1;
}

int script_start(struct script *s, enum lua_call kind, struct err *err)
{
	lua_State *L = s->box->L, *co;
	int ref;

	lua_pushcfunction(L, make_thread);
	lua_insert(L, -2);
	if (lua_box_call(s->box, 1, 1, LUA_CALL_CALLBACK, err))
		return -1;
	ref = (int)lua_tointeger(L, -1);
	lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
	co = lua_tothread(L, -1);
	lua_pop(L, 2);
	return script_go(s, co, ref, 0, kind, err);
}

int script_load(struct script *s, const char *text, size_t len, const char *name, struct err *err)
{
	u32 nr_policies = s->nr_policies;
	int ret;

	s->trace[0] = '\0';
	s->origin = ORIGIN_SCRIPT;
	s->defines_policy = false;
	if (lua_box_load(s->box, text, len, name, err))
		return -1;
	s->loading = true;
	ret = script_start(s, LUA_CALL_CALLBACK, err);
	s->loading = false;
	if (ret || need_sim(s, err) ||
	    (s->defines_policy && policies_finish(s, text, len, name, err))) {
		policies_free(s, nr_policies);
		keep_trace(s, s->box);
		return -1;
	}
	timers_arm(s);
	return 0;
}

int script_side_load(struct script *side, const char *text, size_t len, const char *name,
		     struct err *err)
{
	side->trace[0] = '\0';
	if (lua_box_load(side->box, text, len, name, err) ||
	    script_start(side, LUA_CALL_CALLBACK, err))
		return -1;
	lua_box_freeze(side->box);
	return 0;
}

/*
 * A lone name that means nothing is a slip, not an expression: who types "stauts" or "compare" shall not
 * be answered with silence.
 */
static int check_lone_name(struct script *s, const char *line, struct err *err)
{
	lua_State *L = s->box->L;
	size_t begin = strspn(line, " \t"), len = 0;
	char word[48];
	bool known;

	while (line[begin + len] == '_' || isalnum((unsigned char)line[begin + len]))
		len++;
	if (!len || len >= sizeof(word) || isdigit((unsigned char)line[begin]) ||
	    line[begin + len + strspn(line + begin + len, " \t")])
		return 0;
	snprintf(word, sizeof(word), "%.*s", (int)len, line + begin);
	if (!strcmp(word, "nil"))
		return 0;
	lua_box_env(L);
	known = lua_getfield(L, -1, word) != LUA_TNIL;
	lua_pop(L, 2);
	if (known)
		return 0;
	return command_unknown(word, len, err);
}

/* Show what an expression of the console came to. */
static int print_values(lua_State *L)
{
	int n = lua_gettop(L);

	if (!n || (n == 1 && lua_isnil(L, 1)))
		return 0;
	lua_box_env(L);
	lua_getfield(L, -1, "print");
	lua_insert(L, 1);
	lua_pop(L, 1);
	lua_call(L, n, 0);
	return 0;
}

/* console(f): calls f, prints its results. */
static int console_call(lua_State *L)
{
	lua_settop(L, 1);
	lua_call(L, 0, LUA_MULTRET);
	return print_values(L);
}

int script_console(struct script *s, const char *line, struct err *err)
{
	char *expr = xasprintf("return %s", line);
	u32 nr_policies = s->nr_policies;
	struct err first = { 0 };
	int ret;

	s->trace[0] = '\0';
	s->defines_policy = false;
	ret = lua_box_load(s->box, expr, strlen(expr), "console", &first);
	if (ret)
		ret = lua_box_load(s->box, line, strlen(line), "console", err);
	free(expr);
	if (ret || need_sim(s, err))
		return -1;
	if (check_lone_name(s, line, err)) {
		lua_pop(s->box->L, 1);
		return -1;
	}
	/* One call, not a coroutine: a line ends before the next one is typed. */
	lua_pushcfunction(s->box->L, console_call);
	lua_insert(s->box->L, -2);
	s->origin = ORIGIN_USER;
	s->current = NULL;
	s->loading = true;
	gate_begin(s);
	ret = lua_box_call(s->box, 1, 0, LUA_CALL_CONSOLE, err);
	s->loading = false;
	if (!ret && s->defines_policy)
		ret = policies_finish(s, line, strlen(line), "console", err);
	if (ret) {
		gate_rollback(s);
		policies_free(s, nr_policies);
		keep_trace(s, s->box);
	} else {
		/* For the session: the line itself, which has no effect in the engine. */
		struct sim_input in = { .kind = INPUT_CONSOLE,
					.origin = ORIGIN_USER,
					.text = line };

		gate_commit(s);
		ret = sim_input(s->sim, &in, NULL, err);
	}
	s->origin = ORIGIN_SCRIPT;
	return ret;
}

int script_callback(struct script *s, int nargs, int nres, struct err *err)
{
	int ret;

	s->current = NULL;
	s->origin = ORIGIN_SCRIPT;
	gate_begin(s);
	ret = lua_box_call(s->box, nargs, nres, LUA_CALL_CALLBACK, err);
	if (ret)
		gate_rollback(s);
	else
		gate_commit(s);
	return ret;
}

/* ---- looking ---- */

const char *script_trace(const struct script *s)
{
	return s->trace;
}

void script_interrupt(struct script *s)
{
	lua_box_interrupt(s->box);
}

const struct script_scenario *script_scenario(const struct script *s)
{
	return &s->sc;
}

u32 script_nr_timers(const struct script *s)
{
	return s->nr_timers;
}

bool script_help(const char *name, const char **sig, const char **doc)
{
	const struct lua_binding *r = lua_doc_find(name);

	if (!r)
		return false;
	*sig = r->sig;
	*doc = r->doc;
	return true;
}

void script_names(const struct script *s, void (*fn)(void *ctx, const char *name), void *ctx)
{
	lua_State *L = s->box->L;
	char clean[64];

	for (size_t t = 0; lua_bindings[t]; t++)
		for (const struct lua_binding *r = lua_bindings[t]; r->name; r++)
			fn(ctx, r->name);
	/* The script's own globals. Nothing here allocates in Lua but a little stack. */
	if (!lua_checkstack(L, 6))
		return;
	lua_box_env(L);
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		if (lua_type(L, -2) == LUA_TSTRING && !lua_doc_find(lua_tostring(L, -2)))
			fn(ctx,
			   text_clean(clean, sizeof(clean), lua_tostring(L, -2)) ? clean : "?");
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}
