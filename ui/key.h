/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * key.h - what a key press is called: by number inside the program, by name in tables and configs.
 *
 * A key is a Unicode code point, a control code 1..26 (Ctrl-A..Ctrl-Z), or one of the names below;
 * Alt adds a bit. Nothing here depends on ncurses, so key maps and widgets are tested without it.
 */
#ifndef SG_UI_KEY_H
#define SG_UI_KEY_H

#include "engine/base/types.h"

enum {
	UKEY_TAB = 9,
	UKEY_ENTER = 13,
	UKEY_ESC = 27,
	UKEY_SPACE = ' ',
	UKEY_BASE = 0x200000,
	UKEY_UP = UKEY_BASE,
	UKEY_DOWN,
	UKEY_LEFT,
	UKEY_RIGHT,
	UKEY_HOME,
	UKEY_END,
	UKEY_PGUP,
	UKEY_PGDN,
	UKEY_INS,
	UKEY_DEL,
	UKEY_BACKSPACE,
	UKEY_BTAB,
	UKEY_F1,
	UKEY_F12 = UKEY_F1 + 11,
	UKEY_CLICK, /* mouse: struct key_event has the place */
	UKEY_WHEEL_UP,
	UKEY_WHEEL_DOWN,
	UKEY_ALT = 0x400000, /* flag */
};

#define UKEY_CTRL(c) ((u32)(c)&0x1fu)

struct key_event {
	u32 key;
	int x, y; /* mouse events only */
};

/* ukey_name - "space", "C-p", "F1", "A-b", "g"; writes at most @size bytes, returns @buf. */
char *ukey_name(u32 key, char *buf, size_t size);

/* ukey_parse - the reverse, case matters for letters; returns 0 when @name is no key. */
u32 ukey_parse(const char *name);

#endif
