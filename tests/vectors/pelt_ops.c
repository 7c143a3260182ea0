/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pelt_ops.c - vectors of averages alone, and of a world of run queues: golden/pelt.
 *
 * The operations of the world go through the fair class (sched/fair.h), so that what is compared is
 * the order of accounting that the simulation itself has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/policy/util_est_rule.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/fair.h"
#include "engine/sched/group.h"
#include "engine/sched/load.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/pelt.h"
#include "tests/vectors/vectors.h"

/* ---- an average, an entity, a queue by itself ----------------------------------------------- */

struct alone {
	struct sched_avg avg;
	struct sched_entity se;
	struct cfs_rq cfs;
};

static struct alone *alone_state(struct vec *v)
{
	if (!v->priv) {
		struct alone *a = calloc(1, sizeof(*a));

		a->se.my_q = NONE;
		v->priv = a;
	}
	return v->priv;
}

static void op_core_init(struct vec *v)
{
	struct sched_avg *a = &alone_state(v)->avg;

	*a = (struct sched_avg){
		.last_update_time = vec_num(v, "t_ns", 0),
		.load_sum = vec_num(v, "load_sum", 0),
		.runnable_sum = vec_num(v, "runnable_sum", 0),
		.util_sum = (u32)vec_num(v, "util_sum", 0),
		.period_contrib = (u32)vec_num(v, "period_contrib", 0),
		.load_avg = vec_num(v, "load_avg", 0),
		.runnable_avg = vec_num(v, "runnable_avg", 0),
		.util_avg = vec_num(v, "util_avg", 0),
	};
	vec_is_avg(v, "avg", a);
}

static void op_core(struct vec *v)
{
	struct sched_avg *a = &alone_state(v)->avg;
	bool ret = update_load_sum(vec_num(v, "t_ns", 0), a, vec_num(v, "load", 0),
				   vec_num(v, "runnable", 0), (u32)vec_num(v, "running", 0));

	if (ret)
		update_load_avg_values(a, vec_num(v, "mult", 1));
	vec_is(v, NULL, "ret", ret);
	vec_is_avg(v, "avg", a);
}

static void is_se(struct vec *v, const char *obj, const struct sched_entity *se)
{
	const struct sched_avg *a = &se->avg;

	vec_is_avg(v, obj, a);
	vec_is(v, obj, "util_est", a->util_est & ~UTIL_AVG_UNCHANGED);
	vec_is(v, obj, "util_est_enqueued", a->util_est & ~UTIL_AVG_UNCHANGED);
	vec_is(v, obj, "util_est_ewma", a->util_est_ewma);
	vec_is(v, obj, "util_est_unchanged", (a->util_est & UTIL_AVG_UNCHANGED) != 0);
}

static void op_se_new(struct vec *v)
{
	struct sched_entity *se = &alone_state(v)->se;
	u64 weight = vec_num(v, "weight", 1024);

	se->load.weight = scale_load(weight);
	se->avg = (struct sched_avg){
		.last_update_time = vec_num(v, "t_ns", 0),
		.load_avg = vec_num(v, "full", 0) ? weight : 0,
	};
	is_se(v, "se", se);
}

static void op_se_update(struct vec *v)
{
	struct sched_entity *se = &alone_state(v)->se;

	se->on_rq = vec_num(v, "on_rq", 0) != 0;
	se->sched_delayed = vec_num(v, "delayed", 0) != 0;
	se->my_q = vec_has(v, "runnable_weight") ? 0 : NONE;
	se->runnable_weight = vec_num(v, "runnable_weight", 0);
	if (vec_has(v, "weight"))
		se->load.weight = scale_load(vec_num(v, "weight", 0));
	vec_is(v, NULL, "ret", update_se(vec_num(v, "t_ns", 0), se, vec_num(v, "running", 0) != 0));
	is_se(v, "se", se);
}

static void op_se_blocked(struct vec *v)
{
	struct sched_entity *se = &alone_state(v)->se;

	vec_is(v, NULL, "ret", update_se_blocked(vec_num(v, "t_ns", 0), se));
	is_se(v, "se", se);
}

