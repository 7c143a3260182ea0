/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fault.h - allocations that fail on purpose, and a count of what is not given back.
 *
 * The tests of this folder are linked with --wrap for malloc, calloc, realloc, strdup and free: what
 * our code asks for goes through here, what libc does inside does not. cJSON is asked through its
 * hooks. The front end ends without memory (crash_no_memory()): that too comes here, jumps back to
 * the test and gives back what was held.
 */
#ifndef SG_TESTS_FAULT_FAULT_H
#define SG_TESTS_FAULT_FAULT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * From now on count live blocks; allocation number @n fails (0 = none), and every one after it, or
 * with fault_alone(true) none after it.
 */
void fault_begin(unsigned n);

void fault_alone(bool alone);

/* Stop failing and counting. Returns how many blocks are still held; they are then released. */
unsigned fault_end(void);

/* Stop failing and counting; what is held stays. */
void fault_end_keep(void);

/* Did an allocation fail since fault_begin()? */
bool fault_hit(void);

/*
 * fault_try - call @fn(@arg) with allocation @n failing. *@gave_up is set if the front end ended the
 * process; the result is then -1. Returns that of @fn.
 */
int fault_try(unsigned n, int (*fn)(void *arg), void *arg, bool *gave_up);

#endif
