/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * class.h - scheduling classes: which of them a task is in, and the core's way to it.
 *
 * Pick order: stop, deadline, real-time, fair, idle. The stopper is no task here but work that
 * schedule() does before it picks (core.c); idle is "no task". Fair tasks, nearly all there are, are called
 * directly; the others through a table, as struct sched_class of kernel/sched/sched.h, Linux v6.12.
 * Clocks must be up to date before each call, unless it says otherwise.
 */
#ifndef SG_ENGINE_SCHED_CLASS_H
#define SG_ENGINE_SCHED_CLASS_H

#include "engine/access.h"
#include "engine/sched/fair.h"
#include "engine/sched/fair_server.h"

enum task_class { CLASS_FAIR, CLASS_RT, CLASS_DL, NR_TASK_CLASSES };
extern const char *const task_class_names[NR_TASK_CLASSES];

struct class_ops {
	void (*enqueue)(struct sim *s, struct rq *rq, task_id p, u32 flags);
	void (*dequeue)(struct sim *s, struct rq *rq, task_id p, u32 flags);
	/* The task of the class that should run, NONE. */
	task_id (*pick)(struct sim *s, struct rq *rq);
	void (*put_prev)(struct sim *s, struct rq *rq, task_id p);
	void (*set_next)(struct sim *s, struct rq *rq, task_id p);
	bool (*tick)(struct sim *s, struct rq *rq, task_id p); /* true = reschedule */
	/* @p was queued while @curr of the same class runs; true = reschedule. */
	bool (*preempt)(struct sim *s, struct rq *rq, task_id curr, task_id p);
	void (*yield)(struct sim *s, struct rq *rq, task_id p);
	/* @p, asleep, is about to wake on another CPU. */
	void (*migrate)(struct sim *s, task_id p, cpu_id cpu);
};
extern const struct class_ops rt_class, dl_class;

static inline bool policy_is_fair(u8 policy)
{
	return !((1u << SCHED_FIFO | 1u << SCHED_RR | 1u << SCHED_DEADLINE) >> policy & 1);
}

static inline bool task_is_fair(const struct sim *s, task_id p)
{
	return policy_is_fair(s->tasks[p].policy);
}

static inline enum task_class class_of(const struct sim *s, task_id p)
{
	u8 policy = s->tasks[p].policy;

	return policy_is_fair(policy) ? CLASS_FAIR : policy == SCHED_DEADLINE ? CLASS_DL : CLASS_RT;
}

/* The table of @p, which must not be a fair task. */
static inline const struct class_ops *class_ops_of(const struct sim *s, task_id p)
{
	return s->tasks[p].policy == SCHED_DEADLINE ? &dl_class : &rt_class;
}

/* Lower clamp of a real-time task before its group's: a default unless it was given clamps of its own. */
static inline u32 rt_uclamp_min(const struct sim *s, const struct task *t)
{
	return !t->uclamp_req[0] && t->uclamp_req[1] == SCHED_CAPACITY_SCALE
		       ? (u32)s->g->tun.uclamp_min_rt_default
		       : t->uclamp_min;
}

static inline void enqueue_task(struct sim *s, struct rq *rq, task_id p, u32 flags)
{
	if (!task_is_fair(s, p)) {
		class_ops_of(s, p)->enqueue(s, rq, p, flags);
		return;
	}
	enqueue_task_fair(s, rq, p, flags);
	/* Not for a task whose group has no run time: it waits for its release. */
	if (rq->nr_other && !s->cfs_rqs[s->task_se[p].cfs_rq].throttle_count)
		fair_server_enqueue(s, rq, root_cfs(s, rq->cpu)->h_nr_queued - 1);
}

/* dequeue_task - false: a fair task that goes to sleep stays queued as delayed. */
static inline bool dequeue_task(struct sim *s, struct rq *rq, task_id p, u32 flags)
{
	if (task_is_fair(s, p))
		return dequeue_task_fair(s, rq, p, flags);
	class_ops_of(s, p)->dequeue(s, rq, p, flags);
	return true;
}

