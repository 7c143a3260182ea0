/* SPDX-License-Identifier: GPL-2.0-only */
/* app-pacer-test.c - ratios, their ladder and text, and where simulated time should be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "app/pacer.h"

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		u64 ratio;
	} good[] = {
		{ "1", PACER_ONE },	  { "0.0001", 1 },	    { "0.5x", PACER_ONE / 2 },
		{ "12.25", 122500 },	  { "1000000", PACER_MAX }, { "max", PACER_FLAT_OUT },
		{ ".1", PACER_ONE / 10 },
	};
	static const char *const bad[] = { "",	"0",  "0.00001", "-1", "1000001",
					   "x", "1y", "1e3",	 ".",  "99999999999999999999" };
	u64 ratio;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(pacer_parse(good[i].text, &ratio, NULL), 0);
		assert_int_equal(ratio, good[i].ratio);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = { 0 };

		assert_int_equal(pacer_parse(bad[i], &ratio, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
	}
}

static void test_ladder(void **state)
{
	u64 r = 1;
	int steps = 0;

	(void)state;
	while (r != PACER_FLAT_OUT) {
		u64 up = pacer_step(r, true);

		if (up != PACER_FLAT_OUT) {
			assert_true(up > r);
			assert_int_equal(pacer_step(up, false), r);
		}
		r = up;
		assert_true(++steps < 100);
	}
	assert_int_equal(pacer_step(PACER_FLAT_OUT, true), PACER_FLAT_OUT);
	assert_int_equal(pacer_step(PACER_FLAT_OUT, false), PACER_MAX);
	assert_int_equal(pacer_step(1, false), 1);
	/* Between two rungs: to the nearest one that way. */
	assert_int_equal(pacer_step(PACER_ONE * 3, true), PACER_ONE * 5);
	assert_int_equal(pacer_step(PACER_ONE * 3, false), PACER_ONE * 2);
}

static void test_text_round_trip(void **state)
{
	char text[24];

	(void)state;
	for (u64 r = 1; r != PACER_FLAT_OUT; r = pacer_step(r, true)) {
		u64 back;

		assert_int_equal(pacer_parse(pacer_text(text, sizeof(text), r), &back, NULL), 0);
		assert_int_equal(back, r);
	}
	assert_string_equal(pacer_text(text, sizeof(text), PACER_FLAT_OUT), "max");
	assert_string_equal(pacer_text(text, sizeof(text), PACER_ONE / 100), "0.01x");
}

static void test_target(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p);
	pacer_start(&p, 1000, 500);
	assert_int_equal(pacer_target(&p, 1000), 500);
	assert_int_equal(pacer_target(&p, 900), 500);
	assert_int_equal(pacer_target(&p, 3000), 2500);
	p.ratio = PACER_ONE / 10000;
	assert_int_equal(pacer_target(&p, 1000 + 50000), 505);
	p.ratio = PACER_MAX;
	assert_true(pacer_target(&p, ~0ull) > 1ull << 59);
	p.ratio = PACER_FLAT_OUT;
	assert_true(pacer_target(&p, 3000) == NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_ladder),
		cmocka_unit_test(test_text_round_trip),
		cmocka_unit_test(test_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
