/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics.h - the numbers that come out of a run: one walk that names and computes each.
 *
 * The JSON summary, the text summary, `expect`, Lua's sched.metrics and `list metrics` all take
 * the same walk. Values are integers, or integers with a fixed number of decimals (rounded half
 * up); what the engine does not measure yet is null. Nothing is changed by looking.
 */
#ifndef SG_APP_METRICS_H
#define SG_APP_METRICS_H

#include "engine/sim.h"

enum mkind { MV_NULL, MV_INT, MV_FIXED, MV_TEXT };

struct mvalue {
	enum mkind kind;
	s64 v; /* MV_INT: the number; MV_FIXED: the number times 10^decimals */
	u32 decimals;
	const char *text; /* MV_TEXT; borrowed from the simulation or static */
};

/* Receiver of the walk. key is NULL for elements of arrays. */
struct mvisitor {
	void *ctx;
	void (*open)(void *ctx, const char *key, bool array);
	void (*close)(void *ctx);
	void (*value)(void *ctx, const char *key, const struct mvalue *v);
};

/* metrics_visit - every metric of @s at its present moment (top level without an object around). */
void metrics_visit(const struct sim *s, const struct mvisitor *v);

/*
 * metrics_get - one metric by its path: "latency.all.p99_us", "energy.domains.1.uj",
 * "cpus.3.busy_pct", "tasks.web.wait_us" (array elements by index, by name where they have one; the
 * first that fits). Texts are reported as MV_TEXT without their text.
 * Returns 0 with *@out, or -1 with @err (ERR_USAGE, with the nearest name).
 */
int metrics_get(const struct sim *s, const char *path, struct mvalue *out, struct err *err);

/* The dictionary behind `list metrics`: metrics.def. Ended by a NULL path. */
struct metric_doc {
	const char *path, *unit, *help;
};
extern const struct metric_doc metric_docs[];

#endif
