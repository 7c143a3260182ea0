/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare.h - `schedground compare` and `schedground sweep`: the same scenario under many choices.
 */
#ifndef SG_APP_COMPARE_H
#define SG_APP_COMPARE_H

#include "app/options.h"

/* Both return the exit code. */
int compare_run(const struct options *opt);
int sweep_run(const struct options *opt);

#endif
