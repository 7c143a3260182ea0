/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * util_est_rule.h - what the rules for the remembered utilisation share.
 *
 * Follows util_est_update() of kernel/sched/fair.c, v6.12. A rule sees the task when it goes to
 * sleep: d is its utilisation now, E what was remembered.
 */
#ifndef SG_ENGINE_POLICY_UTIL_EST_RULE_H
#define SG_ENGINE_POLICY_UTIL_EST_RULE_H

#include "engine/sched/util_est.h"

/*
 * util_est_decide - the part of the rule before a sample well below E is believed. Returns true if
 * it is for the rule to decide (and then util_est_store_ewma() or util_est_store()); all else is
 * done here, in the order of the kernel.
 */
static inline bool util_est_decide(const struct sim *s, task_id p, struct sched_avg *avg)
{
	u32 est = avg->util_est & ~UTIL_AVG_UNCHANGED;

	/* Not recomputed since the last time: no new sample. */
	if (avg->util_est & UTIL_AVG_UNCHANGED)
		return false;
	if (est <= avg->util_avg) {
		avg->util_est = (u32)avg->util_avg | UTIL_AVG_UNCHANGED;
		return false;
	}
	if (est - avg->util_avg < UTIL_EST_MARGIN) {
		avg->util_est = est | UTIL_AVG_UNCHANGED;
		return false;
	}
	/* More than the CPU can give: left from a bigger one. The sample stays open. */
	if (avg->util_avg > s->rqs[s->tasks[p].cpu].cpu_capacity_orig)
		return false;
	return true;
}

/* Keep E and note that this sample was seen. */
static inline void util_est_store(struct sched_avg *avg)
{
	avg->util_est |= UTIL_AVG_UNCHANGED;
}

/* E moves to d by a quarter of the way: floor((4 E - (E - d)) / 4). */
static inline void util_est_store_ewma(struct sched_avg *avg)
{
	u32 est = avg->util_est & ~UTIL_AVG_UNCHANGED;
	u32 diff = est - (u32)avg->util_avg;

	est = ((est << UTIL_EST_WEIGHT_SHIFT) - diff) >> UTIL_EST_WEIGHT_SHIFT;
	avg->util_est = est | UTIL_AVG_UNCHANGED;
}

/* The one-value rules read and take over alike. */
static inline u32 util_est_stored_one(const struct sched_avg *avg)
{
	return avg->util_est & ~UTIL_AVG_UNCHANGED;
}

static inline void util_est_adopt_one(struct sim *s, task_id p, bool from_pair)
{
	struct sched_avg *avg = &s->task_se[p].avg;
	u32 flag = avg->util_est & UTIL_AVG_UNCHANGED;
	u32 est = avg->util_est & ~UTIL_AVG_UNCHANGED;

	if (from_pair && avg->util_est_ewma > est)
		est = avg->util_est_ewma;
	avg->util_est = est | flag;
	avg->util_est_ewma = 0;
}

extern const struct sched_policy util_est_runnable, util_est_idle_aware, util_est_revert,
	util_est_v5_4;

#endif
