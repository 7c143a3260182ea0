/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench.c - how fast the engine is, on fixed cases that check that they did their work.
 *
 * An event is a wake-up, a sleep, a context switch or a tick on a busy CPU. Speed is counted in CPU
 * time. The calibration loop (a 4-ary heap of 64 entries, pop and push) makes the ratio "ns per
 * event / ns per pop and push" comparable between machines; absolute figures are not.
 */
#include "app/app.h"
#include "app/bench.h"
#include "app/jsonout.h"
#include "app/machine.h"
#include "app/output.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define W1_TASKS 32
#define W1_PERIOD (16 * NSEC_PER_MSEC)

/* round(16000 us * 0.05 * 12^(i / 31)) */
static const u16 w1_run_us[W1_TASKS] = {
	800,  867,  939,  1017, 1102, 1194, 1294, 1402, 1519, 1646, 1783,
	1932, 2093, 2268, 2457, 2662, 2885, 3125, 3386, 3669, 3975, 4307,
	4666, 5056, 5478, 5935, 6430, 6967, 7548, 8178, 8861, 9600,
};

/* ---- building blocks ---- */

struct sim *bench_sim(const char *machine, u64 seed, struct err *err)
{
	char *dir = xasprintf("%s/scenarios/machine", data_dir());
	struct note_list notes = { 0 };
	struct machine_desc *m = NULL;
	struct sim *s = NULL;

	if (!machine_load(machine, dir, &m, &notes, err)) {
		const struct sim_config cfg = { .machine = m, .seed = seed };

		s = sim_new(&cfg, err);
	}
	/* The cases are defined without costs of the scheduler: the work asked for is all there is. */
	const struct sim_input off = { .kind = INPUT_TUNABLE, .a = sim_tunable_index("costs") };

	if (s && sim_input(s, &off, NULL, err)) {
		sim_free(s);
		s = NULL;
	}
	machine_free(m);
	note_list_fini(&notes);
	free(dir);
	return s;
}

int bench_policy(struct sim *s, enum policy_slot slot, const char *name, struct err *err)
{
	int index = sim_policy_index(s, slot, name);
	struct sim_input in = { .kind = INPUT_USE_POLICY, .a = slot, .b = index };

	if (index < 0)
		return err_set(err, ERR_USAGE, "no policy %s", name);
	return sim_input(s, &in, NULL, err);
}

int bench_periodic(struct sim *s, const char *name, const char *group, u64 run, u64 period,
		   u64 delay, struct err *err)
{
	struct task_spec *spec = task_spec_new(name);
	struct sim_input in = { .kind = INPUT_SPAWN, .spec = spec };
	int ret = -1, timer;

	if (!spec)
		return err_set(err, ERR_LIMIT, "no memory for a task");
	snprintf(spec->group, sizeof(spec->group), "%s", group);
	spec->delay = delay;
	/* One group for all: thousands of names would be thousands of histograms. */
	snprintf(spec->latency_group, sizeof(spec->latency_group), "%.1s", name);
	timer = spec_obj(spec, "timer", SYNC_TIMER, true, err);
	if (timer >= 0 && spec_open(spec, STEP_LOOP, 0, err) >= 0 &&
	    spec_step(spec, STEP_RUN, 0, NONE, run, 0, err) >= 0 &&
	    spec_step(spec, STEP_TIMER, STEP_F_LOCAL | STEP_F_ABSOLUTE, (u32)timer, period, 0,
		      err) >= 0 &&
	    spec_close(spec, err) >= 0)
		ret = sim_input(s, &in, NULL, err);
	task_spec_free(spec);
	return ret;
}

/* W1's tasks in @group ("" = none), their run times times @num / @den. */
int bench_w1_tasks(struct sim *s, const char *group, u64 num, u64 den, struct err *err)
{
	for (u32 i = 0; i < W1_TASKS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "w%02u", i);
		if (bench_periodic(s, name, group, w1_run_us[i] * NSEC_PER_USEC * num / den,
				   W1_PERIOD, i * 500 * NSEC_PER_USEC, err))
			return -1;
	}
	return 0;
}

