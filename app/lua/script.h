/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * script.h - a scenario's script as the rest of the application sees it; no Lua in here.
 *
 * A script is a Lua state with the scenario language, hung on one simulation: its timers and event
 * handlers are called between events, what it does to the simulation is journalled with origin
 * script. Policies it defines run in states of their own (policy.c).
 */
#ifndef SG_APP_LUA_SCRIPT_H
#define SG_APP_LUA_SCRIPT_H

#include "engine/sim.h"

struct script;
struct rtapp;

/* What scenario { } asked for. Texts belong to the script; NULL = not given. */
struct script_scenario {
	const char *name, *title, *about, *machine, *kernel;
	u64 duration; /* ns, 0 = not given */
	u64 seed;
	bool has_seed;
};

/* What a script needs from its owner; every function but build may be NULL. */
struct script_host {
	void *ctx;
	/*
	 * The script needs its simulation now: scenario { } or the first use of a task, CPU or
	 * policy. Returns it (owned by the host) or NULL with @err.
	 */
	struct sim *(*build)(void *ctx, const struct script_scenario *sc, struct err *err);
	void (*print)(void *ctx, const char *line); /* print(), cleaned, one line */
	void (*warn)(void *ctx, const char *text); /* for people, and the summary's warnings */
	/* A timer, handler or policy failed; the simulation goes on. @trace: lines, may be "". */
	void (*fail)(void *ctx, const struct err *err, const char *trace);
	bool (*poll)(void *ctx); /* a console line runs long: true = Ctrl-C */
	const char *(*knob_value)(void *ctx, const char *name); /* --set NAME=VALUE, NULL = none */
	/* The rt-app workload called @name, beside the scenario or shipped: rtapp_free(). */
	struct rtapp *(*rtapp)(void *ctx, const char *name, struct err *err);
};

/* script_new - @sim may be NULL: then host->build makes it when it is needed. NULL with @err. */
struct script *script_new(const struct script_host *host, struct sim *sim, struct err *err);

/* script_free - take hooks and probes off the simulation and release all. Before sim_free(). */
void script_free(struct script *s);

/*
 * script_load - run the text of a scenario or library up to the present instant. What follows a
 * wait() runs later. On failure its effects are taken back. Builds the simulation if the text did
 * not. Returns 0, or -1 with @err; script_trace() has the traceback.
 */
int script_load(struct script *s, const char *text, size_t len, const char *name, struct err *err);

/* script_console - a line of the user: an expression is printed, origin user, Ctrl-C ends it. */
int script_console(struct script *s, const char *line, struct err *err);

/* script_trace - traceback of the last error, lines, "" = none. */
const char *script_trace(const struct script *s);

/* script_interrupt - Ctrl-C; safe in a signal handler. */
void script_interrupt(struct script *s);

const struct script_scenario *script_scenario(const struct script *s);

/* script_nr_timers - how many timers and handlers wait. */
u32 script_nr_timers(const struct script *s);

/* ---- knobs, in the order of their definition ---- */
struct script_knob {
	const char *name, *help, *unit; /* as written by the script: text_clean() before showing */
	s64 value, min, max, def;
	bool live; /* has a change function */
};
u32 script_nr_knobs(const struct script *s);
const struct script_knob *script_knob(const struct script *s, u32 i);
int script_knob_find(const struct script *s, const char *name); /* index or -1 */
/*
 * script_knob_set - move knob @i to @value (a number as text). A knob without a change function
 * keeps the value and sets *@restart: the scenario has to be loaded again for it to act.
 */
int script_knob_set(struct script *s, u32 i, const char *value, bool *restart, struct err *err);

/* ---- expectations ---- */
struct script_expect {
	const char *text; /* "latency.all.p99_us <= 1000" or the script's own */
	const char *why; /* "" = not given */
	bool ok, computed;
	char value[160]; /* what was found */
};
u32 script_nr_expects(const struct script *s);
/* script_check_expects - evaluate all at the present moment; number that failed, -1 with @err. */
int script_check_expects(struct script *s, struct err *err);
const struct script_expect *script_expect(const struct script *s, u32 i);

/* ---- figures of a thread ---- */
#define PUBLISHED_WHEN_MAX 8
struct script_published {
	char *metric, *source; /* as written by the script */
	bool change; /* in % against the first variant, else a value */
	s64 v; /* times 10^decimals */
	u32 decimals;
	u32 nr_when; /* conditions under which it was found */
	struct {
		char *name, *value;
	} when[PUBLISHED_WHEN_MAX];
};
u32 script_nr_published(const struct script *s);
const struct script_published *script_published(const struct script *s, u32 i);

/* ---- names ---- */
/* script_names - call @fn for every name of the language ("task.spawn", "task:kill", globals). */
void script_names(const struct script *s, void (*fn)(void *ctx, const char *name), void *ctx);
/* script_help - signature and documentation of @name, or false. */
bool script_help(const char *name, const char **sig, const char **doc);

#endif
