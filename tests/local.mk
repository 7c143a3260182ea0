# SPDX-License-Identifier: GPL-2.0-only
# Tests. To add one that needs the engine alone, add its name to engine_tests: its source is NAME.c,
# it links libengine.a and cmocka. Tests of ui and app also need an _LDADD line, as shown below.

engine_tests = tests/unit/base-err-test tests/unit/base-arena-test tests/prop/base-arena-test \
	tests/prop/base-evq-test tests/unit/base-cpumask-test tests/unit/base-rng-test \
	tests/prop/base-tree-test tests/unit/base-hist-test
engine_tests += tests/prop/pick-eevdf-test tests/unit/pick-cfs-test tests/unit/pick-simple-test \
	tests/unit/pick-adopt-test tests/unit/pick-group-test
engine_tests += tests/unit/topology-test tests/unit/place-test tests/unit/balance-test \
	tests/unit/place-v5-test tests/unit/balance-v5-test tests/unit/asym-packing-test \
	tests/unit/place-eas-v5-test
engine_tests += tests/unit/sched-pelt-test tests/unit/sched-load-test tests/unit/hw-energy-test \
	tests/unit/sched-signals-test tests/unit/governor-schedutil-test
engine_tests += tests/unit/governor-ondemand-test
engine_tests += tests/unit/bandwidth-test tests/unit/group-attr-test tests/unit/partition-test
engine_tests += tests/unit/workload-measure-test tests/unit/signal-energy-test
engine_tests += tests/unit/expectations-test
engine_tests += tests/unit/rt-test tests/unit/dl-test tests/unit/pressure-test
engine_tests += tests/unit/sim-run-test tests/unit/costs-test
EXTRA_DIST += tests/sim-world.h tests/unit/place-world.h
engine_tests += tests/unit/newidle-test
engine_tests += tests/unit/workload-queue-test
ui_tests = tests/unit/ui-canvas-test tests/unit/ui-looks-test tests/unit/ui-plot-test \
	tests/unit/ui-lineedit-test tests/unit/ui-layout-test tests/unit/ui-term-test \
	tests/unit/ui-series-test tests/unit/ui-view-test
app_tests =
app_tests += tests/unit/json-repair-test tests/unit/machine-load-test tests/unit/rtapp-import-test
app_tests += tests/unit/lua-state-test tests/unit/lua-pattern-test tests/unit/lua-script-test
app_tests += tests/unit/app-jsonout-test tests/unit/app-options-test tests/unit/app-pacer-test \
	tests/unit/app-command-test tests/unit/app-slices-test
app_tests += tests/unit/app-stats-test tests/unit/app-cells-test
app_tests += tests/recordings/replay-test tests/unit/pelt-cmd-test
engine_tests += tests/recordings/loop-test tests/recordings/nohz-test
engine_tests += tests/unit/nohz-test tests/unit/hotplug-test tests/unit/release-rules-test

# tests_unit_canvas_test_LDADD = $(ui_test_ldadd)
ui_test_ldadd = libui.a libengine.a $(NCURSES_LIBS) $(CMOCKA_LIBS)
tests_unit_ui_canvas_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_looks_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_plot_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_lineedit_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_layout_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_term_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_series_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_view_test_LDADD = $(ui_test_ldadd)
EXTRA_DIST += tests/unit/ui-fixture.h tests/screen
engine_tests += tests/unit/watch-test
app_tests += tests/prop/sim-random-test
random_case = tests/prop/random-case.h tests/prop/random-case.c tests/prop/random-lua.c \
	tests/prop/random-make.c
tests_prop_sim_random_test_SOURCES = tests/prop/sim-random-test.c $(random_case)
tests_prop_sim_random_test_LDADD = $(app_test_ldadd)
app_tests += tests/prop/random-self-test
tests_prop_random_self_test_SOURCES = tests/prop/random-self-test.c $(random_case)
tests_prop_random_self_test_LDADD = $(app_test_ldadd)
EXTRA_DIST += tests/prop/smt-2n.json
# tests_unit_options_test_LDADD = $(app_test_ldadd)
app_test_ldadd = $(app_ldadd) $(CMOCKA_LIBS)

tests_unit_app_jsonout_test_LDADD = $(app_test_ldadd)
tests_unit_app_options_test_LDADD = $(app_test_ldadd)
tests_unit_app_pacer_test_LDADD = $(app_test_ldadd)
tests_unit_app_command_test_LDADD = $(app_test_ldadd)
tests_unit_app_slices_test_LDADD = $(app_test_ldadd)
tests_unit_app_stats_test_LDADD = $(app_test_ldadd)
tests_unit_app_cells_test_LDADD = $(app_test_ldadd)
tests_recordings_replay_test_LDADD = $(app_test_ldadd)
tests_unit_pelt_cmd_test_LDADD = $(app_test_ldadd)
EXTRA_DIST += tests/recordings/README.md tests/recordings/trim.sh tests/recordings/recording.h \
	tests/recordings/loop.h tests/recordings/data