void put_prev_task_classes(struct sim *s, struct rq *rq, task_id p);
void set_next_task_classes(struct sim *s, struct rq *rq, task_id p);

static inline void put_prev_task(struct sim *s, struct rq *rq, task_id p)
{
	if (task_is_fair(s, p))
		put_prev_task_fair(s, rq, p);
	else
		put_prev_task_classes(s, rq, p);
}

static inline void set_next_task(struct sim *s, struct rq *rq, task_id p)
{
	if (task_is_fair(s, p))
		set_next_task_fair(s, rq, p);
	else
		set_next_task_classes(s, rq, p);
}

/* yield_task - the running task @p lets others of its class go first. */
static inline void yield_task(struct sim *s, struct rq *rq, task_id p)
{
	if (task_is_fair(s, p))
		yield_task_fair(s, rq, p);
	else
		class_ops_of(s, p)->yield(s, rq, p);
}

/* class.c */

/* pick_task_classes - as pick_task_fair() on a CPU where another class has something queued. */
task_id pick_task_classes(struct sim *s, struct rq *rq);

static inline task_id pick_task(struct sim *s, struct rq *rq)
{
	return rq->nr_other ? pick_task_classes(s, rq) : pick_task_fair(s, rq);
}

/* wakeup_preempt_classes - @p was queued while @curr runs, perhaps both fair; true = reschedule. */
bool wakeup_preempt_classes(struct sim *s, struct rq *rq, task_id curr, task_id p, u32 flags);

/* select_task_rq_classes - CPU for @p, which is not fair; may be one it is not allowed on. */
cpu_id select_task_rq_classes(struct sim *s, task_id p, cpu_id prev, cpu_id this_cpu, u32 flags);

/* class_can_leave - is there a CPU whose work is less urgent than @p? */
bool class_can_leave(const struct sim *s, task_id p, cpu_id this_cpu);

/* push_tasks - queued tasks above the fair class that do not run here go where they can. */
void push_tasks(struct sim *s, struct rq *rq);
/* pull_task - the CPU lost its most urgent task: take one that waits elsewhere. */
void pull_task(struct sim *s, struct rq *rq);

/* switch_classes - @prev and @next, either may be NONE, on a CPU with rq.nr_other. */
void switch_classes(struct sim *s, struct rq *rq, task_id prev, task_id next);

/* task_tick_classes - the same for a tick on the running task @p; true = reschedule. */
bool task_tick_classes(struct sim *s, struct rq *rq, task_id p);

/* class_queued - rq.rt_nr or dl_nr has changed by @n; the clock is current. */
void class_queued(struct sim *s, struct rq *rq, s32 n);

/* class_list_del - @p leaves the list of its class. */
void class_list_del(struct sim *s, u32 *head, u32 *tail, task_id p);
/* class_list_add - @p enters behind @after; NONE: at the head. */
void class_list_add(struct sim *s, u32 *head, u32 *tail, task_id after, task_id p);

/* charge_exec - ns that the running task @p has run since it was last accounted. */
s64 charge_exec(struct sim *s, struct rq *rq, task_id p);

/* class_timer - the CPU's timer of deadline budgets and the fair server has fired. */
void class_timer(struct sim *s, struct rq *rq);
/* class_timer_arm - set it to the earliest of both. */
void class_timer_arm(struct sim *s, struct rq *rq);

/* rt.c */
void rt_period_timer(struct sim *s);
/* rt_tunables_changed - budgets of all CPUs as the tunables have them, nobody throttled. */
void rt_tunables_changed(struct sim *s);
/* rt_rq_online - @rq's CPU comes or goes: its throttle begins anew, what was lent is forgotten. */
void rt_rq_online(struct sim *s, struct rq *rq);
/* rt_charge_time - count @ns of time above the fair class against the throttle of @rq. */
void rt_charge_time(struct sim *s, struct rq *rq, u64 ns);
static inline bool rt_throttle_on(const struct sim *s)
{
	const struct tunables *t = &s->g->tun;

	return t->rt_throttle && t->rt_runtime_us < t->rt_period_us;
}

#endif
