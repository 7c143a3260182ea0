/* SPDX-License-Identifier: GPL-2.0-only */
/* json_util.c - JSON documents with places, typed access. See json_util.h. */
#include "app/json_util.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"

/* Number the values below @node as json_repair() met them. At most JSON_MAX_DEPTH levels. */
static void index_nodes(struct json_doc *doc, const cJSON *node)
{
	if (doc->nr_index == doc->fixed.nr_places)
		return;
	doc->index[doc->nr_index] = (struct json_node_place){ node, doc->nr_index };
	doc->nr_index++;
	for (const cJSON *c = node->child; c; c = c->next)
		index_nodes(doc, c);
}

static int by_node(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct json_node_place *)a)->node;
	uintptr_t y = (uintptr_t)((const struct json_node_place *)b)->node;

	return x < y ? -1 : x > y;
}

int json_doc_parse(const char *buf, size_t len, const struct json_define *defs, u32 nr_defs,
		   struct json_doc **out, struct err *err)
{
	struct json_doc *doc = xcalloc(1, sizeof(*doc));
	const char *end = NULL;

	*out = NULL;
	if (json_repair(buf, len, defs, nr_defs, &doc->fixed, err)) {
		json_doc_free(doc);
		return -1;
	}
	doc->root = cJSON_ParseWithLengthOpts(doc->fixed.text, doc->fixed.len + 1, &end, true);
	if (!doc->root) {
		/* Repaired text is strict JSON within the parser's limits, so this is no syntax. */
		err_set(err, ERR_LIMIT, "not enough memory for this file (%u values)",
			doc->fixed.nr_places);
		json_doc_free(doc);
		return -1;
	}
	doc->index = xcalloc(doc->fixed.nr_places, sizeof(*doc->index));
	index_nodes(doc, doc->root);
	qsort(doc->index, doc->nr_index, sizeof(*doc->index), by_node);
	*out = doc;
	return 0;
}

void json_doc_free(struct json_doc *doc)
{
	if (!doc)
		return;
	cJSON_Delete(doc->root);
	json_fixed_fini(&doc->fixed);
	free(doc->index);
	free(doc);
}

void json_doc_where(const struct json_doc *doc, const cJSON *node, bool key, int *line, int *col)
{
	struct json_node_place want = { node, 0 }, *found = NULL;

	*line = *col = 0;
	if (doc && node)
		found = bsearch(&want, doc->index, doc->nr_index, sizeof(want), by_node);
	if (!found)
		return;

	const struct json_place *p = &doc->fixed.places[found->place];

	json_fixed_locate(&doc->fixed, key && p->key != NONE ? p->key : p->value, line, col);
}

__attribute__((format(printf, 6, 0))) static int fail_va(const struct json_doc *doc,
							 const cJSON *node, bool key,
							 struct err *err, enum err_code code,
							 const char *fmt, va_list ap)
{
	char text[sizeof(err->msg)];
	int line, col;

	vsnprintf(text, sizeof(text), fmt, ap);
	text_clean(text, sizeof(text), text);
	json_doc_where(doc, node, key, &line, &col);
	return err_at(err, code, line, col, "%s", text);
}

int json_fail(const struct json_doc *doc, const cJSON *node, struct err *err, enum err_code code,
	      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_va(doc, node, false, err, code, fmt, ap);
	va_end(ap);
	return -1;
}

int json_fail_key(const struct json_doc *doc, const cJSON *node, struct err *err,
		  enum err_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_va(doc, node, true, err, code, fmt, ap);
	va_end(ap);
	return -1;
}

int json_err_in_file(struct err *err, const char *path)
{
	char shown[160];

	if (!err)
		return -1;
	text_clean(shown, sizeof(shown), path);
	if (err->line)
		return err_wrap(err, "%s:%d:%d", shown, err->line, err->col);
	return err_wrap(err, "%s", shown);
}

