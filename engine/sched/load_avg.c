/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load_avg.c - averages in step with what entities and queues do. See load_avg.h.
 *
 * Simplified: no NUMA balancing, and removed averages need no lock.
 */
#include "engine/sched/load_avg.h"

#include "engine/hw/cpufreq.h"
#include "engine/observe/emit.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/clock.h"
#include "engine/sched/fair.h"
#include "engine/sched/features.h"
#include "engine/sched/group.h"
#include "engine/sched/load.h"
#include "engine/sched/pelt.h"
#include "engine/sched/queued_load.h"

#define TG_UPDATE_NS NSEC_PER_MSEC

/* @sum not below what @avg says it must be. The kernel compares 32 bits; so do we. */
static inline u32 sum_floor(u64 sum, u64 avg)
{
	u32 least = (u32)(avg * PELT_MIN_DIVIDER);

	return (u32)sum > least ? (u32)sum : least;
}

/* x + d, or 0 where that would be negative: add_positive() of kernel/sched/fair.c. */
static inline u64 add_positive(u64 x, s64 d)
{
	u64 sum = x + (u64)d;

	return d < 0 && sum > x ? 0 : sum;
}

static inline u32 add_positive_u32(u32 x, s64 d)
{
	u32 sum = (u32)(x + (u64)d);

	return d < 0 && sum > x ? 0 : sum;
}

static inline bool is_root_queue(const struct cfs_rq *q)
{
	return q->tg == ROOT_TG;
}

/* cfs_rq_util_change(): frequency follows the averages of root queues. */
static void util_change(struct sim *s, struct cfs_rq *q)
{
	if (is_root_queue(q))
		cpufreq_update_util(s, rq_of(s, q), 0);
}

static void trace_pelt_cfs(struct sim *s, const struct cfs_rq *q)
{
	if (is_root_queue(q))
		trace(s, TR_pelt_cfs, q->cpu, NONE,
		      trace_pair((u32)q->avg.load_avg, (u32)q->avg.runnable_avg), q->avg.util_avg);
}

static void trace_pelt_se(struct sim *s, const struct cfs_rq *q, se_id id)
{
	const struct sched_avg *a = &se_get(s, id)->avg;

	if (is_task_se(id))
		trace(s, TR_pelt_se, q->cpu, id, trace_pair((u32)a->load_avg, (u32)a->runnable_avg),
		      a->util_avg);
}

/* ---- attach, detach, remove --------------------------------------------------------------- */

static void mark_propagation(struct cfs_rq *q, s64 runnable_sum)
{
	q->propagate = 1;
	q->prop_runnable_sum += runnable_sum;
}

static void add_entity_load(struct sched_avg *to, const struct sched_entity *se)
{
	to->load_avg += se->avg.load_avg;
	to->load_sum += se_weight(se) * se->avg.load_sum;
}

static void sub_entity_load(struct sched_avg *from, const struct sched_entity *se)
{
	from->load_avg = sub_positive(from->load_avg, se->avg.load_avg);
	from->load_sum = sub_positive(from->load_sum, se_weight(se) * se->avg.load_sum);
	from->load_sum = sum_floor(from->load_sum, from->load_avg);
}

void attach_entity_load_avg(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);
	struct sched_avg *a = &se->avg;
	u32 divider = get_pelt_divider(&q->avg);
	u64 weight = se_weight(se);

	/*
	 * The entity takes over the queue's place in the period, so its sums are made from its
	 * averages: those it brings may belong to another place.
	 */
	a->last_update_time = q->avg.last_update_time;
	a->period_contrib = q->avg.period_contrib;
	a->util_sum = (u32)(a->util_avg * divider);
	a->runnable_sum = a->runnable_avg * divider;
	a->load_sum = a->load_avg * divider;
	a->load_sum = weight < a->load_sum ? a->load_sum / weight : 1;

	add_entity_load(&q->avg, se);
	q->avg.util_avg += a->util_avg;
	q->avg.util_sum += a->util_sum;
	q->avg.runnable_avg += a->runnable_avg;
	q->avg.runnable_sum += a->runnable_sum;
	mark_propagation(q, (s64)a->load_sum);
	util_change(s, q);
	trace_pelt_cfs(s, q);
}

