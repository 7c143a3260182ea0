/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nohz_core.c - idle balancing for CPUs whose tick is stopped.
 *
 * Follows nohz_balance_enter_idle(), nohz_balance_exit_idle(), nohz_balancer_kick(), kick_ilb(),
 * find_new_ilb(), nohz_csd_func() and _nohz_idle_balance() of kernel/sched/fair.c and core.c, Linux
 * v6.12. A round is a pass in steps (sched/pass.h), begun when the kick's interrupt arrives or in
 * the idle loop.
 */
#include "engine/policy/nohz.h"

#include "engine/base/cpumask.h"
#include "engine/observe/emit.h"
#include "engine/policy/balance.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/costs.h"
#include "engine/sched/domain.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/pass.h"

#define BLOCKED_PERIOD_MS 32u /* of rounds that update blocked load */

const char *const nohz_reason_names[NR_NOHZ_REASONS] = {
	[NOHZ_FOR_NEXT] = "a CPU became due earlier",
	[NOHZ_FOR_BLOCKED] = "blocked load is old",
	[NOHZ_FOR_TASKS] = "two tasks or more here",
	[NOHZ_FOR_CAPACITY] = "capacity taken by others",
	[NOHZ_FOR_MISFIT] = "a task too big for the CPU",
	[NOHZ_FOR_CACHE] = "several busy CPUs in the cache",
	[NOHZ_FOR_PACKING] = "an idle CPU is preferred to this one",
};

const char *const nohz_reason_keys[NR_NOHZ_REASONS] = { "next",	  "blocked", "tasks",  "capacity",
							"misfit", "cache",   "packing" };
const char *const nohz_refusal_keys[NR_NOHZ_REFUSALS] = { "none_idle", "not_due", "no_balancer",
							  "asked" };

const char *const nohz_refusal_names[NR_NOHZ_REFUSALS] = {
	[NOHZ_NONE_IDLE] = "its record counts no idle CPU",
	[NOHZ_NOT_DUE] = "next_balance lies ahead",
	[NOHZ_NO_BALANCER] = "no housekeeping CPU is idle",
	[NOHZ_ASKED] = "the balancer has been asked",
};

static u64 blocked_period(const struct sim *s)
{
	return (BLOCKED_PERIOD_MS * s->g->tun.hz + 999) / 1000;
}

static void set_llc_busy(struct sim *s, cpu_id cpu, bool busy)
{
	u32 llc = s->cpu_sd[cpu].llc_shared;

	if (llc != NONE)
		s->llcs[llc].nr_busy_cpus += busy ? 1u : ~0u;
}

void nohz_core_enter(struct sim *s, const struct nohz_scope *sc, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];
	u32 r = sc->record(s, cpu, cpu);
	struct nohz_record *n = &s->nohz[r];

	if (rq->mode == CPU_OFFLINE)
		return;
	rq->has_blocked_load = 1;
	if (!rq->nohz_tick_stopped) {
		if (s->cpu_sd[cpu].sd == NONE)
			return;
		rq->nohz_tick_stopped = 1;
		cpumask_set(nohz_mask_of(s, r), cpu);
		n->nr_cpus++;
		set_llc_busy(s, cpu, false);
		n->needs_update = lb_form(s)->ilb_next;
	}
	n->has_blocked = 1;
}

void nohz_core_exit(struct sim *s, const struct nohz_scope *sc, cpu_id cpu, cpu_id by)
{
	struct rq *rq = &s->rqs[cpu];
	u32 r = sc->record(s, by, cpu);

	if (!rq->nohz_tick_stopped)
		return;
	rq->nohz_tick_stopped = 0;
	cpumask_clear(nohz_mask_of(s, r), cpu);
	s->nohz[r].nr_cpus--;
	set_llc_busy(s, cpu, true);
}

