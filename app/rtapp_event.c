/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp_event.c - events of an rt-app phase, and the named things they meet at.
 *
 * A key is an event if it begins with one of the words below, tried in this order, so that runtime
 * is not taken for run and memrun not for mem; run_big and sleepy are events too, as in rt-app.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/rtapp_ir.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"

#define NAME_MAX_BYTES 48u
#define MAX_RES 8192u
#define SUGGEST_FROM 256u /* task keys looked at for a suggestion: it costs time */
#define US_MAX 2147483647ll

const char *const rt_event_names[RT_KINDS] = {
	[RT_RUNTIME] = "runtime",   [RT_RUN] = "run",		[RT_SLEEP] = "sleep",
	[RT_MEMRUN] = "memrun",	    [RT_MEM] = "mem",		[RT_IORUN] = "iorun",
	[RT_LOCK] = "lock",	    [RT_UNLOCK] = "unlock",	[RT_SIGNAL] = "signal",
	[RT_BROAD] = "broad",	    [RT_WAIT] = "wait",		[RT_SYNC] = "sync",
	[RT_BARRIER] = "barrier",   [RT_TIMER] = "timer",	[RT_RESUME] = "resume",
	[RT_SUSPEND] = "suspend",   [RT_YIELD] = "yield",	[RT_FORK] = "fork",
	[RT_SEM_POST] = "sem_post", [RT_SEM_WAIT] = "sem_wait",
};

int rt_event_kind(const char *key)
{
	for (int k = 0; k < RT_KINDS; k++)
		if (!strncmp(key, rt_event_names[k], strlen(rt_event_names[k])))
			return k;
	return -1;
}

static u32 hash_name(const char *s)
{
	u32 h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (u8)*s) * 16777619u;
	return h % 4096;
}

static u32 find_res(const struct rt_file *f, const char *name, enum rt_res_kind kind, u32 task)
{
	for (u32 i = f->res_hash[hash_name(name)]; i; i = f->res[i - 1].chain) {
		const struct rt_res *r = &f->res[i - 1];

		if (r->kind == kind && r->task == task && !strcmp(r->name, name))
			return i - 1;
	}
	return NONE;
}

/* Index of the resource, made on first use; NONE with an error if the name will not do. */
static u32 get_res(struct rt_file *f, const cJSON *node, const char *name, enum rt_res_kind kind)
{
	bool local = kind == RES_TIMER && !strncmp(name, "unique", 6);
	u32 task = local ? (u32)(f->task - f->tasks) : NONE;
	u32 i = find_res(f, name, kind, task), h;

	if (i != NONE)
		return i;
	if (strlen(name) > NAME_MAX_BYTES) {
		rt_fail(f, node, false, ERR_USAGE,
			"the name '%.20s...' has %zu bytes; %u are allowed", name, strlen(name),
			NAME_MAX_BYTES);
		return NONE;
	}
	if (f->nr_res == MAX_RES) {
		rt_fail(f, node, false, ERR_LIMIT,
			"more than %u named mutexes, conditions and timers in one file; split it",
			MAX_RES);
		return NONE;
	}
	if ((f->nr_res & (f->nr_res - 1)) == 0)
		f->res = xrealloc_array(f->res, f->nr_res ? 2 * (size_t)f->nr_res : 1,
					sizeof(*f->res));
	i = f->nr_res++;
	h = hash_name(name);
	f->res[i] = (struct rt_res){ .kind = kind,
				     .name = xstrdup(name),
				     .local = local,
				     .task = task,
				     .first = node,
				     .chain = f->res_hash[h] };
	f->res_hash[h] = i + 1;
	return i;
}

/* Value of @node as a name. */
static const char *text_of(struct rt_file *f, const cJSON *node)
{
	char buf[64];

	if (cJSON_IsString(node) && node->valuestring[0])
		return node->valuestring;
	rt_fail(f, node, false, ERR_USAGE, "'%.40s' is %s; a name in double quotes is allowed",
		node->string ? node->string : "value", json_describe(node, buf, sizeof(buf)));
	return NULL;
}

