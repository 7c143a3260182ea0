/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance_linux.c - when and for whom to balance: the pass over one domain, the periodic round.
 *
 * Follows sched_balance_rq() and sched_balance_domains() of kernel/sched/fair.c, Linux v6.12
 * (load_balance(), rebalance_domains() in v6.1). Simplified: the statistics of a domain are read at
 * the end of the time that reading them takes; what moving tasks costs is paid right after.
 */
#include <string.h>

#include "engine/hw/machine.h"
#include "engine/observe/emit.h"
#include "engine/policy/balance.h"
#include "engine/policy/policy.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/costs.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/pass.h"

#define MAX_PINNED_INTERVAL 512u /* ms */
#define MASK_WORDS_MAX MACHINE_WORDS(MACHINE_MAX_CPUS)

/* Is this CPU the one of its group that balances for it? */
static bool should_we_balance(const struct lb_env *env)
{
	const struct sim *s = env->s;
	u32 own = s->domains[env->sd].groups, words = s->g->mask_words;
	bool above_smt = !(s->domains[env->sd].flags & SD_SHARE_CPUCAPACITY);
	u64 left[MASK_WORDS_MAX];
	cpu_id thread = NONE;

	/* A newly idle CPU was asked before it began to read the statistics: newidle_pass.c. */
	if (env->idle == CPU_NEWLY_IDLE)
		return true;
	cpumask_and(left, sg_balance_mask(s, own), env->cpus, words);
	for_each_cpu_mask(i, left, words)
	{
		if (!idle_cpu(s, i))
			continue;
		if (above_smt && sched_feat(s, LB_CORES) && !is_core_idle(s, i)) {
			thread = thread == NONE ? i : thread;
			cpumask_andnot(left, left, mask_get(s, s->topo[i].smt_mask), words);
			continue;
		}
		return i == env->dst;
	}
	return thread == env->dst || group_balance_cpu(s, own) == env->dst;
}

/* Wake the source's stopper: it preempts what runs there and sends a task away. */
static bool start_active_balance(struct lb_env *env)
{
	struct sim *s = env->s;
	struct rq *src = &s->rqs[env->src];

	if (src->curr == NONE || src->active_balance ||
	    !mask_has_cpu(s, s->tasks[src->curr].cpus, env->dst))
		return false;
	src->active_balance = 1;
	src->push_cpu = env->dst;
	resched_curr(s, src);
	s->stats->active_balance++;
	return true;
}

/* balanced, or nothing could be moved: look less often */
static void stretch_interval(struct lb_env *env)
{
	struct sched_domain *d = &env->s->domains[env->sd];

	if (env->idle == CPU_NEWLY_IDLE)
		return;
	if (env->kind == MIGRATE_MISFIT && !lb_form(env->s)->misfit_counts)
		return;
	if ((env->all_pinned && d->balance_interval < MAX_PINNED_INTERVAL) ||
	    d->balance_interval < d->max_interval)
		d->balance_interval *= 2;
}

/* Take from @sg's busiest CPU, from the next one if all its tasks are pinned. */
static u32 pull_from_group(struct lb_env *env, u32 sg)
{
	struct sim *s = env->s;
	u32 moved = 0;

	for (;;) {
		env->src = find_src_rq(env, sg);
		if (env->src == NONE || env->src == env->dst)
			return 0;

		struct rq *src = &s->rqs[env->src];

		env->all_pinned = env->some_pinned = env->dst_pinned = false;
		if (src->nr_running <= 1)
			return 0;
		env->all_pinned = true;
		env->loop_max = src->nr_running < s->g->tun.nr_migrate ? src->nr_running
								       : (u32)s->g->tun.nr_migrate;
		update_rq_clock(s, src);
		update_rq_clock(s, &s->rqs[env->dst]);
		moved += balance_detach(env);
		if (env->dst_pinned && env->imbalance > 0) {
			cpumask_clear(env->cpus, env->dst);
			env->dst = env->new_dst;
			env->dst_pinned = false;
			update_rq_clock(s, &s->rqs[env->dst]);
			moved += balance_detach(env);
		}
		if (!env->all_pinned || moved)
			return moved;
		cpumask_clear(env->cpus, env->src);
	}
}

