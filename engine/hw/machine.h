/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine.h - the description of a machine as it is handed to the engine: CPUs and what they share,
 * operating points, idle states, distances.
 *
 * A plain heap structure of integers, built by the application from a JSON file, from a spec such as
 * 6+2, or from the host; the engine copies what it needs into its arena. What the kernel learns from
 * device tree or ACPI (capacity-dmips-mhz, cpu-map, SLIT, OPP tables, idle-states) stands here.
 *
 * Ids count from 0 and are dense at every level. Levels nest: core in cluster in node in package;
 * core in llc in package; core in frequency domain.
 */
#ifndef SG_ENGINE_HW_MACHINE_H
#define SG_ENGINE_HW_MACHINE_H

#include "engine/base/err.h"
#include "engine/base/types.h"

#define MACHINE_MAX_CPUS 4096u
#define MACHINE_MAX_NODES 256u
#define MACHINE_MAX_SMT 8u
#define MACHINE_MAX_REMOTE 8u
#define MACHINE_MAX_COSTS 64u
#define MACHINE_MAX_IDLE 8u /* idle states that one CPU is part of */

struct machine_cpu {
	u32 type; /* index into core_types */
	u32 capacity; /* 1..1024 at the top frequency; 1024 for every thread of the biggest core */
	u32 core, thread; /* thread 0 is the first one of its core */
	u32 cluster, llc, node, package;
	u32 freq_domain; /* index into freq_domains */
	u32 performance; /* what the core really does where the kernel is told another capacity; 0 = the same */
};

struct machine_core_type {
	char name[32];
	u32 smt; /* threads per core, 1..8 */
	u32 smt_throughput_pct[MACHINE_MAX_SMT]; /* whole core with k+1 busy threads; [0] is 100 */
};

struct machine_opp {
	u32 khz, capacity; /* capacity = cpu capacity * khz / top khz */
	u32 power_uw; /* one busy CPU (per-core domains: one busy core) */
	u32 idle_power_uw; /* in the shallowest idle state at this point; 0: not given */
};

/* CPUs that change frequency together; members are the CPUs whose freq_domain says so. */
struct machine_freq_domain {
	u32 first_opp, nr_opps; /* into opps; several domains may share one table */
	u32 transition_latency_us;
	bool fast_switch; /* at once in the caller; else a kthread runs first. Absent = slow */
};

enum machine_scope { MACHINE_SCOPE_CPU, MACHINE_SCOPE_CLUSTER, MACHINE_SCOPE_SYSTEM };

struct machine_idle_state {
	char name[32];
	u8 scope; /* enum machine_scope: which CPUs of the set must be idle to enter it */
	bool local_timer_stop;
	u32 entry_us, exit_us, residency_us, power_uw;
	u64 *cpus; /* mask of MACHINE_WORDS(nr_cpus) words */
};

/* Cost of moving a cache line, by the tightest level two CPUs share; 0: level not given. */
struct machine_comm {
	u32 smt, cluster, llc, node, package;
	u32 remote[MACHINE_MAX_REMOTE]; /* by rank of the distance between two packages */
	u32 nr_remote;
};

struct machine_desc {
	char name[64], title[128];
	u32 nr_cpus, nr_core_types, nr_opps, nr_freq_domains, nr_idle_states;
	u32 nr_cores, nr_clusters, nr_llcs, nr_nodes, nr_packages;
	struct machine_cpu *cpus;
	struct machine_core_type *core_types;
	struct machine_opp *opps;
	struct machine_freq_domain *freq_domains;
	struct machine_idle_state *idle_states; /* per CPU from shallow to deep */
	u32 *distance; /* nr_nodes * nr_nodes, SLIT: 10 on the diagonal */
	bool *node_memory; /* nr_nodes; false: a node of CPUs only. NULL: all have memory */
	struct machine_comm comm_ns;
	u32 cost_ns[MACHINE_MAX_COSTS]; /* by enum cost_id of sched/costs.h, where cost_given */
	bool cost_given[MACHINE_MAX_COSTS]; /* in place of the default of costs.def */
	bool has_energy_model; /* power figures are good enough for energy-aware placement */
};

#define MACHINE_WORDS(nr_cpus) (((nr_cpus) + 63) / 64)

static inline bool machine_mask_test(const u64 *mask, u32 cpu)
{
	return mask[cpu / 64] >> (cpu % 64) & 1;
}

static inline void machine_mask_set(u64 *mask, u32 cpu)
{
	mask[cpu / 64] |= 1ull << (cpu % 64);
}

/*
 * machine_validate - is @m a machine that can exist? Every id in range and dense, levels nested,
 * threads numbered, operating points rising, capacities 1..1024 with one 1024 at least, distances
 * symmetric, idle states sane. The engine trusts a description only after this.
 * Returns 0, or -1 with @err saying which object is wrong, what it holds and what is allowed.
 */
int machine_validate(const struct machine_desc *m, struct err *err);

/*
 * machine_desc_new - empty description with zeroed arrays for the counts already set in @counts
 * (nr_cpus, nr_core_types, nr_opps, nr_freq_domains, nr_idle_states, nr_nodes; the masks of the
 * idle states included; names and the other scalars are copied too). NULL without memory.
 */
struct machine_desc *machine_desc_new(const struct machine_desc *counts);

/* machine_desc_dup - deep copy, NULL without memory. The caller frees it. */
struct machine_desc *machine_desc_dup(const struct machine_desc *m);

/* machine_free - release @m and all it holds; NULL is allowed. */
void machine_free(struct machine_desc *m);

/*
 * machine_remote_ranks - for every pair of nodes (nr_nodes * nr_nodes, row by row) the rank of their
 * distance among the distinct distances between nodes of different packages, counted from 0.
 * Meant to be made once and kept; the caller frees it. NULL without memory.
 */
u8 *machine_remote_ranks(const struct machine_desc *m);

/*
 * machine_comm_ns - cost of moving a cache line from CPU @a to CPU @b: the tightest level both
 * share; if that is not given, the next looser one that is; in different packages by @ranks (of
 * machine_remote_ranks()), past the last one given the last. 0 on one CPU, or if nothing is given.
 */
u32 machine_comm_ns(const struct machine_desc *m, const u8 *ranks, u32 a, u32 b);

#endif
