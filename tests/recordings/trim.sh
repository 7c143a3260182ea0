#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# trim.sh FROM TO [UNTIL_US] - the part of a recording that the tests read. FROM and TO name a run
# without its endings (.pelt.csv, .trace.csv). Averages after UNTIL_US are dropped, the trace is kept.
# Columns the tests do not read are dropped, and sums are kept only where a replay starts: in the
# first row of each task.
set -eu
until=${3:-1e18}

awk -F, -v until="$until" '
NR == 1 {
	for (i = 1; i <= NF; i++)
		col[$i] = i
	print "clk_ns,kind,task,util_avg,runnable_avg,load_avg,util_est,delayed," \
	      "last_update_ns,util_sum,runnable_sum,load_sum,period_contrib"
	next
}
$1 > until { next }
{
	t = $col["task"]
	line = $2 "," $3 "," t "," $col["util_avg"] "," $col["runnable_avg"] "," \
	       $col["load_avg"] "," $col["util_est"] "," $col["delayed"]
	if (!seen[t]++ || $3 == "wakeup_new")
		line = line "," $col["last_update_ns"] "," $col["util_sum"] "," $col["runnable_sum"] \
		       "," $col["load_sum"] "," $col["period_contrib"]
	print line
}' "$1.pelt.csv" >"$2.pelt.csv"
awk -F, -v OFS=, '{ NF = 7; print }' "$1.trace.csv" >"$2.trace.csv"
