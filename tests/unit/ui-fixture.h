/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ui-fixture.h - a small machine, a few tasks and a host that notes commands: what the tests of
 * views share. Everything is deterministic, so a screen can be compared with a committed one.
 */
#ifndef SG_TESTS_UNIT_UI_FIXTURE_H
#define SG_TESTS_UNIT_UI_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sim.h"
#include "ui/ui.h"

struct fixture {
	struct sim *s;
	struct ui *ui;
	char last[256]; /* last command line given to the host */
	int ncommands;
	s64 load; /* the one knob */
};

struct shape {
	u32 little, big, nodes, smt;
};

/*
 * @little CPUs of capacity 400 and @big ones of 1024, a frequency domain each; repeated on @nodes
 * nodes; big cores with @smt threads.
 */
static inline struct machine_desc *fixture_machine(struct shape f)
{
	static const u32 khz[2][3] = { { 600000, 1200000, 1800000 }, { 800000, 1600000, 2400000 } };
	u32 per = f.little + f.big, n = per * f.nodes, kinds = (f.little > 0) + (f.big > 0);
	struct machine_desc counts = { .nr_cpus = n,
				       .nr_core_types = 2,
				       .nr_opps = 6,
				       .nr_freq_domains = kinds * f.nodes,
				       .nr_nodes = f.nodes,
				       .nr_clusters = kinds * f.nodes,
				       .nr_llcs = f.nodes,
				       .nr_packages = f.nodes,
				       .nr_cores = f.nodes * (f.little + f.big / f.smt),
				       .has_energy_model = false };
	struct machine_desc *m;
	u32 core = 0;

	snprintf(counts.name, sizeof(counts.name), "tiny");
	m = machine_desc_new(&counts);
	snprintf(m->core_types[0].name, sizeof(m->core_types[0].name), "little");
	snprintf(m->core_types[1].name, sizeof(m->core_types[1].name), "big");
	for (u32 t = 0; t < 2; t++) {
		m->core_types[t].smt = t ? f.smt : 1;
		for (u32 k = 0; k < MACHINE_MAX_SMT; k++)
			m->core_types[t].smt_throughput_pct[k] = 100 + (k ? 25 : 0);
		for (u32 k = 0; k < 3; k++)
			m->opps[t * 3 + k] = (struct machine_opp){
				.khz = khz[t][k],
				.capacity =
					(t ? 1024 : 400) * (khz[t][k] / 1000) / (khz[t][2] / 1000),
				.power_uw = 50000 * (k + 1) * (t ? 6 : 1),
				.idle_power_uw = 5000,
			};
	}
	for (u32 i = 0; i < n; i++) {
		u32 node = i / per, at = i % per, big = at >= f.little;
		struct machine_cpu *c = &m->cpus[i];

		c->type = big;
		c->capacity = big ? 1024 : 400;
		c->thread = big ? (at - f.little) % f.smt : 0;
		c->core = c->thread ? core - 1 : core++;
		c->node = c->llc = c->package = node;
		c->cluster = c->freq_domain = node * kinds + (kinds == 2 ? big : 0);
		m->freq_domains[c->freq_domain].first_opp = big * 3;
		m->freq_domains[c->freq_domain].nr_opps = 3;
		m->freq_domains[c->freq_domain].fast_switch = true;
	}
	for (u32 a = 0; a < f.nodes; a++)
		for (u32 b = 0; b < f.nodes; b++)
			m->distance[a * f.nodes + b] = a == b ? 10 : 20;
	return m;
}

/*
 * A task on CPU @cpu that works @run of every @period at full speed of the biggest CPU; run 0: for
 * ever. Pinned, so that a better placement some day does not change every screen.
 */
static inline void fixture_spawn(struct sim *s, const char *name, cpu_id cpu, int nice, u64 run,
				 u64 period)
{
	u64 mask[MACHINE_WORDS(MACHINE_MAX_CPUS)] = { 0 };
	struct task_spec *spec = task_spec_new(name);
	struct err err = { 0 };
	struct sim_input in = { .kind = INPUT_SPAWN, .origin = ORIGIN_SCRIPT, .spec = spec };

	mask[cpu / 64] = 1ull << cpu % 64;
	spec->cpus = (u32)spec_mask(spec, mask, s->g->mask_words, &err);
	spec->nice = (s8)nice;
	if (run) {
		spec_open(spec, STEP_LOOP, 0, &err);
		spec_step(spec, STEP_RUN, 0, NONE, run, 0, &err);
		spec_step(spec, STEP_SLEEP, 0, NONE, period - run, 0, &err);
		spec_close(spec, &err);
	} else {
		spec_step(spec, STEP_RUN, 0, NONE, ~0ull, 0, &err);
	}
	if (sim_input(s, &in, NULL, &err))
		fprintf(stderr, "# spawn %s: %s\n", name, err.msg);
	task_spec_free(spec);
}

