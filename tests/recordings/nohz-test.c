/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nohz-test.c - who balances for whom, and how often somebody is asked, beside a recorded kernel.
 *
 * numa4.nohz.csv is the summary of a recording of Linux 6.12 (Debian) on an emulated PC with 8 CPUs in
 * 4 nodes: once with nothing to do, once with four hogs on CPUs 1, 2, 5 and 6. Its clock is that of the
 * emulation, so order and rates are compared, not times. The simulated machine gets the same hogs and,
 * on each CPU, as many short tasks as the recorded one went idle, as long as its busy ticks there
 * allow on average; kicks and their receivers then have to follow from that. The emulation loses ticks:
 * a hog's CPU saw some 780 of 1282, so that the simulated machine, which loses none, asks more often.
 */
#include "tests/sim-world.h"

#include "engine/sched/core.h"
#include "tests/recordings/recording.h"

#define CPUS 8
#define TICK (4 * MS)
#define SEEDS 3

struct row {
	u64 window_ms, total, cpu[CPUS];
};

static struct row row_of(const struct table *t, const char *phase, const char *event)
{
	for (u32 i = 0; i < t->nr_rows; i++) {
		struct row r = { .window_ms =
					 (u64)(strtod(table_cell(t, i, "window_s"), NULL) * 1000) };
		char name[8];

		if (strcmp(table_cell(t, i, "phase"), phase) != 0 ||
		    strcmp(table_cell(t, i, "event"), event) != 0)
			continue;
		r.total = strtoull(table_cell(t, i, "total"), NULL, 10);
		for (u32 c = 0; c < CPUS; c++) {
			snprintf(name, sizeof(name), "cpu%u", c);
			r.cpu[c] = strtoull(table_cell(t, i, name), NULL, 10);
		}
		return r;
	}
	fail_msg("no row %s of %s", event, phase);
	return (struct row){ 0 };
}

struct tally {
	const struct sim *s;
	u64 kicks, wrong, to[CPUS];
};

/* Each kick goes to the idle CPU with the lowest number, wherever the kicker is. */
static void see_kick(void *ctx, const struct trace_rec *r)
{
	struct tally *t = ctx;
	cpu_id to = (u32)r->a;

	t->kicks++;
	t->to[to]++;
	for (cpu_id c = 0; c < to; c++)
		t->wrong += c != r->cpu && idle_cpu(t->s, c) && t->s->rqs[c].nohz_tick_stopped;
	t->wrong += !idle_cpu(t->s, to) || to == r->cpu;
}

static struct task_spec *noise(u64 run, u64 sleep, cpu_id cpu)
{
	struct task_spec *spec = task_spec_new("noise");

	world_open(spec, STEP_LOOP, 0);
	world_step(spec, STEP_RUN, STEP_F_EXP, NONE, run, 0);
	world_step(spec, STEP_SLEEP, STEP_F_EXP, NONE, sleep, 0);
	world_close(spec);
	return world_pin(spec, cpu, CPUS);
}

static struct tally simulate(const struct row *enter, const struct row *busy, u64 hogs, u64 seed)
{
	struct sim *s = world_sim((struct shape){ CPUS, 0, 4, 1, false }, "v6.12", seed);
	struct tally t = { .s = s };
	struct trace_probe probe = { .mask = TRACE_BIT(TR_nohz_kick), .fn = see_kick, .ctx = &t };

	assert_int_equal(trace_add_probe(&s->trace, &probe), 0);
	for (cpu_id c = 0; c < CPUS; c++) {
		u64 n = enter->cpu[c], window = enter->window_ms * MS, run;

		if (hogs >> c & 1) {
			world_spawn(s, world_pin(world_hog("hog"), c, CPUS));
			continue;
		}
		if (!n)
			continue;
		/* A task of length l meets l / TICK ticks on average. */
		run = busy->cpu[c] * TICK / n;
		run = run ? run : 100 * US;
		world_spawn(s, noise(run, window / n - run, c));
	}
	world_run(s, enter->window_ms * MS);
	world_check(s);
	trace_remove_probe(&s->trace, &t);
	sim_free(s);
	return t;
}

static void compare(const char *phase, u64 hogs, u64 to[CPUS])
{
	const char *src = getenv("abs_top_srcdir");
	struct table t;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/recordings/data/numa4.nohz.csv", src ? src : ".");
	if (!table_read(&t, path))
		fail_msg("%s cannot be read", path);

	struct row enter = row_of(&t, phase, "nohz_balance_enter_idle");
	struct row busy = row_of(&t, phase, "nohz_balance_exit_idle");
	struct row sent = row_of(&t, phase, "ilb_kick_sent");
	u64 kicks = 0;

	for (u64 seed = 1; seed <= SEEDS; seed++) {
		struct tally sim = simulate(&enter, &busy, hogs, seed);

		assert_int_equal(sim.wrong, 0);
		kicks += sim.kicks;
		for (u32 c = 0; c < CPUS; c++)
			to[c] += sim.to[c];
	}
	print_message("# %s: %.1f kicks a second recorded, %.1f simulated\n", phase,
		      (double)sent.total * 1000 / (double)sent.window_ms,
		      (double)kicks * 1000 / (double)(SEEDS * enter.window_ms));
	assert_true(kicks * 2 >= SEEDS * sent.total);
	assert_true(kicks <= 2 * SEEDS * sent.total);
	table_free(&t);
}

static void an_idle_machine(void **state)
{
	u64 to[CPUS] = { 0 };

	(void)state;
	compare("idle", 0, to);
	/* 33 of 37 recorded ones went to CPU 0. */
	for (u32 c = 1; c < CPUS; c++)
		assert_true(to[0] > 4 * to[c]);
}

static void four_hogs(void **state)
{
	u64 to[CPUS] = { 0 };

	(void)state;
	compare("hog4", 0x66, to);
	/* Recorded: 134 to CPU 0, 37 to 3, 8 to 4, 3 to 7, none to a hog's. */
	assert_true(to[0] > to[3] && to[3] > to[4] && to[4] >= to[7]);
	assert_int_equal(to[1] + to[2] + to[5] + to[6], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_machine),
		cmocka_unit_test(four_hogs),
	};

	return cmocka_run_group_tests_name("idle balancing beside a recording", tests, NULL, NULL);
}
