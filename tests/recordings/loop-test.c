/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop-test.c - the recorded workloads run in the simulator: shares, slices, wake-up latencies,
 * decay after sleep, first guesses, the time at which an estimate begins to fall.
 *
 * The recordings are of Linux 6.18, which has no profile: v6.12 stands in. Values of single events
 * depend on where ticks and periods fall, so distributions are compared. Tolerances are those given
 * with the recordings (README.md: shares within 0.5 %, averages within 2). For distributions none
 * is given: there two samples count as one distribution if the Kolmogorov-Smirnov distance does not
 * refute it at the 1 % level. Where the recording lets the phase of the tick be seen, it is taken
 * over: latencies follow from it.
 *
 * What differs and stays: the run s003_00 began to fall at the 9th activation, the simulated one at
 * the 10th; a second mode of slices (16 ms in 5 % of those of nice 0 beside nice 5) is rarer here;
 * the first guess beside a 25 % parent is 399 for 398.
 */
#include "tests/recordings/loop.h"
#include "tests/recordings/recording.h"

#define TICK (4 * MS)
/* In the recordings ticks come 3.09 ms after the workload began, and every 4 ms. */
#define HOG3_PHASE (3090 * US)
#define BIN (MS / 2) /* far above the recorder's own delays of some 10 us */
#define SAMPLES 2048

struct samples {
	u64 v[SAMPLES];
	u32 nr;
};

static void add(struct samples *d, u64 ns)
{
	assert_true(d->nr < SAMPLES);
	d->v[d->nr++] = (ns + BIN / 2) / BIN;
}

