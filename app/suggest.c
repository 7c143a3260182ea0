/* SPDX-License-Identifier: GPL-2.0-only */
/* suggest.c - the known name nearest to a mistyped one. See suggest.h. */
#include "app/suggest.h"

#include <ctype.h>
#include <string.h>

#define WORD_MAX 63
#define COST 2

static unsigned replace_cost(char a, char b)
{
	if (a == b)
		return 0;
	if (tolower((unsigned char)a) == tolower((unsigned char)b))
		return COST / 2;
	if ((a == '-' && b == '_') || (a == '_' && b == '-'))
		return COST / 2;
	return COST;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned edit_distance(const char *a, const char *b)
{
	/* Three rows of the usual table: two back (for swaps), one back, this one. */
	unsigned rows[3][WORD_MAX + 1];
	size_t la = strnlen(a, WORD_MAX), lb = strnlen(b, WORD_MAX);

	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = (unsigned)j * COST;
	for (size_t i = 1; i <= la; i++) {
		unsigned *row = rows[i % 3], *up = rows[(i - 1) % 3], *up2 = rows[(i + 1) % 3];

		row[0] = (unsigned)i * COST;
		for (size_t j = 1; j <= lb; j++) {
			unsigned d = up[j - 1] + replace_cost(a[i - 1], b[j - 1]);

			d = least(d, least(up[j], row[j - 1]) + COST);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = least(d, up2[j - 2] + COST);
			row[j] = d;
		}
	}
	return rows[la % 3][lb];
}

const char *suggest(const char *word, const char *const *names, size_t nr)
{
	size_t len = strnlen(word, WORD_MAX);
	unsigned best = ~0u;
	const char *found = NULL;

	for (size_t i = 0; i < nr; i++) {
		unsigned d = edit_distance(word, names[i]);
		unsigned allowed = COST * (1 + (unsigned)len / 3);

		/* "sched" for "schedutil": an unfinished word is no typing error, but as clear. */
		if (len >= 3 && !strncmp(word, names[i], len))
			d = least(d, COST);
		/* "slice" for "base_slice_ns" */
		else if (len >= 4 && strstr(names[i], word))
			d = least(d, COST + 1);
		if (d <= allowed && d < best && d < COST * (unsigned)len) {
			best = d;
			found = names[i];
		}
	}
	return found;
}
