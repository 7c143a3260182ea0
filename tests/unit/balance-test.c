/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance-test.c - what balancing must achieve: idle CPUs get work, tasks spread, a misfit reaches a
 * big core, a saturated node gets help; and the records of NOHZ stay consistent.
 */
#include "tests/sim-world.h"

#include "engine/base/cpumask.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"

static u64 task_busy(const struct sim *s, u64 serial)
{
	return sim_task_stats_now(s, sim_find_task(s, serial)).busy_ns;
}

static void place_badly(struct sim *s)
{
	world_use(s, SLOT_PLACE, "prev");
}

/* All start on one CPU, nobody sleeps: only balancing can spread them. */
static void hogs_spread(struct shape sh, u32 nr, u64 within, const char *profile)
{
	struct sim *s = world_sim(sh, profile, 1);

	place_badly(s);
	for (u32 i = 0; i < nr; i++)
		world_spawn(s, world_hog("hog"));
	world_run(s, within);
	world_check(s);

	u32 max = 0, idle = 0;

	for (cpu_id c = 0; c < sh.cpus; c++) {
		max = s->rqs[c].nr_running > max ? s->rqs[c].nr_running : max;
		idle += idle_cpu(s, c);
	}
	if (idle && max > 1)
		fail_msg("%u CPUs of %u idle while one has %u tasks", idle, sh.cpus, max);
	sim_free(s);
}

static void idle_cpus_get_work(void **state)
{
	static const char *const profiles[] = { "v6.12", "v6.6", "v6.1" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		hogs_spread((struct shape){ 2, 0, 1, 1, false }, 2, 100 * MS, profiles[i]);
		hogs_spread((struct shape){ 4, 0, 1, 1, false }, 4, 300 * MS, profiles[i]);
		hogs_spread((struct shape){ 8, 0, 1, 2, false }, 8, 1000 * MS, profiles[i]);
		hogs_spread((struct shape){ 8, 0, 1, 1, false }, 12, 1000 * MS, profiles[i]);
		hogs_spread((struct shape){ 16, 0, 4, 1, false }, 32, 3000 * MS, profiles[i]);
	}
}

static void cores_before_threads(void **state)
{
	struct sim *s = world_sim((struct shape){ 8, 0, 1, 2, false }, NULL, 1);

	(void)state;
	place_badly(s);
	for (u32 i = 0; i < 4; i++)
		world_spawn(s, world_hog("hog"));
	world_run(s, 2000 * MS);
	for (cpu_id c = 0; c < 8; c += 2)
		assert_int_equal(!idle_cpu(s, c) + !idle_cpu(s, c + 1), 1);
	sim_free(s);
}

static void misfit_reaches_a_big_core(void **state)
{
	struct sim *s = world_sim((struct shape){ 8, 6, 1, 1, true }, NULL, 1);
	u64 serial;

	(void)state;
	place_badly(s);
	serial = world_spawn(s, world_hog("hog"));
	world_run(s, 1500 * MS);
	/* A second task keeps somebody's tick going on the big side or the little one. */
	assert_true(s->tasks[sim_find_task(s, serial)].cpu >= 6);
	assert_true(s->stats->misfit > 0);
	world_check(s);
	sim_free(s);
}

/* Twice as many hogs as CPUs: each gets about half a CPU. */
static void shares_are_even(void **state)
{
	struct sim *s = world_sim((struct shape){ 4, 0, 1, 1, false }, NULL, 1);
	u64 serial[8];

	(void)state;
	place_badly(s);
	for (u32 i = 0; i < 8; i++)
		serial[i] = world_spawn(s, world_hog("hog"));
	world_run(s, 4000 * MS);
	for (u32 i = 0; i < 8; i++) {
		u64 busy = task_busy(s, serial[i]);

		if (busy < 1800 * MS || busy > 2200 * MS)
			fail_msg("hog %u ran %llu ms of 4000", i, (unsigned long long)(busy / MS));
	}
	sim_free(s);
}

