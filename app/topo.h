/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topo.h - `schedground topo MACHINE`: what a machine is, and what the scheduler makes of it.
 */
#ifndef SG_APP_TOPO_H
#define SG_APP_TOPO_H

#include "app/jsonout.h"
#include "app/options.h"
#include "engine/sim.h"

/* topo_run - the subcommand. Returns the exit code. */
int topo_run(const struct options *opt);

/* topo_text - CPUs, frequency and idle tables, sched domains, distances; for people. */
void topo_text(const struct sim *s, struct strbuf *out);
/* topo_json - the same, whole, as members of the open object. */
void topo_json(const struct sim *s, struct jsonout *j);

/* opp_inefficient - would a frequency above cost less per unit of capacity? By the profile's rule. */
bool opp_inefficient(const struct sim *s, u32 fd, u32 opp);

/* What lint has to say. A contradiction makes results doubtful; a remark is good to know. */
struct topo_finding {
	bool contradiction;
	char *text;
};

/*
 * topo_lint - look for what machine_validate() lets pass but no real machine has, or what makes a
 * machine behave in a way one might not expect. *@out is a heap array; free with topo_lint_free().
 * Returns how many there are.
 */
u32 topo_lint(const struct sim *s, struct topo_finding **out);
void topo_lint_free(struct topo_finding *f, u32 nr);

#endif