static struct note *note_new(struct note_list *notes)
{
	if (notes->nr == NOTES_MAX) {
		notes->dropped++;
		return NULL;
	}
	notes->v = xrealloc_array(notes->v, notes->nr + 1, sizeof(*notes->v));

	struct note *n = &notes->v[notes->nr++];

	memset(n, 0, sizeof(*n));
	return n;
}

void note_add(struct note_list *notes, const struct json_doc *doc, const cJSON *node,
	      const char *fmt, ...)
{
	struct note *n = note_new(notes);
	char text[512];
	va_list ap;

	if (!n)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_clean(text, sizeof(text), text);
	n->text = xstrdup(text);
	json_doc_where(doc, node, true, &n->line, &n->col);
}

void note_list_fini(struct note_list *notes)
{
	for (u32 i = 0; i < notes->nr; i++)
		free(notes->v[i].text);
	free(notes->v);
	memset(notes, 0, sizeof(*notes));
}

void json_doc_notes(const struct json_doc *doc, struct note_list *notes)
{
	for (int kind = 0; kind < JSON_REPAIR_KINDS; kind++) {
		const struct json_repair *r = &doc->fixed.repairs[kind];
		u32 shown = r->count < JSON_REPAIR_PLACES ? r->count : JSON_REPAIR_PLACES;
		char text[512];
		struct note *n = r->count ? note_new(notes) : NULL;
		int len, line, col;

		if (!n)
			continue;
		len = snprintf(text, sizeof(text), "%s",
			       json_repair_text((enum json_repair_kind)kind));
		for (u32 i = 1; i < shown && len < 400; i++) {
			json_fixed_locate(&doc->fixed, r->at[i], &line, &col);
			len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%d:%d",
					i == 1 ? "; also at " : ", ", line, col);
		}
		if (r->count > shown)
			snprintf(text + len, sizeof(text) - (size_t)len, " and %u more",
				 r->count - shown);
		n->repair = true;
		n->text = xstrdup(text);
		json_fixed_locate(&doc->fixed, r->at[0], &n->line, &n->col);
	}
}

const cJSON *json_member(const cJSON *object, const char *key)
{
	const cJSON *found = NULL, *c;

	cJSON_ArrayForEach(c, object)
	{
		if (c->string && !strcmp(c->string, key))
			found = c;
	}
	return found;
}

const char *json_describe(const cJSON *node, char *buf, size_t size)
{
	if (cJSON_IsString(node)) {
		snprintf(buf, size, "the text '%.40s'", node->valuestring);
		text_clean(buf, size, buf);
		return buf;
	}
	if (cJSON_IsNumber(node)) {
		snprintf(buf, size, "the number %.15g", node->valuedouble);
		return buf;
	}
	if (cJSON_IsBool(node))
		return cJSON_IsTrue(node) ? "true" : "false";
	if (cJSON_IsNull(node))
		return "null";
	return cJSON_IsArray(node) ? "a list" : "an object";
}

bool json_whole(const cJSON *node, s64 *out)
{
	double v = cJSON_IsNumber(node) ? node->valuedouble : 0.5;

	if (!(v >= -9007199254740992.0 && v <= 9007199254740992.0) || (double)(s64)v != v)
		return false;
	*out = (s64)v;
	return true;
}

/* "; did you mean 'xyz'?" for an absent member, out of the members there are. */
static const char *near_member(const cJSON *object, const char *key, char *buf, size_t size)
{
	const char *names[64], *hit;
	size_t nr = 0;
	const cJSON *c;

	cJSON_ArrayForEach(c, object)
	{
		if (c->string && nr < ARRAY_SIZE(names))
			names[nr++] = c->string;
	}
	hit = suggest(key, names, nr);
	buf[0] = '\0';
	if (hit)
		snprintf(buf, size, "; is '%.40s' meant to be it?", hit);
	return buf;
}

