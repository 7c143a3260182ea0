/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd_cpu.c - commands about CPUs: off and on, and who keeps house for the others.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/settings.h"

#include <stdlib.h>
#include <string.h>

int cmd_cpu(struct cmd_call *c)
{
	struct app *app = c->app;
	struct sim_input in = { .kind = INPUT_CPU_ONLINE };

	if (!app->sim)
		return err_set(c->err, ERR_USAGE, "nothing is loaded");
	if (parse_count(c->argv[0], 0, (s64)app->sim->g->nr_cpus - 1, &in.a, "CPU", c->err))
		return -1;
	in.b = !strcmp(c->argv[1], "online");
	if (app_input(app, &in, NULL, c->err))
		return -1;
	command_lua(c, "cpu(%lld):%s()", (long long)in.a, in.b ? "online" : "offline");
	return 0;
}

int cmd_housekeeping(struct cmd_call *c)
{
	struct app *app = c->app;
	struct sim_input in = { .kind = INPUT_HOUSEKEEPING };
	u64 *words;
	int ret;

	if (!app->sim)
		return err_set(c->err, ERR_USAGE, "nothing is loaded");
	if (parse_cpus(c->argv[0], app->sim->g->nr_cpus, &words, c->err))
		return -1;
	in.words = words;
	ret = app_input(app, &in, NULL, c->err);
	free(words);
	if (!ret)
		command_lua(c, "sched.housekeeping(\"%s\")", c->argv[0]);
	return ret;
}
