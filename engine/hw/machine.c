/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine.c - copying and checking machine descriptions. See machine.h.
 *
 * The checks are those the kernel makes, or takes for granted, when it reads firmware tables:
 * topology_span_sane(), numa_set_distance(), em_create_perf_table(), init_idle_state_node().
 */
#include "engine/hw/machine.h"

#include <stdlib.h>
#include <string.h>

static void *desc_copy_array(const void *src, size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size);

	if (p && src)
		memcpy(p, src, nr * size);
	return p;
}

/* New description with the counts of @from; its arrays copied if @copy, zeroed otherwise. */
static struct machine_desc *desc_build(const struct machine_desc *from, bool copy)
{
	struct machine_desc *m = calloc(1, sizeof(*m));
	size_t words = MACHINE_WORDS(from->nr_cpus);
	bool ok;

	if (!m)
		return NULL;
	*m = *from;
#define DUP(field, nr)                                                                             \
	(m->field = desc_copy_array(copy ? from->field : NULL, (nr), sizeof(*m->field)))
	ok = DUP(cpus, from->nr_cpus) != NULL;
	ok &= DUP(core_types, from->nr_core_types) != NULL;
	ok &= DUP(opps, from->nr_opps) != NULL;
	ok &= DUP(freq_domains, from->nr_freq_domains) != NULL;
	ok &= DUP(idle_states, from->nr_idle_states) != NULL;
	ok &= DUP(distance, (size_t)from->nr_nodes * from->nr_nodes) != NULL;
	ok &= DUP(node_memory, from->nr_nodes) != NULL;
#undef DUP
	if (ok && (!copy || !from->node_memory))
		memset(m->node_memory, 1, from->nr_nodes * sizeof(*m->node_memory));
	for (u32 i = 0; m->idle_states && i < from->nr_idle_states; i++) {
		u64 *cpus = desc_copy_array(copy ? from->idle_states[i].cpus : NULL, words,
					    sizeof(u64));

		ok &= cpus != NULL;
		m->idle_states[i].cpus = cpus;
	}
	if (!ok) {
		machine_free(m);
		return NULL;
	}
	return m;
}

struct machine_desc *machine_desc_new(const struct machine_desc *counts)
{
	return desc_build(counts, false);
}

struct machine_desc *machine_desc_dup(const struct machine_desc *m)
{
	return desc_build(m, true);
}

void machine_free(struct machine_desc *m)
{
	if (!m)
		return;
	for (u32 i = 0; m->idle_states && i < m->nr_idle_states; i++)
		free(m->idle_states[i].cpus);
	free(m->cpus);
	free(m->core_types);
	free(m->opps);
	free(m->freq_domains);
	free(m->idle_states);
	free(m->distance);
	free(m->node_memory);
	free(m);
}

u8 *machine_remote_ranks(const struct machine_desc *m)
{
	u8 *ranks = calloc((size_t)m->nr_nodes * m->nr_nodes, 1);
	u32 *package = calloc(m->nr_nodes, sizeof(*package));
	bool used[256] = { false };

	if (!ranks || !package) {
		free(ranks);
		free(package);
		return NULL;
	}
	for (u32 i = 0; i < m->nr_cpus; i++)
		package[m->cpus[i].node] = m->cpus[i].package;
	for (u32 a = 0; a < m->nr_nodes; a++)
		for (u32 b = 0; b < m->nr_nodes; b++)
			if (package[a] != package[b])
				used[m->distance[a * m->nr_nodes + b] & 255] = true;
	for (u32 i = 0; i < m->nr_nodes * m->nr_nodes; i++)
		for (u32 d = 0; d < (m->distance[i] & 255); d++)
			ranks[i] = (u8)(ranks[i] + used[d]);
	free(package);
	return ranks;
}

