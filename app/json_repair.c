/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json_repair.c - lenient JSON in, strict JSON out. See json_repair.h.
 *
 * Recursive descent, one function per construct, at most JSON_MAX_DEPTH levels. Each construct
 * writes its strict form to the output as it goes; nothing is written twice, so that the work is
 * linear in the input plus the text of placeholders.
 */
#include "app/json_repair.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/text.h"
#include "app/xalloc.h"

#define OUT_MAX (4 * (size_t)JSON_MAX_BYTES)
#define NUMBER_MAX 64u

struct scan {
	const char *s;
	u32 len, pos;
	size_t out_room;
	u32 places_room;
	const struct json_define *defs;
	u32 nr_defs;
	struct json_fixed *f;
	struct err *err;
};

static const char *const repair_texts[JSON_REPAIR_KINDS] = {
	[JSON_REPAIR_BOM] = "byte order mark left out",
	[JSON_REPAIR_COMMENT] = "comment left out",
	[JSON_REPAIR_TRAILING_COMMA] = "comma before a closing bracket left out",
	[JSON_REPAIR_LITERAL_CASE] = "true, false or null written in lower case",
	[JSON_REPAIR_SINGLE_QUOTES] = "single quotes made double",
	[JSON_REPAIR_NO_VALUE] = "key without a value given an empty text",
	[JSON_REPAIR_PLACEHOLDER] = "placeholder replaced",
	[JSON_REPAIR_LEADING_ZERO] = "zeros in front of a number left out (it is decimal)",
	[JSON_REPAIR_CONTROL] = "control character in a text escaped",
	[JSON_REPAIR_UTF8] = "bytes that are no UTF-8 replaced by U+FFFD",
	[JSON_REPAIR_NUL] = "\\u0000 in a text replaced by U+FFFD",
};

/* Keys whose value carries no information: real files leave it out ("suspend",). */
static const char *const bare_keys[] = { "suspend", "yield" };

const char *json_repair_text(enum json_repair_kind kind)
{
	return repair_texts[kind];
}

/* Error at byte @at; the message is finished by the caller's format. */
#define FAIL(p, at, code, ...)                                                                     \
	({                                                                                         \
		int line_, col_;                                                                   \
		json_fixed_locate((p)->f, (at), &line_, &col_);                                    \
		err_at((p)->err, (code), line_, col_, __VA_ARGS__);                                \
	})

static void repaired(struct scan *p, enum json_repair_kind kind, u32 at)
{
	struct json_repair *r = &p->f->repairs[kind];

	if (r->count < JSON_REPAIR_PLACES)
		r->at[r->count] = at;
	r->count++;
}

static void put(struct scan *p, const char *s, size_t n)
{
	struct json_fixed *f = p->f;

	if (f->len + n + 1 > p->out_room) {
		p->out_room = (f->len + n + 1) * 2;
		f->text = xrealloc_array(f->text, p->out_room, 1);
	}
	memcpy(f->text + f->len, s, n);
	f->len += n;
	f->text[f->len] = '\0';
}

static int add_place(struct scan *p, u32 key, u32 value)
{
	struct json_fixed *f = p->f;

	if (f->nr_places == JSON_MAX_VALUES)
		return FAIL(p, value, ERR_LIMIT, "more than %u values in one file; split the file",
			    JSON_MAX_VALUES);
	if (f->len > OUT_MAX)
		return FAIL(
			p, value, ERR_LIMIT,
			"the placeholders blow the file up beyond %zu MiB; shorten their values",
			OUT_MAX >> 20);
	if (f->nr_places == p->places_room) {
		p->places_room = p->places_room ? p->places_room * 2 : 256;
		f->places = xrealloc_array(f->places, p->places_room, sizeof(*f->places));
	}
	f->places[f->nr_places++] = (struct json_place){ key, value };
	return 0;
}

static int peek(const struct scan *p)
{
	return p->pos < p->len ? (u8)p->s[p->pos] : -1;
}

