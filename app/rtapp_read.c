/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp_read.c - the frame of an rt-app file: root, global, tasks, phases, scheduling keys.
 *
 * rt-app itself is silent about keys it does not know; here each is told once, with the nearest one
 * it does know. Of a scalar key given twice the last value counts, as in rt-app.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/rtapp_ir.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"
#include "engine/base/cpumask.h"
#include "engine/sched/dl.h"

#define INT_MAX_S 2147483647ll
#define SLICE_MIN 100000ull /* ns; sched_setattr() of Linux 6.12 clamps a custom slice to these */
#define SLICE_MAX 100000000ull

__attribute__((format(printf, 3, 0))) static void with_place(struct rt_file *f, char *text,
							     const char *fmt, va_list ap)
{
	char body[400];

	vsnprintf(body, sizeof(body), fmt, ap);
	if (f->phase && f->phase->name)
		snprintf(text, 512, "task '%.32s', phase '%.32s': %s", f->task->key, f->phase->name,
			 body);
	else if (f->task)
		snprintf(text, 512, "task '%.32s': %s", f->task->key, body);
	else
		snprintf(text, 512, "%s", body);
}

int rt_fail(struct rt_file *f, const cJSON *node, bool key, enum err_code code, const char *fmt,
	    ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	with_place(f, text, fmt, ap);
	va_end(ap);
	if (key)
		return json_fail_key(f->doc, node, f->err, code, "%s", text);
	return json_fail(f->doc, node, f->err, code, "%s", text);
}

bool rt_told(const struct rt_file *f, const char *once)
{
	for (u32 i = 0; i < f->nr_warned; i++)
		if (!strcmp(f->warned[i], once))
			return true;
	return !f->notes || f->nr_warned == ARRAY_SIZE(f->warned);
}

void rt_warn(struct rt_file *f, const cJSON *node, const char *once, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!f->notes || (once && rt_told(f, once)))
		return;
	if (once)
		f->warned[f->nr_warned++] = xstrdup(once);
	va_start(ap, fmt);
	with_place(f, text, fmt, ap);
	va_end(ap);
	note_add(f->notes, f->doc, node, "%s", text);
}

int rt_whole(struct rt_file *f, const cJSON *node, s64 min, s64 max, const char *what, s64 *out)
{
	const char *key = node->string ? node->string : "value";
	char buf[64];
	s64 v;

	if (!json_whole(node, &v) || v < min || v > max)
		return rt_fail(f, node, false, ERR_USAGE,
			       "'%.40s' is %s; a whole number of %s from %lld to %lld is allowed",
			       key, json_describe(node, buf, sizeof(buf)), what, (long long)min,
			       (long long)max);
	*out = v;
	return 0;
}

/* Last member @key of @object; a note if there are several. */
static const cJSON *scalar(struct rt_file *f, const cJSON *object, const char *key)
{
	const cJSON *last = NULL, *c;

	cJSON_ArrayForEach(c, object)
	{
		if (strcmp(c->string, key))
			continue;
		if (last)
			rt_warn(f, c, NULL, "'%s' is given again; the last value counts", key);
		last = c;
	}
	return last;
}

/* ---- scheduling keys ----------------------------------------------------------------------- */

static const struct {
	const char *name;
	u8 policy;
} policies[] = {
	{ "SCHED_OTHER", SCHED_NORMAL }, { "SCHED_BATCH", SCHED_BATCH },
	{ "SCHED_IDLE", SCHED_IDLE },	 { "SCHED_RR", SCHED_RR },
	{ "SCHED_FIFO", SCHED_FIFO },	 { "SCHED_DEADLINE", SCHED_DEADLINE },
};