static int by_value(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Greatest distance of the two distribution functions, in 1/1000. */
static u32 distance(struct samples *a, struct samples *b)
{
	u32 i = 0, k = 0, max = 0;

	qsort(a->v, a->nr, sizeof(a->v[0]), by_value);
	qsort(b->v, b->nr, sizeof(b->v[0]), by_value);
	while (i < a->nr && k < b->nr) {
		u64 x = a->v[i] < b->v[k] ? a->v[i] : b->v[k];

		while (i < a->nr && a->v[i] == x)
			i++;
		while (k < b->nr && b->v[k] == x)
			k++;

		s64 d = (s64)1000 * i / a->nr - (s64)1000 * k / b->nr;

		d = d < 0 ? -d : d;
		max = (u32)d > max ? (u32)d : max;
	}
	return max;
}

/* 1.63 * sqrt((n + m) / (n * m)) in 1/1000: beyond it the samples differ at the 1 % level. */
static u32 critical(const struct samples *a, const struct samples *b)
{
	u64 sq = 2656900ull * (a->nr + b->nr) / ((u64)a->nr * b->nr), r = 0;

	while ((r + 1) * (r + 1) <= sq)
		r++;
	return (u32)r;
}

static void same_distribution(const char *what, struct samples *sim, struct samples *rec)
{
	u32 d, c;

	assert_true(sim->nr > 50 && rec->nr > 50);
	d = distance(sim, rec);
	c = critical(sim, rec);
	print_message("# %s: %u and %u samples, medians %llu and %llu us, distance %u/1000 of %u\n",
		      what, sim->nr, rec->nr, (unsigned long long)(sim->v[sim->nr / 2] * BIN / US),
		      (unsigned long long)(rec->v[rec->nr / 2] * BIN / US), d, c);
	if (d > c)
		fail_msg("%s: not the recorded distribution", what);
}

/* ---- what a recording says ---------------------------------------------------------------- */

/* t_us with its one decimal, in ns; times before the workload are negative. */
static s64 row_ns(const struct table *t, u32 row)
{
	const char *s = table_cell(t, row, "t_us"), *dot = strchr(s, '.');
	s64 v = strtoll(s, NULL, 10) * 1000;

	return dot ? v + (dot[1] - '0') * (*s == '-' ? -100 : 100) : v;
}

static void recorded_latencies(const struct table *t, const char *task, struct samples *d)
{
	bool woken = false, runs = false;
	s64 since = 0;

	for (u32 i = 0; i < t->nr_rows; i++) {
		bool is_switch = !strcmp(table_cell(t, i, "event"), "switch");

		/* A wake-up of one that runs is none. */
		if (!is_switch && !runs && !strcmp(table_cell(t, i, "task"), task)) {
			woken = true;
			since = row_ns(t, i);
		}
		if (!is_switch)
			continue;
		runs = !strcmp(table_cell(t, i, "next"), task);
		if (runs && woken) {
			add(d, (u64)(row_ns(t, i) - since));
			woken = false;
		}
	}
}

static u64 recorded_slices(const struct table *t, const char *task, struct samples *d)
{
	bool runs = false;
	s64 since = 0;
	u64 sum = 0;

	for (u32 i = 0; i < t->nr_rows; i++) {
		if (strcmp(table_cell(t, i, "event"), "switch"))
			continue;
		if (runs) {
			add(d, (u64)(row_ns(t, i) - since));
			sum += (u64)(row_ns(t, i) - since);
		}
		runs = !strcmp(table_cell(t, i, "next"), task);
		since = row_ns(t, i);
	}
	return sum;
}

/* ---- what the simulator does -------------------------------------------------------------- */

static void simulated_latencies(const struct loop *l, task_id p, struct samples *d)
{
	bool woken = false;
	u64 since = 0;

	for (u32 i = 0; i < l->nr; i++) {
		const struct loop_event *e = &l->ev[i];

		if (e->type == TR_sched_wakeup && e->task == p) {
			woken = true;
			since = e->time;
		}
		if (e->type == TR_sched_switch && e->next == p && woken) {
			add(d, e->time - since);
			woken = false;
		}
	}
}

static void simulated_slices(const struct loop *l, task_id p, struct samples *d)
{
	u64 since = 0;

	for (u32 i = 0; i < l->nr; i++) {
		const struct loop_event *e = &l->ev[i];

		if (e->type != TR_sched_switch)
			continue;
		if (e->task == p)
			add(d, e->time - since);
		if (e->next == p)
			since = e->time;
	}
}

/* ---- two hogs ----------------------------------------------------------------------------- */

static u64 ppm(u64 part, u64 rest)
{
	return part * 1000000 / (part + rest);
}

static void two_hogs(const char *run, s8 nice, u64 want_ppm)
{
	struct loop *l = loop_new("v6.12");
	u64 sa = loop_spawn(l, world_hog("A"), 0, 0), sb = loop_spawn(l, world_hog("B"), nice, 0);
	struct samples sim[2] = { { .nr = 0 } }, rec[2] = { { .nr = 0 } };
	struct recording r;
	char what[64];

	world_run(l->s, 4000 * MS);

	task_id a = loop_task(l, sa), b = loop_task(l, sb);
	u64 share = ppm(sim_task_exec_now(l->s, a), sim_task_exec_now(l->s, b));

	assert_true(recording_read(&r, "share", run));
	simulated_slices(l, a, &sim[0]);
	simulated_slices(l, b, &sim[1]);

	u64 got = recorded_slices(&r.trace, "A", &rec[0]);
	u64 rec_share = ppm(got, recorded_slices(&r.trace, "B", &rec[1]));

	print_message("# %s: share of A %llu ppm, recorded %llu\n", run, (unsigned long long)share,
		      (unsigned long long)rec_share);
	/* Within 0.5 % of what was measured. */
	assert_in_range(share, want_ppm - want_ppm / 200, want_ppm + want_ppm / 200);
	assert_in_range(share, rec_share - rec_share / 200, rec_share + rec_share / 200);
	for (u32 i = 0; i < 2; i++) {
		snprintf(what, sizeof(what), "%s, slices of %c", run, 'A' + (int)i);
		same_distribution(what, &sim[i], &rec[i]);
	}
	recording_free(&r);
	loop_free(l);
}

static void shares_and_slices_of_two_hogs(void **state)
{
	(void)state;
	two_hogs("nice0_0", 0, 500000);
	two_hogs("nice0_5_0", 5, 753700);
}

/* ---- a periodic task beside three hogs ---------------------------------------------------- */

static void latency_beside_three_hogs(void **state)
{
	struct loop *l = loop_new("v6.12");
	struct samples sim = { .nr = 0 }, rec = { .nr = 0 };
	struct recording r;
	u64 hogs[3], p, start = TICK - HOG3_PHASE % TICK;
	char name[4];

	(void)state;
	for (u32 i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "H%u", i + 1);
		hogs[i] = loop_spawn(l, world_hog(name), 0, start);
	}
	p = loop_spawn(l, world_periodic("P", MS, 10 * MS, 0), 0, start);
	world_run(l->s, 5000 * MS);
	assert_true(recording_read(&r, "latency", "hog3_per_0"));
	simulated_latencies(l, loop_task(l, p), &sim);
	recorded_latencies(&r.trace, "P", &rec);
	same_distribution("hog3_per_0, latency of P", &sim, &rec);
	/* Which hog gets which slice is chance; all of theirs are not. */
	sim.nr = rec.nr = 0;
	for (u32 i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "H%u", i + 1);
		simulated_slices(l, loop_task(l, hogs[i]), &sim);
		recorded_slices(&r.trace, name, &rec);
	}
	same_distribution("hog3_per_0, slices of the hogs", &sim, &rec);
	recording_free(&r);
	loop_free(l);
}

