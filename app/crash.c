/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * crash.c - the last words. See crash.h.
 *
 * A signal handler has no argument to find the application by, so it is kept in one static pointer.
 * Reading the simulation there is a risk taken knowingly: the process is lost anyway, and a second
 * fault ends it at once because the handler resets itself.
 */
#include "app/crash.h"

#include "app/app.h"
#include "app/export_trace.h"
#include "ui/term.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAST_RECORDS 32

static struct {
	const struct app *app;
	struct term_restore restore;
	bool have_restore;
} watched;

static void say(const char *text)
{
	size_t n = strlen(text);

	while (n) {
		ssize_t put = write(STDERR_FILENO, text, n);

		if (put <= 0)
			return;
		text += put;
		n -= (size_t)put;
	}
}

static void report(const char *what)
{
	const struct app *app = watched.app;
	const struct sim *s = app ? app->sim : NULL;
	char line[600];

	watched.app = NULL;
	if (watched.have_restore)
		term_restore_now(&watched.restore);
	watched.have_restore = false;
	snprintf(line, sizeof(line), "\nschedground: %s\n", what);
	say(line);
	if (!s || !s->g)
		return;
	snprintf(line, sizeof(line),
		 "at event %llu, simulated time %llu ns, seed %llu, kernel %s, "
		 "file %s\n",
		 (unsigned long long)s->g->ordinal, (unsigned long long)s->g->now,
		 (unsigned long long)s->g->seed, kernel_profiles[s->g->profile].name,
		 app->sc.path ? app->sc.path : "-");
	say(line);

	u64 nr = trace_count(&s->trace);

	if (nr)
		say("last trace records:\n");
	for (u64 i = nr > LAST_RECORDS ? nr - LAST_RECORDS : 0; i < nr; i++) {
		trace_line(s, trace_at(&s->trace, i), line, sizeof(line) - 2);
		strcat(line, "\n");
		say(line);
	}
	say("Please report this with the file and the options you used.\n");
}

static void on_bug(const char *file, int line, const char *cond)
{
	char what[256];

	snprintf(what, sizeof(what), "BUG: %s:%d: %s", file, line, cond);
	report(what);
	signal(SIGABRT, SIG_DFL);
	abort();
}

#if !defined(__SANITIZE_ADDRESS__)
static void on_fault(int sig)
{
	report(sig == SIGSEGV	? "BUG: segmentation fault"
	       : sig == SIGABRT ? "BUG: aborted"
				: "BUG: fatal signal");
	raise(sig); /* SA_RESETHAND: the default action now */
}
#endif

void crash_no_memory(size_t bytes)
{
	char line[100];

	if (watched.have_restore)
		term_restore_now(&watched.restore);
	watched.have_restore = false;
	snprintf(line, sizeof(line), "schedground: out of memory (asked for %zu bytes)\n", bytes);
	say(line);
	_exit(EXIT_LIMIT);
}

void crash_watch(const struct app *app, const struct term_restore *r)
{
	watched.app = app;
	watched.have_restore = r != NULL;
	if (r)
		watched.restore = *r;
	bug_handler_set(app ? on_bug : NULL);
#if !defined(__SANITIZE_ADDRESS__)
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	struct sigaction act = { .sa_handler = app ? on_fault : SIG_DFL,
				 .sa_flags = SA_RESETHAND | SA_NODEFER };

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigaction(faults[i], &act, NULL);
#endif
}
