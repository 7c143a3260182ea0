/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * idle.h - the idle task: tick off and on, choice of an idle state, what idleness draws.
 */
#ifndef SG_ENGINE_SCHED_IDLE_H
#define SG_ENGINE_SCHED_IDLE_H

#include "engine/sim.h"

/*
 * idle_enter - the idle task took over: blocked load of others if that was asked for, then stop the
 * tick and choose an idle state. False: there is something to do before, come back after it.
 */
bool idle_enter(struct sim *s, struct rq *rq);
/* idle_exit - a task takes over from idle. */
void idle_exit(struct sim *s, struct rq *rq);
/* idle_power_uw - draw of the CPU in its idle state at its domain's present frequency. */
u64 idle_power_uw(const struct sim *s, const struct rq *rq);

#endif
