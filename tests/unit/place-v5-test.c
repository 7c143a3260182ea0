/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place-v5-test.c - placement of the older kernel profiles: each rule in which they differ, in a
 * situation where it decides, with numbers computed by hand from the rule.
 */
#include "tests/unit/place-world.h"

#include "engine/sched/features.h"
#include "engine/sched/queued_load.h"

static const struct shape smp4 = { 4, 0, 1, 1, false }, smp8 = { 8, 0, 1, 1, false },
			  smt8 = { 8, 0, 1, 2, false }, big_little = { 8, 6, 1, 1, true },
			  nodes = { 8, 0, 2, 1, false };

static const char *const old[] = { "v5.4", "v5.10", "v5.13" };

/* Between an idle previous CPU with much blocked load and a busy waker's in another cache. */
static void idle_previous_cpu(void **state)
{
	static const struct {
		const char *profile;
		bool stays;
	} cases[] = { { "v5.4", true }, { "v5.10", false }, { "v5.13", true }, { "v6.12", true } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		task_id p;
		struct sim *s = scene_of(cases[i].profile, nodes, 0x02, 5, &p);

		root_cfs(s, 1)->avg.load_avg = 100;
		root_cfs(s, 1)->queued_load_avg = 100;
		root_cfs(s, 5)->avg.load_avg = 5000;
		if (cases[i].stays)
			expect(s, "linux", p, 1, WF_TTWU, 5, RULE_prev_idle);
		else
			assert_true(ask(s, "linux", p, 1, WF_TTWU).cpu < 4);
		sim_free(s);
	}
}

/*
 * SIS_PROP with a mean idle time of 1 ms: 1000000 / 512 = 1953 ns for each of 8 CPUs, 15624 in all.
 * At 4000 ns a search (4 * 4000 > 15624) three CPUs may be looked at, at 3000 ns 15624 / 3000 = 5 less
 * one; the target is the first of them. 2, 3 and 4 are busy.
 */
static void a_scan_is_cut_short(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(old); i++) {
		task_id p;
		struct sim *s = scene_of(old[i], smp8, 0x1c, 2, &p);
		u64 *mean = &s->domains[s->cpu_sd[2].llc].avg_scan_cost;

		s->g->tun.costs = 1;
		s->rqs[2].avg_idle = MS;
		*mean = 3999;
		expect(s, "linux", p, 2, WF_TTWU, 2, RULE_scan_cut);
		assert_int_equal(*mean, 3999);
		*mean = 2999;
		expect(s, "linux", p, 2, WF_TTWU, 5, RULE_idle_scan);
		/* Four looks at 40 ns: 2999 + (160 - 2999) / 8. */
		assert_int_equal(*mean, 2999 - 354);
		/* A CPU that is hardly ever idle: the least there is. */
		s->rqs[2].avg_idle = 1;
		expect(s, "linux", p, 2, WF_TTWU, 2, RULE_scan_cut);
		sim_free(s);
	}

	task_id p;
	struct sim *s = scene_of("v6.12", smp8, 0x1c, 2, &p);

	s->domains[s->cpu_sd[2].llc].avg_scan_cost = 3999;
	s->rqs[2].avg_idle = MS;
	s->g->tun.features |= FEAT_BIT(SIS_PROP);
	expect(s, "linux", p, 2, WF_TTWU, 5, RULE_idle_scan);
	sim_free(s);
}

