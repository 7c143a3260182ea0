/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * summary.c - what came out of a run: JSON of schema schedground.run/1, and the short form for people.
 */
#include "app/app.h"
#include "app/jsonout.h"
#include "app/metrics.h"
#include "app/scenario.h"
#include "app/text.h"
#include "app/units.h"
#include "app/xalloc.h"
#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* ---- warnings ---- */

void summary_notes(struct app *app)
{
	const struct sim *s = app->sim;

	for_each_live(p, &s->arena, POOL_TASK) if (s->task_stats[p].zero_step_charges)
		app_warn(app,
			 "task '%s': its program let no time pass; 1 us was charged for "
			 "%llu steps",
			 s->tasks[p].comm, (unsigned long long)s->task_stats[p].zero_step_charges);
	if (s->stats->lost_signals)
		app_warn(app, "%llu signals met no waiter and were lost",
			 (unsigned long long)s->stats->lost_signals);
	if (!s->stats->forks && !arena_live(&s->arena, POOL_TASK))
		app_warn(app, "no task was started: nothing happened");
}

/* ---- JSON ---- */

static void j_open(void *ctx, const char *key, bool array)
{
	jw_open(ctx, key, array);
}

static void j_close(void *ctx)
{
	jw_close(ctx);
}

static void j_value(void *ctx, const char *key, const struct mvalue *v)
{
	switch (v->kind) {
	case MV_NULL:
		jw_null(ctx, key);
		break;
	case MV_INT:
		jw_int(ctx, key, v->v);
		break;
	case MV_FIXED:
		jw_fixed(ctx, key, v->v, v->decimals);
		break;
	case MV_TEXT:
		jw_text(ctx, key, v->text);
		break;
	}
}

static void write_settings(struct jsonout *j, const struct app *app)
{
	const struct sim *s = app->sim;

	jw_open(j, "policies", false);
	for (int slot = 0; slot < NR_SLOTS; slot++)
		jw_text(j, policy_slot_names[slot], s->policy[slot]->name);
	jw_close(j);
	jw_open(j, "set", false);
	for (u32 i = 0; i < nr_sim_tunables; i++) {
		u64 v = sim_tunable_value(s, i);

		if (v == ~0ull) /* taken from the machine */
			jw_null(j, sim_tunables[i].name);
		else
			jw_uint(j, sim_tunables[i].name, v);
	}
	for (int slot = 0; slot < NR_SLOTS; slot++) {
		const struct policy_param *p = s->policy[slot]->params;

		for (u32 i = 0; p && p[i].name; i++) {
			char name[96];

			snprintf(name, sizeof(name), "%s.%s", policy_slot_names[slot], p[i].name);
			jw_int(j, name, sim_policy_param(s, (enum policy_slot)slot, i));
		}
	}
	write_knobs(j, app);
	jw_close(j);
}

static void write_host(struct jsonout *j, const struct run_report *r)
{
	struct utsname u;

	jw_open(j, "host", false);
	jw_fixed(j, "wall_s", (s64)(r->wall_ns / NSEC_PER_MSEC), 3);
	jw_fixed(j, "cpu_s", (s64)(r->cpu_ns / NSEC_PER_MSEC), 3);
	if (!uname(&u)) {
		jw_text(j, "system", u.sysname);
		jw_text(j, "release", u.release);
		jw_text(j, "arch", u.machine);
	}
	jw_close(j);
}

char *summary_json(struct app *app, const struct run_report *r)
{
	struct jsonout j = { .compact = r->compact };
	const struct mvisitor v = { &j, j_open, j_close, j_value };
	char *text;

	jw_open(&j, NULL, false);
	jw_text(&j, "schema", "schedground.run/1");
	jw_text(&j, "version", PACKAGE_VERSION);
	jw_text(&j, "scenario", app->sc.name);
	jw_text(&j, "machine", app->sim->machine->name);
	jw_text(&j, "kernel", kernel_profiles[app->sim->g->profile].name);
	jw_uint(&j, "seed", app->sim->g->seed);
	write_settings(&j, app);
	metrics_visit(app->sim, &v);
	write_expects(&j, app);
	write_published(&j, app);
	jw_open(&j, "warnings", true);
	for (u32 i = 0; i < app->nr_warnings; i++)
		jw_text(&j, NULL, app->warnings[i]);
	if (app->sim->stats->affinity_broken)
		jw_text(&j, NULL,
			"tasks lost their affinity: the CPUs they were bound to were all offline");
	if (r->interrupted)
		jw_text(&j, NULL, "interrupted before the end");
	jw_close(&j);
	if (app->opt->timing)
		write_host(&j, r);
	jw_close(&j);
	text = jw_take(&j);
	jw_fini(&j);
	return text;
}

