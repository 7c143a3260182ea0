/* SPDX-License-Identifier: GPL-2.0-only */
/* rtapp.c - rt-app files: the doors. See rtapp.h; the work is done in rtapp_read.c and others. */
#include "app/rtapp.h"

#include <stdlib.h>
#include <string.h>

#include "app/readfile.h"
#include "app/rtapp_ir.h"
#include "app/xalloc.h"

int rtapp_parse(const char *buf, size_t len, const struct rtapp_options *opt, struct rtapp **out,
		struct note_list *notes, struct err *err)
{
	struct rt_file *f = xcalloc(1, sizeof(*f));
	struct rtapp *r = xcalloc(1, sizeof(*r));
	int ret = -1;

	*out = NULL;
	f->opt = opt;
	f->notes = notes;
	f->err = err;
	if (!json_doc_parse(buf, len, opt->defs, opt->nr_defs, &f->doc, err)) {
		if (notes)
			json_doc_notes(f->doc, notes);
		ret = rt_read(f) || rt_build(f, r) ? -1 : 0;
	}
	r->groups = f->groups;
	r->nr_groups = f->nr_groups;
	rt_file_fini(f);
	json_doc_free(f->doc);
	free(f);
	if (ret)
		rtapp_free(r);
	else
		*out = r;
	return ret;
}

int rtapp_load(const char *path, const struct rtapp_options *opt, struct rtapp **out,
	       struct note_list *notes, struct err *err)
{
	size_t len;
	char *buf;
	int ret;

	*out = NULL;
	if (read_file(path, JSON_MAX_BYTES, &buf, &len, err))
		return -1;
	ret = rtapp_parse(buf, len, opt, out, notes, err);
	if (ret)
		json_err_in_file(err, strcmp(path, "-") ? path : "standard input");
	free(buf);
	return ret;
}

void rtapp_free(struct rtapp *r)
{
	if (!r)
		return;
	for (u32 i = 0; i < r->nr_specs; i++)
		task_spec_free(r->specs[i]);
	free(r->specs);
	free(r->groups);
	free(r);
}
