/* SPDX-License-Identifier: GPL-2.0-only */
/* pelt_cmd.c - averages along a timeline, written as CSV. See pelt_cmd.h. */
#include "app/pelt_cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "engine/sched/util_est.h"

#include "app/output.h"
#include "app/pelt_run.h"
#include "app/readfile.h"
#include "app/text.h"
#include "app/units.h"
#include "app/xalloc.h"

/* What was written last of a task. */
struct shown {
	u64 util, runnable, load;
	u64 t;
	u32 est;
	bool any;
};

struct calc {
	const struct pelt_timeline *tl;
	const struct pelt_settings *set;
	struct sim *s;
	FILE *out;
	u64 now, hz;
	u64 next_sample; /* NEVER: none */
	task_id *id; /* of a task of the timeline, NONE until its first row */
	u32 *task_of; /* the way back */
	struct shown *shown;
	u32 *runs; /* the task that runs on a CPU after the instant, NONE = none */
	u32 *runs_on; /* the CPU that a task runs on then */
	u32 *cpus; /* CPUs of this instant, each once */
	bool *is_listed;
	u32 nr_cpus, nr_busy;
};

static u32 est_of(const struct calc *c, u32 task)
{
	return _task_util_est(c->s, c->id[task]);
}

static void write_name(FILE *out, const char *name)
{
	if (!strpbrk(name, ",\"#") && name[0] != ' ' && name[strlen(name) - 1] != ' ') {
		fputs(name, out);
		return;
	}
	putc('"', out);
	for (; *name; name++) {
		if (*name == '"')
			putc('"', out);
		putc(*name, out);
	}
	putc('"', out);
}

static void write_row(struct calc *c, u32 task, const struct shown *v)
{
	c->shown[task] = *v;
	c->shown[task].t = c->now;
	fprintf(c->out, "%llu", (unsigned long long)(c->now / 1000));
	if (c->now % 1000)
		fprintf(c->out, ".%03u", (unsigned)(c->now % 1000));
	putc(',', c->out);
	write_name(c->out, c->tl->task[task]);
	fprintf(c->out, ",%llu,%llu,%llu,%u\n", (unsigned long long)v->util,
		(unsigned long long)v->runnable, (unsigned long long)v->load, v->est);
}

static struct shown values(const struct sched_avg *a, u32 est)
{
	return (struct shown){ .util = a->util_avg,
			       .runnable = a->runnable_avg,
			       .load = a->load_avg,
			       .est = est,
			       .any = true };
}

static bool is_shown(const struct calc *c, u32 task, const struct shown *v)
{
	const struct shown *old = &c->shown[task];

	return old->any && old->util == v->util && old->runnable == v->runnable &&
	       old->load == v->load && old->est == v->est;
}

static void write_change(struct calc *c, u32 task)
{
	struct shown v = values(&c->s->task_se[c->id[task]].avg, est_of(c, task));

	if (!is_shown(c, task, &v))
		write_row(c, task, &v);
}

static void write_samples(struct calc *c)
{
	for (u32 i = 0; i < c->tl->nr_tasks; i++) {
		if (c->id[i] == NONE)
			continue;

		struct sched_avg a = sim_task_avg_now(c->s, c->id[i]);
		struct shown v = values(&a, est_of(c, i));

		/* Not twice at one time. */
		if (c->shown[i].t != c->now || !is_shown(c, i, &v))
			write_row(c, i, &v);
	}
	c->next_sample += c->set->sample;
}

static void set_time(struct calc *c, u64 t)
{
	c->now = t;
	pelt_run_time(c->s, t);
}

/* First tick after @t: k / HZ seconds. */
static u64 tick_after(const struct calc *c, u64 t)
{
	u64 k = (u64)((u128)t * c->hz / NSEC_PER_SEC) + 1;

	return (u64)((u128)k * NSEC_PER_SEC / c->hz);
}

static void do_ticks(struct calc *c)
{
	for (u32 cpu = 0; cpu < c->tl->nr_cpus; cpu++) {
		task_id p = c->s->rqs[cpu].curr;

		if (p == NONE)
			continue;
		pelt_run_tick(c->s, cpu);
		write_change(c, c->task_of[p]);
	}
}

/* Ticks up to @t, which come before the rows of @t; samples before @t, which come after them. */
static void advance(struct calc *c, u64 t)
{
	u64 tick = tick_after(c, c->now);

	for (;;) {
		u64 next = c->nr_busy && tick <= t ? tick : NEVER;

		if (c->next_sample < t && c->next_sample < next) {
			set_time(c, c->next_sample);
			write_samples(c);
			continue;
		}
		if (next == NEVER)
			break;
		set_time(c, tick);
		do_ticks(c);
		tick = tick_after(c, tick);
	}
	set_time(c, t);
}

static void list_cpu(struct calc *c, u32 cpu)
{
	if (c->is_listed[cpu])
		return;
	c->is_listed[cpu] = true;
	c->cpus[c->nr_cpus++] = cpu;
}

