/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core.c - switching, waking, ticking, being born and dying.
 *
 * Follows __schedule(), try_to_wake_up(), wake_up_new_task(), sched_tick(), move_queued_task() and
 * __set_cpus_allowed_ptr() of kernel/sched/core.c, Linux v6.12. Simplified: a wake-up to another
 * CPU activates the task at once instead of through a list and an interrupt (same instant while
 * costs are off). Classes: class.h; nearly all tasks are fair, and their way is the straight one.
 */
#include "engine/sched/core.h"

#include "engine/access.h"
#include "engine/observe/emit.h"
#include "engine/observe/starved.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/class.h"
#include "engine/sched/clock.h"
#include "engine/sched/costs.h"
#include "engine/sched/cpuset.h"
#include "engine/sched/dl.h"
#include "engine/sched/domain.h"
#include "engine/sched/exec.h"
#include "engine/sched/fair.h"
#include "engine/sched/features.h"
#include "engine/sched/load.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/pass.h"
#include "engine/sched/place.h"
#include "engine/sched/release.h"
#include "engine/sched/uclamp.h"
#include "engine/workload/workload.h"

void resched_curr(struct sim *s, struct rq *rq)
{
	if (rq->need_resched)
		return;
	rq->need_resched = 1;
	cpu_attend(s, rq->cpu);
}

void set_task_rq(struct sim *s, task_id p, cpu_id cpu)
{
	struct task *t = &s->tasks[p];
	struct sched_entity *se = &s->task_se[p];

	se->cfs_rq = tg_cfs_id(s, t->tg, cpu);
	se->parent = cfs_se_id(s, &s->cfs_rqs[se->cfs_rq]);
	se->depth = se->parent == NONE ? 0 : se_get(s, se->parent)->depth + 1;
}

/* set_task_cpu() */
static void set_task_cpu(struct sim *s, task_id p, cpu_id cpu, u32 reason)
{
	struct task *t = &s->tasks[p];

	if (t->cpu != cpu) {
		trace(s, TR_sched_migrate_task, cpu, p, trace_pair(t->cpu, cpu), reason);
		s->task_stats[p].migrations++;
		s->stats->migrations++;
		t->cpu = cpu;
	}
	set_task_rq(s, p, cpu);
}

/* update_avg_idle() of ttwu_do_activate(): how long this CPU tends to be idle. */
static void wake_from_idle(struct sim *s, struct rq *rq)
{
	if (!rq->idle_stamp)
		return;

	s64 delta = (s64)(rq->clock - rq->idle_stamp);
	u64 max = 2 * rq->max_idle_balance_cost;

	delta -= (s64)rq->avg_idle;
	/* In v5.4 an arithmetic shift, which rounds down. */
	delta = lb_form(s)->avg_idle_floor && delta < 0 ? -((-delta + 7) / 8) : delta / 8;
	rq->avg_idle = (u64)((s64)rq->avg_idle + delta);
	if (rq->avg_idle > max)
		rq->avg_idle = max;
	if (sched_feat(s, SIS_PROP) && place_form(s)->sis_prop == 2) {
		rq->wake_stamp = sim_jiffies(s);
		rq->wake_avg_idle = rq->avg_idle / 2;
	}
	rq->idle_stamp = 0;
}

static void wakeup_preempt(struct sim *s, struct rq *rq, task_id p, u32 flags)
{
	if (rq->curr == NONE ||
	    (rq->nr_other ? wakeup_preempt_classes(s, rq, rq->curr, p, flags)
			  : check_preempt_wakeup_fair(s, rq, rq->curr, p, flags)))
		resched_curr(s, rq);
}

static void task_made_runnable(struct sim *s, task_id p, bool was_asleep)
{
	struct task_stats *st = &s->task_stats[p];
	u64 now = s->g->now;

	s->tasks[p].state = TASK_RUNNING;
	if (was_asleep) {
		st->sleep_ns += now - st->since;
		st->wakeups++;
		st->woken_at = now;
		s->stats->wakeups++;
		s->stats->events++;
	}
	st->since = now;
}

/* A task that sleeps is about to wake on @cpu. */
static void migrate_task_rq(struct sim *s, task_id p, cpu_id cpu)
{
	if (task_is_fair(s, p))
		migrate_task_rq_fair(s, p);
	else if (class_ops_of(s, p)->migrate)
		class_ops_of(s, p)->migrate(s, p, cpu);
}

