/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * app-stats-test.c - mean, deviation, confidence and median, against values worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "app/stats.h"

#define OF(...) stats_of((s64[]){ __VA_ARGS__ }, sizeof((s64[]){ __VA_ARGS__ }) / sizeof(s64))

/*
 * 2 4 4 4 5 5 7 9: mean 40/8 = 5, squares of deviations 9 1 1 1 0 0 4 16 = 32, sample variance
 * 32/7 = 4.571429, root 2.138090; t(7) = 2.3646, half 2.3646 * 2.138090 / sqrt(8) = 1.787474.
 */
static void test_eight(void **state)
{
	struct stats s = OF(9, 2, 5, 4, 4, 7, 4, 5);

	(void)state;
	assert_int_equal(s.n, 8);
	assert_int_equal(s.mean, 5000);
	assert_int_equal(s.median, 4500);
	assert_int_equal(s.sd, 2138);
	assert_int_equal(s.half, 1787);
}

/* Two values: sd = |a - b| / sqrt(2), half = 12.7062 * |a - b| / 2. */
static void test_two(void **state)
{
	struct stats s = OF(10, 20);

	(void)state;
	assert_int_equal(s.mean, 15000);
	assert_int_equal(s.sd, 7071);
	assert_int_equal(s.half, 63531); /* 12.7062 * 5 */
	s = OF(-10, -20);
	assert_int_equal(s.mean, -15000);
	assert_int_equal(s.median, -15000);
	assert_int_equal(s.sd, 7071);
}

/* Means are rounded half away from zero: 1/3, 2/3 and their negatives. */
static void test_rounding(void **state)
{
	(void)state;
	assert_int_equal(OF(0, 0, 1).mean, 333);
	assert_int_equal(OF(0, 1, 1).mean, 667);
	assert_int_equal(OF(0, 0, -1).mean, -333);
	assert_int_equal(OF(0, -1, -1).mean, -667);
	assert_int_equal(OF(1, 2, 3).median, 2000);
	assert_int_equal(OF(1, 2).median, 1500);
	assert_int_equal(OF(-1, -2).median, -1500);
}

static void test_few_and_equal(void **state)
{
	struct stats s = stats_of(NULL, 0);

	(void)state;
	assert_int_equal(s.n, 0);
	assert_int_equal(s.mean, 0);
	s = OF(7);
	assert_int_equal(s.mean, 7000);
	assert_int_equal(s.median, 7000);
	assert_int_equal(s.sd, 0);
	assert_int_equal(s.half, 0);
	s = OF(3, 3, 3);
	assert_int_equal(s.sd, 0);
	assert_int_equal(s.half, 0);
}

/* A large offset takes no digit away: deviations are 1, 2, 3 around 10^15. */
static void test_offset(void **state)
{
	s64 big = 1000000000000000ll;
	struct stats s = OF(big + 1, big + 2, big + 3);

	(void)state;
	assert_int_equal(s.sd, 1000);
	assert_int_equal(s.mean, (big + 2) * 1000);
	assert_int_equal(s.half, 2484); /* 4.3027 / sqrt(3) = 2.48417 */
}

/* Deviations of 2^60: sd of {0, 2^60} is 2^60 / sqrt(2), too long for thousandths in 64 bits. */
static void test_huge(void **state)
{
	struct stats s = OF(0, 1ll << 52);
	u64 want = 3184525836262886ull; /* 2^52 / sqrt(2) */

	(void)state;
	/* Low bits are lost beyond 2^46, one part in 2^45 */
	assert_true(s.sd / 1000 > want - (want >> 20) && s.sd / 1000 < want + (want >> 20));
	s = OF(INT64_MIN, INT64_MAX);
	assert_int_equal(s.sd, INT64_MAX);
}

static void test_change(void **state)
{
	struct stats a = OF(100, 100), b = OF(109, 110, 110, 109), c = OF(91), zero = OF(0, 0),
		     minus = OF(-100);
	s64 pct;

	(void)state;
	assert_true(stats_change(&b, &a, &pct));
	assert_int_equal(pct, 950);
	assert_true(stats_change(&c, &a, &pct));
	assert_int_equal(pct, -900);
	assert_true(stats_change(&a, &a, &pct));
	assert_int_equal(pct, 0);
	assert_false(stats_change(&a, &zero, &pct));
	assert_true(stats_change(&zero, &a, &pct));
	assert_int_equal(pct, -10000);
	assert_true(stats_change(&a, &minus, &pct));
	assert_int_equal(pct, -20000);
}

/* Rows of the table, and between them: t(35) 2.0301, t(50) 2.0086, t(80) 1.9901, t(200) 1.9719. */
static void test_student(void **state)
{
	static const struct {
		u32 df, t;
	} rows[] = { { 1, 127062 }, { 2, 43027 },  { 10, 22281 },  { 19, 20930 },
		     { 30, 20423 }, { 35, 20301 }, { 40, 20211 },  { 50, 20086 },
		     { 60, 20003 }, { 80, 19901 }, { 120, 19799 }, { 200, 19719 } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		u32 t = student_95(rows[i].df);

		/* between rows to 2 in the fourth decimal */
		assert_true(t + 2 >= rows[i].t && t <= rows[i].t + 2);
	}
	for (u32 df = 1; df < 5000; df++)
		assert_true(student_95(df) >= student_95(df + 1));
	assert_int_equal(student_95(1u << 31), 19600);
}

static void test_isqrt(void **state)
{
	(void)state;
	assert_int_equal(isqrt128(0), 0);
	assert_int_equal(isqrt128(1), 1);
	assert_int_equal(isqrt128(3), 1);
	assert_int_equal(isqrt128(4), 2);
	assert_int_equal(isqrt128((u128)99980001), 9999);
	assert_int_equal(isqrt128((u128)99980000), 9998);
	assert_true(isqrt128((u128)~0ull * ~0ull) == ~0ull);
	assert_true(isqrt128(~(u128)0) == ~0ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eight),	 cmocka_unit_test(test_two),
		cmocka_unit_test(test_rounding), cmocka_unit_test(test_few_and_equal),
		cmocka_unit_test(test_offset),	 cmocka_unit_test(test_huge),
		cmocka_unit_test(test_change),	 cmocka_unit_test(test_student),
		cmocka_unit_test(test_isqrt),
	};

	return cmocka_run_group_tests_name("statistics in whole numbers", tests, NULL, NULL);
}
