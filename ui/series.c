/* SPDX-License-Identifier: GPL-2.0-only */
/* series.c - see series.h. */
#include "ui/series.h"

#include "engine/access.h"
#include "ui/xalloc.h"

#define VAL_NONE 0xffffu /* min of a slot without a sample of this object */

static u64 slot_len(u32 level)
{
	return SERIES_BASE << (2 * level);
}

struct series *series_new(u32 nr_cpus)
{
	struct series *x = xcalloc(1, sizeof(*x));

	x->nr_cpus = nr_cpus;
	/* 290 KiB per CPU on small machines, 18 KiB on the largest, where columns are few per CPU. */
	x->len = nr_cpus <= 64 ? 512 : nr_cpus <= 256 ? 128 : nr_cpus <= 1024 ? 64 : 32;
	x->cpu = xcalloc(nr_cpus, sizeof(*x->cpu));
	return x;
}

void series_free(struct series *x)
{
	if (!x)
		return;
	for (u32 i = 0; i < x->nr_cpus; i++)
		free(x->cpu[i].val);
	for (u32 i = 0; i < SERIES_TASKS; i++)
		free(x->task[i].val);
	free(x->cpu);
	free(x);
}

static size_t vals_per_obj(const struct series *x)
{
	return (size_t)SERIES_LEVELS * NR_SERIES_CHANS * x->len;
}

static struct series_val *val_at(const struct series *x, const struct series_obj *o, u32 level,
				 u32 chan, u32 place)
{
	/* The channels of a slot are one cache line: a sample touches one line per level. */
	return &o->val[((size_t)level * x->len + place) * NR_SERIES_CHANS + chan];
}

static void obj_forget(const struct series *x, struct series_obj *o)
{
	size_t n = vals_per_obj(x);

	if (!o->val)
		o->val = xcalloc(n, sizeof(*o->val));
	for (size_t i = 0; i < n; i++)
		o->val[i] = (struct series_val){ .min = VAL_NONE };
	o->has_busy = false;
	o->used = true;
}

static void forget(struct series *x)
{
	for (u32 i = 0; i < SERIES_LEVELS; i++)
		x->level[i].head = 0;
	for (u32 i = 0; i < SERIES_TASKS; i++)
		x->task[i].used = false;
	for (u32 i = 0; i < x->nr_cpus; i++)
		x->cpu[i].used = false;
	x->samples = 0;
}

/* ---- filling ------------------------------------------------------------------------------- */

/* Begin a new slot on a level: what the ring held in its place is gone. */
static void slot_begin(struct series *x, u32 level, u64 slot)
{
	struct series_level *l = &x->level[level];
	u32 place = (u32)(l->head & (x->len - 1));

	l->slot[place] = slot;
	l->count[place] = 0;
	l->head++;
	for (u32 i = 0; i < x->nr_cpus + SERIES_TASKS; i++) {
		struct series_obj *o = i < x->nr_cpus ? &x->cpu[i] : &x->task[i - x->nr_cpus];

		if (!o->used)
			continue;
		for (u32 c = 0; c < NR_SERIES_CHANS; c++)
			*val_at(x, o, level, c, place) = (struct series_val){ .min = VAL_NONE };
	}
}

static void slots_begin(struct series *x, ktime_ns now)
{
	for (u32 k = 0; k < SERIES_LEVELS; k++) {
		struct series_level *l = &x->level[k];
		u64 slot = now / slot_len(k);
		u32 last = (u32)((l->head - 1) & (x->len - 1));

		if (l->head == 0 || l->slot[last] != slot)
			slot_begin(x, k, slot);
		last = (u32)((l->head - 1) & (x->len - 1));
		if (l->count[last] < 65536)
			l->count[last]++;
	}
}

static void obj_add(struct series *x, struct series_obj *o, const u64 *v)
{
	for (u32 k = 0; k < SERIES_LEVELS; k++) {
		const struct series_level *l = &x->level[k];
		u32 place = (u32)((l->head - 1) & (x->len - 1));
		u32 n = l->count[place];

		for (u32 c = 0; c < NR_SERIES_CHANS; c++) {
			struct series_val *a = val_at(x, o, k, c, place);
			u16 w = v[c] > 65534 ? 65534 : (u16)v[c];

			if (a->min == VAL_NONE) {
				/* First seen in the middle of a slot: as if it had always been so. */
				*a = (struct series_val){ w, w, w * n };
				continue;
			}
			a->min = w < a->min ? w : a->min;
			a->max = w > a->max ? w : a->max;
			if (n < 65536)
				a->sum += w;
		}
	}
}

