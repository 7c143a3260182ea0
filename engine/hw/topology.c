/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topology.c - sched domains from the machine: SMT, cluster, cache, package and NUMA levels.
 *
 * Follows kernel/sched/topology.c of Linux v6.12: sched_init_numa(), sd_init(),
 * build_sched_domains(), build_overlap_sched_groups(), sd_parent_degenerate(),
 * update_top_cache_domain(), build_perf_domains(). Simplified: a
 * level that the kernel would remove is left out at once, which gives the same domains; groups are
 * shared by all CPUs for which the kernel would make equal ones.
 */
#include "engine/hw/topology_int.h"

#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/group.h"
#include "engine/sched/partition.h"
#include "engine/sched/place.h"
#include "engine/sched/release.h"

/* mask_intern() with room made first; the builder owns one reference. */
mask_id topology_intern(struct builder *b, const u64 *words)
{
	struct sim *s = b->s;

	if (!arena_room(&s->arena, POOL_MASK)) {
		u32 ids = arena_len(&s->arena, POOL_MASK);

		if (arena_reserve(&s->arena, POOL_MASK, ids / 2 + 64, b->err))
			return NONE;
		sim_bind(s);
	}

	size_t need = ((size_t)arena_len(&s->arena, POOL_MASK) + 1) * b->words;

	if (need > arena_len(&s->arena, POOL_MASK_WORDS)) {
		if (arena_array_resize(&s->arena, POOL_MASK_WORDS, (u32)(need + need / 2), b->err))
			return NONE;
		sim_bind(s);
	}
	return mask_intern(s, words);
}

/* ---- spans ------------------------------------------------------------------------------- */

static void init_levels(struct builder *b)
{
	const u64 *dist = arena_base(&b->s->arena, POOL_NODE_DISTANCE);
	u32 nodes = b->s->g->nr_nodes;
	bool seen[256] = { false };

	for (u32 k = SD_KIND_SMT; k <= SD_KIND_PKG; k++)
		b->levels[b->nr_levels++].kind = (enum sd_kind)k;
	for (u32 i = 0; i < nodes * nodes; i++)
		if (dist[i] > LOCAL_DISTANCE)
			seen[dist[i] & 255] = true;
	for (u32 d = LOCAL_DISTANCE + 1; d < 256 && b->nr_levels < LEVELS_MAX; d++)
		if (seen[d])
			b->levels[b->nr_levels++] =
				(struct level){ .kind = SD_KIND_NUMA, .distance = d };
}

/* CPUs of the level around @cpu into b->tmp, offline ones left out. */
static void level_words(struct builder *b, u32 level, cpu_id cpu)
{
	const struct sim *s = b->s;
	const struct cpu_topo *t = &s->topo[cpu];
	u64 *w = b->tmp;

	switch (b->levels[level].kind) {
	case SD_KIND_SMT:
		cpumask_copy(w, mask_get(s, t->smt_mask), b->words);
		break;
	case SD_KIND_CLS:
		/*
		 * A cluster as large as the cache is none: cpu_clustergroup_mask(). Kernels for
		 * machines with several kinds of cores do without: on x86 hybrids the kernel says
		 * so itself, arm64 ones are built without CONFIG_SCHED_CLUSTER.
		 */
		cpumask_and(w, mask_get(s, t->llc_mask), mask_get(s, t->node_mask), b->words);
		if (s->g->asym_machine || cpumask_subset(w, mask_get(s, t->cluster_mask), b->words))
			cpumask_copy(w, mask_get(s, t->smt_mask), b->words);
		else
			cpumask_and(w, w, mask_get(s, t->cluster_mask), b->words);
		break;
	case SD_KIND_MC:
		cpumask_and(w, mask_get(s, t->llc_mask), mask_get(s, t->node_mask), b->words);
		break;
	case SD_KIND_PKG:
		cpumask_copy(w, mask_get(s, t->node_mask), b->words);
		break;
	case SD_KIND_NUMA: {
		const u64 *dist = arena_base(&s->arena, POOL_NODE_DISTANCE);
		const u64 *row = dist + (size_t)t->node * s->g->nr_nodes;

		cpumask_zero(w, b->words);
		for (cpu_id c = 0; c < b->n; c++)
			if (row[s->topo[c].node] <= b->levels[level].distance)
				cpumask_set(w, c);
		break;
	}
	}
	cpumask_and(w, w, mask_get(s, b->whole[cpu]), b->words);
}

