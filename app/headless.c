/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * headless.c - `schedground run`: the same simulation without a terminal, and a summary at the end.
 */
#include "app/app.h"
#include "app/export_trace.h"
#include "app/output.h"
#include "app/scenario.h"
#include "app/text.h"
#include "app/units.h"
#include "engine/observe/watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 50000ull /* events between two looks at the clock */

/* A signal handler can reach nothing else. */
static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

static void to_stderr(void *ctx, enum log_kind kind, const char *line)
{
	const struct app *app = ctx;

	/* Warnings stand in the summary. What a command was asked for is no note. */
	if (kind == LOG_LUA || kind == LOG_WARN ||
	    (app->opt->quiet && kind != LOG_ERROR && kind != LOG_INFO))
		return;
	if (kind == LOG_ERROR)
		fprintf(stderr, "schedground: %s\n", line);
	else
		fprintf(stderr, "%s\n", line);
}

struct progress {
	bool on;
	u64 begin, last;
};

static void progress_show(struct progress *p, const struct app *app)
{
	u64 now = p->on ? wall_ns() : 0;
	u64 took = now - p->begin;

	if (!p->on || now - p->last < 100 * NSEC_PER_MSEC || took < 300 * NSEC_PER_MSEC)
		return;
	p->last = now;
	fprintf(stderr, "\r%3llu%%  %llu.%llus of %llus  %llux real time \033[K",
		(unsigned long long)(app->sim->g->now * 100 / app->sc.duration),
		(unsigned long long)(app->sim->g->now / NSEC_PER_SEC),
		(unsigned long long)(app->sim->g->now / (NSEC_PER_SEC / 10) % 10),
		(unsigned long long)(app->sc.duration / NSEC_PER_SEC),
		(unsigned long long)(app->sim->g->now / (took ? took : 1)));
}

static void progress_clear(const struct progress *p)
{
	if (p->on && p->last)
		fprintf(stderr, "\r\033[K");
}

static bool tasks_left(const struct sim *s)
{
	for_each_live(p, &s->arena, POOL_TASK) if (!(s->tasks[p].flags & PF_KTHREAD)) return true;
	return false;
}

/* The kind of the event that was the last one, for people. */
static const char *last_event(const struct sim *s)
{
	const struct trace_rec *rec =
		trace_count(&s->trace) ? trace_at(&s->trace, trace_count(&s->trace) - 1) : NULL;

	return rec ? trace_event_descs[rec->type].name : "none traced";
}

/* --check: what sim_run_until() does with a chunk, and a look at everything around each event. */
static enum sim_stop checked_chunk(struct app *app, struct sim_watch *w, struct err *err)
{
	struct sim *s = app->sim;

	for (u64 events = 0; events < CHUNK && !interrupted;) {
		enum sim_stop stop = sim_watch_step(w, s, app->sc.duration, err);

		if (stop == SIM_ERROR) {
			if (!s->err.code)
				err_wrap(err, "--check: at %llu ns, event %llu (%s)",
					 (unsigned long long)s->g->now,
					 (unsigned long long)s->g->ordinal, last_event(s));
			return stop;
		}
		events += stop == SIM_BUDGET;
		/* A step ends where the next thing is, which need not be the end. */
		if (stop != SIM_BUDGET && s->g->now >= app->sc.duration)
			return stop;
	}
	return SIM_BUDGET;
}

static int run_once(struct app *app, struct run_report *r, struct err *err)
{
	struct sim_watch *w = app->opt->check ? sim_watch_new() : NULL;
	struct progress p = { .on = isatty(STDERR_FILENO) && !app->opt->quiet };
	u64 cpu = cpu_ns();
	int ret = 0;

	p.begin = wall_ns();
	while (app->sim->g->now < app->sc.duration && !interrupted) {
		enum sim_stop stop = w ? checked_chunk(app, w, err)
				       : sim_run_until(app->sim, app->sc.duration, CHUNK);

		if (stop == SIM_ERROR) {
			if (!w)
				*err = app->sim->err;
			ret = -1;
			break;
		}
		if (stop == SIM_REACHED || app->want_quit ||
		    (app->sc.until_done && !tasks_left(app->sim)))
			break;
		progress_show(&p, app);
	}
	progress_clear(&p);
	sim_watch_free(w);
	r->wall_ns = wall_ns() - p.begin;
	r->cpu_ns = cpu_ns() - cpu;
	r->interrupted = interrupted;
	return ret;
}

