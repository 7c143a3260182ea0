/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view.h - what a view is, and what all of them share: struct ui.
 *
 * A view draws from a const simulation on a canvas of any size and takes commands ("cursor down").
 * To add one: view_foo.c ending in `const struct view_ops view_foo`, one line in views.def, its
 * keys in keymap.def, a screen test. Private state is allocated by the framework (state_size).
 */
#ifndef SG_UI_VIEW_H
#define SG_UI_VIEW_H

#include "ui/keymap.h"
#include "ui/layout.h"
#include "ui/lineedit.h"
#include "ui/overlay.h"
#include "ui/series.h"
#include "ui/ui.h"

enum view_id {
#define VIEW(id) VIEW_##id,
#include "ui/views.def"
#undef VIEW
	NR_VIEWS
};

struct view_ops {
	const char *name; /* as in `view NAME` and in the key map */
	const char *title; /* for people */
	const char *help; /* what is seen, a few lines */
	int min_w, min_h; /* least size in which it says something */
	size_t state_size;
	void (*init)(void *state);
	/* What the title line says beside the title, e.g. whose curves these are. May be NULL. */
	void (*subtitle)(const struct ui *ui, const struct sim *s, const void *state, char *buf,
			 size_t size);
	/* Rows it can use of at most @most, title not counted. NULL: as many as there are. */
	int (*want)(struct ui *ui, const struct sim *s, void *state, int most);
	/* @c is the pane without its title line. */
	void (*draw)(struct ui *ui, const struct sim *s, void *state, struct canvas *c);
	/*
	 * A command for this view: argv[0] is "cursor", "open", "filter", or the view's own name.
	 * 1 = done, 0 = not mine, -1 = @err.
	 */
	int (*command)(struct ui *ui, const struct sim *s, void *state, int argc, char **argv,
		       struct err *err);
};

extern const struct view_ops *const views[NR_VIEWS];

/* view_find - index by name, -1 if there is none. */
int view_find(const char *name);

#define UI_LOG_LINES 1000
#define UI_FILTER_MAX 64
#define UI_MSG_MAX 256

struct ui_log_line {
	enum ui_kind kind;
	char *text;
};

struct ui {
	struct ui_host host;
	struct ui_facts facts;
	char *fact_text[4]; /* copies behind facts' strings */
	const struct glyphs *g;
	struct palette pal;
	struct keymap keys;
	struct series *series;
	ktime_ns sample_next;

	/* what is shown where */
	struct layout layout; /* of the overview; panes are view ids */
	int single; /* view shown alone, -1 = overview */
	void *state[NR_VIEWS];
	bool redraw;

	/* shared by the views */
	ktime_ns window; /* shown time */
	bool window_auto; /* follows the speed */
	cpu_id cpu; /* selected */
	u64 serial; /* selected task, SERIES_NO_TASK = none */
	bool of_task; /* curves are of the task, else of the CPU */
	char task_name[TASK_COMM_LEN]; /* of the selected task, while it lived */
	bool chosen; /* by the user; until then it is the first task, once there is one */

	/* above the views */
	int drawn_w; /* columns of the screen drawn last, 0 = none yet */
	struct overlay over;
	struct lineedit line;
	bool prompt; /* the line editor has the keys */
	bool prompt_stays; /* the console keeps it open after Enter */

	struct ui_log_line log[UI_LOG_LINES]; /* ring */
	u64 log_head;
	char msg[UI_MSG_MAX];
	enum ui_kind msg_kind;
	bool msg_new; /* not yet superseded by a key */
};

/* The view that takes commands and keys. */
int ui_focus(const struct ui *ui);
/* ui_show - a view alone (>= 0) or the overview (-1); in the overview its pane gets the focus. */
void ui_show(struct ui *ui, int view);
/* ui_window - [*t0, *t1) as shown, t1 = now, both later by *shift so that t0 is never negative. */
void ui_window(const struct ui *ui, const struct sim *s, u64 *t0, u64 *t1, u64 *shift);
/* ui_emit - hand a command line to the host. */
void ui_emit(struct ui *ui, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * ui_scroll - new position for "cursor up|down|pgup|pgdn|home|end"; clamps to 0..n-1. -1: no
 * such.
 */
int ui_scroll(const char *what, int pos, int page, int n, struct err *err);

/* view_header.c: the two lines on top and the one below. */
int header_draw(struct ui *ui, const struct sim *s, struct canvas *c);
void hints_draw(struct ui *ui, struct canvas *c, int y);

/* menu.c: fill the overlay. 0, or -1 with @err. */
int menu_open(struct ui *ui, const struct sim *s, const char *name, struct err *err);
void menu_help(struct ui *ui, const struct sim *s);
/* Knobs move while their menu is open. */
void menu_refresh(struct ui *ui);

#endif
