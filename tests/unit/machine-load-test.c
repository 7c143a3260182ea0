/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * machine-load-test.c - every shipped machine loads and validates; specs; impossible machines are
 * refused with what is wrong and where; broken files are survived.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/machine.h"
#include "app/machine_spec.h"
#include "app/readfile.h"
#include "app/xalloc.h"
#include "engine/sched/costs.h"

static char dir[4096];

static int find_dir(void **state)
{
	(void)state;
	const char *top = getenv("abs_top_srcdir");

	snprintf(dir, sizeof(dir), "%s/scenarios/machine", top ? top : ".");
	return 0;
}

static struct machine_desc *loaded(const char *name)
{
	struct machine_desc *m = NULL;
	struct err err = { 0 };

	if (machine_load(name, dir, &m, NULL, &err))
		fail_msg("%s: %s", name, err.msg);
	assert_int_equal(machine_validate(m, &err), 0);
	return m;
}

static void all_shipped_machines_load(void **state)
{
	(void)state;
	u32 nr;
	char **names = machine_names(dir, &nr);

	assert_int_equal(nr, 22);
	for (u32 i = 0; i < nr; i++) {
		struct machine_desc *m = loaded(names[i]);

		assert_string_equal(m->name, names[i]);
		assert_true(m->title[0]);
		machine_free(m);
	}
	machine_names_free(names, nr);
}

static void tables_are_read(void **state)
{
	(void)state;
	struct machine_desc *m = loaded("sc7180");

	assert_int_equal(m->nr_cpus, 8);
	assert_int_equal(m->nr_freq_domains, 2);
	assert_int_equal(m->cpus[5].capacity, 312);
	assert_int_equal(m->cpus[6].freq_domain, 1);
	assert_int_equal(m->freq_domains[1].first_opp, 10);
	assert_int_equal(m->freq_domains[1].nr_opps, 15);
	assert_int_equal(m->opps[24].khz, 2400000);
	assert_int_equal(m->opps[24].power_uw, 1134000);
	assert_int_equal(m->freq_domains[0].transition_latency_us, 100);
	assert_false(m->freq_domains[0].fast_switch);
	assert_int_equal(m->nr_idle_states, 7);
	assert_string_equal(m->idle_states[2].name, "little-rail-power-down");
	assert_int_equal(m->idle_states[2].exit_us, 915);
	assert_int_equal(m->idle_states[2].cpus[0], 0x3f);
	assert_int_equal(m->idle_states[6].scope, MACHINE_SCOPE_CLUSTER);
	assert_true(m->has_energy_model);
	assert_int_equal(m->comm_ns.llc, 50);
	machine_free(m);

	m = loaded("power8-4n");
	assert_true(m->node_memory[0] && !m->node_memory[1]);
	assert_int_equal(m->core_types[0].smt, 8);
	assert_false(m->has_energy_model);
	machine_free(m);
}

static void per_core_tables_give_one_domain_per_core(void **state)
{
	(void)state;
	struct machine_desc *m = loaded("smp8-smt");

	assert_int_equal(m->nr_freq_domains, 4);
	assert_int_equal(m->nr_opps, 6);
	for (u32 c = 0; c < 8; c++)
		assert_int_equal(m->cpus[c].freq_domain, m->cpus[c].core);
	assert_int_equal(m->freq_domains[3].first_opp, 0);
	/* No power is given: 5 % of the lowest operating point for the first state, then nothing. */
	assert_int_equal(m->idle_states[0].power_uw, 252874 / 20);
	assert_int_equal(m->idle_states[1].power_uw, 0);
	machine_free(m);
}

static void idle_power_follows_the_kind_of_core(void **state)
{
	(void)state;
	struct machine_desc *m = loaded("intel-hybrid-6p8e");
	u32 p = m->idle_states[0].power_uw, e = m->idle_states[1].power_uw;

	/* One state in the file, two kinds of core: it was split. */
	assert_string_equal(m->idle_states[0].name, m->idle_states[1].name);
	assert_true(machine_mask_test(m->idle_states[0].cpus, 0));
	assert_false(machine_mask_test(m->idle_states[0].cpus, 19));
	assert_true(machine_mask_test(m->idle_states[1].cpus, 19));
	assert_true(p > e && e > 0);
	machine_free(m);
}

