/* SPDX-License-Identifier: GPL-2.0-only */
/* ui-series-test.c - history of ui/series.c against a plain list of all samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/ui-fixture.h"
#include "ui/series.h"

/* What was sampled, kept whole. */
struct list {
	u64 t[4000];
	u32 v[4000];
	int n;
};

static void queries_agree_with_the_samples(void **state)
{
	static struct list l;
	struct sim *s = fixture_sim((struct shape){ 1, 1, 1, 1 });
	struct series *x;
	u64 r = 5;

	(void)state;
	fixture_spawn(s, "a", 1, 0, 3 * NSEC_PER_MSEC, 16 * NSEC_PER_MSEC);
	x = series_new(s->g->nr_cpus);
	for (l.n = 0; l.n < 4000; l.n++) {
		sim_run_until(s, (u64)l.n * 300 * NSEC_PER_USEC, 0);
		series_sample(x, s, SERIES_NO_TASK);
		l.t[l.n] = s->g->now;
		l.v[l.n] = (u32)sim_cpu_avg_now(s, 1).util_avg;
	}
	for (int i = 0; i < 2000; i++) {
		u64 t0, t1;
		u32 lo = ~0u, hi = 0;
		struct series_sum sum;

		r = r * 6364136223846793005ull + 1442695040888963407ull;
		t0 = (r >> 20) % x->last;
		t1 = t0 + (r >> 40) % (50 * NSEC_PER_MSEC) + 1;
		for (int k = 0; k < l.n; k++) {
			if (l.t[k] >= t0 && l.t[k] < t1) {
				lo = l.v[k] < lo ? l.v[k] : lo;
				hi = l.v[k] > hi ? l.v[k] : hi;
			}
		}
		if (lo > hi)
			continue; /* no sample there: what held before */
		assert_true(series_cpu(x, 1, SC_UTIL, t0, t1, &sum));
		/* Slots are coarser than the question: never less than what happened. */
		assert_true(sum.min <= lo && sum.max >= hi);
		assert_in_range(sum.mean, sum.min, sum.max);
	}
	series_free(x);
	sim_free(s);
}

static void old_times_stay_within_reach(void **state)
{
	struct sim *s = fixture_sim((struct shape){ 0, 1, 1, 1 });
	struct series *x = series_new(1);
	size_t bytes = 0;
	struct series_sum sum;

	(void)state;
	fixture_spawn(s, "hog", 0, 0, 0, 0);
	for (u64 t = 0; t < 600; t++) {
		sim_run_until(s, t * NSEC_PER_SEC, 0);
		series_sample(x, s, SERIES_NO_TASK);
		if (t == 300)
			bytes = series_bytes(x);
	}
	assert_int_equal(series_bytes(x), bytes); /* bounded */
	assert_true(series_cpu(x, 0, SC_RUNNING, 100 * NSEC_PER_SEC, 101 * NSEC_PER_SEC, &sum));
	assert_int_equal(sum.mean, 1024);
	assert_true(series_cpu(x, 0, SC_NR, 0, 600 * NSEC_PER_SEC, &sum));
	assert_int_equal(sum.max, 1);
	assert_false(series_cpu(x, 0, SC_NR, 700 * NSEC_PER_SEC, 800 * NSEC_PER_SEC, &sum));
	assert_false(series_cpu(x, 1, SC_NR, 0, 1, &sum));
	series_free(x);
	sim_free(s);
}

static void a_wanted_task_is_followed(void **state)
{
	struct sim *s = fixture_sim((struct shape){ 0, 2, 1, 1 });
	struct series *x = series_new(2);
	struct series_sum sum;
	u64 last = 0;

	(void)state;
	for (int i = 0; i < SERIES_TASKS + 5; i++)
		fixture_spawn(s, "t", 0, 0, NSEC_PER_MSEC, 100 * NSEC_PER_MSEC);
	sim_run_until(s, 10 * NSEC_PER_MSEC, 0);
	for_each_live(p, &s->arena, POOL_TASK) last = s->tasks[p].serial > last ? s->tasks[p].serial
										: last;
	series_sample(x, s, SERIES_NO_TASK);
	assert_false(series_task(x, last, SC_UTIL, 0, NSEC_PER_SEC, &sum));
	sim_run_until(s, 20 * NSEC_PER_MSEC, 0);
	series_sample(x, s, last);
	assert_true(series_task(x, last, SC_UTIL, 0, NSEC_PER_SEC, &sum));
	series_free(x);
	sim_free(s);
}

static void going_back_forgets(void **state)
{
	struct sim *s = fixture_sim((struct shape){ 0, 1, 1, 1 }), *old;
	struct series *x = series_new(1);
	struct series_sum sum;
	struct err err = { 0 };

	(void)state;
	fixture_spawn(s, "hog", 0, 0, 0, 0);
	old = sim_copy(s, &err);
	assert_non_null(old);
	sim_run_until(s, NSEC_PER_SEC, 0);
	series_sample(x, s, SERIES_NO_TASK);
	assert_int_equal(sim_restore(s, old, &err), 0);
	series_sample(x, s, SERIES_NO_TASK);
	assert_int_equal(x->samples, 1);
	assert_true(series_cpu(x, 0, SC_NR, 0, 1, &sum));
	sim_free(old);
	series_free(x);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_agree_with_the_samples),
		cmocka_unit_test(old_times_stay_within_reach),
		cmocka_unit_test(a_wanted_task_is_followed),
		cmocka_unit_test(going_back_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