/* v6.1 with SIS_PROP turned on: the idle time foreseen is halved every jiffy and used up. */
static void idle_time_foreseen(void **state)
{
	task_id p;
	struct sim *s = scene_of("v6.1", smp8, 0x1c, 2, &p);
	struct rq *rq = &s->rqs[2];

	(void)state;
	s->g->tun.costs = 1;
	s->g->tun.features &= ~(FEAT_BIT(SIS_UTIL));
	s->g->tun.features |= FEAT_BIT(SIS_PROP);
	s->domains[s->cpu_sd[2].llc].avg_scan_cost = 999;
	/* 8 * 4000 / 1000 = 32: no bound; from target + 1 on, 3 looks at 40 ns. */
	rq->wake_avg_idle = 4000;
	rq->wake_stamp = sim_jiffies(s);
	expect(s, "linux", p, 2, WF_TTWU, 5, RULE_idle_scan);
	assert_int_equal(rq->wake_avg_idle, 4000 - 120);
	/* Three jiffies old: 500 ns, 4000 in all, not above 4 * 1000: the least, 3, 4 and 5. */
	s->domains[s->cpu_sd[2].llc].avg_scan_cost = 999;
	rq->wake_avg_idle = 4000;
	rq->wake_stamp = sim_jiffies(s) - 3;
	expect(s, "linux", p, 2, WF_TTWU, 5, RULE_idle_scan);
	assert_int_equal(rq->wake_avg_idle, 500 - 120);
	sim_free(s);
}

static struct sim *with_idle_class(const char *profile, u64 busy, task_id *p)
{
	struct sim *s = scene_of(profile, smp8, busy, 2, p);
	struct task_spec *spec = world_pin(world_hog("low"), 3, 8);

	spec->policy = SCHED_IDLE;
	world_spawn(s, spec);
	world_run(s, 41 * MS);
	s->rqs[2].avg_idle = MS;
	return s;
}

/* CPU 3 has a SCHED_IDLE task only: as good as idle from v5.10 on, a last resort before. */
static void cpus_with_idle_tasks(void **state)
{
	task_id p;
	struct sim *s = with_idle_class("v5.10", 0x14, &p);

	(void)state;
	expect(s, "linux", p, 2, WF_TTWU, 3, RULE_idle_scan);
	sim_free(s);
	s = with_idle_class("v5.4", 0x14, &p);
	expect(s, "linux", p, 2, WF_TTWU, 5, RULE_idle_scan);
	s->domains[s->cpu_sd[2].llc].avg_scan_cost = 3999;
	expect(s, "linux", p, 2, WF_TTWU, 3, RULE_sched_idle_last);
	sim_free(s);
	/* The whole mask, and none idle: then not even that one. */
	s = with_idle_class("v5.4", 0xf7, &p);
	expect(s, "linux", p, 2, WF_TTWU, 2, RULE_prev_busy);
	sim_free(s);
}

static void recent_cpus(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(old); i++) {
		task_id p, waker;
		struct sim *s = scene_of(old[i], smp4, 0x4, 2, &p);

		s->tasks[p].recent_used_cpu = 1;
		expect(s, "linux", p, 2, WF_TTWU, 1, RULE_recent_idle);
		assert_int_equal(s->tasks[p].recent_used_cpu, 2);
		/* Not used, not changed; the waker notes where it is. */
		s->tasks[p].recent_used_cpu = 2;
		waker = s->rqs[2].curr;
		s->tasks[waker].recent_used_cpu = 0;
		expect(s, "linux", p, 2, WF_TTWU, 3, RULE_idle_scan);
		assert_int_equal(s->tasks[p].recent_used_cpu, 2);
		assert_int_equal(s->tasks[waker].recent_used_cpu, 2);
		sim_free(s);
	}

	task_id p;
	struct sim *s = scene_of("v6.1", smp4, 0x4, 2, &p);

	s->tasks[s->rqs[2].curr].recent_used_cpu = 0;
	s->tasks[p].recent_used_cpu = 0;
	s->tasks[p].cpu = 2;
	ask(s, "linux", p, 2, WF_TTWU);
	assert_int_equal(s->tasks[p].recent_used_cpu, 2);
	assert_int_equal(s->tasks[s->rqs[2].curr].recent_used_cpu, 0);
	sim_free(s);
}

/* Noted at every wake-up from v6.1 on, used or not. */
static void recent_cpu_that_is_busy(void **state)
{
	static const char *const profiles[] = { "v5.4", "v5.13", "v6.1" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		task_id p;
		struct sim *s = scene_of(profiles[i], smp4, 0x5, 2, &p);

		s->tasks[p].recent_used_cpu = 0;
		expect(s, "linux", p, 2, WF_TTWU, 3, RULE_idle_scan);
		assert_int_equal(s->tasks[p].recent_used_cpu, i == 2 ? 2 : 0);
		sim_free(s);
	}
}

