/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd_group.c - the command on task groups: making, limiting, filling them.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/settings.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/units.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/partition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of the group @name; -1 with an error that suggests one. */
static s64 find_group(struct cmd_call *c, const char *name)
{
	const struct sim *s = c->app->sim;
	u32 tg = sim_find_group(s, name);
	const char *names[64], *near;
	size_t nr = 0;
	char clean[64];

	if (tg != NONE)
		return tg;
	for (u32 g = 1; g < arena_len(&s->arena, POOL_GROUP) && nr < ARRAY_SIZE(names); g++)
		names[nr++] = s->texts[s->groups[g].name].s;
	text_clean(clean, sizeof(clean), name);
	near = suggest(name, names, nr);
	return near ? err_set(c->err, ERR_USAGE, "there is no group '%s'; did you mean '%s'?",
			      clean, near)
		    : err_set(c->err, ERR_USAGE, "there is no group '%s'; 'group %s new' makes it",
			      clean, clean);
}

/* The group and those around it that are missing. */
static int make_group(struct cmd_call *c, const char *path)
{
	struct sim_input in = { .kind = INPUT_GROUP_NEW, .b = 1024 };
	char part[64], clean[64];
	size_t len = strlen(path);

	text_clean(clean, sizeof(clean), path);
	if (path[0] != '/' || len > 60 || strstr(path, "//") || path[len - 1] == '/')
		return err_set(
			c->err, ERR_USAGE,
			"'%s' is no name of a group: /background or /user/web, at most 60 bytes",
			clean);
	if (sim_find_group(c->app->sim, path) != NONE)
		return err_set(c->err, ERR_USAGE, "there is a group '%s' already", clean);
	for (size_t i = 1; i <= len; i++) {
		u32 tg;

		if (path[i] && path[i] != '/')
			continue;
		snprintf(part, sizeof(part), "%.*s", (int)i, path);
		tg = sim_find_group(c->app->sim, part);
		if (tg == NONE) {
			in.text = part;
			if (app_input(c->app, &in, NULL, c->err))
				return -1;
			tg = sim_find_group(c->app->sim, part);
		}
		in.a = tg;
	}
	command_lua(c, "group(\"%s\")", path);
	return 0;
}

/* QUOTA[/PERIOD] [BURST], or max. */
static int parse_max(struct cmd_call *c, struct sim_input *in, char *lua, size_t size)
{
	const char *text = c->argv[2], *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	u64 quota, period = BANDWIDTH_PERIOD_DEFAULT, burst = 0;

	in->kind = INPUT_GROUP_MAX;
	in->c = BANDWIDTH_PERIOD_DEFAULT;
	if (!strcmp(text, "max") || !strcmp(text, "none")) {
		in->b = -1;
		snprintf(lua, size, "set_max(\"max\")");
		return c->argc == 3 ? 0 : err_set(c->err, ERR_USAGE, "a burst needs a quota");
	}
	if (parse_time(text, len, &quota, c->err) ||
	    (slash && parse_time(slash + 1, strlen(slash + 1), &period, c->err)) ||
	    (c->argc > 3 && parse_time(c->argv[3], strlen(c->argv[3]), &burst, c->err)))
		return -1;
	in->b = (s64)quota;
	in->c = (s64)period;
	in->serial = burst;
	snprintf(lua, size, c->argc > 3 ? "set_max(%llu, %llu, %llu)" : "set_max(%llu, %llu)",
		 (unsigned long long)quota, (unsigned long long)period, (unsigned long long)burst);
	return 0;
}

static int parse_on(struct cmd_call *c, s64 *on)
{
	char clean[40];

	*on = !strcmp(c->argv[2], "on");
	if (*on || !strcmp(c->argv[2], "off"))
		return 0;
	text_clean(clean, sizeof(clean), c->argv[2]);
	return err_set(c->err, ERR_USAGE, "'%s' is neither on nor off", clean);
}

