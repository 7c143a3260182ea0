/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newidle-test.c - the search of a CPU that ran out of work: conditions, the walk over blocked load,
 * giving up, locks. Times and jiffies by hand: HZ 250, so a jiffy is 4 ms, full speed, 8 CPUs.
 */
#include "tests/sim-world.h"

#include "engine/policy/newidle_pass.h"
#include "engine/sched/costs.h"
#include "engine/hw/cpufreq.h"
#include "engine/sched/core.h"
#include "engine/sched/exec.h"
#include "engine/sched/features.h"
#include "engine/sched/pass.h"

static const struct shape eight = { 8, 0, 1, 1, false };

/* Costs of a pass: 5 us, 1 us a CPU, 10 us for blocked averages; nothing else costs. */
static struct sim *world(const char *policy)
{
	struct sim *s = world_sim(eight, "v5.4", 1);

	s->g->tun.costs = 1;
	for (u32 i = 0; i < NR_COSTS; i++)
		s->g->tun.cost[i] = 0;
	s->g->tun.cost[COST_newidle] = 5 * US;
	s->g->tun.cost[COST_newidle_cpu] = 1 * US;
	s->g->tun.cost[COST_blocked] = 10 * US;
	world_use(s, SLOT_NEWIDLE, policy);
	world_run(s, 40 * MS);
	s->g->overloaded = 1;
	return s;
}

/* CPU 0, idle, searches, and what is due during @ns happens. */
static void search(struct sim *s, u64 ns)
{
	struct rq *rq = &s->rqs[0];
	ktime_ns end = s->g->now + ns;

	rq->searching = NEWIDLE_GOES_ON;
	if (pass_begin(s, rq, PASS_SCHEDULE, PASS_NEWIDLE, 0))
		rq->searching = NEWIDLE_NO;
	cpu_run(s, rq);
	while (sim_next_event(s) <= end) {
		sim_step(s);
		world_check(s);
	}
	world_run(s, end);
}

static u64 took(const struct sim *s)
{
	assert_int_equal(s->khists[KHIST_NEWIDLE].hist.s.count, 1);
	return s->khists[KHIST_NEWIDLE].hist.s.max;
}

static void a_walk_pays_for_each_cpu(void **state)
{
	struct sim *s = world("v5.4");

	(void)state;
	search(s, MS);
	/* Own 5 + 10; CPU 0 again 1, already done; seven others 1 + 10 each. */
	assert_int_equal(took(s), (15 + 1 + 7 * 11) * US);
	assert_int_equal(s->stats->newidle_blocked, 7);
	assert_int_equal(s->stats->newidle_aborted, 0);
	/* Each has nothing left: the next walk finds no CPU to update. */
	for (cpu_id c = 1; c < 8; c++)
		assert_int_equal(s->rqs[c].has_blocked_load, 0);
	sim_free(s);
}

static void queues_with_load_cost_more(void **state)
{
	struct sim *s = world_sim(eight, "v5.4", 1);
	struct err err = { 0 };

	(void)state;
	(void)err;
	s->g->tun.costs = 1;
	for (u32 i = 0; i < NR_COSTS; i++)
		s->g->tun.cost[i] = 0;
	s->g->tun.cost[COST_blocked] = 10 * US;
	s->g->tun.cost[COST_blocked_queue] = 3 * US;
	assert_int_equal(cost_of_blocked(s, 0, 0), 10 * US); /* no queue on the list */
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = "/a", .b = 1024 });
	world_run(s, MS);

	u64 serial = world_spawn(s, world_pin(world_hog("in"), 2, 8));

	world_input(s, (struct sim_input){ .kind = INPUT_SET_GROUP, .serial = serial, .a = 1 });
	world_run(s, 20 * MS);
	/* Root and group. */
	assert_int_equal(cost_of_blocked(s, 2, 2), (10 + 2 * 3) * US);
	/* Another CPU's also costs its lines: 6, and 3 for each queue. */
	s->machine->comm_ns.llc = 100;
	assert_int_equal(cost_of_blocked(s, 0, 2), (10 + 2 * 3) * US + (6 + 2 * 3) * 100);
	s->g->tun.costs = 0;
	assert_int_equal(cost_of_blocked(s, 0, 2), 0);
	sim_free(s);
}

