/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_internal.h - what the files of the simulation's top level share, and nobody else needs.
 */
#ifndef SG_ENGINE_SIM_INTERNAL_H
#define SG_ENGINE_SIM_INTERNAL_H

#include "engine/sim.h"

/* Everything but the high-volume records: what a new ring keeps. */
#define TRACE_DEFAULT                                                                              \
	(TRACE_ALL &                                                                               \
	 ~(TRACE_BIT(TR_pelt_se) | TRACE_BIT(TR_pelt_cfs) | TRACE_BIT(TR_pelt_rt) |                \
	   TRACE_BIT(TR_pelt_irq) | TRACE_BIT(TR_pelt_hw) | TRACE_BIT(TR_pelt_dl) |                \
	   TRACE_BIT(TR_sched_stat_runtime) | TRACE_BIT(TR_sched_util_est_cfs) |                   \
	   TRACE_BIT(TR_sched_tick) | TRACE_BIT(TR_select_cpu_candidate) | TRACE_BIT(TR_pick) |    \
	   TRACE_BIT(TR_nohz_no_kick) | TRACE_BIT(TR_nohz_visit)))

/* sim_profile_index - number of the profile called @name, NULL = the default; -1 with @err. */
int sim_profile_index(const char *name, struct err *err);
/* Slots, tunables and features as profile @profile has them. */
void sim_apply_profile(struct sim *s, u32 profile);
void sim_bind_policies(struct sim *s);
void sim_start_governor(struct sim *s);

/* Parameters of a slot back to the defaults of its policy. */
void sim_reset_params(struct sim *s, enum policy_slot slot);
void sim_tunable_set(struct sim *s, u32 index, u64 value);

/* sim_size_pools - room for the machine @m; sim_build - the machine itself, into it. */
int sim_size_pools(struct sim *s, const struct machine_desc *m, struct err *err);
void sim_build(struct sim *s, const struct machine_desc *m);

/* sim_inputs_due - is the next journal entry to be applied at the present instant? */
bool sim_inputs_due(const struct sim *s, ktime_ns until);
/* Time of the next entry whose event count has been reached, NEVER = none. */
ktime_ns sim_next_input(const struct sim *s);

/* sim_drain_resched - every CPU that was flagged looks again, lowest number first. */
void sim_drain_resched(struct sim *s);
/*
 * sim_resize_sources - room in the event queue for timers of @groups groups and for @tasks tasks, none
 * fewer than before; what is armed stays armed. -1 with @err.
 */
int sim_resize_sources(struct sim *s, u32 groups, u32 tasks, struct err *err);
/* sim_room_masks - room for @n more interned CPU sets. */
int sim_room_masks(struct sim *s, u32 n);

#endif
