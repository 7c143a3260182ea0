/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pelt_table.h - constants of the geometric series: kernel/sched/sched-pelt.h.
 */
#ifndef SG_ENGINE_SCHED_PELT_TABLE_H
#define SG_ENGINE_SCHED_PELT_TABLE_H

#include "engine/base/types.h"

#define LOAD_AVG_PERIOD 32u /* periods in which a value halves */
#define LOAD_AVG_MAX 47742u /* limit of 1024 * (1 + y + y^2 + ...) in integers */
#define PELT_MIN_DIVIDER (LOAD_AVG_MAX - 1024u)
#define PELT_DECAY_END (LOAD_AVG_PERIOD * 63u) /* beyond this many periods nothing is left */

/* A util_sum of this much on a CPU means that it had no idle time. */
#define PELT_FULL_UTIL_SUM ((PELT_MIN_DIVIDER << SCHED_CAPACITY_SHIFT) - LOAD_AVG_MAX)

/* [i] = floor((2^32 - 1) * y^i) with y^32 = 1/2. */
extern const u32 pelt_decay_inverse[LOAD_AVG_PERIOD];

/*
 * [p] = LOAD_AVG_MAX - decay(LOAD_AVG_MAX, p) - 1024: what the full periods between the first and
 * the last boundary contribute, for p = 0 .. 511 boundaries; constant from there on.
 */
#define PELT_FULL_PERIODS 513u
extern const u16 pelt_full_periods[PELT_FULL_PERIODS];

#endif
