/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pressure-test.c - what caps on the frequency and interrupts take from a CPU's capacity, release by
 * release. Expected values follow from scale_rt_capacity() and PELT's half-life of 32 ms.
 */
#include "tests/sim-world.h"

#include "engine/sched/domain.h"

/* Capacity 1024 at 2 GHz; points at a third each. */
static const struct shape opps = { 2, 0, 1, 1, true };

static void cap(struct sim *s, s64 khz)
{
	world_input(s, (struct sim_input){ .kind = INPUT_FREQ_CAP, .a = 0, .b = khz });
}

/* Two hogs, so that every CPU has ticks and nobody moves. */
static struct sim *world(const char *profile)
{
	struct sim *s = world_sim(opps, profile, 1);

	for (u32 i = 0; i < 2; i++) {
		struct task_spec *spec = task_spec_new("hog");

		world_step(spec, STEP_RUN, 0, NONE, ~0ull, 0);
		world_spawn(s, world_pin(spec, i, 2));
	}
	world_run(s, 100 * MS);
	return s;
}

/* 666666 of 1999998 kHz: a third is left, 1024 - 341 = 683 are lost. */
#define THIRD 666666
#define LOST 683u

static void at_once_in_v6_12(void **state)
{
	struct sim *s = world("v6.12");

	(void)state;
	assert_int_equal(scale_rt_capacity(s, 0), 1024);
	cap(s, THIRD);
	world_run(s, 100 * MS + 1);
	assert_in_range(scale_rt_capacity(s, 0), 1024 - LOST - 1, 1024 - LOST + 1);
	assert_in_range(actual_cpu_capacity(s, 0), 1024 - LOST - 1, 1024 - LOST + 1);
	/* The balancer's next look makes it what placement sees. */
	world_run(s, 200 * MS);
	assert_in_range(s->rqs[0].cpu_capacity, 1024 - LOST - 1, 1024 - LOST + 1);
	assert_int_equal(s->rqs[0].avg_hw.load_avg, 0);
	cap(s, 0);
	world_run(s, 201 * MS);
	assert_int_equal(scale_rt_capacity(s, 0), 1024);
	sim_free(s);
}

static void slowly_before(void **state)
{
	static const char *const profiles[] = { "v5.10", "v6.1", "v6.6" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
		struct sim *s = world(profiles[i]);
		u64 full;

		cap(s, THIRD);
		world_run(s, 100 * MS + 1);
		assert_int_equal(scale_rt_capacity(s, 0), 1024);
		/* A half-life: half of it, to a tick of 4 ms: 1 - 0.5^(28/32) .. 1 - 0.5^(33/32). */
		world_run(s, 133 * MS);
		assert_in_range(1024 - scale_rt_capacity(s, 0), LOST * 455 / 1000,
				LOST * 511 / 1000);
		world_run(s, 1000 * MS);
		full = 1024 - scale_rt_capacity(s, 0);
		assert_in_range(full, LOST - 10, LOST + 1);
		/* And it goes as it came, also if the CPU sleeps. */
		cap(s, 0);
		world_run(s, 1033 * MS);
		assert_in_range(1024 - scale_rt_capacity(s, 0), full * 489 / 1000,
				full * 550 / 1000);
		world_run(s, 2000 * MS);
		assert_int_equal(scale_rt_capacity(s, 0), 1024);
		sim_free(s);
	}
}

static void never_in_v5_4(void **state)
{
	struct sim *s = world("v5.4");

	(void)state;
	cap(s, THIRD);
	world_run(s, 1000 * MS);
	assert_int_equal(scale_rt_capacity(s, 0), 1024);
	sim_free(s);
}

static void interrupts_take_their_part(void **state)
{
	/* (max - used) * (max - irq) / max: the formula itself. */
	struct sim *s = world("v6.12");

	(void)state;
	s->rqs[0].avg_irq.util_avg = 256;
	s->rqs[0].avg_rt.util_avg = 512;
	assert_int_equal(scale_rt_capacity(s, 0), 512 * 768 / 1024);
	s->rqs[0].avg_rt.util_avg = 1024;
	assert_int_equal(scale_rt_capacity(s, 0), 1);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_once_in_v6_12),
		cmocka_unit_test(slowly_before),
		cmocka_unit_test(never_in_v5_4),
		cmocka_unit_test(interrupts_take_their_part),
	};

	return cmocka_run_group_tests_name("pressure on capacity", tests, NULL, NULL);
}
