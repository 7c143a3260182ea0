/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * base-evq-test.c - the winner tree against the plainest model there is: look at every source and
 * take the first with the smallest key.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/evq.h"

#define MAX_SRC 200
#define MAX_WIDTH 256

static u64 rnd(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static u32 model_top(const u64 *key, u32 nr)
{
	u32 best = 0;

	for (u32 i = 1; i < nr; i++)
		if (key[i] < key[best])
			best = i;
	return best;
}

static void random_sets_match_the_model(void **state)
{
	(void)state;
	u64 x = 88172645463325252ull;

	for (int round = 0; round < 120; round++) {
		u64 key[MAX_WIDTH], model[MAX_WIDTH];
		u32 win[MAX_WIDTH];
		u32 nr = 1 + (u32)(rnd(&x) % 130);
		u64 spread = round & 1 ? 4 : 1u << 20; /* many ties, or few */
		struct evq q;

		memset(key, 0, sizeof(key)); /* stale contents must not matter */
		memset(win, 0xff, sizeof(win));
		evq_init(&q, key, win, nr);
		assert_true(evq_top_key(&q) == EVQ_NEVER);
		for (u32 i = 0; i < nr; i++)
			model[i] = EVQ_NEVER;
		for (int i = 0; i < 500; i++) {
			u64 r = rnd(&x);
			u32 src = (u32)(r >> 32) % nr;

			if (r % 3 == 0)
				src = evq_top(&q); /* what a simulation does most: re-arm */
			model[src] = r % 7 == 0 ? EVQ_NEVER
						: evq_key_of(r % spread, 1 + (u32)(r >> 32) % 7);
			evq_set(&q, src, model[src]);
			assert_int_equal(evq_top(&q), model_top(model, nr));
			assert_true(evq_top_key(&q) == model[evq_top(&q)]);
			assert_true(evq_key(&q, src) == model[src]);
			if (r % 97 == 0 && nr < MAX_SRC) { /* a source appears in the middle */
				u32 at = (u32)(r >> 20) % (nr + 1);

				memmove(&key[at + 1], &key[at], (nr - at) * sizeof(*key));
				memmove(&model[at + 1], &model[at], (nr - at) * sizeof(*key));
				key[at] = model[at] = EVQ_NEVER;
				evq_bind(&q, key, win, ++nr);
				evq_rebuild(&q);
				assert_int_equal(evq_top(&q), model_top(model, nr));
			}
		}
		assert_true(evq_check(&q));
	}
}

/* Draining gives (time, class, source) order, whatever the order of arming was. */
static void drains_in_order(void **state)
{
	(void)state;
	u64 x = 7;

	for (int round = 0; round < 50; round++) {
		u64 key[64];
		u32 win[64];
		struct evq q;

		evq_init(&q, key, win, 50);
		for (int i = 0; i < 50; i++) {
			u32 src = (u32)(i * 7 + round) % 50;

			evq_set(&q, src,
				evq_key_of(rnd(&x) % 5, 1 + (u32)rnd(&x) % (EVQ_CLASSES - 1)));
		}

		u64 last = 0;
		u32 last_src = 0;

		for (int i = 0; i < 50; i++) {
			u32 src = evq_top(&q);
			u64 k = evq_top_key(&q);

			assert_true(k > last || (k == last && (i == 0 || src > last_src)));
			assert_true(evq_class_of(k) < EVQ_CLASSES);
			assert_true(evq_key_of(evq_time_of(k), evq_class_of(k)) == k);
			last = k;
			last_src = src;
			evq_set(&q, src, EVQ_NEVER);
		}
		assert_true(evq_top_key(&q) == EVQ_NEVER);
	}
}

static void widths_and_extreme_keys(void **state)
{
	(void)state;
	static const u32 want[][2] = { { 0, 2 }, { 1, 2 }, { 2, 2 },	   { 3, 4 },
				       { 4, 4 }, { 5, 8 }, { 1024, 1024 }, { 1025, 2048 } };

	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(evq_width(want[i][0]), want[i][1]);
	assert_true(evq_key_of(NEVER, 3) == EVQ_NEVER);
	assert_true(evq_time_of(EVQ_NEVER) == NEVER);

	u64 key[2];
	u32 win[2];
	struct evq q;
	ktime_ns latest = ((u64)1 << 61) - 2;

	evq_init(&q, key, win, 1);
	evq_set(&q, 0, evq_key_of(latest, 7));
	assert_true(evq_time_of(evq_top_key(&q)) == latest);
	evq_set(&q, 0, evq_key_of(0, 1));
	assert_true(evq_top_key(&q) == evq_key_of(0, 1));
	assert_true(evq_check(&q));
	key[1] = 5;
	assert_false(evq_check(&q));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_sets_match_the_model),
		cmocka_unit_test(drains_in_order),
		cmocka_unit_test(widths_and_extreme_keys),
	};

	return cmocka_run_group_tests_name("base-evq", tests, NULL, NULL);
}
