/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spawn.c - programs, objects and tasks in the arena: loading, creating, releasing.
 *
 * Birth follows sched_fork() of kernel/sched/core.c; what stands in state.h is set here once and
 * nowhere else. Pools grow in sim_room() only, between events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/cpumask.h"
#include "engine/base/rng.h"
#include "engine/observe/emit.h"
#include "engine/sched/core.h"
#include "engine/sched/cpuset.h"
#include "engine/sched/load.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/place.h"
#include "engine/sched/uclamp.h"
#include "engine/sim_internal.h"
#include "engine/workload/measure.h"
#include "engine/workload/workload.h"

#define TASK_HISTS_MAX 4096u
#define SPECS_MAX (1u << 20)

static int table_push(struct spec_table *t, struct task_spec *spec, bool owned, struct err *err)
{
	if (t->nr == SPECS_MAX)
		return err_set(err, ERR_LIMIT, "more than %u kinds of task", SPECS_MAX);
	if (t->nr == t->cap) {
		u32 cap = t->cap ? t->cap * 2 : 16;
		struct task_spec **v = realloc(t->v, cap * sizeof(*v));
		u8 *o = v ? realloc(t->owned, cap) : NULL;

		if (v)
			t->v = v;
		if (o)
			t->owned = o;
		if (!v || !o)
			return err_set(err, ERR_LIMIT, "out of memory for task descriptions");
		t->cap = cap;
	}
	t->v[t->nr] = spec;
	t->owned[t->nr] = owned;
	return (int)t->nr++;
}

static int push_tree(struct spec_table *t, struct task_spec *spec, bool owned, struct err *err)
{
	int id = table_push(t, spec, owned, err);

	for (u32 i = 0; id >= 0 && i < spec->nr_forks; i++)
		if (push_tree(t, spec->forks[i], false, err) < 0)
			return -1;
	return id;
}

int spec_table_add(struct spec_table *t, struct task_spec *spec, struct err *err)
{
	u32 before = t->nr;
	int id = push_tree(t, spec, true, err);

	if (id < 0)
		t->nr = before;
	return id;
}

int spec_table_copy(struct spec_table *dst, const struct spec_table *src, struct err *err)
{
	memset(dst, 0, sizeof(*dst));
	for (u32 i = 0; i < src->nr; i++) {
		if (!src->owned[i])
			continue;

		struct task_spec *d = task_spec_dup(src->v[i]);

		if (!d || spec_table_add(dst, d, err) < 0) {
			task_spec_free(d);
			spec_table_free(dst);
			return err_set(err, ERR_LIMIT, "out of memory for task descriptions");
		}
	}
	return 0;
}

void spec_table_truncate(struct spec_table *t, u32 nr)
{
	for (u32 i = nr; i < t->nr; i++)
		if (t->owned[i])
			task_spec_free(t->v[i]);
	if (nr < t->nr)
		t->nr = nr;
}

void spec_table_free(struct spec_table *t)
{
	spec_table_truncate(t, 0);
	free(t->v);
	free(t->owned);
	memset(t, 0, sizeof(*t));
}

u32 text_intern(struct sim *s, const char *text)
{
	for_each_live(id, &s->arena, POOL_TEXT) if (!strncmp(s->texts[id].s, text,
							     sizeof(s->texts[id].s) - 1)) return id;

	u32 id = arena_alloc(&s->arena, POOL_TEXT);

	snprintf(s->texts[id].s, sizeof(s->texts[id].s), "%s", text);
	return id;
}

struct need {
	u32 steps, programs, objs, masks, counters, latencies;
};

static void count_need(const struct task_spec *spec, struct need *n)
{
	n->steps += spec->nr_steps;
	n->programs++;
	n->objs += spec->nr_objs;
	n->masks += spec->nr_masks + 1;
	for (u32 i = 0; i < spec->nr_objs; i++) {
		n->counters += spec->objs[i].kind == SYNC_COUNTER;
		n->latencies += spec->objs[i].kind == SYNC_LATENCY;
	}
	for (u32 i = 0; i < spec->nr_forks; i++)
		count_need(spec->forks[i], n);
}

bool sim_has_room(const struct sim *s)
{
	return arena_room(&s->arena, POOL_TASK) && arena_room(&s->arena, POOL_TASK_HIST) &&
	       arena_room(&s->arena, POOL_SYNC) >= PROGRAM_LOCALS &&
	       arena_room(&s->arena, POOL_MASK) &&
	       arena_len(&s->arena, POOL_MASK_WORDS) >=
		       (arena_len(&s->arena, POOL_MASK) + 1) * s->g->mask_words &&
	       arena_len(&s->arena, POOL_TASK_SE) > arena_len(&s->arena, POOL_TASK);
}

