/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nohz-test.c - when a busy tick kicks an idle balancer, whom, and for whom, under each policy of slot
 * nohz: situations made by hand, then whole runs.
 */
#include "tests/sim-world.h"

#include "engine/base/cpumask.h"
#include "engine/observe/starved.h"
#include "engine/policy/nohz.h"
#include "engine/sched/core.h"
#include "engine/sched/costs.h"

/* The last records of some types: what a probe would see. */
struct seen {
	u32 kicks, refusals, rounds;
	struct trace_rec kick, refusal, round;
};

static void see(void *ctx, const struct trace_rec *r)
{
	struct seen *seen = ctx;

	switch (r->type) {
	case TR_nohz_kick:
		seen->kicks++;
		seen->kick = *r;
		break;
	case TR_nohz_no_kick:
		seen->refusals++;
		seen->refusal = *r;
		break;
	case TR_nohz_round:
		seen->rounds++;
		seen->round = *r;
		break;
	default:
		break;
	}
}

static u32 lo(u64 x)
{
	return (u32)x;
}

static u32 hi(u64 x)
{
	return (u32)(x >> 32);
}

/* Eight CPUs in four nodes, hogs on those of @busy (two on each if @two), all else idle. */
static struct sim *situation(const char *policy, u64 busy, bool two)
{
	struct sim *s = world_sim((struct shape){ 8, 0, 4, 1, false }, NULL, 1);

	world_use(s, SLOT_NOHZ, policy);
	world_use(s, SLOT_BALANCE, "none");
	world_use(s, SLOT_NEWIDLE, "none");
	for (cpu_id c = 0; c < 8; c++)
		for (u32 i = 0; (busy >> c & 1) && i < (two ? 2u : 1u); i++)
			world_spawn(s, world_pin(world_hog("hog"), c, 8));
	world_run(s, 40 * MS);
	for (cpu_id c = 0; c < 8; c++)
		assert_int_equal(idle_cpu(s, c), !(busy >> c & 1));
	/* As after a busy tick that found nothing due. */
	for (u32 r = 0; r < arena_len(&s->arena, POOL_NOHZ); r++) {
		s->nohz[r].has_blocked = s->nohz[r].needs_update = 0;
		s->nohz[r].next_balance = sim_jiffies(s) + 1000;
	}
	for (cpu_id c = 0; c < 8; c++) {
		const struct nohz_ops *ops = s->policy[SLOT_NOHZ]->ops;

		if (!(busy >> c & 1))
			continue;
		s->rqs[c].idle_balance = 0;
		ops->exit(s, c, c);
	}
	return s;
}

/* What one tick's question on @cpu leads to. */
static struct seen ask(struct sim *s, cpu_id cpu)
{
	struct seen seen = { 0 };
	const struct nohz_ops *ops = s->policy[SLOT_NOHZ]->ops;
	u64 mask = TRACE_BIT(TR_nohz_kick) | TRACE_BIT(TR_nohz_no_kick);
	struct trace_probe probe = { .mask = mask, .fn = see, .ctx = &seen };

	assert_int_equal(trace_add_probe(&s->trace, &probe), 0);
	ops->kick(s, cpu);
	trace_remove_probe(&s->trace, &seen);
	return seen;
}

static void expect_kick(struct sim *s, cpu_id cpu, cpu_id target, u32 flags, enum nohz_reason why,
			u32 record)
{
	struct seen seen = ask(s, cpu);

	assert_int_equal(seen.kicks, 1);
	assert_int_equal(lo(seen.kick.a), target);
	assert_int_equal(hi(seen.kick.a), flags);
	assert_int_equal(lo(seen.kick.b), why);
	assert_int_equal(hi(seen.kick.b), record);
	assert_int_equal(s->rqs[target].nohz_flags, flags);
	assert_int_equal(s->rqs[target].nohz_for, record);
	/* For the next question. */
	s->rqs[target].nohz_flags = 0;
	s->rqs[target].irq_pending = 0;
}

static void expect_refusal(struct sim *s, cpu_id cpu, enum nohz_refusal why)
{
	struct seen seen = ask(s, cpu);

	assert_int_equal(seen.kicks, 0);
	assert_int_equal(seen.refusals, 1);
	assert_int_equal(lo(seen.refusal.a), why);
}

#define FULL (NOHZ_BALANCE_KICK | NOHZ_STATS_KICK)