/* The member @key, or NULL; if it must be there and is not, @err is set. */
static const cJSON *member_or_fail(const struct json_doc *doc, const cJSON *object, const char *key,
				   const char *what, struct err *err)
{
	const cJSON *m = json_member(object, key);
	char near[80];

	if (!m)
		json_fail(doc, object, err, ERR_USAGE, "'%s' is missing here (%s)%s", key, what,
			  near_member(object, key, near, sizeof(near)));
	return m;
}

static int take_u32(const struct json_doc *doc, const cJSON *m, u32 min, u32 max, u32 *out,
		    struct err *err)
{
	char buf[64];
	s64 v;

	if (!json_whole(m, &v) || v < min || v > max)
		return json_fail(doc, m, err, ERR_USAGE,
				 "'%.40s' is %s; a whole number from %u to %u is allowed",
				 m->string ? m->string : "value",
				 json_describe(m, buf, sizeof(buf)), min, max);
	*out = (u32)v;
	return 0;
}

int json_get_u32(const struct json_doc *doc, const cJSON *object, const char *key, u32 min, u32 max,
		 u32 *out, struct err *err)
{
	const cJSON *m = member_or_fail(doc, object, key, "a whole number", err);

	return m ? take_u32(doc, m, min, max, out, err) : -1;
}

int json_get_u32_or(const struct json_doc *doc, const cJSON *object, const char *key, u32 min,
		    u32 max, u32 fallback, u32 *out, struct err *err)
{
	const cJSON *m = json_member(object, key);

	*out = fallback;
	return m ? take_u32(doc, m, min, max, out, err) : 0;
}

int json_get_bool_or(const struct json_doc *doc, const cJSON *object, const char *key,
		     bool fallback, bool *out, struct err *err)
{
	const cJSON *m = json_member(object, key);
	char buf[64];

	*out = fallback;
	if (!m)
		return 0;
	if (!cJSON_IsBool(m))
		return json_fail(doc, m, err, ERR_USAGE, "'%s' is %s; true or false is allowed",
				 key, json_describe(m, buf, sizeof(buf)));
	*out = cJSON_IsTrue(m);
	return 0;
}

int json_get_text(const struct json_doc *doc, const cJSON *object, const char *key, char *out,
		  size_t size, bool optional, struct err *err)
{
	const cJSON *m = optional ? json_member(object, key)
				  : member_or_fail(doc, object, key, "a text", err);
	char buf[64];

	out[0] = '\0';
	if (!m)
		return optional ? 0 : -1;
	if (!cJSON_IsString(m))
		return json_fail(doc, m, err, ERR_USAGE, "'%s' is %s; a text is allowed", key,
				 json_describe(m, buf, sizeof(buf)));
	text_clean(out, size, m->valuestring);
	return 0;
}

int json_get_list(const struct json_doc *doc, const cJSON *object, const char *key, bool optional,
		  const cJSON **out, struct err *err)
{
	const cJSON *m = optional ? json_member(object, key)
				  : member_or_fail(doc, object, key, "a list [...]", err);
	char buf[64];

	*out = m;
	if (!m)
		return optional ? 0 : -1;
	if (!cJSON_IsArray(m))
		return json_fail(doc, m, err, ERR_USAGE, "'%s' is %s; a list [...] is allowed", key,
				 json_describe(m, buf, sizeof(buf)));
	return 0;
}

int json_get_object(const struct json_doc *doc, const cJSON *object, const char *key, bool optional,
		    const cJSON **out, struct err *err)
{
	const cJSON *m = optional ? json_member(object, key)
				  : member_or_fail(doc, object, key, "an object {...}", err);
	char buf[64];

	*out = m;
	if (!m)
		return optional ? 0 : -1;
	if (!cJSON_IsObject(m))
		return json_fail(doc, m, err, ERR_USAGE, "'%s' is %s; an object {...} is allowed",
				 key, json_describe(m, buf, sizeof(buf)));
	return 0;
}