void detach_entity_load_avg(struct sim *s, struct cfs_rq *q, se_id id)
{
	const struct sched_entity *se = se_get(s, id);
	const struct sched_avg *a = &se->avg;
	struct sched_avg *qa = &q->avg;

	sub_entity_load(qa, se);
	qa->util_avg = sub_positive(qa->util_avg, a->util_avg);
	qa->util_sum = (u32)sub_positive(qa->util_sum, a->util_sum);
	qa->util_sum = sum_floor(qa->util_sum, qa->util_avg);
	qa->runnable_avg = sub_positive(qa->runnable_avg, a->runnable_avg);
	qa->runnable_sum = sub_positive(qa->runnable_sum, a->runnable_sum);
	qa->runnable_sum = sum_floor(qa->runnable_sum, qa->runnable_avg);
	mark_propagation(q, -(s64)a->load_sum);
	util_change(s, q);
	trace_pelt_cfs(s, q);
}

void sync_entity_load_avg(struct sim *s, se_id id)
{
	s->stats->pelt_updates++;
	update_se_blocked(cfs_rq_of(s, id)->avg.last_update_time, se_get(s, id));
}

void remove_entity_load_avg(struct sim *s, se_id id)
{
	struct cfs_rq *q = cfs_rq_of(s, id);
	const struct sched_avg *a = &se_get(s, id)->avg;

	sync_entity_load_avg(s, id);
	q->removed_nr++;
	q->removed_util_avg += a->util_avg;
	q->removed_load_avg += a->load_avg;
	q->removed_runnable_avg += a->runnable_avg;
}

static void take_removed(struct cfs_rq *q)
{
	struct sched_avg *a = &q->avg;
	u32 divider = get_pelt_divider(a);
	u64 load = q->removed_load_avg, util = q->removed_util_avg;
	u64 runnable = q->removed_runnable_avg;

	q->removed_nr = 0;
	q->removed_load_avg = 0;
	q->removed_util_avg = 0;
	q->removed_runnable_avg = 0;

	a->load_avg = sub_positive(a->load_avg, load);
	a->load_sum = sub_positive(a->load_sum, load * divider);
	a->load_sum = sum_floor(a->load_sum, a->load_avg);
	a->util_avg = sub_positive(a->util_avg, util);
	/* The subtraction is made in the 32 bits of util_sum. */
	a->util_sum = (u32)sub_positive(a->util_sum, (u32)(util * divider));
	a->util_sum = sum_floor(a->util_sum, a->util_avg);
	a->runnable_avg = sub_positive(a->runnable_avg, runnable);
	a->runnable_sum = sub_positive(a->runnable_sum, runnable * divider);
	a->runnable_sum = sum_floor(a->runnable_sum, a->runnable_avg);

	/* What was removed had a load sum we no longer know: its runnable sum is near it. */
	mark_propagation(q, -(s64)(runnable * divider) >> SCHED_CAPACITY_SHIFT);
}

bool update_cfs_rq_load_avg(struct sim *s, u64 now, struct cfs_rq *q)
{
	bool changed = false;

	if (q->removed_nr) {
		take_removed(q);
		changed = true;
	}
	s->stats->pelt_updates++;
	if (sched_feat(s, QUEUED_LOAD))
		queued_load_age(q, now, q->avg.last_update_time, q->avg.period_contrib);
	if (update_cfs(now, q)) {
		changed = true;
		trace_pelt_cfs(s, q);
	}
	return changed;
}

/* ---- groups ------------------------------------------------------------------------------- */

