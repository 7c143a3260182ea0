/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_energy.c - frequency domains: where each stands among its operating points, how long it has
 * been at which, what it draws and has drawn; and the tasks that cost most.
 *
 * Power is that of the machine's operating points and idle states; where a machine file does not
 * know it, frequencies are shown alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/access.h"
#include "engine/base/cpumask.h"
#include "engine/sched/exec.h"
#include "ui/fmt.h"
#include "ui/view.h"
#include "ui/xalloc.h"

#define TASK_ROWS 5

struct energy_view {
	int top, page; /* first domain shown */
};

static u64 microjoule(u128 uw_ns)
{
	return (u64)((uw_ns + NSEC_PER_SEC / 2) / NSEC_PER_SEC);
}

static const char *fmt_energy(char *buf, size_t size, u64 uj)
{
	if (uj < 10000)
		snprintf(buf, size, "%lluuJ", (unsigned long long)uj);
	else if (uj < 10000000)
		snprintf(buf, size, "%llu.%llumJ", (unsigned long long)(uj / 1000),
			 (unsigned long long)(uj % 1000 / 100));
	else
		snprintf(buf, size, "%llu.%lluJ", (unsigned long long)(uj / 1000000),
			 (unsigned long long)(uj % 1000000 / 100000));
	return buf;
}

static const char *fmt_power(char *buf, size_t size, u64 uw)
{
	if (uw < 10000)
		snprintf(buf, size, "%lluuW", (unsigned long long)uw);
	else
		snprintf(buf, size, "%llumW", (unsigned long long)(uw / 1000));
	return buf;
}

/* Rows a domain would take: its line, and one for each operating point ever used. */
static int domain_rows(const struct sim *s, u32 fd)
{
	int n = 1;

	for (u32 i = 0; i < s->fds[fd].nr_opps; i++)
		n += i == s->fds[fd].cur || sim_fd_residency_now(s, fd, i) != 0;
	return n;
}

static void draw_bar(const struct ui *ui, struct canvas *c, int x, int y, int w, u64 v, u64 max,
		     u16 fg)
{
	int eighths = max ? (int)((u128)v * (u64)w * 8 / max) : 0;

	for (int i = 0; i < w && eighths > 0; i++, eighths -= 8) {
		/* The glyphs are bars of different heights: whole cells, then a last one by height. */
		int level = eighths >= 8 ? 8 : eighths;

		canvas_put(c, x + i, y, STYLE(fg, COL_HEAT_BG, 0), ui->g->bar[level]);
	}
}

/* The @rows operating points used most, the one in use among them; a bit per point. */
static u64 choose_opps(const struct sim *s, u32 fd, int rows)
{
	const struct freq_domain *d = &s->fds[fd];
	u64 shown = rows > 0 && d->cur < 64 ? 1ull << d->cur : 0;

	for (int n = 1; n < rows; n++) {
		u64 most = 0;
		u32 best = NONE;

		for (u32 i = 0; i < d->nr_opps && i < 64; i++) {
			u64 ns = sim_fd_residency_now(s, fd, i);

			if (!(shown >> i & 1) && ns > most) {
				most = ns;
				best = i;
			}
		}
		if (best == NONE)
			break;
		shown |= 1ull << best;
	}
	return shown;
}

