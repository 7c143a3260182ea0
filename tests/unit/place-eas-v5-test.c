/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place-eas-v5-test.c - energy-aware placement and the estimates it stands on, as the older kernel
 * profiles have them, with numbers computed by hand from the rule.
 */
#include "tests/unit/place-world.h"

#include "engine/sched/capacity.h"
#include "engine/sched/features.h"

static const struct shape smp4 = { 4, 0, 1, 1, false }, big_little = { 8, 6, 1, 1, true };

static const char *const old[] = { "v5.4", "v5.10", "v5.13" };

/* The same power for all states of the little CPUs. */
static void set_power(struct sim *s, u32 power)
{
	const struct freq_domain *fd = &s->fds[s->topo[0].fd];

	for (u32 i = 0; i < fd->nr_opps; i++)
		s->opps[fd->first_opp + i].power_uw = power;
	em_domain_init(s, s->topo[0].fd);
}

/*
 * A task of 60 that last ran on an idle big CPU, nothing else about. The lowest big state, a third of
 * the top frequency, draws 204800: cost 614400, energy 614400 * 60 / 1024 = 36000. A move must save
 * more than 36000 / 16 = 2250. Little at 58933: cost 176799, energy 33999, saves 2001; at 58400: cost
 * 175200, energy 33692, saves 2308.
 */
static void energy_has_a_margin(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(old); i++) {
		task_id p;
		struct sim *s = scene_of(old[i], big_little, 0, 7, &p);

		forget_util(s);
		set_util(s, p, 60);
		set_power(s, 58933);
		expect(s, "linux", p, 7, WF_TTWU, 7, RULE_eas_margin);
		set_power(s, 58400);
		assert_int_equal(ask(s, "linux", p, 7, WF_TTWU).rule, RULE_eas_saves);
		sim_free(s);
	}

	task_id p;
	struct sim *s = scene_of("v6.1", big_little, 0, 7, &p);

	forget_util(s);
	set_util(s, p, 60);
	set_power(s, 58933);
	assert_int_equal(ask(s, "linux", p, 7, WF_TTWU).rule, RULE_eas_saves);
	sim_free(s);
}

/* Where the previous CPU is the roomiest, no other of its domain is looked at. */
static void the_roomiest_may_be_the_previous(void **state)
{
	task_id p;
	struct sim *s = scene_of("v5.10", big_little, 0, 3, &p);

	(void)state;
	thrifty_little(s);
	forget_util(s);
	set_util(s, p, 60);
	for (cpu_id c = 0; c < 6; c++)
		if (c != 3)
			root_cfs(s, c)->avg.util_avg = 20;
	expect(s, "linux", p, 3, WF_TTWU, 3, RULE_eas_prev_cheapest);
	/* It fits nowhere else, then nowhere. */
	set_util(s, p, 500);
	assert_true(ask(s, "linux", p, 3, WF_TTWU).cpu >= 6);
	for (cpu_id c = 0; c < 8; c++)
		root_cfs(s, c)->avg.util_avg = 1024;
	expect(s, "linux", p, 3, WF_TTWU, 3, RULE_eas_nowhere);
	sim_free(s);
}

/* A boost to 400, which no little CPU has: v5.4 sees the 60 alone. */
static void boosts_and_energy(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(old); i++) {
		task_id p;
		struct sim *s = scene_of(old[i], big_little, 0, 7, &p);
		u32 cpu;

		thrifty_little(s);
		forget_util(s);
		set_util(s, p, 60);
		s->g->tun.features |= FEAT_BIT(UCLAMP_USED);
		s->tasks[p].uclamp_min = 400;
		cpu = ask(s, "linux", p, 7, WF_TTWU).cpu;
		assert_int_equal(cpu < 6, i == 0);
		sim_free(s);
	}
}

/*
 * The CPUs are at 70, remembered is nothing; the task has slept its utilisation away, and is
 * remembered as 60. v5.4 and v5.10: max(70 + 0, 0 + 60), it costs nothing anywhere. v5.13: 70 + 60.
 */
static void busy_time_of_a_sleeper(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(old); i++) {
		task_id p;
		struct sim *s = scene_of(old[i], big_little, 0, 7, &p);

		thrifty_little(s);
		forget_util(s);
		set_util(s, p, 60);
		s->task_se[p].avg.util_avg = 0;
		for (cpu_id c = 0; c < 8; c++)
			root_cfs(s, c)->avg.util_avg = 70;
		if (i == 2)
			assert_int_equal(ask(s, "linux", p, 7, WF_TTWU).rule, RULE_eas_saves);
		else
			expect(s, "linux", p, 7, WF_TTWU, 7, RULE_eas_prev_cheapest);
		sim_free(s);
	}
}

static void energy_with_threads(void **state)
{
	const struct shape both = { 8, 4, 1, 2, true };
	struct sim *s = world_sim(both, "v5.4", 1);

	(void)state;
	assert_true(eas_active(s));
	sim_free(s);
	s = world_sim(both, "v5.10", 1);
	assert_false(eas_active(s));
	sim_free(s);
}

