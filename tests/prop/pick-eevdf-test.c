/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick-eevdf-test.c - the search down the tree against a scan of all entities, on random queues.
 *
 * The model knows nothing of trees and sums: V by definition, eligibility by comparing with it
 * without a division, the earliest deadline, ties by order of insertion.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/rng.h"
#include "tests/unit/pick-world.h"

extern const struct sched_policy pick_eevdf;

struct model {
	struct world *w;
	u32 nr; /* tasks in use */
	u64 stamp, inserted[WORLD_TASKS]; /* order of insertion into the tree */
	bool marked[WORLD_TASKS]; /* was in the tree at the last look */
	u64 key, draws;
};

static u64 draw(struct model *m, u64 n)
{
	return rng_uniform(m->key, &m->draws, n);
}

/* k and w of all queued, relative to zero_vruntime: any point will do. */
static void sums(const struct world *w, u32 nr, s128 *k, s64 *weight, bool tree_only)
{
	*k = 0;
	*weight = 0;
	for (u32 i = 0; i < nr; i++) {
		if (!w->se[i].on_rq || (tree_only && w->cfs.curr == i))
			continue;
		*k += (s128)(s64)(w->se[i].vruntime - w->cfs.zero_vruntime) *
		      (s64)se_weight(&w->se[i]);
		*weight += (s64)se_weight(&w->se[i]);
	}
}

static se_id model_pick(const struct model *m)
{
	const struct world *w = m->w;
	se_id curr = w->cfs.curr, best = NONE;
	s128 k;
	s64 weight;

	if (curr != NONE && !w->se[curr].on_rq)
		curr = NONE;
	sums(w, m->nr, &k, &weight, false);
	if (w->cfs.nr_queued > 1 && curr != NONE &&
	    k < (s128)(s64)(w->se[curr].vruntime - w->cfs.zero_vruntime) * weight)
		curr = NONE;
	if (curr != NONE &&
	    ((u64)w->se[curr].vlag == w->se[curr].deadline || w->cfs.nr_queued == 1))
		return curr;
	for (u32 i = 0; i < m->nr; i++) {
		const struct sched_entity *se = &w->se[i];

		if (!se->on_rq || i == w->cfs.curr)
			continue;
		if (w->cfs.nr_queued > 1 &&
		    k < (s128)(s64)(se->vruntime - w->cfs.zero_vruntime) * weight)
			continue;

		s64 d = best == NONE ? -1 : (s64)(se->deadline - w->se[best].deadline);

		if (d < 0 || (d == 0 && m->inserted[i] < m->inserted[best]))
			best = i;
	}
	if (curr != NONE &&
	    (best == NONE || (s64)(w->se[curr].deadline - w->se[best].deadline) < 0))
		best = curr;
	return best;
}

static void note_order(struct model *m)
{
	const struct world *w = m->w;

	for (u32 i = 0; i < m->nr; i++) {
		bool in = w->se[i].on_rq && w->cfs.curr != i;

		if (in && !m->marked[i])
			m->inserted[i] = ++m->stamp;
		m->marked[i] = in;
	}
}

static void look(struct model *m)
{
	struct world *w = m->w;
	s128 k;
	s64 weight;

	note_order(m);
	sums(w, m->nr, &k, &weight, true);
	assert_true(k == w->cfs.avg_vruntime);
	assert_int_equal(weight, w->cfs.avg_load);
	assert_true(timeline_tree_check(&w->sim, &w->cfs.timeline));
	if (w->cfs.nr_queued)
		assert_int_equal(w->sim.pick->pick(&w->sim, &w->cfs), model_pick(m));
}

/* V by definition: the floor of the weighted average. */
static u64 model_avg(const struct model *m)
{
	s128 k;
	s64 weight;

	sums(m->w, m->nr, &k, &weight, false);

	s128 d = k / weight;

	return m->w->cfs.zero_vruntime + (u64)(s64)(d * weight > k ? d - 1 : d);
}

static s64 model_lag(const struct model *m, se_id id)
{
	struct sched_entity *se = &m->w->se[id];
	u64 slice = se->custom_slice ? se->slice : m->w->g.tun.base_slice;
	s64 limit = (s64)calc_delta_fair(max_u64(2 * slice, 4000000), se);
	s64 lag = (s64)(model_avg(m) - se->vruntime);

	return lag > limit ? limit : lag < -limit ? -limit : lag;
}