bool try_to_wake_up(struct sim *s, task_id p, cpu_id this_cpu, u32 wake_flags)
{
	struct task *t = &s->tasks[p];

	if (t->state != TASK_SLEEPING && t->state != TASK_WAITING)
		return false;
	if (t->wake_at != NEVER) {
		t->wake_at = NEVER;
		evq_set(&s->evq, s->src_task + p, EVQ_NEVER);
	}
	trace(s, TR_sched_waking, this_cpu, p, trace_pair(t->cpu, 0), 0);

	struct rq *rq = &s->rqs[t->cpu];

	if (t->on_rq) {
		/* Asleep but still queued, or on its way out: ttwu_runnable(). */
		update_rq_clock(s, rq);
		if (s->task_se[p].sched_delayed)
			enqueue_task_fair(s, rq, p, ENQUEUE_DELAYED);
		t->flags &= ~PF_IOWAIT;
		task_made_runnable(s, p, true);
		trace(s, TR_sched_wakeup, t->cpu, p, trace_pair(t->cpu, this_cpu), 0);
		if (rq->curr != p)
			wakeup_preempt(s, rq, p, wake_flags);
		return true;
	}

	if (rq->curr == p) {
		/* Off the queue, but its CPU has not switched yet: that CPU wakes it afterwards. */
		t->flags |= PF_WAKE_LATER;
		return true;
	}

	cpu_id cpu = select_task_rq(s, p, t->cpu, this_cpu, wake_flags | WF_TTWU);

	if (t->flags & PF_IOWAIT && rq->nr_iowait)
		rq->nr_iowait--;
	if (cpu != t->cpu) {
		wake_flags |= WF_MIGRATED;
		migrate_task_rq(s, p, cpu);
		set_task_cpu(s, p, cpu, 0);
	}
	rq = &s->rqs[cpu];
	rq_lock_cost(s, &s->rqs[this_cpu], rq, PATH_WAKEUP, cost_ns(s, COST_lock_hold));
	update_rq_clock(s, rq);
	enqueue_task(s, rq, p, ENQUEUE_WAKEUP | (wake_flags & WF_MIGRATED ? ENQUEUE_MIGRATED : 0));
	t->flags &= ~PF_IOWAIT;
	task_made_runnable(s, p, true);
	wakeup_preempt(s, rq, p, wake_flags);
	wake_from_idle(s, rq);
	trace(s, TR_sched_wakeup, cpu, p, trace_pair(cpu, this_cpu), 0);
	return true;
}

void wake_up_new_task(struct sim *s, task_id p, cpu_id this_cpu)
{
	struct task *t = &s->tasks[p];

	if (t->state != TASK_NEW)
		return;
	t->recent_used_cpu = t->cpu;

	cpu_id cpu = select_task_rq(s, p, t->cpu, this_cpu, WF_FORK);

	t->cpu = cpu;
	set_task_rq(s, p, cpu);

	struct rq *rq = &s->rqs[cpu];

	update_rq_clock(s, rq);
	if (task_is_fair(s, p)) {
		/* A CFS child starts where the running task of its queue is: task_fork_fair(). */
		update_curr(s, cfs_rq_of(s, p));
		if (s->pick->fork)
			s->pick->fork(s, cfs_rq_of(s, p), p);
		post_init_entity_util_avg(s, p);
	}
	enqueue_task(s, rq, p, ENQUEUE_INITIAL);
	task_made_runnable(s, p, false);
	s->stats->events++;
	trace(s, TR_sched_wakeup_new, cpu, p, trace_pair(cpu, this_cpu), 0);
	wakeup_preempt(s, rq, p, WF_FORK);
	wake_from_idle(s, rq);
}

