/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind_sim.c - bindings about the run as a whole: scenario, knobs, expectations, metrics, time.
 */
#include "app/lua/script_int.h"
#include "app/metrics.h"
#include "app/text.h"
#include "app/units.h"
#include "app/xalloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 65536
#define BILLION 1000000000

/* ---- scenario ---- */

char *text_field(lua_State *L, const char *key, const char *what, size_t max)
{
	char *copy = NULL;

	if (lv_field(L, 1, key)) {
		copy = xstrdup(lv_text(L, -1, what, 1, max));
		lua_pop(L, 1);
	}
	return copy;
}

static int bind_scenario(lua_State *L)
{
	struct script *s = script_of(L);
	struct script_scenario *sc = &s->sc;

	lv_fields(L, 1, "scenario", "name title about machine kernel seed duration", false);
	if (s->main)
		return 0;
	if (s->have_scenario)
		return lua_box_fail(L, "scenario { } stands once in a file");
	if (s->sim)
		return lua_box_fail(L,
				    "scenario { } comes before everything that uses tasks, CPUs or "
				    "policies");
	s->have_scenario = true;
	sc->name = text_field(L, "name", "scenario: name", 63);
	sc->title = text_field(L, "title", "scenario: title", 200);
	sc->about = text_field(L, "about", "scenario: about", TEXT_MAX);
	sc->machine = text_field(L, "machine", "scenario: machine", 1000);
	sc->kernel = text_field(L, "kernel", "scenario: kernel", 63);
	if (lv_field(L, 1, "seed")) {
		sc->seed = (u64)lv_int(L, -1, "scenario: seed", 0, (1ll << 53) - 1);
		sc->has_seed = true;
	}
	if (lv_field(L, 1, "duration")) {
		sc->duration = lv_time(L, -1, "scenario: duration");
		if (!sc->duration)
			return lua_box_fail(L, "scenario: duration is above 0");
	}
	script_need_sim(L);
	return 0;
}

/* ---- knobs ---- */

int script_knob_find(const struct script *s, const char *name)
{
	for (u32 i = 0; i < s->nr_knobs; i++)
		if (!strcmp(s->knobs[i].pub.name, name))
			return (int)i;
	return -1;
}

u32 script_nr_knobs(const struct script *s)
{
	return s->nr_knobs;
}

const struct script_knob *script_knob(const struct script *s, u32 i)
{
	return &s->knobs[i].pub;
}

static int knob_parse(const struct script_knob *k, const char *text, s64 *out, struct err *err)
{
	bool time = k->unit && !strcmp(k->unit, "ns");
	char name[64], clean[40], *end;
	u64 ns;

	text_clean(name, sizeof(name), k->name);
	*out = strtoll(text, &end, 10);
	if (time && (*end || end == text)) {
		if (parse_time(text, strlen(text), &ns, err))
			return err_wrap(err, "knob %s", name);
		*out = (s64)ns;
	} else if (*end || end == text) {
		text_clean(clean, sizeof(clean), text);
		return err_set(err, ERR_USAGE,
			       "knob %s takes a whole number %lld .. %lld, not '%s'", name,
			       (long long)k->min, (long long)k->max, clean);
	}
	if (*out < k->min || *out > k->max)
		return err_set(err, ERR_USAGE, "knob %s takes %lld .. %lld, not %lld", name,
			       (long long)k->min, (long long)k->max, (long long)*out);
	return 0;
}

static s64 knob_value(lua_State *L, int idx, const char *what, bool time, s64 min, s64 max)
{
	return time ? (s64)lv_time(L, idx, what) : lv_int(L, idx, what, min, max);
}

