/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json_util.h - a parsed JSON document that knows where each value stood, and typed access to it.
 *
 * cJSON keeps duplicate keys in order and numbers as doubles; the getters here take the last
 * duplicate (what rt-app does) and accept whole numbers only, with range.
 */
#ifndef SG_APP_JSON_UTIL_H
#define SG_APP_JSON_UTIL_H

#include <cjson/cJSON.h>

#include "app/json_repair.h"
#include "engine/base/err.h"
#include "engine/base/types.h"

struct json_node_place {
	const cJSON *node;
	u32 place; /* index into fixed.places */
};

struct json_doc {
	struct json_fixed fixed;
	cJSON *root;
	struct json_node_place *index; /* sorted by node address */
	u32 nr_index;
};

/* A thing worth telling that stopped nothing: a repair or a warning. */
struct note {
	bool repair;
	int line, col; /* 0: no place */
	char *text; /* cleaned for terminals */
};

struct note_list {
	struct note *v;
	u32 nr, dropped; /* dropped: past NOTES_MAX */
};

#define NOTES_MAX 200u

/*
 * json_doc_parse - repair and parse @len bytes at @buf with placeholders @defs. *@doc is to be freed
 * with json_doc_free(). Returns 0, or -1 with @err (see json_repair()) and *@doc NULL.
 */
int json_doc_parse(const char *buf, size_t len, const struct json_define *defs, u32 nr_defs,
		   struct json_doc **doc, struct err *err);
void json_doc_free(struct json_doc *doc);

/* json_doc_notes - append what was repaired to @notes: one note per kind with its places. */
void json_doc_notes(const struct json_doc *doc, struct note_list *notes);

/* json_doc_where - line and column of @node's value, or of its key with @key. 0,0 if unknown. */
void json_doc_where(const struct json_doc *doc, const cJSON *node, bool key, int *line, int *col);

/*
 * json_fail - err_at() with the place of @node's value (its key: json_fail_key()); the text is made
 * harmless for terminals. Returns -1.
 */
int json_fail(const struct json_doc *doc, const cJSON *node, struct err *err, enum err_code code,
	      const char *fmt, ...) __attribute__((format(printf, 5, 6)));
int json_fail_key(const struct json_doc *doc, const cJSON *node, struct err *err,
		  enum err_code code, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/*
 * json_err_in_file - put "PATH:LINE:COL: " (or "PATH: ") before the message, so that it stands alone.
 * line and col stay set as well. Returns -1.
 */
int json_err_in_file(struct err *err, const char *path);

/* note_add - append a note at the key (or value) of @node; @node and @doc may be NULL: no place. */
void note_add(struct note_list *notes, const struct json_doc *doc, const cJSON *node,
	      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void note_list_fini(struct note_list *notes);

/* json_member - last member called @key of @object (case matters), NULL if there is none. */
const cJSON *json_member(const cJSON *object, const char *key);

/* json_describe - what a value is, for messages: "the text 'abc'", "the number 3.5", "a list". */
const char *json_describe(const cJSON *node, char *buf, size_t size);

/* json_whole - is @node a whole number of at most 2^53? Its value goes to *@out. */
bool json_whole(const cJSON *node, s64 *out);

/*
 * Members with a type. Each returns 0 and fills *@out, or -1 with @err naming the place, what was
 * found and what is allowed. The _or forms take @fallback where the member is absent.
 */
int json_get_u32(const struct json_doc *doc, const cJSON *object, const char *key, u32 min, u32 max,
		 u32 *out, struct err *err);
int json_get_u32_or(const struct json_doc *doc, const cJSON *object, const char *key, u32 min,
		    u32 max, u32 fallback, u32 *out, struct err *err);
int json_get_bool_or(const struct json_doc *doc, const cJSON *object, const char *key,
		     bool fallback, bool *out, struct err *err);
/* Text cut and cleaned into @out of @size bytes; absent is an error unless @optional. */
int json_get_text(const struct json_doc *doc, const cJSON *object, const char *key, char *out,
		  size_t size, bool optional, struct err *err);
/* List or object; *@out is borrowed from the document, and NULL where an @optional one is absent. */
int json_get_list(const struct json_doc *doc, const cJSON *object, const char *key, bool optional,
		  const cJSON **out, struct err *err);
int json_get_object(const struct json_doc *doc, const cJSON *object, const char *key, bool optional,
		    const cJSON **out, struct err *err);

#endif
