/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check.c - sim_check(): every invariant of the state, walked from nothing.
 *
 * The whole-state checker that tests run after each event: sums against what they sum, lists
 * against the flags of their members, and promises such as "no task lost".
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/policy/nohz.h"
#include "engine/sched/class.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/dl.h"
#include "engine/sched/exec.h"
#include "engine/sched/features.h"
#include "engine/sched/group.h"
#include "engine/sched/partition.h"
#include "engine/sched/pass.h"
#include "engine/sched/util_est.h"
#include "engine/sim_internal.h"

#define FAIL(...) return err_set(err, ERR_DIVERGED, __VA_ARGS__)

static int check_clocks(const struct sim *s, const struct rq *rq, struct err *err)
{
	if (rq->clock > s->g->now)
		FAIL("CPU %u: clock is ahead of time", rq->cpu);
	if (rq->clock_task > rq->clock + CLOCK_TASK_START)
		FAIL("CPU %u: clock_task is ahead of clock", rq->cpu);
	if (rq->clock_pelt > rq->clock_task)
		FAIL("CPU %u: clock_pelt is ahead of clock_task", rq->cpu);
	if (rq->lost_idle_time > rq->clock_pelt && rq->clock_pelt)
		FAIL("CPU %u: more idle time lost than has passed", rq->cpu);
	if (rq->seg_start > s->g->now)
		FAIL("CPU %u: its segment begins in the future", rq->cpu);
	return 0;
}

/* The tree of @q: counts its entities, their weight, and what of it is queued (v5.4). */
static int check_tree(const struct sim *s, const struct cfs_rq *q, u32 *nr, u64 *weight,
		      u64 *queued, struct err *err)
{
	u32 top = q->timeline.top, depth = 0;
	u32 stack[128];

	*nr = 0;
	*weight = 0;
	*queued = 0;
	if (top == NONE)
		return 0;
	stack[depth++] = top;
	while (depth) {
		u32 id = stack[--depth];
		const struct sched_entity *se = se_get(s, id);

		if (++*nr > q->nr_queued)
			FAIL("queue %u: its tree holds more than is queued", cfs_id_of(s, q));
		if (!se->on_rq)
			FAIL("queue %u: entity %x is in the tree and not queued", cfs_id_of(s, q),
			     id);
		if (id == q->curr)
			FAIL("queue %u: the running entity is in the tree", cfs_id_of(s, q));
		if (se->cfs_rq != cfs_id_of(s, q))
			FAIL("entity %x is in the tree of another queue", id);
		*weight += se->load.weight;
		*queued += is_task_se(id) ? se->load.weight : se->queued_weight;
		for (int d = 0; d < 2; d++) {
			if (se->run_node.child[d] == NONE)
				continue;
			if (depth == ARRAY_SIZE(stack))
				FAIL("queue %u: its tree is too deep", cfs_id_of(s, q));
			stack[depth++] = se->run_node.child[d];
		}
	}
	return 0;
}

static int check_queue(const struct sim *s, const struct cfs_rq *q, struct err *err)
{
	u32 nr, id = cfs_id_of(s, q);
	u64 weight, queued;

	if (check_tree(s, q, &nr, &weight, &queued, err))
		return -1;
	if (q->curr != NONE && se_get(s, q->curr)->on_rq) {
		nr++;
		weight += se_get(s, q->curr)->load.weight;
		queued += is_task_se(q->curr) ? se_get(s, q->curr)->load.weight
					      : se_get(s, q->curr)->queued_weight;
	}
	if (sched_feat(s, QUEUED_LOAD) && queued != q->queued_weight)
		FAIL("queue %u: queued weight %llu, its entities have %llu", id,
		     (unsigned long long)q->queued_weight, (unsigned long long)queued);
	if (nr != q->nr_queued)
		FAIL("queue %u: %u entities queued, %u found", id, q->nr_queued, nr);
	if (weight != q->load.weight)
		FAIL("queue %u: weight %llu, its entities have %llu", id,
		     (unsigned long long)q->load.weight, (unsigned long long)weight);
	if (q->h_nr_runnable > q->h_nr_queued)
		FAIL("queue %u: more tasks runnable than queued", id);
	if (q->avg.period_contrib >= 1024)
		FAIL("queue %u: period_contrib out of range", id);
	return 0;
}

