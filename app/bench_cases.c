/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench_cases.c - the larger cases of `schedground bench`: W1 with a trace and with placement in Lua,
 * messages between many tasks, and a mixture on four nodes.
 */
#include "app/app.h"
#include "app/bench.h"
#include "app/lua/script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- T ---- */

struct trace_file {
	FILE *f;
	u64 records, wakeups;
	bool bad;
};

static void write_rec(void *ctx, const struct trace_rec *rec)
{
	struct trace_file *t = ctx;

	t->records++;
	t->wakeups += rec->type == TR_sched_wakeup;
	t->bad |= fwrite(rec, sizeof(*rec), 1, t->f) != 1;
}

int bench_case_trace(bool quick, struct bench_result *r, struct err *err)
{
	u64 secs = quick ? 6 : 60;
	struct trace_file t = { .f = tmpfile() };
	struct sim *s;

	if (!t.f)
		return err_set(err, ERR_USAGE, "no temporary file for the trace: %s",
			       strerror(errno));
	s = bench_w1(0, err);
	if (s) {
		trace_add_probe(&s->trace, &(struct trace_probe){ TRACE_ALL, write_rec, &t });
		bench_measure(s, secs * NSEC_PER_SEC, 1, 1, 0, r, err);
		bench_w1_check(r, secs);
		bench_expect(r, "wake-ups in the trace", t.wakeups, s->stats->wakeups, 0);
		bench_expect(r, "bytes of the trace", (u64)ftello(t.f),
			     t.records * sizeof(struct trace_rec), 0);
	}
	sim_free(s);
	if (fclose(t.f) || t.bad)
		return err_set(err, ERR_USAGE, "could not write all of the trace: %s",
			       strerror(errno));
	return err->code ? -1 : 0;
}

/* ---- L ---- */

static const char lua_prev[] =
	"policy.define { slot = 'place', name = 'bench',\n"
	"	select_task_rq = function(ctx, task, prev) return prev end }\n"
	"policy.use('place', 'bench')\n";

/* The least utilised CPU; on a tie the previous one, then the lowest number. */
static const char lua_scan[] =
	"policy.define { slot = 'place', name = 'bench',\n"
	"	select_task_rq = function(ctx, task, prev)\n"
	"		local utils = ctx.util\n"
	"		local best, least = prev, utils[prev]\n"
	"		for i = 0, 7 do\n"
	"			local util = utils[i]\n"
	"			if util < least then best, least = i, util end\n"
	"		end\n"
	"		return best\n"
	"	end }\n"
	"policy.use('place', 'bench')\n";

static void lua_fail(void *ctx, const struct err *e, const char *trace)
{
	struct bench_result *r = ctx;

	(void)trace;
	snprintf(r->failed, sizeof(r->failed), "%.150s", e->msg);
}

static int case_lua(const char *text, size_t len, bool quick, struct bench_result *r,
		    struct err *err)
{
	const struct script_host host = { .ctx = r, .fail = lua_fail };
	u64 secs = quick ? 6 : 60;
	struct sim *s = bench_w1(0, err);
	struct script *script = s ? script_new(&host, s, err) : NULL;

	if (script && !script_load(script, text, len, "bench.lua", err)) {
		bench_measure(s, secs * NSEC_PER_SEC, 1, 1, 0, r, err);
		bench_w1_check(r, secs);
		if (strcmp(s->policy[SLOT_PLACE]->name, "bench") || s->stats->policy_errors)
			snprintf(r->failed, sizeof(r->failed), "placement is %s, errors: %llu",
				 s->policy[SLOT_PLACE]->name,
				 (unsigned long long)s->stats->policy_errors);
	}
	script_free(script);
	sim_free(s);
	return err->code ? -1 : 0;
}

int bench_case_lua_prev(bool quick, struct bench_result *r, struct err *err)
{
	return case_lua(lua_prev, sizeof(lua_prev) - 1, quick, r, err);
}

int bench_case_lua_scan(bool quick, struct bench_result *r, struct err *err)
{
	return case_lua(lua_scan, sizeof(lua_scan) - 1, quick, r, err);
}

/* ---- programs ---- */

