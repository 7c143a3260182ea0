/* SPDX-License-Identifier: GPL-2.0-only */
/* machine-fuzzer.c - machine files: an error with a text, or a machine that the engine can run. */
#include "app/machine.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine_desc *m = NULL;
	struct note_list notes = { 0 };
	struct err err = { 0 };

	if (machine_parse((const char *)data, size, "fuzz", &m, &notes, &err)) {
		fuzz_error(&err);
		FUZZ_ASSERT(!m);
	} else {
		FUZZ_ASSERT(!machine_validate(m, &err));
		if (m->nr_cpus <= 64) {
			struct sim *s = fuzz_sim(m);

			for (u32 i = 0; s && i < 4; i++) {
				struct task_spec *spec = task_spec_new("t");
				struct sim_input in = { .kind = INPUT_SPAWN, .spec = spec };

				spec_step(spec, STEP_RUN, 0, NONE, NSEC_PER_MSEC, 0, &err);
				FUZZ_ASSERT(!sim_input(s, &in, NULL, &err));
				task_spec_free(spec);
			}
			if (s)
				fuzz_run(s, 20 * NSEC_PER_MSEC, 1000);
			sim_free(s);
		}
	}
	machine_free(m);
	note_list_fini(&notes);
	return 0;
}
