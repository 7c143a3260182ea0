/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload.c - runs task programs: every step a task takes while it has the CPU.
 *
 * Semantics of run, runtime, timer and the synchronisation steps are those of rt-app; a signal
 * without a waiter is lost and counted. Mutexes are not handed over: a woken waiter tries again, as
 * pthread mutexes do. A program that takes 1000 steps without time passing pays 1 us for each
 * further one, so that no instant lasts for ever.
 */
#include "engine/workload/workload.h"

#include "engine/base/rng.h"
#include "engine/observe/emit.h"
#include "engine/sched/core.h"
#include "engine/sched/cpuset.h"
#include "engine/sched/costs.h"
#include "engine/sched/class.h"
#include "engine/sched/fair.h"
#include "engine/sched/place.h"
#include "engine/sched/uclamp.h"
#include "engine/workload/measure.h"

#define FREE_STEPS 1000u /* steps without time passing before they cost */
#define STEP_CHARGE NSEC_PER_USEC
#define WORK_FOREVER (~0ull)
#define WORK_MAX_NS (1ull << 43) /* 2.4 hours; more is for ever */

enum next { NEXT, STAY_TIMED, GIVE_UP };

static u64 draw(struct task *t, const struct step *st)
{
	if (st->flags & STEP_F_UNIFORM)
		return rng_range(t->rng_key, &t->rng_draws, st->a, st->a + st->b);
	if (st->flags & STEP_F_EXP)
		return min_u64(rng_exponential(t->rng_key, &t->rng_draws, st->a),
			       st->b ? st->b : 20 * st->a);
	return st->a;
}

static u32 obj_of(const struct sim *s, const struct task *t, const struct step *st)
{
	if (!(st->flags & STEP_F_LOCAL))
		return st->obj;

	u32 o = t->objs;

	for (u32 i = 0; i < st->obj; i++)
		o = s->syncs[o].next;
	return o;
}

/* ---- waiting lists ---- */

static void wait_on(struct sim *s, task_id p, u32 obj)
{
	struct sync_obj *o = &s->syncs[obj];
	struct task *t = &s->tasks[p];

	t->wait_obj = obj;
	t->wait_next = NONE;
	t->wait_prev = o->tail;
	if (o->tail != NONE)
		s->tasks[o->tail].wait_next = p;
	else
		o->head = p;
	o->tail = p;
	o->nr_waiting++;
	t->state = TASK_WAITING;
}

static void leave_wait(struct sim *s, task_id p)
{
	struct task *t = &s->tasks[p];

	if (t->wait_obj == NONE)
		return;

	struct sync_obj *o = &s->syncs[t->wait_obj];

	if (t->wait_prev != NONE)
		s->tasks[t->wait_prev].wait_next = t->wait_next;
	else
		o->head = t->wait_next;
	if (t->wait_next != NONE)
		s->tasks[t->wait_next].wait_prev = t->wait_prev;
	else
		o->tail = t->wait_prev;
	o->nr_waiting--;
	t->wait_obj = t->wait_next = t->wait_prev = NONE;
}

/* Wake the first waiter; @stamp is what it measures its latency from, if it does. */
static bool wake_stamped(struct sim *s, u32 obj, cpu_id cpu, ktime_ns stamp)
{
	task_id p = s->syncs[obj].head;

	if (p == NONE)
		return false;
	leave_wait(s, p);
	s->tasks[p].signalled = stamp;
	try_to_wake_up(s, p, cpu, 0);
	return true;
}

static bool wake_one(struct sim *s, u32 obj, cpu_id cpu)
{
	return wake_stamped(s, obj, cpu, s->g->now);
}

static void unlock(struct sim *s, u32 obj, cpu_id cpu)
{
	s->syncs[obj].owner = NONE;
	wake_one(s, obj, cpu);
}

static void sleep_until(struct sim *s, struct rq *rq, task_id p, ktime_ns at)
{
	struct task *t = &s->tasks[p];

	t->state = TASK_SLEEPING;
	t->zero_steps = 0;
	t->wake_at = at;
	t->wake_cpu = rq->cpu;
	evq_set(&s->evq, s->src_task + p, evq_key_of(at, EVC_WAKE));
}

/* ---- steps ---- */

static enum next do_timer(struct sim *s, struct rq *rq, task_id p, const struct step *st)
{
	struct task *t = &s->tasks[p];
	struct sync_obj *o = &s->syncs[obj_of(s, t, st)];
	u64 now = s->g->now;

