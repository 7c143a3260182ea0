/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance_stats.c - which group of a domain is busiest, and how much to take from it.
 *
 * Follows update_sd_lb_stats(), sched_balance_find_src_group(), calculate_imbalance() and
 * sched_balance_find_src_rq() of kernel/sched/fair.c, Linux v6.12; v6.1's rules where LB_CORES is
 * off, and what v5.10 to v6.6 did otherwise where lb_form() says so (v5.4: balance_v5_4.c).
 * Simplified: automatic NUMA balancing is not modelled.
 */
#include "engine/base/cpumask.h"
#include "engine/policy/balance.h"
#include "engine/sched/capacity.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/features.h"
#include "engine/sched/util_est.h"

bool is_core_idle(const struct sim *s, cpu_id cpu)
{
	if (!s->g->has_smt)
		return true;
	for_each_cpu_mask(i, mask_get(s, s->topo[cpu].smt_mask),
			  s->g->mask_words) if (i != cpu && s->rqs[i].mode != CPU_OFFLINE &&
						!idle_cpu(s, i)) return false;
	return true;
}

/* ---- amount ------------------------------------------------------------------------------ */

/* How many more tasks the busiest group has, per core where the groups differ in cores. */
static u64 sibling_imbalance(const struct lb_rules *r, const struct sg_stats *l,
			     const struct sg_stats *b)
{
	u64 more;

	if (!r->by_cores)
		return sub_positive(b->nr_running, l->nr_running);
	if (r->idle == CPU_NOT_IDLE || !b->nr_running)
		return 0;
	if (b->cores == l->cores)
		return sub_positive(b->nr_running, l->nr_running);

	u64 cores = (u64)l->cores + b->cores;

	more = sub_positive((u64)l->cores * b->nr_running, (u64)b->cores * l->nr_running);
	more = (2 * more + cores) / cores;
	/* An empty group is worth filling. */
	if (more <= 1 && !l->nr_running && b->nr_running > 1)
		more = 2;
	return more;
}

/* Are so few tasks between nodes left alone? */
static s64 numa_tolerance(const struct lb_rules *r, s32 n, const struct sg_stats *l,
			  const struct sg_stats *b)
{
	switch (r->numa_small) {
	case 0:
		return n;
	case 1:
		return b->nr_running <= 2 ? 0 : n;
	case 2:
		return n <= 2 && b->nr_running < b->weight / 4 ? 0 : n;
	default:
		return adjust_numa_imbalance(n, l->nr_running + 1, r->imb_numa_nr);
	}
}

static u64 spread_tasks(const struct lb_rules *r, const struct sg_stats *l,
			const struct sg_stats *b)
{
	u64 n;

	if (b->weight == 1 || r->prefer_sibling)
		n = sibling_imbalance(r, l, b);
	else
		n = l->idle_cpus - b->idle_cpus; /* 32 bits, unsigned: as the kernel's wraps */
	if (r->half_first) {
		n >>= 1;
		return r->numa ? (u64)numa_tolerance(r, (s32)n, l, b) : n;
	}
	if (r->numa)
		n = (u64)numa_tolerance(r, (s32)n, l, b);
	return (u64)((s64)n >> 1);
}

u64 calculate_imbalance(const struct lb_rules *r, struct sd_stats *st, enum migration_type *kind)
{
	struct sg_stats *l = &st->local;
	const struct sg_stats *b = &st->busiest;

	*kind = MIGRATE_TASK;
	switch (b->type) {
	case GROUP_MISFIT:
		*kind = r->asym ? MIGRATE_MISFIT : MIGRATE_LOAD;
		return r->asym ? 1 : b->misfit;
	case GROUP_ASYM_PACKING:
		return b->h_nr_running;
	case GROUP_SMT_BALANCE:
	case GROUP_IMBALANCED:
		return 1;
	default:
		break;
	}
	if (l->type == GROUP_HAS_SPARE) {
		if (b->type > GROUP_FULLY_BUSY && !r->llc) {
			u64 room = max_u64(l->capacity, l->util) - l->util;

			if (!room && r->idle != CPU_NOT_IDLE)
				return 1;
			*kind = MIGRATE_UTIL;
			return room;
		}
		return spread_tasks(r, l, b);
	}
	*kind = MIGRATE_LOAD;
	if (l->type < GROUP_OVERLOADED) {
		l->avg_load = l->load * SCHED_CAPACITY_SCALE / l->capacity;
		if (l->avg_load >= b->avg_load)
			return 0;
		st->avg_load = st->total_load * SCHED_CAPACITY_SCALE / st->total_capacity;
		if (l->avg_load >= st->avg_load)
			return 0;
	}
	return min_u64((b->avg_load - st->avg_load) * b->capacity,
		       (st->avg_load - l->avg_load) * l->capacity) /
	       SCHED_CAPACITY_SCALE;
}