/* knob { name, default, min, max, help, unit, change } -> value; upvalue: none. */
static int knob_define(lua_State *L)
{
	struct script *s = script_of(L);
	struct knob k = { .change = LUA_NOREF };
	struct err err = { 0 };
	const char *name, *set;
	bool time;
	int i;

	lua_remove(L, 1); /* the table `knob` itself */
	lv_fields(L, 1, "knob", "name default min max help unit change", false);
	if (!lv_field(L, 1, "name"))
		return lua_box_fail(L, "knob needs a name");
	name = lv_text(L, -1, "knob: name", 1, 63);
	if (s->main) {
		i = script_knob_find(s->main, name);
		lua_pushinteger(L, i < 0 ? 0 : s->main->knobs[i].pub.value);
		return 1;
	}
	if (script_knob_find(s, name) >= 0)
		return lua_box_fail(L, "knob: there is one of this name already");
	if (s->nr_knobs >= SCRIPT_KNOBS_MAX)
		return lua_box_fail(L, "more than %d knobs", SCRIPT_KNOBS_MAX);
	if (!lv_field(L, 1, "default"))
		return lua_box_fail(L, "knob needs a default");
	time = lua_type(L, -1) == LUA_TSTRING;
	k.pub.min = time ? 0 : INT64_MIN;
	k.pub.max = time ? (s64)UNITS_TIME_MAX : INT64_MAX;
	k.pub.def = knob_value(L, -1, "knob: default", time, INT64_MIN, INT64_MAX);
	if (lv_field(L, 1, "min"))
		k.pub.min = knob_value(L, -1, "knob: min", time, INT64_MIN, INT64_MAX);
	if (lv_field(L, 1, "max"))
		k.pub.max = knob_value(L, -1, "knob: max", time, INT64_MIN, INT64_MAX);
	if (k.pub.def < k.pub.min || k.pub.def > k.pub.max)
		return lua_box_fail(L, "knob: the default lies outside min .. max");
	k.pub.value = k.pub.def;
	if (lv_field(L, 1, "change")) {
		luaL_checktype(L, -1, LUA_TFUNCTION);
		k.change = luaL_ref(L, LUA_REGISTRYINDEX);
		k.pub.live = true;
	}
	k.pub.unit = time ? xstrdup("ns") : text_field(L, "unit", "knob: unit", 16);
	k.pub.help = text_field(L, "help", "knob: help", 400);
	k.pub.name = xstrdup(name);
	s->knobs = xrealloc_array(s->knobs, s->nr_knobs + 1, sizeof(*s->knobs));
	s->knobs[s->nr_knobs++] = k;
	set = s->host.knob_value ? s->host.knob_value(s->host.ctx, name) : NULL;
	if (set && knob_parse(&k.pub, set, &s->knobs[s->nr_knobs - 1].pub.value, &err))
		return lua_box_fail(L, "--set: %s", err.msg);
	lua_pushinteger(L, s->knobs[s->nr_knobs - 1].pub.value);
	return 1;
}

static struct knob *knob_arg(lua_State *L)
{
	struct script *s = script_of(L), *m = s->main ? s->main : s;
	const char *names[SCRIPT_KNOBS_MAX], *name = lv_text(L, 2, "knob", 0, 255);
	int i = script_knob_find(m, name);

	if (i >= 0)
		return &m->knobs[i];
	for (u32 k = 0; k < m->nr_knobs; k++)
		names[k] = m->knobs[k].pub.name;
	lv_unknown(L, "knob", "knob", name, names, m->nr_knobs);
	return NULL;
}

static int knob_get(lua_State *L)
{
	lua_pushinteger(L, knob_arg(L)->pub.value);
	return 1;
}

static int knob_put(lua_State *L)
{
	struct script *s = script_of(L);
	struct knob *k = knob_arg(L);
	bool time = k->pub.unit && !strcmp(k->pub.unit, "ns");
	char what[80], name[64];

	text_clean(name, sizeof(name), k->pub.name);
	snprintf(what, sizeof(what), "knob.%s", name);
	s64 v = knob_value(L, 3, what, time, k->pub.min, k->pub.max);

	if (v < k->pub.min || v > k->pub.max)
		return lua_box_fail(L, "%s takes %lld .. %lld", what, (long long)k->pub.min,
				    (long long)k->pub.max);
	if (s->main)
		return 0;
	k->pub.value = v;
	if (k->change == LUA_NOREF) {
		if (s->host.warn) {
			char text[128];

			snprintf(text, sizeof(text), "knob %s acts when the scenario is restarted",
				 name);
			s->host.warn(s->host.ctx, text);
		}
		return 0;
	}
	lua_rawgeti(L, LUA_REGISTRYINDEX, k->change);
	lua_pushinteger(L, v);
	lua_call(L, 1, 0);
	return 0;
}

int script_knob_set(struct script *s, u32 i, const char *value, bool *restart, struct err *err)
{
	struct knob *k = &s->knobs[i];
	s64 v, old = k->pub.value;
	int ret;

	*restart = false;
	if (knob_parse(&k->pub, value, &v, err))
		return -1;
	k->pub.value = v;
	if (k->change == LUA_NOREF) {
		*restart = true;
		return 0;
	}
	if (!lua_checkstack(s->box->L, 4))
		return err_set(err, ERR_LIMIT, "Lua stack is full");
	lua_rawgeti(s->box->L, LUA_REGISTRYINDEX, k->change);
	lua_pushinteger(s->box->L, v);
	s->current = NULL;
	s->origin = ORIGIN_USER;
	gate_begin(s);
	ret = lua_box_call(s->box, 1, 0, LUA_CALL_CONSOLE, err);
	if (ret) {
		gate_rollback(s);
		k->pub.value = old;
	} else {
		gate_commit(s);
	}
	s->origin = ORIGIN_SCRIPT;
	return ret;
}