/* Note members of @object that are not in @known. */
static void warn_members(struct rt_file *f, const cJSON *object, const char *const *known,
			 size_t nr)
{
	const cJSON *c;

	cJSON_ArrayForEach(c, object)
	{
		bool ok = c->string[0] == '_';

		for (size_t i = 0; i < nr; i++)
			ok |= !strcmp(c->string, known[i]);
		if (!ok) {
			const char *hit = rt_told(f, c->string) ? NULL
								: suggest(c->string, known, nr);

			rt_warn(f, c, c->string, "unknown key '%.40s' left out%s%s%s", c->string,
				hit ? "; did you mean '" : "", hit ? hit : "", hit ? "'?" : "");
		}
	}
}

/* wait and sync: { "ref": condition, "mutex": mutex }. */
static int read_wait(struct rt_file *f, const cJSON *node, struct rt_event *e)
{
	static const char *const known[] = { "ref", "mutex" };
	const char *names[2] = { "unknown", "unknown" };
	char buf[64];

	if (!cJSON_IsObject(node))
		return rt_fail(f, node, false, ERR_USAGE,
			       "'%.40s' is %s; { \"ref\": CONDITION, \"mutex\": MUTEX } is allowed",
			       node->string, json_describe(node, buf, sizeof(buf)));
	warn_members(f, node, known, ARRAY_SIZE(known));
	for (size_t i = 0; i < 2; i++) {
		const cJSON *m = json_member(node, known[i]);

		if (m && !(names[i] = text_of(f, m)))
			return -1;
		if (!m)
			rt_warn(f, node, NULL, "'%.40s' has no '%s'; taken as 'unknown'",
				node->string, known[i]);
	}
	e->res = get_res(f, node, names[0], RES_COND);
	e->mutex = e->res == NONE ? NONE : get_res(f, node, names[1], RES_MUTEX);
	return e->mutex == NONE ? -1 : 0;
}

static int read_timer(struct rt_file *f, const cJSON *node, struct rt_event *e)
{
	static const char *const known[] = { "ref", "period", "mode" };
	const cJSON *ref, *period, *mode;
	const char *name = "unknown";
	char buf[64];

	if (!cJSON_IsObject(node)) {
		rt_warn(f, node, NULL,
			"'%.40s' is %s and does not wait at all; meant is { \"ref\": NAME, \"period\": US }",
			node->string, json_describe(node, buf, sizeof(buf)));
		return 0;
	}
	warn_members(f, node, known, ARRAY_SIZE(known));
	ref = json_member(node, "ref");
	period = json_member(node, "period");
	mode = json_member(node, "mode");
	if (ref && !(name = text_of(f, ref)))
		return -1;
	if (!ref)
		rt_warn(f, node, NULL,
			"the timer has no 'ref'; taken as 'unknown', which all tasks share");
	if (period && rt_whole(f, period, 0, US_MAX, "microseconds", &e->value))
		return -1;
	if (!e->value)
		rt_warn(f, node, NULL, "the timer has no 'period', or 0: it does not wait");
	e->res = get_res(f, node, name, RES_TIMER);
	if (e->res == NONE)
		return -1;
	if (mode && !text_of(f, mode))
		return -1;
	if (mode && !strncmp(mode->valuestring, "absolute", 8))
		f->res[e->res].absolute = true;
	else if (mode && strncmp(mode->valuestring, "relative", 8))
		rt_warn(f, mode, NULL,
			"timer mode '%.40s' is taken as relative; absolute or relative",
			mode->valuestring);
	return 0;
}

static int member_whole(struct rt_file *f, const cJSON *object, const char *key, s64 fallback,
			s64 *out)
{
	const cJSON *m = json_member(object, key);

	*out = fallback;
	return m ? rt_whole(f, m, 1, US_MAX, "bytes or accesses", out) : 0;
}

