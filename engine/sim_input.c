/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_input.c - the one way in: inputs are checked, journalled, and applied at the next boundary.
 *
 * Checks happen when the input is given, so that an entry in the journal can always be applied;
 * one that names a task that is gone by then has no effect, in every replay alike.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/base/rng.h"
#include "engine/hw/cpufreq.h"
#include "engine/hw/topology.h"
#include "engine/observe/emit.h"
#include "engine/observe/starved.h"
#include "engine/sched/bandwidth.h"
#include "engine/sched/class.h"
#include "engine/sched/clock.h"
#include "engine/sched/core.h"
#include "engine/sched/cpuset.h"
#include "engine/sched/dl.h"
#include "engine/sched/exec.h"
#include "engine/sched/features.h"
#include "engine/sched/group.h"
#include "engine/sched/hotplug.h"
#include "engine/sched/load_avg.h"
#include "engine/sched/partition.h"
#include "engine/sched/place.h"
#include "engine/sched/uclamp.h"
#include "engine/sched/util_est.h"
#include "engine/sim_internal.h"
#include "engine/workload/measure.h"
#include "engine/workload/workload.h"

bool sim_inputs_due(const struct sim *s, ktime_ns until)
{
	const struct journal *j = &s->journal;

	(void)until;
	return j->applied < j->nr && j->e[j->applied].ordinal <= s->g->ordinal &&
	       j->e[j->applied].time <= s->g->now;
}

ktime_ns sim_next_input(const struct sim *s)
{
	const struct journal *j = &s->journal;

	if (j->applied == j->nr || j->e[j->applied].ordinal > s->g->ordinal)
		return NEVER;
	return j->e[j->applied].time;
}

/* ---- checks -------------------------------------------------------------------------------- */

static int range(struct err *err, const char *what, s64 v, s64 lo, s64 hi)
{
	if (v >= lo && v <= hi)
		return 0;
	return err_set(err, ERR_USAGE, "%s is %lld; it must be in %lld .. %lld", what, (long long)v,
		       (long long)lo, (long long)hi);
}

static int check_policy_use(const struct sim *s, const struct sim_input *in, struct err *err)
{
	if (range(err, "the slot's number", in->a, 0, NR_SLOTS - 1))
		return -1;
	if (in->b < 0 || in->b >= s->nr_registry || (s64)s->registry[in->b]->slot != in->a)
		return err_set(err, ERR_USAGE, "no such policy for slot '%s'; see `list policies`",
			       policy_slot_names[in->a]);
	return 0;
}

static int check_param(const struct sim *s, const struct sim_input *in, struct err *err)
{
	if (range(err, "the slot's number", in->a, 0, NR_SLOTS - 1))
		return -1;

	const struct sched_policy *pol = s->policy[in->a];

	/* A policy given in the same breath is not in its slot yet. */
	for (u32 i = s->journal.applied; i < s->journal.nr; i++)
		if (s->journal.e[i].kind == INPUT_USE_POLICY && s->journal.e[i].a == in->a)
			pol = s->registry[s->journal.e[i].b];

	const struct policy_param *pp = pol->params;

	for (s64 i = 0; pp && pp[i].name && i < POLICY_PARAMS_MAX; i++)
		if (i == in->b)
			return range(err, pp[i].name, in->c, pp[i].min, pp[i].max);
	return err_set(err, ERR_USAGE, "policy '%s' has no parameter number %lld", pol->name,
		       (long long)in->b);
}

static int check_mask(const struct sim *s, const struct sim_input *in, struct err *err)
{
	u64 all[MACHINE_WORDS(MACHINE_MAX_CPUS)] = { 0 };

	cpumask_fill(all, s->g->mask_words, s->g->nr_cpus);
	if (!in->words ||
	    !cpumask_intersects(in->words, mask_get(s, s->g->online), s->g->mask_words))
		return err_set(err, ERR_USAGE, "no CPU would be left to run on; CPUs here are 0-%u",
			       s->g->nr_cpus - 1);
	if (!cpumask_subset(in->words, all, s->g->mask_words))
		return err_set(err, ERR_USAGE, "CPUs here are 0-%u", s->g->nr_cpus - 1);
	return 0;
}

/* Groups that inputs not yet applied will make, in this order, after those there are. */
static u32 pending_groups(const struct sim *s)
{
	u32 n = 0;

	for (u32 i = s->journal.applied; i < s->journal.nr; i++)
		n += s->journal.e[i].kind == INPUT_GROUP_NEW;
	return n;
}

