/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine.c - machine files to descriptions. See machine.h; the schema's keys are those of the files
 * below scenarios/machine/.
 *
 * Each read_* function takes one section of the file. Whatever is only wrong in relation to
 * something else is left to machine_validate(), and its complaint is given a place afterwards.
 */
#include "app/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/text.h"
#include "app/xalloc.h"
#include "engine/base/cpumask.h"
#include "engine/sched/costs.h"

#define SCHEMA "sched-playground-hw/1"
#define MAX_OPPS_PER_DOMAIN 256u
#define MAX_CORE_TYPES 256u
#define MAX_IDLE_STATES 1024u

/* Everything the sections share. */
struct loader {
	struct json_doc *doc;
	struct machine_desc *m;
	u32 *file_domain; /* of each CPU, as the file numbers them */
	u32 nr_file_domains;
	const cJSON *cpus, *types, *domains, *idle, *numa, *nodes, *distances;
	u32 words;
	struct err *err;
};

static int fail_count(struct loader *l, const cJSON *list, const char *what, int nr, u32 min,
		      u32 max)
{
	return json_fail(l->doc, list, l->err, ERR_USAGE,
			 "%d entries in '%s'; %u to %u are allowed", nr, what, min, max);
}

/* Entries of @list must be objects whose id is their position. */
static int check_entry(struct loader *l, const cJSON *entry, const char *what, u32 i)
{
	u32 id;

	if (!cJSON_IsObject(entry)) {
		char buf[64];

		return json_fail(l->doc, entry, l->err, ERR_USAGE,
				 "an entry of '%s' is %s; an object {...} is allowed", what,
				 json_describe(entry, buf, sizeof(buf)));
	}
	if (json_get_u32(l->doc, entry, "id", 0, MACHINE_MAX_CPUS, &id, l->err))
		return -1;
	if (id != i)
		return json_fail(l->doc, json_member(entry, "id"), l->err, ERR_USAGE,
				 "'id' is %u in entry %u of '%s'; ids count from 0 in order", id, i,
				 what);
	return 0;
}

/* The list @key of @object with @min..@max entries; its length to *@nr. */
static int counted_list(struct loader *l, const cJSON *object, const char *key, u32 min, u32 max,
			const cJSON **list, u32 *nr)
{
	int n;

	if (json_get_list(l->doc, object, key, min == 0, list, l->err))
		return -1;
	n = *list ? cJSON_GetArraySize(*list) : 0;
	if (n < (int)min || n > (int)max)
		return fail_count(l, *list, key, n, min, max);
	*nr = (u32)n;
	return 0;
}

/* Member @key of @object, a CPU list such as "0-3,8", into @mask. */
static int get_cpulist(struct loader *l, const cJSON *object, const char *key, u64 *mask)
{
	const cJSON *m = json_member(object, key);
	struct err e = { 0 };
	char buf[64];

	if (!m)
		return json_fail(l->doc, object, l->err, ERR_USAGE,
				 "'%s' is missing here (a CPU list such as \"0-3,8\")", key);
	if (!cJSON_IsString(m))
		return json_fail(l->doc, m, l->err, ERR_USAGE,
				 "'%s' is %s; a CPU list such as \"0-3,8\" is allowed", key,
				 json_describe(m, buf, sizeof(buf)));
	if (cpumask_parse(mask, l->words, l->m->nr_cpus, m->valuestring, &e))
		return json_fail(l->doc, m, l->err, ERR_USAGE, "'%s': %s", key, e.msg);
	return 0;
}