tests_unit_json_repair_test_LDADD = $(app_test_ldadd)
tests_unit_machine_load_test_LDADD = $(app_test_ldadd)
tests_unit_rtapp_import_test_LDADD = $(app_test_ldadd)
EXTRA_DIST += tests/data/rtapp-all-events.json
app_tests += tests/unit/host-test
app_tests += tests/unit/fgraph-test
tests_unit_fgraph_test_LDADD = $(app_test_ldadd)
tests_unit_host_test_LDADD = $(app_test_ldadd)
EXTRA_DIST += tests/data/host-biglittle.txt tests/data/host-server.txt tests/data/host-guest.txt \
	tests/data/host-hwloc.xml tests/data/damaged-hwloc.xml
tests_unit_lua_state_test_CFLAGS = $(AM_CFLAGS) $(LUA_CFLAGS)
tests_unit_lua_state_test_LDADD = $(app_test_ldadd)
tests_unit_lua_script_test_LDADD = $(app_test_ldadd)
tests_unit_lua_pattern_test_CFLAGS = $(AM_CFLAGS) $(LUA_CFLAGS)
tests_unit_lua_pattern_test_LDADD = $(app_test_ldadd)

if HAVE_CMOCKA
check_PROGRAMS += $(engine_tests) $(ui_tests) $(app_tests) $(fault_tests)
TESTS += $(engine_tests) $(ui_tests) $(app_tests) $(fault_tests)
endif

# Allocations that fail on purpose.
fault_tests = tests/fault/engine-alloc-test tests/fault/loader-alloc-test
fault_ldflags = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free \
	-Wl,--wrap=strdup,--wrap=aligned_alloc
tests_fault_engine_alloc_test_SOURCES = tests/fault/engine-alloc-test.c tests/fault/fault.c \
	tests/fault/fault.h
tests_fault_engine_alloc_test_LDFLAGS = $(fault_ldflags)
tests_fault_engine_alloc_test_LDADD = libengine.a $(CMOCKA_LIBS)
tests_fault_loader_alloc_test_SOURCES = tests/fault/loader-alloc-test.c tests/fault/fault.c \
	tests/fault/fault.h
tests_fault_loader_alloc_test_LDFLAGS = $(fault_ldflags) -Wl,--wrap=crash_no_memory
tests_fault_loader_alloc_test_LDADD = $(app_test_ldadd)

# Shell scripts that print TAP; tests/lib.sh has the helpers.
script_tests = tests/layering.test tests/quickstart.test
# Vectors of the kernel's arithmetic: the tool, its data, and the script that runs them all.
check_PROGRAMS += tests/vectors/vectors
tests_vectors_vectors_SOURCES = tests/vectors/main.c tests/vectors/vectors.h tests/vectors/jsonl.c \
	tests/vectors/jsonl.h tests/vectors/world.c tests/vectors/pelt_ops.c \
	tests/vectors/formula_ops.c tests/vectors/fair_ops.c
tests_vectors_vectors_LDADD = libengine.a
script_tests += tests/vectors.test
vector_data = tests/vectors/data/README.md \
	tests/vectors/data/fair/cfs-v6.1.jsonl \
	tests/vectors/data/fair/eevdf-v6.12.jsonl \
	tests/vectors/data/formulas/calc_delta.jsonl \
	tests/vectors/data/formulas/decay.jsonl \
	tests/vectors/data/formulas/em_energy-v6.1.jsonl \
	tests/vectors/data/formulas/em_energy-v6.12.jsonl \
	tests/vectors/data/formulas/group_shares.jsonl \
	tests/vectors/data/formulas/iowait_boost.jsonl \
	tests/vectors/data/formulas/lb_classify-v6.12.jsonl \
	tests/vectors/data/formulas/lb_fits-v6.12.jsonl \
	tests/vectors/data/formulas/lb_idle_scan-v6.12.jsonl \
	tests/vectors/data/formulas/lb_imbalance-v6.12.jsonl \
	tests/vectors/data/formulas/next_freq-v6.1.jsonl \
	tests/vectors/data/formulas/next_freq-v6.12.jsonl \
	tests/vectors/data/formulas/segments.jsonl \
	tests/vectors/data/pelt/cfs_rq.jsonl \
	tests/vectors/data/pelt/clock-lost-idle.jsonl \
	tests/vectors/data/pelt/clock-scaled.jsonl \
	tests/vectors/data/pelt/core-duty.jsonl \
	tests/vectors/data/pelt/core-long.jsonl \
	tests/vectors/data/pelt/core-odd.jsonl \
	tests/vectors/data/pelt/core-short.jsonl \
	tests/vectors/data/pelt/entity.jsonl \
	tests/vectors/data/pelt/fork.jsonl \
	tests/vectors/data/pelt/group.jsonl \
	tests/vectors/data/pelt/migrate.jsonl \
	tests/vectors/data/pelt/rt-irq.jsonl \
	tests/vectors/data/pelt/util_est-base-after.jsonl \
	tests/vectors/data/pelt/util_est-base-before.jsonl \
	tests/vectors/data/pelt/util_est-idle_aware-after.jsonl \
	tests/vectors/data/pelt/util_est-idle_aware-before.jsonl \
	tests/vectors/data/pelt/util_est-revert-before.jsonl \
	tests/vectors/data/pelt/util_est-v61-after.jsonl
