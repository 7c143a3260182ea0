/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance_v5_4.c - balancing by load: which group is busiest, how much to take, from which CPU.
 *
 * Follows update_sd_lb_stats(), find_busiest_group(), calculate_imbalance(), fix_small_imbalance() and
 * find_busiest_queue() of kernel/sched/fair.c, Linux v5.4, the last release before groups were sorted
 * by what they lack. Simplified: no automatic NUMA balancing.
 */
#include "engine/base/cpumask.h"
#include "engine/policy/balance.h"
#include "engine/sched/capacity.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/queued_load.h"
#include "engine/sched/util_est.h"

/* ---- amount ------------------------------------------------------------------------------ */

/* Power used by a group of @capacity: what its load can make use of. */
static u64 power_used(u64 capacity, u64 per_task, u64 avg_load)
{
	return capacity * min_u64(per_task, avg_load);
}

/*
 * Less than a task's worth is out of balance. Move one all the same if both groups together could
 * then make more use of their capacity.
 */
static u64 small_imbalance(const struct load_stats *st, u64 imbalance)
{
	const struct load_group *b = &st->busiest, *l = &st->local;
	u64 local_task = l->nr ? l->per_task : st->dst_per_task;
	u64 tasks = l->nr && b->per_task > l->per_task ? 1 : 2;
	u64 one = b->per_task * SCHED_CAPACITY_SCALE / b->capacity;
	u64 now, then = 0, gain;

	if (b->avg_load + one >= l->avg_load + tasks * one)
		return b->per_task;
	now = power_used(b->capacity, b->per_task, b->avg_load) +
	      power_used(l->capacity, local_task, l->avg_load);
	if (b->avg_load > one)
		then = power_used(b->capacity, b->per_task, b->avg_load - one);
	gain = min_u64(b->avg_load * b->capacity, b->per_task * SCHED_CAPACITY_SCALE) / l->capacity;
	then += power_used(l->capacity, local_task, l->avg_load + gain);
	return then / SCHED_CAPACITY_SCALE > now / SCHED_CAPACITY_SCALE ? b->per_task : imbalance;
}

u64 load_imbalance(struct load_stats *st)
{
	struct load_group *b = &st->busiest, *l = &st->local;
	bool misfit = b->type == GROUP_MISFIT;
	u64 above = ~0ull, imbalance;

	/* Pinned tasks made it imbalanced: what can be moved is about the average. */
	if (b->type == GROUP_IMBALANCED)
		b->per_task = min_u64(b->per_task, st->avg_load);
	if (!misfit && (b->avg_load <= st->avg_load || l->avg_load >= st->avg_load))
		return small_imbalance(st, 0);
	/* Both have too many tasks: no CPU of the busiest group is to become idle. */
	if (b->type == GROUP_OVERLOADED && l->type == GROUP_OVERLOADED) {
		u64 full = (u64)b->nr * SCHED_CAPACITY_SCALE;

		if (full > b->capacity)
			above = (full - b->capacity) * SCHED_CAPACITY_SCALE / b->capacity;
	}
	imbalance = min_u64(min_u64(b->avg_load - st->avg_load, above) * b->capacity,
			    (st->avg_load - l->avg_load) * l->capacity) /
		    SCHED_CAPACITY_SCALE;
	if (misfit && (s64)imbalance < (s64)b->misfit)
		imbalance = b->misfit;
	return imbalance < b->per_task ? small_imbalance(st, imbalance) : imbalance;
}

/* ---- statistics ---------------------------------------------------------------------------- */

static bool has_capacity(u32 pct, const struct load_group *g)
{
	return g->nr < g->weight || g->capacity * 100 > g->util * pct;
}

void load_classify(u32 pct, bool imbalanced, struct load_group *g)
{
	g->avg_load = g->load * SCHED_CAPACITY_SCALE / g->capacity;
	g->per_task = g->nr ? g->load / g->nr : 0;
	g->no_capacity = g->nr > g->weight && g->capacity * 100 < g->util * pct;
	g->type = g->no_capacity ? GROUP_OVERLOADED
		  : imbalanced	 ? GROUP_IMBALANCED
		  : g->misfit	 ? GROUP_MISFIT
				 : GROUP_HAS_SPARE;
}