static void v5_13_leaves_others_alone(void **state)
{
	struct sim *s = world("v5.13");

	(void)state;
	search(s, MS);
	assert_int_equal(took(s), (15 + 8) * US);
	assert_int_equal(s->stats->newidle_blocked, 0);
	sim_free(s);
}

static void none_makes_no_pass(void **state)
{
	struct sim *s = world("none");

	(void)state;
	search(s, MS);
	assert_int_equal(s->khists[KHIST_NEWIDLE].hist.s.count, 0);
	assert_int_equal(s->stats->newidle_count, 0);
	sim_free(s);
}

/* A timer of CPU 0 that is due in the middle: CPU 3 is being visited then. */
static void wake_after(struct sim *s, u64 ns)
{
	struct task_spec *spec = world_pin(world_hog("late"), 0, 8);

	spec->delay = ns;
	world_spawn(s, spec);
	sim_apply_inputs(s);
}

static void early_abort_stops_between_two_cpus(void **state)
{
	struct sim *s = world("early-abort");

	(void)state;
	wake_after(s, 40 * US);
	search(s, MS);
	/* 15 own, then CPU by CPU: 1, 11, 11, 11. */
	assert_int_equal(took(s), 49 * US);
	assert_int_equal(s->stats->newidle_blocked, 3);
	assert_int_equal(s->stats->newidle_aborted, 1);
	/* It waited until interrupts opened, and no longer. */
	assert_int_equal(s->rqs[0].curr, sim_find_task_by_name(s, "late"));
	sim_free(s);
}

static void v5_4_does_not_look(void **state)
{
	struct sim *s = world("v5.4");

	(void)state;
	wake_after(s, 40 * US);
	search(s, 92 * US);
	assert_int_equal(s->rqs[0].curr, NONE);
	world_run(s, s->g->now + US);
	assert_int_equal(s->rqs[0].curr, sim_find_task_by_name(s, "late"));
	assert_int_equal(took(s), 93 * US);
	assert_int_equal(s->stats->newidle_aborted, 0);
	sim_free(s);
}

static void a_policy_change_ends_the_pass(void **state)
{
	struct sim *s = world("v5.4");

	(void)state;
	search(s, 30 * US);
	world_use(s, SLOT_NEWIDLE, "v5.13");
	world_run(s, s->g->now + MS);
	world_check(s);
	/* CPU 2's update was under way; the rest is read only: 27 + 11 + 5. */
	assert_int_equal(took(s), 43 * US);
	assert_int_equal(s->stats->newidle_blocked, 2);
	sim_free(s);
}

static void once_a_tick_or_less(void **state)
{
	struct sim *s = world("v5.4");
	struct rq *b = &s->rqs[3];
	bool left = false;

	(void)state;
	/* Now is jiffy 10. */
	b->has_blocked_load = 1;
	b->nohz_tick_stopped = 1;
	b->last_blocked_load_update_tick = 9;
	assert_true(nohz_stats_due(s, 3, 0, &left));
	assert_false(left);
	b->last_blocked_load_update_tick = 10;
	assert_false(nohz_stats_due(s, 3, 0, &left));
	assert_true(left); /* taken to have some */
	/* 50 ms are 12 jiffies: after jiffy 12 of a last time 0. */
	left = false;
	b->last_blocked_load_update_tick = 0;
	world_run(s, 12 * 4 * MS);
	assert_false(nohz_stats_due(s, 3, 50 * 250 / 1000, &left));
	assert_true(left);
	world_run(s, 13 * 4 * MS);
	assert_true(nohz_stats_due(s, 3, 50 * 250 / 1000, &left));
	/* Nothing to do: no load, or its own tick does it. */
	left = false;
	b->nohz_tick_stopped = 0;
	assert_false(nohz_stats_due(s, 3, 0, &left));
	b->nohz_tick_stopped = 1;
	b->has_blocked_load = 0;
	assert_false(nohz_stats_due(s, 3, 0, &left));
	assert_false(left);
	sim_free(s);
}