static void kernel_threads_that_wake(void **state)
{
	static const char *const profiles[] = { "v5.4", "v5.10" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		task_id p;
		struct sim *s = scene_of(profiles[i], smp4, 0x4, 2, &p);

		s->tasks[s->rqs[2].curr].flags |= PF_KTHREAD;
		if (i)
			expect(s, "linux", p, 2, WF_TTWU, 2, RULE_kthread_prev);
		else
			expect(s, "linux", p, 2, WF_TTWU, 3, RULE_idle_scan);
		sim_free(s);
	}
}

/* Capped at 250 it does not fit 80 % of 312; from v6.1 on a cap below the CPU's size always fits. */
static void clamps_that_fit(void **state)
{
	static const struct {
		const char *profile;
		cpu_id cpu;
	} cases[] = { { "v5.10", 6 }, { "v5.13", 6 }, { "v6.1", 2 }, { "v6.12", 2 } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		task_id p;
		struct sim *s = scene_of(cases[i].profile, big_little, 0x02, 1, &p);

		s->g->tun.features |= FEAT_BIT(UCLAMP_USED);
		set_util(s, p, 300);
		s->tasks[p].uclamp_max = 250;
		expect(s, "linux-noeas", p, 1, WF_TTWU, cases[i].cpu, RULE_asym_fits);
		sim_free(s);
	}
}

/* Core, CPU, thread in turn; from v5.13 on the thread beside the previous CPU comes first. */
static void threads_in_turn(void **state)
{
	task_id p;
	struct sim *s = scene_of("v5.4", smt8, 0x01, 0, &p);

	(void)state;
	s->llcs[0].has_idle_cores = 1;
	expect(s, "linux", p, 0, WF_TTWU, 2, RULE_idle_core);
	s->llcs[0].has_idle_cores = 0;
	expect(s, "linux", p, 0, WF_TTWU, 1, RULE_idle_scan);
	sim_free(s);
	s = scene_of("v5.13", smt8, 0x01, 0, &p);
	s->llcs[0].has_idle_cores = 0;
	expect(s, "linux", p, 0, WF_TTWU, 1, RULE_smt_sibling);
	sim_free(s);

	/* No whole core: the hint goes, the scan finds 4's sibling. */
	s = scene_of("v5.10", smt8, 0x5f, 1, &p);
	s->llcs[0].has_idle_cores = 1;
	s->rqs[1].avg_idle = MS;
	expect(s, "linux", p, 1, WF_TTWU, 5, RULE_idle_scan);
	assert_int_equal(s->llcs[0].has_idle_cores, 0);
	sim_free(s);

	/* 1, 2 and 3 are all that the scan may look at; the thread beside the target is 0. */
	for (u32 i = 0; i < 2; i++) {
		s = scene_of(old[i], smt8, 0x0e, 1, &p);
		s->llcs[0].has_idle_cores = 0;
		s->rqs[1].avg_idle = MS;
		s->domains[s->cpu_sd[1].llc].avg_scan_cost = 3999;
		expect(s, "linux", p, 1, WF_TTWU, 0, RULE_smt_target);
		sim_free(s);
	}
}

/* wake_cap: 312 * 0.8 = 249.6. A task of 250 fits no little CPU and goes the slow way. */
static void too_large_for_one_of_both(void **state)
{
	task_id p;
	struct sim *s = scene_of("v5.4", big_little, 0x03, 1, &p);
	u32 rule;

	(void)state;
	forget_util(s);
	set_util(s, p, 249);
	expect(s, "linux-noeas", p, 1, WF_TTWU, 2, RULE_idle_scan);
	set_util(s, p, 250);
	expect(s, "linux-noeas", p, 1, WF_TTWU, 6, RULE_slow_wake);
	/* Both CPUs are big: it may be pulled. */
	s->tasks[p].cpu = 7;
	expect(s, "linux-noeas", p, 6, WF_TTWU, 7, RULE_prev_idle);
	/* The previous one is not. */
	s->tasks[p].cpu = 1;
	rule = ask(s, "linux-noeas", p, 6, WF_TTWU).rule;
	assert_true(rule == RULE_slow_wake || rule == RULE_slow_wake_stay);
	sim_free(s);
	/* Later releases look for a large idle CPU instead. */
	s = scene_of("v5.10", big_little, 0x03, 1, &p);
	set_util(s, p, 250);
	expect(s, "linux-noeas", p, 1, WF_TTWU, 6, RULE_asym_fits);
	sim_free(s);
}