u32 sim_find_group(const struct sim *s, const char *name)
{
	u32 next = arena_len(&s->arena, POOL_GROUP);

	for (u32 g = 0; g < next; g++)
		if (!strcmp(s->texts[s->groups[g].name].s, name))
			return g;
	for (u32 i = s->journal.applied; i < s->journal.nr; i++) {
		if (s->journal.e[i].kind != INPUT_GROUP_NEW)
			continue;
		if (!strcmp(s->journal.e[i].text, name))
			return next;
		next++;
	}
	return NONE;
}

/* The last CPU stays, as it will be when the inputs before this one have been applied. */
static int check_input_online(const struct sim *s, const struct sim_input *in, struct err *err)
{
	u64 left[MACHINE_WORDS(MACHINE_MAX_CPUS)];
	u32 words = s->g->mask_words;

	if (range(err, "the CPU", in->a, 0, s->g->nr_cpus - 1) || range(err, "online", in->b, 0, 1))
		return -1;
	cpumask_copy(left, mask_get(s, s->g->online), words);
	for (u32 i = s->journal.applied; i < s->journal.nr; i++) {
		const struct journal_entry *e = &s->journal.e[i];

		if (e->kind != INPUT_CPU_ONLINE)
			continue;
		if (e->b)
			cpumask_set(left, (cpu_id)e->a);
		else
			cpumask_clear(left, (cpu_id)e->a);
	}
	cpumask_clear(left, (cpu_id)in->a);
	if (!in->b && cpumask_empty(left, words))
		return err_set(err, ERR_USAGE,
			       "CPU %lld is the last one online; bring another one online first",
			       (long long)in->a);
	return in->b ? 0 : dl_spares_cpu(s, (cpu_id)in->a, err);
}

static int check_housekeeping(const struct sim *s, const struct sim_input *in, struct err *err)
{
	u64 all[MACHINE_WORDS(MACHINE_MAX_CPUS)] = { 0 };

	cpumask_fill(all, s->g->mask_words, s->g->nr_cpus);
	if (in->words && !cpumask_empty(in->words, s->g->mask_words) &&
	    cpumask_subset(in->words, all, s->g->mask_words))
		return 0;
	return err_set(err, ERR_USAGE,
		       "somebody must keep house: give at least one CPU; CPUs here are 0-%u",
		       s->g->nr_cpus - 1);
}

static int check_group(const struct sim *s, s64 tg, struct err *err)
{
	if (tg >= 0 && tg < (s64)arena_len(&s->arena, POOL_GROUP) + pending_groups(s))
		return 0;
	return err_set(err, ERR_USAGE, "no task group number %lld", (long long)tg);
}

static int check_own_group(const struct sim *s, const struct sim_input *in, struct err *err)
{
	if (check_group(s, in->a, err))
		return -1;
	return in->a == ROOT_TG ? err_set(err, ERR_USAGE,
					  "the group '/' is the whole machine and cannot be "
					  "changed; choose one below it")
				: 0;
}

static int check_group_new(const struct sim *s, const struct sim_input *in, struct err *err)
{
	if (!in->text || !in->text[0] || strlen(in->text) > 60)
		return err_set(err, ERR_USAGE, "a group needs a name of 1 to 60 bytes");
	if (sim_find_group(s, in->text) != NONE)
		return err_set(err, ERR_USAGE, "there is a group '%s' already", in->text);
	if (check_group(s, in->a, err))
		return -1;
	return range(err, "shares", in->b, 2, 262144);
}

static int check_group_max(const struct sim *s, const struct sim_input *in, struct err *err)
{
	if (check_own_group(s, in, err) ||
	    range(err, "the period in ns", in->c, BANDWIDTH_PERIOD_MIN, BANDWIDTH_PERIOD_MAX))
		return -1;
	if (in->b == -1)
		return in->serial ? err_set(err, ERR_USAGE, "a burst needs a quota") : 0;
	if (range(err, "the quota in ns", in->b, BANDWIDTH_PERIOD_MIN, BANDWIDTH_QUOTA_MAX))
		return -1;
	if (in->serial > (u64)in->b)
		return err_set(err, ERR_USAGE,
			       "the burst, %llu ns, is above the quota, %lld ns; it must be in "
			       "0 .. the quota",
			       (unsigned long long)in->serial, (long long)in->b);
	return 0;
}

