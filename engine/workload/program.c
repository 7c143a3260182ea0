/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.c - building and checking task descriptions: heap memory, no simulation.
 */
#include "engine/workload/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/cpumask.h"
#include "engine/sched/dl.h"

#define SPEC_STEPS_MAX 65536u
#define SPEC_OBJS_MAX 1024u
#define SPEC_MASKS_MAX 4096u
#define SPEC_FORKS_MAX 64u
#define SPEC_FORK_DEPTH 8

const char *const step_op_names[NR_STEP_OPS] = {
	[STEP_RUN] = "run",
	[STEP_RUNTIME] = "runtime",
	[STEP_SLEEP] = "sleep",
	[STEP_TIMER] = "timer",
	[STEP_WAIT] = "wait_for",
	[STEP_WAKE] = "wake",
	[STEP_BROADCAST] = "broadcast",
	[STEP_LOCK] = "lock",
	[STEP_UNLOCK] = "unlock",
	[STEP_BARRIER] = "barrier",
	[STEP_SEM_POST] = "sem_post",
	[STEP_SEM_WAIT] = "sem_wait",
	[STEP_YIELD] = "yield",
	[STEP_FORK] = "fork",
	[STEP_EXIT] = "exit",
	[STEP_LOOP] = "loop",
	[STEP_LOOP_END] = "end of loop",
	[STEP_PHASE] = "phase",
	[STEP_PHASE_END] = "end of phase",
	[STEP_SET_NICE] = "set_nice",
	[STEP_SET_POLICY] = "set_policy",
	[STEP_SET_CPUS] = "set_cpus",
	[STEP_SET_UCLAMP] = "set_uclamp",
	[STEP_SET_SLICE] = "set_slice",
	[STEP_COUNT] = "count",
	[STEP_STAMP] = "stamp",
	[STEP_SAMPLE] = "sample",
	[STEP_SEM_RESET] = "sem_reset",
	[STEP_SEND] = "send",
	[STEP_RECEIVE] = "receive",
	[STEP_REQUEUE] = "requeue",
};

static int no_memory(struct err *err)
{
	return err_set(err, ERR_LIMIT, "out of memory for a task description");
}

/* Room for one more element of an array that doubles at powers of two from 8. */
static int grow_array(void **v, u32 nr, size_t size)
{
	if (nr >= 8 && (nr & (nr - 1)))
		return 0;
	if (nr && nr < 8)
		return 0;

	void *more = realloc(*v, (nr ? (size_t)nr * 2 : 8) * size);

	if (!more)
		return -1;
	*v = more;
	return 0;
}

struct task_spec *task_spec_new(const char *name)
{
	struct task_spec *spec = calloc(1, sizeof(*spec));

	if (!spec)
		return NULL;
	snprintf(spec->name, sizeof(spec->name), "%s", name);
	spec->instances = 1;
	spec->uclamp_max = SCHED_CAPACITY_SCALE;
	spec->cpus = NO_MASK;
	return spec;
}

void task_spec_free(struct task_spec *spec)
{
	if (!spec)
		return;
	for (u32 i = 0; i < spec->nr_forks; i++)
		task_spec_free(spec->forks[i]);
	free(spec->forks);
	free(spec->steps);
	free(spec->objs);
	free(spec->masks);
	free(spec);
}

/* An array of exactly what it holds would break grow_array(): capacity is what grow_array() would have made. */
static void *dup_array(const void *v, u32 nr, size_t size, bool *failed)
{
	size_t cap = 8;

	if (!nr)
		return NULL;
	while (cap < nr)
		cap *= 2;

	void *copy = malloc(cap * size);

	if (!copy) {
		*failed = true;
		return NULL;
	}
	memcpy(copy, v, nr * size);
	return copy;
}

struct task_spec *task_spec_dup(const struct task_spec *spec)
{
	struct task_spec *d = malloc(sizeof(*d));
	bool failed = false;