/* A description under construction: the first error stops what follows. */
struct builder {
	struct task_spec *spec;
	struct err *err;
};

static void begin(struct builder *b, const char *name, struct err *err)
{
	*b = (struct builder){ .spec = task_spec_new(name), .err = err };
	if (!b->spec)
		err_set(err, ERR_LIMIT, "no memory for a task");
	else
		snprintf(b->spec->latency_group, sizeof(b->spec->latency_group), "%.1s", name);
	/* Until the CPUs have reached their top frequency. */
	if (b->spec)
		b->spec->delay = NSEC_PER_MSEC;
}

static void step(struct builder *b, enum step_op op, u32 flags, u32 obj, u64 a, u64 max)
{
	if (!b->err->code)
		spec_step(b->spec, op, flags, obj, a, max, b->err);
}

static void loop(struct builder *b, u64 count)
{
	if (!b->err->code)
		spec_open(b->spec, STEP_LOOP, count, b->err);
}

static void end(struct builder *b)
{
	if (!b->err->code)
		spec_close(b->spec, b->err);
}

/* A semaphore by letter and number, the same one for all tasks that name it. */
static u32 sem(struct builder *b, char kind, u32 nr)
{
	char name[16];
	int obj;

	snprintf(name, sizeof(name), "%c%u", kind, nr);
	obj = b->err->code ? -1 : spec_obj(b->spec, name, SYNC_SEM, false, b->err);
	return obj < 0 ? NONE : (u32)obj;
}

static int spawn(struct sim *s, struct builder *b)
{
	struct sim_input in = { .kind = INPUT_SPAWN, .spec = b->spec };

	if (!b->err->code)
		sim_input(s, &in, NULL, b->err);
	task_spec_free(b->spec);
	return b->err->code ? -1 : 0;
}

static u32 live_tasks(const struct sim *s)
{
	u32 n = 0;

	for_each_live(p, &s->arena, POOL_TASK) n += !(s->tasks[p].flags & PF_KTHREAD);
	return n;
}

/* ---- W2 ---- */

#define W2_GROUPS 4
#define W2_PEERS 20 /* senders, and receivers, of a group */
#define W2_QUEUE 16 /* messages a receiver's queue holds */
#define W2_WORK (2 * NSEC_PER_USEC)

/* To each receiver of the group in turn: wait for room, write, say so. */
static int w2_sender(struct sim *s, u32 group, u32 loops, struct err *err)
{
	struct builder b;

	begin(&b, "send", err);
	if (b.spec)
		b.spec->instances = W2_PEERS;
	loop(&b, loops);
	for (u32 i = 0; i < W2_PEERS; i++) {
		u32 nr = group * W2_PEERS + i;

		step(&b, STEP_SEM_WAIT, 0, sem(&b, 'r', nr), 0, 0);
		step(&b, STEP_RUN, 0, NONE, W2_WORK, 0);
		step(&b, STEP_SEM_POST, 0, sem(&b, 'm', nr), 0, 0);
	}
	end(&b);
	return spawn(s, &b);
}

static int w2_receiver(struct sim *s, u32 nr, u32 loops, struct err *err)
{
	struct builder b;

	begin(&b, "receive", err);
	loop(&b, W2_QUEUE);
	step(&b, STEP_SEM_POST, 0, sem(&b, 'r', nr), 0, 0);
	end(&b);
	loop(&b, (u64)W2_PEERS * loops);
	step(&b, STEP_SEM_WAIT, 0, sem(&b, 'm', nr), 0, 0);
	step(&b, STEP_RUN, 0, NONE, W2_WORK, 0);
	step(&b, STEP_SEM_POST, 0, sem(&b, 'r', nr), 0, 0);
	end(&b);
	return spawn(s, &b);
}