static int check_tunable(const struct sim_input *in, struct err *err)
{
	if (range(err, "the tunable's number", in->a, 0, nr_sim_tunables - 1))
		return -1;

	const struct sim_tunable *t = &sim_tunables[in->a];

	if (in->b < 0 || (u64)in->b < t->min || (u64)in->b > t->max)
		return err_set(err, ERR_USAGE, "%s is %lld; it must be in %llu .. %llu", t->name,
			       (long long)in->b, (unsigned long long)t->min,
			       (unsigned long long)t->max);
	return 0;
}

/* Bandwidth of deadline tasks that inputs given at this instant ask for and have not got yet. */
static u64 pending_bandwidth(const struct sim *s)
{
	u64 bw = 0;

	for (u32 i = s->journal.applied; i < s->journal.nr; i++) {
		const struct journal_entry *e = &s->journal.e[i];

		if (e->ordinal > s->g->ordinal)
			break; /* a future that this input ends */
		if (e->kind == INPUT_SET_DEADLINE)
			bw += dl_bandwidth((u64)e->a, (u64)e->c);
		if (e->kind == INPUT_SPAWN && s->specs->v[e->a]->policy == SCHED_DEADLINE)
			bw += s->specs->v[e->a]->instances *
			      dl_bandwidth(s->specs->v[e->a]->dl.runtime,
					   s->specs->v[e->a]->dl.period);
	}
	return bw;
}

static int check_spawn(const struct sim *s, const struct task_spec *spec, struct err *err)
{
	if (spec_check(spec, s->g->nr_cpus, err))
		return -1;
	if (spec->policy != SCHED_DEADLINE)
		return 0;
	return dl_admits(s,
			 pending_bandwidth(s) +
				 spec->instances * dl_bandwidth(spec->dl.runtime, spec->dl.period),
			 0, err);
}

static int check_deadline(const struct sim *s, const struct sim_input *in, struct err *err)
{
	struct dl_params dl = { (u64)in->a, (u64)in->b, (u64)in->c };
	task_id p = sim_find_task(s, in->serial);

	if (range(err, "the runtime in ns", in->a, 1, DL_PERIOD_MAX) ||
	    range(err, "the deadline in ns", in->b, 1, DL_PERIOD_MAX) ||
	    range(err, "the period in ns", in->c, 1, DL_PERIOD_MAX) ||
	    dl_params_check(&dl, p == NONE ? "the task" : s->tasks[p].comm, err))
		return -1;
	return p == NONE ? 0 : dl_may_join(s, p, &dl, err);
}

/* The affinity of a deadline task is fixed: __sched_setaffinity(). */
static int check_cpus(const struct sim *s, const struct sim_input *in, struct err *err)
{
	task_id p = sim_find_task(s, in->serial);

	if (check_mask(s, in, err))
		return -1;
	if (p != NONE && s->tasks[p].policy == SCHED_DEADLINE &&
	    !partition_covered(s, s->tasks[p].tg, in->words))
		return err_set(
			err, ERR_USAGE,
			"task '%s' is a deadline task and must be allowed on all CPUs; change "
			"its class first",
			s->tasks[p].comm);
	return 0;
}

