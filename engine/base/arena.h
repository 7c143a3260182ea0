/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arena.h - the state of one simulation: typed pools in one block, addressed by 32-bit ids.
 *
 * No counterpart in the kernel, which uses pointers and slab caches. One block without pointers
 * makes a checkpoint, a fork and an A/B comparison a single memcpy, and a digest independent of
 * where the block lies.
 *
 *	| arena_hdr | pool_hdr[nr] | pool 0 elements | pool 0 slots | pool 1 elements | ...
 *
 * Every part begins on a multiple of 64 bytes. Two kinds of pool:
 *	POOL_IDS	elements come and go; a slot {generation << 1 | live, next free} stands beside
 *			each, outside the element, so that a dead element is all zeroes
 *	POOL_ARRAY	a plain array: elements 0 .. len-1 all exist
 *
 * The block grows in arena_reserve() only, never in arena_alloc(): callers reserve between events
 * and may hold a pool's base pointer until the next reserve, resize or copy into the arena.
 */
#ifndef SG_ENGINE_BASE_ARENA_H
#define SG_ENGINE_BASE_ARENA_H

#include "engine/base/err.h"
#include "engine/base/types.h"

enum pool_flags {
	POOL_IDS = 1u << 0, /* free list, generations, live flags */
	POOL_ARRAY = 1u << 1, /* all len elements live */
	POOL_MODEL = 1u << 2, /* covered by arena_digest() */
};

struct pool_desc {
	const char *name; /* plural noun for messages: "tasks" */
	u32 elem_size; /* bytes; a multiple of 8, POOL_ARRAY also of 4 */
	u32 flags; /* POOL_IDS or POOL_ARRAY, perhaps POOL_MODEL */
	u32 limit; /* most elements; 0 = 2^31 */
	const char *limit_name; /* the knob that raises the limit; NULL: fixed */
};

struct pool_hdr {
	u64 off; /* elements, bytes from the start of the block */
	u64 slot_off; /* slots of a POOL_IDS pool */
	u32 elem_size;
	u32 flags;
	u32 len; /* POOL_ARRAY: elements; POOL_IDS: ids ever used, dead ones included */
	u32 capacity; /* elements that fit without growth */
	u32 live; /* POOL_IDS: live elements; POOL_ARRAY: len */
	u32 free_head; /* last freed id, NONE if none */
	u32 limit;
	u32 pad;
};

struct pool_slot {
	u32 state; /* generation << 1 | live */
	u32 next; /* next free id while dead, NONE at the end */
};

struct arena_hdr {
	u64 magic;
	u64 size; /* bytes of the whole layout: what a copy copies */
	u32 nr_pools;
	u32 pad0;
	u64 pad1[5];
	struct pool_hdr pools[];
};
_Static_assert(sizeof(struct arena_hdr) == 64, "pool headers start on a cache line");
_Static_assert(sizeof(struct pool_hdr) == 48, "no holes");

/*
 * arena_alloc_fn - where blocks come from. @size > 0: return that many bytes aligned to 64 or NULL
 * (contents do not matter; @old is NULL). @size 0: release @old.
 */
typedef void *(*arena_alloc_fn)(void *ctx, void *old, size_t size);

/* All zero is a valid empty arena: the target of arena_copy(), or harmless to arena_fini(). */
struct arena {
	union {
		u8 *mem;
		struct arena_hdr *hdr;
	};
	size_t mem_size; /* bytes allocated, at least hdr->size */
	size_t max; /* most bytes the block may grow to */
	const struct pool_desc *descs; /* borrowed; names for messages */
	arena_alloc_fn alloc_fn; /* NULL: libc */
	void *alloc_ctx;
};

struct arena_need {
	u32 pool;
	u32 extra;
};

/*
 * arena_init - lay out @nr empty pools described by @descs, which must outlive the arena and all
 * its copies (use a const table; limits that vary are set by arena_set_limit()). @a must be all
 * zero except for what arena_set_alloc() wrote. @max_bytes bounds the block. -1 with ERR_LIMIT.
 */
int arena_init(struct arena *a, const struct pool_desc *descs, u32 nr, size_t max_bytes,
	       struct err *err);
void arena_fini(struct arena *a);

