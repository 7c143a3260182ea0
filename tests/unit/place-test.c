/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place-test.c - each rule of policy `linux` in the smallest situation that calls for it, and how
 * far energy-aware placement is from the best assignment there is.
 */
#include "tests/unit/place-world.h"

static const struct shape smp4 = { 4, 0, 1, 1, false }, smt8 = { 8, 0, 1, 2, false },
			  big_little = { 8, 6, 1, 1, true }, nodes = { 8, 0, 2, 1, false };

static void one_cache(void **state)
{
	task_id p;
	struct sim *s = scene(smp4, 0x0, 2, &p);

	(void)state;
	expect(s, "linux", p, 0, WF_TTWU, 2, RULE_prev_idle);
	sim_free(s);

	/* Previous CPU busy, woken by an interrupt on an idle CPU of the same cache. */
	s = scene(smp4, 0x4, 2, &p);
	expect(s, "linux", p, 1, WF_TTWU, 1, RULE_target_idle);
	/* A CPU before the scan's start, but used before. */
	s->tasks[p].recent_used_cpu = 1;
	expect(s, "linux", p, 2, WF_TTWU, 1, RULE_recent_idle);
	assert_int_equal(s->tasks[p].recent_used_cpu, 2);
	expect(s, "linux", p, 2, WF_TTWU, 3, RULE_idle_scan);
	s->llcs[0].nr_idle_scan = 0;
	expect(s, "linux", p, 2, WF_TTWU, 2, RULE_scan_cut);
	/* Two looks: CPUs 3 and 0; with 3 taken, 0 is the one. */
	sim_free(s);

	s = scene(smp4, 0xc, 2, &p);
	s->llcs[0].nr_idle_scan = 1;
	expect(s, "linux", p, 2, WF_TTWU, 2, RULE_scan_cut);
	s->llcs[0].nr_idle_scan = 2;
	expect(s, "linux", p, 2, WF_TTWU, 0, RULE_idle_scan);
	sim_free(s);

	s = scene(smp4, 0xf, 2, &p);
	expect(s, "linux", p, 2, WF_TTWU, 2, RULE_prev_busy);
	sim_free(s);
}

static void waker_pulls(void **state)
{
	task_id p;
	struct sim *s = scene(smp4, 0xf, 2, &p);

	(void)state;
	/* All busy. Asynchronous: the loads decide, and here's is higher by the wakee. */
	expect(s, "linux", p, 0, WF_TTWU, 2, RULE_prev_busy);
	/* Synchronous, and the waker is alone: it is about to sleep. */
	expect(s, "linux", p, 0, WF_TTWU | WF_SYNC, 0, RULE_target_busy);
	/* Not where it may not run. */
	s->tasks[p].cpus = s->tasks[s->rqs[3].curr].cpus;
	assert_int_not_equal(ask(s, "linux", p, 0, WF_TTWU | WF_SYNC).cpu, 0);
	s->tasks[p].cpus = 0;
	/* A master of many slaves does not pull. */
	s->tasks[p].wakee_flips = 4;
	s->tasks[s->rqs[0].curr].wakee_flips = 64;
	expect(s, "linux", p, 0, WF_TTWU | WF_SYNC, 2, RULE_prev_busy);
	sim_free(s);
}

static void caches_apart(void **state)
{
	task_id p;
	struct sim *s = scene(nodes, 0x00, 5, &p);

	(void)state;
	expect(s, "linux", p, 1, WF_TTWU, 5, RULE_prev_idle);
	sim_free(s);
	/* Previous node full: the search stays in its cache all the same, loads being in favour. */
	s = scene(nodes, 0xf0, 5, &p);
	struct seen seen = ask(s, "linux", p, 5, WF_TTWU);

	assert_int_equal(seen.rule, RULE_prev_busy);
	/* New tasks do cross: the idlest group is the other node. */
	seen = ask(s, "linux", p, 5, WF_FORK);
	assert_int_equal(seen.rule, RULE_slow_path);
	assert_true(seen.cpu < 4);
	sim_free(s);
}

static void fork_spreads(void **state)
{
	task_id p;
	struct sim *s = scene(smp4, 0x3, 0, &p);

	(void)state;
	assert_true(ask(s, "linux", p, 0, WF_FORK).cpu >= 2);
	assert_int_equal(ask(s, "linux", p, 0, WF_FORK).rule, RULE_slow_path);
	expect(s, "linux", p, 3, WF_FORK, 3, RULE_slow_stay);
	sim_free(s);
}

