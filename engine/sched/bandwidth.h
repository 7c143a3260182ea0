/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bandwidth.h - cpu.max: a group's run time per period, and what happens when it is used up.
 *
 * Follows kernel/sched/fair.c of v6.12: struct cfs_bandwidth and the functions around it. A group
 * with a quota has a pool of run time that is filled once per period; each of its queues takes a
 * slice of it (tunables.bandwidth_slice) when it has none left. A queue that gets nothing is
 * throttled: its entity leaves the parent's queue with all that stands below, and the clocks of
 * their averages stop, until a refill or run time that another queue gave back.
 */
#ifndef SG_ENGINE_SCHED_BANDWIDTH_H
#define SG_ENGINE_SCHED_BANDWIDTH_H

#include "engine/access.h"

#define BANDWIDTH_PERIOD_MIN NSEC_PER_MSEC
#define BANDWIDTH_PERIOD_MAX NSEC_PER_SEC
#define BANDWIDTH_QUOTA_MAX (3600 * NSEC_PER_SEC) /* ours: more than 1024 CPUs can use */
#define BANDWIDTH_PERIOD_DEFAULT (100 * NSEC_PER_MSEC)

/* tg_bandwidth_init - a new group @tg has no quota. */
void tg_bandwidth_init(struct task_group *tg);

/*
 * tg_set_bandwidth - at most @quota ns in every @period ns, RUNTIME_INF = no limit, and up to @burst
 * ns more that earlier periods left over. What is throttled runs again, and everyone asks anew. -1 for
 * the root or values outside: period 1 ms .. 1 s, quota 1 ms or more, burst up to the quota.
 */
int tg_set_bandwidth(struct sim *s, u32 tg, u64 quota, u64 period, u64 burst);

/* bandwidth_timer - the event of a group: the period's end, or with @slack run time given back. */
void bandwidth_timer(struct sim *s, u32 tg, bool slack);

/*
 * bandwidth_rq_online - @rq's CPU comes back, or is about to go: unthrottle_offline_cfs_rqs(), nothing
 * there is held back any more.
 */
void bandwidth_rq_online(struct sim *s, struct rq *rq, bool online);

/* sync_throttle - a new queue below one whose clock stands starts out the same. */
void sync_throttle(struct sim *s, struct cfs_rq *q);

/* cfs_rq_throttled - is this queue itself off its parent's for want of run time? */
static inline bool cfs_rq_throttled(const struct cfs_rq *q)
{
	return q->throttled;
}

/* throttled_hierarchy - is it, or one above it? Then none of its tasks can run. */
static inline bool throttled_hierarchy(const struct cfs_rq *q)
{
	return q->throttle_count;
}

/* throttled_lb_pair - the balancer leaves @tg alone where either of its queues cannot run. */
static inline bool throttled_lb_pair(const struct sim *s, u32 tg, cpu_id src, cpu_id dst)
{
	return throttled_hierarchy(tg_cfs(s, tg, src)) || throttled_hierarchy(tg_cfs(s, tg, dst));
}

/* The parts of the following that are not on the way of queues without a quota. */
void __account_cfs_rq_runtime(struct sim *s, struct cfs_rq *q, u64 delta);
bool __check_cfs_rq_runtime(struct sim *s, struct cfs_rq *q);
void __return_cfs_rq_runtime(struct sim *s, struct cfs_rq *q);
void __check_enqueue_throttle(struct sim *s, struct cfs_rq *q);

/* account_cfs_rq_runtime - @q ran for @delta ns: it asks for more run time, or for a reschedule. */
static inline void account_cfs_rq_runtime(struct sim *s, struct cfs_rq *q, u64 delta)
{
	if (__builtin_expect(q->runtime_enabled, 0))
		__account_cfs_rq_runtime(s, q, delta);
}

/* check_cfs_rq_runtime - throttle @q if it has no run time left; true = it is throttled. */
static inline bool check_cfs_rq_runtime(struct sim *s, struct cfs_rq *q)
{
	return __builtin_expect(q->runtime_enabled, 0) && __check_cfs_rq_runtime(s, q);
}

/* return_cfs_rq_runtime - @q ran empty: what it has left goes back, but for 1 ms. */
static inline void return_cfs_rq_runtime(struct sim *s, struct cfs_rq *q)
{
	if (__builtin_expect(q->runtime_enabled, 0) && !q->nr_queued)
		__return_cfs_rq_runtime(s, q);
}

/* check_enqueue_throttle - @q just got its first entity and does not run: is there run time? */
static inline void check_enqueue_throttle(struct sim *s, struct cfs_rq *q)
{
	if (__builtin_expect(q->runtime_enabled, 0))
		__check_enqueue_throttle(s, q);
}

#endif
