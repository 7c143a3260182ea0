/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * menu.c - what the overlays hold: policies by slot, knobs, a form for a task, the palette, and
 * help. All of it comes out of tables: policies, host's commands and knobs, the key map, the views.
 */
#include <stdio.h>
#include <string.h>

#include "engine/access.h"
#include "ui/utf8.h"
#include "ui/view.h"
#include "ui/xalloc.h"

static void fill_policies(struct ui *ui, const struct sim *s)
{
	char cmd[OVER_CMD_MAX];

	overlay_open(&ui->over, OVER_LIST, "policies", "Enter swaps it in now  Esc close");
	for (int slot = 0; slot < NR_SLOTS; slot++) {
		overlay_add(&ui->over, policy_slot_names[slot], NULL, NULL);
		for (u32 i = 0; i < s->nr_registry; i++) {
			const struct sched_policy *p = s->registry[i];
			struct overlay_row *r;

			if (!p || p->slot != (enum policy_slot)slot)
				continue;
			snprintf(cmd, sizeof(cmd), "policy %s %s", policy_slot_names[slot],
				 p->name);
			r = overlay_add(&ui->over, p->name, p->summary, cmd);
			r->mark = s->policy[slot] == p;
		}
	}
}

static int fill_knobs(struct ui *ui, struct err *err)
{
	struct ui_knob k;
	bool setting = false;
	int sel = ui->over.kind == OVER_SLIDERS ? ui->over.sel : 0, top = ui->over.top;

	if (!ui->host.knob)
		return err_set(err, ERR_USAGE, "menu: this scenario has no knobs");
	overlay_open(&ui->over, OVER_SLIDERS, "knobs", "Left Right move  H L by ten  Esc close");
	snprintf(ui->over.what, sizeof(ui->over.what), "knobs");
	for (u32 i = 0; ui->host.knob(ui->host.ctx, i, &k); i++) {
		char cmd[OVER_CMD_MAX];
		struct overlay_row *r;

		if (i == 0 || k.setting != setting)
			overlay_add(&ui->over, k.setting ? "policies and tunables" : "scenario",
				    NULL, NULL);
		setting = k.setting;
		snprintf(cmd, sizeof(cmd), "%s %s", k.setting ? "set" : "knob", k.name);
		r = overlay_add(&ui->over, k.name, k.help, cmd);
		r->value = k.value;
		r->min = k.min;
		r->max = k.max;
		r->step = k.step;
		snprintf(r->unit, sizeof(r->unit), "%s", k.unit ? k.unit : "");
	}
	ui->over.sel = sel;
	ui->over.top = top;
	return 0;
}

void menu_refresh(struct ui *ui)
{
	if (ui->over.kind == OVER_SLIDERS && !strcmp(ui->over.what, "knobs"))
		fill_knobs(ui, NULL);
}

static void fill_inject(struct ui *ui)
{
	static const struct {
		const char *text, *note, *start;
	} fields[] = {
		{ "name", "", "mine" },
		{ "duty", "share of a period it works, at full speed", "20%" },
		{ "period", "such as 16ms", "16ms" },
		{ "nice", "-20 (most) to 19 (least)", "0" },
		{ "CPUs", "such as 0-3,6; empty: all", "" },
		{ "instances", "how many of them", "1" },
	};

	overlay_open(&ui->over, OVER_FORM, "inject a task",
		     "Enter spawns it now  Tab next  Esc close");
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct overlay_row *r = overlay_add(&ui->over, fields[i].text, fields[i].note, "");

		snprintf(r->field, sizeof(r->field), "%s", fields[i].start);
	}
	snprintf(ui->over.format, sizeof(ui->over.format),
		 "spawn %%1 %%2 %%3 nice=%%4 cpus=%%5 instances=%%6");
}

static int fill_palette(struct ui *ui, struct err *err)
{
	struct ui_command_row row;
	const char *last = "";

	if (!ui->host.palette)
		return err_set(err, ERR_USAGE, "menu: there is no table of commands here");
	overlay_open(&ui->over, OVER_LIST, "commands", "Enter runs it  Esc close");
	for (u32 i = 0; ui->host.palette(ui->host.ctx, i, &row); i++) {
		bool wants = row.args && row.args[0] && row.args[0] != '[';
		char cmd[OVER_CMD_MAX], text[64], key[24];

		if (!strcmp(row.name, last))
			continue;
		last = row.name;
		snprintf(cmd, sizeof(cmd), "%s%s%s", wants ? "prompt " : "", row.name,
			 wants ? " " : "");
		keymap_key_of(&ui->keys, row.name, key, sizeof(key));
		snprintf(text, sizeof(text), "%s%s%s%s%s", row.name, wants ? " ..." : "",
			 key[0] ? "  (" : "", key, key[0] ? ")" : "");
		overlay_add(&ui->over, text, row.help, cmd);
	}
	return 0;
}

