/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair_server.c - a deadline server that keeps real-time tasks from starving fair ones.
 *
 * Follows dl_server_start(), dl_server_timer() and update_curr_dl_se() of kernel/sched/deadline.c for
 * the deferred fair server of Linux v6.12: 50 ms in 1 s. Fair tasks that get their 50 ms otherwise
 * push it back; if they get less, the server enters the deadline queue at the last moment that leaves
 * them the rest (zero laxity), and from then on at the start of each period until they find time
 * without it. Simplified: it is at rest while no real-time or deadline task is queued on the CPU; the
 * kernel's runs on, but every 50 ms of fair time begin a new period there, so that the last moment
 * after such a task arrives is the same to a tick.
 */
#include "engine/sched/fair_server.h"

#include "engine/observe/emit.h"
#include "engine/sched/class.h"
#include "engine/sched/core.h"

static u64 fs_runtime(const struct sim *s)
{
	const struct tunables *t = &s->g->tun;

	return min_u64(t->fair_server_runtime_us, t->fair_server_period_us) * NSEC_PER_USEC;
}

static u64 fs_period(const struct sim *s)
{
	return s->g->tun.fair_server_period_us * NSEC_PER_USEC;
}

static bool fs_has_tasks(const struct sim *s, const struct rq *rq)
{
	return root_cfs(s, rq->cpu)->h_nr_queued != 0;
}

/* Would what is left, used until the deadline, be more than its share? */
static bool fs_overflow(const struct sim *s, const struct rq *rq)
{
	return (s128)fs_period(s) * rq->fs_left >
	       (s128)(s64)(rq->fs_abs - rq->clock) * (s64)fs_runtime(s);
}

static void fs_set_timer(struct sim *s, struct rq *rq, ktime_ns at)
{
	rq->fs_timer = at;
	class_timer_arm(s, rq);
}

static void fs_set_queued(struct sim *s, struct rq *rq, bool on)
{
	if (on == ((rq->fs_state & FS_QUEUED) != 0))
		return;
	rq->fs_state ^= FS_QUEUED;
	trace(s, TR_fair_server, rq->cpu, NONE, trace_pair(rq->fs_state, 0), (u64)rq->fs_left);
	if (on && (rq->curr == NONE || class_of(s, rq->curr) != CLASS_DL ||
		   rq->fs_abs < s->tasks[rq->curr].dl_abs))
		resched_curr(s, rq);
}

static void fs_new_period(struct sim *s, struct rq *rq)
{
	rq->fs_abs = rq->clock + fs_period(s);
	rq->fs_left = (s64)fs_runtime(s);
	rq->fs_state &= ~FS_SPENT;
	if (!(rq->fs_state & FS_RUNNING))
		rq->fs_state |= FS_ARMED;
}

/* enqueue_dl_entity(): wait for the timer if there is time, else compete. */
static void fs_enqueue(struct sim *s, struct rq *rq)
{
	u64 at = rq->fs_state & FS_ARMED ? rq->fs_abs - (u64)rq->fs_left : rq->fs_abs;

	if ((rq->fs_state & (FS_ARMED | FS_SPENT)) && at > rq->clock) {
		fs_set_timer(s, rq, at);
		return;
	}
	rq->fs_state &= ~(FS_ARMED | FS_SPENT);
	fs_set_timer(s, rq, NEVER);
	fs_set_queued(s, rq, true);
}

void fair_server_start(struct sim *s, struct rq *rq)
{
	if (rq->fs_active || !fs_runtime(s) || !fs_has_tasks(s, rq) || !(rq->rt_nr + rq->dl_nr))
		return;
	rq->fs_active = 1;
	rq->nr_other++;
	fair_server_follow(s, rq);
	if (rq->fs_abs <= rq->clock || fs_overflow(s, rq))
		fs_new_period(s, rq);
	else if (!(rq->fs_state & FS_RUNNING))
		rq->fs_state |= FS_ARMED;
	fs_enqueue(s, rq);
}

void fair_server_stop(struct sim *s, struct rq *rq)
{
	if (!rq->fs_active)
		return;
	fs_set_queued(s, rq, false);
	rq->fs_active = 0;
	rq->nr_other--;
	rq->fs_state &= ~FS_ARMED;
	fs_set_timer(s, rq, NEVER);
}

void fair_server_enqueue(struct sim *s, struct rq *rq, u32 before)
{
	/* The first fair task: the kernel's server was stopped when the last one left. */
	if (!before)
		fair_server_stop(s, rq);
	fair_server_start(s, rq);
}

/* Run time of the current task as of the CPU's clock. */
static u64 exec_of_curr(const struct sim *s, const struct rq *rq)
{
	const struct sched_entity *se = &s->task_se[rq->curr];

	return se->sum_exec_runtime + (rq->clock_task - se->exec_start);
}

void fair_server_follow(struct sim *s, struct rq *rq)
{
	if (rq->curr != NONE && task_is_fair(s, rq->curr))
		rq->fs_exec = exec_of_curr(s, rq);
}

void fair_server_charge(struct sim *s, struct rq *rq)
{
	u64 now;

	if (!rq->fs_active || rq->curr == NONE || !task_is_fair(s, rq->curr))
		return;
	now = exec_of_curr(s, rq);
	rq->fs_left -= (s64)(now - rq->fs_exec);
	rq->fs_exec = now;
	if (rq->fs_left > 0)
		return;
	if (rq->fs_state & FS_QUEUED) {
		fs_set_queued(s, rq, false);
		if (rq->fs_abs <= rq->clock)
			fs_new_period(s, rq);
		rq->fs_state |= FS_SPENT;
		fs_set_timer(s, rq, rq->fs_abs);
		resched_curr(s, rq);
		return;
	}
	/* They found their time without it: nobody starves, from the beginning. */
	rq->fs_state &= ~FS_RUNNING;
	fs_new_period(s, rq);
	fs_enqueue(s, rq);
}

void fair_server_timer(struct sim *s, struct rq *rq)
{
	rq->fs_timer = NEVER;
	if (!fs_has_tasks(s, rq) || !(rq->rt_nr + rq->dl_nr)) {
		fair_server_stop(s, rq);
		return;
	}
	if (rq->fs_state & FS_ARMED) {
		/* What they got meanwhile moves the last moment back. */
		if (rq->clock + NSEC_PER_USEC < rq->fs_abs - (u64)rq->fs_left) {
			fs_set_timer(s, rq, rq->fs_abs - (u64)rq->fs_left);
			return;
		}
		rq->fs_state |= FS_RUNNING;
		if (fs_overflow(s, rq)) {
			rq->fs_abs = rq->clock + fs_period(s);
			rq->fs_left = (s64)fs_runtime(s);
		}
	}
	for (u64 runtime = fs_runtime(s); rq->fs_left <= 0;) {
		u64 n = (u64)-rq->fs_left / runtime + 1;

		rq->fs_left += (s64)(n * runtime);
		rq->fs_abs += n * fs_period(s);
	}
	if (rq->fs_abs < rq->clock) {
		rq->fs_abs = rq->clock + fs_period(s);
		rq->fs_left = (s64)fs_runtime(s);
	}
	rq->fs_state &= ~(FS_ARMED | FS_SPENT);
	fs_set_queued(s, rq, true);
}
