/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blocked.c - decay of what is left on CPUs that do not schedule: sched_balance_update_blocked_
 * averages() of kernel/sched/fair.c, v6.12 (update_blocked_averages() in v6.1).
 *
 * Simplified: the pressure of hardware is that of caps on the frequency (capacity.c).
 */
#include "engine/hw/cpufreq.h"
#include "engine/observe/emit.h"
#include "engine/sched/class.h"
#include "engine/sched/clock.h"
#include "engine/sched/costs.h"
#include "engine/sched/domain.h"
#include "engine/sched/group.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/pelt.h"

/* Real-time, deadline, interrupts, hardware pressure. Whether averages changed. */
static bool update_blocked_others(struct sim *s, struct rq *rq)
{
	u64 now = rq_clock_pelt(rq);
	bool decayed = false;

	enum task_class running = rq->curr == NONE ? CLASS_FAIR : class_of(s, rq->curr);

	if (update_rt(now, rq, running == CLASS_RT)) {
		decayed = true;
		trace(s, TR_pelt_rt, rq->cpu, NONE,
		      trace_pair((u32)rq->avg_rt.load_avg, (u32)rq->avg_rt.runnable_avg),
		      rq->avg_rt.util_avg);
	}
	decayed |= update_dl(now, rq, running == CLASS_DL);
	decayed |= update_hw(rq_clock_task(rq), rq, hw_pressure_input(s, rq->cpu));
	decayed |= update_irq(rq, 0) != 0;
	return decayed;
}

static bool others_have_blocked(const struct rq *rq)
{
	return rq->avg_rt.util_avg || rq->avg_dl.util_avg || rq->avg_hw.load_avg ||
	       rq->avg_irq.util_avg;
}

/* Nothing that an entity of a group could carry up: leave it as it is. */
static bool skip_blocked_update(const struct sim *s, se_id id)
{
	const struct sched_avg *a = &se_get(s, id)->avg;

	return !a->load_avg && !a->util_avg && !group_cfs_rq(s, id)->propagate;
}

/* Children stand directly before their parent on the list. */
static bool child_on_list(const struct sim *s, const struct cfs_rq *q)
{
	if (q->leaf_prev == NONE)
		return false;

	u32 tg = s->cfs_rqs[q->leaf_prev].tg;

	return tg != ROOT_TG && s->groups[tg].parent == q->tg;
}

bool cfs_rq_is_decayed(const struct sim *s, const struct cfs_rq *q)
{
	return !q->load.weight && load_avg_is_decayed(&q->avg) && !child_on_list(s, q) &&
	       !q->tg_load_avg_contrib;
}

u32 update_blocked_averages(struct sim *s, cpu_id cpu)
{
	struct rq *rq = rq_get(s, cpu);
	bool decayed, blocked;
	u64 owed = governor_owed(s);
	u32 visited = 0;

	s->stats->blocked_updates++;
	rq->last_blocked_load_update_tick = sim_jiffies(s);
	update_rq_clock(s, rq);
	decayed = update_blocked_others(s, rq);
	blocked = others_have_blocked(rq);

	for_each_leaf_cfs_rq(s, rq, id, next)
	{
		struct cfs_rq *q = cfs_get(s, id);

		visited++;
		if (update_cfs_rq_load_avg(s, cfs_rq_clock_pelt(s, q), q)) {
			update_tg_load_avg(s, q);
			if (q->tg == ROOT_TG)
				decayed = true;
		}

		se_id se = cfs_se_id(s, q);

		if (se != NONE && !skip_blocked_update(s, se))
			update_load_avg(s, cfs_rq_of(s, se), se, UPDATE_TG);
		if (cfs_rq_is_decayed(s, q)) {
			list_del_leaf_cfs_rq(s, q);
			s->stats->decayed_groups += q->tg != ROOT_TG;
		}
		if (q->avg.load_avg || q->avg.util_avg)
			blocked = true;
	}
	if (!blocked)
		rq->has_blocked_load = 0;
	if (decayed)
		cpufreq_update_util(s, rq, 0);
	blocked_took(s, cpu, visited, owed);
	return visited;
}
