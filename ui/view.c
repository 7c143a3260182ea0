/* SPDX-License-Identifier: GPL-2.0-only */
/* view.c - the registry of views, and what their commands share. */
#include "ui/view.h"

#include <string.h>

#define VIEW(id) extern const struct view_ops view_##id;
#include "ui/views.def"
#undef VIEW

const struct view_ops *const views[NR_VIEWS] = {
#define VIEW(id) [VIEW_##id] = &view_##id,
#include "ui/views.def"
#undef VIEW
};

int view_find(const char *name)
{
	for (int i = 0; i < NR_VIEWS; i++)
		if (!strcmp(views[i]->name, name))
			return i;
	return -1;
}

int ui_scroll(const char *what, int pos, int page, int n, struct err *err)
{
	page = page < 1 ? 1 : page;
	if (!strcmp(what, "up"))
		pos--;
	else if (!strcmp(what, "down"))
		pos++;
	else if (!strcmp(what, "pgup"))
		pos -= page;
	else if (!strcmp(what, "pgdn"))
		pos += page;
	else if (!strcmp(what, "home"))
		pos = 0;
	else if (!strcmp(what, "end"))
		pos = n - 1;
	else {
		err_set(err, ERR_USAGE,
			"cursor: '%.40s' is no move; use up, down, pgup, pgdn, home or end", what);
		return -1;
	}
	pos = pos >= n ? n - 1 : pos;
	return pos < 0 ? 0 : pos;
}
