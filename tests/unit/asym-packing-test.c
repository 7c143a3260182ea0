/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asym-packing-test.c - asymmetric packing: which CPU of a group is preferred, that work moves to the
 * preferred CPUs by every release's balancing, and that none does while it is off.
 */
#include "tests/sim-world.h"

#include "engine/policy/nohz.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"

static const struct shape smp4 = { 4, 0, 1, 1, false }, smp8 = { 8, 0, 1, 1, false },
			  smt8 = { 8, 0, 1, 2, false }, big_little = { 8, 6, 1, 1, true },
			  nodes = { 8, 0, 2, 1, false };

static struct sim *packed(const char *profile, struct shape sh, s64 how)
{
	struct sim *s = world_sim(sh, profile, 1);

	world_use(s, SLOT_PLACE, "prev");
	world_input(s, (struct sim_input){ .kind = INPUT_TUNABLE,
					   .a = sim_tunable_index("asym_packing"),
					   .b = how });
	world_run(s, 1);
	return s;
}

static void who_is_preferred(void **state)
{
	struct sim *s = packed(NULL, nodes, 1);
	u32 mc = s->cpu_sd[5].sd, numa = s->domains[mc].parent;

	(void)state;
	assert_true(s->domains[mc].flags & SD_ASYM_PACKING);
	assert_false(s->domains[numa].flags & SD_ASYM_PACKING);
	assert_true(sched_asym(s, mc, 4, 5));
	assert_false(sched_asym(s, mc, 5, 4));
	assert_false(sched_asym(s, numa, 0, 5));
	for_each_group(s, numa, sg) assert_int_equal(
		s->sgroups[sg].asym_prefer_cpu, cpumask_first(sg_span(s, sg), s->g->mask_words));
	/* Off again: nothing is left of it. */
	world_input(s, (struct sim_input){ .kind = INPUT_TUNABLE,
					   .a = sim_tunable_index("asym_packing"),
					   .b = 0 });
	world_run(s, 2);
	assert_false(s->domains[mc].flags & SD_ASYM_PACKING);
	sim_free(s);

	/* By size: not between threads, and no CPU before one of its own size. */
	s = packed(NULL, smt8, 2);
	assert_false(s->domains[s->cpu_sd[0].sd].flags & SD_ASYM_PACKING);
	assert_true(s->domains[s->domains[s->cpu_sd[0].sd].parent].flags & SD_ASYM_PACKING);
	assert_false(sched_asym_prefer(s, 0, 1) || sched_asym_prefer(s, 1, 0));
	sim_free(s);
	s = packed(NULL, big_little, 2);
	assert_true(sched_asym_prefer(s, 6, 0));
	assert_false(sched_asym_prefer(s, 0, 6));
	sim_free(s);
}

/* @nr hogs on the last CPUs: they end on the first ones if those are preferred, else they stay. */
static void hogs_move_down(const char *profile, struct shape sh, u32 nr, s64 how)
{
	struct sim *s = packed(profile, sh, how);
	u64 serial[8], words[1] = { (1u << sh.cpus) - 1 };

	for (u32 i = 0; i < nr; i++)
		serial[i] = world_spawn(s, world_pin(world_hog("hog"), sh.cpus - 1 - i, sh.cpus));
	world_run(s, 100 * MS);
	for (u32 i = 0; i < nr; i++)
		world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS,
						   .serial = serial[i],
						   .words = words });
	world_run(s, 3000 * MS);
	world_check(s);
	for (cpu_id c = 0; c < sh.cpus; c++) {
		bool want = how == 1 ? c < nr : c >= sh.cpus - nr;

		if (idle_cpu(s, c) == want)
			fail_msg("%s, packing %d: CPU %u is %s", profile, (int)how, c,
				 want ? "idle" : "busy");
	}
	if (how == 1) {
		u64 kicks = 0;

		for (u32 n = 0; n < s->g->nr_nodes; n++)
			kicks += s->node_stats[n].nohz_kicks[NOHZ_FOR_PACKING];
		assert_true(kicks > 0);
	}
	sim_free(s);
}

static void work_goes_to_the_preferred(void **state)
{
	(void)state;
	for (u32 i = 0; i < nr_kernel_profiles; i++) {
		const char *profile = kernel_profiles[i].name;

		hogs_move_down(profile, smp4, 1, 1);
		hogs_move_down(profile, smp8, 3, 1);
		hogs_move_down(profile, smp4, 1, 0);
		/* All of one size: nobody is preferred. */
		hogs_move_down(profile, smp4, 1, 2);
	}
}

/* A core with both threads busy is no reason; one with a single busy thread is. */
static void threads(void **state)
{
	for (u32 both = 0; both < 2; both++) {
		struct sim *s = packed("v6.12", smt8, 1);
		u64 serial[2], words[1] = { 0xff };

		(void)state;
		for (u32 i = 0; i <= both; i++)
			serial[i] = world_spawn(s, world_pin(world_hog("hog"), 6 + i, 8));
		world_run(s, 100 * MS);
		for (u32 i = 0; i <= both; i++)
			world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS,
							   .serial = serial[i],
							   .words = words });
		world_run(s, 3000 * MS);
		/* Alone it comes to CPU 0; of two, each has a core, and the first is in use. */
		assert_false(idle_cpu(s, 0));
		assert_true(idle_cpu(s, 7));
		world_check(s);
		sim_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_preferred),
		cmocka_unit_test(work_goes_to_the_preferred),
		cmocka_unit_test(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
