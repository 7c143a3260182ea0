/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind_step.h - from the tables of scripts/lua/steps.lua to the engine's task programs.
 */
#ifndef SG_APP_LUA_BIND_STEP_H
#define SG_APP_LUA_BIND_STEP_H

#include "app/lua/state.h"
#include "engine/workload/program.h"

/* step_program - append the steps of the value at @idx to @spec; raises. @depth: forks around it. */
void step_program(lua_State *L, int idx, struct task_spec *spec, u32 nr_cpus, u32 depth);

/* step_mask - add the CPUs at @idx to the masks of @spec; returns the index. */
u32 step_mask(lua_State *L, int idx, const char *what, struct task_spec *spec, u32 nr_cpus);

/* step_spec_box - push an owner of a new task_spec: freed with the value, however things end. */
struct task_spec **step_spec_box(lua_State *L, const char *name);

/* lua_push_spec - the table at @idx as task.spawn takes it, in a box on top of the stack. */
struct task_spec **lua_push_spec(lua_State *L, int idx, u32 nr_cpus, u32 depth);

#endif
