/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree.h - links of an ordered, augmented, balanced tree whose nodes are ids of arena elements.
 *
 * The part of include/linux/rbtree_augmented.h that the scheduler uses (rb_root_cached), but with
 * u32 ids for pointers, so that a tree survives memcpy, and an AVL balance instead of colours,
 * which keeps trees of a run queue's size one level flatter. The two children are indexed by
 * direction, 0 left and 1 right, so that each mirrored case is written once.
 *
 * The code is a template: tree_impl.h is included once per kind of tree, so that the comparison and
 * the recomputation are inlined. The caller's elements embed struct tree_node.
 */
#ifndef SG_ENGINE_BASE_TREE_H
#define SG_ENGINE_BASE_TREE_H

#include "engine/base/err.h"
#include "engine/base/types.h"

/* All zero, and meaningless, while the element is in no tree. */
struct tree_node {
	u32 child[2]; /* ids, NONE if absent */
	u32 parent; /* id, NONE at the root */
	s32 balance; /* height of child[1] minus height of child[0]: -1, 0, 1 */
};

/* Not valid when all zero: id 0 is an element. Use tree_root_init(). */
struct tree_root {
	u32 top; /* NONE if empty */
	u32 first; /* leftmost, cached; NONE if empty */
	u32 nr; /* nodes */
	u32 pad;
};

static inline void tree_root_init(struct tree_root *root)
{
	*root = (struct tree_root){ .top = NONE, .first = NONE };
}

static inline bool tree_empty(const struct tree_root *root)
{
	return root->top == NONE;
}

/* tree_first - leftmost id or NONE, at once. */
static inline u32 tree_first(const struct tree_root *root)
{
	return root->first;
}

#endif