static void op_cfs_update(struct vec *v)
{
	struct cfs_rq *q = &alone_state(v)->cfs;

	q->load.weight = scale_load(vec_num(v, "weight", 0));
	q->h_nr_runnable = (u32)vec_num(v, "h_nr_runnable", 0);
	q->curr = vec_num(v, "running", 0) ? 0 : NONE;
	vec_is(v, NULL, "ret", update_cfs(vec_num(v, "t_ns", 0), q));
	vec_is_avg(v, "cfs", &q->avg);
}

/* ---- the world ------------------------------------------------------------------------------ */

static cpu_id cpu_arg(const struct vec *v)
{
	return (cpu_id)vec_num(v, "cpu", 0);
}

/* The step's time is now; the clock of @cpu follows. */
static struct rq *clock_to(struct vec *v, cpu_id cpu)
{
	struct sim *s = vec_world(v);
	struct rq *rq = rq_get(s, cpu);

	s->g->now = vec_num(v, "t_ns", s->g->now);
	update_rq_clock(s, rq);
	return rq;
}

static void is_rq(struct vec *v, cpu_id cpu)
{
	const struct rq *rq = rq_get(v->sim, cpu);
	const struct cfs_rq *q = root_cfs(v->sim, cpu);

	vec_is(v, "rq", "cpu", cpu);
	vec_is(v, "rq", "clock", rq->clock);
	vec_is(v, "rq", "clock_pelt", rq->clock_pelt);
	vec_is(v, "rq", "lost_idle_time", rq->lost_idle_time);
	vec_is(v, "rq", "pelt_now", pelt_now(rq));
	vec_is(v, "rq", "h_nr", q->h_nr_runnable);
	vec_is(v, "rq", "weight", q->load.weight);
	vec_is(v, "rq", "util_est", q->avg.util_est);
}

static void is_task_state(struct vec *v, task_id p)
{
	const struct sim *s = v->sim;
	const struct cfs_rq *q = cfs_rq_of(s, p);

	is_se(v, "se", &s->task_se[p]);
	vec_is_avg(v, "cfs", &q->avg);
	vec_is_avg(v, "root", &root_cfs(s, q->cpu)->avg);
	if (q->tg != ROOT_TG) {
		const struct sched_entity *gse = se_get(s, cfs_se_id(s, q));

		is_se(v, "gse", gse);
		vec_is(v, NULL, "gse_weight", gse->load.weight);
		vec_is(v, NULL, "tg_load_avg", s->groups[q->tg].load_avg);
	}
	is_rq(v, q->cpu);
}

static void is_cpu_state(struct vec *v, cpu_id cpu)
{
	const struct sim *s = v->sim;
	task_id curr = rq_get(s, cpu)->curr;

	if (curr != NONE)
		is_se(v, "se", &s->task_se[curr]);
	vec_is_avg(v, "cfs", &root_cfs(s, cpu)->avg);
	for (u32 tg = 1; tg < arena_len(&s->arena, POOL_GROUP); tg++) {
		const struct cfs_rq *q = tg_cfs(s, tg, cpu);
		const struct sched_entity *gse = se_get(s, cfs_se_id(s, q));
		char name[32];

		snprintf(name, sizeof(name), "cfs_g%u", tg);
		vec_is_avg(v, name, &q->avg);
		snprintf(name, sizeof(name), "gse_g%u", tg);
		is_se(v, name, gse);
		snprintf(name, sizeof(name), "gse_weight_g%u", tg);
		vec_is(v, NULL, name, gse->load.weight);
		snprintf(name, sizeof(name), "tg_load_avg_g%u", tg);
		vec_is(v, NULL, name, s->groups[tg].load_avg);
	}
	is_rq(v, cpu);
}

static void op_cpu(struct vec *v)
{
	struct rq *rq = rq_get(vec_world(v), cpu_arg(v));

	rq->cpu_capacity_orig = (u32)vec_num(v, "cap", rq->cpu_capacity_orig);
	rq->cpu_capacity = rq->cpu_capacity_orig;
	rq->freq_scale = (u32)vec_num(v, "freq", rq->freq_scale);
	vec_is(v, NULL, "ok", 1);
}

static void op_clock(struct vec *v)
{
	clock_to(v, cpu_arg(v));
	is_rq(v, cpu_arg(v));
}

