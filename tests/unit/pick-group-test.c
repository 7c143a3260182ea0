/* SPDX-License-Identifier: GPL-2.0-only */
/* pick-group-test.c - what pick policies do across two levels: slices of groups, buddies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/pick-world.h"

extern const struct sched_policy pick_eevdf, pick_cfs;

#define GROUP (SE_GROUP | 1u)

struct two_levels {
	struct world *w;
	struct cfs_rq q[2]; /* root, and the group's */
	struct sched_entity gse[2];
};

static void setup(struct two_levels *t, const struct sched_policy *p)
{
	memset(t, 0, sizeof(*t));
	t->w = world_new(p);
	t->q[0] = t->q[1] = t->w->cfs;
	t->q[1].tg = 1;
	t->w->sim.cfs_rqs = t->q;
	t->w->sim.group_se = t->gse;
	t->w->groups[0].first_child = 1;
	t->w->groups[1].parent = 0;
	set_load_weight(&t->gse[1], 0, false);
	t->gse[1].parent = NONE;
	t->gse[1].my_q = 1;
	for (se_id i = 0; i < 8; i++) {
		t->w->se[i].cfs_rq = 1;
		t->w->se[i].parent = GROUP;
		t->w->se[i].depth = 1;
	}
}

/* One level of enqueue_task_fair() and dequeue_task_fair(). */
static void join(struct two_levels *t, u32 level, se_id id)
{
	struct sim *s = &t->w->sim;
	struct cfs_rq *q = &t->q[level];

	s->pick->place(s, q, id, ENQUEUE_WAKEUP);
	update_load_add(&q->load, se_get(s, id)->load.weight);
	q->nr_queued++;
	s->pick->insert(s, q, id);
	se_get(s, id)->on_rq = 1;
}

static void leave(struct two_levels *t, u32 level, se_id id)
{
	struct sim *s = &t->w->sim;
	struct cfs_rq *q = &t->q[level];

	s->pick->unplace(s, q, id, DEQUEUE_SLEEP);
	s->pick->erase(s, q, id);
	se_get(s, id)->on_rq = 0;
	update_load_sub(&q->load, se_get(s, id)->load.weight);
	q->nr_queued--;
}

static void group_takes_the_shortest_slice(void **state)
{
	struct two_levels t;
	struct sched_entity *g = &t.gse[1];

	(void)state;
	setup(&t, &pick_eevdf);
	t.w->se[1].custom_slice = 1;
	t.w->se[1].slice = 200000;
	t.w->se[2].custom_slice = 1;
	t.w->se[2].slice = 5000000;

	join(&t, 1, 0);
	join(&t, 0, GROUP);
	assert_int_equal(g->deadline - g->vruntime, 700000);
	leave(&t, 0, GROUP);

	join(&t, 1, 2); /* longer than the base slice of the other */
	join(&t, 0, GROUP);
	assert_int_equal(g->slice, 700000);
	leave(&t, 0, GROUP);

	join(&t, 1, 1);
	join(&t, 0, GROUP);
	assert_int_equal(g->slice, 200000);
	assert_int_equal(g->deadline - g->vruntime, 200000);
	assert_int_equal(t.q[0].seq, 2);
	leave(&t, 1, 1);
	leave(&t, 1, 0);
	leave(&t, 0, GROUP);
	join(&t, 0, GROUP);
	assert_int_equal(g->slice, 5000000);
	leave(&t, 1, 2);
	assert_int_equal(t.q[0].seq, 0);
	assert_int_equal(t.q[1].seq, 0);
	free(t.w);
}

/* Adopting a queue finds the slices below it by itself. */
static void adoption_counts_slices_below(void **state)
{
	struct two_levels t;

	(void)state;
	setup(&t, &pick_cfs);
	t.w->se[1].custom_slice = 1;
	t.w->se[1].slice = 200000;
	join(&t, 1, 1);
	join(&t, 0, GROUP);
	world_use(t.w, &pick_eevdf);
	for (u32 pass = 0; pass < 2; pass++)
		for (u32 i = 0; i < 2; i++)
			t.w->sim.pick->adopt(&t.w->sim, &t.q[i]);
	assert_int_equal(t.q[0].seq, 1);
	assert_int_equal(t.gse[1].deadline - t.gse[1].vruntime, 200000);
	free(t.w);
}

static void cfs_buddies_at_all_levels(void **state)
{
	struct two_levels t;
	struct sim *s;

	(void)state;
	setup(&t, &pick_cfs);
	s = &t.w->sim;
	t.w->se[0].vruntime = t.w->se[1].vruntime = t.q[1].min_vruntime;
	join(&t, 1, 0);
	join(&t, 1, 1);
	join(&t, 0, GROUP);
	t.w->se[0].vruntime += 1000001; /* just more than the granularity, on one CPU */
	assert_true(s->pick->preempt(s, &t.q[1], 0, 1, WF_TTWU));
	assert_int_equal(t.q[1].next, 1);
	assert_int_equal(t.q[0].next, GROUP);
	s->pick->yield(s, &t.q[1], 1);
	assert_int_equal(t.q[1].skip, 1);
	assert_int_equal(t.q[0].skip, GROUP);
	free(t.w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(group_takes_the_shortest_slice),
		cmocka_unit_test(adoption_counts_slices_below),
		cmocka_unit_test(cfs_buddies_at_all_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