/* Where the domains of each CPU end: generate_sched_domains(). */
static int build_partitions(struct builder *b)
{
	const struct sim *s = b->s;

	for (cpu_id c = 0; c < b->n; c++) {
		struct cpu_sd *k = &b->cpu[c];

		k->partition = ROOT_TG;
		b->whole[c] = s->g->online;
		if (!b->parted)
			continue;
		k->partition = partition_of_cpu(s, c);
		k->isolated = s->groups[k->partition].partition_now == PARTITION_ISOLATED;
		partition_words(s, k->partition, b->tmp);
		cpumask_and(b->tmp, b->tmp, mask_get(s, s->g->online), b->words);
		if (k->isolated) {
			cpumask_zero(b->tmp, b->words);
			cpumask_set(b->tmp, c);
		}
		b->whole[c] = topology_intern(b, b->tmp);
		if (b->whole[c] == NONE)
			return -1;
	}
	return 0;
}

/* Spans of all levels, upward until one covers the CPU's partition. */
static int build_spans(struct builder *b)
{
	const struct sim *s = b->s;

	for (cpu_id c = 0; c < b->n; c++) {
		if (!cpu_online_in(b, c))
			continue;
		cpumask_zero(b->tmp, b->words);
		cpumask_set(b->tmp, c);
		b->single[c] = topology_intern(b, b->tmp);
		if (b->single[c] == NONE)
			return -1;
		for (u32 l = 0; l < b->nr_levels; l++) {
			/* A partition may split whatever is shared. */
			u32 unit = b->parted			     ? c
				   : b->levels[l].kind < SD_KIND_PKG ? s->topo[c].core
								     : s->topo[c].node;
			mask_id *known = &b->unit[at(b, l, unit)];

			if (*known == NONE) {
				level_words(b, l, c);
				*known = topology_intern(b, b->tmp);
				if (*known == NONE)
					return -1;
			}
			b->span[at(b, l, c)] = *known;
			if (*known == b->whole[c])
				break;
		}
	}
	return 0;
}

/* ---- flags --------------------------------------------------------------------------------- */

/* asym_cpu_capacity_classify(): does the span see several capacities, and all there are? */
static u32 asym_flags(const struct builder *b, mask_id span, cpu_id cpu)
{
	const struct sim *s = b->s;
	const u64 *w = mask_get(s, span), *all = mask_get(s, b->whole[cpu]);
	bool here[SCHED_CAPACITY_SCALE + 1] = { false }, any[SCHED_CAPACITY_SCALE + 1] = { false };
	u32 nr = 0, missing = 0;

	if (!s->g->asym_capacity)
		return 0;
	for_each_cpu_mask(c, all, b->words)
	{
		any[s->rqs[c].cpu_capacity_orig] = true;
		here[s->rqs[c].cpu_capacity_orig] |= cpumask_test(w, c);
	}
	for (u32 cap = 0; cap <= SCHED_CAPACITY_SCALE; cap++) {
		nr += here[cap];
		missing += any[cap] && !here[cap];
	}
	if (nr < 2)
		return 0;
	return missing ? SD_ASYM_CPUCAPACITY : SD_ASYM_CPUCAPACITY | SD_ASYM_CPUCAPACITY_FULL;
}

static u32 level_flags(const struct level *l)
{
	u32 f = SD_BALANCE_NEWIDLE | SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE |
		SD_PREFER_SIBLING;

	switch (l->kind) {
	case SD_KIND_SMT:
		return f | SD_SHARE_CPUCAPACITY | SD_SHARE_LLC;
	case SD_KIND_CLS:
		return f | SD_CLUSTER | SD_SHARE_LLC;
	case SD_KIND_MC:
		return f | SD_SHARE_LLC;
	case SD_KIND_PKG:
		return f;
	case SD_KIND_NUMA:
		f = (f & ~SD_PREFER_SIBLING) | SD_SERIALIZE | SD_OVERLAP | SD_NUMA;
		if (l->distance > RECLAIM_DISTANCE)
			f &= ~(SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE);
		return f;
	}
	return f;
}

