/* SPDX-License-Identifier: GPL-2.0-only */
/* app-command-test.c - the command table: parsing, who may, completion, every row's own example. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/bench.h"
#include "app/command.h"

struct world {
	struct options opt;
	struct app app;
	char last_lua[256];
};

static void on_log(void *ctx, enum log_kind kind, const char *line)
{
	struct world *w = ctx;

	if (kind == LOG_LUA)
		strncpy(w->last_lua, line, sizeof(w->last_lua) - 1);
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct err err = { 0 };

	app_init(&w->app, &w->opt);
	w->app.log_fn = on_log;
	w->app.log_ctx = w;
	w->app.sim = bench_sim("sc7180", 1, &err);
	assert_non_null(w->app.sim);
	assert_int_equal(bench_periodic(w->app.sim, "web", "", 2 * NSEC_PER_MSEC,
					16 * NSEC_PER_MSEC, 0, &err),
			 0);
	assert_int_equal(sim_run_until(w->app.sim, NSEC_PER_MSEC, 0), SIM_REACHED);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	app_fini(&w->app);
	free(w);
	return 0;
}

static int run(struct world *w, const char *line, unsigned who, struct err *err)
{
	struct strbuf out = { 0 };
	int ret;

	*err = (struct err){ 0 };
	ret = command_run(&w->app, line, who, &out, err);
	strbuf_fini(&out);
	return ret;
}

static void good(struct world *w, const char *line)
{
	struct err err;

	if (run(w, line, CMD_USER, &err))
		fail_msg("'%s': %s", line, err.msg);
	assert_int_equal(sim_apply_inputs(w->app.sim), 0);
}

static void bad(struct world *w, const char *line, const char *part)
{
	struct err err;

	assert_int_equal(run(w, line, CMD_USER, &err), -1);
	if (!strstr(err.msg, part))
		fail_msg("'%s' says: %s", line, err.msg);
}

static const struct task *task(struct world *w, const char *name)
{
	task_id p = sim_find_task_by_name(w->app.sim, name);

	assert_true(p != NONE);
	return &w->app.sim->tasks[p];
}

static void test_rows_are_sane(void **state)
{
	(void)state;
	for (u32 i = 0; i < nr_commands; i++) {
		const struct command *c = &commands[i];

		assert_true(c->name[0] && c->help[0] && c->example[0] && c->who);
		assert_ptr_equal(command_find(c->name, strlen(c->name)), c);
		assert_true(command_is(c->example));
		assert_memory_equal(c->example, c->name, strlen(c->name));
		assert_true(c->rest || c->max >= c->min);
	}
}

static void test_what_is_a_command(void **state)
{
	(void)state;
	assert_true(command_is("run"));
	assert_true(command_is("  set hz 100"));
	assert_false(command_is("set = 5"));
	assert_false(command_is("policy.use('pick', 'rr')"));
	assert_false(command_is("print(1)"));
	assert_false(command_is(""));
	assert_false(command_is("# run"));
}

/* Where a command would come to nothing it says why. */
static void test_migrate(void **state)
{
	struct world *w = *state;

	good(w, "affinity web 1,3");
	bad(w, "migrate web 2", "only 1,3");
	good(w, "migrate web 3");
	good(w, "cpu 1 offline");
	bad(w, "migrate web 1", "offline");
	/* What is not applied yet may allow it. */
	{
		struct err err;

		assert_int_equal(run(w, "affinity web all", CMD_USER, &err), 0);
		assert_int_equal(run(w, "migrate web 2", CMD_USER, &err), 0);
		assert_int_equal(sim_apply_inputs(w->app.sim), 0);
	}
}

static void test_unknown(void **state)
{
	struct world *w = *state;

	bad(w, "spwan web", "did you mean 'spawn'");
	bad(w, "list machines", "for the shell");
	bad(w, "sweep hogs.lua", "for the shell");
	bad(w, "kernel v6.11", "v6.6 v6.12");
	bad(w, "kernel nonsense", "v6.6 v6.12");
}