static int parse_partition(struct cmd_call *c, s64 *kind)
{
	const char *near;
	char clean[40];

	for (*kind = 0; *kind < NR_PARTITION_KINDS; ++*kind)
		if (!strcmp(c->argv[2], partition_names[*kind]))
			return 0;
	text_clean(clean, sizeof(clean), c->argv[2]);
	near = suggest(c->argv[2], partition_names, NR_PARTITION_KINDS);
	return err_set(c->err, ERR_USAGE,
		       "there is no partition '%s'%s%s%s: member, root and isolated are possible",
		       clean, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

enum group_verb {
	GV_NEW,
	GV_MAX,
	GV_SHARES,
	GV_UCLAMP,
	GV_IDLE,
	GV_CPUS,
	GV_PARTITION,
	GV_ADD,
	NR_GROUP_VERBS
};
static const struct {
	const char *name;
	int least, most; /* words of the command */
	const char *usage;
} verbs[NR_GROUP_VERBS] = {
	[GV_NEW] = { "new", 2, 2, "group NAME new" },
	[GV_MAX] = { "max", 3, 4, "group NAME max QUOTA/PERIOD [BURST], or max" },
	[GV_SHARES] = { "shares", 3, 3, "group NAME shares N" },
	[GV_UCLAMP] = { "uclamp", 4, 4, "group NAME uclamp MIN MAX" },
	[GV_IDLE] = { "idle", 3, 3, "group NAME idle on|off" },
	[GV_CPUS] = { "cpus", 3, 3, "group NAME cpus LIST, or all" },
	[GV_PARTITION] = { "partition", 3, 3, "group NAME partition member|root|isolated" },
	[GV_ADD] = { "add", 3, 3, "group NAME add TASK" },
};

static int parse_verb(struct cmd_call *c)
{
	const char *names[NR_GROUP_VERBS], *near;
	char clean[40];

	for (int v = 0; v < NR_GROUP_VERBS; v++) {
		names[v] = verbs[v].name;
		if (strcmp(verbs[v].name, c->argv[1]) != 0)
			continue;
		if (c->argc < verbs[v].least || c->argc > verbs[v].most)
			return err_set(c->err, ERR_USAGE, "this is %s", verbs[v].usage);
		return v;
	}
	text_clean(clean, sizeof(clean), c->argv[1]);
	near = suggest(c->argv[1], names, NR_GROUP_VERBS);
	return err_set(
		c->err, ERR_USAGE,
		"groups know no '%s'%s%s%s: new, max, shares, uclamp, idle, cpus, partition and add",
		clean, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int cmd_group(struct cmd_call *c)
{
	struct sim_input in = { 0 };
	u64 *words = NULL;
	char lua[120];
	int verb, ret;

	if (!c->app->sim)
		return err_set(c->err, ERR_USAGE, "nothing is loaded");
	verb = parse_verb(c);
	if (verb < 0)
		return -1;
	if (verb == GV_NEW)
		return make_group(c, c->argv[0]);
	in.a = find_group(c, c->argv[0]);
	if (in.a < 0)
		return -1;
	switch (verb) {
	case GV_MAX:
		if (parse_max(c, &in, lua, sizeof(lua)))
			return -1;
		break;
	case GV_SHARES:
		in.kind = INPUT_GROUP_SHARES;
		if (parse_count(c->argv[2], 2, 262144, &in.b, "shares", c->err))
			return -1;
		snprintf(lua, sizeof(lua), "set_shares(%lld)", (long long)in.b);
		break;
	case GV_UCLAMP:
		in.kind = INPUT_GROUP_UCLAMP;
		if (parse_count(c->argv[2], 0, 1024, &in.b, "clamp", c->err) ||
		    parse_count(c->argv[3], 0, 1024, &in.c, "upper clamp", c->err))
			return -1;
		snprintf(lua, sizeof(lua), "set_uclamp(%lld, %lld)", (long long)in.b,
			 (long long)in.c);
		break;
	case GV_IDLE:
		in.kind = INPUT_GROUP_IDLE;
		if (parse_on(c, &in.b))
			return -1;
		snprintf(lua, sizeof(lua), "set_idle(%s)", in.b ? "true" : "false");
		break;
	case GV_CPUS:
		in.kind = INPUT_GROUP_CPUS;
		if (strcmp(c->argv[2], "all") != 0) {
			if (parse_cpus(c->argv[2], c->app->sim->g->nr_cpus, &words, c->err))
				return -1;
			in.words = words;
		}
		snprintf(lua, sizeof(lua), words ? "set_cpus(\"%.60s\")" : "set_cpus()",
			 c->argv[2]);
		break;
	case GV_PARTITION:
		in.kind = INPUT_GROUP_PARTITION;
		if (parse_partition(c, &in.b))
			return -1;
		snprintf(lua, sizeof(lua), "set_partition(\"%s\")", partition_names[in.b]);
		break;
	default: /* GV_ADD */
		in.kind = INPUT_SET_GROUP;
		if (find_task(c->app, c->argv[2], &in.serial, c->err) ||
		    app_input(c->app, &in, NULL, c->err))
			return -1;
		if (c->argv[2][0] != '#')
			command_lua(c, "sched.task[\"%s\"]:set_group(\"%s\")", c->argv[2],
				    c->argv[0]);
		return 0;
	}
	ret = app_input(c->app, &in, NULL, c->err);
	free(words);
	if (!ret)
		command_lua(c, "group(\"%s\"):%s", c->argv[0], lua);
	return ret;
}
