/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats.h - mean, deviation and confidence of a few whole numbers, in whole numbers.
 *
 * No floating point, so that a table is the same on every host. Samples carry a fixed number of
 * decimals that is no business of this file; results have STATS_DECIMALS more.
 */
#ifndef SG_APP_STATS_H
#define SG_APP_STATS_H

#include "engine/base/types.h"

#define STATS_DECIMALS 3
#define STATS_MAX 65536u /* samples */

struct stats {
	u32 n;
	s64 mean, median; /* thousandths of the sample's unit, half away from zero */
	u64 sd; /* of the sample (n - 1); 0 with one value */
	u64 half; /* half of the 95 % confidence interval of the mean; 0 with one value */
	s128 sum; /* exact, in the sample's unit */
};

/* stats_of - statistics of @n values; @n of 0 gives all zeroes. @v is put in order. */
struct stats stats_of(s64 *v, u32 n);

/*
 * stats_change - (mean of @s / mean of @first - 1) in hundredths of a per cent, half away from zero.
 * False where the first mean is 0, or the result is no sensible number (above 10^15 %).
 */
bool stats_change(const struct stats *s, const struct stats *first, s64 *pct2);

/* student_95 - two-sided 95 % quantile of Student's distribution with @df >= 1, times 10^4. */
u32 student_95(u32 df);

/* isqrt128 - floor of the square root. */
u64 isqrt128(u128 x);

#endif
