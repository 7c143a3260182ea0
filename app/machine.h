/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine.h - machine files (schema sched-playground-hw/1), machine names and specs to a machine_desc.
 */
#ifndef SG_APP_MACHINE_H
#define SG_APP_MACHINE_H

#include "app/json_util.h"
#include "engine/base/err.h"
#include "engine/hw/machine.h"

#define MACHINE_DEFAULT "sc7180"

/*
 * machine_parse - read a machine file of @len bytes at @buf. Frequency domains of granularity
 * per_core become one domain per core; idle states without a power figure get 5 % of the lowest
 * operating point (the first one of a CPU) or 0. @fallback_name is used if the file has no name.
 * Repairs are told in @notes. Returns 0 with *@out (release: machine_free()), or -1 with @err.
 */
int machine_parse(const char *buf, size_t len, const char *fallback_name, struct machine_desc **out,
		  struct note_list *notes, struct err *err);

/*
 * machine_load - @name is a file (a '/' in it, or a file of that name here), a spec (begins with a
 * digit: app/machine_spec.h), "host", an XML file of hwloc or a synthetic topology of it (has a ':';
 * app/host.h), or a shipped machine, NAME.json in @dir. Messages begin with the file's
 * path and place. Returns 0 with *@out, or -1 with @err (an unknown name: the nearest known one).
 */
int machine_load(const char *name, const char *dir, struct machine_desc **out,
		 struct note_list *notes, struct err *err);

/* machine_names - sorted names of the machine files in @dir; free with machine_names_free(). */
char **machine_names(const char *dir, u32 *nr);
void machine_names_free(char **names, u32 nr);

#endif
