/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * term.c - see term.h.
 *
 * We keep the last frame and hand ncurses only the cells that changed; it finds the shortest way to
 * write them. Colours go through a cache of (foreground, background) pairs. newterm() rather than
 * initscr(): it returns where the other one exits. Keys are read from a pad, because reading from a
 * window refreshes it.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ui/term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#include "ui/utf8.h"
#include "ui/xalloc.h"

#define PAIR_SLOTS 8192 /* hash slots, a power of two; at most half are used */

struct pair_slot {
	s32 fg, bg;
	int pair; /* 0 = free slot */
};

/* What the last cell written looked like, and what ncurses calls that. */
struct last_look {
	bool known;
	u16 fg, bg, attr;
	int pair;
	attr_t curses;
};

struct terminal {
	SCREEN *screen;
	WINDOW *pad; /* for reading keys only */
	FILE *in, *out;
	struct canvas front; /* what the terminal shows */
	struct palette palette; /* it was drawn with */
	struct last_look last;
	int cx, cy;
	bool all; /* next frame whole */
	bool utf8, default_colours, suspended;
	int colours, pair_limit, pair_count;
	struct pair_slot *pairs;
	struct term_restore restore;
	char mb[5]; /* bytes of a character not complete yet */
	int mb_len;
};

/* ---- opening ------------------------------------------------------------------------------- */

/* Append a terminfo string without its padding instructions ($<5>). */
static void restore_add(struct term_restore *r, const char *s)
{
	if (!s || s == (const char *)-1)
		return;
	while (*s && r->len < (int)sizeof(r->bytes) - 1) {
		if (s[0] == '$' && s[1] == '<') {
			const char *end = strchr(s, '>');

			if (end) {
				s = end + 1;
				continue;
			}
		}
		r->bytes[r->len++] = *s++;
	}
}

static const char *capability(const char *name)
{
	char cap[16];

	/* tigetstr() takes a char * for historical reasons; it does not write. */
	memset(cap, 0, sizeof(cap));
	strncpy(cap, name, sizeof(cap) - 1);
	return tigetstr(cap);
}

static void restore_prepare(struct terminal *t)
{
	static const char *const caps[] = { "sgr0", "op", "rmkx", "rmcup", "cnorm" };
	const char *mouse = capability("kmous");

	for (size_t i = 0; i < ARRAY_SIZE(caps); i++)
		restore_add(&t->restore, capability(caps[i]));
	/* Only to terminals that know a mouse: others would print it. */
	if (mouse && mouse != (const char *)-1)
		restore_add(&t->restore, "\033[?1000l\033[?1002l\033[?1006l");
	restore_add(&t->restore, "\r\n");
}

void term_restore_now(const struct term_restore *r)
{
	int n = 0;

	while (n < r->len) {
		ssize_t k = write(r->fd, r->bytes + n, (size_t)(r->len - n));

		if (k <= 0)
			break;
		n += (int)k;
	}
	if (r->have_modes)
		tcsetattr(r->fd, TCSANOW, &r->modes);
}

/* Is the type known and good enough? setupterm() can say so without exiting. */
static int check_type(const char *type, int fd, struct err *err)
{
	int code = 0, rc = 0;
	const char *cup;
	TERMINAL *old;

	if (!type || !*type)
		return err_set(err, ERR_USAGE,
			       "TERM is not set, so nothing is known about this terminal; "
			       "try TERM=xterm-256color, or 'schedground run' without a terminal");
	if (setupterm(type, fd, &code) != OK) {
		char safe[64];

		return err_set(err, ERR_USAGE,
			       "terminal type '%s' %s; try TERM=xterm-256color or TERM=vt100, "
			       "or 'schedground run' without a terminal",
			       utf8_clean(safe, sizeof(safe), type, true, false),
			       code == -1 ? "cannot be looked up: there is no terminfo database"
					  : "is not known here");
	}
	cup = capability("cup");
	if (!cup || cup == (const char *)-1)
		rc = err_set(
			err, ERR_USAGE,
			"terminal type '%.60s' cannot move the cursor; try TERM=xterm-256color "
			"or TERM=vt100, or 'schedground run' without a terminal",
			type);
	old = set_curterm(NULL);
	if (old)
		del_curterm(old);
	return rc;
}

