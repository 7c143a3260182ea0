/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * release-rules-test.c - rules of engine/sched/release.def one by one: a situation that the rule
 * decides, in the releases before and after it changed. Figures by hand from the rule.
 */
#include "tests/unit/place-world.h"

#include "engine/policy/balance.h"
#include "engine/policy/nohz.h"
#include "engine/sched/capacity.h"
#include "engine/sched/features.h"

static const struct shape smp2 = { 2, 0, 1, 1, false }, smt2 = { 2, 0, 1, 2, false },
			  smt8 = { 8, 0, 1, 8, false }, smp4 = { 4, 0, 1, 1, false },
			  big_little = { 8, 6, 1, 1, true }, big_little_smt = { 8, 4, 1, 2, true };

/* A rule's outcome in one release. */
struct in_release {
	const char *profile;
	s64 want;
};

static void no_balancing(struct sim *s)
{
	world_use(s, SLOT_PLACE, "prev");
	world_use(s, SLOT_BALANCE, "none");
	world_use(s, SLOT_NEWIDLE, "none");
}

/* What CPU @dst, newly idle so that capacities stay as they are, would do in its domain on @level. */
static struct lb_env newly_idle(struct sim *s, u64 *cpus, cpu_id dst, bool upper)
{
	u32 sd = s->cpu_sd[dst].sd;

	cpus[0] = (1ull << s->g->nr_cpus) - 1;
	return (struct lb_env){ .s = s,
				.sd = upper ? s->domains[sd].parent : sd,
				.dst = dst,
				.src = NONE,
				.idle = CPU_NEWLY_IDLE,
				.cpus = cpus,
				.new_dst = NONE,
				.reason = 2 };
}

/* A task on CPU 0 that is too large for it, and nothing else known of any CPU. */
static struct sim *misfit_world(struct shape sh, const char *profile)
{
	struct sim *s = world_sim(sh, profile, 1);

	no_balancing(s);
	world_spawn(s, world_pin(world_hog("misfit"), 0, sh.cpus));
	world_run(s, 10 * MS);
	forget_util(s);
	for (u32 g = 0; g < arena_len(&s->arena, POOL_SCHED_GROUP_CAPACITY); g++)
		s->sgcs[g].next_update = ~0ull;
	for (cpu_id c = 0; c < sh.cpus; c++)
		s->rqs[c].cpu_capacity = s->rqs[c].cpu_capacity_orig;
	s->rqs[0].misfit_task_load = 200;
	return s;
}

/* Nothing is balanced while energy-aware placement works: until v5.13 misfits neither. */
static void misfits_while_eas_works(void **state)
{
	static const struct in_release cases[] = {
		{ "v5.10", 0 }, { "v5.13", 0 }, { "v6.1", 1 }, { "v6.6", 1 }, { "v6.12", 1 }
	};
	u64 cpus[1];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = misfit_world(big_little, cases[i].profile);
		struct lb_env env = newly_idle(s, cpus, 7, false);

		assert_true(eas_active(s));
		assert_int_equal(find_src_group(&env) != NONE, cases[i].want);
		s->rqs[0].misfit_task_load = 200;
		s->g->overutilized = 1;
		/* The utilisation decides whether it stays so: 300 of 312. */
		root_cfs(s, 0)->avg.util_avg = 300;
		env = newly_idle(s, cpus, 7, false);
		assert_true(find_src_group(&env) != NONE);
		sim_free(s);
	}
}

/*
 * A group of 312 seen from a CPU of 380: 312 * 1280 = 399360 > 380 * 1024 = 389120, not larger by 20 %;
 * 312 * 1078 = 336336 < 389120, larger by 5 %.
 */
static void sizes_of_groups(void **state)
{
	static const struct in_release cases[] = {
		{ "v5.10", 0 }, { "v5.13", 1 }, { "v6.1", 1 }, { "v6.6", 1 }, { "v6.12", 1 }
	};
	u64 cpus[1];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = misfit_world(big_little, cases[i].profile);
		struct lb_env env = newly_idle(s, cpus, 7, false);
		u32 own = s->domains[env.sd].groups;
		struct sched_group_capacity *c = &s->sgcs[s->sgroups[own].sgc];

		world_use(s, SLOT_GOVERNOR, "performance");
		world_run(s, s->g->now + 1);
		s->rqs[0].misfit_task_load = 200;
		assert_false(eas_active(s));
		s->rqs[7].cpu_capacity = 380;
		c->max_capacity = c->min_capacity = c->capacity = 380;
		assert_int_equal(find_src_group(&env) != NONE, cases[i].want);
		/* 400 * 1024 = 409600: by 20 % as well. */
		s->rqs[7].cpu_capacity = 400;
		c->max_capacity = c->min_capacity = c->capacity = 400;
		env = newly_idle(s, cpus, 7, false);
		assert_true(find_src_group(&env) != NONE);
		sim_free(s);
	}
}

