/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_build.c - from the description of a machine to the arena: sizes of pools, CPUs, frequency
 * domains, idle states, the root group.
 */
#include <string.h>

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/hw/energy.h"
#include "engine/hw/topology.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/clock.h"
#include "engine/sched/group.h"
#include "engine/sched/place.h"
#include "engine/sim_internal.h"
#include "engine/workload/measure.h"
#include "engine/workload/workload.h"

int sim_size_pools(struct sim *s, const struct machine_desc *m, struct err *err)
{
	struct arena *a = &s->arena;
	u32 n = m->nr_cpus, words = cpumask_words(n), stats = 0;
	u32 records = m->nr_llcs > m->nr_nodes ? m->nr_llcs : m->nr_nodes;

	for (u32 d = 0; d < m->nr_freq_domains; d++)
		stats += m->freq_domains[d].nr_opps;

	const struct {
		u32 pool, len;
	} arrays[] = {
		{ POOL_GLOBALS, 1 },
		{ POOL_RQ, n },
		{ POOL_CPU_TOPO, n },
		{ POOL_FREQ_DOMAIN, m->nr_freq_domains },
		{ POOL_OPP, m->nr_opps },
		{ POOL_SUGOV_CPU, n },
		{ POOL_IDLE_STATE, m->nr_idle_states },
		{ POOL_NODE_DISTANCE, m->nr_nodes * m->nr_nodes },
		{ POOL_GROUP, 1 },
		{ POOL_GROUP_STATS, 1 },
		{ POOL_GROUP_SE, n },
		{ POOL_CFS_RQ, n },
		{ POOL_RESCHED, words },
		{ POOL_NOHZ, records },
		{ POOL_NOHZ_MASK, words * records },
		{ POOL_POLICY_CPU, n * POLICY_COLUMNS },
		{ POOL_POLICY_GLOBAL, POLICY_PARAMS_MAX * NR_SLOTS },
		{ POOL_STATS, 1 },
		{ POOL_KHIST, NR_KHISTS },
		{ POOL_CPU_STATS, n },
		{ POOL_NODE_STATS, m->nr_nodes },
		{ POOL_STARVED_ROWS, n * ((m->nr_nodes + 63) / 64) },
		{ POOL_STARVED_CPUS, 2 * words },
		{ POOL_OPP_STATS, stats },
		{ POOL_FD_STATS, m->nr_freq_domains },
		/* masks: all CPUs, and per CPU at most SMT, cluster, LLC, node; domains; states */
		{ POOL_MASK_WORDS, words * (4 * n + m->nr_freq_domains + m->nr_idle_states + 16) },
	};
	const struct arena_need ids[] = {
		{ POOL_MASK, 4 * n + m->nr_freq_domains + m->nr_idle_states + 16 },
		{ POOL_TEXT, 4 },
		{ POOL_LAT_GROUP, 1 },
	};

	for (u32 i = 0; i < ARRAY_SIZE(arrays); i++)
		if (arena_array_resize(a, arrays[i].pool, arrays[i].len, err))
			return -1;
	return arena_reserve_set(a, ids, ARRAY_SIZE(ids), err);
}

/* Mask of the CPUs for which @same holds with @cpu. */
static mask_id mask_of(struct sim *s, const struct machine_desc *m, u32 cpu, size_t field)
{
	u64 words[MACHINE_WORDS(MACHINE_MAX_CPUS)] = { 0 };
	const u32 *mine = (const void *)((const char *)&m->cpus[cpu] + field);

	for (u32 c = 0; c < m->nr_cpus; c++) {
		const u32 *his = (const void *)((const char *)&m->cpus[c] + field);

		if (*his == *mine)
			cpumask_set(words, c);
	}
	return mask_intern(s, words);
}

static void build_cpu(struct sim *s, const struct machine_desc *m, u32 c)
{
	const struct machine_cpu *mc = &m->cpus[c];
	const struct machine_core_type *type = &m->core_types[mc->type];
	struct cpu_topo *t = &s->topo[c];
	u32 first = c;

	*t = (struct cpu_topo){ .type = mc->type,
				.core = mc->core,
				.thread = mc->thread,
				.cluster = mc->cluster,
				.llc = mc->llc,
				.node = mc->node,
				.package = mc->package,
				.fd = mc->freq_domain };
	for (u32 o = 0; o < m->nr_cpus; o++)
		if (m->cpus[o].core == mc->core && o < first)
			first = o;
	t->core_first = first;
	t->smt_mask = mask_of(s, m, c, offsetof(struct machine_cpu, core));
	t->cluster_mask = mask_of(s, m, c, offsetof(struct machine_cpu, cluster));
	t->llc_mask = mask_of(s, m, c, offsetof(struct machine_cpu, llc));
	t->node_mask = mask_of(s, m, c, offsetof(struct machine_cpu, node));
	t->smt_threads = s->masks[t->smt_mask].weight;
	for (u32 k = 0; k < ARRAY_SIZE(t->smt_pct); k++)
		t->smt_pct[k] = k < type->smt ? type->smt_throughput_pct[k] : 100 * (k + 1);
	if (t->smt_threads > 1)
		s->g->has_smt = 1;
}

