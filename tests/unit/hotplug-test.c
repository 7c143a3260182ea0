/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hotplug-test.c - CPUs that go offline and come back: what runs, sleeps, waits for a timer or is idle
 * there, the domains, and what a policy that takes the wrong record makes of it.
 */
#include "tests/sim-world.h"

#include "engine/base/cpumask.h"
#include "engine/sched/core.h"
#include "engine/sched/costs.h"
#include "engine/sched/domain.h"
#include "engine/sched/hotplug.h"

static void set_online(struct sim *s, cpu_id cpu, bool online)
{
	world_input(s, (struct sim_input){ .kind = INPUT_CPU_ONLINE, .a = cpu, .b = online });
	assert_int_equal(sim_apply_inputs(s), 0);
	world_check(s);
}

static struct task *task_of(struct sim *s, u64 serial)
{
	return &s->tasks[sim_find_task(s, serial)];
}

/* Hogs keep their work, and share what is left. */
static void tasks_leave_and_return(void **state)
{
	struct sim *s = world_sim((struct shape){ 4, 0, 1, 1, false }, NULL, 1);
	u64 serial[4];

	(void)state;
	for (u32 i = 0; i < 4; i++)
		serial[i] = world_spawn(s, world_hog("hog"));
	world_run(s, 100 * MS);
	set_online(s, 2, false);
	assert_int_equal(s->g->nr_online, 3);
	assert_int_equal(s->rqs[2].curr, NONE);
	for (u32 i = 0; i < 4; i++)
		assert_int_not_equal(task_of(s, serial[i])->cpu, 2);
	world_run(s, 200 * MS);
	assert_int_equal(sim_cpu_stats_now(s, 2).busy_ns / MS, 100);
	set_online(s, 2, true);
	assert_true(idle_cpu(s, 2));
	world_run(s, 400 * MS);
	/* Balancing finds it again. */
	assert_false(idle_cpu(s, 2));
	world_check(s);
	sim_free(s);
}

/* A CPU of the same node first, in the order of numbers. */
static void the_same_node_first(void **state)
{
	struct sim *s = world_sim((struct shape){ 8, 0, 2, 1, false }, NULL, 1);
	u64 serial, cpus = 0x82 | 0x20, far = 0x82;

	(void)state;
	serial = world_spawn(s, world_hog("hog"));
	world_run(s, 5 * MS);
	world_input(s, (struct sim_input){ .kind = INPUT_MIGRATE, .serial = serial, .a = 7 });
	world_run(s, 10 * MS);
	assert_int_equal(task_of(s, serial)->cpu, 7);
	world_input(s,
		    (struct sim_input){ .kind = INPUT_SET_CPUS, .serial = serial, .words = &cpus });
	world_run(s, 11 * MS);
	set_online(s, 7, false);
	assert_int_equal(task_of(s, serial)->cpu, 5);
	/* Without one there: any that it may use. */
	set_online(s, 7, true);
	world_input(s, (struct sim_input){ .kind = INPUT_MIGRATE, .serial = serial, .a = 7 });
	world_run(s, 20 * MS);
	world_input(s,
		    (struct sim_input){ .kind = INPUT_SET_CPUS, .serial = serial, .words = &far });
	world_run(s, 21 * MS);
	set_online(s, 7, false);
	assert_int_equal(task_of(s, serial)->cpu, 1);
	assert_int_equal(s->stats->affinity_broken, 0);
	sim_free(s);
}

