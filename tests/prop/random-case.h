/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random-case.h - a run as data: machine, kernel, tasks, and what was done to them when.
 *
 * The randomized test records what it does as such a case. A case can be run again, made smaller as
 * long as it still fails, and written as a scenario that `schedground run FILE --check` repeats with
 * the same digest.
 */
#ifndef SG_TESTS_RANDOM_CASE_H
#define SG_TESTS_RANDOM_CASE_H

#include <stdio.h>

#include "engine/observe/watch.h"
#include "engine/sim.h"

/* An input at @at, after every event of that instant; no two at one instant but 0: before the tasks. */
struct change {
	ktime_ns at;
	struct sim_input in; /* words, text and spec point to what follows */
	u64 words[1];
	char text[64];
	struct task_spec *spec; /* INPUT_SPAWN */
};

struct random_case {
	u64 seed;
	const char *machine; /* name or spec */
	u32 profile;
	bool costs;
	ktime_ns end; /* the run stops here */
	u32 nr_tasks, nr_changes;
	struct task_spec **tasks; /* spawned at time 0 */
	struct change *changes;
};

/* How a run of a case ended. */
struct outcome {
	bool failed;
	ktime_ns at; /* of the failure, or the end */
	u64 events, digest;
	char what[256]; /* of the failure */
};

/* What a child tells about the case it is at. */
struct told {
	u64 seed, cases;
	bool failed;
	char what[256];
};

/* A further invariant for tests of the machinery itself: false = it does not hold. */
typedef bool (*case_claim)(const struct sim *s, char *what, size_t size);

/* case_machine - the machine @name, loaded once. Fails the test if it is not there. */
const struct machine_desc *case_machine(const char *name);

/* case_start - a simulation of @c with its tasks spawned, at time 0. */
struct sim *case_start(const struct random_case *c);

/* case_add_task, case_add_change - append; @spec is owned by the case from now on. */
void case_add_task(struct random_case *c, struct task_spec *spec);
struct change *case_add_change(struct random_case *c, ktime_ns at, const struct sim_input *in);
void case_fini(struct random_case *c);

/*
 * case_apply - give the change to @s. A task that is gone, or a thread of the model, is left alone.
 * Returns 0, or -1 if it is refused.
 */
int case_apply(struct sim *s, const struct change *ch);

/* case_play - run @c, watched at every event. @claim: NULL = none beside the watch's. */
void case_play(const struct random_case *c, case_claim claim, struct outcome *out);

/*
 * case_shrink - the smallest case found that still fails with the same complaint: fewer changes,
 * tasks, CPUs, less time. Runs are done in children, so that a crash is a failure like others.
 * @c is changed in place; @out is how it ends then. Returns the number of runs it took.
 */
u32 case_shrink(struct random_case *c, case_claim claim, struct outcome *out);

/* case_play_apart - case_play() in a child: a crash fails the case with the signal's number. */
void case_play_apart(const struct random_case *c, case_claim claim, struct outcome *out);

/* case_write - the case as a scenario. Returns 0, or -1 for what the language has no words for. */
int case_write(const struct random_case *c, const char *why, FILE *f);

/* case_write_file - the same to @path, and a machine of the tests beside it. */
int case_write_file(struct random_case *c, const char *why, const char *path);

/* case_make_plain - take out of the case what the language has no words for. */
void case_make_plain(struct random_case *c);

/* case_record - fill @c with what case @seed does, from running it; @told: what failed. */
void case_record(u64 seed, struct random_case *c, struct told *told);

#endif
