/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ui-view-test.c - whole screens, compared with the committed ones in tests/screen/, and what keys
 * and commands do to them. After a wanted change: UPDATE_SCREENS=1 make check TESTS=... writes them
 * anew; look at `git diff tests/screen` before committing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/observe/emit.h"
#include "tests/unit/ui-fixture.h"
#include "ui/utf8.h"
#include "ui/view.h"

static char *read_file(const char *path)
{
	static char buf[1 << 18];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return NULL;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	return buf;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Compare what @f shows with tests/screen/@name.txt; prints both if they differ. */
static void expect_screen(struct fixture *f, const char *name, int w, int h)
{
	const char *top = getenv("abs_top_srcdir");
	char path[512], *got = fixture_screen(f, w, h, NULL), *want;

	snprintf(path, sizeof(path), "%s/tests/screen/%s.txt", top ? top : ".", name);
	if (getenv("UPDATE_SCREENS"))
		write_file(path, got);
	want = read_file(path);
	if (!want || strcmp(got, want) != 0) {
		fprintf(stderr, "# screen %s: expected\n%s# got\n%s", name,
			want ? want : "(no file)\n", got);
		free(got);
		fail();
	}
	free(got);
}

static void key(struct fixture *f, const char *name)
{
	struct key_event ev = { .key = ukey_parse(name) };

	assert_int_not_equal(ev.key, 0);
	f->last[0] = '\0';
	ui_key(f->ui, f->s, &ev);
}

/* A key whose command is one of the screen: given back to it, as the application does. */
static void press(struct fixture *f, const char *name)
{
	key(f, name);
	if (f->last[0])
		fixture_cmd(f, f->last);
}

static void screens_of_the_overview(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, GLYPHS_BRAILLE, "256");
	expect_screen(&f, "overview-80x24", 80, 24);
	expect_screen(&f, "overview-160x50", 160, 50);
	expect_screen(&f, "overview-40x12", 40, 12);
	fixture_end(&f);
	fixture_start(&f, GLYPHS_ASCII, "mono");
	expect_screen(&f, "overview-ascii-80x24", 80, 24);
	fixture_end(&f);
	fixture_start(&f, GLYPHS_BLOCKS, "16");
	expect_screen(&f, "overview-blocks-80x24", 80, 24);
	fixture_end(&f);
}

static void screens_of_each_view(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, GLYPHS_BRAILLE, "256");
	fixture_cmd(&f, "view heat");
	fixture_cmd(&f, "heat freq");
	expect_screen(&f, "heat-freq-80x24", 80, 24);
	fixture_cmd(&f, "curves task video");
	fixture_cmd(&f, "curves toggle load");
	fixture_cmd(&f, "window 200ms");
	fixture_cmd(&f, "view curves");
	expect_screen(&f, "curves-task-80x24", 80, 24);
	expect_screen(&f, "curves-task-160x50", 160, 50);
	fixture_cmd(&f, "view tasks");
	fixture_cmd(&f, "tasks sort util");
	expect_screen(&f, "tasks-160x50", 160, 50);
	fixture_cmd(&f, "view events");
	fixture_cmd(&f, "filter video");
	fixture_cmd(&f, "cursor up");
	fixture_cmd(&f, "cursor up");
	expect_screen(&f, "events-80x24", 80, 24);
	fixture_cmd(&f, "view domains");
	fixture_cmd(&f, "cursor down");
	expect_screen(&f, "domains-80x24", 80, 24);
	fixture_cmd(&f, "view energy");
	expect_screen(&f, "energy-80x24", 80, 24);
	fixture_cmd(&f, "view nohz");
	expect_screen(&f, "nohz-80x24", 80, 24);
	fixture_cmd(&f, "view console");
	ui_log(f.ui, UI_INPUT, "print(1 + 1)");
	ui_log(f.ui, UI_PRINT, "2");
	ui_log(f.ui, UI_INPUT, "policy governor performance");
	ui_log(f.ui, UI_LUA, "policy.use(\"governor\", \"performance\")");
	ui_log(f.ui, UI_ERROR, "console:1: attempt to call a nil value (global 'nope')");
	ui_log(f.ui, UI_INFO,
	       "a line that is longer than the screen is wide breaks between two words, and the "
	       "rest begins at the left");
	expect_screen(&f, "console-80x24", 80, 24);
	fixture_end(&f);
}

