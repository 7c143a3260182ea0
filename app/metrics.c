/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics.c - one walk over every metric.
 *
 * Integers only, up to the last digit that is printed. Percentages and means are rounded half up,
 * percentiles are nearest ranks (engine/base/hist.h).
 */
#include "app/metrics.h"

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/base/hist.h"
#include "engine/observe/starved.h"
#include "engine/policy/nohz.h"
#include "engine/sched/exec.h"
#include "engine/sched/features.h"
#include "engine/sched/partition.h"
#include "engine/workload/measure.h"

#include <stdio.h>
#include <string.h>

const struct metric_doc metric_docs[] = {
#define METRIC(path, unit, help) { path, unit, help },
#include "app/metrics.def"
#undef METRIC
	{ NULL, NULL, NULL },
};

/* ---- small senders ---- */

static void m_open(const struct mvisitor *v, const char *key, bool array)
{
	v->open(v->ctx, key, array);
}

static void m_close(const struct mvisitor *v)
{
	v->close(v->ctx);
}

static void m_null(const struct mvisitor *v, const char *key)
{
	v->value(v->ctx, key, &(struct mvalue){ .kind = MV_NULL });
}

static void m_int(const struct mvisitor *v, const char *key, u64 n)
{
	v->value(v->ctx, key, &(struct mvalue){ .kind = MV_INT, .v = (s64)n });
}

static void m_fixed(const struct mvisitor *v, const char *key, u64 n, u32 decimals)
{
	v->value(v->ctx, key,
		 &(struct mvalue){ .kind = MV_FIXED, .v = (s64)n, .decimals = decimals });
}

static void m_text(const struct mvisitor *v, const char *key, const char *text)
{
	v->value(v->ctx, key, &(struct mvalue){ .kind = MV_TEXT, .text = text });
}

/* ns as microseconds with three decimals: the digits are the same. */
static void m_us(const struct mvisitor *v, const char *key, u64 ns)
{
	m_fixed(v, key, ns, 3);
}

static u64 div_half_up(u128 num, u128 den)
{
	return den ? (u64)((num + den / 2) / den) : 0;
}

static void m_pct(const struct mvisitor *v, const char *key, u64 part, u64 whole)
{
	m_fixed(v, key, div_half_up((u128)part * 10000, whole), 2);
}

/* ---- parts ---- */

static const struct {
	const char *key;
	u32 num, den;
} percentiles[] = {
	{ "p50_us", 50, 100 },	  { "p75_us", 75, 100 }, { "p90_us", 90, 100 },
	{ "p95_us", 95, 100 },	  { "p99_us", 99, 100 }, { "p995_us", 995, 1000 },
	{ "p999_us", 999, 1000 },
};

static void visit_hist(const struct mvisitor *v, const char *key, const struct hist_fine *h)
{
	m_open(v, key, false);
	m_int(v, "count", h->s.count);
	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++) {
		if (h->s.count)
			m_us(v, percentiles[i].key,
			     hist_fine_percentile(h, percentiles[i].num, percentiles[i].den));
		else
			m_null(v, percentiles[i].key);
	}
	if (h->s.count) {
		m_us(v, "min_us", h->s.min);
		m_us(v, "max_us", h->s.max);
		m_us(v, "mean_us", hist_mean(&h->s, 1));
	} else {
		m_null(v, "min_us");
		m_null(v, "max_us");
		m_null(v, "mean_us");
	}
	m_close(v);
}

static void visit_latency(const struct sim *s, const struct mvisitor *v)
{
	m_open(v, "latency", false);
	visit_hist(v, "all", &s->lat_groups[0].hist);
	m_open(v, "groups", false);
	for (u32 i = 1; i < arena_len(&s->arena, POOL_LAT_GROUP); i++)
		visit_hist(v, s->lat_groups[i].name, &s->lat_groups[i].hist);
	m_close(v);
	m_close(v);
}

static bool is_figure(const struct sim *s, const char *name)
{
	for_each_live(id, &s->arena,
		      POOL_THROUGHPUT) if (!strcmp(s->throughputs[id].name, name)) return true;
	return false;
}