void update_tg_load_avg(struct sim *s, struct cfs_rq *q)
{
	if (is_root_queue(q))
		return;
	if (sched_feat(s, TG_RATELIMIT)) {
		if (s->g->now - q->last_update_tg_load_avg < TG_UPDATE_NS)
			return;
	}

	s64 delta = (s64)(q->avg.load_avg - q->tg_load_avg_contrib);
	u64 size = (u64)(delta < 0 ? -delta : delta);

	if (size > q->tg_load_avg_contrib / 64) {
		s->groups[q->tg].load_avg += (u64)delta;
		q->tg_load_avg_contrib = q->avg.load_avg;
		q->last_update_tg_load_avg = s->g->now;
	}
}

static void propagate_util(struct sched_avg *qa, struct sched_avg *ea, const struct sched_avg *ga)
{
	u32 new_sum = (u32)(ga->util_avg * get_pelt_divider(qa));

	if (ga->util_avg == ea->util_avg)
		return;
	qa->util_avg = add_positive(qa->util_avg, (s64)(ga->util_avg - ea->util_avg));
	qa->util_sum = add_positive_u32(qa->util_sum, (s64)new_sum - (s64)ea->util_sum);
	qa->util_sum = sum_floor(qa->util_sum, qa->util_avg);
	ea->util_avg = ga->util_avg;
	ea->util_sum = new_sum;
}

static void propagate_runnable(struct sched_avg *qa, struct sched_avg *ea,
			       const struct sched_avg *ga)
{
	/* 32 bits as in the kernel: wraps with 90 tasks and more that are runnable all the time. */
	u32 new_sum = (u32)(ga->runnable_avg * get_pelt_divider(qa));

	if (ga->runnable_avg == ea->runnable_avg)
		return;
	qa->runnable_avg =
		add_positive(qa->runnable_avg, (s64)(ga->runnable_avg - ea->runnable_avg));
	qa->runnable_sum = add_positive(qa->runnable_sum, (s64)new_sum - (s64)ea->runnable_sum);
	qa->runnable_sum = sum_floor(qa->runnable_sum, qa->runnable_avg);
	ea->runnable_avg = ga->runnable_avg;
	ea->runnable_sum = new_sum;
}

/*
 * The load of a group's entity is not that of its queue: how long it was runnable must be guessed
 * from what joined or left.
 */
static void propagate_load(struct sim *s, struct cfs_rq *q, se_id id, struct cfs_rq *gq)
{
	struct sched_entity *se = se_get(s, id);
	bool queued = se->on_rq && sched_feat(s, QUEUED_LOAD);
	s64 runnable = gq->prop_runnable_sum;
	u32 divider = get_pelt_divider(&q->avg);
	u64 weight = se_weight(se);

	if (!runnable)
		return;
	gq->prop_runnable_sum = 0;
	if (runnable > 0) {
		runnable += (s64)se->avg.load_sum;
		if (runnable > (s64)divider)
			runnable = divider;
	} else {
		u64 gq_weight = scale_load_down(gq->load.weight);
		u64 mean = gq_weight ? gq->avg.load_sum / gq_weight : 0;

		/* What left cannot have been runnable for longer than the rest on average. */
		runnable = (s64)min_u64(se->avg.load_sum, mean);
	}
	runnable = (s64)max_u64((u64)runnable, se->avg.util_sum >> SCHED_CAPACITY_SHIFT);

	u64 load_sum = weight * (u64)runnable;
	u64 load_avg = load_sum / divider;

	if (load_avg == se->avg.load_avg)
		return;
	if (queued)
		queued_load_sub(s, q, id);
	q->avg.load_avg = add_positive(q->avg.load_avg, (s64)(load_avg - se->avg.load_avg));
	q->avg.load_sum =
		add_positive(q->avg.load_sum, (s64)(load_sum - weight * se->avg.load_sum));
	q->avg.load_sum = sum_floor(q->avg.load_sum, q->avg.load_avg);
	se->avg.load_sum = (u64)runnable;
	se->avg.load_avg = load_avg;
	if (queued)
		queued_load_add(s, q, id);
}

