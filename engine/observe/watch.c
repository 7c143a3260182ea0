/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watch.c - what may not happen from one event to the next. See watch.h.
 *
 * How long a runnable task may wait, counted in time that its CPU gave to other fair tasks: w is its
 * weight, W the largest weight of the queue meanwhile (itself included), n the largest number of its
 * entities, T a tick, S the longest slice of any of them, c the number of times that the queue
 * changed by an entity or a weight.
 *
 *   eevdf   (d + 2 max(S, T) / w) W + n (S + 2 T) + 2 c max(S, T) W / Wmin
 *           d is from its vruntime to its deadline, and 2 max(S, T) / w the most that it can be ahead
 *           of the average when it is queued. The average advances by t / W in time t. Once it has
 *           passed the deadline nobody with a later one is picked, but each of the others may be in the
 *           middle of its slice once, which ends at a tick. One that comes or goes moves the average
 *           back by at most its own lag. Where the weight of one changes in the queue, releases before
 *           v6.7 leave its vruntime as it is, and the average jumps by any amount: counting starts
 *           anew, and what the task is ahead then is added to d.
 *   cfs     (P + 2 T + G) W / w + n (P + 2 T) + c (P + L W / 1024)
 *           P is the period, L the latency, G the wake-up granularity. It left the CPU having run at
 *           most its slice, a part of P, and a tick too long; a buddy may be preferred within G. One
 *           that comes is placed at most L behind the smallest vruntime, or a slice ahead. What it ran
 *           with another weight stays in its vruntime: what it is ahead then is added, by W / 1024.
 *   stride  3 (S + 2 T) W / w + n (S + 2 T) + 2 c (S + T) W / Wmin
 *           S is the quantum: the pass is at most a quantum ahead of the global one when it is
 *           queued, after a quantum that ended late, and after a yield.
 *   rr      (n + c) (S + 2 T): those before it in the queue have one turn each. SCHED_IDLE tasks have
 *           none as long as others are there and are left out.
 *   fifo, lottery: none. A task keeps the CPU as it likes, and chance has no bound.
 *
 * Inside groups, and in a queue with groups in it, no bound is derived: the weight of a group moves
 * with the load of its CPU.
 */
#include "engine/observe/watch.h"

#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "engine/sched/tunables.h"

#define FAIL(...) return err_set(err, ERR_DIVERGED, __VA_ARGS__)
#define NO_BOUND (~0ull)

struct cpu_seen {
	u64 clock, clock_task, clock_pelt;
	task_id curr; /* of a fair task that its program has; NONE otherwise */
	bool fair, steps; /* curr is fair; curr is in a run step */
	u32 speed;
	u64 weight;
	u32 nr;
	bool reweighted; /* since the last look, the weight of a queued task has changed */
};

struct task_seen {
	u64 serial; /* ~0 = no task */
	u64 wakeups, switches_in;
	bool woken; /* and has not run since */
	u64 asked; /* ns of all run steps begun: task_stats */
	u64 step; /* ns of the run step in progress, 0 = none */
	u128 exec; /* ns << 20 done of it */
	u64 load; /* weight of its entity */
	/* waiting: since it was last seen to run, move or change */
	bool waits;
	cpu_id cpu;
	u64 weight, waited, pending; /* pending: ns of vruntime to its deadline */
	u64 max_weight, min_weight, max_slice;
	u64 lead; /* ns of vruntime ahead of its queue, of a task that has been of another weight */
	u32 max_nr, changes, policy;
	bool was_other; /* it has been of another weight */
};

struct sim_watch {
	u32 nr_cpus, nr_tasks;
	struct cpu_seen *cpus;
	struct task_seen *tasks;
	ktime_ns now;
	bool looked;
	u32 longest;
};

struct sim_watch *sim_watch_new(void)
{
	return calloc(1, sizeof(struct sim_watch));
}

