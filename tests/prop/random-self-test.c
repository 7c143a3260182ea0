/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random-self-test.c - the machinery of the randomized test: a case, played again and run as a scenario,
 * has one digest; one that fails gets small.
 */
#include <unistd.h>

#include "tests/sim-world.h"

#include "tests/prop/random-case.h"

/* `schedground run` of the case: the digest it prints. */
static void run_scenario(const char *path, char *digest, size_t size, int *code)
{
	const char *build = getenv("abs_top_builddir");
	char command[1024], line[4096];
	FILE *p;

	snprintf(command, sizeof(command), "%s/schedground run %s --check --json 2>&1",
		 build ? build : ".", path);
	p = popen(command, "r");
	assert_non_null(p);
	digest[0] = '\0';
	while (fgets(line, sizeof(line), p)) {
		const char *at = strstr(line, "\"digest\": \"");

		if (at)
			snprintf(digest, size, "%.16s", at + 11);
		else if (!strncmp(line, "schedground:", 12))
			print_message("# %s", line);
	}
	*code = pclose(p);
}

/* Recorded, played again, and run as a scenario: the same digest. */
static void a_case_is_a_scenario(void **state)
{
	u32 whole = 0;

	(void)state;
	for (u64 seed = 1; seed <= 200 && whole < 30; seed++) {
		struct told told = { 0 };
		char digest[20], wanted[20];
		struct random_case c;
		struct outcome out;
		int code;

		case_record(seed, &c, &told);
		assert_false(told.failed);
		case_make_plain(&c);
		case_play(&c, NULL, &out);
		assert_false(out.failed);
		if (case_write_file(&c, "a test", "sim-random-case.lua")) {
			case_fini(&c);
			continue;
		}
		whole++;
		run_scenario("sim-random-case.lua", digest, sizeof(digest), &code);
		snprintf(wanted, sizeof(wanted), "%016llx", (unsigned long long)out.digest);
		if (strcmp(digest, wanted) || code)
			fail_msg("seed %llu: run ends with %d, digest %s, wanted %s",
				 (unsigned long long)seed, code, digest, wanted);
		case_fini(&c);
	}
	assert_int_equal(whole, 30);
	unlink("sim-random-case.lua");
	unlink("smt-2n.json");
}

/* An invariant that the engine does not promise: nobody migrates three times. */
static bool few_migrations(const struct sim *s, char *what, size_t size)
{
	for_each_live(p, &s->arena, POOL_TASK) if (s->task_stats[p].migrations >= 3)
	{
		snprintf(what, size, "task %u has migrated %llu times", p,
			 (unsigned long long)s->task_stats[p].migrations);
		return false;
	}
	return true;
}

static void a_failing_case_shrinks(void **state)
{
	u32 found = 0, before = 0, after = 0;

	(void)state;
	for (u64 seed = 1; seed <= 200 && found < 3; seed++) {
		struct told told = { 0 };
		char digest[20], wanted[20];
		struct random_case c;
		struct outcome out;
		u32 tasks, changes;
		int code;

		case_record(seed, &c, &told);
		case_make_plain(&c);
		case_play(&c, few_migrations, &out);
		if (case_write_file(&c, out.what, "sim-random-small.lua"))
			out.failed = false;
		tasks = c.nr_tasks;
		changes = c.nr_changes;
		if (!out.failed || tasks < 5 || changes < 10) {
			case_fini(&c);
			continue;
		}
		found++;
		case_shrink(&c, few_migrations, &out);
		assert_true(c.nr_changes + c.nr_tasks < tasks + changes);
		before += tasks + changes;
		after += c.nr_changes + c.nr_tasks;
		/* It fails at its last instant, and what has been written is what failed. */
		assert_int_equal(out.at, c.end);
		case_write_file(&c, out.what, "sim-random-small.lua");
		run_scenario("sim-random-small.lua", digest, sizeof(digest), &code);
		case_play(&c, NULL, &out);
		snprintf(wanted, sizeof(wanted), "%016llx", (unsigned long long)out.digest);
		assert_string_equal(digest, wanted);
		assert_int_equal(code, 0);
		case_fini(&c);
	}
	assert_int_equal(found, 3);
	/* Whatever moves a task three times, most of what is done has no part in it. */
	assert_true(after * 2 < before);
	unlink("sim-random-small.lua");
	unlink("smt-2n.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_case_is_a_scenario),
		cmocka_unit_test(a_failing_case_shrinks),
	};

	return cmocka_run_group_tests_name("cases of the randomized test", tests, NULL, NULL);
}
