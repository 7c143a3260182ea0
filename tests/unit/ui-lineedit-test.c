/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ui-lineedit-test.c - editing, history, completion and drawing of ui/lineedit.c; keys and
 * keymap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/keymap.h"
#include "ui/lineedit.h"
#include "ui/utf8.h"

static void keys(struct lineedit *e, const char *names)
{
	char word[16];
	int n;

	while (sscanf(names, " %15s%n", word, &n) == 1) {
		u32 k = ukey_parse(word);

		assert_int_not_equal(k, 0);
		line_key(e, k);
		names += n;
	}
}

static void typing_and_moving(void **state)
{
	struct lineedit e;

	(void)state;
	line_init(&e, NULL, NULL);
	keys(&e, "a b c Left Left X Home Y End Z");
	assert_string_equal(e.buf, "YaXbcZ");
	keys(&e, "C-a Del C-e Backspace");
	assert_string_equal(e.buf, "aXbc");
	line_set(&e, "na\xc3\xafve");
	keys(&e, "Left Left Left Backspace");
	assert_string_equal(e.buf, "n\xc3\xafve");
	keys(&e, "C-d");
	assert_string_equal(e.buf, "nve");
	line_fini(&e);
}

static void words_kill_and_yank(void **state)
{
	struct lineedit e;

	(void)state;
	line_init(&e, NULL, NULL);
	line_set(&e, "policy use nohz per-node");
	keys(&e, "C-w");
	assert_string_equal(e.buf, "policy use nohz per-");
	keys(&e, "C-y A-b A-b A-b A-b C-k");
	assert_string_equal(e.buf, "policy ");
	assert_string_equal(e.kill, "use nohz per-node");
	keys(&e, "C-u C-y A-b A-d");
	assert_string_equal(e.buf, " ");
	line_set(&e, "one two");
	keys(&e, "Home A-f C-k");
	assert_string_equal(e.buf, "one");
	line_fini(&e);
}

static void history_keeps_the_line_being_typed(void **state)
{
	struct lineedit e;

	(void)state;
	line_init(&e, NULL, NULL);
	line_remember(&e, "first");
	line_remember(&e, "second");
	line_remember(&e, "second");
	line_remember(&e, "");
	assert_int_equal(e.nhist, 2);
	line_set(&e, "draft");
	keys(&e, "Up");
	assert_string_equal(e.buf, "second");
	keys(&e, "Up Up Up");
	assert_string_equal(e.buf, "first");
	keys(&e, "Down Down");
	assert_string_equal(e.buf, "draft");
	for (int i = 0; i < 3 * LINE_HISTORY; i++) {
		char s[16];

		snprintf(s, sizeof(s), "%d", i);
		line_remember(&e, s);
	}
	assert_int_equal(e.nhist, LINE_HISTORY);
	assert_string_equal(e.hist[0], "200");
	line_fini(&e);
}

static int offer(void *ctx, const char *line, int cursor, int *start, char out[][LINE_CAND_LEN],
		 int max)
{
	static const char *const words[] = { "policy", "policies", "pause", "view" };
	int n = 0;

	(void)ctx;
	*start = cursor;
	while (*start > 0 && line[*start - 1] != ' ')
		--*start;
	for (size_t i = 0; i < ARRAY_SIZE(words) && n < max; i++)
		if (!strncmp(words[i], line + *start, (size_t)(cursor - *start)))
			snprintf(out[n++], LINE_CAND_LEN, "%s", words[i]);
	return n;
}

static void completion(void **state)
{
	struct lineedit e;

	(void)state;
	line_init(&e, offer, NULL);
	line_set(&e, "v");
	keys(&e, "Tab");
	assert_string_equal(e.buf, "view ");
	line_set(&e, "x po");
	keys(&e, "Tab");
	assert_string_equal(e.buf, "x polic");
	assert_int_equal(e.ncand, 2);
	keys(&e, "y");
	assert_int_equal(e.ncand, 0);
	line_set(&e, "zzz");
	keys(&e, "Tab");
	assert_string_equal(e.buf, "zzz");
	line_fini(&e);
}

static void results(void **state)
{
	struct lineedit e;

	(void)state;
	line_init(&e, NULL, NULL);
	assert_int_equal(line_key(&e, UKEY_ENTER), LINE_ACCEPT);
	assert_int_equal(line_key(&e, UKEY_ESC), LINE_CANCEL);
	assert_int_equal(line_key(&e, UKEY_CTRL('d')), LINE_CANCEL);
	assert_int_equal(line_key(&e, UKEY_F1), LINE_IGNORED);
	assert_int_equal(line_key(&e, 0x202e), LINE_CHANGED); /* shown as replacement, not obeyed */
	assert_string_equal(e.buf, "\xef\xbf\xbd");
	line_fini(&e);
}