int menu_open(struct ui *ui, const struct sim *s, const char *name, struct err *err)
{
	ui->prompt = false;
	if (!strcmp(name, "policy"))
		fill_policies(ui, s);
	else if (!strcmp(name, "knobs"))
		return fill_knobs(ui, err);
	else if (!strcmp(name, "inject"))
		fill_inject(ui);
	else if (!strcmp(name, "palette"))
		return fill_palette(ui, err);
	else
		return err_set(err, ERR_USAGE,
			       "menu: there is no '%.40s'; try policy, knobs, inject or palette",
			       name);
	return 0;
}

/* ---- help ---------------------------------------------------------------------------------- */

struct page {
	char *s;
	size_t n, size;
	int cols; /* of a line that is wrapped */
};

static void add(struct page *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct page *t, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	n = n < 0 ? 0 : n >= (int)sizeof(buf) ? (int)sizeof(buf) - 1 : n;
	if (t->n + (size_t)n + 1 > t->size) {
		t->size = (t->n + (size_t)n + 1) * 2;
		t->s = xreallocarray(t->s, t->size, 1);
	}
	memcpy(t->s + t->n, buf, (size_t)n + 1);
	t->n += (size_t)n;
}

#define HELP_COLS 72 /* a box on 80 columns shows these */

/* Wrapped between words and indented, because headings are the lines that are not. */
static void add_lines(struct page *t, const char *s)
{
	const int width = t->cols;

	while (*s) {
		const char *end = strchr(s, '\n'), *p = s, *cut = NULL;
		int cols = 0;

		end = end ? end : s + strlen(s);
		while (p < end && cols <= width) {
			if (*p == ' ')
				cut = p;
			cols += utf8_width(utf8_safe(utf8_next(&p)));
		}
		if (cols <= width || !cut)
			cut = p;
		add(t, "  %.*s\n", (int)(cut - s), s);
		s = cut < end ? cut : end;
		while (*s == ' ')
			s++;
		if (s == end && *s == '\n')
			s++;
	}
}

/* Keys of one view; several keys with one command share a line. */
static void add_keys(struct page *t, const struct keymap *m, const char *view)
{
	for (int i = 0; i < m->n; i++) {
		const struct keybind *b = &m->bind[i];
		char keys[64] = "", key[24];
		bool seen = false;

		if (strcmp(b->view, view) != 0 || !b->command[0])
			continue;
		for (int k = 0; k < i && !seen; k++)
			seen = !strcmp(m->bind[k].view, view) &&
			       !strcmp(m->bind[k].command, b->command);
		if (seen)
			continue;
		for (int k = i; k < m->n; k++) {
			size_t n = strlen(keys);

			if (strcmp(m->bind[k].view, view) != 0 ||
			    strcmp(m->bind[k].command, b->command) != 0)
				continue;
			snprintf(keys + n, sizeof(keys) - n, "%s%s", n ? " " : "",
				 ukey_name(m->bind[k].key, key, sizeof(key)));
		}
		add(t, "  %-12s %-40s %s\n", keys, b->help, b->command);
	}
}

static void add_limitation(struct page *t, const struct sim_limitation *l)
{
	char buf[1024];

	snprintf(buf, sizeof(buf), "%s: %s", l->what, l->how ? l->how : "");
	add_lines(t, buf);
}

void menu_help(struct ui *ui, const struct sim *s)
{
	const struct view_ops *v = views[ui_focus(ui)];
	/* As wide as the screen that was drawn last has room for. */
	int room = ui->drawn_w ? ui->drawn_w - (80 - HELP_COLS) : HELP_COLS;
	struct page t = { .cols = room > HELP_COLS ? HELP_COLS : room < 12 ? 12 : room };
	char title[64];

	add(&t, "What this is\n");
	add_lines(&t, v->help);
	add(&t, "\nKeys here\n");
	add_keys(&t, &ui->keys, v->name);
	add(&t, "\nKeys everywhere\n");
	add_keys(&t, &ui->keys, "*");
	if (ui->facts.about && ui->facts.about[0]) {
		char *about = xcalloc(strlen(ui->facts.about) * 3 + 1, 1);

		utf8_clean(about, strlen(ui->facts.about) * 3 + 1, ui->facts.about, false, true);
		add(&t, "\nThis scenario%s%s\n", ui->facts.title[0] ? ": " : "", ui->facts.title);
		add_lines(&t, about);
		free(about);
	}
	add(&t, "\nWhat is modelled\n");
	for (const struct sim_limitation *l = sim_modelled; l->what; l++)
		add_limitation(&t, l);
	add(&t, "\nWhat is not modelled\n");
	for (const struct sim_limitation *l = sim_not_modelled; l->what; l++)
		add_limitation(&t, l);
	(void)s;
	snprintf(title, sizeof(title), "help: %s", v->title);
	overlay_text(&ui->over, title, t.s);
}
