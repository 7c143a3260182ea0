# SPDX-License-Identifier: GPL-2.0-only
# Wiring: command line, loop, files, Lua. libapp.a holds everything but main(), for tests to link.

libapp_a_SOURCES =
# Foreign files: text made harmless, JSON as people write it, machines, rt-app workloads.
libapp_a_SOURCES += app/xalloc.c app/xalloc.h app/text.c app/text.h app/suggest.c app/suggest.h \
	app/readfile.c app/readfile.h app/json_repair.c app/json_repair.h app/json_place.c \
	app/json_util.c app/json_util.h app/machine.c app/machine.h app/machine_load.c \
	app/machine_spec.c app/machine_spec.h app/host.c app/host.h app/host_build.c app/host_hwloc.c \
	app/topo.c app/topo.h app/topo_show.c app/topo_lint.c app/rtapp.c app/rtapp.h app/rtapp_ir.h app/rtapp_read.c \
	app/rtapp_event.c app/rtapp_build.c app/rtapp_group.c
# Lua: the sandbox, its values and the prelude, which travels inside the program.
libapp_a_SOURCES += app/units.c app/units.h \
	app/lua/state.c app/lua/state.h app/lua/sandbox.c app/lua/sandbox_lib.c app/lua/order.c \
	app/lua/handle.c app/lua/handle.h app/lua/value.c app/lua/value.h app/lua/doc.c app/lua/doc.h \
	app/lua/script.c app/lua/script.h app/lua/script_int.h app/lua/gate.c app/lua/timers.c \
	app/lua/bind_sim.c app/lua/bind_report.c app/lua/bind_step.c app/lua/bind_step.h app/lua/bind_task.c \
	app/lua/bind_cpu.c app/lua/bind_group.c app/lua/bind_policy.c app/lua/policy.c app/lua/policy_int.h \
	app/lua/bind_workload.c app/lua/workloads.def
lua_workloads = scripts/lua/workload/schbench.lua scripts/lua/workload/hackbench.lua \
	scripts/lua/workload/pgbench.lua scripts/lua/workload/tbench.lua \
	scripts/lua/workload/speedometer.lua scripts/lua/workload/taskset.lua
nodist_libapp_a_SOURCES = app/lua/prelude_text.c
CLEANFILES += app/lua/prelude_text.c
EXTRA_DIST += scripts/lua/prelude.lua scripts/lua/steps.lua $(lua_workloads)
app/lua/prelude_text.c: scripts/lua/prelude.lua scripts/lua/steps.lua $(lua_workloads)
	$(AM_V_GEN)$(MKDIR_P) app/lua && { \
	echo '/* Generated from scripts/lua/. */' && \
	echo '#include "app/lua/state.h"' && \
	for f in scripts/lua/prelude.lua scripts/lua/steps.lua $(lua_workloads); do \
		n=`echo $$f | sed 's|^scripts/lua/||;s|/|_|;s|\.lua$$||'` && \
		echo "extern const unsigned char lua_$$n[]; extern const size_t lua_$${n}_len;" && \
		echo "const unsigned char lua_$$n[] = {" && \
		od -An -v -tu1 $(srcdir)/$$f | sed 's/[0-9][0-9]*/&,/g' && \
		echo '};' && echo "const size_t lua_$${n}_len = sizeof(lua_$$n);" || exit 1; \
	done; } >$@.tmp && mv $@.tmp $@
# Wiring: command line, commands, summary, loop.
libapp_a_SOURCES += app/app.h app/strbuf.c app/strbuf.h app/jsonout.c app/jsonout.h \
	app/options.c app/options_help.c app/options_int.h app/options.h app/output.c app/output.h app/paths.c app/pacer.c app/pacer.h \
	app/commands.def app/command.c app/command.h app/complete.c app/settings.c app/settings.h \
	app/cmd_sim.c app/cmd_policy.c app/cmd_cpu.c app/cmd_task.c app/cmd_group.c app/cmd_view.c app/cmd_file.c \
	app/metrics.def app/metrics.c app/metrics_find.c app/metrics.h app/summary.c app/export_trace.c \
	app/export_trace.h app/fgraph.h app/fgraph.c app/help.c app/help.h app/list.c app/bench.c app/bench.h app/bench_cases.c app/bench_pelt.c app/scenario.c \
	app/scenario_lua.c app/published.c app/scenario.h app/headless.c app/looks.c app/looks.h app/frame.c app/crash.c app/crash.h \
	app/loop.c app/reload.c app/reload.h