/* ---- results ---- */

/* What `--toggle-collect='measure*'` counts: nothing else may have such a name. */
__attribute__((noinline)) static enum sim_stop measure(struct sim *s, u64 duration)
{
	return sim_run_until(s, duration, 0);
}

void bench_measure(struct sim *s, u64 duration, u64 num, u64 den, u64 run, struct bench_result *r,
		   struct err *err)
{
	u64 begin, busy = 0;

	/* The tasks are born before the clock runs: set-up is not what is measured. */
	if (sim_apply_inputs(s)) {
		*err = s->err;
		return;
	}
	begin = cpu_ns();
	if (measure(s, duration) == SIM_ERROR) {
		*err = s->err;
		return;
	}
	r->cpu_ns = cpu_ns() - begin;
	r->events = s->stats->events;
	r->model_events = s->g->ordinal;
	r->pelt = s->stats->pelt_updates;
	r->sim_ns = duration;
	r->arena_kib = s->arena.hdr->size >> 10;
	for_each_live(p, &s->arena, POOL_TASK)
	{
		u64 work = run;

		if ((s->tasks[p].flags & PF_KTHREAD) || run == ~0ull)
			continue;
		if (!run)
			work = w1_run_us[atoi(s->tasks[p].comm + 1)] * NSEC_PER_USEC * num / den;
		r->activations += s->task_stats[p].work_asked / work;
	}
	for (u32 c = 0; c < s->g->nr_cpus; c++)
		busy += sim_cpu_stats_now(s, c).busy_ns;
	r->busy_centi = (busy + duration / 200) / (duration / 100);
}

void bench_expect(struct bench_result *r, const char *what, u64 got, u64 want, u64 slack)
{
	if (got + slack < want || got > want + slack)
		snprintf(r->failed, sizeof(r->failed), "%s: %llu, expected %llu +- %llu", what,
			 (unsigned long long)got, (unsigned long long)want,
			 (unsigned long long)slack);
}

/* ---- cases ---- */

#define GROUP_DEPTH_MAX 16

/* @depth groups, each inside the one before; @name gets the innermost one's, "" for none. */
static int nest_groups(struct sim *s, u32 depth, char *name, size_t size, struct err *err)
{
	struct sim_input in = { .kind = INPUT_GROUP_NEW, .text = name, .b = 1024 };
	size_t len = 0;

	name[0] = '\0';
	for (u32 d = 0; d < depth; d++) {
		len += (size_t)snprintf(name + len, size - len, "/%c", 'a' + (int)d);
		in.a = d;
		/* The next one's parent must be there when it is asked for. */
		if (sim_input(s, &in, NULL, err))
			return -1;
		if (sim_apply_inputs(s)) {
			*err = s->err;
			return -1;
		}
	}
	return 0;
}

struct sim *bench_w1(u32 depth, struct err *err)
{
	struct sim *s = bench_sim("smp8", 1, err);
	char group[2 * GROUP_DEPTH_MAX + 1];

	if (s && (bench_policy(s, SLOT_GOVERNOR, "performance", err) ||
		  nest_groups(s, depth, group, sizeof(group), err) ||
		  bench_w1_tasks(s, group, 1, 1, err))) {
		sim_free(s);
		s = NULL;
	}
	return s;
}

void bench_w1_check(struct bench_result *r, u64 secs)
{
	bench_expect(r, "CPUs busy, in 1/100", r->busy_centi, 719, 1);
	bench_expect(r, "activations", r->activations, secs * 2000, W1_TASKS);
}

static int case_g(u32 depth, bool quick, struct bench_result *r, struct err *err)
{
	u64 secs = quick ? 6 : 60;
	struct sim *s = bench_w1(depth, err);

	if (!s)
		return -1;
	bench_measure(s, secs * NSEC_PER_SEC, 1, 1, 0, r, err);
	sim_free(s);
	bench_w1_check(r, secs);
	return err->code ? -1 : 0;
}