/* A CPU that is offline is shown by a word, not by colour alone. */
static void screen_of_an_offline_cpu(void **state)
{
	struct sim_input in = { .kind = INPUT_CPU_ONLINE, .a = 3 };
	struct fixture f;
	struct err err = { 0 };

	(void)state;
	fixture_start(&f, GLYPHS_ASCII, "mono");
	assert_int_equal(sim_input(f.s, &in, NULL, &err), 0);
	fixture_run(&f, f.s->g->now + 100 * NSEC_PER_MSEC);
	fixture_cmd(&f, "view heat");
	expect_screen(&f, "heat-offline-80x24", 80, 24);
	fixture_end(&f);
}

static void screens_of_the_menus(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, GLYPHS_BRAILLE, "256");
	fixture_cmd(&f, "menu inject");
	expect_screen(&f, "menu-inject-80x24", 80, 24);
	fixture_cmd(&f, "menu knobs");
	expect_screen(&f, "menu-knobs-80x24", 80, 24);
	key(&f, "Esc");
	press(&f, "?");
	expect_screen(&f, "help-80x24", 80, 24);
	/* Opened on a small screen, its sentences are wrapped for that. */
	key(&f, "Esc");
	expect_screen(&f, "overview-small-40x12", 40, 12);
	press(&f, "?");
	expect_screen(&f, "help-40x12", 40, 12);
	fixture_end(&f);
}

/* A scenario ends a task and starts it anew with another load: the curves go on with that one. */
static void curves_follow_a_task_started_anew(void **state)
{
	struct sim_input in = { .kind = INPUT_KILL, .origin = ORIGIN_SCRIPT };
	struct err err = { 0 };
	struct fixture f;
	char *text;

	(void)state;
	fixture_start(&f, GLYPHS_BRAILLE, "256");
	fixture_cmd(&f, "curves task web");
	free(fixture_screen(&f, 80, 24, NULL));
	in.serial = f.s->tasks[sim_find_task_by_name(f.s, "web")].serial;
	assert_int_equal(sim_input(f.s, &in, NULL, &err), 0);
	fixture_run(&f, f.s->g->now + 50 * NSEC_PER_MSEC);
	text = fixture_screen(&f, 80, 24, NULL);
	assert_non_null(strstr(text, "which is gone"));
	free(text);
	fixture_spawn(f.s, "web", 3, 0, 10 * NSEC_PER_MSEC, 20 * NSEC_PER_MSEC);
	fixture_run(&f, f.s->g->now + 50 * NSEC_PER_MSEC);
	text = fixture_screen(&f, 80, 24, NULL);
	assert_non_null(strstr(text, "task web on cpu 3"));
	free(text);
	fixture_end(&f);
}

/* A field of a CPU's number is no task; functions of the kernel are there for who asks. */
static void events_say_what_they_mean(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_start(&f, GLYPHS_ASCII, "mono");
	trace_emit(f.s, TR_select_cpu, 0, 0, trace_pair(1, 3000), 0);
	trace_emit(f.s, TR_kfunc_entry, 0, 0, 0, 0);
	fixture_cmd(&f, "view events");
	fixture_cmd(&f, "filter select_cpu");
	text = fixture_screen(&f, 160, 50, NULL);
	assert_non_null(strstr(text, " prev_cpu=3000 "));
	assert_null(strstr(text, "gone"));
	free(text);
	fixture_cmd(&f, "filter kfunc");
	text = fixture_screen(&f, 160, 50, NULL);
	assert_non_null(strstr(text, "kfunc_entry"));
	free(text);
	fixture_cmd(&f, "filter");
	text = fixture_screen(&f, 160, 50, NULL);
	assert_null(strstr(text, "kfunc_"));
	assert_non_null(strstr(text, "sched_switch"));
	free(text);
	fixture_end(&f);
}