	if (!d)
		return NULL;
	*d = *spec;
	d->steps = dup_array(spec->steps, spec->nr_steps, sizeof(*spec->steps), &failed);
	d->objs = dup_array(spec->objs, spec->nr_objs, sizeof(*spec->objs), &failed);
	d->masks = dup_array(spec->masks, spec->nr_masks, spec->mask_words * sizeof(u64), &failed);
	d->forks = NULL;
	d->nr_forks = 0;
	if (spec->nr_forks && !failed) {
		d->forks = calloc(spec->nr_forks, sizeof(*d->forks));
		failed = !d->forks;
		for (u32 i = 0; i < spec->nr_forks && !failed; i++) {
			d->forks[i] = task_spec_dup(spec->forks[i]);
			failed = !d->forks[i];
			d->nr_forks += !failed;
		}
	}
	if (failed) {
		task_spec_free(d);
		return NULL;
	}
	return d;
}

int spec_step(struct task_spec *spec, enum step_op op, u32 flags, u32 obj, u64 a, u64 b,
	      struct err *err)
{
	if (spec->nr_steps == SPEC_STEPS_MAX)
		return err_set(err, ERR_LIMIT, "task '%s' has more than %u steps; use a loop",
			       spec->name, SPEC_STEPS_MAX);
	if (grow_array((void **)&spec->steps, spec->nr_steps, sizeof(*spec->steps)))
		return no_memory(err);
	spec->steps[spec->nr_steps] = (struct step_spec){
		.op = (u8)op,
		.flags = (u8)flags,
		.obj = obj,
		.a = a,
		.b = b,
	};
	return (int)spec->nr_steps++;
}

/* Index of the innermost loop or phase that is open, NONE = none; *depth counts the open ones. */
static u32 innermost_open(const struct task_spec *spec, u32 *depth)
{
	u32 open[PROGRAM_DEPTH + 1], nr = 0;

	for (u32 i = 0; i < spec->nr_steps; i++) {
		u8 op = spec->steps[i].op;

		if (op == STEP_LOOP || op == STEP_PHASE)
			open[nr < PROGRAM_DEPTH ? nr++ : nr] = i;
		else if ((op == STEP_LOOP_END || op == STEP_PHASE_END) && nr)
			nr--;
	}
	*depth = nr;
	return nr ? open[nr - 1] : NONE;
}

int spec_open(struct task_spec *spec, enum step_op op, u64 a, struct err *err)
{
	u32 depth;

	innermost_open(spec, &depth);
	if (depth == PROGRAM_DEPTH)
		return err_set(err, ERR_USAGE,
			       "task '%s' nests loops and phases more than %u deep; flatten the "
			       "innermost one",
			       spec->name, PROGRAM_DEPTH);

	int i = spec_step(spec, op, 0, NONE, a, 0, err);

	if (i >= 0)
		spec->steps[i].depth = (u16)depth;
	return i;
}

int spec_close(struct task_spec *spec, struct err *err)
{
	u32 depth, open = innermost_open(spec, &depth);

	if (open == NONE)
		return err_set(err, ERR_USAGE, "task '%s' ends a loop that was not begun",
			       spec->name);

	int i = spec_step(spec, spec->steps[open].op == STEP_LOOP ? STEP_LOOP_END : STEP_PHASE_END,
			  0, NONE, spec->steps[open].a, 0, err);

	if (i < 0)
		return -1;
	spec->steps[i].depth = (u16)(depth - 1);
	spec->steps[i].target = open + 1;
	return i;
}

int spec_measure(struct task_spec *spec, enum step_op op, u32 flags, u32 stamp, const char *name,
		 u64 a, u64 b, struct err *err)
{
	enum sync_kind kind = op == STEP_COUNT ? SYNC_COUNTER : SYNC_LATENCY;
	int what, i;

	if (!name[0] || strlen(name) >= TASK_COMM_LEN)
		return err_set(err, ERR_USAGE, "task '%s': %s takes a name of 1 to %u bytes",
			       spec->name, step_op_names[op], TASK_COMM_LEN - 1);
	what = spec_obj(spec, name, kind, false, err);
	if (what < 0)
		return -1;
	i = spec_step(spec, op, flags, stamp, a, b, err);
	if (i >= 0)
		spec->steps[i].target = (u32)what;
	return i;
}

