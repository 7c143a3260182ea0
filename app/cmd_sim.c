/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd_sim.c - commands about time: run, pause, step, until, speed, restart and what restarts.
 */
#include "app/app.h"
#include "app/command.h"
#include "app/looks.h"
#include "app/settings.h"
#include "app/text.h"
#include "app/units.h"
#include "app/xalloc.h"
#include "engine/access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int need_sim(struct cmd_call *c)
{
	if (c->app->sim)
		return 0;
	return err_set(c->err, ERR_USAGE, "nothing is loaded");
}

static void go(struct app *app, ktime_ns limit)
{
	app->running = true;
	app->run_limit = limit;
	app->dirty = true;
	pacer_start(&app->pacer, wall_ns(), app->sim->g->now);
}

static void stop(struct app *app)
{
	app->running = false;
	app->run_limit = NEVER;
	app->dirty = true;
}

static int run_to(struct cmd_call *c, ktime_ns until)
{
	if (!c->app->loop) /* nobody else would move the clock */
		return run_sampled(c->app, until, c->err);
	go(c->app, until);
	return 0;
}

int cmd_run(struct cmd_call *c)
{
	u64 ns;

	if (need_sim(c))
		return -1;
	if (c->argc) {
		if (parse_time(c->argv[0], strlen(c->argv[0]), &ns, c->err))
			return -1;
		return run_to(c, c->app->sim->g->now + ns);
	}
	if (c->app->loop)
		go(c->app, NEVER);
	return 0;
}

int cmd_until(struct cmd_call *c)
{
	u64 ns;
	char now[24];

	if (need_sim(c) || parse_time(c->argv[0], strlen(c->argv[0]), &ns, c->err))
		return -1;
	if (ns < c->app->sim->g->now)
		return err_set(c->err, ERR_USAGE,
			       "that moment is over: it is %s already; 'restart' begins again",
			       format_time(now, sizeof(now), c->app->sim->g->now));
	return run_to(c, ns);
}

int cmd_pause(struct cmd_call *c)
{
	stop(c->app);
	return 0;
}

int cmd_toggle(struct cmd_call *c)
{
	if (need_sim(c))
		return -1;
	if (c->app->running)
		stop(c->app);
	else
		go(c->app, NEVER);
	return 0;
}

int parse_count(const char *text, s64 min, s64 max, s64 *out, const char *what, struct err *err)
{
	char clean[40], *end;
	long long v = strtoll(text, &end, 10);

	if (end == text || *end || v < min || v > max) {
		text_clean(clean, sizeof(clean), text);
		return err_set(err, ERR_USAGE, "'%s' is no %s: whole numbers %lld .. %lld are",
			       clean, what, (long long)min, (long long)max);
	}
	*out = v;
	return 0;
}

static int step_events(struct cmd_call *c, s64 n)
{
	while (n-- > 0) {
		switch (step_sampled(c->app)) {
		case SIM_ERROR:
			if (c->err)
				*c->err = c->app->sim->err;
			return -1;
		case SIM_IDLE_FOREVER:
			return err_set(c->err, ERR_USAGE,
				       "nothing will ever happen: no event is "
				       "pending; 'spawn' makes a task");
		default:
			break;
		}
	}
	return 0;
}

static int step_ticks(struct cmd_call *c, s64 n)
{
	struct sim *s = c->app->sim;

	while (n-- > 0) {
		u64 next = sim_jiffies(s) + 1;
		ktime_ns at = (ktime_ns)((u128)next * NSEC_PER_SEC / s->g->tun.hz);

		if (run_sampled(c->app, at, c->err))
			return -1;
	}
	return 0;
}

int cmd_step(struct cmd_call *c)
{
	bool ticks = false;
	s64 n = 1;
	int i = 0;

	if (need_sim(c))
		return -1;
	if (i < c->argc && !strcmp(c->argv[i], "tick"))
		ticks = true;
	if (i < c->argc && (ticks || !strcmp(c->argv[i], "event")))
		i++;
	if (i < c->argc) {
		if (parse_count(c->argv[i], 1, 1000000, &n, "count", c->err))
			return -1;
		i++;
	}
	if (i < c->argc)
		return err_set(c->err, ERR_USAGE, "step takes 'event' or 'tick' and a count");
	stop(c->app);
	return ticks ? step_ticks(c, n) : step_events(c, n);
}

int cmd_speed(struct cmd_call *c)
{
	const char *arg = c->argv[0];
	struct pacer *p = &c->app->pacer;
	char text[24];

	if (!strcmp(arg, "up") || !strcmp(arg, "+"))
		p->ratio = pacer_step(p->ratio, true);
	else if (!strcmp(arg, "down") || !strcmp(arg, "-"))
		p->ratio = pacer_step(p->ratio, false);
	else if (pacer_parse(arg, &p->ratio, c->err))
		return -1;
	if (c->app->sim)
		pacer_start(p, wall_ns(), c->app->sim->g->now);
	c->app->dirty = true;
	strbuf_printf(c->out, "speed %s\n", pacer_text(text, sizeof(text), p->ratio));
	return 0;
}

int cmd_restart(struct cmd_call *c)
{
	c->app->want_restart = true;
	return 0;
}

int cmd_seed(struct cmd_call *c)
{
	s64 v = 0;

	if (parse_count(c->argv[0], 0, (s64)SEED_MAX, &v, "seed", c->err))
		return -1;
	c->app->want.has_seed = true;
	c->app->want.seed = (u64)v;
	c->app->want_restart = true;
	return 0;
}

int cmd_machine(struct cmd_call *c)
{
	free(c->app->want.machine);
	c->app->want.machine = xstrdup(c->argv[0]);
	c->app->want_restart = true;
	return 0;
}

int cmd_kernel(struct cmd_call *c)
{
	if (check_profile(c->argv[0], c->err))
		return -1;
	free(c->app->want.kernel);
	c->app->want.kernel = xstrdup(c->argv[0]);
	c->app->want_restart = true;
	return 0;
}

int cmd_check(struct cmd_call *c)
{
	if (need_sim(c) || sim_check(c->app->sim, c->err))
		return -1;
	strbuf_puts(c->out, "every invariant holds\n");
	return 0;
}

int cmd_echo(struct cmd_call *c)
{
	strbuf_printf(c->out, "%s\n", c->argv[0]);
	return 0;
}

int cmd_memory(struct cmd_call *c)
{
	const struct sim *s = c->app->sim;

	if (need_sim(c))
		return -1;
	strbuf_printf(c->out, "state %llu KiB, trace %llu KiB, journal %u entries\n",
		      (unsigned long long)(s->arena.hdr->size >> 10),
		      (unsigned long long)((u64)s->trace.ring_size * sizeof(struct trace_rec) >>
					   10),
		      s->journal.nr);
	return 0;
}

int cmd_quit(struct cmd_call *c)
{
	c->app->want_quit = true;
	return 0;
}
