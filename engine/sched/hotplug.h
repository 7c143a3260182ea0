/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hotplug.h - CPUs that go offline and come back, and those that keep house for the others.
 */
#ifndef SG_ENGINE_SCHED_HOTPLUG_H
#define SG_ENGINE_SCHED_HOTPLUG_H

#include "engine/sim.h"

/*
 * cpu_down, cpu_up - take @cpu, not the last one, offline, or bring it back; nothing if it is so
 * already. Between events only: pools may move. -1 with s->err when memory or a limit is reached,
 * and everything is as before.
 */
int cpu_down(struct sim *s, cpu_id cpu);
int cpu_up(struct sim *s, cpu_id cpu);

/* housekeeping_cpu - first housekeeping CPU that is online; without one, the first online. */
cpu_id housekeeping_cpu(const struct sim *s);

/* housekeeping_set - from now on the CPUs of mask @words keep house. Room for a mask is there. */
void housekeeping_set(struct sim *s, const u64 *words);

#endif
