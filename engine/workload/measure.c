/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * measure.c - counters, latency samples and throughput figures of workloads. See measure.h.
 *
 * No counterpart in the kernel. Figures are computed when they are asked for, out of whole numbers.
 */
#include "engine/workload/measure.h"

#include <string.h>

#include "engine/base/hist.h"
#include "engine/observe/emit.h"

u32 counter_named(struct sim *s, const char *name)
{
	for_each_live(id, &s->arena,
		      POOL_COUNTER) if (!strcmp(s->counters[id].name, name)) return id;

	u32 id = arena_alloc(&s->arena, POOL_COUNTER);

	strncpy(s->counters[id].name, name, TASK_COMM_LEN - 1);
	s->counters[id].next_target = ~0ull;
	return id;
}

u32 lat_group_named(struct sim *s, const char *name)
{
	for_each_live(id, &s->arena,
		      POOL_LAT_GROUP) if (id && !strcmp(s->lat_groups[id].name, name)) return id;
	if (!arena_room(&s->arena, POOL_LAT_GROUP))
		return NONE;

	u32 id = arena_alloc(&s->arena, POOL_LAT_GROUP);

	strncpy(s->lat_groups[id].name, name, TASK_COMM_LEN - 1);
	return id;
}

/* Note the time in the figures whose target @counter has reached, and which one is next. */
static void target_reached(struct sim *s, u32 counter)
{
	struct counter *c = &s->counters[counter];

	c->next_target = ~0ull;
	for_each_live(id, &s->arena, POOL_THROUGHPUT)
	{
		struct throughput *t = &s->throughputs[id];

		if (t->kind != TPUT_TIME || t->counter != counter || t->reached_at != NEVER)
			continue;
		if (c->count >= t->target)
			t->reached_at = s->g->now;
		else
			c->next_target = min_u64(c->next_target, t->target);
	}
}

void measure_count(struct sim *s, u32 counter, cpu_id cpu, task_id p, u64 n)
{
	struct counter *c = &s->counters[counter];

	c->count += n;
	if (c->count >= c->next_target)
		target_reached(s, counter);
	trace(s, TR_workload_count, cpu, p, counter, n);
}

void measure_sample(struct sim *s, u32 group, cpu_id cpu, task_id p, u64 ns)
{
	hist_fine_add(&s->lat_groups[group].hist, ns);
	trace(s, TR_workload_sample, cpu, p, ns, group);
}

/* ---- figures ---- */

/* @num / @den, half up; at most what a JSON number of ours holds. */
static u64 quotient(u128 num, u128 den)
{
	u128 q = den ? (num + den / 2) / den : 0;

	return q > INT64_MAX ? INT64_MAX : (u64)q;
}

u64 counter_per_second(const struct sim *s, u32 id)
{
	return quotient((u128)s->counters[id].count * 1000 * NSEC_PER_SEC, s->g->now);
}

bool throughput_value(const struct sim *s, u32 id, u64 *value, u32 *decimals)
{
	const struct throughput *t = &s->throughputs[id];
	const struct counter *c = &s->counters[t->counter];
	u128 count = (u128)c->count * 1000;

	*decimals = 3;
	switch ((enum throughput_kind)t->kind) {
	case TPUT_COUNT:
		*value = quotient(count, t->divide);
		return true;
	case TPUT_PER_SECOND:
	case TPUT_PER_MINUTE:
		*value = quotient(count * NSEC_PER_SEC * (t->kind == TPUT_PER_MINUTE ? 60 : 1),
				  (u128)s->g->now * t->divide);
		return s->g->now != 0;
	case TPUT_TIME:
		*decimals = 6;
		*value = quotient(t->reached_at, NSEC_PER_USEC);
		return t->reached_at != NEVER;
	case TPUT_PCT:
		*value = quotient(count * 100, s->counters[t->base].count);
		return s->counters[t->base].count != 0;
	}
	return false;
}

/* ---- inputs ---- */

