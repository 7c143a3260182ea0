/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * complete.c - what could stand at the cursor of a command line, out of the rows' argument texts.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/lua/script.h"
#include "app/machine.h"
#include "app/scenario.h"
#include "app/xalloc.h"
#include "ui/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cands {
	const char *prefix;
	size_t len;
	char *out;
	size_t size;
	int nr, max;
};

static void offer(struct cands *k, const char *word)
{
	if (k->nr == k->max || strncmp(word, k->prefix, k->len) || strlen(word) + 1 > k->size)
		return;
	for (int i = 0; i < k->nr; i++)
		if (!strcmp(k->out + (size_t)i * k->size, word))
			return;
	snprintf(k->out + (size_t)k->nr++ * k->size, k->size, "%s", word);
}

static int slot_of(const char *name, size_t len)
{
	for (int i = 0; i < NR_SLOTS; i++)
		if (strlen(policy_slot_names[i]) == len && !memcmp(policy_slot_names[i], name, len))
			return i;
	return -1;
}

static void offer_policies(struct cands *k, const struct app *app, int slot)
{
	const struct sim *s = app->sim;

	for (u32 i = 0; s && i < s->nr_registry; i++)
		if (slot < 0 || s->registry[i]->slot == (enum policy_slot)slot)
			offer(k, s->registry[i]->name);
}

static void offer_settings(struct cands *k, const struct app *app)
{
	for (u32 i = 0; i < nr_sim_tunables; i++)
		offer(k, sim_tunables[i].name);
	for (int slot = 0; app->sim && slot < NR_SLOTS; slot++) {
		const struct policy_param *p = app->sim->policy[slot]->params;
		char name[64];

		for (; p && p->name; p++) {
			snprintf(name, sizeof(name), "%s.%s", policy_slot_names[slot], p->name);
			offer(k, name);
		}
	}
}

static void offer_knobs(struct cands *k, const struct app *app)
{
	struct knob_view v;

	for (u32 i = 0; knob_get(app, i, &v); i++)
		offer(k, v.name);
}

static void offer_machines(struct cands *k)
{
	char *dir = xasprintf("%s/scenarios/machine", data_dir());
	u32 nr;
	char **names = machine_names(dir, &nr);

	for (u32 i = 0; i < nr; i++)
		offer(k, names[i]);
	machine_names_free(names, nr);
	free(dir);
}

/* Candidates for one placeholder; @prev is the argument before it. */
static void offer_kind(struct cands *k, const struct app *app, const char *kind, const char *prev,
		       size_t prev_len)
{
	const struct sim *s = app->sim;

	if (!strcmp(kind, "SLOT")) {
		for (int i = 0; i < NR_SLOTS; i++)
			offer(k, policy_slot_names[i]);
	} else if (!strcmp(kind, "POLICY")) {
		offer_policies(k, app, prev ? slot_of(prev, prev_len) : -1);
	} else if (!strcmp(kind, "SETTING")) {
		offer_settings(k, app);
		offer_knobs(k, app);
	} else if (!strcmp(kind, "KNOB")) {
		offer_knobs(k, app);
	} else if (!strcmp(kind, "PROFILE")) {
		for (u32 i = 0; i < nr_kernel_profiles; i++)
			offer(k, kernel_profiles[i].name);
	} else if (!strcmp(kind, "MACHINE")) {
		offer_machines(k);
	} else if (!strcmp(kind, "VIEW")) {
		for (u32 i = 0; i < NR_VIEWS; i++)
			offer(k, views[i]->name);
		offer(k, "overview");
	} else if (!strcmp(kind, "TASK") && s) {
		for_each_live(p, &s->arena, POOL_TASK) if (!(s->tasks[p].flags & PF_KTHREAD))
			offer(k, s->tasks[p].comm);
	} else if (!strcmp(kind, "GROUP") && s) {
		for (u32 g = 1; g < arena_len(&s->arena, POOL_GROUP); g++)
			offer(k, s->texts[s->groups[g].name].s);
	} else if (!strcmp(kind, "CPUS") || !strcmp(kind, "CPU")) {
		char number[16];

		if (kind[3])
			offer(k, "all");
		for (u32 c = 0; s && c < s->g->nr_cpus && c < 64; c++) {
			snprintf(number, sizeof(number), "%u", c);
			offer(k, number);
		}
	} else if (!strcmp(kind, "DOMAIN")) {
		char number[16];

		for (u32 d = 0; s && d < s->g->nr_fds && d < 64; d++) {
			snprintf(number, sizeof(number), "%u", d);
			offer(k, number);
		}
	} else if (!strcmp(kind, "TOPIC")) {
		for (u32 i = 0; i < nr_commands; i++)
			offer(k, commands[i].name);
	}
}

