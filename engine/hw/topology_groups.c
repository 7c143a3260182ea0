/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topology_groups.c - groups of sched domains: rings of the spans below, and overlapping ones.
 *
 * Follows build_sched_groups() and build_overlap_sched_groups() of kernel/sched/topology.c, Linux
 * v6.12. Groups are shared by all CPUs for which the kernel would make equal ones.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/hw/topology_int.h"
#include "engine/sched/place.h"

/* ---- groups -------------------------------------------------------------------------------- */

/* @array with room for @need elements; NULL without memory, @array is then still good. */
static void *grow(void *array, u32 *room, u32 need, size_t size, struct err *err)
{
	if (need <= *room)
		return array;

	u32 n = need + need / 2 + 64;
	void *p = realloc(array, n * size);

	if (p)
		*room = n;
	else
		err_set(err, ERR_LIMIT, "no memory for sched groups");
	return p;
}

/* What the level below has around @cpu: the span of a group. */
static mask_id child_span(const struct builder *b, u32 level, cpu_id cpu)
{
	return level ? b->span[at(b, level - 1, cpu)] : b->single[cpu];
}

static u32 new_group(struct builder *b, u32 level, cpu_id cpu, mask_id span, mask_id balance)
{
	const struct sim *s = b->s;
	cpu_id first = cpumask_first(mask_get(s, balance), b->words);
	u32 *sgc = &b->sgc[at(b, level, first)];

	void *sg = grow(b->sg, &b->room_sg, b->nr_sg + 1, sizeof(*b->sg), b->err);

	b->sg = sg ? sg : b->sg;

	void *gc = grow(b->gc, &b->room_gc, b->nr_gc + 1, sizeof(*b->gc), b->err);

	b->gc = gc ? gc : b->gc;
	if (!sg || !gc)
		return NONE;
	if (*sgc == NONE) {
		*sgc = b->nr_gc++;
		b->gc[*sgc] = (struct sched_group_capacity){
			.capacity = (u64)SCHED_CAPACITY_SCALE * s->masks[span].weight,
			.min_capacity = SCHED_CAPACITY_SCALE,
			.max_capacity = SCHED_CAPACITY_SCALE,
			.balance_mask = balance,
		};
	}

	u32 kept = b->below[at(b, level, cpu)], cores = 0;

	for_each_cpu_mask(c, mask_get(s, span), b->words)
	{
		const u64 *smt = mask_get(s, s->topo[c].smt_mask);

		cores += cpumask_first_and(smt, mask_get(s, span), b->words) == c;
	}
	b->sg[b->nr_sg] = (struct sched_group){
		.next = NONE,
		.span = span,
		.weight = s->masks[span].weight,
		.cores = cores,
		.flags = kept < b->nr_levels ? b->flags[at(b, kept, cpu)] : 0,
		.sgc = *sgc,
		.asym_prefer_cpu = cpumask_first(mask_get(s, span), b->words),
	};
	return b->nr_sg++;
}

/* build_sched_groups(): one ring for all CPUs of the span. */
static int build_ring(struct builder *b, u32 level, cpu_id cpu)
{
	const u64 *span = mask_get(b->s, b->span[at(b, level, cpu)]);
	u32 first = NONE, last = NONE;
	cpu_id start = cpu;

	cpumask_zero(b->covered, b->words);
	for_each_cpu_mask(c, span, b->words)
		start = c; /* the last CPU is the one whose ring stays in the kernel */
	for_each_cpu_mask_wrap(i, span, b->words, start)
	{
		if (cpumask_test(b->covered, i))
			continue;

		mask_id sub = child_span(b, level, i);
		u32 g = new_group(b, level, i, sub, sub);

		if (g == NONE)
			return -1;
		for_each_cpu_mask(c, mask_get(b->s, sub), b->words) b->group[at(b, level, c)] = g;
		cpumask_or(b->covered, b->covered, mask_get(b->s, sub), b->words);
		if (first == NONE)
			first = g;
		else
			b->sg[last].next = g;
		last = g;
	}
	b->sg[last].next = first;
	return 0;
}

/* find_descended_sibling(): level of @cpu whose own groups stay inside @span. */
static u32 descend(const struct builder *b, u32 level, cpu_id cpu, const u64 *span)
{
	while (level && !cpumask_subset(mask_get(b->s, child_span(b, level, cpu)), span, b->words))
		level--;
	while (level && child_span(b, level, cpu) == b->span[at(b, level, cpu)])
		level--;
	return level;
}

