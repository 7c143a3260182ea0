/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench.h - building blocks of the benchmark cases; tests use them too.
 */
#ifndef SG_APP_BENCH_H
#define SG_APP_BENCH_H

#include "engine/sim.h"

/* bench_sim - a simulation on @machine (shipped or a spec); NULL with @err. */
struct sim *bench_sim(const char *machine, u64 seed, struct err *err);
int bench_policy(struct sim *s, enum policy_slot slot, const char *name, struct err *err);

/* bench_periodic - loop { run; absolute timer }, ns; @delay from now; @group: "" = none. */
int bench_periodic(struct sim *s, const char *name, const char *group, u64 run, u64 period,
		   u64 delay, struct err *err);

/* bench_w1_tasks - the 32 tasks of case W1 in @group with run times times @num / @den. */
int bench_w1_tasks(struct sim *s, const char *group, u64 num, u64 den, struct err *err);

/* What a case measured. */
struct bench_result {
	u64 cpu_ns, events, model_events, sim_ns, pelt;
	u64 activations, busy_centi; /* CPUs busy, in 1/100 */
	u64 arena_kib;
	char failed[160]; /* "" = the invariant holds */
};

/*
 * bench_measure - run @s up to @duration and fill @r. Activations are run steps begun: a task that
 * is late for its next release goes on without a wake-up, and still did its work. @num, @den: as
 * for bench_w1_tasks(); @run: ns of all tasks alike, 0 = those of W1, ~0 = do not count.
 */
void bench_measure(struct sim *s, u64 duration, u64 num, u64 den, u64 run, struct bench_result *r,
		   struct err *err);

/* bench_expect - note in @r that @got of @what is further than @slack from @want, if it is. */
void bench_expect(struct bench_result *r, const char *what, u64 got, u64 want, u64 slack);

/*
 * bench_w1 - a machine smp8 with W1 on it, in @depth nested groups, governor performance; NULL with
 * @err.
 */
struct sim *bench_w1(u32 depth, struct err *err);
/* bench_w1_check - what must hold after @secs of W1. */
void bench_w1_check(struct bench_result *r, u64 secs);

/* bench_cases.c: one row of the table in bench.c each. Return 0, or -1 with @err. */
int bench_case_trace(bool quick, struct bench_result *r, struct err *err);
int bench_case_lua_prev(bool quick, struct bench_result *r, struct err *err);
int bench_case_lua_scan(bool quick, struct bench_result *r, struct err *err);
int bench_case_w2(bool quick, struct bench_result *r, struct err *err);
int bench_case_w3(bool quick, struct bench_result *r, struct err *err);
/* bench_pelt.c: updates of one entity. @pattern: tick1 tick4 w1 mixed idle. */
int bench_pelt(const char *pattern, bool quick, struct bench_result *r, struct err *err);

/*
 * bench_ui - W1 with a 200x50 frame drawn every 100 ms of simulated time. @failed gets the
 * complaint of a broken invariant.
 */
int bench_ui(bool quick, u64 *cpu, u64 *events, u64 *sim_ns, char *failed, size_t size,
	     struct err *err);

/* bench_list - the cases and what they are, a line each, to stdout. */
void bench_list(void);

#endif
