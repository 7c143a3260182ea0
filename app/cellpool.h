/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cellpool.h - many independent computations in child processes, on all cores.
 *
 * A child per cell, so that one which crashes, hangs or runs out of memory is an entry in the report
 * and not the end of it. Results come back through a pipe and are handed on in the order of the cells,
 * whichever child was first: what is made of them does not depend on the number of jobs.
 */
#ifndef SG_APP_CELLPOOL_H
#define SG_APP_CELLPOOL_H

#include <signal.h>

#include "app/strbuf.h"
#include "engine/base/err.h"

/* What became of a cell. */
struct cell_result {
	int code; /* enum exit_code of the computation */
	char *text; /* what it produced, NULL = nothing */
	char *msg; /* what went wrong, cleaned, one line; NULL = nothing did */
};

struct cellpool {
	void *ctx;
	u32 nr; /* cells */
	u32 jobs; /* children at one time, at least 1 */
	u64 timeout_ns; /* real time a cell may take, 0 = any */
	const char *timeout_name; /* the option that says so, for the message */
	/* In the child: compute cell @i. The child ends when it returns. */
	int (*run)(void *ctx, u32 i, struct strbuf *text, struct err *err);
	/* In the parent, in the order of the cells; takes over the result's texts. False: stop. */
	bool (*done)(void *ctx, u32 i, struct cell_result *r);
	/* Now and then: how many are through. May be NULL. */
	void (*progress)(void *ctx, u32 finished);
	/* Not 0: somebody wants to leave. */
	const volatile sig_atomic_t *interrupted;
};

/*
 * cellpool_run - all cells. Returns 0; 1 when done() stopped it or it was interrupted (no child is left
 * then); -1 with @err when no child can be made.
 */
int cellpool_run(struct cellpool *p, struct err *err);

/* cellpool_cores - CPUs this process may use. */
u32 cellpool_cores(void);

#endif
