/* SPDX-License-Identifier: GPL-2.0-only */
/* output.c - finished text to stdout or a file; errors to stderr. See output.h. */
#include "app/output.h"

#include "app/options.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	if (bad) {
		err_set(err, ERR_USAGE, "could not write all of '%s': %s", clean, strerror(errno));
		/* Said once: what is left of it must not fail again at the end. */
		if (!file) {
			__fpurge(stdout);
			clearerr(stdout);
		}
	}
	return bad ? -1 : 0;
}

int output_check(const char *option, const char *path, struct err *err)
{
	char clean[128], *dir, *slash;
	struct stat st;
	int why = 0;

	if (!path || !strcmp(path, "-"))
		return 0;
	if (!stat(path, &st)) {
		why = S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
	} else if (errno != ENOENT) {
		why = errno;
	} else {
		dir = xstrdup(path);
		slash = strrchr(dir, '/');
		if (slash)
			slash[slash == dir] = '\0';
		if (access(slash ? dir : ".", W_OK | X_OK))
			why = errno;
		free(dir);
	}
	if (!why)
		return 0;
	text_clean(clean, sizeof(clean), path);
	return err_set(err, ERR_USAGE, "%s: cannot write '%s': %s", option, clean, strerror(why));
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
