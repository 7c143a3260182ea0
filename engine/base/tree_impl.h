/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree_impl.h - the tree template of tree.h; include it once for each kind of tree, after defining
 *
 *	TREE_NAME		prefix of the generated functions
 *	TREE_CTX		type of the first argument, e.g. `struct sim *`
 *	TREE_NODE(ctx, id)	pointer to the struct tree_node embedded in element @id
 *	TREE_LESS(ctx, a, b)	whether element @a comes before element @b
 *	TREE_AUGMENT(ctx, id)	optional: recompute the value that element @id keeps about its
 *				subtree, from itself and its children; true if the value changed
 *
 * All five are undefined again at the end. Generated, all static inline:
 *
 *	void NAME_insert(ctx, root, id)	 equal elements stay in the order of insertion
 *	void NAME_erase(ctx, root, id)	 the node is zeroed
 *	u32  NAME_last(ctx, root)	 rightmost or NONE
 *	u32  NAME_next(ctx, id)		 in order, or NONE
 *	u32  NAME_prev(ctx, id)
 *	void NAME_update(ctx, id)	 after what TREE_AUGMENT reads of @id changed (not its order)
 *	bool NAME_check(ctx, root)	 order, balance, links, count; slow, for sim_check()
 *
 * The value must depend on the set of elements in the subtree only, not on its shape (a minimum, a
 * maximum, a sum): rotations then leave the value of the subtree's top as it was. A comparison
 * must be total at every moment; with wrapping keys that is the caller's promise, as in the kernel.
 *
 * A rotation, dir = 1 (mirrored for 0); x goes down to the side dir:
 *
 *	      x			    y
 *	     / \		   / \
 *	    y	C     ===>	  A   x
 *	   / \			     / \
 *	  A   B			    B	C
 */
#include "engine/base/tree.h"

#define TREE_CAT2(a, b) a##_##b
#define TREE_CAT(a, b) TREE_CAT2(a, b)
#define TREE_FN(f) TREE_CAT(TREE_NAME, f)

/* Which child of its parent @id is. */
static inline u32 TREE_FN(side)(TREE_CTX ctx, u32 parent, u32 id)
{
	return TREE_NODE(ctx, parent)->child[1] == id;
}

/* Put @id where @old hung below @parent; NONE as @parent is the root's place. */
static inline void TREE_FN(hang)(TREE_CTX ctx, struct tree_root *root, u32 parent, u32 old, u32 id)
{
	if (parent == NONE)
		root->top = id;
	else
		TREE_NODE(ctx, parent)->child[TREE_FN(side)(ctx, parent, old)] = id;
	if (id != NONE)
		TREE_NODE(ctx, id)->parent = parent;
}

/* Recompute from @id upward until a value stays. */
static inline void TREE_FN(update)(TREE_CTX ctx, u32 id)
{
#ifdef TREE_AUGMENT
	while (id != NONE && TREE_AUGMENT(ctx, id))
		id = TREE_NODE(ctx, id)->parent;
#else
	(void)ctx;
	(void)id;
#endif
}

/* Recompute from @id up to the root: the value of a node that took another's place is stale. */
static inline void TREE_FN(update_all)(TREE_CTX ctx, u32 id)
{
#ifdef TREE_AUGMENT
	for (; id != NONE; id = TREE_NODE(ctx, id)->parent)
		(void)TREE_AUGMENT(ctx, id);
#else
	(void)ctx;
	(void)id;
#endif
}

static inline u32 TREE_FN(rotate)(TREE_CTX ctx, struct tree_root *root, u32 x, u32 dir)
{
	struct tree_node *nx = TREE_NODE(ctx, x);
	u32 y = nx->child[!dir];
	struct tree_node *ny = TREE_NODE(ctx, y);
	u32 b = ny->child[dir];

	TREE_FN(hang)(ctx, root, nx->parent, x, y);
	nx->child[!dir] = b;
	if (b != NONE)
		TREE_NODE(ctx, b)->parent = x;
	ny->child[dir] = x;
	nx->parent = y;
#ifdef TREE_AUGMENT
	(void)TREE_AUGMENT(ctx, x);
	(void)TREE_AUGMENT(ctx, y);
#endif
	return y;
}