int bench_case_w2(bool quick, struct bench_result *r, struct err *err)
{
	u32 loops = quick ? 10 : 100;
	u64 work = (u64)W2_GROUPS * W2_PEERS * W2_PEERS * loops * 2 * W2_WORK, busy = 0;
	struct sim *s = bench_sim("smp8", 1, err);

	if (!s)
		return -1;
	bench_policy(s, SLOT_GOVERNOR, "performance", err);
	for (u32 g = 0; g < W2_GROUPS && !err->code; g++) {
		w2_sender(s, g, loops, err);
		for (u32 i = 0; i < W2_PEERS && !err->code; i++)
			w2_receiver(s, g * W2_PEERS + i, loops, err);
	}
	if (!err->code) {
		/* All CPUs together take an eighth of the work; idle moments may double that. */
		bench_measure(s, NSEC_PER_MSEC + work / 4, 1, 1, ~0ull, r, err);
		/* A receiver ends after its last message, so no task left means all delivered. */
		bench_expect(r, "tasks left", live_tasks(s), 0, 0);
		for (u32 c = 0; c < s->g->nr_cpus; c++)
			busy += sim_cpu_stats_now(s, c).busy_ns;
		bench_expect(r, "ns of run time", busy, work, 0);
		r->activations = work / (2 * W2_WORK);
	}
	sim_free(s);
	return err->code ? -1 : 0;
}

/* ---- W3 ---- */

static int w3_periodic(struct sim *s, struct err *err)
{
	for (u32 i = 0; i < 256; i++) {
		u64 period = (4ull << (i % 4)) * NSEC_PER_MSEC;
		char name[16];

		/* 2 % to 17 % of the period, evenly */
		snprintf(name, sizeof(name), "p%u", i);
		if (bench_periodic(s, name, "", period * (2 * 255 + 15 * i) / (255 * 100), period,
				   period * i / 256, err))
			return -1;
	}
	return 0;
}

static int w3_random(struct sim *s, struct err *err)
{
	struct builder b;

	begin(&b, "random", err);
	if (b.spec)
		b.spec->instances = 128;
	loop(&b, 0);
	step(&b, STEP_RUN, STEP_F_UNIFORM, NONE, 100 * NSEC_PER_USEC, 1800 * NSEC_PER_USEC);
	step(&b, STEP_SLEEP, STEP_F_EXP, NONE, 10 * NSEC_PER_MSEC, 0);
	end(&b);
	return spawn(s, &b);
}

static int w3_pair(struct sim *s, u32 nr, struct err *err)
{
	for (u32 side = 0; side < 2; side++) {
		struct builder b;

		begin(&b, side ? "ping" : "pong", err);
		if (side)
			step(&b, STEP_SEM_POST, 0, sem(&b, 'a', nr), 0, 0);
		loop(&b, 0);
		step(&b, STEP_SEM_WAIT, 0, sem(&b, side ? 'a' : 'b', nr), 0, 0);
		step(&b, STEP_RUN, 0, NONE, 50 * NSEC_PER_USEC, 0);
		step(&b, STEP_SEM_POST, 0, sem(&b, side ? 'b' : 'a', nr), 0, 0);
		end(&b);
		if (spawn(s, &b))
			return -1;
	}
	return 0;
}

static int w3_hogs(struct sim *s, struct err *err)
{
	for (u32 i = 0; i < 2; i++) {
		struct builder b;

		begin(&b, i ? "nice" : "hog", err);
		if (b.spec) {
			b.spec->instances = 32;
			b.spec->nice = i ? 10 : 0;
		}
		step(&b, STEP_RUN, 0, NONE, ~0ull, 0);
		if (spawn(s, &b))
			return -1;
	}
	return 0;
}

int bench_case_w3(bool quick, struct bench_result *r, struct err *err)
{
	u64 duration = quick ? NSEC_PER_SEC : 10 * NSEC_PER_SEC;
	struct sim *s = bench_sim("4x16", 1, err);
	bool ok;

	if (!s)
		return -1;
	ok = !bench_policy(s, SLOT_GOVERNOR, "performance", err) && !w3_periodic(s, err) &&
	     !w3_random(s, err) && !w3_hogs(s, err);
	for (u32 i = 0; i < 32 && ok; i++)
		ok = !w3_pair(s, i, err);
	if (ok) {
		bench_measure(s, duration, 1, 1, ~0ull, r, err);
		/* A second of CPU time may go until work has reached all of them. */
		bench_expect(r, "CPUs busy, in 1/100", r->busy_centi, 6400, quick ? 100 : 10);
	}
	sim_free(s);
	return err->code ? -1 : 0;
}