void sim_watch_free(struct sim_watch *w)
{
	if (!w)
		return;
	free(w->cpus);
	free(w->tasks);
	free(w);
}

u32 sim_watch_longest(const struct sim_watch *w)
{
	return w->longest;
}

static int make_room(struct sim_watch *w, const struct sim *s, struct err *err)
{
	u32 nr = arena_len(&s->arena, POOL_TASK);

	if (!w->cpus) {
		w->nr_cpus = s->g->nr_cpus;
		w->cpus = calloc(w->nr_cpus, sizeof(*w->cpus));
	}
	if (nr > w->nr_tasks) {
		struct task_seen *t = realloc(w->tasks, nr * sizeof(*t));

		if (!t)
			return err_set(err, ERR_LIMIT, "no memory to watch %u tasks", nr);
		for (u32 p = w->nr_tasks; p < nr; p++)
			t[p] = (struct task_seen){ .serial = ~0ull };
		w->tasks = t;
		w->nr_tasks = nr;
	}
	return w->cpus ? 0 : err_set(err, ERR_LIMIT, "no memory to watch %u CPUs", w->nr_cpus);
}

/* ---- clocks ---- */

static int look_clocks(const struct sim_watch *w, const struct sim *s, struct err *err)
{
	if (s->g->now < w->now)
		FAIL("time went back from %llu ns", (unsigned long long)w->now);
	for (u32 c = 0; c < w->nr_cpus; c++) {
		const struct rq *rq = &s->rqs[c];
		const struct cpu_seen *seen = &w->cpus[c];

		if (rq->clock < seen->clock)
			FAIL("CPU %u: clock went back from %llu to %llu", c,
			     (unsigned long long)seen->clock, (unsigned long long)rq->clock);
		if (rq->clock_task < seen->clock_task)
			FAIL("CPU %u: clock_task went back from %llu to %llu", c,
			     (unsigned long long)seen->clock_task,
			     (unsigned long long)rq->clock_task);
		if (rq->clock_pelt < seen->clock_pelt)
			FAIL("CPU %u: clock_pelt went back from %llu to %llu", c,
			     (unsigned long long)seen->clock_pelt,
			     (unsigned long long)rq->clock_pelt);
	}
	return 0;
}

/* ---- work ---- */

static bool in_run_step(const struct sim *s, task_id p)
{
	const struct task *t = &s->tasks[p];

	return (t->flags & PF_IN_STEP) && !(t->flags & PF_CHARGED) && t->pc != NONE &&
	       s->steps[t->pc].op == STEP_RUN && t->work_left != ~0ull;
}

/* What is left of the step now: work_left is as of the start of the CPU's segment. */
static u64 left_now(const struct sim *s, task_id p)
{
	const struct task *t = &s->tasks[p];
	const struct rq *rq = &s->rqs[t->cpu];
	u64 ran;

	if (rq->curr != p || rq->mode != CPU_TASK)
		return t->work_left;
	ran = (s->g->now - rq->seg_start) * rq->speed;
	return ran > t->work_left ? 0 : t->work_left - ran;
}

/*
 * A step ends at a whole nanosecond: what is done may be more than what was asked for by less than
 * one, of 2^20 units at most.
 */
static bool is_all(u128 done, u64 asked)
{
	return done >= (u128)asked << 20 && done < ((u128)asked + 1) << 20;
}

