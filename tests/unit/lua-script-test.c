/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lua-script-test.c - the scenario language over a real simulation: what scripts do arrives, what
 * fails is taken back, and the run goes on.
 */
#include "app/lua/script.h"
#include "app/machine.h"
#include "app/readfile.h"
#include "app/xalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct script *script;
	struct sim *sim;
	struct machine_desc *machine;
	char out[8192]; /* what was printed */
	char fails[8192]; /* failures beside the main path, and warnings */
	const char *knob, *knob_value;
};

static void add(char *to, size_t size, const char *line)
{
	size_t n = strlen(to);

	snprintf(to + n, size - n, "%s\n", line);
}

static void on_print(void *ctx, const char *line)
{
	struct fixture *f = ctx;

	add(f->out, sizeof(f->out), line);
}

static void on_warn(void *ctx, const char *text)
{
	struct fixture *f = ctx;

	add(f->fails, sizeof(f->fails), text);
}

static void on_fail(void *ctx, const struct err *err, const char *trace)
{
	struct fixture *f = ctx;

	assert_non_null(trace);
	assert_true(err->code != ERR_NONE);
	add(f->fails, sizeof(f->fails), err->msg);
}

static struct sim *on_build(void *ctx, const struct script_scenario *sc, struct err *err)
{
	struct fixture *f = ctx;
	char *dir = xasprintf("%s/scenarios/machine", getenv("abs_top_srcdir"));
	struct note_list notes = { 0 };
	struct sim_config cfg = { .seed = sc->has_seed ? sc->seed : 1, .profile = sc->kernel };

	if (!machine_load(sc->machine ? sc->machine : "6+2", dir, &f->machine, &notes, err)) {
		cfg.machine = f->machine;
		f->sim = sim_new(&cfg, err);
	}
	note_list_fini(&notes);
	free(dir);
	return f->sim;
}

static const char *on_knob(void *ctx, const char *name)
{
	struct fixture *f = ctx;

	return f->knob && !strcmp(f->knob, name) ? f->knob_value : NULL;
}

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct script_host host = { .ctx = f,
				    .build = on_build,
				    .print = on_print,
				    .warn = on_warn,
				    .fail = on_fail,
				    .knob_value = on_knob };
	struct err err = { 0 };

	f->script = script_new(&host, NULL, &err);
	if (!f->script)
		print_message("# %s\n", err.msg);
	*state = f;
	return f->script ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	script_free(f->script);
	sim_free(f->sim);
	machine_free(f->machine);
	free(f);
	return 0;
}

static void load(struct fixture *f, const char *text)
{
	struct err err = { 0 };

	if (script_load(f->script, text, strlen(text), "test.lua", &err))
		fail_msg("%s\n%s", err.msg, script_trace(f->script));
}

static void load_fails(struct fixture *f, const char *text, const char *expect)
{
	struct err err = { 0 };

	if (!script_load(f->script, text, strlen(text), "test.lua", &err))
		fail_msg("no error: %s", text);
	if (!strstr(err.msg, expect))
		fail_msg("'%s' is not in '%s'", expect, err.msg);
}

static void run_to(struct fixture *f, u64 ns)
{
	enum sim_stop r = sim_run_until(f->sim, ns, 0);
	struct err err = { 0 };

	if (r == SIM_ERROR)
		fail_msg("%s", f->sim->err.msg);
	if (sim_check(f->sim, &err))
		fail_msg("%s", err.msg);
}

#define MS NSEC_PER_MSEC

/* ---- tasks and steps ---- */

