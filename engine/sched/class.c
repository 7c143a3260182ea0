/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * class.c - between the classes: who goes before whom, and which CPU a task above the fair class
 * waits on.
 *
 * Follows __pick_next_task() and wakeup_preempt() of kernel/sched/core.c, select_task_rq_rt(),
 * push_rt_tasks() and pull_rt_task() of rt.c and their relatives in deadline.c, Linux v6.12.
 * Simplified: the CPU with the least urgent work is found by looking at all a task may use, where the
 * kernel keeps it in cpupri and cpudl, which give the same answer; a CPU that runs out of urgent work
 * pulls the one most urgent task that waits, where the kernel may pull several on the way to it.
 */
#include "engine/sched/class.h"

#include "engine/observe/emit.h"
#include "engine/observe/starved.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/dl.h"
#include "engine/sched/domain.h"
#include "engine/sched/place.h"

const char *const task_class_names[NR_TASK_CLASSES] = { "fair", "rt", "dl" };

/* ---- lists ---- */

void class_list_add(struct sim *s, u32 *head, u32 *tail, task_id after, task_id p)
{
	struct task *t = &s->tasks[p];

	t->list_prev = after;
	t->list_next = after == NONE ? *head : s->tasks[after].list_next;
	if (after == NONE)
		*head = p;
	else
		s->tasks[after].list_next = p;
	if (t->list_next == NONE)
		*tail = p;
	else
		s->tasks[t->list_next].list_prev = p;
}

void class_list_del(struct sim *s, u32 *head, u32 *tail, task_id p)
{
	struct task *t = &s->tasks[p];

	if (t->list_prev != NONE)
		s->tasks[t->list_prev].list_next = t->list_next;
	else
		*head = t->list_next;
	if (t->list_next != NONE)
		s->tasks[t->list_next].list_prev = t->list_prev;
	else
		*tail = t->list_prev;
	t->list_prev = t->list_next = NONE;
}

void class_queued(struct sim *s, struct rq *rq, s32 n)
{
	u32 now = rq->rt_nr + rq->dl_nr, before = now - (u32)n;

	starved_touch(s, rq->cpu);
	s->g->nr_rt_overloaded += (now > 1 ? 1u : 0u) - (before > 1 ? 1u : 0u);
	if (n > 0)
		fair_server_start(s, rq);
}

s64 charge_exec(struct sim *s, struct rq *rq, task_id p)
{
	struct sched_entity *se = &s->task_se[p];
	s64 delta = (s64)(rq_clock_task(rq) - se->exec_start);

	if (delta <= 0)
		return 0;
	se->exec_start = rq_clock_task(rq);
	se->sum_exec_runtime += (u64)delta;
	trace(s, TR_sched_stat_runtime, rq->cpu, p, (u64)delta, 0);
	return delta;
}

/* ---- picking ---- */

task_id pick_task_classes(struct sim *s, struct rq *rq)
{
	while (rq->fs_state & FS_QUEUED) {
		task_id p;

		if (rq->dl_head != NONE && s->tasks[rq->dl_head].dl_abs <= rq->fs_abs)
			break;
		p = pick_task_fair(s, rq);
		if (p != NONE)
			return p;
		fair_server_stop(s, rq);
	}

	task_id p = dl_class.pick(s, rq);

	if (p == NONE)
		p = rt_class.pick(s, rq);
	return p == NONE ? pick_task_fair(s, rq) : p;
}

void put_prev_task_classes(struct sim *s, struct rq *rq, task_id p)
{
	class_ops_of(s, p)->put_prev(s, rq, p);
	rq->nr_other--;
}

void set_next_task_classes(struct sim *s, struct rq *rq, task_id p)
{
	class_ops_of(s, p)->set_next(s, rq, p);
	rq->nr_other++;
}

void switch_classes(struct sim *s, struct rq *rq, task_id prev, task_id next)
{
	bool fair = (prev == NONE || task_is_fair(s, prev)) &&
		    (next == NONE || task_is_fair(s, next));

	if (fair) {
		switch_fair(s, rq, prev, next);
	} else {
		if (prev != NONE)
			put_prev_task(s, rq, prev);
		if (next != NONE)
			set_next_task(s, rq, next);
	}
}

