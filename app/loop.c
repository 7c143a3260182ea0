/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.c - the event loop of the screen; the only user of libev beside reload.c.
 *
 * Watchers only mark; on_prepare() is the one place that acts, right before the loop would sleep:
 *
 *	frame	timer, 30 Hz	only while time runs or something waits to be drawn
 *	slice	idle		runs the engine, only while it is behind its target
 *	keys	io on stdin	reads all keys (stdin is a terminal, or term_open() refused)
 *	signals			WINCH INT TERM HUP TSTP CONT USR1
 *
 * Paused and drawn, nothing is armed but stdin and the signals: no wake-ups at all.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/crash.h"
#include "app/looks.h"
#include "app/output.h"
#include "app/reload.h"
#include "app/scenario.h"
#include "ui/term.h"
#include "ui/ui.h"

#include <ev.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAME_RATE 30
/* A little less than a frame: the timer is not exact, and a frame late by 1 ms must not be skipped. */
#define FRAME_GAP (NSEC_PER_SEC / FRAME_RATE - 5 * NSEC_PER_MSEC)
#define DRAW_GAP (NSEC_PER_SEC / 60) /* a key is shown at once unless a frame was just drawn */

static const int signals[] = {
	SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGUSR1
};
#define NR_SIGNALS ARRAY_SIZE(signals)

struct loop {
	struct app *app;
	struct ev_loop *ev;
	ev_timer frame;
	ev_idle slice;
	ev_io keys;
	ev_prepare prepare;
	ev_signal signal[NR_SIGNALS];
	struct terminal *term;
	struct canvas canvas;
	struct reload *reload;
	u64 drawn_at; /* wall */
	u64 last_int; /* wall, of a Ctrl-C that interrupted nothing */
	bool resized, stop, gone, interrupt, redraw;
	int signal_exit;
};

/* ---- watchers: mark only ---- */

static void on_signal(struct ev_loop *ev, ev_signal *w, int revents)
{
	struct loop *l = w->data;

	(void)ev;
	(void)revents;
	switch (w->signum) {
	case SIGWINCH:
		l->resized = true;
		break;
	case SIGINT:
		l->interrupt = true;
		break;
	case SIGHUP:
	case SIGTERM:
	case SIGQUIT: /* a shell must not be left with our screen */
		l->gone = w->signum == SIGHUP;
		l->signal_exit = EXIT_INTERRUPTED;
		l->app->want_quit = true;
		break;
	case SIGTSTP:
		l->stop = true;
		break;
	default: /* CONT, USR1: what is on the screen may be anything */
		l->redraw = true;
		break;
	}
}

static void on_keys(struct ev_loop *ev, ev_io *w, int revents)
{
	struct loop *l = w->data;
	struct key_event key;
	enum term_input got;

	(void)revents;
	while ((got = term_key(l->term, &key)) == TERM_KEY) {
		ui_key(l->app->ui, l->app->sim, &key);
		l->app->dirty = true;
		if (l->app->want_quit || l->app->want_restart)
			break;
	}
	if (got != TERM_GONE)
		return;
	/* The terminal has vanished: do not look at it again, leave. */
	ev_io_stop(ev, w);
	l->gone = true;
	l->app->want_quit = true;
}

static void on_frame(struct ev_loop *ev, ev_timer *w, int revents)
{
	(void)ev;
	(void)w;
	(void)revents; /* on_prepare() does the work */
}

/* ---- the engine ---- */

static ktime_ns look_next(void *ctx)
{
	return ui_sample_next(((struct app *)ctx)->ui);
}

static void look(void *ctx)
{
	struct app *app = ctx;

	ui_sample(app->ui, app->sim);
}

static void run_slice(struct loop *l)
{
	struct app *app = l->app;
	const struct pacer_looker looker = { app, look_next, look };
	enum sim_stop stop;

	if (!app->running) {
		ev_idle_stop(l->ev, &l->slice);
		return;
	}
	stop = pacer_slice(&app->pacer, app->sim, app->run_limit, wall_ns, &looker);
	if (stop == SIM_ERROR) {
		app->running = false;
		app_fail(app, &app->sim->err);
	} else if (app->sim->g->now >= app->run_limit) {
		app->running = false;
		app->run_limit = NEVER;
	}
	app->dirty = true;
	if (app->running && stop == SIM_BUDGET)
		ev_idle_start(l->ev, &l->slice);
	else
		ev_idle_stop(l->ev, &l->slice);
}

