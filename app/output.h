/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - finished text to stdout or a file; errors to stderr.
 */
#ifndef SG_APP_OUTPUT_H
#define SG_APP_OUTPUT_H

#include "engine/base/err.h"

/* output_text - write @text to the file @path (NULL or "-": stdout). 0 or -1 with @err. */
int output_text(const char *path, const char *text, struct err *err);

/* output_error - "schedground: MESSAGE" on stderr, cleaned. Returns the exit code that belongs to it. */
int output_error(const struct err *err);

/*
 * output_check - could a file be written at @path, as far as can be told without touching it? What
 * takes long should not find out at its end. NULL and "-": stdout. Returns 0, or -1 with @err, which
 * names @option.
 */
int output_check(const char *option, const char *path, struct err *err);

#endif
