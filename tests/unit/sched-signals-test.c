/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched-signals-test.c - clocks, groups, estimates and utilisation in a machine of two CPUs.
 *
 * The numbers to the last digit are checked by tests/vectors; here stand the laws behind them and
 * the differences between kernel releases that feature bits make.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/policy/sugov.h"
#include "engine/policy/util_est_rule.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/fair.h"
#include "engine/sched/features.h"
#include "engine/sched/group.h"
#include "engine/sched/load.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/pelt.h"
#include "engine/workload/workload.h"

extern const struct sched_policy pick_fifo, governor_performance;

#define MS 1000000ull
#define CPUS 2u

static struct sim *world(void)
{
	static const struct machine_desc counts = { .nr_cpus = CPUS,
						    .nr_core_types = 1,
						    .nr_opps = 1,
						    .nr_freq_domains = 1,
						    .nr_nodes = 1 };
	struct machine_desc *m = machine_desc_new(&counts);
	struct err err = { 0 };

	assert_non_null(m);
	m->nr_cores = m->nr_clusters = CPUS;
	m->nr_llcs = m->nr_packages = 1;
	snprintf(m->name, sizeof(m->name), "two");
	snprintf(m->core_types[0].name, sizeof(m->core_types[0].name), "core");
	m->core_types[0].smt = 1;
	m->core_types[0].smt_throughput_pct[0] = 100;
	m->opps[0] = (struct machine_opp){ .khz = 1000000, .capacity = 1024 };
	m->freq_domains[0] = (struct machine_freq_domain){ .nr_opps = 1, .fast_switch = true };
	m->distance[0] = 10;
	for (u32 i = 0; i < CPUS; i++)
		m->cpus[i] = (struct machine_cpu){ .capacity = 1024, .core = i, .cluster = i };

	struct sim_config cfg = { .machine = m };
	struct sim *s = sim_new(&cfg, &err);

	machine_free(m);
	if (!s || sim_room(s, NONE, 16, &err))
		fail_msg("%s", err.msg);
	s->pick = pick_fifo.ops;
	s->policy[SLOT_PICK] = &pick_fifo;
	s->policy[SLOT_GOVERNOR] = &governor_performance;
	s->uest = util_est_runnable.ops;
	return s;
}

static task_id add_task(struct sim *s, u32 tg, cpu_id cpu)
{
	task_id p = arena_alloc(&s->arena, POOL_TASK);

	s->tasks[p] = (struct task){ .id = p,
				     .state = TASK_SLEEPING,
				     .cpu = cpu,
				     .tg = tg,
				     .uclamp_max = 1024,
				     .list_prev = NONE,
				     .list_next = NONE,
				     .hist = NONE };
	s->task_se[p] = (struct sched_entity){ .parent = NONE, .my_q = NONE };
	set_task_rq(s, p, cpu);
	set_load_weight(&s->task_se[p], 0, false);
	init_entity_runnable_average(s, p);
	return p;
}

static struct rq *at(struct sim *s, cpu_id cpu, u64 now)
{
	s->g->now = now;
	update_rq_clock(s, rq_get(s, cpu));
	return rq_get(s, cpu);
}

static void wake(struct sim *s, task_id p, u64 now)
{
	enqueue_task_fair(s, at(s, s->tasks[p].cpu, now), p, ENQUEUE_WAKEUP);
}

static void run(struct sim *s, task_id p, u64 now)
{
	struct rq *rq = at(s, s->tasks[p].cpu, now);

	set_next_task_fair(s, rq, p);
	rq->curr = p;
}

static void block(struct sim *s, task_id p, u64 now)
{
	struct rq *rq = at(s, s->tasks[p].cpu, now);

	dequeue_task_fair(s, rq, p, DEQUEUE_SLEEP);
	put_prev_task_fair(s, rq, p);
	update_idle_rq_clock_pelt(s, rq);
	rq->curr = NONE;
}