int sim_room(struct sim *s, u32 spec, u32 tasks, struct err *err)
{
	struct need n = { .masks = 1 }; /* the mask of an affinity within a group's CPUs */
	u32 groups = 0;

	if (spec != NONE) {
		count_need(s->specs->v[spec], &n);
		groups = n.programs;
	}

	struct arena *a = &s->arena;
	u32 hists = arena_live(a, POOL_TASK_HIST);

	hists = hists >= TASK_HISTS_MAX
			? 1
			: (tasks < TASK_HISTS_MAX - hists ? tasks : TASK_HISTS_MAX - hists) + 1;

	const struct arena_need needs[] = {
		{ POOL_TASK, tasks },
		{ POOL_TASK_HIST, hists },
		{ POOL_STEP, n.steps },
		{ POOL_PROGRAM, n.programs },
		{ POOL_SYNC, n.objs + PROGRAM_LOCALS * (n.objs || spec == NONE ? tasks : 1) },
		{ POOL_TEXT, n.objs + groups },
		{ POOL_MASK, n.masks },
		{ POOL_LAT_GROUP, groups + n.latencies },
		{ POOL_COUNTER, n.counters },
	};

	if (arena_reserve_set(a, needs, ARRAY_SIZE(needs), err))
		goto fail;
	sim_bind(s);

	/* Arrays that go with tasks and masks grow in powers of two, the same in every run. */
	u32 want = 16, have = arena_len(a, POOL_TASK) + tasks + 1;
	u32 masks = arena_len(a, POOL_MASK) + n.masks, words = 16;

	while (want < have)
		want *= 2;
	while (words < masks * s->g->mask_words)
		words *= 2;
	if (words > arena_len(a, POOL_MASK_WORDS) &&
	    arena_array_resize(a, POOL_MASK_WORDS, words, err))
		goto fail;
	sim_bind(s);
	if (want <= arena_len(a, POOL_TASK_SE))
		return 0;
	if (arena_array_resize(a, POOL_TASK_SE, want, err) ||
	    arena_array_resize(a, POOL_TASK_STATS, want, err) ||
	    arena_array_resize(a, POOL_POLICY_TASK, want * POLICY_COLUMNS, err))
		goto fail;

	sim_bind(s);
	return sim_resize_sources(s, s->g->nr_group_sources, want, err);
fail:
	sim_bind(s);
	return -1;
}

static u32 sync_named(struct sim *s, u32 kind, const char *name)
{
	u32 text = text_intern(s, name);

	for_each_live(id, &s->arena, POOL_SYNC) if (s->syncs[id].kind == kind &&
						    s->syncs[id].name == text) return id;

	u32 id = arena_alloc(&s->arena, POOL_SYNC);

	s->syncs[id] = (struct sync_obj){
		.kind = kind, .name = text, .owner = NONE, .head = NONE, .tail = NONE, .next = NONE
	};
	return id;
}