static inline struct sim *fixture_sim(struct shape f)
{
	struct machine_desc *m = fixture_machine(f);
	struct err err = { 0 };
	struct sim_config cfg = { .machine = m, .seed = 1, .trace_records = 4096 };
	struct sim *s = sim_new(&cfg, &err);
	/* Without costs a screen does not change because one of them was measured better. */
	struct sim_input ideal = { .kind = INPUT_TUNABLE,
				   .origin = ORIGIN_SCRIPT,
				   .a = sim_tunable_index("costs"),
				   .b = 0 };

	if (!s || sim_input(s, &ideal, NULL, &err))
		fprintf(stderr, "# %s\n", err.msg);
	machine_free(m);
	return s;
}

static inline void fixture_command(void *ctx, const char *line)
{
	struct fixture *f = ctx;

	snprintf(f->last, sizeof(f->last), "%s", line);
	f->ncommands++;
}

static inline bool fixture_palette(void *ctx, u32 i, struct ui_command_row *row)
{
	static const struct ui_command_row rows[] = {
		{ "toggle", "", "run if paused, pause if running" },
		{ "speed", "RATIO|up|down|max", "simulated seconds per real second" },
		{ "quit", "", "leave" },
	};

	(void)ctx;
	if (i >= ARRAY_SIZE(rows))
		return false;
	*row = rows[i];
	return true;
}

static inline bool fixture_knob(void *ctx, u32 i, struct ui_knob *k)
{
	struct fixture *f = ctx;

	if (i > 1)
		return false;
	*k = i ? (struct ui_knob){ .name = "pick.slice_us",
				   .unit = "us",
				   .help = "base slice",
				   .value = 3000,
				   .min = 100,
				   .max = 100000,
				   .setting = true }
	       : (struct ui_knob){ .name = "load",
				   .unit = "%",
				   .help = "how busy the web tasks are",
				   .value = f->load,
				   .min = 0,
				   .max = 100,
				   .step = 5 };
	return true;
}

/* Let time pass as the application does: up to each sample. */
static inline void fixture_run(struct fixture *f, ktime_ns until)
{
	while (f->s->g->now < until) {
		ktime_ns next = ui_sample_next(f->ui);

		if (sim_run_until(f->s, next < until ? next : until, 0) == SIM_ERROR) {
			fprintf(stderr, "# %s\n", f->s->err.msg);
			return;
		}
		if (f->s->g->now >= next)
			ui_sample(f->ui, f->s);
	}
}

static inline void fixture_ui(struct fixture *f, struct sim *s, enum glyph_set set,
			      const char *colours)
{
	struct ui_host host = { .ctx = f,
				.command = fixture_command,
				.palette = fixture_palette,
				.knob = fixture_knob };
	struct ui_facts facts = { .scenario = "fixture",
				  .title = "a few tasks",
				  .about = "Shows the screen.\nTry: nothing.",
				  .machine = "2+2",
				  .running = true,
				  .ratio = 10000,
				  .achieved = 10000 };
	struct palette p;

	memset(f, 0, sizeof(*f));
	f->load = 40;
	f->s = s;
	f->ui = ui_new(&host, s);
	palette_init(&p, colours, 256, false);
	ui_looks(f->ui, set, &p);
	ui_set_facts(f->ui, &facts);
}

/* The usual one: a phone with two kinds of cores and some work, 3.2 seconds in. */
static inline void fixture_start(struct fixture *f, enum glyph_set set, const char *colours)
{
	struct sim *s = fixture_sim((struct shape){ 2, 2, 1, 1 });

	fixture_spawn(s, "video", 0, 0, 4 * NSEC_PER_MSEC, 16 * NSEC_PER_MSEC);
	fixture_spawn(s, "web", 3, -5, 30 * NSEC_PER_MSEC, 200 * NSEC_PER_MSEC);
	fixture_spawn(s, "indexer", 2, 10, 0, 0);
	fixture_spawn(s, "audio\033[31m", 1, -10, 500 * NSEC_PER_USEC, 10 * NSEC_PER_MSEC);
	fixture_ui(f, s, set, colours);
	fixture_run(f, 3200 * NSEC_PER_MSEC);
}

static inline void fixture_end(struct fixture *f)
{
	ui_free(f->ui);
	sim_free(f->s);
}

static inline void fixture_cmd(struct fixture *f, const char *line)
{
	char buf[256], *argv[8], *save = NULL;
	struct err err = { 0 };
	int argc = 0;

	snprintf(buf, sizeof(buf), "%s", line);
	for (char *w = strtok_r(buf, " ", &save); w && argc < 8; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	if (ui_command(f->ui, f->s, argc, argv, &err))
		fprintf(stderr, "# %s: %s\n", line, err.msg);
}

/* The screen as text; the caller frees. */
static inline char *fixture_screen(struct fixture *f, int w, int h, const struct palette *ansi)
{
	struct canvas c;
	int cx, cy;
	char *text;

	canvas_init(&c, w, h);
	ui_draw(f->ui, f->s, &c, &cx, &cy);
	text = ansi ? canvas_ansi(&c, ansi, false) : canvas_dump(&c, false);
	canvas_fini(&c);
	return text;
}

#endif
