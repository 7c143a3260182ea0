/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare.c - `schedground compare` and `schedground sweep`. See compare.h.
 *
 * Both hand cells to a pool of child processes and take the results in the order of the cells. What is
 * wrong with the command line, the file or a value shows in the first cell that meets it and ends the
 * whole; a run that crashes, fails in its script or reaches a limit is told and left out.
 */
#include "app/compare.h"

#include "app/compare_table.h"
#include "app/output.h"
#include "app/text.h"
#include "app/xalloc.h"
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLD_MAX 5 /* failures told one by one */

struct job {
	struct cells c;
	struct cell_run *runs; /* compare */
	FILE *out; /* sweep */
	u32 failed;
	int code;
	bool full; /* the output takes no more */
};

static void worst(int *code, int other)
{
	if (other > *code)
		*code = other;
}

static void tell(struct job *j, u32 cell, const char *msg)
{
	char *label = cells_label(&j->c, cell);

	fprintf(stderr, "schedground: %s: %s\n", label, msg ? msg : "no result");
	free(label);
}

/* A cell without a summary, or with a doubtful one. False: no use to go on. */
static bool note_failure(struct job *j, u32 cell, const struct cell_result *r)
{
	/* What the scenario expects is about its own choices. */
	if (r->code == EXIT_DONE || r->code == EXIT_EXPECT)
		return true;
	worst(&j->code, r->code);
	if (j->failed++ < TOLD_MAX)
		tell(j, cell, r->msg ? r->msg : "its script failed; 'schedground run' tells more");
	return r->text || r->code != EXIT_USAGE;
}

static void tell_rest(const struct job *j)
{
	if (j->failed > TOLD_MAX)
		fprintf(stderr, "schedground: and %u more failed\n", j->failed - TOLD_MAX);
}

/* ---- compare ---- */

static bool keep(void *ctx, u32 cell, struct cell_result *r)
{
	struct job *j = ctx;
	struct cell_run *run = &j->runs[cell];
	bool go_on;

	if (r->text && !run_values_parse(r->text, &run->values)) {
		run_values_free(&run->values);
		free(r->text);
		r->text = NULL;
		r->code = EXIT_DIVERGED;
		free(r->msg);
		r->msg = xstrdup("its summary is damaged");
	}
	go_on = note_failure(j, cell, r);
	run->there = r->text != NULL;
	table_thin(&run->values, j->c.opt->metrics);
	if (j->c.opt->json)
		run->json = r->text;
	else
		free(r->text);
	free(r->msg);
	return go_on;
}

static const struct cell_run *any_run(const struct job *j)
{
	for (u32 i = 0; i < cells_count(&j->c); i++)
		if (j->runs[i].there)
			return &j->runs[i];
	return NULL;
}

static bool varied(const struct cells *c, const char *name)
{
	for (u32 a = 0; a < c->nr_axes; a++)
		if (!strcmp(c->axes[a].name, name))
			return true;
	return false;
}

static void part(struct strbuf *b, const char *before, const char *text)
{
	char clean[160];

	text_clean(clean, sizeof(clean), text ? text : "?");
	strbuf_printf(b, "%s%s", before, clean);
}

/* What all variants have in common. */
static void headline(const struct job *j, const struct cell_run *r, struct strbuf *b)
{
	const struct run_value *v;
	char n[32];

	part(b, "", run_text(&r->values, "scenario"));
	if (!varied(&j->c, "machine"))
		part(b, " on ", run_text(&r->values, "machine"));
	if (!varied(&j->c, "kernel"))
		part(b, ", kernel ", run_text(&r->values, "kernel"));
	v = run_value(&r->values, "duration_ns");
	if (v)
		strbuf_printf(b, ": %s s", fixed_str(n, (v->v + 500000) / 1000000, 3));
	v = run_value(&r->values, "seed");
	/* The first run may have failed: count back to the seed it had. */
	if (v && j->c.seeds > 1)
		strbuf_printf(b, ", %u seeds from %lld", j->c.seeds,
			      (long long)v->v - (long long)((u32)(r - j->runs) % j->c.seeds));
	else if (v)
		strbuf_printf(b, ", seed %lld", (long long)v->v);
	strbuf_puts(b, "\n");
}

static char *as_text(struct job *j, const struct table *t)
{
	struct strbuf b = { 0 };

	headline(j, any_run(j), &b);
	table_text(t, &j->c, &b);
	if (j->failed)
		strbuf_printf(&b, "\n%u of %u runs failed and are not in here.\n", j->failed,
			      cells_count(&j->c));
	return strbuf_take(&b);
}

