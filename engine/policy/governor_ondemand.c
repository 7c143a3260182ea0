/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * governor_ondemand.c - the governor that measures: how much of the last while was not idle?
 *
 * Follows drivers/cpufreq/cpufreq_ondemand.c (od_update()) and cpufreq_governor.c (dbs_update(),
 * dbs_update_util_handler()), Linux v6.12. Simplified: the sample is taken where the scheduler's
 * hook finds that its time has come, not in a worker a moment later; waiting for io counts as idle
 * (io_is_busy 0); no powersave bias. The kernel's closest step (CPUFREQ_RELATION_C) is taken as it
 * is, inefficient steps included.
 *
 * State: sugov_cpu.last_update, .util and .bw_min hold the time of a CPU's last sample, its idle time
 * by then, and the load of a sample that may be used once more; freq_domain.last_freq_update_time is
 * the time of the domain's last sample, .freq_update_delay_ns the time to the next, .cached_raw_freq
 * the multiplier of the rate that is in force (policy_dbs_info.rate_mult).
 */
#include "engine/hw/cpufreq.h"
#include "engine/observe/emit.h"
#include "engine/policy/sugov.h"

enum { OD_UP_THRESHOLD, OD_SAMPLING_RATE, OD_DOWN_FACTOR };

/* MICRO_FREQUENCY_UP_THRESHOLD: idle time is known to the microsecond. Coarse accounting has 80. */
static const struct policy_param ondemand_params[] = {
	[OD_UP_THRESHOLD] = { "up_threshold", 1, 100, 95, "%",
			      "load above which a domain goes to its highest frequency" },
	[OD_SAMPLING_RATE] = { "sampling_rate_us", 0, 10000000, 0, "us",
			       "time between samples; 0 = from the transition latency, two ticks at "
			       "least" },
	[OD_DOWN_FACTOR] = { "sampling_down_factor", 1, 100000, 1, "",
			     "how many times rarer samples are while at the highest frequency" },
	{ NULL, 0, 0, 0, NULL, NULL },
};

static u64 ondemand_param(const struct sim *s, u32 param)
{
	return (u64)sim_policy_param(s, SLOT_GOVERNOR, param);
}

/* Default: as the schedutil rate limit, but two ticks (CPUFREQ_DBS_MIN_SAMPLING_INTERVAL). */
static u64 ondemand_rate_ns(const struct sim *s, u32 fd)
{
	u64 us = ondemand_param(s, OD_SAMPLING_RATE);

	if (us)
		return us * NSEC_PER_USEC;
	return max_u64(2 * tick_ns(s), sugov_rate_limit_us(s, fd) * NSEC_PER_USEC);
}

/* dbs_update() for one CPU: percent of the time since its last sample that it was not idle. */
static u64 ondemand_cpu_load(struct sim *s, cpu_id cpu, u64 rate)
{
	struct sugov_cpu *sg = &s->sugov[cpu];
	u64 idle_now = sim_cpu_stats_now(s, cpu).idle_ns;
	u64 wall = s->g->now - sg->last_update, idle = idle_now - sg->util, load;

	sg->last_update = s->g->now;
	sg->util = idle_now;
	if (!wall)
		return sg->bw_min;
	if (idle > 2 * rate && sg->bw_min) {
		/*
		 * It slept through several samples: what it wakes for looks like what it did before,
		 * and is not measured by a long idle time. Once only.
		 */
		load = sg->bw_min;
		sg->bw_min = 0;
		return load;
	}
	load = idle < wall ? 100 * (wall - idle) / wall : 0;
	sg->bw_min = load;
	return load;
}