static void test_tasks(void **state)
{
	struct world *w = *state;

	good(w, "nice web 7");
	assert_int_equal(task(w, "web")->nice, 7);
	assert_string_equal(w->last_lua, "sched.task[\"web\"]:set_nice(7)");
	good(w, "spawn \"a b\" 12.5% 8ms nice=-3 cpus=6-7 instances=2");
	assert_string_equal(w->last_lua,
			    "task.spawn { name = \"a b\", nice = -3, cpus = \"6-7\", "
			    "instances = 2, program = periodic { period = \"8ms\", duty "
			    "= 12.5 } }");
	assert_int_equal(task(w, "a b-1")->nice, -3);
	assert_int_equal(task(w, "a b-1")->nr_cpus_allowed, 2);
	good(w, "affinity 'a b-0' 0,2-3");
	assert_int_equal(task(w, "a b-0")->nr_cpus_allowed, 3);
	good(w, "spawn hog 100% 10ms fifo=5");
	assert_int_equal(task(w, "hog")->policy, SCHED_FIFO);
	good(w, "class hog idle");
	assert_int_equal(task(w, "hog")->policy, SCHED_IDLE);
	good(w, "class hog deadline 2ms 10ms");
	assert_int_equal(task(w, "hog")->policy, SCHED_DEADLINE);
	assert_int_equal(task(w, "hog")->dl_deadline, 10 * NSEC_PER_MSEC);
	assert_string_equal(
		w->last_lua,
		"sched.task[\"hog\"]:set_deadline { runtime = \"2ms\", period = \"10ms\" }");
	bad(w, "class hog deadline 12ms 10ms", "none may be longer");
	bad(w, "class hog deadline 2ms", "a runtime and a period");
	bad(w, "affinity hog 0", "deadline task");
	good(w, "class hog rr 4");
	good(w, "spawn cam 10% 20ms deadline=3ms/20ms");
	assert_int_equal(task(w, "cam")->dl_runtime, 3 * NSEC_PER_MSEC);
	bad(w, "spawn cam 10% 20ms deadline=3ms", "RUNTIME/PERIOD");
	bad(w, "spawn cam 10% 20ms deadline=20ms/20ms instances=9", "no bandwidth");
	good(w, "uclamp web 10 500");
	assert_int_equal(task(w, "web")->uclamp_max, 500);
	good(w, "kill hog");
	assert_true(sim_find_task_by_name(w->app.sim, "hog") == NONE);
	assert_int_equal(sim_run_until(w->app.sim, 50 * NSEC_PER_MSEC, 0), SIM_REACHED);
	assert_int_equal(sim_check(w->app.sim, NULL), 0);
}

static void test_groups(void **state)
{
	struct world *w = *state;
	const struct task_group *tg;
	u32 g;

	good(w, "group /user/web new");
	assert_string_equal(w->last_lua, "group(\"/user/web\")");
	g = sim_find_group(w->app.sim, "/user/web");
	assert_int_equal(w->app.sim->groups[g].parent, sim_find_group(w->app.sim, "/user"));
	good(w, "group /user/web max 50ms/200ms 10ms");
	assert_string_equal(w->last_lua,
			    "group(\"/user/web\"):set_max(50000000, 200000000, 10000000)");
	tg = &w->app.sim->groups[g];
	assert_int_equal(tg->quota, 50 * NSEC_PER_MSEC);
	assert_int_equal(tg->period, 200 * NSEC_PER_MSEC);
	assert_int_equal(tg->burst, 10 * NSEC_PER_MSEC);
	good(w, "group /user/web max 20ms");
	tg = &w->app.sim->groups[g];
	assert_int_equal(tg->quota, 20 * NSEC_PER_MSEC);
	assert_int_equal(tg->period, 100 * NSEC_PER_MSEC);
	good(w, "group /user/web max max");
	assert_int_equal(w->app.sim->groups[g].quota, RUNTIME_INF);
	good(w, "group /user/web shares 512");
	assert_int_equal(w->app.sim->groups[g].shares, 512 << 10);
	good(w, "group /user/web uclamp 0 300");
	good(w, "group /user/web cpus 1-2");
	assert_string_equal(w->last_lua, "group(\"/user/web\"):set_cpus(\"1-2\")");
	good(w, "group /user/web add web");
	assert_string_equal(w->last_lua, "sched.task[\"web\"]:set_group(\"/user/web\")");
	assert_int_equal(task(w, "web")->tg, g);
	assert_int_equal(task(w, "web")->uclamp_max, 300);
	assert_int_equal(task(w, "web")->nr_cpus_allowed, 2);
	good(w, "group /user/web idle on");
	assert_int_equal(w->app.sim->groups[g].idle, 1);
	bad(w, "group /user/web shares 512", "idle group");
	good(w, "group /user/web idle off");
	good(w, "group /user/web cpus all");
	assert_string_equal(w->last_lua, "group(\"/user/web\"):set_cpus()");
	bad(w, "group /user/wep max 20ms", "did you mean '/user/web'");
	bad(w, "group /user new", "already");
	bad(w, "group user new", "no name of a group");
	bad(w, "group /user/ new", "no name of a group");
	bad(w, "group / max 20ms", "cannot be changed");
	bad(w, "group /user maks 20ms", "did you mean 'max'");
	bad(w, "group /user max", "QUOTA/PERIOD");
	bad(w, "group /user max 20", "no unit");
	bad(w, "group /user max 20ms/5s", "period");
	bad(w, "group /user max 20ms/100ms 30ms", "burst");
	bad(w, "group /user idle maybe", "neither on nor off");
	bad(w, "group /user cpus 99", "99");
	bad(w, "group /user add nobody", "nobody");
	assert_int_equal(sim_check(w->app.sim, NULL), 0);
}

