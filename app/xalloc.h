/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xalloc.h - allocation for app/ and its tests that never returns NULL.
 *
 * The front end has nothing sensible to do without memory, so these end the process with one line
 * on stderr. The engine does not use them: its arena reports a failed growth as ERR_LIMIT.
 */
#ifndef SG_APP_XALLOC_H
#define SG_APP_XALLOC_H

#include <stddef.h>

/* Zeroed array of @nr elements of @size bytes; an overflow of the product ends the process. */
void *xcalloc(size_t nr, size_t size);

/* Resize @p to @nr elements of @size bytes; new bytes are not cleared. */
void *xrealloc_array(void *p, size_t nr, size_t size);

/* Copies; the caller frees. xstrndup() stops at @len bytes or a NUL. */
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t len);

/* Formatted string on the heap; the caller frees. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
