/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bandwidth-test.c - cpu.max: what a group gets, when it is throttled and released, what its averages
 * do meanwhile. Expectations are computed by hand: ticks fall on multiples of 4 ms, a queue takes
 * slices of 5 ms, and run time is looked at when it is accounted, at a tick or a switch.
 */
#include "tests/sim-world.h"

#include "engine/sched/exec.h"

#define ONE_CPU ((struct shape){ 1, 0, 1, 1, false })

static void set_max(struct sim *s, u32 tg, s64 quota, u64 period, u64 burst)
{
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_MAX,
					   .a = tg,
					   .b = quota,
					   .c = (s64)period,
					   .serial = burst });
}

static bool runs(const struct sim *s, u64 serial)
{
	task_id p = world_task_id(s, serial);

	return s->rqs[s->tasks[p].cpu].curr == p;
}

/* sleep @delay, run @work, sleep for ever. */
static struct task_spec *once(const char *name, u64 delay, u64 work)
{
	struct task_spec *spec = task_spec_new(name);

	spec->delay = delay;
	world_step(spec, STEP_RUN, 0, NONE, work, 0);
	world_step(spec, STEP_SLEEP, 0, NONE, 3600 * NSEC_PER_SEC, 0);
	return spec;
}

static void a_hog_gets_its_quota(void **state)
{
	struct sim *s = world_sim(ONE_CPU, "v6.12", 1);
	u32 g = world_group(s, "/a", 0);
	u64 hog;

	(void)state;
	set_max(s, g, 20 * MS, 100 * MS, 0);
	hog = world_spawn_in(s, world_hog("hog"), "/a");
	world_run_checked(s, 20 * MS - 1);
	assert_true(runs(s, hog));
	/* The fourth slice ends at the tick at 20 ms: 5 + 8 + 7 ms taken, nothing left. */
	world_run_checked(s, 20 * MS);
	assert_false(runs(s, hog));
	assert_int_equal(s->rqs[0].nr_running, 0);
	assert_int_equal(s->tasks[world_task_id(s, hog)].state, TASK_RUNNING);
	assert_true(sim_task_throttled(s, world_task_id(s, hog)));
	world_run_checked(s, 100 * MS - 1);
	assert_false(runs(s, hog));
	world_run_checked(s, 100 * MS);
	assert_true(runs(s, hog));
	world_run_checked(s, 1000 * MS);
	assert_int_equal(sim_group_exec_now(s, g), 200 * MS);
	assert_int_equal(s->group_stats[g].nr_periods, 10);
	assert_int_equal(s->group_stats[g].nr_throttled, 10);
	assert_int_equal(sim_group_stats_now(s, g).throttled_ns, 800 * MS);
	/* What is still throttled counts up to now. */
	world_run_checked(s, 1050 * MS);
	assert_int_equal(sim_group_stats_now(s, g).throttled_ns, 830 * MS);
	sim_free(s);
}

static void two_cpus_share_a_quota(void **state)
{
	struct sim *s = world_sim((struct shape){ 2, 0, 1, 1, false }, "v6.12", 1);
	u32 g = world_group(s, "/a", 0);
	u64 a, b;

	(void)state;
	set_max(s, g, 20 * MS, 100 * MS, 0);
	a = world_spawn_in(s, world_pin(world_hog("a"), 0, 2), "/a");
	b = world_spawn_in(s, world_pin(world_hog("b"), 1, 2), "/a");
	/*
	 * Each takes 5. At 8 ms both are 3 in debt: CPU 0 gets 8 of the 10 that are left, CPU 1 only
	 * 2 and is throttled; CPU 0 is at 16 ms, 3 in debt. 24 ms were used, 4 of them of the next
	 * period, which therefore has 20 as well: 8 + 12.
	 */
	world_run_checked(s, 8 * MS);
	assert_true(runs(s, a));
	assert_false(runs(s, b));
	world_run_checked(s, 16 * MS);
	assert_false(runs(s, a));
	assert_int_equal(sim_group_exec_now(s, g), 24 * MS);
	world_run_checked(s, 1000 * MS);
	assert_int_equal(sim_group_exec_now(s, g), 204 * MS);
	sim_free(s);
}

