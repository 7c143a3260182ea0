/* SPDX-License-Identifier: GPL-2.0-only */
/* base-cpumask-test.c - CPU sets: walks against single bits, and lists as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/cpumask.h"

static u64 rnd(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void random_mask(u64 *w, u32 nwords, u64 *x)
{
	u64 kind = rnd(x) % 3;

	for (u32 i = 0; i < nwords; i++)
		w[i] = kind == 0   ? rnd(x)
		       : kind == 1 ? rnd(x) & rnd(x) & rnd(x) & rnd(x) & rnd(x)
				   : (rnd(x) & 1 ? 1ull << (rnd(x) % 64) : 0);
}

static void walks_visit_every_bit_once(void **state)
{
	(void)state;
	u64 x = 42;

	for (int round = 0; round < 600; round++) {
		u32 nwords = 1 + (u32)round % 3;
		u32 nbits = nwords * 64;
		u32 start = (u32)rnd(&x) % nbits;
		u64 a[3], b[3];
		u32 n = 0, pos = 0;

		random_mask(a, nwords, &x);
		random_mask(b, nwords, &x);
		for_each_cpu_mask(cpu, a, nwords)
		{
			while (pos < cpu)
				assert_false(cpumask_test(a, pos++));
			assert_true(cpumask_test(a, pos++));
			n++;
		}
		while (pos < nbits)
			assert_false(cpumask_test(a, pos++));
		assert_int_equal(cpumask_weight(a, nwords), n);
		assert_int_equal(cpumask_empty(a, nwords), n == 0);

		u32 i = 0; /* offset from start of the next position to look at */

		for_each_cpu_mask_wrap(cpu, a, nwords, start)
		{
			while ((start + i) % nbits != cpu)
				assert_false(cpumask_test(a, (start + i++) % nbits));
			assert_true(cpumask_test(a, cpu));
			i++;
			n--;
			assert_true(i <= nbits);
		}
		assert_int_equal(n, 0);

		u64 both[3], minus[3], either[3], seen[3] = { 0 };
		bool any = cpumask_and(both, a, b, nwords);

		assert_int_equal(any, cpumask_intersects(a, b, nwords));
		assert_int_equal(any, !cpumask_empty(both, nwords));
		assert_int_equal(cpumask_andnot(minus, a, b, nwords),
				 !cpumask_subset(a, b, nwords));
		for_each_cpu_mask_and(cpu, a, b, nwords) cpumask_set(seen, cpu);
		assert_true(cpumask_equal(seen, both, nwords));
		cpumask_or(either, both, minus, nwords);
		assert_true(cpumask_equal(either, a, nwords));
		assert_true(cpumask_subset(both, b, nwords));
		if (any) {
			cpumask_clear(seen, cpumask_first(seen, nwords));
			assert_false(cpumask_equal(seen, both, nwords));
		}
	}
}

static void ends_of_the_range(void **state)
{
	(void)state;
	u64 w[2] = { 0 };

	assert_int_equal(cpumask_words(1), 1);
	assert_int_equal(cpumask_words(64), 1);
	assert_int_equal(cpumask_words(65), 2);
	assert_int_equal(cpumask_first(w, 1), NONE);
	assert_int_equal(cpumask_first(w, 2), NONE);
	assert_int_equal(cpumask_first_wrap(w, 2, 70), NONE);
	cpumask_set(w, 63);
	assert_int_equal(cpumask_next(w, 1, 62), 63);
	assert_int_equal(cpumask_next(w, 1, 63), NONE);
	assert_int_equal(cpumask_next(w, 2, 63), NONE);
	assert_int_equal(cpumask_next_from(w, 2, 4000000000u), NONE);
	cpumask_fill(w, 2, 65);
	assert_true(w[0] == ~0ull && w[1] == 1);
	cpumask_fill(w, 2, 5);
	assert_true(w[0] == 31 && w[1] == 0);
	cpumask_fill(w, 2, 128);
	assert_int_equal(cpumask_weight(w, 2), 128);
}

static void lists_round_trip(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} good[] = {
		{ "0", "0" },	   { "0-3,8", "0-3,8" }, { " 3 , 1,2 ", "1-3" },
		{ "all", "0-99" }, { " all ", "0-99" },	 { "99,0,63-64", "0,63-64,99" },
		{ "007", "7" },	   { "1,1,1-1", "1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		u64 w[2];
		char buf[64];
		struct err err = { 0 };

		assert_int_equal(cpumask_parse(w, 2, 100, good[i].in, &err), 0);
		assert_string_equal(cpumask_format(w, 2, buf, sizeof(buf)), good[i].out);
	}

	u64 x = 9;

	for (int i = 0; i < 200; i++) {
		u64 a[2], b[2];
		char buf[600];

		random_mask(a, 2, &x);
		cpumask_set(a, 5);
		assert_int_equal(
			cpumask_parse(b, 2, 128, cpumask_format(a, 2, buf, sizeof(buf)), NULL), 0);
		assert_true(cpumask_equal(a, b, 2));
	}
}

static void bad_lists_say_where(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		int col;
		const char *msg;
	} bad[] = {
		{ "", 1, "expected a CPU number" },
		{ "x", 1, "expected a CPU number" },
		{ "0,", 3, "expected a CPU number" },
		{ "1-", 3, "expected a CPU number" },
		{ "-1", 1, "expected a CPU number" },
		{ "0 1", 3, "expected ','" },
		{ "1-2-3", 4, "expected ','" },
		{ "allx", 1, "expected a CPU number" },
		{ "0,100", 3, "no CPU 100; this machine has CPUs 0-99" },
		{ "18446744073709551616", 1, "no CPU 18446744073709551616;" },
		{ "99999999999999999999999999", 1, "no CPU 99999999999999999999;" },
		{ "0,5-2", 3, "range 5-2 runs backwards; write 2-5" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		u64 w[2];
		struct err err = { 0 };

		assert_int_equal(cpumask_parse(w, 2, 100, bad[i].in, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_int_equal(err.col, bad[i].col);
		assert_non_null(strstr(err.msg, bad[i].msg));
	}
}

static void short_buffers_are_marked(void **state)
{
	(void)state;
	u64 w[1] = { 0 };
	char full[32];

	cpumask_set(w, 1);
	cpumask_set(w, 3);
	cpumask_set(w, 50);
	cpumask_set(w, 51);
	assert_string_equal(cpumask_format(w, 1, full, sizeof(full)), "1,3,50-51");
	for (size_t size = 1; size <= sizeof("1,3,50-51"); size++) {
		char buf[32];

		memset(buf, '#', sizeof(buf));
		cpumask_format(w, 1, buf, size);
		assert_true(strlen(buf) < size);
		assert_int_equal(buf[size], '#');
		if (size == sizeof("1,3,50-51"))
			assert_string_equal(buf, full);
		else if (size >= 4)
			assert_non_null(strstr(buf, "..."));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_visit_every_bit_once), cmocka_unit_test(ends_of_the_range),
		cmocka_unit_test(lists_round_trip),	      cmocka_unit_test(bad_lists_say_where),
		cmocka_unit_test(short_buffers_are_marked),
	};

	return cmocka_run_group_tests_name("base-cpumask", tests, NULL, NULL);
}
