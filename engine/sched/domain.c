/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domain.c - capacities of groups and hints of the caches; see domain.h.
 *
 * Follows kernel/sched/fair.c of Linux v6.12.
 */
#include "engine/sched/domain.h"

#include "engine/observe/emit.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/features.h"
#include "engine/sched/release.h"
#include "engine/sched/pelt.h"

const char *const sd_flag_names[SD_NR_FLAGS] = {
	"BALANCE_NEWIDLE",
	"BALANCE_EXEC",
	"BALANCE_FORK",
	"BALANCE_WAKE",
	"WAKE_AFFINE",
	"ASYM_CPUCAPACITY",
	"ASYM_CPUCAPACITY_FULL",
	"SHARE_CPUCAPACITY",
	"CLUSTER",
	"SHARE_LLC",
	"SERIALIZE",
	"ASYM_PACKING",
	"PREFER_SIBLING",
	"OVERLAP",
	"NUMA",
};

const char *const sd_kind_names[5] = { "SMT", "CLS", "MC", "PKG", "NUMA" };

u64 cpufreq_pressure(const struct sim *s, cpu_id cpu)
{
	const struct freq_domain *fd = &s->fds[s->topo[cpu].fd];
	u64 cap = s->rqs[cpu].cpu_capacity_orig;

	return fd->max_khz >= fd->ref_khz ? 0 : cap - cap * fd->max_khz / fd->ref_khz;
}

u64 actual_cpu_capacity(const struct sim *s, cpu_id cpu)
{
	u64 cap = s->rqs[cpu].cpu_capacity_orig;

	return lb_form(s)->cap_pressure ? sub_positive(cap, cpufreq_pressure(s, cpu)) : cap;
}

u32 hw_pressure_input(const struct sim *s, cpu_id cpu)
{
	return lb_form(s)->cap_pressure == 1 ? (u32)cpufreq_pressure(s, cpu) : 0;
}

void age_hw_pressure(struct sim *s, struct rq *rq)
{
	u32 lost = hw_pressure_input(s, rq->cpu);

	if ((lost || rq->avg_hw.load_sum) && update_hw(rq_clock_task(rq), rq, lost))
		trace(s, TR_pelt_hw, rq->cpu, NONE, trace_pair((u32)rq->avg_hw.load_avg, lost), 0);
}

u64 scale_rt_capacity(const struct sim *s, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];
	bool slowly = lb_form(s)->cap_pressure == 1;
	u64 max = slowly ? rq->cpu_capacity_orig : actual_cpu_capacity(s, cpu);
	u64 irq = sched_feat(s, NONTASK_CAPACITY) ? rq->avg_irq.util_avg : 0;
	u64 used = rq->avg_rt.util_avg + rq->avg_dl.util_avg + (slowly ? rq->avg_hw.load_avg : 0);

	if (irq >= max || used >= max)
		return 1;
	return max_u64(1, (max - used) * (max - irq) / max);
}

static void update_cpu_capacity(struct sim *s, u32 sg, cpu_id cpu)
{
	u64 cap = scale_rt_capacity(s, cpu);
	struct sched_group_capacity *c = &s->sgcs[s->sgroups[sg].sgc];

	s->rqs[cpu].cpu_capacity = (u32)cap;
	c->capacity = c->min_capacity = c->max_capacity = cap;
}

void update_group_capacity(struct sim *s, u32 sd, cpu_id cpu)
{
	const struct sched_domain *d = &s->domains[sd];
	struct sched_group_capacity *c = &s->sgcs[s->sgroups[d->groups].sgc];
	u64 interval = d->balance_interval * s->g->tun.hz / 1000;
	u64 sum = 0, min = ~0ull, max = 0;

	interval = max_u64(1, min_u64(interval, max_load_balance_interval(s)));
	c->next_update = sim_jiffies(s) + interval;
	if (d->child == NONE) {
		update_cpu_capacity(s, d->groups, cpu);
		return;
	}
	if (s->domains[d->child].flags & SD_OVERLAP) {
		/* Groups below may overlap, so their sum would count CPUs twice. */
		for_each_cpu_mask(i, sg_span(s, d->groups), s->g->mask_words)
		{
			u64 cap = s->rqs[i].cpu_capacity;

			sum += cap;
			min = min_u64(min, cap);
			max = max_u64(max, cap);
		}
	} else {
		for_each_group(s, d->child, sg)
		{
			const struct sched_group_capacity *k = &s->sgcs[s->sgroups[sg].sgc];

			sum += k->capacity;
			min = min_u64(min, k->min_capacity);
			max = max_u64(max, k->max_capacity);
		}
	}
	c->capacity = sum;
	c->min_capacity = min;
	c->max_capacity = max;
}

void update_idle_core(struct sim *s, cpu_id cpu)
{
	const struct cpu_sd *sd = &s->cpu_sd[cpu];

	if (!s->g->has_smt || sd->llc_shared == NONE || s->llcs[sd->llc_shared].has_idle_cores)
		return;
	for_each_cpu_mask(i, mask_get(s, s->topo[cpu].smt_mask),
			  s->g->mask_words) if (i != cpu && s->rqs[i].mode != CPU_OFFLINE &&
						!idle_cpu(s, i)) return;
	s->llcs[sd->llc_shared].has_idle_cores = 1;
}

u32 idle_scan_limit(u32 llc_weight, u64 sum_util, u32 imbalance_pct)
{
	u64 x = sum_util / llc_weight;
	u64 t = x * x * imbalance_pct * imbalance_pct / (10000ull * SCHED_CAPACITY_SCALE);

	t = min_u64(t, SCHED_CAPACITY_SCALE);
	return (u32)((SCHED_CAPACITY_SCALE - t) * llc_weight / SCHED_CAPACITY_SCALE);
}