/* Is any queue from @q up to the root throttled, and how many? */
static u32 throttled_above(const struct sim *s, const struct cfs_rq *q)
{
	u32 n = 0;

	for (u32 tg = q->tg; tg != NONE; tg = s->groups[tg].parent)
		n += tg_cfs(s, tg, q->cpu)->throttled;
	return n;
}

/* Counts of tasks over the hierarchy, and what throttling does to them. */
static int check_hierarchy(const struct sim *s, const struct cfs_rq *q, struct err *err)
{
	u32 id = cfs_id_of(s, q), queued = 0, runnable = 0, idle = 0;
	u32 above = throttled_above(s, q);

	for (task_id p = s->rqs[q->cpu].cfs_tasks_head; p != NONE; p = s->tasks[p].list_next) {
		const struct sched_entity *se = &s->task_se[p];

		if (se->cfs_rq != id)
			continue;
		queued++;
		runnable += !se->sched_delayed;
		idle += se->idle;
	}
	for (u32 g = s->groups[q->tg].first_child; g != NONE; g = s->groups[g].next_sibling) {
		const struct cfs_rq *c = tg_cfs(s, g, q->cpu);
		const struct sched_entity *se = &s->group_se[cfs_id_of(s, c)];

		if (c->throttled) {
			if (se->on_rq)
				FAIL("queue %u is throttled and its entity is queued",
				     cfs_id_of(s, c));
			continue;
		}
		queued += c->h_nr_queued;
		runnable += c->h_nr_runnable;
		idle += se->idle ? c->h_nr_queued : c->h_nr_idle;
	}
	if (q->h_nr_queued != queued || q->h_nr_runnable != runnable || q->h_nr_idle != idle)
		FAIL("queue %u: %u tasks below, %u runnable, %u idle; %u, %u, %u found", id,
		     q->h_nr_queued, q->h_nr_runnable, q->h_nr_idle, queued, runnable, idle);
	if (q->throttle_count != above)
		FAIL("queue %u: %u throttled queues above counted, %u found", id, q->throttle_count,
		     above);
	if (q->throttle_count && q->on_list)
		FAIL("queue %u: its clock stands and it is on the list of queues to age", id);
	if (q->throttled && (!q->runtime_enabled || q->runtime_left > 0))
		FAIL("queue %u is throttled and has %lld ns left", id, (long long)q->runtime_left);
	if (q->throttled && q->nr_queued && !q->throttled_clock)
		FAIL("queue %u: tasks wait for run time since never", id);
	if (q->runtime_enabled !=
	    (q->tg && s->groups[q->tg].quota != RUNTIME_INF && s->rqs[q->cpu].mode != CPU_OFFLINE))
		FAIL("queue %u and its group disagree about a quota", id);
	if (q->runtime_left > (s64)max_u64(s->g->tun.bandwidth_slice, NSEC_PER_MSEC))
		FAIL("queue %u: more than a slice of run time", id);
	if (above && q->curr != NONE && s->rqs[q->cpu].mode == CPU_TASK)
		FAIL("CPU %u runs a task of a throttled group", q->cpu);
	return 0;
}