static void test_spawn(void **state)
{
	struct fixture *f = *state;

	load(f,
	     "scenario { name = 'x', machine = '6+2', seed = 7, duration = '1s', about = 'a' }\n"
	     "a = task.spawn { name = 'a', nice = 5, cpus = '0-3', uclamp = {10, 500},\n"
	     "  program = periodic { period = '16ms', duty = 25.5 } }\n"
	     "b, all = task.spawn { name = 'b', instances = 3, delay = '5ms', policy = 'idle',\n"
	     "  program = { run('1ms'), sleep { time = '2ms', spread = '1ms' }, yield(),\n"
	     "    loop(2, runtime('100us'), sleep('1ms')),\n"
	     "    phase { duration = '20ms', nice = 3, cpus = {4, 5}, pulse { low_for = '5ms', high_for "
	     "= '5ms' } },\n"
	     "    exit() } }\n"
	     "task.spawn { name = 'f', policy = 'fifo', priority = 7, cpus = cpu(5), program = {\n"
	     "  loop(3, run { mean = '100us', max = '1ms' }, timer { period = '4ms', absolute = true }),\n"
	     "  fork { name = 'child', program = run('1ms') } } }\n"
	     "task.spawn { name = 'p', program = { lock('m'), run('1ms'), wait_for('c', 'm'), "
	     "unlock('m'), barrier('x', 2) } }\n"
	     "task.spawn { name = 'q', program = { sleep('3ms'), lock('m'), wake('c'), unlock('m'), "
	     "broadcast('c'), barrier { name = 'x', parties = 2 } } }\n"
	     "task.spawn { name = 'r', program = { ramp { to = 50, over = '160ms' }, stair { to = 80, "
	     "steps = 3, hold = '32ms' }, sweep { duty = 10, steps = 2, hold = '32ms' } } }\n"
	     "task.spawn { name = 'g', group = '/bg', program = { run('forever') } }\n"
	     "assert(#all == 3 and all[1] == b and b ~= a)");
	assert_int_equal(script_scenario(f->script)->duration, 1000 * MS);
	assert_int_equal(f->sim->g->seed, 7);
	run_to(f, 150 * MS);
	load(f,
	     "assert(sched.task.a == a and a.alive and a.nice == 5 and a.name == 'a')\n"
	     "assert(a.util > 0 and a.exec_ns > 0 and #a.allowed == 4)\n"
	     "assert(not b.alive and b.util == nil and b.name == nil and sched.task.nobody == nil)\n"
	     "assert(not sched.task.p and not sched.task.q, 'locks and barriers')\n"
	     "assert(group('/bg').nr_tasks == 1)\n"
	     "local n = 0 for _, t in ipairs(tasks()) do n = n + 1 assert(t.alive) end\n"
	     "assert(n == 3, n)\n"
	     "assert(#cpus() == 8 and #sched.cpu == 8 and sched.cpu[8] == nil)\n"
	     "assert(cpu(7).capacity_orig == 1024 and cpu(0).domain == domain(0))\n"
	     "assert(metric('latency.all.count') > 0 and sched.metrics.latency.all.p99_us ~= nil)\n"
	     "group('/bg'):set_shares(2048) domain(1):cap('1GHz')\n"
	     "a:set_nice(-3) a:set_cpus{6, cpu(7)} sched.task.g:set_policy('batch') a:set_slice('2ms')\n"
	     "a:set_uclamp(0, 1024)\n"
	     "local w = group('/user/web') w:set_max('5ms', '50ms', '2ms') w:set_uclamp(10, 500)\n"
	     "w:set_cpus('0-1') group('/user'):set_idle() assert(w.name == '/user/web')");
	run_to(f, 200 * MS);
	load(f,
	     "local w = group('/user/web')\n"
	     "assert(w.quota_ns == 5000000 and w.period_ns == 50000000 and w.burst_ns == 2000000)\n"
	     "assert(w.uclamp_min == 0 and w.uclamp_max == 500 and not w.idle and group('/user').idle)\n"
	     "assert(#w.cpus == 2 and w.cpus[2] == 1 and #group('/user').cpus == 8)\n"
	     "assert(w.cpu_ns == 0 and w.throttled_ns == 0 and w.nr_periods == 1)\n"
	     "w:set_max('max') w:set_cpus() sched.task.g:set_group('/user/web')");
	run_to(f, 201 * MS);
	load(f,
	     "local w = group('/user/web')\n"
	     "assert(w.quota_ns == nil and #w.cpus == 8 and w.nr_tasks == 1)\n"
	     "assert(metric('groups./user/web.cpu_us') > 0) sched.task.g:set_group(group('/bg'))");
	load(f, "assert(a.nice == -3 and a.cpu >= 6 and group('/bg').shares == 2048)\n"
		"assert(domain(1).max_khz <= 1000000) a:kill()");
	run_to(f, 202 * MS);
	load(f, "assert(not a.alive)");
	assert_string_equal(f->fails, "");
}