static int look_work(struct task_seen *seen, const struct sim *s, task_id p, struct err *err)
{
	u64 asked = s->task_stats[p].work_asked - seen->asked, left;
	bool in_step = in_run_step(s, p);

	if (seen->step && (asked || !in_step)) {
		if (!is_all(seen->exec, seen->step))
			FAIL("task %u (%s): a run step of %llu ns is over after %llu ns", p,
			     s->tasks[p].comm, (unsigned long long)seen->step,
			     (unsigned long long)(seen->exec >> 20));
		seen->step = 0;
	}
	if (asked) {
		seen->asked += asked;
		seen->step = asked;
		seen->exec = 0;
	}
	if (!in_step) {
		if (seen->step)
			FAIL("task %u (%s): a run step of %llu ns took no time", p,
			     s->tasks[p].comm, (unsigned long long)seen->step);
		return 0;
	}
	left = left_now(s, p);
	if (left ? seen->exec + left != (u128)seen->step << 20 : !is_all(seen->exec, seen->step))
		FAIL("task %u (%s): %llu ns of %llu are done, and %llu left", p, s->tasks[p].comm,
		     (unsigned long long)(seen->exec >> 20), (unsigned long long)seen->step,
		     (unsigned long long)(left >> 20));
	return 0;
}

/* ---- wake-ups ---- */

static int look_wakeup(struct task_seen *seen, const struct sim *s, task_id p, struct err *err)
{
	const struct task_stats *st = &s->task_stats[p];
	const struct task *t = &s->tasks[p];

	if (st->wakeups != seen->wakeups)
		seen->woken = true;
	if (st->switches_in != seen->switches_in || s->rqs[t->cpu].curr == p)
		seen->woken = false;
	seen->wakeups = st->wakeups;
	seen->switches_in = st->switches_in;
	if (seen->woken && (t->state == TASK_SLEEPING || t->state == TASK_WAITING))
		FAIL("task %u (%s) was woken and sleeps again without having run", p, t->comm);
	return 0;
}

/* ---- waiting ---- */

static bool is_fair(const struct task *t)
{
	return t->policy == SCHED_NORMAL || t->policy == SCHED_BATCH || t->policy == SCHED_IDLE;
}

static u64 times(u64 ns, u64 num, u64 den)
{
	u128 v = (u128)ns * num / (den ? den : 1);

	return v > NO_BOUND / 16 ? NO_BOUND / 16 : (u64)v;
}

static u64 bound_of(const struct task_seen *seen, const struct sim *s, const struct task *t)
{
	const char *picker = s->policy[SLOT_PICK]->name;
	const struct tunables *tun = &s->g->tun;
	u64 tick = NSEC_PER_SEC / tun->hz, n = seen->max_nr, c = seen->changes;
	u64 w = seen->weight, most = seen->max_weight, least = seen->min_weight, turn;

	if (!strcmp(picker, "eevdf")) {
		turn = max_u64(seen->max_slice, tick);
		return times(seen->pending, most, 1024) + times(2 * turn, most, w) +
		       n * (seen->max_slice + 2 * tick) + times(2 * turn * c, most, least);
	}
	if (!strcmp(picker, "cfs")) {
		u64 latency = scaled_tunable(s, tun->sched_latency);
		u64 period = max_u64(latency, n * scaled_tunable(s, tun->min_granularity));
		u64 wakeup = scaled_tunable(s, tun->wakeup_granularity);

		return times(period + 2 * tick + wakeup, most, w) + n * (period + 2 * tick) +
		       c * period + times(latency * c, most, 1024) + times(seen->lead, most, 1024);
	}
	if (!strcmp(picker, "stride")) {
		turn = (u64)sim_policy_param(s, SLOT_PICK, 0) * 1000 + 2 * tick;
		return times(3 * turn, most, w) + n * turn + times(2 * turn * c, most, least);
	}
	if (!strcmp(picker, "rr") && t->policy != SCHED_IDLE) {
		turn = (u64)sim_policy_param(s, SLOT_PICK, 0) * 1000 + 2 * tick;
		return (n + c) * turn;
	}
	return NO_BOUND;
}

static u64 longest_slice(const struct sim *s, cpu_id cpu)
{
	u64 slice = scaled_tunable(s, s->g->tun.base_slice);

	for (task_id p = s->rqs[cpu].cfs_tasks_head; p != NONE; p = s->tasks[p].list_next)
		slice = max_u64(slice, s->task_se[p].slice);
	return slice;
}

