/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host_hwloc.c - topologies from hwloc: XML files, synthetic descriptions, this host. See host.h.
 *
 * hwloc knows cores, caches, nodes, distances and kinds of CPUs; it knows nothing of operating
 * points and idle states, so those are assumed by host_build(). Everything here is what a file says:
 * bounded and checked before it is used.
 */
#include "config.h"

#include "app/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/readfile.h"
#include "app/text.h"
#include "app/xalloc.h"

#ifdef HAVE_HWLOC

#include <hwloc.h>

#define XML_MAX (64u << 20)

bool host_has_hwloc(void)
{
	return true;
}

static u32 key_of(hwloc_obj_t o)
{
	return o ? o->logical_index : NONE;
}

/* The highest data or unified cache above @pu. */
static hwloc_obj_t last_cache(hwloc_obj_t pu)
{
	hwloc_obj_t found = NULL;

	for (hwloc_obj_t o = pu->parent; o; o = o->parent)
		if (hwloc_obj_type_is_dcache(o->type))
			found = o;
	return found;
}

/*
 * The node closest to @pu, as an index into the nodes: memory hangs beside the objects, and of
 * several nodes over one CPU (memory of two kinds) the first counts.
 */
static u32 node_of(hwloc_topology_t t, hwloc_obj_t pu)
{
	u32 found = NONE;
	int width = 0;

	for (int k = 0; k < hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE); k++) {
		hwloc_obj_t n = hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, (unsigned)k);
		int w;

		if (!n->cpuset || !hwloc_bitmap_isset(n->cpuset, pu->os_index))
			continue;
		w = hwloc_bitmap_weight(n->cpuset);
		if (found == NONE || w < width) {
			found = (u32)k;
			width = w;
		}
	}
	return found;
}

static void read_cpus(hwloc_topology_t t, struct host_facts *f)
{
	hwloc_obj_t pu = NULL;

	for (u32 c = 0; c < f->nr_cpus; c++) {
		struct host_cpu *h = &f->cpus[c];

		pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu);
		h->core = key_of(hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_CORE, pu));
		h->package = key_of(hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_PACKAGE, pu));
		h->llc = key_of(last_cache(pu));
		/* Caches of different levels count their indices each on their own. */
		if (h->llc != NONE)
			h->llc = (h->llc << 3) | (last_cache(pu)->attr->cache.depth & 7);
		h->cluster = key_of(hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_L2CACHE, pu));
		h->node = node_of(t, pu);
	}
}

/* Kinds of CPUs: LinuxCapacity and FrequencyMaxMHz, where the one who wrote the file knew. */
static void read_kinds(hwloc_topology_t t, struct host_facts *f)
{
	int nr = hwloc_cpukinds_get_nr(t, 0);
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (int k = 0; set && k < nr; k++) {
		struct hwloc_info_s *infos = NULL;
		unsigned nr_infos = 0;
		u32 capacity = 0, max_mhz = 0;
		hwloc_obj_t pu = NULL;
		int efficiency;

		if (hwloc_cpukinds_get_info(t, (unsigned)k, set, &efficiency, &nr_infos, &infos, 0))
			continue;
		for (unsigned i = 0; i < nr_infos; i++) {
			unsigned long v = strtoul(infos[i].value, NULL, 10);

			if (!strcmp(infos[i].name, "LinuxCapacity") && v <= 1024)
				capacity = (u32)v;
			if (!strcmp(infos[i].name, "FrequencyMaxMHz") && v <= 100000)
				max_mhz = (u32)v;
		}
		for (u32 c = 0; c < f->nr_cpus; c++) {
			pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu);
			if (!hwloc_bitmap_isset(set, pu->os_index))
				continue;
			f->cpus[c].capacity = capacity;
			f->cpus[c].max_khz = max_mhz * 1000;
			f->cpus[c].min_khz = max_mhz * 1000 / 4;
		}
	}
	hwloc_bitmap_free(set);
}

static void read_nodes(hwloc_topology_t t, struct host_facts *f)
{
	int nr = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
	struct hwloc_distances_s *d = NULL;
	unsigned one = 1;

	if (nr < 1 || nr > 4096)
		return;
	host_facts_nodes(f, (u32)nr);
	for (u32 k = 0; k < f->nr_nodes; k++) {
		hwloc_obj_t n = hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, k);

		f->node_key[k] = k;
		/* A file made by hand may leave sizes out: only "0 here, something there" is told. */
		f->node_memory[k] = n->attr->numanode.local_memory != 0;
	}

	bool any = false;

	for (u32 k = 0; k < f->nr_nodes; k++)
		any |= f->node_memory[k];
	for (u32 k = 0; k < f->nr_nodes; k++)
		f->node_memory[k] |= !any;
	if (hwloc_distances_get_by_type(t, HWLOC_OBJ_NUMANODE, &one, &d,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) ||
	    !one || !d)
		return;
	for (u32 a = 0; a < d->nbobjs; a++) {
		for (u32 b = 0; b < d->nbobjs; b++) {
			hwloc_obj_t x = d->objs[a], y = d->objs[b];
			u64 v = d->values[a * d->nbobjs + b];

			if (x && y && x->logical_index < f->nr_nodes &&
			    y->logical_index < f->nr_nodes)
				f->distance[x->logical_index * f->nr_nodes + y->logical_index] =
					v > 0xffff ? 0xffff : (u32)v;
		}
	}
	hwloc_distances_release(t, d);
}