void nohz_core_adopt(struct sim *s, const struct nohz_scope *sc)
{
	u32 nr = arena_len(&s->arena, POOL_NOHZ);
	u64 now = sim_jiffies(s);

	cpumask_zero(s->nohz_mask, nr * s->g->mask_words);
	for (u32 i = 0; i < nr; i++)
		s->nohz[i] = (struct nohz_record){ .has_blocked = 1,
						   .needs_update = lb_form(s)->ilb_next,
						   .next_balance = now,
						   .next_blocked = now };
	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		u32 r = sc->record(s, c, c);

		s->rqs[c].nohz_for = r;
		if (!s->rqs[c].nohz_tick_stopped)
			continue;
		cpumask_set(nohz_mask_of(s, r), c);
		s->nohz[r].nr_cpus++;
	}
}

/* check_misfit_status(): until v6.6 also CPUs that no task could leave for a larger one had misfits. */
static bool misfit_can_be_helped(const struct sim *s, const struct rq *rq)
{
	if (!lb_form(s)->kick_helped)
		return true;
	for_each_cpu_mask(c, mask_get(s, s->g->online), s->g->mask_words)
	{
		if (s->rqs[c].cpu_capacity_orig > rq->cpu_capacity_orig)
			return true;
	}
	return reduced_capacity(s, rq->cpu, s->cpu_sd[rq->cpu].sd);
}

/* Asymmetric packing: is a CPU of the record's idle ones to be used before this one? */
static bool preferred_idle(const struct sim *s, u32 r, cpu_id cpu)
{
	u32 top = NONE;

	if (!s->g->tun.asym_packing)
		return false;
	for_each_domain(s, cpu, sd)
	{
		if (s->domains[sd].flags & SD_ASYM_PACKING)
			top = sd;
	}
	if (top == NONE)
		return false;
	for_each_cpu_mask_and(i, sd_span(s, top), nohz_mask_of(s, r), s->g->mask_words)
	{
		if (sched_asym_prefer(s, i, cpu))
			return true;
	}
	return false;
}

/* Conditions for a full balance, in the kernel's order; false: none holds. */
static bool wants_balance(const struct sim *s, u32 r, cpu_id cpu, enum nohz_reason *why)
{
	const struct rq *rq = &s->rqs[cpu];
	const struct cpu_sd *k = &s->cpu_sd[cpu];

	if (rq->nr_running >= 2) {
		*why = NOHZ_FOR_TASKS;
		return true;
	}
	if (k->sd != NONE && root_cfs(s, cpu)->h_nr_runnable && reduced_capacity(s, cpu, k->sd)) {
		*why = NOHZ_FOR_CAPACITY;
		return true;
	}
	if (preferred_idle(s, r, cpu)) {
		*why = NOHZ_FOR_PACKING;
		return true;
	}
	if (k->asym != NONE) {
		*why = NOHZ_FOR_MISFIT;
		return rq->misfit_task_load && misfit_can_be_helped(s, rq);
	}
	*why = NOHZ_FOR_CACHE;
	return k->llc_shared != NONE && s->llcs[k->llc_shared].nr_busy_cpus > 1;
}

/* First idle CPU of record @r, no distance, no depth; one that may balance, if @balancer. */
static cpu_id first_idle(const struct sim *s, u32 r, cpu_id cpu, bool balancer)
{
	const u64 *hk = mask_get(s, balancer ? s->g->housekeeping : 0);

	for_each_cpu_mask_and(i, nohz_mask_of(s, r), hk, s->g->mask_words)
	{
		if (i != cpu && idle_cpu(s, i))
			return i;
	}
	return NONE;
}

/* Nearest record other than @own with such a CPU, NONE. */
static u32 nearest_record(const struct sim *s, const struct nohz_scope *sc, u32 own, cpu_id cpu,
			  bool balancer)
{
	u32 nr = arena_len(&s->arena, POOL_NOHZ), best = NONE, min = ~0u;

	for (u32 r = 0; r < nr; r++) {
		if (r == own || !s->nohz[r].nr_cpus)
			continue;

		u32 d = sc->distance(s, cpu, r);

		if (d < min && first_idle(s, r, cpu, balancer) != NONE) {
			best = r;
			min = d;
		}
	}
	return best;
}