/* Share of the time since the last sample, of 1024. */
static u64 busy_share(struct series *x, struct series_obj *o, ktime_ns now, u64 busy)
{
	u64 dt = now - x->last, d = busy - o->busy, share = 0;

	if (o->has_busy && x->samples && dt && busy >= o->busy)
		share = d >= dt ? 1024 : (u64)((u128)d * 1024 / dt);
	o->busy = busy;
	o->has_busy = true;
	return share;
}

static u64 freq_of_1024(const struct sim *s, cpu_id cpu)
{
	const struct freq_domain *fd = &s->fds[s->topo[cpu].fd];
	u64 cap = s->rqs[cpu].cpu_capacity_orig;

	return fd->ref_khz ? cap * sim_cpu_khz(s, cpu) / fd->ref_khz : cap;
}

static void sample_cpu(struct series *x, const struct sim *s, cpu_id cpu)
{
	struct series_obj *o = &x->cpu[cpu];
	struct sched_avg a = sim_cpu_avg_now(s, cpu);
	struct cpu_stats st = sim_cpu_stats_now(s, cpu);
	u64 v[NR_SERIES_CHANS];

	if (!o->used)
		obj_forget(x, o);
	v[SC_UTIL] = a.util_avg;
	v[SC_RUNNABLE] = a.runnable_avg;
	v[SC_LOAD] = a.load_avg;
	v[SC_UTIL_EST] = a.util_est & ~UTIL_AVG_UNCHANGED;
	v[SC_CAPACITY] = s->rqs[cpu].cpu_capacity;
	v[SC_FREQ] = freq_of_1024(s, cpu);
	v[SC_RUNNING] = busy_share(x, o, s->g->now, st.busy_ns + st.kernel_ns);
	v[SC_NR] = s->rqs[cpu].nr_running;
	v[SC_OTHER] = sim_cpu_other_now(s, cpu);
	obj_add(x, o, v);
}

static void sample_task(struct series *x, const struct sim *s, struct series_obj *o, task_id p)
{
	const struct task *t = &s->tasks[p];
	struct sched_avg a = sim_task_avg_now(s, p);
	u64 v[NR_SERIES_CHANS];

	v[SC_UTIL] = a.util_avg;
	v[SC_RUNNABLE] = a.runnable_avg;
	v[SC_LOAD] = a.load_avg;
	v[SC_UTIL_EST] = a.util_est & ~UTIL_AVG_UNCHANGED;
	v[SC_CAPACITY] = s->rqs[t->cpu].cpu_capacity;
	v[SC_FREQ] = freq_of_1024(s, t->cpu);
	v[SC_RUNNING] = busy_share(x, o, s->g->now, sim_task_exec_now(s, p));
	v[SC_NR] = t->cpu;
	v[SC_OTHER] = sim_cpu_other_now(s, t->cpu);
	obj_add(x, o, v);
}

static bool alive(const struct sim *s, task_id p)
{
	return arena_is_live(&s->arena, POOL_TASK, p) && s->tasks[p].state != TASK_DEAD &&
	       !(s->tasks[p].flags & PF_KTHREAD);
}

static struct series_obj *find_task(const struct series *x, u64 serial)
{
	for (u32 i = 0; i < SERIES_TASKS; i++)
		if (x->task[i].used && x->task[i].serial == serial)
			return (struct series_obj *)(uintptr_t)&x->task[i];
	return NULL;
}

/* Follow one more task if there is a place; @force takes the last one away from another. */
static void follow(struct series *x, u64 serial, bool force)
{
	struct series_obj *o = NULL;

	if (find_task(x, serial))
		return;
	for (u32 i = 0; i < SERIES_TASKS && !o; i++)
		if (!x->task[i].used)
			o = &x->task[i];
	if (!o && force)
		o = &x->task[SERIES_TASKS - 1];
	if (!o)
		return;
	obj_forget(x, o);
	o->serial = serial;
}

static void sample_tasks(struct series *x, const struct sim *s, u64 want)
{
	u32 n = 0;

	if (want != SERIES_NO_TASK && sim_find_task(s, want) != NONE)
		follow(x, want, true);
	for_each_live(p, &s->arena, POOL_TASK)
	{
		if (!alive(s, p))
			continue;
		if (++n > SERIES_TASKS)
			break;
		follow(x, s->tasks[p].serial, false);
	}
	for (u32 i = 0; i < SERIES_TASKS; i++) {
		struct series_obj *o = &x->task[i];
		task_id p = o->used ? sim_find_task(s, o->serial) : NONE;

		if (p != NONE)
			sample_task(x, s, o, p);
		else if (o->used && o->serial != want)
			o->used = false; /* gone: the place is free for another */
	}
}

