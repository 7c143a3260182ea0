/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expectations-test.c - what anybody expects of a fair scheduler, asked of every kernel profile:
 * shares by nice and by group, bounded lag, a light task among hogs, an idle machine filled, a big
 * task on a big core, small ones on little cores, help for a saturated node.
 *
 * Figures come from weights and capacities, never from a run. Profiles differ in how fast they get
 * there; the times allowed are several periods of the balancing that does it.
 */
#include "tests/sim-world.h"

#include "engine/sched/core.h"
#include "engine/sched/load.h"

/* Call @fn for each profile; a failure names it. */
static void for_each_profile(void (*fn)(const char *profile))
{
	for (u32 i = 0; i < nr_kernel_profiles; i++) {
		print_message("# %s\n", kernel_profiles[i].name);
		fn(kernel_profiles[i].name);
	}
}

static u64 busy_of(const struct sim *s, u64 serial)
{
	return sim_task_stats_now(s, sim_find_task(s, serial)).busy_ns;
}

static cpu_id cpu_of(const struct sim *s, u64 serial)
{
	return s->tasks[sim_find_task(s, serial)].cpu;
}

static u64 spawn_nice(struct sim *s, struct task_spec *spec, s8 nice)
{
	spec->nice = nice;
	return world_spawn(s, spec);
}

/* |@got - @total * @weight / @sum| within 1 % of @total. */
static void share_is(const char *profile, u64 got, u64 total, u64 weight, u64 sum)
{
	u64 want = total * weight / sum, off = got > want ? got - want : want - got;

	if (off > total / 100)
		fail_msg("%s: %llu of %llu ns, expected %llu", profile, (unsigned long long)got,
			 (unsigned long long)total, (unsigned long long)want);
}

static void nice_shares(const char *profile)
{
	static const s8 nices[] = { 0, 5, -5, 10 };
	struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, profile, 1);
	u64 serial[ARRAY_SIZE(nices)], sum = 0, total = 20000 * MS;

	for (u32 i = 0; i < ARRAY_SIZE(nices); i++) {
		serial[i] = spawn_nice(s, world_hog("hog"), nices[i]);
		sum += sched_prio_to_weight[nices[i] + 20];
	}
	world_run(s, total);
	world_check(s);
	for (u32 i = 0; i < ARRAY_SIZE(nices); i++)
		share_is(profile, busy_of(s, serial[i]), total, sched_prio_to_weight[nices[i] + 20],
			 sum);
	sim_free(s);
}

static void shares_follow_nice(void **state)
{
	(void)state;
	for_each_profile(nice_shares);
}

/* One task in a group of 2048, three in one of 1024: by groups, not by tasks. */
static void group_shares(const char *profile)
{
	struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, profile, 1);
	u64 total = 20000 * MS, many = 0, one, others[3];

	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = "/a", .b = 2048 });
	world_input(s, (struct sim_input){ .kind = INPUT_GROUP_NEW, .text = "/b", .b = 1024 });

	struct task_spec *spec = world_hog("a");

	strcpy(spec->group, "/a");
	one = world_spawn(s, spec);
	for (u32 i = 0; i < 3; i++) {
		spec = world_hog("b");
		strcpy(spec->group, "/b");
		others[i] = world_spawn(s, spec);
	}
	world_run(s, total);
	world_check(s);
	for (u32 i = 0; i < 3; i++)
		many += busy_of(s, others[i]);
	share_is(profile, busy_of(s, one), total, 2, 3);
	share_is(profile, many, total, 1, 3);
	for (u32 i = 0; i < 3; i++)
		share_is(profile, busy_of(s, others[i]), total, 1, 9);
	sim_free(s);
}

static void shares_follow_groups(void **state)
{
	(void)state;
	for_each_profile(group_shares);
}

/*
 * EEVDF: a task is never further from its ideal service than a slice and the tick that is late to
 * see its end. Sampled once a millisecond over a second.
 */
