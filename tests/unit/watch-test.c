/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watch-test.c - what a watch must see: each invariant, broken by hand.
 */
#include "tests/sim-world.h"

#include "engine/observe/watch.h"

/* One CPU, two tasks with work, one that sleeps most of the time; some events in. */
static struct sim *busy_sim(struct sim_watch *w)
{
	struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, "v6.12", 1);
	struct err err = { 0 };

	world_spawn(s, world_periodic("a", 3 * MS, 10 * MS, 0));
	world_spawn(s, world_periodic("b", 3 * MS, 10 * MS, 0));
	world_spawn(s, world_periodic("c", 10 * US, 50 * MS, 0));
	for (u32 i = 0; i < 40; i++)
		if (sim_watch_step(w, s, NSEC_PER_SEC, &err) == SIM_ERROR)
			fail_msg("%s", err.msg);
	return s;
}

static task_id named(const struct sim *s, const char *name)
{
	task_id p = sim_find_task_by_name(s, name);

	assert_int_not_equal(p, NONE);
	return p;
}

static void sees(struct sim_watch *w, struct sim *s, const char *what)
{
	struct err err = { 0 };

	assert_int_equal(sim_watch_look(w, s, &err), -1);
	if (!strstr(err.msg, what))
		fail_msg("'%s' does not say '%s'", err.msg, what);
	assert_int_equal(err.code, ERR_DIVERGED);
	sim_free(s);
	sim_watch_free(w);
}

static void a_clock_goes_back(void **state)
{
	struct sim_watch *w = sim_watch_new();
	struct sim *s = busy_sim(w);

	(void)state;
	s->rqs[0].clock_pelt--;
	sees(w, s, "clock_pelt went back");
}

static void work_is_not_what_was_asked_for(void **state)
{
	for (int by = -1; by <= 1; by += 2) {
		struct sim_watch *w = sim_watch_new();
		struct sim *s = busy_sim(w);
		struct err err = { 0 };
		task_id p = named(s, "a");

		(void)state;
		while (!(s->tasks[p].flags & PF_IN_STEP))
			assert_int_not_equal(sim_watch_step(w, s, NSEC_PER_SEC, &err), SIM_ERROR);
		/* One nanosecond more or less to do. */
		s->tasks[p].work_left += (u64)((s64)by * (1 << 20));
		sees(w, s, "are done, and");
	}
}

static void a_step_is_skipped(void **state)
{
	struct sim_watch *w = sim_watch_new();
	struct sim *s = busy_sim(w);

	(void)state;
	s->task_stats[named(s, "c")].work_asked += 1;
	sees(w, s, "a run step of 1 ns took no time");
}

static void a_step_is_cut_short(void **state)
{
	struct sim_watch *w = sim_watch_new();
	struct sim *s = busy_sim(w);
	struct err err = { 0 };
	task_id p = named(s, "a");

	(void)state;
	while (!(s->tasks[p].flags & PF_IN_STEP) || s->rqs[0].curr != p)
		assert_int_not_equal(sim_watch_step(w, s, NSEC_PER_SEC, &err), SIM_ERROR);
	s->tasks[p].flags &= ~PF_IN_STEP;
	sees(w, s, "a run step of 3000000 ns is over after");
}

static void a_wakeup_comes_to_nothing(void **state)
{
	struct sim_watch *w = sim_watch_new();
	struct sim *s = busy_sim(w);
	task_id p = named(s, "c");

	(void)state;
	assert_int_equal(s->tasks[p].state, TASK_SLEEPING);
	s->task_stats[p].wakeups++;
	sees(w, s, "sleeps again without having run");
}

static const struct sched_policy *builtin(const char *name)
{
	for (u32 i = 0; i < nr_builtin_policies; i++)
		if (builtin_policies[i]->slot == SLOT_PICK &&
		    !strcmp(builtin_policies[i]->name, name))
			return builtin_policies[i];
	fail_msg("no picker %s", name);
	return NULL;
}

