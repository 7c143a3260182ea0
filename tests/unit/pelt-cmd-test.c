/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pelt-cmd-test.c - timelines in CSV: what is read, what is refused and where, what comes out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/pelt_cmd.h"
#include "engine/base/rng.h"

#define NAMES "t_us,cpu,task,state\n"

static int parse(struct pelt_timeline *tl, const char *text, struct err *err)
{
	size_t len = strlen(text);
	char *copy = malloc(len + 1);
	int bad;

	assert_non_null(copy);
	memcpy(copy, text, len + 1);
	*err = (struct err){ 0 };
	bad = pelt_csv_parse(tl, copy, len, "f.csv", err);
	free(copy);
	assert_int_equal(bad != 0, err->code != ERR_NONE);
	return bad;
}

/* The output for @text; free it. */
static char *output(const char *text, struct pelt_settings set)
{
	struct pelt_timeline tl;
	struct err err;
	char *out = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&out, &len);

	assert_non_null(f);
	if (parse(&tl, text, &err) || pelt_write(&tl, &set, f, &err))
		fail_msg("%s", err.msg);
	fclose(f);
	pelt_timeline_free(&tl);
	return out;
}

struct values {
	unsigned long long util, runnable, load, est;
};

/* The last row of @task at @t_us, or before. */
static struct values row_at(const char *out, double t_us, const char *task)
{
	struct values found = { 0 }, v;
	bool any = false;
	char name[32];
	double t;

	for (const char *p = strchr(out, '\n') + 1; *p; p = strchr(p, '\n') + 1) {
		assert_int_equal(sscanf(p, "%lf,%31[^,],%llu,%llu,%llu,%llu", &t, name, &v.util,
					&v.runnable, &v.load, &v.est),
				 6);
		if (t <= t_us && !strcmp(name, task)) {
			found = v;
			any = true;
		}
	}
	assert_true(any);
	return found;
}

static void whole_output_is_stable(void **state)
{
	char *out = output("# a comment\r\n" NAMES "0,0,A,run\n2000,0,B,wait\n10000,0,A,sleep\n"
			   "10000,0,B,run\n\n 16000.5 , 0 , \"B\" , sleep \n",
			   (struct pelt_settings){ 0 });

	(void)state;
	/*
	 * Ticks at 4, 8, 12, 16 ms. 10 ms of running are 9 whole periods of 1.048576 ms and more.
	 * B waits first: only runnable_avg and load_avg rise. Estimates come from the last tick.
	 */
	assert_string_equal(out, "t_us,task,util_avg,runnable_avg,load_avg,util_est\n"
				 "0,A,0,0,0,0\n2000,B,0,0,0,0\n4000,A,81,81,81,0\n"
				 "8000,A,156,156,156,0\n10000,A,191,191,191,156\n"
				 "10000,B,0,155,155,0\n12000,B,41,191,191,0\n"
				 "16000,B,119,257,257,0\n16000.500,B,119,257,257,119\n");
	free(out);
}

static void averages_halve_in_the_half_life(void **state)
{
	/* 32 periods of 1048.576 us are the half-life. */
	static const char text[] = NAMES "0,0,A,run\n400000,0,A,sleep\n";
	char *out = output(text, (struct pelt_settings){ .sample = 33554432 });

	(void)state;
	assert_in_range(row_at(out, 33554.432, "A").util, 510, 513);
	assert_in_range(row_at(out, 400000, "A").util, 1020, 1024);
	free(out);
	out = output(NAMES "0,0,A,run\n400000,0,A,sleep\n433554.432,0,A,run\n",
		     (struct pelt_settings){ 0 });
	assert_in_range(row_at(out, 433554.432, "A").util, 509, 512);
	free(out);
}

/* Shorter half-lives are the same averages of a faster clock. */
static void half_life_scales_time(void **state)
{
	static const char *const rows[] = {
		NAMES "0,0,A,run\n40000,0,A,sleep\n60000,0,A,run\n66000,0,A,sleep\n80000,0,A,run\n",
		NAMES "0,0,A,run\n20000,0,A,sleep\n30000,0,A,run\n33000,0,A,sleep\n40000,0,A,run\n",
		NAMES "0,0,A,run\n10000,0,A,sleep\n15000,0,A,run\n16500,0,A,sleep\n20000,0,A,run\n",
	};
	static const u32 half_life[] = { 32, 16, 8 }, hz[] = { 125, 250, 500 };
	struct values want = { 0 };

	(void)state;
	for (u32 i = 0; i < 3; i++) {
		char *out = output(rows[i], (struct pelt_settings){ .half_life_ms = half_life[i],
								    .hz = hz[i] });
		struct values v = row_at(out, 80000, "A");

		if (!i)
			want = v;
		assert_memory_equal(&v, &want, sizeof(v));
		assert_true(v.util > 0 && v.est > v.util);
		free(out);
	}
}

