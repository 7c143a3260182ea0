/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pass.c - running passes step by step: see pass.h.
 *
 * Simplified: a softirq raised while another is at work runs right after it, without ksoftirqd.
 */
#include "engine/sched/pass.h"

#include "engine/observe/emit.h"
#include "engine/policy/policy.h"
#include "engine/sched/costs.h"
#include "engine/sched/exec.h"

/* How a pass of a context is booked, and what its steps let in. */
static const struct {
	u8 path, flags;
} contexts[NR_PASS_CTX] = {
	[PASS_SCHEDULE] = { PATH_NEWIDLE, KSTEP_IRQS_OFF },
	[PASS_SOFTIRQ] = { PATH_BALANCE, KSTEP_IRQ },
	[PASS_IDLE_LOOP] = { PATH_ILB, 0 },
};

static const struct {
	bool (*step)(struct sim *, struct rq *, struct kpass *, u64 *);
	enum kfunc func;
} pass_fns[NR_PASS_FNS] = {
	[PASS_NEWIDLE] = { newidle_step, KF_newidle_balance },
	[PASS_BALANCE] = { balance_step, KF_run_rebalance_domains },
	[PASS_NOHZ] = { nohz_step, KF_nohz_idle_balance },
};

/* kpass.shown */
#define PASS_SHOWS_PASS 1u
#define PASS_SHOWS_PART 2u
#define PASS_HAS_PART 4u
#define PASS_CANCELLED 8u /* its next step is its last, and does nothing */

void pass_part_begin(struct sim *s, struct kpass *p, enum kfunc func)
{
	p->part_func = (u8)func;
	p->part_began = s->g->now;
	p->shown |= PASS_HAS_PART;
}

void pass_part_end(struct sim *s, struct rq *rq, struct kpass *p)
{
	if (p->shown & PASS_SHOWS_PART)
		kfunc_exit(s, rq, (enum kfunc)p->part_func, NONE, p->part_began);
	p->shown &= (u8) ~(PASS_SHOWS_PART | PASS_HAS_PART);
}

bool pass_shows(const struct rq *rq)
{
	for (u32 c = 0; c < NR_PASS_CTX; c++)
		if (rq->pass[c].shown & PASS_SHOWS_PASS)
			return true;
	return false;
}

/* A step has to be paid: the pass takes time, and is shown. The state must not tell whether anybody looks. */
static void show_pass(struct sim *s, struct rq *rq, struct kpass *p)
{
	if (p->shown & PASS_SHOWS_PASS)
		return;
	kfunc_entry(s, rq, pass_fns[p->fn].func, NONE);
	p->shown |= PASS_SHOWS_PASS;
}

void pass_step_starts(struct sim *s, struct rq *rq, enum pass_ctx ctx)
{
	struct kpass *p = &rq->pass[ctx];

	if (!(p->shown & PASS_HAS_PART))
		return;
	/* What was owed for the part before has been paid by now. */
	p->shown &= (u8)~PASS_HAS_PART;
	p->part_began = s->g->now;
	if (!(p->shown & PASS_SHOWS_PASS))
		return;
	kfunc_entry(s, rq, (enum kfunc)p->part_func, NONE);
	p->shown |= PASS_SHOWS_PART;
}

static void softirq_run(struct sim *s, struct rq *rq)
{
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;

	/* As run_rebalance_domains() does, a round for others comes first. */
	if (rq->softirq_pending & SOFTIRQ_NOHZ) {
		rq->softirq_pending &= ~SOFTIRQ_NOHZ;
		nohz->run(s, rq->cpu);
	}
	if (!pass_active(rq, PASS_SOFTIRQ) && (rq->softirq_pending & SOFTIRQ_BALANCE)) {
		rq->softirq_pending &= ~SOFTIRQ_BALANCE;
		pass_begin(s, rq, PASS_SOFTIRQ, PASS_BALANCE, 0);
	}
}

/* The pass has no more steps: it leaves the function graph. */
static void pass_leaves(struct sim *s, struct rq *rq, struct kpass *p)
{
	pass_part_end(s, rq, p);
	if (p->shown & PASS_SHOWS_PASS)
		kfunc_exit(s, rq, pass_fns[p->fn].func, NONE, p->began);
	p->shown = 0;
}

static void pass_init(const struct sim *s, struct kpass *p, enum pass_fn fn, u32 flags)
{
	*p = (struct kpass){ .fn = (u8)fn,
			     .flags = flags,
			     .sd = NONE,
			     .sg = NONE,
			     .cpu = NONE,
			     .lb_cpu = NONE,
			     .step_cpu = NONE,
			     .began = s->g->now,
			     .part_began = s->g->now };
}

bool pass_step(struct sim *s, struct rq *rq, enum pass_ctx ctx)
{
	struct kpass *p = &rq->pass[ctx];

	for (;;) {
		u64 ns = 0;

		bool cancelled = p->shown & PASS_CANCELLED;

		if (cancelled || !pass_fns[p->fn].step(s, rq, p, &ns)) {
			pass_leaves(s, rq, p);
			if (p->then_flags && !cancelled) {
				pass_init(s, p, PASS_NOHZ, p->then_flags);
				continue;
			}
			p->fn = PASS_NONE;
			if (ctx == PASS_SOFTIRQ && rq->softirq_pending)
				softirq_run(s, rq);
			return true;
		}
		if (ns) {
			show_pass(s, rq, p);
			cpu_push_step(s, rq,
				      (struct kstep){ .path = p->fn == PASS_NOHZ
								      ? PATH_ILB
								      : contexts[ctx].path,
						      .flags = contexts[ctx].flags,
						      .effect = KS_PASS,
						      .a = ctx,
						      .left = ns << 20 });
			return false;
		}
	}
}

void pass_cancel_all(struct sim *s)
{
	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		for (u32 i = 0; i < NR_PASS_CTX; i++) {
			struct kpass *p = &s->rqs[c].pass[i];

			if (p->fn == PASS_NONE || (p->shown & PASS_CANCELLED))
				continue;
			if (p->fn == PASS_NOHZ)
				nohz_round_lost(s, p);
			p->shown |= PASS_CANCELLED;
		}
	}
}

bool pass_begin(struct sim *s, struct rq *rq, enum pass_ctx ctx, enum pass_fn fn, u32 flags)
{
	BUG_ON(pass_active(rq, ctx));
	pass_init(s, &rq->pass[ctx], fn, flags);
	return pass_step(s, rq, ctx);
}

void softirq_raise(struct sim *s, struct rq *rq, u32 what)
{
	rq->softirq_pending |= what;
	if (!pass_active(rq, PASS_SOFTIRQ))
		softirq_run(s, rq);
}