/* ---- statistics ---------------------------------------------------------------------------- */

/*
 * Should what runs in group @sg rather run here? A core with more than one busy thread is left to
 * other reasons.
 */
static bool sched_group_asym(const struct lb_env *env, u32 sg, const struct sg_stats *g)
{
	const struct sim *s = env->s;

	if (env->idle == CPU_NOT_IDLE || !g->h_nr_running)
		return false;
	if ((s->sgroups[sg].flags & SD_SHARE_CPUCAPACITY) && g->weight - g->idle_cpus != 1)
		return false;
	return sched_asym(s, env->sd, env->dst, s->sgroups[sg].asym_prefer_cpu);
}

static void update_sg_stats(struct lb_env *env, u32 sg, bool local, struct sg_stats *g,
			    struct lb_flags *flags)
{
	struct sim *s = env->s;
	const struct sched_domain *d = &s->domains[env->sd];
	const struct sched_group *group = &s->sgroups[sg];
	const struct sched_group_capacity *c = &s->sgcs[group->sgc];

	/* Sums in variables of their own: the compiler cannot know that nobody else sees *g. */
	u64 load = 0, util = 0, runnable = 0, misfit = 0;
	u32 nr_running = 0, h_nr_running = 0, idle_cpus = 0;

	for_each_group_cpu(i, s, sg, env->cpus)
	{
		const struct rq *rq = &s->rqs[i];
		const struct cfs_rq *root = root_cfs(s, i);

		load += root->avg.load_avg;
		util += cpu_util_cfs(s, i);
		runnable += root->avg.runnable_avg;
		h_nr_running += root->h_nr_runnable;
		nr_running += rq->nr_running;
		flags->overloaded |= rq->nr_running > 1;
		if (flags->eas)
			flags->overutilized |= cpu_overutilized(s, i);
		if (!rq->nr_running && idle_cpu(s, i)) {
			idle_cpus++;
			continue;
		}
		if (local)
			continue;
		if (d->flags & SD_ASYM_CPUCAPACITY) {
			if (misfit < rq->misfit_task_load) {
				misfit = rq->misfit_task_load;
				flags->overloaded = true;
			}
		} else if (root->h_nr_runnable == 1 && env->idle != CPU_NOT_IDLE &&
			   misfit < root->avg.load_avg && reduced_capacity(s, i, env->sd)) {
			misfit = root->avg.load_avg;
		}
	}
	*g = (struct sg_stats){ .load = load,
				.capacity = c->capacity,
				.util = util,
				.runnable = runnable,
				.misfit = misfit,
				.nr_running = nr_running,
				.h_nr_running = h_nr_running,
				.idle_cpus = idle_cpus,
				.weight = group->weight,
				.cores = group->cores };
	if (!local && sched_group_asym(env, sg, g))
		g->asym_packing = 1;
	if (h_nr_running > 1 && !local && (group->flags & SD_SHARE_CPUCAPACITY) &&
	    env->idle != CPU_NOT_IDLE && sched_feat(s, LB_CORES))
		g->smt_balance = 1;
	g->type = group_classify(d->imbalance_pct, c->imbalance, g);
	if (g->type == GROUP_OVERLOADED)
		g->avg_load = g->load * SCHED_CAPACITY_SCALE / g->capacity;
}

/* Two groups with room: fewer idle CPUs, then more tasks; v6.6 on a lone task on a core stays. */
static bool busier_with_spare(const struct lb_env *env, u32 sg, const struct sg_stats *g,
			      const struct sd_stats *st)
{
	const struct sim *s = env->s;
	const struct sg_stats *b = &st->busiest;

	if (sched_feat(s, LB_CORES)) {
		bool smt = s->sgroups[sg].flags & SD_SHARE_CPUCAPACITY;
		bool best_smt = s->sgroups[st->busiest_sg].flags & SD_SHARE_CPUCAPACITY;

		if (smt != best_smt)
			return (smt ? g : b)->h_nr_running <= 1 ? !smt : smt;
	}
	if (g->idle_cpus != b->idle_cpus)
		return g->idle_cpus < b->idle_cpus;
	return g->nr_running > b->nr_running;
}

/* Is this CPU larger than the largest of the other group? In v5.10, with 20 %, this group's largest. */
static bool larger_max(const struct lb_env *env, const struct sched_group_capacity *c,
		       const struct sd_stats *st)
{
	const struct sim *s = env->s;

	if (lb_form(s)->fits_groups)
		return st->local_sg != NONE &&
		       fits_capacity(c->max_capacity,
				     s->sgcs[s->sgroups[st->local_sg].sgc].max_capacity);
	return capacity_greater(capacity_of(s, env->dst), c->max_capacity);
}

