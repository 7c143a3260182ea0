/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pick_eevdf.c - earliest eligible virtual deadline first.
 *
 * Follows kernel/sched/fair.c of Linux v6.12 (stable 6.12.117): avg_vruntime(), entity_eligible(),
 * update_deadline(), place_entity(), update_entity_lag(), pick_eevdf(), requeue_delayed_entity(),
 * reweight_eevdf(), check_preempt_wakeup_fair(), yield_task_fair(). v6.6 is the same file with bits
 * of features.def off: no delayed dequeue, no short-slice preemption, no slices of one's own.
 *
 * A queue's virtual time V is the weighted average of its entities. It is kept as an offset from
 * zero_vruntime: K = sum of (vruntime - zero) * weight and L = sum of weights, over the entities in
 * the tree; the current one is added when it is asked for. zero_vruntime follows V, so that K stays
 * small. The tree is ordered by deadline and every node knows the smallest vruntime below it, which
 * makes the search for the earliest eligible deadline one walk down.
 *
 * Products that the kernel lets overflow are 128 bits wide here; where it does not overflow the
 * results are equal. Simplified: of equal deadlines v6.6 lets the shape of its tree decide, here
 * the current entity wins (TIE_TREE off); a group's slice is the minimum below it at the moment it
 * is needed rather than a copy refreshed on each change.
 */
#include "engine/policy/pick_common.h"
#include "engine/sched/features.h"
#include "engine/sched/tunables.h"

/* ---- virtual time of a queue ------------------------------------------------------------- */

/* K and L with the current entity counted in: what eligibility and V are computed from. */
struct eevdf_sum {
	s64 k;
	s64 w;
};

static inline s64 eevdf_key(const struct cfs_rq *q, u64 vruntime)
{
	return (s64)(vruntime - q->zero_vruntime);
}

static inline struct eevdf_sum eevdf_sum(const struct cfs_rq *q, const struct sched_entity *curr)
{
	struct eevdf_sum a = { q->avg_vruntime, (s64)q->avg_load };

	if (curr) {
		s64 w = (s64)se_weight(curr);

		a.k += eevdf_key(q, curr->vruntime) * w;
		a.w += w;
	}
	return a;
}

/* V >= @vruntime without a division: vruntime_eligible(). */
static inline bool eevdf_eligible(const struct cfs_rq *q, struct eevdf_sum a, u64 vruntime)
{
	return (s128)a.k >= (s128)eevdf_key(q, vruntime) * a.w;
}

static void eevdf_avg_add(struct cfs_rq *q, const struct sched_entity *se)
{
	u64 w = se_weight(se);

	q->avg_vruntime += eevdf_key(q, se->vruntime) * (s64)w;
	q->avg_load += w;
}

static void eevdf_avg_sub(struct cfs_rq *q, const struct sched_entity *se)
{
	u64 w = se_weight(se);

	q->avg_vruntime -= eevdf_key(q, se->vruntime) * (s64)w;
	q->avg_load -= w;
}

/* floor(k / w) for w > 0. */
static inline s64 eevdf_floor_div(s64 k, s64 w)
{
	s64 d = k / w;

	return d - (d * w > k);
}

/* V, with @extra, an entity that is queued but was taken out of the tree; NULL = none. */
static u64 eevdf_avg_with(const struct sim *s, struct cfs_rq *q, const struct sched_entity *extra)
{
	const struct sched_entity *curr = queued_curr(s, q);
	struct eevdf_sum a = eevdf_sum(q, curr);

	if (extra) {
		s64 w = (s64)se_weight(extra);

		a.k += eevdf_key(q, extra->vruntime) * w;
		a.w += w;
	}
	if (!a.w)
		return q->zero_vruntime;

	s64 delta;

	/* A lone running entity is the average itself. */
	if (curr && !extra && !q->avg_load)
		delta = eevdf_key(q, curr->vruntime);
	else
		delta = eevdf_floor_div(a.k, a.w);
	q->avg_vruntime -= (s64)q->avg_load * delta;
	q->zero_vruntime += (u64)delta;
	return q->zero_vruntime;
}