/* The next word of @text into @word; returns what follows it, NULL: no word, or too long. */
static const char *next_word(const char *text, char *word)
{
	size_t n;

	while (*text == ' ')
		text++;
	n = strcspn(text, " ");
	if (!n || n >= TASK_COMM_LEN)
		return NULL;
	memset(word, 0, TASK_COMM_LEN);
	memcpy(word, text, n);
	return text + n;
}

/* Three names at most; absent ones are "". */
static int words_of(const char *text, char (*w)[TASK_COMM_LEN], u32 max)
{
	u32 nr = 0;

	memset(w, 0, (size_t)max * TASK_COMM_LEN);
	while (text && *text && nr < max) {
		text = next_word(text, w[nr]);
		if (!text)
			return -1;
		nr++;
	}
	return text && *text ? -1 : (int)nr;
}

int measure_check_input(const struct sim_input *in, struct err *err)
{
	char w[3][TASK_COMM_LEN];
	int nr = in->text ? words_of(in->text, w, 3) : -1;
	int want = in->kind != INPUT_THROUGHPUT ? 1 : in->a == TPUT_PCT ? 3 : 2;

	if (nr != want)
		return err_set(err, ERR_USAGE,
			       "names of counters, latency groups and figures have 1 to %u bytes "
			       "and no blanks",
			       TASK_COMM_LEN - 1);
	if (in->kind == INPUT_THROUGHPUT) {
		if (in->a < 0 || in->a > TPUT_PCT)
			return err_set(err, ERR_USAGE, "no such kind of throughput");
		if (in->b < 1 || in->c < 0 || (in->a == TPUT_TIME && !in->c))
			return err_set(
				err, ERR_USAGE,
				"throughput is divided by 1 or more, and a time needs a target "
				"above 0: the count that ends it");
		return 0;
	}
	if (in->a < 0 || in->a >= 1ll << 60)
		return err_set(err, ERR_USAGE, "%s takes 0 .. 2^60 - 1, not %lld",
			       in->kind == INPUT_COUNT ? "a count" : "a latency in ns",
			       (long long)in->a);
	return 0;
}

static void declare(struct sim *s, const struct journal_entry *e, char (*w)[TASK_COMM_LEN])
{
	struct throughput *t;
	u32 id = NONE;

	/* A figure may be declared again: the last one counts. */
	for_each_live(k, &s->arena, POOL_THROUGHPUT) if (!strcmp(s->throughputs[k].name, w[0]))
		id = k;
	if (id == NONE)
		id = arena_alloc(&s->arena, POOL_THROUGHPUT);
	t = &s->throughputs[id];
	memcpy(t->name, w[0], TASK_COMM_LEN);
	t->counter = counter_named(s, w[1]);
	t->base = e->a == TPUT_PCT ? counter_named(s, w[2]) : t->counter;
	t->kind = (u64)e->a;
	t->divide = (u64)e->b;
	t->target = (u64)e->c;
	t->reached_at = NEVER;
	target_reached(s, t->counter);
}

int measure_apply_input(struct sim *s, const struct journal_entry *e)
{
	const struct arena_need needs[] = {
		{ POOL_THROUGHPUT, e->kind == INPUT_THROUGHPUT },
		{ POOL_COUNTER, e->kind == INPUT_THROUGHPUT ? 2 : e->kind == INPUT_COUNT },
		{ POOL_LAT_GROUP, e->kind == INPUT_SAMPLE },
	};
	char w[3][TASK_COMM_LEN];
	u32 group;

	words_of(e->text, w, 3);
	if (arena_reserve_set(&s->arena, needs, ARRAY_SIZE(needs), &s->err))
		return -1;
	sim_bind(s);
	if (e->kind == INPUT_COUNT) {
		measure_count(s, counter_named(s, w[0]), 0, NONE, (u64)e->a);
	} else if (e->kind == INPUT_SAMPLE) {
		group = lat_group_named(s, w[0]);
		s->lat_groups[group].sampled = 1;
		measure_sample(s, group, 0, NONE, (u64)e->a);
	} else {
		declare(s, e, w);
	}
	return 0;
}