static struct load_group group_load(struct lb_env *env, u32 sg, struct lb_flags *flags)
{
	struct sim *s = env->s;
	bool asym = s->domains[env->sd].flags & SD_ASYM_CPUCAPACITY;
	const struct sched_group_capacity *c = &s->sgcs[s->sgroups[sg].sgc];
	struct load_group g = { .sg = sg,
				.weight = s->sgroups[sg].weight,
				.capacity = c->capacity };

	for_each_cpu_mask_and(i, sg_span(s, sg), env->cpus, s->g->mask_words)
	{
		const struct rq *rq = &s->rqs[i];

		g.load += cpu_queued_load(s, i);
		g.util += cpu_util_cfs(s, i);
		g.nr += root_cfs(s, i)->h_nr_runnable;
		flags->overloaded |= rq->nr_running > 1;
		flags->overutilized |= flags->eas && cpu_overutilized(s, i);
		g.idle_cpus += !rq->nr_running && idle_cpu(s, i);
		if (asym && g.misfit < rq->misfit_task_load) {
			g.misfit = rq->misfit_task_load;
			flags->overloaded = true;
		}
	}
	load_classify(s->domains[env->sd].imbalance_pct, c->imbalance, &g);
	return g;
}

/* Of groups that are to be packed here, the one whose CPUs are preferred least; else any. */
static bool packs(const struct lb_env *env, const struct load_group *g, const struct load_group *b)
{
	const struct sim *s = env->s;
	cpu_id from = s->sgroups[g->sg].asym_prefer_cpu;

	if (!(s->domains[env->sd].flags & SD_ASYM_PACKING) || env->idle == CPU_NOT_IDLE)
		return true;
	if (!g->nr || !sched_asym_prefer(s, env->dst, from))
		return false;
	return b->sg == NONE || sched_asym_prefer(s, s->sgroups[b->sg].asym_prefer_cpu, from);
}

static bool busier_by_load(const struct lb_env *env, const struct load_group *g,
			   const struct load_stats *st)
{
	const struct sim *s = env->s;
	const struct sched_domain *d = &s->domains[env->sd];
	const struct load_group *b = &st->busiest, *l = &st->local;
	const struct sched_group_capacity *c, *lc;

	if (l->sg == NONE)
		return g->type > b->type || (g->type == b->type && g->avg_load > b->avg_load);
	c = &s->sgcs[s->sgroups[g->sg].sgc];
	lc = &s->sgcs[s->sgroups[l->sg].sgc];
	/* A misfit that would not fit here either. */
	if (g->type == GROUP_MISFIT && (!fits_capacity(c->max_capacity, lc->max_capacity) ||
					!has_capacity(d->imbalance_pct, l)))
		return false;
	if (g->type != b->type)
		return g->type > b->type;
	if (g->avg_load <= b->avg_load)
		return false;
	if (!(d->flags & SD_ASYM_CPUCAPACITY))
		return packs(env, g, b);
	/* No more than a task for each of its bigger CPUs: they are well where they are. */
	if (g->nr <= g->weight && fits_capacity(lc->min_capacity, c->min_capacity))
		return false;
	if (g->type == GROUP_MISFIT && g->misfit < b->misfit)
		return false;
	return packs(env, g, b);
}

static void domain_load(struct lb_env *env, struct load_stats *st)
{
	struct sim *s = env->s;
	const struct sched_domain *d = &s->domains[env->sd];
	struct lb_flags flags = { .eas = eas_active(s) };
	bool siblings = d->child != NONE && (s->domains[d->child].flags & SD_PREFER_SIBLING);

	*st = (struct load_stats){ .local = { .sg = NONE },
				   .busiest = { .sg = NONE, .type = GROUP_HAS_SPARE } };
	for_each_group(s, env->sd, sg)
	{
		bool local = cpumask_test(sg_span(s, sg), env->dst);
		struct load_group g;

		if (local && (env->idle != CPU_NEWLY_IDLE ||
			      sim_jiffies(s) >= s->sgcs[s->sgroups[sg].sgc].next_update))
			update_group_capacity(s, env->sd, env->dst);
		g = group_load(env, sg, &flags);
		st->total_load += g.load;
		st->total_capacity += g.capacity;
		if (local) {
			st->local = g;
			continue;
		}
		/* Siblings are preferred: all that is above the local group's is to come. */
		if (siblings && st->local.sg != NONE &&
		    has_capacity(d->imbalance_pct, &st->local) && g.nr > st->local.nr + 1) {
			g.no_capacity = 1;
			g.type = GROUP_OVERLOADED;
		}
		if (busier_by_load(env, &g, st))
			st->busiest = g;
	}
	lb_set_root_flags(env, &flags);
}

