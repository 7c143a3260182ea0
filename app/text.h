/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - making foreign text harmless, and the small UTF-8 helpers that takes.
 *
 * Names and texts from JSON, Lua, traces and sessions are data. Before they reach a terminal (the
 * canvas as well as stdout and stderr), everything that could steer one is replaced by '?'.
 */
#ifndef SG_APP_TEXT_H
#define SG_APP_TEXT_H

#include "engine/base/types.h"
#include "ui/utf8.h"

/*
 * text_is_unsafe - can this character steer a terminal or hide what a line says? Control
 * characters of both sets, bidi marks, zero-width and line separators, tag characters.
 */
bool text_is_unsafe(u32 ch);

/*
 * text_clean - copy @src (NUL-terminated) to @dst (@size bytes, at least 1), replacing every unsafe
 * character and every byte that is no UTF-8 by '?', cut at a character's border if too long.
 * @dst may be @src. Returns the length of the result; it is never longer than the source.
 */
size_t text_clean(char *dst, size_t size, const char *src);

/* text_clean_n - the same for @len bytes that may hold NULs (each becomes '?'). */
size_t text_clean_n(char *dst, size_t size, const char *src, size_t len);

#endif