static void refuse(struct sim *s, cpu_id cpu, u32 record, enum nohz_refusal why)
{
	s->node_stats[s->topo[cpu].node].nohz_refused[why]++;
	trace(s, TR_nohz_no_kick, cpu, NONE, trace_pair(why, record),
	      trace_pair((u32)s->nohz[record].nr_cpus, s->rqs[cpu].nr_running));
}

/* kick_ilb(): whose turn it is, and the interrupt. */
static void kick_ilb(struct sim *s, const struct nohz_scope *sc, cpu_id cpu, u32 r, u32 flags,
		     enum nohz_reason why)
{
	cpu_id ilb;

	if (flags & NOHZ_BALANCE_KICK)
		s->nohz[r].next_balance = sim_jiffies(s) + 1;
	ilb = first_idle(s, r, cpu, true);
	if (ilb == NONE && sc->distance) {
		/* Nobody there may do it: the nearest who may. */
		u32 other = nearest_record(s, sc, r, cpu, true);

		if (other != NONE)
			ilb = first_idle(s, other, cpu, true);
	}
	if (ilb == NONE) {
		refuse(s, cpu, r, NOHZ_NO_BALANCER);
		return;
	}

	struct rq *rq = &s->rqs[ilb];
	u32 had = rq->nohz_flags;

	rq->nohz_flags |= flags;
	if (had & NOHZ_KICK_MASK) {
		refuse(s, cpu, r, NOHZ_ASKED);
		return;
	}
	rq->nohz_for = r;
	rq->irq_pending |= IRQ_NOHZ;
	cpu_attend(s, ilb);

	struct node_stats *ns = &s->node_stats[s->topo[cpu].node];

	ns->nohz_kicks[why]++;
	s->stats->nohz_kicks++;
	s->stats->nohz_kicks_balance += (flags & NOHZ_BALANCE_KICK) != 0;
	s->stats->nohz_kicks_stats += (flags & NOHZ_STATS_KICK) != 0;
	trace(s, TR_nohz_kick, cpu, NONE, trace_pair(ilb, flags), trace_pair(why, r));
}

/* Record that a tick on @cpu is about: its own, another's when nobody is idle in that. */
static u32 record_to_kick(const struct sim *s, const struct nohz_scope *sc, cpu_id cpu)
{
	u32 own = sc->record(s, cpu, cpu), other;

	if (!sc->distance || first_idle(s, own, cpu, false) != NONE)
		return own;
	other = nearest_record(s, sc, own, cpu, false);
	return other == NONE ? own : other;
}

void nohz_core_kick(struct sim *s, const struct nohz_scope *sc, cpu_id cpu)
{
	u64 now = sim_jiffies(s);
	enum nohz_reason why = NOHZ_FOR_NEXT, full;
	u32 flags = 0;

	if (s->rqs[cpu].idle_balance)
		return;
	nohz_core_exit(s, sc, cpu, cpu);
	if (!sc->kicks)
		return;

	u32 r = record_to_kick(s, sc, cpu);
	const struct nohz_record *n = &s->nohz[r];

	if (!n->nr_cpus) {
		if (wants_balance(s, r, cpu, &full))
			refuse(s, cpu, r, NOHZ_NONE_IDLE);
		return;
	}
	if (n->has_blocked && now > n->next_blocked) {
		flags = NOHZ_STATS_KICK;
		why = NOHZ_FOR_BLOCKED;
	}
	if (now >= n->next_balance) {
		if (wants_balance(s, r, cpu, &full)) {
			flags = NOHZ_STATS_KICK | NOHZ_BALANCE_KICK;
			why = full;
		}
	} else if (!flags && trace_on(s, TR_nohz_no_kick) && wants_balance(s, r, cpu, &full)) {
		trace(s, TR_nohz_no_kick, cpu, NONE, trace_pair(NOHZ_NOT_DUE, r),
		      trace_pair((u32)n->nr_cpus, s->rqs[cpu].nr_running));
	}
	if (n->needs_update && lb_form(s)->ilb_next)
		flags |= NOHZ_NEXT_KICK;
	if (flags)
		kick_ilb(s, sc, cpu, r, flags, why);
}