static int check_one_group(const struct sim *s, u32 id, struct err *err)
{
	const struct task_group *tg = &s->groups[id];
	u64 key = id < s->g->nr_group_sources ? evq_key(&s->evq, s->src_group + 2 * id) : EVQ_NEVER;
	u32 listed = 0, throttled = 0, nr = s->g->nr_cpus;

	for (u32 c = tg->throttled_head; c != NONE; c = s->cfs_rqs[c].throttled_next)
		if (s->cfs_rqs[c].tg != id || ++listed > nr)
			FAIL("group %u: its list of throttled queues is broken", id);
	for (cpu_id c = 0; c < nr; c++)
		throttled += tg_cfs(s, id, c)->throttled;
	if (listed != throttled)
		FAIL("group %u: %u queues throttled, %u listed", id, throttled, listed);
	if (throttled && !tg->period_active)
		FAIL("group %u: queues are throttled and no timer will release them", id);
	if (evq_time_of(key) != (tg->period_active ? tg->period_at : NEVER))
		FAIL("group %u: period and event queue disagree", id);
	if (tg->uclamp[0] > tg->uclamp[1])
		FAIL("group %u: promises more than it allows", id);
	for (u32 k = 0; k < 2 && tg->parent != NONE; k++)
		if (tg->uclamp[k] > s->groups[tg->parent].uclamp[k])
			FAIL("group %u: a clamp is above its parent's", id);
	if (!cpumask_intersects(mask_get(s, tg->cpus_now), mask_get(s, s->g->online),
				s->g->mask_words))
		FAIL("group %u has no CPU", id);
	if (tg->parent != NONE && !tg->partition_now &&
	    !cpumask_subset(mask_get(s, tg->cpus_now), mask_get(s, s->groups[tg->parent].cpus_now),
			    s->g->mask_words))
		FAIL("group %u has CPUs that its parent has not", id);
	if (tg->partition_now && (tg->partition_now != tg->partition || tg->parent != ROOT_TG ||
				  tg->cpus_now != tg->cpus))
		FAIL("group %u is a partition in force that it may not be", id);
	for_each_cpu_mask(c, mask_get(s, tg->cpus_now), s->g->mask_words)
	{
		if (s->cpu_sd[c].partition != partition_of_group(s, id))
			FAIL("group %u may use CPU %u of another partition", id, c);
	}
	if (tg->quota != RUNTIME_INF &&
	    tg->runtime > tg->quota + tg->burst + nr * (u64)NSEC_PER_SEC)
		FAIL("group %u: more run time than was ever given", id);
	return 0;
}

static u32 uclamp_within(const struct task_group *tg, u32 value)
{
	if (tg->parent == NONE)
		return value;
	return (u32)min_u64(max_u64(value, tg->uclamp[0]), tg->uclamp[1]);
}

static int check_task(const struct sim *s, task_id p, struct err *err)
{
	const struct task *t = &s->tasks[p];
	const struct sched_entity *se = &s->task_se[p];
	const struct rq *rq;

	if (t->state > TASK_DEAD || t->cpu >= s->g->nr_cpus)
		FAIL("task %u: state or CPU out of range", p);
	rq = &s->rqs[t->cpu];
	if ((t->on_rq && task_is_fair(s, p)) != se->on_rq)
		FAIL("task %u: task and entity disagree whether it is queued", p);
	if (class_of(s, p) == CLASS_DL && (!t->dl_admitted || !t->dl_runtime))
		FAIL("task %u is a deadline task without a reservation", p);
	if (t->dl_timer != NEVER &&
	    ((!t->dl_throttled && (t->on_rq || !t->dl_contending)) || t->dl_timer < s->g->now))
		FAIL("task %u: its budget is due and does not come", p);
	if (t->dl_throttled && t->dl_timer == NEVER)
		FAIL("task %u waits for a budget that is never due", p);
	if (t->state == TASK_RUNNING && !t->on_rq)
		FAIL("task %u (%s) is runnable and in no queue: lost", p, t->comm);
	if (t->state == TASK_SLEEPING && t->wake_at == NEVER &&
	    !(t->flags & (PF_TIMER_PENDING | PF_TIMER_STEP | PF_WAKE_LATER)))
		FAIL("task %u (%s) sleeps with no timer: lost wake-up", p, t->comm);
	if (t->state == TASK_WAITING && t->wait_obj == NONE &&
	    !(t->flags & (PF_TIMER_PENDING | PF_TIMER_STEP | PF_WAKE_LATER)))
		FAIL("task %u (%s) waits for nothing: lost wake-up", p, t->comm);
	if (t->wake_at != NEVER && t->wake_at < s->g->now)
		FAIL("task %u: its timer is in the past", p);
	if (evq_time_of(evq_key(&s->evq, s->src_task + p)) != t->wake_at)
		FAIL("task %u: timer and event queue disagree", p);
	if (se->sched_delayed && (!t->on_rq || t->state == TASK_RUNNING))
		FAIL("task %u: delayed, but not asleep and queued", p);
	if (se->cfs_rq != tg_cfs_id(s, t->tg, t->cpu))
		FAIL("task %u: its entity stands at another queue", p);
	if (t->on_rq && t->nr_cpus_allowed && !mask_has_cpu(s, t->cpus, t->cpu) &&
	    !(t->flags & PF_PINNED_PENDING) &&
	    cpumask_intersects(mask_get(s, t->cpus), mask_get(s, s->g->online), s->g->mask_words))
		FAIL("task %u is on CPU %u, which it may not use", p, t->cpu);
	if (t->state != TASK_DEAD &&
	    !cpumask_subset(mask_get(s, t->cpus), mask_get(s, s->groups[t->tg].cpus_now),
			    s->g->mask_words))
		FAIL("task %u may use CPUs that its group may not", p);
	if (t->uclamp_min != uclamp_within(&s->groups[t->tg], t->uclamp_req[0]) ||
	    t->uclamp_max != uclamp_within(&s->groups[t->tg], t->uclamp_req[1]))
		FAIL("task %u: its clamps are not within those of its group", p);
	if (t->uclamp_active && ((policy_is_fair(t->policy) && t->uclamp_eff[0] != t->uclamp_min) ||
				 t->uclamp_eff[1] != t->uclamp_max))
		FAIL("task %u counts with other clamps than it has", p);
	if (t->wake_at != NEVER && s->rqs[t->wake_cpu].mode == CPU_OFFLINE)
		FAIL("task %u: its timer fires on CPU %u, which is offline", p, t->wake_cpu);
	if (rq->curr == p && task_is_fair(s, p) && root_cfs(s, t->cpu)->curr == NONE)
		FAIL("task %u runs, but its root queue has no current", p);
	return 0;
}

