/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim-world.h - small machines, tasks and random workloads for tests of the whole engine.
 */
#ifndef SG_TESTS_SIM_WORLD_H
#define SG_TESTS_SIM_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/access.h"
#include "engine/base/rng.h"
#include "engine/sim.h"

#define MS NSEC_PER_MSEC
#define US NSEC_PER_USEC

struct shape {
	u32 cpus; /* all in one package */
	u32 little; /* the first of them have capacity 312 and their own frequency domain */
	u32 nodes; /* CPUs are dealt to nodes in blocks; one LLC per node */
	u32 smt; /* threads per core */
	bool opps; /* several operating points */
};

/* A machine of that shape; free with machine_free(). */
static inline struct machine_desc *world_machine(struct shape sh)
{
	struct machine_desc c = { .nr_cpus = sh.cpus,
				  .nr_core_types = sh.little ? 2 : 1,
				  .nr_opps = sh.opps ? 6 : 2,
				  .nr_nodes = sh.nodes,
				  .nr_freq_domains = sh.little ? 2 : 1,
				  .nr_cores = sh.cpus / sh.smt,
				  .nr_clusters = sh.nodes,
				  .nr_llcs = sh.nodes,
				  .nr_packages = sh.nodes };

	strcpy(c.name, "test");
	strcpy(c.title, "test");

	struct machine_desc *m = machine_desc_new(&c);
	u32 nr = sh.opps ? 3 : 1;

	strcpy(m->name, "test");
	strcpy(m->title, "test");
	for (u32 i = 0; i < m->nr_core_types; i++) {
		snprintf(m->core_types[i].name, sizeof(m->core_types[i].name), "type%u", i);
		m->core_types[i].smt = sh.smt;
		for (u32 k = 0; k < sh.smt; k++)
			m->core_types[i].smt_throughput_pct[k] = 100 + 25 * k;
	}
	for (u32 i = 0; i < sh.cpus; i++) {
		u32 node = i * sh.nodes / sh.cpus, type = i < sh.little ? 0 : m->nr_core_types - 1;

		m->cpus[i] =
			(struct machine_cpu){ .type = type,
					      .capacity = i < sh.little ? 312 : 1024,
					      .core = i / sh.smt,
					      .thread = i % sh.smt,
					      .cluster = node,
					      .llc = node,
					      .node = node,
					      .package = node,
					      .freq_domain =
						      i < sh.little ? 0 : m->nr_freq_domains - 1 };
	}
	for (u32 d = 0; d < 2; d++) {
		u32 cap = d == 0 && sh.little ? 312 : 1024;

		for (u32 i = 0; i < nr; i++) {
			u32 khz = 2000000 / nr * (i + 1);

			m->opps[d * nr + i] = (struct machine_opp){
				.khz = khz,
				.capacity = cap * (i + 1) / nr,
				.power_uw = cap * 200 * (i + 1) * (i + 1),
				.idle_power_uw = 1000,
			};
		}
	}
	if (!sh.opps)
		m->opps[0].khz = m->opps[1].khz = 2000000;
	for (u32 d = 0; d < m->nr_freq_domains; d++)
		m->freq_domains[d] = (struct machine_freq_domain){ .first_opp = d * nr,
								   .nr_opps = nr,
								   .transition_latency_us = 100,
								   .fast_switch = d == 1 };
	for (u32 a = 0; a < sh.nodes; a++)
		for (u32 b = 0; b < sh.nodes; b++)
			m->distance[a * sh.nodes + b] = a == b ? 10 : 20;
	m->has_energy_model = true;
	return m;
}

static inline struct sim *world_sim(struct shape sh, const char *profile, u64 seed)
{
	struct machine_desc *m = world_machine(sh);
	struct sim_config cfg = { .machine = m, .profile = profile, .seed = seed };
	struct err err = { 0 };
	struct sim *s = sim_new(&cfg, &err);

	if (!s)
		fail_msg("%s", err.msg);
	machine_free(m);
	s->g->tun.costs = 0; /* exact times; a test of costs turns them on */
	return s;
}

/* Give an input that must be accepted; returns the serial of a spawn. */
static inline u64 world_input(struct sim *s, struct sim_input in)
{
	struct err err = { 0 };
	u64 serial = 0;

	if (sim_input(s, &in, &serial, &err))
		fail_msg("%s", err.msg);
	return serial;
}

static inline void world_use(struct sim *s, enum policy_slot slot, const char *name)
{
	int id = sim_policy_index(s, slot, name);

	assert_true(id >= 0);
	world_input(s, (struct sim_input){ .kind = INPUT_USE_POLICY, .a = slot, .b = id });
}