static bool is_queued(const struct calc *c, task_id p)
{
	return c->s->task_se[p].on_rq;
}

/*
 * The current task of @cpu must leave it before the end of the instant: it wakes up again, or goes
 * elsewhere. The one that runs next comes on if it can.
 */
static void make_room(struct calc *c, u32 cpu)
{
	struct sim *s = c->s;
	u32 next = c->runs[cpu];
	task_id p = next == NONE ? NONE : c->id[next];
	task_id prev = s->rqs[cpu].curr;

	if (p != NONE && (p == prev || !is_queued(c, p) || s->tasks[p].cpu != cpu))
		p = NONE;
	pelt_run_switch(s, cpu, p);
	list_cpu(c, cpu);
}

static void apply_row(struct calc *c, const struct pelt_row *row)
{
	struct sim *s = c->s;
	task_id p = c->id[row->task];
	bool asleep = row->state == PELT_SLEEP;

	if (p == NONE) {
		p = pelt_run_task(s, row->cpu, row->nice, c->set->new_tasks && !asleep);
		/* Ids are given from 0 on, and none is freed. */
		BUG_ON(p >= c->tl->nr_tasks);
		c->id[row->task] = p;
		c->task_of[p] = row->task;
	} else if (row->has_nice) {
		pelt_run_nice(s, p, row->nice);
	}

	u32 cpu = s->tasks[p].cpu;

	list_cpu(c, row->cpu);
	list_cpu(c, cpu);
	if (is_queued(c, p)) {
		if (asleep) {
			pelt_run_sleep(s, p);
		} else if (cpu != row->cpu) {
			if (s->rqs[cpu].curr == p)
				make_room(c, cpu);
			pelt_run_move(s, p, row->cpu);
		}
	} else if (!asleep) {
		if (s->rqs[cpu].curr == p)
			make_room(c, cpu);
		pelt_run_wake(s, p, row->cpu);
	}
}

/* Who runs where once all rows of the instant hold; then it is at most one task on a CPU. */
static void plan(struct calc *c, const struct pelt_row *row, u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		u32 *on = &c->runs_on[row[i].task];

		if (*on != NONE && c->runs[*on] == row[i].task)
			c->runs[*on] = NONE;
		*on = row[i].state == PELT_RUN ? row[i].cpu : NONE;
	}
	for (u32 i = 0; i < nr; i++)
		if (c->runs_on[row[i].task] != NONE)
			c->runs[c->runs_on[row[i].task]] = row[i].task;
}

static void instant(struct calc *c, const struct pelt_row *row, u32 nr)
{
	struct sim *s = c->s;

	advance(c, row->t);
	for (u32 i = 0; i < nr; i++) {
		const struct rq *rq = &s->rqs[row[i].cpu];

		pelt_run_speed(s, row[i].cpu,
			       row[i].capacity ? row[i].capacity : rq->cpu_capacity_orig,
			       row[i].freq_scale ? row[i].freq_scale : rq->freq_scale);
	}
	plan(c, row, nr);
	c->nr_cpus = 0;
	for (u32 i = 0; i < nr; i++)
		apply_row(c, &row[i]);
	for (u32 i = 0; i < c->nr_cpus; i++) {
		u32 cpu = c->cpus[i], next = c->runs[cpu];
		task_id prev = s->rqs[cpu].curr;

		c->is_listed[cpu] = false;
		pelt_run_switch(s, cpu, next == NONE ? NONE : c->id[next]);
		if (prev != NONE)
			write_change(c, c->task_of[prev]);
	}
	for (u32 i = 0; i < nr; i++)
		write_change(c, row[i].task);
	c->nr_busy = 0;
	for (u32 cpu = 0; cpu < c->tl->nr_cpus; cpu++)
		c->nr_busy += s->rqs[cpu].curr != NONE;
	if (c->next_sample == c->now)
		write_samples(c);
}

static int check_amount(const struct calc *c, struct err *err)
{
	const struct pelt_timeline *tl = c->tl;
	u64 span = tl->row[tl->nr_rows - 1].t - tl->row[0].t;
	u64 ticks = (u64)((u128)span * c->hz / NSEC_PER_SEC) * tl->nr_cpus;

	if (ticks > PELT_MAX_TICKS)
		return err_set(
			err, ERR_LIMIT,
			"%llu s on %u CPUs would have %llu ticks; at most %llu are made: take a "
			"lower --hz or split the file",
			(unsigned long long)(span / NSEC_PER_SEC), tl->nr_cpus,
			(unsigned long long)ticks, (unsigned long long)PELT_MAX_TICKS);
	if (!c->set->sample)
		return 0;

	u64 times = span / c->set->sample + 1;

	if (times <= PELT_MAX_SAMPLES / tl->nr_tasks)
		return 0;

	u64 longer = span / (PELT_MAX_SAMPLES / tl->nr_tasks) + 1;
	char buf[32], least[32];

	/* A round number of microseconds above the limit. */
	longer = (longer / 1000 + 1) * 1000;
	return err_set(
		err, ERR_LIMIT,
		"--sample %s asks for %llu times of %u tasks; at most %llu rows are written: "
		"take --sample %s",
		format_time(buf, sizeof(buf), c->set->sample), (unsigned long long)times,
		tl->nr_tasks, (unsigned long long)PELT_MAX_SAMPLES,
		format_time(least, sizeof(least), longer));
}