/* Stages of a round, a pass of sched/pass.h. */
enum { ROUND_START, ROUND_VISIT, ROUND_DOMAIN };

/* flags of the pass beside NOHZ_* */
#define ROUND_UPDATE 0x100u /* the step being paid updates the blocked load of p->cpu */
#define ROUND_BLOCKED 0x200u /* load is left somewhere */
#define ROUND_CHANGED 0x400u /* somebody is due before the end of data[ROUND_NEXT] */
#define ROUND_ABORT_FIRST 0x800u
#define ROUND_FORCED 0x1000u /* also CPUs whose blocked load was updated in this tick */
#define ROUND_INLINE 0x2000u /* begun by a newly idle pass, whose own load is up to date */
#define ROUND_OWN 0x4000u /* the old form: all others are done, this CPU is the last */

/* data[] of the pass */
#define ROUND_NEXT 0 /* next_balance so far, jiffies */
#define ROUND_BEGAN 1 /* jiffies */
#define ROUND_RECORD 2

static void round_begins(struct sim *s, struct rq *rq, struct kpass *p)
{
	struct nohz_record *n = &s->nohz[rq->nohz_for];

	p->data[ROUND_RECORD] = rq->nohz_for;
	p->data[ROUND_BEGAN] = sim_jiffies(s);
	p->data[ROUND_NEXT] = p->data[ROUND_BEGAN] + 60 * s->g->tun.hz;
	s->stats->ilb_runs++;
	s->cpu_stats[rq->cpu].ilb_runs++;
	if (lb_form(s)->ilb_old)
		p->flags |= ROUND_FORCED;
	if (p->flags & NOHZ_STATS_KICK)
		n->has_blocked = 0;
	if (p->flags & NOHZ_NEXT_KICK)
		n->needs_update = 0;
}

static void round_ends(struct sim *s, struct rq *rq, struct kpass *p, bool aborted)
{
	struct nohz_record *n = &s->nohz[p->data[ROUND_RECORD]];
	struct cpu_stats *st = &s->cpu_stats[rq->cpu];

	if (aborted) {
		if (p->flags & NOHZ_STATS_KICK)
			p->flags |= ROUND_BLOCKED;
		if (p->flags & NOHZ_NEXT_KICK)
			n->needs_update = 1;
		s->stats->ilb_aborted++;
	}
	if ((p->flags & ROUND_CHANGED) && (!aborted || lb_form(s)->ilb_old))
		n->next_balance = p->data[ROUND_NEXT];
	if (!aborted) {
		if (p->flags & NOHZ_STATS_KICK)
			n->next_blocked = p->data[ROUND_BEGAN] + blocked_period(s);
	}
	if (p->flags & ROUND_BLOCKED)
		n->has_blocked = 1;
	st->ilb_record = (u32)p->data[ROUND_RECORD];
	st->ilb_ran_at = s->g->now;
	trace(s, TR_nohz_round, rq->cpu, NONE,
	      trace_pair((u32)p->data[ROUND_RECORD], p->flags & NOHZ_KICK_MASK),
	      trace_pair(p->nr, aborted));
}

/* update_nohz_stats(): is blocked load of @cpu to be brought up to date; if not, is some left? */
static bool stats_due(const struct sim *s, cpu_id cpu, struct kpass *p)
{
	const struct rq *rq = &s->rqs[cpu];

	if (!(p->flags & NOHZ_STATS_KICK) || !rq->has_blocked_load ||
	    !cpumask_test(nohz_mask_of(s, (u32)p->data[ROUND_RECORD]), cpu))
		return false;
	if (sim_jiffies(s) > rq->last_blocked_load_update_tick || (p->flags & ROUND_FORCED))
		return true;
	p->flags |= ROUND_BLOCKED;
	return false;
}

