/* SPDX-License-Identifier: GPL-2.0-only */
/* pelt_run.c - averages along a known timeline. See pelt_run.h. */
#include "app/pelt_run.h"

#include <stdio.h>

#include "engine/access.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/fair.h"
#include "engine/sched/load.h"
#include "engine/sched/load_avg.h"
#include "engine/workload/workload.h"

#include "app/suggest.h"
#include "app/text.h"

/* One node, @nr_cpus equal CPUs of capacity 1024 at one frequency. */
static struct machine_desc *plain_machine(u32 nr_cpus)
{
	struct machine_desc counts = { .nr_cpus = nr_cpus,
				       .nr_core_types = 1,
				       .nr_opps = 1,
				       .nr_freq_domains = 1,
				       .nr_nodes = 1,
				       .nr_cores = nr_cpus,
				       .nr_clusters = 1,
				       .nr_llcs = 1,
				       .nr_packages = 1 };

	snprintf(counts.name, sizeof(counts.name), "timeline");

	struct machine_desc *m = machine_desc_new(&counts);

	if (!m)
		return NULL;
	snprintf(m->core_types[0].name, sizeof(m->core_types[0].name), "core");
	m->core_types[0].smt = 1;
	m->core_types[0].smt_throughput_pct[0] = 100;
	m->opps[0] = (struct machine_opp){ .khz = 1000000, .capacity = 1024 };
	m->freq_domains[0] = (struct machine_freq_domain){ .nr_opps = 1, .fast_switch = true };
	m->distance[0] = 10;
	for (u32 i = 0; i < nr_cpus; i++)
		m->cpus[i] = (struct machine_cpu){ .capacity = 1024, .core = i };
	return m;
}