/* Figures that were declared, and bare counters whose name is not one. */
static void visit_throughput(const struct sim *s, const struct mvisitor *v)
{
	u64 value;
	u32 decimals;

	m_open(v, "throughput", false);
	for_each_live(id, &s->arena, POOL_THROUGHPUT)
	{
		if (throughput_value(s, id, &value, &decimals))
			m_fixed(v, s->throughputs[id].name, value, decimals);
		else
			m_null(v, s->throughputs[id].name);
	}
	for_each_live(id, &s->arena, POOL_COUNTER)
	{
		if (is_figure(s, s->counters[id].name))
			continue;
		m_open(v, s->counters[id].name, false);
		m_int(v, "count", s->counters[id].count);
		m_fixed(v, "per_s", counter_per_second(s, id), 3);
		m_close(v);
	}
	m_close(v);
}

/* "0-3,6" of the CPUs of a mask. */
static void mask_text(const struct sim *s, mask_id mask, char *buf, size_t size)
{
	cpumask_format(mask_get(s, mask), s->g->mask_words, buf, size);
}

static u64 to_uj(u128 uw_ns)
{
	return div_half_up(uw_ns, NSEC_PER_SEC);
}

/* Of a CPU or a task; null where the machine's power is not known. */
static void m_energy(const struct sim *s, const struct mvisitor *v, u64 lo, u64 hi)
{
	if (s->machine->has_energy_model)
		m_int(v, "energy_uj", to_uj((u128)hi << 64 | lo));
	else
		m_null(v, "energy_uj");
}

static void visit_energy(const struct sim *s, const struct mvisitor *v)
{
	bool known = s->machine->has_energy_model;
	u128 total = 0, signals = 0;
	u64 work = sim_work_done_now(s);

	m_open(v, "energy", false);
	m_open(v, "domains", true);
	for (u32 fd = 0; fd < s->g->nr_fds; fd++) {
		u128 e = sim_domain_energy_now(s, fd);
		char cpus[256];

		total += e;
		signals += sim_domain_signal_energy_now(s, fd);
		mask_text(s, s->fds[fd].cpus, cpus, sizeof(cpus));
		m_open(v, NULL, false);
		m_text(v, "cpus", cpus);
		if (known)
			m_int(v, "uj", to_uj(e));
		else
			m_null(v, "uj");
		m_close(v);
	}
	m_close(v);
	if (known)
		m_int(v, "total_uj", to_uj(total));
	else
		m_null(v, "total_uj");
	if (s->g->has_em)
		m_int(v, "by_signals", to_uj(signals));
	else
		m_null(v, "by_signals");
	/* uW * ns per ns of work is uW; per ms of work that is nJ: three decimals of uJ. */
	if (known && work)
		m_fixed(v, "per_work", div_half_up(total, work), 3);
	else
		m_null(v, "per_work");
	m_close(v);
}

static void visit_freq(const struct sim *s, const struct mvisitor *v)
{
	m_open(v, "freq", false);
	m_open(v, "domains", true);
	for (u32 fd = 0; fd < s->g->nr_fds; fd++) {
		const struct freq_domain *d = &s->fds[fd];
		u128 sum = 0;
		u64 total = 0;
		char cpus[256];

		mask_text(s, d->cpus, cpus, sizeof(cpus));
		m_open(v, NULL, false);
		m_text(v, "cpus", cpus);
		m_open(v, "residency", false);
		for (u32 i = 0; i < d->nr_opps; i++)
			total += sim_fd_residency_now(s, fd, i);
		for (u32 i = 0; i < d->nr_opps; i++) {
			u64 ns = sim_fd_residency_now(s, fd, i);
			char khz[16];

			sum += (u128)ns * s->opps[d->first_opp + i].khz;
			snprintf(khz, sizeof(khz), "%u", s->opps[d->first_opp + i].khz);
			m_pct(v, khz, ns, total);
		}
		m_close(v);
		m_int(v, "mean_khz", div_half_up(sum, total));
		m_int(v, "transitions", d->transitions);
		m_close(v);
	}
	m_close(v);
	m_close(v);
}

