/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd_view.c - commands of the screen: passed on to ui/, and the looks.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/looks.h"
#include "ui/ui.h"

#include <string.h>

int cmd_ui(struct cmd_call *c)
{
	char *argv[CMD_ARGS_MAX + 2], name[16];
	int argc = 0;

	if (!c->app->ui)
		return err_set(c->err, ERR_USAGE, "'%s' needs a screen", c->cmd->name);
	strncpy(name, c->cmd->name, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	argv[argc++] = name;
	for (int i = 0; i < c->argc; i++)
		argv[argc++] = c->argv[i];
	argv[argc] = NULL;
	c->app->dirty = true;
	return ui_command(c->app->ui, c->app->sim, argc, argv, c->err);
}

int cmd_glyphs(struct cmd_call *c)
{
	return looks_glyphs(c->app, c->argv[0], c->err);
}

int cmd_colour(struct cmd_call *c)
{
	return looks_colour(c->app, c->argv[0], c->err);
}
