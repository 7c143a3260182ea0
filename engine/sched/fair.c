/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair.c - enqueue, dequeue, pick and tick of the fair class through the group hierarchy.
 *
 * Follows kernel/sched/fair.c of Linux v6.12: the order of accounting, ageing and weight changes in
 * enqueue_entity(), dequeue_entity(), set_next_entity(), put_prev_entity() and entity_tick() is
 * the kernel's, because every one of these orders shows in a last digit of some average. What
 * entities do to each other in virtual time is asked of the pick policy; v6.1 and older differ
 * there, in feature switches and in rows of release.def.
 *
 * Simplified: no core scheduling, no numa balancing.
 */
#include "engine/sched/fair.h"

#include "engine/access.h"
#include "engine/hw/cpufreq.h"
#include "engine/observe/emit.h"
#include "engine/observe/starved.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/capacity.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"
#include "engine/sched/group.h"
#include "engine/sched/load.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/queued_load.h"
#include "engine/sched/release.h"
#include "engine/sched/uclamp.h"
#include "engine/sched/util_est.h"

/* Used by every wake-up and sleep, and once more where groups are throttled: not called for that. */
#define HOT_INLINE inline __attribute__((always_inline))

/* Current has run @delta ns more. */
static __attribute__((noinline)) void charge_curr(struct sim *s, struct cfs_rq *q,
						  struct sched_entity *curr, u64 delta)
{
	curr->exec_start += delta;
	curr->sum_exec_runtime += delta;

	bool resched = s->pick->charge(s, q, q->curr, delta);

	if (is_task_se(q->curr))
		trace(s, TR_sched_stat_runtime, q->cpu, q->curr, delta, curr->vruntime);
	account_cfs_rq_runtime(s, q, delta);
	if (resched && q->nr_queued > 1) {
		resched_curr(s, &s->rqs[q->cpu]);
		q->next = q->next == q->curr ? NONE : q->next;
	}
}

/* Asked for several times in one event: the first one finds something to charge. */
void update_curr(struct sim *s, struct cfs_rq *q)
{
	if (q->curr == NONE)
		return;

	struct sched_entity *curr = se_get(s, q->curr);
	s64 delta = (s64)(s->rqs[q->cpu].clock_task - curr->exec_start);

	if (delta > 0)
		charge_curr(s, q, curr, (u64)delta);
}

static void clear_buddies(struct cfs_rq *q, se_id se)
{
	if (q->next == se)
		q->next = NONE;
	if (q->last == se)
		q->last = NONE;
	if (q->skip == se)
		q->skip = NONE;
}

/* Tasks of a CPU, most recently run first: what the balancer takes from the tail of. */
static void cfs_tasks_add(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];

	t->list_prev = NONE;
	t->list_next = rq->cfs_tasks_head;
	if (rq->cfs_tasks_head != NONE)
		s->tasks[rq->cfs_tasks_head].list_prev = p;
	else
		rq->cfs_tasks_tail = p;
	rq->cfs_tasks_head = p;
}

static void cfs_tasks_del(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];

	if (t->list_prev != NONE)
		s->tasks[t->list_prev].list_next = t->list_next;
	else
		rq->cfs_tasks_head = t->list_next;
	if (t->list_next != NONE)
		s->tasks[t->list_next].list_prev = t->list_prev;
	else
		rq->cfs_tasks_tail = t->list_prev;
	t->list_prev = t->list_next = NONE;
}

static HOT_INLINE void account_entity_enqueue(struct sim *s, struct cfs_rq *q, se_id id)
{
	q->load.weight += se_get(s, id)->load.weight;
	q->load.inv_weight = 0;
	if (sched_feat(s, QUEUED_LOAD))
		queued_load_add(s, q, id);
	if (is_task_se(id))
		cfs_tasks_add(s, &s->rqs[q->cpu], id);
	q->nr_queued++;
}