static void test_errors(void **state)
{
	static const char *const cases[][2] = {
		{ "group('/a'):set_max('100us')", "the quota in ns" },
		{ "group('/a'):set_max('20ms', '2s')", "the period in ns" },
		{ "group('/a'):set_uclamp(0, 2000)", "set_uclamp: max" },
		{ "group('/a'):set_max('1ms', '1ms', '2ms')", "burst" },
		{ "group('a')", "named like" },
		{ "group('/a//b')", "named like" },
		{ "group('/'):set_max('20ms')", "cannot be changed" },
		{ "return group('/a').quota", "did you mean 'quota_ns'" },
		{ "task.spawn { nam = 'a', program = run('1ms') }", "did you mean 'name'" },
		{ "task.spawn { name = 'a' }", "a program is needed" },
		{ "task.spawn { program = {} }", "no steps" },
		{ "task.spawn { program = { 5 } }", "is no step" },
		{ "task.spawn { program = { run(-1) } }", "is a time" },
		{ "task.spawn { program = { run('5 parsecs') } }", "unknown unit" },
		{ "task.spawn { program = { run('1.5') } }", "no unit" },
		{ "task.spawn { program = run('1ms'), cpus = '0-99' }", "cpus" },
		{ "task.spawn { program = run('1ms'), cpus = {} }", "at least one CPU" },
		{ "task.spawn { program = run('1ms'), nice = 20 }", "-20 .. 19" },
		{ "task.spawn { program = run('1ms'), priority = 5 }", "fifo" },
		{ "task.spawn { program = run('1ms'), policy = 'fiffo' }", "did you mean 'fifo'" },
		{ "task.spawn { program = run('1ms'), policy = 'deadline' }", "needs a runtime" },
		{ "task.spawn { program = run('1ms'), policy = 'deadline', runtime = '3ms', deadline = '2ms', "
		  "period = '9ms' }",
		  "none may be longer" },
		{ "task.spawn { program = run('1ms'), period = '9ms' }", "for policy" },
		{ "task.spawn { program = run('1ms'), name = ('x'):rep(100) }", "bytes" },
		{ "task.spawn { program = run('1ms'), instances = 2e9 }", "1 .. 100000" },
		{ "task.spawn { program = { lock('a'), wait_for('a') } }", "a" },
		{ "periodic { period = '16ms' }", "duty" },
		{ "periodic { period = '16ms', duty = 120 }", "0 .. 100" },
		{ "periodic { period = '0ns', duty = 20 }", "period" },
		{ "local p = {} p[1] = p task.spawn { program = p }", "nested" },
		{ "local p = run('1ms') for i = 1, 30 do p = loop(2, p) end task.spawn { program = p }",
		  "" },
		{ "cpu(99)", "0 .. 7" },
		{ "policy.use('plaec', 'prev')", "did you mean 'place'" },
		{ "policy.use('pick', 'eevfd')", "did you mean 'eevdf'" },
		{ "policy.set('hertz', 100)", "tunable" },
		{ "policy.set('hz', 5)", "hz" },
		{ "metric('latency.all.p98_us')", "latency" },
		{ "local x = sched.metrics.latenzy", "latenc" },
		{ "expect { metric = 'nonsense.x', max = 1 }", "nonsense" },
		{ "expect { metric = 'events' }", "min, max" },
		{ "on('sched_swich', print)", "did you mean 'sched_switch'" },
		{ "at('1ms')", "function expected" },
		{ "every('1ns', print)", "at least 1us" },
		{ "knob { name = 'a' }", "default" },
		{ "knob { name = 'a', default = 5, max = 3 }", "outside" },
		{ "knob.nope = 3", "no knob" },
		{ "coroutine.yield()", "wait()" },
		{ "coroutine.wrap(function() wait('1ms') end)()", "wait()" },
		{ "scenario { name = 'late' }", "comes before" },
		{ "local t = task.spawn { program = run('1ms') } t.nice = 3", "read-only" },
		{ "local t = task.spawn { program = run('1ms') } return t.nize",
		  "did you mean 'nice'" },
		{ "policy.define { slot = 'place', name = 'x' }", "select_task_rq" },
		{ "policy.define { slot = 'place', name = 'prev', select_task_rq = print }",
		  "built-in" },
		{ "workload.schbnch{}", "did you mean 'workload.schbench'" },
		{ "wrkload.schbench{}", "did you mean 'workload'" },
		{ "spwan {}", "did you mean 'task.spawn'" },
		{ "local x x()", "a nil value (local 'x')" },
		{ "help('task.spwan')", "did you mean 'task.spawn'" },
		{ "for i = 0, 7 do cpu(i):offline() end", "last one online" },
	};
	struct fixture *f = *state;
	u32 nr;

	load(f, "cpu(0)");
	run_to(f, 1);
	nr = f->sim->journal.nr;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		load_fails(f, cases[i][0], cases[i][1]);
		assert_int_equal(f->sim->journal.nr, nr);
	}
	run_to(f, 10 * MS);
	assert_int_equal(f->sim->g->nr_tasks_alive, 0);
}

