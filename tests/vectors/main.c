/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * main.c - run vector files through the engine: vectors [-k] FILE...
 *
 * Prints for each file "NAME: N steps, M numbers compared, 0 differ" and the first difference in
 * full. Exit status 0: all equal; 1: some number differs; 2: a file cannot be read; 3: nothing
 * differs, but operations were skipped because they are not known (-k: that is fine).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vectors/vectors.h"

/* By kind of script: the first step of one decides, as both kinds know fork, tick and renice. */
static const struct vec_op *const vec_tables[] = { pelt_ops, formula_ops };
static const struct vec_op *const vec_fair_tables[] = { fair_ops };

bool vec_has(const struct vec *v, const char *key)
{
	return jv_get(v->cmd, key) != NULL;
}

u64 vec_num(const struct vec *v, const char *key, u64 def)
{
	const struct jv *n = jv_get(v->cmd, key);

	return n && n->type == JV_NUMBER ? n->num : def;
}

const char *vec_str(const struct vec *v, const char *key, const char *def)
{
	const struct jv *n = jv_get(v->cmd, key);

	return n && n->type == JV_STRING ? n->str : def;
}

u32 vec_array(const struct vec *v, const char *key, u64 *to, u32 max)
{
	const struct jv *a = jv_get(v->cmd, key);
	u32 nr = 0;

	if (!a || a->type != JV_ARRAY)
		return 0;
	for (const struct jv *c = a->child; c && nr < max; c = c->next)
		to[nr++] = c->num;
	return nr;
}

bool vec_wants(const struct vec *v, const char *key)
{
	return jv_get(v->out, key) != NULL;
}

void vec_fail(struct vec *v, const char *fmt, ...)
{
	va_list ap;

	if (v->differ++)
		return;

	int n = snprintf(v->first, sizeof(v->first), "%s step %" PRIu64 " (%s): ", v->seq, v->i,
			 v->op);

	va_start(ap, fmt);
	vsnprintf(v->first + n, sizeof(v->first) - (size_t)n, fmt, ap);
	va_end(ap);
}

static void compare(struct vec *v, struct jv *want, const char *obj, const char *key, u64 actual)
{
	want->seen = true;
	v->numbers++;
	if (want->type != JV_NUMBER || want->num != actual)
		vec_fail(v, "%s%s%s is %" PRId64 ", expected %" PRId64, obj ? obj : "",
			 obj ? "." : "", key, (s64)actual, (s64)want->num);
}

void vec_is(struct vec *v, const char *obj, const char *key, u64 actual)
{
	struct jv *want = jv_get(obj ? jv_get(v->out, obj) : v->out, key);

	if (want)
		compare(v, want, obj, key, actual);
}

void vec_is_array(struct vec *v, const char *key, const u64 *actual, u32 nr)
{
	struct jv *a = jv_get(v->out, key);
	u32 i = 0;

	if (!a)
		return;
	for (struct jv *c = a->child; c; c = c->next, i++) {
		if (i == nr) {
			vec_fail(v, "%s has %u values, more are expected", key, nr);
			return;
		}
		compare(v, c, NULL, key, actual[i]);
	}
	if (i != nr)
		vec_fail(v, "%s has %u values, expected %u", key, nr, i);
}

void vec_is_str(struct vec *v, const char *obj, const char *key, const char *actual)
{
	struct jv *want = jv_get(obj ? jv_get(v->out, obj) : v->out, key);

	if (!want)
		return;
	want->seen = true;
	v->numbers++;
	if (want->type != JV_STRING || strcmp(want->str, actual))
		vec_fail(v, "%s is \"%s\", expected \"%s\"", key, actual,
			 want->str ? want->str : "a number");
}

void vec_is_avg(struct vec *v, const char *obj, const struct sched_avg *avg)
{
	vec_is(v, obj, "last_update_time", avg->last_update_time);
	vec_is(v, obj, "load_sum", avg->load_sum);
	vec_is(v, obj, "runnable_sum", avg->runnable_sum);
	vec_is(v, obj, "util_sum", avg->util_sum);
	vec_is(v, obj, "period_contrib", avg->period_contrib);
	vec_is(v, obj, "load_avg", avg->load_avg);
	vec_is(v, obj, "runnable_avg", avg->runnable_avg);
	vec_is(v, obj, "util_avg", avg->util_avg);
}

