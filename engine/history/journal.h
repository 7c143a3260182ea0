/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * journal.h - every input with the instant and the event count at which it took effect.
 *
 * Time alone would not do: a user who steps event by event types in the middle of an instant. The
 * journal is outside the arena: a state plus the entries after it is any later instant.
 */
#ifndef SG_ENGINE_HISTORY_JOURNAL_H
#define SG_ENGINE_HISTORY_JOURNAL_H

#include "engine/base/err.h"
#include "engine/base/types.h"

struct task_spec;
struct sim_input;

struct journal_entry {
	ktime_ns time;
	u64 ordinal; /* model events dispatched before it */
	u8 kind, origin;
	u16 nr_words;
	u32 pad;
	u64 serial;
	s64 a, b, c; /* INPUT_SPAWN: a = number of the description in sim.specs */
	u64 *words; /* owned */
	char *text; /* owned */
};

struct journal {
	struct journal_entry *e;
	u32 nr, cap;
	u32 applied; /* entries before this one are in the state */
	u32 limit; /* entries at most, 0 = 2^24 */
};

int journal_append(struct journal *j, ktime_ns now, u64 ordinal, const struct sim_input *in,
		   u32 nr_words, struct err *err);
int journal_copy(struct journal *dst, const struct journal *src, struct err *err);
/* Forget the entries that are not applied: what a new input after a rewind does. */
void journal_truncate(struct journal *j);
void journal_free(struct journal *j);
/* Hash of the entries of @origin, in order: notices a script that went another way. */
u64 journal_hash(const struct journal *j, u8 origin);

#endif
