/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload-queue-test.c - tasks that talk: bounded queues, semaphores that forget, waits that say so,
 * and what a broadcast costs.
 */
#include "tests/sim-world.h"

static const struct shape four = { .cpus = 4, .nodes = 1, .smt = 1 };

static u32 sync_of(const struct sim *s, u32 kind)
{
	for_each_live(o, &s->arena, POOL_SYNC) if (s->syncs[o].kind == kind) return o;
	fail_msg("no such object");
	return NONE;
}

static struct task_spec *sender(const char *name, u32 n, u64 gap, u32 depth)
{
	struct task_spec *spec = task_spec_new(name);
	u32 q = world_obj(spec, "q", SYNC_QUEUE, false);

	world_open(spec, STEP_LOOP, n);
	if (gap)
		world_step(spec, STEP_RUN, 0, NONE, gap, 0);
	world_step(spec, STEP_SEND, 0, q, depth, 0);
	world_close(spec);
	return spec;
}

static struct task_spec *receiver(const char *name, u32 n, u64 gap)
{
	struct task_spec *spec = task_spec_new(name);
	u32 q = world_obj(spec, "q", SYNC_QUEUE, false);

	world_open(spec, STEP_LOOP, n);
	world_step(spec, STEP_RECEIVE, 0, q, 0, 0);
	if (gap)
		world_step(spec, STEP_RUN, 0, NONE, gap, 0);
	world_close(spec);
	return spec;
}

/* A slow sender: the receiver waits for each message and ends with the last, nothing stays behind. */
static void receivers_wait_while_empty(void **state)
{
	struct sim *s = world_sim(four, NULL, 1);

	(void)state;
	world_spawn(s, receiver("r", 10, 0));
	world_spawn(s, sender("s", 10, MS, 3));
	world_run(s, 9 * MS);
	assert_int_equal(s->g->nr_tasks_alive, 2);
	world_check(s);
	world_run(s, 10 * MS);
	assert_int_equal(s->g->nr_tasks_alive, 0);
	assert_int_equal(s->syncs[sync_of(s, SYNC_QUEUE)].value, 0);
	sim_free(s);
}

/* A slow receiver: the sender is never more than the depth ahead, one message in its own hand. */
static void senders_wait_while_full(void **state)
{
	struct sim *s = world_sim(four, NULL, 1);
	u32 q;

	(void)state;
	u64 a = world_spawn(s, sender("s", 10, 0, 3));

	world_spawn(s, receiver("r", 10, MS));
	world_run(s, MS / 2);
	q = sync_of(s, SYNC_QUEUE);
	assert_int_equal(s->syncs[q].value, 3);
	assert_int_equal(s->syncs[q].nr_waiting, 1);
	assert_int_equal(s->tasks[sim_find_task(s, a)].state, TASK_WAITING);
	/* Message k is taken at (k - 1) ms: the tenth was handed over when the sixth was taken. */
	world_run(s, 6 * MS - 1);
	world_check(s);
	assert_int_not_equal(sim_find_task(s, a), NONE);
	world_run(s, 6 * MS);
	assert_int_equal(sim_find_task(s, a), NONE);
	world_run(s, 10 * MS);
	assert_int_equal(s->g->nr_tasks_alive, 0);
	assert_int_equal(s->syncs[q].value, 0);
	sim_free(s);
}

/* Many on both sides, of unequal speed: what is sent is received, each message once. */
static void messages_are_conserved(void **state)
{
	(void)state;
	for (u32 depth = 1; depth <= 5; depth += 2) {
		struct sim *s = world_sim(four, NULL, depth);
		struct task_spec *a = sender("s", 60, 13 * US, depth), *b = receiver("r", 30, US);

		a->instances = 5;
		b->instances = 10;
		world_spawn(s, a);
		world_spawn(s, b);
		for (u32 i = 1; i < 40; i++) {
			world_run(s, i * 37 * US);
			world_check(s);
		}
		world_run(s, 100 * MS);
		assert_int_equal(s->g->nr_tasks_alive, 0);
		assert_int_equal(s->syncs[sync_of(s, SYNC_QUEUE)].value, 0);
		sim_free(s);
	}
}

