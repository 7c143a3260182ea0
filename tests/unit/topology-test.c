/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topology-test.c - domains and groups: equal to what real kernels built, whole, and small enough.
 *
 * The lines expected for the 4-node and the 6+2 machine were read from /sys/kernel/debug/sched of
 * Linux v6.12 kernels; the ring of four nodes is the example in kernel/sched/topology.c.
 */
#include "tests/sim-world.h"

#include "engine/base/cpumask.h"
#include "engine/hw/topology.h"
#include "engine/sched/domain.h"
#include "engine/sched/place.h"

static const char *describe(const struct sim *s, u32 sd)
{
	static char line[512];
	const struct sched_domain *d = &s->domains[sd];
	int at = snprintf(line, sizeof(line),
			  "name=%s min=%u max=%u busy=%u imb=%u flags=", sd_kind_names[d->kind],
			  d->min_interval, d->max_interval, d->busy_factor, d->imbalance_pct);

	for (u32 i = 0; i < SD_NR_FLAGS; i++)
		if (d->flags >> i & 1)
			at += snprintf(line + at, sizeof(line) - (size_t)at, "SD_%s ",
				       sd_flag_names[i]);
	return line;
}

static void expect_domains(const struct sim *s, cpu_id cpu, const char *const *lines)
{
	for_each_domain(s, cpu, sd)
	{
		assert_non_null(*lines);
		assert_string_equal(describe(s, sd), *lines++);
	}
	assert_null(*lines);
}

static void four_nodes_as_recorded(void **state)
{
	static const char *const lines[] = {
		"name=MC min=2 max=4 busy=16 imb=117 flags=SD_BALANCE_NEWIDLE SD_BALANCE_EXEC "
		"SD_BALANCE_FORK SD_WAKE_AFFINE SD_SHARE_LLC SD_PREFER_SIBLING ",
		"name=NUMA min=8 max=16 busy=16 imb=117 flags=SD_BALANCE_NEWIDLE SD_BALANCE_EXEC "
		"SD_BALANCE_FORK SD_WAKE_AFFINE SD_SERIALIZE SD_OVERLAP SD_NUMA ",
		NULL,
	};
	struct sim *s = world_sim((struct shape){ 8, 0, 4, 1, false }, NULL, 1);

	(void)state;
	for (cpu_id c = 0; c < 8; c++) {
		expect_domains(s, c, lines);
		assert_int_equal(s->cpu_sd[c].llc_size, 2);
		assert_int_equal(s->cpu_sd[c].llc_id, c & ~1u);
		assert_int_equal(s->domains[s->cpu_sd[c].numa].imb_numa_nr, 1);
		assert_int_equal(s->domains[s->cpu_sd[c].numa].cache_nice_tries, 2);
	}
	sim_free(s);
}

static void big_little_as_recorded(void **state)
{
	static const char *const lines[] = {
		"name=MC min=8 max=16 busy=16 imb=117 flags=SD_BALANCE_NEWIDLE SD_BALANCE_EXEC "
		"SD_BALANCE_FORK SD_WAKE_AFFINE SD_ASYM_CPUCAPACITY SD_ASYM_CPUCAPACITY_FULL "
		"SD_SHARE_LLC SD_PREFER_SIBLING ",
		NULL,
	};
	struct machine_desc *m = world_machine((struct shape){ 8, 6, 1, 1, true });
	struct sim_config cfg = { .machine = m };

	(void)state;
	/* Device-tree clusters, as the recorded machine has them: they make no domain. */
	m->nr_clusters = 2;
	m->cpus[6].cluster = m->cpus[7].cluster = 1;

	struct sim *s = sim_new(&cfg, NULL);

	assert_non_null(s);
	for (cpu_id c = 0; c < 8; c++) {
		expect_domains(s, c, lines);
		assert_int_equal(s->cpu_sd[c].asym, s->cpu_sd[c].sd);
	}
	/* One performance domain per frequency domain, the one of the last CPU first. */
	assert_int_equal(arena_len(&s->arena, POOL_PERF_DOMAIN), 2);
	assert_int_equal(s->perf_domains[0].fd, s->topo[7].fd);
	assert_int_equal(s->perf_domains[1].nr_cpus, 6);
	sim_free(s);
	machine_free(m);
}