static inline u64 eevdf_avg(const struct sim *s, struct cfs_rq *q)
{
	return eevdf_avg_with(s, q, NULL);
}

/* ---- slices, lag -------------------------------------------------------------------------- */

static inline u64 eevdf_base_slice(const struct sim *s)
{
	return scaled_tunable(s, s->g->tun.base_slice);
}

static u64 eevdf_slice(const struct sim *s, se_id id);

/*
 * Smallest slice queued on @q: cfs_rq_min_slice(). q->seq counts the tasks below that have a slice
 * of their own, so that the walk is only made where its answer can differ from the base slice.
 */
static u64 eevdf_min_slice(const struct sim *s, const struct cfs_rq *q)
{
	if (!q->seq)
		return eevdf_base_slice(s);

	u64 min = ~0ull;

	if (queued_curr(s, q))
		min = eevdf_slice(s, q->curr);
	for_each_timeline(s, q, id) min = min_u64(min, eevdf_slice(s, id));
	return min == ~0ull ? eevdf_base_slice(s) : min;
}

static u64 eevdf_slice(const struct sim *s, se_id id)
{
	if (!is_task_se(id))
		return eevdf_min_slice(s, group_cfs_rq(s, id));
	if (s->task_se[id].custom_slice && sched_feat(s, CUSTOM_SLICE))
		return s->task_se[id].slice;
	return eevdf_base_slice(s);
}

/* Tasks with their own slice are counted at every queue above them. */
static void eevdf_count_custom(struct sim *s, se_id id, bool join)
{
	if (!is_task_se(id) || !s->task_se[id].custom_slice)
		return;
	for (; id != NONE; id = parent_se(s, id)) {
		struct cfs_rq *q = cfs_rq_of(s, id);

		if (join)
			q->seq++;
		else if (q->seq)
			q->seq--;
	}
}

/*
 * entity_lag(): V - v within plus or minus the longer of two slices and a tick, virtually. What a
 * group's slice was stands in it, for its queue may be empty by now.
 */
static s64 eevdf_lag(const struct sim *s, u64 avg, se_id id, struct sched_entity *se)
{
	u64 slice = is_task_se(id) ? eevdf_slice(s, id) : se->slice;
	u64 span = max_u64(2 * slice, tick_ns(s));
	s64 limit = (s64)calc_delta_fair(span, se);
	s64 lag = (s64)(avg - se->vruntime);

	return lag > limit ? limit : lag < -limit ? -limit : lag;
}

/* trunc(a * mul / div) for div > 0; 128 bits only where 64 do not hold the product. */
static s64 eevdf_scale(s64 a, u64 mul, u64 div)
{
	s64 product;

	if (!__builtin_mul_overflow(a, (s64)mul, &product))
		return product / (s64)div;
	return (s64)((s128)a * (s64)mul / (s64)div);
}

/* The slice now in force, kept in the entity for the display; a task's own one is never touched. */
static u64 eevdf_refresh_slice(const struct sim *s, se_id id, struct sched_entity *se)
{
	u64 slice = eevdf_slice(s, id);

	if (!se->custom_slice)
		se->slice = slice;
	return slice;
}

/* update_deadline(): true when the slice is used up. */
static bool eevdf_renew(const struct sim *s, se_id id, struct sched_entity *se)
{
	if ((s64)(se->vruntime - se->deadline) < 0)
		return false;
	se->deadline = se->vruntime + calc_delta_fair(eevdf_refresh_slice(s, id, se), se);
	return true;
}

/* ---- joining and leaving ------------------------------------------------------------------ */