static void energy_counts_cpus_that_are_off(void **state)
{
	const struct sim_input off = { .kind = INPUT_CPU_ONLINE, .a = 3, .b = 0 };
	struct err err = { 0 };
	struct fixture f;
	char *text;

	(void)state;
	fixture_start(&f, GLYPHS_ASCII, "mono");
	fixture_cmd(&f, "view energy");
	text = fixture_screen(&f, 80, 24, NULL);
	assert_null(strstr(text, "off)"));
	free(text);
	assert_int_equal(sim_input(f.s, &off, NULL, &err), 0);
	assert_int_equal(sim_apply_inputs(f.s), 0);
	text = fixture_screen(&f, 80, 24, NULL);
	assert_non_null(strstr(text, "CPUs 2-3 (1 off)"));
	free(text);
	fixture_end(&f);
}

static void screens_of_larger_machines(void **state)
{
	static const struct {
		const char *name;
		struct shape shape;
		int h;
	} machines[] = {
		{ "heat-nodes-80x24", { 0, 8, 4, 1 }, 24 },
		{ "heat-smt-80x24", { 4, 8, 1, 2 }, 24 },
		{ "heat-256-80x24", { 0, 64, 4, 2 }, 24 },
		{ "heat-1024-80x24", { 0, 64, 16, 1 }, 24 },
		{ "heat-1024-80x14", { 0, 64, 16, 1 }, 14 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct sim *s = fixture_sim(machines[i].shape);
		struct fixture f;

		assert_non_null(s);
		for (int k = 0; k < 12; k++) {
			char name[16];

			snprintf(name, sizeof(name), "t%d", k);
			fixture_spawn(s, name, (cpu_id)k * 3 % s->g->nr_cpus, 0,
				      (u64)(k % 5 + 1) * NSEC_PER_MSEC, 16 * NSEC_PER_MSEC);
		}
		fixture_ui(&f, s, GLYPHS_BRAILLE, "256");
		fixture_run(&f, NSEC_PER_SEC);
		fixture_cmd(&f, "view heat");
		expect_screen(&f, machines[i].name, 80, machines[i].h);
		fixture_end(&f);
	}
}

static void every_size_is_drawn(void **state)
{
	static const struct {
		int w, h;
	} sizes[] = { { 1, 1 },	   { 19, 5 },  { 20, 4 },  { 20, 5 },	{ 21, 6 },  { 28, 9 },
		      { 33, 10 },  { 40, 11 }, { 50, 14 }, { 60, 20 },	{ 79, 23 }, { 81, 25 },
		      { 100, 10 }, { 20, 90 }, { 200, 5 }, { 500, 200 } };
	static const char *const cmds[] = { "view overview", "view heat",   "view curves",
					    "view tasks",    "view events", "view console",
					    "menu policy",   "menu knobs",  "menu inject",
					    "help",	     "menu palette" };
	struct fixture f;

	(void)state;
	fixture_start(&f, GLYPHS_BRAILLE, "256");
	for (size_t k = 0; k < ARRAY_SIZE(cmds); k++) {
		fixture_cmd(&f, cmds[k]);
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			char *text = fixture_screen(&f, sizes[i].w, sizes[i].h, NULL), *line,
			     *save = NULL;
			int rows = 0;

			for (line = strtok_r(text, "\n", &save); line;
			     line = strtok_r(NULL, "\n", &save)) {
				assert_true(utf8_cols(line) <= sizes[i].w);
				rows++;
			}
			assert_true(rows <= sizes[i].h);
			if (sizes[i].w < 20 || sizes[i].h < 5)
				assert_true(rows <= 1); /* advice, nothing else */
			else
				assert_true(rows >= 3);
			free(text);
		}
	}
	fixture_end(&f);
}

static void looking_changes_nothing(void **state)
{
	struct fixture f;
	u64 before;

	(void)state;
	fixture_start(&f, GLYPHS_BRAILLE, "256");
	before = sim_digest(f.s);
	for (int i = 0; i < NR_VIEWS; i++) {
		char cmd[32];

		snprintf(cmd, sizeof(cmd), "view %s", views[i]->name);
		fixture_cmd(&f, cmd);
		free(fixture_screen(&f, 120, 40, NULL));
		ui_sample(f.ui, f.s);
	}
	assert_true(before == sim_digest(f.s));
	fixture_end(&f);
}