static void conditions_in_order(void **state)
{
	struct sim *s = situation("global", 0x02, false); /* one hog on CPU 1 */
	u64 now = sim_jiffies(s);
	struct nohz_record *n = &s->nohz[0];

	(void)state;
	/* One task, nothing due, nothing old: nothing at all. */
	assert_int_equal(ask(s, 1).kicks, 0);
	/* Old blocked load asks for statistics only; strictly after next_blocked. */
	n->has_blocked = 1;
	n->next_blocked = now;
	assert_int_equal(ask(s, 1).kicks, 0);
	n->next_blocked = now - 1;
	expect_kick(s, 1, 0, NOHZ_STATS_KICK, NOHZ_FOR_BLOCKED, 0);
	/* A CPU that became due earlier. */
	n->has_blocked = 0;
	n->needs_update = 1;
	expect_kick(s, 1, 0, NOHZ_NEXT_KICK, NOHZ_FOR_NEXT, 0);
	n->needs_update = 0;
	/* Due, one task: the cache has one busy CPU only. */
	n->next_balance = now;
	assert_int_equal(ask(s, 1).kicks, 0);
	/* Another CPU of the cache is busy. */
	s->llcs[s->cpu_sd[1].llc_shared].nr_busy_cpus = 2;
	expect_kick(s, 1, 0, FULL, NOHZ_FOR_CACHE, 0);
	/* Nobody kicks a full balance again in this tick. */
	assert_int_equal(n->next_balance, now + 1);
	expect_refusal(s, 1, NOHZ_NOT_DUE);
	s->llcs[s->cpu_sd[1].llc_shared].nr_busy_cpus = 1;
	/* Two tasks, all flags. */
	n->next_balance = now;
	n->needs_update = 1;
	s->rqs[1].nr_running = 2;
	expect_kick(s, 1, 0, FULL | NOHZ_NEXT_KICK, NOHZ_FOR_TASKS, 0);
	s->rqs[1].nr_running = 1;
	/* Others leave less than 100/117 of the CPU: 1024 * 100 / 117 = 875.2. */
	n->next_balance = now;
	n->needs_update = 0;
	s->rqs[1].cpu_capacity = 876;
	assert_int_equal(ask(s, 1).kicks, 0);
	s->rqs[1].cpu_capacity = 875;
	expect_kick(s, 1, 0, FULL, NOHZ_FOR_CAPACITY, 0);
	/* It was idle at the tick: it asks nobody. */
	n->next_balance = now;
	s->rqs[1].idle_balance = 1;
	assert_int_equal(ask(s, 1).kicks, 0);
	s->rqs[1].idle_balance = 0;
	/* Asked already: what is asked for is added, no second interrupt. */
	s->rqs[0].nohz_flags = NOHZ_NEXT_KICK;
	expect_refusal(s, 1, NOHZ_ASKED);
	assert_int_equal(s->rqs[0].nohz_flags, FULL | NOHZ_NEXT_KICK);
	sim_free(s);
}

static void global_takes_the_first(void **state)
{
	struct sim *s = situation("global", 0xfe & ~0x20, true); /* CPUs 0 and 5 idle */

	(void)state;
	s->nohz[0].next_balance = sim_jiffies(s);
	expect_kick(s, 4, 0, FULL, NOHZ_FOR_TASKS, 0);
	sim_free(s);
}

static void posted_looks_at_its_own_count(void **state)
{
	/* Node 0 full, node 1 has an idle CPU (3), nodes 2 and 3 are idle as a whole. */
	struct sim *s = situation("per-node-posted", 0x07, true);

	(void)state;
	for (u32 r = 0; r < 4; r++)
		s->nohz[r].next_balance = sim_jiffies(s);
	expect_refusal(s, 0, NOHZ_NONE_IDLE);
	assert_int_equal(s->nohz[0].nr_cpus, 0);
	assert_true(s->node_stats[0].nohz_refused[NOHZ_NONE_IDLE] > 0);
	expect_kick(s, 2, 3, FULL, NOHZ_FOR_TASKS, 1);
	sim_free(s);
}