static void visit_idle_states(const struct sim *s, const struct mvisitor *v,
			      const struct cpu_stats *st, cpu_id cpu)
{
	u32 nr = arena_len(&s->arena, POOL_IDLE_STATE), rank = 0;

	m_open(v, "idle_states", false);
	/* The CPU's own states, shallow to deep: what the statistics are numbered by. */
	for (u32 i = 0; i < nr && rank < ARRAY_SIZE(st->idle_state_ns); i++)
		if (mask_has_cpu(s, s->idle_states[i].cpus, cpu))
			m_pct(v, s->idle_states[i].name, st->idle_state_ns[rank++], s->g->now);
	m_close(v);
}

/* Kicks sent from a node by what caused them, and those that did not come about. */
static void visit_node_nohz(const struct sim *s, const struct mvisitor *v, u32 node)
{
	const struct node_stats *ns = &s->node_stats[node];

	m_open(v, "nohz_kicks", false);
	for (u32 i = 0; i < NR_NOHZ_REASONS; i++)
		m_int(v, nohz_reason_keys[i], ns->nohz_kicks[i]);
	m_close(v);
	m_open(v, "nohz_refused", false);
	for (u32 i = 0; i < NR_NOHZ_REFUSALS; i++)
		if (i != NOHZ_NOT_DUE)
			m_int(v, nohz_refusal_keys[i], ns->nohz_refused[i]);
	m_close(v);
}

static void visit_cpus(const struct sim *s, const struct mvisitor *v)
{
	m_open(v, "cpus", true);
	for (u32 c = 0; c < s->g->nr_cpus; c++) {
		struct cpu_stats st = sim_cpu_stats_now(s, c);

		m_open(v, NULL, false);
		m_int(v, "cpu", c);
		m_int(v, "node", s->topo[c].node);
		m_pct(v, "busy_pct", st.busy_ns, s->g->now);
		m_pct(v, "kernel_pct", st.kernel_ns, s->g->now);
		m_pct(v, "idle_pct", st.idle_ns, s->g->now);
		m_int(v, "switches", st.switches);
		m_int(v, "online", s->rqs[c].mode != CPU_OFFLINE);
		m_energy(s, v, st.energy_lo, st.energy_hi);
		visit_idle_states(s, v, &st, c);
		m_close(v);
	}
	m_close(v);
	m_open(v, "nodes", true);
	for (u32 n = 0; n < s->g->nr_nodes; n++) {
		u64 busy = 0, cpus = 0;

		for (u32 c = 0; c < s->g->nr_cpus; c++) {
			if (s->topo[c].node != n)
				continue;
			busy += sim_cpu_stats_now(s, c).busy_ns;
			cpus++;
		}
		m_open(v, NULL, false);
		m_int(v, "node", n);
		m_pct(v, "busy_pct", busy, cpus * s->g->now);
		if (s->g->nr_nodes > 1)
			m_us(v, "idle_starved_us", starved_ns_now(s, n));
		else
			m_null(v, "idle_starved_us");
		visit_node_nohz(s, v, n);
		m_close(v);
	}
	m_close(v);
}

static void visit_task(const struct sim *s, const struct mvisitor *v, task_id p)
{
	const struct task *t = &s->tasks[p];
	struct task_stats st = sim_task_stats_now(s, p);
	struct sched_avg avg = sim_task_avg_now(s, p);
	const struct hist_coarse *h = t->hist == NONE ? NULL : &s->task_hists[t->hist].hist;

	m_open(v, NULL, false);
	m_text(v, "name", t->comm);
	m_text(v, "group", s->groups[t->tg].name == NONE ? "/" : s->texts[s->groups[t->tg].name].s);
	m_us(v, "cpu_us", sim_task_exec_now(s, p));
	m_us(v, "wait_us", st.wait_ns);
	m_us(v, "sleep_us", st.sleep_ns);
	m_int(v, "wakeups", st.wakeups);
	m_int(v, "migrations", st.migrations);
	if (h && h->s.count) {
		m_us(v, "lat_p50_us", hist_coarse_percentile(h, 50, 100));
		m_us(v, "lat_p99_us", hist_coarse_percentile(h, 99, 100));
	} else {
		m_null(v, "lat_p50_us");
		m_null(v, "lat_p99_us");
	}
	m_int(v, "util_avg", avg.util_avg);
	m_int(v, "util_est", avg.util_est & ~UTIL_AVG_UNCHANGED);
	m_energy(s, v, st.energy_lo, st.energy_hi);
	m_close(v);
}

