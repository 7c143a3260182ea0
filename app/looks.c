/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * looks.c - the screen of an app. See looks.h.
 */
#include "app/looks.h"

#include "app/command.h"
#include "app/scenario.h"
#include "app/text.h"
#include "app/xalloc.h"
#include "ui/ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KNOBS_MAX 512

/* app->looks: what belongs to the screen and not to ui/. */
struct looks {
	struct looks_env env;
	struct {
		char name[96], unit[16], help[160];
	} knob[KNOBS_MAX]; /* texts handed to the screen: they stay until the next load */
	enum glyph_set glyphs;
	struct palette palette;
};

static void on_log(void *ctx, enum log_kind kind, const char *line)
{
	struct app *app = ctx;

	ui_log(app->ui, (enum ui_kind)kind, line);
	app->dirty = true;
}

/*
 * Two words side by side are Lua only if the first is one of its keywords: "spwan web 10%" is a
 * mistyped command, and a complaint of the Lua parser would help nobody.
 */
static bool looks_like_a_command(const char *line)
{
	static const char *const keywords[] = { "local",  "for",      "while",	"if",
						"return", "function", "repeat", "do",
						"goto",	  "not",      "break",	"end" };
	const char *s = line + strspn(line, " \t");
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyz-");

	if (!len || (s[len] != ' ' && s[len] != '\t'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (strlen(keywords[i]) == len && !memcmp(keywords[i], s, len))
			return false;
	s += len + strspn(s + len, " \t");
	if (!strncmp(s, "and ", 4) || !strncmp(s, "or ", 3))
		return false;
	return (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
	       *s == '#' || *s == '_';
}

void looks_command(struct app *app, const char *line)
{
	struct strbuf out = { 0 };
	struct err err = { 0 };
	const char *trace;
	int ret;

	if (command_is(line) || line[strspn(line, " \t")] == '#' || looks_like_a_command(line))
		ret = command_run(app, line, CMD_USER, &out, &err);
	else
		ret = run_lua(app, line, &err);
	if (out.len)
		app_log(app, LOG_INFO, "%s", strbuf_str(&out));
	if (ret) { /* a mistyped line is not a failed run: no exit code */
		trace = err.code == ERR_SCRIPT ? lua_trace(app) : "";
		if (strchr(trace, '\n')) /* one line says no more than the message */
			app_log(app, LOG_ERROR, "%s", trace);
		app_log(app, LOG_ERROR, "%s", err.msg);
	}
	strbuf_fini(&out);
	app->dirty = true;
}

static void host_command(void *ctx, const char *line)
{
	looks_command(ctx, line);
}

static int host_complete(void *ctx, const char *line, int cursor, int *start, char *cands,
			 size_t size, int max)
{
	return command_complete(ctx, line, cursor, start, cands, size, max);
}

static bool host_palette(void *ctx, u32 i, struct ui_command_row *row)
{
	(void)ctx;
	if (i >= nr_commands)
		return false;
	*row = (struct ui_command_row){ commands[i].name, commands[i].args, commands[i].help };
	return true;
}

/* The scenario's knobs, then the parameters of the policies in force, then the tunables. */
static bool find_knob(const struct app *app, u32 i, struct ui_knob *out, char *name, size_t size)
{
	const struct sim *s = app->sim;
	u32 nr = knob_count(app);
	struct knob_view k;

	if (i < nr) {
		if (!knob_get(app, i, &k))
			return false;
		snprintf(name, size, "%s", k.name);
		*out = (struct ui_knob){
			.unit = k.unit, .help = k.help, .value = k.value, .min = k.min, .max = k.max
		};
		return true;
	}
	i -= nr;
	for (int slot = 0; s && slot < NR_SLOTS; slot++) {
		const struct policy_param *p = s->policy[slot]->params;

		for (u32 n = 0; p && p[n].name; n++) {
			if (i--)
				continue;
			snprintf(name, size, "%s.%s", policy_slot_names[slot], p[n].name);
			*out = (struct ui_knob){
				.unit = p[n].unit,
				.help = p[n].help,
				.value = sim_policy_param(s, (enum policy_slot)slot, n),
				.min = p[n].min,
				.max = p[n].max,
				.setting = true,
			};
			return true;
		}
	}
	if (!s || i >= nr_sim_tunables)
		return false;

	const struct sim_tunable *t = &sim_tunables[i];
	u64 value = sim_tunable_value(s, i);

	if (value == ~0ull) /* taken from the machine: the rate limit of schedutil */
		value = s->fds[0].freq_update_delay_ns / NSEC_PER_USEC;
	snprintf(name, size, "%s", t->name);
	*out = (struct ui_knob){ .unit = t->unit,
				 .help = t->help,
				 .value = (s64)value,
				 .min = (s64)t->min,
				 .max = t->max > INT64_MAX ? INT64_MAX : (s64)t->max,
				 .setting = true };
	return true;
}

static bool host_knob(void *ctx, u32 i, struct ui_knob *out)
{
	struct app *app = ctx;
	char name[96];

	if (i >= KNOBS_MAX || !find_knob(app, i, out, name, sizeof(name)))
		return false;
	text_clean(app->looks->knob[i].name, sizeof(app->looks->knob[i].name), name);
	text_clean(app->looks->knob[i].unit, sizeof(app->looks->knob[i].unit),
		   out->unit ? out->unit : "");
	text_clean(app->looks->knob[i].help, sizeof(app->looks->knob[i].help),
		   out->help ? out->help : "");
	out->name = app->looks->knob[i].name;
	out->unit = app->looks->knob[i].unit;
	out->help = app->looks->knob[i].help;
	return true;
}

/* Colours by name, as far as the terminal can. */
static void choose(struct app *app, const char *glyphs, const char *colour)
{
	struct looks *l = app->looks;
	const char *no_color = getenv("NO_COLOR");

	glyphs_choose(glyphs, l->env.utf8, getenv("TERM"), &l->glyphs);
	palette_init(&l->palette, colour, l->env.colours, no_color && *no_color);
	ui_looks(app->ui, l->glyphs, &l->palette);
	app->dirty = true;
}

void looks_open(struct app *app, const struct looks_env *env)
{
	const struct ui_host host = { .ctx = app,
				      .command = host_command,
				      .complete = host_complete,
				      .palette = host_palette,
				      .knob = host_knob };

	app->looks = xcalloc(1, sizeof(*app->looks));
	app->looks->env = *env;
	app->ui = ui_new(&host, app->sim);
	app->log_fn = on_log;
	app->log_ctx = app;
	choose(app, app->opt->glyphs, app->opt->colour);
}

void looks_close(struct app *app)
{
	app->log_fn = NULL;
	if (app->ui)
		ui_free(app->ui);
	app->ui = NULL;
	free(app->looks);
	app->looks = NULL;
}

void looks_resize(struct app *app, int w, int h)
{
	app->looks->env.w = w;
	app->looks->env.h = h;
	app->dirty = true;
}

void looks_facts(struct app *app)
{
	const struct ui_facts f = {
		.scenario = app->sc.name,
		.title = app->sc.title,
		.about = app->sc.about,
		.machine = app->sc.machine,
		.running = app->running,
		.ratio = app->pacer.ratio,
		.achieved = app->pacer.achieved,
		.behind = app->pacer.behind,
	};

	ui_set_facts(app->ui, &f);
}

int run_sampled(struct app *app, ktime_ns until, struct err *err)
{
	while (app->sim->g->now <= until) {
		ktime_ns next = app->ui ? ui_sample_next(app->ui) : NEVER;
		ktime_ns now = app->sim->g->now;

		if (next > until)
			next = until;
		if (next < now)
			next = now;
		if (sim_run_until(app->sim, next, 0) == SIM_ERROR) {
			if (err)
				*err = app->sim->err;
			return -1;
		}
		if (app->ui && ui_sample_next(app->ui) <= app->sim->g->now)
			ui_sample(app->ui, app->sim);
		if (next == until)
			break;
	}
	return 0;
}

enum sim_stop step_sampled(struct app *app)
{
	enum sim_stop stop = sim_step(app->sim);

	if (app->ui && ui_sample_next(app->ui) <= app->sim->g->now)
		ui_sample(app->ui, app->sim);
	return stop;
}

int looks_glyphs(struct app *app, const char *name, struct err *err)
{
	enum glyph_set set;

	if (!glyphs_choose(name, true, NULL, &set)) {
		char clean[40];

		text_clean(clean, sizeof(clean), name);
		return err_set(err, ERR_USAGE, "there is no glyph set '%s': %s are", clean,
			       GLYPH_NAMES);
	}
	if (!app->ui)
		return 0;
	if (set != GLYPHS_ASCII && !app->looks->env.utf8)
		return err_set(err, ERR_USAGE,
			       "the locale is not UTF-8, so this terminal has ascii only");
	app->looks->glyphs = set;
	ui_looks(app->ui, set, &app->looks->palette);
	app->dirty = true;
	return 0;
}

int looks_colour(struct app *app, const char *name, struct err *err)
{
	struct palette p;

	if (!palette_init(&p, name, app->looks ? app->looks->env.colours : 0, false)) {
		char clean[40];

		text_clean(clean, sizeof(clean), name);
		return err_set(err, ERR_USAGE, "there is no colour scheme '%s': %s are", clean,
			       COLOUR_NAMES);
	}
	if (!app->ui)
		return 0;
	app->looks->palette = p;
	ui_looks(app->ui, app->looks->glyphs, &app->looks->palette);
	app->dirty = true;
	return 0;
}

char *looks_frame(struct app *app, bool ansi)
{
	struct looks *l = app->looks;
	bool ascii = l->glyphs == GLYPHS_ASCII && !l->env.utf8;
	struct canvas c;
	int cx, cy;
	char *text;

	canvas_init(&c, l->env.w, l->env.h);
	looks_facts(app);
	ui_draw(app->ui, app->sim, &c, &cx, &cy);
	text = ansi ? canvas_ansi(&c, &l->palette, ascii) : canvas_dump(&c, ascii);
	canvas_fini(&c);
	return text;
}
