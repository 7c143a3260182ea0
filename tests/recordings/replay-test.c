/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay-test.c - the timeline that a real kernel (6.18) recorded, through the engine's averages:
 * what comes out must be what that kernel recorded at each of its own updates.
 *
 * The tolerances are those stated with the recordings: an error of at most 2 everywhere and 0.3 on
 * average, each task's last row, its exit, left out; the rule of util_est exact.
 */
#include "app/pelt_run.h"
#include "engine/access.h"
#include "engine/sched/clock.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/util_est.h"
#include "tests/recordings/recording.h"

#define MAX_TASKS 16
#define MAX_ERROR 2
#define UNITS_PER_MEAN 3 /* the mean is at most 3/10 */
#define MEAN_PER 10

static const struct run {
	const char *set, *name;
} runs[] = {
	{ "seed003", "s003_00" }, { "seed003", "s003_01" },    { "seed003", "s003_25" },
	{ "pelt", "duty25_16" },  { "pelt", "duty50_100" },    { "pelt", "duty75_16" },
	{ "pelt", "duty100" },	  { "pelt", "decay" },	       { "pelt", "fork25" },
	{ "pelt", "forkidle" },	  { "pelt", "mix1" },	       { "share", "nice0_0" },
	{ "share", "nice0_5_0" }, { "latency", "hog3_per_0" },
};

struct track {
	char name[32];
	task_id p;
	u32 last_row; /* its exit */
	/* It left the queue late, the trace does not tell when: load_avg counts until then. */
	bool delayed;
	u64 rows, sum, max, exact; /* errors of util_avg and runnable_avg */
	u64 load_max, est_max;
};

struct replay {
	struct recording rec;
	const struct run *run;
	struct sim *s;
	struct track track[MAX_TASKS];
	u32 nr_tracks;
	s64 base; /* clk_ns at time 0 of the engine */
};

static struct track *track_find(struct replay *r, const char *name)
{
	for (u32 i = 0; i < r->nr_tracks; i++)
		if (!strcmp(r->track[i].name, name))
			return &r->track[i];
	return NULL;
}

/* PELT time. */
static u64 engine_time(const struct replay *r, s64 clk)
{
	return (u64)(clk - r->base) + CLOCK_TASK_START;
}

static void go_to(struct replay *r, s64 clk)
{
	u64 now = (u64)(clk - r->base);

	if (r->s->g->now < now)
		pelt_run_time(r->s, now);
}

/* Nice values of the workloads: README.md. */
static s8 nice_of(const struct run *run, const char *task)
{
	if (!strcmp(run->name, "mix1"))
		return !strcmp(task, "B") ? 3 : !strcmp(task, "C") ? -2 : 0;
	return !strcmp(run->name, "nice0_5_0") && !strcmp(task, "B") ? 5 : 0;
}

/* A task starts where its first row stands. */
static struct track *track_new(struct replay *r, u32 row)
{
	const struct table *t = &r->rec.pelt;
	struct track *k = &r->track[r->nr_tracks++];

	assert_true(r->nr_tracks <= MAX_TASKS);
	snprintf(k->name, sizeof(k->name), "%s", table_cell(t, row, "task"));
	k->p = pelt_run_task(r->s, 0, nice_of(r->run, k->name), false);

	struct sched_avg *a = &r->s->task_se[k->p].avg;

	*a = (struct sched_avg){
		.last_update_time = engine_time(r, table_int(t, row, "last_update_ns")),
		.util_avg = (u64)table_int(t, row, "util_avg"),
		.runnable_avg = (u64)table_int(t, row, "runnable_avg"),
		.load_avg = (u64)table_int(t, row, "load_avg"),
		.util_sum = (u32)table_int(t, row, "util_sum"),
		.runnable_sum = (u64)table_int(t, row, "runnable_sum"),
		.load_sum = (u64)table_int(t, row, "load_sum"),
		.period_contrib = (u32)table_int(t, row, "period_contrib"),
		.util_est = (u32)table_int(t, row, "util_est"),
	};
	for (u32 i = row; i < t->nr_rows; i++)
		if (!strcmp(table_cell(t, i, "task"), k->name))
			k->last_row = i;
	return k;
}

