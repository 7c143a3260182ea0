/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rt-test.c - real-time tasks: order, turns, the throttle, the fair server, and what they take from
 * fair tasks. Expected values are worked out by hand from the rules of kernel/sched/rt.c and
 * deadline.c.
 */
#include "tests/sim-world.h"

#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"

static const struct shape one = { 1, 0, 1, 1, false };
static const struct shape two = { 2, 0, 1, 1, false };

static struct sim *world(struct shape shape, const char *profile)
{
	struct sim *s = world_sim(shape, profile, 1);

	world_tune(s, "hz", 1000);
	return s;
}

/* A task that runs @work ns, then ends; ~0 = for ever. */
static u64 runner(struct sim *s, const char *name, u8 policy, u8 prio, u64 work, u64 delay)
{
	struct task_spec *spec = task_spec_new(name);

	spec->policy = policy;
	spec->rt_priority = prio;
	spec->delay = delay;
	world_step(spec, STEP_RUN, 0, NONE, work, 0);
	return world_spawn(s, spec);
}

static void fifo_runs_to_its_end_in_order(void **state)
{
	struct sim *s = world(one, "v6.12");
	u64 a = runner(s, "a", SCHED_FIFO, 10, 30 * MS, 0);
	u64 b = runner(s, "b", SCHED_FIFO, 10, 30 * MS, 1 * MS);
	u64 high = runner(s, "high", SCHED_FIFO, 20, 5 * MS, 10 * MS);
	u64 fair = runner(s, "fair", SCHED_NORMAL, 0, 5 * MS, 0);

	(void)state;
	world_run(s, 9 * MS);
	assert_int_equal(world_running(s, 0), a);
	/* The higher priority at once; then a again, which stands before b. */
	world_run(s, 12 * MS);
	assert_int_equal(world_running(s, 0), high);
	world_run(s, 16 * MS);
	assert_int_equal(world_running(s, 0), a);
	/* 30 ms of a and 5 of high are over at 35 ms. */
	world_run(s, 36 * MS);
	assert_int_equal(world_running(s, 0), b);
	assert_int_equal(sim_find_task(s, a), NONE);
	assert_int_equal(world_exec(s, fair), 0);
	world_run(s, 66 * MS);
	assert_int_equal(world_running(s, 0), fair);
	world_check(s);
	sim_free(s);
}

static void rr_takes_turns_of_100_ms(void **state)
{
	struct sim *s = world(one, "v6.12");
	u64 a = runner(s, "a", SCHED_RR, 5, ~0ull, 0);
	u64 b = runner(s, "b", SCHED_RR, 5, ~0ull, 0);
	u64 low = runner(s, "low", SCHED_RR, 4, ~0ull, 0);

	(void)state;
	world_tune(s, "fair_server_runtime_us", 0);
	/* 100 ticks of 1 ms each; the one at 0 does not count: nobody ran yet. */
	world_run(s, 99 * MS);
	assert_int_equal(world_running(s, 0), a);
	world_run(s, 101 * MS);
	assert_int_equal(world_running(s, 0), b);
	world_run(s, 201 * MS);
	assert_int_equal(world_running(s, 0), a);
	world_run(s, 1000 * MS);
	assert_int_equal(world_exec(s, a), 500 * MS);
	assert_int_equal(world_exec(s, b), 500 * MS);
	assert_int_equal(world_exec(s, low), 0);

	/* Slices of another length are given when the present ones are used up. */
	world_tune(s, "rr_timeslice_ms", 20);
	world_run(s, 1199 * MS);
	assert_int_equal(world_running(s, 0), b);
	world_run(s, 1201 * MS);
	assert_int_equal(world_running(s, 0), a);
	world_run(s, 1221 * MS);
	assert_int_equal(world_running(s, 0), b);
	world_run(s, 1241 * MS);
	assert_int_equal(world_running(s, 0), a);
	sim_free(s);
}

