/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpumask.h - sets of CPUs as arrays of 64-bit words, after include/linux/cpumask.h.
 *
 * No struct and no fixed size: a mask is `const u64 *words` and `u32 nwords`, because masks lie in
 * an arena pool whose element size depends on the machine. Bits from nr_cpus on are always zero.
 * Machines of up to 64 CPUs have one word, and every walk below tests for that first.
 *
 * Functions that look for a CPU return NONE where the kernel returns nr_cpu_ids or more.
 */
#ifndef SG_ENGINE_BASE_CPUMASK_H
#define SG_ENGINE_BASE_CPUMASK_H

#include <string.h>

#include "engine/base/err.h"
#include "engine/base/types.h"

/* cpumask_words - words that a mask of @nr_cpus needs. */
static inline u32 cpumask_words(u32 nr_cpus)
{
	return (nr_cpus + 63) / 64;
}

static inline bool cpumask_test(const u64 *words, cpu_id cpu)
{
	return words[cpu / 64] >> (cpu % 64) & 1;
}

static inline void cpumask_set(u64 *words, cpu_id cpu)
{
	words[cpu / 64] |= 1ull << (cpu % 64);
}

static inline void cpumask_clear(u64 *words, cpu_id cpu)
{
	words[cpu / 64] &= ~(1ull << (cpu % 64));
}

static inline void cpumask_zero(u64 *words, u32 nwords)
{
	memset(words, 0, nwords * sizeof(*words));
}

/* cpumask_fill - CPUs 0 .. @nr_cpus - 1. */
static inline void cpumask_fill(u64 *words, u32 nwords, u32 nr_cpus)
{
	for (u32 i = 0; i < nwords; i++) {
		u32 left = nr_cpus > i * 64 ? nr_cpus - i * 64 : 0;

		words[i] = left >= 64 ? ~0ull : (1ull << left) - 1;
	}
}

static inline void cpumask_copy(u64 *dst, const u64 *src, u32 nwords)
{
	memcpy(dst, src, nwords * sizeof(*dst));
}

/* cpumask_and - @dst = @a & @b; whether anything is left. @dst may be @a or @b. */
static inline bool cpumask_and(u64 *dst, const u64 *a, const u64 *b, u32 nwords)
{
	u64 any = 0;

	for (u32 i = 0; i < nwords; i++)
		any |= dst[i] = a[i] & b[i];
	return any != 0;
}

/* cpumask_andnot - @dst = @a & ~@b; whether anything is left. */
static inline bool cpumask_andnot(u64 *dst, const u64 *a, const u64 *b, u32 nwords)
{
	u64 any = 0;

	for (u32 i = 0; i < nwords; i++)
		any |= dst[i] = a[i] & ~b[i];
	return any != 0;
}

static inline void cpumask_or(u64 *dst, const u64 *a, const u64 *b, u32 nwords)
{
	for (u32 i = 0; i < nwords; i++)
		dst[i] = a[i] | b[i];
}

static inline bool cpumask_empty(const u64 *words, u32 nwords)
{
	u64 any = 0;

	for (u32 i = 0; i < nwords; i++)
		any |= words[i];
	return any == 0;
}

static inline bool cpumask_equal(const u64 *a, const u64 *b, u32 nwords)
{
	u64 diff = 0;

	for (u32 i = 0; i < nwords; i++)
		diff |= a[i] ^ b[i];
	return diff == 0;
}

/* cpumask_subset - whether every CPU of @a is in @b. */
static inline bool cpumask_subset(const u64 *a, const u64 *b, u32 nwords)
{
	u64 out = 0;

	for (u32 i = 0; i < nwords; i++)
		out |= a[i] & ~b[i];
	return out == 0;
}

static inline bool cpumask_intersects(const u64 *a, const u64 *b, u32 nwords)
{
	u64 both = 0;

	for (u32 i = 0; i < nwords; i++)
		both |= a[i] & b[i];
	return both != 0;
}

u32 cpumask_weight_slow(const u64 *words, u32 nwords);
cpu_id cpumask_scan_slow(const u64 *a, const u64 *b, u32 nwords, cpu_id from);

