/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile.c - kernel profiles (a choice per slot, tunables, features) and the table of tunables.
 *
 * What differs from release to release, and which release each value is from, stands beside it; a
 * profile that runs another release's mechanism says so in .borrowed.
 */
#include <string.h>

#include "engine/access.h"
#include "engine/hw/cpufreq.h"
#include "engine/sched/costs.h"
#include "engine/sched/features.h"
#include "engine/sched/release.h"
#include "engine/sim_internal.h"

static void tune_common(struct tunables *t)
{
	*t = (struct tunables){
		.hz = 250,
		.sched_latency = 6000000,
		.min_granularity = 750000,
		.idle_min_granularity = 750000,
		.wakeup_granularity = 1000000,
		.base_slice = 700000, /* v6.12 stable; 750000 in v6.6 and the original v6.12 */
		.migration_cost = 500000,
		.nr_migrate = 32,
		.rate_limit_us = ~0ull,
		.costs = 1,
		.features = sched_feat_default,
		.nohz = 1,
		.numa_remote_pct = 100,
		.uest_before = 1,
		.bandwidth_slice = 5000000,
		.place_form = V6_12,
		.balance_form = V6_12,
		.rt_period_us = 1000000,
		.rt_runtime_us = 950000,
		.rr_timeslice_ms = 100,
		.uclamp_min_rt_default = SCHED_CAPACITY_SCALE,
		.fair_server_runtime_us = 50000,
		.fair_server_period_us = 1000000,
	};
	for (u32 i = 0; i < NR_COSTS; i++)
		t->cost[i] = cost_descs[i].ns;
}

static void tune_release(struct tunables *t, enum kernel_release r)
{
	t->place_form = r;
	t->balance_form = r;
}

#define EEVDF_6_12                                                                                 \
	(FEAT_BIT(PREEMPT_SHORT) | FEAT_BIT(DELAY_DEQUEUE) | FEAT_BIT(DELAY_ZERO) |                \
	 FEAT_BIT(PLACE_REL_DEADLINE))
#define SINCE_6_7                                                                                  \
	(FEAT_BIT(HEADROOM_FIRST) | FEAT_BIT(EM_PERFORMANCE) | FEAT_BIT(SUGOV_REF_FREQ) |          \
	 FEAT_BIT(GROUP_KEEP_WEIGHT) | FEAT_BIT(TG_RATELIMIT) | FEAT_BIT(FORK_UTIL_SCALED) |       \
	 FEAT_BIT(CLUSTER_SCAN))

static void tune_v6_12(struct tunables *t)
{
	tune_common(t);
}

static void tune_v6_6(struct tunables *t)
{
	tune_common(t);
	tune_release(t, V6_6);
	t->base_slice = 750000;
	t->uest_before = 0;
	/* The throttle gave way to the fair server in v6.12. */
	t->rt_throttle = 1;
	t->fair_server_runtime_us = 0;
	t->features &= ~(EEVDF_6_12 | SINCE_6_7 | FEAT_BIT(PLACE_DEADLINE_INITIAL) |
			 FEAT_BIT(PICK_BUDDY) | FEAT_BIT(CUSTOM_SLICE) | FEAT_BIT(REWEIGHT_LAG) |
			 FEAT_BIT(YIELD_TO_DEADLINE) | FEAT_BIT(TIE_TREE) | FEAT_BIT(NI_RANDOM));
}

static void tune_v6_1(struct tunables *t)
{
	tune_v6_6(t);
	tune_release(t, V6_1);
	t->features &= ~(FEAT_BIT(UTIL_BOOST) | FEAT_BIT(LB_CORES));
	t->features |= FEAT_BIT(NI_RANDOM);
}

static void tune_v5_13(struct tunables *t)
{
	tune_v6_1(t);
	tune_release(t, V5_13);
	t->features &= ~(FEAT_BIT(SIS_UTIL) | FEAT_BIT(CFS_IDLE) | FEAT_BIT(NI_RANDOM) |
			 FEAT_BIT(NEWIDLE_MEASURED));
	t->features |= FEAT_BIT(SIS_PROP);
}

