/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * looks.h - the screen of an app: made, fed with facts, drawn to text; glyphs and colours chosen by
 * option, environment and terminal.
 */
#ifndef SG_APP_LOOKS_H
#define SG_APP_LOOKS_H

#include "app/app.h"

/* What the place to draw on can do. */
struct looks_env {
	bool utf8;
	int colours; /* 0: none */
	int w, h;
};

/* looks_open - make app->ui for the loaded simulation. */
void looks_open(struct app *app, const struct looks_env *env);
void looks_close(struct app *app);
/* looks_resize - the screen has another size now. */
void looks_resize(struct app *app, int w, int h);

/* looks_facts - tell the screen what its header shows. Call before drawing. */
void looks_facts(struct app *app);

/*
 * run_sampled - run to @until and let the screen, if there is one, look at the moments it wants.
 * Returns 0 or -1 with @err. step_sampled - one event.
 */
int run_sampled(struct app *app, ktime_ns until, struct err *err);
enum sim_stop step_sampled(struct app *app);

/* Commands glyphs and colour. */
int looks_glyphs(struct app *app, const char *name, struct err *err);
int looks_colour(struct app *app, const char *name, struct err *err);

/* looks_frame - the present screen as text; @ansi: with colours. The caller frees. */
char *looks_frame(struct app *app, bool ansi);

/* looks_command - run a line of the user: a command, else Lua. Errors and output go to the console. */
void looks_command(struct app *app, const char *line);

#endif