/* Spawn and free the description. */
static inline u64 world_spawn(struct sim *s, struct task_spec *spec)
{
	u64 serial = world_input(s, (struct sim_input){ .kind = INPUT_SPAWN, .spec = spec });

	task_spec_free(spec);
	return serial;
}

static inline void world_step(struct task_spec *spec, enum step_op op, u32 flags, u32 obj, u64 a,
			      u64 b)
{
	struct err err = { 0 };

	if (spec_step(spec, op, flags, obj, a, b, &err) < 0)
		fail_msg("%s", err.msg);
}

static inline u32 world_obj(struct task_spec *spec, const char *name, enum sync_kind kind,
			    bool local)
{
	struct err err = { 0 };
	int o = spec_obj(spec, name, kind, local, &err);

	if (o < 0)
		fail_msg("%s", err.msg);
	return (u32)o;
}

static inline void world_open(struct task_spec *spec, enum step_op op, u64 a)
{
	struct err err = { 0 };

	if (spec_open(spec, op, a, &err) < 0)
		fail_msg("%s", err.msg);
}

static inline void world_close(struct task_spec *spec)
{
	struct err err = { 0 };

	if (spec_close(spec, &err) < 0)
		fail_msg("%s", err.msg);
}

/* for ever: run @run, wait for the next @period (absolute). */
static inline struct task_spec *world_periodic(const char *name, u64 run, u64 period, u64 delay)
{
	struct task_spec *spec = task_spec_new(name);
	u32 t = world_obj(spec, "period", SYNC_TIMER, true);

	spec->delay = delay;
	world_open(spec, STEP_LOOP, 0);
	world_step(spec, STEP_RUN, 0, NONE, run, 0);
	world_step(spec, STEP_TIMER, STEP_F_ABSOLUTE, t, period, 0);
	world_close(spec);
	return spec;
}

static inline struct task_spec *world_hog(const char *name)
{
	struct task_spec *spec = task_spec_new(name);

	world_step(spec, STEP_RUN, 0, NONE, ~0ull, 0);
	return spec;
}

static inline struct task_spec *world_pin(struct task_spec *spec, cpu_id cpu, u32 nr_cpus)
{
	u64 words[MACHINE_WORDS(MACHINE_MAX_CPUS)] = { 0 };
	struct err err = { 0 };

	words[cpu / 64] |= 1ull << (cpu % 64);
	spec->cpus = (u32)spec_mask(spec, words, (nr_cpus + 63) / 64, &err);
	return spec;
}

static inline void world_run(struct sim *s, ktime_ns until)
{
	if (sim_run_until(s, until, 0) == SIM_ERROR)
		fail_msg("%s", s->err.msg);
}

static inline void world_check(const struct sim *s)
{
	struct err err = { 0 };

	if (sim_check(s, &err))
		fail_msg("at %llu ns, event %llu: %s", (unsigned long long)s->g->now,
			 (unsigned long long)s->g->ordinal, err.msg);
}

/* world_run_checked - and every invariant at the end. */
static inline void world_run_checked(struct sim *s, ktime_ns until)
{
	world_run(s, until);
	world_check(s);
}

static inline void world_tune(struct sim *s, const char *name, s64 value)
{
	world_input(s, (struct sim_input){
			       .kind = INPUT_TUNABLE, .a = sim_tunable_index(name), .b = value });
}

/* A group of 1024 shares below @parent. */
static inline u32 world_group(struct sim *s, const char *name, u32 parent)
{
	world_input(s, (struct sim_input){
			       .kind = INPUT_GROUP_NEW, .text = name, .a = parent, .b = 1024 });
	return sim_find_group(s, name);
}

static inline u64 world_spawn_in(struct sim *s, struct task_spec *spec, const char *group)
{
	snprintf(spec->group, sizeof(spec->group), "%s", group);
	return world_spawn(s, spec);
}

/* The task of a spawn, which must be alive; its time on a CPU; the CPUs it may use, of the first 64. */
static inline task_id world_task_id(const struct sim *s, u64 serial)
{
	task_id p = sim_find_task(s, serial);

	assert_int_not_equal(p, NONE);
	return p;
}

static inline const struct task *world_task(const struct sim *s, u64 serial)
{
	return &s->tasks[world_task_id(s, serial)];
}

static inline u64 world_exec(const struct sim *s, u64 serial)
{
	return sim_task_exec_now(s, world_task_id(s, serial));
}

static inline u64 world_cpus_of(const struct sim *s, u64 serial)
{
	return mask_get(s, world_task(s, serial)->cpus)[0];
}

/* Serial of the task that runs on @cpu, ~0 for none. */
static inline u64 world_running(const struct sim *s, cpu_id cpu)
{
	task_id p = s->rqs[cpu].curr;

	return p == NONE ? ~0ull : s->tasks[p].serial;
}

#endif
