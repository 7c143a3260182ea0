/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cells.c - the runs of compare and sweep. See cells.h.
 */
#include "app/cells.h"

#include "app/app.h"
#include "app/settings.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what there is to run ---- */

static int bad_axis(const struct option_pair *p, const char *what, struct err *err)
{
	char clean[80];

	text_clean(clean, sizeof(clean), p->name);
	return err_set(err, ERR_USAGE, "--vary %s: %s", clean, what);
}

static enum axis_kind kind_of(const char *name)
{
	if (!strcmp(name, "kernel"))
		return AXIS_KERNEL;
	if (!strcmp(name, "machine"))
		return AXIS_MACHINE;
	for (int i = 0; i < NR_SLOTS; i++)
		if (!strcmp(name, policy_slot_names[i]))
			return AXIS_POLICY;
	return AXIS_SET;
}

static int add_axis(struct cells *c, const struct option_pair *p, struct err *err)
{
	struct axis *a = &c->axes[c->nr_axes];
	char *copy, *rest, *word;

	if (c->nr_axes == AXES_MAX)
		return err_set(err, ERR_USAGE, "--vary: more than %u things at once", AXES_MAX);
	for (u32 i = 0; i < c->nr_axes; i++)
		if (!strcmp(c->axes[i].name, p->name))
			return bad_axis(p, "it is varied already; name all its values at once",
					err);
	if (!strcmp(p->name, "seed"))
		return bad_axis(p, "seeds are counted: --seeds K, from --seed on", err);
	c->nr_axes++;
	a->name = xstrdup(p->name);
	a->kind = kind_of(p->name);
	copy = rest = xstrdup(p->value);
	while ((word = strsep(&rest, ","))) {
		if (!*word) {
			free(copy);
			return bad_axis(p, "a value is empty; values are parted by single commas",
					err);
		}
		for (u32 i = 0; i < a->nr; i++) {
			if (!strcmp(a->values[i], word)) {
				free(copy);
				return bad_axis(p, "a value stands there twice", err);
			}
		}
		a->values = xrealloc_array(a->values, a->nr + 1, sizeof(*a->values));
		a->values[a->nr++] = xstrdup(word);
		if (a->kind == AXIS_KERNEL && check_profile(word, err)) {
			free(copy);
			return err_wrap(err, "--vary kernel");
		}
	}
	free(copy);
	return 0;
}

int cells_init(struct cells *c, const struct options *opt, struct err *err)
{
	u64 n = 1;

	*c = (struct cells){ .opt = opt, .seeds = opt->seeds ? opt->seeds : 1 };
	if (opt->has_seed && opt->seed + c->seeds - 1 > SEED_MAX)
		return err_set(err, ERR_USAGE,
			       "--seeds: %u seeds from %llu end above 2^53 - 1; begin lower with "
			       "--seed, or try fewer",
			       c->seeds, (unsigned long long)opt->seed);
	for (u32 i = 0; i < opt->varies.nr; i++) {
		if (add_axis(c, &opt->varies.v[i], err))
			return -1;
		n *= c->axes[i].nr;
		if (n * c->seeds > CELLS_MAX)
			return err_set(err, ERR_LIMIT,
				       "more than %u runs; vary less, or try fewer seeds",
				       CELLS_MAX);
	}
	c->nr_variants = (u32)n;
	return 0;
}

void cells_fini(struct cells *c)
{
	for (u32 a = 0; a < c->nr_axes; a++) {
		for (u32 i = 0; i < c->axes[a].nr; i++)
			free(c->axes[a].values[i]);
		free(c->axes[a].values);
		free(c->axes[a].name);
	}
	c->nr_axes = 0;
}

const char *cells_value(const struct cells *c, u32 variant, u32 a)
{
	for (u32 i = c->nr_axes; --i > a;)
		variant /= c->axes[i].nr;
	return c->axes[a].values[variant % c->axes[a].nr];
}

/* ---- one of them ---- */

/* @src and one more pair; the texts are borrowed. */
static void add_pair(struct option_pairs *dst, const char *name, const char *value)
{
	dst->v = xrealloc_array(dst->v, dst->nr + 1, sizeof(*dst->v));
	dst->v[dst->nr].name = (char *)(uintptr_t)name;
	dst->v[dst->nr].value = (char *)(uintptr_t)value;
	dst->nr++;
}

static struct option_pairs borrow_pairs(const struct option_pairs *src)
{
	struct option_pairs p = { 0 };

	for (u32 i = 0; i < src->nr; i++)
		add_pair(&p, src->v[i].name, src->v[i].value);
	return p;
}

/* A name that is no setting may have been meant for a slot. */
static void explain(const struct cells *c, struct err *err)
{
	static const char *const others[] = { "kernel", "machine" };
	const char *names[NR_SLOTS + ARRAY_SIZE(others)];
	char said[120], clean[80];

	for (u32 i = 0; i < NR_SLOTS; i++)
		names[i] = policy_slot_names[i];
	memcpy(names + NR_SLOTS, others, sizeof(others));
	for (u32 a = 0; a < c->nr_axes; a++) {
		const char *near = suggest(c->axes[a].name, names, ARRAY_SIZE(names));

		text_clean(clean, sizeof(clean), c->axes[a].name);
		snprintf(said, sizeof(said), "there is no setting '%s'", clean);
		if (!near || c->axes[a].kind != AXIS_SET || !strstr(err->msg, said))
			continue;

		/* What was suggested among settings may be farther off. */
		const char *other = strstr(err->msg, "did you mean '");
		char word[64];

		if (other && sscanf(other, "did you mean '%63[^']", word) == 1 &&
		    edit_distance(c->axes[a].name, word) <= edit_distance(c->axes[a].name, near))
			continue;
		*err = (struct err){ 0 };
		err_set(err, ERR_USAGE, "--vary: %s; did you mean '%s'?", said, near);
	}
}

