/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording.h - recordings of a real kernel as tables. Each run is RUN.trace.csv (who ran, woke and
 * slept when) and RUN.pelt.csv (every update of an average). See README.md here.
 */
#ifndef SG_TESTS_RECORDING_H
#define SG_TESTS_RECORDING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/types.h"

#define TABLE_COLUMNS 24

struct table {
	char *text;
	char *name[TABLE_COLUMNS];
	u32 nr_cols, nr_rows;
	char **cell; /* row by row; never NULL, "" where there is nothing */
};

static inline void table_free(struct table *t)
{
	free(t->text);
	free(t->cell);
	*t = (struct table){ 0 };
}

static inline char *table_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text;
	long len;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	len = ftell(f);
	rewind(f);
	text = malloc((size_t)len + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)len, f), len);
	text[len] = '\0';
	fclose(f);
	return text;
}

/* Split a line in place; missing cells are empty. */
static inline u32 table_split(char *line, char **cell, u32 max)
{
	u32 nr = 0;

	for (char *p = line; p && nr < max; nr++) {
		cell[nr] = p;
		p = strchr(p, ',');
		if (p)
			*p++ = '\0';
	}
	for (u32 i = nr; i < max; i++)
		cell[i] = line + strlen(line);
	return nr;
}

/* The table in the file @path; false if there is no such file. */
static inline bool table_read(struct table *t, const char *path)
{
	u32 room = 1;

	*t = (struct table){ .text = table_text(path) };
	if (!t->text)
		return false;
	for (const char *p = t->text; *p; p++)
		room += *p == '\n';

	char *save, *line = strtok_r(t->text, "\n", &save);

	assert_non_null(line);
	t->nr_cols = table_split(line, t->name, TABLE_COLUMNS);
	t->cell = calloc((size_t)room * t->nr_cols, sizeof(*t->cell));
	assert_non_null(t->cell);
	while ((line = strtok_r(NULL, "\n", &save)))
		table_split(line, &t->cell[t->nr_rows++ * t->nr_cols], t->nr_cols);
	return true;
}

static inline u32 table_column(const struct table *t, const char *name)
{
	for (u32 i = 0; i < t->nr_cols; i++)
		if (!strcmp(t->name[i], name))
			return i;
	fail_msg("the recording has no column %s", name);
	return 0;
}

static inline const char *table_cell(const struct table *t, u32 row, const char *column)
{
	return t->cell[row * t->nr_cols + table_column(t, column)];
}

static inline s64 table_int(const struct table *t, u32 row, const char *column)
{
	return strtoll(table_cell(t, row, column), NULL, 10);
}

struct recording {
	struct table trace, pelt;
};

static inline void recording_free(struct recording *r)
{
	table_free(&r->trace);
	table_free(&r->pelt);
}

/*
 * recording_read - the run @name from the directory @set of the whole recordings (environment
 * SG_GOLDEN_DIR), else from what travels with the source. False: it is in neither.
 */
static inline bool recording_read(struct recording *r, const char *set, const char *name)
{
	const char *golden = getenv("SG_GOLDEN_DIR"), *src = getenv("abs_top_srcdir");
	char dir[400], path[512];
	bool found = false;

	*r = (struct recording){ 0 };
	for (int i = 0; i < 2 && !found; i++) {
		if (!i && !golden)
			continue;
		if (!i)
			snprintf(dir, sizeof(dir), "%s/realkernel/%s", golden, set);
		else
			snprintf(dir, sizeof(dir), "%s/tests/recordings/data", src ? src : ".");
		snprintf(path, sizeof(path), "%s/%s.pelt.csv", dir, name);
		found = table_read(&r->pelt, path);
		snprintf(path, sizeof(path), "%s/%s.trace.csv", dir, name);
		if (found && !table_read(&r->trace, path))
			fail_msg("%s is missing", path);
	}
	return found;
}

#endif
