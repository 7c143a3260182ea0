/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jsonout.c - writes JSON from integers. See jsonout.h.
 *
 * Each member of an open object or array is one piece of text; their beginnings and keys are kept
 * in a list. Closing joins the pieces, in key order for objects.
 */
#include "app/jsonout.h"

#include "app/text.h"
#include "app/xalloc.h"
#include "engine/base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_quote(struct strbuf *b, const char *s)
{
	size_t len = strlen(s);

	strbuf_puts(b, "\"");
	for (size_t i = 0; i < len;) {
		u32 ch;
		unsigned n = utf8_decode(s + i, len - i, &ch);

		if (!n) {
			strbuf_puts(b, "\\ufffd");
			i++;
			continue;
		}
		if (ch == '"' || ch == '\\')
			strbuf_printf(b, "\\%c", (int)ch);
		else if (ch == '\n')
			strbuf_puts(b, "\\n");
		else if (ch == '\t')
			strbuf_puts(b, "\\t");
		else if (ch > 0xffff && text_is_unsafe(ch))
			strbuf_puts(b, "\\ufffd");
		else if (text_is_unsafe(ch)) /* stdout may be a terminal */
			strbuf_printf(b, "\\u%04x", ch);
		else
			strbuf_add(b, s + i, n);
		i += n;
	}
	strbuf_puts(b, "\"");
}

const char *fixed_str(char *buf, s64 value, unsigned decimals)
{
	u64 mag = value < 0 ? 0 - (u64)value : (u64)value;
	u64 scale = 1;

	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	if (decimals)
		snprintf(buf, 32, "%s%llu.%0*llu", value < 0 ? "-" : "",
			 (unsigned long long)(mag / scale), (int)decimals,
			 (unsigned long long)(mag % scale));
	else
		snprintf(buf, 32, "%s%llu", value < 0 ? "-" : "", (unsigned long long)mag);
	return buf;
}

/* Note where the member begins; its text follows. */
static void begin(struct jsonout *j, const char *key)
{
	if (!j->depth)
		return;
	BUG_ON(!key != j->level[j->depth - 1].array);
	if (j->nr_members == j->cap_members) {
		j->cap_members = j->cap_members ? 2 * j->cap_members : 64;
		j->members = xrealloc_array(j->members, j->cap_members, sizeof(*j->members));
	}

	struct jw_member *m = &j->members[j->nr_members++];

	m->start = j->out.len;
	m->key = j->keys.len;
	m->key_len = key ? strlen(key) : 0;
	if (key)
		strbuf_add(&j->keys, key, m->key_len);
}

void jw_open(struct jsonout *j, const char *key, bool array)
{
	begin(j, key);
	BUG_ON(j->depth == JW_DEPTH);
	if (j->depth)
		j->level[j->depth - 1].flat = false;
	j->level[j->depth].first = j->nr_members;
	j->level[j->depth].start = j->out.len;
	j->level[j->depth].array = array;
	j->level[j->depth].flat = true;
	j->depth++;
}

static void indent(struct strbuf *b, unsigned depth)
{
	strbuf_puts(b, "\n");
	for (unsigned i = 0; i < depth; i++)
		strbuf_puts(b, "  ");
}

static int compare_keys(const void *pa, const void *pb, void *ctx)
{
	const struct jw_member *a = pa, *b = pb;
	const char *keys = ctx;
	size_t n = a->key_len < b->key_len ? a->key_len : b->key_len;
	int c = n ? memcmp(keys + a->key, keys + b->key, n) : 0;

	if (c)
		return c;
	if (a->key_len != b->key_len)
		return a->key_len < b->key_len ? -1 : 1;
	return a->start < b->start ? -1 : a->start > b->start;
}

struct piece {
	struct jw_member m;
	size_t end;
};

static int compare_pieces(const void *a, const void *b, void *ctx)
{
	return compare_keys(&((const struct piece *)a)->m, &((const struct piece *)b)->m, ctx);
}

void jw_close(struct jsonout *j)
{
	BUG_ON(!j->depth);

	u32 depth = --j->depth;
	u32 first = j->level[depth].first, nr = j->nr_members - first;
	size_t start = j->level[depth].start;
	bool array = j->level[depth].array;
	bool one_line = j->compact || (j->level[depth].flat && array) || !nr;
	struct piece *p = xcalloc(nr, sizeof(*p));
	struct strbuf body = { 0 };

	for (u32 i = 0; i < nr; i++) {
		p[i].m = j->members[first + i];
		p[i].end = i + 1 < nr ? j->members[first + i + 1].start : j->out.len;
	}
	if (!array)
		qsort_r(p, nr, sizeof(*p), compare_pieces, j->keys.s);
	strbuf_puts(&body, array ? "[" : "{");
	for (u32 i = 0; i < nr; i++) {
		if (i)
			strbuf_puts(&body, one_line && !j->compact ? ", " : ",");
		if (!one_line)
			indent(&body, depth + 1);
		if (!array) {
			char *key = xstrndup(j->keys.s + p[i].m.key, p[i].m.key_len);

			json_quote(&body, key);
			strbuf_puts(&body, j->compact ? ":" : ": ");
			free(key);
		}
		strbuf_add(&body, j->out.s + p[i].m.start, p[i].end - p[i].m.start);
	}
	if (!one_line)
		indent(&body, depth);
	strbuf_puts(&body, array ? "]" : "}");
	if (nr)
		strbuf_cut(&j->keys, j->members[first].key);
	j->nr_members = first;
	strbuf_cut(&j->out, start);
	strbuf_add(&j->out, strbuf_str(&body), body.len);
	strbuf_fini(&body);
	free(p);
}

void jw_text(struct jsonout *j, const char *key, const char *value)
{
	begin(j, key);
	json_quote(&j->out, value);
}

void jw_int(struct jsonout *j, const char *key, s64 value)
{
	begin(j, key);
	strbuf_printf(&j->out, "%lld", (long long)value);
}

void jw_uint(struct jsonout *j, const char *key, u64 value)
{
	begin(j, key);
	strbuf_printf(&j->out, "%llu", (unsigned long long)value);
}

void jw_fixed(struct jsonout *j, const char *key, s64 value, unsigned decimals)
{
	char buf[32];

	begin(j, key);
	strbuf_puts(&j->out, fixed_str(buf, value, decimals));
}

void jw_bool(struct jsonout *j, const char *key, bool value)
{
	begin(j, key);
	strbuf_puts(&j->out, value ? "true" : "false");
}

void jw_raw(struct jsonout *j, const char *key, const char *json)
{
	size_t len = strlen(json);

	begin(j, key);
	while (len && json[len - 1] == '\n')
		len--;
	strbuf_add(&j->out, json, len);
}

void jw_null(struct jsonout *j, const char *key)
{
	begin(j, key);
	strbuf_puts(&j->out, "null");
}

char *jw_take(struct jsonout *j)
{
	BUG_ON(j->depth);
	strbuf_puts(&j->out, "\n");
	return strbuf_take(&j->out);
}

void jw_fini(struct jsonout *j)
{
	strbuf_fini(&j->out);
	strbuf_fini(&j->keys);
	free(j->members);
	*j = (struct jsonout){ 0 };
}