/* Bound to the CPU alone: it may use all from then on, also when the CPU comes back. */
static void affinity_breaks_for_good(void **state)
{
	struct sim *s = world_sim((struct shape){ 4, 0, 1, 1, false }, NULL, 1);
	u64 hog, sleeper;

	(void)state;
	hog = world_spawn(s, world_pin(world_hog("hog"), 3, 4));
	sleeper = world_spawn(s, world_pin(world_periodic("t", MS, 50 * MS, 0), 3, 4));
	world_run(s, 120 * MS);
	set_online(s, 3, false);
	assert_int_equal(s->stats->affinity_broken, 1);
	assert_int_equal(task_of(s, hog)->nr_cpus_allowed, 4);
	/* A sleeping one keeps it until it wakes. */
	assert_int_equal(task_of(s, sleeper)->nr_cpus_allowed, 1);
	world_run(s, 160 * MS);
	assert_int_equal(s->stats->affinity_broken, 2);
	assert_int_equal(task_of(s, sleeper)->nr_cpus_allowed, 4);
	set_online(s, 3, true);
	assert_int_equal(task_of(s, hog)->nr_cpus_allowed, 4);
	sim_free(s);
}

/* Timers fire where the first housekeeping CPU is. */
static void timers_move(void **state)
{
	struct sim *s = world_sim((struct shape){ 4, 0, 1, 1, false }, NULL, 1);
	u64 serial, hk = 0x4;

	(void)state;
	serial = world_spawn(s, world_pin(world_periodic("t", MS, 50 * MS, 0), 3, 4));
	world_run(s, 20 * MS);
	assert_int_equal(task_of(s, serial)->wake_cpu, 3);
	world_input(s, (struct sim_input){ .kind = INPUT_HOUSEKEEPING, .words = &hk });
	set_online(s, 3, false);
	assert_int_equal(task_of(s, serial)->wake_cpu, 2);
	assert_int_equal(housekeeping_cpu(s), 2);
	set_online(s, 2, false);
	/* Nobody keeps house any more: the first there is. */
	assert_int_equal(task_of(s, serial)->wake_cpu, 0);
	world_run(s, 200 * MS);
	assert_true(sim_task_stats_now(s, sim_find_task(s, serial)).wakeups >= 3);
	sim_free(s);
}

static void the_last_one_stays(void **state)
{
	struct sim *s = world_sim((struct shape){ 2, 0, 1, 1, false }, NULL, 1);
	struct sim_input in = { .kind = INPUT_CPU_ONLINE, .a = 1 };
	struct err err = { 0 };

	(void)state;
	world_input(s, in);
	/* In the same breath, before the first has been applied. */
	in.a = 0;
	assert_int_equal(sim_input(s, &in, NULL, &err), -1);
	assert_non_null(strstr(err.msg, "last one online"));
	assert_int_equal(sim_apply_inputs(s), 0);
	err = (struct err){ 0 };
	assert_int_equal(sim_input(s, &in, NULL, &err), -1);
	in.a = 2;
	err = (struct err){ 0 };
	assert_int_equal(sim_input(s, &in, NULL, &err), -1);
	/* Off twice is off. */
	set_online(s, 1, false);
	assert_int_equal(s->g->nr_online, 1);
	sim_free(s);
}

/* Domains, capacities, energy: as on a machine that never had the CPU. */
static void domains_follow(void **state)
{
	struct sim *s = world_sim((struct shape){ 8, 6, 1, 1, true }, NULL, 1);

	(void)state;
	world_run(s, 10 * MS);
	assert_int_equal(s->g->asym_capacity, 1);
	assert_int_equal(s->domains[s->cpu_sd[0].sd].span_weight, 8);
	set_online(s, 6, false);
	assert_int_equal(s->g->asym_capacity, 1);
	assert_int_equal(s->fds[1].nr_cpus, 1);
	set_online(s, 7, false);
	/* Little CPUs only: nothing is asymmetric, and a frequency domain has no CPU. */
	assert_int_equal(s->g->asym_capacity, 0);
	assert_int_equal(s->fds[1].nr_cpus, 0);
	assert_int_equal(s->cpu_sd[0].asym, NONE);
	assert_int_equal(s->cpu_sd[7].sd, NONE);
	assert_int_equal(s->domains[s->cpu_sd[0].sd].span_weight, 6);
	assert_int_equal(arena_len(&s->arena, POOL_PERF_DOMAIN), 1);
	world_spawn(s, world_hog("hog"));
	world_run(s, 100 * MS);
	world_check(s);
	set_online(s, 7, true);
	assert_int_equal(s->g->asym_capacity, 1);
	world_run(s, 1500 * MS);
	assert_false(idle_cpu(s, 7));
	sim_free(s);
}