static void worst(int *code, int other)
{
	if (other > *code)
		*code = other;
}

/* Run again from the file, without the trace, and compare. */
static int check_again(struct app *app, struct run_report *r, struct err *err)
{
	u64 first = sim_digest(app->sim), events = app->sim->stats->events;

	if (export_trace_close(app->trace, err))
		return -1;
	app->trace = NULL;
	app->no_trace = true;
	if (app_load(app, err) || app_run_execs(app, err) || run_once(app, r, err))
		return -1;
	if (r->interrupted || (sim_digest(app->sim) == first && app->sim->stats->events == events))
		return 0;
	return err_set(err, ERR_DIVERGED,
		       "two runs with the same inputs differ: digest %016llx and %016llx",
		       (unsigned long long)first, (unsigned long long)sim_digest(app->sim));
}

static int report(struct app *app, const struct run_report *r, struct err *err)
{
	char *text = app->opt->json ? summary_json(app, r) : summary_text(app, r);
	int ret = output_text(app->opt->out, text, err);

	free(text);
	return ret;
}

/* What failed also goes to stderr: the summary may go to a file that nobody looks at. */
static void complain_expects(const struct app *app)
{
	struct strbuf b = { 0 };
	char *save, *text;

	text_expects(&b, app);
	text = strbuf_take(&b);
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		if (!strncmp(l, "  FAILED", 8))
			fprintf(stderr, "schedground: failed:%s\n", l + 8);
	free(text);
}

int headless_cell(const struct options *opt, struct strbuf *json, struct err *err)
{
	struct run_report r = { .compact = true };
	struct err other = { 0 };
	struct app app;
	char *text;
	int code = EXIT_DONE, failed;

	app_init(&app, opt);
	if (app_load(&app, err) || app_run_execs(&app, err) || run_once(&app, &r, err)) {
		code = exit_code_of(err);
		goto out;
	}
	failed = app.sc.cut_short ? 0 : check_expects(&app, &other);
	if (failed)
		code = failed < 0 ? exit_code_of(&other) : EXIT_EXPECT;
	if (sim_check(app.sim, err))
		worst(&code, exit_code_of(err));
	summary_notes(&app);
	text = summary_json(&app, &r);
	strbuf_puts(json, text);
	free(text);
	worst(&code, app.exit_code);
out:
	app_fini(&app);
	return code;
}

int headless_run(const struct options *opt)
{
	struct sigaction act = { .sa_handler = on_signal };
	struct run_report r = { 0 };
	struct err err = { 0 };
	struct app app;
	int code = EXIT_DONE, failed;
	bool broken = false; /* an invariant, as --check has said */

	app_init(&app, opt);
	app.log_fn = to_stderr;
	app.log_ctx = &app;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (app_load(&app, &err) || app_run_execs(&app, &err)) {
		code = output_error(&err);
		goto out;
	}
	if (run_once(&app, &r, &err)) {
		/* What stopped it, and how far it came. */
		broken = err.code == ERR_DIVERGED;
		worst(&code, output_error(&err));
		err.code = ERR_NONE;
	} else if (opt->check_determinism && check_again(&app, &r, &err)) {
		worst(&code, output_error(&err));
		err.code = ERR_NONE;
	}
	if (!app.sim)
		goto out;
	if (app.sc.cut_short && has_expects(&app))
		app_warn(&app, "expectations are not judged: the run is shorter than the scenario");
	else if (!r.interrupted && code == EXIT_DONE) {
		failed = check_expects(&app, &err);
		if (failed < 0)
			worst(&code, output_error(&err));
		else if (failed)
			worst(&code, EXIT_EXPECT);
		if (failed > 0)
			complain_expects(&app);
		err.code = ERR_NONE;
	}
	/* What --check has told is not told again. */
	if (!broken && sim_check(app.sim, &err))
		worst(&code, output_error(&err));
	err.code = ERR_NONE;
	summary_notes(&app);
	if (report(&app, &r, &err) || export_trace_close(app.trace, &err))
		worst(&code, output_error(&err));
	app.trace = NULL;
	worst(&code, app.exit_code);
	if (r.interrupted)
		code = EXIT_INTERRUPTED;
out:
	app_fini(&app);
	return code;
}