/* Half the capacity or half the frequency is half the time, and the rest shows as idle. */
static void slow_cpus_do_less(void **state)
{
	char *full = output("t_us,cpu,task,state,capacity,freq_scale\n0,0,A,run,,\n"
			    "4096,0,A,sleep,,\n",
			    (struct pelt_settings){ .hz = 10 });
	char *half = output("t_us,cpu,task,state,capacity,freq_scale\n0,0,A,run,512,1024\n"
			    "8192,0,A,sleep,,\n",
			    (struct pelt_settings){ .hz = 10 });
	char *freq = output("freq_scale,t_us,cpu,task,state,capacity\n256,0,0,A,run,\n"
			    ",16384,0,A,sleep,\n",
			    (struct pelt_settings){ .hz = 10 });

	(void)state;
	assert_true(row_at(full, 1e9, "A").util > 70);
	assert_int_equal(row_at(full, 1e9, "A").util, row_at(half, 1e9, "A").util);
	assert_int_equal(row_at(full, 1e9, "A").util, row_at(freq, 1e9, "A").util);
	free(full);
	free(half);
	free(freq);
}

static void change_of_speed_ends_a_step(void **state)
{
	/* 4 ms at full speed, 8 at half: 8 ms of work. */
	char *out = output("t_us,cpu,task,state,capacity\n0,0,A,run,1024\n4000,0,A,run,512\n"
			   "12000,0,A,sleep,\n",
			   (struct pelt_settings){ .hz = 10 });
	char *one = output(NAMES "0,0,A,run\n8000,0,A,sleep\n", (struct pelt_settings){ .hz = 10 });

	(void)state;
	assert_int_equal(row_at(out, 1e9, "A").util, row_at(one, 1e9, "A").util);
	free(out);
	free(one);
}

/* A big activation, then small ones that wait 6 ms behind another task before they run. */
static char *waiting_task(const char *rule, const char *kernel)
{
	char text[8192];
	int len = snprintf(text, sizeof(text), NAMES "0,0,B,run\n16000,0,B,sleep\n");

	for (int i = 1; i < 40; i++) {
		int t = 16000 * i + 32000;

		len += snprintf(text + len, sizeof(text) - (size_t)len,
				"%d,0,A,run\n%d,0,B,wait\n%d,0,A,sleep\n%d,0,B,run\n%d,0,B,sleep\n",
				t, t, t + 6000, t + 6000, t + 7000);
	}
	return output(text, (struct pelt_settings){ .rule = rule, .profile = kernel });
}

static void rules_differ_as_they_should(void **state)
{
	char *runnable = waiting_task("runnable", NULL), *plain = waiting_task(NULL, NULL),
	     *aware = waiting_task("idle-aware", NULL), *revert = waiting_task("revert", NULL),
	     *old = waiting_task(NULL, "v6.1"), *pair = waiting_task("v5.4", "v6.1");
	u64 first = row_at(runnable, 16000, "B").est;

	(void)state;
	assert_in_range(first, 200, 310);
	/* Held while the task waits; the CPU has idle time, so the others let it fall. */
	assert_int_equal(row_at(runnable, 1e9, "B").est, first);
	assert_true(row_at(aware, 1e9, "B").est < 120);
	assert_true(row_at(revert, 1e9, "B").est < 120);
	assert_string_equal(runnable, plain);
	assert_true(row_at(old, 1e9, "B").est < 120);
	assert_string_equal(old, pair);
	/* v6.1 ages the task first: the estimate is that of the dequeue, not of the last tick. */
	assert_int_equal(row_at(old, 16000, "B").est, row_at(old, 16000, "B").util);
	free(runnable);
	free(plain);
	free(aware);
	free(revert);
	free(old);
	free(pair);
}

