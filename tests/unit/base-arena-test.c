/* SPDX-License-Identifier: GPL-2.0-only */
/* base-arena-test.c - pools, growth, limits, lack of memory, digest and misuse of the arena. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/arena.h"

enum { P_TASK, P_KEY, P_STAT, NR_P };

struct elem {
	u64 a, b, c;
};

static const struct pool_desc descs[NR_P] = {
	[P_TASK] = { "tasks", sizeof(struct elem), POOL_IDS | POOL_MODEL, 100, "max_tasks" },
	[P_KEY] = { "event keys", 4, POOL_ARRAY | POOL_MODEL, 0, NULL },
	[P_STAT] = { "counters", 8, POOL_ARRAY, 1000, NULL },
};

/* An allocator that fails from call number fail_at on, and counts what is not returned. */
struct mean_alloc {
	int calls, fail_at, live;
};

static void *mean_alloc(void *ctx, void *old, size_t size)
{
	struct mean_alloc *m = ctx;

	if (!size) {
		m->live--;
		free(old);
		return NULL;
	}
	if (++m->calls >= m->fail_at)
		return NULL;

	void *mem = aligned_alloc(64, size);

	memset(mem, 0xa5, size);
	m->live++;
	return mem;
}

static void make(struct arena *a)
{
	*a = (struct arena){ 0 };
	assert_int_equal(arena_init(a, descs, NR_P, 1 << 20, NULL), 0);
}

static struct elem *tasks(const struct arena *a)
{
	return arena_base(a, P_TASK);
}

static void ids_are_lifo_and_zeroed(void **state)
{
	(void)state;
	struct arena a;

	make(&a);
	assert_int_equal(arena_room(&a, P_TASK), 0);
	assert_int_equal(arena_reserve(&a, P_TASK, 5, NULL), 0);
	assert_true(arena_room(&a, P_TASK) >= 5);
	for (u32 i = 0; i < 5; i++) {
		assert_int_equal(arena_alloc(&a, P_TASK), i);
		tasks(&a)[i] = (struct elem){ i, i, i };
	}
	assert_int_equal(arena_generation(&a, P_TASK, 1), 0);
	arena_free(&a, P_TASK, 1);
	arena_free(&a, P_TASK, 3);
	assert_int_equal(arena_live(&a, P_TASK), 3);
	assert_int_equal(arena_len(&a, P_TASK), 5);
	assert_false(arena_is_live(&a, P_TASK, 1));
	assert_true(arena_is_live(&a, P_TASK, 2));
	assert_false(arena_is_live(&a, P_TASK, 5));
	assert_false(arena_is_live(&a, P_TASK, NONE));

	struct elem zero = { 0 };

	assert_memory_equal(&tasks(&a)[3], &zero, sizeof(zero));
	assert_int_equal(arena_alloc(&a, P_TASK), 3);
	assert_int_equal(arena_alloc(&a, P_TASK), 1);
	assert_int_equal(arena_alloc(&a, P_TASK), 5);
	assert_int_equal(arena_generation(&a, P_TASK, 1), 1);
	assert_memory_equal(&tasks(&a)[1], &zero, sizeof(zero));

	u32 seen = 0;

	arena_free(&a, P_TASK, 2);
	for_each_live(id, &a, P_TASK) seen = seen * 10 + id;
	assert_int_equal(seen, 1345);
	arena_fini(&a);
}

static void growth_keeps_contents(void **state)
{
	(void)state;
	struct arena a;

	make(&a);
	assert_int_equal(arena_array_resize(&a, P_KEY, 3, NULL), 0);
	((u32 *)arena_base(&a, P_KEY))[2] = 77;
	for (u32 i = 0; i < 100; i++) {
		assert_int_equal(arena_reserve(&a, P_TASK, 1, NULL), 0);

		u32 id = arena_alloc(&a, P_TASK);

		tasks(&a)[id].b = id + 1;
	}
	for (u32 i = 0; i < 100; i++)
		assert_int_equal(tasks(&a)[i].b, i + 1);
	assert_int_equal(((u32 *)arena_base(&a, P_KEY))[2], 77);
	for (u32 p = 0; p < NR_P; p++)
		assert_int_equal((uintptr_t)arena_base(&a, p) % 64, 0);
	arena_fini(&a);
}

static void array_resize_zeroes(void **state)
{
	(void)state;
	struct arena a;

	make(&a);
	assert_int_equal(arena_array_resize(&a, P_KEY, 9, NULL), 0);
	memset(arena_base(&a, P_KEY), 0xff, 9 * 4);
	assert_int_equal(arena_array_resize(&a, P_KEY, 2, NULL), 0);
	assert_int_equal(arena_array_resize(&a, P_KEY, 9, NULL), 0);
	assert_int_equal(((u32 *)arena_base(&a, P_KEY))[1], ~0u);
	for (u32 i = 2; i < 9; i++)
		assert_int_equal(((u32 *)arena_base(&a, P_KEY))[i], 0);
	assert_true(arena_is_live(&a, P_KEY, 8));
	assert_false(arena_is_live(&a, P_KEY, 9));
	arena_fini(&a);
}