/* ---- text ---- */

#define TASKS_SHOWN 24
#define CPUS_SHOWN 64
#define LINE_COLUMNS 80u

static void ms(struct strbuf *b, const char *fmt, u64 ns)
{
	char n[32];

	strbuf_printf(b, "%s%s", fmt, fixed_str(n, (s64)((ns + 5000) / 10000), 2));
}

static void column(struct strbuf *b, int width, s64 v, unsigned decimals)
{
	char n[32];

	strbuf_printf(b, " %*s", width, fixed_str(n, v, decimals));
}

/* ns as us with one decimal. */
static void us_column(struct strbuf *b, int width, u64 ns)
{
	column(b, width, (s64)((ns + 50) / 100), 1);
}

struct ranked {
	task_id p;
	u64 ns;
};

static int by_cpu_time(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->p < b->p ? -1 : a->p > b->p;
}

static int by_id(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	return a->p < b->p ? -1 : a->p > b->p;
}

static void task_line(struct strbuf *b, const struct sim *s, task_id p)
{
	struct task_stats st = sim_task_stats_now(s, p);
	struct sched_avg avg = sim_task_avg_now(s, p);
	const struct task *t = &s->tasks[p];
	char name[TASK_COMM_LEN * 3];

	text_clean(name, sizeof(name), t->comm);
	strbuf_printf(b, "  %-16s", name);
	column(b, 9, (s64)((sim_task_exec_now(s, p) + 5000) / 10000), 2);
	column(b, 9, (s64)((st.wait_ns + 5000) / 10000), 2);
	strbuf_printf(b, " %7llu %5llu", (unsigned long long)st.wakeups,
		      (unsigned long long)st.migrations);
	if (t->hist != NONE && s->task_hists[t->hist].hist.s.count) {
		us_column(b, 8, hist_coarse_percentile(&s->task_hists[t->hist].hist, 50, 100));
		us_column(b, 8, hist_coarse_percentile(&s->task_hists[t->hist].hist, 99, 100));
	} else {
		strbuf_printf(b, " %8s %8s", "-", "-");
	}
	strbuf_printf(b, " %4llu %4u\n", (unsigned long long)avg.util_avg,
		      avg.util_est & ~UTIL_AVG_UNCHANGED);
}

static void tasks_table(struct strbuf *b, const struct sim *s)
{
	u32 nr = 0, cap = arena_live(&s->arena, POOL_TASK);
	struct ranked *r = xcalloc(cap, sizeof(*r));

	for_each_live(p, &s->arena, POOL_TASK) if (!(s->tasks[p].flags & PF_KTHREAD) && nr < cap)
		r[nr++] = (struct ranked){ p, sim_task_exec_now(s, p) };
	if (nr) {
		u32 shown = nr < TASKS_SHOWN ? nr : TASKS_SHOWN;

		strbuf_printf(b, "\n  %-16s %9s %9s %7s %5s %8s %8s %4s %4s\n", "task", "cpu ms",
			      "wait ms", "wakeups", "migr", "p50 us", "p99 us", "util", "est");
		qsort(r, nr, sizeof(*r), by_cpu_time);
		qsort(r, shown, sizeof(*r), by_id);
		for (u32 i = 0; i < shown; i++)
			task_line(b, s, r[i].p);
		if (nr > shown)
			strbuf_printf(b, "  and %u more with less CPU time (--json has all)\n",
				      nr - shown);
	}
	free(r);
}

static void latency_table(struct strbuf *b, const struct sim *s)
{
	u32 nr = arena_len(&s->arena, POOL_LAT_GROUP);

	strbuf_printf(b, "\n  %-19s %8s %9s %9s %9s %9s %9s\n", "latency us", "count", "p50", "p90",
		      "p99", "p99.9", "max");
	for (u32 i = 0; i < nr && i < TASKS_SHOWN; i++) {
		const struct hist_fine *h = &s->lat_groups[i].hist;
		char name[TASK_COMM_LEN * 3];

		if (!h->s.count)
			continue;
		text_clean(name, sizeof(name), i ? s->lat_groups[i].name : "all");
		strbuf_printf(b, "  %-19s %8llu", name, (unsigned long long)h->s.count);
		us_column(b, 9, hist_fine_percentile(h, 50, 100));
		us_column(b, 9, hist_fine_percentile(h, 90, 100));
		us_column(b, 9, hist_fine_percentile(h, 99, 100));
		us_column(b, 9, hist_fine_percentile(h, 999, 1000));
		us_column(b, 9, h->s.max);
		strbuf_puts(b, "\n");
	}
}

