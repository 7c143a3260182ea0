/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * idle.c - the idle loop: kernel/sched/idle.c and kernel/time/tick-sched.c of v6.12, in outline.
 *
 * The idle state is chosen as the menu governor does from the last idle periods. Simplified: the
 * tick stops at once on every idle entry, and the next timer is not looked at: a CPU whose idle
 * periods do not agree expects its average one. Leaving a state takes its exit latency when costs
 * are on.
 */
#include "engine/sched/idle.h"

#include "engine/access.h"
#include "engine/observe/emit.h"
#include "engine/sched/domain.h"
#include "engine/sched/exec.h"

#define HIST ARRAY_SIZE(((struct rq *)0)->idle_hist)

/*
 * The length of idleness, in us, that the last eight periods agree on: their mean, when it is six
 * times their deviation or the deviation is below 20 us; else without the longest; NONE when fewer
 * than six agree. As get_typical_interval() of drivers/cpuidle/governors/menu.c does.
 */
static u32 typical_interval(const struct rq *rq)
{
	u32 limit = ~0u;

	if (rq->idle_hist_nr < HIST)
		return NONE;
	for (;;) {
		u64 sum = 0, squares = 0, n = 0, max = 0, avg, var;

		for (u32 i = 0; i < HIST; i++) {
			u64 us = rq->idle_hist[i];

			if (us > limit)
				continue;
			sum += us;
			squares += us * us;
			n++;
			max = max_u64(max, us);
		}
		if (n < 6)
			return NONE;
		avg = sum / n;
		/* The squares of the distances from the mean, as a sum; exact, both wrap alike. */
		var = squares - 2 * avg * sum + n * avg * avg;
		/* avg > 6 * dev or dev <= 20, with dev the whole part of the root: without taking it. */
		u64 above = avg ? (avg - 1) / 6 + 1 : 0;

		var /= n;
		if (var < above * above || var < 21 * 21)
			return (u32)avg;
		if (!max)
			return NONE;
		limit = (u32)max - 1;
	}
}

/* A state of a cluster or the system is there only when all its CPUs are idle. */
static bool others_idle(const struct sim *s, const struct idle_state *is, cpu_id cpu)
{
	const u64 *m = mask_get(s, is->cpus);

	for (cpu_id c = 0; c < s->g->nr_cpus; c++)
		if (c != cpu && (m[c / 64] >> (c % 64) & 1) && s->rqs[c].mode != CPU_IDLE &&
		    s->rqs[c].mode != CPU_OFFLINE)
			return false;
	return true;
}

/* The deepest state that pays for the idleness expected; the shallowest with nothing to go by. */
static u32 choose_state(const struct sim *s, struct rq *rq, u32 *predicted)
{
	u32 nr = arena_len(&s->arena, POOL_IDLE_STATE), best = NONE, rank = 0;

	*predicted = typical_interval(rq);
	if (*predicted == NONE && rq->idle_hist_nr)
		*predicted = (u32)min_u64(rq->avg_idle / NSEC_PER_USEC, NONE - 1);
	for (u32 i = 0; i < nr; i++) {
		const struct idle_state *is = &s->idle_states[i];

		if (!mask_has_cpu(s, is->cpus, rq->cpu))
			continue;
		rank++;
		if (best != NONE && (*predicted == NONE || is->residency_us > *predicted))
			break;
		if (is->scope != MACHINE_SCOPE_CPU && !others_idle(s, is, rq->cpu))
			continue;
		best = i;
		rq->idle_depth = rank - 1;
	}
	return best;
}

bool idle_enter(struct sim *s, struct rq *rq)
{
	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;
	u32 predicted;

	nohz->idle(s, rq->cpu);
	if (rq->nr_ksteps || rq->owes || rq->need_resched)
		return false;

	rq->idle_since = s->g->now;
	rq->idle_calls++;
	rq->idle_state = choose_state(s, rq, &predicted);
	if (rq->idle_state != NONE && rq->idle_depth < ARRAY_SIZE(s->cpu_stats->idle_state_enters))
		s->cpu_stats[rq->cpu].idle_state_enters[rq->idle_depth]++;
	update_idle_core(s, rq->cpu);

	tick_stop(s, rq);
	nohz->enter(s, rq->cpu);
	trace(s, TR_cpu_idle, rq->cpu, NONE, rq->idle_state == NONE ? 0 : rq->idle_state,
	      predicted);
	return true;
}

void idle_exit(struct sim *s, struct rq *rq)
{
	u64 us = (s->g->now - rq->idle_since) / NSEC_PER_USEC;

	cpu_account(s, rq);
	rq->idle_hist[rq->idle_hist_nr % HIST] = us < NONE ? (u32)us : NONE - 1;
	rq->idle_hist_nr++;
	rq->idle_state = NONE;
	tick_start(s, rq);
	trace(s, TR_cpu_idle, rq->cpu, NONE, 4294967295u, 0);
}

u64 idle_power_uw(const struct sim *s, const struct rq *rq)
{
	const struct freq_domain *fd = &s->fds[s->topo[rq->cpu].fd];
	const struct opp *opp = &s->opps[fd->first_opp + fd->cur];

	const struct idle_state *is = rq->idle_state == NONE ? NULL
							     : &s->idle_states[rq->idle_state];

	if (is && rq->idle_depth)
		return is->has_power ? is->power_uw : 0;
	if (opp->idle_power_uw)
		return opp->idle_power_uw;
	if (is && is->has_power)
		return is->power_uw;
	/* Machine files leave it out where nobody measured it: 5 % of the lowest OPP. */
	return (u64)s->opps[fd->first_opp].power_uw * 5 / 100;
}
