/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload-measure-test.c - counters, stamps and samples of programs, and figures made of them.
 */
#include "tests/sim-world.h"

#include "engine/workload/measure.h"

static void measure(struct task_spec *spec, enum step_op op, u32 flags, u32 stamp, const char *name,
		    u64 a, u64 b)
{
	struct err err = { 0 };

	if (spec_measure(spec, op, flags, stamp, name, a, b, &err))
		assert_int_equal(err.code, ERR_NONE);
}

static void figure(struct sim *s, const char *text, enum throughput_kind kind, s64 divide,
		   s64 target)
{
	world_input(s, (struct sim_input){ .kind = INPUT_THROUGHPUT,
					   .text = text,
					   .a = kind,
					   .b = divide,
					   .c = target });
}

static const struct lat_group *group(const struct sim *s, const char *name)
{
	for_each_live(id, &s->arena, POOL_LAT_GROUP) if (!strcmp(s->lat_groups[id].name,
								 name)) return &s->lat_groups[id];
	fail_msg("no latency group %s", name);
	return NULL;
}

static u64 value(const struct sim *s, const char *name)
{
	u64 v = 0;
	u32 decimals;

	for_each_live(id, &s->arena, POOL_THROUGHPUT) if (!strcmp(s->throughputs[id].name, name))
	{
		if (!throughput_value(s, id, &v, &decimals))
			fail_msg("%s has no value", name);
		return v;
	}
	fail_msg("no figure %s", name);
	return 0;
}

static struct sim *one_cpu(void)
{
	return world_sim((struct shape){ 1, 0, 1, 1, false }, NULL, 1);
}

/* One task, nothing in its way: 2 ms of work and 8 ms asleep, ten rounds in 100 ms. */
static void test_figures(void **state)
{
	struct sim *s = one_cpu();
	struct task_spec *spec = task_spec_new("t");
	u32 st = world_obj(spec, "begin", SYNC_STAMP, true);
	u64 milli;
	u32 decimals;

	(void)state;
	figure(s, "tps rounds", TPUT_PER_SECOND, 1, 0);
	figure(s, "kps rounds", TPUT_PER_SECOND, 1000, 0);
	figure(s, "pm rounds", TPUT_PER_MINUTE, 1, 0);
	figure(s, "bytes_k bytes", TPUT_COUNT, 1000, 0);
	figure(s, "time rounds", TPUT_TIME, 1, 4);
	figure(s, "never rounds", TPUT_TIME, 1, 1000);
	figure(s, "late late rounds", TPUT_PCT, 1, 0);
	world_open(spec, STEP_LOOP, 0);
	world_step(spec, STEP_STAMP, STEP_F_LOCAL, st, 0, 0);
	world_step(spec, STEP_RUN, 0, NONE, 2 * MS, 0);
	measure(spec, STEP_SAMPLE, STEP_F_LOCAL, st, "work", 0, 0);
	measure(spec, STEP_COUNT, 0, NONE, "rounds", 1, 0);
	measure(spec, STEP_COUNT, 0, NONE, "bytes", 512, 0);
	measure(spec, STEP_COUNT, STEP_F_LOCAL, st, "late", 1, 2 * MS); /* not above 2 ms */
	measure(spec, STEP_COUNT, STEP_F_LOCAL, st, "soon", 1, 2 * MS - 1);
	world_step(spec, STEP_SLEEP, 0, NONE, 8 * MS, 0);
	world_close(spec);
	world_spawn(s, spec);
	world_run(s, 100 * MS);
	world_check(s);
	assert_int_equal(group(s, "work")->hist.s.count, 10);
	assert_int_equal(group(s, "work")->hist.s.min, 2 * MS);
	assert_int_equal(group(s, "work")->hist.s.max, 2 * MS);
	assert_int_equal(value(s, "tps"), 100000);
	assert_int_equal(value(s, "kps"), 100);
	assert_int_equal(value(s, "pm"), 6000000);
	assert_int_equal(value(s, "bytes_k"), 5120);
	assert_int_equal(value(s, "time"), 32000); /* the fourth round is done at 32 ms */
	assert_int_equal(value(s, "late"), 0);
	for_each_live(id, &s->arena, POOL_THROUGHPUT) if (!strcmp(s->throughputs[id].name, "never"))
		assert_false(throughput_value(s, id, &milli, &decimals));
	for_each_live(id, &s->arena, POOL_COUNTER) if (!strcmp(s->counters[id].name, "soon"))
		assert_int_equal(s->counters[id].count, 10);
	sim_free(s);
}

