/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy.c - policies written in Lua behind the same const tables as the built-in ones.
 *
 * policy.define in the script registers the policy; its functions come from a second state, the
 * side, in which the same text was loaded with effects as no-ops and globals read-only. What such a
 * function wants to remember it declares as fields, x = { task = {...}, cpu = {...}, machine =
 * {...} }: whole numbers in the arena, so that a checkpoint has them. A function that fails is
 * answered for by the policy of the kernel profile; ten failures and the slot goes back to it.
 */
#include "app/lua/policy_int.h"
#include "app/text.h"
#include "app/units.h"
#include "app/xalloc.h"
#include "engine/access.h"
#include "engine/hw/cpufreq.h"
#include "engine/observe/emit.h"
#include "engine/policy/sugov.h"
#include "engine/sched/core.h"
#include "engine/sched/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char x_key = 'x';

/* ---- columns ---- */

static u32 first_column(const struct lua_policy *lp)
{
	return lp->pol.slot == SLOT_PLACE ? 0 : COLUMNS;
}

static s64 *column(struct sim *sim, const struct lua_policy *lp, enum x_kind kind, u64 id, u32 i)
{
	switch (kind) {
	case X_TASK:
		return &sim->policy_task[id * POLICY_COLUMNS + first_column(lp) + i];
	case X_CPU:
		return &sim->policy_cpu[id * POLICY_COLUMNS + first_column(lp) + i];
	default:
		return &sim->policy_global[(u32)lp->pol.slot * POLICY_PARAMS_MAX + lp->nr_params +
					   i];
	}
}

/* The first call after the slot was filled: nothing is remembered from the previous policy. */
static void claim_columns(struct sim *sim, const struct lua_policy *lp)
{
	s64 *mark = &sim->policy_global[(u32)lp->pol.slot * POLICY_PARAMS_MAX + MARK];
	u32 first = first_column(lp);

	if (*mark == (s64)lp->token)
		return;
	for (u32 p = 0; p < arena_len(&sim->arena, POOL_TASK); p++)
		memset(&sim->policy_task[(size_t)p * POLICY_COLUMNS + first], 0,
		       COLUMNS * sizeof(s64));
	for (u32 c = 0; c < sim->g->nr_cpus; c++)
		memset(&sim->policy_cpu[(size_t)c * POLICY_COLUMNS + first], 0,
		       COLUMNS * sizeof(s64));
	*mark = (s64)lp->token;
}

struct x_ref {
	enum x_kind kind;
	u64 id; /* task slot or CPU */
};

static s64 *x_slot(lua_State *L)
{
	const struct x_ref *x = lua_touserdata(L, 1);
	struct script *side = script_of(L);
	const struct lua_policy *lp = side->active;
	const char *key = luaL_checkstring(L, 2);
	const char *names[POLICY_PARAMS_MAX];
	u32 n;

	if (!lp)
		lua_box_fail(L, "x can be used while the policy is asked, not before");
	n = lp->nr_columns[x->kind];
	for (u32 i = 0; i < n; i++) {
		names[i] = lp->columns[x->kind][i];
		if (!strcmp(names[i], key))
			return column(side->sim, lp, x->kind, x->id, i);
	}
	lv_unknown(L, "x", "declared field", key, names, n);
	return NULL;
}

static int x_index(lua_State *L)
{
	lua_pushinteger(L, *x_slot(L));
	return 1;
}

static int x_newindex(lua_State *L)
{
	s64 *v = x_slot(L);

	*v = lv_int(L, 3, "a field of x", INT64_MIN, INT64_MAX);
	return 0;
}

static int push_x(lua_State *L, enum x_kind kind, u64 id)
{
	struct x_ref *x;

	if (!script_of(L)->active)
		return lua_box_fail(L,
				    "x is there for the functions of a policy, while it is asked");
	x = lua_newuserdatauv(L, sizeof(*x), 0);
	x->kind = kind;
	x->id = id;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &x_key);
	lua_setmetatable(L, -2);
	return 1;
}

