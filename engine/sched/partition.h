/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * partition.h - groups whose CPUs are a machine of their own: cpuset.cpus.partition.
 *
 * Follows kernel/cgroup/cpuset.c (update_prstate(), update_parent_effective_cpumask(),
 * generate_sched_domains()), Linux v6.12. A partition takes its CPUs from everybody else; sched domains
 * end at its edge. One that cannot be is kept in mind and counts as member until it can be again.
 * Simplified: only groups directly below the root; all CPUs of a group are its exclusive ones.
 */
#ifndef SG_ENGINE_SCHED_PARTITION_H
#define SG_ENGINE_SCHED_PARTITION_H

#include "engine/access.h"

enum partition_kind { PARTITION_MEMBER, PARTITION_ROOT, PARTITION_ISOLATED, NR_PARTITION_KINDS };
extern const char *const partition_names[NR_PARTITION_KINDS];

/* partitions_asked - does any group want to be a partition, in force or not? */
bool partitions_asked(const struct sim *s);

/* partition_of_cpu - the group whose partition in force has @cpu; ROOT_TG = none, it is with the rest. */
u32 partition_of_cpu(const struct sim *s, cpu_id cpu);

/* partition_of_group - the partition that tasks of group @tg run in; ROOT_TG = the rest. */
u32 partition_of_group(const struct sim *s, u32 tg);

/* partition_words - the CPUs of partition @part, offline ones included, into @words. */
void partition_words(const struct sim *s, u32 part, u64 *words);

/* partition_covered - does @mask have every CPU online of the partition that group @tg runs in? */
bool partition_covered(const struct sim *s, u32 tg, const u64 *mask);

/*
 * partitions_decide - which partitions can be, with the CPUs online and masks as they are now: those in
 * force first, group @changed (NONE = none) last. *@was gets what was in force before, for the next two;
 * NULL while nobody asks for a partition. *@moved: is anything other than before? -1 with s->err.
 */
int partitions_decide(struct sim *s, u32 changed, u8 **was, bool *moved);
/* partitions_undo - as before partitions_decide(). Frees @was. */
void partitions_undo(struct sim *s, u8 *was);
/* partitions_commit - tell the trace what has changed. Frees @was. */
void partitions_commit(struct sim *s, u8 *was);

/*
 * group_set_partition - group @tg asks to be @kind. Domains are built anew, tasks move. Between events
 * only: pools may move. -1 with s->err.
 */
int group_set_partition(struct sim *s, u32 tg, enum partition_kind kind);

/* partitions_update - the CPUs of group @changed are others: partitions, domains, everybody's masks. */
int partitions_update(struct sim *s, u32 changed);

/*
 * partition_check - may group @tg become @kind, once the inputs before this one have been applied? -1
 * with @err: why not, what is needed.
 */
int partition_check(const struct sim *s, s64 tg, s64 kind, struct err *err);

#endif