static void mended_kicks_the_nearest(void **state)
{
	struct sim *s = situation("per-node", 0x07, true);
	u64 *dist = arena_base(&s->arena, POOL_NODE_DISTANCE);

	(void)state;
	for (u32 r = 0; r < 4; r++)
		s->nohz[r].next_balance = sim_jiffies(s);
	expect_kick(s, 2, 3, FULL, NOHZ_FOR_TASKS, 1);
	/* Equal distances: the lowest number. */
	s->nohz[1].next_balance = sim_jiffies(s);
	expect_kick(s, 0, 3, FULL, NOHZ_FOR_TASKS, 1);
	/* Node 3 comes nearer. */
	dist[3] = 15;
	expect_kick(s, 0, 6, FULL, NOHZ_FOR_TASKS, 3);
	sim_free(s);
}

static void mended_serves_a_node_without_balancers(void **state)
{
	struct sim *s =
		situation("per-node", 0x04, true); /* CPU 2 busy: its node's other is CPU 3 */
	u64 hk = 0xf0;

	(void)state;
	world_input(s, (struct sim_input){ .kind = INPUT_HOUSEKEEPING, .words = &hk });
	assert_int_equal(sim_apply_inputs(s), 0);
	s->nohz[1].has_blocked = s->nohz[1].needs_update = 0;
	s->nohz[1].next_balance = sim_jiffies(s);
	/* CPU 3 may not balance; CPU 4 does, and for node 1. */
	expect_kick(s, 2, 4, FULL, NOHZ_FOR_TASKS, 1);
	sim_free(s);
}

static void posted_is_global_with_isolation(void **state)
{
	struct sim *s = situation("per-node-posted", 0x03, true);
	u64 hk = 0xf3;

	(void)state;
	world_input(s, (struct sim_input){ .kind = INPUT_HOUSEKEEPING, .words = &hk });
	assert_int_equal(sim_apply_inputs(s), 0);
	world_check(s);
	assert_int_equal(s->nohz[0].nr_cpus, 6);
	s->nohz[0].has_blocked = s->nohz[0].needs_update = 0;
	s->nohz[0].next_balance = sim_jiffies(s);
	expect_kick(s, 0, 4, FULL, NOHZ_FOR_TASKS, 0);
	sim_free(s);
}

static void none_asks_nobody(void **state)
{
	struct sim *s = situation("none", 0x03, true);

	(void)state;
	s->nohz[0].next_balance = 0;
	s->nohz[0].has_blocked = 1;
	assert_int_equal(ask(s, 0).kicks, 0);
	assert_int_equal(s->stats->nohz_kicks, 0);
	sim_free(s);
}

/* A saturated node beside idle ones: who is helped, and how long the others starve. */
static u64 starved_pct(const char *policy, u64 *refused)
{
	struct sim *s = world_sim((struct shape){ 8, 0, 2, 1, false }, NULL, 1);
	u64 serial[8], home = 0x0f, all = 0xff;

	world_use(s, SLOT_NOHZ, policy);
	for (u32 i = 0; i < 8; i++) {
		struct task_spec *spec = world_hog("hog");

		serial[i] = world_spawn(s, spec);
		world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS,
						   .serial = serial[i],
						   .words = &home });
	}
	world_run(s, 1000 * MS);
	assert_int_equal(starved_ns_now(s, 1), 0);
	for (u32 i = 0; i < 8; i++)
		world_input(s, (struct sim_input){ .kind = INPUT_SET_CPUS,
						   .serial = serial[i],
						   .words = &all });
	world_run(s, 2000 * MS);
	world_check(s);
	assert_int_equal(starved_ns_now(s, 0), 0);

	u64 pct = starved_ns_now(s, 1) * 100 / (1000 * MS);

	*refused = s->node_stats[0].nohz_refused[NOHZ_NONE_IDLE];
	sim_free(s);
	return pct;
}

static void an_idle_node_gets_help(void **state)
{
	u64 refused;

	(void)state;
	assert_true(starved_pct("global", &refused) < 10);
	assert_true(starved_pct("per-node", &refused) < 10);
	assert_true(starved_pct("per-llc", &refused) < 10);
	/* For as long as the busy node has no idle CPU: to the end. */
	assert_int_equal(starved_pct("per-node-posted", &refused), 100);
	assert_true(refused > 4 * 100);
	assert_int_equal(starved_pct("none", &refused), 100);
}

