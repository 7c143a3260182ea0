/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json-repair-test.c - what is mended, what is refused and where, and that no bytes at all can upset
 * the pass: every prefix of a file, every byte replaced, and random soups of brackets and quotes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/json_util.h"
#include "app/xalloc.h"

/* Repair @in and compare with @want; @kind (or -1) must be the only repair, @count times. */
static void mends(const char *in, const char *want, int kind, u32 count)
{
	struct json_fixed f;
	struct err err = { 0 };

	if (json_repair(in, strlen(in), NULL, 0, &f, &err))
		fail_msg("%s: %d:%d: %s", in, err.line, err.col, err.msg);
	assert_string_equal(f.text, want);
	for (int k = 0; k < JSON_REPAIR_KINDS; k++)
		assert_int_equal(f.repairs[k].count, k == kind ? count : 0);
	json_fixed_fini(&f);
}

/* @in must be refused at @line:@col with a message that contains @part. */
static void refuses(const char *in, size_t len, enum err_code code, int line, int col,
		    const char *part)
{
	struct json_doc *doc;
	struct err err = { 0 };

	if (!json_doc_parse(in, len, NULL, 0, &doc, &err))
		fail_msg("accepted: %.60s", in);
	assert_null(doc);
	assert_int_equal(err.code, code);
	if (!strstr(err.msg, part))
		fail_msg("'%s' lacks '%s'", err.msg, part);
	if (err.line != line || err.col != col)
		fail_msg("'%s' at %d:%d, not %d:%d", err.msg, err.line, err.col, line, col);
}

static void refuses_text(const char *in, int line, int col, const char *part)
{
	refuses(in, strlen(in), ERR_USAGE, line, col, part);
}

static void strict_json_is_kept(void **state)
{
	(void)state;
	mends("{}", "{}", -1, 0);
	mends(" [ 1 , -2.5e3 , \"a\\n\\u00e9\" , true , null ] ",
	      "[1,-2.5e3,\"a\\n\\u00e9\",true,null]", -1, 0);
	mends("{\"a\": {\"b\": [[], {}]}}", "{\"a\":{\"b\":[[],{}]}}", -1, 0);
	mends("\"// no comment, /* nor this */ and a comma ,]\"",
	      "\"// no comment, /* nor this */ and a comma ,]\"", -1, 0);
}

static void habits_are_mended(void **state)
{
	(void)state;
	mends("/* a */ {\"x\": 1 // b\n, \"y\": 2 # c\n}", "{\"x\":1,\"y\":2}", JSON_REPAIR_COMMENT,
	      3);
	mends("{\"x\": [1, 2, ], }", "{\"x\":[1,2]}", JSON_REPAIR_TRAILING_COMMA, 2);
	mends("[True, FALSE, Null]", "[true,false,null]", JSON_REPAIR_LITERAL_CASE, 3);
	mends("{'a': 'say \"hi\"'}", "{\"a\":\"say \\\"hi\\\"\"}", JSON_REPAIR_SINGLE_QUOTES, 2);
	mends("{\"suspend\", \"run\": 1, \"suspend2\"}",
	      "{\"suspend\":\"\",\"run\":1,\"suspend2\":\"\"}", JSON_REPAIR_NO_VALUE, 2);
	mends("\xef\xbb\xbf{}", "{}", JSON_REPAIR_BOM, 1);
	mends("[007, 00, -010, 0, 0.5]", "[7,0,-10,0,0.5]", JSON_REPAIR_LEADING_ZERO, 3);
	mends("[\"a\tb\"]", "[\"a\\u0009b\"]", JSON_REPAIR_CONTROL, 1);
	mends("[\"a\xff\xc3(\"]", "[\"a\xef\xbf\xbd\xef\xbf\xbd(\"]", JSON_REPAIR_UTF8, 2);
	mends("[\"\\u0000b\"]",
	      "[\"\xef\xbf\xbd"
	      "b\"]",
	      JSON_REPAIR_NUL, 1);
	mends("[\"\\ud83d\\ude00\"]", "[\"\\ud83d\\ude00\"]", -1, 0);
	mends("[\"\\ud83dx\"]", "[\"\xef\xbf\xbdx\"]", JSON_REPAIR_UTF8, 1);
}

static void placeholders_are_replaced(void **state)
{
	(void)state;
	const struct json_define defs[] = { { "DURATION", "5" },
					    { "NAME", "a\"b" },
					    { "CALIBRATION_VAL", "CPU0" } };
	const char *in = "{\"d\": __DURATION__, \"e\": DURATION, \"c\": CALIBRATION_VAL, "
			 "\"n\": \"x__NAME__y__OTHER__\"}";
	struct json_fixed f;
	struct err err = { 0 };

	assert_int_equal(json_repair(in, strlen(in), defs, 3, &f, &err), 0);
	assert_string_equal(f.text, "{\"d\":5,\"e\":5,\"c\":\"CPU0\",\"n\":\"xa\\\"by__OTHER__\"}");
	assert_int_equal(f.repairs[JSON_REPAIR_PLACEHOLDER].count, 4);
	json_fixed_fini(&f);
	refuses_text("{\"d\":\n  __DURATION__}", 2, 3, "-D __DURATION__=VALUE");
}