	if (!o->started) {
		o->started = 1;
		o->value = t->start;
	}
	if (st->flags & STEP_F_ABSOLUTE)
		o->absolute = 1;
	o->value += draw(t, st);
	t->pc = st->next;
	if (now < o->value) {
		sleep_until(s, rq, p, o->value);
		return GIVE_UP;
	}
	/* Missed: a relative timer starts over from here, an absolute one catches up. */
	if (!o->absolute)
		o->value = now;
	return NEXT;
}

static void sem_post(struct sim *s, u32 obj, cpu_id cpu)
{
	s->syncs[obj].value++;
	wake_one(s, obj, cpu);
}

static enum next do_wait(struct sim *s, task_id p, const struct step *st, cpu_id cpu)
{
	struct task *t = &s->tasks[p];

	if (t->flags & PF_RELOCK) {
		struct sync_obj *m = &s->syncs[st->b - 1];

		if (m->owner != NONE && m->owner != p) {
			wait_on(s, p, (u32)st->b - 1);
			return GIVE_UP;
		}
		m->owner = p;
		t->flags &= ~PF_RELOCK;
		t->pc = st->next;
		return NEXT;
	}
	wait_on(s, p, obj_of(s, t, st));
	if (st->flags & STEP_F_POST) {
		/* It stands on the list before it says so: who is told cannot miss it. */
		t->pc = st->next;
		sem_post(s, (u32)st->b - 1, cpu);
	} else if (st->b) {
		t->flags |= PF_RELOCK;
		if (s->syncs[st->b - 1].owner == p)
			unlock(s, (u32)st->b - 1, cpu);
	} else {
		t->pc = st->next;
	}
	return GIVE_UP;
}

/*
 * wake and broadcast. A broadcast wakes those who waited when it began one after the other, each
 * for the price of a wake-up: the last of them waits for the others'.
 */
static void do_signal(struct sim *s, task_id p, const struct step *st, cpu_id cpu)
{
	struct task *t = &s->tasks[p];
	u32 obj = obj_of(s, t, st);
	ktime_ns stamp = s->g->now;

	if (st->b && s->syncs[st->b - 1].started)
		stamp = s->syncs[st->b - 1].value;
	if (st->op == STEP_BROADCAST && !t->to_wake)
		t->to_wake = s->syncs[obj].nr_waiting;
	if (wake_stamped(s, obj, cpu, stamp)) {
		if (t->to_wake)
			t->to_wake--;
		if (!t->to_wake)
			t->pc = st->next;
		return;
	}
	t->pc = st->next;
	if (t->to_wake) { /* the rest ended or was woken by others meanwhile */
		t->to_wake = 0;
		return;
	}
	s->syncs[obj].lost++;
	s->task_stats[p].lost_signals++;
	s->stats->lost_signals++;
	trace(s, TR_signal_lost, cpu, p, obj, 0);
}

/*
 * All who wait for one thing wait for another from now on, asleep as before. Stands for what programs
 * note down in memory, such as the position in a log up to which a flush reaches: it costs nothing.
 */
static void do_requeue(struct sim *s, const struct step *st)
{
	u32 from = st->obj, to = (u32)st->b - 1;

	while (from != to && s->syncs[from].head != NONE) {
		task_id p = s->syncs[from].head;

		leave_wait(s, p);
		wait_on(s, p, to);
	}
}

static enum next do_barrier(struct sim *s, task_id p, const struct step *st, cpu_id cpu)
{
	u32 obj = obj_of(s, &s->tasks[p], st);

	s->tasks[p].pc = st->next;
	if (s->syncs[obj].nr_waiting + 1 < s->syncs[obj].needed) {
		wait_on(s, p, obj);
		return GIVE_UP;
	}
	while (wake_one(s, obj, cpu))
		;
	return NEXT;
}

static enum next do_lock(struct sim *s, task_id p, const struct step *st)
{
	u32 obj = obj_of(s, &s->tasks[p], st);
	struct sync_obj *o = &s->syncs[obj];

	if (o->owner != NONE) {
		wait_on(s, p, obj); /* pc stays: it tries again when woken */
		return GIVE_UP;
	}
	o->owner = p;
	s->tasks[p].pc = st->next;
	return NEXT;
}