void move_queued_task(struct sim *s, task_id p, cpu_id cpu, u32 reason)
{
	struct task *t = &s->tasks[p];
	struct rq *src = &s->rqs[t->cpu], *dst = &s->rqs[cpu];

	if (reason == 1 || reason == 2) {
		/* Whoever balances pays, also when it does so for another CPU. */
		struct rq *me = s->g->this_cpu == NONE ? dst : &s->rqs[s->g->this_cpu];
		enum cost_path path = reason == 2 ? PATH_NEWIDLE
				      : me == dst ? PATH_BALANCE
						  : PATH_ILB;

		rq_lock_cost(s, me, src, path, cost_ns(s, COST_detach));
		cost_owe(s, me, path, cost_ns(s, COST_detach));
	}
	dequeue_task(s, src, p, DEQUEUE_MIGRATING);
	s->task_se[p].avg.last_update_time = 0;
	set_task_cpu(s, p, cpu, reason);
	enqueue_task(s, dst, p, ENQUEUE_MIGRATED);
	/* A balance move keeps exec_start, by which the next balancer tells how hot it is. */
	/* attach_task(): also a delayed one makes the new CPU look, which then takes it off. */
	wakeup_preempt(s, dst, p, 0);
}

static void task_stops_running(struct sim *s, task_id p, bool preempted)
{
	struct task_stats *st = &s->task_stats[p];

	st->since = s->g->now;
	st->preempted += preempted;
}

static void task_starts_running(struct sim *s, struct rq *rq, task_id p)
{
	struct task_stats *st = &s->task_stats[p];
	u64 now = s->g->now, waited = now - st->since;

	st->wait_ns += waited;
	st->since = now;
	st->switches_in++;
	if (st->woken_at == NEVER)
		return;

	u64 lat = now - st->woken_at;
	struct task *t = &s->tasks[p];

	st->woken_at = NEVER;
	hist_fine_add(&s->lat_groups[0].hist, lat);
	if (t->lat_group != NONE && !s->lat_groups[t->lat_group].sampled)
		hist_fine_add(&s->lat_groups[t->lat_group].hist, lat);
	if (t->hist != NONE)
		hist_coarse_add(&s->task_hists[t->hist].hist, lat);
	trace(s, TR_sched_stat_wait, rq->cpu, p, lat, 0);
}

void rq_vacate(struct sim *s, struct rq *rq)
{
	task_id p = rq->curr;

	put_prev_task(s, rq, p);
	task_stops_running(s, p, true);
	rq->curr = NONE;
	starved_touch(s, rq->cpu);
	s->tasks[p].flags &= ~PF_PINNED_PENDING;
}

/* migration_cpu_stop(): a task that may no longer run here, or is to run elsewhere. */
static void push_away(struct sim *s, struct rq *rq, task_id p)
{
	cpu_id cpu = s->tasks[p].wake_cpu;

	/* The affinity may have changed since it was told where to go. */
	if (!(s->tasks[p].flags & PF_PUSH) || !cpu_allowed(s, &s->tasks[p], cpu))
		cpu = select_task_rq(s, p, rq->cpu, rq->cpu, 0);
	s->tasks[p].flags &= ~PF_PUSH;
	if (cpu == rq->cpu)
		return;
	update_rq_clock(s, &s->rqs[cpu]);
	move_queued_task(s, p, cpu, 3);
}

/*
 * The stopper, migration/N, of the highest class: it preempts whatever runs, so that the CPU has no
 * current task, works, and sleeps again. It is no task here but this part of schedule().
 */
static void stopper_preempts(struct sim *s, struct rq *rq, task_id prev)
{
	bool away = s->tasks[prev].flags & PF_PINNED_PENDING;

	rq_vacate(s, rq);
	s->stats->stopped++;
	trace(s, TR_sched_switch, rq->cpu, prev, trace_pair(NONE, TASK_RUNNING), 0);
	if (away)
		push_away(s, rq, prev);
}

static void active_balance(struct sim *s, struct rq *rq)
{
	const struct balance_ops *b = s->policy[SLOT_BALANCE]->ops;

	/* Also after the running task went to sleep by itself: others may wait here. */
	rq->active_balance = 0;
	if (b->stop && s->rqs[rq->push_cpu].mode != CPU_OFFLINE)
		b->stop(s, rq->cpu, rq->push_cpu);
	rq->need_resched = 0;
}

