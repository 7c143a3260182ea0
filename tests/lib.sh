# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# lib.sh - TAP from a shell script. Source it as:  . "${abs_top_srcdir:-.}/tests/lib.sh"
#
#   ok "name" command args...     passes if the command exits 0; its output is shown if it does not
#   is "name" GOT WANTED          passes if both strings are equal
#   has "name" TEXT PART          passes if PART occurs in TEXT
#   clean "name" TEXT             passes if TEXT, a list of complaints, is empty
#   skip "name" "why"             counted as skipped
#   done_testing                  prints the plan; call it last
#
# $top is the source tree, $build the build tree, $tmp an empty folder that goes away at the end.

top=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
build=${abs_top_builddir:-$top/build}
schedground=$build/schedground
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
tap_n=0
: "$top" "$build" "$schedground"

tap_pass() { tap_n=$((tap_n + 1)) && echo "ok $tap_n - $1"; }
tap_fail() { tap_n=$((tap_n + 1)) && echo "not ok $tap_n - $1"; }
skip() { tap_n=$((tap_n + 1)) && echo "ok $tap_n - $1 # SKIP $2"; }
tap_note() { printf '%s\n' "$1" | sed 's/^/# /' | head -n 40; }

ok() {
	tap_name=$1
	shift
	if tap_out=$("$@" 2>&1 </dev/null); then
		tap_pass "$tap_name"
	else
		tap_fail "$tap_name"
		tap_note "$*: $tap_out"
	fi
}

is() {
	if [ "$2" = "$3" ]; then
		tap_pass "$1"
	else
		tap_fail "$1"
		tap_note "     got: $2"
		tap_note "expected: $3"
	fi
}

has() {
	case $2 in
	*"$3"*) tap_pass "$1" ;;
	*)
		tap_fail "$1"
		tap_note "not found: $3"
		tap_note "in: $2"
		;;
	esac
}

clean() {
	if [ -z "$2" ]; then
		tap_pass "$1"
	else
		tap_fail "$1"
		tap_note "$2"
	fi
}

done_testing() { echo "1..$tap_n"; }
