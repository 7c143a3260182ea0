/* SPDX-License-Identifier: GPL-2.0-only */
/* base-hist-test.c - steps of the histograms, percentiles against sorted values, merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/hist.h"

static u64 rnd(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* The steps tile 0 .. 2^40 - 1: each begins just above the end of the one before. */
static void steps_tile_the_range(void **state)
{
	(void)state;
	static const u32 shifts[] = { HIST_FINE, HIST_COARSE };

	for (size_t k = 0; k < 2; k++) {
		u32 shift = shifts[k];
		u64 low = 0;

		for (u32 i = 0; i < HIST_STEPS(shift); i++) {
			u64 high = hist_upper(i, shift);

			assert_true(high >= low);
			assert_true((high - low) << shift <= low); /* width - 1, relative */
			assert_int_equal(hist_index(low, shift), i);
			assert_int_equal(hist_index(high, shift), i);
			low = high + 1;
		}
		assert_true(low == 1ull << HIST_MAX_BITS);
		assert_int_equal(hist_index(low, shift), HIST_STEPS(shift) - 1);
		assert_int_equal(hist_index(~0ull, shift), HIST_STEPS(shift) - 1);
	}
	assert_int_equal(HIST_STEPS(HIST_FINE), 4352);
	assert_int_equal(HIST_STEPS(HIST_COARSE), 304);
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void percentiles_follow_nearest_rank(void **state)
{
	(void)state;
	static const u32 permille[] = { 0, 1, 250, 500, 900, 950, 990, 999, 1000 };
	static struct hist_fine f;
	static struct hist_coarse c;
	static u64 v[2000];
	u64 x = 5;

	for (int round = 0; round < 40; round++) {
		u32 n = round < 5 ? (u32)round + 1 : 1 + (u32)(rnd(&x) % 2000);
		u64 sum = 0;

		memset(&f, 0, sizeof(f));
		memset(&c, 0, sizeof(c));
		for (u32 i = 0; i < n; i++) {
			v[i] = rnd(&x) >> (25 + rnd(&x) % 39);
			sum += v[i];
			hist_fine_add(&f, v[i]);
			hist_coarse_add(&c, v[i]);
		}
		qsort(v, n, sizeof(*v), by_value);
		assert_int_equal(f.s.count, n);
		assert_true(f.s.min == v[0] && f.s.max == v[n - 1]);
		assert_true(f.s.sum_lo == sum && f.s.sum_hi == 0);
		assert_true(hist_mean(&f.s, 1) == (sum + n / 2) / n);
		assert_true(!memcmp(&f.s, &c.s, sizeof(f.s)));
		for (size_t p = 0; p < ARRAY_SIZE(permille); p++) {
			u32 rank = (n * permille[p] + 999) / 1000;
			u64 exact = v[rank ? rank - 1 : 0];
			u64 fine = hist_fine_percentile(&f, permille[p], 1000);
			u64 coarse = hist_coarse_percentile(&c, permille[p], 1000);

			assert_true(fine >= exact && fine <= exact + (exact >> HIST_FINE));
			assert_true(coarse >= exact && coarse <= exact + (exact >> HIST_COARSE));
			assert_true(fine <= f.s.max && coarse <= c.s.max);
			assert_int_equal(hist_index(fine, HIST_FINE), hist_index(exact, HIST_FINE));
		}
		assert_true(hist_fine_percentile(&f, 1, 1) == v[n - 1]);
	}
}

static void small_values_are_exact(void **state)
{
	(void)state;
	struct hist_coarse h = { 0 };

	assert_int_equal(hist_coarse_percentile(&h, 1, 2), 0);
	assert_int_equal(hist_mean(&h.s, 1000), 0);
	hist_coarse_add(&h, 0);
	hist_coarse_add(&h, 3);
	hist_coarse_add(&h, 7);
	hist_coarse_add(&h, 15);
	assert_int_equal(hist_coarse_percentile(&h, 1, 4), 0);
	assert_int_equal(hist_coarse_percentile(&h, 2, 4), 3);
	assert_int_equal(hist_coarse_percentile(&h, 3, 4), 7);
	assert_int_equal(hist_coarse_percentile(&h, 76, 100), 15);
	assert_int_equal(hist_mean(&h.s, 1000), 6250);
	assert_int_equal(h.s.min, 0);
}

static void values_beyond_the_range(void **state)
{
	(void)state;
	static struct hist_fine h;

	memset(&h, 0, sizeof(h));
	hist_fine_add(&h, 10);
	hist_fine_add(&h, ~0ull);
	hist_fine_add(&h, ~0ull);
	assert_true(h.s.max == ~0ull);
	assert_true(h.s.sum_hi == 2 && h.s.sum_lo == 8); /* 2 (2^64 - 1) + 10 */
	assert_true(hist_fine_percentile(&h, 50, 100) == ~0ull);
	assert_int_equal(hist_fine_percentile(&h, 33, 100), 10);
}

static void merge_equals_adding_all(void **state)
{
	(void)state;
	static struct hist_fine a, b, all;
	struct hist_coarse p = { 0 }, q = { 0 };
	u64 x = 77;

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	memset(&all, 0, sizeof(all));
	hist_fine_merge(&a, &b);
	assert_int_equal(a.s.count, 0);
	for (int i = 0; i < 500; i++) {
		u64 v = rnd(&x) >> (rnd(&x) % 64);

		hist_fine_add(i % 3 ? &a : &b, v);
		hist_fine_add(&all, v);
	}
	hist_fine_merge(&a, &b);
	assert_memory_equal(&a, &all, sizeof(a));

	hist_coarse_add(&p, 100);
	hist_coarse_merge(&q, &p); /* into an empty one: the minimum is taken over */
	assert_memory_equal(&p, &q, sizeof(p));

	p.step[hist_index(100, HIST_COARSE)] = ~0u - 1;
	hist_coarse_merge(&p, &p);
	assert_int_equal(p.step[hist_index(100, HIST_COARSE)], ~0u);
	hist_coarse_add(&p, 100);
	assert_int_equal(p.step[hist_index(100, HIST_COARSE)], ~0u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_tile_the_range),
		cmocka_unit_test(percentiles_follow_nearest_rank),
		cmocka_unit_test(small_values_are_exact),
		cmocka_unit_test(values_beyond_the_range),
		cmocka_unit_test(merge_equals_adding_all),
	};

	return cmocka_run_group_tests_name("base-hist", tests, NULL, NULL);
}
