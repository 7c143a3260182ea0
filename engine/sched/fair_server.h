/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fair_server.h - the deadline server that keeps real-time tasks from starving fair ones.
 */
#ifndef SG_ENGINE_SCHED_FAIR_SERVER_H
#define SG_ENGINE_SCHED_FAIR_SERVER_H

#include "engine/sim.h"

/* rq.fs_state */
#define FS_QUEUED 1u /* competes by its deadline */
#define FS_ARMED 2u /* deferred: the timer stands at the last moment that leaves it its runtime */
#define FS_RUNNING 4u /* fair tasks starved; it comes back at the start of each period */
#define FS_SPENT 8u /* runtime used up while running: the timer stands at the next period */

/*
 * fair_server_enqueue - fair tasks were queued on a CPU where other classes have something; @before:
 * how many could run there until now.
 */
void fair_server_enqueue(struct sim *s, struct rq *rq, u32 before);

/* fair_server_start - does nothing if it is active or has nothing to serve. */
void fair_server_start(struct sim *s, struct rq *rq);

/* fair_server_follow - another task became current, or the server active. */
void fair_server_follow(struct sim *s, struct rq *rq);

/* fair_server_charge - what the current task ran since counts, if it is a fair one. */
void fair_server_charge(struct sim *s, struct rq *rq);

/* fair_server_stop - nothing left to serve, or switched off. */
void fair_server_stop(struct sim *s, struct rq *rq);

/* fair_server_timer - its timer is due. */
void fair_server_timer(struct sim *s, struct rq *rq);

#endif
