/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare_table.h - from the summaries of many runs to blocks of statistics, and these as text and JSON.
 */
#ifndef SG_APP_COMPARE_TABLE_H
#define SG_APP_COMPARE_TABLE_H

#include "app/cells.h"
#include "app/runjson.h"
#include "app/stats.h"

/* What came of one cell. */
struct cell_run {
	bool there; /* it did not fail */
	char *json; /* kept for --json only */
	struct run_values values; /* what a table may need of it */
};

/* A figure that was published elsewhere, for a variant. */
struct thread_figure {
	bool there, change; /* change: in % against the first variant */
	s64 v; /* times 10^decimals */
	u32 decimals;
	const char *source; /* where it is from; borrowed from the runs */
};

struct block {
	char *metric;
	u32 decimals; /* of its values; statistics have STATS_DECIMALS more */
	struct stats *stats; /* one per variant */
	struct thread_figure *thread; /* one per variant, NULL = none */
	u32 section, group, rank; /* order */
};

struct table {
	struct block *v;
	u32 nr, nr_same; /* nr_same: chosen, but the same in every variant, and left out */
};

/*
 * table_build - statistics of the chosen metrics (@patterns as --metrics takes them, NULL = the usual)
 * over @runs, one per cell.
 */
void table_build(struct table *t, const struct cells *c, const struct cell_run *runs,
		 const char *patterns);
/* table_thin - forget what of a run's values no table with these patterns needs. */
void table_thin(struct run_values *r, const char *patterns);
void table_free(struct table *t, const struct cells *c);

/* table_text - blocks for people and mails. table_json - member "table" of an open object. */
void table_text(const struct table *t, const struct cells *c, struct strbuf *b);
void table_json(const struct table *t, const struct cells *c, struct jsonout *j);

#endif
