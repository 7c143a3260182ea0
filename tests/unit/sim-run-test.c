/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim-run-test.c - what programs mean, what time does, and that the result is the inputs' alone.
 */
#include "tests/sim-world.h"

#include "engine/sched/exec.h"

static const struct shape one = { 1, 0, 1, 1, false }, smp4 = { 4, 0, 1, 1, false },
			  big_little = { 8, 6, 1, 1, true }, smt = { 4, 0, 1, 2, false };

static task_id task_of(const struct sim *s, u64 serial)
{
	task_id p = sim_find_task(s, serial);

	assert_int_not_equal(p, NONE);
	return p;
}

/* Busy time of a CPU; with one task on it, that task's. */
static u64 busy(const struct sim *s, cpu_id cpu)
{
	return sim_cpu_stats_now(s, cpu).busy_ns;
}

static void periodic_is_periodic(void **state)
{
	struct sim *s = world_sim(one, NULL, 1);
	u64 a = world_spawn(s, world_periodic("a", 3 * MS, 16 * MS, 2 * MS));

	(void)state;
	world_run(s, 1602 * MS);
	/* Releases at 2, 18, ... ms: 100 sleeps of 13 ms are over, the 101st run begins now. */
	assert_int_equal(s->task_stats[task_of(s, a)].wakeups, 100);
	assert_int_equal(busy(s, 0), 300 * MS);
	assert_int_equal(s->task_stats[task_of(s, a)].work_done, 300 * MS);
	sim_free(s);
}

static void absolute_catches_up_relative_starts_over(void **state)
{
	(void)state;
	for (int absolute = 0; absolute < 2; absolute++) {
		struct sim *s = world_sim(one, NULL, 1);
		struct task_spec *spec = task_spec_new("t");
		u32 t = world_obj(spec, "t", SYNC_TIMER, true);
		u32 flags = absolute ? STEP_F_ABSOLUTE : 0;

		/* 25 ms of work in the first 10 ms period, 1 ms in the others. */
		world_step(spec, STEP_RUN, 0, NONE, 25 * MS, 0);
		world_open(spec, STEP_LOOP, 0);
		world_step(spec, STEP_TIMER, flags, t, 10 * MS, 0);
		world_step(spec, STEP_RUN, 0, NONE, MS, 0);
		world_close(spec);
		world_spawn(s, spec);
		world_run(s, 100 * MS);
		/*
		 * Absolute: releases 10 and 20 are late, 25..27, then 30, 40 .. 90: 7 of them.
		 * Relative: one run at 25, the next releases at 35, 45 .. 95: 7 of them.
		 */
		assert_int_equal(busy(s, 0),
				 absolute ? 25 * MS + 2 * MS + 7 * MS : 25 * MS + MS + 7 * MS);
		sim_free(s);
	}
}

static void phases_and_loops_end(void **state)
{
	struct sim *s = world_sim(one, NULL, 1);
	struct task_spec *spec = task_spec_new("t");

	(void)state;
	world_open(spec, STEP_LOOP, 3);
	world_step(spec, STEP_RUN, 0, NONE, 2 * MS, 0);
	world_step(spec, STEP_SLEEP, 0, NONE, 2 * MS, 0);
	world_close(spec);
	/* Bodies of 5 ms while 12 ms last: begun at 0, 5, 10. */
	world_open(spec, STEP_PHASE, 12 * MS);
	world_step(spec, STEP_RUN, 0, NONE, MS, 0);
	world_step(spec, STEP_SLEEP, 0, NONE, 4 * MS, 0);
	world_close(spec);
	u64 serial = world_spawn(s, spec);

	world_run(s, 26 * MS);
	assert_int_not_equal(sim_find_task(s, serial), NONE);
	world_run(s, 28 * MS);
	assert_int_equal(sim_find_task(s, serial), NONE);
	assert_int_equal(busy(s, 0), 9 * MS);
	assert_int_equal(s->stats->exits, 1);
	assert_int_equal(arena_live(&s->arena, POOL_STEP), 0);
	assert_int_equal(arena_live(&s->arena, POOL_PROGRAM), 0);
	sim_free(s);
}

