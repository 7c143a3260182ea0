/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats.c - statistics in whole numbers. See stats.h.
 *
 * The variance comes from n sum(y^2) - sum(y)^2 over y = x - min, which is exact in 128 bits for
 * deviations below 2^47; larger ones lose low bits first, far below what is printed.
 */
#include "app/stats.h"

#include <stdlib.h>

#define DEVIATION_BITS 46 /* n up to 2^16: n * n * y^2 stays below 2^125 */

/* Quantiles t(0.975; df), times 10^4; any table of the t distribution has them. */
static const u32 student[] = {
	127062, 43027, 31824, 27764, 25706, 24469, 23646, 23060, 22622, 22281, /* 1 .. 10 */
	22010,	21788, 21604, 21448, 21314, 21199, 21098, 21009, 20930, 20860, /* 11 .. 20 */
	20796,	20739, 20687, 20639, 20595, 20555, 20518, 20484, 20452, 20423, /* 21 .. 30 */
};

static const struct {
	u32 df, t;
} student_far[] = { { 30, 20423 }, { 40, 20211 }, { 60, 20003 }, { 120, 19799 } };
#define STUDENT_INF 19600u

u32 student_95(u32 df)
{
	u32 lo = 0, hi_t = STUDENT_INF, i = 0;
	u64 num, den;

	if (df <= ARRAY_SIZE(student))
		return student[df ? df - 1 : 0];
	/* Between two rows it is almost linear in 1/df, down to 1/infinity = 0. */
	while (i + 1 < ARRAY_SIZE(student_far) && student_far[i + 1].df <= df)
		i++;
	lo = student_far[i].df;
	if (i + 1 == ARRAY_SIZE(student_far)) {
		num = lo; /* (1/df) / (1/lo) */
		den = df;
	} else {
		u32 hi = student_far[i + 1].df;

		hi_t = student_far[i + 1].t;
		num = (u64)lo * (hi - df); /* (1/df - 1/hi) / (1/lo - 1/hi) */
		den = (u64)df * (hi - lo);
	}
	return hi_t + (u32)(((student_far[i].t - hi_t) * num + den / 2) / den);
}

u64 isqrt128(u128 x)
{
	u128 root = 0;

	for (int bit = 63; bit >= 0; bit--) {
		u128 try = root | (u128)1 << bit;

		if (try * try <= x)
			root = try;
	}
	return (u64)root;
}

/* @num / @den rounded half away from zero; @den > 0. */
static s128 rounded(s128 num, s128 den)
{
	return num < 0 ? -((-num + den / 2) / den) : (num + den / 2) / den;
}

static s64 clamp_s64(s128 v)
{
	return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (s64)v;
}

static int by_value(const void *pa, const void *pb)
{
	s64 a = *(const s64 *)pa, b = *(const s64 *)pb;

	return a < b ? -1 : a > b;
}

/*
 * sqrt(num / den) in millionths, rounded to the nearest; num < 2^126, 0 < den < 2^33. Large ones, from
 * 2^36 on, have whole thousands of them and less.
 */
static u128 root_of(u128 num, u128 den)
{
	/* Twice as fine as wanted, to round the root itself. */
	if (num < (u128)1 << 84)
		return ((u128)isqrt128(num * 4000000000000ull / den) + 1) / 2;
	if (num < (u128)1 << 104)
		return ((u128)isqrt128(num * 4000000 / den) + 1) / 2 * 1000;
	return (u128)isqrt128(num / den) * 1000000;
}

struct stats stats_of(s64 *v, u32 n)
{
	struct stats s = { .n = n };
	u128 sum = 0, squares = 0;
	u32 shift = 0;
	u64 span;

	if (!n)
		return s;
	qsort(v, n, sizeof(*v), by_value);
	for (u32 i = 0; i < n; i++)
		s.sum += v[i];
	s.mean = clamp_s64(rounded(s.sum * 1000, n));
	s.median = clamp_s64(rounded(((s128)v[(n - 1) / 2] + v[n / 2]) * 1000, 2));
	if (n < 2)
		return s;
	span = (u64)v[n - 1] - (u64)v[0];
	while (span >> shift >> DEVIATION_BITS)
		shift++;
	for (u32 i = 0; i < n; i++) {
		u128 y = ((u64)v[i] - (u64)v[0]) >> shift;

		sum += y;
		squares += y * y;
	}

	u128 sd = root_of(n * squares - sum * sum, (u128)n * (n - 1)) << shift;
	/* t * sd / sqrt(n): t with four decimals, the root of n with six */
	u128 root_n = isqrt128((u128)n * 1000000000000ull) * (u128)10000;
	u128 half = (sd * student_95(n - 1) * 1000 + root_n / 2) / root_n;

	s.sd = (u64)clamp_s64((s128)((sd + 500) / 1000));
	s.half = (u64)clamp_s64((s128)half);
	return s;
}

bool stats_change(const struct stats *s, const struct stats *first, s64 *pct2)
{
	s128 a = s->sum * first->n, b = first->sum * s->n, change;

	if (!s->n || !first->n || !b)
		return false;
	if (b < 0) {
		a = -a;
		b = -b;
	}
	change = rounded((a - b) * 10000, b);
	if (change > 100000000000000000ll || change < -100000000000000000ll)
		return false;
	*pct2 = (s64)change;
	return true;
}