void series_sample(struct series *x, const struct sim *s, u64 want)
{
	ktime_ns now = s->g->now;

	if (x->samples && now < x->last)
		forget(x);
	if (x->samples && now == x->last)
		return;
	slots_begin(x, now);
	for (cpu_id c = 0; c < x->nr_cpus && c < s->g->nr_cpus; c++)
		sample_cpu(x, s, c);
	sample_tasks(x, s, want);
	x->last = now;
	x->samples++;
}

/* ---- asking -------------------------------------------------------------------------------- */

/* The finest level whose ring still holds the slot of @t0, or holds everything there was. */
static u32 pick_level(const struct series *x, ktime_ns t0)
{
	u32 k = 0;

	for (; k < SERIES_LEVELS - 1; k++) {
		const struct series_level *l = &x->level[k];

		if (l->head <= x->len || l->slot[l->head & (x->len - 1)] <= t0 / slot_len(k))
			break;
	}
	return k;
}

struct series_span series_find(const struct series *x, ktime_ns t0, ktime_ns t1)
{
	u32 k = pick_level(x, t0), mask = x->len - 1;
	const struct series_level *l = &x->level[k];
	u64 first = l->head > x->len ? l->head - x->len : 0, lo = first, hi = l->head;
	u64 s0 = t0 / slot_len(k), s1 = (t1 + slot_len(k) - 1) / slot_len(k);
	struct series_span span = { .level = k, .none = t0 > x->last || !x->samples };

	while (lo < hi) {
		u64 mid = (lo + hi) / 2;

		if (l->slot[mid & mask] < s0)
			lo = mid + 1;
		else
			hi = mid;
	}
	span.lo = span.hi = lo;
	while (span.hi < l->head && l->slot[span.hi & mask] < s1)
		span.hi++;
	span.held = lo > first;
	return span;
}

bool series_at(const struct series *x, const struct series_obj *o, enum series_chan chan,
	       const struct series_span *span, struct series_sum *out)
{
	const struct series_level *l = &x->level[span->level];
	u64 lo = span->lo, hi = span->hi, sum = 0, n = 0;
	u32 mask = x->len - 1, min = VAL_NONE, max = 0;

	if (!o || !o->used || span->none)
		return false;
	for (int again = 0; again < 2; again++) {
		for (u64 i = lo; i < hi; i++) {
			const struct series_val *v =
				val_at(x, o, span->level, chan, (u32)(i & mask));

			if (v->min == VAL_NONE)
				continue;
			min = v->min < min ? v->min : min;
			max = v->max > max ? v->max : max;
			sum += v->sum;
			n += l->count[i & mask];
		}
		if (n || !span->held)
			break;
		/* Between samples the last one holds. */
		hi = lo;
		lo--;
	}
	if (!n)
		return false;
	out->min = min;
	out->max = max;
	out->mean = (u32)((sum + n / 2) / n);
	return true;
}

bool series_cpu_at(const struct series *x, cpu_id cpu, enum series_chan chan,
		   const struct series_span *span, struct series_sum *out)
{
	return cpu < x->nr_cpus && series_at(x, &x->cpu[cpu], chan, span, out);
}

const struct series_obj *series_obj_of(const struct series *x, u64 serial)
{
	return find_task(x, serial);
}

bool series_cpu(const struct series *x, cpu_id cpu, enum series_chan chan, ktime_ns t0, ktime_ns t1,
		struct series_sum *out)
{
	struct series_span span = series_find(x, t0, t1);

	return series_cpu_at(x, cpu, chan, &span, out);
}

bool series_task(const struct series *x, u64 serial, enum series_chan chan, ktime_ns t0,
		 ktime_ns t1, struct series_sum *out)
{
	struct series_span span = series_find(x, t0, t1);

	return series_at(x, find_task(x, serial), chan, &span, out);
}

size_t series_bytes(const struct series *x)
{
	size_t n = sizeof(*x) + x->nr_cpus * sizeof(*x->cpu),
	       per = vals_per_obj(x) * sizeof(*x->cpu->val);

	for (u32 i = 0; i < x->nr_cpus; i++)
		n += x->cpu[i].val ? per : 0;
	for (u32 i = 0; i < SERIES_TASKS; i++)
		n += x->task[i].val ? per : 0;
	return n;
}
