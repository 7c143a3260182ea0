/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * energy.c - costs of operating points and the energy of a frequency domain. See energy.h.
 */
#include "engine/hw/energy.h"

#include "engine/policy/sugov.h"
#include "engine/sched/features.h"
#include "engine/sched/release.h"

/*
 * From the top down, a state that costs as much as some faster one is of no use. The faster one
 * need not be the next: inefficient states are passed over, as the lowest cost so far counts.
 */
static void mark_inefficient(struct opp *opps, u32 nr)
{
	u64 best = ~0ull, best_v6_1 = ~0ull;

	for (u32 i = nr; i-- > 0;) {
		if (opps[i].cost >= best)
			opps[i].em_flags |= EM_INEFFICIENT;
		else
			best = opps[i].cost;
		if (opps[i].cost_v6_1 >= best_v6_1)
			opps[i].em_flags |= EM_INEFFICIENT_V6_1;
		else
			best_v6_1 = opps[i].cost_v6_1;
	}
}

void em_states_init(struct opp *opps, u32 nr, u32 cap)
{
	bool powered = false;

	for (u32 i = 0; i < nr; i++) {
		struct opp *o = &opps[i];
		u64 max_khz = opps[nr - 1].khz;

		/* Products below 2^32 * 2^32 and 10 * 2^32. */
		o->perf = (u32)(cap * (u64)o->khz / max_khz);
		o->cost = o->perf ? 10 * (u64)o->power_uw / o->perf : 0;
		o->cost_v6_1 = max_khz * o->power_uw / o->khz;
		o->em_flags = 0;
		powered |= o->power_uw != 0;
	}
	if (powered)
		mark_inefficient(opps, nr);
}

void em_domain_init(struct sim *s, u32 fd)
{
	const struct freq_domain *d = &s->fds[fd];

	em_states_init(&s->opps[d->first_opp], d->nr_opps, s->rqs[d->first_cpu].cpu_capacity_orig);
}

u32 em_state_v6_12(const struct opp *opps, u32 nr, u64 max_util, u64 allowed_cap, bool skip)
{
	u64 want = min_u64(max_util, allowed_cap);

	for (u32 i = 0; i < nr; i++) {
		if (opps[i].perf >= want && !(skip && (opps[i].em_flags & EM_INEFFICIENT)))
			return i;
	}
	return nr - 1;
}

u32 em_state_v6_1(const struct opp *opps, u32 nr, u32 cap, u64 max_util, u64 allowed_cap, bool skip)
{
	u64 want = min_u64(map_util_perf(max_util), allowed_cap);
	u64 khz = (u64)opps[nr - 1].khz * want / cap;

	for (u32 i = 0; i < nr; i++) {
		if (opps[i].khz >= khz && !(skip && (opps[i].em_flags & EM_INEFFICIENT_V6_1)))
			return i;
	}
	return nr - 1;
}

u64 em_energy_v6_12(const struct opp *opps, u32 nr, u64 max_util, u64 sum_util, u64 allowed_cap,
		    bool skip)
{
	if (!sum_util)
		return 0;
	return opps[em_state_v6_12(opps, nr, max_util, allowed_cap, skip)].cost * sum_util;
}

u64 em_energy_v6_1(const struct opp *opps, u32 nr, u32 cap, u64 max_util, u64 sum_util,
		   u64 allowed_cap, bool skip)
{
	if (!sum_util)
		return 0;
	return opps[em_state_v6_1(opps, nr, cap, max_util, allowed_cap, skip)].cost_v6_1 *
	       sum_util / cap;
}

u64 em_energy_v5_4(const struct opp *opps, u32 nr, u32 cap, u64 max_util, u64 sum_util)
{
	u64 max_khz = opps[nr - 1].khz;
	u64 khz = (max_khz + (max_khz >> 2)) * max_util / cap;
	u32 i = 0;

	while (i < nr - 1 && opps[i].khz < khz)
		i++;
	return opps[i].cost_v6_1 * sum_util / cap;
}

u64 em_cpu_energy(const struct sim *s, u32 fd, u64 max_util, u64 sum_util, u64 allowed_cap)
{
	const struct freq_domain *d = &s->fds[fd];
	const struct opp *opps = &s->opps[d->first_opp];

	if (sched_feat(s, EM_PERFORMANCE))
		return em_energy_v6_12(opps, d->nr_opps, max_util, sum_util, allowed_cap, true);

	u32 cap = s->rqs[d->first_cpu].cpu_capacity_orig;

	if (place_form(s)->em_plain)
		return em_energy_v5_4(opps, d->nr_opps, cap, max_util, sum_util);
	return em_energy_v6_1(opps, d->nr_opps, cap, max_util, sum_util, allowed_cap, true);
}
