#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# soak.sh - on demand, not in `make check`: an hour simulated at full speed, memory flat, invariants
# whole at the end. usage: tests/soak.sh [PROGRAM [SCENARIO [TIME]]]; default build/schedground,
# octacore.lua, 3600s. After three seconds of real time memory may grow by an eighth at most.
# A scenario whose script keeps changing things grows by its journal, about 100 bytes per change.
program=${1:-build/schedground}
scenario=${2:-octacore.lua}
time=${3:-3600s}
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

rss() { awk '/^VmRSS:/ { print $2 }' "/proc/$1/status" 2>/dev/null; }

"$program" run "$scenario" --for "$time" --quiet --json -o "$out" &
pid=$!
first=0 most=0 seconds=0
while kill -0 $pid 2>/dev/null; do
	sleep 1
	seconds=$((seconds + 1))
	now=$(rss $pid)
	[ -n "$now" ] || continue
	# The first seconds fill rings, histograms and pools.
	[ $seconds -ge 3 ] && [ "$first" = 0 ] && first=$now
	[ "$now" -gt "$most" ] && most=$now
	[ $((seconds % 5)) = 0 ] && echo "$seconds s: $now KiB"
done
wait $pid
status=$?
echo "exit $status after $seconds s, memory $first KiB at first, $most KiB at most"
grep -E '"(digest|duration_ns|events)":' "$out"
[ $status = 0 ] || exit 1
[ "$first" = 0 ] || [ "$most" -le $((first + first / 8)) ] || {
	echo "memory grew"
	exit 1
}
