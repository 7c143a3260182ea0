/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * colour.h - logical colours, and what a given terminal makes of them.
 *
 * Views name a role ("accent", "heat 7 of 32"), never a terminal colour. A palette translates roles
 * for one depth (mono, 16, 256, direct) and one heat ramp (white-green-red, or the colour-blind
 * safe one whose lightness grows evenly). No view may carry meaning by colour alone: glyphs say
 * the same.
 */
#ifndef SG_UI_COLOUR_H
#define SG_UI_COLOUR_H

#include "engine/base/types.h"

enum colour {
	COL_DEFAULT, /* whatever the terminal uses */
	COL_TEXT,
	COL_DIM, /* labels, units */
	COL_FAINT, /* grid lines, brackets */
	COL_ACCENT, /* what to look at first */
	COL_TITLE, /* pane titles */
	COL_GOOD,
	COL_WARN,
	COL_ERROR,
	COL_KEY, /* a key in a hint */
	COL_SEL_FG, /* selected row */
	COL_SEL_BG,
	COL_BAR_FG, /* header and hint bars */
	COL_BAR_BG,
	COL_HEAT_BG, /* behind heat cells and plots */
	COL_OVER_BG, /* behind overlays */
	COL_SERIES, /* NR_SERIES colours for curves */
	COL_HEAT = COL_SERIES + 8, /* NR_HEAT steps, cold to hot */
	NR_COLOURS = COL_HEAT + 32,
	COL_RAW = 0x100, /* COL_RAW + n: colour n of the 256 */
	COL_KEEP = 0xffff, /* in a style: leave what the cell has */
};
#define NR_SERIES 8
#define NR_HEAT 32

enum cell_attr {
	ATTR_BOLD = 1,
	ATTR_DIM = 2,
	ATTR_UNDERLINE = 4,
	ATTR_REVERSE = 8,
};

enum colour_depth { DEPTH_MONO, DEPTH_16, DEPTH_256, DEPTH_DIRECT };

struct palette {
	enum colour_depth depth;
	bool cvd; /* colour-blind safe ramp */
	s32 term[NR_COLOURS]; /* -1 default; an index, or 0xRRGGBB when depth is direct */
	u16 attr[NR_COLOURS]; /* attributes a role adds when it is the foreground */
};

/* What a cell looks like on the terminal at hand. */
struct look {
	s32 fg, bg;
	u16 attr;
};

/*
 * palette_init - fill @p for the option @name: auto mono 16 256 direct cvd (NULL = auto).
 * @nr_colours: what the terminal offers (0 or less: none). @no_color: the NO_COLOR variable is set;
 * it wins over auto and cvd, not over a depth asked for by name. A depth the terminal lacks falls
 * back to the next it has. Returns false when @name is not one of the names; @p is auto then.
 */
bool palette_init(struct palette *p, const char *name, int nr_colours, bool no_color);

/* palette_look - resolve logical @fg, @bg and attributes. */
struct look palette_look(const struct palette *p, u16 fg, u16 bg, u16 attr);

/* colour_heat - logical colour for @v of @max (clamped): COL_HEAT .. COL_HEAT + NR_HEAT - 1. */
u16 colour_heat(u64 v, u64 max);

/* colour_series - logical colour of curve @i, repeating after NR_SERIES. */
u16 colour_series(unsigned i);

/* The option's names, for messages and completion. */
#define COLOUR_NAMES "auto, mono, 16, 256, direct, cvd"

#endif
