/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lua-fuzzer.c - texts of scenarios, with small budgets: whatever they do, the simulation stays
 * whole, and they end.
 */
#include "app/lua/script_int.h"
#include "tests/fuzz/fuzz.h"

struct world {
	struct sim *sim;
};

static struct sim *build(void *ctx, const struct script_scenario *sc, struct err *err)
{
	struct world *w = ctx;
	struct machine_desc *m = fuzz_machine(4);

	(void)sc;
	w->sim = fuzz_sim(m);
	machine_free(m);
	if (!w->sim)
		err_set(err, ERR_LIMIT, "no simulation");
	return w->sim;
}

static void fail(void *ctx, const struct err *err, const char *trace)
{
	(void)ctx;
	(void)trace;
	FUZZ_ASSERT(err->code != ERR_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world w = { NULL };
	struct script_host host = { .ctx = &w, .build = build, .fail = fail };
	struct err err = { 0 };
	struct script *s;

	if (size > 4096)
		return -1;
	s = script_new(&host, NULL, &err);
	FUZZ_ASSERT(s);
	s->box->lim.callback_insns = 200000;
	s->box->lim.policy_insns = 5000;
	s->box->lim.mem_bytes = 8u << 20;
	s->box->lim.str_bytes = 64u << 10;
	if (script_load(s, (const char *)data, size, "fuzz.lua", &err))
		FUZZ_ASSERT(err.code != ERR_NONE && err.msg[0]);
	if (w.sim) {
		fuzz_run(w.sim, 20 * NSEC_PER_MSEC, 200);
		script_check_expects(s, &err);
	}
	script_free(s);
	sim_free(w.sim);
	return 0;
}
