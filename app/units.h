/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * units.h - times and frequencies as people write them: "250us", "1.5ms", "1.8GHz".
 *
 * Integer arithmetic only, so that what is read is what was meant, to the last nanosecond.
 */
#ifndef SG_APP_UNITS_H
#define SG_APP_UNITS_H

#include "engine/base/err.h"

/* Longest time that may be written: 2^61 ns, a little over 73 years. */
#define UNITS_TIME_MAX (1ull << 61)

/*
 * parse_time - "100ns" "250us" "1.5ms" "2s" "3min" to ns; @len bytes of @s, no NUL needed.
 * A number without a unit, a fraction finer than 1 ns, a sign and anything above UNITS_TIME_MAX
 * are errors (ERR_USAGE). Returns 0 or -1.
 */
int parse_time(const char *s, size_t len, u64 *ns, struct err *err);

/* parse_freq - "1800MHz" "1.8GHz" "300000kHz" to kHz. Returns 0 or -1 (ERR_USAGE). */
int parse_freq(const char *s, size_t len, u64 *khz, struct err *err);

/* format_time - the shortest exact form, e.g. "1.5ms". Returns @buf (24 bytes are enough). */
const char *format_time(char *buf, size_t size, u64 ns);

#endif