/* A shared stamp measures from another task; own samples take the place of wake-up latencies. */
static void test_shared_stamp(void **state)
{
	struct sim *s = one_cpu();
	struct task_spec *boss = task_spec_new("boss"), *worker = task_spec_new("worker");
	u32 st = world_obj(boss, "stamp", SYNC_STAMP, false);
	u32 c = world_obj(boss, "go", SYNC_COND, false);

	(void)state;
	boss->delay = MS;
	boss->nice = -20; /* so that it goes on after the wake-up */
	world_step(boss, STEP_STAMP, 0, st, 0, 0);
	world_step(boss, STEP_RUN, 0, NONE, MS, 0);
	world_step(boss, STEP_WAKE, 0, c, 0, 0);
	world_step(boss, STEP_SLEEP, 0, NONE, 500 * MS, 0);
	st = world_obj(worker, "stamp", SYNC_STAMP, false);
	c = world_obj(worker, "go", SYNC_COND, false);
	measure(worker, STEP_SAMPLE, 0, st, "worker", 0, 0); /* nobody has stamped: no sample */
	world_step(worker, STEP_WAIT, 0, c, 0, 0);
	measure(worker, STEP_SAMPLE, 0, st, "worker", 0, 0);
	world_step(worker, STEP_SLEEP, 0, NONE, 500 * MS, 0);
	world_spawn(s, boss);
	world_spawn(s, worker);
	world_run(s, 20 * MS);
	assert_int_equal(group(s, "worker")->hist.s.count, 1);
	assert_int_equal(group(s, "worker")->hist.s.min, MS);
	/* "all" still has the one wake-up there was. */
	assert_int_equal(s->lat_groups[0].hist.s.count, 1);
	sim_free(s);
}

static void test_copy(void **state)
{
	struct sim *s = one_cpu(), *copy;
	struct err err = { 0 };

	(void)state;
	figure(s, "n n", TPUT_COUNT, 1, 0);
	world_input(s, (struct sim_input){ .kind = INPUT_COUNT, .text = "n", .a = 3 });
	world_run(s, MS);
	copy = sim_copy(s, &err);
	assert_non_null(copy);
	world_input(s, (struct sim_input){ .kind = INPUT_COUNT, .text = "n", .a = 4 });
	world_input(s, (struct sim_input){ .kind = INPUT_SAMPLE, .text = "l", .a = 5 });
	world_run(s, 2 * MS);
	assert_int_equal(value(s, "n"), 7000);
	assert_int_equal(value(copy, "n"), 3000);
	assert_int_equal(group(s, "l")->hist.s.max, 5);
	assert_int_equal(sim_restore(s, copy, &err), 0);
	assert_int_equal(value(s, "n"), 3000);
	world_run(s, 2 * MS); /* the journal brings the rest again */
	assert_int_equal(value(s, "n"), 7000);
	sim_free(copy);
	sim_free(s);
}

static void refused(struct sim *s, enum input_kind kind, const char *text, s64 a, s64 b, s64 c)
{
	struct sim_input in = { .kind = kind, .text = text, .a = a, .b = b, .c = c };
	struct err err = { 0 };

	assert_int_equal(sim_input(s, &in, NULL, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
}

static void test_errors(void **state)
{
	struct sim *s = one_cpu();
	struct task_spec *spec = task_spec_new("t");
	struct err err = { 0 };

	(void)state;
	refused(s, INPUT_COUNT, NULL, 1, 0, 0);
	refused(s, INPUT_COUNT, "", 1, 0, 0);
	refused(s, INPUT_COUNT, "two words", 1, 0, 0);
	refused(s, INPUT_COUNT, "a-name-that-is-longer-than-a-task's", 1, 0, 0);
	refused(s, INPUT_COUNT, "n", -1, 0, 0);
	refused(s, INPUT_THROUGHPUT, "figure", TPUT_COUNT, 1, 0);
	refused(s, INPUT_THROUGHPUT, "figure n of", TPUT_COUNT, 1, 0);
	refused(s, INPUT_THROUGHPUT, "figure n", TPUT_PCT, 1, 0);
	refused(s, INPUT_THROUGHPUT, "figure n", TPUT_COUNT, 0, 0);
	refused(s, INPUT_THROUGHPUT, "figure n", TPUT_TIME, 1, 0);
	refused(s, INPUT_THROUGHPUT, "figure n", 99, 1, 0);
	assert_int_equal(spec_measure(spec, STEP_COUNT, 0, NONE, "", 1, 0, &err), -1);
	/* A lock and a counter may have one name, a lock and a stamp may not. */
	world_obj(spec, "x", SYNC_MUTEX, false);
	measure(spec, STEP_COUNT, 0, NONE, "x", 1, 0);
	assert_int_equal(spec_obj(spec, "x", SYNC_STAMP, true, &err), -1);
	assert_int_equal(spec_check(spec, 1, &err), 0);
	spec->steps[0].target = 0; /* the lock */
	assert_int_equal(spec_check(spec, 1, &err), -1);
	spec->steps[0].target = 1;
	spec->steps[0].obj = 0;
	assert_int_equal(spec_check(spec, 1, &err), -1);
	task_spec_free(spec);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_shared_stamp),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests_name("what workloads report", tests, NULL, NULL);
}
