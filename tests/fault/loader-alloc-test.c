/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loader-alloc-test.c - every allocation of every loader fails once: the loader then reports an error
 * and holds nothing, or the front end ends with its line on stderr. Without a failure it holds
 * nothing either.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fault/fault.h"

#include <cmocka.h>

#include "app/app.h"
#include "app/host.h"
#include "app/lua/script.h"
#include "app/machine.h"
#include "app/readfile.h"
#include "app/rtapp.h"
#include "app/xalloc.h"

struct job {
	const char *name;
	char *text;
	size_t len;
	struct err err;
};

static int machine(void *arg)
{
	struct job *j = arg;
	struct note_list notes = { 0 };
	struct machine_desc *m;
	int ret = machine_parse(j->text, j->len, "x", &m, &notes, &j->err);

	machine_free(m);
	note_list_fini(&notes);
	return ret;
}

static int spec(void *arg)
{
	struct job *j = arg;
	struct machine_desc *m;
	int ret = machine_load(j->text, j->name, &m, NULL, &j->err);

	machine_free(m);
	return ret;
}

static int rtapp(void *arg)
{
	struct job *j = arg;
	static const struct json_define def = { "CALIBRATION_VAL", "\"CPU0\"" };
	struct rtapp_options opt = { .nr_cpus = 4, .defs = &def, .nr_defs = 1 };
	struct note_list notes = { 0 };
	struct rtapp *r;
	int ret = rtapp_parse(j->text, j->len, &opt, &r, &notes, &j->err);

	rtapp_free(r);
	note_list_fini(&notes);
	return ret;
}

static int options(void *arg)
{
	struct job *j = arg;
	char words[][12] = { "x",	 "run", "a.lua", "-s", "hz=250", "-p",
			     "pick=cfs", "-D",	"A=1",	 "-e", "pause" };
	char *argv[ARRAY_SIZE(words) + 1] = { NULL };
	struct options o;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		argv[i] = words[i];
	ret = options_parse(&o, (int)ARRAY_SIZE(words), argv, &j->err);
	options_fini(&o);
	return ret;
}

static struct sim *build(void *ctx, const struct script_scenario *sc, struct err *err)
{
	struct sim **s = ctx;
	struct sim_config cfg = { .seed = 1 };
	struct machine_desc *m;

	(void)sc;
	if (machine_load("2", getenv("SG_MACHINES"), &m, NULL, err))
		return NULL;
	cfg.machine = m;
	*s = sim_new(&cfg, err);
	machine_free(m);
	return *s;
}

static int lua(void *arg)
{
	struct job *j = arg;
	struct sim *sim = NULL;
	struct script_host host = { .ctx = &sim, .build = build };
	struct script *s = script_new(&host, NULL, &j->err);
	int ret = s ? script_load(s, j->text, j->len, "x.lua", &j->err) : -1;

	script_free(s);
	sim_free(sim);
	return ret;
}

/* One point after the other; @step apart where there are many. */
static void every_point(int (*fn)(void *), struct job *j, unsigned step)
{
	unsigned n = 0, errors = 0, ends = 0;
	bool gave_up, hit;

	do {
		int ret;
		unsigned left;

		n += n ? step : 1;
		memset(&j->err, 0, sizeof(j->err));
		ret = fault_try(n, fn, j, &gave_up);
		hit = fault_hit();
		left = fault_end();
		if (gave_up) {
			ends++;
			continue;
		}
		if (left)
			fail_msg("point %u: %u blocks are held after the %s", n, left,
				 ret ? "error" : "end");
		if (ret && !j->err.msg[0])
			fail_msg("point %u: an error without a text", n);
		if (ret && hit && j->err.code != ERR_LIMIT && !strstr(j->err.msg, "memory"))
			fail_msg("point %u: no memory is told as: %s", n, j->err.msg);
		if (ret && !hit)
			fail_msg("point %u: %s", n, j->err.msg);
		errors += ret != 0;
	} while (hit);
	print_message("# %u points: %u errors, %u ends\n", n - 1, errors, ends);
	assert_true(errors + ends > 0);
}

static char *read_top(const char *name, size_t *len)
{
	const char *top = getenv("abs_top_srcdir");
	char *path = xasprintf("%s/%s", top ? top : ".", name), *buf;
	struct err err = { 0 };

	if (read_file(path, 1 << 20, &buf, len, &err))
		fail_msg("%s", err.msg);
	free(path);
	return buf;
}

static void machine_files(void **state)
{
	struct job j = { 0 };

	(void)state;
	j.text = read_top("scenarios/machine/smp4.json", &j.len);
	every_point(machine, &j, 1);
	free(j.text);
}

static void machine_specs(void **state)
{
	char text[] = "2x2", hybrid[] = "1+1";
	struct job j = { .name = getenv("SG_MACHINES"), .text = text };

	(void)state;
	every_point(spec, &j, 7);
	j.text = hybrid;
	every_point(spec, &j, 31);
}

static void rtapp_files(void **state)
{
	struct job j = { 0 };

	(void)state;
	j.text = read_top("tests/data/rtapp-all-events.json", &j.len);
	every_point(rtapp, &j, 1);
	free(j.text);
}

static void command_line(void **state)
{
	struct job j = { 0 };

	(void)state;
	every_point(options, &j, 1);
}

static void scripts(void **state)
{
	char text[] =
		"scenario { name = 'x' }\n"
		"local a = task.spawn { name = 'A', program = periodic { period = '4ms', duty = 50 } }\n"
		"at('2ms', function() a:set_nice(3) end)\n"
		"on('sched_switch', function(ev) end)\n"
		"expect { metric = 'latency.all.p99_us', max = 1000 }\n";
	struct job j = { .text = text, .len = sizeof(text) - 1 };

	(void)state;
	/* Lua survives a denial and asks again, so that one run has very many points. */
	every_point(lua, &j, 53);
}

/* Every allocation after the failing one fails too, or none does. */
static int from_there_on(void **state)
{
	(void)state;
	fault_alone(false);
	return 0;
}

static int alone(void **state)
{
	(void)state;
	fault_alone(true);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(machine_files, from_there_on),
		cmocka_unit_test_setup(machine_specs, from_there_on),
		cmocka_unit_test_setup(rtapp_files, from_there_on),
		cmocka_unit_test_setup(command_line, from_there_on),
		cmocka_unit_test_setup(scripts, from_there_on),
		cmocka_unit_test_setup(machine_files, alone),
		cmocka_unit_test_setup(machine_specs, alone),
		cmocka_unit_test_setup(rtapp_files, alone),
		cmocka_unit_test_setup(command_line, alone),
		cmocka_unit_test_setup(scripts, alone),
	};
	const char *top = getenv("abs_top_srcdir");
	char dir[4096];
	cJSON_Hooks hooks = { .malloc_fn = malloc, .free_fn = free };

	snprintf(dir, sizeof(dir), "%s/scenarios/machine", top ? top : ".");
	setenv("SG_MACHINES", dir, 1);
	cJSON_InitHooks(&hooks);
	return cmocka_run_group_tests_name("allocation failures of the loaders", tests, NULL, NULL);
}