static void rows_of_one_time_are_one_instant(void **state)
{
	static const char *const same[] = {
		NAMES
		"0,0,A,run\n0,0,B,wait\n5000,0,A,wait\n5000,0,B,run\n9000,0,B,sleep\n9000,0,A,run\n"
		"12000,0,A,sleep\n",
		NAMES
		"0,0,B,wait\n0,0,A,run\n5000,0,B,run\n5000,0,A,wait\n9000,0,A,run\n9000,0,B,sleep\n"
		"12000,0,A,sleep\n",
	};
	char *one = output(same[0], (struct pelt_settings){ 0 });
	char *two = output(same[1], (struct pelt_settings){ 0 });

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct values a = row_at(one, 1e9, i ? "A" : "B"),
			      b = row_at(two, 1e9, i ? "A" : "B");

		assert_memory_equal(&a, &b, sizeof(a));
	}
	free(one);
	free(two);
	/* A sleep of no length still updates the estimate. */
	one = output(NAMES "0,0,A,run\n12000,0,A,sleep\n12000,0,A,run\n13000,0,A,run\n",
		     (struct pelt_settings){ 0 });
	assert_true(row_at(one, 12000, "A").est > 200);
	free(one);
}

static void tasks_move_between_cpus(void **state)
{
	/* Running, waiting or asleep, the averages go along. */
	char *out = output(NAMES
			   "0,3,A,run\n20000,9,A,run\n40000,3,A,wait\n40000,3,B,run\n"
			   "40000,9,A,wait\n44000,3,A,sleep\n60000,7,A,run\n64000,7,A,sleep\n",
			   (struct pelt_settings){ 0 });

	(void)state;
	assert_in_range(row_at(out, 20000, "A").util, 340, 370);
	assert_in_range(row_at(out, 40000, "A").util, 570, 600);
	/* 16 ms asleep and 4 ms waiting, then 4 ms of running. */
	assert_in_range(row_at(out, 60000, "A").util, 360, 400);
	assert_true(row_at(out, 64000, "A").util > row_at(out, 60000, "A").util);
	free(out);
}

static void new_tasks_start_with_a_guess(void **state)
{
	struct pelt_settings set = { .new_tasks = true };
	char *out = output(NAMES "0,0,A,run\n0,1,B,sleep\n", set);

	(void)state;
	/* Half of what the CPU has left. */
	assert_int_equal(row_at(out, 0, "A").util, 512);
	assert_int_equal(row_at(out, 0, "A").load, 1024);
	assert_int_equal(row_at(out, 0, "B").util, 0);
	free(out);
	out = output("nice,t_us,cpu,task,state\n-5,0,0,A,run\n", set);
	assert_int_equal(row_at(out, 0, "A").load, 3121);
	free(out);
	out = output("nice,t_us,cpu,task,state\n,0,0,A,run\n,400000,0,A,run\n5,400000,0,A,run\n"
		     ",404000,0,A,run\n",
		     set);
	assert_in_range(row_at(out, 400000, "A").load, 333, 335);
	free(out);
}

static void samples_are_of_their_time(void **state)
{
	char *out = output(NAMES "0,0,A,run\n20000,0,A,sleep\n90000,1,B,sleep\n",
			   (struct pelt_settings){ .sample = 10000000 });
	u64 before = ~0ull;

	(void)state;
	for (int t = 30000; t <= 90000; t += 10000) {
		u64 util = row_at(out, t, "A").util;

		assert_true(util < before);
		before = util;
	}
	assert_null(strstr(out, "100000,"));
	assert_null(strstr(out, "0,A,0,0,0,0\n0,A,0,0,0,0"));
	free(out);
}

static void names_are_quoted_where_they_must_be(void **state)
{
	char *out = output(NAMES "0,0,\"a,\"\"b\"\"\",run\n0,1,\xc3\xa9,run\n",
			   (struct pelt_settings){ 0 });

	(void)state;
	assert_non_null(strstr(out, "\n0,\"a,\"\"b\"\"\",0,0,0,0\n0,\xc3\xa9,0"));
	free(out);
}

