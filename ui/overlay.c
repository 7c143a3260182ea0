/* SPDX-License-Identifier: GPL-2.0-only */
/* overlay.c - see overlay.h. */
#include "ui/overlay.h"

#include <stdio.h>
#include <string.h>

#include "ui/utf8.h"
#include "ui/xalloc.h"

void overlay_init(struct overlay *o)
{
	memset(o, 0, sizeof(*o));
}

void overlay_close(struct overlay *o)
{
	free(o->row);
	free(o->text);
	overlay_init(o);
}

void overlay_open(struct overlay *o, enum overlay_kind kind, const char *title, const char *hint)
{
	overlay_close(o);
	o->kind = kind;
	snprintf(o->title, sizeof(o->title), "%s", title);
	snprintf(o->hint, sizeof(o->hint), "%s", hint);
}

struct overlay_row *overlay_add(struct overlay *o, const char *text, const char *note,
				const char *command)
{
	struct overlay_row *r;

	if (o->nrow == o->room) {
		o->room = o->room ? o->room * 2 : 32;
		o->row = xreallocarray(o->row, (size_t)o->room, sizeof(*o->row));
	}
	r = &o->row[o->nrow++];
	memset(r, 0, sizeof(*r));
	utf8_clean(r->text, sizeof(r->text), text, false, false);
	utf8_clean(r->note, sizeof(r->note), note ? note : "", false, false);
	snprintf(r->command, sizeof(r->command), "%s", command ? command : "");
	r->heading = !command;
	return r;
}

void overlay_text(struct overlay *o, const char *title, char *text)
{
	overlay_open(o, OVER_TEXT, title, "Up Down PgUp PgDn scroll  Esc close");
	o->text = text;
}

static char lower(char ch)
{
	return ch >= 'A' && ch <= 'Z' ? (char)(ch | 32) : ch;
}

static bool contains(const char *s, const char *part)
{
	for (; *s; s++) {
		size_t i = 0;

		while (part[i] && lower(s[i]) == lower(part[i]))
			i++;
		if (!part[i])
			return true;
	}
	return !*part;
}

/* While narrowing, headings would stand alone: they go. */
static bool passes(const struct overlay *o, const struct overlay_row *r)
{
	if (!o->filter[0])
		return true;
	return !r->heading && (contains(r->text, o->filter) || contains(r->note, o->filter));
}

/* The @i-th row that passes; NULL past the end. */
static struct overlay_row *visible(const struct overlay *o, int i)
{
	for (int k = 0; k < o->nrow; k++)
		if (passes(o, &o->row[k]) && i-- == 0)
			return &o->row[k];
	return NULL;
}

static int nvisible(const struct overlay *o)
{
	int n = 0;

	for (int k = 0; k < o->nrow; k++)
		n += passes(o, &o->row[k]);
	return n;
}

static int count_lines(const char *s)
{
	int n = 0;

	for (; s && *s; s++)
		n += *s == '\n';
	return n;
}

/* Move the selection by @step over headings; stay where there is nothing further. */
static void move_sel(struct overlay *o, int step, int times)
{
	int n = nvisible(o), at = o->sel, dir = step < 0 ? -1 : 1;

	while (times > 0) {
		at += dir;
		if (at < 0 || at >= n)
			break;
		if (!visible(o, at)->heading) {
			o->sel = at;
			times--;
		}
	}
}

/* Select the first row that can be chosen. */
static void first_sel(struct overlay *o)
{
	const struct overlay_row *r;

	o->sel = o->top = 0;
	r = visible(o, 0);
	if (r && r->heading)
		move_sel(o, 1, 1);
}

/* A list begins with a heading, and shrinks when what it shows does. */
static void fix_sel(struct overlay *o)
{
	int n = nvisible(o);

	if (o->sel >= n)
		o->sel = n ? n - 1 : 0;
	if (n && visible(o, o->sel)->heading)
		first_sel(o);
}

