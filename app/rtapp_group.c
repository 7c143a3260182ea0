/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp_group.c - 'taskgroup' of rt-app files: a path, or scxsim's object of path, cpu.max and
 * cpu.weight in the units of cgroup v2; and the inputs that make such groups.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/rtapp_ir.h"
#include "app/text.h"
#include "app/xalloc.h"
#include "engine/sched/bandwidth.h"

#define GROUPS_MAX 256u
#define WEIGHT_MAX 10000 /* of cgroup v2; 100 is the default */

/* The group @name, made if it is new, after those around it. NULL: too many. */
static struct rtapp_group *file_group(struct rt_file *f, const char *name)
{
	const char *last = strrchr(name, '/');
	char above[sizeof(f->groups[0].name)];

	for (u32 i = 0; i < f->nr_groups; i++)
		if (!strcmp(f->groups[i].name, name))
			return &f->groups[i];
	if (last != name) {
		snprintf(above, sizeof(above), "%.*s", (int)(last - name), name);
		if (!file_group(f, above))
			return NULL;
	}
	if (f->nr_groups == GROUPS_MAX)
		return NULL;
	f->groups = xrealloc_array(f->groups, f->nr_groups + 1, sizeof(*f->groups));
	f->groups[f->nr_groups] = (struct rtapp_group){ 0 };
	snprintf(f->groups[f->nr_groups].name, sizeof(f->groups[0].name), "%s", name);
	return &f->groups[f->nr_groups++];
}

/* "QUOTA PERIOD" in us, or "max PERIOD". */
static int read_max(struct rt_file *f, const cJSON *node, struct rtapp_group *g)
{
	unsigned long long quota = 0, period = 0;
	char word[16], end;
	bool max;

	if (!cJSON_IsString(node) ||
	    sscanf(node->valuestring, "%15s %9llu %c", word, &period, &end) != 2)
		goto bad;
	max = !strcmp(word, "max");
	if (!max && (sscanf(word, "%12llu%c", &quota, &end) != 1 || word[0] == '-'))
		goto bad;
	g->quota = max ? RUNTIME_INF : quota * NSEC_PER_USEC;
	g->period = period * NSEC_PER_USEC;
	if (g->period < BANDWIDTH_PERIOD_MIN || g->period > BANDWIDTH_PERIOD_MAX ||
	    (!max && (g->quota < BANDWIDTH_PERIOD_MIN || g->quota > BANDWIDTH_QUOTA_MAX)))
		return rt_fail(
			f, node, false, ERR_USAGE,
			"'cpu.max' is out of range; a period of 1000 to 1000000 us and a quota "
			"of at least 1000 us are allowed");
	g->has_max = true;
	return 0;
bad:
	return rt_fail(f, node, false, ERR_USAGE,
		       "'cpu.max' is not understood; a text such as \"50000 100000\" or \"max "
		       "100000\" is allowed, in us");
}

int rt_read_group(struct rt_file *f, const cJSON *node, bool task, struct rt_sched *s)
{
	const cJSON *path = cJSON_IsObject(node) ? json_member(node, "path") : node;
	const cJSON *max = cJSON_IsObject(node) ? json_member(node, "cpu.max") : NULL;
	const cJSON *weight = cJSON_IsObject(node) ? json_member(node, "cpu.weight") : NULL;
	struct rtapp_group *g;
	char buf[64];
	size_t len;
	s64 n;

	if (!cJSON_IsString(path) || (path->valuestring[0] && path->valuestring[0] != '/'))
		return rt_fail(f, node, false, ERR_USAGE,
			       "'taskgroup' is %s; a path such as \"/background\" is allowed",
			       cJSON_IsObject(node) ? "an object without a 'path'"
						    : json_describe(node, buf, sizeof(buf)));
	len = strlen(path->valuestring);
	if (len > 60)
		return rt_fail(f, node, false, ERR_USAGE, "'taskgroup' has more than 60 bytes");
	if (strstr(path->valuestring, "//") || (len > 1 && path->valuestring[len - 1] == '/'))
		return rt_fail(f, node, false, ERR_USAGE,
			       "'taskgroup' has an empty part; a path such as \"/background\" is "
			       "allowed");
	text_clean(s->group, sizeof(s->group), path->valuestring);
	if (!len || !strcmp(s->group, "/"))
		return 0;
	if (!task) {
		rt_warn(f, node, "taskgroup",
			"moving to another group within a task is not modelled; it stays");
		return 0;
	}
	g = file_group(f, s->group);
	if (!g)
		return rt_fail(f, node, false, ERR_LIMIT, "more than %u task groups", GROUPS_MAX);
	if (max && read_max(f, max, g))
		return -1;
	if (weight) {
		if (rt_whole(f, weight, 1, WEIGHT_MAX, "a weight from 1 to 10000", &n))
			return -1;
		/* sched_weight_from_cgroup() */
		g->shares = (u32)((n * 1024 + 50) / 100);
	}
	return 0;
}

int rtapp_give_groups(const struct rtapp *r, const struct sim *sim,
		      int (*give)(void *ctx, struct sim_input *in), void *ctx)
{
	for (u32 i = 0; i < r->nr_groups; i++) {
		const struct rtapp_group *g = &r->groups[i];
		struct sim_input in = {
			.kind = INPUT_GROUP_NEW, .origin = ORIGIN_SCRIPT, .text = g->name, .b = 1024
		};
		const char *last = strrchr(g->name, '/');
		char above[sizeof(g->name)];
		int ret = 0;

		snprintf(above, sizeof(above), "%.*s", (int)(last - g->name), g->name);
		if (last != g->name)
			in.a = sim_find_group(sim, above);
		if (sim_find_group(sim, g->name) == NONE)
			ret = give(ctx, &in);
		in = (struct sim_input){ .kind = INPUT_GROUP_SHARES,
					 .origin = ORIGIN_SCRIPT,
					 .a = sim_find_group(sim, g->name),
					 .b = g->shares };
		if (!ret && g->shares)
			ret = give(ctx, &in);
		in.kind = INPUT_GROUP_MAX;
		in.b = g->quota == RUNTIME_INF ? -1 : (s64)g->quota;
		in.c = (s64)g->period;
		if (!ret && g->has_max)
			ret = give(ctx, &in);
		if (ret)
			return ret;
	}
	return 0;
}