# Averages along a timeline from a CSV file.
libapp_a_SOURCES += app/pelt_run.c app/pelt_run.h app/pelt_csv.c app/pelt_csv.h app/pelt_cmd.c \
	app/pelt_cmd.h
# Many runs side by side.
libapp_a_SOURCES += app/stats.c app/stats.h app/runjson.c app/runjson.h app/cellpool.c app/cellpool.h \
	app/cells.c app/cells.h app/compare.c app/compare.h app/compare_table.c app/compare_table.h
# Where the shipped scenarios, machines and Lua files are: installed, and in the source tree.
app_paths = -DSG_PKGDATADIR='"$(pkgdatadir)"' -DSG_SRCDIR='"$(abs_top_srcdir)"' \
	-DSG_BUILDDIR='"$(abs_top_builddir)"'
libapp_a_CPPFLAGS = $(AM_CPPFLAGS) $(app_paths)
libapp_a_CFLAGS = $(AM_CFLAGS) $(DRAW_CFLAGS) $(LUA_CFLAGS) $(HWLOC_CFLAGS)
# The order matters: users before what they use.
app_ldadd = libapp.a libui.a libengine.a $(NCURSES_LIBS) $(LUA_LIBS) $(CJSON_LIBS) $(EV_LIBS) $(HWLOC_LIBS) -lm

schedground_SOURCES = app/main.c
schedground_CPPFLAGS = $(libapp_a_CPPFLAGS)
schedground_CFLAGS = $(libapp_a_CFLAGS)
schedground_LDADD = $(app_ldadd)

dist_man1_MANS = app/schedground.1

# Installed below $(pkgdatadir) under the same names as here. Add each new file.
nobase_dist_pkgdata_DATA += \
	scenarios/machine/alderlake-8p8e.json \
	scenarios/machine/apple-m1.json \
	scenarios/machine/epyc-naples-8n.json \
	scenarios/machine/epyc-nps4.json \
	scenarios/machine/gs101.json \
	scenarios/machine/hikey960.json \
	scenarios/machine/hpe-16n.json \
	scenarios/machine/intel-hybrid-6p8e.json \
	scenarios/machine/juno-r2.json \
	scenarios/machine/kunpeng920-4n.json \
	scenarios/machine/opteron-8n.json \
	scenarios/machine/power8-4n.json \
	scenarios/machine/power9-4n.json \
	scenarios/machine/rk3399.json \
	scenarios/machine/sc7180.json scenarios/machine/sc7180-2021-01.json \
	scenarios/machine/sdm845.json \
	scenarios/machine/smp4.json \
	scenarios/machine/smp8-smt.json \
	scenarios/machine/smp8.json \
	scenarios/machine/xeon-2s-smt.json \
	scenarios/machine/xeon-4s-ring.json \
	scenarios/idle-node.lua scenarios/housekeeping.lua scenarios/hotplug-remote-caller.lua \
	scenarios/bandwidth.lua scenarios/groups.lua \
	scenarios/four-nodes.lua scenarios/hogs.lua scenarios/newidle-blocked-load.lua scenarios/nice.lua scenarios/octacore.lua \
	scenarios/rt-neighbours.lua scenarios/two-tasks.lua scenarios/util-est-idle-time.lua scenarios/util-est-pixel6.lua \
	scenarios/util-est-speedometer.lua scenarios/nohz-per-node-pgbench.lua \
	scenarios/nohz-per-node-hackbench.lua scenarios/nohz-per-node-tbench.lua \
	scenarios/rtapp/two-tasks-util-est.json