static int read_policy(struct rt_file *f, const cJSON *node, u8 *policy)
{
	const char *names[ARRAY_SIZE(policies)], *hit;
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		names[i] = policies[i].name;
		if (!cJSON_IsString(node) || strcmp(node->valuestring, names[i]))
			continue;
		*policy = policies[i].policy;
		return 0;
	}
	hit = cJSON_IsString(node) ? suggest(node->valuestring, names, ARRAY_SIZE(names)) : NULL;
	return rt_fail(
		f, node, false, ERR_USAGE,
		"'%.40s' is %s; SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_RR, SCHED_FIFO and "
		"SCHED_DEADLINE are allowed%s%s%s",
		node->string, json_describe(node, buf, sizeof(buf)), hit ? "; did you mean " : "",
		hit ? hit : "", hit ? "?" : "");
}

static int read_cpus(struct rt_file *f, const cJSON *node, struct rt_sched *s)
{
	const cJSON *c;
	char buf[64];

	if (!cJSON_IsArray(node) || !node->child)
		return rt_fail(f, node, false, ERR_USAGE,
			       "'cpus' is %s; a list with one CPU at least, as [0, 1], is allowed",
			       cJSON_IsArray(node) ? "an empty list"
						   : json_describe(node, buf, sizeof(buf)));
	s->cpus = xcalloc(f->words, sizeof(*s->cpus));
	cJSON_ArrayForEach(c, node)
	{
		s64 v;

		if (!json_whole(c, &v) || v < 0 || v >= f->opt->nr_cpus)
			return rt_fail(
				f, c, false, ERR_USAGE,
				"'cpus' holds %s; the machine has CPUs 0 to %u (another one: "
				"--machine)",
				json_describe(c, buf, sizeof(buf)), f->opt->nr_cpus - 1);
		cpumask_set(s->cpus, (cpu_id)v);
	}
	return 0;
}

static int read_uclamp(struct rt_file *f, const cJSON *node, bool *has, u32 *out)
{
	s64 v = -1;

	if (node && rt_whole(f, node, -1, SCHED_CAPACITY_SCALE, "capacity units (-1: leave)", &v))
		return -1;
	*has = v >= 0;
	*out = v >= 0 ? (u32)v : 0;
	return 0;
}

static int read_slice(struct rt_file *f, const cJSON *node, struct rt_sched *s)
{
	s64 v = 0;

	if (rt_whole(f, node, 0, INT_MAX_S, "microseconds", &v))
		return -1;
	s->slice = (u64)v * NSEC_PER_USEC;
	s->has_slice = true;
	if (v && (s->slice < SLICE_MIN || s->slice > SLICE_MAX)) {
		s->slice = s->slice < SLICE_MIN ? SLICE_MIN : SLICE_MAX;
		rt_warn(f, node, NULL,
			"the slice is brought within 100 us to 100 ms, as the kernel does");
	}
	return 0;
}

/* One of the three times of a reservation; @old: its spelling in a task before "dl-" came. */
static int read_dl_time(struct rt_file *f, const cJSON *object, const char *key, const char *old,
			bool task, u64 *ns)
{
	const cJSON *n = scalar(f, object, key);
	s64 v = 0;

	*ns = 0;
	if (n && rt_whole(f, n, 0, INT_MAX_S, "microseconds", &v))
		return -1;
	n = task && !v ? scalar(f, object, old) : NULL;
	if (n && rt_whole(f, n, 0, INT_MAX_S, "microseconds", &v))
		return -1;
	*ns = (u64)v * NSEC_PER_USEC;
	return 0;
}

/* What SCHED_DEADLINE reserves: the period is the runtime if there is none, the deadline the period. */
static int read_reservation(struct rt_file *f, const cJSON *object, bool task, struct rt_sched *s)
{
	struct err e = { 0 };
	char who[40];

	if (read_dl_time(f, object, "dl-runtime", "runtime", task, &s->dl.runtime) ||
	    read_dl_time(f, object, "dl-period", "period", task, &s->dl.period) ||
	    read_dl_time(f, object, "dl-deadline", "deadline", task, &s->dl.deadline))
		return -1;
	if (!s->dl.runtime && !task)
		return 0; /* as the task has it */
	if (!s->dl.period)
		s->dl.period = s->dl.runtime;
	text_clean(who, sizeof(who), object->string ? object->string : "the task");
	if (dl_params_check(&s->dl, who, &e))
		return rt_fail(f, s->policy_node ? s->policy_node : object, false, ERR_USAGE, "%s",
			       e.msg);
	return 0;
}

