/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp-import-test.c - the rt-app grammar: every event, duplicates, timers, settings that stick and
 * that do not, limits, and that every complaint names task, phase, key, line and column.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/readfile.h"
#include "app/rtapp.h"
#include "app/xalloc.h"

static const struct json_define defs[] = { { "CALIBRATION_VAL", "CPU0" } };
static struct rtapp_options options = { .nr_cpus = 4, .defs = defs, .nr_defs = 1 };
static struct note_list notes;

static struct rtapp *parsed(const char *text)
{
	struct rtapp *r = NULL;
	struct err err = { 0 };

	note_list_fini(&notes);
	if (rtapp_parse(text, strlen(text), &options, &r, &notes, &err))
		fail_msg("%s: %d:%d: %s", text, err.line, err.col, err.msg);
	return r;
}

static const struct note *noted(const char *part)
{
	for (u32 i = 0; i < notes.nr; i++)
		if (strstr(notes.v[i].text, part))
			return &notes.v[i];
	return NULL;
}

static void is_step(const struct task_spec *s, u32 i, enum step_op op, u64 a)
{
	assert_true(i < s->nr_steps);
	assert_string_equal(step_op_names[s->steps[i].op], step_op_names[op]);
	if (s->steps[i].a != a)
		fail_msg("step %u: a is %llu, not %llu", i, (unsigned long long)s->steps[i].a,
			 (unsigned long long)a);
}

static const struct obj_spec *obj_of(const struct task_spec *s, u32 i)
{
	assert_true(s->steps[i].obj < s->nr_objs);
	return &s->objs[s->steps[i].obj];
}

static char *data_path(const char *name)
{
	const char *top = getenv("abs_top_srcdir");

	return xasprintf("%s/%s", top ? top : ".", name);
}

