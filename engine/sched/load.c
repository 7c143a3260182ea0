/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load.c - the weight tables and multiplication by an inverse weight. See load.h.
 */
#include "engine/sched/load.h"

/* One step of nice is 1.25 times the weight: 10 % of CPU time between two tasks. */
const u32 sched_prio_to_weight[40] = {
	88761, 71755, 56483, 46273, 36291, /* -20 */
	29154, 23254, 18705, 14949, 11916, /* -15 */
	9548,  7620,  6100,  4904,  3906, /* -10 */
	3121,  2501,  1991,  1586,  1277, /* -5 */
	1024,  820,   655,   526,   423, /* 0 */
	335,   272,   215,   172,   137, /* 5 */
	110,   87,    70,    56,    45, /* 10 */
	36,    29,    23,    18,    15, /* 15 */
};

/* 2^32 / weight. */
const u32 sched_prio_to_wmult[40] = {
	48388,	   59856,     76040,	 92818,	    118348, /* -20 */
	147320,	   184698,    229616,	 287308,    360437, /* -15 */
	449829,	   563644,    704093,	 875809,    1099582, /* -10 */
	1376151,   1717300,   2157191,	 2708050,   3363326, /* -5 */
	4194304,   5237765,   6557202,	 8165337,   10153587, /* 0 */
	12820798,  15790321,  19976592,	 24970740,  31350126, /* 5 */
	39045157,  49367440,  61356676,	 76695844,  95443717, /* 10 */
	119304647, 148102320, 186737708, 238609294, 286331153, /* 15 */
};

struct load_weight load_weight_of(s8 nice, bool idle)
{
	struct load_weight lw = {
		.weight = scale_load(idle ? WEIGHT_IDLEPRIO : sched_prio_to_weight[nice + 20]),
		.inv_weight = idle ? WMULT_IDLEPRIO : sched_prio_to_wmult[nice + 20],
	};

	return lw;
}

void set_load_weight(struct sched_entity *se, s8 nice, bool idle)
{
	se->load = load_weight_of(nice, idle);
	se->idle = idle;
}

static u32 known_inverse(struct load_weight *lw)
{
	if (!lw->inv_weight) {
		u64 w = scale_load_down(lw->weight);

		if (!w)
			lw->inv_weight = ~0u;
		else if (w >= ~0u)
			lw->inv_weight = 1;
		else
			lw->inv_weight = ~0u / (u32)w;
	}
	return lw->inv_weight;
}

u64 calc_delta(u64 delta, u64 weight, struct load_weight *lw)
{
	u64 factor = scale_load_down(weight);
	u32 inv = known_inverse(lw);
	int shift = 32;

	/* Both times keep the top 32 bits of the factor: delta * factor then has at most 96. */
	if (factor >> 32) {
		int n = fls64(factor >> 32);

		factor >>= n;
		shift -= n;
	}
	factor *= inv;
	if (factor >> 32) {
		int n = fls64(factor >> 32);

		factor >>= n;
		shift -= n;
	}
	return mul_u64_u32_shr(delta, (u32)factor, (unsigned)shift);
}