int rt_read_sched(struct rt_file *f, const cJSON *object, bool task, struct rt_sched *s)
{
	const cJSON *n, *umin = scalar(f, object, "util_min"),
			*umax = scalar(f, object, "util_max");

	s->policy_node = scalar(f, object, "policy");
	s->priority_node = scalar(f, object, "priority");
	s->has_policy = s->policy_node != NULL;
	s->has_priority = s->priority_node != NULL;
	if (s->has_policy && read_policy(f, s->policy_node, &s->policy))
		return -1;
	if (s->has_priority &&
	    rt_whole(f, s->priority_node, -20, 99, "nice or priority", &s->priority))
		return -1;
	if (read_uclamp(f, umin, &s->has_umin, &s->umin) ||
	    read_uclamp(f, umax, &s->has_umax, &s->umax))
		return -1;
	if (s->has_umin && s->has_umax && s->umin > s->umax)
		return rt_fail(f, umin, false, ERR_USAGE,
			       "'util_min' is %u, above 'util_max' %u; the kernel refuses that",
			       s->umin, s->umax);
	n = scalar(f, object, "cpus");
	if (n && read_cpus(f, n, s))
		return -1;
	n = scalar(f, object, "taskgroup");
	if (n && rt_read_group(f, n, task, s))
		return -1;
	n = scalar(f, object, "dl-runtime");
	if ((s->has_policy ? s->policy
	     : task	   ? f->default_policy
			   : SCHED_NORMAL) == SCHED_DEADLINE) {
		if (read_reservation(f, object, task, s))
			return -1;
	} else {
		if (n && read_slice(f, n, s))
			return -1;
		if (json_member(object, "dl-period") || json_member(object, "dl-deadline"))
			rt_warn(f, object, "dl-period",
				"'dl-period' and 'dl-deadline' belong to SCHED_DEADLINE; left out "
				"where the policy is another");
	}
	if (json_member(object, "nodes_membind"))
		rt_warn(f, json_member(object, "nodes_membind"), "nodes_membind",
			"'nodes_membind' is about memory, which is not modelled; left out");
	return 0;
}

/* ---- keys nobody knows ---------------------------------------------------------------------- */

static const char *const task_keys[] = { "instance", "delay", "phases", "period", "deadline" };
static const char *const phase_keys[] = { "loop",      "policy",   "priority",	    "dl-runtime",
					  "dl-period", "util_min", "util_max",	    "dl-deadline",
					  "cpus",      "events",   "nodes_membind", "taskgroup" };
static const char *const global_keys[] = {
	"duration",	   "calibration",      "default_policy", "pi_enabled", "lock_pages",
	"logdir",	   "log_size",	       "ftrace",	 "gnuplot",    "io_device",
	"mem_buffer_size", "log_basename",     "frag",		 "spacing",    "logstats",
	"logbasename",	   "cumulative_slack",
};
static const char *const root_keys[] = { "tasks", "global", "resources" };

static bool in_list(const char *key, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(key, list[i]))
			return true;
	return false;
}

static void unknown_key(struct rt_file *f, const cJSON *node, const char *const *list, size_t nr)
{
	const char *hit = rt_told(f, node->string) ? NULL : suggest(node->string, list, nr);

	rt_warn(f, node, node->string, "unknown key '%.40s' left out%s%s%s", node->string,
		hit ? "; did you mean '" : "", hit ? hit : "", hit ? "'?" : "");
}