static void who_ends_waits_no_more(void **state)
{
	struct sim *s = world_sim(four, NULL, 1);

	(void)state;
	u64 a = world_spawn(s, sender("s", 10, 0, 2));

	world_run(s, MS);
	world_input(s, (struct sim_input){ .kind = INPUT_KILL, .serial = a });
	world_run(s, 2 * MS);
	world_check(s);
	assert_int_equal(s->syncs[sync_of(s, SYNC_QUEUE)].nr_waiting, 0);
	/* The two in the queue are there, the third died with its sender. */
	world_spawn(s, receiver("r", 2, 0));
	u64 more = world_spawn(s, receiver("r", 1, 0));

	world_run(s, 3 * MS);
	assert_int_equal(s->g->nr_tasks_alive, 1);
	assert_int_equal(s->tasks[sim_find_task(s, more)].state, TASK_WAITING);
	sim_free(s);
}

/* A worker says that it waits once it does: whoever hears it finds it on the list. */
static void a_wait_that_posts_is_never_missed(void **state)
{
	struct sim *s = world_sim(four, NULL, 1);
	struct task_spec *m = task_spec_new("m"), *w = task_spec_new("w");
	u32 list = world_obj(w, "list", SYNC_COND, false),
	    sem = world_obj(w, "sem", SYNC_SEM, false);

	(void)state;
	w->instances = 2;
	world_open(w, STEP_LOOP, 50);
	world_step(w, STEP_RUN, STEP_F_UNIFORM, NONE, 5 * US, 20 * US);
	world_step(w, STEP_WAIT, STEP_F_POST, list, 0, sem + 1);
	world_close(w);
	list = world_obj(m, "list", SYNC_COND, false);
	sem = world_obj(m, "sem", SYNC_SEM, false);
	world_open(m, STEP_LOOP, 0);
	world_step(m, STEP_SEM_RESET, 0, sem, 0, 0);
	world_step(m, STEP_BROADCAST, 0, list, 0, 0);
	world_step(m, STEP_SEM_WAIT, 0, sem, 0, 0);
	world_step(m, STEP_RUN, 0, NONE, 3 * US, 0);
	world_close(m);
	world_spawn(s, m);
	world_spawn(s, w);
	world_input(s, (struct sim_input){
			       .kind = INPUT_TUNABLE, .a = sim_tunable_index("costs"), .b = 1 });
	world_run(s, 20 * MS);
	world_check(s);
	assert_int_equal(s->g->nr_tasks_alive, 1);
	sim_free(s);
}

/* Each of three is woken for the price of a wake-up, so the last runs two prices after the first. */
static void a_broadcast_pays_for_each(void **state)
{
	struct sim *s = world_sim(four, NULL, 1);
	struct task_spec *w = task_spec_new("w"), *k = task_spec_new("k");

	(void)state;
	w->instances = 3;
	world_step(w, STEP_WAIT, 0, world_obj(w, "c", SYNC_COND, false), 0, 0);
	world_step(w, STEP_RUN, 0, NONE, 10 * MS, 0);
	world_step(k, STEP_SLEEP, 0, NONE, MS, 0);
	world_step(k, STEP_BROADCAST, 0, world_obj(k, "c", SYNC_COND, false), 0, 0);
	u64 first = world_spawn(s, w);

	world_spawn(s, k);
	for (u32 i = 0; i < nr_sim_tunables; i++)
		if (!strncmp(sim_tunables[i].name, "cost_", 5))
			world_input(s, (struct sim_input){ .kind = INPUT_TUNABLE, .a = i, .b = 0 });
	world_input(s, (struct sim_input){
			       .kind = INPUT_TUNABLE, .a = sim_tunable_index("costs"), .b = 1 });
	world_input(s, (struct sim_input){ .kind = INPUT_TUNABLE,
					   .a = sim_tunable_index("cost_wakeup_ns"),
					   .b = 100 * US });
	/* The timer's own wake-up of the broadcaster is paid first. */
	world_run(s, MS + 350 * US);
	u64 ran = 0;

	for (u64 i = 0; i < 3; i++)
		ran += s->tasks[sim_find_task(s, first + i)].state == TASK_RUNNING;
	assert_int_equal(ran, 2);
	world_run(s, MS + 450 * US);
	assert_int_equal(s->tasks[sim_find_task(s, first + 2)].state, TASK_RUNNING);
	assert_int_equal(s->stats->lost_signals, 0);
	sim_free(s);
}

