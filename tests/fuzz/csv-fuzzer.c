/* SPDX-License-Identifier: GPL-2.0-only */
/* csv-fuzzer.c - timelines of `schedground pelt`: an error with a text, or averages that are written. */
#include "app/pelt_cmd.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pelt_settings settings = { .hz = size % 2 ? 250 : 1000,
					  .half_life_ms = 8u << size % 3,
					  .sample = size % 5 ? 0 : NSEC_PER_SEC };
	struct pelt_timeline tl = { .nr_rows = 0 };
	struct err err = { 0 };
	char *text = fuzz_text(data, size);

	if (pelt_csv_parse(&tl, text, size, "fuzz.csv", &err)) {
		fuzz_error(&err);
	} else if (tl.nr_rows && tl.row[tl.nr_rows - 1].t < NSEC_PER_SEC) {
		FILE *out = fopen("/dev/null", "w");

		FUZZ_ASSERT(out);
		if (pelt_write(&tl, &settings, out, &err))
			fuzz_error(&err);
		fclose(out);
	}
	pelt_timeline_free(&tl);
	free(text);
	return 0;
}