/* By how much @se is ahead of the average of its queue, in vruntime: avg_vruntime() of eevdf. */
static u64 ahead(const struct sim *s, const struct cfs_rq *q, const struct sched_entity *se)
{
	s128 sum = q->avg_vruntime;
	s128 load = (s128)q->avg_load;
	s64 v;

	if (q->curr != NONE && se_get(s, q->curr)->on_rq) {
		const struct sched_entity *curr = se_get(s, q->curr);
		s64 weight = (s64)max_u64(curr->load.weight >> 10, 2);

		sum += (s128)(s64)(curr->vruntime - q->zero_vruntime) * weight;
		load += weight;
	}
	v = (s64)(se->vruntime - q->zero_vruntime) - (load ? (s64)(sum / load) : 0);
	return v > 0 ? (u64)v : 0;
}

/* No entity of the queue stands for a group. */
static bool only_tasks(const struct sim *s, cpu_id cpu)
{
	u32 n = 0;

	for (task_id p = s->rqs[cpu].cfs_tasks_head; p != NONE; p = s->tasks[p].list_next)
		n += s->tasks[p].tg == 0;
	return n == root_cfs(s, cpu)->nr_queued;
}

static int look_wait(struct sim_watch *w, struct task_seen *seen, const struct sim *s, task_id p,
		     u64 passed, struct err *err)
{
	const struct task *t = &s->tasks[p];
	const struct sched_entity *se = &s->task_se[p];
	const struct rq *rq = &s->rqs[t->cpu];
	const struct cfs_rq *q = root_cfs(s, t->cpu);
	const struct cpu_seen *cpu = &w->cpus[t->cpu];
	u64 weight = se->load.weight >> 10, queue = q->load.weight >> 10, bound;
	bool waits = t->state == TASK_RUNNING && t->on_rq && rq->curr != p && is_fair(t) &&
		     t->tg == 0 && only_tasks(s, t->cpu);

	if (!waits || cpu->reweighted || !seen->waits || seen->cpu != t->cpu ||
	    seen->weight != weight || seen->policy != s->g->policy[SLOT_PICK]) {
		seen->was_other |= seen->weight && seen->weight != weight;
		seen->waits = waits;
		seen->cpu = t->cpu;
		seen->weight = weight;
		seen->policy = s->g->policy[SLOT_PICK];
		seen->waited = seen->max_weight = seen->max_slice = 0;
		seen->min_weight = queue;
		seen->max_nr = seen->changes = 0;
		seen->pending = (s64)(se->deadline - se->vruntime) > 0 ? se->deadline - se->vruntime
								       : 0;
		if (cpu->reweighted)
			seen->pending += ahead(s, q, se);
		seen->lead = 0;
		if (seen->was_other && (s64)(se->vruntime - q->min_vruntime) > 0)
			seen->lead = se->vruntime - q->min_vruntime;
		passed = 0;
	}
	if (!waits)
		return 0;
	seen->changes += q->load.weight != cpu->weight || q->nr_queued != cpu->nr;
	seen->max_weight = max_u64(seen->max_weight, queue);
	seen->min_weight = min_u64(seen->min_weight, max_u64(queue, 1));
	if (q->nr_queued > seen->max_nr)
		seen->max_nr = q->nr_queued;
	seen->max_slice = max_u64(seen->max_slice, longest_slice(s, t->cpu));
	if (!cpu->fair)
		return 0;
	seen->waited += passed;
	bound = bound_of(seen, s, t);
	if (bound == NO_BOUND)
		return 0;
	if (seen->waited > bound)
		FAIL("task %u (%s) waits on CPU %u while others run for %llu ns; %s allows %llu", p,
		     t->comm, t->cpu, (unsigned long long)seen->waited, s->policy[SLOT_PICK]->name,
		     (unsigned long long)bound);
	if (seen->waited * 1000 / max_u64(bound, 1) > w->longest)
		w->longest = (u32)(seen->waited * 1000 / max_u64(bound, 1));
	return 0;
}

