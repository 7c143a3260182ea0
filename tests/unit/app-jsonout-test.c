/* SPDX-License-Identifier: GPL-2.0-only */
/* app-jsonout-test.c - order of keys, exact numbers, harmless texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "app/jsonout.h"

static void expect_text(struct jsonout *j, const char *want)
{
	char *got = jw_take(j);

	assert_string_equal(got, want);
	free(got);
	jw_fini(j);
}

static void test_empty(void **state)
{
	struct jsonout j = { 0 };

	(void)state;
	jw_open(&j, NULL, false);
	jw_open(&j, "list", true);
	jw_close(&j);
	jw_open(&j, "object", false);
	jw_close(&j);
	jw_close(&j);
	expect_text(&j, "{\n  \"list\": [],\n  \"object\": {}\n}\n");
}

/* Members come in any order and leave in byte order, nested ones with their whole text. */
static void test_key_order(void **state)
{
	struct jsonout j = { .compact = true };

	(void)state;
	jw_open(&j, NULL, false);
	jw_int(&j, "b", 1);
	jw_open(&j, "a", false);
	jw_int(&j, "z", 1);
	jw_int(&j, "aa", 2);
	jw_int(&j, "a", 3);
	jw_close(&j);
	jw_int(&j, "B", 4);
	jw_int(&j, "\xc3\xa4", 5);
	jw_int(&j, "", 6);
	jw_close(&j);
	expect_text(&j,
		    "{\"\":6,\"B\":4,\"a\":{\"a\":3,\"aa\":2,\"z\":1},\"b\":1,\"\xc3\xa4\":5}\n");
}

static void test_arrays_keep_their_order(void **state)
{
	struct jsonout j = { 0 };

	(void)state;
	jw_open(&j, NULL, true);
	jw_int(&j, NULL, 3);
	jw_int(&j, NULL, 1);
	jw_null(&j, NULL);
	jw_bool(&j, NULL, true);
	jw_close(&j);
	expect_text(&j, "[3, 1, null, true]\n");
}

static void test_numbers(void **state)
{
	struct jsonout j = { .compact = true };

	(void)state;
	jw_open(&j, NULL, true);
	jw_int(&j, NULL, INT64_MIN);
	jw_uint(&j, NULL, UINT64_MAX);
	jw_fixed(&j, NULL, 1234567890123456789ll, 3);
	jw_fixed(&j, NULL, -5, 2);
	jw_fixed(&j, NULL, 0, 3);
	jw_fixed(&j, NULL, 7, 0);
	jw_close(&j);
	expect_text(&j, "[-9223372036854775808,18446744073709551615,1234567890123456.789,"
			"-0.05,0.000,7]\n");
}

/* Names are foreign: nothing that steers a terminal leaves raw, and the text stays valid JSON. */
static void test_hostile_texts(void **state)
{
	struct jsonout j = { .compact = true };

	(void)state;
	jw_open(&j, NULL, true);
	jw_text(&j, NULL, "a\"b\\c\nd\te");
	jw_text(&j, NULL, "\x1b[2J\x07\x7f");
	jw_text(&j, NULL, "\xe2\x80\xae.exe"); /* right-to-left override */
	jw_text(&j, NULL, "\xff\xc3");
	jw_text(&j, NULL, "\xf3\xa0\x80\x81"); /* a tag character */
	jw_text(&j, NULL, "\xf0\x9f\x90\xa7");
	jw_close(&j);
	expect_text(&j, "[\"a\\\"b\\\\c\\nd\\te\",\"\\u001b[2J\\u0007\\u007f\",\"\\u202e.exe\","
			"\"\\ufffd\\ufffd\",\"\\ufffd\",\"\xf0\x9f\x90\xa7\"]\n");
}

static void test_many_members(void **state)
{
	struct jsonout j = { .compact = true };
	char *got;

	(void)state;
	jw_open(&j, NULL, false);
	for (int i = 999; i >= 0; i--) {
		char key[8];

		key[0] = (char)('0' + i / 100);
		key[1] = (char)('0' + i / 10 % 10);
		key[2] = (char)('0' + i % 10);
		key[3] = '\0';
		jw_int(&j, key, i);
	}
	jw_close(&j);
	got = jw_take(&j);
	assert_memory_equal(got, "{\"000\":0,\"001\":1,", 17);
	assert_non_null(strstr(got, ",\"998\":998,\"999\":999}"));
	free(got);
	jw_fini(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_key_order),
		cmocka_unit_test(test_arrays_keep_their_order),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_hostile_texts),
		cmocka_unit_test(test_many_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