/* 4 ms of work in 16 ms on a fast CPU, 8 ms on one half as fast: the same utilisation. */
static void utilisation_does_not_depend_on_speed(void **state)
{
	u64 util[CPUS];

	(void)state;
	for (u32 half = 0; half < 2; half++) {
		struct sim *s = world();
		task_id p = add_task(s, 0, 0);

		rq_get(s, 0)->freq_scale = half ? 512 : 1024;
		for (u64 i = 1; i < 60; i++) {
			wake(s, p, i * 16 * MS);
			run(s, p, i * 16 * MS);
			block(s, p, i * 16 * MS + (half ? 8 : 4) * MS);
		}
		util[half] = s->task_se[p].avg.util_avg;
		assert_int_equal(rq_get(s, 0)->lost_idle_time, 0);
		/* An idle CPU has caught up. */
		assert_int_equal(rq_get(s, 0)->clock_pelt, rq_get(s, 0)->clock_task);
		sim_free(s);
	}
	assert_in_range(util[0], 256, 330);
	assert_true(llabs((long long)util[0] - (long long)util[1]) <= 8);
}

/* A slow CPU that was never idle: what it is behind is written off, not counted as idle. */
static void saturated_cpu_loses_time(void **state)
{
	struct sim *s = world();
	task_id p = add_task(s, 0, 0);
	struct rq *rq = rq_get(s, 0);

	(void)state;
	rq->freq_scale = 512;
	wake(s, p, 16 * MS);
	run(s, p, 16 * MS);
	for (u64 t = 20; t < 2000; t += 4)
		task_tick_fair(s, at(s, 0, t * MS), p);
	assert_true(rq_saturated(s, rq));
	block(s, p, 2000 * MS);
	assert_true(rq->lost_idle_time > 980 * MS);
	assert_int_equal(rq->clock_pelt, rq->clock_task);
	/* Its averages did not decay at all on going idle. */
	update_load_avg(s, root_cfs(s, 0), p, 0);
	assert_true(s->task_se[p].avg.util_avg >= 1022);
	sim_free(s);
}

static void half_life_by_clock_shift(void **state)
{
	struct sim *s = world();
	task_id p = add_task(s, 0, 0);

	(void)state;
	s->g->tun.pelt_shift = 2; /* 8 ms */
	wake(s, p, 10 * MS);
	run(s, p, 10 * MS);
	task_tick_fair(s, at(s, 0, 10 * MS + 8388608), p);
	assert_in_range(s->task_se[p].avg.util_avg, 500, 520);
	sim_free(s);
}

/* ---- groups --------------------------------------------------------------------------------- */

/* Children directly before their parent, whatever the order of joining. */
static void check_list(struct sim *s, cpu_id cpu)
{
	const struct rq *rq = rq_get(s, cpu);
	cfs_id prev = NONE;

	for_each_leaf_cfs_rq(s, rq, id, next)
	{
		const struct cfs_rq *q = cfs_get(s, id);

		assert_true(q->on_list && q->cpu == cpu && q->leaf_prev == prev);
		prev = id;
		if (q->tg == ROOT_TG)
			continue;
		/* The parent comes later on the list. */
		cfs_id up = tg_cfs_id(s, s->groups[q->tg].parent, cpu);
		bool later = false;

		for (cfs_id k = q->leaf_next; k != NONE; k = cfs_get(s, k)->leaf_next)
			later |= k == up;
		assert_true(later || !cfs_get(s, up)->on_list);
	}
	assert_int_equal(rq->leaf_tail, prev);
}

static void list_has_children_first(void **state)
{
	struct sim *s = world();
	u32 tg[8];
	u64 seed = 7;

	(void)state;
	for (u32 i = 0; i < 8; i++)
		tg[i] = group_new(s, i < 2 ? ROOT_TG : tg[(i - 2) / 2], NICE_0_LOAD, 0);
	check_list(s, 0);
	check_list(s, 1);
	/* In the order of enqueue: from a queue up to the root. */
	for (int k = 0; k < 3000; k++) {
		seed = seed * 6364136223846793005ull + 1;

		u32 g = tg[seed >> 40 & 7];

		if (seed >> 50 & 1) {
			for (u32 t = g;; t = s->groups[t].parent) {
				list_add_leaf_cfs_rq(s, tg_cfs(s, t, 0));
				if (t == ROOT_TG)
					break;
			}
		} else {
			/* Only one without children on the list may leave. */
			bool child = false;

			for (u32 i = 0; i < 8; i++)
				child |= s->groups[tg[i]].parent == g &&
					 tg_cfs(s, tg[i], 0)->on_list;
			if (!child)
				list_del_leaf_cfs_rq(s, tg_cfs(s, g, 0));
		}
		check_list(s, 0);
	}
	sim_free(s);
}

