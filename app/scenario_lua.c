/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scenario_lua.c - between the application and a scenario's script. See scenario.h.
 *
 * A scenario is data from somebody else: it may name a shipped machine or a file beside itself, and
 * what it prints is cleaned. What the user set on the command line wins over what it asks for.
 */
#include "app/scenario.h"

#include "app/lua/script.h"
#include "app/readfile.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_MAX (16u << 20) /* bytes of a Lua file */

/* ---- what the script asks its owner ---- */

static struct sim *on_build(void *ctx, const struct script_scenario *sc, struct err *err)
{
	struct app *app = ctx;
	const char *machine = sc->machine;
	char *beside = NULL;
	int ret;

	if (machine && !app->want.machine) {
		const char *slash = strrchr(app->sc.path, '/');
		bool plain = !strchr(machine, '/') && strcmp(machine, "host") != 0;
		char clean[80];

		text_clean(clean, sizeof(clean), machine);
		beside = xasprintf("%.*s%s", slash ? (int)(slash - app->sc.path + 1) : 0,
				   app->sc.path, machine);
		if (plain && (strstr(machine, ".json") || strstr(machine, ".xml")) &&
		    is_file(beside)) {
			machine = beside;
		} else if (!plain || !strcmp(machine, "-") || strstr(machine, ".xml") ||
			   is_file(machine)) {
			err_set(err, ERR_USAGE,
				"machine '%s': a scenario names a shipped machine, a "
				"spec, or a file in its own folder",
				clean);
			free(beside);
			return NULL;
		}
	}
	ret = app_build(app, machine, sc->kernel, sc->has_seed ? sc->seed : 1, err);
	free(beside);
	return ret ? NULL : app->sim;
}

static void on_print(void *ctx, const char *line)
{
	app_log(ctx, LOG_PRINT, "%s", line);
}

static void on_warn(void *ctx, const char *text)
{
	app_warn(ctx, "%s", text);
}

static void on_fail(void *ctx, const struct err *err, const char *trace)
{
	struct app *app = ctx;

	app->script_failed = true;
	app_fail(app, err);
	if (trace && strchr(trace, '\n')) /* one line says no more than the message */
		app_log(app, LOG_ERROR, "%s", trace);
	app_warn(app, "%s", err->msg);
}

static const char *on_knob_value(void *ctx, const char *name)
{
	const struct option_pairs *sets = &((struct app *)ctx)->want.sets;

	for (u32 i = sets->nr; i-- > 0;)
		if (!strcmp(sets->v[i].name, name))
			return sets->v[i].value;
	return NULL;
}

/* Beside the scenario, or shipped; never elsewhere. */
static struct rtapp *on_rtapp(void *ctx, const char *name, struct err *err)
{
	struct app *app = ctx;
	const char *slash = strrchr(app->sc.path, '/');
	struct rtapp *r = NULL;
	char clean[80];
	char *path;

	text_clean(clean, sizeof(clean), name);
	if (strchr(name, '/') || !strcmp(name, "-") || name[0] == '.') {
		err_set(err, ERR_USAGE,
			"'%s': a scenario names an rt-app file in its own folder or a shipped one, "
			"such as \"two-tasks-util-est.json\"",
			clean);
		return NULL;
	}
	path = xasprintf("%.*s%s", slash ? (int)(slash - app->sc.path + 1) : 0, app->sc.path, name);
	if (!is_file(path)) {
		free(path);
		path = xasprintf("%s/scenarios/rtapp/%s", data_dir(), name);
	}
	if (is_file(path))
		r = rtapp_read(app, path, err);
	else
		err_set(err, ERR_USAGE,
			"there is no rt-app file '%s' beside the scenario nor among the shipped "
			"ones; `schedground list workloads` has those",
			clean);
	free(path);
	return r;
}

static struct script *make(struct app *app, struct err *err)
{
	const struct script_host host = { .ctx = app,
					  .build = on_build,
					  .print = on_print,
					  .warn = on_warn,
					  .fail = on_fail,
					  .knob_value = on_knob_value,
					  .rtapp = on_rtapp };

	return script_new(&host, app->sim, err);
}

static void take_scenario(struct app *app)
{
	const struct script_scenario *sc = script_scenario(app->script);

	if (sc->name && *sc->name) {
		free(app->sc.name);
		app->sc.name = xstrdup(sc->name);
	}
	app->sc.title = sc->title ? xstrdup(sc->title) : NULL;
	app->sc.about = sc->about ? xstrdup(sc->about) : NULL;
	app->sc.duration = sc->duration;
}

int scenario_lua_load(struct app *app, const char *path, struct err *err)
{
	char clean[256];
	char *text;
	size_t len;
	int ret;

	if (read_file(path, SCRIPT_MAX, &text, &len, err))
		return -1;
	text_clean(clean, sizeof(clean), path);
	if (memchr(text, 0, len) || !len) {
		free(text);
		return err_set(err, ERR_USAGE, "%s: it is %s; a scenario is Lua source text", clean,
			       len ? "binary data" : "empty");
	}
	app->script = make(app, err);
	ret = app->script ? script_load(app->script, text, len, path, err) : -1;
	free(text);
	if (ret && app->build_err.code && (app->want.machine || app->want.kernel)) {
		/* The command line is to blame, not the line of the script that met it. */
		*err = app->build_err;
		return -1;
	}
	if (ret && !strstr(err->msg, clean))
		return err_wrap(err, "%s", clean);
	if (ret)
		return -1;
	if (!app->sim) /* script_load() sees to it */
		return err_set(err, ERR_SCRIPT, "%s: the script made no simulation", clean);
	take_scenario(app);
	return 0;
}

