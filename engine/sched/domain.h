/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domain.h - walking sched domains and groups, capacities of groups, hints of the caches.
 *
 * Follows include/linux/sched/topology.h and sd_flags.h, and kernel/sched/fair.c
 * (update_group_capacity(), scale_rt_capacity(), __update_idle_core()), Linux v6.12. The domains are
 * built in hw/topology.c; ids instead of pointers, NONE for no domain.
 */
#ifndef SG_ENGINE_SCHED_DOMAIN_H
#define SG_ENGINE_SCHED_DOMAIN_H

#include "engine/access.h"
#include "engine/base/cpumask.h"

/* Names of include/linux/sched/sd_flags.h (SHARE_LLC was SHARE_PKG_RESOURCES until v6.8). */
#define SD_BALANCE_NEWIDLE 0x0001u
#define SD_BALANCE_EXEC 0x0002u
#define SD_BALANCE_FORK 0x0004u
#define SD_BALANCE_WAKE 0x0008u
#define SD_WAKE_AFFINE 0x0010u
#define SD_ASYM_CPUCAPACITY 0x0020u
#define SD_ASYM_CPUCAPACITY_FULL 0x0040u
#define SD_SHARE_CPUCAPACITY 0x0080u
#define SD_CLUSTER 0x0100u
#define SD_SHARE_LLC 0x0200u
#define SD_SERIALIZE 0x0400u
#define SD_ASYM_PACKING 0x0800u
#define SD_PREFER_SIBLING 0x1000u
#define SD_OVERLAP 0x2000u
#define SD_NUMA 0x4000u

#define SD_NR_FLAGS 15
extern const char *const sd_flag_names[SD_NR_FLAGS]; /* without SD_ */
extern const char *const sd_kind_names[5];

/* for_each_domain - @dom, a new variable, climbs from the lowest domain of @cpu. */
#define for_each_domain(s, cpu, dom)                                                               \
	for (u32 dom = (s)->cpu_sd[cpu].sd; dom != NONE; dom = (s)->domains[dom].parent)

/* for_each_group - @sg over the ring of domain @sd, the CPU's own group first. */
#define for_each_group(s, sd, sg)                                                                  \
	for (u32 sg = (s)->domains[sd].groups, sg##_on = 1; sg##_on;                               \
	     sg = (s)->sgroups[sg].next, sg##_on = sg != (s)->domains[sd].groups)

static inline const u64 *sd_span(const struct sim *s, u32 sd)
{
	return mask_get(s, s->domains[sd].span);
}

static inline const u64 *sg_span(const struct sim *s, u32 sg)
{
	return mask_get(s, s->sgroups[sg].span);
}

static inline const u64 *sg_balance_mask(const struct sim *s, u32 sg)
{
	return mask_get(s, s->sgcs[s->sgroups[sg].sgc].balance_mask);
}

/* group_next_and - first CPU >= @from of group @sg that is in @mask, NONE. Most groups are one CPU. */
static inline cpu_id group_next_and(const struct sim *s, u32 sg, const u64 *mask, cpu_id from)
{
	const struct sched_group *g = &s->sgroups[sg];

	if (g->weight == 1)
		return from <= g->asym_prefer_cpu && cpumask_test(mask, g->asym_prefer_cpu)
			       ? g->asym_prefer_cpu
			       : NONE;
	return cpumask_next_from_and(mask_get(s, g->span), mask, s->g->mask_words, from);
}

/* for_each_group_cpu - @cpu, a new variable, over the CPUs of group @sg that are in @mask. */
#define for_each_group_cpu(cpu, s, sg, mask)                                                       \
	for (cpu_id cpu = group_next_and(s, sg, mask, 0); cpu != NONE;                             \
	     cpu = group_next_and(s, sg, mask, cpu + 1))

static inline cpu_id group_balance_cpu(const struct sim *s, u32 sg)
{
	return cpumask_first(sg_balance_mask(s, sg), s->g->mask_words);
}

static inline bool cpus_share_cache(const struct sim *s, cpu_id a, cpu_id b)
{
	return a == b || s->cpu_sd[a].llc_id == s->cpu_sd[b].llc_id;
}

/* cpus_share_resources - in one cluster; in one cache where the machine has no clusters. */
static inline bool cpus_share_resources(const struct sim *s, cpu_id a, cpu_id b)
{
	return a == b || s->cpu_sd[a].share_id == s->cpu_sd[b].share_id;
}

/* sched_idle_cpu - busy, but with nothing else than SCHED_IDLE tasks. */
static inline bool sched_idle_cpu(const struct sim *s, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];

	return rq->nr_running && rq->nr_running == root_cfs(s, cpu)->h_nr_idle;
}

/*
 * sched_asym_prefer - is CPU @a to be used before @b? By tunable asym_packing: lower numbers, as
 * arch_asym_cpu_priority() has it where an architecture says nothing, or larger CPUs, as ITMT has it.
 */
static inline bool sched_asym_prefer(const struct sim *s, cpu_id a, cpu_id b)
{
	if (s->g->tun.asym_packing == 1)
		return a < b;
	return s->g->tun.asym_packing == 2 &&
	       s->rqs[a].cpu_capacity_orig > s->rqs[b].cpu_capacity_orig;
}

/* sched_asym - in domain @sd, is @a to be used before @b? */
static inline bool sched_asym(const struct sim *s, u32 sd, cpu_id a, cpu_id b)
{
	return (s->domains[sd].flags & SD_ASYM_PACKING) && sched_asym_prefer(s, a, b);
}

/* actual_cpu_capacity - architectural capacity less what caps and hardware limits take. */
u64 actual_cpu_capacity(const struct sim *s, cpu_id cpu);

/* cpufreq_pressure - capacity that a cap on the frequency takes, now. */
u64 cpufreq_pressure(const struct sim *s, cpu_id cpu);

/* hw_pressure_input - the same where it counts slowly (v5.10 .. v6.6: thermal pressure), else 0. */
u32 hw_pressure_input(const struct sim *s, cpu_id cpu);

/* age_hw_pressure - the average of that to now: at ticks. The clock is current. */
void age_hw_pressure(struct sim *s, struct rq *rq);

/* scale_rt_capacity - what interrupts, other classes and pressure leave for fair tasks, >= 1. */
u64 scale_rt_capacity(const struct sim *s, cpu_id cpu);

/*
 * update_group_capacity - refresh the capacity of the own group of @cpu in domain @sd, and at the
 * bottom that of the CPU itself.
 */
void update_group_capacity(struct sim *s, u32 sd, cpu_id cpu);

/* max_load_balance_interval - jiffies: HZ / 10 for every CPU online. */
static inline u64 max_load_balance_interval(const struct sim *s)
{
	return s->g->tun.hz * s->g->nr_online / 10;
}

/* update_idle_core - @cpu went idle: if its whole core is, the cache has idle cores. */
void update_idle_core(struct sim *s, cpu_id cpu);

/* idle_scan_limit - how far an idle search may look: update_idle_cpu_scan(). */
u32 idle_scan_limit(u32 llc_weight, u64 sum_util, u32 imbalance_pct);

#endif
