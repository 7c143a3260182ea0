/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim.c - life and time of a simulation: building it from a machine, and the event loop.
 *
 * One loop turn: apply the inputs that are due, take the earliest event, dispatch it by its class,
 * let every CPU that was flagged look again (lowest number first, like the way out of an
 * interrupt). Order at equal time is part of the specification: class, then source number.
 */
#include "engine/sim.h"

#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/base/rng.h"
#include "engine/hw/cpufreq.h"
#include "engine/hw/energy.h"
#include "engine/hw/topology.h"
#include "engine/observe/emit.h"
#include "engine/observe/starved.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/class.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/costs.h"
#include "engine/sched/exec.h"
#include "engine/sched/features.h"
#include "engine/sched/group.h"
#include "engine/sched/idle.h"
#include "engine/sched/place.h"
#include "engine/sim_internal.h"
#include "engine/workload/workload.h"

#define SAME_TIME_MAX 1000000u /* events at one instant before the run is stopped */

static const struct pool_desc sim_pools[NR_POOLS] = {
#define M POOL_MODEL
	[POOL_GLOBALS] = { "globals", sizeof(struct globals), POOL_ARRAY | M, 1, NULL },
	[POOL_RQ] = { "run queues", sizeof(struct rq), POOL_ARRAY | M, 0, NULL },
	[POOL_CPU_TOPO] = { "CPUs", sizeof(struct cpu_topo), POOL_ARRAY | M, 0, NULL },
	[POOL_FREQ_DOMAIN] = { "frequency domains", sizeof(struct freq_domain), POOL_ARRAY | M, 0,
			       NULL },
	[POOL_OPP] = { "operating points", sizeof(struct opp), POOL_ARRAY | M, 0, NULL },
	[POOL_SUGOV_CPU] = { "governor CPUs", sizeof(struct sugov_cpu), POOL_ARRAY | M, 0, NULL },
	[POOL_IDLE_STATE] = { "idle states", sizeof(struct idle_state), POOL_ARRAY | M, 0, NULL },
	[POOL_NODE_DISTANCE] = { "node distances", sizeof(u64), POOL_ARRAY | M, 0, NULL },
	[POOL_TASK] = { "tasks", sizeof(struct task), POOL_IDS | M, 0, "max_tasks" },
	[POOL_TASK_SE] = { "task entities", sizeof(struct sched_entity), POOL_ARRAY | M, 0, NULL },
	[POOL_GROUP] = { "task groups", sizeof(struct task_group), POOL_ARRAY | M, 1u << 20,
			 "max_groups" },
	[POOL_GROUP_SE] = { "group entities", sizeof(struct sched_entity), POOL_ARRAY | M, 1u << 20,
			    "groups x CPUs" },
	[POOL_CFS_RQ] = { "group queues", sizeof(struct cfs_rq), POOL_ARRAY | M, 1u << 20,
			  "groups x CPUs" },
	[POOL_STEP] = { "program steps", sizeof(struct step), POOL_IDS | M, 1u << 24, NULL },
	[POOL_PROGRAM] = { "programs", sizeof(struct program), POOL_IDS | M, 1u << 20, NULL },
	[POOL_SYNC] = { "sync objects", sizeof(struct sync_obj), POOL_IDS | M, 1u << 24, NULL },
	/* Looked up one by one: more would take seconds to load. */
	[POOL_TEXT] = { "names", sizeof(struct text), POOL_IDS | M, 1u << 14, NULL },
	[POOL_MASK] = { "CPU sets", sizeof(struct mask_head), POOL_IDS | M, 1u << 20, NULL },
	[POOL_MASK_WORDS] = { "CPU set words", sizeof(u64), POOL_ARRAY | M, 1u << 26, NULL },
	[POOL_RESCHED] = { "reschedule words", sizeof(u64), POOL_ARRAY | M, 0, NULL },
	[POOL_NOHZ] = { "idle balancing", sizeof(struct nohz_record), POOL_ARRAY | M, 0, NULL },
	[POOL_NOHZ_MASK] = { "nohz words", sizeof(u64), POOL_ARRAY | M, 0, NULL },
	[POOL_EVQ_KEY] = { "event keys", sizeof(u64), POOL_ARRAY, 0, NULL },
	[POOL_EVQ_WIN] = { "event winners", sizeof(u32), POOL_ARRAY, 0, NULL },
	[POOL_POLICY_CPU] = { "policy columns", sizeof(s64), POOL_ARRAY | M, 0, NULL },
	[POOL_POLICY_TASK] = { "policy columns", sizeof(s64), POOL_ARRAY | M, 0, NULL },
	[POOL_POLICY_GLOBAL] = { "policy columns", sizeof(s64), POOL_ARRAY | M, 0, NULL },
	[POOL_SCHED_DOMAIN] = { "sched domains", sizeof(struct sched_domain), POOL_ARRAY | M, 0,
				NULL },
	[POOL_SCHED_GROUP] = { "sched groups", sizeof(struct sched_group), POOL_ARRAY | M, 0,
			       NULL },
	[POOL_SCHED_GROUP_CAPACITY] = { "group capacities", sizeof(struct sched_group_capacity),
					POOL_ARRAY | M, 0, NULL },
	[POOL_LLC] = { "caches", sizeof(struct llc_shared), POOL_ARRAY | M, 0, NULL },
	[POOL_CPU_SD] = { "CPUs' domains", sizeof(struct cpu_sd), POOL_ARRAY | M, 0, NULL },
	[POOL_PERF_DOMAIN] = { "performance domains", sizeof(struct perf_domain), POOL_ARRAY | M, 0,
			       NULL },
	[POOL_STATS] = { "statistics", sizeof(struct sim_stats), POOL_ARRAY, 1, NULL },
	[POOL_CPU_STATS] = { "CPU statistics", sizeof(struct cpu_stats), POOL_ARRAY, 0, NULL },
	[POOL_NODE_STATS] = { "node statistics", sizeof(struct node_stats), POOL_ARRAY, 0, NULL },
	[POOL_STARVED_ROWS] = { "nodes wanted", sizeof(u64), POOL_ARRAY, 0, NULL },
	[POOL_STARVED_CPUS] = { "CPUs touched", sizeof(u64), POOL_ARRAY, 0, NULL },
	[POOL_TASK_STATS] = { "task statistics", sizeof(struct task_stats), POOL_ARRAY, 0, NULL },
	[POOL_OPP_STATS] = { "residencies", sizeof(struct opp_stats), POOL_ARRAY, 0, NULL },
	[POOL_GROUP_STATS] = { "group statistics", sizeof(struct group_stats), POOL_ARRAY, 0,
			       NULL },
	[POOL_FD_STATS] = { "domain statistics", sizeof(struct fd_stats), POOL_ARRAY, 0, NULL },
	[POOL_LAT_GROUP] = { "latency groups", sizeof(struct lat_group), POOL_IDS, 1024,
			     "latency groups" },
	[POOL_TASK_HIST] = { "task histograms", sizeof(struct task_hist), POOL_IDS, 8192, NULL },
	[POOL_KHIST] = { "kernel histograms", sizeof(struct khist_row), POOL_ARRAY, NR_KHISTS,
			 NULL },
	[POOL_COUNTER] = { "counters", sizeof(struct counter), POOL_IDS, 1024, NULL },
	[POOL_THROUGHPUT] = { "throughput figures", sizeof(struct throughput), POOL_IDS, 256,
			      NULL },
#undef M
};

