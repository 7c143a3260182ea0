/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arena.c - pools in one block; see arena.h for the layout and the rules.
 *
 * Growth lays the whole block out anew in a second one and copies the used part of each pool, so
 * a failed growth leaves the old block untouched. Capacities grow by half, which keeps the cost per
 * element constant and the unused tail of a checkpoint below a third.
 */
#include "engine/base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Scalar XXH3: the same digest as the vector forms, and allowed under -mgeneral-regs-only. */
#define XXH_INLINE_ALL
#define XXH_VECTOR 0
#include <xxhash.h>

#define ARENA_MAGIC 0x31616e6572616773ull /* "sgarena1" */
#define ARENA_ALIGN 64u
#define ARENA_MAX_ELEMS (1u << 31)
#define ARENA_MIN_GROWTH 16u

static u64 arena_align(u64 x)
{
	return (x + ARENA_ALIGN - 1) & ~(u64)(ARENA_ALIGN - 1);
}

static void *arena_libc_block(void *ctx, void *old, size_t size)
{
	(void)ctx;
	if (!size) {
		free(old);
		return NULL;
	}
	return aligned_alloc(ARENA_ALIGN, size);
}

static void *arena_block_get(const struct arena *a, size_t size)
{
	return (a->alloc_fn ? a->alloc_fn : arena_libc_block)(a->alloc_ctx, NULL, size);
}

static void arena_block_put(const struct arena *a, void *mem)
{
	if (mem)
		(a->alloc_fn ? a->alloc_fn : arena_libc_block)(a->alloc_ctx, mem, 0);
}

/*
 * Give each of the @nr pools of @p its place for its capacity, and return the size of the block.
 * No overflow: arena_init() bounds pools to 2^10 and elements to 2^31 of 2^20 bytes, hence < 2^62.
 */
static u64 arena_layout(struct pool_hdr *p, u32 nr)
{
	u64 off = arena_align(sizeof(struct arena_hdr) + (u64)nr * sizeof(*p));

	for (u32 i = 0; i < nr; i++) {
		p[i].off = off;
		off = arena_align(off + (u64)p[i].capacity * p[i].elem_size);
		p[i].slot_off = off;
		if (p[i].flags & POOL_IDS)
			off = arena_align(off + (u64)p[i].capacity * sizeof(struct pool_slot));
	}
	return off;
}

int arena_init(struct arena *a, const struct pool_desc *descs, u32 nr, size_t max_bytes,
	       struct err *err)
{
	BUG_ON(a->mem || nr > 1024);

	size_t hdr_size = sizeof(struct arena_hdr) + nr * sizeof(struct pool_hdr);
	size_t size = (size_t)arena_align(hdr_size);

	if (size > max_bytes)
		return err_set(err, ERR_LIMIT,
			       "the state needs %zu bytes, more than the %zu allowed (arena_bytes)",
			       size, max_bytes);

	u8 *mem = arena_block_get(a, size);

	if (!mem)
		return err_set(err, ERR_LIMIT, "no memory for %zu bytes of state", size);
	memset(mem, 0, size);
	a->mem = mem;
	a->mem_size = size;
	a->max = max_bytes;
	a->descs = descs;
	a->hdr->magic = ARENA_MAGIC;
	a->hdr->nr_pools = nr;
	for (u32 i = 0; i < nr; i++) {
		const struct pool_desc *d = &descs[i];
		struct pool_hdr *p = &a->hdr->pools[i];
		u32 kind = d->flags & (POOL_IDS | POOL_ARRAY);

		BUG_ON(kind != POOL_IDS && kind != POOL_ARRAY);
		BUG_ON(!d->elem_size || d->elem_size > (1u << 20));
		BUG_ON(d->elem_size % (kind == POOL_IDS ? 8 : 4));
		p->elem_size = d->elem_size;
		p->flags = d->flags;
		p->free_head = NONE;
		arena_set_limit(a, i, d->limit);
	}
	a->hdr->size = arena_layout(a->hdr->pools, nr);
	return 0;
}

void arena_fini(struct arena *a)
{
	arena_block_put(a, a->mem);
	a->mem = NULL;
	a->mem_size = 0;
}