/* Note every key of a task or phase that means nothing there. @events: are events allowed? */
static void lint_keys(struct rt_file *f, const cJSON *object, bool task, bool events)
{
	const char *all[RT_KINDS + ARRAY_SIZE(phase_keys) + ARRAY_SIZE(task_keys)];
	size_t nr = 0;
	const cJSON *c;

	for (size_t i = 0; i < RT_KINDS; i++)
		all[nr++] = rt_event_names[i];
	for (size_t i = 0; i < ARRAY_SIZE(phase_keys); i++)
		all[nr++] = phase_keys[i];
	for (size_t i = 0; task && i < ARRAY_SIZE(task_keys); i++)
		all[nr++] = task_keys[i];
	cJSON_ArrayForEach(c, object)
	{
		bool event = rt_event_kind(c->string) >= 0 || !strcmp(c->string, "events");

		if (c->string[0] == '_' || (event && events))
			continue;
		if (event)
			rt_warn(f, c, NULL,
				"event '%.40s' beside 'phases' is never played; put it "
				"into a phase",
				c->string);
		else if (!in_list(c->string, phase_keys, ARRAY_SIZE(phase_keys)) &&
			 !(task && in_list(c->string, task_keys, ARRAY_SIZE(task_keys))))
			unknown_key(f, c, all, nr);
		else if ((!strcmp(c->string, "period") || !strcmp(c->string, "deadline")) &&
			 !json_member(object, "policy"))
			rt_warn(f, c, c->string, "'%s' belongs to SCHED_DEADLINE; left out",
				c->string);
	}
}

/* The grammar before 1.0 is another language: better to say so than to play half of it. */
static int refuse_old_grammar(struct rt_file *f, const cJSON *task)
{
	const cJSON *exec = json_member(task, "exec");

	if (exec && (json_member(task, "period") || json_member(task, "deadline")))
		return rt_fail(f, exec, true, ERR_USAGE,
			       "'exec' with 'period' is the grammar of rt-app before 1.0; write "
			       "\"run\": US, \"timer\": {\"ref\": \"unique\", \"period\": US}");
	return 0;
}

/* ---- tasks and phases ----------------------------------------------------------------------- */

static int read_phase(struct rt_file *f, const cJSON *object, const char *name, s64 loop)
{
	/* Room was made by read_tasks(): one entry per phase of the file. */
	struct rt_phase *p = &f->phases[f->nr_phases++];
	const cJSON *n = scalar(f, object, "loop");

	*p = (struct rt_phase){ .name = name, .node = object, .loop = loop };
	f->phase = p;
	if (n &&
	    rt_whole(f, n, -INT_MAX_S, INT_MAX_S, "repetitions (negative: for ever)", &p->loop))
		return -1;
	p->first_event = f->nr_events;
	if (rt_read_events(f, object))
		return -1;
	p->nr_events = f->nr_events - p->first_event;
	if (!p->nr_events)
		return rt_fail(f, object, true, ERR_USAGE,
			       "no event; give it one at least, such as \"run\": 1000");
	if (n && !p->loop)
		rt_warn(f, n, NULL, "'loop' 0 of a phase never counts down: it goes on for ever");
	if (name) {
		lint_keys(f, object, false, true);
		if (rt_read_sched(f, object, false, &p->sched))
			return -1;
	}
	f->phase = NULL;
	return 0;
}

/* Call @fn for the members of @object in order, duplicates settled. */
static int each_member(struct rt_file *f, const cJSON *object,
		       int (*fn)(struct rt_file *f, const cJSON *member))
{
	const cJSON **nodes = xcalloc((size_t)cJSON_GetArraySize(object), sizeof(*nodes)), *c;
	u32 nr = 0;
	int ret = 0;

	cJSON_ArrayForEach(c, object)
	{
		nodes[nr++] = c;
	}
	rt_settle_duplicates(f, nodes, nr);
	for (u32 i = 0; !ret && i < nr; i++)
		ret = nodes[i] ? fn(f, nodes[i]) : 0;
	free(nodes);
	return ret;
}