void sim_bind(struct sim *s)
{
	const struct arena *a = &s->arena;

#define BIND(field, pool) s->field = arena_base(a, pool)
	BIND(g, POOL_GLOBALS);
	BIND(rqs, POOL_RQ);
	BIND(topo, POOL_CPU_TOPO);
	BIND(fds, POOL_FREQ_DOMAIN);
	BIND(opps, POOL_OPP);
	BIND(sugov, POOL_SUGOV_CPU);
	BIND(idle_states, POOL_IDLE_STATE);
	BIND(tasks, POOL_TASK);
	BIND(task_se, POOL_TASK_SE);
	BIND(groups, POOL_GROUP);
	BIND(group_se, POOL_GROUP_SE);
	BIND(cfs_rqs, POOL_CFS_RQ);
	BIND(steps, POOL_STEP);
	BIND(programs, POOL_PROGRAM);
	BIND(syncs, POOL_SYNC);
	BIND(texts, POOL_TEXT);
	BIND(masks, POOL_MASK);
	BIND(mask_words, POOL_MASK_WORDS);
	BIND(resched, POOL_RESCHED);
	BIND(nohz, POOL_NOHZ);
	BIND(nohz_mask, POOL_NOHZ_MASK);
	BIND(policy_cpu, POOL_POLICY_CPU);
	BIND(policy_task, POOL_POLICY_TASK);
	BIND(policy_global, POOL_POLICY_GLOBAL);
	BIND(domains, POOL_SCHED_DOMAIN);
	BIND(sgroups, POOL_SCHED_GROUP);
	BIND(sgcs, POOL_SCHED_GROUP_CAPACITY);
	BIND(llcs, POOL_LLC);
	BIND(cpu_sd, POOL_CPU_SD);
	BIND(perf_domains, POOL_PERF_DOMAIN);
	BIND(stats, POOL_STATS);
	BIND(cpu_stats, POOL_CPU_STATS);
	BIND(node_stats, POOL_NODE_STATS);
	BIND(starved_rows, POOL_STARVED_ROWS);
	BIND(starved_new, POOL_STARVED_CPUS);
	s->starved_old = s->starved_new + s->g->mask_words;
	BIND(task_stats, POOL_TASK_STATS);
	BIND(opp_stats, POOL_OPP_STATS);
	BIND(fd_stats, POOL_FD_STATS);
	BIND(group_stats, POOL_GROUP_STATS);
	BIND(lat_groups, POOL_LAT_GROUP);
	BIND(task_hists, POOL_TASK_HIST);
	BIND(khists, POOL_KHIST);
	BIND(counters, POOL_COUNTER);
	BIND(throughputs, POOL_THROUGHPUT);
#undef BIND
	if (s->g->nr_sources)
		evq_bind(&s->evq, arena_base(a, POOL_EVQ_KEY), arena_base(a, POOL_EVQ_WIN),
			 s->g->nr_sources);
}

