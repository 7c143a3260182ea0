/* SPDX-License-Identifier: GPL-2.0-only */
/* text.c - making foreign text harmless. See text.h. */
#include "app/text.h"

#include <string.h>

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

unsigned utf8_encode(u32 ch, char *out)
{
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

/* First and last character of each run that must not reach a terminal. */
static const struct {
	u32 first, last;
} unsafe_runs[] = {
	{ 0x00, 0x1f }, /* C0: escape, newline, bell ... */
	{ 0x7f, 0x9f }, /* DEL and C1 */
	{ 0xad, 0xad }, /* soft hyphen */
	{ 0x61c, 0x61c }, /* Arabic letter mark */
	{ 0x180e, 0x180e }, /* Mongolian vowel separator */
	{ 0x200b, 0x200f }, /* zero width, left-to-right and right-to-left marks */
	{ 0x2028, 0x202e }, /* line and paragraph separator, embeddings and overrides */
	{ 0x2060, 0x206f }, /* word joiner, isolates, deprecated formats */
	{ 0xfe00, 0xfe0f }, /* variation selectors */
	{ 0xfeff, 0xfeff }, /* byte order mark */
	{ 0xfff9, 0xfffb }, /* interlinear annotation */
	{ 0xe0000, 0xe0fff }, /* tags, more variation selectors */
};

bool text_is_unsafe(u32 ch)
{
	for (size_t i = 0; i < ARRAY_SIZE(unsafe_runs); i++)
		if (ch >= unsafe_runs[i].first && ch <= unsafe_runs[i].last)
			return true;
	return false;
}

size_t text_clean_n(char *dst, size_t size, const char *src, size_t len)
{
	size_t out = 0, in = 0;

	while (in < len) {
		u32 ch;
		unsigned n = utf8_decode(src + in, len - in, &ch);
		bool bad = !n || text_is_unsafe(ch);
		unsigned step = n ? n : 1, width = bad ? 1 : n;

		if (out + width + 1 > size)
			break;
		if (bad)
			dst[out] = '?';
		else
			memmove(dst + out, src + in, n);
		out += width;
		in += step;
	}
	dst[out] = '\0';
	return out;
}

size_t text_clean(char *dst, size_t size, const char *src)
{
	return text_clean_n(dst, size, src, strlen(src));
}
