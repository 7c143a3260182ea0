/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * digest.c - three simulations with the engine alone, one line "name digest events" each. Built
 * several ways by digest.test: every compiler has to give the same lines.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/rng.h"
#include "engine/sim.h"

#define MS NSEC_PER_MSEC
#define US NSEC_PER_USEC

static void die(const struct err *err)
{
	fprintf(stderr, "%s\n", err->msg);
	exit(1);
}

/* @cpus CPUs; the first @little are small and in a domain of their own; @nodes nodes; threads. */
static struct machine_desc *machine(u32 cpus, u32 little, u32 nodes, u32 smt)
{
	struct machine_desc c = { .name = "digest",
				  .nr_cpus = cpus,
				  .nr_core_types = 1,
				  .nr_opps = 8,
				  .nr_freq_domains = 2,
				  .nr_idle_states = 1,
				  .nr_nodes = nodes,
				  .nr_cores = cpus / smt,
				  .nr_clusters = nodes,
				  .nr_llcs = nodes,
				  .nr_packages = nodes,
				  .has_energy_model = little > 0 };
	struct machine_desc *m = machine_desc_new(&c);

	if (!m)
		abort();
	m->core_types[0] = (struct machine_core_type){ "core", smt, { 100, 130 } };
	for (u32 i = 0; i < 8; i++) {
		u32 step = i % 4 + 1, cap = i < 4 && little ? 400 : 1024;

		m->opps[i] = (struct machine_opp){ .khz = 600000 * step,
						   .capacity = cap * step / 4,
						   .power_uw = 3 * cap * step * step * 37 };
	}
	m->freq_domains[0] = (struct machine_freq_domain){ 0, 4, 150, false };
	m->freq_domains[1] = (struct machine_freq_domain){ 4, 4, 50, true };
	for (u32 i = 0; i < cpus; i++) {
		bool small = i < little;
		u32 node = i * nodes / cpus;

		m->cpus[i] = (struct machine_cpu){ .capacity = small ? 400 : 1024,
						   .core = i / smt,
						   .thread = i % smt,
						   .cluster = node,
						   .llc = node,
						   .node = node,
						   .package = node,
						   .freq_domain = little ? !small : i >= cpus / 2 };
		machine_mask_set(m->idle_states[0].cpus, i);
	}
	m->idle_states[0].exit_us = 30;
	m->idle_states[0].residency_us = 200;
	for (u32 a = 0; a < nodes; a++)
		for (u32 b = 0; b < nodes; b++)
			m->distance[a * nodes + b] = a == b ? 10 : 20;
	return m;
}

static void spawn(struct sim *s, struct task_spec *spec)
{
	struct sim_input in = { .kind = INPUT_SPAWN, .spec = spec };
	struct err err = { 0 };

	if (sim_input(s, &in, NULL, &err))
		die(&err);
	task_spec_free(spec);
}

/* For ever: run between @run and 2 * @run, then sleep about @sleep, exponentially distributed. */
static void worker(struct sim *s, u32 i, u64 run, u64 sleep)
{
	char name[16];
	struct err err = { 0 };

	snprintf(name, sizeof(name), "w%u", i);

	struct task_spec *spec = task_spec_new(name);

	spec->nice = (s8)((int)(i * 7 % 40) - 20);
	spec->delay = i * 300 * US;
	if (spec_open(spec, STEP_LOOP, 0, &err) < 0 ||
	    spec_step(spec, STEP_RUN, STEP_F_UNIFORM, NONE, run, run, &err) < 0 ||
	    spec_step(spec, STEP_SLEEP, STEP_F_EXP, NONE, sleep, 0, &err) < 0 ||
	    spec_close(spec, &err) < 0)
		die(&err);
	spawn(s, spec);
}

static void change(struct sim *s, struct sim_input in)
{
	struct err err = { 0 };

	if (sim_input(s, &in, NULL, &err))
		die(&err);
}

static void until(struct sim *s, u64 t)
{
	if (sim_run_until(s, t, 0) == SIM_ERROR)
		die(&s->err);
}

static void use(struct sim *s, enum policy_slot slot, const char *name)
{
	change(s, (struct sim_input){ .kind = INPUT_USE_POLICY,
				      .a = slot,
				      .b = sim_policy_index(s, slot, name) });
}

static void run(const char *name, struct machine_desc *m, const char *profile, u32 tasks)
{
	struct sim_config cfg = { .machine = m, .profile = profile, .seed = 12345 };
	struct err err = { 0 };
	struct sim *s = sim_new(&cfg, &err);

	if (!s)
		die(&err);
	machine_free(m);
	change(s, (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = "/g", .b = 512 });
	for (u32 i = 0; i < tasks; i++)
		worker(s, i, (100 + 70 * i) * US, (1 + i % 5) * MS);
	until(s, 150 * MS);
	for (u64 i = 0; i < tasks / 2; i++)
		change(s, (struct sim_input){ .kind = INPUT_SET_GROUP, .serial = i, .a = 1 });
	change(s, (struct sim_input){ .kind = INPUT_FREQ_CAP, .a = 1, .b = 1300000 });
	change(s,
	       (struct sim_input){
		       .kind = INPUT_GROUP_MAX, .a = 1, .b = (s64)(9 * MS), .c = (s64)(20 * MS) });
	until(s, 300 * MS);
	use(s, SLOT_GOVERNOR, "ondemand");
	use(s, SLOT_UTIL_EST, "revert");
	until(s, 450 * MS);
	use(s, SLOT_PICK, "stride");
	until(s, 600 * MS);
	if (sim_check(s, &err))
		die(&err);
	printf("%s %016llx %llu\n", name, (unsigned long long)sim_digest(s),
	       (unsigned long long)s->g->ordinal);
	sim_free(s);
}

int main(void)
{
	run("hybrid", machine(8, 6, 1, 1), "v6.12", 14);
	run("nodes", machine(16, 0, 4, 2), "v6.12", 40);
	run("old", machine(4, 0, 1, 1), "v6.1", 9);
	return 0;
}
