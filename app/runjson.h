/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runjson.h - a run's summary in JSON taken apart into paths and values, without loss of a digit.
 *
 * Reads what jsonout.h writes. A library would put numbers through doubles; here 12.340 stays 12340 with
 * three decimals. Elements of lists are named by their "name" if they have one, else by their index, as
 * metrics_get() does.
 */
#ifndef SG_APP_RUNJSON_H
#define SG_APP_RUNJSON_H

#include "engine/base/types.h"

enum run_kind { RUN_NULL, RUN_NUMBER, RUN_TEXT, RUN_BOOL };

struct run_value {
	char *path; /* "latency.all.p99_us" */
	enum run_kind kind;
	s64 v; /* RUN_NUMBER: times 10^decimals; RUN_BOOL: 0 or 1 */
	u32 decimals;
	char *text; /* RUN_TEXT */
	u32 order; /* place in the file */
};

struct run_values {
	struct run_value *v; /* in byte order of the paths; the first in the file stands first */
	u32 nr;
};

/* run_values_parse - false: it is no JSON of ours. *@out is to be freed either way. */
bool run_values_parse(const char *json, struct run_values *out);
void run_values_free(struct run_values *r);
/* run_values_keep - forget what @want does not want. */
void run_values_keep(struct run_values *r, bool (*want)(void *ctx, const struct run_value *v),
		     void *ctx);
/* run_value - the one with that path, NULL if there is none. */
const struct run_value *run_value(const struct run_values *r, const char *path);
/* run_text - its text, NULL if there is none. */
const char *run_text(const struct run_values *r, const char *path);

#endif
