/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random-make.c - what a seed stands for: a machine, a kernel, tasks, and what is done to them.
 */
#include "tests/sim-world.h"

#include "engine/base/cpumask.h"
#include "engine/sched/costs.h"
#include "tests/prop/random-case.h"

struct gen {
	u64 key, n;
};

static u64 pick(struct gen *g, u64 n)
{
	return rng_uniform(g->key, &g->n, n);
}

static const char *random_machine(struct gen *g)
{
	static const char *const names[] = { "1",   "2",   "4",	       "6+2",
					     "4x2", "1+2", "smp8-smt", "smt-2n.json" };

	return names[pick(g, ARRAY_SIZE(names))];
}

static void random_steps(struct gen *g, struct task_spec *spec, u32 depth)
{
	u32 n = 1 + (u32)pick(g, 4);

	for (u32 i = 0; i < n; i++) {
		u64 t = (1 + pick(g, 4000)) * US;

		switch (pick(g, 19)) {
		case 0:
		case 1:
		case 2:
			if (pick(g, 2))
				world_step(spec, STEP_RUN, STEP_F_UNIFORM, NONE, t, t);
			else
				world_step(spec, STEP_RUN, 0, NONE, t, 0);
			break;
		case 3:
			world_step(spec, STEP_RUNTIME, 0, NONE, t, 0);
			break;
		case 4:
		case 5:
			world_step(spec, STEP_SLEEP, (u32)(pick(g, 2) * STEP_F_IOWAIT), NONE, t, 0);
			break;
		case 6:
			world_step(spec, STEP_SLEEP, STEP_F_EXP, NONE, t, 0);
			break;
		case 7:
			world_step(spec, STEP_TIMER, pick(g, 2) ? STEP_F_ABSOLUTE : 0,
				   world_obj(spec, "t", SYNC_TIMER, true), t, 0);
			break;
		case 8: {
			u32 m = world_obj(spec, "m", SYNC_MUTEX, false);

			world_step(spec, STEP_LOCK, 0, m, 0, 0);
			world_step(spec, STEP_RUN, 0, NONE, t / 8 + 1, 0);
			world_step(spec, STEP_UNLOCK, 0, m, 0, 0);
			break;
		}
		case 9:
			world_step(spec, pick(g, 2) ? STEP_SEM_POST : STEP_WAKE, 0, NONE, 0, 0);
			if (spec->steps[spec->nr_steps - 1].op == STEP_SEM_POST)
				spec->steps[spec->nr_steps - 1].obj =
					world_obj(spec, "s", SYNC_SEM, false);
			else
				spec->steps[spec->nr_steps - 1].obj =
					world_obj(spec, "c", SYNC_COND, false);
			break;
		case 10:
			world_step(spec, STEP_SEM_POST, 0, world_obj(spec, "s", SYNC_SEM, false), 0,
				   0);
			world_step(spec, STEP_SEM_WAIT, 0, world_obj(spec, "s", SYNC_SEM, false), 0,
				   0);
			break;
		case 11:
			world_step(spec, STEP_YIELD, 0, NONE, 0, 0);
			break;
		case 12:
			if (!pick(g, 3)) {
				u8 p = (u8)(1 + pick(g, 2));

				world_step(spec, STEP_SET_POLICY, 0, NONE, p, 1 + pick(g, 5));
				break;
			}
			if (!pick(g, 4)) {
				world_step(spec, STEP_SET_POLICY, 0, NONE, SCHED_NORMAL, 0);
				break;
			}
			if (depth < 3) {
				world_step(spec, STEP_SET_NICE, 0, NONE,
					   (u64)((s64)pick(g, 40) - 20), 0);
				world_open(spec, STEP_LOOP, 1 + pick(g, 3));
				random_steps(g, spec, depth + 1);
				world_close(spec);
			}
			break;
		case 13:
			if (depth < 3) {
				world_open(spec, pick(g, 2) ? STEP_LOOP : STEP_PHASE, 0);
				spec->steps[spec->nr_steps - 1].a =
					spec->steps[spec->nr_steps - 1].op == STEP_LOOP
						? 1 + pick(g, 5)
						: t * 4;
				random_steps(g, spec, depth + 1);
				world_close(spec);
			}
			break;
		case 15: {
			struct err err = { 0 };
			u32 st = world_obj(spec, "st", SYNC_STAMP, true);

			world_step(spec, STEP_STAMP, 0, st, 0, 0);
			world_step(spec, STEP_RUN, 0, NONE, t / 16 + 1, 0);
			spec_measure(spec, STEP_SAMPLE, 0, st, "lat", 0, 0, &err);
			if (pick(g, 2))
				spec_measure(spec, STEP_COUNT, 0, st, "n", 1, t / 8, &err);
			else
				spec_measure(spec, STEP_COUNT, 0, NONE, "n", 1, 0, &err);
			assert_int_equal(err.code, ERR_NONE);
			break;
		}
		case 14:
			if (spec->nr_forks < 1 && depth == 0) {
				struct task_spec *child = task_spec_new("child");

				random_steps(g, child, 2);
				spec->forks = calloc(1, sizeof(*spec->forks));
				spec->forks[spec->nr_forks++] = child;
				world_step(spec, STEP_FORK, 0, NONE, 0, 0);
			}
			break;
		case 16: {
			static const char *const names[] = { "q1", "q2" };
			u32 q = world_obj(spec, names[pick(g, 2)], SYNC_QUEUE, false);

			if (pick(g, 2))
				world_step(spec, STEP_SEND, 0, q, 1 + pick(g, 3), 0);
			else
				world_step(spec, STEP_RECEIVE, 0, q, 0, 0);
			break;
		}
		case 17: {
			/* Objects are made by the steps that name them, as in the language. */
			u32 c, kind = (u32)pick(g, 3);

			if (kind == 1) {
				world_step(spec, STEP_SEM_RESET, 0,
					   world_obj(spec, "s", SYNC_SEM, false), 0, 0);
			} else {
				c = world_obj(spec, "c", SYNC_COND, false);
				if (kind)
					world_step(spec, STEP_REQUEUE, 0, c, 0,
						   world_obj(spec, "c2", SYNC_COND, false) + 1);
				else
					world_step(spec, STEP_WAIT, STEP_F_POST, c, 0,
						   world_obj(spec, "s", SYNC_SEM, false) + 1);
			}
			c = world_obj(spec, pick(g, 2) ? "c" : "c2", SYNC_COND, false);
			world_step(spec, STEP_BROADCAST, 0, c, 0,
				   pick(g, 2) ? world_obj(spec, "stamp", SYNC_STAMP, false) + 1
					      : 0);
			break;
		}
		default:
			world_step(spec, STEP_BROADCAST, 0, world_obj(spec, "c", SYNC_COND, false),
				   0, 0);
			break;
		}
	}
	/* Something that takes time, so that the loop around it is no spin. */
	world_step(spec, STEP_RUN, 0, NONE, (1 + pick(g, 200)) * US, 0);
}

