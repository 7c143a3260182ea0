/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host.c - this machine as sysfs tells it: CPUs, caches, cpufreq, cpuidle, NUMA. See host.h.
 *
 * Reads below ROOT/devices/system/: cpu/online, cpu/cpuN/topology, cache, cpufreq, cpuidle,
 * cpu_capacity (drivers/base/arch_topology.c), node/nodeN. Whatever is missing stays unknown. A set
 * of CPUs is named by its lowest CPU, which makes ids that are unique in the whole machine.
 */
#include "app/host.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/readfile.h"
#include "app/text.h"
#include "app/xalloc.h"
#include "engine/base/cpumask.h"

#define SYSFS "/sys"
#define TEXT_MAX 65536u /* of a file */
#define HOST_CPU_IDS 65536u /* numbers a CPU of the host may have */

/*
 * The first line of a file below @root, cleaned, without blanks at its end; NULL if there is none.
 * The caller frees.
 */
static char *sys_text(const char *root, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static char *sys_text(const char *root, const char *fmt, ...)
{
	char rel[256], *path, *buf = NULL;
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	vsnprintf(rel, sizeof(rel), fmt, ap);
	va_end(ap);
	path = xasprintf("%s/devices/system/%s", root, rel);
	if (read_file(path, TEXT_MAX, &buf, &len, NULL))
		buf = NULL;
	free(path);
	if (!buf)
		return NULL;
	buf[strcspn(buf, "\n")] = '\0';
	len = text_clean(buf, strlen(buf) + 1, buf);
	while (len && isspace((u8)buf[len - 1]))
		buf[--len] = '\0';
	return buf;
}

/* A whole number at the start of @text, up to @max; false if there is none. */
static bool number(const char *text, u64 max, u64 *out)
{
	u64 v = 0;

	if (!text || !isdigit((u8)*text))
		return false;
	for (; isdigit((u8)*text) && v <= max; text++)
		v = v * 10 + (u64)(*text - '0');
	*out = v;
	return v <= max;
}

/* The number in a file below cpu/cpuN/, 0 if there is none. */
static u32 cpu_number(const char *root, u32 cpu, const char *file)
{
	char *text = sys_text(root, "cpu/cpu%u/%s", cpu, file);
	u64 v;

	if (!number(text, 0xfffffffeu, &v))
		v = 0;
	free(text);
	return (u32)v;
}

/* First number of a list such as "3,67" or "0-3"; NONE without one. */
static u32 cpu_first(const char *root, u32 cpu, const char *file)
{
	char *text = sys_text(root, "cpu/cpu%u/%s", cpu, file);
	u64 v;

	if (!number(text, HOST_CPU_IDS, &v))
		v = NONE;
	free(text);
	return (u32)v;
}

/* ---- one CPU ---- */

static void read_topology(const char *root, u32 cpu, struct host_cpu *h)
{
	h->core = cpu_first(root, cpu, "topology/core_cpus_list");
	if (h->core == NONE)
		h->core = cpu_first(root, cpu, "topology/thread_siblings_list");
	h->cluster = cpu_first(root, cpu, "topology/cluster_cpus_list");
	h->package = cpu_first(root, cpu, "topology/package_cpus_list");
	if (h->package == NONE)
		h->package = cpu_first(root, cpu, "topology/core_siblings_list");
	h->capacity = cpu_number(root, cpu, "cpu_capacity");
}

/* The last-level cache: the highest level that holds data. */
static void read_caches(const char *root, u32 cpu, struct host_cpu *h)
{
	u32 best = 0;

	for (u32 i = 0; i < 16; i++) {
		char file[64];
		char *type = sys_text(root, "cpu/cpu%u/cache/index%u/type", cpu, i);

		if (!type)
			break;
		snprintf(file, sizeof(file), "cache/index%u/level", i);

		u32 level = cpu_number(root, cpu, file);

		if (strcmp(type, "Instruction") != 0 && level >= best) {
			snprintf(file, sizeof(file), "cache/index%u/shared_cpu_list", i);
			h->llc = cpu_first(root, cpu, file);
			best = level;
		}
		free(type);
	}
}

static void read_cpufreq(const char *root, u32 cpu, struct host_cpu *h)
{
	char *steps = sys_text(root, "cpu/cpu%u/cpufreq/scaling_available_frequencies", cpu);
	char *latency = sys_text(root, "cpu/cpu%u/cpufreq/cpuinfo_transition_latency", cpu);
	u64 v;

	h->domain = cpu_first(root, cpu, "cpufreq/related_cpus");
	h->min_khz = cpu_number(root, cpu, "cpufreq/cpuinfo_min_freq");
	h->max_khz = cpu_number(root, cpu, "cpufreq/cpuinfo_max_freq");
	if (h->max_khz > 100000000)
		h->max_khz = 0;
	/* Told in ns; the kernel's "not known" is all ones. */
	if (number(latency, 1000000000, &v))
		h->latency_us = (u32)((v + 999) / 1000);
	for (char *save, *w = steps ? strtok_r(steps, " ", &save) : NULL;
	     w && h->nr_khz < HOST_MAX_OPPS; w = strtok_r(NULL, " ", &save))
		if (number(w, 100000000, &v) && v)
			h->khz[h->nr_khz++] = (u32)v;
	free(steps);
	free(latency);
}

static void read_cpuidle(const char *root, u32 cpu, struct host_cpu *h)
{
	for (u32 i = 0; i < 16 && h->nr_idle < MACHINE_MAX_IDLE; i++) {
		struct host_idle *s = &h->idle[h->nr_idle];
		char file[64], *name = sys_text(root, "cpu/cpu%u/cpuidle/state%u/name", cpu, i);

		if (!name)
			break;
		snprintf(s->name, sizeof(s->name), "%.31s", name);
		snprintf(file, sizeof(file), "cpuidle/state%u/latency", i);
		s->latency_us = cpu_number(root, cpu, file);
		snprintf(file, sizeof(file), "cpuidle/state%u/residency", i);
		s->residency_us = cpu_number(root, cpu, file);
		snprintf(file, sizeof(file), "cpuidle/state%u/power", i);
		s->power_uw = cpu_number(root, cpu, file);
		/* Drivers that do not know give a made-up falling row, or all ones. */
		if (s->power_uw > 10000000)
			s->power_uw = 0;
		/* Polling is no idle state: the CPU is awake. */
		if (strcmp(name, "POLL") != 0)
			h->nr_idle++;
		free(name);
	}
}

/* ---- nodes ---- */

static void read_node(const char *root, struct host_facts *f, u32 k, const u64 *nodes, u32 words)
{
	u32 id = f->node_key[k], i = 0;
	char *row = sys_text(root, "node/node%u/distance", id);
	char *path = xasprintf("%s/devices/system/node/node%u/meminfo", root, id);
	char *mem = NULL, *save, *w;
	size_t len;
	u64 v;

	w = row ? strtok_r(row, " ", &save) : NULL;
	/* One number per node that is online, in the order of their ids. */
	for_each_cpu_mask(n, nodes, words)
	{
		if (w && number(w, 0xffff, &v) && i < f->nr_nodes)
			f->distance[k * f->nr_nodes + i] = (u32)v;
		i++;
		w = w ? strtok_r(NULL, " ", &save) : NULL;
	}
	if (!read_file(path, TEXT_MAX, &mem, &len, NULL)) {
		const char *total = strstr(mem, "MemTotal:");

		if (total && number(total + 9 + strspn(total + 9, " "), ~0ull / 16, &v))
			f->node_memory[k] = v != 0;
	}
	free(mem);
	free(path);
	free(row);
}

static void read_nodes(const char *root, struct host_facts *f, const u32 *ids)
{
	char *list = sys_text(root, "node/online");
	u32 words = cpumask_words(4096), cpu_words = cpumask_words(HOST_CPU_IDS), k = 0;
	u64 *nodes = xcalloc(words, sizeof(u64)), *cpus = xcalloc(cpu_words, sizeof(u64));

	if (list && !cpumask_parse(nodes, words, 4096, list, NULL)) {
		host_facts_nodes(f, cpumask_weight(nodes, words));
		for_each_cpu_mask(n, nodes, words)
		{
			char *in = sys_text(root, "node/node%u/cpulist", n);

			f->node_key[k++] = n;
			/* An empty list, memory alone, is no list to the parser. */
			if (in && *in && !cpumask_parse(cpus, cpu_words, HOST_CPU_IDS, in, NULL))
				for (u32 c = 0; c < f->nr_cpus; c++)
					if (cpumask_test(cpus, ids[c]))
						f->cpus[c].node = n;
			free(in);
		}
		for (k = 0; k < f->nr_nodes; k++)
			read_node(root, f, k, nodes, words);
	}
	free(nodes);
	free(cpus);
	free(list);
}

/* ---- all of it ---- */

static int read_cpus(const char *root, struct host_facts *f, struct note_list *notes,
		     struct err *err)
{
	char *list = sys_text(root, "cpu/online"), *present = sys_text(root, "cpu/present");
	u32 words = cpumask_words(HOST_CPU_IDS), nr, k = 0, *ids;
	u64 *online = xcalloc(words, sizeof(u64)), *all = xcalloc(words, sizeof(u64));
	int ret = -1;

	if (!list) {
		err_set(err, ERR_USAGE,
			"%s/devices/system/cpu/online cannot be read, so this host's CPUs are not "
			"known; describe them with a spec such as 8 or 2x16",
			root);
		goto out;
	}
	if (cpumask_parse(online, words, HOST_CPU_IDS, list, err)) {
		err_wrap(err, "%s/devices/system/cpu/online", root);
		goto out;
	}
	nr = cpumask_weight(online, words);
	if (nr > MACHINE_MAX_CPUS) {
		err_set(err, ERR_LIMIT, "this host has %u CPUs online; at most %u are allowed", nr,
			MACHINE_MAX_CPUS);
		goto out;
	}
	if (notes && present && !cpumask_parse(all, words, HOST_CPU_IDS, present, NULL) &&
	    cpumask_weight(all, words) > nr)
		note_add(notes, NULL, NULL, "%u CPUs that are offline left out",
			 cpumask_weight(all, words) - nr);
	host_facts_init(f, nr);
	ids = xcalloc(nr, sizeof(*ids));
	for_each_cpu_mask(cpu, online, words)
	{
		struct host_cpu *h = &f->cpus[k];

		ids[k++] = cpu;
		read_topology(root, cpu, h);
		read_caches(root, cpu, h);
		read_cpufreq(root, cpu, h);
		read_cpuidle(root, cpu, h);
	}
	if (notes && ids[nr - 1] != nr - 1)
		note_add(notes, NULL, NULL,
			 "CPUs are numbered anew from 0: the host's last one, %u, "
			 "is %u here",
			 ids[nr - 1], nr - 1);
	read_nodes(root, f, ids);
	free(ids);
	ret = 0;
out:
	free(list);
	free(present);
	free(online);
	free(all);
	return ret;
}

int host_load(const char *sysfs, struct machine_desc **out, struct note_list *notes,
	      struct err *err)
{
	const char *root = sysfs ? sysfs : SYSFS;
	struct host_facts f = { .nr_cpus = 0 };
	int ret;

	*out = NULL;
	ret = read_cpus(root, &f, notes, err);
	if (ret && !sysfs && host_has_hwloc()) {
		err->code = ERR_NONE;
		return host_hwloc_load(HOST_HWLOC_THIS, NULL, out, notes, err);
	}
	if (!ret) {
		snprintf(f.name, sizeof(f.name), "host");
		snprintf(f.title, sizeof(f.title), "this host, %u CPUs, as sysfs tells it",
			 f.nr_cpus);
		ret = host_build(&f, out, notes, err);
	}
	host_facts_fini(&f);
	return ret;
}
