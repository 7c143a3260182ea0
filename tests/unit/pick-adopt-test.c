/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick-adopt-test.c - every pick policy takes over from every other, at any moment of a random run:
 * nobody is lost, the tree is in order, and nobody waits long for what happened before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/rng.h"
#include "engine/sched/tunables.h"
#include "tests/unit/pick-world.h"

extern const struct sched_policy pick_eevdf, pick_cfs, pick_fifo, pick_rr, pick_stride,
	pick_lottery;

static const struct sched_policy *const all[] = {
	&pick_eevdf, &pick_cfs, &pick_fifo, &pick_rr, &pick_stride, &pick_lottery,
};

#define NR 20

static void check(struct world *w)
{
	u32 queued = 0, in_tree = 0;

	for (se_id i = 0; i < NR; i++)
		queued += w->se[i].on_rq;
	for_each_timeline(&w->sim, &w->cfs, id)
	{
		assert_true(w->se[id].on_rq && id != w->cfs.curr);
		in_tree++;
	}
	if (w->cfs.curr != NONE && w->se[w->cfs.curr].on_rq)
		in_tree++;
	assert_int_equal(queued, in_tree);
	assert_int_equal(queued, w->cfs.nr_queued);
	assert_int_equal(w->cfs.timeline.nr, queued - (w->cfs.curr != NONE));
	assert_true(timeline_tree_check(&w->sim, &w->cfs.timeline));
}

static void random_life(struct world *w, u64 key, u64 *draws, u32 steps)
{
	while (steps--) {
		se_id id = (se_id)rng_uniform(key, draws, NR);

		switch (rng_uniform(key, draws, 5)) {
		case 0:
			if (!w->se[id].on_rq)
				world_enqueue(w, id, ENQUEUE_WAKEUP);
			break;
		case 1:
			if (w->cfs.curr != NONE)
				world_sleep(w);
			break;
		case 2:
			world_reweight(w, id, (s8)((s64)rng_uniform(key, draws, 40) - 20));
			break;
		default:
			world_run(w, rng_uniform(key, draws, 8000000));
			world_schedule(w);
		}
		check(w);
	}
}

static void everyone_after_everyone(void **state)
{
	(void)state;
	for (u32 seed = 0; seed < 200; seed++) {
		struct world *w = world_new(all[seed % ARRAY_SIZE(all)]);
		u64 key = rng_root_key(seed), draws = 0;

		for (u32 round = 0; round < 8; round++) {
			random_life(w, key, &draws, 60);
			world_use(w, all[rng_uniform(key, &draws, ARRAY_SIZE(all))]);
			w->sim.pick->adopt(&w->sim, &w->cfs);
			check(w);
		}
		free(w);
	}
}

/* After a swap to a fair policy everyone, sleepers included, gets a turn soon. */
static void nobody_starves_after_a_swap(void **state)
{
	(void)state;
	for (u32 from = 0; from < ARRAY_SIZE(all); from++) {
		for (u32 to = 0; to < 2; to++) {
			struct world *w = world_new(all[from]);

			for (se_id i = 0; i < 4; i++)
				world_enqueue(w, i, ENQUEUE_INITIAL);
			world_schedule(w);
			world_ticks(w, 500);
			world_sleep(w); /* one sleeps through the swap */
			world_ticks(w, 500);
			world_use(w, all[to]);
			w->sim.pick->adopt(&w->sim, &w->cfs);
			for (se_id i = 0; i < 4; i++)
				if (!w->se[i].on_rq)
					world_enqueue(w, i, ENQUEUE_WAKEUP);

			u64 before[4];

			for (se_id i = 0; i < 4; i++)
				before[i] = w->se[i].sum_exec_runtime;
			world_ticks(w, 400);
			for (se_id i = 0; i < 4; i++)
				assert_in_range(w->se[i].sum_exec_runtime - before[i], 80000000,
						120000000);
			free(w);
		}
	}
}

static void scaling(void **state)
{
	static const u32 factor[] = { 1, 1, 2, 2, 3, 3, 3, 3, 4, 4 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(factor); i++)
		assert_int_equal(scaling_factor(i), factor[i]);
	assert_int_equal(scaling_factor(1024), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everyone_after_everyone),
		cmocka_unit_test(nobody_starves_after_a_swap),
		cmocka_unit_test(scaling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
