/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * features.c - names and meanings of features.def, for knobs and messages.
 */
#include "engine/sched/features.h"

const struct sched_feat_desc sched_feat_descs[NR_SCHED_FEATS] = {
#define SCHED_FEAT(name, on, why) { #name, why },
#include "engine/sched/features.def"
#undef SCHED_FEAT
};
