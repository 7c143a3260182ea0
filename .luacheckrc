-- SPDX-License-Identifier: GPL-2.0-only
std = "lua54"
max_line_length = 120
self = false
unused_args = false