static int case_w1_6_2(bool quick, struct bench_result *r, struct err *err)
{
	u64 secs = quick ? 6 : 60;
	struct sim *s = bench_sim("sc7180", 1, err);

	if (!s)
		return -1;
	if (!bench_w1_tasks(s, "", 1, 3, err))
		bench_measure(s, secs * NSEC_PER_SEC, 1, 3, 0, r, err);
	sim_free(s);
	bench_expect(r, "activations", r->activations, secs * 2000, W1_TASKS);
	return err->code ? -1 : 0;
}

/* @cpus CPUs, @tasks equal periodic tasks that together load the machine to 60 %. */
static int case_s(u32 cpus, u32 tasks, bool quick, struct bench_result *r, struct err *err)
{
	u64 duration = quick ? NSEC_PER_SEC / 2 : 2 * NSEC_PER_SEC;
	u64 run = W1_PERIOD * cpus * 6 / 10 / tasks;
	char machine[16];
	struct sim *s;

	snprintf(machine, sizeof(machine), "%u", cpus);
	s = bench_sim(machine, 1, err);
	if (!s)
		return -1;
	if (!bench_policy(s, SLOT_GOVERNOR, "performance", err)) {
		u32 i = 0;

		while (i < tasks) {
			char name[24];

			snprintf(name, sizeof(name), "t%u", i);
			if (bench_periodic(s, name, "", run, W1_PERIOD, W1_PERIOD * i / tasks, err))
				break;
			i++;
		}
		if (i == tasks)
			bench_measure(s, duration, 1, 1, run, r, err);
	}
	sim_free(s);
	/* The first period is incomplete: tasks start spread over it. */
	bench_expect(r, "CPUs busy, in 1/100", r->busy_centi, cpus * 60ull, 1 + cpus * 60ull / 40);
	return err->code ? -1 : 0;
}

/* ---- calibration ---- */

/* ns times 100 for a pop and a push on a 4-ary heap of 64 entries, as an event queue would do it. */
static u64 calibrate(void)
{
	enum { NR = 64, ROUNDS = 2000000 };
	u64 heap[NR], rnd = 88172645463325252ull;
	volatile u64 sink;

	for (u32 i = 0; i < NR; i++)
		heap[i] = i * 1000;

	u64 begin = cpu_ns();

	for (u32 round = 0; round < ROUNDS; round++) {
		rnd ^= rnd << 13;
		rnd ^= rnd >> 7;
		rnd ^= rnd << 17;

		u64 key = heap[0] + (rnd & 0xffff);
		u32 i = 0;

		for (;;) {
			u32 child = 4 * i + 1, best = child;

			if (child >= NR)
				break;
			for (u32 k = child + 1; k < child + 4 && k < NR; k++)
				if (heap[k] < heap[best])
					best = k;
			if (heap[best] >= key)
				break;
			heap[i] = heap[best];
			i = best;
		}
		heap[i] = key;
	}
	sink = heap[0];
	(void)sink;
	return (cpu_ns() - begin) * 100 / ROUNDS;
}

/* ---- report ---- */

static u64 per(u64 a, u64 scale, u64 b)
{
	return b ? (u64)(((u128)a * scale + b / 2) / b) : 0;
}

static void report_json(struct jsonout *j, const char *name, const struct bench_result *r, u64 cal)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	jw_open(j, NULL, false);
	jw_text(j, "case", name);
	jw_bool(j, "ok", !r->failed[0]);
	if (r->failed[0])
		jw_text(j, "failed", r->failed);
	jw_uint(j, "events", r->events);
	jw_uint(j, "model_events", r->model_events);
	jw_uint(j, "pelt_updates", r->pelt);
	jw_uint(j, "activations", r->activations);
	jw_fixed(j, "cpus_busy", (s64)r->busy_centi, 2);
	jw_fixed(j, "sim_s", (s64)(r->sim_ns / NSEC_PER_MSEC), 3);
	jw_fixed(j, "cpu_s", (s64)(r->cpu_ns / NSEC_PER_MSEC), 3);
	jw_uint(j, "events_per_cpu_s", per(r->events, NSEC_PER_SEC, r->cpu_ns));
	jw_fixed(j, "ns_per_event", (s64)per(r->cpu_ns, 100, r->events), 2);
	jw_fixed(j, "ns_per_event_by_heap", (s64)per(r->cpu_ns, 10000, r->events * (cal ? cal : 1)),
		 2);
	jw_fixed(j, "sim_s_per_cpu_s", (s64)per(r->sim_ns, 10, r->cpu_ns), 1);
	jw_uint(j, "arena_kib", r->arena_kib);
	jw_uint(j, "peak_kib", (u64)ru.ru_maxrss);
	jw_close(j);
}

