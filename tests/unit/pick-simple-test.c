/* SPDX-License-Identifier: GPL-2.0-only */
/* pick-simple-test.c - fifo, rr, stride and lottery: who runs, how long, with what share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/pick-world.h"

extern const struct sched_policy pick_fifo, pick_rr, pick_stride, pick_lottery;

static struct world *three(const struct sched_policy *p)
{
	struct world *w = world_new(p);

	for (se_id i = 0; i < 3; i++)
		world_enqueue(w, i, ENQUEUE_INITIAL);
	world_schedule(w);
	return w;
}

static void fifo_in_order_of_arrival(void **state)
{
	struct world *w = three(&pick_fifo);

	(void)state;
	world_ticks(w, 1000);
	assert_int_equal(w->cfs.curr, 0);
	assert_int_equal(w->switches, 1);
	world_sleep(w);
	assert_int_equal(w->cfs.curr, 1);
	world_enqueue(w, 0, ENQUEUE_WAKEUP);
	world_sleep(w);
	assert_int_equal(w->cfs.curr, 2);
	w->sim.pick->yield(&w->sim, &w->cfs, 2);
	assert_int_equal(world_schedule(w), 0);
	world_sleep(w);
	assert_int_equal(w->cfs.curr, 2);
	free(w);
}

static void idle_policy_comes_last(void **state)
{
	struct world *w = world_new(&pick_fifo);

	(void)state;
	w->se[0].idle = 1;
	world_enqueue(w, 0, ENQUEUE_INITIAL);
	world_schedule(w);
	world_enqueue(w, 1, ENQUEUE_INITIAL);
	assert_true(w->sim.pick->preempt(&w->sim, &w->cfs, 0, 1, WF_IDLE_CURR));
	assert_false(w->sim.pick->preempt(&w->sim, &w->cfs, 0, 1, 0));
	assert_int_equal(world_schedule(w), 1);
	world_sleep(w);
	assert_int_equal(w->cfs.curr, 0);
	free(w);
}

static void rr_equal_turns(void **state)
{
	struct world *w = three(&pick_rr);

	(void)state;
	set_load_weight(&w->se[1], -20, false); /* weight means nothing here */
	for (u32 turn = 0; turn < 9; turn++) {
		assert_int_equal(w->cfs.curr, turn % 3);
		world_ticks(w, WORLD_PARAM_US / 1000);
	}
	for (se_id i = 0; i < 3; i++)
		assert_int_equal(w->se[i].sum_exec_runtime, 30000000);
	free(w);
}

static void run_weighted(struct world *w, u32 ms)
{
	static const s8 nice[] = { 0, 5, -5 };

	for (se_id i = 0; i < 3; i++) {
		set_load_weight(&w->se[i], nice[i], false);
		world_enqueue(w, i, ENQUEUE_INITIAL);
	}
	world_schedule(w);
	world_ticks(w, ms);
}

/* Expected run time of @i among the three, ns. */
static u64 fair_part(const struct world *w, se_id i, u32 ms)
{
	u64 total = se_weight(&w->se[0]) + se_weight(&w->se[1]) + se_weight(&w->se[2]);

	return ms * 1000000ull * se_weight(&w->se[i]) / total;
}

static void stride_shares(void **state)
{
	struct world *w = world_new(&pick_stride);

	(void)state;
	run_weighted(w, 10000);
	for (se_id i = 0; i < 3; i++) {
		u64 part = fair_part(w, i, 10000);

		assert_in_range(w->se[i].sum_exec_runtime, part - 21000000, part + 21000000);
	}
	free(w);
}

/* Sleeping earns nothing: the pass starts anew at the queue's. */
static void stride_no_credit_for_sleep(void **state)
{
	struct world *w = three(&pick_stride);

	(void)state;
	world_sleep(w);

	u64 before = w->se[0].sum_exec_runtime;

	world_ticks(w, 3000);
	world_enqueue(w, 0, ENQUEUE_WAKEUP);
	world_ticks(w, 300);
	assert_in_range(w->se[0].sum_exec_runtime - before, 70000000, 130000000);
	/* Nor is anyone more than a quantum away from the others when it joins. */
	w->se[5].policy_data = 1ll << 50;
	w->se[6].policy_data = -(1ll << 50);
	world_enqueue(w, 5, ENQUEUE_WAKEUP);
	world_enqueue(w, 6, ENQUEUE_WAKEUP);
	assert_int_equal(w->se[5].vruntime - w->cfs.zero_vruntime, WORLD_PARAM_US * 1000);
	assert_int_equal(w->cfs.zero_vruntime - w->se[6].vruntime, WORLD_PARAM_US * 1000);
	free(w);
}

static void lottery_shares_and_repeats(void **state)
{
	struct world *w = world_new(&pick_lottery), *again = world_new(&pick_lottery);

	(void)state;
	run_weighted(w, 100000);
	run_weighted(again, 100000);
	for (se_id i = 0; i < 3; i++) {
		u64 part = fair_part(w, i, 100000);

		/* 10000 drawings: five standard deviations are at most 2.5 %. */
		assert_in_range(w->se[i].sum_exec_runtime, part - 2500000000, part + 2500000000);
		assert_int_equal(w->se[i].sum_exec_runtime, again->se[i].sum_exec_runtime);
	}
	assert_true(w->switches > 1000);
	free(w);
	free(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifo_in_order_of_arrival),
		cmocka_unit_test(idle_policy_comes_last),
		cmocka_unit_test(rr_equal_turns),
		cmocka_unit_test(stride_shares),
		cmocka_unit_test(stride_no_credit_for_sleep),
		cmocka_unit_test(lottery_shares_and_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
