/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair_ops.c - steps of the vectors golden/fair on the functions the simulator itself uses.
 *
 * A world is a struct sim of one CPU put together by hand: pools are plain arrays, no events. Every
 * step goes through sched/fair.h, so that the vectors prove the real path and not a copy of it.
 * V and eligibility are computed anew from the entities, by definition rather than from the
 * policy's sums.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "engine/policy/policy.h"
#include "engine/sched/clock.h"
#include "engine/sched/fair.h"
#include "engine/sched/features.h"
#include "engine/sched/group.h"
#include "engine/sched/load.h"
#include "engine/sched/load_avg.h"
#include "tests/vectors/vectors.h"

extern const struct sched_policy pick_eevdf, pick_cfs, governor_performance;

#define FAIR_TASKS 26

enum fair_kind { FAIR_EEVDF, FAIR_CFS };

struct fair_world {
	struct sim sim;
	struct globals g;
	struct rq rq;
	struct cfs_rq cfs;
	struct cpu_topo topo;
	struct task_group group;
	struct sched_entity group_se;
	struct sim_stats stats;
	u64 resched[1];
	struct task tasks[FAIR_TASKS];
	struct sched_entity se[FAIR_TASKS];
	struct task_stats task_stats[FAIR_TASKS];
	char names[FAIR_TASKS][16];
	u32 nr;
	enum fair_kind kind;
};

static void fair_tunables(struct fair_world *w)
{
	struct tunables *t = &w->g.tun;

	t->hz = 250;
	t->sched_latency = 6000000;
	t->min_granularity = 750000;
	t->idle_min_granularity = 750000;
	t->wakeup_granularity = 1000000;
	t->base_slice = 700000;
	t->features = sched_feat_default & ~FEAT_BIT(UTIL_EST);
	/* v6.1 accounts on a change of weight only if it is the running task's. */
	if (w->kind == FAIR_CFS)
		t->features &= ~FEAT_BIT(REWEIGHT_LAG);
}

static void fair_reset(struct fair_world *w, u32 ncpu, u64 v0)
{
	enum fair_kind kind = w->kind;

	memset(w, 0, sizeof(*w));
	w->kind = kind;
	w->sim.g = &w->g;
	w->sim.rqs = &w->rq;
	w->sim.cfs_rqs = &w->cfs;
	w->sim.topo = &w->topo;
	w->sim.groups = &w->group;
	w->sim.group_se = &w->group_se;
	w->sim.stats = &w->stats;
	w->sim.resched = w->resched;
	w->sim.tasks = w->tasks;
	w->sim.task_se = w->se;
	w->sim.task_stats = w->task_stats;
	w->sim.policy[SLOT_PICK] = kind == FAIR_EEVDF ? &pick_eevdf : &pick_cfs;
	w->sim.policy[SLOT_GOVERNOR] = &governor_performance;
	w->sim.pick = w->sim.policy[SLOT_PICK]->ops;
	w->g.nr_cpus = 1;
	w->g.nr_online = ncpu;
	fair_tunables(w);
	w->rq.curr = NONE;
	w->rq.cpu_capacity = w->rq.cpu_capacity_orig = 1024;
	w->rq.freq_scale = 1024;
	w->rq.cfs_tasks_head = w->rq.cfs_tasks_tail = NONE;
	w->rq.leaf_head = w->rq.leaf_tail = NONE;
	w->group.parent = NONE;
	cfs_rq_init(&w->cfs, 0, 0);
	w->cfs.min_vruntime = kind == FAIR_CFS ? 0 : v0;
	w->cfs.zero_vruntime = v0;
}

/* ---- the ops -------------------------------------------------------------------------------- */

static task_id fair_task(const struct vec *v)
{
	const struct fair_world *w = v->priv;
	const char *id = vec_str(v, "id", "");

	for (task_id p = 0; p < w->nr; p++)
		if (!strcmp(w->names[p], id))
			return p;
	return NONE;
}

