/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec.c - execution state of a CPU: segments of idleness, task work and kernel steps.
 *
 * There is no such file in the kernel, whose code simply runs. Speed is one integer, 2^20 for
 * capacity 1024 at top frequency with the core to itself; work is ns << 20. What is simplified: an
 * interrupt that arrives while interrupts are off waits in a set of pending bits, a task's timer in a
 * list, not in a controller with priorities.
 */
#include "engine/sched/exec.h"

#include <string.h>

#include "engine/access.h"
#include "engine/hw/cpufreq.h"
#include "engine/observe/emit.h"
#include "engine/sched/core.h"
#include "engine/sched/costs.h"
#include "engine/sched/idle.h"
#include "engine/sched/pass.h"
#include "engine/workload/workload.h"

const char *const cost_path_names[NR_PATHS] = {
	[PATH_WAKEUP] = "wakeup",   [PATH_SWITCH] = "switch",  [PATH_TICK] = "tick",
	[PATH_NEWIDLE] = "newidle", [PATH_ILB] = "ilb",	       [PATH_BALANCE] = "balance",
	[PATH_SUGOV] = "sugov",	    [PATH_IDLE_EXIT] = "idle", [PATH_SYSCALL] = "syscall",
};

ktime_ns jiffy_start(const struct sim *s, u64 n)
{
	u64 hz = s->g->tun.hz;

	if (n < ~0ull / NSEC_PER_SEC)
		return n * NSEC_PER_SEC / hz;
	return (ktime_ns)((u128)n * NSEC_PER_SEC / hz);
}

u64 cpu_power_uw(const struct sim *s, const struct rq *rq)
{
	const struct cpu_topo *ct = &s->topo[rq->cpu];
	const struct freq_domain *fd = &s->fds[ct->fd];
	const struct opp *opp = &s->opps[fd->first_opp + fd->cur];

	if (rq->mode == CPU_OFFLINE)
		return 0;
	if (rq->mode != CPU_IDLE) {
		/* The figure is that of one busy core: busy threads of it share it. */
		u32 busy = s->topo[ct->core_first].core_busy;

		return opp->power_uw / (busy ? busy : 1);
	}
	return idle_power_uw(s, rq);
}

static void add_energy(u64 *lo, u64 *hi, u128 energy)
{
	u128 sum = ((u128)*hi << 64 | *lo) + energy;

	*lo = (u64)sum;
	*hi = (u64)(sum >> 64);
}

/* Add @done, ns << 20, to a sum of whole ns and a rest. */
static void count_work(u64 *ns, u64 *frac, u64 done)
{
	*frac += done & ((1u << 20) - 1);
	*ns += (done >> 20) + (*frac >> 20);
	*frac &= (1u << 20) - 1;
}

void cpu_account(struct sim *s, struct rq *rq)
{
	u64 now = s->g->now;
	u64 delta = now - rq->seg_start;

	if (!delta)
		return;
	rq->seg_start = now;

	struct cpu_stats *st = &s->cpu_stats[rq->cpu];

	u128 energy = (u128)cpu_power_uw(s, rq) * delta;

	add_energy(&st->energy_lo, &st->energy_hi, energy);
	if (rq->mode != CPU_IDLE && rq->curr != NONE) {
		struct task_stats *ts = &s->task_stats[rq->curr];

		add_energy(&ts->energy_lo, &ts->energy_hi, energy);
	}
	switch (rq->mode) {
	case CPU_TASK: {
		struct task *t = &s->tasks[rq->curr];
		u64 done = delta * rq->speed;

		st->busy_ns += delta;
		s->task_stats[rq->curr].busy_ns += delta;
		/* The last bit of a step may take a little longer than it has work. */
		if (t->work_left && t->work_left != ~0ull) {
			done = min_u64(done, t->work_left);
			t->work_left -= done;
		}
		count_work(&s->task_stats[rq->curr].work_done, &s->task_stats[rq->curr].work_frac,
			   done);
		/* The charge for standing still is not progress. */
		if (!(t->flags & PF_CHARGED))
			t->zero_steps = 0;
		break;
	}
	case CPU_SECTION: {
		struct kstep *k = &rq->ksteps[rq->nr_ksteps - 1];

		k->left = sub_positive(k->left, delta * rq->speed);
		st->busy_ns += delta;
		st->kernel_ns += delta;
		st->path_ns[k->path] += delta;
		s->stats->path_ns[k->path] += delta;
		if (k->flags & KSTEP_IRQ)
			rq->irq_time += delta;
		else if (rq->curr != NONE)
			s->task_stats[rq->curr].kernel_ns += delta;
		break;
	}
	case CPU_OFFLINE:
		break;
	default:
		st->idle_ns += delta;
		if (rq->idle_state != NONE && rq->idle_depth < ARRAY_SIZE(st->idle_state_ns))
			st->idle_state_ns[rq->idle_depth] += delta;
		break;
	}
}

