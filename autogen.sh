#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes ./configure from configure.ac and Makefile.am; needed in a git checkout only.
set -e
cd "$(dirname "$0")"
need() {
	command -v "$1" >/dev/null 2>&1 && return
	echo "autogen.sh: '$1' not found. On Debian or Ubuntu: apt install $2" >&2
	exit 1
}
need autoreconf autoconf
need automake automake
need pkg-config pkg-config
# The version is read from git when configure is made: see configure.ac.
exec autoreconf --install --force "$@"