static void visit_tasks(const struct sim *s, const struct mvisitor *v)
{
	m_open(v, "tasks", true);
	for_each_live(p, &s->arena, POOL_TASK) if (!(s->tasks[p].flags & PF_KTHREAD))
		visit_task(s, v, p);
	m_close(v);
}

/* Every group but the root, whose figures are those of the CPUs. */
static void visit_groups(const struct sim *s, const struct mvisitor *v)
{
	m_open(v, "groups", true);
	for (u32 g = 1; g < arena_len(&s->arena, POOL_GROUP); g++) {
		const struct task_group *tg = &s->groups[g];
		struct group_stats st = sim_group_stats_now(s, g);

		m_open(v, NULL, false);
		m_text(v, "name", s->texts[tg->name].s);
		m_us(v, "cpu_us", sim_group_exec_now(s, g));
		m_int(v, "shares", tg->shares >> SCHED_FIXEDPOINT_SHIFT);
		if (tg->quota == RUNTIME_INF)
			m_null(v, "quota_us");
		else
			m_us(v, "quota_us", tg->quota);
		m_us(v, "period_us", tg->period);
		m_int(v, "nr_periods", st.nr_periods);
		m_int(v, "nr_throttled", st.nr_throttled);
		m_us(v, "throttled_us", st.throttled_ns);
		m_text(v, "partition", partition_names[tg->partition_now]);
		m_close(v);
	}
	m_close(v);
}

static void visit_overhead(const struct sim *s, const struct mvisitor *v)
{
	u64 total = 0;

	for (u32 c = 0; c < s->g->nr_cpus; c++)
		total += sim_cpu_stats_now(s, c).kernel_ns;
	m_open(v, "overhead", false);
	m_us(v, "total_us", total);
	m_pct(v, "pct", total, s->g->now * s->g->nr_cpus);
	m_open(v, "by_path", false);
	for (u32 i = 0; i < NR_PATHS; i++)
		m_us(v, cost_path_names[i], s->stats->path_ns[i]);
	m_close(v);
	m_close(v);
}

/* Rounds of the idle balancer, by the CPU and the node that did them. */
static void visit_ilb(const struct sim *s, const struct mvisitor *v)
{
	m_open(v, "ilb_by_cpu", true);
	for (u32 c = 0; c < s->g->nr_cpus; c++)
		m_int(v, NULL, s->cpu_stats[c].ilb_runs);
	m_close(v);
	m_open(v, "ilb_by_node", true);
	for (u32 n = 0; n < s->g->nr_nodes; n++) {
		u64 runs = 0;

		for (u32 c = 0; c < s->g->nr_cpus; c++)
			if (s->topo[c].node == n)
				runs += s->cpu_stats[c].ilb_runs;
		m_int(v, NULL, runs);
	}
	m_close(v);
}

/* Durations of one kind of kernel work; with costs off there are none. */
struct duration_keys {
	const char *min, *p50, *p99, *max; /* NULL = not wanted */
};
static const struct duration_keys newidle_keys = { NULL, "p50_us", "p99_us", "max_us" };
static const struct duration_keys blocked_keys = { "per_cpu_min_us", "per_cpu_p50_us", NULL,
						   "per_cpu_max_us" };

static void visit_duration(const struct mvisitor *v, const struct hist_fine *h, const char *key,
			   u64 ns)
{
	if (key && h->s.count)
		m_us(v, key, ns);
	else if (key)
		m_null(v, key);
}