static task_id named_task(struct vec *v)
{
	task_id p;

	vec_world(v);
	p = vec_task_find(v, vec_str(v, "id", "?"));
	if (p == NONE) {
		vec_fail(v, "there is no task %s", vec_str(v, "id", "?"));
		exit(2);
	}
	return p;
}

static task_id make_task(struct vec *v)
{
	struct sim *s = vec_world(v);
	task_id p = vec_task_new(v, vec_str(v, "id", "?"), (u32)vec_num(v, "g", 0), cpu_arg(v));
	struct sched_entity *se = &s->task_se[p];

	update_load_set(&se->load, scale_load(vec_num(v, "weight", 1024)));
	init_entity_runnable_average(s, p);
	return p;
}

static void op_task(struct vec *v)
{
	task_id p = make_task(v);
	struct sched_avg *a = &v->sim->task_se[p].avg;

	*a = (struct sched_avg){
		.util_avg = vec_num(v, "util_avg", 0),
		.runnable_avg = vec_num(v, "runnable_avg", 0),
		.load_avg = vec_num(v, "load_avg", 0),
		.util_est = (u32)vec_num(v, "util_est", 0),
		.util_est_ewma = v->v6_1 ? (u32)vec_num(v, "util_est", 0) : 0,
	};
	is_se(v, "se", &v->sim->task_se[p]);
}

static void op_fork(struct vec *v)
{
	task_id p = make_task(v);
	struct rq *rq = clock_to(v, cpu_arg(v));

	post_init_entity_util_avg(v->sim, p);
	enqueue_task_fair(v->sim, rq, p, ENQUEUE_INITIAL);
	is_task_state(v, p);
}

static void op_enqueue(struct vec *v)
{
	task_id p = named_task(v);
	struct rq *rq = clock_to(v, v->sim->tasks[p].cpu);

	enqueue_task_fair(v->sim, rq, p, ENQUEUE_WAKEUP);
	is_task_state(v, p);
}

static void op_switch(struct vec *v)
{
	task_id p = named_task(v);
	struct rq *rq = clock_to(v, v->sim->tasks[p].cpu);

	if (rq->curr != NONE)
		put_prev_task_fair(v->sim, rq, rq->curr);
	set_next_task_fair(v->sim, rq, p);
	rq->curr = p;
	is_task_state(v, p);
}

static void op_tick(struct vec *v)
{
	struct rq *rq = clock_to(v, cpu_arg(v));

	if (rq->curr != NONE)
		task_tick_fair(v->sim, rq, rq->curr);
	is_cpu_state(v, cpu_arg(v));
}

static void choose_rule(struct vec *v)
{
	static const struct {
		const char *name;
		const struct sched_policy *policy;
	} rules[] = {
		{ "base", &util_est_runnable },
		{ "idle_aware", &util_est_idle_aware },
		{ "revert", &util_est_revert },
		{ "v61", &util_est_v5_4 },
	};
	const char *name = vec_str(v, "variant", "base");
	const char *order = vec_str(v, "uest_order", "before");
	struct sim *s = v->sim;

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].name, name))
			s->uest = rules[i].policy->ops;
	s->g->tun.uest_before = !strcmp(order, "before");
}

static void op_dequeue(struct vec *v)
{
	task_id p = named_task(v);
	struct rq *rq = clock_to(v, v->sim->tasks[p].cpu);

	choose_rule(v);
	dequeue_task_fair(v->sim, rq, p, DEQUEUE_SLEEP);
	is_task_state(v, p);
}

static void op_idle(struct vec *v)
{
	struct rq *rq = clock_to(v, cpu_arg(v));

	if (rq->curr != NONE)
		put_prev_task_fair(v->sim, rq, rq->curr);
	update_idle_rq_clock_pelt(v->sim, rq);
	rq->curr = NONE;
	is_cpu_state(v, cpu_arg(v));
}

static void op_blocked(struct vec *v)
{
	struct sim *s = vec_world(v);
	cpu_id cpu = cpu_arg(v);

	/* These scripts visit all groups; the engine lets empty ones drop off the list. */
	for (u32 tg = arena_len(&s->arena, POOL_GROUP); tg-- > 0;)
		list_add_leaf_cfs_rq(s, tg_cfs(s, tg, cpu));
	s->g->now = vec_num(v, "t_ns", 0);
	update_blocked_averages(s, cpu);
	is_cpu_state(v, cpu);
}

