/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xalloc.h - allocation for ui/: it succeeds or ends the program through the bug handler.
 *
 * Everything the terminal side allocates is small and bounded by the screen, so running out of
 * memory there is not an error anybody could act on. The engine has its own rules (arena).
 */
#ifndef SG_UI_XALLOC_H
#define SG_UI_XALLOC_H

#include <stdlib.h>
#include <string.h>

#include "engine/base/err.h"

static inline void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	BUG_ON(!p);
	return p;
}

static inline void *xreallocarray(void *old, size_t n, size_t size)
{
	void *p;

	BUG_ON(size && n > (size_t)-1 / size);
	p = realloc(old, n && size ? n * size : 1);
	BUG_ON(!p);
	return p;
}

static inline char *xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = (char *)xcalloc(n, 1);

	memcpy(p, s, n);
	return p;
}

#endif
