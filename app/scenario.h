/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scenario.h - what the rest of the application needs from a loaded Lua file: knobs, expectations,
 * the console. An rt-app workload has none of the first two; every function copes with that.
 */
#ifndef SG_APP_SCENARIO_H
#define SG_APP_SCENARIO_H

#include "app/app.h"
#include "app/jsonout.h"

struct rtapp;

struct knob_view {
	const char *name, *unit, *help; /* as the script wrote them: clean before showing */
	s64 value, min, max;
	bool live; /* has a change function */
};

/* scenario_lua_load - read the Lua file @path, build the simulation it asks for, run it to time 0. */
int scenario_lua_load(struct app *app, const char *path, struct err *err);
void scenario_lua_free(struct app *app);

/* scenario_console - a script state for the console and --script beside a workload without one. */
int scenario_console(struct app *app, struct err *err);

/* rtapp_read - the rt-app workload @path for the machine in force, -D in it replaced; NULL with @err. */
struct rtapp *rtapp_read(struct app *app, const char *path, struct err *err);

/* app_build - machine and simulation from choices and the scenario's wishes (NULL: none). */
int app_build(struct app *app, const char *machine, const char *kernel, u64 seed, struct err *err);

u32 knob_count(const struct app *app);
bool knob_get(const struct app *app, u32 i, struct knob_view *out);
int knob_find(const struct app *app, const char *name);
/* knob_set - move it; *@restart: it has no change function, the scenario must be loaded again. */
int knob_set(struct app *app, u32 i, const char *value, bool *restart, struct err *err);

/* Expectations, checked at the end: number that failed, -1 with @err if one could not be computed. */
int check_expects(struct app *app, struct err *err);
bool has_expects(const struct app *app);
void write_knobs(struct jsonout *j, const struct app *app);
void write_expects(struct jsonout *j, const struct app *app);
void text_expects(struct strbuf *b, const struct app *app);

/* Published figures that fit the present choices (published.c). */
void write_published(struct jsonout *j, const struct app *app);
void text_published(struct strbuf *b, const struct app *app);

/* run_lua - a line of Lua from the user; what it prints goes to the log. */
int run_lua(struct app *app, const char *code, struct err *err);
/* lua_trace - traceback of the last error, lines; "" = none. */
const char *lua_trace(const struct app *app);
/* script_interrupt_now - end the running line of Lua, if one runs; safe in a signal handler. */
bool script_interrupt_now(const struct app *app);
/* run_lua_file - --script FILE, `source FILE`. */
int run_lua_file(struct app *app, const char *path, struct err *err);

#endif