/* What deadline tasks were promised must stay possible. */
static void reservations_keep_their_cpus(void **state)
{
	struct sim *s = world_sim((struct shape){ 2, 0, 1, 1, false }, NULL, 1);
	struct sim_input in = { .kind = INPUT_CPU_ONLINE, .a = 1 };
	struct err err = { 0 };
	u64 serial[2];

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct task_spec *spec = world_periodic("dl", 2 * MS, 10 * MS, 0);

		spec->policy = SCHED_DEADLINE;
		spec->dl = (struct dl_params){ 6 * MS, 10 * MS, 10 * MS };
		serial[i] = world_spawn(s, spec);
	}
	world_run(s, 50 * MS);
	/* 120 % of a CPU, of which one gives 95. */
	assert_int_equal(sim_input(s, &in, NULL, &err), -1);
	assert_non_null(strstr(err.msg, "CPU 1 is needed"));
	world_input(s, (struct sim_input){ .kind = INPUT_KILL, .serial = serial[0] });
	world_run(s, 100 * MS);
	set_online(s, 1, false);
	world_run(s, 200 * MS);
	assert_int_equal(task_of(s, serial[1])->cpu, 0);
	assert_int_equal(s->stats->dl_throttled, 0);
	sim_free(s);
}

/* A group whose CPUs are all offline has those around it, until they are back. */
static void groups_get_their_cpus_back(void **state)
{
	struct sim *s = world_sim((struct shape){ 4, 0, 1, 1, false }, NULL, 1);
	struct task_spec *spec = world_hog("hog");
	u64 words = 0x8, serial;

	(void)state;
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = "/g", .b = 1024 });
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_CPUS, .a = 1, .words = &words });
	snprintf(spec->group, sizeof(spec->group), "/g");
	serial = world_spawn(s, spec);
	world_run(s, 20 * MS);
	assert_int_equal(task_of(s, serial)->cpu, 3);
	set_online(s, 3, false);
	assert_int_not_equal(task_of(s, serial)->cpu, 3);
	/* It did not ask for CPU 3 itself, so nothing of its own was broken. */
	assert_int_equal(s->stats->affinity_broken, 0);
	world_run(s, 40 * MS);
	set_online(s, 3, true);
	world_run(s, 41 * MS);
	assert_int_equal(task_of(s, serial)->cpu, 3);
	sim_free(s);
}

/* The other thread of a core has it to itself. */
static void siblings_get_the_core(void **state)
{
	struct sim *s = world_sim((struct shape){ 4, 0, 1, 2, false }, NULL, 1);
	u64 serial;

	(void)state;
	serial = world_spawn(s, world_pin(world_hog("hog"), 0, 4));
	world_spawn(s, world_pin(world_hog("other"), 1, 4));
	world_run(s, 10 * MS);
	assert_true(s->rqs[0].speed < 1u << 20);
	set_online(s, 1, false);
	/* The other hog may go anywhere now: not beside this one if it can help it. */
	assert_int_equal(s->topo[0].core_busy, 1);
	assert_int_equal(s->rqs[0].speed, 1u << 20);
	(void)serial;
	sim_free(s);
}