/* Objects, counters and latency groups have names of their own each. */
static u32 name_space(u32 kind)
{
	return kind < SYNC_COUNTER ? 0 : kind;
}

int spec_obj(struct task_spec *spec, const char *name, enum sync_kind kind, bool local,
	     struct err *err)
{
	for (u32 i = 0; i < spec->nr_objs; i++) {
		if (strcmp(spec->objs[i].name, name) ||
		    name_space(spec->objs[i].kind) != name_space(kind))
			continue;
		if (spec->objs[i].kind != kind || spec->objs[i].local != local)
			return err_set(err, ERR_USAGE,
				       "task '%s' uses '%s' as two different kinds of object; "
				       "give one of them another name",
				       spec->name, name);
		return (int)i;
	}
	if (spec->nr_objs == SPEC_OBJS_MAX)
		return err_set(err, ERR_LIMIT, "task '%s' uses more than %u objects", spec->name,
			       SPEC_OBJS_MAX);
	if (strlen(name) >= sizeof(spec->objs[0].name))
		return err_set(err, ERR_USAGE, "object name '%.20s...' is longer than %zu bytes",
			       name, sizeof(spec->objs[0].name) - 1);
	if (grow_array((void **)&spec->objs, spec->nr_objs, sizeof(*spec->objs)))
		return no_memory(err);

	struct obj_spec *o = &spec->objs[spec->nr_objs];

	memset(o, 0, sizeof(*o));
	snprintf(o->name, sizeof(o->name), "%s", name);
	o->kind = (u8)kind;
	o->local = local;
	return (int)spec->nr_objs++;
}

int spec_mask(struct task_spec *spec, const u64 *words, u32 nwords, struct err *err)
{
	if (spec->nr_masks && spec->mask_words != nwords)
		return err_set(err, ERR_USAGE, "task '%s': CPU sets of two different machines",
			       spec->name);
	for (u32 i = 0; i < spec->nr_masks; i++)
		if (cpumask_equal(spec->masks + (size_t)i * nwords, words, nwords))
			return (int)i;
	if (spec->nr_masks == SPEC_MASKS_MAX)
		return err_set(err, ERR_LIMIT, "task '%s' uses more than %u CPU sets", spec->name,
			       SPEC_MASKS_MAX);
	if (grow_array((void **)&spec->masks, spec->nr_masks, nwords * sizeof(u64)))
		return no_memory(err);
	spec->mask_words = nwords;
	cpumask_copy(spec->masks + (size_t)spec->nr_masks * nwords, words, nwords);
	return (int)spec->nr_masks++;
}

static int bad_step(const struct task_spec *spec, u32 i, const char *what, struct err *err)
{
	u8 op = spec->steps[i].op;

	return err_set(err, ERR_USAGE, "task '%s', step %u (%s): %s", spec->name, i + 1,
		       op < NR_STEP_OPS ? step_op_names[op] : "?", what);
}

static const u8 obj_kind_of[NR_STEP_OPS] = {
	[STEP_TIMER] = SYNC_TIMER + 1,	   [STEP_WAIT] = SYNC_COND + 1,
	[STEP_WAKE] = SYNC_COND + 1,	   [STEP_BROADCAST] = SYNC_COND + 1,
	[STEP_LOCK] = SYNC_MUTEX + 1,	   [STEP_UNLOCK] = SYNC_MUTEX + 1,
	[STEP_BARRIER] = SYNC_BARRIER + 1, [STEP_SEM_POST] = SYNC_SEM + 1,
	[STEP_SEM_WAIT] = SYNC_SEM + 1,	   [STEP_STAMP] = SYNC_STAMP + 1,
	[STEP_SEM_RESET] = SYNC_SEM + 1,   [STEP_SEND] = SYNC_QUEUE + 1,
	[STEP_RECEIVE] = SYNC_QUEUE + 1,   [STEP_REQUEUE] = SYNC_COND + 1,
};