static ktime_ns after_work(const struct sim *s, const struct rq *rq, u64 left)
{
	u64 ns = left / rq->speed + (left % rq->speed != 0);

	return s->g->now + ns;
}

static void cpu_arm(struct sim *s, struct rq *rq)
{
	ktime_ns at = NEVER;

	/* Between two steps, as in a switch, there is nothing to wait for: it arms again after it. */
	if (rq->mode == CPU_SECTION && rq->nr_ksteps) {
		at = after_work(s, rq, rq->ksteps[rq->nr_ksteps - 1].left);
	} else if (rq->mode == CPU_TASK && rq->curr != NONE) {
		const struct task *t = &s->tasks[rq->curr];

		if (t->runtime_until != NEVER)
			at = max_u64(t->runtime_until, s->g->now);
		else if (t->work_left != ~0ull)
			at = after_work(s, rq, t->work_left);
	}
	evq_set(&s->evq, s->src_seg + rq->cpu, evq_key_of(at, EVC_SEGMENT));
}

static u32 speed_of(const struct sim *s, const struct rq *rq)
{
	const struct cpu_topo *ct = &s->topo[rq->cpu];
	const struct freq_domain *fd = &s->fds[ct->fd];
	u64 speed = ((u64)rq->performance << 10) * fd->cur_khz / fd->ref_khz;
	u32 k = s->topo[ct->core_first].core_busy;

	if (k > 1)
		speed = speed * ct->smt_pct[k - 1] / (100 * k);
	return speed ? (u32)speed : 1;
}

void cpu_set_speed(struct sim *s, cpu_id cpu)
{
	struct rq *rq = &s->rqs[cpu];

	cpu_account(s, rq);
	rq->speed = speed_of(s, rq);
	cpu_arm(s, rq);
}

static void set_mode(struct sim *s, struct rq *rq, enum cpu_mode mode)
{
	struct cpu_topo *ct = &s->topo[rq->cpu];
	if (rq->mode == mode && rq->seg_start == s->g->now)
		return;

	/* An offline CPU takes as little from its siblings as an idle one. */
	bool was_idle = rq->mode == CPU_IDLE || rq->mode == CPU_OFFLINE;
	bool is_idle = mode == CPU_IDLE || mode == CPU_OFFLINE;

	cpu_account(s, rq);
	if (was_idle != is_idle) {
		struct cpu_topo *core = &s->topo[ct->core_first];

		if (ct->smt_threads == 1) {
			core->core_busy = is_idle ? 0 : 1;
		} else {
			/* Siblings lived the past at the old speed and power: book it first. */
			const u64 *smt = mask_get(s, ct->smt_mask);

			for (u32 c = 0; c < s->g->nr_cpus; c++)
				if (smt[c / 64] >> (c % 64) & 1)
					cpu_account(s, &s->rqs[c]);
			core->core_busy += is_idle ? ~0u : 1u;
			rq->mode = mode;
			for (u32 c = 0; c < s->g->nr_cpus; c++)
				if (smt[c / 64] >> (c % 64) & 1)
					cpu_set_speed(s, c);
		}
	}
	rq->mode = mode;
}

static bool is_task_effect(u32 effect)
{
	return effect == KS_TTWU || effect == KS_NEW_TASK;
}

static void push_step(struct rq *rq, struct kstep step)
{
	BUG_ON(rq->nr_ksteps == KSTEP_DEPTH);
	rq->ksteps[rq->nr_ksteps++] = step;
}

void cpu_push_step(struct sim *s, struct rq *rq, struct kstep step)
{
	cpu_account(s, rq);
	push_step(rq, step);
	/* Its own loop arms it; otherwise the CPU may be waiting for what now comes later. */
	if (rq->mode == CPU_SECTION)
		cpu_arm(s, rq);
	else
		cpu_attend(s, rq->cpu);
}