/* ---- averages ----------------------------------------------------------------------------- */

/* util_avg at each wake-up of @task as recorded. Returns how many. */
static u32 recorded_wakes(const struct recording *r, const char *task, u32 *util, u32 max)
{
	const struct table *t = &r->trace, *a = &r->pelt;
	u32 nr = 0, k = 0;

	for (u32 i = 0; i < t->nr_rows; i++) {
		if (strcmp(table_cell(t, i, "event"), "wakeup") ||
		    strcmp(table_cell(t, i, "task"), task))
			continue;

		s64 clk = table_int(t, i, "clk_ns");

		while (k < a->nr_rows && table_int(a, k, "clk_ns") < clk)
			k++;
		if (k < a->nr_rows && table_int(a, k, "clk_ns") == clk && nr < max &&
		    !strcmp(table_cell(a, k, "task"), task))
			util[nr++] = (u32)table_int(a, k, "util_avg");
	}
	return nr;
}

static void decay_after_sleep(void **state)
{
	static const u32 sleep_ms[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000 };
	struct loop *l = loop_new("v6.12");
	struct task_spec *spec = task_spec_new("A");
	u32 rec[ARRAY_SIZE(sleep_ms) + 1], nr = 0;
	struct recording r;

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(sleep_ms); i++) {
		world_step(spec, STEP_RUN, 0, NONE, 600 * MS, 0);
		world_step(spec, STEP_SLEEP, 0, NONE, sleep_ms[i] * MS, 0);
	}
	world_step(spec, STEP_RUN, 0, NONE, MS, 0);
	loop_spawn(l, spec, 0, 0);
	world_run(l->s, 9000 * MS);
	assert_true(recording_read(&r, "pelt", "decay"));
	/* The first wake-up begins the workload. */
	assert_true(recorded_wakes(&r, "A", rec, ARRAY_SIZE(rec)) == ARRAY_SIZE(rec));
	for (u32 i = 0; i < l->nr; i++) {
		if (l->ev[i].type != TR_sched_wakeup)
			continue;

		u32 want = rec[nr + 1], util = l->ev[i].util;
		/*
		 * 2 is the tolerance; whether one period more has ended is a matter of phase, and
		 * 1 - y = 2.2 % of the value.
		 */
		u32 slack = 2 + want * 22 / 1000;

		print_message("# decay: %u after %u ms, recorded %u\n", util, sleep_ms[nr], want);
		assert_true(util <= want + slack && want <= util + slack);
		nr++;
	}
	assert_int_equal(nr, ARRAY_SIZE(sleep_ms));
	recording_free(&r);
	loop_free(l);
}

