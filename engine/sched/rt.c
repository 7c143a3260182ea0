/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rt.c - SCHED_FIFO and SCHED_RR: priorities, turns, and the throttle of releases before v6.12.
 *
 * Follows kernel/sched/rt.c of Linux v6.12 and, for the throttle (950 ms of each second on a CPU) and
 * its lending between CPUs (RT_RUNTIME_SHARE, on in v5.4), of v6.1 and v5.4. A CPU's tasks stand in
 * one list, by priority and within it by arrival: what the kernel's array of 100 lists is read in.
 * Simplified: no real-time groups, no priority inheritance, no RLIMIT_RTTIME.
 */
#include "engine/hw/cpufreq.h"
#include "engine/observe/emit.h"
#include "engine/observe/starved.h"
#include "engine/sched/class.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/dl.h"
#include "engine/sched/pelt.h"
#include "engine/sched/uclamp.h"

/* ---- the throttle ---- */

static u64 rt_period_ns(const struct sim *s)
{
	return s->g->tun.rt_period_us * NSEC_PER_USEC;
}

/* balance_runtime(): take a part of what other CPUs have not used. */
static void borrow_runtime(struct sim *s, struct rq *rq)
{
	u64 period = rt_period_ns(s), nr = s->g->nr_online;

	if (!s->g->tun.rt_share || rq->rt_time <= rq->rt_runtime)
		return;
	for (cpu_id c = 0; c < s->g->nr_cpus && rq->rt_runtime < period; c++) {
		struct rq *other = &s->rqs[c];
		u64 part;

		if (c == rq->cpu || other->mode == CPU_OFFLINE)
			continue;
		part = min_u64(sub_positive(other->rt_runtime, other->rt_time) / nr,
			       period - rq->rt_runtime);
		other->rt_runtime -= part;
		rq->rt_runtime += part;
	}
}

static void set_throttled(struct sim *s, struct rq *rq, bool on)
{
	if (on == rq->rt_throttled)
		return;
	rq->rt_throttled = on;
	rq->nr_running += on ? 0 - rq->rt_nr : rq->rt_nr;
	starved_touch(s, rq->cpu);
	if (!on && rq->nr_running > 1)
		s->g->overloaded = 1;
	s->stats->rt_throttled += on;
	trace(s, TR_rt_throttle, rq->cpu, rq->rt_head, trace_pair(on, rq->rt_nr), rq->rt_time);
	if (rq->rt_nr) {
		cpufreq_update_util(s, rq, 0);
		resched_curr(s, rq);
	}
}

void rt_charge_time(struct sim *s, struct rq *rq, u64 ns)
{
	if (rt_throttle_on(s) && s->g->rt_period_end != NEVER)
		rq->rt_time += ns;
}

/* sched_rt_runtime_exceeded() */
static void check_throttle(struct sim *s, struct rq *rq)
{
	if (!rt_throttle_on(s) || rq->rt_throttled || rq->rt_time <= rq->rt_runtime)
		return;
	borrow_runtime(s, rq);
	if (rq->rt_time > rq->rt_runtime && rq->rt_runtime < rt_period_ns(s))
		set_throttled(s, rq, true);
}

/* One CPU at the end of a throttling period; true: it has real-time work to watch. */
static bool rt_new_period(struct sim *s, struct rq *rq)
{
	update_rq_clock(s, rq);
	if (rq->rt_throttled)
		borrow_runtime(s, rq);
	rq->rt_time = sub_positive(rq->rt_time, rq->rt_runtime);
	if (rq->rt_throttled && rq->rt_time < rq->rt_runtime)
		set_throttled(s, rq, false);
	return rq->rt_time || rq->rt_nr;
}

void rt_period_timer(struct sim *s)
{
	bool busy = false;

	for (cpu_id c = 0; c < s->g->nr_cpus; c++)
		if (s->rqs[c].rt_time || s->rqs[c].rt_nr || s->rqs[c].rt_throttled)
			busy |= rt_new_period(s, &s->rqs[c]);
	s->g->rt_period_end = busy && rt_throttle_on(s) ? s->g->now + rt_period_ns(s) : NEVER;
	evq_set(&s->evq, s->src_rt,
		s->g->rt_period_end == NEVER ? EVQ_NEVER
					     : evq_key_of(s->g->rt_period_end, EVC_BANDWIDTH));
}

/* start_rt_bandwidth(): periods are counted from the first real-time task on. */
static void rt_period_start(struct sim *s)
{
	if (s->g->rt_period_end != NEVER || !rt_throttle_on(s))
		return;
	rt_period_timer(s);
	s->g->rt_period_end = s->g->now + rt_period_ns(s);
	evq_set(&s->evq, s->src_rt, evq_key_of(s->g->rt_period_end, EVC_BANDWIDTH));
}

void rt_tunables_changed(struct sim *s)
{
	u64 runtime = s->g->tun.rt_runtime_us * NSEC_PER_USEC;
	bool any = false;

	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		struct rq *rq = &s->rqs[c];

		rq->rt_runtime = runtime;
		rq->rt_time = 0;
		any |= rq->rt_nr != 0;
		if (rq->rt_throttled) {
			update_rq_clock(s, rq);
			set_throttled(s, rq, false);
		}
		if (rq->fs_active) {
			update_rq_clock(s, rq);
			fair_server_stop(s, rq);
		}
		rq->fs_abs = 0;
		rq->fs_left = 0;
		rq->fs_state = 0;
		if (rq->rt_nr + rq->dl_nr) {
			update_rq_clock(s, rq);
			fair_server_start(s, rq);
			/* A fair task may be running on what the server had left. */
			resched_curr(s, rq);
		}
	}
	s->g->rt_period_end = NEVER;
	evq_set(&s->evq, s->src_rt, EVQ_NEVER);
	if (any)
		rt_period_start(s);
}

