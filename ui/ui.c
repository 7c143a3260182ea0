/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ui.c - see ui.h: puts header, panes, prompt and overlays together, and sends keys to the right
 * one of them. Keys go to the overlay, else to the prompt, else through the key map, whose commands
 * are given to the host like typed ones and come back as ui_command() where they concern the
 * screen.
 */
#include "ui/view.h"

#include <stdio.h>
#include <string.h>

#include "ui/fmt.h"
#include "ui/utf8.h"
#include "ui/xalloc.h"

#define MIN_W 20
#define MIN_H 5
#define WINDOW_MIN (10 * NSEC_PER_MSEC)
#define WINDOW_MAX (3600 * NSEC_PER_SEC)
#define WINDOW_AUTO NSEC_PER_SEC /* shown at real speed; else one real second */

static int complete_line(void *ctx, const char *line, int cursor, int *start,
			 char out[][LINE_CAND_LEN], int max)
{
	struct ui *ui = ctx;

	if (!ui->host.complete)
		return 0;
	return ui->host.complete(ui->host.ctx, line, cursor, start, &out[0][0], LINE_CAND_LEN, max);
}

struct ui *ui_new(const struct ui_host *host, const struct sim *s)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));

	ui->host = *host;
	ui->g = glyphs_get(GLYPHS_ASCII);
	palette_init(&ui->pal, "mono", 0, false);
	keymap_init(&ui->keys);
	line_init(&ui->line, complete_line, ui);
	overlay_init(&ui->over);
	layout_init(&ui->layout, VIEW_heat, 20, 4);
	layout_split(&ui->layout, VIEW_heat, SPLIT_ROWS, 500, VIEW_curves, 34, 7);
	layout_split(&ui->layout, VIEW_curves, SPLIT_COLS, 580, VIEW_tasks, 28, 4);
	ui->single = -1;
	ui->window = WINDOW_AUTO;
	ui->window_auto = true;
	for (int i = 0; i < NR_VIEWS; i++) {
		ui->state[i] = xcalloc(1, views[i]->state_size);
		if (views[i]->init)
			views[i]->init(ui->state[i]);
	}
	ui_attach(ui, s);
	return ui;
}

void ui_free(struct ui *ui)
{
	if (!ui)
		return;
	for (int i = 0; i < NR_VIEWS; i++)
		free(ui->state[i]);
	for (int i = 0; i < UI_LOG_LINES; i++)
		free(ui->log[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(ui->fact_text); i++)
		free(ui->fact_text[i]);
	overlay_close(&ui->over);
	line_fini(&ui->line);
	series_free(ui->series);
	free(ui);
}

void ui_attach(struct ui *ui, const struct sim *s)
{
	series_free(ui->series);
	ui->series = series_new(s->g->nr_cpus);
	if (ui->cpu >= s->g->nr_cpus)
		ui->cpu = 0;
	ui->serial = SERIES_NO_TASK;
	ui->task_name[0] = '\0';
	ui->of_task = ui->chosen = false;
	ui->sample_next = 0;
	ui_sample(ui, s);
}

void ui_looks(struct ui *ui, enum glyph_set set, const struct palette *p)
{
	ui->g = glyphs_get(set);
	ui->pal = *p;
}

const struct palette *ui_palette(const struct ui *ui)
{
	return &ui->pal;
}

/* 1, 2, 5, 10, ... times a millisecond: at least @ns. */
static ktime_ns window_round(ktime_ns ns)
{
	static const u64 mant[] = { 1, 2, 5 };

	for (u64 base = NSEC_PER_MSEC; base <= WINDOW_MAX; base *= 10)
		for (size_t i = 0; i < ARRAY_SIZE(mant); i++)
			if (base * mant[i] >= ns && base * mant[i] >= WINDOW_MIN)
				return base * mant[i];
	return WINDOW_MAX;
}

void ui_set_facts(struct ui *ui, const struct ui_facts *f)
{
	const char **text[] = { &ui->facts.scenario, &ui->facts.title, &ui->facts.about,
				&ui->facts.machine };

	ui->facts = *f;
	for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
		const char *now = *text[i] ? *text[i] : "";

		/* Compared, because this is called for every frame. */
		if (!ui->fact_text[i] || strcmp(ui->fact_text[i], now) != 0) {
			free(ui->fact_text[i]);
			ui->fact_text[i] = xstrdup(now);
		}
		*text[i] = ui->fact_text[i];
	}
	if (ui->window_auto) {
		u64 rate = f->ratio ? f->ratio : f->achieved;

		if (f->behind && f->achieved < rate)
			rate = f->achieved;
		rate = rate > 100000000 ? 100000000 : rate;
		/* Slow motion narrows the window, down to what a tick or two takes. */
		ui->window = rate ? window_round(WINDOW_AUTO / 10000 * rate) : WINDOW_AUTO;
		if (ui->window < 20 * NSEC_PER_MSEC)
			ui->window = 20 * NSEC_PER_MSEC;
	}
}