/* An option that the user has not given is no place to look. */
static void strip(struct err *err, const char *prefix)
{
	size_t n = strlen(prefix);

	if (!strncmp(err->msg, prefix, n))
		memmove(err->msg, err->msg + n, strlen(err->msg + n) + 1);
}

int cells_run(const struct cells *c, u32 i, struct strbuf *json, struct err *err)
{
	struct options o = *c->opt;
	u32 variant = i / c->seeds;
	int code;

	o.policies = borrow_pairs(&c->opt->policies);
	o.sets = borrow_pairs(&c->opt->sets);
	o.seed_offset = i % c->seeds;
	for (u32 a = 0; a < c->nr_axes; a++) {
		const char *value = cells_value(c, variant, a);

		switch (c->axes[a].kind) {
		case AXIS_KERNEL:
			o.kernel = value;
			break;
		case AXIS_MACHINE:
			o.machine = value;
			break;
		case AXIS_POLICY:
			add_pair(&o.policies, c->axes[a].name, value);
			break;
		case AXIS_SET:
			add_pair(&o.sets, c->axes[a].name, value);
			break;
		}
	}
	code = headless_cell(&o, json, err);
	if (err->code) {
		explain(c, err);
		if (!c->opt->policies.nr)
			strip(err, "--policy: ");
		if (!c->opt->sets.nr)
			strip(err, "--set: ");
	}
	free(o.policies.v);
	free(o.sets.v);
	return code;
}

char *cells_label(const struct cells *c, u32 i)
{
	struct strbuf b = { 0 };
	char *text;

	for (u32 a = 0; a < c->nr_axes; a++)
		strbuf_printf(&b, "%s%s=%s", a ? " " : "", c->axes[a].name,
			      cells_value(c, i / c->seeds, a));
	if (c->opt->has_seed)
		strbuf_printf(&b, ", seed %llu",
			      (unsigned long long)((c->opt->seed + i % c->seeds) & SEED_MAX));
	else if (c->seeds > 1)
		strbuf_printf(&b, ", seed %u of %u", i % c->seeds + 1, c->seeds);
	text = strbuf_take(&b);
	text_clean(text, strlen(text) + 1, text);
	return text;
}

void cells_vary(const struct cells *c, u32 variant, struct jsonout *j)
{
	jw_open(j, "vary", false);
	for (u32 a = 0; a < c->nr_axes; a++)
		jw_text(j, c->axes[a].name, cells_value(c, variant, a));
	jw_close(j);
}

/* ---- all of them ---- */

/* A signal handler can reach nothing else. */
static volatile sig_atomic_t want_out;

static void on_signal(int sig)
{
	(void)sig;
	want_out = 1;
}

struct pooling {
	const struct cells *c;
	u32 first, step, nr;
	bool (*done)(void *ctx, u32 cell, struct cell_result *r);
	void *ctx;
	bool show, shown;
	u64 begin, last;
};

static int pool_one(void *ctx, u32 i, struct strbuf *text, struct err *err)
{
	const struct pooling *p = ctx;

	return cells_run(p->c, p->first + i * p->step, text, err);
}

static bool pool_done(void *ctx, u32 i, struct cell_result *r)
{
	struct pooling *p = ctx;

	return p->done(p->ctx, p->first + i * p->step, r);
}

static void pool_progress(void *ctx, u32 finished)
{
	struct pooling *p = ctx;
	u64 now = p->show ? wall_ns() : 0, left;

	if (!p->show || now - p->last < 100 * NSEC_PER_MSEC || now - p->begin < 300 * NSEC_PER_MSEC)
		return;
	p->last = now;
	p->shown = true;
	fprintf(stderr, "\r%u of %u runs", finished, p->nr);
	if (finished) {
		left = (now - p->begin) / finished * (p->nr - finished) / NSEC_PER_SEC;
		fprintf(stderr, ", about %llu:%02llu left", (unsigned long long)(left / 60),
			(unsigned long long)(left % 60));
	}
	fprintf(stderr, " \033[K");
}

int cells_pool(const struct cells *c, u32 first, u32 step,
	       bool (*done)(void *ctx, u32 cell, struct cell_result *r), void *ctx,
	       bool *interrupted, struct err *err)
{
	u32 all = cells_count(c);
	struct pooling p = { .c = c,
			     .first = first,
			     .step = step,
			     .nr = first < all ? (all - first - 1) / step + 1 : 0,
			     .done = done,
			     .ctx = ctx,
			     .show = isatty(STDERR_FILENO) && !c->opt->quiet };
	struct cellpool pool = { .ctx = &p,
				 .nr = p.nr,
				 .jobs = c->opt->jobs ? c->opt->jobs : cellpool_cores(),
				 .timeout_ns = c->opt->timeout,
				 .timeout_name = "--timeout",
				 .run = pool_one,
				 .done = pool_done,
				 .progress = pool_progress,
				 .interrupted = &want_out };
	struct sigaction act = { .sa_handler = on_signal };
	int ret;

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	p.begin = wall_ns();
	ret = cellpool_run(&pool, err);
	if (p.shown)
		fprintf(stderr, "\r\033[K");
	*interrupted = want_out;
	return ret;
}
