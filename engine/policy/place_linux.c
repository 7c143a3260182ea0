/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_linux.c - policy `linux`: select_task_rq_fair(), and wake_affine() between waker and wakee.
 *
 * Follows kernel/sched/fair.c of Linux v6.12; what v5.4 to v6.6 did otherwise hangs on place_form() of
 * sched/release.h. The search for an idle CPU is in place_idle.c, fork and exec in place_slow.c and
 * place_slow_v5_4.c, energy in place_eas.c and place_eas_v5.c.
 * `linux-noeas` is the same without energy-aware placement. Simplified: the wake-up for the current
 * CPU (WF_CURRENT_CPU, seccomp) does not occur.
 */
#include "engine/policy/place_linux.h"

#include "engine/observe/emit.h"
#include "engine/policy/policy.h"
#include "engine/sched/capacity.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/place.h"
#include "engine/sched/queued_load.h"
#include "engine/sched/release.h"
#include "engine/sched/util_est.h"

const struct place_rule_desc place_rule_descs[NR_PLACE_RULES] = {
#define PLACE_RULE(id, why) { #id, why },
#include "engine/policy/place_rules.def"
#undef PLACE_RULE
};

/* The waker remembers how often it wakes another task than the last time. */
static void record_wakee(struct sim *s, task_id waker, cpu_id this_cpu, task_id p)
{
	struct cpu_sd *idle = &s->cpu_sd[this_cpu];
	struct task *t = waker == NONE ? NULL : &s->tasks[waker];
	u32 *flips = t ? &t->wakee_flips : &idle->idle_wakee_flips;
	u32 *last = t ? &t->last_wakee : &idle->idle_last_wakee;
	u64 *decay = t ? &t->wakee_flip_decay_ts : &idle->idle_flip_decay_ts;
	u64 now = sim_jiffies(s);

	if (now > *decay + s->g->tun.hz) {
		*flips >>= 1;
		*decay = now;
	}
	if (*last != p) {
		*last = p;
		(*flips)++;
	}
}

/* Does a master with many slaves wake one, so that pulling them together would hurt? */
static bool wake_wide(const struct sim *s, task_id waker, cpu_id this_cpu, task_id p)
{
	u32 a = waker == NONE ? s->cpu_sd[this_cpu].idle_wakee_flips : s->tasks[waker].wakee_flips;
	u32 b = s->tasks[p].wakee_flips, factor = s->cpu_sd[this_cpu].llc_size;
	u32 master = a > b ? a : b, slave = a > b ? b : a;

	return slave >= factor && master >= (u64)slave * factor;
}

/*
 * Until v5.9: on a machine with unequal CPUs, would the task not fit the smaller of the two? Then
 * neither waker nor previous CPU is a good place to start from.
 */
static bool wake_cap(struct sim *s, task_id p, cpu_id this_cpu, cpu_id prev)
{
	u64 low = s->rqs[prev].cpu_capacity_orig, high = 0;

	if (!place_form(s)->wake_cap || !s->g->asym_capacity)
		return false;
	low = min_u64(low, s->rqs[this_cpu].cpu_capacity_orig);
	for_each_cpu_mask(c, mask_get(s, s->g->online), s->g->mask_words)
		high = max_u64(high, s->rqs[c].cpu_capacity_orig);
	if (high - low < high >> 3)
		return false;
	sync_entity_load_avg(s, p);
	return !fits_capacity(task_util_est(s, p), low);
}

static cpu_id wake_affine_idle(const struct sim *s, cpu_id this_cpu, cpu_id prev, bool sync)
{
	const struct cfs_rq *root = root_cfs(s, this_cpu);
	const struct rq *rq = &s->rqs[this_cpu];

	/* An idle waker CPU: an interrupt woke it. Stay where the cache is warm if that is idle too. */
	if (idle_cpu(s, this_cpu) && cpus_share_cache(s, this_cpu, prev))
		return idle_cpu(s, prev) ? prev : this_cpu;
	if (sync && rq->nr_running - (root->h_nr_queued - root->h_nr_runnable) == 1)
		return this_cpu;
	return place_form(s)->wa_prev_idle && idle_cpu(s, prev) ? prev : NONE;
}

static s64 load_on(const struct sim *s, cpu_id cpu)
{
	return (s64)(place_form(s)->queued_load ? cpu_queued_load(s, cpu)
						: root_cfs(s, cpu)->avg.load_avg);
}

static cpu_id wake_affine_weight(struct sim *s, u32 sd, task_id p, task_id waker, cpu_id this_cpu,
				 cpu_id prev, bool sync)
{
	s64 here = load_on(s, this_cpu);

	if (sync) {
		s64 own = waker == NONE ? 0 : (s64)task_h_load(s, waker);

		if (own > here)
			return this_cpu;
		here -= own;
	}

	bool bias = sched_feat(s, WA_BIAS);
	s64 load = (s64)task_h_load(s, p);
	s64 there = load_on(s, prev) - load;
	s64 margin = 100 + ((s64)s->domains[sd].imbalance_pct - 100) / 2;

	here = (here + load) * (bias ? 100 : 1) * (s64)capacity_of(s, prev);
	there = there * (bias ? margin : 1) * (s64)capacity_of(s, this_cpu);
	return here < there + (sync ? 1 : 0) ? this_cpu : NONE;
}