u32 program_load(struct sim *s, u32 spec_no)
{
	const struct task_spec *spec = s->specs->v[spec_no];
	u32 id = arena_alloc(&s->arena, POOL_PROGRAM);

	s->stats->room_used = 1;
	struct program *prog = &s->programs[id];
	u32 local_no[1024] = { 0 };

	*prog = (struct program){ .first = NONE, .spec = spec_no, .own_mask = 0 };
	if (spec->cpus == NO_MASK)
		mask_get_ref(s, 0);
	else
		prog->own_mask =
			mask_intern(s, spec->masks + (size_t)spec->cpus * spec->mask_words);

	for (u32 i = 0; i < spec->nr_objs; i++) {
		if (!spec->objs[i].local)
			continue;
		local_no[i] = prog->nr_local;
		prog->local_kind[prog->nr_local++] = spec->objs[i].kind;
	}

	/* Ids first, linked in order, so that jumps can name them; nothing here may fail any more. */
	u32 *link = &prog->first, body[PROGRAM_DEPTH], next;

	for (u32 i = 0; i < spec->nr_steps; i++) {
		u32 step = arena_alloc(&s->arena, POOL_STEP);

		*link = step;
		link = &s->steps[step].next;
		*link = NONE;
	}
	next = prog->first;
	prog->nr_steps = spec->nr_steps;

	u32 child = spec_no + 1; /* forks follow their parent in the table */

	u32 fork_program[64];

	BUG_ON(spec->nr_forks > ARRAY_SIZE(fork_program));
	for (u32 i = 0; i < spec->nr_forks; i++) {
		while (s->specs->v[child] != spec->forks[i])
			child++;
		fork_program[i] = program_load(s, child);
		prog = &s->programs[id];
	}
	for (u32 i = 0; i < spec->nr_steps; i++) {
		const struct step_spec *ss = &spec->steps[i];
		u32 step = next;
		struct step st = { .op = ss->op,
				   .flags = ss->flags,
				   .depth = ss->depth,
				   .next = s->steps[step].next,
				   .target = NONE,
				   .obj = NONE,
				   .a = ss->a,
				   .b = ss->b };

		next = st.next;
		switch (ss->op) {
		case STEP_LOOP:
		case STEP_PHASE:
			body[ss->depth] = next;
			break;
		case STEP_LOOP_END:
		case STEP_PHASE_END:
			st.target = body[ss->depth];
			break;
		case STEP_FORK:
			st.target = fork_program[ss->a];
			s->programs[st.target].refs++;
			break;
		case STEP_SET_CPUS:
			if (ss->a == ~0ull) {
				st.target = prog->own_mask;
				mask_get_ref(s, st.target);
			} else {
				st.target = mask_intern(s, spec->masks + (size_t)ss->a *
										 spec->mask_words);
			}
			break;
		case STEP_WAIT:
			if (ss->b)
				st.b = (u64)sync_named(
					       s, ss->flags & STEP_F_POST ? SYNC_SEM : SYNC_MUTEX,
					       spec->objs[ss->b - 1].name) +
				       1;
			break;
		case STEP_WAKE:
		case STEP_BROADCAST:
		case STEP_REQUEUE:
			if (ss->b)
				st.b = (u64)sync_named(
					       s, ss->op == STEP_REQUEUE ? SYNC_COND : SYNC_STAMP,
					       spec->objs[ss->b - 1].name) +
				       1;
			break;
		case STEP_COUNT:
			st.target = counter_named(s, spec->objs[ss->target].name);
			break;
		case STEP_SAMPLE:
			st.target = lat_group_named(s, spec->objs[ss->target].name);
			s->lat_groups[st.target].sampled = 1;
			break;
		default:
			break;
		}
		if (ss->obj != NONE) {
			const struct obj_spec *o = &spec->objs[ss->obj];

			if (o->local) {
				st.flags |= STEP_F_LOCAL;
				st.obj = local_no[ss->obj];
			} else {
				st.obj = sync_named(s, o->kind, o->name);
				if (ss->op == STEP_TIMER && (ss->flags & STEP_F_ABSOLUTE))
					s->syncs[st.obj].absolute = 1;
				if (ss->op == STEP_BARRIER)
					s->syncs[st.obj].needed = (u32)ss->a;
				/* Whoever names the depth first decides: tasks may wait for it. */
				if (ss->op == STEP_SEND && !s->syncs[st.obj].needed)
					s->syncs[st.obj].needed = (u32)ss->a;
			}
		}
		s->steps[step] = st;
	}
	return id;
}

void program_put(struct sim *s, u32 id)
{
	struct program *prog = &s->programs[id];

	if (prog->refs && --prog->refs)
		return;
	for (u32 st = prog->first, next; st != NONE; st = next) {
		next = s->steps[st].next;
		if (s->steps[st].op == STEP_FORK)
			program_put(s, s->steps[st].target);
		else if (s->steps[st].op == STEP_SET_CPUS)
			mask_put(s, s->steps[st].target);
		arena_free(&s->arena, POOL_STEP, st);
	}
	mask_put(s, prog->own_mask);
	arena_free(&s->arena, POOL_PROGRAM, id);
}

/* Latencies are counted by the task's group of latency: its name without the instance number. */
static u32 lat_group_of(struct sim *s, const struct task_spec *spec)
{
	const char *name = spec->latency_group[0] ? spec->latency_group : spec->name;

	return lat_group_named(s, name);
}

static u32 find_group(const struct sim *s, const char *name)
{
	for_each_live(id, &s->arena,
		      POOL_GROUP) if (!strcmp(s->texts[s->groups[id].name].s, name)) return id;
	return 0;
}

