/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_query.c - looking without touching: averages and statistics as of now, computed on copies.
 *
 * The kernel's averages of a sleeping task or an idle CPU are stale, and so are ours: a view that
 * brought them up to date would make the frame rate part of the result.
 */
#include "engine/access.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/capacity.h"
#include "engine/sched/class.h"
#include "engine/sched/clock.h"
#include "engine/sched/exec.h"
#include "engine/sched/pelt.h"
#include "engine/sched/util_est.h"
#include "engine/sim_internal.h"

/* PELT time of the CPU if its clock were brought forward now. */
static u64 pelt_time_now(const struct sim *s, cpu_id cpu)
{
	struct rq rq = s->rqs[cpu];
	u64 delta = s->g->now - rq.clock;

	if (rq.curr == NONE)
		return rq.clock_task + delta - rq.lost_idle_time;
	delta = cap_scale(delta, rq.cpu_capacity_orig);
	delta = cap_scale(delta, rq.freq_scale);
	return rq.clock_pelt + delta - rq.lost_idle_time;
}

struct sched_avg sim_task_avg_now(const struct sim *s, task_id p)
{
	struct sched_entity se = s->task_se[p];
	const struct cfs_rq *q = &s->cfs_rqs[se.cfs_rq];
	u64 now = throttled_hierarchy(q) ? q->throttled_clock_pelt : pelt_time_now(s, q->cpu);

	if (!se.avg.last_update_time)
		return se.avg;
	now -= q->throttled_pelt_time;
	if (se.on_rq)
		update_se(now, &se, q->curr == p);
	else
		update_se_blocked(now, &se);
	return se.avg;
}

struct sched_avg sim_cpu_avg_now(const struct sim *s, cpu_id cpu)
{
	struct cfs_rq q = s->cfs_rqs[cpu];

	update_cfs(pelt_time_now(s, cpu), &q);
	return q.avg;
}

/* An average whose inputs are all @running, aged to @now. */
static u64 util_aged(struct sched_avg sa, u64 now, u32 running)
{
	if (!running && load_avg_is_decayed(&sa))
		return 0;
	if (update_load_sum(now, &sa, running, running, running))
		update_load_avg_values(&sa, 1);
	return sa.util_avg;
}

u64 sim_cpu_other_now(const struct sim *s, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];
	enum task_class running = rq->curr == NONE ? CLASS_FAIR : class_of(s, rq->curr);
	u64 now = pelt_time_now(s, cpu);

	return util_aged(rq->avg_rt, now, running == CLASS_RT) +
	       util_aged(rq->avg_dl, now, running == CLASS_DL) +
	       util_aged(rq->avg_irq, s->g->now, 0);
}

u64 sim_cpu_util(const struct sim *s, cpu_id cpu)
{
	return cpu_util_cfs(s, cpu);
}

u32 sim_cpu_khz(const struct sim *s, cpu_id cpu)
{
	return s->fds[s->topo[cpu].fd].cur_khz;
}

const char *sim_task_name(const struct sim *s, task_id p)
{
	if (p == NONE)
		return "idle";
	return arena_is_live(&s->arena, POOL_TASK, p) ? s->tasks[p].comm : "gone";
}

struct cpu_stats sim_cpu_stats_now(const struct sim *s, cpu_id cpu)
{
	struct cpu_stats st = s->cpu_stats[cpu];
	const struct rq *rq = &s->rqs[cpu];
	u64 delta = s->g->now - rq->seg_start;
	u128 e = ((u128)st.energy_hi << 64 | st.energy_lo) + (u128)cpu_power_uw(s, rq) * delta;

	st.energy_lo = (u64)e;
	st.energy_hi = (u64)(e >> 64);
	if (rq->mode == CPU_IDLE) {
		st.idle_ns += delta;
		if (rq->idle_state != NONE && rq->idle_depth < ARRAY_SIZE(st.idle_state_ns))
			st.idle_state_ns[rq->idle_depth] += delta;
	} else if (rq->mode != CPU_OFFLINE) {
		st.busy_ns += delta;
		if (rq->mode == CPU_SECTION)
			st.kernel_ns += delta;
	}
	return st;
}

struct task_stats sim_task_stats_now(const struct sim *s, task_id p)
{
	struct task_stats st = s->task_stats[p];
	const struct task *t = &s->tasks[p];
	const struct rq *rq = &s->rqs[t->cpu];

