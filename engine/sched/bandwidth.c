/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bandwidth.c - quota and period of task groups: handing out run time, throttling, giving back.
 *
 * Follows kernel/sched/fair.c of Linux v6.12: __assign_cfs_rq_runtime(), throttle_cfs_rq(),
 * unthrottle_cfs_rq(), distribute_cfs_runtime(), do_sched_cfs_period_timer(),
 * do_sched_cfs_slack_timer(), tg_set_cfs_bandwidth(). Earlier profiles use the same (burst came
 * with v5.14). Simplified: the periods of all groups stand on one grid that begins at time 0, where
 * the kernel gives each group an offset of its own; a queue of another CPU is released at once
 * instead of by an interrupt there, and what timers and releases cost is paid afterwards.
 */
#include "engine/sched/bandwidth.h"

#include "engine/base/cpumask.h"
#include "engine/observe/emit.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/costs.h"
#include "engine/sched/fair.h"
#include "engine/sched/fair_server.h"
#include "engine/sched/group.h"
#include "engine/sched/load_avg.h"

#define RUNTIME_KEPT NSEC_PER_MSEC /* min_cfs_rq_runtime: what a queue that ran empty keeps */
#define SLACK_PERIOD (5 * NSEC_PER_MSEC) /* cfs_bandwidth_slack_period */
#define SLACK_NEAR (2 * NSEC_PER_MSEC) /* min_bandwidth_expiration: a refill is that near */

void tg_bandwidth_init(struct task_group *tg)
{
	tg->quota = RUNTIME_INF;
	tg->period = BANDWIDTH_PERIOD_DEFAULT;
	tg->slack_at = NEVER;
	tg->throttled_head = NONE;
	tg->throttled_tail = NONE;
}

static bool bandwidth_valid(u64 quota, u64 period, u64 burst)
{
	if (period < BANDWIDTH_PERIOD_MIN || period > BANDWIDTH_PERIOD_MAX)
		return false;
	return quota == RUNTIME_INF ? !burst
				    : quota >= BANDWIDTH_PERIOD_MIN &&
					      quota <= BANDWIDTH_QUOTA_MAX && burst <= quota;
}

/* ---- timers ------------------------------------------------------------------------------- */

static void arm_period(struct sim *s, u32 id)
{
	const struct task_group *tg = &s->groups[id];

	evq_set(&s->evq, s->src_group + 2 * id,
		tg->period_active ? evq_key_of(tg->period_at, EVC_BANDWIDTH) : EVQ_NEVER);
}

static void arm_slack(struct sim *s, u32 id, ktime_ns at)
{
	s->groups[id].slack_at = at;
	evq_set(&s->evq, s->src_group + 2 * id + 1, evq_key_of(at, EVC_BANDWIDTH));
}

/* hrtimer_forward_now(): the first expiry on the grid that is not over yet. How many it passed. */
static u64 forward_period(const struct sim *s, struct task_group *tg)
{
	u64 periods = 0;

	if (tg->period_at <= s->g->now)
		periods = (s->g->now - tg->period_at) / tg->period + 1;
	tg->period_at += periods * tg->period;
	return periods;
}

/* start_cfs_bandwidth() */
static void start_period(struct sim *s, u32 id, cpu_id cpu)
{
	struct task_group *tg = &s->groups[id];

	if (tg->period_active)
		return;
	tg->period_active = 1;
	tg->period_cpu = cpu;
	forward_period(s, tg);
	arm_period(s, id);
}

/* runtime_refresh_within() */
static bool refill_within(const struct sim *s, const struct task_group *tg, u64 ns)
{
	return tg->period_at < s->g->now + ns;
}

/* ---- run time ----------------------------------------------------------------------------- */

/* __refill_cfs_bandwidth_runtime() */
static void refill(struct sim *s, u32 id)
{
	struct task_group *tg = &s->groups[id];
	struct group_stats *st = &s->group_stats[id];

	if (tg->quota == RUNTIME_INF)
		return;
	tg->runtime += tg->quota;
	/* Less than after the last refill: more than a quota was used in between. */
	if (tg->runtime_snap > tg->runtime) {
		st->burst_ns += tg->runtime_snap - tg->runtime;
		st->nr_bursts++;
	}
	tg->runtime = min_u64(tg->runtime, tg->quota + tg->burst);
	tg->runtime_snap = tg->runtime;
}

