/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * measure.h - what a workload reports about itself: counters, latency samples, figures made of them.
 *
 * A benchmark says how many transactions it did and how long its users waited; the scheduler does not
 * know. Count and sample steps of a program, and inputs of a script, feed pools of statistics: no
 * decision of the model reads them, and the digest does not cover them.
 */
#ifndef SG_ENGINE_WORKLOAD_MEASURE_H
#define SG_ENGINE_WORKLOAD_MEASURE_H

#include "engine/access.h"
#include "engine/history/journal.h"

/* counter_named, lat_group_named - number of the one with that name, made on first use: reserve first. */
u32 counter_named(struct sim *s, const char *name);
u32 lat_group_named(struct sim *s, const char *name);

/* measure_count - add @n to the counter; measure_sample - add a latency of @ns. @p may be NONE. */
void measure_count(struct sim *s, u32 counter, cpu_id cpu, task_id p, u64 n);
void measure_sample(struct sim *s, u32 group, cpu_id cpu, task_id p, u64 ns);

/*
 * INPUT_THROUGHPUT, INPUT_COUNT, INPUT_SAMPLE: what makes sense (0, or -1 with @err), and doing it
 * (0, or -1 with s->err when a limit is reached).
 */
int measure_check_input(const struct sim_input *in, struct err *err);
int measure_apply_input(struct sim *s, const struct journal_entry *e);

/*
 * throughput_value - figure number @id at the present moment, rounded half up: in thousandths, times in
 * millionths; @decimals says which, 3 or 6. False: nothing has been counted yet, or the target has not
 * been reached.
 */
bool throughput_value(const struct sim *s, u32 id, u64 *value, u32 *decimals);
/* counter_per_second - the same for a bare counter, in thousandths. */
u64 counter_per_second(const struct sim *s, u32 id);

#endif
