/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nohz.h - what the policies of slot nohz share: records of idle CPUs, kicks, and rounds.
 *
 * The kernel has one struct nohz (kernel/sched/fair.c, Linux v6.12). Here there may be several
 * records, by node or by cache, and a policy says which one the code running on a CPU finds, and
 * whether it may look at others'. All else - when a kick is due, whom it reaches, what a round does
 * - is one core for all of them.
 */
#ifndef SG_ENGINE_POLICY_NOHZ_H
#define SG_ENGINE_POLICY_NOHZ_H

#include "engine/policy/policy.h"
#include "engine/sim.h"

#define NOHZ_BALANCE_KICK 1u
#define NOHZ_STATS_KICK 2u
#define NOHZ_NEWILB_KICK 4u
#define NOHZ_NEXT_KICK 8u
#define NOHZ_KICK_MASK (NOHZ_BALANCE_KICK | NOHZ_STATS_KICK | NOHZ_NEXT_KICK)

/* Why a kick was sent: the strongest of its reasons. */
enum nohz_reason {
	NOHZ_FOR_NEXT, /* a CPU went idle and is due earlier than known */
	NOHZ_FOR_BLOCKED, /* blocked load not updated for 32 ms */
	NOHZ_FOR_TASKS, /* two tasks or more here */
	NOHZ_FOR_CAPACITY, /* others take too much of this CPU */
	NOHZ_FOR_MISFIT, /* a task too big for this CPU */
	NOHZ_FOR_CACHE, /* several CPUs of this cache are busy */
	NOHZ_FOR_PACKING, /* a CPU that is to be used before this one is idle */
	NR_NOHZ_REASONS
};
extern const char *const nohz_reason_names[NR_NOHZ_REASONS];
extern const char *const nohz_reason_keys[NR_NOHZ_REASONS]; /* in metrics */

/* Why none was sent, although the CPU has work to give or blocked load waits. */
enum nohz_refusal {
	NOHZ_NONE_IDLE, /* the record this CPU looked at counts no idle CPU */
	NOHZ_NOT_DUE, /* next_balance of the record lies ahead */
	NOHZ_NO_BALANCER, /* no housekeeping CPU is idle just now */
	NOHZ_ASKED, /* the balancer has been asked already */
	NR_NOHZ_REFUSALS
};
extern const char *const nohz_refusal_names[NR_NOHZ_REFUSALS];
extern const char *const nohz_refusal_keys[NR_NOHZ_REFUSALS];

struct nohz_scope {
	/* Record that code running on @by uses for idle CPU @cpu. */
	u32 (*record)(const struct sim *s, cpu_id by, cpu_id cpu);
	/* How far CPUs of record @to are from @cpu, for the search beyond the own one; NULL = none. */
	u32 (*distance)(const struct sim *s, cpu_id cpu, u32 to);
	bool kicks; /* does anybody balance for others at all? */
	bool abort_first; /* a round looks for work of its own before it skips busy CPUs */
};

void nohz_core_enter(struct sim *s, const struct nohz_scope *sc, cpu_id cpu);
void nohz_core_exit(struct sim *s, const struct nohz_scope *sc, cpu_id cpu, cpu_id by);
void nohz_core_kick(struct sim *s, const struct nohz_scope *sc, cpu_id cpu);
void nohz_core_run(struct sim *s, const struct nohz_scope *sc, cpu_id cpu);
void nohz_core_newidle(struct sim *s, const struct nohz_scope *sc, cpu_id cpu);
u32 nohz_core_inline(struct sim *s, const struct nohz_scope *sc, cpu_id cpu);
void nohz_core_idle(struct sim *s, const struct nohz_scope *sc, cpu_id cpu);
bool nohz_core_has_blocked(const struct sim *s, const struct nohz_scope *sc, cpu_id cpu);
void nohz_core_walked(struct sim *s, const struct nohz_scope *sc, cpu_id cpu, u32 sd);
/* All records anew from the CPUs' own nohz_tick_stopped. */
void nohz_core_adopt(struct sim *s, const struct nohz_scope *sc);

static inline u64 *nohz_mask_of(const struct sim *s, u32 record)
{
	return s->nohz_mask + (size_t)record * s->g->mask_words;
}

/*
 * NOHZ_OPS - the functions of a policy whose scope is @scope, and its struct nohz_ops @name; @of is
 * what a record is of; @down says who takes a CPU offline, NULL = itself.
 */
#define NOHZ_OPS(name, scope, of, down)                                                            \
	static void name##_enter(struct sim *s, cpu_id cpu)                                        \
	{                                                                                          \
		nohz_core_enter(s, &(scope), cpu);                                                 \
	}                                                                                          \
	static void name##_exit(struct sim *s, cpu_id cpu, cpu_id by)                              \
	{                                                                                          \
		nohz_core_exit(s, &(scope), cpu, by);                                              \
	}                                                                                          \
	static void name##_kick(struct sim *s, cpu_id cpu)                                         \
	{                                                                                          \
		nohz_core_kick(s, &(scope), cpu);                                                  \
	}                                                                                          \
	static void name##_run(struct sim *s, cpu_id cpu)                                          \
	{                                                                                          \
		nohz_core_run(s, &(scope), cpu);                                                   \
	}                                                                                          \
	static void name##_newidle(struct sim *s, cpu_id cpu)                                      \
	{                                                                                          \
		nohz_core_newidle(s, &(scope), cpu);                                               \
	}                                                                                          \
	static u32 name##_inline(struct sim * s, cpu_id cpu)                                       \
	{                                                                                          \
		return nohz_core_inline(s, &(scope), cpu);                                         \
	}                                                                                          \
	static void name##_idle(struct sim *s, cpu_id cpu)                                         \
	{                                                                                          \
		nohz_core_idle(s, &(scope), cpu);                                                  \
	}                                                                                          \
	static bool name##_has_blocked(const struct sim *s, cpu_id cpu)                            \
	{                                                                                          \
		return nohz_core_has_blocked(s, &(scope), cpu);                                    \
	}                                                                                          \
	static void name##_walked(struct sim *s, cpu_id cpu, u32 sd)                               \
	{                                                                                          \
		nohz_core_walked(s, &(scope), cpu, sd);                                            \
	}                                                                                          \
	static void name##_adopt(struct sim *s)                                                    \
	{                                                                                          \
		nohz_core_adopt(s, &(scope));                                                      \
	}                                                                                          \
	static u32 name##_home(const struct sim *s, cpu_id cpu)                                    \
	{                                                                                          \
		return (scope).record(s, cpu, cpu);                                                \
	}                                                                                          \
	static const struct nohz_ops name = {                                                      \
		.enter = name##_enter,                                                             \
		.exit = name##_exit,                                                               \
		.kick = name##_kick,                                                               \
		.run = name##_run,                                                                 \
		.newidle = name##_newidle,                                                         \
		.inline_round = name##_inline,                                                     \
		.idle = name##_idle,                                                               \
		.has_blocked = name##_has_blocked,                                                 \
		.walked = name##_walked,                                                           \
		.adopt = name##_adopt,                                                             \
		.unit = (of),                                                                      \
		.record = name##_home,                                                             \
		.offline_by = (down),                                                              \
	}

#endif