/* ---- effects and time ---- */

static void test_rollback(void **state)
{
	struct fixture *f = *state;
	u64 digest;

	load(f, "t = task.spawn { name = 't', program = periodic { duty = 20 } }");
	run_to(f, 5 * MS);
	load_fails(
		f,
		"task.spawn { name = 'u', program = run('forever') } t:set_nice(5)\n"
		"at('6ms', function() t:kill() end) on('sched_switch', function() t:kill() end)\n"
		"knob { name = 'k', default = 1 } error('no')",
		"test.lua:3: no");
	assert_int_equal(script_nr_knobs(f->script), 0);
	digest = sim_digest(f->sim);
	run_to(f, 5 * MS);
	assert_true(digest == sim_digest(f->sim));
	load(f, "after('1ms', function() t:set_nice(7) error('halfway') end)\n"
		"after('2ms', function() t:set_nice(8) end)");
	run_to(f, 20 * MS);
	load(f, "assert(t.alive and t.nice == 8 and not sched.task.u)");
	assert_string_equal(f->fails, "test.lua:1: halfway\n");
}

static void test_timers(void **state)
{
	struct fixture *f = *state;

	load(f,
	     "local function say(what) print(what, time_text(now())) end\n"
	     "at('2ms', function() say('at') end)\n"
	     "at('2ms', function() say('at again') after(0, function() say('after') end) end)\n"
	     "local n, e = 0\n"
	     "e = every('1ms', function() n = n + 1 say('every') if n == 3 then e:cancel() end end)\n"
	     "wait('1500us') say('waited') wait_until('2500us') say('until')\n"
	     "local go = false after('1ms', function() wait('200us') go = true end)\n"
	     "wait_until(function() return go end, '100us') say('go')\n"
	     "local ok, err = pcall(function() wait('1ms') error('x', 0) end) say(tostring(ok) .. err)\n");
	run_to(f, 20 * MS);
	assert_string_equal(f->out, "every 1ms\nwaited 1.5ms\nat 2ms\nat again 2ms\nevery 2ms\n"
				    "after 2ms\nuntil 2.5ms\nevery 3ms\ngo 3.7ms\nfalsex 4.7ms\n");
	assert_int_equal(script_nr_timers(f->script), 0);
	assert_true(f->sim->script_next == NEVER);
	assert_string_equal(f->fails, "");
}

static void test_no_time_passes(void **state)
{
	struct fixture *f = *state;

	load(f,
	     "local function f() after(0, f) end f() local function g() while true do wait(0) end end "
	     "after('1ms', g)");
	run_to(f, 5 * MS);
	assert_non_null(strstr(f->fails, "time does not pass"));
	assert_int_equal(script_nr_timers(f->script), 0);
	load(f, "after('1ms', function() print('still there') end)");
	run_to(f, 10 * MS);
	assert_string_equal(f->out, "still there\n");
}

static void test_handlers(void **state)
{
	struct fixture *f = *state;

	load(f,
	     "local t = task.spawn { name = 't', program = { run('1ms'), sleep('1ms'), run('1ms') } }\n"
	     "local n, h = 0\n"
	     "h = on('sched_switch', function(ev)\n"
	     "  if ev.next == t then n = n + 1 assert(ev.name == 'sched_switch' and ev.cpu and ev.time)\n"
	     "    t:set_nice(n) end end)\n"
	     "on('sched_process_exit', function(ev) print('exit', ev.task == t, n) h:cancel() end)\n"
	     "on('sched_wakeup', function(ev) error('bad handler') end)");
	run_to(f, 50 * MS);
	assert_string_equal(f->out, "exit true 2\n");
	assert_string_equal(f->fails, "on(\"sched_wakeup\") stops: test.lua:7: bad handler\n");
}

/* ---- knobs, expectations, console ---- */

