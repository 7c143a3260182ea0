/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp_build.c - from the importer's picture of an rt-app file to programs of the engine.
 *
 * A task becomes loop { phase; phase; ... }, a phase its settings and loop { events }. Loops of one
 * round are left out, what follows an endless loop too.
 */
#include <stdlib.h>
#include <string.h>

#include "app/rtapp_ir.h"
#include "app/text.h"
#include "app/xalloc.h"
#include "engine/base/cpumask.h"

#define FOR_EVER (~0ull) /* a run step without end */
#define VERY_LONG ((1ull << 60) - 1) /* ns, 36 years: a sleep without end */
#define RT_PRIO_DEFAULT 10

struct builder {
	struct rt_file *f;
	u32 nr_steps; /* of all programs, copies included */
	/* the task being built */
	struct task_spec *spec;
	const struct rt_task *task;
	u32 open[2], depth; /* loops under way: task, phase */
	u8 policy; /* in force while the phases are walked */
	u8 rt_priority;
	bool phase_cpus; /* some phase has cpus, so each sets its own */
	const struct rt_task **forked; /* of each entry of spec->forks */
};

static struct task_spec *build_task(struct builder *parent, struct rt_task *t);

/* An error of the engine's builder, put at the task's place in the file. */
static int engine_error(struct builder *b, const cJSON *node, const struct err *e)
{
	return rt_fail(b->f, node, true, e->code, "%s", e->msg);
}

static int step(struct builder *b, const cJSON *node, enum step_op op, u32 flags, u32 obj, u64 x,
		u64 y)
{
	struct err e = { 0 };

	if (b->nr_steps++ == RTAPP_MAX_STEPS)
		return rt_fail(
			b->f, node, true, ERR_LIMIT,
			"more than %u steps in all programs; forked tasks count once per forker",
			RTAPP_MAX_STEPS);
	if (spec_step(b->spec, op, flags, obj, x, y, &e) < 0)
		return engine_error(b, node, &e);
	return 0;
}

/* Loops are laid out here: spec_open() looks for the innermost one through the whole program. */
static int open_loop(struct builder *b, const cJSON *node, s64 count)
{
	u32 at = b->spec->nr_steps;

	if (step(b, node, STEP_LOOP, 0, NONE, count > 0 ? (u64)count : 0, 0))
		return -1;
	b->spec->steps[at].depth = (u16)b->depth;
	b->open[b->depth++] = at;
	return 0;
}

static int close_loop(struct builder *b, const cJSON *node)
{
	u32 at = b->spec->nr_steps, open = b->open[b->depth - 1];

	if (step(b, node, STEP_LOOP_END, 0, NONE, b->spec->steps[open].a, 0))
		return -1;
	b->depth--;
	b->spec->steps[at].depth = (u16)b->depth;
	b->spec->steps[at].target = open + 1;
	return 0;
}

/* Index of resource @res among the objects of the spec, or -1 with an error. */
static int object(struct builder *b, const cJSON *node, u32 res)
{
	static const enum sync_kind kinds[] = {
		[RES_MUTEX] = SYNC_MUTEX, [RES_COND] = SYNC_COND,	[RES_SUSPEND] = SYNC_COND,
		[RES_TIMER] = SYNC_TIMER, [RES_BARRIER] = SYNC_BARRIER, [RES_SEM] = SYNC_SEM,
	};
	const struct rt_res *r = &b->f->res[res];
	struct err e = { 0 };
	int i = spec_obj(b->spec, r->label, kinds[r->kind], r->local, &e);

	return i < 0 ? engine_error(b, node, &e) : i;
}

/* Index of the child's description among the forks of this one. */
static int fork_index(struct builder *b, const struct rt_event *ev)
{
	struct rt_file *f = b->f;
	struct task_spec *spec = b->spec, *child;
	struct rt_task *t = f->tasks;
	u32 from = 0;

	while (strcmp(t->key, ev->ref))
		t++;
	for (; from < spec->nr_forks; from++)
		if (b->forked[from] == t)
			return (int)from;
	if (t->building)
		return rt_fail(
			f, ev->node, false, ERR_USAGE,
			"fork '%.40s' makes a task fork itself, at last; that is not modelled",
			ev->ref);
	child = build_task(b, t);
	if (!child)
		return -1;
	spec->forks = xrealloc_array(spec->forks, spec->nr_forks + 1, sizeof(*spec->forks));
	b->forked = xrealloc_array(b->forked, spec->nr_forks + 1, sizeof(*b->forked));
	b->forked[spec->nr_forks] = t;
	spec->forks[spec->nr_forks] = child;
	return (int)spec->nr_forks++;
}