/* __assign_cfs_rq_runtime(): bring @q up to @target ns if the pool has it. Has it any now? */
static bool assign_runtime(struct sim *s, struct cfs_rq *q, u64 target)
{
	struct task_group *tg = &s->groups[q->tg];
	/* Positive: the queue has nothing left or is in debt. */
	u64 want = (u64)((s64)target - q->runtime_left);

	if (tg->quota != RUNTIME_INF) {
		start_period(s, q->tg, q->cpu);
		want = min_u64(want, tg->runtime);
		tg->runtime -= want;
		if (want)
			tg->period_idle = 0;
	}
	q->runtime_left += (s64)want;
	return q->runtime_left > 0;
}

void __account_cfs_rq_runtime(struct sim *s, struct cfs_rq *q, u64 delta)
{
	q->runtime_left -= (s64)delta;
	if (q->runtime_left > 0 || q->throttled)
		return;
	/* Nothing to be had: who runs is put back, and the queue throttled on that occasion. */
	if (!assign_runtime(s, q, s->g->tun.bandwidth_slice) && q->curr != NONE)
		resched_curr(s, rq_of(s, q));
}

void __return_cfs_rq_runtime(struct sim *s, struct cfs_rq *q)
{
	struct task_group *tg = &s->groups[q->tg];
	s64 slack = q->runtime_left - (s64)RUNTIME_KEPT;

	if (slack <= 0)
		return;
	q->runtime_left -= slack;
	if (tg->quota == RUNTIME_INF)
		return;
	tg->runtime += (u64)slack;
	if (tg->runtime <= s->g->tun.bandwidth_slice || tg->throttled_head == NONE)
		return;
	/* Others may go on with it: a little later, for more may come, unless a refill is near. */
	if (tg->slack_at == NEVER && !refill_within(s, tg, SLACK_PERIOD + SLACK_NEAR)) {
		tg->slack_cpu = q->cpu;
		arm_slack(s, q->tg, s->g->now + SLACK_PERIOD);
	}
}

/* ---- throttling --------------------------------------------------------------------------- */

static void throttled_list_add(struct sim *s, struct cfs_rq *q)
{
	struct task_group *tg = &s->groups[q->tg];
	cfs_id id = cfs_id_of(s, q);

	q->throttled_next = NONE;
	q->throttled_prev = tg->throttled_tail;
	if (tg->throttled_tail == NONE)
		tg->throttled_head = id;
	else
		s->cfs_rqs[tg->throttled_tail].throttled_next = id;
	tg->throttled_tail = id;
}

static void throttled_list_del(struct sim *s, struct cfs_rq *q)
{
	struct task_group *tg = &s->groups[q->tg];

	if (q->throttled_prev == NONE)
		tg->throttled_head = q->throttled_next;
	else
		s->cfs_rqs[q->throttled_prev].throttled_next = q->throttled_next;
	if (q->throttled_next == NONE)
		tg->throttled_tail = q->throttled_prev;
	else
		s->cfs_rqs[q->throttled_next].throttled_prev = q->throttled_prev;
	q->throttled_next = q->throttled_prev = NONE;
}

/* tg_throttle_down(): time stops for the averages of @top and all below it on this CPU. */
static void stop_clocks(struct sim *s, u32 top, struct rq *rq)
{
	for (u32 id = top; id != NONE; id = next_group_below(s, top, id)) {
		struct cfs_rq *q = tg_cfs(s, id, rq->cpu);

		if (!q->throttle_count++) {
			q->throttled_clock_pelt = rq_clock_pelt(rq);
			q->clock_stopped = 1;
			list_del_leaf_cfs_rq(s, q);
		}
	}
}