/* ---- metrics ---- */

static double to_double(const struct mvalue *v)
{
	double d = (double)v->v;

	for (u32 i = 0; v->kind == MV_FIXED && i < v->decimals; i++)
		d /= 10;
	return d;
}

static void push_metric(lua_State *L, const struct mvalue *v)
{
	switch (v->kind) {
	case MV_INT:
		lua_pushinteger(L, v->v);
		break;
	case MV_FIXED:
		lua_pushnumber(L, to_double(v));
		break;
	case MV_TEXT:
		if (v->text) {
			lua_pushstring(L, v->text);
			break;
		}
		/* fall through */
	default:
		lua_pushnil(L);
		break;
	}
}

static int bind_metric(lua_State *L)
{
	const char *path = lv_text(L, 1, "metric: the path", 1, 255);
	struct sim *sim = script_need_sim(L);
	struct err err = { 0 };
	struct mvalue v;

	lua_box_charge(L, 2000);
	if (metrics_get(sim, path, &v, &err))
		return lua_box_fail(L, "%s", err.msg);
	push_metric(L, &v);
	return 1;
}

/* Is @path the beginning of a documented metric? NAME, SLOT and N in it stand for anything. */
static bool metric_prefix(const char *path)
{
	for (const struct metric_doc *d = metric_docs; d->path; d++) {
		const char *p = path, *q = d->path;

		while (*p && *q) {
			size_t n = strcspn(p, "."), m = strcspn(q, ".");
			bool any = q[0] >= 'A' && q[0] <= 'Z';

			if (!any && (n != m || memcmp(p, q, n)))
				break;
			p += n;
			q += m;
			if (!*p)
				break;
			p++;
			q += *q == '.';
		}
		if (!*p && *q == '.')
			return true;
	}
	return false;
}

/* Reading sched.metrics.latency.all.p99_us: upvalue 1 is the path so far. */
static int metrics_index(lua_State *L)
{
	const char *prefix = lua_tostring(L, lua_upvalueindex(1));
	char path[300], key[128];
	struct sim *sim = script_need_sim(L);
	struct err err = { 0 };
	struct mvalue v;

	if (lua_isinteger(L, 2))
		snprintf(key, sizeof(key), "%lld", (long long)lua_tointeger(L, 2));
	else
		snprintf(key, sizeof(key), "%s", lv_text(L, 2, "sched.metrics", 1, 127));
	snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", key);
	lua_box_charge(L, 2000);
	if (!metrics_get(sim, path, &v, &err)) {
		push_metric(L, &v);
		return 1;
	}
	if (!metric_prefix(path))
		return lua_box_fail(L, "%s", err.msg);
	lua_newtable(L);
	lua_createtable(L, 0, 2);
	lua_pushstring(L, path);
	lua_pushcclosure(L, metrics_index, 1);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	return 1;
}

bool metric_exists(const struct sim *sim, const char *path, struct err *err)
{
	struct mvalue v;

	return !metrics_get(sim, path, &v, err) || metric_prefix(path) ||
	       !strncmp(path, "tasks.", 6) || !strncmp(path, "groups.", 7) ||
	       !strncmp(path, "latency.groups.", 15) || !strncmp(path, "throughput.", 11);
}

/* ---- expectations ---- */

/* A bound to the billionth, exactly for whole numbers. */
static s128 bound(lua_State *L, int idx, const char *what)
{
	lua_Number f;

	if (lua_isinteger(L, idx))
		return (s128)lua_tointeger(L, idx) * BILLION;
	f = lua_type(L, idx) == LUA_TNUMBER ? lua_tonumber(L, idx) : (lua_Number)NAN;
	if (!(f > -9e9 && f < 9e9))
		lua_box_fail(L, "%s is a number", what);
	return (s128)(s64)round(f * 1000000) * 1000;
}

