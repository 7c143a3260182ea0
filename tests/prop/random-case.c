/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random-case.c - running a case, apart from the test if need be, and making it smaller.
 *
 * Shrinking is delta debugging: take out halves, quarters, ... of the changes and of the tasks, and
 * smaller machines, as long as the complaint stays the same but for its numbers.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sim-world.h"

#include "app/machine.h"
#include "tests/prop/random-case.h"

#define RUNS_MAX 3000u

/* From the largest to the smallest; a case moves down the list. */
static const char *const smaller[] = { "smt-2n.json", "smp8-smt", "4x2", "2x4", "4+2+2", "6+2",
				       "8",	      "4",	  "1+2", "2x1", "2",	 "1" };

const struct machine_desc *case_machine(const char *name)
{
	static struct {
		char name[32];
		struct machine_desc *m;
	} known[32];
	const char *top = getenv("abs_top_srcdir");
	struct note_list notes = { 0 };
	struct err err = { 0 };
	char dir[512];
	u32 i = 0;

	for (; i < ARRAY_SIZE(known) && known[i].m; i++)
		if (!strcmp(known[i].name, name))
			return known[i].m;
	assert_true(i < ARRAY_SIZE(known));
	snprintf(dir, sizeof(dir), "%s/scenarios/machine", top ? top : ".");
	snprintf(known[i].name, sizeof(known[i].name), "%s", name);
	if (strstr(name, ".json"))
		snprintf(dir, sizeof(dir), "%s/tests/prop/%s", top ? top : ".", name);
	if (machine_load(strstr(name, ".json") ? dir : name, dir, &known[i].m, &notes, &err))
		fail_msg("%s", err.msg);
	note_list_fini(&notes);
	return known[i].m;
}

/* ---- building ---- */

void case_add_task(struct random_case *c, struct task_spec *spec)
{
	c->tasks = realloc(c->tasks, (c->nr_tasks + 1) * sizeof(*c->tasks));
	c->tasks[c->nr_tasks++] = spec;
}

struct change *case_add_change(struct random_case *c, ktime_ns at, const struct sim_input *in)
{
	struct change *ch;

	c->changes = realloc(c->changes, (c->nr_changes + 1) * sizeof(*c->changes));
	ch = &c->changes[c->nr_changes++];
	*ch = (struct change){ .at = at, .in = *in };
	if (in->words)
		ch->words[0] = in->words[0];
	if (in->text)
		snprintf(ch->text, sizeof(ch->text), "%s", in->text);
	if (in->spec)
		ch->spec = task_spec_dup(in->spec);
	return ch;
}

void case_fini(struct random_case *c)
{
	for (u32 i = 0; i < c->nr_tasks; i++)
		task_spec_free(c->tasks[i]);
	for (u32 i = 0; i < c->nr_changes; i++)
		task_spec_free(c->changes[i].spec);
	free(c->tasks);
	free(c->changes);
	c->tasks = NULL;
	c->changes = NULL;
	c->nr_tasks = c->nr_changes = 0;
}

struct sim *case_start(const struct random_case *c)
{
	struct sim_config cfg = { .machine = case_machine(c->machine),
				  .profile = kernel_profiles[c->profile].name,
				  .seed = c->seed };
	struct err err = { 0 };
	struct sim *s = sim_new(&cfg, &err);

	if (!s)
		fail_msg("%s", err.msg);
	world_input(s, (struct sim_input){ .kind = INPUT_TUNABLE,
					   .a = sim_tunable_index("costs"),
					   .b = c->costs });
	for (u32 i = 0; i < c->nr_changes && !c->changes[i].at; i++) {
		sim_apply_inputs(s);
		case_apply(s, &c->changes[i]);
	}
	for (u32 i = 0; i < c->nr_tasks; i++) {
		struct sim_input in = { .kind = INPUT_SPAWN, .spec = c->tasks[i] };

		/* A group may be missing in a smaller case, or bandwidth for a deadline task. */
		sim_apply_inputs(s);
		if (sim_input(s, &in, NULL, &err))
			continue;
	}
	sim_apply_inputs(s);
	return s;
}