static void tasks_that_use_nothing(void **state)
{
	static const struct {
		const char *profile;
		bool asked;
	} cases[] = { { "v5.4", true }, { "v5.10", true }, { "v5.13", false }, { "v6.6", false } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		task_id p;
		struct sim *s = scene_of(cases[i].profile, big_little, 0, 7, &p);
		u32 rule;

		forget_util(s);
		set_util(s, p, 0);
		rule = ask(s, "linux", p, 7, WF_TTWU).rule;
		assert_int_equal(rule != RULE_eas_prev_zero, cases[i].asked);
		sim_free(s);
	}
}

/* Runnable time raises the utilisation: in v6.6 before the task joins or leaves, in v6.12 after. */
static void boosted_utilisation(void **state)
{
	static const struct {
		const char *profile;
		u64 joins, leaves;
	} cases[] = {
		{ "v6.1", 150, 50 }, /* no boost: 100 + 50, 100 - 50 */
		{ "v6.6", 350, 250 }, /* 300 + 50, 300 - 50 */
		{ "v6.12", 360, 240 }, /* 300 + 60 above 150, 300 - 60 above 50 */
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		task_id p;
		struct sim *s = scene_of(cases[i].profile, smp4, 0, 2, &p);

		set_util(s, p, 50);
		s->task_se[p].avg.util_est = s->task_se[p].avg.util_est_ewma = 0;
		s->task_se[p].avg.runnable_avg = 60;
		for (cpu_id c = 1; c < 3; c++) {
			root_cfs(s, c)->avg.util_avg = 100;
			root_cfs(s, c)->avg.runnable_avg = 300;
			root_cfs(s, c)->avg.util_est = 0;
		}
		assert_int_equal(cpu_util(s, 1, p, 1, true), cases[i].joins);
		assert_int_equal(cpu_util(s, 2, p, NONE, true), cases[i].leaves);
		sim_free(s);
	}
}

/* 2 domains of 3 states: 2 * (6 + 1018) is 2048, the most that older releases allowed. */
static void large_machines_do_without_energy(void **state)
{
	static const struct {
		const char *profile;
		u32 cpus;
		bool active;
	} cases[] = { { "v6.6", 1018, true }, { "v6.6", 1020, false }, { "v6.12", 1020, true } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = world_sim((struct shape){ cases[i].cpus, 6, 1, 1, true },
					  cases[i].profile, 1);

		assert_int_equal(eas_active(s), cases[i].active);
		sim_free(s);
	}
}

/* Bit 0 was the flag: what is read is odd, and a sample near the mean is not stored. */
static void odd_estimates(void **state)
{
	static const char *const profiles[] = { "v5.4", "v5.10", "v5.13" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		task_id p;
		struct sim *s = scene_of(profiles[i], smp4, 0, 2, &p);
		struct sched_avg *a = &s->task_se[p].avg;
		bool odd = i < 2;

		set_util(s, p, 300);
		assert_int_equal(_task_util_est(s, p), odd ? 301 : 300);
		/* (4 * 300 + 201 - 300) / 4 = 275, and 275 for 200. */
		a->util_avg = 200;
		util_est_update(s, p);
		assert_int_equal(a->util_est, (odd ? 201u : 200u) | UTIL_AVG_UNCHANGED);
		assert_int_equal(a->util_est_ewma, 275);
		a->util_est = 200;
		a->util_est_ewma = 300;
		a->util_avg = 292;
		util_est_update(s, p);
		assert_int_equal(a->util_est, odd ? 200u : 292u | UTIL_AVG_UNCHANGED);
		sim_free(s);
	}
}

/* The headroom is of the frequency, inefficient states count, caps do not. Figures: energy model. */
static void energy_of_v5_4(void **state)
{
	struct opp opps[] = { { .khz = 300000, .power_uw = 30 },
			      { .khz = 768000, .power_uw = 70 },
			      { .khz = 1248000, .power_uw = 140 },
			      { .khz = 1804800, .power_uw = 280 } };

	(void)state;
	em_states_init(opps, 4, 446); /* costs 180 164 202 280 */
	/* 2256000 * 50 / 446 = 252914 kHz: the first, though 164 below 180. 180 * 100 / 446. */
	assert_int_equal(em_energy_v5_4(opps, 4, 446, 50, 100), 40);
	assert_int_equal(em_energy_v6_1(opps, 4, 446, 50, 100, 446, true), 36);
	/* 2256000 * 59 / 446 = 298439 and 303497 for 60. */
	assert_int_equal(em_energy_v5_4(opps, 4, 446, 59, 446), 180);
	assert_int_equal(em_energy_v5_4(opps, 4, 446, 60, 446), 164);
	assert_int_equal(em_energy_v5_4(opps, 4, 446, 446, 446), 280);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(energy_has_a_margin),
		cmocka_unit_test(the_roomiest_may_be_the_previous),
		cmocka_unit_test(boosts_and_energy),
		cmocka_unit_test(busy_time_of_a_sleeper),
		cmocka_unit_test(energy_with_threads),
		cmocka_unit_test(tasks_that_use_nothing),
		cmocka_unit_test(boosted_utilisation),
		cmocka_unit_test(large_machines_do_without_energy),
		cmocka_unit_test(odd_estimates),
		cmocka_unit_test(energy_of_v5_4),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