static void throttled_at_950_of_1000_ms(void **state)
{
	struct sim *s = world(one, "v6.6");
	u64 rt = runner(s, "rt", SCHED_FIFO, 50, ~0ull, 0);
	u64 fair = runner(s, "fair", SCHED_NORMAL, 0, ~0ull, 0);

	(void)state;
	/* Found at the first tick with more than 950 ms: that at 951. */
	world_run(s, 950 * MS + MS / 2);
	assert_int_equal(world_running(s, 0), rt);
	world_run(s, 951 * MS + MS / 2);
	assert_int_equal(world_running(s, 0), fair);
	assert_int_equal(s->rqs[0].rt_throttled, 1);
	assert_int_equal(s->rqs[0].nr_running, 1);
	world_check(s);
	/* The next period begins at 1000, with 1 ms of debt: 950 ms more to the tick at 1950. */
	world_run(s, 1000 * MS + MS / 2);
	assert_int_equal(world_running(s, 0), rt);
	world_run(s, 10000 * MS);
	assert_in_range(world_exec(s, rt), 9500 * MS, 9501 * MS);
	assert_in_range(world_exec(s, fair), 499 * MS, 500 * MS);

	/* A runtime as long as the period is no throttle. */
	world_tune(s, "rt_runtime_us", 1000000);
	world_run(s, 20000 * MS);
	assert_in_range(world_exec(s, fair), 499 * MS, 500 * MS);
	sim_free(s);
}

static void an_unused_cpu_lends_its_runtime(void **state)
{
	/* v5.4: two CPUs, half of what the idle one has not used is lent: 950 + 475 > 1000. */
	struct sim *s = world(two, "v5.4");
	struct task_spec *spec = world_pin(task_spec_new("rt"), 0, 2);
	u64 rt;

	(void)state;
	spec->policy = SCHED_FIFO;
	spec->rt_priority = 1;
	world_step(spec, STEP_RUN, 0, NONE, ~0ull, 0);
	rt = world_spawn(s, spec);
	world_run(s, 5000 * MS);
	assert_int_equal(world_exec(s, rt), 5000 * MS);
	assert_int_equal(s->rqs[0].rt_runtime + s->rqs[1].rt_runtime, 1900 * MS);
	sim_free(s);
}

static void the_fair_server_gives_50_ms_of_each_second(void **state)
{
	struct sim *s = world(one, "v6.12");
	u64 rt = runner(s, "rt", SCHED_FIFO, 50, ~0ull, 0);
	u64 fair = runner(s, "fair", SCHED_NORMAL, 0, ~0ull, 0);

	(void)state;
	/* Deferred to the last moment: a period of 1000 ms that has 50 of them left. */
	world_run(s, 949 * MS);
	assert_int_equal(world_exec(s, fair), 0);
	world_run(s, 951 * MS);
	assert_int_equal(world_running(s, 0), fair);
	world_run(s, 1001 * MS);
	assert_int_equal(world_running(s, 0), rt);
	assert_int_equal(world_exec(s, fair), 50 * MS);
	/* From then on at the start of each period that began at 950. */
	world_run(s, 1960 * MS);
	assert_int_equal(world_running(s, 0), fair);
	world_run(s, 2001 * MS);
	assert_int_equal(world_exec(s, fair), 100 * MS);
	world_run(s, 10001 * MS);
	assert_int_equal(world_exec(s, fair), 500 * MS);
	world_check(s);

	world_tune(s, "fair_server_runtime_us", 0);
	world_run(s, 15000 * MS);
	assert_int_equal(world_exec(s, fair), 500 * MS);
	sim_free(s);
}

/* The servers begin anew: who runs on the time of one does not keep the CPU. Seed 9298 found it. */
static void new_runtime_ends_the_servers_turn(void **state)
{
	struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, "v6.12", 1);
	u64 fair = world_spawn(s, world_hog("fair"));
	u64 rt = runner(s, "rt", SCHED_FIFO, 4, ~0ull, 0);
	u64 now = 900 * MS;

	(void)state;
	do
		world_run(s, now += MS);
	while (world_running(s, 0) != fair && now < 1100 * MS);
	assert_true(world_running(s, 0) == fair);
	world_input(s, (struct sim_input){ .kind = INPUT_TUNABLE,
					   .a = sim_tunable_index("rt_runtime_us"),
					   .b = 2967 });
	world_run(s, now);
	world_check(s);
	assert_true(world_running(s, 0) == rt);
	sim_free(s);
}

static void who_gets_its_share_needs_no_server(void **state)
{
	/* 8 of 10 ms are real-time: fair tasks get their 50 ms in a quarter of a second. */
	struct sim *s = world(one, "v6.12");
	struct task_spec *spec = task_spec_new("rt");
	u64 rt, fair;

	(void)state;
	spec->policy = SCHED_FIFO;
	spec->rt_priority = 50;
	world_open(spec, STEP_LOOP, 0);
	world_step(spec, STEP_RUN, 0, NONE, 8 * MS, 0);
	world_step(spec, STEP_TIMER, STEP_F_ABSOLUTE, world_obj(spec, "t", SYNC_TIMER, true),
		   10 * MS, 0);
	world_close(spec);
	rt = world_spawn(s, spec);
	fair = runner(s, "fair", SCHED_NORMAL, 0, ~0ull, 0);
	world_run(s, 5000 * MS);
	assert_in_range(world_exec(s, rt), 3999 * MS, 4000 * MS);
	assert_in_range(world_exec(s, fair), 1000 * MS, 1001 * MS);
	assert_int_equal(s->task_stats[sim_find_task(s, rt)].preempted, 0);
	sim_free(s);
}

