/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topology_int.h - the work area in which sched domains are built, for the two files that build.
 */
#ifndef SG_ENGINE_HW_TOPOLOGY_INT_H
#define SG_ENGINE_HW_TOPOLOGY_INT_H

#include "engine/access.h"
#include "engine/hw/topology.h"
#include "engine/sched/domain.h"

#define LOCAL_DISTANCE 10u
#define RECLAIM_DISTANCE 30u /* node_reclaim_distance */
#define LEVELS_MAX (4 + 64) /* NUMA levels: distinct distances */

struct level {
	enum sd_kind kind;
	u32 distance; /* NUMA: nodes up to here belong together */
};

/* The balance mask of a group, once it is known. */
struct known_balance {
	mask_id group, mask;
};

/* Work area, on the heap. Arrays of levels x CPUs are indexed by at(). */
struct builder {
	struct sim *s;
	struct err *err;
	u32 n, words, nr_levels;
	struct level levels[LEVELS_MAX];
	u64 *tmp, *covered, *balance; /* scratch masks */
	mask_id *span; /* [level][cpu], NONE = the CPU does not have that level */
	mask_id *unit; /* [level][core or node]: what span was made for it */
	mask_id *single; /* [cpu] */
	mask_id *whole; /* [cpu]: online CPUs of its partition, where its domains end */
	bool parted; /* there are partitions; @whole has references of its own */
	u32 *flags; /* [level][cpu] */
	u32 *imb; /* [level][cpu] */
	u32 *below; /* [level][cpu]: next lower level that is kept, NONE = bottom, ~1 = removed */
	u32 *group; /* [level][cpu]: own group */
	u32 *sgc; /* [level][cpu]: capacity record whose first balance CPU this is */
	struct known_balance *known; /* [level][cpu] */
	mask_id *refs; /* balance masks interned */
	u32 nr_refs, room_refs;
	struct sched_domain *sd;
	struct sched_group *sg;
	struct sched_group_capacity *gc;
	struct llc_shared *llc;
	struct cpu_sd *cpu;
	struct perf_domain *pd;
	u32 nr_sd, nr_sg, room_sg, nr_gc, room_gc, nr_llc, nr_pd;
};

#define LEVEL_REMOVED (~1u)

static inline size_t at(const struct builder *b, u32 level, cpu_id cpu)
{
	return (size_t)level * b->n + cpu;
}

static inline bool cpu_online_in(const struct builder *b, cpu_id cpu)
{
	return b->s->rqs[cpu].mode != CPU_OFFLINE;
}

/* topology_intern - mask_intern() with room made first; the builder owns one reference. */
mask_id topology_intern(struct builder *b, const u64 *words);

/* topology_build_groups - the groups of every level of CPU @c. -1 with b->err. */
int topology_build_groups(struct builder *b, cpu_id c);

#endif
