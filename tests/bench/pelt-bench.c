/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pelt-bench.c - cost of one PELT update in instructions: pelt-bench CASE [CALLS].
 *
 * Meant for `valgrind --tool=callgrind --toggle-collect=update_se`, whose count divided by the calls
 * is the cost of a call. Cases are those of the performance goals: tick1 (an update
 * each 1 ms), tick4 (4 ms), w1 (runs of 1..10 ms and sleeps to 16 ms in turn), mixed (from below
 * 1024 ns to 40 ms), idle (sleeps of seconds). Every case ends with a check of the average, so that
 * the work cannot be left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sched/pelt.h"

#define STEPS 256

struct bench_step {
	u64 delta;
	bool on_rq, running;
};

static u32 fill(struct bench_step *st, const char *name)
{
	u64 r = 12345;

	for (u32 i = 0; i < STEPS; i++) {
		r = r * 6364136223846793005ull + 1442695040888963407ull;

		u32 x = (u32)(r >> 33);

		if (!strcmp(name, "tick1"))
			st[i] = (struct bench_step){ 1000000, true, true };
		else if (!strcmp(name, "tick4"))
			st[i] = (struct bench_step){ 4000000, true, true };
		else if (!strcmp(name, "w1") && i % 2)
			st[i] = (struct bench_step){ 1000000 + x % 9000000, true, true };
		else if (!strcmp(name, "w1"))
			st[i] = (struct bench_step){ 6000000 + x % 9000000, false, false };
		else if (!strcmp(name, "mixed"))
			st[i] = (struct bench_step){ 1ull << (x % 26), x >> 8 & 1, x >> 9 & 1 };
		else if (!strcmp(name, "idle"))
			st[i] = (struct bench_step){ 1000000000 + x, false, false };
		else
			return 0;
	}
	return STEPS;
}

/* Not inlined, so that the loop itself can be collected, too. */
__attribute__((noinline)) void bench_run(struct sched_entity *se, const struct bench_step *st,
					 u32 calls);
void bench_run(struct sched_entity *se, const struct bench_step *st, u32 calls)
{
	u64 now = 1 << 20;

	for (u32 i = 0; i < calls; i++) {
		const struct bench_step *x = &st[i % STEPS];

		now += x->delta;
		se->on_rq = x->on_rq;
		update_se(now, se, x->running);
	}
}

int main(int argc, char **argv)
{
	static struct bench_step st[STEPS];
	struct sched_entity se = { .my_q = NONE, .load.weight = NICE_0_LOAD };
	u32 calls = argc > 2 ? (u32)strtoul(argv[2], NULL, 10) : 100000;

	if (argc < 2 || !fill(st, argv[1])) {
		fprintf(stderr, "usage: pelt-bench tick1|tick4|w1|mixed|idle [CALLS]\n");
		return 2;
	}
	se.avg.last_update_time = 1 << 20;
	bench_run(&se, st, calls);
	printf("%s: %u calls, util_avg %" PRIu64 ", load_avg %" PRIu64 "\n", argv[1], calls,
	       se.avg.util_avg, se.avg.load_avg);
	return se.avg.util_avg > SCHED_CAPACITY_SCALE || se.avg.load_avg > 1024;
}
