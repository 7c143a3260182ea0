/* SPDX-License-Identifier: GPL-2.0-only */
/* ui-looks-test.c - ui/colour.c, ui/glyph.c and ui/fmt.c: palettes, glyph sets, units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/fmt.h"
#include "ui/glyph.h"
#include "ui/utf8.h"

static void palettes_fit_the_terminal(void **state)
{
	static const char *const names[] = { NULL, "auto", "mono", "16", "256", "direct", "cvd" };
	static const int have[] = { -1, 0, 8, 16, 256, 1 << 24 };
	struct palette p;

	(void)state;
	for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
		for (size_t h = 0; h < ARRAY_SIZE(have); h++) {
			int top = have[h] > 256 ? 0xffffff : have[h] == 256 ? 255 : 15;

			assert_true(palette_init(&p, names[n], have[h], false));
			for (int i = 0; i < NR_COLOURS; i++) {
				assert_in_range(p.term[i] + 1, 0, top + 1);
				if (have[h] < 8)
					assert_int_equal(p.term[i], -1);
			}
		}
	}
	assert_false(palette_init(&p, "purple", 256, false));
}

static void no_color_means_no_colour(void **state)
{
	struct palette p;

	(void)state;
	palette_init(&p, "auto", 256, true);
	assert_int_equal(p.depth, DEPTH_MONO);
	palette_init(&p, "cvd", 256, true);
	assert_int_equal(p.depth, DEPTH_MONO);
	palette_init(&p, "256", 256, true); /* asked for by name on the command line */
	assert_int_equal(p.depth, DEPTH_256);
}

static void heat_is_clamped_and_monotonic(void **state)
{
	(void)state;
	assert_int_equal(colour_heat(0, 1024), COL_HEAT);
	assert_int_equal(colour_heat(1024, 1024), COL_HEAT + NR_HEAT - 1);
	assert_int_equal(colour_heat(5000, 1024), COL_HEAT + NR_HEAT - 1);
	assert_int_equal(colour_heat(0, 0), COL_HEAT);
	for (u64 v = 1; v <= 1024; v++)
		assert_true(colour_heat(v, 1024) >= colour_heat(v - 1, 1024));
}

/* The colour-blind safe ramp must be told apart by lightness alone: it grows from step to step. */
static void cvd_ramp_grows_lighter(void **state)
{
	struct palette p;
	int last = -1;

	(void)state;
	palette_init(&p, "cvd", 1 << 24, false);
	for (int i = 0; i < NR_HEAT; i++) {
		s32 c = p.term[COL_HEAT + i];
		int light = 299 * (c >> 16 & 255) + 587 * (c >> 8 & 255) + 114 * (c & 255);

		assert_true(light > last);
		last = light;
	}
}

static void sixteen_colours_keep_the_order(void **state)
{
	struct palette p;
	int changes = 0;

	(void)state;
	palette_init(&p, "16", 256, false);
	for (int i = 1; i < NR_HEAT; i++)
		changes += p.term[COL_HEAT + i] != p.term[COL_HEAT + i - 1];
	assert_int_equal(changes, 6); /* seven bands, each in one piece */
}

static void glyphs_follow_locale_and_terminal(void **state)
{
	enum glyph_set s;

	(void)state;
	assert_true(glyphs_choose(NULL, true, "xterm-256color", &s));
	assert_int_equal(s, GLYPHS_BRAILLE);
	assert_true(glyphs_choose("auto", true, "linux", &s));
	assert_int_equal(s, GLYPHS_ASCII);
	assert_true(glyphs_choose("braille", false, "xterm", &s));
	assert_int_equal(s, GLYPHS_ASCII);
	assert_true(glyphs_choose("blocks", true, "vt100", &s));
	assert_int_equal(s, GLYPHS_BLOCKS);
	assert_false(glyphs_choose("emoji", true, "xterm", &s));
}

static void ascii_set_is_ascii_and_all_are_one_column(void **state)
{
	(void)state;
	for (int set = GLYPHS_ASCII; set <= GLYPHS_BRAILLE; set++) {
		const struct glyphs *g = glyphs_get((enum glyph_set)set);
		u32 all[64];
		int n = 0;

		for (int i = 0; i < 9; i++)
			all[n++] = g->bar[i];
		for (int i = 0; i < NR_SERIES; i++) {
			all[n++] = g->marker[i];
			for (int k = 0; k < i; k++)
				assert_int_not_equal(g->marker[i], g->marker[k]);
		}
		for (int i = 0; i < 5; i++)
			all[n++] = g->shade[i];
		all[n++] = g->h;
		all[n++] = g->v;
		all[n++] = g->more;
		all[n++] = g->run;
		all[n++] = g->pause;
		for (int i = 0; i < n; i++) {
			assert_int_equal(utf8_width(all[i]), 1);
			assert_int_equal(utf8_safe(all[i]), all[i]);
			if (set == GLYPHS_ASCII)
				assert_in_range(all[i], ' ', '~');
		}
	}
}

