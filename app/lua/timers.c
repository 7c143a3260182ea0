/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timers.c - when scripts run: at, after, every, wait, wait_until, and handlers of trace events.
 *
 * Timers are a heap ordered by (time, order of creation), outside the simulation: it only knows the
 * next time and calls script_hook() after the last event of that instant. Handlers get what a probe
 * noted down during an event at the next boundary between events. Each run is one call of the gate.
 */
#include "app/lua/script_int.h"
#include "app/text.h"
#include "app/units.h"
#include "app/xalloc.h"
#include "engine/observe/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- the heap ---- */

static bool before(const struct script_timer *a, const struct script_timer *b)
{
	return a->when != b->when ? a->when < b->when : a->ordinal < b->ordinal;
}

static void sift_up(struct script_timer *h, u32 i)
{
	struct script_timer t = h[i];

	while (i && before(&t, &h[(i - 1) / 2])) {
		h[i] = h[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h[i] = t;
}

static void sift_down(struct script_timer *h, u32 n, u32 i)
{
	struct script_timer t = h[i];

	for (u32 c = 2 * i + 1; c < n; c = 2 * i + 1) {
		if (c + 1 < n && before(&h[c + 1], &h[c]))
			c++;
		if (before(&t, &h[c]))
			break;
		h[i] = h[c];
		i = c;
	}
	h[i] = t;
}

int timers_add(struct script *s, const struct script_timer *t)
{
	if (s->nr_timers >= SCRIPT_TIMERS_MAX)
		return -1;
	if (s->nr_timers == s->cap_timers) {
		s->cap_timers = s->cap_timers ? 2 * s->cap_timers : 16;
		s->timers = xrealloc_array(s->timers, s->cap_timers, sizeof(*s->timers));
	}
	s->timers[s->nr_timers] = *t;
	s->timers[s->nr_timers].ordinal = s->next_ordinal++;
	s->timers[s->nr_timers].txn = s->txn.id;
	sift_up(s->timers, s->nr_timers++);
	return 0;
}

static struct script_timer pop(struct script *s)
{
	struct script_timer t = s->timers[0];

	s->timers[0] = s->timers[--s->nr_timers];
	if (s->nr_timers)
		sift_down(s->timers, s->nr_timers, 0);
	return t;
}

static void unref(struct script *s, int ref)
{
	luaL_unref(s->box->L, LUA_REGISTRYINDEX, ref);
}

static void drop(struct script *s, const struct script_timer *t)
{
	unref(s, t->ref);
	unref(s, t->cond);
}

/* Tell the simulation when the next timer is due. */
void timers_arm(struct script *s)
{
	if (!s->sim || s->main)
		return;
	while (s->nr_timers && s->timers[0].dead) {
		struct script_timer t = pop(s);

		drop(s, &t);
	}
	s->sim->script_next = s->nr_timers ? s->timers[0].when : NEVER;
}

void timers_free(struct script *s)
{
	free(s->timers);
}

/* Forget what a failed call made, handlers too. */
void timers_rollback(struct script *s, u64 txn)
{
	u32 n = 0;

	if (!txn)
		return;
	for (u32 i = 0; i < s->nr_timers; i++)
		s->timers[i].dead |= s->timers[i].txn == txn;
	for (u32 i = 0; i < s->nr_handlers; i++) {
		if (s->handlers[i].txn == txn)
			unref(s, s->handlers[i].ref);
		else
			s->handlers[n++] = s->handlers[i];
	}
	if (n != s->nr_handlers) {
		s->nr_handlers = n;
		handlers_update(s);
	}
}

/* ---- running ---- */

int script_go(struct script *s, lua_State *co, int ref, int nargs, enum lua_call kind,
	      struct err *err)
{
	bool done;
	int ret;

	s->origin = ORIGIN_SCRIPT;
	s->current = co;
	s->waiting = false;
	gate_begin(s);
	ret = lua_box_resume(s->box, co, nargs, &done, kind, err);
	s->current = NULL;
	if (!ret && !done && !s->waiting) {
		ret = err_set(err, ERR_SCRIPT,
			      "a script yielded outside its own coroutines; to let "
			      "time pass use wait()");
		done = true;
	}
	if (!ret && !done) {
		s->wait.ref = ref;
		if (timers_add(s, &s->wait)) {
			ret = err_set(err, ERR_LIMIT, "more than %d timers", SCRIPT_TIMERS_MAX);
			done = true;
		}
	}
	if (done)
		unref(s, ref);
	if (ret)
		gate_rollback(s);
	else
		gate_commit(s);
	return ret;
}

static void run_call(struct script *s, struct script_timer *t)
{
	struct err err = { 0 };

	if (!lua_checkstack(s->box->L, 4))
		return;
	lua_rawgeti(s->box->L, LUA_REGISTRYINDEX, t->ref);
	s->running = t->id;
	if (script_start(s, LUA_CALL_CALLBACK, &err)) {
		if (t->kind == TIMER_EVERY)
			err_wrap(&err, "every() stops");
		script_failed(s, s->box, &err);
		t->dead = true;
	}
	if (t->kind == TIMER_CALL || t->dead || !s->running) {
		drop(s, t);
		return;
	}
	s->running = 0;
	t->when += t->period;
	timers_add(s, t);
}

static void run_thread(struct script *s, struct script_timer *t)
{
	lua_State *L = s->box->L, *co;
	struct err err = { 0 };

	if (!lua_checkstack(L, 4))
		return;
	if (t->kind == TIMER_UNTIL) {
		bool go;

		lua_rawgeti(L, LUA_REGISTRYINDEX, t->cond);
		if (script_callback(s, 0, 1, &err)) {
			err_wrap(&err, "wait_until() gives up");
			script_failed(s, s->box, &err);
			drop(s, t);
			return;
		}
		go = lua_toboolean(L, -1);
		lua_pop(L, 1);
		if (!go) {
			t->when += t->period;
			timers_add(s, t);
			return;
		}
		unref(s, t->cond);
	}
	lua_rawgeti(L, LUA_REGISTRYINDEX, t->ref);
	co = lua_tothread(L, -1);
	lua_pop(L, 1);
	if (script_go(s, co, t->ref, 0, LUA_CALL_CALLBACK, &err))
		script_failed(s, s->box, &err);
}

/* A script whose callbacks let no time pass: end all of its timers. */
static void too_many(struct script *s)
{
	struct err err = { 0 };
	char at[32];

	err_set(&err, ERR_LIMIT,
		"%d callbacks at %s and time does not pass; all timers of the script "
		"end (limit: one instant)",
		SCRIPT_CALLS_PER_INSTANT, format_time(at, sizeof(at), s->sim->g->now));
	s->box->trace[0] = '\0';
	script_failed(s, s->box, &err);
	for (u32 i = 0; i < s->nr_timers; i++)
		s->timers[i].dead = true;
	while (s->nr_timers) {
		struct script_timer t = pop(s);

		drop(s, &t);
	}
}

static bool count_call(struct script *s)
{
	if (s->instant != s->sim->g->now) {
		s->instant = s->sim->g->now;
		s->nr_instant = 0;
	}
	return ++s->nr_instant <= SCRIPT_CALLS_PER_INSTANT;
}

void script_hook(void *ctx, struct sim *sim)
{
	struct script *s = ctx;

	while (s->nr_timers && (s->timers[0].dead || s->timers[0].when <= sim->g->now)) {
		struct script_timer t = pop(s);

		if (t.dead) {
			drop(s, &t);
			continue;
		}
		if (!count_call(s)) {
			drop(s, &t);
			too_many(s);
			break;
		}
		if (t.kind == TIMER_CALL || t.kind == TIMER_EVERY)
			run_call(s, &t);
		else
			run_thread(s, &t);
		/* What it did takes effect before the next one, in the order of the journal. */
	}
	timers_arm(s);
}

/* ---- handlers of trace events ---- */

static u64 serial_of(const struct sim *sim, u32 id)
{
	return id < arena_len(&sim->arena, POOL_TASK) ? sim->tasks[id].serial : ~0ull;
}

/* Note an event down: in here the simulation is in the middle of it. */
static void probe(void *ctx, const struct trace_rec *rec)
{
	struct script *s = ctx;
	const struct trace_event_desc *d = &trace_event_descs[rec->type];
	struct script_record *r;

	if (s->sim->replaying)
		return;
	if (s->nr_queue >= SCRIPT_QUEUE_MAX) {
		s->dropped++;
		return;
	}
	if (s->nr_queue == s->cap_queue) {
		s->cap_queue = s->cap_queue ? 2 * s->cap_queue : 64;
		s->queue = xrealloc_array(s->queue, s->cap_queue, sizeof(*s->queue));
	}
	r = &s->queue[s->nr_queue++];
	r->rec = *rec;
	r->serial = trace_names_task(d->task) ? serial_of(s->sim, rec->task) : ~0ull;
	r->serial2 = trace_names_task(d->a) ? serial_of(s->sim, (u32)rec->a) : ~0ull;
	s->sim->boundary_wanted = true;
}

void handlers_update(struct script *s)
{
	u64 mask = 0;

	if (!s->sim || s->main)
		return;
	for (u32 i = 0; i < s->nr_handlers; i++)
		if (!s->handlers[i].dead)
			mask |= TRACE_BIT(s->handlers[i].type);
	trace_remove_probe(&s->sim->trace, s);
	if (mask &&
	    trace_add_probe(&s->sim->trace,
			    &(struct trace_probe){ .mask = mask, .fn = probe, .ctx = s }) &&
	    s->host.warn)
		s->host.warn(s->host.ctx, "on(): too many listeners of trace events");
}

static void set_field(lua_State *L, const char *name, u64 v, u64 serial)
{
	if (!strcmp(name, "-"))
		return;
	if (!trace_names_task(name))
		lua_pushinteger(L, (lua_Integer)v);
	else if (serial == ~0ull)
		return; /* idle */
	else
		lua_handle_push(L, HANDLE_TASK, serial);
	lua_setfield(L, -2, name);
}

/* event(record): the table a handler gets. */
static int push_event(lua_State *L)
{
	const struct script_record *r = lua_touserdata(L, 1);
	const struct trace_event_desc *d = &trace_event_descs[r->rec.type];
	bool pair_a = strcmp(d->a_hi, "-") != 0, pair_b = strcmp(d->b_hi, "-") != 0;

	lua_createtable(L, 0, 8);
	lua_pushstring(L, d->name);
	lua_setfield(L, -2, "name");
	lua_pushinteger(L, (lua_Integer)r->rec.time);
	lua_setfield(L, -2, "time");
	lua_pushinteger(L, r->rec.cpu);
	lua_setfield(L, -2, "cpu");
	set_field(L, d->task, r->rec.task, r->serial);
	set_field(L, d->a, pair_a ? (u32)r->rec.a : r->rec.a, r->serial2);
	set_field(L, d->a_hi, r->rec.a >> 32, ~0ull);
	set_field(L, d->b, pair_b ? (u32)r->rec.b : r->rec.b, ~0ull);
	set_field(L, d->b_hi, r->rec.b >> 32, ~0ull);
	return 1;
}

/* handle(function, record) */
static int call_handler(lua_State *L)
{
	lua_pushcfunction(L, push_event);
	lua_insert(L, 2);
	lua_call(L, 1, 1);
	lua_call(L, 1, 0);
	return 0;
}

static void run_handler(struct script *s, u32 i, struct script_record *r)
{
	lua_State *L = s->box->L;
	struct err err = { 0 };

	if (!lua_checkstack(L, 5))
		return;
	lua_pushcfunction(L, call_handler);
	lua_rawgeti(L, LUA_REGISTRYINDEX, s->handlers[i].ref);
	lua_pushlightuserdata(L, r);
	if (script_callback(s, 2, 0, &err)) {
		err_wrap(&err, "on(\"%s\") stops", trace_event_descs[r->rec.type].name);
		script_failed(s, s->box, &err);
		if (i < s->nr_handlers)
			s->handlers[i].dead = true;
	}
}

static void sweep_handlers(struct script *s)
{
	u32 n = 0;

	for (u32 i = 0; i < s->nr_handlers; i++) {
		if (s->handlers[i].dead)
			unref(s, s->handlers[i].ref);
		else
			s->handlers[n++] = s->handlers[i];
	}
	if (n == s->nr_handlers)
		return;
	s->nr_handlers = n;
	handlers_update(s);
}

void script_boundary(void *ctx, struct sim *sim)
{
	struct script *s = ctx;
	struct script_record *queue = s->queue;
	u32 n = s->nr_queue;

	/* Handlers may cause no events themselves, but be safe: work on what is there now. */
	s->queue = NULL;
	s->nr_queue = s->cap_queue = 0;
	for (u32 k = 0; k < n; k++) {
		for (u32 i = 0; i < s->nr_handlers; i++)
			if (!s->handlers[i].dead && s->handlers[i].type == queue[k].rec.type)
				run_handler(s, i, &queue[k]);
	}
	if (s->queue) {
		free(queue);
	} else {
		s->queue = queue; /* keep the memory */
		s->cap_queue = n;
	}
	if (s->dropped && s->host.warn) {
		s->host.warn(s->host.ctx, "on(): events came faster than their handlers; some were "
					  "left out");
		s->dropped = 0;
	}
	sweep_handlers(s);
	if (s->revert)
		policies_revert(s, sim);
}

/* ---- bindings ---- */

static u64 arg_when(lua_State *L, int idx, const char *what, bool absolute)
{
	struct sim *sim = script_need_sim(L);
	u64 t = lv_time(L, idx, what);

	if (!absolute)
		return sim->g->now + t;
	if (t < sim->g->now)
		lua_box_fail(L, "%s lies in the past: it is %llu ns now", what,
			     (unsigned long long)sim->g->now);
	return t;
}

static int add_timer(lua_State *L, enum timer_kind kind, u64 when, u64 period, int fn)
{
	struct script *s = script_of(L);
	struct script_timer t = { .when = when, .period = period, .kind = kind, .cond = LUA_NOREF };

	if (s->main)
		return 0;
	luaL_checktype(L, fn, LUA_TFUNCTION);
	lua_pushvalue(L, fn);
	t.ref = luaL_ref(L, LUA_REGISTRYINDEX);
	t.id = ++s->next_id;
	if (timers_add(s, &t)) {
		unref(s, t.ref);
		return lua_box_fail(L, "more than %d timers", SCRIPT_TIMERS_MAX);
	}
	lua_handle_push(L, HANDLE_TIMER, t.id);
	return 1;
}

static int bind_at(lua_State *L)
{
	return add_timer(L, TIMER_CALL, arg_when(L, 1, "at: the time", true), 0, 2);
}

static int bind_after(lua_State *L)
{
	return add_timer(L, TIMER_CALL, arg_when(L, 1, "after: the delay", false), 0, 2);
}

static int bind_every(lua_State *L)
{
	u64 period = lv_time(L, 1, "every: the period");

	if (period < NSEC_PER_USEC)
		return lua_box_fail(L, "every: the period is at least 1us");
	return add_timer(L, TIMER_EVERY, arg_when(L, 1, "every: the period", false), period, 2);
}

/* Give the CPU of the script away until @t is due. */
static int wait_for_timer(lua_State *L, const char *fn, const struct script_timer *t)
{
	struct script *s = script_of(L);

	if (s->main)
		return 0;
	if (s->current != L)
		return lua_box_fail(
			L,
			"%s() works in a scenario and in callbacks of at, after and "
			"every; not at the prompt, in on() or in coroutines of your own",
			fn);
	s->wait = *t;
	s->waiting = true;
	return lua_yield(L, 0);
}

static int bind_wait(lua_State *L)
{
	struct script_timer t = { .kind = TIMER_RESUME, .cond = LUA_NOREF };

	t.when = arg_when(L, 1, "wait: the time", false);
	return wait_for_timer(L, "wait", &t);
}

static int bind_wait_until(lua_State *L)
{
	struct script_timer t = { .kind = TIMER_RESUME, .cond = LUA_NOREF };

	if (lua_type(L, 1) != LUA_TFUNCTION) {
		t.when = arg_when(L, 1, "wait_until: the time", true);
		return wait_for_timer(L, "wait_until", &t);
	}
	t.kind = TIMER_UNTIL;
	t.period = lua_isnoneornil(L, 2) ? NSEC_PER_MSEC : lv_time(L, 2, "wait_until: the period");
	if (t.period < NSEC_PER_USEC)
		return lua_box_fail(L, "wait_until: the period is at least 1us");
	t.when = script_need_sim(L)->g->now;
	if (script_of(L)->main || script_of(L)->current != L)
		return wait_for_timer(L, "wait_until", &t);
	lua_pushvalue(L, 1);
	t.cond = luaL_ref(L, LUA_REGISTRYINDEX);
	return wait_for_timer(L, "wait_until", &t);
}

static int bind_cancel(lua_State *L)
{
	struct script *s = script_of(L);
	u64 id = lua_handle_check(L, 1, HANDLE_TIMER);
	bool found = id && id == s->running;

	if (found)
		s->running = 0;
	for (u32 i = 0; i < s->nr_timers; i++) {
		if (s->timers[i].id == id && !s->timers[i].dead)
			s->timers[i].dead = found = true;
	}
	for (u32 i = 0; i < s->nr_handlers; i++) {
		if (s->handlers[i].id == id && !s->handlers[i].dead)
			s->handlers[i].dead = found = true;
	}
	if (found && s->sim)
		s->sim->boundary_wanted = true; /* handlers are taken off there */
	lua_pushboolean(L, found);
	return 1;
}

static int bind_on(lua_State *L)
{
	const char *names[NR_TRACE_TYPES];
	struct script *s = script_of(L);
	const char *name = lv_text(L, 1, "on: the event", 1, 63);
	struct script_handler h = { 0 };

	luaL_checktype(L, 2, LUA_TFUNCTION);
	for (h.type = 0; h.type < NR_TRACE_TYPES; h.type++) {
		names[h.type] = trace_event_descs[h.type].name;
		if (!strcmp(name, names[h.type]))
			break;
	}
	if (h.type == NR_TRACE_TYPES)
		return lv_unknown(L, "on", "event", name, names, NR_TRACE_TYPES);
	script_need_sim(L);
	if (s->main)
		return 0;
	if (s->nr_handlers >= SCRIPT_HANDLERS_MAX)
		return lua_box_fail(L, "on: more than %d handlers", SCRIPT_HANDLERS_MAX);
	lua_pushvalue(L, 2);
	h.ref = luaL_ref(L, LUA_REGISTRYINDEX);
	h.id = ++s->next_id;
	h.txn = s->txn.id;
	s->handlers = xrealloc_array(s->handlers, s->nr_handlers + 1, sizeof(*s->handlers));
	s->handlers[s->nr_handlers++] = h;
	handlers_update(s);
	lua_handle_push(L, HANDLE_TIMER, h.id);
	return 1;
}

const struct lua_binding bind_time_rows[] = {
	{ "at", bind_at, "at(time, function)",
	  "Calls the function at that simulated time, after all events of the instant. Returns a timer." },
	{ "after", bind_after, "after(delay, function)",
	  "Calls the function once the delay has passed. Returns a timer." },
	{ "every", bind_every, "every(period, function)",
	  "Calls the function each period, first after one. A call that fails ends it. Returns a timer." },
	{ "wait", bind_wait, "wait(time)",
	  "Lets simulated time pass; the script goes on at the next line after it." },
	{ "wait_until", bind_wait_until, "wait_until(time | function [, period])",
	  "Waits for a point in time, or until the function returns true; it is asked each period "
	  "(1ms)." },
	{ "on", bind_on, "on(event, function(ev))",
	  "Calls the function after each event of that name (list events), with its fields: ev.time, "
	  "ev.cpu, ev.task and its own. Returns a timer to cancel." },
	{ "timer:cancel", bind_cancel, "timer:cancel()",
	  "Ends what at, after, every or on began; false if it had ended." },
	{ NULL, NULL, NULL, NULL },
};