static struct dl_params random_reservation(struct gen *g)
{
	u64 period = MS + pick(g, 20) * MS, deadline = pick(g, 2) ? period : period / 2;

	return (struct dl_params){ deadline / (2 + pick(g, 8)), deadline, period };
}

static struct task_spec *random_task(struct gen *g, u32 i, u32 nr_cpus)
{
	static const u8 policies[] = { SCHED_NORMAL, SCHED_NORMAL, SCHED_NORMAL,
				       SCHED_NORMAL, SCHED_BATCH,  SCHED_IDLE,
				       SCHED_FIFO,   SCHED_RR,	   SCHED_DEADLINE };
	char name[32];

	snprintf(name, sizeof(name), "t%u", i);

	struct task_spec *spec = task_spec_new(name);

	spec->nice = (s8)((s64)pick(g, 40) - 20);
	spec->policy = policies[pick(g, ARRAY_SIZE(policies))];
	spec->rt_priority =
		spec->policy == SCHED_FIFO || spec->policy == SCHED_RR ? (u8)(1 + pick(g, 4)) : 0;
	if (spec->policy == SCHED_DEADLINE || !pick(g, 4))
		spec->dl = random_reservation(g);
	spec->delay = pick(g, 20) * MS;
	if (!pick(g, 8))
		spec->slice = 100 * US + pick(g, 5000) * US;
	if (!pick(g, 4) && spec->policy != SCHED_DEADLINE)
		world_pin(spec, (cpu_id)pick(g, nr_cpus), nr_cpus);
	if (!pick(g, 6)) {
		world_step(spec, STEP_RUN, 0, NONE, ~0ull, 0);
		return spec;
	}
	world_open(spec, STEP_LOOP, pick(g, 3) ? 0 : 3);
	random_steps(g, spec, 1);
	world_close(spec);
	if (pick(g, 2))
		random_steps(g, spec, 0);
	return spec;
}