/*
 * @x leans by two to the side @heavy. Straighten it and return the new top of the subtree; its
 * balance is 0 exactly if the subtree became lower.
 */
static inline u32 TREE_FN(straighten)(TREE_CTX ctx, struct tree_root *root, u32 x, u32 heavy)
{
	s32 sign = heavy ? 1 : -1;
	u32 y = TREE_NODE(ctx, x)->child[heavy];
	struct tree_node *nx = TREE_NODE(ctx, x);
	struct tree_node *ny = TREE_NODE(ctx, y);

	if (ny->balance != -sign) {
		bool lower = ny->balance != 0; /* always so after an insertion */

		nx->balance = lower ? 0 : sign;
		ny->balance = lower ? 0 : -sign;
		return TREE_FN(rotate)(ctx, root, x, !heavy);
	}

	/* y leans the other way: its inner child z becomes the top. */
	struct tree_node *nz = TREE_NODE(ctx, ny->child[!heavy]);

	nx->balance = nz->balance == sign ? -sign : 0;
	ny->balance = nz->balance == -sign ? sign : 0;
	nz->balance = 0;
	TREE_FN(rotate)(ctx, root, y, heavy);
	return TREE_FN(rotate)(ctx, root, x, !heavy);
}

static inline void TREE_FN(insert)(TREE_CTX ctx, struct tree_root *root, u32 id)
{
	u32 parent = NONE;
	u32 side = 0;
	bool leftmost = true;

	for (u32 at = root->top; at != NONE; at = TREE_NODE(ctx, at)->child[side]) {
		parent = at;
		side = !TREE_LESS(ctx, id, at);
		leftmost &= !side;
	}
	*TREE_NODE(ctx, id) = (struct tree_node){ .child = { NONE, NONE }, .parent = parent };
	if (leftmost)
		root->first = id;
	root->nr++;
#ifdef TREE_AUGMENT
	(void)TREE_AUGMENT(ctx, id);
#endif
	if (parent == NONE) {
		root->top = id;
		return;
	}
	TREE_NODE(ctx, parent)->child[side] = id;
	TREE_FN(update)(ctx, parent);

	/* The subtree at @id grew by one level: follow that upward. */
	while (parent != NONE) {
		struct tree_node *np = TREE_NODE(ctx, parent);

		side = np->child[1] == id;
		np->balance += side ? 1 : -1;
		if (np->balance == 0)
			return;
		if (np->balance == 2 || np->balance == -2) {
			TREE_FN(straighten)(ctx, root, parent, side);
			return;
		}
		id = parent;
		parent = np->parent;
	}
}

static inline u32 TREE_FN(edge)(TREE_CTX ctx, u32 id, u32 dir)
{
	while (TREE_NODE(ctx, id)->child[dir] != NONE)
		id = TREE_NODE(ctx, id)->child[dir];
	return id;
}

/* The neighbour of @id in direction @dir. */
static inline u32 TREE_FN(step)(TREE_CTX ctx, u32 id, u32 dir)
{
	const struct tree_node *n = TREE_NODE(ctx, id);

	if (n->child[dir] != NONE)
		return TREE_FN(edge)(ctx, n->child[dir], !dir);
	while (n->parent != NONE && TREE_NODE(ctx, n->parent)->child[dir] == id) {
		id = n->parent;
		n = TREE_NODE(ctx, id);
	}
	return n->parent;
}

static inline u32 TREE_FN(next)(TREE_CTX ctx, u32 id)
{
	return TREE_FN(step)(ctx, id, 1);
}

static inline u32 TREE_FN(prev)(TREE_CTX ctx, u32 id)
{
	return TREE_FN(step)(ctx, id, 0);
}

