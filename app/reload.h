/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reload.h - notices that the scenario's file was saved, and asks for a restart.
 */
#ifndef SG_APP_RELOAD_H
#define SG_APP_RELOAD_H

struct app;
struct ev_loop;
struct reload;

/* reload_watch - watch app->sc.path; NULL when there is nothing to watch. reload_stop() ends it. */
struct reload *reload_watch(struct app *app, struct ev_loop *ev);
void reload_stop(struct reload *r);

#endif
