/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settings.h - names from outside to things of the simulation: policies, tunables, parameters,
 * knobs, tasks, CPU lists. One place, so that -p, -s, commands and messages agree.
 */
#ifndef SG_APP_SETTINGS_H
#define SG_APP_SETTINGS_H

#include "app/app.h"

/* check_profile - is @name a kernel profile? 0, or -1 with @err and the nearest one. */
int check_profile(const char *name, struct err *err);

/* parse_count - a whole number @min .. @max; @what is for the message. */
int parse_count(const char *text, s64 min, s64 max, s64 *out, const char *what, struct err *err);

/* use_policy - fill the slot named @slot with the policy named @name. */
int use_policy(struct app *app, const char *slot, const char *name, struct err *err);

/*
 * change_setting - NAME=VALUE: a tunable (times with a unit or in its own unit, on/off), a policy
 * parameter as SLOT.PARAMETER, else a knob of the scenario. *@restart is set when the change has no live
 * effect and a restart was asked for.
 */
int change_setting(struct app *app, const char *name, const char *value, bool *restart,
		   struct err *err);

/* change_knob - move a knob of the scenario. */
int change_knob(struct app *app, const char *name, const char *value, bool *restart,
		struct err *err);

/* find_task - the live task that @name stands for: a name, or #SERIAL. *@serial gets its serial. */
int find_task(struct app *app, const char *name, u64 *serial, struct err *err);

/*
 * parse_cpus - "0-3,6" or "all" to a mask of the machine's words (heap, the caller frees).
 * @nr_cpus: how many there are.
 */
int parse_cpus(const char *text, u32 nr_cpus, u64 **words, struct err *err);

#endif