u32 sched_balance_rq(struct sim *s, cpu_id cpu, u32 sd, enum cpu_idle_type idle, bool *go_on)
{
	u64 cpus[MASK_WORDS_MAX];
	struct lb_env env = { .s = s,
			      .sd = sd,
			      .dst = cpu,
			      .src = NONE,
			      .idle = idle,
			      .cpus = cpus,
			      .new_dst = NONE,
			      .reason = idle == CPU_NEWLY_IDLE ? 2 : 1 };
	struct sched_domain *d = &s->domains[sd];
	bool active = false;
	u32 moved, sg;

	s->stats->balance_calls[idle]++;
	cpumask_and(cpus, sd_span(s, sd), mask_get(s, s->g->online), s->g->mask_words);
	if (!should_we_balance(&env)) {
		*go_on = false;
		return 0;
	}
	sg = find_src_group(&env);
	if (sg == NONE) {
		if (d->parent != NONE)
			s->sgcs[s->sgroups[s->domains[d->parent].groups].sgc].imbalance = 0;
		d->nr_balance_failed = 0;
		stretch_interval(&env);
		return 0;
	}

	s64 amount = env.imbalance;

	moved = pull_from_group(&env, sg);
	if (env.src == NONE || env.src == env.dst) {
		d->nr_balance_failed = 0;
		stretch_interval(&env);
		return 0;
	}
	if (env.some_pinned && env.imbalance > 0 && d->parent != NONE)
		s->sgcs[s->sgroups[s->domains[d->parent].groups].sgc].imbalance = 1;
	trace(s, TR_load_balance, cpu, NONE, trace_pair(env.src, moved),
	      trace_pair((u32)amount, env.src_type));
	if (moved) {
		d->nr_balance_failed = 0;
	} else if (env.all_pinned) {
		d->nr_balance_failed = 0;
		stretch_interval(&env);
		return 0;
	} else {
		if (idle != CPU_NEWLY_IDLE &&
		    (env.kind != MIGRATE_MISFIT || lb_form(s)->misfit_counts)) {
			d->nr_balance_failed++;
			s->stats->balance_failed++;
		}
		if (need_active_balance(&env)) {
			active = start_active_balance(&env);
			s->stats->misfit += active && moves_misfit(&env);
			if (active && lb_form(s)->active_any)
				d->nr_balance_failed = d->cache_nice_tries + 1;
		}
	}
	if (idle == CPU_NEWLY_IDLE)
		return moved;
	if (lb_form(s)->active_any) {
		if (!active || voluntary_active_balance(&env))
			d->balance_interval = d->min_interval;
		else if (d->balance_interval < d->max_interval)
			d->balance_interval *= 2;
	} else if (!active) {
		d->balance_interval = d->min_interval;
	}
	return moved;
}

u64 domain_interval(const struct sim *s, const struct sched_domain *d, bool busy)
{
	u64 ms = d->balance_interval * (u64)(busy ? d->busy_factor : 1);
	u64 jiffies = (ms * s->g->tun.hz + 999) / 1000;

	/* One less while busy, so that levels of a busy CPU do not fall on the same jiffy. */
	if (busy && lb_form(s)->sched_idle_is_idle)
		jiffies--;
	return max_u64(1, min_u64(jiffies, max_load_balance_interval(s)));
}

bool update_newidle_cost(const struct sim *s, struct sched_domain *d, u64 cost, u32 success)
{
	u64 now = sim_jiffies(s);

	if (cost || success) {
		d->newidle_call++;
		d->newidle_success += success;
		if (d->newidle_call >= 1024) {
			d->newidle_ratio = d->newidle_success;
			d->newidle_call /= 2;
			d->newidle_success /= 2;
		}
	}
	if (cost > d->max_newidle_lb_cost) {
		d->max_newidle_lb_cost = cost;
		d->last_decay_max_lb_cost = now;
	} else if (now > d->last_decay_max_lb_cost + s->g->tun.hz) {
		d->max_newidle_lb_cost = d->max_newidle_lb_cost * 253 / 256;
		d->last_decay_max_lb_cost = now;
		return true;
	}
	return false;
}

/* Statistics of all CPUs of the domain, their cache lines included, then the decision. */
static u64 cost_of_pass(const struct sim *s, const struct sched_domain *d, cpu_id by)
{
	if (!s->g->tun.costs)
		return 0;
	return cost_ns(s, COST_balance) + cost_of_visits(s, by, d->span, COST_balance_cpu);
}

static bool round_busy(const struct sim *s, const struct kpass *p)
{
	return p->lb_idle == CPU_NOT_IDLE &&
	       !(lb_form(s)->sched_idle_is_idle && sched_idle_cpu(s, p->lb_cpu));
}

void lb_round_begin(struct sim *s, struct kpass *p, cpu_id cpu, enum cpu_idle_type idle)
{
	p->lb_cpu = cpu;
	p->lb_idle = idle;
	p->lb_next = sim_jiffies(s) + 60 * s->g->tun.hz;
	p->lb_cost = 0;
	p->go_on = true;
	p->decayed = false;
	p->sd = NONE;
}