static void cache_lines_cost_by_level_and_rank(void **state)
{
	(void)state;
	struct machine_desc *m = loaded("hpe-16n");
	u8 *ranks = machine_remote_ranks(m);
	u32 seen[4] = { 0 };

	assert_int_equal(machine_comm_ns(m, ranks, 0, 0), 0);
	assert_int_equal(machine_comm_ns(m, ranks, 0, 1), 60);
	for (u32 c = 1; c < m->nr_cpus; c++) {
		u32 ns = machine_comm_ns(m, ranks, 0, c);

		assert_int_equal(ns, machine_comm_ns(m, ranks, c, 0));
		if (m->cpus[c].core == m->cpus[0].core)
			assert_int_equal(ns, 7);
		seen[0] += ns == 70;
		seen[1] += ns == 150;
		seen[2] += ns == 200;
		seen[3] += ns == 450;
	}
	for (u32 i = 0; i < 4; i++)
		assert_true(seen[i] > 0);
	free(ranks);
	machine_free(m);
}

static void copies_are_deep(void **state)
{
	(void)state;
	struct machine_desc *m = loaded("power8-4n"), *copy = machine_desc_dup(m);
	struct err err = { 0 };

	assert_memory_equal(m->cpus, copy->cpus, m->nr_cpus * sizeof(*m->cpus));
	assert_memory_equal(m->distance, copy->distance, 16 * sizeof(u32));
	assert_ptr_not_equal(m->idle_states[0].cpus, copy->idle_states[0].cpus);
	machine_free(m);
	assert_int_equal(machine_validate(copy, &err), 0);
	machine_free(copy);
	machine_free(NULL);
}

static void specs_make_machines(void **state)
{
	(void)state;
	struct machine_desc *m = loaded("4+3");

	assert_int_equal(m->nr_cpus, 7);
	assert_int_equal(m->cpus[3].capacity, 312);
	assert_int_equal(m->cpus[4].capacity, 1024);
	assert_int_equal(m->cpus[6].freq_domain, 1);
	assert_int_equal(m->cpus[6].core, 6);
	assert_true(m->has_energy_model);
	machine_free(m);

	m = loaded("1+1+1");
	assert_int_equal(m->cpus[0].capacity, 160);
	assert_int_equal(m->cpus[1].capacity, 498);
	assert_int_equal(m->cpus[2].capacity, 1024);
	assert_int_equal(m->nr_freq_domains, 3);
	machine_free(m);

	m = loaded("4x16");
	assert_int_equal(m->nr_cpus, 64);
	assert_int_equal(m->nr_nodes, 4);
	assert_int_equal(m->nr_llcs, 4);
	assert_int_equal(m->nr_freq_domains, 64);
	assert_int_equal(m->cpus[17].node, 1);
	assert_int_equal(m->distance[1], 20);
	assert_int_equal(m->distance[5], 10);
	machine_free(m);

	m = loaded("70");
	assert_int_equal(m->nr_cpus, 70);
	assert_int_equal(m->nr_nodes, 1);
	assert_int_equal(m->idle_states[0].cpus[1], 0x3f);
	machine_free(m);
	machine_free(loaded("4096"));
}

static void refused(const char *name, const char *part)
{
	struct machine_desc *m;
	struct err err = { 0 };

	if (!machine_load(name, dir, &m, NULL, &err))
		fail_msg("accepted: %s", name);
	assert_null(m);
	assert_int_equal(err.code, ERR_USAGE);
	if (!strstr(err.msg, part))
		fail_msg("'%s' lacks '%s'", err.msg, part);
}

