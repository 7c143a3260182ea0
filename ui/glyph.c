/* SPDX-License-Identifier: GPL-2.0-only */
/* glyph.c - see glyph.h. The tables stand first: they are the look of the program. */
#include "ui/glyph.h"

#include <string.h>

#include "ui/utf8.h"
#include "ui/xalloc.h"

#define UNICODE_LOOK                                                                               \
	.h = 0x2500, .v = 0x2502, .tl = 0x256d, .tr = 0x256e, .bl = 0x2570, .br = 0x256f,          \
	.tee_l = 0x251c, .tee_r = 0x2524, .tee_t = 0x252c, .tee_b = 0x2534, .cross = 0x253c,       \
	.grid = 0x2508,                                                                            \
	.bar = { ' ', 0x2581, 0x2582, 0x2583, 0x2584, 0x2585, 0x2586, 0x2587, 0x2588 },            \
	.shade = { ' ', 0x2591, 0x2592, 0x2593, 0x2588 }, .half = 0x2580, .more = 0x2026,          \
	.dot = 0xb7, .bullet = 0x2022, .up = 0x25b2, .down = 0x25bc, .left = 0x25c0,               \
	.right = 0x25b6, .run = 0x25b6, .pause = 0x2016, .b_top = 0x256d, .b_mid = 0x2502,         \
	.b_bot = 0x2570, .b_one = 0x2576,                                                          \
	.marker = { 0x25cf, 0x25b2, 0x25a0, 0x25c6, 0x25cb, 0x25b3, 0x25a1, 0x25c7 }

static const struct glyphs sets[] = {
	[GLYPHS_ASCII] = {
		.set = GLYPHS_ASCII,
		.h = '-', .v = '|', .tl = '+', .tr = '+', .bl = '+', .br = '+',
		.tee_l = '+', .tee_r = '+', .tee_t = '+', .tee_b = '+', .cross = '+',
		.grid = '-',
		.bar = { ' ', '.', ':', '-', '=', '+', '*', '#', '@' },
		.shade = { ' ', '.', '=', '*', '#' }, .half = 0, .more = '~',
		.dot = '.', .bullet = '*', .up = '^', .down = 'v', .left = '<', .right = '>',
		.run = '>', .pause = '=', .b_top = '/', .b_mid = '|', .b_bot = '\\', .b_one = '-',
		.marker = { 'o', '+', '#', 'x', '*', '%', '@', '&' },
		.dots_x = 1, .dots_y = 2,
	},
	[GLYPHS_BLOCKS] = { .set = GLYPHS_BLOCKS, UNICODE_LOOK, .dots_x = 2, .dots_y = 2 },
	[GLYPHS_BRAILLE] = { .set = GLYPHS_BRAILLE, UNICODE_LOOK, .dots_x = 2, .dots_y = 4 },
};

const struct glyphs *glyphs_get(enum glyph_set set)
{
	return &sets[set];
}

/* The Linux console has 512 glyphs at most and its fonts lack what we draw with. */
static bool term_is_poor(const char *term)
{
	static const char *const poor[] = { "linux",  "vt",   "ansi",  "dumb",
					    "cons25", "hurd", "cygwin" };

	if (!term || !*term)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(poor); i++)
		if (!strncmp(term, poor[i], strlen(poor[i])))
			return strcmp(term, "vte") != 0 && strncmp(term, "vte-", 4) != 0;
	return false;
}

bool glyphs_choose(const char *name, bool utf8, const char *term, enum glyph_set *out)
{
	bool ok = true;

	*out = term_is_poor(term) ? GLYPHS_ASCII : GLYPHS_BRAILLE;
	if (!name || !strcmp(name, "auto"))
		;
	else if (!strcmp(name, "ascii"))
		*out = GLYPHS_ASCII;
	else if (!strcmp(name, "blocks"))
		*out = GLYPHS_BLOCKS;
	else if (!strcmp(name, "braille"))
		*out = GLYPHS_BRAILLE;
	else
		ok = false;
	if (!utf8)
		*out = GLYPHS_ASCII;
	return ok;
}

int glyph_level(u64 v, u64 max, int steps)
{
	u64 l;

	if (v == 0 || max == 0)
		return 0;
	if (v >= max)
		return steps;
	/* Large values lose low bits rather than overflow. */
	while (v > ((u64)1 << 48)) {
		v >>= 8;
		max >>= 8;
	}
	l = (v * (u64)steps + max / 2) / max;
	if (l < 1)
		l = 1;
	return l >= (u64)steps ? steps - (steps > 1) : (int)l;
}

