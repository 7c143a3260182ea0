/* SPDX-License-Identifier: GPL-2.0-only */
/* app-options-test.c - what the command line accepts, and what its complaints say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "app/options.h"

#define ARGS_MAX 12

static int parse(struct options *o, struct err *err, const char *line)
{
	static char copy[256];
	static char *argv[ARGS_MAX];
	int argc = 0;
	char *save;

	strncpy(copy, line, sizeof(copy) - 1);
	for (char *w = strtok_r(copy, " ", &save); w && argc < ARGS_MAX;
	     w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	*err = (struct err){ 0 };
	return options_parse(o, argc, argv, err);
}

static void test_forms(void **state)
{
	struct options o;
	struct err err;

	(void)state;
	assert_int_equal(
		parse(&o, &err,
		      "sg run x.lua -m6+2 --kernel=v6.1 -S 9 -t 1.5s -p place=prev -shz=1000"),
		0);
	assert_int_equal(o.sub, SUB_RUN);
	assert_string_equal(o.file, "x.lua");
	assert_string_equal(o.machine, "6+2");
	assert_string_equal(o.kernel, "v6.1");
	assert_true(o.has_seed && o.seed == 9);
	assert_true(o.has_duration && o.duration == 1500000000ull);
	assert_int_equal(o.policies.nr, 1);
	assert_string_equal(o.policies.v[0].name, "place");
	assert_string_equal(o.policies.v[0].value, "prev");
	assert_string_equal(o.sets.v[0].name, "hz");
	options_fini(&o);
}

static void test_ui_is_the_default(void **state)
{
	struct options o;
	struct err err;

	(void)state;
	assert_int_equal(parse(&o, &err, "sg"), 0);
	assert_int_equal(o.sub, SUB_UI);
	assert_null(o.file);
	options_fini(&o);
	assert_int_equal(parse(&o, &err, "sg --frame -- --odd.lua"), 0);
	assert_true(o.frame);
	assert_string_equal(o.file, "--odd.lua");
	options_fini(&o);
}

static void test_execs_keep_their_order(void **state)
{
	struct options o;
	struct err err;

	(void)state;
	assert_int_equal(parse(&o, &err, "sg run x -e pause --script a.lua -e quit"), 0);
	assert_int_equal(o.nr_execs, 3);
	assert_int_equal(o.execs[0].kind, EXEC_COMMAND);
	assert_int_equal(o.execs[1].kind, EXEC_SCRIPT);
	assert_string_equal(o.execs[1].text, "a.lua");
	assert_string_equal(o.execs[2].text, "quit");
	options_fini(&o);
}

static void test_complaints(void **state)
{
	static const struct {
		const char *line, *part;
	} bad[] = {
		{ "sg run", "run needs a file" },
		{ "sg run x --jsno", "did you mean '--json'" },
		{ "sg run x --machine", "needs a value" },
		{ "sg run x --json=1", "takes no value" },
		{ "sg run x -t 5", "no unit" },
		{ "sg run x -t 0s", "above 0" },
		{ "sg run x -t 99999999s", "at most" },
		{ "sg run x -S -1", "no seed" },
		{ "sg run x -S 9007199254740992", "no seed" },
		{ "sg run x -p place", "SLOT=NAME" },
		{ "sg run x -p =prev", "SLOT=NAME" },
		{ "sg run x y", "one too many" },
		{ "sg x --glyphs round", "ascii|blocks|braille" },
		{ "sg x --colour blue", "auto|mono|16|256|direct|cvd" },
		{ "sg x --json", "takes no option '--json'" },
		{ "sg list", "list needs a kind" },
		{ "sg compare x", "something to vary" },
		{ "sg compare x --vary a", "NAME=A,B" },
		{ "sg compare x --vary a=1 --seeds 0", "1 to 10000" },
		{ "sg sweep x --vary a=1 --shard 3/2", "second of five" },
		{ "sg run x --vary a=1", "takes no option" },
		{ "sg import x", "no 'import' yet" },
		{ "sg present", "no 'present' yet" },
		{ "sg -Z", "unknown option '-Z'" },
		{ "sg run x --session f", "does not record sessions" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct options o;
		struct err err;

		assert_int_equal(parse(&o, &err, bad[i].line), -1);
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.msg, bad[i].part))
			fail_msg("'%s' says: %s", bad[i].line, err.msg);
		options_fini(&o);
	}
}

static void test_hostile_words_are_cleaned(void **state)
{
	struct options o;
	struct err err;

	(void)state;
	assert_int_equal(parse(&o, &err, "sg run x --\x1b[2J"), -1);
	assert_null(strchr(err.msg, '\x1b'));
	options_fini(&o);
}

static void test_exit_codes(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(exit_code_of(&err), 0);
	err.code = ERR_USAGE;
	assert_int_equal(exit_code_of(&err), 2);
	err.code = ERR_SCRIPT;
	assert_int_equal(exit_code_of(&err), 3);
	err.code = ERR_DIVERGED;
	assert_int_equal(exit_code_of(&err), 4);
	err.code = ERR_LIMIT;
	assert_int_equal(exit_code_of(&err), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_ui_is_the_default),
		cmocka_unit_test(test_execs_keep_their_order),
		cmocka_unit_test(test_complaints),
		cmocka_unit_test(test_hostile_words_are_cleaned),
		cmocka_unit_test(test_exit_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