static void pinned_behind_an_equal_makes_it_leave(void **state)
{
	/* b may only use CPU 0, where a runs, which may use both. */
	struct sim *s = world(two, "v6.12");
	struct task_spec *spec;
	u64 a, b;

	(void)state;
	a = runner(s, "a", SCHED_FIFO, 10, ~0ull, 0);
	world_run(s, MS);
	assert_int_equal(s->tasks[sim_find_task(s, a)].cpu, 0);
	spec = world_pin(task_spec_new("b"), 0, 2);
	spec->policy = SCHED_FIFO;
	spec->rt_priority = 10;
	world_step(spec, STEP_RUN, 0, NONE, ~0ull, 0);
	b = world_spawn(s, spec);
	world_run(s, 2 * MS);
	assert_int_equal(world_running(s, 0), b);
	assert_int_equal(world_running(s, 1), a);
	sim_free(s);
}

static void urgent_tasks_spread_and_are_pulled(void **state)
{
	struct sim *s = world(two, "v6.12");
	u64 a = runner(s, "a", SCHED_FIFO, 10, ~0ull, 0);
	u64 b = runner(s, "b", SCHED_FIFO, 20, 10 * MS, MS);
	u64 c = runner(s, "c", SCHED_FIFO, 5, ~0ull, 2 * MS);

	(void)state;
	world_run(s, 3 * MS);
	/* The two most urgent run, the third waits. */
	assert_int_not_equal(world_running(s, 0), c);
	assert_int_not_equal(world_running(s, 1), c);
	assert_true(world_running(s, 0) == b || world_running(s, 1) == b);
	world_check(s);
	/* b is over at 11 ms: its CPU takes c, wherever that waited. */
	world_run(s, 12 * MS);
	assert_true(world_running(s, 0) == a || world_running(s, 1) == a);
	assert_true(world_running(s, 0) == c || world_running(s, 1) == c);
	sim_free(s);
}

static void the_stopper_preempts_real_time(void **state)
{
	struct sim *s = world(two, "v6.12");
	u64 a = runner(s, "a", SCHED_FIFO, 99, ~0ull, 0), words[1] = { 2 };

	(void)state;
	world_run(s, MS);
	assert_int_equal(world_running(s, 0), a);
	world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS, .serial = a, .words = words });
	world_run(s, MS + 1);
	assert_int_equal(world_running(s, 1), a);
	assert_int_equal(s->stats->stopped, 1);

	/* Asked by an active balance it takes a fair task that waits, not the one that runs. */
	u64 fair = runner(s, "fair", SCHED_NORMAL, 0, ~0ull, 0);
	task_id p = sim_find_task(s, fair);

	world_run(s, 2 * MS);
	p = sim_find_task(s, fair);
	assert_int_equal(s->tasks[p].cpu, 0);
	words[0] = 1;
	world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS, .serial = a, .words = words });
	world_run(s, 3 * MS);
	assert_int_equal(world_running(s, 0), a);
	assert_int_equal(s->tasks[p].cpu, 0);
	s->rqs[0].active_balance = 1;
	s->rqs[0].push_cpu = 1;
	resched_curr(s, &s->rqs[0]);
	world_run(s, 4 * MS);
	assert_int_equal(world_running(s, 0), a);
	assert_int_equal(world_running(s, 1), fair);
	world_check(s);
	sim_free(s);
}

static void real_time_time_is_taken_from_the_capacity(void **state)
{
	struct sim *s = world(two, "v6.12");
	struct task_spec *spec = world_pin(task_spec_new("rt"), 0, 2);

	(void)state;
	spec->policy = SCHED_FIFO;
	spec->rt_priority = 1;
	world_step(spec, STEP_RUN, 0, NONE, 32 * MS, 0);
	world_step(spec, STEP_SLEEP, 0, NONE, 1000 * MS, 0);
	world_spawn(s, spec);
	runner(s, "fair", SCHED_NORMAL, 0, ~0ull, 0);
	world_run(s, 32 * MS - 1);
	/* At the tick of 31 ms, 29.56 periods: 1024 * (1 - 0.5^(29.56 / 32)) = 484; whole periods. */
	assert_in_range(s->rqs[0].avg_rt.util_avg, 477, 485);
	assert_int_equal(scale_rt_capacity(s, 0), 1024 - s->rqs[0].avg_rt.util_avg);
	assert_int_equal(root_cfs(s, 0)->h_nr_queued, 0);
	sim_free(s);
}

