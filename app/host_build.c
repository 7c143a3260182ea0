/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host_build.c - from facts about a real machine to a description the engine trusts. See host.h.
 *
 * Real machines, and virtual ones more so, do not always nest: a virtual machine may have two
 * sockets in one node, or threads of one core with a cpufreq policy each. The kernel repairs or
 * refuses what contradicts itself (topology_span_sane()); here the outer level grows until the inner
 * one fits.
 */
#include "app/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/text.h"
#include "app/xalloc.h"

/* What is assumed where nobody knows; the figures of the generic shipped machines. */
#define DEFAULT_KHZ 2000000u
#define DEFAULT_STEPS 8u
#define DEFAULT_LATENCY_US 20u
#define TOP_POWER_UW 4000000u /* of a core of capacity 1024 */
#define SECOND_THREAD_PCT 25u
#define COMM_SMT_NS 7u
#define COMM_LLC_NS 40u
#define COMM_NODE_NS 60u
#define COMM_PACKAGE_NS 70u

enum level { CORE, CLUSTER, LLC, NODE, PACKAGE, DOMAIN, LEVELS };
static const char *const level_names[LEVELS] = { "core", "cluster", "last-level cache",
						 "node", "package", "frequency domain" };

struct build {
	struct host_facts *f;
	struct machine_desc *m;
	struct note_list *notes;
	u32 *id[LEVELS]; /* [level][cpu] */
	u32 nr[LEVELS];
	u32 *type, nr_types; /* of each core */
	struct machine_core_type *types;
	struct machine_opp *opps;
	struct machine_freq_domain *domains;
	u32 nr_opps;
	struct machine_idle_state *idle;
	u32 nr_idle;
};

void host_facts_init(struct host_facts *f, u32 nr_cpus)
{
	*f = (struct host_facts){ .nr_cpus = nr_cpus };
	f->cpus = xcalloc(nr_cpus, sizeof(*f->cpus));
	for (u32 i = 0; i < nr_cpus; i++) {
		struct host_cpu *c = &f->cpus[i];

		c->core = c->cluster = c->llc = c->node = c->package = c->domain = NONE;
		c->latency_us = NONE;
	}
}

void host_facts_nodes(struct host_facts *f, u32 nr_nodes)
{
	f->nr_nodes = nr_nodes;
	f->node_key = xcalloc(nr_nodes, sizeof(*f->node_key));
	f->distance = xcalloc((size_t)nr_nodes * nr_nodes, sizeof(*f->distance));
	f->node_memory = xcalloc(nr_nodes, sizeof(*f->node_memory));
	for (u32 i = 0; i < nr_nodes; i++)
		f->node_memory[i] = true;
}

void host_facts_fini(struct host_facts *f)
{
	free(f->cpus);
	free(f->node_key);
	free(f->distance);
	free(f->node_memory);
	*f = (struct host_facts){ 0 };
}

#define say(b, ...)                                                                                \
	do {                                                                                       \
		if ((b)->notes)                                                                    \
			note_add((b)->notes, NULL, NULL, __VA_ARGS__);                             \
	} while (0)

/* ---- levels ---- */

/* Number the values of @ids from 0 in the order of their first CPUs. */
static u32 make_dense(u32 *ids, u32 nr)
{
	u32 *old = xcalloc(nr, sizeof(*old)), count = 0;

	for (u32 c = 0; c < nr; c++) {
		u32 k = 0;

		/* Neighbours are alike: look at the newest first. */
		while (k < count && old[count - 1 - k] != ids[c])
			k++;
		if (k == count) {
			old[count++] = ids[c];
			ids[c] = count - 1;
		} else {
			ids[c] = count - 1 - k;
		}
	}
	free(old);
	return count;
}