/*
 * The lone task of a CPU of 312 and a destination of 320: it has more, but 320 * 1024 = 327680 is
 * less than 312 * 1078 = 336336. One of 311 has less.
 */
static void queue_of_a_lone_task(void **state)
{
	static const struct in_release cases[] = {
		{ "v5.10", 1 }, { "v5.13", 0 }, { "v6.1", 0 }, { "v6.6", 0 }, { "v6.12", 0 }
	};
	u64 cpus[1];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = misfit_world(big_little, cases[i].profile);
		struct lb_env env = newly_idle(s, cpus, 7, false);
		u32 sg = s->domains[s->cpu_sd[0].sd].groups;

		env.kind = MIGRATE_MISFIT;
		s->rqs[7].cpu_capacity = 320;
		assert_int_equal(find_src_rq(&env, sg) == 0, cases[i].want);
		s->rqs[7].cpu_capacity = 311;
		assert_int_equal(find_src_rq(&env, sg), NONE);
		s->rqs[7].cpu_capacity = 1024;
		assert_int_equal(find_src_rq(&env, sg), 0);
		sim_free(s);
	}
}

/* The thread beside the big CPU is busy: in the stable releases v6.1 and v6.12 a misfit stays away. */
static void misfits_and_busy_cores(void **state)
{
	static const struct in_release cases[] = {
		{ "v5.10", 1 }, { "v5.13", 1 }, { "v6.1", 0 }, { "v6.6", 1 }, { "v6.12", 0 }
	};
	u64 cpus[1];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = misfit_world(big_little_smt, cases[i].profile);
		struct lb_env env = newly_idle(s, cpus, 4, true);

		assert_false(eas_active(s));
		assert_true(find_src_group(&env) != NONE);
		world_spawn(s, world_pin(world_hog("beside"), 5, 8));
		world_run(s, 11 * MS);
		forget_util(s);
		s->rqs[0].misfit_task_load = 200;
		env = newly_idle(s, cpus, 4, true);
		assert_int_equal(find_src_group(&env) != NONE, cases[i].want);
		sim_free(s);
	}
}

/* It runs, so that it cannot be pulled: a pass that failed, but for v6.12. v5.10 sets tries + 1. */
static void misfits_that_were_not_moved(void **state)
{
	static const struct in_release cases[] = {
		{ "v5.10", 2 }, { "v5.13", 1 }, { "v6.1", 1 }, { "v6.6", 1 }, { "v6.12", 0 }
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = misfit_world(big_little, cases[i].profile);
		u32 sd = s->cpu_sd[7].sd;
		bool go_on = true;
		u64 misfits = s->stats->misfit;

		s->tasks[s->rqs[0].curr].cpus = 0;
		s->tasks[s->rqs[0].curr].nr_cpus_allowed = 8;
		set_util(s, s->rqs[0].curr, 300);
		root_cfs(s, 0)->avg.util_avg = 300;
		s->g->overutilized = 1;
		s->domains[sd].cache_nice_tries = 1;
		s->domains[sd].nr_balance_failed = 0;
		assert_int_equal(sched_balance_rq(s, 7, sd, CPU_IS_IDLE, &go_on), 0);
		assert_int_equal(s->stats->misfit, misfits + 1);
		assert_int_equal(s->domains[sd].nr_balance_failed, cases[i].want);
		sim_free(s);
	}
}

/* The task that waits on CPU 0 behind the one that runs. */
static task_id waiting_on_0(const struct sim *s)
{
	task_id p = s->rqs[0].cfs_tasks_tail;

	return p == s->rqs[0].curr ? s->tasks[p].list_prev : p;
}

static struct lb_env pull_from_0(struct sim *s, u64 *cpus, enum migration_type kind, s64 amount)
{
	struct lb_env env = newly_idle(s, cpus, 1, false);

	env.src = 0;
	env.kind = kind;
	env.imbalance = amount;
	env.loop_max = 32;
	return env;
}

/*
 * A task whose estimate is 300 is more than 100 of utilisation. After two failed passes 300 >> 2 = 75
 * is not, in the stable releases v6.1 and v6.12.
 */
