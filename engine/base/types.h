/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * types.h - the integer vocabulary of the engine: widths, ids, fixed-point helpers.
 *
 * Names follow include/linux/types.h and kernel/sched/sched.h of Linux v6.12. The engine has no
 * floating point at all (gcc builds it with -mgeneral-regs-only), so that every build of it gives
 * the same bytes.
 */
#ifndef SG_ENGINE_BASE_TYPES_H
#define SG_ENGINE_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* Simulated time in nanoseconds since the start of the run. Below 2^61 (73 years). */
typedef u64 ktime_ns;

/* Indices into arena pools. NONE says "no such object" in every one of them. */
typedef u32 cpu_id;
typedef u32 task_id;
typedef u32 se_id; /* bit 31 clear: a task's entity; set: a group's, index tg * nr_cpus + cpu */
typedef u32 cfs_id; /* tg * nr_cpus + cpu; task group 0 is the root, so CPU c's root queue is c */
typedef u32 mask_id;
#define NONE (~0u)
#define NEVER (~(ktime_ns)0)

#define NSEC_PER_USEC 1000ull
#define NSEC_PER_MSEC 1000000ull
#define NSEC_PER_SEC 1000000000ull

#define SCHED_FIXEDPOINT_SHIFT 10
#define SCHED_CAPACITY_SHIFT 10
#define SCHED_CAPACITY_SCALE (1u << SCHED_CAPACITY_SHIFT)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* cap_scale(): x * c / 1024, as kernel/sched/pelt.h. No overflow while x < 2^54 and c <= 1024. */
static inline u64 cap_scale(u64 x, u64 c)
{
	return (x * c) >> SCHED_CAPACITY_SHIFT;
}

/* (a * mul) >> shift with the product at full 96-bit width; include/linux/math64.h. shift <= 63. */
static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned shift)
{
	return (u64)(((u128)a * mul) >> shift);
}

static inline u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* x - y, or 0 where that would be negative: lsub_positive() of kernel/sched/sched.h. */
static inline u64 sub_positive(u64 x, u64 y)
{
	return x > y ? x - y : 0;
}

/* Index of the highest set bit counted from 1, 0 for 0: the kernel's fls64(). */
static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#endif
