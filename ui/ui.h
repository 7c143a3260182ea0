/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ui.h - the screen as a whole, as the application uses it.
 *
 * Everything is drawn on a canvas from a const simulation; nothing here can change one. What the
 * user wants is handed to the host as a command line, the same as at the prompt. No clock, no
 * file, no terminal: golden screens drive this very interface.
 */
#ifndef SG_UI_UI_H
#define SG_UI_UI_H

#include "engine/sim.h"
#include "ui/canvas.h"
#include "ui/glyph.h"
#include "ui/key.h"

struct ui;
struct keymap;

/* A command for the palette. */
struct ui_command_row {
	const char *name, *args, *help;
};

/* Something with a slider: a knob of the scenario, a parameter of a policy, a tunable. */
struct ui_knob {
	const char *name, *unit, *help;
	s64 value, min, max, step; /* step 0: a hundredth of the range */
	bool setting; /* moved by "set NAME VALUE" instead of "knob NAME VALUE" */
};

struct ui_host {
	void *ctx;
	/* Run a command line of the user; what it says comes back through ui_log(). */
	void (*command)(void *ctx, const char *line);
	/* As command_complete(): candidates of @size bytes each, at most @max. May be NULL. */
	int (*complete)(void *ctx, const char *line, int cursor, int *start, char *cands,
			size_t size, int max);
	/* The i-th command or knob; false when there are no more. May be NULL. */
	bool (*palette)(void *ctx, u32 i, struct ui_command_row *row);
	bool (*knob)(void *ctx, u32 i, struct ui_knob *knob);
};

/* What the header shows beside the simulation itself. Strings may be NULL. */
struct ui_facts {
	const char *scenario, *title, *about;
	const char *machine; /* as asked for: sc7180, 6+2 */
	bool running;
	u64 ratio; /* wanted simulated per real time, 1/10000; 0 = flat out */
	u64 achieved; /* measured, 1/10000 */
	bool behind; /* the machine does not keep up with ratio */
};

/* Kinds of log lines, in the order of the application's enum log_kind. */
enum ui_kind { UI_INFO, UI_LUA, UI_PRINT, UI_WARN, UI_ERROR, UI_INPUT };

/* ui_new - a screen for @s with default keys, ascii glyphs, no colours; ui_free() ends it. */
struct ui *ui_new(const struct ui_host *host, const struct sim *s);
void ui_free(struct ui *ui);

/* ui_attach - another simulation (restart, other scenario): history begins anew. */
void ui_attach(struct ui *ui, const struct sim *s);

/* ui_looks - glyph set and palette to draw with. ui_palette - what to hand to term_draw(). */
void ui_looks(struct ui *ui, enum glyph_set set, const struct palette *p);
const struct palette *ui_palette(const struct ui *ui);

/* ui_key - a key was pressed: moves something on the screen or calls host->command. */
void ui_key(struct ui *ui, const struct sim *s, const struct key_event *ev);

/*
 * ui_command - a command of the screen: view focus zoom window cursor open heat curves tasks filter
 * menu prompt help redraw. argv[0] is its name. 0, or -1 with @err. ui_is_command() names them.
 */
int ui_command(struct ui *ui, const struct sim *s, int argc, char **argv, struct err *err);
bool ui_is_command(const char *name);

/* ui_log - one line for the console; errors and what a command says also show in the last row. */
void ui_log(struct ui *ui, enum ui_kind kind, const char *line);

/*
 * History for heat map and curves. The application runs the engine at most up to ui_sample_next()
 * and then calls ui_sample(); what is looked at thus depends on simulated time alone. Cheap, reads
 * only.
 */
ktime_ns ui_sample_next(const struct ui *ui);
void ui_sample(struct ui *ui, const struct sim *s);

/* ui_facts - what the next frames show in the header; copied. Also sets how often to sample. */
void ui_set_facts(struct ui *ui, const struct ui_facts *f);

/*
 * ui_draw - the whole frame on @c. *@cx, *@cy: where the cursor is, *@cx -1 for nowhere. Works from
 * 20x5 to 500x200 cells; below that it draws one line of advice.
 */
void ui_draw(struct ui *ui, const struct sim *s, struct canvas *c, int *cx, int *cy);

/* ui_take_redraw - true once after the redraw command: call term_redraw(). */
bool ui_take_redraw(struct ui *ui);

#endif
