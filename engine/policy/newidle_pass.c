/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newidle_pass.c - a CPU that ran out of fair tasks looks for some: the pass of every newly idle
 * policy, step by step (sched/pass.h).
 *
 * Follows newidle_balance() of kernel/sched/fair.c, Linux v5.4 to v6.1, and sched_balance_newidle()
 * of v6.12. It begins with the own blocked load; then, domain by domain, the CPUs of the domain are
 * visited and the busiest is asked for a task. A policy that brings the blocked load of visited CPUs
 * up to date gets a step for each of those. Interrupts are off from begin to end. Simplified: the
 * statistics of a domain are read at the end of the last visit to it, not one by one; moving a task
 * is paid after it has moved.
 */
#include "engine/policy/newidle_pass.h"

#include "engine/base/cpumask.h"
#include "engine/base/rng.h"
#include "engine/observe/emit.h"
#include "engine/policy/balance.h"
#include "engine/policy/policy.h"
#include "engine/sched/clock.h"
#include "engine/sched/costs.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/pass.h"

enum { NI_START, NI_OWN, NI_VISIT, NI_DOMAIN };

/* flags of the pass */
#define NI_WALK 1u /* blocked load of the CPUs visited is looked at */
#define NI_UPDATE 2u /* the step being paid updates that of p->cpu */
#define NI_LEFT 4u /* some is left somewhere */
#define NI_ABORTED 8u

/* data[] of the pass */
#define NI_NEXT 0 /* next_balance so far, jiffies */
#define NI_WEIGHT 1 /* how much a success counts */
#define NI_PULLED 2

bool newidle_worth_it(const struct sim *s, cpu_id cpu)
{
	u32 sd = s->cpu_sd[cpu].sd;

	if (sd == NONE || !s->g->overloaded)
		return false;
	return s->rqs[cpu].avg_idle >= (sched_feat(s, NEWIDLE_MEASURED)
						? s->domains[sd].max_newidle_lb_cost
						: s->g->tun.migration_cost);
}

bool nohz_stats_due(const struct sim *s, cpu_id cpu, u64 jiffies, bool *left)
{
	const struct rq *rq = &s->rqs[cpu];

	if (!rq->has_blocked_load || !rq->nohz_tick_stopped)
		return false;
	if (sim_jiffies(s) > rq->last_blocked_load_update_tick + jiffies)
		return true;
	*left = true;
	return false;
}

static const struct newidle_ops *newidle_ops(const struct sim *s)
{
	return s->policy[SLOT_NEWIDLE]->ops;
}

static void pull_next_balance(const struct sim *s, u32 sd, struct kpass *p)
{
	const struct sched_domain *d = &s->domains[sd];
	u64 due = d->last_balance + domain_interval(s, d, false);

	p->data[NI_NEXT] = min_u64(p->data[NI_NEXT], due);
}

static void newidle_end(struct sim *s, struct rq *rq, struct kpass *p, bool begun)
{
	const struct newidle_ops *ops = newidle_ops(s);
	u32 pulled = (u32)p->data[NI_PULLED];

	if (begun) {
		if (s->g->tun.costs)
			hist_fine_add(&s->khists[KHIST_NEWIDLE].hist, s->g->now - p->began);
		if (p->spent > rq->max_idle_balance_cost)
			rq->max_idle_balance_cost = p->spent;
		s->stats->newidle_pulled += pulled;
		s->stats->newidle_aborted += (p->flags & NI_ABORTED) != 0;
		trace(s, TR_newidle_balance, rq->cpu, rq->curr,
		      trace_pair(pulled, p->flags & NI_ABORTED ? p->cpu : NONE),
		      trace_pair((u32)min_u64(rq->avg_idle, ~0u), (u32)min_u64(p->spent, ~0u)));
	}
	rq->next_balance = min_u64(rq->next_balance, p->data[NI_NEXT]);
	if (!pulled && ops->idle)
		p->then_flags = ops->idle(s, rq->cpu, begun);
}