static void ratelimit_is_a_parameter(void **state)
{
	struct sim *s = world("ratelimit");

	(void)state;
	/* Jiffy 10; last times are 0: 50 ms have not passed. */
	search(s, MS);
	assert_int_equal(s->stats->newidle_blocked, 0);
	world_input(s, (struct sim_input){ .kind = INPUT_SET_PARAM, .a = SLOT_NEWIDLE, .c = 36 });
	world_run(s, s->g->now + 1);
	s->g->overloaded = 1;
	/* 36 ms are 9 jiffies. */
	search(s, MS);
	assert_int_equal(s->stats->newidle_blocked, 7);
	sim_free(s);
}

static void when_a_search_is_begun(void **state)
{
	struct sim *s = world("v5.4");
	struct rq *rq = &s->rqs[0];

	(void)state;
	rq->avg_idle = 500000;
	assert_true(newidle_worth_it(s, 0));
	rq->avg_idle = 499999;
	assert_false(newidle_worth_it(s, 0));
	s->g->tun.features |= FEAT_BIT(NEWIDLE_MEASURED);
	s->domains[s->cpu_sd[0].sd].max_newidle_lb_cost = 20000;
	rq->avg_idle = 20000;
	assert_true(newidle_worth_it(s, 0));
	rq->avg_idle = 19999;
	assert_false(newidle_worth_it(s, 0));
	rq->avg_idle = 500000;
	s->g->overloaded = 0;
	assert_false(newidle_worth_it(s, 0));
	sim_free(s);
}

static void a_lock_is_waited_for(void **state)
{
	struct sim *s = world("v5.4");
	struct rq *me = &s->rqs[0], *he = &s->rqs[2], *target = &s->rqs[1];
	u64 now = s->g->now;

	(void)state;
	s->machine->comm_ns.llc = 50;
	/* Free: its line comes. */
	assert_int_equal(rq_lock_wait(s, me, target, 1000), 50);
	assert_int_equal(target->lock_free_at, now + 1050);
	/* Held: until it is free, and the line. */
	assert_int_equal(rq_lock_wait(s, he, target, 1000), 1050 + 50);
	assert_int_equal(target->lock_free_at, now + 2100);
	assert_int_equal(s->stats->remote_locks, 2);
	assert_int_equal(s->stats->remote_lock_ns, 50 + 1100);
	/* Its owner waits for the holder, but not for itself. */
	assert_int_equal(rq_lock_wait(s, target, target, 0), 2100);
	assert_int_equal(rq_lock_wait(s, target, target, 0), 0);
	/* At half speed the same wait is half the work, and a hold lasts twice as long. */
	target = &s->rqs[3];
	me->speed = 1u << 19;
	assert_int_equal(rq_lock_wait(s, me, target, 1000), 25);
	assert_int_equal(target->lock_free_at, now + 50 + 2000);
	s->g->tun.costs = 0;
	assert_int_equal(rq_lock_wait(s, he, target, 1000), 0);
	sim_free(s);
}

/* Costs that are all 0, and no costs: the same course of events. */
static void no_cost_is_no_cost(void **state)
{
	struct sim *s[2];

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		s[i] = world_sim(eight, "v5.4", 1);
		s[i]->g->tun.costs = i;
		for (u32 c = 0; c < NR_COSTS; c++)
			s[i]->g->tun.cost[c] = 0;
		for (u32 t = 0; t < 14; t++) {
			char name[16];

			snprintf(name, sizeof(name), "t%u", t);
			world_spawn(s[i], world_periodic(name, (t + 1) * 700 * US,
							 (3 + t % 5) * 3 * MS, t * 100 * US));
		}
		world_run(s[i], 500 * MS);
	}
	assert_true(s[0]->stats->newidle_count > 10);
	assert_int_equal(s[0]->stats->newidle_count, s[1]->stats->newidle_count);
	assert_int_equal(s[0]->stats->newidle_blocked, s[1]->stats->newidle_blocked);
	assert_int_equal(s[0]->stats->newidle_pulled, s[1]->stats->newidle_pulled);
	assert_int_equal(s[0]->stats->balance_pulled, s[1]->stats->balance_pulled);
	assert_int_equal(s[0]->stats->switches, s[1]->stats->switches);
	assert_int_equal(s[0]->stats->migrations, s[1]->stats->migrations);
	assert_memory_equal(&s[0]->lat_groups[0].hist, &s[1]->lat_groups[0].hist,
			    sizeof(s[0]->lat_groups[0].hist));
	sim_free(s[0]);
	sim_free(s[1]);
}

