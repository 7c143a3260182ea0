/* SPDX-License-Identifier: GPL-2.0-only */
/* layout.c - see layout.h. */
#include "ui/layout.h"

#include <string.h>

void layout_init(struct layout *l, int pane, int min_w, int min_h)
{
	memset(l, 0, sizeof(*l));
	l->n = 1;
	l->focus = pane;
	l->node[0].pane = pane;
	l->node[0].min_w = min_w;
	l->node[0].min_h = min_h;
}

static int find(const struct layout *l, int pane)
{
	for (int i = 0; i < l->n; i++)
		if (l->node[i].pane == pane)
			return i;
	return -1;
}

bool layout_split(struct layout *l, int pane, enum split_dir dir, int permille, int fresh,
		  int min_w, int min_h)
{
	int i = pane < 0 ? -1 : find(l, pane);
	struct layout_node *n;

	if (i < 0 || fresh < 0 || find(l, fresh) >= 0 || l->n + 2 > (int)ARRAY_SIZE(l->node))
		return false;
	n = &l->node[i];
	l->node[l->n] = *n;
	l->node[l->n + 1] = (struct layout_node){ .pane = fresh, .min_w = min_w, .min_h = min_h };
	n->pane = -1;
	n->a = l->n;
	n->b = l->n + 1;
	n->dir = dir;
	n->permille = permille < 0 ? 0 : permille > 1000 ? 1000 : permille;
	l->n += 2;
	return true;
}

/* Least room of a subtree: what has to be there to show all of it. */
static void least(const struct layout *l, int i, int *w, int *h)
{
	const struct layout_node *n = &l->node[i];
	int aw, ah, bw, bh;

	if (n->pane >= 0) {
		*w = n->min_w > 0 ? n->min_w : 1;
		*h = n->min_h > 0 ? n->min_h : 1;
		return;
	}
	least(l, n->a, &aw, &ah);
	least(l, n->b, &bw, &bh);
	if (n->dir == SPLIT_ROWS) {
		*w = aw > bw ? aw : bw;
		*h = ah + bh;
	} else {
		*w = aw + 1 + bw;
		*h = ah > bh ? ah : bh;
	}
}

void layout_want(struct layout *l, int pane, int rows)
{
	int i = pane < 0 ? -1 : find(l, pane);

	if (i >= 0)
		l->node[i].want_h = rows > 0 ? rows : 0;
}

static void hide(struct layout *l, int i)
{
	struct layout_node *n = &l->node[i];

	n->r = (struct rect){ 0 };
	if (n->pane < 0) {
		hide(l, n->a);
		hide(l, n->b);
	}
}

static bool holds(const struct layout *l, int i, int pane)
{
	const struct layout_node *n = &l->node[i];

	if (n->pane >= 0)
		return n->pane == pane;
	return holds(l, n->a, pane) || holds(l, n->b, pane);
}

static void place(struct layout *l, int i, struct rect r)
{
	struct layout_node *n = &l->node[i];
	int aw, ah, bw, bh, total, first;
	struct rect a = r, b = r;
	bool rows;

	n->r = r;
	if (n->pane >= 0)
		return;
	rows = n->dir == SPLIT_ROWS;
	least(l, n->a, &aw, &ah);
	least(l, n->b, &bw, &bh);
	total = rows ? r.h : r.w - 1;
	if (total < (rows ? ah + bh : aw + bw) || (!rows && (r.h < ah || r.h < bh)) ||
	    (rows && (r.w < aw || r.w < bw))) {
		/* Not enough for both: the one with the focus stays, else the first. */
		bool second = holds(l, n->b, l->focus);

		hide(l, second ? n->a : n->b);
		place(l, second ? n->b : n->a, r);
		return;
	}
	first = total * n->permille / 1000;
	if (rows && l->node[n->a].want_h) {
		first = l->node[n->a].want_h;
		if (first > total * 3 / 5)
			first = total * 3 / 5;
	}
	if (first < (rows ? ah : aw))
		first = rows ? ah : aw;
	if (first > total - (rows ? bh : bw))
		first = total - (rows ? bh : bw);
	if (rows) {
		a.h = first;
		b.y += first;
		b.h = total - first;
	} else {
		a.w = first;
		b.x += first + 1;
		b.w = total - first;
	}
	place(l, n->a, a);
	place(l, n->b, b);
}

void layout_compute(struct layout *l, struct rect r)
{
	int f = find(l, l->focus);

	if (l->zoom && f >= 0) {
		hide(l, 0);
		l->node[f].r = r;
	} else {
		place(l, 0, r);
	}
}

struct rect layout_rect(const struct layout *l, int pane)
{
	int i = find(l, pane);

	return i < 0 ? (struct rect){ 0 } : l->node[i].r;
}

static bool shown(const struct layout_node *n)
{
	return n->pane >= 0 && n->r.w > 0 && n->r.h > 0;
}

bool layout_focus(struct layout *l, int pane)
{
	int i = pane < 0 ? -1 : find(l, pane);

	if (i < 0)
		return false;
	l->focus = pane;
	return true;
}

void layout_cycle(struct layout *l, int step)
{
	int i = find(l, l->focus);

	if (i < 0)
		return;
	/* Hidden panes count too: giving one the focus is how it is brought back in a small window. */
	do
		i = (i + (step < 0 ? -1 : 1) + l->n) % l->n;
	while (l->node[i].pane < 0);
	l->focus = l->node[i].pane;
}

void layout_move(struct layout *l, enum focus_dir dir)
{
	struct rect f = layout_rect(l, l->focus);
	int best = -1, best_dist = 1 << 30;

	for (int i = 0; i < l->n; i++) {
		const struct layout_node *n = &l->node[i];
		int dx = n->r.x + n->r.w / 2 - (f.x + f.w / 2);
		int dy = n->r.y + n->r.h / 2 - (f.y + f.h / 2);
		bool that_way;
		int d;

		if (!shown(n) || n->pane == l->focus)
			continue;
		that_way = dir == FOCUS_UP     ? n->r.y + n->r.h <= f.y
			   : dir == FOCUS_DOWN ? n->r.y >= f.y + f.h
			   : dir == FOCUS_LEFT ? n->r.x + n->r.w <= f.x
					       : n->r.x >= f.x + f.w;
		d = (dx < 0 ? -dx : dx) + 2 * (dy < 0 ? -dy : dy);
		if (that_way && d < best_dist) {
			best = n->pane;
			best_dist = d;
		}
	}
	if (best >= 0)
		l->focus = best;
}
