/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ui-term-test.c - ui/term.c on a pseudo terminal: what is refused and how, how many bytes a frame
 * costs, which keys arrive, and what is left behind.
 */
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ui/term.h"

struct pty {
	int master;
	FILE *f;
	char got[1 << 20];
	size_t n;
};

static struct pty pty;

static void pty_size(int w, int h)
{
	struct winsize ws = { .ws_col = (unsigned short)w, .ws_row = (unsigned short)h };

	ioctl(pty.master, TIOCSWINSZ, &ws);
}

static int pty_new(void **state)
{
	int fd;

	(void)state;
	memset(&pty, 0, sizeof(pty));
	pty.master = posix_openpt(O_RDWR | O_NOCTTY);
	if (pty.master < 0 || grantpt(pty.master) || unlockpt(pty.master))
		return -1;
	pty_size(80, 24);
	fd = open(ptsname(pty.master), O_RDWR | O_NOCTTY);
	pty.f = fdopen(fd, "r+");
	setvbuf(pty.f, NULL, _IOFBF, 1 << 16);
	return pty.f ? 0 : -1;
}

static int pty_free(void **state)
{
	(void)state;
	fclose(pty.f);
	if (pty.master >= 0)
		close(pty.master);
	return 0;
}

/* Everything the terminal has been sent since the last call; returns the number of bytes. */
static size_t drain(void)
{
	struct pollfd p = { .fd = pty.master, .events = POLLIN };

	pty.n = 0;
	while (poll(&p, 1, 0) > 0 && p.revents & POLLIN) {
		ssize_t k = read(pty.master, pty.got + pty.n, sizeof(pty.got) - 1 - pty.n);

		if (k <= 0)
			break;
		pty.n += (size_t)k;
	}
	pty.got[pty.n] = '\0';
	return pty.n;
}

static struct terminal *open_as(const char *type)
{
	struct err err = { 0 };
	struct terminal *t = term_open(pty.f, pty.f, type, &err);

	if (!t)
		print_message("# %s\n", err.msg);
	return t;
}

/* The smallest systems have few terminal types; a test without its type is skipped. */
static void need(const char *type)
{
	struct err err = { 0 };
	struct terminal *t = term_open(pty.f, pty.f, type, &err);

	if (!t)
		skip();
	term_close(t);
	drain();
}

static void strange_terminals_are_refused(void **state)
{
	static const char *const types[] = { "no-such-terminal", "dumb", "", "x\033[31m" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct err err = { 0 };

		assert_null(term_open(pty.f, pty.f, types[i], &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_non_null(strstr(err.msg, "TERM=xterm-256color"));
		assert_null(strchr(err.msg, '\033'));
	}
}

static void a_file_is_no_terminal(void **state)
{
	struct err err = { 0 };
	FILE *f = fopen("/dev/null", "r+");

	(void)state;
	assert_null(term_open(f, pty.f, "xterm", &err));
	assert_non_null(strstr(err.msg, "standard input is not a terminal"));
	memset(&err, 0, sizeof(err));
	assert_null(term_open(pty.f, f, "xterm", &err));
	assert_non_null(strstr(err.msg, "standard output is not a terminal"));
	fclose(f);
}

static void an_unchanged_frame_costs_nothing(void **state)
{
	struct terminal *t;
	struct palette p;
	struct canvas c;

	(void)state;
	need("xterm-256color");
	t = open_as("xterm-256color");
	assert_non_null(t);
	palette_init(&p, "auto", term_colours(t), false);
	canvas_init(&c, 80, 24);
	canvas_text(&c, 3, 3, STYLE(COL_ACCENT, COL_BAR_BG, 0), "hello");
	assert_int_equal(term_draw(t, &c, &p, -1, -1), 80 * 24);
	assert_true(drain() > 0);
	assert_non_null(strstr(pty.got, "hello"));
	assert_int_equal(term_draw(t, &c, &p, -1, -1), 0);
	assert_int_equal(drain(), 0);
	canvas_text(&c, 3, 3, STYLE(COL_ACCENT, COL_BAR_BG, 0), "hallo");
	assert_int_equal(term_draw(t, &c, &p, -1, -1), 1);
	assert_in_range(drain(), 1, 64);
	/* another palette is another picture */
	palette_init(&p, "mono", term_colours(t), false);
	assert_int_equal(term_draw(t, &c, &p, -1, -1), 80 * 24);
	canvas_fini(&c);
	term_close(t);
}

/* A large frame does not fit into the pseudo terminal: somebody has to read meanwhile. */
static pid_t reader_start(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		static char sink[1 << 16];

		while (read(pty.master, sink, sizeof(sink)) > 0)
			;
		_exit(0);
	}
	return pid;
}

static void all_colour_depths_and_sizes(void **state)
{
	static const char *const types[] = { "vt100",	       "xterm",
					     "xterm-256color", "screen-256color",
					     "tmux-256color",  "linux",
					     "ansi",	       "xterm-direct" };
	pid_t reader = reader_start();

	(void)state;
	assert_true(reader > 0);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct err err = { 0 };
		struct terminal *t = term_open(pty.f, pty.f, types[i], &err);
		struct palette p;
		struct canvas c;
		int w, h;

		if (!t)
			continue;
		palette_init(&p, "auto", term_colours(t), false);
		for (int k = 0; k < 4; k++) {
			pty_size(20 + k * 160, 5 + k * 65);
			assert_true(term_resize(t));
			assert_false(term_resize(t));
			term_size(t, &w, &h);
			assert_int_equal(w, 20 + k * 160);
			canvas_init(&c, w, h);
			for (int y = 0; y < h; y++)
				for (int x = 0; x < w; x++)
					canvas_put(&c, x, y,
						   STYLE((u16)((x + k) % NR_COLOURS),
							 (u16)(y % NR_COLOURS), 0),
						   x % 7 ? 'x' : 0x65e5);
			term_draw(t, &c, &p, 0, 0);
			assert_int_equal(term_draw(t, &c, &p, 0, 0), 0);
			canvas_fini(&c);
		}
		term_close(t);
		pty_size(80, 24);
	}
	kill(reader, SIGKILL);
	waitpid(reader, NULL, 0);
}

