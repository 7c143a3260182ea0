/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind_policy.c - bindings about policies: filling slots, setting parameters, defining new ones.
 */
#include "app/lua/policy_int.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- defining ---- */

static const char *const slots[] = { "place", "governor", NULL };
static const enum policy_slot slot_numbers[] = { SLOT_PLACE, SLOT_GOVERNOR };
static const char *const functions[] = { "select_task_rq", "target_khz" };

static void free_policy(struct lua_policy *lp)
{
	for (u32 k = 0; k < NR_X_KINDS; k++)
		for (u32 i = 0; i < lp->nr_columns[k]; i++)
			free(lp->columns[k][i]);
	for (u32 i = 0; i < lp->nr_params; i++) {
		free((void *)(uintptr_t)lp->params[i].name);
		free((void *)(uintptr_t)lp->params[i].help);
	}
	free((void *)(uintptr_t)lp->pol.name);
	free((void *)(uintptr_t)lp->pol.summary);
	free(lp);
}

void policies_free(struct script *s, u32 keep)
{
	struct script *side;

	while (s->nr_policies > keep) {
		struct lua_policy *lp = s->policies[s->nr_policies - 1];
		struct sim *sim = s->sim;

		/* Take it out of the registry, and out of its slot should it be there. */
		for (u32 i = 0; sim && i < sim->nr_registry; i++) {
			if (sim->registry[i] != &lp->pol)
				continue;
			sim->registry[i] = policy_fallback(sim, lp->pol.slot);
			if (sim->policy[lp->pol.slot] == &lp->pol)
				sim->policy[lp->pol.slot] = sim->registry[i];
			if (i + 1 == sim->nr_registry)
				sim->nr_registry--;
		}
		side = lp->side;
		s->nr_policies--;
		free_policy(lp);
		for (u32 i = 0; side && i < s->nr_policies; i++)
			if (s->policies[i]->side == side)
				side = NULL;
		script_free(side);
	}
	if (!keep) {
		free(s->policies);
		s->policies = NULL;
	}
}

static void read_params(lua_State *L, struct lua_policy *lp)
{
	int t = lua_gettop(L);

	luaL_checktype(L, t, LUA_TTABLE);
	/* In the order of names, which is the same in every run. */
	lua_pushcfunction(L, lua_ordered_pairs);
	lua_pushvalue(L, t);
	lua_call(L, 1, 3);
	for (;;) {
		struct policy_param *p = &lp->params[lp->nr_params];
		int d;

		lua_pushvalue(L, -3);
		lua_pushvalue(L, -3);
		lua_pushvalue(L, -3);
		lua_call(L, 2, 2);
		if (lua_isnil(L, -2))
			break;
		if (lp->nr_params == POLICY_PARAMS_MAX - 4)
			lua_box_fail(L, "policy.define: more than %d parameters",
				     POLICY_PARAMS_MAX - 4);
		d = lua_gettop(L);
		lv_fields(L, d, "policy.define: a parameter", "default min max unit help", false);
		p->min = INT64_MIN;
		p->max = INT64_MAX;
		if (lv_field(L, d, "default"))
			p->def = lv_int(L, -1, "policy.define: default", INT64_MIN, INT64_MAX);
		if (lv_field(L, d, "min"))
			p->min = lv_int(L, -1, "policy.define: min", INT64_MIN, INT64_MAX);
		if (lv_field(L, d, "max"))
			p->max = lv_int(L, -1, "policy.define: max", INT64_MIN, INT64_MAX);
		if (p->def < p->min || p->def > p->max)
			lua_box_fail(L, "policy.define: a default lies outside min .. max");
		if (lv_field(L, d, "help"))
			p->help = xstrdup(lv_text(L, -1, "policy.define: help", 0, 200));
		p->name = xstrdup(lv_text(L, d - 1, "policy.define: parameter", 1, 40));
		lp->nr_params++;
		lua_settop(L, d - 1);
		lua_replace(L, d - 2); /* the control value */
		lua_settop(L, d - 2);
	}
	lua_settop(L, t - 1);
}