static void test_knobs(void **state)
{
	struct fixture *f = *state;
	struct err err = { 0 };
	bool restart;

	f->knob = "b";
	f->knob_value = "9";
	load(f,
	     "a = knob { name = 'a', default = 2, min = 0, max = 10, help = 'h',\n"
	     "  change = function(v) if v == 7 then error('not seven') end print('moved', v, knob.a)\n"
	     "    task.spawn { name = 'k' .. v, program = run('forever') } end }\n"
	     "b = knob { name = 'b', default = 1 }\n"
	     "c = knob { name = 'c', default = '16ms', min = '1ms', max = '1s' }\n"
	     "assert(a == 2 and b == 9 and c == 16000000)");
	assert_int_equal(script_nr_knobs(f->script), 3);
	assert_int_equal(script_knob_find(f->script, "c"), 2);
	assert_int_equal(script_knob_set(f->script, 0, "5", &restart, &err), 0);
	assert_false(restart);
	assert_string_equal(f->out, "moved 5 5\n");
	run_to(f, 1 * MS);
	load(f, "assert(sched.task.k5) knob.a = 6 assert(knob.a == 6)");
	assert_int_equal(script_knob_set(f->script, 0, "7", &restart, &err), -1);
	assert_non_null(strstr(err.msg, "not seven"));
	assert_int_equal(script_knob(f->script, 0)->value, 6);
	assert_int_equal(script_knob_set(f->script, 1, "4", &restart, &err), 0);
	assert_true(restart);
	memset(&err, 0, sizeof(err));
	assert_int_equal(script_knob_set(f->script, 0, "11", &restart, &err), -1);
	memset(&err, 0, sizeof(err));
	assert_int_equal(script_knob_set(f->script, 0, "x", &restart, &err), -1);
	memset(&err, 0, sizeof(err));
	assert_int_equal(script_knob_set(f->script, 2, "32ms", &restart, &err), 0);
	assert_int_equal(script_knob(f->script, 2)->value, 32 * MS);
}

static void test_expects(void **state)
{
	struct fixture *f = *state;
	struct err err = { 0 };

	load(f,
	     "task.spawn { name = 't', program = periodic { period = '10ms', duty = 10 } }\n"
	     "expect { metric = 'latency.all.count', min = 5, max = 100, why = 'w' }\n"
	     "expect { metric = 'latency.all.max_us', max = 1000 }\n"
	     "expect { metric = 'tasks.t.wakeups', equals = 1000000 }\n"
	     "expect { text = 'mine', test = function() return sched.task.t.util > 10, 'v' end }");
	run_to(f, 200 * MS);
	assert_int_equal(script_nr_expects(f->script), 4);
	assert_int_equal(script_check_expects(f->script, &err), 1);
	assert_string_equal(script_expect(f->script, 0)->text, "latency.all.count >= 5 and <= 100");
	assert_true(script_expect(f->script, 0)->ok);
	assert_true(script_expect(f->script, 1)->ok);
	assert_false(script_expect(f->script, 2)->ok);
	assert_string_equal(script_expect(f->script, 3)->text, "mine");
	assert_string_equal(script_expect(f->script, 3)->value, "v");
	load(f, "expect { test = function() error('broken') end }");
	assert_int_equal(script_check_expects(f->script, &err), -1);
	assert_non_null(strstr(err.msg, "broken"));
}

static void console(struct fixture *f, const char *line)
{
	struct err err = { 0 };

	if (script_console(f->script, line, &err))
		fail_msg("%s", err.msg);
}

static void test_console(void **state)
{
	struct fixture *f = *state;
	struct err err = { 0 };
	u32 nr;

	console(f, "1 + 1");
	console(f, "x = 5");
	console(f, "x, 'a', nil");
	console(f, "for i = 1, 2 do print(i) end");
	console(f, "task.spawn { name = 'c', program = run('forever') }");
	assert_string_equal(f->out, "2\n5 a nil\n1\n2\ntask 0\n");
	run_to(f, 1 * MS);
	console(f, "sched.task.c:set_nice(4)");
	assert_int_equal(f->sim->journal.e[f->sim->journal.nr - 2].origin, ORIGIN_USER);
	assert_int_equal(f->sim->journal.e[f->sim->journal.nr - 1].kind, INPUT_CONSOLE);
	nr = f->sim->journal.nr;
	assert_int_equal(script_console(f->script, "sched.task.c:kill() error('no')", &err), -1);
	assert_int_equal(f->sim->journal.nr, nr);
	memset(&err, 0, sizeof(err));
	assert_int_equal(script_console(f->script, "wait('1ms')", &err), -1);
	memset(&err, 0, sizeof(err));
	assert_int_equal(script_console(f->script, "x +", &err), -1);
	assert_non_null(strstr(err.msg, "console:1:"));
	/* A name that is nothing is not answered with silence; one that was given a value is. */
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "zzz", "statsu", " compare " };

		memset(&err, 0, sizeof(err));
		assert_int_equal(script_console(f->script, names[i], &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
	}
	console(f, "zzz = false");
	console(f, "zzz");
	f->out[0] = '\0';
	console(f, "help()");
	assert_non_null(strstr(f->out, "task.spawn"));
	console(f, "help('periodic')");
	console(f,
		"policy.define { slot = 'place', name = 'zero', select_task_rq = function() return 0 end }");
	console(f, "policy.use('place', 'zero')");
	console(f, "task.spawn { name = 'z', program = periodic { duty = 10 } }");
	run_to(f, 50 * MS);
	console(f, "assert(sched.task.z.cpu == 0)");
	assert_string_equal(f->fails, "");
}

