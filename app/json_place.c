/* SPDX-License-Identifier: GPL-2.0-only */
/* json_place.c - line and column of a byte of a JSON source. See json_repair.h. */
#include <stdlib.h>
#include <string.h>

#include "app/json_repair.h"
#include "app/xalloc.h"

void json_fixed_fini(struct json_fixed *f)
{
	free(f->text);
	free(f->places);
	free(f->source);
	free(f->block_lines);
	memset(f, 0, sizeof(*f));
}

void json_fixed_locate(const struct json_fixed *f, u32 at, int *line, int *col)
{
	if (at > f->source_len)
		at = (u32)f->source_len;

	u32 block = at / JSON_BLOCK, lines = f->block_lines ? f->block_lines[block] : 0, c = 1;

	for (u32 i = block * JSON_BLOCK; i < at; i++)
		lines += f->source[i] == '\n';
	for (u32 i = at; i > 0 && f->source[i - 1] != '\n'; i--)
		c += ((u8)f->source[i - 1] & 0xc0) != 0x80;
	*line = (int)lines + 1;
	*col = (int)c;
}

void json_fixed_index(struct json_fixed *f)
{
	u32 lines = 0;

	f->block_lines = xcalloc(f->source_len / JSON_BLOCK + 1, sizeof(u32));
	for (size_t i = 0; i < f->source_len; i++) {
		if (i % JSON_BLOCK == 0)
			f->block_lines[i / JSON_BLOCK] = lines;
		lines += f->source[i] == '\n';
	}
	if (f->source_len % JSON_BLOCK == 0)
		f->block_lines[f->source_len / JSON_BLOCK] = lines;
}
