/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * suggest.h - "did you mean": the known name nearest to a mistyped one.
 */
#ifndef SG_APP_SUGGEST_H
#define SG_APP_SUGGEST_H

#include <stddef.h>

/*
 * edit_distance - least number of insertions, deletions, replacements and swaps of neighbours that
 * turn @a into @b, letter case counting half (the result is in halves, so 2 per edit).
 * Only the first 63 bytes of each are looked at.
 */
unsigned edit_distance(const char *a, const char *b);

/*
 * suggest - the element of @names (@nr of them) nearest to @word, or NULL if none is near enough to
 * be a typing error (about one edit per three letters; a common beginning helps, and so does
 * being a part of the name). First one wins.
 */
const char *suggest(const char *word, const char *const *names, size_t nr);

#endif
