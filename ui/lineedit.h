/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lineedit.h - one line of UTF-8 text with cursor, history, kill and yank, word motion, completion.
 *
 * Keys are those of readline's Emacs mode as far as they make sense on one line. The editor knows
 * no commands: a callback offers candidates, the caller acts on an accepted line.
 */
#ifndef SG_UI_LINEEDIT_H
#define SG_UI_LINEEDIT_H

#include "ui/canvas.h"
#include "ui/key.h"

#define LINE_MAX_BYTES 1024
#define LINE_HISTORY 100
#define LINE_CANDS 64
#define LINE_CAND_LEN 48

enum line_result {
	LINE_IGNORED, /* not a key of the editor: the caller may use it */
	LINE_CHANGED,
	LINE_ACCEPT, /* Enter: text is final until line_reset() */
	LINE_CANCEL, /* Esc, Ctrl-G, or Ctrl-D on an empty line */
};

/*
 * Fill @out with at most @max candidates for the word that ends at byte @cursor of @line, set
 * *@start to where the word begins; return their number.
 */
typedef int (*line_complete_fn)(void *ctx, const char *line, int cursor, int *start,
				char out[][LINE_CAND_LEN], int max);

struct lineedit {
	char buf[LINE_MAX_BYTES]; /* always ended by NUL */
	int len, cur; /* bytes */
	char kill[LINE_MAX_BYTES];
	char *hist[LINE_HISTORY]; /* oldest first */
	int nhist, at; /* at == nhist: the line being typed */
	char typed[LINE_MAX_BYTES]; /* that line while looking at history */
	line_complete_fn complete;
	void *ctx;
	char cand[LINE_CANDS][LINE_CAND_LEN]; /* offered by the last Tab */
	int ncand;
};

void line_init(struct lineedit *e, line_complete_fn complete, void *ctx);
void line_fini(struct lineedit *e);

/* line_set - replace the text, cursor at the end. */
void line_set(struct lineedit *e, const char *text);
/* line_reset - empty text, history position at the end; history and kill buffer stay. */
void line_reset(struct lineedit *e);
/* line_remember - append to the history unless empty or equal to the newest entry. */
void line_remember(struct lineedit *e, const char *text);
/* line_insert - text at the cursor (unsafe characters become U+FFFD); cut when full. */
void line_insert(struct lineedit *e, const char *text);

enum line_result line_key(struct lineedit *e, u32 key);

/*
 * line_draw - prompt and text in @w columns, scrolled so that the cursor is visible. Returns the
 * column of the cursor.
 */
int line_draw(const struct lineedit *e, struct canvas *c, int x, int y, int w, const char *prompt,
	      struct style st);

#endif