/* ---- policies ---- */

static void test_place(void **state)
{
	struct fixture *f = *state;

	load(f,
	     "policy.define { slot = 'place', name = 'count', params = { top = { default = 3, min = 0, max "
	     "= 7 }, also = { default = 1 } },\n"
	     "  x = { task = { 'seen' }, cpu = { 'given' }, machine = { 'calls' } },\n"
	     "  select_task_rq = function(ctx, t, prev, flags)\n"
	     "    ctx.x.calls = ctx.x.calls + 1\n"
	     "    t.x.seen = t.x.seen + 1\n"
	     "    local c = ctx.x.calls % (ctx.top + 1)\n"
	     "    sched.cpu[c].x.given = sched.cpu[c].x.given + 1\n"
	     "    if ctx.also ~= 1 then return 7 end\n"
	     "    assert(ctx.nr_cpus == 8 and ctx.now >= 0 and ctx.this_cpu < 8)\n"
	     "    assert(flags & (WF_TTWU | WF_FORK) ~= 0)\n"
	     "    return cpu(c)\n"
	     "  end }\n"
	     "policy.use('place', 'count') policy.use('newidle', 'none') policy.use('balance', 'none')\n"
	     "after(0, function() policy.set('place.top', 2) end)\n"
	     "local _, all = task.spawn { name = 't', instances = 4, program = periodic { duty = 10 } }\n"
	     "at('50ms', function() for _, t in ipairs(all) do assert(t.cpu <= 2) end\n"
	     "  policy.set('place.also', 0) end)\n"
	     "at('100ms', function() for _, t in ipairs(all) do assert(t.cpu == 7) end print('done') end)");
	run_to(f, 200 * MS);
	assert_string_equal(f->fails, "");
	assert_string_equal(f->out, "done\n");
	load_fails(f, "return cpu(0).x.given", "while it is asked");
}

static void test_place_fails(void **state)
{
	struct fixture *f = *state;

	load(f,
	     "local n = 0\n"
	     "policy.define { slot = 'place', name = 'bad', select_task_rq = function(ctx, t, prev)\n"
	     "  if t.name == 'a' then error('oops') end\n"
	     "  if t.name == 'b' then while true do pcall(function() while true do end end) end end\n"
	     "  if t.name == 'c' then return 99 end\n"
	     "  if t.name == 'd' then leak = 1 end\n"
	     "  if t.name == 'e' then t:kill() end\n"
	     "  return prev end }\n"
	     "policy.use('place', 'bad')\n"
	     "for _, n in ipairs { 'a', 'b', 'c', 'd', 'e' } do\n"
	     "  task.spawn { name = n, program = periodic { period = '50ms', duty = 10 } } end");
	run_to(f, 1 * MS);
	assert_non_null(strstr(f->fails, "policy place \"bad\", call answered by"));
	assert_non_null(strstr(f->fails, "test.lua:3: oops"));
	assert_non_null(strstr(f->fails, "lua_policy"));
	assert_non_null(strstr(f->fails, "0 .. 7, not 99"));
	assert_non_null(strstr(f->fails, "global 'leak'"));
	assert_string_equal(f->sim->policy[SLOT_PLACE]->name, "bad");
	run_to(f, 500 * MS);
	/* ten failures: the profile's own has the slot again; effects of policies never count */
	assert_non_null(strstr(f->fails, "failed 10 times"));
	assert_string_not_equal(f->sim->policy[SLOT_PLACE]->name, "bad");
	assert_int_equal(f->sim->g->nr_tasks_alive, 5);
}