/* Idle long enough, everything decays and every group queue leaves the list. */
static void empty_groups_leave_the_list(void **state)
{
	struct sim *s = world();
	u32 tg = group_new(s, group_new(s, ROOT_TG, NICE_0_LOAD, 0), NICE_0_LOAD, 0);
	task_id p = add_task(s, tg, 0);

	(void)state;
	wake(s, p, 10 * MS);
	run(s, p, 10 * MS);
	task_tick_fair(s, at(s, 0, 50 * MS), p);
	block(s, p, 90 * MS);
	rq_get(s, 0)->has_blocked_load = 1;
	s->g->now = 100 * MS;
	assert_int_equal(update_blocked_averages(s, 0), 3);
	assert_int_equal(rq_get(s, 0)->has_blocked_load, 1);
	for (u64 t = 200; t < 4000; t += 100) {
		s->g->now = t * MS;
		update_blocked_averages(s, 0);
		check_list(s, 0);
	}
	assert_int_equal(rq_get(s, 0)->has_blocked_load, 0);
	assert_int_equal(tg_cfs(s, tg, 0)->on_list, 0);
	assert_int_equal(s->groups[tg].load_avg, 0);
	sim_free(s);
}

/* A group's weight is divided by where its load is. */
static void weight_follows_load(void **state)
{
	(void)state;
	/* Alone on one CPU: all shares. With an equal part elsewhere: half. */
	assert_int_equal(calc_group_shares(NICE_0_LOAD, 0, 0, NICE_0_LOAD, 0), NICE_0_LOAD);
	assert_int_equal(calc_group_shares(NICE_0_LOAD, 2048, 1024, NICE_0_LOAD, 1024),
			 NICE_0_LOAD / 2);
	assert_int_equal(calc_group_shares(NICE_0_LOAD, 1ull << 40, 0, 0, 0), MIN_SHARES);
}

static void emptied_group_by_release(void **state)
{
	(void)state;
	for (u32 keep = 0; keep < 2; keep++) {
		struct sim *s = world();
		u32 tg = group_new(s, ROOT_TG, 2 * NICE_0_LOAD, 0);
		task_id p = add_task(s, tg, 0);
		u64 weight;

		if (!keep)
			s->g->tun.features &= ~FEAT_BIT(GROUP_KEEP_WEIGHT);
		s->task_se[p].avg.load_avg = 0;
		wake(s, p, 10 * MS);
		run(s, p, 10 * MS);
		weight = s->group_se[tg_cfs_id(s, tg, 0)].load.weight;
		assert_int_equal(weight, 2 * NICE_0_LOAD);
		block(s, p, 10 * MS + 1000);
		if (keep)
			assert_int_equal(s->group_se[tg_cfs_id(s, tg, 0)].load.weight, weight);
		else
			assert_int_equal(s->group_se[tg_cfs_id(s, tg, 0)].load.weight, MIN_SHARES);
		sim_free(s);
	}
}

static void new_task_by_release(void **state)
{
	u64 util[2];

	(void)state;
	for (u32 scaled = 0; scaled < 2; scaled++) {
		struct sim *s = world();
		task_id p = add_task(s, 0, 0);

		if (!scaled)
			s->g->tun.features &= ~FEAT_BIT(FORK_UTIL_SCALED);
		root_cfs(s, 0)->avg.util_avg = 100;
		root_cfs(s, 0)->avg.load_avg = 2047;
		post_init_entity_util_avg(s, p);
		util[scaled] = s->task_se[p].avg.util_avg;
		sim_free(s);
	}
	assert_int_equal(util[1], 100 * 1024 / 2048);
	assert_int_equal(util[0], (1024 - 100) / 2); /* at the cap */
}

