/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reload.c - notices that the scenario's file was saved. See reload.h.
 *
 * Editors write in several steps (truncate, write, rename): a restart is asked for when nothing has
 * happened to the file for 100 ms. libev uses inotify where it can, so waiting costs nothing.
 */
#include "app/reload.h"

#include "app/app.h"
#include "app/xalloc.h"

#include <ev.h>
#include <stdlib.h>
#include <string.h>

#define QUIET 0.1 /* s */
#define POLL 2.0 /* s, where inotify does not work */

struct reload {
	struct app *app;
	struct ev_loop *ev;
	ev_stat file;
	ev_timer quiet;
	char *path;
};

static void on_change(struct ev_loop *ev, ev_stat *w, int revents)
{
	struct reload *r = w->data;

	(void)revents;
	/* Gone for a moment while it is replaced, or only looked at: no reason to load it. */
	if (!w->attr.st_nlink ||
	    (w->attr.st_mtime == w->prev.st_mtime && w->attr.st_size == w->prev.st_size &&
	     w->attr.st_ino == w->prev.st_ino))
		return;
	ev_timer_again(ev, &r->quiet);
}

static void on_quiet(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct reload *r = w->data;

	(void)revents;
	ev_timer_stop(ev, w);
	r->app->want_restart = true;
}

struct reload *reload_watch(struct app *app, struct ev_loop *ev)
{
	struct reload *r;

	if (!app->sc.path || !strcmp(app->sc.path, "-"))
		return NULL;
	r = xcalloc(1, sizeof(*r));
	r->app = app;
	r->ev = ev;
	r->path = xstrdup(app->sc.path);
	ev_stat_init(&r->file, on_change, r->path, POLL);
	r->file.data = r;
	ev_init(&r->quiet, on_quiet);
	r->quiet.repeat = QUIET;
	r->quiet.data = r;
	ev_stat_start(ev, &r->file);
	return r;
}

void reload_stop(struct reload *r)
{
	if (!r)
		return;
	ev_stat_stop(r->ev, &r->file);
	ev_timer_stop(r->ev, &r->quiet);
	free(r->path);
	free(r);
}
