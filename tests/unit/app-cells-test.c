/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * app-cells-test.c - children that work, fail, crash and hang; summaries taken apart.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/cellpool.h"
#include "app/options.h"
#include "app/runjson.h"

/* ---- the pool ---- */

#define CELLS 24u

struct seen {
	u32 next; /* cells come in order */
	u32 failed, crashed, late;
	u32 stop_at;
	volatile sig_atomic_t interrupted;
	u32 interrupt_at;
};

static int work(void *ctx, u32 i, struct strbuf *text, struct err *err)
{
	(void)ctx;
	switch (i % 6) {
	case 1:
		err_set(err, ERR_SCRIPT, "cell %u does not want to", i);
		return EXIT_SCRIPT;
	case 2:
		fprintf(stderr, "first words\nlast words\n");
		signal(SIGABRT, SIG_DFL);
		abort();
	case 3:
		for (u32 k = 0; k < 20000; k++) /* more than a pipe holds */
			strbuf_printf(text, "line %u of cell %u\n", k, i);
		return EXIT_EXPECT;
	case 4:
		_exit(7);
	case 5:
		printf("children have no terminal\n");
		return EXIT_DONE;
	default:
		strbuf_printf(text, "cell %u", i);
		return EXIT_DONE;
	}
}

static bool look(void *ctx, u32 i, struct cell_result *r)
{
	struct seen *s = ctx;
	char want[64];

	assert_int_equal(i, s->next++);
	switch (i % 6) {
	case 1:
		snprintf(want, sizeof(want), "cell %u does not want to", i);
		assert_int_equal(r->code, EXIT_SCRIPT);
		assert_string_equal(r->msg, want);
		assert_null(r->text);
		break;
	case 2:
		assert_int_equal(r->code, EXIT_DIVERGED);
		assert_non_null(strstr(r->msg, "crashed"));
		assert_non_null(strstr(r->msg, "last words"));
		break;
	case 3:
		snprintf(want, sizeof(want), "\nline 19999 of cell %u\n", i);
		assert_int_equal(r->code, EXIT_EXPECT);
		assert_null(r->msg);
		assert_non_null(strstr(r->text, want));
		break;
	case 4:
		assert_int_equal(r->code, EXIT_LIMIT);
		assert_non_null(strstr(r->msg, "status 7"));
		break;
	case 5:
		assert_int_equal(r->code, EXIT_DONE);
		assert_null(r->text);
		break;
	default:
		snprintf(want, sizeof(want), "cell %u", i);
		assert_string_equal(r->text, want);
		break;
	}
	free(r->text);
	free(r->msg);
	if (s->interrupt_at && s->next == s->interrupt_at)
		s->interrupted = 1;
	return !s->stop_at || s->next < s->stop_at;
}