/* The hog's group and the group around it; whoever has less decides. */
static void nested(s64 outer, s64 inner, bool outer_throttled)
{
	struct sim *s = world_sim(ONE_CPU, "v6.12", 1);
	u32 p = world_group(s, "/p", 0), c = world_group(s, "/p/c", p);
	u64 hog;

	set_max(s, p, outer, 100 * MS, 0);
	set_max(s, c, inner, 100 * MS, 0);
	hog = world_spawn_in(s, world_hog("hog"), "/p/c");
	/* 10 ms: to the ticks at 12 and 108 ms in turn, for the first leaves 2 ms of debt. */
	world_run_checked(s, 12 * MS);
	assert_false(runs(s, hog));
	assert_int_equal(tg_cfs(s, p, 0)->throttled, outer_throttled);
	assert_int_equal(tg_cfs(s, c, 0)->throttled, !outer_throttled);
	assert_int_equal(tg_cfs(s, c, 0)->throttle_count, 1);
	world_run_checked(s, 1000 * MS);
	assert_int_equal(sim_group_exec_now(s, c), 100 * MS);
	assert_int_equal(sim_group_exec_now(s, p), 100 * MS);
	assert_int_equal(s->group_stats[outer_throttled ? c : p].nr_throttled, 0);
	sim_free(s);
}

static void the_smaller_quota_of_nested_groups_decides(void **state)
{
	(void)state;
	nested(10 * MS, 50 * MS, true);
	nested(50 * MS, 10 * MS, false);
}

static void a_light_task_waits_for_the_period(void **state)
{
	struct sim *s = world_sim(ONE_CPU, "v6.12", 1);
	u32 g = world_group(s, "/a", 0);
	u64 in, out;

	(void)state;
	set_max(s, g, 20 * MS, 100 * MS, 0);
	world_spawn_in(s, world_hog("hog"), "/a");
	in = world_spawn_in(s, once("in", 50 * MS, MS), "/a");
	out = world_spawn_in(s, once("out", 50 * MS, MS), "/");
	world_run_checked(s, 50 * MS);
	assert_true(runs(s, out));
	world_run_checked(s, 100 * MS - 1);
	assert_int_equal(sim_task_exec_now(s, world_task_id(s, out)), MS);
	assert_int_equal(sim_task_exec_now(s, world_task_id(s, in)), 0);
	/* Of the two in the group one runs from 100 ms on, both before the tick after the next. */
	world_run_checked(s, 109 * MS);
	assert_int_equal(sim_task_exec_now(s, world_task_id(s, in)), MS);
	sim_free(s);
}

static void the_averages_of_a_throttled_queue_stand_still(void **state)
{
	struct sim *s = world_sim(ONE_CPU, "v6.12", 1);
	u32 g = world_group(s, "/a", 0);
	u64 hog = world_spawn_in(s, world_hog("hog"), "/a");
	struct sched_avg at_20, at_99, at_100;
	u64 root_20;

	(void)state;
	set_max(s, g, 20 * MS, 100 * MS, 0);
	world_run_checked(s, 20 * MS);
	at_20 = sim_task_avg_now(s, world_task_id(s, hog));
	root_20 = sim_cpu_avg_now(s, 0).util_avg;
	world_run_checked(s, 99 * MS);
	at_99 = sim_task_avg_now(s, world_task_id(s, hog));
	assert_memory_equal(&at_20, &at_99, sizeof(at_20));
	/* The CPU's own time goes on: 79 ms, or 75 periods of 1.049 ms, leave 0.5^(75/32) = 0.2. */
	assert_in_range(sim_cpu_avg_now(s, 0).util_avg, root_20 * 18 / 100, root_20 * 22 / 100);
	world_run_checked(s, 100 * MS);
	at_100 = sim_task_avg_now(s, world_task_id(s, hog));
	assert_int_equal(at_100.util_avg, at_20.util_avg);
	/* And from there on: in 12 ms what is missing to 1024 becomes 0.5^(11.4/32) = 0.78 of it. */
	world_run_checked(s, 112 * MS);
	assert_in_range(sim_task_avg_now(s, world_task_id(s, hog)).util_avg,
			1024 - (1024 - at_20.util_avg) * 80 / 100,
			1024 - (1024 - at_20.util_avg) * 76 / 100);
	sim_free(s);
}

