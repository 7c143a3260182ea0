/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics_find.c - one metric by its path: a visitor of the walk in metrics.c that keeps what it was
 * sent for, and the names it saw where the path went wrong.
 */
#include "app/metrics.h"

#include "app/suggest.h"
#include "app/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIND_DEPTH 16
#define FIND_NAMES 256

struct find {
	const char *path;
	struct mvalue *out;
	bool found, object; /* object: the path names a container */
	u32 depth;
	struct {
		const char *rest; /* what of the path is left below; NULL: not on the path */
		bool array;
		u32 index;
		bool by_name; /* element of an array still to be chosen by its name */
		const char *want; /* that name, and its length */
		size_t want_len;
	} level[FIND_DEPTH];
	/* keys seen where the path went wrong, for the message */
	u32 best_depth;
	const char *bad;
	char names[FIND_NAMES][40];
	u32 nr_names;
	char text[64];
};

/* Does the first word of @rest equal @key? Returns what follows it ("" at the end), NULL if not. */
static const char *match(const char *rest, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(rest, key, n) || (rest[n] && rest[n] != '.'))
		return NULL;
	return rest[n] ? rest + n + 1 : rest + n;
}

static void note_name(struct find *f, const char *key, const char *rest)
{
	if (f->depth < f->best_depth)
		return;
	if (f->depth > f->best_depth || f->bad != rest) {
		f->best_depth = f->depth;
		f->nr_names = 0;
		f->bad = rest;
	}
	if (f->nr_names < FIND_NAMES)
		snprintf(f->names[f->nr_names++], sizeof(f->names[0]), "%s", key);
}

/* The rest of the path below member @key of the innermost container, NULL if not on it. */
static const char *descend(struct find *f, const char *key)
{
	u32 d = f->depth - 1;
	const char *rest = f->level[d].rest;
	char number[12];

	if (!rest || !*rest)
		return NULL;
	if (f->level[d].array) {
		snprintf(number, sizeof(number), "%u", f->level[d].index++);
		return match(rest, number);
	}

	const char *next = match(rest, key);

	if (!next)
		note_name(f, key, rest);
	return next;
}

static void find_open(void *ctx, const char *key, bool array)
{
	struct find *f = ctx;
	const char *rest = NULL;
	bool by_name = false;

	if (f->found || f->depth >= FIND_DEPTH)
		goto push;

	bool in_array = f->level[f->depth - 1].array;
	const char *outer = f->level[f->depth - 1].rest;

	rest = descend(f, key);
	if (in_array && outer && *outer && !rest && (*outer < '0' || *outer > '9')) {
		/* tasks.NAME.x: the element says its name first, see find_value(). */
		by_name = true;
		rest = outer;
	}
	if (rest && !*rest)
		f->object = true;
push:
	if (f->depth < FIND_DEPTH) {
		f->level[f->depth].rest = rest;
		f->level[f->depth].array = array;
		f->level[f->depth].index = 0;
		f->level[f->depth].by_name = by_name;
	}
	f->depth++;
}

static void find_close(void *ctx)
{
	struct find *f = ctx;

	f->depth--;
}

static void find_value(void *ctx, const char *key, const struct mvalue *v)
{
	struct find *f = ctx;

	if (f->found || f->depth > FIND_DEPTH)
		return;
	if (f->level[f->depth - 1].by_name) {
		if (!key || strcmp(key, "name") || v->kind != MV_TEXT)
			return;

		const char *next = match(f->level[f->depth - 1].rest, v->text);

		if (!next)
			note_name(f, v->text, f->level[f->depth - 1].rest);
		f->level[f->depth - 1].rest = next;
		f->level[f->depth - 1].by_name = false;
		return;
	}

	const char *rest = descend(f, key);

	if (!rest || *rest)
		return;
	f->found = true;
	*f->out = *v;
	if (v->kind == MV_TEXT) {
		snprintf(f->text, sizeof(f->text), "%s", v->text);
		f->out->text = f->text;
	}
}

int metrics_get(const struct sim *s, const char *path, struct mvalue *out, struct err *err)
{
	struct find *f = calloc(1, sizeof(*f));
	const struct mvisitor v = { f, find_open, find_close, find_value };
	int ret = -1;
	char shown[80];

	if (!f)
		return err_set(err, ERR_LIMIT, "no memory to look for a metric");
	text_clean(shown, sizeof(shown), path);
	f->path = path;
	f->out = out;
	f->depth = 1;
	f->level[0].rest = path;
	metrics_visit(s, &v);
	if (f->found) {
		ret = 0;
		if (out->kind == MV_TEXT)
			out->text = NULL; /* texts are not compared: nobody keeps them */
	} else if (f->object) {
		err_set(err, ERR_USAGE,
			"metric '%s' is no number but a table; name one of its members", shown);
	} else {
		const char *names[FIND_NAMES];
		char word[48];
		const char *near;

		for (u32 i = 0; i < f->nr_names; i++)
			names[i] = f->names[i];
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(f->bad ? f->bad : path, "."),
			 f->bad ? f->bad : path);
		near = suggest(word, names, f->nr_names);
		text_clean(word, sizeof(word), word);
		if (near) {
			char safe[48];

			text_clean(safe, sizeof(safe), near);
			err_set(err, ERR_USAGE,
				"there is no metric '%s': '%s' is not known; did you mean '%s'?",
				shown, word, safe);
		} else {
			err_set(err, ERR_USAGE,
				"there is no metric '%s'; 'schedground list metrics' names them all",
				shown);
		}
	}
	free(f);
	return ret;
}