static void test_rules(void **state)
{
	struct world *w = *state;

	good(w, "policy governor performance");
	assert_string_equal(w->app.sim->policy[SLOT_GOVERNOR]->name, "performance");
	assert_string_equal(w->last_lua, "policy.use(\"governor\", \"performance\")");
	good(w, "set hz 1000");
	assert_int_equal(w->app.sim->g->tun.hz, 1000);
	good(w, "cap 1 1.2GHz");
	assert_string_equal(w->last_lua, "domain(1):cap(\"1.2GHz\")");
	good(w, "cap 1 none");
	good(w, "speed 0.5");
	assert_int_equal(w->app.pacer.ratio, PACER_ONE / 2);
	good(w, "speed down");
	assert_int_equal(w->app.pacer.ratio, PACER_ONE / 5);
}

static void test_time(void **state)
{
	struct world *w = *state;
	u64 before = w->app.sim->g->ordinal;

	good(w, "step event 3");
	assert_int_equal(w->app.sim->g->ordinal, before + 3);
	good(w, "step");
	assert_int_equal(w->app.sim->g->ordinal, before + 4);
	good(w, "until 40ms");
	assert_int_equal(w->app.sim->g->now, 40 * NSEC_PER_MSEC);
	good(w, "step tick");
	assert_int_equal(w->app.sim->g->now, 44 * NSEC_PER_MSEC);
	good(w, "run 6ms");
	assert_int_equal(w->app.sim->g->now, 50 * NSEC_PER_MSEC);
	bad(w, "until 10ms", "is over");
	bad(w, "step 0", "count");
	bad(w, "step sideways", "count");
}

static void test_complaints(void **state)
{
	struct world *w = *state;
	struct err err;

	bad(w, "spwan x 1% 1ms", "did you mean 'spawn'");
	bad(w, "nice web", "takes TASK N");
	bad(w, "nice web 20", "-20 .. 19");
	bad(w, "nice wbe 3", "did you mean 'web'");
	bad(w, "nice #99 3", "no task #99");
	bad(w, "spawn x 0% 1ms", "duty");
	bad(w, "spawn x 101% 1ms", "duty");
	bad(w, "spawn x 10% 1", "no unit");
	bad(w, "spawn x 10% 1ms colour=red", "spawn knows no");
	bad(w, "spawn x 10% 1ms cpus=8", "8");
	bad(w, "spawn x 10% 1ms cpus=", "");
	bad(w, "spawn aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 10% 1ms", "name");
	bad(w, "affinity web 99", "99");
	bad(w, "policy pick eevfd", "did you mean 'eevdf'");
	bad(w, "policy pik eevdf", "did you mean 'pick'");
	bad(w, "set hz many", "whole number");
	bad(w, "set hzz 1", "did you mean 'hz'");
	bad(w, "knob x 1", "no knobs");
	bad(w, "cap 9 none", "frequency domain");
	bad(w, "kernel v6.13", "kernel profile");
	bad(w, "speed fast", "no speed");
	bad(w, "echo", "takes");
	bad(w, "nice 'web 3", "never closed");
	bad(w, "pause now", "no arguments");
	bad(w, "view heat", "needs a screen");
	assert_int_equal(run(w, "quit", CMD_SCRIPT, &err), -1);
	assert_non_null(strstr(err.msg, "not for a script"));
	assert_int_equal(run(w, "metrics f", CMD_SESSION, &err), -1);
	assert_int_equal(run(w, "   # nothing", CMD_SCRIPT, &err), 0);
}