/* tg_unthrottle_up() */
static void start_clocks(struct sim *s, u32 top, struct rq *rq)
{
	for (u32 id = top; id != NONE; id = next_group_below(s, top, id)) {
		struct cfs_rq *q = tg_cfs(s, id, rq->cpu);

		if (--q->throttle_count)
			continue;
		q->throttled_pelt_time += rq_clock_pelt(rq) - q->throttled_clock_pelt;
		if (!cfs_rq_is_decayed(s, q))
			list_add_leaf_cfs_rq(s, q);
	}
}

void sync_throttle(struct sim *s, struct cfs_rq *q)
{
	u32 parent = s->groups[q->tg].parent;

	q->throttle_count = tg_cfs(s, parent, q->cpu)->throttle_count;
	q->throttled_clock_pelt = rq_clock_pelt(rq_of(s, q));
	q->clock_stopped = q->throttle_count != 0;
	if (q->throttle_count)
		list_del_leaf_cfs_rq(s, q);
}

/* throttle_cfs_rq(): false if there was run time after all. */
static bool throttle_cfs_rq(struct sim *s, struct cfs_rq *q)
{
	struct rq *rq = rq_of(s, q);

	/* This also starts the timer that will release it. */
	if (assign_runtime(s, q, 1))
		return false;
	throttled_list_add(s, q);
	stop_clocks(s, q->tg, rq);
	trace(s, TR_cfs_throttle, q->cpu, NONE, trace_pair(q->tg, q->h_nr_queued),
	      (u64)q->runtime_left);
	fair_dequeue_group(s, rq, cfs_se_id(s, q));
	q->throttled = 1;
	if (q->nr_queued)
		q->throttled_clock = max_u64(rq_clock(rq), 1);
	return true;
}

/* unthrottle_cfs_rq() */
static void unthrottle_cfs_rq(struct sim *s, struct cfs_rq *q)
{
	struct rq *rq = rq_of(s, q);
	u32 before = root_cfs(s, rq->cpu)->h_nr_queued;
	u64 waited = 0;

	q->throttled = 0;
	update_rq_clock(s, rq);
	if (q->throttled_clock) {
		waited = rq_clock(rq) - q->throttled_clock;
		s->group_stats[q->tg].throttled_ns += waited;
		q->throttled_clock = 0;
	}
	throttled_list_del(s, q);
	start_clocks(s, q->tg, rq);
	trace(s, TR_cfs_unthrottle, q->cpu, NONE, trace_pair(q->tg, q->h_nr_queued), waited);
	if (q->load.weight) {
		fair_enqueue_group(s, rq, cfs_se_id(s, q));
	} else if (q->on_list) {
		/* Nothing to run, something to decay: its ancestors have to be on the list too. */
		for (se_id id = cfs_se_id(s, q); id != NONE; id = parent_se(s, id))
			list_add_leaf_cfs_rq(s, cfs_rq_of(s, id));
	}
	if (rq->curr == NONE && root_cfs(s, rq->cpu)->nr_queued)
		resched_curr(s, rq);
	if (rq->nr_other && root_cfs(s, rq->cpu)->h_nr_queued != before)
		fair_server_enqueue(s, rq, before);
}

bool __check_cfs_rq_runtime(struct sim *s, struct cfs_rq *q)
{
	if (q->runtime_left > 0)
		return false;
	/* A task that runs may have been moved into a throttled group. */
	return q->throttled || throttle_cfs_rq(s, q);
}

void __check_enqueue_throttle(struct sim *s, struct cfs_rq *q)
{
	/* The running one is looked at when its time is accounted and when it is put back. */
	if (q->curr != NONE || q->throttled)
		return;
	__account_cfs_rq_runtime(s, q, 0);
	if (q->runtime_left <= 0)
		throttle_cfs_rq(s, q);
}

/* ---- release ------------------------------------------------------------------------------ */