static HOT_INLINE void account_entity_dequeue(struct sim *s, struct cfs_rq *q, se_id id)
{
	q->load.weight -= se_get(s, id)->load.weight;
	q->load.inv_weight = 0;
	if (sched_feat(s, QUEUED_LOAD))
		queued_load_sub(s, q, id);
	if (is_task_se(id))
		cfs_tasks_del(s, &s->rqs[q->cpu], id);
	q->nr_queued--;
}

/* The first entity of a queue, which may find that there is no run time for it. */
static void first_enqueued(struct sim *s, struct cfs_rq *q)
{
	check_enqueue_throttle(s, q);
	if (!throttled_hierarchy(q))
		list_add_leaf_cfs_rq(s, q);
	else if (q->throttled && !q->throttled_clock)
		q->throttled_clock = max_u64(rq_clock(rq_of(s, q)), 1);
}

/* On the way of every wake-up; also used where a group is released. */
static HOT_INLINE void enqueue_entity(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	struct sched_entity *se = se_get(s, id);
	bool curr = q->curr == id;

	/* The running entity keeps its place while the clock is brought forward. */
	if (curr)
		s->pick->place(s, q, id, flags);
	update_curr(s, q);
	update_load_avg(s, q, id, UPDATE_TG | DO_ATTACH);
	se_update_runnable(s, id);
	update_cfs_group(s, id);
	if (!curr)
		s->pick->place(s, q, id, flags);
	account_entity_enqueue(s, q, id);
	if (flags & ENQUEUE_MIGRATED)
		se->exec_start = 0;
	if (!curr)
		s->pick->insert(s, q, id);
	se->on_rq = 1;
	if (q->nr_queued == 1)
		first_enqueued(s, q);
}

/* A delayed entity does not count as runnable at any level above it. */
static void set_delayed(struct sim *s, se_id id)
{
	se_get(s, id)->sched_delayed = 1;
	if (!is_task_se(id))
		return;
	for (se_id e = id; e != NONE; e = se_get(s, e)->parent) {
		struct cfs_rq *q = cfs_rq_of(s, e);

		q->h_nr_runnable--;
		if (cfs_rq_throttled(q))
			return;
	}
}

static void clear_delayed(struct sim *s, se_id id)
{
	se_get(s, id)->sched_delayed = 0;
	if (!is_task_se(id))
		return;
	for (se_id e = id; e != NONE; e = se_get(s, e)->parent) {
		struct cfs_rq *q = cfs_rq_of(s, e);

		q->h_nr_runnable++;
		if (cfs_rq_throttled(q))
			return;
	}
}

/* false: @id sleeps but stays queued as delayed. */
static HOT_INLINE bool dequeue_entity(struct sim *s, struct cfs_rq *q, se_id id, u32 flags)
{
	struct sched_entity *se = se_get(s, id);

	update_curr(s, q);
	clear_buddies(q, id);
	if (flags & DEQUEUE_DELAYED) {
		BUG_ON(!se->sched_delayed);
	} else if ((flags & DEQUEUE_SLEEP) && !(flags & DEQUEUE_SPECIAL) && s->pick->delay &&
		   s->pick->delay(s, q, id)) {
		update_load_avg(s, q, id, 0);
		set_delayed(s, id);
		return false;
	}

	u32 action = UPDATE_TG;

	if (is_task_se(id) && (flags & DEQUEUE_MIGRATING))
		action |= DO_DETACH;
	update_load_avg(s, q, id, action);
	se_update_runnable(s, id);
	s->pick->unplace(s, q, id, flags);
	if (q->curr != id)
		s->pick->erase(s, q, id);
	se->on_rq = 0;
	account_entity_dequeue(s, q, id);
	return_cfs_rq_runtime(s, q);
	update_cfs_group(s, id);
	if (s->pick->dequeued)
		s->pick->dequeued(s, q, id, flags);
	if (flags & DEQUEUE_DELAYED)
		clear_delayed(s, id);
	return true;
}

static void requeue_delayed_entity(struct sim *s, se_id id)
{
	struct cfs_rq *q = cfs_rq_of(s, id);

	if (s->pick->requeue)
		s->pick->requeue(s, q, id);
	update_load_avg(s, q, id, 0);
	clear_delayed(s, id);
}

