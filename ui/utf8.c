/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * utf8.c - see utf8.h. Combining marks are measured as 0 columns and dropped by the canvas, whose
 * cells hold one code point; the width ranges are coarse (whole blocks) on purpose.
 */
#include "ui/utf8.h"

#include <string.h>

struct range {
	u32 lo, hi;
};

/* Format characters that change how their neighbours are shown, or that cannot be seen at all. */
static const struct range unsafe_ranges[] = {
	{ 0x0000, 0x001f },   { 0x007f, 0x009f },   { 0x00ad, 0x00ad },	   { 0x061c, 0x061c },
	{ 0x115f, 0x1160 },   { 0x180e, 0x180e },   { 0x200b, 0x200f },	   { 0x2028, 0x202f },
	{ 0x2060, 0x206f },   { 0x3164, 0x3164 },   { 0xd800, 0xdfff },	   { 0xfdd0, 0xfdef },
	{ 0xfeff, 0xfeff },   { 0xfff0, 0xfffb },   { 0xfffe, 0xffff },	   { 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff }, { 0xf0000, 0x10ffff },
};

static const struct range zero_ranges[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x06d6, 0x06dc }, { 0x0900, 0x0902 }, { 0x093c, 0x093c },
	{ 0x0941, 0x0948 }, { 0x094d, 0x094d }, { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a },
	{ 0x0e47, 0x0e4e }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff },
	{ 0x302a, 0x302d }, { 0x3099, 0x309a }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
};

static const struct range wide_ranges[] = {
	{ 0x1100, 0x115e },   { 0x231a, 0x231b },   { 0x2329, 0x232a },	  { 0x23e9, 0x23ec },
	{ 0x25fd, 0x25fe },   { 0x2614, 0x2615 },   { 0x2648, 0x2653 },	  { 0x26a1, 0x26a1 },
	{ 0x26ce, 0x26ce },   { 0x2705, 0x2705 },   { 0x270a, 0x270b },	  { 0x2728, 0x2728 },
	{ 0x274c, 0x274c },   { 0x2753, 0x2755 },   { 0x2795, 0x2797 },	  { 0x2b1b, 0x2b1c },
	{ 0x2b50, 0x2b50 },   { 0x2e80, 0x303e },   { 0x3041, 0x33ff },	  { 0x3400, 0x4dbf },
	{ 0x4e00, 0x9fff },   { 0xa000, 0xa4cf },   { 0xa960, 0xa97f },	  { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff01, 0xff60 },	  { 0xffe0, 0xffe6 },
	{ 0x16fe0, 0x18cff }, { 0x1b000, 0x1b2ff }, { 0x1f004, 0x1f004 }, { 0x1f0cf, 0x1f0cf },
	{ 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f265 }, { 0x1f300, 0x1f64f },
	{ 0x1f680, 0x1f6ff }, { 0x1f7e0, 0x1f7eb }, { 0x1f900, 0x1f9ff }, { 0x1fa70, 0x1faff },
	{ 0x20000, 0x3fffd },
};

static bool in_ranges(const struct range *r, size_t n, u32 ch)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (ch > r[mid].hi)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && ch >= r[lo].lo && ch <= r[lo].hi;
}

unsigned utf8_decode(const char *s, size_t len, u32 *ch)
{
	static const u32 least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	u8 first = (u8)s[0];
	unsigned n;
	u32 c;

	if (first < 0x80) {
		*ch = first;
		return 1;
	}
	if ((first & 0xe0) == 0xc0) {
		n = 2;
		c = first & 0x1f;
	} else if ((first & 0xf0) == 0xe0) {
		n = 3;
		c = first & 0x0f;
	} else if ((first & 0xf8) == 0xf0) {
		n = 4;
		c = first & 0x07;
	} else {
		return 0;
	}
	if (len < n)
		return 0;
	for (unsigned i = 1; i < n; i++) {
		if (((u8)s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | ((u8)s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ch = c;
	return n;
}

u32 utf8_next(const char **s)
{
	u32 ch;
	unsigned n;

	if (!**s)
		return 0;
	n = utf8_decode(*s, strnlen(*s, 4), &ch);
	*s += n ? n : 1;
	return n ? ch : UTF8_BAD;
}

int utf8_put(u32 ch, char *out)
{
	if (ch > 0x10ffff || (ch >= 0xd800 && ch <= 0xdfff))
		ch = UTF8_BAD;
	if (ch < 0x80) {
		out[0] = (char)ch;
		return 1;
	}
	if (ch < 0x800) {
		out[0] = (char)(0xc0 | ch >> 6);
		out[1] = (char)(0x80 | (ch & 0x3f));
		return 2;
	}
	if (ch < 0x10000) {
		out[0] = (char)(0xe0 | ch >> 12);
		out[1] = (char)(0x80 | (ch >> 6 & 0x3f));
		out[2] = (char)(0x80 | (ch & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | ch >> 18);
	out[1] = (char)(0x80 | (ch >> 12 & 0x3f));
	out[2] = (char)(0x80 | (ch >> 6 & 0x3f));
	out[3] = (char)(0x80 | (ch & 0x3f));
	return 4;
}

/* What we draw with: boxes, blocks, braille. Known to be safe and one column wide. */
static bool is_drawing(u32 ch)
{
	return (ch >= 0x2500 && ch < 0x25fd) || (ch >= 0x2800 && ch < 0x2900);
}

u32 utf8_safe(u32 ch)
{
	if ((ch >= 0x20 && ch < 0x7f) || is_drawing(ch))
		return ch;
	if (ch > 0x10ffff || in_ranges(unsafe_ranges, ARRAY_SIZE(unsafe_ranges), ch))
		return UTF8_BAD;
	return ch;
}

int utf8_width(u32 ch)
{
	if (ch < 0x300 || is_drawing(ch))
		return 1;
	if (in_ranges(zero_ranges, ARRAY_SIZE(zero_ranges), ch))
		return 0;
	return in_ranges(wide_ranges, ARRAY_SIZE(wide_ranges), ch) ? 2 : 1;
}

int utf8_cols(const char *s)
{
	int cols = 0;
	u32 ch;

	while ((ch = utf8_next(&s)) != 0)
		cols += utf8_width(utf8_safe(ch));
	return cols;
}

char *utf8_clean(char *dst, size_t size, const char *src, bool ascii, bool keep_nl)
{
	size_t n = 0;
	u32 ch;

	if (size == 0)
		return dst;
	while ((ch = utf8_next(&src)) != 0) {
		char tmp[4];
		int len;

		if (!(keep_nl && (ch == '\n' || ch == '\t')))
			ch = utf8_safe(ch);
		if (ascii && ch >= 0x80)
			ch = '?';
		len = utf8_put(ch, tmp);
		if (n + (size_t)len >= size)
			break;
		for (int i = 0; i < len; i++)
			dst[n++] = tmp[i];
	}
	dst[n] = '\0';
	return dst;
}
