/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_pelt.c - the averages of a CPU or a task as curves over time: util_avg, runnable_avg,
 * load_avg, util_est, with the CPU's capacity and frequency, all on the scale where 1024 is the
 * biggest CPU at its top frequency. Names as in struct sched_avg of Linux v6.12.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "ui/fmt.h"
#include "ui/plot.h"
#include "ui/view.h"
#include "ui/xalloc.h"

enum { NR_CURVES = 8 };

static const struct {
	const char *name; /* as in `curves toggle NAME` */
	const char *label; /* as in the kernel */
	enum series_chan chan;
	bool cpu, task; /* shown at first for a CPU, for a task */
} curves[NR_CURVES] = {
	{ "util", "util_avg", SC_UTIL, true, true },
	{ "runnable", "runnable_avg", SC_RUNNABLE, true, true },
	{ "util_est", "util_est", SC_UTIL_EST, false, true },
	{ "capacity", "capacity", SC_CAPACITY, true, true },
	{ "freq", "frequency", SC_FREQ, true, true },
	{ "load", "load_avg", SC_LOAD, false, false },
	{ "running", "running", SC_RUNNING, false, false },
	{ "other", "rt+dl+irq", SC_OTHER, false, false },
};

struct pelt_view {
	bool on[2][NR_CURVES]; /* [of a task] */
};

/* All curves ask for the same columns: each is looked up once. */
#define SPAN_CACHE 1024

struct span_cache {
	u64 t0, t1; /* t1 0: empty */
	struct series_span span;
};

struct pelt_curve {
	const struct ui *ui;
	struct span_cache *cache; /* SPAN_CACHE of them */
	const struct series_obj *obj; /* of the task or CPU, NULL if there is no history */
	enum series_chan chan;
	u64 shift;
};

static void pelt_init(void *state)
{
	struct pelt_view *v = state;

	/* A CPU's util_est is the sum over queued tasks: right, but a square wave. Off at first. */
	for (int i = 0; i < NR_CURVES; i++) {
		v->on[0][i] = curves[i].cpu;
		v->on[1][i] = curves[i].task;
	}
}

static bool ask(const struct ui *ui, enum series_chan chan, u64 t0, u64 t1, struct series_sum *sum)
{
	if (ui->of_task)
		return series_task(ui->series, ui->serial, chan, t0, t1, sum);
	return series_cpu(ui->series, ui->cpu, chan, t0, t1, sum);
}

/* The plot's time is later by shift, so that it can begin before zero. */
static bool pelt_span(const void *ctx, u64 t0, u64 t1, struct plot_span *out)
{
	const struct pelt_curve *k = ctx;
	struct span_cache *e = &k->cache[t0 / (t1 - t0) % SPAN_CACHE];
	struct series_sum sum;

	if (t0 < k->shift || !k->obj)
		return false;
	if (e->t0 != t0 || e->t1 != t1)
		*e = (struct span_cache){
			t0, t1, series_find(k->ui->series, t0 - k->shift, t1 - k->shift)
		};
	if (!series_at(k->ui->series, k->obj, k->chan, &e->span, &sum))
		return false;
	out->min = sum.min;
	out->max = sum.max;
	out->last = sum.mean;
	return true;
}

static void pelt_subtitle(const struct ui *ui, const struct sim *s, const void *state, char *buf,
			  size_t size)
{
	(void)state;
	if (ui->of_task) {
		task_id p = sim_find_task(s, ui->serial);

		if (p == NONE)
			snprintf(buf, size, "task #%llu, which is gone",
				 (unsigned long long)ui->serial);
		else
			snprintf(buf, size, "task %s on cpu %u", sim_task_name(s, p),
				 s->tasks[p].cpu);
	} else {
		const char *type = s->machine->core_types[s->topo[ui->cpu].type].name;

		snprintf(buf, size, "cpu %u %s", ui->cpu, type);
	}
}

/* Smallest power of two, 256 at least, that holds everything in sight. */
static s64 top_of(const struct ui *ui, const struct pelt_view *v, const struct sim *s)
{
	u64 from = s->g->now > ui->window ? s->g->now - ui->window : 0;
	u32 most = 200;
	s64 top = 256;

	for (int i = 0; i < NR_CURVES; i++) {
		struct series_sum sum;

		if (v->on[ui->of_task][i] && ask(ui, curves[i].chan, from, s->g->now + 1, &sum) &&
		    sum.max > most)
			most = sum.max;
	}
	while (top < most)
		top *= 2;
	return top;
}

static void legend_value(const struct ui *ui, const struct sim *s, enum series_chan chan, char *buf,
			 size_t size)
{
	task_id p = ui->of_task ? sim_find_task(s, ui->serial) : NONE;
	cpu_id cpu = ui->cpu;
	struct series_sum sum;
	char num[FMT_LEN];

	if (ui->of_task && p != NONE)
		cpu = s->tasks[p].cpu;
	buf[0] = '\0';
	if (ui->of_task && p == NONE)
		return;
	if (chan == SC_FREQ)
		snprintf(buf, size, "%s", fmt_khz(num, sizeof(num), sim_cpu_khz(s, cpu)));
	else if (ask(ui, chan, ui->series->last, ui->series->last + 1, &sum))
		snprintf(buf, size, "%u", sum.mean);
}