static int read_named_phase(struct rt_file *f, const cJSON *p)
{
	char buf[64];

	if (!cJSON_IsObject(p))
		return rt_fail(f, p, false, ERR_USAGE,
			       "phase '%.40s' is %s; an object { events } is allowed", p->string,
			       json_describe(p, buf, sizeof(buf)));
	return read_phase(f, p, p->string, 1);
}

static int read_phases(struct rt_file *f, struct rt_task *t)
{
	const cJSON *list;
	bool seen = false;
	char buf[64];

	cJSON_ArrayForEach(list, t->node)
	{
		if (strcmp(list->string, "phases"))
			continue;
		if (seen)
			rt_warn(f, list, NULL, "'phases' is given again; both are played in order");
		seen = true;
		if (!cJSON_IsObject(list) || !list->child)
			return rt_fail(f, list, false, ERR_USAGE,
				       "'phases' is %s; { \"name\": { events }, ... } is allowed",
				       cJSON_IsObject(list)
					       ? "empty"
					       : json_describe(list, buf, sizeof(buf)));
		if (each_member(f, list, read_named_phase))
			return -1;
	}
	for (u32 i = t->first_phase; i + 1 < f->nr_phases; i++)
		if (f->phases[i].loop <= 0) {
			rt_warn(f, f->phases[i].node, NULL,
				"phase '%.40s' goes on for ever, so the phases after it are never "
				"reached",
				f->phases[i].name);
			break;
		}
	return 0;
}

static int read_instances(struct rt_file *f, struct rt_task *t)
{
	const cJSON *n = scalar(f, t->node, "instance");
	s64 v = 1;

	if (n && rt_whole(f, n, 0, INT_MAX_S, "threads", &v))
		return -1;
	if (v > RTAPP_MAX_THREADS || f->nr_threads + v > RTAPP_MAX_THREADS)
		return rt_fail(
			f, n ? n : t->node, !n, ERR_LIMIT,
			"%lld instances make more than %u threads in this file; lower 'instance'",
			(long long)v, RTAPP_MAX_THREADS);
	t->instances = (u32)v;
	f->nr_threads += (u32)v;
	return 0;
}

static int read_task(struct rt_file *f, const cJSON *node)
{
	struct rt_task *t = &f->tasks[f->nr_tasks++];
	const cJSON *loop, *delay;
	bool phases = json_member(node, "phases") != NULL;
	char buf[64];
	s64 v;

	*t = (struct rt_task){ .key = node->string, .node = node, .first_phase = f->nr_phases };
	f->task = t;
	if (!cJSON_IsObject(node))
		return rt_fail(f, node, false, ERR_USAGE, "is %s; an object { ... } is allowed",
			       json_describe(node, buf, sizeof(buf)));
	if (refuse_old_grammar(f, node) || read_instances(f, t))
		return -1;
	delay = scalar(f, node, "delay");
	v = 0;
	if (delay && rt_whole(f, delay, 0, INT_MAX_S, "microseconds", &v))
		return -1;
	t->delay_us = (u64)v;
	loop = phases ? scalar(f, node, "loop") : NULL;
	/* Without phases the task is its only phase, and 'loop' that of the phase; absent: for ever. */
	t->loop = phases ? -1 : 1;
	if (loop &&
	    rt_whole(f, loop, -INT_MAX_S, INT_MAX_S, "repetitions (negative: for ever)", &t->loop))
		return -1;
	if (loop && !t->loop)
		rt_warn(f, loop, NULL, "'loop' 0: the task ends at once");
	if (rt_read_sched(f, node, true, &t->sched))
		return -1;
	lint_keys(f, node, true, !phases);
	if (phases ? read_phases(f, t) : read_phase(f, node, NULL, -1))
		return -1;
	t->nr_phases = f->nr_phases - t->first_phase;
	f->task = NULL;
	return 0;
}

