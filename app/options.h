/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - the command line: what was asked for, before anything is opened.
 */
#ifndef SG_APP_OPTIONS_H
#define SG_APP_OPTIONS_H

#include "engine/base/err.h"

/* Exit codes; where several apply, the largest. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_EXPECT = 1, /* an expectation failed */
	EXIT_USAGE = 2, /* bad command line, file or value */
	EXIT_SCRIPT = 3, /* a script or Lua policy failed */
	EXIT_DIVERGED = 4, /* digests differ or an invariant broke */
	EXIT_LIMIT = 5, /* a stated limit was reached */
	EXIT_INTERRUPTED = 130,
};

/* exit_code_of - the exit code that belongs to an error. */
int exit_code_of(const struct err *err);

enum subcommand {
	SUB_UI,
	SUB_RUN,
	SUB_LIST,
	SUB_BENCH,
	SUB_TOPO,
	SUB_PELT,
	SUB_COMPARE,
	SUB_SWEEP,
	SUB_HELP,
	SUB_VERSION
};

struct option_pair {
	char *name, *value; /* owned */
};

struct option_pairs {
	struct option_pair *v;
	u32 nr;
};

enum exec_kind { EXEC_COMMAND, EXEC_SCRIPT };

struct option_exec {
	enum exec_kind kind;
	const char *text; /* a command line, or the name of a Lua file */
};

struct options {
	enum subcommand sub;
	const char *file; /* NULL: the default scenario */
	const char *machine, *kernel, *out, *trace, *glyphs, *colour, *topic;
	struct option_pairs policies, sets, defines, varies;
	struct option_exec *execs;
	u32 nr_execs;
	const char **cases; /* bench */
	u32 nr_cases;
	bool has_seed, has_duration;
	u64 seed, duration; /* ns */
	const char *rule; /* pelt, like those that follow; NULL: the profile's */
	u64 sample; /* ns, 0 = none */
	u32 half_life_ms, hz; /* 0 = as usual */
	bool new_tasks;
	u32 seeds, jobs; /* compare and sweep, like those that follow; 0 = not given */
	u32 shard, shards; /* 0 = not given, else 1 <= shard <= shards */
	u64 timeout; /* ns of real time, 0 = none */
	const char *metrics;
	u64 seed_offset; /* added to whatever the seed is */
	bool json, quiet, timing, check_determinism, check, frame, quick, lint;
};

/* Longest simulated time that can be asked for: about 11 days, far above what anybody waits for. */
#define DURATION_MAX (1000000ull * NSEC_PER_SEC)
#define SEED_MAX ((1ull << 53) - 1)
#define SEEDS_MAX 10000u

/*
 * options_parse - read the command line. The texts stay where they are, in @argv. Returns 0, or -1
 * with @err naming what was found, what is allowed and the nearest right word.
 */
int options_parse(struct options *o, int argc, char **argv, struct err *err);
void options_fini(struct options *o);

/* options_help - the text of --help on stdout; of `help TOPIC` with a topic. -1: no such topic. */
int options_help(const char *topic, struct err *err);

/* Subcommands of this version, and those of later ones; ended by NULL. */
extern const char *const subcommand_names[];

#endif
