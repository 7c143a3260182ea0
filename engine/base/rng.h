/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rng.h - random streams without state: draw number n of stream k is a pure function of (k, n).
 *
 * No counterpart in the kernel. A task draws from its own stream, so what it does is the same
 * under every policy, and a checkpoint holds two words per stream: key and draws so far. Keys come
 * from the spawn path (parent's key, ordinal among its children), never from ids, because ids
 * depend on the order of forks.
 *
 *	rng_at(k, n) = mix(mix(n * phi + k) ^ rot(k))	with mix() the finalizer of SplitMix64
 *
 * The values are part of the specification: changing them changes every digest.
 */
#ifndef SG_ENGINE_BASE_RNG_H
#define SG_ENGINE_BASE_RNG_H

#include "engine/base/types.h"

/* The finalizer of SplitMix64 (Stafford's variant 13): a bijection in which each bit moves all. */
static inline u64 rng_mix(u64 z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* rng_at - draw number @counter of stream @key: 64 uniform bits. */
static inline u64 rng_at(u64 key, u64 counter)
{
	/* Two rounds, so that keys that differ by a multiple of phi are not shifted streams. */
	return rng_mix(rng_mix(counter * 0x9e3779b97f4a7c15ull + key) ^ (key << 32 | key >> 32));
}

/* rng_root_key - the key of a run's first stream from the user's seed, any number. */
u64 rng_root_key(u64 seed);

/* rng_child_key - the key of child number @ordinal of the owner of @parent. */
u64 rng_child_key(u64 parent, u64 ordinal);

/*
 * Distributions: each takes its draws from stream @key at *@counter and advances it, mostly by one.
 */

/* rng_uniform - 0 .. @n - 1 without bias; 0 if @n is 0. */
u64 rng_uniform(u64 key, u64 *counter, u64 n);

/* rng_range - @lo .. @hi, both included; @lo if @hi is not above it. */
u64 rng_range(u64 key, u64 *counter, u64 lo, u64 hi);

/* rng_exponential - exponentially distributed with mean @mean, rounded down; up to 44 * @mean. */
u64 rng_exponential(u64 key, u64 *counter, u64 mean);

/* rng_bimodal - @b in @permille_b of 1000 cases, else @a. */
u64 rng_bimodal(u64 key, u64 *counter, u64 a, u64 b, u32 permille_b);

/* rng_neg_ln - -ln(@x / 2^64) in units of 2^-31 for @x > 0; error below 2^-17. For the test. */
u64 rng_neg_ln(u64 x);

#endif
