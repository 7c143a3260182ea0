/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * colour.c - see colour.h. Ramps are interpolated in integers between a few stops, then mapped to
 * the nearest of the 256 colours, or to a hand-made order of the 16.
 */
#include "ui/colour.h"

#include <string.h>

struct rgb {
	u8 r, g, b;
};

/* Role colours: 24 bit, index of 256, index of 16, attributes when there is no colour at all. */
struct role {
	u32 rgb;
	s16 c256, c16;
	u16 attr, mono;
};

static const struct role roles[COL_HEAT] = {
	[COL_DEFAULT] = { 0, -1, -1, 0, 0 },
	[COL_TEXT] = { 0, -1, -1, 0, 0 },
	[COL_DIM] = { 0x8a8a8a, 245, 7, 0, ATTR_DIM },
	[COL_FAINT] = { 0x626262, 241, 8, 0, ATTR_DIM },
	[COL_ACCENT] = { 0x5fd7ff, 81, 14, ATTR_BOLD, ATTR_BOLD },
	[COL_TITLE] = { 0x87afff, 111, 12, ATTR_BOLD, ATTR_BOLD },
	[COL_GOOD] = { 0x5fd787, 78, 10, 0, 0 },
	[COL_WARN] = { 0xffaf00, 214, 11, 0, ATTR_BOLD },
	[COL_ERROR] = { 0xff5f5f, 203, 9, ATTR_BOLD, ATTR_BOLD | ATTR_UNDERLINE },
	[COL_KEY] = { 0xffd75f, 221, 11, ATTR_BOLD, ATTR_BOLD },
	[COL_SEL_FG] = { 0xffffff, 231, 15, ATTR_BOLD, ATTR_REVERSE },
	[COL_SEL_BG] = { 0x005f87, 24, 4, 0, 0 },
	[COL_BAR_FG] = { 0xe4e4e4, 254, 15, 0, ATTR_REVERSE },
	[COL_BAR_BG] = { 0x303030, 236, 4, 0, 0 },
	[COL_HEAT_BG] = { 0x1c1c1c, 234, 0, 0, 0 },
	[COL_OVER_BG] = { 0x262626, 235, 0, 0, 0 },
	[COL_SERIES + 0] = { 0x5fafff, 75, 14, 0, 0 },
	[COL_SERIES + 1] = { 0xffaf00, 214, 11, 0, 0 },
	[COL_SERIES + 2] = { 0x00d787, 42, 10, 0, 0 },
	[COL_SERIES + 3] = { 0xbcbcbc, 250, 7, 0, 0 },
	[COL_SERIES + 4] = { 0xd787d7, 176, 13, 0, 0 },
	[COL_SERIES + 5] = { 0xffff87, 228, 15, 0, 0 },
	[COL_SERIES + 6] = { 0x5f87ff, 69, 12, 0, 0 },
	[COL_SERIES + 7] = { 0xff5f5f, 203, 9, 0, 0 },
};

static const struct rgb heat_stops[] = {
	{ 240, 240, 240 }, { 160, 220, 160 }, { 50, 175, 75 },
	{ 225, 200, 55 },  { 240, 130, 40 },  { 220, 38, 38 },
};
static const struct rgb cvd_stops[] = {
	{ 72, 92, 150 },   { 98, 118, 160 }, { 130, 138, 150 },
	{ 170, 160, 125 }, { 215, 195, 95 }, { 255, 234, 70 },
};
static const u8 heat16[] = { 15, 10, 2, 11, 3, 9, 1 };
static const u8 cvd16[] = { 4, 12, 6, 14, 7, 3, 11 };

static const u8 cube_level[6] = { 0, 95, 135, 175, 215, 255 };

static int cube_index(int v)
{
	int best = 0;

	for (int i = 1; i < 6; i++) {
		int d = v - cube_level[i], b = v - cube_level[best];

		if (d * d < b * b)
			best = i;
	}
	return best;
}

static int dist2(int r, int g, int b, struct rgb c)
{
	return (r - c.r) * (r - c.r) + (g - c.g) * (g - c.g) + (b - c.b) * (b - c.b);
}

/* Nearest of the 6x6x6 cube and the grey ramp. */
static int rgb_to_256(struct rgb c)
{
	int ri = cube_index(c.r), gi = cube_index(c.g), bi = cube_index(c.b);
	int grey = ((c.r + c.g + c.b) / 3 - 3) / 10;
	int gv;

	grey = grey < 0 ? 0 : grey > 23 ? 23 : grey;
	gv = 8 + 10 * grey;
	if (dist2(gv, gv, gv, c) < dist2(cube_level[ri], cube_level[gi], cube_level[bi], c))
		return 232 + grey;
	return 16 + 36 * ri + 6 * gi + bi;
}

