/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd_file.c - commands that touch files, and those about the scenario: Lua, about, expect.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/export_trace.h"
#include "app/fgraph.h"
#include "app/looks.h"
#include "app/output.h"
#include "app/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_screenshot(struct cmd_call *c)
{
	size_t n = strlen(c->argv[0]);
	bool ansi = n > 4 && !strcmp(c->argv[0] + n - 4, ".ans");
	char *text;
	int ret;

	if (!c->app->ui)
		return err_set(c->err, ERR_USAGE, "'screenshot' needs a screen");
	text = looks_frame(c->app, ansi);
	ret = output_text(c->argv[0], text, c->err);
	free(text);
	if (!ret)
		strbuf_printf(c->out, "screen written to %s\n", c->argv[0]);
	return ret;
}

int cmd_metrics(struct cmd_call *c)
{
	struct run_report r = { 0 };
	char *text;
	int ret;

	if (!c->app->sim)
		return err_set(c->err, ERR_USAGE, "nothing is loaded");
	text = summary_json(c->app, &r);
	ret = output_text(c->argv[0], text, c->err);
	free(text);
	if (!ret)
		strbuf_printf(c->out, "metrics written to %s\n", c->argv[0]);
	return ret;
}

int cmd_trace(struct cmd_call *c)
{
	if (!c->app->sim)
		return err_set(c->err, ERR_USAGE, "nothing is loaded");
	if (export_trace_dump(c->app->sim, c->argv[0], c->err))
		return -1;
	strbuf_printf(c->out, "%llu events written to %s\n",
		      (unsigned long long)trace_count(&c->app->sim->trace), c->argv[0]);
	return 0;
}

int cmd_graph(struct cmd_call *c)
{
	struct sim *s = c->app->sim;
	cpu_id cpu = NONE;
	char *end;

	if (!s)
		return err_set(c->err, ERR_USAGE, "nothing is loaded");
	if (c->argc) {
		unsigned long n = strtoul(c->argv[0], &end, 10);

		if (*end || end == c->argv[0] || n >= s->g->nr_cpus)
			return err_set(c->err, ERR_USAGE, "graph: '%.20s' is no CPU of 0-%u",
				       c->argv[0], s->g->nr_cpus - 1);
		cpu = (cpu_id)n;
	}
	if (!fgraph_last(s, &cpu, c->out))
		return err_set(c->err, ERR_USAGE,
			       "no balancing pass that took time is among the newest events%s",
			       s->g->tun.costs ? "" : ": costs are off (set costs 1)");
	return 0;
}

int cmd_source(struct cmd_call *c)
{
	return run_lua_file(c->app, c->argv[0], c->err);
}

int cmd_reload(struct cmd_call *c)
{
	c->app->want_restart = true;
	return 0;
}

int cmd_expect(struct cmd_call *c)
{
	size_t before = c->out->len;

	if (check_expects(c->app, c->err) < 0)
		return -1;
	text_expects(c->out, c->app);
	if (c->out->len == before)
		strbuf_puts(c->out, "the scenario expects nothing\n");
	return 0;
}

int cmd_about(struct cmd_call *c)
{
	const struct scenario *sc = &c->app->sc;

	strbuf_printf(c->out, "%s%s%s\n%s\n", sc->name ? sc->name : "nothing is loaded",
		      sc->title ? ": " : "", sc->title ? sc->title : "",
		      sc->about ? sc->about : "");
	return 0;
}

int cmd_lua(struct cmd_call *c)
{
	return run_lua(c->app, c->argv[0], c->err);
}