static u32 root_of(u32 *parent, u32 i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

/* Join outer groups until no inner group lies in two. Returns how many were joined. */
static u32 join(struct build *b, enum level inner, enum level outer)
{
	u32 n = b->f->nr_cpus, *in = b->id[inner], *out = b->id[outer], before = b->nr[outer];
	u32 *parent = xcalloc(b->nr[outer], sizeof(*parent));
	u32 *first = xcalloc(b->nr[inner], sizeof(*first));

	for (u32 i = 0; i < b->nr[outer]; i++)
		parent[i] = i;
	memset(first, 0xff, b->nr[inner] * sizeof(*first));
	for (u32 c = 0; c < n; c++) {
		if (first[in[c]] == NONE)
			first[in[c]] = out[c];
		else
			parent[root_of(parent, out[c])] = root_of(parent, first[in[c]]);
	}
	for (u32 c = 0; c < n; c++)
		out[c] = root_of(parent, out[c]);
	b->nr[outer] = make_dense(out, n);
	free(parent);
	free(first);
	return before - b->nr[outer];
}

static void join_noted(struct build *b, enum level inner, enum level outer)
{
	u32 joined = join(b, inner, outer);

	if (joined)
		say(b, "%u times one %s lay in several: %ss joined, they have to nest", joined,
		    level_names[inner], level_names[outer]);
}

static void read_levels(struct build *b)
{
	u32 n = b->f->nr_cpus, unknown[LEVELS] = { 0 };

	for (u32 l = 0; l < LEVELS; l++)
		b->id[l] = xcalloc(n, sizeof(u32));
	for (u32 c = 0; c < n; c++) {
		const struct host_cpu *h = &b->f->cpus[c];
		const u32 keys[LEVELS] = { h->core, h->cluster, h->llc,
					   h->node, h->package, h->domain };

		for (u32 l = 0; l < LEVELS; l++) {
			b->id[l][c] = keys[l];
			unknown[l] += keys[l] == NONE;
		}
	}
	/* What is known of some CPUs only is not trusted for any. */
	for (u32 c = 0; c < n; c++) {
		if (unknown[CORE])
			b->id[CORE][c] = c;
		if (unknown[NODE])
			b->id[NODE][c] = 0;
		if (unknown[PACKAGE])
			b->id[PACKAGE][c] = 0;
	}
	for (u32 c = 0; c < n; c++) {
		if (unknown[CLUSTER])
			b->id[CLUSTER][c] = b->id[CORE][c];
		if (unknown[LLC])
			b->id[LLC][c] = b->id[NODE][c];
		if (unknown[DOMAIN])
			b->id[DOMAIN][c] = b->id[CORE][c];
	}
	if (unknown[LLC])
		say(b, "caches are not told: one last-level cache per node assumed");
	/* A cluster across nodes is cut: nodes are what the rest depends on. */
	for (u32 l = 0; l < LEVELS; l++)
		b->nr[l] = make_dense(b->id[l], n);
	for (u32 c = 0; c < n; c++)
		b->id[CLUSTER][c] = b->id[CLUSTER][c] * b->nr[NODE] + b->id[NODE][c];
	b->nr[CLUSTER] = make_dense(b->id[CLUSTER], n);
	join_noted(b, CORE, NODE);
	join_noted(b, CORE, CLUSTER);
	join_noted(b, CLUSTER, NODE);
	join_noted(b, CORE, LLC);
	join_noted(b, NODE, PACKAGE);
	join_noted(b, LLC, PACKAGE);
	/* Threads of a core have one clock, whatever cpufreq calls its policies: no note. */
	join(b, CORE, DOMAIN);
}

/* ---- capacities and operating points ---- */

/* One capacity per frequency domain, the biggest 1024. */
static void settle_capacities(struct build *b)
{
	u32 n = b->f->nr_cpus, unknown = 0, uneven = 0, biggest = 0;
	u32 *cap = xcalloc(b->nr[DOMAIN], sizeof(*cap));

	for (u32 c = 0; c < n; c++)
		unknown += !b->f->cpus[c].capacity;
	for (u32 c = 0; c < n; c++) {
		struct host_cpu *h = &b->f->cpus[c];
		u32 *of = &cap[b->id[DOMAIN][c]];

		if (unknown || h->capacity > SCHED_CAPACITY_SCALE)
			h->capacity = SCHED_CAPACITY_SCALE;
		uneven += *of && *of != h->capacity;
		if (h->capacity > *of)
			*of = h->capacity;
		if (h->capacity > biggest)
			biggest = h->capacity;
	}
	for (u32 c = 0; c < n; c++) {
		u32 v = cap[b->id[DOMAIN][c]] * SCHED_CAPACITY_SCALE / biggest;

		b->f->cpus[c].capacity = v ? v : 1;
	}
	if (unknown)
		say(b, "cpu_capacity is not told: every CPU counts 1024, as the kernel takes it");
	if (uneven)
		say(b,
		    "CPUs of one frequency domain have different capacities: the largest is used");
	if (biggest != SCHED_CAPACITY_SCALE)
		say(b, "no CPU has capacity 1024 (offline ones may): capacities scaled up");
	free(cap);
}

static int ascending(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

/* Power of one busy CPU, voltage rising from a little above a quarter to all: the generic law. */
static u32 assumed_power(u32 capacity, u32 khz, u32 top)
{
	u64 volt = 260 + 740ull * khz / top;

	return (u32)((u64)TOP_POWER_UW * capacity / SCHED_CAPACITY_SCALE * khz / top * volt * volt /
		     1000000);
}

static void fill_domain(struct build *b, u32 d, u32 *none, u32 *ends_only)
{
	struct machine_freq_domain *fd = &b->domains[d];
	u32 khz[HOST_MAX_OPPS], nr = 0, capacity = 0;
	const struct host_cpu *h = NULL;

	for (u32 c = 0; c < b->f->nr_cpus; c++) {
		const struct host_cpu *x = &b->f->cpus[c];

		if (b->id[DOMAIN][c] != d)
			continue;
		capacity = x->capacity;
		if (!h || (!h->nr_khz && x->nr_khz) || (!h->max_khz && x->max_khz))
			h = x;
	}
	fd->first_opp = b->nr_opps;
	fd->transition_latency_us = h->latency_us == NONE ? DEFAULT_LATENCY_US : h->latency_us;
	if (fd->transition_latency_us > 1000000)
		fd->transition_latency_us = DEFAULT_LATENCY_US;
	if (h->nr_khz) {
		memcpy(khz, h->khz, h->nr_khz * sizeof(*khz));
		nr = h->nr_khz;
	} else if (h->max_khz) {
		u32 low = h->min_khz && h->min_khz < h->max_khz ? h->min_khz : h->max_khz;

		nr = low == h->max_khz ? 1 : DEFAULT_STEPS;
		for (u32 i = 0; i < nr; i++)
			khz[i] = nr == 1 ? low
					 : low + (u32)((u64)(h->max_khz - low) * i / (nr - 1));
		++*ends_only;
	} else {
		khz[nr++] = DEFAULT_KHZ;
		++*none;
	}
	qsort(khz, nr, sizeof(*khz), ascending);

	u32 top = khz[nr - 1];

	for (u32 i = 0; i < nr; i++) {
		struct machine_opp o = { .khz = khz[i],
					 .capacity = (u32)((u64)capacity * khz[i] / top),
					 .power_uw = assumed_power(capacity, khz[i], top) };
		struct machine_opp *last = fd->nr_opps ? &b->opps[b->nr_opps - 1] : NULL;

		if (!o.capacity)
			continue;
		/* Steps finer than a unit of capacity cannot be told apart: the higher one stays. */
		if (last && o.capacity == last->capacity) {
			o.power_uw = o.power_uw > last->power_uw ? o.power_uw : last->power_uw;
			*last = o;
			continue;
		}
		if (last && o.power_uw <= last->power_uw)
			o.power_uw = last->power_uw + 1;
		b->opps = xrealloc_array(b->opps, b->nr_opps + 1, sizeof(*b->opps));
		b->opps[b->nr_opps++] = o;
		fd->nr_opps++;
	}
}

/* Domains with equal tables share one. */
static void share_table(struct build *b, u32 d)
{
	struct machine_freq_domain *fd = &b->domains[d];

	for (u32 e = 0; e < d; e++) {
		const struct machine_freq_domain *x = &b->domains[e];

		if (x->nr_opps != fd->nr_opps || x->first_opp == fd->first_opp ||
		    memcmp(&b->opps[x->first_opp], &b->opps[fd->first_opp],
			   fd->nr_opps * sizeof(*b->opps)) != 0)
			continue;
		b->nr_opps -= fd->nr_opps;
		fd->first_opp = x->first_opp;
		return;
	}
}

static void fill_domains(struct build *b)
{
	u32 none = 0, ends_only = 0;

	b->domains = xcalloc(b->nr[DOMAIN], sizeof(*b->domains));
	for (u32 d = 0; d < b->nr[DOMAIN]; d++) {
		fill_domain(b, d, &none, &ends_only);
		share_table(b, d);
	}
	if (none)
		say(b, "no frequencies are told for %u of %u domains: one of 2 GHz assumed", none,
		    b->nr[DOMAIN]);
	if (ends_only)
		say(b, "%u of %u frequency domains tell only their ends: %u even steps assumed",
		    ends_only, b->nr[DOMAIN], DEFAULT_STEPS);
	say(b, "power is assumed (4 W for a core of capacity 1024 at its top frequency): good for "
	       "comparing, not for planning; no energy model");
}

/* ---- cores ---- */

static void fill_types(struct build *b)
{
	u32 n = b->f->nr_cpus, *threads = xcalloc(b->nr[CORE], sizeof(*threads)), smt = 0;
	u32 *cap = xcalloc(b->nr[CORE], sizeof(*cap));

	for (u32 c = 0; c < n; c++) {
		threads[b->id[CORE][c]]++;
		cap[b->id[CORE][c]] = b->f->cpus[c].capacity;
	}
	b->type = xcalloc(b->nr[CORE], sizeof(*b->type));
	for (u32 k = 0; k < b->nr[CORE]; k++) {
		char name[32];
		u32 t = 0;

		snprintf(name, sizeof(name), "%u-thread core of %u",
			 threads[k] > 99 ? 99 : threads[k], cap[k]);
		while (t < b->nr_types && strcmp(b->types[t].name, name))
			t++;
		b->type[k] = t;
		if (t < b->nr_types)
			continue;
		b->types = xrealloc_array(b->types, b->nr_types + 1, sizeof(*b->types));
		b->types[b->nr_types++] = (struct machine_core_type){ .smt = threads[k] };

		struct machine_core_type *type = &b->types[t];

		memcpy(type->name, name, sizeof(name));
		for (u32 i = 0; i < threads[k] && i < MACHINE_MAX_SMT; i++)
			type->smt_throughput_pct[i] = 100 + SECOND_THREAD_PCT * i;
		smt |= threads[k] > 1;
	}
	if (smt)
		say(b, "what threads of one core share is not told: each further one adds %u %%",
		    SECOND_THREAD_PCT);
	free(threads);
	free(cap);
}

/* ---- idle states ---- */

static void fill_idle(struct build *b)
{
	u32 n = b->f->nr_cpus, no_power = 0, words = MACHINE_WORDS(n);

	for (u32 k = 0; k < MACHINE_MAX_IDLE; k++) {
		u32 first = b->nr_idle;

		for (u32 c = 0; c < n; c++) {
			const struct host_cpu *h = &b->f->cpus[c];
			u32 i = first,
			    low = b->opps[b->domains[b->id[DOMAIN][c]].first_opp].power_uw;
			struct machine_idle_state s = { .scope = MACHINE_SCOPE_CPU };

			if (k >= h->nr_idle)
				continue;
			text_clean(s.name, sizeof(s.name), h->idle[k].name);
			s.exit_us = h->idle[k].latency_us > 1000000 ? 1000000
								    : h->idle[k].latency_us;
			s.residency_us = h->idle[k].residency_us;
			s.power_uw = h->idle[k].power_uw;
			if (!s.power_uw) {
				s.power_uw = k ? 0 : low / 20;
				no_power++;
			}
			for (; i < b->nr_idle; i++) {
				const struct machine_idle_state *t = &b->idle[i];

				if (!strcmp(t->name, s.name) && t->exit_us == s.exit_us &&
				    t->residency_us == s.residency_us && t->power_uw == s.power_uw)
					break;
			}
			if (i == b->nr_idle) {
				s.cpus = xcalloc(words, sizeof(u64));
				b->idle = xrealloc_array(b->idle, b->nr_idle + 1, sizeof(*b->idle));
				b->idle[b->nr_idle++] = s;
			}
			machine_mask_set(b->idle[i].cpus, c);
		}
	}
	if (!b->nr_idle)
		say(b, "no idle states are told: none are modelled");
	else if (no_power)
		say(b,
		    "power of idle states is not told: 5 %% of the lowest operating point in the "
		    "first, 0 in deeper ones");
}

/* States from shallow to deep: a residency below that of the state before is raised to it. */
static void order_idle(struct host_facts *f)
{
	for (u32 c = 0; c < f->nr_cpus; c++) {
		struct host_cpu *h = &f->cpus[c];

		for (u32 k = 0; k < h->nr_idle; k++) {
			u32 *r = &h->idle[k].residency_us;

			if (*r > 100000000)
				*r = 100000000;
			if (k && *r < h->idle[k - 1].residency_us)
				*r = h->idle[k - 1].residency_us;
		}
	}
}

/* ---- all of it ---- */

static void fill_distances(struct build *b)
{
	struct machine_desc *m = b->m;
	u32 n = m->nr_nodes, *at = xcalloc(n, sizeof(*at)), odd = 0, missing = 0, empty = 0;

	memset(at, 0xff, n * sizeof(*at));
	for (u32 k = 0; k < b->f->nr_nodes; k++) {
		u32 c = 0;

		while (c < m->nr_cpus && b->f->cpus[c].node != b->f->node_key[k])
			c++;
		if (c == m->nr_cpus) {
			empty++;
			continue;
		}
		if (at[m->cpus[c].node] == NONE) {
			at[m->cpus[c].node] = k;
			m->node_memory[m->cpus[c].node] = b->f->node_memory[k];
		}
	}
	for (u32 x = 0; x < n; x++) {
		for (u32 y = 0; y < n; y++) {
			u32 there = 0, back = 0, d;

			if (at[x] != NONE && at[y] != NONE) {
				there = b->f->distance[at[x] * b->f->nr_nodes + at[y]];
				back = b->f->distance[at[y] * b->f->nr_nodes + at[x]];
			}
			d = there > back ? there : back;
			missing += x != y && !d;
			odd += x != y && d && (there != back || d < 11 || d > 255);
			m->distance[x * n + y] = x == y	   ? 10
						 : !d	   ? 20
						 : d < 11  ? 11
						 : d > 255 ? 255
							   : d;
		}
	}
	if (empty)
		say(b, "%u nodes without CPUs left out", empty);
	if (missing)
		say(b, "distances between nodes are not told: 20 assumed");
	if (odd)
		say(b,
		    "distances between nodes were not symmetric, or not 11 to 255: the larger one "
		    "of both ways is used, within that range");
	free(at);
}

static void fill_comm(struct build *b)
{
	struct machine_desc *m = b->m;
	struct machine_comm *comm = &m->comm_ns;
	bool used[256] = { false };

	comm->llc = COMM_LLC_NS;
	if (m->nr_cores < m->nr_cpus)
		comm->smt = COMM_SMT_NS;
	if (m->nr_llcs > m->nr_nodes)
		comm->node = COMM_NODE_NS;
	if (m->nr_nodes > m->nr_packages)
		comm->package = COMM_PACKAGE_NS;
	/* Packages of nodes: any CPU of a node knows. */
	u32 *package = xcalloc(m->nr_nodes, sizeof(*package));

	for (u32 c = 0; c < m->nr_cpus; c++)
		package[m->cpus[c].node] = m->cpus[c].package;
	for (u32 x = 0; x < m->nr_nodes; x++)
		for (u32 y = 0; y < m->nr_nodes; y++)
			if (package[x] != package[y])
				used[m->distance[x * m->nr_nodes + y]] = true;
	free(package);
	for (u32 d = 0; d < 256 && comm->nr_remote < MACHINE_MAX_REMOTE; d++)
		if (used[d])
			comm->remote[comm->nr_remote++] = COMM_LLC_NS * d / 10;
	if (m->nr_cpus > 1)
		say(b,
		    "costs of moving a cache line are assumed (%u ns within a cache, more by "
		    "distance)",
		    COMM_LLC_NS);
}

static struct machine_desc *assemble(struct build *b)
{
	const struct host_facts *f = b->f;
	struct machine_desc counts = { .nr_cpus = f->nr_cpus,
				       .nr_core_types = b->nr_types,
				       .nr_opps = b->nr_opps,
				       .nr_freq_domains = b->nr[DOMAIN],
				       .nr_idle_states = b->nr_idle,
				       .nr_cores = b->nr[CORE],
				       .nr_clusters = b->nr[CLUSTER],
				       .nr_llcs = b->nr[LLC],
				       .nr_nodes = b->nr[NODE],
				       .nr_packages = b->nr[PACKAGE] };
	u32 *threads = xcalloc(b->nr[CORE], sizeof(*threads));
	struct machine_desc *m;

	text_clean(counts.name, sizeof(counts.name), f->name);
	text_clean(counts.title, sizeof(counts.title), f->title);
	m = machine_desc_new(&counts);
	if (!m) {
		free(threads);
		return NULL;
	}
	memcpy(m->core_types, b->types, b->nr_types * sizeof(*m->core_types));
	memcpy(m->opps, b->opps, b->nr_opps * sizeof(*m->opps));
	memcpy(m->freq_domains, b->domains, b->nr[DOMAIN] * sizeof(*m->freq_domains));
	for (u32 c = 0; c < m->nr_cpus; c++) {
		u32 core = b->id[CORE][c];

		m->cpus[c] = (struct machine_cpu){ .type = b->type[core],
						   .capacity = f->cpus[c].capacity,
						   .core = core,
						   .thread = threads[core]++,
						   .cluster = b->id[CLUSTER][c],
						   .llc = b->id[LLC][c],
						   .node = b->id[NODE][c],
						   .package = b->id[PACKAGE][c],
						   .freq_domain = b->id[DOMAIN][c] };
	}
	for (u32 i = 0; i < b->nr_idle; i++) {
		u64 *cpus = m->idle_states[i].cpus;

		memcpy(cpus, b->idle[i].cpus, MACHINE_WORDS(m->nr_cpus) * sizeof(u64));
		m->idle_states[i] = b->idle[i];
		m->idle_states[i].cpus = cpus;
	}
	free(threads);
	return m;
}

int host_build(struct host_facts *f, struct machine_desc **out, struct note_list *notes,
	       struct err *err)
{
	struct build b = { .f = f, .notes = notes };
	int ret = -1;

	*out = NULL;
	if (!f->nr_cpus || f->nr_cpus > MACHINE_MAX_CPUS)
		return err_set(err, ERR_LIMIT, "this machine has %u CPUs; 1 to %u are allowed",
			       f->nr_cpus, MACHINE_MAX_CPUS);
	read_levels(&b);
	if (b.nr[NODE] > MACHINE_MAX_NODES) {
		err_set(err, ERR_LIMIT, "this machine has %u nodes; at most %u are allowed",
			b.nr[NODE], MACHINE_MAX_NODES);
		goto out;
	}
	settle_capacities(&b);
	fill_types(&b);
	fill_domains(&b);
	order_idle(f);
	fill_idle(&b);
	b.m = assemble(&b);
	if (!b.m) {
		err_set(err, ERR_LIMIT, "no memory for a machine of %u CPUs", f->nr_cpus);
		goto out;
	}
	fill_distances(&b);
	fill_comm(&b);
	if (machine_validate(b.m, err))
		goto out;
	*out = b.m;
	b.m = NULL;
	ret = 0;
out:
	machine_free(b.m);
	for (u32 l = 0; l < LEVELS; l++)
		free(b.id[l]);
	for (u32 i = 0; i < b.nr_idle; i++)
		free(b.idle[i].cpus);
	free(b.idle);
	free(b.type);
	free(b.types);
	free(b.opps);
	free(b.domains);
	return ret;
}
