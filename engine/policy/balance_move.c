/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance_move.c - which tasks a balancing pass may take, and taking them.
 *
 * Follows can_migrate_task(), detach_tasks() and need_active_balance() of kernel/sched/fair.c, Linux
 * v6.12; other releases where lb_form() says so. Tasks are moved one by one instead of being detached
 * all first: the same result, as no time passes in between.
 */
#include "engine/policy/balance.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/capacity.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/place.h"
#include "engine/sched/util_est.h"

/* Did it run so recently that its data may still be in the cache of the source? */
static bool task_hot(const struct lb_env *env, task_id p)
{
	const struct sim *s = env->s;
	const struct sched_entity *se = &s->task_se[p];
	const struct cfs_rq *q = &s->cfs_rqs[se->cfs_rq];
	s64 delta;

	if (se->idle)
		return false;
	if ((s->domains[env->sd].flags & SD_SHARE_CPUCAPACITY) && !lb_form(s)->smt_hot)
		return false;
	if (sched_feat(s, CACHE_HOT_BUDDY) && s->rqs[env->dst].nr_running &&
	    (q->next == p || q->last == p))
		return true;
	delta = (s64)(rq_clock_task(&s->rqs[env->src]) - se->exec_start);
	return delta < (s64)s->g->tun.migration_cost;
}

/* Another CPU of the destination group that the task may use: it can be pulled there. */
static void look_for_new_dst(struct lb_env *env, const struct task *t)
{
	const struct sim *s = env->s;
	u32 own = s->domains[env->sd].groups;

	env->some_pinned = true;
	if (env->idle == CPU_NEWLY_IDLE || env->dst_pinned || env->active)
		return;
	for_each_cpu_mask_and(i, sg_span(s, own), mask_get(s, t->cpus), s->g->mask_words)
	{
		if (!cpumask_test(env->cpus, i))
			continue;
		env->dst_pinned = true;
		env->new_dst = i;
		return;
	}
}

static bool can_migrate(struct lb_env *env, task_id p)
{
	const struct sim *s = env->s;
	const struct task *t = &s->tasks[p];

	if (s->task_se[p].sched_delayed && env->kind != MIGRATE_LOAD)
		return false;
	if (throttled_lb_pair(s, t->tg, env->src, env->dst))
		return false;
	if (t->nr_cpus_allowed == 1 && (t->flags & PF_KTHREAD) && lb_form(s)->kthreads_stay)
		return false;
	if (!cpu_allowed(s, t, env->dst)) {
		look_for_new_dst(env, t);
		return false;
	}
	env->all_pinned = false;
	if (s->rqs[env->src].curr == p)
		return false;
	if (env->active && !lb_form(s)->active_any)
		return true;
	return !task_hot(env, p) ||
	       s->domains[env->sd].nr_balance_failed > s->domains[env->sd].cache_nice_tries;
}

/* v5.4: no more than half a task beyond the imbalance. */
static bool take_load(struct lb_env *env, task_id p)
{
	struct sim *s = env->s;
	u64 load = task_h_load(s, p);

	if (sched_feat(s, LB_MIN) && load < 16 && !s->domains[env->sd].nr_balance_failed)
		return false;
	if ((s64)(load / 2) > env->imbalance)
		return false;
	env->imbalance -= (s64)max_u64(load, 1);
	return true;
}

/* Its part of the imbalance; false: too large, leave it. */
static bool take_share(struct lb_env *env, task_id p)
{
	struct sim *s = env->s;
	u32 failed = s->domains[env->sd].nr_balance_failed;
	u32 shift = failed < 63 ? failed : 63;
	u64 part = 0;

	if (lb_form(s)->load_based)
		return take_load(env, p);

	switch (env->kind) {
	case MIGRATE_LOAD:
		part = max_u64(task_h_load(s, p), 1);
		if (sched_feat(s, LB_MIN) && part < 16 && !failed)
			return false;
		break;
	case MIGRATE_UTIL:
		part = task_util_est(s, p);
		if (!lb_form(s)->util_shift)
			shift = 0;
		break;
	case MIGRATE_TASK:
		env->imbalance--;
		return true;
	case MIGRATE_MISFIT:
		if (task_fits_cpu(s, p, env->src))
			return false;
		env->imbalance = 0;
		return true;
	}
	if ((s64)(part >> shift) > env->imbalance)
		return false;
	env->imbalance -= (s64)part;
	return true;
}

