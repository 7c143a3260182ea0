/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scenario.c - from a file to a running simulation: machine, engine, tasks or script, options.
 */
#include "app/scenario.h"

#include "app/command.h"
#include "app/export_trace.h"
#include "app/machine.h"
#include "app/readfile.h"
#include "app/rtapp.h"
#include "app/settings.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SCENARIO "octacore.lua"
#define DEFAULT_DURATION (10 * NSEC_PER_SEC)
#define TRACE_RING (1u << 18) /* 8 MiB */

/* ---- log ---- */

void app_log(struct app *app, enum log_kind kind, const char *fmt, ...)
{
	struct strbuf b = { 0 };
	char *save, *line, *clean;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&b, fmt, ap);
	va_end(ap);
	line = strbuf_take(&b);
	clean = xcalloc(strlen(line) + 1, 1);
	if (app->log_fn) {
		for (char *w = strtok_r(line, "\n", &save); w; w = strtok_r(NULL, "\n", &save)) {
			text_clean(clean, strlen(w) + 1, w);
			app->log_fn(app->log_ctx, kind, clean);
		}
	}
	free(clean);
	free(line);
}

void app_warn(struct app *app, const char *fmt, ...)
{
	struct strbuf b = { 0 };
	va_list ap;
	char *text;

	va_start(ap, fmt);
	strbuf_vprintf(&b, fmt, ap);
	va_end(ap);
	text = strbuf_take(&b);
	text_clean(text, strlen(text) + 1, text);
	for (u32 i = 0; i < app->nr_warnings; i++) {
		if (!strcmp(app->warnings[i], text)) {
			free(text);
			return;
		}
	}
	if (app->nr_warnings < 1000) {
		app->warnings =
			xrealloc_array(app->warnings, app->nr_warnings + 1, sizeof(*app->warnings));
		app->warnings[app->nr_warnings++] = xstrdup(text);
	}
	app_log(app, LOG_WARN, "%s", text);
	free(text);
}

void app_fail(struct app *app, const struct err *err)
{
	int code = exit_code_of(err);

	if (code > app->exit_code)
		app->exit_code = code;
	app_log(app, LOG_ERROR, "%s", err->msg);
}

/* ---- life ---- */

static void copy_pairs(struct option_pairs *dst, const struct option_pairs *src)
{
	dst->nr = src->nr;
	dst->v = xcalloc(src->nr, sizeof(*dst->v));
	for (u32 i = 0; i < src->nr; i++) {
		dst->v[i].name = xstrdup(src->v[i].name);
		dst->v[i].value = xstrdup(src->v[i].value);
	}
}

static void free_pairs(struct option_pairs *p)
{
	for (u32 i = 0; i < p->nr; i++) {
		free(p->v[i].name);
		free(p->v[i].value);
	}
	free(p->v);
}

void app_init(struct app *app, const struct options *opt)
{
	*app = (struct app){ .opt = opt, .run_limit = NEVER };
	app->want.machine = opt->machine ? xstrdup(opt->machine) : NULL;
	app->want.kernel = opt->kernel ? xstrdup(opt->kernel) : NULL;
	app->want.has_seed = opt->has_seed;
	app->want.seed = opt->seed;
	copy_pairs(&app->want.sets, &opt->sets);
	copy_pairs(&app->want.policies, &opt->policies);
	pacer_init(&app->pacer);
}

void app_unload(struct app *app)
{
	export_trace_close(app->trace, NULL);
	app->trace = NULL;
	scenario_lua_free(app);
	sim_free(app->sim);
	app->sim = NULL;
	machine_free(app->machine);
	app->machine = NULL;
	free(app->sc.path);
	free(app->sc.name);
	free(app->sc.title);
	free(app->sc.about);
	free(app->sc.machine);
	free(app->sc.kernel);
	app->sc = (struct scenario){ 0 };
	for (u32 i = 0; i < app->nr_warnings; i++)
		free(app->warnings[i]);
	free(app->warnings);
	app->warnings = NULL;
	app->nr_warnings = 0;
}

/* The part of @from that names what is built, without the pairs. */
static void copy_names(struct choices *to, const struct choices *from)
{
	free(to->machine);
	free(to->kernel);
	to->machine = from->machine ? xstrdup(from->machine) : NULL;
	to->kernel = from->kernel ? xstrdup(from->kernel) : NULL;
	to->has_seed = from->has_seed;
	to->seed = from->seed;
}

void app_choices(struct app *app, bool good)
{
	copy_names(good ? &app->loaded : &app->want, good ? &app->want : &app->loaded);
}

void app_fini(struct app *app)
{
	app_unload(app);
	free(app->loaded.machine);
	free(app->loaded.kernel);
	free(app->want.machine);
	free(app->want.kernel);
	free_pairs(&app->want.sets);
	free_pairs(&app->want.policies);
}