static void run_time_given_back_releases_others(void **state)
{
	struct sim *s = world_sim((struct shape){ 3, 0, 1, 1, false }, "v6.12", 1);
	u32 g = world_group(s, "/a", 0);
	u64 hog;

	(void)state;
	set_max(s, g, 24 * MS, 100 * MS, 0);
	hog = world_spawn_in(s, world_pin(world_hog("hog"), 0, 3), "/a");
	for (cpu_id c = 1; c < 3; c++)
		world_spawn_in(s, world_pin(once("light", 15800 * US, 400 * US), c, 3), "/a");
	/*
	 * The hog took 5 + 8 of 24; at 15.8 ms the two others take 5 each, at 16 ms it finds 1, which
	 * does not pay its debt of 3. At 16.2 ms each of the others gives back 4.6 - 1.
	 */
	world_run_checked(s, 16 * MS);
	assert_false(runs(s, hog));
	world_run_checked(s, 16200 * US);
	assert_int_equal(s->groups[g].runtime, 7200 * US);
	/* More than a slice: in 5 ms the hog may go on. */
	world_run_checked(s, 21200 * US - 1);
	assert_false(runs(s, hog));
	world_run_checked(s, 21200 * US);
	assert_true(runs(s, hog));
	/* With 7.2 - 2 ms, which the tick at 28 ms finds used up. */
	world_run_checked(s, 100 * MS - 1);
	assert_int_equal(sim_task_exec_now(s, world_task_id(s, hog)), 22800 * US);
	sim_free(s);
}

static void burst_lends_what_a_period_left(void **state)
{
	struct sim *s = world_sim(ONE_CPU, "v6.12", 1);
	u32 g = world_group(s, "/a", 0);
	u64 hog;

	(void)state;
	set_max(s, g, 20 * MS, 100 * MS, 20 * MS);
	world_spawn_in(s, once("first", 0, 4 * MS), "/a");
	world_run_checked(s, 100 * MS);
	/* It took a slice of 5 and kept 1; the 15 stay, up to quota and burst. */
	assert_int_equal(s->groups[g].runtime, 35 * MS);
	world_run_checked(s, 150 * MS);
	hog = world_spawn_in(s, world_hog("hog"), "/a");
	/* 36 ms: in debt at the tick at 188 ms. */
	world_run_checked(s, 188 * MS - 1);
	assert_true(runs(s, hog));
	world_run_checked(s, 200 * MS);
	assert_int_equal(sim_task_exec_now(s, world_task_id(s, hog)), 38 * MS);
	assert_int_equal(s->group_stats[g].burst_ns, 15 * MS);
	assert_int_equal(s->group_stats[g].nr_bursts, 1);
	sim_free(s);
}

static void an_idle_group_needs_no_timer(void **state)
{
	struct sim *s = world_sim(ONE_CPU, "v6.12", 1);
	u32 g = world_group(s, "/a", 0);

	(void)state;
	set_max(s, g, 20 * MS, 100 * MS, 0);
	world_spawn_in(s, once("first", 0, 4 * MS), "/a");
	/* The period in which nobody asked is known to be one at its end. */
	world_run_checked(s, 100 * MS);
	assert_true(s->groups[g].period_active);
	world_run_checked(s, 200 * MS);
	assert_false(s->groups[g].period_active);
	/* Awake again, on the old grid. */
	world_run_checked(s, 530 * MS);
	world_spawn_in(s, world_hog("hog"), "/a");
	world_run_checked(s, 535 * MS);
	assert_true(s->groups[g].period_active);
	assert_int_equal(s->groups[g].period_at, 600 * MS);
	sim_free(s);
}