static void bind_sources(struct sim *s)
{
	u32 n = s->g->nr_cpus;

	s->src_fd = 0;
	s->src_seg = s->g->nr_fds;
	s->src_tick = s->src_seg + n;
	s->src_class = s->src_tick + n;
	s->src_rt = s->src_class + n;
	s->src_group = s->src_rt + 1;
	s->src_task = s->src_group + 2 * s->g->nr_group_sources;
}

void sim_bind_policies(struct sim *s)
{
	for (u32 i = 0; i < NR_SLOTS; i++)
		s->policy[i] = s->registry[s->g->policy[i]];
	s->pick = s->policy[SLOT_PICK]->ops;
	s->uest = s->policy[SLOT_UTIL_EST]->ops;
}

/* At time 0 every CPU is idle with its tick stopped. */
static void start_cpus(struct sim *s)
{
	for (u32 c = 0; c < s->g->nr_cpus; c++) {
		struct rq *rq = &s->rqs[c];

		idle_enter(s, rq);
		rq->idle_calls = 0;
		cpu_set_speed(s, c);
		evq_set(&s->evq, s->src_seg + c, EVQ_NEVER);
	}
}

struct sim *sim_new(const struct sim_config *cfg, struct err *err)
{
	const struct machine_desc *m = cfg->machine;
	struct sim *s;
	int profile;

