/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * help.c - help out of the tables: subcommands, commands, policies, tunables, metrics, trace events.
 */
#include "app/help.h"

#include "app/app.h"
#include "app/command.h"
#include "app/lua/script.h"
#include "app/metrics.h"
#include "app/options.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"
#include "engine/sim.h"
#include "ui/ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const areas[] = { "sim", "policy", "task", "view", "file", "misc" };

static void list_area(const char *area, struct strbuf *out)
{
	for (u32 i = 0; i < nr_commands; i++) {
		char left[80];

		if (strcmp(commands[i].area, area))
			continue;
		snprintf(left, sizeof(left), "%s %s", commands[i].name, commands[i].args);
		strbuf_printf(out, "  %-34s %s\n", left, commands[i].help);
	}
}

static bool tables(const char *topic, struct strbuf *out)
{
	size_t before = out->len, n = strlen(topic);
	const struct command *cmd = command_find(topic, n);
	const char *sig, *doc;

	if (cmd)
		command_usage(cmd, out);
	for (size_t i = 0; i < ARRAY_SIZE(areas); i++)
		if (!strcmp(areas[i], topic) && !cmd)
			list_area(topic, out);
	for (u32 i = 0; i < nr_builtin_policies; i++) {
		const struct sched_policy *p = builtin_policies[i];

		if (strcmp(p->name, topic) && strcmp(policy_slot_names[p->slot], topic))
			continue;
		strbuf_printf(out, "%s %s - %s\n", policy_slot_names[p->slot], p->name, p->summary);
		if (!strcmp(p->name, topic) && p->doc)
			strbuf_printf(out, "    %s\n", p->doc);
	}
	for (u32 i = 0; i < nr_kernel_profiles; i++)
		if (!strcmp(kernel_profiles[i].name, topic))
			strbuf_printf(out, "kernel %s - %s\n", topic, kernel_profiles[i].summary);
	for (u32 i = 0; i < nr_sim_tunables; i++)
		if (!strcmp(sim_tunables[i].name, topic))
			strbuf_printf(out, "tunable %s%s%s - %s\n", topic,
				      *sim_tunables[i].unit ? ", " : "", sim_tunables[i].unit,
				      sim_tunables[i].help);
	for (u32 i = 0; i < NR_TRACE_TYPES; i++)
		if (!strcmp(trace_event_descs[i].name, topic))
			strbuf_printf(out, "event %s - %s\n", topic, trace_event_descs[i].help);
	for (const struct metric_doc *m = metric_docs; m->path; m++)
		if (!strncmp(m->path, topic, n) && (!m->path[n] || m->path[n] == '.'))
			strbuf_printf(out, "metric %s (%s) - %s\n", m->path, m->unit, m->help);
	if (script_help(topic, &sig, &doc))
		strbuf_printf(out, "Lua: %s - %s\n", sig, doc);
	return out->len > before;
}

static int unknown_topic(const char *topic, struct err *err)
{
	const char *names[256];
	char clean[48];
	size_t nr = 0;
	const char *near;

	for (u32 i = 0; i < nr_commands && nr < 100; i++)
		names[nr++] = commands[i].name;
	for (u32 i = 0; i < nr_builtin_policies && nr < 150; i++)
		names[nr++] = builtin_policies[i]->name;
	for (u32 i = 0; i < nr_sim_tunables && nr < 200; i++)
		names[nr++] = sim_tunables[i].name;
	for (u32 i = 0; i < NR_SLOTS; i++)
		names[nr++] = policy_slot_names[i];
	for (size_t i = 0; i < ARRAY_SIZE(areas); i++)
		names[nr++] = areas[i];
	near = suggest(topic, names, nr);
	text_clean(clean, sizeof(clean), topic);
	return err_set(err, ERR_USAGE, "there is no help on '%s'; %s%s%s", clean,
		       near ? "did you mean '" : "'help' lists the topics", near ? near : "",
		       near ? "'?" : "");
}

int help_text(const char *topic, struct strbuf *out, struct err *err)
{
	if (topic)
		return tables(topic, out) ? 0 : unknown_topic(topic, err);
	for (size_t i = 0; i < ARRAY_SIZE(areas); i++) {
		strbuf_printf(out, "%s:\n", areas[i]);
		list_area(areas[i], out);
	}
	strbuf_puts(out, "Anything else is Lua. 'help NAME' explains a command, policy, slot, "
			 "tunable, metric or event.\n");
	return 0;
}

static bool is_subcommand(const char *topic)
{
	for (u32 i = 0; subcommand_names[i]; i++)
		if (!strcmp(subcommand_names[i], topic))
			return strcmp(topic, "help") != 0;
	return false;
}

int help_print(const char *topic, struct err *err)
{
	struct strbuf out = { 0 };
	int ret;

	if (!topic || is_subcommand(topic)) {
		ret = options_help(topic, err);
		if (!topic)
			printf("\nCommands, for -e and the ':' prompt ('schedground help COMMAND' "
			       "tells more):\n");
		if (topic)
			return ret;
		for (u32 i = 0; i < nr_commands; i++)
			printf("%s%s", i ? " " : "  ", commands[i].name);
		printf("\n\nExit status: 0 done, 1 an expectation failed, 2 bad input, 3 a script "
		       "failed,\n4 not deterministic or an invariant broke, 5 a limit was reached, "
		       "130 interrupted.\n");
		return ret;
	}
	ret = help_text(topic, &out, err);
	fputs(strbuf_str(&out), stdout);
	strbuf_fini(&out);
	return ret;
}

int cmd_help(struct cmd_call *c)
{
	char name[] = "help", *argv[] = { name, NULL };

	if (!c->argc && c->app->ui)
		return ui_command(c->app->ui, c->app->sim, 1, argv, c->err);
	return help_text(c->argc ? c->argv[0] : NULL, c->out, c->err);
}
