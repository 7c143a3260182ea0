/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.h - the recorded workloads in the simulator, and what is measured on them. The machine is
 * the recorder's: two CPUs at one speed, 250 ticks per second; every task is pinned to CPU 1, in one
 * group.
 */
#ifndef SG_TESTS_LOOP_H
#define SG_TESTS_LOOP_H

#include "engine/sched/util_est.h"
#include "tests/sim-world.h"

#define LOOP_CPU 1
#define LOOP_EVENTS 65536

struct loop_event {
	u64 time;
	u32 type; /* enum trace_type */
	task_id task, next; /* next: of a switch */
	u32 util, runnable; /* of the task, after the event */
};

struct loop {
	struct sim *s;
	struct loop_event ev[LOOP_EVENTS];
	u32 nr;
};

static inline void loop_record(void *ctx, const struct trace_rec *rec)
{
	struct loop *l = ctx;

	if (rec->cpu != LOOP_CPU)
		return;
	assert_true(l->nr < LOOP_EVENTS);

	struct loop_event e = {
		.time = rec->time, .type = rec->type, .task = rec->task, .next = (u32)rec->a
	};

	if (rec->task != NONE) {
		e.util = (u32)l->s->task_se[rec->task].avg.util_avg;
		e.runnable = (u32)l->s->task_se[rec->task].avg.runnable_avg;
	}
	l->ev[l->nr++] = e;
}

/* Costs are off: those of the recorder's machine are not known, and small beside a tick. */
static inline struct loop *loop_new(const char *profile)
{
	static const struct shape two = { 2, 0, 1, 1, false };
	struct loop *l = calloc(1, sizeof(*l));
	struct trace_probe probe = {
		.mask = TRACE_BIT(TR_sched_switch) | TRACE_BIT(TR_sched_wakeup) |
			TRACE_BIT(TR_sched_wakeup_new),
		.fn = loop_record,
		.ctx = l,
	};

	assert_non_null(l);
	l->s = world_sim(two, profile, 1);
	world_input(l->s, (struct sim_input){
				  .kind = INPUT_TUNABLE, .a = sim_tunable_index("costs"), .b = 0 });
	world_input(l->s,
		    (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = "/loop", .b = 1024 });
	assert_int_equal(trace_add_probe(&l->s->trace, &probe), 0);
	return l;
}

static inline void loop_free(struct loop *l)
{
	sim_free(l->s);
	free(l);
}

/* Spawn @spec after @delay, pinned, in the group; returns its serial. */
static inline u64 loop_spawn(struct loop *l, struct task_spec *spec, s8 nice, u64 delay)
{
	spec->nice = nice;
	spec->delay = delay;
	snprintf(spec->group, sizeof(spec->group), "/loop");
	world_pin(spec, LOOP_CPU, 2);
	return world_spawn(l->s, spec);
}

static inline task_id loop_task(const struct loop *l, u64 serial)
{
	task_id p = sim_find_task(l->s, serial);

	assert_int_not_equal(p, NONE);
	return p;
}

#endif
