/* SPDX-License-Identifier: GPL-2.0-only */
/* ui-plot-test.c - ticks, decimation and drawing of ui/plot.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/plot.h"

static void steps_are_round_and_few(void **state)
{
	(void)state;
	assert_int_equal(plot_step(1024, 4, true), 256);
	assert_int_equal(plot_step(1000, 4, false), 500);
	assert_int_equal(plot_step(1000, 5, false), 200);
	assert_int_equal(plot_step(0, 5, false), 1);
	assert_int_equal(plot_step(7, 0, false), 10);
	for (u64 range = 1; range < ((u64)1 << 63); range = range * 3 + 1)
		for (int ticks = 1; ticks < 12; ticks++) {
			assert_true(range / plot_step(range, ticks, false) <= (u64)ticks);
			assert_true(range / plot_step(range, ticks, true) <= (u64)ticks);
		}
}

static void a_point_holds_until_the_next(void **state)
{
	static const u64 t[] = { 10, 20, 30 };
	static const s64 v[] = { 5, -7, 9 };
	const struct plot_points p = { t, v, 3 };
	struct plot_span s;

	(void)state;
	assert_false(plot_points_span(&p, 0, 10, &s));
	assert_true(plot_points_span(&p, 0, 11, &s));
	assert_int_equal(s.min, 5);
	assert_true(plot_points_span(&p, 12, 15, &s));
	assert_int_equal(s.min, 5);
	assert_int_equal(s.max, 5);
	assert_true(plot_points_span(&p, 15, 31, &s));
	assert_int_equal(s.min, -7);
	assert_int_equal(s.max, 9);
	assert_int_equal(s.last, 9);
	assert_true(plot_points_span(&p, 1000, 2000, &s));
	assert_int_equal(s.last, 9);
	assert_false(plot_points_span(&(struct plot_points){ 0 }, 0, 5, &s));
}

static struct plot two_curves(const struct plot_points *a, const struct plot_points *b)
{
	return (struct plot){
		.t0 = 0,
		.t1 = 1000000000,
		.lo = 0,
		.hi = 1024,
		.binary = true,
		.ncurves = 2,
		.empty = "no data yet",
		.bg = COL_DEFAULT,
		.curve = { { "util_avg", "512", plot_points_span, a, 0 },
			   { "capacity", NULL, plot_points_span, b, 0 } },
	};
}

static const u64 times[] = { 0, 500000000 };
static const s64 low_high[] = { 0, 1024 };
static const s64 flat[] = { 512, 512 };

static void plot_as_text(void **state)
{
	const struct plot_points a = { times, low_high, 2 }, b = { times, flat, 2 };
	struct plot p = two_curves(&a, &b);
	struct canvas c;
	char *s;

	(void)state;
	canvas_init(&c, 40, 10);
	plot_draw(&c, glyphs_get(GLYPHS_ASCII), &p);
	s = canvas_dump(&c, true);
	assert_string_equal(s, "o util_avg 512  + capacity\n"
			       "1024+-   -   -   -   -:''o''''''''''''''\n"
			       "    |                 :\n"
			       " 768+-   -   -   -   -:  -   -   -   -\n"
			       " 512+......+..........:....+............\n"
			       "    |                 :\n"
			       " 256+-   -   -   -   -:  -   -   -   -\n"
			       "   0+....o............:  -   -   -   -\n"
			       "    ++----------------+----------------+\n"
			       "   0.0s             0.5s            1.0s\n");
	free(s);
	canvas_fini(&c);
}

/* One spike of a nanosecond in a second must be seen however few columns there are. */
static void no_spike_is_lost(void **state)
{
	static const u64 t[] = { 0, 333333333, 333333334 };
	static const s64 v[] = { 0, 1024, 0 };
	const struct plot_points a = { t, v, 3 };
	struct plot p = two_curves(&a, &a);

	(void)state;
	p.ncurves = 1;
	for (int set = GLYPHS_ASCII; set <= GLYPHS_BRAILLE; set++) {
		for (int w = 20; w < 120; w += 13) {
			struct canvas c;
			bool top = false;

			canvas_init(&c, w, 10);
			plot_draw(&c, glyphs_get((enum glyph_set)set), &p);
			for (int x = 5; x < w; x++)
				top |= canvas_at(&c, x, 1)->fg == colour_series(0);
			assert_true(top);
			canvas_fini(&c);
		}
	}
}

static void every_size_is_drawn_without_harm(void **state)
{
	const struct plot_points a = { times, low_high, 2 }, none = { 0 };
	struct plot p = two_curves(&a, &none);

	(void)state;
	for (int w = 1; w < 60; w++) {
		for (int h = 1; h < 20; h++) {
			struct canvas c, s;

			canvas_init(&c, w + 2, h + 2);
			s = canvas_sub(&c, 1, 1, w, h);
			plot_draw(&s, glyphs_get(GLYPHS_BRAILLE), &p);
			for (int x = 0; x < w + 2; x++)
				assert_int_equal(canvas_at(&c, x, h + 1)->ch, ' ');
			canvas_fini(&c);
		}
	}
}

static void empty_plot_says_so(void **state)
{
	const struct plot_points none = { 0 };
	struct plot p = two_curves(&none, &none);
	struct canvas c;
	char *s;

	(void)state;
	canvas_init(&c, 40, 9);
	plot_draw(&c, glyphs_get(GLYPHS_ASCII), &p);
	s = canvas_dump(&c, true);
	assert_non_null(strstr(s, "no data yet"));
	free(s);
	canvas_fini(&c);
}

static void extreme_values_do_not_overflow(void **state)
{
	static const s64 v[] = { INT64_MIN, INT64_MAX };
	const struct plot_points a = { times, v, 2 };
	struct plot p = two_curves(&a, &a);
	struct canvas c;

	(void)state;
	p.lo = INT64_MIN;
	p.hi = INT64_MAX;
	p.t1 = UINT64_MAX;
	canvas_init(&c, 60, 12);
	plot_draw(&c, glyphs_get(GLYPHS_BRAILLE), &p);
	canvas_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_round_and_few),
		cmocka_unit_test(a_point_holds_until_the_next),
		cmocka_unit_test(plot_as_text),
		cmocka_unit_test(no_spike_is_lost),
		cmocka_unit_test(every_size_is_drawn_without_harm),
		cmocka_unit_test(empty_plot_says_so),
		cmocka_unit_test(extreme_values_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
