/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * base-rng-test.c - committed draws, so that a stream never changes unnoticed; bounds and moments
 * of the distributions; the logarithm table derived again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/rng.h"
#include "engine/base/rng_log2_table.h"

static void committed_draws(void **state)
{
	(void)state;
	/* From an independent implementation with big integers. */
	static const u64 at[][3] = {
		{ 0x0000000000000000ull, 0x0000000000000000ull, 0x0000000000000000ull },
		{ 0x0000000000000000ull, 0x0000000000000001ull, 0x48218226ff3cd4bfull },
		{ 0x0000000000000001ull, 0x0000000000000000ull, 0x482ba407a06b7e7bull },
		{ 0x9e3779b97f4a7c15ull, 0x0000000000000000ull, 0x777b4ba101e5379full },
		{ 0xffffffffffffffffull, 0xffffffffffffffffull, 0xeecd27369f7ec29aull },
		{ 0x0123456789abcdefull, 0x0000000000003039ull, 0x64acb12d2914c60cull },
	};
	static const u64 child[][3] = {
		{ 0x0000000000000000ull, 0x0000000000000000ull, 0x6f473feab7f858e6ull },
		{ 0x47328f88888a9f91ull, 0x0000000000000000ull, 0x05d2fa918f31febfull },
		{ 0x47328f88888a9f91ull, 0x0000000000000001ull, 0xbc069f7e26a45139ull },
		{ 0xbc069f7e26a45139ull, 0x0000000000000000ull, 0xc9d75cddeb7392beull },
	};

	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		assert_true(rng_at(at[i][0], at[i][1]) == at[i][2]);
	for (size_t i = 0; i < ARRAY_SIZE(child); i++)
		assert_true(rng_child_key(child[i][0], child[i][1]) == child[i][2]);
	assert_true(rng_root_key(1) == 0x47328f88888a9f91ull);
}

static void committed_distributions(void **state)
{
	(void)state;
	static const u64 uni[] = { 753, 573, 838, 699, 693, 891, 129, 455 };
	static const u64 expo[] = {
		282792, 555575, 175721, 357586, 366481, 114858, 2043344, 786698
	};
	u64 key = rng_root_key(7), c = 0;

	for (size_t i = 0; i < ARRAY_SIZE(uni); i++)
		assert_int_equal(rng_uniform(key, &c, 1000), uni[i]);
	assert_int_equal(c, ARRAY_SIZE(uni));
	c = 0;
	for (size_t i = 0; i < ARRAY_SIZE(expo); i++)
		assert_int_equal(rng_exponential(key, &c, 1000000), expo[i]);
}

/* Every output bit is set half the time, in one stream and across the streams of siblings. */
static void bits_are_balanced(void **state)
{
	(void)state;
	enum { N = 20000 };

	for (int across = 0; across < 2; across++) {
		u32 ones[64] = { 0 }, flips[64] = { 0 };
		u64 root = rng_root_key(0);

		for (u64 i = 0; i < N; i++) {
			u64 v = across ? rng_at(rng_child_key(root, i), 0) : rng_at(root, i);
			u64 w = across ? rng_at(rng_child_key(root, i) ^ 1, 0)
				       : rng_at(root ^ 1ull << (i % 64), i);

			for (int b = 0; b < 64; b++) {
				ones[b] += v >> b & 1;
				flips[b] += (v ^ w) >> b & 1;
			}
		}
		/* Standard deviation 71: five of them. */
		for (int b = 0; b < 64; b++) {
			assert_in_range(ones[b], N / 2 - 355, N / 2 + 355);
			assert_in_range(flips[b], N / 2 - 355, N / 2 + 355);
		}
	}
}

static void uniform_is_bounded_and_even(void **state)
{
	(void)state;
	u32 hits[7] = { 0 };
	u64 c = 0;

	for (int i = 0; i < 70000; i++)
		hits[rng_uniform(3, &c, 7)]++;
	assert_int_equal(c, 70000);
	for (int i = 0; i < 7; i++)
		assert_in_range(hits[i], 10000 - 463, 10000 + 463);
	assert_int_equal(rng_uniform(3, &c, 0), 0);
	assert_int_equal(rng_uniform(3, &c, 1), 0);
	assert_int_equal(c, 70002);

	/* Just above 2^63 half of the draws are rejected: the mean shows it. */
	u64 n = (1ull << 63) + 1;
	u64 sum = 0;

	c = 0;
	for (int i = 0; i < 4000; i++) {
		u64 v = rng_uniform(11, &c, n);

		assert_true(v < n);
		sum += v >> 48;
	}
	assert_in_range(c, 7500, 8500);
	assert_in_range(sum / 4000, 16384 - 750, 16384 + 750);

	c = 0;
	for (int i = 0; i < 1000; i++) {
		assert_in_range(rng_range(5, &c, 10, 12), 10, 12);
		assert_int_equal(rng_range(5, &c, 9, 9), 9);
		assert_int_equal(rng_range(5, &c, 9, 3), 9);
	}
	assert_int_equal(c, 3000);
	assert_true(rng_range(5, &c, 0, ~0ull) == rng_at(5, 3000));
}