void arena_set_alloc(struct arena *a, arena_alloc_fn fn, void *ctx)
{
	BUG_ON(a->mem);
	a->alloc_fn = fn;
	a->alloc_ctx = ctx;
}

void arena_set_limit(struct arena *a, u32 pool, u32 limit)
{
	struct pool_hdr *p = arena_pool(a, pool);

	p->limit = limit && limit < ARENA_MAX_ELEMS ? limit : ARENA_MAX_ELEMS;
}

static int arena_limit_reached(const struct arena *a, u32 pool, u64 want, struct err *err)
{
	const struct pool_desc *d = &a->descs[pool];
	u32 limit = arena_pool(a, pool)->limit;

	if (!d->limit_name)
		return err_set(err, ERR_LIMIT, "%llu %s are more than the %u supported",
			       (unsigned long long)want, d->name, limit);
	return err_set(err, ERR_LIMIT,
		       "%llu %s are more than the %u allowed; raise the limit with %s",
		       (unsigned long long)want, d->name, limit, d->limit_name);
}

/* Move everything into a new block of @size bytes laid out as @pools say. */
static int arena_move(struct arena *a, const struct pool_hdr *pools, u64 size, struct err *err)
{
	u32 nr = a->hdr->nr_pools;

	if (size > a->max)
		return err_set(
			err, ERR_LIMIT,
			"the state needs %llu bytes, more than the %zu allowed (arena_bytes)",
			(unsigned long long)size, a->max);

	u8 *mem = arena_block_get(a, (size_t)size);

	if (!mem)
		return err_set(err, ERR_LIMIT, "no memory for %llu bytes of state",
			       (unsigned long long)size);
	memset(mem, 0, (size_t)size);

	struct arena_hdr *hdr = (struct arena_hdr *)(void *)mem;

	*hdr = *a->hdr;
	hdr->size = size;
	memcpy(hdr->pools, pools, nr * sizeof(*pools));
	for (u32 i = 0; i < nr; i++) {
		const struct pool_hdr *from = arena_pool(a, i);
		const struct pool_hdr *to = &pools[i];

		memcpy(mem + to->off, a->mem + from->off, (size_t)from->len * from->elem_size);
		if (from->flags & POOL_IDS)
			memcpy(mem + to->slot_off, a->mem + from->slot_off,
			       (size_t)from->len * sizeof(struct pool_slot));
	}
	arena_block_put(a, a->mem);
	a->mem = mem;
	a->mem_size = (size_t)size;
	return 0;
}

int arena_reserve_set(struct arena *a, const struct arena_need *needs, u32 nr, struct err *err)
{
	bool grow = false;

	for (u32 i = 0; i < nr; i++) {
		const struct pool_hdr *p = arena_pool(a, needs[i].pool);
		u64 want = (u64)p->live + needs[i].extra;

		if (want > p->limit)
			return arena_limit_reached(a, needs[i].pool, want, err);
		grow |= want > p->capacity;
	}
	if (!grow)
		return 0;

	u32 nr_pools = a->hdr->nr_pools;
	struct pool_hdr *pools = arena_block_get(a, (size_t)arena_align(nr_pools * sizeof(*pools)));

	if (!pools)
		return err_set(err, ERR_LIMIT, "no memory to grow the state");
	memcpy(pools, a->hdr->pools, nr_pools * sizeof(*pools));
	for (u32 i = 0; i < nr; i++) {
		struct pool_hdr *p = &pools[needs[i].pool];
		u64 want = (u64)p->live + needs[i].extra;

		if (want <= p->capacity)
			continue;

		u64 cap = max_u64(want, p->capacity + max_u64(p->capacity / 2, ARENA_MIN_GROWTH));

		p->capacity = (u32)min_u64(cap, p->limit);
	}

	u64 size = arena_layout(pools, nr_pools);

	if (size > a->max) { /* the generous step does not fit: try the exact one */
		for (u32 i = 0; i < nr; i++) {
			const struct pool_hdr *old = arena_pool(a, needs[i].pool);

			pools[needs[i].pool].capacity =
				(u32)max_u64(old->capacity, (u64)old->live + needs[i].extra);
		}
		size = arena_layout(pools, nr_pools);
	}

	int ret = arena_move(a, pools, size, err);

	arena_block_put(a, pools);
	return ret;
}

