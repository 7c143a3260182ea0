/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * partition-test.c - partitions of CPUs: where domains end, who may run where, what is refused. The
 * expectations follow from the rules of cpuset.cpus.partition: sets and their differences.
 */
#include "tests/sim-world.h"

#include "engine/sched/domain.h"
#include "engine/sched/group.h"
#include "engine/sched/partition.h"

#define EIGHT_CPUS ((struct shape){ 8, 0, 1, 1, false })

static u32 new_group_of(struct sim *s, const char *name, u64 cpus)
{
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = name, .b = 1024 });

	u32 tg = sim_find_group(s, name);

	if (cpus)
		world_input(
			s, (struct sim_input){ .kind = INPUT_GROUP_CPUS, .a = tg, .words = &cpus });
	return tg;
}

static void now(struct sim *s, struct sim_input in)
{
	world_input(s, in);
	assert_int_equal(sim_apply_inputs(s), 0);
	world_check(s);
}

static void make(struct sim *s, u32 tg, enum partition_kind kind)
{
	now(s, (struct sim_input){ .kind = INPUT_GROUP_PARTITION, .a = tg, .b = kind });
}

static void plug(struct sim *s, cpu_id cpu, bool online)
{
	now(s, (struct sim_input){ .kind = INPUT_CPU_ONLINE, .a = cpu, .b = online });
}

/* Everything that @cpu's domains reach, and the groups of the highest one together. */
static u64 reach(const struct sim *s, cpu_id cpu)
{
	u64 span = 0, groups = 0;
	u32 top = NONE;

	for_each_domain(s, cpu, sd)
	{
		span = sd_span(s, sd)[0];
		top = sd;
	}
	if (top == NONE)
		return 0;
	for_each_group(s, top, sg)
	{
		assert_int_equal(groups & sg_span(s, sg)[0], 0);
		groups |= sg_span(s, sg)[0];
	}
	assert_int_equal(groups, span);
	return span;
}

static void domains_end_at_the_edge(void **state)
{
	struct sim *s = world_sim(EIGHT_CPUS, "v6.12", 1);
	u32 a = new_group_of(s, "/a", 0xf0);

	(void)state;
	world_run_checked(s, MS);
	for (cpu_id c = 0; c < 8; c++)
		assert_int_equal(reach(s, c), 0xff);
	make(s, a, PARTITION_ROOT);
	for (cpu_id c = 0; c < 8; c++) {
		assert_int_equal(reach(s, c), c < 4 ? 0x0f : 0xf0);
		assert_int_equal(s->cpu_sd[c].partition, c < 4 ? ROOT_TG : a);
		/* Four CPUs share what eight shared. */
		assert_int_equal(s->cpu_sd[c].llc_size, 4);
		assert_int_equal(s->cpu_sd[c].llc_id, c < 4 ? 0 : 4);
	}
	make(s, a, PARTITION_ISOLATED);
	for (cpu_id c = 0; c < 8; c++) {
		assert_int_equal(reach(s, c), c < 4 ? 0x0f : 0);
		assert_int_equal(s->cpu_sd[c].isolated, c >= 4);
	}
	sim_free(s);
}

/* Two nodes with threads: a partition across cores and nodes has the levels that are left. */
static void partitions_cut_through_cores_and_nodes(void **state)
{
	struct sim *s = world_sim((struct shape){ 16, 0, 2, 2, false }, "v6.12", 1);
	u32 a = new_group_of(s, "/a", 0x0ff1);

	(void)state;
	world_run_checked(s, MS);
	make(s, a, PARTITION_ROOT);
	for (cpu_id c = 0; c < 16; c++)
		assert_int_equal(reach(s, c), 0x0ff1 >> c & 1 ? 0x0ff1 : 0xf00e);
	make(s, a, PARTITION_MEMBER);
	for (cpu_id c = 0; c < 16; c++)
		assert_int_equal(reach(s, c), 0xffff);
	sim_free(s);
}

static void a_member_again_has_the_old_domains(void **state)
{
	struct sim *s = world_sim((struct shape){ 16, 0, 2, 2, false }, "v6.12", 1);
	u32 a = new_group_of(s, "/a", 0x00f0), nr_sd, nr_sg;
	u64 spans[64], groups = 0, again = 0;

	(void)state;
	world_run_checked(s, MS);
	nr_sd = arena_len(&s->arena, POOL_SCHED_DOMAIN);
	nr_sg = arena_len(&s->arena, POOL_SCHED_GROUP);
	assert_in_range(nr_sd, 1, 64);
	for (u32 i = 0; i < nr_sd; i++)
		spans[i] = sd_span(s, i)[0];
	for (u32 i = 0; i < nr_sg; i++)
		groups = groups * 31 + sg_span(s, i)[0];
	make(s, a, PARTITION_ROOT);
	assert_int_not_equal(reach(s, 0), 0xffff);
	make(s, a, PARTITION_MEMBER);
	assert_int_equal(arena_len(&s->arena, POOL_SCHED_DOMAIN), nr_sd);
	assert_int_equal(arena_len(&s->arena, POOL_SCHED_GROUP), nr_sg);
	for (u32 i = 0; i < nr_sd; i++)
		assert_int_equal(sd_span(s, i)[0], spans[i]);
	for (u32 i = 0; i < nr_sg; i++)
		again = again * 31 + sg_span(s, i)[0];
	assert_int_equal(again, groups);
	assert_int_equal(s->groups[ROOT_TG].cpus_now, 0);
	sim_free(s);
}

