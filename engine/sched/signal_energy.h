/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * signal_energy.h - energy as the scheduler's signals tell it: the energy model over time.
 *
 * Developers estimate the energy of a change from traces: at each change of utilisation the energy
 * model says what the domain draws, and that counts until the next one. Follows eenv_pd_busy_time(),
 * eenv_pd_max_util() of kernel/sched/fair.c with no task to place, and em_cpu_energy(), of v6.12, or
 * of v6.1 where the feature HEADROOM_FIRST is off. It is a statistic: nothing in the model reads it.
 * A signal that the kernel has not updated counts as it is stored, as in such a trace.
 */
#ifndef SG_ENGINE_SCHED_SIGNAL_ENERGY_H
#define SG_ENGINE_SCHED_SIGNAL_ENERGY_H

#include "engine/sim.h"

/* signal_energy_cpu - a signal of @cpu may have changed: count what was, and draw anew. */
void signal_energy_cpu(struct sim *s, cpu_id cpu);

/* signal_energy_update - the same, for callers that do not know whether there is an energy model. */
static inline void signal_energy_update(struct sim *s, cpu_id cpu)
{
	if (s->g->has_em)
		signal_energy_cpu(s, cpu);
}

#endif