static u64 apart(u64 a, s64 b)
{
	return (s64)a > b ? a - (u64)b : (u64)b - a;
}

static void note(u64 *max, u64 v)
{
	if (v > *max)
		*max = v;
}

static void compare(struct replay *r, struct track *k, u32 row)
{
	const struct table *t = &r->rec.pelt;
	struct sim *s = r->s;
	const struct sched_avg *a = &s->task_se[k->p].avg;

	update_rq_clock(s, &s->rqs[0]);
	update_load_avg(s, cfs_rq_of(s, k->p), k->p, 0);

	u64 util = apart(a->util_avg, table_int(t, row, "util_avg"));
	u64 runnable = apart(a->runnable_avg, table_int(t, row, "runnable_avg"));

	k->rows += 2;
	k->sum += util + runnable;
	k->exact += !util + !runnable;
	note(&k->max, util);
	note(&k->max, runnable);
	if (!k->delayed)
		note(&k->load_max, apart(a->load_avg, table_int(t, row, "load_avg")));
	if (util > MAX_ERROR || runnable > MAX_ERROR)
		fail_msg("%s row %u, task %s: util_avg %llu, runnable_avg %llu; recorded %s, %s",
			 r->run->name, row + 2, k->name, (unsigned long long)a->util_avg,
			 (unsigned long long)a->runnable_avg, table_cell(t, row, "util_avg"),
			 table_cell(t, row, "runnable_avg"));
}

static void pelt_row(struct replay *r, u32 row)
{
	const struct table *t = &r->rec.pelt;
	const char *kind = table_cell(t, row, "kind");
	struct track *k = track_find(r, table_cell(t, row, "task"));

	go_to(r, table_int(t, row, "clk_ns"));
	if (!k) {
		k = track_new(r, row);
		if (!strcmp(kind, "wakeup_new"))
			pelt_run_wake(r->s, k->p, 0);
		return;
	}
	if (row == k->last_row)
		return;
	if (!strcmp(kind, "pelt_se"))
		compare(r, k, row);
}

static void trace_row(struct replay *r, u32 row)
{
	const struct table *t = &r->rec.trace;
	const char *event = table_cell(t, row, "event");
	struct sim *s = r->s;

	go_to(r, table_int(t, row, "clk_ns"));
	if (!strcmp(event, "wakeup")) {
		struct track *k = track_find(r, table_cell(t, row, "task"));

		/* One that runs was not asleep yet. */
		if (k && s->tasks[k->p].state != TASK_RUNNING)
			pelt_run_wake(s, k->p, 0);
		return;
	}
	if (strcmp(event, "switch"))
		return;

	struct track *prev = track_find(r, table_cell(t, row, "prev"));
	struct track *next = track_find(r, table_cell(t, row, "next"));

	const char *why = table_cell(t, row, "prev_state");

	if (prev && why[0] != 'R' && s->tasks[prev->p].state == TASK_RUNNING) {
		pelt_run_sleep(s, prev->p);
		prev->delayed |= why[1] == 'd';
	}
	pelt_run_switch(s, 0, next && s->task_se[next->p].on_rq ? next->p : NONE);
}

static void replay_run(struct replay *r)
{
	struct pelt_run_config cfg = { .nr_cpus = 1, .nr_tasks = MAX_TASKS };
	const struct table *trace = &r->rec.trace, *pelt = &r->rec.pelt;
	struct err err = { 0 };
	u32 i = 0, k = 0;

	r->s = pelt_run_new(&cfg, &err);
	if (!r->s)
		fail_msg("%s", err.msg);
	r->base = table_int(trace, 0, "clk_ns");
	if (table_int(pelt, 0, "clk_ns") < r->base)
		r->base = table_int(pelt, 0, "clk_ns");
	/* The phase of the kernel's steps of 1024 ns stays. */
	r->base -= ((r->base % 1024) + 1024) % 1024 + 1024;
	/* The update that belongs to a change of state comes before it. */
	while (i < trace->nr_rows || k < pelt->nr_rows) {
		if (k < pelt->nr_rows &&
		    (i == trace->nr_rows ||
		     table_int(pelt, k, "clk_ns") <= table_int(trace, i, "clk_ns")))
			pelt_row(r, k++);
		else
			trace_row(r, i++);
	}
}

