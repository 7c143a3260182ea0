/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pacer.h - how fast simulated time follows the real one.
 *
 * The pacer says how far the simulation should be by now; slices of work end at event counts. Neither
 * changes what happens in it, only when it is seen: a slow machine gets a lower ratio, not other results.
 */
#ifndef SG_APP_PACER_H
#define SG_APP_PACER_H

#include "engine/sim.h"

#define PACER_ONE 10000ull /* ratio 1: simulated time as fast as real time */
#define PACER_MAX (1000000ull * PACER_ONE)
#define PACER_FLAT_OUT 0ull /* as fast as it goes */
#define PACER_SLICE_NS (4 * NSEC_PER_MSEC) /* longest stretch without looking at the keys */

struct pacer {
	u64 ratio; /* simulated per real time in 1/10000; PACER_FLAT_OUT */
	u64 wall0; /* ns of the monotonic clock when ... */
	ktime_ns sim0; /* ... simulated time was here */
	u64 chunk; /* events between two looks at the clock */
	/* measured over about half a second */
	u64 mark_wall;
	ktime_ns mark_sim;
	u64 achieved; /* ratio reached, 1/10000 */
	bool behind; /* the machine does not keep up */
};

/* pacer_init - ratio 1. */
void pacer_init(struct pacer *p);

/* pacer_start - time goes on from here: after a pause, a seek, a change of ratio. */
void pacer_start(struct pacer *p, u64 wall, ktime_ns now);

/* pacer_target - where simulated time should be at real time @wall. NEVER when flat out. */
ktime_ns pacer_target(const struct pacer *p, u64 wall);

/* Somebody who wants to look at given moments of simulated time. */
struct pacer_looker {
	void *ctx;
	ktime_ns (*next)(void *ctx); /* NEVER: not at all */
	void (*look)(void *ctx);
};

/*
 * pacer_slice - run @s towards @limit (NEVER: none) for at most PACER_SLICE_NS of real time. @clock
 * reads the monotonic clock; @looker (may be NULL) is called when its moments are reached. Returns what ended it: SIM_REACHED (target or limit), SIM_BUDGET
 * (slice over, more to do), SIM_ERROR.
 */
enum sim_stop pacer_slice(struct pacer *p, struct sim *s, ktime_ns limit, u64 (*clock)(void),
			  const struct pacer_looker *looker);

/* pacer_step - the next ratio of the ladder 1, 2, 5, 10, ... upwards or downwards, 0.0001 .. flat out. */
u64 pacer_step(u64 ratio, bool up);

/* pacer_parse - "0.01", "2", "10x", "max" to a ratio. 0 or -1 with @err. */
int pacer_parse(const char *text, u64 *ratio, struct err *err);

/* pacer_text - "0.01x", "1x", "max". Returns @buf (24 bytes are enough). */
const char *pacer_text(char *buf, size_t size, u64 ratio);

#endif
