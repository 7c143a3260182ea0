/* SPDX-License-Identifier: GPL-2.0-only */
/* options-fuzzer.c - the command line: one argument per line of the input. */
#include "app/options.h"
#include "tests/fuzz/fuzz.h"

#define ARGS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "schedground", *argv[ARGS + 2] = { name };
	char *text = fuzz_text(data, size);
	struct options o;
	struct err err = { 0 };
	int argc = 1;

	for (char *p = text; *p && argc <= ARGS;) {
		size_t n = strcspn(p, "\n");
		bool more = p[n] != '\0';

		p[n] = '\0';
		argv[argc++] = p;
		p += n + more;
	}
	if (options_parse(&o, argc, argv, &err))
		fuzz_error(&err);
	options_fini(&o);
	free(text);
	return 0;
}