/* First util_avg of a task forked by a parent that runs @run of every @period; the last fork. */
static u32 first_guess(const char *profile, u64 run, u64 period)
{
	struct loop *l = loop_new(profile);
	struct task_spec *spec = task_spec_new("A"), *child = task_spec_new("child");
	u32 t = world_obj(spec, "t", SYNC_TIMER, true), util = 0;

	world_step(child, STEP_RUN, 0, NONE, 50 * MS, 0);
	spec->forks = calloc(1, sizeof(*spec->forks));
	assert_non_null(spec->forks);
	spec->forks[spec->nr_forks++] = child;
	world_pin(child, LOOP_CPU, 2);
	snprintf(child->group, sizeof(child->group), "/loop");
	/* As recorded: after 40 periods, 0.18 ms after a wake-up. */
	world_open(spec, STEP_LOOP, 40);
	world_step(spec, STEP_RUN, 0, NONE, run, 0);
	world_step(spec, STEP_TIMER, STEP_F_ABSOLUTE, t, period, 0);
	world_close(spec);
	world_step(spec, STEP_RUN, 0, NONE, 180 * US, 0);
	world_step(spec, STEP_FORK, 0, NONE, 0, 0);
	world_step(spec, STEP_RUN, 0, NONE, MS, 0);
	loop_spawn(l, spec, 0, 0);
	world_run(l->s, 42 * period);
	for (u32 i = 0; i < l->nr; i++)
		if (l->ev[i].type == TR_sched_wakeup_new)
			util = l->ev[i].util;
	loop_free(l);
	return util;
}

static void new_tasks_start_with_half_the_room(void **state)
{
	u32 idle = first_guess("v6.12", 130 * US, 20 * MS),
	    quarter = first_guess("v6.12", 4 * MS, 16 * MS);

	(void)state;
	print_message("# first guess: %u beside an idle parent, %u beside 25 %%\n", idle, quarter);
	assert_in_range(idle, 510 - 2, 510 + 2);
	assert_in_range(quarter, 398 - 2, 398 + 2);
}

/* ---- the fall of an estimate -------------------------------------------------------------- */

static struct task_spec *phases(const char *name, u64 run, u32 n, u64 then, u32 m)
{
	struct task_spec *spec = task_spec_new(name);
	u32 t = world_obj(spec, "t", SYNC_TIMER, true);

	for (u32 i = 0; i < 2 && (i ? m : n); i++) {
		world_open(spec, STEP_LOOP, i ? m : n);
		world_step(spec, STEP_RUN, 0, NONE, i ? then : run, 0);
		world_step(spec, STEP_TIMER, STEP_F_ABSOLUTE, t, 16 * MS, 0);
		world_close(spec);
	}
	/* Neither is gone before the end of the measurement. */
	world_step(spec, STEP_SLEEP, 0, NONE, 1000 * MS, 0);
	return spec;
}

#define PHASE_2 (62 * 16 * MS)
#define WINDOW (1000 * MS)

struct fall {
	u64 us; /* after B's second phase began; WINDOW / US: not within a second */
	u32 pieces; /* of B's last activation before: 1, A did not come between */
};

/* The workload of s003 begun @phase before a tick. */
static struct fall fall_of_estimate(const char *profile, u64 phase)
{
	struct loop *l = loop_new(profile);
	u64 start = TICK - phase, t0 = start + 2 * MS + PHASE_2, serial;
	struct fall f = { .us = WINDOW / US };

	loop_spawn(l, phases("A", 9600 * US, 126, 0, 0), 0, start);
	serial = loop_spawn(l, phases("B", 3200 * US, 62, 800 * US, 63), 0, start + 2 * MS);
	world_run(l->s, t0 - 1);

	task_id b = loop_task(l, serial);
	u32 est = _task_util_est(l->s, b);

	for (u32 i = 0; i < l->nr; i++)
		f.pieces += l->ev[i].time >= t0 - 16 * MS && l->ev[i].type == TR_sched_switch &&
			    l->ev[i].next == b;
	for (u64 t = 0; t < WINDOW; t += 100 * US) {
		world_run(l->s, t0 + t);
		if (_task_util_est(l->s, b) < est) {
			f.us = t / US;
			break;
		}
		est = _task_util_est(l->s, b);
	}
	loop_free(l);
	return f;
}