static int read_memrun(struct rt_file *f, const cJSON *node, struct rt_event *e)
{
	static const char *const known[] = { "type", "size", "count", "stride", "pattern", "ref" };
	const cJSON *type = json_member(node, "type");
	s64 size, count, stride;
	char buf[64];

	if (!cJSON_IsObject(node) || !cJSON_IsString(type))
		return rt_fail(
			f, node, false, ERR_USAGE,
			"'%.40s' is %s; { \"type\": \"read\", \"write\" or \"chase\", \"size\": "
			"BYTES, \"count\": N } is allowed",
			node->string,
			cJSON_IsObject(node) ? "without a 'type'"
					     : json_describe(node, buf, sizeof(buf)));
	warn_members(f, node, known, ARRAY_SIZE(known));
	if (member_whole(f, node, "size", 4194304, &size) ||
	    member_whole(f, node, "stride", 64, &stride))
		return -1;
	if (!strcmp(type->valuestring, "chase")) {
		if (member_whole(f, node, "count", size / stride ? size / stride : 1, &count))
			return -1;
		e->ns = (u64)count * RTAPP_CHASE_NS;
	} else if (!strcmp(type->valuestring, "read") || !strcmp(type->valuestring, "write")) {
		if (member_whole(f, node, "count", 1, &count))
			return -1;
		e->ns = (u64)size * (u64)count / RTAPP_MEM_BYTES_PER_NS;
	} else {
		return rt_fail(f, type, false, ERR_USAGE,
			       "memrun 'type' is '%.40s'; read, write or chase is allowed",
			       type->valuestring);
	}
	return 0;
}

static int read_named(struct rt_file *f, const cJSON *node, enum rt_res_kind kind,
		      struct rt_event *e)
{
	const char *name = text_of(f, node);

	if (!name)
		return -1;
	e->res = get_res(f, node, name, kind);
	return e->res == NONE ? -1 : 0;
}

static int read_barrier(struct rt_file *f, const cJSON *node, struct rt_event *e)
{
	if (read_named(f, node, RES_BARRIER, e))
		return -1;
	if (!f->task->instances)
		return rt_fail(f, node, true, ERR_USAGE,
			       "a barrier counts the instances of its users, and a forked task has "
			       "none; use a semaphore (sem_post, sem_wait)");
	f->res[e->res].parties += f->task->instances;
	return 0;
}

static int read_one(struct rt_file *f, const cJSON *node, struct rt_event *e)
{
	const char *never = NULL;

	switch (e->kind) {
	case RT_RUNTIME:
	case RT_RUN:
	case RT_SLEEP:
		if (rt_whole(f, node, -US_MAX, US_MAX, "microseconds (negative: for ever)",
			     &e->value))
			return -1;
		if (e->value < 0)
			rt_warn(f, node, NULL, "'%.40s' is negative: it goes on for ever",
				node->string);
		return 0;
	case RT_MEM:
	case RT_IORUN:
		never = e->kind == RT_MEM ? "mem" : "iorun";
		if (rt_whole(f, node, 0, US_MAX, "bytes", &e->value))
			return -1;
		rt_warn(f, node, never,
			"%s is played as CPU time at %u bytes per ns%s; memory itself is not modelled",
			never, RTAPP_MEM_BYTES_PER_NS,
			e->kind == RT_IORUN && f->io_blocks
				? " and a sleep of 2 ns per byte for the device"
				: "");
		return 0;
	case RT_MEMRUN:
		rt_warn(f, node, "memrun",
			"memrun is played as CPU time at %u bytes per ns, chase at %u ns per access; "
			"memory itself is not modelled",
			RTAPP_MEM_BYTES_PER_NS, RTAPP_CHASE_NS);
		return read_memrun(f, node, e);
	case RT_LOCK:
		if (!strncmp(node->string, "lock_order", 10))
			return rt_fail(
				f, node, true, ERR_USAGE,
				"'lock_order' is the grammar of rt-app before 1.0; write the "
				"task as events: lock, run, unlock, timer");
		return read_named(f, node, RES_MUTEX, e);
	case RT_UNLOCK:
		return read_named(f, node, RES_MUTEX, e);
	case RT_SIGNAL:
	case RT_BROAD:
		if (read_named(f, node, RES_COND, e))
			return -1;
		f->res[e->res].wakers++;
		return 0;
	case RT_WAIT:
	case RT_SYNC:
		if (read_wait(f, node, e))
			return -1;
		f->res[e->res].waiters++;
		f->res[e->res].wakers += e->kind == RT_SYNC;
		return 0;
	case RT_BARRIER:
		return read_barrier(f, node, e);
	case RT_TIMER:
		return read_timer(f, node, e);
	case RT_RESUME:
		if (read_named(f, node, RES_SUSPEND, e))
			return -1;
		f->res[e->res].wakers++;
		return 0;
	case RT_SUSPEND:
		/* The value is not used: a task waits for those who resume it by its own key. */
		if (cJSON_IsString(node) && node->valuestring[0] &&
		    strcmp(node->valuestring, f->task->key))
			rt_warn(f, node, "suspend",
				"the value '%.40s' of suspend is not used, as in rt-app: a task waits for "
				"those who resume it by its own key",
				node->valuestring);
		e->res = get_res(f, node, f->task->key, RES_SUSPEND);
		if (e->res == NONE)
			return -1;
		f->res[e->res].waiters++;
		return 0;
	case RT_SEM_POST:
	case RT_SEM_WAIT:
		if (read_named(f, node, RES_SEM, e))
			return -1;
		f->res[e->res].wakers += e->kind == RT_SEM_POST;
		f->res[e->res].waiters += e->kind == RT_SEM_WAIT;
		return 0;
	case RT_FORK:
		e->ref = text_of(f, node);
		return e->ref ? 0 : -1;
	case RT_YIELD:
	case RT_KINDS:
		break;
	}
	return 0;
}

