/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * crash.h - the last words: put the terminal back, say where the simulation was, end.
 */
#ifndef SG_APP_CRASH_H
#define SG_APP_CRASH_H

#include <stddef.h>

struct app;
struct term_restore;

/*
 * crash_watch - from now on a broken invariant (BUG_ON) or a deadly signal restores the terminal
 * with @r (copied, NULL: nothing to restore) and reports on @app. NULL @app: no longer.
 */
void crash_watch(const struct app *app, const struct term_restore *r);

/*
 * crash_no_memory - the front end is out of memory and cannot go on: the terminal is put back, one
 * line told, and the process ends with the exit code of a limit. @bytes: what was asked for.
 */
_Noreturn void crash_no_memory(size_t bytes);

#endif