int policy_push_task_x(lua_State *L, u32 id)
{
	return push_x(L, X_TASK, id);
}

int policy_push_cpu_x(lua_State *L, u32 cpu)
{
	return push_x(L, X_CPU, cpu);
}

/*
 * State of all CPUs as a table by number, which is read faster than handles are asked one by one. A
 * new table each time: one that stayed could be used to remember something.
 */
static int push_all_cpus(lua_State *L, const struct sim *sim,
			 u64 (*value)(const struct sim *, cpu_id))
{
	lua_box_charge(L, 20 + 3 * sim->g->nr_cpus);
	lua_createtable(L, (int)sim->g->nr_cpus - 1, 1);
	for (cpu_id c = 0; c < sim->g->nr_cpus; c++) {
		lua_pushinteger(L, (lua_Integer)value(sim, c));
		lua_rawseti(L, -2, c);
	}
	return 1;
}

static u64 nr_running_of(const struct sim *sim, cpu_id cpu)
{
	return sim->rqs[cpu].nr_running;
}

static u64 capacity_of_cpu(const struct sim *sim, cpu_id cpu)
{
	return sim->rqs[cpu].cpu_capacity;
}

static const struct {
	const char *name;
	u64 (*value)(const struct sim *sim, cpu_id cpu);
} ctx_tables[] = {
	{ "util", sim_cpu_util },
	{ "nr_running", nr_running_of },
	{ "capacity", capacity_of_cpu },
};

/* ctx.key: what the function is asked about, and its parameters. */
static int ctx_index(lua_State *L)
{
	struct script *side = script_of(L);
	const struct lua_policy *lp = side->active;
	const char *key = luaL_checkstring(L, 2);
	const char *names[POLICY_PARAMS_MAX + 4 + ARRAY_SIZE(ctx_tables)] = { "now", "this_cpu",
									      "nr_cpus", "x" };
	u32 nr = 4;

	if (!lp)
		return lua_box_fail(L, "ctx can be used while the policy is asked");
	if (!strcmp(key, "now")) {
		lua_pushinteger(L, (lua_Integer)side->sim->g->now);
		return 1;
	}
	if (!strcmp(key, "this_cpu")) {
		lua_pushinteger(L, lp->this_cpu);
		return 1;
	}
	if (!strcmp(key, "nr_cpus")) {
		lua_pushinteger(L, side->sim->g->nr_cpus);
		return 1;
	}
	if (!strcmp(key, "x"))
		return push_x(L, X_MACHINE, 0);
	for (u32 i = 0; i < lp->nr_params; i++) {
		names[nr++] = lp->params[i].name;
		if (!strcmp(lp->params[i].name, key)) {
			lua_pushinteger(L, sim_policy_param(side->sim, lp->pol.slot, i));
			return 1;
		}
	}
	/* After the parameters: a policy may have one of such a name. */
	for (u32 i = 0; i < ARRAY_SIZE(ctx_tables); i++) {
		names[nr++] = ctx_tables[i].name;
		if (!strcmp(ctx_tables[i].name, key))
			return push_all_cpus(L, side->sim, ctx_tables[i].value);
	}
	return lv_unknown(L, "ctx", "field", key, names, nr);
}

static int ctx_newindex(lua_State *L)
{
	return lua_box_fail(L,
			    "ctx is read-only; what a policy remembers it declares: x = { machine "
			    "= {\"name\"} }, then ctx.x.name");
}

/* ---- being asked ---- */

const struct sched_policy *policy_fallback(const struct sim *sim, enum policy_slot slot)
{
	const char *name = kernel_profiles[sim->g->profile].policy[slot];

	for (u32 i = 0; i < nr_builtin_policies; i++)
		if (builtin_policies[i]->slot == slot && !strcmp(builtin_policies[i]->name, name))
			return builtin_policies[i];
	for (u32 i = 0; i < nr_builtin_policies; i++)
		if (builtin_policies[i]->slot == slot)
			return builtin_policies[i];
	return NULL;
}

