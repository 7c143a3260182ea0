/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pelt_csv.h - timelines of tasks as CSV: who runs, waits and sleeps, on which CPU.
 *
 * A line of names, then one line per change: t_us, cpu, task and state (run, wait, sleep) in any
 * order, and optionally capacity and freq_scale of the CPU (1..1024 each, 1024 until told) and nice
 * of the task. An empty optional cell leaves what was. t_us has up to three decimals and never goes
 * back; lines of one time are one instant, at the end of which at most one task runs on a CPU.
 * Empty lines and lines that begin with # are skipped; cells may be quoted.
 */
#ifndef SG_APP_PELT_CSV_H
#define SG_APP_PELT_CSV_H

#include "engine/base/err.h"
#include "engine/base/types.h"

#define PELT_CSV_BYTES (256u << 20)
#define PELT_CSV_ROWS 4000000u
#define PELT_CSV_TASKS 4096u
#define PELT_CSV_CPUS 256u /* different ones */
#define PELT_CSV_CPU_MAX 4095u /* highest number */
#define PELT_CSV_NAME 31u /* bytes */
#define PELT_CSV_SECONDS 1000000ull

enum pelt_state { PELT_SLEEP, PELT_WAIT, PELT_RUN };

struct pelt_row {
	u64 t; /* ns */
	u32 task, cpu; /* indices into the lists of struct pelt_timeline */
	u32 line;
	u16 capacity, freq_scale; /* 0: as before */
	u8 state; /* enum pelt_state */
	u8 has_nice;
	s8 nice;
};

struct pelt_timeline {
	struct pelt_row *row;
	u32 nr_rows;
	char **task; /* names */
	u32 nr_tasks;
	u32 *cpu; /* numbers as written */
	u32 nr_cpus;
};

/*
 * pelt_csv_parse - read the timeline in @text (@len bytes, changed on the way), which comes from
 * the file @name. Returns 0, or -1 with @err: "FILE:LINE:COLUMN: what was found, what is allowed"
 * (ERR_USAGE), or which of the limits above was reached (ERR_LIMIT). To be freed in either case.
 */
int pelt_csv_parse(struct pelt_timeline *tl, char *text, size_t len, const char *name,
		   struct err *err);
void pelt_timeline_free(struct pelt_timeline *tl);

#endif
