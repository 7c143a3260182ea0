/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fmt.h - numbers with units for people, from integers only. Every function writes at most @size
 * bytes and returns @buf, so that calls nest in a printf.
 */
#ifndef SG_UI_FMT_H
#define SG_UI_FMT_H

#include "engine/base/types.h"

#define FMT_LEN 32

/* fmt_ns - a duration in about four digits: "850ns" "12.5us" "3.20ms" "1.25s" "95.0s" "61m40s". */
char *fmt_ns(char *buf, size_t size, u64 ns);

/* fmt_clock - simulated time in seconds with @digits (0..9) decimals: "12.345". */
char *fmt_clock(char *buf, size_t size, u64 ns, int digits);

/*
 * fmt_axis - a tick label at @ns when ticks are @step apart: just enough decimals, with the
 * unit.
 */
char *fmt_axis(char *buf, size_t size, u64 ns, u64 step);

/* fmt_khz - "1.80GHz", "614MHz". */
char *fmt_khz(char *buf, size_t size, u64 khz);

/* fmt_count - "842", "12.3k", "5.12M". */
char *fmt_count(char *buf, size_t size, u64 n);

/* fmt_class - "fair", "batch", "idle", "fifo", "rr", "dl": a task's policy (enum sched_class_policy). */
const char *fmt_class(u8 policy);

/* fmt_pct - @v of @max in whole percent, rounded half up: "87%"; "-" when @max is 0. */
char *fmt_pct(char *buf, size_t size, u64 v, u64 max);

/* fmt_ratio - a factor in 1/10000: 10000 "1x", 1000 "0.1x", 10000000 "1000x". */
char *fmt_ratio(char *buf, size_t size, u64 r);

#endif