bool task_tick_classes(struct sim *s, struct rq *rq, task_id p)
{
	if (!task_is_fair(s, p))
		return class_ops_of(s, p)->tick(s, rq, p);

	bool resched = task_tick_fair(s, rq, p);

	fair_server_charge(s, rq);
	return resched;
}

bool wakeup_preempt_classes(struct sim *s, struct rq *rq, task_id curr, task_id p, u32 flags)
{
	enum task_class a = class_of(s, curr), b = class_of(s, p);
	bool preempt;

	if (a == CLASS_FAIR && b == CLASS_FAIR)
		return check_preempt_wakeup_fair(s, rq, curr, p, flags);
	if (rq->need_resched)
		return false;
	preempt = b != a ? b > a : class_ops_of(s, p)->preempt(s, rq, curr, p);
	trace(s, TR_wakeup_preempt, rq->cpu, p, trace_pair(curr, preempt), 0);
	return preempt;
}

/* ---- CPUs ---- */

/* Larger runs first, 0 = fair or idle: priorities, above them earlier deadlines. */
static u64 dl_urgency(u64 deadline)
{
	return 1ull << 63 | (~deadline >> 1);
}

static u64 task_urgency(const struct sim *s, task_id p)
{
	switch (class_of(s, p)) {
	case CLASS_DL:
		return dl_urgency(s->tasks[p].dl_abs);
	case CLASS_RT:
		return s->tasks[p].rt_priority;
	default:
		return 0;
	}
}

static u64 rq_urgency(const struct sim *s, const struct rq *rq)
{
	if (rq->dl_nr)
		return dl_urgency(s->tasks[rq->dl_head].dl_abs);
	return rq->rt_nr ? s->tasks[rq->rt_head].rt_priority : 0;
}

/* rt_task_fits_capacity(), dl_task_fits_capacity() */
static bool class_fits(const struct sim *s, task_id p, cpu_id cpu)
{
	const struct task *t = &s->tasks[p];
	u64 cap = s->rqs[cpu].cpu_capacity_orig;

	if (!s->g->asym_capacity)
		return true;
	if (t->policy == SCHED_DEADLINE)
		return cap_scale(t->dl_deadline, cap) >= t->dl_runtime;
	return cap >= min_u64(rt_uclamp_min(s, t), t->uclamp_max);
}

/* Of the CPUs @p may use with urgency @u: its own, else the nearest. */
static cpu_id nearest_of(const struct sim *s, task_id p, u64 u, bool fit, cpu_id this_cpu)
{
	const struct task *t = &s->tasks[p];
	cpu_id first = NONE;

#define LOWEST(c)                                                                                  \
	(cpu_allowed(s, t, c) && rq_urgency(s, &s->rqs[c]) == u && (!fit || class_fits(s, p, c)))
	if (LOWEST(t->cpu))
		return t->cpu;
	for_each_domain(s, t->cpu, sd)
	{
		const u64 *span = sd_span(s, sd);

		if (cpumask_test(span, this_cpu) && LOWEST(this_cpu))
			return this_cpu;
		for_each_cpu_mask(c, span, s->g->mask_words) if (LOWEST(c)) return c;
	}
	for (cpu_id c = 0; c < s->g->nr_cpus && first == NONE; c++)
		if (LOWEST(c))
			first = c;
#undef LOWEST
	return first;
}

/* find_lowest_rq(), find_later_rq(): a CPU whose work is less urgent than @p, the least; NONE. */
static cpu_id find_lowest_cpu(const struct sim *s, task_id p, cpu_id this_cpu)
{
	const struct task *t = &s->tasks[p];
	u64 own = task_urgency(s, p), least[2] = { own, own };

	if (t->nr_cpus_allowed == 1)
		return NONE;
	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		u64 u = rq_urgency(s, &s->rqs[c]);

		if (u >= least[0] || !cpu_allowed(s, t, c))
			continue;
		least[0] = u;
		if (u < least[1] && class_fits(s, p, c))
			least[1] = u;
		if (!least[1])
			break;
	}
	/* Large enough goes before least urgent. */
	if (s->g->asym_capacity)
		for (cpu_id c = 0; c < s->g->nr_cpus; c++)
			if (cpu_allowed(s, t, c) && class_fits(s, p, c))
				least[1] = min_u64(least[1], rq_urgency(s, &s->rqs[c]));
	if (least[1] < own)
		return nearest_of(s, p, least[1], true, this_cpu);
	return least[0] < own ? nearest_of(s, p, least[0], false, this_cpu) : NONE;
}

