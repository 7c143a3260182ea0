/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * strbuf.h - text that grows.
 */
#ifndef SG_APP_STRBUF_H
#define SG_APP_STRBUF_H

#include <stdarg.h>

#include "engine/base/types.h"

/* All zero is an empty text. s is NULL until the first write, NUL-terminated afterwards. */
struct strbuf {
	char *s;
	size_t len, cap;
};

void strbuf_add(struct strbuf *b, const char *s, size_t len);
void strbuf_puts(struct strbuf *b, const char *s);
void strbuf_printf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Cut to @len bytes. */
void strbuf_cut(struct strbuf *b, size_t len);
/* The text, never NULL; still owned by @b. */
const char *strbuf_str(const struct strbuf *b);
/* Hand the text over; the caller frees. @b is empty afterwards. */
char *strbuf_take(struct strbuf *b);
void strbuf_fini(struct strbuf *b);

#endif
