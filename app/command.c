/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command.c - splits a command line, finds its row, checks it, calls its function.
 */
#include "app/command.h"

#include "app/app.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LIMIT 4096

#define U CMD_USER
#define S CMD_SCRIPT
#define N CMD_SESSION
const struct command commands[] = {
#define CMD(id, name, args, min, max, who, area, help, example)                                    \
	{ name, args,  min,  max,     !(max) && (min || sizeof(args) > 1),                         \
	  who,	#area, help, example, cmd_##id },
#include "app/commands.def"
#undef CMD
};
#undef U
#undef S
#undef N
const u32 nr_commands = ARRAY_SIZE(commands);

const struct command *command_find(const char *name, size_t len)
{
	for (u32 i = 0; i < nr_commands; i++)
		if (strlen(commands[i].name) == len && !memcmp(commands[i].name, name, len))
			return &commands[i];
	return NULL;
}

static const char *skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

static size_t word_length(const char *s)
{
	return strcspn(s, " \t");
}

bool command_is(const char *line)
{
	const char *s = skip_blanks(line);
	size_t len = word_length(s);

	if (!len || *s == '#' || !command_find(s, len))
		return false;

	/* "set = 5" and "policy.use(...)" are Lua. */
	s = skip_blanks(s + len);
	return *s != '=' && *s != '(';
}

int command_unknown(const char *name, size_t len, struct err *err)
{
	static const char *const of_shell[] = {
		"bench", "compare", "list", "pelt", "sweep", "topo"
	};
	const char *names[ARRAY_SIZE(commands)];
	char word[48], clean[48];
	const char *near;

	snprintf(word, sizeof(word), "%.*s", (int)(len < 47 ? len : 47), name);
	text_clean(clean, sizeof(clean), word);
	for (size_t i = 0; i < ARRAY_SIZE(of_shell); i++)
		if (!strcmp(word, of_shell[i]))
			return err_set(err, ERR_USAGE,
				       "'%s' is for the shell: schedground %s --help says more",
				       word, word);
	for (u32 i = 0; i < nr_commands; i++)
		names[i] = commands[i].name;
	near = suggest(word, names, nr_commands);
	if (near)
		return err_set(err, ERR_USAGE, "there is no command '%s'; did you mean '%s'?",
			       clean, near);
	return err_set(err, ERR_USAGE, "there is no command '%s'; 'help' lists all", clean);
}

/* Next word of *@s into *@out (heap); quotes keep blanks. 0 at the end, -1 for an open quote. */
static int next_word(const char **s, char **out, struct err *err)
{
	const char *p = skip_blanks(*s);
	char *w;
	size_t n = 0;

	if (!*p)
		return 0;
	w = xcalloc(strlen(p) + 1, 1);
	while (*p && *p != ' ' && *p != '\t') {
		if (*p != '"' && *p != '\'') {
			w[n++] = *p++;
			continue;
		}

		const char *end = strchr(p + 1, *p);

		if (!end) {
			free(w);
			return err_set(err, ERR_USAGE, "a %c is never closed", *p);
		}
		memcpy(w + n, p + 1, (size_t)(end - p - 1));
		n += (size_t)(end - p - 1);
		p = end + 1;
	}
	*s = p;
	*out = w;
	return 1;
}

static int wrong_count(const struct command *cmd, int argc, struct err *err)
{
	return err_set(err, ERR_USAGE, "'%s' takes %s, not %d argument%s; e.g. %s", cmd->name,
		       *cmd->args ? cmd->args : "no arguments", argc, argc == 1 ? "" : "s",
		       cmd->example);
}

static int split_args(struct cmd_call *c, const char *s)
{
	if (c->cmd->rest) {
		s = skip_blanks(s);
		if (*s)
			c->argv[c->argc++] = xstrdup(s);
		else if (c->cmd->min)
			return wrong_count(c->cmd, 0, c->err);
		return 0;
	}
	for (;;) {
		char *word = NULL;
		int got = next_word(&s, &word, c->err);

		if (got < 0)
			return -1;
		if (!got)
			break;
		if (c->argc == CMD_ARGS_MAX) {
			free(word);
			return wrong_count(c->cmd, CMD_ARGS_MAX + 1, c->err);
		}
		c->argv[c->argc++] = word;
	}
	if (c->argc < c->cmd->min || c->argc > c->cmd->max)
		return wrong_count(c->cmd, c->argc, c->err);
	return 0;
}

static const char *who_text(unsigned who)
{
	return who & CMD_SCRIPT ? "a script" : who & CMD_SESSION ? "a session" : "a user";
}

int command_run(struct app *app, const char *line, unsigned who, struct strbuf *out,
		struct err *err)
{
	const char *s = skip_blanks(line);
	size_t len = word_length(s);
	struct cmd_call c = { .app = app, .who = who, .out = out, .err = err };
	int ret;

	if (!len || *s == '#')
		return 0;
	if (strlen(s) > LINE_LIMIT)
		return err_set(err, ERR_LIMIT, "a command line is at most %d bytes long",
			       LINE_LIMIT);
	c.cmd = command_find(s, len);
	if (!c.cmd)
		return command_unknown(s, len, err);
	if (!(c.cmd->who & who))
		return err_set(err, ERR_USAGE, "'%s' is not for %s: it touches files or the screen",
			       c.cmd->name, who_text(who));
	ret = split_args(&c, s + len);
	if (!ret)
		ret = c.cmd->run(&c);
	for (int i = 0; i < c.argc; i++)
		free(c.argv[i]);
	return ret;
}

void command_usage(const struct command *cmd, struct strbuf *out)
{
	strbuf_printf(out, "%s%s%s - %s\n    e.g. %s\n", cmd->name, *cmd->args ? " " : "",
		      cmd->args, cmd->help, cmd->example);
}

void command_lua(struct cmd_call *c, const char *fmt, ...)
{
	struct strbuf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&b, fmt, ap);
	va_end(ap);
	app_log(c->app, LOG_LUA, "%s", strbuf_str(&b));
	strbuf_fini(&b);
}
