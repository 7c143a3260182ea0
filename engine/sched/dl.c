/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dl.c - SCHED_DEADLINE: earliest deadline first among constant bandwidth servers.
 *
 * Follows kernel/sched/deadline.c of Linux v6.12: a task gets its runtime in each period, counted as
 * work (time scaled by the CPU's capacity and frequency); when it is used up the task waits for the
 * next period, and one that wakes keeps deadline and budget if that is not more than its share.
 * A CPU's tasks stand in one list by deadline, where the kernel has a tree. As there the budget is
 * looked at when time is accounted, so at ticks mostly, and what was used too much is missing in the
 * next. Bandwidth counts on a CPU until the zero-lag time of a task that went to sleep, when what it
 * has not used is lost. Simplified: no reclaiming (GRUB), no inheritance, no overrun signals; a task
 * asleep and throttled counts until its replenishment.
 */
#include "engine/sched/dl.h"

#include "engine/base/cpumask.h"
#include "engine/hw/cpufreq.h"
#include "engine/observe/emit.h"
#include "engine/sched/class.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/partition.h"
#include "engine/sched/pelt.h"
#include "engine/sched/release.h"
#include "engine/sched/place.h"

/* ---- admission ---- */

int dl_params_check(struct dl_params *dl, const char *who, struct err *err)
{
	if (!dl->deadline)
		dl->deadline = dl->period;
	if (!dl->period)
		dl->period = dl->deadline;
	if (!dl->runtime || !dl->period)
		return err_set(
			err, ERR_USAGE,
			"%s: a deadline task needs a runtime and a deadline or a period, for "
			"instance 5 ms in 20 ms",
			who);
	if (dl->runtime < DL_RUNTIME_MIN)
		return err_set(err, ERR_USAGE, "%s: the runtime is %llu ns; 1024 ns is the least",
			       who, (unsigned long long)dl->runtime);
	if (dl->period < DL_PERIOD_MIN || dl->period > DL_PERIOD_MAX)
		return err_set(err, ERR_USAGE,
			       "%s: the period is %llu ns; it must be in 100000 .. 4194304000", who,
			       (unsigned long long)dl->period);
	if (dl->runtime > dl->deadline || dl->deadline > dl->period)
		return err_set(err, ERR_USAGE,
			       "%s: runtime %llu ns, deadline %llu ns, period %llu ns; none may be "
			       "longer than the next",
			       who, (unsigned long long)dl->runtime,
			       (unsigned long long)dl->deadline, (unsigned long long)dl->period);
	return 0;
}

/* What all together may have, on the CPUs that are online less @without. */
static u64 dl_limit(const struct sim *s, cpu_id without)
{
	const struct tunables *t = &s->g->tun;
	u64 cap = 0;

	for (cpu_id c = 0; c < s->g->nr_cpus; c++)
		if (s->rqs[c].mode != CPU_OFFLINE && c != without)
			cap += lb_form(s)->dl_capacity ? s->rqs[c].cpu_capacity_orig
						       : SCHED_CAPACITY_SCALE;
	return (u64)((u128)(cap << (DL_BW_SHIFT - SCHED_CAPACITY_SHIFT)) * t->rt_runtime_us /
		     t->rt_period_us);
}

/* Bandwidth in thousandths of a CPU. */
static unsigned dl_milli(u64 bw)
{
	return (unsigned)((bw * 1000 + (1u << (DL_BW_SHIFT - 1))) >> DL_BW_SHIFT);
}

int dl_admits(const struct sim *s, u64 more, u64 less, struct err *err)
{
	u64 limit = dl_limit(s, NONE), others = s->g->dl_total_bw - less;
	unsigned asked = dl_milli(more), left = dl_milli(sub_positive(limit, others));

	if (others + more <= limit)
		return 0;
	return err_set(
		err, ERR_USAGE,
		"no bandwidth for a deadline task of %u.%u %% of a CPU: %u.%u %% are left of "
		"the %u.%u %% that deadline tasks may have here; ask for less runtime, or for "
		"a longer period",
		asked / 10, asked % 10, left / 10, left % 10, dl_milli(limit) / 10,
		dl_milli(limit) % 10);
}

int dl_spares_cpu(const struct sim *s, cpu_id cpu, struct err *err)
{
	u64 limit = dl_limit(s, cpu);

	if (s->g->dl_total_bw <= limit)
		return 0;
	return err_set(
		err, ERR_USAGE,
		"CPU %u is needed: deadline tasks were promised %u.%u %% of a CPU, the others "
		"give %u.%u %%; end some of them first",
		cpu, dl_milli(s->g->dl_total_bw) / 10, dl_milli(s->g->dl_total_bw) % 10,
		dl_milli(limit) / 10, dl_milli(limit) % 10);
}

int dl_may_join(const struct sim *s, task_id p, const struct dl_params *dl, struct err *err)
{
	const struct task *t = &s->tasks[p];
	u64 own = t->dl_admitted ? dl_bandwidth(t->dl_runtime, t->dl_period) : 0;

	if (!partition_covered(s, t->tg, mask_get(s, t->cpus)))
		return err_set(
			err, ERR_USAGE,
			"task '%s' may not use all CPUs, so that no deadline can be promised "
			"to it; give it all CPUs first",
			t->comm);
	return dl_admits(s, dl_bandwidth(dl->runtime, dl->period), own, err);
}

void dl_set_params(struct sim *s, task_id p, const struct dl_params *dl)
{
	struct task *t = &s->tasks[p];

	dl_leave(s, p);
	t->dl_runtime = dl->runtime;
	t->dl_deadline = dl->deadline;
	t->dl_period = dl->period;
	t->dl_admitted = 1;
	s->g->dl_total_bw += dl_bandwidth(dl->runtime, dl->period);
}

/* add_running_bw(), sub_running_bw(): its bandwidth counts for the frequency of this CPU. */
static void dl_contend(struct sim *s, struct rq *rq, task_id p, bool on)
{
	struct task *t = &s->tasks[p];
	u64 bw = dl_bandwidth(t->dl_runtime, t->dl_period);

	if (t->dl_contending == on)
		return;
	t->dl_contending = on;
	rq->dl_running_bw += on ? bw : 0 - bw;
	cpufreq_update_util(s, rq, 0);
}

/* ---- tasks that wait for a time: throttled, or asleep until their zero-lag time ---- */

static void waiting_add(struct sim *s, struct rq *rq, task_id p)
{
	task_id after = NONE, next = rq->dl_waiting, none = NONE;

	while (next != NONE && s->tasks[next].dl_timer <= s->tasks[p].dl_timer) {
		after = next;
		next = s->tasks[next].list_next;
	}
	class_list_add(s, &rq->dl_waiting, &none, after, p);
	class_timer_arm(s, rq);
}

static void waiting_del(struct sim *s, struct rq *rq, task_id p)
{
	task_id none = NONE;

	class_list_del(s, &rq->dl_waiting, &none, p);
	class_timer_arm(s, rq);
}

void dl_leave(struct sim *s, task_id p)
{
	struct task *t = &s->tasks[p];

	if (t->dl_timer != NEVER)
		waiting_del(s, &s->rqs[t->cpu], p);
	dl_contend(s, &s->rqs[t->cpu], p, false);
	if (t->dl_admitted)
		s->g->dl_total_bw -= dl_bandwidth(t->dl_runtime, t->dl_period);
	t->dl_timer = NEVER;
	t->dl_admitted = t->dl_throttled = t->dl_yielded = 0;
	t->dl_left = 0;
	t->dl_abs = 0;
}

/* ---- budgets ---- */

static void dl_new_period(const struct rq *rq, struct task *t)
{
	t->dl_abs = rq->clock + t->dl_deadline;
	t->dl_left = (s64)t->dl_runtime;
}

/* dl_entity_overflow(): would what is left, used until the deadline, be more than its share? */
static bool dl_overflow(const struct rq *rq, const struct task *t)
{
	return (s128)(s64)t->dl_deadline * t->dl_left >
	       (s128)(s64)(t->dl_abs - rq->clock) * (s64)t->dl_runtime;
}

/* update_dl_entity(): a task wakes. */
static void dl_wake(const struct rq *rq, struct task *t)
{
	if (t->dl_abs >= rq->clock && !dl_overflow(rq, t))
		return;
	if (t->dl_deadline != t->dl_period && t->dl_abs >= rq->clock) {
		/* Keep the deadline, with the budget that its density allows until then. */
		t->dl_left = (s64)((u128)(t->dl_abs - rq->clock) * t->dl_runtime / t->dl_deadline);
		return;
	}
	dl_new_period(rq, t);
}

/* replenish_dl_entity() */
static void dl_replenish(struct sim *s, const struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];

	if (t->dl_yielded && t->dl_left > 0)
		t->dl_left = 0;
	if (t->dl_left <= 0) {
		u64 n = (u64)-t->dl_left / t->dl_runtime + 1;

		t->dl_left += (s64)(n * t->dl_runtime);
		t->dl_abs += n * t->dl_period;
	}
	if (t->dl_abs < rq->clock)
		dl_new_period(rq, t);
	t->dl_yielded = 0;
	t->dl_throttled = 0;
	trace(s, TR_dl_replenish, rq->cpu, p, (u64)t->dl_left, t->dl_abs);
}

