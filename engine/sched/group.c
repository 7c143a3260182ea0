/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * group.c - task groups: hierarchy, weights, list of queues with load. See group.h.
 *
 * Simplified: a group lives on all CPUs from its creation to the end of the run.
 */
#include "engine/sched/group.h"

#include "engine/sched/bandwidth.h"
#include "engine/sched/clock.h"
#include "engine/sched/features.h"
#include "engine/sched/load.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/place.h"
#include "engine/sched/queued_load.h"

u64 calc_group_shares(u64 shares, u64 tg_load, u64 contrib, u64 q_weight, u64 q_load_avg)
{
	/* The queued weight is up to date, the average knows of what sleeps: the larger counts. */
	u64 load = max_u64(scale_load_down(q_weight), q_load_avg);
	u64 total = tg_load - contrib + load;
	u64 weight = shares * load;

	if (total)
		weight /= total;
	if (weight < MIN_SHARES)
		return MIN_SHARES;
	return min_u64(weight, shares);
}

void update_cfs_group(struct sim *s, se_id id)
{
	if (is_task_se(id))
		return;

	const struct cfs_rq *gq = group_cfs_rq(s, id);

	if (!gq->load.weight && sched_feat(s, GROUP_KEEP_WEIGHT))
		return;
	if (throttled_hierarchy(gq))
		return;

	const struct task_group *tg = &s->groups[gq->tg];
	u64 weight = calc_group_shares(tg->shares, tg->load_avg, gq->tg_load_avg_contrib,
				       gq->load.weight, gq->avg.load_avg);

	if (se_get(s, id)->load.weight != weight)
		reweight_entity(s, cfs_rq_of(s, id), id, weight);
	if (sched_feat(s, QUEUED_LOAD))
		queued_load_group(s, id);
}

void se_update_runnable(struct sim *s, se_id id)
{
	if (!is_task_se(id))
		se_get(s, id)->runnable_weight = group_cfs_rq(s, id)->h_nr_runnable;
}

/* ---- the list ----------------------------------------------------------------------------- */

void list_add_leaf_cfs_rq(struct sim *s, struct cfs_rq *q)
{
	if (q->on_list)
		return;

	struct rq *rq = rq_of(s, q);
	cfs_id id = cfs_id_of(s, q), before = NONE;

	/*
	 * Directly before the nearest ancestor on the list, or last. Ancestors that join later do
	 * the same and so come after it.
	 */
	for (u32 tg = q->tg; tg != ROOT_TG && before == NONE;) {
		tg = s->groups[tg].parent;
		if (tg_cfs(s, tg, q->cpu)->on_list)
			before = tg_cfs_id(s, tg, q->cpu);
	}
	q->on_list = 1;
	q->leaf_next = before;
	q->leaf_prev = before == NONE ? rq->leaf_tail : s->cfs_rqs[before].leaf_prev;
	if (q->leaf_prev == NONE)
		rq->leaf_head = id;
	else
		s->cfs_rqs[q->leaf_prev].leaf_next = id;
	if (before == NONE)
		rq->leaf_tail = id;
	else
		s->cfs_rqs[before].leaf_prev = id;
}

void list_del_leaf_cfs_rq(struct sim *s, struct cfs_rq *q)
{
	if (!q->on_list)
		return;

	struct rq *rq = rq_of(s, q);

	if (q->leaf_prev == NONE)
		rq->leaf_head = q->leaf_next;
	else
		s->cfs_rqs[q->leaf_prev].leaf_next = q->leaf_next;
	if (q->leaf_next == NONE)
		rq->leaf_tail = q->leaf_prev;
	else
		s->cfs_rqs[q->leaf_next].leaf_prev = q->leaf_prev;
	q->on_list = 0;
	q->leaf_next = NONE;
	q->leaf_prev = NONE;
}

/* ---- making and changing ------------------------------------------------------------------ */

void cfs_rq_init(struct cfs_rq *q, u32 tg, cpu_id cpu)
{
	*q = (struct cfs_rq){
		.curr = NONE,
		.next = NONE,
		.last = NONE,
		.skip = NONE,
		.tg = tg,
		.cpu = cpu,
		.leaf_next = NONE,
		.leaf_prev = NONE,
		.throttled_next = NONE,
		.throttled_prev = NONE,
	};
	tree_root_init(&q->timeline);
	/* Virtual time begins shortly before it wraps, as in the kernel: mistakes show early. */
	q->min_vruntime = (u64) - (1 << 20);
	q->zero_vruntime = (u64) - (1 << 20);
}

