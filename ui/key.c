/* SPDX-License-Identifier: GPL-2.0-only */
/* key.c - see key.h. */
#include "ui/key.h"

#include <stdio.h>
#include <string.h>

#include "ui/utf8.h"

static const struct {
	u32 key;
	const char *name;
} names[] = {
	{ UKEY_TAB, "Tab" },
	{ UKEY_ENTER, "Enter" },
	{ UKEY_ESC, "Esc" },
	{ UKEY_SPACE, "space" },
	{ UKEY_UP, "Up" },
	{ UKEY_DOWN, "Down" },
	{ UKEY_LEFT, "Left" },
	{ UKEY_RIGHT, "Right" },
	{ UKEY_HOME, "Home" },
	{ UKEY_END, "End" },
	{ UKEY_PGUP, "PgUp" },
	{ UKEY_PGDN, "PgDn" },
	{ UKEY_INS, "Ins" },
	{ UKEY_DEL, "Del" },
	{ UKEY_BACKSPACE, "Backspace" },
	{ UKEY_BTAB, "S-Tab" },
	{ UKEY_CLICK, "Click" },
	{ UKEY_WHEEL_UP, "WheelUp" },
	{ UKEY_WHEEL_DOWN, "WheelDown" },
};

char *ukey_name(u32 key, char *buf, size_t size)
{
	const char *alt = key & UKEY_ALT ? "A-" : "";
	char u[5] = "";

	key &= ~(u32)UKEY_ALT;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].key == key) {
			snprintf(buf, size, "%s%s", alt, names[i].name);
			return buf;
		}
	}
	if (key >= UKEY_F1 && key <= UKEY_F12)
		snprintf(buf, size, "%sF%d", alt, (int)(key - UKEY_F1 + 1));
	else if (key >= 1 && key <= 26)
		snprintf(buf, size, "%sC-%c", alt, (int)('a' + key - 1));
	else {
		u[utf8_put(utf8_safe(key), u)] = '\0';
		snprintf(buf, size, "%s%s", alt, u);
	}
	return buf;
}

u32 ukey_parse(const char *name)
{
	const char *p = name;
	u32 alt = 0, ch;

	if (!strncmp(p, "A-", 2) && p[2]) {
		alt = UKEY_ALT;
		p += 2;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, p))
			return names[i].key | alt;
	if (!strncmp(p, "C-", 2) && p[2] >= 'a' && p[2] <= 'z' && !p[3])
		return UKEY_CTRL(p[2]) | alt;
	if (p[0] == 'F' && p[1] >= '1' && p[1] <= '9') {
		int n = p[1] - '0';

		if (p[2] >= '0' && p[2] <= '9' && !p[3])
			n = n * 10 + p[2] - '0';
		else if (p[2])
			return 0;
		return n <= 12 ? ((u32)UKEY_F1 + (u32)n - 1) | alt : 0;
	}
	ch = utf8_next(&p);
	if (ch == 0 || *p || utf8_safe(ch) == UTF8_BAD)
		return 0;
	return ch | alt;
}
