/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export_trace.h - trace records to a file while they happen, or the newest ones from the ring.
 */
#ifndef SG_APP_EXPORT_TRACE_H
#define SG_APP_EXPORT_TRACE_H

#include "engine/sim.h"

struct export_trace;

/*
 * export_trace_open - attach a probe to @s that writes every record to @path: one line per record,
 * .csv as a table, .fgraph as a function graph of the kernel's passes, everything else as text in the form of the kernel's trace file. NULL with @err.
 */
struct export_trace *export_trace_open(struct sim *s, const char *path, struct err *err);

/* export_trace_close - detach and flush; -1 with @err if not everything could be written. */
int export_trace_close(struct export_trace *x, struct err *err);

/* export_trace_dump - the same for what the ring holds now. */
int export_trace_dump(const struct sim *s, const char *path, struct err *err);

/* trace_line - one record as the kernel's trace file prints it, without the newline. */
void trace_line(const struct sim *s, const struct trace_rec *r, char *buf, size_t size);

#endif
