/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_domain.c - the sched domains of one CPU as load balancing sees them: a block per level with
 * its groups, their sums and class, and below them the newest passes that found an imbalance.
 *
 * Sums are those of update_sg_lb_stats() of kernel/sched/fair.c, Linux v6.12, computed anew from the
 * stored averages each time the screen is drawn: what a pass would see at this moment.
 */
#include <stdio.h>
#include <string.h>

#include "engine/policy/balance.h"
#include "engine/sched/core.h"
#include "engine/sched/domain.h"
#include "engine/sched/group.h"
#include "ui/fmt.h"
#include "ui/view.h"

struct domain_view {
	int page;
};

/* group_type in words: also said in the help. */
static const char *const class_names[] = {
	[GROUP_HAS_SPARE] = "has-spare",    [GROUP_FULLY_BUSY] = "fully-busy",
	[GROUP_MISFIT] = "misfit",	    [GROUP_SMT_BALANCE] = "smt-balance",
	[GROUP_ASYM_PACKING] = "asym-pack", [GROUP_IMBALANCED] = "imbalanced",
	[GROUP_OVERLOADED] = "overloaded",
};

static const char *class_name(u32 type)
{
	return type < ARRAY_SIZE(class_names) ? class_names[type] : "?";
}

static struct sg_stats group_sums(const struct sim *s, u32 sd, u32 sg)
{
	const struct sched_group *group = &s->sgroups[sg];
	const struct sched_group_capacity *c = &s->sgcs[group->sgc];
	const struct sched_domain *d = &s->domains[sd];
	struct sg_stats g = { .weight = group->weight,
			      .cores = group->cores,
			      .capacity = c->capacity };

	for_each_cpu_mask(i, sg_span(s, sg), s->g->mask_words)
	{
		const struct rq *rq = &s->rqs[i];
		const struct cfs_rq *root = root_cfs(s, i);

		g.load += root->avg.load_avg;
		g.util += sim_cpu_util(s, i);
		g.runnable += root->avg.runnable_avg;
		g.h_nr_running += root->h_nr_runnable;
		g.nr_running += rq->nr_running;
		g.idle_cpus += idle_cpu(s, i);
		if ((d->flags & SD_ASYM_CPUCAPACITY) && rq->misfit_task_load > g.misfit)
			g.misfit = rq->misfit_task_load;
	}
	g.type = group_classify(d->imbalance_pct, c->imbalance, &g);
	return g;
}

static void format_mask(const struct sim *s, const u64 *mask, char *buf, size_t size)
{
	cpumask_format(mask, s->g->mask_words, buf, size);
}

static u16 class_colour(u32 type)
{
	return type == GROUP_HAS_SPARE	  ? COL_GOOD
	       : type == GROUP_FULLY_BUSY ? COL_TEXT
	       : type == GROUP_OVERLOADED ? COL_ERROR
					  : COL_WARN;
}

static void draw_group(const struct ui *ui, const struct sim *s, struct canvas *c, int y, u32 sd,
		       u32 sg)
{
	struct sg_stats g = group_sums(s, sd, sg);
	bool own = cpumask_test(sg_span(s, sg), ui->cpu);
	char cpus[64], util[FMT_LEN];
	const struct style dim = STYLE(COL_DIM, COL_DEFAULT, 0);

	format_mask(s, sg_span(s, sg), cpus, sizeof(cpus));
	canvas_put(c, 1, y, STYLE(COL_ACCENT, COL_DEFAULT, 0), own ? ui->g->right : ' ');
	canvas_field(c, 3, y, 14, ALIGN_LEFT, STYLE(own ? COL_TEXT : COL_DIM, COL_DEFAULT, 0), cpus,
		     ui->g->more);
	canvas_field(c, 18, y, 11, ALIGN_LEFT, STYLE(class_colour(g.type), COL_DEFAULT, 0),
		     class_name(g.type), ui->g->more);
	canvas_printf(c, 30, y, dim, "%4u tasks %3u idle  util %4s of %-6llu load %llu",
		      g.nr_running, g.idle_cpus, fmt_pct(util, sizeof(util), g.util, g.capacity),
		      (unsigned long long)g.capacity, (unsigned long long)g.load);
}

