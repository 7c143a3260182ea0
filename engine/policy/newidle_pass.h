/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * newidle_pass.h - what the newly idle policies share: conditions of the kernel's releases.
 */
#ifndef SG_ENGINE_POLICY_NEWIDLE_PASS_H
#define SG_ENGINE_POLICY_NEWIDLE_PASS_H

#include "engine/access.h"

/*
 * newidle_worth_it - has some CPU work to give, and is @cpu idle for long enough, on average, for the
 * search? With NEWIDLE_MEASURED that is what a pass over the lowest domain took, else the migration
 * cost.
 */
bool newidle_worth_it(const struct sim *s, cpu_id cpu);

/*
 * nohz_stats_due - update_nohz_stats() of v5.4: is the blocked load of @cpu to be brought up to date
 * now, if the last time must be more than @jiffies ago? *@left: it is not, or not fully, and some
 * load is taken to be left.
 */
bool nohz_stats_due(const struct sim *s, cpu_id cpu, u64 jiffies, bool *left);

#endif
