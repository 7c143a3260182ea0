/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * features.h - bits of features.def and the test for them: sched_feat() of kernel/sched/sched.h.
 */
#ifndef SG_ENGINE_SCHED_FEATURES_H
#define SG_ENGINE_SCHED_FEATURES_H

#include "engine/sim.h"

enum sched_feat_index {
#define SCHED_FEAT(name, on, why) FEAT_##name,
#include "engine/sched/features.def"
#undef SCHED_FEAT
	NR_SCHED_FEATS
};
_Static_assert(NR_SCHED_FEATS <= 64, "features are bits of one word");

#define FEAT_BIT(name) (1ull << FEAT_##name)

/* Features of Linux v6.12. */
#define SCHED_FEAT(name, on, why) +((u64)(on) << FEAT_##name)
static const u64 sched_feat_default = 0
#include "engine/sched/features.def"
	;
#undef SCHED_FEAT

/* sched_feat - is feature @name, written without prefix, on? */
#define sched_feat(s, name) (((s)->g->tun.features >> FEAT_##name & 1) != 0)

struct sched_feat_desc {
	const char *name, *why;
};
extern const struct sched_feat_desc sched_feat_descs[NR_SCHED_FEATS];

#endif