u32 machine_comm_ns(const struct machine_desc *m, const u8 *ranks, u32 a, u32 b)
{
	const struct machine_cpu *x = &m->cpus[a], *y = &m->cpus[b];
	const struct machine_comm *c = &m->comm_ns;

	if (a == b)
		return 0;
	if (x->core == y->core && c->smt)
		return c->smt;
	if (x->cluster == y->cluster && c->cluster)
		return c->cluster;
	if (x->llc == y->llc && c->llc)
		return c->llc;
	if (x->node == y->node && c->node)
		return c->node;
	if (x->package == y->package && c->package)
		return c->package;
	if (c->nr_remote) {
		u32 rank = x->package == y->package ? 0 : ranks[x->node * m->nr_nodes + y->node];

		return c->remote[rank < c->nr_remote ? rank : c->nr_remote - 1];
	}
	/* Nothing as loose is given: the loosest that is. */
	if (c->package)
		return c->package;
	if (c->node)
		return c->node;
	if (c->llc)
		return c->llc;
	return c->cluster ? c->cluster : c->smt;
}

static int desc_check_counts(const struct machine_desc *m, struct err *err)
{
	if (m->nr_cpus < 1 || m->nr_cpus > MACHINE_MAX_CPUS)
		return err_set(err, ERR_USAGE, "nr_cpus is %u; a machine has 1 to %u CPUs",
			       m->nr_cpus, MACHINE_MAX_CPUS);
	if (m->nr_nodes < 1 || m->nr_nodes > MACHINE_MAX_NODES)
		return err_set(err, ERR_USAGE, "%u NUMA nodes; a machine has 1 to %u", m->nr_nodes,
			       MACHINE_MAX_NODES);
	if (!m->nr_core_types || !m->nr_freq_domains || !m->nr_opps)
		return err_set(err, ERR_USAGE, "no %s; a machine needs one at least",
			       !m->nr_core_types     ? "core type"
			       : !m->nr_freq_domains ? "frequency domain"
						     : "operating point");
	return 0;
}

static int desc_check_types(const struct machine_desc *m, struct err *err)
{
	for (u32 i = 0; i < m->nr_core_types; i++) {
		const struct machine_core_type *t = &m->core_types[i];

		if (t->smt < 1 || t->smt > MACHINE_MAX_SMT)
			return err_set(err, ERR_USAGE,
				       "core type %u ('%s'): smt is %u, allowed are 1 to %u", i,
				       t->name, t->smt, MACHINE_MAX_SMT);
		if (t->smt_throughput_pct[0] != 100)
			return err_set(err, ERR_USAGE,
				       "core type %u ('%s'): smt_throughput_pct begins with %u, "
				       "one busy thread is 100 by definition",
				       i, t->name, t->smt_throughput_pct[0]);
		for (u32 k = 1; k < t->smt; k++) {
			u32 pct = t->smt_throughput_pct[k];

			if (pct < t->smt_throughput_pct[k - 1] || pct > 100 * (k + 1))
				return err_set(err, ERR_USAGE,
					       "core type %u ('%s'): smt_throughput_pct for %u "
					       "threads is %u, allowed are %u to %u",
					       i, t->name, k + 1, pct, t->smt_throughput_pct[k - 1],
					       100 * (k + 1));
		}
	}
	return 0;
}

