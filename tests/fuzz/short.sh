#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# short.sh - each fuzzer for SECONDS_EACH seconds (default 10), from its corpus; finds go to the
# current folder. Called by `make fuzz-short` of a tree configured with --enable-fuzzing.
top=$(cd "$(dirname "$0")/../.." && pwd)
new=$(mktemp -d) || exit 1
trap 'rm -rf "$new"' EXIT
bad=0
for f in "$@"; do
	name=$(basename "$f" -fuzzer)
	if ! "./$f" -help=1 2>&1 | grep -q max_total_time; then
		echo "skipped: $name (this tree was configured without --enable-fuzzing)"
		continue
	fi
	mkdir "$new/$name"
	dict=$top/tests/fuzz/dict/$name.dict
	[ -f "$dict" ] || dict=
	if "./$f" -max_total_time="${SECONDS_EACH:-10}" -timeout=20 -rss_limit_mb=3000 -verbosity=0 ${dict:+"-dict=$dict"} \
		-artifact_prefix="./fuzz-$name-" "$new/$name" "$top/tests/fuzz/corpus/$name" \
		>"$new/log" 2>&1; then
		echo "ok: $name, $(find "$new/$name" -type f | wc -l) new inputs"
	else
		echo "FAILED: $name"
		tail -n 40 "$new/log"
		bad=1
	fi
done
exit $bad
