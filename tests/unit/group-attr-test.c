/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * group-attr-test.c - what a group does to its tasks beside bandwidth: clamps, idleness, CPUs. The
 * expectations follow from the rules: intersections of sets, minima of clamps, 3 against 1024.
 */
#include "tests/sim-world.h"

#include "engine/sched/domain.h"

#define FOUR_CPUS ((struct shape){ 4, 0, 1, 1, false })

static void set_clamps(struct sim *s, u32 tg, s64 min, s64 max)
{
	world_input(s,
		    (struct sim_input){ .kind = INPUT_GROUP_UCLAMP, .a = tg, .b = min, .c = max });
	assert_int_equal(sim_apply_inputs(s), 0);
	world_check(s);
}

static void assert_clamps(const struct sim *s, u64 serial, u32 min, u32 max)
{
	const struct task *t = world_task(s, serial);

	assert_int_equal(t->uclamp_min, min);
	assert_int_equal(t->uclamp_max, max);
	/* It is alone on its CPU, which therefore has the same. */
	assert_int_equal(s->rqs[t->cpu].uclamp_min, min);
	assert_int_equal(s->rqs[t->cpu].uclamp_max, max);
}

static void a_group_restricts_clamps(void **state)
{
	struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, true }, "v6.12", 1);
	u32 outer = world_group(s, "/o", 0), inner = world_group(s, "/o/i", outer);
	u64 hog = world_spawn_in(s, world_hog("hog"), "/o/i");

	(void)state;
	world_run_checked(s, MS);
	set_clamps(s, inner, 0, 512);
	assert_clamps(s, hog, 0, 512);
	set_clamps(s, outer, 0, 300); /* the group around it is stricter */
	assert_clamps(s, hog, 0, 300);
	set_clamps(s, outer, 0, 800);
	assert_clamps(s, hog, 0, 512);
	set_clamps(s, inner, 200, 512); /* a promise */
	assert_clamps(s, hog, 0, 512); /* that the group around it does not make */
	set_clamps(s, outer, 100, 800);
	assert_clamps(s, hog, 100, 512);
	set_clamps(s, outer, 900, 150); /* nor is more promised than allowed */
	assert_clamps(s, hog, 150, 150);
	set_clamps(s, outer, 0, 1024);
	set_clamps(s, inner, 0, 700);
	/* What the task itself asks for counts within that, and comes back with it. */
	world_input(s, (struct sim_input){
			       .kind = INPUT_SET_UCLAMP, .serial = hog, .a = 600, .b = 1024 });
	world_run_checked(s, 2 * MS);
	assert_clamps(s, hog, 600, 700);
	set_clamps(s, inner, 0, 400);
	assert_clamps(s, hog, 400, 400);
	world_input(s, (struct sim_input){ .kind = INPUT_SET_GROUP, .serial = hog, .a = 0 });
	world_run_checked(s, 3 * MS);
	assert_clamps(s, hog, 600, 1024);
	world_input(s, (struct sim_input){ .kind = INPUT_SET_GROUP, .serial = hog, .a = inner });
	world_run_checked(s, 4 * MS);
	assert_clamps(s, hog, 400, 400);
	sim_free(s);
}

