/* SPDX-License-Identifier: GPL-2.0-only */
/* machine_load.c - from what a user calls a machine to its description. See machine.h. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "app/host.h"
#include "app/machine.h"
#include "app/machine_spec.h"
#include "app/readfile.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **machine_names(const char *dir, u32 *nr)
{
	DIR *d = opendir(dir);
	char **names = NULL;
	u32 n = 0;

	for (struct dirent *e; d && (e = readdir(d));) {
		size_t len = strlen(e->d_name);

		if (len <= 5 || strcmp(e->d_name + len - 5, ".json"))
			continue;
		names = xrealloc_array(names, n + 1, sizeof(*names));
		names[n++] = xstrndup(e->d_name, len - 5);
	}
	if (d)
		closedir(d);
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	*nr = n;
	return names;
}

void machine_names_free(char **names, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

static int unknown_name(const char *name, const char *dir, struct err *err)
{
	u32 nr;
	char **names = machine_names(dir, &nr), shown[64];
	const char *hit = suggest(name, (const char *const *)names, nr);

	text_clean(shown, sizeof(shown), name);
	err_set(err, ERR_USAGE,
		"no machine '%s'; allowed are a shipped name, a JSON or hwloc XML file, host, or a spec "
		"such as 6+2, 4x16, 8 or 'node:2 core:4 pu:2'; %s%s%s",
		shown, hit ? "did you mean '" : "see them with: schedground list machines",
		hit ? hit : "", hit ? "'?" : "");
	machine_names_free(names, nr);
	return -1;
}

static int load_file(const char *path, struct machine_desc **out, struct note_list *notes,
		     struct err *err)
{
	const char *base = strrchr(path, '/');
	char *buf, *name;
	size_t len;
	int ret;

	if (read_file(path, JSON_MAX_BYTES, &buf, &len, err))
		return -1;
	base = base ? base + 1 : path;
	name = xstrndup(base, strcspn(base, "."));
	ret = machine_parse(buf, len, name, out, notes, err);
	if (ret)
		json_err_in_file(err, path);
	free(name);
	free(buf);
	return ret;
}

int machine_load(const char *name, const char *dir, struct machine_desc **out,
		 struct note_list *notes, struct err *err)
{
	size_t len = strlen(name);
	char *path;
	int ret;

	*out = NULL;
	if (len > 4 && !strcmp(name + len - 4, ".xml"))
		return host_hwloc_load(HOST_HWLOC_XML, name, out, notes, err);
	if (strchr(name, '/') || !strcmp(name, "-") || is_file(name))
		return load_file(name, out, notes, err);
	if (name[0] >= '0' && name[0] <= '9')
		return machine_spec_parse(name, dir, out, err);
	if (!strcmp(name, "host"))
		return host_load(NULL, out, notes, err);
	if (strchr(name, ':'))
		return host_hwloc_load(HOST_HWLOC_SYNTHETIC, name, out, notes, err);
	if (len > 5 && !strcmp(name + len - 5, ".json"))
		len -= 5;
	path = xasprintf("%s/%.*s.json", dir, (int)(len < 256 ? len : 256), name);
	ret = is_file(path) ? load_file(path, out, notes, err) : unknown_name(name, dir, err);
	free(path);
	return ret;
}
