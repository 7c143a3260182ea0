/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cells.h - the runs of compare and sweep: every combination of values, times every seed.
 *
 * Cells are numbered variant by variant, the seeds of one together; the axis named last changes first.
 */
#ifndef SG_APP_CELLS_H
#define SG_APP_CELLS_H

#include "app/cellpool.h"
#include "app/jsonout.h"
#include "app/options.h"

#define AXES_MAX 8
#define CELLS_MAX 1000000u

enum axis_kind { AXIS_KERNEL, AXIS_MACHINE, AXIS_POLICY, AXIS_SET };

struct axis {
	enum axis_kind kind;
	char *name;
	char **values;
	u32 nr;
};

struct cells {
	const struct options *opt;
	struct axis axes[AXES_MAX];
	u32 nr_axes, nr_variants, seeds;
};

/* cells_init - from the --vary and --seeds of @opt, which must outlive it. 0, or -1 with @err. */
int cells_init(struct cells *c, const struct options *opt, struct err *err);
void cells_fini(struct cells *c);

static inline u32 cells_count(const struct cells *c)
{
	return c->nr_variants * c->seeds;
}

/* cells_value - value of axis @a in @variant. */
const char *cells_value(const struct cells *c, u32 variant, u32 a);

/* cells_run - compute cell @i: its summary goes to @json. For a child process. */
int cells_run(const struct cells *c, u32 i, struct strbuf *json, struct err *err);

/* cells_label - "newidle=v5.4 hz=250, seed 3" of cell @i, cleaned; the caller frees. */
char *cells_label(const struct cells *c, u32 i);

/* cells_vary - member "vary" of an open object: {axis: value}. */
void cells_vary(const struct cells *c, u32 variant, struct jsonout *j);

/*
 * cells_pool - run the cells first, first + step, ... below the end of them on the cores, with a line of
 * progress on stderr if it is a terminal. @done as for a cellpool, with the number of the cell.
 * Returns as cellpool_run() does; *@interrupted says whether somebody wanted to leave.
 */
int cells_pool(const struct cells *c, u32 first, u32 step,
	       bool (*done)(void *ctx, u32 cell, struct cell_result *r), void *ctx,
	       bool *interrupted, struct err *err);

#endif