static int read_tasks(struct rt_file *f)
{
	const cJSON *section, *t, *p, *c;
	u32 tasks = 0, phases = 0, sections = 0;
	char buf[64];

	cJSON_ArrayForEach(section, f->doc->root)
	{
		if (strcmp(section->string, "tasks"))
			continue;
		if (!cJSON_IsObject(section))
			return rt_fail(f, section, false, ERR_USAGE,
				       "'tasks' is %s; an object { \"name\": { ... } } is allowed",
				       json_describe(section, buf, sizeof(buf)));
		if (sections++)
			rt_warn(f, section, NULL,
				"'tasks' is given again; both are used (rt-app takes the last)");
		cJSON_ArrayForEach(t, section)
		{
			tasks++;
			phases++;
			cJSON_ArrayForEach(p, t)
			{
				if (p->string && !strcmp(p->string, "phases"))
					cJSON_ArrayForEach(c, p) phases++;
			}
		}
	}
	if (!sections)
		return rt_fail(f, f->doc->root, false, ERR_USAGE,
			       "'tasks' is missing; an rt-app file is { \"tasks\": { \"name\": { "
			       "\"run\": 1000, \"sleep\": 1000 } } }");
	if (!tasks)
		return rt_fail(f, json_member(f->doc->root, "tasks"), false, ERR_USAGE,
			       "'tasks' is empty; give it one task at least");
	if (tasks > RTAPP_MAX_THREADS)
		return rt_fail(f, json_member(f->doc->root, "tasks"), true, ERR_LIMIT,
			       "%u tasks in one file; %u are allowed, split it", tasks,
			       RTAPP_MAX_THREADS);
	f->tasks = xcalloc(tasks, sizeof(*f->tasks));
	f->phases = xcalloc(phases, sizeof(*f->phases));
	cJSON_ArrayForEach(section, f->doc->root)
	{
		if (strcmp(section->string, "tasks"))
			continue;
		if (each_member(f, section, read_task))
			return -1;
	}
	return 0;
}

/* Every fork names a task; which tasks are only templates. */
static int check_forks(struct rt_file *f)
{
	const char **keys = xcalloc(f->nr_tasks, sizeof(*keys));
	int ret = 0;

	for (u32 i = 0; i < f->nr_tasks; i++)
		keys[i] = f->tasks[i].key;
	for (u32 i = 0; !ret && i < f->nr_events; i++) {
		const struct rt_event *e = &f->events[i];
		bool found = false;

		if (e->kind != RT_FORK)
			continue;
		for (u32 k = 0; k < f->nr_tasks; k++) {
			if (strcmp(keys[k], e->ref))
				continue;
			f->tasks[k].forked = found = true;
		}
		if (!found) {
			const char *hit = suggest(e->ref, keys, f->nr_tasks);

			ret = rt_fail(f, e->node, false, ERR_USAGE,
				      "fork names '%.40s', no task of this file%s%.40s%s", e->ref,
				      hit ? "; did you mean '" : "", hit ? hit : "",
				      hit ? "'?" : "");
		}
	}
	for (u32 i = 0; !ret && i < f->nr_tasks; i++)
		if (!f->tasks[i].instances && !f->tasks[i].forked)
			rt_warn(f, f->tasks[i].node, NULL,
				"task '%.40s' has 0 instances and nobody forks it: it never runs",
				keys[i]);
	free(keys);
	return ret;
}

/* ---- global --------------------------------------------------------------------------------- */

