/* SPDX-License-Identifier: GPL-2.0-only */
/* pelt_csv.c - timelines of tasks as CSV. See pelt_csv.h. */
#include "app/pelt_csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/suggest.h"
#include "app/text.h"
#include "app/xalloc.h"

enum column { COL_T, COL_CPU, COL_TASK, COL_STATE, COL_CAPACITY, COL_FREQ, COL_NICE, NR_COLUMNS };
#define COL_REQUIRED COL_CAPACITY /* those before it */

static const char *const column_names[NR_COLUMNS] = {
	"t_us", "cpu", "task", "state", "capacity", "freq_scale", "nice",
};
static const char *const state_names[] = { "sleep", "wait", "run" };

#define MAX_CELLS 64u
#define HASH_SIZE (4 * PELT_CSV_TASKS)
#define SHOWN 48 /* bytes of a cell that a message shows */

struct cell {
	const char *s;
	u32 len, col; /* col: 1-based, of its first byte */
};

struct parse {
	struct pelt_timeline *tl;
	char name[128]; /* of the file, harmless */
	struct err *err;
	u32 line, room;
	int at[NR_COLUMNS]; /* cell index of a column, -1 = none */
	u32 nr_cells; /* of the line of names */
	bool has_names;
	u32 hash[HASH_SIZE]; /* task + 1, 0 = free */
	u32 cpu_of[PELT_CSV_CPU_MAX + 1]; /* CPU index + 1 */
	/* What is so after the rows read: for the check of each instant. */
	u32 *where; /* CPU a task runs on, NONE: it does not */
	u32 *since; /* line since when it does */
	u32 running[PELT_CSV_CPUS]; /* number of tasks that run */
	u32 instant; /* first row of the current instant */
};

