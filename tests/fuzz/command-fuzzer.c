/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command-fuzzer.c - lines of the prompt, one after the other on a small running simulation, and
 * completion at a place in each. What writes files or runs Lua is left out: only refused to scripts.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/xalloc.h"
#include "tests/fuzz/fuzz.h"

static void one_line(struct app *app, const char *line, unsigned at)
{
	const struct command *c = command_find(line + strspn(line, " \t"),
					       strcspn(line + strspn(line, " \t"), " \t"));
	bool safe = c && strcmp(c->area, "file") && strcmp(c->name, "lua");
	struct strbuf out = { 0 };
	struct err err = { 0 };
	char cands[16][64];
	int start = 0, len = (int)strlen(line), cursor = len ? (int)(at % (unsigned)(len + 1)) : 0;
	int nr = command_complete(app, line, cursor, &start, &cands[0][0], sizeof(cands[0]), 16);

	FUZZ_ASSERT(nr >= 0 && nr <= 16 && start >= 0 && start <= cursor);
	if (command_run(app, line, safe ? CMD_USER : CMD_SCRIPT, &out, &err))
		fuzz_error(&err);
	strbuf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options opt = { 0 };
	struct app app;
	char *text, *save = NULL;
	unsigned nr = 0;

	if (size > 1024)
		return -1;
	app_init(&app, &opt);
	app.machine = fuzz_machine(4);
	app.sim = fuzz_sim(app.machine);
	app.sc.duration = NSEC_PER_SEC;
	app.sc.name = xstrdup("fuzz");
	text = fuzz_text(data, size);
	for (char *l = strtok_r(text, "\n", &save); l && nr < 16; l = strtok_r(NULL, "\n", &save)) {
		one_line(&app, l, nr++ * 7);
		fuzz_run(app.sim, NSEC_PER_MSEC, 100);
	}
	free(text);
	app_fini(&app);
	return 0;
}