static void eevdf_lag_is_bounded(void **state)
{
	static const char *const profiles[] = { "v6.6", "v6.12" };
	static const s8 nices[] = { 0, 3, -3, 0 };

	(void)state;
	for (u32 k = 0; k < ARRAY_SIZE(profiles); k++) {
		struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, profiles[k], 1);
		u64 serial[ARRAY_SIZE(nices)], sum = 0;
		u64 bound = s->g->tun.base_slice + NSEC_PER_SEC / s->g->tun.hz;

		for (u32 i = 0; i < ARRAY_SIZE(nices); i++) {
			serial[i] = spawn_nice(s, world_hog("hog"), nices[i]);
			sum += sched_prio_to_weight[nices[i] + 20];
		}
		for (u64 now = MS; now <= 1000 * MS; now += MS) {
			world_run(s, now);
			for (u32 i = 0; i < ARRAY_SIZE(nices); i++) {
				u64 want = now * sched_prio_to_weight[nices[i] + 20] / sum;
				u64 got = busy_of(s, serial[i]);
				u64 off = got > want ? got - want : want - got;

				if (off > bound)
					fail_msg("%s: task %u is %llu ns off at %llu, bound %llu",
						 profiles[k], i, (unsigned long long)off,
						 (unsigned long long)now,
						 (unsigned long long)bound);
			}
		}
		sim_free(s);
	}
}

/*
 * A task that asks for 1 ms of each 32 beside three hogs gets all of it: its share of 1/4 is never
 * used up. It waits at most for the slices of the others.
 */
static void light_among_hogs(const char *profile)
{
	struct sim *s = world_sim((struct shape){ 1, 0, 1, 1, false }, profile, 1);
	u64 light = world_spawn(s, world_periodic("light", MS, 32 * MS, 5 * MS));

	for (u32 i = 0; i < 3; i++)
		world_spawn(s, world_hog("hog"));
	world_run(s, 5 * MS + 100 * 32 * MS);
	world_check(s);

	const struct task_stats st = sim_task_stats_now(s, sim_find_task(s, light));

	if (st.busy_ns + 2 * MS < 100 * MS)
		fail_msg("%s: the light task got %llu of 100 ms", profile,
			 (unsigned long long)(st.busy_ns / MS));
	/* Three slices of at most 6 ms or a tick more, on average far less: half of it is plenty. */
	if (st.wait_ns > 100 * 3 * 10 * MS / 2)
		fail_msg("%s: the light task waited %llu ms over 100 periods", profile,
			 (unsigned long long)(st.wait_ns / MS));
	sim_free(s);
}

static void a_light_task_gets_its_work_done(void **state)
{
	(void)state;
	for_each_profile(light_among_hogs);
}

static void fills_idle(const char *profile)
{
	struct sim *s = world_sim((struct shape){ 8, 0, 2, 1, false }, profile, 1);

	for (u32 i = 0; i < 8; i++)
		world_spawn(s, world_hog("hog"));
	world_run(s, 1000 * MS);
	world_check(s);
	for (cpu_id c = 0; c < 8; c++)
		if (s->rqs[c].nr_running != 1)
			fail_msg("%s: CPU %u has %u tasks of 8 on 8 CPUs", profile, c,
				 s->rqs[c].nr_running);
	sim_free(s);
}

static void an_idle_machine_is_filled(void **state)
{
	(void)state;
	for_each_profile(fills_idle);
}

static void misfit(const char *profile)
{
	struct sim *s = world_sim((struct shape){ 8, 6, 1, 1, true }, profile, 1);
	u64 hog;

	world_use(s, SLOT_PLACE, "prev");
	hog = world_spawn(s, world_hog("hog"));
	world_run(s, 1500 * MS);
	world_check(s);
	if (cpu_of(s, hog) < 6)
		fail_msg("%s: a hog stays on little CPU %u", profile, cpu_of(s, hog));
	sim_free(s);
}

static void a_big_task_reaches_a_big_core(void **state)
{
	(void)state;
	for_each_profile(misfit);
}

/* 6 + 2 CPUs, the little ones at a third of the energy for the same work. */
static struct sim *thrifty_little(const char *profile)
{
	struct machine_desc *m = world_machine((struct shape){ 8, 6, 1, 1, true });
	struct sim_config cfg = { .machine = m, .profile = profile, .seed = 1 };
	struct err err = { 0 };

	for (u32 i = 0; i < m->freq_domains[0].nr_opps; i++)
		m->opps[i].power_uw /= 3;

	struct sim *s = sim_new(&cfg, &err);

	if (!s)
		fail_msg("%s", err.msg);
	machine_free(m);
	s->g->tun.costs = 0;
	return s;
}

