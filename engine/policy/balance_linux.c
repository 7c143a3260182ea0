/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance_linux.c - when and for whom to balance: one pass, the periodic round, the newly idle CPU.
 *
 * Follows sched_balance_rq(), sched_balance_domains() and sched_balance_newidle() of
 * kernel/sched/fair.c, Linux v6.12 (load_balance(), rebalance_domains(), newidle_balance() in v6.1).
 * Simplified: a pass takes no simulated time, so its measured cost is 0; the softirq runs in the
 * tick's own event; the stopper thread of active balancing is the source's next schedule().
 */
#include <string.h>

#include "engine/base/rng.h"
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

	if (env->idle == CPU_NEWLY_IDLE)
		return !s->rqs[env->dst].nr_running && !s->rqs[env->dst].ttwu_pending;
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

/* Ask the source to send its running task away at its next schedule(): the stopper's work. */
static bool start_active_balance(struct lb_env *env)
{
	struct sim *s = env->s;
	struct rq *src = &s->rqs[env->src];

	if (src->curr == NONE || src->active_balance ||
	    !mask_has_cpu(s, s->tasks[src->curr].cpus, env->dst))
		return false;
	src->active_balance = 1;
	src->push_cpu = env->dst;
	task_push(s, src->curr, env->dst);
	s->stats->active_balance++;
	return true;
}

/* balanced, or nothing could be moved: look less often */
static void stretch_interval(struct lb_env *env)
{
	struct sched_domain *d = &env->s->domains[env->sd];

	if (env->idle == CPU_NEWLY_IDLE)
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
		if (idle != CPU_NEWLY_IDLE && env.kind != MIGRATE_MISFIT) {
			d->nr_balance_failed++;
			s->stats->balance_failed++;
		}
		if (need_active_balance(&env)) {
			active = start_active_balance(&env);
			s->stats->misfit += active && env.kind == MIGRATE_MISFIT;
		}
	}
	if (!active && idle != CPU_NEWLY_IDLE)
		d->balance_interval = d->min_interval;
	return moved;
}

/* get_sd_balance_interval(): jiffies until the domain is due again. */
static u64 domain_interval(const struct sim *s, const struct sched_domain *d, bool busy)
{
	u64 ms = d->balance_interval * (u64)(busy ? d->busy_factor : 1);
	u64 jiffies = (ms * s->g->tun.hz + 999) / 1000;

	/* One less while busy, so that levels of a busy CPU do not fall on the same jiffy. */
	if (busy)
		jiffies--;
	return max_u64(1, min_u64(jiffies, max_load_balance_interval(s)));
}

/* update_newidle_cost() */
static bool update_newidle_cost(const struct sim *s, struct sched_domain *d, u64 cost, u32 success)
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

u32 sched_balance_domains(struct sim *s, cpu_id cpu, cpu_id by, enum cpu_idle_type idle)
{
	enum cost_path path = by == cpu ? PATH_BALANCE : PATH_ILB;
	u32 passes = 0;
	struct rq *rq = &s->rqs[cpu];
	bool busy = idle == CPU_NOT_IDLE && !sched_idle_cpu(s, cpu), go_on = true, decayed = false;
	u64 now = sim_jiffies(s), next = now + 60 * s->g->tun.hz, cost = 0;

	for_each_domain(s, cpu, id)
	{
		struct sched_domain *d = &s->domains[id];
		bool decay = update_newidle_cost(s, d, 0, 0);

		decayed |= decay;
		cost += d->max_newidle_lb_cost;
		if (!go_on) {
			if (decay)
				continue;
			break;
		}

		u64 interval = domain_interval(s, d, busy);

		if (now >= d->last_balance + interval) {
			u32 moved = sched_balance_rq(s, cpu, id, idle, &go_on);

			passes++;
			cost_owe(s, &s->rqs[by], path,
				 cost_ns(s, COST_balance) +
					 s->masks[d->span].weight * cost_ns(s, COST_balance_cpu));

			s->stats->balance_pulled += moved;
			if (moved) {
				idle = idle_cpu(s, cpu) ? CPU_IS_IDLE : CPU_NOT_IDLE;
				busy = idle == CPU_NOT_IDLE && !sched_idle_cpu(s, cpu);
			}
			d->last_balance = now;
			interval = domain_interval(s, d, busy);
		}
		next = min_u64(next, d->last_balance + interval);
	}
	if (decayed)
		rq->max_idle_balance_cost = max_u64(s->g->tun.migration_cost, cost);
	rq->next_balance = next;
	return passes;
}

