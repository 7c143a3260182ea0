/* SPDX-License-Identifier: GPL-2.0-only */
/* ui-canvas-test.c - text, width, clip and dumps of ui/utf8.c and ui/canvas.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/canvas.h"
#include "ui/utf8.h"

static const struct style plain = { COL_TEXT, COL_DEFAULT, 0 };

static u64 rnd_state = 1;

static u32 rnd(u32 n)
{
	rnd_state = rnd_state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(rnd_state >> 33) % n;
}

static void decodes_and_encodes(void **state)
{
	static const u32 good[] = { 'a', 0xe9, 0x20ac, 0x1f600, 0x10ffff };
	char buf[5];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		const char *p = buf;

		buf[utf8_put(good[i], buf)] = '\0';
		assert_int_equal(utf8_next(&p), good[i]);
		assert_int_equal(*p, 0);
	}
}

static void malformed_text_is_replaced_byte_by_byte(void **state)
{
	/* overlong, surrogate, truncated, stray continuation, beyond Unicode */
	static const char *const bad[] = { "\xc0\x80", "\xed\xa0\x80", "\xe2\x82", "\x80",
					   "\xf4\x90\x80\x80" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *p = bad[i];
		size_t n = 0;

		while (*p) {
			assert_int_equal(utf8_next(&p), UTF8_BAD);
			n++;
		}
		assert_int_equal(n, strlen(bad[i]));
	}
}

static void hostile_text_never_passes(void **state)
{
	static const u32 hostile[] = { 0x07,   0x1b,   0x7f,   0x9b,   0x202e,	0x2066,
				       0x200f, 0x200b, 0xfeff, 0x2028, 0xe0041, 0xad };
	char out[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++)
		assert_int_equal(utf8_safe(hostile[i]), UTF8_BAD);
	utf8_clean(out, sizeof(out), "a\033[31mb\nc\xe2\x80\xae", true, false);
	assert_string_equal(out, "a?[31mb?c?");
	utf8_clean(out, sizeof(out), "a\nb", true, true);
	assert_string_equal(out, "a\nb");
	/* cut at a character, not in the middle of one */
	utf8_clean(out, 4, "ab\xe2\x82\xac", false, false);
	assert_string_equal(out, "ab");
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(utf8_cols("abc"), 3);
	assert_int_equal(utf8_cols("\xe6\x97\xa5\xe6\x9c\xac"), 4); /* two ideographs */
	assert_int_equal(utf8_cols("e\xcc\x81"), 1); /* combining acute */
	assert_int_equal(utf8_cols("\xe2\xa3\xbf"), 1); /* braille */
	assert_int_equal(utf8_cols("\xf0\x9f\x98\x80"), 2); /* emoji */
}

static void dump_is_what_was_drawn(void **state)
{
	struct canvas c;
	char *s;

	(void)state;
	canvas_init(&c, 10, 3);
	canvas_text(&c, 1, 0, plain, "h\xc3\xa9llo");
	canvas_text(&c, 8, 1, plain, "cut off");
	canvas_text(&c, 0, 2, plain, "\xe6\x97\xa5!");
	s = canvas_dump(&c, false);
	assert_string_equal(s, " h\xc3\xa9llo\n        cu\n\xe6\x97\xa5!\n");
	free(s);
	s = canvas_dump(&c, true);
	assert_string_equal(s, " h?llo\n        cu\n? !\n");
	free(s);
	canvas_fini(&c);
}

static void wide_characters_stay_whole(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 4, 1);
	canvas_text(&c, 3, 0, plain, "\xe6\x97\xa5"); /* does not fit */
	assert_int_equal(canvas_at(&c, 3, 0)->ch, ' ');
	canvas_text(&c, 0, 0, plain, "\xe6\x97\xa5");
	assert_int_equal(canvas_at(&c, 1, 0)->ch, CELL_TAIL);
	canvas_put(&c, 1, 0, plain, 'x'); /* right half overwritten */
	assert_int_equal(canvas_at(&c, 0, 0)->ch, ' ');
	canvas_text(&c, 0, 0, plain, "\xe6\x97\xa5");
	canvas_put(&c, 0, 0, plain, 'y'); /* left half overwritten */
	assert_int_equal(canvas_at(&c, 1, 0)->ch, ' ');
	canvas_fini(&c);
}

