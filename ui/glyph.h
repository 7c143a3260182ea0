/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * glyph.h - three sets of characters for bars, boxes and curves, and a plotter of dots finer than
 * cells.
 *
 * ascii needs nothing, blocks needs Unicode block elements, braille adds 2x4 dots per cell. Views
 * ask for "level 5 of 8" or "a corner" and never name a character themselves.
 */
#ifndef SG_UI_GLYPH_H
#define SG_UI_GLYPH_H

#include "ui/canvas.h"

enum glyph_set { GLYPHS_ASCII, GLYPHS_BLOCKS, GLYPHS_BRAILLE };
#define GLYPH_NAMES "ascii, blocks, braille"

struct glyphs {
	enum glyph_set set;
	u32 h, v, tl, tr, bl, br; /* box */
	u32 tee_l, tee_r, tee_t, tee_b, cross; /* where lines meet: |- -| -,- -'- + */
	u32 grid; /* faint line in plots */
	u32 bar[9]; /* growing upwards, blank to full */
	u32 shade[5]; /* blank to full by density */
	u32 half; /* upper half block, 0 when there is none */
	u32 more, dot, bullet; /* cut text, separator, list mark */
	u32 up, down, left, right; /* arrows */
	u32 run, pause; /* state of the clock */
	u32 b_top, b_mid, b_bot, b_one; /* bracket along several rows, or one row */
	u32 marker[NR_SERIES]; /* one per curve, so that colour is not needed */
	int dots_x, dots_y; /* dots per cell of the plotter */
};

/* glyphs_get - the const table of a set. */
const struct glyphs *glyphs_get(enum glyph_set set);

/*
 * glyphs_choose - the set for option @name (NULL or "auto": the best the terminal can be trusted
 * with), given whether the locale is UTF-8 and the value of TERM (may be NULL). Without UTF-8 it is
 * always ascii. Returns false for an unknown name; *@out is the automatic choice then.
 */
bool glyphs_choose(const char *name, bool utf8, const char *term, enum glyph_set *out);

/* glyph_level - index 0..@steps for @v of @max: 0 only for 0, @steps only from @max on. */
int glyph_level(u64 v, u64 max, int steps);

/* glyph_box - frame with an optional title in the top line. */
void glyph_box(struct canvas *c, const struct glyphs *g, int x, int y, int w, int h,
	       struct style st, const char *title);

/*
 * A raster of @w x @h cells with dots_x x dots_y dots each; dot (0, 0) is top left. Each cell has
 * one colour, the last one drawn.
 */
struct dots {
	const struct glyphs *g;
	int w, h;
	u8 *mask;
	u16 *fg;
};

void dots_init(struct dots *d, const struct glyphs *g, int w, int h);
void dots_fini(struct dots *d);
void dots_set(struct dots *d, int x, int y, u16 fg);
void dots_line(struct dots *d, int x0, int y0, int x1, int y1, u16 fg);
/* dots_draw - put all cells that have a dot on the canvas with its corner at (x, y). */
void dots_draw(const struct dots *d, struct canvas *c, int x, int y, u16 bg);

#endif
