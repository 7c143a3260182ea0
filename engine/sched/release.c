/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * release.c - the columns of release.def as tables.
 */
#include "engine/sched/release.h"

const char *const release_names[NR_RELEASES] = { "v5.4", "v5.10", "v5.13", "v6.1", "v6.6", "v6.12" };

#define LB_FORM(name, a, b, c, d, e, f, what)
const struct place_form place_forms[NR_RELEASES] = {
#define PLACE_FORM(name, a, b, c, d, e, f, what) .name = (a),
	[V5_4] = {
#include "engine/sched/release.def"
	},
#undef PLACE_FORM
#define PLACE_FORM(name, a, b, c, d, e, f, what) .name = (b),
	[V5_10] = {
#include "engine/sched/release.def"
	},
#undef PLACE_FORM
#define PLACE_FORM(name, a, b, c, d, e, f, what) .name = (c),
	[V5_13] = {
#include "engine/sched/release.def"
	},
#undef PLACE_FORM
#define PLACE_FORM(name, a, b, c, d, e, f, what) .name = (d),
	[V6_1] = {
#include "engine/sched/release.def"
	},
#undef PLACE_FORM
#define PLACE_FORM(name, a, b, c, d, e, f, what) .name = (e),
	[V6_6] = {
#include "engine/sched/release.def"
	},
#undef PLACE_FORM
#define PLACE_FORM(name, a, b, c, d, e, f, what) .name = (f),
	[V6_12] = {
#include "engine/sched/release.def"
	},
#undef PLACE_FORM
};
#undef LB_FORM

#define PLACE_FORM(name, a, b, c, d, e, f, what)
const struct lb_form lb_forms[NR_RELEASES] = {
#define LB_FORM(name, a, b, c, d, e, f, what) .name = (a),
	[V5_4] = {
#include "engine/sched/release.def"
	},
#undef LB_FORM
#define LB_FORM(name, a, b, c, d, e, f, what) .name = (b),
	[V5_10] = {
#include "engine/sched/release.def"
	},
#undef LB_FORM
#define LB_FORM(name, a, b, c, d, e, f, what) .name = (c),
	[V5_13] = {
#include "engine/sched/release.def"
	},
#undef LB_FORM
#define LB_FORM(name, a, b, c, d, e, f, what) .name = (d),
	[V6_1] = {
#include "engine/sched/release.def"
	},
#undef LB_FORM
#define LB_FORM(name, a, b, c, d, e, f, what) .name = (e),
	[V6_6] = {
#include "engine/sched/release.def"
	},
#undef LB_FORM
#define LB_FORM(name, a, b, c, d, e, f, what) .name = (f),
	[V6_12] = {
#include "engine/sched/release.def"
	},
#undef LB_FORM
};
#undef PLACE_FORM

const struct form_row form_rows[] = {
#define PLACE_FORM(name, a, b, c, d, e, f, what) { "place", #name, what, { a, b, c, d, e, f } },
#define LB_FORM(name, a, b, c, d, e, f, what) { "balance", #name, what, { a, b, c, d, e, f } },
#include "engine/sched/release.def"
#undef PLACE_FORM
#undef LB_FORM
};
const u32 nr_form_rows = ARRAY_SIZE(form_rows);
