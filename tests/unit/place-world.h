/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place-world.h - situations for tests of placement: busy CPUs, a sleeping task, and the question
 * where it would wake, with the reason.
 */
#ifndef SG_TESTS_PLACE_WORLD_H
#define SG_TESTS_PLACE_WORLD_H

#include "tests/sim-world.h"

#include "engine/hw/energy.h"
#include "engine/policy/place_linux.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/util_est.h"

/* A task that ran for 1 ms at 0 and sleeps. */
static inline struct task_spec *sleeper(const char *name)
{
	struct task_spec *spec = task_spec_new(name);

	world_step(spec, STEP_RUN, 0, NONE, MS, 0);
	world_step(spec, STEP_SLEEP, 0, NONE, 100000 * MS, 0);
	return spec;
}

/* Hogs on the CPUs of @busy, a sleeper that last ran on @prev, 40 ms in. */
static inline struct sim *scene_of(const char *profile, struct shape sh, u64 busy, cpu_id prev,
				   task_id *p)
{
	struct sim *s = world_sim(sh, profile, 1);
	u64 serial = world_spawn(s, world_pin(sleeper("p"), prev, sh.cpus));

	world_use(s, SLOT_BALANCE, "none");
	world_use(s, SLOT_NEWIDLE, "none");
	world_run(s, 20 * MS);
	for (cpu_id c = 0; c < sh.cpus; c++)
		if (busy >> c & 1)
			world_spawn(s, world_pin(world_hog("hog"), c, sh.cpus));
	world_run(s, 40 * MS);
	*p = sim_find_task(s, serial);
	assert_int_not_equal(*p, NONE);
	assert_int_equal(s->tasks[*p].cpu, prev);
	/* Pinned so far; from now on it may go anywhere. */
	s->tasks[*p].cpus = 0;
	s->tasks[*p].nr_cpus_allowed = sh.cpus;
	s->tasks[*p].recent_used_cpu = prev;
	return s;
}

static inline struct sim *scene(struct shape sh, u64 busy, cpu_id prev, task_id *p)
{
	return scene_of(NULL, sh, busy, prev, p);
}

struct seen {
	u32 cpu, rule, nr;
};

static inline void see(void *ctx, const struct trace_rec *rec)
{
	struct seen *seen = ctx;

	seen->cpu = (u32)rec->a;
	seen->rule = (u32)rec->b;
	seen->nr++;
}

static inline struct seen ask(struct sim *s, const char *policy, task_id p, cpu_id this_cpu,
			      u32 flags)
{
	struct seen seen = { 0 };
	int id = sim_policy_index(s, SLOT_PLACE, policy);
	const struct place_ops *ops;
	u64 mask = s->trace.mask;

	assert_true(id >= 0);
	ops = s->registry[id]->ops;
	s->trace.probes[0] = (struct trace_probe){ TRACE_BIT(TR_select_cpu), see, &seen };
	s->trace.nr_probes = 1;
	s->trace.mask |= TRACE_BIT(TR_select_cpu);

	cpu_id cpu = ops->select_task_rq(s, NULL, p, s->tasks[p].cpu, this_cpu, flags);

	s->trace.nr_probes = 0;
	s->trace.mask = mask;
	assert_int_equal(seen.nr, 1);
	assert_int_equal(seen.cpu, cpu);
	return seen;
}

/* The answer must be CPU @cpu for the reason @rule. */
static inline void expect(struct sim *s, const char *policy, task_id p, cpu_id this_cpu, u32 flags,
			  cpu_id cpu, enum place_rule rule)
{
	struct seen seen = ask(s, policy, p, this_cpu, flags);

	assert_string_equal(place_rule_descs[seen.rule].name, place_rule_descs[rule].name);
	assert_int_equal(seen.cpu, cpu);
}

/* Give the sleeping task a utilisation, up to date with its queue. */
static inline void set_util(struct sim *s, task_id p, u32 util)
{
	struct sched_avg *a = &s->task_se[p].avg;

	a->util_avg = util;
	a->util_est = util;
	a->util_est_ewma = util;
	a->last_update_time = cfs_rq_of(s, p)->avg.last_update_time;
}

static inline void forget_util(struct sim *s)
{
	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		struct sched_avg *a = &root_cfs(s, c)->avg;

		a->util_avg = a->runnable_avg = a->load_avg = a->util_est = 0;
	}
	s->g->overutilized = 0;
}

/* Little cores at a third of the power, as real ones are. */
static inline void thrifty_little(struct sim *s)
{
	const struct freq_domain *fd = &s->fds[s->topo[0].fd];

	for (u32 i = 0; i < fd->nr_opps; i++)
		s->opps[fd->first_opp + i].power_uw /= 3;
	em_domain_init(s, s->topo[0].fd);
}

#endif