static enum next do_sem_wait(struct sim *s, task_id p, const struct step *st)
{
	u32 obj = obj_of(s, &s->tasks[p], st);

	if (!s->syncs[obj].value) {
		wait_on(s, p, obj);
		return GIVE_UP;
	}
	s->syncs[obj].value--;
	s->tasks[p].pc = st->next;
	return NEXT;
}

/*
 * Pipes and sockets: a bounded queue of messages. A message goes to a waiting receiver directly, and
 * a waiting sender's into the place that falls free, so only one side ever waits: receivers while the
 * queue is empty, senders while it is full. Simplified: nobody takes a message that woke another.
 */
static enum next do_send(struct sim *s, task_id p, const struct step *st, cpu_id cpu)
{
	u32 obj = obj_of(s, &s->tasks[p], st);
	struct sync_obj *o = &s->syncs[obj];

	s->tasks[p].pc = st->next;
	if (!o->value && wake_one(s, obj, cpu))
		return NEXT;
	if (o->value < o->needed) {
		o->value++;
		return NEXT;
	}
	wait_on(s, p, obj);
	return GIVE_UP;
}

static enum next do_receive(struct sim *s, task_id p, const struct step *st, cpu_id cpu)
{
	u32 obj = obj_of(s, &s->tasks[p], st);
	struct sync_obj *o = &s->syncs[obj];

	s->tasks[p].pc = st->next;
	if (!o->value) {
		wait_on(s, p, obj);
		return GIVE_UP;
	}
	if (!wake_one(s, obj, cpu))
		o->value--;
	return NEXT;
}

/* The room made for an event is used up: come back after the boundary, where there is room again. */
static enum next wait_for_room(struct sim *s, task_id p)
{
	s->tasks[p].flags |= PF_CHARGED;
	s->tasks[p].runtime_until = s->g->now;
	return STAY_TIMED;
}

static enum next do_fork(struct sim *s, struct rq *rq, task_id p, const struct step *st)
{
	struct task *t = &s->tasks[p];

	if (!sim_has_room(s))
		return wait_for_room(s, p);
	t->pc = st->next;

	u64 key = rng_child_key(t->rng_key, t->nr_children++);
	task_id child = task_create(s, st->target, NONE, rq->cpu, key, p);

	if (s->tasks[child].wake_at == s->g->now) {
		s->tasks[child].wake_at = NEVER;
		evq_set(&s->evq, s->src_task + child, EVQ_NEVER);
		wake_up_new_task(s, child, rq->cpu);
	}
	return NEXT;
}

static void do_set(struct sim *s, task_id p, const struct step *st)
{
	struct task *t = &s->tasks[p];

	switch (st->op) {
	case STEP_SET_NICE:
		task_set_sched(s, p, t->policy, (s8)(s64)st->a, t->rt_priority);
		break;
	case STEP_SET_POLICY:
		if (st->a == SCHED_DEADLINE) {
			task_set_deadline(s, p, &s->specs->v[s->programs[t->program].spec]->dl);
			break;
		}
		task_set_sched(s, p, (u8)st->a, t->nice, (u8)st->b);
		break;
	case STEP_SET_CPUS:
		mask_get_ref(s, st->target);
		sched_setaffinity(s, p, st->target);
		break;
	case STEP_SET_UCLAMP:
		uclamp_set(s, p, st->a != ~0ull ? (u32)st->a : t->uclamp_req[0],
			   st->b != ~0ull ? (u32)st->b : t->uclamp_req[1]);
		break;
	default:
		task_set_slice(s, p, st->a);
		break;
	}
	t->pc = st->next;
}

/* Steps that look at the clock and at counters: they change nothing that others see. */
static void do_measure(struct sim *s, cpu_id cpu, task_id p, const struct step *st)
{
	struct task *t = &s->tasks[p];
	struct sync_obj *stamp = st->obj == NONE ? NULL : &s->syncs[obj_of(s, t, st)];
	u64 now = s->g->now;

	t->pc = st->next;
	if (st->op == STEP_STAMP) {
		stamp->value = now;
		stamp->started = 1;
	} else if (st->op == STEP_SAMPLE) {
		ktime_ns from = !stamp ? t->signalled : stamp->started ? stamp->value : NEVER;

		if (from != NEVER)
			measure_sample(s, st->target, cpu, p, now - from);
	} else if (!stamp || (stamp->started && now - stamp->value > st->b)) {
		measure_count(s, st->target, cpu, p, st->a);
	}
}

