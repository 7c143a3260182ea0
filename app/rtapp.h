/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp.h - rt-app workload files to task specs.
 *
 * The dialect is that of rt-app (scheduler-tools/rt-app, 2026) as files in the wild use it: lenient
 * JSON (app/json_repair.h), event keys matched by prefix, duplicate keys kept in order as workgen
 * does. Times are microseconds, global.duration seconds.
 *
 * What the simulator makes of it:
 *  - run is work at capacity 1024 and top frequency, runtime is wall time, preemption included;
 *    calibration is ignored.
 *  - suspend and resume are a condition per task key; like signal they are lost if nobody waits.
 *  - mem and memrun become work at RTAPP_MEM_BYTES_PER_NS (chase: RTAPP_CHASE_NS per access), iorun
 *    the same plus, unless io_device is /dev/null, a sleep at RTAPP_IO_NS_PER_BYTE; each with a note.
 *  - task groups are made, with cpu.max and cpu.weight of scxsim; a task stays in its own.
 *  - memory policies, a task that forks itself, and SCHED_DEADLINE reservations
 *    that differ between the phases of a task are not modelled: an error where the result would be
 *    another workload, a note where it would not.
 */
#ifndef SG_APP_RTAPP_H
#define SG_APP_RTAPP_H

#include "app/json_util.h"
#include "engine/base/err.h"
#include "engine/workload/program.h"

#define RTAPP_MAX_THREADS 4096u
#define RTAPP_MAX_EVENTS 65536u
#define RTAPP_MAX_STEPS 262144u /* of all programs, copies for fork included */
#define RTAPP_MEM_BYTES_PER_NS 4u
#define RTAPP_CHASE_NS 100u
#define RTAPP_IO_NS_PER_BYTE 2u

struct rtapp_options {
	u32 nr_cpus; /* of the machine it will run on: cpus are checked against it */
	const struct json_define *defs; /* -D NAME=value */
	u32 nr_defs;
	bool dup_last; /* plain rt-app: of duplicate events the last value, at the first place */
};

/* A task group that tasks of the file are in; those around it stand before it. */
struct rtapp_group {
	char name[64];
	u64 quota, period; /* ns, RUNTIME_INF = none; with has_max */
	u32 shares; /* 0: not given */
	bool has_max;
};

struct rtapp {
	struct rtapp_group *groups;
	u32 nr_groups;
	struct task_spec **specs; /* tasks to spawn at time 0, in file order; templates left out */
	u32 nr_specs;
	u32 nr_threads; /* sum of their instances */
	ktime_ns duration; /* 0: until every task has ended */
};

/*
 * rtapp_parse - read @len bytes at @buf. Repairs and warnings are appended to @notes (may be NULL).
 * Returns 0 with *@out (release: rtapp_free()), or -1 with @err: line, column, task, phase, key, what
 * was found, what is allowed. ERR_LIMIT where a limit above was reached, ERR_USAGE otherwise.
 */
int rtapp_parse(const char *buf, size_t len, const struct rtapp_options *opt, struct rtapp **out,
		struct note_list *notes, struct err *err);

/* rtapp_load - the same for a file ("-": standard input); the message begins with path and place. */
int rtapp_load(const char *path, const struct rtapp_options *opt, struct rtapp **out,
	       struct note_list *notes, struct err *err);

void rtapp_free(struct rtapp *r);

struct sim;
struct sim_input;
/*
 * rtapp_give_groups - hand @give the inputs that make those groups of @r that @sim has not, and limit
 * all of them. Before the specs are spawned. 0, or the first other result of @give.
 */
int rtapp_give_groups(const struct rtapp *r, const struct sim *sim,
		      int (*give)(void *ctx, struct sim_input *in), void *ctx);

#endif
