/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd_task.c - commands on tasks: spawn, kill, nice, affinity, migrate, uclamp, class.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/settings.h"
#include "app/text.h"
#include "app/units.h"
#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/sched/dl.h"
#include "engine/sched/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct spawn {
	struct task_spec *spec;
	u64 duty_milli; /* duty in 1/1000 % */
	u64 period;
	struct strbuf lua; /* extra fields of the Lua line */
};

static int parse_duty(const char *text, u64 *milli, struct err *err)
{
	u64 whole = 0, frac = 0, unit = 1000;
	const char *p = text;
	char clean[40];

	for (; *p >= '0' && *p <= '9' && whole < 1000; p++)
		whole = whole * 10 + (u64)(*p - '0');
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && unit > 1; p++)
			frac += (u64)(*p - '0') * (unit /= 10);
	*milli = whole * 1000 + frac;
	if (*p == '%')
		p++;
	if (p == text || *p || !*milli || *milli > 100000) {
		text_clean(clean, sizeof(clean), text);
		return err_set(err, ERR_USAGE, "'%s' is no duty: above 0 up to 100%% of the period",
			       clean);
	}
	return 0;
}

static int spawn_field(struct cmd_call *c, struct spawn *sp, const char *key, const char *value)
{
	struct task_spec *spec = sp->spec;
	u32 nr_cpus = c->app->sim->g->nr_cpus;
	s64 v;

	if (!strcmp(key, "nice")) {
		if (parse_count(value, -20, 19, &v, "nice value", c->err))
			return -1;
		spec->nice = (s8)v;
		strbuf_printf(&sp->lua, ", nice = %lld", (long long)v);
	} else if (!strcmp(key, "instances")) {
		if (parse_count(value, 1, 100000, &v, "number of instances", c->err))
			return -1;
		spec->instances = (u32)v;
		strbuf_printf(&sp->lua, ", instances = %lld", (long long)v);
	} else if (!strcmp(key, "fifo") || !strcmp(key, "rr")) {
		if (parse_count(value, 1, 99, &v, "real-time priority", c->err))
			return -1;
		spec->policy = !strcmp(key, "fifo") ? SCHED_FIFO : SCHED_RR;
		spec->rt_priority = (u8)v;
		strbuf_printf(&sp->lua, ", policy = \"%s\", priority = %lld", key, (long long)v);
	} else if (!strcmp(key, "deadline")) {
		const char *slash = strchr(value, '/');
		size_t n = slash ? (size_t)(slash - value) : strlen(value);

		if (!slash)
			return err_set(
				c->err, ERR_USAGE,
				"deadline takes RUNTIME/PERIOD, for instance deadline=5ms/20ms");
		if (parse_time(value, n, &spec->dl.runtime, c->err) ||
		    parse_time(slash + 1, strlen(slash + 1), &spec->dl.period, c->err) ||
		    dl_params_check(&spec->dl, "spawn", c->err))
			return -1;
		spec->policy = SCHED_DEADLINE;
		strbuf_printf(&sp->lua,
			      ", policy = \"deadline\", runtime = \"%.*s\", period = \"%s\"",
			      (int)n, value, slash + 1);
	} else if (!strcmp(key, "cpus")) {
		u64 *words;
		int m;

		if (parse_cpus(value, nr_cpus, &words, c->err))
			return -1;
		m = spec_mask(spec, words, cpumask_words(nr_cpus), c->err);
		free(words);
		if (m < 0)
			return -1;
		spec->cpus = (u32)m;
		strbuf_printf(&sp->lua, ", cpus = \"%s\"", value);
	} else {
		char clean[40];

		text_clean(clean, sizeof(clean), key);
		return err_set(
			c->err, ERR_USAGE,
			"spawn knows no '%s'; it takes nice= cpus= instances= fifo= rr= deadline=",
			clean);
	}
	return 0;
}

/* loop { run; timer }, as rt-app's periodic tasks; 100 % is a task that never sleeps. */
static int spawn_program(struct spawn *sp, struct err *err)
{
	struct task_spec *spec = sp->spec;
	u64 run = (u64)((u128)sp->period * sp->duty_milli / 100000);
	int timer;

	if (sp->duty_milli == 100000)
		return spec_step(spec, STEP_RUN, 0, NONE, ~0ull, 0, err) < 0 ? -1 : 0;
	timer = spec_obj(spec, "timer", SYNC_TIMER, true, err);
	if (timer < 0 || spec_open(spec, STEP_LOOP, 0, err) < 0 ||
	    spec_step(spec, STEP_RUN, 0, NONE, run ? run : 1, 0, err) < 0 ||
	    spec_step(spec, STEP_TIMER, STEP_F_LOCAL, (u32)timer, sp->period, 0, err) < 0)
		return -1;
	return spec_close(spec, err) < 0 ? -1 : 0;
}

