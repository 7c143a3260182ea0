/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topo_show.c - a machine and its sched domains as text and JSON. See topo.h.
 *
 * Text leaves out the repetitions of large machines (JSON has all): of one level at most
 * TEXT_GROUPS sets of CPUs are shown.
 */
#include "app/topo.h"

#include "app/text.h"
#include "app/xalloc.h"
#include "engine/base/cpumask.h"
#include "engine/sched/domain.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_GROUPS 16u
#define TEXT_NODES 16u

/* The CPUs for which member @at of machine_cpu is @id, as a list; the caller frees. */
static char *cpus_with(const struct machine_desc *m, size_t at, u32 id)
{
	u32 words = MACHINE_WORDS(m->nr_cpus);
	u64 *mask = xcalloc(words, sizeof(*mask));
	char *list = xcalloc(8, m->nr_cpus + 4);

	for (u32 c = 0; c < m->nr_cpus; c++)
		if (*(const u32 *)((const char *)&m->cpus[c] + at) == id)
			machine_mask_set(mask, c);
	cpumask_format(mask, words, list, 8 * ((size_t)m->nr_cpus + 4));
	free(mask);
	return list;
}

static char *mask_text(const u64 *mask, u32 nr_cpus)
{
	char *list = xcalloc(8, nr_cpus + 4);

	return cpumask_format(mask, MACHINE_WORDS(nr_cpus), list, 8 * ((size_t)nr_cpus + 4));
}

static const char *const scopes[] = { "cpu", "cluster", "system" };

/* ---- text ---- */

static void text_level(const struct machine_desc *m, struct strbuf *b, const char *name, size_t at,
		       u32 nr)
{
	strbuf_printf(b, "%s\n", name);
	for (u32 i = 0; i < nr; i++) {
		char *list;

		if (i == TEXT_GROUPS) {
			strbuf_printf(b, "  ... and %u more\n", nr - i);
			break;
		}
		list = cpus_with(m, at, i);
		strbuf_printf(b, "  %3u  cpus %s\n", i, list);
		free(list);
	}
}

static void text_types(const struct machine_desc *m, struct strbuf *b)
{
	strbuf_puts(b, "core types\n");
	for (u32 t = 0; t < m->nr_core_types; t++) {
		char *list = cpus_with(m, offsetof(struct machine_cpu, type), t), name[40];
		u32 cap = 0;

		for (u32 c = 0; c < m->nr_cpus; c++)
			if (m->cpus[c].type == t)
				cap = m->cpus[c].capacity;
		text_clean(name, sizeof(name), m->core_types[t].name);
		strbuf_printf(b, "  %3u  %s, capacity %u, %u thread%s per core", t, name, cap,
			      m->core_types[t].smt, m->core_types[t].smt > 1 ? "s" : "");
		for (u32 k = 1; k < m->core_types[t].smt; k++)
			strbuf_printf(b, "%s%u", k > 1 ? "/" : ", throughput % 100/",
				      m->core_types[t].smt_throughput_pct[k]);
		strbuf_printf(b, ", cpus %s\n", list);
		free(list);
	}
}

static void text_opps(const struct sim *s, struct strbuf *b, u32 d)
{
	const struct freq_domain *fd = &s->fds[d];

	strbuf_puts(b, "            kHz  capacity   power uW      cost\n");
	for (u32 i = 0; i < fd->nr_opps; i++) {
		const struct opp *o = &s->opps[fd->first_opp + i];

		strbuf_printf(b, "       %8u  %8u  %9u  %8llu%s\n", o->khz, o->capacity,
			      o->power_uw, (unsigned long long)o->cost,
			      opp_inefficient(s, d, i) ? "  inefficient" : "");
	}
}

static void text_freq(const struct sim *s, struct strbuf *b)
{
	const struct machine_desc *m = s->machine;

	strbuf_puts(b, "frequency domains\n");
	for (u32 d = 0; d < m->nr_freq_domains; d++) {
		const struct machine_freq_domain *fd = &m->freq_domains[d];
		u32 same = 0, before = 0;
		char *list;

		for (u32 e = 0; e < m->nr_freq_domains; e++) {
			same += m->freq_domains[e].first_opp == fd->first_opp;
			before += e < d && m->freq_domains[e].first_opp == fd->first_opp;
		}
		if (before)
			continue;
		list = cpus_with(m, offsetof(struct machine_cpu, freq_domain), d);
		strbuf_printf(b, "  %3u  cpus %s, %s switch, %u us", d, list,
			      fd->fast_switch ? "fast" : "slow", fd->transition_latency_us);
		if (same > 1)
			strbuf_printf(b, "; %u more domains with this table", same - 1);
		strbuf_puts(b, "\n");
		text_opps(s, b, d);
		free(list);
	}
}