void schedule(struct sim *s, struct rq *rq)
{
	task_id prev = rq->curr;

	rq->need_resched = 0;
	update_rq_clock(s, rq);
	if (rq->nr_other)
		fair_server_charge(s, rq);
	if (prev != NONE) {
		struct task *t = &s->tasks[prev];
		bool queued = t->on_rq && !s->task_se[prev].sched_delayed;

		/*
		 * After a search for work it left the queue before that began, unless its group was
		 * throttled and it ended since then.
		 */
		if (t->state != TASK_RUNNING && (!rq->searching || queued)) {
			s->stats->sleeps++;
			s->stats->events++;
			if (t->flags & PF_IOWAIT)
				rq->nr_iowait++;
			if (queued)
				dequeue_task(s, rq, prev,
					     DEQUEUE_SLEEP |
						     (t->state == TASK_DEAD ? DEQUEUE_SPECIAL : 0));
			if (rq->nr_other && !task_is_fair(s, prev)) {
				/* Something urgent may wait behind it elsewhere. */
				pull_task(s, rq);
				rq->need_resched = 0;
			}
		} else if (t->state == TASK_RUNNING &&
			   ((t->flags & PF_PINNED_PENDING) || rq->active_balance)) {
			stopper_preempts(s, rq, prev);
			prev = NONE;
		}
	}
	if (rq->active_balance)
		active_balance(s, rq);

	task_id next = pick_task(s, rq);

	if (next == NONE && !rq->searching) {
		/* The search counts as idle time. It has interrupts off; prev stays current for it. */
		rq->idle_stamp = rq->clock;
		rq->searching = NEWIDLE_GOES_ON;
		if (!pass_begin(s, rq, PASS_SCHEDULE, PASS_NEWIDLE, 0))
			return;
		next = rq->nr_running ? pick_task(s, rq) : NONE;
	}
	/* Pulled, or queued here by somebody else meanwhile. */
	if (next != NONE && rq->searching)
		rq->idle_stamp = 0;
	rq->searching = NEWIDLE_NO;
	rq->kthread &= ~KTHREAD_ON;
	/* Woken while the CPU looked for work. */
	if (rq->kthread)
		resched_curr(s, rq);
	if (next == prev) {
		/* A delayed task that was picked again as current has been dequeued by the pick. */
		return;
	}
	if (rq->nr_other)
		switch_classes(s, rq, prev, next);
	else
		switch_fair(s, rq, prev, next);
	if (next == NONE)
		update_idle_rq_clock_pelt(s, rq);
	rq->curr = next;
	starved_touch(s, rq->cpu);
	s->cpu_stats[rq->cpu].switches++;
	s->stats->switches++;
	s->stats->events++;
	trace(s, TR_sched_switch, rq->cpu, prev,
	      trace_pair(next, prev == NONE ? 0 : s->tasks[prev].state), 0);
	if (prev != NONE) {
		task_stops_running(s, prev, s->tasks[prev].state == TASK_RUNNING);
		if (s->tasks[prev].state == TASK_DEAD)
			task_release(s, prev);
	}
	if (next != NONE)
		task_starts_running(s, rq, next);
	if (rq->nr_other) {
		fair_server_follow(s, rq);
		push_tasks(s, rq);
	}
	if (prev != NONE && arena_is_live(&s->arena, POOL_TASK, prev) &&
	    (s->tasks[prev].flags & PF_WAKE_LATER)) {
		s->tasks[prev].flags &= ~PF_WAKE_LATER;
		try_to_wake_up(s, prev, rq->cpu, 0);
	}
}

void newidle_over(struct sim *s, struct rq *rq)
{
	rq->searching = NEWIDLE_OVER;
	rq->switch_paid = 1;
	resched_curr(s, rq);
}

void scheduler_tick(struct sim *s, struct rq *rq)
{
	task_id curr = rq->curr;

	cpu_account(s, rq);
	s->stats->ticks++;
	s->cpu_stats[rq->cpu].ticks++;
	update_rq_clock(s, rq);
	age_hw_pressure(s, rq);
	if (curr != NONE) {
		s->stats->events++;
		trace(s, TR_sched_tick, rq->cpu, curr, rq->nr_running, 0);
		if (rq->nr_other ? task_tick_classes(s, rq, curr) : task_tick_fair(s, rq, curr))
			resched_curr(s, rq);
	}

	const struct balance_ops *b = s->policy[SLOT_BALANCE]->ops;

	if (b->tick)
		b->tick(s, rq->cpu);
}