/* start_dl_timer(): wait for the next period; false if it has begun already. */
static bool dl_wait(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];
	u64 next = t->dl_abs - t->dl_deadline + t->dl_period;

	if (next <= rq->clock)
		return false;
	t->dl_timer = next;
	waiting_add(s, rq, p);
	return true;
}

/* ---- the queue ---- */

static void dl_queue(struct sim *s, struct rq *rq, task_id p)
{
	task_id after = rq->dl_tail;

	while (after != NONE && s->tasks[after].dl_abs > s->tasks[p].dl_abs)
		after = s->tasks[after].list_prev;
	class_list_add(s, &rq->dl_head, &rq->dl_tail, after, p);
	rq->dl_nr++;
	if (++rq->nr_running == 2)
		s->g->overloaded = 1;
	class_queued(s, rq, 1);
}

static void dl_unqueue(struct sim *s, struct rq *rq, task_id p)
{
	class_list_del(s, &rq->dl_head, &rq->dl_tail, p);
	rq->dl_nr--;
	rq->nr_running--;
	class_queued(s, rq, -1);
}

static void update_curr_dl(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];
	s64 delta = charge_exec(s, rq, p);

	if (!delta && !t->dl_yielded)
		return;
	rt_charge_time(s, rq, (u64)delta);
	t->dl_left -= (s64)cap_scale(cap_scale((u64)delta, rq->freq_scale), rq->cpu_capacity_orig);
	if (t->dl_throttled || !t->on_rq || (t->dl_left > 0 && !t->dl_yielded))
		return;
	t->dl_throttled = 1;
	s->stats->dl_throttled++;
	dl_unqueue(s, rq, p);
	if (!dl_wait(s, rq, p)) {
		dl_replenish(s, rq, p);
		dl_queue(s, rq, p);
	} else {
		trace(s, TR_dl_throttle, rq->cpu, p, (u64)t->dl_left, t->dl_timer);
	}
	if (rq->dl_head != p)
		resched_curr(s, rq);
}