static void fair_new(struct vec *v)
{
	struct fair_world *w = v->priv;
	const char *id = vec_str(v, "id", "");
	task_id p = w->nr;

	if (p == FAIR_TASKS || strlen(id) >= sizeof(w->names[0])) {
		vec_fail(v, "too many tasks, or a long name");
		return;
	}

	struct task *t = &w->tasks[p];
	struct sched_entity *se = &w->se[p];

	w->nr++;
	strcpy(w->names[p], id);
	t->id = p;
	t->nice = (s8)vec_num(v, "nice", 0);
	t->policy = (u8)vec_num(v, "policy", SCHED_NORMAL);
	t->list_prev = t->list_next = NONE;
	t->nr_cpus_allowed = 1;
	se->parent = se->my_q = NONE;
	se->idle = t->policy == SCHED_IDLE;
	set_load_weight(se, t->nice, se->idle);
	se->slice = vec_num(v, "slice", 0);
	se->custom_slice = se->slice != 0;
	init_entity_runnable_average(&w->sim, p);
}

static void fair_wake_test(struct fair_world *w, task_id p, u32 flags)
{
	if (w->rq.curr == NONE)
		w->rq.need_resched = 1;
	else if (check_preempt_wakeup_fair(&w->sim, &w->rq, w->rq.curr, p, flags))
		w->rq.need_resched = 1;
}

static void fair_schedule(struct fair_world *w)
{
	task_id prev = w->rq.curr;

	w->rq.need_resched = 0;

	task_id next = pick_task_fair(&w->sim, &w->rq);

	switch_fair(&w->sim, &w->rq, prev, next);
	w->rq.curr = next;
	/* The accounting of the switch itself is honoured by it. */
	w->rq.need_resched = 0;
}

/* ---- what the vectors show ------------------------------------------------------------------ */

static bool fair_queued(const struct fair_world *w, task_id p)
{
	return w->se[p].on_rq;
}

/* Sum of (v - v of the first) * weight and of weights over all queued. */
static u64 fair_sums(const struct fair_world *w, s128 *k, s64 *weight)
{
	u64 ref = 0;

	*k = 0;
	*weight = 0;
	for (task_id p = 0; p < w->nr; p++) {
		if (!fair_queued(w, p))
			continue;
		if (!*weight)
			ref = w->se[p].vruntime;
		*k += (s128)(s64)(w->se[p].vruntime - ref) * (s64)se_weight(&w->se[p]);
		*weight += (s64)se_weight(&w->se[p]);
	}
	return ref;
}

static u64 fair_average(const struct fair_world *w)
{
	s128 k;
	s64 weight;
	u64 ref = fair_sums(w, &k, &weight);
	s128 d = k / weight;

	if (d * weight > k)
		d--;
	return ref + (u64)(s64)d;
}

static bool fair_eligible(const struct fair_world *w, task_id p)
{
	s128 k;
	s64 weight;
	u64 ref = fair_sums(w, &k, &weight);

	return k >= (s128)(s64)(w->se[p].vruntime - ref) * weight;
}

static void fair_show_task(struct vec *v, task_id p)
{
	const struct fair_world *w = v->priv;
	const struct sched_entity *se = &w->se[p];
	const char *name = w->names[p];

	vec_is(v, name, "on_rq", se->on_rq);
	vec_is(v, name, "v", se->vruntime);
	if (w->kind == FAIR_CFS)
		return;
	vec_is(v, name, "d", se->deadline);
	vec_is(v, name, "delayed", se->sched_delayed);
	if (se->on_rq) {
		vec_is(v, name, "eligible", fair_eligible(w, p));
		if (w->rq.curr == p)
			vec_is(v, name, "protected", (u64)se->vlag == se->deadline);
		return;
	}
	vec_is(v, name, "lag", (u64)se->vlag);
	vec_is(v, name, "rel", se->rel_deadline);
}

static void fair_show(struct vec *v)
{
	const struct fair_world *w = v->priv;
	struct jv *out = v->out;

	vec_is_str(v, NULL, "curr", w->rq.curr == NONE ? "-" : w->names[w->rq.curr]);
	vec_is(v, NULL, "resched", w->rq.need_resched);
	vec_is(v, NULL, "nr", w->cfs.nr_queued);
	if (w->kind == FAIR_CFS)
		vec_is(v, NULL, "min_vruntime", w->cfs.min_vruntime);
	else if (w->cfs.nr_queued)
		vec_is(v, NULL, "avg", fair_average(w));
	v->out = jv_get(out, "tasks");
	for (task_id p = 0; p < w->nr; p++)
		fair_show_task(v, p);
	v->out = out;
}

/* ---- the table ------------------------------------------------------------------------------ */