static void wrong_names_and_specs_are_refused(void **state)
{
	(void)state;
	refused("sc7810", "did you mean 'sc7180'?");
	refused("qqqqqqqqqq", "list machines");
	refused("\x1b[2J", "'?[2J'");
	refused("", "no machine ''");
	refused("no/such", "cannot open");
	refused(dir, "is a directory");
	refused("6+", "character 3: a number is missing");
	refused("6+0", "0 CPUs");
	refused("2+2+2+2", "too many parts");
	refused("2x2x2", "too many parts");
	refused("2x2+2", "do not mix");
	refused("4097", "too large");
	refused("64x65", "too many CPUs");
	refused("300x2", "256 nodes");
	refused("18446744073709551617", "too large");
	refused("6 + 2", "neither '+' nor 'x'");
}

/* A machine of two CPUs; one text is exchanged for another before it is parsed. */
static const char two_cpus[] =
	"{\"schema\": \"sched-playground-hw/1\", \"name\": \"two\", \"nr_cpus\": 2,\n"
	" \"core_types\": [{\"id\": 0, \"name\": \"core\", \"smt\": 1, \"smt_throughput_pct\": [100]}],\n"
	" \"cpus\": [\n"
	"  {\"id\": 0, \"type\": 0, \"capacity\": 512, \"core\": 0, \"thread\": 0, \"cluster\": 0,"
	" \"llc\": 0, \"node\": 0, \"package\": 0, \"freq_domain\": 0},\n"
	"  {\"id\": 1, \"type\": 0, \"capacity\": 1024, \"core\": 1, \"thread\": 0, \"cluster\": 1,"
	" \"llc\": 0, \"node\": 1, \"package\": 0, \"freq_domain\": 1}],\n"
	" \"freq_domains\": [\n"
	"  {\"id\": 0, \"cpus\": \"0\", \"granularity\": \"shared\", \"transition_latency_us\": 5,"
	" \"opps\": [{\"khz\": 100, \"capacity\": 512, \"power_uw\": 7}]},\n"
	"  {\"id\": 1, \"cpus\": \"1\", \"fast_switch\": true, \"opps\":"
	" [{\"khz\": 100, \"capacity\": 512, \"power_uw\": 7}, {\"khz\": 200, \"capacity\": 1024,"
	" \"power_uw\": 9}]}],\n"
	" \"idle_states\": [{\"name\": \"C1\", \"scope\": \"cpu\", \"cpus\": \"0-1\", \"entry_us\": 0,"
	" \"exit_us\": 2, \"residency_us\": 3, \"local_timer_stop\": false, \"power_uw\": 1}],\n"
	" \"numa\": {\"nodes\": [{\"id\": 0, \"cpus\": \"0\"}, {\"id\": 1, \"cpus\": \"1\"}],"
	" \"distances\": [[10, 20], [20, 10]]},\n"
	" \"comm_latency_ns\": [{\"level\": \"llc\", \"ns\": 9}]}\n";

static void exchange(const char *from, const char *to, int line, const char *part)
{
	const char *at = strstr(two_cpus, from);
	struct machine_desc *m;
	struct err err = { 0 };
	char *text;

	assert_non_null(at);
	text = xasprintf("%.*s%s%s", (int)(at - two_cpus), two_cpus, to, at + strlen(from));
	if (!machine_parse(text, strlen(text), "x", &m, NULL, &err))
		fail_msg("accepted: %s", to);
	if (!strstr(err.msg, part))
		fail_msg("'%s' lacks '%s'", err.msg, part);
	if (err.line != line)
		fail_msg("'%s' is in line %d, not %d", err.msg, err.line, line);
	free(text);
}