static void visit_durations(const struct mvisitor *v, const struct hist_fine *h,
			    struct duration_keys k)
{
	visit_duration(v, h, k.min, h->s.min);
	visit_duration(v, h, k.p50, hist_fine_percentile(h, 50, 100));
	visit_duration(v, h, k.p99, hist_fine_percentile(h, 99, 100));
	visit_duration(v, h, k.max, h->s.max);
}

static void visit_balancing(const struct sim *s, const struct mvisitor *v)
{
	const struct sim_stats *st = s->stats;

	m_open(v, "newidle", false);
	m_int(v, "count", s->stats->newidle_count);
	m_int(v, "pulled", s->stats->newidle_pulled);
	m_us(v, "total_us", st->path_ns[PATH_NEWIDLE]);
	m_int(v, "aborted", st->newidle_aborted);
	m_int(v, "blocked_updates", st->newidle_blocked);
	visit_durations(v, &s->khists[KHIST_NEWIDLE].hist, newidle_keys);
	m_close(v);
	m_open(v, "blocked", false);
	m_int(v, "updates", st->blocked_updates);
	m_int(v, "updates_per_s",
	      s->g->now ? (u64)((u128)st->blocked_updates * NSEC_PER_SEC / s->g->now) : 0);
	m_int(v, "decayed_groups", st->decayed_groups);
	visit_durations(v, &s->khists[KHIST_BLOCKED].hist, blocked_keys);
	m_close(v);
	m_open(v, "nohz", false);
	m_int(v, "kicks", st->nohz_kicks);
	m_int(v, "kicks_balance", st->nohz_kicks_balance);
	m_int(v, "kicks_stats", st->nohz_kicks_stats);
	m_int(v, "ilb_runs", st->ilb_runs);
	visit_ilb(s, v);
	m_int(v, "remote_cpu_visits", st->ilb_remote_visits);
	m_int(v, "remote_rq_locks", st->remote_locks);
	m_us(v, "remote_lock_us", st->remote_lock_ns);
	m_int(v, "aborted", st->ilb_aborted);
	m_close(v);
	m_open(v, "placement", false);
	m_int(v, "scan_cut", st->scan_cut);
	if (sched_feat(s, SIS_UTIL))
		m_null(v, "stacked");
	else
		m_int(v, "stacked", st->stacked);
	m_close(v);
	m_open(v, "balance", false);
	m_open(v, "calls", false);
	m_int(v, "busy", st->balance_calls[0]);
	m_int(v, "idle", st->balance_calls[1]);
	m_int(v, "newidle", st->balance_calls[2]);
	m_close(v);
	m_int(v, "pulled", s->stats->balance_pulled);
	m_int(v, "active", s->stats->active_balance);
	m_int(v, "misfit", s->stats->misfit);
	m_int(v, "failed", st->balance_failed);
	m_close(v);
	m_open(v, "classes", false);
	m_int(v, "rt_throttled", st->rt_throttled);
	m_int(v, "dl_throttled", st->dl_throttled);
	m_int(v, "dl_refused", st->dl_refused);
	m_int(v, "stopped", st->stopped);
	m_int(v, "pushed", st->rt_pushed);
	m_int(v, "pulled", st->rt_pulled);
	m_close(v);
}

void metrics_visit(const struct sim *s, const struct mvisitor *v)
{
	char digest[24];

	m_int(v, "duration_ns", s->g->now);
	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)sim_digest(s));
	m_text(v, "digest", digest);
	m_int(v, "events", s->stats->events);
	visit_latency(s, v);
	visit_throughput(s, v);
	visit_energy(s, v);
	m_open(v, "overutilized", false);
	m_pct(v, "pct", sim_overutilized_ns_now(s), s->g->now);
	m_int(v, "enters", s->g->overutilized_enters);
	m_close(v);
	m_open(v, "util_est", false);
	m_int(v, "dequeues", s->stats->uest_dequeues);
	m_int(v, "held", s->stats->uest_held);
	m_pct(v, "held_pct", s->stats->uest_held, s->stats->uest_dequeues);
	m_close(v);
	visit_balancing(s, v);
	visit_freq(s, v);
	visit_overhead(s, v);
	visit_cpus(s, v);
	visit_tasks(s, v);
	visit_groups(s, v);
}
