/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind_report.c - bindings about figures: what a workload reports, and what was published about it.
 */
#include "app/lua/script_int.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a workload reports ---- */

/* A name of a counter, a latency group or a figure; the engine parts them by blanks. */
static const char *report_name(lua_State *L, int idx, const char *what)
{
	const char *name = lv_text(L, idx, what, 1, TASK_COMM_LEN - 1);

	if (strchr(name, ' '))
		lua_box_fail(L, "%s has no blanks", what);
	return name;
}

static const char *report_field(lua_State *L, const char *key, const char *what)
{
	if (!lv_field(L, 1, key))
		lua_box_fail(L, "throughput needs %s", key);
	return report_name(L, -1, what); /* stays on the stack */
}

static int bind_throughput(lua_State *L)
{
	static const char *const pers[] = { "second", "minute", NULL };
	static const char *const kinds[] = { "count", "time", "pct", NULL };
	static const enum throughput_kind numbers[] = { TPUT_COUNT, TPUT_TIME, TPUT_PCT };
	struct sim_input in = { .kind = INPUT_THROUGHPUT, .a = TPUT_COUNT, .b = 1 };
	const char *name, *count, *of = "";
	char text[3 * TASK_COMM_LEN + 4];

	lv_fields(L, 1, "throughput", "name count per as of divide target", false);
	lua_settop(L, 1);
	name = report_field(L, "name", "throughput: name");
	count = report_field(L, "count", "throughput: count");
	if (lv_field(L, 1, "per"))
		in.a = lv_choice(L, -1, "throughput: per", pers) ? TPUT_PER_MINUTE
								 : TPUT_PER_SECOND;
	if (lv_field(L, 1, "as")) {
		if (in.a != TPUT_COUNT)
			return lua_box_fail(L, "throughput takes per or as, not both");
		in.a = numbers[lv_choice(L, -1, "throughput: as", kinds)];
	}
	if (in.a == TPUT_PCT)
		of = report_field(L, "of", "throughput: of");
	if (lv_field(L, 1, "divide"))
		in.b = lv_int(L, -1, "throughput: divide", 1, 1000000000000);
	if (lv_field(L, 1, "target"))
		in.c = lv_int(L, -1, "throughput: target", 0, INT64_MAX);
	snprintf(text, sizeof(text), "%s %s%s%s", name, count, *of ? " " : "", of);
	in.text = text;
	gate_input(L, &in, NULL);
	return 0;
}

static int report_count(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_COUNT };

	in.text = report_name(L, 1, "report.count: the name");
	in.a = lua_isnoneornil(L, 2) ? 1 : lv_int(L, 2, "report.count: n", 0, (1ll << 40) - 1);
	gate_input(L, &in, NULL);
	return 0;
}

static int report_sample(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_SAMPLE };

	in.text = report_name(L, 1, "report.sample: the name");
	in.a = (s64)lv_time(L, 2, "report.sample: the time");
	gate_input(L, &in, NULL);
	return 0;
}

/* ---- figures of a thread ---- */

static void free_published(struct script_published *p)
{
	free(p->metric);
	free(p->source);
	for (u32 i = 0; i < p->nr_when; i++) {
		free(p->when[i].name);
		free(p->when[i].value);
	}
	*p = (struct script_published){ 0 };
}

void published_drop(struct script *s, u32 nr)
{
	while (s->nr_published > nr)
		free_published(&s->published[--s->nr_published]);
}

u32 script_nr_published(const struct script *s)
{
	return s->nr_published;
}

const struct script_published *script_published(const struct script *s, u32 i)
{
	return &s->published[i];
}

/* A slot, kernel, machine, a tunable, SLOT.PARAMETER or a knob that is declared already. */
static void check_when(lua_State *L, const struct script *s, const char *name)
{
	const char *names[NR_SLOTS + 2 + SCRIPT_KNOBS_MAX];
	size_t nr = 0;

	names[nr++] = "kernel";
	names[nr++] = "machine";
	for (int i = 0; i < NR_SLOTS; i++)
		names[nr++] = policy_slot_names[i];
	for (u32 i = 0; i < s->nr_knobs; i++)
		names[nr++] = s->knobs[i].pub.name;
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return;
	if (sim_tunable_index(name) >= 0 || strchr(name, '.'))
		return;
	lv_unknown(L, "published", "choice to depend on", name, names, nr);
}

