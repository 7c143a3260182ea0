/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newidle_v5_4.c - newly idle balancing that brings the blocked load of idle CPUs up to date on its
 * way through the statistics, and two proposals to make that cheaper.
 *
 * Follows newidle_balance(), update_sg_lb_stats() and update_nohz_stats() of kernel/sched/fair.c,
 * Linux v5.4 (to v5.12). "ratelimit" is the patch of January 2021 in the thread "sched/fair: Rate
 * limit calls to update_blocked_averages() for NOHZ" (not merged); "early-abort" is what the reply
 * to it proposed, in words. Where a search is not worth it and blocked load has not been seen to for 32 ms
 * the CPU makes a round over all idle CPUs at once, interrupts off, as nohz_newidle_balance() did.
 * Simplified: if that is given up the next busy tick asks an idle CPU, instead of this CPU at once.
 */
#include "engine/policy/newidle_pass.h"
#include "engine/policy/policy.h"

static bool v5_4_updates(const struct sim *s, cpu_id cpu, cpu_id b, bool *left)
{
	(void)cpu;
	return nohz_stats_due(s, b, 0, left);
}

static u32 v5_4_idle(struct sim *s, cpu_id cpu, bool begun)
{
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;

	/* Only where the search was not begun: else the pass has done it. */
	return !begun && nohz->inline_round ? nohz->inline_round(s, cpu) : 0;
}

static bool ratelimit_updates(const struct sim *s, cpu_id cpu, cpu_id b, bool *left)
{
	u64 ms = (u64)sim_policy_param(s, SLOT_NEWIDLE, 0);

	(void)cpu;
	return nohz_stats_due(s, b, ms * s->g->tun.hz / 1000, left);
}

/*
 * A task was queued here, the one that leaves was woken, or a timer waits for interrupts to open:
 * somebody wants this CPU.
 */
static bool wakeup_pending(const struct sim *s, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];

	return rq->nr_running || (rq->irq_pending & IRQ_TIMER) ||
	       (rq->curr != NONE && (s->tasks[rq->curr].flags & PF_WAKE_LATER));
}

static const struct newidle_ops v5_4_ops = {
	.wants = newidle_worth_it,
	.updates = v5_4_updates,
	.idle = v5_4_idle,
};

static const struct newidle_ops ratelimit_ops = {
	.wants = newidle_worth_it,
	.updates = ratelimit_updates,
	.idle = v5_4_idle,
};

static const struct newidle_ops early_abort_ops = {
	.wants = newidle_worth_it,
	.updates = v5_4_updates,
	.gives_up = wakeup_pending,
	.idle = v5_4_idle,
};

static const struct policy_param ratelimit_params[] = {
	{ "ratelimit_ms", 0, 100000, 50, "ms",
	  "a CPU's blocked load is brought up to date only if the last time is longer ago; "
	  "compared in jiffies, rounded down" },
	{ .name = NULL },
};

const struct sched_policy newidle_v5_4 = {
	.name = "v5.4",
	.summary =
		"walks the blocked load of idle CPUs inside the balance, each at most once a tick",
	.doc = "newidle_balance() of v5.4 to v5.12: a CPU out of work, if some CPU is overloaded and it "
	       "tends to be idle for 0.5 ms, goes through the CPUs of its domains, nearest first, and "
	       "takes one task. While there is blocked load on CPUs with a stopped tick, each such "
	       "CPU it comes to has its averages brought up to date first, unless that was done in "
	       "the same tick. All with interrupts off, and nothing in it looks whether a task wakes. "
	       "Where the search is not worth it, a round over all idle CPUs is made in its place, "
	       "every 32 ms at most, and given up when the CPU is to reschedule.",
	.slot = SLOT_NEWIDLE,
	.ops = &v5_4_ops,
};

const struct sched_policy newidle_ratelimit = {
	.name = "ratelimit",
	.summary = "as v5.4, but each CPU's blocked load is walked only after ratelimit_ms",
	.doc = "The patch of January 2021: the once-a-tick test of update_nohz_stats() becomes once in "
	       "HZ/20 jiffies (50 ms), for newly idle passes only. It was not merged: it makes the "
	       "long pass rarer, not shorter.",
	.slot = SLOT_NEWIDLE,
	.params = ratelimit_params,
	.ops = &ratelimit_ops,
};

const struct sched_policy newidle_early_abort = {
	.name = "early-abort",
	.summary = "as v5.4, but looks for a wake-up between two CPUs, and stops",
	.doc = "Proposed in the reply to the patch of January 2021: after each CPU it visits the pass "
	       "looks whether a task was queued here, whether the one that leaves was woken, or "
	       "whether a timer is waiting for interrupts to open; then it gives up.",
	.slot = SLOT_NEWIDLE,
	.ops = &early_abort_ops,
};