static void refusals_name_the_place(void **state)
{
	(void)state;
	refuses_text("", 1, 1, "empty");
	refuses_text(" \n ", 1, 1, "empty");
	refuses_text("// only this", 1, 1, "but for comments");
	refuses_text("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "comma missing");
	refuses_text("{\"a\": 1,, \"b\": 2}", 1, 9, "two commas");
	refuses_text("{\"a\": [1, 2}", 1, 12, "',' or ']'");
	refuses_text("{\"a\": 1", 1, 8, "cut off");
	refuses_text("{\"a\"", 1, 5, "cut off");
	refuses_text("{\"a", 1, 2, "not closed");
	refuses_text("{\"a\": \"b\n\"}", 1, 7, "not closed on its line");
	refuses_text("{a: 1}", 1, 2, "double quotes");
	refuses_text("{\"run\"}", 1, 7, "suspend and yield");
	refuses_text("{\"a\": +5}", 1, 7, "plus sign");
	refuses_text("{\"a\": .5}", 1, 7, "0 in front");
	refuses_text("{\"a\": 16ms}", 1, 7, "carry no unit");
	refuses_text("{\"a\": 0x10}", 1, 7, "decimal");
	refuses_text("{\"a\": 1e999}", 1, 7, "out of range");
	refuses_text("{\"a\": NaN}", 1, 7, "no number");
	refuses_text("{\"a\": yes}", 1, 7, "bare word yes");
	refuses_text("{\"a\": \"\\q\"}", 1, 8, "unknown escape");
	refuses_text("{\"a\": \"\\u12\"}", 1, 8, "four hexadecimal");
	refuses_text("/* open", 1, 1, "not closed");
	refuses_text("{} {}", 1, 4, "after the end");
	refuses_text("{\"\xc3\xa9\": x}", 1, 7, "bare word");
	refuses_text("\x89PNG\r\n\x1a\n", 1, 1, "PNG");
	refuses("{\"a\": \0}", 8, ERR_USAGE, 1, 7, "NUL");
	refuses("\xff\xfe{\0}\0", 6, ERR_USAGE, 1, 1, "UTF-16");
}

static void limits_have_messages(void **state)
{
	(void)state;
	size_t n = 100000;
	char *deep = xcalloc(n + 1, 1);

	memset(deep, '[', n);
	refuses(deep, n, ERR_LIMIT, 1, 65, "64 levels");
	free(deep);

	size_t big = (16u << 20) + 1;
	char *file = xcalloc(big, 1);

	memset(file, ' ', big);
	refuses(file, big, ERR_LIMIT, 1, 1, "16 MiB");
	free(file);

	size_t many = 2 * (JSON_MAX_VALUES + 1);
	char *list = xcalloc(many + 1, 1);

	for (size_t i = 0; i < many; i += 2)
		memcpy(list + i, i ? ",1" : "[1", 2);
	refuses(list, many, ERR_LIMIT, 1, (int)many - 2, "1000000 values");
	free(list);
}

static void places_are_of_the_source(void **state)
{
	(void)state;
	static const char in[] = "/* one\n two */ {\n\t\"suspend\",\n  \"a\": [1,\n   22, ],\n}";
	struct json_doc *doc;
	struct err err = { 0 };
	int line, col;

	assert_int_equal(json_doc_parse(in, strlen(in), NULL, 0, &doc, &err), 0);
	json_doc_where(doc, doc->root, true, &line, &col);
	assert_true(line == 2 && col == 9);

	const cJSON *a = json_member(doc->root, "a");

	json_doc_where(doc, a, true, &line, &col);
	assert_true(line == 4 && col == 3);
	json_doc_where(doc, a, false, &line, &col);
	assert_true(line == 4 && col == 8);
	json_doc_where(doc, a->child->next, true, &line, &col);
	assert_true(line == 5 && col == 4);
	json_doc_where(doc, json_member(doc->root, "suspend"), true, &line, &col);
	assert_true(line == 3 && col == 2);

	struct note_list notes = { 0 };

	json_doc_notes(doc, &notes);
	assert_int_equal(notes.nr, 3);
	assert_true(notes.v[0].repair && notes.v[0].line == 1 && notes.v[0].col == 1);
	assert_string_equal(notes.v[1].text,
			    "comma before a closing bracket left out; also at 5:9");
	note_list_fini(&notes);
	json_doc_free(doc);
}

static void duplicates_stay_in_order(void **state)
{
	(void)state;
	static const char in[] = "{\"run\":1,\"sleep\":2,\"run\":3,\"Run\":4}";
	struct json_doc *doc;
	struct err err = { 0 };
	s64 v;

	assert_int_equal(json_doc_parse(in, strlen(in), NULL, 0, &doc, &err), 0);
	assert_int_equal(cJSON_GetArraySize(doc->root), 4);
	assert_true(json_whole(json_member(doc->root, "run"), &v) && v == 3);
	json_doc_free(doc);
}

static void whole_numbers_only(void **state)
{
	(void)state;
	static const char in[] = "[5, 5.0, 1e3, 5.5, 9007199254740993e3, \"5\", true, -3]";
	static const bool whole[] = { true, true, true, false, false, false, false, true };
	struct json_doc *doc;
	struct err err = { 0 };
	u32 i = 0;
	const cJSON *c;
	s64 v;

	assert_int_equal(json_doc_parse(in, strlen(in), NULL, 0, &doc, &err), 0);
	cJSON_ArrayForEach(c, doc->root)
	{
		assert_int_equal(json_whole(c, &v), whole[i++]);
	}
	json_doc_free(doc);
}

static void hostile_names_are_harmless(void **state)
{
	(void)state;
	static const char in[] = "{\"\\u001b[31mred\\u202e\": 1}";
	struct json_doc *doc;
	struct err err = { 0 };

	assert_int_equal(json_doc_parse(in, strlen(in), NULL, 0, &doc, &err), 0);
	json_fail(doc, doc->root->child, &err, ERR_USAGE, "key '%s'", doc->root->child->string);
	assert_string_equal(err.msg, "key '?[31mred?'");
	json_doc_free(doc);
}

static const char sample[] =
	"/* c */ {\n'tasks': { \"a\\u00e9\": {\"cpus\": [0, 1,], \"run\": 1.5e2, \"suspend\", \"x\": True,\n"
	"// d\n\"t\": {\"ref\": \"\xc3\xa9\", \"period\": -007}}, }, \"g\": null}";

static bool tried(const char *in, size_t len)
{
	/* A copy of the exact length: a read past its end is seen by the sanitizer. */
	char *copy = malloc(len ? len : 1);
	struct json_doc *doc;
	struct err err = { 0 };
	bool ok;

	memcpy(copy, in, len);
	ok = !json_doc_parse(copy, len, NULL, 0, &doc, &err);
	assert_true(ok == !err.code);
	assert_true(ok == !!doc);
	if (ok)
		assert_int_equal(doc->nr_index, doc->fixed.nr_places);
	else
		assert_true(err.line > 0 && err.col > 0 && err.msg[0]);
	json_doc_free(doc);
	free(copy);
	return ok;
}

static void every_prefix_is_refused(void **state)
{
	(void)state;
	size_t len = sizeof(sample) - 1;

	assert_true(tried(sample, len));
	for (size_t n = 0; n < len; n++)
		assert_false(tried(sample, n));
}

static void every_changed_byte_is_survived(void **state)
{
	(void)state;
	size_t len = sizeof(sample) - 1;
	char buf[sizeof(sample)];

	for (size_t i = 0; i < len; i++) {
		for (unsigned c = 0; c < 256; c += 3) {
			memcpy(buf, sample, sizeof(buf));
			buf[i] = (char)c;
			tried(buf, len);
		}
	}
}

static void soups_are_survived(void **state)
{
	(void)state;
	static const char *const parts[] = { "{",    "}",  "[",	    "]",  ",",	    ":",    "\"",
					     "'",    "\\", "/*",    "*/", "//",	    "\n",   "1",
					     "-0",   "e",  "\"a\"", " ",  "True",   "\xff", "\\u",
					     "d800", "__", "#",	    ".",  "\"b\":", "null" };
	u64 x = 88172645463325252ull;

	for (u32 round = 0; round < 20000; round++) {
		char buf[128];
		size_t len = 0;

		for (u32 k = 0; k < 20; k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;

			const char *p = parts[x % ARRAY_SIZE(parts)];

			memcpy(buf + len, p, strlen(p));
			len += strlen(p);
		}
		tried(buf, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strict_json_is_kept),
		cmocka_unit_test(habits_are_mended),
		cmocka_unit_test(placeholders_are_replaced),
		cmocka_unit_test(refusals_name_the_place),
		cmocka_unit_test(limits_have_messages),
		cmocka_unit_test(places_are_of_the_source),
		cmocka_unit_test(duplicates_stay_in_order),
		cmocka_unit_test(whole_numbers_only),
		cmocka_unit_test(hostile_names_are_harmless),
		cmocka_unit_test(every_prefix_is_refused),
		cmocka_unit_test(every_changed_byte_is_survived),
		cmocka_unit_test(soups_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