/* Random lines of the table's own words never do worse than a message. */
static void test_random_lines(void **state)
{
	static const char *const words[] = { "web",	"-1",	"0",	    "99999999999999999999",
					     "cpus=0-", "1ms",	"50%",	    "all",
					     "nice=5",	"''",	"\"",	    "#1",
					     "pick",	"none", "\xff\xfe", "v6.1",
					     "1.2GHz" };
	struct world *w = *state;
	u64 r = 12345;

	for (int i = 0; i < 4000; i++) {
		struct err err;
		char line[256];
		const struct command *c;

		r = r * 6364136223846793005ull + 1442695040888963407ull;
		c = &commands[(r >> 33) % nr_commands];
		if (!strcmp(c->area, "file") || !strcmp(c->name, "until") ||
		    !strcmp(c->name, "run") || !strcmp(c->name, "lua"))
			continue;
		strcpy(line, c->name);
		for (unsigned n = (unsigned)(r >> 40) % 5; n; n--) {
			r = r * 6364136223846793005ull + 1442695040888963407ull;
			strcat(line, " ");
			strcat(line, words[(r >> 33) % ARRAY_SIZE(words)]);
		}
		run(w, line, CMD_USER, &err);
		if (i % 50 == 0)
			sim_run_until(w->app.sim, w->app.sim->g->now + NSEC_PER_MSEC, 0);
	}
	assert_int_equal(sim_check(w->app.sim, NULL), 0);
}

static int complete(struct world *w, const char *line, char cands[][48], int *start)
{
	return command_complete(&w->app, line, (int)strlen(line), start, cands[0], 48, 32);
}

static bool offers(char cands[][48], int nr, const char *word)
{
	for (int i = 0; i < nr; i++)
		if (!strcmp(cands[i], word))
			return true;
	return false;
}

static void test_completion(void **state)
{
	struct world *w = *state;
	char cands[32][48];
	int start, nr;

	nr = complete(w, "po", cands, &start);
	assert_true(start == 0 && offers(cands, nr, "policy"));
	nr = complete(w, "policy go", cands, &start);
	assert_true(start == 7 && nr == 1 && offers(cands, nr, "governor"));
	nr = complete(w, "policy governor ", cands, &start);
	assert_int_equal(start, 16);
	assert_true(offers(cands, nr, "performance") && !offers(cands, nr, "eevdf"));
	nr = complete(w, "nice w", cands, &start);
	assert_true(nr == 1 && offers(cands, nr, "web"));
	nr = complete(w, "step e", cands, &start);
	assert_true(nr == 1 && offers(cands, nr, "event"));
	nr = complete(w, "set h", cands, &start);
	assert_true(offers(cands, nr, "hz"));
	nr = complete(w, "kernel v6.1", cands, &start);
	assert_true(offers(cands, nr, "v6.1") && offers(cands, nr, "v6.12"));
	nr = complete(w, "machine sc", cands, &start);
	assert_true(offers(cands, nr, "sc7180"));
	nr = complete(w, "quit ", cands, &start);
	assert_int_equal(nr, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_sane),
		cmocka_unit_test(test_what_is_a_command),
		TEST(test_tasks),
		TEST(test_migrate),
		TEST(test_unknown),
		TEST(test_groups),
		TEST(test_rules),
		TEST(test_time),
		TEST(test_complaints),
		TEST(test_random_lines),
		TEST(test_completion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