static int read_counts(struct loader *l, struct machine_desc *counts)
{
	const cJSON *root = l->doc->root, *list;
	u32 nr = 0, files = 0;

	if (json_get_u32(l->doc, root, "nr_cpus", 1, MACHINE_MAX_CPUS, &counts->nr_cpus, l->err) ||
	    counted_list(l, root, "cpus", 1, MACHINE_MAX_CPUS, &l->cpus, &nr))
		return -1;
	if (nr != counts->nr_cpus)
		return json_fail(l->doc, json_member(root, "nr_cpus"), l->err, ERR_USAGE,
				 "'nr_cpus' is %u, but 'cpus' has %u entries", counts->nr_cpus, nr);
	if (counted_list(l, root, "core_types", 1, MAX_CORE_TYPES, &l->types,
			 &counts->nr_core_types) ||
	    counted_list(l, root, "freq_domains", 1, counts->nr_cpus, &l->domains, &files) ||
	    counted_list(l, root, "idle_states", 0, MAX_IDLE_STATES, &l->idle, &nr) ||
	    json_get_object(l->doc, root, "numa", false, &l->numa, l->err) ||
	    counted_list(l, l->numa, "nodes", 1, MACHINE_MAX_NODES, &l->nodes, &counts->nr_nodes) ||
	    counted_list(l, l->numa, "distances", 1, MACHINE_MAX_NODES, &l->distances, &nr))
		return -1;
	l->nr_file_domains = files;

	const cJSON *domain;

	cJSON_ArrayForEach(domain, l->domains)
	{
		if (!cJSON_IsObject(domain))
			return json_fail(l->doc, domain, l->err, ERR_USAGE,
					 "an entry of 'freq_domains' is no object {...}");
		if (counted_list(l, domain, "opps", 1, MAX_OPPS_PER_DOMAIN, &list, &nr))
			return -1;
		counts->nr_opps += nr;
	}
	return 0;
}

static int read_types(struct loader *l)
{
	const cJSON *entry, *list, *pct;
	u32 i = 0, nr = 0;

	cJSON_ArrayForEach(entry, l->types)
	{
		struct machine_core_type *t = &l->m->core_types[i];
		u32 k = 0;

		if (check_entry(l, entry, "core_types", i++) ||
		    json_get_text(l->doc, entry, "name", t->name, sizeof(t->name), false, l->err) ||
		    json_get_u32(l->doc, entry, "smt", 1, MACHINE_MAX_SMT, &t->smt, l->err) ||
		    counted_list(l, entry, "smt_throughput_pct", 1, MACHINE_MAX_SMT, &list, &nr))
			return -1;
		if (nr != t->smt)
			return json_fail(
				l->doc, list, l->err, ERR_USAGE,
				"'smt_throughput_pct' has %u entries, 'smt' is %u; one per "
				"number of busy threads",
				nr, t->smt);
		cJSON_ArrayForEach(pct, list)
		{
			s64 v;

			if (!json_whole(pct, &v) || v < 1 || v > 100 * (s64)MACHINE_MAX_SMT)
				return json_fail(l->doc, pct, l->err, ERR_USAGE,
						 "an entry of 'smt_throughput_pct' is no whole "
						 "number from 1 to %u",
						 100 * MACHINE_MAX_SMT);
			t->smt_throughput_pct[k++] = (u32)v;
		}
	}
	return 0;
}

static int read_cpus(struct loader *l)
{
	struct machine_desc *m = l->m;
	const cJSON *entry;
	u32 i = 0, last = m->nr_cpus - 1;

	cJSON_ArrayForEach(entry, l->cpus)
	{
		struct machine_cpu *c = &m->cpus[i];

		if (check_entry(l, entry, "cpus", i))
			return -1;

		const struct {
			const char *key;
			u32 max, *out;
		} fields[] = {
			{ "type", m->nr_core_types - 1, &c->type },
			{ "capacity", SCHED_CAPACITY_SCALE, &c->capacity },
			{ "core", last, &c->core },
			{ "thread", MACHINE_MAX_SMT - 1, &c->thread },
			{ "cluster", last, &c->cluster },
			{ "llc", last, &c->llc },
			{ "node", m->nr_nodes - 1, &c->node },
			{ "package", last, &c->package },
			{ "freq_domain", l->nr_file_domains - 1, &l->file_domain[i] },
		};

		for (size_t k = 0; k < ARRAY_SIZE(fields); k++)
			if (json_get_u32(l->doc, entry, fields[k].key, 0, fields[k].max,
					 fields[k].out, l->err))
				return -1;
		if (json_member(entry, "performance") &&
		    json_get_u32(l->doc, entry, "performance", 1, SCHED_CAPACITY_SCALE,
				 &c->performance, l->err))
			return -1;
		m->nr_cores = c->core + 1 > m->nr_cores ? c->core + 1 : m->nr_cores;
		m->nr_clusters = c->cluster + 1 > m->nr_clusters ? c->cluster + 1 : m->nr_clusters;
		m->nr_llcs = c->llc + 1 > m->nr_llcs ? c->llc + 1 : m->nr_llcs;
		m->nr_packages = c->package + 1 > m->nr_packages ? c->package + 1 : m->nr_packages;
		i++;
	}
	return 0;
}

