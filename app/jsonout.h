/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jsonout.h - writes JSON from integers, with the keys of every object in byte order.
 *
 * Own writer because libraries print numbers through doubles, which rounds large nanosecond counts.
 * Members may come in any order; an object is put in order when it is closed. Same calls, same bytes.
 */
#ifndef SG_APP_JSONOUT_H
#define SG_APP_JSONOUT_H

#include "app/strbuf.h"

#define JW_DEPTH 16

struct jw_member {
	size_t key, key_len, start; /* offsets into the text */
};

struct jsonout {
	struct strbuf out;
	struct jw_member *members;
	u32 nr_members, cap_members;
	u32 depth;
	struct {
		u32 first; /* members below this one belong to outer levels */
		size_t start;
		bool array, flat;
	} level[JW_DEPTH];
	struct strbuf keys;
	bool compact; /* everything on one line */
};

/*
 * jw_open - begin an object, or an array, as member @key (NULL inside arrays and at the top).
 * jw_close - end the innermost one.
 */
void jw_open(struct jsonout *j, const char *key, bool array);
void jw_close(struct jsonout *j);

void jw_text(struct jsonout *j, const char *key, const char *value);
void jw_int(struct jsonout *j, const char *key, s64 value);
void jw_uint(struct jsonout *j, const char *key, u64 value);
/* jw_fixed - @value / 10^@decimals with exactly that many decimals (0..9). */
void jw_fixed(struct jsonout *j, const char *key, s64 value, unsigned decimals);
void jw_bool(struct jsonout *j, const char *key, bool value);
/* jw_raw - a value that is JSON already, without newlines at its end. */
void jw_raw(struct jsonout *j, const char *key, const char *json);
void jw_null(struct jsonout *j, const char *key);

/* jw_take - the finished text with a newline at its end; the caller frees, @j can be used again. */
char *jw_take(struct jsonout *j);
void jw_fini(struct jsonout *j);

/* json_quote - @s as a JSON string: quotes and escapes, broken UTF-8 as U+FFFD. */
void json_quote(struct strbuf *b, const char *s);

/* fixed_str - @value / 10^@decimals as text into @buf (at least 32 bytes). Returns @buf. */
const char *fixed_str(char *buf, s64 value, unsigned decimals);

#endif