static void note_failure(struct sim *sim, struct lua_policy *lp, cpu_id cpu, task_id p,
			 struct err *err)
{
	enum policy_slot slot = lp->pol.slot;
	u32 n = ++sim->g->nr_policy_errors[slot];
	struct script *s = lp->main;
	char name[64];

	sim->stats->policy_errors++;
	trace(sim, TR_policy_error, cpu, p, trace_pair(slot, n), 0);
	if (lp->fails++ < POLICY_FAILS) {
		text_clean(name, sizeof(name), lp->pol.name);
		err_wrap(err, "policy %s \"%s\", call answered by \"%s\"", policy_slot_names[slot],
			 name, policy_fallback(sim, slot)->name);
		script_failed(s, lp->side ? lp->side->box : s->box, err);
	}
	if (n >= POLICY_FAILS && sim == s->sim && !sim->replaying) {
		s->revert |= 1u << slot;
		sim->boundary_wanted = true;
	}
}

void policies_revert(struct script *s, struct sim *sim)
{
	for (u32 slot = 0; slot < NR_SLOTS; slot++) {
		const struct sched_policy *pol = policy_fallback(sim, slot);
		struct sim_input in = { .kind = INPUT_USE_POLICY, .origin = ORIGIN_SCRIPT };
		struct err err = { 0 };
		char text[200], name[64];

		if (!(s->revert >> slot & 1))
			continue;
		text_clean(name, sizeof(name), sim->policy[slot]->name);
		in.a = slot;
		in.b = sim_policy_index(sim, slot, pol->name);
		if (sim_input(sim, &in, NULL, &err))
			continue;
		snprintf(text, sizeof(text), "policy %s \"%s\" failed %d times; \"%s\" takes over",
			 policy_slot_names[slot], name, POLICY_FAILS, pol->name);
		if (s->host.warn)
			s->host.warn(s->host.ctx, text);
	}
	s->revert = 0;
}

struct question {
	struct sim *sim;
	struct lua_policy *lp;
	task_id task;
	cpu_id prev, cpu;
	u32 fd, flags;
	s64 answer;
};

/* ask(question): pushes the arguments, calls the function, reads the answer. */
static int ask(lua_State *L)
{
	struct question *q = lua_touserdata(L, 1);
	struct lua_policy *lp = q->lp;
	struct sim *sim = q->sim;

	lua_rawgeti(L, LUA_REGISTRYINDEX, lp->fn);
	lua_rawgeti(L, LUA_REGISTRYINDEX, lp->ctx);
	if (lp->pol.slot == SLOT_PLACE) {
		push_task(L, sim, q->task);
		lua_pushinteger(L, q->prev);
		lua_pushinteger(L, q->flags);
		lua_call(L, 4, 1);
		q->answer = lv_cpu(L, -1, "the CPU that select_task_rq returns", sim->g->nr_cpus);
		if (!cpu_allowed(sim, &sim->tasks[q->task], (cpu_id)q->answer))
			lua_box_fail(
				L,
				"select_task_rq returned CPU %lld, where the task may not run; "
				"task:allows(cpu) tells",
				(long long)q->answer);
	} else {
		lua_handle_push(L, HANDLE_DOMAIN, q->fd);
		lua_pushinteger(L, q->cpu);
		lua_call(L, 3, 1);
		q->answer = lv_int(L, -1, "the frequency in kHz that target_khz returns", 0,
				   1000000000);
	}
	return 0;
}