/*
 * How far one key moves a slider: a hundredth of the range, but where that would be a leap from a
 * small value in a huge range, some percent of the value, in round numbers.
 */
static s128 step_of(const struct overlay_row *r)
{
	s128 step = ((s128)r->max - r->min) / 100, v = r->value < 0 ? -(s128)r->value : r->value;
	s128 base = 1;

	if (r->step > 0)
		return r->step;
	if (step <= v / 4)
		return step;
	while (base * 10 <= v / 10)
		base *= 10;
	return base * 5 <= v / 10 ? base * 5 : base;
}

static void slide(struct overlay *o, int dir, bool far, char *cmd)
{
	struct overlay_row *r = visible(o, o->sel);
	s128 step, v;

	cmd[0] = '\0';
	if (!r || r->heading)
		return;
	step = step_of(r);
	step = step < 1 ? 1 : step;
	v = (s128)r->value + step * (far ? 10 : 1) * dir;
	v = v < r->min ? r->min : v > r->max ? r->max : v;
	if (v == r->value)
		return;
	r->value = (s64)v;
	snprintf(cmd, OVER_CMD_MAX, "%.120s %lld", r->command, (long long)r->value);
}

/* The form's command with %1 .. %9 replaced; a word whose field is empty is left out. */
static void form_command(const struct overlay *o, char *cmd)
{
	const char *p = o->format;
	size_t n = 0, word = 0;
	bool empty = false;

	while (*p && n < OVER_CMD_MAX - 1) {
		if (*p == '%' && p[1] >= '1' && p[1] <= '9' && p[1] - '1' < o->nrow) {
			const char *f = o->row[p[1] - '1'].field;

			empty |= !*f;
			while (*f && n < OVER_CMD_MAX - 1)
				cmd[n++] = *f++;
			p += 2;
			continue;
		}
		if (*p == ' ') {
			if (empty)
				n = word; /* back to where this word began */
			empty = false;
			if (n && cmd[n - 1] != ' ')
				cmd[n++] = ' ';
			word = n;
			p++;
			continue;
		}
		cmd[n++] = *p++;
	}
	if (empty)
		n = word;
	while (n && cmd[n - 1] == ' ')
		n--;
	cmd[n] = '\0';
}

static void erase_last(char *s)
{
	size_t n = strlen(s);

	while (n && ((unsigned char)s[n - 1] & 0xc0) == 0x80)
		n--;
	if (n)
		s[n - 1] = '\0';
}

static bool type_char(char *s, size_t size, u32 key)
{
	size_t n = strlen(s);
	char tmp[5] = "";

	if (key < 0x20 || key > 0x10ffff || key == 0x7f)
		return false;
	tmp[utf8_put(utf8_safe(key), tmp)] = '\0';
	if (n + strlen(tmp) < size)
		memcpy(s + n, tmp, strlen(tmp) + 1);
	return true;
}

static enum overlay_result text_key(struct overlay *o, u32 key)
{
	int last = count_lines(o->text) - 1;

	switch (key) {
	case UKEY_UP:
	case 'k':
	case UKEY_WHEEL_UP:
		o->top--;
		break;
	case UKEY_DOWN:
	case 'j':
	case UKEY_WHEEL_DOWN:
		o->top++;
		break;
	case UKEY_PGUP:
		o->top -= 10;
		break;
	case UKEY_PGDN:
	case ' ':
		o->top += 10;
		break;
	case UKEY_HOME:
		o->top = 0;
		break;
	case UKEY_END:
		o->top = last;
		break;
	case UKEY_ENTER:
	case UKEY_ESC:
	case 'q':
	case '?':
	case UKEY_F1:
		overlay_close(o);
		return OVER_CLOSED;
	default:
		return OVER_STAYS;
	}
	o->top = o->top > last ? last : o->top;
	o->top = o->top < 0 ? 0 : o->top;
	return OVER_STAYS;
}