/* Flags and NUMA allowance of every level, and which levels stay: per CPU, bottom up. */
static void build_flags(struct builder *b, cpu_id c)
{
	const struct sim *s = b->s;
	u32 imb = 0, base = 1, kept = NONE, weight_below = 0;

	for (u32 l = 0; l < b->nr_levels; l++) {
		size_t i = at(b, l, c);
		mask_id span = b->span[i];

		if (span == NONE)
			break;
		b->flags[i] = level_flags(&b->levels[l]);
		/* Equal spans have equal answers. */
		u32 asym = l && span == b->span[at(b, l - 1, c)]
				   ? b->flags[at(b, l - 1, c)] &
					     (SD_ASYM_CPUCAPACITY | SD_ASYM_CPUCAPACITY_FULL)
				   : asym_flags(b, span, c);

		b->flags[i] |= asym;
		if (asym && l)
			b->flags[at(b, l - 1, c)] &= ~SD_PREFER_SIBLING;

		u32 w = s->masks[span].weight;

		if (!(b->flags[i] & SD_SHARE_LLC) && l &&
		    (b->flags[at(b, l - 1, c)] & SD_SHARE_LLC)) {
			u32 llcs = w / weight_below, up = l;

			imb = llcs == 1 ? w >> 3 : llcs;
			imb = imb ? imb : 1;
			while (up < b->nr_levels && b->levels[up].kind != SD_KIND_NUMA)
				up++;
			base = up < b->nr_levels && b->span[at(b, up, c)] != NONE
				       ? s->masks[b->span[at(b, up, c)]].weight
				       : w;
			b->imb[i] = imb;
		} else {
			b->imb[i] = imb * (w / base ? w / base : 1);
		}
		weight_below = w;
	}
	for (u32 l = 0; l < b->nr_levels && b->span[at(b, l, c)] != NONE; l++) {
		size_t i = at(b, l, c);
		bool same = kept != NONE && b->span[i] == b->span[at(b, kept, c)];

		/* One CPU, or the same CPUs as below: sd_degenerate(), sd_parent_degenerate(). */
		if (s->masks[b->span[i]].weight == 1 || same) {
			if (same)
				b->flags[at(b, kept, c)] |= b->flags[i] & SD_PREFER_SIBLING;
			b->below[i] = LEVEL_REMOVED;
			continue;
		}
		b->below[i] = kept;
		kept = l;
	}
}

/* ---- domains of a CPU ------------------------------------------------------------------------ */

/* What differs from release to release, and packing: within a node, by size not between threads. */
static void tune_domain(const struct sim *s, struct sched_domain *d)
{
	bool threads = d->flags & SD_SHARE_CPUCAPACITY;

	d->flags &= ~SD_ASYM_PACKING;
	if (d->kind != SD_KIND_NUMA &&
	    (s->g->tun.asym_packing == 1 || (s->g->tun.asym_packing == 2 && !threads)))
		d->flags |= SD_ASYM_PACKING;
	d->busy_factor = lb_form(s)->busy_factor;
	d->imbalance_pct = d->flags & SD_SHARE_CPUCAPACITY ? 110
			   : d->flags & SD_SHARE_LLC	   ? 117
							   : lb_form(s)->imbalance_pct;
}

void domains_retune(struct sim *s)
{
	for (u32 i = 0; i < arena_len(&s->arena, POOL_SCHED_DOMAIN); i++)
		tune_domain(s, &s->domains[i]);
	for (u32 i = 0; i < arena_len(&s->arena, POOL_SCHED_GROUP); i++) {
		struct sched_group *sg = &s->sgroups[i];

		sg->asym_prefer_cpu = cpumask_first(sg_span(s, i), s->g->mask_words);
		for_each_cpu_mask(c, sg_span(s, i), s->g->mask_words)
		{
			if (sched_asym_prefer(s, c, sg->asym_prefer_cpu))
				sg->asym_prefer_cpu = c;
		}
	}
}

