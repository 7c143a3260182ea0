/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * crash.h - the last words: put the terminal back, say where the simulation was, end.
 */
#ifndef SG_APP_CRASH_H
#define SG_APP_CRASH_H

struct app;
struct term_restore;

/*
 * crash_watch - from now on a broken invariant (BUG_ON) or a deadly signal restores the terminal
 * with @r (copied, NULL: nothing to restore) and reports on @app. NULL @app: no longer.
 */
void crash_watch(const struct app *app, const struct term_restore *r);

#endif
