/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * formula_ops.c - vectors of formulas without a state: golden/formulas.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hw/energy.h"
#include "engine/policy/balance.h"
#include "engine/policy/sugov.h"
#include "engine/sched/capacity.h"
#include "engine/sched/domain.h"
#include "engine/sched/group.h"
#include "engine/sched/load.h"
#include "engine/sched/pelt.h"
#include "tests/vectors/vectors.h"

#define MAX_OPPS 64

static u32 num32(const struct vec *v, const char *key, u32 def)
{
	return (u32)vec_num(v, key, def);
}

static void op_calc_delta(struct vec *v)
{
	struct load_weight lw = {
		.weight = scale_load(vec_num(v, "lw_weight", 0)),
		.inv_weight = num32(v, "lw_inv", 0),
	};

	vec_is(v, NULL, "result",
	       calc_delta(vec_num(v, "delta", 0), scale_load(vec_num(v, "weight", 0)), &lw));
}

static void op_decay(struct vec *v)
{
	vec_is(v, NULL, "result", decay_load(vec_num(v, "val", 0), vec_num(v, "n", 0)));
}

static void op_segments(struct vec *v)
{
	vec_is(v, NULL, "result",
	       pelt_segments(vec_num(v, "periods", 0), num32(v, "d1", 0), num32(v, "d3", 0)));
}

static void op_shares(struct vec *v)
{
	vec_is(v, NULL, "weight",
	       calc_group_shares(scale_load(vec_num(v, "shares", 0)), vec_num(v, "tg_load_avg", 0),
				 vec_num(v, "contrib", 0), vec_num(v, "cfs_weight", 0),
				 vec_num(v, "cfs_load_avg", 0)));
}

static u32 read_opps(const struct vec *v, struct opp *opps)
{
	u64 khz[MAX_OPPS], power[MAX_OPPS] = { 0 };
	u32 nr = vec_array(v, "opps", khz, MAX_OPPS);

	vec_array(v, "power", power, MAX_OPPS);
	for (u32 i = 0; i < nr; i++)
		opps[i] = (struct opp){ .khz = (u32)khz[i], .power_uw = (u32)power[i] };
	return nr;
}

static void op_next_freq(struct vec *v)
{
	struct opp opps[MAX_OPPS];
	u32 nr = read_opps(v, opps), raw;
	u64 util = vec_num(v, "util", 0), cap = vec_num(v, "max_cap", 1024), perf;

	if (v->v6_1)
		perf = map_util_perf(util);
	else
		perf = sugov_effective_cpu_perf(util, vec_num(v, "perf_min", 0),
						vec_num(v, "perf_max", cap));
	raw = sugov_raw_khz(vec_num(v, "ref_khz", 0), perf, cap);
	vec_is(v, NULL, "perf", perf);
	vec_is(v, NULL, "raw_khz", raw);
	vec_is(v, NULL, "freq_khz",
	       opps[cpufreq_resolve(opps, nr, num32(v, "min_khz", 0), num32(v, "max_khz", ~0u), raw,
				    0)]
		       .khz);
}

static void op_em(struct vec *v)
{
	struct opp opps[MAX_OPPS];
	u32 nr = read_opps(v, opps), cap = num32(v, "cap", 1024), state;
	u64 max = vec_num(v, "max_util", 0), sum = vec_num(v, "sum_util", 0), energy;
	u64 allowed = vec_num(v, "allowed_cap", cap);
	u64 perf[MAX_OPPS], cost[MAX_OPPS], flag[MAX_OPPS];
	bool skip = vec_num(v, "skip_inefficient", 0);

	em_states_init(opps, nr, cap);
	if (v->v6_1) {
		state = em_state_v6_1(opps, nr, cap, max, allowed, skip);
		energy = em_energy_v6_1(opps, nr, cap, max, sum, allowed, skip);
	} else {
		state = em_state_v6_12(opps, nr, max, allowed, skip);
		energy = em_energy_v6_12(opps, nr, max, sum, allowed, skip);
	}
	for (u32 i = 0; i < nr; i++) {
		perf[i] = opps[i].perf;
		cost[i] = v->v6_1 ? opps[i].cost_v6_1 : opps[i].cost;
		flag[i] = (opps[i].em_flags & (v->v6_1 ? EM_INEFFICIENT_V6_1 : EM_INEFFICIENT)) !=
			  0;
	}
	vec_is(v, NULL, "state", state);
	vec_is(v, NULL, "energy", energy);
	vec_is_array(v, "performance", perf, nr);
	vec_is_array(v, "cost", cost, nr);
	vec_is_array(v, "inefficient", flag, nr);
}

/* State of one script: schedutil's record of a CPU. */
static struct sugov_cpu *iowait_state(struct vec *v)
{
	if (!v->priv)
		v->priv = calloc(1, sizeof(struct sugov_cpu));
	return v->priv;
}

static void op_iowait_reset(struct vec *v)
{
	memset(iowait_state(v), 0, sizeof(struct sugov_cpu));
	vec_is(v, NULL, "ok", 1);
}

