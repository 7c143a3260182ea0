/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * evq.h - the event queue: a winner tree over sources that each have at most one pending event.
 *
 * Follows the kernel's idea of one clock event device per CPU rather than any of its code: a source
 * always has exactly one next time, perhaps never, so re-arming overwrites a leaf, cancelling
 * writes EVQ_NEVER, and the order does not depend on the history of insertions.
 *
 *	win[1]		   the winner of all
 *	win[2] win[3]	   winners of the two halves, and so on: win[i] = better of 2i and 2i + 1
 *	key[0 .. width-1]  the leaves; node (width + s) / 2 is above leaf s
 *
 * A key is time << 3 | class (1..7, the order of classes inside an instant; no source has class 0, so
 * that no key is 0). Of equal keys the lower source number wins. struct evq is a view: the two arrays belong to the caller (arena
 * pools), and the view is bound again whenever they move. Walking up needs only the sibling of each
 * node, whose address depends on the source alone, so the loads of all levels overlap and no branch
 * depends on data.
 */
#ifndef SG_ENGINE_BASE_EVQ_H
#define SG_ENGINE_BASE_EVQ_H

#include "engine/base/types.h"

#define EVQ_CLASS_BITS 3
#define EVQ_CLASSES (1u << EVQ_CLASS_BITS)
#define EVQ_NEVER (~(u64)0)

struct evq {
	u64 *key; /* [width]; EVQ_NEVER from nr on */
	u32 *win; /* [width]; [0] unused */
	u32 nr; /* sources */
	u32 width; /* leaves: a power of two, at least 2 */
};

/* evq_key_of - the key of @time (below 2^61, or NEVER) in @class (not 0, below EVQ_CLASSES). */
static inline u64 evq_key_of(ktime_ns time, u32 class)
{
	return time == NEVER ? EVQ_NEVER : time << EVQ_CLASS_BITS | class;
}

/* evq_time_of, evq_class_of - the parts of a key. The time of EVQ_NEVER is NEVER. */
static inline ktime_ns evq_time_of(u64 key)
{
	return key == EVQ_NEVER ? NEVER : key >> EVQ_CLASS_BITS;
}

static inline u32 evq_class_of(u64 key)
{
	return (u32)key & (EVQ_CLASSES - 1);
}

/* evq_width - elements that key[] and win[] need for @nr sources (at most 2^31). */
u32 evq_width(u32 nr);

/* evq_bind - view arrays that already hold a queue of @nr sources. Writes nothing. */
void evq_bind(struct evq *q, u64 *key, u32 *win, u32 nr);

/* evq_init - view fresh arrays of evq_width(@nr) elements, with every source at EVQ_NEVER. */
void evq_init(struct evq *q, u64 *key, u32 *win, u32 nr);

/* evq_rebuild - compute win[] anew after key[0 .. nr-1] was written directly (growth). */
void evq_rebuild(struct evq *q);

/* evq_check - whether every inner node names its winner, no key is 0, the padding is EVQ_NEVER. */
bool evq_check(const struct evq *q);

/* evq_top - the source of the earliest event (check evq_top_key() for EVQ_NEVER). */
static inline u32 evq_top(const struct evq *q)
{
	return q->win[1];
}

static inline u64 evq_top_key(const struct evq *q)
{
	return q->key[q->win[1]];
}

/* evq_key - the key of source @src. */
static inline u64 evq_key(const struct evq *q, u32 src)
{
	return q->key[src];
}

/* evq_set - arm source @src for @key, or disarm it with EVQ_NEVER. */
static inline void evq_set(struct evq *q, u32 src, u64 key)
{
	u64 *keys = q->key;
	u32 *win = q->win;

	if (keys[src] == key)
		return;
	keys[src] = key;

	u32 node = q->width + src;
	u32 best = src, rival = src ^ 1;

	for (;;) {
		u64 rival_key = keys[rival];
		/*
		 * All ones if the rival wins. It wins a tie from the left, i.e. when @node is a
		 * right child: one less, which no key is too small for, it is then below. A mask
		 * because compilers turn `?:` into branches here, which mispredict half the time.
		 */
		u64 lose = -(u64)(rival_key - (node & 1) < key);

		best ^= (best ^ rival) & (u32)lose;
		key ^= (key ^ rival_key) & lose;
		node >>= 1;
		if (win[node] == best && best != src)
			break;
		win[node] = best;
		if (node == 1)
			break;
		rival = win[node ^ 1];
	}
}

#endif