static void eevdf_place_at(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	struct sched_entity *se = se_get(s, id);
	u64 avg = eevdf_avg(s, q);
	u64 slice = eevdf_refresh_slice(s, id, se);
	s64 lag = 0;

	/* Joining moves V towards the newcomer: the lag is made larger so that it comes out right. */
	if (sched_feat(s, PLACE_LAG) && q->nr_queued && se->vlag) {
		const struct sched_entity *curr = queued_curr(s, q);
		u64 load = q->avg_load + (curr ? se_weight(curr) : 0);

		if (!load)
			load = 1;
		lag = eevdf_scale(se->vlag, load + se_weight(se), load);
	}
	se->vruntime = avg - (u64)lag;
	if (se->rel_deadline) {
		se->deadline += se->vruntime;
		se->rel_deadline = 0;
		return;
	}

	u64 vslice = calc_delta_fair(slice, se);

	if ((flags & ENQUEUE_INITIAL) && sched_feat(s, PLACE_DEADLINE_INITIAL))
		vslice /= 2;
	se->deadline = se->vruntime + vslice;
}

static void eevdf_place(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	eevdf_place_at(s, q, id, flags);
	eevdf_count_custom(s, id, true);
}

static void eevdf_unplace(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	struct sched_entity *se = se_get(s, id);

	se->vlag = eevdf_lag(s, eevdf_avg(s, q), id, se);
	if (!(flags & DEQUEUE_SLEEP) && sched_feat(s, PLACE_REL_DEADLINE)) {
		se->deadline -= se->vruntime;
		se->rel_deadline = 1;
	}
	/* What a delayed task gained while it was not there to run is not its own. */
	if ((flags & DEQUEUE_DELAYED) && se->vlag > 0 && sched_feat(s, DELAY_ZERO))
		se->vlag = 0;
	eevdf_count_custom(s, id, false);
}

static void eevdf_insert(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	eevdf_avg_add(q, se);
	se->key = se->deadline;
	timeline_insert(s, q, id);
}

static void eevdf_erase(struct sim *s, struct cfs_rq *q, se_id id)
{
	timeline_erase(s, q, id);
	eevdf_avg_sub(q, se_get(s, id));
}

static bool eevdf_delay(struct sim *s, struct cfs_rq *q, se_id id)
{
	if (!sched_feat(s, DELAY_DEQUEUE))
		return false;
	return !eevdf_eligible(q, eevdf_sum(q, queued_curr(s, q)), se_get(s, id)->vruntime);
}

static void eevdf_requeue(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	if (!sched_feat(s, DELAY_ZERO))
		return;

	s64 lag = eevdf_lag(s, eevdf_avg(s, q), id, se);

	se->vlag = lag;
	if (lag <= 0)
		return;
	se->vlag = 0;
	if (q->curr != id)
		eevdf_erase(s, q, id);
	eevdf_place_at(s, q, id, 0);
	if (q->curr != id)
		eevdf_insert(s, q, id);
}

/* ---- running ------------------------------------------------------------------------------ */

static inline bool eevdf_protected(const struct sched_entity *curr)
{
	return (u64)curr->vlag == curr->deadline;
}

static bool eevdf_charge(struct sim *s, struct cfs_rq *q, se_id id, u64 delta)
{
	struct sched_entity *curr = se_get(s, id);

	curr->vruntime += calc_delta_fair(delta, curr);
	if (eevdf_renew(s, id, curr))
		return true;
	/* Protection was cancelled by a wakee with a shorter slice: did_preempt_short(). */
	if (q->nr_queued > 1 && !eevdf_protected(curr) && sched_feat(s, PREEMPT_SHORT))
		return !eevdf_eligible(q, eevdf_sum(q, queued_curr(s, q)), curr->vruntime);
	return false;
}

