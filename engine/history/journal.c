/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal.c - the append-only list of inputs; copies own their texts and words.
 */
#include "engine/history/journal.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/rng.h"
#include "engine/sim.h"

#define JOURNAL_MAX (1u << 24)

static int out_of_memory(struct err *err)
{
	return err_set(err, ERR_LIMIT, "out of memory for the journal of inputs");
}

static int grow_journal(struct journal *j, u32 need, struct err *err)
{
	u32 cap = j->cap ? j->cap : 64;

	if (need > (j->limit ? j->limit : JOURNAL_MAX))
		return err_set(err, ERR_LIMIT,
			       "more than %u inputs in one run; let the script do less "
			       "per second",
			       JOURNAL_MAX);
	if (need <= j->cap)
		return 0;
	while (cap < need)
		cap *= 2;

	struct journal_entry *e = realloc(j->e, cap * sizeof(*e));

	if (!e)
		return out_of_memory(err);
	j->e = e;
	j->cap = cap;
	return 0;
}

static void entry_free(struct journal_entry *e)
{
	free(e->words);
	free(e->text);
}

static int entry_copy(struct journal_entry *dst, const struct journal_entry *src)
{
	*dst = *src;
	dst->words = NULL;
	dst->text = NULL;
	if (src->words) {
		dst->words = malloc(src->nr_words * sizeof(u64));
		if (!dst->words)
			return -1;
		memcpy(dst->words, src->words, src->nr_words * sizeof(u64));
	}
	if (src->text) {
		dst->text = strdup(src->text);
		if (!dst->text) {
			free(dst->words);
			return -1;
		}
	}
	return 0;
}

int journal_append(struct journal *j, ktime_ns now, u64 ordinal, const struct sim_input *in,
		   u32 nr_words, struct err *err)
{
	struct journal_entry e = {
		.time = now,
		.ordinal = ordinal,
		.kind = (u8)in->kind,
		.origin = (u8)in->origin,
		.nr_words = (u16)(in->words ? nr_words : 0),
		.serial = in->serial,
		.a = in->a,
		.b = in->b,
		.c = in->c,
	};

	if (grow_journal(j, j->nr + 1, err))
		return -1;
	if (in->words) {
		e.words = malloc(nr_words * sizeof(u64));
		if (!e.words)
			return out_of_memory(err);
		memcpy(e.words, in->words, nr_words * sizeof(u64));
	}
	if (in->text) {
		e.text = strdup(in->text);
		if (!e.text) {
			free(e.words);
			return out_of_memory(err);
		}
	}
	j->e[j->nr++] = e;
	return 0;
}

int journal_copy(struct journal *dst, const struct journal *src, struct err *err)
{
	memset(dst, 0, sizeof(*dst));
	dst->limit = src->limit;
	if (grow_journal(dst, src->nr ? src->nr : 1, err))
		return -1;
	for (u32 i = 0; i < src->nr; i++) {
		if (entry_copy(&dst->e[i], &src->e[i])) {
			journal_free(dst);
			return out_of_memory(err);
		}
		dst->nr++;
	}
	dst->applied = src->applied;
	return 0;
}

void journal_truncate(struct journal *j)
{
	while (j->nr > j->applied)
		entry_free(&j->e[--j->nr]);
}

void journal_free(struct journal *j)
{
	j->applied = 0;
	journal_truncate(j);
	free(j->e);
	memset(j, 0, sizeof(*j));
}

u64 journal_hash(const struct journal *j, u8 origin)
{
	u64 h = rng_root_key(origin);

	for (u32 i = 0; i < j->applied; i++) {
		const struct journal_entry *e = &j->e[i];
		const u64 parts[] = { e->time,	 e->ordinal, e->kind,  e->serial,
				      (u64)e->a, (u64)e->b,  (u64)e->c };

		if (e->origin != origin)
			continue;
		for (u32 k = 0; k < ARRAY_SIZE(parts); k++)
			h = rng_child_key(h, parts[k]);
		for (u32 k = 0; k < e->nr_words; k++)
			h = rng_child_key(h, e->words[k]);
		for (const char *c = e->text; c && *c; c++)
			h = rng_child_key(h, (u8)*c);
	}
	return h;
}