static void on_slice(struct ev_loop *ev, ev_idle *w, int revents)
{
	(void)ev;
	(void)revents;
	run_slice(w->data);
}

/* ---- acting ---- */

static void draw(struct loop *l, u64 now)
{
	struct app *app = l->app;
	int cx, cy;

	looks_facts(app);
	ui_draw(app->ui, app->sim, &l->canvas, &cx, &cy);
	if (ui_take_redraw(app->ui))
		term_redraw(l->term);
	term_draw(l->term, &l->canvas, ui_palette(app->ui), cx, cy);
	l->drawn_at = now;
	app->dirty = false;
}

static void take_size(struct loop *l)
{
	int w, h;

	term_size(l->term, &w, &h);
	canvas_fini(&l->canvas);
	canvas_init(&l->canvas, w, h);
	looks_resize(l->app, w, h);
}

/* Ctrl-Z: give the terminal back, stop, and take it again when the shell lets us go on. */
static void suspend(struct loop *l)
{
	l->stop = false;
	term_suspend(l->term);
	raise(SIGSTOP);
	term_resume(l->term);
	if (term_resize(l->term))
		take_size(l);
	pacer_start(&l->app->pacer, wall_ns(), l->app->sim->g->now);
	l->app->dirty = true;
}

static void interrupt(struct loop *l)
{
	const struct key_event key = { .key = UKEY_CTRL('g') };
	u64 now = wall_ns();

	l->interrupt = false;
	if (l->last_int && now - l->last_int < 2 * NSEC_PER_SEC) {
		l->signal_exit = EXIT_INTERRUPTED;
		l->app->want_quit = true;
		return;
	}
	l->last_int = now;
	ui_key(l->app->ui, l->app->sim, &key); /* closes a prompt or menu */
	app_log(l->app, LOG_INFO, "q quits; Ctrl-C once more too");
	l->app->dirty = true;
}

/* Load the scenario anew. What fails to load leaves the screen with the message and nothing to run. */
static void restart(struct loop *l)
{
	struct app *app = l->app;
	bool was_running = app->running;
	struct err err = { 0 };
	struct app old = *app;

	/* The present run stays until the new one stands. */
	app->sim = NULL;
	app->script = NULL;
	app->machine = NULL;
	app->trace = NULL;
	app->sc = (struct scenario){ 0 };
	app->warnings = NULL;
	app->nr_warnings = 0;
	app->running = false;
	if (app_restart(app, &err)) {
		struct app failed = *app;

		app_unload(&failed);
		app->sim = old.sim;
		app->script = old.script;
		app->machine = old.machine;
		app->trace = old.trace;
		app->sc = old.sc;
		app->warnings = old.warnings;
		app->nr_warnings = old.nr_warnings;
		app_log(app, LOG_ERROR, "%s", err.msg);
		app_log(app, LOG_INFO, "what ran before goes on");
		app_choices(app, false);
	} else {
		ui_attach(app->ui, app->sim);
		app_unload(&old);
		app_choices(app, true);
		app_log(app, LOG_INFO, "%s restarted", app->sc.name);
		if (app_run_execs(app, &err))
			app_log(app, LOG_ERROR, "%s", err.msg);
	}
	app->want_restart = false;
	app->running = was_running;
	app->run_limit = NEVER;
	pacer_start(&app->pacer, wall_ns(), app->sim->g->now);
	app->dirty = true;
}

static void arm(struct loop *l)
{
	bool want = l->app->running || l->app->dirty;

	if (want && !ev_is_active(&l->frame))
		ev_timer_again(l->ev, &l->frame);
	else if (!want && ev_is_active(&l->frame))
		ev_timer_stop(l->ev, &l->frame);
}

static void on_prepare(struct ev_loop *ev, ev_prepare *w, int revents)
{
	struct loop *l = w->data;
	struct app *app = l->app;
	u64 now;

	(void)revents;
	if (l->stop)
		suspend(l);
	if (l->interrupt)
		interrupt(l);
	if (app->want_restart && !app->want_quit)
		restart(l);
	if (app->want_quit) {
		ev_break(ev, EVBREAK_ALL);
		return;
	}
	if (l->resized && term_resize(l->term))
		take_size(l);
	if (l->redraw) {
		if (term_resize(l->term))
			take_size(l);
		term_redraw(l->term);
		app->dirty = true;
	}
	l->resized = l->redraw = false;
	if (app->running && !ev_is_active(&l->slice))
		run_slice(l);
	now = wall_ns();
	if (app->dirty &&
	    (now - l->drawn_at >= FRAME_GAP || (!app->running && now - l->drawn_at >= DRAW_GAP)))
		draw(l, now);
	arm(l);
}

