/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replay.c - main() of a fuzzer without libFuzzer: run it once over every file of its corpus.
 *
 * usage: NAME-fuzzer FILE|FOLDER...; says how many inputs there were.
 */
#include <dirent.h>

#include "tests/fuzz/fuzz.h"

static unsigned replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t len = 0, cap = 0;

	if (!f) {
		perror(path);
		exit(2);
	}
	do {
		if (len == cap) {
			cap = cap ? 2 * cap : 65536;
			data = realloc(data, cap);
			FUZZ_ASSERT(data);
		}
		len += fread(data + len, 1, cap - len, f);
	} while (!feof(f) && !ferror(f));
	fclose(f);

	/* Exactly as long as the input, so that a sanitizer sees a read past its end. */
	uint8_t *exact = malloc(len ? len : 1);

	FUZZ_ASSERT(exact);
	if (len)
		memcpy(exact, data, len);
	free(data);
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(exact, len);
	free(exact);
	return 1;
}

static unsigned replay(const char *path)
{
	DIR *d = opendir(path);
	unsigned nr = 0;

	if (!d)
		return replay_file(path);
	for (struct dirent *e; (e = readdir(d));) {
		char sub[4096];

		if (e->d_name[0] == '.')
			continue;
		if (snprintf(sub, sizeof(sub), "%s/%s", path, e->d_name) < (int)sizeof(sub))
			nr += replay(sub);
	}
	closedir(d);
	return nr;
}

int main(int argc, char **argv)
{
	unsigned nr = 0;

	for (int i = 1; i < argc; i++)
		nr += replay(argv[i]);
	printf("%u inputs\n", nr);
	return nr ? 0 : 1;
}
