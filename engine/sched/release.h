/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * release.h - the forms of placement and balancing of each kernel release (release.def).
 *
 * Releases v5.4 to v6.12 of the kernel profiles, in order. Which column counts is a tunable each:
 * place_form and balance_form; profiles set both to their own.
 */
#ifndef SG_ENGINE_SCHED_RELEASE_H
#define SG_ENGINE_SCHED_RELEASE_H

#include "engine/sim.h"

enum kernel_release { V5_4, V5_10, V5_13, V6_1, V6_6, V6_12, NR_RELEASES };

struct place_form {
#define PLACE_FORM(name, a, b, c, d, e, f, what) u8 name;
#define LB_FORM(name, a, b, c, d, e, f, what)
#include "engine/sched/release.def"
#undef PLACE_FORM
#undef LB_FORM
};

struct lb_form {
#define PLACE_FORM(name, a, b, c, d, e, f, what)
#define LB_FORM(name, a, b, c, d, e, f, what) u8 name;
#include "engine/sched/release.def"
#undef PLACE_FORM
#undef LB_FORM
};

extern const struct place_form place_forms[NR_RELEASES];
extern const struct lb_form lb_forms[NR_RELEASES];

static inline const struct place_form *place_form(const struct sim *s)
{
	return &place_forms[s->g->tun.place_form];
}

static inline const struct lb_form *lb_form(const struct sim *s)
{
	return &lb_forms[s->g->tun.balance_form];
}

/* The rows as data, for lists: @slot is "place" or "balance". */
struct form_row {
	const char *slot, *name, *what;
	u8 value[NR_RELEASES];
};
extern const struct form_row form_rows[];
extern const u32 nr_form_rows;
extern const char *const release_names[NR_RELEASES];

#endif