static void tune_v5_10(struct tunables *t)
{
	tune_v5_13(t);
	tune_release(t, V5_10);
	t->features &= ~(FEAT_BIT(ALT_PERIOD) | FEAT_BIT(BASE_SLICE));
	t->features |= FEAT_BIT(UEST_ODD);
}

static void tune_v5_4(struct tunables *t)
{
	tune_v5_10(t);
	tune_release(t, V5_4);
	t->features &= ~FEAT_BIT(UTIL_EST_FASTUP);
	t->features |= FEAT_BIT(QUEUED_LOAD);
	t->rt_share = 1;
}

#define COMMON_SLOTS                                                                               \
	[SLOT_PLACE] = "linux", [SLOT_BALANCE] = "linux", [SLOT_NOHZ] = "global",                  \
	[SLOT_GOVERNOR] = "schedutil"

const struct kernel_profile kernel_profiles[] = {
	{ "v5.4",
	  "CFS, util_est as a pair without fast-up, newly-idle walks blocked load",
	  { [SLOT_PICK] = "cfs", [SLOT_UTIL_EST] = "v5.4", [SLOT_NEWIDLE] = "v5.4", COMMON_SLOTS },
	  tune_v5_4,
	  "averages, but for the load of what is queued, and schedutil of v6.1; asymmetric flags of v6.12" },
	{ "v5.10",
	  "CFS, util_est as a pair with fast-up",
	  { [SLOT_PICK] = "cfs", [SLOT_UTIL_EST] = "v5.4", [SLOT_NEWIDLE] = "v5.4", COMMON_SLOTS },
	  tune_v5_10,
	  "averages and schedutil of v6.1; asymmetric flags of v6.12" },
	{ "v5.13",
	  "CFS, blocked load is updated outside the balance",
	  { [SLOT_PICK] = "cfs", [SLOT_UTIL_EST] = "v5.4", [SLOT_NEWIDLE] = "v5.13", COMMON_SLOTS },
	  tune_v5_13,
	  "averages and schedutil of v6.1; energy model of v5.10; asymmetric flags of v6.12" },
	{ "v6.1",
	  "the last long-term release with CFS",
	  { [SLOT_PICK] = "cfs", [SLOT_UTIL_EST] = "v5.4", [SLOT_NEWIDLE] = "v5.13", COMMON_SLOTS },
	  tune_v6_1,
	  "" },
	{ "v6.6",
	  "the first EEVDF: no delayed dequeue, no slices of one's own",
	  { [SLOT_PICK] = "eevdf", [SLOT_UTIL_EST] = "v5.4", [SLOT_NEWIDLE] = "v5.13", COMMON_SLOTS },
	  tune_v6_6,
	  "schedutil of v6.1" },
	{ "v6.12",
	  "EEVDF with delayed dequeue, util_est held while a task waits",
	  { [SLOT_PICK] = "eevdf",
	    [SLOT_UTIL_EST] = "runnable",
	    [SLOT_NEWIDLE] = "v5.13",
	    COMMON_SLOTS },
	  tune_v6_12,
	  "" },
};
const u32 nr_kernel_profiles = ARRAY_SIZE(kernel_profiles);

int sim_profile_index(const char *name, struct err *err)
{
	char known[128] = "";

	if (!name)
		name = "v6.12";
	for (u32 i = 0; i < nr_kernel_profiles; i++) {
		if (!strcmp(kernel_profiles[i].name, name))
			return (int)i;
		strcat(strcat(known, i ? ", " : ""), kernel_profiles[i].name);
	}
	return err_set(err, ERR_USAGE, "no kernel profile '%.40s'; there are %s", name, known);
}