static bool targets_task(enum input_kind kind)
{
	switch (kind) {
	case INPUT_KILL:
	case INPUT_SET_NICE:
	case INPUT_SET_CPUS:
	case INPUT_SET_POLICY:
	case INPUT_SET_UCLAMP:
	case INPUT_SET_SLICE:
	case INPUT_MIGRATE:
	case INPUT_SET_GROUP:
	case INPUT_SET_DEADLINE:
		return true;
	default:
		return false;
	}
}

int case_apply(struct sim *s, const struct change *ch)
{
	struct sim_input in = ch->in;
	bool task = targets_task(in.kind);
	task_id p = task ? sim_find_task(s, in.serial) : NONE;
	struct err err = { 0 };

	if (task && (p == NONE || (s->tasks[p].flags & PF_KTHREAD)))
		return 0;
	in.words = in.words ? ch->words : NULL;
	in.text = in.text ? ch->text : NULL;
	in.spec = ch->spec;
	return sim_input(s, &in, NULL, &err);
}

/* ---- running ---- */

static bool look_ok(const struct sim *s, case_claim claim, struct outcome *out)
{
	if (!claim || claim(s, out->what, sizeof(out->what)))
		return true;
	out->failed = true;
	return false;
}

void case_play(const struct random_case *c, case_claim claim, struct outcome *out)
{
	struct sim_watch *w = sim_watch_new();
	struct sim *s = case_start(c);
	struct err err = { 0 };
	u32 next = 0;

	*out = (struct outcome){ 0 };
	while (next < c->nr_changes && !c->changes[next].at)
		next++;
	for (;;) {
		ktime_ns until = next < c->nr_changes ? min_u64(c->changes[next].at, c->end)
						      : c->end;

		out->at = min_u64(until, sim_next_event(s)); /* should it not come back */
		if (sim_watch_step(w, s, until, &err) == SIM_ERROR) {
			out->failed = true;
			snprintf(out->what, sizeof(out->what), "%.255s", err.msg);
			break;
		}
		if (!look_ok(s, claim, out))
			break;
		/* An event at this very instant comes first. */
		if (s->g->now < until || sim_next_event(s) <= until)
			continue;
		if (next == c->nr_changes || c->changes[next].at > until)
			break;
		/* What was possible may not be in a smaller case: then nothing happens. */
		case_apply(s, &c->changes[next++]);
	}
	out->at = s->g->now;
	out->events = s->stats->events;
	out->digest = sim_digest(s);
	sim_free(s);
	sim_watch_free(w);
}

void case_play_apart(const struct random_case *c, case_claim claim, struct outcome *out)
{
	struct outcome *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	assert_ptr_not_equal(shared, MAP_FAILED);
	case_machine(c->machine); /* once for all children */
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		case_play(c, claim, shared);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	*out = *shared;
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		out->failed = true;
		snprintf(out->what, sizeof(out->what), "crash (status %d)", status);
	}
	munmap(shared, sizeof(*shared));
}

/* ---- shrinking ---- */

/* The complaint without its numbers and names in brackets. */
static void kind_of(const char *what, char *kind, size_t size)
{
	size_t n = 0;
	bool in = false;

	for (; *what && n + 1 < size; what++) {
		in = *what == '(' || (in && what[-1] != ')');
		if (!in && !(*what >= '0' && *what <= '9'))
			kind[n++] = *what;
	}
	kind[n] = '\0';
}

struct shrink {
	struct random_case *c; /* the smallest so far */
	case_claim claim;
	struct outcome out;
	char kind[256];
	u32 runs;
};

/* Does @c fail as the first one did? Then it is the smallest now; its arrays stay those of before. */
static bool still_fails(struct shrink *sh, const struct random_case *c)
{
	struct outcome out;
	char kind[256];

	if (++sh->runs > RUNS_MAX)
		return false;
	case_play_apart(c, sh->claim, &out);
	kind_of(out.what, kind, sizeof(kind));
	if (!out.failed || strcmp(kind, sh->kind) != 0)
		return false;
	sh->out = out;
	return true;
}

