/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance-v5-test.c - balancing of the older kernel profiles: v5.4's arithmetic by load with figures
 * computed by hand, and the rules in which v5.10 to v6.6 differ from v6.12.
 */
#include "tests/sim-world.h"

#include "engine/policy/balance.h"
#include "engine/policy/nohz.h"
#include "engine/sched/capacity.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/queued_load.h"

static const struct shape smp2 = { 2, 0, 1, 1, false }, smp4 = { 4, 0, 1, 1, false },
			  big_little = { 8, 6, 1, 1, true }, nodes = { 8, 0, 2, 1, false };

static struct load_group group(u32 sg, u64 load, u32 nr, u64 capacity)
{
	struct load_group g = {
		.sg = sg, .load = load, .nr = nr, .capacity = capacity, .weight = 1
	};

	load_classify(117, false, &g);
	return g;
}

/* Two groups, the busiest first, and the average of both. */
static struct load_stats two(struct load_group busiest, struct load_group local)
{
	struct load_stats st = { .busiest = busiest,
				 .local = local,
				 .total_load = busiest.load + local.load,
				 .total_capacity = busiest.capacity + local.capacity };

	st.avg_load = SCHED_CAPACITY_SCALE * st.total_load / st.total_capacity;
	return st;
}

/* 117 % of the utilisation against the capacity: 100 * 2048 = 204800, 117 * 1750 = 204750. */
static void classes(void **state)
{
	struct load_group g = {
		.load = 3000, .nr = 3, .capacity = 2048, .weight = 2, .util = 1750, .misfit = 9
	};

	(void)state;
	load_classify(117, false, &g);
	assert_int_equal(g.avg_load, 1500);
	assert_int_equal(g.per_task, 1000);
	assert_int_equal(g.type, GROUP_MISFIT);
	load_classify(117, true, &g);
	assert_int_equal(g.type, GROUP_IMBALANCED);
	g.util = 1751;
	load_classify(117, true, &g);
	assert_int_equal(g.type, GROUP_OVERLOADED);
	assert_true(g.no_capacity);
	g.nr = 2;
	g.misfit = 0;
	load_classify(117, false, &g);
	assert_int_equal(g.type, GROUP_HAS_SPARE);
	g.nr = 0;
	load_classify(117, false, &g);
	assert_int_equal(g.per_task, 0);
}

static void who_is_to_take(void **state)
{
	struct load_stats st = two(group(1, 2000, 2, 1024), group(0, 0, 0, 1024));

	(void)state;
	/* The second task of a CPU with time left: only one that just became idle takes it. */
	st.local.idle_cpus = 1;
	assert_false(load_worth_it(117, CPU_IS_IDLE, &st));
	assert_true(load_worth_it(117, CPU_NEWLY_IDLE, &st));
	st.local.idle_cpus = 2;
	assert_true(load_worth_it(117, CPU_IS_IDLE, &st));
	st.local.idle_cpus = 1;
	st.busiest.type = GROUP_OVERLOADED;
	assert_true(load_worth_it(117, CPU_IS_IDLE, &st));
	st.busiest.nr = 0;
	assert_false(load_worth_it(117, CPU_NEWLY_IDLE, &st));

	/* Busy: by more than 17 %. */
	st = two(group(1, 1170, 2, 1024), group(0, 1000, 1, 1024));
	assert_false(load_worth_it(117, CPU_NOT_IDLE, &st));
	st = two(group(1, 1171, 2, 1024), group(0, 1000, 1, 1024));
	assert_true(load_worth_it(117, CPU_NOT_IDLE, &st));
	/* Idle CPUs with capacity help a group without, whatever the loads. */
	st = two(group(1, 500, 3, 1024), group(0, 900, 0, 1024));
	assert_false(load_worth_it(117, CPU_IS_IDLE, &st));
	st.busiest.no_capacity = 1;
	assert_true(load_worth_it(117, CPU_IS_IDLE, &st));
	assert_false(load_worth_it(117, CPU_NOT_IDLE, &st));
	st.busiest.no_capacity = 0;
	st.busiest.type = GROUP_MISFIT;
	assert_true(load_worth_it(117, CPU_NOT_IDLE, &st));
}

