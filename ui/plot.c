/* SPDX-License-Identifier: GPL-2.0-only */
/* plot.c - see plot.h. All arithmetic is integer; values are scaled through 128 bits. */
#include "ui/plot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ui/fmt.h"
#include "ui/utf8.h"

/* Where things are, worked out once per drawing. */
struct area {
	int x, y, w, h; /* of the curves, in cells */
	int label_w;
	bool axis; /* room for the time axis */
};

u64 plot_step(u64 range, int max_ticks, bool binary)
{
	static const u64 mant[] = { 1, 2, 5 };
	u64 want, base = 1;

	if (max_ticks < 1)
		max_ticks = 1;
	want = range / (u64)max_ticks + (range % (u64)max_ticks != 0);
	if (want < 1)
		want = 1;
	if (binary) {
		while (base < want && base < (u64)1 << 63)
			base *= 2;
		return base;
	}
	for (;;) {
		for (size_t i = 0; i < ARRAY_SIZE(mant); i++)
			if (base * mant[i] >= want)
				return base * mant[i];
		if (base > UINT64_MAX / 100)
			return want;
		base *= 10;
	}
}

bool plot_points_span(const void *ctx, u64 t0, u64 t1, struct plot_span *out)
{
	const struct plot_points *p = ctx;
	size_t lo = 0, hi = p->n;

	/* First point after t0; the one before it holds at t0. */
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (p->t[mid] <= t0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0) {
		if (p->n == 0 || p->t[0] >= t1)
			return false;
		lo = 1;
	}
	out->min = out->max = out->last = p->v[lo - 1];
	for (; lo < p->n && p->t[lo] < t1; lo++) {
		out->last = p->v[lo];
		out->min = out->last < out->min ? out->last : out->min;
		out->max = out->last > out->max ? out->last : out->max;
	}
	return true;
}

/* Which colour and marker curve @i has. */
static unsigned look_of(const struct plot *p, int i)
{
	return (unsigned)(p->curve[i].id ? p->curve[i].id - 1 : i) % NR_SERIES;
}

/* Row of dots for value @v: 0 is the top. */
static int dot_row(const struct plot *p, s64 v, int rows)
{
	u64 range = (u64)p->hi - (u64)p->lo;

	if (v <= p->lo)
		return rows - 1;
	if (v >= p->hi)
		return 0;
	return rows - 1 - (int)((u128)((u64)v - (u64)p->lo) * (u64)(rows - 1) / range);
}

static u64 column_time(const struct plot *p, int i, int cols)
{
	return p->t0 + (u64)((u128)(p->t1 - p->t0) * (u64)i / (u64)cols);
}

/* Legend entries in rows from the top; returns the rows used. */
static int draw_legend(struct canvas *c, const struct glyphs *g, const struct plot *p, int max_rows)
{
	int x = 0, y = 0;

	for (int i = 0; i < p->ncurves; i++) {
		const struct plot_curve *k = &p->curve[i];
		int need = 2 + utf8_cols(k->name) + (k->value ? 1 + utf8_cols(k->value) : 0);

		if (x > 0 && x + need > c->w) {
			x = 0;
			y++;
		}
		if (y >= max_rows)
			break;
		canvas_put(c, x, y, STYLE(colour_series(look_of(p, i)), COL_KEEP, 0),
			   g->marker[look_of(p, i)]);
		x += 2;
		x += canvas_text(c, x, y, STYLE(COL_TEXT, COL_KEEP, 0), k->name);
		if (k->value)
			x += 1 +
			     canvas_text(c, x + 1, y,
					 STYLE(colour_series(look_of(p, i)), COL_KEEP, ATTR_BOLD),
					 k->value);
		x += 2;
	}
	return p->ncurves && max_rows > 0 ? (y < max_rows ? y + 1 : max_rows) : 0;
}