/*
 * Slow path of v5.4 on single-CPU groups: a busy big CPU with 1024 - 500 to spare beats idle little
 * ones with 312, as 108 * 312 < 100 * 524. With 1024 - 690 it does not: 108 * 312 > 100 * 334.
 */
static void spare_capacity_decides(void **state)
{
	task_id p;
	struct sim *s = scene_of("v5.4", big_little, 0xc0, 1, &p);

	(void)state;
	forget_util(s);
	set_util(s, p, 300);
	for (cpu_id c = 0; c < 8; c++)
		s->rqs[c].cpu_capacity = s->rqs[c].cpu_capacity_orig;
	root_cfs(s, 6)->avg.util_avg = 500;
	root_cfs(s, 7)->avg.util_avg = 520;
	expect(s, "linux-noeas", p, 0, WF_TTWU, 6, RULE_slow_wake);
	root_cfs(s, 7)->avg.util_avg = 480;
	expect(s, "linux-noeas", p, 0, WF_TTWU, 7, RULE_slow_wake);
	root_cfs(s, 6)->avg.util_avg = root_cfs(s, 7)->avg.util_avg = 690;
	expect(s, "linux-noeas", p, 0, WF_TTWU, 0, RULE_slow_wake_stay);
	sim_free(s);
}

static void set_loads(struct sim *s, cpu_id cpu, u64 queued, u64 mean)
{
	root_cfs(s, cpu)->queued_load_avg = queued;
	root_cfs(s, cpu)->avg.load_avg = mean;
}

/*
 * A new task: 1024 * 17 / 100 = 174 of queued load is a difference, else 8 % of mean load. Seen from 0:
 * 1 is taken, 2 is less by more than 174, 3 is about as 2, and 100 * 800 > 108 * 700.
 */
static void loads_decide_for_a_new_task(void **state)
{
	task_id p;
	struct sim *s = scene_of("v5.4", smp4, 0xf, 0, &p);

	(void)state;
	for (cpu_id c = 0; c < 4; c++)
		s->rqs[c].cpu_capacity = 1024;
	set_loads(s, 0, 1000, 1000);
	set_loads(s, 1, 900, 900);
	set_loads(s, 2, 700, 800);
	set_loads(s, 3, 690, 700);
	expect(s, "linux", p, 0, WF_FORK, 3, RULE_slow_path);
	set_loads(s, 3, 690, 745); /* 108 * 745 > 80000 */
	expect(s, "linux", p, 0, WF_FORK, 2, RULE_slow_path);
	/* Here about as little (873 < 700 + 174), and 100 * 863 < 108 * 800: it stays. */
	set_loads(s, 0, 873, 863);
	expect(s, "linux", p, 0, WF_FORK, 0, RULE_slow_stay);
	set_loads(s, 0, 873, 864);
	expect(s, "linux", p, 0, WF_FORK, 2, RULE_slow_path);
	/* Nothing is clearly less than here. */
	set_loads(s, 0, 525, 9999);
	expect(s, "linux", p, 0, WF_FORK, 0, RULE_slow_stay);
	sim_free(s);
}