void enqueue_task_fair(struct sim *s, struct rq *rq, task_id p, u32 flags)
{
	struct task *t = &s->tasks[p];
	struct sched_entity *se = &s->task_se[p];
	bool delayed = se->sched_delayed, new = flags &ENQUEUE_INITIAL;

	/* A delayed task gave its estimate back when it was delayed. */
	if (!(delayed && (flags & (ENQUEUE_MIGRATED | ENQUEUE_RESTORE))))
		util_est_enqueue(s, rq, p);
	if (flags & ENQUEUE_DELAYED) {
		uclamp_rq_inc(s, rq, p);
		requeue_delayed_entity(s, p);
		starved_touch(s, rq->cpu);
		return;
	}
	if (t->flags & PF_IOWAIT)
		cpufreq_update_util(s, rq, SCHED_CPUFREQ_IOWAIT);

	u32 runnable = delayed ? 0 : 1;
	u32 idle = se->idle;
	se_id id = p;

	for (; id != NONE; id = se_get(s, id)->parent) {
		struct sched_entity *e = se_get(s, id);

		if (e->on_rq) {
			if (e->sched_delayed)
				requeue_delayed_entity(s, id);
			break;
		}
		struct cfs_rq *q = cfs_rq_of(s, id);

		idle |= e->idle;
		enqueue_entity(s, q, id, flags);
		q->h_nr_runnable += runnable;
		q->h_nr_queued++;
		q->h_nr_idle += idle;
		if (cfs_rq_throttled(q))
			goto throttled;
		flags = ENQUEUE_WAKEUP;
	}
	for (; id != NONE; id = se_get(s, id)->parent) {
		struct cfs_rq *q = cfs_rq_of(s, id);

		idle |= se_get(s, id)->idle;
		update_load_avg(s, q, id, UPDATE_TG);
		se_update_runnable(s, id);
		update_cfs_group(s, id);
		q->h_nr_runnable += runnable;
		q->h_nr_queued++;
		q->h_nr_idle += idle;
		if (cfs_rq_throttled(q))
			goto throttled;
	}
	rq->nr_running++;
	starved_touch(s, rq->cpu);
	if (rq->nr_running == 2)
		s->g->overloaded = 1;
	t->on_rq = 1;
	if (!delayed)
		uclamp_rq_inc(s, rq, p);
	/* A new task's first guess says little: it does not raise the flag. In v5.4 it did. */
	if (!new || lb_form(s)->overutil_new)
		check_update_overutilized(s, rq);
	return;
throttled: /* it waits for run time: nothing above knows of it */
	t->on_rq = 1;
	if (!delayed)
		uclamp_rq_inc(s, rq, p);
}

static void set_next_buddy(struct sim *s, se_id id)
{
	for (; id != NONE; id = se_get(s, id)->parent) {
		if (!se_get(s, id)->on_rq || se_get(s, id)->idle)
			return;
		cfs_rq_of(s, id)->next = id;
	}
}

/*
 * dequeue_entities() of v6.12: takes @id and every ancestor that becomes empty off. false only if
 * @id itself stays as delayed.
 */