static void how_much(void **state)
{
	struct load_stats st = two(group(1, 3072, 3, 1024), group(0, 1024, 1, 1024));

	(void)state;
	/* Averages 3072 and 1024, of both 2048. */
	assert_int_equal(load_imbalance(&st), 1024);
	/*
	 * Both overloaded: no more than is above the capacity, (3072 - 2816) * 1024 / 2816 = 93 of
	 * it: 93 * 2816 / 1024 = 255. Less than a task of 3000: 3272 + 1090 >= 2048 + 1090, one task.
	 */
	st = two(group(1, 9000, 3, 2816), group(0, 2048, 2, 1024));
	st.busiest.type = st.local.type = GROUP_OVERLOADED;
	assert_int_equal(load_imbalance(&st), 3000);
	/* A misfit: (229 - 0) * 1024 / 1024 = 229 is less than its load. */
	st = two(group(1, 300, 1, 312), group(0, 0, 0, 1024));
	st.busiest.type = GROUP_MISFIT;
	st.busiest.misfit = 300;
	assert_int_equal(load_imbalance(&st), 300);
	/* Pinned tasks: a task counts no more than the average of 1024, which is the difference. */
	st = two(group(1, 2048, 1, 1024), group(0, 0, 0, 1024));
	st.busiest.type = GROUP_IMBALANCED;
	assert_int_equal(load_imbalance(&st), 1024);
	assert_int_equal(st.busiest.per_task, 1024);
}

static void small_imbalances(void **state)
{
	/* 25 to move, a task is 450: 900 + 450 < 850 + 2 * 450; both then use 1300 as before. */
	struct load_stats st = two(group(1, 900, 2, 1024), group(0, 850, 1, 1024));

	(void)state;
	assert_int_equal(load_imbalance(&st), 25);
	/*
	 * 220 to move, a task is 480: 720 + 240 < 500 + 2 * 240. Used now 2048 * 480 + 2048 * 500, 1960;
	 * then 2048 * 480 + 2048 * (500 + 240), 2440: one task.
	 */
	st = two(group(1, 1440, 3, 2048), group(0, 1000, 1, 2048));
	assert_int_equal(load_imbalance(&st), 480);
	/* An empty group takes the load of one task as that of its CPU, which has none. */
	st = two(group(1, 1024, 2, 1024), group(0, 0, 0, 1024));
	assert_int_equal(load_imbalance(&st), 512);
	/* Nothing to even out: 0, unless the capacity is of more use elsewhere. */
	st = two(group(1, 900, 1, 1024), group(0, 900, 1, 1024));
	assert_int_equal(load_imbalance(&st), 0);
}

static void domains_of_a_release(void **state)
{
	struct sim *s = world_sim(nodes, "v5.4", 1);
	u32 mc = s->cpu_sd[0].sd, top = s->domains[mc].parent;

	(void)state;
	assert_int_equal(s->domains[mc].busy_factor, 32);
	assert_int_equal(s->domains[mc].imbalance_pct, 117);
	assert_int_equal(s->domains[top].imbalance_pct, 125);
	world_input(s, (struct sim_input){ .kind = INPUT_TUNABLE,
					   .a = sim_tunable_index("balance_form"),
					   .b = V5_10 });
	world_run(s, 1);
	assert_int_equal(s->domains[mc].busy_factor, 16);
	assert_int_equal(s->domains[top].imbalance_pct, 117);
	sim_free(s);
}

/* Differences in tasks between nodes: halved first, then tolerated. */
static void few_tasks_between_nodes(void **state)
{
	struct lb_rules r = {
		.imbalance_pct = 117, .numa = true, .prefer_sibling = true, .half_first = true
	};
	struct sd_stats st = { .local = { .capacity = 8192, .weight = 8 },
			       .busiest = { .capacity = 8192, .weight = 16, .nr_running = 2 } };
	enum migration_type kind;

	(void)state;
	r.numa_small = 1;
	assert_int_equal(calculate_imbalance(&r, &st, &kind), 0);
	assert_int_equal(kind, MIGRATE_TASK);
	st.busiest.nr_running = 3;
	assert_int_equal(calculate_imbalance(&r, &st, &kind), 1);
	/* 3 of 16 CPUs are less than a quarter, of 12 they are not. */
	r.numa_small = 2;
	assert_int_equal(calculate_imbalance(&r, &st, &kind), 0);
	st.busiest.weight = 12;
	assert_int_equal(calculate_imbalance(&r, &st, &kind), 1);
	/* Six: half of it is above 2. */
	st.busiest.weight = 64;
	st.busiest.nr_running = 6;
	assert_int_equal(calculate_imbalance(&r, &st, &kind), 3);
	/* Fewer idle CPUs here than there: the difference has no sign, and is halved. */
	r = (struct lb_rules){ .imbalance_pct = 117, .llc = true, .half_first = true };
	st.local.idle_cpus = 1;
	st.busiest.idle_cpus = 3;
	st.busiest.type = GROUP_OVERLOADED;
	assert_int_equal(calculate_imbalance(&r, &st, &kind), 0x7fffffff);
}