static void move_task(struct vec *v, task_id p, cpu_id to)
{
	v->sim->tasks[p].cpu = to;
	set_task_rq(v->sim, p, to);
}

static void op_pull(struct vec *v)
{
	task_id p = named_task(v);
	cpu_id to = (cpu_id)vec_num(v, "to", 0);
	struct rq *rq = clock_to(v, v->sim->tasks[p].cpu);

	dequeue_task_fair(v->sim, rq, p, DEQUEUE_MIGRATING);
	v->sim->task_se[p].avg.last_update_time = 0;
	move_task(v, p, to);
	enqueue_task_fair(v->sim, clock_to(v, to), p, ENQUEUE_MIGRATED);
	is_task_state(v, p);
}

static void op_wake_migrate(struct vec *v)
{
	task_id p = named_task(v);
	cpu_id to = (cpu_id)vec_num(v, "to", 0);

	v->sim->g->now = vec_num(v, "t_ns", 0);
	migrate_task_rq_fair(v->sim, p);
	move_task(v, p, to);
	enqueue_task_fair(v->sim, clock_to(v, to), p, ENQUEUE_WAKEUP | ENQUEUE_MIGRATED);
	is_task_state(v, p);
}

static void op_renice(struct vec *v)
{
	task_id p = named_task(v);
	struct cfs_rq *q;

	clock_to(v, v->sim->tasks[p].cpu);
	q = cfs_rq_of(v->sim, p);
	update_load_avg(v->sim, q, p, 0);
	if (v->sim->task_se[p].load.weight != scale_load(vec_num(v, "weight", 0)))
		reweight_entity(v->sim, q, p, scale_load(vec_num(v, "weight", 0)));
	is_task_state(v, p);
}

static void op_group(struct vec *v)
{
	struct sim *s = vec_world(v);
	u32 parent = (u32)vec_num(v, "parent", 0), tg;

	s->g->now = vec_num(v, "t_ns", s->g->now);
	tg = group_new(s, parent, scale_load(vec_num(v, "shares", 1024)), 0);
	if (tg != vec_num(v, "g", 0)) {
		vec_fail(v, "the group got number %u", tg);
		return;
	}
	vec_is(v, NULL, "tg_load_avg", s->groups[tg].load_avg);
	is_se(v, "gse", se_get(s, SE_GROUP | tg_cfs_id(s, tg, 0)));
	vec_is_avg(v, "root", &root_cfs(s, 0)->avg);
}

static void op_rt_update(struct vec *v)
{
	struct rq *rq = clock_to(v, cpu_arg(v));

	vec_is(v, NULL, "ret", update_rt(pelt_now(rq), rq, (u32)vec_num(v, "running", 0)));
	vec_is_avg(v, "rt", &rq->avg_rt);
}

static void op_irq_update(struct vec *v)
{
	struct rq *rq = clock_to(v, cpu_arg(v));

	vec_is(v, NULL, "ret", update_irq(rq, vec_num(v, "irq_ns", 0)));
	vec_is_avg(v, "irq", &rq->avg_irq);
}

const struct vec_op pelt_ops[] = {
	{ "core_init", op_core_init },
	{ "core", op_core },
	{ "se_new", op_se_new },
	{ "se_update", op_se_update },
	{ "se_blocked", op_se_blocked },
	{ "cfs_update", op_cfs_update },
	{ "rt_update", op_rt_update },
	{ "irq_update", op_irq_update },
	{ "cpu", op_cpu },
	{ "clock", op_clock },
	{ "task", op_task },
	{ "fork", op_fork },
	{ "enqueue", op_enqueue },
	{ "switch", op_switch },
	{ "tick", op_tick },
	{ "dequeue", op_dequeue },
	{ "idle", op_idle },
	{ "blocked", op_blocked },
	{ "pull", op_pull },
	{ "wake_migrate", op_wake_migrate },
	{ "renice", op_renice },
	{ "group", op_group },
	{ NULL, NULL },
};
