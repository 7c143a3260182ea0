/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values-fuzzer.c - small things people write: times, frequencies, CPU lists, counts, names. The
 * first byte chooses.
 */
#include "app/settings.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/units.h"
#include "engine/base/cpumask.h"
#include "tests/fuzz/fuzz.h"

static void times(const char *text, size_t len)
{
	struct err err = { 0 };
	u64 ns, again;
	char buf[32];

	if (parse_time(text, len, &ns, &err)) {
		fuzz_error(&err);
		return;
	}
	FUZZ_ASSERT(ns <= UNITS_TIME_MAX);
	/* What is written can be read, and is the same. */
	format_time(buf, sizeof(buf), ns);
	FUZZ_ASSERT(!parse_time(buf, strlen(buf), &again, &err));
	FUZZ_ASSERT(again == ns);
}

static void cpus(const char *text)
{
	u64 mask[2], *words = NULL;
	struct err err = { 0 };

	if (cpumask_parse(mask, 2, 100, text, &err))
		fuzz_error(&err);
	else
		FUZZ_ASSERT(!(mask[1] >> 36));
	err.code = ERR_NONE;
	if (parse_cpus(text, 100, &words, &err))
		fuzz_error(&err);
	free(words);
}

static void texts(const char *text, size_t len)
{
	static const char *const names[] = { "eevdf", "cfs", "fifo", "rr", "stride", "lottery" };
	char *clean = malloc(len + 1), *twice = malloc(len + 1);

	FUZZ_ASSERT(clean && twice);
	FUZZ_ASSERT(text_clean(clean, len + 1, text) <= len);
	text_clean(twice, len + 1, clean);
	FUZZ_ASSERT(!strcmp(clean, twice));
	for (size_t i = 0, n; clean[i]; i += n) {
		u32 ch = 0;

		n = utf8_decode(clean + i, strlen(clean + i), &ch);
		FUZZ_ASSERT(n && !text_is_unsafe(ch));
	}
	suggest(text, names, 6);
	free(clean);
	free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	char *text;
	u64 khz;
	s64 v;

	if (!size)
		return -1;
	text = fuzz_text(data + 1, size - 1);
	switch (data[0] % 5) {
	case 0:
		times(text, strlen(text));
		break;
	case 1:
		if (parse_freq(text, strlen(text), &khz, &err))
			fuzz_error(&err);
		break;
	case 2:
		cpus(text);
		break;
	case 3:
		if (parse_count(text, -20, 19, &v, "a nice value", &err))
			fuzz_error(&err);
		else
			FUZZ_ASSERT(v >= -20 && v <= 19);
		break;
	default:
		texts(text, strlen(text));
		break;
	}
	free(text);
	return 0;
}
