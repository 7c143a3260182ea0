/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy_int.h - a policy written in Lua, between policy.c, which asks it, and bind_policy.c, which
 * makes it.
 */
#ifndef SG_APP_LUA_POLICY_INT_H
#define SG_APP_LUA_POLICY_INT_H

#include "app/lua/script_int.h"

#define POLICY_FAILS 10
#define COLUMNS 8 /* of a slot, per task and CPU */
#define MARK (POLICY_PARAMS_MAX - 1) /* machine column that says: columns belong to this policy */

enum x_kind { X_TASK, X_CPU, X_MACHINE, NR_X_KINDS };

struct lua_policy {
	struct sched_policy pol;
	struct policy_param params[POLICY_PARAMS_MAX + 1];
	u32 nr_params;
	char *columns[NR_X_KINDS][POLICY_PARAMS_MAX];
	u32 nr_columns[NR_X_KINDS];
	struct script *main, *side;
	int fn, ctx; /* references in the side's state */
	u64 token;
	cpu_id this_cpu; /* during a call */
	u32 fails; /* told to the user, whatever branch they were in */
};

/* Tables of functions of the two slots that Lua can fill. */
extern const struct place_ops lua_place_ops;
extern const struct governor_ops lua_governor_ops;

/* policy_fallback - the built-in policy that answers for @slot when a Lua one fails. */
const struct sched_policy *policy_fallback(const struct sim *sim, enum policy_slot slot);

/* policy_open - metatables of x; policy_push_ctx - push a new ctx. */
void policy_open(lua_State *L);
void policy_push_ctx(lua_State *L);

#endif
