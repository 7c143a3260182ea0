/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine_spec.h - machines from a few characters: 6+2, 4+2+2, 4x16, 8.
 */
#ifndef SG_APP_MACHINE_SPEC_H
#define SG_APP_MACHINE_SPEC_H

#include "engine/base/err.h"
#include "engine/hw/machine.h"

/*
 * machine_spec_parse - A+B: A little and B big cores of sc7180; A+B+C: little, middle and big cores
 * of gs101; one frequency domain per kind. NxM: N nodes of M CPUs like those of smp8, each node a
 * package with one last-level cache, distance 20 between nodes. A plain number: one such node.
 * The models are read from @dir. Returns 0 with *@out, or -1 with @err (its col points into @spec).
 */
int machine_spec_parse(const char *spec, const char *dir, struct machine_desc **out,
		       struct err *err);

#endif
