/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare_table.c - blocks of statistics over many runs. See compare_table.h.
 *
 * Shape of the mails of kernel developers: a block per metric, a line per variant. All arithmetic is in
 * whole numbers (stats.h); what is printed is rounded once.
 */
#include "app/compare_table.h"

#include "app/text.h"
#include "app/xalloc.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is shown unless --metrics chooses: patterns of whole paths, in the order of the table. */
static const char *const usual[] = {
	"latency.all.*_us",
	"latency.groups.*_us",
	"throughput.*",
	"newidle.*",
	"blocked.*",
	"nohz.*",
	"balance.*",
	"energy.total_uj",
	"energy.by_signals",
	"energy.per_work",
	"overutilized.*",
	"util_est.held_pct",
	"freq.domains.*.mean_khz",
	"freq.domains.*.transitions",
	"overhead.total_us",
	"overhead.pct",
	"nodes.*.busy_pct",
	"nodes.*.idle_starved_us",
	NULL,
};

/* Of those, what only fills the screen: percentiles between, lists, and calls by kind. */
static const char *const unusual[] = {
	"latency.*.p75_us",   "latency.*.p95_us", "latency.*.p995_us",
	"latency.*.p999_us",  "latency.*.min_us", "nohz.ilb_by_cpu.*",
	"nohz.ilb_by_node.*", "balance.calls.*",  NULL,
};

/* Inputs and places, which are no results. */
static const char *const never[] = { "seed",	    "set.*",	"policies.*", "duration_ns",
				     "published.*", "expect.*", NULL };

/* Order of members that belong together, where byte order would mix them. */
static const char *const ranks[] = { "count",	"p50_us",  "p75_us", "p90_us", "p95_us", "p99_us",
				     "p995_us", "p999_us", "min_us", "max_us", "mean_us" };

static bool matches_any(const char *const *patterns, const char *path)
{
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, path, 0))
			return true;
	return false;
}

/* Number of the pattern that chooses @path, NONE = none. @patterns: separated by commas. */
static u32 section_of(const char *patterns, const char *path)
{
	u32 i = 0;

	if (matches_any(never, path))
		return NONE;
	if (!patterns) {
		for (; usual[i]; i++)
			if (!fnmatch(usual[i], path, 0))
				return matches_any(unusual, path) ? NONE : i;
		return NONE;
	}
	for (const char *p = patterns; *p; i++) {
		size_t n = strcspn(p, ",");
		char *one = xstrndup(p, n), *below = xasprintf("%s.*", one);
		bool fits = !fnmatch(one, path, 0) || !fnmatch(below, path, 0);

		free(one);
		free(below);
		if (fits)
			return i;
		p += n + (p[n] == ',');
	}
	return NONE;
}

static u32 rank_of(const char *path)
{
	const char *dot = strrchr(path, '.'), *leaf = dot ? dot + 1 : path;

	for (u32 i = 0; i < ARRAY_SIZE(ranks); i++)
		if (!strcmp(leaf, ranks[i]))
			return i;
	return ARRAY_SIZE(ranks);
}

/* ---- building ---- */

static const struct cell_run *first_run(const struct cells *c, const struct cell_run *runs,
					u32 variant)
{
	for (u32 k = 0; k < c->seeds; k++)
		if (runs[variant * c->seeds + k].there)
			return &runs[variant * c->seeds + k];
	return NULL;
}

/* Figures of the thread about @metric, if any; the row of the last that applies counts. */
static void take_figures(struct block *b, const struct cells *c, const struct cell_run *runs)
{
	for (u32 variant = 0; variant < c->nr_variants; variant++) {
		const struct cell_run *r = first_run(c, runs, variant);

		for (u32 i = 0; r; i++) {
			const struct run_value *applies, *v;
			char path[64];
			const char *metric;

			snprintf(path, sizeof(path), "published.%u.metric", i);
			metric = run_text(&r->values, path);
			if (!metric)
				break;
			if (strcmp(metric, b->metric))
				continue;
			snprintf(path, sizeof(path), "published.%u.applies", i);
			applies = run_value(&r->values, path);
			if (!applies || !applies->v)
				continue;
			if (!b->thread)
				b->thread = xcalloc(c->nr_variants, sizeof(*b->thread));
			snprintf(path, sizeof(path), "published.%u.source", i);
			b->thread[variant].source = run_text(&r->values, path);
			snprintf(path, sizeof(path), "published.%u.change_pct", i);
			v = run_value(&r->values, path);
			b->thread[variant].change = v != NULL;
			if (!v) {
				snprintf(path, sizeof(path), "published.%u.value", i);
				v = run_value(&r->values, path);
			}
			if (!v)
				continue;
			b->thread[variant].there = true;
			b->thread[variant].v = v->v;
			b->thread[variant].decimals = v->decimals;
		}
	}
}

