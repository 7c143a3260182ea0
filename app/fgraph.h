/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fgraph.h - passes of the kernel as a function graph: the text that trace-cmd prints of the kernel's
 * function_graph tracer.
 */
#ifndef SG_APP_FGRAPH_H
#define SG_APP_FGRAPH_H

#include "app/strbuf.h"
#include "engine/sim.h"

struct fgraph;

struct fgraph *fgraph_new(void);
void fgraph_free(struct fgraph *g);

/*
 * fgraph_feed - add to @out what record @r completes: a function that calls others when the first of
 * them begins, one that calls none when it is over. Records of other events are ignored.
 */
void fgraph_feed(struct fgraph *g, const struct sim *s, const struct trace_rec *r,
		 struct strbuf *out);

/*
 * fgraph_last - the newest whole pass in the ring of @s, on CPU @cpu or, NONE, on any. False: there is
 * none. *@cpu becomes its CPU.
 */
bool fgraph_last(const struct sim *s, cpu_id *cpu, struct strbuf *out);

#endif
