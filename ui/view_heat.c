/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_heat.c - one row per CPU, time to the right, newest last: where the machine is busy.
 *
 * CPUs stand in topology order, with brackets around nodes and clusters and around the threads of a
 * core. When there are more CPUs than rows, two share a row (upper and lower half block), else a
 * row is a core, a cluster, a cache or a node. A cell's height or density says what its colour
 * says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "ui/fmt.h"
#include "ui/utf8.h"
#include "ui/view.h"

enum heat_mode { HEAT_UTIL, HEAT_RUNNING, HEAT_QUEUE, HEAT_FREQ, HEAT_OTHER, NR_HEAT_MODES };

static const struct {
	const char *name, *title;
	enum series_chan chan;
} modes[NR_HEAT_MODES] = {
	{ "util", "util_avg, % of the CPU", SC_UTIL },
	{ "running", "time running, %", SC_RUNNING },
	{ "queue", "nr_running, tasks", SC_NR },
	{ "freq", "frequency, % of the top", SC_FREQ },
	{ "other", "util of real-time, deadline, interrupts, %", SC_OTHER },
};

/* What a row of the map stands for: one CPU, two above each other, a core, or a number of CPUs. */
enum fold { FOLD_CPU, FOLD_HALF, FOLD_CORE, FOLD_CHUNK };

#define QUEUE_FULL 4 /* tasks on a CPU that make a cell full */

struct heat_view {
	enum heat_mode mode;
	int top; /* first row shown */
	int page; /* rows on screen, as last drawn */
	u32 per_row; /* most CPUs in a row, as last drawn; two above each other count as one */
};

struct heat_row {
	u32 first, n; /* in topology order */
};

/* Everything about one drawing. */
struct heat {
	const struct sim *s;
	struct ui *ui;
	const struct heat_view *v;
	cpu_id order[MACHINE_MAX_CPUS];
	struct heat_row row[MACHINE_MAX_CPUS];
	u32 cluster_cpus[MACHINE_MAX_CPUS]; /* by cluster */
	bool nested; /* a node with several clusters: one more bracket */
	int nrow;
	enum fold fold;
	u32 chunk; /* CPUs per row with FOLD_CHUNK */
	int across; /* what a row may reach over the edge of: 0 nothing, 1 clusters, 2 nodes too */
	int x_label, x_num, x_cells, cells, x_val; /* columns */
	struct series_span col[CANVAS_MAX_W]; /* time of each cell */
	struct series_span last; /* the newest that is known */
};

static u64 topo_key(const struct sim *s, cpu_id cpu)
{
	const struct cpu_topo *t = &s->topo[cpu];

	/* Node, cluster, core, thread; the id last makes it a total order. */
	return (u64)t->node << 52 | (u64)t->cluster << 38 | (u64)t->core << 22 |
	       (u64)t->thread << 13 | cpu;
}