/* Four tasks of 3 % of a big core are 10 % of a little one: EAS keeps them there. */
static void packs(const char *profile)
{
	struct sim *s = thrifty_little(profile);
	u64 all = 0, big = 0;

	for (u32 i = 0; i < 4; i++)
		world_spawn(s, world_periodic("small", 500 * US, 16 * MS, i * 3 * MS));
	/* The first periods are the unknown ones: a new task begins with a guess. */
	world_run(s, 1000 * MS);

	u64 begin[8];

	for (cpu_id c = 0; c < 8; c++)
		begin[c] = sim_cpu_stats_now(s, c).busy_ns;
	world_run(s, 5000 * MS);
	world_check(s);
	for (cpu_id c = 0; c < 8; c++) {
		u64 busy = sim_cpu_stats_now(s, c).busy_ns - begin[c];

		all += busy;
		big += c >= 6 ? busy : 0;
	}
	assert_true(all > 0);
	if (big * 100 > all)
		fail_msg("%s: small tasks spent %llu of %llu ms on big cores", profile,
			 (unsigned long long)(big / MS), (unsigned long long)(all / MS));
	sim_free(s);
}

static void eas_packs_small_tasks(void **state)
{
	(void)state;
	for_each_profile(packs);
}

/* Eight hogs on 6 + 2: EAS is off, each has a CPU for itself. */
static void spreads(const char *profile)
{
	struct sim *s = world_sim((struct shape){ 8, 6, 1, 1, true }, profile, 1);

	for (u32 i = 0; i < 8; i++)
		world_spawn(s, world_hog("hog"));
	world_run(s, 3000 * MS);
	world_check(s);
	if (!s->g->overutilized)
		fail_msg("%s: eight hogs on eight CPUs and not overutilised", profile);

	u64 most = 0;

	for (cpu_id c = 0; c < 8; c++)
		most = s->rqs[c].nr_running > most ? s->rqs[c].nr_running : most;
	if (most > 1)
		fail_msg("%s: a CPU has %llu of eight hogs on eight CPUs", profile,
			 (unsigned long long)most);
	sim_free(s);
}

static void an_overutilised_machine_spreads(void **state)
{
	(void)state;
	for_each_profile(spreads);
}

/* Twelve hogs begin on node 0 of four CPUs; node 1 has four idle ones. */
static void helps(const char *profile)
{
	struct sim *s = world_sim((struct shape){ 8, 0, 2, 1, false }, profile, 1);
	u64 words[1] = { 0x0f }, free_words[1] = { 0xff }, serial[12];

	for (u32 i = 0; i < 12; i++) {
		struct task_spec *spec = world_hog("hog");
		struct err err = { 0 };

		spec->cpus = (u32)spec_mask(spec, words, 1, &err);
		serial[i] = world_spawn(s, spec);
	}
	world_run(s, 500 * MS);
	for (cpu_id c = 4; c < 8; c++)
		assert_int_equal(s->rqs[c].nr_running, 0);
	for (u32 i = 0; i < 12; i++)
		world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS,
						   .serial = serial[i],
						   .words = free_words });
	world_run(s, 2000 * MS);
	world_check(s);

	u32 there = 0;

	for (cpu_id c = 0; c < 8; c++) {
		if (!s->rqs[c].nr_running)
			fail_msg("%s: CPU %u idles beside twelve hogs", profile, c);
		there += c >= 4 ? s->rqs[c].nr_running : 0;
	}
	if (there < 4 || there > 8)
		fail_msg("%s: node 1 has %u of twelve hogs", profile, there);
	sim_free(s);
}

static void a_saturated_node_gets_help(void **state)
{
	(void)state;
	for_each_profile(helps);
}

/* Two caches: all hogs wake beside the first; the idle cache must get some. */
static void idle_llc(const char *profile)
{
	struct sim *s = world_sim((struct shape){ 4, 0, 2, 1, false }, profile, 1);

	world_use(s, SLOT_PLACE, "prev");
	for (u32 i = 0; i < 4; i++)
		world_spawn(s, world_hog("hog"));
	world_run(s, 2000 * MS);
	world_check(s);
	for (cpu_id c = 0; c < 4; c++)
		if (s->rqs[c].nr_running != 1)
			fail_msg("%s: CPU %u has %u of four hogs on four CPUs", profile, c,
				 s->rqs[c].nr_running);
	sim_free(s);
}

static void an_idle_cache_gets_work(void **state)
{
	(void)state;
	for_each_profile(idle_llc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_follow_nice),
		cmocka_unit_test(shares_follow_groups),
		cmocka_unit_test(eevdf_lag_is_bounded),
		cmocka_unit_test(a_light_task_gets_its_work_done),
		cmocka_unit_test(an_idle_machine_is_filled),
		cmocka_unit_test(a_big_task_reaches_a_big_core),
		cmocka_unit_test(eas_packs_small_tasks),
		cmocka_unit_test(an_overutilised_machine_spreads),
		cmocka_unit_test(a_saturated_node_gets_help),
		cmocka_unit_test(an_idle_cache_gets_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
