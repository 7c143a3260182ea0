/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd_policy.c - commands that change the rules: policies, parameters, tunables, knobs, frequency caps.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/settings.h"
#include "app/text.h"
#include "app/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_policy(struct cmd_call *c)
{
	if (use_policy(c->app, c->argv[0], c->argv[1], c->err))
		return -1;
	command_lua(c, "policy.use(\"%s\", \"%s\")", c->argv[0], c->argv[1]);
	return 0;
}

int cmd_set(struct cmd_call *c)
{
	bool restart = false;

	if (change_setting(c->app, c->argv[0], c->argv[1], &restart, c->err))
		return -1;
	if (restart)
		strbuf_printf(c->out, "%s has no live effect: the scenario restarts\n", c->argv[0]);
	else
		command_lua(c, "policy.set(\"%s\", %s)", c->argv[0], c->argv[1]);
	return 0;
}

int cmd_knob(struct cmd_call *c)
{
	bool restart = false;

	if (change_knob(c->app, c->argv[0], c->argv[1], &restart, c->err))
		return -1;
	if (restart)
		strbuf_printf(c->out, "knob %s has no change function: the scenario restarts\n",
			      c->argv[0]);
	else
		command_lua(c, "knob.%s = %s", c->argv[0], c->argv[1]);
	return 0;
}

int cmd_cap(struct cmd_call *c)
{
	struct app *app = c->app;
	s64 fd;
	u64 khz = 0;

	if (!app->sim)
		return err_set(c->err, ERR_USAGE, "nothing is loaded");
	if (parse_count(c->argv[0], 0, (s64)app->sim->g->nr_fds - 1, &fd, "frequency domain",
			c->err))
		return -1;
	if (strcmp(c->argv[1], "none") && parse_freq(c->argv[1], strlen(c->argv[1]), &khz, c->err))
		return -1;

	struct sim_input in = { .kind = INPUT_FREQ_CAP, .a = fd, .b = (s64)khz };

	if (app_input(app, &in, NULL, c->err))
		return -1;
	command_lua(c, "domain(%lld):cap(%s%s%s)", (long long)fd, khz ? "\"" : "",
		    khz ? c->argv[1] : "nil", khz ? "\"" : "");
	return 0;
}