	if (machine_validate(m, err))
		return NULL;
	profile = sim_profile_index(cfg->profile, err);
	if (profile < 0)
		return NULL;
	if (cfg->seed > (1ull << 53) - 1) {
		err_set(err, ERR_USAGE, "seed %llu is not in 0 .. 2^53 - 1",
			(unsigned long long)cfg->seed);
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		err_set(err, ERR_LIMIT, "out of memory for a simulation");
		return NULL;
	}
	s->script_next = NEVER;
	s->specs = calloc(1, sizeof(*s->specs));
	s->machine = machine_desc_dup(m);
	if (s->machine)
		s->comm_ranks = machine_remote_ranks(s->machine);
	if (!s->specs || !s->comm_ranks) {
		err_set(err, ERR_LIMIT, "out of memory for a simulation");
		goto fail;
	}
	arena_set_alloc(&s->arena, cfg->alloc, cfg->alloc_ctx);
	if (arena_init(&s->arena, sim_pools, NR_POOLS,
		       cfg->max_bytes ? cfg->max_bytes : (size_t)4 << 30, err))
		goto fail;
	arena_set_limit(&s->arena, POOL_TASK, (cfg->max_tasks ? cfg->max_tasks : 131072) + 1);
	if (sim_size_pools(s, m, err))
		goto fail;
	sim_bind(s);
	s->g->seed = cfg->seed;
	s->g->nr_cpus = s->g->nr_online = m->nr_cpus;
	s->g->nr_fds = m->nr_freq_domains;
	s->g->nr_nodes = m->nr_nodes;
	s->g->mask_words = cpumask_words(m->nr_cpus);
	s->g->has_em = m->has_energy_model;
	s->g->profile = (u32)profile;
	s->g->this_cpu = NONE;
	bind_sources(s);
	for (u32 i = 0; i < nr_builtin_policies; i++)
		s->registry[s->nr_registry++] = builtin_policies[i];
	s->g->rt_period_end = NEVER;
	sim_apply_profile(s, (u32)profile);
	if (sim_room(s, NONE, 1, err))
		goto fail;
	sim_build(s, m);
	if (domains_build(s, err))
		goto fail;
	if (cfg->trace_records) {
		u32 n = 1;

		while (n < cfg->trace_records && n < 1u << 30)
			n *= 2;
		s->trace.ring = malloc((size_t)n * sizeof(*s->trace.ring));
		if (!s->trace.ring) {
			err_set(err, ERR_LIMIT, "out of memory for %u trace records", n);
			goto fail;
		}
		s->trace.ring_size = n;
		s->trace.ring_mask = s->trace.mask = TRACE_DEFAULT;
	}
	for (u32 i = 0; i < arena_len(&s->arena, POOL_NODE_STATS); i++)
		s->node_stats[i].starved_since = NEVER;
	starved_recount(s);
	start_cpus(s);
	sim_start_governor(s);
	return s;
fail:
	sim_free(s);
	return NULL;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	arena_fini(&s->arena);
	journal_free(&s->journal);
	if (s->specs)
		spec_table_free(s->specs);
	free(s->specs);
	machine_free(s->machine);
	free(s->comm_ranks);
	free(s->trace.ring);
	free(s);
}

struct sim *sim_copy(const struct sim *s, struct err *err)
{
	struct sim *c = calloc(1, sizeof(*c));

	if (!c) {
		err_set(err, ERR_LIMIT, "out of memory for a copy");
		return NULL;
	}
	c->script_next = NEVER;
	c->specs = calloc(1, sizeof(*c->specs));
	c->machine = machine_desc_dup(s->machine);
	arena_set_alloc(&c->arena, s->arena.alloc_fn, s->arena.alloc_ctx);
	if (c->machine)
		c->comm_ranks = machine_remote_ranks(c->machine);
	if (!c->specs || !c->comm_ranks || spec_table_copy(c->specs, s->specs, err) ||
	    journal_copy(&c->journal, &s->journal, err) || arena_copy(&c->arena, &s->arena, err)) {
		err_set(err, ERR_LIMIT, "out of memory for a copy");
		sim_free(c);
		return NULL;
	}
	c->nr_registry = s->nr_registry;
	memcpy(c->registry, s->registry, sizeof(c->registry));
	c->err = s->err;
	sim_bind(c);
	bind_sources(c);
	sim_bind_policies(c);
	return c;
}

int sim_restore(struct sim *s, const struct sim *from, struct err *err)
{
	/* The journal keeps what came later: applied says where in it the state stands. */
	if (from->journal.applied > s->journal.nr)
		return err_set(err, ERR_USAGE, "that state is not from this simulation's past");
	if (arena_copy(&s->arena, &from->arena, err))
		return -1;
	s->journal.applied = from->journal.applied;
	s->err = from->err;
	sim_bind(s);
	bind_sources(s);
	sim_bind_policies(s);
	return 0;
}

int sim_reserve_group(struct sim *s)
{
	struct arena *a = &s->arena;
	u32 groups = arena_len(a, POOL_GROUP) + 1, slots = 4;
	u32 rows = groups * s->g->nr_cpus;
	int r;

	while (slots < groups)
		slots *= 2;
	/* The last to grow, so that a failure leaves no group without its timers. */
	r = arena_array_resize(a, POOL_GROUP_SE, rows, &s->err) ||
	    arena_array_resize(a, POOL_CFS_RQ, rows, &s->err) ||
	    arena_array_resize(a, POOL_GROUP_STATS, groups, &s->err);
	sim_bind(s);
	if (r || (slots > s->g->nr_group_sources &&
		  sim_resize_sources(s, slots, arena_len(a, POOL_TASK_SE), &s->err)))
		return -1;
	r = arena_array_resize(a, POOL_GROUP, groups, &s->err);
	sim_bind(s);
	return r ? -1 : 0;
}