static int draw_opps(const struct ui *ui, const struct sim *s, struct canvas *c, int y, int rows,
		     u32 fd)
{
	const struct freq_domain *d = &s->fds[fd];
	bool known = s->machine->has_energy_model;
	u64 shown = choose_opps(s, fd, rows);
	int used = 0, bar_x = known ? 40 : 26, bar_w = c->w - bar_x - 7;

	for (u32 i = d->nr_opps < 64 ? d->nr_opps : 64; i-- > 0;) {
		const struct opp *o = &s->opps[d->first_opp + i];
		u64 ns = sim_fd_residency_now(s, fd, i);
		u16 fg = i == d->cur ? COL_TEXT : COL_DIM;
		char khz[FMT_LEN], pct[FMT_LEN], uw[FMT_LEN];

		if (!(shown >> i & 1))
			continue;
		canvas_put(c, 2, y, STYLE(COL_ACCENT, COL_DEFAULT, 0),
			   i == d->cur ? ui->g->right : ' ');
		canvas_printf(c, 4, y, STYLE(fg, COL_DEFAULT, 0), "%8s  cap %4u",
			      fmt_khz(khz, sizeof(khz), o->khz), o->capacity);
		if (known)
			canvas_printf(c, 24, y, STYLE(COL_DIM, COL_DEFAULT, 0), "%8s/CPU",
				      fmt_power(uw, sizeof(uw), o->power_uw));
		if (bar_w > 4)
			draw_bar(ui, c, bar_x, y, bar_w, ns, s->g->now,
				 colour_heat((u64)(i + 1) * 1024 / d->nr_opps, 1024));
		canvas_field(c, c->w - 6, y, 5, ALIGN_RIGHT, STYLE(fg, COL_DEFAULT, 0),
			     fmt_pct(pct, sizeof(pct), ns, s->g->now), 0);
		y++;
		used++;
	}
	return used;
}

static void draw_domain(const struct sim *s, struct canvas *c, int y, u32 fd, u64 total)
{
	const struct freq_domain *d = &s->fds[fd];
	char cpus[48], khz[FMT_LEN], max[FMT_LEN], uw[FMT_LEN], uj[FMT_LEN], pct[FMT_LEN];
	u64 power = 0, energy = microjoule(sim_domain_energy_now(s, fd));
	u32 off = 0;
	int x = 0;

	cpumask_format(mask_get(s, d->cpus), s->g->mask_words, cpus, sizeof(cpus));
	for (cpu_id cpu = 0; cpu < s->g->nr_cpus; cpu++)
		if (s->topo[cpu].fd == fd) {
			power += cpu_power_uw(s, &s->rqs[cpu]);
			off += s->rqs[cpu].mode == CPU_OFFLINE;
		}
	x += canvas_printf(c, x, y, STYLE(COL_ACCENT, COL_DEFAULT, ATTR_BOLD), "CPUs %s", cpus);
	if (off)
		x += canvas_printf(c, x, y, STYLE(COL_WARN, COL_DEFAULT, 0), " (%u off)", off);
	x += canvas_printf(c, x, y, STYLE(COL_TEXT, COL_DEFAULT, 0), "  %s",
			   fmt_khz(khz, sizeof(khz), d->cur_khz));
	x += canvas_printf(c, x, y, STYLE(COL_DIM, COL_DEFAULT, 0),
			   " of at most %s%s  %llu changes", fmt_khz(max, sizeof(max), d->max_khz),
			   d->max_khz < d->ref_khz ? " (capped)" : "",
			   (unsigned long long)d->transitions);
	if (s->machine->has_energy_model)
		canvas_printf(c, x, y, STYLE(COL_DIM, COL_DEFAULT, 0), "  %s  %s, %s",
			      fmt_power(uw, sizeof(uw), power), fmt_energy(uj, sizeof(uj), energy),
			      fmt_pct(pct, sizeof(pct), energy, total));
}

struct cost {
	task_id id;
	u64 uj;
};