/* Is operand b, as index + 1, an object of that kind that tasks share? */
static bool names_shared(const struct task_spec *spec, const struct step_spec *st, u32 kind)
{
	return st->b && st->b <= spec->nr_objs && spec->objs[st->b - 1].kind == kind &&
	       !spec->objs[st->b - 1].local;
}

static bool measures(const struct task_spec *spec, const struct step_spec *st, u32 kind)
{
	return st->target < spec->nr_objs && spec->objs[st->target].kind == kind &&
	       spec->objs[st->target].name[0] &&
	       strlen(spec->objs[st->target].name) < TASK_COMM_LEN;
}

#define TIME_MAX (1ull << 60)

static bool is_rt_policy(u64 policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

static int check_step(const struct task_spec *spec, u32 i, struct err *err)
{
	const struct step_spec *st = &spec->steps[i];

	if (st->op >= NR_STEP_OPS)
		return bad_step(spec, i, "no such step", err);
	if (obj_kind_of[st->op]) {
		if (st->obj >= spec->nr_objs)
			return bad_step(spec, i, "names no object", err);
		if (spec->objs[st->obj].kind + 1 != obj_kind_of[st->op])
			return bad_step(spec, i, "its object is of another kind", err);
	} else if ((st->op == STEP_COUNT || st->op == STEP_SAMPLE) && st->obj != NONE) {
		if (st->obj >= spec->nr_objs || spec->objs[st->obj].kind != SYNC_STAMP)
			return bad_step(spec, i, "its stamp is none", err);
	} else if (st->obj != NONE) {
		return bad_step(spec, i, "takes no object", err);
	}
	switch (st->op) {
	case STEP_RUN:
		if (st->a != ~0ull && (st->a >= TIME_MAX || st->b >= TIME_MAX))
			return bad_step(spec, i, "longer than 36 years; ~0 means for ever", err);
		break;
	case STEP_RUNTIME:
	case STEP_SLEEP:
	case STEP_PHASE:
		if (st->a >= TIME_MAX || st->b >= TIME_MAX)
			return bad_step(spec, i, "longer than 36 years", err);
		break;
	case STEP_TIMER:
		if (!st->a || st->a >= TIME_MAX)
			return bad_step(spec, i, "its period must be above 0", err);
		break;
	case STEP_WAIT:
		if (st->flags & STEP_F_POST) {
			if (!names_shared(spec, st, SYNC_SEM))
				return bad_step(spec, i, "what it posts is no semaphore", err);
		} else if (st->b &&
			   (st->b > spec->nr_objs || spec->objs[st->b - 1].kind != SYNC_MUTEX)) {
			return bad_step(spec, i, "its mutex is no mutex", err);
		}
		break;
	case STEP_WAKE:
	case STEP_BROADCAST:
		if (st->b && !names_shared(spec, st, SYNC_STAMP))
			return bad_step(spec, i, "its stamp is none that tasks share", err);
		break;
	case STEP_REQUEUE:
		if (!names_shared(spec, st, SYNC_COND))
			return bad_step(spec, i, "names nothing to wait for instead", err);
		break;
	case STEP_SEND:
		if (!st->a || st->a > QUEUE_DEPTH_MAX)
			return bad_step(spec, i, "a queue holds 1 .. 1000000 messages", err);
		break;
	case STEP_BARRIER:
		if (!st->a || st->a > ~0u)
			return bad_step(spec, i, "needs at least one party", err);
		break;
	case STEP_FORK:
		if (st->a >= spec->nr_forks)
			return bad_step(spec, i, "forks a task that is not described", err);
		break;
	case STEP_SET_NICE:
		if ((s64)st->a < -20 || (s64)st->a > 19)
			return bad_step(spec, i, "nice is -20 .. 19", err);
		break;
	case STEP_SET_POLICY:
		if (st->a > SCHED_DEADLINE || st->a == 4)
			return bad_step(spec, i, "no such scheduling policy", err);
		if (is_rt_policy(st->a) && (st->b < 1 || st->b > 99))
			return bad_step(spec, i, "real-time priorities are 1 .. 99", err);
		break;
	case STEP_SET_CPUS:
		if (st->a != ~0ull && st->a >= spec->nr_masks)
			return bad_step(spec, i, "no such CPU set", err);
		break;
	case STEP_SET_UCLAMP:
		if ((st->a != ~0ull && st->a > 1024) || (st->b != ~0ull && st->b > 1024))
			return bad_step(spec, i, "clamps are 0 .. 1024", err);
		break;
	case STEP_COUNT:
		if (!measures(spec, st, SYNC_COUNTER))
			return bad_step(spec, i, "names no counter", err);
		if (st->a >= 1ull << 40 || st->b >= TIME_MAX)
			return bad_step(spec, i, "counts by 0 .. 2^40 - 1", err);
		break;
	case STEP_SAMPLE:
		if (!measures(spec, st, SYNC_LATENCY))
			return bad_step(spec, i, "names no latency group", err);
		break;
	default:
		break;
	}
	return 0;
}

static int check_nesting(const struct task_spec *spec, struct err *err)
{
	u32 open[PROGRAM_DEPTH], nr = 0;

	for (u32 i = 0; i < spec->nr_steps; i++) {
		const struct step_spec *st = &spec->steps[i];

		if (st->op == STEP_LOOP || st->op == STEP_PHASE) {
			if (nr == PROGRAM_DEPTH || st->depth != nr)
				return bad_step(spec, i, "nested too deep", err);
			open[nr++] = i;
		} else if (st->op == STEP_LOOP_END || st->op == STEP_PHASE_END) {
			u8 opener = st->op == STEP_LOOP_END ? STEP_LOOP : STEP_PHASE;

			if (!nr || spec->steps[open[nr - 1]].op != opener)
				return bad_step(spec, i, "ends what was not begun", err);
			nr--;
			if (st->depth != nr || st->target != open[nr] + 1)
				return bad_step(spec, i, "jumps out of its loop", err);
		}
	}
	if (nr)
		return bad_step(spec, open[nr - 1], "is never ended", err);
	return 0;
}

static int check_masks(const struct task_spec *spec, u32 nr_cpus, struct err *err)
{
	u32 nwords = cpumask_words(nr_cpus);

	if (spec->nr_masks && spec->mask_words != nwords)
		return err_set(err, ERR_USAGE, "task '%s': CPU sets made for another machine",
			       spec->name);
	for (u32 i = 0; i < spec->nr_masks; i++) {
		const u64 *m = spec->masks + (size_t)i * nwords;
		u32 last = nr_cpus % 64;

		if (cpumask_empty(m, nwords))
			return err_set(err, ERR_USAGE,
				       "task '%s' may run on no CPU; CPUs here are 0-%u",
				       spec->name, nr_cpus - 1);
		if (last && m[nwords - 1] >> last)
			return err_set(err, ERR_USAGE,
				       "task '%s' names a CPU that this machine does not have; "
				       "CPUs here are 0-%u",
				       spec->name, nr_cpus - 1);
	}
	if (spec->cpus != NO_MASK && spec->cpus >= spec->nr_masks)
		return err_set(err, ERR_USAGE, "task '%s': no such CPU set", spec->name);
	return 0;
}

static bool uses_deadline(const struct task_spec *spec)
{
	bool uses = spec->policy == SCHED_DEADLINE;

	for (u32 i = 0; i < spec->nr_steps; i++)
		uses |= spec->steps[i].op == STEP_SET_POLICY && spec->steps[i].a == SCHED_DEADLINE;
	return uses;
}

static int check_class(const struct task_spec *spec, u32 nr_cpus, struct err *err)
{
	if (is_rt_policy(spec->policy) && (spec->rt_priority < 1 || spec->rt_priority > 99))
		return err_set(err, ERR_USAGE, "task '%s': real-time priority %u is not in 1 .. 99",
			       spec->name, spec->rt_priority);
	if (uses_deadline(spec)) {
		struct dl_params dl = spec->dl;

		if (dl_params_check(&dl, spec->name, err))
			return -1;
		if (memcmp(&dl, &spec->dl, sizeof(dl)))
			return err_set(
				err, ERR_USAGE,
				"task '%s': a reservation needs runtime, deadline and period",
				spec->name);
		if (spec->policy == SCHED_DEADLINE && spec->cpus != NO_MASK &&
		    cpumask_weight(spec->masks + (size_t)spec->cpus * spec->mask_words,
				   spec->mask_words) < nr_cpus)
			return err_set(
				err, ERR_USAGE,
				"task '%s': a deadline task may use all CPUs, or nothing could "
				"be promised to it; leave its CPUs out",
				spec->name);
	}
	return 0;
}

static int check_depth(const struct task_spec *spec, u32 nr_cpus, int depth, struct err *err)
{
	u32 locals = 0;

	if (depth > SPEC_FORK_DEPTH)
		return err_set(err, ERR_LIMIT, "task '%s': forks of forks more than %d deep",
			       spec->name, SPEC_FORK_DEPTH);
	if (!spec->name[0])
		return err_set(err, ERR_USAGE, "a task needs a name, for example name = \"web\"");
	if (!spec->instances)
		return err_set(err, ERR_USAGE, "task '%s': instances must be at least 1",
			       spec->name);
	if (spec->nice < -20 || spec->nice > 19)
		return err_set(err, ERR_USAGE, "task '%s': nice %d is not in -20 .. 19", spec->name,
			       spec->nice);
	if (spec->policy > SCHED_DEADLINE || spec->policy == 4)
		return err_set(err, ERR_USAGE, "task '%s': no scheduling policy %u", spec->name,
			       spec->policy);
	if (check_masks(spec, nr_cpus, err) || check_class(spec, nr_cpus, err))
		return -1;
	if (spec->uclamp_min > 1024 || spec->uclamp_max > 1024 ||
	    spec->uclamp_min > spec->uclamp_max)
		return err_set(err, ERR_USAGE,
			       "task '%s': uclamp {%u, %u} must be two rising values in 0 .. 1024",
			       spec->name, spec->uclamp_min, spec->uclamp_max);
	if (spec->slice && (spec->slice < 100000 || spec->slice > 100000000))
		return err_set(err, ERR_USAGE, "task '%s': a slice is 0.1 ms .. 100 ms",
			       spec->name);
	if (spec->delay >= TIME_MAX)
		return err_set(err, ERR_USAGE, "task '%s': its delay is longer than 36 years",
			       spec->name);
	if (!spec->nr_steps)
		return err_set(err, ERR_USAGE,
			       "task '%s' has nothing to do; give it a program, for example "
			       "run(\"1ms\")",
			       spec->name);
	if (spec->nr_forks > SPEC_FORKS_MAX)
		return err_set(err, ERR_LIMIT, "task '%s' forks more than %u kinds of task",
			       spec->name, SPEC_FORKS_MAX);
	for (u32 i = 0; i < spec->nr_objs; i++)
		locals += spec->objs[i].local;
	if (locals > PROGRAM_LOCALS)
		return err_set(err, ERR_LIMIT,
			       "task '%s' has more than %u timers and stamps of its own",
			       spec->name, PROGRAM_LOCALS);
	for (u32 i = 0; i < spec->nr_steps; i++)
		if (check_step(spec, i, err))
			return -1;
	if (check_nesting(spec, err))
		return -1;
	for (u32 i = 0; i < spec->nr_forks; i++)
		if (check_depth(spec->forks[i], nr_cpus, depth + 1, err))
			return -1;
	return 0;
}

int spec_check(const struct task_spec *spec, u32 nr_cpus, struct err *err)
{
	return check_depth(spec, nr_cpus, 0, err);
}