static bool move_key(struct overlay *o, u32 key)
{
	if (key == UKEY_UP || key == UKEY_BTAB || key == UKEY_CTRL('p') || key == UKEY_WHEEL_UP)
		move_sel(o, -1, 1);
	else if (key == UKEY_DOWN || key == UKEY_TAB || key == UKEY_CTRL('n') ||
		 key == UKEY_WHEEL_DOWN)
		move_sel(o, 1, 1);
	else if (key == UKEY_PGUP)
		move_sel(o, -1, 10);
	else if (key == UKEY_PGDN)
		move_sel(o, 1, 10);
	else if (key == UKEY_HOME)
		first_sel(o);
	else if (key == UKEY_END)
		move_sel(o, 1, o->nrow);
	else
		return false;
	return true;
}

enum overlay_result overlay_key(struct overlay *o, u32 key, char *cmd)
{
	struct overlay_row *r;

	if (o->kind == OVER_NONE)
		return OVER_PASS;
	if (o->kind == OVER_TEXT)
		return text_key(o, key);
	if (key == UKEY_ESC || key == UKEY_CTRL('g') ||
	    (o->kind == OVER_SLIDERS && (key == 'q' || key == 'K' || key == UKEY_ENTER))) {
		overlay_close(o);
		return OVER_CLOSED;
	}
	fix_sel(o);
	if (move_key(o, key))
		return OVER_STAYS;
	r = visible(o, o->sel);
	if (o->kind == OVER_SLIDERS) {
		if (key == UKEY_LEFT || key == 'h' || key == '-')
			slide(o, -1, false, cmd);
		else if (key == UKEY_RIGHT || key == 'l' || key == '+')
			slide(o, 1, false, cmd);
		else if (key == 'H' || key == (UKEY_ALT | UKEY_LEFT))
			slide(o, -1, true, cmd);
		else if (key == 'L' || key == (UKEY_ALT | UKEY_RIGHT))
			slide(o, 1, true, cmd);
		else if (key == 'j' || key == 'k')
			move_sel(o, key == 'j' ? 1 : -1, 1);
		else
			return key == ' ' ? OVER_PASS : OVER_STAYS;
		return cmd[0] ? OVER_COMMAND : OVER_STAYS;
	}
	if (key == UKEY_ENTER) {
		if (o->kind == OVER_FORM)
			form_command(o, cmd);
		else if (r && !r->heading)
			snprintf(cmd, OVER_CMD_MAX, "%s", r->command);
		else
			return OVER_STAYS;
		overlay_close(o);
		return OVER_COMMAND;
	}
	if (o->kind == OVER_FORM) {
		if (!r)
			return OVER_STAYS;
		if (key == UKEY_BACKSPACE || key == UKEY_CTRL('h'))
			erase_last(r->field);
		else if (key == UKEY_CTRL('u'))
			r->field[0] = '\0';
		else
			type_char(r->field, sizeof(r->field), key);
		return OVER_STAYS;
	}
	if (key == UKEY_BACKSPACE || key == UKEY_CTRL('h'))
		erase_last(o->filter);
	else if (key == UKEY_CTRL('u'))
		o->filter[0] = '\0';
	else if (!type_char(o->filter, sizeof(o->filter), key))
		return OVER_STAYS;
	first_sel(o);
	return OVER_STAYS;
}

/* ---- drawing ------------------------------------------------------------------------------- */

static const struct style plain = { COL_TEXT, COL_OVER_BG, 0 };

static struct canvas box(struct canvas *c, const struct glyphs *g, const struct overlay *o, int w,
			 int h)
{
	struct canvas in;
	int x, y;

	w = w > c->w ? c->w : w;
	h = h > c->h ? c->h : h;
	x = (c->w - w) / 2;
	y = (c->h - h) / 3;
	canvas_fill(c, x, y, w, h, plain, ' ');
	glyph_box(c, g, x, y, w, h, STYLE(COL_ACCENT, COL_OVER_BG, 0), o->title);
	if (o->hint[0] && w > 8) {
		int n = utf8_cols(o->hint);

		n = n > w - 5 ? w - 5 : n;
		canvas_put(c, x + w - n - 3, y + h - 1, plain, ' ');
		canvas_field(c, x + w - n - 2, y + h - 1, n, ALIGN_LEFT,
			     STYLE(COL_DIM, COL_OVER_BG, 0), o->hint, g->more);
		canvas_put(c, x + w - 2, y + h - 1, plain, ' ');
	}
	in = canvas_sub(c, x + 2, y + 1, w - 4, h - 2);
	return in;
}