static int add_event(struct rt_file *f, const cJSON *node)
{
	struct rt_event e = { .kind = (enum rt_kind)rt_event_kind(node->string),
			      .node = node,
			      .res = NONE,
			      .mutex = NONE };

	if (f->nr_events == RTAPP_MAX_EVENTS)
		return rt_fail(f, node, true, ERR_LIMIT,
			       "more than %u events in one file; split it", RTAPP_MAX_EVENTS);
	if (read_one(f, node, &e))
		return -1;
	if (f->nr_events == f->room_events) {
		f->room_events = f->room_events ? 2 * f->room_events : 64;
		f->events = xrealloc_array(f->events, f->room_events, sizeof(*f->events));
	}
	f->events[f->nr_events++] = e;
	return 0;
}

struct keyed {
	const cJSON *node;
	u32 pos;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int d = strcmp(x->node->string, y->node->string);

	return d ? d : x->pos < y->pos ? -1 : 1;
}

void rt_settle_duplicates(struct rt_file *f, const cJSON **nodes, u32 nr)
{
	struct keyed *k = xcalloc(nr, sizeof(*k));
	u32 first = NONE;

	for (u32 i = 0; i < nr; i++)
		k[i] = (struct keyed){ nodes[i], i };
	qsort(k, nr, sizeof(*k), by_key);
	for (u32 i = 0, j; i < nr; i = j) {
		for (j = i + 1; j < nr && !strcmp(k[i].node->string, k[j].node->string); j++) {
			f->nr_dups++;
			first = k[j].pos < first ? k[j].pos : first;
			if (f->opt->dup_last)
				nodes[k[j].pos] = NULL;
		}
		if (f->opt->dup_last)
			nodes[k[i].pos] = k[j - 1].node;
	}
	if (first != NONE && !f->first_dup) {
		for (u32 i = 0; i < nr; i++)
			if (k[i].pos == first)
				f->first_dup = k[i].node;
	}
	free(k);
}

