/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_linux.h - what the files of policy `linux` share: rules, the pieces of the decision.
 */
#ifndef SG_ENGINE_POLICY_PLACE_LINUX_H
#define SG_ENGINE_POLICY_PLACE_LINUX_H

#include "engine/access.h"

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
 * find_idlest_cpu - slow path of fork and exec: from domain @sd of @cpu down, @sd_flag being
 * SD_BALANCE_FORK or SD_BALANCE_EXEC.
 */
struct choice find_idlest_cpu(struct sim *s, u32 sd, task_id p, cpu_id cpu, cpu_id prev,
			      u32 sd_flag);

/*
 * find_energy_efficient_cpu - where @p costs the least energy; cpu NONE: no energy-aware answer,
 * go on as usual. The caller has tested that EAS is active and nothing overutilised.
 */
struct choice find_energy_efficient_cpu(struct sim *s, task_id p, cpu_id prev, cpu_id this_cpu);

#endif
