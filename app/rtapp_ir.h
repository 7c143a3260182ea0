/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp_ir.h - the importer's own picture of an rt-app file, between its two halves: rtapp_read.c
 * and rtapp_event.c fill it from JSON and judge every key, rtapp_build.c makes programs from it.
 */
#ifndef SG_APP_RTAPP_IR_H
#define SG_APP_RTAPP_IR_H

#include "app/rtapp.h"

enum rt_kind {
	RT_RUNTIME,
	RT_RUN,
	RT_SLEEP,
	RT_MEMRUN,
	RT_MEM,
	RT_IORUN,
	RT_LOCK,
	RT_UNLOCK,
	RT_SIGNAL,
	RT_BROAD,
	RT_WAIT,
	RT_SYNC,
	RT_BARRIER,
	RT_TIMER,
	RT_RESUME,
	RT_SUSPEND,
	RT_YIELD,
	RT_FORK,
	RT_SEM_POST,
	RT_SEM_WAIT,
	RT_KINDS
};

/* A named thing tasks meet at. Timers called unique... are one per thread. */
enum rt_res_kind { RES_MUTEX, RES_COND, RES_SUSPEND, RES_TIMER, RES_BARRIER, RES_SEM };

struct rt_res {
	enum rt_res_kind kind;
	char *name; /* as in the file */
	char label[64]; /* as the engine shows it, one per name and kind */
	bool local; /* every thread its own; then task says of which task */
	u32 task;
	u32 chain; /* next one of the same hash */
	bool absolute; /* timers: one absolute use makes all of them so */
	u32 parties; /* barriers: sum of the instances over all uses */
	u32 wakers, waiters; /* uses that wake and that wait, for the lost wake-up lint */
	const cJSON *first; /* first use */
};

struct rt_event {
	enum rt_kind kind;
	const cJSON *node;
	s64 value; /* us or bytes; negative run and sleep: for ever */
	u64 ns; /* memrun: work */
	u32 res, mutex; /* index into res, NONE */
	const char *ref; /* fork: task key */
};

/* Scheduling keys, of a task or of a phase. has_*: the key is there. */
struct rt_sched {
	bool has_policy, has_priority, has_slice, has_umin, has_umax;
	u8 policy; /* enum sched_class_policy */
	s64 priority;
	u64 slice; /* ns */
	struct dl_params dl; /* runtime 0: none given */
	u32 umin, umax;
	u64 *cpus; /* mask or NULL */
	char group[64];
	const cJSON *policy_node, *priority_node;
};

struct rt_phase {
	const char *name;
	const cJSON *node;
	s64 loop;
	u32 first_event, nr_events;
	struct rt_sched sched;
};

struct rt_task {
	const char *key;
	const cJSON *node;
	u32 instances; /* 0: only a template for fork */
	s64 loop; /* -1 for ever */
	u64 delay_us;
	u32 first_phase, nr_phases;
	struct rt_sched sched;
	bool forked; /* some event forks it */
	bool building; /* guards against a task that forks itself */
};

struct rt_file {
	struct json_doc *doc;
	const struct rtapp_options *opt;
	struct note_list *notes;
	struct err *err;
	struct rt_task *tasks;
	struct rt_phase *phases;
	struct rt_event *events;
	struct rt_res *res;
	u32 nr_tasks, nr_phases, nr_events, nr_res, nr_threads;
	u32 room_events;
	u32 res_hash[4096]; /* index + 1 of the first of its chain */
	u8 default_policy;
	bool io_blocks; /* io_device is a real device */
	ktime_ns duration;
	u32 nr_dups; /* keys of events, phases, tasks that came before */
	const cJSON *first_dup;
	struct rtapp_group *groups; /* handed over when all is read */
	u32 nr_groups;
	char *warned[64]; /* what was warned of once */
	u32 nr_warned;
	u32 words; /* of a CPU mask */
	/* where we are, for messages */
	const struct rt_task *task;
	const struct rt_phase *phase;
};

/* rt_fail - error at @node (@key: at its key) with "task 'x', phase 'y': " in front. Returns -1. */
int rt_fail(struct rt_file *f, const cJSON *node, bool key, enum err_code code, const char *fmt,
	    ...) __attribute__((format(printf, 5, 6)));
/* rt_warn - note at @node; with @once not NULL only the first time for that word. */
void rt_warn(struct rt_file *f, const cJSON *node, const char *once, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* rt_told - was @once warned of, or is the list of such words full? Ask before dear suggestions. */
bool rt_told(const struct rt_file *f, const char *once);

/* Whole number of the node itself within @min..@max, else an error that says @what is allowed. */
int rt_whole(struct rt_file *f, const cJSON *node, s64 min, s64 max, const char *what, s64 *out);

/* rt_event_kind - event that @key begins with, -1 if none. */
int rt_event_kind(const char *key);
/* rt_read_group - 'taskgroup' of a task or phase. */
int rt_read_group(struct rt_file *f, const cJSON *node, bool task, struct rt_sched *s);
/* rt_read_events - append the events of @container (phase, task or entry of "events"). */
int rt_read_events(struct rt_file *f, const cJSON *container);
/*
 * rt_settle_duplicates - @nodes are @nr members of one object: count those whose key came before, or
 * with dup_last leave the last value of a key at its first place and NULL at the others.
 */
void rt_settle_duplicates(struct rt_file *f, const cJSON **nodes, u32 nr);
/* rt_read_sched - scheduling keys of a task or phase object. */
int rt_read_sched(struct rt_file *f, const cJSON *object, bool task, struct rt_sched *s);
/* rt_lint_resources - notes on wake-ups nobody waits for and waits nobody ends; labels. */
void rt_lint_resources(struct rt_file *f);
/* rt_event_names - the prefixes that make an event, RT_KINDS of them. */
extern const char *const rt_event_names[RT_KINDS];

/* rt_read - everything. rt_file_fini() releases what it made (not the document). */
int rt_read(struct rt_file *f);
void rt_file_fini(struct rt_file *f);

/* rt_build - programs out of it. */
int rt_build(struct rt_file *f, struct rtapp *out);

#endif
