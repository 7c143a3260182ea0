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

/*
 * bench_ui - W1 with a 200x50 frame drawn every 100 ms of simulated time. @failed gets the
 * complaint of a broken invariant.
 */
int bench_ui(bool quick, u64 *cpu, u64 *events, u64 *sim_ns, char *failed, size_t size,
	     struct err *err);

#endif
