/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * canvas.c - see canvas.h. Every write goes through cell_set(), which is the one place where the
 * clip is enforced and where halves of wide characters are kept whole.
 */
#include "ui/canvas.h"

#include <stdio.h>
#include <string.h>

#include "ui/utf8.h"
#include "ui/xalloc.h"

static const struct cell blank = { .ch = ' ', .fg = COL_DEFAULT, .bg = COL_DEFAULT };

static int clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

void canvas_init(struct canvas *c, int w, int h)
{
	memset(c, 0, sizeof(*c));
	c->w = c->grid_w = c->x1 = clamp(w, 1, CANVAS_MAX_W);
	c->h = c->grid_h = c->y1 = clamp(h, 1, CANVAS_MAX_H);
	c->cells = xcalloc((size_t)c->grid_w * (size_t)c->grid_h, sizeof(*c->cells));
	canvas_clear(c);
}

void canvas_fini(struct canvas *c)
{
	free(c->cells);
	memset(c, 0, sizeof(*c));
}

struct canvas canvas_sub(const struct canvas *c, int x, int y, int w, int h)
{
	struct canvas s = *c;

	/* Coordinates far outside would overflow below; nothing of them is visible anyway. */
	x = clamp(x, -CANVAS_MAX_W, CANVAS_MAX_W);
	y = clamp(y, -CANVAS_MAX_H, CANVAS_MAX_H);
	s.ox = c->ox + x;
	s.oy = c->oy + y;
	s.w = clamp(w, 0, CANVAS_MAX_W);
	s.h = clamp(h, 0, CANVAS_MAX_H);
	s.x0 = clamp(s.ox, c->x0, c->x1);
	s.y0 = clamp(s.oy, c->y0, c->y1);
	s.x1 = clamp(s.ox + s.w, s.x0, c->x1);
	s.y1 = clamp(s.oy + s.h, s.y0, c->y1);
	return s;
}

static struct cell *grid_cell(const struct canvas *c, int gx, int gy)
{
	return &c->cells[(size_t)gy * (size_t)c->grid_w + (size_t)gx];
}

static bool inside(const struct canvas *c, int gx, int gy)
{
	return gx >= c->x0 && gx < c->x1 && gy >= c->y0 && gy < c->y1;
}

/* Far coordinates must not overflow when the origin is added. */
static bool to_grid(const struct canvas *c, int x, int y, int *gx, int *gy)
{
	if (x < -CANVAS_MAX_W || x > CANVAS_MAX_W || y < -CANVAS_MAX_H || y > CANVAS_MAX_H)
		return false;
	*gx = c->ox + x;
	*gy = c->oy + y;
	return inside(c, *gx, *gy);
}

struct cell *canvas_at(const struct canvas *c, int x, int y)
{
	int gx, gy;

	return to_grid(c, x, y, &gx, &gy) ? grid_cell(c, gx, gy) : NULL;
}

static void cell_style(struct cell *k, struct style st)
{
	if (st.fg != COL_KEEP)
		k->fg = st.fg;
	if (st.bg != COL_KEEP)
		k->bg = st.bg;
	k->attr = st.attr;
}

/*
 * Overwriting half of a wide character blanks the other half, even one cell outside the clip: a
 * lone half cannot be shown by any terminal. That is the only write that may leave the clip, and it
 * writes a blank over the rest of a character that has just been destroyed.
 */
static void cell_set(const struct canvas *c, int gx, int gy, struct style st, u32 ch)
{
	struct cell *k;

	if (!inside(c, gx, gy))
		return;
	k = grid_cell(c, gx, gy);
	if (k->ch == CELL_TAIL && ch != CELL_TAIL && gx > 0)
		k[-1].ch = ' ';
	if (k->ch != CELL_TAIL && gx + 1 < c->grid_w && k[1].ch == CELL_TAIL)
		k[1].ch = ' ';
	k->ch = ch;
	cell_style(k, st);
}

void canvas_clear(struct canvas *c)
{
	bool whole = c->x0 == 0 && c->x1 == c->grid_w;

	for (int y = c->y0; y < c->y1; y++) {
		for (int x = c->x0; x < c->x1; x++) {
			/* Whole rows have no halves of wide characters to look after. */
			if (whole)
				*grid_cell(c, x, y) = blank;
			else
				cell_set(c, x, y, STYLE(blank.fg, blank.bg, 0), ' ');
		}
	}
}