static void runtime_counts_waiting_run_does_not(void **state)
{
	struct sim *s = world_sim(one, NULL, 1);
	struct task_spec *a = task_spec_new("a"), *b = task_spec_new("b");

	(void)state;
	world_spawn(s, world_hog("hog"));
	world_step(a, STEP_RUNTIME, 0, NONE, 40 * MS, 0);
	world_step(a, STEP_SLEEP, 0, NONE, 10000 * MS, 0);
	world_step(b, STEP_RUN, 0, NONE, 40 * MS, 0);
	world_step(b, STEP_SLEEP, 0, NONE, 10000 * MS, 0);
	u64 sa = world_spawn(s, a), sb = world_spawn(s, b);

	world_run(s, 50 * MS);
	assert_int_equal(s->tasks[task_of(s, sa)].state, TASK_SLEEPING);
	assert_int_equal(s->tasks[task_of(s, sb)].state, TASK_RUNNING);
	world_run(s, 200 * MS);
	assert_int_equal(s->tasks[task_of(s, sb)].state, TASK_SLEEPING);
	assert_int_equal(s->task_stats[task_of(s, sb)].busy_ns, 40 * MS);
	assert_true(s->task_stats[task_of(s, sa)].busy_ns < 25 * MS);
	sim_free(s);
}

static void locks_exclude_signals_get_lost_semaphores_remember(void **state)
{
	struct sim *s = world_sim(smp4, NULL, 1);
	struct task_spec *spec = task_spec_new("t");
	u32 m = world_obj(spec, "m", SYNC_MUTEX, false);

	(void)state;
	spec->instances = 4;
	world_step(spec, STEP_LOCK, 0, m, 0, 0);
	world_step(spec, STEP_RUN, 0, NONE, 5 * MS, 0);
	world_step(spec, STEP_UNLOCK, 0, m, 0, 0);
	world_spawn(s, spec);

	struct task_spec *w = task_spec_new("w"), *k = task_spec_new("k"), *p = task_spec_new("p"),
			 *q = task_spec_new("q");

	world_step(k, STEP_WAKE, 0, world_obj(k, "c", SYNC_COND, false), 0, 0);
	world_spawn(s, k);
	world_run(s, 1);
	world_step(w, STEP_WAIT, 0, world_obj(w, "c", SYNC_COND, false), 0, 0);
	u64 sw = world_spawn(s, w);

	world_step(p, STEP_SEM_POST, 0, world_obj(p, "s", SYNC_SEM, false), 0, 0);
	world_spawn(s, p);
	world_run(s, MS);
	world_step(q, STEP_SEM_WAIT, 0, world_obj(q, "s", SYNC_SEM, false), 0, 0);
	u64 sq = world_spawn(s, q);

	/* Four CPUs, but one holder at a time: 20 ms. */
	world_run(s, 20 * MS - 1);
	assert_int_equal(s->stats->exits, 5 + 1);
	world_run(s, 20 * MS);
	assert_int_equal(s->stats->exits, 6 + 1);
	assert_int_equal(s->stats->lost_signals, 1);
	assert_int_equal(s->tasks[task_of(s, sw)].state, TASK_WAITING);
	assert_int_equal(sim_find_task(s, sq), NONE);
	sim_free(s);
}

