/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_linux.h - what the files of policy `linux` share: rules, the pieces of the decision.
 */
#ifndef SG_ENGINE_POLICY_PLACE_LINUX_H
#define SG_ENGINE_POLICY_PLACE_LINUX_H

#include "engine/access.h"
#include "engine/sched/domain.h"
#include "engine/sched/release.h"

enum place_rule {
#define PLACE_RULE(id, why) RULE_##id,
#include "engine/policy/place_rules.def"
#undef PLACE_RULE
	NR_PLACE_RULES
};

struct place_rule_desc {
	const char *name, *why;
};
extern const struct place_rule_desc place_rule_descs[NR_PLACE_RULES];

/* A decision: the CPU, and why. */
struct choice {
	cpu_id cpu;
	enum place_rule rule;
};

/*
 * select_idle_sibling - idle CPU near @target for the waking task @p, else @target. Ages
 * the task on machines with asymmetric capacity, and remembers @prev as its recent CPU.
 */
struct choice select_idle_sibling(struct sim *s, task_id p, cpu_id prev, cpu_id target,
				  cpu_id this_cpu);

/*
 * sd_balances - does domain @sd have @sd_flag, SD_BALANCE_FORK, _EXEC or _WAKE? The last one is not
 * among its flags: v5.4 had it on the domain with all sizes of CPUs and those below.
 */
static inline bool sd_balances(const struct sim *s, u32 sd, u32 sd_flag)
{
	u32 asym;

	if (sd_flag != SD_BALANCE_WAKE)
		return s->domains[sd].flags & sd_flag;
	asym = s->cpu_sd[s->domains[sd].cpu].asym;
	return place_form(s)->wake_slow && asym != NONE &&
	       s->domains[sd].level <= s->domains[asym].level;
}

/*
 * find_idlest_cpu - slow path of fork, exec and some wake-ups of v5.4: from domain @sd of @cpu down,
 * @sd_flag as for sd_balances().
 */
struct choice find_idlest_cpu(struct sim *s, u32 sd, task_id p, cpu_id cpu, cpu_id prev,
			      u32 sd_flag);

/* find_idlest_group_v5_4 - the group to go to, NONE: stay in the local one. */
u32 find_idlest_group_v5_4(struct sim *s, u32 sd, task_id p, cpu_id this_cpu, bool fork);

/*
 * find_energy_efficient_cpu_v5 - the same question as below, v5.4 to v5.13: the roomiest CPU of each
 * domain, and a margin of 1/16.
 */
struct choice find_energy_efficient_cpu_v5(struct sim *s, u32 sd, task_id p, cpu_id prev);

/* for_each_pd_cpu - @cpu over the online CPUs of frequency domain @fd. */
#define for_each_pd_cpu(s, fd, cpu)                                                                \
	for_each_cpu_mask_and(cpu, mask_get(s, (s)->fds[fd].cpus), mask_get(s, (s)->g->online),    \
			      (s)->g->mask_words)

/* eas_cpu_perf - performance CPU @c asks of its domain with @p on @dst, NONE = nowhere. */
u64 eas_cpu_perf(const struct sim *s, cpu_id c, task_id p, cpu_id dst);

/*
 * find_energy_efficient_cpu - where @p costs the least energy; cpu NONE: no energy-aware answer,
 * go on as usual. The caller has tested that EAS is active and nothing overutilised.
 */
struct choice find_energy_efficient_cpu(struct sim *s, task_id p, cpu_id prev, cpu_id this_cpu);

#endif