static int key_cmp(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void order_cpus(struct heat *h)
{
	u32 n = h->s->g->nr_cpus;
	u64 key[MACHINE_MAX_CPUS];

	n = n > MACHINE_MAX_CPUS ? MACHINE_MAX_CPUS : n;
	for (u32 i = 0; i < n; i++)
		key[i] = topo_key(h->s, i);
	qsort(key, n, sizeof(key[0]), key_cmp);
	for (u32 i = 0; i < n; i++)
		h->order[i] = (cpu_id)(key[i] & (MACHINE_MAX_CPUS * 2 - 1));
}

/*
 * Cluster of a CPU as far as it says something: where every core is its own "cluster", as on most
 * servers, there is none.
 */
static u32 cluster_of(const struct heat *h, cpu_id cpu)
{
	const struct cpu_topo *t = &h->s->topo[cpu];
	u32 n = t->cluster < MACHINE_MAX_CPUS ? h->cluster_cpus[t->cluster] : 0;

	return n > t->smt_threads ? t->cluster : NONE;
}

static void find_clusters(struct heat *h)
{
	for (u32 i = 0; i < h->s->g->nr_cpus && i < MACHINE_MAX_CPUS; i++)
		if (h->s->topo[i].cluster < MACHINE_MAX_CPUS)
			h->cluster_cpus[h->s->topo[i].cluster]++;
	for (u32 i = 1; i < h->s->g->nr_cpus && i < MACHINE_MAX_CPUS; i++) {
		cpu_id a = h->order[i - 1], b = h->order[i];

		if (h->s->g->nr_nodes > 1 && h->s->topo[a].node == h->s->topo[b].node &&
		    cluster_of(h, a) != cluster_of(h, b))
			h->nested = true;
	}
}

static bool same_row(const struct heat *h, u32 first, u32 i)
{
	const struct cpu_topo *a = &h->s->topo[h->order[first]], *b = &h->s->topo[h->order[i]];

	/* No row reaches over the edge of a node or a cluster if there is room. */
	if ((a->node != b->node && h->across < 2) || a->type != b->type ||
	    (!h->across && cluster_of(h, h->order[first]) != cluster_of(h, h->order[i])))
		return false;
	if (h->fold == FOLD_CORE)
		return a->core == b->core;
	return h->fold != FOLD_CPU && i - first < (h->fold == FOLD_HALF ? 2 : h->chunk);
}

static int make_rows(struct heat *h, enum fold fold, u32 chunk)
{
	h->nrow = 0;
	h->fold = fold;
	h->chunk = chunk;
	for (u32 i = 0; i < h->s->g->nr_cpus && i < MACHINE_MAX_CPUS; i++) {
		struct heat_row *r = &h->row[h->nrow - (h->nrow > 0)];

		if (h->nrow && same_row(h, r->first, i))
			r->n++;
		else
			h->row[h->nrow++] = (struct heat_row){ i, 1 };
	}
	return h->nrow;
}

/* The finest rows that fit; if none does, single CPUs that scroll. */
static void fold_rows(struct heat *h, int rows)
{
	bool half = h->ui->g->half && h->ui->pal.depth != DEPTH_MONO;
	bool smt = h->s->machine->nr_cores < h->s->g->nr_cpus;

	if (make_rows(h, FOLD_CPU, 1) <= rows)
		return;
	if (half && make_rows(h, FOLD_HALF, 2) <= rows)
		return;
	if (smt && make_rows(h, FOLD_CORE, 1) <= rows)
		return;
	for (h->across = 0; h->across <= 2; h->across++) {
		for (u32 chunk = 2; chunk <= MACHINE_MAX_CPUS; chunk *= 2)
			if (make_rows(h, FOLD_CHUNK, chunk) <= rows)
				return;
	}
	h->across = 0;
	make_rows(h, FOLD_CPU, 1);
}

/* Value of a CPU in a span of time, of 1024; false where nothing is known. */
static bool cpu_value(const struct heat *h, cpu_id cpu, const struct series_span *span, u32 *out)
{
	u32 cap = h->s->rqs[cpu].cpu_capacity_orig;
	struct series_sum sum;

	if (!series_cpu_at(h->ui->series, cpu, modes[h->v->mode].chan, span, &sum))
		return false;
	cap = cap ? cap : 1024;
	switch (h->v->mode) {
	case HEAT_UTIL:
	case HEAT_FREQ:
	case HEAT_OTHER:
		*out = sum.mean * 1024 / cap;
		break;
	case HEAT_QUEUE:
		/* The longest queue of the span: a burst must not vanish in a mean. */
		*out = sum.max * 1024 / QUEUE_FULL;
		break;
	case HEAT_RUNNING:
	default:
		*out = sum.mean;
		break;
	}
	*out = *out > 1024 ? 1024 : *out;
	return true;
}

static bool row_value(const struct heat *h, const struct heat_row *r,
		      const struct series_span *span, u32 *out)
{
	u64 sum = 0;
	u32 n = 0, v;

	for (u32 i = 0; i < r->n; i++) {
		if (cpu_value(h, h->order[r->first + i], span, &v)) {
			sum += v;
			n++;
		}
	}
	if (n)
		*out = (u32)((sum + n / 2) / n);
	return n > 0;
}

static void draw_cell(const struct heat *h, struct canvas *c, int x, int y,
		      const struct heat_row *r, const struct series_span *span)
{
	const struct glyphs *g = h->ui->g;
	u32 v, low;

	if (h->fold == FOLD_HALF && r->n == 2) {
		struct heat_row a = { r->first, 1 }, b = { r->first + 1, 1 };

		if (row_value(h, &a, span, &v) && row_value(h, &b, span, &low))
			canvas_put(c, x, y,
				   STYLE(colour_heat(v & ~63u, 1024), colour_heat(low & ~63u, 1024),
					 0),
				   g->half);
		return;
	}
	if (!row_value(h, r, span, &v))
		return;
	/* One colour per height: finer ones cannot be told apart and cost most of the bytes. */
	low = (u32)glyph_level(v, 1024, 8);
	canvas_put(c, x, y, STYLE(colour_heat(low * 128, 1024), COL_HEAT_BG, 0), g->bar[low]);
}

/* What time the columns stand for: the same for all rows, so looked up once. */
static void find_columns(struct heat *h)
{
	u64 col = h->ui->window / (u64)h->cells, end;

	col = col ? col : 1;
	/* Whole columns: a cell keeps its value while it moves to the left. */
	end = (h->s->g->now / col + 1) * col;
	for (int i = 0; i < h->cells; i++) {
		u64 back = col * (u64)(h->cells - i);

		if (end >= back)
			h->col[i] = series_find(h->ui->series, end - back, end - back + col);
		else
			h->col[i].none = true;
	}
	h->last = series_find(h->ui->series, h->ui->series->last, h->ui->series->last + 1);
}

static void draw_cells(const struct heat *h, struct canvas *c, const struct heat_row *r, int y)
{
	for (int i = 0; i < h->cells; i++)
		draw_cell(h, c, h->x_cells + i, y, r, &h->col[i]);
}

static const char *type_name(const struct sim *s, cpu_id cpu)
{
	return s->machine->core_types[s->topo[cpu].type].name;
}

/* Outer group of a row: the node where there are several, else the cluster. */
static u64 outer(const struct heat *h, int row)
{
	cpu_id cpu = h->order[h->row[row].first];
	const struct cpu_topo *t = &h->s->topo[cpu];

	return h->s->g->nr_nodes > 1 ? t->node : (u64)cluster_of(h, cpu) << 16 | t->type;
}

static u64 inner(const struct heat *h, int row)
{
	cpu_id cpu = h->order[h->row[row].first];
	const struct cpu_topo *t = &h->s->topo[cpu];

	return (u64)t->node << 48 | ((u64)cluster_of(h, cpu) & 0xffffff) << 24 | t->type;
}

static u64 core_of(const struct heat *h, int row)
{
	return h->s->topo[h->order[h->row[row].first]].core;
}

/* Glyph of a bracket at @row, from whether the rows above and below are in the same group. */
static u32 bracket(const struct glyphs *g, bool up, bool down)
{
	if (up)
		return down ? g->b_mid : g->b_bot;
	return down ? g->b_top : g->b_one;
}

static u32 group_bracket(const struct heat *h, u64 (*group)(const struct heat *, int), int row)
{
	bool up = row > 0 && group(h, row - 1) == group(h, row);
	bool down = row + 1 < h->nrow && group(h, row + 1) == group(h, row);

	return bracket(h->ui->g, up, down);
}

static int rows_into_group(const struct heat *h, int row, int top)
{
	int n = 0;

	while (row > top && outer(h, row - 1) == outer(h, row)) {
		row--;
		n++;
	}
	return n;
}

/* Name of the group in its first row on screen, what is known of it in the next ones. */
static void draw_label(const struct heat *h, struct canvas *c, int row, int top, int y)
{
	int k = rows_into_group(h, row, top), w = h->x_num - h->x_label - 1;
	cpu_id cpu = h->order[h->row[row].first];
	char buf[48] = "";

	if (w <= 2)
		return;
	if (h->s->g->nr_nodes > 1) {
		const struct heat_row *r = &h->row[row];
		u32 last = h->s->topo[h->order[r->first + r->n - 1]].node;

		if (k == 0 && last != h->s->topo[cpu].node)
			snprintf(buf, sizeof(buf), "nodes %u-%u", h->s->topo[cpu].node, last);
		else if (k == 0)
			snprintf(buf, sizeof(buf), "node %u", h->s->topo[cpu].node);
		else if (k == 1)
			snprintf(buf, sizeof(buf), "%s", type_name(h->s, cpu));
	} else if (k == 0) {
		snprintf(buf, sizeof(buf), "%s", type_name(h->s, cpu));
	} else if (k == 1) {
		snprintf(buf, sizeof(buf), "cap %u", h->s->rqs[cpu].cpu_capacity_orig);
	}
	canvas_field(c, h->x_label, y, w, ALIGN_LEFT, STYLE(k ? COL_DIM : COL_TEXT, COL_DEFAULT, 0),
		     buf, h->ui->g->more);
}

static void row_name(const struct heat *h, const struct heat_row *r, char *buf, size_t size)
{
	cpu_id a = h->order[r->first], b = h->order[r->first + r->n - 1];

	if (r->n == 1)
		snprintf(buf, size, "%u", a);
	else
		snprintf(buf, size, "%u%s%u", a,
			 r->n == 2	     ? ","
			 : b - a == r->n - 1 ? "-"
					     : "..",
			 b);
}

/* Who runs, and its class if that is not the usual one. */
static void curr_text(const struct sim *s, task_id p, char *buf, size_t size)
{
	bool usual = p == NONE || s->tasks[p].policy == SCHED_NORMAL;

	snprintf(buf, size, "%s%s%s%s", sim_task_name(s, p), usual ? "" : " (",
		 usual ? "" : fmt_class(s->tasks[p].policy), usual ? "" : ")");
}

static void draw_right(const struct heat *h, struct canvas *c, const struct heat_row *r, int y)
{
	cpu_id cpu = h->order[r->first];
	struct style dim = STYLE(COL_DIM, COL_DEFAULT, 0);
	char num[FMT_LEN], buf[48];
	int x = h->x_val;
	u32 v = 0;

	if (x >= c->w)
		return;
	if (h->v->mode == HEAT_QUEUE) {
		u32 q = 0;

		for (u32 i = 0; i < r->n; i++)
			q += h->s->rqs[h->order[r->first + i]].nr_running;
		snprintf(buf, sizeof(buf), "%u", q);
	} else if (r->n == 1 && h->s->rqs[cpu].mode == CPU_OFFLINE) {
		snprintf(buf, sizeof(buf), "off");
	} else if (row_value(h, r, &h->last, &v)) {
		snprintf(buf, sizeof(buf), "%s", fmt_pct(num, sizeof(num), v, 1024));
	} else {
		buf[0] = '\0';
	}
	canvas_field(c, x, y, 5, ALIGN_RIGHT, STYLE(COL_TEXT, COL_DEFAULT, 0), buf, 0);
	if (c->w - x < 14)
		return;
	canvas_field(c, x + 6, y, 8, ALIGN_RIGHT, dim,
		     fmt_khz(num, sizeof(num), sim_cpu_khz(h->s, cpu)), 0);
	if (c->w - x < 24)
		return;
	/* Who runs there now. */
	if (h->s->rqs[cpu].mode == CPU_OFFLINE)
		snprintf(buf, sizeof(buf), "offline");
	else if (r->n > 1)
		buf[0] = '\0';
	else
		curr_text(h->s, h->s->rqs[cpu].curr, buf, sizeof(buf));
	canvas_field(c, x + 15, y, c->w - x - 16, ALIGN_LEFT,
		     h->s->rqs[cpu].curr == NONE ? dim : STYLE(COL_GOOD, COL_DEFAULT, 0), buf,
		     h->ui->g->more);
}

static bool holds_cpu(const struct heat *h, const struct heat_row *r, cpu_id cpu)
{
	for (u32 i = 0; i < r->n; i++)
		if (h->order[r->first + i] == cpu)
			return true;
	return false;
}

static void draw_row(const struct heat *h, struct canvas *c, int row, int top, int y)
{
	const struct heat_row *r = &h->row[row];
	struct style line = STYLE(COL_FAINT, COL_DEFAULT, 0), num = STYLE(COL_TEXT, COL_DEFAULT, 0);
	const struct sim *s = h->s;
	char name[24];
	int x = h->x_num - 1;

	draw_label(h, c, row, top, y);
	canvas_put(c, x++, y, line, group_bracket(h, outer, row));
	if (h->nested && !h->across)
		canvas_put(c, x++, y, line, group_bracket(h, inner, row));
	if (s->machine->nr_cores < s->g->nr_cpus && h->fold == FOLD_CPU)
		canvas_put(c, x++, y, line, group_bracket(h, core_of, row));
	if (holds_cpu(h, r, h->ui->cpu))
		num = STYLE(COL_SEL_FG, COL_SEL_BG, 0);
	row_name(h, r, name, sizeof(name));
	canvas_field(c, x, y, h->x_cells - 1 - x, ALIGN_RIGHT, num, name, h->ui->g->more);
	draw_cells(h, c, r, y);
	draw_right(h, c, r, y);
}

/* Columns: label, brackets, number, cells, value. */
static void place_columns(struct heat *h, const struct canvas *c)
{
	bool smt = h->s->machine->nr_cores < h->s->g->nr_cpus && h->fold == FOLD_CPU;
	int num_w = 2, right, label = 0;
	char name[24];

	for (int i = 0; i < h->nrow; i++) {
		int n;

		row_name(h, &h->row[i], name, sizeof(name));
		n = (int)strlen(name);
		num_w = n > num_w ? n : num_w;
	}
	if (c->w >= 50) {
		for (u32 i = 0; i < h->s->machine->nr_core_types; i++) {
			int n = utf8_cols(h->s->machine->core_types[i].name);

			label = n > label ? n : label;
		}
		label = label < 9 ? 9 : label > 12 ? 12 : label;
		if (h->across == 2)
			label = 11; /* "nodes 10-11" */
	}
	h->x_label = 1;
	h->x_num = 1 + label + 1;
	h->x_cells = h->x_num + num_w + (h->nested && !h->across ? 1 : 0) + (smt ? 1 : 0) + 1;
	right = c->w >= 110 ? 32 : c->w >= 40 ? 15 : c->w >= 28 ? 6 : 0;
	h->cells = c->w - h->x_cells - right - 1;
	if (h->cells < 1)
		h->cells = 1;
	h->x_val = right ? h->x_cells + h->cells : c->w;
}

static void draw_time_axis(const struct heat *h, struct canvas *c, int y)
{
	struct style dim = STYLE(COL_DIM, COL_DEFAULT, 0);
	char num[FMT_LEN], buf[48];
	u64 now = h->s->g->now, w = h->ui->window;
	int mid = h->x_cells + h->cells / 2;

	snprintf(buf, sizeof(buf), "-%s", fmt_axis(num, sizeof(num), w, w));
	canvas_text(c, h->x_cells, y, dim, buf);
	if (h->cells > 36) {
		snprintf(buf, sizeof(buf), "-%s", fmt_axis(num, sizeof(num), w / 2, w / 2));
		canvas_field(c, mid - 4, y, 8, ALIGN_CENTRE, dim, buf, 0);
	}
	if (h->cells > 12) {
		snprintf(buf, sizeof(buf), "now %ss",
			 fmt_clock(num, sizeof(num), now, w < NSEC_PER_SEC ? 3 : 2));
		canvas_field(c, h->x_cells + h->cells - 14, y, 14, ALIGN_RIGHT, dim, buf, 0);
	}
}

/* The scale, in the corner under the values. */
static void draw_scale(const struct heat *h, struct canvas *c, int y)
{
	int x = h->x_val + 2;

	if (c->w - x < 13)
		return;
	x += canvas_text(c, x, y, STYLE(COL_DIM, COL_DEFAULT, 0), "0");
	for (int i = 1; i <= 8; i++, x++)
		canvas_put(c, x, y, STYLE(colour_heat((u64)i * 128, 1024), COL_HEAT_BG, 0),
			   h->ui->g->bar[i]);
	canvas_text(c, x, y, STYLE(COL_DIM, COL_DEFAULT, 0),
		    h->v->mode == HEAT_QUEUE ? "4+" : "100%");
}

static int heat_want(struct ui *ui, const struct sim *s, void *state, int most)
{
	struct heat *h = calloc(1, sizeof(*h));
	int n;

	BUG_ON(!h);
	*h = (struct heat){ .s = s, .ui = ui, .v = state };
	order_cpus(h);
	find_clusters(h);
	fold_rows(h, most - 1);
	n = h->nrow + 1 < most ? h->nrow + 1 : most;
	free(h);
	return n;
}

static void heat_draw(struct ui *ui, const struct sim *s, void *state, struct canvas *c)
{
	struct heat_view *v = state;
	struct heat *h = calloc(1, sizeof(*h));
	int rows = c->h > 3 ? c->h - 1 : c->h, sel = 0;

	BUG_ON(!h);
	*h = (struct heat){ .s = s, .ui = ui, .v = v };
	order_cpus(h);
	find_clusters(h);
	fold_rows(h, rows);
	place_columns(h, c);
	find_columns(h);
	for (int i = 0; i < h->nrow; i++)
		if (holds_cpu(h, &h->row[i], ui->cpu))
			sel = i;
	v->page = rows;
	v->per_row = 1;
	for (int i = 0; i < h->nrow && h->fold != FOLD_HALF; i++)
		v->per_row = h->row[i].n > v->per_row ? h->row[i].n : v->per_row;
	v->top = v->top > h->nrow - rows ? h->nrow - rows : v->top;
	v->top = v->top > sel ? sel : v->top <= sel - rows ? sel - rows + 1 : v->top;
	v->top = v->top < 0 ? 0 : v->top;
	for (int y = 0; y < rows && v->top + y < h->nrow; y++)
		draw_row(h, c, v->top + y, v->top, y);
	if (rows < c->h) {
		int y = h->nrow < rows ? h->nrow : rows;

		draw_time_axis(h, c, y);
		draw_scale(h, c, y);
		if (h->nrow - v->top > rows)
			canvas_printf(c, h->x_label, y, STYLE(COL_ACCENT, COL_DEFAULT, 0),
				      "+%d more", h->nrow - v->top - rows);
	}
	free(h);
}

static void heat_subtitle(const struct ui *ui, const struct sim *s, const void *state, char *buf,
			  size_t size)
{
	const struct heat_view *v = state;

	(void)ui;
	(void)s;
	if (v->per_row > 1)
		snprintf(buf, size, "%s, mean of %u CPUs a row", modes[v->mode].title, v->per_row);
	else
		snprintf(buf, size, "%s", modes[v->mode].title);
}

/* CPUs in the order of the rows: the cursor walks down the screen, not up the numbers. */
static int move_cursor(struct ui *ui, const struct sim *s, const struct heat_view *v,
		       const char *how, struct err *err)
{
	struct heat *h = calloc(1, sizeof(*h));
	int n = (int)s->g->nr_cpus, at = 0;

	BUG_ON(!h);
	*h = (struct heat){ .s = s, .ui = ui, .v = v };
	order_cpus(h);
	for (int i = 0; i < n; i++)
		if (h->order[i] == ui->cpu)
			at = i;
	at = ui_scroll(how, at, v->page, n, err);
	if (at >= 0)
		ui->cpu = h->order[at];
	free(h);
	return at < 0 ? -1 : 1;
}

static int heat_command(struct ui *ui, const struct sim *s, void *state, int argc, char **argv,
			struct err *err)
{
	struct heat_view *v = state;
	const char *arg = argc > 1 ? argv[1] : "";
	int rc;

	if (!strcmp(argv[0], "cursor")) {
		rc = move_cursor(ui, s, v, arg, err);
		if (rc > 0)
			ui->of_task = false;
		return rc;
	}
	if (!strcmp(argv[0], "open")) {
		ui->of_task = false;
		if (ui->single >= 0)
			ui_show(ui, VIEW_curves);
		else
			layout_focus(&ui->layout, VIEW_curves);
		return 1;
	}
	if (strcmp(argv[0], "heat") != 0)
		return 0;
	if (!strcmp(arg, "next")) {
		v->mode = (v->mode + 1) % NR_HEAT_MODES;
		return 1;
	}
	for (int i = 0; i < NR_HEAT_MODES; i++) {
		if (!strcmp(arg, modes[i].name)) {
			v->mode = (enum heat_mode)i;
			return 1;
		}
	}
	return err_set(err, ERR_USAGE,
		       "heat: '%.40s' is not next, util, running, queue, freq or other", arg);
}

const struct view_ops view_heat = {
	.name = "heat",
	.title = "CPUs",
	.help = "One row per CPU, time goes to the right, the newest is last. Brackets hold together "
		"what is one node, cluster or core. The higher and redder a cell, the busier. "
		"v changes what is shown: util_avg, time running, tasks queued, frequency. "
		"On the right: the value now, the frequency, and who runs there.",
	.min_w = 20,
	.min_h = 4,
	.state_size = sizeof(struct heat_view),
	.subtitle = heat_subtitle,
	.want = heat_want,
	.draw = heat_draw,
	.command = heat_command,
};
