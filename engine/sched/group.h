/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * group.h - task groups: making them, the weight of a group on a CPU, the list of queues with load.
 *
 * Follows kernel/sched/fair.c of v6.12: calc_group_shares(), update_cfs_group(), leaf_cfs_rq_list.
 */
#ifndef SG_ENGINE_SCHED_GROUP_H
#define SG_ENGINE_SCHED_GROUP_H

#include "engine/access.h"

#define ROOT_TG 0u
#define MAX_SHARES (1ull << 28) /* full resolution */

/*
 * calc_group_shares - weight of a group's entity: its @shares in proportion to the part of the
 * group's load @tg_load that lies on this queue. @contrib is what the queue last added to it,
 * @q_weight its queued weight; shares, weight and result at full resolution.
 */
u64 calc_group_shares(u64 shares, u64 tg_load, u64 contrib, u64 q_weight, u64 q_load_avg);

/* update_cfs_group - compute the weight of the group entity @se anew; nothing for a task. */
void update_cfs_group(struct sim *s, se_id se);

/* se_update_runnable - refresh the number of runnable tasks a group entity stands for. */
void se_update_runnable(struct sim *s, se_id se);

/* cfs_rq_init - an empty queue of group @tg on @cpu. */
void cfs_rq_init(struct cfs_rq *q, u32 tg, cpu_id cpu);

/*
 * sim_reserve_group - one more row, all zero, in the pool of groups and nr_cpus in those of their
 * entities and queues; pools may move. In sim.c. -1 with s->err.
 */
int sim_reserve_group(struct sim *s);

/*
 * group_init - row @tg of the pool: @parent (NONE for the root), @shares (full resolution), @name
 * (text id); no limits. It becomes a child of @parent.
 */
void group_init(struct sim *s, u32 tg, u32 parent, u64 shares, u32 name);

/*
 * group_new - make a group below @parent with @shares (full resolution) and name @name (text id):
 * queues and entities on all CPUs, attached at once. It may move the arena's pools. Returns its
 * number; NONE with s->err when a limit is reached.
 */
u32 group_new(struct sim *s, u32 parent, u64 shares, u32 name);

/*
 * group_set_shares - -1 for the root or shares outside 2 .. MAX_SHARES; the weights of its entities
 * follow at once on all CPUs.
 */
int group_set_shares(struct sim *s, u32 tg, u64 shares);

/*
 * group_set_idle - an idle group has the weight of one SCHED_IDLE task, and outside of it all its
 * tasks count as such: cpu.idle. Its shares cannot be set; they are 1024 again afterwards. -1 for the
 * root.
 */
int group_set_idle(struct sim *s, u32 tg, bool idle);

/* next_group_below - after @id among @top and all groups in it, parents first; NONE at the end. */
u32 next_group_below(const struct sim *s, u32 top, u32 id);

/* A queue joins or leaves its CPU's list of queues with load. The list has children first. */
void list_add_leaf_cfs_rq(struct sim *s, struct cfs_rq *q);
void list_del_leaf_cfs_rq(struct sim *s, struct cfs_rq *q);

/* for_each_leaf_cfs_rq - @q (a cfs_id) over the list of @rq; @next lets @q leave the list. */
#define for_each_leaf_cfs_rq(s, rq, q, next)                                                       \
	for (cfs_id q = (rq)->leaf_head, next;                                                     \
	     q != NONE && (next = (s)->cfs_rqs[q].leaf_next, true); q = next)

#endif