/* The @n-th word of an argument text, with brackets taken off; false past its end. */
static bool arg_word(const char *args, int n, char *buf, size_t size)
{
	const char *s = args;

	for (int i = 0; *s; i++) {
		size_t len = strcspn(s, " ");

		if (i == n) {
			snprintf(buf, size, "%.*s", (int)len, s);
			while (buf[0] == '[')
				memmove(buf, buf + 1, strlen(buf));
			buf[strcspn(buf, "]")] = '\0';
			return true;
		}
		s += len;
		while (*s == ' ')
			s++;
	}
	return false;
}

static void offer_lua(void *ctx, const char *name)
{
	offer(ctx, name);
}

/* Names of the scenario language for the word that ends the line. */
static void complete_lua(struct cands *k, const struct app *app, const char *head, int cursor,
			 int *start)
{
	int at = cursor;

	while (at > 0 &&
	       (strchr("._:", head[at - 1]) || (head[at - 1] >= '0' && head[at - 1] <= '9') ||
		(head[at - 1] >= 'a' && head[at - 1] <= 'z') ||
		(head[at - 1] >= 'A' && head[at - 1] <= 'Z')))
		at--;
	*start = at;
	k->prefix = head + at;
	k->len = strlen(k->prefix);
	if (app->script)
		script_names(app->script, offer_lua, k);
}

int command_complete(const struct app *app, const char *line, int cursor, int *start, char *cands,
		     size_t size, int max)
{
	struct cands k = { .out = cands, .size = size, .max = max };
	char *head = xstrndup(line, (size_t)cursor);
	char *word[CMD_ARGS_MAX + 2];
	int nr = 0, begin = 0;

	for (char *p = head; *p && nr < CMD_ARGS_MAX + 1;) {
		while (*p == ' ')
			p++;
		if (!*p)
			break;
		begin = (int)(p - head);
		word[nr++] = p;
		p += strcspn(p, " ");
	}
	if (!nr || head[cursor - 1] == ' ') {
		begin = cursor;
		word[nr++] = head + cursor;
	}
	*start = begin;
	k.prefix = head + begin;
	k.len = strlen(k.prefix);
	if (nr == 1) {
		for (u32 i = 0; i < nr_commands; i++)
			offer(&k, commands[i].name);
		if (k.len)
			complete_lua(&k, app, head, cursor, start);
	} else if (!command_is(head)) {
		complete_lua(&k, app, head, cursor, start);
	} else {
		const struct command *cmd = command_find(word[0], strcspn(word[0], " "));
		char args[64];

		if (cmd && arg_word(cmd->args, nr - 2, args, sizeof(args))) {
			char *save, *w = strtok_r(args, "|", &save);
			const char *prev = nr > 2 ? word[nr - 2] : NULL;

			for (; w; w = strtok_r(NULL, "|", &save)) {
				if (w[0] >= 'A' && w[0] <= 'Z')
					offer_kind(&k, app, w, prev, prev ? strcspn(prev, " ") : 0);
				else
					offer(&k, w);
			}
		}
	}
	free(head);
	return k.nr;
}
