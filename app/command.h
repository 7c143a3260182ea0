/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command.h - one command table behind keys, the `:` prompt, -e, scripts and tests.
 *
 * Whatever a user can do is a command line; a command that changes the simulation also shows the
 * line of Lua that does the same. Rows: commands.def. Functions: cmd_*.c.
 */
#ifndef SG_APP_COMMAND_H
#define SG_APP_COMMAND_H

#include "app/strbuf.h"
#include "engine/base/err.h"

struct app;

/* Who may give a command, and who did. */
#define CMD_USER 1u
#define CMD_SCRIPT 2u
#define CMD_SESSION 4u

#define CMD_ARGS_MAX 12

struct cmd_call {
	struct app *app;
	const struct command *cmd;
	unsigned who; /* one of CMD_USER, CMD_SCRIPT, CMD_SESSION */
	int argc; /* arguments, the command's name not counted */
	char *argv[CMD_ARGS_MAX];
	struct strbuf *out; /* what it has to say, lines of text */
	struct err *err;
};

struct command {
	const char *name, *args;
	int min, max;
	bool rest; /* takes the rest of the line as one argument */
	unsigned who;
	const char *area, *help, *example;
	int (*run)(struct cmd_call *c); /* 0 or -1 with c->err */
};

extern const struct command commands[];
extern const u32 nr_commands;

/* command_find - by exact name, NULL if there is none. */
const struct command *command_find(const char *name, size_t len);

/*
 * command_run - parse and run one line for @who; empty lines and lines of # do nothing. Words are
 * separated by blanks; '...' and "..." keep them together. What the command says is added to @out.
 * Returns 0, or -1 with @err (what was found, what is allowed, the nearest name).
 */
int command_run(struct app *app, const char *line, unsigned who, struct strbuf *out,
		struct err *err);

/* Does the line begin with the name of a command? What does not is Lua at the prompt. */
bool command_is(const char *line);
/* command_unknown - say in @err that the @len bytes at @name are no command, and what may be meant; -1. */
int command_unknown(const char *name, size_t len, struct err *err);

/*
 * command_complete - what could stand at the word that ends at byte @cursor of @line: at most @max
 * candidates of @size bytes each into @cands. Returns their number; *@start gets where the word begins.
 */
int command_complete(const struct app *app, const char *line, int cursor, int *start, char *cands,
		     size_t size, int max);

/* command_usage - "spawn NAME DUTY% ... - a periodic task" with its example, as lines. */
void command_usage(const struct command *cmd, struct strbuf *out);

/* command_lua - show the line of Lua that does what was just done. */
void command_lua(struct cmd_call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The functions of the rows; cmd_ui() has several. */
#define CMD(id, name, args, min, max, who, area, help, example) int cmd_##id(struct cmd_call *c);
#include "app/commands.def"
#undef CMD

#endif