int canvas_put(struct canvas *c, int x, int y, struct style st, u32 ch)
{
	int w, gx, gy;

	ch = utf8_safe(ch);
	w = utf8_width(ch);
	if (w == 0)
		return 0;
	if (x < -CANVAS_MAX_W || x > CANVAS_MAX_W || y < -CANVAS_MAX_H || y > CANVAS_MAX_H)
		return w;
	gx = c->ox + x;
	gy = c->oy + y;
	if (w == 1) {
		cell_set(c, gx, gy, st, ch);
		return 1;
	}
	if (inside(c, gx, gy) && inside(c, gx + 1, gy)) {
		cell_set(c, gx, gy, st, ' ');
		cell_set(c, gx + 1, gy, st, ' ');
		grid_cell(c, gx, gy)->ch = ch;
		grid_cell(c, gx + 1, gy)->ch = CELL_TAIL;
	} else {
		cell_set(c, gx, gy, st, ' ');
		cell_set(c, gx + 1, gy, st, ' ');
	}
	return 2;
}

int canvas_text(struct canvas *c, int x, int y, struct style st, const char *text)
{
	int n = 0;
	u32 ch;

	x = clamp(x, -2 * CANVAS_MAX_W, 2 * CANVAS_MAX_W);
	/* The end of a very long text is measured no further than the widest canvas. */
	while ((ch = utf8_next(&text)) != 0 && n <= 2 * CANVAS_MAX_W)
		n += canvas_put(c, x + n, y, st, ch);
	return n;
}

int canvas_printf(struct canvas *c, int x, int y, struct style st, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return canvas_text(c, x, y, st, buf);
}

void canvas_field(struct canvas *c, int x, int y, int w, enum align al, struct style st,
		  const char *text, u32 more)
{
	int cols = utf8_cols(text), room = w, n = 0, pad;
	u32 ch;

	if (w <= 0 || x > CANVAS_MAX_W)
		return;
	x = clamp(x, -2 * CANVAS_MAX_W, CANVAS_MAX_W);
	if (cols > w)
		room = more ? w - 1 : w;
	pad = cols > w || al == ALIGN_LEFT ? 0 : al == ALIGN_RIGHT ? w - cols : (w - cols) / 2;
	for (; n < pad; n++)
		canvas_put(c, x + n, y, st, ' ');
	while ((ch = utf8_next(&text)) != 0) {
		if (n + utf8_width(utf8_safe(ch)) > room)
			break;
		n += canvas_put(c, x + n, y, st, ch);
	}
	for (; n < room; n++)
		canvas_put(c, x + n, y, st, ' ');
	if (room < w)
		canvas_put(c, x + room, y, st, more);
}

/* [pos, pos + len) cut to [0, end), without overflow whatever the arguments are. */
static void range_clip(int pos, int len, int end, int *a, int *b)
{
	s64 stop = (s64)pos + (len > 0 ? len : 0);

	*a = clamp(pos, 0, end);
	*b = stop < *a ? *a : stop > end ? end : (int)stop;
}

void canvas_fill(struct canvas *c, int x, int y, int w, int h, struct style st, u32 ch)
{
	int xa, xb, ya, yb;

	range_clip(x, w, c->w, &xa, &xb);
	range_clip(y, h, c->h, &ya, &yb);
	for (int j = ya; j < yb; j++)
		for (int i = xa; i < xb; i++)
			canvas_put(c, i, j, st, ch);
}

void canvas_hline(struct canvas *c, int x, int y, int w, struct style st, u32 ch)
{
	canvas_fill(c, x, y, w, 1, st, ch);
}

void canvas_vline(struct canvas *c, int x, int y, int h, struct style st, u32 ch)
{
	canvas_fill(c, x, y, 1, h, st, ch);
}

void canvas_restyle(struct canvas *c, int x, int y, int w, int h, struct style st)
{
	int xa, xb, ya, yb;

	range_clip(x, w, c->w, &xa, &xb);
	range_clip(y, h, c->h, &ya, &yb);
	for (int j = ya; j < yb; j++) {
		for (int i = xa; i < xb; i++) {
			struct cell *k = canvas_at(c, i, j);

			if (k)
				cell_style(k, st);
		}
	}
}

void canvas_copy(struct canvas *dst, const struct canvas *src)
{
	int w = dst->grid_w < src->grid_w ? dst->grid_w : src->grid_w;
	int h = dst->grid_h < src->grid_h ? dst->grid_h : src->grid_h;

	for (int y = 0; y < h; y++)
		memcpy(grid_cell(dst, 0, y), grid_cell(src, 0, y), (size_t)w * sizeof(blank));
}