EXTRA_DIST += $(vector_data)
script_tests += tests/cli/compare.test
script_tests += tests/cli/options.test tests/cli/run.test tests/cli/topo.test tests/cli/term.test tests/cli/man.test
script_tests += tests/workloads.test
script_tests += tests/recordings/eas.test
EXTRA_DIST += tests/recordings/eas.lua
EXTRA_DIST += tests/workload
script_tests += tests/scenarios.test tests/golden.test tests/cli/bench.test
EXTRA_DIST += tests/golden/digests.txt
# Fuzzers: libFuzzer's with --enable-fuzzing, else run over their corpus by replay.c.
fuzz_programs = tests/fuzz/json-fuzzer tests/fuzz/machine-fuzzer tests/fuzz/spec-fuzzer \
	tests/fuzz/rtapp-fuzzer tests/fuzz/command-fuzzer tests/fuzz/options-fuzzer \
	tests/fuzz/values-fuzzer tests/fuzz/lua-fuzzer tests/fuzz/csv-fuzzer
check_PROGRAMS += $(fuzz_programs)
fuzz_ldadd = $(app_ldadd)
if FUZZING
fuzz_main = tests/fuzz/fuzz.h
fuzz_ldflags = $(AM_LDFLAGS) -fsanitize=fuzzer
else
fuzz_main = tests/fuzz/fuzz.h tests/fuzz/replay.c
fuzz_ldflags = $(AM_LDFLAGS)
endif
tests_fuzz_json_fuzzer_SOURCES = tests/fuzz/json-fuzzer.c $(fuzz_main)
tests_fuzz_json_fuzzer_LDADD = $(fuzz_ldadd)
tests_fuzz_json_fuzzer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_machine_fuzzer_SOURCES = tests/fuzz/machine-fuzzer.c $(fuzz_main)
tests_fuzz_machine_fuzzer_LDADD = $(fuzz_ldadd)
tests_fuzz_machine_fuzzer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_spec_fuzzer_SOURCES = tests/fuzz/spec-fuzzer.c $(fuzz_main)
tests_fuzz_spec_fuzzer_LDADD = $(fuzz_ldadd)
tests_fuzz_spec_fuzzer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_rtapp_fuzzer_SOURCES = tests/fuzz/rtapp-fuzzer.c $(fuzz_main)
tests_fuzz_rtapp_fuzzer_LDADD = $(fuzz_ldadd)
tests_fuzz_rtapp_fuzzer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_command_fuzzer_SOURCES = tests/fuzz/command-fuzzer.c $(fuzz_main)
tests_fuzz_command_fuzzer_LDADD = $(fuzz_ldadd)
tests_fuzz_command_fuzzer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_options_fuzzer_SOURCES = tests/fuzz/options-fuzzer.c $(fuzz_main)
tests_fuzz_options_fuzzer_LDADD = $(fuzz_ldadd)
tests_fuzz_options_fuzzer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_values_fuzzer_SOURCES = tests/fuzz/values-fuzzer.c $(fuzz_main)
tests_fuzz_values_fuzzer_LDADD = $(fuzz_ldadd)
tests_fuzz_values_fuzzer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_lua_fuzzer_SOURCES = tests/fuzz/lua-fuzzer.c $(fuzz_main)
tests_fuzz_lua_fuzzer_LDADD = $(fuzz_ldadd)
tests_fuzz_lua_fuzzer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_csv_fuzzer_SOURCES = tests/fuzz/csv-fuzzer.c $(fuzz_main)
tests_fuzz_csv_fuzzer_LDADD = $(fuzz_ldadd)
tests_fuzz_csv_fuzzer_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_lua_fuzzer_CFLAGS = $(AM_CFLAGS) $(LUA_CFLAGS)
# One digest for all compilers.
check_PROGRAMS += tests/digest
tests_digest_LDADD = libengine.a
script_tests += tests/digest.test
EXTRA_DIST += tests/soak.sh
script_tests += tests/fuzz.test
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/dict tests/fuzz/replay.c tests/fuzz/short.sh
fuzz-short: $(fuzz_programs)
	$(SHELL) $(srcdir)/tests/fuzz/short.sh $(fuzz_programs)
.PHONY: fuzz-short
TESTS += $(script_tests)
EXTRA_DIST += $(script_tests) tests/lib.sh tests/unit/pick-world.h