static enum next begin_step(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];
	const struct step *st = &s->steps[t->pc];
	u64 v;

	switch ((enum step_op)st->op) {
	case STEP_RUN:
		v = draw(t, st);
		if (!v) {
			t->pc = st->next;
			return NEXT;
		}
		t->flags |= PF_IN_STEP;
		t->work_left = v >= WORK_MAX_NS ? WORK_FOREVER : v << 20;
		if (v < WORK_MAX_NS)
			s->task_stats[p].work_asked += v;
		return STAY_TIMED;
	case STEP_RUNTIME:
		v = draw(t, st);
		if (!v) {
			t->pc = st->next;
			return NEXT;
		}
		t->flags |= PF_IN_STEP;
		t->runtime_until = s->g->now + v;
		return STAY_TIMED;
	case STEP_SLEEP:
		v = draw(t, st);
		t->pc = st->next;
		if (!v)
			return NEXT;
		if (st->flags & STEP_F_IOWAIT)
			t->flags |= PF_IOWAIT;
		sleep_until(s, rq, p, s->g->now + v);
		return GIVE_UP;
	case STEP_TIMER:
		return do_timer(s, rq, p, st);
	case STEP_WAIT:
		return do_wait(s, p, st, rq->cpu);
	case STEP_WAKE:
	case STEP_BROADCAST:
		do_signal(s, p, st, rq->cpu);
		return NEXT;
	case STEP_LOCK:
		return do_lock(s, p, st);
	case STEP_UNLOCK:
		t->pc = st->next;
		if (s->syncs[obj_of(s, t, st)].owner == p)
			unlock(s, obj_of(s, t, st), rq->cpu);
		return NEXT;
	case STEP_BARRIER:
		return do_barrier(s, p, st, rq->cpu);
	case STEP_SEM_POST:
		t->pc = st->next;
		sem_post(s, obj_of(s, t, st), rq->cpu);
		return NEXT;
	case STEP_SEM_WAIT:
		return do_sem_wait(s, p, st);
	case STEP_SEM_RESET:
		t->pc = st->next;
		s->syncs[obj_of(s, t, st)].value = 0;
		return NEXT;
	case STEP_REQUEUE:
		t->pc = st->next;
		do_requeue(s, st);
		return NEXT;
	case STEP_SEND:
		return do_send(s, p, st, rq->cpu);
	case STEP_RECEIVE:
		return do_receive(s, p, st, rq->cpu);
	case STEP_YIELD:
		t->pc = st->next;
		yield_task(s, rq, p);
		if (rq->nr_running > 1)
			resched_curr(s, rq);
		return NEXT;
	case STEP_FORK:
		return do_fork(s, rq, p, st);
	case STEP_EXIT:
		t->pc = NONE;
		return NEXT;
	case STEP_LOOP:
		t->slot[st->depth] = st->a;
		t->pc = st->next;
		return NEXT;
	case STEP_LOOP_END:
		/* a is the opening step's count: 0 = for ever. */
		t->pc = !st->a || --t->slot[st->depth] ? st->target : st->next;
		return NEXT;
	case STEP_PHASE:
		t->slot[st->depth] = s->g->now + st->a;
		t->pc = st->next;
		return NEXT;
	case STEP_PHASE_END:
		t->pc = s->g->now < t->slot[st->depth] ? st->target : st->next;
		return NEXT;
	case STEP_SET_CPUS:
		if (!sim_has_room(s))
			return wait_for_room(s, p);
		do_set(s, p, st);
		return NEXT;
	case STEP_SET_NICE:
	case STEP_SET_POLICY:
	case STEP_SET_UCLAMP:
	case STEP_SET_SLICE:
		do_set(s, p, st);
		return NEXT;
	case STEP_COUNT:
	case STEP_STAMP:
	case STEP_SAMPLE:
		do_measure(s, rq->cpu, p, st);
		return NEXT;
	case NR_STEP_OPS:
		break;
	}
	BUG_ON(true);
}

/* Is the timed step in progress over? Then pc moves on. */
static bool timed_step_done(struct sim *s, task_id p)
{
	struct task *t = &s->tasks[p];

	if (t->flags & PF_CHARGED) {
		if (s->g->now < t->runtime_until)
			return false;
		t->runtime_until = NEVER;
		t->flags &= ~PF_CHARGED;
		return true;
	}
	if (!(t->flags & PF_IN_STEP))
		return true;

	const struct step *st = &s->steps[t->pc];

	if (st->op == STEP_RUN) {
		if (t->work_left)
			return false;
	} else {
		if (s->g->now < t->runtime_until)
			return false;
		t->runtime_until = NEVER;
	}
	t->flags &= ~PF_IN_STEP;
	t->pc = st->next;
	return true;
}