void rt_rq_online(struct sim *s, struct rq *rq)
{
	rq->rt_time = 0;
	rq->rt_runtime = s->g->tun.rt_runtime_us * NSEC_PER_USEC;
	set_throttled(s, rq, false);
}

/* ---- the class ---- */

static u32 rr_slice(const struct sim *s)
{
	return (u32)max_u64(1, s->g->tun.rr_timeslice_ms * s->g->tun.hz / 1000);
}

static void update_curr_rt(struct sim *s, struct rq *rq, task_id p)
{
	s64 delta = charge_exec(s, rq, p);

	if (!delta)
		return;
	rt_charge_time(s, rq, (u64)delta);
	check_throttle(s, rq);
}

static void age_rt(struct sim *s, struct rq *rq, u32 running)
{
	if (update_rt(rq_clock_pelt(rq), rq, running))
		trace(s, TR_pelt_rt, rq->cpu, NONE,
		      trace_pair((u32)rq->avg_rt.load_avg, (u32)rq->avg_rt.runnable_avg),
		      rq->avg_rt.util_avg);
}

/* Behind all of its priority, or before them. */
static void rt_insert(struct sim *s, struct rq *rq, task_id p, bool first)
{
	u32 prio = s->tasks[p].rt_priority + (first ? 1u : 0u);
	task_id after = rq->rt_tail;

	while (after != NONE && s->tasks[after].rt_priority < prio)
		after = s->tasks[after].list_prev;
	class_list_add(s, &rq->rt_head, &rq->rt_tail, after, p);
}

static void rt_requeue(struct sim *s, struct rq *rq, task_id p, bool first)
{
	class_list_del(s, &rq->rt_head, &rq->rt_tail, p);
	rt_insert(s, rq, p, first);
}

static void enqueue_task_rt(struct sim *s, struct rq *rq, task_id p, u32 flags)
{
	struct task *t = &s->tasks[p];

	if (!t->rr_left)
		t->rr_left = rr_slice(s);
	rt_insert(s, rq, p, flags & ENQUEUE_HEAD);
	t->on_rq = 1;
	rq->rt_nr++;
	rq->nr_other++;
	if (!rq->rt_throttled && ++rq->nr_running == 2)
		s->g->overloaded = 1;
	class_queued(s, rq, 1);
	uclamp_rq_inc(s, rq, p);
	rt_period_start(s);
	cpufreq_update_util(s, rq, 0);
}

static void dequeue_task_rt(struct sim *s, struct rq *rq, task_id p, u32 flags)
{
	(void)flags;
	if (rq->curr == p)
		update_curr_rt(s, rq, p);
	class_list_del(s, &rq->rt_head, &rq->rt_tail, p);
	s->tasks[p].on_rq = 0;
	rq->rt_nr--;
	rq->nr_other--;
	if (!rq->rt_throttled)
		rq->nr_running--;
	class_queued(s, rq, -1);
	uclamp_rq_dec(s, rq, p);
	cpufreq_update_util(s, rq, 0);
}

static task_id pick_task_rt(struct sim *s, struct rq *rq)
{
	(void)s;
	return rq->rt_throttled ? NONE : rq->rt_head;
}

static void put_prev_task_rt(struct sim *s, struct rq *rq, task_id p)
{
	update_curr_rt(s, rq, p);
	age_rt(s, rq, 1);
}

static void set_next_task_rt(struct sim *s, struct rq *rq, task_id p)
{
	s->task_se[p].exec_start = rq_clock_task(rq);
	/* After another real-time task the average is up to date. */
	if (rq->curr == NONE || class_of(s, rq->curr) != CLASS_RT)
		age_rt(s, rq, 0);
}

static bool task_tick_rt(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];

	update_curr_rt(s, rq, p);
	age_rt(s, rq, 1);
	if (t->policy != SCHED_RR || --t->rr_left)
		return false;
	t->rr_left = rr_slice(s);
	/* Alone of its priority, it goes on. */
	if (!t->on_rq || t->list_next == NONE ||
	    s->tasks[t->list_next].rt_priority != t->rt_priority)
		return false;
	rt_requeue(s, rq, p, false);
	return true;
}

/* check_preempt_equal_prio(): the woken one cannot run elsewhere, but the running one can. */
static bool rt_preempt(struct sim *s, struct rq *rq, task_id curr, task_id p)
{
	const struct task *t = &s->tasks[p], *c = &s->tasks[curr];

	if (t->rt_priority != c->rt_priority)
		return t->rt_priority > c->rt_priority;
	if (rq->need_resched || !c->on_rq || !class_can_leave(s, curr, rq->cpu) ||
	    class_can_leave(s, p, rq->cpu))
		return false;
	rt_requeue(s, rq, p, true);
	return true;
}

static void yield_task_rt(struct sim *s, struct rq *rq, task_id p)
{
	rt_requeue(s, rq, p, false);
}

const struct class_ops rt_class = {
	.enqueue = enqueue_task_rt,
	.dequeue = dequeue_task_rt,
	.pick = pick_task_rt,
	.put_prev = put_prev_task_rt,
	.set_next = set_next_task_rt,
	.tick = task_tick_rt,
	.preempt = rt_preempt,
	.yield = yield_task_rt,
};
