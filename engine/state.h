/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - the data model: every struct that lives in the arena, and nothing else. Sched domains are in
 * domains.h, statistics in stats.h.
 *
 * Names and meanings follow kernel/sched of Linux v6.12 (stable); fields that only an older
 * release has say so. There are no pointers in here: objects name each other by 32-bit ids, so one
 * memcpy() is a checkpoint and a digest does not depend on addresses. Fields of 64 bits stand on
 * multiples of 8 and every size is a multiple of 8, with explicit padding, so that a 32-bit build
 * has the same bytes. Pointers into a pool are good for one event and no longer (arena.h).
 *
 * Pools whose rows are models of the machine are in the digest; statistics are not.
 */
#ifndef SG_ENGINE_STATE_H
#define SG_ENGINE_STATE_H

#include "engine/base/tree.h"
#include "engine/base/types.h"
#include "engine/domains.h"
#include "engine/stats.h"

#define PROGRAM_DEPTH 8 /* nested loops and phases of a task program */
#define KSTEP_DEPTH 24 /* pending kernel steps of one CPU */
#define NR_SLOTS_MAX 8
#define POLICY_COLUMNS 16 /* s64 columns of Lua policies per task and CPU: two slots of 8 */

/* ---- scheduler entities ------------------------------------------------------------------ */

struct load_weight {
	u64 weight; /* full resolution: table weight << 10; a queue holds the sum */
	u32 inv_weight; /* 2^32 / table weight; 0 = not known, compute from weight */
	u32 pad;
};

/* One PELT average; widths and meaning as struct sched_avg, kernel-wide 64-bit longs. */
struct sched_avg {
	u64 last_update_time; /* PELT ns, multiple-of-1024 steps; 0 = attached nowhere */
	u64 load_sum;
	u64 runnable_sum;
	u64 load_avg;
	u64 runnable_avg;
	u64 util_avg;
	u32 util_sum;
	u32 period_contrib; /* 0..1023: part of the running period */
	u32 util_est; /* v6.12: estimate, v6.1: "enqueued"; bit 31 of a task's = UTIL_AVG_UNCHANGED */
	u32 util_est_ewma; /* rule "v5.4" (v5.4 .. v6.7) only */
};
#define UTIL_AVG_UNCHANGED 0x80000000u

struct sched_entity {
	struct load_weight load;
	struct tree_node run_node; /* in cfs_rq.timeline while queued and not current */
	u64 key; /* what the timeline is ordered by (signed difference): set by the pick policy */
	u64 min_vruntime; /* augmented: smallest vruntime in this subtree */
	u64 vruntime;
	u64 deadline; /* EEVDF; relative to vruntime while rel_deadline */
	s64 vlag; /* EEVDF lag while not queued; slice-protection marker while current */
	u64 slice; /* ns */
	u64 exec_start; /* clock_task when accounting last ran; 0 = moved by a wake-up */
	u64 sum_exec_runtime; /* ns of clock_task */
	u64 prev_sum_exec_runtime; /* the same when it was picked */
	u64 runnable_weight; /* group: runnable tasks below, cached at refresh */
	u64 queued_weight; /* group, v5.4: share of its weight that is queued, full resolution */
	s64 policy_data; /* private to the pick policy (stride pass, lottery tickets, ...) */
	se_id parent; /* NONE at the root */
	cfs_id cfs_rq; /* queue it is or was last queued on */
	cfs_id my_q; /* group entity: the queue it stands for; NONE for a task */
	u32 depth;
	u8 on_rq;
	u8 sched_delayed; /* EEVDF: blocked, but its lag still competes */
	u8 custom_slice;
	u8 rel_deadline;
	u8 idle; /* SCHED_IDLE task or idle group */
	u8 pad[3];
	struct sched_avg avg;
};

