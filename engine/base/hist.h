/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist.h - log-linear histograms of durations in ns, plain memory for arena pools.
 *
 * No counterpart in the kernel; the shape is that of its users' tools (schbench, HdrHistogram).
 * Each octave [2^k, 2^(k+1)) is cut into 2^shift equal steps, and values below 2^shift have a step
 * each, so a value is known to one part in 2^shift:
 *
 *	shift 7: 128 steps per octave, 0.8 %, 17 KiB	(all tasks, a group)
 *	shift 3: 8 steps per octave, 12.5 %, 1.2 KiB	(one task)
 *
 * Values from 2^40 ns (18 minutes) on count in the last step; count, sum, minimum and maximum stay
 * exact. All zero is a valid empty histogram.
 */
#ifndef SG_ENGINE_BASE_HIST_H
#define SG_ENGINE_BASE_HIST_H

#include "engine/base/types.h"

#define HIST_MAX_BITS 40

/* Steps for 2^shift per octave: the exact values below 2^shift, then octaves shift .. 39. */
#define HIST_STEPS(shift) ((HIST_MAX_BITS - (shift) + 1) << (shift))
#define HIST_FINE 7
#define HIST_COARSE 3

/* What is exact. */
struct hist_sum {
	u64 count;
	u64 min; /* ns; 0 while empty */
	u64 max; /* ns */
	u64 sum_lo, sum_hi; /* 128-bit sum of all values, ns */
};

struct hist_fine {
	struct hist_sum s;
	u32 step[HIST_STEPS(HIST_FINE)]; /* counts; stay at 2^32 - 1 */
};

struct hist_coarse {
	struct hist_sum s;
	u32 step[HIST_STEPS(HIST_COARSE)];
};
_Static_assert(sizeof(struct hist_fine) % 8 == 0, "arena element");
_Static_assert(sizeof(struct hist_coarse) % 8 == 0, "arena element");

/* hist_index - the step of @value. */
static inline u32 hist_index(u64 value, u32 shift)
{
	if (value >> HIST_MAX_BITS)
		return HIST_STEPS(shift) - 1;
	if (value < 1ull << shift)
		return (u32)value;

	u32 drop = 63 - (u32)__builtin_clzll(value) - shift; /* low bits that a step ignores */

	/* value >> drop has its top bit at @shift, which counts the octave up by one. */
	return (drop << shift) + (u32)(value >> drop);
}

/* hist_upper - the largest value that counts in step @index. */
static inline u64 hist_upper(u32 index, u32 shift)
{
	if (index < 2u << shift)
		return index;

	u32 drop = (index >> shift) - 1;
	u64 top = index - (drop << shift);

	return ((top + 1) << drop) - 1;
}

/* The functions on both kinds, for code that takes either: parts, and the shift. */
void hist_add_to(struct hist_sum *s, u32 *step, u32 shift, u64 value);
void hist_merge_to(struct hist_sum *s, u32 *step, u32 shift, const struct hist_sum *from,
		   const u32 *from_step);
u64 hist_percentile_of(const struct hist_sum *s, const u32 *step, u32 shift, u32 num, u32 den);

/* hist_mean - the mean in units of 1/@scale ns, rounded half up; 0 while empty. @scale < 2^20. */
u64 hist_mean(const struct hist_sum *s, u32 scale);

static inline void hist_fine_add(struct hist_fine *h, u64 value)
{
	hist_add_to(&h->s, h->step, HIST_FINE, value);
}

static inline void hist_coarse_add(struct hist_coarse *h, u64 value)
{
	hist_add_to(&h->s, h->step, HIST_COARSE, value);
}

/* hist_*_merge - add all values of @from. */
static inline void hist_fine_merge(struct hist_fine *h, const struct hist_fine *from)
{
	hist_merge_to(&h->s, h->step, HIST_FINE, &from->s, from->step);
}

static inline void hist_coarse_merge(struct hist_coarse *h, const struct hist_coarse *from)
{
	hist_merge_to(&h->s, h->step, HIST_COARSE, &from->s, from->step);
}

/*
 * hist_*_percentile - the value at rank ceil(count * @num / @den), at least 1 (nearest rank): the
 * upper end of its step, not above the maximum. 99.9 % is 999, 1000. 0 while empty.
 */
static inline u64 hist_fine_percentile(const struct hist_fine *h, u32 num, u32 den)
{
	return hist_percentile_of(&h->s, h->step, HIST_FINE, num, den);
}

static inline u64 hist_coarse_percentile(const struct hist_coarse *h, u32 num, u32 den)
{
	return hist_percentile_of(&h->s, h->step, HIST_COARSE, num, den);
}

#endif