/* The queues above the fair class: order, counts, budgets, and who may run beside them. */
static int check_other_queues(const struct sim *s, const struct rq *rq, u32 *nr_dl, struct err *err)
{
	u32 rt = 0, dl = 0, prio = 100;
	u64 deadline = 0, bw = 0;

	for (task_id p = rq->rt_head; p != NONE; p = s->tasks[p].list_next) {
		const struct task *t = &s->tasks[p];

		if (++rt > rq->rt_nr || class_of(s, p) != CLASS_RT || !t->on_rq ||
		    t->cpu != rq->cpu)
			FAIL("CPU %u: task %u does not belong on its real-time queue", rq->cpu, p);
		if (t->rt_priority > prio)
			FAIL("CPU %u: task %u stands behind a lower priority", rq->cpu, p);
		prio = t->rt_priority;
	}
	for (task_id p = rq->dl_head; p != NONE; p = s->tasks[p].list_next) {
		const struct task *t = &s->tasks[p];

		if (++dl > rq->dl_nr || class_of(s, p) != CLASS_DL || !t->on_rq ||
		    t->cpu != rq->cpu || t->dl_throttled)
			FAIL("CPU %u: task %u does not belong on its deadline queue", rq->cpu, p);
		if (t->dl_abs < deadline)
			FAIL("CPU %u: task %u stands behind a later deadline", rq->cpu, p);
		deadline = t->dl_abs;
	}
	if (rt != rq->rt_nr || dl != rq->dl_nr)
		FAIL("CPU %u: %u real-time and %u deadline tasks counted, %u and %u queued",
		     rq->cpu, rq->rt_nr, rq->dl_nr, rt, dl);
	*nr_dl = 0;
	for_each_live(p, &s->arena, POOL_TASK)
	{
		const struct task *t = &s->tasks[p];

		if (t->cpu != rq->cpu || class_of(s, p) != CLASS_DL)
			continue;
		if (t->dl_contending)
			bw += dl_bandwidth(t->dl_runtime, t->dl_period);
		if (!t->on_rq)
			continue;
		(*nr_dl)++;
		/* Budgets are looked at when time is accounted: once a tick at least. */
		if (t->dl_left > (s64)t->dl_runtime ||
		    t->dl_left < -(s64)(tick_ns(s) + NSEC_PER_MSEC))
			FAIL("task %u: its budget is %lld ns of %llu", p, (long long)t->dl_left,
			     (unsigned long long)t->dl_runtime);
	}
	if (bw != rq->dl_running_bw)
		FAIL("CPU %u: deadline bandwidth %llu, its tasks have %llu", rq->cpu,
		     (unsigned long long)rq->dl_running_bw, (unsigned long long)bw);
	return 0;
}

