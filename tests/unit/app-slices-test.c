/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * app-slices-test.c - one digest however a run is cut: whole, event by event, paced by any clock,
 * looked at by a screen, traced by a probe, stopped and gone on with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "app/bench.h"
#include "app/pacer.h"
#include "ui/ui.h"

#define END (300 * NSEC_PER_MSEC)

static struct sim *world(const char *machine)
{
	struct err err = { 0 };
	struct sim *s = bench_sim(machine, 3, &err);

	if (!s)
		fail_msg("%s", err.msg);
	if (bench_w1_tasks(s, "", 1, 3, &err))
		fail_msg("%s", err.msg);
	return s;
}

struct outcome {
	u64 digest, events, ordinal;
};

static struct outcome finish(struct sim *s)
{
	struct outcome o = { sim_digest(s), s->stats->events, s->g->ordinal };

	assert_true(s->g->now == END);
	assert_int_equal(sim_check(s, NULL), 0);
	sim_free(s);
	return o;
}

static struct outcome whole(const char *machine)
{
	struct sim *s = world(machine);

	assert_int_equal(sim_run_until(s, END, 0), SIM_REACHED);
	return finish(s);
}

static void same(struct outcome a, struct outcome b)
{
	assert_true(a.ordinal == b.ordinal);
	assert_true(a.events == b.events);
	assert_true(a.digest == b.digest);
}

static void test_event_by_event(void **state)
{
	struct sim *s = world("sc7180");

	(void)state;
	while (sim_next_event(s) <= END)
		assert_int_equal(sim_step(s), SIM_REACHED);
	assert_int_equal(sim_run_until(s, END, 0), SIM_REACHED);
	same(finish(s), whole("sc7180"));
}

static void test_budgets(void **state)
{
	struct sim *s = world("sc7180");
	u64 budget = 1;

	(void)state;
	while (sim_run_until(s, END, budget) == SIM_BUDGET)
		budget = budget * 7 % 61 + 1;
	same(finish(s), whole("sc7180"));
}

static void test_moments_in_between(void **state)
{
	struct sim *s = world("sc7180");

	(void)state;
	for (ktime_ns t = 0; t < END; t += 777777)
		assert_int_equal(sim_run_until(s, t, 0), SIM_REACHED);
	assert_int_equal(sim_run_until(s, END, 0), SIM_REACHED);
	same(finish(s), whole("sc7180"));
}

/* A clock that jumps as clocks of busy machines do. */
static u64 fake_now, fake_step;

static u64 fake_clock(void)
{
	fake_step = fake_step * 6364136223846793005ull + 1442695040888963407ull;
	fake_now += fake_step >> 44;
	return fake_now;
}

static ktime_ns look_next(void *ctx)
{
	return ui_sample_next(ctx);
}

struct screen {
	struct ui *ui;
	struct sim *s;
};

static ktime_ns screen_next(void *ctx)
{
	return look_next(((struct screen *)ctx)->ui);
}

static void screen_look(void *ctx)
{
	struct screen *x = ctx;

	ui_sample(x->ui, x->s);
}

static void no_command(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
}

static void paced(const char *machine, u64 ratio, u64 seed)
{
	const struct ui_host host = { .command = no_command };
	struct sim *s = world(machine);
	struct screen x = { ui_new(&host, s), s };
	const struct pacer_looker looker = { &x, screen_next, screen_look };
	struct pacer p;
	struct canvas c;
	unsigned slices = 0;
	int cx, cy;

	ui_set_facts(x.ui,
		     &(struct ui_facts){ .scenario = "x", .machine = machine, .running = true });
	fake_step = seed;
	canvas_init(&c, 100, 30);
	pacer_init(&p);
	p.ratio = ratio;
	pacer_start(&p, fake_clock(), 0);
	while (s->g->now < END) {
		assert_int_not_equal(pacer_slice(&p, s, END, fake_clock, &looker), SIM_ERROR);
		if (++slices % 3 == 0)
			ui_draw(x.ui, s, &c, &cx, &cy);
	}
	canvas_fini(&c);
	ui_free(x.ui);
	same(finish(s), whole(machine));
}

static void test_paced_with_a_screen(void **state)
{
	(void)state;
	paced("sc7180", PACER_FLAT_OUT, 1);
	paced("sc7180", PACER_ONE, 2);
	paced("sc7180", PACER_ONE / 3, 3);
	paced("2x4", PACER_ONE * 50, 4);
}

static void count(void *ctx, const struct trace_rec *rec)
{
	(void)rec;
	++*(u64 *)ctx;
}

static void test_traced(void **state)
{
	struct sim *s = world("sc7180");
	u64 records = 0;

	(void)state;
	assert_int_equal(
		trace_add_probe(&s->trace, &(struct trace_probe){ TRACE_ALL, count, &records }), 0);
	assert_int_equal(sim_run_until(s, END, 0), SIM_REACHED);
	assert_true(records > 1000);
	same(finish(s), whole("sc7180"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_by_event),
		cmocka_unit_test(test_budgets),
		cmocka_unit_test(test_moments_in_between),
		cmocka_unit_test(test_paced_with_a_screen),
		cmocka_unit_test(test_traced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