static void barrier_and_fork(void **state)
{
	struct sim *s = world_sim(smp4, NULL, 1);
	struct task_spec *spec = task_spec_new("p"), *child = task_spec_new("c");

	(void)state;
	world_step(child, STEP_RUN, 0, NONE, MS, 0);
	world_step(child, STEP_BARRIER, 0, world_obj(child, "b", SYNC_BARRIER, false), 51, 0);
	spec->forks = calloc(1, sizeof(*spec->forks));
	spec->forks[spec->nr_forks++] = child;
	/* Fifty forks in no time: one an event, all in one instant. */
	world_open(spec, STEP_LOOP, 50);
	world_step(spec, STEP_FORK, 0, NONE, 0, 0);
	world_close(spec);
	world_step(spec, STEP_BARRIER, 0, world_obj(spec, "b", SYNC_BARRIER, false), 51, 0);
	world_spawn(s, spec);
	world_run(s, 0);
	assert_int_equal(s->g->nr_tasks_alive, 51);
	world_check(s);
	world_run(s, 100 * MS);
	assert_int_equal(s->g->nr_tasks_alive, 0);
	assert_int_equal(busy(s, 0) + busy(s, 1) + busy(s, 2) + busy(s, 3), 50 * MS);
	sim_free(s);
}

static void standing_still_costs(void **state)
{
	struct sim *s = world_sim(one, NULL, 1);
	struct task_spec *spec = task_spec_new("spin");

	(void)state;
	world_open(spec, STEP_LOOP, 0);
	world_step(spec, STEP_YIELD, 0, NONE, 0, 0);
	world_close(spec);
	world_spawn(s, spec);
	world_run(s, 10 * MS);
	/* 1000 steps are free, each further one takes 1 us; one begins at 10 ms. */
	assert_int_equal(s->stats->zero_step_charges, 10001);
	assert_int_equal(s->g->now, 10 * MS);
	sim_free(s);
}

static void speed_is_capacity_times_frequency(void **state)
{
	struct sim *s = world_sim(big_little, NULL, 1);

	(void)state;
	world_use(s, SLOT_GOVERNOR, "performance");
	u64 l = world_spawn(s, world_pin(world_periodic("l", MS, 100 * MS, MS), 0, 8));

	world_spawn(s, world_pin(world_periodic("b", MS, 100 * MS, MS), 7, 8));
	world_run(s, 99 * MS);
	/* ceil(2^20 ms / speed 312 * 2^10) */
	assert_int_equal(busy(s, 0), 3282052);
	assert_int_equal(busy(s, 7), MS);
	assert_int_equal(s->task_stats[task_of(s, l)].work_done, MS);
	world_use(s, SLOT_GOVERNOR, "powersave");
	world_run(s, 199 * MS);
	/* A third of the frequency: 666666 of 2000000 kHz, whole operating point table. */
	assert_in_range(busy(s, 7) - MS, 3000000, 3000010);
	sim_free(s);
}

static void busy_siblings_share_the_core(void **state)
{
	struct sim *s = world_sim(smt, NULL, 1);

	(void)state;
	world_spawn(s, world_pin(world_periodic("a", 10 * MS, 100 * MS, 0), 0, 4));
	world_spawn(s, world_pin(world_periodic("b", 5 * MS, 100 * MS, 0), 1, 4));
	world_run(s, 99 * MS);
	/* 125 % for two: 5 ms of work take 8 ms; a has 5 ms left, alone: 13 ms in all. */
	assert_int_equal(busy(s, 1), 8 * MS);
	assert_int_equal(busy(s, 0), 13 * MS);
	sim_free(s);
}

static void nice_shares(void **state)
{
	static const char *const profiles[] = { "v6.1", "v6.6", "v6.12" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		struct sim *s = world_sim(one, profiles[i], 1);
		struct task_spec *b = world_hog("nice5");

		b->nice = 5;
		u64 sa = world_spawn(s, world_hog("nice0"));

		world_spawn(s, b);
		world_run(s, 60000 * MS);
		/* 1024 : 335 */
		assert_in_range(sim_task_stats_now(s, task_of(s, sa)).busy_ns * 10000 /
					(60000 * MS),
				7437, 7637);
		sim_free(s);
	}
}

static void stopped_machine_has_no_events(void **state)
{
	struct sim *s = world_sim(smp4, NULL, 1);

	(void)state;
	assert_int_equal(sim_run_until(s, 1000 * MS, 0), SIM_IDLE_FOREVER);
	assert_int_equal(s->g->ordinal, 0);
	assert_int_equal(s->g->now, 1000 * MS);
	assert_int_equal(sim_cpu_stats_now(s, 3).idle_ns, 1000 * MS);
	sim_free(s);
}