/* Does the file's group list @list agree with what the CPUs say (@ids, one per CPU)? */
static int check_groups(struct loader *l, const cJSON *list, const char *what, const char *key,
			const u32 *ids, size_t stride)
{
	u64 *mask = xcalloc(l->words, sizeof(*mask));
	const cJSON *entry;
	u32 i = 0;
	int ret = 0;

	cJSON_ArrayForEach(entry, list)
	{
		ret = check_entry(l, entry, what, i) || get_cpulist(l, entry, "cpus", mask);
		for (u32 c = 0; !ret && c < l->m->nr_cpus; c++) {
			u32 id = ids[c * stride];

			if ((id == i) != cpumask_test(mask, c))
				ret = json_fail(
					l->doc, json_member(entry, "cpus"), l->err, ERR_USAGE,
					"entry %u of '%s' %s cpu %u, whose '%s' is %u; both "
					"must say the same",
					i, what, id == i ? "leaves out" : "lists", c, key, id);
		}
		if (ret)
			break;
		i++;
	}
	free(mask);
	return ret ? -1 : 0;
}

static int read_groups(struct loader *l)
{
	const struct machine_cpu *c = l->m->cpus;
	size_t stride = sizeof(*c) / sizeof(u32);
	const cJSON *root = l->doc->root, *clusters, *llcs, *packages;

	if (json_get_list(l->doc, root, "clusters", true, &clusters, l->err) ||
	    json_get_list(l->doc, root, "llcs", true, &llcs, l->err) ||
	    json_get_list(l->doc, root, "packages", true, &packages, l->err))
		return -1;
	if (check_groups(l, clusters, "clusters", "cluster", &c->cluster, stride) ||
	    check_groups(l, llcs, "llcs", "llc", &c->llc, stride) ||
	    check_groups(l, packages, "packages", "package", &c->package, stride) ||
	    check_groups(l, l->nodes, "nodes", "node", &c->node, stride) ||
	    check_groups(l, l->domains, "freq_domains", "freq_domain", l->file_domain, 1))
		return -1;
	return 0;
}

static int read_opps(struct loader *l, const cJSON *domain, struct machine_opp *o)
{
	const cJSON *entry;

	cJSON_ArrayForEach(entry, json_member(domain, "opps"))
	{
		if (!cJSON_IsObject(entry))
			return json_fail(l->doc, entry, l->err, ERR_USAGE,
					 "an entry of 'opps' is no object {...}");
		if (json_get_u32(l->doc, entry, "khz", 1, 100000000, &o->khz, l->err) ||
		    json_get_u32(l->doc, entry, "capacity", 1, SCHED_CAPACITY_SCALE, &o->capacity,
				 l->err) ||
		    json_get_u32(l->doc, entry, "power_uw", 0, 1000000000, &o->power_uw, l->err) ||
		    json_get_u32_or(l->doc, entry, "idle_power_uw", 0, 1000000000, 0,
				    &o->idle_power_uw, l->err))
			return -1;
		o++;
	}
	return 0;
}