static struct rgb ramp(const struct rgb *stops, int n, int i)
{
	int pos = i * (n - 1) * 256 / (NR_HEAT - 1);
	int k = pos / 256, f = pos % 256;
	struct rgb a, b;

	if (k >= n - 1)
		return stops[n - 1];
	a = stops[k];
	b = stops[k + 1];
	return (struct rgb){ (u8)((a.r * (256 - f) + b.r * f) / 256),
			     (u8)((a.g * (256 - f) + b.g * f) / 256),
			     (u8)((a.b * (256 - f) + b.b * f) / 256) };
}

static enum colour_depth depth_of(int nr_colours)
{
	if (nr_colours > 256)
		return DEPTH_DIRECT;
	if (nr_colours >= 256)
		return DEPTH_256;
	return nr_colours >= 8 ? DEPTH_16 : DEPTH_MONO;
}

static void palette_fill(struct palette *p)
{
	for (int i = 0; i < COL_HEAT; i++) {
		const struct role *r = &roles[i];

		p->attr[i] = p->depth == DEPTH_MONO ? r->mono : r->attr;
		if (p->depth == DEPTH_MONO || r->c256 < 0)
			p->term[i] = -1;
		else if (p->depth == DEPTH_16)
			p->term[i] = r->c16;
		else
			p->term[i] = p->depth == DEPTH_256 ? r->c256 : (s32)r->rgb;
	}
	for (int i = 0; i < NR_HEAT; i++) {
		struct rgb c = ramp(p->cvd ? cvd_stops : heat_stops, ARRAY_SIZE(heat_stops), i);
		int k = i * (int)ARRAY_SIZE(heat16) / NR_HEAT;
		s32 *t = &p->term[COL_HEAT + i];

		p->attr[COL_HEAT + i] = 0;
		if (p->depth == DEPTH_MONO)
			*t = -1;
		else if (p->depth == DEPTH_16)
			*t = p->cvd ? cvd16[k] : heat16[k];
		else if (p->depth == DEPTH_256)
			*t = rgb_to_256(c);
		else
			*t = c.r << 16 | c.g << 8 | c.b;
	}
}

bool palette_init(struct palette *p, const char *name, int nr_colours, bool no_color)
{
	enum colour_depth have = depth_of(nr_colours);
	bool ok = true;

	memset(p, 0, sizeof(*p));
	p->depth = no_color ? DEPTH_MONO : have;
	if (!name || !strcmp(name, "auto"))
		;
	else if (!strcmp(name, "mono"))
		p->depth = DEPTH_MONO;
	else if (!strcmp(name, "16"))
		p->depth = have < DEPTH_16 ? have : DEPTH_16;
	else if (!strcmp(name, "256"))
		p->depth = have < DEPTH_256 ? have : DEPTH_256;
	else if (!strcmp(name, "direct"))
		p->depth = have;
	else if (!strcmp(name, "cvd"))
		p->cvd = true;
	else
		ok = false;
	/* A direct-colour terminal has no palette to index: 256 there still means 24-bit values. */
	if (have == DEPTH_DIRECT && p->depth == DEPTH_256)
		p->depth = DEPTH_DIRECT;
	palette_fill(p);
	return ok;
}

static s32 resolve(const struct palette *p, u16 c)
{
	if (c < NR_COLOURS)
		return p->term[c];
	if (c >= COL_RAW && c < COL_RAW + 256 && p->depth == DEPTH_256)
		return c - COL_RAW;
	return -1;
}

struct look palette_look(const struct palette *p, u16 fg, u16 bg, u16 attr)
{
	struct look l = { resolve(p, fg), resolve(p, bg), attr };

	if (fg < NR_COLOURS)
		l.attr |= p->attr[fg];
	/* Without colours the selection is shown whatever the text's own role is. */
	if (p->depth == DEPTH_MONO && (bg == COL_SEL_BG || bg == COL_BAR_BG))
		l.attr |= ATTR_REVERSE;
	return l;
}

u16 colour_heat(u64 v, u64 max)
{
	if (max == 0 || v >= max)
		return v ? COL_HEAT + NR_HEAT - 1 : COL_HEAT;
	return (u16)(COL_HEAT + v * NR_HEAT / max);
}

u16 colour_series(unsigned i)
{
	return (u16)(COL_SERIES + i % NR_SERIES);
}
