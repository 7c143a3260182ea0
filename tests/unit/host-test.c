/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host-test.c - machines read from sysfs trees: the trees are described in tests/data/host-*.txt and
 * laid out in a folder of their own; topologies from hwloc where it is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/host.h"
#include "app/readfile.h"
#include "app/xalloc.h"
#include "engine/base/cpumask.h"
#include "engine/sim.h"

static void put(const char *root, const char *path, const char *content)
{
	char *full = xasprintf("%s/devices/system/%s", root, path);
	FILE *f;

	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0777);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", content);
	fclose(f);
	free(full);
}

/* PATH = CONTENT with {LIST} in the path for several CPUs; a content of @ is the CPU's number. */
static void put_line(const char *root, char *line)
{
	char *eq = strstr(line, " ="), *content, *open = strchr(line, '{'), *close;
	u64 mask[1];
	struct err err = { 0 };

	if (line[0] == '#' || !eq)
		return;
	*eq = '\0';
	content = eq + 2 + strspn(eq + 2, " ");
	if (!open) {
		put(root, line, content);
		return;
	}
	close = strchr(open, '}');
	assert_non_null(close);
	*open = *close = '\0';
	assert_int_equal(cpumask_parse(mask, 1, 64, open + 1, &err), 0);
	for_each_cpu_mask(c, mask, 1)
	{
		char *path = xasprintf("%s%u%s", line, c, close + 1);
		char *self = xasprintf("%u", c);

		put(root, path, strcmp(content, "@") ? content : self);
		free(path);
		free(self);
	}
}

static void remove_tree(const char *root)
{
	char *cmd = xasprintf("rm -rf '%s'", root);

	assert_int_equal(system(cmd), 0);
	free(cmd);
}

/* Lay out tests/data/host-@name.txt, with @extra lines, and read it. */
static struct machine_desc *load(const char *name, const char *extra, struct note_list *notes,
				 struct err *err)
{
	const char *top = getenv("abs_top_srcdir");
	char root[] = "/tmp/sg-host-XXXXXX";
	char *path = xasprintf("%s/tests/data/host-%s.txt", top ? top : ".", name), *buf, *save;
	struct machine_desc *m = NULL;
	size_t len;