/* Give the cores of file domain @d domains of their own, in the order of their first CPUs. */
static void expand_per_core(struct loader *l, u32 d, const struct machine_freq_domain *like)
{
	struct machine_desc *m = l->m;
	u32 *of_core = xcalloc(m->nr_cores, sizeof(*of_core));

	memset(of_core, 0xff, m->nr_cores * sizeof(*of_core));
	for (u32 c = 0; c < m->nr_cpus; c++) {
		u32 core = m->cpus[c].core;

		if (l->file_domain[c] != d)
			continue;
		if (of_core[core] == NONE) {
			of_core[core] = m->nr_freq_domains;
			m->freq_domains[m->nr_freq_domains++] = *like;
		}
		m->cpus[c].freq_domain = of_core[core];
	}
	free(of_core);
}

/* freq_domains has room for one per CPU; nr_freq_domains counts up from 0. */
static int read_domains(struct loader *l)
{
	struct machine_desc *m = l->m;
	u32 d = 0, opp = 0;
	const cJSON *entry;

	cJSON_ArrayForEach(entry, l->domains)
	{
		struct machine_freq_domain f = { .first_opp = opp };
		char granularity[16];

		f.nr_opps = (u32)cJSON_GetArraySize(json_member(entry, "opps"));
		if (json_get_u32_or(l->doc, entry, "transition_latency_us", 0, 1000000, 0,
				    &f.transition_latency_us, l->err) ||
		    json_get_bool_or(l->doc, entry, "fast_switch", false, &f.fast_switch, l->err) ||
		    json_get_text(l->doc, entry, "granularity", granularity, sizeof(granularity),
				  true, l->err) ||
		    read_opps(l, entry, m->opps + opp))
			return -1;
		opp += f.nr_opps;
		if (!strcmp(granularity, "per_core")) {
			expand_per_core(l, d, &f);
		} else if (!granularity[0] || !strcmp(granularity, "shared")) {
			for (u32 c = 0; c < m->nr_cpus; c++)
				if (l->file_domain[c] == d)
					m->cpus[c].freq_domain = m->nr_freq_domains;
			m->freq_domains[m->nr_freq_domains++] = f;
		} else {
			return json_fail(l->doc, json_member(entry, "granularity"), l->err,
					 ERR_USAGE,
					 "'granularity' is '%s'; shared or per_core is allowed",
					 granularity);
		}
		d++;
	}
	return 0;
}

static u32 lowest_power(const struct machine_desc *m, u32 cpu)
{
	return m->opps[m->freq_domains[m->cpus[cpu].freq_domain].first_opp].power_uw;
}

static struct machine_idle_state *append_idle(struct machine_desc *m, u32 words,
					      const struct machine_idle_state *like)
{
	m->idle_states =
		xrealloc_array(m->idle_states, m->nr_idle_states + 1, sizeof(*m->idle_states));

	struct machine_idle_state *s = &m->idle_states[m->nr_idle_states++];

	*s = *like;
	s->cpus = xcalloc(words, sizeof(u64));
	return s;
}

/*
 * A state without a power figure: the first state of a CPU draws 5 % of its lowest operating point,
 * deeper ones nothing. CPUs of one state may differ in that, so the state is split by it.
 */
static void append_without_power(struct loader *l, const struct machine_idle_state *like,
				 u64 *had_first)
{
	struct machine_desc *m = l->m;
	u64 *left = xcalloc(l->words, sizeof(*left));

	cpumask_copy(left, like->cpus, l->words);
	while (!cpumask_empty(left, l->words)) {
		struct machine_idle_state *s = append_idle(m, l->words, like);
		u32 first = cpumask_first(left, l->words);
		bool shallow = like->scope == MACHINE_SCOPE_CPU && !cpumask_test(had_first, first);

		s->power_uw = shallow ? lowest_power(m, first) / 20 : 0;
		for_each_cpu_mask(c, left, l->words)
		{
			bool same = shallow ? !cpumask_test(had_first, c) &&
						      lowest_power(m, c) == lowest_power(m, first)
					    : like->scope != MACHINE_SCOPE_CPU ||
						      cpumask_test(had_first, c);

			if (same)
				cpumask_set(s->cpus, c);
		}
		cpumask_andnot(left, left, s->cpus, l->words);
	}
	free(left);
}