/* CPUFREQ_RELATION_C: the nearest step within the limits, of two as near the higher. */
static u32 ondemand_closest(const struct sim *s, const struct freq_domain *d, u32 khz)
{
	const struct opp *opps = &s->opps[d->first_opp];
	u32 best = 0, found = NONE;

	for (u32 i = 0; i < d->nr_opps; i++) {
		u32 f = opps[i].khz, off = f > khz ? f - khz : khz - f;

		if (f < d->min_khz || f > d->max_khz)
			continue;
		if (found == NONE || off <= best) {
			best = off;
			found = f;
		}
	}
	return found == NONE ? d->max_khz : found;
}

static void ondemand_request(struct sim *s, u32 fd, u32 khz, u64 load)
{
	struct freq_domain *d = &s->fds[fd];

	if (d->next_freq == khz)
		return;
	d->next_freq = khz;
	trace(s, TR_cpu_frequency_request, d->first_cpu, NONE, trace_pair(khz, fd),
	      trace_pair((u32)load, 0));
	cpufreq_request(s, fd, khz);
}

static void ondemand_update(struct sim *s, const void *priv, cpu_id cpu, u32 flags)
{
	u32 fd = s->topo[cpu].fd;
	struct freq_domain *d = &s->fds[fd];
	u64 now = s->g->now, rate = ondemand_rate_ns(s, fd), load = 0;

	(void)priv;
	(void)flags;
	if (now - d->last_freq_update_time < d->freq_update_delay_ns)
		return;
	d->last_freq_update_time = now;
	d->limits_changed = 0;
	/* The busiest CPU decides for all of the domain. */
	for (cpu_id c = d->first_cpu; c < s->g->nr_cpus; c++)
		if (s->topo[c].fd == fd && s->rqs[c].mode != CPU_OFFLINE)
			load = max_u64(load, ondemand_cpu_load(s, c, rate));
	if (load > ondemand_param(s, OD_UP_THRESHOLD)) {
		if (d->cur_khz < d->max_khz)
			d->cached_raw_freq = (u32)ondemand_param(s, OD_DOWN_FACTOR);
		d->freq_update_delay_ns = rate * d->cached_raw_freq;
		ondemand_request(s, fd, d->max_khz, load);
		return;
	}

	/* In proportion, between the ends of the table: caps do not change what a load asks for. */
	const struct opp *opps = &s->opps[d->first_opp];
	u32 low = opps[0].khz, top = opps[d->nr_opps - 1].khz;

	d->cached_raw_freq = 1;
	d->freq_update_delay_ns = rate;
	ondemand_request(s, fd, ondemand_closest(s, d, low + (u32)(load * (top - low) / 100)),
			 load);
}

/* cpufreq_dbs_governor_start(): samples begin now. */
static void ondemand_start(struct sim *s, const void *priv, u32 fd)
{
	struct freq_domain *d = &s->fds[fd];

	(void)priv;
	d->last_freq_update_time = s->g->now;
	d->freq_update_delay_ns = ondemand_rate_ns(s, fd);
	d->cached_raw_freq = 1;
	d->limits_changed = 0;
	d->need_freq_update = 0;
	if (!d->work_in_progress)
		d->next_freq = 0;
	for (cpu_id c = d->first_cpu; c < s->g->nr_cpus; c++)
		if (s->topo[c].fd == fd)
			s->sugov[c] = (struct sugov_cpu){ .last_update = s->g->now,
							  .util = sim_cpu_stats_now(s, c).idle_ns };
}

static const struct governor_ops ondemand_ops = {
	.update = ondemand_update,
	.start = ondemand_start,
};

const struct sched_policy governor_ondemand = {
	.name = "ondemand",
	.summary = "frequency follows the share of time that was not idle",
	.doc = "Every few ticks each domain looks how much of the time since the last sample its "
	       "busiest CPU was not idle. Above up_threshold it goes to the highest frequency at once, "
	       "else to the step nearest to that share of the range. It knows nothing of the "
	       "scheduler's signals. drivers/cpufreq/cpufreq_ondemand.c.",
	.slot = SLOT_GOVERNOR,
	.params = ondemand_params,
	.ops = &ondemand_ops,
};