static void two_tasks_file(void **state)
{
	(void)state;
	char *path = data_path("scenarios/rtapp/two-tasks-util-est.json");
	struct rtapp *r;
	struct err err = { 0 };

	note_list_fini(&notes);
	if (rtapp_load(path, &options, &r, &notes, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(r->nr_specs, 2);
	assert_true(r->duration == 2 * NSEC_PER_SEC);

	const struct task_spec *a = r->specs[0], *b = r->specs[1];

	assert_string_equal(a->name, "A");
	is_step(a, 0, STEP_LOOP, 125);
	is_step(a, 1, STEP_RUN, 9600000);
	is_step(a, 2, STEP_TIMER, 16000000);
	assert_true(obj_of(a, 2)->local);
	assert_int_equal(a->masks[a->cpus], 1);
	assert_true(b->delay == 2000000);
	is_step(b, 0, STEP_LOOP, 63);
	is_step(b, 1, STEP_RUN, 3200000);
	is_step(b, 4, STEP_LOOP, 62);
	is_step(b, 5, STEP_RUN, 800000);
	assert_int_equal(b->masks[b->cpus], 1);
	/* Repairs are told, and nothing else is to be said of it. */
	assert_int_equal(notes.nr, 2);
	assert_true(notes.v[0].repair && notes.v[1].repair);
	rtapp_free(r);
	free(path);
}

static void every_event(void **state)
{
	(void)state;
	char *path = data_path("tests/data/rtapp-all-events.json");
	struct rtapp *r;
	struct err err = { 0 };
	u32 i = 0;

	note_list_fini(&notes);
	if (rtapp_load(path, &options, &r, &notes, &err))
		fail_msg("%s", err.msg);
	free(path);
	assert_int_equal(r->nr_specs, 2);
	assert_int_equal(r->nr_threads, 3);
	assert_true(r->duration == 250 * NSEC_PER_MSEC);

	const struct task_spec *m = r->specs[0], *h = r->specs[1];

	assert_int_equal(m->instances, 2);
	assert_true(m->delay == 500000);
	assert_int_equal(m->policy, SCHED_BATCH);
	assert_int_equal(m->nice, 5);
	assert_int_equal(m->uclamp_min, 100);
	assert_int_equal(m->uclamp_max, 800);
	assert_true(m->slice == 2000000);
	assert_int_equal(m->masks[m->cpus], 5);

	is_step(m, i++, STEP_LOOP, 3);
	is_step(m, i++, STEP_SET_CPUS, ~0ull);
	is_step(m, i++, STEP_RUN, 1000000);
	is_step(m, i++, STEP_SLEEP, 2000000);
	is_step(m, i++, STEP_RUN, 3000000);
	is_step(m, i++, STEP_RUNTIME, 400000);
	is_step(m, i++, STEP_RUN, 50000);
	is_step(m, i++, STEP_LOCK, 0);
	is_step(m, i, STEP_WAIT, 0);
	assert_string_equal(m->objs[m->steps[i].b - 1].name, "m");
	assert_string_equal(obj_of(m, i++)->name, "c");
	is_step(m, i++, STEP_UNLOCK, 0);
	is_step(m, i++, STEP_WAKE, 0);
	is_step(m, i++, STEP_WAIT, 0);
	is_step(m, i, STEP_TIMER, 16000000);
	assert_int_equal(m->steps[i++].flags & STEP_F_ABSOLUTE, 0);
	is_step(m, i, STEP_TIMER, 8000000);
	assert_true(m->steps[i].flags & STEP_F_ABSOLUTE);
	assert_false(obj_of(m, i++)->local);
	is_step(m, i, STEP_SET_CPUS, m->steps[i].a);
	assert_int_equal(m->masks[m->steps[i++].a], 2);
	is_step(m, i, STEP_SET_POLICY, SCHED_FIFO);
	assert_int_equal(m->steps[i++].b, 7);
	is_step(m, i++, STEP_LOOP, 4);
	is_step(m, i++, STEP_WAKE, 0);
	is_step(m, i++, STEP_BROADCAST, 0);
	is_step(m, i++, STEP_BARRIER, 3); /* two of main, one helper */
	is_step(m, i, STEP_BROADCAST, 0);
	assert_string_equal(obj_of(m, i++)->name, "helper (suspend)");
	is_step(m, i++, STEP_YIELD, 0);
	is_step(m, i++, STEP_SEM_POST, 0);
	is_step(m, i++, STEP_FORK, 0);
	is_step(m, i++, STEP_LOOP_END, 4);
	is_step(m, i++, STEP_LOOP_END, 3);
	assert_int_equal(i, m->nr_steps);
	assert_int_equal(m->nr_forks, 1);
	assert_string_equal(m->forks[0]->name, "child");
	is_step(m->forks[0], 0, STEP_RUN, 70000);
	assert_string_equal(m->forks[0]->group, "/background");

	i = 0;
	is_step(h, i++, STEP_LOOP, 0);
	is_step(h, i, STEP_WAIT, 0);
	assert_string_equal(obj_of(h, i++)->name, "helper (suspend)");
	is_step(h, i++, STEP_SEM_WAIT, 0);
	is_step(h, i++, STEP_BARRIER, 3);
	is_step(h, i++, STEP_RUN, 4096 / RTAPP_MEM_BYTES_PER_NS);
	is_step(h, i++, STEP_RUN, 1000 / RTAPP_MEM_BYTES_PER_NS);
	is_step(h, i, STEP_SLEEP, 1000 * RTAPP_IO_NS_PER_BYTE);
	assert_true(h->steps[i++].flags & STEP_F_IOWAIT);
	is_step(h, i++, STEP_RUN, 10 * RTAPP_CHASE_NS);
	/* One absolute use makes the shared timer absolute for all. */
	is_step(h, i, STEP_TIMER, 8000000);
	assert_true(h->steps[i].flags & STEP_F_ABSOLUTE);
	assert_non_null(noted("mem is played as CPU time"));
	assert_non_null(noted("and a sleep"));
	assert_non_null(noted("placeholder replaced"));
	assert_non_null(noted("key without a value"));
	assert_non_null(noted("seconds of 'duration'"));
	rtapp_free(r);
}

static void loops_of_tasks_and_phases(void **state)
{
	(void)state;
	/* Without phases 'loop' is that of the only phase; absent means for ever. */
	struct rtapp *r =
		parsed("{\"tasks\": {\"a\": {\"run\": 10, \"sleep\": 10, \"loop\": 5}, "
		       "\"b\": {\"run\": 10}, \"c\": {\"loop\": 0, \"phases\": {\"p\": "
		       "{\"run\": 1}}}, \"d\": {\"phases\": {\"p\": {\"run\": 1}}}, "
		       "\"e\": {\"loop\": -7, \"run\": 1}, \"f\": {\"loop\": 1, \"run\": 1}}}");

	is_step(r->specs[0], 0, STEP_LOOP, 5);
	is_step(r->specs[1], 0, STEP_LOOP, 0);
	is_step(r->specs[2], 0, STEP_EXIT, 0);
	is_step(r->specs[3], 0, STEP_LOOP, 0);
	is_step(r->specs[3], 1, STEP_RUN, 1000);
	is_step(r->specs[4], 0, STEP_LOOP, 0);
	is_step(r->specs[5], 0, STEP_RUN, 1000);
	assert_true(r->duration == 0);
	rtapp_free(r);

	r = parsed(
		"{\"tasks\": {\"a\": {\"loop\": 1, \"phases\": {\"p\": {\"loop\": -1, \"run\": 1},\n"
		"\"q\": {\"run\": 2}}}}}");
	assert_int_equal(r->specs[0]->nr_steps, 3);
	assert_non_null(noted("never reached"));
	rtapp_free(r);

	r = parsed("{\"tasks\": {\"a\": {\"run\": -1, \"sleep\": -1}}}");
	is_step(r->specs[0], 1, STEP_RUN, ~0ull);
	is_step(r->specs[0], 2, STEP_SLEEP, (1ull << 60) - 1);
	rtapp_free(r);
}

static void duplicates_in_both_ways(void **state)
{
	(void)state;
	const char *text =
		"{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1, \"sleep\": 2, \"run\": 3}, "
		"\"a\": {\"loop\": 1, \"phases\": {\"p\": {\"run\": 4}, \"p\": {\"run\": 5}}}}}";
	struct rtapp *r = parsed(text);

	assert_int_equal(r->nr_specs, 2);
	is_step(r->specs[0], 0, STEP_RUN, 1000);
	is_step(r->specs[0], 1, STEP_SLEEP, 2000);
	is_step(r->specs[0], 2, STEP_RUN, 3000);
	is_step(r->specs[1], 0, STEP_RUN, 4000);
	is_step(r->specs[1], 1, STEP_RUN, 5000);
	assert_non_null(noted("given again: 3; all are played"));
	rtapp_free(r);

	options.dup_last = true;
	r = parsed(text);
	options.dup_last = false;
	assert_int_equal(r->nr_specs, 1);
	is_step(r->specs[0], 0, STEP_RUN, 5000);
	rtapp_free(r);

	r = parsed(
		"{\"tasks\": {\"a\": {\"loop\": 2, \"run\": 1, \"loop\": 9}}, \"global\": "
		"{\"duration\": 1}, \"tasks\": {\"b\": {\"run\": 1}}, \"global\": {\"duration\": 3}}");
	assert_int_equal(r->nr_specs, 2);
	is_step(r->specs[0], 0, STEP_LOOP, 9);
	assert_true(r->duration == 3 * NSEC_PER_SEC);
	assert_non_null(noted("'loop' is given again"));
	assert_non_null(noted("'tasks' is given again"));
	rtapp_free(r);

	r = parsed("{\"tasks\": {\"a\": {\"loop\": 1, \"events\": [{\"run\": 1}, {\"sleep\": 2}, "
		   "{\"run\": 3}]}}}");
	assert_int_equal(r->specs[0]->nr_steps, 3);
	assert_int_equal(notes.nr, 0);
	rtapp_free(r);
}

static void settings_stick_or_not(void **state)
{
	(void)state;
	struct rtapp *r = parsed(
		"{\"global\": {\"default_policy\": \"SCHED_RR\"}, \"tasks\": {\"a\": {\"loop\": 1, "
		"\"phases\": {\"p\": {\"run\": 1}, \"q\": {\"policy\": \"SCHED_OTHER\", "
		"\"priority\": 3, \"run\": 1}, \"r\": {\"util_max\": 5, \"dl-runtime\": 1, \"run\": 1}, "
		"\"s\": {\"policy\": \"SCHED_FIFO\", \"run\": 1}, \"t\": {\"priority\": 44, \"run\": 1}}}}}");
	const struct task_spec *s = r->specs[0];

	assert_int_equal(s->policy, SCHED_RR);
	assert_int_equal(s->rt_priority, 10);
	is_step(s, 0, STEP_RUN, 1000);
	is_step(s, 1, STEP_SET_POLICY, SCHED_NORMAL);
	is_step(s, 2, STEP_SET_NICE, 3);
	is_step(s, 4, STEP_SET_UCLAMP, ~0ull);
	assert_true(s->steps[4].b == 5);
	is_step(s, 5, STEP_SET_SLICE, 100000);
	assert_non_null(noted("brought within 100 us"));
	is_step(s, 7, STEP_SET_POLICY, SCHED_FIFO);
	assert_true(s->steps[7].b == 10);
	is_step(s, 9, STEP_SET_POLICY, SCHED_FIFO);
	assert_true(s->steps[9].b == 44);
	rtapp_free(r);
}

static void reservations(void **state)
{
	(void)state;
	struct rtapp *r = parsed(
		"{\"tasks\": {\"a\": {\"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": 2000, "
		"\"dl-period\": 20000, \"dl-deadline\": 10000, \"run\": 1}, "
		"\"b\": {\"loop\": 1, \"phases\": {\"p\": {\"run\": 1}, \"q\": {\"policy\": "
		"\"SCHED_DEADLINE\", \"dl-runtime\": 3000, \"dl-period\": 30000, \"run\": 1}}}, "
		"\"c\": {\"policy\": \"SCHED_DEADLINE\", \"runtime\": 1000, \"period\": 5000, "
		"\"phases\": {\"p\": {\"run\": 1}}}}}");
	const struct task_spec *a = r->specs[0], *b = r->specs[1], *c = r->specs[2];

	assert_int_equal(a->policy, SCHED_DEADLINE);
	assert_int_equal(a->dl.runtime, 2000000);
	assert_int_equal(a->dl.deadline, 10000000);
	assert_int_equal(a->dl.period, 20000000);
	assert_int_equal(b->policy, SCHED_NORMAL);
	is_step(b, 1, STEP_SET_POLICY, SCHED_DEADLINE);
	assert_int_equal(b->dl.runtime, 3000000);
	assert_int_equal(b->dl.deadline, 30000000);
	/* The spelling of old. */
	assert_int_equal(c->dl.runtime, 1000000);
	assert_int_equal(c->dl.period, 5000000);
	rtapp_free(r);
}

static void names_of_objects_keep_apart(void **state)
{
	(void)state;
	struct rtapp *r = parsed("{\"tasks\": {\"a\": {\"lock\": \"x\", \"signal\": \"x\", "
				 "\"sem_post\": \"y\", \"unlock\": \"x\", \"run\": 1}}}");
	const struct task_spec *s = r->specs[0];

	assert_string_equal(obj_of(s, 1)->name, "x (mutex)");
	assert_string_equal(obj_of(s, 2)->name, "x (condition)");
	assert_string_equal(obj_of(s, 3)->name, "y");
	rtapp_free(r);
}

static void lost_wakeups_are_told(void **state)
{
	(void)state;
	rtapp_free(parsed("{\"tasks\": {\n\"web\": {\"suspend\": \"\", \"run\": 1},\n"
			  "\"b\": {\"resume\": \"wep\", \"run\": 1, \"signal\": \"nobody\"}}}"));

	const struct note *n = noted("did you mean 'web'?");

	assert_non_null(n);
	assert_true(n->line == 3 && n->col == 7);
	assert_non_null(noted("nothing resumes it"));
	assert_non_null(noted("signal 'nobody': nobody waits"));
}

static void unknown_keys_are_told_once(void **state)
{
	(void)state;
	rtapp_free(parsed(
		"{\"taks\": 1, \"tasks\": {\"a\": {\"run\": 1, \"prioritty\": 1, \"_c\": 1},\n"
		"\"b\": {\"run\": 1, \"prioritty\": 1, \"timer\": {\"ref\": \"unique\", "
		"\"perod\": 1, \"period\": 5}}}, \"global\": {\"durration\": 1, \"frag\": 1}}"));
	assert_non_null(noted("did you mean 'priority'?"));
	assert_non_null(noted("did you mean 'tasks'?"));
	assert_non_null(noted("did you mean 'period'?"));
	assert_non_null(noted("did you mean 'duration'?"));
	assert_int_equal(notes.nr, 4);
}

static void refused(const char *text, enum err_code code, int line, int col, const char *part)
{
	struct rtapp *r;
	struct err err = { 0 };

	if (!rtapp_parse(text, strlen(text), &options, &r, NULL, &err))
		fail_msg("accepted: %s", text);
	assert_null(r);
	if (!strstr(err.msg, part))
		fail_msg("'%s' lacks '%s'", err.msg, part);
	if (err.line != line || err.col != col || err.code != code)
		fail_msg("'%s': code %d at %d:%d, not %d at %d:%d", err.msg, err.code, err.line,
			 err.col, code, line, col);
}

/* A task of one phase 'p' whose members are @members, in line 2 from column 1. */
static void refused_in_phase(const char *members, int col, const char *part)
{
	char *text = xasprintf("{\"tasks\": {\"a\": {\"phases\": {\"p\": {\n%s}}}}}", members);

	refused(text, ERR_USAGE, 2, col, part);
	free(text);
}

static void refusals_name_everything(void **state)
{
	(void)state;
	refused_in_phase("\"run\": true", 8, "task 'a', phase 'p': 'run' is true; a whole number");
	refused_in_phase("\"run\": 1.5", 8, "'run' is the number 1.5");
	refused_in_phase("\"run\": 3000000000", 8, "-2147483647 to 2147483647");
	refused_in_phase("\"sleep\": false", 10, "'sleep' is false");
	refused_in_phase("\"runtime\": \"5\"", 12, "the text '5'");
	refused_in_phase("\"lock\": 5", 9, "a name in double quotes");
	refused_in_phase("\"lock_order\": []", 1, "before 1.0");
	refused_in_phase("\"wait\": \"q\"", 9, "\"mutex\": MUTEX");
	refused_in_phase("\"timer\": {\"ref\": \"u\", \"period\": -1}", 33,
			 "'period' is the number -1");
	refused_in_phase("\"fork\": \"b\"", 9, "no task of this file");
	refused_in_phase("\"fork\": \"a\"", 9, "fork itself");
	refused_in_phase("\"run\": 1, \"cpus\": [4]", 20, "CPUs 0 to 3");
	refused_in_phase("\"run\": 1, \"cpus\": []", 19, "an empty list");
	refused_in_phase("\"run\": 1, \"policy\": \"SCHED_OTHR\"", 21, "did you mean SCHED_OTHER?");
	refused_in_phase("\"run\": 1, \"policy\": \"SCHED_DEADLINE\"", 21, "dl-runtime");
	refused_in_phase("\"run\": 1, \"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": 9000, "
			 "\"dl-period\": 8000",
			 21, "none may be longer");
	refused_in_phase("\"run\": 1, \"priority\": 20", 23, "-20 to 19");
	refused_in_phase("\"run\": 1, \"policy\": \"SCHED_RR\", \"priority\": 0", 45, "1 to 99");
	refused_in_phase("\"run\": 1, \"util_min\": 1025", 23, "from -1 to 1024");
	refused_in_phase("\"run\": 1, \"util_min\": 9, \"util_max\": 8", 23, "above 'util_max'");
	refused_in_phase("\"run\": 1, \"taskgroup\": \"x\"", 24, "a path such as");
	refused_in_phase("\"events\": [{\"rum\": 1}]", 13, "'rum' is no event");
	refused_in_phase("\"memrun\": {\"type\": \"jump\"}", 20, "read, write or chase");
	refused("{\"tasks\": {\"a\": {\"phases\": {\n\"p\": {\"loop\": 1}}}}}", ERR_USAGE, 2, 1,
		"no event");
	refused("{\"tasks\": {\n\"a\": {}}}", ERR_USAGE, 2, 1, "no event");
	refused("{\"tasks\": {\"a\": {\"phases\":\n{}}}}", ERR_USAGE, 2, 1, "'phases' is empty");
	refused("{\"tasks\":\n{}}", ERR_USAGE, 2, 1, "'tasks' is empty");
	refused("{\"tasks\":\n[]}", ERR_USAGE, 2, 1, "'tasks' is a list");
	refused("{\"tasks\": {\"a\":\n 5}}", ERR_USAGE, 2, 2, "task 'a': is the number 5");
	refused("{}", ERR_USAGE, 1, 1, "'tasks' is missing");
	refused("[]", ERR_USAGE, 1, 1, "this is a list");
	refused("{\"schema\": \"x\"}", ERR_USAGE, 1, 1, "--machine");
	refused("{\"tasks\": {\"a\": {\"delay\":\n-1, \"run\": 1}}}", ERR_USAGE, 2, 1, "'delay'");
	refused("{\"tasks\": {\"a\": {\"instance\":\n-1, \"run\": 1}}}", ERR_USAGE, 2, 1,
		"'instance'");
	refused("{\"tasks\": {\"a\": {\n\"exec\": 1, \"period\": 2}}}", ERR_USAGE, 2, 1,
		"before 1.0");
	refused("{\"tasks\": {\"a\": {\"run\": 1}}, \"global\": {\"duration\":\n\"x\"}}", ERR_USAGE,
		2, 1, "'duration'");
	refused("{\"tasks\": {\"a\": {\"run\": 1}}, \"global\": {\"duration\":\n1e12}}", ERR_USAGE,
		2, 1, "'duration'");
	refused("{\"tasks\": {\"\\u001b[2J\": {\"run\":\nnull}}}", ERR_USAGE, 2, 1, "task '?[2J'");
}

static void task_groups(void **state)
{
	(void)state;
	struct rtapp *r = parsed(
		"{\"tasks\": {"
		"\"a\": {\"run\": 1, \"taskgroup\": {\"path\": \"/x/y\", \"cpu.max\": \"20000 50000\","
		" \"cpu.weight\": 50}},"
		"\"b\": {\"run\": 1, \"taskgroup\": {\"path\": \"/x\", \"cpu.max\": \"max 200000\"}},"
		"\"c\": {\"run\": 1, \"taskgroup\": \"/x/y\"},"
		"\"d\": {\"run\": 1, \"taskgroup\": \"\"},"
		"\"e\": {\"phases\": {\"p\": {\"run\": 1, \"taskgroup\": \"/z\"}}}}}");

	assert_string_equal(r->specs[0]->group, "/x/y");
	assert_string_equal(r->specs[2]->group, "/x/y");
	assert_string_equal(r->specs[3]->group, "");
	assert_string_equal(r->specs[4]->group, "");
	assert_non_null(noted("moving to another group within a task"));
	assert_null(noted("cpu.max"));
	/* The one around it comes first. */
	assert_int_equal(r->nr_groups, 2);
	assert_string_equal(r->groups[0].name, "/x");
	assert_true(r->groups[0].has_max);
	assert_true(r->groups[0].quota == ~0ull);
	assert_int_equal(r->groups[0].period, 200 * NSEC_PER_MSEC);
	assert_int_equal(r->groups[0].shares, 0);
	assert_string_equal(r->groups[1].name, "/x/y");
	assert_int_equal(r->groups[1].quota, 20 * NSEC_PER_MSEC);
	assert_int_equal(r->groups[1].period, 50 * NSEC_PER_MSEC);
	assert_int_equal(r->groups[1].shares, 512);
	rtapp_free(r);
#define GROUP(rest)                                                                                \
	"{\"tasks\": {\"a\": {\"run\": 1, \"taskgroup\": {\"path\": \"/x\", " rest "}}}}"
	refused(GROUP("\"cpu.max\":\n5"), ERR_USAGE, 2, 1, "a text such as");
	refused(GROUP("\"cpu.max\":\n\"5\""), ERR_USAGE, 2, 1, "a text such as");
	refused(GROUP("\"cpu.max\":\n\"-5 100000\""), ERR_USAGE, 2, 1, "a text such as");
	refused(GROUP("\"cpu.max\":\n\"5000 100000 7\""), ERR_USAGE, 2, 1, "a text such as");
	refused(GROUP("\"cpu.max\":\n\"50 100000\""), ERR_USAGE, 2, 1, "at least 1000");
	refused(GROUP("\"cpu.max\":\n\"5000 2000000\""), ERR_USAGE, 2, 1, "1000 to 1000000");
	refused(GROUP("\"cpu.weight\":\n0"), ERR_USAGE, 2, 1, "1 to 10000");
#undef GROUP
	refused("{\"tasks\": {\"a\": {\"run\": 1, \"taskgroup\":\n\"/x//y\"}}}", ERR_USAGE, 2, 1,
		"empty part");
}

static void forks_that_return_to_themselves(void **state)
{
	(void)state;
	refused("{\"tasks\": {\"a\": {\"loop\": 1, \"fork\": \"b\"}, \"b\": {\"loop\": 1, \"fork\":\n"
		"\"a\"}}}",
		ERR_USAGE, 2, 1, "fork itself");
	refused("{\"tasks\": {\"a\": {\"fork\": \"b\"}, \"b\": {\"instance\": 0, \"barrier\":\n\"x\"}}}",
		ERR_USAGE, 1, 53, "use a semaphore");
}

static void limits_have_messages(void **state)
{
	(void)state;
	refused("{\"tasks\": {\"a\": {\"run\": 1, \"instance\":\n2000000000}}}", ERR_LIMIT, 2, 1,
		"4096 threads");
	refused("{\"tasks\": {\"a\": {\"run\": 1, \"instance\": 4000}, \"b\": {\"run\": 1, "
		"\"instance\":\n97}}}",
		ERR_LIMIT, 2, 1, "4096 threads");

	/* 65537 events. */
	const char *head = "{\"tasks\": {\"a\": {\"loop\": 1, \"events\": [\n",
		   *one = "{\"run\": 1},";
	size_t n = RTAPP_MAX_EVENTS + 1, len = strlen(one), at = strlen(head);
	char *text = xcalloc(at + n * len + 8, 1);

	memcpy(text, head, at);
	for (size_t i = 0; i < n; i++, at += len)
		memcpy(text + at, one, len);
	memcpy(text + at, "]}}}", 4);
	refused(text, ERR_LIMIT, 2, (int)(RTAPP_MAX_EVENTS * len) + 2, "65536 events");
	free(text);

	/* Each task forks every later one: a small file that would unfold into a huge tree. */
	char big[16384];
	size_t used = (size_t)snprintf(big, sizeof(big), "{\"tasks\": {");

	for (int t = 0; t < 20; t++) {
		used += (size_t)snprintf(big + used, sizeof(big) - used, "\"t%d\": {\"run\": 1", t);
		for (int u = t + 1; u < 20; u++)
			used += (size_t)snprintf(big + used, sizeof(big) - used,
						 ", \"fork\": \"t%d\"", u);
		used += (size_t)snprintf(big + used, sizeof(big) - used, "},");
	}
	snprintf(big + used, sizeof(big) - used, "}}");

	struct rtapp *r;
	struct err err = { 0 };

	assert_int_equal(rtapp_parse(big, strlen(big), &options, &r, NULL, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
}

static void cut_and_changed_files_are_survived(void **state)
{
	(void)state;
	char *path = data_path("tests/data/rtapp-all-events.json"), *buf;
	struct err err = { 0 };
	size_t len;

	assert_int_equal(read_file(path, 1 << 20, &buf, &len, &err), 0);
	while (len && buf[len - 1] != '}')
		len--;
	for (size_t i = 0; i < len; i++) {
		for (int kind = 0; kind < 5; kind++) {
			size_t n = kind ? len : i;
			char *copy = malloc(n ? n : 1);
			struct rtapp *r;
			int ret;

			memcpy(copy, buf, n);
			if (kind)
				copy[i] = "x\"{,9"[kind];
			err = (struct err){ 0 };
			note_list_fini(&notes);
			ret = rtapp_parse(copy, n, &options, &r, &notes, &err);
			if (ret)
				assert_true(err.code && err.line > 0 && err.msg[0]);
			else
				assert_true(kind);
			rtapp_free(r);
			free(copy);
		}
	}
	free(buf);
	free(path);
}

static int drop_notes(void **state)
{
	(void)state;
	note_list_fini(&notes);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_tasks_file),
		cmocka_unit_test(every_event),
		cmocka_unit_test(loops_of_tasks_and_phases),
		cmocka_unit_test(duplicates_in_both_ways),
		cmocka_unit_test(settings_stick_or_not),
		cmocka_unit_test(reservations),
		cmocka_unit_test(names_of_objects_keep_apart),
		cmocka_unit_test(lost_wakeups_are_told),
		cmocka_unit_test(unknown_keys_are_told_once),
		cmocka_unit_test(refusals_name_everything),
		cmocka_unit_test(task_groups),
		cmocka_unit_test(forks_that_return_to_themselves),
		cmocka_unit_test(limits_have_messages),
		cmocka_unit_test(cut_and_changed_files_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, drop_notes);
}
