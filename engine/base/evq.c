/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * evq.c - set-up, growth and self-check of the winner tree; the hot paths are inline in evq.h.
 */
#include "engine/base/evq.h"

#include "engine/base/err.h"

u32 evq_width(u32 nr)
{
	BUG_ON(nr > 1u << 31);
	return nr <= 2 ? 2 : 1u << fls64(nr - 1);
}

void evq_bind(struct evq *q, u64 *key, u32 *win, u32 nr)
{
	q->key = key;
	q->win = win;
	q->nr = nr;
	q->width = evq_width(nr);
}

void evq_init(struct evq *q, u64 *key, u32 *win, u32 nr)
{
	evq_bind(q, key, win, nr);
	for (u32 i = 0; i < nr; i++)
		key[i] = EVQ_NEVER;
	evq_rebuild(q);
}

/* What stands at position @i of the heap-shaped tree: an inner node's winner, or a leaf itself. */
static u32 evq_contender(const struct evq *q, u32 i)
{
	return i < q->width ? q->win[i] : i - q->width;
}

static u32 evq_winner_of(const struct evq *q, u32 node)
{
	u32 left = evq_contender(q, 2 * node);
	u32 right = evq_contender(q, 2 * node + 1);

	return q->key[right] < q->key[left] ? right : left;
}

void evq_rebuild(struct evq *q)
{
	for (u32 i = q->nr; i < q->width; i++)
		q->key[i] = EVQ_NEVER;
	q->win[0] = 0;
	for (u32 node = q->width - 1; node > 0; node--)
		q->win[node] = evq_winner_of(q, node);
}

bool evq_check(const struct evq *q)
{
	for (u32 i = 0; i < q->width; i++)
		if (!q->key[i] || (i >= q->nr && q->key[i] != EVQ_NEVER))
			return false;
	for (u32 node = q->width - 1; node > 0; node--)
		if (q->win[node] != evq_winner_of(q, node))
			return false;
	return true;
}