static bool irqs_off(const struct rq *rq)
{
	return rq->nr_ksteps && (rq->ksteps[rq->nr_ksteps - 1].flags & KSTEP_IRQS_OFF);
}

static void do_effect(struct sim *s, struct rq *rq, enum kstep_effect effect, u32 a, u64 b)
{
	cpu_id caller = s->g->this_cpu;

	s->g->this_cpu = rq->cpu;
	switch (effect) {
	case KS_NONE:
		break;
	case KS_SCHEDULE:
		schedule(s, rq);
		break;
	case KS_TTWU:
		s->tasks[a].flags &= ~PF_TIMER_STEP;
		try_to_wake_up(s, a, rq->cpu, (u32)b);
		break;
	case KS_NEW_TASK:
		s->tasks[a].flags &= ~PF_TIMER_STEP;
		wake_up_new_task(s, a, rq->cpu);
		break;
	case KS_TICK:
		scheduler_tick(s, rq);
		break;
	case KS_KTHREAD_WAKE:
		rq->kthread |= KTHREAD_WOKEN;
		resched_curr(s, rq);
		break;
	case KS_KTHREAD:
		cpufreq_thread(s, s->topo[rq->cpu].fd);
		resched_curr(s, rq);
		break;
	case KS_PASS:
		if (pass_step(s, rq, (enum pass_ctx)a) && a == PASS_SCHEDULE)
			newidle_over(s, rq);
		break;
	case KS_NOHZ:
		softirq_raise(s, rq, SOFTIRQ_NOHZ);
		break;
	}
	s->g->this_cpu = caller;
}

/* The latency of leaving an idle state is the hardware's: fixed, whatever the CPU's speed. */
static void pay_idle_exit(struct sim *s, struct rq *rq)
{
	u64 ns;

	if (rq->idle_state == NONE || !s->g->tun.costs)
		return;
	ns = s->idle_states[rq->idle_state].exit_us * NSEC_PER_USEC;
	cpu_account(s, rq);
	rq->idle_state = NONE;
	if (!ns)
		return;
	s->stats->path_count[PATH_IDLE_EXIT]++;
	push_step(rq, (struct kstep){ .path = PATH_IDLE_EXIT,
				      .flags = KSTEP_IRQ | KSTEP_IRQS_OFF,
				      .effect = KS_NONE,
				      .left = ns * rq->speed });
}

/* Interrupts are shut: remember what came. Ticks merge; timers keep their order. */
static void pend(struct sim *s, struct rq *rq, enum kstep_effect effect, u32 a)
{
	if (effect == KS_TICK) {
		rq->irq_pending |= IRQ_TICK;
		return;
	}
	if (effect == KS_KTHREAD_WAKE) {
		rq->irq_pending |= IRQ_KTHREAD;
		return;
	}
	BUG_ON(effect != KS_TTWU && effect != KS_NEW_TASK);
	if (s->tasks[a].flags & PF_TIMER_PENDING)
		return;
	s->tasks[a].flags |= PF_TIMER_PENDING;
	s->tasks[a].ttwu_next = NONE;
	if (rq->timer_list == NONE)
		rq->timer_list = a;
	else
		s->tasks[rq->timer_list_tail].ttwu_next = a;
	rq->timer_list_tail = a;
	rq->irq_pending |= IRQ_TIMER;
}

void timer_pending_cancel(struct sim *s, task_id p)
{
	struct rq *rq = &s->rqs[s->tasks[p].wake_cpu];
	task_id prev = NONE;

	if (s->tasks[p].flags & PF_TIMER_STEP) {
		/* The step goes on and finds nothing to do: the id may be another's by then. */
		for (u32 i = 0; i < rq->nr_ksteps; i++)
			if (is_task_effect(rq->ksteps[i].effect) && rq->ksteps[i].a == p)
				rq->ksteps[i].effect = KS_NONE;
		s->tasks[p].flags &= ~PF_TIMER_STEP;
	}
	if (!(s->tasks[p].flags & PF_TIMER_PENDING))
		return;
	s->tasks[p].flags &= ~PF_TIMER_PENDING;
	for (task_id t = rq->timer_list; t != p; t = s->tasks[t].ttwu_next)
		prev = t;
	if (prev == NONE)
		rq->timer_list = s->tasks[p].ttwu_next;
	else
		s->tasks[prev].ttwu_next = s->tasks[p].ttwu_next;
	if (rq->timer_list_tail == p)
		rq->timer_list_tail = prev;
	if (rq->timer_list == NONE)
		rq->irq_pending &= ~IRQ_TIMER;
}