/* Limits of group in->a. @words: a mask with some CPU. */
static void random_limits(struct gen *g, struct sim_input *in, const u64 *words)
{
	switch (pick(g, 8)) {
	case 3:
		in->kind = INPUT_GROUP_PARTITION;
		in->b = (s64)pick(g, 3);
		return;
	case 0:
		in->kind = INPUT_GROUP_UCLAMP;
		in->b = (s64)pick(g, 1025);
		in->c = (s64)pick(g, 1025);
		return;
	case 1:
		in->kind = INPUT_GROUP_IDLE;
		in->b = (s64)pick(g, 2);
		return;
	case 2:
		in->kind = INPUT_GROUP_CPUS;
		in->words = pick(g, 3) ? words : NULL;
		return;
	default:
		break;
	}
	in->kind = INPUT_GROUP_MAX;
	in->c = (s64)((1 + pick(g, 20)) * MS);
	in->b = pick(g, 4) ? (s64)(1 + pick(g, 3)) * (s64)MS : -1;
	in->serial = in->b > 0 && !pick(g, 3) ? pick(g, (u64)in->b + 1) : 0;
}

static const char *const group_names[] = { "/a", "/b", "/a/c" };

static struct task_spec *into_group(struct gen *g, const struct sim *s, struct task_spec *spec)
{
	const char *name = group_names[pick(g, ARRAY_SIZE(group_names))];

	if (sim_find_group(s, name) != NONE)
		snprintf(spec->group, sizeof(spec->group), "%s", name);
	return spec;
}

/*
 * Give @in to @s and record it, unless it is refused: no bandwidth, CPUs taken from a deadline task, or
 * one that reservations need, a partition that cannot be.
 */
static void give(struct sim *s, struct random_case *c, const struct sim_input *in)
{
	struct change *ch = case_add_change(c, s->g->now, in);

	if (!case_apply(s, ch))
		return;
	task_spec_free(ch->spec);
	c->nr_changes--;
	if (in->kind != INPUT_SET_DEADLINE && in->kind != INPUT_SET_CPUS &&
	    in->kind != INPUT_CPU_ONLINE && in->kind != INPUT_GROUP_PARTITION &&
	    !(in->spec && in->spec->policy == SCHED_DEADLINE))
		fail_msg("input %d was refused", in->kind);
}