static int read_idle(struct loader *l)
{
	static const char *const scopes[] = { "cpu", "cluster", "system" };
	u64 *had_first = xcalloc(l->words, sizeof(*had_first));
	u64 *cpus = xcalloc(l->words, sizeof(*cpus));
	const cJSON *entry;
	int ret = -1;

	cJSON_ArrayForEach(entry, l->idle)
	{
		struct machine_idle_state s = { .cpus = cpus };
		char scope[16];
		size_t k = 0;

		if (!cJSON_IsObject(entry)) {
			json_fail(l->doc, entry, l->err, ERR_USAGE,
				  "an entry of 'idle_states' is no object {...}");
			goto out;
		}
		if (json_get_text(l->doc, entry, "name", s.name, sizeof(s.name), false, l->err) ||
		    json_get_text(l->doc, entry, "scope", scope, sizeof(scope), false, l->err) ||
		    json_get_u32(l->doc, entry, "entry_us", 0, 1000000, &s.entry_us, l->err) ||
		    json_get_u32(l->doc, entry, "exit_us", 0, 1000000, &s.exit_us, l->err) ||
		    json_get_u32(l->doc, entry, "residency_us", 0, 100000000, &s.residency_us,
				 l->err) ||
		    json_get_u32_or(l->doc, entry, "power_uw", 0, 1000000000, 0, &s.power_uw,
				    l->err) ||
		    json_get_bool_or(l->doc, entry, "local_timer_stop", false, &s.local_timer_stop,
				     l->err) ||
		    get_cpulist(l, entry, "cpus", cpus))
			goto out;
		while (k < ARRAY_SIZE(scopes) && strcmp(scope, scopes[k]))
			k++;
		if (k == ARRAY_SIZE(scopes)) {
			json_fail(l->doc, json_member(entry, "scope"), l->err, ERR_USAGE,
				  "'scope' is '%s'; cpu, cluster or system is allowed", scope);
			goto out;
		}
		s.scope = (u8)k;
		if (json_member(entry, "power_uw"))
			cpumask_copy(append_idle(l->m, l->words, &s)->cpus, cpus, l->words);
		else
			append_without_power(l, &s, had_first);
		if (s.scope == MACHINE_SCOPE_CPU)
			cpumask_or(had_first, had_first, cpus, l->words);
	}
	ret = 0;
out:
	free(had_first);
	free(cpus);
	return ret;
}

static int read_numa(struct loader *l)
{
	struct machine_desc *m = l->m;
	const cJSON *row, *cell, *node;
	u32 a = 0, i = 0;

	cJSON_ArrayForEach(row, l->distances)
	{
		u32 b = 0;

		if (!cJSON_IsArray(row) || cJSON_GetArraySize(row) != (int)m->nr_nodes ||
		    a == m->nr_nodes)
			return json_fail(
				l->doc, row, l->err, ERR_USAGE,
				"'distances' has to be %u rows of %u numbers, one per node",
				m->nr_nodes, m->nr_nodes);
		cJSON_ArrayForEach(cell, row)
		{
			s64 v;

			if (!json_whole(cell, &v) || v < 10 || v > 255)
				return json_fail(l->doc, cell, l->err, ERR_USAGE,
						 "a distance is no whole number from 10 to 255");
			m->distance[a * m->nr_nodes + b++] = (u32)v;
		}
		a++;
	}
	if (a != m->nr_nodes)
		return json_fail(l->doc, l->distances, l->err, ERR_USAGE,
				 "'distances' has %u rows for %u nodes", a, m->nr_nodes);
	cJSON_ArrayForEach(node, l->nodes)
	{
		if (json_get_bool_or(l->doc, node, "memory", true, &m->node_memory[i++], l->err))
			return -1;
	}
	return 0;
}