static void text_idle(const struct machine_desc *m, struct strbuf *b)
{
	strbuf_puts(b, m->nr_idle_states
			       ? "idle states          scope    entry us  exit us  residency us "
				 "  power uW  cpus\n"
			       : "idle states: none\n");
	for (u32 i = 0; i < m->nr_idle_states; i++) {
		const struct machine_idle_state *st = &m->idle_states[i];
		char *list = mask_text(st->cpus, m->nr_cpus), name[40];

		text_clean(name, sizeof(name), st->name);
		strbuf_printf(b, "  %-18s %-8s %8u %8u  %12u %10u  %s\n", name, scopes[st->scope],
			      st->entry_us, st->exit_us, st->residency_us, st->power_uw, list);
		free(list);
	}
}

static void text_perf_domains(const struct sim *s, struct strbuf *b)
{
	u32 nr = arena_len(&s->arena, POOL_PERF_DOMAIN);

	if (!s->machine->has_energy_model || !nr) {
		strbuf_puts(b, "performance domains: none, no energy-aware placement\n");
		return;
	}
	strbuf_puts(b, "performance domains\n");
	for (u32 i = 0; i < nr; i++) {
		char *list = cpus_with(s->machine, offsetof(struct machine_cpu, freq_domain),
				       s->perf_domains[i].fd);

		strbuf_printf(b, "  %3u  cpus %s, frequency domain %u\n", i, list,
			      s->perf_domains[i].fd);
		free(list);
	}
}

static void flags_text(u32 flags, struct strbuf *b)
{
	const char *sep = "";

	for (u32 i = 0; i < SD_NR_FLAGS; i++) {
		if (!(flags >> i & 1))
			continue;
		strbuf_printf(b, "%s%s", sep, sd_flag_names[i]);
		sep = " ";
	}
}

/* Equal domains of other CPUs: same level of the kernel, same CPUs. */
static bool seen_before(const struct sim *s, u32 sd)
{
	const struct sched_domain *d = &s->domains[sd];

	/* The CPU of the first one is the lowest of its span or, with overlap, any lower one. */
	for_each_cpu_mask(c, sd_span(s, sd), s->g->mask_words)
	{
		if (c >= d->cpu)
			break;
		for_each_domain(s, c, other) if (s->domains[other].kind == d->kind &&
						 s->domains[other].level == d->level &&
						 cpumask_equal(sd_span(s, other), sd_span(s, sd),
							       s->g->mask_words)) return true;
	}
	return false;
}

static void text_domain(const struct sim *s, u32 sd, struct strbuf *b)
{
	const struct sched_domain *d = &s->domains[sd];
	char *list = mask_text(sd_span(s, sd), s->g->nr_cpus);
	u32 nr = 0;

	strbuf_printf(b, "  %-4s  cpus %s\n        groups", sd_kind_names[d->kind], list);
	free(list);
	for_each_group(s, sd, sg)
	{
		if (nr++ < TEXT_GROUPS) {
			list = mask_text(sg_span(s, sg), s->g->nr_cpus);
			strbuf_printf(b, " {%s}", list);
			free(list);
		}
	}
	if (nr > TEXT_GROUPS)
		strbuf_printf(b, " ... and %u more", nr - TEXT_GROUPS);
	strbuf_puts(b, "\n        flags  ");
	flags_text(d->flags, b);
	strbuf_printf(b, "\n        imbalance %u %%, interval %u to %u ms\n", d->imbalance_pct,
		      d->min_interval, d->max_interval);
}

static void text_domains(const struct sim *s, struct strbuf *b)
{
	u32 shown[5] = { 0 }, more[5] = { 0 };

	strbuf_puts(b, "sched domains\n");
	for (u32 kind = 0; kind < 5; kind++) {
		for (u32 c = 0; c < s->g->nr_cpus; c++) {
			for_each_domain(s, c, sd)
			{
				if (s->domains[sd].kind != kind || seen_before(s, sd))
					continue;
				if (shown[kind] < 8) {
					text_domain(s, sd, b);
					shown[kind]++;
				} else {
					more[kind]++;
				}
			}
		}
		if (more[kind])
			strbuf_printf(b, "  %-4s  ... and %u more\n", sd_kind_names[kind],
				      more[kind]);
	}
	if (!shown[0] && !shown[1] && !shown[2] && !shown[3] && !shown[4])
		strbuf_puts(b, "  none: one CPU has nothing to balance\n");
}