	if (t->state == TASK_DEAD || t->state == TASK_NEW)
		return st;
	if (rq->curr == p && rq->mode != CPU_IDLE) {
		u128 e = ((u128)st.energy_hi << 64 | st.energy_lo) +
			 (u128)cpu_power_uw(s, rq) * (s->g->now - rq->seg_start);

		st.energy_lo = (u64)e;
		st.energy_hi = (u64)(e >> 64);
	}
	if (rq->curr == p)
		st.busy_ns += rq->mode == CPU_TASK ? s->g->now - rq->seg_start : 0;
	else if (t->state == TASK_RUNNING)
		st.wait_ns += s->g->now - st.since;
	else
		st.sleep_ns += s->g->now - st.since;
	return st;
}

bool sim_task_throttled(const struct sim *s, task_id p)
{
	return s->tasks[p].state == TASK_RUNNING && task_is_fair(s, p) &&
	       throttled_hierarchy(cfs_rq_of(s, p));
}

u64 sim_group_exec_now(const struct sim *s, u32 tg)
{
	u64 sum = 0;

	for (cpu_id cpu = 0; cpu < s->g->nr_cpus; cpu++) {
		const struct rq *rq = &s->rqs[cpu];
		const struct sched_entity *se = &s->group_se[tg_cfs_id(s, tg, cpu)];

		sum += se->sum_exec_runtime;
		if (tg_cfs(s, s->groups[tg].parent, cpu)->curr == (SE_GROUP | se->my_q))
			sum += rq->clock_task + (s->g->now - rq->clock) - se->exec_start;
	}
	return sum;
}

struct group_stats sim_group_stats_now(const struct sim *s, u32 tg)
{
	struct group_stats st = s->group_stats[tg];

	for (cpu_id cpu = 0; cpu < s->g->nr_cpus; cpu++) {
		const struct cfs_rq *q = tg_cfs(s, tg, cpu);

		if (q->throttled_clock)
			st.throttled_ns += s->g->now - q->throttled_clock;
	}
	return st;
}

u64 sim_task_exec_now(const struct sim *s, task_id p)
{
	const struct sched_entity *se = &s->task_se[p];
	const struct rq *rq = &s->rqs[s->tasks[p].cpu];
	u64 delta = s->g->now - rq->clock;

	if (rq->curr != p)
		return se->sum_exec_runtime;
	return se->sum_exec_runtime + (rq->clock_task + delta - se->exec_start);
}

u128 sim_domain_energy_now(const struct sim *s, u32 fd)
{
	u128 sum = 0;

	for (u32 c = 0; c < s->g->nr_cpus; c++) {
		if (s->topo[c].fd != fd)
			continue;

		struct cpu_stats st = sim_cpu_stats_now(s, c);

		sum += (u128)st.energy_hi << 64 | st.energy_lo;
	}
	return sum;
}

u128 sim_domain_signal_energy_now(const struct sim *s, u32 fd)
{
	const struct fd_stats *st = &s->fd_stats[fd];

	return ((u128)st->energy_hi << 64 | st->energy_lo) +
	       (u128)st->power_uw * (s->g->now - st->since);
}

u64 sim_work_done_now(const struct sim *s)
{
	u64 sum = s->stats->work_dead, frac = s->stats->work_dead_frac;

	for_each_live(p, &s->arena, POOL_TASK)
	{
		sum += s->task_stats[p].work_done;
		frac += s->task_stats[p].work_frac;
	}
	sum += frac >> 20;
	for (u32 c = 0; c < s->g->nr_cpus; c++) {
		const struct rq *rq = &s->rqs[c];

		if (rq->mode == CPU_TASK)
			sum += (s->g->now - rq->seg_start) * rq->speed >> 20;
	}
	return sum;
}

u64 sim_fd_residency_now(const struct sim *s, u32 fd, u32 opp)
{
	const struct freq_domain *d = &s->fds[fd];
	u64 ns = s->opp_stats[d->first_stat + opp].ns;

	return opp == d->cur ? ns + (s->g->now - d->since) : ns;
}

u64 sim_overutilized_ns_now(const struct sim *s)
{
	const struct globals *g = s->g;

	return g->overutilized_ns + (g->overutilized ? g->now - g->overutilized_since : 0);
}