static bool dequeue_entities(struct sim *s, struct rq *rq, se_id id, u32 flags)
{
	se_id first = id;
	bool sleep = flags & DEQUEUE_SLEEP;
	u32 queued = 0, runnable = 0, idle = 0;

	if (is_task_se(id)) {
		queued = 1;
		idle = s->task_se[id].idle;
		if (sleep || (flags & DEQUEUE_DELAYED) || !s->task_se[id].sched_delayed)
			runnable = 1;
	}
	while (id != NONE) {
		const struct sched_entity *se = se_get(s, id);
		struct cfs_rq *q = &s->cfs_rqs[se->cfs_rq];

		if (!dequeue_entity(s, q, id, flags)) {
			if (id == first)
				return false;
			break;
		}
		if (se->idle)
			idle = queued;
		q->h_nr_runnable -= runnable;
		q->h_nr_queued -= queued;
		q->h_nr_idle -= idle;
		if (cfs_rq_throttled(q))
			goto throttled;
		id = se->parent;
		if (q->load.weight) {
			/* Bias the next pick towards the group that just lost a task. */
			if (sleep && !throttled_hierarchy(q))
				set_next_buddy(s, id);
			break;
		}
		flags |= DEQUEUE_SLEEP;
		flags &= ~(DEQUEUE_DELAYED | DEQUEUE_SPECIAL);
	}
	for (; id != NONE; id = parent_se(s, id)) {
		struct cfs_rq *q = cfs_rq_of(s, id);

		if (se_get(s, id)->idle)
			idle = queued;
		update_load_avg(s, q, id, UPDATE_TG);
		se_update_runnable(s, id);
		update_cfs_group(s, id);
		q->h_nr_runnable -= runnable;
		q->h_nr_queued -= queued;
		q->h_nr_idle -= idle;
		if (cfs_rq_throttled(q))
			goto throttled;
	}
	rq->nr_running -= queued;
	/* With SCHED_IDLE tasks alone it balances as an idle one does, and may do so at once. */
	if (queued && !idle && lb_form(s)->sched_idle_is_idle && sched_idle_cpu(s, rq->cpu))
		rq->next_balance = sim_jiffies(s);
throttled:
	starved_touch(s, rq->cpu);
	if (is_task_se(first))
		s->tasks[first].on_rq = 0;
	return true;
}

void fair_dequeue_group(struct sim *s, struct rq *rq, se_id id)
{
	const struct cfs_rq *gq = group_cfs_rq(s, id);
	u32 queued = gq->h_nr_queued, runnable = gq->h_nr_runnable, idle = gq->h_nr_idle;

	for (; id != NONE; id = se_get(s, id)->parent) {
		struct sched_entity *se = se_get(s, id);
		struct cfs_rq *q = cfs_rq_of(s, id);

		/* One above is off its queue already, or this group had nothing queued. */
		if (!se->on_rq)
			return;
		/* SPECIAL: a throttled group is never delayed. */
		dequeue_entity(s, q, id,
			       DEQUEUE_SLEEP | DEQUEUE_SPECIAL |
				       (se->sched_delayed ? DEQUEUE_DELAYED : 0));
		if (se->idle)
			idle = queued;
		q->h_nr_runnable -= runnable;
		q->h_nr_queued -= queued;
		q->h_nr_idle -= idle;
		if (q->load.weight) {
			id = se->parent;
			break;
		}
	}
	for (; id != NONE; id = se_get(s, id)->parent) {
		struct cfs_rq *q = cfs_rq_of(s, id);

		if (!se_get(s, id)->on_rq)
			return;
		update_load_avg(s, q, id, 0);
		se_update_runnable(s, id);
		if (se_get(s, id)->idle)
			idle = queued;
		q->h_nr_runnable -= runnable;
		q->h_nr_queued -= queued;
		q->h_nr_idle -= idle;
	}
	rq->nr_running -= queued;
	starved_touch(s, rq->cpu);
}