static void read_columns(lua_State *L, struct lua_policy *lp)
{
	static const char *const kinds[NR_X_KINDS] = { "task", "cpu", "machine" };
	int t = lua_gettop(L);

	lv_fields(L, t, "policy.define: x", "task cpu machine", false);
	for (u32 k = 0; k < NR_X_KINDS; k++) {
		u32 max = k == X_MACHINE ? MARK - lp->nr_params : COLUMNS;
		lua_Integer n;

		if (!lv_field(L, t, kinds[k]))
			continue;
		luaL_checktype(L, -1, LUA_TTABLE);
		n = (lua_Integer)lua_rawlen(L, -1);
		if (n > (lua_Integer)max)
			lua_box_fail(L, "policy.define: x.%s has %lld fields; %u is the most",
				     kinds[k], (long long)n, max);
		for (lua_Integer i = 1; i <= n; i++) {
			lua_rawgeti(L, -1, i);
			lp->columns[k][lp->nr_columns[k]] =
				xstrdup(lv_text(L, -1, "policy.define: a field of x", 1, 40));
			lp->nr_columns[k]++;
			lua_pop(L, 1);
		}
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
}

/* On the side: the function of the policy that the script registered. */
static int define_on_side(lua_State *L, int slot, const char *name)
{
	struct script *side = script_of(L), *s = side->main;

	for (u32 i = 0; i < s->nr_policies; i++) {
		struct lua_policy *lp = s->policies[i];

		if (lp->side || lp->pol.slot != slot_numbers[slot] ||
		    strcmp(lp->pol.name, name) != 0)
			continue;
		lua_getfield(L, 1, functions[slot]);
		luaL_checktype(L, -1, LUA_TFUNCTION);
		lp->fn = luaL_ref(L, LUA_REGISTRYINDEX);
		policy_push_ctx(L);
		lp->ctx = luaL_ref(L, LUA_REGISTRYINDEX);
		lp->side = side;
		return 0;
	}
	return 0;
}

static int bind_define(lua_State *L)
{
	struct script *s = script_of(L);
	struct lua_policy *lp;
	struct err err = { 0 };
	struct sim *sim;
	const char *name;
	int slot;

	lv_fields(L, 1, "policy.define", "slot name params x summary select_task_rq target_khz",
		  false);
	lua_settop(L, 1);
	lua_getfield(L, 1, "slot");
	slot = lv_choice(L, -1, "policy.define: slot", slots);
	lua_getfield(L, 1, "name");
	name = lv_text(L, -1, "policy.define: name", 1, 40);
	if (lua_getfield(L, 1, functions[slot]) != LUA_TFUNCTION)
		return lua_box_fail(L, "policy.define: slot \"%s\" needs a function %s",
				    slots[slot], functions[slot]);
	if (s->main)
		return define_on_side(L, slot, name);
	sim = script_need_sim(L);
	if (!s->loading)
		return lua_box_fail(
			L, "policy.define stands in the file itself, before any wait(), or "
			   "at the prompt");
	for (u32 i = 0; i < nr_builtin_policies; i++)
		if (builtin_policies[i]->slot == slot_numbers[slot] &&
		    !strcmp(builtin_policies[i]->name, name))
			return lua_box_fail(
				L, "policy.define: there is a built-in policy of this name");
	/* Owned by the script at once: whatever fails below, it is freed with it. */
	s->policies = xrealloc_array(s->policies, s->nr_policies + 1, sizeof(*s->policies));
	lp = xcalloc(1, sizeof(*lp));
	s->policies[s->nr_policies++] = lp;
	lp->main = s;
	lp->fn = lp->ctx = LUA_NOREF;
	lp->token = ++s->next_id;
	lp->pol.slot = slot_numbers[slot];
	lp->pol.ops = slot ? (const void *)&lua_governor_ops : (const void *)&lua_place_ops;
	lp->pol.priv = lp;
	lp->pol.params = lp->params;
	lp->pol.name = xstrdup(name);
	lp->pol.doc = "A policy of the scenario, in Lua.";
	if (lv_field(L, 1, "params"))
		read_params(L, lp);
	if (lv_field(L, 1, "x"))
		read_columns(L, lp);
	if (lv_field(L, 1, "summary"))
		lp->pol.summary = xstrdup(lv_text(L, -1, "policy.define: summary", 0, 200));
	else
		lp->pol.summary = xstrdup("defined by the scenario");
	if (sim_register_policy(sim, &lp->pol, &err) < 0)
		return lua_box_fail(L, "policy.define: %s", err.msg);
	s->defines_policy = true;
	return 0;
}

int policies_finish(struct script *s, const char *text, size_t len, const char *name,
		    struct err *err)
{
	struct script *side = script_side_new(s, err);
	bool used = false;
	char clean[64];

	if (!side)
		return -1;
	if (script_side_load(side, text, len, name, err)) {
		for (u32 i = 0; i < s->nr_policies; i++)
			if (s->policies[i]->side == side)
				s->policies[i]->side = NULL;
		script_free(side);
		return err_wrap(err, "loading it again for its policies");
	}
	for (u32 i = 0; i < s->nr_policies; i++) {
		if (!s->policies[i]->side) {
			text_clean(clean, sizeof(clean), s->policies[i]->pol.name);
			err_set(err, ERR_SCRIPT,
				"policy.define of \"%s\" was not reached when the file "
				"was loaded for its policies; it must not depend on "
				"anything that changes",
				clean);
		}
		used |= s->policies[i]->side == side;
	}
	if (!used)
		script_free(side);
	return err->code ? -1 : 0;
}

/* ---- using ---- */

static int slot_arg(lua_State *L, int idx, const char *fn)
{
	const char *name = lv_text(L, idx, fn, 1, 40);

	for (int i = 0; i < NR_SLOTS; i++)
		if (!strcmp(policy_slot_names[i], name))
			return i;
	return lv_unknown(L, fn, "slot", name, policy_slot_names, NR_SLOTS);
}

static int bind_use(lua_State *L)
{
	struct sim_input in = { .kind = INPUT_USE_POLICY };
	struct sim *sim = script_need_sim(L);
	int slot = slot_arg(L, 1, "policy.use");
	const char *name = lv_text(L, 2, "policy.use: name", 1, 40);
	const char *names[SIM_REGISTRY_MAX];
	u32 nr = 0;

	in.a = slot;
	in.b = sim_policy_index(sim, (enum policy_slot)slot, name);
	if (in.b < 0) {
		for (u32 i = 0; i < sim->nr_registry; i++)
			if (sim->registry[i]->slot == (enum policy_slot)slot)
				names[nr++] = sim->registry[i]->name;
		return lv_unknown(L, "policy.use", "policy", name, names, nr);
	}
	gate_input(L, &in, NULL);
	return 0;
}

/* A value in the unit of what is set: a time may be written as one. */
static s64 value_arg(lua_State *L, int idx, const char *what, const char *unit)
{
	static const struct {
		const char *unit;
		u64 ns;
	} scales[] = { { "ns", 1 }, { "us", NSEC_PER_USEC }, { "ms", NSEC_PER_MSEC } };

	if (lua_type(L, idx) == LUA_TBOOLEAN)
		return lua_toboolean(L, idx);
	for (size_t i = 0; unit && i < ARRAY_SIZE(scales); i++)
		if (lua_type(L, idx) == LUA_TSTRING && !strcmp(unit, scales[i].unit))
			return (s64)(lv_time(L, idx, what) / scales[i].ns);
	return lv_int(L, idx, what, INT64_MIN, INT64_MAX);
}

static int set_param(lua_State *L, const char *name, const char *dot)
{
	struct sim *sim = script_need_sim(L);
	struct sim_input in = { .kind = INPUT_SET_PARAM };
	const char *names[POLICY_PARAMS_MAX];
	const struct policy_param *p;
	const struct journal *j = &sim->journal;
	u32 nr = 0, index;
	int slot;

	lua_pushlstring(L, name, (size_t)(dot - name));
	slot = slot_arg(L, lua_gettop(L), "policy.set");
	index = sim->g->policy[slot];
	/* A policy.use that is on its way counts. */
	for (u32 i = j->applied; i < j->nr; i++)
		if (j->e[i].kind == INPUT_USE_POLICY && j->e[i].a == slot)
			index = (u32)j->e[i].b;
	in.a = slot;
	for (p = sim->registry[index]->params; p && p->name && nr < POLICY_PARAMS_MAX; p++, nr++) {
		names[nr] = p->name;
		if (strcmp(p->name, dot + 1) != 0)
			continue;
		in.b = (s64)nr;
		in.c = value_arg(L, 2, "policy.set: the value", p->unit);
		if (in.c < p->min || in.c > p->max)
			return lua_box_fail(L, "policy.set: %s takes %lld .. %lld, not %lld",
					    p->name, (long long)p->min, (long long)p->max,
					    (long long)in.c);
		gate_input(L, &in, NULL);
		return 0;
	}
	return lv_unknown(L, "policy.set", "parameter", dot + 1, names, nr);
}

static int bind_set(lua_State *L)
{
	const char *name = lv_text(L, 1, "policy.set", 1, 80);
	const char *dot = strchr(name, '.');
	struct sim_input in = { .kind = INPUT_TUNABLE };
	const char *names[128];
	u32 nr = 0;

	lua_settop(L, 2);
	if (dot)
		return set_param(L, name, dot);
	in.a = sim_tunable_index(name);
	if (in.a < 0) {
		for (u32 i = 0; i < nr_sim_tunables && nr < ARRAY_SIZE(names); i++)
			names[nr++] = sim_tunables[i].name;
		return lv_unknown(L, "policy.set", "tunable or SLOT.PARAMETER", name, names, nr);
	}
	in.b = value_arg(L, 2, "policy.set: the value", sim_tunables[in.a].unit);
	gate_input(L, &in, NULL);
	return 0;
}

/* policy.name(slot): what fills it now. */
static int bind_name(lua_State *L)
{
	struct sim *sim = script_need_sim(L);

	lua_pushstring(L, sim->policy[slot_arg(L, 1, "policy.name")]->name);
	return 1;
}

void bind_policy_open(lua_State *L)
{
	static const struct {
		const char *name;
		int value;
	} flags[] = { { "WF_TTWU", WF_TTWU },
		      { "WF_FORK", WF_FORK },
		      { "WF_EXEC", WF_EXEC },
		      { "WF_SYNC", WF_SYNC } };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		lua_pushinteger(L, flags[i].value);
		lua_box_set(L, flags[i].name);
	}
	policy_open(L);
}

