/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * util_est.c - sums of estimates on run queues, and the utilisation of a CPU. See util_est.h.
 */
#include "engine/sched/util_est.h"

#include "engine/observe/emit.h"
#include "engine/sched/features.h"
#include "engine/sched/release.h"
#include "engine/sched/signal_energy.h"

u32 _task_util_est(const struct sim *s, task_id p)
{
	u32 est = s->uest->stored(&s->task_se[p].avg);

	return s->uest->pair && sched_feat(s, UEST_ODD) ? est | 1 : est;
}

u64 task_util_est(const struct sim *s, task_id p)
{
	return max_u64(s->task_se[p].avg.util_avg, _task_util_est(s, p));
}

static void trace_util_est_sum(struct sim *s, const struct rq *rq, u32 sum)
{
	trace(s, TR_sched_util_est_cfs, rq->cpu, NONE, sum, 0);
}

void util_est_enqueue(struct sim *s, struct rq *rq, task_id p)
{
	struct sched_avg *avg = &root_cfs(s, rq->cpu)->avg;

	if (!sched_feat(s, UTIL_EST))
		return;
	avg->util_est += _task_util_est(s, p);
	trace_util_est_sum(s, rq, avg->util_est);
	signal_energy_update(s, rq->cpu);
}

void util_est_dequeue(struct sim *s, struct rq *rq, task_id p)
{
	struct sched_avg *avg = &root_cfs(s, rq->cpu)->avg;

	if (!sched_feat(s, UTIL_EST))
		return;
	avg->util_est -= (u32)min_u64(avg->util_est, _task_util_est(s, p));
	trace_util_est_sum(s, rq, avg->util_est);
	signal_energy_update(s, rq->cpu);
}

void util_est_update(struct sim *s, task_id p)
{
	const struct sched_avg *avg = &s->task_se[p].avg;

	if (!sched_feat(s, UTIL_EST))
		return;

	u32 before = _task_util_est(s, p);
	bool fresh = !(avg->util_est & UTIL_AVG_UNCHANGED);

	s->uest->update(s, p);

	/* Held: the sample was well below, and yet the estimate stayed. */
	u32 after = _task_util_est(s, p);
	bool held = fresh && after == before && before >= avg->util_avg + UTIL_EST_MARGIN;

	s->stats->uest_dequeues++;
	s->stats->uest_held += held;
	trace(s, TR_sched_util_est_se, s->tasks[p].cpu, p, trace_pair(after, (u32)avg->util_avg),
	      trace_pair((u32)avg->runnable_avg, held));
}

void util_est_recount(struct sim *s)
{
	for (cpu_id cpu = 0; cpu < s->g->nr_cpus; cpu++)
		root_cfs(s, cpu)->avg.util_est = 0;
	if (!sched_feat(s, UTIL_EST))
		return;
	for_each_live(p, &s->arena, POOL_TASK)
	{
		const struct sched_entity *se = &s->task_se[p];

		if (se->on_rq && !se->sched_delayed)
			root_cfs(s, s->tasks[p].cpu)->avg.util_est += _task_util_est(s, p);
	}
}

u64 cpu_util(const struct sim *s, cpu_id cpu, task_id p, cpu_id dst_cpu, bool boost)
{
	const struct sched_avg *avg = &root_cfs(s, cpu)->avg;
	const struct task *t = p == NONE ? NULL : &s->tasks[p];
	const struct sched_avg *task = p == NONE ? NULL : &s->task_se[p].avg;
	bool leaves = t && t->cpu == cpu && dst_cpu != cpu;
	bool joins = t && t->cpu != cpu && dst_cpu == cpu;
	u64 util = avg->util_avg;
	u64 runnable = boost && sched_feat(s, UTIL_BOOST) ? avg->runnable_avg : 0;

	if (runnable && place_form(s)->boost_first) {
		util = max_u64(util, runnable);
		runnable = 0;
	}
	if (leaves) {
		util = sub_positive(util, task->util_avg);
		runnable = sub_positive(runnable, task->runnable_avg);
	} else if (joins) {
		util += task->util_avg;
		if (boost && sched_feat(s, UTIL_BOOST) && !place_form(s)->boost_first)
			runnable += task->runnable_avg;
	}
	util = max_u64(util, runnable);

	if (sched_feat(s, UTIL_EST)) {
		u64 est = avg->util_est;

		/* A task that is being woken is in no sum; one that is queued or runs is in one. */
		if (t && dst_cpu == cpu)
			est += _task_util_est(s, p);
		else if (t && (t->on_rq || s->rqs[t->cpu].curr == p))
			est = sub_positive(est, _task_util_est(s, p));
		util = max_u64(util, est);
	}
	return min_u64(util, s->rqs[cpu].cpu_capacity_orig);
}
