# SPDX-License-Identifier: GPL-2.0-only
# The simulator. One line per room; headers are listed too, so that a tarball has them.

engine_sources = \
	engine/hw/machine.h engine/hw/machine.c \
	engine/base/types.h engine/base/err.h engine/base/err.c \
	engine/access.h engine/observe/emit.h \
	engine/sched/features.def engine/sched/features.h engine/sched/features.c \
	engine/sched/load.h engine/sched/load.c engine/sched/pelt.h engine/sched/pelt.c \
	engine/sched/pelt_table.h engine/sched/pelt_table.c engine/sched/clock.h engine/sched/clock.c \
	engine/sched/load_avg.h engine/sched/load_avg.c engine/sched/blocked.c \
	engine/sched/group.h engine/sched/group.c engine/sched/util_est.h engine/sched/util_est.c \
	engine/sched/signal_energy.h engine/sched/signal_energy.c \
	engine/state.h engine/domains.h engine/stats.h engine/sim.h engine/sim_internal.h engine/sim.c engine/sim_build.c engine/sim_input.c \
	engine/sim_query.c engine/profile.c engine/workload/program.h engine/workload/program.c \
	engine/workload/workload.h engine/workload/workload.c engine/workload/spawn.c \
	engine/workload/measure.h engine/workload/measure.c \
	engine/history/journal.h engine/history/journal.c \
	engine/observe/trace_events.def engine/observe/kfuncs.def engine/observe/trace.h engine/observe/trace.c \
	engine/observe/check.c engine/observe/starved.h engine/observe/starved.c \
	engine/observe/watch.h engine/observe/watch.c \
	engine/sched/fair.h engine/sched/fair.c engine/sched/core.h engine/sched/core.c \
	engine/sched/costs.def engine/sched/costs.h engine/sched/costs.c \
	engine/sched/exec.h engine/sched/exec.c engine/sched/hotplug.h engine/sched/hotplug.c engine/sched/idle.h engine/sched/idle.c \
	engine/sched/pass.h engine/sched/pass.c \
	engine/policy/newidle_pass.h engine/policy/newidle_pass.c engine/policy/newidle_v5_4.c \
	engine/policy/newidle_v5_13.c engine/policy/newidle_none.c \
	engine/sched/uclamp.h engine/sched/uclamp.c \
	engine/sched/bandwidth.h engine/sched/bandwidth.c \
	engine/sched/class.h engine/sched/class.c engine/sched/rt.c engine/sched/dl.h engine/sched/dl.c \
	engine/sched/fair_server.h engine/sched/fair_server.c \
	engine/sched/cpuset.h engine/sched/cpuset.c \
	engine/sched/partition.h engine/sched/partition.c \
	engine/sched/place.h engine/sched/place.c engine/sched/capacity.h engine/sched/capacity.c \
	engine/policy/policy.h engine/policy/place_simple.c \
	engine/policy/place_rules.def engine/policy/place_linux.h engine/policy/place_linux.c \
	engine/policy/place_idle.c engine/policy/place_slow.c engine/policy/place_eas.c \
	engine/policy/sg_stats.h \
	engine/policy/balance.h engine/policy/balance_stats.c engine/policy/balance_move.c \
	engine/policy/balance_linux.c engine/policy/nohz.h engine/policy/nohz_core.c \
	engine/policy/nohz_global.c engine/policy/nohz_node_posted.c engine/policy/nohz_node.c \
	engine/policy/governor_simple.c \
	engine/policy/governor_ondemand.c \
	engine/hw/topology.h engine/hw/topology_int.h engine/hw/topology_groups.c engine/hw/topology.c engine/sched/domain.h engine/sched/domain.c \
	engine/hw/energy.h engine/hw/energy.c engine/hw/cpufreq.h engine/hw/cpufreq.c \
	engine/policy/util_est_rule.h engine/policy/util_est_runnable.c \
	engine/policy/util_est_idle_aware.c engine/policy/util_est_revert.c \
	engine/policy/util_est_v5_4.c \
	engine/policy/sugov.h engine/policy/sugov.c engine/policy/governor_schedutil.c \
	engine/base/arena.h engine/base/arena.c engine/base/evq.h engine/base/evq.c \
	engine/base/cpumask.h engine/base/cpumask.c \
	engine/base/rng.h engine/base/rng.c engine/base/rng_log2_table.h \
	engine/base/tree.h engine/base/tree_impl.h \
	engine/sched/timeline.h engine/sched/tunables.h \
	engine/policy/policy.h engine/policy/policies.def engine/policy/policy.c \
	engine/policy/pick_common.h engine/policy/pick_eevdf.c engine/policy/pick_cfs.c \
	engine/policy/pick_simple.c engine/policy/pick_share.c \
	engine/base/hist.h engine/base/hist.c \
	engine/sched/release.def engine/sched/release.h engine/sched/release.c \
	engine/sched/queued_load.h engine/sched/queued_load.c \
	engine/policy/place_slow_v5_4.c engine/policy/place_eas_v5.c engine/policy/balance_v5_4.c

libengine_a_CFLAGS = $(AM_CFLAGS) $(ENGINE_CFLAGS)
if ENGINE_UNITY
nodist_libengine_a_SOURCES = engine_unity.c
libengine_a_SOURCES =
else
libengine_a_SOURCES = $(engine_sources)
endif

engine_unity.c: Makefile
	$(AM_V_GEN)for f in $(engine_sources); do \
		case $$f in *.c) echo "#include \"$$f\"" ;; esac; done >$@
CLEANFILES += engine_unity.c