const struct sim_limitation sim_modelled[] = {
	{ "PELT",
	  "load, runnable, util of tasks, queues, groups: the kernel's integer arithmetic" },
	{ "util_est",
	  "rules runnable, idle-aware, revert, v5.4, before or after the dequeue ages" },
	{ "pick",
	  "EEVDF (v6.6, v6.12) and CFS (v6.1) held to reference vectors; fifo rr stride lottery" },
	{ "frequency",
	  "domains, OPPs, transition latency, schedutil with shared domains, caps and their "
	  "pressure on capacity" },
	{ "energy",
	  "per CPU from the OPP table: busy power at the running OPP, idle power when idle" },
	{ "capacity",
	  "capacity and frequency scale both the work done and PELT time; SMT slows work" },
	{ "domains",
	  "SMT, CLS, MC, PKG, NUMA with overlapping groups: flags, intervals, capacities" },
	{ "wake-up placement",
	  "wake_affine, wake-wide, wake_cap, idle siblings, cores, clusters, SIS_UTIL, SIS_PROP, "
	  "capacity fit, fork and exec over groups, energy-aware placement, as each release has it "
	  "(list rules)" },
	{ "load balancing",
	  "periodic, newly idle and NOHZ idle passes over domains: group classes, "
	  "imbalance, hot and pinned tasks, active balance, misfit; v5.4 by load; asymmetric packing by tunable" },
	{ "bandwidth",
	  "cpu.max with burst: slices, throttling with stopped averages, slack, nested groups" },
	{ "NOHZ idle balancing",
	  "one record of idle CPUs or one per node or cache, each condition of a kick, its "
	  "interrupt, the round in steps that stops for work, housekeeping CPUs" },
	{ "hotplug",
	  "CPUs off and on at any instant: tasks, affinity, timers, domains, records of idle CPUs; it "
	  "takes no time" },
	{ "ticks", "on jiffies, stopped while idle" },
	{ "cost of the scheduler", "a table of kernel paths (costs.def), paid at the CPU's speed" },
	{ "newly idle balancing",
	  "v5.4 with its walk over blocked load, rate limited or aborted early, v5.13; step by step, "
	  "interrupts off, by CPU and by domain" },
	{ "locks and cache lines",
	  "run-queue locks wait for their holder; lines by distance, for averages, statistics, locks" },
	{ "idle states", "menu-like choice from past idle periods, exit latency, power by state" },
	{ "real-time classes",
	  "SCHED_FIFO and SCHED_RR with throttle or fair server, SCHED_DEADLINE as constant "
	  "bandwidth servers with admission, push and pull, their pressure on capacity" },
	{ "uclamp", "tasks within their groups, by buckets, in frequency, fit and energy" },
	{ "task programs",
	  "work, wall time, timers, locks, conditions, semaphores, barriers, queues of messages, each "
	  "step for its price; ready-made workloads (list workloads)" },
	{ "task groups",
	  "shares, idle groups, CPUs by group (cpusets) and affinity, moves at any time; partitions, root "
	  "and isolated, with domains of their own" },
	{ NULL, NULL },
};

const struct sim_limitation sim_not_modelled[] = {
	{ "averages and schedutil before v6.1",
	  "the arithmetic is v6.1's; v5.4 has its load of queued tasks besides" },
	{ "what a domain sees before v6.1",
	  "flags for unequal CPUs as v6.12 sets them; CPU priorities are a tunable, as machine files "
	  "have none" },
	{ "costs of balancing",
	  "statistics of a domain are read at the end of the time that reading takes; moving a task "
	  "is paid after it has moved" },
	{ "wake-ups by interrupt",
	  "TTWU_QUEUE has no effect: the waker queues the task itself, whichever cache, and waits for the "
	  "lock" },
	{ "idle choice", "the next timer is not looked at; the tick stops at every idle entry" },
	{ "real-time classes",
	  "no priority inheritance, no groups of real-time tasks, no reclaiming of deadline "
	  "bandwidth; their timers cost nothing" },
	{ "groups before v5.15",
	  "cpu.idle (v5.15) and burst (v5.14) work in those profiles too, and clamps of groups as "
	  "since v5.14" },
	{ "cpuset partitions",
	  "none inside another group; overutilised, overloaded, the largest capacity and deadline "
	  "bandwidth are kept for the machine, not by partition" },
	{ "slow frequency switching",
	  "its kernel thread takes CPU time and runs first, but counts as the interrupted task" },
	{ "messages",
	  "have no content: copying is a program's work; who is woken for one gets it; nobody runs "
	  "slower for data that another CPU or node has" },
	{ "core scheduling, NUMA balancing, memory", "not there" },
	{ NULL, NULL },
};