static void text_numa(const struct machine_desc *m, struct strbuf *b)
{
	const struct machine_comm *c = &m->comm_ns;
	u32 n = m->nr_nodes < TEXT_NODES ? m->nr_nodes : TEXT_NODES;
	const u32 ns[] = { c->smt, c->cluster, c->llc, c->node, c->package };
	static const char *const names[] = { "smt", "cluster", "llc", "node", "package" };

	strbuf_puts(b, "distances\n     ");
	for (u32 i = 0; i < n; i++)
		strbuf_printf(b, "%4u", i);
	strbuf_puts(b, "\n");
	for (u32 a = 0; a < n; a++) {
		strbuf_printf(b, "%5u", a);
		for (u32 i = 0; i < n; i++)
			strbuf_printf(b, "%4u", m->distance[a * m->nr_nodes + i]);
		strbuf_puts(b, m->node_memory && !m->node_memory[a] ? "  no memory\n" : "\n");
	}
	if (n < m->nr_nodes)
		strbuf_printf(b, "  ... %u nodes in all\n", m->nr_nodes);
	strbuf_puts(b, "moving a cache line, ns:");
	for (u32 i = 0; i < ARRAY_SIZE(ns); i++)
		if (ns[i])
			strbuf_printf(b, " %s %u", names[i], ns[i]);
	for (u32 i = 0; i < c->nr_remote; i++)
		strbuf_printf(b, " remote%u %u", i + 1, c->remote[i]);
	strbuf_puts(b, "\n");
}

static void text_count(struct strbuf *b, const char *sep, u32 n, const char *what)
{
	strbuf_printf(b, "%s%u %s%s", sep, n, what, n == 1 ? "" : "s");
}

void topo_text(const struct sim *s, struct strbuf *b)
{
	const struct machine_desc *m = s->machine;
	char name[64], title[128];

	text_clean(name, sizeof(name), m->name);
	text_clean(title, sizeof(title), m->title);
	strbuf_printf(b, "%s: %s\n", name, title);
	text_count(b, "", m->nr_cpus, "CPU");
	text_count(b, ", ", m->nr_cores, "core");
	text_count(b, ", ", m->nr_clusters, "cluster");
	text_count(b, ", ", m->nr_llcs, "last-level cache");
	text_count(b, ", ", m->nr_nodes, "node");
	text_count(b, ", ", m->nr_packages, "package");
	strbuf_puts(b, "\n");
	text_types(m, b);
	if (m->nr_cores < m->nr_cpus)
		text_level(m, b, "cores", offsetof(struct machine_cpu, core), m->nr_cores);
	if (m->nr_clusters > 1 && m->nr_clusters < m->nr_cores)
		text_level(m, b, "clusters", offsetof(struct machine_cpu, cluster), m->nr_clusters);
	text_level(m, b, "last-level caches", offsetof(struct machine_cpu, llc), m->nr_llcs);
	text_level(m, b, "nodes", offsetof(struct machine_cpu, node), m->nr_nodes);
	if (m->nr_packages > 1)
		text_level(m, b, "packages", offsetof(struct machine_cpu, package), m->nr_packages);
	text_freq(s, b);
	text_idle(m, b);
	text_perf_domains(s, b);
	text_domains(s, b);
	text_numa(m, b);
}

/* ---- JSON ---- */

static void jw_list(struct jsonout *j, const char *key, char *list)
{
	jw_text(j, key, list);
	free(list);
}

static void json_cpus(const struct machine_desc *m, struct jsonout *j)
{
	jw_open(j, "cpus", true);
	for (u32 i = 0; i < m->nr_cpus; i++) {
		const struct machine_cpu *c = &m->cpus[i];

		jw_open(j, NULL, false);
		jw_uint(j, "cpu", i);
		jw_text(j, "type", m->core_types[c->type].name);
		jw_uint(j, "capacity", c->capacity);
		if (c->performance)
			jw_uint(j, "performance", c->performance);
		jw_uint(j, "core", c->core);
		jw_uint(j, "thread", c->thread);
		jw_uint(j, "cluster", c->cluster);
		jw_uint(j, "llc", c->llc);
		jw_uint(j, "node", c->node);
		jw_uint(j, "package", c->package);
		jw_uint(j, "freq_domain", c->freq_domain);
		jw_close(j);
	}
	jw_close(j);
}