ktime_ns ui_sample_next(const struct ui *ui)
{
	return ui->sample_next;
}

/*
 * A sample per half dot column, but not more than some 800 in a real second, fewer where there are
 * many CPUs: flat out, looking must cost next to nothing of what running costs.
 */
static ktime_ns sample_period(const struct ui *ui)
{
	u64 rate = ui->facts.achieved > ui->facts.ratio ? ui->facts.achieved : ui->facts.ratio;
	u64 per_s = 32768 / (ui->series->nr_cpus + SERIES_TASKS);
	u64 want = ui->window / 512, least;
	u64 p = SERIES_BASE;

	per_s = per_s > 800 ? 800 : per_s < 30 ? 30 : per_s;
	least = rate * (NSEC_PER_SEC / 10000 / per_s);
	while (p < want / 2 || p < least)
		p *= 2;
	return p;
}

void ui_sample(struct ui *ui, const struct sim *s)
{
	ktime_ns p = sample_period(ui);

	series_sample(ui->series, s, ui->serial);
	ui->sample_next = (s->g->now / p + 1) * p;
}

int ui_focus(const struct ui *ui)
{
	return ui->single >= 0 ? ui->single : ui->layout.focus;
}

void ui_show(struct ui *ui, int view)
{
	if (view < 0 && ui->single >= 0)
		layout_focus(&ui->layout, ui->single);
	ui->single = view;
}

void ui_window(const struct ui *ui, const struct sim *s, u64 *t0, u64 *t1, u64 *shift)
{
	*shift = ui->window;
	*t0 = s->g->now;
	*t1 = s->g->now + ui->window;
}

void ui_emit(struct ui *ui, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	ui->host.command(ui->host.ctx, line);
}

void ui_log(struct ui *ui, enum ui_kind kind, const char *line)
{
	struct ui_log_line *l = &ui->log[ui->log_head++ % UI_LOG_LINES];
	size_t n = strlen(line) * 3 + 1;
	char *safe = xcalloc(n, 1);

	utf8_clean(safe, n, line, false, false);
	free(l->text);
	l->kind = kind;
	l->text = safe;
	if (kind != UI_INPUT) {
		snprintf(ui->msg, sizeof(ui->msg), "%.*s", UI_MSG_MAX - 1, safe);
		ui->msg_kind = kind;
		ui->msg_new = true;
	}
}

bool ui_take_redraw(struct ui *ui)
{
	bool r = ui->redraw;

	ui->redraw = false;
	return r;
}

/* ---- commands ------------------------------------------------------------------------------ */

static void prompt_open(struct ui *ui, const char *text)
{
	line_reset(&ui->line);
	line_set(&ui->line, text);
	ui->prompt = true;
	ui->prompt_stays = ui_focus(ui) == VIEW_console && !*text;
	ui->msg_new = false;
}

static int cmd_view(struct ui *ui, const char *name, struct err *err)
{
	int v = view_find(name);

	if (v < 0 && strcmp(name, "overview") != 0) {
		char known[160] = "overview";

		for (int i = 0; i < NR_VIEWS; i++) {
			size_t n = strlen(known);

			snprintf(known + n, sizeof(known) - n, "%s%s",
				 i + 1 < NR_VIEWS ? ", " : " and ", views[i]->name);
		}
		return err_set(err, ERR_USAGE, "view: there is no '%.40s'; there are %s", name,
			       known);
	}
	ui_show(ui, v);
	return 0;
}

