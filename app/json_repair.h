/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json_repair.h - turning JSON as people write it into JSON as the standard has it.
 *
 * Real rt-app files carry comments, trailing commas, capitalised literals, keys without a value,
 * and template placeholders; stock cJSON reads a third of them. This pass reads that dialect with
 * its own small parser, writes strict JSON, and remembers where in the source each value stood, so
 * that later complaints can name line and column. It is a pure function over bytes.
 *
 * Whatever cJSON is asked to parse afterwards is therefore well-formed, at most JSON_MAX_DEPTH deep
 * and of at most JSON_MAX_VALUES values.
 */
#ifndef SG_APP_JSON_REPAIR_H
#define SG_APP_JSON_REPAIR_H

#include "engine/base/err.h"
#include "engine/base/types.h"

#define JSON_MAX_BYTES (16u << 20)
#define JSON_MAX_DEPTH 64u
#define JSON_MAX_VALUES 1000000u
#define JSON_BLOCK 4096u
#define JSON_MAX_DEFINE 4096u /* bytes of one -D value */

enum json_repair_kind {
	JSON_REPAIR_BOM,
	JSON_REPAIR_COMMENT,
	JSON_REPAIR_TRAILING_COMMA,
	JSON_REPAIR_LITERAL_CASE,
	JSON_REPAIR_SINGLE_QUOTES,
	JSON_REPAIR_NO_VALUE,
	JSON_REPAIR_PLACEHOLDER,
	JSON_REPAIR_LEADING_ZERO,
	JSON_REPAIR_CONTROL,
	JSON_REPAIR_UTF8,
	JSON_REPAIR_NUL,
	JSON_REPAIR_KINDS
};

#define JSON_REPAIR_PLACES 8u

/* What was mended, by kind: how often, and where the first few times (byte offsets). */
struct json_repair {
	u32 count;
	u32 at[JSON_REPAIR_PLACES];
};

/* Where a value stood in the source: byte offsets of its key (NONE in an array) and of itself. */
struct json_place {
	u32 key, value;
};

/* A placeholder and its value: -D NAME=value. NAME matches NAME and __NAME__. */
struct json_define {
	const char *name, *value;
};

struct json_fixed {
	char *text; /* strict JSON, NUL-terminated */
	size_t len;
	struct json_place *places; /* of every value, in document order, containers before content */
	u32 nr_places;
	struct json_repair repairs[JSON_REPAIR_KINDS];
	char *source; /* copy of the input, for places */
	size_t source_len;
	u32 *block_lines; /* newlines before each JSON_BLOCK bytes of the source */
};

/*
 * json_repair - read @len bytes at @buf (no NUL needed), replacing placeholders from the @nr_defs
 * entries of @defs. Fills @out (release with json_fixed_fini(), also after a failure).
 * Returns 0, or -1 with @err: line, column, what was found, what is allowed, one suggestion. Code
 * ERR_LIMIT where a limit above was reached, ERR_USAGE otherwise.
 */
int json_repair(const char *buf, size_t len, const struct json_define *defs, u32 nr_defs,
		struct json_fixed *out, struct err *err);

void json_fixed_fini(struct json_fixed *f);

/* json_fixed_index - fill block_lines from the source; done by json_repair(). */
void json_fixed_index(struct json_fixed *f);

/* json_fixed_locate - line and column, both from 1, of byte @at; columns count characters. */
void json_fixed_locate(const struct json_fixed *f, u32 at, int *line, int *col);

/* json_repair_text - what a kind of repair did, as "comment left out". */
const char *json_repair_text(enum json_repair_kind kind);

#endif