/* The old form: this CPU comes last, whether it is in the mask or due. False: the round is over. */
static bool own_turn(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns)
{
	if (!lb_form(s)->ilb_old || (p->flags & (ROUND_OWN | ROUND_INLINE))) {
		round_ends(s, rq, p, false);
		return false;
	}
	p->flags |= ROUND_OWN | ROUND_UPDATE;
	p->cpu = rq->cpu;
	p->nr++;
	p->stage = ROUND_VISIT;
	*ns = cost_of_blocked(s, rq->cpu, rq->cpu);
	pass_step_is(p, KF_update_blocked_averages, rq->cpu);
	return true;
}

/* Name the step in which the next idle CPU is visited, this one last. False: the round is over. */
static bool next_idle_cpu(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns)
{
	const u64 *mask = nohz_mask_of(s, (u32)p->data[ROUND_RECORD]);
	bool old = lb_form(s)->ilb_old;
	u32 words = s->g->mask_words;
	u32 start = !old && rq->cpu + 1 < s->g->nr_cpus ? rq->cpu + 1 : 0;

	if (p->flags & ROUND_OWN)
		return own_turn(s, rq, p, ns);
	for (;;) {
		cpu_id b = p->cpu == NONE ? cpumask_first_wrap(mask, words, start)
					  : cpumask_next_wrap(mask, words, p->cpu, start);
		bool idle = b != NONE && idle_cpu(s, b);

		p->cpu = b;
		if (b == NONE)
			return own_turn(s, rq, p, ns);
		if (old && b == rq->cpu)
			continue;
		if (!idle && !(p->flags & ROUND_ABORT_FIRST))
			continue;
		/* Work has come for this CPU: others must wait. */
		if (!idle_cpu(s, rq->cpu) && rq->need_resched) {
			round_ends(s, rq, p, true);
			return false;
		}
		if (idle)
			break;
	}
	p->nr++;
	p->stage = ROUND_VISIT;
	p->flags &= ~ROUND_UPDATE;
	if (stats_due(s, p->cpu, p)) {
		*ns = cost_of_blocked(s, rq->cpu, p->cpu);
		*ns += rq_lock_wait(s, rq, &s->rqs[p->cpu], *ns);
		p->flags |= ROUND_UPDATE;
		pass_step_is(p, KF_update_blocked_averages, p->cpu);
	} else {
		pass_step_is(p, KF_update_nohz_stats, p->cpu);
		*ns = cost_of_line(s, rq->cpu, p->cpu);
	}
	return true;
}

/* The visit has been paid: its blocked load, and whether its domains are due. */
static bool visit(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns)
{
	struct rq *b = &s->rqs[p->cpu];
	struct cpu_stats *st = &s->cpu_stats[p->cpu];
	bool due = sim_jiffies(s) >= b->next_balance || (p->flags & ROUND_OWN);

	s->stats->ilb_remote_visits += s->topo[p->cpu].node != s->topo[rq->cpu].node;
	st->ilb_by = rq->cpu;
	st->ilb_at = s->g->now;
	if (p->flags & ROUND_UPDATE) {
		update_blocked_averages(s, p->cpu);
		if (b->has_blocked_load)
			p->flags |= ROUND_BLOCKED;
	}
	trace(s, TR_nohz_visit, rq->cpu, NONE, trace_pair(p->cpu, (u32)p->data[ROUND_RECORD]),
	      trace_pair(due && (p->flags & NOHZ_BALANCE_KICK), (p->flags & ROUND_UPDATE) != 0));
	if (!due)
		return false;
	update_rq_clock(s, b);
	if (!(p->flags & NOHZ_BALANCE_KICK))
		return false;
	lb_round_begin(s, p, p->cpu, CPU_IS_IDLE);
	p->stage = ROUND_DOMAIN;
	return lb_round_next(s, p, rq->cpu, ns);
}