/* Any keys in any order: the text stays valid, ended, and the cursor between characters. */
static void random_keys_keep_it_sound(void **state)
{
	static const u32 some[] = { 'a',
				    ' ',
				    0xe9,
				    0x65e5,
				    0x1f600,
				    UKEY_LEFT,
				    UKEY_RIGHT,
				    UKEY_HOME,
				    UKEY_END,
				    UKEY_UP,
				    UKEY_DOWN,
				    UKEY_BACKSPACE,
				    UKEY_DEL,
				    UKEY_CTRL('k'),
				    UKEY_CTRL('y'),
				    UKEY_CTRL('w'),
				    UKEY_CTRL('u'),
				    UKEY_ALT | 'b',
				    UKEY_ALT | 'd',
				    UKEY_ALT | 'f',
				    UKEY_TAB };
	struct lineedit e;
	struct canvas c;
	u64 x = 7;

	(void)state;
	canvas_init(&c, 20, 1);
	line_init(&e, offer, NULL);
	line_remember(&e, "\xe6\x97\xa5\xe6\x9c\xac and a rather longer line");
	for (int i = 0; i < 60000; i++) {
		const char *p = e.buf;
		bool on_edge = false;
		int at;

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		line_key(&e, some[(x >> 33) % ARRAY_SIZE(some)]);
		assert_int_equal(strlen(e.buf), e.len);
		assert_in_range(e.cur, 0, e.len);
		for (;;) {
			on_edge |= p == e.buf + e.cur;
			if (!*p)
				break;
			assert_int_not_equal(utf8_next(&p), UTF8_BAD);
		}
		assert_true(on_edge);
		at = line_draw(&e, &c, 0, 0, 20, ": ", STYLE(COL_TEXT, COL_DEFAULT, 0));
		assert_in_range(at, 0, 19);
	}
	line_fini(&e);
	canvas_fini(&c);
}

static void a_full_line_takes_no_more(void **state)
{
	struct lineedit e;

	(void)state;
	line_init(&e, NULL, NULL);
	for (int i = 0; i < 2000; i++)
		line_key(&e, 0x20ac);
	assert_int_equal(e.len, (LINE_MAX_BYTES - 1) / 3 * 3);
	line_fini(&e);
}

static void key_names_round_trip(void **state)
{
	static const char *const names[] = { "space", "Tab", "S-Tab", "Enter",	 "C-p",
					     "F1",    "F12", "A-b",   "A-Left",	 "?",
					     "g",     "G",   "PgUp",  "\xc3\xa9" };
	char buf[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(ukey_name(ukey_parse(names[i]), buf, sizeof(buf)), names[i]);
	assert_int_equal(ukey_parse("F13"), 0);
	assert_int_equal(ukey_parse("nonsense"), 0);
	assert_int_equal(ukey_parse(""), 0);
	assert_int_equal(ukey_parse("\033"), 0);
	assert_int_equal(ukey_parse("C-p"), 16);
}

static void keymap_prefers_the_view(void **state)
{
	struct keymap m;
	struct err err = { 0 };
	char buf[16];

	(void)state;
	keymap_init(&m);
	assert_string_equal(keymap_find(&m, "heat", ' ')->command, "toggle");
	assert_string_equal(keymap_find(&m, "tasks", UKEY_UP)->command, "cursor up");
	assert_null(keymap_find(&m, "heat", UKEY_F12));
	assert_int_equal(keymap_bind(&m, "heat", "space", "heat next", NULL, &err), 0);
	assert_string_equal(keymap_find(&m, "heat", ' ')->command, "heat next");
	assert_string_equal(keymap_find(&m, "tasks", ' ')->command, "toggle");
	assert_int_equal(keymap_bind(&m, "*", "q", "", NULL, &err), 0);
	assert_null(keymap_find(&m, "heat", 'q'));
	assert_string_equal(keymap_key_of(&m, "menu policy", buf, sizeof(buf)), "p");
	assert_int_equal(keymap_bind(&m, "*", "Hyper-x", "quit", NULL, &err), -1);
	assert_non_null(strstr(err.msg, "Hyper-x"));
}

static void keymap_is_bounded(void **state)
{
	struct keymap m;
	struct err err = { 0 };
	int rc = 0;

	(void)state;
	keymap_init(&m);
	for (u32 i = 0; i < 2 * KEYMAP_MAX && !rc; i++) {
		char k[8] = "";

		utf8_put(0x4e00 + i, k);
		rc = keymap_bind(&m, "heat", k, "toggle", NULL, &err);
	}
	assert_int_equal(rc, -1);
	assert_int_equal(err.code, ERR_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(typing_and_moving),
		cmocka_unit_test(words_kill_and_yank),
		cmocka_unit_test(history_keeps_the_line_being_typed),
		cmocka_unit_test(completion),
		cmocka_unit_test(results),
		cmocka_unit_test(random_keys_keep_it_sound),
		cmocka_unit_test(a_full_line_takes_no_more),
		cmocka_unit_test(key_names_round_trip),
		cmocka_unit_test(keymap_prefers_the_view),
		cmocka_unit_test(keymap_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
