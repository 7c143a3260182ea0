/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settings.c - names from outside to things of the simulation. See settings.h.
 */
#include "app/settings.h"

#include "app/scenario.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/units.h"
#include "app/xalloc.h"
#include "engine/base/cpumask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 512

/* "there is no WHAT 'NAME'", with the nearest of @names. */
static int unknown(const char *what, const char *name, const char *const *names, size_t nr,
		   const char *else_hint, struct err *err)
{
	const char *near = suggest(name, names, nr);
	char clean[64], safe[64];

	text_clean(clean, sizeof(clean), name);
	if (!near)
		return err_set(err, ERR_USAGE, "there is no %s '%s'; %s", what, clean, else_hint);
	text_clean(safe, sizeof(safe), near);
	return err_set(err, ERR_USAGE, "there is no %s '%s'; did you mean '%s'?", what, clean,
		       safe);
}

int check_profile(const char *name, struct err *err)
{
	char known[128] = "", clean[64];

	for (u32 i = 0; i < nr_kernel_profiles; i++) {
		size_t n = strlen(known);

		if (!strcmp(kernel_profiles[i].name, name))
			return 0;
		snprintf(known + n, sizeof(known) - n, " %s", kernel_profiles[i].name);
	}
	/* All are told: the nearest in spelling of v6.11 is not the nearest release. */
	text_clean(clean, sizeof(clean), name);
	return err_set(err, ERR_USAGE, "there is no kernel profile '%s'; there are%s", clean,
		       known);
}

static int slot_index(const char *slot, size_t len)
{
	for (int i = 0; i < NR_SLOTS; i++)
		if (strlen(policy_slot_names[i]) == len && !memcmp(policy_slot_names[i], slot, len))
			return i;
	return -1;
}

static int find_slot(const char *name, size_t len, struct err *err)
{
	int slot = slot_index(name, len);
	char word[48];

	if (slot >= 0)
		return slot;
	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	return unknown("policy slot", word, policy_slot_names, NR_SLOTS,
		       "slots: pick place balance newidle nohz util_est governor", err);
}

int use_policy(struct app *app, const char *slot, const char *name, struct err *err)
{
	struct sim *s = app->sim;
	const char *names[SIM_REGISTRY_MAX];
	char hint[160];
	size_t nr = 0, len = 0;

	if (!s)
		return err_set(err, ERR_USAGE, "nothing is loaded");

	int i = find_slot(slot, strlen(slot), err);

	if (i < 0)
		return -1;

	int index = sim_policy_index(s, (enum policy_slot)i, name);

	if (index < 0) {
		hint[0] = '\0';
		for (u32 k = 0; k < s->nr_registry; k++) {
			if (s->registry[k]->slot != (enum policy_slot)i)
				continue;
			names[nr++] = s->registry[k]->name;
			if (len < sizeof(hint))
				len += (size_t)snprintf(
					hint + len, sizeof(hint) - len, "%s%s",
					len ? " " : "it has: ", s->registry[k]->name);
		}
		if (unknown("policy", name, names, nr, hint, err))
			return err_wrap(err, "slot %s", policy_slot_names[i]);
	}

	struct sim_input in = { .kind = INPUT_USE_POLICY, .a = i, .b = index };

	return app_input(app, &in, NULL, err);
}

/* A number with an optional unit, as @unit is counted. "on" is 1 and "off" is 0. */
static int parse_value(const char *text, const char *unit, s64 min, s64 max, const char *name,
		       s64 *out, struct err *err)
{
	static const struct {
		const char *unit;
		u64 ns;
	} scales[] = {
		{ "ns", 1 }, { "us", NSEC_PER_USEC }, { "ms", NSEC_PER_MSEC }, { "s", NSEC_PER_SEC }
	};
	char clean[40], *end;
	u64 ns;

	if (!strcmp(text, "on") || !strcmp(text, "true")) {
		*out = 1;
	} else if (!strcmp(text, "off") || !strcmp(text, "false")) {
		*out = 0;
	} else {
		*out = strtoll(text, &end, 10);
		if (end == text || *end) {
			for (size_t i = 0; i < ARRAY_SIZE(scales); i++) {
				if (!unit || strcmp(unit, scales[i].unit) ||
				    parse_time(text, strlen(text), &ns, NULL))
					continue;
				*out = (s64)(ns / scales[i].ns);
				goto check;
			}
			text_clean(clean, sizeof(clean), text);
			return err_set(err, ERR_USAGE, "%s takes a whole number%s%s, not '%s'",
				       name, unit && *unit ? " of " : "", unit ? unit : "", clean);
		}
	}
check:
	if (*out < min || *out > max)
		return err_set(err, ERR_USAGE, "%s is %lld .. %lld%s%s, not %lld", name,
			       (long long)min, (long long)max, unit && *unit ? " " : "",
			       unit ? unit : "", (long long)*out);
	return 0;
}