static void errors_say_where_and_what(void **state)
{
	static const struct {
		const char *text;
		int line, col;
		const char *says;
	} bad[] = {
		{ "", 1, 1, "t_us,cpu,task,state" },
		{ "# nothing\n", 1, 1, "first one names" },
		{ NAMES, 1, 1, "no rows" },
		{ "t_us,cpu,task,stat\n", 1, 15, "did you mean 'state'" },
		{ "t_us,cpu,task,state,cpu\n", 1, 21, "twice" },
		{ "t_us,cpu,state\n", 1, 1, "no column 'task'" },
		{ "t_us,cpu,task,state,wibble\n", 1, 21, "leave it out" },
		{ NAMES "0,0,A\n", 2, 5, "has 4" },
		{ NAMES "0,0,A,run,\n", 2, 11, "has 4" },
		{ NAMES "x,0,A,run\n", 2, 1, "1500.250" },
		{ NAMES ",0,A,run\n", 2, 1, "found ''" },
		{ NAMES "-1,0,A,run\n", 2, 1, "from 0 to" },
		{ NAMES "1e3,0,A,run\n", 2, 1, "from 0 to" },
		{ NAMES "1.,0,A,run\n", 2, 1, "from 0 to" },
		{ NAMES "1.0001,0,A,run\n", 2, 1, "three decimals" },
		{ NAMES "1000000000000.001,0,A,run\n", 2, 1, "from 0 to" },
		{ NAMES "99999999999999999999999999999,0,A,run\n", 2, 1, "from 0 to" },
		{ NAMES "5,0,A,run\n\n# x\n4.999,0,A,sleep\n", 5, 1, "after 5.000 in line 2" },
		{ NAMES "0,-1,A,run\n", 2, 3, "from 0 to 4095" },
		{ NAMES "0,4096,A,run\n", 2, 3, "from 0 to 4095" },
		{ NAMES "0,18446744073709551616,A,run\n", 2, 3, "from 0 to 4095" },
		{ NAMES "0,0,,run\n", 2, 5, "1 to 31" },
		{ NAMES "0,0,12345678901234567890123456789012,run\n", 2, 5, "of 32 bytes" },
		{ NAMES "0,0,a\033[2J,run\n", 2, 5, "a?[2J" },
		{ NAMES "0,0,a\xe2\x80\xae,run\n", 2, 5, "cannot be shown" },
		{ NAMES "0,0,\xff,run\n", 2, 5, "cannot be shown" },
		{ NAMES "0,0,A,rum\n", 2, 7, "did you mean 'run'" },
		{ NAMES "0,0,A,RUN \n", 2, 7, "found 'RUN'" },
		{ NAMES "0,0,\"A,run\n", 2, 5, "close it" },
		{ NAMES "0,0,\"A\"b,run\n", 2, 5, "only a comma" },
		{ NAMES "0,0,A,run\n5,0,B,run\n", 3, 1, "'A' runs there since line 2" },
		{ NAMES "0,0,A,run\n0,0,B,run\n9,0,A,sleep\n", 3, 1,
		  "'A' runs there since line 2" },
		{ "t_us,cpu,task,state,capacity\n0,0,A,run,0\n", 2, 11, "1 to 1024" },
		{ "t_us,cpu,task,state,freq_scale\n0,0,A,run,1025\n", 2, 11, "as freq_scale" },
		{ "t_us,cpu,task,state,nice\n0,0,A,run,20\n", 2, 11, "-20 to 19" },
		{ "t_us,cpu,task,state,nice\n0,0,A,run,--1\n", 2, 11, "-20 to 19" },
		{ "t_us,cpu,task,state,nice\n0,0,A,run,-21\n", 2, 11, "-20 to 19" },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pelt_timeline tl;
		struct err err;
		char place[32];

		if (!parse(&tl, bad[i].text, &err))
			fail_msg("case %u was taken", i);
		snprintf(place, sizeof(place), "f.csv:%d:%d: found ", bad[i].line, bad[i].col);
		if (strncmp(err.msg, place, strlen(place)) || !strstr(err.msg, bad[i].says))
			fail_msg("case %u: %s", i, err.msg);
		assert_int_equal(err.line, bad[i].line);
		assert_int_equal(err.col, bad[i].col);
		assert_null(strchr(err.msg, '\033'));
		pelt_timeline_free(&tl);
	}
}

/* @nr rows of the same shape. */
static char *many(const char *fmt, u32 nr)
{
	char *text = malloc(64 + (size_t)nr * 40), *p = text;

	assert_non_null(text);
	p += sprintf(p, NAMES);
	for (u32 i = 0; i < nr; i++) {
		if (strchr(fmt, 'T'))
			p += sprintf(p, "%u,0,T%u,wait\n", i, i);
		else
			p += sprintf(p, "%u,%u,t%u,run\n", i, i, i);
	}
	return text;
}