static bool falls_at_once(const struct fall *f)
{
	return f->us <= 2200;
}

static bool falls_late(const struct fall *f)
{
	return f->us >= 128800 && f->us <= 225000; /* 129 in README.md is 128.8 in its source */
}

static void estimate_falls_in_recorded_modes(void **state)
{
	u32 at_once = 0, second = 0, late = 0, never = 0;

	(void)state;
	for (u64 phase = 0; phase < TICK; phase += 50 * US) {
		struct fall f = fall_of_estimate("v6.12", phase);
		/* Of the real 6.12 one run of ten fell at the second activation, one never did. */
		bool at_second = f.us >= 16000 && f.us < 32000;

		at_once += falls_at_once(&f);
		second += at_second;
		late += falls_late(&f);
		never += f.us == WINDOW / US;
		assert_true(falls_at_once(&f) || at_second || falls_late(&f) ||
			    f.us == WINDOW / US);
		/* At once only if A did not come between. */
		if (falls_at_once(&f))
			assert_int_equal(f.pieces, 1);
	}
	print_message(
		"# s003: %u at once, %u at the second activation, %u in 129..225 ms, %u never\n",
		at_once, second, late, never);
	assert_true(at_once && late);
}

/* When the tick came in the recording: that is where A took over from a B that was not done. */
static u64 recorded_phase(const struct table *t)
{
	u64 sum = 0, nr = 0;

	for (u32 i = 0; i < t->nr_rows; i++) {
		u64 at = (u64)row_ns(t, i) % TICK;

		if (strcmp(table_cell(t, i, "prev"), "B") ||
		    strcmp(table_cell(t, i, "next"), "A") ||
		    table_cell(t, i, "prev_state")[0] != 'R')
			continue;
		sum += at;
		nr++;
	}
	assert_true(nr > 0);
	return sum / nr;
}

/*
 * Begun as far from the tick as the recorded run was, the simulated one falls in the same mode. In
 * the late mode it may be some activations off: s003_00 fell at the 9th, ours at the 10th.
 */
static void recorded_runs_at_their_phase(void **state)
{
	static const struct {
		const char *run;
		u64 us;
	} runs[] = { { "s003_00", 128800 }, { "s003_01", 900 }, { "s003_25", 144800 } };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(runs); i++) {
		struct fall rec = { .us = runs[i].us }, f;
		struct recording r;
		u64 phase;

		if (!recording_read(&r, "seed003", runs[i].run))
			continue;
		phase = recorded_phase(&r.trace);
		f = fall_of_estimate("v6.12", phase);
		print_message("# %s, %llu us before a tick: falls after %llu us, recorded %llu\n",
			      runs[i].run, (unsigned long long)(phase / US),
			      (unsigned long long)f.us, (unsigned long long)rec.us);
		assert_int_equal(falls_at_once(&f), falls_at_once(&rec));
		assert_int_equal(falls_late(&f), falls_late(&rec));
		recording_free(&r);
	}
}

static void estimate_of_v6_1_falls_at_once(void **state)
{
	(void)state;
	for (u64 phase = 0; phase < TICK; phase += 250 * US) {
		struct fall f = fall_of_estimate("v6.1", phase);

		if (f.us > 2200)
			fail_msg("%llu us before a tick: falls after %llu us",
				 (unsigned long long)(phase / US), (unsigned long long)f.us);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_and_slices_of_two_hogs),
		cmocka_unit_test(latency_beside_three_hogs),
		cmocka_unit_test(decay_after_sleep),
		cmocka_unit_test(new_tasks_start_with_half_the_room),
		cmocka_unit_test(estimate_falls_in_recorded_modes),
		cmocka_unit_test(recorded_runs_at_their_phase),
		cmocka_unit_test(estimate_of_v6_1_falls_at_once),
	};

	return cmocka_run_group_tests_name("recorded workloads", tests, NULL, NULL);
}