static int check(const struct sim *s, const struct sim_input *in, struct err *err)
{
	switch (in->kind) {
	case INPUT_SPAWN:
		if (!in->spec)
			return err_set(err, ERR_USAGE, "a spawn needs a task description");
		if (in->spec->group[0] && strcmp(in->spec->group, "/")) {
			if (sim_find_group(s, in->spec->group) == NONE)
				return err_set(err, ERR_USAGE,
					       "task '%s': no group '%s'; make it first with "
					       "group(\"%s\")",
					       in->spec->name, in->spec->group, in->spec->group);
		}
		return check_spawn(s, in->spec, err);
	case INPUT_SET_NICE:
		return range(err, "nice", in->a, -20, 19);
	case INPUT_SET_CPUS:
		return check_cpus(s, in, err);
	case INPUT_SET_POLICY:
		if (in->a == 4)
			return err_set(err, ERR_USAGE, "no scheduling policy 4");
		if (in->a == SCHED_DEADLINE)
			return err_set(err, ERR_USAGE,
				       "a deadline task needs a runtime and a period");
		if ((in->a == SCHED_FIFO || in->a == SCHED_RR) &&
		    range(err, "the real-time priority", in->b, 1, 99))
			return -1;
		return range(err, "the scheduling policy", in->a, 0, SCHED_IDLE);
	case INPUT_SET_DEADLINE:
		return check_deadline(s, in, err);
	case INPUT_SET_UCLAMP:
		if (range(err, "uclamp min", in->a, 0, 1024) ||
		    range(err, "uclamp max", in->b, 0, 1024))
			return -1;
		return in->a <= in->b ? 0
				      : err_set(err, ERR_USAGE, "uclamp min is above uclamp max");
	case INPUT_SET_SLICE:
		return in->a ? range(err, "the slice in ns", in->a, 100000, 100000000) : 0;
	case INPUT_MIGRATE:
		return range(err, "the CPU", in->a, 0, s->g->nr_cpus - 1);
	case INPUT_USE_POLICY:
		return check_policy_use(s, in, err);
	case INPUT_SET_PARAM:
		return check_param(s, in, err);
	case INPUT_TUNABLE:
		return check_tunable(in, err);
	case INPUT_FREQ_CAP:
		if (range(err, "the frequency domain", in->a, 0, s->g->nr_fds - 1))
			return -1;
		return range(err, "the cap in kHz", in->b, 0, 1ll << 31);
	case INPUT_GROUP_NEW:
		return check_group_new(s, in, err);
	case INPUT_GROUP_SHARES:
		if (check_own_group(s, in, err) || range(err, "shares", in->b, 2, 262144))
			return -1;
		if ((u32)in->a < arena_len(&s->arena, POOL_GROUP) && s->groups[in->a].idle)
			return err_set(
				err, ERR_USAGE,
				"an idle group has the least weight there is; end that before "
				"its shares are set");
		return 0;
	case INPUT_GROUP_MAX:
		return check_group_max(s, in, err);
	case INPUT_GROUP_UCLAMP:
		if (check_own_group(s, in, err) || range(err, "uclamp min", in->b, 0, 1024))
			return -1;
		return range(err, "uclamp max", in->c, 0, 1024);
	case INPUT_GROUP_IDLE:
		if (check_own_group(s, in, err))
			return -1;
		return range(err, "idle", in->b, 0, 1);
	case INPUT_GROUP_CPUS:
		if (check_own_group(s, in, err))
			return -1;
		return in->words ? check_mask(s, in, err) : 0;
	case INPUT_GROUP_PARTITION:
		if (check_own_group(s, in, err))
			return -1;
		return partition_check(s, in->a, in->b, err);
	case INPUT_SET_GROUP:
		return check_group(s, in->a, err);
	case INPUT_THROUGHPUT:
	case INPUT_COUNT:
	case INPUT_SAMPLE:
		return measure_check_input(in, err);
	case INPUT_KILL:
	case INPUT_CONSOLE:
		return 0;
	case INPUT_CPU_ONLINE:
		return check_input_online(s, in, err);
	case INPUT_HOUSEKEEPING:
		return check_housekeeping(s, in, err);
	case NR_INPUT_KINDS:
		break;
	}
	return err_set(err, ERR_USAGE, "no such input");
}

int sim_input(struct sim *s, const struct sim_input *in, u64 *serial, struct err *err)
{
	struct sim_input e = *in;

	if (check(s, in, err))
		return -1;
	if (s->journal.nr > s->journal.applied &&
	    s->journal.e[s->journal.applied].ordinal > s->g->ordinal) {
		/* The past gets another future: the old one is forgotten. */
		journal_truncate(&s->journal);
		spec_table_truncate(s->specs, s->g->nr_specs);
	}
	if (in->kind == INPUT_SPAWN) {
		struct task_spec *spec = task_spec_dup(in->spec);
		u64 next = s->g->next_serial;
		int no;

		if (!spec)
			return err_set(err, ERR_LIMIT, "out of memory for a task description");
		no = spec_table_add(s->specs, spec, err);
		if (no < 0) {
			task_spec_free(spec);
			return -1;
		}
		for (u32 i = s->journal.applied; i < s->journal.nr; i++)
			if (s->journal.e[i].kind == INPUT_SPAWN)
				next += s->specs->v[s->journal.e[i].a]->instances;
		e.a = no;
		e.serial = next;
		if (serial)
			*serial = next;
	}
	return journal_append(&s->journal, s->g->now, s->g->ordinal, &e, s->g->mask_words, err);
}

/* ---- effects -------------------------------------------------------------------------------- */