static int check_classes(const struct sim *s, const struct rq *rq, u32 nr_fair, struct err *err)
{
	u32 rt = rq->rt_throttled ? 0 : rq->rt_nr, nr_dl = 0;
	bool other = rq->curr != NONE && !task_is_fair(s, rq->curr);

	if (check_other_queues(s, rq, &nr_dl, err))
		return -1;
	if (nr_fair + rt + rq->dl_nr != rq->nr_running)
		FAIL("CPU %u: nr_running %u, %u fair, %u real-time and %u deadline tasks queued",
		     rq->cpu, rq->nr_running, nr_fair, rt, rq->dl_nr);
	if (rq->nr_other != rq->rt_nr + nr_dl + rq->fs_active + other)
		FAIL("CPU %u: nr_other is %u", rq->cpu, rq->nr_other);
	if (rq->rt_throttled && s->g->rt_period_end == NEVER)
		FAIL("CPU %u: real-time tasks are throttled for ever", rq->cpu);
	if (rq->fs_active && !(rq->fs_state & FS_QUEUED) && rq->fs_timer == NEVER)
		FAIL("CPU %u: the fair server is active and waits for nothing", rq->cpu);
	if (rq->mode != CPU_TASK)
		return 0;
	if (other && class_of(s, rq->curr) == CLASS_DL) {
		if (rq->dl_nr && s->tasks[rq->dl_head].dl_abs < s->tasks[rq->curr].dl_abs)
			FAIL("CPU %u: an earlier deadline waits", rq->cpu);
		return 0;
	}
	if (rq->dl_nr && !(rq->fs_state & FS_QUEUED))
		FAIL("CPU %u: a deadline task waits for a task of a lower class", rq->cpu);
	if (rt && !(rq->fs_state & FS_QUEUED) &&
	    (!other || s->tasks[rq->curr].rt_priority < s->tasks[rq->rt_head].rt_priority))
		FAIL("CPU %u: task %u waits for a less urgent one", rq->cpu, rq->rt_head);
	return 0;
}

static int check_cpu(const struct sim *s, const struct rq *rq, struct err *err)
{
	u32 queued = 0, listed = 0, waiting = 0;
	u64 est = 0;

	if (check_clocks(s, rq, err))
		return -1;
	for_each_live(p, &s->arena, POOL_TASK)
	{
		if (s->tasks[p].cpu != rq->cpu || !s->tasks[p].on_rq)
			continue;
		if (!task_is_fair(s, p))
			continue;
		queued++;
		waiting += throttled_above(s, cfs_rq_of(s, p)) != 0;
		if (!s->task_se[p].sched_delayed)
			est += sched_feat(s, UTIL_EST) ? _task_util_est(s, p) : 0;
	}
	if (check_classes(s, rq, queued - waiting, err))
		return -1;
	if (root_cfs(s, rq->cpu)->h_nr_queued != queued - waiting)
		FAIL("CPU %u: h_nr_queued %u, %u tasks queued, %u of them throttled", rq->cpu,
		     root_cfs(s, rq->cpu)->h_nr_queued, queued, waiting);
	if (root_cfs(s, rq->cpu)->avg.util_est != est)
		FAIL("CPU %u: util_est %u, its tasks have %llu", rq->cpu,
		     root_cfs(s, rq->cpu)->avg.util_est, (unsigned long long)est);
	for (u32 id = 0; id < 2; id++) {
		u32 counted = 0, active = 0;

		for (u32 b = 0; b < UCLAMP_BUCKETS; b++)
			counted += rq->uclamp[id][b].tasks;
		for_each_live(p, &s->arena, POOL_TASK)
			active += s->tasks[p].cpu == rq->cpu && s->tasks[p].uclamp_active;
		if (counted != active)
			FAIL("CPU %u: %u tasks in clamp buckets, %u count", rq->cpu, counted,
			     active);
	}
	for (task_id p = rq->cfs_tasks_head; p != NONE; p = s->tasks[p].list_next)
		if (++listed > queued)
			FAIL("CPU %u: its task list has a loop", rq->cpu);
	if (listed != queued)
		FAIL("CPU %u: %u tasks listed, %u queued", rq->cpu, listed, queued);
	if (rq->curr == NONE && rq->nr_running && rq->mode != CPU_SECTION)
		FAIL("CPU %u is idle with %u tasks queued", rq->cpu, rq->nr_running);
	if ((rq->mode == CPU_TASK) != (rq->curr != NONE && rq->mode != CPU_SECTION))
		FAIL("CPU %u: mode %u does not fit its current task", rq->cpu, rq->mode);
	if (rq->irq_pending && rq->mode != CPU_SECTION)
		FAIL("CPU %u: interrupts are pending and it is not in the kernel", rq->cpu);
	if (rq->owes && rq->mode != CPU_SECTION && rq->mode != CPU_IDLE)
		FAIL("CPU %u runs a task and owes time", rq->cpu);
	if (rq->need_resched && rq->mode != CPU_SECTION)
		FAIL("CPU %u: a reschedule is pending between events", rq->cpu);
	return 0;
}

