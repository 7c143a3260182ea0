/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpumask.c - the walks over more than one word, and CPU lists as text (the format of the kernel's
 * bitmap_parselist() without its strides).
 */
#include "engine/base/cpumask.h"

#include <stdio.h>

u32 cpumask_weight_slow(const u64 *words, u32 nwords)
{
	u32 n = 0;

	for (u32 i = 0; i < nwords; i++)
		n += hweight64(words[i]);
	return n;
}

cpu_id cpumask_scan_slow(const u64 *a, const u64 *b, u32 nwords, cpu_id from)
{
	u32 i = from / 64;

	if (i >= nwords)
		return NONE;

	u64 w = (a[i] & b[i]) >> (from % 64) << (from % 64);

	while (!w) {
		if (++i == nwords)
			return NONE;
		w = a[i] & b[i];
	}
	return i * 64 + (u32)__builtin_ctzll(w);
}

static const char *cpulist_skip_spaces(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static bool cpulist_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A CPU number at *pp, advanced past it. */
static int cpulist_cpu(const char **pp, u32 nr_cpus, const char *text, cpu_id *cpu, struct err *err)
{
	const char *p = *pp;
	int col = (int)(p - text) + 1;
	u64 n = 0;

	if (!cpulist_digit(*p))
		return err_at(err, ERR_USAGE, 0, col,
			      "CPU list: expected a CPU number at column %d; write it like 0-3,8",
			      col);
	for (; cpulist_digit(*p); p++)
		if (n < NONE)
			n = n * 10 + (u64)(*p - '0');
	if (n >= nr_cpus)
		return err_at(err, ERR_USAGE, 0, col,
			      "CPU list: no CPU %.*s; this machine has CPUs 0-%u",
			      (int)min_u64(20, (u64)(p - *pp)), *pp, nr_cpus - 1);
	*pp = p;
	*cpu = (cpu_id)n;
	return 0;
}

int cpumask_parse(u64 *words, u32 nwords, u32 nr_cpus, const char *text, struct err *err)
{
	const char *p = cpulist_skip_spaces(text);

	BUG_ON(!nr_cpus || nwords < cpumask_words(nr_cpus));
	cpumask_zero(words, nwords);
	if (!strncmp(p, "all", 3) && !*cpulist_skip_spaces(p + 3)) {
		cpumask_fill(words, nwords, nr_cpus);
		return 0;
	}
	for (;;) {
		cpu_id first, last;
		int col = (int)(p - text) + 1;

		if (cpulist_cpu(&p, nr_cpus, text, &first, err))
			return -1;
		last = first;
		if (*p == '-') {
			p++;
			if (cpulist_cpu(&p, nr_cpus, text, &last, err))
				return -1;
		}
		if (last < first)
			return err_at(err, ERR_USAGE, 0, col,
				      "CPU list: range %u-%u runs backwards; write %u-%u", first,
				      last, last, first);
		for (cpu_id cpu = first; cpu <= last; cpu++)
			cpumask_set(words, cpu);
		p = cpulist_skip_spaces(p);
		if (!*p)
			return 0;
		col = (int)(p - text) + 1;
		if (*p != ',')
			return err_at(err, ERR_USAGE, 0, col,
				      "CPU list: expected ',' at column %d; write it like 0-3,8",
				      col);
		p = cpulist_skip_spaces(p + 1);
	}
}

char *cpumask_format(const u64 *words, u32 nwords, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (cpu_id first = cpumask_first(words, nwords); first != NONE;) {
		cpu_id last = first;
		cpu_id next;
		char item[32];

		while ((next = cpumask_next(words, nwords, last)) == last + 1)
			last = next;

		const char *comma = len ? "," : "";
		int n = last == first ? snprintf(item, sizeof(item), "%s%u", comma, first)
				      : snprintf(item, sizeof(item), "%s%u-%u", comma, first, last);
		/* Keep room for the mark unless this is the last item. */
		size_t tail = next == NONE ? 1 : sizeof("...");

		if (len + (size_t)n + tail > size) {
			snprintf(buf + len, size - len, "...");
			break;
		}
		memcpy(buf + len, item, (size_t)n + 1);
		len += (size_t)n;
		first = next;
	}
	return buf;
}