static int bind_expect(lua_State *L)
{
	struct script *s = script_of(L);
	struct expect e = { .test = LUA_NOREF };
	const char *metric = NULL;
	char text[300], part[64];
	struct err err = { 0 };

	lv_fields(L, 1, "expect", "metric min max equals text test why", false);
	if (s->main)
		return 0;
	if (s->nr_expects >= SCRIPT_EXPECTS_MAX)
		return lua_box_fail(L, "more than %d expectations", SCRIPT_EXPECTS_MAX);
	text[0] = '\0';
	if (lv_field(L, 1, "metric")) {
		metric = lv_text(L, -1, "expect: metric", 1, 200);
		snprintf(text, sizeof(text), "%s", metric);
		/* The name is checked now; tasks and groups may come to be later. */
		if (!metric_exists(script_need_sim(L), metric, &err))
			return lua_box_fail(L, "expect: %s", err.msg);
	}
	if (lv_field(L, 1, "equals")) {
		e.min = e.max = bound(L, -1, "expect: equals");
		e.has_min = e.has_max = true;
		lua_box_tostring(L, -1, NULL);
		snprintf(part, sizeof(part), " == %.40s", lua_tostring(L, -1));
		strncat(text, part, sizeof(text) - strlen(text) - 1);
	}
	if (lv_field(L, 1, "min")) {
		e.min = bound(L, -1, "expect: min");
		e.has_min = true;
		lua_box_tostring(L, -1, NULL);
		snprintf(part, sizeof(part), " >= %.40s", lua_tostring(L, -1));
		strncat(text, part, sizeof(text) - strlen(text) - 1);
	}
	if (lv_field(L, 1, "max")) {
		e.max = bound(L, -1, "expect: max");
		lua_box_tostring(L, -1, NULL);
		snprintf(part, sizeof(part), "%s <= %.40s", e.has_min ? " and" : "",
			 lua_tostring(L, -1));
		e.has_max = true;
		strncat(text, part, sizeof(text) - strlen(text) - 1);
	}
	if (lv_field(L, 1, "test")) {
		luaL_checktype(L, -1, LUA_TFUNCTION);
		if (metric)
			return lua_box_fail(L, "expect takes a metric or a test, not both");
		e.test = luaL_ref(L, LUA_REGISTRYINDEX);
	} else if (!metric || (!e.has_min && !e.has_max)) {
		return lua_box_fail(L, "expect needs a metric with min, max or equals, or a test "
				       "function");
	}
	if (lv_field(L, 1, "text"))
		snprintf(text, sizeof(text), "%s", lv_text(L, -1, "expect: text", 1, 200));
	if (!text[0])
		snprintf(text, sizeof(text), "test");
	e.pub.why = text_field(L, "why", "expect: why", 400);
	e.pub.text = xstrdup(text);
	if (!e.pub.why)
		e.pub.why = xstrdup("");
	e.metric = metric ? xstrdup(metric) : NULL;
	s->expects = xrealloc_array(s->expects, s->nr_expects + 1, sizeof(*s->expects));
	s->expects[s->nr_expects++] = e;
	return 0;
}

u32 script_nr_expects(const struct script *s)
{
	return s->nr_expects;
}

const struct script_expect *script_expect(const struct script *s, u32 i)
{
	return &s->expects[i].pub;
}

static void check_metric(struct script *s, struct expect *e)
{
	struct err err = { 0 };
	struct mvalue v;
	s128 x;

	e->pub.computed = !metrics_get(s->sim, e->metric, &v, &err) &&
			  (v.kind == MV_INT || v.kind == MV_FIXED);
	if (!e->pub.computed) {
		snprintf(e->pub.value, sizeof(e->pub.value), "not measured");
		return;
	}
	x = (s128)v.v * BILLION;
	for (u32 i = 0; v.kind == MV_FIXED && i < v.decimals; i++)
		x /= 10;
	if (v.kind == MV_INT)
		snprintf(e->pub.value, sizeof(e->pub.value), "%lld", (long long)v.v);
	else
		snprintf(e->pub.value, sizeof(e->pub.value), "%.*f", (int)v.decimals,
			 to_double(&v));
	e->pub.ok = (!e->has_min || x >= e->min) && (!e->has_max || x <= e->max);
}

/* expectation(test) -> ok, text of the value */
static int call_test(lua_State *L)
{
	lua_call(L, 0, 2);
	lua_pushboolean(L, lua_toboolean(L, -2));
	lua_box_tostring(L, -2, NULL);
	return 2;
}

