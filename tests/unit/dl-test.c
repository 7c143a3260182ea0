/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dl-test.c - deadline tasks: budgets, order, admission, what they ask of the frequency. Expected
 * values are worked out by hand from the rules of kernel/sched/deadline.c.
 */
#include "tests/sim-world.h"

#include "engine/sched/class.h"
#include "engine/sched/dl.h"
#include "engine/sched/domain.h"

static const struct shape one = { 1, 0, 1, 1, false };
static const struct shape two = { 2, 0, 1, 1, false };

static struct sim *world(struct shape shape, const char *profile)
{
	struct sim *s = world_sim(shape, profile, 1);

	world_input(s, (struct sim_input){
			       .kind = INPUT_TUNABLE, .a = sim_tunable_index("hz"), .b = 1000 });
	return s;
}

/* run @work, wait for the next multiple of @every; for ever. */
static struct task_spec *periodic(const char *name, u64 work, u64 every, struct dl_params dl)
{
	struct task_spec *spec = task_spec_new(name);

	spec->policy = dl.runtime ? SCHED_DEADLINE : SCHED_NORMAL;
	spec->dl = dl;
	world_open(spec, STEP_LOOP, 0);
	world_step(spec, STEP_RUN, 0, NONE, work, 0);
	world_step(spec, STEP_TIMER, STEP_F_ABSOLUTE, world_obj(spec, "t", SYNC_TIMER, true), every,
		   0);
	world_close(spec);
	return spec;
}

static struct task_spec *hog(const char *name, struct dl_params dl)
{
	struct task_spec *spec = task_spec_new(name);

	spec->policy = dl.runtime ? SCHED_DEADLINE : SCHED_NORMAL;
	spec->dl = dl;
	world_step(spec, STEP_RUN, 0, NONE, ~0ull, 0);
	return spec;
}

#define RESERVE(run, deadline, period) ((struct dl_params){ run * MS, deadline * MS, period * MS })
#define FAIR ((struct dl_params){ 0 })

static void who_asks_too_much_waits_for_its_period(void **state)
{
	/* 12 ms wanted of 10 in 20: it runs 0-10, 20-22 and then starts the next 12 late. */
	struct sim *s = world(one, "v6.12");
	u64 a = world_spawn(s, periodic("a", 12 * MS, 20 * MS, RESERVE(10, 20, 20)));
	u64 fair = world_spawn(s, hog("fair", FAIR));

	(void)state;
	world_run(s, 9 * MS + MS / 2);
	assert_int_equal(world_running(s, 0), a);
	world_run(s, 10 * MS + MS / 2);
	assert_int_equal(world_running(s, 0), fair);
	assert_int_equal(s->tasks[sim_find_task(s, a)].dl_throttled, 1);
	assert_int_equal(s->rqs[0].nr_running, 1);
	world_check(s);
	world_run(s, 19 * MS + MS / 2);
	assert_int_equal(world_exec(s, a), 10 * MS);
	world_run(s, 20 * MS + MS / 2);
	assert_int_equal(world_running(s, 0), a);
	/* Never more than half: its budget is half of a CPU. */
	world_run(s, 2000 * MS);
	assert_int_equal(world_exec(s, a), 1000 * MS);
	assert_int_equal(world_exec(s, fair), 1000 * MS);
	assert_in_range(s->stats->dl_throttled, 99, 101);
	sim_free(s);
}

static void the_earlier_deadline_runs(void **state)
{
	struct sim *s = world(one, "v6.12");
	/* Both from 0: b's first deadline is 30, a's 100. */
	u64 a = world_spawn(s, periodic("a", 20 * MS, 100 * MS, RESERVE(25, 100, 100)));
	u64 b = world_spawn(s, periodic("b", 10 * MS, 30 * MS, RESERVE(12, 30, 30)));

	(void)state;
	world_run(s, 5 * MS);
	assert_int_equal(world_running(s, 0), b);
	world_run(s, 15 * MS);
	assert_int_equal(world_running(s, 0), a);
	/* b again at 30: a had 10 to 30 and is done. At 100 both are due: b's deadline is 120, a's 200. */
	world_run(s, 31 * MS);
	assert_int_equal(world_running(s, 0), b);
	world_run(s, 95 * MS);
	assert_int_equal(world_running(s, 0), b);
	world_run(s, 101 * MS);
	assert_int_equal(world_running(s, 0), a);
	/* b comes at 120 with deadline 150, before a is done: it goes first. */
	world_run(s, 121 * MS);
	assert_int_equal(world_running(s, 0), b);
	assert_int_equal(s->stats->dl_throttled, 0);
	sim_free(s);
}

static void deadline_goes_before_real_time(void **state)
{
	struct sim *s = world(one, "v6.12");
	struct task_spec *spec = task_spec_new("rt");
	u64 rt, dl;

	(void)state;
	spec->policy = SCHED_FIFO;
	spec->rt_priority = 99;
	world_step(spec, STEP_RUN, 0, NONE, ~0ull, 0);
	rt = world_spawn(s, spec);
	dl = world_spawn(s, hog("dl", RESERVE(5, 20, 20)));
	world_run(s, 1000 * MS);
	assert_int_equal(world_exec(s, dl), 250 * MS);
	assert_int_equal(world_exec(s, rt), 750 * MS);
	sim_free(s);
}