	assert_non_null(mkdtemp(root));
	if (read_file(path, 1 << 20, &buf, &len, err))
		fail_msg("%s", err->msg);
	for (char *l = strtok_r(buf, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		put_line(root, l);
	free(buf);
	buf = xstrdup(extra);
	for (char *l = strtok_r(buf, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		put_line(root, l);
	free(buf);
	free(path);
	host_load(root, &m, notes, err);
	remove_tree(root);
	return m;
}

static bool noted(const struct note_list *notes, const char *part)
{
	for (u32 i = 0; i < notes->nr; i++)
		if (strstr(notes->v[i].text, part))
			return true;
	return false;
}

static void big_and_little(void **state)
{
	struct note_list notes = { 0 };
	struct err err = { 0 };
	struct machine_desc *m = load("biglittle", "", &notes, &err);

	(void)state;
	if (!m)
		fail_msg("%s", err.msg);
	assert_int_equal(m->nr_cpus, 6);
	assert_int_equal(m->nr_cores, 6);
	assert_int_equal(m->nr_clusters, 2);
	assert_int_equal(m->nr_llcs, 2);
	assert_int_equal(m->nr_freq_domains, 2);
	assert_int_equal(m->nr_core_types, 2);
	assert_int_equal(m->cpus[0].capacity, 400);
	assert_int_equal(m->cpus[5].capacity, 1024);

	const struct machine_freq_domain *big = &m->freq_domains[1];

	/* In order, whatever the driver's order; capacity follows the frequency. */
	assert_int_equal(m->freq_domains[0].nr_opps, 4);
	assert_int_equal(m->opps[0].khz, 400000);
	assert_int_equal(m->opps[0].capacity, 100);
	assert_int_equal(big->nr_opps, 3);
	assert_int_equal(m->opps[big->first_opp].khz, 500000);
	assert_int_equal(m->opps[big->first_opp + 2].capacity, 1024);
	assert_int_equal(m->freq_domains[0].transition_latency_us, 250);
	assert_int_equal(big->transition_latency_us, 20); /* not known: the default */
	/* WFI draws 5 % of the lowest operating point: two powers, so two states. */
	assert_int_equal(m->nr_idle_states, 3);
	assert_string_equal(m->idle_states[0].name, "WFI");
	assert_int_equal(m->idle_states[0].power_uw, m->opps[0].power_uw / 20);
	assert_int_equal(m->idle_states[0].cpus[0], 0x0f);
	assert_int_equal(m->idle_states[1].cpus[0], 0x30);
	assert_int_equal(m->idle_states[2].cpus[0], 0x3f);
	assert_int_equal(m->idle_states[2].power_uw, 0);
	assert_int_equal(m->idle_states[2].exit_us, 700);
	assert_false(m->has_energy_model);
	assert_true(noted(&notes, "power is assumed"));
	assert_true(noted(&notes, "5 % of the lowest"));
	machine_free(m);
	note_list_fini(&notes);
}

static void a_server(void **state)
{
	struct note_list notes = { 0 };
	struct err err = { 0 };
	struct machine_desc *m = load("server", "", &notes, &err);

	(void)state;
	if (!m)
		fail_msg("%s", err.msg);
	assert_int_equal(m->nr_cpus, 8);
	assert_int_equal(m->nr_cores, 4);
	assert_int_equal(m->nr_nodes, 2); /* that of memory alone is left out */
	assert_int_equal(m->nr_packages, 2);
	assert_int_equal(m->nr_llcs, 2);
	/* CPU 8 of the host is 4 here, thread 1 of core 0, in one frequency domain with it. */
	assert_int_equal(m->cpus[4].core, m->cpus[0].core);
	assert_int_equal(m->cpus[4].thread, 1);
	assert_int_equal(m->cpus[4].freq_domain, m->cpus[0].freq_domain);
	assert_int_equal(m->nr_freq_domains, 4);
	assert_int_equal(m->freq_domains[0].nr_opps, 8);
	assert_int_equal(m->nr_opps, 8); /* equal tables are one */
	assert_int_equal(m->opps[7].khz, 3600000);
	assert_int_equal(m->core_types[0].smt, 2);
	/* 21 there, 22 back. */
	assert_int_equal(m->distance[1], 22);
	assert_int_equal(m->distance[2], 22);
	assert_true(m->node_memory[0]);
	assert_false(m->node_memory[1]);
	assert_int_equal(m->nr_idle_states, 1); /* POLL is none */
	assert_string_equal(m->idle_states[0].name, "C1");
	assert_int_equal(m->comm_ns.nr_remote, 1);
	assert_true(noted(&notes, "4 CPUs that are offline"));
	assert_true(noted(&notes, "numbered anew"));
	assert_true(noted(&notes, "symmetric"));
	assert_true(noted(&notes, "only their ends"));
	machine_free(m);
	note_list_fini(&notes);
}

static void a_guest_that_does_not_nest(void **state)
{
	struct note_list notes = { 0 };
	struct err err = { 0 };
	struct machine_desc *m = load("guest", "", &notes, &err);

	(void)state;
	if (!m)
		fail_msg("%s", err.msg);
	assert_int_equal(m->nr_packages, 1); /* both sockets are in the one node */
	assert_int_equal(m->nr_llcs, 1);
	assert_int_equal(m->opps[0].khz, 2000000);
	assert_true(noted(&notes, "packages joined"));
	assert_true(noted(&notes, "no frequencies"));
	assert_true(noted(&notes, "no idle states"));

	/* What was read runs. */
	struct sim_config cfg = { .machine = m };
	struct sim *s = sim_new(&cfg, &err);

	assert_non_null(s);
	assert_int_not_equal(sim_run_until(s, NSEC_PER_MSEC, 0), SIM_ERROR);
	sim_free(s);
	machine_free(m);
	note_list_fini(&notes);
}

static void hostile_trees(void **state)
{
	static const struct {
		const char *base, *extra;
		bool ok;
	} cases[] = {
		{ "guest", "cpu/online = ", false },
		{ "guest", "cpu/online = 0-70000", false },
		{ "guest", "cpu/online = 0-5000", false },
		{ "guest", "cpu/online = \33[2J", false },
		{ "guest", "cpu/cpu{0-3}/cpu_capacity = 99999999999999999999", true },
		{ "guest", "cpu/cpu{0-3}/cpu_capacity = 7", true },
		{ "guest", "cpu/cpu0/cpufreq/scaling_available_frequencies = 0 0 1 1 99999999999 x",
		  true },
		{ "guest", "cpu/cpu0/cpufreq/cpuinfo_max_freq = 4294967295", true },
		{ "guest", "node/node0/distance = 7 9 x", true },
		{ "guest", "node/online = 0-9\nnode/node3/cpulist = 2-3\nnode/node3/distance = 1 1",
		  true },
		{ "guest", "cpu/cpu{0-3}/topology/core_cpus_list = 0", true },
		{ "guest",
		  "cpu/cpu0/cpuidle/state0/name = \33]0;x\7\ncpu/cpu0/cpuidle/state0/latency = "
		  "4294967294\ncpu/cpu0/cpuidle/state0/residency = 4294967294",
		  true },
		/* Sixteen threads in a core are more than there are. */
		{ "guest", "cpu/online = 0-15\ncpu/cpu{0-15}/topology/core_cpus_list = 0", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct note_list notes = { 0 };
		struct err err = { 0 };
		struct machine_desc *m = load(cases[i].base, cases[i].extra, &notes, &err);

		if (!!m != cases[i].ok)
			fail_msg("case %zu: %s", i, m ? "was taken" : err.msg);
		if (!m)
			assert_true(err.msg[0]);
		assert_null(strchr(err.msg, '\33'));
		for (u32 k = 0; m && k < m->nr_idle_states; k++)
			assert_null(strchr(m->idle_states[k].name, '\33'));
		machine_free(m);
		note_list_fini(&notes);
	}
}

static void no_tree_at_all(void **state)
{
	struct machine_desc *m;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(host_load("/nonexistent", &m, NULL, &err), -1);
	assert_non_null(strstr(err.msg, "describe them with a spec"));
}

static void from_hwloc(void **state)
{
	struct note_list notes = { 0 };
	struct machine_desc *m = NULL;
	struct err err = { 0 };

	(void)state;
	if (!host_has_hwloc()) {
		assert_int_equal(host_hwloc_load(HOST_HWLOC_SYNTHETIC, "pu:2", &m, &notes, &err),
				 -1);
		assert_non_null(strstr(err.msg, "libhwloc-dev"));
		return;
	}
	if (host_hwloc_load(HOST_HWLOC_SYNTHETIC, "pack:2 node:1 l3:2 core:2 pu:2", &m, &notes,
			    &err))
		fail_msg("%s", err.msg);
	assert_int_equal(m->nr_cpus, 16);
	assert_int_equal(m->nr_cores, 8);
	assert_int_equal(m->nr_llcs, 4);
	assert_int_equal(m->nr_nodes, 2);
	assert_int_equal(m->nr_packages, 2);
	machine_free(m);
	note_list_fini(&notes);
	assert_int_equal(host_hwloc_load(HOST_HWLOC_SYNTHETIC, "node:x", &m, NULL, &err), -1);
	err.code = ERR_NONE;
	assert_int_equal(host_hwloc_load(HOST_HWLOC_SYNTHETIC, "node:300 pu:1", &m, NULL, &err),
			 -1);
	assert_int_equal(err.code, ERR_LIMIT);
	err.code = ERR_NONE;
	assert_int_equal(host_hwloc_load(HOST_HWLOC_SYNTHETIC, "pu:5000", &m, NULL, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);

	/* XML: what hwloc-gather writes; here by hand. */
	const char *top = getenv("abs_top_srcdir");
	char *path = xasprintf("%s/tests/data/host-hwloc.xml", top ? top : ".");

	err.code = ERR_NONE;
	if (host_hwloc_load(HOST_HWLOC_XML, path, &m, &notes, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(m->nr_cpus, 4);
	assert_int_equal(m->cpus[0].capacity, 512);
	assert_int_equal(m->cpus[3].capacity, 1024);
	assert_string_equal(m->name, "host-hwloc.xml");
	machine_free(m);
	note_list_fini(&notes);
	free(path);
	path = xasprintf("%s/tests/data/host-guest.txt", top ? top : ".");
	err.code = ERR_NONE;
	assert_int_equal(host_hwloc_load(HOST_HWLOC_XML, path, &m, NULL, &err), -1);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(big_and_little),
		cmocka_unit_test(a_server),
		cmocka_unit_test(a_guest_that_does_not_nest),
		cmocka_unit_test(hostile_trees),
		cmocka_unit_test(no_tree_at_all),
		cmocka_unit_test(from_hwloc),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
