/* SPDX-License-Identifier: GPL-2.0-only */
/* json-fuzzer.c - JSON repair: what comes out is strict, found in the source, and needs no repair. */
#include "app/json_util.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct json_define defs[] = { { "NAME", "7" }, { "TEXT", "\"a\\\"b\"" } };
	struct json_fixed once = { 0 }, twice = { 0 };
	struct note_list notes = { 0 };
	struct json_doc *doc = NULL;
	struct err err = { 0 };
	int bad = json_repair((const char *)data, size, defs, 2, &once, &err);

	if (bad) {
		fuzz_error(&err);
	} else {
		struct err e = { 0 };
		int line, col;

		FUZZ_ASSERT(strlen(once.text) == once.len);
		for (u32 i = 0; i < once.nr_places; i++) {
			FUZZ_ASSERT(once.places[i].value <= size);
			json_fixed_locate(&once, once.places[i].value, &line, &col);
			FUZZ_ASSERT(line > 0 && col > 0);
		}
		if (json_repair(once.text, once.len, NULL, 0, &twice, &e)) {
			fprintf(stderr, "%s\n%s\n", e.msg, once.text);
			/* Only what placeholders brought in may make it too large. */
			FUZZ_ASSERT(e.code == ERR_LIMIT);
		} else {
			FUZZ_ASSERT(!strcmp(once.text, twice.text));
			for (int k = 0; k < JSON_REPAIR_KINDS; k++)
				FUZZ_ASSERT(!twice.repairs[k].count);
		}
	}
	json_fixed_fini(&once);
	json_fixed_fini(&twice);

	struct err e2 = { 0 };

	FUZZ_ASSERT(!!json_doc_parse((const char *)data, size, defs, 2, &doc, &e2) == !!bad);
	if (doc)
		json_doc_notes(doc, &notes);
	json_doc_free(doc);
	note_list_fini(&notes);
	return 0;
}