/* Ask the policy's function; false: the fallback has to answer. */
static bool ask_policy(struct question *q)
{
	struct lua_policy *lp = q->lp;
	struct script *side = lp->side;
	struct sim *sim = q->sim, *usual;
	struct err err = { 0 };
	bool ok = false;

	if (sim->g->nr_policy_errors[lp->pol.slot] >= POLICY_FAILS)
		return false;
	if (!side) {
		err_set(&err, ERR_SCRIPT, "it has no function yet");
	} else if (side->active) {
		err_set(&err, ERR_SCRIPT, "it is asked while it is asked");
	} else if (lua_checkstack(side->box->L, 4)) {
		claim_columns(sim, lp);
		usual = side->sim;
		side->sim = sim; /* it may be a copy that runs */
		side->active = lp;
		lp->this_cpu = q->cpu;
		lua_pushcfunction(side->box->L, ask);
		lua_pushlightuserdata(side->box->L, q);
		ok = !lua_box_call(side->box, 1, 0, LUA_CALL_POLICY, &err);
		side->active = NULL;
		side->sim = usual;
	}
	if (!ok)
		note_failure(sim, lp, q->cpu, q->task, &err);
	return ok;
}

/* The tables are const for the engine; a Lua policy's own part is not. */
static struct lua_policy *policy_of(const void *priv)
{
	return (struct lua_policy *)(uintptr_t)priv;
}

static cpu_id lua_select_task_rq(struct sim *sim, const void *priv, task_id p, cpu_id prev,
				 cpu_id this_cpu, u32 flags)
{
	struct question q = { .sim = sim,
			      .lp = policy_of(priv),
			      .task = p,
			      .prev = prev,
			      .cpu = this_cpu,
			      .flags = flags };
	const struct place_ops *ops;

	if (ask_policy(&q))
		return (cpu_id)q.answer;
	ops = policy_fallback(sim, SLOT_PLACE)->ops;
	return ops->select_task_rq(sim, NULL, p, prev, this_cpu, flags);
}

static void lua_governor_start(struct sim *sim, const void *priv, u32 fd)
{
	const struct governor_ops *ops = governor_schedutil.ops;

	(void)priv;
	ops->start(sim, NULL, fd);
}

static void lua_governor_update(struct sim *sim, const void *priv, cpu_id cpu, u32 flags)
{
	const struct governor_ops *ops = governor_schedutil.ops;
	u32 fd = sim->topo[cpu].fd, khz, i;
	struct freq_domain *d = &sim->fds[fd];
	u64 time = sim->rqs[cpu].clock;
	struct question q = {
		.sim = sim, .lp = policy_of(priv), .task = NONE, .cpu = cpu, .fd = fd, .flags = flags
	};

	if (sim->g->nr_policy_errors[SLOT_GOVERNOR] >= POLICY_FAILS) {
		ops->update(sim, NULL, cpu, flags);
		return;
	}
	/* As often as schedutil would look. */
	if ((s64)(time - d->last_freq_update_time) < (s64)d->freq_update_delay_ns &&
	    !d->limits_changed)
		return;
	if (!ask_policy(&q)) {
		ops->update(sim, NULL, cpu, flags);
		return;
	}
	d->limits_changed = 0;
	d->last_freq_update_time = time;
	i = cpufreq_resolve(&sim->opps[d->first_opp], d->nr_opps, d->min_khz, d->max_khz,
			    (u32)q.answer, 0);
	khz = sim->opps[d->first_opp + i].khz;
	if (d->next_freq == khz)
		return;
	d->next_freq = khz;
	trace(sim, TR_cpu_frequency_request, d->first_cpu, NONE, trace_pair(khz, fd),
	      trace_pair(0, (u32)q.answer));
	if (!d->fast_switch) {
		if (d->work_in_progress)
			return;
		d->work_in_progress = 1;
	}
	cpufreq_request(sim, fd, khz);
}

const struct place_ops lua_place_ops = { .select_task_rq = lua_select_task_rq };
const struct governor_ops lua_governor_ops = { .update = lua_governor_update,
					       .start = lua_governor_start };

/* ---- what its functions get ---- */

void policy_open(lua_State *L)
{
	lua_createtable(L, 0, 3);
	lua_pushcfunction(L, x_index);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, x_newindex);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_rawsetp(L, LUA_REGISTRYINDEX, &x_key);
}

void policy_push_ctx(lua_State *L)
{
	lua_newtable(L);
	lua_createtable(L, 0, 3);
	lua_pushcfunction(L, ctx_index);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, ctx_newindex);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
}