static u32 nr_groups(const struct sim *s, u32 sd)
{
	u32 n = 0;

	for_each_group(s, sd, sg) n++;
	return n;
}

static void draw_level(const struct sim *s, struct canvas *c, int y, u32 sd)
{
	const struct sched_domain *d = &s->domains[sd];
	u64 jiffies = sim_jiffies(s), hz = s->g->tun.hz;
	u64 ago = jiffies > d->last_balance ? (jiffies - d->last_balance) * 1000 / hz : 0;
	char cpus[64], cost[FMT_LEN];
	int x = 0;

	format_mask(s, sd_span(s, sd), cpus, sizeof(cpus));
	x += canvas_printf(c, x, y, STYLE(COL_ACCENT, COL_DEFAULT, ATTR_BOLD), "%-5s",
			   sd_kind_names[d->kind]);
	x += canvas_printf(c, x, y, STYLE(COL_TEXT, COL_DEFAULT, 0), "%s  %u groups", cpus,
			   nr_groups(s, sd));
	canvas_printf(c, x, y, STYLE(COL_DIM, COL_DEFAULT, 0),
		      "  every %u ms, x%u busy  last %llu ms ago  %u failed  %u%%  newidle %s",
		      d->balance_interval, d->busy_factor, (unsigned long long)ago,
		      d->nr_balance_failed, d->imbalance_pct,
		      fmt_ns(cost, sizeof(cost), d->max_newidle_lb_cost));
}

/* Newest first; returns the rows used. */
static int draw_passes(const struct ui *ui, const struct sim *s, struct canvas *c, int y, int rows)
{
	const struct style head = STYLE(COL_DIM, COL_DEFAULT, ATTR_UNDERLINE);
	u64 n = trace_count(&s->trace), looked = 0;
	int used = 1;

	if (rows < 2)
		return 0;
	canvas_text(c, 0, y, head, "newest passes that found an imbalance, of every CPU");
	for (u64 i = n; i > 0 && used < rows && looked < 65536; i--, looked++) {
		const struct trace_rec *r = trace_at(&s->trace, i - 1);
		char at[FMT_LEN];

		if (!r || r->type != TR_load_balance)
			continue;
		u32 moved = (u32)(r->a >> 32), src = (u32)r->a;

		canvas_printf(c, 1, y + used, STYLE(COL_DIM, COL_DEFAULT, 0), "%10s",
			      fmt_clock(at, sizeof(at), r->time, 4));
		canvas_printf(c, 13, y + used,
			      STYLE(r->cpu == ui->cpu || src == ui->cpu ? COL_TEXT : COL_DIM,
				    COL_DEFAULT, 0),
			      "CPU %u from CPU %u: %u moved, imbalance %u, %s", r->cpu, src, moved,
			      (u32)r->b, class_name((u32)(r->b >> 32)));
		used++;
	}
	if (used == 1)
		canvas_text(c, 1, y + used++, STYLE(COL_DIM, COL_DEFAULT, 0), "none yet");
	return used;
}

/* Behind the first line: whose CPU it is, where that is not everybody's. */
static void draw_partition(const struct sim *s, struct canvas *c, int x, int y, cpu_id cpu)
{
	u32 part = s->cpu_sd[cpu].partition;

	if (part == ROOT_TG)
		return;
	x += canvas_text(c, x, y, STYLE(COL_DIM, COL_DEFAULT, 0), "  partition ");
	canvas_text(c, x, y, STYLE(s->cpu_sd[cpu].isolated ? COL_WARN : COL_ACCENT, COL_DEFAULT, 0),
		    s->texts[s->groups[part].name].s);
}

