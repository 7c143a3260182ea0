/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jsonl.h - reader for one line of JSON with exact 64-bit integers, for vectors only.
 *
 * cJSON keeps numbers as doubles, which 2^53 and more do not survive. Numbers here are integers
 * only; a negative one is kept in two's complement.
 */
#ifndef SG_TESTS_VECTORS_JSONL_H
#define SG_TESTS_VECTORS_JSONL_H

#include "engine/base/types.h"

enum jv_type { JV_NUMBER, JV_STRING, JV_OBJECT, JV_ARRAY };

struct jv {
	enum jv_type type;
	const char *key; /* name in the object around it, NULL in arrays */
	u64 num;
	const char *str;
	struct jv *child, *next;
	bool seen; /* compared, for numbers of an expected state */
};

#define JSONL_MAX_NODES 2048

struct jsonl {
	struct jv nodes[JSONL_MAX_NODES];
	unsigned nr;
	const char *error; /* why parsing failed */
};

/* jsonl_parse - parse @line, which is changed and must live as long as the result. NULL: error. */
struct jv *jsonl_parse(struct jsonl *j, char *line);

/* jv_get - member @key of object @v, NULL if absent or @v is NULL. */
struct jv *jv_get(const struct jv *v, const char *key);

#endif