static void leave(struct model *m, se_id id, u32 flags)
{
	s64 lag = model_lag(m, id);

	world_dequeue(m->w, id, flags);
	assert_int_equal(m->w->se[id].vlag, lag);
}

static void reweigh(struct model *m, se_id id, s8 nice)
{
	struct sched_entity *se = &m->w->se[id];
	s64 old = (s64)se->load.weight, new = (s64)load_weight_of(nice, false).weight;

	if (!se->on_rq) {
		world_reweight(m->w, id, nice);
		return;
	}

	u64 avg = model_avg(m);
	s64 lag = model_lag(m, id), left = (s64)(se->deadline - avg);

	world_reweight(m->w, id, nice);
	assert_int_equal(se->vruntime, avg - (u64)(s64)((s128)lag * old / new));
	assert_int_equal(se->deadline, avg + (u64)(s64)((s128)left * old / new));
}

static void reinsert_note(struct model *m, se_id id)
{
	m->marked[id] = false;
}

static void one_step(struct model *m)
{
	struct world *w = m->w;
	se_id id = (se_id)draw(m, m->nr);
	struct sched_entity *se = &w->se[id];

	switch (draw(m, 8)) {
	case 0:
	case 1:
		if (!se->on_rq && w->cfs.curr != id)
			world_enqueue(w, id, draw(m, 4) ? ENQUEUE_WAKEUP : ENQUEUE_INITIAL);
		break;
	case 2:
		if (se->on_rq && w->cfs.curr != id)
			leave(m, id, draw(m, 2) ? DEQUEUE_SLEEP : 0);
		break;
	case 3:
		if (w->cfs.curr != NONE)
			world_sleep(w);
		break;
	case 4:
		if (w->cfs.curr != id || se->on_rq) {
			reweigh(m, id, (s8)((s64)draw(m, 40) - 20));
			reinsert_note(m, id);
		}
		break;
	case 5:
		if (w->cfs.curr != NONE && w->se[w->cfs.curr].on_rq)
			w->sim.pick->yield(&w->sim, &w->cfs, w->cfs.curr);
		break;
	default:
		if (w->cfs.curr != NONE)
			world_run(w, draw(m, 3000000) + 1);
		world_schedule(w);
	}
}

static void search_equals_scan(void **state)
{
	(void)state;
	for (u64 seed = 0; seed < 60; seed++) {
		struct model m = { .w = world_new(&pick_eevdf), .key = rng_root_key(seed) };

		m.nr = (u32)draw(&m, seed % 3 ? 12 : WORLD_TASKS - 1) + 1;
		for (u32 i = 0; i < m.nr; i++) {
			set_load_weight(&m.w->se[i], (s8)((s64)draw(&m, 40) - 20), false);
			m.w->se[i].slice = draw(&m, 3) ? 0 : 100000 + draw(&m, 10000000);
			m.w->se[i].custom_slice = m.w->se[i].slice != 0;
		}
		for (u32 i = 0; i < 600; i++) {
			one_step(&m);
			look(&m);
		}
		free(m.w);
	}
}

/* Among always-running tasks nobody's lag leaves the bound, and shares are weights. */
static void shares_are_weights(void **state)
{
	static const s8 nice[] = { 0, 5, -5, 10 };
	struct world *w = world_new(&pick_eevdf);
	u64 total = 0;

	(void)state;
	for (se_id i = 0; i < ARRAY_SIZE(nice); i++) {
		set_load_weight(&w->se[i], nice[i], false);
		total += se_weight(&w->se[i]);
		world_enqueue(w, i, ENQUEUE_INITIAL);
	}
	world_schedule(w);
	world_ticks(w, 20000);
	for (se_id i = 0; i < ARRAY_SIZE(nice); i++) {
		u64 want = 20000000000ull * se_weight(&w->se[i]) / total;
		u64 got = w->se[i].sum_exec_runtime;

		assert_in_range(got, want - 5000000, want + 5000000);
	}
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(search_equals_scan),
		cmocka_unit_test(shares_are_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