/* No domain reaches over the edge of its CPU's partition, and isolated CPUs have none. */
static int check_partition(const struct sim *s, cpu_id cpu, struct err *err)
{
	const struct cpu_sd *k = &s->cpu_sd[cpu];

	if (k->partition != partition_of_cpu(s, cpu) ||
	    k->isolated != (s->groups[k->partition].partition_now == PARTITION_ISOLATED))
		FAIL("CPU %u was built into partition %u, where it is not", cpu, k->partition);
	if (k->isolated && k->sd != NONE)
		FAIL("CPU %u is isolated and has domains", cpu);
	for_each_domain(s, cpu, sd)
	{
		for_each_cpu_mask(c, sd_span(s, sd), s->g->mask_words)
		{
			if (s->cpu_sd[c].partition != k->partition)
				FAIL("a domain of CPU %u reaches CPU %u of another partition", cpu,
				     c);
		}
	}
	return 0;
}

/* The mask of CPUs online, their number, and that nothing is left on those that are not. */
static int check_online(const struct sim *s, const struct rq *rq, struct err *err)
{
	bool online = mask_has_cpu(s, s->g->online, rq->cpu);

	if (online == (rq->mode == CPU_OFFLINE))
		FAIL("CPU %u: mode %u, and the mask of CPUs online says %d", rq->cpu, rq->mode,
		     online);
	if (s->g->nr_online != s->masks[s->g->online].weight)
		FAIL("%u CPUs are counted online, %u are", s->g->nr_online,
		     s->masks[s->g->online].weight);
	if (check_partition(s, rq->cpu, err))
		return -1;
	if (online)
		return 0;
	if (rq->nr_running || rq->curr != NONE || rq->nr_ksteps || rq->irq_pending || rq->kthread ||
	    rq->owes)
		FAIL("CPU %u is offline and has work: %u tasks, %u steps, interrupts %x, owes %u",
		     rq->cpu, rq->nr_running + (rq->curr != NONE), rq->nr_ksteps, rq->irq_pending,
		     rq->owes);
	if (rq->nr_other || rq->dl_waiting != NONE || rq->fs_active)
		FAIL("CPU %u is offline and other classes have something there", rq->cpu);
	if (evq_key(&s->evq, s->src_class + rq->cpu) != EVQ_NEVER ||
	    evq_key(&s->evq, s->src_tick + rq->cpu) != EVQ_NEVER ||
	    evq_key(&s->evq, s->src_seg + rq->cpu) != EVQ_NEVER)
		FAIL("CPU %u is offline and waits for an event", rq->cpu);
	if (s->cpu_sd[rq->cpu].sd != NONE)
		FAIL("CPU %u is offline and has domains", rq->cpu);
	return 0;
}