static void reservations_end_at_95_percent(void **state)
{
	struct sim *s = world(two, "v6.12");
	struct task_spec *spec = hog("one", RESERVE(10, 10, 10));
	struct sim_input in = { .kind = INPUT_SPAWN, .spec = spec };
	struct err err = { 0 };

	(void)state;
	/* Two CPUs: 190 % in all. */
	assert_int_equal(sim_input(s, &in, NULL, &err), 0);
	spec->dl.runtime = 8 * MS;
	/* The second is asked for before the first is even there. */
	assert_int_equal(sim_input(s, &in, NULL, &err), 0);
	spec->dl.runtime = 2 * MS;
	assert_int_equal(sim_input(s, &in, NULL, &err), -1);
	assert_non_null(strstr(err.msg, "190.0 %"));
	world_run(s, MS);
	assert_int_equal(sim_input(s, &in, NULL, &err), -1);
	task_spec_free(spec);

	/* Nor may a task that is there join, until there is room. */
	u64 late = world_spawn(s, hog("late", FAIR));

	world_run(s, 2 * MS);
	in = (struct sim_input){ .kind = INPUT_SET_DEADLINE, .serial = late };
	in.a = 2 * (s64)MS;
	in.b = in.c = 10 * (s64)MS;
	assert_int_equal(sim_input(s, &in, NULL, &err), -1);
	in.a = 1024;
	assert_int_equal(sim_input(s, &in, NULL, &err), 0);
	world_run(s, 3 * MS);
	assert_int_equal(s->tasks[sim_find_task(s, late)].policy, SCHED_DEADLINE);
	in = (struct sim_input){ .kind = INPUT_KILL, .serial = 0 };
	world_input(s, in);
	world_run(s, 20 * MS);
	in = (struct sim_input){ .kind = INPUT_SET_DEADLINE, .serial = late };
	in.a = 2 * (s64)MS;
	in.b = in.c = 10 * (s64)MS;
	assert_int_equal(sim_input(s, &in, NULL, &err), 0);
	world_run(s, 21 * MS);
	assert_int_equal(s->g->dl_total_bw, dl_bandwidth(8, 10) + dl_bandwidth(2, 10));
	world_check(s);
	sim_free(s);
}

static void little_cpus_carry_less(void **state)
{
	/* Capacities 312 and 1024: 95 % of 1336 / 1024 is 123.9 %; v5.4 counts two CPUs. */
	static const struct shape unequal = { 2, 1, 1, 1, false };

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct sim *s = world(unequal, i ? "v5.4" : "v6.12");
		struct task_spec *spec = hog("a", RESERVE(9, 10, 10));
		struct sim_input in = { .kind = INPUT_SPAWN, .spec = spec };
		struct err err = { 0 };

		assert_int_equal(sim_input(s, &in, NULL, &err), 0);
		spec->dl.runtime = 3 * MS + 300 * US;
		assert_int_equal(sim_input(s, &in, NULL, &err), 0);
		assert_int_equal(sim_input(s, &in, NULL, &err), i ? 0 : -1);
		task_spec_free(spec);
		sim_free(s);
	}
}

static void what_is_no_reservation_is_refused(void **state)
{
	static const struct dl_params bad[] = {
		{ 0, 10 * MS, 10 * MS },       { 1000, 10 * MS, 10 * MS },
		{ 11 * MS, 10 * MS, 20 * MS }, { 5 * MS, 21 * MS, 20 * MS },
		{ 20 * US, 50 * US, 50 * US }, { MS, 5000 * MS, 5000 * MS },
	};
	struct sim *s = world(two, "v6.12");
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct task_spec *spec = hog("bad", bad[i]);
		struct sim_input in = { .kind = INPUT_SPAWN, .spec = spec };

		spec->policy = SCHED_DEADLINE;
		assert_int_equal(sim_input(s, &in, NULL, &err), -1);
		task_spec_free(spec);
	}

	/* Promises hold for tasks that may use every CPU. */
	struct task_spec *spec = world_pin(hog("pinned", RESERVE(1, 10, 10)), 0, 2);
	struct sim_input in = { .kind = INPUT_SPAWN, .spec = spec };

	err = (struct err){ 0 };
	assert_int_equal(sim_input(s, &in, NULL, &err), -1);
	assert_non_null(strstr(err.msg, "all CPUs"));
	task_spec_free(spec);
	sim_free(s);
}

static void two_hogs_spread_over_two_cpus(void **state)
{
	struct sim *s = world(two, "v6.12");
	u64 a = world_spawn(s, hog("a", RESERVE(9, 10, 10)));
	u64 b = world_spawn(s, hog("b", RESERVE(9, 10, 10)));

	(void)state;
	world_run(s, 1000 * MS);
	/* On one CPU they would have 1000 ms between them. */
	assert_int_equal(world_exec(s, a), 900 * MS);
	assert_int_equal(world_exec(s, b), 900 * MS);
	world_check(s);
	sim_free(s);
}

