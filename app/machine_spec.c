/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine_spec.c - machines from specs. See machine_spec.h.
 *
 * A spec borrows tables from a shipped machine (its model) and lays out new CPUs over them: each
 * new CPU is like one CPU of the model, so idle states and operating points follow by that alone.
 */
#include "app/machine_spec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/machine.h"
#include "app/text.h"
#include "app/xalloc.h"

#define MAX_PARTS 3u
/* A node further away costs as much more as the distances 10 and 20 say. */
#define REMOTE_DISTANCE 20u

struct spec {
	u32 part[MAX_PARTS];
	u32 nr;
	char sep; /* '+', 'x' or 0 */
};

static int bad(struct err *err, const char *spec, size_t at, const char *why)
{
	char shown[48];

	text_clean(shown, sizeof(shown), spec);
	return err_at(
		err, ERR_USAGE, 0, (int)at + 1,
		"machine spec '%s', character %zu: %s; allowed are A+B or A+B+C (little, middle, "
		"big cores), NxM (nodes of CPUs) and a plain number, with at most %u CPUs; try 6+2",
		shown, at + 1, why, MACHINE_MAX_CPUS);
}

static int read_spec(const char *text, struct spec *s, struct err *err)
{
	size_t at = 0;

	for (;;) {
		u64 v = 0;
		size_t start = at;

		while (isdigit((u8)text[at]) && v <= MACHINE_MAX_CPUS)
			v = v * 10 + (u64)(text[at++] - '0');
		if (at == start)
			return bad(err, text, at, "a number is missing");
		if (v < 1 || v > MACHINE_MAX_CPUS)
			return bad(err, text, start, v ? "too large" : "a part of 0 CPUs");
		s->part[s->nr++] = (u32)v;
		if (!text[at])
			return 0;

		char sep = text[at] == 'X' ? 'x' : text[at];

		if (sep != '+' && sep != 'x')
			return bad(err, text, at, "neither '+' nor 'x'");
		if (s->sep && sep != s->sep)
			return bad(err, text, at, "'+' and 'x' do not mix");
		if (s->nr == MAX_PARTS || (sep == 'x' && s->nr == 2))
			return bad(err, text, at, "too many parts");
		s->sep = sep;
		at++;
	}
}

/* Copy the model's tables to a machine of @nr CPUs whose cpu i is like cpu @like[i] of the model. */
static struct machine_desc *lay_out(const struct machine_desc *model,
				    const struct machine_desc *counts, const u32 *like)
{
	struct machine_desc *m = machine_desc_new(counts);

	if (!m)
		return NULL;
	memcpy(m->core_types, model->core_types, m->nr_core_types * sizeof(*m->core_types));
	memcpy(m->opps, model->opps, m->nr_opps * sizeof(*m->opps));
	m->comm_ns = model->comm_ns;
	m->has_energy_model = model->has_energy_model;
	for (u32 c = 0; c < m->nr_cpus; c++)
		m->cpus[c] = model->cpus[like[c]];

	u32 kept = 0;

	for (u32 i = 0; i < model->nr_idle_states; i++) {
		struct machine_idle_state *s = &m->idle_states[kept];
		u64 *cpus = s->cpus, any = 0;

		*s = model->idle_states[i];
		s->cpus = cpus;
		memset(cpus, 0, MACHINE_WORDS(m->nr_cpus) * sizeof(*cpus));
		for (u32 c = 0; c < m->nr_cpus; c++)
			if (machine_mask_test(model->idle_states[i].cpus, like[c]))
				machine_mask_set(cpus, c);
		for (u32 w = 0; w < MACHINE_WORDS(m->nr_cpus); w++)
			any |= cpus[w];
		kept += any != 0;
	}
	for (u32 i = kept; i < m->nr_idle_states; i++)
		free(m->idle_states[i].cpus);
	m->nr_idle_states = kept;
	return m;
}

/* Little, middle and big cores; every kind has its frequency domain and cluster, one LLC for all. */
static struct machine_desc *hybrid(const struct spec *s, const struct machine_desc *model)
{
	struct machine_desc counts = *model, *m;
	u32 nr = 0, like[MACHINE_MAX_CPUS] = { 0 };