static int cmd_focus(struct ui *ui, const char *to, struct err *err)
{
	static const char *const ways[] = { "up", "down", "left", "right" };

	if (!strcmp(to, "next") || !strcmp(to, "prev")) {
		int step = *to == 'n' ? 1 : -1;

		if (ui->single >= 0)
			ui->single = (ui->single + step + NR_VIEWS) % NR_VIEWS;
		else
			layout_cycle(&ui->layout, step);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (!strcmp(to, ways[i])) {
			if (ui->single < 0)
				layout_move(&ui->layout, (enum focus_dir)i);
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "focus: '%.40s' is not next, prev, up, down, left or right",
		       to);
}

/* A time such as 500ms; the engine's own parser belongs to the application. */
static bool parse_time(const char *s, u64 *ns)
{
	static const struct {
		const char *unit;
		u64 ns;
	} units[] = {
		{ "ns", 1 }, { "us", NSEC_PER_USEC }, { "ms", NSEC_PER_MSEC }, { "s", NSEC_PER_SEC }
	};
	u64 v = 0, div = 1;
	bool any = false, frac = false;

	for (; (*s >= '0' && *s <= '9') || (*s == '.' && !frac); s++) {
		if (*s == '.') {
			frac = true;
			continue;
		}
		if (v > UINT64_MAX / 100)
			return false;
		v = v * 10 + (u64)(*s - '0');
		div *= frac ? 10 : 1;
		any = true;
	}
	for (size_t i = 0; any && i < ARRAY_SIZE(units); i++) {
		if (!strcmp(s, units[i].unit)) {
			u128 t = (u128)v * units[i].ns / div;

			*ns = t > WINDOW_MAX ? WINDOW_MAX + 1 : (u64)t;
			return true;
		}
	}
	return false;
}

static int cmd_window(struct ui *ui, const char *arg, struct err *err)
{
	u64 ns = 0;

	if (!strcmp(arg, "auto")) {
		ui->window_auto = true;
		return 0;
	}
	if (!strcmp(arg, "shorter"))
		ns = ui->window > WINDOW_MIN ? window_round(ui->window * 2 / 5) : WINDOW_MIN;
	else if (!strcmp(arg, "longer"))
		ns = window_round(ui->window + 1);
	else if (!parse_time(arg, &ns) || ns < WINDOW_MIN || ns > WINDOW_MAX)
		return err_set(
			err, ERR_USAGE,
			"window: '%.40s' is not shorter, longer, auto or a time from 10ms to 3600s",
			arg);
	ui->window = ns;
	ui->window_auto = false;
	return 0;
}

static int to_view(struct ui *ui, const struct sim *s, int v, int argc, char **argv,
		   struct err *err)
{
	int rc = views[v]->command ? views[v]->command(ui, s, ui->state[v], argc, argv, err) : 0;

	if (rc == 0)
		return err_set(err, ERR_USAGE, "%.40s: the view '%s' has no use for it", argv[0],
			       views[v]->name);
	/* What was moved or opened is the user's choice from now on. */
	ui->chosen |= rc > 0 && strcmp(argv[0], "filter") != 0;
	return rc < 0 ? -1 : 0;
}

static const char *const own_commands[] = { "view",   "focus", "zoom",	 "window", "cursor", "open",
					    "filter", "menu",  "prompt", "help",   "redraw" };

bool ui_is_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_commands); i++)
		if (!strcmp(own_commands[i], name))
			return true;
	return view_find(name) >= 0;
}