bool propagate_entity_load_avg(struct sim *s, se_id id)
{
	if (is_task_se(id))
		return false;

	struct cfs_rq *gq = group_cfs_rq(s, id);

	if (!gq->propagate)
		return false;
	gq->propagate = 0;

	struct cfs_rq *q = cfs_rq_of(s, id);
	struct sched_entity *se = se_get(s, id);

	mark_propagation(q, gq->prop_runnable_sum);
	propagate_util(&q->avg, &se->avg, &gq->avg);
	propagate_runnable(&q->avg, &se->avg, &gq->avg);
	propagate_load(s, q, id, gq);
	trace_pelt_cfs(s, q);
	return true;
}

/* ---- the update of every event ------------------------------------------------------------ */

void update_load_avg(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	struct sched_entity *se = se_get(s, id);
	u64 now = cfs_rq_clock_pelt(s, q);
	bool changed;

	if (se->avg.last_update_time && !(flags & SKIP_AGE_LOAD)) {
		s->stats->pelt_updates++;
		if (update_se(now, se, q->curr == id))
			trace_pelt_se(s, q, id);
	}
	changed = update_cfs_rq_load_avg(s, now, q);
	changed |= propagate_entity_load_avg(s, id);

	if (!se->avg.last_update_time && (flags & DO_ATTACH)) {
		/* It comes from elsewhere, or is new. */
		attach_entity_load_avg(s, q, id);
		update_tg_load_avg(s, q);
	} else if (flags & DO_DETACH) {
		/* Only a task that goes to another queue is detached while it is queued. */
		detach_entity_load_avg(s, q, id);
		update_tg_load_avg(s, q);
	} else if (changed) {
		util_change(s, q);
		if (flags & UPDATE_TG)
			update_tg_load_avg(s, q);
	}
}

/* propagate_entity_cfs_rq(): carry an attach or detach below up to the root at once. */
static void propagate_to_root(struct sim *s, se_id id)
{
	struct cfs_rq *q = cfs_rq_of(s, id);

	/* Where time stands still nothing is carried on: the release does. */
	if (cfs_rq_throttled(q))
		return;
	if (!throttled_hierarchy(q))
		list_add_leaf_cfs_rq(s, q);
	for (id = parent_se(s, id); id != NONE; id = parent_se(s, id)) {
		q = cfs_rq_of(s, id);
		update_load_avg(s, q, id, UPDATE_TG);
		if (cfs_rq_throttled(q))
			return;
		if (!throttled_hierarchy(q))
			list_add_leaf_cfs_rq(s, q);
	}
}

void attach_entity_cfs_rq(struct sim *s, se_id id)
{
	struct cfs_rq *q = cfs_rq_of(s, id);

	update_load_avg(s, q, id, sched_feat(s, ATTACH_AGE_LOAD) ? 0 : SKIP_AGE_LOAD);
	attach_entity_load_avg(s, q, id);
	update_tg_load_avg(s, q);
	propagate_to_root(s, id);
}

void detach_entity_cfs_rq(struct sim *s, se_id id)
{
	struct cfs_rq *q = cfs_rq_of(s, id);

	update_load_avg(s, q, id, 0);
	detach_entity_load_avg(s, q, id);
	update_tg_load_avg(s, q);
	propagate_to_root(s, id);
}

/* ---- beginnings and moves ----------------------------------------------------------------- */

void init_entity_runnable_average(struct sim *s, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	se->avg = (struct sched_avg){ 0 };
	/* A task counts as heavy until it is known better; a group has no load before its tasks. */
	if (is_task_se(id))
		se->avg.load_avg = se_weight(se);
}

