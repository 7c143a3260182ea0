/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sugov.h - schedutil's arithmetic: from utilisation to a frequency of the table.
 *
 * Follows kernel/sched/cpufreq_schedutil.c, effective_cpu_util() of kernel/sched/syscalls.c (v6.12)
 * or core.c (v6.1), and cpufreq_driver_resolve_freq() of drivers/cpufreq/cpufreq.c. Placement with
 * an energy model asks the same functions.
 */
#ifndef SG_ENGINE_POLICY_SUGOV_H
#define SG_ENGINE_POLICY_SUGOV_H

#include "engine/access.h"

#define IOWAIT_BOOST_MIN (SCHED_CAPACITY_SCALE / 8)

/* 25 % more: a CPU is to be 80 % busy. include/linux/sched/cpufreq.h */
static inline u64 map_util_perf(u64 util)
{
	return util + (util >> 2);
}

/* sugov_effective_cpu_perf - v6.12: headroom, then the clamps @min and @max. */
u64 sugov_effective_cpu_perf(u64 actual, u64 min, u64 max);

/* sugov_raw_khz - the frequency at which @perf of @cap is just reached. */
u32 sugov_raw_khz(u64 ref_khz, u64 perf, u64 cap);

/*
 * cpufreq_resolve - lowest of @nr ascending operating points at or above @khz within @min_khz ..
 * @max_khz, inefficient ones (@skip: EM_INEFFICIENT*, 0 = none) left out; if there is none the
 * highest within the limits. Returns its index.
 */
u32 cpufreq_resolve(const struct opp *opps, u32 nr, u32 min_khz, u32 max_khz, u32 khz, u32 skip);

/*
 * effective_cpu_util - utilisation of all classes on @cpu, @util being that of the fair class;
 * v6.12. *min and *max (may be NULL) get the bounds for sugov_effective_cpu_perf().
 */
u64 effective_cpu_util(const struct sim *s, cpu_id cpu, u64 util, u64 *min, u64 *max);

/* effective_cpu_util_v6_1 - the same of v6.1; @freq: for a frequency (clamped), else for energy. */
u64 effective_cpu_util_v6_1(const struct sim *s, cpu_id cpu, u64 util, bool freq);

/* Whether a clamp was ever set; uclamp_is_used(). */
bool uclamp_is_used(const struct sim *s);
/* @util within the clamps of the CPU's runnable tasks; v6.1: uclamp_rq_util_with(). */
u64 uclamp_rq_util(const struct sim *s, const struct rq *rq, u64 util);

/* Waiting for io: one hook call's boost step, and the step that reads it. @tick: ns of a tick. */
void sugov_iowait_boost(struct sugov_cpu *sg, u64 time, u32 flags, u64 tick);
u64 sugov_iowait_apply(struct sugov_cpu *sg, u64 time, u64 max_cap, u64 tick);

/* sugov_get_util - what @cpu asks for, boost of @boost included: sets sugov_cpu.util. */
void sugov_get_util(struct sim *s, cpu_id cpu, u64 boost);

/* Default of the rate limit in us, from the transition latency. */
u64 sugov_rate_limit_us(const struct sim *s, u32 fd);

extern const struct sched_policy governor_schedutil;

#endif
