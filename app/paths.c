/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * paths.c - where shipped files are, and which file a name stands for.
 *
 * A program run from its build folder uses the source tree it was built from; an installed one the
 * folder it was installed with. SCHEDGROUND_DATA overrides both.
 */
#include "app/app.h"
#include "app/readfile.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef SG_PKGDATADIR
#define SG_PKGDATADIR "/usr/local/share/schedground"
#endif
#ifndef SG_SRCDIR
#define SG_SRCDIR "."
#endif
#ifndef SG_BUILDDIR
#define SG_BUILDDIR "."
#endif

static bool has_scenarios(const char *dir)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/scenarios", dir);
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

const char *data_dir(void)
{
	const char *env = getenv("SCHEDGROUND_DATA");
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	size_t build = strlen(SG_BUILDDIR);

	if (env && *env)
		return env;
	if (n > 0) {
		exe[n] = '\0';
		if (!strncmp(exe, SG_BUILDDIR, build) && exe[build] == '/' &&
		    has_scenarios(SG_SRCDIR))
			return SG_SRCDIR;
	}
	if (has_scenarios(SG_PKGDATADIR))
		return SG_PKGDATADIR;
	return SG_SRCDIR;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **shipped_files(const char *sub, const char *ext, u32 *nr)
{
	char *path = xasprintf("%s/%s", data_dir(), sub);
	DIR *d = opendir(path);
	char **names = NULL;

	*nr = 0;
	free(path);
	if (!d)
		return NULL;
	for (struct dirent *e; (e = readdir(d));) {
		size_t n = strlen(e->d_name), m = strlen(ext);

		if (e->d_name[0] == '.' || n <= m || strcmp(e->d_name + n - m, ext))
			continue;
		names = xrealloc_array(names, *nr + 1, sizeof(*names));
		names[(*nr)++] = xstrdup(e->d_name);
	}
	closedir(d);
	if (*nr)
		qsort(names, *nr, sizeof(*names), compare_names);
	return names;
}

void names_free(char **names, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

static const char *const rooms[] = { "scenarios", "scenarios/rtapp", "scenarios/machine" };
static const char *const endings[] = { "", ".lua", ".json" };

static int not_found(const char *name, struct err *err)
{
	char clean[128];
	const char *near;
	char **all = NULL;
	u32 nr = 0;

	for (unsigned i = 0; i < 2; i++) {
		u32 n;
		char **some = shipped_files(rooms[i], i ? ".json" : ".lua", &n);

		all = xrealloc_array(all, nr + n, sizeof(*all));
		for (u32 k = 0; k < n; k++)
			all[nr++] = some[k];
		free(some);
	}
	near = suggest(name, (const char *const *)all, nr);
	text_clean(clean, sizeof(clean), name);
	for (u32 i = 0; subcommand_names[i] && !near; i++)
		if (suggest(name, &subcommand_names[i], 1)) {
			err_set(err, ERR_USAGE,
				"there is no file or subcommand '%s'; did you mean 'schedground %s'?",
				clean, subcommand_names[i]);
			names_free(all, nr);
			return -1;
		}
	if (near)
		err_set(err, ERR_USAGE,
			"there is no file '%s' here or among the shipped ones; did you "
			"mean '%s'?",
			clean, near);
	else
		err_set(err, ERR_USAGE,
			"there is no file '%s' here or among the shipped ones; "
			"'schedground list scenarios' names those",
			clean);
	names_free(all, nr);
	return -1;
}

int find_scenario(const char *name, char **path, struct err *err)
{
	struct stat st;
	char clean[128];

	if (!*name)
		return err_set(err, ERR_USAGE, "the name of the file is empty");
	if (!strcmp(name, "-") || is_file(name)) {
		*path = xstrdup(name);
		return 0;
	}
	if (!strchr(name, '/')) {
		for (unsigned i = 0; i < ARRAY_SIZE(rooms); i++) {
			for (unsigned k = 0; k < ARRAY_SIZE(endings); k++) {
				*path = xasprintf("%s/%s/%s%s", data_dir(), rooms[i], name,
						  endings[k]);
				if (is_file(*path))
					return 0;
				free(*path);
			}
		}
	}
	*path = NULL;
	text_clean(clean, sizeof(clean), name);
	if (!stat(name, &st) && S_ISDIR(st.st_mode))
		return err_set(
			err, ERR_USAGE,
			"'%s' is a directory; a scenario (.lua) or rt-app file (.json) is needed",
			clean);
	if (strchr(name, '/'))
		return err_set(err, ERR_USAGE, "there is no file '%s'; is the path right?", clean);
	return not_found(name, err);
}

static u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

u64 wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

u64 cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}