/* Passes that failed: until v5.10 whatever was to be moved, later only for tasks. */
static void when_the_running_task_is_pushed(void **state)
{
	static const struct {
		const char *profile;
		bool load;
	} cases[] = { { "v5.4", true }, { "v5.10", true }, { "v5.13", false }, { "v6.12", false } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = world_sim(smp4, cases[i].profile, 1);
		struct lb_env env = {
			.s = s, .sd = s->cpu_sd[0].sd, .dst = 0, .src = 1, .kind = MIGRATE_LOAD
		};
		struct sched_domain *d = &s->domains[env.sd];

		d->nr_balance_failed = d->cache_nice_tries + 2;
		assert_false(need_active_balance(&env));
		d->nr_balance_failed++;
		assert_int_equal(need_active_balance(&env), cases[i].load);
		env.kind = MIGRATE_TASK;
		assert_true(need_active_balance(&env));
		sim_free(s);
	}
}

/* The limit of 32 tasks looked at, behind which the only one that may leave stands. */
static void all_pinned_so_far(void **state)
{
	static const char *const profiles[] = { "v6.1", "v6.6", "v6.12" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		struct sim *s = world_sim(smp2, profiles[i], 1);
		u64 cpus[1] = { 3 };

		world_use(s, SLOT_PLACE, "prev");
		world_use(s, SLOT_BALANCE, "none");
		world_use(s, SLOT_NEWIDLE, "none");
		for (u32 k = 0; k < 33; k++)
			world_spawn(s, world_pin(world_hog("pinned"), 0, 2));
		world_spawn(s, world_hog("free"));
		world_run(s, MS / 10);

		struct lb_env env = { .s = s,
				      .sd = s->cpu_sd[1].sd,
				      .dst = 1,
				      .src = 0,
				      .idle = CPU_IS_IDLE,
				      .kind = MIGRATE_TASK,
				      .imbalance = 1,
				      .cpus = cpus,
				      .new_dst = NONE,
				      .all_pinned = true,
				      .loop_max = 32,
				      .reason = 1 };

		s->domains[env.sd].nr_balance_failed = 9;
		assert_int_equal(s->rqs[0].nr_running, 34);
		assert_int_equal(balance_detach(&env), i == 1);
		sim_free(s);
	}
}

/* By load: half a task may be too much, not more. */
static void tasks_are_taken_by_load(void **state)
{
	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct sim *s = world_sim(smp2, "v5.4", 1);
		u64 cpus[1] = { 3 }, load;

		world_use(s, SLOT_PLACE, "prev");
		world_use(s, SLOT_BALANCE, "none");
		world_use(s, SLOT_NEWIDLE, "none");
		for (u32 k = 0; k < 4; k++)
			world_spawn(s, world_hog("hog"));
		world_run(s, 9 * MS);

		struct lb_env env = { .s = s,
				      .sd = s->cpu_sd[1].sd,
				      .dst = 1,
				      .src = 0,
				      .idle = CPU_NOT_IDLE,
				      .kind = MIGRATE_LOAD,
				      .cpus = cpus,
				      .new_dst = NONE,
				      .loop_max = 32,
				      .reason = 1 };

		s->domains[env.sd].nr_balance_failed = 9;
		load = task_h_load(s, s->rqs[0].cfs_tasks_tail);
		assert_true(load > 1000 && load <= 1024);
		env.imbalance = (s64)(load / 2) - !i;
		assert_int_equal(balance_detach(&env), i);
		if (i)
			assert_int_equal(env.imbalance, (s64)(load / 2) - (s64)load);
		sim_free(s);
	}
}

