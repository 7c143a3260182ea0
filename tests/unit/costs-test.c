/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * costs-test.c - the scheduler's own work takes time, is charged, and stands in nobody's way.
 */
#include "tests/sim-world.h"

#include "engine/sched/costs.h"

static const struct shape one = { 1, 0, 1, 1, false }, nodes = { 8, 0, 4, 1, false };

static void set_cost(struct sim *s, const char *name, u64 v)
{
	world_input(s, (struct sim_input){
			       .kind = INPUT_TUNABLE, .a = sim_tunable_index(name), .b = (s64)v });
}

/* Only @name costs something. */
static struct sim *only(struct shape shape, const char *name, u64 ns)
{
	struct sim *s = world_sim(shape, NULL, 1);

	set_cost(s, "costs", 1);
	for (u32 i = 0; i < NR_COSTS; i++)
		set_cost(s, cost_descs[i].name, 0);
	set_cost(s, name, ns);
	return s;
}

static void a_switch_is_paid_by_its_cpu(void **state)
{
	struct sim *s = only(one, "cost_switch_ns", 10 * US);
	struct cpu_stats st;

	(void)state;
	world_spawn(s, world_periodic("a", MS, 10 * MS, 0));
	world_run(s, 99 * MS);
	st = sim_cpu_stats_now(s, 0);
	/* Ten activations, each a switch to the task and one to idle. */
	assert_int_equal(st.kernel_ns, 20 * 10 * US);
	assert_int_equal(st.busy_ns, 10 * MS + 20 * 10 * US);
	assert_int_equal(s->stats->path_ns[PATH_SWITCH], 20 * 10 * US);
	/* A task waits for the switch to it. */
	assert_int_equal(s->lat_groups[0].hist.s.min, 10 * US);
	assert_int_equal(s->lat_groups[0].hist.s.max, 10 * US);
	sim_free(s);
}

static void slow_cpus_pay_longer(void **state)
{
	struct shape shape = { 2, 1, 1, 1, false };
	struct sim *s = only(shape, "cost_tick_ns", 10 * US);

	(void)state;
	world_spawn(s, world_pin(world_hog("little"), 0, 2));
	world_spawn(s, world_pin(world_hog("big"), 1, 2));
	world_run(s, 1001 * MS);
	/* 250 ticks; the little core has 312 of 1024. */
	assert_int_equal(sim_cpu_stats_now(s, 1).kernel_ns, 250 * 10 * US);
	assert_in_range(sim_cpu_stats_now(s, 0).kernel_ns, 250 * 32820ull, 250 * 32822ull);
	sim_free(s);
}

static void off_is_off(void **state)
{
	struct sim *s = world_sim(one, NULL, 1);

	(void)state;
	world_spawn(s, world_periodic("a", MS, 10 * MS, 0));
	world_run(s, 99 * MS);
	assert_int_equal(sim_cpu_stats_now(s, 0).kernel_ns, 0);
	assert_int_equal(sim_cpu_stats_now(s, 0).busy_ns, 10 * MS);
	sim_free(s);
}

/*
 * Tasks that wake each other while the other's CPU searches for work: the wake-up arrives between
 * leaving the queue and the switch. Nobody is lost, no CPU stays in the kernel.
 */
static void wakeups_during_a_search(void **state)
{
	struct sim *s = world_sim(nodes, NULL, 1);

	(void)state;
	set_cost(s, "costs", 1);
	set_cost(s, "cost_newidle_ns", 50 * US);
	for (u32 i = 0; i < 4; i++) {
		char ping[16], pong[16];
		struct task_spec *a = task_spec_new("a"), *b = task_spec_new("b");

		snprintf(ping, sizeof(ping), "ping%u", i);
		snprintf(pong, sizeof(pong), "pong%u", i);
		world_open(a, STEP_LOOP, 0);
		world_step(a, STEP_RUN, STEP_F_UNIFORM, NONE, 10 * US, 60 * US);
		world_step(a, STEP_SEM_POST, 0, world_obj(a, ping, SYNC_SEM, false), 0, 0);
		world_step(a, STEP_SEM_WAIT, 0, world_obj(a, pong, SYNC_SEM, false), 0, 0);
		world_close(a);
		world_open(b, STEP_LOOP, 0);
		world_step(b, STEP_SEM_WAIT, 0, world_obj(b, ping, SYNC_SEM, false), 0, 0);
		world_step(b, STEP_RUN, STEP_F_UNIFORM, NONE, 10 * US, 60 * US);
		world_step(b, STEP_SEM_POST, 0, world_obj(b, pong, SYNC_SEM, false), 0, 0);
		world_close(b);
		world_spawn(s, a);
		world_spawn(s, b);
	}
	for (u32 i = 1; i <= 200; i++) {
		u64 before = s->stats->wakeups;

		world_run(s, i * 10 * MS);
		world_check(s);
		/* Four pairs, a message every some 200 us each. */
		if (s->stats->wakeups - before < 100)
			fail_msg("at %u0 ms: %llu wake-ups in 10 ms", i,
				 (unsigned long long)(s->stats->wakeups - before));
	}
	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		struct cpu_stats st = sim_cpu_stats_now(s, c);

		if (st.kernel_ns * 10 > (2000 * MS) * 9)
			fail_msg("CPU %u never left the kernel", c);
	}
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_switch_is_paid_by_its_cpu),
		cmocka_unit_test(slow_cpus_pay_longer),
		cmocka_unit_test(off_is_off),
		cmocka_unit_test(wakeups_during_a_search),
	};

	return cmocka_run_group_tests_name("what the scheduler's work costs", tests, NULL, NULL);
}
