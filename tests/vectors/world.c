/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * world.c - the simulation a script of run queues acts on: made by sim_new(), no program runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/policy/util_est_rule.h"
#include "engine/sched/core.h"
#include "engine/sched/features.h"
#include "engine/sched/group.h"
#include "engine/workload/workload.h"
#include "tests/vectors/vectors.h"

extern const struct sched_policy pick_fifo, governor_performance;

#define MAX_TASKS 64

static void fill(struct machine_desc *m)
{
	m->nr_cores = m->nr_clusters = VEC_CPUS;
	m->nr_llcs = m->nr_packages = 1;
	snprintf(m->name, sizeof(m->name), "vectors");
	snprintf(m->core_types[0].name, sizeof(m->core_types[0].name), "core");
	m->core_types[0].smt = 1;
	m->core_types[0].smt_throughput_pct[0] = 100;
	m->opps[0] = (struct machine_opp){ .khz = 1000000, .capacity = 1024 };
	m->freq_domains[0] = (struct machine_freq_domain){ .nr_opps = 1, .fast_switch = true };
	m->distance[0] = 10;
	for (u32 i = 0; i < VEC_CPUS; i++)
		m->cpus[i] = (struct machine_cpu){ .capacity = 1024, .core = i, .cluster = i };
}

struct sim *vec_world(struct vec *v)
{
	static const struct machine_desc counts = {
		.nr_cpus = VEC_CPUS,
		.nr_core_types = 1,
		.nr_opps = 1,
		.nr_freq_domains = 1,
		.nr_nodes = 1,
	};
	struct err err = { 0 };

	if (v->sim)
		return v->sim;

	struct machine_desc *m = machine_desc_new(&counts);

	if (!m)
		abort();
	fill(m);

	struct sim_config cfg = { .machine = m, .profile = v->v6_1 ? "v6.1" : NULL };

	v->sim = sim_new(&cfg, &err);
	machine_free(m);
	if (!v->sim || sim_room(v->sim, NONE, MAX_TASKS, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(2);
	}
	/* Scripts begin at 0 on every clock. */
	for (cpu_id c = 0; c < v->sim->g->nr_cpus; c++) {
		struct rq *rq = &v->sim->rqs[c];

		rq->clock_task = rq->clock_pelt = rq->clock_task_mult = 0;
	}
	/* The order among tasks does not matter here, but every one must leave when it blocks. */
	v->sim->pick = pick_fifo.ops;
	v->sim->policy[SLOT_PICK] = &pick_fifo;
	v->sim->policy[SLOT_GOVERNOR] = &governor_performance;
	v->sim->uest = (v->v6_1 ? &util_est_v5_4 : &util_est_runnable)->ops;
	v->sim->g->tun.uest_before = !v->v6_1;
	return v->sim;
}

void vec_world_free(struct vec *v)
{
	sim_free(v->sim);
	v->sim = NULL;
}

task_id vec_task_find(struct vec *v, const char *name)
{
	for_each_live(p, &v->sim->arena, POOL_TASK)
	{
		if (!strcmp(v->sim->tasks[p].comm, name))
			return p;
	}
	return NONE;
}

task_id vec_task_new(struct vec *v, const char *name, u32 tg, cpu_id cpu)
{
	struct sim *s = v->sim;
	task_id p = arena_alloc(&s->arena, POOL_TASK);
	struct sched_entity *se = &s->task_se[p];
	struct task *t = &s->tasks[p];

	*t = (struct task){
		.id = p,
		.state = TASK_SLEEPING,
		.cpu = cpu,
		.tg = tg,
		.uclamp_max = SCHED_CAPACITY_SCALE,
		.list_prev = NONE,
		.list_next = NONE,
		.hist = NONE,
	};
	snprintf(t->comm, sizeof(t->comm), "%s", name);
	*se = (struct sched_entity){ .parent = NONE, .my_q = NONE };
	set_task_rq(s, p, cpu);
	return p;
}