int sim_resize_sources(struct sim *s, u32 groups, u32 tasks, struct err *err)
{
	struct arena *a = &s->arena;
	u32 old_nr = s->g->nr_sources, old_task = s->src_task;
	u32 kept = old_nr > old_task ? old_nr - old_task
				     : 0; /* tasks, none before the first call */
	u32 nr = s->src_group + 2 * groups + tasks, width = evq_width(nr);

	if (width > arena_len(a, POOL_EVQ_KEY) &&
	    (arena_array_resize(a, POOL_EVQ_KEY, width, err) ||
	     arena_array_resize(a, POOL_EVQ_WIN, width, err))) {
		sim_bind(s);
		return -1;
	}

	u64 *key = arena_base(a, POOL_EVQ_KEY);

	s->g = arena_base(a, POOL_GLOBALS);
	s->g->nr_sources = nr;
	s->g->nr_group_sources = groups;
	bind_sources(s);
	sim_bind(s);
	/* Timers of groups come before those of tasks, which move up. */
	if (kept)
		memmove(key + s->src_task, key + old_task, kept * sizeof(*key));
	for (u32 i = kept ? old_task : 0; i < s->src_task; i++)
		key[i] = EVQ_NEVER;
	for (u32 i = s->src_task + kept; i < width; i++)
		key[i] = EVQ_NEVER;
	evq_rebuild(&s->evq);
	return 0;
}

int sim_room_masks(struct sim *s, u32 n)
{
	struct arena *a = &s->arena;
	u32 words = 16;
	int r = arena_reserve(a, POOL_MASK, n, &s->err);

	sim_bind(s);
	while (words < (arena_len(a, POOL_MASK) + n) * s->g->mask_words)
		words *= 2;
	if (!r && words > arena_len(a, POOL_MASK_WORDS))
		r = arena_array_resize(a, POOL_MASK_WORDS, words, &s->err);
	sim_bind(s);
	return r;
}

/* ---- time ---------------------------------------------------------------------------------- */

static void dispatch(struct sim *s, u32 src, u32 class)
{
	if (src >= s->src_task) {
		task_id p = src - s->src_task;
		struct task *t = &s->tasks[p];

		evq_set(&s->evq, src, EVQ_NEVER);
		t->wake_at = NEVER;
		cpu_interrupt(s, &s->rqs[t->wake_cpu], PATH_WAKEUP,
			      t->state == TASK_NEW ? KS_NEW_TASK : KS_TTWU, p, 0,
			      cost_of_wakeup(s, t->wake_cpu));
	} else if (src >= s->src_group) {
		bandwidth_timer(s, (src - s->src_group) / 2, (src - s->src_group) % 2);
	} else if (src == s->src_rt) {
		rt_period_timer(s);
	} else if (src >= s->src_class) {
		class_timer(s, &s->rqs[src - s->src_class]);
	} else if (src >= s->src_tick) {
		struct rq *rq = &s->rqs[src - s->src_tick];

		rq->tick_jiffy++;
		evq_set(&s->evq, src, evq_key_of(jiffy_start(s, rq->tick_jiffy), EVC_TICK));
		cpu_interrupt(s, rq, PATH_TICK, KS_TICK, 0, 0, cost_of_tick(s, rq));
	} else if (src >= s->src_seg) {
		cpu_segment_end(s, &s->rqs[src - s->src_seg]);
	} else {
		cpufreq_switch_done(s, src - s->src_fd);
	}
	(void)class;
}

void sim_drain_resched(struct sim *s)
{
	while (s->g->nr_need_resched) {
		s->g->nr_need_resched = 0;
		for (u32 w = 0; w < s->g->mask_words; w++) {
			while (s->resched[w]) {
				cpu_id cpu = w * 64 + (u32)__builtin_ctzll(s->resched[w]);

				s->resched[w] &= s->resched[w] - 1;
				/* A CPU in a step of the kernel looks when the step is over. */
				if (s->rqs[cpu].mode != CPU_SECTION)
					cpu_run(s, &s->rqs[cpu]);
			}
		}
	}
}

static int stands_still(struct sim *s, u32 src)
{
	const char *kind = src >= s->src_task	 ? "a task's timer"
			   : src >= s->src_group ? "the quota of a group"
			   : src >= s->src_class ? "a budget of a real-time class"
			   : src >= s->src_tick	 ? "a tick"
			   : src >= s->src_seg	 ? "the end of a CPU's segment"
						 : "a frequency change";

	return err_set(
		&s->err, ERR_LIMIT,
		"%u events at %llu ns and no end: the last is %s (source %u); look for a task "
		"that lets no time pass",
		SAME_TIME_MAX, (unsigned long long)s->g->now, kind, src);
}