static void draw_text(struct overlay *o, struct canvas *c, const struct glyphs *g)
{
	int lines = count_lines(o->text), y = -o->top, w = 0, widest = 30;
	struct canvas in;

	for (const char *p = o->text; p && *p; p++) {
		w = *p == '\n' ? 0 : w + (((unsigned char)*p & 0xc0) != 0x80);
		widest = w > widest ? w : widest;
	}
	in = box(c, g, o, widest + 4, lines + 2);
	if (o->top > lines - in.h && lines >= in.h)
		o->top = lines - in.h;
	o->top = o->top < 0 || lines <= in.h ? 0 : o->top;
	y = -o->top;
	for (const char *p = o->text; p && *p && y < in.h; y++) {
		const char *end = strchr(p, '\n');
		size_t n = end ? (size_t)(end - p) : strlen(p);
		char line[512];

		n = n < sizeof(line) - 1 ? n : sizeof(line) - 1;
		memcpy(line, p, n);
		line[n] = '\0';
		if (y >= 0) {
			bool head = n && line[0] != ' ';

			canvas_field(&in, 0, y, in.w, ALIGN_LEFT,
				     STYLE(head ? COL_TITLE : COL_TEXT, COL_OVER_BG, 0), line,
				     g->more);
		}
		p = end ? end + 1 : p + strlen(p);
	}
	if (o->top + in.h < lines)
		canvas_put(&in, in.w - 1, in.h - 1, STYLE(COL_ACCENT, COL_OVER_BG, 0), g->down);
}

/* log2(x + 1) in 1/16: where a value stands on a slider whose range spans many sizes. */
static u64 log16(u64 x)
{
	int top;

	if (x == UINT64_MAX)
		x--;
	top = fls64(++x) - 1;
	return (u64)top * 16 + (top >= 4 ? x >> (top - 4) & 15 : x << (4 - top) & 15);
}

static void draw_slider(struct canvas *in, const struct glyphs *g, const struct overlay_row *r,
			int x, int y, int w, struct style st)
{
	u64 range = (u64)r->max - (u64)r->min, at = (u64)r->value - (u64)r->min;
	int knob;

	if (w < 3)
		return;
	if (range >= 10000 && r->min >= 0 && r->step <= 0) {
		at = log16((u64)r->value) - log16((u64)r->min);
		range = log16((u64)r->max) - log16((u64)r->min);
	}
	knob = range ? (int)((u128)at * (u64)(w - 1) / range) : 0;
	canvas_hline(in, x, y, w, STYLE(COL_FAINT, st.bg, 0), g->h);
	canvas_hline(in, x, y, knob, STYLE(COL_ACCENT, st.bg, 0),
		     g->set == GLYPHS_ASCII ? '=' : 0x2501);
	canvas_put(in, x + knob, y, STYLE(COL_ACCENT, st.bg, ATTR_BOLD), g->marker[0]);
}

