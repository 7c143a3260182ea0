/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * engine-alloc-test.c - every allocation of the engine fails once: making, copying and restoring a
 * simulation, inputs, and growth while it runs. Each ends in an error with a text, nothing is held,
 * and what existed before is as it was.
 */
#include "tests/fault/fault.h"
#include "tests/sim-world.h"

/* The arena's own allocator, so that its growth can be made to fail alone. */
struct stingy {
	unsigned calls, fail_at;
};

static void *stingy_alloc(void *ctx, void *p, size_t size)
{
	struct stingy *a = ctx;

	if (!size) {
		free(p);
		return NULL;
	}
	return a->fail_at && ++a->calls >= a->fail_at ? NULL : realloc(p, size);
}

static struct machine_desc *machine;

static struct sim *make(struct stingy *a, struct err *err)
{
	struct sim_config cfg = { .machine = machine, .seed = 3, .trace_records = 16 };

	if (a) {
		cfg.alloc = stingy_alloc;
		cfg.alloc_ctx = a;
	}
	return sim_new(&cfg, err);
}

/* Some tasks in a group, some time. */
static struct sim *running(struct stingy *a)
{
	struct err err = { 0 };
	struct sim *s = make(a, &err);

	if (!s)
		fail_msg("%s", err.msg);
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = "/g", .b = 1024 });
	world_spawn(s, world_hog("hog"));
	world_spawn(s, world_periodic("p", MS, 4 * MS, 0));
	world_run(s, 20 * MS);
	return s;
}

static void need_error(unsigned n, const struct err *err)
{
	if (err->code != ERR_LIMIT || !err->msg[0])
		fail_msg("point %u: code %d, '%s'", n, err->code, err->msg);
}

static void making(void **state)
{
	unsigned n = 0, left;
	bool hit;

	(void)state;
	do {
		struct err err = { 0 };
		struct sim *s;

		fault_begin(++n);
		s = make(NULL, &err);
		hit = fault_hit();
		if (!s)
			need_error(n, &err);
		else if (sim_check(s, &err))
			fail_msg("point %u: %s", n, err.msg);
		sim_free(s);
		left = fault_end();
		if (left)
			fail_msg("point %u: %u blocks are held", n, left);
	} while (hit);
	print_message("# %u points\n", n - 1);
	assert_true(n > 10);
}

static void making_with_an_allocator(void **state)
{
	struct stingy a = { 0 };
	struct sim *s = NULL;

	(void)state;
	for (unsigned n = 1; !s; n++) {
		struct err err = { 0 };

		a = (struct stingy){ .fail_at = n };
		s = make(&a, &err);
		if (!s)
			need_error(n, &err);
		else if (a.calls >= n) {
			/* It coped; go on to the next. */
			sim_free(s);
			s = NULL;
		}
		assert_true(n < 10000);
	}
	sim_free(s);
}

static void copying_and_restoring(void **state)
{
	struct sim *s = running(NULL);
	u64 digest = sim_digest(s);
	struct err err = { 0 };
	struct sim *old = sim_copy(s, &err);
	unsigned n = 0, left;
	bool hit;

	(void)state;
	assert_non_null(old);
	do {
		struct sim *c;

		err = (struct err){ 0 };
		fault_begin(++n);
		c = sim_copy(s, &err);
		hit = fault_hit();
		if (!c)
			need_error(n, &err);
		else
			assert_int_equal(sim_digest(c), digest);
		sim_free(c);
		left = fault_end();
		if (left)
			fail_msg("point %u: %u blocks are held", n, left);
		assert_int_equal(sim_digest(s), digest);
	} while (hit);
	world_run(s, 40 * MS);
	digest = sim_digest(s);
	n = 0;
	do {
		struct sim *t = sim_copy(s, &err);
		int ret;

		assert_non_null(t);
		err = (struct err){ 0 };
		fault_begin(++n);
		ret = sim_restore(t, old, &err);
		hit = fault_hit();
		fault_end_keep();
		if (ret) {
			need_error(n, &err);
			/* The present is still there, or the past: nothing between. */
			assert_true(sim_digest(t) == digest || sim_digest(t) == sim_digest(old));
		} else {
			assert_int_equal(sim_digest(t), sim_digest(old));
		}
		world_check(t);
		sim_free(t);
	} while (hit);
	sim_free(old);
	sim_free(s);
}

