/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - trace records, the bounded ring that keeps the newest, and probes that see each.
 *
 * A record is written at the point where state changes, like a kernel tracepoint. Ring and probes
 * are views: they are outside the arena, and whether they are on changes no digest.
 */
#ifndef SG_ENGINE_OBSERVE_TRACE_H
#define SG_ENGINE_OBSERVE_TRACE_H

#include "engine/base/types.h"

enum trace_type {
#define TRACE_EVENT(id, task, a, a_hi, b, b_hi, help) TR_##id,
#include "engine/observe/trace_events.def"
#undef TRACE_EVENT
	NR_TRACE_TYPES
};

/* What "func" in the events kfunc_* means. */
enum kfunc {
#define KFUNC(name) KF_##name,
#include "engine/observe/kfuncs.def"
#undef KFUNC
	NR_KFUNCS
};
extern const char *const kfunc_names[NR_KFUNCS];

struct trace_rec {
	u64 time; /* ns */
	u16 type; /* enum trace_type */
	u16 cpu;
	u32 task; /* id, NONE where unused */
	u64 a, b;
};

struct trace_event_desc {
	const char *name, *task, *a, *a_hi, *b, *b_hi, *help;
};
extern const struct trace_event_desc trace_event_descs[NR_TRACE_TYPES];

#define TRACE_BIT(type) (1ull << (type))
#define TRACE_ALL (~0ull)

static inline u64 trace_pair(u32 lo, u32 hi)
{
	return (u64)hi << 32 | lo;
}

/* A probe sees every record of the types in its mask, at once. It must not change the simulation. */
struct trace_probe {
	u64 mask;
	void (*fn)(void *ctx, const struct trace_rec *rec);
	void *ctx;
};

#define TRACE_PROBES_MAX 8

struct trace {
	u64 mask; /* union of the ring's and the probes' masks: the one test on the hot path */
	u64 ring_mask;
	struct trace_rec *ring; /* power of two long, NULL = none */
	u32 ring_size;
	u32 nr_probes;
	u64 head; /* records ever written; the newest is at (head - 1) & (ring_size - 1) */
	struct trace_probe probes[TRACE_PROBES_MAX];
};

/* trace_names_task - is the field of that name the id of a task? */
bool trace_names_task(const char *field);

/* trace_set_ring_mask - types the ring keeps. */
void trace_set_ring_mask(struct trace *t, u64 mask);
/* trace_add_probe - 0, or -1 when TRACE_PROBES_MAX are there. Removed by their ctx. */
int trace_add_probe(struct trace *t, const struct trace_probe *probe);
void trace_remove_probe(struct trace *t, const void *ctx);

/* Number of records the ring holds, and the i-th of them, 0 = oldest. NULL when out of range. */
u64 trace_count(const struct trace *t);
const struct trace_rec *trace_at(const struct trace *t, u64 i);

#endif
