/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * util_est_v5_4.c - the rule of v5.4 to v6.7: the last sample and a moving average beside it.
 *
 * Follows util_est_update() of kernel/sched/fair.c, v6.1. sched_avg.util_est holds the last sample
 * ("enqueued") with the flag, util_est_ewma the average; the larger one counts. v5.4 itself had no
 * UTIL_EST_FASTUP, which is a feature switch here.
 */
#include "engine/policy/util_est_rule.h"
#include "engine/sched/features.h"

static void uest_v5_4_update(struct sim *s, task_id p)
{
	struct sched_avg *avg = &s->task_se[p].avg;
	u32 last = avg->util_est, sample = (u32)avg->util_avg, ewma = avg->util_est_ewma;

	if (last & UTIL_AVG_UNCHANGED)
		return;
	/* The flag is bit 0 of the sample there: it counts into the difference. */
	if (sched_feat(s, UEST_ODD))
		sample |= 1;
	if (sched_feat(s, UTIL_EST_FASTUP) && ewma < sample) {
		avg->util_est = sample | UTIL_AVG_UNCHANGED;
		avg->util_est_ewma = sample;
		return;
	}

	s32 diff = (s32)sample - (s32)ewma;
	s32 step = (s32)last - (s32)sample;

	if (diff < (s32)UTIL_EST_MARGIN && diff > -(s32)UTIL_EST_MARGIN) {
		/*
		 * Near the average; not even worth a store if it is near the last one, too. v5.4 and
		 * v5.10 store nothing.
		 */
		if (sched_feat(s, UEST_ODD))
			return;
		if (step >= (s32)UTIL_EST_MARGIN || step <= -(s32)UTIL_EST_MARGIN)
			avg->util_est = sample | UTIL_AVG_UNCHANGED;
		return;
	}
	if (sample > s->rqs[s->tasks[p].cpu].cpu_capacity_orig)
		return;
	ewma = (u32)(((s32)(ewma << UTIL_EST_WEIGHT_SHIFT) + diff) >> UTIL_EST_WEIGHT_SHIFT);
	avg->util_est = sample | UTIL_AVG_UNCHANGED;
	avg->util_est_ewma = ewma;
}

static u32 uest_v5_4_stored(const struct sched_avg *avg)
{
	u32 last = avg->util_est & ~UTIL_AVG_UNCHANGED;

	return last > avg->util_est_ewma ? last : avg->util_est_ewma;
}

static void uest_v5_4_adopt(struct sim *s, task_id p, bool from_pair)
{
	struct sched_avg *avg = &s->task_se[p].avg;

	if (!from_pair)
		avg->util_est_ewma = avg->util_est & ~UTIL_AVG_UNCHANGED;
}

static const struct util_est_ops uest_v5_4_ops = {
	.update = uest_v5_4_update,
	.stored = uest_v5_4_stored,
	.adopt = uest_v5_4_adopt,
	.pair = true,
};

const struct sched_policy util_est_v5_4 = {
	.name = "v5.4",
	.summary = "last sample and moving average, the larger counts (v5.4 to v6.7)",
	.doc = "When a task goes to sleep its utilisation becomes the last sample; the average follows "
	       "up at once and down by a quarter of the way. There is no test whether the task had to "
	       "wait. util_est_update(), v6.1.",
	.slot = SLOT_UTIL_EST,
	.ops = &uest_v5_4_ops,
};