static void tasks_go_where_they_belong(void **state)
{
	for (u32 i = 0; i < nr_kernel_profiles; i++) {
		struct sim *s = world_sim(EIGHT_CPUS, kernel_profiles[i].name, 1);
		u32 a = new_group_of(s, "/a", 0xf0);
		u64 in, out[8], pinned;

		(void)state;
		in = world_spawn_in(s, world_hog("in"), "/a");
		for (u32 n = 0; n < 8; n++)
			out[n] = world_spawn_in(s, world_hog("out"), "/");
		pinned = world_spawn_in(s, world_pin(world_hog("pinned"), 6, 8), "/");
		world_run_checked(s, 50 * MS);
		make(s, a, PARTITION_ROOT);
		world_run_checked(s, 100 * MS);
		assert_int_equal(world_cpus_of(s, in), 0xf0);
		/* Its affinity has nothing in common with what is left: all of that. */
		assert_int_equal(world_cpus_of(s, pinned), 0x0f);
		for (u32 t = 0; t < 1000; t += 100) {
			/* Nine tasks on four CPUs beside three that idle: nobody crosses the edge. */
			world_run_checked(s, 100 * MS + t * MS);
			for (u32 n = 0; n < 8; n++) {
				assert_int_equal(world_cpus_of(s, out[n]), 0x0f);
				assert_in_range(world_task(s, out[n])->cpu, 0, 3);
			}
			assert_in_range(world_task(s, in)->cpu, 4, 7);
		}
		now(s, (struct sim_input){ .kind = INPUT_SET_GROUP, .serial = out[0], .a = a });
		assert_int_equal(world_cpus_of(s, out[0]), 0xf0);
		make(s, a, PARTITION_MEMBER);
		assert_int_equal(world_cpus_of(s, out[1]), 0xff);
		assert_int_equal(world_cpus_of(s, pinned), 0x40);
		world_run_checked(s, 1500 * MS);
		assert_int_equal(world_task(s, pinned)->cpu, 6);
		sim_free(s);
	}
}

/* Hogs that start on one CPU of a partition: balancing spreads them, unless it is isolated. */
static void isolated_cpus_are_not_balanced(void **state)
{
	for (int isolated = 0; isolated < 2; isolated++) {
		struct sim *s = world_sim(EIGHT_CPUS, "v6.12", 1);
		u32 a = new_group_of(s, "/a", 0xf0);
		u64 all = 0xff, hogs[4];
		u32 used = 0;

		(void)state;
		for (u32 n = 0; n < 4; n++)
			hogs[n] = world_spawn_in(s, world_pin(world_hog("hog"), 5, 8), "/a");
		world_run_checked(s, 10 * MS);
		make(s, a, isolated ? PARTITION_ISOLATED : PARTITION_ROOT);
		for (u32 n = 0; n < 4; n++)
			now(s, (struct sim_input){
				       .kind = INPUT_SET_CPUS, .serial = hogs[n], .words = &all });
		world_run_checked(s, 1000 * MS);
		for (u32 n = 0; n < 4; n++) {
			assert_int_equal(world_cpus_of(s, hogs[n]), 0xf0);
			used |= 1u << world_task(s, hogs[n])->cpu;
		}
		assert_int_equal(used, isolated ? 0x20 : 0xf0);
		sim_free(s);
	}
}

static void the_last_cpu_ends_a_partition(void **state)
{
	struct sim *s = world_sim(EIGHT_CPUS, "v6.12", 1);
	u32 a = new_group_of(s, "/a", 0xc0);
	u64 in;

	(void)state;
	in = world_spawn_in(s, world_hog("in"), "/a");
	world_run_checked(s, MS);
	make(s, a, PARTITION_ROOT);
	plug(s, 6, false);
	assert_int_equal(s->groups[a].partition_now, PARTITION_ROOT);
	world_run_checked(s, 5 * MS);
	assert_int_equal(world_task(s, in)->cpu, 7);
	plug(s, 7, false);
	assert_int_equal(s->groups[a].partition_now, PARTITION_MEMBER);
	assert_int_equal(s->groups[a].partition, PARTITION_ROOT);
	world_run_checked(s, 10 * MS);
	assert_in_range(world_task(s, in)->cpu, 0, 5);
	plug(s, 6, true);
	assert_int_equal(s->groups[a].partition_now, PARTITION_ROOT);
	world_run_checked(s, 20 * MS);
	assert_int_equal(world_task(s, in)->cpu, 6);
	/* The others keep one in any case: the partition gives way. */
	for (cpu_id c = 0; c < 6; c++)
		plug(s, c, false);
	assert_int_equal(s->groups[a].partition_now, PARTITION_MEMBER);
	world_run_checked(s, 30 * MS);
	plug(s, 0, true);
	assert_int_equal(s->groups[a].partition_now, PARTITION_ROOT);
	world_run_checked(s, 40 * MS);
	sim_free(s);
}

