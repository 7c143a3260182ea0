/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uclamp.c - the buckets behind a CPU's utilisation clamps, and how groups restrict those of tasks.
 */
#include "engine/sched/uclamp.h"

#include "engine/sched/class.h"
#include "engine/sched/features.h"
#include "engine/sched/group.h"

#define BUCKET_SIZE 205u /* 1024 / 5, rounded to nearest */

static u32 bucket_of(u32 value)
{
	u32 b = value / BUCKET_SIZE;

	return b < UCLAMP_BUCKETS ? b : UCLAMP_BUCKETS - 1;
}

static u32 *rq_value(struct rq *rq, u32 id)
{
	return id ? &rq->uclamp_max : &rq->uclamp_min;
}

void uclamp_rq_inc(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];
	/*
	 * Real-time tasks want all of a CPU, or what their group lets them have; deadline tasks what
	 * they have reserved.
	 */
	const u32 want[2] = { policy_is_fair(t->policy)
				      ? t->uclamp_min
				      : (u32)min_u64(rt_uclamp_min(s, t), t->uclamp_max),
			      t->uclamp_max };

	if (!sched_feat(s, UCLAMP_USED) || t->uclamp_active || t->policy == SCHED_DEADLINE)
		return;
	for (u32 id = 0; id < 2; id++) {
		struct uclamp_bucket *b = &rq->uclamp[id][bucket_of(want[id])];

		t->uclamp_eff[id] = want[id];
		b->tasks++;
		/* The CPU was idle: nothing of the last task's wish remains. */
		if (rq->uclamp_idle)
			*rq_value(rq, id) = want[id];
		if (b->tasks == 1 || want[id] > b->value)
			b->value = want[id];
		if (want[id] > *rq_value(rq, id))
			*rq_value(rq, id) = want[id];
	}
	rq->uclamp_idle = 0;
	t->uclamp_active = 1;
}

void uclamp_rq_dec(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];

	if (!t->uclamp_active)
		return;
	t->uclamp_active = 0;
	for (u32 id = 0; id < 2; id++) {
		struct uclamp_bucket *b = &rq->uclamp[id][bucket_of(t->uclamp_eff[id])];
		u32 *value = rq_value(rq, id);
		s32 top = UCLAMP_BUCKETS - 1;

		BUG_ON(!b->tasks);
		if (--b->tasks || *value > b->value)
			continue;
		while (top >= 0 && !rq->uclamp[id][top].tasks)
			top--;
		if (top >= 0) {
			*value = rq->uclamp[id][top].value;
		} else if (id) {
			/* Idle: the last maximum stays, so that the frequency does not jump. */
			rq->uclamp_idle = 1;
		} else {
			*value = 0;
		}
	}
}

/* The first clamp ever: whoever is runnable counts from now on. */
static void uclamp_enable(struct sim *s)
{
	if (sched_feat(s, UCLAMP_USED))
		return;
	s->g->tun.features |= FEAT_BIT(UCLAMP_USED);
	for_each_live(q, &s->arena,
		      POOL_TASK) if (s->tasks[q].on_rq && !s->task_se[q].sched_delayed)
		uclamp_rq_inc(s, &s->rqs[s->tasks[q].cpu], q);
}

void uclamp_restrict(struct sim *s, task_id p)
{
	struct task *t = &s->tasks[p];
	const struct task_group *tg = &s->groups[t->tg];

	t->uclamp_min = t->uclamp_req[0];
	t->uclamp_max = t->uclamp_req[1];
	if (tg->parent == NONE)
		return;
	t->uclamp_min = (u32)min_u64(max_u64(t->uclamp_min, tg->uclamp[0]), tg->uclamp[1]);
	t->uclamp_max = (u32)min_u64(max_u64(t->uclamp_max, tg->uclamp[0]), tg->uclamp[1]);
}

/* What it asks for or what its group allows has changed. */
static void uclamp_changed(struct sim *s, task_id p)
{
	struct rq *rq = &s->rqs[s->tasks[p].cpu];
	bool active = s->tasks[p].uclamp_active;

	if (active)
		uclamp_rq_dec(s, rq, p);
	uclamp_restrict(s, p);
	if (active)
		uclamp_rq_inc(s, rq, p);
}

void uclamp_set(struct sim *s, task_id p, u32 min, u32 max)
{
	uclamp_enable(s);
	s->tasks[p].uclamp_req[0] = min;
	s->tasks[p].uclamp_req[1] = max;
	uclamp_changed(s, p);
}

void group_set_uclamp(struct sim *s, u32 top, u32 min, u32 max)
{
	uclamp_enable(s);
	s->groups[top].uclamp_req[0] = min;
	s->groups[top].uclamp_req[1] = max;
	for (u32 id = top; id != NONE; id = next_group_below(s, top, id)) {
		struct task_group *tg = &s->groups[id];
		const struct task_group *above = &s->groups[tg->parent];

		for (u32 k = 0; k < 2; k++)
			tg->uclamp[k] = (u32)min_u64(tg->uclamp_req[k], above->uclamp[k]);
		/* What is promised is never above what is allowed. */
		tg->uclamp[0] = (u32)min_u64(tg->uclamp[0], tg->uclamp[1]);
	}
	for_each_live(p, &s->arena, POOL_TASK)
	{
		u32 tg = s->tasks[p].tg;

		while (tg != top && tg != NONE)
			tg = s->groups[tg].parent;
		if (tg == top)
			uclamp_changed(s, p);
	}
}