static void draw_row(const struct overlay *o, struct canvas *in, const struct glyphs *g,
		     const struct overlay_row *r, int y, int tw, bool sel)
{
	struct style st = plain, dim = STYLE(COL_DIM, COL_OVER_BG, 0);
	char val[40];

	if (r->heading) {
		canvas_field(in, 0, y, in->w, ALIGN_LEFT, STYLE(COL_TITLE, COL_OVER_BG, 0), r->text,
			     g->more);
		return;
	}
	if (sel) {
		st = STYLE(COL_SEL_FG, COL_SEL_BG, 0);
		dim = STYLE(COL_TEXT, COL_SEL_BG, 0);
		canvas_fill(in, 0, y, in->w, 1, st, ' ');
	}
	canvas_put(in, 0, y, st, sel ? g->right : ' ');
	canvas_put(in, 1, y, STYLE(sel ? st.fg : COL_GOOD, st.bg, 0), r->mark ? g->bullet : ' ');
	canvas_field(in, 3, y, tw, ALIGN_LEFT, st, r->text, g->more);
	if (o->kind == OVER_LIST) {
		canvas_field(in, tw + 5, y, in->w - tw - 5, ALIGN_LEFT, dim, r->note, g->more);
	} else if (o->kind == OVER_FORM) {
		canvas_field(in, tw + 5, y, 24, ALIGN_LEFT,
			     STYLE(COL_TEXT, sel ? COL_SEL_BG : COL_HEAT_BG, ATTR_UNDERLINE),
			     r->field, g->more);
		canvas_field(in, tw + 31, y, in->w - tw - 31, ALIGN_LEFT, dim, r->note, g->more);
	} else {
		int w = in->w > 60 ? 24 : in->w / 3;

		draw_slider(in, g, r, tw + 5, y, w, st);
		snprintf(val, sizeof(val), "%lld%s%s", (long long)r->value, r->unit[0] ? " " : "",
			 r->unit);
		canvas_field(in, tw + w + 6, y, 12, ALIGN_LEFT, st, val, g->more);
		canvas_field(in, tw + w + 19, y, in->w - tw - w - 19, ALIGN_LEFT, dim, r->note,
			     g->more);
	}
}

void overlay_draw(struct overlay *o, struct canvas *c, const struct glyphs *g, int *cx, int *cy)
{
	int n = nvisible(o), tw = 8, nw = 10, w, h, y0;
	struct canvas in;

	if (o->kind == OVER_NONE)
		return;
	if (o->kind == OVER_TEXT) {
		draw_text(o, c, g);
		return;
	}
	/* The size does not change while the list is narrowed. */
	for (int i = 0; i < o->nrow; i++) {
		int t = utf8_cols(o->row[i].text), k = utf8_cols(o->row[i].note);

		tw = !o->row[i].heading && t > tw ? t : tw;
		nw = k > nw ? k : nw;
	}
	tw = tw > c->w / 3 ? c->w / 3 : tw;
	w = tw + nw + 9 + (o->kind == OVER_FORM ? 26 : o->kind == OVER_SLIDERS ? 38 : 0);
	w = w < 44 ? 44 : w;
	y0 = o->kind == OVER_LIST;
	h = o->nrow + 2 + y0;
	h = h > c->h - 2 && c->h > 8 ? c->h - 2 : h;
	in = box(c, g, o, w, h < 4 ? 4 : h);
	if (y0) {
		canvas_text(&in, 0, 0, STYLE(COL_DIM, COL_OVER_BG, 0), "type to narrow:");
		*cx = in.ox - c->ox + 16 + canvas_text(&in, 16, 0, plain, o->filter);
		*cy = in.oy - c->oy;
	}
	fix_sel(o);
	if (o->sel < o->top)
		o->top = o->sel;
	if (o->sel >= o->top + in.h - y0)
		o->top = o->sel - (in.h - y0) + 1;
	/* Show the heading above the first row too. */
	if (o->sel == 1 && o->top == 1)
		o->top = 0;
	for (int i = 0; i + y0 < in.h; i++) {
		const struct overlay_row *r = visible(o, o->top + i);

		if (!r)
			break;
		draw_row(o, &in, g, r, i + y0, tw, o->top + i == o->sel);
		if (o->kind == OVER_FORM && o->top + i == o->sel) {
			*cx = in.ox - c->ox + tw + 5 + utf8_cols(r->field);
			*cy = in.oy - c->oy + i;
		}
	}
	if (n == 0)
		canvas_text(&in, 2, y0, STYLE(COL_DIM, COL_OVER_BG, 0),
			    o->nrow ? "nothing matches; Backspace widens" : "nothing to show here");
}