static void levels_tell_nothing_from_little(void **state)
{
	(void)state;
	assert_int_equal(glyph_level(0, 1024, 8), 0);
	assert_int_equal(glyph_level(1, 1024, 8), 1);
	assert_int_equal(glyph_level(1023, 1024, 8), 7);
	assert_int_equal(glyph_level(1024, 1024, 8), 8);
	assert_int_equal(glyph_level(UINT64_MAX - 1, UINT64_MAX, 8), 7);
	assert_int_equal(glyph_level(5, 0, 8), 0);
	for (u64 v = 1; v <= 1024; v++)
		assert_true(glyph_level(v, 1024, 8) >= glyph_level(v - 1, 1024, 8));
}

static void box_has_corners_and_title(void **state)
{
	struct canvas c;
	char *s;

	(void)state;
	canvas_init(&c, 12, 3);
	glyph_box(&c, glyphs_get(GLYPHS_ASCII), 0, 0, 12, 3, STYLE(COL_FAINT, COL_DEFAULT, 0),
		  "tasks");
	s = canvas_dump(&c, true);
	assert_string_equal(s, "+- tasks --+\n|          |\n+----------+\n");
	free(s);
	canvas_fini(&c);
}

static void dots_of_each_set(void **state)
{
	static const u32 full[] = { ':', 0x2588, 0x28ff };

	(void)state;
	for (int set = GLYPHS_ASCII; set <= GLYPHS_BRAILLE; set++) {
		const struct glyphs *g = glyphs_get((enum glyph_set)set);
		struct canvas c;
		struct dots d;

		canvas_init(&c, 2, 1);
		dots_init(&d, g, 2, 1);
		for (int y = -1; y <= g->dots_y; y++)
			dots_line(&d, -5, y, g->dots_x - 1, y, COL_TEXT);
		dots_draw(&d, &c, 0, 0, COL_DEFAULT);
		assert_int_equal(canvas_at(&c, 0, 0)->ch, full[set]);
		assert_int_equal(canvas_at(&c, 1, 0)->ch, ' ');
		dots_fini(&d);
		canvas_fini(&c);
	}
}

static void numbers_with_units(void **state)
{
	char b[FMT_LEN];

	(void)state;
	assert_string_equal(fmt_ns(b, sizeof(b), 850), "850ns");
	assert_string_equal(fmt_ns(b, sizeof(b), 12500), "12.5us");
	assert_string_equal(fmt_ns(b, sizeof(b), 3200000), "3.20ms");
	assert_string_equal(fmt_ns(b, sizeof(b), 999999999), "999ms");
	assert_string_equal(fmt_ns(b, sizeof(b), 1250000000), "1.25s");
	assert_string_equal(fmt_ns(b, sizeof(b), 3700ull * NSEC_PER_SEC), "61m40s");
	assert_string_equal(fmt_ns(b, sizeof(b), NEVER), "never");
	assert_string_equal(fmt_clock(b, sizeof(b), 12345678901ull, 3), "12.345");
	assert_string_equal(fmt_clock(b, sizeof(b), 12345678901ull, 0), "12");
	assert_string_equal(fmt_clock(b, sizeof(b), 12345678901ull, 99), "12.345678901");
	assert_string_equal(fmt_axis(b, sizeof(b), 250000000, 50000000), "250ms");
	assert_string_equal(fmt_axis(b, sizeof(b), 1500000000, 500000000), "1.5s");
	assert_string_equal(fmt_axis(b, sizeof(b), 3000000000u, 1000000000), "3s");
	assert_string_equal(fmt_khz(b, sizeof(b), 1804800), "1.80GHz");
	assert_string_equal(fmt_khz(b, sizeof(b), 614400), "614MHz");
	assert_string_equal(fmt_count(b, sizeof(b), 9999), "9999");
	assert_string_equal(fmt_count(b, sizeof(b), 12345), "12.3k");
	assert_string_equal(fmt_count(b, sizeof(b), UINT64_MAX), "18446744073G");
	assert_string_equal(fmt_pct(b, sizeof(b), 1, 200), "1%");
	assert_string_equal(fmt_pct(b, sizeof(b), UINT64_MAX, UINT64_MAX), "100%");
	assert_string_equal(fmt_pct(b, sizeof(b), 1, 0), "-");
	assert_string_equal(fmt_ratio(b, sizeof(b), 10000), "1x");
	assert_string_equal(fmt_ratio(b, sizeof(b), 1000), "0.1x");
	assert_string_equal(fmt_ratio(b, sizeof(b), 5), "0.0005x");
	assert_string_equal(fmt_ratio(b, sizeof(b), 12345), "1.23x");
	assert_string_equal(fmt_ratio(b, sizeof(b), 6123450), "612x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(palettes_fit_the_terminal),
		cmocka_unit_test(no_color_means_no_colour),
		cmocka_unit_test(heat_is_clamped_and_monotonic),
		cmocka_unit_test(cvd_ramp_grows_lighter),
		cmocka_unit_test(sixteen_colours_keep_the_order),
		cmocka_unit_test(glyphs_follow_locale_and_terminal),
		cmocka_unit_test(ascii_set_is_ascii_and_all_are_one_column),
		cmocka_unit_test(levels_tell_nothing_from_little),
		cmocka_unit_test(box_has_corners_and_title),
		cmocka_unit_test(dots_of_each_set),
		cmocka_unit_test(numbers_with_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