void task_kill(struct sim *s, task_id p)
{
	struct task *t = &s->tasks[p];
	struct rq *rq = &s->rqs[t->cpu];

	if (t->state == TASK_DEAD)
		return;
	workload_cancel(s, p);
	if (t->state == TASK_NEW) {
		t->state = TASK_DEAD;
		task_release(s, p);
		return;
	}
	t->state = TASK_DEAD;
	if (rq->curr == p) {
		resched_curr(s, rq);
		return;
	}
	if (t->on_rq) {
		update_rq_clock(s, rq);
		dequeue_task(s, rq, p,
			     DEQUEUE_SLEEP | DEQUEUE_SPECIAL |
				     (s->task_se[p].sched_delayed ? DEQUEUE_DELAYED : 0));
	}
	task_release(s, p);
}

void set_cpus_allowed(struct sim *s, task_id p, mask_id mask)
{
	struct task *t = &s->tasks[p];
	struct rq *rq = &s->rqs[t->cpu];

	if (mask == t->cpus) {
		mask_put(s, mask);
		return;
	}
	mask_put(s, t->cpus);
	t->cpus = mask;
	t->nr_cpus_allowed = s->masks[mask].weight;
	starved_touch(s, t->cpu);
	t->flags &= ~(PF_PINNED_PENDING | PF_PUSH);
	if (mask_has_cpu(s, mask, t->cpu) || t->state == TASK_NEW)
		return;
	if (rq->curr == p) {
		t->flags |= PF_PINNED_PENDING;
		resched_curr(s, rq);
		return;
	}
	if (!t->on_rq)
		return; /* looked at when it wakes */

	cpu_id cpu = select_task_rq(s, p, t->cpu, t->cpu, 0);

	update_rq_clock(s, rq);
	update_rq_clock(s, &s->rqs[cpu]);
	move_queued_task(s, p, cpu, 3);
}

/* Take a task off its queue while something about it changes; the pair brackets the change. */
struct off_queue {
	bool queued, running;
};

static struct off_queue take_off(struct sim *s, task_id p)
{
	struct task *t = &s->tasks[p];
	struct rq *rq = &s->rqs[t->cpu];
	struct off_queue o = { .queued = t->on_rq, .running = rq->curr == p };

	update_rq_clock(s, rq);
	if (o.queued)
		dequeue_task(s, rq, p, DEQUEUE_SAVE);
	if (o.running)
		put_prev_task(s, rq, p);
	return o;
}

static void put_back(struct sim *s, task_id p, struct off_queue o)
{
	struct rq *rq = &s->rqs[s->tasks[p].cpu];

	if (o.queued) {
		enqueue_task(s, rq, p, ENQUEUE_RESTORE);
		/* Out of a throttled group it finds an idle CPU, which nobody else would tell. */
		if (rq->curr == NONE && rq->nr_running)
			resched_curr(s, rq);
	}
	if (o.running) {
		set_next_task(s, rq, p);
		if (rq->fs_active)
			fair_server_follow(s, rq);
		resched_curr(s, rq);
	}
}

/* Between the classes of a task's old and new policy: __sched_setscheduler(). */
static void change_class(struct sim *s, task_id p, u8 policy, s8 nice, u8 rt_priority,
			 const struct dl_params *dl)
{
	struct task *t = &s->tasks[p];
	struct rq *rq = &s->rqs[t->cpu];
	struct sched_entity *se = &s->task_se[p];
	bool fair = policy_is_fair(policy), was_fair = task_is_fair(s, p);

	update_rq_clock(s, rq);
	/* A delayed task sleeps: other classes know no such thing. */
	if (se->sched_delayed)
		dequeue_task_fair(s, rq, p, DEQUEUE_SLEEP | DEQUEUE_DELAYED);

	struct off_queue o = take_off(s, p);

	if (was_fair && !fair && se->avg.last_update_time) {
		/* switched_from_fair(): averages stay as they are until it comes back. */
		detach_entity_cfs_rq(s, p);
		se->avg.last_update_time = 0;
	}
	if (t->policy == SCHED_DEADLINE)
		dl_leave(s, p);
	t->policy = policy;
	t->nice = nice;
	t->rt_priority = rt_priority;
	if (policy == SCHED_DEADLINE)
		dl_set_params(s, p, dl);
	se->idle = policy == SCHED_IDLE;
	if (!was_fair && fair) {
		set_load_weight(se, nice, se->idle);
		if (s->pick->fork)
			s->pick->fork(s, cfs_rq_of(s, p), p);
		if (t->state != TASK_NEW)
			attach_entity_cfs_rq(s, p);
	}
	put_back(s, p, o);
	if (o.queued && !o.running && t->on_rq)
		wakeup_preempt(s, rq, p, 0);
}