static void draw_y_axis(struct canvas *c, const struct glyphs *g, const struct plot *p,
			const struct area *a)
{
	struct style line = STYLE(COL_FAINT, COL_KEEP, 0), dim = STYLE(COL_DIM, COL_KEEP, 0);
	u64 range = (u64)p->hi - (u64)p->lo;
	u64 step = plot_step(range, a->h > 20 ? 8 : a->h > 5 ? 4 : 2, p->binary);
	s64 first = p->lo - p->lo % (s64)step;
	int last_row = 1 << 20;

	canvas_vline(c, a->x - 1, a->y, a->h, line, g->v);
	if (first < p->lo)
		first += (s64)step;
	for (u64 i = 0; i <= range / step; i++) {
		s64 v = first + (s64)(i * step);
		char num[24];
		int row;

		if (v > p->hi)
			break;
		row = a->y + dot_row(p, v, a->h * g->dots_y) / g->dots_y;
		/* No two labels on one row, none pressed against the last. */
		if (row >= last_row)
			continue;
		last_row = row;
		/* In ascii the line must not look like a curve's dots. */
		for (int x = 0; x < a->w; x += g->set == GLYPHS_ASCII ? 4 : 1)
			canvas_put(c, a->x + x, row, line, g->grid);
		canvas_put(c, a->x - 1, row, line, g->tee_r);
		snprintf(num, sizeof(num), "%" PRId64, v);
		canvas_field(c, a->x - 1 - a->label_w, row, a->label_w, ALIGN_RIGHT, dim, num, 0);
	}
}

static void draw_x_axis(struct canvas *c, const struct glyphs *g, const struct plot *p,
			const struct area *a)
{
	struct style line = STYLE(COL_FAINT, COL_KEEP, 0), dim = STYLE(COL_DIM, COL_KEEP, 0);
	u64 step = plot_step(p->t1 - p->t0, a->w / 12, false);
	int y = a->y + a->h, free_x = 0;
	u64 t = p->t0 / step * step + p->shift % step;

	canvas_hline(c, a->x, y, a->w, line, g->h);
	canvas_put(c, a->x - 1, y, line, g->bl == 0x2570 ? 0x2514 : g->bl);
	if (t < p->t0)
		t += step;
	/* The last condition ends the loop where the sum would wrap. */
	for (; t <= p->t1; t = t > UINT64_MAX - step ? UINT64_MAX : t + step) {
		int x = a->x + (int)((u128)(t - p->t0) * (u64)(a->w - 1) / (p->t1 - p->t0));
		char num[FMT_LEN];
		int n, at;

		if (t < p->shift)
			continue;
		canvas_put(c, x, y, line, g->tee_t);
		fmt_axis(num, sizeof(num), t - p->shift, step);
		n = utf8_cols(num);
		at = x - n / 2;
		if (at + n > a->x + a->w)
			at = a->x + a->w - n;
		if (t == UINT64_MAX)
			break;
		if (at < free_x)
			continue;
		canvas_text(c, at, y + 1, dim, num);
		free_x = at + n + 1;
	}
}

static bool draw_curve(struct dots *d, const struct plot *p, int i)
{
	int cols = d->w * d->g->dots_x, rows = d->h * d->g->dots_y;
	const struct plot_curve *k = &p->curve[i];
	u16 fg = colour_series(look_of(p, i));
	bool before = false, any = false;
	int prev = 0, last_top = 1 << 20, last_bottom = -1;

	for (int x = 0; x < cols; x++) {
		u64 t0 = column_time(p, x, cols), t1 = column_time(p, x + 1, cols);
		struct plot_span s;
		int top, bottom, at;

		if (!k->span(k->ctx, t0, t1 > t0 ? t1 : t0 + 1, &s)) {
			before = false;
			continue;
		}
		top = dot_row(p, s.max, rows);
		bottom = dot_row(p, s.min, rows);
		at = dot_row(p, s.last, rows);
		/* The line goes through the mean; extremes are dotted, all of a spike's, else every other. */
		if (x % 2 == 0 || top < last_top - 1)
			dots_set(d, x, top, fg);
		if (x % 2 == 0 || bottom > last_bottom + 1)
			dots_set(d, x, bottom, fg);
		last_top = top;
		last_bottom = bottom;
		if (before)
			dots_line(d, x, prev, x, at, fg);
		dots_set(d, x, at, fg);
		prev = at;
		before = any = true;
	}
	return any;
}

