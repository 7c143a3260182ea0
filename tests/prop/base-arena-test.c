/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * base-arena-test.c - a copy taken at a random moment behaves as the original: the same ids are
 * handed out and the digests stay equal, because the free list lies inside the block.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/arena.h"

static const struct pool_desc descs[] = {
	{ "things", 16, POOL_IDS | POOL_MODEL, 0, NULL },
	{ "words", 8, POOL_ARRAY | POOL_MODEL, 0, NULL },
	{ "others", 24, POOL_IDS, 0, NULL },
};

static u64 rnd(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void step(struct arena *a, u64 r)
{
	u32 pool = r & 1 ? 0 : 2;
	u32 id = arena_len(a, pool) ? (u32)(r >> 8) % arena_len(a, pool) : 0;

	switch (r >> 4 & 7) {
	case 0:
	case 1:
	case 2:
	case 3:
		assert_int_equal(arena_reserve(a, pool, 1, NULL), 0);
		id = arena_alloc(a, pool);
		((u64 *)arena_base(a, pool))[id * (pool ? 3 : 2)] = r;
		break;
	case 4:
		assert_int_equal(arena_array_resize(a, 1, (u32)(r >> 8) % 90, NULL), 0);
		break;
	default:
		if (arena_is_live(a, pool, id))
			arena_free(a, pool, id);
	}
	if (arena_len(a, 1))
		((u64 *)arena_base(a, 1))[r % arena_len(a, 1)] += r;
}

static void a_copy_goes_the_same_way(void **state)
{
	(void)state;
	struct arena copy = { 0 }; /* reused: smaller and larger than what it receives */

	for (u64 seed = 1; seed <= 200; seed++) {
		struct arena a = { 0 };
		u64 x = seed * 0x9e3779b97f4a7c15ull;
		int when = (int)(rnd(&x) % 300);

		assert_int_equal(arena_init(&a, descs, 3, 1 << 24, NULL), 0);
		for (int i = 0; i < when; i++)
			step(&a, rnd(&x));
		assert_int_equal(arena_copy(&copy, &a, NULL), 0);
		assert_memory_equal(a.mem, copy.mem, arena_bytes(&a));
		for (int i = 0; i < 100; i++) {
			u64 r = rnd(&x);

			step(&a, r);
			step(&copy, r);
			assert_true(arena_digest(&a) == arena_digest(&copy));
		}
		assert_int_equal(arena_bytes(&a), arena_bytes(&copy));
		assert_memory_equal(a.mem, copy.mem, arena_bytes(&a));
		arena_fini(&a);
	}
	arena_fini(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_goes_the_same_way),
	};

	return cmocka_run_group_tests_name("base-arena-prop", tests, NULL, NULL);
}