static bool at_text(const struct scan *p, const char *s)
{
	size_t n = strlen(s);

	return p->len - p->pos >= n && !memcmp(p->s + p->pos, s, n);
}

/* Printable form of the character at the current position for a message: 'x' or a description. */
static const char *found_here(const struct scan *p, char buf[16])
{
	u32 ch;
	unsigned n;

	if (p->pos >= p->len)
		return "the end of the file";
	n = utf8_decode(p->s + p->pos, p->len - p->pos, &ch);
	if (!n || text_is_unsafe(ch))
		return "an unprintable character";
	buf[0] = '\'';
	memcpy(buf + 1, p->s + p->pos, n);
	buf[n + 1] = '\'';
	buf[n + 2] = '\0';
	return buf;
}

/* White space and comments. */
static int skip(struct scan *p)
{
	for (;;) {
		int c = peek(p);
		u32 start = p->pos;

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			p->pos++;
		} else if (c == '#' || at_text(p, "//")) {
			while (p->pos < p->len && p->s[p->pos] != '\n')
				p->pos++;
			repaired(p, JSON_REPAIR_COMMENT, start);
		} else if (at_text(p, "/*")) {
			p->pos += 2;
			while (p->pos < p->len && !at_text(p, "*/"))
				p->pos++;
			if (p->pos >= p->len)
				return FAIL(p, start, ERR_USAGE,
					    "the comment opened here is not closed; add */");
			p->pos += 2;
			repaired(p, JSON_REPAIR_COMMENT, start);
		} else {
			return 0;
		}
	}
}

/* The value defined for the @n letters at @name, bare or as __NAME__; NULL if there is none. */
static const char *defined(const struct scan *p, const char *name, size_t n)
{
	for (u32 i = 0; i < p->nr_defs; i++) {
		const char *d = p->defs[i].name;
		size_t dn = strlen(d);

		if (dn == n && !memcmp(d, name, n))
			return p->defs[i].value;
		if (n == dn + 4 && !memcmp(name, "__", 2) && !memcmp(name + n - 2, "__", 2) &&
		    !memcmp(name + 2, d, dn))
			return p->defs[i].value;
	}
	return NULL;
}

