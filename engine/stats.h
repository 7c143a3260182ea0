/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats.h - rows of the statistics pools; part of state.h.
 *
 * They live in the arena, so that a checkpoint has them, and are not in the digest: no decision of the
 * model reads them. Layout rules as in state.h.
 */
#ifndef SG_ENGINE_STATS_H
#define SG_ENGINE_STATS_H

#include "engine/base/hist.h"
#include "engine/base/types.h"

#define TASK_COMM_LEN 32 /* longer than the kernel's 16: rt-app names carry an index */

struct lat_group {
	char name[TASK_COMM_LEN];
	u64 sampled; /* a program feeds it: wake-ups of its tasks no longer do */
	struct hist_fine hist;
};
struct task_hist {
	struct hist_coarse hist;
};

/* What programs count: workload/measure.h. */
struct counter {
	char name[TASK_COMM_LEN];
	u64 count; /* sum of what was added */
	u64 next_target; /* the smallest target of a figure that it has not reached, ~0 = none */
};

enum throughput_kind { TPUT_COUNT, TPUT_PER_SECOND, TPUT_PER_MINUTE, TPUT_TIME, TPUT_PCT };

/* A figure that is made of counters. */
struct throughput {
	char name[TASK_COMM_LEN];
	u32 counter, base; /* base: TPUT_PCT is of this one */
	u64 kind; /* enum throughput_kind */
	u64 divide; /* the count by this: bytes to megabytes */
	u64 target; /* TPUT_TIME: the count that ends it */
	ktime_ns reached_at; /* when it was there; NEVER = not yet */
};

/* What the energy model makes of the signals of a frequency domain: sched/signal_energy.h. */
struct fd_stats {
	u64 energy_lo, energy_hi; /* microwatt * ns up to since */
	ktime_ns since;
	u64 power_uw; /* since then */
	u64 busy, peak; /* sum of utilisations, largest performance asked for */
};

/* Statistics of a task, same id. */
struct task_stats {
	u64 wakeups, migrations, switches_in, preempted;
	u64 wait_ns, sleep_ns; /* closed intervals; sum_exec_runtime is the cpu time */
	u64 work_asked; /* ns at full speed of run steps begun */
	u64 work_done, work_frac; /* the same of everything it ran, and 2^-20 ns */
	u64 busy_ns; /* wall time on a CPU */
	ktime_ns since; /* start of the current wait or sleep */
	ktime_ns woken_at; /* stamp of a wake-up not yet followed by running; NEVER = none */
	u64 zero_step_charges; /* 1 us charges for programs that let no time pass */
	u64 lost_signals;
	u64 kernel_ns;
	u64 energy_lo,
		energy_hi; /* microwatt * ns, 128 bits: what its CPU drew while it was current */
};

/* Statistics of a CPU, same id. */
struct cpu_stats {
	u64 busy_ns, kernel_ns, idle_ns; /* closed intervals: up to rq.seg_start */
	u64 energy_lo, energy_hi; /* microwatt * ns, 128 bits */
	u64 switches, ticks, wakeups, pulled, events;
	u64 ilb_runs; /* idle balancer's rounds done here */
	ktime_ns ilb_ran_at, ilb_at; /* the last round here; the last that looked at this CPU */
	cpu_id ilb_by; /* who did that one */
	u32 ilb_record; /* record of the last round here */
	u32 counted_busy, pad; /* observe/starved.c */
	u64 idle_state_ns[8], idle_state_enters[8];
	u64 path_ns[16];
	u64 signal_busy, signal_perf; /* the CPU's part of fd_stats */
	u64 signal_key[2]; /* what they came from */
};

/* Statistics of a node, same id. */
struct node_stats {
	u64 nohz_kicks[8]; /* sent by its CPUs, by enum nohz_reason */
	u64 nohz_refused[4]; /* wanted and not sent, by enum nohz_refusal */
	/* observe/starved.c */
	u64 starved_ns; /* closed intervals */
	ktime_ns starved_since; /* NEVER = not now */
	u32 online, busy_cpus; /* CPUs online; with tasks queued */
	u32 wanted_by,
		pad; /* CPUs elsewhere with a task waiting that may run here; as last looked */
};

/* Per OPP statistics; same index as the opp pool, repeated per domain. */
struct opp_stats {
	u64 ns;
};

/* Statistics of a group, same id: cpu.stat. */
struct group_stats {
	u64 nr_periods, nr_throttled, throttled_ns;
	u64 nr_bursts, burst_ns;
};

/* Whole-run statistics. */
struct sim_stats {
	u64 room_used; /* not a figure: something was allocated since room was last looked for */
	u64 events; /* scheduler events: wake-ups, sleeps, switches, ticks on busy CPUs */
	u64 wakeups, sleeps, switches, ticks, migrations, forks, exits;
	u64 pelt_updates;
	u64 uest_dequeues, uest_held;
	u64 newidle_count, newidle_pulled, newidle_aborted, newidle_blocked, balance_pulled,
		active_balance, misfit;
	u64 scan_cut,
		stacked; /* wake-ups: search cut short; on a busy CPU all the same, one was idle */
	u64 balance_calls[3], balance_failed; /* passes by enum cpu_idle_type: busy, idle, newly */
	u64 blocked_updates, decayed_groups;
	u64 nohz_kicks, nohz_kicks_balance, nohz_kicks_stats; /* kicks sent, by what they ask */
	u64 ilb_runs, ilb_aborted, ilb_remote_visits; /* rounds; CPUs of other nodes looked at */
	u64 zero_step_charges, lost_signals;
	u64 remote_locks,
		remote_lock_ns; /* run-queue locks of other CPUs taken, time spent on it */
	u64 policy_errors;
	u64 affinity_broken; /* tasks whose allowed CPUs were all offline */
	u32 starved_touched, nodes_idle, nodes_starving, pad; /* observe/starved.c */
	u64 rt_throttled,
		dl_throttled; /* times that a CPU, or a deadline task, had used its part */
	u64 dl_refused, rt_pushed, rt_pulled;
	u64 work_dead, work_dead_frac; /* ns at full speed that dead tasks had done, and 2^-20 ns */
	u64 stopped; /* running tasks that the stopper preempted */
	u64 path_ns[16];
	u64 path_count[16];
};

/* Durations of kernel work, ns, while costs are on. */
enum khist { KHIST_NEWIDLE, KHIST_BLOCKED, NR_KHISTS };
struct khist_row {
	struct hist_fine hist;
};

#endif
