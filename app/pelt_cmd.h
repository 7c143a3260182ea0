/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pelt_cmd.h - `schedground pelt`: the averages and the estimate of tasks along a timeline.
 */
#ifndef SG_APP_PELT_CMD_H
#define SG_APP_PELT_CMD_H

#include <stdio.h>

#include "app/options.h"
#include "app/pelt_csv.h"

#define PELT_MAX_TICKS 400000000ull /* on all CPUs together */
#define PELT_MAX_SAMPLES 20000000ull /* rows of --sample */

struct pelt_settings {
	const char *profile; /* NULL: v6.12 */
	const char *rule; /* of util_est; NULL: the profile's */
	u64 sample; /* ns between samples, 0 = none */
	u32 half_life_ms; /* 8, 16, 32; 0: 32 */
	u32 hz; /* ticks on a CPU that runs a task; 0: 250 */
	bool new_tasks; /* a task whose first row is not sleep has just been forked */
};

/*
 * pelt_write - run the engine's averages along @tl and write t_us, task, util_avg, runnable_avg,
 * load_avg and util_est as CSV: whenever one of them changes, and at each multiple of
 * settings.sample for every task seen so far, then brought up to that time on a copy (the kernel
 * does not touch the averages of a task that sleeps). The tick comes at multiples of 1/HZ.
 * Returns 0, or -1 with @err: unknown profile or rule (ERR_USAGE), too much work asked for
 * (ERR_LIMIT); a failing @out shows in ferror(). Without @out the request is checked, not run.
 */
int pelt_write(const struct pelt_timeline *tl, const struct pelt_settings *settings, FILE *out,
	       struct err *err);

/* pelt_cmd - the subcommand; returns the exit code. */
int pelt_cmd(const struct options *opt);

#endif
