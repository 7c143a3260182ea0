/* SPDX-License-Identifier: GPL-2.0-only */
/* keymap.c - see keymap.h; the rows are in keymap.def. */
#include "ui/keymap.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *view, *key, *command, *help;
} defaults[] = {
#define KEYBIND(view, key, command, help) { view, key, command, help },
#include "ui/keymap.def"
#undef KEYBIND
};

_Static_assert(ARRAY_SIZE(defaults) < KEYMAP_MAX / 2, "leave room for the user's own keys");

void keymap_init(struct keymap *m)
{
	memset(m, 0, sizeof(*m));
	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
		int rc = keymap_bind(m, defaults[i].view, defaults[i].key, defaults[i].command,
				     defaults[i].help, NULL);

		BUG_ON(rc);
	}
}

int keymap_bind(struct keymap *m, const char *view, const char *key, const char *command,
		const char *help, struct err *err)
{
	u32 k = ukey_parse(key);
	struct keybind *b = NULL;

	if (!k)
		return err_set(
			err, ERR_USAGE,
			"'%.40s' is no key; write a character or a name such as space, Tab, F1, C-p, A-x",
			key);
	if (strlen(command) >= KEYMAP_CMD_MAX || strlen(view) >= sizeof(m->bind[0].view))
		return err_set(err, ERR_LIMIT,
			       "key '%.40s': a command may have %d characters and a view's name %d",
			       key, KEYMAP_CMD_MAX - 1, (int)sizeof(m->bind[0].view) - 1);
	for (int i = 0; i < m->n; i++)
		if (m->bind[i].key == k && !strcmp(m->bind[i].view, view))
			b = &m->bind[i];
	if (!b) {
		if (m->n == KEYMAP_MAX)
			return err_set(err, ERR_LIMIT, "key '%.40s': no room, %d keys are bound",
				       key, KEYMAP_MAX);
		b = &m->bind[m->n++];
	}
	b->key = k;
	snprintf(b->view, sizeof(b->view), "%s", view);
	snprintf(b->command, sizeof(b->command), "%s", command);
	snprintf(b->help, sizeof(b->help), "%.*s", (int)sizeof(b->help) - 1, help ? help : command);
	return 0;
}

const struct keybind *keymap_find(const struct keymap *m, const char *view, u32 key)
{
	const struct keybind *global = NULL;

	for (int i = 0; i < m->n; i++) {
		const struct keybind *b = &m->bind[i];

		if (b->key != key)
			continue;
		if (view && !strcmp(b->view, view))
			return b->command[0] ? b : NULL;
		if (!strcmp(b->view, "*"))
			global = b;
	}
	return global && global->command[0] ? global : NULL;
}

const char *keymap_key_of(const struct keymap *m, const char *command, char *buf, size_t size)
{
	buf[0] = '\0';
	for (int i = 0; i < m->n && !buf[0]; i++)
		if (!strcmp(m->bind[i].command, command))
			ukey_name(m->bind[i].key, buf, size);
	return buf;
}
