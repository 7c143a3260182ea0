/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.c - the command line, out of one table that help and error messages use too. What help says
 * around the table is in options_help.c.
 */
#include "app/options.h"

#include "app/options_int.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/units.h"
#include "app/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum opt_id {
	OPT_MACHINE,
	OPT_KERNEL,
	OPT_POLICY,
	OPT_SET,
	OPT_SEED,
	OPT_FOR,
	OPT_DEFINE,
	OPT_EXEC,
	OPT_SCRIPT,
	OPT_JSON,
	OPT_OUT,
	OPT_QUIET,
	OPT_TRACE,
	OPT_TIMING,
	OPT_CHECK,
	OPT_CHECK_EVENTS,
	OPT_GLYPHS,
	OPT_COLOUR,
	OPT_COLOR,
	OPT_FRAME,
	OPT_QUICK,
	OPT_SAMPLE,
	OPT_HALF_LIFE,
	OPT_RULE,
	OPT_HZ,
	OPT_NEW_TASKS,
	OPT_LINT,
	OPT_HELP,
	OPT_VERSION,
	OPT_VARY,
	OPT_SEEDS,
	OPT_JOBS,
	OPT_METRICS,
	OPT_SHARD,
	OPT_TIMEOUT,
	OPT_SESSION,
	NR_OPTS
};

struct opt_desc {
	const char *name;
	char letter;
	const char *arg; /* NULL: none */
	unsigned on;
	const char *help; /* NULL: not shown */
};

