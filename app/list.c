/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * list.c - `schedground list KIND`: everything that has a name, out of the tables that define it.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/jsonout.h"
#include "app/machine.h"
#include "app/metrics.h"
#include "app/output.h"
#include "app/readfile.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"
#include "engine/sched/features.h"
#include "engine/sched/release.h"
#include "ui/keymap.h"
#include "ui/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows go to both writers: a table for people, objects for programs. */
struct list {
	bool json;
	struct jsonout j;
	struct strbuf text;
};

static void row_begin(struct list *l)
{
	if (l->json)
		jw_open(&l->j, NULL, false);
}

static void field(struct list *l, const char *key, int width, const char *value)
{
	if (l->json) {
		jw_text(&l->j, key, value);
	} else {
		char *clean = xcalloc(strlen(value) + 1, 1);

		text_clean(clean, strlen(value) + 1, value);
		strbuf_printf(&l->text, "%-*s ", width, clean);
		free(clean);
	}
}

static void number(struct list *l, const char *key, int width, s64 value)
{
	if (l->json)
		jw_int(&l->j, key, value);
	else
		strbuf_printf(&l->text, "%*lld ", width, (long long)value);
}

static void row_end(struct list *l)
{
	if (l->json) {
		jw_close(&l->j);
		return;
	}
	while (l->text.len && l->text.s[l->text.len - 1] == ' ')
		strbuf_cut(&l->text, l->text.len - 1);
	strbuf_puts(&l->text, "\n");
}

static void row2(struct list *l, const char *k1, int w1, const char *v1, const char *k2,
		 const char *v2)
{
	row_begin(l);
	field(l, k1, w1, v1);
	field(l, k2, 0, v2);
	row_end(l);
}

static void list_machines(struct list *l)
{
	char *dir = xasprintf("%s/scenarios/machine", data_dir());
	u32 nr;
	char **names = machine_names(dir, &nr);

	for (u32 i = 0; i < nr; i++) {
		struct note_list notes = { 0 };
		struct machine_desc *m = NULL;
		struct err err = { 0 };

		row_begin(l);
		field(l, "name", 20, names[i]);
		if (machine_load(names[i], dir, &m, &notes, &err)) {
			field(l, "error", 0, err.msg);
		} else {
			number(l, "cpus", 4, m->nr_cpus);
			number(l, "nodes", 2, m->nr_nodes);
			field(l, "title", 0, m->title);
		}
		row_end(l);
		machine_free(m);
		note_list_fini(&notes);
	}
	machine_names_free(names, nr);
	free(dir);
	if (!l->json)
		strbuf_puts(&l->text, "or a spec: 6+2 (little+big CPUs), 4x16 (nodes x CPUs), 8\n");
}

/* Rules of placement and balancing in which a release differs from the newest one. */
static void list_forms_of(struct list *l, u32 release)
{
	size_t line = 0;

	if (l->json)
		jw_open(&l->j, "rules", false);
	for (u32 i = 0; i < nr_form_rows; i++) {
		const struct form_row *r = &form_rows[i];

		if (l->json) {
			jw_int(&l->j, r->name, r->value[release]);
			continue;
		}
		if (r->value[release] == r->value[NR_RELEASES - 1])
			continue;
		if (!line || l->text.len - line > 76) {
			strbuf_puts(&l->text,
				    line ? "\n        " : "\n        rules unlike v6.12:");
			line = l->text.len;
		}
		strbuf_printf(&l->text, " %s=%u", r->name, r->value[release]);
	}
	if (l->json)
		jw_close(&l->j);
}

static void list_rules(struct list *l)
{
	for (u32 i = 0; i < nr_form_rows; i++) {
		const struct form_row *r = &form_rows[i];

		row_begin(l);
		field(l, "name", 18, r->name);
		field(l, "slot", 7, r->slot);
		for (u32 k = 0; k < NR_RELEASES; k++)
			number(l, release_names[k], 3, r->value[k]);
		field(l, "meaning", 0, r->what);
		row_end(l);
	}
}

static void list_kernels(struct list *l)
{
	for (u32 i = 0; i < nr_kernel_profiles; i++) {
		const struct kernel_profile *k = &kernel_profiles[i];

		row_begin(l);
		field(l, "name", 7, k->name);
		for (int s = 0; l->json && s < NR_SLOTS; s++)
			if (k->policy[s])
				field(l, policy_slot_names[s], 0, k->policy[s]);
		field(l, "summary", 0, k->summary);
		if (l->json || (k->borrowed && *k->borrowed)) {
			if (!l->json)
				strbuf_puts(&l->text, "; borrowed: ");
			field(l, "borrowed", 0, k->borrowed ? k->borrowed : "");
		}
		list_forms_of(l, i);
		row_end(l);
	}
}