static int set_source(hwloc_topology_t t, enum host_hwloc_kind kind, const char *arg, char **buf,
		      struct err *err)
{
	char shown[96];
	size_t len;

	text_clean(shown, sizeof(shown), arg ? arg : "");
	if (kind == HOST_HWLOC_SYNTHETIC && hwloc_topology_set_synthetic(t, arg))
		return err_set(
			err, ERR_USAGE,
			"'%s' is no synthetic topology of hwloc; levels with counts from the "
			"outside in are allowed, as in 'node:2 core:4 pu:2'",
			shown);
	if (kind == HOST_HWLOC_XML) {
		if (read_file(arg, XML_MAX, buf, &len, err))
			return -1;
		if (hwloc_topology_set_xmlbuffer(t, *buf, (int)len + 1))
			return err_set(err, ERR_USAGE,
				       "%s is no topology in hwloc's XML; write one with: lstopo "
				       "machine.xml",
				       shown);
	}
	return 0;
}

/*
 * hwloc's XML reader can crash on a damaged file. So a child reads it first: what kills the child is
 * an error here, not the end of a session.
 */
static bool survives(hwloc_topology_t t)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		return true; /* no process to be had: then without the rehearsal */
	if (!child) {
		int null = open("/dev/null", O_WRONLY);

		for (int sig = 1; sig < 32; sig++)
			signal(sig, SIG_DFL);
		dup2(null, 1);
		dup2(null, 2);
		if (hwloc_topology_load(t))
			_exit(1);
		hwloc_topology_destroy(t);
		_exit(0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) <= 1;
}

int host_hwloc_load(enum host_hwloc_kind kind, const char *arg, struct machine_desc **out,
		    struct note_list *notes, struct err *err)
{
	struct host_facts f = { .nr_cpus = 0 };
	hwloc_topology_t t;
	char *buf = NULL;
	int ret = -1, nr;

	*out = NULL;
	if (hwloc_topology_init(&t))
		return err_set(err, ERR_LIMIT, "no memory for hwloc");
	hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
	hwloc_topology_set_icache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_type_filter(t, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_type_filter(t, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
	hwloc_topology_set_cache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_ALL);
	if (set_source(t, kind, arg, &buf, err))
		goto out;
	if (kind == HOST_HWLOC_XML && !survives(t)) {
		err_set(err, ERR_USAGE,
			"%.200s is damaged: hwloc cannot read it; write it anew with: lstopo "
			"machine.xml",
			arg);
		goto out;
	}
	if (hwloc_topology_load(t)) {
		err_set(err, ERR_USAGE, "hwloc cannot read this topology");
		goto out;
	}
	nr = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU);
	if (nr < 1 || nr > (int)MACHINE_MAX_CPUS) {
		err_set(err, nr < 1 ? ERR_USAGE : ERR_LIMIT,
			"this topology has %d CPUs (pu); 1 to %u are allowed", nr,
			MACHINE_MAX_CPUS);
		goto out;
	}
	host_facts_init(&f, (u32)nr);
	read_cpus(t, &f);
	read_kinds(t, &f);
	read_nodes(t, &f);
	if (kind == HOST_HWLOC_THIS) {
		snprintf(f.name, sizeof(f.name), "host");
		snprintf(f.title, sizeof(f.title), "this host, %d CPUs, as hwloc tells it", nr);
	} else {
		const char *base = kind == HOST_HWLOC_XML ? strrchr(arg, '/') : NULL;

		snprintf(f.name, sizeof(f.name), "%.60s", base ? base + 1 : arg);
		snprintf(f.title, sizeof(f.title), "%d CPUs from hwloc's %s", nr,
			 kind == HOST_HWLOC_XML ? "XML" : "synthetic description");
	}
	ret = host_build(&f, out, notes, err);
out:
	hwloc_topology_destroy(t);
	free(buf);
	host_facts_fini(&f);
	return ret;
}

#else

bool host_has_hwloc(void)
{
	return false;
}

int host_hwloc_load(enum host_hwloc_kind kind, const char *arg, struct machine_desc **out,
		    struct note_list *notes, struct err *err)
{
	(void)kind;
	(void)arg;
	(void)notes;
	*out = NULL;
	return err_set(
		err, ERR_USAGE,
		"this build has no hwloc, which reads XML files and synthetic topologies: apt "
		"install libhwloc-dev and configure anew; or use a spec such as 2x16");
}

#endif