static bool is_published(const struct cells *c, const struct cell_run *runs, const char *metric)
{
	struct block b = { .metric = (char *)(uintptr_t)metric };
	bool is;

	take_figures(&b, c, runs);
	is = b.thread != NULL;
	free(b.thread);
	return is;
}

static u32 decimals_of(const struct cells *c, const struct cell_run *runs, const char *path)
{
	for (u32 i = 0; i < cells_count(c); i++) {
		const struct run_value *v = runs[i].there ? run_value(&runs[i].values, path) : NULL;

		if (v && v->kind == RUN_NUMBER)
			return v->decimals;
	}
	return 0;
}

/* The values of one variant into @v; returns how many there are. */
static u32 values_of(const struct cells *c, const struct cell_run *runs, u32 variant,
		     const char *path, s64 *v)
{
	u32 n = 0;

	for (u32 k = 0; k < c->seeds; k++) {
		const struct cell_run *r = &runs[variant * c->seeds + k];
		const struct run_value *x = r->there ? run_value(&r->values, path) : NULL;

		if (x && x->kind == RUN_NUMBER)
			v[n++] = x->v;
	}
	return n;
}

/* Does some variant differ from the first, seed by seed? */
static bool differs(const struct cells *c, const struct cell_run *runs, const char *path)
{
	s64 *a = xcalloc(c->seeds, sizeof(*a)), *b = xcalloc(c->seeds, sizeof(*b));
	u32 n = values_of(c, runs, 0, path, a);
	bool is = false;

	for (u32 variant = 1; variant < c->nr_variants && !is; variant++)
		is = values_of(c, runs, variant, path, b) != n || memcmp(a, b, n * sizeof(*a));
	free(a);
	free(b);
	return is;
}

static void add_block(struct table *t, const struct cells *c, const struct cell_run *runs,
		      const char *path, u32 section)
{
	s64 *v = xcalloc(c->seeds, sizeof(*v));
	struct block *b;

	t->v = xrealloc_array(t->v, t->nr + 1, sizeof(*t->v));
	b = &t->v[t->nr++];
	*b = (struct block){ .metric = xstrdup(path),
			     .decimals = decimals_of(c, runs, path),
			     .section = section,
			     .rank = rank_of(path) };
	b->stats = xcalloc(c->nr_variants, sizeof(*b->stats));
	for (u32 variant = 0; variant < c->nr_variants; variant++)
		b->stats[variant] = stats_of(v, values_of(c, runs, variant, path, v));
	take_figures(b, c, runs);
	free(v);
}