void fair_enqueue_group(struct sim *s, struct rq *rq, se_id id)
{
	const struct cfs_rq *gq = group_cfs_rq(s, id);
	u32 queued = gq->h_nr_queued, runnable = gq->h_nr_runnable, idle = gq->h_nr_idle;
	u32 before = rq->nr_running;

	for (; id != NONE; id = se_get(s, id)->parent) {
		struct sched_entity *se = se_get(s, id);
		struct cfs_rq *q = cfs_rq_of(s, id);

		/* Left from when it last ran empty. */
		if (se->sched_delayed)
			dequeue_entity(s, q, id, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
		else if (se->on_rq)
			break;
		enqueue_entity(s, q, id, ENQUEUE_WAKEUP);
		if (se->idle)
			idle = queued;
		q->h_nr_runnable += runnable;
		q->h_nr_queued += queued;
		q->h_nr_idle += idle;
		if (cfs_rq_throttled(q))
			return;
	}
	for (; id != NONE; id = se_get(s, id)->parent) {
		struct cfs_rq *q = cfs_rq_of(s, id);

		update_load_avg(s, q, id, UPDATE_TG);
		se_update_runnable(s, id);
		if (se_get(s, id)->idle)
			idle = queued;
		q->h_nr_runnable += runnable;
		q->h_nr_queued += queued;
		q->h_nr_idle += idle;
		if (cfs_rq_throttled(q))
			return;
	}
	rq->nr_running += queued;
	starved_touch(s, rq->cpu);
	if (before < 2 && rq->nr_running >= 2)
		s->g->overloaded = 1;
}

bool dequeue_task_fair(struct sim *s, struct rq *rq, task_id p, u32 flags)
{
	bool delayed = s->task_se[p].sched_delayed;
	bool update_est = (flags & DEQUEUE_SLEEP) && !(flags & DEQUEUE_DELAYED);

	if (!(delayed && (flags & (DEQUEUE_MIGRATING | DEQUEUE_SAVE | DEQUEUE_DELAYED))))
		util_est_dequeue(s, rq, p);
	if (update_est && s->g->tun.uest_before)
		util_est_update(s, p);

	/* A delayed task asks for nothing. */
	uclamp_rq_dec(s, rq, p);

	bool gone = dequeue_entities(s, rq, p, flags);

	if (update_est && !s->g->tun.uest_before)
		util_est_update(s, p);
	return gone;
}

static void set_next_entity(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	clear_buddies(q, id);
	if (se->on_rq) {
		s->pick->erase(s, q, id);
		update_load_avg(s, q, id, UPDATE_TG);
	}
	se->exec_start = s->rqs[q->cpu].clock_task;
	q->curr = id;
	s->pick->set_next(s, q, id);
	se->prev_sum_exec_runtime = se->sum_exec_runtime;
}

static void put_prev_entity(struct sim *s, struct cfs_rq *q, se_id id)
{
	struct sched_entity *se = se_get(s, id);

	if (se->on_rq) {
		update_curr(s, q);
		check_cfs_rq_runtime(s, q);
		s->pick->insert(s, q, id);
		update_load_avg(s, q, id, 0);
	} else {
		check_cfs_rq_runtime(s, q);
	}
	s->pick->put_prev(s, q, id);
	q->curr = NONE;
}

void put_prev_task_fair(struct sim *s, struct rq *rq, task_id prev)
{
	(void)rq;
	for (se_id id = prev; id != NONE; id = se_get(s, id)->parent)
		put_prev_entity(s, cfs_rq_of(s, id), id);
}

/* The running task moves to the front of the balancer's list. */
static void made_current(struct sim *s, struct rq *rq, task_id next)
{
	if (s->task_se[next].on_rq && rq->cfs_tasks_head != next) {
		cfs_tasks_del(s, rq, next);
		cfs_tasks_add(s, rq, next);
	}
	update_misfit_status(s, rq, next);
}

void set_next_task_fair(struct sim *s, struct rq *rq, task_id next)
{
	for (se_id id = next; id != NONE; id = se_get(s, id)->parent) {
		struct cfs_rq *q = cfs_rq_of(s, id);

		set_next_entity(s, q, id);
		account_cfs_rq_runtime(s, q, 0);
	}
	made_current(s, rq, next);
}

void switch_fair(struct sim *s, struct rq *rq, task_id prev, task_id next)
{
	if (prev == next)
		return;
	if (prev == NONE) {
		set_next_task_fair(s, rq, next);
		return;
	}
	if (next == NONE) {
		put_prev_task_fair(s, rq, prev);
		return;
	}

	se_id se = next, pse = prev;

	while (se_get(s, se)->cfs_rq != se_get(s, pse)->cfs_rq) {
		u32 depth = se_get(s, se)->depth, pdepth = se_get(s, pse)->depth;

		if (depth <= pdepth) {
			put_prev_entity(s, cfs_rq_of(s, pse), pse);
			pse = se_get(s, pse)->parent;
		}
		if (depth >= pdepth) {
			set_next_entity(s, cfs_rq_of(s, se), se);
			se = se_get(s, se)->parent;
		}
	}
	/* A group that goes on running is put back and set anew, as the kernel does. */
	put_prev_entity(s, cfs_rq_of(s, pse), pse);
	set_next_entity(s, cfs_rq_of(s, se), se);
	made_current(s, rq, next);
}

task_id pick_task_fair(struct sim *s, struct rq *rq)
{
again:
	if (!root_cfs(s, rq->cpu)->nr_queued)
		return NONE;

	struct cfs_rq *q = root_cfs(s, rq->cpu);
	se_id id;

	do {
		if (q->curr != NONE && se_get(s, q->curr)->on_rq)
			update_curr(s, q);
		if (check_cfs_rq_runtime(s, q))
			goto again;
		id = s->pick->pick(s, q);
		BUG_ON(id == NONE);
		if (se_get(s, id)->sched_delayed) {
			dequeue_entities(s, rq, id, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
			goto again;
		}
		if (is_task_se(id))
			return id;
		q = group_cfs_rq(s, id);
	} while (true);
}

bool task_tick_fair(struct sim *s, struct rq *rq, task_id p)
{
	bool resched = false;

	for (se_id id = p; id != NONE; id = se_get(s, id)->parent) {
		struct cfs_rq *q = cfs_rq_of(s, id);

		update_curr(s, q);
		update_load_avg(s, q, id, UPDATE_TG);
		update_cfs_group(s, id);
		if (q->nr_queued > 1 && s->pick->tick(s, q, id))
			resched = true;
	}
	update_misfit_status(s, rq, p);
	check_update_overutilized(s, rq);
	return resched;
}

bool check_preempt_wakeup_fair(struct sim *s, struct rq *rq, task_id curr, task_id p, u32 flags)
{
	if (curr == p || rq->need_resched || throttled_hierarchy(cfs_rq_of(s, p)))
		return false;

	se_id se = curr, pse = p;
	u32 depth = se_get(s, se)->depth, pdepth = se_get(s, pse)->depth;

	/* Climb to the level where both stand on one queue: find_matching_se(). */
	for (; depth > pdepth; depth--)
		se = se_get(s, se)->parent;
	for (; pdepth > depth; pdepth--)
		pse = se_get(s, pse)->parent;
	while (se_get(s, se)->cfs_rq != se_get(s, pse)->cfs_rq) {
		se = se_get(s, se)->parent;
		pse = se_get(s, pse)->parent;
	}
	if (se == pse)
		return false;

	struct cfs_rq *q = cfs_rq_of(s, se);
	bool idle = se_get(s, se)->idle, pidle = se_get(s, pse)->idle;
	bool preempt;

	if (idle && !pidle) {
		s->pick->preempt(s, q, se, pse, flags | WF_IDLE_CURR);
		preempt = true;
	} else if (idle != pidle || s->tasks[p].policy != SCHED_NORMAL ||
		   !sched_feat(s, WAKEUP_PREEMPTION)) {
		preempt = false;
	} else {
		update_curr(s, q);
		/* The accounting itself may have ended the slice: then the flag stands already. */
		preempt = s->pick->preempt(s, q, se, pse, flags);
	}
	trace(s, TR_wakeup_preempt, rq->cpu, p, trace_pair(curr, preempt), 0);
	return preempt;
}

void yield_task_fair(struct sim *s, struct rq *rq, task_id p)
{
	struct cfs_rq *q = cfs_rq_of(s, p);

	if (rq->nr_running == 1)
		return;
	clear_buddies(q, p);
	update_rq_clock(s, rq);
	update_curr(s, q);
	s->pick->yield(s, q, p);
}

void migrate_task_rq_fair(struct sim *s, task_id p)
{
	struct sched_entity *se = &s->task_se[p];

	if (s->pick->migrate)
		s->pick->migrate(s, cfs_rq_of(s, p), p);
	remove_entity_load_avg(s, p);
	/* How long the old CPU has been idle is not in its stale clock: estimate it. */
	migrate_se_pelt_lag(s, p);
	se->avg.last_update_time = 0;
}