/* NI_RANDOM: rarely of use lately, rarely tried, and then a success counts the more. */
static bool worth_a_try(struct sim *s, struct rq *rq, struct kpass *p, struct sched_domain *d)
{
	u64 key = rng_child_key(rng_root_key(s->g->seed), (1ull << 40) | rq->cpu);
	u32 weight = 1;

	p->data[NI_WEIGHT] = 1;
	if (!sched_feat(s, NI_RANDOM))
		return true;
	weight = 1 + d->newidle_ratio;
	p->data[NI_WEIGHT] = (1024 + weight / 2) / weight;
	if (rng_uniform(key, &rq->rng_draws, 1024) <= weight)
		return true;
	update_newidle_cost(s, d, 1, 0);
	return false;
}

/* The next CPU of the domain, group by group from the own one; NONE after the last. */
static cpu_id next_visited(const struct sim *s, struct kpass *p)
{
	u32 words = s->g->mask_words, first = s->domains[p->sd].groups;

	for (;;) {
		const u64 *span = sg_span(s, p->sg);
		cpu_id c = p->cpu == NONE ? cpumask_first(span, words)
					  : cpumask_next(span, words, p->cpu);

		p->cpu = c;
		if (c == NONE) {
			p->sg = s->sgroups[p->sg].next;
			if (p->sg == first)
				return NONE;
			continue;
		}
		if (mask_has_cpu(s, s->g->online, c))
			return c;
	}
}

/*
 * Name the step in which the next CPU is visited. CPUs that are only read join the step after them,
 * unless the policy asks after each whether to give up.
 */
static bool visit_next(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns)
{
	const struct newidle_ops *ops = newidle_ops(s);
	u64 cost = 0;

	p->stage = NI_VISIT;
	for (;;) {
		bool left = false;
		cpu_id b = next_visited(s, p);

		p->flags &= ~NI_UPDATE;
		pass_step_is(p, KF_update_sd_lb_stats, b);
		if (b == NONE) {
			p->stage = NI_DOMAIN;
			break;
		}
		p->nr++;
		cost += cost_ns(s, COST_newidle_cpu) + cost_of_line(s, rq->cpu, b);
		if (ops->updates && ops->updates(s, rq->cpu, b, &left)) {
			u64 update = cost_of_blocked(s, rq->cpu, b);

			p->flags |= NI_UPDATE;
			pass_step_is(p, KF_update_blocked_averages, b);
			cost += update + rq_lock_wait(s, rq, &s->rqs[b], update);
			break;
		}
		if (left)
			p->flags |= NI_LEFT;
		if (ops->gives_up)
			break;
	}
	*ns = cost;
	return true;
}

/* The step of p->cpu has been paid. */
static void visited(struct sim *s, struct rq *rq, struct kpass *p)
{
	struct rq *b = &s->rqs[p->cpu];
	u64 last = b->last_blocked_load_update_tick;
	u32 queues;

	if (!(p->flags & NI_UPDATE))
		return;
	queues = update_blocked_averages(s, p->cpu);
	s->stats->newidle_blocked++;
	if (b->has_blocked_load)
		p->flags |= NI_LEFT;
	trace(s, TR_newidle_blocked, rq->cpu, rq->curr, trace_pair(p->cpu, queues),
	      trace_pair((u32)min_u64(sim_jiffies(s) - last, ~0u), p->nr));
}

