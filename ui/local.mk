# SPDX-License-Identifier: GPL-2.0-only
# Canvas, views, terminal. Reads the engine's state, calls only its read-only functions.

libui_a_SOURCES =
libui_a_CFLAGS = $(AM_CFLAGS) $(DRAW_CFLAGS) $(NCURSES_CFLAGS)