static void query_size(const struct terminal *t, int *w, int *h)
{
	struct winsize ws;

	if (ioctl(fileno(t->out), TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0 && ws.ws_row > 0) {
		*w = ws.ws_col;
		*h = ws.ws_row;
	} else {
		*w = COLS;
		*h = LINES;
	}
}

static void setup_colours(struct terminal *t)
{
	t->colours = 0;
	if (has_colors() && start_color() == OK) {
		t->colours = COLORS;
		t->default_colours = use_default_colors() == OK;
	}
	t->pair_limit = COLOR_PAIRS - 1;
	if (t->pair_limit > PAIR_SLOTS / 2)
		t->pair_limit = PAIR_SLOTS / 2;
	t->pairs = xcalloc(PAIR_SLOTS, sizeof(*t->pairs));
}

static void setup_modes(struct terminal *t)
{
	cbreak();
	noecho();
	nonl();
	set_escdelay(25);
	t->pad = newpad(1, 1);
	BUG_ON(!t->pad);
	keypad(t->pad, TRUE);
	nodelay(t->pad, TRUE);
	leaveok(stdscr, FALSE);
	curs_set(0);
}

struct terminal *term_open(FILE *in, FILE *out, const char *type, struct err *err)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction old[ARRAY_SIZE(sigs)];
	struct terminal *t;
	char name[64];
	int w, h;

	if (!isatty(fileno(in)) || !isatty(fileno(out))) {
		err_set(err, ERR_USAGE,
			"standard %s is not a terminal; use 'schedground run' for a summary without one",
			isatty(fileno(in)) ? "output" : "input");
		return NULL;
	}
	if (!type)
		type = getenv("TERM");
	if (check_type(type, fileno(out), err))
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->in = in;
	t->out = out;
	t->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	t->restore.fd = fileno(out);
	t->restore.have_modes = tcgetattr(fileno(out), &t->restore.modes) == 0;
	/* ncurses installs handlers where it finds none; the application's loop wants the signals. */
	for (size_t i = 0; i < ARRAY_SIZE(sigs); i++)
		sigaction(sigs[i], NULL, &old[i]);
	memset(name, 0, sizeof(name));
	strncpy(name, type, sizeof(name) - 1);
	t->screen = newterm(name, out, in);
	for (size_t i = 0; i < ARRAY_SIZE(sigs); i++)
		sigaction(sigs[i], &old[i], NULL);
	if (!t->screen) {
		err_set(err, ERR_USAGE,
			"terminal type '%.60s' could not be set up; try TERM=xterm-256color", name);
		free(t);
		return NULL;
	}
	set_term(t->screen);
	setup_colours(t);
	setup_modes(t);
	restore_prepare(t);
	query_size(t, &w, &h);
	if (w != COLS || h != LINES)
		resizeterm(h, w);
	canvas_init(&t->front, w, h);
	t->all = true;
	t->cx = -1;
	return t;
}

void term_close(struct terminal *t)
{
	if (!t)
		return;
	if (!t->suspended) {
		term_mouse(t, false);
		curs_set(1);
		endwin();
	}
	delwin(t->pad);
	delscreen(t->screen);
	canvas_fini(&t->front);
	free(t->pairs);
	free(t);
}

const struct term_restore *term_restore_get(const struct terminal *t)
{
	return &t->restore;
}

int term_colours(const struct terminal *t)
{
	return t->colours;
}

bool term_utf8(const struct terminal *t)
{
	return t->utf8;
}

void term_size(const struct terminal *t, int *w, int *h)
{
	*w = t->front.grid_w;
	*h = t->front.grid_h;
}

void term_suspend(struct terminal *t)
{
	if (t->suspended)
		return;
	t->suspended = true;
	curs_set(1);
	endwin();
}

void term_resume(struct terminal *t)
{
	if (!t->suspended)
		return;
	t->suspended = false;
	reset_prog_mode();
	refresh();
	curs_set(0);
	term_redraw(t);
	term_resize(t);
}

bool term_resize(struct terminal *t)
{
	int w, h;

	query_size(t, &w, &h);
	if (w == COLS && h == LINES)
		return false;
	resizeterm(h, w);
	canvas_fini(&t->front);
	canvas_init(&t->front, w, h);
	term_redraw(t);
	return true;
}

void term_redraw(struct terminal *t)
{
	t->all = true;
}