/* ---- building ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where a file lies differs from host to host, and the summary must not: only its name is said. */
static void show_notes(struct app *app, struct note_list *notes, const char *path)
{
	for (u32 i = 0; i < notes->nr; i++) {
		const struct note *n = &notes->v[i];

		if (n->line)
			app_warn(app, "%s:%d:%d: %s", path, n->line, n->col, n->text);
		else
			app_warn(app, "%s: %s", path, n->text);
	}
	if (notes->dropped)
		app_warn(app, "%s: and %u more notes", path, notes->dropped);
	note_list_fini(notes);
}

int app_build(struct app *app, const char *machine, const char *kernel, u64 seed, struct err *err)
{
	struct sim_config cfg = { .trace_records = TRACE_RING };
	char *dir = xasprintf("%s/scenarios/machine", data_dir());
	struct note_list notes = { 0 };
	int ret = -1;

	if (app->want.machine)
		machine = app->want.machine;
	if (!machine)
		machine = MACHINE_DEFAULT;
	if (app->want.kernel)
		kernel = app->want.kernel;
	if (app->want.has_seed)
		seed = app->want.seed;
	if (app->opt->seed_offset)
		seed = (seed + app->opt->seed_offset) & SEED_MAX;
	if (kernel && check_profile(kernel, err))
		goto out;
	if (machine_load(machine, dir, &app->machine, &notes, err))
		goto out;
	show_notes(app, &notes, base_name(machine));
	app->sc.machine = xstrdup(machine);
	app->sc.kernel = kernel ? xstrdup(kernel) : NULL;
	app->sc.seed = seed;
	cfg.machine = app->machine;
	cfg.profile = kernel;
	cfg.seed = seed;
	app->sim = sim_new(&cfg, err);
	if (!app->sim)
		goto out;
	if (app->opt->trace && !app->no_trace) {
		app->trace = export_trace_open(app->sim, app->opt->trace, err);
		if (!app->trace)
			goto out;
	}
	ret = 0;
out:
	if (ret)
		app->build_err = *err;
	note_list_fini(&notes);
	free(dir);
	return ret;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does @text have @name as a word, or __NAME__, which -D NAME and -D __NAME__ replace? */
static bool has_placeholder(const char *text, size_t len, const char *name)
{
	size_t n = strlen(name);
	const char *at = text, *end = text + len;

	while ((at = memmem(at, (size_t)(end - at), name, n))) {
		const char *from = at - 2 >= text && !memcmp(at - 2, "__", 2) ? at - 2 : at;
		const char *to = at + n + (from != at ? 2 : 0);

		if ((from == text || !is_word(from[-1])) && to <= end &&
		    (from == at || !memcmp(to - 2, "__", 2)) && (to == end || !is_word(*to)))
			return true;
		at++;
	}
	return false;
}

/* A -D that replaces nothing is a typing error. */
static int check_defines(struct app *app, const char *path, struct err *err)
{
	const struct option_pairs *defs = &app->opt->defines;
	char clean[64], *text;
	size_t len;

	if (!defs->nr || !strcmp(path, "-")) /* that can be read once only */
		return 0;
	if (read_file(path, 64u << 20, &text, &len, err))
		return -1;
	for (u32 i = 0; i < defs->nr && !err->code; i++) {
		if (has_placeholder(text, len, defs->v[i].name))
			continue;
		text_clean(clean, sizeof(clean), defs->v[i].name);
		err_set(err, ERR_USAGE, "-D %s: the file has no placeholder of this name", clean);
	}
	free(text);
	return err->code ? -1 : 0;
}

struct rtapp *rtapp_read(struct app *app, const char *path, struct err *err)
{
	struct json_define *defs = xcalloc(app->opt->defines.nr, sizeof(*defs));
	struct rtapp_options ro = { .defs = defs, .nr_defs = app->opt->defines.nr };
	struct note_list notes = { 0 };
	struct rtapp *r = NULL;

	for (u32 i = 0; i < app->opt->defines.nr; i++) {
		defs[i].name = app->opt->defines.v[i].name;
		defs[i].value = app->opt->defines.v[i].value;
	}
	ro.nr_cpus = app->sim->g->nr_cpus;
	if (check_defines(app, path, err) || rtapp_load(path, &ro, &r, &notes, err))
		r = NULL;
	else
		show_notes(app, &notes, base_name(path));
	note_list_fini(&notes);
	free(defs);
	return r;
}

struct giver {
	struct sim *sim;
	struct err *err;
};

static int give_input(void *ctx, struct sim_input *in)
{
	struct giver *g = ctx;

	return sim_input(g->sim, in, NULL, g->err);
}

static int load_rtapp(struct app *app, const char *path, struct err *err)
{
	struct rtapp *r = NULL;
	int ret = -1;

	if (app_build(app, NULL, NULL, 1, err))
		return -1;
	r = rtapp_read(app, path, err);
	if (!r)
		return -1;
	if (rtapp_give_groups(r, app->sim, give_input, &(struct giver){ app->sim, err }))
		goto out;
	for (u32 i = 0; i < r->nr_specs; i++) {
		struct sim_input in = { .kind = INPUT_SPAWN,
					.origin = ORIGIN_SCRIPT,
					.spec = r->specs[i] };

		if (sim_input(app->sim, &in, NULL, err))
			goto out;
	}
	app->sc.duration = r->duration ? r->duration : DEFAULT_DURATION;
	app->sc.until_done = !r->duration;
	ret = 0;
out:
	rtapp_free(r);
	return ret;
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

/* A scenario by its ending; without a known one by its first character. */
static int is_lua(const char *path, bool *lua, struct err *err)
{
	char *buf;
	size_t len, i = 0;

	*lua = true;
	if (ends_in(path, ".lua"))
		return 0;
	if (ends_in(path, ".sgs"))
		return err_set(err, ERR_USAGE, "this version does not read sessions (.sgs)");
	*lua = false;
	if (ends_in(path, ".json"))
		return 0;
	if (read_file(path, 64u << 20, &buf, &len, err))
		return -1;
	while (i < len && (buf[i] == ' ' || buf[i] == '\n' || buf[i] == '\t' || buf[i] == '\r'))
		i++;
	*lua = i < len && buf[i] != '{';
	if (memchr(buf, 0, len < 4096 ? len : 4096) || !len)
		err_set(err, ERR_USAGE,
			"it is %s; a scenario (.lua) or an rt-app workload (.json) "
			"is text",
			len ? "binary data" : "empty");
	free(buf);
	return err->code ? -1 : 0;
}

static int apply_choices(struct app *app, struct err *err)
{
	bool restart;

	for (u32 i = 0; i < app->want.policies.nr; i++)
		if (use_policy(app, app->want.policies.v[i].name, app->want.policies.v[i].value,
			       err))
			return err_wrap(err, "--policy");
	for (u32 i = 0; i < app->want.sets.nr; i++) {
		/* Knobs had their value when the script was loaded. */
		if (knob_find(app, app->want.sets.v[i].name) >= 0)
			continue;
		if (change_setting(app, app->want.sets.v[i].name, app->want.sets.v[i].value,
				   &restart, err))
			return err_wrap(err, "--set");
	}
	return 0;
}

int app_run_execs(struct app *app, struct err *err)
{
	for (u32 i = 0; i < app->opt->nr_execs; i++) {
		const struct option_exec *x = &app->opt->execs[i];
		struct strbuf out = { 0 };
		int ret;

		if (x->kind == EXEC_SCRIPT)
			ret = run_lua_file(app, x->text, err);
		else if (command_is(x->text) || !strpbrk(x->text, "({"))
			ret = command_run(app, x->text, CMD_USER, &out, err);
		else
			ret = run_lua(app, x->text, err);
		if (out.len)
			app_log(app, LOG_INFO, "%s", strbuf_str(&out));
		strbuf_fini(&out);
		if (!ret && app->want_restart)
			ret = err_set(err, ERR_USAGE,
				      "'%s' begins the scenario again, which takes an option here: "
				      "--seed, --machine, --kernel or --set",
				      x->text);
		if (ret)
			return err_wrap(err, "%s", x->kind == EXEC_SCRIPT ? "--script" : "--exec");
	}
	sim_apply_inputs(app->sim);
	return 0;
}

int app_load(struct app *app, struct err *err)
{
	const char *name = app->opt->file ? app->opt->file : DEFAULT_SCENARIO;
	char clean[256];
	char *path;
	int ret;

	app_unload(app);
	app->want_restart = false;
	if (find_scenario(name, &path, err))
		return -1;
	app->sc.path = path;
	app->sc.name = xstrdup(base_name(path));
	app->sc.name[strcspn(app->sc.name, ".")] = '\0';
	text_clean(clean, sizeof(clean), path);
	if (is_lua(path, &app->sc.lua, err))
		return err_wrap(err, "%s", clean);
	if (app->sc.lua && app->opt->defines.nr)
		return err_set(err, ERR_USAGE,
			       "-D is for rt-app files; a scenario has knobs: --set "
			       "NAME=VALUE");
	app->build_err = (struct err){ 0 };
	ret = app->sc.lua ? scenario_lua_load(app, path, err) : load_rtapp(app, path, err);
	if (!ret && !app->script)
		ret = scenario_console(app, err);
	if (ret)
		return -1;
	if (app->opt->has_duration) {
		/* One that names no duration leaves it to whoever runs it. */
		app->sc.cut_short = app->sc.duration && app->opt->duration < app->sc.duration;
		app->sc.duration = app->opt->duration;
		app->sc.until_done = false;
	}
	if (!app->sc.duration)
		app->sc.duration = DEFAULT_DURATION;
	if (apply_choices(app, err))
		return -1;
	sim_apply_inputs(app->sim);
	return 0;
}

int app_restart(struct app *app, struct err *err)
{
	app->running = false;
	app->dirty = true;
	return app_load(app, err);
}

int app_input(struct app *app, struct sim_input *in, u64 *serial, struct err *err)
{
	in->origin = ORIGIN_USER;
	if (sim_input(app->sim, in, serial, err))
		return -1;
	if (!app->running && app->loop)
		sim_apply_inputs(app->sim);
	app->dirty = true;
	return 0;
}