/* Bits set in @x; no popcount instruction is assumed, and libgcc's is a call. */
static inline u32 hweight64(u64 x)
{
	x -= x >> 1 & 0x5555555555555555ull;
	x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (u32)(x * 0x0101010101010101ull >> 56);
}

/* cpumask_weight - number of CPUs. */
static inline u32 cpumask_weight(const u64 *words, u32 nwords)
{
	return nwords == 1 ? hweight64(words[0]) : cpumask_weight_slow(words, nwords);
}

/* cpumask_next_from_and - first CPU >= @from in both @a and @b, or NONE. @from may be anything. */
static inline cpu_id cpumask_next_from_and(const u64 *a, const u64 *b, u32 nwords, cpu_id from)
{
	if (from >= nwords * 64)
		return NONE;

	/* Neighbours are mostly in one word. */
	u64 w = (a[from / 64] & b[from / 64]) >> (from % 64);

	if (w)
		return from + (u32)__builtin_ctzll(w);
	return nwords == 1 ? NONE : cpumask_scan_slow(a, b, nwords, (from | 63) + 1);
}

/* cpumask_next_from - first CPU >= @from, or NONE. */
static inline cpu_id cpumask_next_from(const u64 *words, u32 nwords, cpu_id from)
{
	return cpumask_next_from_and(words, words, nwords, from);
}

static inline cpu_id cpumask_first(const u64 *words, u32 nwords)
{
	return cpumask_next_from(words, nwords, 0);
}

static inline cpu_id cpumask_first_and(const u64 *a, const u64 *b, u32 nwords)
{
	return cpumask_next_from_and(a, b, nwords, 0);
}

/* cpumask_next - first CPU above @cpu, or NONE. */
static inline cpu_id cpumask_next(const u64 *words, u32 nwords, cpu_id cpu)
{
	return cpumask_next_from(words, nwords, cpu + 1);
}

/* cpumask_first_wrap - first CPU >= @start, else the first of all, or NONE. */
static inline cpu_id cpumask_first_wrap(const u64 *words, u32 nwords, cpu_id start)
{
	cpu_id cpu = cpumask_next_from(words, nwords, start);

	return cpu != NONE ? cpu : cpumask_first(words, nwords);
}

/*
 * cpumask_next_wrap - the CPU after @cpu in a walk that began at @start, ran to the end and goes on
 * from 0; NONE once it is back at @start.
 */
static inline cpu_id cpumask_next_wrap(const u64 *words, u32 nwords, cpu_id cpu, cpu_id start)
{
	cpu_id next = cpumask_next(words, nwords, cpu);

	if (cpu >= start) {
		if (next != NONE)
			return next;
		next = cpumask_first(words, nwords);
	}
	return next < start ? next : NONE; /* NONE itself is above every start */
}

/* The masks may change during a walk; a CPU cleared before it is reached is not visited. */
#define for_each_cpu_mask(cpu, words, nwords)                                                      \
	for (cpu_id cpu = cpumask_first(words, nwords); cpu != NONE;                               \
	     cpu = cpumask_next(words, nwords, cpu))

#define for_each_cpu_mask_and(cpu, a, b, nwords)                                                   \
	for (cpu_id cpu = cpumask_first_and(a, b, nwords); cpu != NONE;                            \
	     cpu = cpumask_next_from_and(a, b, nwords, cpu + 1))

#define for_each_cpu_mask_wrap(cpu, words, nwords, start)                                          \
	for (cpu_id cpu = cpumask_first_wrap(words, nwords, start); cpu != NONE;                   \
	     cpu = cpumask_next_wrap(words, nwords, cpu, start))

/*
 * cpumask_parse - read a CPU list such as "0-3,8" (spaces around items allowed, "all" = every CPU)
 * into @words. At least one CPU, all below @nr_cpus. -1 with ERR_USAGE, the column in err->col.
 */
int cpumask_parse(u64 *words, u32 nwords, u32 nr_cpus, const char *text, struct err *err);

/*
 * cpumask_format - write the CPU list ("0-3,8", "" if empty) into @buf of @size > 0 bytes and
 * return @buf. What does not fit is cut after a whole item and marked "...".
 */
char *cpumask_format(const u64 *words, u32 nwords, char *buf, size_t size);

#endif