static u32 one_key(struct terminal *t)
{
	struct key_event ev;

	return term_key(t, &ev) == TERM_KEY ? ev.key : 0;
}

static void keys_arrive(void **state)
{
	static const char bytes[] = "q\x10\x7f\r\033OA\033b\xc3\xa9\xff"
				    "x";
	struct terminal *t;

	(void)state;
	need("xterm-256color");
	t = open_as("xterm-256color");
	assert_non_null(t);
	assert_int_equal(one_key(t), 0);
	assert_int_equal(write(pty.master, bytes, sizeof(bytes) - 1), sizeof(bytes) - 1);
	assert_int_equal(one_key(t), 'q');
	assert_int_equal(one_key(t), UKEY_CTRL('p'));
	assert_int_equal(one_key(t), UKEY_BACKSPACE);
	assert_int_equal(one_key(t), UKEY_ENTER);
	assert_int_equal(one_key(t), UKEY_UP);
	assert_int_equal(one_key(t), UKEY_ALT | 'b');
	if (term_utf8(t))
		assert_int_equal(one_key(t), 0xe9);
	/* the byte that is no character is skipped, reading goes on */
	for (u32 k = one_key(t), i = 0; k != 'x'; k = one_key(t), i++)
		assert_in_range(i, 0, 4);
	assert_int_equal(one_key(t), 0);
	term_close(t);
}

static void a_vanished_terminal_is_noticed(void **state)
{
	struct key_event ev;
	struct terminal *t;

	(void)state;
	need("xterm-256color");
	t = open_as("xterm-256color");
	assert_non_null(t);
	close(pty.master);
	pty.master = -1;
	assert_int_equal(term_key(t, &ev), TERM_GONE);
	term_close(t);
}

static void the_screen_is_left_clean(void **state)
{
	struct terminal *t;
	struct termios before, during, after;

	(void)state;
	need("xterm-256color");
	tcgetattr(fileno(pty.f), &before);
	t = open_as("xterm-256color");
	assert_non_null(t);
	tcgetattr(fileno(pty.f), &during);
	assert_int_not_equal(before.c_lflag, during.c_lflag);
	/* the way out of a crash */
	drain();
	term_restore_now(term_restore_get(t));
	drain();
	assert_non_null(strstr(pty.got, "\033[?1049l"));
	assert_non_null(strstr(pty.got, "\033[?25h"));
	tcgetattr(fileno(pty.f), &after);
	assert_int_equal(before.c_lflag, after.c_lflag);
	assert_int_equal(before.c_oflag, after.c_oflag);
	/* stop, continue, leave */
	term_suspend(t);
	term_resume(t);
	tcgetattr(fileno(pty.f), &during);
	assert_int_not_equal(before.c_lflag, during.c_lflag);
	term_close(t);
	drain();
	assert_non_null(strstr(pty.got, "\033[?1049l"));
	tcgetattr(fileno(pty.f), &after);
	assert_int_equal(before.c_lflag, after.c_lflag);
}

#define TERM_TEST(f) cmocka_unit_test_setup_teardown(f, pty_new, pty_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TERM_TEST(strange_terminals_are_refused),
		TERM_TEST(a_file_is_no_terminal),
		TERM_TEST(an_unchanged_frame_costs_nothing),
		TERM_TEST(all_colour_depths_and_sizes),
		TERM_TEST(keys_arrive),
		TERM_TEST(a_vanished_terminal_is_noticed),
		TERM_TEST(the_screen_is_left_clean),
	};

	setlocale(LC_ALL, "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
