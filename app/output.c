/* SPDX-License-Identifier: GPL-2.0-only */
/* output.c - finished text to stdout or a file; errors to stderr. See output.h. */
#include "app/output.h"

#include "app/options.h"
#include "app/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int output_text(const char *path, const char *text, struct err *err)
{
	bool file = path && strcmp(path, "-");
	FILE *f = file ? fopen(path, "w") : stdout;
	char clean[128];
	bool bad;

	text_clean(clean, sizeof(clean), path ? path : "stdout");
	if (!f)
		return err_set(err, ERR_USAGE, "cannot write '%s': %s", clean, strerror(errno));
	fputs(text, f);
	bad = fflush(f) || ferror(f);
	if (file && fclose(f))
		bad = true;
	if (bad)
		return err_set(err, ERR_USAGE, "could not write all of '%s': %s", clean,
			       strerror(errno));
	return 0;
}

int output_error(const struct err *err)
{
	char clean[sizeof(err->msg)], place[32];

	text_clean(clean, sizeof(clean), err->msg);
	snprintf(place, sizeof(place), ":%d:%d:", err->line, err->col);
	fflush(stdout);
	if (err->line > 0 && !strstr(clean, place)) /* not in the text already */
		fprintf(stderr, "schedground: %s (line %d, column %d)\n", clean, err->line,
			err->col);
	else
		fprintf(stderr, "schedground: %s\n", clean);
	return exit_code_of(err);
}