/* What users and scripts do, with every allocation on the way failing. */
static void inputs(void **state)
{
	struct task_spec *many = world_periodic("many", MS, 7 * MS, 0);
	struct sim_input in[] = {
		{ .kind = INPUT_SPAWN, .spec = many },
		{ .kind = INPUT_GROUP_NEW, .text = "/more", .b = 512 },
		{ .kind = INPUT_CONSOLE, .text = "x = 1" },
		{ .kind = INPUT_SET_CPUS, .serial = 0, .words = (u64[]){ 2 } },
		{ .kind = INPUT_GROUP_CPUS, .a = 1, .words = (u64[]){ 1 } },
		{ .kind = INPUT_SET_GROUP, .serial = 0, .a = 1 },
	};

	(void)state;
	many->instances = 300;
	for (size_t i = 0; i < ARRAY_SIZE(in); i++) {
		unsigned n = 0;
		bool hit;

		do {
			struct sim *s = running(NULL);
			struct err err = { 0 };
			int ret, ran = 0;

			fault_begin(++n);
			ret = sim_input(s, &in[i], NULL, &err);
			if (!ret)
				ran = sim_run_until(s, 30 * MS, 0) == SIM_ERROR ? -1 : 0;
			hit = fault_hit();
			fault_end_keep();
			if (ret)
				need_error(n, &err);
			if (ran)
				need_error(n, &s->err);
			world_check(s);
			sim_digest(s);
			if (ret) {
				/* As if nobody had asked: it goes on. */
				world_run(s, 30 * MS);
				world_check(s);
			}
			sim_free(s);
		} while (hit);
	}
	task_spec_free(many);
}

/* A task that forks for ever: the arena grows between events until its allocator refuses. */
static void growth_while_running(void **state)
{
	struct task_spec *spec = task_spec_new("parent"), *child = world_hog("child");

	(void)state;
	spec->forks = calloc(1, sizeof(*spec->forks));
	spec->forks[spec->nr_forks++] = child;
	world_open(spec, STEP_LOOP, 0);
	world_step(spec, STEP_FORK, 0, NONE, 0, 0);
	world_step(spec, STEP_RUN, 0, NONE, 100 * US, 0);
	world_close(spec);
	for (unsigned n = 1; n < 6; n++) {
		struct stingy a = { 0 };
		struct sim *s = running(&a);
		struct sim_input in = { .kind = INPUT_SPAWN, .spec = spec };
		enum sim_stop stop;
		u64 digest, now;

		a = (struct stingy){ .fail_at = n };
		world_input(s, in);
		do
			stop = sim_run_until(s, s->g->now + 100 * MS, 0);
		while (stop == SIM_REACHED && s->g->now < 100000 * MS);
		assert_int_equal(stop, SIM_ERROR);
		need_error(n, &s->err);
		world_check(s);
		digest = sim_digest(s);
		now = s->g->now;

		/* It stays where it is, whole, and can be copied once there is memory again. */
		struct err err = { 0 };
		struct sim *c;

		a.fail_at = 0;
		c = sim_copy(s, &err);
		assert_non_null(c);
		assert_int_equal(sim_digest(c), digest);
		assert_int_equal(s->g->now, now);
		sim_free(c);
		sim_free(s);
	}
	task_spec_free(spec);
}

static int setup(void **state)
{
	(void)state;
	machine = world_machine((struct shape){ 4, 2, 2, 1, true });
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	machine_free(machine);
	return 0;
}

/* Every allocation after the failing one fails too, or none does. */
static int from_there_on(void **state)
{
	(void)state;
	fault_alone(false);
	return 0;
}

static int alone(void **state)
{
	(void)state;
	fault_alone(true);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(making, from_there_on),
		cmocka_unit_test_setup(making_with_an_allocator, from_there_on),
		cmocka_unit_test_setup(copying_and_restoring, from_there_on),
		cmocka_unit_test_setup(inputs, from_there_on),
		cmocka_unit_test_setup(growth_while_running, from_there_on),
		cmocka_unit_test_setup(making, alone),
		cmocka_unit_test_setup(making_with_an_allocator, alone),
		cmocka_unit_test_setup(copying_and_restoring, alone),
		cmocka_unit_test_setup(inputs, alone),
		cmocka_unit_test_setup(growth_while_running, alone),
	};

	return cmocka_run_group_tests_name("allocation failures of the engine", tests, setup,
					   teardown);
}
