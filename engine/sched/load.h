/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load.h - weights of tasks and division by them without dividing.
 *
 * Follows kernel/sched/core.c (sched_prio_to_weight, sched_prio_to_wmult, set_load_weight()) and
 * kernel/sched/fair.c (__calc_delta(), calc_delta_fair()); the same in v6.1 and v6.12.
 */
#ifndef SG_ENGINE_SCHED_LOAD_H
#define SG_ENGINE_SCHED_LOAD_H

#include "engine/state.h"

#define NICE_0_LOAD (1ull << 20) /* full resolution: table weight << 10 */
#define WEIGHT_IDLEPRIO 3u
#define WMULT_IDLEPRIO 1431655765u
#define MIN_SHARES 2ull /* full resolution, as the kernel uses it */

extern const u32 sched_prio_to_weight[40]; /* [nice + 20] */
extern const u32 sched_prio_to_wmult[40];

static inline u64 scale_load(u64 w)
{
	return w << SCHED_FIXEDPOINT_SHIFT;
}

/* Full resolution to table units; at least 2 unless it is 0. */
static inline u64 scale_load_down(u64 w)
{
	u64 down = w >> SCHED_FIXEDPOINT_SHIFT;

	return w ? max_u64(2, down) : 0;
}

static inline u64 se_weight(const struct sched_entity *se)
{
	return scale_load_down(se->load.weight);
}

static inline void update_load_add(struct load_weight *lw, u64 inc)
{
	lw->weight += inc;
	lw->inv_weight = 0;
}

static inline void update_load_sub(struct load_weight *lw, u64 dec)
{
	lw->weight -= dec;
	lw->inv_weight = 0;
}

static inline void update_load_set(struct load_weight *lw, u64 w)
{
	lw->weight = w;
	lw->inv_weight = 0;
}

/*
 * load_weight_of - weight of nice value @nice (-20..19), or of SCHED_IDLE. set_load_weight() gives
 * it to an entity that is attached nowhere; others need reweight_task() of load_avg.h.
 */
struct load_weight load_weight_of(s8 nice, bool idle);
void set_load_weight(struct sched_entity *se, s8 nice, bool idle);

/*
 * calc_delta - @delta * @weight / @lw->weight (full resolution both) by multiplication with the
 * inverse, about 32 bits exact: may be one below the true quotient. Fills @lw->inv_weight if it
 * is not known.
 */
u64 calc_delta(u64 delta, u64 weight, struct load_weight *lw);

/* calc_delta_fair - virtual time of @delta ns for @se: itself at nice 0. */
static inline u64 calc_delta_fair(u64 delta, struct sched_entity *se)
{
	return se->load.weight == NICE_0_LOAD ? delta : calc_delta(delta, NICE_0_LOAD, &se->load);
}

#endif