static void limits_name_the_knob(void **state)
{
	(void)state;
	struct arena a;
	struct err err = { 0 };

	make(&a);
	assert_int_equal(arena_reserve(&a, P_TASK, 100, &err), 0);
	for (u32 i = 0; i < 100; i++)
		arena_alloc(&a, P_TASK);

	u64 before = arena_digest(&a);

	assert_int_equal(arena_reserve(&a, P_TASK, 1, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_string_equal(
		err.msg, "101 tasks are more than the 100 allowed; raise the limit with max_tasks");
	assert_true(arena_digest(&a) == before);

	err = (struct err){ 0 };
	arena_set_limit(&a, P_TASK, 101);
	assert_int_equal(arena_reserve(&a, P_TASK, 1, &err), 0);
	assert_int_equal(arena_array_resize(&a, P_STAT, 1001, &err), -1);
	assert_string_equal(err.msg, "1001 counters are more than the 1000 supported");

	err = (struct err){ 0 };
	assert_int_equal(arena_array_resize(&a, P_KEY, 1 << 20, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.msg, "arena_bytes"));
	assert_true(arena_digest(&a) == before);
	/* Half as much again would not fit into 1 MiB, but what was asked for does. */
	assert_int_equal(arena_array_resize(&a, P_KEY, 150000, NULL), 0);
	assert_int_equal(arena_array_resize(&a, P_KEY, 240000, NULL), 0);
	assert_true(arena_bytes(&a) <= 1 << 20);
	arena_fini(&a);
}

static int build(struct arena *a, struct err *err)
{
	static const struct arena_need needs[] = { { P_TASK, 20 }, { P_STAT, 30 } };

	if (arena_init(a, descs, NR_P, 1 << 20, err) || arena_reserve_set(a, needs, 2, err))
		return -1;
	assert_true(arena_room(a, P_TASK) >= 20 && arena_room(a, P_STAT) >= 30);
	for (u32 i = 0; i < 20; i++)
		tasks(a)[arena_alloc(a, P_TASK)].a = i;
	return arena_array_resize(a, P_KEY, 50, err);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	bool done = false;

	for (int n = 1; !done; n++) {
		struct mean_alloc m = { .fail_at = n }, mc = { .fail_at = 1 };
		struct arena a = { 0 }, b = { 0 };
		struct err err = { 0 };

		arena_set_alloc(&a, mean_alloc, &m);
		arena_set_alloc(&b, mean_alloc, &mc);
		done = !build(&a, &err);
		assert_int_equal(err.code, done ? ERR_NONE : ERR_LIMIT);
		if (a.mem) { /* whatever was built is whole: a copy of it digests the same */
			u32 live = arena_live(&a, P_TASK);

			for (u32 i = 0; i < live; i++)
				assert_int_equal(tasks(&a)[i].a, i);
			assert_int_equal(arena_copy(&b, &a, NULL), -1);
			assert_null(b.mem);
			mc.fail_at = 100;
			assert_int_equal(arena_copy(&b, &a, NULL), 0);
			assert_true(arena_digest(&a) == arena_digest(&b));
		}
		arena_fini(&a);
		arena_fini(&b);
		assert_int_equal(m.live, 0);
		assert_int_equal(mc.live, 0);
		assert_true(n < 20);
	}
}

static void digest_ignores_capacity_and_history(void **state)
{
	(void)state;
	struct arena a = { 0 }, b = { 0 };

	assert_int_equal(build(&a, NULL), 0);
	assert_int_equal(build(&b, NULL), 0);

	u64 d = arena_digest(&a);

	assert_true(arena_digest(&b) == d);
	assert_int_equal(arena_reserve(&b, P_TASK, 60, NULL), 0);
	assert_int_equal(arena_array_resize(&b, P_STAT, 7, NULL), 0);
	assert_true(arena_digest(&b) == d);

	tasks(&b)[4].c = 1;
	assert_true(arena_digest(&b) != d);
	tasks(&b)[4].c = 0;
	assert_true(arena_digest(&b) == d);
	((u32 *)arena_base(&b, P_KEY))[49]++;
	assert_true(arena_digest(&b) != d);
	((u32 *)arena_base(&b, P_KEY))[49]--;

	/* Which of two equal elements lives is part of the state. */
	tasks(&a)[4].a = 5;
	tasks(&b)[4].a = 5;
	arena_free(&a, P_TASK, 4);
	arena_free(&b, P_TASK, 5);
	assert_true(arena_digest(&a) != arena_digest(&b));
	arena_fini(&a);
	arena_fini(&b);
}

static void digest_is_the_same_in_every_build(void **state)
{
	(void)state;
	struct arena a = { 0 };

	assert_int_equal(build(&a, NULL), 0);
	arena_free(&a, P_TASK, 7);
	assert_true(arena_digest(&a) == 0x7d47ea8c57ac50bdull);
	arena_fini(&a);
}

static jmp_buf bug_jump;

static void catch_bug(const char *file, int line, const char *cond)
{
	(void)file;
	(void)line;
	(void)cond;
	longjmp(bug_jump, 1);
}

static void misuse_is_a_bug(void **state)
{
	(void)state;
	static struct arena a;

	make(&a);
	assert_int_equal(arena_reserve(&a, P_TASK, 1, NULL), 0);
	bug_handler_set(catch_bug);
	for (volatile int i = 0; i < 3; i++) {
		if (setjmp(bug_jump))
			continue;
		if (i == 0)
			arena_free(&a, P_TASK, 0); /* not live */
		else if (i == 1)
			arena_alloc(&a, P_KEY); /* an array */
		else
			for (;;) /* more than reserved */
				arena_alloc(&a, P_TASK);
		fail_msg("case %d came back", i);
	}
	bug_handler_set(NULL);
	arena_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_lifo_and_zeroed),
		cmocka_unit_test(growth_keeps_contents),
		cmocka_unit_test(array_resize_zeroes),
		cmocka_unit_test(limits_name_the_knob),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(digest_ignores_capacity_and_history),
		cmocka_unit_test(digest_is_the_same_in_every_build),
		cmocka_unit_test(misuse_is_a_bug),
	};

	return cmocka_run_group_tests_name("base-arena", tests, NULL, NULL);
}