struct cfs_rq {
	struct load_weight load; /* queued entities, the current one included */
	u32 nr_queued; /* entities on this queue */
	u32 h_nr_queued; /* tasks below, delayed ones included */
	u32 h_nr_runnable; /* tasks below without the delayed ones */
	u32 h_nr_idle; /* SCHED_IDLE tasks below */
	s64 avg_vruntime; /* sum over tree entities of (vruntime - zero_vruntime) * weight */
	u64 avg_load; /* sum of their scaled-down weights */
	u64 zero_vruntime;
	u64 min_vruntime; /* CFS: monotonic */
	se_id curr; /* running entity of this level, not in the tree */
	se_id next, last, skip; /* buddies: next in both, last and skip CFS only */
	struct tree_root timeline;
	struct sched_avg avg;
	u64 removed_load_avg, removed_runnable_avg, removed_util_avg;
	u32 removed_nr;
	u32 propagate;
	s64 prop_runnable_sum;
	u64 queued_weight, queued_load_sum, queued_load_avg; /* v5.4: runnable_load_avg */
	u64 tg_load_avg_contrib;
	u64 last_update_tg_load_avg; /* rq clock ns */
	u64 h_load;
	u64 last_h_load_update; /* jiffy + 1; 0 = never */
	u32 tg;
	cpu_id cpu;
	/* bandwidth of the group (bandwidth.h); all 0 where no quota was ever set above */
	u32 runtime_enabled;
	u32 throttled; /* off its parent's queue for want of run time */
	u32 throttle_count; /* throttled queues from here to the root */
	u32 clock_stopped; /* its PELT clock stands, or once stood */
	s64 runtime_left; /* ns it may still run before it asks the group for more */
	u64 throttled_clock; /* rq clock since when tasks wait here for run time; 0 = none do */
	u64 throttled_clock_pelt; /* PELT time at which its clock stopped */
	u64 throttled_pelt_time; /* PELT ns it has stood so far */
	cfs_id throttled_next, throttled_prev; /* on task_group.throttled */
	u32 on_list; /* on rq.leaf list */
	cfs_id leaf_next, leaf_prev; /* children stand before parents */
	u32 seq; /* pick policies that need an arrival order */
};

/* ---- tasks -------------------------------------------------------------------------------- */

/* include/linux/sched.h: TASK_RUNNING, TASK_INTERRUPTIBLE; the rest are ours. */
enum task_state {
	TASK_NEW, /* created, its delay not over */
	TASK_RUNNING, /* queued or running */
	TASK_SLEEPING, /* timer armed in the event queue */
	TASK_WAITING, /* on a sync object */
	TASK_DEAD,
};

/* include/uapi/linux/sched.h numbers, as in the vectors. */
enum sched_class_policy {
	SCHED_NORMAL = 0,
	SCHED_FIFO = 1,
	SCHED_RR = 2,
	SCHED_BATCH = 3,
	SCHED_IDLE = 5,
	SCHED_DEADLINE = 6,
};

#define PF_IOWAIT 1u /* current sleep counts as waiting for io */
#define PF_WARNED_SPIN 2u /* the "no time passes" warning was given */
#define PF_PINNED_PENDING 4u /* affinity changed while running: must move at next schedule */
#define PF_KTHREAD 8u /* per-CPU kernel thread of the model (sugov, stopper) */
#define PF_IN_STEP 16u /* a timed step has begun and is not over */
#define PF_CHARGED 32u /* the step in progress is the 1 us charge for letting no time pass */
#define PF_RELOCK 64u /* signalled, must take the mutex of its wait step again */
#define PF_PAID 128u /* the kernel path of the step at pc has been paid for */
#define PF_TIMER_PENDING 512u /* its timer fired while interrupts were off */
#define PF_TIMER_STEP 1024u /* the handler of its timer is a kernel step of wake_cpu */
#define PF_WAKE_LATER 2048u /* woken between leaving the queue and the switch: wakes after it */
#define PF_PUSH 256u /* must move to wake_cpu at the next schedule */