/* ---- one result ---- */

static u64 run_in(u32 slices, bool traced, u64 max_events)
{
	struct sim *s = world_sim(big_little, NULL, 7);
	struct trace_rec ring[256];

	if (traced) {
		s->trace.ring = ring;
		s->trace.ring_size = 256;
		trace_set_ring_mask(&s->trace, TRACE_ALL);
	}
	for (u32 i = 0; i < 12; i++) {
		char name[16];

		snprintf(name, sizeof(name), "t%u", i);

		struct task_spec *spec =
			world_periodic(name, (1 + i) * 300 * US, (4 + i) * MS, i * MS);

		spec->steps[1].flags = STEP_F_UNIFORM;
		spec->steps[1].b = 500 * US;
		spec->nice = (s8)(i % 5);
		world_spawn(s, spec);
	}
	for (u32 i = 1; i <= slices; i++) {
		ktime_ns end = 2000 * MS * i / slices;

		while (sim_run_until(s, end, max_events) == SIM_BUDGET)
			;
	}
	u64 digest = sim_digest(s);

	s->trace.ring = NULL;
	sim_free(s);
	return digest;
}

static void digest_is_the_inputs_alone(void **state)
{
	u64 d = run_in(1, false, 0);

	(void)state;
	assert_int_equal(d, run_in(1, false, 0));
	assert_int_equal(d, run_in(997, false, 0));
	assert_int_equal(d, run_in(31, true, 3));
}

static void queries_change_nothing(void **state)
{
	struct sim *s = world_sim(big_little, NULL, 3);

	(void)state;
	for (u32 i = 0; i < 5; i++)
		world_spawn(s, world_periodic("t", (1 + i) * MS, 10 * MS, i * MS));
	for (u32 i = 0; i < 300; i++) {
		sim_step(s);

		u64 d = sim_digest(s);

		for_each_live(p, &s->arena, POOL_TASK)
		{
			sim_task_avg_now(s, p);
			sim_task_stats_now(s, p);
			sim_task_exec_now(s, p);
		}
		for (cpu_id c = 0; c < 8; c++) {
			sim_cpu_avg_now(s, c);
			sim_cpu_stats_now(s, c);
		}
		world_check(s);
		assert_int_equal(d, sim_digest(s));
	}
	sim_free(s);
}

static void limit_on_tasks_is_an_error(void **state)
{
	struct machine_desc *m = world_machine(one);
	struct sim_config cfg = { .machine = m, .max_tasks = 20 };
	struct err err = { 0 };
	struct sim *s = sim_new(&cfg, &err);
	struct task_spec *spec = world_hog("h");

	(void)state;
	spec->instances = 2000000000;
	world_spawn(s, spec);
	assert_int_equal(sim_run_until(s, MS, 0), SIM_ERROR);
	assert_int_equal(s->err.code, ERR_LIMIT);
	assert_non_null(strstr(s->err.msg, "max_tasks"));
	assert_int_equal(s->g->nr_tasks_alive, 0);
	world_check(s);
	sim_free(s);
	machine_free(m);
}