/* Which running task is too large for its CPU. */
static void misfits(void **state)
{
	static const struct {
		const char *profile;
		bool pinned, biggest;
	} cases[] = {
		{ "v5.4", true, true },	 { "v5.10", true, true }, { "v5.13", false, true },
		{ "v6.1", false, true }, { "v6.6", false, true }, { "v6.12", false, false },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = world_sim(big_little, cases[i].profile, 1);
		u64 pinned, biggest;

		world_use(s, SLOT_BALANCE, "none");
		pinned = world_spawn(s, world_pin(world_hog("pinned"), 0, 8));
		biggest = world_spawn(s, world_pin(world_hog("big"), 7, 8));
		world_run(s, 300 * MS);
		update_misfit_status(s, &s->rqs[0], sim_find_task(s, pinned));
		assert_int_equal(s->rqs[0].misfit_task_load != 0, cases[i].pinned);
		s->tasks[sim_find_task(s, biggest)].cpus = 0;
		s->tasks[sim_find_task(s, biggest)].nr_cpus_allowed = 8;
		update_misfit_status(s, &s->rqs[7], sim_find_task(s, biggest));
		assert_int_equal(s->rqs[7].misfit_task_load != 0, cases[i].biggest);
		sim_free(s);
	}
}

/* 4 ms while busy: 32 times that are 32 jiffies, 16 times 16, less one. */
static void intervals(void **state)
{
	struct sim *s = world_sim(smp4, "v5.4", 1);

	(void)state;
	assert_int_equal(domain_interval(s, &s->domains[s->cpu_sd[0].sd], true), 32);
	assert_int_equal(domain_interval(s, &s->domains[s->cpu_sd[0].sd], false), 1);
	sim_free(s);
	s = world_sim(smp4, "v5.10", 1);
	assert_int_equal(domain_interval(s, &s->domains[s->cpu_sd[0].sd], true), 15);
	sim_free(s);
}

/* A queue with SCHED_IDLE tasks alone is due as soon as it becomes one: at 20 ms, jiffy 5. */
static void queues_that_become_idle_class(void **state)
{
	static const char *const profiles[] = { "v5.4", "v5.10", "v6.12" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		struct sim *s = world_sim(smp2, profiles[i], 1);
		struct task_spec *low = world_pin(world_hog("low"), 1, 2);
		struct task_spec *spec = world_pin(task_spec_new("p"), 1, 2);

		world_use(s, SLOT_BALANCE, "none");
		world_use(s, SLOT_NEWIDLE, "none");
		low->policy = SCHED_IDLE;
		world_step(spec, STEP_RUNTIME, 0, NONE, 20 * MS, 0);
		world_step(spec, STEP_SLEEP, 0, NONE, 10000 * MS, 0);
		world_spawn(s, spec);
		world_spawn(s, low);
		world_run(s, 1 * MS);
		s->rqs[1].next_balance = 1000;
		world_run(s, 60 * MS);
		assert_int_equal(s->rqs[1].next_balance<1000, i> 0);
		sim_free(s);
	}
}

/* 300 of 312 is too much; capped at 200, which the CPU has, it is not from v6.1 on. */
static void capped_and_overutilised(void **state)
{
	static const char *const profiles[] = { "v5.4", "v5.13", "v6.1", "v6.12" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		struct sim *s = world_sim(big_little, profiles[i], 1);

		s->g->tun.features |= FEAT_BIT(UCLAMP_USED);
		root_cfs(s, 0)->avg.util_avg = 300;
		s->rqs[0].uclamp_max = 200;
		assert_int_equal(cpu_overutilized(s, 0), i < 2);
		s->rqs[0].uclamp_max = 1024;
		assert_true(cpu_overutilized(s, 0));
		sim_free(s);
	}
}