int cmd_spawn(struct cmd_call *c)
{
	struct spawn sp = { 0 };
	u64 serial = 0;
	int ret = -1;
	char duty[40];

	if (!c->app->sim)
		return err_set(c->err, ERR_USAGE, "nothing is loaded");
	if (strlen(c->argv[0]) >= TASK_COMM_LEN || !*c->argv[0])
		return err_set(c->err, ERR_USAGE, "a task's name has 1 .. %d bytes",
			       TASK_COMM_LEN - 1);
	if (parse_duty(c->argv[1], &sp.duty_milli, c->err) ||
	    parse_time(c->argv[2], strlen(c->argv[2]), &sp.period, c->err))
		return -1;
	if (!sp.period || sp.period > 3600 * NSEC_PER_SEC)
		return err_set(c->err, ERR_USAGE, "the period is above 0 and at most one hour");
	sp.spec = task_spec_new(c->argv[0]);
	if (!sp.spec)
		return err_set(c->err, ERR_LIMIT, "no memory for a task's description");
	for (int i = 3; i < c->argc; i++) {
		char *eq = strchr(c->argv[i], '=');

		if (!eq) {
			err_set(c->err, ERR_USAGE,
				"spawn takes NAME=VALUE after the period: nice= "
				"cpus= instances= fifo= rr= deadline=");
			goto out;
		}
		*eq = '\0';
		if (spawn_field(c, &sp, c->argv[i], eq + 1))
			goto out;
	}
	if (spawn_program(&sp, c->err))
		goto out;

	struct sim_input in = { .kind = INPUT_SPAWN, .spec = sp.spec };

	if (app_input(c->app, &in, &serial, c->err))
		goto out;
	snprintf(duty, sizeof(duty), "%llu.%03llu", (unsigned long long)(sp.duty_milli / 1000),
		 (unsigned long long)(sp.duty_milli % 1000));
	for (size_t n = strlen(duty); duty[n - 1] == '0' || duty[n - 1] == '.'; n--) {
		bool point = duty[n - 1] == '.';

		duty[n - 1] = '\0';
		if (point)
			break;
	}
	command_lua(c,
		    "task.spawn { name = \"%s\"%s, program = periodic { period = \"%s\", duty = "
		    "%s } }",
		    c->argv[0], strbuf_str(&sp.lua), c->argv[2], duty);
	ret = 0;
out:
	task_spec_free(sp.spec);
	strbuf_fini(&sp.lua);
	return ret;
}

/* An input about one task, with its serial filled in; shows "sched.task["NAME"]:@lua". */
static int task_input(struct cmd_call *c, struct sim_input *in, const char *lua)
{
	u64 serial;

	if (find_task(c->app, c->argv[0], &serial, c->err))
		return -1;
	in->serial = serial;
	if (app_input(c->app, in, NULL, c->err))
		return -1;
	if (c->argv[0][0] != '#')
		command_lua(c, "sched.task[\"%s\"]:%s", c->argv[0], lua);
	return 0;
}

int cmd_kill(struct cmd_call *c)
{
	struct sim_input in = { .kind = INPUT_KILL };

	return task_input(c, &in, "kill()");
}

int cmd_nice(struct cmd_call *c)
{
	struct sim_input in = { .kind = INPUT_SET_NICE };
	char lua[40];

	if (parse_count(c->argv[1], -20, 19, &in.a, "nice value", c->err))
		return -1;
	snprintf(lua, sizeof(lua), "set_nice(%lld)", (long long)in.a);
	return task_input(c, &in, lua);
}

int cmd_affinity(struct cmd_call *c)
{
	struct sim_input in = { .kind = INPUT_SET_CPUS };
	u64 *words;
	char lua[80];
	int ret;

	if (!c->app->sim)
		return err_set(c->err, ERR_USAGE, "nothing is loaded");
	if (parse_cpus(c->argv[1], c->app->sim->g->nr_cpus, &words, c->err))
		return -1;
	in.words = words;
	snprintf(lua, sizeof(lua), "set_cpus(\"%.60s\")", c->argv[1]);
	ret = task_input(c, &in, lua);
	free(words);
	return ret;
}

