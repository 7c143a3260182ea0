/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pacer.c - how fast simulated time follows the real one. See pacer.h.
 */
#include "app/pacer.h"

#include "app/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_MIN 64ull
#define CHUNK_MAX 20000ull
#define CHUNK_WALL (500 * NSEC_PER_USEC) /* a chunk should take about this long */
#define LATE_WALL (250 * NSEC_PER_MSEC) /* more than this behind: forget the debt */
#define MEASURE_WALL (500 * NSEC_PER_MSEC)

void pacer_init(struct pacer *p)
{
	*p = (struct pacer){ .ratio = PACER_ONE, .chunk = 1000 };
}

void pacer_start(struct pacer *p, u64 wall, ktime_ns now)
{
	p->wall0 = p->mark_wall = wall;
	p->sim0 = p->mark_sim = now;
	p->achieved = p->ratio;
	p->behind = false;
}

ktime_ns pacer_target(const struct pacer *p, u64 wall)
{
	if (p->ratio == PACER_FLAT_OUT)
		return NEVER;
	if (wall <= p->wall0)
		return p->sim0;

	u128 ahead = (u128)(wall - p->wall0) * p->ratio / PACER_ONE;

	return ahead > 1ull << 60 ? p->sim0 + (1ull << 60) : p->sim0 + (u64)ahead;
}

static void measure(struct pacer *p, u64 wall, ktime_ns now)
{
	u64 real = wall - p->mark_wall;

	if (real < MEASURE_WALL)
		return;
	p->achieved = (u64)((u128)(now - p->mark_sim) * PACER_ONE / real);
	p->mark_wall = wall;
	p->mark_sim = now;
}

/* sim_run_until() that stops for the looker; SIM_BUDGET when it ends before @target for any reason. */
static enum sim_stop run_chunk(const struct pacer *p, struct sim *s, ktime_ns target,
			       const struct pacer_looker *looker)
{
	u64 left = p->chunk;

	for (;;) {
		ktime_ns look = looker ? looker->next(looker->ctx) : NEVER;
		ktime_ns until = look < target ? look : target;
		u64 before = s->g->ordinal, done;
		enum sim_stop stop;

		if (until < s->g->now)
			until = s->g->now;
		stop = sim_run_until(s, until, left);
		if (stop == SIM_ERROR || stop == SIM_BUDGET)
			return stop;
		if (look <= s->g->now)
			looker->look(looker->ctx);
		if (until >= target)
			return SIM_REACHED;
		/* A look costs about as much as a few events. */
		done = s->g->ordinal - before + 8;
		if (done >= left)
			return SIM_BUDGET;
		left -= done;
	}
}

enum sim_stop pacer_slice(struct pacer *p, struct sim *s, ktime_ns limit, u64 (*clock)(void),
			  const struct pacer_looker *looker)
{
	u64 begin = clock(), wall = begin;
	ktime_ns target = pacer_target(p, begin);
	enum sim_stop stop;

	if (target > limit)
		target = limit;
	if (target <= s->g->now && target != limit) {
		measure(p, begin, s->g->now);
		return SIM_REACHED;
	}
	do {
		u64 before = wall;

		stop = run_chunk(p, s, target, looker);
		wall = clock();

		u64 took = wall - before;

		if (stop == SIM_BUDGET && took > 2 * CHUNK_WALL && p->chunk > CHUNK_MIN)
			p->chunk /= 2;
		else if (stop == SIM_BUDGET && took < CHUNK_WALL / 2 && p->chunk < CHUNK_MAX)
			p->chunk *= 2;
	} while (stop == SIM_BUDGET && wall - begin < PACER_SLICE_NS);

	measure(p, wall, s->g->now);
	if (stop != SIM_BUDGET || p->ratio == PACER_FLAT_OUT)
		p->behind = false;
	if (stop == SIM_BUDGET && p->ratio != PACER_FLAT_OUT) {
		/* Real time that the machine could not follow is not made up for later. */
		u64 debt = (u64)((u128)(pacer_target(p, wall) - s->g->now) * PACER_ONE / p->ratio);

		if (debt > LATE_WALL) {
			p->behind = true;
			p->wall0 = wall;
			p->sim0 = s->g->now;
		}
	}
	return stop;
}

u64 pacer_step(u64 ratio, bool up)
{
	static const unsigned mantissa[] = { 1, 2, 5 };
	u64 last = 1;

	if (ratio == PACER_FLAT_OUT)
		return up ? PACER_FLAT_OUT : PACER_MAX;
	for (u64 scale = 1; scale <= PACER_MAX; scale *= 10) {
		for (unsigned i = 0; i < 3; i++) {
			u64 step = mantissa[i] * scale;

			if (up && step > ratio)
				return step > PACER_MAX ? PACER_FLAT_OUT : step;
			if (!up && step >= ratio)
				return last;
			last = step;
		}
	}
	return up ? PACER_FLAT_OUT : last;
}

int pacer_parse(const char *text, u64 *ratio, struct err *err)
{
	u64 v = 0, unit = PACER_ONE;
	const char *p = text;
	char clean[40];
	bool digits = false;

	if (!strcmp(text, "max")) {
		*ratio = PACER_FLAT_OUT;
		return 0;
	}
	for (; *p >= '0' && *p <= '9' && v < PACER_MAX; p++, digits = true)
		v = v * 10 + (u64)(*p - '0') * PACER_ONE;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++, digits = true)
			v += (u64)(*p - '0') * (unit /= 10);
	if (*p == 'x')
		p++;
	if (!digits || *p || !v || v > PACER_MAX) {
		text_clean(clean, sizeof(clean), text);
		return err_set(err, ERR_USAGE,
			       "'%s' is no speed: 0.0001 .. 1000000, max, up or down are", clean);
	}
	*ratio = v;
	return 0;
}

const char *pacer_text(char *buf, size_t size, u64 ratio)
{
	unsigned long long whole = ratio / PACER_ONE, frac = ratio % PACER_ONE;

	if (ratio == PACER_FLAT_OUT) {
		snprintf(buf, size, "max");
	} else if (!frac) {
		snprintf(buf, size, "%llux", whole);
	} else {
		char digits[8];
		int n = 4;

		snprintf(digits, sizeof(digits), "%04llu", frac);
		while (n > 1 && digits[n - 1] == '0')
			digits[--n] = '\0';
		snprintf(buf, size, "%llu.%sx", whole, digits);
	}
	return buf;
}