static inline u32 TREE_FN(last)(TREE_CTX ctx, const struct tree_root *root)
{
	return root->top == NONE ? NONE : TREE_FN(edge)(ctx, root->top, 1);
}

static inline void TREE_FN(erase)(TREE_CTX ctx, struct tree_root *root, u32 id)
{
	struct tree_node *n = TREE_NODE(ctx, id);
	u32 at; /* lowest node whose subtree shrank, on side */
	u32 side;

	if (root->first == id)
		root->first = TREE_FN(next)(ctx, id);
	root->nr--;
	if (n->child[0] == NONE || n->child[1] == NONE) {
		u32 only = n->child[0] != NONE ? n->child[0] : n->child[1];

		at = n->parent;
		side = at != NONE ? TREE_FN(side)(ctx, at, id) : 0;
		TREE_FN(hang)(ctx, root, at, id, only);
		TREE_FN(update)(ctx, at);
	} else {
		/* The successor, which has no left child, takes the place of @id. */
		u32 s = TREE_FN(edge)(ctx, n->child[1], 0);
		struct tree_node *ns = TREE_NODE(ctx, s);

		if (s == n->child[1]) {
			at = s;
			side = 1;
		} else {
			at = ns->parent;
			side = 0;
			TREE_FN(hang)(ctx, root, at, s, ns->child[1]);
			ns->child[1] = n->child[1];
			TREE_NODE(ctx, n->child[1])->parent = s;
		}
		ns->child[0] = n->child[0];
		TREE_NODE(ctx, n->child[0])->parent = s;
		ns->balance = n->balance;
		TREE_FN(hang)(ctx, root, n->parent, id, s);
		TREE_FN(update_all)(ctx, at);
	}
	*n = (struct tree_node){ .parent = 0 };

	while (at != NONE) {
		struct tree_node *na = TREE_NODE(ctx, at);

		na->balance += side ? -1 : 1;
		if (na->balance == 2 || na->balance == -2) {
			at = TREE_FN(straighten)(ctx, root, at, !side);
			na = TREE_NODE(ctx, at);
		}
		if (na->balance != 0)
			return; /* as high as before */
		if (na->parent != NONE)
			side = TREE_FN(side)(ctx, na->parent, at);
		at = na->parent;
	}
}

static inline bool TREE_FN(check)(TREE_CTX ctx, const struct tree_root *root)
{
	/*
	 * In order from the first node. No stack: the height of a subtree is measured by walking
	 * down its heavier sides, which is exact if all balances below are, and they are checked
	 * in the same pass.
	 */
	u32 n = 0, last = NONE;

	if (root->top == NONE)
		return root->first == NONE && root->nr == 0;
	if (TREE_NODE(ctx, root->top)->parent != NONE)
		return false;
	for (u32 id = TREE_FN(edge)(ctx, root->top, 0); id != NONE; id = TREE_FN(next)(ctx, id)) {
		const struct tree_node *node = TREE_NODE(ctx, id);
		s32 height[2] = { 0, 0 };

		if (n++ >= root->nr)
			return false;
		if (last == NONE ? root->first != id : TREE_LESS(ctx, id, last))
			return false;
		for (u32 dir = 0; dir < 2; dir++) {
			u32 c = node->child[dir];

			if (c != NONE && TREE_NODE(ctx, c)->parent != id)
				return false;
			for (; c != NONE; height[dir]++) {
				const struct tree_node *nc = TREE_NODE(ctx, c);

				c = nc->child[nc->balance > 0];
			}
		}
		if (node->balance != height[1] - height[0] || node->balance > 1 ||
		    node->balance < -1)
			return false;
#ifdef TREE_AUGMENT
		if (TREE_AUGMENT(ctx, id)) /* a stale value; repaired by having looked */
			return false;
#endif
		last = id;
	}
	return n == root->nr;
}

#undef TREE_FN
#undef TREE_CAT
#undef TREE_CAT2
#undef TREE_NAME
#undef TREE_CTX
#undef TREE_NODE
#undef TREE_LESS
#undef TREE_AUGMENT