static void op_iowait(struct vec *v)
{
	struct sugov_cpu *sg = iowait_state(v);
	u64 time = vec_num(v, "t_ns", 0), boost = 0, tick = 4 * NSEC_PER_MSEC;

	sugov_iowait_boost(sg, time, vec_num(v, "iowait", 0) ? SCHED_CPUFREQ_IOWAIT : 0, tick);
	sg->last_update = time;
	if (vec_num(v, "apply", 0))
		boost = sugov_iowait_apply(sg, time, vec_num(v, "max_cap", 1024), tick);
	vec_is(v, NULL, "boost", boost);
	vec_is(v, NULL, "iowait_boost", sg->iowait_boost);
	vec_is(v, NULL, "pending", sg->iowait_boost_pending);
}

static u64 prefixed(const struct vec *v, const char *prefix, const char *name)
{
	char key[64];

	snprintf(key, sizeof(key), "%s%s", prefix, name);
	return vec_num(v, key, 0);
}

static struct sg_stats read_group(const struct vec *v, const char *prefix)
{
	return (struct sg_stats){
		.load = prefixed(v, prefix, "load"),
		.util = prefixed(v, prefix, "util"),
		.runnable = prefixed(v, prefix, "runnable"),
		.capacity = prefixed(v, prefix, "capacity"),
		.weight = (u32)prefixed(v, prefix, "weight"),
		.nr_running = (u32)prefixed(v, prefix, "nr"),
		.h_nr_running = (u32)prefixed(v, prefix, "h_nr"),
		.idle_cpus = (u32)prefixed(v, prefix, "idle"),
		.misfit = prefixed(v, prefix, "misfit"),
		.asym_packing = (u32)prefixed(v, prefix, "asym"),
		.smt_balance = (u32)prefixed(v, prefix, "smt"),
		.cores = (u32)prefixed(v, prefix, "cores"),
		.type = (enum group_type)prefixed(v, prefix, "type"),
	};
}

static void op_classify(struct vec *v)
{
	struct sg_stats g = read_group(v, "");

	vec_is(v, NULL, "type",
	       group_classify(num32(v, "pct", 117), vec_num(v, "imbalanced", 0), &g));
}

static void op_imbalance(struct vec *v)
{
	struct sd_stats st = { .local = read_group(v, "l_"), .busiest = read_group(v, "b_") };
	struct sg_stats *both[] = { &st.local, &st.busiest };
	struct lb_rules r = {
		.numa_small = 3, /* imb_numa_nr: v6.1 on */
		.imbalance_pct = num32(v, "pct", 117),
		.imb_numa_nr = num32(v, "imb_numa_nr", 0),
		.asym = vec_num(v, "asym_dom", 0),
		.llc = vec_num(v, "llc", 0),
		.numa = vec_num(v, "numa", 0),
		.prefer_sibling = vec_num(v, "prefer", 0),
		.by_cores = !v->v6_1,
		.idle = (enum cpu_idle_type)vec_num(v, "idle_kind", 0),
	};
	enum migration_type kind;
	u64 amount;

	st.total_load = st.local.load + st.busiest.load;
	st.total_capacity = st.local.capacity + st.busiest.capacity;
	/* As the decision before it leaves them. */
	st.avg_load = st.total_load * SCHED_CAPACITY_SCALE / st.total_capacity;
	for (int i = 0; i < 2; i++)
		if (both[i]->type == GROUP_OVERLOADED)
			both[i]->avg_load =
				both[i]->load * SCHED_CAPACITY_SCALE / both[i]->capacity;
	amount = calculate_imbalance(&r, &st, &kind);
	vec_is(v, NULL, "kind", kind);
	vec_is(v, NULL, "amount", amount);
}

static void op_idle_scan(struct vec *v)
{
	vec_is(v, NULL, "nr_idle_scan",
	       idle_scan_limit(num32(v, "span", 1), vec_num(v, "sum_util", 0),
			       num32(v, "pct", 117)));
}

static void op_fits(struct vec *v)
{
	vec_is(v, NULL, "fits",
	       (u64)(s64)util_fits(vec_num(v, "util", 0), vec_num(v, "umin", 0),
				   vec_num(v, "umax", 1024), vec_num(v, "capacity_of", 0),
				   vec_num(v, "cap", 0), vec_num(v, "actual", 0),
				   vec_num(v, "uclamp", 0)));
}

const struct vec_op formula_ops[] = {
	{ "classify", op_classify },
	{ "imbalance", op_imbalance },
	{ "idle_scan", op_idle_scan },
	{ "fits", op_fits },
	{ "calc_delta", op_calc_delta },
	{ "decay", op_decay },
	{ "segments", op_segments },
	{ "shares", op_shares },
	{ "next_freq", op_next_freq },
	{ "em", op_em },
	{ "iowait_reset", op_iowait_reset },
	{ "iowait", op_iowait },
	{ NULL, NULL },
};