static void bad_inputs_are_refused(void **state)
{
	struct sim *s = world_sim(smp4, NULL, 1);
	struct task_spec *spec = task_spec_new("t");
	u64 far = 1ull << 40, none = 0, d = sim_digest(s);
	const struct sim_input bad[] = {
		{ .kind = INPUT_SPAWN },
		{ .kind = INPUT_SPAWN, .spec = spec },
		{ .kind = INPUT_SET_NICE, .a = 20 },
		{ .kind = INPUT_SET_CPUS, .words = &none },
		{ .kind = INPUT_SET_CPUS, .words = &far },
		{ .kind = INPUT_USE_POLICY, .a = SLOT_PLACE, .b = 0 },
		{ .kind = INPUT_USE_POLICY, .a = 99 },
		{ .kind = INPUT_TUNABLE, .a = 0, .b = 5 },
		{ .kind = INPUT_TUNABLE, .a = -1 },
		{ .kind = INPUT_FREQ_CAP, .a = 1 },
		{ .kind = INPUT_SET_UCLAMP, .a = 600, .b = 500 },
		{ .kind = INPUT_GROUP_NEW, .a = 1, .text = "/x", .b = 1024 },
		{ .kind = INPUT_GROUP_NEW, .a = 0, .text = "", .b = 1024 },
		{ .kind = INPUT_SET_GROUP, .a = 3 },
		{ .kind = INPUT_MIGRATE, .a = 4 },
		{ .kind = NR_INPUT_KINDS },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = { 0 };

		if (sim_input(s, &bad[i], NULL, &err) != -1)
			fail_msg("input %u was accepted", i);
		assert_int_equal(err.code, ERR_USAGE);
		assert_true(err.msg[0]);
	}
	assert_int_equal(s->journal.nr, 0);
	assert_int_equal(sim_digest(s), d);
	task_spec_free(spec);
	sim_free(s);
}

static void kill_releases_the_lock(void **state)
{
	struct sim *s = world_sim(smp4, NULL, 1);
	struct task_spec *a = task_spec_new("a"), *b = task_spec_new("b");

	(void)state;
	world_step(a, STEP_LOCK, 0, world_obj(a, "m", SYNC_MUTEX, false), 0, 0);
	world_step(a, STEP_RUN, 0, NONE, ~0ull, 0);
	b->delay = MS;
	world_step(b, STEP_LOCK, 0, world_obj(b, "m", SYNC_MUTEX, false), 0, 0);
	u64 sa = world_spawn(s, a), sb = world_spawn(s, b);

	world_run(s, 5 * MS);
	assert_int_equal(s->tasks[task_of(s, sb)].state, TASK_WAITING);
	world_input(s, (struct sim_input){ .kind = INPUT_KILL, .serial = sa });
	world_run(s, 6 * MS);
	assert_int_equal(s->g->nr_tasks_alive, 0);
	world_check(s);
	sim_free(s);
}

static void groups_share_by_weight(void **state)
{
	struct sim *s = world_sim(one, NULL, 1);
	struct task_spec *a = world_hog("a"), *b = world_hog("b");

	(void)state;
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = "/a", .b = 3072 });
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = "/b", .b = 1024 });
	strcpy(a->group, "/a");
	strcpy(b->group, "/b");
	a->instances = 3;
	b->instances = 2;
	world_spawn(s, a);
	u64 sb = world_spawn(s, b);

	world_run(s, 20000 * MS);
	world_check(s);
	/* A quarter for /b, half of it for each. */
	assert_in_range(sim_task_stats_now(s, task_of(s, sb)).busy_ns * 1000 / (20000 * MS), 123,
			127);
	sim_free(s);
}

/* Shorter than the way out of the CPU: whoever wakes during it runs again right after. */
static void sleeps_shorter_than_the_switch(void **state)
{
	(void)state;
	for (u32 us = 1; us < 40; us++) {
		struct sim *s = world_sim(smp4, NULL, 1);
		struct task_spec *spec = task_spec_new("t");

		world_input(s, (struct sim_input){ .kind = INPUT_TUNABLE,
						   .a = sim_tunable_index("costs"),
						   .b = 1 });
		world_open(spec, STEP_LOOP, 0);
		world_step(spec, STEP_RUN, 0, NONE, 100 * US, 0);
		world_step(spec, STEP_SLEEP, 0, NONE, us * US, 0);
		world_close(spec);
		u64 t = world_spawn(s, spec);

		world_run(s, 100 * MS);
		world_check(s);
		/* The scheduler takes less than 100 us a turn. */
		assert_in_range(s->task_stats[task_of(s, t)].wakeups, 100000 / (200 + us), 1000);
		sim_free(s);
	}
}