static void init_domain(struct builder *b, u32 id, u32 level, cpu_id c)
{
	const struct sim *s = b->s;
	size_t i = at(b, level, c);
	u32 w = s->masks[b->span[i]].weight, flags = b->flags[i];

	b->sd[id] = (struct sched_domain){
		.parent = NONE,
		.child = NONE,
		.groups = b->group[i],
		.kind = b->levels[level].kind,
		.span = b->span[i],
		.span_weight = w,
		.flags = flags,
		.cpu = c,
		.shared = NONE,
		.min_interval = w,
		.max_interval = 2 * w,
		.cache_nice_tries = flags & SD_SHARE_CPUCAPACITY ? 0
				    : flags & SD_NUMA		 ? 2
								 : 1,
		.imb_numa_nr = b->imb[i],
		.last_balance = sim_jiffies(s),
		.balance_interval = w,
		.last_decay_max_lb_cost = sim_jiffies(s),
		.newidle_call = 512,
		.newidle_success = 256,
		.newidle_ratio = 512,
	};
	tune_domain(s, &b->sd[id]);
}

/* The shared record of the cache around @c: by its lowest CPU. */
static u32 llc_record(struct builder *b, u32 sd)
{
	const struct sim *s = b->s;
	cpu_id first = cpumask_first(mask_get(s, b->sd[sd].span), b->words);

	if (first != b->sd[sd].cpu)
		return b->cpu[first].llc_shared;

	u32 busy = 0;

	for_each_cpu_mask(c, mask_get(s, b->sd[sd].span), b->words)
		busy += !s->rqs[c].nohz_tick_stopped;
	/* nr_idle_scan: what an idle machine's first balancing pass sets. */
	b->llc[b->nr_llc] = (struct llc_shared){
		.nr_busy_cpus = busy,
		.nr_idle_scan = b->sd[sd].span_weight,
		.span_weight = b->sd[sd].span_weight,
		.has_idle_cores = s->g->has_smt,
	};
	return b->nr_llc++;
}

static void build_cpu_domains(struct builder *b, cpu_id c)
{
	struct cpu_sd *k = &b->cpu[c];
	u32 below = NONE, cluster = NONE;

	*k = (struct cpu_sd){ .sd = NONE,
			      .partition = k->partition,
			      .isolated = k->isolated,
			      .llc = NONE,
			      .llc_shared = NONE,
			      .llc_size = 1,
			      .llc_id = c,
			      .share_id = c,
			      .asym = NONE,
			      .numa = NONE,
			      .idle_last_wakee = NONE };
	if (arena_len(&b->s->arena, POOL_CPU_SD)) {
		k->idle_wakee_flips = b->s->cpu_sd[c].idle_wakee_flips;
		k->idle_last_wakee = b->s->cpu_sd[c].idle_last_wakee;
		k->idle_flip_decay_ts = b->s->cpu_sd[c].idle_flip_decay_ts;
	}
	for (u32 l = 0; l < b->nr_levels && b->span[at(b, l, c)] != NONE; l++) {
		if (b->below[at(b, l, c)] == LEVEL_REMOVED)
			continue;

		u32 id = b->nr_sd++;

		init_domain(b, id, l, c);
		b->sd[id].child = below;
		b->sd[id].level = below == NONE ? 0 : b->sd[below].level + 1;
		if (below == NONE)
			k->sd = id;
		else
			b->sd[below].parent = id;
		if (b->sd[id].flags & SD_SHARE_LLC)
			k->llc = id;
		if (b->sd[id].flags & SD_CLUSTER)
			cluster = id;
		if ((b->sd[id].flags & SD_ASYM_CPUCAPACITY_FULL) && k->asym == NONE)
			k->asym = id;
		if ((b->sd[id].flags & SD_NUMA) && k->numa == NONE)
			k->numa = id;
		below = id;
	}
	if (k->llc != NONE) {
		const u64 *w = mask_get(b->s, b->sd[k->llc].span);

		k->llc_id = cpumask_first(w, b->words);
		k->llc_size = b->sd[k->llc].span_weight;
		k->llc_shared = llc_record(b, k->llc);
		for (u32 d = k->sd; d != b->sd[k->llc].parent; d = b->sd[d].parent)
			b->sd[d].shared = k->llc_shared;
	}
	k->share_id = k->llc_id;
	if (cluster != NONE)
		k->share_id = cpumask_first(mask_get(b->s, b->sd[cluster].span), b->words);
}