/* Interrupts have just opened: the handlers of what is pending become steps, timers first. */
static void take_pending(struct sim *s, struct rq *rq)
{
	struct kstep step = { .flags = KSTEP_IRQ | KSTEP_IRQS_OFF };

	if (rq->irq_pending & IRQ_TIMER) {
		task_id p = rq->timer_list;

		rq->timer_list = s->tasks[p].ttwu_next;
		if (rq->timer_list == NONE) {
			rq->timer_list_tail = NONE;
			rq->irq_pending &= ~IRQ_TIMER;
		}
		s->tasks[p].flags &= ~PF_TIMER_PENDING;
		s->tasks[p].flags |= PF_TIMER_STEP;
		step.path = PATH_WAKEUP;
		step.effect = s->tasks[p].state == TASK_NEW ? KS_NEW_TASK : KS_TTWU;
		step.a = p;
		step.left = cost_of_wakeup(s, rq->cpu) << 20;
	} else if (rq->irq_pending & IRQ_KTHREAD) {
		rq->irq_pending &= ~IRQ_KTHREAD;
		step.path = PATH_SUGOV;
		step.effect = KS_KTHREAD_WAKE;
		step.left = cost_ns(s, COST_ipi) << 20;
	} else if (rq->irq_pending & IRQ_TICK) {
		rq->irq_pending &= ~IRQ_TICK;
		step.path = PATH_TICK;
		step.effect = KS_TICK;
		step.left = cost_of_tick(s, rq) << 20;
	} else {
		rq->irq_pending &= ~IRQ_NOHZ;
		step.path = PATH_ILB;
		step.effect = KS_NOHZ;
		step.left = cost_ns(s, COST_ipi) << 20;
	}
	s->stats->path_count[step.path]++;
	push_step(rq, step);
	if (rq->mode == CPU_IDLE)
		pay_idle_exit(s, rq);
}

void cpu_interrupt(struct sim *s, struct rq *rq, enum cost_path path, enum kstep_effect effect,
		   u32 a, u64 b, u64 cost)
{
	if (irqs_off(rq) || rq->irq_pending) {
		pend(s, rq, effect, a);
		return;
	}
	s->stats->path_count[path]++;
	if (!cost) {
		do_effect(s, rq, effect, a, b);
		return;
	}
	if (is_task_effect(effect))
		s->tasks[a].flags |= PF_TIMER_STEP;
	cpu_account(s, rq);
	push_step(rq, (struct kstep){ .path = (u8)path,
				      .flags = KSTEP_IRQ | KSTEP_IRQS_OFF,
				      .effect = (u16)effect,
				      .a = a,
				      .b = b,
				      .left = cost << 20 });
	if (rq->mode == CPU_IDLE)
		pay_idle_exit(s, rq);
	cpu_run(s, rq);
}

void kthread_wake(struct sim *s, struct rq *rq, cpu_id by)
{
	if (by != NONE)
		cost_owe(s, &s->rqs[by], PATH_SUGOV, cost_ns(s, COST_wakeup));
	if (by == rq->cpu)
		do_effect(s, rq, KS_KTHREAD_WAKE, 0, 0);
	else
		cpu_interrupt(s, rq, PATH_SUGOV, KS_KTHREAD_WAKE, 0, 0, cost_ns(s, COST_ipi));
}

/* Pay for what was done inside other effects, before what the CPU is at goes on. */
static void push_owed(struct rq *rq)
{
	u8 shut = irqs_off(rq) || rq->searching ? KSTEP_IRQS_OFF : 0;

	rq->owes = 0;
	for (u32 path = 0; path < NR_PATHS; path++) {
		if (!rq->owed[path])
			continue;
		/* Balancing from the tick runs in softirq: interrupts are open. */
		u8 flags = shut |
			   (path == PATH_ILB || path == PATH_BALANCE ? KSTEP_IRQ : KSTEP_IRQS_OFF);

		push_step(rq, (struct kstep){ .path = (u8)path,
					      .flags = flags,
					      .effect = KS_NONE,
					      .left = (u64)rq->owed[path] << 20 });
		rq->owed[path] = 0;
	}
}