static void build_queue(struct sim *s, u32 c, u32 capacity, u32 performance)
{
	struct rq *rq = &s->rqs[c];
	struct cfs_rq *q = &s->cfs_rqs[c];

	*rq = (struct rq){ .cpu = c,
			   .curr = NONE,
			   .mode = CPU_IDLE,
			   .cpu_capacity = capacity,
			   .cpu_capacity_orig = capacity,
			   .performance = performance ? performance : capacity,
			   .idle_state = NONE,
			   .timer_list = NONE,
			   .timer_list_tail = NONE,
			   .leaf_head = NONE,
			   .leaf_tail = NONE,
			   .cfs_tasks_head = NONE,
			   .cfs_tasks_tail = NONE,
			   .push_cpu = NONE,
			   .rt_head = NONE,
			   .rt_tail = NONE,
			   .rt_runtime = s->g->tun.rt_runtime_us * NSEC_PER_USEC,
			   .dl_head = NONE,
			   .dl_tail = NONE,
			   .dl_waiting = NONE,
			   .fs_timer = NEVER,
			   .lock_holder = NONE,
			   .tick_stopped = 1,
			   .uclamp_max = SCHED_CAPACITY_SCALE,
			   .uclamp_idle = 1,
			   .clock_task = CLOCK_TASK_START,
			   .clock_pelt = CLOCK_TASK_START,
			   .clock_task_mult = CLOCK_TASK_START };
	rq->max_idle_balance_cost = s->g->tun.migration_cost;
	rq->avg_idle = 2 * s->g->tun.migration_cost;
	cfs_rq_init(q, ROOT_TG, c);
}

static void build_domain(struct sim *s, const struct machine_desc *m, u32 d, u32 first_stat)
{
	const struct machine_freq_domain *md = &m->freq_domains[d];
	struct freq_domain *fd = &s->fds[d];
	u64 words[MACHINE_WORDS(MACHINE_MAX_CPUS)] = { 0 };
	u32 top = m->opps[md->first_opp + md->nr_opps - 1].khz;

	*fd = (struct freq_domain){ .first_opp = md->first_opp,
				    .nr_opps = md->nr_opps,
				    .first_cpu = NONE,
				    .cur_khz = m->opps[md->first_opp].khz,
				    .max_khz = top,
				    .min_khz = m->opps[md->first_opp].khz,
				    .ref_khz = top,
				    .first_stat = first_stat,
				    .transition_latency_us = md->transition_latency_us,
				    .fast_switch = md->fast_switch,
				    .switch_at = NEVER };
	for (u32 c = 0; c < m->nr_cpus; c++) {
		if (m->cpus[c].freq_domain != d)
			continue;
		cpumask_set(words, c);
		fd->nr_cpus++;
		fd->capacity_orig = m->cpus[c].capacity;
		if (fd->first_cpu == NONE)
			fd->first_cpu = c;
		s->rqs[c].freq_scale = (u32)(((u64)fd->cur_khz << 10) / fd->ref_khz);
	}
	fd->cpus = mask_intern(s, words);
	fd->next_freq = fd->cur_khz;
	em_domain_init(s, d);
}

void sim_build(struct sim *s, const struct machine_desc *m)
{
	struct globals *g = s->g;
	u64 all[MACHINE_WORDS(MACHINE_MAX_CPUS)] = { 0 };
	u32 stat = 0;

	cpumask_fill(all, g->mask_words, g->nr_cpus);
	BUG_ON(mask_intern(s, all) != 0);
	g->online = 0;
	mask_get_ref(s, 0);
	mask_get_ref(s, 0); /* housekeeping */
	for (u32 i = 0; i < m->nr_opps; i++)
		s->opps[i] = (struct opp){ .khz = m->opps[i].khz,
					   .capacity = m->opps[i].capacity,
					   .power_uw = m->opps[i].power_uw,
					   .idle_power_uw = m->opps[i].idle_power_uw };
	for (u32 c = 0; c < g->nr_cpus; c++) {
		build_queue(s, c, m->cpus[c].capacity, m->cpus[c].performance);
		if (m->cpus[c].capacity != m->cpus[0].capacity)
			g->asym_capacity = g->asym_machine = 1;
	}
	for (u32 c = 0; c < g->nr_cpus; c++)
		build_cpu(s, m, c);
	for (u32 d = 0; d < g->nr_fds; d++) {
		build_domain(s, m, d, stat);
		stat += m->freq_domains[d].nr_opps;
	}
	for (u32 i = 0; i < m->nr_idle_states; i++) {
		const struct machine_idle_state *mi = &m->idle_states[i];
		struct idle_state *is = &s->idle_states[i];

		*is = (struct idle_state){ .scope = mi->scope,
					   .entry_us = mi->entry_us,
					   .exit_us = mi->exit_us,
					   .residency_us = mi->residency_us,
					   .power_uw = mi->power_uw,
					   .has_power = mi->power_uw != 0,
					   .local_timer_stop = mi->local_timer_stop };
		memcpy(is->name, mi->name, sizeof(is->name) - 1);
		is->cpus = mask_intern(s, mi->cpus);
	}
	u64 *dist = arena_base(&s->arena, POOL_NODE_DISTANCE);

	for (u32 i = 0; i < m->nr_nodes * m->nr_nodes; i++)
		dist[i] = m->distance[i];

	group_init(s, ROOT_TG, NONE, 1024u << 10, text_intern(s, "/"));

	u32 all_lat = arena_alloc(&s->arena, POOL_LAT_GROUP);

	memcpy(s->lat_groups[all_lat].name, "all", 4);
}