/* Put @s as the content of a JSON string. */
static void put_escaped(struct scan *p, const char *s)
{
	for (; *s; s++) {
		static const char hex[] = "0123456789abcdef";
		u8 c = (u8)*s;

		if (c == '"' || c == '\\')
			put(p, c == '"' ? "\\\"" : "\\\\", 2);
		else if (c < 0x20)
			put(p, (char[]){ '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] }, 6);
		else
			put(p, s, 1);
	}
}

static bool is_number(const char *s)
{
	const char *c = s + (*s == '-');

	if (!isdigit((u8)*c) || (*c == '0' && isdigit((u8)c[1])) || strlen(s) > NUMBER_MAX)
		return false;
	while (isdigit((u8)*c))
		c++;
	if (*c == '.') {
		if (!isdigit((u8) * ++c))
			return false;
		while (isdigit((u8)*c))
			c++;
	}
	return !*c;
}

/* Put the value of a placeholder where JSON wants a value: number and literal as they are. */
static void put_defined(struct scan *p, const char *v)
{
	bool plain = is_number(v) || !strcmp(v, "true") || !strcmp(v, "false") ||
		     !strcmp(v, "null");

	if (!plain)
		put(p, "\"", 1);
	if (plain)
		put(p, v, strlen(v));
	else
		put_escaped(p, v);
	if (!plain)
		put(p, "\"", 1);
}

static int hex4(const struct scan *p, u32 at)
{
	int v = 0;

	if (p->len < 4 || at > p->len - 4)
		return -1;
	for (u32 i = 0; i < 4; i++) {
		u8 c = (u8)p->s[at + i];

		if (!isxdigit(c))
			return -1;
		v = v * 16 + (isdigit(c) ? c - '0' : (c | 32) - 'a' + 10);
	}
	return v;
}

#define REPLACEMENT "\xef\xbf\xbd"

/* \uXXXX at the current position: pairs of surrogates stay, halves and NUL are replaced. */
static int unicode_escape(struct scan *p)
{
	u32 start = p->pos;
	int v = hex4(p, start + 2);

	if (v < 0)
		return FAIL(p, start, ERR_USAGE, "\\u needs four hexadecimal digits, as \\u00e9");
	p->pos += 6;
	if (v >= 0xd800 && v <= 0xdbff && at_text(p, "\\u")) {
		int low = hex4(p, p->pos + 2);

		if (low >= 0xdc00 && low <= 0xdfff) {
			p->pos += 6;
			put(p, p->s + start, 12);
			return 0;
		}
	}
	if (!v || (v >= 0xd800 && v <= 0xdfff)) {
		repaired(p, v ? JSON_REPAIR_UTF8 : JSON_REPAIR_NUL, start);
		put(p, REPLACEMENT, 3);
		return 0;
	}
	put(p, p->s + start, 6);
	return 0;
}

static int escape(struct scan *p)
{
	char c = p->pos + 1 < p->len ? p->s[p->pos + 1] : '\0';

	if (c == 'u')
		return unicode_escape(p);
	if (c == '\'') {
		put(p, "'", 1);
	} else if (c && strchr("\"\\/bfnrt", c)) {
		put(p, p->s + p->pos, 2);
	} else {
		return FAIL(
			p, p->pos, ERR_USAGE,
			"unknown escape in a text; allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t "
			"\\uXXXX (a backslash itself is written \\\\)");
	}
	p->pos += 2;
	return 0;
}

/* __NAME__ inside a text, if it is defined: put its value and step over it. */
static bool placeholder_in_text(struct scan *p)
{
	u32 end = p->pos + 2;

	if (!p->nr_defs || !at_text(p, "__"))
		return false;
	while (end + 1 < p->len && (isalnum((u8)p->s[end]) || p->s[end] == '_') &&
	       memcmp(p->s + end, "__", 2))
		end++;
	if (end + 1 >= p->len || memcmp(p->s + end, "__", 2))
		return false;
	end += 2;

	const char *v = defined(p, p->s + p->pos, end - p->pos);

	if (!v)
		return false;
	repaired(p, JSON_REPAIR_PLACEHOLDER, p->pos);
	put_escaped(p, v);
	p->pos = end;
	return true;
}

static int string(struct scan *p)
{
	u32 open = p->pos;
	char quote = p->s[p->pos++];

	if (quote == '\'')
		repaired(p, JSON_REPAIR_SINGLE_QUOTES, open);
	put(p, "\"", 1);
	for (;;) {
		int c = peek(p);

		if (c < 0 || c == '\n' || c == '\r')
			return FAIL(p, open, ERR_USAGE,
				    "the text opened here is not closed on its line; add %c",
				    quote);
		if (c == quote) {
			p->pos++;
			put(p, "\"", 1);
			return 0;
		}
		if (c == '\\') {
			if (escape(p))
				return -1;
			continue;
		}
		if (c == '"') {
			put(p, "\\\"", 2);
			p->pos++;
			continue;
		}
		if (c < 0x20) {
			char one[2] = { (char)c, '\0' };

			repaired(p, JSON_REPAIR_CONTROL, p->pos);
			put_escaped(p, one);
			p->pos++;
			continue;
		}
		if (c == '_' && placeholder_in_text(p))
			continue;

		u32 ch;
		unsigned n = utf8_decode(p->s + p->pos, p->len - p->pos, &ch);

		if (n) {
			put(p, p->s + p->pos, n);
			p->pos += n;
		} else {
			repaired(p, JSON_REPAIR_UTF8, p->pos);
			put(p, REPLACEMENT, 3);
			p->pos++;
		}
	}
}

static void digits(struct scan *p)
{
	while (isdigit(peek(p)))
		p->pos++;
}

static int number(struct scan *p)
{
	u32 start = p->pos, zeros;
	char buf[NUMBER_MAX + 1];
	bool minus = peek(p) == '-';

	p->pos += minus;
	zeros = p->pos;
	if (!isdigit(peek(p)))
		return FAIL(p, start, ERR_USAGE,
			    "a minus sign without digits; write a number as -5");
	while (peek(p) == '0' && p->pos + 1 < p->len && isdigit((u8)p->s[p->pos + 1]))
		p->pos++;
	if (p->pos > zeros)
		repaired(p, JSON_REPAIR_LEADING_ZERO, start);

	u32 first = p->pos;

	digits(p);
	if (peek(p) == '.') {
		p->pos++;
		if (!isdigit(peek(p)))
			return FAIL(p, start, ERR_USAGE,
				    "a decimal point without digits after it; write 1.0 or 1");
		digits(p);
	}
	if (peek(p) == 'e' || peek(p) == 'E') {
		p->pos++;
		if (peek(p) == '+' || peek(p) == '-')
			p->pos++;
		if (!isdigit(peek(p)))
			return FAIL(p, start, ERR_USAGE,
				    "an exponent without digits; write 1e3 or 1000");
		digits(p);
	}
	if (isalnum(peek(p)) || peek(p) == '_' || peek(p) == '.')
		return FAIL(p, start, ERR_USAGE,
			    "a number runs into %s; numbers are decimal and carry no unit (rt-app "
			    "times are plain microseconds)",
			    found_here(p, (char[16]){ 0 }));

	u32 n = p->pos - first;

	if (n > NUMBER_MAX)
		return FAIL(p, start, ERR_USAGE, "a number of %u characters; %u are allowed", n,
			    NUMBER_MAX);
	memcpy(buf, p->s + first, n);
	buf[n] = '\0';
	if (!isfinite(strtod(buf, NULL)))
		return FAIL(p, start, ERR_USAGE, "the number %s%s is out of range",
			    minus ? "-" : "", buf);
	if (minus)
		put(p, "-", 1);
	put(p, buf, n);
	return 0;
}

static bool word_is(const char *w, u32 n, const char *name)
{
	return strlen(name) == n && !strncasecmp(w, name, n);
}

/* A bare word: literal in any case, or a placeholder. */
static int word(struct scan *p)
{
	static const char *const literals[] = { "true", "false", "null" };
	u32 start = p->pos, n;
	const char *w = p->s + start;
	bool lower = false;
	char shown[48];

	while (isalnum(peek(p)) || peek(p) == '_') {
		lower |= islower(peek(p)) != 0;
		p->pos++;
	}
	n = p->pos - start;
	for (size_t i = 0; i < ARRAY_SIZE(literals); i++) {
		if (!word_is(w, n, literals[i]))
			continue;
		if (memcmp(w, literals[i], n))
			repaired(p, JSON_REPAIR_LITERAL_CASE, start);
		put(p, literals[i], n);
		return 0;
	}

	const char *v = defined(p, w, n);

	if (v) {
		repaired(p, JSON_REPAIR_PLACEHOLDER, start);
		put_defined(p, v);
		return 0;
	}
	text_clean_n(shown, sizeof(shown), w, n);
	if (word_is(w, n, "nan") || word_is(w, n, "inf") || word_is(w, n, "infinity"))
		return FAIL(p, start, ERR_USAGE, "%s is no number here; write a finite one", shown);
	if (!lower || (n > 4 && !memcmp(w, "__", 2)))
		return FAIL(p, start, ERR_USAGE,
			    "placeholder %s has no value; give one with -D %s=VALUE", shown, shown);
	return FAIL(p, start, ERR_USAGE,
		    "found the bare word %s where a value belongs; a text needs double quotes",
		    shown);
}

static int value(struct scan *p, u32 depth, u32 key);

/* After an element: ',' goes on, @close ends. Returns 1 to go on, 0 at the end, -1 on error. */
static int after_element(struct scan *p, char close, u32 open)
{
	char buf[16];
	u32 comma;

	if (skip(p))
		return -1;
	if (peek(p) == close) {
		p->pos++;
		return 0;
	}
	if (peek(p) < 0) {
		int line, col;

		json_fixed_locate(p->f, open, &line, &col);
		return FAIL(
			p, p->pos, ERR_USAGE,
			"the file ends inside the %s opened at %d:%d; is it cut off? '%c' is missing",
			close == '}' ? "object" : "list", line, col, close);
	}
	if (peek(p) != ',')
		return FAIL(p, p->pos, ERR_USAGE,
			    "found %s where ',' or '%c' belongs; is a comma missing before it?",
			    found_here(p, buf), close);
	comma = p->pos++;
	if (skip(p))
		return -1;
	if (peek(p) == close) {
		repaired(p, JSON_REPAIR_TRAILING_COMMA, comma);
		p->pos++;
		return 0;
	}
	if (peek(p) == ',')
		return FAIL(p, p->pos, ERR_USAGE, "two commas in a row; remove one");
	if (peek(p) < 0)
		return FAIL(p, p->pos, ERR_USAGE,
			    "the file ends after a comma; is it cut off? '%c' is missing", close);
	put(p, ",", 1);
	return 1;
}

static bool may_be_bare(const struct scan *p, u32 key)
{
	for (size_t i = 0; i < ARRAY_SIZE(bare_keys); i++)
		if (p->len - key - 1 >= strlen(bare_keys[i]) &&
		    !memcmp(p->s + key + 1, bare_keys[i], strlen(bare_keys[i])))
			return true;
	return false;
}

/* "key" : value. */
static int member(struct scan *p, u32 depth)
{
	u32 key = p->pos;
	char buf[16];

	if (peek(p) != '"' && peek(p) != '\'')
		return FAIL(p, p->pos, ERR_USAGE, "found %s where a key in double quotes belongs%s",
			    found_here(p, buf),
			    isalpha(peek(p)) ? "; put the name in double quotes" : "");
	if (string(p) || skip(p))
		return -1;
	put(p, ":", 1);
	if (peek(p) == ':') {
		p->pos++;
		return skip(p) ? -1 : value(p, depth, key);
	}
	if ((peek(p) == ',' || peek(p) == '}') && may_be_bare(p, key)) {
		repaired(p, JSON_REPAIR_NO_VALUE, key);
		put(p, "\"\"", 2);
		return add_place(p, key, key);
	}
	if (peek(p) < 0)
		return FAIL(
			p, p->pos, ERR_USAGE,
			"the file ends after a key; is it cut off? ':' and a value are missing");
	return FAIL(
		p, p->pos, ERR_USAGE,
		"found %s where ':' and the value of the key belong; only suspend and yield may go "
		"without a value",
		found_here(p, buf));
}

/* Object or list. */
static int container(struct scan *p, u32 depth)
{
	u32 open = p->pos;
	bool object = p->s[p->pos++] == '{';
	char close = object ? '}' : ']';
	int more = 1;

	if (depth == JSON_MAX_DEPTH)
		return FAIL(
			p, open, ERR_LIMIT,
			"brackets nested deeper than %u levels; no workload or machine needs that",
			JSON_MAX_DEPTH);
	put(p, object ? "{" : "[", 1);
	if (skip(p))
		return -1;
	if (peek(p) == close) {
		p->pos++;
		more = 0;
	} else if (peek(p) < 0) {
		return FAIL(
			p, p->pos, ERR_USAGE,
			"the file ends right after an opening bracket; is it cut off? '%c' is missing",
			close);
	}
	while (more > 0) {
		if (object ? member(p, depth + 1) : value(p, depth + 1, NONE))
			return -1;
		more = after_element(p, close, open);
	}
	put(p, &close, 1);
	return more;
}

static int value(struct scan *p, u32 depth, u32 key)
{
	int c = peek(p);
	char buf[16];

	if (add_place(p, key, p->pos))
		return -1;
	if (c == '{' || c == '[')
		return container(p, depth);
	if (c == '"' || c == '\'')
		return string(p);
	if (c == '-' || isdigit(c))
		return number(p);
	if (isalpha(c) || c == '_')
		return word(p);
	if (c == '+')
		return FAIL(p, p->pos, ERR_USAGE, "a plus sign in front of a number; leave it out");
	if (c == '.')
		return FAIL(p, p->pos, ERR_USAGE,
			    "a number begins with a point; write a 0 in front of it");
	if (c < 0)
		return FAIL(p, p->pos, ERR_USAGE,
			    "the file ends where a value belongs; is it cut off?");
	return FAIL(p, p->pos, ERR_USAGE,
		    "found %s where a value belongs; allowed are numbers, texts in double quotes, "
		    "true, false, null, {...} and [...]",
		    found_here(p, buf));
}

/* Files that are plainly something else, by their first bytes. */
static const struct {
	const char *magic;
	u8 len;
	const char *what;
} magics[] = {
	{ "\x89PNG", 4, "a PNG picture" },
	{ "\xff\xd8\xff", 3, "a JPEG picture" },
	{ "GIF8", 4, "a GIF picture" },
	{ "\x7f"
	  "ELF",
	  4, "a program (ELF)" },
	{ "%PDF", 4, "a PDF document" },
	{ "\x1f\x8b", 2, "gzip data; unpack it first" },
	{ "\x28\xb5\x2f\xfd", 4, "zstd data; unpack it first" },
	{ "PK\x03\x04", 4, "a zip archive" },
	{ "\xff\xfe", 2, "UTF-16 text; save it as UTF-8" },
	{ "\xfe\xff", 2, "UTF-16 text; save it as UTF-8" },
};

static int check_bytes(struct scan *p)
{
	const char *nul = memchr(p->s, '\0', p->len);

	for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
		if (p->len >= magics[i].len && !memcmp(p->s, magics[i].magic, magics[i].len))
			return FAIL(p, 0, ERR_USAGE, "not JSON: this is %s", magics[i].what);
	if (nul)
		return FAIL(p, (u32)(nul - p->s), ERR_USAGE,
			    "not JSON: a NUL byte, so this is no text file");
	return 0;
}

int json_repair(const char *buf, size_t len, const struct json_define *defs, u32 nr_defs,
		struct json_fixed *out, struct err *err)
{
	struct scan p = { .f = out, .defs = defs, .nr_defs = nr_defs, .err = err };
	char found[16];

	memset(out, 0, sizeof(*out));
	if (len > JSON_MAX_BYTES)
		return err_at(err, ERR_LIMIT, 1, 1,
			      "%zu bytes; a JSON file may have %u MiB at most, split it", len,
			      JSON_MAX_BYTES >> 20);
	for (u32 i = 0; i < nr_defs; i++)
		if (strlen(defs[i].value) > JSON_MAX_DEFINE || !defs[i].name[0])
			return err_set(err, ERR_USAGE,
				       "-D needs NAME=VALUE with a name, and at most %u bytes of "
				       "value",
				       JSON_MAX_DEFINE);
	out->source = xcalloc(len + 1, 1);
	if (len)
		memcpy(out->source, buf, len);
	out->source_len = len;
	json_fixed_index(out);
	p.s = out->source;
	p.len = (u32)len;
	put(&p, "", 0);
	if (check_bytes(&p))
		return -1;
	if (at_text(&p, "\xef\xbb\xbf")) {
		repaired(&p, JSON_REPAIR_BOM, 0);
		p.pos = 3;
	}
	if (skip(&p))
		return -1;
	if (p.pos >= p.len)
		return err_at(err, ERR_USAGE, 1, 1,
			      "the file is empty%s; a JSON object {...} is expected",
			      p.f->repairs[JSON_REPAIR_COMMENT].count ? " but for comments" : "");
	if (value(&p, 0, NONE) || skip(&p))
		return -1;
	if (p.pos < p.len)
		return FAIL(
			&p, p.pos, ERR_USAGE,
			"found %s after the end of the document; is a bracket closed too early?",
			found_here(&p, found));
	return 0;
}
