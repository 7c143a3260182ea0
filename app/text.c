/* SPDX-License-Identifier: GPL-2.0-only */
/* text.c - making foreign text harmless. See text.h. */
#include "app/text.h"

#include <string.h>

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
