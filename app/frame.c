/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.c - `schedground --frame`: what the screen looks like after two simulated seconds, as text.
 */
#include "app/app.h"
#include "app/bench.h"
#include "app/looks.h"
#include "app/output.h"
#include "app/xalloc.h"
#include "ui/ui.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_TIME (2 * NSEC_PER_SEC)

/* A size from the environment, as a shell exports it. */
static int env_size(const char *name, int fallback, int max)
{
	const char *text = getenv(name);
	long v = text ? strtol(text, NULL, 10) : 0;

	return v > 0 && v <= max ? (int)v : fallback;
}

static void on_log(void *ctx, enum log_kind kind, const char *line)
{
	(void)ctx;
	if (kind == LOG_ERROR || kind == LOG_WARN)
		fprintf(stderr, "schedground: %s%s\n", kind == LOG_WARN ? "note: " : "", line);
}

int frame_run(const struct options *opt)
{
	struct looks_env env = {
		.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
		.w = env_size("COLUMNS", 80, CANVAS_MAX_W),
		.h = env_size("LINES", 24, CANVAS_MAX_H),
	};
	struct err err = { 0 };
	struct app app;
	char *text;
	int code;

	app_init(&app, opt);
	app.log_fn = on_log;
	if (app_load(&app, &err)) {
		code = output_error(&err);
		goto out;
	}
	looks_open(&app, &env);
	app.log_fn = on_log;
	app.running = true;
	looks_facts(&app);
	if (app_run_execs(&app, &err) ||
	    run_sampled(&app, opt->has_duration ? opt->duration : FRAME_TIME, &err)) {
		code = output_error(&err);
		goto out;
	}
	text = looks_frame(&app, false);
	code = output_text(opt->out, text, &err) ? output_error(&err) : EXIT_DONE;
	free(text);
out:
	looks_close(&app);
	app_fini(&app);
	return code;
}

/* ---- bench case U ---- */

static void no_command(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
}

int bench_ui(bool quick, u64 *cpu, u64 *events, u64 *sim_ns, char *failed, size_t size,
	     struct err *err)
{
	const struct ui_host host = { .command = no_command };
	u64 end = (quick ? 6 : 60) * NSEC_PER_SEC, begin, frames = 0;
	struct sim *s = bench_w1(0, err);
	struct palette palette;
	struct canvas c;
	struct ui *ui;
	int cx, cy;

	if (!s)
		return -1;
	canvas_init(&c, 200, 50);
	palette_init(&palette, "256", 256, false);
	ui = ui_new(&host, s);
	ui_looks(ui, GLYPHS_BLOCKS, &palette);
	ui_set_facts(ui, &(struct ui_facts){ .scenario = "W1",
					     .machine = "smp8",
					     .running = true,
					     .ratio = PACER_ONE });
	begin = cpu_ns();
	for (u64 frame = NSEC_PER_SEC / 10; frame <= end && !err->code;) {
		ktime_ns next = ui_sample_next(ui);
		ktime_ns until = next < frame ? next : frame;

		if (sim_run_until(s, until > s->g->now ? until : s->g->now, 0) == SIM_ERROR)
			*err = s->err;
		if (next <= s->g->now)
			ui_sample(ui, s);
		if (s->g->now < frame)
			continue;
		ui_draw(ui, s, &c, &cx, &cy);
		frames++;
		frame += NSEC_PER_SEC / 10;
	}
	*cpu = cpu_ns() - begin;
	*events = s->stats->events;
	*sim_ns = s->g->now;
	if (frames != end / (NSEC_PER_SEC / 10))
		snprintf(failed, size, "frames: %llu", (unsigned long long)frames);
	ui_free(ui);
	canvas_fini(&c);
	sim_free(s);
	return err->code ? -1 : 0;
}