static void shares_have_limits(void **state)
{
	struct sim *s = world();
	u32 tg = group_new(s, ROOT_TG, NICE_0_LOAD, 0);

	(void)state;
	assert_int_equal(group_set_shares(s, ROOT_TG, NICE_0_LOAD), -1);
	assert_int_equal(group_set_shares(s, tg, 1), -1);
	assert_int_equal(group_set_shares(s, tg, MAX_SHARES + 1), -1);
	assert_int_equal(group_set_shares(s, tg, MAX_SHARES), 0);
	assert_int_equal(s->groups[tg].shares, MAX_SHARES);
	sim_free(s);
}

/* ---- estimates ------------------------------------------------------------------------------ */

static u32 after_sleep(struct sim *s, const struct sched_policy *rule, u32 est, u64 util,
		       u64 runnable, bool full)
{
	task_id p = 0;
	struct sched_avg *a = &s->task_se[p].avg;

	s->uest = rule->ops;
	a->util_est = est;
	a->util_est_ewma = s->uest->pair ? est : 0;
	a->util_avg = util;
	a->runnable_avg = runnable;
	root_cfs(s, 0)->avg.util_sum = full ? PELT_FULL_UTIL_SUM : 0;
	util_est_update(s, p);
	return s->uest->stored(a);
}