const struct lua_binding bind_policy_rows[] = {
	{ "policy.use", bind_use, "policy.use(slot, name)",
	  "Fills a policy slot: pick place balance newidle nohz util_est governor (list policies)." },
	{ "policy.set", bind_set, "policy.set(\"slot.parameter\" | tunable, value)",
	  "Sets a parameter of the policy in a slot, or a tunable (list knobs)." },
	{ "policy.name", bind_name, "policy.name(slot)", "The name of the policy in the slot." },
	{ "policy.define", bind_define,
	  "policy.define { slot = \"place\", name =, params =, x =, select_task_rq = function(ctx, "
	  "task, prev, flags) return cpu end }",
	  "Makes a policy of the slot place, or of governor with target_khz = function(ctx, domain, "
	  "cpu) return khz end. ctx has now, this_cpu, nr_cpus, the parameters by name, and the tables "
	  "util, nr_running and capacity by CPU, made anew when read; what it remembers are whole numbers declared in x: task.x.NAME, sched.cpu[i].x.NAME, ctx.x.NAME." },
	{ "WF_FORK", NULL, "flags & WF_FORK ~= 0",
	  "Flags of select_task_rq: WF_TTWU a wake-up, WF_SYNC by a task about to sleep, WF_FORK a new "
	  "task, WF_EXEC." },
	{ NULL, NULL, NULL, NULL },
};