/* Something a user does while it runs: given and recorded. */
static void random_change(struct gen *g, struct sim *s, struct random_case *c)
{
	u32 nr = s->g->nr_cpus;
	u64 serial = pick(g, s->g->next_serial + 1);
	u64 words[1] = { 1 + pick(g, (1u << nr) - 1) };
	struct sim_input in = { .serial = serial };

	/* As for the kernel, one of the CPUs asked for must be there. */
	if (!(words[0] & mask_get(s, s->g->online)[0]))
		words[0] |= mask_get(s, s->g->online)[0];
	switch (pick(g, 21)) {
	case 0:
		in.kind = INPUT_SET_NICE;
		in.a = (s64)pick(g, 40) - 20;
		break;
	case 1:
		in.kind = INPUT_SET_CPUS;
		in.words = words;
		break;
	case 2:
		in.kind = INPUT_KILL;
		break;
	case 3:
		in.kind = INPUT_SET_POLICY;
		in.a = pick(g, 2) ? SCHED_IDLE : SCHED_NORMAL;
		if (pick(g, 2)) {
			in.a = 1 + (s64)pick(g, 2);
			in.b = 1 + (s64)pick(g, 4);
		}
		break;
	case 4:
		in.kind = INPUT_MIGRATE;
		in.a = (s64)pick(g, nr);
		break;
	case 5:
	case 6: {
		u32 id = (u32)pick(g, s->nr_registry);

		in.kind = INPUT_USE_POLICY;
		in.a = s->registry[id]->slot;
		in.b = id;
		break;
	}
	case 7:
		in.kind = INPUT_FREQ_CAP;
		in.a = (s64)pick(g, s->g->nr_fds);
		in.b = (s64)pick(g, 2000000);
		break;
	case 8:
		in.kind = INPUT_SET_UCLAMP;
		in.a = (s64)pick(g, 512);
		in.b = 512 + (s64)pick(g, 513);
		break;
	case 9:
		if (arena_len(&s->arena, POOL_GROUP) < 4) {
			in.kind = INPUT_GROUP_NEW;
			in.text = group_names[arena_len(&s->arena, POOL_GROUP) - 1];
			in.a = arena_len(&s->arena, POOL_GROUP) == 3; /* /a */
			in.b = 1024;
		} else {
			in.kind = INPUT_GROUP_SHARES;
			in.a = 1 + (s64)pick(g, 3);
			in.b = 2 + (s64)pick(g, 4096);
			if (s->groups[in.a].idle || pick(g, 3))
				random_limits(g, &in, words);
		}
		break;
	case 10:
		in.kind = INPUT_SET_GROUP;
		in.a = (s64)pick(g, arena_len(&s->arena, POOL_GROUP));
		break;
	case 11:
		in.kind = INPUT_SET_SLICE;
		in.a = (s64)(pick(g, 2) * (100 * US + pick(g, 9000) * US));
		break;
	case 12:
		in.kind = pick(g, 2) ? INPUT_COUNT : pick(g, 2) ? INPUT_SAMPLE : INPUT_THROUGHPUT;
		in.text = in.kind == INPUT_THROUGHPUT ? "figure n" : "n";
		in.a = in.kind == INPUT_THROUGHPUT ? TPUT_TIME : (s64)pick(g, 1000);
		in.b = 1;
		in.c = 1 + (s64)pick(g, 5);
		break;
	case 13:
		/* One path becomes dear or free, or all costs are switched. */
		in.kind = INPUT_TUNABLE;
		in.a = sim_tunable_index("costs");
		if (pick(g, 4)) {
			in.a = sim_tunable_index(cost_descs[pick(g, NR_COSTS)].name);
			in.b = (s64)(pick(g, 3) * pick(g, 100) * US);
		} else {
			in.b = (s64)pick(g, 2);
		}
		break;
	case 14:
		in.kind = INPUT_TUNABLE;
		in.a = sim_tunable_index(pick(g, 2) ? "place_form" : "balance_form");
		in.b = (s64)pick(g, 6);
		if (!pick(g, 3)) {
			in.a = sim_tunable_index("asym_packing");
			in.b = (s64)pick(g, 3);
		} else if (pick(g, 2)) {
			/* A switch of the scheduler. */
			int first = sim_tunable_index("PLACE_LAG");

			in.a = first + (s64)pick(g, nr_sim_tunables - (u32)first);
			in.b = (s64)pick(g, 2);
		}
		break;
	case 15: {
		struct dl_params dl = random_reservation(g);

		in = (struct sim_input){ .kind = INPUT_SET_DEADLINE,
					 .serial = serial,
					 .a = (s64)dl.runtime,
					 .b = (s64)dl.deadline,
					 .c = (s64)dl.period };
		break;
	}
	case 16: {
		static const char *const names[] = { "rt_throttle", "rt_runtime_us", "rt_period_us",
						     "fair_server_runtime_us", "rt_share" };
		u64 which = pick(g, ARRAY_SIZE(names));

		in.kind = INPUT_TUNABLE;
		in.a = sim_tunable_index(names[which]);
		in.b = which == 0 || which == 4 ? (s64)pick(g, 2)
		       : which == 2		? 5000
						: 1000 + (s64)pick(g, 5000);
		break;
	}
	case 17:
	case 18:
		in.kind = INPUT_CPU_ONLINE;
		in.a = (s64)pick(g, nr);
		in.b = s->g->nr_online == 1 || pick(g, 2);
		break;
	case 19:
		in.kind = INPUT_HOUSEKEEPING;
		in.words = words;
		break;
	default: {
		struct task_spec *spec = into_group(g, s, random_task(g, 99, nr));

		in = (struct sim_input){ .kind = INPUT_SPAWN, .spec = spec };
		give(s, c, &in);
		task_spec_free(spec);
		return;
	}
	}
	give(s, c, &in);
}