/* First in, first out, under the name of each picker that promises turns. */
static void a_task_starves(void **state)
{
	static const char *const promise[] = { "eevdf", "cfs", "rr", "stride" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(promise); i++) {
		struct sched_policy liar = *builtin(promise[i]);
		struct sim_watch *w = sim_watch_new();
		struct err err = { 0 };
		struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, "v6.12", 1);
		enum sim_stop r;
		int id;

		liar.ops = builtin("fifo")->ops;
		id = sim_register_policy(s, &liar, &err);
		assert_true(id >= 0);
		world_input(
			s, (struct sim_input){ .kind = INPUT_USE_POLICY, .a = SLOT_PICK, .b = id });
		world_spawn(s, world_hog("a"));
		world_spawn(s, world_hog("b"));
		while ((r = sim_watch_step(w, s, NSEC_PER_SEC, &err)) != SIM_ERROR &&
		       s->g->now < NSEC_PER_SEC)
			;
		assert_int_equal(r, SIM_ERROR);
		if (!strstr(err.msg, "waits on CPU 0"))
			fail_msg("%s: %s", promise[i], err.msg);
		/* Two equal tasks: a fraction of a second, not more. */
		assert_true(s->g->now < 200 * MS);
		sim_free(s);
		sim_watch_free(w);
	}
}

/* What a honest picker does with two hogs stays below half of what it may. */
static void nobody_starves(void **state)
{
	static const char *const pickers[] = { "eevdf", "cfs", "rr", "stride" };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(pickers); i++) {
		struct sim_watch *w = sim_watch_new();
		struct err err = { 0 };
		struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, "v6.12", 1);

		world_use(s, SLOT_PICK, pickers[i]);
		for (u32 k = 0; k < 6; k++) {
			struct task_spec *spec = world_hog("hog");

			spec->nice = (s8)(k * 3);
			world_spawn(s, spec);
		}
		while (s->g->now < 2 * NSEC_PER_SEC)
			if (sim_watch_step(w, s, 2 * NSEC_PER_SEC, &err) == SIM_ERROR)
				fail_msg("%s: %s", pickers[i], err.msg);
		print_message("# %s: longest wait %u/1000 of what is allowed\n", pickers[i],
			      sim_watch_longest(w));
		assert_true(sim_watch_longest(w) > 50);
		sim_free(s);
		sim_watch_free(w);
	}
}

/*
 * A task that ran at nice 19 (weight 15) and is then given nice 0 while it runs: releases before v6.7
 * leave its vruntime alone, which up to two ticks of 4 ms have moved by 1024/15 times as much. The
 * other, of weight 1024 too, has to make up for that first: far longer than two equal tasks wait, and
 * as it should be.
 */
static void what_ran_with_less_weight_waits(void **state)
{
	struct sim_watch *w = sim_watch_new();
	struct err err = { 0 };
	struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, "v6.1", 1);
	struct task_spec *spec;
	bool given = false;
	task_id low = 1;
	ktime_ns until;

	(void)state;
	world_spawn(s, world_hog("high"));
	spec = world_hog("low");
	spec->nice = 19;
	world_spawn(s, spec);
	while (s->g->now < 2 * NSEC_PER_SEC) {
		if (sim_watch_step(w, s, 2 * NSEC_PER_SEC, &err) == SIM_ERROR)
			fail_msg("%s", err.msg);
		if (given || s->g->now < NSEC_PER_SEC || s->rqs[0].curr != low)
			continue;
		/* Its turn has begun and ends at a tick, 4 ms later at most. */
		until = s->g->now + 3 * MS;
		while (s->g->now < until)
			if (sim_watch_step(w, s, until, &err) == SIM_ERROR)
				fail_msg("%s", err.msg);
		if (s->rqs[0].curr != low)
			continue;
		world_input(s, (struct sim_input){ .kind = INPUT_SET_NICE,
						   .serial = s->tasks[low].serial,
						   .a = 0 });
		given = true;
	}
	assert_true(given);
	sim_free(s);
	sim_watch_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_goes_back),
		cmocka_unit_test(work_is_not_what_was_asked_for),
		cmocka_unit_test(a_step_is_skipped),
		cmocka_unit_test(a_step_is_cut_short),
		cmocka_unit_test(a_wakeup_comes_to_nothing),
		cmocka_unit_test(a_task_starves),
		cmocka_unit_test(nobody_starves),
		cmocka_unit_test(what_ran_with_less_weight_waits),
	};

	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
