/* SPDX-License-Identifier: GPL-2.0-only */
/* ui-layout-test.c - panes of ui/layout.c: they tile, they hide, the focus finds its way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/layout.h"

enum { HEAT, CURVES, TASKS };

static struct layout three(void)
{
	struct layout l;

	layout_init(&l, HEAT, 20, 4);
	assert_true(layout_split(&l, HEAT, SPLIT_ROWS, 450, CURVES, 30, 6));
	assert_true(layout_split(&l, CURVES, SPLIT_COLS, 550, TASKS, 25, 4));
	return l;
}

static void panes_tile_the_room(void **state)
{
	struct layout l = three();

	(void)state;
	for (int w = 1; w < 200; w += 3) {
		for (int h = 1; h < 80; h += 2) {
			int cells = 0, gaps = 0;

			layout_compute(&l, (struct rect){ 2, 1, w, h });
			for (int p = HEAT; p <= TASKS; p++) {
				struct rect r = layout_rect(&l, p);

				cells += r.w * r.h;
				if (!r.w)
					continue;
				assert_in_range(r.x, 2, 2 + w - r.w);
				assert_in_range(r.y, 1, 1 + h - r.h);
			}
			if (layout_rect(&l, CURVES).w && layout_rect(&l, TASKS).w)
				gaps = layout_rect(&l, TASKS).h;
			assert_int_equal(cells + gaps, w * h);
		}
	}
}

static void the_focused_pane_survives_a_small_window(void **state)
{
	struct layout l = three();

	(void)state;
	assert_true(layout_focus(&l, TASKS));
	layout_compute(&l, (struct rect){ 0, 0, 25, 5 });
	assert_int_equal(layout_rect(&l, TASKS).w, 25);
	assert_int_equal(layout_rect(&l, HEAT).w, 0);
	assert_int_equal(layout_rect(&l, CURVES).w, 0);
}

static void zoom_shows_one(void **state)
{
	struct layout l = three();

	(void)state;
	l.zoom = true;
	layout_compute(&l, (struct rect){ 0, 0, 80, 24 });
	assert_int_equal(layout_rect(&l, HEAT).h, 24);
	layout_cycle(&l, 1);
	layout_compute(&l, (struct rect){ 0, 0, 80, 24 });
	assert_int_equal(l.focus, CURVES);
	assert_int_equal(layout_rect(&l, HEAT).h, 0);
	assert_int_equal(layout_rect(&l, CURVES).w, 80);
}

static void focus_moves_by_geometry(void **state)
{
	struct layout l = three();

	(void)state;
	layout_compute(&l, (struct rect){ 0, 0, 80, 24 });
	layout_move(&l, FOCUS_UP);
	assert_int_equal(l.focus, HEAT);
	layout_move(&l, FOCUS_DOWN);
	assert_int_not_equal(l.focus, HEAT);
	layout_focus(&l, CURVES);
	layout_move(&l, FOCUS_RIGHT);
	assert_int_equal(l.focus, TASKS);
	layout_move(&l, FOCUS_LEFT);
	assert_int_equal(l.focus, CURVES);
	layout_cycle(&l, 1);
	layout_cycle(&l, 1);
	layout_cycle(&l, 1);
	assert_int_equal(l.focus, CURVES);
}

static void bad_splits_are_refused(void **state)
{
	struct layout l = three();
	int n = 10;

	(void)state;
	assert_false(layout_split(&l, 99, SPLIT_ROWS, 500, 4, 1, 1));
	assert_false(layout_split(&l, HEAT, SPLIT_ROWS, 500, TASKS, 1, 1));
	assert_false(layout_split(&l, HEAT, SPLIT_ROWS, 500, -1, 1, 1));
	while (layout_split(&l, HEAT, SPLIT_ROWS, 500, n, 1, 1))
		n++;
	assert_in_range(n, 15, 40);
	assert_false(layout_focus(&l, 99));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(panes_tile_the_room),
		cmocka_unit_test(the_focused_pane_survives_a_small_window),
		cmocka_unit_test(zoom_shows_one),
		cmocka_unit_test(focus_moves_by_geometry),
		cmocka_unit_test(bad_splits_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