/* A task on the largest CPU can be a misfit until v6.6, but is nothing to call anybody for. */
static void misfits_that_nobody_can_help(void **state)
{
	static const char *const profiles[] = { "v5.4", "v6.1", "v6.6", "v6.12" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		struct sim *s = world_sim(big_little, profiles[i], 1);
		u64 serial = world_spawn(s, world_pin(world_hog("hog"), 7, 8)), all[1] = { 0xff };

		world_use(s, SLOT_PLACE, "prev");
		world_input(s, (struct sim_input){
				       .kind = INPUT_SET_CPUS, .serial = serial, .words = all });
		world_run(s, 500 * MS);
		assert_int_equal(s->tasks[sim_find_task(s, serial)].cpu, 7);
		assert_int_equal(s->rqs[7].misfit_task_load != 0, i < 3);
		assert_int_equal(s->node_stats[0].nohz_kicks[NOHZ_FOR_MISFIT], 0);
		sim_free(s);
	}
}

/* -7 / 8 is -1 by a shift, 0 by a division. */
static void mean_idle_time(void **state)
{
	static const char *const profiles[] = { "v5.4", "v5.10" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		struct sim *s = world_sim(smp2, profiles[i], 1);
		struct task_spec *spec = task_spec_new("p");

		world_step(spec, STEP_SLEEP, 0, NONE, 10 * MS, 0);
		world_step(spec, STEP_RUN, 0, NONE, 10 * MS, 0);
		world_spawn(s, world_pin(spec, 1, 2));
		world_run(s, 9 * MS);
		s->rqs[1].avg_idle = 7;
		s->rqs[1].idle_stamp = 10 * MS;
		world_run(s, 11 * MS);
		assert_int_equal(s->rqs[1].avg_idle, i ? 7 : 6);
		sim_free(s);
	}
}

/*
 * Two tasks that use 35 % each of one CPU, the others idle: with v5.4 no idle balancer takes one, as
 * the CPU has time left. From v5.10 on it does.
 */
static void an_idle_cpu_leaves_a_pair_alone(void **state)
{
	static const char *const profiles[] = { "v5.4", "v5.10", "v5.13", "v6.12" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		struct sim *s = world_sim(smp4, profiles[i], 1);
		u64 serial[2], all = 0xf, pulled;

		world_use(s, SLOT_PLACE, "prev");
		world_use(s, SLOT_NEWIDLE, "none");
		for (u32 k = 0; k < 2; k++)
			serial[k] = world_spawn(
				s, world_pin(world_periodic("p", 7 * MS, 20 * MS, 0), 0, 4));
		world_run(s, 500 * MS);
		for (u32 k = 0; k < 2; k++)
			world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS,
							   .serial = serial[k],
							   .words = &all });
		pulled = s->stats->balance_pulled;
		world_run(s, 4000 * MS);
		world_check(s);
		assert_int_equal(s->stats->balance_pulled > pulled, i > 0);
		sim_free(s);
	}
}

/* All hogs begin on one CPU: load evens out, and to the task's weight. */
static void loads_even_out(void **state)
{
	struct sim *s = world_sim(smp4, "v5.4", 1);

	(void)state;
	world_use(s, SLOT_PLACE, "prev");
	for (u32 i = 0; i < 8; i++)
		world_spawn(s, world_hog("hog"));
	world_run(s, 2000 * MS);
	world_check(s);
	for (cpu_id c = 0; c < 4; c++) {
		assert_int_equal(s->rqs[c].nr_running, 2);
		assert_true(cpu_queued_load(s, c) > 2000 && cpu_queued_load(s, c) <= 2048);
	}
	assert_true(s->stats->balance_pulled + s->stats->newidle_pulled >= 6);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),
		cmocka_unit_test(who_is_to_take),
		cmocka_unit_test(how_much),
		cmocka_unit_test(small_imbalances),
		cmocka_unit_test(domains_of_a_release),
		cmocka_unit_test(few_tasks_between_nodes),
		cmocka_unit_test(when_the_running_task_is_pushed),
		cmocka_unit_test(all_pinned_so_far),
		cmocka_unit_test(tasks_are_taken_by_load),
		cmocka_unit_test(misfits),
		cmocka_unit_test(intervals),
		cmocka_unit_test(queues_that_become_idle_class),
		cmocka_unit_test(capped_and_overutilised),
		cmocka_unit_test(misfits_that_nobody_can_help),
		cmocka_unit_test(mean_idle_time),
		cmocka_unit_test(an_idle_cpu_leaves_a_pair_alone),
		cmocka_unit_test(loads_even_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
