/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * governor-schedutil-test.c - the governor on running machines: where frequencies settle, rate
 * limit, shared domains, slow switching.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/access.h"
#include "engine/policy/sugov.h"
#include "engine/sched/features.h"

#define MS 1000000ull

/* Two CPUs at 500, 1000 and 2000 MHz, in one domain or in two. */
static struct sim *world(bool shared, bool fast, const char *profile)
{
	static const u32 khz[] = { 500000, 1000000, 2000000 };
	struct machine_desc counts = { .nr_cpus = 2,
				       .nr_core_types = 1,
				       .nr_opps = 3,
				       .nr_freq_domains = shared ? 1 : 2,
				       .nr_nodes = 1 };
	struct machine_desc *m = machine_desc_new(&counts);
	struct err err = { 0 };

	assert_non_null(m);
	m->nr_cores = m->nr_clusters = 2;
	m->nr_llcs = m->nr_packages = 1;
	snprintf(m->name, sizeof(m->name), "two");
	snprintf(m->core_types[0].name, sizeof(m->core_types[0].name), "core");
	m->core_types[0].smt = 1;
	m->core_types[0].smt_throughput_pct[0] = 100;
	for (u32 i = 0; i < 3; i++)
		m->opps[i] =
			(struct machine_opp){ .khz = khz[i], .capacity = 1024 * khz[i] / khz[2] };
	for (u32 i = 0; i < counts.nr_freq_domains; i++)
		m->freq_domains[i] = (struct machine_freq_domain){ .nr_opps = 3,
								   .fast_switch = fast,
								   .transition_latency_us = 100 };
	m->distance[0] = 10;
	for (u32 i = 0; i < 2; i++)
		m->cpus[i] = (struct machine_cpu){
			.capacity = 1024, .core = i, .cluster = i, .freq_domain = shared ? 0 : i
		};

	struct sim_config cfg = { .machine = m, .profile = profile };
	struct sim *s = sim_new(&cfg, &err);

	machine_free(m);
	if (!s)
		fail_msg("%s", err.msg);

	struct sim_input use = { .kind = INPUT_USE_POLICY,
				 .a = SLOT_GOVERNOR,
				 .b = sim_policy_index(s, SLOT_GOVERNOR, "schedutil") };

	if (sim_input(s, &use, NULL, &err))
		fail_msg("%s", err.msg);
	return s;
}

/* A task of @run in @period ns (no sleep if equal) on CPU @cpu alone. */
static void spawn(struct sim *s, const char *name, cpu_id cpu, u64 run, u64 period)
{
	struct task_spec *spec = task_spec_new(name);
	struct err err = { 0 };
	u64 mask = 1ull << cpu;

	assert_non_null(spec);
	spec->cpus = (u32)spec_mask(spec, &mask, 1, &err);
	if (run == period) {
		assert_int_not_equal(spec_step(spec, STEP_RUN, 0, NONE, ~0ull, 0, &err), -1);
	} else {
		u32 timer = (u32)spec_obj(spec, "t", SYNC_TIMER, true, &err);

		assert_int_not_equal(spec_open(spec, STEP_LOOP, 0, &err), -1);
		assert_int_not_equal(spec_step(spec, STEP_RUN, 0, NONE, run, 0, &err), -1);
		assert_int_not_equal(
			spec_step(spec, STEP_TIMER, STEP_F_LOCAL, timer, period, 0, &err), -1);
		assert_int_not_equal(spec_close(spec, &err), -1);
	}

	struct sim_input in = { .kind = INPUT_SPAWN, .spec = spec };

	if (sim_input(s, &in, NULL, &err))
		fail_msg("%s", err.msg);
	task_spec_free(spec);
}

static void to(struct sim *s, u64 ms)
{
	if (sim_run_until(s, ms * MS, 0) == SIM_ERROR)
		fail_msg("%s", s->err.msg);
}