static void threads_and_clusters(void **state)
{
	static const char *const smt[] = {
		"name=SMT min=2 max=4 busy=16 imb=110 flags=SD_BALANCE_NEWIDLE SD_BALANCE_EXEC "
		"SD_BALANCE_FORK SD_WAKE_AFFINE SD_SHARE_CPUCAPACITY SD_SHARE_LLC "
		"SD_PREFER_SIBLING ",
		"name=CLS min=4 max=8 busy=16 imb=117 flags=SD_BALANCE_NEWIDLE SD_BALANCE_EXEC "
		"SD_BALANCE_FORK SD_WAKE_AFFINE SD_CLUSTER SD_SHARE_LLC SD_PREFER_SIBLING ",
		"name=MC min=16 max=32 busy=16 imb=117 flags=SD_BALANCE_NEWIDLE SD_BALANCE_EXEC "
		"SD_BALANCE_FORK SD_WAKE_AFFINE SD_SHARE_LLC SD_PREFER_SIBLING ",
		NULL,
	};
	struct machine_desc *m = world_machine((struct shape){ 16, 0, 1, 2, false });
	struct sim_config cfg = { .machine = m };

	(void)state;
	m->nr_clusters = 4;
	for (u32 i = 0; i < 16; i++)
		m->cpus[i].cluster = i / 4;

	struct sim *s = sim_new(&cfg, NULL);

	assert_non_null(s);
	for (cpu_id c = 0; c < 16; c++)
		expect_domains(s, c, smt);
	assert_true(cpus_share_resources(s, 0, 3));
	assert_false(cpus_share_resources(s, 3, 4));
	assert_true(cpus_share_cache(s, 3, 4));

	u32 mc = s->cpu_sd[5].llc, own = s->domains[mc].groups;

	/* The group of CPU 5 in the cache domain is its cluster: two cores. */
	assert_int_equal(sg_span(s, own)[0], 0xf0);
	assert_int_equal(s->sgroups[own].cores, 2);
	assert_int_equal(s->sgroups[own].flags & SD_CLUSTER, SD_CLUSTER);
	assert_int_equal(s->sgcs[s->sgroups[own].sgc].capacity, 4096);
	sim_free(s);
	machine_free(m);
}

/* Four nodes of one CPU in a ring: the far level has overlapping groups that one CPU each owns. */
static void a_ring_overlaps(void **state)
{
	static const u64 near[4] = { 0xb, 0x7, 0xe, 0xd };
	struct machine_desc *m = world_machine((struct shape){ 4, 0, 4, 1, false });
	struct sim_config cfg = { .machine = m };

	(void)state;
	for (u32 a = 0; a < 4; a++)
		m->distance[a * 4 + (a + 2) % 4] = 30;

	struct sim *s = sim_new(&cfg, NULL);

	assert_non_null(s);
	for (cpu_id c = 0; c < 4; c++) {
		u32 low = s->cpu_sd[c].sd, top = s->domains[low].parent, far = (c + 2) % 4;

		assert_int_equal(sd_span(s, low)[0], near[c]);
		assert_int_equal(sd_span(s, top)[0], 0xf);
		assert_int_equal(s->domains[top].parent, NONE);

		u32 own = s->domains[top].groups, other = s->sgroups[own].next;

		assert_int_equal(sg_span(s, own)[0], near[c]);
		assert_int_equal(sg_balance_mask(s, own)[0], 1u << c);
		assert_int_equal(sg_span(s, other)[0], near[far]);
		assert_int_equal(sg_balance_mask(s, other)[0], 1u << far);
		assert_int_equal(s->sgroups[other].next, own);
		assert_int_equal(s->sgcs[s->sgroups[own].sgc].capacity, 3072);
	}
	sim_free(s);
	machine_free(m);
}

static void far_nodes_do_not_fork_there(void **state)
{
	struct machine_desc *m = world_machine((struct shape){ 4, 0, 2, 1, false });
	struct sim_config cfg = { .machine = m };

	(void)state;
	m->distance[1] = m->distance[2] = 31;

	struct sim *s = sim_new(&cfg, NULL);

	assert_non_null(s);
	assert_int_equal(s->domains[s->cpu_sd[0].numa].flags &
				 (SD_BALANCE_FORK | SD_BALANCE_EXEC | SD_WAKE_AFFINE),
			 0);
	sim_free(s);
	machine_free(m);
}

