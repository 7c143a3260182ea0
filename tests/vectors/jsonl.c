/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jsonl.c - a recursive reader over one line. See jsonl.h.
 */
#include "tests/vectors/jsonl.h"

#include <ctype.h>
#include <string.h>

#define MAX_DEPTH 8

static struct jv *value(struct jsonl *j, char **p, int depth);

static struct jv *fail(struct jsonl *j, const char *why)
{
	if (!j->error)
		j->error = why;
	return NULL;
}

static void blanks(char **p)
{
	while (isspace((unsigned char)**p))
		(*p)++;
}

static bool take(char **p, char c)
{
	blanks(p);
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* Names and operations are plain words: escapes are not needed and refused. */
static char *string(struct jsonl *j, char **p)
{
	char *start, *end;

	if (!take(p, '"')) {
		fail(j, "expected a string");
		return NULL;
	}
	start = *p;
	end = strchr(start, '"');
	if (!end || memchr(start, '\\', (size_t)(end - start))) {
		fail(j, "string without end, or with an escape");
		return NULL;
	}
	*end = '\0';
	*p = end + 1;
	return start;
}

static struct jv *number(struct jsonl *j, struct jv *v, char **p)
{
	bool neg = take(p, '-');
	char *start = *p;

	v->type = JV_NUMBER;
	while (isdigit((unsigned char)**p))
		v->num = v->num * 10 + (u64)(*(*p)++ - '0');
	if (*p == start || **p == '.' || **p == 'e')
		return fail(j, "expected an integer");
	if (neg)
		v->num = -v->num;
	return v;
}

static struct jv *members(struct jsonl *j, struct jv *v, char **p, char close, int depth)
{
	struct jv **tail = &v->child;

	if (take(p, close))
		return v;
	do {
		char *key = NULL;

		if (close == '}') {
			key = string(j, p);
			if (!key || !take(p, ':'))
				return fail(j, "expected \"name\":");
		}
		*tail = value(j, p, depth + 1);
		if (!*tail)
			return NULL;
		(*tail)->key = key;
		tail = &(*tail)->next;
	} while (take(p, ','));
	return take(p, close) ? v : fail(j, "expected , or a closing bracket");
}

static struct jv *value(struct jsonl *j, char **p, int depth)
{
	struct jv *v;

	if (j->nr == JSONL_MAX_NODES || depth > MAX_DEPTH)
		return fail(j, "line too long or too deep");
	v = &j->nodes[j->nr++];
	*v = (struct jv){ .type = JV_NUMBER };
	blanks(p);
	switch (**p) {
	case '{':
		(*p)++;
		v->type = JV_OBJECT;
		return members(j, v, p, '}', depth);
	case '[':
		(*p)++;
		v->type = JV_ARRAY;
		return members(j, v, p, ']', depth);
	case '"':
		v->type = JV_STRING;
		v->str = string(j, p);
		return v->str ? v : NULL;
	default:
		return number(j, v, p);
	}
}

struct jv *jsonl_parse(struct jsonl *j, char *line)
{
	char *p = line;
	struct jv *v;

	j->nr = 0;
	j->error = NULL;
	v = value(j, &p, 0);
	if (!v)
		return NULL;
	blanks(&p);
	return *p ? fail(j, "text after the value") : v;
}

struct jv *jv_get(const struct jv *v, const char *key)
{
	if (!v || v->type != JV_OBJECT)
		return NULL;
	for (struct jv *c = v->child; c; c = c->next)
		if (c->key && !strcmp(c->key, key))
			return c;
	return NULL;
}