/* arena_set_alloc - take blocks from @fn, for fault injection. Before arena_init() or a copy. */
void arena_set_alloc(struct arena *a, arena_alloc_fn fn, void *ctx);

/* arena_set_limit - change the most elements of @pool; 0 = 2^31. Not below what is in use. */
void arena_set_limit(struct arena *a, u32 pool, u32 limit);

/*
 * arena_reserve - make room for @extra more elements in @pool. Base pointers of all pools change.
 * -1 with ERR_LIMIT (limit or memory; state intact).
 */
int arena_reserve(struct arena *a, u32 pool, u32 extra, struct err *err);

/* arena_reserve_set - the same for several different pools with at most one move of the block. */
int arena_reserve_set(struct arena *a, const struct arena_need *needs, u32 nr, struct err *err);

/*
 * arena_alloc - a zeroed element of a POOL_IDS pool: the id freed last, else the lowest never
 * used. Never fails: the room must have been reserved.
 */
u32 arena_alloc(struct arena *a, u32 pool);

/* arena_free - end element @id: it is zeroed and its generation advances. It must be live. */
void arena_free(struct arena *a, u32 pool, u32 id);

/*
 * arena_array_resize - set the length of a POOL_ARRAY pool; new elements are zero, as are dropped
 * ones. May move the block. -1 with ERR_LIMIT.
 */
int arena_array_resize(struct arena *a, u32 pool, u32 len, struct err *err);

/*
 * arena_copy - make @dst equal to @src: one memcpy of the block. @dst must be all zero, or an arena
 * (its block is reused if large enough; its allocator stays). -1 with ERR_LIMIT, @dst intact.
 */
int arena_copy(struct arena *dst, const struct arena *src, struct err *err);

/*
 * arena_digest - XXH3 of the live elements of the POOL_MODEL pools, in id order, with pool numbers,
 * lengths and ids. Independent of capacity, addresses, generations and other pools.
 */
u64 arena_digest(const struct arena *a);

/* arena_bytes - size of the block, which is also what one copy costs. */
static inline size_t arena_bytes(const struct arena *a)
{
	return a->mem ? (size_t)a->hdr->size : 0;
}

static inline struct pool_hdr *arena_pool(const struct arena *a, u32 pool)
{
	return &a->hdr->pools[pool];
}

/* arena_base - first element of @pool. Good until the next reserve, resize or copy into @a. */
static inline void *arena_base(const struct arena *a, u32 pool)
{
	return a->mem + arena_pool(a, pool)->off;
}

/* arena_len - POOL_ARRAY: elements; POOL_IDS: one above the highest id ever used. */
static inline u32 arena_len(const struct arena *a, u32 pool)
{
	return arena_pool(a, pool)->len;
}

static inline u32 arena_live(const struct arena *a, u32 pool)
{
	return arena_pool(a, pool)->live;
}

/* arena_room - elements that can be added without growth. */
static inline u32 arena_room(const struct arena *a, u32 pool)
{
	const struct pool_hdr *p = arena_pool(a, pool);

	return p->capacity - p->live;
}

static inline struct pool_slot *arena_slots(const struct arena *a, u32 pool)
{
	return (struct pool_slot *)(void *)(a->mem + arena_pool(a, pool)->slot_off);
}

/* arena_is_live - whether @id, any number, names an existing element. */
static inline bool arena_is_live(const struct arena *a, u32 pool, u32 id)
{
	const struct pool_hdr *p = arena_pool(a, pool);

	if (id >= p->len)
		return false;
	return (p->flags & POOL_ARRAY) || (arena_slots(a, pool)[id].state & 1);
}

/* arena_generation - how often @id was freed (31 bits); 0 for an id never used. */
static inline u32 arena_generation(const struct arena *a, u32 pool, u32 id)
{
	const struct pool_hdr *p = arena_pool(a, pool);

	if (id >= p->len || (p->flags & POOL_ARRAY))
		return 0;
	return arena_slots(a, pool)[id].state >> 1;
}

/* for_each_live - @id runs over the live elements of @pool in id order. */
#define for_each_live(id, a, pool)                                                                 \
	for (u32 id = 0; id < arena_len(a, pool); id++)                                            \
		if (!arena_is_live(a, pool, id)) {                                                 \
		} else

#endif