/* Before a short word: a new line, @indent first, if the one that began at *@from is nearly full. */
static void fold_line(struct strbuf *b, size_t *from, const char *indent)
{
	if (b->len - *from < LINE_COLUMNS - 4)
		return;
	strbuf_puts(b, "\n");
	*from = b->len;
	strbuf_puts(b, indent);
}

static void metric_text(const struct sim *s, const char *path, char *buf)
{
	struct mvalue v;

	if (metrics_get(s, path, &v, NULL) || v.kind == MV_NULL)
		snprintf(buf, 32, "-");
	else
		fixed_str(buf, v.v, v.kind == MV_FIXED ? v.decimals : 0);
}

static void machine_lines(struct strbuf *b, const struct sim *s)
{
	char value[32];
	size_t from;

	strbuf_puts(b, "\n");
	for (u32 fd = 0; fd < s->g->nr_fds && fd < 16; fd++) {
		char path[64], mean[32], uj[32], cpus[48];

		snprintf(path, sizeof(path), "freq.domains.%u.mean_khz", fd);
		metric_text(s, path, mean);
		snprintf(path, sizeof(path), "energy.domains.%u.uj", fd);
		metric_text(s, path, uj);
		cpumask_format(mask_get(s, s->fds[fd].cpus), s->g->mask_words, cpus, sizeof(cpus));
		strbuf_printf(b, "  domain %u (CPU %s): mean %s kHz, %llu changes", fd, cpus, mean,
			      (unsigned long long)s->fds[fd].transitions);
		if (strcmp(uj, "-") != 0)
			strbuf_printf(b, ", energy %s uJ", uj);
		strbuf_puts(b, "\n");
	}
	metric_text(s, "energy.total_uj", value);
	if (strcmp(value, "-") != 0)
		strbuf_printf(b, "  energy %s uJ", value);
	else
		strbuf_puts(b, "  energy not known: this machine names no power");
	metric_text(s, "overutilized.pct", value);
	strbuf_printf(b, ", overutilised %s %%", value);
	metric_text(s, "util_est.held_pct", value);
	strbuf_printf(b, "\n  util_est held at %s %% of %llu dequeues\n", value,
		      (unsigned long long)s->stats->uest_dequeues);
	strbuf_puts(b, "  busy %:");
	from = b->len - strlen("  busy %:");
	for (u32 c = 0; c < s->g->nr_cpus && c < CPUS_SHOWN; c++) {
		struct cpu_stats st = sim_cpu_stats_now(s, c);
		u64 now = s->g->now ? s->g->now : 1;

		fold_line(b, &from, "         ");
		strbuf_printf(b, " %llu", (unsigned long long)((st.busy_ns * 100 + now / 2) / now));
	}
	strbuf_puts(b, s->g->nr_cpus > CPUS_SHOWN ? " ...\n" : "\n");
}

char *summary_text(struct app *app, const struct run_report *r)
{
	const struct sim *s = app->sim;
	struct strbuf b = { 0 };
	char time[24], name[128], machine[128];

	text_clean(name, sizeof(name), app->sc.name);
	text_clean(machine, sizeof(machine), s->machine->name);
	strbuf_printf(&b, "%s on %s, kernel %s, seed %llu: %s simulated%s\n", name, machine,
		      kernel_profiles[s->g->profile].name, (unsigned long long)s->g->seed,
		      format_time(time, sizeof(time), s->g->now),
		      r->interrupted ? " (interrupted)" : "");
	strbuf_puts(&b, "  policies:");
	for (int slot = 0; slot < NR_SLOTS; slot++)
		strbuf_printf(&b, "%s %s=%s", slot == SLOT_NOHZ ? "\n           " : "",
			      policy_slot_names[slot], s->policy[slot]->name);
	strbuf_printf(&b, "\n  %llu events, %llu switches, %llu migrations, digest %016llx\n",
		      (unsigned long long)s->stats->events, (unsigned long long)s->stats->switches,
		      (unsigned long long)s->stats->migrations, (unsigned long long)sim_digest(s));
	if (app->opt->timing) {
		strbuf_puts(&b, "  took");
		ms(&b, " ", r->wall_ns);
		ms(&b, " ms of real time, ", r->cpu_ns);
		strbuf_puts(&b, " ms of CPU\n");
	}
	tasks_table(&b, s);
	latency_table(&b, s);
	machine_lines(&b, s);
	text_expects(&b, app);
	text_published(&b, app);
	for (u32 i = 0; i < app->nr_warnings; i++)
		strbuf_printf(&b, "  note: %s\n", app->warnings[i]);
	return strbuf_take(&b);
}
