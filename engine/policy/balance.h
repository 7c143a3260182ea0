/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance.h - what the files of load balancing share: one pass's environment and its pieces.
 *
 * Names follow struct lb_env and struct sd_lb_stats of kernel/sched/fair.c, Linux v6.12; the load_* ones
 * are v5.4's. What differs between releases hangs on lb_form() (sched/release.h).
 */
#ifndef SG_ENGINE_POLICY_BALANCE_H
#define SG_ENGINE_POLICY_BALANCE_H

#include "engine/access.h"
#include "engine/policy/sg_stats.h"
#include "engine/sched/release.h"

enum cpu_idle_type { CPU_NOT_IDLE, CPU_IS_IDLE, CPU_NEWLY_IDLE };
enum migration_type { MIGRATE_LOAD, MIGRATE_UTIL, MIGRATE_TASK, MIGRATE_MISFIT };

/* What the arithmetic of an imbalance needs to know about domain and pass. */
struct lb_rules {
	u32 imbalance_pct, imb_numa_nr;
	bool asym, llc, numa; /* flags of the domain */
	bool prefer_sibling;
	bool by_cores; /* v6.6 on: tasks are compared per core */
	bool half_first; /* lb_form: a difference is halved before the tolerance between nodes */
	u32 numa_small; /* lb_form: which tolerance that is */
	enum cpu_idle_type idle;
};

struct sd_stats {
	u32 local_sg, busiest_sg; /* NONE: none */
	u64 total_load, total_capacity, avg_load;
	bool prefer_sibling;
	struct sg_stats local, busiest;
};

/* What a look at a domain says about the machine, and whether EAS asks for it. */
struct lb_flags {
	bool overloaded, overutilized, eas;
};

/* v5.4: a group by its load. */
struct load_group {
	u32 sg; /* NONE: there is none */
	u32 nr, idle_cpus, weight; /* nr: fair tasks */
	u32 no_capacity;
	enum group_type type;
	u64 load, capacity, util, misfit;
	u64 avg_load, per_task; /* load per capacity, 1024 = 1; load of one of its tasks */
};

struct load_stats {
	struct load_group local, busiest;
	u64 total_load, total_capacity, avg_load;
	u64 dst_per_task; /* the destination CPU's own, where the local group is empty */
};

struct lb_env {
	struct sim *s;
	u32 sd;
	cpu_id dst, src;
	enum cpu_idle_type idle;
	enum migration_type kind;
	enum group_type src_type;
	s64 imbalance;
	u64 *cpus; /* working set */
	cpu_id new_dst; /* another CPU of the group that a pinned task may use */
	bool some_pinned, all_pinned, dst_pinned;
	bool active; /* in the stopper of the source */
	u32 loop_max, reason; /* reason of the trace event sched_migrate_task */
};

/*
 * calculate_imbalance - kind and amount to move from @busiest to @local, by their types and sums;
 * totals from @st. Amount 0: balanced. Sums wrap as the kernel's do.
 */
u64 calculate_imbalance(const struct lb_rules *r, struct sd_stats *st, enum migration_type *kind);

/* find_src_group - statistics of the domain, then whether and how much to pull; NONE = balanced. */
u32 find_src_group(struct lb_env *env);
/* find_src_rq - CPU of group @sg to take from, NONE. */
cpu_id find_src_rq(struct lb_env *env, u32 sg);

/*
 * v5.4, the arithmetic alone. load_classify - average, load of a task and class from the sums.
 * load_worth_it - is the busiest group busy enough for a CPU that is @idle? Sets the domain's average.
 * load_imbalance - load to move, 0 = none.
 */
void load_classify(u32 pct, bool imbalanced, struct load_group *g);
bool load_worth_it(u32 pct, enum cpu_idle_type idle, struct load_stats *st);
u64 load_imbalance(struct load_stats *st);
/* The two of above for v5.4. */
u32 find_busiest_group_v5_4(struct lb_env *env);
cpu_id find_busiest_queue_v5_4(struct lb_env *env, u32 sg);
/* lb_set_root_flags - a pass over env's domain has seen @flags: the topmost domain decides. */
void lb_set_root_flags(struct lb_env *env, const struct lb_flags *flags);

/* balance_detach - move up to env->imbalance from env->src to env->dst; number of tasks. */
u32 balance_detach(struct lb_env *env);
/* moves_misfit - is the pass for a task that is too large for its CPU? */
static inline bool moves_misfit(const struct lb_env *env)
{
	return env->kind == MIGRATE_MISFIT ||
	       (lb_form(env->s)->load_based && env->src_type == GROUP_MISFIT);
}

/*
 * balance_stop - active_load_balance_cpu_stop(): in the stopper of @src, nothing runs there, so that any
 * fair task may go to @dst; the one that ran least recently does.
 */
void balance_stop(struct sim *s, cpu_id src, cpu_id dst);
/*
 * voluntary_active_balance - misfit, on a less preferred CPU, or alone on one with little capacity left:
 * push it at once.
 */
bool voluntary_active_balance(const struct lb_env *env);
/* need_active_balance - is the running task itself to be pushed away? */
bool need_active_balance(const struct lb_env *env);

/*
 * sched_balance_rq - one pass of domain @sd for @cpu. *@go_on becomes false when somebody else
 * balances for this group, so that higher domains need not be looked at. Tasks moved.
 */
u32 sched_balance_rq(struct sim *s, cpu_id cpu, u32 sd, enum cpu_idle_type idle, bool *go_on);
/*
 * A round over the domains of a CPU, in steps (sched/pass.h). lb_round_begin() for @cpu, which is
 * @idle or not; then lb_round_next() finds the next domain that is due, or ends the round: true and
 * in *@ns what its pass costs CPU @by, or false; and after that was paid lb_round_pass() does it.
 */
void lb_round_begin(struct sim *s, struct kpass *p, cpu_id cpu, enum cpu_idle_type idle);
bool lb_round_next(struct sim *s, struct kpass *p, cpu_id by, u64 *ns);
void lb_round_pass(struct sim *s, struct kpass *p);

/* domain_interval - get_sd_balance_interval(): jiffies until the domain is due again. */
u64 domain_interval(const struct sim *s, const struct sched_domain *d, bool busy);

/*
 * update_newidle_cost - a newly idle pass over the domain took @cost ns and succeeded (@success, by
 * how much it counts); both 0: only let the limit decay when that is due. Whether it did.
 */
bool update_newidle_cost(const struct sim *s, struct sched_domain *d, u64 cost, u32 success);

/* check_cpu_capacity() - is so much of the CPU taken by others that fair tasks should leave? */
static inline bool reduced_capacity(const struct sim *s, cpu_id cpu, u32 sd)
{
	const struct rq *rq = &s->rqs[cpu];

	return (u64)rq->cpu_capacity * s->domains[sd].imbalance_pct <
	       (u64)rq->cpu_capacity_orig * 100;
}

/* is_core_idle - all other threads of the core of @cpu are idle. */
bool is_core_idle(const struct sim *s, cpu_id cpu);

#endif
