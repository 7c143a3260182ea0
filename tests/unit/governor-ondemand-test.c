/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * governor-ondemand-test.c - the sampling governor: up at once, down in proportion, its parameters.
 */
#include "tests/sim-world.h"

/* One CPU of 666666, 1333332 and 1999998 kHz. */
static struct sim *world(void)
{
	struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, true }, NULL, 1);

	world_use(s, SLOT_GOVERNOR, "ondemand");
	assert_int_equal(sim_apply_inputs(s), 0);
	return s;
}

static void param(struct sim *s, u32 index, s64 value)
{
	world_input(s,
		    (struct sim_input){
			    .kind = INPUT_SET_PARAM, .a = SLOT_GOVERNOR, .b = index, .c = value });
}

static void a_busy_cpu_goes_to_the_top_at_once(void **state)
{
	struct sim *s = world();

	(void)state;
	world_spawn(s, world_hog("hog"));
	world_run(s, 1 * MS);
	assert_true(sim_cpu_khz(s, 0) < 700000);
	/* 100 us of latency: samples every 8 ms, two ticks of 250 Hz. */
	world_run(s, 13 * MS);
	assert_true(sim_cpu_khz(s, 0) > 1900000);
	world_check(s);
	sim_free(s);
}

static void load_decides_in_proportion(void **state)
{
	struct sim *s = world();

	(void)state;
	/* Half of the time at the lowest frequency: 50 % of the range is nearest to the middle step. */
	world_spawn(s, world_periodic("half", 333 * US, 2 * MS, 0));
	world_run(s, 10 * MS);
	assert_int_equal(sim_cpu_khz(s, 0), 666666 * 2);
	world_check(s);
	sim_free(s);
}

static void the_threshold_is_a_parameter(void **state)
{
	struct sim *s = world();

	(void)state;
	param(s, 0, 20);
	world_spawn(s, world_periodic("some", 333 * US, 2 * MS, 0));
	world_run(s, 11 * MS);
	assert_true(sim_cpu_khz(s, 0) > 1900000);
	sim_free(s);
}

static void a_cap_bounds_it(void **state)
{
	struct sim *s = world();

	(void)state;
	world_input(s, (struct sim_input){ .kind = INPUT_FREQ_CAP, .a = 0, .b = 1400000 });
	world_spawn(s, world_hog("hog"));
	world_run(s, 100 * MS);
	assert_int_equal(sim_cpu_khz(s, 0), 666666 * 2);
	sim_free(s);
}

static void samples_are_rarer_at_the_top(void **state)
{
	struct sim *quick = world(), *slow = world();
	struct task_spec *spec;

	(void)state;
	param(slow, 2, 10);
	for (int i = 0; i < 2; i++) {
		struct sim *s = i ? slow : quick;

		spec = task_spec_new("burst");
		world_step(spec, STEP_RUN, 0, NONE, 20 * MS, 0);
		world_spawn(s, spec);
		/* Something that calls the hook afterwards. */
		world_spawn(s, world_periodic("light", 10 * US, 1 * MS, 0));
		world_run(s, 60 * MS);
	}
	assert_true(sim_cpu_khz(quick, 0) < 700000);
	assert_true(sim_cpu_khz(slow, 0) > 1900000);
	world_run(slow, 400 * MS);
	assert_true(sim_cpu_khz(slow, 0) < 700000);
	sim_free(quick);
	sim_free(slow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_busy_cpu_goes_to_the_top_at_once),
		cmocka_unit_test(load_decides_in_proportion),
		cmocka_unit_test(the_threshold_is_a_parameter),
		cmocka_unit_test(a_cap_bounds_it),
		cmocka_unit_test(samples_are_rarer_at_the_top),
	};

	return cmocka_run_group_tests_name("ondemand", tests, NULL, NULL);
}