/* Byte order, but numbers by their value: domain 9 before domain 10. */
static int natural(const char *a, const char *b)
{
	while (*a && *b) {
		if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
			char *ea, *eb;
			unsigned long long x = strtoull(a, &ea, 10), y = strtoull(b, &eb, 10);

			if (x != y)
				return x < y ? -1 : 1;
			a = ea;
			b = eb;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	return (unsigned char)*a - (unsigned char)*b;
}

static int by_path(const void *pa, const void *pb)
{
	return natural(((const struct block *)pa)->metric, ((const struct block *)pb)->metric);
}

/* What stands before the last dot is the same? */
static bool same_group(const char *a, const char *b)
{
	const char *da = strrchr(a, '.'), *db = strrchr(b, '.');

	return da && db && da - a == db - b && !memcmp(a, b, (size_t)(da - a));
}

static int by_order(const void *pa, const void *pb)
{
	const struct block *a = pa, *b = pb;

	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return natural(a->metric, b->metric);
}

static bool has_block(const struct table *t, const char *path)
{
	for (u32 i = 0; i < t->nr; i++)
		if (!strcmp(t->v[i].metric, path))
			return true;
	return false;
}

void table_build(struct table *t, const struct cells *c, const struct cell_run *runs,
		 const char *patterns)
{
	*t = (struct table){ 0 };
	for (u32 variant = 0; variant < c->nr_variants; variant++) {
		const struct cell_run *r = first_run(c, runs, variant);

		/* A block for each of hundreds of CPUs that have a frequency of their own is no help. */
		bool many = r && run_value(&r->values, "freq.domains.8.mean_khz");

		/* A metric may be there in some variants only: a group, a figure. */
		for (u32 i = 0; r && i < r->values.nr; i++) {
			const struct run_value *v = &r->values.v[i];
			u32 section;
			bool published;

			if (v->kind != RUN_NUMBER || (i && !strcmp(v[-1].path, v->path)) ||
			    (variant && has_block(t, v->path)))
				continue;
			section = section_of(patterns, v->path);
			if (!patterns && many && !strncmp(v->path, "freq.domains.", 13))
				section = NONE;
			published = !patterns && is_published(c, runs, v->path);
			if (section == NONE && !published)
				continue;
			if (!differs(c, runs, v->path) && !patterns && !published) {
				t->nr_same += !variant;
				continue;
			}
			/* What the scenario is about comes first. */
			section = published ? 0 : section + 1;
			add_block(t, c, runs, v->path, section);
		}
	}
	/* A group's members stand together then. */
	if (t->nr)
		qsort(t->v, t->nr, sizeof(*t->v), by_path);
	for (u32 i = 1; i < t->nr; i++)
		t->v[i].group = t->v[i - 1].group + !same_group(t->v[i - 1].metric, t->v[i].metric);
	if (t->nr)
		qsort(t->v, t->nr, sizeof(*t->v), by_order);
}

struct thin {
	const struct run_values *r;
	const char *patterns;
};

static bool needed(void *ctx, const struct run_value *v)
{
	static const char *const heads[] = { "scenario", "machine", "kernel", "duration_ns",
					     "seed" };
	const struct thin *t = ctx;
	char path[64];
	const char *metric;

	for (u32 i = 0; i < ARRAY_SIZE(heads); i++)
		if (!strcmp(v->path, heads[i]))
			return true;
	if (!strncmp(v->path, "published.", 10))
		return true;
	if (v->kind != RUN_NUMBER)
		return false;
	if (section_of(t->patterns, v->path) != NONE)
		return true;
	for (u32 i = 0; !t->patterns; i++) {
		snprintf(path, sizeof(path), "published.%u.metric", i);
		metric = run_text(t->r, path);
		if (!metric)
			break;
		if (!strcmp(metric, v->path))
			return true;
	}
	return false;
}

void table_thin(struct run_values *r, const char *patterns)
{
	struct thin t = { r, patterns };

	run_values_keep(r, needed, &t);
}

void table_free(struct table *t, const struct cells *c)
{
	(void)c;
	for (u32 i = 0; i < t->nr; i++) {
		free(t->v[i].metric);
		free(t->v[i].stats);
		free(t->v[i].thread);
	}
	free(t->v);
	*t = (struct table){ 0 };
}

/* ---- text ---- */

/* @v with @have decimals printed with @want <= @have, rounded half away from zero. */
static const char *with_decimals(char *buf, s64 v, u32 have, u32 want)
{
	s64 div = 1;

	for (; have > want; have--)
		div *= 10;
	v = v < 0 ? -((-v + div / 2) / div) : (v + div / 2) / div;
	return fixed_str(buf, v, want);
}

/* Decimals to show: fewer for large numbers, so that columns can be read. */
static u32 shown_decimals(const struct block *b, const struct cells *c)
{
	u32 want = b->decimals ? b->decimals : 1, have = b->decimals + STATS_DECIMALS;
	s64 most = 0, unit = 1;

	for (u32 i = 0; i < c->nr_variants; i++) {
		s64 m = b->stats[i].mean < 0 ? -b->stats[i].mean : b->stats[i].mean;

		most = m > most ? m : most;
	}
	for (u32 i = 0; i < have; i++)
		unit *= 10;
	if (most / unit >= 100 && want > 1)
		want = 1;
	return want;
}

struct columns {
	int variant[AXES_MAX];
	char (*cell)[7][48]; /* [variant][mean sd sd% change interval median thread] */
	int width[7];
};

static void percent(char *buf, size_t size, s64 pct2)
{
	char n[32];

	snprintf(buf, size, "%s%s%%", pct2 > 0 ? "+" : "", fixed_str(n, pct2, 2));
}

static void fill(char (*cell)[48], const struct block *b, u32 variant, u32 want)
{
	const struct stats *s = &b->stats[variant];
	u32 have = b->decimals + STATS_DECIMALS;
	s64 pct;

	for (int i = 0; i < 7; i++)
		snprintf(cell[i], sizeof(cell[i]), "-");
	if (!s->n)
		return;
	with_decimals(cell[0], s->mean, have, want);
	with_decimals(cell[5], s->median, have, want);
	if (variant && stats_change(s, &b->stats[0], &pct))
		percent(cell[3], sizeof(cell[3]), pct);
	if (s->n < 2)
		return;
	with_decimals(cell[1], (s64)s->sd, have, want);
	if (s->mean) {
		u64 mean = s->mean < 0 ? 0 - (u64)s->mean : (u64)s->mean;
		u128 rel = ((u128)s->sd * 10000 + mean / 2) / mean;

		if (rel < 10000000000ull)
			fixed_str(cell[2], (s64)rel, 2);
	}
	with_decimals(cell[4], (s64)s->half, have, want);
}

static void figure_text(char *buf, size_t size, const struct thread_figure *f)
{
	char n[32];
	size_t len;

	if (!f->there) {
		snprintf(buf, size, "-");
		return;
	}
	fixed_str(n, f->v, f->decimals);
	len = strlen(n);
	while (f->decimals && len > 1 && n[len - 1] == '0')
		n[--len] = '\0';
	if (n[len - 1] == '.')
		n[--len] = '\0';
	snprintf(buf, size, "%s%.30s%s", f->change && f->v > 0 ? "+" : "", n, f->change ? "%" : "");
}

/* Columns on a terminal: every character of ours is one wide. */
static int columns_of(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static void put(struct strbuf *b, const char *s, int width, bool left)
{
	int pad = width - columns_of(s);

	strbuf_printf(b, "%*s%s%*s", left || pad < 0 ? 0 : pad, "", s, left && pad > 0 ? pad : 0,
		      "");
}

/* Has variant @v a source that none before it has? */
static bool new_source(const struct block *b, u32 v)
{
	if (!b->thread[v].source)
		return false;
	for (u32 i = 0; i < v; i++)
		if (b->thread[i].source && !strcmp(b->thread[i].source, b->thread[v].source))
			return false;
	return true;
}

static void block_text(const struct block *b, const struct cells *c, struct strbuf *out)
{
	static const char *const heads[7] = { "mean",  "sd",	 "sd%",	  "change",
					      "95% ±", "median", "thread" };
	u32 want = shown_decimals(b, c);
	struct columns col = { 0 };
	char clean[256];

	col.cell = xcalloc(c->nr_variants, sizeof(*col.cell));
	for (u32 a = 0; a < c->nr_axes; a++) {
		col.variant[a] = columns_of(c->axes[a].name);
		for (u32 i = 0; i < c->axes[a].nr; i++) {
			int w = columns_of(c->axes[a].values[i]);

			col.variant[a] = w > col.variant[a] ? w : col.variant[a];
		}
	}
	for (u32 i = 0; i < 7; i++)
		col.width[i] = columns_of(heads[i]);
	for (u32 v = 0; v < c->nr_variants; v++) {
		fill(col.cell[v], b, v, want);
		if (b->thread)
			figure_text(col.cell[v][6], sizeof(col.cell[v][6]), &b->thread[v]);
		for (u32 i = 0; i < 7; i++) {
			int w = columns_of(col.cell[v][i]);

			col.width[i] = w > col.width[i] ? w : col.width[i];
		}
	}
	text_clean(clean, sizeof(clean), b->metric);
	strbuf_printf(out, "\n%s\n", clean);
	for (u32 v = 0; v <= c->nr_variants; v++) {
		strbuf_puts(out, " ");
		for (u32 a = 0; a < c->nr_axes; a++) {
			text_clean(clean, sizeof(clean),
				   v ? cells_value(c, v - 1, a) : c->axes[a].name);
			strbuf_puts(out, " ");
			put(out, clean, col.variant[a], true);
		}
		for (u32 i = 0; i < 6; i++) {
			/* Without a second seed there is no spread. */
			if (c->seeds < 2 && (i == 1 || i == 2 || i == 4 || i == 5))
				continue;
			strbuf_puts(out, "  ");
			put(out, v ? col.cell[v - 1][i] : heads[i], col.width[i], false);
		}
		strbuf_puts(out, "  ");
		if (v)
			strbuf_printf(out, "%5u", b->stats[v - 1].n);
		else
			strbuf_puts(out, "seeds");
		if (b->thread) {
			strbuf_puts(out, "  ");
			put(out, v ? col.cell[v - 1][6] : heads[6], col.width[6], false);
		}
		strbuf_puts(out, "\n");
	}
	for (u32 v = 0; b->thread && v < c->nr_variants; v++) {
		if (!new_source(b, v))
			continue;
		text_clean(clean, sizeof(clean), b->thread[v].source);
		strbuf_printf(out, "  thread: %s\n", clean);
	}
	free(col.cell);
}

void table_text(const struct table *t, const struct cells *c, struct strbuf *b)
{
	for (u32 i = 0; i < t->nr; i++)
		block_text(&t->v[i], c, b);
	if (!t->nr)
		strbuf_puts(b, "\nNo metric differs.\n");
	else if (t->nr_same)
		strbuf_printf(
			b,
			"\n%u more of the usual metrics are the same in every variant; --metrics "
			"shows others.\n",
			t->nr_same);
}

/* ---- JSON ---- */

/* In hundredths of a per cent, half away from zero. */
static s64 median_change(s64 median, s64 first)
{
	s128 num = ((s128)median - first) * 10000, den = first;

	if (den < 0) {
		num = -num;
		den = -den;
	}
	num = num < 0 ? -((-num + den / 2) / den) : (num + den / 2) / den;
	return num > INT64_MAX ? INT64_MAX : num < INT64_MIN ? INT64_MIN : (s64)num;
}

static void row_json(const struct block *b, const struct cells *c, u32 variant, struct jsonout *j)
{
	const struct stats *s = &b->stats[variant];
	u32 d = b->decimals + STATS_DECIMALS;
	s64 pct;

	jw_open(j, NULL, false);
	cells_vary(c, variant, j);
	jw_uint(j, "n", s->n);
	if (s->n) {
		jw_fixed(j, "mean", s->mean, d);
		jw_fixed(j, "median", s->median, d);
	} else {
		jw_null(j, "mean");
		jw_null(j, "median");
	}
	if (s->n > 1) {
		jw_fixed(j, "sd", (s64)s->sd, d);
		jw_fixed(j, "ci95_low", s->mean - (s64)s->half, d);
		jw_fixed(j, "ci95_high", s->mean + (s64)s->half, d);
	} else {
		jw_null(j, "sd");
		jw_null(j, "ci95_low");
		jw_null(j, "ci95_high");
	}
	if (stats_change(s, &b->stats[0], &pct)) {
		jw_fixed(j, "change_pct", pct, 2);
		jw_fixed(j, "ratio_pct", pct + 10000, 2);
	} else {
		jw_null(j, "change_pct");
		jw_null(j, "ratio_pct");
	}
	if (s->n && b->stats[0].n && b->stats[0].median)
		jw_fixed(j, "median_change_pct", median_change(s->median, b->stats[0].median), 2);
	else
		jw_null(j, "median_change_pct");
	if (b->thread && b->thread[variant].there && b->thread[variant].source)
		jw_text(j, "thread_source", b->thread[variant].source);
	if (b->thread && b->thread[variant].there)
		jw_fixed(j, b->thread[variant].change ? "thread_change_pct" : "thread",
			 b->thread[variant].v, b->thread[variant].decimals);
	jw_close(j);
}

void table_json(const struct table *t, const struct cells *c, struct jsonout *j)
{
	jw_open(j, "table", true);
	for (u32 i = 0; i < t->nr; i++) {
		const struct block *b = &t->v[i];

		jw_open(j, NULL, false);
		jw_text(j, "metric", b->metric);
		jw_open(j, "rows", true);
		for (u32 v = 0; v < c->nr_variants; v++)
			row_json(b, c, v, j);
		jw_close(j);
		jw_close(j);
	}
	jw_close(j);
}
