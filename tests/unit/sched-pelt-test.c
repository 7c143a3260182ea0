/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched-pelt-test.c - the tables made anew from the definition, and laws the series must obey.
 *
 * Exactness against the kernel's arithmetic is the business of tests/vectors; here stands what can
 * be said without it: decay by halves, limits, order of inputs, one step against many, extremes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/sched/pelt.h"

#define PERIOD_NS 1048576ull

static u64 rnd(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/*
 * Is x^32 * 2^i <= (2^32 - 1)^32? Both sides have 1024 bits: words of 32 bits, schoolbook products.
 */
#define BIG 36

static void big_mul(u32 *a, u32 m)
{
	u64 carry = 0;

	for (int i = 0; i < BIG; i++) {
		carry += (u64)a[i] * m;
		a[i] = (u32)carry;
		carry >>= 32;
	}
}

static void big_power(u32 *a, u32 x, int shift)
{
	for (int i = 0; i < BIG; i++)
		a[i] = 0;
	a[0] = 1;
	for (int i = 0; i < 32; i++)
		big_mul(a, x);
	for (int i = 0; i < shift; i++)
		big_mul(a, 2);
}

static bool big_le(const u32 *a, const u32 *b)
{
	for (int i = BIG - 1; i >= 0; i--)
		if (a[i] != b[i])
			return a[i] < b[i];
	return true;
}

static void table_is_the_truncated_power(void **state)
{
	u32 limit[BIG], a[BIG];

	(void)state;
	big_power(limit, ~0u, 0);
	for (int i = 0; i < (int)LOAD_AVG_PERIOD; i++) {
		/* The largest x with x <= (2^32 - 1) * y^i. */
		big_power(a, pelt_decay_inverse[i], i);
		assert_true(big_le(a, limit));
		if (i == 0)
			continue; /* 2^32 does not fit */
		big_power(a, pelt_decay_inverse[i] + 1, i);
		assert_false(big_le(a, limit));
	}
}

static void constants_follow_from_the_table(void **state)
{
	u64 m = 1024, before = 0;

	(void)state;
	while (m != before) {
		before = m;
		m = (m * pelt_decay_inverse[1] >> 32) + 1024;
	}
	assert_int_equal(m, LOAD_AVG_MAX);
	for (u32 p = 1; p < PELT_FULL_PERIODS; p++)
		assert_int_equal(pelt_full_periods[p],
				 LOAD_AVG_MAX - decay_load(LOAD_AVG_MAX, p) - 1024);
	/* From the last entry on it is constant. */
	assert_int_equal(decay_load(LOAD_AVG_MAX, PELT_FULL_PERIODS - 1), 0);
	assert_int_equal(pelt_segments(PELT_FULL_PERIODS, 0, 0), LOAD_AVG_MAX - 1024);
	assert_int_equal(pelt_segments(1ull << 40, 1024, 7), LOAD_AVG_MAX - 1024 + 7);
	assert_int_equal(PELT_FULL_UTIL_SUM, 47791490);
}

static void decay_halves_in_32_periods(void **state)
{
	(void)state;
	for (u64 v = 0; v < 1ull << 40; v = v * 3 + 1) {
		for (u64 n = 0; n < 200; n++) {
			u64 a = decay_load(v, n), b = decay_load(v, n + 32);

			/* The halving shifts before it multiplies: up to one lost on the way. */
			assert_true(b <= a / 2 && a / 2 - b <= 1);
			assert_true(decay_load(v, n + 1) <= a);
		}
	}
	assert_int_equal(decay_load(~0ull, PELT_DECAY_END + 1), 0);
	assert_int_equal(decay_load(~0ull, ~0ull), 0);
	assert_int_equal(decay_load(1, 0), 0); /* 2^32 - 1, not 2^32 */
}

/* Always running: 1024 or just below, never above, from any starting point and step. */
static void saturation_is_never_passed(void **state)
{
	u64 seed = 1;

	(void)state;
	for (int k = 0; k < 40; k++) {
		struct sched_avg a = { .last_update_time = rnd(&seed) >> 20 };
		u64 now = a.last_update_time;

		for (int i = 0; i < 3000; i++) {
			now += rnd(&seed) % (k < 20 ? 3000000 : 40000);
			if (update_load_sum(now, &a, 1, 1, 1))
				update_load_avg_values(&a, 1024);
			assert_true(a.util_avg <= 1024 && a.load_avg <= 1024);
			assert_true(a.period_contrib < 1024);
			/* Rounding of the closed form: 1/2000 above, which averages cut off. */
			assert_true(a.util_sum <= ((u64)get_pelt_divider(&a) + 24) << 10);
		}
		if (k < 20)
			assert_true(a.util_avg >= 1023);
	}
}

static void half_life_is_32_periods(void **state)
{
	struct sched_avg a = { .last_update_time = 0 };

	(void)state;
	for (int i = 1; i <= 32; i++)
		if (update_load_sum((u64)i * PERIOD_NS, &a, 1, 1, 1))
			update_load_avg_values(&a, 1024);
	assert_in_range(a.util_avg, 510, 514);
	if (update_load_sum(1000 * PERIOD_NS, &a, 1, 1, 1))
		update_load_avg_values(&a, 1024);
	assert_in_range(a.util_avg, 1023, 1024);
	if (update_load_sum(1032 * PERIOD_NS, &a, 0, 0, 0))
		update_load_avg_values(&a, 1024);
	assert_in_range(a.util_avg, 511, 512);
	if (update_load_sum(3100 * PERIOD_NS, &a, 0, 0, 0))
		update_load_avg_values(&a, 1024);
	assert_int_equal(a.util_sum + a.load_sum + a.runnable_sum, 0);
}

/* No load switches the other inputs off; time that runs backwards gives nothing. */
static void inputs_and_odd_times(void **state)
{
	struct sched_avg a = { .last_update_time = 5000000 }, b = a;

	(void)state;
	update_load_sum(9000000, &a, 0, 5, 1);
	update_load_sum(9000000, &b, 0, 0, 0);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_false(update_load_sum(8000000, &a, 1, 1, 1));
	assert_int_equal(a.last_update_time, 8000000);
	assert_int_equal(a.util_sum, 0);
	/* Less than 1024 ns waits for the next update. */
	assert_false(update_load_sum(8001023, &a, 1, 1, 1));
	assert_int_equal(a.last_update_time, 8000000);
	assert_false(update_load_sum(8001024, &a, 1, 1, 1));
	assert_int_equal(a.last_update_time, 8001024);
	assert_int_equal(a.util_sum, 1024);
}

/*
 * One update over a span against many over its parts, with the same inputs. Each boundary may lose
 * one unit per sum and decay, and older losses decay too: 2 per period, 48 half-lives at most.
 */
static void split_updates_agree(void **state)
{
	u64 seed = 99;

	(void)state;
	for (int k = 0; k < 300; k++) {
		struct sched_avg one = { .last_update_time = 1 << 20 }, many;
		u64 span = rnd(&seed) % (300 * PERIOD_NS), end = (1 << 20) + span, now = 1 << 20;
		u32 running = (u32)(rnd(&seed) & 1);

		one.period_contrib = (u32)(rnd(&seed) % 1024);
		one.load_sum = rnd(&seed) % LOAD_AVG_MAX;
		one.util_sum = (u32)(rnd(&seed) % ((u64)LOAD_AVG_MAX << 10));
		many = one;
		update_load_sum(end, &one, 1, 1, running);
		while (now < end) {
			now += rnd(&seed) % (9 * PERIOD_NS);
			if (now > end)
				now = end;
			update_load_sum(now, &many, 1, 1, running);
		}
		assert_int_equal(one.last_update_time, many.last_update_time);
		assert_int_equal(one.period_contrib, many.period_contrib);
		assert_true(llabs((long long)one.load_sum - (long long)many.load_sum) <= 100);
		assert_true(llabs((long long)one.util_sum - (long long)many.util_sum) <=
			    100 * 1024);
	}
}

/* The heaviest weights and the most tasks there can be: no sum wraps. */
static void extremes_do_not_wrap(void **state)
{
	struct cfs_rq q = { .curr = 0, .h_nr_runnable = 4096 };
	struct sched_entity se = { .my_q = NONE, .on_rq = 1 };

	(void)state;
	q.load.weight = scale_load(88761ull * 4096);
	for (u64 now = 1; now < 2000 * PERIOD_NS; now += 777777)
		update_cfs(now, &q);
	/* 1/2000 above is the rounding of the closed form, as in the kernel. */
	assert_in_range(q.avg.load_avg, 88761ull * 4092, 88761ull * 4099);
	assert_in_range(q.avg.runnable_avg, 4096 * 1023, 4099 * 1024);
	assert_in_range(q.avg.util_avg, 1023, 1024);

	se.load.weight = scale_load(88761);
	for (u64 now = 1; now < 2000 * PERIOD_NS; now += 777777)
		update_se(now, &se, true);
	assert_in_range(se.avg.load_avg, 88761 - 90, 88761 + 50);
}

static void flag_of_the_estimate(void **state)
{
	struct sched_entity se = { .my_q = NONE, .on_rq = 1, .load.weight = NICE_0_LOAD };

	(void)state;
	se.avg.util_est = 300 | UTIL_AVG_UNCHANGED;
	assert_false(update_se(500000, &se, true));
	assert_int_equal(se.avg.util_est, 300 | UTIL_AVG_UNCHANGED);
	assert_true(update_se_blocked(2 * PERIOD_NS, &se));
	assert_int_equal(se.avg.util_est, 300 | UTIL_AVG_UNCHANGED);
	assert_true(update_se(4 * PERIOD_NS, &se, true));
	assert_int_equal(se.avg.util_est, 300);
}

static void interrupts_count_as_work(void **state)
{
	struct rq rq = { .freq_scale = 512, .cpu_capacity_orig = 512 };

	(void)state;
	/* All of the time in interrupts, on a CPU at half of half speed. */
	for (int i = 0; i < 500; i++) {
		rq.clock += PERIOD_NS;
		update_irq(&rq, PERIOD_NS);
	}
	assert_in_range(rq.avg_irq.util_avg, 250, 262);
	rq.clock += 32 * PERIOD_NS;
	assert_true(update_irq(&rq, 0) > 0);
	assert_in_range(rq.avg_irq.util_avg, 124, 132);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_the_truncated_power),
		cmocka_unit_test(constants_follow_from_the_table),
		cmocka_unit_test(decay_halves_in_32_periods),
		cmocka_unit_test(saturation_is_never_passed),
		cmocka_unit_test(half_life_is_32_periods),
		cmocka_unit_test(inputs_and_odd_times),
		cmocka_unit_test(split_updates_agree),
		cmocka_unit_test(extremes_do_not_wrap),
		cmocka_unit_test(flag_of_the_estimate),
		cmocka_unit_test(interrupts_count_as_work),
	};

	return cmocka_run_group_tests_name("sched-pelt", tests, NULL, NULL);
}