static char *as_json(struct job *j, const struct table *t)
{
	const struct cell_run *any = any_run(j);
	const char *scenario = run_text(&any->values, "scenario");
	struct jsonout out = { 0 };
	char *text;

	jw_open(&out, NULL, false);
	jw_text(&out, "schema", "schedground.compare/1");
	jw_text(&out, "version", PACKAGE_VERSION);
	jw_text(&out, "scenario", scenario ? scenario : "");
	jw_uint(&out, "seeds", j->c.seeds);
	jw_uint(&out, "failed", j->failed);
	jw_open(&out, "cells", true);
	for (u32 i = 0; i < cells_count(&j->c); i++) {
		const struct run_value *seed = run_value(&j->runs[i].values, "seed");

		if (!j->runs[i].json)
			continue;
		jw_open(&out, NULL, false);
		cells_vary(&j->c, i / j->c.seeds, &out);
		jw_int(&out, "seed", seed ? seed->v : 0);
		jw_raw(&out, "run", j->runs[i].json);
		jw_close(&out);
	}
	jw_close(&out);
	table_json(t, &j->c, &out);
	jw_close(&out);
	text = jw_take(&out);
	jw_fini(&out);
	return text;
}

/* The cells are through: make a table of what there is. */
static int finish(struct job *j)
{
	struct table t;
	struct err err = { 0 };
	char *text;

	table_build(&t, &j->c, j->runs, j->c.opt->metrics);
	if (!t.nr && j->c.opt->metrics) {
		char clean[120];

		text_clean(clean, sizeof(clean), j->c.opt->metrics);
		err_set(&err, ERR_USAGE,
			"--metrics %s: no metric of this run is called so; 'schedground list "
			"metrics' names them all",
			clean);
		worst(&j->code, output_error(&err));
		return j->code;
	}
	text = j->c.opt->json ? as_json(j, &t) : as_text(j, &t);
	table_free(&t, &j->c);
	if (output_text(j->c.opt->out, text, &err))
		worst(&j->code, output_error(&err));
	free(text);
	return j->code;
}

int compare_run(const struct options *opt)
{
	struct job j = { 0 };
	struct err err = { 0 };
	bool interrupted = false;
	int ret;

	if (cells_init(&j.c, opt, &err)) {
		cells_fini(&j.c);
		return output_error(&err);
	}
	j.runs = xcalloc(cells_count(&j.c), sizeof(*j.runs));
	ret = cells_pool(&j.c, 0, 1, keep, &j, &interrupted, &err);
	tell_rest(&j);
	if (interrupted)
		j.code = EXIT_INTERRUPTED;
	else if (ret < 0)
		worst(&j.code, output_error(&err));
	else if (!ret && any_run(&j))
		finish(&j);
	for (u32 i = 0; i < cells_count(&j.c); i++) {
		run_values_free(&j.runs[i].values);
		free(j.runs[i].json);
	}
	free(j.runs);
	cells_fini(&j.c);
	return j.code;
}

/* ---- sweep ---- */

static bool print_line(void *ctx, u32 cell, struct cell_result *r)
{
	struct job *j = ctx;
	struct jsonout out = { .compact = true };
	struct run_values values = { 0 };
	const struct run_value *seed;
	bool go_on = note_failure(j, cell, r);
	char *text;

	if (!r->text && !go_on)
		goto out;
	jw_open(&out, NULL, false);
	cells_vary(&j->c, cell / j->c.seeds, &out);
	if (r->text) {
		run_values_parse(r->text, &values);
		seed = run_value(&values, "seed");
		jw_int(&out, "seed", seed ? seed->v : 0);
		jw_raw(&out, "run", r->text);
		run_values_free(&values);
	} else {
		jw_open(&out, "error", false);
		jw_int(&out, "code", r->code);
		jw_text(&out, "message", r->msg ? r->msg : "");
		jw_close(&out);
		jw_uint(&out, "repetition", cell % j->c.seeds + 1);
	}
	jw_close(&out);
	text = jw_take(&out);
	jw_fini(&out);
	if (fputs(text, j->out) < 0 || fflush(j->out)) {
		j->full = true;
		go_on = false;
	}
	free(text);
out:
	free(r->text);
	free(r->msg);
	return go_on;
}

int sweep_run(const struct options *opt)
{
	bool file = opt->out && strcmp(opt->out, "-"), interrupted = false;
	struct job j = { .out = stdout };
	struct err err = { 0 };
	char clean[128];
	int ret;

	text_clean(clean, sizeof(clean), opt->out ? opt->out : "stdout");
	if (cells_init(&j.c, opt, &err))
		goto bad;
	if (file) {
		j.out = fopen(opt->out, "w");
		if (!j.out) {
			err_set(&err, ERR_USAGE, "cannot write '%s': %s", clean, strerror(errno));
			goto bad;
		}
	}
	ret = cells_pool(&j.c, opt->shard ? opt->shard - 1 : 0, opt->shards ? opt->shards : 1,
			 print_line, &j, &interrupted, &err);
	tell_rest(&j);
	if (ret < 0)
		worst(&j.code, output_error(&err));
	if (file && fclose(j.out))
		j.full = true;
	if (j.full) {
		err_set(&err, ERR_USAGE, "could not write all of '%s': %s", clean, strerror(errno));
		worst(&j.code, output_error(&err));
	}
	if (interrupted)
		j.code = EXIT_INTERRUPTED;
	cells_fini(&j.c);
	return j.code;
bad:
	cells_fini(&j.c);
	return output_error(&err);
}