static void utilisation_after_failures(void **state)
{
	static const struct in_release cases[] = {
		{ "v5.10", 0 }, { "v5.13", 0 }, { "v6.1", 1 }, { "v6.6", 0 }, { "v6.12", 1 }
	};
	u64 cpus[1];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = world_sim(smp2, cases[i].profile, 1);

		no_balancing(s);
		for (u32 k = 0; k < 2; k++)
			world_spawn(s, world_pin(world_hog("hog"), 0, 2));
		world_run(s, 10 * MS);
		for_each_live(p, &s->arena, POOL_TASK)
		{
			s->tasks[p].cpus = 0;
			s->tasks[p].nr_cpus_allowed = 2;
			s->task_se[p].exec_start = 0;
			s->task_se[p].avg.util_est = s->task_se[p].avg.util_avg = 300;
		}

		struct lb_env env = pull_from_0(s, cpus, MIGRATE_UTIL, 100);

		s->domains[env.sd].nr_balance_failed = 1; /* 150 */
		assert_int_equal(balance_detach(&env), 0);
		s->domains[env.sd].nr_balance_failed = 2;
		assert_int_equal(balance_detach(&env), cases[i].want);
		sim_free(s);
	}
}

/* It ran 0.1 ms ago: between threads of a core that is hot in v5.4 only. */
static void hot_between_threads(void **state)
{
	static const struct in_release cases[] = { { "v5.4", 0 }, { "v5.10", 1 }, { "v6.12", 1 } };
	u64 cpus[1];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		for (u32 threads = 0; threads < 2; threads++) {
			struct sim *s = world_sim(threads ? smt2 : smp2, cases[i].profile, 1);

			no_balancing(s);
			for (u32 k = 0; k < 2; k++)
				world_spawn(s, world_pin(world_hog("hog"), 0, 2));
			world_run(s, 10 * MS);

			task_id p = waiting_on_0(s);
			struct lb_env env = pull_from_0(s, cpus, MIGRATE_LOAD, 4096);

			s->tasks[p].cpus = 0;
			s->tasks[p].nr_cpus_allowed = 2;
			s->task_se[p].exec_start = s->rqs[0].clock_task - MS / 10;
			s->domains[env.sd].nr_balance_failed = 0;
			assert_int_equal(balance_detach(&env), threads ? cases[i].want : 0);
			sim_free(s);
		}
	}
}

/* A per-CPU kernel thread cannot come: that counts as a pinned task until v5.10. */
static void kernel_threads_of_a_cpu(void **state)
{
	static const struct in_release cases[] = {
		{ "v5.4", 1 }, { "v5.10", 1 }, { "v5.13", 0 }, { "v6.1", 0 }, { "v6.12", 0 }
	};
	u64 cpus[1];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = world_sim(smp2, cases[i].profile, 1);

		no_balancing(s);
		for (u32 k = 0; k < 2; k++)
			world_spawn(s, world_pin(world_hog("hog"), 0, 2));
		world_run(s, 10 * MS);

		struct lb_env env = pull_from_0(s, cpus, MIGRATE_TASK, 1);

		s->tasks[waiting_on_0(s)].flags |= PF_KTHREAD;
		s->tasks[s->rqs[0].curr].flags |= PF_KTHREAD;
		assert_int_equal(balance_detach(&env), 0);
		assert_int_equal(env.some_pinned, cases[i].want);
		sim_free(s);
	}
}

/* No domain is due before its interval is over: what is told to nohz is when the first is. */
static void idle_round_tells_nohz(void **state)
{
	static const struct in_release cases[] = {
		{ "v5.4", 1 }, { "v5.10", 1 }, { "v5.13", 0 }, { "v6.12", 0 }
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = world_sim(smp4, cases[i].profile, 1);
		struct sched_domain *d = &s->domains[s->cpu_sd[1].sd];
		u64 *next = &s->nohz[s->rqs[1].nohz_for].next_balance, ns = 0;
		struct kpass p = { 0 };

		world_run(s, 10 * MS);
		d->last_balance = sim_jiffies(s) + 100;
		*next = 100000;
		/* Another CPU's round for this one does not. */
		lb_round_begin(s, &p, 1, CPU_IS_IDLE);
		assert_false(lb_round_next(s, &p, 2, &ns));
		assert_int_equal(*next, 100000);
		lb_round_begin(s, &p, 1, CPU_IS_IDLE);
		assert_false(lb_round_next(s, &p, 1, &ns));
		assert_int_equal(*next, cases[i].want
						? d->last_balance + domain_interval(s, d, false)
						: 100000);
		sim_free(s);
	}
}

