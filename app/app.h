/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * app.h - everything that hangs together: what was asked for, the simulation, the script, the screen.
 *
 * One struct app per process or test; nothing here is global.
 */
#ifndef SG_APP_APP_H
#define SG_APP_APP_H

#include <signal.h>

#include "app/options.h"
#include "app/pacer.h"
#include "app/strbuf.h"
#include "engine/sim.h"

struct script;
struct ui;
struct loop;
struct looks;

/* What a line of the log is; the console colours by it. */
enum log_kind {
	LOG_INFO, /* what a command says */
	LOG_LUA, /* the Lua line that does what was done */
	LOG_PRINT, /* print() of a script */
	LOG_WARN,
	LOG_ERROR,
};

/* What to load, as it stands now: the options, and what commands changed since. */
struct choices {
	char *machine, *kernel; /* NULL: the scenario's, or the default */
	bool has_seed;
	u64 seed;
	struct option_pairs sets, policies;
};

/* What was loaded. */
struct scenario {
	char *path; /* of the file */
	char *name, *title, *about;
	bool lua; /* a Lua file, else an rt-app workload */
	bool until_done; /* stop when no task is left */
	ktime_ns duration;
	bool cut_short; /* --for is shorter than what the scenario asks for */
	u64 seed;
	char *machine; /* name as asked for */
	char *kernel;
};

struct app {
	const struct options *opt;
	struct choices want;
	struct choices loaded; /* what the present run was built with; no pairs */
	struct scenario sc;
	struct machine_desc *machine;
	struct sim *sim;
	struct script *script; /* NULL: an rt-app workload without a console */
	struct pacer pacer;
	struct ui *ui; /* NULL without a screen */
	struct looks *looks; /* looks.c */
	struct loop *loop; /* NULL without a loop */
	struct export_trace *trace; /* --trace */
	bool no_trace; /* the second run of --check-determinism */

	bool running; /* time passes */
	ktime_ns run_limit; /* stop here; NEVER = no limit */
	bool dirty; /* the screen no longer shows what is */
	bool want_restart, want_quit;
	volatile sig_atomic_t lua_line; /* the user's own line of Lua runs */
	bool script_failed;
	int exit_code; /* the largest so far */
	struct err build_err; /* why app_build() failed, before a script put its place in front */

	/* Lines for people, newest last; the screen's console shows them. */
	void (*log_fn)(void *ctx, enum log_kind kind, const char *line);
	void *log_ctx;
	char **warnings; /* for the summary */
	u32 nr_warnings;
};

/* app_init - take over the options; app_fini releases everything that was loaded. */
void app_init(struct app *app, const struct options *opt);
void app_fini(struct app *app);

/*
 * app_load - read the scenario, build machine and simulation, run the script up to time 0, apply
 * --policy and --set. Whatever was loaded before is released first. Returns 0, or -1 with @err.
 */
int app_load(struct app *app, struct err *err);
void app_unload(struct app *app);

/* app_run_execs - --exec and --script, in their order; after the screen is there if there is one. */
int app_run_execs(struct app *app, struct err *err);

/* app_choices - what was wanted turned out good, or is taken back to what runs. */
void app_choices(struct app *app, bool good);

/* app_restart - app_load() with the present choices, for a screen that stays. */
int app_restart(struct app *app, struct err *err);

/* app_input - hand an input of the user to the engine and apply it now if time stands still. */
int app_input(struct app *app, struct sim_input *in, u64 *serial, struct err *err);

/* app_log - a line for people; text_clean()ed here. */
void app_log(struct app *app, enum log_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* app_warn - the same as LOG_WARN, and remembered for "warnings" of the summary (once each). */
void app_warn(struct app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* app_fail - note an error for the exit code; shows it as LOG_ERROR. */
void app_fail(struct app *app, const struct err *err);

/* ---- paths.c: where shipped files are ---- */
/* data_dir - folder that holds scenarios/ and scripts/lua/. */
const char *data_dir(void);

/*
 * find_scenario - the file that @name stands for: itself, or one of the shipped ones. *@path is
 * owned by the caller. Returns 0, or -1 with @err naming the nearest one.
 */
int find_scenario(const char *name, char **path, struct err *err);

/*
 * shipped_files - names of files in @sub (below data_dir()) that end in @ext (".lua"), sorted. The
 * caller frees with names_free().
 */
char **shipped_files(const char *sub, const char *ext, u32 *nr);
void names_free(char **names, u32 nr);

/* wall_ns - the monotonic clock. cpu_ns - CPU time of this process. */
u64 wall_ns(void);
u64 cpu_ns(void);

/* ---- headless.c, bench.c, list.c: one function each ---- */
int headless_run(const struct options *opt);
/*
 * headless_cell - the run of @opt for compare and sweep: the summary is added to @json, and nothing
 * goes anywhere else. Returns the exit code, with @err where there is no summary or it is not sound.
 */
int headless_cell(const struct options *opt, struct strbuf *json, struct err *err);
int bench_run(const struct options *opt);
int list_run(const struct options *opt);

/* summary.c */
struct run_report {
	u64 wall_ns, cpu_ns; /* --timing */
	bool interrupted;
	bool compact; /* all on one line */
};
/* summary_notes - add warnings about what the run itself showed; call once, before the summary. */
void summary_notes(struct app *app);
/* summary_json - schema schedground.run/1; the caller frees. */
char *summary_json(struct app *app, const struct run_report *r);
/* summary_text - the same for people, short. */
char *summary_text(struct app *app, const struct run_report *r);

/* loop.c */
int loop_run(const struct options *opt);
/* frame.c: --frame */
int frame_run(const struct options *opt);

#endif