/* What a file may say beside: a core that is not what the kernel is told, costs of its own. */
static void optional_figures(void **state)
{
	static const char with[] = "\"capacity\": 512, \"performance\": 300, \"core\"";
	static const char costs[] =
		"\"scheduler_costs_ns\": [{\"path\": \"tick\", \"ns\": 7000}], \"comm_latency_ns\"";
	static const char from[] = "\"capacity\": 512, \"core\"";
	const char *a = strstr(two_cpus, from), *b = strstr(two_cpus, "\"comm_latency_ns\"");
	struct machine_desc *m;
	struct err err = { 0 };
	char *text = xasprintf("%.*s%s%.*s%s%s", (int)(a - two_cpus), two_cpus, with,
			       (int)(b - a - (int)strlen(from)), a + strlen(from), costs,
			       b + strlen("\"comm_latency_ns\""));
	struct sim *s;

	(void)state;
	if (machine_parse(text, strlen(text), "x", &m, NULL, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(m->cpus[0].performance, 300);
	assert_int_equal(m->cpus[1].performance, 0);
	s = sim_new(&(struct sim_config){ .machine = m }, &err);
	assert_non_null(s);
	assert_int_equal(s->g->tun.cost[COST_tick], 7000);
	assert_int_equal(s->g->tun.cost[COST_switch], cost_descs[COST_switch].ns);
	/* Work goes by what the core does, the kernel's arithmetic by what it was told. */
	assert_int_equal(s->rqs[0].cpu_capacity_orig, 512);
	assert_int_equal(s->rqs[0].speed, 300u << 10);
	sim_free(s);
	machine_free(m);
	free(text);
}

static void impossible_machines_are_refused(void **state)
{
	(void)state;
	struct machine_desc *m;
	struct err err = { 0 };

	assert_int_equal(machine_parse(two_cpus, strlen(two_cpus), "x", &m, NULL, &err), 0);
	assert_true(m->freq_domains[1].fast_switch);
	machine_free(m);

	exchange("\"sched-playground-hw/1\"", "\"other/9\"", 1, "sched-playground-hw/1 is allowed");
	exchange("\"nr_cpus\": 2", "\"nr_cpus\": 3", 1, "'cpus' has 2 entries");
	exchange("\"nr_cpus\": 2", "\"nr_cpus\": 0", 1, "from 1 to 4096");
	exchange("\"nr_cpus\": 2", "\"nr_cpus\": 2000000000", 1, "from 1 to 4096");
	exchange("\"nr_cpus\": 2", "\"nr_cpus\": \"2\"", 1, "the text '2'");
	exchange("\"nr_cpus\": 2", "\"nr_cpu\": 2", 1, "is 'nr_cpu' meant");
	exchange("\"nr_cpus\": 2", "\"nr_cpus\": 2.5", 1, "the number 2.5");
	exchange("\"smt\": 1,", "\"smt\": 2,", 2, "one per number");
	exchange("[100]", "[90]", 2, "100 by definition");
	exchange("\"id\": 1, \"type\"", "\"id\": 2, \"type\"", 5, "ids count from 0");
	exchange("\"id\": 1, \"type\": 0", "\"id\": 1, \"type\": 1", 5, "from 0 to 0");
	exchange("\"capacity\": 512, \"core\"", "\"capacity\": 600, \"core\"", 4,
		 "cpu 0: capacity is 600");
	exchange("\"capacity\": 512, \"core\"", "\"capacity\": 0, \"core\"", 4, "capacity is 0");
	exchange("\"capacity\": 512, \"core\"",
		 "\"capacity\": 512, \"performance\": 2000, \"core\"", 4, "from 1 to 1024");
	exchange("\"comm_latency_ns\"",
		 "\"scheduler_costs_ns\": [{\"path\": \"lunch\", \"ns\": 5}], \"comm_latency_ns\"",
		 11, "'lunch', which is no cost");
	exchange("\"comm_latency_ns\"",
		 "\"scheduler_costs_ns\": [{\"path\": \"tick\", \"ns\": -5}], \"comm_latency_ns\"",
		 11, "from 0");
	exchange("\"core\": 1,", "\"core\": 0,", 5, "one core lies in one cluster");
	exchange("\"thread\": 0, \"cluster\": 1", "\"thread\": 1, \"cluster\": 1", 5,
		 "thread is 1");
	exchange("\"cluster\": 1", "\"cluster\": 0", 5, "cluster 0 is in node");
	exchange("\"package\": 0, \"freq_domain\": 1", "\"package\": 1, \"freq_domain\": 1", 5,
		 "llc 0 is in package 1");
	exchange("\"freq_domain\": 1", "\"freq_domain\": 0", 7, "leaves out cpu 1");
	exchange("\"cpus\": \"1\", \"fast", "\"cpus\": \"1-9\", \"fast", 8, "'cpus':");
	exchange("\"shared\"", "\"per_thread\"", 7, "shared or per_core");
	exchange("\"khz\": 200", "\"khz\": 100", 8, "rise strictly");
	exchange("\"power_uw\": 9", "\"power_uw\": 6", 8, "power_uw 6 follows 7");
	exchange("\"power_uw\": 9", "\"power_uw\": -1", 8, "from 0 to");
	exchange("\"residency_us\": 3", "\"residency_us\": 1e12", 9, "from 0 to");
	exchange("\"scope\": \"cpu\"", "\"scope\": \"core\"", 9, "cpu, cluster or system");
	exchange("[20, 10]", "[21, 10]", 10, "symmetric");
	exchange("[[10, 20]", "[[11, 20]", 10, "10 by definition");
	exchange("[[10, 20]", "[[10]", 10, "2 rows of 2 numbers");
	exchange(", [20, 10]", "", 10, "1 rows for 2 nodes");
	exchange("\"level\": \"llc\"", "\"level\": \"remote2\"", 11, "in order");
}

static void no_biggest_core_is_refused(void **state)
{
	(void)state;
	struct machine_desc *m = loaded("2");
	struct err err = { 0 };

	m->cpus[0].capacity = m->cpus[1].capacity = 900;
	m->opps[m->nr_opps - 1].capacity = 900;
	assert_int_equal(machine_validate(m, &err), -1);
	assert_non_null(strstr(err.msg, "no CPU has capacity 1024"));
	machine_free(m);

	m = loaded("smp8-smt");
	err = (struct err){ 0 };
	m->cpus[4].thread = 0;
	assert_int_equal(machine_validate(m, &err), -1);
	assert_non_null(strstr(err.msg, "core 0 has its thread 0 twice"));
	machine_free(m);
}

static void workloads_are_no_machines(void **state)
{
	(void)state;
	struct machine_desc *m;
	struct err err = { 0 };
	const char *text = "{\"tasks\": {}}";

	assert_int_equal(machine_parse(text, strlen(text), "x", &m, NULL, &err), -1);
	assert_non_null(strstr(err.msg, "--machine"));
}

/* Cut and damaged copies of a real file: an error with a place, or a machine that validates. */
static void damaged_files_are_survived(void **state)
{
	(void)state;
	char *path = xasprintf("%s/smp8-smt.json", dir), *buf;
	size_t len;
	struct err err = { 0 };

	assert_int_equal(read_file(path, 1 << 20, &buf, &len, &err), 0);
	for (size_t i = 0; i < len; i += 7) {
		for (int kind = 0; kind < 2; kind++) {
			char *copy = xcalloc(len, 1);
			struct machine_desc *m;
			size_t n = kind ? len : i;

			memcpy(copy, buf, len);
			if (kind)
				copy[i] = (char)("0\"{]x\x80"[i % 6]);
			copy = xrealloc_array(copy, n, 1);
			err = (struct err){ 0 };
			if (machine_parse(copy, n, "x", &m, NULL, &err)) {
				assert_true(err.line > 0 && err.msg[0]);
			} else {
				assert_true(kind);
				assert_int_equal(machine_validate(m, &err), 0);
				machine_free(m);
			}
			free(copy);
		}
	}
	free(buf);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_shipped_machines_load),
		cmocka_unit_test(tables_are_read),
		cmocka_unit_test(per_core_tables_give_one_domain_per_core),
		cmocka_unit_test(idle_power_follows_the_kind_of_core),
		cmocka_unit_test(cache_lines_cost_by_level_and_rank),
		cmocka_unit_test(copies_are_deep),
		cmocka_unit_test(specs_make_machines),
		cmocka_unit_test(wrong_names_and_specs_are_refused),
		cmocka_unit_test(optional_figures),
		cmocka_unit_test(impossible_machines_are_refused),
		cmocka_unit_test(no_biggest_core_is_refused),
		cmocka_unit_test(workloads_are_no_machines),
		cmocka_unit_test(damaged_files_are_survived),
	};

	return cmocka_run_group_tests(tests, find_dir, NULL);
}