static void report_text(struct strbuf *b, const char *name, const struct bench_result *r, u64 cal)
{
	char rate[32], ns[32], heap[32], speed[32], busy[32];

	strbuf_printf(b,
		      "%-12s %6s M events/CPU-s  %7s ns/event  %6s x heap  %9s sim s/CPU-s"
		      "  %7llu KiB  busy %s  %s%s\n",
		      name, fixed_str(rate, (s64)per(r->events, 100000, r->cpu_ns), 2),
		      fixed_str(ns, (s64)per(r->cpu_ns, 100, r->events), 2),
		      fixed_str(heap, (s64)per(r->cpu_ns, 10000, r->events * (cal ? cal : 1)), 2),
		      fixed_str(speed, (s64)per(r->sim_ns, 10, r->cpu_ns), 1),
		      (unsigned long long)r->arena_kib, fixed_str(busy, (s64)r->busy_centi, 2),
		      r->failed[0] ? "FAILED: " : "ok", r->failed);
}

static int case_w1(bool quick, struct bench_result *r, struct err *err)
{
	return case_g(0, quick, r, err);
}

static int case_g_one(bool quick, struct bench_result *r, struct err *err)
{
	return case_g(1, quick, r, err);
}

static int case_g_usual(bool quick, struct bench_result *r, struct err *err)
{
	return case_g(3, quick, r, err);
}

static int case_s_usual(bool quick, struct bench_result *r, struct err *err)
{
	return case_s(64, 256, quick, r, err);
}

static int case_s_large(bool quick, struct bench_result *r, struct err *err)
{
	return case_s(1024, 4096, quick, r, err);
}

static int case_ui(bool quick, struct bench_result *r, struct err *err)
{
	return bench_ui(quick, &r->cpu_ns, &r->events, &r->sim_ns, r->failed, sizeof(r->failed),
			err);
}

static int case_tick1(bool quick, struct bench_result *r, struct err *err)
{
	return bench_pelt("tick1", quick, r, err);
}

static int case_tick4(bool quick, struct bench_result *r, struct err *err)
{
	return bench_pelt("tick4", quick, r, err);
}

static int case_alternate(bool quick, struct bench_result *r, struct err *err)
{
	return bench_pelt("w1", quick, r, err);
}

static int case_mixed(bool quick, struct bench_result *r, struct err *err)
{
	return bench_pelt("mixed", quick, r, err);
}

static int case_idle(bool quick, struct bench_result *r, struct err *err)
{
	return bench_pelt("idle", quick, r, err);
}