/* The next domain that is worth a pass; false: that was the last. */
static bool next_domain(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns)
{
	const struct newidle_ops *ops = newidle_ops(s);
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;
	u32 id = p->sd == NONE ? s->cpu_sd[rq->cpu].sd : s->domains[p->sd].parent;

	for (; id != NONE; id = s->domains[id].parent) {
		struct sched_domain *d = &s->domains[id];

		pull_next_balance(s, id, p);
		if (rq->avg_idle < p->spent + d->max_newidle_lb_cost)
			return false;
		if (!(d->flags & SD_BALANCE_NEWIDLE) || !worth_a_try(s, rq, p, d))
			continue;
		/* should_we_balance(): from v5.16 on also asked before the first domain. */
		if (rq->nr_running && sched_feat(s, NEWIDLE_MEASURED)) {
			p->flags |= NI_ABORTED;
			return false;
		}
		p->sd = id;
		pass_part_begin(s, p, KF_load_balance);
		p->flags &= ~(NI_WALK | NI_LEFT);
		if (ops->updates && nohz->has_blocked && nohz->has_blocked(s, rq->cpu))
			p->flags |= NI_WALK;
		if ((p->flags & NI_WALK) || ops->gives_up) {
			p->sg = d->groups;
			p->cpu = NONE;
			return visit_next(s, rq, p, ns);
		}
		p->nr += s->masks[d->span].weight;
		p->stage = NI_DOMAIN;
		pass_step_is(p, KF_update_sd_lb_stats, NONE);
		*ns = cost_of_visits(s, rq->cpu, d->span, COST_newidle_cpu);
		return true;
	}
	return false;
}

/* All CPUs of the domain have been visited: decide, pull. False: the pass ends here. */
static bool balance_domain(struct sim *s, struct rq *rq, struct kpass *p)
{
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;
	bool go_on = true;
	u32 pulled;
	u64 took;

	if ((p->flags & (NI_WALK | NI_LEFT)) == (NI_WALK | NI_LEFT) && nohz->walked)
		nohz->walked(s, rq->cpu, p->sd);
	pulled = sched_balance_rq(s, rq->cpu, p->sd, CPU_NEWLY_IDLE, &go_on);
	took = s->g->now - p->part_began;
	pass_part_end(s, rq, p);
	update_newidle_cost(s, &s->domains[p->sd], max_u64(1, took),
			    pulled ? (u32)p->data[NI_WEIGHT] : 0);
	p->spent += took;
	p->data[NI_PULLED] += pulled;
	if (pulled || !go_on)
		return false;
	/* Somebody queued a task here meanwhile: no further domain. */
	if (rq->nr_running && s->domains[p->sd].parent != NONE)
		p->flags |= NI_ABORTED;
	return !rq->nr_running;
}

/* Is it worth going on, and is there a step to be paid? */
static bool newidle_begin(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns)
{
	const struct newidle_ops *ops = newidle_ops(s);
	u32 sd = s->cpu_sd[rq->cpu].sd;

	p->data[NI_NEXT] = sim_jiffies(s) + s->g->tun.hz;
	rq->misfit_task_load = 0;
	if (!ops->wants || sd == NONE)
		return false;
	if (!ops->wants(s, rq->cpu)) {
		pull_next_balance(s, sd, p);
		newidle_end(s, rq, p, false);
		return false;
	}
	s->stats->newidle_count++;
	p->stage = NI_OWN;
	pass_step_is(p, KF_update_blocked_averages, rq->cpu);
	*ns = cost_of_blocked(s, rq->cpu, rq->cpu);
	*ns += cost_ns(s, COST_newidle) + rq_lock_wait(s, rq, rq, *ns);
	return true;
}

bool newidle_step(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns)
{
	const struct newidle_ops *ops = newidle_ops(s);
	bool more = true;

	switch (p->stage) {
	case NI_START:
		return newidle_begin(s, rq, p, ns);
	case NI_OWN:
		update_blocked_averages(s, rq->cpu);
		/* From v5.16 on it counts into the first domain's time. */
		if (sched_feat(s, NEWIDLE_MEASURED))
			p->spent = s->g->now - p->began;
		break;
	case NI_VISIT:
		visited(s, rq, p);
		if (!ops->gives_up || !ops->gives_up(s, rq->cpu))
			return visit_next(s, rq, p, ns);
		p->flags |= NI_ABORTED;
		more = false;
		break;
	case NI_DOMAIN:
		more = balance_domain(s, rq, p);
		break;
	}
	/* A policy that makes no passes may have come while this one was under way. */
	if (more && ops->wants && next_domain(s, rq, p, ns))
		return true;
	newidle_end(s, rq, p, true);
	return false;
}