static void the_same_run_is_the_same_with_and_without_screen(void **state)
{
	struct sim *s = fixture_sim((struct shape){ 2, 2, 1, 1 });
	struct fixture f;

	(void)state;
	fixture_start(&f, GLYPHS_BRAILLE, "256");
	fixture_spawn(s, "video", 0, 0, 4 * NSEC_PER_MSEC, 16 * NSEC_PER_MSEC);
	fixture_spawn(s, "web", 3, -5, 30 * NSEC_PER_MSEC, 200 * NSEC_PER_MSEC);
	fixture_spawn(s, "indexer", 2, 10, 0, 0);
	fixture_spawn(s, "audio\033[31m", 1, -10, 500 * NSEC_PER_USEC, 10 * NSEC_PER_MSEC);
	sim_run_until(s, 3200 * NSEC_PER_MSEC, 0);
	assert_true(sim_digest(s) == sim_digest(f.s));
	sim_free(s);
	fixture_end(&f);
}

static void hostile_names_are_shown_harmless(void **state)
{
	struct palette p;
	struct fixture f;
	char *text;

	(void)state;
	fixture_start(&f, GLYPHS_BRAILLE, "256");
	text = fixture_screen(&f, 120, 40, NULL);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "audio\xef\xbf\xbd[31m"));
	free(text);
	/* With colours there are escapes, but only our own: none is followed by the name's "31m". */
	palette_init(&p, "256", 256, false);
	text = fixture_screen(&f, 120, 40, &p);
	assert_null(strstr(text, "\033[31m"));
	free(text);
	fixture_end(&f);
}

static void keys_give_commands(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, GLYPHS_ASCII, "mono");
	key(&f, "space");
	assert_string_equal(f.last, "toggle");
	key(&f, ".");
	assert_string_equal(f.last, "step event");
	key(&f, "Down");
	assert_string_equal(f.last, "cursor down");
	key(&f, "F12");
	assert_string_equal(f.last, "");
	fixture_end(&f);
}

static void the_prompt_takes_keys_and_gives_the_line(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_start(&f, GLYPHS_ASCII, "mono");
	key(&f, ":");
	key(&f, "q"); /* a letter now, not quit */
	assert_string_equal(f.last, "");
	text = fixture_screen(&f, 80, 24, NULL);
	assert_non_null(strstr(text, "\n: q\n"));
	free(text);
	key(&f, "Enter");
	assert_string_equal(f.last, "q");
	key(&f, "/");
	text = fixture_screen(&f, 80, 24, NULL);
	assert_non_null(strstr(text, "\n: filter"));
	free(text);
	key(&f, "Esc");
	key(&f, "q");
	assert_string_equal(f.last, "quit");
	fixture_end(&f);
}

static void menus_give_commands(void **state)
{
	struct fixture f;

	(void)state;
	fixture_start(&f, GLYPHS_ASCII, "mono");
	press(&f, "p");
	for (const char *c = "performance"; *c; c++)
		key(&f, (char[]){ *c, '\0' });
	key(&f, "Enter");
	assert_string_equal(f.last, "policy governor performance");
	press(&f, "K");
	key(&f, "Right");
	assert_string_equal(f.last, "knob load 45");
	key(&f, "Down");
	key(&f, "Left");
	assert_string_equal(f.last, "set pick.slice_us 2900");
	key(&f, "Esc");
	press(&f, "t");
	key(&f, "Enter");
	assert_string_equal(f.last, "spawn mine 20% 16ms nice=0 instances=1");
	press(&f, "C-p");
	for (const char *c = "speed"; *c; c++)
		key(&f, (char[]){ *c, '\0' });
	key(&f, "Enter"); /* wants an argument: the prompt opens with it */
	key(&f, "2");
	key(&f, "Enter");
	assert_string_equal(f.last, "speed 2");
	fixture_end(&f);
}