/* ---- looking ---- */

static int look_task(struct sim_watch *w, const struct sim *s, task_id p, u64 passed,
		     struct err *err)
{
	struct task_seen *seen = &w->tasks[p];
	const struct task *t = &s->tasks[p];

	if (seen->serial != t->serial)
		*seen = (struct task_seen){ .serial = t->serial,
					    .load = s->task_se[p].load.weight };
	if (t->state == TASK_DEAD || (t->flags & PF_KTHREAD))
		return 0;
	return look_work(seen, s, p, err) || look_wakeup(seen, s, p, err) ||
			       look_wait(w, seen, s, p, passed, err)
		       ? -1
		       : 0;
}

static void look_weights(struct sim_watch *w, const struct sim *s)
{
	for_each_live(p, &s->arena, POOL_TASK)
	{
		struct task_seen *seen = &w->tasks[p];
		u64 load = s->task_se[p].load.weight;

		if (seen->serial == s->tasks[p].serial && seen->load != load)
			w->cpus[s->tasks[p].cpu].reweighted = true;
		seen->load = load;
	}
}

/* What each CPU did since the last look goes to the task that ran there. */
static void add_work(struct sim_watch *w, const struct sim *s, u64 passed)
{
	for (u32 c = 0; c < w->nr_cpus; c++) {
		const struct cpu_seen *seen = &w->cpus[c];

		if (seen->steps && arena_is_live(&s->arena, POOL_TASK, seen->curr))
			w->tasks[seen->curr].exec += (u128)passed * seen->speed;
	}
}

static void remember_cpus(struct sim_watch *w, const struct sim *s)
{
	for (u32 c = 0; c < w->nr_cpus; c++) {
		const struct rq *rq = &s->rqs[c];
		bool runs = rq->mode == CPU_TASK && rq->curr != NONE;

		w->cpus[c] = (struct cpu_seen){
			.clock = rq->clock,
			.clock_task = rq->clock_task,
			.clock_pelt = rq->clock_pelt,
			.curr = runs ? rq->curr : NONE,
			.fair = runs && is_fair(&s->tasks[rq->curr]),
			.steps = runs && in_run_step(s, rq->curr),
			.speed = rq->speed,
			.weight = root_cfs(s, c)->load.weight,
			.nr = root_cfs(s, c)->nr_queued,
		};
	}
}

int sim_watch_look(struct sim_watch *w, const struct sim *s, struct err *err)
{
	u64 passed = w->looked ? s->g->now - w->now : 0;

	if (sim_check(s, err) || make_room(w, s, err))
		return -1;
	if (w->looked && look_clocks(w, s, err))
		return -1;
	add_work(w, s, passed);
	look_weights(w, s);
	for_each_live(p, &s->arena, POOL_TASK) if (look_task(w, s, p, passed, err)) return -1;
	for (u32 p = 0; p < w->nr_tasks; p++)
		if (!arena_is_live(&s->arena, POOL_TASK, p))
			w->tasks[p].serial = ~0ull;
	remember_cpus(w, s);
	w->now = s->g->now;
	w->looked = true;
	return 0;
}

enum sim_stop sim_watch_step(struct sim_watch *w, struct sim *s, ktime_ns until, struct err *err)
{
	enum sim_stop r;

	if (sim_apply_inputs(s)) {
		*err = s->err;
		return SIM_ERROR;
	}
	if (sim_watch_look(w, s, err))
		return SIM_ERROR;
	/* Up to the next thing that happens, so that what comes before it is seen before it. */
	until = min_u64(until, min_u64(sim_next_event(s), s->script_next));
	r = sim_run_until(s, until, 1);
	if (r == SIM_ERROR) {
		*err = s->err;
		return r;
	}
	return sim_watch_look(w, s, err) ? SIM_ERROR : r;
}
