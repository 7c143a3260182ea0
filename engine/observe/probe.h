/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * probe.h - attach and detach listeners of the trace; choose what the ring keeps.
 *
 * No counterpart in the kernel beyond register_trace_*(). Call between events only.
 */
#ifndef SG_ENGINE_OBSERVE_PROBE_H
#define SG_ENGINE_OBSERVE_PROBE_H

#include "engine/observe/trace.h"

/* trace_update_mask - after ring_mask or a probe changed. */
static inline void trace_update_mask(struct trace *t)
{
	t->mask = t->ring ? t->ring_mask : 0;
	for (u32 i = 0; i < t->nr_probes; i++)
		t->mask |= t->probes[i].mask;
}

/* trace_add_probe - false when TRACE_PROBES_MAX are attached already. */
static inline bool trace_add_probe(struct trace *t, u64 mask, void (*fn)(void *, const struct trace_rec *),
				   void *ctx)
{
	if (t->nr_probes == TRACE_PROBES_MAX)
		return false;
	t->probes[t->nr_probes++] = (struct trace_probe){ .mask = mask, .fn = fn, .ctx = ctx };
	trace_update_mask(t);
	return true;
}

/* trace_remove_probe - the one with @ctx; the order of the others stays. */
static inline void trace_remove_probe(struct trace *t, const void *ctx)
{
	u32 n = 0;

	for (u32 i = 0; i < t->nr_probes; i++)
		if (t->probes[i].ctx != ctx)
			t->probes[n++] = t->probes[i];
	t->nr_probes = n;
	trace_update_mask(t);
}

#endif