#define EVENTS 400
#define UNTIL (3600 * NSEC_PER_SEC) /* nobody sleeps that long */

static void complain(struct told *told, const char *what)
{
	told->failed = true;
	snprintf(told->what, sizeof(told->what), "%.255s", what);
}

/* Groups that are there from the start. */
static void random_groups(struct gen *g, struct random_case *c)
{
	for (u32 i = 0; i < ARRAY_SIZE(group_names); i++) {
		struct sim_input in = {
			.kind = INPUT_GROUP_NEW, .text = group_names[i], .a = i == 2, .b = 1024
		};
		struct sim_input limits = { .a = i + 1 };
		u64 words[1] = { 1 + pick(g, (1u << case_machine(c->machine)->nr_cpus) - 1) };

		case_add_change(c, 0, &in);
		random_limits(g, &limits, words);
		if (pick(g, 3))
			case_add_change(c, 0, &limits);
	}
}

/* Fill @c with what case @seed does, from running it. */
void case_record(u64 seed, struct random_case *c, struct told *told)
{
	struct gen g = { rng_root_key(seed), 0 };
	struct sim_watch *w = sim_watch_new();
	struct sim *copy = NULL, *s;
	struct err err = { 0 };
	u64 at_copy = 50 + pick(&g, EVENTS - 100);
	u32 n;

	*c = (struct random_case){ .seed = seed, .end = UNTIL };
	c->profile = (u32)pick(&g, nr_kernel_profiles);
	c->machine = random_machine(&g);
	c->costs = pick(&g, 2);
	if (pick(&g, 2))
		random_groups(&g, c);
	/* Once without tasks, to see which groups there are. */
	s = case_start(c);
	n = 1 + (u32)pick(&g, 10);
	for (u32 i = 0; i < n; i++)
		case_add_task(c, into_group(&g, s, random_task(&g, i, s->g->nr_cpus)));
	sim_free(s);
	s = case_start(c);
	for (u32 i = 0; i < EVENTS && sim_next_event(s) != NEVER; i++) {
		if (sim_watch_step(w, s, UNTIL, &err) == SIM_ERROR) {
			complain(told, err.msg);
			break;
		}
		if (i == at_copy) {
			copy = sim_copy(s, &err);
			assert_non_null(copy);
			assert_int_equal(sim_digest(s), sim_digest(copy));
		}
		/* After the last event of an instant, as a script would come. */
		if (!pick(&g, 8) && s->g->now && sim_next_event(s) > s->g->now &&
		    (!c->nr_changes || c->changes[c->nr_changes - 1].at < s->g->now))
			random_change(&g, s, c);
	}
	c->end = s->g->now + 1;
	/* The past, brought forward by the journal alone, is the present again. */
	if (copy && !told->failed) {
		struct sim *now = sim_copy(s, &err);

		assert_non_null(now);
		if (sim_restore(s, copy, &err))
			fail_msg("%s", err.msg);
		while (s->g->now < c->end &&
		       sim_run_until(s, min_u64(c->end, s->g->now + MS / 3), 7) != SIM_ERROR)
			;
		world_run(now, c->end);
		if (sim_digest(s) != sim_digest(now))
			complain(told, "replay in slices gives another digest");
		sim_free(now);
	}
	sim_free(copy);
	sim_free(s);
	sim_watch_free(w);
}