static void bimodal_mixes(void **state)
{
	(void)state;
	u64 c = 0;
	u32 b = 0;

	for (int i = 0; i < 10000; i++) {
		u64 v = rng_bimodal(1, &c, 20, 900, 250);

		assert_true(v == 20 || v == 900);
		b += v == 900;
	}
	assert_in_range(b, 2500 - 217, 2500 + 217);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(rng_bimodal(1, &c, 20, 900, 0), 20);
		assert_int_equal(rng_bimodal(1, &c, 20, 900, 1000), 900);
	}
}

/* log2 of 1 + i/256 bit by bit: squaring doubles the logarithm. */
static u64 log2_by_squaring(u32 i)
{
	u64 y = (u64)(256 + i) << 54; /* 1 .. 2 in units of 2^-62 */
	u64 bits = 0;

	if (i == 256)
		return 1ull << 33;
	for (int b = 0; b < 33; b++) {
		u128 sq = ((u128)y * y) >> 62;
		bool two = sq >> 63;

		bits = bits << 1 | two;
		y = (u64)(two ? sq >> 1 : sq);
	}
	return bits;
}

static void table_is_log2(void **state)
{
	(void)state;
	for (u32 i = 0; i <= 256; i++)
		assert_in_range(((u64)rng_log2_table[i] << 2) + 2 - log2_by_squaring(i), 0, 4);
}

static void logarithm_is_close(void **state)
{
	(void)state;
	/* -ln(2^-k) = k ln 2, exact but for rounding; ln 2 = 0x58b90bfc in units of 2^-31. */
	for (u64 k = 1; k <= 64; k++)
		assert_in_range(rng_neg_ln(1ull << (64 - k)) + 40 - ((k * 0x58b90bfbe8ull) >> 8), 0,
				80);
	assert_in_range(rng_neg_ln(~0ull), 0, 1);
	/* Monotonic, also across table entries and octaves. */
	u64 last = rng_neg_ln(1);

	for (u64 x = 3; x < 1ull << 63; x += x / 97 + 1) {
		u64 v = rng_neg_ln(x);

		assert_true(v <= last);
		last = v;
	}
}

static void exponential_has_its_moments(void **state)
{
	(void)state;
	enum { N = 200000 };
	u64 mean = 1000000, sum = 0, above = 0, c = 0;
	u128 squares = 0;

	for (int i = 0; i < N; i++) {
		u64 v = rng_exponential(99, &c, mean);

		assert_true(v < 45 * mean);
		sum += v;
		squares += (u128)v * v;
		above += v > 2 * mean;
	}
	assert_in_range(sum / N, mean - mean / 80, mean + mean / 80);
	/* E[v^2] = 2 mean^2; P[v > 2 mean] = e^-2 = 0.1353 */
	assert_in_range((u64)(squares / N / mean), 2 * mean - mean / 15, 2 * mean + mean / 15);
	assert_in_range(above * 10000 / N, 1353 - 40, 1353 + 40);
	assert_int_equal(rng_exponential(99, &c, 0), 0);
	for (int i = 0; i < 100; i++) /* saturates instead of wrapping */
		assert_true(rng_exponential(99, &c, ~0ull) >= rng_exponential(98, &c, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(committed_draws),    cmocka_unit_test(committed_distributions),
		cmocka_unit_test(bits_are_balanced),  cmocka_unit_test(uniform_is_bounded_and_even),
		cmocka_unit_test(bimodal_mixes),      cmocka_unit_test(table_is_log2),
		cmocka_unit_test(logarithm_is_close), cmocka_unit_test(exponential_has_its_moments),
	};

	return cmocka_run_group_tests_name("base-rng", tests, NULL, NULL);
}
