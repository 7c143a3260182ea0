/* SPDX-License-Identifier: GPL-2.0-only */
/* lineedit.c - see lineedit.h. Positions are bytes, always on the edge of a character. */
#include "ui/lineedit.h"

#include <stdio.h>
#include <string.h>

#include "ui/utf8.h"
#include "ui/xalloc.h"

void line_init(struct lineedit *e, line_complete_fn complete, void *ctx)
{
	memset(e, 0, sizeof(*e));
	e->complete = complete;
	e->ctx = ctx;
}

void line_fini(struct lineedit *e)
{
	for (int i = 0; i < e->nhist; i++)
		free(e->hist[i]);
	memset(e, 0, sizeof(*e));
}

/* Put @n bytes of safe text in place of [from, to). What does not fit is cut between characters. */
static void splice(struct lineedit *e, int from, int to, const char *s, int n)
{
	int room = LINE_MAX_BYTES - 1 - (e->len - (to - from));

	if (n > room) {
		n = room;
		while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
			n--;
	}
	memmove(e->buf + from + n, e->buf + to, (size_t)(e->len - to + 1));
	memcpy(e->buf + from, s, (size_t)n);
	e->len += n - (to - from);
	e->cur = from + n;
}

void line_insert(struct lineedit *e, const char *text)
{
	char safe[LINE_MAX_BYTES];

	utf8_clean(safe, sizeof(safe), text, false, false);
	splice(e, e->cur, e->cur, safe, (int)strlen(safe));
}

void line_set(struct lineedit *e, const char *text)
{
	e->len = e->cur = 0;
	e->buf[0] = '\0';
	line_insert(e, text);
}

void line_reset(struct lineedit *e)
{
	line_set(e, "");
	e->at = e->nhist;
	e->ncand = 0;
}

void line_remember(struct lineedit *e, const char *text)
{
	if (!*text || (e->nhist && !strcmp(e->hist[e->nhist - 1], text)))
		return;
	if (e->nhist == LINE_HISTORY) {
		free(e->hist[0]);
		memmove(e->hist, e->hist + 1, sizeof(e->hist[0]) * (LINE_HISTORY - 1));
		e->nhist--;
	}
	e->hist[e->nhist++] = xstrdup(text);
	e->at = e->nhist;
}

static int next_char(const struct lineedit *e, int i)
{
	const char *p = e->buf + i;

	if (i >= e->len)
		return e->len;
	utf8_next(&p);
	return (int)(p - e->buf);
}

static int prev_char(const struct lineedit *e, int i)
{
	if (i > 0)
		i--;
	while (i > 0 && ((unsigned char)e->buf[i] & 0xc0) == 0x80)
		i--;
	return i;
}

static bool is_word(const struct lineedit *e, int i)
{
	unsigned char ch = (unsigned char)e->buf[i];

	return ch >= 0x80 || ch == '_' || (ch >= '0' && ch <= '9') ||
	       ((ch | 32) >= 'a' && (ch | 32) <= 'z');
}

static int word_left(const struct lineedit *e, int i)
{
	while (i > 0 && !is_word(e, prev_char(e, i)))
		i = prev_char(e, i);
	while (i > 0 && is_word(e, prev_char(e, i)))
		i = prev_char(e, i);
	return i;
}

static int word_right(const struct lineedit *e, int i)
{
	while (i < e->len && !is_word(e, i))
		i = next_char(e, i);
	while (i < e->len && is_word(e, i))
		i = next_char(e, i);
	return i;
}

static void kill_range(struct lineedit *e, int from, int to)
{
	if (from >= to)
		return;
	memcpy(e->kill, e->buf + from, (size_t)(to - from));
	e->kill[to - from] = '\0';
	splice(e, from, to, "", 0);
}

static void history(struct lineedit *e, int step)
{
	int at = e->at + step;

	if (at < 0 || at > e->nhist)
		return;
	if (e->at == e->nhist)
		memcpy(e->typed, e->buf, (size_t)e->len + 1);
	e->at = at;
	line_set(e, at == e->nhist ? e->typed : e->hist[at]);
}