/* By walking everything: is node @n idle as a whole while a task that may run there waits elsewhere? */
static bool starves(const struct sim *s, u32 n)
{
	u32 cpus = 0;

	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		if (s->topo[c].node != n || s->rqs[c].mode == CPU_OFFLINE)
			continue;
		cpus++;
		if (s->rqs[c].nr_running)
			return false;
	}
	for_each_live(p, &s->arena, POOL_TASK)
	{
		const struct task *t = &s->tasks[p];
		const struct rq *rq = &s->rqs[t->cpu];

		if (!cpus || !t->on_rq || rq->curr == p || s->task_se[p].sched_delayed ||
		    (t->policy == SCHED_FIFO && rq->rt_throttled))
			continue;
		for (cpu_id c = 0; c < s->g->nr_cpus; c++)
			if (s->topo[c].node == n && s->rqs[c].mode != CPU_OFFLINE &&
			    mask_has_cpu(s, t->cpus, c))
				return true;
	}
	return false;
}

static void starving_is_counted_rightly(void **state)
{
	u32 starved = 0, fed = 0;

	(void)state;
	for (u64 seed = 1; seed <= 12; seed++) {
		struct sim *s = world_sim((struct shape){ 12, 0, 3, 1, false }, NULL, seed);
		u64 key = rng_root_key(seed), n = 0;

		world_use(s, SLOT_NOHZ, seed % 2 ? "none" : "per-node-posted");
		for (u32 i = 0; i < 10; i++) {
			struct task_spec *spec =
				world_periodic("t", (1 + rng_uniform(key, &n, 9)) * MS,
					       (5 + rng_uniform(key, &n, 20)) * MS, i * MS);

			if (i % 5 == 4) {
				spec->policy = SCHED_FIFO;
				spec->rt_priority = 5;
			}
			world_spawn(s, i % 3 ? world_pin(spec, i % 3 * 4, 12) : spec);
		}
		for (u32 i = 0; i < 1500; i++) {
			u64 words = 1 + rng_uniform(key, &n, 4095);

			assert_int_not_equal(sim_step(s), SIM_ERROR);
			for (u32 node = 0; node < 3; node++) {
				bool now = s->node_stats[node].starved_since != NEVER;

				if (now != starves(s, node))
					fail_msg("seed %u, step %u: node %u is said to %s",
						 (unsigned)seed, i, node,
						 now ? "starve" : "be fed");
				starved += now;
				fed += !now;
			}
			if (!(words & mask_get(s, s->g->online)[0]))
				words = 1ull << 11; /* never offline here */
			if (i % 25 == 0)
				world_input(s,
					    (struct sim_input){ .kind = INPUT_SET_CPUS,
								.serial = rng_uniform(key, &n, 11),
								.words = &words });
			if (i % 211 == 0)
				world_input(s,
					    (struct sim_input){ .kind = INPUT_CPU_ONLINE,
								.a = (s64)rng_uniform(key, &n, 11),
								.b = i % 2 });
		}
		sim_free(s);
	}
	assert_true(starved > 100 && fed > 100);
}

/* Records are handed over when the policy is swapped at any moment. */
static void swapping_hands_over(void **state)
{
	static const char *const names[] = { "per-node", "global", "per-llc", "per-node-posted",
					     "none" };
	struct sim *s = world_sim((struct shape){ 16, 0, 4, 2, false }, NULL, 3);

	(void)state;
	for (u32 i = 0; i < 24; i++)
		world_spawn(s, world_periodic("t", (i % 5 + 1) * MS, (12 + i) * MS, i * MS));
	for (u32 i = 0; i < 60; i++) {
		world_run(s, (i + 1) * 17 * MS);
		world_use(s, SLOT_NOHZ, names[i % ARRAY_SIZE(names)]);
		assert_int_equal(sim_apply_inputs(s), 0);
		world_check(s);
	}
	sim_free(s);
}

/* A round takes time on the balancer, and stops when work comes for it. */
static void rounds_take_time(void **state)
{
	struct sim *s = world_sim((struct shape){ 16, 0, 4, 1, false }, NULL, 1);

	(void)state;
	s->g->tun.costs = 1;
	for (u32 i = 0; i < 3; i++)
		world_spawn(s, world_pin(world_hog("hog"), 5, 16));
	for (u32 i = 0; i < 8; i++)
		world_spawn(s, world_periodic("t", 300 * US, 3 * MS, i * 100 * US));
	world_run(s, 1000 * MS);
	world_check(s);
	assert_true(s->stats->ilb_runs > 50);
	assert_true(s->stats->path_ns[PATH_ILB] > 0);
	sim_free(s);
}

