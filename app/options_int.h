/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options_int.h - what options.c and options_help.c share: which subcommands take an option.
 */
#ifndef SG_APP_OPTIONS_INT_H
#define SG_APP_OPTIONS_INT_H

#define ON_UI 1u
#define ON_RUN 2u
#define ON_LIST 4u
#define ON_BENCH 8u
#define ON_TOPO 32u
#define ON_PELT 64u
#define ON_COMPARE 128u
#define ON_SWEEP 256u
#define ON_CELLS (ON_COMPARE | ON_SWEEP)
#define ON_SIM (ON_UI | ON_RUN | ON_CELLS)
#define ON_ALL (ON_SIM | ON_LIST | ON_BENCH | ON_TOPO | ON_PELT)

/* options_print - the options that some subcommand of @on (ON_*) takes, a line or two each, to stdout. */
void options_print(unsigned on);

#endif