struct task {
	task_id id;
	u32 state; /* enum task_state */
	u32 flags; /* PF_* */
	cpu_id cpu; /* where it is queued or last ran */
	cpu_id prev_cpu, recent_used_cpu;
	cpu_id wake_cpu; /* CPU that armed its wake-up timer: "this CPU" of the wake-up */
	s8 nice;
	u8 policy; /* enum sched_class_policy */
	u8 rt_priority; /* 1..99 */
	u8 on_rq;
	u32 tg;
	mask_id cpus; /* allowed CPUs (cpuset.h), never empty among online ones */
	mask_id user_cpus; /* the affinity it asked for, 0 = all */
	u32 nr_cpus_allowed;
	u32 uclamp_min, uclamp_max; /* what it asked for, within its group's */
	u32 uclamp_req[2]; /* what it asked for: min, max */
	u32 uclamp_eff[2]; /* what counts on its CPU: min, max */
	u32 uclamp_active; /* counted on its CPU */
	u32 program; /* id, NONE for kernel threads of the model */
	u32 pc; /* step id */
	u32 zero_steps; /* program steps since time last passed */
	u64 slot[PROGRAM_DEPTH]; /* loop counts left, ends of phases */
	u64 work_left; /* ns << 20: work of the current run step, 0 = step done */
	ktime_ns runtime_until; /* runtime step: wall end, 0 = none */
	ktime_ns wake_at; /* armed wake-up, NEVER = none */
	ktime_ns start; /* spawn + delay: reference of its timers */
	ktime_ns signalled; /* stamp that the last signal carried; NEVER = none yet */
	u32 wait_obj, wait_next, wait_prev; /* sync object it waits on, list links */
	u32 objs; /* own timer and sync objects (unique ones), list head */
	u32 ttwu_next; /* on rq.timer_list */
	u32 wakee_flips, last_wakee; /* wake_wide() */
	u64 wakee_flip_decay_ts; /* jiffies */
	u32 list_prev, list_next; /* rq.cfs_tasks, most recently run first */
	u64 rng_key, rng_draws; /* workload's stream, keyed by spawn path */
	u64 serial; /* number of the spawn, never reused: what handles name */
	u32 nr_children;
	u32 to_wake; /* broadcast under way: tasks still to wake */
	u32 lat_group; /* statistics pool */
	u32 hist; /* statistics pool, NONE = not kept */
	char comm[TASK_COMM_LEN];
	/* other classes: rt.c, dl.c. Queues are linked by list_prev, list_next. */
	u32 rr_left; /* ticks left of its SCHED_RR slice */
	u8 dl_throttled; /* budget spent: on rq.dl_waiting until dl_timer */
	u8 dl_yielded;
	u8 dl_admitted; /* its bandwidth is in globals.dl_total_bw */
	u8 dl_contending; /* its bandwidth is in rq.dl_running_bw */
	u32 pad_dl;
	u64 dl_runtime, dl_deadline, dl_period; /* reservation in ns, 0 = none */
	s64 dl_left; /* budget of the current period, ns of work at full speed */
	u64 dl_abs; /* absolute deadline, rq clock */
	ktime_ns dl_timer; /* replenishment, NEVER = none due */
};

/* ---- programs and sync objects ------------------------------------------------------------ */

struct step { /* one step of a program; ops and operands: workload/program.h */
	u8 op;
	u8 flags;
	u16 depth; /* slot of loops and phases */
	u32 next; /* step id, NONE = end of program (exit) */
	u32 target; /* loop body */
	u32 obj; /* sync object id, or index among the task's own (STEP_F_LOCAL) */
	u64 a, b;
};

struct program {
	u32 first; /* step id, NONE = empty */
	u32 nr_steps;
	u32 refs; /* tasks that run it */
	u32 nr_local; /* own objects a task of it gets, kinds in local_kind */
	u8 local_kind[16];
	u32 spec; /* index into sim.specs: names and forks come from there */
	mask_id own_mask; /* a reference */
};
#define PROGRAM_LOCALS 16

enum sync_kind {
	SYNC_TIMER,
	SYNC_MUTEX,
	SYNC_COND,
	SYNC_BARRIER,
	SYNC_SEM,
	SYNC_QUEUE, /* bounded, of messages that are all alike: a pipe, a socket */
	SYNC_STAMP, /* a moment that samples are measured from */
	/* No objects of the arena, but names in a description: what count and sample steps feed. */
	SYNC_COUNTER,
	SYNC_LATENCY,
};

struct sync_obj {
	u32 kind;
	u32 name; /* interned text id, for messages and the "deadlock" report */
	u32 owner; /* mutex holder */
	u32 head, tail; /* waiting tasks, first come first served */
	u32 nr_waiting;
	u32 needed; /* barrier: parties; queue: depth, 0 = no sender has been loaded */
	u32 next; /* list of a task's own objects */
	u64 value; /* semaphore count; timer: next expiry; stamp: its time; queue: messages in it */
	u32 started; /* timer or stamp used once */
	u32 absolute; /* timer is absolute for every user */
	u64 lost; /* signals without a waiter */
};

struct text { /* interned names: groups, objects, knobs */
	char s[64];
};

/* ---- CPUs --------------------------------------------------------------------------------- */