void glyph_box(struct canvas *c, const struct glyphs *g, int x, int y, int w, int h,
	       struct style st, const char *title)
{
	if (w < 2 || h < 2)
		return;
	canvas_hline(c, x + 1, y, w - 2, st, g->h);
	canvas_hline(c, x + 1, y + h - 1, w - 2, st, g->h);
	canvas_vline(c, x, y + 1, h - 2, st, g->v);
	canvas_vline(c, x + w - 1, y + 1, h - 2, st, g->v);
	canvas_put(c, x, y, st, g->tl);
	canvas_put(c, x + w - 1, y, st, g->tr);
	canvas_put(c, x, y + h - 1, st, g->bl);
	canvas_put(c, x + w - 1, y + h - 1, st, g->br);
	if (title && w > 6) {
		int n = utf8_cols(title);

		n = n > w - 6 ? w - 6 : n;
		canvas_put(c, x + 2, y, st, ' ');
		canvas_field(c, x + 3, y, n, ALIGN_LEFT, STYLE(COL_TITLE, st.bg, 0), title,
			     g->more);
		canvas_put(c, x + 3 + n, y, st, ' ');
	}
}

void dots_init(struct dots *d, const struct glyphs *g, int w, int h)
{
	d->g = g;
	d->w = w > 0 ? w : 0;
	d->h = h > 0 ? h : 0;
	d->mask = xcalloc((size_t)d->w * (size_t)d->h, sizeof(*d->mask));
	d->fg = xcalloc((size_t)d->w * (size_t)d->h, sizeof(*d->fg));
}

void dots_fini(struct dots *d)
{
	free(d->mask);
	free(d->fg);
	memset(d, 0, sizeof(*d));
}

void dots_set(struct dots *d, int x, int y, u16 fg)
{
	int nx = d->g->dots_x, ny = d->g->dots_y;
	size_t i;

	if (x < 0 || y < 0 || x >= d->w * nx || y >= d->h * ny)
		return;
	i = (size_t)(y / ny) * (size_t)d->w + (size_t)(x / nx);
	d->mask[i] |= (u8)(1u << (y % ny * nx + x % nx));
	d->fg[i] = fg;
}

void dots_line(struct dots *d, int x0, int y0, int x1, int y1, u16 fg)
{
	int dx = x1 > x0 ? x1 - x0 : x0 - x1, dy = y1 > y0 ? y1 - y0 : y0 - y1;
	int sx = x1 > x0 ? 1 : -1, sy = y1 > y0 ? 1 : -1;
	int e = dx - dy;

	/* A line longer than the raster in dots is clipped by dots_set(), but must stay cheap. */
	if (dx > 8 * CANVAS_MAX_W || dy > 16 * CANVAS_MAX_H)
		return;
	for (;;) {
		int e2 = 2 * e;

		dots_set(d, x0, y0, fg);
		if (x0 == x1 && y0 == y1)
			break;
		if (e2 > -dy) {
			e -= dy;
			x0 += sx;
		}
		if (e2 < dx) {
			e += dx;
			y0 += sy;
		}
	}
}

static u32 dots_glyph(const struct glyphs *g, u8 mask)
{
	static const u8 braille[8] = { 0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80 };
	static const u32 quadrant[16] = { ' ',	  0x2598, 0x259d, 0x2580, 0x2596, 0x258c,
					  0x259e, 0x259b, 0x2597, 0x259a, 0x2590, 0x259c,
					  0x2584, 0x2599, 0x259f, 0x2588 };
	static const u32 ascii[4] = { ' ', '\'', '.', ':' };
	u32 ch = 0x2800;

	if (g->set == GLYPHS_ASCII)
		return ascii[mask & 3];
	if (g->set == GLYPHS_BLOCKS)
		return quadrant[mask & 15];
	for (int i = 0; i < 8; i++)
		if (mask & 1u << i)
			ch |= braille[i];
	return ch;
}

void dots_draw(const struct dots *d, struct canvas *c, int x, int y, u16 bg)
{
	for (int j = 0; j < d->h; j++) {
		for (int i = 0; i < d->w; i++) {
			size_t k = (size_t)j * (size_t)d->w + (size_t)i;

			if (d->mask[k])
				canvas_put(c, x + i, y + j, STYLE(d->fg[k], bg, 0),
					   dots_glyph(d->g, d->mask[k]));
		}
	}
}
