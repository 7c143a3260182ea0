/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * err.h - how a failure travels: a caller-owned, fixed-size record, filled where it happens.
 *
 * Three kinds, never mixed: what a user can mend (struct err, shown with place and hint), what a
 * programmer must mend (BUG_ON, always compiled in), and limits (ERR_LIMIT, naming the knob).
 */
#ifndef SG_ENGINE_BASE_ERR_H
#define SG_ENGINE_BASE_ERR_H

#include "engine/base/types.h"

enum err_code {
	ERR_NONE,
	ERR_USAGE, /* command line, file or value: exit 2 */
	ERR_SCRIPT, /* a script or Lua policy failed: exit 3 */
	ERR_DIVERGED, /* digests differ or an invariant broke: exit 4 */
	ERR_LIMIT, /* a stated limit was reached: exit 5 */
};

struct err {
	enum err_code code;
	int line, col; /* 1-based place in the input, 0 = unknown */
	char msg[512]; /* one sentence with its hint, no trailing newline */
};

/*
 * err_set - fill @err (NULL is allowed and ignored) and return -1, so that a function can end with
 * `return err_set(err, ERR_USAGE, "...")`. The first error stays: a set record is not overwritten.
 */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* err_at - as err_set(), with a place in the input. */
int err_at(struct err *err, enum err_code code, int line, int col, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* err_wrap - put "prefix: " before the message of a set record. Returns -1. */
int err_wrap(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * bug_handler - called by BUG_ON with the place and the condition's text; must not return. The
 * application installs one that restores the terminal and prints a report. One per process: it is
 * the only mutable global of the engine, because a bug may be met where no struct sim is at hand.
 */
typedef void (*bug_handler_fn)(const char *file, int line, const char *cond);
void bug_handler_set(bug_handler_fn fn);
__attribute__((cold)) _Noreturn void bug_at(const char *file, int line, const char *cond);

#define BUG_ON(cond)                                                                               \
	do {                                                                                       \
		if (__builtin_expect(!!(cond), 0))                                                 \
			bug_at(__FILE__, __LINE__, #cond);                                         \
	} while (0)

#endif
