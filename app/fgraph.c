/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fgraph.c - kfunc_entry and kfunc_exit records as a function graph. See fgraph.h.
 *
 * Form of trace-cmd's report: who, CPU, time, event, duration with a mark (+ above 10 us, ! above
 * 100 us, # above 1 ms), the function indented by its depth. Ours: the CPU whose queue a function is
 * about stands between its parentheses.
 */
#include "app/fgraph.h"

#include "app/text.h"
#include "app/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32u

struct fgraph {
	struct {
		struct trace_rec entry; /* not written yet: it may call nobody */
		bool pending;
		u32 depth;
	} cpu[MACHINE_MAX_CPUS];
};

struct fgraph *fgraph_new(void)
{
	return xcalloc(1, sizeof(struct fgraph));
}

void fgraph_free(struct fgraph *g)
{
	free(g);
}

static void who(const struct sim *s, const struct trace_rec *r, char *buf, size_t size)
{
	char clean[TASK_COMM_LEN + 8];
	bool idle = r->task == NONE;

	if (r->type == TR_kfunc_entry && (u32)r->b) {
		snprintf(buf, size, "sugov:%u", s->topo[r->cpu].fd);
		return;
	}
	text_clean(clean, sizeof(clean), idle ? "<idle>" : sim_task_name(s, r->task));
	snprintf(buf, size, "%s-%u", clean, idle ? 0 : r->task + 1);
}

static void function(const struct trace_rec *r, char *buf, size_t size)
{
	u32 func = (u32)r->a, target = (u32)(r->a >> 32);
	const char *name = func < NR_KFUNCS ? kfunc_names[func] : "?";

	if (target == NONE)
		snprintf(buf, size, "%s()", name);
	else
		snprintf(buf, size, "%s(cpu %u)", name, target);
}

static void duration(u64 ns, char *buf, size_t size)
{
	char mark = ns > 1000 * NSEC_PER_USEC  ? '#'
		    : ns > 100 * NSEC_PER_USEC ? '!'
		    : ns > 10 * NSEC_PER_USEC  ? '+'
					       : ' ';

	snprintf(buf, size, "%c %llu.%03llu us", mark, (unsigned long long)(ns / NSEC_PER_USEC),
		 (unsigned long long)(ns % NSEC_PER_USEC));
}

/* @entry: who and when; @tail: what stands right of the bar, indented by @depth. */
static void line(const struct sim *s, const struct trace_rec *r, const char *kind, const char *took,
		 u32 depth, const char *tail, struct strbuf *out)
{
	char name[64];

	who(s, r, name, sizeof(name));
	strbuf_printf(out, "%20s [%03u] %5llu.%09llu: %-16s %14s |  %*s%s\n", name, r->cpu,
		      (unsigned long long)(r->time / NSEC_PER_SEC),
		      (unsigned long long)(r->time % NSEC_PER_SEC), kind, took,
		      (int)(2 * (depth < DEPTH_MAX ? depth : DEPTH_MAX)), "", tail);
}

static void opens(struct fgraph *g, const struct sim *s, u32 cpu, struct strbuf *out)
{
	char name[96];

	function(&g->cpu[cpu].entry, name, sizeof(name) - 4);
	strcat(name, " {");
	line(s, &g->cpu[cpu].entry, "funcgraph_entry:", "", g->cpu[cpu].depth++, name, out);
	g->cpu[cpu].pending = false;
}

void fgraph_feed(struct fgraph *g, const struct sim *s, const struct trace_rec *r,
		 struct strbuf *out)
{
	u32 cpu = r->cpu;
	char name[96], took[32];

	if (cpu >= MACHINE_MAX_CPUS || (r->type != TR_kfunc_entry && r->type != TR_kfunc_exit))
		return;
	if (r->type == TR_kfunc_entry) {
		if (g->cpu[cpu].pending)
			opens(g, s, cpu, out);
		g->cpu[cpu].entry = *r;
		g->cpu[cpu].pending = true;
		return;
	}
	duration(r->b, took, sizeof(took));
	if (g->cpu[cpu].pending && g->cpu[cpu].entry.a == r->a) {
		g->cpu[cpu].pending = false;
		function(r, name, sizeof(name) - 4);
		strcat(name, ";");
		line(s, &g->cpu[cpu].entry, "funcgraph_entry:", took, g->cpu[cpu].depth, name, out);
		return;
	}
	/* An end whose beginning was not seen closes nothing. */
	if (g->cpu[cpu].pending)
		opens(g, s, cpu, out);
	if (!g->cpu[cpu].depth)
		return;
	line(s, r, "funcgraph_exit:", took, --g->cpu[cpu].depth, "}", out);
}

bool fgraph_last(const struct sim *s, cpu_id *cpu, struct strbuf *out)
{
	u64 nr = trace_count(&s->trace), end = nr, begin;
	u32 open = 0;

	/* Backwards: the newest end of a function whose beginning is not within another. */
	for (begin = nr; begin-- > 0;) {
		const struct trace_rec *r = trace_at(&s->trace, begin);

		if ((r->type != TR_kfunc_entry && r->type != TR_kfunc_exit) ||
		    (*cpu != NONE && r->cpu != *cpu))
			continue;
		if (r->type == TR_kfunc_exit) {
			/* Inner ends of a pass that goes on are not the end of a pass. */
			if (!open && (u32)r->a != KF_newidle_balance &&
			    (u32)r->a != KF_run_rebalance_domains &&
			    (u32)r->a != KF_nohz_idle_balance)
				continue;
			if (!open++) {
				end = begin;
				*cpu = r->cpu;
			}
		} else if (open && !--open) {
			break;
		}
	}
	if (end == nr || begin == ~0ull)
		return false;

	struct fgraph *g = fgraph_new();

	for (u64 i = begin; i <= end; i++) {
		const struct trace_rec *r = trace_at(&s->trace, i);

		if (r->cpu == *cpu)
			fgraph_feed(g, s, r, out);
	}
	fgraph_free(g);
	return true;
}