/* A pass that is under way is waiting for one step to be paid, on its own CPU. */
static int check_passes(const struct sim *s, const struct rq *rq, struct err *err)
{
	u32 steps[NR_PASS_CTX] = { 0 };

	for (u32 i = 0; i < rq->nr_ksteps; i++)
		if (rq->ksteps[i].effect == KS_PASS)
			steps[rq->ksteps[i].a]++;
	for (u32 c = 0; c < NR_PASS_CTX; c++)
		if (steps[c] != (rq->pass[c].fn != PASS_NONE))
			FAIL("CPU %u: pass %u in context %u with %u steps", rq->cpu, rq->pass[c].fn,
			     c, steps[c]);
	if ((rq->searching == NEWIDLE_GOES_ON) != pass_active(rq, PASS_SCHEDULE))
		FAIL("CPU %u: its search for work and schedule() disagree", rq->cpu);
	/* Only what moving a task costs comes in between. */
	if (rq->searching == NEWIDLE_OVER && !rq->nr_ksteps)
		FAIL("CPU %u: its search for work is over and it did not switch", rq->cpu);
	if (rq->softirq_pending && !pass_active(rq, PASS_SOFTIRQ))
		FAIL("CPU %u: a softirq is raised and does not run", rq->cpu);
	if (rq->kthread && rq->mode != CPU_SECTION)
		FAIL("CPU %u: the governor's thread does not run", rq->cpu);
	if (s->g->this_cpu != NONE)
		FAIL("CPU %u still executes between events", s->g->this_cpu);
	return 0;
}

/* A governor's thread that was woken is on its way to run. */
static int check_thread(const struct sim *s, u32 fd, struct err *err)
{
	for (u32 c = 0; c < s->g->nr_cpus && s->fds[fd].thread_woken; c++) {
		const struct rq *rq = &s->rqs[c];

		if (s->topo[c].fd != fd)
			continue;
		if ((rq->kthread & KTHREAD_WOKEN) || (rq->irq_pending & IRQ_KTHREAD))
			return 0;
		for (u32 i = 0; i < rq->nr_ksteps; i++)
			if (rq->ksteps[i].effect == KS_KTHREAD ||
			    rq->ksteps[i].effect == KS_KTHREAD_WAKE)
				return 0;
	}
	if (s->fds[fd].thread_woken)
		FAIL("frequency domain %u: its thread was woken and is nowhere", fd);
	return 0;
}

/* "counted/in the mask" of the first records, for messages. */
static const char *nohz_counts(const struct sim *s, char *buf, size_t size)
{
	u32 nr = arena_len(&s->arena, POOL_NOHZ);
	size_t len = 0;

	buf[0] = '\0';
	for (u32 r = 0; r < nr && r < 8 && len + 24 < size; r++)
		len += (size_t)snprintf(buf + len, size - len, "%s%d/%u", r ? " " : "",
					s->nohz[r].nr_cpus,
					cpumask_weight(nohz_mask_of(s, r), s->g->mask_words));
	return buf;
}

/* Records of idle CPUs against the CPUs' own flags: each is in the record that it belongs to. */
static int check_nohz(const struct sim *s, struct err *err)
{
	const struct nohz_ops *ops = s->policy[SLOT_NOHZ]->ops;
	const char *policy = s->policy[SLOT_NOHZ]->name;
	u32 nr = arena_len(&s->arena, POOL_NOHZ);
	char counts[256];

	for (u32 r = 0; r < nr; r++) {
		for (cpu_id c = 0; c < s->g->nr_cpus; c++) {
			bool in = cpumask_test(nohz_mask_of(s, r), c);
			bool stopped = s->rqs[c].nohz_tick_stopped;
			u32 home = ops->record(s, c);
			const char *verb = "holds", *but = NULL;

			if (in && s->rqs[c].mode == CPU_OFFLINE) {
				verb = "still holds";
				but = "is offline";
			} else if (in && !stopped) {
				but = "has a tick";
			} else if (in && home != r) {
				but = "belongs to another";
			} else if (stopped && home == r && !in) {
				verb = "does not hold";
				but = "has no tick";
			}
			if (but)
				FAIL("nohz %s: record %u %s CPU %u, which %s; idle CPUs counted/in "
				     "the mask: %s",
				     policy, r, verb, c, but,
				     nohz_counts(s, counts, sizeof(counts)));
		}
	}
	for (u32 r = 0; r < nr; r++)
		if (s->nohz[r].nr_cpus != (s32)cpumask_weight(nohz_mask_of(s, r), s->g->mask_words))
			FAIL("nohz %s: record %u counts wrongly; idle CPUs counted/in the mask: %s",
			     policy, r, nohz_counts(s, counts, sizeof(counts)));
	return 0;
}