static void changes_while_throttled(void **state)
{
	(void)state;
	for (u32 what = 0; what < 4; what++) {
		struct sim *s = world_sim((struct shape){ 2, 0, 1, 1, false }, "v6.12", 1);
		u32 g = world_group(s, "/a", 0);
		u64 hog = world_spawn_in(s, world_pin(world_hog("hog"), 0, 2), "/a");
		u64 cpu1 = 2;

		set_max(s, g, 20 * MS, 100 * MS, 0);
		world_run_checked(s, 50 * MS);
		assert_false(runs(s, hog));
		switch (what) {
		case 0: /* no limit any more */
			set_max(s, g, -1, 100 * MS, 0);
			break;
		case 1: /* out of the group */
			world_input(s, (struct sim_input){
					       .kind = INPUT_SET_GROUP, .serial = hog, .a = 0 });
			break;
		case 2: /* a new quota begins at once, and is used up at 68 ms */
			set_max(s, g, 18 * MS, 100 * MS, 0);
			break;
		default: /* to a CPU that has no run time either */
			world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS,
							   .serial = hog,
							   .words = &cpu1 });
			break;
		}
		world_run_checked(s, 50 * MS);
		assert_int_equal(runs(s, hog), what != 3);
		world_run_checked(s, 100 * MS - 1);
		assert_int_equal(sim_task_exec_now(s, world_task_id(s, hog)),
				 what == 3   ? 20 * MS
				 : what == 2 ? 38 * MS
					     : 70 * MS - 1);
		world_run_checked(s, 300 * MS);
		sim_free(s);
	}
}

static void the_balancer_leaves_throttled_tasks_alone(void **state)
{
	struct sim *s = world_sim((struct shape){ 2, 0, 1, 1, false }, "v6.12", 1);
	u32 g = world_group(s, "/a", 0);
	u64 both = 3, a, b;

	(void)state;
	a = world_spawn_in(s, world_pin(world_hog("a"), 0, 2), "/a");
	b = world_spawn_in(s, world_pin(world_hog("b"), 0, 2), "/a");
	set_max(s, g, 8 * MS, 100 * MS, 0);
	world_run_checked(s, 30 * MS);
	assert_false(runs(s, a) || runs(s, b));
	/* Both may go to the idle CPU now, and stay where they are until they have run time. */
	world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS, .serial = a, .words = &both });
	world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS, .serial = b, .words = &both });
	/* Something to balance: one waits for the other. */
	world_spawn_in(s, world_pin(world_hog("busy"), 0, 2), "/");
	world_spawn_in(s, world_pin(world_hog("busy"), 0, 2), "/");
	world_run_checked(s, 100 * MS - 1);
	assert_int_equal(s->tasks[world_task_id(s, a)].cpu, 0);
	assert_int_equal(s->tasks[world_task_id(s, b)].cpu, 0);
	sim_free(s);
}

/* As many hogs as CPUs and quotas of any size, every profile: a period's run time, and no more. */
static void quotas_hold_on_any_machine(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 60; seed++) {
		u64 n = 0, key = rng_root_key(seed);
		u32 cpus = 1 + (u32)rng_uniform(key, &n, 6);
		u64 period = (10 + rng_uniform(key, &n, 90)) * MS;
		u64 quota = MS + rng_uniform(key, &n, cpus * (period - 9 * MS));
		struct sim *s = world_sim((struct shape){ cpus, 0, 1, 1, false },
					  kernel_profiles[seed % nr_kernel_profiles].name, seed);
		u32 g = world_group(s, "/a", 0);

		set_max(s, g, (s64)quota, period, 0);
		for (u32 c = 0; c < cpus; c++)
			world_spawn_in(s, world_pin(world_hog("hog"), c, cpus), "/a");
		for (u64 k = 1; k <= 12; k++) {
			world_run_checked(s, k * period - 1);

			u64 used = sim_group_exec_now(s, g), given = k * quota;

			/* Debts are at most a tick on each CPU. */
			if (used + NSEC_PER_USEC < given || used > given + cpus * 4 * MS)
				fail_msg("seed %llu: %llu ns used of %llu",
					 (unsigned long long)seed, (unsigned long long)used,
					 (unsigned long long)given);
		}
		sim_free(s);
	}
}