void term_mouse(struct terminal *t, bool on)
{
	(void)t;
	mousemask(on ? BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0,
		  NULL);
	mouseinterval(0);
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* Pair number for resolved colours, 0 when the terminal has no more of them. */
static int pair_get(struct terminal *t, s32 fg, s32 bg)
{
	u32 i = ((u32)fg * 0x9e3779b1u ^ (u32)bg * 0x85ebca6bu) >> 7;
	struct pair_slot *p;

	if (t->colours == 0 || (fg < 0 && bg < 0 && t->default_colours))
		return 0;
	for (;; i++) {
		p = &t->pairs[i & (PAIR_SLOTS - 1)];
		if (!p->pair || (p->fg == fg && p->bg == bg))
			break;
	}
	if (p->pair)
		return p->pair;
	if (t->pair_count >= t->pair_limit)
		return 0;
#ifdef NCURSES_EXT_COLORS
	if (init_extended_pair(t->pair_count + 1, fg, bg) != OK)
		return 0;
#else
	if (init_pair((short)(t->pair_count + 1), (short)fg, (short)bg) != OK)
		return 0;
#endif
	t->pair_count++;
	*p = (struct pair_slot){ fg, bg, t->pair_count };
	return p->pair;
}

static attr_t attr_of(u16 a)
{
	return (a & ATTR_BOLD ? A_BOLD : 0) | (a & ATTR_DIM ? A_DIM : 0) |
	       (a & ATTR_UNDERLINE ? A_UNDERLINE : 0) | (a & ATTR_REVERSE ? A_REVERSE : 0);
}

/* Eight colours: the bright ones are the plain ones in bold; a bright background is plain. */
static struct look fit(const struct terminal *t, struct look l)
{
	if (t->colours <= 0) {
		l.fg = l.bg = -1;
		return l;
	}
	if (t->colours < 16) {
		/* Dark grey is bold black, invisible on many; faint things stay readable in white. */
		if (l.fg == 8)
			l.fg = 7;
		else if (l.fg > 8)
			l.attr |= ATTR_BOLD;
		l.fg = l.fg > 7 ? l.fg - 8 : l.fg;
		l.bg = l.bg > 7 ? l.bg - 8 : l.bg;
	}
	if (!t->default_colours) {
		l.fg = l.fg < 0 ? COLOR_WHITE : l.fg;
		l.bg = l.bg < 0 ? COLOR_BLACK : l.bg;
	}
	return l;
}

static void put_wide(int x, int y, wchar_t ch, attr_t attr, int pair)
{
	wchar_t w[2] = { ch, L'\0' };
	cchar_t cc;

#ifdef NCURSES_EXT_COLORS
	setcchar(&cc, w, attr, 0, &pair);
#else
	setcchar(&cc, w, attr, (short)pair, NULL);
#endif
	mvadd_wch(y, x, &cc);
}

static void put_cell(struct terminal *t, int x, int y, const struct cell *k,
		     const struct palette *p)
{
	struct last_look *last = &t->last;
	wchar_t ch = (wchar_t)k->ch;

	if (k->ch == CELL_TAIL)
		return; /* written with the other half */
	/* Neighbours mostly look alike. */
	if (!last->known || last->fg != k->fg || last->bg != k->bg || last->attr != k->attr) {
		struct look l = fit(t, palette_look(p, k->fg, k->bg, k->attr));

		*last = (struct last_look){
			true, k->fg, k->bg, k->attr, pair_get(t, l.fg, l.bg), attr_of(l.attr)
		};
	}
	/* What this locale cannot print, or measures otherwise, would break the row. */
	if (k->ch >= 0x80) {
		int want = utf8_width(k->ch);

		if (!t->utf8 || wcwidth(ch) != want) {
			ch = L'?';
			if (want == 2)
				put_wide(x + 1, y, L' ', last->curses, last->pair);
		}
	}
	put_wide(x, y, ch, last->curses, last->pair);
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->fg == b->fg && a->bg == b->bg && a->attr == b->attr;
}

static int draw_row(struct terminal *t, const struct canvas *c, const struct palette *p, int y,
		    int w)
{
	struct cell *old = &t->front.cells[(size_t)y * (size_t)t->front.grid_w];
	const struct cell *now = &c->cells[(size_t)y * (size_t)c->grid_w];
	int n = 0;

	if (!t->all && !memcmp(old, now, (size_t)w * sizeof(*now)))
		return 0;
	for (int x = 0; x < w; x++) {
		if (!t->all && same_cell(&old[x], &now[x]))
			continue;
		put_cell(t, x, y, &now[x], p);
		n++;
	}
	memcpy(old, now, (size_t)w * sizeof(*now));
	return n;
}

int term_draw(struct terminal *t, const struct canvas *c, const struct palette *p, int cx, int cy)
{
	int w = c->grid_w < t->front.grid_w ? c->grid_w : t->front.grid_w;
	int h = c->grid_h < t->front.grid_h ? c->grid_h : t->front.grid_h;
	int n = 0;

	if (t->suspended)
		return 0;
	if (memcmp(p, &t->palette, sizeof(*p)) != 0) {
		memcpy(&t->palette, p, sizeof(*p));
		t->last.known = false;
		t->all = true;
	}
	if (t->all)
		clear();
	for (int y = 0; y < h; y++)
		n += draw_row(t, c, p, y, w);
	t->all = false;
	if (cx >= w || cy < 0 || cy >= h)
		cx = -1;
	if (n == 0 && cx == t->cx && (cx < 0 || cy == t->cy))
		return 0;
	if ((cx < 0) != (t->cx < 0))
		curs_set(cx >= 0);
	t->cx = cx;
	t->cy = cy;
	move(cx >= 0 ? cy : 0, cx >= 0 ? cx : 0);
	refresh();
	return n;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static const struct {
	int curses;
	u32 key;
} keys[] = {
	{ KEY_UP, UKEY_UP },	   { KEY_DOWN, UKEY_DOWN },  { KEY_LEFT, UKEY_LEFT },
	{ KEY_RIGHT, UKEY_RIGHT }, { KEY_HOME, UKEY_HOME },  { KEY_END, UKEY_END },
	{ KEY_PPAGE, UKEY_PGUP },  { KEY_NPAGE, UKEY_PGDN }, { KEY_IC, UKEY_INS },
	{ KEY_DC, UKEY_DEL },	   { KEY_BTAB, UKEY_BTAB },  { KEY_BACKSPACE, UKEY_BACKSPACE },
	{ KEY_ENTER, UKEY_ENTER }, { KEY_FIND, UKEY_HOME },  { KEY_SELECT, UKEY_END },
};

static u32 map_special(int ch, struct key_event *ev)
{
	MEVENT m;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].curses == ch)
			return keys[i].key;
	if (ch >= KEY_F(1) && ch <= KEY_F(12))
		return (u32)UKEY_F1 + (u32)(ch - KEY_F(1));
	if (ch == KEY_MOUSE && getmouse(&m) == OK) {
		ev->x = m.x;
		ev->y = m.y;
		if (m.bstate & BUTTON4_PRESSED)
			return UKEY_WHEEL_UP;
		if (m.bstate & BUTTON5_PRESSED)
			return UKEY_WHEEL_DOWN;
		if (m.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
			return UKEY_CLICK;
	}
	return 0; /* KEY_RESIZE and what we have no name for */
}

/*
 * One byte of input; 0 while a character is not complete. wget_wch() would do this too, but it
 * swallows what follows a malformed byte.
 */
static u32 map_byte(struct terminal *t, int b)
{
	const char *p = t->mb;
	int need;
	u32 ch;

	if (b < 0x80) {
		t->mb_len = 0;
		return b == 127 ? (u32)UKEY_BACKSPACE : b == '\n' ? (u32)UKEY_ENTER : (u32)b;
	}
	if (!t->utf8)
		return 0;
	if (b >= 0xc0)
		t->mb_len = 0; /* a new character begins, whatever became of the last */
	else if (t->mb_len == 0)
		return 0;
	t->mb[t->mb_len++] = (char)b;
	t->mb[t->mb_len] = '\0';
	need = (u8)t->mb[0] >= 0xf0 ? 4 : (u8)t->mb[0] >= 0xe0 ? 3 : 2;
	if (t->mb_len < need)
		return 0;
	t->mb_len = 0;
	ch = utf8_next(&p);
	return ch == UTF8_BAD ? 0 : ch;
}

/* Is there a terminal at the other end, and bytes that ncurses has not taken yet? */
static enum term_input poll_input(const struct terminal *t)
{
	struct pollfd p = { .fd = fileno(t->in), .events = POLLIN };
	int left = 0;

	if (poll(&p, 1, 0) < 0)
		return errno == EINTR ? TERM_NONE : TERM_GONE;
	if (p.revents & (POLLHUP | POLLERR | POLLNVAL))
		return TERM_GONE;
	if (!(p.revents & POLLIN))
		return TERM_NONE;
	/* Readable without bytes is the end of file: a terminal that is no more. */
	if (ioctl(fileno(t->in), FIONREAD, &left) == 0 && left == 0)
		return TERM_GONE;
	return TERM_KEY;
}

enum term_input term_key(struct terminal *t, struct key_event *ev)
{
	/* Parts of characters and keys without a name are skipped; the bound is against surprises. */
	for (int tries = 0; tries < 64; tries++) {
		int ch = wgetch(t->pad);
		u32 key;

		*ev = (struct key_event){ 0 };
		if (ch == ERR) {
			enum term_input in = poll_input(t);

			if (in != TERM_KEY)
				return in;
			continue;
		}
		key = ch > 255 ? map_special(ch, ev) : map_byte(t, ch);
		if (key == UKEY_ESC) {
			int next = wgetch(t->pad);

			/* Alt is sent as Escape and the key in one go. */
			if (next != ERR && next < 0x80 && next != UKEY_ESC)
				key = map_byte(t, next) | UKEY_ALT;
			else if (next != ERR)
				ungetch(next);
		}
		if (key) {
			ev->key = key;
			return TERM_KEY;
		}
	}
	return TERM_NONE;
}