static void group_init_cpu(struct sim *s, u32 tg, cpu_id cpu)
{
	const struct task_group *g = &s->groups[tg];
	cfs_id q = tg_cfs_id(s, tg, cpu);
	struct sched_entity *se = se_get(s, SE_GROUP | q);

	cfs_rq_init(cfs_get(s, q), tg, cpu);
	*se = (struct sched_entity){
		.parent = cfs_se_id(s, tg_cfs(s, g->parent, cpu)),
		.cfs_rq = tg_cfs_id(s, g->parent, cpu),
		.my_q = q,
		.depth = g->depth - 1,
		.queued_weight = NICE_0_LOAD,
	};
	/* The weight of nice 0 until a task comes: then shares and load decide. */
	update_load_set(&se->load, NICE_0_LOAD);
	init_entity_runnable_average(s, SE_GROUP | q);
}

void group_init(struct sim *s, u32 tg, u32 parent, u64 shares, u32 name)
{
	struct task_group *g = &s->groups[tg];

	*g = (struct task_group){
		.parent = parent,
		.name = name,
		.shares = shares,
		.first_child = NONE,
		.next_sibling = NONE,
	};
	tg_bandwidth_init(g);
	g->uclamp_req[1] = g->uclamp[1] = SCHED_CAPACITY_SCALE;
	g->cpus = g->cpus_now = 0;
	mask_get_ref(s, 0);
	mask_get_ref(s, 0);
	if (parent == NONE) {
		/* The root restricts nobody. */
		g->uclamp_req[0] = g->uclamp[0] = SCHED_CAPACITY_SCALE;
		return;
	}
	g->uclamp[1] = s->groups[parent].uclamp[1];
	mask_put(s, g->cpus_now);
	g->cpus_now = s->groups[parent].cpus_now;
	mask_get_ref(s, g->cpus_now);
	g->depth = s->groups[parent].depth + 1;
	g->next_sibling = s->groups[parent].first_child;
	s->groups[parent].first_child = tg;
}

u32 group_new(struct sim *s, u32 parent, u64 shares, u32 name)
{
	u32 tg = arena_len(&s->arena, POOL_GROUP);

	if (sim_reserve_group(s))
		return NONE;
	group_init(s, tg, parent, shares, name);
	for (cpu_id cpu = 0; cpu < s->g->nr_cpus; cpu++)
		group_init_cpu(s, tg, cpu);
	for (cpu_id cpu = 0; cpu < s->g->nr_cpus; cpu++) {
		update_rq_clock(s, rq_get(s, cpu));
		attach_entity_cfs_rq(s, SE_GROUP | tg_cfs_id(s, tg, cpu));
		sync_throttle(s, tg_cfs(s, tg, cpu));
	}
	return tg;
}

u32 next_group_below(const struct sim *s, u32 top, u32 id)
{
	if (s->groups[id].first_child != NONE)
		return s->groups[id].first_child;
	while (id != top && s->groups[id].next_sibling == NONE)
		id = s->groups[id].parent;
	return id == top ? NONE : s->groups[id].next_sibling;
}

/* __sched_group_set_shares() */
static void set_shares(struct sim *s, u32 tg, u64 shares)
{
	if (s->groups[tg].shares == shares)
		return;
	s->groups[tg].shares = shares;
	for (cpu_id cpu = 0; cpu < s->g->nr_cpus; cpu++) {
		se_id id = SE_GROUP | tg_cfs_id(s, tg, cpu);

		update_rq_clock(s, rq_get(s, cpu));
		for_each_sched_entity(s, id)
		{
			update_load_avg(s, cfs_rq_of(s, id), id, UPDATE_TG);
			update_cfs_group(s, id);
		}
	}
}

int group_set_shares(struct sim *s, u32 tg, u64 shares)
{
	if (tg == ROOT_TG || s->groups[tg].idle || shares < MIN_SHARES || shares > MAX_SHARES)
		return -1;
	set_shares(s, tg, shares);
	return 0;
}

int group_set_idle(struct sim *s, u32 tg, bool idle)
{
	if (tg == ROOT_TG)
		return -1;
	if (s->groups[tg].idle == idle)
		return 0;
	s->groups[tg].idle = idle;
	for (cpu_id cpu = 0; cpu < s->g->nr_cpus; cpu++) {
		const struct cfs_rq *gq = tg_cfs(s, tg, cpu);
		se_id id = cfs_se_id(s, gq);
		/* Tasks that were not idle to those outside become so, or the other way. */
		u32 delta = gq->h_nr_queued - gq->h_nr_idle;

		update_rq_clock(s, rq_get(s, cpu));
		se_get(s, id)->idle = idle;
		for (; id != NONE && se_get(s, id)->on_rq; id = parent_se(s, id)) {
			struct cfs_rq *q = cfs_rq_of(s, id);

			q->h_nr_idle += idle ? delta : 0 - delta;
			if (cfs_rq_is_idle(s, q))
				break;
		}
	}
	set_shares(s, tg, idle ? scale_load(WEIGHT_IDLEPRIO) : NICE_0_LOAD);
	return 0;
}
