/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h - what the fuzzers share. Each NAME-fuzzer.c defines LLVMFuzzerTestOneInput(): with
 * --enable-fuzzing libFuzzer drives it, in a normal build replay.c runs it over the corpus.
 */
#ifndef SG_TESTS_FUZZ_FUZZ_H
#define SG_TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sim.h"

/* One input. Returns 0, or -1 for "not worth keeping". */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken promise: end as a crash, so that the fuzzer keeps the input. */
#define FUZZ_ASSERT(cond)                                                                          \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                 \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* An error must say something, on one line, and carry a code. */
static inline void fuzz_error(const struct err *err)
{
	FUZZ_ASSERT(err->code != ERR_NONE);
	FUZZ_ASSERT(err->msg[0]);
	for (const char *c = err->msg; *c; c++)
		FUZZ_ASSERT((unsigned char)*c >= 32 && *c != 127);
}

/* The bytes with a NUL after them; the caller frees. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_ASSERT(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* @cpus CPUs, little and big if 4 or more; the engine's own small machine. Free with sim_free(). */
static inline struct machine_desc *fuzz_machine(uint32_t cpus)
{
	struct machine_desc c = { .name = "fuzz",
				  .title = "fuzz",
				  .nr_cpus = cpus,
				  .nr_core_types = 1,
				  .nr_opps = 4,
				  .nr_freq_domains = cpus > 3 ? 2 : 1,
				  .nr_nodes = 1,
				  .nr_cores = cpus,
				  .nr_clusters = 1,
				  .nr_llcs = 1,
				  .nr_packages = 1,
				  .has_energy_model = true };
	struct machine_desc *m = machine_desc_new(&c);

	FUZZ_ASSERT(m);
	m->core_types[0] = (struct machine_core_type){ "core", 1, { 100 } };
	for (uint32_t i = 0; i < 4; i++)
		m->opps[i] = (struct machine_opp){ .khz = 1000000 * (1 + i % 2),
						   .capacity = (i < 2 ? 256 : 512) * (1 + i % 2),
						   .power_uw = 100000 * (1 + i) };
	m->freq_domains[0] = (struct machine_freq_domain){ cpus > 3 ? 0 : 2, 2, 100, false };
	if (cpus > 3)
		m->freq_domains[1] = (struct machine_freq_domain){ 2, 2, 100, true };
	for (uint32_t i = 0; i < cpus; i++) {
		bool little = cpus > 3 && i < cpus / 2;

		m->cpus[i] = (struct machine_cpu){ .capacity = little ? 512 : 1024,
						   .core = i,
						   .freq_domain = cpus > 3 && !little };
	}
	m->distance[0] = 10;
	return m;
}

static inline struct sim *fuzz_sim(const struct machine_desc *m)
{
	struct sim_config cfg = {
		.machine = m, .seed = 1, .max_tasks = 256, .max_bytes = 256u << 20
	};
	struct err err = { 0 };
	struct sim *s = sim_new(&cfg, &err);

	if (!s) {
		fprintf(stderr, "%s\n", err.msg);
		FUZZ_ASSERT(err.code == ERR_LIMIT);
	}
	return s;
}

/* A short while of simulated time, and every invariant afterwards. */
static inline void fuzz_run(struct sim *s, uint64_t ns, uint64_t events)
{
	struct err err = { 0 };

	if (sim_run_until(s, s->g->now + ns, events) == SIM_ERROR)
		fuzz_error(&s->err);
	if (sim_check(s, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
}

#endif