/* Group commit: who asks while a flush is under way is served by the next one. */
static void moved_waiters_wait_elsewhere(void **state)
{
	struct sim *s = world_sim(four, NULL, 1);
	struct task_spec *a = task_spec_new("a"), *b = task_spec_new("b"), *k = task_spec_new("k");
	u32 asked = world_obj(k, "asked", SYNC_COND, false);
	u32 served = world_obj(k, "served", SYNC_COND, false);

	(void)state;
	world_step(a, STEP_WAIT, 0, world_obj(a, "asked", SYNC_COND, false), 0, 0);
	world_step(b, STEP_SLEEP, 0, NONE, 2 * MS, 0);
	world_step(b, STEP_WAIT, 0, world_obj(b, "asked", SYNC_COND, false), 0, 0);
	a->instances = 3;
	world_step(k, STEP_SLEEP, 0, NONE, MS, 0);
	world_step(k, STEP_REQUEUE, 0, asked, 0, served + 1);
	world_step(k, STEP_SLEEP, 0, NONE, 2 * MS, 0);
	world_step(k, STEP_BROADCAST, 0, served, 0, 0);
	world_spawn(s, a);
	world_spawn(s, k);
	u64 late = world_spawn(s, b);

	world_run(s, 2 * MS + 1);
	world_check(s);
	assert_int_equal(s->g->nr_tasks_alive, 5);
	world_run(s, 4 * MS);
	world_check(s);
	assert_int_equal(s->g->nr_tasks_alive, 1);
	assert_int_equal(s->tasks[sim_find_task(s, late)].state, TASK_WAITING);
	sim_free(s);
}

/* A sample counts from the stamp that the signal carried, or from the signal. */
static void signals_carry_stamps(void **state)
{
	struct sim *s = world_sim(four, NULL, 1);
	struct err err = { 0 };

	(void)state;
	for (u32 with = 0; with < 2; with++) {
		struct task_spec *w = task_spec_new("w"), *k = task_spec_new("k");
		u32 c = world_obj(k, with ? "c1" : "c0", SYNC_COND, false);
		u32 st = world_obj(k, "st", SYNC_STAMP, false);

		/* Before any signal there is nothing to count from. */
		assert_true(spec_measure(w, STEP_SAMPLE, 0, NONE, with ? "with" : "without", 0, 0,
					 &err) >= 0);
		world_step(w, STEP_WAIT, 0, world_obj(w, with ? "c1" : "c0", SYNC_COND, false), 0,
			   0);
		world_step(w, STEP_RUN, 0, NONE, 100 * US, 0);
		assert_true(spec_measure(w, STEP_SAMPLE, 0, NONE, with ? "with" : "without", 0, 0,
					 &err) >= 0);
		world_step(k, STEP_SLEEP, 0, NONE, MS, 0);
		world_step(k, STEP_STAMP, 0, st, 0, 0);
		world_step(k, STEP_RUN, 0, NONE, 300 * US, 0);
		world_step(k, STEP_WAKE, 0, c, 0, with ? st + 1 : 0);
		world_spawn(s, w);
		world_spawn(s, k);
	}
	world_run(s, 10 * MS);
	for_each_live(g, &s->arena, POOL_LAT_GROUP)
	{
		const struct lat_group *lg = &s->lat_groups[g];
		u64 want = !strcmp(lg->name, "with")	  ? 400 * US
			   : !strcmp(lg->name, "without") ? 100 * US
							  : 0;

		if (!want)
			continue;
		assert_int_equal(lg->hist.s.count, 1);
		assert_int_equal(lg->hist.s.max, want);
	}
	sim_free(s);
}

static void bad_queues_are_refused(void **state)
{
	struct sim *s = world_sim(four, NULL, 1);
	struct err err = { 0 };
	struct task_spec *spec = sender("s", 1, 0, 0);

	(void)state;
	assert_int_equal(spec_check(spec, 4, &err), -1);
	assert_non_null(strstr(err.msg, "1 .. 1000000"));
	task_spec_free(spec);
	spec = task_spec_new("w");
	err = (struct err){ 0 };
	world_step(spec, STEP_WAIT, STEP_F_POST, world_obj(spec, "c", SYNC_COND, false), 0, 0);
	assert_int_equal(spec_check(spec, 4, &err), -1);
	assert_non_null(strstr(err.msg, "no semaphore"));
	task_spec_free(spec);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receivers_wait_while_empty),
		cmocka_unit_test(senders_wait_while_full),
		cmocka_unit_test(messages_are_conserved),
		cmocka_unit_test(who_ends_waits_no_more),
		cmocka_unit_test(a_wait_that_posts_is_never_missed),
		cmocka_unit_test(a_broadcast_pays_for_each),
		cmocka_unit_test(moved_waiters_wait_elsewhere),
		cmocka_unit_test(signals_carry_stamps),
		cmocka_unit_test(bad_queues_are_refused),
	};

	return cmocka_run_group_tests_name("queues, semaphores, broadcasts", tests, NULL, NULL);
}