/* The next event that is not beyond @until; false if there is none. */
static bool one_event(struct sim *s, ktime_ns until)
{
	u64 key = evq_top_key(&s->evq);
	ktime_ns at = evq_time_of(key);

	if (key == EVQ_NEVER || at > until)
		return false;

	struct globals *g = s->g;
	u32 src = evq_top(&s->evq);

	if (at != g->now) {
		g->now = at;
		g->same_time_events = 0;
	} else if (++g->same_time_events > SAME_TIME_MAX) {
		stands_still(s, src);
		return false;
	}
	g->ordinal++;
	dispatch(s, src, evq_class_of(key));
	sim_drain_resched(s);
	if (s->stats->starved_touched)
		starved_update(s);
	return true;
}

/* What comes next: an input of the journal, a script timer, an event, or the end of the way. */
static enum sim_stop turn(struct sim *s, ktime_ns until, bool *did_event)
{
	*did_event = false;
	if (s->boundary_wanted && s->hooks.boundary) {
		s->boundary_wanted = false;
		s->hooks.boundary(s->hooks.ctx, s);
	}
	if (sim_inputs_due(s, until) && sim_apply_inputs(s))
		return SIM_ERROR;
	if (s->stats->room_used) {
		s->stats->room_used = 0;
		if (!sim_has_room(s) && sim_room(s, NONE, 1, &s->err))
			return SIM_ERROR;
	}

	ktime_ns at = evq_time_of(evq_top_key(&s->evq));
	ktime_ns input = sim_next_input(s);

	if (input != NEVER && input <= at && input <= until) {
		/* Replay: nothing happens before the entry's own time. */
		if (input > s->g->now) {
			s->g->now = input;
			s->g->same_time_events = 0;
		}
		return sim_apply_inputs(s) ? SIM_ERROR : SIM_BUDGET;
	}
	if (s->script_next != NEVER && s->script_next <= until && s->script_next < at &&
	    !s->replaying) {
		/* Script timers come after every event of their instant. */
		if (s->script_next > s->g->now) {
			s->g->now = s->script_next;
			s->g->same_time_events = 0;
		}
		s->script_next = NEVER; /* the hook sets it anew */
		s->hooks.script(s->hooks.ctx, s);
		return SIM_BUDGET;
	}
	if (one_event(s, until)) {
		*did_event = true;
		return SIM_BUDGET;
	}
	return s->err.code ? SIM_ERROR : SIM_REACHED;
}

/* Nothing but events can come next: no input, nobody asked to be called, room for a birth. */
static bool only_events(const struct sim *s, ktime_ns until)
{
	return s->journal.applied == s->journal.nr && !s->boundary_wanted && !s->stats->room_used &&
	       (s->script_next > until || s->replaying);
}

enum sim_stop sim_run_until(struct sim *s, ktime_ns until, u64 max_events)
{
	u64 events = 0;
	bool did;

	for (;;) {
		/* Mostly so: turn() would find nothing else. */
		while (only_events(s, until) && one_event(s, until))
			if (++events == max_events)
				return SIM_BUDGET;
		if (s->err.code)
			return SIM_ERROR;

		enum sim_stop r = turn(s, until, &did);

		if (r == SIM_ERROR)
			return r;
		if (r == SIM_REACHED) {
			if (until != NEVER && s->g->now < until) {
				s->g->now = until;
				s->g->same_time_events = 0;
			}
			return s->script_next == NEVER && sim_next_event(s) == NEVER
				       ? SIM_IDLE_FOREVER
				       : SIM_REACHED;
		}
		events += did;
		if (max_events && events >= max_events)
			return SIM_BUDGET;
	}
}

enum sim_stop sim_step(struct sim *s)
{
	bool did;

	for (;;) {
		if (s->err.code)
			return SIM_ERROR;

		enum sim_stop r = turn(s, NEVER - 1, &did);

		if (r == SIM_REACHED)
			return SIM_IDLE_FOREVER;
		if (r == SIM_ERROR || did)
			return r;
	}
}

ktime_ns sim_next_event(const struct sim *s)
{
	return evq_time_of(evq_top_key(&s->evq));
}

u64 sim_digest(const struct sim *s)
{
	return arena_digest(&s->arena);
}
