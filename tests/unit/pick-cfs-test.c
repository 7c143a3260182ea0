/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick-cfs-test.c - what the vectors of CFS do not reach: buddies, many tasks, older releases; and
 * the worked checks of both generations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/pick-world.h"

extern const struct sched_policy pick_eevdf, pick_cfs;

static struct world *pair(const struct sched_policy *p)
{
	struct world *w = world_new(p);

	w->g.nr_online = 8;
	world_enqueue(w, 0, ENQUEUE_INITIAL);
	world_schedule(w);
	world_enqueue(w, 1, ENQUEUE_INITIAL);
	return w;
}

/* Ticks of @ms until the running task changes; at most 100. A switch takes 10 us of the first. */
static u32 ticks_to_switch(struct world *w, u32 ms)
{
	se_id curr = w->cfs.curr;

	for (u32 n = 1; n <= 100; n++) {
		world_run(w, ms * 1000000ull - (n == 1 ? 10000 : 0));
		if (w->resched && world_schedule(w) != curr)
			return n;
	}
	return 0;
}

/* 8 CPUs, HZ 250, two equal tasks: EEVDF changes every tick, CFS, with slices of 12 ms, at the fourth. */
static void slices_end_on_ticks(void **state)
{
	struct world *w = pair(&pick_eevdf);

	(void)state;
	ticks_to_switch(w, 4);
	for (u32 i = 0; i < 10; i++)
		assert_int_equal(ticks_to_switch(w, 4), 1);
	free(w);

	w = pair(&pick_cfs);
	ticks_to_switch(w, 4);
	for (u32 i = 0; i < 10; i++)
		assert_int_equal(ticks_to_switch(w, 4), 4);
	free(w);
}

/* More than eight tasks stretch the period: 3 ms each on 8 CPUs, with or without BASE_SLICE. */
static void period_grows_with_tasks(void **state)
{
	struct world *w = pair(&pick_cfs);

	(void)state;
	w->g.tun.features &= ~FEAT_BIT(BASE_SLICE);
	for (se_id i = 2; i < 16; i++)
		world_enqueue(w, i, ENQUEUE_INITIAL);
	for (u32 i = 0; i < 40; i++) {
		u32 n = ticks_to_switch(w, 1);

		if (i > 16) /* the starting debt is over */
			assert_in_range(n, 3, 4);
	}
	free(w);
}

static void sleeper_preempts_and_is_next(void **state)
{
	struct world *w = pair(&pick_cfs);

	(void)state;
	ticks_to_switch(w, 4);
	world_sleep(w);
	world_run(w, 50000000);

	se_id curr = w->cfs.curr, wakee = !curr;

	world_enqueue(w, wakee, ENQUEUE_WAKEUP);
	/* Half a latency behind: 12 ms, more than the granularity of 4. */
	assert_int_equal(w->se[curr].vruntime - w->se[wakee].vruntime, 12000000);
	assert_true(w->sim.pick->preempt(&w->sim, &w->cfs, curr, wakee, WF_TTWU));
	assert_int_equal(w->cfs.next, wakee);
	assert_int_equal(w->cfs.last, NONE); /* too few tasks for a last buddy */
	assert_int_equal(world_schedule(w), wakee);
	free(w);
}

static void crowded_queue_remembers_last(void **state)
{
	struct world *w = pair(&pick_cfs);

	(void)state;
	for (se_id i = 2; i < 10; i++)
		world_enqueue(w, i, ENQUEUE_INITIAL);

	se_id curr = w->cfs.curr;

	/* A little ahead of everyone, too little to be unfair. */
	w->se[curr].vruntime = w->se[timeline_first(&w->cfs)].vruntime;
	world_run(w, 1000000);
	w->se[20].vruntime = w->cfs.min_vruntime - 1000000000;
	world_enqueue(w, 20, ENQUEUE_WAKEUP);
	assert_true(w->sim.pick->preempt(&w->sim, &w->cfs, curr, 20, WF_TTWU));
	assert_int_equal(w->cfs.last, curr);
	assert_int_equal(world_schedule(w), 20);
	w->cfs.next = NONE; /* fair.c clears it when it becomes current */
	/* The wakee sleeps again: its victim returns although another is further behind. */
	world_sleep(w);
	assert_int_equal(w->cfs.curr, curr);
	free(w);
}

static void yield_skips_unless_unfair(void **state)
{
	struct world *w = pair(&pick_cfs);

	(void)state;
	w->se[0].vruntime = w->se[1].vruntime - 1000000;
	w->sim.pick->yield(&w->sim, &w->cfs, 0);
	assert_int_equal(w->sim.pick->pick(&w->sim, &w->cfs), 1);
	w->se[0].vruntime = w->se[1].vruntime - 4000001;
	assert_int_equal(w->sim.pick->pick(&w->sim, &w->cfs), 0);
	free(w);
}

/* Before v6.1 SCHED_IDLE sleepers had the whole credit. */
static void idle_credit_by_release(void **state)
{
	(void)state;
	for (int new = 0; new < 2; new ++) {
		struct world *w = world_new(&pick_cfs);

		if (!new)
			w->g.tun.features &= ~FEAT_BIT(CFS_IDLE);
		w->se[0].idle = 1;
		w->se[0].vruntime = w->cfs.min_vruntime - 1000000000;
		world_enqueue(w, 0, ENQUEUE_WAKEUP);
		assert_int_equal(w->cfs.min_vruntime - w->se[0].vruntime, new ? 375000 : 3000000);
		free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_end_on_ticks),
		cmocka_unit_test(period_grows_with_tasks),
		cmocka_unit_test(sleeper_preempts_and_is_next),
		cmocka_unit_test(crowded_queue_remembers_last),
		cmocka_unit_test(yield_skips_unless_unfair),
		cmocka_unit_test(idle_credit_by_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