static void limits_have_their_messages(void **state)
{
	struct pelt_timeline tl;
	struct err err;
	char *text = many("T", PELT_CSV_TASKS);

	(void)state;
	assert_int_equal(parse(&tl, text, &err), 0);
	assert_int_equal(tl.nr_tasks, PELT_CSV_TASKS);
	pelt_timeline_free(&tl);
	free(text);
	text = many("T", PELT_CSV_TASKS + 1);
	assert_int_equal(parse(&tl, text, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.msg, "4096"));
	pelt_timeline_free(&tl);
	free(text);
	text = many("C", PELT_CSV_CPUS + 1);
	assert_int_equal(parse(&tl, text, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.msg, "256"));
	pelt_timeline_free(&tl);
	free(text);
	text = malloc(4096);
	assert_non_null(text);
	memset(text, ',', 4095);
	text[4095] = '\0';
	assert_int_equal(parse(&tl, text, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	pelt_timeline_free(&tl);
	free(text);

	struct pelt_settings set = { .sample = 1 };

	assert_int_equal(parse(&tl, NAMES "0,0,A,run\n999999999999.999,0,A,sleep\n", &err), 0);
	assert_int_equal(pelt_write(&tl, &set, stdout, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.msg, "--sample"));
	set = (struct pelt_settings){ .hz = 1000 };
	err = (struct err){ 0 };
	assert_int_equal(pelt_write(&tl, &set, stdout, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.msg, "--hz"));
	set = (struct pelt_settings){ .rule = "runable" };
	err = (struct err){ 0 };
	assert_int_equal(pelt_write(&tl, &set, stdout, &err), -1);
	assert_non_null(strstr(err.msg, "did you mean 'runnable'"));
	pelt_timeline_free(&tl);
}

/* Any bytes: an answer or an error, never a crash; most cases stay near a valid file. */
static void any_bytes_are_answered(void **state)
{
	static const char good[] = NAMES "0,0,A,run\n2000,0,B,wait\n3000,1,A,run\n3000,0,B,run\n"
					 "9000.5,0,B,sleep\n9000.5,1,A,wait\n9500,0,A,run\n";
	static const char junk[] = ",,\n\n\"#.-0123456789AB\r\t \xff\x01run sleep wait";
	u64 draws = 0, taken = 0;

	(void)state;
	for (u32 i = 0; i < 4000; i++) {
		char text[sizeof(good)];
		struct pelt_timeline tl;
		struct err err = { 0 };

		memcpy(text, good, sizeof(good));
		for (u64 k = rng_at(7, draws++) % 4; k-- > 0;) {
			char *at = &text[rng_at(7, draws++) % (sizeof(good) - 1)];

			*at = junk[rng_at(7, draws++) % (sizeof(junk) - 1)];
		}
		if (!pelt_csv_parse(&tl, text, sizeof(good) - 1, "-", &err)) {
			struct pelt_settings set = { .sample = 1000000 };
			char *out = NULL;
			size_t len;
			FILE *f = open_memstream(&out, &len);

			/* A digit that moved can make it long; then a limit says no. */
			if (pelt_write(&tl, &set, f, &err))
				assert_int_equal(err.code, ERR_LIMIT);
			fclose(f);
			free(out);
			taken++;
		} else {
			assert_true(err.line > 0 && err.col > 0);
			assert_non_null(strstr(err.msg, "found "));
		}
		pelt_timeline_free(&tl);
	}
	assert_true(taken > 500 && taken < 3500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_output_is_stable),
		cmocka_unit_test(averages_halve_in_the_half_life),
		cmocka_unit_test(half_life_scales_time),
		cmocka_unit_test(slow_cpus_do_less),
		cmocka_unit_test(change_of_speed_ends_a_step),
		cmocka_unit_test(rules_differ_as_they_should),
		cmocka_unit_test(rows_of_one_time_are_one_instant),
		cmocka_unit_test(tasks_move_between_cpus),
		cmocka_unit_test(new_tasks_start_with_a_guess),
		cmocka_unit_test(samples_are_of_their_time),
		cmocka_unit_test(names_are_quoted_where_they_must_be),
		cmocka_unit_test(errors_say_where_and_what),
		cmocka_unit_test(limits_have_their_messages),
		cmocka_unit_test(any_bytes_are_answered),
	};

	return cmocka_run_group_tests_name("pelt command", tests, NULL, NULL);
}