/* Optional: what kernel paths cost here, in place of costs.def. */
static int read_costs(struct loader *l)
{
	const cJSON *list, *entry;

	if (json_get_list(l->doc, l->doc->root, "scheduler_costs_ns", true, &list, l->err))
		return -1;
	cJSON_ArrayForEach(entry, list)
	{
		char path[32], name[48];
		u32 ns, id = 0;

		if (!cJSON_IsObject(entry))
			return json_fail(l->doc, entry, l->err, ERR_USAGE,
					 "an entry of 'scheduler_costs_ns' is no object {...}");
		if (json_get_text(l->doc, entry, "path", path, sizeof(path), false, l->err) ||
		    json_get_u32(l->doc, entry, "ns", 0, 1000000000, &ns, l->err))
			return -1;
		snprintf(name, sizeof(name), "cost_%s_ns", path);
		while (id < NR_COSTS && strcmp(cost_descs[id].name, name))
			id++;
		if (id == NR_COSTS)
			return json_fail(l->doc, json_member(entry, "path"), l->err, ERR_USAGE,
					 "'path' is '%s', which is no cost; 'list knobs' has them, "
					 "as cost_PATH_ns",
					 path);
		l->m->cost_ns[id] = ns;
		l->m->cost_given[id] = true;
	}
	return 0;
}

static int read_comm(struct loader *l)
{
	struct machine_comm *c = &l->m->comm_ns;
	const cJSON *list, *entry;
	const struct {
		const char *name;
		u32 *out;
	} levels[] = { { "smt", &c->smt },
		       { "cluster", &c->cluster },
		       { "llc", &c->llc },
		       { "node", &c->node },
		       { "package", &c->package } };

	if (json_get_list(l->doc, l->doc->root, "comm_latency_ns", true, &list, l->err))
		return -1;
	cJSON_ArrayForEach(entry, list)
	{
		char level[16];
		u32 ns, *out = NULL;

		if (!cJSON_IsObject(entry))
			return json_fail(l->doc, entry, l->err, ERR_USAGE,
					 "an entry of 'comm_latency_ns' is no object {...}");
		if (json_get_text(l->doc, entry, "level", level, sizeof(level), false, l->err) ||
		    json_get_u32(l->doc, entry, "ns", 1, 1000000, &ns, l->err))
			return -1;
		for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
			if (!strcmp(level, levels[i].name))
				out = levels[i].out;
		if (!strncmp(level, "remote", 6)) {
			/* remote, remote2, remote3, ...: in this order. */
			u32 rank = level[6] ? (u32)strtoul(level + 6, NULL, 10) - 1 : 0;

			if (rank == c->nr_remote && rank < MACHINE_MAX_REMOTE)
				out = &c->remote[c->nr_remote++];
		}
		if (!out)
			return json_fail(
				l->doc, json_member(entry, "level"), l->err, ERR_USAGE,
				"'level' is '%s'; smt, cluster, llc, node, package, and "
				"then remote, remote2 ... in order (at most %u) are allowed",
				level, MACHINE_MAX_REMOTE);
		*out = ns;
	}
	return 0;
}

/*
 * Firmware registers an energy model where it knows the power of the CPUs: from a power meter, a
 * vendor's table or device-tree coefficients, for domains that change frequency together. Guessed
 * tables still serve the energy metric, but no kernel would place tasks by them.
 */
static bool knows_power(const struct loader *l)
{
	const cJSON *entry;
	bool basis = true, coefficients = true;

	cJSON_ArrayForEach(entry, l->domains)
	{
		const cJSON *b = json_member(entry, "power_basis");
		const cJSON *g = json_member(entry, "granularity");

		if (cJSON_IsString(g) && !strcmp(g->valuestring, "per_core"))
			return false;
		basis &= cJSON_IsString(b) && strcmp(b->valuestring, "estimated") != 0;
	}
	cJSON_ArrayForEach(entry, l->types)
	{
		coefficients &= json_member(entry, "dyn_power_coeff_uw_mhz_v2") != NULL;
	}
	return basis || coefficients;
}

