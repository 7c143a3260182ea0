/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runjson.c - a run's summary in JSON taken apart. See runjson.h.
 */
#include "app/runjson.h"

#include "app/strbuf.h"
#include "app/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32

struct reader {
	const char *p;
	struct strbuf path;
	struct run_values *out;
	u32 cap;
	bool bad;
};

static void blanks(struct reader *r)
{
	while (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r')
		r->p++;
}

static bool is(struct reader *r, char c)
{
	blanks(r);
	if (*r->p != c)
		return false;
	r->p++;
	return true;
}

static int hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		const char *digits = "0123456789abcdef",
			   *d = p[i] ? strchr(digits, p[i] | 32) : NULL;

		if (!d)
			return -1;
		v = v * 16 + (int)(d - digits);
	}
	return v;
}

static void put_utf8(struct strbuf *b, unsigned c)
{
	char s[3];

	if (c < 0x80) {
		s[0] = (char)c;
		strbuf_add(b, s, 1);
	} else if (c < 0x800) {
		s[0] = (char)(0xc0 | c >> 6);
		s[1] = (char)(0x80 | (c & 63));
		strbuf_add(b, s, 2);
	} else {
		s[0] = (char)(0xe0 | c >> 12);
		s[1] = (char)(0x80 | (c >> 6 & 63));
		s[2] = (char)(0x80 | (c & 63));
		strbuf_add(b, s, 3);
	}
}

/* The string that begins at the quote, on the heap. */
static char *string(struct reader *r)
{
	struct strbuf b = { 0 };

	if (!is(r, '"')) {
		r->bad = true;
		return xstrdup("");
	}
	while (*r->p && *r->p != '"') {
		size_t n = strcspn(r->p, "\"\\");
		int c;

		strbuf_add(&b, r->p, n);
		r->p += n;
		if (*r->p != '\\')
			continue;
		switch (r->p[1]) {
		case 'n':
			strbuf_puts(&b, "\n");
			break;
		case 't':
			strbuf_puts(&b, "\t");
			break;
		case 'u':
			c = hex4(r->p + 2);
			if (c <= 0) {
				r->bad = true;
				return strbuf_take(&b);
			}
			put_utf8(&b, (unsigned)c);
			r->p += 4;
			break;
		case '\0':
			r->bad = true;
			return strbuf_take(&b);
		default:
			strbuf_add(&b, r->p + 1, 1);
			break;
		}
		r->p += 2;
	}
	r->bad |= *r->p != '"';
	r->p += *r->p == '"';
	return strbuf_take(&b);
}

static void add(struct reader *r, struct run_value v)
{
	if (r->out->nr == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 256;
		r->out->v = xrealloc_array(r->out->v, r->cap, sizeof(*r->out->v));
	}
	v.path = xstrdup(strbuf_str(&r->path));
	v.order = r->out->nr;
	r->out->v[r->out->nr++] = v;
}

static void number(struct reader *r)
{
	struct run_value v = { .kind = RUN_NUMBER };
	bool minus = *r->p == '-', point = false;
	const char *from;
	u64 n = 0;

	r->p += minus;
	from = r->p;
	for (; (*r->p >= '0' && *r->p <= '9') || (*r->p == '.' && !point); r->p++) {
		if (*r->p == '.') {
			point = true;
			continue;
		}
		if (n > (INT64_MAX - 9) / 10)
			r->bad = true; /* no number of ours */
		else
			n = n * 10 + (u64)(*r->p - '0');
		v.decimals += point;
	}
	r->bad |= r->p == from;
	v.v = minus ? -(s64)n : (s64)n;
	add(r, v);
}

static void value(struct reader *r, u32 depth);

static bool word(struct reader *r, const char *w)
{
	if (strncmp(r->p, w, strlen(w)))
		return false;
	r->p += strlen(w);
	return true;
}