void scenario_lua_free(struct app *app)
{
	if (app->script)
		script_free(app->script);
	app->script = NULL;
}

int scenario_console(struct app *app, struct err *err)
{
	app->script = make(app, err);
	return app->script ? 0 : -1;
}

/* ---- knobs ---- */

u32 knob_count(const struct app *app)
{
	return app->script ? script_nr_knobs(app->script) : 0;
}

bool knob_get(const struct app *app, u32 i, struct knob_view *out)
{
	const struct script_knob *k;

	if (i >= knob_count(app))
		return false;
	k = script_knob(app->script, i);
	*out = (struct knob_view){ .name = k->name,
				   .help = k->help ? k->help : "",
				   .unit = k->unit ? k->unit : "",
				   .value = k->value,
				   .min = k->min,
				   .max = k->max,
				   .live = k->live };
	return true;
}

int knob_find(const struct app *app, const char *name)
{
	return app->script ? script_knob_find(app->script, name) : -1;
}

/* A restart, asked for by hand or by a knob, begins with the knobs where they stand. */
static void remember(struct app *app, const char *name, const char *value)
{
	struct option_pairs *sets = &app->want.sets;

	for (u32 i = 0; i < sets->nr; i++) {
		if (strcmp(sets->v[i].name, name))
			continue;
		free(sets->v[i].value);
		sets->v[i].value = xstrdup(value);
		return;
	}
	sets->v = xrealloc_array(sets->v, sets->nr + 1, sizeof(*sets->v));
	sets->v[sets->nr].name = xstrdup(name);
	sets->v[sets->nr].value = xstrdup(value);
	sets->nr++;
}

int knob_set(struct app *app, u32 i, const char *value, bool *restart, struct err *err)
{
	*restart = false;
	if (script_knob_set(app->script, i, value, restart, err))
		return -1;
	remember(app, script_knob(app->script, i)->name, value);
	if (*restart)
		app->want_restart = true;
	else if (!app->running && app->loop)
		sim_apply_inputs(app->sim);
	app->dirty = true;
	return 0;
}

void write_knobs(struct jsonout *j, const struct app *app)
{
	struct knob_view k;

	for (u32 i = 0; knob_get(app, i, &k); i++)
		if (sim_tunable_index(k.name) < 0)
			jw_int(j, k.name, k.value);
}

/* ---- expectations ---- */

int check_expects(struct app *app, struct err *err)
{
	return app->script ? script_check_expects(app->script, err) : 0;
}

bool has_expects(const struct app *app)
{
	return app->script && script_nr_expects(app->script);
}

void write_expects(struct jsonout *j, const struct app *app)
{
	u32 nr = app->script ? script_nr_expects(app->script) : 0;

	jw_open(j, "expect", true);
	for (u32 i = 0; i < nr; i++) {
		const struct script_expect *e = script_expect(app->script, i);

		jw_open(j, NULL, false);
		jw_text(j, "text", e->text);
		if (e->computed) {
			jw_bool(j, "ok", e->ok);
			jw_text(j, "value", e->value);
		} else {
			jw_null(j, "ok");
			jw_null(j, "value");
		}
		jw_close(j);
	}
	jw_close(j);
}

void text_expects(struct strbuf *b, const struct app *app)
{
	u32 nr = app->script ? script_nr_expects(app->script) : 0;
	char text[256], why[256], value[160];

	if (nr)
		strbuf_puts(b, "\n");
	for (u32 i = 0; i < nr; i++) {
		const struct script_expect *e = script_expect(app->script, i);

		text_clean(text, sizeof(text), e->text);
		text_clean(why, sizeof(why), e->why ? e->why : "");
		text_clean(value, sizeof(value), e->value);
		strbuf_printf(b, "  %s expect %s",
			      !e->computed ? "skip  "
			      : e->ok	   ? "ok    "
					   : "FAILED",
			      text);
		if (e->computed)
			strbuf_printf(b, " (is %s)", value);
		strbuf_printf(b, "%s%s\n", !e->ok && *why ? ": " : "", !e->ok ? why : "");
	}
}

/* ---- lines and files of the user ---- */

static int need_script(struct app *app, struct err *err)
{
	return app->script ? 0 : err_set(err, ERR_USAGE, "nothing is loaded");
}

int run_lua(struct app *app, const char *code, struct err *err)
{
	int ret;

	if (need_script(app, err))
		return -1;
	app->lua_line = 1;
	ret = script_console(app->script, code, err);
	app->lua_line = 0;
	if (!ret && !app->running && app->loop)
		sim_apply_inputs(app->sim);
	return ret;
}

const char *lua_trace(const struct app *app)
{
	const char *trace = app->script ? script_trace(app->script) : NULL;

	return trace ? trace : "";
}

int run_lua_file(struct app *app, const char *path, struct err *err)
{
	char clean[256];
	char *text;
	size_t len;
	int ret;

	if (need_script(app, err) || read_file(path, SCRIPT_MAX, &text, &len, err))
		return -1;
	text_clean(clean, sizeof(clean), path);
	ret = script_load(app->script, text, len, path, err);
	free(text);
	return ret;
}

bool script_interrupt_now(const struct app *app)
{
	if (!app->script || !app->lua_line)
		return false;
	script_interrupt(app->script);
	return true;
}