/* What a CPU is doing; a CPU in a kernel section is not idle for anyone. */
enum cpu_mode { CPU_IDLE, CPU_TASK, CPU_SECTION, CPU_OFFLINE };

/* A step of kernel work. ns is the cost at speed 2^20; reading, deciding and effect are at its end. */
struct kstep {
	u8 path; /* enum cost_path: who is charged */
	u8 flags; /* KSTEP_* */
	u16 effect; /* enum kstep_effect */
	u32 a;
	u64 b;
	u64 left; /* ns << 20 of work to go */
	ktime_ns began; /* when it first ran */
};
#define KSTEP_IRQS_OFF 1u
#define KSTEP_IRQ 2u /* interrupt or softirq context: goes to avg_irq, not to the task */
#define KSTEP_STARTED 4u

/*
 * A pass: work of the kernel in many steps that decides at the end of each (sched/pass.h). A CPU has
 * one at most in each context: on the way out of schedule(), in softirq, in the idle loop.
 */
enum pass_ctx { PASS_SCHEDULE, PASS_SOFTIRQ, PASS_IDLE_LOOP, NR_PASS_CTX };

struct kpass {
	u8 fn; /* enum pass_fn; 0 = there is none in this context */
	u8 stage; /* the function's own; 0 at the start */
	u8 go_on, decayed; /* round over domains: look at higher ones; a limit was decayed */
	u8 shown; /* PASS_SHOWS_*: entered in the function graph */
	u8 part_func, step_func, pad; /* enum kfunc */
	cpu_id step_cpu; /* whose queue the step is about, NONE */
	u32 flags; /* the function's own */
	u32 sd, sg; /* domain and group at hand, NONE */
	cpu_id cpu; /* CPU at hand, NONE */
	u32 nr; /* CPUs visited so far */
	/* round over the domains of lb_cpu: lb_round_begin() */
	cpu_id lb_cpu;
	u32 lb_idle; /* enum cpu_idle_type */
	u64 lb_next, lb_cost;
	ktime_ns began, part_began; /* the pass; the part at hand */
	u64 spent; /* ns of its finished parts */
	u64 data[3]; /* the function's own */
	u32 then_flags, pad2; /* of a round for others that follows in the same context; 0 = none */
};

#define UCLAMP_BUCKETS 5
struct uclamp_bucket {
	u32 value, tasks;
};

