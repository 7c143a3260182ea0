/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * term.h - a real terminal: canvas in, keys out. term.c is the only file that includes ncurses.
 *
 * The caller has called setlocale(LC_ALL, ""). No signal handler is installed here: the application
 * marks WINCH, TSTP and CONT and calls term_resize(), term_suspend() and term_resume().
 */
#ifndef SG_UI_TERM_H
#define SG_UI_TERM_H

#include <stdio.h>
#include <termios.h>

#include "engine/base/err.h"
#include "ui/canvas.h"
#include "ui/key.h"

struct terminal;

/*
 * What puts the terminal back in order when nothing else can be trusted: bytes and modes prepared
 * while all was well. term_restore_now() calls only write(2) and tcsetattr(3), so a signal handler
 * may call it.
 */
struct term_restore {
	int fd;
	bool have_modes;
	struct termios modes;
	int len;
	char bytes[192];
};
void term_restore_now(const struct term_restore *r);

/*
 * term_open - take over the terminal @in/@out of type @type (NULL = $TERM). ERR_USAGE when it is no
 * terminal, its type is unknown, or it cannot move the cursor; the message says what to do.
 */
struct terminal *term_open(FILE *in, FILE *out, const char *type, struct err *err);

/* term_close - leave the screen clean and free everything; NULL is fine. */
void term_close(struct terminal *t);

const struct term_restore *term_restore_get(const struct terminal *t);

int term_colours(const struct terminal *t); /* 0 = none, 8, 16, 256, 2^24 */
bool term_utf8(const struct terminal *t); /* by the locale */
void term_size(const struct terminal *t, int *w, int *h);

/*
 * term_suspend - hand the screen back before stopping; term_resume takes it again, all is
 * redrawn.
 */
void term_suspend(struct terminal *t);
void term_resume(struct terminal *t);

/* term_resize - ask the terminal for its size; true when it is another one than before. */
bool term_resize(struct terminal *t);

/* term_redraw - the next frame is written whole (the screen was garbled by somebody else). */
void term_redraw(struct terminal *t);

/* term_mouse - ask for clicks and wheel or not; off takes nothing from the terminal's selection. */
void term_mouse(struct terminal *t, bool on);

/*
 * term_draw - show a frame: cells that differ from the last one are written, nothing at all when
 * none does. The cursor is at (@cx, @cy), or hidden when @cx < 0. Returns the cells changed.
 */
int term_draw(struct terminal *t, const struct canvas *c, const struct palette *p, int cx, int cy);

enum term_input { TERM_NONE, TERM_KEY, TERM_GONE };
/* term_key - next key without waiting; TERM_GONE when the terminal has vanished. */
enum term_input term_key(struct terminal *t, struct key_event *ev);

#endif