static int complain(struct parse *p, enum err_code code, u32 line, u32 col, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

static int complain(struct parse *p, enum err_code code, u32 line, u32 col, const char *fmt, ...)
{
	char text[360];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_at(p->err, code, (int)line, (int)col, "%s:%u:%u: %s", p->name, line, col, text);
}

static const char *shown(char *buf, const struct cell *c)
{
	text_clean_n(buf, SHOWN, c->s, c->len);
	return buf;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool cell_is(const struct cell *c, const char *word)
{
	return c->len == strlen(word) && !memcmp(c->s, word, c->len);
}

/* A quoted cell from its quote at @s on; the text moves together. Returns what follows, or NULL. */
static char *take_quoted(struct parse *p, char *s, char *end, u32 col, struct cell *c)
{
	char *to = ++s;

	*c = (struct cell){ .s = s, .col = col };
	for (;; s++) {
		if (s == end) {
			complain(p, ERR_USAGE, p->line, col,
				 "found a quote that does not end on its line; close it with \"");
			return NULL;
		}
		if (*s == '"' && (s + 1 == end || s[1] != '"'))
			break;
		s += *s == '"';
		*to++ = *s;
	}
	c->len = (u32)(to - c->s);
	for (s++; s < end && is_blank(*s); s++)
		;
	if (s < end && *s != ',') {
		complain(
			p, ERR_USAGE, p->line, col,
			"found text after a closing quote; only a comma may follow: write \"\" for a "
			"quote inside");
		return NULL;
	}
	return s;
}

/* Split a line; returns the number of cells or -1. */
static int split(struct parse *p, char *line, char *end, struct cell *cell)
{
	char *s = line;
	u32 nr = 0;

	for (;;) {
		if (nr == MAX_CELLS)
			return complain(
				p, ERR_LIMIT, p->line, (u32)(s - line) + 1,
				"found more than %u cells; at most %u are read, %u have a use",
				MAX_CELLS, MAX_CELLS, (u32)NR_COLUMNS);
		while (s < end && is_blank(*s))
			s++;

		u32 col = (u32)(s - line) + 1;

		if (s < end && *s == '"') {
			s = take_quoted(p, s, end, col, &cell[nr]);
			if (!s)
				return -1;
		} else {
			char *from = s, *last;

			while (s < end && *s != ',')
				s++;
			for (last = s; last > from && is_blank(last[-1]); last--)
				;
			cell[nr] =
				(struct cell){ .s = from, .len = (u32)(last - from), .col = col };
		}
		nr++;
		if (s == end)
			return (int)nr;
		s++;
	}
}

/* Digits with up to @decimals behind the point, as an integer of the last of them. */
static bool parse_number(const struct cell *c, u32 decimals, u64 max, u64 *v)
{
	u32 i = 0, first = 0;

	*v = 0;
	for (; i < c->len && c->s[i] >= '0' && c->s[i] <= '9'; i++) {
		if (*v > max / 10)
			return false;
		*v = *v * 10 + (u64)(c->s[i] - '0');
	}
	if (!i || *v > max)
		return false;
	first = i;
	if (decimals && i < c->len && c->s[i] == '.') {
		for (i++; i < c->len && c->s[i] >= '0' && c->s[i] <= '9'; i++) {
			if (i - first > decimals) {
				if (c->s[i] != '0')
					return false;
				continue;
			}
			*v = *v * 10 + (u64)(c->s[i] - '0');
		}
		if (i == first + 1)
			return false;
	} else {
		i = first;
	}
	if (i != c->len)
		return false;
	/* Decimals not written. */
	for (u32 done = i > first ? i - first - 1 : 0; done < decimals; done++)
		*v *= 10;
	return *v <= max * (decimals ? 1000 : 1);
}

static int read_names(struct parse *p, const struct cell *cell, u32 nr)
{
	char buf[SHOWN];

	for (u32 k = 0; k < NR_COLUMNS; k++)
		p->at[k] = -1;
	for (u32 i = 0; i < nr; i++) {
		u32 k = 0;

		while (k < NR_COLUMNS && !cell_is(&cell[i], column_names[k]))
			k++;
		if (k == NR_COLUMNS) {
			const char *near = suggest(shown(buf, &cell[i]), column_names, NR_COLUMNS);

			return complain(
				p, ERR_USAGE, p->line, cell[i].col,
				"found the column '%s'; the first line names columns, out of "
				"t_us, cpu, task, state, capacity, freq_scale, nice; %s%s%s",
				buf, near ? "did you mean '" : "leave it out", near ? near : "",
				near ? "'?" : "");
		}
		if (p->at[k] >= 0)
			return complain(p, ERR_USAGE, p->line, cell[i].col,
					"found the column '%s' twice; once is allowed",
					column_names[k]);
		p->at[k] = (int)i;
	}
	for (u32 k = 0; k < COL_REQUIRED; k++)
		if (p->at[k] < 0)
			return complain(
				p, ERR_USAGE, p->line, 1,
				"found no column '%s'; t_us, cpu, task and state must be there: "
				"begin with the line t_us,cpu,task,state",
				column_names[k]);
	p->nr_cells = nr;
	p->has_names = true;
	return 0;
}

static int read_time(struct parse *p, const struct cell *c, u64 *t)
{
	const struct pelt_timeline *tl = p->tl;
	char buf[SHOWN];

	if (!parse_number(c, 3, PELT_CSV_SECONDS * 1000000, t))
		return complain(p, ERR_USAGE, p->line, c->col,
				"found '%s' as t_us; microseconds from 0 to %llu with up to three "
				"decimals are allowed, such as 1500 or 1500.250",
				shown(buf, c), (unsigned long long)PELT_CSV_SECONDS * 1000000);
	if (tl->nr_rows && *t < tl->row[tl->nr_rows - 1].t)
		return complain(
			p, ERR_USAGE, p->line, c->col,
			"found time %s after %llu.%03llu in line %u; time may not go back: sort "
			"the lines by t_us",
			shown(buf, c), (unsigned long long)(tl->row[tl->nr_rows - 1].t / 1000),
			(unsigned long long)(tl->row[tl->nr_rows - 1].t % 1000),
			tl->row[tl->nr_rows - 1].line);
	return 0;
}

static int read_cpu(struct parse *p, const struct cell *c, u32 *cpu)
{
	struct pelt_timeline *tl = p->tl;
	char buf[SHOWN];
	u64 v;

	if (!parse_number(c, 0, PELT_CSV_CPU_MAX, &v))
		return complain(p, ERR_USAGE, p->line, c->col,
				"found '%s' as cpu; whole numbers from 0 to %u are allowed",
				shown(buf, c), PELT_CSV_CPU_MAX);
	if (!p->cpu_of[v]) {
		if (tl->nr_cpus == PELT_CSV_CPUS)
			return complain(
				p, ERR_LIMIT, p->line, c->col,
				"found a CPU more than %u; so many different ones are the limit: "
				"split the file",
				PELT_CSV_CPUS);
		tl->cpu[tl->nr_cpus++] = (u32)v;
		p->cpu_of[v] = tl->nr_cpus;
	}
	*cpu = p->cpu_of[v] - 1;
	return 0;
}

static int check_name(struct parse *p, const struct cell *c)
{
	char clean[PELT_CSV_NAME + 1], buf[SHOWN];

	if (!c->len || c->len > PELT_CSV_NAME)
		return complain(p, ERR_USAGE, p->line, c->col,
				"found a task name of %u bytes; 1 to %u are allowed%s", c->len,
				PELT_CSV_NAME, c->len ? ": shorten it" : ": give it a number");
	text_clean_n(clean, sizeof(clean), c->s, c->len);
	if (strlen(clean) != c->len || memcmp(clean, c->s, c->len))
		return complain(
			p, ERR_USAGE, p->line, c->col,
			"found the task name '%s' with characters that cannot be shown; printable "
			"UTF-8 is allowed: rename it",
			shown(buf, c));
	return 0;
}

static int read_task(struct parse *p, const struct cell *c, u32 *task)
{
	struct pelt_timeline *tl = p->tl;
	u32 h = 2166136261u;

	for (u32 i = 0; i < c->len; i++)
		h = (h ^ (unsigned char)c->s[i]) * 16777619u;
	for (h %= HASH_SIZE; p->hash[h]; h = (h + 1) % HASH_SIZE) {
		if (cell_is(c, tl->task[p->hash[h] - 1])) {
			*task = p->hash[h] - 1;
			return 0;
		}
	}
	if (check_name(p, c))
		return -1;
	if (tl->nr_tasks == PELT_CSV_TASKS)
		return complain(p, ERR_LIMIT, p->line, c->col,
				"found a task more than %u; so many are the limit: split the file",
				PELT_CSV_TASKS);
	*task = tl->nr_tasks++;
	tl->task[*task] = xstrndup(c->s, c->len);
	p->hash[h] = tl->nr_tasks;
	p->where[*task] = NONE;
	return 0;
}

static int read_state(struct parse *p, const struct cell *c, u8 *state)
{
	char buf[SHOWN];

	for (u32 i = 0; i < 3; i++) {
		if (cell_is(c, state_names[i])) {
			*state = (u8)i;
			return 0;
		}
	}

	const char *near = suggest(shown(buf, c), state_names, 3);

	return complain(
		p, ERR_USAGE, p->line, c->col,
		"found '%s' as state; run, wait (runnable, not running), sleep are allowed%s%s%s",
		buf, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int read_scale(struct parse *p, const struct cell *cell, enum column k, u16 *v)
{
	char buf[SHOWN];
	u64 n;

	if (p->at[k] < 0 || !cell[p->at[k]].len)
		return 0;
	if (!parse_number(&cell[p->at[k]], 0, 1024, &n) || !n)
		return complain(p, ERR_USAGE, p->line, cell[p->at[k]].col,
				"found '%s' as %s; 1 to 1024 are allowed, 1024 is all of it",
				shown(buf, &cell[p->at[k]]), column_names[k]);
	*v = (u16)n;
	return 0;
}

static int read_nice(struct parse *p, const struct cell *cell, struct pelt_row *row)
{
	char buf[SHOWN];
	u64 n;

	if (p->at[COL_NICE] < 0 || !cell[p->at[COL_NICE]].len)
		return 0;

	const struct cell *c = &cell[p->at[COL_NICE]];
	struct cell digits = *c;
	bool minus = c->s[0] == '-';

	digits.s += minus;
	digits.len -= minus;
	if (!parse_number(&digits, 0, minus ? 20 : 19, &n))
		return complain(p, ERR_USAGE, p->line, c->col,
				"found '%s' as nice; whole numbers from -20 to 19 are allowed",
				shown(buf, c));
	row->has_nice = true;
	row->nice = (s8)(minus ? -(int)n : (int)n);
	return 0;
}

/* Follow who runs where; the check waits for the end of the instant. */
static void note_state(struct parse *p, const struct pelt_row *row)
{
	u32 *where = &p->where[row->task];

	if (row->state == PELT_RUN && *where == row->cpu)
		return;
	if (*where != NONE)
		p->running[*where]--;
	*where = NONE;
	if (row->state == PELT_RUN) {
		*where = row->cpu;
		p->since[row->task] = row->line;
		p->running[row->cpu]++;
	}
}

static int check_instant(struct parse *p)
{
	const struct pelt_timeline *tl = p->tl;

	for (u32 i = tl->nr_rows; i-- > p->instant;) {
		const struct pelt_row *row = &tl->row[i];
		u32 other = 0;

		if (p->where[row->task] != row->cpu || p->running[row->cpu] < 2)
			continue;
		while (other == row->task || p->where[other] != row->cpu)
			other++;
		return complain(
			p, ERR_USAGE, row->line, 1,
			"found task '%s' running on CPU %u while '%s' runs there since line %u; "
			"one at a time is allowed: let '%s' wait or sleep at this time",
			tl->task[row->task], tl->cpu[row->cpu], tl->task[other], p->since[other],
			tl->task[other]);
	}
	p->instant = tl->nr_rows;
	return 0;
}

static int read_row(struct parse *p, const struct cell *cell, u32 nr)
{
	struct pelt_timeline *tl = p->tl;
	struct pelt_row row = { .line = p->line };

	if (nr != p->nr_cells)
		return complain(p, ERR_USAGE, p->line, cell[nr - 1].col,
				"found %u cells; the line of names has %u: give each column a cell",
				nr, p->nr_cells);
	if (read_time(p, &cell[p->at[COL_T]], &row.t))
		return -1;
	if (tl->nr_rows && row.t != tl->row[tl->nr_rows - 1].t && check_instant(p))
		return -1;
	if (read_cpu(p, &cell[p->at[COL_CPU]], &row.cpu) ||
	    read_task(p, &cell[p->at[COL_TASK]], &row.task) ||
	    read_state(p, &cell[p->at[COL_STATE]], &row.state) ||
	    read_scale(p, cell, COL_CAPACITY, &row.capacity) ||
	    read_scale(p, cell, COL_FREQ, &row.freq_scale) || read_nice(p, cell, &row))
		return -1;
	if (tl->nr_rows == PELT_CSV_ROWS)
		return complain(p, ERR_LIMIT, p->line, 1,
				"found a row more than %u; so many are the limit: split the file",
				PELT_CSV_ROWS);
	if (tl->nr_rows == p->room) {
		p->room = p->room ? 2 * p->room : 1024;
		tl->row = xrealloc_array(tl->row, p->room, sizeof(*tl->row));
	}
	tl->row[tl->nr_rows++] = row;
	note_state(p, &row);
	return 0;
}

static int read_line(struct parse *p, char *line, char *end)
{
	struct cell cell[MAX_CELLS];
	char *first = line;
	int nr;

	if (end > line && end[-1] == '\r')
		end--;
	while (first < end && is_blank(*first))
		first++;
	if (first == end || *first == '#')
		return 0;
	nr = split(p, line, end, cell);
	if (nr < 0)
		return -1;
	return p->has_names ? read_row(p, cell, (u32)nr) : read_names(p, cell, (u32)nr);
}

static int read_lines(struct parse *p, char *text, size_t len)
{
	char *end = text + len;

	/* A byte order mark, as some editors leave it. */
	if (len >= 3 && !memcmp(text, "\357\273\277", 3))
		text += 3;
	while (text < end) {
		char *stop = memchr(text, '\n', (size_t)(end - text));

		p->line++;
		if (read_line(p, text, stop ? stop : end))
			return -1;
		text = stop ? stop + 1 : end;
	}
	p->line += !p->line;
	if (!p->has_names)
		return complain(
			p, ERR_USAGE, p->line, 1,
			"found no line; the first one names the columns: t_us,cpu,task,state");
	if (!p->tl->nr_rows)
		return complain(p, ERR_USAGE, p->line, 1,
				"found names and no rows; add rows such as 0,0,A,run");
	return check_instant(p);
}

int pelt_csv_parse(struct pelt_timeline *tl, char *text, size_t len, const char *name,
		   struct err *err)
{
	struct parse *p = xcalloc(1, sizeof(*p));
	int bad;

	*tl = (struct pelt_timeline){
		.task = xcalloc(PELT_CSV_TASKS, sizeof(*tl->task)),
		.cpu = xcalloc(PELT_CSV_CPUS, sizeof(*tl->cpu)),
	};
	p->tl = tl;
	p->err = err;
	p->where = xcalloc(PELT_CSV_TASKS, sizeof(*p->where));
	p->since = xcalloc(PELT_CSV_TASKS, sizeof(*p->since));
	text_clean(p->name, sizeof(p->name), strcmp(name, "-") ? name : "standard input");
	bad = read_lines(p, text, len);
	free(p->where);
	free(p->since);
	free(p);
	return bad;
}

void pelt_timeline_free(struct pelt_timeline *tl)
{
	for (u32 i = 0; i < tl->nr_tasks; i++)
		free(tl->task[i]);
	free(tl->task);
	free(tl->cpu);
	free(tl->row);
	*tl = (struct pelt_timeline){ 0 };
}
