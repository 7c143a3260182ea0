/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * layout.h - panes by splitting: who is where, who has the focus, who is zoomed.
 *
 * A tree in an array: inner nodes split their rectangle, leaves are panes named by a small number
 * that the caller chooses. Panes that would fall under their least size give their room to the
 * sibling, so that a small terminal shows fewer panes instead of useless ones.
 */
#ifndef SG_UI_LAYOUT_H
#define SG_UI_LAYOUT_H

#include "engine/base/types.h"

#define LAYOUT_MAX 16

enum split_dir { SPLIT_ROWS, SPLIT_COLS }; /* one above the other; side by side */
enum focus_dir { FOCUS_UP, FOCUS_DOWN, FOCUS_LEFT, FOCUS_RIGHT };

struct rect {
	int x, y, w, h;
};

struct layout_node {
	int pane; /* leaf: >= 0; inner: -1 */
	int a, b; /* inner: children */
	enum split_dir dir;
	int permille; /* inner: share of the first child */
	int min_w, min_h; /* leaf */
	int want_h; /* leaf, first of two rows: rows it can use; 0 = its share */
	struct rect r; /* after layout_compute(); w or h 0 = not shown */
};

struct layout {
	struct layout_node node[2 * LAYOUT_MAX];
	int n;
	int focus; /* pane */
	bool zoom; /* only the focused pane is shown */
};

/* layout_init - one pane over everything, which has the focus. */
void layout_init(struct layout *l, int pane, int min_w, int min_h);

/*
 * layout_split - divide @pane; it keeps @permille of the room, @fresh gets the rest, below or to
 * the right. Returns false when @pane is not there, @fresh is already, or there are too many.
 */
bool layout_split(struct layout *l, int pane, enum split_dir dir, int permille, int fresh,
		  int min_w, int min_h);

/*
 * layout_want - @pane, the upper of two, takes @rows, up to three fifths of the room, instead of
 * its share; 0 = its share again.
 */
void layout_want(struct layout *l, int pane, int rows);

/* layout_compute - place all panes in @r; a column is left free between panes side by side. */
void layout_compute(struct layout *l, struct rect r);

/* layout_rect - where a pane is; all zero when it is not shown. */
struct rect layout_rect(const struct layout *l, int pane);

/* layout_focus - give the focus to a pane that is shown; false if it is not. */
bool layout_focus(struct layout *l, int pane);

/* layout_cycle - next (+1) or previous (-1) pane shown. With zoom, cycles through all of them. */
void layout_cycle(struct layout *l, int step);

/* layout_move - the pane that lies that way of the focused one, if any. */
void layout_move(struct layout *l, enum focus_dir dir);

#endif
