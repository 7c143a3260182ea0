/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_header.c - the lines around the panes: the state of time and of the policies on top, keys at
 * the bottom. What does not fit is left out from the least important end.
 */
#include "ui/view.h"

#include <stdio.h>
#include <string.h>

#include "ui/fmt.h"
#include "ui/utf8.h"

static const struct style bar = { COL_BAR_FG, COL_BAR_BG, 0 };
static const struct style label = { COL_DIM, COL_BAR_BG, 0 };

/* A piece of the bar if it fits whole; returns the new position. */
static int piece(struct canvas *c, int x, int y, int end, const char *name, const char *value,
		 struct style st)
{
	int need = (*name ? utf8_cols(name) + 1 : 0) + utf8_cols(value);

	if (!*value || x + need > end)
		return x;
	if (*name)
		x += canvas_text(c, x, y, label, name) + 1;
	return x + canvas_text(c, x, y, st, value) + 2;
}

static int draw_speed(const struct ui *ui, struct canvas *c, int x, int end)
{
	const struct ui_facts *f = &ui->facts;
	char want[FMT_LEN], got[FMT_LEN], buf[96];

	if (f->ratio)
		fmt_ratio(want, sizeof(want), f->ratio);
	else
		snprintf(want, sizeof(want), "max");
	fmt_ratio(got, sizeof(got), f->achieved);
	/* The speed reached is worth a word when it is not the one asked for. */
	if (f->running && f->achieved && (!f->ratio || f->behind))
		snprintf(buf, sizeof(buf), "%s of %s", got, want);
	else
		snprintf(buf, sizeof(buf), "%s", want);
	return piece(c, x, 0, end, "speed", buf, f->behind ? STYLE(COL_WARN, COL_BAR_BG, 0) : bar);
}

static void draw_time(struct ui *ui, const struct sim *s, struct canvas *c)
{
	const struct ui_facts *f = &ui->facts;
	char buf[128], num[FMT_LEN];
	int x = 1, end = c->w - 1;

	canvas_fill(c, 0, 0, c->w, 1, bar, ' ');
	canvas_put(c, x, 0, STYLE(f->running ? COL_GOOD : COL_WARN, COL_BAR_BG, ATTR_BOLD),
		   f->running ? ui->g->run : ui->g->pause);
	x = piece(c, x + 2, 0, end, "", f->running ? "running" : "paused ",
		  STYLE(f->running ? COL_GOOD : COL_WARN, COL_BAR_BG, 0)) -
	    1;
	snprintf(buf, sizeof(buf), "%s s",
		 fmt_clock(num, sizeof(num), s->g->now, f->ratio && f->ratio < 1000 ? 6 : 3));
	x = piece(c, x, 0, end, "", buf, STYLE(COL_BAR_FG, COL_BAR_BG, ATTR_BOLD));
	x = draw_speed(ui, c, x, end);
	x = piece(c, x, 0, end, "", f->scenario, STYLE(COL_ACCENT, COL_BAR_BG, 0));
	snprintf(buf, sizeof(buf), "%s", f->machine[0] ? f->machine : s->machine->name);
	x = piece(c, x, 0, end, "on", buf, bar);
	snprintf(buf, sizeof(buf), "%u", s->g->nr_tasks_alive);
	x = piece(c, x, 0, end, "tasks", buf, bar);
	snprintf(buf, sizeof(buf), "%llu", (unsigned long long)s->g->seed);
	piece(c, x, 0, end, "seed", buf, bar);
}

static void draw_policies(struct canvas *c, const struct sim *s, int y)
{
	int x = 1, end = c->w - 1;

	canvas_fill(c, 0, y, c->w, 1, bar, ' ');
	x = piece(c, x, y, end, "kernel", kernel_profiles[s->g->profile].name,
		  STYLE(COL_BAR_FG, COL_BAR_BG, ATTR_BOLD));
	for (int i = 0; i < NR_SLOTS; i++) {
		/* The most telling slots first: there is rarely room for all. */
		static const enum policy_slot order[NR_SLOTS] = { SLOT_PICK,	 SLOT_PLACE,
								  SLOT_GOVERNOR, SLOT_UTIL_EST,
								  SLOT_NEWIDLE,	 SLOT_BALANCE,
								  SLOT_NOHZ };
		const struct sched_policy *p = s->policy[order[i]];

		if (p)
			x = piece(c, x, y, end, policy_slot_names[order[i]], p->name, bar);
	}
	x = piece(c, x, y, end, "costs", s->g->tun.costs ? "on" : "off", bar);
	if (s->g->overutilized)
		piece(c, x, y, end, "", "overutilized", STYLE(COL_WARN, COL_BAR_BG, 0));
}

int header_draw(struct ui *ui, const struct sim *s, struct canvas *c)
{
	draw_time(ui, s, c);
	if (c->h < 10)
		return 1;
	draw_policies(c, s, 1);
	return 2;
}

void hints_draw(struct ui *ui, struct canvas *c, int y)
{
	/* In the order in which a newcomer needs them; quit comes last but must be seen. */
	static const struct {
		const char *command, *text;
	} hints[] = {
		{ "toggle", "run" },	    { "help", "help" },
		{ "quit", "quit" },	    { "speed up", "faster" },
		{ "speed down", "slower" }, { "step event", "event" },
		{ "step tick", "tick" },    { "menu policy", "policy" },
		{ "menu inject", "task" },  { "menu knobs", "knobs" },
		{ "prompt", "command" },    { "focus next", "pane" },
		{ "zoom", "zoom" },	    { "view overview", "overview" },
	};
	/* What the focused pane has of its own stands after the first three. */
	static const struct {
		const char *command, *text;
	} own[NR_VIEWS] = {
		[VIEW_heat] = { "heat next", "quantity" },
		[VIEW_curves] = { "curves next", "CPU/task" },
		[VIEW_tasks] = { "tasks sort", "order" },
		[VIEW_events] = { "prompt filter ", "filter" },
	};
	int x = 1, focus = ui_focus(ui);
	char key[24], buf[64];

	canvas_fill(c, 0, y, c->w, 1, STYLE(COL_DIM, COL_DEFAULT, 0), ' ');
	for (size_t n = 0; n <= ARRAY_SIZE(hints); n++) {
		size_t i = n > 3 ? n - 1 : n;
		const char *text = n == 3 ? own[focus].text : hints[i].text;
		const char *command = n == 3 ? own[focus].command : hints[i].command;

		if (!command)
			continue;
		if (n == 0 && ui->facts.running)
			text = "pause";
		keymap_key_of(&ui->keys, command, key, sizeof(key));
		if (!key[0])
			continue;
		snprintf(buf, sizeof(buf), "%s %s", key, text);
		if (x + utf8_cols(buf) > c->w - 1)
			continue;
		x += canvas_text(c, x, y, STYLE(COL_KEY, COL_DEFAULT, 0), key) + 1;
		x += canvas_text(c, x, y, STYLE(COL_DIM, COL_DEFAULT, 0), text) + 2;
	}
}