static int unknown_rule(const struct sim *s, const char *rule, struct err *err)
{
	const char *names[SIM_REGISTRY_MAX], *near;
	char known[160] = "", clean[40];
	size_t nr = 0, len = 0;

	for (u32 i = 0; i < s->nr_registry && nr < ARRAY_SIZE(names); i++) {
		if (s->registry[i]->slot != SLOT_UTIL_EST)
			continue;
		names[nr] = s->registry[i]->name;
		if (len < sizeof(known))
			len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
						nr ? ", " : "", names[nr]);
		nr++;
	}
	near = suggest(rule, names, nr);
	text_clean(clean, sizeof(clean), rule);
	return err_set(err, ERR_USAGE, "no util_est rule '%s'; there are %s%s%s%s", clean, known,
		       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int use(struct sim *s, enum policy_slot slot, int id, struct err *err)
{
	struct sim_input in = { .kind = INPUT_USE_POLICY, .a = slot, .b = id };

	return sim_input(s, &in, NULL, err);
}

static int configure(struct sim *s, const struct pelt_run_config *cfg, struct err *err)
{
	int rule = cfg->rule ? sim_policy_index(s, SLOT_UTIL_EST, cfg->rule) : 0;

	if (rule < 0)
		return unknown_rule(s, cfg->rule, err);
	if (cfg->rule && use(s, SLOT_UTIL_EST, rule, err))
		return -1;
	/* Nobody is ever picked, but everyone must leave when it sleeps; the CSV says the speed. */
	if (use(s, SLOT_PICK, sim_policy_index(s, SLOT_PICK, "fifo"), err) ||
	    use(s, SLOT_GOVERNOR, sim_policy_index(s, SLOT_GOVERNOR, "performance"), err))
		return -1;
	if (sim_apply_inputs(s))
		return err_set(err, s->err.code, "%s", s->err.msg);
	if (sim_room(s, NONE, cfg->nr_tasks, err))
		return -1;
	s->g->tun.pelt_shift = cfg->half_life_ms == 8 ? 2 : cfg->half_life_ms == 16 ? 1 : 0;
	s->g->tun.hz = cfg->hz ? cfg->hz : 250;
	return 0;
}

struct sim *pelt_run_new(const struct pelt_run_config *cfg, struct err *err)
{
	struct machine_desc *m = plain_machine(cfg->nr_cpus);
	struct sim_config sc = { .machine = m, .profile = cfg->profile };
	struct sim *s;

	if (!m) {
		err_set(err, ERR_LIMIT, "no memory for %u CPUs", cfg->nr_cpus);
		return NULL;
	}
	s = sim_new(&sc, err);
	machine_free(m);
	if (s && configure(s, cfg, err)) {
		sim_free(s);
		return NULL;
	}
	return s;
}

void pelt_run_time(struct sim *s, u64 now)
{
	s->g->now = now;
}

task_id pelt_run_task(struct sim *s, cpu_id cpu, s8 nice, bool fresh)
{
	task_id p = arena_alloc(&s->arena, POOL_TASK);
	struct sched_entity *se = &s->task_se[p];
	struct task *t = &s->tasks[p];

	*t = (struct task){ .id = p,
			    .state = TASK_SLEEPING,
			    .cpu = cpu,
			    .prev_cpu = cpu,
			    .nice = nice,
			    .nr_cpus_allowed = 1,
			    .uclamp_max = SCHED_CAPACITY_SCALE,
			    .list_prev = NONE,
			    .list_next = NONE,
			    .lat_group = NONE,
			    .hist = NONE };
	*se = (struct sched_entity){ .parent = NONE, .my_q = NONE };
	set_task_rq(s, p, cpu);
	se->load = load_weight_of(nice, false);
	if (fresh) {
		t->state = TASK_NEW;
		init_entity_runnable_average(s, p);
		return p;
	}

	/* Attached, with nothing to its name: what a task is that slept for long. */
	struct cfs_rq *q = cfs_rq_of(s, p);
	struct rq *rq = &s->rqs[cpu];

	update_rq_clock(s, rq);
	update_cfs_rq_load_avg(s, rq_clock_pelt(rq), q);
	se->avg.last_update_time = q->avg.last_update_time;
	se->avg.period_contrib = q->avg.period_contrib;
	return p;
}

void pelt_run_speed(struct sim *s, cpu_id cpu, u32 capacity, u32 freq_scale)
{
	struct rq *rq = &s->rqs[cpu];

	if (rq->cpu_capacity_orig == capacity && rq->freq_scale == freq_scale)
		return;
	update_rq_clock(s, rq);
	rq->cpu_capacity = rq->cpu_capacity_orig = capacity;
	rq->freq_scale = freq_scale;
}

static void change_cpu(struct sim *s, task_id p, cpu_id cpu)
{
	s->tasks[p].prev_cpu = s->tasks[p].cpu;
	s->tasks[p].cpu = cpu;
	set_task_rq(s, p, cpu);
}

void pelt_run_wake(struct sim *s, task_id p, cpu_id cpu)
{
	struct task *t = &s->tasks[p];
	bool new = t->state == TASK_NEW;
	u32 flags = new ? ENQUEUE_INITIAL : ENQUEUE_WAKEUP;

	if (t->cpu != cpu) {
		if (!new) {
			migrate_task_rq_fair(s, p);
			flags |= ENQUEUE_MIGRATED;
		}
		change_cpu(s, p, cpu);
	}
	update_rq_clock(s, &s->rqs[cpu]);
	if (new) {
		update_curr(s, cfs_rq_of(s, p));
		post_init_entity_util_avg(s, p);
	}
	t->state = TASK_RUNNING;
	enqueue_task_fair(s, &s->rqs[cpu], p, flags);
}

void pelt_run_sleep(struct sim *s, task_id p)
{
	struct rq *rq = &s->rqs[s->tasks[p].cpu];

	update_rq_clock(s, rq);
	s->tasks[p].state = TASK_SLEEPING;
	dequeue_task_fair(s, rq, p, DEQUEUE_SLEEP);
}

void pelt_run_move(struct sim *s, task_id p, cpu_id cpu)
{
	struct rq *src = &s->rqs[s->tasks[p].cpu], *dst = &s->rqs[cpu];

	update_rq_clock(s, src);
	update_rq_clock(s, dst);
	dequeue_task_fair(s, src, p, DEQUEUE_MIGRATING);
	s->task_se[p].avg.last_update_time = 0;
	change_cpu(s, p, cpu);
	enqueue_task_fair(s, dst, p, ENQUEUE_MIGRATED);
}

void pelt_run_switch(struct sim *s, cpu_id cpu, task_id next)
{
	struct rq *rq = &s->rqs[cpu];
	task_id prev = rq->curr;

	if (prev == next)
		return;
	update_rq_clock(s, rq);
	switch_fair(s, rq, prev, next);
	if (next == NONE)
		update_idle_rq_clock_pelt(s, rq);
	rq->curr = next;
}

void pelt_run_tick(struct sim *s, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];

	if (rq->curr == NONE)
		return;
	update_rq_clock(s, rq);
	task_tick_fair(s, rq, rq->curr);
}

void pelt_run_nice(struct sim *s, task_id p, s8 nice)
{
	struct rq *rq = &s->rqs[s->tasks[p].cpu];

	if (s->tasks[p].nice == nice)
		return;
	s->tasks[p].nice = nice;
	/* set_user_nice(): off the queue, new weight, on it again. Only weights and load change. */
	update_rq_clock(s, rq);
	if (s->task_se[p].avg.last_update_time)
		update_load_avg(s, cfs_rq_of(s, p), p, UPDATE_TG);
	reweight_task(s, p, nice, false);
}
