/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * canvas.h - a grid of cells that views draw on; nothing here knows about a terminal.
 *
 * A frame is drawn on a canvas, then compared with the last one by term.c, dumped as text by the
 * golden screens, or as ANSI for a still. A struct canvas is a window on a grid: its own origin,
 * size and clip, so that a view draws from (0, 0) and cannot write outside its pane.
 */
#ifndef SG_UI_CANVAS_H
#define SG_UI_CANVAS_H

#include <stdarg.h>

#include "ui/colour.h"

#define CANVAS_MAX_W 500
#define CANVAS_MAX_H 200
#define CELL_TAIL 0u /* right half of the wide character to the left */

struct cell {
	u32 ch; /* a safe code point, or CELL_TAIL */
	u16 fg, bg; /* logical colours, see colour.h */
	u16 attr; /* enum cell_attr */
	u16 pad;
};

struct style {
	u16 fg, bg, attr;
};
#define STYLE(...) ((struct style){ __VA_ARGS__ })

struct canvas {
	struct cell *cells; /* of the whole grid, row by row; borrowed by sub-canvases */
	int grid_w, grid_h;
	int ox, oy; /* where this canvas' (0, 0) is in the grid */
	int w, h; /* its size, what a view lays out for */
	int x0, y0, x1, y1; /* what may be written, in grid coordinates, end exclusive */
};

enum align { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_CENTRE };

/* canvas_init - a blank grid of @w x @h cells, clamped to 1..CANVAS_MAX_*; canvas_fini frees it. */
void canvas_init(struct canvas *c, int w, int h);
void canvas_fini(struct canvas *c);

/* canvas_sub - the rectangle as a canvas of its own; parts outside @c are laid out but clipped. */
struct canvas canvas_sub(const struct canvas *c, int x, int y, int w, int h);

/* canvas_clear - fill with blanks in the default style. */
void canvas_clear(struct canvas *c);

/* canvas_at - the cell, or NULL outside of the clip. For tests and effects. */
struct cell *canvas_at(const struct canvas *c, int x, int y);

/*
 * canvas_put - one character; unsafe ones become U+FFFD, combining ones are dropped, a wide one
 * that would be cut in half becomes a blank. Returns its columns. A style member COL_KEEP keeps the
 * colour that is there.
 */
int canvas_put(struct canvas *c, int x, int y, struct style st, u32 ch);

/* canvas_text - UTF-8 text up to the right edge; returns the columns it took (or would take). */
int canvas_text(struct canvas *c, int x, int y, struct style st, const char *text);

/* canvas_printf - formatted, at most 1023 bytes; returns columns. */
int canvas_printf(struct canvas *c, int x, int y, struct style st, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * canvas_field - text in exactly @w columns: padded with blanks, or cut and ended by @more (0: cut
 * hard), which says that something is missing.
 */
void canvas_field(struct canvas *c, int x, int y, int w, enum align al, struct style st,
		  const char *text, u32 more);

/* Filled rectangle and straight lines of one character. */
void canvas_fill(struct canvas *c, int x, int y, int w, int h, struct style st, u32 ch);
void canvas_hline(struct canvas *c, int x, int y, int w, struct style st, u32 ch);
void canvas_vline(struct canvas *c, int x, int y, int h, struct style st, u32 ch);

/* canvas_restyle - give a rectangle other colours without changing its characters. */
void canvas_restyle(struct canvas *c, int x, int y, int w, int h, struct style st);

/* canvas_copy - blit the overlapping part of two whole grids. */
void canvas_copy(struct canvas *dst, const struct canvas *src);

/* canvas_equal - same size, same cells. */
bool canvas_equal(const struct canvas *a, const struct canvas *b);

/*
 * canvas_dump - the canvas as text, one line per row ended by '\n'; trailing blanks are dropped.
 * @ascii: characters beyond ASCII become '?'. The caller frees.
 */
char *canvas_dump(const struct canvas *c, bool ascii);

/* canvas_ansi - the same with SGR sequences for palette @p, each line ending in a reset. */
char *canvas_ansi(const struct canvas *c, const struct palette *p, bool ascii);

#endif