/* "events": [ {"run": 1}, {"sleep": 2} ], the proposed form without duplicate keys. */
static int read_list(struct rt_file *f, const cJSON *list)
{
	const cJSON *entry, *c;
	char buf[64];

	if (!cJSON_IsArray(list))
		return rt_fail(f, list, false, ERR_USAGE, "'events' is %s; a list [...] is allowed",
			       json_describe(list, buf, sizeof(buf)));
	cJSON_ArrayForEach(entry, list)
	{
		if (!cJSON_IsObject(entry))
			return rt_fail(f, entry, false, ERR_USAGE,
				       "an entry of 'events' is %s; {\"run\": 1000} is allowed",
				       json_describe(entry, buf, sizeof(buf)));
		cJSON_ArrayForEach(c, entry)
		{
			if (rt_event_kind(c->string) < 0)
				return rt_fail(f, c, true, ERR_USAGE,
					       "'%.40s' is no event; allowed are run, sleep, timer "
					       "and the others of rt-app",
					       c->string);
			if (add_event(f, c))
				return -1;
		}
	}
	return 0;
}

int rt_read_events(struct rt_file *f, const cJSON *container)
{
	int nr = cJSON_GetArraySize(container), ret = 0;
	const cJSON **nodes = xcalloc((size_t)nr, sizeof(*nodes)), *c;
	u32 n = 0;

	cJSON_ArrayForEach(c, container)
	{
		if (rt_event_kind(c->string) >= 0 || !strcmp(c->string, "events"))
			nodes[n++] = c;
	}
	rt_settle_duplicates(f, nodes, n);
	for (u32 i = 0; !ret && i < n; i++)
		if (nodes[i])
			ret = strcmp(nodes[i]->string, "events") ? add_event(f, nodes[i])
								 : read_list(f, nodes[i]);
	free(nodes);
	return ret;
}

static const char *const res_kind_names[] = { "mutex", "condition", "suspend",
					      "timer", "barrier",   "semaphore" };

static void lint_suspend(struct rt_file *f, const struct rt_res *r)
{
	const char **keys = xcalloc(f->nr_tasks, sizeof(*keys));
	bool exists = false;

	for (u32 i = 0; i < f->nr_tasks; i++) {
		keys[i] = f->tasks[i].key;
		exists |= !strcmp(keys[i], r->name);
	}
	if (!exists) {
		bool told = f->notes && f->notes->nr < NOTES_MAX;
		u32 nr = f->nr_tasks < SUGGEST_FROM ? f->nr_tasks : SUGGEST_FROM;
		const char *hit = told ? suggest(r->name, keys, nr) : NULL;

		rt_warn(f, r->first, NULL,
			"resume '%.40s': no task has this key, so every resume is lost%s%.40s%s",
			r->name, hit ? "; did you mean '" : "", hit ? hit : "", hit ? "'?" : "");
	} else if (!r->waiters) {
		rt_warn(f, r->first, NULL, "resume '%.40s': this task never suspends; it is lost",
			r->name);
	} else if (!r->wakers) {
		rt_warn(f, r->first, NULL,
			"task '%.40s' suspends, but nothing resumes it: it stops here for ever",
			r->name);
	}
	free(keys);
}

void rt_lint_resources(struct rt_file *f)
{
	f->task = NULL;
	f->phase = NULL;
	for (u32 i = 0; i < f->nr_res; i++) {
		struct rt_res *r = &f->res[i];
		bool clash = r->kind == RES_SUSPEND;

		for (u32 j = f->res_hash[hash_name(r->name)]; j && !clash; j = f->res[j - 1].chain)
			clash = f->res[j - 1].kind != r->kind &&
				!strcmp(f->res[j - 1].name, r->name);
		text_clean(r->label, sizeof(r->label), r->name);
		if (clash) {
			size_t len = strlen(r->label);

			snprintf(r->label + len, sizeof(r->label) - len, " (%s)",
				 res_kind_names[r->kind]);
		}
		if (r->kind == RES_SUSPEND)
			lint_suspend(f, r);
		else if (r->kind == RES_COND && r->wakers && !r->waiters)
			rt_warn(f, r->first, NULL,
				"signal '%.40s': nobody waits for it; it is lost", r->name);
		else if ((r->kind == RES_COND || r->kind == RES_SEM) && r->waiters && !r->wakers)
			rt_warn(f, r->first, NULL, "nothing ever wakes those who wait for '%.40s'",
				r->name);
	}
}