	for (u32 p = 0; p < s->nr; p++) {
		u32 first = 0;

		/* The model numbers its domains from little to big. */
		while (model->cpus[first].freq_domain != p)
			first++;
		for (u32 i = 0; i < s->part[p]; i++)
			like[nr++] = first;
	}
	counts.nr_cpus = counts.nr_cores = nr;
	m = lay_out(model, &counts, like);
	for (u32 c = 0; m && c < nr; c++) {
		m->cpus[c].core = c;
		m->cpus[c].thread = 0;
	}
	if (m) {
		memcpy(m->freq_domains, model->freq_domains,
		       m->nr_freq_domains * sizeof(*m->freq_domains));
		m->distance[0] = 10;
	}
	return m;
}

/* @nodes nodes of @cpus CPUs each. */
static struct machine_desc *equal_nodes(u32 nodes, u32 cpus, const struct machine_desc *model)
{
	struct machine_desc counts = *model, *m;
	u32 like[MACHINE_MAX_CPUS] = { 0 };

	counts.nr_cpus = counts.nr_cores = counts.nr_freq_domains = nodes * cpus;
	counts.nr_nodes = counts.nr_packages = counts.nr_llcs = counts.nr_clusters = nodes;
	m = lay_out(model, &counts, like);
	for (u32 c = 0; m && c < m->nr_cpus; c++) {
		struct machine_cpu *cpu = &m->cpus[c];

		cpu->core = cpu->freq_domain = c;
		cpu->node = cpu->package = cpu->llc = cpu->cluster = c / cpus;
		m->freq_domains[c] = model->freq_domains[0];
	}
	for (u32 a = 0; m && a < nodes; a++)
		for (u32 b = 0; b < nodes; b++)
			m->distance[a * nodes + b] = a == b ? 10 : REMOTE_DISTANCE;
	if (m && nodes > 1 && !m->comm_ns.nr_remote) {
		m->comm_ns.nr_remote = 1;
		m->comm_ns.remote[0] = m->comm_ns.llc * REMOTE_DISTANCE / 10;
	}
	return m;
}

int machine_spec_parse(const char *text, const char *dir, struct machine_desc **out,
		       struct err *err)
{
	struct spec s = { 0 };
	struct machine_desc *model, *m;
	u64 total = 0;

	*out = NULL;
	if (read_spec(text, &s, err))
		return -1;
	for (u32 i = 0; i < s.nr; i++)
		total = s.sep == 'x' && i ? total * s.part[i] : total + s.part[i];
	if (total > MACHINE_MAX_CPUS)
		return bad(err, text, 0, "too many CPUs");
	if (s.sep == 'x' && s.part[0] > MACHINE_MAX_NODES)
		return bad(err, text, 0, "more than 256 nodes");

	const char *name = s.sep != '+' ? "smp8" : s.nr == 2 ? "sc7180" : "gs101";
	char *path = xasprintf("%s/%s.json", dir, name);
	int ret = machine_load(path, dir, &model, NULL, err);

	free(path);
	if (ret)
		return err_wrap(err, "machine spec '%s' needs the shipped machine %s", text, name);
	if (s.sep == '+' && model->nr_freq_domains != s.nr) {
		machine_free(model);
		return err_set(err, ERR_USAGE,
			       "the shipped machine %s does not serve as a model for '%s'", name,
			       text);
	}
	if (s.sep == '+')
		m = hybrid(&s, model);
	else
		m = equal_nodes(s.sep ? s.part[0] : 1, s.part[s.nr - 1], model);
	machine_free(model);
	if (!m)
		return err_set(err, ERR_LIMIT, "no memory for a machine of %llu CPUs",
			       (unsigned long long)total);
	snprintf(m->name, sizeof(m->name), "%s", text);
	if (s.sep == '+')
		snprintf(m->title, sizeof(m->title), "%s cores like those of %s", text, name);
	else
		snprintf(m->title, sizeof(m->title), "%u node%s of %u equal CPUs",
			 s.sep ? s.part[0] : 1, s.sep && s.part[0] > 1 ? "s" : "",
			 s.part[s.nr - 1]);
	if (machine_validate(m, err)) {
		machine_free(m);
		return err_wrap(err, "machine spec '%s'", text);
	}
	*out = m;
	return 0;
}
