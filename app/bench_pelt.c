/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench_pelt.c - cost of one update of an entity's averages, for five patterns of time.
 *
 * tick1 and tick4: running, an update each 1 or 4 ms; w1: runs of 1..10 ms and sleeps of 6..15 ms in
 * turn; mixed: from 1 ns to 40 ms, any state; idle: sleeps of seconds. Each ends with a comparison
 * with the sum worked out in floating point, period by period, so that no update can be left out.
 */
#include "app/app.h"
#include "app/bench.h"
#include "engine/sched/pelt.h"

#include <math.h>
#include <string.h>

#define STEPS 256
#define PELT_START (1u << 20)
#define PERIOD_NS (1024.0 * 1024.0)

struct pelt_step {
	u64 delta;
	bool on_rq, running;
};

static void fill(struct pelt_step *st, const char *pattern)
{
	u64 r = 12345;

	for (u32 i = 0; i < STEPS; i++) {
		r = r * 6364136223846793005ull + 1442695040888963407ull;

		u32 x = (u32)(r >> 33);

		if (!strcmp(pattern, "tick1"))
			st[i] = (struct pelt_step){ NSEC_PER_MSEC, true, true };
		else if (!strcmp(pattern, "tick4"))
			st[i] = (struct pelt_step){ 4 * NSEC_PER_MSEC, true, true };
		else if (!strcmp(pattern, "w1") && i % 2)
			st[i] = (struct pelt_step){ NSEC_PER_MSEC + x % 9000000, true, true };
		else if (!strcmp(pattern, "w1"))
			st[i] = (struct pelt_step){ 6 * NSEC_PER_MSEC + x % 9000000, false, false };
		else if (!strcmp(pattern, "mixed"))
			st[i] = (struct pelt_step){ 1ull << (x % 26), x >> 8 & 1, x >> 9 & 1 };
		else
			st[i] = (struct pelt_step){ NSEC_PER_SEC + x, false, false };
	}
}

/* The loop and nothing else: what callgrind may be told to collect. */
__attribute__((noinline)) static void measure_pelt(struct sched_entity *se,
						   const struct pelt_step *st, u32 calls)
{
	u64 now = PELT_START;

	for (u32 i = 0; i < calls; i++) {
		const struct pelt_step *x = &st[i % STEPS];

		now += x->delta;
		se->on_rq = x->on_rq;
		update_se(now, se, x->running);
	}
}

/*
 * The same by the definition: what was on in a period of 1024 * 1024 ns counts, in units of 1024 ns,
 * y^n after n ends of periods, y^32 = 1/2. @at: how far into a period it starts.
 */
static double by_definition(const struct pelt_step *st, u32 calls, double at, bool running)
{
	double y = pow(0.5, 1.0 / 32), sum = 0;

	for (u32 i = 0; i < calls; i++) {
		const struct pelt_step *x = &st[i % STEPS];
		bool on = x->on_rq && (x->running || !running);
		double left = (double)x->delta, head = PERIOD_NS - at, whole;

		if (left < head) {
			sum += on ? left / 1024 : 0;
			at += left;
			continue;
		}
		sum = (sum + (on ? head / 1024 : 0)) * y;
		left -= head;
		whole = floor(left / PERIOD_NS);
		/* Decayed once more for each whole period, and 1024 y^k from each of those. */
		sum = sum * pow(y, whole) + (on ? 1024 * y * (1 - pow(y, whole)) / (1 - y) : 0);
		at = left - whole * PERIOD_NS;
		sum += on ? at / 1024 : 0;
	}
	return sum;
}

int bench_pelt(const char *pattern, bool quick, struct bench_result *r, struct err *err)
{
	struct sched_entity se = { .my_q = NONE,
				   .load.weight = NICE_0_LOAD,
				   .avg.last_update_time = PELT_START };
	u32 calls = quick ? 100000 : 10000000, checked;
	struct pelt_step st[STEPS];
	u64 begin, now = 0, skipped = 0;

	(void)err;
	fill(st, pattern);
	begin = cpu_ns();
	measure_pelt(&se, st, calls);
	r->cpu_ns = cpu_ns() - begin;
	r->events = r->pelt = calls;
	/* What is older than a few seconds is gone from the sum: check the last whole rounds. */
	checked = calls % STEPS + 40 * STEPS;
	for (u32 i = 0; i < calls; i++) {
		now += st[i % STEPS].delta;
		skipped += i < calls - checked ? st[i % STEPS].delta : 0;
	}

	double at = (double)(skipped % (1024 * 1024));
	u64 util = (u64)by_definition(st, checked, at, true);
	u64 load = (u64)by_definition(st, checked, at, false);

	/*
	 * An update loses at most 3 units in each of the places where the kernel cuts, and a loss decays
	 * like the rest: 47742 / 1024 of them count at once where each update ends a period.
	 */
	bench_expect(r, "last update", se.avg.last_update_time, PELT_START + (now & ~1023ull), 0);
	bench_expect(r, "util_sum", se.avg.util_sum >> 10, util, 3 * 48);
	bench_expect(r, "load_sum", se.avg.load_sum, load, 3 * 48);
	return 0;
}