static void domain_draw(struct ui *ui, const struct sim *s, void *state, struct canvas *c)
{
	struct domain_view *v = state;
	cpu_id cpu = ui->cpu < s->g->nr_cpus ? ui->cpu : 0;
	const struct rq *rq = &s->rqs[cpu];
	u32 levels = 0, groups = 0;
	int y = 0;

	v->page = 8;
	for_each_domain(s, cpu, sd)
	{
		levels++;
		groups += nr_groups(s, sd);
	}
	int x = canvas_printf(c, 0, y, STYLE(COL_TEXT, COL_DEFAULT, 0),
			      "CPU %u  node %u  capacity %u of %u  %u tasks  %s", cpu,
			      s->topo[cpu].node, rq->cpu_capacity, rq->cpu_capacity_orig,
			      rq->nr_running,
			      rq->mode == CPU_OFFLINE ? "offline"
			      : idle_cpu(s, cpu)      ? "idle"
						      : "busy");
	draw_partition(s, c, x, y++, cpu);
	if (!levels) {
		canvas_text(c, 0, y, STYLE(COL_DIM, COL_DEFAULT, 0),
			    s->cpu_sd[cpu].isolated
				    ? "no domain: the CPU is isolated from load balancing"
				    : "no domain: there is nobody to balance with");
		return;
	}

	/* Groups share what levels, the first line and six lines of passes leave. */
	int room = c->h - 1 - (int)levels - 6;
	int each = room > (int)groups	    ? (int)groups
		   : room / (int)levels < 2 ? 2
					    : room / (int)levels;

	for_each_domain(s, cpu, sd)
	{
		int shown = 0, n = (int)nr_groups(s, sd);

		draw_level(s, c, y++, sd);
		for_each_group(s, sd, sg)
		{
			if (shown == each - 1 && n > each) {
				canvas_printf(c, 3, y++, STYLE(COL_DIM, COL_DEFAULT, 0),
					      "and %d more groups", n - shown);
				break;
			}
			draw_group(ui, s, c, y++, sd, sg);
			shown++;
		}
	}
	draw_passes(ui, s, c, y, c->h - y);
}

static void domain_subtitle(const struct ui *ui, const struct sim *s, const void *state, char *buf,
			    size_t size)
{
	(void)state;
	(void)s;
	snprintf(buf, size, "of CPU %u", ui->cpu);
}

static int domain_command(struct ui *ui, const struct sim *s, void *state, int argc, char **argv,
			  struct err *err)
{
	struct domain_view *v = state;

	if (!strcmp(argv[0], "cursor")) {
		int at = ui_scroll(argc > 1 ? argv[1] : "", (int)ui->cpu, v->page,
				   (int)s->g->nr_cpus, err);

		if (at < 0)
			return -1;
		ui->cpu = (cpu_id)at;
		ui->of_task = false;
		return 1;
	}
	if (!strcmp(argv[0], "open")) {
		ui->of_task = false;
		ui_show(ui, VIEW_curves);
		return 1;
	}
	return 0;
}

const struct view_ops view_domains = {
	.name = "domains",
	.title = "domains",
	.help = "The sched domains of the selected CPU, lowest first: SMT (threads of a core), CLS "
		"(cluster), MC (last-level cache), PKG (package), NUMA (nodes). A line says how often it is "
		"balanced, passes that failed in a row, imbalance_pct (117%: a group must be 17 % busier), and "
		"what a newly idle pass over it took at most. Below it its groups, the CPU's own marked, with the class that "
		"balancing compares first: has-spare, fully-busy, misfit (a task too big for its CPU), "
		"smt-balance, asym-pack, imbalanced (pinned tasks were in the way), overloaded. Then the "
		"newest passes that found something. Arrows select another CPU.",
	.min_w = 40,
	.min_h = 6,
	.state_size = sizeof(struct domain_view),
	.subtitle = domain_subtitle,
	.draw = domain_draw,
	.command = domain_command,
};