static int desc_check_opps(const struct machine_desc *m, u32 domain, struct err *err)
{
	const struct machine_freq_domain *d = &m->freq_domains[domain];

	if (!d->nr_opps || d->first_opp >= m->nr_opps || d->nr_opps > m->nr_opps - d->first_opp)
		return err_set(err, ERR_USAGE,
			       "frequency domain %u: operating points %u..+%u, the machine has %u",
			       domain, d->first_opp, d->nr_opps, m->nr_opps);
	if (d->transition_latency_us > 1000000)
		return err_set(err, ERR_USAGE,
			       "frequency domain %u: transition_latency_us is %u, allowed are 0 to "
			       "1000000 (one second)",
			       domain, d->transition_latency_us);
	for (u32 i = 0; i < d->nr_opps; i++) {
		const struct machine_opp *o = &m->opps[d->first_opp + i];

		if (!o->khz || o->khz > 100000000)
			return err_set(err, ERR_USAGE,
				       "frequency domain %u, operating point %u: %u kHz, allowed "
				       "are 1 to 100000000",
				       domain, i, o->khz);
		if (!o->capacity || o->capacity > SCHED_CAPACITY_SCALE)
			return err_set(err, ERR_USAGE,
				       "frequency domain %u, %u kHz: capacity is %u, allowed are 1 "
				       "to %u",
				       domain, o->khz, o->capacity, SCHED_CAPACITY_SCALE);
		if (!i)
			continue;

		const struct machine_opp *below = o - 1;

		if (o->khz <= below->khz)
			return err_set(err, ERR_USAGE,
				       "frequency domain %u: %u kHz follows %u kHz; operating "
				       "points rise strictly",
				       domain, o->khz, below->khz);
		if (o->capacity <= below->capacity)
			return err_set(err, ERR_USAGE,
				       "frequency domain %u, %u kHz: capacity %u follows %u; it "
				       "rises strictly with the frequency",
				       domain, o->khz, o->capacity, below->capacity);
		if (o->power_uw <= below->power_uw && (o->power_uw || below->power_uw))
			return err_set(err, ERR_USAGE,
				       "frequency domain %u, %u kHz: power_uw %u follows %u; it "
				       "rises strictly with the frequency",
				       domain, o->khz, o->power_uw, below->power_uw);
	}
	return 0;
}

static int desc_check_cpus(const struct machine_desc *m, struct err *err)
{
	bool biggest = false;

	for (u32 i = 0; i < m->nr_cpus; i++) {
		const struct machine_cpu *c = &m->cpus[i];
		const struct {
			const char *name;
			u32 id, nr;
		} ids[] = {
			{ "type", c->type, m->nr_core_types },
			{ "core", c->core, m->nr_cores },
			{ "cluster", c->cluster, m->nr_clusters },
			{ "llc", c->llc, m->nr_llcs },
			{ "node", c->node, m->nr_nodes },
			{ "package", c->package, m->nr_packages },
			{ "freq_domain", c->freq_domain, m->nr_freq_domains },
		};

		for (size_t k = 0; k < ARRAY_SIZE(ids); k++)
			if (ids[k].id >= ids[k].nr)
				return err_set(err, ERR_USAGE,
					       "cpu %u: %s is %u, the machine has %u (0 to %u)", i,
					       ids[k].name, ids[k].id, ids[k].nr,
					       ids[k].nr ? ids[k].nr - 1 : 0);
		if (!c->capacity || c->capacity > SCHED_CAPACITY_SCALE)
			return err_set(err, ERR_USAGE,
				       "cpu %u: capacity is %u, allowed are 1 to %u", i,
				       c->capacity, SCHED_CAPACITY_SCALE);
		if (c->performance > SCHED_CAPACITY_SCALE)
			return err_set(err, ERR_USAGE,
				       "cpu %u: performance is %u, allowed are 1 to %u", i,
				       c->performance, SCHED_CAPACITY_SCALE);
		biggest |= c->capacity == SCHED_CAPACITY_SCALE;
		if (c->thread >= m->core_types[c->type].smt)
			return err_set(err, ERR_USAGE,
				       "cpu %u: thread is %u, its core type '%s' has %u per core",
				       i, c->thread, m->core_types[c->type].name,
				       m->core_types[c->type].smt);

		const struct machine_freq_domain *d = &m->freq_domains[c->freq_domain];
		u32 top = m->opps[d->first_opp + d->nr_opps - 1].capacity;

		if (top != c->capacity)
			return err_set(err, ERR_USAGE,
				       "cpu %u: capacity is %u, the top operating point of its "
				       "frequency domain %u has %u; they are the same thing",
				       i, c->capacity, c->freq_domain, top);
	}
	if (!biggest)
		return err_set(err, ERR_USAGE,
			       "no CPU has capacity %u; the biggest core defines that number",
			       SCHED_CAPACITY_SCALE);
	return 0;
}

/* One pair of levels: all CPUs of one @inner must be in the same @outer, and no id is unused. */
struct desc_nesting {
	const char *inner, *outer;
	size_t inner_at, outer_at, nr_at;
};