bool nohz_step(struct sim *s, struct rq *rq, struct kpass *p, u64 *ns)
{
	switch (p->stage) {
	case ROUND_START:
		round_begins(s, rq, p);
		break;
	case ROUND_VISIT:
		if (visit(s, rq, p, ns))
			return true;
		break;
	default:
		lb_round_pass(s, p);
		if (lb_round_next(s, p, rq->cpu, ns))
			return true;
		break;
	}
	if (p->stage != ROUND_START && !(p->flags & ROUND_OWN) &&
	    s->rqs[p->cpu].next_balance < p->data[ROUND_NEXT]) {
		p->data[ROUND_NEXT] = s->rqs[p->cpu].next_balance;
		p->flags |= ROUND_CHANGED;
	}
	return next_idle_cpu(s, rq, p, ns);
}

void nohz_round_lost(struct sim *s, const struct kpass *p)
{
	struct nohz_record *n = &s->nohz[p->data[ROUND_RECORD]];

	if (p->flags & NOHZ_STATS_KICK)
		n->has_blocked = 1;
	if (p->flags & NOHZ_NEXT_KICK)
		n->needs_update = 1;
	s->stats->ilb_aborted++;
}

static u32 round_flags(const struct nohz_scope *sc, u32 flags)
{
	return flags | (sc->abort_first ? ROUND_ABORT_FIRST : 0);
}

void nohz_core_run(struct sim *s, const struct nohz_scope *sc, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];
	u32 flags = rq->nohz_flags & NOHZ_KICK_MASK;

	/* Not idle any more: the request is dropped. */
	rq->nohz_flags = 0;
	if (flags && idle_cpu(s, cpu))
		pass_begin(s, rq, PASS_SOFTIRQ, PASS_NOHZ, round_flags(sc, flags));
}

/* nohz_newidle_balance(): does @cpu, going idle, see to the blocked load of others? */
static bool newidle_due(const struct sim *s, const struct nohz_scope *sc, cpu_id cpu)
{
	const struct nohz_record *n = &s->nohz[sc->record(s, cpu, cpu)];

	return sc->kicks && s->rqs[cpu].avg_idle >= s->g->tun.migration_cost && n->has_blocked &&
	       sim_jiffies(s) >= n->next_blocked;
}

/* A newly idle pass pulled nothing: the idle loop is to update blocked load of others. */
void nohz_core_newidle(struct sim *s, const struct nohz_scope *sc, cpu_id cpu)
{
	if (newidle_due(s, sc, cpu))
		s->rqs[cpu].nohz_flags |= NOHZ_NEWILB_KICK;
}

u32 nohz_core_inline(struct sim *s, const struct nohz_scope *sc, cpu_id cpu)
{
	if (!newidle_due(s, sc, cpu))
		return 0;
	s->rqs[cpu].nohz_for = sc->record(s, cpu, cpu);
	return round_flags(sc, NOHZ_STATS_KICK) | ROUND_FORCED | ROUND_INLINE;
}

/* nohz_run_idle_balance(): start of the idle loop. */
void nohz_core_idle(struct sim *s, const struct nohz_scope *sc, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];
	u32 flags = rq->nohz_flags;

	rq->nohz_flags &= ~NOHZ_NEWILB_KICK;
	if (flags != NOHZ_NEWILB_KICK || rq->need_resched)
		return;
	rq->nohz_for = sc->record(s, cpu, cpu);
	pass_begin(s, rq, PASS_IDLE_LOOP, PASS_NOHZ, round_flags(sc, NOHZ_STATS_KICK));
}

bool nohz_core_has_blocked(const struct sim *s, const struct nohz_scope *sc, cpu_id cpu)
{
	return s->nohz[sc->record(s, cpu, cpu)].has_blocked;
}

/* A newly idle pass of v5.4 did what a round would have: the next one is put off. */
void nohz_core_walked(struct sim *s, const struct nohz_scope *sc, cpu_id cpu, u32 sd)
{
	u32 r = sc->record(s, cpu, cpu);

	if (cpumask_subset(nohz_mask_of(s, r), sd_span(s, sd), s->g->mask_words))
		s->nohz[r].next_blocked = sim_jiffies(s) + blocked_period(s);
}