static void enqueue_task_dl(struct sim *s, struct rq *rq, task_id p, u32 flags)
{
	struct task *t = &s->tasks[p];

	t->on_rq = 1;
	rq->nr_other++;
	if (!t->dl_throttled && t->dl_timer != NEVER) {
		waiting_del(s, rq, p);
		t->dl_timer = NEVER;
	}
	if (flags & (ENQUEUE_INITIAL | ENQUEUE_RESTORE)) {
		if (!t->dl_throttled && t->dl_abs <= rq->clock)
			dl_new_period(rq, t);
	} else if ((flags & ENQUEUE_WAKEUP) && !t->dl_throttled) {
		u64 next = t->dl_abs - t->dl_deadline + t->dl_period;

		/* Woken between its deadline and the next period: it has had its share. */
		if (t->dl_deadline != t->dl_period && t->dl_abs < rq->clock && next > rq->clock) {
			t->dl_throttled = 1;
			t->dl_left = t->dl_left > 0 ? 0 : t->dl_left;
			dl_wait(s, rq, p);
		} else {
			dl_wake(rq, t);
		}
	}
	dl_contend(s, rq, p, true);
	if (!t->dl_throttled) {
		dl_queue(s, rq, p);
	} else if (t->dl_timer == NEVER && !dl_wait(s, rq, p)) {
		dl_replenish(s, rq, p);
		dl_queue(s, rq, p);
	}
}

/* task_non_contending(): @p sleeps; does its bandwidth count until some later time? */
static bool dl_lingers(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];
	u64 zero_lag;

	if (t->dl_timer != NEVER)
		return true; /* throttled */
	zero_lag = t->dl_abs - (u64)((u128)(u64)t->dl_left * t->dl_period / t->dl_runtime);
	if (t->state == TASK_DEAD || (s64)(zero_lag - rq->clock) <= 0)
		return false;
	t->dl_timer = zero_lag;
	waiting_add(s, rq, p);
	return true;
}

