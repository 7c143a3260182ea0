/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * err.c - fills struct err and dispatches BUG_ON; see err.h for the three kinds of failure.
 *
 * Nothing here allocates: a message that does not fit is cut at a whole UTF-8 character. The text
 * is not cleaned, because the same record is written to JSON and to a terminal; each writer escapes
 * for its own medium.
 */
#include "engine/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Drop an incomplete UTF-8 sequence that vsnprintf() left at the end of a full buffer. */
static void err_trim(char *s, size_t len)
{
	size_t i = len;

	while (i > 0 && len - i < 4 && ((u8)s[i - 1] & 0xc0) == 0x80)
		i--;
	if (i == 0)
		return;

	u8 lead = (u8)s[i - 1];
	size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;

	if (want > len - i + 1)
		s[i - 1] = '\0';
}

__attribute__((format(printf, 3, 0))) static void err_format(char *buf, size_t size,
							     const char *fmt, va_list ap)
{
	int n = vsnprintf(buf, size, fmt, ap);

	if (n < 0)
		buf[0] = '\0';
	else if ((size_t)n >= size)
		err_trim(buf, size - 1);
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	if (!err || err->code != ERR_NONE)
		return -1;

	va_list ap;

	err->code = code;
	err->line = 0;
	err->col = 0;
	va_start(ap, fmt);
	err_format(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return -1;
}

int err_at(struct err *err, enum err_code code, int line, int col, const char *fmt, ...)
{
	if (!err || err->code != ERR_NONE)
		return -1;

	va_list ap;

	err->code = code;
	err->line = line;
	err->col = col;
	va_start(ap, fmt);
	err_format(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	if (!err || err->code == ERR_NONE)
		return -1;

	char old[sizeof(err->msg)];
	char prefix[sizeof(err->msg)];
	va_list ap;

	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	err_format(prefix, sizeof(prefix), fmt, ap);
	va_end(ap);

	int n = snprintf(err->msg, sizeof(err->msg), "%s: %s", prefix, old);

	if (n >= (int)sizeof(err->msg))
		err_trim(err->msg, sizeof(err->msg) - 1);
	return -1;
}

static bug_handler_fn bug_handler;

void bug_handler_set(bug_handler_fn fn)
{
	bug_handler = fn;
}

_Noreturn void bug_at(const char *file, int line, const char *cond)
{
	if (bug_handler)
		bug_handler(file, line, cond);
	/* Without a handler, or with one that came back against its contract. */
	fprintf(stderr, "BUG: %s:%d: %s\n", file, line, cond);
	abort();
}