void task_set_sched(struct sim *s, task_id p, u8 policy, s8 nice, u8 rt_priority)
{
	struct task *t = &s->tasks[p];
	struct rq *rq = &s->rqs[t->cpu];
	bool idle = policy == SCHED_IDLE, was_idle = s->task_se[p].idle;
	s8 was_nice = t->nice;

	if (policy == SCHED_DEADLINE) {
		/* Only its nice value changes, which has no meaning for now. */
		t->nice = nice;
		return;
	}
	if (!policy_is_fair(policy) || !task_is_fair(s, p)) {
		if (policy == t->policy && rt_priority == t->rt_priority)
			t->nice = nice;
		else
			change_class(s, p, policy, nice, rt_priority, NULL);
		return;
	}
	if (t->on_rq)
		update_rq_clock(s, rq);
	if (idle != was_idle && t->on_rq) {
		u32 one = idle ? 1u : ~0u;

		for (se_id id = p; id != NONE; id = parent_se(s, id)) {
			struct cfs_rq *q = cfs_rq_of(s, id);

			q->h_nr_idle += one;
			if (cfs_rq_throttled(q) || cfs_rq_is_idle(s, q))
				break;
		}
	}
	t->policy = policy;
	t->nice = nice;
	t->rt_priority = rt_priority;
	if (nice != was_nice || idle != was_idle)
		reweight_task(s, p, nice, idle);
	s->task_se[p].idle = idle;
	if (t->on_rq && rq->curr != NONE && rq->curr != p)
		wakeup_preempt(s, rq, p, 0);
	else if (rq->curr == p && rq->nr_running > 1)
		resched_curr(s, rq);
}

void task_set_deadline(struct sim *s, task_id p, const struct dl_params *dl)
{
	struct err err;

	if (dl_may_join(s, p, dl, &err)) {
		s->stats->dl_refused++;
		trace(s, TR_dl_refused, s->tasks[p].cpu, p, dl->runtime, dl->period);
		return;
	}
	change_class(s, p, SCHED_DEADLINE, s->tasks[p].nice, 0, dl);
}

void task_push(struct sim *s, task_id p, cpu_id cpu)
{
	struct task *t = &s->tasks[p];
	struct rq *rq = &s->rqs[t->cpu];

	if (t->cpu == cpu || t->state == TASK_NEW || t->state == TASK_DEAD ||
	    !cpu_allowed(s, t, cpu))
		return;
	if (rq->curr == p) {
		/* On its way to sleep: it is placed anew when it wakes, from a timer of this CPU. */
		if (t->state != TASK_RUNNING)
			return;
		t->wake_cpu = cpu;
		t->flags |= PF_PUSH | PF_PINNED_PENDING;
		resched_curr(s, rq);
	} else if (t->on_rq) {
		update_rq_clock(s, rq);
		update_rq_clock(s, &s->rqs[cpu]);
		move_queued_task(s, p, cpu, 3);
	} else {
		migrate_task_rq(s, p, cpu);
		set_task_cpu(s, p, cpu, 3);
	}
}

void task_set_slice(struct sim *s, task_id p, u64 slice)
{
	struct sched_entity *se = &s->task_se[p];
	struct off_queue o = take_off(s, p);

	se->custom_slice = slice != 0;
	if (slice)
		se->slice = slice;
	put_back(s, p, o);
}

void sched_move_task(struct sim *s, task_id p, u32 tg)
{
	struct task *t = &s->tasks[p];

	if (t->tg == tg)
		return;
	s->groups[t->tg].nr_tasks--;
	s->groups[tg].nr_tasks++;
	if (t->state == TASK_NEW) {
		t->tg = tg;
		set_task_rq(s, p, t->cpu);
		uclamp_restrict(s, p);
		cpuset_task(s, p);
		return;
	}

	struct off_queue o = take_off(s, p);

	if (s->task_se[p].avg.last_update_time)
		detach_entity_cfs_rq(s, p);
	s->task_se[p].avg.last_update_time = 0;
	t->tg = tg;
	set_task_rq(s, p, t->cpu);
	if (task_is_fair(s, p))
		attach_entity_cfs_rq(s, p);
	uclamp_restrict(s, p);
	put_back(s, p, o);
	cpuset_task(s, p);
}
