/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_script.c - the console: what was typed, what commands and scripts said, errors with their
 * tracebacks. The text comes from ui_log(); the line at the bottom of the screen is typed with `:`.
 */
#include <stdio.h>
#include <string.h>

#include "ui/utf8.h"
#include "ui/view.h"

struct script_view {
	u64 back; /* lines scrolled back from the newest */
	int page;
};

/* A sign as well as a colour for each kind. */
static const struct {
	const char *sign;
	u16 fg;
} looks[] = {
	[UI_INFO] = { "  ", COL_TEXT },	  [UI_LUA] = { "= ", COL_DIM },
	[UI_PRINT] = { "| ", COL_TEXT },  [UI_WARN] = { "! ", COL_WARN },
	[UI_ERROR] = { "E ", COL_ERROR }, [UI_INPUT] = { "> ", COL_ACCENT },
};

static u64 log_count(const struct ui *ui)
{
	return ui->log_head < UI_LOG_LINES ? ui->log_head : UI_LOG_LINES;
}

/* Columns of the word that @text begins with, counted as far as @max. */
static int word_width(const char *text, int max)
{
	int w = 0;
	u32 ch;

	while (w <= max && (ch = utf8_next(&text)) != 0 && ch != ' ')
		w += utf8_width(utf8_safe(ch));
	return w;
}

/*
 * Rows a line takes when it is wrapped at @w columns, between words where they fit into a row; draws
 * from its @skip-th row if @c. Blanks at a break are left out, those at the beginning are not.
 */
static int wrap(struct canvas *c, int y, int w, const char *text, struct style st, int skip)
{
	int x = 0, rows = 1;
	bool blank = false;
	const char *at = text;
	u32 ch;

	while (at = text, (ch = utf8_next(&text)) != 0) {
		int k = utf8_width(utf8_safe(ch));
		int word = blank && ch != ' ' ? word_width(at, w) : k;

		blank = ch == ' ';
		if (x + k > w || (x + word > w && word <= w)) {
			x = 0;
			rows++;
		}
		if (blank && !x && rows > 1)
			continue;
		if (c && rows - 1 >= skip)
			canvas_put(c, 2 + x, y + rows - 1 - skip, st, ch);
		x += k;
	}
	return rows;
}

static void script_draw(struct ui *ui, const struct sim *s, void *state, struct canvas *c)
{
	struct script_view *v = state;
	u64 n = log_count(ui);
	int y = c->h, w = c->w - 3;

	(void)s;
	v->page = c->h;
	if (!n) {
		canvas_text(c, 2, 0, STYLE(COL_DIM, COL_DEFAULT, 0),
			    "Enter or : opens the command line; help() lists what Lua can do.");
		canvas_text(c, 2, 1, STYLE(COL_DIM, COL_DEFAULT, 0),
			    "Try: print(now())   or   spawn web 20% 16ms");
		return;
	}
	if (w < 1)
		return;
	v->back = v->back > n - 1 ? n - 1 : v->back;
	for (u64 i = v->back; i < n && y > 0; i++) {
		const struct ui_log_line *l = &ui->log[(ui->log_head - 1 - i) % UI_LOG_LINES];
		struct style st = STYLE(looks[l->kind].fg, COL_DEFAULT, 0);
		int rows = wrap(NULL, 0, w, l->text, st, 0), skip = rows > y ? rows - y : 0;

		y -= rows - skip;
		wrap(c, y, w, l->text, st, skip);
		if (!skip)
			canvas_text(c, 0, y, st, looks[l->kind].sign);
	}
	/* A short log begins at the top, like in a terminal. */
	if (y > 0 && v->back == 0) {
		for (int r = 0; r < c->h; r++) {
			for (int x = 0; x < c->w; x++) {
				const struct cell *from = canvas_at(c, x, r + y);
				struct cell *to = canvas_at(c, x, r);

				if (to)
					*to = from ? *from
						   : (struct cell){ .ch = ' ',
								    .fg = COL_DEFAULT,
								    .bg = COL_DEFAULT };
			}
		}
	}
}

static void script_subtitle(const struct ui *ui, const struct sim *s, const void *state, char *buf,
			    size_t size)
{
	const struct script_view *v = state;

	(void)s;
	if (v->back)
		snprintf(buf, size, "%llu of %llu lines back", (unsigned long long)v->back,
			 (unsigned long long)log_count(ui));
	else
		snprintf(buf, size, "commands and Lua");
}

static int script_command(struct ui *ui, const struct sim *s, void *state, int argc, char **argv,
			  struct err *err)
{
	struct script_view *v = state;
	int n = (int)log_count(ui), at;

	(void)s;
	if (strcmp(argv[0], "cursor") != 0)
		return 0;
	at = ui_scroll(argc > 1 ? argv[1] : "", n - 1 - (int)v->back, v->page, n, err);
	if (at < 0)
		return -1;
	v->back = n ? (u64)(n - 1 - at) : 0;
	return 1;
}

const struct view_ops view_console = {
	.name = "console",
	.title = "console",
	.help = "Everything typed at : and what came of it. A line is a command if its first word is "
		"one, else Lua. Signs: > typed, | printed, = the Lua line that does what was just "
		"done, ! warning, E error. Tab completes, Up and Down walk the history.",
	.min_w = 20,
	.min_h = 3,
	.state_size = sizeof(struct script_view),
	.subtitle = script_subtitle,
	.draw = script_draw,
	.command = script_command,
};
