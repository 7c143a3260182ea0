/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * series.h - what CPUs and tasks looked like over time: bounded memory, several resolutions.
 *
 * Level k cuts simulated time into slots of SERIES_BASE << 2k ns and keeps the newest ones; a query
 * takes the finest level that reaches back far enough. All samples are taken at the same instants,
 * so the slots are shared and a channel is only {min, max, sum}. Filled by series_sample() from a
 * const simulation: averages "as of now" are computed on copies.
 */
#ifndef SG_UI_SERIES_H
#define SG_UI_SERIES_H

#include "engine/sim.h"

#define SERIES_BASE 125000ull /* ns of the finest slot */
#define SERIES_LEVELS 9 /* coarsest slot: 8.2 s; 512 of them: 70 minutes */
#define SERIES_TASKS 32 /* tasks whose history is kept */

#define SERIES_NO_TASK (~0ull) /* no such serial */

/* Channels. Values are clamped to 65535; freq and capacity are on the scale of 1024. */
enum series_chan {
	SC_UTIL, /* util_avg */
	SC_RUNNABLE, /* runnable_avg */
	SC_LOAD, /* load_avg */
	SC_UTIL_EST,
	SC_CAPACITY, /* capacity_of() the CPU, or of the task's CPU */
	SC_FREQ, /* frequency of the CPU: 1024 = top frequency of the biggest CPU at full capacity */
	SC_RUNNING, /* CPUs: share of time not idle; tasks: share of time on a CPU; of 1024 */
	SC_NR, /* CPUs: nr_running; tasks: the CPU's number */
	SC_OTHER, /* util of real-time and deadline tasks and interrupts, of the CPU or the task's CPU */
	NR_SERIES_CHANS
};

struct series_val {
	u16 min, max;
	u32 sum; /* of up to 65536 samples */
};

struct series_obj {
	bool used;
	u64 serial; /* tasks */
	u64 busy; /* ns at the last sample, for SC_RUNNING */
	bool has_busy;
	struct series_val *val; /* [level][slot][chan], NULL until used */
};

struct series_level {
	u64 slot[512]; /* number of the slot in each place of the ring */
	u32 count[512]; /* samples in it */
	u64 head; /* slots ever begun */
};

struct series {
	u32 nr_cpus, len; /* ring length, a power of two <= 512 */
	u64 samples;
	ktime_ns last; /* time of the newest sample */
	struct series_level level[SERIES_LEVELS];
	struct series_obj *cpu;
	struct series_obj task[SERIES_TASKS];
};

/* What a channel did in a span of time. */
struct series_sum {
	u32 min, max, mean;
};

/*
 * Where in the rings a span of time lies: worked out once, then asked for many channels. Valid until
 * the next sample.
 */
struct series_span {
	u64 lo, hi; /* slots of the level, counted from the first ever; lo == hi: none, but ... */
	u32 level;
	bool held; /* ... the slot before lo holds */
	bool none; /* nothing is known of that time */
};

struct series *series_new(u32 nr_cpus);
void series_free(struct series *x);

/*
 * series_sample - note the present. Time going backwards (a rewind) forgets everything. Tasks:
 * those already followed, then the oldest alive while there is room. @want: serial that must be
 * followed, even at the cost of another, or SERIES_NO_TASK.
 */
void series_sample(struct series *x, const struct sim *s, u64 want);

/* series_find - where [t0, t1) is. */
struct series_span series_find(const struct series *x, ktime_ns t0, ktime_ns t1);
/* series_cpu_at - as series_cpu() for a span that was found before. */
bool series_cpu_at(const struct series *x, cpu_id cpu, enum series_chan chan,
		   const struct series_span *span, struct series_sum *out);
/* series_obj_of - the object of a task, NULL if it is not followed; series_at asks it. */
const struct series_obj *series_obj_of(const struct series *x, u64 serial);
bool series_at(const struct series *x, const struct series_obj *o, enum series_chan chan,
	       const struct series_span *span, struct series_sum *out);

/*
 * series_cpu, series_task - channel @chan in [t0, t1): false if nothing is known there. Where no
 * sample fell into the span, the last one before it holds.
 */
bool series_cpu(const struct series *x, cpu_id cpu, enum series_chan chan, ktime_ns t0, ktime_ns t1,
		struct series_sum *out);
bool series_task(const struct series *x, u64 serial, enum series_chan chan, ktime_ns t0,
		 ktime_ns t1, struct series_sum *out);

/* series_bytes - memory in use. */
size_t series_bytes(const struct series *x);

#endif