/* SIGINT also has to end a line of Lua while the loop does not turn. */
static const struct app *interruptible;

static void on_int(int sig)
{
	if (!interruptible || !script_interrupt_now(interruptible))
		ev_feed_signal(sig);
}

static void watch(struct loop *l)
{
	struct sigaction act = { .sa_handler = on_int, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < NR_SIGNALS; i++) {
		ev_signal_init(&l->signal[i], on_signal, signals[i]);
		l->signal[i].data = l;
		ev_signal_start(l->ev, &l->signal[i]);
	}
	interruptible = l->app;
	sigaction(SIGINT, &act, NULL);
	ev_io_init(&l->keys, on_keys, STDIN_FILENO, EV_READ);
	l->keys.data = l;
	ev_io_start(l->ev, &l->keys);
	ev_init(&l->frame, on_frame);
	l->frame.repeat = 1.0 / FRAME_RATE;
	l->frame.data = l;
	ev_idle_init(&l->slice, on_slice);
	l->slice.data = l;
	ev_prepare_init(&l->prepare, on_prepare);
	l->prepare.data = l;
	ev_prepare_start(l->ev, &l->prepare);
}

static void unwatch(struct loop *l)
{
	interruptible = NULL;
	for (size_t i = 0; i < NR_SIGNALS; i++)
		ev_signal_stop(l->ev, &l->signal[i]);
	ev_io_stop(l->ev, &l->keys);
	ev_timer_stop(l->ev, &l->frame);
	ev_idle_stop(l->ev, &l->slice);
	ev_prepare_stop(l->ev, &l->prepare);
}

static void early_log(void *ctx, enum log_kind kind, const char *line)
{
	(void)ctx;
	if (kind == LOG_ERROR)
		fprintf(stderr, "schedground: %s\n", line);
}

static int show(struct loop *l, struct err *err)
{
	struct app *app = l->app;
	struct looks_env env = { 0 };

	l->term = term_open(stdin, stdout, NULL, err);
	if (!l->term)
		return err_wrap(err, "terminal");
	env.utf8 = term_utf8(l->term);
	env.colours = term_colours(l->term);
	term_size(l->term, &env.w, &env.h);
	looks_open(app, &env);
	take_size(l);
	crash_watch(app, term_restore_get(l->term));
	for (u32 i = 0; i < app->nr_warnings; i++)
		app_log(app, LOG_PRINT, "note: %s", app->warnings[i]); /* console only */
	l->ev = ev_loop_new(EVFLAG_NOENV);
	if (!l->ev)
		return err_set(err, ERR_LIMIT, "the event loop cannot be made");
	/* One of them may be "pause"; "until" goes there at once, because the loop is not known yet. */
	app->running = true;
	if (app_run_execs(app, err))
		return -1;
	app->loop = l;
	pacer_start(&app->pacer, wall_ns(), app->sim->g->now);
	draw(l, wall_ns());
	watch(l);
	l->reload = reload_watch(app, l->ev);
	ev_run(l->ev, 0);
	reload_stop(l->reload);
	unwatch(l);
	return 0;
}

int loop_run(const struct options *opt)
{
	struct loop l = { 0 };
	struct err err = { 0 };
	struct app app;
	int code = EXIT_DONE;

	app_init(&app, opt);
	l.app = &app;
	app.log_fn = early_log;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		err_set(&err, ERR_USAGE,
			"%s is no terminal; 'schedground run FILE' works without "
			"one, 'schedground --frame' prints one screen",
			isatty(STDIN_FILENO) ? "standard output" : "standard input");
		code = output_error(&err);
		goto out;
	}
	if (app_load(&app, &err)) {
		code = output_error(&err);
		goto out;
	}
	app_choices(&app, true);
	canvas_init(&l.canvas, 1, 1);
	show(&l, &err);
	crash_watch(NULL, NULL);
	looks_close(&app);
	term_close(l.term);
	canvas_fini(&l.canvas);
	if (l.ev)
		ev_loop_destroy(l.ev);
	app.loop = NULL;
	if (err.code)
		code = output_error(&err);
	if (app.exit_code > code)
		code = app.exit_code;
	if (l.signal_exit > code)
		code = l.signal_exit;
out:
	app_fini(&app);
	return code;
}
