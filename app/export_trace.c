/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export_trace.c - trace records as CSV or as text in the form of the kernel's trace file.
 *
 * Follows the layout of tracefs' "trace" ("  comm-pid [cpu] flags seconds.micro: event: fields"),
 * with nanoseconds and, in place of the kernel's own field layouts, NAME=VALUE for every field. Task
 * ids are those of the simulation; idle is <idle>-0. A file .fgraph gets the kernel's passes alone,
 * as a function graph.
 */
#include "app/export_trace.h"

#include "app/fgraph.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct export_trace {
	struct sim *sim;
	FILE *f;
	char *path;
	bool csv;
	struct fgraph *graph; /* NULL: not in that form */
};

static bool unused(const char *name)
{
	return name[0] == '-' && !name[1];
}

/* Task ids may stand in a and b too; -1 reads better than 4294967295. */
static void field(char *buf, size_t size, size_t *len, const char *name, u64 v)
{
	if (unused(name) || *len >= size)
		return;
	if (v == NONE)
		*len += (size_t)snprintf(buf + *len, size - *len, "%s%s=-1", *len ? " " : "", name);
	else
		*len += (size_t)snprintf(buf + *len, size - *len, "%s%s=%llu", *len ? " " : "",
					 name, (unsigned long long)v);
}

/* The fields of a record as "name=value name=value". */
static void fields_text(const struct trace_rec *r, char *buf, size_t size)
{
	const struct trace_event_desc *d = &trace_event_descs[r->type];
	size_t len = 0;

	buf[0] = '\0';
	field(buf, size, &len, d->task, r->task);
	field(buf, size, &len, d->a, unused(d->a_hi) ? r->a : (u32)r->a);
	field(buf, size, &len, d->a_hi, r->a >> 32);
	field(buf, size, &len, d->b, unused(d->b_hi) ? r->b : (u32)r->b);
	field(buf, size, &len, d->b_hi, r->b >> 32);
}

static void who_text(const struct sim *s, const struct trace_rec *r, char *buf, size_t size)
{
	const char *name = "<idle>";
	char clean[TASK_COMM_LEN + 8];

	if (r->task != NONE && arena_is_live(&s->arena, POOL_TASK, r->task))
		name = sim_task_name(s, r->task);
	text_clean(clean, sizeof(clean), name);
	snprintf(buf, size, "%s-%lld", clean, r->task == NONE ? 0ll : (long long)r->task + 1);
}

void trace_line(const struct sim *s, const struct trace_rec *r, char *buf, size_t size)
{
	char who[64], fields[256];

	who_text(s, r, who, sizeof(who));
	fields_text(r, fields, sizeof(fields));
	snprintf(buf, size, "%22s [%03u] d... %5llu.%09llu: %s: %s", who, r->cpu,
		 (unsigned long long)(r->time / NSEC_PER_SEC),
		 (unsigned long long)(r->time % NSEC_PER_SEC), trace_event_descs[r->type].name,
		 fields);
}

static void write_record(FILE *f, bool csv, const struct sim *s, const struct trace_rec *r)
{
	char line[512];

	if (!csv) {
		trace_line(s, r, line, sizeof(line));
		fprintf(f, "%s\n", line);
		return;
	}
	fields_text(r, line, sizeof(line));
	fprintf(f, "%llu,%u,%s,", (unsigned long long)r->time, r->cpu,
		trace_event_descs[r->type].name);
	if (r->task == NONE) {
		fputs(",,", f);
	} else {
		char name[64];

		text_clean(name, sizeof(name),
			   arena_is_live(&s->arena, POOL_TASK, r->task) ? sim_task_name(s, r->task)
									: "");
		for (char *p = name; *p; p++)
			if (*p == ',' || *p == '"')
				*p = '_';
		fprintf(f, "%u,%s,", r->task, name);
	}
	fprintf(f, "%s\n", line);
}

static void write_graph(FILE *f, struct fgraph *g, const struct sim *s, const struct trace_rec *r)
{
	struct strbuf b = { 0 };

	fgraph_feed(g, s, r, &b);
	if (b.len)
		fputs(strbuf_str(&b), f);
	strbuf_fini(&b);
}

static void write_header(FILE *f, bool csv)
{
	if (csv)
		fputs("t_ns,cpu,event,task,comm,fields\n", f);
	else
		fputs("# tracer: schedground\n#\n#           TASK-ID         CPU#  |||| "
		      "  TIMESTAMP        FUNCTION\n",
		      f);
}

static void on_record(void *ctx, const struct trace_rec *rec)
{
	struct export_trace *x = ctx;

	if (x->graph)
		write_graph(x->f, x->graph, x->sim, rec);
	else
		write_record(x->f, x->csv, x->sim, rec);
}

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && !strcmp(path + n - m, end);
}

static bool is_csv(const char *path)
{
	return ends_in(path, ".csv");
}

static FILE *open_out(const char *path, struct err *err)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;
	char clean[128];

	if (!f) {
		text_clean(clean, sizeof(clean), path);
		err_set(err, ERR_USAGE, "cannot write '%s': %s", clean, strerror(errno));
	}
	return f;
}

static int close_out(FILE *f, const char *path, struct err *err)
{
	bool bad = fflush(f) || ferror(f);
	char clean[128];

	if (f != stdout && fclose(f))
		bad = true;
	if (!bad)
		return 0;
	text_clean(clean, sizeof(clean), path);
	return err_set(err, ERR_USAGE, "could not write all of '%s': %s", clean, strerror(errno));
}

struct export_trace *export_trace_open(struct sim *s, const char *path, struct err *err)
{
	struct export_trace *x;
	FILE *f;

	if (s->trace.nr_probes == TRACE_PROBES_MAX) {
		err_set(err, ERR_LIMIT, "too many listeners on the trace");
		return NULL;
	}
	f = open_out(path, err);
	if (!f)
		return NULL;
	x = xcalloc(1, sizeof(*x));
	x->sim = s;
	x->f = f;
	x->path = xstrdup(path);
	x->csv = is_csv(path);
	x->graph = ends_in(path, ".fgraph") ? fgraph_new() : NULL;
	if (!x->graph)
		write_header(f, x->csv);
	trace_add_probe(&s->trace, &(struct trace_probe){ TRACE_ALL, on_record, x });
	return x;
}

int export_trace_close(struct export_trace *x, struct err *err)
{
	int ret;

	if (!x)
		return 0;
	trace_remove_probe(&x->sim->trace, x);
	ret = close_out(x->f, x->path, err);
	fgraph_free(x->graph);
	free(x->path);
	free(x);
	return ret;
}

int export_trace_dump(const struct sim *s, const char *path, struct err *err)
{
	FILE *f = open_out(path, err);

	if (!f)
		return -1;
	struct fgraph *g = ends_in(path, ".fgraph") ? fgraph_new() : NULL;

	if (!g)
		write_header(f, is_csv(path));
	for (u64 i = 0; i < trace_count(&s->trace); i++) {
		if (g)
			write_graph(f, g, s, trace_at(&s->trace, i));
		else
			write_record(f, is_csv(path), s, trace_at(&s->trace, i));
	}
	fgraph_free(g);
	return close_out(f, path, err);
}
