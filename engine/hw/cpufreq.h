/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpufreq.h - frequency domains: the hook the scheduler calls, and requests for a frequency.
 *
 * Follows include/linux/sched/cpufreq.h and drivers/cpufreq/cpufreq.c.
 */
#ifndef SG_ENGINE_HW_CPUFREQ_H
#define SG_ENGINE_HW_CPUFREQ_H

#include "engine/access.h"

/* cpufreq_update_util - something changed on @rq: ask the governor. @flags SCHED_CPUFREQ_*. */
void cpufreq_update_util(struct sim *s, struct rq *rq, u32 flags);

/*
 * cpufreq_request - the governor wants domain @fd at @khz, an operating point within the limits. A
 * domain that switches fast does it at once; others start their kernel thread, which reads
 * freq_domain.next_freq when it runs and then clears work_in_progress.
 */
void cpufreq_request(struct sim *s, u32 fd, u32 khz);

/* cpufreq_thread - the domain's kernel thread has run: the hardware begins to change. */
void cpufreq_thread(struct sim *s, u32 fd);

/* cpufreq_switch_done - the domain's requested frequency takes effect now. */
void cpufreq_switch_done(struct sim *s, u32 fd);

/* cpufreq_set_limits - lowest and highest frequency allowed; 0 = that of the table. */
void cpufreq_set_limits(struct sim *s, u32 fd, u32 min_khz, u32 max_khz);

/* fd_account - book the time spent at the present operating point. */
void fd_account(struct sim *s, u32 fd);

#endif