/* pick_eevdf(): the earliest deadline among those that are owed time. */
static se_id eevdf_search(struct sim *s, struct cfs_rq *q)
{
	struct sched_entity *curr = queued_curr(s, q);

	if (q->nr_queued == 1)
		return curr ? q->curr : timeline_first(q);

	struct eevdf_sum a = eevdf_sum(q, curr);

	if (curr && !eevdf_eligible(q, a, curr->vruntime))
		curr = NULL;
	if (curr && eevdf_protected(curr) && sched_feat(s, RUN_TO_PARITY))
		return q->curr;

	se_id best = timeline_first(q);

	if (best != NONE && !eevdf_eligible(q, a, se_get(s, best)->vruntime)) {
		se_id node = q->timeline.top;

		best = NONE;
		while (node != NONE) {
			const struct sched_entity *se = se_get(s, node);
			se_id left = se->run_node.child[0];

			/* Whatever is eligible on the left has an earlier deadline. */
			if (left != NONE && eevdf_eligible(q, a, se_get(s, left)->min_vruntime)) {
				node = left;
				continue;
			}
			if (eevdf_eligible(q, a, se->vruntime)) {
				best = node;
				break;
			}
			node = se->run_node.child[1];
		}
	}
	if (!curr)
		return best;
	if (best == NONE)
		return q->curr;

	s64 ahead = (s64)(curr->deadline - se_get(s, best)->deadline);

	return ahead < 0 || (!ahead && !sched_feat(s, TIE_TREE)) ? q->curr : best;
}

static se_id eevdf_pick(struct sim *s, struct cfs_rq *q)
{
	if (q->next != NONE && (sched_feat(s, PICK_BUDDY) || sched_feat(s, NEXT_BUDDY)) &&
	    eevdf_eligible(q, eevdf_sum(q, queued_curr(s, q)), se_get(s, q->next)->vruntime))
		return q->next;
	return eevdf_search(s, q);
}

/* set_protect_slice(): until the deadline is renewed the marker equals it. */
static void eevdf_set_next(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	(void)q;
	if (se->on_rq)
		se->vlag = (s64)se->deadline;
}

static void eevdf_cancel_protection(struct sched_entity *curr)
{
	if (eevdf_protected(curr))
		curr->vlag = (s64)(curr->deadline + 1);
}

/* do_preempt_short() */
static bool eevdf_short_wakee(struct sim *s, struct cfs_rq *q, se_id curr_id, se_id wakee_id)
{
	if (!sched_feat(s, PREEMPT_SHORT) || eevdf_slice(s, wakee_id) >= eevdf_slice(s, curr_id))
		return false;

	const struct sched_entity *curr = se_get(s, curr_id), *wakee = se_get(s, wakee_id);
	struct eevdf_sum a = eevdf_sum(q, queued_curr(s, q));

	if (!eevdf_eligible(q, a, wakee->vruntime))
		return false;
	return (s64)(wakee->deadline - curr->deadline) < 0 || !eevdf_eligible(q, a, curr->vruntime);
}

static bool eevdf_preempt(struct sim *s, struct cfs_rq *q, se_id curr, se_id wakee, u32 flags)
{
	if (flags & WF_IDLE_CURR) {
		eevdf_cancel_protection(se_get(s, curr));
		return true;
	}
	if (sched_feat(s, NEXT_BUDDY) && !(flags & WF_FORK) && !se_get(s, wakee)->sched_delayed)
		q->next = wakee;
	if (eevdf_short_wakee(s, q, curr, wakee))
		eevdf_cancel_protection(se_get(s, curr));
	return eevdf_search(s, q) == wakee;
}

static void eevdf_yield(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *curr = se_get(s, id);

	if (!sched_feat(s, YIELD_TO_DEADLINE)) {
		curr->deadline += calc_delta_fair(eevdf_slice(s, id), curr);
		return;
	}
	if (!eevdf_eligible(q, eevdf_sum(q, curr), curr->vruntime))
		return;
	curr->vruntime = curr->deadline;
	eevdf_renew(s, id, curr);
}