static void fields_are_aligned_and_cut(void **state)
{
	struct canvas c;
	char *s;

	(void)state;
	canvas_init(&c, 8, 4);
	canvas_field(&c, 0, 0, 6, ALIGN_RIGHT, plain, "ab", '~');
	canvas_field(&c, 0, 1, 6, ALIGN_CENTRE, plain, "ab", '~');
	canvas_field(&c, 0, 2, 6, ALIGN_LEFT, plain, "abcdefgh", '~');
	canvas_field(&c, 0, 3, 4, ALIGN_LEFT, plain, "ab\xe6\x97\xa5z", '~'); /* wide at the edge */
	s = canvas_dump(&c, false);
	assert_string_equal(s, "    ab\n  ab\nabcde~\nab ~\n");
	free(s);
	canvas_fini(&c);
}

static void keep_leaves_the_colour(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 2, 1);
	canvas_put(&c, 0, 0, STYLE(COL_ERROR, COL_BAR_BG, 0), 'x');
	canvas_put(&c, 0, 0, STYLE(COL_TEXT, COL_KEEP, ATTR_BOLD), 'y');
	assert_int_equal(canvas_at(&c, 0, 0)->bg, COL_BAR_BG);
	assert_int_equal(canvas_at(&c, 0, 0)->fg, COL_TEXT);
	assert_int_equal(canvas_at(&c, 0, 0)->attr, ATTR_BOLD);
	canvas_fini(&c);
}

/* Random text at random places of random sub-canvases: nothing outside of the clip changes. */
static void nothing_is_written_outside_the_clip(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 40, 12);
	for (int round = 0; round < 3000; round++) {
		struct canvas s, s2;
		char text[24];
		int x, y;

		canvas_clear(&c);
		s = canvas_sub(&c, (int)rnd(50) - 5, (int)rnd(16) - 2, (int)rnd(30), (int)rnd(10));
		s2 = canvas_sub(&s, (int)rnd(30) - 10, (int)rnd(10) - 4, (int)rnd(30),
				(int)rnd(10));
		for (size_t i = 0; i < sizeof(text) - 1; i++)
			text[i] = (char)(1 + rnd(255));
		text[sizeof(text) - 1] = '\0';
		x = (int)rnd(60) - 20;
		y = (int)rnd(20) - 6;
		canvas_text(&s2, x, y, plain, text);
		canvas_text(&s2, x - 1, y, plain, "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5");
		canvas_fill(&s2, x, y, (int)rnd(20), (int)rnd(5), plain, 0x65e5);
		canvas_field(&s2, x, y + 1, (int)rnd(30), ALIGN_RIGHT, plain, text, '~');
		for (int gy = 0; gy < 12; gy++) {
			for (int gx = 0; gx < 40; gx++) {
				bool in = gx >= s2.x0 && gx < s2.x1 && gy >= s2.y0 && gy < s2.y1;
				const struct cell *k = canvas_at(&c, gx, gy);

				if (!in)
					assert_int_equal(k->ch, ' ');
				assert_int_equal(utf8_safe(k->ch ? k->ch : ' '),
						 k->ch ? k->ch : ' ');
				/* a wide character and its tail come together */
				if (gx + 1 < 40 && canvas_at(&c, gx + 1, gy)->ch == CELL_TAIL)
					assert_int_equal(utf8_width(k->ch), 2);
			}
		}
	}
	canvas_fini(&c);
}