static int apply_spawn(struct sim *s, const struct journal_entry *e)
{
	u32 spec_no = (u32)e->a;
	u32 n = s->specs->v[spec_no]->instances;

	if (sim_room(s, spec_no, n, &s->err))
		return -1;

	u32 program = program_load(s, spec_no);
	cpu_id cpu = housekeeping_cpu(s);

	s->programs[program].refs++; /* ours, until all are born */
	for (u32 i = 0; i < n; i++) {
		u64 key = rng_child_key(rng_root_key(s->g->seed), s->g->nr_root_spawns++);
		task_id p = task_create(s, program, i, cpu, key, NONE);

		if (s->tasks[p].wake_at > s->g->now)
			continue;
		s->tasks[p].wake_at = NEVER;
		evq_set(&s->evq, s->src_task + p, EVQ_NEVER);
		wake_up_new_task(s, p, cpu);
	}
	program_put(s, program);

	u32 last = spec_no + 1;

	while (last < s->specs->nr && !s->specs->owned[last])
		last++;
	s->g->nr_specs = last;
	return 0;
}

/* What hangs on a tunable beside its next use. */
static void tunable_changed(struct sim *s, u32 index)
{
	u32 at = sim_tunables[index].offset;

	if (at >> 16 == FEAT_UTIL_EST + 1) {
		util_est_recount(s);
	} else if (at == offsetof(struct tunables, hz)) {
		/* Every running tick is due at the next jiffy of the new length. */
		for (u32 c = 0; c < s->g->nr_cpus; c++)
			if (!s->rqs[c].tick_stopped)
				tick_start(s, &s->rqs[c]);
	} else if (at >= offsetof(struct tunables, rt_throttle) &&
		   at <= offsetof(struct tunables, fair_server_period_us)) {
		rt_tunables_changed(s);
	} else if (at == offsetof(struct tunables, asym_packing) ||
		   at == offsetof(struct tunables, balance_form)) {
		/* Domains have other values and flags. */
		domains_retune(s);
	}
}

static void use_policy(struct sim *s, enum policy_slot slot, u32 id)
{
	bool pair = s->uest->pair;

	s->g->policy[slot] = id;
	s->g->nr_policy_errors[slot] = 0;
	sim_reset_params(s, slot);
	sim_bind_policies(s);
	trace(s, TR_policy_change, 0, NONE, trace_pair(slot, id), 0);
	switch (slot) {
	case SLOT_PICK:
		for (u32 i = 0; i < arena_len(&s->arena, POOL_CFS_RQ); i++) {
			struct cfs_rq *q = &s->cfs_rqs[i];

			update_rq_clock(s, &s->rqs[q->cpu]);
			s->pick->adopt(s, q);
		}
		break;
	case SLOT_UTIL_EST:
		for (u32 i = 0; i < arena_len(&s->arena, POOL_TASK); i++)
			if (arena_is_live(&s->arena, POOL_TASK, i) && s->uest->adopt)
				s->uest->adopt(s, i, pair);
		util_est_recount(s);
		break;
	case SLOT_GOVERNOR:
		sim_start_governor(s);
		break;
	case SLOT_NOHZ:
		((const struct nohz_ops *)s->policy[slot]->ops)->adopt(s);
		break;
	default:
		break;
	}
}

static void apply_to_task(struct sim *s, const struct journal_entry *e, task_id p)
{
	struct task *t = &s->tasks[p];

	switch ((enum input_kind)e->kind) {
	case INPUT_KILL:
		task_kill(s, p);
		break;
	case INPUT_SET_NICE:
		task_set_sched(s, p, t->policy, (s8)e->a, t->rt_priority);
		break;
	case INPUT_SET_CPUS: {
		mask_id m;

		if (sim_room_masks(s, 2))
			return;
		m = mask_intern(s, e->words);
		sched_setaffinity(s, p, m);
		break;
	}
	case INPUT_SET_POLICY:
		task_set_sched(s, p, (u8)e->a, t->nice, (u8)e->b);
		break;
	case INPUT_SET_DEADLINE:
		task_set_deadline(s, p, &(struct dl_params){ (u64)e->a, (u64)e->b, (u64)e->c });
		break;
	case INPUT_SET_UCLAMP:
		uclamp_set(s, p, (u32)e->a, (u32)e->b);
		break;
	case INPUT_SET_SLICE:
		task_set_slice(s, p, (u64)e->a);
		break;
	case INPUT_MIGRATE:
		task_push(s, p, (cpu_id)e->a);
		break;
	case INPUT_SET_GROUP:
		if (sim_room_masks(s, 1))
			return;
		sched_move_task(s, p, (u32)e->a);
		break;
	default:
		break;
	}
}