static void list_policies(struct list *l)
{
	for (u32 i = 0; i < nr_builtin_policies; i++) {
		const struct sched_policy *p = builtin_policies[i];
		struct strbuf params = { 0 };

		for (const struct policy_param *q = p->params; q && q->name; q++)
			strbuf_printf(&params, "%s%s=%lld", params.len ? " " : "", q->name,
				      (long long)q->def);
		row_begin(l);
		field(l, "slot", 9, policy_slot_names[p->slot]);
		field(l, "name", 12, p->name);
		field(l, "summary", 0, p->summary);
		if (params.len && !l->json)
			strbuf_puts(&l->text, " parameters:");
		if (l->json || params.len)
			field(l, "params", 0, strbuf_str(&params));
		row_end(l);
		strbuf_fini(&params);
	}
}

/* The value of `title = "..."` near the top of a Lua scenario, "" without one. */
static void scenario_title(const char *name, char *title, size_t size)
{
	char *path = xasprintf("%s/scenarios/%s", data_dir(), name), *buf = NULL;
	size_t len;

	title[0] = '\0';
	if (!read_file(path, 1 << 20, &buf, &len, NULL)) {
		const char *p = strstr(buf, "title");

		if (p && (p = strchr(p, '"')))
			snprintf(title, size, "%.*s", (int)strcspn(p + 1, "\"\n"), p + 1);
		free(buf);
	}
	free(path);
}

static void list_scenarios(struct list *l)
{
	u32 nr;
	char **names = shipped_files("scenarios", ".lua", &nr);

	for (u32 i = 0; i < nr; i++) {
		char title[160];

		scenario_title(names[i], title, sizeof(title));
		row2(l, "name", 24, names[i], "title", title);
	}
	names_free(names, nr);
	names = shipped_files("scenarios/rtapp", ".json", &nr);
	for (u32 i = 0; i < nr; i++)
		row2(l, "name", 24, names[i], "title", "rt-app workload");
	names_free(names, nr);
}

static void list_workloads(struct list *l)
{
	static const char *const shapes[][2] = {
		{ "periodic", "runs for a share of every period" },
		{ "ramp", "duty grows or falls step by step" },
		{ "stair", "a list of duties, each for a while" },
		{ "pulse", "two duties in turn" },
		{ "sweep", "up and down again" },
	};
	static const struct {
		const char *name, *sig, *doc;
	} loads[] = {
#define WORKLOAD(name, sig, doc) { #name, sig, doc },
#include "app/lua/workloads.def"
#undef WORKLOAD
		{ "rtapp", "workload.rtapp(file)",
		  "The tasks of an rt-app file, shipped or beside the scenario. " },
	};
	u32 nr;
	char **names = shipped_files("scenarios/rtapp", ".json", &nr);

	/* Each with the first sentence of its documentation. */
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		const char *end = strstr(loads[i].doc, ". ");
		char text[200];

		snprintf(text, sizeof(text), "%.*s",
			 end ? (int)(end - loads[i].doc) : (int)sizeof(text) - 1, loads[i].doc);
		row_begin(l);
		field(l, "name", 24, loads[i].name);
		field(l, "summary", 0, text);
		if (l->json)
			field(l, "signature", 0, loads[i].sig);
		row_end(l);
	}
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		row2(l, "name", 24, shapes[i][0], "summary", shapes[i][1]);
	for (u32 i = 0; i < nr; i++)
		row2(l, "name", 24, names[i], "summary", "rt-app workload");
	names_free(names, nr);
}

static void knob_row(struct list *l, const char *name, s64 min, s64 max, const char *unit,
		     const char *help)
{
	row_begin(l);
	field(l, "name", 28, name);
	number(l, "min", 4, min);
	number(l, "max", 20, max);
	field(l, "unit", 4, unit ? unit : "");
	field(l, "help", 0, help);
	row_end(l);
}

static void list_knobs(struct list *l)
{
	for (u32 i = 0; i < nr_sim_tunables; i++) {
		const struct sim_tunable *t = &sim_tunables[i];

		knob_row(l, t->name, (s64)t->min, t->max > INT64_MAX ? INT64_MAX : (s64)t->max,
			 t->unit, t->help);
	}
	for (u32 i = 0; i < nr_builtin_policies; i++) {
		const struct sched_policy *p = builtin_policies[i];

		for (const struct policy_param *q = p->params; q && q->name; q++) {
			char name[96];

			snprintf(name, sizeof(name), "%s.%s", policy_slot_names[p->slot], q->name);
			knob_row(l, name, q->min, q->max, q->unit, q->help);
		}
	}
	if (!l->json)
		strbuf_puts(&l->text,
			    "and the knobs of a scenario: key K, or the top of its file\n");
}

