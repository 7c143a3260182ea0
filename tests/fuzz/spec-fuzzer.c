/* SPDX-License-Identifier: GPL-2.0-only */
/* spec-fuzzer.c - machine specs (6+2, 4x16) over the shipped models. */
#include "app/app.h"
#include "app/machine_spec.h"
#include "app/xalloc.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine_desc *m = NULL;
	struct err err = { 0 };
	char *text, *dir;

	if (size > 64)
		return -1;
	text = fuzz_text(data, size);
	dir = xasprintf("%s/scenarios/machine", data_dir());
	if (machine_spec_parse(text, dir, &m, &err)) {
		fuzz_error(&err);
		FUZZ_ASSERT(!m);
	} else {
		FUZZ_ASSERT(!machine_validate(m, &err));
	}
	machine_free(m);
	free(text);
	free(dir);
	return 0;
}
