/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host.h - real machines: what sysfs or hwloc tell, made into a machine description.
 *
 * Two readers (host.c: sysfs; host_hwloc.c: hwloc) fill struct host_facts with what they find;
 * host_build.c puts it in order, fills what nobody can know by the conventions of the machine files
 * (5 % of the lowest operating point in the first idle state, and so on), and says so in notes.
 */
#ifndef SG_APP_HOST_H
#define SG_APP_HOST_H

#include "app/json_util.h"
#include "engine/base/err.h"
#include "engine/hw/machine.h"

#define HOST_MAX_OPPS 64u

struct host_idle {
	char name[32];
	u32 latency_us, residency_us, power_uw; /* power 0: not known */
};

/*
 * One CPU. Keys are any numbers: equal means shared; NONE means nobody said.
 */
struct host_cpu {
	u32 core, cluster, llc, node, package, domain;
	u32 capacity; /* as Linux reports it, 0 = not known */
	u32 min_khz, max_khz; /* 0 = not known */
	u32 khz[HOST_MAX_OPPS], nr_khz; /* steps, in any order; none if only the ends are known */
	u32 latency_us; /* of a change of frequency; NONE = not known */
	struct host_idle idle[MACHINE_MAX_IDLE];
	u32 nr_idle;
};

struct host_facts {
	char name[64], title[128];
	u32 nr_cpus;
	struct host_cpu *cpus;
	/* Nodes by the keys the CPUs use; @distance is nr_nodes * nr_nodes, 0 = not known. */
	u32 nr_nodes, *node_key, *distance;
	bool *node_memory;
};

/* host_facts_init - room for @nr_cpus CPUs about which nothing is known yet. */
void host_facts_init(struct host_facts *f, u32 nr_cpus);
void host_facts_nodes(struct host_facts *f, u32 nr_nodes);
void host_facts_fini(struct host_facts *f);

/*
 * host_build - a machine out of facts: ids made dense, levels that cut across each other joined,
 * gaps filled; each such step is told in @notes (may be NULL). machine_validate()d. Returns 0 with
 * *@out (release: machine_free()), or -1 with @err.
 */
int host_build(struct host_facts *f, struct machine_desc **out, struct note_list *notes,
	       struct err *err);

/*
 * host_load - the machine this runs on. @sysfs: root of the tree to read, NULL = /sys. CPUs that are
 * offline are left out. Where sysfs has no list of CPUs and hwloc is there, hwloc is asked.
 */
int host_load(const char *sysfs, struct machine_desc **out, struct note_list *notes,
	      struct err *err);

/* Where hwloc finds its topology. */
enum host_hwloc_kind { HOST_HWLOC_THIS, HOST_HWLOC_XML, HOST_HWLOC_SYNTHETIC };

/* host_has_hwloc - was hwloc there when this was built? */
bool host_has_hwloc(void);

/*
 * host_hwloc_load - this host as hwloc sees it, an XML file (@arg: its path, as `lstopo x.xml`
 * writes it), or a synthetic description (@arg: "node:2 core:4 pu:2"). Without hwloc ERR_USAGE.
 */
int host_hwloc_load(enum host_hwloc_kind kind, const char *arg, struct machine_desc **out,
		    struct note_list *notes, struct err *err);

#endif
