/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * overlay.h - boxes above the views: a list to choose from, sliders, a form, a text to read.
 *
 * An overlay knows nothing about the simulation. A chosen row is a command string; so is a slider
 * that moved. Typing in a list narrows it.
 */
#ifndef SG_UI_OVERLAY_H
#define SG_UI_OVERLAY_H

#include "ui/glyph.h"
#include "ui/key.h"

#define OVER_CMD_MAX 160

enum overlay_kind { OVER_NONE, OVER_LIST, OVER_SLIDERS, OVER_FORM, OVER_TEXT };

struct overlay_row {
	char text[64]; /* left column */
	char note[160]; /* right column: help */
	char command[OVER_CMD_MAX]; /* list: to give; "prompt ..." opens the prompt */
	bool heading; /* cannot be chosen */
	bool mark; /* what is in force now */
	/* sliders */
	s64 value, min, max, step;
	char unit[16];
	/* form */
	char field[48]; /* what is typed */
};

struct overlay {
	enum overlay_kind kind;
	char title[64];
	char hint[96]; /* keys, in the last line of the box */
	struct overlay_row *row;
	int nrow, room;
	int sel, top; /* selected row, first one shown: indices into what passes the filter */
	char filter[48];
	char format[OVER_CMD_MAX]; /* form: command of which %1 .. %9 are the fields */
	char what[16]; /* who filled it: "knobs" */
	char *text; /* OVER_TEXT: lines */
};

enum overlay_result { OVER_STAYS, OVER_CLOSED, OVER_COMMAND, OVER_PASS };

void overlay_init(struct overlay *o);
/* overlay_close - nothing is shown any more; memory is released. */
void overlay_close(struct overlay *o);

/* overlay_open - an empty one; add rows next. */
void overlay_open(struct overlay *o, enum overlay_kind kind, const char *title, const char *hint);
struct overlay_row *overlay_add(struct overlay *o, const char *text, const char *note,
				const char *command);
/* overlay_text - take over @text (malloc'ed), lines ended by '\n'. */
void overlay_text(struct overlay *o, const char *title, char *text);

/*
 * overlay_key - OVER_COMMAND: @cmd (OVER_CMD_MAX bytes) is to be given; a list and a form are
 * closed then, sliders stay. OVER_PASS: not a key of the overlay.
 */
enum overlay_result overlay_key(struct overlay *o, u32 key, char *cmd);

/* overlay_draw - centred on @c; *@cx, *@cy get the cursor of a form or filter. */
void overlay_draw(struct overlay *o, struct canvas *c, const struct glyphs *g, int *cx, int *cy);

#endif