/* Skipped ones go to the head of the list, so that the next look begins with others. */
static void skip_task(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];

	if (rq->cfs_tasks_head == p)
		return;
	s->tasks[t->list_prev].list_next = t->list_next;
	if (t->list_next != NONE)
		s->tasks[t->list_next].list_prev = t->list_prev;
	else
		rq->cfs_tasks_tail = t->list_prev;
	t->list_prev = NONE;
	t->list_next = rq->cfs_tasks_head;
	s->tasks[rq->cfs_tasks_head].list_prev = p;
	rq->cfs_tasks_head = p;
}

u32 balance_detach(struct lb_env *env)
{
	struct sim *s = env->s;
	struct rq *src = &s->rqs[env->src];
	u32 moved = 0;

	if (env->imbalance <= 0)
		return 0;
	u32 all = src->nr_running;
	bool go_on = lb_form(s)->pinned_go_on;

	for (u32 loop = 0; src->cfs_tasks_tail != NONE; loop++) {
		task_id p = src->cfs_tasks_tail;

		if (loop >= env->loop_max && !(go_on && env->all_pinned && loop < all))
			break;

		if (env->idle != CPU_NOT_IDLE && src->nr_running <= 1)
			break;
		if (!can_migrate(env, p) || !take_share(env, p)) {
			skip_task(s, src, p);
			continue;
		}
		move_queued_task(s, p, env->dst, env->reason);
		moved++;
		/* A preemptible kernel does not keep a CPU that just ran out of work waiting. */
		if (env->idle == CPU_NEWLY_IDLE || env->imbalance <= 0)
			break;
	}
	return moved;
}

void balance_stop(struct sim *s, cpu_id src, cpu_id dst)
{
	u32 sd = s->cpu_sd[dst].sd;

	while (sd != NONE && !cpumask_test(sd_span(s, sd), src))
		sd = s->domains[sd].parent;
	if (sd == NONE)
		return;

	struct lb_env env = { .s = s,
			      .sd = sd,
			      .dst = dst,
			      .src = src,
			      .idle = CPU_IS_IDLE,
			      .new_dst = NONE,
			      .reason = 5,
			      .active = true };

	update_rq_clock(s, &s->rqs[dst]);
	for (task_id p = s->rqs[src].cfs_tasks_tail; p != NONE; p = s->tasks[p].list_prev) {
		if (!can_migrate(&env, p))
			continue;
		move_queued_task(s, p, dst, env.reason);
		s->domains[sd].nr_balance_failed = 0;
		return;
	}
}

bool voluntary_active_balance(const struct lb_env *env)
{
	const struct sim *s = env->s;
	const struct sched_domain *d = &s->domains[env->sd];

	if (moves_misfit(env))
		return true;
	if (env->idle != CPU_NOT_IDLE && sched_asym(s, env->sd, env->dst, env->src))
		return true;
	return env->idle != CPU_NOT_IDLE && root_cfs(s, env->src)->h_nr_runnable == 1 &&
	       reduced_capacity(s, env->src, env->sd) &&
	       capacity_of(s, env->src) * d->imbalance_pct < capacity_of(s, env->dst) * 100;
}

bool need_active_balance(const struct lb_env *env)
{
	const struct sim *s = env->s;
	const struct sched_domain *d = &s->domains[env->sd];

	if (voluntary_active_balance(env))
		return true;
	if (env->kind != MIGRATE_TASK && !lb_form(s)->active_any)
		return false;
	return d->nr_balance_failed > d->cache_nice_tries + 2;
}