static int read_duration(struct rt_file *f, const cJSON *n)
{
	char buf[64];
	double v = cJSON_IsNumber(n) ? n->valuedouble : -2;

	if (v < -1 || (v < 0 && v > -1) || v > (double)INT_MAX_S)
		return rt_fail(f, n, false, ERR_USAGE,
			       "'duration' is %s; seconds up to %lld, or -1 (until all tasks end), "
			       "are allowed",
			       json_describe(n, buf, sizeof(buf)), INT_MAX_S);
	if (v > 0 && v != (double)(s64)v)
		rt_warn(f, n, NULL, "rt-app itself takes whole seconds of 'duration' only");
	f->duration = v > 0 ? (ktime_ns)(v * 1e9 + 0.5) : 0;
	return 0;
}

static int read_global(struct rt_file *f)
{
	const cJSON *section, *c;
	u32 sections = 0;
	char buf[64];

	f->default_policy = SCHED_NORMAL;
	cJSON_ArrayForEach(section, f->doc->root)
	{
		if (strcmp(section->string, "global")) {
			if (section->string[0] != '_' &&
			    !in_list(section->string, root_keys, ARRAY_SIZE(root_keys)))
				unknown_key(f, section, root_keys, ARRAY_SIZE(root_keys));
			continue;
		}
		if (!cJSON_IsObject(section))
			return rt_fail(f, section, false, ERR_USAGE,
				       "'global' is %s; an object { ... } is allowed",
				       json_describe(section, buf, sizeof(buf)));
		if (sections++)
			rt_warn(f, section, NULL,
				"'global' is given again; both are used, the last value counts");
		cJSON_ArrayForEach(c, section)
		{
			if (c->string[0] != '_' &&
			    !in_list(c->string, global_keys, ARRAY_SIZE(global_keys)))
				unknown_key(f, c, global_keys, ARRAY_SIZE(global_keys));
			if (!strcmp(c->string, "duration") && read_duration(f, c))
				return -1;
			if (!strcmp(c->string, "default_policy") &&
			    read_policy(f, c, &f->default_policy))
				return -1;
			if (!strcmp(c->string, "pi_enabled") && cJSON_IsTrue(c))
				rt_warn(f, c, "pi_enabled",
					"mutexes with priority inheritance are not modelled; plain ones "
					"are used");
			if (!strcmp(c->string, "io_device") && cJSON_IsString(c))
				f->io_blocks = strcmp(c->valuestring, "/dev/null") != 0;
		}
	}
	return 0;
}

int rt_read(struct rt_file *f)
{
	const cJSON *root = f->doc->root;
	char buf[64];

	if (!cJSON_IsObject(root))
		return rt_fail(f, root, false, ERR_USAGE,
			       "an rt-app file is one object { \"tasks\": ... }; this is %s",
			       json_describe(root, buf, sizeof(buf)));
	if (json_member(root, "schema") && !json_member(root, "tasks"))
		return rt_fail(
			f, root, false, ERR_USAGE,
			"this is a machine (it has a 'schema'), not a workload; give it with "
			"--machine");
	f->words = cpumask_words(f->opt->nr_cpus);
	if (read_global(f) || read_tasks(f) || check_forks(f))
		return -1;
	rt_lint_resources(f);
	if (f->nr_dups)
		rt_warn(f, f->first_dup, NULL,
			f->opt->dup_last
				? "keys of events, phases or tasks given again: %u; the last value counts, as in plain rt-app"
				: "keys of events, phases or tasks given again: %u; all are played in order (plain rt-app would "
				  "keep one of each)",
			f->nr_dups);
	return 0;
}

void rt_file_fini(struct rt_file *f)
{
	for (u32 i = 0; i < f->nr_tasks; i++)
		free(f->tasks[i].sched.cpus);
	for (u32 i = 0; i < f->nr_phases; i++)
		free(f->phases[i].sched.cpus);
	for (u32 i = 0; i < f->nr_res; i++)
		free(f->res[i].name);
	for (u32 i = 0; i < f->nr_warned; i++)
		free(f->warned[i]);
	free(f->tasks);
	free(f->phases);
	free(f->events);
	free(f->res);
}
