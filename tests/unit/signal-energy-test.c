/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * signal-energy-test.c - energy as the signals tell it, and energy per work, on machines whose figures can
 * be worked out by hand.
 */
#include "tests/sim-world.h"

#include "engine/sched/signal_energy.h"

/* One CPU of capacity 1024, one operating point of 1024 * 200 uW. */
static struct sim *one_cpu(const char *profile)
{
	return world_sim((struct shape){ 1, 0, 1, 1, false }, profile, 1);
}

static u64 uj(const struct sim *s, u32 fd)
{
	return (u64)(sim_domain_signal_energy_now(s, fd) / 1000000000u);
}

/* Utilisation 256 of 1024 for 4 s, then 512 for 1 s: 204800 uW times 1/4 times 4 plus 1/2. */
static void test_by_hand(void **state)
{
	static const char *const profiles[] = { "v6.12", "v6.1" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		struct sim *s = one_cpu(profiles[i]);

		root_cfs(s, 0)->avg.util_avg = 256;
		signal_energy_update(s, 0);
		s->g->now += 4 * NSEC_PER_SEC;
		assert_int_equal(uj(s, 0), 204800);
		signal_energy_update(s, 0); /* nothing changed */
		assert_int_equal(uj(s, 0), 204800);
		root_cfs(s, 0)->avg.util_avg = 512;
		signal_energy_update(s, 0);
		s->g->now += NSEC_PER_SEC;
		assert_int_equal(uj(s, 0), 204800 + 102400);
		root_cfs(s, 0)->avg.util_avg = 0;
		signal_energy_update(s, 0);
		s->g->now += NSEC_PER_SEC;
		assert_int_equal(uj(s, 0), 204800 + 102400);
		sim_free(s);
	}
}

/*
 * Two CPUs share three operating points at 1/3, 2/3 and all of 1024 for 1, 4 and 9 times 204800 uW. The
 * busier one decides which: at 200 (250 with headroom) the first, of capacity 341 for 204800; both CPUs'
 * utilisation of 300 in sum costs 204800 * 300 / 341 there. At 400 (500) the second: 682 for 819200.
 */
static void test_peak_decides(void **state)
{
	struct sim *s = world_sim((struct shape){ 2, 0, 1, 1, true }, "v6.12", 1);
	u64 want, power;

	(void)state;
	root_cfs(s, 0)->avg.util_avg = 200;
	root_cfs(s, 1)->avg.util_avg = 100;
	signal_energy_update(s, 0);
	signal_energy_update(s, 1);
	power = s->fd_stats[0].power_uw;
	want = 204800ull * 300 / 341;
	assert_true(power > want - want / 100 && power < want + want / 100);
	root_cfs(s, 1)->avg.util_avg = 400;
	signal_energy_update(s, 1);
	want = 819200ull * 600 / 682;
	power = s->fd_stats[0].power_uw;
	assert_true(power > want - want / 100 && power < want + want / 100);
	/* The peak leaves: the other CPU decides again. */
	root_cfs(s, 1)->avg.util_avg = 0;
	signal_energy_update(s, 1);
	want = 204800ull * 200 / 341;
	power = s->fd_stats[0].power_uw;
	assert_true(power > want - want / 100 && power < want + want / 100);
	sim_free(s);
}

/* A CPU that is always busy: its signal is its capacity, and both energies grow alike. */
static void test_hog(void **state)
{
	struct sim *s = one_cpu("v6.12");
	u128 signals, counted;

	(void)state;
	world_spawn(s, world_hog("hog"));
	world_run(s, NSEC_PER_SEC);
	signals = sim_domain_signal_energy_now(s, 0);
	counted = sim_domain_energy_now(s, 0);
	world_run(s, 2 * NSEC_PER_SEC);
	signals = sim_domain_signal_energy_now(s, 0) - signals;
	counted = sim_domain_energy_now(s, 0) - counted;
	assert_true(signals > counted - counted / 100 && signals < counted + counted / 100);
	assert_int_equal(sim_work_done_now(s), 2 * NSEC_PER_SEC);
	sim_free(s);
}

/* What a task got done stays known when it has ended. */
static void test_work_of_the_dead(void **state)
{
	struct sim *s = world_sim((struct shape){ 3, 1, 1, 1, true }, "v6.12", 1);
	struct task_spec *spec = task_spec_new("short");

	(void)state;
	world_use(s, SLOT_GOVERNOR, "performance");
	world_step(spec, STEP_RUN, 0, NONE, 10 * MS, 0);
	world_pin(spec, 0, 3); /* little: takes longer, and is as much work */
	world_spawn(s, spec);
	world_run(s, NSEC_PER_SEC);
	assert_int_equal(arena_live(&s->arena, POOL_TASK), 0);
	assert_int_equal(sim_work_done_now(s), 10 * MS);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_peak_decides),
		cmocka_unit_test(test_hog),
		cmocka_unit_test(test_work_of_the_dead),
	};

	return cmocka_run_group_tests_name("energy by signals", tests, NULL, NULL);
}