/* build_perf_domains(): the list is built by putting each in front, so the last CPU's is first. */
static void build_perf(struct builder *b)
{
	const struct sim *s = b->s;

	for (cpu_id c = b->n; c-- > 0;) {
		u32 fd = s->topo[c].fd, nr = 0;
		cpu_id first = NONE;

		for_each_cpu_mask_and(i, mask_get(s, s->fds[fd].cpus), mask_get(s, s->g->online),
				      b->words)
		{
			first = first == NONE ? i : first;
			nr++;
		}
		if (first == c)
			b->pd[b->nr_pd++] = (struct perf_domain){ .fd = fd, .nr_cpus = nr };
	}
}

/* ---- putting it in place ----------------------------------------------------------------- */

static void put_masks(struct sim *s)
{
	for (u32 i = 0; i < arena_len(&s->arena, POOL_SCHED_DOMAIN); i++)
		mask_put(s, s->domains[i].span);
	for (u32 i = 0; i < arena_len(&s->arena, POOL_SCHED_GROUP); i++)
		mask_put(s, s->sgroups[i].span);
	for (u32 i = 0; i < arena_len(&s->arena, POOL_SCHED_GROUP_CAPACITY); i++)
		mask_put(s, s->sgcs[i].balance_mask);
}

static int install(struct builder *b)
{
	struct sim *s = b->s;
	struct arena *a = &s->arena;
	const struct {
		u32 pool, len;
		const void *from;
		size_t size;
	} parts[] = {
		{ POOL_SCHED_DOMAIN, b->nr_sd, b->sd, sizeof(*b->sd) },
		{ POOL_SCHED_GROUP, b->nr_sg, b->sg, sizeof(*b->sg) },
		{ POOL_SCHED_GROUP_CAPACITY, b->nr_gc, b->gc, sizeof(*b->gc) },
		{ POOL_LLC, b->nr_llc, b->llc, sizeof(*b->llc) },
		{ POOL_CPU_SD, b->n, b->cpu, sizeof(*b->cpu) },
		{ POOL_PERF_DOMAIN, b->nr_pd, b->pd, sizeof(*b->pd) },
	};

	/* Room for all first, so that a failure leaves the old ones whole. */
	for (u32 i = 0; i < ARRAY_SIZE(parts); i++) {
		u32 len = arena_len(a, parts[i].pool);

		if (parts[i].len > len &&
		    arena_reserve(a, parts[i].pool, parts[i].len - len, b->err)) {
			sim_bind(s);
			return -1;
		}
	}
	sim_bind(s);
	for (u32 i = 0; i < b->nr_sd; i++)
		mask_get_ref(s, b->sd[i].span);
	for (u32 i = 0; i < b->nr_sg; i++)
		mask_get_ref(s, b->sg[i].span);
	for (u32 i = 0; i < b->nr_gc; i++)
		mask_get_ref(s, b->gc[i].balance_mask);
	put_masks(s);
	for (u32 i = 0; i < ARRAY_SIZE(parts); i++) {
		BUG_ON(arena_array_resize(a, parts[i].pool, parts[i].len, b->err));
		if (parts[i].len)
			memcpy(arena_base(a, parts[i].pool), parts[i].from,
			       parts[i].len * parts[i].size);
	}
	sim_bind(s);
	return 0;
}

/* The references the builder itself took: one per mask_intern(). */
static void drop_refs(struct builder *b)
{
	struct sim *s = b->s;

	for (u32 i = 0; b->unit && i < b->nr_levels * b->n; i++)
		if (b->unit[i] != NONE)
			mask_put(s, b->unit[i]);
	for (u32 i = 0; b->single && i < b->n; i++)
		if (b->single[i] != NONE)
			mask_put(s, b->single[i]);
	for (u32 i = 0; b->parted && b->whole && i < b->n; i++)
		if (b->whole[i] != NONE)
			mask_put(s, b->whole[i]);
	for (u32 i = 0; i < b->nr_refs; i++)
		mask_put(s, b->refs[i]);
}

static u32 *array(struct builder *b, size_t n)
{
	u32 *p = malloc((n + 1) * sizeof(*p));

	if (!p)
		err_set(b->err, ERR_LIMIT, "no memory to build the domains of %u CPUs", b->n);
	else
		memset(p, 0xff, (n + 1) * sizeof(*p));
	return p;
}