static void every_dumped_row_has_at_most_the_width(void **state)
{
	struct canvas c;

	(void)state;
	canvas_init(&c, 30, 4);
	for (int round = 0; round < 500; round++) {
		char text[40];
		char *s, *line, *save = NULL;

		for (size_t i = 0; i < sizeof(text) - 1; i++)
			text[i] = (char)(1 + rnd(255));
		text[sizeof(text) - 1] = '\0';
		canvas_text(&c, (int)rnd(40) - 5, (int)rnd(4), plain, text);
		s = canvas_dump(&c, round & 1);
		for (line = strtok_r(s, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
			assert_true(utf8_cols(line) <= 30);
		free(s);
	}
	canvas_fini(&c);
}

static void extreme_arguments_are_harmless(void **state)
{
	struct canvas c, s;

	(void)state;
	canvas_init(&c, 100000, -3);
	assert_int_equal(c.w, CANVAS_MAX_W);
	assert_int_equal(c.h, 1);
	s = canvas_sub(&c, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MAX);
	canvas_text(&s, INT32_MAX, INT32_MIN, plain, "x");
	canvas_fill(&c, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX, plain, 'z');
	assert_int_equal(canvas_at(&c, 0, 0)->ch, ' ');
	canvas_fill(&c, -5, -5, 10, 10, plain, 'z');
	assert_int_equal(canvas_at(&c, 4, 0)->ch, 'z');
	assert_int_equal(canvas_at(&c, 5, 0)->ch, ' ');
	canvas_restyle(&c, INT32_MAX, 0, INT32_MAX, INT32_MAX, plain);
	canvas_field(&c, INT32_MAX, 0, INT32_MAX, ALIGN_LEFT, plain, "x", 0);
	assert_null(canvas_at(&c, INT32_MAX, 0));
	canvas_fini(&c);
}

static void ansi_resets_at_line_ends(void **state)
{
	struct palette p;
	struct canvas c;
	char *s;

	(void)state;
	palette_init(&p, "16", 16, false);
	canvas_init(&c, 4, 2);
	canvas_text(&c, 0, 0, STYLE(COL_ERROR, COL_DEFAULT, 0), "ab");
	s = canvas_ansi(&c, &p, true);
	assert_string_equal(s, "\033[0;1;91mab\033[0m\n\n");
	free(s);
	palette_init(&p, "mono", 16, false);
	canvas_text(&c, 0, 0, STYLE(COL_SEL_FG, COL_SEL_BG, 0), "ab");
	s = canvas_ansi(&c, &p, true);
	assert_string_equal(s, "\033[0;7mab\033[0m\n\n");
	free(s);
	canvas_fini(&c);
}

static void equality_sees_styles(void **state)
{
	struct canvas a, b;

	(void)state;
	canvas_init(&a, 5, 2);
	canvas_init(&b, 5, 2);
	assert_true(canvas_equal(&a, &b));
	canvas_put(&a, 1, 1, STYLE(COL_DIM, COL_DEFAULT, 0), ' ');
	assert_false(canvas_equal(&a, &b));
	canvas_copy(&b, &a);
	assert_true(canvas_equal(&a, &b));
	canvas_fini(&a);
	canvas_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_and_encodes),
		cmocka_unit_test(malformed_text_is_replaced_byte_by_byte),
		cmocka_unit_test(hostile_text_never_passes),
		cmocka_unit_test(widths),
		cmocka_unit_test(dump_is_what_was_drawn),
		cmocka_unit_test(wide_characters_stay_whole),
		cmocka_unit_test(fields_are_aligned_and_cut),
		cmocka_unit_test(keep_leaves_the_colour),
		cmocka_unit_test(nothing_is_written_outside_the_clip),
		cmocka_unit_test(every_dumped_row_has_at_most_the_width),
		cmocka_unit_test(extreme_arguments_are_harmless),
		cmocka_unit_test(ansi_resets_at_line_ends),
		cmocka_unit_test(equality_sees_styles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
