/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * published.c - figures that a scenario knows from elsewhere, and whether they are about this run.
 *
 * A figure was measured under some choices: a policy, a kernel, a knob. It applies when this run was made
 * with the same ones; all others may differ. Nothing here changes a simulation or an expectation.
 */
#include "app/scenario.h"

#include "app/lua/script.h"
#include "app/metrics.h"
#include "app/text.h"
#include "app/units.h"

#include <stdlib.h>
#include <string.h>

/* Does @text, a number or a time, stand for @value, which is counted in @unit? */
static bool number_is(const char *text, const char *unit, s64 value)
{
	static const struct {
		const char *unit;
		u64 ns;
	} scales[] = {
		{ "ns", 1 }, { "us", NSEC_PER_USEC }, { "ms", NSEC_PER_MSEC }, { "s", NSEC_PER_SEC }
	};
	char *end;
	s64 v = strtoll(text, &end, 10);
	u64 ns;

	if (end != text && !*end)
		return v == value;
	for (size_t i = 0; unit && i < ARRAY_SIZE(scales); i++)
		if (!strcmp(unit, scales[i].unit) && !parse_time(text, strlen(text), &ns, NULL))
			return (s64)(ns / scales[i].ns) == value;
	if (!strcmp(text, "on") || !strcmp(text, "true"))
		return value == 1;
	return (!strcmp(text, "off") || !strcmp(text, "false")) && value == 0;
}

static bool param_is(const struct sim *s, const char *name, const char *text)
{
	for (int slot = 0; slot < NR_SLOTS; slot++) {
		const struct policy_param *p = s->policy[slot]->params;
		size_t n = strlen(policy_slot_names[slot]);

		if (strncmp(name, policy_slot_names[slot], n) || name[n] != '.')
			continue;
		for (u32 i = 0; p && p[i].name; i++)
			if (!strcmp(p[i].name, name + n + 1))
				return number_is(text, NULL,
						 sim_policy_param(s, (enum policy_slot)slot, i));
	}
	return false;
}

static bool choice_is(const struct app *app, const char *name, const char *value)
{
	const struct sim *s = app->sim;
	struct knob_view k;
	int i;

	if (!strcmp(name, "kernel"))
		return !strcmp(kernel_profiles[s->g->profile].name, value);
	if (!strcmp(name, "machine"))
		return !strcmp(s->machine->name, value) || !strcmp(app->sc.machine, value);
	for (int slot = 0; slot < NR_SLOTS; slot++)
		if (!strcmp(policy_slot_names[slot], name))
			return !strcmp(s->policy[slot]->name, value);
	i = knob_find(app, name);
	if (i >= 0)
		return knob_get(app, (u32)i, &k) && number_is(value, k.unit, k.value);
	i = sim_tunable_index(name);
	if (i >= 0)
		return number_is(value, sim_tunables[i].unit, (s64)sim_tunable_value(s, (u32)i));
	return param_is(s, name, value);
}

static bool applies(const struct app *app, const struct script_published *p)
{
	for (u32 i = 0; i < p->nr_when; i++)
		if (!choice_is(app, p->when[i].name, p->when[i].value))
			return false;
	return true;
}

void write_published(struct jsonout *j, const struct app *app)
{
	u32 nr = app->script ? script_nr_published(app->script) : 0;

	if (!nr)
		return;
	jw_open(j, "published", true);
	for (u32 i = 0; i < nr; i++) {
		const struct script_published *p = script_published(app->script, i);

		jw_open(j, NULL, false);
		jw_text(j, "metric", p->metric);
		jw_text(j, "source", p->source);
		jw_fixed(j, p->change ? "change_pct" : "value", p->v, p->decimals);
		jw_bool(j, "applies", applies(app, p));
		jw_open(j, "when", false);
		for (u32 k = 0; k < p->nr_when; k++)
			jw_text(j, p->when[k].name, p->when[k].value);
		jw_close(j);
		jw_close(j);
	}
	jw_close(j);
}

void text_published(struct strbuf *b, const struct app *app)
{
	u32 nr = app->script ? script_nr_published(app->script) : 0, shown = 0;
	char metric[240], source[240], n[32], here[32];

	for (u32 i = 0; i < nr; i++) {
		const struct script_published *p = script_published(app->script, i);
		struct mvalue v;

		/* A change has no meaning in a run alone. */
		if (p->change || !applies(app, p))
			continue;
		if (metrics_get(app->sim, p->metric, &v, NULL) ||
		    (v.kind != MV_INT && v.kind != MV_FIXED))
			strcpy(here, "-");
		else
			fixed_str(here, v.v, v.kind == MV_FIXED ? v.decimals : 0);
		text_clean(metric, sizeof(metric), p->metric);
		text_clean(source, sizeof(source), p->source);
		strbuf_printf(b, "%s  published %s: %s, here %s (%s)\n", shown++ ? "" : "\n",
			      metric, fixed_str(n, p->v, p->decimals), here, source);
	}
}