static void threads(void **state)
{
	task_id p;
	struct sim *s = scene(smt8, 0x01, 0, &p);

	(void)state;
	s->llcs[0].has_idle_cores = 1;
	/* The thread beside it is idle, but there is a whole core. */
	expect(s, "linux", p, 0, WF_TTWU, 2, RULE_idle_core);
	s->llcs[0].has_idle_cores = 0;
	expect(s, "linux", p, 0, WF_TTWU, 1, RULE_smt_sibling);
	sim_free(s);

	s = scene(smt8, 0x57, 0, &p);
	s->llcs[0].has_idle_cores = 1;
	expect(s, "linux", p, 0, WF_TTWU, 3, RULE_idle_thread);
	assert_int_equal(s->llcs[0].has_idle_cores, 0);
	sim_free(s);
}

/* The hint comes back when a core goes idle. */
static void idle_core_hint(void **state)
{
	struct sim *s = world_sim(smt8, NULL, 1);

	(void)state;
	s->llcs[0].has_idle_cores = 0;
	world_spawn(s, world_pin(sleeper("p"), 2, 8));
	world_run(s, 10 * MS);
	assert_int_equal(s->llcs[0].has_idle_cores, 1);
	sim_free(s);
}

static void unequal_cpus(void **state)
{
	task_id p;
	struct sim *s = scene(big_little, 0x02, 1, &p);

	(void)state;
	set_util(s, p, 100);
	expect(s, "linux-noeas", p, 1, WF_TTWU, 2, RULE_asym_fits);
	set_util(s, p, 600);
	expect(s, "linux-noeas", p, 1, WF_TTWU, 6, RULE_asym_fits);
	/* Idle, but too small. */
	s->tasks[p].cpu = 0;
	expect(s, "linux-noeas", p, 0, WF_TTWU, 6, RULE_asym_fits);
	sim_free(s);

	s = scene(big_little, 0xc2, 1, &p);
	set_util(s, p, 600);
	expect(s, "linux-noeas", p, 1, WF_TTWU, 2, RULE_asym_best);
	sim_free(s);
	s = scene(big_little, 0xff, 1, &p);
	set_util(s, p, 600);
	expect(s, "linux-noeas", p, 1, WF_TTWU, 1, RULE_asym_none);
	sim_free(s);
}

static void energy(void **state)
{
	task_id p;
	struct sim *s = scene(big_little, 0, 7, &p);

	(void)state;
	thrifty_little(s);
	forget_util(s);
	set_util(s, p, 0);
	expect(s, "linux", p, 7, WF_TTWU, 7, RULE_eas_prev_zero);
	/* A small task leaves the big core. */
	set_util(s, p, 60);
	struct seen seen = ask(s, "linux", p, 7, WF_TTWU);

	assert_int_equal(seen.rule, RULE_eas_saves);
	assert_true(seen.cpu < 6);
	/* Somewhere else little it stays. */
	s->tasks[p].cpu = 3;
	expect(s, "linux", p, 3, WF_TTWU, 3, RULE_eas_prev_cheapest);
	/* Too large for a little core. */
	set_util(s, p, 500);
	expect(s, "linux", p, 3, WF_TTWU, 6, RULE_eas_fits_better);
	/* Too large for anything left. */
	for (cpu_id c = 0; c < 8; c++)
		root_cfs(s, c)->avg.util_avg = 1024;
	expect(s, "linux", p, 3, WF_TTWU, 3, RULE_eas_nowhere);
	/* Overutilised: energy is no longer asked about. */
	s->g->overutilized = 1;
	assert_true(ask(s, "linux", p, 3, WF_TTWU).rule < RULE_eas_prev_zero);
	sim_free(s);
}

static void not_without_schedutil(void **state)
{
	task_id p;
	struct sim *s = scene(big_little, 0, 7, &p);

	(void)state;
	world_use(s, SLOT_GOVERNOR, "performance");
	world_run(s, 41 * MS);
	forget_util(s);
	set_util(s, p, 60);
	expect(s, "linux", p, 7, WF_TTWU, 7, RULE_prev_idle);
	sim_free(s);
}

/* ---- how good is it? ----------------------------------------------------------------------- */

#define NR_EAS_TASKS 6

/* Energy of utilisations per CPU: 0 = some CPU would be overutilised. */
static u64 energy_of(const struct sim *s, const u32 *util)
{
	u64 total = 1;

	for (u32 fd = 0; fd < s->g->nr_fds; fd++) {
		u64 max = 0, sum = 0, cap = s->fds[fd].capacity_orig;

		for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
			if (s->topo[c].fd != fd)
				continue;
			if ((u64)util[c] * 1280 >= cap * 1024)
				return 0;
			max = max_u64(max, util[c]);
			sum += util[c];
		}
		total += em_cpu_energy(s, fd, min_u64(max + max / 4, cap), sum, cap);
	}
	return total;
}