static void bad_commands_say_what_is_allowed(void **state)
{
	static const struct {
		const char *line, *hint;
	} bad[] = {
		{ "view nonsense", "overview, heat" },
		{ "heat nonsense", "util, running" },
		{ "window 1ns", "10ms" },
		{ "cursor sideways", "pgup" },
		{ "menu lunch", "policy" },
		{ "focus pocus", "next" },
		{ "curves x", "toggle" },
		{ "tasks x", "sort" },
		{ "frobnicate x", "no command" },
	};
	struct fixture f;

	(void)state;
	fixture_start(&f, GLYPHS_ASCII, "mono");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char line[64], *argv[2] = { line, NULL };
		struct err err = { 0 };

		snprintf(line, sizeof(line), "%s", bad[i].line);
		argv[1] = strchr(line, ' ') + 1;
		argv[1][-1] = '\0';
		assert_int_equal(ui_command(f.ui, f.s, 2, argv, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_non_null(strstr(err.msg, bad[i].hint));
	}
	fixture_end(&f);
}

/* Any keys in any order, with menus and prompt, at any size: nothing breaks. */
static void random_keys_break_nothing(void **state)
{
	static const u32 some[] = { UKEY_UP,
				    UKEY_DOWN,
				    UKEY_LEFT,
				    UKEY_RIGHT,
				    UKEY_HOME,
				    UKEY_END,
				    UKEY_PGUP,
				    UKEY_PGDN,
				    UKEY_TAB,
				    UKEY_BTAB,
				    UKEY_ENTER,
				    UKEY_ESC,
				    UKEY_BACKSPACE,
				    UKEY_CTRL('p'),
				    UKEY_CLICK,
				    UKEY_WHEEL_DOWN,
				    '1',
				    '2',
				    '3',
				    '4',
				    '5',
				    '0',
				    'p',
				    't',
				    'K',
				    ':',
				    '/',
				    '?',
				    'v',
				    'z',
				    '(',
				    ')',
				    'o',
				    'O',
				    'u',
				    'e',
				    'w',
				    0x65e5 };
	struct fixture f;
	u64 x = 3;

	(void)state;
	fixture_start(&f, GLYPHS_BLOCKS, "256");
	for (int i = 0; i < 4000; i++) {
		struct key_event ev = { 0 };

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		ev.key = some[(x >> 33) % ARRAY_SIZE(some)];
		ev.x = (int)(x >> 40) % 100;
		ev.y = (int)(x >> 50) % 30;
		f.last[0] = '\0';
		ui_key(f.ui, f.s, &ev);
		if (f.last[0]) {
			char line[256], *argv[8], *save = NULL;
			struct err err = { 0 };
			int argc = 0;

			snprintf(line, sizeof(line), "%s", f.last);
			for (char *w = strtok_r(line, " ", &save); w && argc < 8;
			     w = strtok_r(NULL, " ", &save))
				argv[argc++] = w;
			if (argc && ui_is_command(argv[0]))
				ui_command(f.ui, f.s, argc, argv, &err);
		}
		if (i % 8 == 0)
			free(fixture_screen(&f, 20 + i % 90, 5 + i % 31, NULL));
	}
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens_of_the_overview),
		cmocka_unit_test(screens_of_each_view),
		cmocka_unit_test(screen_of_an_offline_cpu),
		cmocka_unit_test(screens_of_the_menus),
		cmocka_unit_test(events_say_what_they_mean),
		cmocka_unit_test(energy_counts_cpus_that_are_off),
		cmocka_unit_test(screens_of_larger_machines),
		cmocka_unit_test(every_size_is_drawn),
		cmocka_unit_test(looking_changes_nothing),
		cmocka_unit_test(the_same_run_is_the_same_with_and_without_screen),
		cmocka_unit_test(hostile_names_are_shown_harmless),
		cmocka_unit_test(keys_give_commands),
		cmocka_unit_test(the_prompt_takes_keys_and_gives_the_line),
		cmocka_unit_test(menus_give_commands),
		cmocka_unit_test(bad_commands_say_what_is_allowed),
		cmocka_unit_test(curves_follow_a_task_started_anew),
		cmocka_unit_test(random_keys_break_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