static int add_sync(struct builder *b, const struct rt_event *ev, enum step_op op, u64 a)
{
	int obj = object(b, ev->node, ev->res);

	return obj < 0 ? -1 : step(b, ev->node, op, 0, (u32)obj, a, 0);
}

static int add_wait(struct builder *b, const struct rt_event *ev)
{
	int obj = object(b, ev->node, ev->res), mutex = object(b, ev->node, ev->mutex);

	if (obj < 0 || mutex < 0)
		return -1;
	if (ev->kind == RT_SYNC && step(b, ev->node, STEP_WAKE, 0, (u32)obj, 0, 0))
		return -1;
	return step(b, ev->node, STEP_WAIT, 0, (u32)obj, 0, (u64)mutex + 1);
}

static int add_timer(struct builder *b, const struct rt_event *ev)
{
	int obj;

	if (!ev->value) /* was told: it does not wait */
		return 0;
	obj = object(b, ev->node, ev->res);
	if (obj < 0)
		return -1;
	return step(b, ev->node, STEP_TIMER, b->f->res[ev->res].absolute ? STEP_F_ABSOLUTE : 0,
		    (u32)obj, (u64)ev->value * NSEC_PER_USEC, 0);
}

static int add_work(struct builder *b, const struct rt_event *ev)
{
	u64 ns = (u64)ev->value * NSEC_PER_USEC;

	switch (ev->kind) {
	case RT_RUN:
		return step(b, ev->node, STEP_RUN, 0, NONE, ev->value < 0 ? FOR_EVER : ns, 0);
	case RT_RUNTIME:
		return step(b, ev->node, STEP_RUNTIME, 0, NONE, ev->value < 0 ? VERY_LONG : ns, 0);
	case RT_SLEEP:
		return step(b, ev->node, STEP_SLEEP, 0, NONE, ev->value < 0 ? VERY_LONG : ns, 0);
	case RT_MEMRUN:
		return step(b, ev->node, STEP_RUN, 0, NONE, ev->ns, 0);
	default: /* mem, iorun */
		ns = (u64)ev->value / RTAPP_MEM_BYTES_PER_NS;
		if (step(b, ev->node, STEP_RUN, 0, NONE, ns, 0))
			return -1;
		if (ev->kind == RT_IORUN && b->f->io_blocks)
			return step(b, ev->node, STEP_SLEEP, STEP_F_IOWAIT, NONE,
				    (u64)ev->value * RTAPP_IO_NS_PER_BYTE, 0);
		return 0;
	}
}

static int add_event(struct builder *b, const struct rt_event *ev)
{
	int i;

	switch (ev->kind) {
	case RT_RUNTIME:
	case RT_RUN:
	case RT_SLEEP:
	case RT_MEMRUN:
	case RT_MEM:
	case RT_IORUN:
		return add_work(b, ev);
	case RT_LOCK:
		return add_sync(b, ev, STEP_LOCK, 0);
	case RT_UNLOCK:
		return add_sync(b, ev, STEP_UNLOCK, 0);
	case RT_SIGNAL:
		return add_sync(b, ev, STEP_WAKE, 0);
	case RT_BROAD:
	case RT_RESUME:
		return add_sync(b, ev, STEP_BROADCAST, 0);
	case RT_SUSPEND:
		return add_sync(b, ev, STEP_WAIT, 0);
	case RT_WAIT:
	case RT_SYNC:
		return add_wait(b, ev);
	case RT_BARRIER:
		return add_sync(b, ev, STEP_BARRIER, b->f->res[ev->res].parties);
	case RT_TIMER:
		return add_timer(b, ev);
	case RT_SEM_POST:
		return add_sync(b, ev, STEP_SEM_POST, 0);
	case RT_SEM_WAIT:
		return add_sync(b, ev, STEP_SEM_WAIT, 0);
	case RT_YIELD:
		return step(b, ev->node, STEP_YIELD, 0, NONE, 0, 0);
	case RT_FORK:
		i = fork_index(b, ev);
		return i < 0 ? -1 : step(b, ev->node, STEP_FORK, 0, NONE, (u64)i, 0);
	case RT_KINDS:
		break;
	}
	return 0;
}