bool lb_round_next(struct sim *s, struct kpass *p, cpu_id by, u64 *ns)
{
	struct rq *rq = &s->rqs[p->lb_cpu];
	bool busy = round_busy(s, p);
	u64 now = sim_jiffies(s);
	u32 id = p->sd == NONE ? s->cpu_sd[p->lb_cpu].sd : s->domains[p->sd].parent;

	for (; id != NONE; id = s->domains[id].parent) {
		struct sched_domain *d = &s->domains[id];
		bool decay = update_newidle_cost(s, d, 0, 0);
		u64 interval;

		p->decayed |= decay;
		p->lb_cost += d->max_newidle_lb_cost;
		if (!p->go_on) {
			if (decay)
				continue;
			break;
		}
		interval = domain_interval(s, d, busy);
		if (now >= d->last_balance + interval) {
			p->sd = id;
			pass_step_is(p, KF_load_balance, p->lb_cpu);
			*ns = cost_of_pass(s, d, by);
			return true;
		}
		p->lb_next = min_u64(p->lb_next, d->last_balance + interval);
	}
	if (p->decayed)
		rq->max_idle_balance_cost = max_u64(s->g->tun.migration_cost, p->lb_cost);
	rq->next_balance = p->lb_next;
	/* Until v5.10 an idle CPU's own round tells others when to come again. */
	if (lb_form(s)->nohz_told && p->lb_idle == CPU_IS_IDLE && by == p->lb_cpu) {
		struct nohz_record *n = &s->nohz[rq->nohz_for];

		n->next_balance = min_u64(n->next_balance, p->lb_next);
	}
	return false;
}

void lb_round_pass(struct sim *s, struct kpass *p)
{
	struct sched_domain *d = &s->domains[p->sd];
	bool go_on = true;
	u32 moved = sched_balance_rq(s, p->lb_cpu, p->sd, (enum cpu_idle_type)p->lb_idle, &go_on);

	p->go_on = go_on;
	s->stats->balance_pulled += moved;
	if (moved)
		p->lb_idle = idle_cpu(s, p->lb_cpu) ? CPU_IS_IDLE : CPU_NOT_IDLE;
	d->last_balance = sim_jiffies(s);
	p->lb_next = min_u64(p->lb_next, d->last_balance + domain_interval(s, d, round_busy(s, p)));
}

/* A CPU's own softirq: its blocked load, then its domains. */
enum { BALANCE_START, BALANCE_BLOCKED, BALANCE_DOMAIN };

bool balance_step(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns)
{
	switch (p->stage) {
	case BALANCE_START:
		p->stage = BALANCE_BLOCKED;
		pass_step_is(p, KF_update_blocked_averages, rq->cpu);
		*ns = cost_of_blocked(s, rq->cpu, rq->cpu);
		return true;
	case BALANCE_BLOCKED:
		update_blocked_averages(s, rq->cpu);
		lb_round_begin(s, p, rq->cpu, rq->idle_balance ? CPU_IS_IDLE : CPU_NOT_IDLE);
		p->stage = BALANCE_DOMAIN;
		break;
	case BALANCE_DOMAIN:
		lb_round_pass(s, p);
		break;
	}
	return lb_round_next(s, p, rq->cpu, ns);
}

static const struct balance_ops no_balance = { .tick = NULL };

/* The tick of a CPU: sched_balance_trigger() and the softirq it raises. */
static void linux_tick(struct sim *s, cpu_id cpu)
{
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;
	struct rq *rq = &s->rqs[cpu];
	bool due = sim_jiffies(s) >= rq->next_balance;

	rq->idle_balance = idle_cpu(s, cpu);
	nohz->kick(s, cpu);
	if (due)
		softirq_raise(s, rq, SOFTIRQ_BALANCE);
}

static const struct balance_ops linux_balance = { .tick = linux_tick, .stop = balance_stop };

const struct sched_policy balance_none = {
	.name = "none",
	.summary = "no periodic balancing",
	.doc = "Tasks move at wake-up and when a CPU runs out of work, never at a tick.",
	.slot = SLOT_BALANCE,
	.ops = &no_balance,
};

const struct sched_policy balance_linux = {
	.name = "linux",
	.summary = "the kernel's periodic balancing over sched domains",
	.doc = "sched_balance_domains(): each CPU looks at its domains when they are due, finds the "
	       "busiest group by class (overloaded, misfit, spare, ...), the busiest CPU in it, and "
	       "takes what evens out load, utilisation or tasks; a running task is pushed away when "
	       "nothing else helps.",
	.slot = SLOT_BALANCE,
	.ops = &linux_balance,
};