static void run(struct calc *c)
{
	const struct pelt_timeline *tl = c->tl;
	u64 sample = c->set->sample;
	u32 i = 0, n;

	set_time(c, tl->row[0].t);
	c->next_sample = sample ? (tl->row[0].t + sample - 1) / sample * sample : NEVER;
	fputs("t_us,task,util_avg,runnable_avg,load_avg,util_est\n", c->out);
	for (; i < tl->nr_rows && !ferror(c->out); i += n) {
		for (n = 1; i + n < tl->nr_rows && tl->row[i + n].t == tl->row[i].t; n++)
			;
		instant(c, &tl->row[i], n);
	}
}

int pelt_write(const struct pelt_timeline *tl, const struct pelt_settings *settings, FILE *out,
	       struct err *err)
{
	struct pelt_run_config cfg = {
		.nr_cpus = tl->nr_cpus,
		.nr_tasks = tl->nr_tasks,
		.profile = settings->profile,
		.rule = settings->rule,
		.half_life_ms = settings->half_life_ms,
		.hz = settings->hz,
	};
	struct calc c = {
		.tl = tl, .set = settings, .out = out, .hz = settings->hz ? settings->hz : 250
	};

	if (check_amount(&c, err))
		return -1;
	c.s = pelt_run_new(&cfg, err);
	if (!c.s)
		return -1;
	if (!out) {
		sim_free(c.s);
		return 0;
	}
	c.id = xcalloc(tl->nr_tasks, sizeof(*c.id));
	c.task_of = xcalloc(tl->nr_tasks, sizeof(*c.task_of));
	c.runs_on = xcalloc(tl->nr_tasks, sizeof(*c.runs_on));
	c.shown = xcalloc(tl->nr_tasks, sizeof(*c.shown));
	c.runs = xcalloc(tl->nr_cpus, sizeof(*c.runs));
	c.cpus = xcalloc(tl->nr_cpus, sizeof(*c.cpus));
	c.is_listed = xcalloc(tl->nr_cpus, sizeof(*c.is_listed));
	for (u32 i = 0; i < tl->nr_tasks; i++)
		c.id[i] = c.runs_on[i] = NONE;
	for (u32 i = 0; i < tl->nr_cpus; i++)
		c.runs[i] = NONE;
	run(&c);
	free(c.id);
	free(c.task_of);
	free(c.shown);
	free(c.runs);
	free(c.runs_on);
	free(c.cpus);
	free(c.is_listed);
	sim_free(c.s);
	return 0;
}

static int write_to(const char *path, const struct pelt_timeline *tl,
		    const struct pelt_settings *set, struct err *err)
{
	bool file = path && strcmp(path, "-");

	/* Nothing is overwritten for a request that fails. */
	if (file && pelt_write(tl, set, NULL, err))
		return -1;

	FILE *f = file ? fopen(path, "w") : stdout;
	char clean[128];
	int bad;

	text_clean(clean, sizeof(clean), file ? path : "standard output");
	if (!f)
		return err_set(err, ERR_USAGE, "cannot write %s: %s", clean, strerror(errno));
	bad = pelt_write(tl, set, f, err);
	if (!bad && (fflush(f) || ferror(f)))
		bad = err_set(err, ERR_USAGE, "could not write all of %s: %s", clean,
			      strerror(errno));
	if (file && fclose(f) && !bad)
		bad = err_set(err, ERR_USAGE, "could not write all of %s: %s", clean,
			      strerror(errno));
	return bad;
}

int pelt_cmd(const struct options *opt)
{
	struct pelt_settings set = {
		.profile = opt->kernel,
		.rule = opt->rule,
		.sample = opt->sample,
		.half_life_ms = opt->half_life_ms,
		.hz = opt->hz,
		.new_tasks = opt->new_tasks,
	};
	struct pelt_timeline tl = { 0 };
	struct err err = { 0 };
	char *text = NULL;
	size_t len;
	int bad;

	bad = read_file(opt->file, PELT_CSV_BYTES, &text, &len, &err);
	if (!bad) {
		bad = pelt_csv_parse(&tl, text, len, opt->file, &err);
		free(text);
	}
	if (!bad)
		bad = write_to(opt->out, &tl, &set, &err);
	pelt_timeline_free(&tl);
	return bad ? output_error(&err) : EXIT_DONE;
}