static bool is_realtime(u8 policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

/* Is the priority of @s one that @policy takes? */
static int check_priority(struct builder *b, const struct rt_sched *s, u8 policy)
{
	s64 min = is_realtime(policy) ? 1 : -20, max = is_realtime(policy) ? 99 : 19;

	if (!s->has_priority || policy == SCHED_IDLE || policy == SCHED_DEADLINE ||
	    (s->priority >= min && s->priority <= max))
		return 0;
	return rt_fail(b->f, s->priority_node, false, ERR_USAGE,
		       "'priority' is %lld; %lld to %lld is allowed for %s", (long long)s->priority,
		       (long long)min, (long long)max,
		       is_realtime(policy) ? "SCHED_FIFO and SCHED_RR"
					   : "this policy (it is nice)");
}

static int mask(struct builder *b, const cJSON *node, const u64 *cpus)
{
	struct err e = { 0 };
	int i = spec_mask(b->spec, cpus, b->f->words, &e);

	return i < 0 ? engine_error(b, node, &e) : i;
}

/* What holds from the start of the task. */
static int task_settings(struct builder *b)
{
	const struct rt_sched *s = &b->task->sched;
	struct task_spec *spec = b->spec;
	int i;

	b->policy = s->has_policy ? s->policy : b->f->default_policy;
	if (check_priority(b, s, b->policy))
		return -1;
	spec->policy = b->policy;
	spec->dl = s->dl;
	if (is_realtime(b->policy))
		spec->rt_priority = (u8)(s->has_priority ? s->priority : RT_PRIO_DEFAULT);
	else if (b->policy != SCHED_IDLE && b->policy != SCHED_DEADLINE && s->has_priority)
		spec->nice = (s8)s->priority;
	b->rt_priority = spec->rt_priority;
	if (s->has_umin)
		spec->uclamp_min = s->umin;
	if (s->has_umax)
		spec->uclamp_max = s->umax;
	if (spec->uclamp_min > spec->uclamp_max)
		return rt_fail(b->f, b->task->node, true, ERR_USAGE,
			       "'util_min' is above 'util_max'");
	if (s->has_slice)
		spec->slice = s->slice;
	memcpy(spec->group, s->group, sizeof(spec->group));
	if (s->cpus) {
		i = mask(b, b->task->node, s->cpus);
		if (i < 0)
			return -1;
		spec->cpus = (u32)i;
	}
	return 0;
}

/* A task has one reservation: its own, else that of the first phase with one. */
static int phase_reservation(struct builder *b, const struct rt_phase *p)
{
	const struct dl_params *dl = &p->sched.dl;

	if (!b->spec->dl.runtime)
		b->spec->dl = *dl;
	else if (dl->runtime && memcmp(dl, &b->spec->dl, sizeof(*dl)))
		rt_warn(b->f, p->sched.policy_node, "dl-runtime",
			"a task has one reservation here; that of its beginning or its first phase "
			"with one counts");
	if (!b->spec->dl.runtime)
		return rt_fail(
			b->f, p->sched.policy_node, false, ERR_USAGE,
			"SCHED_DEADLINE needs 'dl-runtime' and 'dl-period' in us, here or in "
			"the task");
	return 0;
}

/* What changes when a phase begins. Placement does not stick; policy, priority, clamps do. */
static int phase_settings(struct builder *b, const struct rt_phase *p)
{
	const struct rt_sched *s = &p->sched;
	int i = -1;

	if (b->phase_cpus) {
		if (s->cpus && (i = mask(b, p->node, s->cpus)) < 0)
			return -1;
		if (step(b, p->node, STEP_SET_CPUS, 0, NONE, i < 0 ? ~0ull : (u64)i, 0))
			return -1;
	}
	if (s->has_policy || s->has_priority) {
		u8 policy = s->has_policy ? s->policy : b->policy;

		if (check_priority(b, s, policy))
			return -1;
		if (is_realtime(policy))
			b->rt_priority = (u8)(s->has_priority  ? s->priority
					      : b->rt_priority ? b->rt_priority
							       : RT_PRIO_DEFAULT);
		if (s->has_policy && policy == SCHED_DEADLINE && phase_reservation(b, p))
			return -1;
		if ((s->has_policy || is_realtime(policy)) &&
		    step(b, p->node, STEP_SET_POLICY, 0, NONE, policy,
			 is_realtime(policy) ? b->rt_priority : 0))
			return -1;
		if (s->has_priority && !is_realtime(policy) && policy != SCHED_IDLE &&
		    policy != SCHED_DEADLINE &&
		    step(b, p->node, STEP_SET_NICE, 0, NONE, (u64)s->priority, 0))
			return -1;
		b->policy = policy;
	}
	if ((s->has_umin || s->has_umax) &&
	    step(b, p->node, STEP_SET_UCLAMP, 0, NONE, s->has_umin ? s->umin : ~0ull,
		 s->has_umax ? s->umax : ~0ull))
		return -1;
	if (s->has_slice && step(b, p->node, STEP_SET_SLICE, 0, NONE, s->slice, 0))
		return -1;
	return 0;
}

static int build_phase(struct builder *b, const struct rt_phase *p)
{
	b->f->phase = p;
	if (p->name && phase_settings(b, p))
		return -1;
	if (p->loop != 1 && open_loop(b, p->node, p->loop))
		return -1;
	for (u32 i = 0; i < p->nr_events; i++)
		if (add_event(b, &b->f->events[p->first_event + i]))
			return -1;
	if (p->loop != 1 && close_loop(b, p->node))
		return -1;
	b->f->phase = NULL;
	return 0;
}

static int build_phases(struct builder *b)
{
	const struct rt_task *t = b->task;
	const struct rt_phase *p = b->f->phases + t->first_phase;

	for (u32 i = 0; i < t->nr_phases; i++)
		b->phase_cpus |= p[i].sched.cpus != NULL;
	if (!t->loop)
		return step(b, t->node, STEP_EXIT, 0, NONE, 0, 0);
	if (t->loop != 1 && open_loop(b, t->node, t->loop))
		return -1;
	for (u32 i = 0; i < t->nr_phases; i++) {
		if (build_phase(b, &p[i]))
			return -1;
		if (p[i].loop <= 0)
			break; /* was told: the rest is never reached */
	}
	return t->loop != 1 ? close_loop(b, t->node) : 0;
}

/* rt-app names have no limit, the engine's have: cut at a character's border. */
static void set_name(struct builder *b)
{
	char name[sizeof(b->spec->name)];

	text_clean(name, sizeof(name), b->task->key);
	if (!name[0])
		strcpy(name, "task");
	if (strlen(b->task->key) >= sizeof(name))
		rt_warn(b->f, b->task->node, NULL, "the name is cut to '%s'", name);
	memcpy(b->spec->name, name, sizeof(name));
	memcpy(b->spec->latency_group, name, sizeof(name));
}

static struct task_spec *build_task(struct builder *parent, struct rt_task *t)
{
	struct builder b = { .f = parent->f, .nr_steps = parent->nr_steps, .task = t };
	const struct rt_task *outer = b.f->task;
	const struct rt_phase *outer_phase = b.f->phase;
	struct err e = { 0 };
	int ret = -1;

	b.spec = task_spec_new("task");
	if (!b.spec) {
		err_set(b.f->err, ERR_LIMIT, "no memory for task '%.40s'", t->key);
		return NULL;
	}
	t->building = true;
	b.f->task = t;
	b.f->phase = NULL;
	set_name(&b);
	b.spec->delay = t->delay_us * NSEC_PER_USEC;
	if (!task_settings(&b) && !build_phases(&b)) {
		b.f->phase = NULL;
		ret = spec_check(b.spec, b.f->opt->nr_cpus, &e);
		if (ret)
			engine_error(&b, t->node, &e);
	}
	t->building = false;
	free(b.forked);
	parent->nr_steps = b.nr_steps;
	if (ret) {
		task_spec_free(b.spec);
		return NULL;
	}
	b.f->task = outer;
	b.f->phase = outer_phase;
	return b.spec;
}

int rt_build(struct rt_file *f, struct rtapp *out)
{
	struct builder top = { .f = f };

	out->specs = xcalloc(f->nr_tasks, sizeof(*out->specs));
	out->duration = f->duration;
	out->nr_threads = f->nr_threads;
	f->task = NULL;
	f->phase = NULL;
	for (u32 i = 0; i < f->nr_tasks; i++) {
		struct rt_task *t = &f->tasks[i];
		struct task_spec *spec;

		if (!t->instances)
			continue;
		spec = build_task(&top, t);
		if (!spec)
			return -1;
		spec->instances = t->instances;
		out->specs[out->nr_specs++] = spec;
	}
	return 0;
}