struct walk {
	u32 nr;
	cpu_id by, cpus[64];
	bool over;
};

static void see_walk(void *ctx, const struct trace_rec *r)
{
	struct walk *w = ctx;

	if (w->over)
		return;
	if (r->type == TR_nohz_round) {
		w->over = true;
		return;
	}
	w->by = r->cpu;
	assert_true(w->nr < ARRAY_SIZE(w->cpus));
	w->cpus[w->nr++] = (u32)r->a;
}

/* The order in which an idle balancer looks after the others, release by release. */
static void order_of_a_round(void **state)
{
	static const struct {
		const char *profile;
		cpu_id order[5];
	} cases[] = {
		{ "v5.4", { 0, 4, 5, 6, 3 } },
		{ "v5.10", { 0, 4, 5, 6, 3 } },
		{ "v5.13", { 4, 5, 6, 0, 3 } },
		{ "v6.12", { 4, 5, 6, 0, 3 } },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sim *s = world_sim((struct shape){ 8, 0, 1, 1, false }, cases[i].profile, 1);
		struct walk w = { 0 };
		struct trace_probe probe = { .mask = TRACE_BIT(TR_nohz_round) |
						     TRACE_BIT(TR_nohz_visit),
					     .fn = see_walk,
					     .ctx = &w };
		const struct nohz_ops *ops = s->policy[SLOT_NOHZ]->ops;

		/* CPUs 1, 2 and 7 are busy; CPU 3 is asked. */
		for (u32 c = 1; c < 8; c++)
			if (c < 3 || c == 7)
				world_spawn(s, world_pin(world_hog("hog"), c, 8));
		world_run(s, 50 * MS);
		assert_int_equal(trace_add_probe(&s->trace, &probe), 0);
		s->rqs[3].nohz_flags = FULL;
		s->rqs[3].nohz_for = 0;
		ops->run(s, 3);
		assert_int_equal(w.by, 3);
		assert_int_equal(w.nr, 5);
		for (u32 k = 0; k < 5; k++)
			assert_int_equal(w.cpus[k], cases[i].order[k]);
		trace_remove_probe(&s->trace, &w);
		sim_free(s);
	}
}

/* Work comes for the balancer between two CPUs: the round stops, and somebody has to do it again. */
static void a_round_stops_for_work(void **state)
{
	struct sim *s = world_sim((struct shape){ 16, 0, 4, 1, false }, NULL, 1);
	u32 aborted = 0, armed = 0;

	(void)state;
	s->g->tun.costs = 1;
	/* A visit takes half a millisecond, and CPU 0 is wanted every three. */
	s->g->tun.cost[COST_blocked] = 500 * US;
	for (u32 i = 0; i < 2; i++)
		world_spawn(s, world_pin(world_hog("hog"), 5, 16));
	world_spawn(s, world_pin(world_periodic("t", 300 * US, 3 * MS, 0), 0, 16));
	for (cpu_id c = 6; c < 16; c++)
		world_spawn(s, world_pin(world_periodic("u", 500 * US, 50 * MS, c * MS), c, 16));
	for (u32 i = 0; i < 20000 && s->g->now < 2000 * MS; i++) {
		u64 before = s->stats->ilb_aborted;

		assert_int_not_equal(sim_step(s), SIM_ERROR);
		if (s->stats->ilb_aborted == before)
			continue;
		aborted++;
		armed += s->nohz[0].has_blocked;
	}
	world_check(s);
	assert_true(aborted > 10);
	assert_int_equal(armed, aborted);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_in_order),
		cmocka_unit_test(global_takes_the_first),
		cmocka_unit_test(posted_looks_at_its_own_count),
		cmocka_unit_test(mended_kicks_the_nearest),
		cmocka_unit_test(mended_serves_a_node_without_balancers),
		cmocka_unit_test(posted_is_global_with_isolation),
		cmocka_unit_test(none_asks_nobody),
		cmocka_unit_test(an_idle_node_gets_help),
		cmocka_unit_test(starving_is_counted_rightly),
		cmocka_unit_test(swapping_hands_over),
		cmocka_unit_test(rounds_take_time),
		cmocka_unit_test(order_of_a_round),
		cmocka_unit_test(a_round_stops_for_work),
	};

	return cmocka_run_group_tests_name("idle balancing", tests, NULL, NULL);
}
