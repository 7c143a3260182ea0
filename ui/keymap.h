/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keymap.h - which command a key gives, per view.
 *
 * The map holds command strings, as the prompt would take them: keys can do nothing that a script
 * or a test cannot. Rows of a view come before the global ones ("*"). Help is the table itself.
 */
#ifndef SG_UI_KEYMAP_H
#define SG_UI_KEYMAP_H

#include "engine/base/err.h"
#include "ui/key.h"

#define KEYMAP_MAX 256
#define KEYMAP_CMD_MAX 80

struct keybind {
	char view[12]; /* name of a view, or "*" */
	u32 key;
	char command[KEYMAP_CMD_MAX]; /* "" = bound to nothing */
	char help[64];
};

struct keymap {
	struct keybind bind[KEYMAP_MAX];
	int n;
};

/* keymap_init - the defaults of keymap.def. */
void keymap_init(struct keymap *m);

/*
 * keymap_bind - give a key another command (copied); @help NULL: the command is its own help.
 * An empty command takes the key away. ERR_USAGE for no key, ERR_LIMIT when the map is full.
 */
int keymap_bind(struct keymap *m, const char *view, const char *key, const char *command,
		const char *help, struct err *err);

/* keymap_find - the row for @key in @view, else the global one, else NULL. */
const struct keybind *keymap_find(const struct keymap *m, const char *view, u32 key);

/* keymap_key_of - name of the first key whose command is @command, "" if none; fills @buf. */
const char *keymap_key_of(const struct keymap *m, const char *command, char *buf, size_t size);

#endif