static void a_late_waker_keeps_what_is_its_share(void **state)
{
	/*
	 * Reservation 10 in 20, from 0. It runs 2 ms, sleeps to 10: 8 ms left until 20 is more than
	 * half, so a new period begins: deadline 30.
	 */
	struct sim *s = world(one, "v6.12");
	struct task_spec *spec = task_spec_new("a");
	u64 a;

	(void)state;
	spec->policy = SCHED_DEADLINE;
	spec->dl = RESERVE(10, 20, 20);
	world_step(spec, STEP_RUN, 0, NONE, 2 * MS, 0);
	world_step(spec, STEP_SLEEP, 0, NONE, 8 * MS, 0);
	world_step(spec, STEP_RUN, 0, NONE, 8 * MS, 0);
	world_step(spec, STEP_SLEEP, 0, NONE, 7 * MS, 0);
	world_step(spec, STEP_RUN, 0, NONE, ~0ull, 0);
	a = world_spawn(s, spec);
	world_run(s, MS);
	assert_int_equal(s->tasks[sim_find_task(s, a)].dl_abs, 20 * MS);
	world_run(s, 11 * MS);
	assert_int_equal(s->tasks[sim_find_task(s, a)].dl_abs, 30 * MS);
	/* It runs to 18 and sleeps to 25: 2 ms left until 30 are less than half: it keeps both. */
	world_run(s, 26 * MS);
	assert_int_equal(s->tasks[sim_find_task(s, a)].dl_abs, 30 * MS);
	/* They are used up at 27; the next budget comes at 30. */
	world_run(s, 28 * MS);
	assert_int_equal(world_running(s, 0), ~0ull);
	world_run(s, 31 * MS);
	assert_int_equal(world_running(s, 0), a);
	sim_free(s);
}

static void yield_gives_the_budget_back(void **state)
{
	struct sim *s = world(one, "v6.12");
	struct task_spec *spec = task_spec_new("a");
	u64 a;

	(void)state;
	spec->policy = SCHED_DEADLINE;
	spec->dl = RESERVE(10, 20, 20);
	world_open(spec, STEP_LOOP, 0);
	world_step(spec, STEP_RUN, 0, NONE, 3 * MS, 0);
	world_step(spec, STEP_YIELD, 0, NONE, 0, 0);
	world_close(spec);
	a = world_spawn(s, spec);
	world_run(s, 1000 * MS - 1);
	/* 3 ms in each period of 20. */
	assert_int_equal(world_exec(s, a), 150 * MS);
	sim_free(s);
}

static void bandwidth_is_a_floor_of_the_frequency(void **state)
{
	static const struct shape opps = { 1, 0, 1, 1, true };

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		/* 60 % reserved: of three points the second has two thirds of the capacity. */
		struct sim *s = world(opps, i ? "v6.12" : "v6.1");

		world_spawn(s, periodic("a", 1 * MS, 200 * MS, RESERVE(60, 100, 100)));
		/* Utilisation knows next to nothing of it yet. */
		world_run(s, 400 * MS + MS / 2);
		assert_int_equal(s->rqs[0].dl_running_bw, dl_bandwidth(60, 100));
		assert_in_range(s->rqs[0].avg_dl.util_avg, 0, 100);
		assert_true(sim_cpu_khz(s, 0) >= 2000000 / 3 * 2);
		/*
		 * 1 ms of work was used of 60: its lag is gone 1 ms / 60 % after it began, at the
		 * speed of that point; nothing is reserved any more.
		 */
		world_run(s, 410 * MS);
		assert_int_equal(s->rqs[0].dl_running_bw, 0);
		sim_free(s);
	}
}

static void its_time_is_taken_from_the_capacity(void **state)
{
	struct sim *s = world(one, "v6.12");

	(void)state;
	world_spawn(s, hog("a", RESERVE(50, 100, 100)));
	world_run(s, 1000 * MS);
	/* Half of the time in blocks of 50 ms: around half of the capacity, and all of it is felt. */
	assert_in_range(s->rqs[0].avg_dl.util_avg, 256, 768);
	assert_int_equal(scale_rt_capacity(s, 0), 1024 - s->rqs[0].avg_dl.util_avg);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_asks_too_much_waits_for_its_period),
		cmocka_unit_test(the_earlier_deadline_runs),
		cmocka_unit_test(deadline_goes_before_real_time),
		cmocka_unit_test(reservations_end_at_95_percent),
		cmocka_unit_test(little_cpus_carry_less),
		cmocka_unit_test(what_is_no_reservation_is_refused),
		cmocka_unit_test(two_hogs_spread_over_two_cpus),
		cmocka_unit_test(a_late_waker_keeps_what_is_its_share),
		cmocka_unit_test(yield_gives_the_budget_back),
		cmocka_unit_test(bandwidth_is_a_floor_of_the_frequency),
		cmocka_unit_test(its_time_is_taken_from_the_capacity),
	};

	return cmocka_run_group_tests_name("deadline tasks", tests, NULL, NULL);
}