static void averages_follow_the_recording(void **state)
{
	u32 found = 0;

	(void)state;
	for (u32 n = 0; n < ARRAY_SIZE(runs); n++) {
		struct replay r = { .run = &runs[n] };

		if (!recording_read(&r.rec, runs[n].set, runs[n].name)) {
			print_message("# %s: not here\n", runs[n].name);
			continue;
		}
		found++;
		replay_run(&r);
		for (u32 i = 0; i < r.nr_tracks; i++) {
			const struct track *k = &r.track[i];

			print_message("# %s %s: %llu values, error max %llu, mean %llu/1000, load "
				      "max %llu\n",
				      runs[n].name, k->name, (unsigned long long)k->rows,
				      (unsigned long long)k->max,
				      (unsigned long long)(k->rows ? k->sum * 1000 / k->rows : 0),
				      (unsigned long long)k->load_max);
			assert_true(k->rows > 0);
			assert_true(k->sum * MEAN_PER <= k->rows * UNITS_PER_MEAN);
			assert_true(k->load_max <= MAX_ERROR);
		}
		sim_free(r.s);
		recording_free(&r.rec);
	}
	assert_true(found >= 13);
}

/* Each recorded decision again: what was stored, and what the task's averages were. */
static u64 check_estimates(const struct run *run, const struct table *t)
{
	struct pelt_run_config cfg = { .nr_cpus = 1, .nr_tasks = 1 };
	struct err err = { 0 };
	struct sim *s = pelt_run_new(&cfg, &err);
	struct {
		const char *task;
		u32 est;
	} seen[MAX_TASKS];
	u32 nr = 0, i;
	u64 checked = 0;

	if (!s)
		fail_msg("%s", err.msg);

	task_id p = pelt_run_task(s, 0, 0, false);
	struct sched_avg *a = &s->task_se[p].avg;

	for (u32 row = 0; row < t->nr_rows; row++) {
		const char *task = table_cell(t, row, "task");
		u32 est = (u32)table_int(t, row, "util_est");

		for (i = 0; i < nr && strcmp(seen[i].task, task); i++)
			;
		assert_true(i < MAX_TASKS);
		if (i < nr && !strcmp(table_cell(t, row, "kind"), "util_est_se")) {
			a->util_est = seen[i].est;
			a->util_avg = (u64)table_int(t, row, "util_avg");
			a->runnable_avg = (u64)table_int(t, row, "runnable_avg");
			util_est_update(s, p);
			if (_task_util_est(s, p) != est)
				fail_msg("%s row %u, task %s: %u from %u, util_avg %llu, "
					 "runnable_avg %llu; recorded %u",
					 run->name, row + 2, task, _task_util_est(s, p),
					 seen[i].est, (unsigned long long)a->util_avg,
					 (unsigned long long)a->runnable_avg, est);
			checked++;
		}
		nr += i == nr;
		seen[i].task = task;
		seen[i].est = est;
	}
	sim_free(s);
	return checked;
}

static void estimates_follow_the_rule(void **state)
{
	/* Of Linux 6.12: decisions alone, the clock in use is not the averages'. */
	static const struct run v6_12[] = { { "seed003_6.12", "rep2" },
					    { "seed003_6.12", "rep7" } };
	u64 checked = 0;

	(void)state;
	for (u32 n = 0; n < ARRAY_SIZE(v6_12); n++) {
		struct recording rec;

		if (!recording_read(&rec, v6_12[n].set, v6_12[n].name))
			continue;
		checked += check_estimates(&v6_12[n], &rec.pelt);
		recording_free(&rec);
	}
	for (u32 n = 0; n < ARRAY_SIZE(runs); n++) {
		struct recording rec;

		if (!recording_read(&rec, runs[n].set, runs[n].name))
			continue;
		checked += check_estimates(&runs[n], &rec.pelt);
		recording_free(&rec);
	}
	print_message("# %llu decisions\n", (unsigned long long)checked);
	assert_true(checked > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(averages_follow_the_recording),
		cmocka_unit_test(estimates_follow_the_rule),
	};

	return cmocka_run_group_tests_name("recordings-replay", tests, NULL, NULL);
}