bool canvas_equal(const struct canvas *a, const struct canvas *b)
{
	if (a->w != b->w || a->h != b->h)
		return false;
	for (int y = 0; y < a->h; y++) {
		for (int x = 0; x < a->w; x++) {
			const struct cell *p = canvas_at(a, x, y), *q = canvas_at(b, x, y);

			if (!p != !q || (p && memcmp(p, q, sizeof(*p)) != 0))
				return false;
		}
	}
	return true;
}

/* A string that grows; the dumps are its only users. */
struct out {
	char *s;
	size_t n, size;
};

static void out_bytes(struct out *o, const char *s, size_t n)
{
	if (o->n + n + 1 > o->size) {
		o->size = (o->n + n + 1) * 2;
		o->s = xreallocarray(o->s, o->size, 1);
	}
	memcpy(o->s + o->n, s, n);
	o->n += n;
	o->s[o->n] = '\0';
}

static void out_char(struct out *o, u32 ch, bool ascii)
{
	char tmp[4];

	out_bytes(o, tmp, (size_t)utf8_put(ascii && ch >= 0x80 ? '?' : ch, tmp));
}

static int row_end(const struct canvas *c, int y, bool styled)
{
	int x = c->w;

	while (x > 0) {
		const struct cell *k = canvas_at(c, x - 1, y);

		if (k && (k->ch != ' ' || (styled && (k->bg != COL_DEFAULT || k->attr))))
			break;
		x--;
	}
	return x;
}

static void dump_cell(struct out *o, const struct cell *k, bool ascii)
{
	if (!k)
		out_bytes(o, " ", 1);
	else if (k->ch != CELL_TAIL)
		out_char(o, k->ch, ascii);
	else if (ascii)
		out_bytes(o, " ", 1); /* the wide one went out as a single '?' */
}

char *canvas_dump(const struct canvas *c, bool ascii)
{
	struct out o = { 0 };

	out_bytes(&o, "", 0);
	for (int y = 0; y < c->h; y++) {
		int end = row_end(c, y, false);

		for (int x = 0; x < end; x++)
			dump_cell(&o, canvas_at(c, x, y), ascii);
		out_bytes(&o, "\n", 1);
	}
	return o.s;
}

static void sgr_colour(struct out *o, const struct palette *p, s32 c, bool fg)
{
	char b[40];
	int n = 0;

	if (c < 0)
		return;
	if (p->depth == DEPTH_DIRECT)
		n = snprintf(b, sizeof(b), ";%d;2;%d;%d;%d", fg ? 38 : 48, c >> 16 & 255,
			     c >> 8 & 255, c & 255);
	else if (p->depth == DEPTH_256)
		n = snprintf(b, sizeof(b), ";%d;5;%d", fg ? 38 : 48, c);
	else
		n = snprintf(b, sizeof(b), ";%d", (fg ? 30 : 40) + (c < 8 ? c : c - 8 + 60));
	out_bytes(o, b, (size_t)n);
}

static void sgr(struct out *o, const struct palette *p, struct look l)
{
	out_bytes(o, "\033[0", 3);
	if (l.attr & ATTR_BOLD)
		out_bytes(o, ";1", 2);
	if (l.attr & ATTR_DIM)
		out_bytes(o, ";2", 2);
	if (l.attr & ATTR_UNDERLINE)
		out_bytes(o, ";4", 2);
	if (l.attr & ATTR_REVERSE)
		out_bytes(o, ";7", 2);
	sgr_colour(o, p, l.fg, true);
	sgr_colour(o, p, l.bg, false);
	out_bytes(o, "m", 1);
}

char *canvas_ansi(const struct canvas *c, const struct palette *p, bool ascii)
{
	struct out o = { 0 };

	out_bytes(&o, "", 0);
	for (int y = 0; y < c->h; y++) {
		struct look last = { -1, -1, 0 };
		int end = row_end(c, y, true);

		for (int x = 0; x < end; x++) {
			const struct cell *k = canvas_at(c, x, y);
			struct look l = { -1, -1, 0 };

			if (k)
				l = palette_look(p, k->fg, k->bg, k->attr);
			if (l.fg != last.fg || l.bg != last.bg || l.attr != last.attr)
				sgr(&o, p, l);
			last = l;
			dump_cell(&o, k, ascii);
		}
		if (last.fg >= 0 || last.bg >= 0 || last.attr)
			out_bytes(&o, "\033[0m", 4);
		out_bytes(&o, "\n", 1);
	}
	return o.s;
}