/* ---- decision ------------------------------------------------------------------------------ */

bool load_worth_it(u32 pct, enum cpu_idle_type idle, struct load_stats *st)
{
	const struct load_group *b = &st->busiest, *l = &st->local;

	if (b->sg == NONE || !b->nr)
		return false;
	st->avg_load = SCHED_CAPACITY_SCALE * st->total_load / st->total_capacity;
	if (b->type == GROUP_IMBALANCED)
		return true;
	if (idle != CPU_NOT_IDLE && has_capacity(pct, l) && b->no_capacity)
		return true;
	if (b->type == GROUP_MISFIT)
		return true;
	if (l->avg_load >= b->avg_load || l->avg_load >= st->avg_load)
		return false;
	/* A CPU that has been idle takes nothing from a group with time left. */
	if (idle == CPU_IS_IDLE)
		return b->type == GROUP_OVERLOADED || l->idle_cpus > b->idle_cpus + 1;
	return 100 * b->avg_load > pct * l->avg_load;
}

u32 find_busiest_group_v5_4(struct lb_env *env)
{
	const struct sim *s = env->s;
	const struct cfs_rq *dst = root_cfs(s, env->dst);
	struct load_stats st;

	domain_load(env, &st);
	if (eas_active(s) && !s->g->overutilized)
		return NONE;
	if (st.local.sg == NONE)
		return NONE;
	env->kind = MIGRATE_LOAD;
	/* check_asym_packing(): all of it is to come here. */
	if ((s->domains[env->sd].flags & SD_ASYM_PACKING) && env->idle != CPU_NOT_IDLE &&
	    st.busiest.sg != NONE &&
	    !sched_asym_prefer(s, s->sgroups[st.busiest.sg].asym_prefer_cpu, env->dst)) {
		env->src_type = GROUP_ASYM_PACKING;
		env->imbalance = (s64)st.busiest.load;
		return env->imbalance > 0 ? st.busiest.sg : NONE;
	}
	if (!load_worth_it(s->domains[env->sd].imbalance_pct, env->idle, &st))
		return NONE;
	if (dst->h_nr_runnable)
		st.dst_per_task = cpu_queued_load(s, env->dst) / dst->h_nr_runnable;
	env->src_type = st.busiest.type;
	env->imbalance = (s64)load_imbalance(&st);
	return env->imbalance > 0 ? st.busiest.sg : NONE;
}

cpu_id find_busiest_queue_v5_4(struct lb_env *env, u32 sg)
{
	const struct sim *s = env->s;
	bool asym = s->domains[env->sd].flags & SD_ASYM_CPUCAPACITY;
	u64 most = 0, most_capacity = 1;
	cpu_id cpu = NONE;

	for_each_cpu_mask_and(i, sg_span(s, sg), env->cpus, s->g->mask_words)
	{
		const struct rq *rq = &s->rqs[i];
		u64 capacity = capacity_of(s, i), load = cpu_queued_load(s, i);

		if (env->src_type == GROUP_MISFIT) {
			if (rq->misfit_task_load > most) {
				most = rq->misfit_task_load;
				cpu = i;
			}
			continue;
		}
		if (rq->nr_running == 1 && asym && capacity_of(s, env->dst) < capacity)
			continue;
		if (rq->nr_running == 1 && load > (u64)env->imbalance &&
		    !reduced_capacity(s, i, env->sd))
			continue;
		if (load * most_capacity > most * capacity) {
			most = load;
			most_capacity = capacity;
			cpu = i;
		}
	}
	return cpu;
}