static void json_freq(const struct sim *s, struct jsonout *j)
{
	const struct machine_desc *m = s->machine;

	jw_open(j, "freq_domains", true);
	for (u32 d = 0; d < m->nr_freq_domains; d++) {
		const struct machine_freq_domain *fd = &m->freq_domains[d];

		jw_open(j, NULL, false);
		jw_uint(j, "id", d);
		jw_list(j, "cpus", cpus_with(m, offsetof(struct machine_cpu, freq_domain), d));
		jw_bool(j, "fast_switch", fd->fast_switch);
		jw_uint(j, "transition_latency_us", fd->transition_latency_us);
		jw_open(j, "opps", true);
		for (u32 i = 0; i < fd->nr_opps; i++) {
			const struct opp *o = &s->opps[s->fds[d].first_opp + i];

			jw_open(j, NULL, false);
			jw_uint(j, "khz", o->khz);
			jw_uint(j, "capacity", o->capacity);
			jw_uint(j, "power_uw", o->power_uw);
			jw_uint(j, "cost", o->cost);
			jw_bool(j, "inefficient", opp_inefficient(s, d, i));
			jw_close(j);
		}
		jw_close(j);
		jw_close(j);
	}
	jw_close(j);
	jw_open(j, "perf_domains", true);
	for (u32 i = 0; m->has_energy_model && i < arena_len(&s->arena, POOL_PERF_DOMAIN); i++) {
		jw_open(j, NULL, false);
		jw_uint(j, "freq_domain", s->perf_domains[i].fd);
		jw_list(j, "cpus",
			cpus_with(m, offsetof(struct machine_cpu, freq_domain),
				  s->perf_domains[i].fd));
		jw_close(j);
	}
	jw_close(j);
}

static void json_idle(const struct machine_desc *m, struct jsonout *j)
{
	jw_open(j, "idle_states", true);
	for (u32 i = 0; i < m->nr_idle_states; i++) {
		const struct machine_idle_state *st = &m->idle_states[i];

		jw_open(j, NULL, false);
		jw_text(j, "name", st->name);
		jw_text(j, "scope", scopes[st->scope]);
		jw_list(j, "cpus", mask_text(st->cpus, m->nr_cpus));
		jw_uint(j, "entry_us", st->entry_us);
		jw_uint(j, "exit_us", st->exit_us);
		jw_uint(j, "residency_us", st->residency_us);
		jw_uint(j, "power_uw", st->power_uw);
		jw_bool(j, "local_timer_stop", st->local_timer_stop);
		jw_close(j);
	}
	jw_close(j);
}

static void json_domains(const struct sim *s, struct jsonout *j)
{
	jw_open(j, "sched_domains", true);
	for (u32 c = 0; c < s->g->nr_cpus; c++) {
		jw_open(j, NULL, false);
		jw_uint(j, "cpu", c);
		jw_open(j, "domains", true);
		for_each_domain(s, c, sd)
		{
			const struct sched_domain *d = &s->domains[sd];
			struct strbuf flags = { 0 };

			flags_text(d->flags, &flags);
			jw_open(j, NULL, false);
			jw_text(j, "name", sd_kind_names[d->kind]);
			jw_list(j, "cpus", mask_text(sd_span(s, sd), s->g->nr_cpus));
			jw_text(j, "flags", strbuf_str(&flags));
			jw_uint(j, "imbalance_pct", d->imbalance_pct);
			jw_uint(j, "min_interval_ms", d->min_interval);
			jw_uint(j, "max_interval_ms", d->max_interval);
			jw_open(j, "groups", true);
			for_each_group(s, sd, sg)
				jw_list(j, NULL, mask_text(sg_span(s, sg), s->g->nr_cpus));
			jw_close(j);
			jw_close(j);
			strbuf_fini(&flags);
		}
		jw_close(j);
		jw_close(j);
	}
	jw_close(j);
}

static void json_numa(const struct machine_desc *m, struct jsonout *j)
{
	jw_open(j, "nodes", true);
	for (u32 n = 0; n < m->nr_nodes; n++) {
		jw_open(j, NULL, false);
		jw_uint(j, "id", n);
		jw_list(j, "cpus", cpus_with(m, offsetof(struct machine_cpu, node), n));
		jw_bool(j, "memory", !m->node_memory || m->node_memory[n]);
		jw_open(j, "distances", true);
		for (u32 k = 0; k < m->nr_nodes; k++)
			jw_uint(j, NULL, m->distance[n * m->nr_nodes + k]);
		jw_close(j);
		jw_close(j);
	}
	jw_close(j);
}

void topo_json(const struct sim *s, struct jsonout *j)
{
	const struct machine_desc *m = s->machine;

	jw_text(j, "name", m->name);
	jw_text(j, "title", m->title);
	jw_bool(j, "energy_model", m->has_energy_model);
	json_cpus(m, j);
	json_freq(s, j);
	json_idle(m, j);
	json_domains(s, j);
	json_numa(m, j);
}