/* CPUs of a partition may change; one that reaches into another is none until it is mended. */
static void other_cpus_for_a_partition(void **state)
{
	struct sim *s = world_sim(EIGHT_CPUS, "v6.12", 1);
	u32 a = new_group_of(s, "/a", 0x0c), b = new_group_of(s, "/b", 0x30);
	u64 words;

	(void)state;
	world_run_checked(s, MS);
	make(s, a, PARTITION_ROOT);
	make(s, b, PARTITION_ROOT);
	assert_int_equal(reach(s, 0), 0xc3);
	words = 0x4c;
	now(s, (struct sim_input){ .kind = INPUT_GROUP_CPUS, .a = a, .words = &words });
	assert_int_equal(reach(s, 6), 0x4c);
	assert_int_equal(reach(s, 0), 0x83);
	words = 0x1c;
	now(s, (struct sim_input){ .kind = INPUT_GROUP_CPUS, .a = a, .words = &words });
	assert_int_equal(s->groups[a].partition_now, PARTITION_MEMBER);
	assert_int_equal(s->groups[b].partition_now, PARTITION_ROOT);
	assert_int_equal(reach(s, 2), 0xcf);
	make(s, b, PARTITION_MEMBER);
	assert_int_equal(s->groups[a].partition_now, PARTITION_ROOT);
	assert_int_equal(reach(s, 2), 0x1c);
	sim_free(s);
}

static void refuse(struct sim *s, s64 tg, s64 kind, const char *because)
{
	struct sim_input in = { .kind = INPUT_GROUP_PARTITION, .a = tg, .b = kind };
	struct err err = { 0 };

	if (!sim_input(s, &in, NULL, &err))
		fail_msg("group %d became a partition, in spite of: %s", (int)tg, because);
	assert_int_equal(err.code, ERR_USAGE);
	if (!strstr(err.msg, because))
		fail_msg("'%s' does not say '%s'", err.msg, because);
}

static void what_cannot_be_is_refused(void **state)
{
	struct sim *s = world_sim(EIGHT_CPUS, "v6.12", 1);
	/* None of this is applied yet: what is pending counts. */
	u32 a = new_group_of(s, "/a", 0x0c), b = new_group_of(s, "/b", 0x18);
	u32 bare = new_group_of(s, "/bare", 0), all = new_group_of(s, "/rest", 0xf3), inner;

	(void)state;
	world_input(s, (struct sim_input){
			       .kind = INPUT_GROUP_NEW, .text = "/a/i", .a = a, .b = 1024 });
	inner = sim_find_group(s, "/a/i");
	for (int applied = 0; applied < 2; applied++) {
		refuse(s, ROOT_TG, PARTITION_ROOT, "'/'");
		refuse(s, 99, PARTITION_ROOT, "no task group");
		refuse(s, a, NR_PARTITION_KINDS, "isolated");
		refuse(s, bare, PARTITION_ROOT, "no CPUs of its own");
		refuse(s, inner, PARTITION_ROOT, "directly below");
		world_input(s, (struct sim_input){ .kind = INPUT_GROUP_PARTITION,
						   .a = a,
						   .b = PARTITION_ROOT });
		refuse(s, b, PARTITION_ISOLATED, "CPU 3");
		refuse(s, all, PARTITION_ROOT, "no CPU online would be left");
		world_run_checked(s, (ktime_ns)(applied + 1) * MS);
	}
	make(s, a, PARTITION_MEMBER);
	plug(s, 3, false);
	plug(s, 4, false);
	refuse(s, b, PARTITION_ROOT, "is online");
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domains_end_at_the_edge),
		cmocka_unit_test(partitions_cut_through_cores_and_nodes),
		cmocka_unit_test(a_member_again_has_the_old_domains),
		cmocka_unit_test(tasks_go_where_they_belong),
		cmocka_unit_test(isolated_cpus_are_not_balanced),
		cmocka_unit_test(the_last_cpu_ends_a_partition),
		cmocka_unit_test(other_cpus_for_a_partition),
		cmocka_unit_test(what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests_name("partitions of CPUs", tests, NULL, NULL);
}