/* What machine_validate() complains about begins with the kind of object: find it in the file. */
static const cJSON *culprit(const struct loader *l, const char *msg)
{
	u32 i;

	if (sscanf(msg, "cpu %u:", &i) == 1)
		return cJSON_GetArrayItem(l->cpus, (int)i);
	if (sscanf(msg, "core type %u", &i) == 1)
		return cJSON_GetArrayItem(l->types, (int)i);
	if (!strncmp(msg, "distance", 8))
		return l->distances;
	if (!strncmp(msg, "idle state", 10))
		return l->idle;
	if (sscanf(msg, "frequency domain %u", &i) == 1) {
		for (u32 c = 0; c < l->m->nr_cpus; c++)
			if (l->m->cpus[c].freq_domain == i)
				return cJSON_GetArrayItem(l->domains, (int)l->file_domain[c]);
		return l->domains;
	}
	return l->cpus;
}

static int check_schema(struct loader *l)
{
	const cJSON *root = l->doc->root;
	char schema[40];

	if (!cJSON_IsObject(root)) {
		char buf[64];

		return json_fail(l->doc, root, l->err, ERR_USAGE,
				 "a machine file is one object {...}; this is %s",
				 json_describe(root, buf, sizeof(buf)));
	}
	if (json_member(root, "tasks"))
		return json_fail(
			l->doc, root, l->err, ERR_USAGE,
			"this is a workload (it has 'tasks'), not a machine; give it as FILE, "
			"the machine with --machine");
	if (json_get_text(l->doc, root, "schema", schema, sizeof(schema), false, l->err))
		return -1;
	if (strcmp(schema, SCHEMA))
		return json_fail(l->doc, json_member(root, "schema"), l->err, ERR_USAGE,
				 "'schema' is '%s'; %s is allowed", schema, SCHEMA);
	return 0;
}

static int read_machine(struct loader *l, const char *fallback_name)
{
	struct machine_desc counts = { 0 }, *m;
	const cJSON *root = l->doc->root;

	if (check_schema(l) || read_counts(l, &counts) ||
	    json_get_text(l->doc, root, "name", counts.name, sizeof(counts.name), true, l->err) ||
	    json_get_text(l->doc, root, "title", counts.title, sizeof(counts.title), true, l->err))
		return -1;
	if (!counts.name[0])
		text_clean(counts.name, sizeof(counts.name), fallback_name);
	counts.nr_freq_domains = counts.nr_cpus; /* room for one each */
	m = l->m = machine_desc_new(&counts);
	if (!m)
		return err_set(l->err, ERR_LIMIT, "no memory for a machine of %u CPUs",
			       counts.nr_cpus);
	m->nr_freq_domains = 0;
	l->words = MACHINE_WORDS(m->nr_cpus);
	l->file_domain = xcalloc(m->nr_cpus, sizeof(u32));
	if (read_types(l) || read_cpus(l) || read_groups(l) || read_domains(l) || read_idle(l) ||
	    read_numa(l) || read_comm(l) || read_costs(l))
		return -1;
	m->has_energy_model = knows_power(l);

	struct err e = { 0 };

	if (machine_validate(m, &e))
		return json_fail(l->doc, culprit(l, e.msg), l->err, e.code, "%s", e.msg);
	return 0;
}

int machine_parse(const char *buf, size_t len, const char *fallback_name, struct machine_desc **out,
		  struct note_list *notes, struct err *err)
{
	struct loader l = { .err = err };
	int ret;

	*out = NULL;
	if (json_doc_parse(buf, len, NULL, 0, &l.doc, err))
		return -1;
	ret = read_machine(&l, fallback_name);
	if (!ret && notes)
		json_doc_notes(l.doc, notes);
	json_doc_free(l.doc);
	free(l.file_domain);
	if (ret)
		machine_free(l.m);
	else
		*out = l.m;
	return ret;
}
