/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rng.c - keys and integer distributions over the counter-based streams of rng.h.
 */
#include "engine/base/rng.h"

#include "engine/base/rng_log2_table.h"

/* Keys are drawn from streams of their own, apart from those that give values. */
#define RNG_KEY_DOMAIN 0x7367726f756e6431ull

u64 rng_root_key(u64 seed)
{
	return rng_at(RNG_KEY_DOMAIN, seed);
}

u64 rng_child_key(u64 parent, u64 ordinal)
{
	return rng_at(parent ^ RNG_KEY_DOMAIN, ordinal);
}

/*
 * The high word of draw * n is uniform but for 2^64 mod n low words that would occur once too
 * often; those are drawn again (Lemire 2019). Costs a division in n of 2^64 cases only.
 */
u64 rng_uniform(u64 key, u64 *counter, u64 n)
{
	u128 m = (u128)rng_at(key, (*counter)++) * n;

	if ((u64)m < n) {
		u64 excess = (0 - n) % n;

		while ((u64)m < excess)
			m = (u128)rng_at(key, (*counter)++) * n;
	}
	return (u64)(m >> 64);
}

u64 rng_range(u64 key, u64 *counter, u64 lo, u64 hi)
{
	if (hi <= lo) {
		(*counter)++; /* a draw all the same: a knob must not shift the stream */
		return lo;
	}
	if (hi - lo == ~0ull)
		return rng_at(key, (*counter)++);
	return lo + rng_uniform(key, counter, hi - lo + 1);
}

u64 rng_neg_ln(u64 x)
{
	unsigned zeros = (unsigned)__builtin_clzll(x);
	u64 frac = x << zeros << 1; /* x = 2^(63 - zeros) * (1 + frac / 2^64) */
	u32 i = (u32)(frac >> 56);
	u64 rest = frac >> 24 & 0xffffffff; /* position between entries i and i + 1, 32 bits */
	u64 step = rng_log2_table[i + 1] - rng_log2_table[i];
	u64 log2_frac = rng_log2_table[i] + (step * rest >> 32);
	u64 neg_log2 = ((u64)(zeros + 1) << 31) - log2_frac; /* at most 2^37 */

	return mul_u64_u32_shr(neg_log2, 0xb17217f8, 32); /* times ln 2 */
}

u64 rng_exponential(u64 key, u64 *counter, u64 mean)
{
	u64 x = rng_at(key, (*counter)++);
	u128 t = (u128)mean * rng_neg_ln(x ? x : 1) >> 31;

	return t > ~0ull ? ~0ull : (u64)t;
}

u64 rng_bimodal(u64 key, u64 *counter, u64 a, u64 b, u32 permille_b)
{
	return rng_uniform(key, counter, 1000) < permille_b ? b : a;
}
