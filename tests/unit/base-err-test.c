/* SPDX-License-Identifier: GPL-2.0-only */
/* base-err-test.c - struct err keeps the first failure, cuts whole characters; BUG_ON dispatch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/err.h"

static void first_error_stays(void **state)
{
	(void)state;
	struct err err = { 0 };

	assert_int_equal(err_set(&err, ERR_USAGE, "field '%s'", "period"), -1);
	assert_int_equal(err_set(&err, ERR_LIMIT, "later"), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.msg, "field 'period'");
	assert_int_equal(err_set(NULL, ERR_USAGE, "ignored"), -1);
}

static void place_and_prefix(void **state)
{
	(void)state;
	struct err err = { 0 };

	assert_int_equal(err_wrap(&err, "nothing set"), -1);
	assert_int_equal(err.code, ERR_NONE);
	assert_int_equal(err_at(&err, ERR_SCRIPT, 12, 3, "must be > 0"), -1);
	assert_int_equal(err_wrap(&err, "task '%s'", "web"), -1);
	assert_int_equal(err.line, 12);
	assert_int_equal(err.col, 3);
	assert_string_equal(err.msg, "task 'web': must be > 0");
}

static void long_text_is_cut_between_characters(void **state)
{
	(void)state;

	/* All four alignments of a 3-byte character against the end of the buffer. */
	for (size_t shift = 0; shift < 4; shift++) {
		struct err err = { 0 };
		char text[1024];
		size_t n = 0;

		while (n < shift)
			text[n++] = 'x';
		while (n + 3 < sizeof(text)) {
			memcpy(text + n, "\xe2\x96\x88", 3);
			n += 3;
		}
		text[n] = '\0';
		err_set(&err, ERR_USAGE, "%s", text);

		size_t len = strlen(err.msg);

		assert_true(len >= sizeof(err.msg) - 4);
		assert_int_equal((len - shift) % 3, 0);
		err_wrap(&err, "p");
		len = strlen(err.msg);
		assert_true(len < sizeof(err.msg));
		assert_int_equal((len - shift - 3) % 3, 0);
	}
}

static jmp_buf bug_jump;
static const char *bug_cond;

static void catch_bug(const char *file, int line, const char *cond)
{
	assert_non_null(strstr(file, "base-err-test.c"));
	assert_true(line > 0);
	bug_cond = cond;
	longjmp(bug_jump, 1);
}

static void bug_on_calls_the_handler(void **state)
{
	(void)state;
	volatile int two = 2;

	bug_cond = NULL;
	bug_handler_set(catch_bug);
	if (!setjmp(bug_jump)) {
		BUG_ON(two != 2);
		assert_null(bug_cond);
		BUG_ON(two == 2);
		fail_msg("BUG_ON came back");
	}
	bug_handler_set(NULL);
	assert_string_equal(bug_cond, "two == 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_error_stays),
		cmocka_unit_test(place_and_prefix),
		cmocka_unit_test(long_text_is_cut_between_characters),
		cmocka_unit_test(bug_on_calls_the_handler),
	};

	return cmocka_run_group_tests_name("base-err", tests, NULL, NULL);
}
