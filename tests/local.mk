# SPDX-License-Identifier: GPL-2.0-only
# Tests. To add one that needs the engine alone, add its name to engine_tests: its source is NAME.c,
# it links libengine.a and cmocka. Tests of ui and app also need an _LDADD line, as shown below.

engine_tests = tests/unit/base-err-test tests/unit/base-arena-test tests/prop/base-arena-test \
	tests/prop/base-evq-test tests/unit/base-cpumask-test tests/unit/base-rng-test \
	tests/prop/base-tree-test tests/unit/base-hist-test
engine_tests += tests/prop/pick-eevdf-test tests/unit/pick-cfs-test tests/unit/pick-simple-test \
	tests/unit/pick-adopt-test
ui_tests = tests/unit/ui-canvas-test tests/unit/ui-looks-test tests/unit/ui-plot-test \
	tests/unit/ui-lineedit-test tests/unit/ui-layout-test tests/unit/ui-term-test
app_tests =
app_tests += tests/unit/json-repair-test tests/unit/machine-load-test tests/unit/rtapp-import-test
app_tests += tests/unit/lua-state-test tests/unit/lua-pattern-test
app_tests += tests/unit/app-jsonout-test tests/unit/app-options-test tests/unit/app-pacer-test

# tests_unit_canvas_test_LDADD = $(ui_test_ldadd)
ui_test_ldadd = libui.a libengine.a $(NCURSES_LIBS) $(CMOCKA_LIBS)
tests_unit_ui_canvas_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_looks_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_plot_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_lineedit_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_layout_test_LDADD = $(ui_test_ldadd)
tests_unit_ui_term_test_LDADD = $(ui_test_ldadd)
# tests_unit_options_test_LDADD = $(app_test_ldadd)
app_test_ldadd = $(app_ldadd) $(CMOCKA_LIBS)

tests_unit_app_jsonout_test_LDADD = $(app_test_ldadd)
tests_unit_app_options_test_LDADD = $(app_test_ldadd)
tests_unit_app_pacer_test_LDADD = $(app_test_ldadd)
tests_unit_json_repair_test_LDADD = $(app_test_ldadd)
tests_unit_machine_load_test_LDADD = $(app_test_ldadd)
tests_unit_rtapp_import_test_LDADD = $(app_test_ldadd)
EXTRA_DIST += tests/data/rtapp-all-events.json
tests_unit_lua_state_test_CFLAGS = $(AM_CFLAGS) $(LUA_CFLAGS)
tests_unit_lua_state_test_LDADD = $(app_test_ldadd)
tests_unit_lua_pattern_test_CFLAGS = $(AM_CFLAGS) $(LUA_CFLAGS)
tests_unit_lua_pattern_test_LDADD = $(app_test_ldadd)

if HAVE_CMOCKA
check_PROGRAMS += $(engine_tests) $(ui_tests) $(app_tests)
TESTS += $(engine_tests) $(ui_tests) $(app_tests)
endif

# Shell scripts that print TAP; tests/lib.sh has the helpers.
script_tests = tests/layering.test tests/quickstart.test
TESTS += $(script_tests)
EXTRA_DIST += $(script_tests) tests/lib.sh tests/unit/pick-world.h