/* The "name" of the object that begins at r->p, NULL if it has none; moves nothing. */
static char *name_of(const struct reader *r)
{
	struct reader ahead = { .p = r->p };
	u32 depth = 0;
	char *name = NULL;

	do {
		blanks(&ahead);
		if (*ahead.p == '"') {
			char *s = string(&ahead);

			if (depth == 1 && !strcmp(s, "name") && is(&ahead, ':')) {
				blanks(&ahead);
				if (*ahead.p == '"')
					name = string(&ahead);
			}
			free(s);
			continue;
		}
		depth += *ahead.p == '{' || *ahead.p == '[';
		depth -= *ahead.p == '}' || *ahead.p == ']';
		ahead.p += *ahead.p != '\0';
	} while (*ahead.p && depth && !name && !ahead.bad);
	if (ahead.bad || (name && !*name)) {
		free(name);
		name = NULL;
	}
	return name;
}

static void member(struct reader *r, const char *key, u32 depth)
{
	size_t len = r->path.len;

	strbuf_printf(&r->path, "%s%s", len ? "." : "", key);
	value(r, depth + 1);
	strbuf_cut(&r->path, len);
}

static void container(struct reader *r, u32 depth, char close)
{
	u32 i = 0;

	r->p++;
	if (is(r, close))
		return;
	do {
		char *key = NULL;

		blanks(r);
		if (close == '}') {
			key = string(r);
			r->bad |= !is(r, ':');
		} else {
			key = *r->p == '{' ? name_of(r) : NULL;
			if (!key)
				key = xasprintf("%u", i);
			i++;
		}
		if (!r->bad)
			member(r, key, depth);
		free(key);
	} while (!r->bad && is(r, ','));
	r->bad |= !is(r, close);
}

static void value(struct reader *r, u32 depth)
{
	blanks(r);
	if (depth > DEPTH_MAX)
		r->bad = true;
	else if (*r->p == '{')
		container(r, depth, '}');
	else if (*r->p == '[')
		container(r, depth, ']');
	else if (*r->p == '"')
		add(r, (struct run_value){ .kind = RUN_TEXT, .text = string(r) });
	else if (word(r, "null"))
		add(r, (struct run_value){ .kind = RUN_NULL });
	else if (word(r, "true"))
		add(r, (struct run_value){ .kind = RUN_BOOL, .v = 1 });
	else if (word(r, "false"))
		add(r, (struct run_value){ .kind = RUN_BOOL });
	else
		number(r);
}

static int by_path(const void *pa, const void *pb)
{
	const struct run_value *a = pa, *b = pb;
	int c = strcmp(a->path, b->path);

	return c ? c : a->order < b->order ? -1 : a->order > b->order;
}

bool run_values_parse(const char *json, struct run_values *out)
{
	struct reader r = { .p = json, .out = out };

	*out = (struct run_values){ 0 };
	value(&r, 0);
	blanks(&r);
	r.bad |= *r.p != '\0';
	strbuf_fini(&r.path);
	if (out->nr)
		qsort(out->v, out->nr, sizeof(*out->v), by_path);
	return !r.bad;
}

void run_values_free(struct run_values *r)
{
	for (u32 i = 0; i < r->nr; i++) {
		free(r->v[i].path);
		free(r->v[i].text);
	}
	free(r->v);
	*r = (struct run_values){ 0 };
}

void run_values_keep(struct run_values *r, bool (*want)(void *ctx, const struct run_value *v),
		     void *ctx)
{
	struct run_value *kept;
	bool *keep = xcalloc(r->nr, sizeof(*keep));
	u32 nr = 0;

	/* All are asked about before the first goes. */
	for (u32 i = 0; i < r->nr; i++)
		nr += keep[i] = want(ctx, &r->v[i]);
	kept = xcalloc(nr, sizeof(*kept));
	nr = 0;
	for (u32 i = 0; i < r->nr; i++) {
		if (keep[i]) {
			kept[nr++] = r->v[i];
			continue;
		}
		free(r->v[i].path);
		free(r->v[i].text);
	}
	free(keep);
	free(r->v);
	r->v = kept;
	r->nr = nr;
}

const struct run_value *run_value(const struct run_values *r, const char *path)
{
	u32 lo = 0, hi = r->nr;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (strcmp(r->v[mid].path, path) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->nr && !strcmp(r->v[lo].path, path) ? &r->v[lo] : NULL;
}

const char *run_text(const struct run_values *r, const char *path)
{
	const struct run_value *v = run_value(r, path);

	return v && v->kind == RUN_TEXT ? v->text : NULL;
}
