/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plot.h - several curves over simulated time: axes with round ticks, min/max decimation, legend.
 *
 * A curve is asked for the smallest and largest value in the time of one dot column, so that no
 * spike is lost however much time a column stands for. Each curve has a colour and a marker glyph.
 */
#ifndef SG_UI_PLOT_H
#define SG_UI_PLOT_H

#include "ui/glyph.h"

#define PLOT_MAX_CURVES NR_SERIES

struct plot_span {
	s64 min, max, last;
};

struct plot_curve {
	const char *name;
	const char *value; /* current value as shown in the legend, or NULL */
	/* What the curve does in [t0, t1); false: nothing known there (a gap). */
	bool (*span)(const void *ctx, u64 t0, u64 t1, struct plot_span *out);
	const void *ctx;
	int id; /* colour and marker id - 1; 0: by position. Keeps them when others are hidden */
};

struct plot {
	u64 t0, t1; /* shown time, ns */
	u64 shift; /* t0, t1 are this much later than what is meant: labels say t - shift, none below 0 */
	bool snap; /* move t0 and t1 to whole dot columns, so that a moving picture does not shimmer */
	s64 lo, hi; /* shown values; hi > lo */
	bool binary; /* round ticks are powers of two (capacities of 1024) */
	const char *empty; /* what to say when there is no data */
	int ncurves;
	struct plot_curve curve[PLOT_MAX_CURVES];
	u16 bg;
};

/* plot_draw - the whole plot on @c; degrades to fewer labels when there is little room. */
void plot_draw(struct canvas *c, const struct glyphs *g, const struct plot *p);

/* plot_step - a round step (1, 2, 5 x 10^k, or 2^k) that gives at most @max_ticks over @range. */
u64 plot_step(u64 range, int max_ticks, bool binary);

/*
 * A curve from sorted points; each holds until the next. For plot_curve.ctx with
 * plot_points_span.
 */
struct plot_points {
	const u64 *t;
	const s64 *v;
	size_t n;
};
bool plot_points_span(const void *ctx, u64 t0, u64 t1, struct plot_span *out);

#endif
