/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * units.c - times and frequencies as people write them.
 */
#include "app/units.h"

#include "app/text.h"

#include <stdio.h>
#include <string.h>

struct unit {
	const char *name;
	u64 scale; /* in the smallest unit of its table */
};

static const struct unit time_units[] = {
	{ "ns", 1 },
	{ "us", NSEC_PER_USEC },
	{ "\xc2\xb5s", NSEC_PER_USEC },
	{ "ms", NSEC_PER_MSEC },
	{ "s", NSEC_PER_SEC },
	{ "min", 60 * NSEC_PER_SEC },
	{ NULL, 0 },
};

static const struct unit freq_units[] = {
	{ "kHz", 1 },	 { "MHz", 1000 },    { "GHz", 1000000 }, { "khz", 1 },
	{ "mhz", 1000 }, { "ghz", 1000000 }, { NULL, 0 },
};

/* A decimal number and one of @units, exactly; @what and @allowed are for the message. */
static int parse_units(const char *s, size_t len, const struct unit *units, u64 max,
		       const char *what, const char *allowed, u64 *out, struct err *err)
{
	const char *p = s, *end = s + len;
	u64 whole = 0, frac = 0, div = 1, v;
	char shown[40];
	bool digits = false;

	text_clean_n(shown, sizeof(shown), s, len);
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		digits = true;
		if (whole > max / 10)
			goto too_big;
		whole = whole * 10 + (u64)(*p - '0');
	}
	if (p < end && *p == '.') {
		for (p++; p < end && *p >= '0' && *p <= '9'; p++) {
			digits = true;
			if (div < 100000000000ull) {
				frac = frac * 10 + (u64)(*p - '0');
				div *= 10;
			} else if (*p != '0') {
				goto too_fine;
			}
		}
	}
	if (!digits)
		return err_set(err, ERR_USAGE, "'%s' is no %s; write it as %s", shown, what,
			       allowed);
	while (p < end && *p == ' ')
		p++;
	if (p == end)
		return err_set(err, ERR_USAGE, "'%s' has no unit; write it as %s", shown, allowed);
	for (; units->name; units++)
		if (strlen(units->name) == (size_t)(end - p) &&
		    !memcmp(units->name, p, (size_t)(end - p)))
			break;
	if (!units->name)
		return err_set(err, ERR_USAGE, "'%s' has an unknown unit; write it as %s", shown,
			       allowed);
	if ((u128)frac * units->scale % div)
		goto too_fine;
	if ((u128)whole * units->scale > max)
		goto too_big;
	v = whole * units->scale + (u64)((u128)frac * units->scale / div);
	if (v > max)
		goto too_big;
	*out = v;
	return 0;

too_big:
	return err_set(err, ERR_USAGE, "'%s' is too large for a %s; write it as %s", shown, what,
		       allowed);
too_fine:
	return err_set(err, ERR_USAGE, "'%s' is finer than a %s can be; write it as %s", shown,
		       what, allowed);
}

int parse_time(const char *s, size_t len, u64 *ns, struct err *err)
{
	return parse_units(s, len, time_units, UNITS_TIME_MAX, "time",
			   "\"100ns\", \"250us\", \"1.5ms\" or \"2s\"", ns, err);
}

int parse_freq(const char *s, size_t len, u64 *khz, struct err *err)
{
	return parse_units(s, len, freq_units, 1000000000ull, "frequency",
			   "\"1800MHz\" or \"1.8GHz\"", khz, err);
}

const char *format_time(char *buf, size_t size, u64 ns)
{
	static const struct unit show[] = {
		{ "s", NSEC_PER_SEC }, { "ms", NSEC_PER_MSEC }, { "us", NSEC_PER_USEC }, { "ns", 1 }
	};
	size_t i = 0;
	char frac[12];
	int n;

	while (i < 3 && ns < show[i].scale)
		i++;
	snprintf(frac, sizeof(frac), "%09llu",
		 (unsigned long long)(ns % show[i].scale * (NSEC_PER_SEC / show[i].scale)));
	for (n = 9; n > 0 && frac[n - 1] == '0'; n--)
		frac[n - 1] = '\0';
	snprintf(buf, size, "%llu%s%s%s", (unsigned long long)(ns / show[i].scale), n ? "." : "",
		 frac, show[i].name);
	return buf;
}