/* A CPU used up to its 312, and a new task comes: that is noticed at once in v5.4 only. */
static void new_tasks_and_overutilised(void **state)
{
	static const struct in_release cases[] = { { "v5.4", 1 }, { "v5.10", 0 }, { "v6.12", 0 } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = world_sim(big_little, cases[i].profile, 1);

		no_balancing(s);
		world_run(s, 41 * MS);
		assert_true(eas_active(s));
		assert_int_equal(s->g->overutilized, 0);
		/* No more than 41 ms old: more than 1024 / 4. */
		root_cfs(s, 0)->avg.util_avg = 1024;
		root_cfs(s, 0)->avg.util_sum = 1024 * 47742;
		world_spawn(s, world_pin(world_hog("new"), 0, 8));
		world_run(s, 41 * MS + 10 * US);
		assert_int_equal(s->rqs[0].nr_running, 1);
		assert_int_equal(s->g->overutilized, cases[i].want);
		sim_free(s);
	}
}

/*
 * One core of eight threads, 1 the target and 2 and 3 busy: with 4 us a search, three CPUs may be
 * looked at. Of the threads beside it 0 has a SCHED_IDLE task and 4 is idle: v5.4 wants one that is
 * idle, v5.10 the first that will do.
 */
static void threads_beside_the_target(void **state)
{
	static const struct in_release cases[] = { { "v5.4", 4 }, { "v5.10", 0 } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		task_id p;
		struct sim *s = scene_of(cases[i].profile, smt8, 0x0e, 1, &p);
		struct task_spec *low = world_pin(world_hog("low"), 0, 8);

		low->policy = SCHED_IDLE;
		world_spawn(s, low);
		world_run(s, 41 * MS);
		s->llcs[0].has_idle_cores = 0;
		s->rqs[1].avg_idle = MS;
		s->domains[s->cpu_sd[1].llc].avg_scan_cost = 3999;
		expect(s, "linux", p, 1, WF_TTWU, (cpu_id)cases[i].want, RULE_smt_target);
		sim_free(s);
	}
}

/*
 * All little CPUs are used up, 312 of 312, and the task is capped at 200, so that it fits them all the
 * same. There it costs nothing more; v6.6 does not look at them.
 */
static void cpus_without_room(void **state)
{
	static const struct in_release cases[] = { { "v6.1", 1 }, { "v6.6", 0 }, { "v6.12", 1 } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		task_id p;
		struct sim *s = scene_of(cases[i].profile, big_little, 0, 6, &p);

		forget_util(s);
		s->g->tun.features |= FEAT_BIT(UCLAMP_USED);
		set_util(s, p, 100);
		s->tasks[p].uclamp_max = 200;
		for (cpu_id c = 0; c < 8; c++) {
			s->rqs[c].uclamp_idle = 1;
			s->rqs[c].cpu_capacity = s->rqs[c].cpu_capacity_orig;
			if (c < 6)
				root_cfs(s, c)->avg.util_avg = 312;
		}
		assert_int_equal(ask(s, "linux", p, 6, WF_TTWU).cpu < 6, cases[i].want);
		sim_free(s);
	}
}

/* A CPU that is used at 200 and has 600 of runnable time: what energy is computed for, v6.6 on 600. */
static void runnable_time_and_energy(void **state)
{
	static const struct in_release cases[] = { { "v6.1", 200 }, { "v6.6", 600 } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		task_id p;
		struct sim *s = scene_of(cases[i].profile, big_little, 0, 6, &p);

		forget_util(s);
		s->g->tun.features |= FEAT_BIT(UTIL_BOOST);
		root_cfs(s, 7)->avg.util_avg = 200;
		root_cfs(s, 7)->avg.runnable_avg = 600;
		assert_int_equal(eas_cpu_perf(s, 7, p, NONE), cases[i].want);
		sim_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misfits_while_eas_works),
		cmocka_unit_test(sizes_of_groups),
		cmocka_unit_test(queue_of_a_lone_task),
		cmocka_unit_test(misfits_and_busy_cores),
		cmocka_unit_test(misfits_that_were_not_moved),
		cmocka_unit_test(utilisation_after_failures),
		cmocka_unit_test(hot_between_threads),
		cmocka_unit_test(kernel_threads_of_a_cpu),
		cmocka_unit_test(idle_round_tells_nohz),
		cmocka_unit_test(new_tasks_and_overutilised),
		cmocka_unit_test(threads_beside_the_target),
		cmocka_unit_test(cpus_without_room),
		cmocka_unit_test(runnable_time_and_energy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
