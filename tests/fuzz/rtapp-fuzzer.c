/* SPDX-License-Identifier: GPL-2.0-only */
/* rtapp-fuzzer.c - rt-app files: an error with a text, or tasks that the engine can run. */
#include "app/rtapp.h"
#include "tests/fuzz/fuzz.h"

#define CPUS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rtapp_options opt = { .nr_cpus = CPUS };
	struct note_list notes = { 0 };
	struct rtapp *r = NULL;
	struct err err = { 0 };

	if (rtapp_parse((const char *)data, size, &opt, &r, &notes, &err)) {
		fuzz_error(&err);
		FUZZ_ASSERT(!r);
	} else if (r->nr_threads <= 64) {
		struct machine_desc *m = fuzz_machine(CPUS);
		struct sim *s = fuzz_sim(m);

		machine_free(m);
		for (u32 i = 0; s && i < r->nr_specs; i++) {
			struct sim_input in = { .kind = INPUT_SPAWN, .spec = r->specs[i] };

			err.code = ERR_NONE;
			if (sim_input(s, &in, NULL, &err))
				fuzz_error(&err);
		}
		if (s)
			fuzz_run(s, 50 * NSEC_PER_MSEC, 2000);
		sim_free(s);
	}
	rtapp_free(r);
	note_list_fini(&notes);
	return 0;
}