static void pelt_draw(struct ui *ui, const struct sim *s, void *state, struct canvas *c)
{
	const struct pelt_view *v = state;
	struct plot p = { .binary = true, .snap = true, .bg = COL_DEFAULT };
	struct pelt_curve ctx[NR_CURVES];
	const struct series_obj *obj = ui->of_task ? series_obj_of(ui->series, ui->serial)
						   : &ui->series->cpu[ui->cpu];
	struct span_cache *cache = xcalloc(SPAN_CACHE, sizeof(*cache));
	char value[NR_CURVES][24];

	ui_window(ui, s, &p.t0, &p.t1, &p.shift);
	p.hi = top_of(ui, v, s);
	p.empty = "nothing sampled yet: space lets time run";
	for (int i = 0; i < NR_CURVES; i++) {
		if (!v->on[ui->of_task][i])
			continue;
		ctx[i] = (struct pelt_curve){ ui, cache, obj, curves[i].chan, p.shift };
		legend_value(ui, s, curves[i].chan, value[i], sizeof(value[i]));
		p.curve[p.ncurves++] = (struct plot_curve){ .name = curves[i].label,
							    .value = value[i],
							    .span = pelt_span,
							    .ctx = &ctx[i],
							    .id = i + 1 };
	}
	if (!p.ncurves)
		p.empty = "no curve is on: u r e c f l switch them";
	plot_draw(c, ui->g, &p);
	free(cache);
}

/* Task before or after the selected one in the order of birth, SERIES_NO_TASK if there is none. */
static u64 task_beside(const struct sim *s, u64 serial, int step)
{
	bool first = serial == SERIES_NO_TASK;
	u64 best = SERIES_NO_TASK;

	for_each_live(p, &s->arena, POOL_TASK)
	{
		u64 n = s->tasks[p].serial;

		if (s->tasks[p].state == TASK_DEAD || (s->tasks[p].flags & PF_KTHREAD))
			continue;
		if (step > 0 && (first || n > serial) && n < best)
			best = n;
		if (step < 0 && n < serial && (best == SERIES_NO_TASK || n > best))
			best = n;
	}
	return best;
}

static int set_target(struct ui *ui, const struct sim *s, bool task, struct err *err)
{
	if (task && ui->serial == SERIES_NO_TASK)
		ui->serial = task_beside(s, SERIES_NO_TASK, 1);
	if (task && ui->serial == SERIES_NO_TASK)
		return err_set(err, ERR_USAGE, "curves: there is no task yet; inject one with t");
	ui->of_task = task;
	return 1;
}

static int toggle(const struct ui *ui, struct pelt_view *v, const char *name, struct err *err)
{
	for (int i = 0; i < NR_CURVES; i++) {
		if (!strcmp(name, curves[i].name) || !strcmp(name, curves[i].label)) {
			bool *on = &v->on[ui->of_task][i];

			*on = !*on;
			return 1;
		}
	}
	return err_set(
		err, ERR_USAGE,
		"curves toggle: '%.40s' is not util, runnable, util_est, capacity, freq, load, running or other",
		name);
}

static int pelt_command(struct ui *ui, const struct sim *s, void *state, int argc, char **argv,
			struct err *err)
{
	const char *arg = argc > 1 ? argv[1] : "";
	int cpu;

	if (!strcmp(argv[0], "cursor")) {
		if (ui->of_task) {
			u64 n = task_beside(s, ui->serial, !strcmp(arg, "down") ? 1 : -1);

			ui->serial = n != SERIES_NO_TASK ? n : ui->serial;
			return 1;
		}
		cpu = ui_scroll(arg, (int)ui->cpu, 8, (int)s->g->nr_cpus, err);
		if (cpu >= 0)
			ui->cpu = (cpu_id)cpu;
		return cpu < 0 ? -1 : 1;
	}
	if (strcmp(argv[0], "curves") != 0)
		return 0;
	if (!strcmp(arg, "next"))
		return set_target(ui, s, !ui->of_task, err);
	if (!strcmp(arg, "toggle"))
		return toggle(ui, state, argc > 2 ? argv[2] : "", err);
	if (!strcmp(arg, "cpu") || !strcmp(arg, "task")) {
		char *end = NULL;
		unsigned long n = 0;
		task_id p;

		if (argc <= 2)
			return set_target(ui, s, *arg == 't', err);
		if (*arg == 't') {
			p = sim_find_task_by_name(s, argv[2]);
			if (p == NONE)
				return err_set(err, ERR_USAGE, "curves: no task is named '%.60s'",
					       argv[2]);
			ui->serial = s->tasks[p].serial;
			return set_target(ui, s, true, err);
		}
		n = strtoul(argv[2], &end, 10);
		if (!end || *end || end == argv[2] || n >= s->g->nr_cpus)
			return err_set(err, ERR_USAGE, "curves: '%.40s' is no CPU; 0 to %u are",
				       argv[2], s->g->nr_cpus - 1);
		ui->cpu = (cpu_id)n;
		return set_target(ui, s, false, err);
	}
	return err_set(err, ERR_USAGE, "curves: '%.40s' is not next, cpu, task or toggle", arg);
}

const struct view_ops view_curves = {
	.name = "curves",
	.title = "curves",
	.help = "How the scheduler sees a CPU or a task over time. 1024 is the biggest CPU at its "
		"top frequency. util_avg: time spent running; runnable_avg: running or waiting; "
		"load_avg: the same by weight; util_est: what a task needed before it slept; "
		"capacity: what the CPU has for fair tasks; frequency: its speed now. "
		"Each curve has a marker of its own, named in the first lines.",
	.min_w = 34,
	.min_h = 7,
	.state_size = sizeof(struct pelt_view),
	.init = pelt_init,
	.subtitle = pelt_subtitle,
	.draw = pelt_draw,
	.command = pelt_command,
};
