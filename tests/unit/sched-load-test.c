/* SPDX-License-Identifier: GPL-2.0-only */
/* sched-load-test.c - weights, and division by them against the exact quotient. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/sched/load.h"

static void table_steps_by_a_quarter(void **state)
{
	(void)state;
	assert_int_equal(sched_prio_to_weight[20], 1024);
	for (int i = 0; i < 39; i++) {
		u32 hi = sched_prio_to_weight[i], lo = sched_prio_to_weight[i + 1];

		/* 1.25 within what rounding to whole numbers and the hand-made table allow. */
		assert_in_range(hi * 100 / lo, 119, 131);
	}
	for (int i = 0; i < 40; i++) {
		u64 w = sched_prio_to_weight[i], inv = sched_prio_to_wmult[i];

		/* inv is 2^32 / w to the nearest. */
		assert_true(w * inv <= (1ull << 32) + w);
		assert_true(w * inv + w >= 1ull << 32);
	}
}

static void scaling_down_keeps_two(void **state)
{
	(void)state;
	assert_int_equal(scale_load_down(0), 0);
	assert_int_equal(scale_load_down(1), 2);
	assert_int_equal(scale_load_down(2047), 2);
	assert_int_equal(scale_load_down(3 << 10), 3);
	assert_int_equal(scale_load_down(NICE_0_LOAD), 1024);
}

/* delta * weight / sum by the inverse: at most a few parts in 2^21 below the exact quotient. */
static void quotients_are_near_and_never_above(void **state)
{
	(void)state;
	for (u64 w = 3; w < 100000; w = w * 5 / 3 + 1) {
		for (u64 sum = 3; sum < 10000000; sum = sum * 7 / 4 + 1) {
			for (u64 delta = 1; delta < 1ull << 40; delta *= 37) {
				struct load_weight lw = { .weight = scale_load(sum) };
				u64 exact = (u64)((u128)delta * w / sum);
				u64 got = calc_delta(delta, scale_load(w), &lw);

				assert_true(got <= exact + 1);
				assert_true(exact - (got < exact ? got : exact) <=
					    (exact >> 8) + 1);
				assert_int_equal(lw.inv_weight, ~0u / (u32)sum);
			}
		}
	}
}

static void nice_0_keeps_its_time(void **state)
{
	struct sched_entity se = { 0 };

	(void)state;
	set_load_weight(&se, 0, false);
	assert_int_equal(calc_delta_fair(123456789, &se), 123456789);
	set_load_weight(&se, -20, false);
	assert_in_range(calc_delta_fair(88761000, &se), 1023900, 1024000);
	set_load_weight(&se, 19, true);
	assert_int_equal(se.load.weight, 3 << 10);
	assert_int_equal(se.load.inv_weight, WMULT_IDLEPRIO);
	assert_int_equal(se.idle, 1);
	assert_in_range(calc_delta_fair(3000, &se), 1023999, 1024000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_steps_by_a_quarter),
		cmocka_unit_test(scaling_down_keeps_two),
		cmocka_unit_test(quotients_are_near_and_never_above),
		cmocka_unit_test(nice_0_keeps_its_time),
	};

	return cmocka_run_group_tests_name("sched-load", tests, NULL, NULL);
}