static void check_all_seen(struct vec *v, const struct jv *out, const char *name)
{
	for (const struct jv *c = out->child; c; c = c->next) {
		if (c->child)
			check_all_seen(v, c, c->key);
		else if (!c->seen && c->type != JV_OBJECT && c->type != JV_ARRAY)
			vec_fail(v, "%s of %s was not compared", c->key ? c->key : "?", name);
	}
}

static const struct vec_op *find_op(const struct vec *v)
{
	const struct vec_op *const *tables = v->fair ? vec_fair_tables : vec_tables;
	size_t nr = v->fair ? ARRAY_SIZE(vec_fair_tables) : ARRAY_SIZE(vec_tables);

	for (size_t t = 0; t < nr; t++)
		for (const struct vec_op *op = tables[t]; op->name; op++)
			if (!strcmp(op->name, v->op))
				return op;
	return NULL;
}

static void end_script(struct vec *v)
{
	vec_world_free(v);
	free(v->priv);
	v->priv = NULL;
}

static void run_step(struct vec *v)
{
	const struct vec_op *op;

	if (!strcmp(v->op, "reset")) {
		end_script(v);
		v->fair = vec_wants(v, "curr");
	}
	op = find_op(v);
	if (op) {
		op->run(v);
	} else if (!strcmp(v->op, "reset")) {
		vec_is(v, NULL, "ok", 1);
	} else {
		v->skipped++;
		return;
	}
	v->steps++;
	check_all_seen(v, v->out, "out");
}

static bool run_file(struct vec *v, const char *path)
{
	static struct jsonl j;
	char *line = NULL;
	size_t size = 0;
	u64 nr = 0;
	FILE *f = fopen(path, "r");

	if (!f) {
		perror(path);
		return false;
	}
	*v = (struct vec){ .file = path };
	v->v6_1 = strstr(path, "v6.1.") || strstr(path, "v61");
	while (getline(&line, &size, f) > 0) {
		struct jv *step = jsonl_parse(&j, line);

		nr++;
		v->seq = jv_get(step, "seq") ? jv_get(step, "seq")->str : NULL;
		v->op = jv_get(step, "op") ? jv_get(step, "op")->str : NULL;
		v->out = jv_get(step, "out");
		v->cmd = step;
		if (!step || !v->seq || !v->op || !v->out || !jv_get(step, "i")) {
			fprintf(stderr, "%s:%" PRIu64 ": %s\n", path, nr,
				j.error ? j.error : "not a step: seq, i, op, out");
			fclose(f);
			free(line);
			return false;
		}
		v->i = jv_get(step, "i")->num;
		run_step(v);
	}
	end_script(v);
	free(line);
	fclose(f);
	return true;
}

int main(int argc, char **argv)
{
	bool keep_going = argc > 1 && !strcmp(argv[1], "-k");
	int status = 0;

	if (argc < 2 + keep_going) {
		fprintf(stderr, "usage: vectors [-k] FILE...\n");
		return 2;
	}
	for (int i = 1 + keep_going; i < argc; i++) {
		struct vec v;

		if (!run_file(&v, argv[i]))
			return 2;
		printf("%s: %" PRIu64 " steps, %" PRIu64 " numbers compared, %" PRIu64 " differ",
		       argv[i], v.steps, v.numbers, v.differ);
		if (v.skipped)
			printf(", %" PRIu64 " steps skipped (unknown operation)", v.skipped);
		printf("\n");
		if (v.differ) {
			printf("  first: %s\n", v.first);
			status = 1;
		} else if (v.skipped && !keep_going && !status) {
			status = 3;
		}
		if (!v.steps && !v.skipped) {
			printf("  no steps in the file\n");
			status = 1;
		}
	}
	return status;
}
