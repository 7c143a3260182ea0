/* SPDX-License-Identifier: GPL-2.0-only */
/* hw-energy-test.c - costs and inefficient states, choice of a state, and of a frequency. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/hw/energy.h"
#include "engine/policy/sugov.h"

/* The little cluster of the notes on the energy model. */
static void little(struct opp *o)
{
	static const u32 khz[] = { 300000, 768000, 1248000, 1804800 };
	static const u32 power[] = { 30, 70, 140, 280 };

	for (int i = 0; i < 4; i++)
		o[i] = (struct opp){ .khz = khz[i], .power_uw = power[i] };
	em_states_init(o, 4, 446);
}

static void costs_of_the_example(void **state)
{
	static const u32 perf[] = { 74, 189, 308, 446 };
	static const u64 cost[] = { 4, 3, 4, 6 }, cost_v6_1[] = { 180, 164, 202, 280 };
	struct opp o[4];

	(void)state;
	little(o);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(o[i].perf, perf[i]);
		assert_int_equal(o[i].cost, cost[i]);
		assert_int_equal(o[i].cost_v6_1, cost_v6_1[i]);
		assert_int_equal(o[i].em_flags, i ? 0 : EM_INEFFICIENT | EM_INEFFICIENT_V6_1);
	}
}

static void no_power_no_inefficient_states(void **state)
{
	struct opp o[3] = { { .khz = 1 }, { .khz = 1000 }, { .khz = 2000 } };

	(void)state;
	em_states_init(o, 3, 1024);
	for (int i = 0; i < 3; i++)
		assert_int_equal(o[i].em_flags, 0);
	assert_int_equal(em_energy_v6_12(o, 3, 1000, 1000, 1024, true), 0);
}

static void states_are_skipped_and_capped(void **state)
{
	struct opp o[4];

	(void)state;
	little(o);
	assert_int_equal(em_state_v6_12(o, 4, 0, 446, false), 0);
	assert_int_equal(em_state_v6_12(o, 4, 0, 446, true), 1);
	assert_int_equal(em_state_v6_12(o, 4, 189, 446, true), 1);
	assert_int_equal(em_state_v6_12(o, 4, 190, 446, true), 2);
	assert_int_equal(em_state_v6_12(o, 4, 5000, 446, true), 3);
	assert_int_equal(em_state_v6_12(o, 4, 5000, 300, true), 2);
	assert_int_equal(em_state_v6_1(o, 4, 446, 152, 446, true), 2); /* 190 with headroom */
	assert_int_equal(em_energy_v6_12(o, 4, 400, 0, 446, true), 0);
	assert_int_equal(em_energy_v6_12(o, 4, 400, 500, 446, true), 3000);
	assert_int_equal(em_energy_v6_1(o, 4, 446, 400, 892, 446, true), 560);
}

/* The whole range of targets against the definition. */
static void frequencies_follow_the_definition(void **state)
{
	struct opp o[4];

	(void)state;
	little(o);
	for (u32 min = 0; min < 4; min++) {
		for (u32 max = min; max < 4; max++) {
			for (u32 khz = 0; khz < 2000000; khz += 999) {
				u32 got = cpufreq_resolve(o, 4, o[min].khz, o[max].khz, khz, 0);
				u32 want = min;

				while (want < max && o[want].khz < khz)
					want++;
				assert_int_equal(got, want);
			}
		}
	}
	/* An inefficient point is left out, unless nothing else is within the limits. */
	assert_int_equal(cpufreq_resolve(o, 4, 300000, 1804800, 1, EM_INEFFICIENT), 1);
	assert_int_equal(cpufreq_resolve(o, 4, 300000, 300000, 1, EM_INEFFICIENT), 0);
	assert_int_equal(cpufreq_resolve(o, 4, 400000, 500000, 1, 0), 1); /* none within */
}

/* 80 % of a CPU ask for its whole frequency; clamps hold after the headroom. */
static void headroom_and_clamps(void **state)
{
	(void)state;
	assert_int_equal(sugov_effective_cpu_perf(820, 0, 1024), 1024);
	assert_int_equal(sugov_effective_cpu_perf(800, 0, 1024), 1000);
	assert_int_equal(sugov_effective_cpu_perf(800, 0, 700), 700);
	assert_int_equal(sugov_effective_cpu_perf(10, 300, 1024), 300);
	assert_int_equal(sugov_effective_cpu_perf(10, 300, 200), 300); /* the lower one wins */
	assert_int_equal(sugov_raw_khz(2000000, 512, 1024), 1000000);
}

static void boost_doubles_and_fades(void **state)
{
	struct sugov_cpu sg = { 0 };
	u64 t = 1000000000, tick = 4000000;

	(void)state;
	for (u32 want = 128; want <= 1024; want *= 2, t += 1000000) {
		sugov_iowait_boost(&sg, t, SCHED_CPUFREQ_IOWAIT, tick);
		sugov_iowait_boost(&sg, t, SCHED_CPUFREQ_IOWAIT, tick); /* once only */
		sg.last_update = t;
		assert_int_equal(sg.iowait_boost, want);
		assert_int_equal(sugov_iowait_apply(&sg, t, 1024, tick), want);
	}
	for (u32 want = 512; want >= 128; want /= 2, t += 1000000) {
		sugov_iowait_boost(&sg, t, 0, tick);
		sg.last_update = t;
		assert_int_equal(sugov_iowait_apply(&sg, t, 512, tick), want / 2);
	}
	assert_int_equal(sugov_iowait_apply(&sg, t, 512, tick), 0);
	assert_int_equal(sg.iowait_boost, 0);

	/* Older than a tick: gone at once, or begun anew. */
	sg = (struct sugov_cpu){ .last_update = t, .iowait_boost = 1024 };
	sugov_iowait_boost(&sg, t + tick + 1, SCHED_CPUFREQ_IOWAIT, tick);
	assert_int_equal(sg.iowait_boost, IOWAIT_BOOST_MIN);
	sg = (struct sugov_cpu){ .last_update = t, .iowait_boost = 1024 };
	assert_int_equal(sugov_iowait_apply(&sg, t + tick + 1, 1024, tick), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_of_the_example),
		cmocka_unit_test(no_power_no_inefficient_states),
		cmocka_unit_test(states_are_skipped_and_capped),
		cmocka_unit_test(frequencies_follow_the_definition),
		cmocka_unit_test(headroom_and_clamps),
		cmocka_unit_test(boost_doubles_and_fades),
	};

	return cmocka_run_group_tests_name("hw-energy", tests, NULL, NULL);
}