/* Is it smaller than the smallest of the other? */
static bool smaller_min(const struct lb_env *env, const struct sched_group_capacity *c,
			const struct sd_stats *st)
{
	const struct sim *s = env->s;

	if (lb_form(s)->fits_groups)
		return st->local_sg != NONE &&
		       fits_capacity(s->sgcs[s->sgroups[st->local_sg].sgc].min_capacity,
				     c->min_capacity);
	return capacity_greater(c->min_capacity, capacity_of(s, env->dst));
}

/* update_sd_pick_busiest() */
static bool busier(const struct lb_env *env, u32 sg, const struct sg_stats *g,
		   const struct sd_stats *st)
{
	const struct sim *s = env->s;
	const struct sched_group_capacity *c = &s->sgcs[s->sgroups[sg].sgc];
	const struct sg_stats *b = &st->busiest;
	bool asym = s->domains[env->sd].flags & SD_ASYM_CPUCAPACITY,
	     cores = sched_feat(s, LB_CORES);

	if (!g->h_nr_running)
		return false;
	if (asym && g->type == GROUP_MISFIT &&
	    ((lb_form(s)->misfit_idle_core && !is_core_idle(s, env->dst)) ||
	     !larger_max(env, c, st) || st->local.type != GROUP_HAS_SPARE))
		return false;
	/* A task on a CPU bigger than this one is well where it is. */
	if (asym && g->type <= GROUP_FULLY_BUSY && smaller_min(env, c, st))
		return false;
	if (st->busiest_sg == NONE || g->type > b->type)
		return true;
	if (g->type < b->type)
		return false;
	switch (g->type) {
	case GROUP_OVERLOADED:
		return g->avg_load > b->avg_load;
	case GROUP_IMBALANCED:
		return false;
	case GROUP_ASYM_PACKING:
		/* From the least preferred first. */
		return sched_asym_prefer(s, s->sgroups[st->busiest_sg].asym_prefer_cpu,
					 s->sgroups[sg].asym_prefer_cpu);
	case GROUP_MISFIT:
		return cores ? g->misfit > b->misfit : g->misfit >= b->misfit;
	case GROUP_SMT_BALANCE:
		if (g->idle_cpus || b->idle_cpus)
			return busier_with_spare(env, sg, g, st);
		/* fall through */
	case GROUP_FULLY_BUSY:
		if (!cores || g->avg_load != b->avg_load)
			return g->avg_load > b->avg_load;
		return !(s->sgroups[st->busiest_sg].flags & SD_SHARE_CPUCAPACITY);
	case GROUP_HAS_SPARE:
		return busier_with_spare(env, sg, g, st);
	}
	return false;
}

void lb_set_root_flags(struct lb_env *env, const struct lb_flags *flags)
{
	struct sim *s = env->s;
	bool top = s->domains[env->sd].parent == NONE;

	if (top)
		s->g->overloaded = flags->overloaded;
	if (flags->eas && (top || flags->overutilized))
		set_overutilized(s, flags->overutilized);
}

static void update_sd_stats(struct lb_env *env, struct sd_stats *st)
{
	struct sim *s = env->s;
	const struct sched_domain *d = &s->domains[env->sd];
	struct lb_flags flags = { .eas = eas_active(s) };
	u64 util = 0;

	*st = (struct sd_stats){ .local_sg = NONE, .busiest_sg = NONE };
	for_each_group(s, env->sd, sg)
	{
		bool local = cpumask_test(sg_span(s, sg), env->dst);
		struct sg_stats g;

		if (local && (env->idle != CPU_NEWLY_IDLE ||
			      sim_jiffies(s) >= s->sgcs[s->sgroups[sg].sgc].next_update))
			update_group_capacity(s, env->sd, env->dst);
		update_sg_stats(env, sg, local, &g, &flags);
		if (local) {
			st->local = g;
			st->local_sg = sg;
		} else if (busier(env, sg, &g, st)) {
			st->busiest = g;
			st->busiest_sg = sg;
		}
		st->total_load += g.load;
		st->total_capacity += g.capacity;
		util += g.util;
	}
	if (!sched_feat(s, LB_CORES))
		st->prefer_sibling = d->child != NONE &&
				     (s->domains[d->child].flags & SD_PREFER_SIBLING);
	else if (st->busiest_sg != NONE)
		st->prefer_sibling = s->sgroups[st->busiest_sg].flags & SD_PREFER_SIBLING;
	lb_set_root_flags(env, &flags);
	if (sched_feat(s, SIS_UTIL) && env->idle != CPU_NEWLY_IDLE && d->shared != NONE &&
	    d->span_weight == s->cpu_sd[env->dst].llc_size)
		s->llcs[d->shared].nr_idle_scan =
			idle_scan_limit(d->span_weight, util, d->imbalance_pct);
}