/* Ten periods of a throttled hog, the end of each for 100 us, the release for 200. */
static void timers_and_releases_take_time(void **state)
{
	u64 tick[2], wakeup[2];

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct sim *s = world_sim(ONE_CPU, "v6.12", 1);
		u32 g = world_group(s, "/a", 0);

		world_tune(s, "costs", 1);
		world_tune(s, "cost_bandwidth_ns", i ? 100 * US : 0);
		world_tune(s, "cost_unthrottle_ns", i ? 200 * US : 0);
		set_max(s, g, 20 * MS, 100 * MS, 0);
		world_spawn_in(s, world_hog("hog"), "/a");
		world_run_checked(s, 1050 * MS);
		assert_int_equal(s->group_stats[g].nr_throttled, 10);
		tick[i] = s->stats->path_ns[PATH_TICK];
		wakeup[i] = s->stats->path_ns[PATH_WAKEUP];
		sim_free(s);
	}
	assert_int_equal(wakeup[1] - wakeup[0], 2 * MS);
	/* Time that begins later may take one tick more. */
	assert_in_range(tick[1] - tick[0], MS, MS + 10 * 2 * US);
}

/* A real-time task came while nothing fair could run: the fair server has to notice the release. */
static void released_tasks_are_served_beside_real_time(void **state)
{
	struct sim *s = world_sim(ONE_CPU, "v6.12", 1);
	u32 g = world_group(s, "/a", 0);
	struct task_spec *fifo = world_hog("fifo");
	u64 hog;

	(void)state;
	set_max(s, g, 20 * MS, 100 * MS, 0);
	hog = world_spawn_in(s, world_hog("hog"), "/a");
	fifo->policy = SCHED_FIFO;
	fifo->rt_priority = 1;
	fifo->delay = 50 * MS;
	world_spawn(s, fifo);
	world_run_checked(s, 100 * MS);
	assert_int_equal(sim_task_exec_now(s, world_task_id(s, hog)), 20 * MS);
	/* 50 ms in every second. */
	world_run_checked(s, 3000 * MS);
	assert_in_range(sim_task_exec_now(s, world_task_id(s, hog)), 100 * MS, 200 * MS);
	sim_free(s);
}

static void bad_values_are_refused(void **state)
{
	static const struct sim_input bad[] = {
		{ .kind = INPUT_GROUP_MAX, .a = 0, .b = 20000000, .c = 100000000 }, /* the root */
		{ .kind = INPUT_GROUP_MAX,
		  .a = 2,
		  .b = 20000000,
		  .c = 100000000 }, /* no such group */
		{ .kind = INPUT_GROUP_MAX, .a = 1, .b = 999999, .c = 100000000 },
		{ .kind = INPUT_GROUP_MAX, .a = 1, .b = -2, .c = 100000000 },
		{ .kind = INPUT_GROUP_MAX, .a = 1, .b = 20000000, .c = 999999 },
		{ .kind = INPUT_GROUP_MAX, .a = 1, .b = 20000000, .c = 1000000001 },
		{ .kind = INPUT_GROUP_MAX,
		  .a = 1,
		  .b = 20000000,
		  .c = 100000000,
		  .serial = 20000001 },
		{ .kind = INPUT_GROUP_MAX, .a = 1, .b = -1, .c = 100000000, .serial = 1 },
		{ .kind = INPUT_GROUP_NEW, .a = 0, .b = 1024, .text = "/a" }, /* there is one */
	};
	struct sim *s = world_sim(ONE_CPU, "v6.12", 1);

	(void)state;
	world_group(s, "/a", 0);
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = { 0 };

		if (!sim_input(s, &bad[i], NULL, &err))
			fail_msg("input %u was taken", i);
		assert_int_equal(err.code, ERR_USAGE);
	}
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hog_gets_its_quota),
		cmocka_unit_test(two_cpus_share_a_quota),
		cmocka_unit_test(the_smaller_quota_of_nested_groups_decides),
		cmocka_unit_test(a_light_task_waits_for_the_period),
		cmocka_unit_test(the_averages_of_a_throttled_queue_stand_still),
		cmocka_unit_test(run_time_given_back_releases_others),
		cmocka_unit_test(burst_lends_what_a_period_left),
		cmocka_unit_test(an_idle_group_needs_no_timer),
		cmocka_unit_test(changes_while_throttled),
		cmocka_unit_test(the_balancer_leaves_throttled_tasks_alone),
		cmocka_unit_test(quotas_hold_on_any_machine),
		cmocka_unit_test(timers_and_releases_take_time),
		cmocka_unit_test(released_tasks_are_served_beside_real_time),
		cmocka_unit_test(bad_values_are_refused),
	};

	return cmocka_run_group_tests_name("bandwidth of task groups", tests, NULL, NULL);
}