static int check_test(struct script *s, struct expect *e, struct err *err)
{
	lua_State *L = s->box->L;

	if (!lua_checkstack(L, 4))
		return err_set(err, ERR_LIMIT, "Lua stack is full");
	lua_pushcfunction(L, call_test);
	lua_rawgeti(L, LUA_REGISTRYINDEX, e->test);
	if (script_callback(s, 1, 2, err)) {
		snprintf(e->pub.value, sizeof(e->pub.value), "failed");
		return -1;
	}
	e->pub.computed = true;
	e->pub.ok = lua_toboolean(L, -2);
	text_clean(e->pub.value, sizeof(e->pub.value), lua_tostring(L, -1));
	if (!strcmp(e->pub.value, "nil"))
		snprintf(e->pub.value, sizeof(e->pub.value), "%s", e->pub.ok ? "true" : "false");
	lua_pop(L, 2);
	return 0;
}

int script_check_expects(struct script *s, struct err *err)
{
	int failed = 0, ret = 0;

	for (u32 i = 0; i < s->nr_expects; i++) {
		struct expect *e = &s->expects[i];

		e->pub.ok = e->pub.computed = false;
		if (e->metric)
			check_metric(s, e);
		else if (check_test(s, e, err))
			ret = -1;
		failed += !e->pub.ok;
	}
	return ret ? ret : failed;
}

/* ---- the rest ---- */

static void free_text(const char *p)
{
	free((void *)(uintptr_t)p);
}

void sim_bindings_drop(struct script *s, u32 nr_knobs, u32 nr_expects)
{
	while (s->nr_knobs > nr_knobs) {
		struct knob *k = &s->knobs[--s->nr_knobs];

		free_text(k->pub.name);
		free_text(k->pub.help);
		free_text(k->pub.unit);
	}
	while (s->nr_expects > nr_expects) {
		struct expect *e = &s->expects[--s->nr_expects];

		free_text(e->pub.text);
		free_text(e->pub.why);
		free(e->metric);
	}
}

static int bind_now(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)script_need_sim(L)->g->now);
	return 1;
}

static int bind_seed(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)script_need_sim(L)->g->seed);
	return 1;
}

static int bind_time_text(lua_State *L)
{
	char buf[40];

	lua_pushstring(L, format_time(buf, sizeof(buf), lv_time(L, 1, "time_text")));
	return 1;
}

void bind_sim_open(lua_State *L)
{
	lua_newtable(L);
	lua_createtable(L, 0, 4);
	lua_pushcfunction(L, knob_define);
	lua_setfield(L, -2, "__call");
	lua_pushcfunction(L, knob_get);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, knob_put);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_box_set(L, "knob");

	lua_box_env(L);
	lua_getfield(L, -1, "sched");
	lua_newtable(L);
	lua_createtable(L, 0, 2);
	lua_pushliteral(L, "");
	lua_pushcclosure(L, metrics_index, 1);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_setfield(L, -2, "metrics");
	lua_pop(L, 2);
}

/* What sim_check() has to complain about, nil if nothing. */
static int bind_check(lua_State *L)
{
	struct sim *sim = script_need_sim(L);
	struct err err = { 0 };

	lua_box_charge(L, 100 * ((int)sim->g->nr_cpus + (int)sim->g->nr_tasks_alive + 100));
	if (!sim_check(sim, &err))
		return 0;
	lua_pushstring(L, err.msg);
	return 1;
}

const struct lua_binding bind_sim_rows[] = {
	{ "scenario", bind_scenario,
	  "scenario { name =, title =, machine =, kernel =, seed =, duration =, about = }",
	  "What this file is, on which machine and kernel it runs, and for how long. Comes first." },
	{ "knob", NULL,
	  "knob { name =, default =, min =, max =, help =, change = function(v) end }",
	  "Declares a number the user can move and returns its value; default = \"16ms\" makes it a "
	  "time. Without change the scenario restarts. knob.NAME reads it, knob.NAME = v moves it." },
	{ "expect", bind_expect, "expect { metric =, min =, max =, equals =, why = }",
	  "Makes the scenario a test: checked at the end of a run. Instead of a metric: test = "
	  "function() return ok, value end, text = what it means." },
	{ "metric", bind_metric, "metric(path)",
	  "The present value of a metric (list metrics), e.g. metric(\"latency.all.p99_us\"); nil = not "
	  "measured." },
	{ "sched.metrics", NULL, "sched.metrics.PATH",
	  "The same as a table: sched.metrics.latency.all.p99_us." },
	{ "sched.check", bind_check, "sched.check()",
	  "Verifies every invariant of the state: nil, or what does not hold." },
	{ "now", bind_now, "now()", "Simulated time in ns." },
	{ "seed", bind_seed, "seed()", "The seed of the run." },
	{ "time_text", bind_time_text, "time_text(ns)", "A time as text: 1500000 is \"1.5ms\"." },
	{ NULL, NULL, NULL, NULL },
};