/* While costs are on: in the middle of a switch, a search, a tick, a round. */
static void in_the_middle_of_anything(void **state)
{
	struct sim *s = world_sim((struct shape){ 8, 0, 2, 2, true }, "v5.4", 5);
	u32 in_section = 0;

	(void)state;
	s->g->tun.costs = 1;
	for (u32 c = 0; c < NR_COSTS; c++)
		s->g->tun.cost[c] = cost_descs[c].ns * 20;
	for (u32 i = 0; i < 14; i++)
		world_spawn(s, world_periodic("t", (i % 4 + 1) * 500 * US, (3 + i) * MS, i * US));
	for (u32 i = 0; i < 600; i++) {
		cpu_id cpu = i * 5 % 8;

		sim_run_until(s, s->g->now + 10 * MS, 37);
		in_section += s->rqs[cpu].mode == CPU_SECTION;
		if (s->g->nr_online > 2 || s->rqs[cpu].mode == CPU_OFFLINE)
			set_online(s, cpu, s->rqs[cpu].mode == CPU_OFFLINE);
	}
	assert_true(in_section > 20);
	sim_free(s);
}

/* One CPU is enough, and the run goes on as before when the others are back. */
static void down_to_one(void **state)
{
	struct sim *s = world_sim((struct shape){ 16, 0, 4, 1, false }, NULL, 1);
	u64 serial[6];

	(void)state;
	for (u32 i = 0; i < 6; i++)
		serial[i] = world_spawn(s, world_hog("hog"));
	world_run(s, 50 * MS);
	for (cpu_id c = 0; c < 15; c++)
		set_online(s, c, false);
	assert_int_equal(s->g->nr_online, 1);
	assert_int_equal(s->rqs[15].nr_running, 6);
	world_run(s, 100 * MS);
	for (cpu_id c = 0; c < 15; c++)
		set_online(s, c, true);
	world_run(s, 3000 * MS);
	for (u32 i = 0; i < 6; i++)
		assert_int_equal(s->rqs[task_of(s, serial[i])->cpu].nr_running, 1);
	world_check(s);
	sim_free(s);
}

/* Taken offline from another node, the posted patch changes that node's record. */
static void posted_takes_the_wrong_record(void **state)
{
	struct sim *s = world_sim((struct shape){ 8, 0, 2, 1, false }, NULL, 1);
	struct err err = { 0 };

	(void)state;
	world_use(s, SLOT_NOHZ, "per-node-posted");
	world_spawn(s, world_pin(world_hog("hog"), 0, 8));
	world_run(s, 50 * MS);
	/* By itself, on its own node: right. */
	set_online(s, 6, false);
	set_online(s, 6, true);
	world_input(s,
		    (struct sim_input){ .kind = INPUT_SET_PARAM, .a = SLOT_NOHZ, .b = 0, .c = 1 });
	world_input(s, (struct sim_input){ .kind = INPUT_CPU_ONLINE, .a = 6 });
	assert_int_equal(sim_apply_inputs(s), 0);
	assert_int_equal(sim_check(s, &err), -1);
	assert_non_null(strstr(err.msg, "per-node-posted"));
	assert_int_equal(s->nohz[0].nr_cpus, 2); /* CPUs 1-3 are idle */
	assert_int_equal(s->nohz[1].nr_cpus, 4); /* with CPU 6, which is not there */
	/* It goes on, wrong, until the policy is swapped: then the records are made anew. */
	world_run(s, 100 * MS);
	assert_int_equal(sim_check(s, &err), -1);
	world_use(s, SLOT_NOHZ, "per-node");
	assert_int_equal(sim_apply_inputs(s), 0);
	world_check(s);
	set_online(s, 5, false);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_leave_and_return),
		cmocka_unit_test(the_same_node_first),
		cmocka_unit_test(affinity_breaks_for_good),
		cmocka_unit_test(timers_move),
		cmocka_unit_test(the_last_one_stays),
		cmocka_unit_test(domains_follow),
		cmocka_unit_test(reservations_keep_their_cpus),
		cmocka_unit_test(groups_get_their_cpus_back),
		cmocka_unit_test(siblings_get_the_core),
		cmocka_unit_test(in_the_middle_of_anything),
		cmocka_unit_test(down_to_one),
		cmocka_unit_test(posted_takes_the_wrong_record),
	};

	return cmocka_run_group_tests_name("CPUs off and on", tests, NULL, NULL);
}