/* build_balance_mask(): CPUs of the group, around @cpu, that see it as their own. */
static mask_id balance_mask(struct builder *b, u32 level, cpu_id cpu, mask_id group)
{
	struct known_balance *known = &b->known[at(b, level, cpu)];

	if (known->group == group)
		return known->mask;
	cpumask_zero(b->balance, b->words);
	for_each_cpu_mask(c, mask_get(b->s, group),
			  b->words) if (b->span[at(b, level, c)] != NONE &&
					child_span(b, level, c) == group)
		cpumask_set(b->balance, c);
	/* An asymmetric group nobody owns: everyone in it may act. */
	if (cpumask_empty(b->balance, b->words))
		return group;

	mask_id mask = topology_intern(b, b->balance);
	void *refs = grow(b->refs, &b->room_refs, b->nr_refs + 1, sizeof(*b->refs), b->err);

	b->refs = refs ? refs : b->refs;
	if (mask == NONE || !refs) {
		if (mask != NONE)
			mask_put(b->s, mask);
		return NONE;
	}
	b->refs[b->nr_refs++] = mask;
	*known = (struct known_balance){ .group = group, .mask = mask };
	return mask;
}

/* Is the ring that starts at @a the same sequence of groups as the @nr ones from @fresh on? */
static bool ring_equal(const struct builder *b, u32 a, u32 fresh, u32 nr)
{
	u32 g = a;

	for (u32 i = 0; i < nr; i++, g = b->sg[g].next)
		if (b->sg[g].span != b->sg[fresh + i].span ||
		    b->sg[g].sgc != b->sg[fresh + i].sgc ||
		    b->sg[g].flags != b->sg[fresh + i].flags)
			return false;
	return g == a;
}

/* build_overlap_sched_groups(): a ring of its own for every CPU, shared where equal. */
static int build_overlap(struct builder *b, u32 level, cpu_id cpu)
{
	mask_id span_id = b->span[at(b, level, cpu)];
	u32 fresh = b->nr_sg;

	cpumask_zero(b->covered, b->words);
	for (u32 k = 0; k < b->n; k++) {
		cpu_id i = cpu + k < b->n ? cpu + k : cpu + k - b->n;
		const u64 *span = mask_get(b->s, span_id);

		if (!cpumask_test(span, i) || cpumask_test(b->covered, i) ||
		    b->span[at(b, level, i)] == NONE ||
		    !cpumask_test(mask_get(b->s, b->span[at(b, level, i)]), i))
			continue;

		u32 from = level;
		mask_id sub = child_span(b, level, i);

		if (!cpumask_subset(mask_get(b->s, sub), span, b->words)) {
			from = descend(b, level, i, span);
			sub = child_span(b, from, i);
		}

		mask_id balance = balance_mask(b, level, i, sub);

		if (balance == NONE)
			return -1;

		u32 g = new_group(b, level, i, sub, balance);

		if (g == NONE)
			return -1;
		cpumask_or(b->covered, b->covered, mask_get(b->s, sub), b->words);
		if (g != fresh)
			b->sg[g - 1].next = g;
	}
	b->sg[b->nr_sg - 1].next = fresh;
	b->group[at(b, level, cpu)] = fresh;
	for (cpu_id c = 0; c < cpu; c++) {
		u32 old = b->group[at(b, level, c)];

		if (b->s->topo[c].node == b->s->topo[cpu].node && old != NONE &&
		    ring_equal(b, old, fresh, b->nr_sg - fresh)) {
			b->group[at(b, level, cpu)] = old;
			b->nr_sg = fresh;
			break;
		}
	}
	return 0;
}

int topology_build_groups(struct builder *b, cpu_id c)
{
	for (u32 l = 0; l < b->nr_levels && b->span[at(b, l, c)] != NONE; l++) {
		if (b->below[at(b, l, c)] == LEVEL_REMOVED)
			continue;
		if (b->levels[l].kind == SD_KIND_NUMA) {
			if (build_overlap(b, l, c))
				return -1;
		} else if (b->group[at(b, l, c)] == NONE && build_ring(b, l, c)) {
			return -1;
		}
	}
	return 0;
}