static void dequeue_task_dl(struct sim *s, struct rq *rq, task_id p, u32 flags)
{
	struct task *t = &s->tasks[p];

	if (rq->curr == p)
		update_curr_dl(s, rq, p);
	if (!t->dl_throttled) {
		dl_unqueue(s, rq, p);
	} else if (!(flags & DEQUEUE_SLEEP) && t->dl_timer != NEVER) {
		waiting_del(s, rq, p);
		t->dl_timer = NEVER;
	}
	t->on_rq = 0;
	rq->nr_other--;
	if (!(flags & DEQUEUE_SLEEP) || !dl_lingers(s, rq, p))
		dl_contend(s, rq, p, false);
}

void dl_replenish_timer(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];

	waiting_del(s, rq, p);
	t->dl_timer = NEVER;
	if (t->dl_throttled)
		dl_replenish(s, rq, p);
	if (!t->on_rq) {
		dl_contend(s, rq, p, false);
		return;
	}
	dl_queue(s, rq, p);
	if (rq->curr == NONE || (rq->curr != p && wakeup_preempt_classes(s, rq, rq->curr, p, 0)))
		resched_curr(s, rq);
	else if (rq->curr != p && !task_is_fair(s, rq->curr))
		push_tasks(s, rq);
}

void dl_rq_offline(struct sim *s, struct rq *rq)
{
	while (rq->dl_waiting != NONE) {
		task_id p = rq->dl_waiting;
		cpu_id to = select_fallback_rq(s, p, rq->cpu);

		update_rq_clock(s, &s->rqs[to]);
		if (s->tasks[p].on_rq)
			move_queued_task(s, p, to, MOVED_BY_HOTPLUG);
		else
			task_push(s, p, to);
	}
}

static task_id pick_task_dl(struct sim *s, struct rq *rq)
{
	(void)s;
	return rq->dl_head;
}

static void age_dl(struct sim *s, struct rq *rq, u32 running)
{
	if (update_dl(rq_clock_pelt(rq), rq, running))
		trace(s, TR_pelt_dl, rq->cpu, NONE,
		      trace_pair((u32)rq->avg_dl.load_avg, (u32)rq->avg_dl.runnable_avg),
		      rq->avg_dl.util_avg);
}

static void put_prev_task_dl(struct sim *s, struct rq *rq, task_id p)
{
	update_curr_dl(s, rq, p);
	age_dl(s, rq, 1);
}

static void set_next_task_dl(struct sim *s, struct rq *rq, task_id p)
{
	s->task_se[p].exec_start = rq_clock_task(rq);
	/* After another deadline task the average is up to date. */
	if (rq->curr == NONE || class_of(s, rq->curr) != CLASS_DL)
		age_dl(s, rq, 0);
}

static bool task_tick_dl(struct sim *s, struct rq *rq, task_id p)
{
	update_curr_dl(s, rq, p);
	age_dl(s, rq, 1);
	return false;
}

static bool dl_preempt(struct sim *s, struct rq *rq, task_id curr, task_id p)
{
	(void)rq;
	return !s->tasks[p].dl_throttled && s->tasks[p].dl_abs < s->tasks[curr].dl_abs;
}

/* The rest of this period's budget is given back. */
static void yield_task_dl(struct sim *s, struct rq *rq, task_id p)
{
	s->tasks[p].dl_yielded = 1;
	update_rq_clock(s, rq);
	update_curr_dl(s, rq, p);
}

static void migrate_task_dl(struct sim *s, task_id p, cpu_id cpu)
{
	struct task *t = &s->tasks[p];

	if (t->dl_timer == NEVER)
		return;
	waiting_del(s, &s->rqs[t->cpu], p);
	dl_contend(s, &s->rqs[t->cpu], p, false);
	if (t->dl_throttled)
		waiting_add(s, &s->rqs[cpu], p);
	else
		t->dl_timer = NEVER;
}

const struct class_ops dl_class = {
	.enqueue = enqueue_task_dl,
	.dequeue = dequeue_task_dl,
	.pick = pick_task_dl,
	.put_prev = put_prev_task_dl,
	.set_next = set_next_task_dl,
	.tick = task_tick_dl,
	.preempt = dl_preempt,
	.yield = yield_task_dl,
	.migrate = migrate_task_dl,
};
