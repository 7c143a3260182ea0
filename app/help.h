/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * help.h - help in the terminal and at the prompt, out of the tables.
 */
#ifndef SG_APP_HELP_H
#define SG_APP_HELP_H

#include "app/strbuf.h"
#include "engine/base/err.h"

/* help_print - `schedground help [TOPIC]` on stdout. 0, or -1 with @err: no such topic. */
int help_print(const char *topic, struct err *err);

/* help_text - help on a command, an area, a policy, a tunable, a metric; NULL: the list of all. */
int help_text(const char *topic, struct strbuf *out, struct err *err);

#endif