static void an_idle_group_gets_what_is_left(void **state)
{
	(void)state;
	for (u32 i = 0; i < nr_kernel_profiles; i++) {
		struct sim *s =
			world_sim((struct shape){ 1, 0, 1, 1, false }, kernel_profiles[i].name, 1);
		u32 bg = world_group(s, "/bg", 0);
		u64 light, before;

		world_group(s, "/fg", 0);
		world_input(s, (struct sim_input){ .kind = INPUT_GROUP_IDLE, .a = bg, .b = 1 });
		world_spawn_in(s, world_hog("b1"), "/bg");
		world_spawn_in(s, world_hog("b2"), "/bg");
		world_run_checked(s, 10 * MS);
		assert_true(sched_idle_cpu(s, 0));
		assert_int_equal(s->groups[bg].shares, 3 << 10);
		/* Somebody else wakes every 5 ms for 1 ms: at once before those of the idle group. */
		light = world_spawn_in(s, world_periodic("light", MS, 5 * MS, 0), "/fg");

		world_run_checked(s, 100 * MS);
		/* With v6.6 it preempts too, but runs only when it is eligible: once it has to wait. */
		assert_in_range(s->task_stats[sim_find_task(s, light)].wait_ns, 0,
				strcmp(kernel_profiles[i].name, "v6.6") ? 0 : 4 * MS);
		/* Against a hog: 3 parts of 1027, so less than 1 %. */
		world_spawn_in(s, world_hog("f"), "/fg");
		before = sim_group_exec_now(s, bg);
		world_run_checked(s, 4100 * MS);
		assert_in_range(sim_group_exec_now(s, bg) - before, 0, 40 * MS);
		/*
		 * An ordinary group again: half of the CPU, after what it had in advance with its
		 * small weight is paid back (v6.6: a slice times 1024 / 3).
		 */
		world_input(s, (struct sim_input){ .kind = INPUT_GROUP_IDLE, .a = bg, .b = 0 });
		world_run_checked(s, 5100 * MS);
		before = sim_group_exec_now(s, bg);
		world_run_checked(s, 9100 * MS);
		assert_int_equal(s->groups[bg].shares, 1024 << 10);
		assert_in_range(sim_group_exec_now(s, bg) - before, 1900 * MS, 2100 * MS);
		sim_free(s);
	}
}

static void set_cpus(struct sim *s, u32 tg, u64 mask)
{
	world_input(s, (struct sim_input){
			       .kind = INPUT_GROUP_CPUS, .a = tg, .words = mask ? &mask : NULL });
	assert_int_equal(sim_apply_inputs(s), 0);
}

static void tasks_stay_within_their_group(void **state)
{
	struct sim *s = world_sim(FOUR_CPUS, "v6.12", 1);
	u32 outer = world_group(s, "/o", 0), inner = world_group(s, "/o/i", outer);
	u64 hog = world_spawn_in(s, world_hog("hog"), "/o/i");
	u64 own = world_spawn_in(s, world_pin(world_hog("own"), 1, 4), "/o/i");
	u64 one = 2;

	(void)state;
	world_run_checked(s, MS);
	assert_int_equal(world_cpus_of(s, hog), 0xf);
	assert_int_equal(world_cpus_of(s, own), 0x2);
	set_cpus(s, inner, 0x6);
	assert_int_equal(world_cpus_of(s, hog), 0x6);
	assert_int_equal(world_cpus_of(s, own), 0x2);
	/* Nothing in common: the group's CPUs, until there is something again. */
	set_cpus(s, inner, 0xc);
	world_run_checked(s, 2 * MS);
	assert_int_equal(world_cpus_of(s, own), 0xc);
	assert_in_range(world_task(s, own)->cpu, 2, 3);
	assert_in_range(world_task(s, hog)->cpu, 2, 3);
	set_cpus(s, inner, 0xa);
	world_run_checked(s, 3 * MS);
	assert_int_equal(world_cpus_of(s, own), 0x2);
	assert_int_equal(world_task(s, own)->cpu, 1);
	assert_int_equal(world_cpus_of(s, hog), 0xa);
	/* The group around it counts too; one that leaves nothing is ignored. */
	set_cpus(s, outer, 0x9);
	world_run_checked(s, 4 * MS);
	assert_int_equal(world_cpus_of(s, hog), 0x8);
	assert_int_equal(world_task(s, hog)->cpu, 3);
	set_cpus(s, outer, 0x5);
	world_run_checked(s, 5 * MS);
	assert_int_equal(world_cpus_of(s, hog), 0x5);
	set_cpus(s, outer, 0);
	set_cpus(s, inner, 0);
	assert_int_equal(world_cpus_of(s, hog), 0xf);
	assert_int_equal(world_cpus_of(s, own), 0x2);
	/* An affinity that is set within a group; a group entered with an affinity. */
	set_cpus(s, inner, 0xe);
	world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS, .serial = hog, .words = &one });
	world_run_checked(s, 6 * MS);
	assert_int_equal(world_cpus_of(s, hog), 0x2);
	world_input(s, (struct sim_input){ .kind = INPUT_SET_GROUP, .serial = hog, .a = 0 });
	set_cpus(s, inner, 0x1);
	world_run_checked(s, 7 * MS);
	assert_int_equal(world_cpus_of(s, hog), 0x2);
	world_input(s, (struct sim_input){ .kind = INPUT_SET_GROUP, .serial = hog, .a = inner });
	world_run_checked(s, 8 * MS);
	assert_int_equal(world_cpus_of(s, hog), 0x1);
	assert_int_equal(world_task(s, hog)->cpu, 0);
	sim_free(s);
}