/* distribute_cfs_runtime(): pay the debts of throttled queues, in order. Is one left throttled? */
static bool distribute(struct sim *s, u32 id)
{
	cfs_id next;

	for (cfs_id c = s->groups[id].throttled_head; c != NONE; c = next) {
		struct cfs_rq *q = cfs_get(s, c);
		struct task_group *tg = &s->groups[id];

		next = q->throttled_next;
		if (!tg->runtime)
			return true;

		u64 pay = min_u64((u64)(1 - q->runtime_left), tg->runtime);

		tg->runtime -= pay;
		q->runtime_left += (s64)pay;
		/* Just out of debt: it takes a slice when it runs. */
		if (q->runtime_left > 0) {
			s->g->this_cpu = q->cpu;
			unthrottle_cfs_rq(s, q);
			cost_owe(s, rq_of(s, q), PATH_WAKEUP, cost_ns(s, COST_unthrottle));
		}
	}
	return s->groups[id].throttled_head != NONE;
}

static void end_of_period(struct sim *s, u32 id)
{
	struct task_group *tg = &s->groups[id];
	u64 passed = forward_period(s, tg);
	bool throttled = tg->throttled_head != NONE;

	if (tg->quota == RUNTIME_INF) {
		tg->period_active = 0;
		return;
	}
	s->group_stats[id].nr_periods += passed;
	refill(s, id);
	trace(s, TR_cfs_period, 0, NONE, trace_pair(id, throttled), tg->runtime);
	/* Nobody asked for run time in a whole period: the timer rests until somebody does. */
	if (tg->period_idle && !throttled) {
		tg->period_active = 0;
		return;
	}
	if (!throttled) {
		tg->period_idle = 1;
		return;
	}
	s->group_stats[id].nr_throttled += passed;
	distribute(s, id);
	tg->period_idle = 0;
}

static void give_slack(struct sim *s, u32 id)
{
	const struct task_group *tg = &s->groups[id];

	arm_slack(s, id, NEVER);
	if (refill_within(s, tg, SLACK_NEAR) || tg->quota == RUNTIME_INF ||
	    tg->runtime <= s->g->tun.bandwidth_slice)
		return;
	distribute(s, id);
}

void bandwidth_timer(struct sim *s, u32 id, bool slack)
{
	const struct task_group *tg = &s->groups[id];
	cpu_id cpu = slack ? tg->slack_cpu : tg->period_cpu;

	s->g->this_cpu = cpu;
	cost_owe(s, rq_get(s, cpu), PATH_TICK, cost_ns(s, COST_bandwidth));
	if (slack) {
		give_slack(s, id);
	} else {
		end_of_period(s, id);
		arm_period(s, id);
	}
	s->g->this_cpu = NONE;
}

int tg_set_bandwidth(struct sim *s, u32 id, u64 quota, u64 period, u64 burst)
{
	struct task_group *tg = &s->groups[id];
	bool limited = quota != RUNTIME_INF;

	if (id == ROOT_TG || !bandwidth_valid(quota, period, burst))
		return -1;
	tg->quota = quota;
	tg->period = period;
	tg->burst = burst;
	refill(s, id);
	if (limited)
		start_period(s, id, cpumask_first(mask_get(s, s->g->online), s->g->mask_words));
	for (cpu_id cpu = 0; cpu < s->g->nr_cpus; cpu++) {
		struct cfs_rq *q = tg_cfs(s, id, cpu);

		q->runtime_enabled = limited && s->rqs[cpu].mode != CPU_OFFLINE;
		q->runtime_left = 0;
		if (q->throttled)
			unthrottle_cfs_rq(s, q);
	}
	return 0;
}

void bandwidth_rq_online(struct sim *s, struct rq *rq, bool online)
{
	for (u32 tg = 1; tg < arena_len(&s->arena, POOL_GROUP); tg++) {
		struct cfs_rq *q = tg_cfs(s, tg, rq->cpu);

		if (online) {
			q->runtime_enabled = s->groups[tg].quota != RUNTIME_INF;
			continue;
		}
		if (!q->runtime_enabled)
			continue;
		/* Its tasks leave for queues that ask for their own run time. */
		q->runtime_left = 1;
		q->runtime_enabled = 0;
		if (q->throttled)
			unthrottle_cfs_rq(s, q);
	}
}