/* reweight_eevdf(): the same lag in time, so another one in virtual time. */
static void eevdf_reweight(struct sim *s, struct cfs_rq *q, se_id id, u64 weight)
{
	struct sched_entity *se = se_get(s, id);
	u64 old = se->load.weight;

	if (!weight)
		weight = 1;
	if (!se->on_rq) {
		se->vlag = eevdf_scale(se->vlag, old, weight);
		return;
	}
	if (!sched_feat(s, REWEIGHT_LAG)) {
		s64 left = (s64)(se->deadline - se->vruntime);

		se->deadline = se->vruntime + (u64)eevdf_scale(left, old, weight);
		return;
	}

	u64 avg = eevdf_avg_with(s, q, q->curr == id ? NULL : se);

	if (avg != se->vruntime)
		se->vruntime = avg - (u64)eevdf_scale(eevdf_lag(s, avg, id, se), old, weight);
	se->deadline = avg + (u64)eevdf_scale((s64)(se->deadline - avg), old, weight);
}

static void eevdf_fork(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	(void)q;
	se->vlag = 0;
	se->rel_deadline = 0;
	eevdf_refresh_slice(s, id, se);
}

/* ---- hand-over ---------------------------------------------------------------------------- */

/* Tasks on @q and below that have a slice of their own, those of throttled groups included. */
static u32 eevdf_custom_below(const struct sim *s, const struct cfs_rq *q)
{
	u32 n = 0;

	if (queued_curr(s, q) && is_task_se(q->curr))
		n += s->task_se[q->curr].custom_slice;
	for_each_timeline(s, q, id) if (is_task_se(id)) n += s->task_se[id].custom_slice;
	for (u32 g = s->groups[q->tg].first_child; g != NONE; g = s->groups[g].next_sibling)
		n += eevdf_custom_below(s, tg_cfs(s, g, q->cpu));
	return n;
}

static void eevdf_adopt_entity(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	se->vruntime = q->zero_vruntime;
	se->vlag = 0;
	se->rel_deadline = 0;
	se->deadline = se->vruntime + calc_delta_fair(eevdf_refresh_slice(s, id, se), se);
	se->key = se->deadline;
}

/* Everyone at the average, nobody owed anything. */
static void eevdf_adopt(struct sim *s, struct cfs_rq *q)
{
	struct sched_entity *curr = queued_curr(s, q);

	q->seq = eevdf_custom_below(s, q);
	q->zero_vruntime = timeline_middle(s, q);
	q->avg_vruntime = 0;
	q->avg_load = 0;
	q->next = q->last = q->skip = NONE;
	if (curr) {
		eevdf_adopt_entity(s, q, q->curr);
		curr->vlag = (s64)curr->deadline;
	}
	timeline_rebuild(s, q, eevdf_adopt_entity);
	for_each_timeline(s, q, id) eevdf_avg_add(q, se_get(s, id));
}

static const struct pick_ops eevdf_ops = {
	.place = eevdf_place,
	.unplace = eevdf_unplace,
	.insert = eevdf_insert,
	.erase = eevdf_erase,
	.delay = eevdf_delay,
	.requeue = eevdf_requeue,
	.charge = eevdf_charge,
	.pick = eevdf_pick,
	.set_next = eevdf_set_next,
	.put_prev = pick_nothing,
	.tick = pick_no, /* the accounting before it has said all there is to say */
	.preempt = eevdf_preempt,
	.yield = eevdf_yield,
	.reweight = eevdf_reweight,
	.adopt = eevdf_adopt,
	.fork = eevdf_fork,
};

const struct sched_policy pick_eevdf = {
	.name = "eevdf",
	.summary = "earliest eligible virtual deadline first (v6.6 and later)",
	.doc = "Every task has a slice and a virtual deadline by which it should have had it. Those that "
	       "got less than their share so far are eligible; of them the earliest deadline runs. A "
	       "shorter slice means lower latency, not more time. Follows pick_eevdf() and "
	       "place_entity() of kernel/sched/fair.c, Linux v6.12.",
	.slot = SLOT_PICK,
	.ops = &eevdf_ops,
};