static void op_reset(struct vec *v)
{
	struct fair_world *w = calloc(1, sizeof(*w));

	v->priv = w; /* freed at the end of the script */
	if (!w) {
		vec_fail(v, "no memory");
		return;
	}
	w->kind = v->v6_1 ? FAIR_CFS : FAIR_EEVDF;
	fair_reset(w, (u32)vec_num(v, "ncpu", 1), vec_num(v, "v0", 0));
	fair_show(v);
}

static void op_new(struct vec *v)
{
	if (!v->priv) {
		vec_fail(v, "the script does not begin with a reset");
		return;
	}
	fair_new(v);
	fair_show(v);
}

/* Every other step: the clock moves, then @run acts on the task named, or on the current one. */
static void fair_step(struct vec *v, void (*run)(struct fair_world *w, struct vec *v, task_id p))
{
	struct fair_world *w = v->priv;

	if (!w) {
		vec_fail(v, "the script does not begin with a reset");
		return;
	}
	w->g.now = vec_num(v, "t_ns", 0);
	update_rq_clock(&w->sim, &w->rq);

	task_id p = vec_has(v, "id") ? fair_task(v) : w->rq.curr;

	if (p == NONE && strcmp(v->op, "schedule")) {
		vec_fail(v, "no such task");
		return;
	}
	run(w, v, p);
	fair_show(v);
}

static void do_fork(struct fair_world *w, struct vec *v, task_id p)
{
	(void)v;
	update_curr(&w->sim, &w->cfs);
	if (w->sim.pick->fork)
		w->sim.pick->fork(&w->sim, &w->cfs, p);
	enqueue_task_fair(&w->sim, &w->rq, p, ENQUEUE_INITIAL);
	fair_wake_test(w, p, WF_FORK);
}

static void do_wake(struct fair_world *w, struct vec *v, task_id p)
{
	(void)v;
	enqueue_task_fair(&w->sim, &w->rq, p,
			  ENQUEUE_WAKEUP | (w->se[p].sched_delayed ? ENQUEUE_DELAYED : 0));
	fair_wake_test(w, p, WF_TTWU);
}

static void do_leave(struct fair_world *w, struct vec *v, task_id p)
{
	(void)v;
	dequeue_task_fair(&w->sim, &w->rq, p, DEQUEUE_MIGRATING);
	w->se[p].avg.last_update_time = 0;
}

static void do_join(struct fair_world *w, struct vec *v, task_id p)
{
	(void)v;
	enqueue_task_fair(&w->sim, &w->rq, p, ENQUEUE_MIGRATED);
	fair_wake_test(w, p, 0);
}

static void do_renice(struct fair_world *w, struct vec *v, task_id p)
{
	w->tasks[p].nice = (s8)vec_num(v, "nice", 0);
	reweight_task(&w->sim, p, w->tasks[p].nice, w->se[p].idle);
}

static void do_block(struct fair_world *w, struct vec *v, task_id p)
{
	(void)v;
	dequeue_task_fair(&w->sim, &w->rq, p, DEQUEUE_SLEEP);
	fair_schedule(w);
}

static void do_yield(struct fair_world *w, struct vec *v, task_id p)
{
	(void)v;
	yield_task_fair(&w->sim, &w->rq, p);
	fair_schedule(w);
}

static void do_tick(struct fair_world *w, struct vec *v, task_id p)
{
	(void)v;
	if (task_tick_fair(&w->sim, &w->rq, p))
		w->rq.need_resched = 1;
}

static void do_schedule(struct fair_world *w, struct vec *v, task_id p)
{
	(void)v, (void)p;
	fair_schedule(w);
}

#define FAIR_OP(name)                                                                              \
	static void op_##name(struct vec *v)                                                       \
	{                                                                                          \
		fair_step(v, do_##name);                                                           \
	}
FAIR_OP(fork)
FAIR_OP(wake)
FAIR_OP(leave)
FAIR_OP(join)
FAIR_OP(renice)
FAIR_OP(block)
FAIR_OP(yield)
FAIR_OP(tick)
FAIR_OP(schedule)

const struct vec_op fair_ops[] = {
	{ "reset", op_reset },	     { "new", op_new },	    { "fork", op_fork },
	{ "wake", op_wake },	     { "leave", op_leave }, { "join", op_join },
	{ "renice", op_renice },     { "block", op_block }, { "yield", op_yield },
	{ "schedule", op_schedule }, { "tick", op_tick },   { NULL, NULL },
};