static void ignore(void *ctx, const struct trace_rec *rec)
{
	(void)ctx;
	(void)rec;
}

/* In the middle of a pass, too. */
static void a_trace_changes_nothing(void **state)
{
	struct sim *s[2];
	u32 seen = 0;

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		s[i] = world_sim(eight, "v5.4", 1);
		s[i]->g->tun.costs = 1;
		for (u32 t = 0; t < 12; t++)
			world_spawn(s[i], world_periodic("t", (t + 1) * 700 * US,
							 (3 + t % 5) * 3 * MS, t * 100 * US));
	}
	trace_add_probe(&s[1]->trace, &(struct trace_probe){ TRACE_ALL, ignore, NULL });
	for (u32 i = 0; i < 4000; i++) {
		sim_step(s[0]);
		sim_step(s[1]);
		if (sim_digest(s[0]) != sim_digest(s[1]))
			fail_msg("event %u: another digest", i);
		for (cpu_id c = 0; c < 8; c++)
			seen += pass_shows(&s[1]->rqs[c]);
	}
	assert_true(seen > 10);
	sim_free(s[0]);
	sim_free(s[1]);
}

/* The thread of a slow domain takes time on its first CPU, and a search follows it. */
static void the_governors_thread_runs_first(void **state)
{
	struct shape slow = { 4, 0, 1, 1, true };
	struct sim *s = world_sim(slow, "v5.4", 1);

	(void)state;
	world_use(s, SLOT_GOVERNOR, "userspace");
	world_run(s, MS);
	s->g->tun.costs = 1;
	for (u32 i = 0; i < NR_COSTS; i++)
		s->g->tun.cost[i] = 0;
	s->g->tun.cost[COST_freq_thread] = 10 * US;
	cpufreq_request(s, 0, 2000000);
	assert_int_equal(s->fds[0].thread_woken, 1);
	assert_false(idle_cpu(s, 0));
	cpu_run(s, &s->rqs[0]);
	world_check(s);
	/* A third of full speed: 30 us for the thread, then 100 us for the hardware. */
	world_run(s, MS + 29 * US);
	assert_int_equal(s->fds[0].thread_woken, 1);
	assert_false(idle_cpu(s, 0));
	world_run(s, MS + 31 * US);
	assert_int_equal(s->fds[0].thread_woken, 0);
	assert_true(idle_cpu(s, 0));
	assert_int_equal(s->fds[0].cur_khz, 666666);
	world_run(s, MS + 132 * US);
	assert_true(s->fds[0].cur_khz > 1900000);
	world_check(s);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_pays_for_each_cpu),
		cmocka_unit_test(queues_with_load_cost_more),
		cmocka_unit_test(v5_13_leaves_others_alone),
		cmocka_unit_test(none_makes_no_pass),
		cmocka_unit_test(early_abort_stops_between_two_cpus),
		cmocka_unit_test(v5_4_does_not_look),
		cmocka_unit_test(a_policy_change_ends_the_pass),
		cmocka_unit_test(once_a_tick_or_less),
		cmocka_unit_test(ratelimit_is_a_parameter),
		cmocka_unit_test(when_a_search_is_begun),
		cmocka_unit_test(a_lock_is_waited_for),
		cmocka_unit_test(no_cost_is_no_cost),
		cmocka_unit_test(the_governors_thread_runs_first),
		cmocka_unit_test(a_trace_changes_nothing),
	};

	return cmocka_run_group_tests_name("a CPU out of work", tests, NULL, NULL);
}
