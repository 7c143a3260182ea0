/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * energy.h - the energy model: what a frequency domain draws at a given utilisation.
 *
 * Follows kernel/power/energy_model.c (em_compute_costs(), em_create_perf_table()) and
 * include/linux/energy_model.h (em_cpu_energy()) of v6.12, and of v6.1 where the feature
 * EM_PERFORMANCE is off. Idle power is not part of the model. Energies are for comparison only.
 */
#ifndef SG_ENGINE_HW_ENERGY_H
#define SG_ENGINE_HW_ENERGY_H

#include "engine/sim.h"

#define EM_INEFFICIENT 1u /* a faster state costs no more: v6.12 costs */
#define EM_INEFFICIENT_V6_1 2u

/*
 * em_states_init - fill perf, cost and flags of @nr states ascending in khz for CPUs of capacity
 * @cap, from khz and power_uw. A domain without power figures (all 0) gets costs 0.
 */
void em_states_init(struct opp *opps, u32 nr, u32 cap);

/* em_domain_init - the same for domain @fd of a machine. */
void em_domain_init(struct sim *s, u32 fd);

/*
 * em_state_v6_12, em_state_v6_1 - index of the state a domain runs at when its busiest CPU has
 * @max_util and at most @allowed_cap may be used. v6.12: the request includes the headroom;
 * v6.1: 25 % are added here. @skip: leave inefficient states out.
 */
u32 em_state_v6_12(const struct opp *opps, u32 nr, u64 max_util, u64 allowed_cap, bool skip);
u32 em_state_v6_1(const struct opp *opps, u32 nr, u32 cap, u64 max_util, u64 allowed_cap,
		  bool skip);

/* em_energy_* - energy of the domain for the sum of its CPUs' utilisation; 0 for 0. */
u64 em_energy_v6_12(const struct opp *opps, u32 nr, u64 max_util, u64 sum_util, u64 allowed_cap,
		    bool skip);
u64 em_energy_v6_1(const struct opp *opps, u32 nr, u32 cap, u64 max_util, u64 sum_util,
		   u64 allowed_cap, bool skip);

/*
 * em_energy_v5_4 - v5.4 to v5.10 (em_pd_energy()): the headroom is that of the frequency, the first
 * state that is fast enough counts.
 */
u64 em_energy_v5_4(const struct opp *opps, u32 nr, u32 cap, u64 max_util, u64 sum_util);

/* em_cpu_energy - the one the profile uses, inefficient states skipped, for domain @fd. */
u64 em_cpu_energy(const struct sim *s, u32 fd, u64 max_util, u64 sum_util, u64 allowed_cap);

#endif