int arena_reserve(struct arena *a, u32 pool, u32 extra, struct err *err)
{
	return arena_reserve_set(a, &(struct arena_need){ pool, extra }, 1, err);
}

u32 arena_alloc(struct arena *a, u32 pool)
{
	struct pool_hdr *p = arena_pool(a, pool);
	struct pool_slot *slots = arena_slots(a, pool);
	u32 id = p->free_head;

	BUG_ON(!(p->flags & POOL_IDS));
	if (id != NONE) {
		p->free_head = slots[id].next;
	} else {
		BUG_ON(p->len >= p->capacity); /* the caller forgot arena_reserve() */
		id = p->len++;
	}
	slots[id].state |= 1;
	slots[id].next = NONE;
	p->live++;
	return id;
}

void arena_free(struct arena *a, u32 pool, u32 id)
{
	struct pool_hdr *p = arena_pool(a, pool);
	struct pool_slot *slots = arena_slots(a, pool);

	BUG_ON(!(p->flags & POOL_IDS));
	BUG_ON(!arena_is_live(a, pool, id));
	memset(a->mem + p->off + (size_t)id * p->elem_size, 0, p->elem_size);
	slots[id].state++; /* clears the live bit and carries into the generation */
	slots[id].next = p->free_head;
	p->free_head = id;
	p->live--;
}

int arena_array_resize(struct arena *a, u32 pool, u32 len, struct err *err)
{
	struct pool_hdr *p = arena_pool(a, pool);

	BUG_ON(!(p->flags & POOL_ARRAY));
	if (len > p->len) {
		if (arena_reserve(a, pool, len - p->len, err))
			return -1;
		p = arena_pool(a, pool);
	} else {
		memset(a->mem + p->off + (size_t)len * p->elem_size, 0,
		       (size_t)(p->len - len) * p->elem_size);
	}
	p->len = len;
	p->live = len;
	return 0;
}

int arena_copy(struct arena *dst, const struct arena *src, struct err *err)
{
	size_t size = (size_t)src->hdr->size;

	BUG_ON(dst == src);
	if (dst->mem_size < size) {
		u8 *mem = arena_block_get(dst, size);

		if (!mem)
			return err_set(err, ERR_LIMIT, "no memory for a copy of %zu bytes of state",
				       size);
		arena_block_put(dst, dst->mem);
		dst->mem = mem;
		dst->mem_size = size;
	}
	memcpy(dst->mem, src->mem, size);
	dst->max = src->max;
	dst->descs = src->descs;
	return 0;
}

/* Live ids in runs: one hash update per run instead of one per element. */
static void arena_digest_ids(XXH3_state_t *st, const struct arena *a, u32 pool)
{
	const struct pool_hdr *p = arena_pool(a, pool);
	const struct pool_slot *slots = arena_slots(a, pool);
	const u8 *base = a->mem + p->off;

	for (u32 id = 0; id < p->len;) {
		if (!(slots[id].state & 1)) {
			id++;
			continue;
		}

		u32 end = id + 1;

		while (end < p->len && (slots[end].state & 1))
			end++;

		u32 run[2] = { id, end };

		XXH3_64bits_update(st, run, sizeof(run));
		XXH3_64bits_update(st, base + (size_t)id * p->elem_size,
				   (size_t)(end - id) * p->elem_size);
		id = end;
	}
}

u64 arena_digest(const struct arena *a)
{
	XXH3_state_t st;

	XXH3_64bits_reset(&st);
	for (u32 i = 0; i < a->hdr->nr_pools; i++) {
		const struct pool_hdr *p = arena_pool(a, i);
		u32 head[4] = { i, p->elem_size, p->len, p->live };

		if (!(p->flags & POOL_MODEL))
			continue;
		XXH3_64bits_update(&st, head, sizeof(head));
		if (p->flags & POOL_IDS)
			arena_digest_ids(&st, a, i);
		else
			XXH3_64bits_update(&st, a->mem + p->off, (size_t)p->len * p->elem_size);
	}
	return XXH3_64bits_digest(&st);
}