/* A reschedule is due: pay for it, then do it. False: a step was pushed. */
static bool try_schedule(struct sim *s, struct rq *rq)
{
	u64 cost;

	if (rq->mode == CPU_IDLE && rq->idle_state != NONE && s->g->tun.costs) {
		/* Asked by an interrupt from elsewhere. */
		cost_owe(s, rq, PATH_SWITCH, cost_ns(s, COST_ipi));
		pay_idle_exit(s, rq);
		return false;
	}
	if ((rq->kthread & KTHREAD_WOKEN) && !rq->searching) {
		/* Deadline class: before every other task, current or not. Then the CPU looks again. */
		rq->kthread = KTHREAD_ON;
		rq->need_resched = 0;
		s->stats->path_count[PATH_SUGOV]++;
		cpu_account(s, rq);
		push_step(rq, (struct kstep){ .path = PATH_SUGOV,
					      .effect = KS_KTHREAD,
					      .left = freq_thread_work(s) << 20 });
		return false;
	}
	cost = rq->switch_paid ? 0 : cost_of_switch(s, rq);
	s->stats->path_count[PATH_SWITCH]++;
	cpu_account(s, rq);
	if (cost) {
		push_step(rq, (struct kstep){ .path = PATH_SWITCH,
					      .flags = KSTEP_IRQS_OFF,
					      .effect = KS_SCHEDULE,
					      .left = cost << 20 });
		return false;
	}
	rq->switch_paid = 0;
	schedule(s, rq);
	return true;
}

void kfunc_entry(struct sim *s, const struct rq *rq, enum kfunc func, cpu_id target)
{
	trace(s, TR_kfunc_entry, rq->cpu, rq->curr, trace_pair(func, target), rq->kthread != 0);
}

void kfunc_exit(struct sim *s, const struct rq *rq, enum kfunc func, cpu_id target, ktime_ns began)
{
	trace(s, TR_kfunc_exit, rq->cpu, rq->curr, trace_pair(func, target), s->g->now - began);
}

/* What a step is, for the function graph. */
static enum kfunc step_func(const struct rq *rq, const struct kstep *k, cpu_id *target)
{
	static const u8 funcs[NR_PATHS] = {
		[PATH_WAKEUP] = KF_try_to_wake_up,
		[PATH_SWITCH] = KF_schedule,
		[PATH_TICK] = KF_scheduler_tick,
		[PATH_NEWIDLE] = KF_detach_tasks,
		[PATH_ILB] = KF_detach_tasks,
		[PATH_BALANCE] = KF_detach_tasks,
		[PATH_SUGOV] = KF_sugov_next_freq_shared,
		[PATH_IDLE_EXIT] = KF_cpuidle_exit,
		[PATH_SYSCALL] = KF_syscall,
	};

	*target = NONE;
	if (k->effect == KS_PASS) {
		*target = rq->pass[k->a].step_cpu;
		return (enum kfunc)rq->pass[k->a].step_func;
	}
	return k->effect == KS_KTHREAD ? KF_sugov_work : (enum kfunc)funcs[k->path];
}

/* Steps are shown where they are part of a pass or come in between. */
static void show_step(struct sim *s, const struct rq *rq, const struct kstep *k, bool over)
{
	enum kfunc func;
	cpu_id target;

	if (!trace_on(s, TR_kfunc_entry) || !pass_shows(rq))
		return;
	func = step_func(rq, k, &target);
	if (over)
		kfunc_exit(s, rq, func, target, k->began);
	else
		kfunc_entry(s, rq, func, target);
}

