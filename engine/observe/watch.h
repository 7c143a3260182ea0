/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watch.h - invariants that take two looks: what may not happen from one event to the next.
 *
 * A watch stands beside a simulation and changes nothing in it. sim_check() looks at one moment; a
 * watch also knows the moments before.
 */
#ifndef SG_ENGINE_OBSERVE_WATCH_H
#define SG_ENGINE_OBSERVE_WATCH_H

#include "engine/sim.h"

struct sim_watch;

/* sim_watch_new - NULL when memory is short. sim_watch_free - NULL is allowed. */
struct sim_watch *sim_watch_new(void);
void sim_watch_free(struct sim_watch *w);

/*
 * sim_watch_look - look at @s: sim_check(), and against the look before
 *   - clocks of CPUs do not go back;
 *   - a task's run step is over when exactly the work asked for is done: the time its CPU gave it at
 *     the speed the CPU had, to the nanosecond;
 *   - a task that was woken runs before it sleeps again;
 *   - a runnable fair task outside groups does not wait longer than its picker allows (watch.c).
 * There must be a look after each event and each input. Returns 0, or -1 with @err.
 */
int sim_watch_look(struct sim_watch *w, const struct sim *s, struct err *err);

/*
 * sim_watch_step - like sim_run_until(@until, one event), with looks around what happens.
 * SIM_ERROR: *@err says why; the simulation's own err is set only if it stopped by itself.
 */
enum sim_stop sim_watch_step(struct sim_watch *w, struct sim *s, ktime_ns until, struct err *err);

/* sim_watch_longest - the longest wait of a task so far in 1/1000 of what was allowed. */
u32 sim_watch_longest(const struct sim_watch *w);

#endif
