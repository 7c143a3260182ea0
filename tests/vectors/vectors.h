/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vectors.h - how operations of vector files meet the engine: read the command, do it, compare.
 *
 * A vector file has one step per line: {"seq":script, "i":n, "op":name, arguments ..., "out":{...}}.
 * Every number in "out" must be compared by the operation, exactly; one that is not is an error, so
 * that nothing passes by being overlooked. To add operations, append a table to vec_tables[] of
 * main.c.
 */
#ifndef SG_TESTS_VECTORS_VECTORS_H
#define SG_TESTS_VECTORS_VECTORS_H

#include "engine/sim.h"
#include "tests/vectors/jsonl.h"

struct vec {
	/* the step */
	const char *file; /* as given on the command line */
	const char *seq, *op;
	u64 i;
	const struct jv *cmd;
	struct jv *out;
	bool fair; /* the script is about the order of tasks, not about averages */
	bool v6_1; /* the file's name says v6.1 or v61 */
	/* the world of the script, made on demand and freed at its end */
	struct sim *sim;
	void *priv; /* of an operation table, freed with free() at the end of the script */
	/* counts of the file */
	u64 steps, numbers, differ, skipped;
	char first[512]; /* the first difference, in full */
};

struct vec_op {
	const char *name;
	void (*run)(struct vec *v);
};

/* arguments of the command; vec_num() gives @def when absent */
bool vec_has(const struct vec *v, const char *key);
u64 vec_num(const struct vec *v, const char *key, u64 def);
const char *vec_str(const struct vec *v, const char *key, const char *def);
/* vec_array - numbers of the array @key into @to, at most @max; returns how many. */
u32 vec_array(const struct vec *v, const char *key, u64 *to, u32 max);

/* Is there an object or number @key in the expected state? */
bool vec_wants(const struct vec *v, const char *key);
/*
 * vec_is - the number @key of object @obj of the expected state (NULL: of "out" itself) must be
 * @actual. Nothing if it is not there.
 */
void vec_is(struct vec *v, const char *obj, const char *key, u64 actual);
void vec_is_array(struct vec *v, const char *key, const u64 *actual, u32 nr);
void vec_is_str(struct vec *v, const char *obj, const char *key, const char *actual);
/* vec_fail - count a difference that is not one of two numbers. */
void vec_fail(struct vec *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* vec_is_avg - the eight numbers of an average printed as object @obj. */
void vec_is_avg(struct vec *v, const char *obj, const struct sched_avg *avg);

/* world.c: a machine of VEC_CPUS CPUs of capacity 1024 at full speed, profile by file name. */
#define VEC_CPUS 2u
struct sim *vec_world(struct vec *v);
void vec_world_free(struct vec *v);
/* A sleeping task called @name in group @tg on @cpu, or the existing one (NONE if absent). */
task_id vec_task_new(struct vec *v, const char *name, u32 tg, cpu_id cpu);
task_id vec_task_find(struct vec *v, const char *name);

extern const struct vec_op pelt_ops[], formula_ops[], fair_ops[]; /* each ended by a NULL name */

#endif