static void begins_low_and_follows_load(void **state)
{
	struct sim *s = world(false, true, NULL);

	(void)state;
	to(s, 1);
	assert_int_equal(sim_cpu_khz(s, 0), 500000);
	spawn(s, "hog", 0, 1, 1);
	spawn(s, "tenth", 1, 1600000, 16 * MS);
	to(s, 400);
	assert_int_equal(sim_cpu_khz(s, 0), 2000000);
	/* 10 % of the capacity fit the lowest point with 25 % to spare. */
	assert_int_equal(sim_cpu_khz(s, 1), 500000);
	sim_free(s);
}

static void shared_domain_follows_the_busiest(void **state)
{
	struct sim *s = world(true, true, NULL);

	(void)state;
	spawn(s, "tenth", 1, 1600000, 16 * MS);
	to(s, 400);
	assert_int_equal(sim_cpu_khz(s, 0), 500000);
	spawn(s, "hog", 0, 1, 1);
	to(s, 800);
	assert_int_equal(sim_cpu_khz(s, 1), 2000000);
	sim_free(s);
}

struct requests {
	u64 nr, last, min_gap;
};

static void on_request(void *ctx, const struct trace_rec *rec)
{
	struct requests *r = ctx;

	if (r->nr++ && rec->time - r->last < r->min_gap)
		r->min_gap = rec->time - r->last;
	r->last = rec->time;
}

/* No two changes within the rate limit: v6.12 150 us, v6.1 10 ms for a latency of 100 us. */
static void changes_keep_their_distance(void **state)
{
	static const struct {
		const char *profile;
		u64 limit_us;
	} t[] = { { "v6.12", 150 }, { "v6.1", 10000 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct sim *s = world(false, true, t[i].profile);
		struct requests r = { .min_gap = ~0ull };

		if (i)
			s->g->tun.features &= ~FEAT_BIT(SUGOV_SHORT_LIMIT);
		assert_int_equal(sugov_rate_limit_us(s, 0), t[i].limit_us);
		((const struct governor_ops *)governor_schedutil.ops)->start(s, NULL, 0);
		s->trace.probes[s->trace.nr_probes++] = (struct trace_probe){
			.mask = TRACE_BIT(TR_cpu_frequency_request), .fn = on_request, .ctx = &r
		};
		s->trace.mask |= TRACE_BIT(TR_cpu_frequency_request);
		spawn(s, "small", 0, MS, 8 * MS);
		spawn(s, "bursts", 0, 40 * MS, 300 * MS);
		to(s, 3000);
		assert_true(r.nr > 20);
		assert_true(r.min_gap >= t[i].limit_us * 1000);
		sim_free(s);
	}
}

static void slow_domain_changes_later(void **state)
{
	struct sim *s = world(false, false, NULL);

	(void)state;
	spawn(s, "hog", 0, 1, 1);
	to(s, 500);
	assert_int_equal(sim_cpu_khz(s, 0), 2000000);
	assert_int_equal(s->fds[0].work_in_progress, 0);
	assert_int_equal(s->fds[0].next_freq, 2000000);
	sim_free(s);
}

static void caps_are_obeyed(void **state)
{
	struct sim *s = world(false, true, NULL);
	struct sim_input cap = { .kind = INPUT_FREQ_CAP, .a = 0, .b = 1000000 };
	struct err err = { 0 };

	(void)state;
	spawn(s, "hog", 0, 1, 1);
	to(s, 400);
	assert_int_equal(sim_input(s, &cap, NULL, &err), 0);
	to(s, 410);
	assert_int_equal(sim_cpu_khz(s, 0), 1000000);
	to(s, 800);
	assert_int_equal(sim_cpu_khz(s, 0), 1000000);
	cap.b = 0;
	assert_int_equal(sim_input(s, &cap, NULL, &err), 0);
	to(s, 1200);
	assert_int_equal(sim_cpu_khz(s, 0), 2000000);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begins_low_and_follows_load),
		cmocka_unit_test(shared_domain_follows_the_busiest),
		cmocka_unit_test(changes_keep_their_distance),
		cmocka_unit_test(slow_domain_changes_later),
		cmocka_unit_test(caps_are_obeyed),
	};

	return cmocka_run_group_tests_name("governor-schedutil", tests, NULL, NULL);
}
