/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sg_stats.h - sums over a sched group and its class: what balancing and the slow path of placement
 * decide by.
 *
 * Follows struct sg_lb_stats, group_is_overloaded(), group_has_capacity(), group_classify() and
 * adjust_numa_imbalance() of kernel/sched/fair.c, Linux v6.12 (v6.1: no smt class).
 */
#ifndef SG_ENGINE_POLICY_SG_STATS_H
#define SG_ENGINE_POLICY_SG_STATS_H

#include "engine/base/types.h"

/* In order of how badly a group needs help. */
enum group_type {
	GROUP_HAS_SPARE,
	GROUP_FULLY_BUSY,
	GROUP_MISFIT,
	GROUP_SMT_BALANCE,
	GROUP_ASYM_PACKING,
	GROUP_IMBALANCED,
	GROUP_OVERLOADED,
};

struct sg_stats {
	u64 avg_load; /* load per capacity, 1024 = 1; set for overloaded groups (slow path: busy too) */
	u64 load, capacity, util, runnable;
	u64 misfit; /* largest misfit load */
	u32 nr_running; /* all classes */
	u32 h_nr_running; /* fair, runnable */
	u32 idle_cpus, weight, cores;
	u32 asym_packing, smt_balance;
	enum group_type type;
};

/* More tasks than CPUs, and either no idle time or too much waiting. @pct: imbalance_pct. */
static inline bool group_is_overloaded(u32 pct, const struct sg_stats *g)
{
	return g->nr_running > g->weight &&
	       (g->capacity * 100 < g->util * pct || g->capacity * pct < g->runnable * 100);
}

static inline bool group_has_capacity(u32 pct, const struct sg_stats *g)
{
	if (g->nr_running < g->weight)
		return true;
	if (g->capacity * pct < g->runnable * 100)
		return false;
	return g->capacity * 100 > g->util * pct;
}

/* @imbalanced: pinned tasks were in the way of a pass below. */
static inline enum group_type group_classify(u32 pct, bool imbalanced, const struct sg_stats *g)
{
	if (group_is_overloaded(pct, g))
		return GROUP_OVERLOADED;
	if (imbalanced)
		return GROUP_IMBALANCED;
	if (g->asym_packing)
		return GROUP_ASYM_PACKING;
	if (g->smt_balance)
		return GROUP_SMT_BALANCE;
	if (g->misfit)
		return GROUP_MISFIT;
	return group_has_capacity(pct, g) ? GROUP_HAS_SPARE : GROUP_FULLY_BUSY;
}

/* An imbalance of a pair of tasks that talk is left alone while the destination is nearly idle. */
static inline s64 adjust_numa_imbalance(s32 imbalance, u32 dst_running, u32 imb_numa_nr)
{
	if (dst_running > imb_numa_nr)
		return imbalance;
	return imbalance <= 2 ? 0 : imbalance;
}

#endif
