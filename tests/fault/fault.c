/* SPDX-License-Identifier: GPL-2.0-only */
/* fault.c - see fault.h. A test program may have globals. */
#include "tests/fault/fault.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
char *__wrap_strdup(const char *s);
void __wrap_free(void *p);
_Noreturn void __wrap_crash_no_memory(size_t bytes);

#define SLOTS (1u << 18)

static void **held; /* open addressing; a removed block leaves a mark */
static unsigned nr_held, calls, fail_at;
static bool counting, hit, only_one;
static jmp_buf back;
static bool may_jump;
static char gone;

static unsigned slot_of(const void *p)
{
	return (unsigned)(((uintptr_t)p >> 4) * 2654435761u) % SLOTS;
}

static void *hold(void *p)
{
	unsigned i = slot_of(p);

	if (!p || !counting)
		return p;
	while (held[i] && held[i] != &gone)
		i = (i + 1) % SLOTS;
	held[i] = p;
	nr_held++;
	return p;
}

static void let_go(void *p)
{
	if (!p || !held)
		return;
	for (unsigned i = slot_of(p); held[i]; i = (i + 1) % SLOTS) {
		if (held[i] != p)
			continue;
		held[i] = &gone;
		nr_held--;
		return;
	}
}

static bool fails(void)
{
	if (!counting || !fail_at || ++calls < fail_at || (only_one && calls > fail_at))
		return false;
	hit = true;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : hold(__real_malloc(size));
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return fails() ? NULL : hold(__real_calloc(nr, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	void *q;

	if (fails())
		return NULL;
	let_go(p);
	q = __real_realloc(p, size);
	return hold(q ? q : p);
}

/* The blocks of the arena, hence every pool. */
void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return fails() ? NULL : hold(__real_aligned_alloc(align, size));
}

char *__wrap_strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = __wrap_malloc(n);

	return p ? memcpy(p, s, n) : NULL;
}

void __wrap_free(void *p)
{
	let_go(p);
	__real_free(p);
}

_Noreturn void __wrap_crash_no_memory(size_t bytes)
{
	(void)bytes;
	if (!may_jump)
		abort();
	longjmp(back, 1);
}

void fault_alone(bool alone)
{
	only_one = alone;
}

void fault_begin(unsigned n)
{
	if (!held)
		held = __real_calloc(SLOTS, sizeof(*held));
	memset(held, 0, SLOTS * sizeof(*held));
	nr_held = calls = 0;
	fail_at = n;
	hit = false;
	counting = true;
}

unsigned fault_end(void)
{
	unsigned nr = nr_held;

	counting = false;
	for (unsigned i = 0; nr && i < SLOTS; i++)
		if (held[i] && held[i] != &gone)
			__real_free(held[i]);
	memset(held, 0, SLOTS * sizeof(*held));
	nr_held = 0;
	return nr;
}

void fault_end_keep(void)
{
	counting = false;
	memset(held, 0, SLOTS * sizeof(*held));
	nr_held = 0;
}

bool fault_hit(void)
{
	return hit;
}

int fault_try(unsigned n, int (*fn)(void *arg), void *arg, bool *gave_up)
{
	int ret;

	*gave_up = false;
	fault_begin(n);
	may_jump = true;
	if (setjmp(back)) {
		may_jump = false;
		*gave_up = true;
		counting = false;
		return -1;
	}
	ret = fn(arg);
	may_jump = false;
	return ret;
}