/* What a CPU draws while a task is current is the task's; nobody's while it idles. */
static void energy_goes_to_tasks(void **state)
{
	struct sim *s = world_sim((struct shape){ 2, 0, 1, 1, false }, NULL, 1);
	u64 hog = world_spawn(s, world_pin(world_hog("hog"), 0, 2));
	u64 half = world_spawn(s, world_pin(world_periodic("half", 4 * MS, 8 * MS, 0), 1, 2));

	(void)state;
	world_run(s, 800 * MS);

	struct task_stats a = sim_task_stats_now(s, sim_find_task(s, hog));
	struct task_stats b = sim_task_stats_now(s, sim_find_task(s, half));
	struct cpu_stats c0 = sim_cpu_stats_now(s, 0), c1 = sim_cpu_stats_now(s, 1);
	u64 busy_uw = s->opps[s->fds[0].first_opp + s->fds[0].cur].power_uw;

	assert_int_equal(a.energy_lo, c0.energy_lo);
	assert_int_equal(a.energy_lo, busy_uw * 800 * MS);
	assert_int_equal(b.energy_lo, busy_uw * 400 * MS);
	assert_true(b.energy_lo < c1.energy_lo);
	sim_free(s);
}

/* The kernel's sched_features: one bit each, the others stay; sums follow. */
static void switches_are_tunables(void **state)
{
	struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, NULL, 1);
	int lag = sim_tunable_index("PLACE_LAG"), est = sim_tunable_index("UTIL_EST");
	u64 before = s->g->tun.features;

	(void)state;
	assert_true(lag >= 0 && est >= 0);
	assert_int_equal(sim_tunable_index("QUEUED_LOAD"), -1); /* a release's, not a user's */
	world_spawn(s, world_periodic("half", 4 * MS, 8 * MS, 0));
	/* It runs from 96 to 100 ms. */
	world_run(s, 97 * MS);
	assert_true(root_cfs(s, 0)->avg.util_est > 0);
	world_input(s, (struct sim_input){ .kind = INPUT_TUNABLE, .a = est, .b = 0 });
	world_run(s, 98 * MS);
	world_check(s);
	assert_int_equal(sim_tunable_value(s, (u32)est), 0);
	assert_int_equal(sim_tunable_value(s, (u32)lag), 1);
	assert_int_equal(root_cfs(s, 0)->avg.util_est, 0);
	world_input(s, (struct sim_input){ .kind = INPUT_TUNABLE, .a = est, .b = 1 });
	world_run(s, 99 * MS);
	world_check(s);
	assert_true(root_cfs(s, 0)->avg.util_est > 0);
	assert_true(s->g->tun.features == before);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periodic_is_periodic),
		cmocka_unit_test(absolute_catches_up_relative_starts_over),
		cmocka_unit_test(phases_and_loops_end),
		cmocka_unit_test(runtime_counts_waiting_run_does_not),
		cmocka_unit_test(locks_exclude_signals_get_lost_semaphores_remember),
		cmocka_unit_test(barrier_and_fork),
		cmocka_unit_test(standing_still_costs),
		cmocka_unit_test(speed_is_capacity_times_frequency),
		cmocka_unit_test(busy_siblings_share_the_core),
		cmocka_unit_test(nice_shares),
		cmocka_unit_test(stopped_machine_has_no_events),
		cmocka_unit_test(digest_is_the_inputs_alone),
		cmocka_unit_test(queries_change_nothing),
		cmocka_unit_test(limit_on_tasks_is_an_error),
		cmocka_unit_test(bad_inputs_are_refused),
		cmocka_unit_test(kill_releases_the_lock),
		cmocka_unit_test(groups_share_by_weight),
		cmocka_unit_test(sleeps_shorter_than_the_switch),
		cmocka_unit_test(energy_goes_to_tasks),
		cmocka_unit_test(switches_are_tunables),
	};

	return cmocka_run_group_tests_name("running a simulation", tests, NULL, NULL);
}