/* @c without tasks @from .. @to - 1; what is done to later ones follows their new serials. */
static struct random_case without_tasks(const struct random_case *c, u32 from, u32 to)
{
	struct random_case less = *c;
	less.tasks = malloc((c->nr_tasks + 1) * sizeof(*less.tasks));
	less.changes = malloc((c->nr_changes + 1) * sizeof(*less.changes));
	less.nr_tasks = less.nr_changes = 0;
	for (u32 i = 0; i < c->nr_tasks; i++)
		if (i < from || i >= to)
			less.tasks[less.nr_tasks++] = c->tasks[i];
	for (u32 i = 0; i < c->nr_changes; i++) {
		struct change ch = c->changes[i];

		if (targets_task(ch.in.kind) && ch.in.serial >= from) {
			if (ch.in.serial < to)
				continue;
			ch.in.serial -= to - from;
		}
		less.changes[less.nr_changes++] = ch;
	}
	return less;
}

static struct random_case without_changes(const struct random_case *c, u32 from, u32 to)
{
	struct random_case less = *c;

	less.tasks = malloc((c->nr_tasks + 1) * sizeof(*less.tasks));
	memcpy(less.tasks, c->tasks, c->nr_tasks * sizeof(*less.tasks));
	less.changes = malloc((c->nr_changes + 1) * sizeof(*less.changes));
	less.nr_changes = 0;
	for (u32 i = 0; i < c->nr_changes; i++)
		if (i < from || i >= to)
			less.changes[less.nr_changes++] = c->changes[i];
	return less;
}

/* Specs are shared with the original until the end: what is dropped here is not freed. */
static bool take(struct shrink *sh, struct random_case less)
{
	bool fails = still_fails(sh, &less);
	struct random_case drop = fails ? *sh->c : less;

	if (fails)
		*sh->c = less;
	free(drop.tasks);
	free(drop.changes);
	return fails;
}

static bool drop_parts(struct shrink *sh,
		       struct random_case (*without)(const struct random_case *c, u32 from, u32 to),
		       const u32 *nr)
{
	bool any = false;

	for (u32 part = *nr; part; part = part > 1 ? (part + 1) / 2 : 0)
		for (u32 from = 0; from < *nr;) {
			u32 to = from + part < *nr ? from + part : *nr;

			if (take(sh, without(sh->c, from, to)))
				any = true;
			else
				from = to;
		}
	return any;
}

static bool drop_cpus(struct shrink *sh)
{
	for (u32 i = ARRAY_SIZE(smaller); i-- > 0 && strcmp(smaller[i], sh->c->machine) != 0;) {
		struct random_case less = without_changes(sh->c, 0, 0);
		u32 nr = case_machine(smaller[i])->nr_cpus;
		bool fits = true;

		less.machine = smaller[i];
		for (u32 t = 0; t < less.nr_tasks; t++)
			for (u32 m = 0; m < less.tasks[t]->nr_masks; m++)
				fits &= !(less.tasks[t]->masks[m] >> (nr - 1) >> 1);
		if (fits && take(sh, less))
			return true;
		if (!fits) {
			free(less.tasks);
			free(less.changes);
		}
	}
	return false;
}

u32 case_shrink(struct random_case *c, case_claim claim, struct outcome *out)
{
	struct random_case small = without_changes(c, 0, 0);
	struct shrink sh = { .c = &small, .claim = claim };
	bool better = true;

	case_play_apart(&small, claim, &sh.out);
	assert_true(sh.out.failed);
	kind_of(sh.out.what, sh.kind, sizeof(sh.kind));
	while (better && sh.runs < RUNS_MAX) {
		better = false;
		/* The first failure ends a run: what would come later is of no interest. */
		small.end = sh.out.at ? sh.out.at : 1;
		while (small.nr_changes && small.changes[small.nr_changes - 1].at > small.end)
			small.nr_changes--;
		better |= drop_parts(&sh, without_changes, &small.nr_changes);
		better |= drop_parts(&sh, without_tasks, &small.nr_tasks);
		better |= drop_cpus(&sh);
	}
	/* Its own copies, so that @c can be freed as it was made. */
	for (u32 i = 0; i < small.nr_tasks; i++)
		small.tasks[i] = task_spec_dup(small.tasks[i]);
	for (u32 i = 0; i < small.nr_changes; i++)
		small.changes[i].spec = small.changes[i].spec ? task_spec_dup(small.changes[i].spec)
							      : NULL;
	case_fini(c);
	*c = small;
	*out = sh.out;
	return sh.runs;
}