static const struct opt_desc opts[NR_OPTS] = {
	[OPT_MACHINE] = { "machine", 'm', "NAME|FILE|host|SPEC", ON_SIM | ON_TOPO,
			  "shipped machine, JSON or hwloc XML file, host, or a spec: 6+2, 4x16, 8" },
	[OPT_KERNEL] = { "kernel", 'k', "PROFILE", ON_SIM | ON_TOPO | ON_PELT,
			 "kernel generation: v5.4 v5.10 v5.13 v6.1 v6.6 v6.12" },
	[OPT_POLICY] = { "policy", 'p', "SLOT=NAME", ON_SIM, "replace a policy; may be repeated" },
	[OPT_SET] = { "set", 's', "NAME=VALUE", ON_SIM,
		      "a knob, SLOT.PARAMETER or tunable; may be repeated" },
	[OPT_SEED] = { "seed", 'S', "N", ON_SIM, "seed of every random stream" },
	[OPT_FOR] = { "for", 't', "TIME", ON_SIM, "simulated duration: 500ms, 10s" },
	[OPT_DEFINE] = { "define", 'D', "NAME=VALUE", ON_SIM, "placeholder in an rt-app file" },
	[OPT_EXEC] = { "exec", 'e', "COMMAND", ON_SIM, "run a command at time 0; may be repeated" },
	[OPT_SCRIPT] = { "script", 0, "FILE", ON_SIM, "run a Lua file at time 0; may be repeated" },
	[OPT_JSON] = { "json", 0, NULL, ON_RUN | ON_COMPARE | ON_LIST | ON_BENCH | ON_TOPO,
		       "machine-readable output" },
	[OPT_OUT] = { "output", 'o', "FILE", ON_SIM | ON_LIST | ON_BENCH | ON_TOPO | ON_PELT,
		      "where the output goes instead of stdout" },
	[OPT_QUIET] = { "quiet", 'q', NULL, ON_RUN | ON_CELLS | ON_BENCH, "no progress, no notes" },
	[OPT_TRACE] = { "trace", 0, "FILE", ON_RUN,
			"write trace events: .csv, .fgraph, else text as ftrace prints it" },
	[OPT_TIMING] = { "timing", 0, NULL, ON_RUN, "add wall time and host under \"host\"" },
	[OPT_CHECK_EVENTS] = { "check", 0, NULL, ON_RUN, "check all invariants after every event" },
	[OPT_CHECK] = { "check-determinism", 0, NULL, ON_RUN, "run twice and compare" },
	[OPT_GLYPHS] = { "glyphs", 0, "ascii|blocks|braille", ON_UI, "characters to draw with" },
	[OPT_COLOUR] = { "colour", 0, "auto|mono|16|256|direct|cvd", ON_UI,
			 "colours to draw with; NO_COLOR is honoured" },
	[OPT_COLOR] = { "color", 0, "auto|mono|16|256|direct|cvd", ON_UI, NULL },
	[OPT_FRAME] = { "frame", 0, NULL, ON_UI,
			"print one frame as text (COLUMNS x LINES) and leave" },
	[OPT_QUICK] = { "quick", 0, NULL, ON_BENCH, "a tenth of the simulated time" },
	[OPT_LINT] = { "lint", 0, NULL, ON_TOPO,
		       "contradictions and surprises instead; exit 1 on a contradiction" },
	[OPT_SAMPLE] = { "sample", 0, "TIME", ON_PELT,
			 "a row of every task each so often, as of that time: 1ms" },
	[OPT_HALF_LIFE] = { "half-life", 0, "8|16|32", ON_PELT, "half-life of averages in ms" },
	[OPT_RULE] = { "rule", 0, "runnable|idle-aware|revert|v5.4", ON_PELT,
		       "when util_est may fall; the kernel's unless given" },
	[OPT_HZ] = { "hz", 0, "N", ON_PELT, "ticks per second of a busy CPU, 10 to 1000: 250" },
	[OPT_NEW_TASKS] = { "new-tasks", 0, NULL, ON_PELT,
			    "tasks that do not begin with sleep are forked then" },
	[OPT_HELP] = { "help", 'h', NULL, ON_ALL, "this text" },
	[OPT_VERSION] = { "version", 'V', NULL, ON_ALL, "version, and no more" },
	[OPT_VARY] = { "vary", 0, "NAME=A,B", ON_CELLS,
		       "values to try of a slot, knob, tunable, SLOT.PARAMETER, kernel or machine" },
	[OPT_SEEDS] = { "seeds", 0, "K", ON_CELLS, "each with K seeds, from --seed on: 1" },
	[OPT_JOBS] = { "jobs", 'j', "J", ON_CELLS, "at most J runs at a time: all cores" },
	[OPT_METRICS] = { "metrics", 0, "PATTERN", ON_COMPARE,
			  "metrics to show, such as latency or 'nohz.*,energy.total_uj'" },
	[OPT_SHARD] = { "shard", 0, "I/N", ON_SWEEP, "every Nth cell from the Ith on" },
	[OPT_TIMEOUT] = { "timeout", 0, "TIME", ON_CELLS, "real time that one run may take" },
	[OPT_SESSION] = { "session", 0, "FILE", 0, NULL },
};

const char *const subcommand_names[] = { "run",	    "list",  "bench", "topo", "pelt",
					 "compare", "sweep", "help",  NULL };

/* Named in the contract, not in this version. */
static const char *const later_subcommands[] = { "import",  "export", "replay",
						 "present", "follow", NULL };

static const char *const sub_words[] = {
	[SUB_UI] = "schedground",
	[SUB_RUN] = "schedground run",
	[SUB_LIST] = "schedground list",
	[SUB_BENCH] = "schedground bench",
	[SUB_TOPO] = "schedground topo",
	[SUB_PELT] = "schedground pelt",
	[SUB_COMPARE] = "schedground compare",
	[SUB_SWEEP] = "schedground sweep",
	[SUB_HELP] = "schedground help",
	[SUB_VERSION] = "schedground --version",
};

int exit_code_of(const struct err *err)
{
	switch (err->code) {
	case ERR_NONE:
		return EXIT_DONE;
	case ERR_USAGE:
		return EXIT_USAGE;
	case ERR_SCRIPT:
		return EXIT_SCRIPT;
	case ERR_DIVERGED:
		return EXIT_DIVERGED;
	case ERR_LIMIT:
		return EXIT_LIMIT;
	}
	return EXIT_USAGE;
}