/* when = { newidle = "v5.4", cgroups = 8 }, which is on top; without @p it is checked only. */
static void read_when(lua_State *L, const struct script *s, struct script_published *p)
{
	int t = lua_gettop(L);
	u32 nr = 0;

	luaL_checktype(L, t, LUA_TTABLE);
	lua_pushnil(L);
	while (lua_next(L, t)) {
		const char *name, *value;

		if (lua_type(L, -2) != LUA_TSTRING ||
		    (lua_type(L, -1) != LUA_TSTRING && !lua_isinteger(L, -1)))
			lua_box_fail(
				L,
				"published: when has names, and texts or whole numbers as values");
		if (nr == PUBLISHED_WHEN_MAX)
			lua_box_fail(L, "published: when has more than %d names",
				     PUBLISHED_WHEN_MAX);
		name = lv_text(L, -2, "published: when", 1, 63);
		check_when(L, s, name);
		lua_box_tostring(L, -1, NULL); /* its copy stands on top */
		value = lv_text(L, -1, "published: when", 0, 63);
		if (p) {
			p->when[nr].name = xstrdup(name);
			p->when[nr].value = xstrdup(value);
			p->nr_when = nr + 1;
		}
		nr++;
		lua_settop(L, t + 1);
	}
}

static int bind_published(lua_State *L)
{
	struct script *s = script_of(L);
	struct script_published figure = { .decimals = 3 }, *p;
	struct err err = { 0 };
	const char *metric, *source;
	bool when;

	lv_fields(L, 1, "published", "metric when value change_pct source", false);
	if (s->main)
		return 0;
	if (s->nr_published == SCRIPT_PUBLISHED_MAX)
		return lua_box_fail(L, "more than %d published figures", SCRIPT_PUBLISHED_MAX);
	lua_settop(L, 1);
	if (!lv_field(L, 1, "metric"))
		return lua_box_fail(L, "published needs a metric");
	metric = lv_text(L, -1, "published: metric", 1, 200);
	if (!metric_exists(script_need_sim(L), metric, &err))
		return lua_box_fail(L, "published: %s", err.msg);
	figure.change = lv_field(L, 1, "change_pct");
	if (figure.change)
		figure.v = lv_scaled(L, -1, "published: change_pct", 1000, -100000, 1000000000);
	if (lv_field(L, 1, "value")) {
		if (figure.change)
			return lua_box_fail(L, "published takes value or change_pct, not both");
		figure.v = lv_scaled(L, -1, "published: value", 1000, INT64_MIN, INT64_MAX);
	} else if (!figure.change) {
		return lua_box_fail(
			L, "published needs a value, or change_pct against the first variant");
	}
	if (!lv_field(L, 1, "source"))
		return lua_box_fail(L,
				    "published needs its source, such as \"mail of January 2021\"");
	source = lv_text(L, -1, "published: source", 1, 200);
	when = lv_field(L, 1, "when");
	if (when)
		read_when(L, s, NULL);
	/* Nothing fails from here on, as the script may catch that and would keep half a figure. */
	s->published = xrealloc_array(s->published, s->nr_published + 1, sizeof(*s->published));
	p = &s->published[s->nr_published++];
	*p = figure;
	p->metric = xstrdup(metric);
	p->source = xstrdup(source);
	if (when)
		read_when(L, s, p);
	return 0;
}

const struct lua_binding bind_report_rows[] = {
	{ "throughput", bind_throughput,
	  "throughput { name =, count =, per = \"second\" | \"minute\", as = \"time\" | \"pct\", of =, "
	  "divide =, target = }",
	  "Declares the metric throughput.NAME out of a counter of count steps: per second or minute, "
	  "as the time in s until it reached target, or in per cent of another counter; divide = 1000000 "
	  "makes megabytes of bytes." },
	{ "report.count", report_count, "report.count(name [, n])",
	  "Adds n (1) to a counter, as the step count does." },
	{ "report.sample", report_sample, "report.sample(name, time)",
	  "Adds a latency to the group NAME, as the step sample does." },
	{ "published", bind_published,
	  "published { metric =, when = { slot or knob = value }, value = | change_pct =, source = }",
	  "A figure that was published elsewhere: compare shows it in a column \"thread\" beside the runs "
	  "that fit when, run beside its own. change_pct is against the first variant." },
	{ NULL, NULL, NULL, NULL },
};