/* ---- decision ------------------------------------------------------------------------------ */

static bool worth_it(const struct lb_env *env, const struct lb_rules *r, struct sd_stats *st)
{
	const struct sg_stats *b = &st->busiest;
	struct sg_stats *l = &st->local;

	if (b->type == GROUP_MISFIT && !lb_form(env->s)->eas_first)
		return true;
	if (eas_active(env->s) && !env->s->g->overutilized)
		return false;
	if (b->type == GROUP_MISFIT)
		return true;
	if (b->type == GROUP_ASYM_PACKING || b->type == GROUP_IMBALANCED)
		return true;
	if (l->type > b->type)
		return false;
	if (l->type == GROUP_OVERLOADED) {
		if (l->avg_load >= b->avg_load)
			return false;
		st->avg_load = st->total_load * SCHED_CAPACITY_SCALE / st->total_capacity;
		if (l->avg_load >= st->avg_load)
			return false;
		if (100 * b->avg_load <= r->imbalance_pct * l->avg_load)
			return false;
	}
	if (st->prefer_sibling && l->type == GROUP_HAS_SPARE && sibling_imbalance(r, l, b) > 1)
		return true;
	if (b->type == GROUP_OVERLOADED)
		return true;
	if (env->idle == CPU_NOT_IDLE)
		return false;
	if (b->type == GROUP_SMT_BALANCE &&
	    !(env->s->sgroups[st->local_sg].flags & SD_SHARE_CPUCAPACITY))
		return true;
	if (b->weight > 1 && l->idle_cpus <= b->idle_cpus + 1)
		return false;
	return b->h_nr_running != 1;
}

u32 find_src_group(struct lb_env *env)
{
	const struct sim *s = env->s;
	const struct sched_domain *d = &s->domains[env->sd];
	struct sd_stats st;

	if (lb_form(s)->load_based)
		return find_busiest_group_v5_4(env);
	update_sd_stats(env, &st);
	if (st.busiest_sg == NONE || st.local_sg == NONE)
		return NONE;

	struct lb_rules r = {
		.imbalance_pct = d->imbalance_pct,
		.imb_numa_nr = d->imb_numa_nr,
		.asym = d->flags & SD_ASYM_CPUCAPACITY,
		.llc = d->flags & SD_SHARE_LLC,
		.numa = d->flags & SD_NUMA,
		.prefer_sibling = st.prefer_sibling,
		.by_cores = sched_feat(s, LB_CORES),
		.half_first = lb_form(s)->half_first,
		.numa_small = lb_form(s)->numa_small,
		.idle = env->idle,
	};

	if (!worth_it(env, &r, &st))
		return NONE;
	env->imbalance = (s64)calculate_imbalance(&r, &st, &env->kind);
	env->src_type = st.busiest.type;
	return env->imbalance > 0 ? st.busiest_sg : NONE;
}

cpu_id find_src_rq(struct lb_env *env, u32 sg)
{
	const struct sim *s = env->s;
	bool asym = s->domains[env->sd].flags & SD_ASYM_CPUCAPACITY;
	u64 best = 0, best_cap = 1;
	cpu_id cpu = NONE;

	if (lb_form(s)->load_based)
		return find_busiest_queue_v5_4(env, sg);

	for_each_group_cpu(i, s, sg, env->cpus)
	{
		const struct rq *rq = &s->rqs[i];
		u32 nr = root_cfs(s, i)->h_nr_runnable;
		u64 cap = rq->cpu_capacity, value = 0;

		if (!nr)
			continue;
		if (asym && nr == 1 &&
		    (lb_form(s)->queue_capacity ? capacity_of(s, env->dst) < cap
						: !capacity_greater(capacity_of(s, env->dst), cap)))
			continue;
		if (nr == 1 && sched_asym(s, env->sd, i, env->dst))
			continue;
		switch (env->kind) {
		case MIGRATE_LOAD:
			value = root_cfs(s, i)->avg.load_avg;
			if (nr == 1 && value > (u64)env->imbalance &&
			    !reduced_capacity(s, i, env->sd))
				continue;
			if (value * best_cap > best * cap) {
				best = value;
				best_cap = cap;
				cpu = i;
			}
			continue;
		case MIGRATE_UTIL:
			if (nr <= 1)
				continue;
			value = sched_feat(s, LB_CORES) ? cpu_util_cfs_boost(s, i)
							: cpu_util_cfs(s, i);
			break;
		case MIGRATE_TASK:
			value = nr;
			break;
		case MIGRATE_MISFIT:
			value = rq->misfit_task_load;
			break;
		}
		if (value > best) {
			best = value;
			cpu = i;
		}
	}
	return cpu;
}