static int apply(struct sim *s, const struct journal_entry *e)
{
	task_id p = NONE;

	if ((e->kind >= INPUT_KILL && e->kind <= INPUT_MIGRATE) || e->kind == INPUT_SET_GROUP ||
	    e->kind == INPUT_SET_DEADLINE) {
		p = sim_find_task(s, e->serial);
		if (p != NONE)
			apply_to_task(s, e, p);
	}
	switch ((enum input_kind)e->kind) {
	case INPUT_SPAWN:
		if (apply_spawn(s, e))
			return -1;
		break;
	case INPUT_USE_POLICY:
		use_policy(s, (enum policy_slot)e->a, (u32)e->b);
		break;
	case INPUT_SET_PARAM:
		s->policy_global[e->a * POLICY_PARAMS_MAX + e->b] = e->c;
		break;
	case INPUT_TUNABLE:
		sim_tunable_set(s, (u32)e->a, (u64)e->b);
		tunable_changed(s, (u32)e->a);
		trace(s, TR_tunable_change, 0, NONE, (u64)e->a, (u64)e->b);
		break;
	case INPUT_FREQ_CAP:
		cpufreq_set_limits(s, (u32)e->a, 0, (u32)e->b);
		break;
	case INPUT_GROUP_NEW:
		if (arena_reserve(&s->arena, POOL_TEXT, 1, &s->err))
			return -1;
		sim_bind(s);
		group_new(s, (u32)e->a, (u64)e->b << SCHED_FIXEDPOINT_SHIFT,
			  text_intern(s, e->text));
		break;
	case INPUT_GROUP_MAX:
		tg_set_bandwidth(s, (u32)e->a, e->b < 0 ? RUNTIME_INF : (u64)e->b, (u64)e->c,
				 e->serial);
		break;
	case INPUT_GROUP_UCLAMP:
		group_set_uclamp(s, (u32)e->a, (u32)e->b, (u32)e->c);
		break;
	case INPUT_GROUP_IDLE:
		group_set_idle(s, (u32)e->a, e->b);
		break;
	case INPUT_GROUP_CPUS:
		group_set_cpus(s, (u32)e->a, e->words);
		break;
	case INPUT_GROUP_PARTITION:
		if (group_set_partition(s, (u32)e->a, (enum partition_kind)e->b))
			return -1;
		break;
	case INPUT_GROUP_SHARES:
		group_set_shares(s, (u32)e->a, (u64)e->b << SCHED_FIXEDPOINT_SHIFT);
		break;
	case INPUT_THROUGHPUT:
	case INPUT_COUNT:
	case INPUT_SAMPLE:
		if (measure_apply_input(s, e))
			return -1;
		break;
	case INPUT_CPU_ONLINE:
		if (e->b ? cpu_up(s, (cpu_id)e->a) : cpu_down(s, (cpu_id)e->a))
			return -1;
		break;
	case INPUT_HOUSEKEEPING:
		if (sim_room_masks(s, 1))
			return -1;
		housekeeping_set(s, e->words);
		break;
	default:
		break;
	}
	trace(s, TR_input, 0, p, trace_pair(e->kind, e->origin), 0);
	return s->err.code ? -1 : 0;
}

int sim_apply_inputs(struct sim *s)
{
	while (s->journal.applied < s->journal.nr &&
	       s->journal.e[s->journal.applied].ordinal <= s->g->ordinal &&
	       s->journal.e[s->journal.applied].time <= s->g->now) {
		/* The entry may move when the hook of a probe gives another input: copy it. */
		struct journal_entry e = s->journal.e[s->journal.applied++];

		if (apply(s, &e))
			return -1;
		sim_drain_resched(s);
		if (s->stats->starved_touched)
			starved_update(s);
	}
	return 0;
}

task_id sim_find_task(const struct sim *s, u64 serial)
{
	for_each_live(id, &s->arena, POOL_TASK) if (s->tasks[id].serial == serial &&
						    s->tasks[id].state != TASK_DEAD) return id;
	return NONE;
}

task_id sim_find_task_by_name(const struct sim *s, const char *name)
{
	for_each_live(id, &s->arena, POOL_TASK) if (!strcmp(s->tasks[id].comm, name) &&
						    s->tasks[id].state != TASK_DEAD) return id;
	return NONE;
}
