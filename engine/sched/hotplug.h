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

/*
 * domains_rebuild - decide which partitions can be (partition.h; @changed as there) and build the domains
 * anew: @always, or if partitions are others than before, which *@moved tells. -1 with s->err and
 * everything as before.
 */
int domains_rebuild(struct sim *s, u32 changed, bool always, bool *moved);

/* root_domain_reset - domains are new: nothing is known about them yet. */
void root_domain_reset(struct sim *s);

/* housekeeping_cpu - first housekeeping CPU that is online; without one, the first online. */
cpu_id housekeeping_cpu(const struct sim *s);

/* housekeeping_set - from now on the CPUs of mask @words keep house. Room for a mask is there. */
void housekeeping_set(struct sim *s, const u64 *words);

#endif