/* What holds for every domain tree. */
static void check_whole(const struct sim *s)
{
	u32 words = s->g->mask_words;
	u64 *cover = calloc(words, sizeof(u64));

	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		u32 below = NONE;

		for_each_domain(s, c, sd)
		{
			const struct sched_domain *d = &s->domains[sd];

			assert_int_equal(d->cpu, c);
			assert_int_equal(d->child, below);
			assert_true(d->span_weight > 1);
			if (below != NONE)
				assert_true(
					cpumask_subset(sd_span(s, below), sd_span(s, sd), words));
			assert_true(cpumask_test(sg_span(s, d->groups), c));
			cpumask_zero(cover, words);
			for_each_group(s, sd, sg)
			{
				assert_true(cpumask_subset(sg_span(s, sg), sd_span(s, sd), words));
				if (!(d->flags & SD_OVERLAP))
					assert_false(
						cpumask_intersects(cover, sg_span(s, sg), words));
				cpumask_or(cover, cover, sg_span(s, sg), words);
				assert_false(cpumask_empty(sg_balance_mask(s, sg), words));
			}
			assert_true(cpumask_equal(cover, sd_span(s, sd), words));
			below = sd;
		}
	}
	free(cover);
}

static void trees_are_whole_and_rebuild_equal(void **state)
{
	static const struct shape shapes[] = {
		{ 1, 0, 1, 1, false },	 { 2, 0, 1, 2, false },	 { 4, 0, 1, 1, false },
		{ 8, 4, 1, 1, true },	 { 16, 0, 4, 2, false }, { 96, 0, 2, 2, false },
		{ 130, 0, 5, 1, false },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct sim *s = world_sim(shapes[i], NULL, 1);
		u32 masks = arena_live(&s->arena, POOL_MASK);
		u64 digest = sim_digest(s);

		check_whole(s);
		/* Built again: nothing is lost or left behind. */
		assert_int_equal(domains_build(s, NULL), 0);
		check_whole(s);
		assert_int_equal(arena_live(&s->arena, POOL_MASK), masks);
		assert_int_equal(sim_digest(s), digest);
		sim_free(s);
	}
}

static void offline_cpus_are_left_out(void **state)
{
	struct sim *s = world_sim((struct shape){ 8, 0, 2, 2, false }, NULL, 1);
	u64 online = 0xf1;

	(void)state;
	for (cpu_id c = 1; c < 4; c++)
		s->rqs[c].mode = CPU_OFFLINE;
	s->g->online = mask_intern(s, &online);
	assert_int_equal(domains_build(s, NULL), 0);
	check_whole(s);
	assert_int_equal(s->cpu_sd[1].sd, NONE);
	/* CPU 0 is alone in its core, cache and node: only the NUMA level is left. */
	assert_int_equal(s->domains[s->cpu_sd[0].sd].kind, SD_KIND_NUMA);
	assert_int_equal(s->cpu_sd[0].llc, NONE);
	assert_int_equal(s->domains[s->cpu_sd[4].sd].kind, SD_KIND_SMT);
	sim_free(s);
}

static void a_thousand_cpus_fit(void **state)
{
	struct machine_desc *m = world_machine((struct shape){ 1024, 0, 16, 2, false });
	struct sim_config cfg = { .machine = m };

	(void)state;
	/* Two halves, four quarters: three NUMA levels. */
	for (u32 a = 0; a < 16; a++)
		for (u32 b = 0; b < 16; b++)
			if (a != b)
				m->distance[a * 16 + b] = a / 4 == b / 4   ? 16
							  : a / 8 == b / 8 ? 22
									   : 32;

	struct sim *s = sim_new(&cfg, NULL);

	assert_non_null(s);
	check_whole(s);
	assert_true(domains_bytes(s) / 1024 < 4096);
	assert_true(arena_bytes(&s->arena) / 1024 < 65536);
	sim_free(s);
	machine_free(m);
}

static void scan_limit_falls_with_load(void **state)
{
	(void)state;
	/* Values of the vectors lb_idle_scan. */
	assert_int_equal(idle_scan_limit(16, 15948, 117), 0);
	assert_int_equal(idle_scan_limit(16, 614, 117), 15);
	assert_int_equal(idle_scan_limit(64, 20347, 117), 55);
	assert_int_equal(idle_scan_limit(6, 2141, 117), 5);
	assert_int_equal(idle_scan_limit(64, 49157, 117), 14);
	assert_int_equal(idle_scan_limit(8, 0, 117), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_nodes_as_recorded),
		cmocka_unit_test(big_little_as_recorded),
		cmocka_unit_test(threads_and_clusters),
		cmocka_unit_test(a_ring_overlaps),
		cmocka_unit_test(far_nodes_do_not_fork_there),
		cmocka_unit_test(trees_are_whole_and_rebuild_equal),
		cmocka_unit_test(offline_cpus_are_left_out),
		cmocka_unit_test(a_thousand_cpus_fit),
		cmocka_unit_test(scan_limit_falls_with_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