static void pinned_tasks_stay(void **state)
{
	struct sim *s = world_sim((struct shape){ 4, 0, 1, 1, false }, NULL, 1);
	u64 serial[3];

	(void)state;
	for (u32 i = 0; i < 3; i++)
		serial[i] = world_spawn(s, world_pin(world_hog("hog"), 1, 4));
	world_run(s, 1000 * MS);
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(s->tasks[sim_find_task(s, serial[i])].cpu, 1);
	/* Looking in vain becomes rarer, up to half a second. */
	assert_true(s->stats->balance_pulled == 0);
	sim_free(s);
}

/* mask, count, flags and the caches' busy counts say the same. */
static void check_nohz(const struct sim *s)
{
	u32 stopped = 0;

	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		assert_int_equal(cpumask_test(s->nohz_mask, c), s->rqs[c].nohz_tick_stopped);
		stopped += s->rqs[c].nohz_tick_stopped;
		/* An idle CPU has no tick. */
		if (idle_cpu(s, c))
			assert_true(s->rqs[c].nohz_tick_stopped);
	}
	assert_int_equal(stopped, s->nohz[0].nr_cpus);
	for (u32 i = 0; i < arena_len(&s->arena, POOL_LLC); i++)
		assert_true(s->llcs[i].nr_busy_cpus <= s->llcs[i].span_weight);
}

static void nohz_records_agree(void **state)
{
	static const struct shape shapes[] = {
		{ 4, 0, 1, 1, false },
		{ 8, 6, 1, 1, true },
		{ 16, 0, 4, 2, false },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct sim *s = world_sim(shapes[i], NULL, i);

		for (u32 k = 0; k < 2 * shapes[i].cpus; k++)
			world_spawn(s, world_periodic("t", (k % 5 + 1) * MS, 12 * MS + k * MS,
						      k * MS));
		for (u64 t = 50; t < 1000; t += 50) {
			world_run(s, t * MS);
			check_nohz(s);
			world_check(s);
		}
		sim_free(s);
	}
}

/* Blocked load of idle CPUs does not stand still while somebody's tick runs. */
static void blocked_load_decays(void **state)
{
	struct sim *s = world_sim((struct shape){ 4, 0, 1, 1, false }, NULL, 1);
	struct task_spec *spec = task_spec_new("once");

	(void)state;
	world_step(spec, STEP_RUN, 0, NONE, 200 * MS, 0);
	world_step(spec, STEP_SLEEP, 0, NONE, 100000 * MS, 0);
	world_spawn(s, world_pin(spec, 2, 4));
	world_spawn(s, world_pin(world_hog("hog"), 0, 4));
	world_run(s, 200 * MS);
	assert_true(root_cfs(s, 2)->avg.util_avg > 900);
	world_run(s, 700 * MS);
	assert_true(root_cfs(s, 2)->avg.util_avg < 10);
	sim_free(s);
}

static void a_run_repeats(void **state)
{
	u64 digest[2];

	(void)state;
	for (u32 k = 0; k < 2; k++) {
		struct sim *s = world_sim((struct shape){ 16, 0, 2, 2, false }, NULL, 3);

		for (u32 i = 0; i < 40; i++)
			world_spawn(s, world_periodic("t", (i % 6 + 1) * MS, 10 * MS + i * MS, 0));
		world_run(s, 500 * MS);
		digest[k] = sim_digest(s);
		sim_free(s);
	}
	assert_int_equal(digest[0], digest[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_cpus_get_work),	     cmocka_unit_test(cores_before_threads),
		cmocka_unit_test(misfit_reaches_a_big_core), cmocka_unit_test(shares_are_even),
		cmocka_unit_test(pinned_tasks_stay),	     cmocka_unit_test(nohz_records_agree),
		cmocka_unit_test(blocked_load_decays),	     cmocka_unit_test(a_run_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
