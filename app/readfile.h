/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * readfile.h - a whole file in memory, with an error a user can act on.
 */
#ifndef SG_APP_READFILE_H
#define SG_APP_READFILE_H

#include "engine/base/err.h"
#include "engine/base/types.h"

/*
 * read_file - read @path ("-" is standard input) whole, at most @max bytes. *@buf gets a heap buffer
 * with a NUL after its *@len bytes; the caller frees it. Returns 0, or -1 with @err (no such file,
 * a directory, no permission, not readable: ERR_USAGE; too long, a device without end: ERR_LIMIT).
 */
int read_file(const char *path, size_t max, char **buf, size_t *len, struct err *err);

/* is_file - does @path name something that can be read as a file (no directory)? */
bool is_file(const char *path);

#endif