/* Each view with the first sentence of its help. */
static void list_views(struct list *l)
{
	char text[160];

	for (u32 i = 0; i < NR_VIEWS; i++) {
		const char *end = strstr(views[i]->help, ". ");

		snprintf(text, sizeof(text), "%.*s",
			 end ? (int)(end - views[i]->help) : (int)sizeof(text) - 1, views[i]->help);
		row2(l, "name", 12, views[i]->name, "help", text);
	}
	row2(l, "name", 12, "overview", "help", "Several panes at once");
}

static void list_commands(struct list *l)
{
	for (u32 i = 0; i < nr_commands; i++) {
		row_begin(l);
		field(l, "name", 10, commands[i].name);
		field(l, "args", 34, commands[i].args);
		field(l, "help", 0, commands[i].help);
		if (l->json) {
			jw_text(&l->j, "area", commands[i].area);
			jw_text(&l->j, "example", commands[i].example);
			jw_bool(&l->j, "script", commands[i].who & CMD_SCRIPT);
		}
		row_end(l);
	}
}

static void list_keys(struct list *l)
{
	static const struct {
		const char *view, *key, *command, *help;
	} keys[] = {
#define KEYBIND(view, key, command, help) { view, key, command, help },
#include "ui/keymap.def"
#undef KEYBIND
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		row_begin(l);
		field(l, "view", 8, keys[i].view);
		field(l, "key", 6, keys[i].key);
		field(l, "command", 24, keys[i].command);
		field(l, "help", 0, keys[i].help);
		row_end(l);
	}
}

static void list_events(struct list *l)
{
	for (u32 i = 0; i < NR_TRACE_TYPES; i++) {
		const struct trace_event_desc *d = &trace_event_descs[i];
		const char *const names[] = { d->task, d->a, d->a_hi, d->b, d->b_hi };
		struct strbuf fields = { 0 };

		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			if (strcmp(names[k], "-"))
				strbuf_printf(&fields, "%s%s", fields.len ? " " : "", names[k]);
		row_begin(l);
		field(l, "name", 22, d->name);
		field(l, "fields", 38, strbuf_str(&fields));
		field(l, "help", 0, d->help);
		row_end(l);
		strbuf_fini(&fields);
	}
}

static void list_metrics(struct list *l)
{
	for (const struct metric_doc *m = metric_docs; m->path; m++) {
		row_begin(l);
		field(l, "path", 32, m->path);
		field(l, "unit", 8, m->unit);
		field(l, "help", 0, m->help);
		row_end(l);
	}
}

static void list_features(struct list *l)
{
	static const struct {
		const char *name, *why;
	} feats[] = {
#define SCHED_FEAT(name, on, why) { #name, why },
#include "engine/sched/features.def"
#undef SCHED_FEAT
	};

	for (size_t i = 0; i < ARRAY_SIZE(feats); i++) {
		row_begin(l);
		field(l, "kind", 12, "switch");
		field(l, "name", 28, feats[i].name);
		field(l, "help", 0, feats[i].why);
		row_end(l);
	}
	for (int pass = 0; pass < 2; pass++) {
		const struct sim_limitation *m = pass ? sim_not_modelled : sim_modelled;

		for (; m->what; m++) {
			row_begin(l);
			field(l, "kind", 12, pass ? "not modelled" : "modelled");
			field(l, "name", 28, m->what);
			field(l, "help", 0, m->how);
			row_end(l);
		}
	}
}

static const struct {
	const char *name;
	void (*fn)(struct list *l);
} kinds[] = {
	{ "machines", list_machines },	 { "kernels", list_kernels },
	{ "policies", list_policies },	 { "scenarios", list_scenarios },
	{ "workloads", list_workloads }, { "knobs", list_knobs },
	{ "views", list_views },	 { "commands", list_commands },
	{ "keys", list_keys },		 { "events", list_events },
	{ "metrics", list_metrics },	 { "features", list_features },
	{ "rules", list_rules },
};

int list_run(const struct options *opt)
{
	struct list l = { .json = opt->json };
	const char *names[ARRAY_SIZE(kinds)];
	struct err err = { 0 };
	char clean[48];

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		names[i] = kinds[i].name;
		if (strcmp(kinds[i].name, opt->topic))
			continue;
		if (l.json)
			jw_open(&l.j, NULL, true);
		kinds[i].fn(&l);
		if (l.json)
			jw_close(&l.j);

		char *text = l.json ? jw_take(&l.j) : strbuf_take(&l.text);
		int ret = output_text(opt->out, text, &err);

		free(text);
		jw_fini(&l.j);
		strbuf_fini(&l.text);
		return ret ? output_error(&err) : EXIT_DONE;
	}

	const char *near = suggest(opt->topic, names, ARRAY_SIZE(kinds));

	text_clean(clean, sizeof(clean), opt->topic);
	err_set(&err, ERR_USAGE,
		"there is no kind '%s'; %s%s%s machines kernels policies scenarios workloads knobs "
		"views commands keys events metrics features rules are known",
		clean, near ? "did you mean '" : "", near ? near : "", near ? "'?" : "");
	return output_error(&err);
}
