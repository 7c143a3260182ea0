/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capacity.c - fits, misfit, overutilised: kernel/sched/fair.c of Linux v6.12, and the conditions of
 * sched_is_eas_possible() in kernel/sched/topology.c (build_perf_domains() in older releases).
 */
#include "engine/sched/capacity.h"

#include <string.h>

#include "engine/observe/emit.h"
#include "engine/policy/policy.h"
#include "engine/policy/sugov.h"
#include "engine/sched/domain.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/release.h"
#include "engine/sched/util_est.h"

int util_fits(u64 util, u64 umin, u64 umax, u64 capacity, u64 orig, u64 actual, bool uclamp)
{
	bool fits = fits_capacity(util, capacity);

	if (!uclamp)
		return fits;

	/* A task capped at or below this CPU's size fits however busy it looks. */
	bool top = orig == SCHED_CAPACITY_SCALE && umax == SCHED_CAPACITY_SCALE;

	fits = fits || (!top && umax <= orig);
	umin = min_u64(umin, umax);
	if (fits && util < umin && umin > actual)
		return -1;
	return fits;
}

int util_fits_cpu(const struct sim *s, u64 util, u64 umin, u64 umax, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];

	bool uclamp = uclamp_is_used(s);

	return util_fits(util, umin, umax, rq->cpu_capacity, rq->cpu_capacity_orig,
			 uclamp ? actual_cpu_capacity(s, cpu) : rq->cpu_capacity_orig, uclamp);
}

u64 uclamp_task_util(const struct sim *s, task_id p)
{
	const struct task *t = &s->tasks[p];
	u64 util = task_util_est(s, p);

	if (!uclamp_is_used(s))
		return util;
	return max_u64(t->uclamp_min, min_u64(util, t->uclamp_max));
}

bool task_fits_cpu(const struct sim *s, task_id p, cpu_id cpu)
{
	const struct task *t = &s->tasks[p];

	if (!lb_form(s)->misfit)
		return fits_capacity(task_util_est(s, p), capacity_of(s, cpu));
	if (lb_form(s)->misfit < 3)
		return fits_capacity(uclamp_task_util(s, p), capacity_of(s, cpu));
	return util_fits_cpu(s, task_util_est(s, p), t->uclamp_min, t->uclamp_max, cpu) > 0;
}

static u32 largest_allowed(const struct sim *s, const struct task *t)
{
	u32 max = 0;

	for (cpu_id c = 0; c < s->g->nr_cpus; c++)
		if (s->rqs[c].cpu_capacity_orig > max && mask_has_cpu(s, t->cpus, c))
			max = s->rqs[c].cpu_capacity_orig;
	return max;
}

void update_misfit_status(struct sim *s, struct rq *rq, task_id p)
{
	if (!s->g->asym_capacity)
		return;
	rq->misfit_task_load = 0;
	if (p == NONE || task_fits_cpu(s, p, rq->cpu))
		return;
	if (lb_form(s)->misfit >= 2 && s->tasks[p].nr_cpus_allowed == 1)
		return;
	if (lb_form(s)->misfit >= 4 && rq->cpu_capacity_orig == largest_allowed(s, &s->tasks[p]))
		return;
	rq->misfit_task_load = max_u64(1, task_h_load(s, p));
}

bool cpu_overutilized(const struct sim *s, cpu_id cpu)
{
	const struct rq *rq = &s->rqs[cpu];

	if (!lb_form(s)->overutil_clamps)
		return !fits_capacity(cpu_util_cfs(s, cpu), capacity_of(s, cpu));
	return !util_fits_cpu(s, cpu_util_cfs(s, cpu), rq->uclamp_min, rq->uclamp_max, cpu);
}

void set_overutilized(struct sim *s, bool on)
{
	struct globals *g = s->g;

	if (g->overutilized == on)
		return;
	g->overutilized = on;
	if (on) {
		g->overutilized_enters++;
		g->overutilized_since = g->now;
	} else {
		g->overutilized_ns += g->now - g->overutilized_since;
	}
	trace(s, TR_sched_overutilized, 0, NONE, on, 0);
}

/* The search for the cheapest CPU was thought too long for such a machine: EM_MAX_COMPLEXITY. */
static bool too_complex(const struct sim *s)
{
	u64 nr = arena_len(&s->arena, POOL_PERF_DOMAIN), states = 0;

	for (u32 i = 0; i < nr; i++)
		states += s->fds[s->perf_domains[i].fd].nr_opps;
	return nr * (states + s->g->nr_online) > 2048;
}

bool eas_active(const struct sim *s)
{
	if (!s->g->asym_capacity || !s->g->has_em)
		return false;
	if (s->g->has_smt && !place_form(s)->eas_smt)
		return false;
	if (strcmp(s->policy[SLOT_GOVERNOR]->name, "schedutil") != 0)
		return false;
	return !place_form(s)->eas_complexity || !too_complex(s);
}

void check_update_overutilized(struct sim *s, struct rq *rq)
{
	if (s->g->asym_capacity && !s->g->overutilized && eas_active(s) &&
	    cpu_overutilized(s, rq->cpu))
		set_overutilized(s, true);
}