static void test_governor(void **state)
{
	struct fixture *f = *state;

	load(f,
	     "policy.define { slot = 'governor', name = 'top', params = { khz = { default = 9000000 } },\n"
	     "  target_khz = function(ctx, d, cpu) assert(d.max_khz > 0 and cpu >= 0) return ctx.khz end }\n"
	     "policy.use('governor', 'top')\n"
	     "task.spawn { name = 't', cpus = 0, program = periodic { duty = 10 } }\n"
	     "at('100ms', function() assert(domain(0).khz == domain(0).max_khz) policy.set('governor.khz', 1) "
	     "end)\n"
	     "at('200ms', function() assert(domain(0).khz == domain(0).min_khz) print('ok') end)");
	run_to(f, 300 * MS);
	assert_string_equal(f->fails, "");
	assert_string_equal(f->out, "ok\n");
}

/* The same script gives the same bytes, cut into pieces or not; a copy goes the same way. */
static void test_deterministic(void **state)
{
	static const char text[] =
		"policy.define { slot = 'place', name = 'p', x = { machine = {'n'} }, select_task_rq = "
		"function(ctx, t, prev) ctx.x.n = ctx.x.n + 1 return ctx.x.n % 8 end }\n"
		"policy.use('place', 'p')\n"
		"for i = 1, 12 do task.spawn { name = 't' .. i, program = { loop(0, run { mean = '1ms' }, "
		"sleep { time = '1ms', spread = math.random(1000000) }) } } end\n"
		"every('7ms', function() local t = tasks() t[math.random(#t)]:set_nice(math.random(-5, 5)) "
		"end)\n";
	u64 digest[2];

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct fixture *f;
		void *st = NULL;

		assert_int_equal(setup(&st), 0);
		f = st;
		load(f, text);
		if (k) {
			for (u64 t = 0; t < 200 * MS; t += 333333)
				run_to(f, t);
		}
		run_to(f, 200 * MS);
		digest[k] = sim_digest(f->sim);
		assert_string_equal(f->fails, "");
		teardown(&st);
	}
	assert_true(digest[0] == digest[1]);
}

/* ---- names ---- */

static bool lua_name_is_standard(const char *name)
{
	static const char *const names[] = {
		"_G",		"_VERSION", "assert", "coroutine", "error",    "getmetatable",
		"ipairs",	"load",	    "math",   "next",	   "pairs",    "pcall",
		"print",	"rawequal", "rawget", "rawlen",	   "rawset",   "select",
		"setmetatable", "string",   "table",  "tonumber",  "tostring", "type",
		"utf8",		"xpcall",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

struct names {
	char *rc; /* .luacheckrc */
	u32 nr, missing;
};

static void check_name(void *ctx, const char *name)
{
	struct names *n = ctx;
	const char *sig, *doc;
	char quoted[80];

	n->nr++;
	if (script_help(name, &sig, &doc))
		assert_true(strlen(sig) > 2 && strlen(doc) > 5);
	if (strpbrk(name, ".:"))
		return;
	snprintf(quoted, sizeof(quoted), "\"%s\"", name);
	if (lua_name_is_standard(name) || strstr(n->rc, quoted))
		return;
	print_message("# .luacheckrc does not know %s\n", name);
	n->missing++;
}

static void test_names(void **state)
{
	struct fixture *f = *state;
	char *path = xasprintf("%s/.luacheckrc", getenv("abs_top_srcdir"));
	struct names n = { 0 };
	struct err err = { 0 };
	size_t len;

	assert_int_equal(read_file(path, 1 << 20, &n.rc, &len, &err), 0);
	script_names(f->script, check_name, &n);
	assert_true(n.nr > 60);
	assert_int_equal(n.missing, 0);
	free(n.rc);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_spawn),
		T(test_errors),
		T(test_rollback),
		T(test_timers),
		T(test_no_time_passes),
		T(test_handlers),
		T(test_knobs),
		T(test_expects),
		T(test_console),
		T(test_place),
		T(test_place_fails),
		T(test_governor),
		cmocka_unit_test(test_deterministic),
		T(test_names),
#undef T
	};

	return cmocka_run_group_tests_name("lua-script", tests, NULL, NULL);
}