static bool in_list(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

/* The nearest of those that the subcommand takes comes first, then any. */
static int unknown_option(const char *shown, size_t len, bool is_long, unsigned on, struct err *err)
{
	const char *names[NR_OPTS];
	char word[64], clean[64];
	size_t nr = 0;

	snprintf(word, sizeof(word), "%.*s", (int)(len < 60 ? len : 60), shown);
	text_clean(clean, sizeof(clean), word);
	for (unsigned i = 0; i < NR_OPTS; i++)
		if (opts[i].help && (opts[i].on & on))
			names[nr++] = opts[i].name;

	const char *near = is_long ? suggest(word, names, nr) : NULL;

	for (unsigned i = 0; i < NR_OPTS && is_long && !near; i++)
		if (opts[i].help)
			near = suggest(word, &opts[i].name, 1);

	if (near)
		return err_set(err, ERR_USAGE, "unknown option '--%s'; did you mean '--%s'?", clean,
			       near);
	return err_set(err, ERR_USAGE, "unknown option '%s%s'; see 'schedground --help'",
		       is_long ? "--" : "-", clean);
}

static int add_pair(struct option_pairs *list, const char *text, enum opt_id id, struct err *err)
{
	const char *eq = strchr(text, '=');
	char clean[64];

	if (!eq || eq == text) {
		text_clean(clean, sizeof(clean), text);
		return err_set(err, ERR_USAGE, "option '--%s' takes %s, not '%s'", opts[id].name,
			       opts[id].arg, clean);
	}
	list->v = xrealloc_array(list->v, list->nr + 1, sizeof(*list->v));
	list->v[list->nr].name = xstrndup(text, (size_t)(eq - text));
	list->v[list->nr].value = xstrdup(eq + 1);
	list->nr++;
	return 0;
}

static void add_exec(struct options *o, enum exec_kind kind, const char *text)
{
	o->execs = xrealloc_array(o->execs, o->nr_execs + 1, sizeof(*o->execs));
	o->execs[o->nr_execs].kind = kind;
	o->execs[o->nr_execs].text = text;
	o->nr_execs++;
}

static int parse_seed(const char *text, u64 *seed, struct err *err)
{
	char clean[40];
	u64 v = 0;

	for (const char *p = text; *p; p++) {
		if (*p < '0' || *p > '9' || v > SEED_MAX)
			goto bad;
		v = v * 10 + (u64)(*p - '0');
	}
	if (!*text || v > SEED_MAX)
		goto bad;
	*seed = v;
	return 0;
bad:
	text_clean(clean, sizeof(clean), text);
	return err_set(err, ERR_USAGE, "'%s' is no seed: whole numbers 0 .. %llu are", clean,
		       (unsigned long long)SEED_MAX);
}

/* Is @value one of the words of "a|b|c"? */
static int check_choice(enum opt_id id, const char *value, struct err *err)
{
	char list[64], clean[40];
	const char *names[8];
	size_t nr = 0;

	snprintf(list, sizeof(list), "%s", opts[id].arg);
	for (char *save, *w = strtok_r(list, "|", &save); w; w = strtok_r(NULL, "|", &save)) {
		if (!strcmp(w, value))
			return 0;
		names[nr++] = w;
	}
	text_clean(clean, sizeof(clean), value);

	const char *near = suggest(value, names, nr);

	return err_set(err, ERR_USAGE, "'--%s %s' is not known; it takes %s%s%s%s", opts[id].name,
		       clean, opts[id].arg, near ? "; did you mean '" : "", near ? near : "",
		       near ? "'?" : "");
}

/* "2/5": every fifth cell from the second on. */
static int parse_shard(const char *text, struct options *o, struct err *err)
{
	char clean[40], *end;
	unsigned long of = 0, i = strtoul(text, &end, 10);

	if (*end == '/' && end[1] >= '0' && end[1] <= '9')
		of = strtoul(end + 1, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && i >= 1 && i <= of && of <= 1000000) {
		o->shard = (u32)i;
		o->shards = (u32)of;
		return 0;
	}
	text_clean(clean, sizeof(clean), text);
	return err_set(err, ERR_USAGE, "'--shard %s' is not possible; 2/5 is the second of five",
		       clean);
}

static int parse_number(const char *text, enum opt_id id, u32 min, u32 max, u32 *out,
			struct err *err)
{
	char clean[40];
	u32 v = 0;

	for (const char *p = text; *p; p++) {
		if (*p < '0' || *p > '9' || v > max) {
			v = 0;
			break;
		}
		v = v * 10 + (u32)(*p - '0');
	}
	if (v >= min && v <= max) {
		*out = v;
		return 0;
	}
	text_clean(clean, sizeof(clean), text);
	return err_set(err, ERR_USAGE, "'--%s %s' is not possible; %u to %u are", opts[id].name,
		       clean, min, max);
}

static int apply(struct options *o, enum opt_id id, const char *value, struct err *err)
{
	switch (id) {
	case OPT_MACHINE:
		o->machine = value;
		break;
	case OPT_KERNEL:
		o->kernel = value;
		break;
	case OPT_POLICY:
		return add_pair(&o->policies, value, id, err);
	case OPT_SET:
		return add_pair(&o->sets, value, id, err);
	case OPT_DEFINE:
		return add_pair(&o->defines, value, id, err);
	case OPT_SEED:
		o->has_seed = true;
		return parse_seed(value, &o->seed, err);
	case OPT_FOR:
		o->has_duration = true;
		if (parse_time(value, strlen(value), &o->duration, err))
			return err_wrap(err, "--for");
		if (!o->duration || o->duration > DURATION_MAX)
			return err_set(err, ERR_USAGE, "--for takes a time above 0, at most %llus",
				       (unsigned long long)(DURATION_MAX / NSEC_PER_SEC));
		break;
	case OPT_EXEC:
		add_exec(o, EXEC_COMMAND, value);
		break;
	case OPT_SCRIPT:
		add_exec(o, EXEC_SCRIPT, value);
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_OUT:
		o->out = value;
		break;
	case OPT_QUIET:
		o->quiet = true;
		break;
	case OPT_TRACE:
		o->trace = value;
		break;
	case OPT_TIMING:
		o->timing = true;
		break;
	case OPT_CHECK:
		o->check_determinism = true;
		break;
	case OPT_CHECK_EVENTS:
		o->check = true;
		break;
	case OPT_GLYPHS:
		o->glyphs = value;
		return check_choice(id, value, err);
	case OPT_COLOUR:
	case OPT_COLOR:
		o->colour = value;
		return check_choice(id, value, err);
	case OPT_FRAME:
		o->frame = true;
		break;
	case OPT_QUICK:
		o->quick = true;
		break;
	case OPT_LINT:
		o->lint = true;
		break;
	case OPT_SAMPLE:
		if (parse_time(value, strlen(value), &o->sample, err))
			return err_wrap(err, "--sample");
		if (!o->sample)
			return err_set(err, ERR_USAGE,
				       "--sample takes a time above 0, such as 1ms");
		break;
	case OPT_HALF_LIFE:
		if (check_choice(id, value, err))
			return -1;
		o->half_life_ms = (u32)strtoul(value, NULL, 10);
		break;
	case OPT_RULE:
		o->rule = value;
		return check_choice(id, value, err);
	case OPT_HZ:
		return parse_number(value, id, 10, 1000, &o->hz, err);
	case OPT_NEW_TASKS:
		o->new_tasks = true;
		break;
	case OPT_VARY:
		return add_pair(&o->varies, value, id, err);
	case OPT_SEEDS:
		return parse_number(value, id, 1, SEEDS_MAX, &o->seeds, err);
	case OPT_JOBS:
		return parse_number(value, id, 1, 1024, &o->jobs, err);
	case OPT_METRICS:
		o->metrics = value;
		break;
	case OPT_SHARD:
		return parse_shard(value, o, err);
	case OPT_TIMEOUT:
		if (parse_time(value, strlen(value), &o->timeout, err))
			return err_wrap(err, "--timeout");
		break;
	case OPT_HELP:
		o->sub = SUB_HELP;
		break;
	case OPT_VERSION:
		o->sub = SUB_VERSION;
		break;
	case OPT_SESSION:
	case NR_OPTS:
		break;
	}
	return 0;
}

struct cursor {
	int i, argc;
	char **argv;
	unsigned on;
	enum subcommand sub; /* as the first word said */
};

static int take_option(struct options *o, struct cursor *c, enum opt_id id, const char *attached,
		       struct err *err)
{
	const char *value = attached;

	if (id == OPT_SESSION)
		return err_set(err, ERR_USAGE,
			       "this version does not record sessions (--session); a run is "
			       "repeatable from its file, options and --seed");
	if (!(opts[id].on & c->on))
		return err_set(err, ERR_USAGE,
			       "'%s' takes no option '--%s'; see 'schedground --help'",
			       sub_words[c->sub], opts[id].name);
	if (!opts[id].arg && attached)
		return err_set(err, ERR_USAGE, "option '--%s' takes no value", opts[id].name);
	if (opts[id].arg && !attached) {
		if (c->i + 1 >= c->argc)
			return err_set(err, ERR_USAGE, "option '--%s' needs a value: --%s %s",
				       opts[id].name, opts[id].name, opts[id].arg);
		value = c->argv[++c->i];
	}
	return apply(o, id, value, err);
}

static int take_long(struct options *o, struct cursor *c, const char *word, struct err *err)
{
	size_t len = strcspn(word, "=");

	for (unsigned i = 0; i < NR_OPTS; i++)
		if (strlen(opts[i].name) == len && !strncmp(opts[i].name, word, len))
			return take_option(o, c, (enum opt_id)i, word[len] ? word + len + 1 : NULL,
					   err);
	return unknown_option(word, len, true, c->on, err);
}

static int take_short(struct options *o, struct cursor *c, const char *word, struct err *err)
{
	for (; *word; word++) {
		unsigned i = 0;

		while (i < NR_OPTS && opts[i].letter != *word)
			i++;
		if (i == NR_OPTS)
			return unknown_option(word, 1, false, c->on, err);

		bool arg = opts[i].arg;

		if (take_option(o, c, (enum opt_id)i, arg && word[1] ? word + 1 : NULL, err))
			return -1;
		if (arg)
			break;
	}
	return 0;
}

static int take_word(struct options *o, struct cursor *c, const char *word, struct err *err)
{
	char clean[64];

	if (c->sub == SUB_BENCH) {
		o->cases = xrealloc_array(o->cases, o->nr_cases + 1, sizeof(*o->cases));
		o->cases[o->nr_cases++] = word;
		return 0;
	}

	const char **slot = c->sub == SUB_LIST || c->sub == SUB_HELP || c->sub == SUB_TOPO
				    ? &o->topic
				    : &o->file;

	text_clean(clean, sizeof(clean), word);
	if (*slot)
		return err_set(err, ERR_USAGE, "one %s is enough: '%s' is one too many",
			       slot == &o->topic ? "topic" : "file", clean);
	*slot = word;
	return 0;
}

static const unsigned on_of[] = {
	[SUB_UI] = ON_UI,	    [SUB_RUN] = ON_RUN,	    [SUB_LIST] = ON_LIST,
	[SUB_BENCH] = ON_BENCH,	    [SUB_TOPO] = ON_TOPO,   [SUB_PELT] = ON_PELT,
	[SUB_COMPARE] = ON_COMPARE, [SUB_SWEEP] = ON_SWEEP, [SUB_HELP] = 0,
	[SUB_VERSION] = 0,
};

int options_parse(struct options *o, int argc, char **argv, struct err *err)
{
	struct cursor c = { .i = 1, .argc = argc, .argv = argv, .sub = SUB_UI };
	bool only_words = false;

	*o = (struct options){ 0 };
	if (argc > 1) {
		static const enum subcommand subs[] = { SUB_RUN,  SUB_LIST,    SUB_BENCH, SUB_TOPO,
							SUB_PELT, SUB_COMPARE, SUB_SWEEP, SUB_HELP };

		for (unsigned i = 0; subcommand_names[i]; i++)
			if (!strcmp(argv[1], subcommand_names[i]))
				c.sub = subs[i];
		if (in_list(argv[1], later_subcommands))
			return err_set(
				err, ERR_USAGE,
				"this version has no '%s' yet; it has: run, compare, sweep, list, bench, topo, pelt, help",
				argv[1]);
		if (c.sub != SUB_UI)
			c.i = 2;
	}
	o->sub = c.sub;
	c.on = on_of[c.sub];
	if (c.sub == SUB_HELP)
		c.on = 0;
	for (; c.i < argc; c.i++) {
		const char *word = argv[c.i];
		int bad;

		if (only_words || word[0] != '-' || !word[1])
			bad = take_word(o, &c, word, err);
		else if (word[1] != '-')
			bad = take_short(o, &c, word + 1, err);
		else if (word[2])
			bad = take_long(o, &c, word + 2, err);
		else
			bad = !(only_words = true);
		if (bad)
			return -1;
		if (o->sub == SUB_HELP && c.sub != SUB_HELP) {
			o->topic = c.sub == SUB_UI ? NULL : subcommand_names[c.sub - 1];
			return 0;
		}
		if (o->sub == SUB_VERSION)
			return 0;
	}
	if (o->sub == SUB_RUN && !o->file)
		return err_set(err, ERR_USAGE, "run needs a file: schedground run octacore.lua");
	if ((o->sub == SUB_COMPARE || o->sub == SUB_SWEEP) && (!o->file || !o->varies.nr))
		return err_set(err, ERR_USAGE,
			       "%s needs a file and something to vary: %s octacore.lua --vary "
			       "kernel=v6.1,v6.12",
			       subcommand_names[o->sub - 1], sub_words[o->sub]);
	if (o->sub == SUB_PELT && !o->file)
		return err_set(
			err, ERR_USAGE,
			"pelt needs a file of t_us,cpu,task,state lines, or - for standard input");
	if (o->sub == SUB_LIST && !o->topic)
		return err_set(err, ERR_USAGE,
			       "list needs a kind: machines kernels policies scenarios workloads "
			       "knobs views commands keys events metrics features rules");
	if (o->sub == SUB_UI && o->out && !o->frame)
		return err_set(err, ERR_USAGE, "--output needs --frame here, or 'schedground run'");
	return 0;
}

static void free_pairs(struct option_pairs *list)
{
	for (u32 i = 0; i < list->nr; i++) {
		free(list->v[i].name);
		free(list->v[i].value);
	}
	free(list->v);
}

void options_fini(struct options *o)
{
	free_pairs(&o->policies);
	free_pairs(&o->sets);
	free_pairs(&o->defines);
	free_pairs(&o->varies);
	free(o->execs);
	free(o->cases);
	*o = (struct options){ 0 };
}

void options_print(unsigned on)
{
	for (unsigned i = 0; i < NR_OPTS; i++) {
		const struct opt_desc *d = &opts[i];
		char left[64], letter[8] = "    ";

		if (!d->help || !(d->on & on))
			continue;
		if (d->letter)
			snprintf(letter, sizeof(letter), "-%c, ", d->letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter, d->name, d->arg ? " " : "",
			 d->arg ? d->arg : "");
		if (strlen(left) > 30)
			printf("  %s\n  %-30s %s\n", left, "", d->help);
		else
			printf("  %-30s %s\n", left, d->help);
	}
}