task_id task_create(struct sim *s, u32 program, u32 instance, cpu_id cpu, u64 key, u32 parent)
{
	struct program *prog = &s->programs[program];
	const struct task_spec *spec = s->specs->v[prog->spec];
	task_id p = arena_alloc(&s->arena, POOL_TASK);

	s->stats->room_used = 1;

	struct task *t = &s->tasks[p];
	struct sched_entity *se = &s->task_se[p];
	struct task_stats *st = &s->task_stats[p];
	u64 now = s->g->now;

	*t = (struct task){
		.id = p,
		.state = TASK_NEW,
		.cpu = cpu,
		.prev_cpu = cpu,
		.recent_used_cpu = cpu,
		.wake_cpu = cpu,
		.nice = spec->nice,
		.policy = spec->policy == SCHED_DEADLINE ? SCHED_NORMAL : spec->policy,
		.rt_priority = spec->rt_priority,
		.tg = find_group(s, spec->group),
		.user_cpus = prog->own_mask,
		.uclamp_min = spec->uclamp_min,
		.uclamp_max = spec->uclamp_max,
		.uclamp_req = { spec->uclamp_min, spec->uclamp_max },
		.program = program,
		.pc = prog->first,
		.runtime_until = NEVER,
		.wake_at = now + spec->delay,
		.start = now + spec->delay,
		.signalled = NEVER,
		.wait_obj = NONE,
		.wait_next = NONE,
		.wait_prev = NONE,
		.objs = NONE,
		.ttwu_next = NONE,
		.last_wakee = NONE,
		.list_prev = NONE,
		.list_next = NONE,
		.dl_timer = NEVER,
		.rng_key = key,
		.serial = s->g->next_serial++,
		.hist = NONE,
	};
	mask_get_ref(s, t->user_cpus);
	t->cpus = cpuset_mask(s, t->user_cpus, t->tg);
	t->nr_cpus_allowed = s->masks[t->cpus].weight;
	prog->refs++;
	if (spec->instances > 1 && instance != NONE)
		snprintf(t->comm, sizeof(t->comm), "%.20s-%u", spec->name, instance);
	else
		snprintf(t->comm, sizeof(t->comm), "%s", spec->name);

	/* The first own object stands first in the list. */
	for (u32 i = prog->nr_local; i-- > 0;) {
		u32 o = arena_alloc(&s->arena, POOL_SYNC);

		s->syncs[o] = (struct sync_obj){ .kind = prog->local_kind[i],
						 .name = NONE,
						 .owner = NONE,
						 .head = NONE,
						 .tail = NONE,
						 .next = t->objs };
		t->objs = o;
	}

	*se = (struct sched_entity){ .parent = NONE, .my_q = NONE };
	se->run_node = (struct tree_node){ .child = { NONE, NONE }, .parent = NONE };
	se->idle = t->policy == SCHED_IDLE;
	set_load_weight(se, t->nice, se->idle);
	if (spec->slice) {
		se->slice = spec->slice;
		se->custom_slice = 1;
	}
	set_task_rq(s, p, cpu);
	init_entity_runnable_average(s, p);
	if (spec->policy == SCHED_DEADLINE)
		task_set_deadline(s, p, &spec->dl);

	uclamp_restrict(s, p);
	if (spec->uclamp_min || spec->uclamp_max != SCHED_CAPACITY_SCALE)
		uclamp_set(s, p, spec->uclamp_min, spec->uclamp_max);
	*st = (struct task_stats){ .since = now, .woken_at = NEVER };
	t->lat_group = lat_group_of(s, spec);
	if (arena_live(&s->arena, POOL_TASK_HIST) < TASK_HISTS_MAX &&
	    arena_room(&s->arena, POOL_TASK_HIST))
		t->hist = arena_alloc(&s->arena, POOL_TASK_HIST);
	s->groups[t->tg].nr_tasks++;
	s->g->nr_tasks_alive++;
	s->stats->forks++;
	trace(s, TR_sched_process_fork, cpu, parent, p, 0);
	evq_set(&s->evq, s->src_task + p, evq_key_of(t->wake_at, EVC_WAKE));
	return p;
}

void task_release(struct sim *s, task_id p)
{
	struct task *t = &s->tasks[p];

	BUG_ON(t->on_rq && !s->task_se[p].sched_delayed);
	trace(s, TR_sched_process_exit, t->cpu, p, 0, 0);
	s->stats->exits++;
	s->stats->work_dead += s->task_stats[p].work_done;
	s->stats->work_dead_frac += s->task_stats[p].work_frac;
	if (s->task_se[p].avg.last_update_time)
		remove_entity_load_avg(s, p);
	evq_set(&s->evq, s->src_task + p, EVQ_NEVER);
	for (u32 o = t->objs, next; o != NONE; o = next) {
		next = s->syncs[o].next;
		arena_free(&s->arena, POOL_SYNC, o);
	}
	if (t->hist != NONE)
		arena_free(&s->arena, POOL_TASK_HIST, t->hist);
	if (t->policy == SCHED_DEADLINE)
		dl_leave(s, p);
	s->groups[t->tg].nr_tasks--;
	s->g->nr_tasks_alive--;
	mask_put(s, t->cpus);
	mask_put(s, t->user_cpus);
	program_put(s, t->program);
	memset(&s->task_se[p], 0, sizeof(s->task_se[p]));
	memset(&s->task_stats[p], 0, sizeof(s->task_stats[p]));
	memset(&s->policy_task[(size_t)p * POLICY_COLUMNS], 0, POLICY_COLUMNS * sizeof(s64));
	arena_free(&s->arena, POOL_TASK, p);
}