/* Every assignment of tasks to CPUs; CPUs of one domain are alike, so task 0 stands still. */
static u64 best_energy(const struct sim *s, const u32 *task, u32 n, u32 *util)
{
	u64 best = 0;

	if (!n)
		return energy_of(s, util);
	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		bool twin = c && s->topo[c].fd == s->topo[c - 1].fd && util[c] == util[c - 1];
		u64 e;

		if (twin)
			continue;
		util[c] += task[n - 1];
		e = best_energy(s, task, n - 1, util);
		util[c] -= task[n - 1];
		if (e && (!best || e < best))
			best = e;
	}
	return best;
}

static void gap_to_the_best_assignment(void **state)
{
	u64 key = rng_root_key(7), draw = 0, worst = 0, sum = 0, nr = 0;
	struct sim *s;
	task_id tasks[NR_EAS_TASKS];

	(void)state;
	s = world_sim(big_little, NULL, 1);
	thrifty_little(s);
	u64 serial[NR_EAS_TASKS];

	for (u32 i = 0; i < NR_EAS_TASKS; i++)
		serial[i] = world_spawn(s, sleeper("t"));
	world_run(s, 40 * MS);
	for (u32 i = 0; i < NR_EAS_TASKS; i++)
		tasks[i] = sim_find_task(s, serial[i]);
	for (u32 round = 0; round < 40; round++) {
		u32 want[NR_EAS_TASKS], util[8] = { 0 }, none[8] = { 0 };
		u32 n = 1 + (u32)rng_uniform(key, &draw, NR_EAS_TASKS);

		forget_util(s);
		for (u32 i = 0; i < n; i++) {
			want[i] = 10 + (u32)rng_uniform(key, &draw, i % 3 ? 150 : 500);
			set_util(s, tasks[i], want[i]);

			cpu_id c = ask(s, "linux", tasks[i], s->tasks[tasks[i]].cpu, WF_TTWU).cpu;

			util[c] += want[i];
			root_cfs(s, c)->avg.util_avg += want[i];
			root_cfs(s, c)->avg.runnable_avg += want[i];
		}

		u64 got = energy_of(s, util), best = best_energy(s, want, n, none);

		if (!got || !best)
			continue;
		assert_true(got >= best);

		u64 gap = (got - best) * 1000 / best;

		worst = max_u64(worst, gap);
		sum += gap;
		nr++;
	}
	assert_true(nr > 20);
	print_message(
		"# energy above the best assignment: %llu.%llu %% on average, %llu.%llu %% at "
		"worst, %llu cases\n",
		(unsigned long long)(sum / nr / 10), (unsigned long long)(sum / nr % 10),
		(unsigned long long)(worst / 10), (unsigned long long)(worst % 10),
		(unsigned long long)nr);
	/* Greedy, one task at a time: not the optimum, but near. */
	assert_true(sum / nr < 150);
	sim_free(s);
}

/* Every answer is an allowed CPU, on machines of all kinds, whatever runs. */
static void answers_are_allowed(void **state)
{
	static const struct shape shapes[] = {
		{ 1, 0, 1, 1, false },	{ 4, 0, 1, 1, false },	{ 8, 6, 1, 1, true },
		{ 16, 0, 4, 2, false }, { 70, 0, 2, 1, false },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (u32 noeas = 0; noeas < 2; noeas++) {
			struct sim *s = world_sim(shapes[i], NULL, i);

			world_use(s, SLOT_PLACE, noeas ? "linux-noeas" : "linux");
			for (u32 k = 0; k < 3 * shapes[i].cpus && k < 60; k++)
				world_spawn(s, world_periodic("t", (k % 7 + 1) * MS,
							      16 * MS + k * MS, k * 300 * US));
			world_run(s, 400 * MS);
			world_check(s);
			sim_free(s);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_cache),
		cmocka_unit_test(waker_pulls),
		cmocka_unit_test(caches_apart),
		cmocka_unit_test(fork_spreads),
		cmocka_unit_test(threads),
		cmocka_unit_test(idle_core_hint),
		cmocka_unit_test(unequal_cpus),
		cmocka_unit_test(energy),
		cmocka_unit_test(not_without_schedutil),
		cmocka_unit_test(gap_to_the_best_assignment),
		cmocka_unit_test(answers_are_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