bool class_can_leave(const struct sim *s, task_id p, cpu_id this_cpu)
{
	return find_lowest_cpu(s, p, this_cpu) != NONE;
}

cpu_id select_task_rq_classes(struct sim *s, task_id p, cpu_id prev, cpu_id this_cpu, u32 flags)
{
	task_id curr = s->rqs[prev].curr;
	bool blocked = curr != NONE && !task_is_fair(s, curr) &&
		       (s->tasks[curr].nr_cpus_allowed == 1 ||
			task_urgency(s, curr) >= task_urgency(s, p));

	if (!(flags & (WF_TTWU | WF_FORK)))
		return prev;
	if (blocked || !class_fits(s, p, prev)) {
		cpu_id cpu = find_lowest_cpu(s, p, this_cpu);

		if (cpu != NONE && (blocked || class_fits(s, p, cpu)))
			return cpu;
	}
	return prev;
}

/* The most urgent task queued on @rq that does not run and may go to @cpu (NONE: anywhere). */
static task_id next_waiting(const struct sim *s, const struct rq *rq, cpu_id cpu)
{
	const u32 heads[2] = { rq->dl_head, rq->rt_head };

	for (u32 i = 0; i < 2; i++) {
		for (task_id p = heads[i]; p != NONE; p = s->tasks[p].list_next) {
			const struct task *t = &s->tasks[p];

			if (p != rq->curr && t->nr_cpus_allowed > 1 &&
			    (cpu == NONE || cpu_allowed(s, t, cpu)))
				return p;
		}
	}
	return NONE;
}

void push_tasks(struct sim *s, struct rq *rq)
{
	for (u32 n = rq->rt_nr + rq->dl_nr; n > 1; n--) {
		task_id p = next_waiting(s, rq, NONE);
		cpu_id cpu;

		if (p == NONE || rq->curr == NONE || task_is_fair(s, rq->curr))
			return;
		if (task_urgency(s, p) > task_urgency(s, rq->curr)) {
			resched_curr(s, rq);
			return;
		}
		cpu = find_lowest_cpu(s, p, rq->cpu);
		if (cpu == NONE || cpu == rq->cpu)
			return;
		update_rq_clock(s, &s->rqs[cpu]);
		move_queued_task(s, p, cpu, 6);
		s->stats->rt_pushed++;
	}
}

void pull_task(struct sim *s, struct rq *rq)
{
	u64 most = rq_urgency(s, rq);
	task_id best = NONE;

	if (!s->g->nr_rt_overloaded)
		return;
	for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
		struct rq *src = &s->rqs[c];

		if (c == rq->cpu || src->rt_nr + src->dl_nr < 2)
			continue;

		task_id p = next_waiting(s, src, rq->cpu);

		if (p == NONE || task_urgency(s, p) <= most)
			continue;
		if (rq->rt_throttled && s->tasks[p].policy != SCHED_DEADLINE)
			continue;
		/* It was just woken there and runs there in a moment. */
		if (src->curr != NONE && task_urgency(s, p) > task_urgency(s, src->curr))
			continue;
		most = task_urgency(s, p);
		best = p;
	}
	if (best == NONE)
		return;
	update_rq_clock(s, &s->rqs[s->tasks[best].cpu]);
	move_queued_task(s, best, rq->cpu, 7);
	s->stats->rt_pulled++;
}

/* ---- timers of budgets ---- */

void class_timer_arm(struct sim *s, struct rq *rq)
{
	ktime_ns at = rq->fs_timer;

	if (rq->dl_waiting != NONE)
		at = min_u64(at, s->tasks[rq->dl_waiting].dl_timer);
	evq_set(&s->evq, s->src_class + rq->cpu,
		at == NEVER ? EVQ_NEVER : evq_key_of(at, EVC_BANDWIDTH));
}

void class_timer(struct sim *s, struct rq *rq)
{
	update_rq_clock(s, rq);
	while (rq->dl_waiting != NONE && s->tasks[rq->dl_waiting].dl_timer <= s->g->now)
		dl_replenish_timer(s, rq, rq->dl_waiting);
	if (rq->fs_timer <= s->g->now)
		fair_server_timer(s, rq);
	class_timer_arm(s, rq);
}