int ui_command(struct ui *ui, const struct sim *s, int argc, char **argv, struct err *err)
{
	const char *name = argc > 0 ? argv[0] : "", *arg = argc > 1 ? argv[1] : "";
	int v = view_find(name), f;

	if (!strcmp(name, "view"))
		return cmd_view(ui, arg, err);
	if (!strcmp(name, "focus"))
		return cmd_focus(ui, arg, err);
	if (!strcmp(name, "window"))
		return cmd_window(ui, arg, err);
	if (!strcmp(name, "menu"))
		return menu_open(ui, s, arg, err);
	if (!strcmp(name, "zoom")) {
		ui_show(ui, ui->single >= 0 ? -1 : ui->layout.focus);
	} else if (!strcmp(name, "help")) {
		menu_help(ui, s);
	} else if (!strcmp(name, "prompt")) {
		prompt_open(ui, arg);
	} else if (!strcmp(name, "redraw")) {
		ui->redraw = true;
	} else if (!strcmp(name, "filter")) {
		/* Only lists can be filtered; from elsewhere the tasks are meant. */
		f = ui_focus(ui);
		return to_view(ui, s, f == VIEW_events ? f : VIEW_tasks, argc, argv, err);
	} else if (!strcmp(name, "cursor") || !strcmp(name, "open")) {
		return to_view(ui, s, ui_focus(ui), argc, argv, err);
	} else if (v >= 0) {
		return to_view(ui, s, v, argc, argv, err);
	} else {
		return err_set(err, ERR_USAGE, "'%.40s' is no command of the screen", name);
	}
	return 0;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void prompt_key(struct ui *ui, u32 key)
{
	char text[LINE_MAX_BYTES];

	switch (line_key(&ui->line, key)) {
	case LINE_ACCEPT:
		memcpy(text, ui->line.buf, sizeof(text));
		line_remember(&ui->line, text);
		line_reset(&ui->line);
		if (!ui->prompt_stays || !text[0])
			ui->prompt = false;
		if (text[0]) {
			ui_log(ui, UI_INPUT, text);
			ui_emit(ui, "%s", text);
		}
		break;
	case LINE_CANCEL:
		ui->prompt = false;
		break;
	case LINE_IGNORED:
	case LINE_CHANGED:
		break;
	}
}

/*
 * What a menu or key gives. The prompt opens at once, with what the command line would strip; help
 * without a topic is the box about the focused pane.
 */
static void give(struct ui *ui, const struct sim *s, const char *cmd)
{
	if (!strcmp(cmd, "help"))
		menu_help(ui, s);
	else if (!strncmp(cmd, "prompt", 6) && (cmd[6] == ' ' || !cmd[6]))
		prompt_open(ui, cmd[6] ? cmd + 7 : "");
	else if (cmd[0])
		ui_emit(ui, "%s", cmd);
}

static void click(struct ui *ui, const struct key_event *ev)
{
	for (int i = 0; i < NR_VIEWS && ui->single < 0; i++) {
		struct rect r = layout_rect(&ui->layout, i);

		if (ev->x >= r.x && ev->x < r.x + r.w && ev->y >= r.y && ev->y < r.y + r.h)
			layout_focus(&ui->layout, i);
	}
}

void ui_key(struct ui *ui, const struct sim *s, const struct key_event *ev)
{
	char cmd[OVER_CMD_MAX] = "";
	const struct keybind *b;

	switch (overlay_key(&ui->over, ev->key, cmd)) {
	case OVER_COMMAND:
		give(ui, s, cmd);
		return;
	case OVER_STAYS:
	case OVER_CLOSED:
		return;
	case OVER_PASS:
		break;
	}
	if (ui->prompt) {
		prompt_key(ui, ev->key);
		return;
	}
	ui->msg_new = false;
	if (ev->key == UKEY_CLICK) {
		click(ui, ev);
		return;
	}
	b = keymap_find(&ui->keys, views[ui_focus(ui)]->name,
			ev->key == UKEY_WHEEL_UP     ? (u32)UKEY_UP
			: ev->key == UKEY_WHEEL_DOWN ? (u32)UKEY_DOWN
						     : ev->key);
	if (b)
		give(ui, s, b->command);
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* Title line of a pane; the focus is told by a mark and bold, not by colour alone. */
static void draw_pane(struct ui *ui, const struct sim *s, struct canvas *c, int view, struct rect r,
		      bool focus)
{
	struct canvas pane = canvas_sub(c, r.x, r.y, r.w, r.h), body;
	const struct view_ops *v = views[view];
	struct style line = STYLE(focus ? COL_ACCENT : COL_FAINT, COL_DEFAULT, 0);
	char sub[160] = "";
	int x = 1;

	/* The body first: what it found out about its size may stand in the title. */
	body = canvas_sub(&pane, 0, 1, r.w, r.h - 1);
	v->draw(ui, s, ui->state[view], &body);
	canvas_hline(&pane, 0, 0, r.w, line, ui->g->h);
	canvas_put(&pane, x, 0, line, ' ');
	x++;
	if (focus)
		x += canvas_put(&pane, x, 0, line, ui->g->right) +
		     canvas_put(&pane, x + 1, 0, line, ' ');
	x += canvas_text(&pane, x, 0, STYLE(focus ? COL_ACCENT : COL_TITLE, COL_DEFAULT, ATTR_BOLD),
			 v->title);
	x += canvas_put(&pane, x, 0, line, ' ');
	if (v->subtitle)
		v->subtitle(ui, s, ui->state[view], sub, sizeof(sub));
	if (sub[0] && r.w - x > 6) {
		int n = utf8_cols(sub);

		n = n > r.w - x - 4 ? r.w - x - 4 : n;
		canvas_put(&pane, x++, 0, line, ui->g->dot);
		canvas_put(&pane, x++, 0, line, ' ');
		canvas_field(&pane, x, 0, n, ALIGN_LEFT, STYLE(COL_TEXT, COL_DEFAULT, 0), sub,
			     ui->g->more);
		canvas_put(&pane, x + n, 0, line, ' ');
	}
}

static void draw_candidates(struct ui *ui, struct canvas *c, int y)
{
	int x = 0;

	if (!ui->line.ncand || y < 0)
		return;
	canvas_fill(c, 0, y, c->w, 1, STYLE(COL_TEXT, COL_OVER_BG, 0), ' ');
	for (int i = 0; i < ui->line.ncand && x < c->w; i++)
		x += 2 + canvas_text(c, x, y, STYLE(COL_ACCENT, COL_OVER_BG, 0), ui->line.cand[i]);
}

static void draw_message(struct ui *ui, struct canvas *c, int y)
{
	u16 fg = ui->msg_kind == UI_ERROR  ? COL_ERROR
		 : ui->msg_kind == UI_WARN ? COL_WARN
		 : ui->msg_kind == UI_LUA  ? COL_DIM
					   : COL_TEXT;

	canvas_fill(c, 0, y, c->w, 1, STYLE(COL_BAR_FG, COL_DEFAULT, 0), ' ');
	canvas_field(c, 1, y, c->w - 2, ALIGN_LEFT, STYLE(fg, COL_DEFAULT, 0), ui->msg,
		     ui->g->more);
}

/* Knobs of scenarios end a task and start one of the same name: that one is meant from then on. */
static void follow_name(struct ui *ui, const struct sim *s)
{
	task_id p;

	if (ui->serial == SERIES_NO_TASK)
		return;
	p = sim_find_task(s, ui->serial);
	if (p != NONE) {
		snprintf(ui->task_name, sizeof(ui->task_name), "%s", s->tasks[p].comm);
		return;
	}
	p = *ui->task_name ? sim_find_task_by_name(s, ui->task_name) : NONE;
	if (p != NONE)
		ui->serial = s->tasks[p].serial;
}

/* What to show curves of before anybody asked: the first task, it has most to tell. */
static void choose_target(struct ui *ui, const struct sim *s)
{
	u64 best = SERIES_NO_TASK;

	if (ui->chosen) {
		follow_name(ui, s);
		return;
	}
	for_each_live(p, &s->arena, POOL_TASK) if (s->tasks[p].state != TASK_DEAD &&
						   !(s->tasks[p].flags & PF_KTHREAD) &&
						   s->tasks[p].serial < best)
		best = s->tasks[p].serial;
	if (best == SERIES_NO_TASK)
		return;
	ui->serial = best;
	ui->of_task = ui->chosen = true;
}

void ui_draw(struct ui *ui, const struct sim *s, struct canvas *c, int *cx, int *cy)
{
	struct rect r;
	int top;

	*cx = *cy = -1;
	ui->drawn_w = c->w;
	canvas_clear(c);
	if (c->w < MIN_W || c->h < MIN_H) {
		canvas_field(c, 0, 0, c->w, ALIGN_LEFT, STYLE(COL_WARN, COL_DEFAULT, 0),
			     c->w < MIN_W ? "make it wider" : "make it 20x5 or larger",
			     ui->g->more);
		return;
	}
	/* Single steps and pauses fall between two samples: what is shown is the present. */
	choose_target(ui, s);
	if (s->g->now != ui->series->last)
		series_sample(ui->series, s, ui->serial);
	top = header_draw(ui, s, c);
	r = (struct rect){ 0, top, c->w, c->h - top - 1 };
	if (ui->single >= 0) {
		draw_pane(ui, s, c, ui->single, r, true);
	} else {
		layout_want(&ui->layout, VIEW_heat,
			    1 + views[VIEW_heat]->want(ui, s, ui->state[VIEW_heat],
						       r.h * 3 / 5 - 1));
		layout_compute(&ui->layout, r);
		for (int i = 0; i < NR_VIEWS; i++) {
			struct rect p = layout_rect(&ui->layout, i);

			if (p.w > 0 && p.h > 1)
				draw_pane(ui, s, c, i, p, ui->layout.focus == i);
		}
	}
	if (ui->prompt) {
		draw_candidates(ui, c, c->h - 2);
		*cx = line_draw(&ui->line, c, 0, c->h - 1, c->w, ": ",
				STYLE(COL_TEXT, COL_DEFAULT, 0));
		*cy = c->h - 1;
	} else if (ui->msg_new) {
		draw_message(ui, c, c->h - 1);
	} else {
		hints_draw(ui, c, c->h - 1);
	}
	menu_refresh(ui);
	overlay_draw(&ui->over, c, ui->g, cx, cy);
}
