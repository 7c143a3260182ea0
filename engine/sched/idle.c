/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * idle.c - the idle loop: kernel/sched/idle.c and kernel/time/tick-sched.c of v6.12, in outline.
 *
 * Simplified: the tick stops at once on every idle entry, the state entered is the shallowest (a
 * menu-like choice and exit latencies come with the costs of idle).
 */
#include "engine/sched/idle.h"

#include "engine/access.h"
#include "engine/observe/emit.h"
#include "engine/sched/domain.h"
#include "engine/sched/exec.h"

static u32 first_state(const struct sim *s, cpu_id cpu)
{
	u32 nr = arena_len(&s->arena, POOL_IDLE_STATE);

	for (u32 i = 0; i < nr; i++)
		if (mask_has_cpu(s, s->idle_states[i].cpus, cpu))
			return i;
	return NONE;
}

void idle_enter(struct sim *s, struct rq *rq)
{
	rq->idle_since = s->g->now;
	rq->idle_calls++;
	rq->idle_state = first_state(s, rq->cpu);
	if (rq->idle_state < ARRAY_SIZE(s->cpu_stats->idle_state_enters))
		s->cpu_stats[rq->cpu].idle_state_enters[rq->idle_state]++;
	update_idle_core(s, rq->cpu);

	const struct nohz_ops *nohz = s->policy[SLOT_NOHZ]->ops;

	if (nohz->idle)
		nohz->idle(s, rq->cpu);
	tick_stop(s, rq);
	if (nohz->enter)
		nohz->enter(s, rq->cpu);
	trace(s, TR_cpu_idle, rq->cpu, NONE, rq->idle_state == NONE ? 0 : rq->idle_state, 0);
}

void idle_exit(struct sim *s, struct rq *rq)
{
	cpu_account(s, rq);
	rq->idle_state = NONE;
	tick_start(s, rq);
	trace(s, TR_cpu_idle, rq->cpu, NONE, 4294967295u, 0);
}

u64 idle_power_uw(const struct sim *s, const struct rq *rq)
{
	const struct freq_domain *fd = &s->fds[s->topo[rq->cpu].fd];
	const struct opp *opp = &s->opps[fd->first_opp + fd->cur];

	if (opp->idle_power_uw)
		return opp->idle_power_uw;
	if (rq->idle_state != NONE && s->idle_states[rq->idle_state].has_power)
		return s->idle_states[rq->idle_state].power_uw;
	/* Machine files leave it out where nobody measured it: 5 % of the lowest OPP. */
	return (u64)s->opps[fd->first_opp].power_uw * 5 / 100;
}