#define DESC_NEST(in, out, nr)                                                                     \
	{                                                                                          \
#in, #out, offsetof(struct machine_cpu, in), offsetof(struct machine_cpu, out),    \
			offsetof(struct machine_desc, nr)                                          \
	}

static const struct desc_nesting desc_nestings[] = {
	DESC_NEST(core, type, nr_cores),
	DESC_NEST(core, cluster, nr_cores),
	DESC_NEST(core, llc, nr_cores),
	DESC_NEST(core, node, nr_cores),
	DESC_NEST(core, freq_domain, nr_cores),
	DESC_NEST(cluster, node, nr_clusters),
	DESC_NEST(node, package, nr_nodes),
	DESC_NEST(llc, package, nr_llcs),
	DESC_NEST(package, package, nr_packages),
	DESC_NEST(freq_domain, freq_domain, nr_freq_domains),
};

static u32 desc_field(const void *base, size_t at)
{
	u32 v;

	memcpy(&v, (const char *)base + at, sizeof(v));
	return v;
}

static int desc_check_nesting(const struct machine_desc *m, struct err *err)
{
	u32 *seen = malloc(m->nr_cpus * sizeof(*seen));
	int ret = 0;

	if (!seen)
		return err_set(err, ERR_LIMIT, "no memory to check a machine of %u CPUs",
			       m->nr_cpus);
	for (size_t k = 0; !ret && k < ARRAY_SIZE(desc_nestings); k++) {
		const struct desc_nesting *n = &desc_nestings[k];
		u32 nr = desc_field(m, n->nr_at);

		if (nr > m->nr_cpus) {
			ret = err_set(err, ERR_USAGE,
				      "%u %ss for %u CPUs; ids count from 0 without a gap", nr,
				      n->inner, m->nr_cpus);
			break;
		}
		memset(seen, 0xff, nr * sizeof(*seen));
		for (u32 i = 0; !ret && i < m->nr_cpus; i++) {
			u32 in = desc_field(&m->cpus[i], n->inner_at);
			u32 out = desc_field(&m->cpus[i], n->outer_at);

			if (seen[in] == NONE)
				seen[in] = out;
			else if (seen[in] != out)
				ret = err_set(err, ERR_USAGE,
					      "cpu %u: %s %u is in %s %u, another of its CPUs in "
					      "%u; one %s lies in one %s",
					      i, n->inner, in, n->outer, out, seen[in], n->inner,
					      n->outer);
		}
		for (u32 i = 0; !ret && i < nr; i++)
			if (seen[i] == NONE)
				ret = err_set(err, ERR_USAGE,
					      "%s %u has no CPU; ids count from 0 without a gap",
					      n->inner, i);
	}
	free(seen);
	return ret;
}

/* Threads of a core are numbered 0..n-1, each once, and as many as its type says. */
static int desc_check_threads(const struct machine_desc *m, struct err *err)
{
	u32 *threads = calloc(m->nr_cores, sizeof(*threads));
	int ret = 0;

	if (!threads)
		return err_set(err, ERR_LIMIT, "no memory to check a machine of %u CPUs",
			       m->nr_cpus);
	for (u32 i = 0; !ret && i < m->nr_cpus; i++) {
		const struct machine_cpu *c = &m->cpus[i];
		u32 bit = 1u << c->thread;

		if (threads[c->core] & bit)
			ret = err_set(err, ERR_USAGE, "cpu %u: core %u has its thread %u twice", i,
				      c->core, c->thread);
		threads[c->core] |= bit;
	}
	for (u32 i = 0; !ret && i < m->nr_cpus; i++) {
		const struct machine_cpu *c = &m->cpus[i];
		u32 smt = m->core_types[c->type].smt;

		if (threads[c->core] != (1u << smt) - 1)
			ret = err_set(err, ERR_USAGE,
				      "core %u has %d threads, its type '%s' has %u per core",
				      c->core, __builtin_popcount(threads[c->core]),
				      m->core_types[c->type].name, smt);
	}
	free(threads);
	return ret;
}