static bool charge_for_standing_still(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];

	if (t->zero_steps < FREE_STEPS)
		return false;
	if (!(t->flags & PF_WARNED_SPIN)) {
		t->flags |= PF_WARNED_SPIN;
		trace(s, TR_no_time_passes, rq->cpu, p, t->zero_steps, 0);
	}
	s->task_stats[p].zero_step_charges++;
	s->stats->zero_step_charges++;
	t->flags |= PF_CHARGED;
	t->runtime_until = s->g->now + STEP_CHARGE;
	/* One further step is free again once it is paid. */
	t->zero_steps = FREE_STEPS - 1;
	return true;
}

/* Ops that enter the kernel, by what they cost beside a system call. */
static u64 step_cost(const struct sim *s, const struct rq *rq, const struct task *t,
		     const struct step *st)
{
	const struct sync_obj *o;

	if (!s->g->tun.costs)
		return 0;
	switch (st->op) {
	case STEP_SEND:
	case STEP_RECEIVE:
		/* It wakes somebody if the other side waits. */
		o = &s->syncs[obj_of(s, t, st)];
		if (o->nr_waiting && !o->value == (st->op == STEP_SEND))
			return cost_ns(s, COST_syscall) + cost_of_wakeup(s, rq->cpu);
		return cost_ns(s, COST_syscall);
	case STEP_WAKE:
	case STEP_BROADCAST:
	case STEP_SEM_POST:
	case STEP_FORK:
		return cost_ns(s, COST_syscall) + cost_of_wakeup(s, rq->cpu);
	case STEP_SLEEP:
	case STEP_TIMER:
	case STEP_WAIT:
		if (st->flags & STEP_F_POST)
			return 2 * cost_ns(s, COST_syscall) + cost_of_wakeup(s, rq->cpu);
		return cost_ns(s, COST_syscall);
	case STEP_LOCK:
	case STEP_UNLOCK:
	case STEP_BARRIER:
	case STEP_SEM_WAIT:
	case STEP_YIELD:
		return cost_ns(s, COST_syscall);
	default:
		return 0;
	}
}

/* True: the step at pc costs something and is not paid for; the CPU owes it now. */
static bool pays_first(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];
	u64 ns;

	if (t->flags & PF_PAID) {
		t->flags &= ~PF_PAID;
		return false;
	}
	ns = step_cost(s, rq, t, &s->steps[t->pc]);
	if (!ns)
		return false;
	t->flags |= PF_PAID;
	cost_owe(s, rq, PATH_SYSCALL, ns);
	return true;
}

bool workload_run(struct sim *s, struct rq *rq, task_id p)
{
	struct task *t = &s->tasks[p];

	if (t->state == TASK_DEAD) {
		resched_curr(s, rq);
		return false;
	}
	if (!timed_step_done(s, p))
		return true;
	for (;;) {
		if (rq->need_resched)
			return false;
		if (t->pc == NONE) {
			workload_cancel(s, p);
			t->state = TASK_DEAD;
			resched_curr(s, rq);
			return false;
		}
		if (charge_for_standing_still(s, rq, p))
			return true;
		if (pays_first(s, rq, p))
			return false;
		t->zero_steps++;

		enum next n = begin_step(s, rq, p);

		if (n == STAY_TIMED)
			return true;
		if (n == GIVE_UP) {
			resched_curr(s, rq);
			return false;
		}
	}
}

void workload_cancel(struct sim *s, task_id p)
{
	struct task *t = &s->tasks[p];

	leave_wait(s, p);
	timer_pending_cancel(s, p);
	if (t->wake_at != NEVER) {
		t->wake_at = NEVER;
		evq_set(&s->evq, s->src_task + p, EVQ_NEVER);
	}
	/* A lock whose holder ends is free: robust mutexes, rather than a dead simulation. */
	for_each_live(o, &s->arena, POOL_SYNC) if (s->syncs[o].kind == SYNC_MUTEX &&
						   s->syncs[o].owner == p) unlock(s, o, t->cpu);
}