/* One candidate is taken; several extend the word by what they share and are kept to be shown. */
static void complete(struct lineedit *e)
{
	int start = e->cur, n, common;

	e->ncand = 0;
	if (!e->complete)
		return;
	n = e->complete(e->ctx, e->buf, e->cur, &start, e->cand, LINE_CANDS);
	if (n <= 0 || start < 0 || start > e->cur)
		return;
	common = (int)strlen(e->cand[0]);
	for (int i = 1; i < n; i++) {
		int k = 0;

		while (k < common && e->cand[i][k] == e->cand[0][k])
			k++;
		common = k;
	}
	while (common > 0 && ((unsigned char)e->cand[0][common] & 0xc0) == 0x80)
		common--;
	if (common >= e->cur - start || n == 1)
		splice(e, start, e->cur, e->cand[0], common);
	if (n == 1)
		line_insert(e, " ");
	else
		e->ncand = n;
}

static enum line_result edit_key(struct lineedit *e, u32 key)
{
	switch (key) {
	case UKEY_LEFT:
	case UKEY_CTRL('b'):
		e->cur = prev_char(e, e->cur);
		break;
	case UKEY_RIGHT:
	case UKEY_CTRL('f'):
		e->cur = next_char(e, e->cur);
		break;
	case UKEY_HOME:
	case UKEY_CTRL('a'):
		e->cur = 0;
		break;
	case UKEY_END:
	case UKEY_CTRL('e'):
		e->cur = e->len;
		break;
	case UKEY_ALT | 'b':
	case UKEY_ALT | UKEY_LEFT:
		e->cur = word_left(e, e->cur);
		break;
	case UKEY_ALT | 'f':
	case UKEY_ALT | UKEY_RIGHT:
		e->cur = word_right(e, e->cur);
		break;
	case UKEY_BACKSPACE:
	case UKEY_CTRL('h'):
		splice(e, prev_char(e, e->cur), e->cur, "", 0);
		break;
	case UKEY_CTRL('d'):
		if (e->len == 0)
			return LINE_CANCEL;
		__attribute__((fallthrough));
	case UKEY_DEL:
		splice(e, e->cur, next_char(e, e->cur), "", 0);
		break;
	case UKEY_CTRL('k'):
		kill_range(e, e->cur, e->len);
		break;
	case UKEY_CTRL('u'):
		kill_range(e, 0, e->cur);
		break;
	case UKEY_CTRL('w'):
	case UKEY_ALT | UKEY_BACKSPACE:
		kill_range(e, word_left(e, e->cur), e->cur);
		break;
	case UKEY_ALT | 'd':
		kill_range(e, e->cur, word_right(e, e->cur));
		break;
	case UKEY_CTRL('y'):
		line_insert(e, e->kill);
		break;
	case UKEY_UP:
	case UKEY_CTRL('p'):
		history(e, -1);
		break;
	case UKEY_DOWN:
	case UKEY_CTRL('n'):
		history(e, 1);
		break;
	case UKEY_TAB:
		complete(e);
		return LINE_CHANGED;
	case UKEY_ENTER:
		return LINE_ACCEPT;
	case UKEY_ESC:
	case UKEY_CTRL('g'):
		return LINE_CANCEL;
	default:
		if (key < 0x20 || key > 0x10ffff || utf8_width(utf8_safe(key)) == 0)
			return LINE_IGNORED;
		char tmp[5] = "";

		tmp[utf8_put(utf8_safe(key), tmp)] = '\0';
		line_insert(e, tmp);
	}
	return LINE_CHANGED;
}

enum line_result line_key(struct lineedit *e, u32 key)
{
	enum line_result r = edit_key(e, key);

	if (r != LINE_IGNORED && key != UKEY_TAB)
		e->ncand = 0;
	return r;
}

int line_draw(const struct lineedit *e, struct canvas *c, int x, int y, int w, const char *prompt,
	      struct style st)
{
	int pw = utf8_cols(prompt), room, cols = 0, skip, at = 0;
	const char *p = e->buf;
	struct canvas sub;
	u32 ch;

	if (w < 2)
		return x;
	if (pw > w / 2)
		pw = 0;
	canvas_fill(c, x, y, w, 1, st, ' ');
	if (pw)
		canvas_text(c, x, y, STYLE(COL_ACCENT, st.bg, st.attr), prompt);
	room = w - pw;
	while (p < e->buf + e->cur && (ch = utf8_next(&p)) != 0)
		cols += utf8_width(utf8_safe(ch));
	/* Keep the cursor in the last column at most; scroll by thirds so that it does not jitter. */
	skip = cols < room ? 0 : (cols - room + 1 + room / 3);
	sub = canvas_sub(c, x + pw, y, room, 1);
	p = e->buf;
	while ((ch = utf8_next(&p)) != 0 && at - skip < room)
		at += canvas_put(&sub, at - skip, 0, st, ch);
	return x + pw + cols - skip;
}