static int cost_cmp(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	if (x->uj != y->uj)
		return x->uj < y->uj ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* The tasks alive that cost most. */
static void draw_tasks(const struct ui *ui, const struct sim *s, struct canvas *c, int y, int rows,
		       u64 total)
{
	struct cost *cost = xcalloc(arena_live(&s->arena, POOL_TASK) + 1, sizeof(*cost));
	int n = 0;

	for_each_live(p, &s->arena, POOL_TASK)
	{
		struct task_stats st;

		if (s->tasks[p].flags & PF_KTHREAD)
			continue;
		st = sim_task_stats_now(s, p);
		cost[n++] = (struct cost){ p, microjoule((u128)st.energy_hi << 64 | st.energy_lo) };
	}
	qsort(cost, (size_t)n, sizeof(*cost), cost_cmp);
	canvas_text(c, 0, y++, STYLE(COL_DIM, COL_DEFAULT, ATTR_UNDERLINE),
		    "tasks by the energy their CPU drew while they ran");
	for (int i = 0; i < n && i < rows - 1; i++, y++) {
		char uj[FMT_LEN], pct[FMT_LEN];

		canvas_field(c, 4, y, 18, ALIGN_LEFT, STYLE(COL_TEXT, COL_DEFAULT, 0),
			     sim_task_name(s, cost[i].id), ui->g->more);
		canvas_field(c, 24, y, 10, ALIGN_RIGHT, STYLE(COL_TEXT, COL_DEFAULT, 0),
			     fmt_energy(uj, sizeof(uj), cost[i].uj), 0);
		canvas_field(c, 35, y, 5, ALIGN_RIGHT, STYLE(COL_DIM, COL_DEFAULT, 0),
			     fmt_pct(pct, sizeof(pct), cost[i].uj, total), 0);
	}
	free(cost);
}

static void energy_draw(struct ui *ui, const struct sim *s, void *state, struct canvas *c)
{
	struct energy_view *v = state;
	bool known = s->machine->has_energy_model;
	int tasks = known && c->h > 12 ? TASK_ROWS + 1 : 0, rows = c->h - tasks, y = 0;
	u64 total = 0;

	v->page = 4;
	v->top = v->top >= (int)s->g->nr_fds ? (int)s->g->nr_fds - 1 : v->top;
	for (u32 fd = 0; fd < s->g->nr_fds; fd++)
		total += microjoule(sim_domain_energy_now(s, fd));
	for (u32 fd = (u32)v->top; fd < s->g->nr_fds && y < rows; fd++) {
		int left = (int)s->g->nr_fds - (int)fd, want = domain_rows(s, fd);
		int share = (rows - y) / left < 4 ? 4 : (rows - y) / left;

		draw_domain(s, c, y++, fd, total);
		/* The last one may have all that is left. */
		if (left > 1 && want > share)
			want = share;
		want = want - 1 > rows - y ? rows - y : want - 1;
		y += draw_opps(ui, s, c, y, want, fd);
	}
	if (tasks)
		draw_tasks(ui, s, c, y < rows ? y : rows, tasks, total);
}

static void energy_subtitle(const struct ui *ui, const struct sim *s, const void *state, char *buf,
			    size_t size)
{
	(void)ui;
	(void)state;
	snprintf(buf, size, "%s%s", s->g->overutilized ? "overutilised" : "",
		 s->machine->has_energy_model ? "" : "power of this machine is not known");
}

static int energy_command(struct ui *ui, const struct sim *s, void *state, int argc, char **argv,
			  struct err *err)
{
	struct energy_view *v = state;
	int at;

	(void)ui;
	if (strcmp(argv[0], "cursor") != 0)
		return 0;
	at = ui_scroll(argc > 1 ? argv[1] : "", v->top, v->page, (int)s->g->nr_fds, err);
	if (at < 0)
		return -1;
	v->top = at;
	return 1;
}

const struct view_ops view_energy = {
	.name = "energy",
	.title = "frequency and energy",
	.help = "A block per frequency domain: its CPUs, frequency now and the highest allowed, changes "
		"so far, power now, energy so far and its share of all. Below it the operating points "
		"used most, fastest first: capacity, power of a busy CPU, share of the time; the one "
		"in use is marked. Then the tasks by the energy their CPU drew while they ran. Arrows "
		"go to the next domain.",
	.min_w = 40,
	.min_h = 5,
	.state_size = sizeof(struct energy_view),
	.subtitle = energy_subtitle,
	.draw = energy_draw,
	.command = energy_command,
};