/* All cases in the order of a run without arguments; S:CPUS:TASKS and G:DEPTH make more. */
static const struct bench_case {
	const char *name, *what;
	int (*run)(bool quick, struct bench_result *r, struct err *err);
} bench_cases[] = {
	{ "W1", "8 CPUs, 32 periodic tasks", case_w1 },
	{ "W1-6+2", "6 little and 2 big cores, energy-aware placement, schedutil", case_w1_6_2 },
	{ "W2", "messages between 80 senders and 80 receivers", bench_case_w2 },
	{ "W3", "64 CPUs on 4 nodes, a mixture of everything", bench_case_w3 },
	{ "S", "64 CPUs, 256 equal tasks; S:CPUS:TASKS for others", case_s_usual },
	{ "S:1024:4096", "1024 CPUs, 4096 equal tasks", case_s_large },
	{ "G:1", "W1 inside a task group", case_g_one },
	{ "G:3", "W1 inside 3 nested task groups; G:DEPTH for others", case_g_usual },
	{ "T", "W1, every trace record written to a file in binary", bench_case_trace },
	{ "L:prev", "W1, placement in Lua: the previous CPU", bench_case_lua_prev },
	{ "L:scan", "W1, placement in Lua: looks at all 8 CPUs", bench_case_lua_scan },
	{ "PELT:tick1", "updates of an entity, here called events: each 1 ms", case_tick1 },
	{ "PELT:tick4", "each 4 ms", case_tick4 },
	{ "PELT:w1", "runs of 1 to 10 ms and sleeps in turn", case_alternate },
	{ "PELT:mixed", "from below 1 us to 40 ms", case_mixed },
	{ "PELT:idle", "after sleeps of seconds", case_idle },
	{ "U", "W1 with a screen", case_ui },
};

void bench_list(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(bench_cases); i++)
		printf("  %-12s %s\n", bench_cases[i].name, bench_cases[i].what);
}

/* Returns 0, or -1 with @err. */
static int run_case(const char *name, bool quick, struct bench_result *r, struct err *err)
{
	const char *names[ARRAY_SIZE(bench_cases)], *near;
	unsigned cpus, tasks, depth = 3;
	char clean[40], end;

	for (u32 i = 0; i < ARRAY_SIZE(bench_cases); i++) {
		names[i] = bench_cases[i].name;
		if (!strcmp(name, names[i]))
			return bench_cases[i].run(quick, r, err);
	}
	if (sscanf(name, "S:%5u:%7u%c", &cpus, &tasks, &end) == 2 && cpus && cpus <= 4096 &&
	    tasks && tasks <= 100000)
		return case_s(cpus, tasks, quick, r, err);
	if (!strcmp(name, "G") ||
	    (sscanf(name, "G:%3u%c", &depth, &end) == 1 && depth <= GROUP_DEPTH_MAX))
		return case_g(depth, quick, r, err);
	near = suggest(name, names, ARRAY_SIZE(names));
	text_clean(clean, sizeof(clean), name);
	return err_set(err, ERR_USAGE,
		       "there is no bench case '%s'; %s%s%s'schedground bench --help' names them",
		       clean, near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
}

int bench_run(const struct options *opt)
{
	u32 nr = opt->nr_cases ? opt->nr_cases : (u32)ARRAY_SIZE(bench_cases);
	struct jsonout j = { 0 };
	struct strbuf text = { 0 };
	struct err err = { 0 };
	u64 cal = calibrate();
	int code = EXIT_DONE;
	char n[32];

	if (opt->json) {
		jw_open(&j, NULL, false);
		jw_text(&j, "schema", "schedground.bench/1");
		jw_fixed(&j, "heap_ns", (s64)cal, 2);
		jw_open(&j, "cases", true);
	} else {
		strbuf_printf(&text, "calibration: pop and push on a 4-ary heap of 64: %s ns\n",
			      fixed_str(n, (s64)cal, 2));
	}
	for (u32 i = 0; i < nr; i++) {
		struct bench_result r = { 0 };
		const char *name = opt->nr_cases ? opt->cases[i] : bench_cases[i].name;
		int ret = run_case(name, opt->quick, &r, &err);

		if (ret < 0) {
			jw_fini(&j);
			strbuf_fini(&text);
			return output_error(&err);
		}
		if (r.failed[0])
			code = EXIT_DIVERGED;
		if (opt->json)
			report_json(&j, name, &r, cal);
		else
			report_text(&text, name, &r, cal);
	}
	if (opt->json) {
		jw_close(&j);
		jw_close(&j);
	}

	char *out = opt->json ? jw_take(&j) : strbuf_take(&text);

	if (output_text(opt->out, out, &err))
		code = output_error(&err);
	free(out);
	jw_fini(&j);
	strbuf_fini(&text);
	return code;
}
