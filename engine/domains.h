/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domains.h - sched domains and groups, and what CPUs of a cache know about each other; part of state.h.
 *
 * Names and meanings follow include/linux/sched/topology.h and kernel/sched/sched.h of Linux v6.12.
 * Built by hw/topology.c, used through sched/domain.h. Layout rules as in state.h.
 */
#ifndef SG_ENGINE_DOMAINS_H
#define SG_ENGINE_DOMAINS_H

#include "engine/base/types.h"

enum sd_kind { SD_KIND_SMT, SD_KIND_CLS, SD_KIND_MC, SD_KIND_PKG, SD_KIND_NUMA };

/* One level of one CPU, as in the kernel: struct sched_domain. */
struct sched_domain {
	u32 parent, child; /* domain ids of the same CPU, NONE at the ends */
	u32 groups; /* the CPU's own group: where the ring starts */
	u32 kind; /* enum sd_kind */
	mask_id span;
	u32 span_weight;
	u32 flags; /* SD_* of sched/domain.h */
	cpu_id cpu;
	u32 level; /* counted from the bottom, removed levels left out */
	u32 shared; /* llc_shared id where it shares the cache, else NONE */
	u32 min_interval, max_interval; /* ms */
	u32 busy_factor, imbalance_pct, cache_nice_tries, imb_numa_nr;
	u64 last_balance; /* jiffies */
	u32 balance_interval; /* ms */
	u32 nr_balance_failed;
	u64 max_newidle_lb_cost; /* ns */
	u64 last_decay_max_lb_cost; /* jiffies */
	u32 newidle_call, newidle_success, newidle_ratio;
	u32 pad;
	u64 avg_scan_cost; /* SIS_PROP, ns */
};

/* A ring of groups covers a domain; without overlap all CPUs of the domain share the ring. */
struct sched_group {
	u32 next;
	mask_id span;
	u32 weight, cores;
	u32 flags; /* of the domain below that it stands for, 0 at the bottom */
	u32 sgc; /* capacity record */
	cpu_id asym_prefer_cpu; /* of a group of one CPU: that one */
	u32 pad;
};

/* Shared by all groups with one span on one level: struct sched_group_capacity. */
struct sched_group_capacity {
	u64 capacity, min_capacity, max_capacity;
	u64 next_update; /* jiffies */
	u32 imbalance; /* pinned tasks were in the way */
	mask_id balance_mask; /* who may act for the group */
};

/* What the CPUs of one last-level cache know about each other: struct sched_domain_shared. */
struct llc_shared {
	u32 nr_busy_cpus;
	u32 has_idle_cores;
	u32 nr_idle_scan; /* SIS_UTIL: CPUs a search may look at */
	u32 span_weight;
};

/* Short cuts of a CPU: per_cpu(sd_llc, ...) and relatives; domain ids or NONE. */
struct cpu_sd {
	u32 sd; /* lowest */
	u32 llc, llc_shared, llc_size;
	cpu_id llc_id; /* lowest CPU of the cache domain */
	cpu_id share_id; /* of the cluster, or of the cache without clusters */
	u32 asym, numa;
	u32 partition; /* group whose partition the CPU is in, ROOT_TG = none */
	u32 isolated; /* in no domain, because that partition is isolated */
	/* wake_wide() state of the CPU's idle task, which is "current" when a timer wakes somebody */
	u32 idle_wakee_flips, idle_last_wakee;
	u64 idle_flip_decay_ts; /* jiffies */
};

/* Performance domains in the order energy-aware placement visits them: frequency domain ids. */
struct perf_domain {
	u32 fd, nr_cpus; /* online */
};

#endif