struct rq {
	cpu_id cpu;
	u32 nr_running; /* all classes, delayed fair tasks included */
	task_id curr; /* NONE = the idle task */
	u32 mode; /* enum cpu_mode */
	u32 nr_other; /* 0: fair tasks only. Else rt_nr, deadline tasks, fs_active, a current of theirs */
	u32 fs_active; /* the fair server follows what fair tasks get */
	u64 clock, clock_task, clock_pelt, lost_idle_time;
	u64 clock_idle, clock_pelt_idle;
	u64 clock_task_mult; /* clock_task, every step << pelt_shift: what PELT time catches up with */
	u64 prev_irq_time; /* irq_time already folded into clock_task */
	u64 irq_time; /* ns spent in interrupt steps */
	u32 cpu_capacity; /* capacity_of(): what is left for fair tasks */
	u32 cpu_capacity_orig; /* arch_scale_cpu_capacity() */
	u32 freq_scale; /* arch_scale_freq_capacity(): cur/ref << 10 */
	u32 speed; /* 2^20 = capacity 1024 at top frequency, core alone */
	struct sched_avg avg_rt, avg_dl, avg_irq, avg_hw;
	u64 avg_idle, idle_stamp, max_idle_balance_cost;
	u64 wake_avg_idle, wake_stamp; /* SIS_PROP of v5.14 on: idle time left, jiffy it is of */
	u64 misfit_task_load;
	u32 need_resched;
	u32 nr_iowait;
	u32 pad_irq;
	u32 irq_pending; /* IRQ_* bits that wait for interrupts to open */
	u32 timer_list,
		timer_list_tail; /* tasks whose timer fired here while interrupts were off */
	u32 softirq_pending; /* SOFTIRQ_*: raised while one was at work */
	/* tick and idle */
	u32 tick_stopped;
	u32 idle_state; /* index into idle_state pool, NONE while busy */
	u32 idle_depth; /* its rank among the CPU's own states, 0 = shallowest */
	u64 tick_jiffy; /* jiffy of the next tick while running */
	u64 idle_since;
	u64 idle_calls; /* tick_nohz_get_idle_calls_cpu(): "busy" test of schedutil */
	u64 next_balance; /* jiffies */
	u64 last_blocked_load_update_tick;
	u32 has_blocked_load;
	u32 nohz_tick_stopped;
	u32 nohz_flags; /* NOHZ_* asked of it */
	u32 nohz_for; /* record its round is for */
	u32 idle_balance; /* it was idle at its last tick */
	u32 leaf_head, leaf_tail; /* cfs queues with load, children first */
	u32 cfs_tasks_head, cfs_tasks_tail;
	u32 active_balance;
	/* real-time and deadline tasks: first in the queue is the next to run */
	u32 rt_nr, rt_head, rt_tail, rt_throttled;
	u32 dl_nr, dl_head, dl_tail;
	u32 dl_waiting; /* throttled deadline tasks, next to be replenished first */
	u64 rt_time; /* ns of real-time work in the throttling period */
	u64 rt_runtime; /* its limit here: lent and borrowed with rt_runtime_share */
	u64 dl_running_bw; /* of the deadline tasks here, 2^20 = a whole CPU */
	/* the fair server (v6.12): a deadline entity that runs fair tasks */
	s64 fs_left;
	u64 fs_abs; /* its absolute deadline */
	u64 fs_exec; /* run time of the current fair task when it was last charged */
	ktime_ns fs_timer; /* zero laxity or replenishment, NEVER = none due */
	u32 fs_state; /* FS_* of sched/fair_server.h */
	u32 pad_fs;
	u32 push_cpu; /* where active balancing pushes to */
	u32 uclamp_min, uclamp_max, uclamp_idle;
	struct uclamp_bucket uclamp[2][UCLAMP_BUCKETS]; /* min, max */
	/* execution */
	ktime_ns seg_start; /* when the running segment began */
	ktime_ns lock_free_at; /* run-queue lock: when it is free again */
	cpu_id lock_holder;
	u32 nr_ksteps; /* stack, the top runs */
	struct kstep ksteps[KSTEP_DEPTH];
	u32 owed[16]; /* ns of work done inside other steps, by enum cost_path */
	u32 owes; /* some owed[] is not 0 */
	u32 switch_paid; /* the next schedule() has been paid for */
	u32 kthread; /* KTHREAD_*: the governor's thread of this CPU's frequency domain */
	u32 performance; /* 1024 = the biggest core: what work goes by; most often the capacity */
	u32 searching; /* enum newidle_phase: between leaving the queue and the switch */
	u32 idle_hist_nr; /* idle periods seen */
	u32 idle_hist[8]; /* us, the last ones */
	struct kpass pass[NR_PASS_CTX];
	u64 rng_draws; /* the engine's own draws for this CPU */
	u64 policy_seq;
};
#define KTHREAD_WOKEN 1u /* it runs at the next schedule() */
#define KTHREAD_ON 2u /* it runs, or has done so and the CPU has not switched yet */
#define IRQ_TICK 1u
#define IRQ_KTHREAD 2u
#define IRQ_TIMER 4u
#define IRQ_NOHZ 8u
#define SOFTIRQ_BALANCE 1u
#define SOFTIRQ_NOHZ 2u

/* schedule() found nothing to run: no search yet, the search goes on, it is over. */
enum newidle_phase { NEWIDLE_NO, NEWIDLE_GOES_ON, NEWIDLE_OVER };

/* Where a CPU stands; written once. Masks are interned. */
struct cpu_topo {
	u32 type, core, thread, cluster, llc, node, package, fd;
	u32 core_first; /* lowest CPU of the core */
	u32 core_busy; /* threads of the core that are not idle: changes while it runs */
	mask_id smt_mask, cluster_mask, llc_mask, node_mask;
	u32 smt_threads;
	u32 smt_pct[8]; /* core throughput in % with 1..8 busy threads */
	u32 pad;
};

/* The fields from perf on are filled by em_domain_init() of hw/energy.h. */
struct opp {
	u32 khz, capacity, power_uw, idle_power_uw;
	u32 perf; /* energy model: performance of the state */
	u32 em_flags; /* EM_INEFFICIENT_* */
	u64 cost, cost_v6_1;
};