static void sleepers_and_newcomers_obey(void **state)
{
	struct sim *s = world_sim(FOUR_CPUS, "v6.12", 1);
	u32 g = world_group(s, "/g", 0);
	u64 light = world_spawn_in(s, world_periodic("light", MS, 10 * MS, 0), "/g");
	struct task_spec *parent = task_spec_new("parent"), *child = world_hog("child");
	u64 late;

	(void)state;
	world_run_checked(s, 5 * MS);
	assert_int_equal(world_task(s, light)->state, TASK_SLEEPING);
	set_cpus(s, g, 1u << ((world_task(s, light)->cpu + 1) % 4));

	cpu_id only = (world_task(s, light)->cpu + 1) % 4;

	world_run_checked(s, 10 * MS + US);
	assert_int_equal(world_task(s, light)->cpu, only);
	/* Born into the group, by a spawn and by a fork. */
	parent->forks = calloc(1, sizeof(*parent->forks));
	parent->forks[parent->nr_forks++] = child;
	snprintf(child->group, sizeof(child->group), "/g");
	world_step(parent, STEP_FORK, 0, NONE, 0, 0);
	world_step(parent, STEP_SLEEP, 0, NONE, 3600 * NSEC_PER_SEC, 0);
	world_spawn_in(s, parent, "/");
	late = world_spawn_in(s, world_hog("late"), "/g");
	world_run_checked(s, 12 * MS);
	assert_int_equal(world_task(s, late)->cpu, only);
	assert_int_equal(s->tasks[sim_find_task_by_name(s, "child")].cpu, only);
	sim_free(s);
}

static void bad_values_are_refused(void **state)
{
	static const u64 none, beyond = 0x10;
	const struct sim_input bad[] = {
		{ .kind = INPUT_GROUP_UCLAMP, .a = 0, .b = 0, .c = 1024 },
		{ .kind = INPUT_GROUP_UCLAMP, .a = 1, .b = -1, .c = 1024 },
		{ .kind = INPUT_GROUP_UCLAMP, .a = 1, .b = 0, .c = 1025 },
		{ .kind = INPUT_GROUP_IDLE, .a = 0, .b = 1 },
		{ .kind = INPUT_GROUP_IDLE, .a = 1, .b = 2 },
		{ .kind = INPUT_GROUP_CPUS, .a = 0 },
		{ .kind = INPUT_GROUP_CPUS, .a = 1, .words = &none },
		{ .kind = INPUT_GROUP_CPUS, .a = 1, .words = &beyond },
		{ .kind = INPUT_GROUP_SHARES, .a = 1, .b = 1024 }, /* it is idle */
	};
	struct sim *s = world_sim(FOUR_CPUS, "v6.12", 1);

	(void)state;
	world_group(s, "/g", 0);
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_IDLE, .a = 1, .b = 1 });
	world_run_checked(s, MS);
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
		cmocka_unit_test(a_group_restricts_clamps),
		cmocka_unit_test(an_idle_group_gets_what_is_left),
		cmocka_unit_test(tasks_stay_within_their_group),
		cmocka_unit_test(sleepers_and_newcomers_obey),
		cmocka_unit_test(bad_values_are_refused),
	};

	return cmocka_run_group_tests_name("clamps, idleness and CPUs of groups", tests, NULL,
					   NULL);
}