/* Three of four CPUs of the own node busy, the other node idle. */
static void nodes_of_a_new_task(void **state)
{
	task_id p;
	struct sim *s = scene_of("v5.10", nodes, 0x70, 5, &p);

	(void)state;
	/* A CPU of its own node is idle: it stays there. */
	expect(s, "linux", p, 5, WF_FORK, 7, RULE_slow_path);
	sim_free(s);
	/* Three running is not less than a quarter of eight. */
	s = scene_of("v5.13", nodes, 0x70, 5, &p);
	assert_true(ask(s, "linux", p, 5, WF_FORK).cpu < 4);
	sim_free(s);
	/* One is. */
	s = scene_of("v5.13", nodes, 0x20, 5, &p);
	assert_true(ask(s, "linux", p, 5, WF_FORK).cpu >= 4);
	sim_free(s);
}

/* Only 0 of the other node may be used, and it is busy; the rest there is idle. */
static void sums_of_allowed_cpus(void **state)
{
	static const char *const profiles[] = { "v6.1", "v6.6", "v6.12" };
	u64 words[1] = { 0xf1 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(profiles); i++) {
		task_id p;
		struct sim *s = scene_of(profiles[i], nodes, 0x71, 5, &p);

		world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS,
						   .serial = s->tasks[p].serial,
						   .words = words });
		world_run(s, 41 * MS);
		assert_int_equal(ask(s, "linux", p, 5, WF_FORK).cpu < 4, i == 1);
		sim_free(s);
	}
}

/* Queued load follows what is queued; what sleeps counts in the mean only. */
static void queued_load(void **state)
{
	task_id p;
	struct sim *s = scene_of("v5.4", smp4, 0x1, 2, &p);
	const struct cfs_rq *q = root_cfs(s, 2);

	(void)state;
	assert_int_equal(cpu_queued_load(s, 2), 0);
	assert_true(q->avg.load_avg > 0);
	/* A hog that has run for long: its weight. */
	world_run(s, 600 * MS);
	assert_true(cpu_queued_load(s, 0) >= 1020 && cpu_queued_load(s, 0) <= 1024);
	sim_free(s);
	s = scene_of("v5.10", smp4, 0x1, 2, &p);
	assert_int_equal(cpu_queued_load(s, 2), root_cfs(s, 2)->avg.load_avg);
	sim_free(s);
}

/* A group that has its whole weight queued passes all of it on, one that sleeps nothing. */
static void queued_load_of_groups(void **state)
{
	struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, "v5.4", 1);
	struct task_spec *spec;

	(void)state;
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = "/a", .b = 2048 });
	world_run(s, 1);
	spec = world_hog("a");
	strcpy(spec->group, "/a");
	world_spawn(s, spec);
	spec = world_periodic("b", 2 * MS, 20 * MS, 0);
	strcpy(spec->group, "/a");
	world_spawn(s, spec);
	for (u32 i = 1; i <= 50; i++) {
		world_run(s, i * 20 * MS);
		world_check(s);
		assert_true(root_cfs(s, 0)->queued_load_avg <= root_cfs(s, 0)->avg.load_avg + 2);
	}
	/* The hog is most of the group's load: most of 2048 is queued. */
	assert_true(cpu_queued_load(s, 0) > 1500 && cpu_queued_load(s, 0) <= 2050);
	sim_free(s);
}

/* ---- two workers on one CPU while others idle ---------------------------------------------- */

/* A worker that runs for 1 ms on @cpu, sleeps until 50 ms, and then has work for 10 ms. */
static u64 spawn_worker(struct sim *s, const char *name, cpu_id cpu)
{
	struct task_spec *spec = world_pin(task_spec_new(name), cpu, 8);

	world_step(spec, STEP_RUN, 0, NONE, MS, 0);
	world_step(spec, STEP_SLEEP, 0, NONE, 50 * MS - 1 * MS, 0);
	world_step(spec, STEP_RUN, 0, NONE, 10 * MS, 0);
	world_step(spec, STEP_SLEEP, 0, NONE, 100000 * MS, 0);
	return world_spawn(s, spec);
}

static void free_worker(struct sim *s, u64 serial)
{
	task_id p = sim_find_task(s, serial);

	s->tasks[p].cpus = 0;
	s->tasks[p].nr_cpus_allowed = 8;
	/* Not where it was forked: that one is idle. */
	s->tasks[p].recent_used_cpu = s->tasks[p].cpu;
}

