/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * utf8.h - decode, encode, measure and disarm text before it reaches a terminal.
 *
 * Names come from JSON, Lua, traces and sessions, so they are data: control characters, escape
 * sequences and marks that turn the writing direction are replaced by U+FFFD. The width table is
 * our own, so that a golden screen does not depend on the C library of the day.
 */
#ifndef SG_UI_UTF8_H
#define SG_UI_UTF8_H

#include <stddef.h>

#include "engine/base/types.h"

#define UTF8_BAD 0xfffdu /* shown for everything malformed or unsafe */

/*
 * utf8_decode - read one character of @s (@len bytes, at least 1) into *@ch.
 * Returns its length in bytes, 0 if the bytes are no well-formed UTF-8 (overlong forms, surrogates
 * and values above U+10FFFF included).
 */
unsigned utf8_decode(const char *s, size_t len, u32 *ch);

/*
 * utf8_next - decode the character at *@s and advance; never reads past a NUL byte. Malformed input
 * gives UTF8_BAD and advances one byte. At the end it returns 0 and does not advance.
 */
u32 utf8_next(const char **s);

/*
 * utf8_put - encode @ch into @out (room for 4); returns the number of bytes, UTF8_BAD if
 * invalid.
 */
int utf8_put(u32 ch, char *out);

/* utf8_safe - @ch itself, or UTF8_BAD when a terminal could take it for a command or a trick. */
u32 utf8_safe(u32 ch);

/* utf8_width - columns of a safe character: 0 (combining), 1, or 2 (East Asian wide, emoji). */
int utf8_width(u32 ch);

/* utf8_cols - columns that a string takes on the canvas, after replacement. */
int utf8_cols(const char *s);

/*
 * utf8_clean - copy @src to @dst (@size bytes, always ended) with unsafe characters replaced, for
 * text that goes to stdout or stderr. @ascii: everything beyond ASCII becomes '?'. @keep_nl: line
 * feeds and tabs pass. Returns @dst.
 */
char *utf8_clean(char *dst, size_t size, const char *src, bool ascii, bool keep_nl);

#endif