struct freq_domain {
	u32 first_opp, nr_opps;
	mask_id cpus;
	u32 nr_cpus; /* online */
	cpu_id first_cpu;
	u32 cur; /* OPP index within the domain */
	u32 target; /* OPP on its way, == cur when none */
	u32 capacity_orig;
	u32 cur_khz, max_khz, min_khz; /* limits in force: caps included */
	u32 ref_khz; /* frequency of full capacity */
	u32 transition_latency_us;
	u32 fast_switch;
	u32 userspace_khz;
	u32 first_stat; /* its operating points in POOL_OPP_STATS */
	/* governor (schedutil: struct sugov_policy) */
	u64 last_freq_update_time;
	u64 freq_update_delay_ns;
	u32 next_freq, cached_raw_freq;
	u32 limits_changed, need_freq_update, work_in_progress;
	u32 thread_woken; /* its thread has been woken and has not yet done its work */
	u64 transitions; /* statistic, kept here because it names the state */
	ktime_ns since; /* statistic: start of the residency at cur */
	ktime_ns switch_at; /* when target takes effect, NEVER = none under way */
};

/* schedutil's per-CPU part: struct sugov_cpu. */
struct sugov_cpu {
	u64 last_update, util, bw_min, saved_idle_calls;
	u32 iowait_boost, iowait_boost_pending;
};

struct idle_state {
	char name[32];
	u32 scope; /* enum machine_scope */
	u32 entry_us, exit_us, residency_us, power_uw, local_timer_stop;
	mask_id cpus;
	u32 has_power;
};

/* ---- groups -------------------------------------------------------------------------------- */

struct task_group {
	u32 parent; /* NONE for the root */
	u32 name; /* text id */
	u64 shares; /* full resolution, 1048576 = nice 0 */
	u64 load_avg;
	u32 depth, nr_tasks, idle, pad;
	u32 first_child, next_sibling; /* newest first */
	/* struct cfs_bandwidth */
	u64 quota; /* ns per period; RUNTIME_INF = none */
	u64 period, burst; /* ns */
	u64 runtime; /* ns not yet handed out to queues */
	u64 runtime_snap; /* the same after the last refill */
	ktime_ns period_at; /* next expiry of the period timer, or the last one while it stands */
	ktime_ns slack_at; /* NEVER = not armed */
	cfs_id throttled_head, throttled_tail; /* queues, longest throttled first */
	u32 period_active;
	u32 period_idle; /* nobody asked for run time since the last refill */
	cpu_id period_cpu, slack_cpu; /* whose timers these are: they started them */
	u32 uclamp_req[2], uclamp[2]; /* min, max as set, and within those of the groups above */
	mask_id cpus, cpus_now; /* as set (0 = all), and within those of the groups above */
	u32 partition, partition_now; /* enum partition_kind: asked for, and in force */
};
#define RUNTIME_INF (~0ull)

/* ---- the machine as a whole ---------------------------------------------------------------- */

#define COSTS_MAX 32

struct tunables {
	u64 hz;
	u64 sched_latency, min_granularity, idle_min_granularity, wakeup_granularity,
		base_slice; /* ns, unscaled */
	u64 migration_cost;
	u64 nr_migrate;
	u64 rate_limit_us; /* schedutil; ~0 = from the machine */
	u64 costs; /* 0 = the ideal scheduler */
	u64 cost[COSTS_MAX]; /* ns, by enum cost_id */
	u64 features; /* bits of features.def */
	u64 pelt_shift; /* half-life: 32 ms << 0, 16 ms = 1, 8 ms = 2 */
	u64 nohz, numa_remote_pct;
	u64 bandwidth_slice; /* ns a queue takes from its group's quota at a time */
	u64 uest_before; /* util_est update before the dequeue ages the task (v6.12 stable) */
	u64 place_form, balance_form; /* columns of sched/release.def */
	u64 asym_packing; /* which CPUs are to be used first: 0 none, 1 lower numbers, 2 larger ones */
	u64 rt_throttle, rt_share; /* switches: before v6.12, in v5.4 */
	u64 rt_period_us, rt_runtime_us;
	u64 fair_server_runtime_us, fair_server_period_us; /* runtime 0 = no server */
	u64 rr_timeslice_ms;
	u64 uclamp_min_rt_default; /* lower clamp of real-time tasks without clamps of their own */
};