static int set_tunable(struct app *app, int index, const char *value, struct err *err)
{
	const struct sim_tunable *t = &sim_tunables[index];
	s64 max = t->max > INT64_MAX ? INT64_MAX : (s64)t->max;
	s64 v;

	if (parse_value(value, t->unit, (s64)t->min, max, t->name, &v, err))
		return -1;

	struct sim_input in = { .kind = INPUT_TUNABLE, .a = index, .b = v };

	return app_input(app, &in, NULL, err);
}

static int set_param(struct app *app, const char *name, const char *dot, const char *value,
		     struct err *err)
{
	int slot = find_slot(name, (size_t)(dot - name), err);
	const char *names[POLICY_PARAMS_MAX];
	size_t nr = 0;
	s64 v;

	if (slot < 0)
		return -1;

	const struct sched_policy *pol = app->sim->policy[slot];

	for (const struct policy_param *p = pol->params; p && p->name && nr < POLICY_PARAMS_MAX;
	     p++, nr++) {
		names[nr] = p->name;
		if (strcmp(p->name, dot + 1))
			continue;
		if (parse_value(value, p->unit, p->min, p->max, name, &v, err))
			return -1;

		struct sim_input in = { .kind = INPUT_SET_PARAM, .a = slot, .b = (s64)nr, .c = v };

		return app_input(app, &in, NULL, err);
	}
	if (unknown("parameter", dot + 1, names, nr, nr ? "see 'list policies'" : "it has none",
		    err))
		err_wrap(err, "policy %s", pol->name);
	return -1;
}

int change_setting(struct app *app, const char *name, const char *value, bool *restart,
		   struct err *err)
{
	const char *dot = strchr(name, '.');
	int index = sim_tunable_index(name);
	const char *names[NAMES_MAX];
	size_t nr = 0;

	if (!app->sim)
		return err_set(err, ERR_USAGE, "nothing is loaded");
	if (index >= 0)
		return set_tunable(app, index, value, err);
	if (knob_find(app, name) >= 0)
		return change_knob(app, name, value, restart, err);
	if (dot)
		return set_param(app, name, dot, value, err);
	for (u32 i = 0; i < nr_sim_tunables; i++)
		names[nr++] = sim_tunables[i].name;
	for (u32 i = 0; i < knob_count(app) && nr < NAMES_MAX; i++) {
		struct knob_view k;

		if (knob_get(app, i, &k))
			names[nr++] = k.name;
	}
	return unknown("setting", name, names, nr,
		       "it is a tunable, SLOT.PARAMETER or a knob of the scenario ('list knobs')",
		       err);
}

int change_knob(struct app *app, const char *name, const char *value, bool *restart,
		struct err *err)
{
	const char *names[NAMES_MAX];
	size_t nr = 0;
	int i = knob_find(app, name);

	if (i >= 0)
		return knob_set(app, (u32)i, value, restart, err);
	for (u32 k = 0; k < knob_count(app) && nr < NAMES_MAX; k++) {
		struct knob_view v;

		if (knob_get(app, k, &v))
			names[nr++] = v.name;
	}
	return unknown("knob", name, names, nr,
		       nr ? "key K shows them" : "this scenario has no knobs", err);
}

int find_task(struct app *app, const char *name, u64 *serial, struct err *err)
{
	struct sim *s = app->sim;
	const char *names[NAMES_MAX];
	size_t nr = 0;
	task_id p = NONE;
	char clean[64];

	if (!s)
		return err_set(err, ERR_USAGE, "nothing is loaded");
	text_clean(clean, sizeof(clean), name);
	if (name[0] == '#') {
		s64 n;

		if (parse_count(name + 1, 0, INT64_MAX, &n, "task number", err))
			return -1;
		p = sim_find_task(s, (u64)n);
		if (p == NONE)
			return err_set(err, ERR_USAGE, "there is no task %s, or it has ended",
				       clean);
	} else {
		p = sim_find_task_by_name(s, name);
	}
	if (p != NONE) {
		*serial = s->tasks[p].serial;
		return 0;
	}
	for_each_live(i, &s->arena,
		      POOL_TASK) if (nr < NAMES_MAX && !(s->tasks[i].flags & PF_KTHREAD))
		names[nr++] = s->tasks[i].comm;
	return unknown("task", name, names, nr, "it may have ended; see the task view", err);
}

int parse_cpus(const char *text, u32 nr_cpus, u64 **words, struct err *err)
{
	u32 n = cpumask_words(nr_cpus);

	*words = xcalloc(n, sizeof(**words));
	if (!cpumask_parse(*words, n, nr_cpus, text, err))
		return 0;
	free(*words);
	*words = NULL;
	return -1;
}