static cpu_id wake_affine(struct sim *s, u32 sd, task_id p, task_id waker, cpu_id this_cpu,
			  cpu_id prev, bool sync)
{
	cpu_id target = NONE;

	if (sched_feat(s, WA_IDLE))
		target = wake_affine_idle(s, this_cpu, prev, sync);
	if (target == NONE && sched_feat(s, WA_WEIGHT))
		target = wake_affine_weight(s, sd, p, waker, this_cpu, prev, sync);
	return target == this_cpu ? this_cpu : prev;
}

static struct choice choose(struct sim *s, task_id p, cpu_id prev, cpu_id this_cpu, u32 flags,
			    bool eas)
{
	const struct task *t = &s->tasks[p];
	task_id waker = s->rqs[this_cpu].curr;
	bool sync = (flags & WF_SYNC) && waker != NONE && s->tasks[waker].state != TASK_DEAD;
	bool wake = flags & WF_TTWU, affine = false;
	u32 sd_flag = flags & WF_FORK	? SD_BALANCE_FORK
		      : flags & WF_EXEC ? SD_BALANCE_EXEC
		      : wake		? SD_BALANCE_WAKE
					: 0;
	cpu_id target = prev;
	u32 slow = NONE;

	if (wake) {
		record_wakee(s, waker, this_cpu, p);
		if (eas && !s->g->overutilized && eas_active(s)) {
			struct choice c = find_energy_efficient_cpu(s, p, prev, this_cpu);

			if (c.cpu != NONE)
				return c;
		}
		affine = !wake_wide(s, waker, this_cpu, p) && !wake_cap(s, p, this_cpu, prev) &&
			 mask_has_cpu(s, t->cpus, this_cpu);
	}
	for_each_domain(s, this_cpu, sd)
	{
		if (affine && (s->domains[sd].flags & SD_WAKE_AFFINE) &&
		    cpumask_test(sd_span(s, sd), prev)) {
			if (this_cpu != prev)
				target = wake_affine(s, sd, p, waker, this_cpu, prev, sync);
			slow = NONE;
			break;
		}
		if (sd_balances(s, sd, sd_flag))
			slow = sd;
		else if (!affine)
			break;
	}
	struct choice c = { prev, RULE_stay };

	if (slow != NONE) {
		c = find_idlest_cpu(s, slow, p, this_cpu, prev, sd_flag);
		if (wake && c.rule != RULE_stay)
			c.rule = c.rule == RULE_slow_path ? RULE_slow_wake : RULE_slow_wake_stay;
		return c;
	}
	if (!wake)
		return c;
	c = select_idle_sibling(s, p, prev, target, this_cpu);

	if (affine && place_form(s)->waker_recent && waker != NONE)
		s->tasks[waker].recent_used_cpu = this_cpu;
	return c;
}

/* Busy CPU @cpu is the answer: was an idle one of its cache, which @p may use, passed over? */
static bool passed_over(const struct sim *s, task_id p, cpu_id cpu)
{
	u32 llc = s->cpu_sd[cpu].llc;

	if (llc == NONE || idle_cpu(s, cpu))
		return false;
	for_each_cpu_mask_and(i, sd_span(s, llc), mask_get(s, s->tasks[p].cpus), s->g->mask_words)
	{
		if (idle_cpu(s, i))
			return true;
	}
	return false;
}

static cpu_id decide(struct sim *s, task_id p, cpu_id prev, cpu_id this_cpu, u32 flags, bool eas)
{
	struct choice c = choose(s, p, prev, this_cpu, flags, eas);

	s->stats->scan_cut += c.rule == RULE_scan_cut;
	/* A whole cache is looked at for this figure: only for the releases that it is about. */
	if (!sched_feat(s, SIS_UTIL) &&
	    (c.rule == RULE_scan_cut || c.rule == RULE_slow_wake || c.rule == RULE_slow_wake_stay))
		s->stats->stacked += passed_over(s, p, c.cpu);

	if (trace_on(s, TR_select_cpu))
		trace(s, TR_select_cpu, this_cpu, p, trace_pair(c.cpu, prev),
		      trace_pair(c.rule, (u32)task_util_est(s, p)));
	return c.cpu;
}

static cpu_id linux_select(struct sim *s, const void *priv, task_id p, cpu_id prev, cpu_id this_cpu,
			   u32 flags)
{
	(void)priv;
	return decide(s, p, prev, this_cpu, flags, true);
}

static cpu_id noeas_select(struct sim *s, const void *priv, task_id p, cpu_id prev, cpu_id this_cpu,
			   u32 flags)
{
	(void)priv;
	return decide(s, p, prev, this_cpu, flags, false);
}

static const struct place_ops linux_ops = { .select_task_rq = linux_select };
static const struct place_ops noeas_ops = { .select_task_rq = noeas_select };

const struct sched_policy place_linux = {
	.name = "linux",
	.summary =
		"the kernel's: waker or previous CPU, then an idle one near; energy where it can",
	.doc = "select_task_rq_fair(). A waking task goes to its previous CPU or the waker's "
	       "(wake_affine), and from there to an idle CPU of the same cache "
	       "(select_idle_sibling); on machines with an energy model, while nothing is "
	       "overutilised, to the CPU where it costs least energy. New tasks go to the idlest "
	       "CPU of the idlest group of every domain.",
	.slot = SLOT_PLACE,
	.ops = &linux_ops,
};

const struct sched_policy place_linux_noeas = {
	.name = "linux-noeas",
	.summary = "the kernel's placement without energy-aware scheduling",
	.doc = "Like linux, with /proc/sys/kernel/sched_energy_aware at 0: on asymmetric machines "
	       "the first idle CPU that is big enough.",
	.slot = SLOT_PLACE,
	.ops = &noeas_ops,
};
