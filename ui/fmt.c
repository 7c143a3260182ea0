/* SPDX-License-Identifier: GPL-2.0-only */
/* fmt.c - see fmt.h. */
#include "ui/fmt.h"

#include <stdio.h>

#include "engine/state.h"

#define ULL(x) ((unsigned long long)(x)) /* u64 is long here, long long there */

/*
 * @v in units of @unit with three significant digits, cut (not rounded: 999.9 must not become
 * 1000).
 */
static void scaled(char *buf, size_t size, u64 v, u64 unit, const char *suffix)
{
	unsigned long long whole = v / unit, rest = v % unit;

	if (whole >= 100 || unit < 10)
		snprintf(buf, size, "%llu%s", whole, suffix);
	else if (whole >= 10 || unit < 100)
		snprintf(buf, size, "%llu.%llu%s", whole, rest / (unit / 10), suffix);
	else
		snprintf(buf, size, "%llu.%02llu%s", whole, rest / (unit / 100), suffix);
}

char *fmt_ns(char *buf, size_t size, u64 ns)
{
	if (ns == NEVER)
		snprintf(buf, size, "never");
	else if (ns < NSEC_PER_USEC)
		snprintf(buf, size, "%lluns", ULL(ns));
	else if (ns < NSEC_PER_MSEC)
		scaled(buf, size, ns, NSEC_PER_USEC, "us");
	else if (ns < NSEC_PER_SEC)
		scaled(buf, size, ns, NSEC_PER_MSEC, "ms");
	else if (ns < 1000 * NSEC_PER_SEC)
		scaled(buf, size, ns, NSEC_PER_SEC, "s");
	else
		snprintf(buf, size, "%llum%02llus", ULL(ns / NSEC_PER_SEC / 60),
			 ULL(ns / NSEC_PER_SEC % 60));
	return buf;
}

char *fmt_clock(char *buf, size_t size, u64 ns, int digits)
{
	u64 unit = NSEC_PER_SEC;

	digits = digits < 0 ? 0 : digits > 9 ? 9 : digits;
	for (int i = 0; i < digits; i++)
		unit /= 10;
	if (digits == 0)
		snprintf(buf, size, "%llu", ULL(ns / NSEC_PER_SEC));
	else
		snprintf(buf, size, "%llu.%0*llu", ULL(ns / NSEC_PER_SEC), digits,
			 ULL(ns % NSEC_PER_SEC / unit));
	return buf;
}

char *fmt_axis(char *buf, size_t size, u64 ns, u64 step)
{
	char num[24];
	int digits = 0;

	if (ns < NSEC_PER_SEC && step < NSEC_PER_MSEC)
		snprintf(buf, size, "%lluus", ULL(ns / NSEC_PER_USEC));
	else if (ns < NSEC_PER_SEC && step < NSEC_PER_SEC / 10)
		snprintf(buf, size, "%llums", ULL(ns / NSEC_PER_MSEC));
	else {
		for (u64 u = NSEC_PER_SEC; u > 1 && step % u; u /= 10)
			digits++;
		snprintf(buf, size, "%ss", fmt_clock(num, sizeof(num), ns, digits));
	}
	return buf;
}

char *fmt_khz(char *buf, size_t size, u64 khz)
{
	if (khz >= 1000000)
		scaled(buf, size, khz, 1000000, "GHz");
	else
		snprintf(buf, size, "%lluMHz", ULL(khz / 1000));
	return buf;
}

char *fmt_count(char *buf, size_t size, u64 n)
{
	if (n < 10000)
		snprintf(buf, size, "%llu", ULL(n));
	else if (n < 1000000)
		scaled(buf, size, n, 1000, "k");
	else if (n < 1000000000)
		scaled(buf, size, n, 1000000, "M");
	else
		scaled(buf, size, n, 1000000000, "G");
	return buf;
}

char *fmt_pct(char *buf, size_t size, u64 v, u64 max)
{
	if (max == 0)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%llu%%", ULL(((u128)v * 200 + max) / ((u128)max * 2)));
	return buf;
}

char *fmt_ratio(char *buf, size_t size, u64 r)
{
	if (r % 10000 == 0 || r >= 1000000)
		snprintf(buf, size, "%llux", ULL(r / 10000));
	else if (r % 1000 == 0 || r >= 100000)
		snprintf(buf, size, "%llu.%llux", ULL(r / 10000), ULL(r % 10000 / 1000));
	else if (r % 100 == 0 || r >= 10000)
		snprintf(buf, size, "%llu.%02llux", ULL(r / 10000), ULL(r % 10000 / 100));
	else
		snprintf(buf, size, "0.%04llux", ULL(r));
	return buf;
}

const char *fmt_class(u8 policy)
{
	switch (policy) {
	case SCHED_FIFO:
		return "fifo";
	case SCHED_RR:
		return "rr";
	case SCHED_BATCH:
		return "batch";
	case SCHED_IDLE:
		return "idle";
	case SCHED_DEADLINE:
		return "dl";
	default:
		return "fair";
	}
}
