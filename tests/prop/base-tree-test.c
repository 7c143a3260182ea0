/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * base-tree-test.c - the tree template against a sorted array after every random operation: order
 * (equal keys in order of insertion), cached first, minimum of each subtree, height, memcpy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/tree.h"

#define MAX 300

struct item {
	u64 key, value, min_value;
	struct tree_node node;
};

struct world {
	struct item items[MAX];
};

static inline bool set_min(struct world *w, u32 id)
{
	struct item *it = &w->items[id];
	u64 min = it->value;

	for (int d = 0; d < 2; d++)
		if (it->node.child[d] != NONE)
			min = min_u64(min, w->items[it->node.child[d]].min_value);

	bool changed = it->min_value != min;

	it->min_value = min;
	return changed;
}

#define TREE_NAME mt
#define TREE_CTX struct world *
#define TREE_NODE(w, id) (&(w)->items[id].node)
#define TREE_LESS(w, a, b) ((w)->items[a].key < (w)->items[b].key)
#define TREE_AUGMENT(w, id) set_min(w, id)
#include "engine/base/tree_impl.h"

/* A second kind in one file, without a value and in descending order. */
#define TREE_NAME plain
#define TREE_CTX struct world *
#define TREE_NODE(w, id) (&(w)->items[id].node)
#define TREE_LESS(w, a, b) ((w)->items[a].key > (w)->items[b].key)
#include "engine/base/tree_impl.h"

static u64 rnd(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Height of the subtree at @id, with every balance and value verified on the way. */
static int verify(struct world *w, u32 id, u32 parent, u64 *min)
{
	if (id == NONE) {
		*min = ~0ull;
		return 0;
	}

	const struct item *it = &w->items[id];
	u64 lmin, rmin;
	int left = verify(w, it->node.child[0], id, &lmin);
	int right = verify(w, it->node.child[1], id, &rmin);

	assert_int_equal(it->node.parent, parent);
	assert_in_range(right - left + 1, 0, 2);
	assert_int_equal(it->node.balance, right - left);
	*min = min_u64(it->value, min_u64(lmin, rmin));
	return 1 + (left > right ? left : right);
}

static void compare(struct world *w, struct tree_root *root, const u32 *sorted, u32 n,
		    bool augmented)
{
	u64 min;

	verify(w, root->top, NONE, &min);
	if (augmented && n)
		assert_true(w->items[root->top].min_value == min);
	assert_int_equal(root->nr, n);
	assert_int_equal(tree_empty(root), n == 0);

	u32 id = tree_first(root);

	for (u32 i = 0; i < n; i++) {
		assert_int_equal(id, sorted[i]);
		id = augmented ? mt_next(w, id) : plain_next(w, id);
	}
	assert_int_equal(id, NONE);
	id = augmented ? mt_last(w, root) : plain_last(w, root);
	for (u32 i = n; i-- > 0;) {
		assert_int_equal(id, sorted[i]);
		id = augmented ? mt_prev(w, id) : plain_prev(w, id);
	}
	assert_int_equal(id, NONE);
	assert_true(augmented ? mt_check(w, root) : plain_check(w, root));
}

static void random_operations(void **state)
{
	(void)state;
	static struct world w;
	u64 x = 2463534242ull;

	for (int round = 0; round < 60; round++) {
		bool augmented = round % 3 != 0;
		u64 spread = round & 1 ? 6 : 1u << 30;
		u32 target = 1 + (u32)(rnd(&x) % (round % 5 ? 12 : MAX - 1));
		u32 sorted[MAX], n = 0;
		struct tree_root root;

		memset(&w, 0, sizeof(w));
		tree_root_init(&root);
		for (int op = 0; op < 400; op++) {
			u32 id = (u32)rnd(&x) % MAX;
			u32 pos = 0;

			while (pos < n && sorted[pos] != id)
				pos++;
			if (pos < n && augmented && rnd(&x) % 4 == 0) {
				w.items[id].value = rnd(&x) % 1000;
				mt_update(&w, id);
			} else if (pos < n || (n >= target && n)) {
				if (pos == n)
					pos = (u32)rnd(&x) % n;
				if (rnd(&x) % 3 == 0)
					pos = 0; /* the first, as a picker does */
				id = sorted[pos];
				memmove(&sorted[pos], &sorted[pos + 1], (--n - pos) * sizeof(u32));
				if (augmented)
					mt_erase(&w, &root, id);
				else
					plain_erase(&w, &root, id);

				static const struct tree_node zero;

				assert_memory_equal(&w.items[id].node, &zero, sizeof(zero));
			} else {
				w.items[id].key = rnd(&x) % spread;
				w.items[id].value = rnd(&x) % 1000;
				for (pos = 0; pos < n; pos++)
					if (augmented ? w.items[sorted[pos]].key > w.items[id].key
						      : w.items[sorted[pos]].key < w.items[id].key)
						break;
				memmove(&sorted[pos + 1], &sorted[pos], (n++ - pos) * sizeof(u32));
				sorted[pos] = id;
				if (augmented)
					mt_insert(&w, &root, id);
				else
					plain_insert(&w, &root, id);
			}
			compare(&w, &root, sorted, n, augmented);
		}

		/* No pointers inside: a copy is the same tree. */
		static struct world copy;
		struct tree_root copy_root = root;

		copy = w;
		compare(&copy, &copy_root, sorted, n, augmented);
	}
}

static void ascending_stays_flat(void **state)
{
	(void)state;
	static struct world w;
	struct tree_root root;
	u64 min;

	tree_root_init(&root);
	for (u32 i = 0; i < 255; i++) {
		w.items[i].key = i;
		w.items[i].value = 1000 - i;
		mt_insert(&w, &root, i);
	}
	assert_int_equal(verify(&w, root.top, NONE, &min), 8);
	assert_int_equal(w.items[root.top].min_value, 1000 - 254);
	for (u32 i = 0; i < 255; i++)
		mt_erase(&w, &root, tree_first(&root));
	assert_true(tree_empty(&root) && root.first == NONE && root.nr == 0);
}

static void check_finds_damage(void **state)
{
	(void)state;
	static struct world w, good;
	struct tree_root root;

	tree_root_init(&root);
	for (u32 i = 0; i < 20; i++) {
		w.items[i].key = i;
		w.items[i].value = i + 5;
		mt_insert(&w, &root, i);
	}
	good = w;
	assert_true(mt_check(&w, &root));
	w.items[7].key = 70;
	assert_false(mt_check(&w, &root));
	w = good;
	w.items[7].node.balance ^= 1;
	assert_false(mt_check(&w, &root));
	w = good;
	w.items[root.top].min_value++;
	assert_false(mt_check(&w, &root));
	w = good;
	root.nr--;
	assert_false(mt_check(&w, &root));
	root.nr += 2;
	assert_false(mt_check(&w, &root));
	root.nr--;
	root.first = 1;
	assert_false(mt_check(&w, &root));
	root.first = 0;
	assert_true(mt_check(&w, &root));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_operations),
		cmocka_unit_test(ascending_stays_flat),
		cmocka_unit_test(check_finds_damage),
	};

	return cmocka_run_group_tests_name("base-tree", tests, NULL, NULL);
}