/* The simulation passes over a move that is not possible; a user is told, unless a change is on its way. */
static int may_migrate(struct cmd_call *c, cpu_id cpu)
{
	const struct sim *s = c->app->sim;
	char cpus[64], clean[TASK_COMM_LEN * 3];
	u64 serial;

	if (find_task(c->app, c->argv[0], &serial, c->err))
		return -1;

	task_id p = sim_find_task(s, serial);

	if (p == NONE || s->journal.applied < s->journal.nr || cpu_allowed(s, &s->tasks[p], cpu))
		return 0;
	text_clean(clean, sizeof(clean), s->tasks[p].comm);
	if (s->rqs[cpu].mode == CPU_OFFLINE)
		return err_set(c->err, ERR_USAGE,
			       "CPU %u is offline; 'cpu %u online' brings it back", cpu, cpu);
	cpumask_format(mask_get(s, s->tasks[p].cpus), s->g->mask_words, cpus, sizeof(cpus));
	return err_set(
		c->err, ERR_USAGE,
		"task '%s' may not use CPU %u, only %s; 'affinity' or its group changes that",
		clean, cpu, cpus);
}

int cmd_migrate(struct cmd_call *c)
{
	struct sim_input in = { .kind = INPUT_MIGRATE };
	char lua[40];

	if (!c->app->sim)
		return err_set(c->err, ERR_USAGE, "nothing is loaded");
	if (parse_count(c->argv[1], 0, (s64)c->app->sim->g->nr_cpus - 1, &in.a, "CPU", c->err) ||
	    may_migrate(c, (cpu_id)in.a))
		return -1;
	snprintf(lua, sizeof(lua), "migrate(%lld)", (long long)in.a);
	return task_input(c, &in, lua);
}

int cmd_uclamp(struct cmd_call *c)
{
	struct sim_input in = { .kind = INPUT_SET_UCLAMP };
	char lua[60];

	if (parse_count(c->argv[1], 0, 1024, &in.a, "clamp", c->err) ||
	    parse_count(c->argv[2], in.a, 1024, &in.b, "upper clamp", c->err))
		return -1;
	snprintf(lua, sizeof(lua), "set_uclamp(%lld, %lld)", (long long)in.a, (long long)in.b);
	return task_input(c, &in, lua);
}

/* class TASK deadline RUNTIME PERIOD [DEADLINE] */
static int class_deadline(struct cmd_call *c)
{
	struct sim_input in = { .kind = INPUT_SET_DEADLINE };
	struct dl_params dl = { 0 };
	u64 *const out[] = { &dl.runtime, &dl.period, &dl.deadline };
	static const char *const names[] = { "runtime", "period", "deadline" };
	char lua[160] = "set_deadline {";

	if (c->argc < 4)
		return err_set(
			c->err, ERR_USAGE,
			"class deadline needs a runtime and a period, for instance 5ms 20ms");
	for (int i = 2; i < c->argc; i++) {
		size_t n = strlen(lua);

		if (parse_time(c->argv[i], strlen(c->argv[i]), out[i - 2], c->err))
			return -1;
		snprintf(lua + n, sizeof(lua) - n, "%s %s = \"%.20s\"", i > 2 ? "," : "",
			 names[i - 2], c->argv[i]);
	}
	if (dl_params_check(&dl, c->argv[0], c->err))
		return -1;
	in.a = (s64)dl.runtime;
	in.b = (s64)dl.deadline;
	in.c = (s64)dl.period;
	snprintf(lua + strlen(lua), sizeof(lua) - strlen(lua), " }");
	return task_input(c, &in, lua);
}

int cmd_class(struct cmd_call *c)
{
	static const struct {
		const char *name;
		int policy;
	} classes[] = { { "normal", SCHED_NORMAL },
			{ "batch", SCHED_BATCH },
			{ "idle", SCHED_IDLE },
			{ "fifo", SCHED_FIFO },
			{ "rr", SCHED_RR } };
	struct sim_input in = { .kind = INPUT_SET_POLICY, .a = -1 };
	char lua[60], clean[40];

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(classes[i].name, c->argv[1]))
			in.a = classes[i].policy;
	text_clean(clean, sizeof(clean), c->argv[1]);
	if (!strcmp(c->argv[1], "deadline"))
		return class_deadline(c);
	if (in.a < 0)
		return err_set(c->err, ERR_USAGE,
			       "'%s' is no class: normal, batch, idle, fifo, rr and deadline are",
			       clean);

	bool rt = in.a == SCHED_FIFO || in.a == SCHED_RR;

	if (rt && c->argc < 3)
		return err_set(c->err, ERR_USAGE, "class %s needs a priority 1 .. 99", clean);
	if (rt && c->argc > 3)
		return err_set(c->err, ERR_USAGE, "class %s takes a priority and no more", clean);
	if (!rt && c->argc > 2)
		return err_set(c->err, ERR_USAGE, "class %s takes no priority", clean);
	if (rt && parse_count(c->argv[2], 1, 99, &in.b, "real-time priority", c->err))
		return -1;
	snprintf(lua, sizeof(lua), "set_policy(\"%s\"%s%s)", clean, rt ? ", " : "",
		 rt ? c->argv[2] : "");
	return task_input(c, &in, lua);
}