static void cpu_loop(struct sim *s, struct rq *rq)
{
	for (;;) {
		struct kstep *top = rq->nr_ksteps ? &rq->ksteps[rq->nr_ksteps - 1] : NULL;

		if (top && !top->left) {
			struct kstep done = *top;

			if (done.flags & KSTEP_STARTED)
				show_step(s, rq, &done, true);
			rq->nr_ksteps--;
			do_effect(s, rq, (enum kstep_effect)done.effect, done.a, done.b);
			continue;
		}
		if (rq->owes) {
			cpu_account(s, rq);
			push_owed(rq);
			continue;
		}
		/* Between dequeue and switch interrupts stay shut: a wake-up of who leaves has to wait. */
		if (rq->irq_pending && !irqs_off(rq) && !rq->searching) {
			cpu_account(s, rq);
			take_pending(s, rq);
			continue;
		}
		if (top) {
			if (!(top->flags & KSTEP_STARTED)) {
				top->flags |= KSTEP_STARTED;
				top->began = s->g->now;
				if (top->effect == KS_PASS)
					pass_step_starts(s, rq, (enum pass_ctx)top->a);
				show_step(s, rq, top, false);
			}
			set_mode(s, rq, CPU_SECTION);
			break;
		}
		if (rq->need_resched) {
			try_schedule(s, rq);
			continue;
		}
		if (rq->curr == NONE) {
			if (rq->mode != CPU_IDLE && !idle_enter(s, rq))
				continue;
			set_mode(s, rq, CPU_IDLE);
			break;
		}
		if (rq->mode == CPU_IDLE || rq->tick_stopped)
			idle_exit(s, rq);
		/* From here its time is the task's: steps that take none happen at once. */
		set_mode(s, rq, CPU_TASK);
		if (workload_run(s, rq, rq->curr))
			break;
	}
}

/*
 * Would the CPU find nothing new if it looked again now? Who asked it to look, itself most often, has
 * then been heard. What a task does last before it computes may still owe; a task that found no room
 * for what it creates tries again.
 */
static bool has_settled(const struct sim *s, const struct rq *rq)
{
	if (rq->nr_ksteps || rq->owes || rq->need_resched || rq->irq_pending)
		return false;
	return rq->curr == NONE || s->tasks[rq->curr].runtime_until != s->g->now;
}

void cpu_run(struct sim *s, struct rq *rq)
{
	cpu_id caller = s->g->this_cpu;

	if (rq->mode == CPU_OFFLINE)
		return;
	s->g->this_cpu = rq->cpu;
	cpu_loop(s, rq);
	s->g->this_cpu = caller;
	if (has_settled(s, rq))
		s->resched[rq->cpu / 64] &= ~(1ull << (rq->cpu % 64));
	cpu_arm(s, rq);
}

void cpu_flush(struct sim *s, struct rq *rq)
{
	cpu_id caller = s->g->this_cpu;

	s->g->this_cpu = rq->cpu;
	cpu_account(s, rq);
	for (;;) {
		if (rq->nr_ksteps) {
			struct kstep done = rq->ksteps[--rq->nr_ksteps];

			do_effect(s, rq, (enum kstep_effect)done.effect, done.a, done.b);
		} else if (rq->irq_pending && !rq->searching) {
			take_pending(s, rq);
		} else if (rq->kthread & KTHREAD_WOKEN) {
			rq->kthread = 0;
			cpufreq_thread(s, s->topo[rq->cpu].fd);
		} else if (rq->need_resched) {
			schedule(s, rq);
		} else {
			break;
		}
	}
	rq->kthread = 0;
	rq->switch_paid = 0;
	s->g->this_cpu = caller;
}

void cpu_set_online(struct sim *s, struct rq *rq, bool online)
{
	set_mode(s, rq, online ? CPU_IDLE : CPU_OFFLINE);
	rq->idle_state = NONE;
	rq->need_resched = 0;
	memset(rq->owed, 0, sizeof(rq->owed));
	rq->owes = 0;
	if (!online)
		tick_stop(s, rq);
	cpu_arm(s, rq);
}

void cpu_segment_end(struct sim *s, struct rq *rq)
{
	cpu_account(s, rq);
	cpu_run(s, rq);
}

void tick_start(struct sim *s, struct rq *rq)
{
	rq->tick_stopped = 0;
	rq->tick_jiffy = sim_jiffies(s) + 1;
	evq_set(&s->evq, s->src_tick + rq->cpu,
		evq_key_of(jiffy_start(s, rq->tick_jiffy), EVC_TICK));
}

void tick_stop(struct sim *s, struct rq *rq)
{
	rq->tick_stopped = 1;
	evq_set(&s->evq, s->src_tick + rq->cpu, EVQ_NEVER);
}
