/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queued_load.c - load of what is queued now, as v5.4 had it. See queued_load.h.
 */
#include "engine/sched/queued_load.h"

#include "engine/sched/features.h"
#include "engine/sched/group.h"
#include "engine/sched/pelt.h"

static u64 own_weight(const struct sim *s, se_id id)
{
	const struct sched_entity *se = se_get(s, id);

	return is_task_se(id) ? se->load.weight : se->queued_weight;
}

static u64 own_load(const struct sim *s, se_id id)
{
	const struct sched_entity *se = se_get(s, id);

	return is_task_se(id) || !se->load.weight
		       ? se->avg.load_avg
		       : se->avg.load_avg * se->queued_weight / se->load.weight;
}

void queued_load_add(struct sim *s, struct cfs_rq *q, se_id id)
{
	u64 weight = own_weight(s, id);

	q->queued_weight += weight;
	q->queued_load_avg += own_load(s, id);
	q->queued_load_sum += scale_load_down(weight) * se_get(s, id)->avg.load_sum;
}

void queued_load_sub(struct sim *s, struct cfs_rq *q, se_id id)
{
	u64 weight = own_weight(s, id);

	q->queued_weight = sub_positive(q->queued_weight, weight);
	q->queued_load_avg = sub_positive(q->queued_load_avg, own_load(s, id));
	q->queued_load_sum = sub_positive(q->queued_load_sum,
					  scale_load_down(weight) * se_get(s, id)->avg.load_sum);
}

void queued_load_age(struct cfs_rq *q, u64 now, u64 last, u32 contrib)
{
	struct sched_avg a = { .last_update_time = last,
			       .period_contrib = contrib,
			       .load_sum = q->queued_load_sum };

	if (update_load_sum(now, &a, scale_load_down(q->queued_weight), 0, 0)) {
		update_load_avg_values(&a, 1);
		q->queued_load_avg = a.load_avg;
	}
	q->queued_load_sum = a.load_sum;
}

void queued_load_group(struct sim *s, se_id id)
{
	const struct cfs_rq *gq = group_cfs_rq(s, id);
	struct sched_entity *se = se_get(s, id);
	u64 load = max_u64(gq->avg.load_avg, scale_load_down(gq->load.weight));
	u64 queued = max_u64(gq->queued_load_avg, scale_load_down(gq->queued_weight));
	u64 weight = queued * se->load.weight;

	if (load)
		weight /= load;
	weight = min_u64(max_u64(weight, MIN_SHARES), se->load.weight);
	if (weight == se->queued_weight)
		return;
	if (se->on_rq)
		queued_load_sub(s, cfs_rq_of(s, id), id);
	se->queued_weight = weight;
	if (se->on_rq)
		queued_load_add(s, cfs_rq_of(s, id), id);
}

u64 cpu_queued_load(const struct sim *s, cpu_id cpu)
{
	const struct cfs_rq *root = root_cfs(s, cpu);

	return sched_feat(s, QUEUED_LOAD) ? root->queued_load_avg : root->avg.load_avg;
}
