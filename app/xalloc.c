/* SPDX-License-Identifier: GPL-2.0-only */
/* xalloc.c - allocation that ends the process where there is no memory. See xalloc.h. */
#include "app/xalloc.h"

#include "app/crash.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *xcalloc(size_t nr, size_t size)
{
	if (!nr || !size)
		nr = size = 1;

	void *p = calloc(nr, size);

	if (!p)
		crash_no_memory(nr * size);
	return p;
}

void *xrealloc_array(void *p, size_t nr, size_t size)
{
	if (!nr || !size)
		nr = size = 1;
	if (nr > SIZE_MAX / size)
		crash_no_memory(SIZE_MAX);

	void *q = realloc(p, nr * size);

	if (!q)
		crash_no_memory(nr * size);
	return q;
}

char *xstrndup(const char *s, size_t len)
{
	size_t n = strnlen(s, len);
	char *p = xcalloc(n + 1, 1);

	memcpy(p, s, n);
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return xstrdup("");

	char *p = xcalloc((size_t)n + 1, 1);

	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}