void sim_apply_profile(struct sim *s, u32 profile)
{
	const struct kernel_profile *p = &kernel_profiles[profile];

	p->tune(&s->g->tun);
	/* A machine's own figures stand in place of the table's. */
	for (u32 i = 0; i < NR_COSTS; i++)
		if (s->machine->cost_given[i])
			s->g->tun.cost[i] = s->machine->cost_ns[i];
	for (u32 slot = 0; slot < NR_SLOTS; slot++) {
		int id = sim_policy_index(s, slot, p->policy[slot]);

		BUG_ON(id < 0);
		s->g->policy[slot] = (u32)id;
		sim_reset_params(s, slot);
	}
	sim_bind_policies(s);
}

void sim_start_governor(struct sim *s)
{
	const struct sched_policy *pol = s->policy[SLOT_GOVERNOR];
	const struct governor_ops *ops = pol->ops;

	for (u32 fd = 0; fd < s->g->nr_fds; fd++)
		if (ops->start)
			ops->start(s, pol->priv, fd);
}

int sim_policy_index(const struct sim *s, enum policy_slot slot, const char *name)
{
	/* The newest of a name: a reloaded Lua policy stands after the one it replaces. */
	for (u32 i = s->nr_registry; i-- > 0;)
		if (s->registry[i]->slot == slot && !strcmp(s->registry[i]->name, name))
			return (int)i;
	return -1;
}

int sim_register_policy(struct sim *s, const struct sched_policy *p, struct err *err)
{
	if (s->nr_registry == SIM_REGISTRY_MAX)
		return err_set(err, ERR_LIMIT, "more than %u policies; restart to forget old ones",
			       SIM_REGISTRY_MAX);
	s->registry[s->nr_registry] = p;
	return (int)s->nr_registry++;
}

void sim_reset_params(struct sim *s, enum policy_slot slot)
{
	const struct policy_param *pp = s->registry[s->g->policy[slot]]->params;
	s64 *v = &s->policy_global[slot * POLICY_PARAMS_MAX];

	memset(v, 0, POLICY_PARAMS_MAX * sizeof(*v));
	for (u32 i = 0; pp && pp[i].name && i < POLICY_PARAMS_MAX; i++)
		v[i] = pp[i].def;
}

s64 sim_policy_param(const struct sim *s, enum policy_slot slot, u32 param)
{
	return s->policy_global[slot * POLICY_PARAMS_MAX + param];
}