static int builder_init(struct builder *b)
{
	size_t all;

	init_levels(b);
	all = (size_t)b->nr_levels * b->n;
	b->tmp = calloc(3 * (size_t)b->words, sizeof(u64));
	b->covered = b->tmp ? b->tmp + b->words : NULL;
	b->balance = b->tmp ? b->tmp + 2 * (size_t)b->words : NULL;
	b->span = array(b, all);
	b->unit = array(b, all);
	b->single = array(b, b->n);
	b->whole = array(b, b->n);
	b->flags = array(b, all);
	b->imb = array(b, all);
	b->below = array(b, all);
	b->group = array(b, all);
	b->sgc = array(b, all);
	b->known = malloc((all + 1) * sizeof(*b->known));
	if (b->known)
		memset(b->known, 0xff, (all + 1) * sizeof(*b->known));
	b->sd = calloc(all, sizeof(*b->sd));
	b->llc = calloc(b->n, sizeof(*b->llc));
	b->cpu = calloc(b->n, sizeof(*b->cpu));
	b->pd = calloc(b->n, sizeof(*b->pd));
	if (!b->tmp || !b->span || !b->unit || !b->single || !b->whole || !b->flags || !b->imb ||
	    !b->below || !b->group || !b->sgc || !b->known || !b->sd || !b->llc || !b->cpu ||
	    !b->pd)
		return err_set(b->err, ERR_LIMIT, "no memory to build the domains of %u CPUs",
			       b->n);
	return 0;
}

static void builder_free(struct builder *b)
{
	free(b->tmp);
	free(b->span);
	free(b->unit);
	free(b->single);
	free(b->whole);
	free(b->flags);
	free(b->imb);
	free(b->below);
	free(b->group);
	free(b->sgc);
	free(b->known);
	free(b->refs);
	free(b->sd);
	free(b->sg);
	free(b->gc);
	free(b->llc);
	free(b->cpu);
	free(b->pd);
	free(b);
}

static int build_all(struct builder *b)
{
	if (build_partitions(b) || build_spans(b))
		return -1;
	for (cpu_id c = 0; c < b->n; c++)
		if (cpu_online_in(b, c))
			build_flags(b, c);
	for (cpu_id c = 0; c < b->n; c++)
		if (cpu_online_in(b, c) && topology_build_groups(b, c))
			return -1;
	for (cpu_id c = 0; c < b->n; c++)
		build_cpu_domains(b, c);
	build_perf(b);
	return install(b);
}

int domains_build(struct sim *s, struct err *err)
{
	struct builder *b = calloc(1, sizeof(*b));
	int ret;

	if (!b)
		return err_set(err, ERR_LIMIT, "no memory to build the domains");
	b->s = s;
	b->err = err;
	b->n = s->g->nr_cpus;
	b->words = s->g->mask_words;
	for (u32 id = 1; id < arena_len(&s->arena, POOL_GROUP); id++)
		b->parted |= s->groups[id].partition_now != PARTITION_MEMBER;
	ret = builder_init(b) || build_all(b) ? -1 : 0;
	drop_refs(b);
	builder_free(b);
	if (ret)
		return ret;
	domains_retune(s);

	/* Bottom up on each CPU, the last CPU first: every group by the first CPU that may. */
	for (cpu_id c = s->g->nr_cpus; c-- > 0;)
		for_each_domain(s, c, sd) if (group_balance_cpu(s, s->domains[sd].groups) == c)
			update_group_capacity(s, sd, c);
	return 0;
}

u64 domains_bytes(const struct sim *s)
{
	const struct arena *a = &s->arena;

	return (u64)arena_len(a, POOL_SCHED_DOMAIN) * sizeof(struct sched_domain) +
	       (u64)arena_len(a, POOL_SCHED_GROUP) * sizeof(struct sched_group) +
	       (u64)arena_len(a, POOL_SCHED_GROUP_CAPACITY) * sizeof(struct sched_group_capacity) +
	       (u64)arena_len(a, POOL_LLC) * sizeof(struct llc_shared) +
	       (u64)arena_len(a, POOL_CPU_SD) * sizeof(struct cpu_sd) +
	       (u64)arena_live(a, POOL_MASK) *
		       (sizeof(struct mask_head) + s->g->mask_words * sizeof(u64));
}