/*
 * Two workers woken at one instant by timers of the CPUs that they last ran on, 2 and 4. CPU 2 has a
 * task meanwhile, as 3, 5 and 6 have; searches are known to take 4 us, so that three CPUs may be looked
 * at. Worker 1 sees 2, 3 and 4 and takes 4, where worker 2 ran last. Worker 2 sees 4, 5 and 6: none is
 * idle, and it is queued behind worker 1, with 0, 1 and 7 idle. There it waits: it does not preempt, an
 * idle CPU takes nothing from a group with time left, and a newly idle one there is none. v6.12 looks at
 * all of the cache.
 */
static void two_workers_on_one_cpu(void **state)
{
	static const struct {
		const char *profile;
		bool stacked;
	} cases[] = { { "v5.4", true }, { "v5.10", true }, { "v5.13", true }, { "v6.12", false } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = world_sim(smp8, cases[i].profile, 1);
		u64 one = spawn_worker(s, "worker 1", 2), two = spawn_worker(s, "worker 2", 4);
		u32 together = 0;

		world_run(s, 30 * MS);
		for (cpu_id c = 2; c < 7; c++)
			if (c != 4)
				world_spawn(s, world_pin(world_hog("hog"), c, 8));
		world_run(s, 49 * MS);
		free_worker(s, one);
		free_worker(s, two);
		for (cpu_id c = 0; c < 8; c++) {
			s->domains[s->cpu_sd[c].llc].avg_scan_cost = 3999;
			s->rqs[c].avg_idle = MS;
		}
		/* Both are awake from 50 ms on. One of them stands in a queue while CPUs are idle. */
		for (u64 t = 50; t < 58; t++) {
			task_id p = sim_find_task(s, one), q = sim_find_task(s, two);

			world_run(s, t * MS + MS / 2);
			together += s->tasks[p].on_rq && s->tasks[q].on_rq &&
				    s->tasks[p].cpu == s->tasks[q].cpu && idle_cpu(s, 0) &&
				    idle_cpu(s, 1) && idle_cpu(s, 7);
			world_check(s);
		}
		print_message("# %s: together %u ms\n", cases[i].profile, together);
		assert_int_equal(together >= 1, cases[i].stacked);
		assert_int_equal(s->stats->stacked >= 1, cases[i].stacked);
		assert_true(s->stats->scan_cut >= s->stats->stacked);
		sim_free(s);
	}
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
		for (u32 k = 0; k < 2 * ARRAY_SIZE(old); k++) {
			struct sim *s = world_sim(shapes[i], old[k / 2], i);

			world_use(s, SLOT_PLACE, k % 2 ? "linux-noeas" : "linux");
			s->g->tun.costs = 1;
			for (u32 t = 0; t < 3 * shapes[i].cpus && t < 60; t++)
				world_spawn(s, world_periodic("t", (t % 7 + 1) * MS,
							      16 * MS + t * MS, t * 300 * US));
			world_run(s, 300 * MS);
			world_check(s);
			sim_free(s);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_previous_cpu),
		cmocka_unit_test(a_scan_is_cut_short),
		cmocka_unit_test(idle_time_foreseen),
		cmocka_unit_test(cpus_with_idle_tasks),
		cmocka_unit_test(recent_cpus),
		cmocka_unit_test(recent_cpu_that_is_busy),
		cmocka_unit_test(kernel_threads_that_wake),
		cmocka_unit_test(clamps_that_fit),
		cmocka_unit_test(threads_in_turn),
		cmocka_unit_test(too_large_for_one_of_both),
		cmocka_unit_test(spare_capacity_decides),
		cmocka_unit_test(loads_decide_for_a_new_task),
		cmocka_unit_test(nodes_of_a_new_task),
		cmocka_unit_test(sums_of_allowed_cpus),
		cmocka_unit_test(queued_load),
		cmocka_unit_test(queued_load_of_groups),
		cmocka_unit_test(two_workers_on_one_cpu),
		cmocka_unit_test(answers_are_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
