/* SPDX-License-Identifier: GPL-2.0-only */
/* topo.c - `schedground topo MACHINE [--json] [--lint]`. See topo.h. */
#include "app/topo.h"

#include "app/app.h"
#include "app/machine.h"
#include "app/output.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void json_notes(struct jsonout *j, const struct note_list *notes)
{
	jw_open(j, "notes", true);
	for (u32 i = 0; i < notes->nr; i++)
		jw_text(j, NULL, notes->v[i].text);
	jw_close(j);
}

static char *as_json(const struct sim *s, const struct note_list *notes, bool lint,
		     const struct topo_finding *f, u32 nr)
{
	struct jsonout j = { .depth = 0 };
	char *text;

	jw_open(&j, NULL, false);
	jw_text(&j, "schema", "schedground.topo/1");
	jw_text(&j, "kernel", kernel_profiles[s->g->profile].name);
	topo_json(s, &j);
	json_notes(&j, notes);
	if (lint) {
		jw_open(&j, "lint", true);
		for (u32 i = 0; i < nr; i++) {
			jw_open(&j, NULL, false);
			jw_text(&j, "kind", f[i].contradiction ? "contradiction" : "remark");
			jw_text(&j, "text", f[i].text);
			jw_close(&j);
		}
		jw_close(&j);
	}
	jw_close(&j);
	text = jw_take(&j);
	jw_fini(&j);
	return text;
}

static char *as_text(const struct sim *s, const struct note_list *notes, bool lint,
		     const struct topo_finding *f, u32 nr)
{
	struct strbuf b = { 0 };

	if (!lint) {
		topo_text(s, &b);
		for (u32 i = 0; i < notes->nr; i++)
			strbuf_printf(&b, "note: %s\n", notes->v[i].text);
		return strbuf_take(&b);
	}
	for (u32 i = 0; i < nr; i++) {
		char *clean = xstrdup(f[i].text);

		text_clean(clean, strlen(clean) + 1, clean);
		strbuf_printf(&b, "%s: %s\n", f[i].contradiction ? "contradiction" : "remark",
			      clean);
		free(clean);
	}
	if (!nr)
		strbuf_puts(&b, "nothing to complain about\n");
	return strbuf_take(&b);
}

int topo_run(const struct options *opt)
{
	const char *name = opt->machine ? opt->machine : opt->topic ? opt->topic : MACHINE_DEFAULT;
	char *dir = xasprintf("%s/scenarios/machine", data_dir()), *text;
	struct note_list notes = { 0 };
	struct machine_desc *m = NULL;
	struct topo_finding *f = NULL;
	struct err err = { 0 };
	struct sim *s = NULL;
	int code = EXIT_DONE;
	u32 nr = 0;

	if (machine_load(name, dir, &m, &notes, &err)) {
		code = output_error(&err);
		goto out;
	}

	struct sim_config cfg = { .machine = m, .profile = opt->kernel };

	s = sim_new(&cfg, &err);
	if (!s) {
		code = output_error(&err);
		goto out;
	}
	if (opt->lint)
		nr = topo_lint(s, &f);
	text = opt->json ? as_json(s, &notes, opt->lint, f, nr)
			 : as_text(s, &notes, opt->lint, f, nr);
	if (output_text(opt->out, text, &err))
		code = output_error(&err);
	free(text);
	for (u32 i = 0; i < nr; i++)
		if (f[i].contradiction && code == EXIT_DONE)
			code = EXIT_EXPECT;
out:
	topo_lint_free(f, nr);
	sim_free(s);
	machine_free(m);
	note_list_fini(&notes);
	free(dir);
	return code;
}