static void schedutil_gives_all_to_real_time(void **state)
{
	static const struct shape opps = { 1, 0, 1, 1, true };
	struct sim *s = world(opps, "v6.12");
	struct task_spec *spec = task_spec_new("rt");

	(void)state;
	spec->policy = SCHED_FIFO;
	spec->rt_priority = 1;
	spec->delay = 50 * MS;
	world_step(spec, STEP_RUN, 0, NONE, ~0ull, 0);
	world_spawn(s, spec);
	world_run(s, 49 * MS);
	assert_true(sim_cpu_khz(s, 0) < 2000000 / 3 * 3);
	world_run(s, 52 * MS);
	assert_int_equal(sim_cpu_khz(s, 0), 2000000 / 3 * 3);
	sim_free(s);
}

static void clamps_bound_the_frequency_of_real_time(void **state)
{
	static const struct shape opps = { 1, 0, 1, 1, true };

	(void)state;
	/* Clamps in use: 1024 is the default, so full speed; one of its own counts instead. */
	for (u32 i = 0; i < 3; i++) {
		struct sim *s = world(opps, "v6.12");
		struct task_spec *spec = task_spec_new("rt");
		u64 other = runner(s, "other", SCHED_NORMAL, 0, MS, 500 * MS);

		world_input(s,
			    (struct sim_input){
				    .kind = INPUT_SET_UCLAMP, .serial = other, .a = 1, .b = 1024 });
		if (i == 2)
			world_tune(s, "uclamp_min_rt_default", 0);
		spec->policy = SCHED_FIFO;
		spec->rt_priority = 1;
		spec->delay = 50 * MS;
		spec->uclamp_min = i == 1 ? 400 : 0;
		world_step(spec, STEP_RUN, 0, NONE, ~0ull, 0);
		world_spawn(s, spec);
		/* 2 ms after it came its utilisation is next to nothing: 400 need two thirds. */
		world_run(s, 52 * MS);
		assert_int_equal(sim_cpu_khz(s, 0), 2000000 / 3 * (i == 0 ? 3 : i == 1 ? 2 : 1));
		sim_free(s);
	}
}

static void classes_change_while_it_runs(void **state)
{
	struct sim *s = world(one, "v6.12");
	u64 a = runner(s, "a", SCHED_NORMAL, 0, ~0ull, 0);
	u64 b = runner(s, "b", SCHED_NORMAL, 0, ~0ull, 0);
	u64 had;

	(void)state;
	world_run(s, 100 * MS);
	had = world_exec(s, b);
	world_input(s, (struct sim_input){
			       .kind = INPUT_SET_POLICY, .serial = a, .a = SCHED_FIFO, .b = 3 });
	world_run(s, 200 * MS);
	assert_in_range(world_exec(s, b) - had, 0, MS);
	assert_int_equal(root_cfs(s, 0)->h_nr_queued, 1);
	world_input(s, (struct sim_input){ .kind = INPUT_SET_POLICY, .serial = a });
	had = world_exec(s, b);
	world_run(s, 400 * MS);
	/* Fair again: half each, to a slice. */
	assert_in_range(world_exec(s, b) - had, 95 * MS, 105 * MS);
	world_check(s);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifo_runs_to_its_end_in_order),
		cmocka_unit_test(rr_takes_turns_of_100_ms),
		cmocka_unit_test(throttled_at_950_of_1000_ms),
		cmocka_unit_test(an_unused_cpu_lends_its_runtime),
		cmocka_unit_test(the_fair_server_gives_50_ms_of_each_second),
		cmocka_unit_test(new_runtime_ends_the_servers_turn),
		cmocka_unit_test(who_gets_its_share_needs_no_server),
		cmocka_unit_test(pinned_behind_an_equal_makes_it_leave),
		cmocka_unit_test(urgent_tasks_spread_and_are_pulled),
		cmocka_unit_test(the_stopper_preempts_real_time),
		cmocka_unit_test(real_time_time_is_taken_from_the_capacity),
		cmocka_unit_test(schedutil_gives_all_to_real_time),
		cmocka_unit_test(clamps_bound_the_frequency_of_real_time),
		cmocka_unit_test(classes_change_while_it_runs),
	};

	return cmocka_run_group_tests_name("real-time tasks", tests, NULL, NULL);
}