/* A marker now and then says which curve this is where colours do not; staggered, so all show. */
static void draw_markers(struct canvas *c, const struct glyphs *g, const struct plot *p,
			 const struct area *a, int i)
{
	const struct plot_curve *k = &p->curve[i];
	int every = 16, rows = a->h * g->dots_y;

	for (int x = 4 + i * every / PLOT_MAX_CURVES; x < a->w; x += every) {
		u64 t0 = column_time(p, x, a->w), t1 = column_time(p, x + 1, a->w);
		struct plot_span s;

		if (k->span(k->ctx, t0, t1 > t0 ? t1 : t0 + 1, &s))
			canvas_put(c, a->x + x, a->y + dot_row(p, s.last, rows) / g->dots_y,
				   STYLE(colour_series(look_of(p, i)), p->bg, 0),
				   g->marker[look_of(p, i)]);
	}
}

/* Values beyond this are nobody's; the bound keeps sums of two of them in 64 bits. */
#define PLOT_LIMIT ((s64)1 << 60)

void plot_draw(struct canvas *c, const struct glyphs *g, const struct plot *want)
{
	struct plot copy = *want;
	const struct plot *p = &copy;
	struct area a = { .label_w = 1, .axis = c->h >= 7 && c->w >= 24 };
	bool any = false;
	struct dots d;
	char num[24];

	copy.lo = copy.lo < -PLOT_LIMIT ? -PLOT_LIMIT : copy.lo;
	copy.hi = copy.hi > PLOT_LIMIT ? PLOT_LIMIT : copy.hi;
	if (c->w < 4 || c->h < 2 || p->t1 <= p->t0 || p->hi <= p->lo)
		return;
	a.y = draw_legend(c, g, p, c->h >= 10 ? 3 : c->h >= 8 ? 2 : c->h >= 4 ? 1 : 0);
	if (c->w >= 16) {
		int lo_w = snprintf(num, sizeof(num), "%" PRId64, p->lo);
		int hi_w = snprintf(num, sizeof(num), "%" PRId64, p->hi);

		a.label_w = hi_w > lo_w ? hi_w : lo_w;
		a.x = a.label_w + 1;
	}
	a.w = c->w - a.x;
	a.h = c->h - a.y - (a.axis ? 2 : 0);
	if (a.w < 1 || a.h < 1)
		return;
	if (p->snap) {
		u64 cols = (u64)a.w * (u64)g->dots_x, col = (p->t1 - p->t0) / cols;

		col = col ? col : 1;
		/* t1 - shift rounded up to whole columns, and as many of them as there is room for. */
		copy.t1 += col - 1 - (p->t1 - p->shift + col - 1) % col;
		copy.t0 = p->t1 > col * cols ? p->t1 - col * cols : 0;
	}
	canvas_fill(c, a.x, a.y, a.w, a.h, STYLE(COL_TEXT, p->bg, 0), ' ');
	if (a.x)
		draw_y_axis(c, g, p, &a);
	if (a.axis)
		draw_x_axis(c, g, p, &a);
	dots_init(&d, g, a.w, a.h);
	/* The first curve is the one asked for first: drawn last, so that it lies on top. */
	for (int i = p->ncurves - 1; i >= 0; i--)
		any |= draw_curve(&d, p, i);
	dots_draw(&d, c, a.x, a.y, COL_KEEP);
	for (int i = p->ncurves - 1; i >= 0; i--)
		draw_markers(c, g, p, &a, i);
	dots_fini(&d);
	if (!any && p->empty)
		canvas_field(c, a.x, a.y + a.h / 2, a.w, ALIGN_CENTRE, STYLE(COL_DIM, p->bg, 0),
			     p->empty, g->more);
}