static int desc_check_distances(const struct machine_desc *m, struct err *err)
{
	for (u32 a = 0; a < m->nr_nodes; a++) {
		for (u32 b = 0; b < m->nr_nodes; b++) {
			u32 d = m->distance[a * m->nr_nodes + b];

			if (a == b && d != 10)
				return err_set(err, ERR_USAGE,
					       "distance from node %u to itself is %u; it is 10 by "
					       "definition",
					       a, d);
			if (a != b && (d <= 10 || d > 255))
				return err_set(err, ERR_USAGE,
					       "distance from node %u to node %u is %u, allowed "
					       "are 11 to 255",
					       a, b, d);
			if (d != m->distance[b * m->nr_nodes + a])
				return err_set(err, ERR_USAGE,
					       "distance from node %u to node %u is %u, the way "
					       "back is %u; the matrix is symmetric",
					       a, b, d, m->distance[b * m->nr_nodes + a]);
		}
	}
	return 0;
}

static int desc_check_idle(const struct machine_desc *m, struct err *err)
{
	u32 *last = calloc(2 * (size_t)m->nr_cpus, sizeof(*last)), *nr;
	size_t words = MACHINE_WORDS(m->nr_cpus);
	int ret = 0;

	if (!last)
		return err_set(err, ERR_LIMIT, "no memory to check a machine of %u CPUs",
			       m->nr_cpus);
	nr = last + m->nr_cpus;
	for (u32 i = 0; !ret && i < m->nr_idle_states; i++) {
		const struct machine_idle_state *s = &m->idle_states[i];
		u64 tail = m->nr_cpus % 64 ? s->cpus[words - 1] >> (m->nr_cpus % 64) : 0, any = 0;

		for (size_t w = 0; w < words; w++)
			any |= s->cpus[w];
		if (!any || tail) {
			ret = err_set(err, ERR_USAGE, "idle state %u ('%s'): %s", i, s->name,
				      tail ? "its CPUs go past the last one" : "it has no CPU");
			break;
		}
		if (s->scope > MACHINE_SCOPE_SYSTEM || s->entry_us > 1000000 ||
		    s->exit_us > 1000000 || s->residency_us > 100000000) {
			ret = err_set(err, ERR_USAGE,
				      "idle state %u ('%s'): entry %u us, exit %u us, residency %u "
				      "us; allowed are 1 s, 1 s and 100 s at most",
				      i, s->name, s->entry_us, s->exit_us, s->residency_us);
			break;
		}
		for (u32 c = 0; !ret && c < m->nr_cpus; c++) {
			if (!machine_mask_test(s->cpus, c))
				continue;
			if (++nr[c] > MACHINE_MAX_IDLE)
				ret = err_set(
					err, ERR_USAGE,
					"idle state %u ('%s') is one more than the %u a CPU may "
					"have, here cpu %u",
					i, s->name, MACHINE_MAX_IDLE, c);
			if (s->scope != MACHINE_SCOPE_CPU)
				continue;
			if (s->residency_us < last[c])
				ret = err_set(err, ERR_USAGE,
					      "idle state %u ('%s'): residency %u us comes after "
					      "%u us on cpu %u; states run from shallow to deep",
					      i, s->name, s->residency_us, last[c], c);
			last[c] = s->residency_us;
		}
	}
	free(last);
	return ret;
}

int machine_validate(const struct machine_desc *m, struct err *err)
{
	if (desc_check_counts(m, err) || desc_check_types(m, err))
		return -1;
	for (u32 i = 0; i < m->nr_freq_domains; i++)
		if (desc_check_opps(m, i, err))
			return -1;
	if (m->comm_ns.nr_remote > MACHINE_MAX_REMOTE)
		return err_set(err, ERR_USAGE, "%u remote latencies, allowed are %u",
			       m->comm_ns.nr_remote, MACHINE_MAX_REMOTE);
	if (desc_check_cpus(m, err) || desc_check_nesting(m, err) || desc_check_threads(m, err) ||
	    desc_check_distances(m, err) || desc_check_idle(m, err))
		return -1;
	return 0;
}