struct globals {
	ktime_ns now;
	u64 ordinal; /* model events dispatched so far */
	u64 seed;
	u64 next_serial;
	u32 nr_cpus, nr_fds, nr_nodes, mask_words;
	u32 profile; /* index into kernel_profiles */
	u32 nr_online;
	u32 policy[NR_SLOTS_MAX]; /* registry index per slot */
	u32 nr_policy_errors[NR_SLOTS_MAX];
	struct tunables tun;
	u32 asym_capacity; /* CPUs that are online differ in capacity, within some partition */
	u32 has_em; /* every domain has an energy model */
	u32 overutilized, overloaded;
	u64 overutilized_since, overutilized_ns, overutilized_enters; /* statistics */
	mask_id online;
	cpu_id this_cpu; /* whose code runs and pays, NONE between events and for inputs */
	u32 nr_tasks_alive;
	u32 nr_group_sources; /* groups that have two timers each in the event queue */
	u64 same_time_events; /* events at this instant: a run that stands still is stopped */
	u32 nr_need_resched, has_smt;
	u32 nr_sources; /* of the event queue */
	u32 nr_specs; /* task descriptions that applied inputs have named */
	u64 nr_root_spawns; /* ordinal of the next spawned task's random stream */
	mask_id housekeeping; /* CPUs that may balance for idle ones and take timers; 0 = all */
	u32 asym_machine; /* CPUs of the machine differ in capacity, online or not */
	/* real-time and deadline classes */
	u64 dl_total_bw; /* admitted, 2^20 = a whole CPU */
	ktime_ns rt_period_end; /* throttling period under way, NEVER = no real-time task */
	u32 nr_rt_overloaded; /* CPUs with two or more real-time and deadline tasks queued */
	u32 pad_rt;
};

/* Idle CPUs with a stopped tick: struct nohz of kernel/sched/fair.c; by node or cache, or one. */
struct nohz_record {
	s32 nr_cpus; /* of its mask */
	u32 has_blocked, needs_update, pad;
	u64 next_balance, next_blocked; /* jiffies */
};

enum pool {
	POOL_GLOBALS,
	POOL_RQ,
	POOL_CPU_TOPO,
	POOL_FREQ_DOMAIN,
	POOL_OPP,
	POOL_SUGOV_CPU,
	POOL_IDLE_STATE,
	POOL_NODE_DISTANCE, /* u64 per pair */
	POOL_TASK,
	POOL_TASK_SE, /* same ids as POOL_TASK */
	POOL_GROUP,
	POOL_GROUP_SE, /* tg * nr_cpus + cpu */
	POOL_CFS_RQ, /* tg * nr_cpus + cpu */
	POOL_STEP,
	POOL_PROGRAM,
	POOL_SYNC,
	POOL_TEXT,
	POOL_MASK, /* struct mask_head */
	POOL_MASK_WORDS, /* nr_cpus words per mask id */
	POOL_RESCHED, /* u64 words: CPUs with need_resched */
	POOL_NOHZ, /* struct nohz_record: as many as there are nodes or caches */
	POOL_NOHZ_MASK, /* u64 words: nohz.idle_cpus_mask, a row per record */
	POOL_EVQ_KEY,
	POOL_EVQ_WIN,
	POOL_POLICY_CPU, /* s64 columns of policies: slot-major, see policy.h */
	POOL_POLICY_TASK,
	POOL_POLICY_GLOBAL,
	POOL_SCHED_DOMAIN,
	POOL_SCHED_GROUP,
	POOL_SCHED_GROUP_CAPACITY,
	POOL_LLC,
	POOL_CPU_SD,
	POOL_PERF_DOMAIN,
	/* statistics: not in the digest */
	POOL_STATS,
	POOL_CPU_STATS,
	POOL_NODE_STATS,
	POOL_STARVED_ROWS, /* u64 words: nodes wanted by the tasks waiting on a CPU */
	POOL_STARVED_CPUS, /* u64 words: CPUs to look at, and those whose row is old */
	POOL_TASK_STATS,
	POOL_OPP_STATS,
	POOL_FD_STATS,
	POOL_GROUP_STATS,
	POOL_LAT_GROUP,
	POOL_TASK_HIST,
	POOL_KHIST,
	POOL_COUNTER,
	POOL_THROUGHPUT,
	NR_POOLS,
};

struct mask_head {
	u32 refs;
	u32 weight;
};

#endif
