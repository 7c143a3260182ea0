/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.c - the ring of newest records and the probes.
 */
#include "engine/observe/emit.h"

#include <string.h>

const struct trace_event_desc trace_event_descs[NR_TRACE_TYPES] = {
#define TRACE_EVENT(id, task, a, a_hi, b, b_hi, help)                                              \
	[TR_##id] = { #id, task, a, a_hi, b, b_hi, help },
#include "engine/observe/trace_events.def"
#undef TRACE_EVENT
};

bool trace_names_task(const char *field)
{
	static const char *const fields[] = { "task", "prev", "next", "parent", "child", "curr" };

	for (u32 i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(field, fields[i]))
			return true;
	return false;
}

void trace_emit(struct sim *s, enum trace_type type, cpu_id cpu, task_id task, u64 a, u64 b)
{
	struct trace *t = &s->trace;
	u64 bit = TRACE_BIT(type);
	struct trace_rec rec = {
		.time = s->g->now, .type = (u16)type, .cpu = (u16)cpu, .task = task, .a = a, .b = b
	};

	if (t->ring && (t->ring_mask & bit))
		t->ring[t->head++ & (t->ring_size - 1)] = rec;
	for (u32 i = 0; i < t->nr_probes; i++)
		if (t->probes[i].mask & bit)
			t->probes[i].fn(t->probes[i].ctx, &rec);
}

const char *const kfunc_names[NR_KFUNCS] = {
#define KFUNC(name) [KF_##name] = #name,
#include "engine/observe/kfuncs.def"
#undef KFUNC
};

static void remask(struct trace *t)
{
	t->mask = t->ring ? t->ring_mask : 0;
	for (u32 i = 0; i < t->nr_probes; i++)
		t->mask |= t->probes[i].mask;
}

void trace_set_ring_mask(struct trace *t, u64 mask)
{
	t->ring_mask = mask;
	remask(t);
}

int trace_add_probe(struct trace *t, const struct trace_probe *probe)
{
	if (t->nr_probes == TRACE_PROBES_MAX)
		return -1;
	t->probes[t->nr_probes++] = *probe;
	remask(t);
	return 0;
}

void trace_remove_probe(struct trace *t, const void *ctx)
{
	u32 kept = 0;

	for (u32 i = 0; i < t->nr_probes; i++)
		if (t->probes[i].ctx != ctx)
			t->probes[kept++] = t->probes[i];
	t->nr_probes = kept;
	remask(t);
}

u64 trace_count(const struct trace *t)
{
	return t->head < t->ring_size ? t->head : t->ring_size;
}

const struct trace_rec *trace_at(const struct trace *t, u64 i)
{
	u64 n = trace_count(t);

	if (i >= n)
		return NULL;
	return &t->ring[(t->head - n + i) & (t->ring_size - 1)];
}