static int check_syncs(const struct sim *s, struct err *err)
{
	for_each_live(o, &s->arena, POOL_SYNC)
	{
		u32 n = 0;

		for (task_id p = s->syncs[o].head; p != NONE; p = s->tasks[p].wait_next) {
			if (s->tasks[p].wait_obj != o)
				FAIL("object %u: a waiter waits elsewhere", o);
			if (++n > s->syncs[o].nr_waiting)
				FAIL("object %u: more waiters than counted", o);
		}
		if (n != s->syncs[o].nr_waiting)
			FAIL("object %u: %u waiters counted, %u found", o, s->syncs[o].nr_waiting,
			     n);
		if (s->syncs[o].kind == SYNC_BARRIER && n && n >= s->syncs[o].needed)
			FAIL("barrier %u: %u tasks wait for %u", o, n, s->syncs[o].needed);
		if (s->syncs[o].kind != SYNC_QUEUE)
			continue;
		if (s->syncs[o].value > s->syncs[o].needed)
			FAIL("queue %u: %llu messages in a depth of %u", o,
			     (unsigned long long)s->syncs[o].value, s->syncs[o].needed);
		if (n && s->syncs[o].value && s->syncs[o].value < s->syncs[o].needed)
			FAIL("queue %u: somebody waits, and it is neither empty nor full", o);
	}
	return 0;
}

/* Packing: flags where the tunable says so, and every group prefers a CPU of its own. */
static int check_packing(const struct sim *s, struct err *err)
{
	for (u32 d = 0; d < arena_len(&s->arena, POOL_SCHED_DOMAIN); d++)
		if ((s->domains[d].flags & SD_ASYM_PACKING) && !s->g->tun.asym_packing)
			FAIL("domain %u packs, and packing is off", d);
	for (u32 sg = 0; sg < arena_len(&s->arena, POOL_SCHED_GROUP); sg++) {
		cpu_id best = s->sgroups[sg].asym_prefer_cpu;

		if (!cpumask_test(sg_span(s, sg), best))
			FAIL("group %u prefers CPU %u, which is not in it", sg, best);
		for_each_cpu_mask(c, sg_span(s, sg), s->g->mask_words)
		{
			if (sched_asym_prefer(s, c, best))
				FAIL("group %u prefers CPU %u to %u", sg, best, c);
		}
	}
	return 0;
}

int sim_check(const struct sim *s, struct err *err)
{
	if (check_packing(s, err))
		return -1;
	u32 overloaded = 0;
	u64 bw = 0;

	if (!evq_check(&s->evq))
		FAIL("the event queue's winners are wrong");
	if (evq_top_key(&s->evq) != EVQ_NEVER && evq_time_of(evq_top_key(&s->evq)) < s->g->now)
		FAIL("the event of source %u is due in the past", evq_top(&s->evq));
	for (u32 c = 0; c < s->g->nr_cpus; c++)
		if (check_cpu(s, &s->rqs[c], err) || check_passes(s, &s->rqs[c], err) ||
		    check_online(s, &s->rqs[c], err))
			return -1;
	for (u32 fd = 0; fd < s->g->nr_fds; fd++)
		if (check_thread(s, fd, err))
			return -1;
	for (u32 q = 0; q < arena_len(&s->arena, POOL_CFS_RQ); q++)
		if (check_queue(s, &s->cfs_rqs[q], err) || check_hierarchy(s, &s->cfs_rqs[q], err))
			return -1;
	for (u32 g = 0; g < arena_len(&s->arena, POOL_GROUP); g++)
		if (check_one_group(s, g, err))
			return -1;
	for_each_live(p, &s->arena, POOL_TASK)
	{
		if (check_task(s, p, err))
			return -1;
		if (s->tasks[p].dl_admitted)
			bw += dl_bandwidth(s->tasks[p].dl_runtime, s->tasks[p].dl_period);
	}
	for (u32 c = 0; c < s->g->nr_cpus; c++)
		overloaded += s->rqs[c].rt_nr + s->rqs[c].dl_nr > 1;
	if (bw != s->g->dl_total_bw)
		FAIL("deadline bandwidth admitted is off by %lld",
		     (long long)(s->g->dl_total_bw - bw));
	if (overloaded != s->g->nr_rt_overloaded)
		FAIL("%u CPUs have several urgent tasks, %u are counted", overloaded,
		     s->g->nr_rt_overloaded);
	if (check_nohz(s, err))
		return -1;
	return check_syncs(s, err);
}
