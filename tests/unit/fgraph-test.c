/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fgraph-test.c - records of kernel functions as a function graph: nesting, leaves, marks, who.
 */
#include "tests/sim-world.h"

#include "app/fgraph.h"

static struct trace_rec rec(u64 us, enum trace_type type, u16 cpu, enum kfunc func, u32 target,
			    u64 b)
{
	return (struct trace_rec){ .time = us * US,
				   .type = (u16)type,
				   .cpu = cpu,
				   .task = NONE,
				   .a = trace_pair(func, target),
				   .b = b };
}

static void a_pass_is_nested(void **state)
{
	static const struct shape shape = { 8, 6, 1, 1, true };
	struct sim *s = world_sim(shape, "v5.4", 1);
	struct fgraph *g = fgraph_new();
	struct strbuf out = { 0 };
	const struct trace_rec recs[] = {
		/* In the governor's thread of the first domain. */
		rec(10, TR_kfunc_entry, 2, KF_newidle_balance, NONE, 1),
		rec(10, TR_kfunc_entry, 2, KF_update_blocked_averages, 2, 1),
		/* Another CPU comes in between. */
		rec(11, TR_kfunc_entry, 7, KF_run_rebalance_domains, NONE, 0),
		rec(43, TR_kfunc_exit, 2, KF_update_blocked_averages, 2, 33333),
		rec(43, TR_kfunc_entry, 2, KF_load_balance, NONE, 1),
		rec(43, TR_kfunc_entry, 2, KF_update_blocked_averages, 3, 1),
		rec(45, TR_kfunc_exit, 2, KF_update_blocked_averages, 3, 1875),
		rec(473, TR_kfunc_exit, 2, KF_load_balance, NONE, 430209),
		rec(1473, TR_kfunc_exit, 2, KF_newidle_balance, NONE, 1463000),
		/* Its beginning was not seen. */
		rec(1480, TR_kfunc_exit, 3, KF_newidle_balance, NONE, 5),
	};
	static const char expected[] =
		"             sugov:0 [002]     0.000010000: funcgraph_entry:                |  newidle_balance() {\n"
		"             sugov:0 [002]     0.000010000: funcgraph_entry:    + 33.333 us |    update_blocked_averages(cpu 2);\n"
		"             sugov:0 [002]     0.000043000: funcgraph_entry:                |    load_balance() {\n"
		"             sugov:0 [002]     0.000043000: funcgraph_entry:       1.875 us |      update_blocked_averages(cpu 3);\n"
		"            <idle>-0 [002]     0.000473000: funcgraph_exit:    ! 430.209 us |    }\n"
		"            <idle>-0 [002]     0.001473000: funcgraph_exit:   # 1463.000 us |  }\n";

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(recs); i++)
		fgraph_feed(g, s, &recs[i], &out);
	assert_string_equal(strbuf_str(&out), expected);
	strbuf_fini(&out);
	fgraph_free(g);
	sim_free(s);
}

/* A real one: the newest pass of the ring begins and ends with itself. */
static void the_last_pass(void **state)
{
	static const struct shape shape = { 8, 6, 1, 1, true };
	struct machine_desc *m = world_machine(shape);
	struct sim_config cfg = { .machine = m, .profile = "v5.4", .trace_records = 1u << 14 };
	struct err err = { 0 };
	struct sim *s = sim_new(&cfg, &err);
	struct strbuf out = { 0 };
	cpu_id cpu = NONE;

	(void)state;
	assert_non_null(s);
	assert_false(fgraph_last(s, &cpu, &out));
	for (u32 i = 0; i < 12; i++)
		world_spawn(s, world_periodic("t", 2 * MS, 7 * MS, i * 300 * US));
	world_run(s, 200 * MS);
	assert_true(fgraph_last(s, &cpu, &out));

	char *text = strbuf_take(&out), *at = text;
	u32 lines = 0, opened = 0, closed = 0;

	assert_true(cpu < 8);
	for (char *nl; (nl = strchr(at, '\n')); at = nl + 1, lines++) {
		opened += nl[-1] == '{';
		closed += nl[-1] == '}';
		/* Only the last line closes the first. */
		assert_true(nl[1] ? opened > closed || opened == 0 : opened == closed);
	}
	assert_true(lines >= 3);
	free(text);
	machine_free(m);
	sim_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pass_is_nested),
		cmocka_unit_test(the_last_pass),
	};

	return cmocka_run_group_tests_name("function graph", tests, NULL, NULL);
}
