/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topo_lint.c - contradictions and surprises in a machine. See topo.h.
 *
 * What is looked for: the rules of the machine files (capacity follows the frequency), those of
 * kernel/power/energy_model.c (em_compute_costs(): states that are never worth it), of
 * drivers/cpuidle (residency covers entry and exit), and sched_energy conditions of
 * kernel/sched/topology.c (build_perf_domains(): asymmetric capacities, no SMT).
 */
#include "app/topo.h"

#include "app/strbuf.h"
#include "app/xalloc.h"
#include "engine/base/cpumask.h"
#include "engine/hw/energy.h"
#include "engine/sched/features.h"

#include <stdarg.h>
#include <stdlib.h>

struct lint {
	const struct sim *s;
	const struct machine_desc *m;
	struct topo_finding *v;
	u32 nr;
};

static void find(struct lint *l, bool contradiction, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void find(struct lint *l, bool contradiction, const char *fmt, ...)
{
	struct strbuf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(&b, fmt, ap);
	va_end(ap);
	l->v = xrealloc_array(l->v, l->nr + 1, sizeof(*l->v));
	l->v[l->nr++] = (struct topo_finding){ contradiction, strbuf_take(&b) };
}

#define contradiction(l, ...) find(l, true, __VA_ARGS__)
#define remark(l, ...) find(l, false, __VA_ARGS__)

/* Is @d the first domain with its table? Equal tables are looked at once. */
static bool first_with_table(const struct machine_desc *m, u32 d)
{
	for (u32 e = 0; e < d; e++)
		if (m->freq_domains[e].first_opp == m->freq_domains[d].first_opp)
			return false;
	return true;
}

static void lint_opps(struct lint *l, u32 d)
{
	const struct machine_freq_domain *fd = &l->m->freq_domains[d];
	const struct machine_opp *o = &l->m->opps[fd->first_opp], *top = &o[fd->nr_opps - 1];
	struct strbuf dear = { 0 };
	u32 no_power = 0;

	for (u32 i = 0; i < fd->nr_opps; i++) {
		u64 want = (u64)top->capacity * o[i].khz / top->khz;

		no_power += !o[i].power_uw;
		if (want != o[i].capacity)
			contradiction(
				l,
				"frequency domain %u, %u kHz: capacity is %u, but %u kHz of %u at "
				"capacity %u make %llu",
				d, o[i].khz, o[i].capacity, o[i].khz, top->khz, top->capacity,
				(unsigned long long)want);
		if (o[i].idle_power_uw && o[i].power_uw && o[i].idle_power_uw >= o[i].power_uw)
			contradiction(
				l,
				"frequency domain %u, %u kHz: idle it draws %u uW, busy %u uW; "
				"idle is less",
				d, o[i].khz, o[i].idle_power_uw, o[i].power_uw);
		if (opp_inefficient(l->s, d, i))
			strbuf_printf(&dear, "%s%u", dear.len ? ", " : "", o[i].khz);
	}
	/* Dearer per unit of capacity than a faster one: nothing ever gains by it. */
	if (dear.len)
		remark(l,
		       "frequency domain %u: a unit of capacity costs more at %s kHz than at a higher "
		       "frequency; energy-aware placement and schedutil skip that",
		       d, strbuf_str(&dear));
	strbuf_fini(&dear);
	if (no_power && no_power < fd->nr_opps)
		contradiction(l, "frequency domain %u: %u of %u operating points have no power", d,
			      no_power, fd->nr_opps);
	else if (no_power && l->m->has_energy_model)
		contradiction(l,
			      "frequency domain %u has no power figures, but the machine counts as "
			      "one with an energy model",
			      d);
	if (fd->nr_opps == 1)
		remark(l, "frequency domain %u has one frequency: governors have nothing to do", d);
	if (!fd->transition_latency_us && !fd->fast_switch)
		remark(l,
		       "frequency domain %u switches slowly but has no transition latency: it "
		       "takes no time",
		       d);
}

bool opp_inefficient(const struct sim *s, u32 fd, u32 opp)
{
	u32 which = sched_feat(s, HEADROOM_FIRST) ? EM_INEFFICIENT : EM_INEFFICIENT_V6_1;

	return s->opps[s->fds[fd].first_opp + opp].em_flags & which;
}

/* A smaller core should do a given amount of work for less; else it is of no use. */
static void lint_core_kinds(struct lint *l)
{
	const struct machine_desc *m = l->m;

	for (u32 a = 0; a < m->nr_freq_domains; a++) {
		const struct machine_freq_domain *fa = &m->freq_domains[a];
		const struct machine_opp *small = &m->opps[fa->first_opp + fa->nr_opps - 1];

		if (!first_with_table(m, a))
			continue;
		for (u32 b = 0; b < m->nr_freq_domains; b++) {
			const struct machine_freq_domain *fb = &m->freq_domains[b];
			const struct machine_opp *o = &m->opps[fb->first_opp];
			u32 i = 0;

			if (!first_with_table(m, b) ||
			    o[fb->nr_opps - 1].capacity <= small->capacity)
				continue;
			while (i < fb->nr_opps && o[i].capacity < small->capacity)
				i++;
			if (i < fb->nr_opps && o[i].power_uw && o[i].power_uw < small->power_uw)
				remark(l,
				       "frequency domain %u draws %u uW for its whole capacity of %u; "
				       "domain %u gives %u for %u uW: the smaller cores cost more at "
				       "their top",
				       a, small->power_uw, small->capacity, b, o[i].capacity,
				       o[i].power_uw);
		}
	}
}

static void lint_idle(struct lint *l)
{
	const struct machine_desc *m = l->m;
	u32 words = MACHINE_WORDS(m->nr_cpus);
	u64 *none = xcalloc(words, sizeof(u64));
	u32 *last = xcalloc(m->nr_cpus, sizeof(*last));
	char list[128];

	cpumask_fill(none, words, m->nr_cpus);
	for (u32 i = 0; i < m->nr_cpus; i++)
		last[i] = NONE;
	for (u32 i = 0; i < m->nr_idle_states; i++) {
		const struct machine_idle_state *s = &m->idle_states[i];

		if (s->scope == MACHINE_SCOPE_CPU)
			cpumask_andnot(none, none, s->cpus, words);
		/* A few us are within what is rounded. */
		if (s->residency_us + 10 < s->entry_us + s->exit_us)
			remark(l,
			       "idle state %s: residency %u us is less than entry and exit, %u us: it "
			       "pays before it has begun",
			       s->name, s->residency_us, s->entry_us + s->exit_us);
		for (u32 c = 0; c < m->nr_cpus; c++) {
			const struct machine_freq_domain *fd =
				&m->freq_domains[m->cpus[c].freq_domain];

			if (!machine_mask_test(s->cpus, c) || s->scope != MACHINE_SCOPE_CPU)
				continue;
			/* A power of its own at each operating point goes before that of the state. */
			if (last[c] == NONE && m->opps[fd->first_opp].power_uw &&
			    !m->opps[fd->first_opp].idle_power_uw &&
			    s->power_uw >= m->opps[fd->first_opp].power_uw) {
				contradiction(
					l,
					"idle state %s draws %u uW, cpu %u busy at its lowest "
					"frequency %u uW; idle is less",
					s->name, s->power_uw, c, m->opps[fd->first_opp].power_uw);
				break;
			}
			if (last[c] != NONE && s->power_uw > m->idle_states[last[c]].power_uw) {
				contradiction(
					l,
					"idle state %s draws %u uW, the shallower %s %u uW on cpu "
					"%u; deeper is less",
					s->name, s->power_uw, m->idle_states[last[c]].name,
					m->idle_states[last[c]].power_uw, c);
				break;
			}
			last[c] = i;
		}
	}
	if (!cpumask_empty(none, words))
		remark(l, "cpus %s have no idle state: idle they draw nothing and wake at once",
		       cpumask_format(none, words, list, sizeof(list)));
	free(none);
	free(last);
}

static void lint_levels(struct lint *l)
{
	const struct machine_desc *m = l->m;
	u32 *node = xcalloc(m->nr_llcs, sizeof(*node)), *size = xcalloc(m->nr_nodes, sizeof(*size));
	u32 least = m->nr_cpus, most = 0;
	u32 *cap = xcalloc(m->nr_clusters, sizeof(*cap)), cut = 0, mixed = 0;

	for (u32 c = 0; c < m->nr_cpus; c++) {
		const struct machine_cpu *cpu = &m->cpus[c];

		size[cpu->node]++;
		cut += node[cpu->llc] && node[cpu->llc] != cpu->node + 1;
		mixed += cap[cpu->cluster] && cap[cpu->cluster] != cpu->capacity;
		node[cpu->llc] = cpu->node + 1;
		cap[cpu->cluster] = cpu->capacity;
	}
	for (u32 n = 0; n < m->nr_nodes; n++) {
		least = size[n] < least ? size[n] : least;
		most = size[n] > most ? size[n] : most;
	}
	if (cut)
		remark(l,
		       "a last-level cache spans several nodes: the cache domain ends at the node, "
		       "as in the kernel");
	if (mixed && m->nr_clusters > 1)
		remark(l, "a cluster has CPUs of different capacity");
	if (least != most)
		remark(l, "nodes have %u to %u CPUs", least, most);
	for (u32 n = 0; m->node_memory && n < m->nr_nodes; n++)
		if (!m->node_memory[n])
			remark(l, "node %u has no memory", n);
	for (u32 t = 0; t < m->nr_core_types; t++) {
		const struct machine_core_type *type = &m->core_types[t];

		if (type->smt > 1 && type->smt_throughput_pct[type->smt - 1] == 100)
			remark(l, "core type '%s': its threads gain nothing over one", type->name);
	}
	free(node);
	free(size);
	free(cap);
}

static void lint_distances(struct lint *l)
{
	const struct machine_desc *m = l->m;
	const struct machine_comm *c = &m->comm_ns;
	u32 n = m->nr_nodes, near_most = 0, far_least = NONE;
	u32 *package = xcalloc(n, sizeof(*package));
	const u32 ns[] = { c->smt,  c->cluster, c->llc,
			   c->node, c->package, c->nr_remote ? c->remote[0] : 0 };
	static const char *const names[] = { "smt", "cluster", "llc", "node", "package", "remote" };
	u32 last = 0;

	for (u32 i = 0; i < m->nr_cpus; i++)
		package[m->cpus[i].node] = m->cpus[i].package;
	for (u32 a = 0; a < n; a++)
		for (u32 b = 0; b < n; b++) {
			u32 d = m->distance[a * n + b];

			if (a != b && package[a] == package[b] && d > near_most)
				near_most = d;
			if (package[a] != package[b] && d < far_least)
				far_least = d;
		}
	if (near_most && far_least != NONE && near_most > far_least)
		contradiction(
			l,
			"two nodes of one package are %u apart, two of different packages %u; "
			"inside is nearer",
			near_most, far_least);
	for (u32 i = 1; i < ARRAY_SIZE(ns); i++) {
		if (ns[last] && ns[i] && ns[i] < ns[last])
			remark(l,
			       "moving a cache line takes %u ns at level %s, %u ns at the wider level "
			       "%s; mostly wider is slower",
			       ns[last], names[last], ns[i], names[i]);
		if (ns[i])
			last = i;
	}
	for (u32 i = 1; i < c->nr_remote; i++)
		if (c->remote[i] < c->remote[i - 1])
			contradiction(l, "remote latency %u is %u ns, the nearer one %u ns", i + 1,
				      c->remote[i], c->remote[i - 1]);
	if (m->nr_packages > 1 && !c->nr_remote)
		remark(l, "no latency between packages is given: that of the widest level serves");
	free(package);
}

static void lint_energy(struct lint *l)
{
	const struct machine_desc *m = l->m;
	bool asym = false, smt = false;

	for (u32 c = 0; c < m->nr_cpus; c++)
		asym |= m->cpus[c].capacity != m->cpus[0].capacity;
	for (u32 t = 0; t < m->nr_core_types; t++)
		smt |= m->core_types[t].smt > 1;
	if (m->has_energy_model && !asym)
		remark(l, "there is an energy model, but every CPU has the same capacity: no "
			  "energy-aware placement");
	if (m->has_energy_model && asym && smt)
		remark(l,
		       "there is an energy model, but cores have threads: no energy-aware placement");
	if (asym && !m->has_energy_model)
		remark(l,
		       "CPUs differ in capacity, but there is no energy model: placement goes by "
		       "capacity alone");
}

u32 topo_lint(const struct sim *s, struct topo_finding **out)
{
	const struct machine_desc *m = s->machine;
	struct lint l = { .s = s, .m = m };

	for (u32 d = 0; d < m->nr_freq_domains; d++)
		if (first_with_table(m, d))
			lint_opps(&l, d);
	lint_core_kinds(&l);
	lint_idle(&l);
	lint_levels(&l);
	lint_distances(&l);
	lint_energy(&l);
	*out = l.v;
	return l.nr;
}

void topo_lint_free(struct topo_finding *f, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		free(f[i].text);
	free(f);
}
