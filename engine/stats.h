/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats.h - rows of the statistics pools that are about workloads and energy; part of state.h.
 *
 * They live in the arena, so that a checkpoint has them, and are not in the digest: no decision of the
 * model reads them. Layout rules as in state.h.
 */
#ifndef SG_ENGINE_STATS_H
#define SG_ENGINE_STATS_H

#include "engine/base/hist.h"
#include "engine/base/types.h"

#define TASK_COMM_LEN 32 /* longer than the kernel's 16: rt-app names carry an index */

struct lat_group {
	char name[TASK_COMM_LEN];
	u64 sampled; /* a program feeds it: wake-ups of its tasks no longer do */
	struct hist_fine hist;
};
struct task_hist {
	struct hist_coarse hist;
};

/* What programs count: workload/measure.h. */
struct counter {
	char name[TASK_COMM_LEN];
	u64 count; /* sum of what was added */
	u64 next_target; /* the smallest target of a figure that it has not reached, ~0 = none */
};

enum throughput_kind { TPUT_COUNT, TPUT_PER_SECOND, TPUT_PER_MINUTE, TPUT_TIME, TPUT_PCT };

/* A figure that is made of counters. */
struct throughput {
	char name[TASK_COMM_LEN];
	u32 counter, base; /* base: TPUT_PCT is of this one */
	u64 kind; /* enum throughput_kind */
	u64 divide; /* the count by this: bytes to megabytes */
	u64 target; /* TPUT_TIME: the count that ends it */
	ktime_ns reached_at; /* when it was there; NEVER = not yet */
};

/* What the energy model makes of the signals of a frequency domain: sched/signal_energy.h. */
struct fd_stats {
	u64 energy_lo, energy_hi; /* microwatt * ns up to since */
	ktime_ns since;
	u64 power_uw; /* since then */
	u64 busy, peak; /* sum of utilisations, largest performance asked for */
};

#endif
