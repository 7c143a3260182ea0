/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate.c - the one way from a script to the simulation.
 *
 * Every effect becomes a journalled input, so that replay needs no script. The inputs of a call
 * are appended as it makes them and taken off again if it fails: none has been applied yet, because
 * that happens at the next event boundary, and scripts run between events.
 */
#include "app/lua/script_int.h"
#include "engine/workload/workload.h"

#include <stdlib.h>

bool gate_open(lua_State *L)
{
	return !script_of(L)->main;
}

void gate_input(lua_State *L, struct sim_input *in, u64 *serial)
{
	struct script *s = script_of(L);
	struct err err = { 0 };
	struct sim *sim;

	if (s->main)
		return;
	sim = script_need_sim(L);
	in->origin = s->origin;
	/* The engine walks over what is pending to number a new task. */
	lua_box_charge(L, 100 + (in->kind == INPUT_SPAWN ? sim->journal.nr - sim->journal.applied
							 : 0));
	if (sim_input(sim, in, serial, &err))
		lua_box_fail(L, "%s", err.msg);
}

void gate_begin(struct script *s)
{
	s->txn.id = ++s->next_id;
	s->txn.journal_nr = s->sim ? s->sim->journal.nr : 0;
	s->txn.nr_specs = s->sim ? s->sim->specs->nr : 0;
	s->txn.nr_knobs = s->nr_knobs;
	s->txn.nr_expects = s->nr_expects;
	s->txn.nr_published = s->nr_published;
	s->txn.nr_policies = s->nr_policies;
}

void gate_commit(struct script *s)
{
	s->txn.id = 0;
	timers_arm(s);
}

void gate_rollback(struct script *s)
{
	struct journal *j = s->sim ? &s->sim->journal : NULL;

	timers_rollback(s, s->txn.id);
	sim_bindings_drop(s, s->txn.nr_knobs, s->txn.nr_expects);
	published_drop(s, s->txn.nr_published);
	s->txn.id = 0;
	/* Entries that are already in the state cannot be taken back; a call never spans an event. */
	while (j && j->nr > s->txn.journal_nr && j->nr > j->applied) {
		struct journal_entry *e = &j->e[--j->nr];

		free(e->words);
		free(e->text);
		*e = (struct journal_entry){ 0 };
	}
	/* Their descriptions too, which no task has been made from. */
	if (j && s->sim->specs->nr > s->txn.nr_specs && s->txn.nr_specs >= s->sim->g->nr_specs)
		spec_table_truncate(s->sim->specs, s->txn.nr_specs);
	timers_arm(s);
}
