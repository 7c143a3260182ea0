/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist.c - adding to, merging and reading the histograms of hist.h.
 */
#include "engine/base/hist.h"

static u128 hist_total(const struct hist_sum *s)
{
	return (u128)s->sum_hi << 64 | s->sum_lo;
}

static void hist_account(struct hist_sum *s, u64 count, u64 min, u64 max, u128 sum)
{
	u128 total = hist_total(s) + sum;

	s->min = s->count ? min_u64(s->min, min) : min;
	s->max = max_u64(s->max, max);
	s->count += count;
	s->sum_lo = (u64)total;
	s->sum_hi = (u64)(total >> 64);
}

static u32 hist_saturated(u32 a, u32 b)
{
	return a + b >= a ? a + b : ~0u;
}

void hist_add_to(struct hist_sum *s, u32 *step, u32 shift, u64 value)
{
	u32 *c = &step[hist_index(value, shift)];

	*c += *c != ~0u;
	/* hist_account() of one value: an empty histogram has no minimum yet. */
	s->min = s->count && s->min < value ? s->min : value;
	s->max = max_u64(s->max, value);
	s->count++;
	s->sum_lo += value;
	s->sum_hi += s->sum_lo < value;
}

void hist_merge_to(struct hist_sum *s, u32 *step, u32 shift, const struct hist_sum *from,
		   const u32 *from_step)
{
	if (!from->count)
		return;
	hist_account(s, from->count, from->min, from->max, hist_total(from));
	for (u32 i = 0; i < HIST_STEPS(shift); i++)
		step[i] = hist_saturated(step[i], from_step[i]);
}

u64 hist_percentile_of(const struct hist_sum *s, const u32 *step, u32 shift, u32 num, u32 den)
{
	if (!s->count || !den)
		return 0;

	u64 rank = max_u64((u64)(((u128)s->count * num + den - 1) / den), 1);
	u64 seen = 0;

	/* The last step has no upper end, and saturated steps count less than the total. */
	for (u32 i = 0; i < HIST_STEPS(shift) - 1; i++) {
		seen += step[i];
		if (seen >= rank)
			return min_u64(hist_upper(i, shift), s->max);
	}
	return s->max;
}

u64 hist_mean(const struct hist_sum *s, u32 scale)
{
	if (!s->count)
		return 0;
	return (u64)((hist_total(s) * scale + s->count / 2) / s->count);
}