/* The tick of a CPU: sched_balance_trigger() and the softirq it raises. */
static void linux_tick(struct sim *s, cpu_id cpu, bool idle)
{
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;
	struct rq *rq = &s->rqs[cpu];
	bool due = sim_jiffies(s) >= rq->next_balance;
	cpu_id ilb = NONE;

	rq->idle_balance = idle_cpu(s, cpu);
	if (nohz->kick)
		ilb = nohz->kick(s, cpu);
	if (due) {
		cost_owe(s, rq, PATH_BALANCE, cost_of_blocked(s, update_blocked_averages(s, cpu)));
		sched_balance_domains(s, cpu, cpu, idle ? CPU_IS_IDLE : CPU_NOT_IDLE);
	}
	if (ilb != NONE && nohz->run)
		nohz->run(s, ilb);
}

static void pull_next_balance(struct sim *s, u32 sd, bool busy, u64 *next)
{
	const struct sched_domain *d = &s->domains[sd];

	*next = min_u64(*next, d->last_balance + domain_interval(s, d, busy));
}

/* Is a newly-idle pass begun at all? Nobody has work to give, or the CPU is idle too shortly. */
static bool linux_newidle_wants(const struct sim *s, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];
	u32 sd = s->cpu_sd[cpu].sd;

	return !rq->ttwu_pending && sd != NONE && s->g->overloaded &&
	       rq->avg_idle >= s->domains[sd].max_newidle_lb_cost;
}

/* What a pass over domain @d costs at full speed: its CPUs' statistics. */
static u64 pass_cost(const struct sim *s, const struct sched_domain *d)
{
	return s->masks[d->span].weight * cost_ns(s, COST_newidle_cpu);
}

static u32 linux_newidle(struct sim *s, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;
	u64 next = sim_jiffies(s) + s->g->tun.hz, key = 0;
	u32 sd = s->cpu_sd[cpu].sd, pulled = 0;
	u64 spent = 0; /* ns, as it took this CPU */
	bool go_on = true;

	rq->misfit_task_load = 0;
	if (rq->ttwu_pending || sd == NONE)
		return 0;
	if (!linux_newidle_wants(s, cpu)) {
		pull_next_balance(s, sd, false, &next);
		goto out;
	}
	update_blocked_averages(s, cpu);
	s->stats->newidle_count++;
	if (sched_feat(s, NI_RANDOM))
		key = rng_child_key(rng_root_key(s->g->seed), (1ull << 40) | cpu);
	for_each_domain(s, cpu, id)
	{
		struct sched_domain *d = &s->domains[id];
		u32 weight = 1;

		pull_next_balance(s, id, false, &next);
		if (rq->avg_idle < spent + d->max_newidle_lb_cost)
			break;
		if (!(d->flags & SD_BALANCE_NEWIDLE))
			continue;
		if (sched_feat(s, NI_RANDOM)) {
			/* Rarely of use lately: rarely tried, and then a success counts the more. */
			weight = 1 + d->newidle_ratio;
			if (rng_uniform(key, &rq->rng_draws, 1024) > weight) {
				update_newidle_cost(s, d, 1, 0);
				continue;
			}
			weight = (1024 + weight / 2) / weight;
		}
		/* The lowest domain was paid for before the pass began: cost_of_newidle(). */
		if (id != sd)
			cost_owe(s, rq, PATH_NEWIDLE, pass_cost(s, d));

		u64 ns = (pass_cost(s, d) << 20) / rq->speed;

		pulled = sched_balance_rq(s, cpu, id, CPU_NEWLY_IDLE, &go_on);
		update_newidle_cost(s, &s->domains[id], max_u64(1, ns), pulled ? weight : 0);
		spent += ns;
		if (pulled || !go_on)
			break;
	}
	if (spent > rq->max_idle_balance_cost)
		rq->max_idle_balance_cost = spent;
	s->stats->newidle_pulled += pulled;
	trace(s, TR_newidle_balance, cpu, NONE, trace_pair(pulled, 0),
	      trace_pair((u32)min_u64(rq->avg_idle, ~0u), (u32)min_u64(spent, ~0u)));
out:
	rq->next_balance = min_u64(rq->next_balance, next);
	if (!pulled && nohz->newidle)
		nohz->newidle(s, cpu);
	return pulled;
}

static const struct balance_ops linux_balance = { .tick = linux_tick };
static const struct newidle_ops linux_newidle_ops = { .newidle = linux_newidle,
						      .wants = linux_newidle_wants };

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

const struct sched_policy newidle_linux = {
	.name = "v5.13",
	.summary =
		"a CPU out of work pulls one task, nearest domain first, if any CPU has a spare one",
	.doc = "sched_balance_newidle(): only while some CPU is overloaded and the CPU tends to be "
	       "idle for long enough; at most one task; with NI_RANDOM the less often the less it "
	       "succeeded. Other CPUs' blocked load is left to the idle loop.",
	.slot = SLOT_NEWIDLE,
	.ops = &linux_newidle_ops,
};