void post_init_entity_util_avg(struct sim *s, task_id p)
{
	struct sched_entity *se = &s->task_se[p];
	const struct cfs_rq *q = cfs_rq_of(s, p);
	s64 room = ((s64)rq_of(s, q)->cpu_capacity_orig - (s64)q->avg.util_avg) / 2;

	if (room > 0) {
		u64 util = (u64)room;

		if (q->avg.util_avg) {
			u64 weight = sched_feat(s, FORK_UTIL_SCALED) ? se_weight(se)
								     : se->load.weight;

			util = min_u64(q->avg.util_avg * weight / (q->avg.load_avg + 1), util);
		}
		se->avg.util_avg = util;
	}
	se->avg.runnable_avg = se->avg.util_avg;
}

void migrate_se_pelt_lag(struct sim *s, se_id id)
{
	struct sched_entity *se = se_get(s, id);
	const struct cfs_rq *q = cfs_rq_of(s, id);
	const struct rq *rq = rq_of(s, q);

	if (load_avg_is_decayed(&se->avg) || rq->curr != NONE || throttled_hierarchy(q))
		return;

	u64 now = rq->clock_pelt_idle - q->throttled_pelt_time;

	if (now < q->avg.last_update_time)
		now = q->avg.last_update_time;
	else
		now += (s->g->now - rq->clock_idle) << s->g->tun.pelt_shift;
	s->stats->pelt_updates++;
	update_se_blocked(now, se);
}

/* ---- weights ------------------------------------------------------------------------------ */

void reweight_entity(struct sim *s, struct cfs_rq *q, se_id id, u64 weight)
{
	struct sched_entity *se = se_get(s, id);
	bool in_tree = se->on_rq && q->curr != id;

	if (se->on_rq) {
		/* Until v6.12 only a change of the running entity's own weight was accounted. */
		if (q->curr == id || sched_feat(s, REWEIGHT_LAG))
			update_curr(s, q);
		if (in_tree)
			s->pick->erase(s, q, id);
		update_load_sub(&q->load, se->load.weight);
		if (sched_feat(s, QUEUED_LOAD))
			queued_load_sub(s, q, id);
	}
	sub_entity_load(&q->avg, se);
	if (s->pick->reweight)
		s->pick->reweight(s, q, id, weight);
	update_load_set(&se->load, weight);
	se->avg.load_avg = se_weight(se) * se->avg.load_sum / get_pelt_divider(&se->avg);
	add_entity_load(&q->avg, se);
	if (se->on_rq) {
		update_load_add(&q->load, weight);
		if (sched_feat(s, QUEUED_LOAD))
			queued_load_add(s, q, id);
		if (in_tree)
			s->pick->insert(s, q, id);
	}
}

void reweight_task(struct sim *s, task_id p, s8 nice, bool idle)
{
	struct load_weight lw = load_weight_of(nice, idle);

	reweight_entity(s, cfs_rq_of(s, p), p, lw.weight);
	s->task_se[p].load.inv_weight = lw.inv_weight;
	s->task_se[p].idle = idle;
}

/* ---- load as seen from the root ----------------------------------------------------------- */

/* Refresh h_load of @q and its ancestors, at most once per jiffy. */
static u64 queue_h_load(struct sim *s, struct cfs_rq *q, u64 stamp)
{
	if (q->last_h_load_update == stamp)
		return q->h_load;

	u64 load = q->avg.load_avg;

	if (!is_root_queue(q)) {
		se_id id = cfs_se_id(s, q);
		struct cfs_rq *above = cfs_rq_of(s, id);

		load = queue_h_load(s, above, stamp);
		load = load * se_get(s, id)->avg.load_avg / (above->avg.load_avg + 1);
	}
	q->h_load = load;
	q->last_h_load_update = stamp;
	return load;
}

u64 task_h_load(struct sim *s, task_id p)
{
	struct cfs_rq *q = cfs_rq_of(s, p);
	u64 h_load = queue_h_load(s, q, sim_jiffies(s) + 1);

	return s->task_se[p].avg.load_avg * h_load / (q->avg.load_avg + 1);
}
