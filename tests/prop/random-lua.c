/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random-lua.c - a case as a scenario in Lua, such that its run has the same digest.
 *
 * Every step and input that the randomized test uses must have words in the language; what has none
 * is an error of the test, not of the case.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "engine/sched/partition.h"
#include "tests/sim-world.h"

#include "tests/prop/random-case.h"

struct writer {
	FILE *f;
	const char *missing; /* what there are no words for */
	u32 depth;
};

static void line(struct writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void line(struct writer *w, const char *fmt, ...)
{
	va_list ap;

	for (u32 i = 0; i < w->depth; i++)
		fputc('\t', w->f);
	va_start(ap, fmt);
	vfprintf(w->f, fmt, ap);
	va_end(ap);
	fputc('\n', w->f);
}

/* "{ 0, 3 }" of the first words of a mask. */
static void cpus_text(char *buf, size_t size, u64 words)
{
	size_t n = (size_t)snprintf(buf, size, "{");

	for (u32 c = 0; c < 64; c++)
		if (words >> c & 1)
			n += (size_t)snprintf(buf + n, size - n, " %u,", c);
	snprintf(buf + n, size - n, " }");
}

/* ---- programs ---- */

static void write_spec(struct writer *w, const struct task_spec *spec, const char *open,
		       const char *close);

/* A time as the step draws it. */
static void timed(struct writer *w, const char *word, const struct step_spec *st)
{
	const char *io = st->flags & STEP_F_IOWAIT ? ", io = true" : "";

	if (st->op == STEP_RUN && st->a == ~0ull)
		line(w, "run(\"forever\"),");
	else if (st->flags & STEP_F_UNIFORM)
		line(w, "%s { time = %" PRIu64 ", spread = %" PRIu64 "%s },", word, st->a, st->b,
		     io);
	else if (st->flags & STEP_F_EXP)
		line(w, "%s { mean = %" PRIu64 ", max = %" PRIu64 "%s },", word, st->a, st->b, io);
	else if (*io)
		line(w, "%s { time = %" PRIu64 "%s },", word, st->a, io);
	else
		line(w, "%s(%" PRIu64 "),", word, st->a);
}

static const char *obj_name(const struct task_spec *spec, u64 i)
{
	return spec->objs[i].name;
}

static void named(struct writer *w, const char *word, const struct task_spec *spec,
		  const struct step_spec *st)
{
	line(w, "%s(\"%s\"),", word, obj_name(spec, st->obj));
}

static void wait_step(struct writer *w, const struct task_spec *spec, const struct step_spec *st)
{
	const char *name = obj_name(spec, st->obj);

	if (!st->b)
		line(w, "wait_for(\"%s\"),", name);
	else if (st->flags & STEP_F_POST)
		line(w, "wait_for(\"%s\", { post = \"%s\" }),", name, obj_name(spec, st->b - 1));
	else
		line(w, "wait_for(\"%s\", \"%s\"),", name, obj_name(spec, st->b - 1));
}

static void signal_step(struct writer *w, const char *word, const struct task_spec *spec,
			const struct step_spec *st)
{
	const char *name = obj_name(spec, st->obj);

	if (st->b)
		line(w, "%s(\"%s\", { stamp = \"%s\" }),", word, name, obj_name(spec, st->b - 1));
	else
		line(w, "%s(\"%s\"),", word, name);
}

/* count and sample: what they feed, and the stamp they measure from. */
static void measure_step(struct writer *w, const struct task_spec *spec, const struct step_spec *st)
{
	const char *what = obj_name(spec, st->target);
	const char *shared = st->obj != NONE && !spec->objs[st->obj].local ? ", shared = true" : "";

	if (st->op == STEP_SAMPLE)
		line(w, "sample { name = \"%s\", from = \"%s\"%s },", what, obj_name(spec, st->obj),
		     shared);
	else if (st->obj != NONE)
		line(w,
		     "count { name = \"%s\", n = %" PRIu64 ", from = \"%s\", above = %" PRIu64
		     "%s },",
		     what, st->a, obj_name(spec, st->obj), st->b, shared);
	else
		line(w, "count(\"%s\", %" PRIu64 "),", what, st->a);
}

static void write_step(struct writer *w, const struct task_spec *spec, u32 i)
{
	const struct step_spec *st = &spec->steps[i];
	bool after_nice = i && spec->steps[i - 1].op == STEP_SET_NICE;

	switch ((enum step_op)st->op) {
	case STEP_RUN:
		timed(w, "run", st);
		break;
	case STEP_RUNTIME:
		timed(w, "runtime", st);
		break;
	case STEP_SLEEP:
		timed(w, "sleep", st);
		break;
	case STEP_TIMER:
		line(w, "timer { period = %" PRIu64 ", name = \"%s\"%s%s },", st->a,
		     obj_name(spec, st->obj),
		     st->flags & STEP_F_ABSOLUTE ? ", absolute = true" : "",
		     spec->objs[st->obj].local ? "" : ", shared = true");
		break;
	case STEP_WAIT:
		wait_step(w, spec, st);
		break;
	case STEP_WAKE:
		signal_step(w, "wake", spec, st);
		break;
	case STEP_BROADCAST:
		signal_step(w, "broadcast", spec, st);
		break;
	case STEP_REQUEUE:
		line(w, "requeue(\"%s\", \"%s\"),", obj_name(spec, st->obj),
		     obj_name(spec, st->b - 1));
		break;
	case STEP_LOCK:
	case STEP_UNLOCK:
	case STEP_SEM_POST:
	case STEP_SEM_WAIT:
	case STEP_SEM_RESET:
	case STEP_RECEIVE:
		named(w, step_op_names[st->op], spec, st);
		break;
	case STEP_SEND:
		line(w, "send(\"%s\", %" PRIu64 "),", obj_name(spec, st->obj), st->a);
		break;
	case STEP_BARRIER:
		line(w, "barrier(\"%s\", %" PRIu64 "),", obj_name(spec, st->obj), st->a);
		break;
	case STEP_STAMP:
		if (spec->objs[st->obj].local)
			named(w, "stamp", spec, st);
		else
			line(w, "stamp { name = \"%s\", shared = true },", obj_name(spec, st->obj));
		break;
	case STEP_COUNT:
	case STEP_SAMPLE:
		measure_step(w, spec, st);
		break;
	case STEP_YIELD:
		line(w, "yield(),");
		break;
	case STEP_EXIT:
		line(w, "exit(),");
		break;
	case STEP_FORK:
		write_spec(w, spec->forks[st->a], "fork {", "},");
		break;
	case STEP_SET_NICE:
		/* Only a phase sets it. */
		if (i + 1 == spec->nr_steps || spec->steps[i + 1].op != STEP_LOOP)
			w->missing = "a nice step without a loop after it";
		line(w, "phase { nice = %" PRId64 ", loop = %" PRIu64 ",", (s64)st->a,
		     spec->steps[i + 1].a);
		break;
	case STEP_LOOP:
		if (!after_nice)
			line(w, "loop(%" PRIu64 ",", st->a);
		w->depth++;
		break;
	case STEP_PHASE:
		line(w, "phase { duration = %" PRIu64 ",", st->a);
		w->depth++;
		break;
	case STEP_PHASE_END:
		w->depth--;
		line(w, "},");
		break;
	case STEP_LOOP_END: {
		u32 open = st->target ? st->target - 1 : 0;

		/* A call takes no comma after its last argument. */
		w->depth--;
		line(w, open && spec->steps[open - 1].op == STEP_SET_NICE ? "}," : "{}),");
		break;
	}
	default:
		w->missing = step_op_names[st->op];
		break;
	}
}

static void write_spec(struct writer *w, const struct task_spec *spec, const char *open,
		       const char *close)
{
	static const char *const policies[] = {
		[SCHED_NORMAL] = "normal", [SCHED_FIFO] = "fifo", [SCHED_RR] = "rr",
		[SCHED_BATCH] = "batch",   [SCHED_IDLE] = "idle", [SCHED_DEADLINE] = NULL
	};
	char cpus[512];

	line(w, "%s name = \"%s\", nice = %d, policy = \"%s\", delay = %" PRIu64 ",", open,
	     spec->name, spec->nice, policies[spec->policy], spec->delay);
	w->depth++;
	if (spec->policy == SCHED_DEADLINE || spec->dl.runtime)
		w->missing = "a reservation";
	if (spec->rt_priority)
		line(w, "priority = %u,", spec->rt_priority);
	if (spec->slice)
		line(w, "slice = %" PRIu64 ",", spec->slice);
	if (spec->group[0])
		line(w, "group = \"%s\",", spec->group);
	if (spec->cpus != NO_MASK) {
		cpus_text(cpus, sizeof(cpus), spec->masks[(size_t)spec->cpus * spec->mask_words]);
		line(w, "cpus = %s,", cpus);
	}
	line(w, "program = {");
	w->depth++;
	for (u32 i = 0; i < spec->nr_steps; i++)
		write_step(w, spec, i);
	w->depth--;
	line(w, "},");
	w->depth--;
	line(w, "%s", close);
}

/* ---- inputs ---- */

static void task_call(struct writer *w, const struct change *ch, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void task_call(struct writer *w, const struct change *ch, const char *fmt, ...)
{
	char call[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(call, sizeof(call), fmt, ap);
	va_end(ap);
	line(w, "with(%" PRIu64 ", function(t) t:%s end)", ch->in.serial, call);
}

/* Groups get their numbers in the order in which the case makes them; 0 is the root. */
static const char *group_name(const struct random_case *c, s64 tg)
{
	for (u32 i = 0; i < c->nr_changes && tg; i++)
		if (c->changes[i].in.kind == INPUT_GROUP_NEW && !--tg)
			return c->changes[i].text;
	return tg ? NULL : "/";
}

/* "/a/c" stands in "/a", "/a" in the root. */
static bool named_as_it_stands(const struct random_case *c, const char *name, s64 parent)
{
	const char *above = group_name(c, parent), *last = strrchr(name, '/');

	if (!above || last == name)
		return above && !parent;
	return strlen(above) == (size_t)(last - name) && !memcmp(above, name, strlen(above));
}

static void write_group_change(struct writer *w, const struct random_case *c,
			       const struct change *ch)
{
	const struct sim_input *in = &ch->in;
	const char *name = in->kind == INPUT_GROUP_NEW ? ch->text : group_name(c, in->a);
	char cpus[512];

	/* A smaller case may have lost the group: then the input does nothing, and so does this. */
	if (!name) {
		line(w, "-- no such group");
		return;
	}
	switch (in->kind) {
	case INPUT_GROUP_NEW:
		if (!named_as_it_stands(c, name, in->a))
			w->missing = "a group that is not where its name says";
		line(w, "group(\"%s\")", name);
		break;
	case INPUT_GROUP_SHARES:
		line(w, "group(\"%s\"):set_shares(%" PRId64 ")", name, in->b);
		break;
	case INPUT_GROUP_MAX:
		if (in->b < 0)
			line(w, "group(\"%s\"):set_max(\"max\", %" PRId64 ")", name, in->c);
		else
			line(w, "group(\"%s\"):set_max(%" PRId64 ", %" PRId64 ", %" PRIu64 ")",
			     name, in->b, in->c, in->serial);
		break;
	case INPUT_GROUP_UCLAMP:
		line(w, "group(\"%s\"):set_uclamp(%" PRId64 ", %" PRId64 ")", name, in->b, in->c);
		break;
	case INPUT_GROUP_IDLE:
		line(w, "group(\"%s\"):set_idle(%s)", name, in->b ? "true" : "false");
		break;
	case INPUT_GROUP_PARTITION:
		line(w, "group(\"%s\"):set_partition(\"%s\")", name, partition_names[in->b]);
		break;
	case INPUT_GROUP_CPUS:
		if (in->words)
			cpus_text(cpus, sizeof(cpus), ch->words[0]);
		line(w, "group(\"%s\"):set_cpus(%s)", name, in->words ? cpus : "");
		break;
	default:
		task_call(w, ch, "set_group(\"%s\")", name);
		break;
	}
}

static void write_change(struct writer *w, const struct random_case *c, const struct change *ch)
{
	static const char *const classes[] = { [SCHED_NORMAL] = "normal",
					       [SCHED_FIFO] = "fifo",
					       [SCHED_RR] = "rr",
					       [SCHED_BATCH] = "batch",
					       [SCHED_IDLE] = "idle" };
	const struct sim_input *in = &ch->in;
	char cpus[512], figure[64], counter[64];

	switch (in->kind) {
	case INPUT_SPAWN:
		write_spec(w, ch->spec, "task.spawn {", "}");
		break;
	case INPUT_KILL:
		task_call(w, ch, "kill()");
		break;
	case INPUT_SET_NICE:
		task_call(w, ch, "set_nice(%" PRId64 ")", in->a);
		break;
	case INPUT_SET_CPUS:
		cpus_text(cpus, sizeof(cpus), ch->words[0]);
		task_call(w, ch, "set_cpus(%s)", cpus);
		break;
	case INPUT_SET_POLICY:
		if (in->b)
			task_call(w, ch, "set_policy(\"%s\", %" PRId64 ")", classes[in->a], in->b);
		else
			task_call(w, ch, "set_policy(\"%s\")", classes[in->a]);
		break;
	case INPUT_SET_UCLAMP:
		task_call(w, ch, "set_uclamp(%" PRId64 ", %" PRId64 ")", in->a, in->b);
		break;
	case INPUT_SET_SLICE:
		task_call(w, ch, "set_slice(%" PRId64 ")", in->a);
		break;
	case INPUT_MIGRATE:
		task_call(w, ch, "migrate(%" PRId64 ")", in->a);
		break;
	case INPUT_USE_POLICY:
		line(w, "policy.use(\"%s\", \"%s\")", policy_slot_names[in->a],
		     builtin_policies[in->b]->name);
		break;
	case INPUT_TUNABLE:
		line(w, "policy.set(\"%s\", %" PRId64 ")", sim_tunables[in->a].name, in->b);
		break;
	case INPUT_FREQ_CAP:
		line(w, "domain(%" PRId64 "):cap(%" PRId64 ")", in->a, in->b);
		break;
	case INPUT_SET_DEADLINE:
		w->missing = "a reservation";
		break;
	case INPUT_GROUP_NEW:
	case INPUT_GROUP_SHARES:
	case INPUT_GROUP_MAX:
	case INPUT_GROUP_UCLAMP:
	case INPUT_GROUP_IDLE:
	case INPUT_GROUP_CPUS:
	case INPUT_GROUP_PARTITION:
	case INPUT_SET_GROUP:
		write_group_change(w, c, ch);
		break;
	case INPUT_CPU_ONLINE:
		line(w, "cpu(%" PRId64 "):%s()", in->a, in->b ? "online" : "offline");
		break;
	case INPUT_HOUSEKEEPING:
		cpus_text(cpus, sizeof(cpus), ch->words[0]);
		line(w, "sched.housekeeping(%s)", cpus);
		break;
	case INPUT_COUNT:
		line(w, "report.count(\"%s\", %" PRId64 ")", ch->text, in->a);
		break;
	case INPUT_SAMPLE:
		line(w, "report.sample(\"%s\", %" PRId64 ")", ch->text, in->a);
		break;
	case INPUT_THROUGHPUT:
		if (in->a != TPUT_TIME || sscanf(ch->text, "%63s %63s", figure, counter) != 2)
			w->missing = "a figure that is no time";
		else
			line(w,
			     "throughput { name = \"%s\", count = \"%s\", as = \"time\", divide = %" PRId64
			     ", target = %" PRId64 " }",
			     figure, counter, in->b, in->c);
		break;
	default:
		w->missing = "an input of a new kind";
		break;
	}
}

int case_write(const struct random_case *c, const char *why, FILE *f)
{
	struct writer w = { .f = f };

	line(&w, "-- Written by sim-random-test: seed %" PRIu64 ", made as small as it would go.",
	     c->seed);
	line(&w, "-- %s", why);
	line(&w, "scenario { name = \"random-%" PRIu64 "\", machine = \"%s\", kernel = \"%s\",",
	     c->seed, c->machine, kernel_profiles[c->profile].name);
	line(&w, "\tseed = %" PRIu64 ", duration = %" PRIu64 " }", c->seed, c->end);
	line(&w, "policy.set(\"costs\", %d)", c->costs);
	for (u32 i = 0; i < c->nr_changes && !c->changes[i].at; i++)
		write_change(&w, c, &c->changes[i]);
	for (u32 i = 0; i < c->nr_tasks; i++)
		write_spec(&w, c->tasks[i], "task.spawn {", "}");
	if (c->nr_changes) {
		line(&w, "-- the task with this number, if it is still there");
		line(&w, "local function with(id, fn)");
		line(&w, "\tfor _, t in ipairs(tasks()) do");
		line(&w, "\t\tif t.id == id then fn(t) end");
		line(&w, "\tend");
		line(&w, "end");
	}
	for (u32 i = 0; i < c->nr_changes; i++) {
		if (!c->changes[i].at)
			continue;
		line(&w, "at(%" PRIu64 ", function()", c->changes[i].at);
		w.depth++;
		write_change(&w, c, &c->changes[i]);
		w.depth--;
		line(&w, "end)");
	}
	if (w.missing)
		line(&w, "-- not whole: the language has no words for %s", w.missing);
	return w.missing || ferror(f) ? -1 : 0;
}

int case_write_file(struct random_case *c, const char *why, const char *path)
{
	FILE *f = fopen(path, "w");
	int ret;

	assert_non_null(f);
	ret = case_write(c, why, f);
	assert_int_equal(fclose(f), 0);
	if (strstr(c->machine, ".json")) {
		const char *top = getenv("abs_top_srcdir");
		char command[1024];

		snprintf(command, sizeof(command), "cp '%s/tests/prop/%s' .", top ? top : ".",
			 c->machine);
		assert_int_equal(system(command), 0);
	}
	return ret;
}

/* ---- cases without what has no words ---- */

static void plain_spec(struct task_spec *spec)
{
	if (spec->policy == SCHED_DEADLINE)
		spec->policy = SCHED_NORMAL;
	spec->dl = (struct dl_params){ 0 };
	if (strchr(spec->group, '/') && strchr(spec->group + 1, '/'))
		spec->group[0] = '\0';
	for (u32 i = 0; i < spec->nr_steps; i++)
		if (spec->steps[i].op == STEP_SET_POLICY) {
			spec->steps[i].op = STEP_YIELD;
			spec->steps[i].a = spec->steps[i].b = 0;
		}
	for (u32 i = 0; i < spec->nr_forks; i++)
		plain_spec(spec->forks[i]);
}

/* Take out what the language has no words for. */
void case_make_plain(struct random_case *c)
{
	u32 n = 0;

	for (u32 i = 0; i < c->nr_tasks; i++)
		plain_spec(c->tasks[i]);
	for (u32 i = 0; i < c->nr_changes; i++) {
		struct change *ch = &c->changes[i];

		if (ch->in.kind == INPUT_SET_DEADLINE || ch->in.kind == INPUT_GROUP_MAX ||
		    ch->in.kind == INPUT_GROUP_UCLAMP || ch->in.kind == INPUT_GROUP_IDLE ||
		    ch->in.kind == INPUT_GROUP_CPUS || ch->in.kind == INPUT_GROUP_PARTITION ||
		    (ch->in.kind == INPUT_GROUP_NEW && strchr(ch->text + 1, '/')) ||
		    ((ch->in.kind == INPUT_SET_GROUP || ch->in.kind == INPUT_GROUP_SHARES) &&
		     ch->in.a == 3)) {
			task_spec_free(ch->spec);
			continue;
		}
		if (ch->spec)
			plain_spec(ch->spec);
		c->changes[n++] = *ch;
	}
	c->nr_changes = n;
}