static void rules_of_the_estimate(void **state)
{
	static const struct {
		u32 est;
		u64 util, runnable;
		bool full;
		u32 runnable_rule, idle_aware, revert, v5_4;
	} t[] = {
		{ 300, 500, 500, false, 500, 500, 500, 500 }, /* up at once */
		{ 300, 291, 291, false, 300, 300, 300, 300 }, /* within the margin */
		{ 300, 200, 200, false, 275, 275, 275, 275 }, /* a quarter down */
		{ 300, 200, 211, false, 300, 275, 275, 275 }, /* waited, but there was idle time */
		{ 300, 200, 200, true, 275, 300, 275, 275 }, /* no idle time, but never waited */
		{ 300, 200, 210, true, 275, 300, 275, 275 },
		{ 300, 200, 400, true, 300, 300, 275, 275 },
		{ 1500, 1100, 1100, false, 1500, 1500, 1500, 1500 }, /* more than the CPU has */
	};
	struct sim *s = world();

	(void)state;
	assert_int_equal(add_task(s, 0, 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
#define AFTER(rule) after_sleep(s, &rule, t[i].est, t[i].util, t[i].runnable, t[i].full)
		assert_int_equal(AFTER(util_est_runnable), t[i].runnable_rule);
		assert_int_equal(AFTER(util_est_idle_aware), t[i].idle_aware);
		assert_int_equal(AFTER(util_est_revert), t[i].revert);
		assert_int_equal(AFTER(util_est_v5_4), t[i].v5_4);
#undef AFTER
	}
	/* A sample already seen changes nothing. */
	assert_int_equal(after_sleep(s, &util_est_revert, 300 | UTIL_AVG_UNCHANGED, 10, 10, false),
			 300);
	sim_free(s);
}

static void rules_hand_over(void **state)
{
	struct sim *s = world();
	task_id p = add_task(s, 0, 0);
	struct sched_avg *a = &s->task_se[p].avg;

	(void)state;
	a->util_est = 100 | UTIL_AVG_UNCHANGED;
	a->util_est_ewma = 250;
	util_est_adopt_one(s, p, true);
	assert_int_equal(a->util_est, 250 | UTIL_AVG_UNCHANGED);
	assert_int_equal(a->util_est_ewma, 0);
	s->uest = util_est_v5_4.ops;
	s->uest->adopt(s, p, false);
	assert_int_equal(a->util_est, 250 | UTIL_AVG_UNCHANGED);
	assert_int_equal(a->util_est_ewma, 250);
	sim_free(s);
}

static void utilisation_of_a_cpu(void **state)
{
	struct sim *s = world();
	task_id p = add_task(s, 0, 0);
	struct sched_avg *q = &root_cfs(s, 0)->avg, *r = &root_cfs(s, 1)->avg;
	struct sched_avg *a = &s->task_se[p].avg;

	(void)state;
	q->util_avg = 400;
	q->runnable_avg = 600;
	q->util_est = 300;
	r->util_avg = 50;
	a->util_avg = 150;
	a->runnable_avg = 250;
	a->util_est = 280;
	s->tasks[p].on_rq = 0;

	assert_int_equal(cpu_util_cfs(s, 0), 400);
	assert_int_equal(cpu_util_cfs_boost(s, 0), 600);
	assert_int_equal(cpu_util(s, 0, p, 0, false), 580); /* stays: the estimate joins */
	assert_int_equal(cpu_util(s, 0, p, NONE, false), 300); /* estimates of others */
	assert_int_equal(cpu_util(s, 0, p, 1, true), 350); /* runnable without it */
	assert_int_equal(cpu_util(s, 1, p, 1, false), 280);
	assert_int_equal(cpu_util(s, 1, p, 0, false), 50);
	s->tasks[p].on_rq = 1; /* now its part is in the sum */
	assert_int_equal(cpu_util(s, 0, p, NONE, false), 250);
	s->rqs[1].cpu_capacity_orig = 200;
	assert_int_equal(cpu_util(s, 1, p, 1, false), 200);
	s->g->tun.features &= ~FEAT_BIT(UTIL_BOOST);
	assert_int_equal(cpu_util_cfs_boost(s, 0), 400);
	s->g->tun.features &= ~FEAT_BIT(UTIL_EST);
	assert_int_equal(cpu_util(s, 0, p, 0, false), 400);
	sim_free(s);
}

/* Interrupts take their share first; a full CPU asks for all. */
static void utilisation_over_all_classes(void **state)
{
	struct sim *s = world();
	struct rq *rq = rq_get(s, 0);
	u64 min, max;

	(void)state;
	rq->avg_irq.util_avg = 256;
	rq->avg_rt.util_avg = 100;
	assert_int_equal(effective_cpu_util(s, 0, 300, &min, &max), 400 * 768 / 1024 + 256);
	assert_int_equal(min, 256);
	assert_int_equal(max, 1024);
	assert_int_equal(effective_cpu_util_v6_1(s, 0, 300, true), 400 * 768 / 1024 + 256);
	assert_int_equal(effective_cpu_util(s, 0, 924, NULL, NULL), 1024);
	rq->avg_irq.util_avg = 1024;
	assert_int_equal(effective_cpu_util(s, 0, 0, &min, &max), 1024);
	assert_int_equal(min, 1024);
	sim_free(s);
}

static void load_seen_from_the_root(void **state)
{
	struct sim *s = world();
	u32 tg = group_new(s, ROOT_TG, NICE_0_LOAD, 0);
	task_id p = add_task(s, tg, 0), r = add_task(s, ROOT_TG, 0);
	struct cfs_rq *gq = tg_cfs(s, tg, 0);

	(void)state;
	s->task_se[p].avg.load_avg = 512;
	s->task_se[r].avg.load_avg = 333;
	gq->avg.load_avg = 1023;
	root_cfs(s, 0)->avg.load_avg = 999;
	s->group_se[tg_cfs_id(s, tg, 0)].avg.load_avg = 600;
	/* h of the group's queue = 999 * 600 / 1000. */
	assert_int_equal(task_h_load(s, p), 512 * 599 / 1024);
	assert_int_equal(task_h_load(s, r), 333 * 999 / 1000);
	/* Once per jiffy. */
	s->group_se[tg_cfs_id(s, tg, 0)].avg.load_avg = 300;
	assert_int_equal(task_h_load(s, p), 512 * 599 / 1024);
	s->g->now += 4 * MS;
	assert_int_equal(task_h_load(s, p), 512 * 299 / 1024);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utilisation_does_not_depend_on_speed),
		cmocka_unit_test(saturated_cpu_loses_time),
		cmocka_unit_test(half_life_by_clock_shift),
		cmocka_unit_test(list_has_children_first),
		cmocka_unit_test(empty_groups_leave_the_list),
		cmocka_unit_test(weight_follows_load),
		cmocka_unit_test(emptied_group_by_release),
		cmocka_unit_test(new_task_by_release),
		cmocka_unit_test(shares_have_limits),
		cmocka_unit_test(rules_of_the_estimate),
		cmocka_unit_test(rules_hand_over),
		cmocka_unit_test(utilisation_of_a_cpu),
		cmocka_unit_test(utilisation_over_all_classes),
		cmocka_unit_test(load_seen_from_the_root),
	};

	return cmocka_run_group_tests_name("sched-signals", tests, NULL, NULL);
}
