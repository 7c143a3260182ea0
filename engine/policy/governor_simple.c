/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * governor_simple.c - governors that do not look at utilisation: performance, powersave, userspace.
 *
 * Follows drivers/cpufreq/cpufreq_performance.c, _powersave.c and _userspace.c.
 */
#include "engine/hw/cpufreq.h"
#include "engine/policy/policy.h"

static void performance_start(struct sim *s, const void *priv, u32 fd)
{
	(void)priv;
	cpufreq_request(s, fd, s->fds[fd].max_khz);
}

static void powersave_start(struct sim *s, const void *priv, u32 fd)
{
	(void)priv;
	cpufreq_request(s, fd, s->fds[fd].min_khz);
}

static void userspace_start(struct sim *s, const void *priv, u32 fd)
{
	struct freq_domain *d = &s->fds[fd];

	(void)priv;
	if (!d->userspace_khz)
		d->userspace_khz = d->cur_khz;
	cpufreq_request(s, fd, d->userspace_khz);
}

static const struct governor_ops performance_ops = { .start = performance_start };
static const struct governor_ops powersave_ops = { .start = powersave_start };
static const struct governor_ops userspace_ops = { .start = userspace_start };

const struct sched_policy governor_performance = {
	.name = "performance",
	.summary = "always the highest frequency allowed",
	.doc = "Every domain runs at the top of its limits, whatever its CPUs do. "
	       "drivers/cpufreq/cpufreq_performance.c.",
	.slot = SLOT_GOVERNOR,
	.ops = &performance_ops,
};

const struct sched_policy governor_powersave = {
	.name = "powersave",
	.summary = "always the lowest frequency allowed",
	.doc = "Every domain runs at the bottom of its limits, whatever its CPUs do. "
	       "drivers/cpufreq/cpufreq_powersave.c.",
	.slot = SLOT_GOVERNOR,
	.ops = &powersave_ops,
};

const struct sched_policy governor_userspace = {
	.name = "userspace",
	.summary = "the frequency that was set by hand",
	.doc = "A domain keeps the frequency given by the `frequency` command or cap; at the start "
	       "the present one. drivers/cpufreq/cpufreq_userspace.c.",
	.slot = SLOT_GOVERNOR,
	.ops = &userspace_ops,
};