static void no_children(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void test_pool(void **state)
{
	(void)state;
	for (u32 jobs = 1; jobs <= 40; jobs += 13) {
		struct seen s = { 0 };
		struct cellpool p = {
			.ctx = &s, .nr = CELLS, .jobs = jobs, .run = work, .done = look
		};
		struct err err = { 0 };

		assert_int_equal(cellpool_run(&p, &err), 0);
		assert_int_equal(s.next, CELLS);
		no_children();
	}
}

static void test_pool_stops(void **state)
{
	struct seen s = { .stop_at = 7 };
	struct cellpool p = { .ctx = &s, .nr = CELLS, .jobs = 4, .run = work, .done = look };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(cellpool_run(&p, &err), 1);
	assert_int_equal(s.next, 7);
	no_children();
	s = (struct seen){ .interrupt_at = 5 };
	p.interrupted = &s.interrupted;
	assert_int_equal(cellpool_run(&p, &err), 1);
	assert_true(s.next >= 5 && s.next < CELLS);
	no_children();
	p.nr = 0;
	s = (struct seen){ 0 };
	assert_int_equal(cellpool_run(&p, &err), 0);
}

static int hang(void *ctx, u32 i, struct strbuf *text, struct err *err)
{
	(void)ctx;
	(void)text;
	(void)err;
	while (i % 2)
		pause();
	return EXIT_DONE;
}

static bool look_late(void *ctx, u32 i, struct cell_result *r)
{
	struct seen *s = ctx;

	s->next++;
	if (i % 2) {
		assert_int_equal(r->code, EXIT_LIMIT);
		assert_non_null(strstr(r->msg, "--timeout"));
		s->late++;
	}
	free(r->msg);
	return true;
}

/* Cells that hang are ended; how long the others take does not matter here. */
static void test_pool_timeout(void **state)
{
	struct seen s = { 0 };
	struct cellpool p = { .ctx = &s,
			      .nr = 4,
			      .jobs = 4,
			      .run = hang,
			      .done = look_late,
			      .timeout_ns = 1000 * NSEC_PER_MSEC,
			      .timeout_name = "--timeout" };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(cellpool_run(&p, &err), 0);
	assert_int_equal(s.late, 2);
	no_children();
}

/* ---- summaries ---- */

static void number_is(const struct run_values *r, const char *path, s64 v, u32 decimals)
{
	const struct run_value *x = run_value(r, path);

	assert_non_null(x);
	assert_int_equal(x->kind, RUN_NUMBER);
	assert_int_equal(x->v, v);
	assert_int_equal(x->decimals, decimals);
}

static void test_values(void **state)
{
	static const char json[] =
		"{\"a\": 12.340, \"b\": -3, \"big\": 9007199254740993, \"deep\": {\"x\": {\"y\": 1}},\n"
		" \"list\": [5, 6.5, {\"k\": 1}, {\"k\": 2, \"name\": \"web\", \"in\": {\"name\": \"no\"}}],\n"
		" \"none\": null, \"on\": true, \"off\": false, \"empty\": {}, \"nothing\": [],\n"
		" \"t\": \"\\u00e4\\\"\\\\\\n{\"}\n";
	struct run_values r;

	(void)state;
	assert_true(run_values_parse(json, &r));
	number_is(&r, "a", 12340, 3);
	number_is(&r, "b", -3, 0);
	number_is(&r, "big", 9007199254740993, 0);
	number_is(&r, "deep.x.y", 1, 0);
	number_is(&r, "list.0", 5, 0);
	number_is(&r, "list.1", 65, 1);
	number_is(&r, "list.2.k", 1, 0);
	number_is(&r, "list.web.k", 2, 0);
	assert_string_equal(run_text(&r, "list.web.in.name"), "no");
	assert_string_equal(run_text(&r, "t"), "ä\"\\\n{");
	assert_int_equal(run_value(&r, "none")->kind, RUN_NULL);
	assert_int_equal(run_value(&r, "on")->v, 1);
	assert_int_equal(run_value(&r, "off")->v, 0);
	assert_null(run_value(&r, "deep"));
	assert_null(run_value(&r, "zzz"));
	assert_null(run_text(&r, "a"));
	run_values_free(&r);
}

static bool is_number(void *ctx, const struct run_value *v)
{
	(void)ctx;
	return v->kind == RUN_NUMBER;
}

static void test_values_thin(void **state)
{
	struct run_values r;

	(void)state;
	assert_true(run_values_parse("{\"a\": 1, \"b\": \"x\", \"c\": [2, null], \"d\": 3}", &r));
	assert_int_equal(r.nr, 5);
	run_values_keep(&r, is_number, NULL);
	assert_int_equal(r.nr, 3);
	number_is(&r, "a", 1, 0);
	number_is(&r, "c.0", 2, 0);
	number_is(&r, "d", 3, 0);
	assert_null(run_value(&r, "b"));
	run_values_free(&r);
}

static void test_values_damaged(void **state)
{
	static const char *const bad[] = { "",
					   "{",
					   "{\"a\"}",
					   "{\"a\": }",
					   "[1,",
					   "{} x",
					   "\"open",
					   "{\"a\": 1",
					   "nul",
					   "{\"a\": \"\\u12\"}",
					   "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
					   "99999999999999999999" };
	struct run_values r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(run_values_parse(bad[i], &r));
		run_values_free(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pool),	       cmocka_unit_test(test_pool_stops),
		cmocka_unit_test(test_pool_timeout),   cmocka_unit_test(test_values),
		cmocka_unit_test(test_values_damaged), cmocka_unit_test(test_values_thin),
	};

	return cmocka_run_group_tests_name("many runs", tests, NULL, NULL);
}