#define T(field) offsetof(struct tunables, field)
const struct sim_tunable sim_tunables[] = {
	{ "hz", "1/s", "ticks per second of a busy CPU", 10, 1000, T(hz) },
	{ "costs", "0/1", "does the scheduler's own work take time", 0, 1, T(costs) },
	{ "numa_remote_pct", "%", "cache lines between nodes take so much of the machine's time", 0,
	  10000, T(numa_remote_pct) },
	{ "base_slice_ns", "ns", "EEVDF: slice of a task, times 1 + log2(CPUs, at most 8)", 100000,
	  100000000, T(base_slice) },
	{ "latency_ns", "ns", "CFS: targeted latency, scaled likewise", 100000, 1000000000,
	  T(sched_latency) },
	{ "min_granularity_ns", "ns", "CFS: shortest slice, scaled likewise", 100000, 1000000000,
	  T(min_granularity) },
	{ "wakeup_granularity_ns", "ns", "CFS: lead a woken task needs to preempt, scaled likewise",
	  0, 1000000000, T(wakeup_granularity) },
	{ "migration_cost_ns", "ns", "a task that ran less long ago is cache hot", 0, 1000000000,
	  T(migration_cost) },
	{ "rate_limit_us", "us",
	  "schedutil: least time between changes; the default follows the "
	  "machine's transition latency",
	  0, 10000000, T(rate_limit_us) },
	{ "bandwidth_slice_ns", "ns", "run time a CPU takes from a group's quota at a time", 100000,
	  100000000, T(bandwidth_slice) },
	{ "rt_throttle", "0/1",
	  "real-time tasks of a CPU have rt_runtime_us of each rt_period_us at most; before v6.12",
	  0, 1, T(rt_throttle) },
	{ "rt_share", "0/1", "a CPU borrows real-time runtime that others do not use; v5.4", 0, 1,
	  T(rt_share) },
	{ "rt_period_us", "us", "period of the real-time throttle and of deadline admission", 1000,
	  10000000, T(rt_period_us) },
	{ "rt_runtime_us", "us",
	  "real-time runtime of it, and what deadline tasks may reserve of each CPU; as long as the "
	  "period or longer = no throttle",
	  1000, 10000000, T(rt_runtime_us) },
	{ "rr_timeslice_ms", "ms", "turn of a SCHED_RR task", 1, 10000, T(rr_timeslice_ms) },
	{ "uclamp_min_rt_default", "",
	  "lower clamp of real-time tasks without clamps of their own, once clamps are in use; for those "
	  "queued from now on",
	  0, SCHED_CAPACITY_SCALE, T(uclamp_min_rt_default) },
	{ "fair_server_runtime_us", "us",
	  "time of each period that fair tasks get beside real-time ones, 0 = none; v6.12", 0,
	  1000000, T(fair_server_runtime_us) },
	{ "fair_server_period_us", "us", "period of the fair server", 1000, 4000000,
	  T(fair_server_period_us) },
	{ "pelt_halflife_shift", "", "PELT half-life: 0 = 32 ms, 1 = 16 ms, 2 = 8 ms", 0, 2,
	  T(pelt_shift) },
	{ "place_form", "",
	  "rules of placement of release 0 v5.4, 1 v5.10, 2 v5.13, 3 v6.1, 4 v6.6, 5 v6.12", 0,
	  NR_RELEASES - 1, T(place_form) },
	{ "asym_packing", "",
	  "CPUs to be packed first: 0 none, 1 those of lower number (the kernel's default), 2 larger "
	  "ones (ITMT)",
	  0, 2, T(asym_packing) },
	{ "balance_form", "", "rules of balancing of a release, numbered likewise", 0,
	  NR_RELEASES - 1, T(balance_form) },
#define COST(name, ns, what, source)                                                               \
	{ "cost_" #name "_ns",	"ns",                                                              \
	  what " (" source ")", 0,                                                                 \
	  1000000000,		T(cost) + COST_##name * sizeof(u64) },
#include "engine/sched/costs.def"
#undef COST
/* As in the kernel's debugfs, any of them at any time. */
#define SCHED_FEAT(name, on, why)                                                                  \
	{ #name, "0/1", why, 0, 1, T(features) | (FEAT_##name + 1u) << 16 },
#define SCHED_FEAT_RELEASE(name, on, why)
#include "engine/sched/features.def"
#undef SCHED_FEAT
};
#undef T
const u32 nr_sim_tunables = ARRAY_SIZE(sim_tunables);

int sim_tunable_index(const char *name)
{
	for (u32 i = 0; i < nr_sim_tunables; i++)
		if (!strcmp(sim_tunables[i].name, name))
			return (int)i;
	return -1;
}

/* Where a tunable is, and for a switch which bit of it; -1 = all of it. */
static u64 *tunable_at(struct tunables *t, u32 index, int *bit)
{
	u32 offset = sim_tunables[index].offset;

	*bit = (int)(offset >> 16) - 1;
	return (u64 *)(void *)((char *)t + (offset & 0xffff));
}

u64 sim_tunable_value(const struct sim *s, u32 index)
{
	int bit;
	u64 v = *tunable_at(&s->g->tun, index, &bit);

	return bit < 0 ? v : v >> bit & 1;
}

void sim_tunable_set(struct sim *s, u32 index, u64 value)
{
	int bit;
	u64 *v = tunable_at(&s->g->tun, index, &bit);

	if (bit < 0)
		*v = value;
	else
		*v = (*v & ~(1ull << bit)) | value << bit;
}
