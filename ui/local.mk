# SPDX-License-Identifier: GPL-2.0-only
# Canvas, views, terminal. Reads the engine's state, calls only its read-only functions.

libui_a_SOURCES = \
	ui/canvas.c ui/canvas.h \
	ui/colour.c ui/colour.h \
	ui/fmt.c ui/fmt.h \
	ui/glyph.c ui/glyph.h \
	ui/key.c ui/key.h \
	ui/keymap.c ui/keymap.h ui/keymap.def \
	ui/layout.c ui/layout.h \
	ui/lineedit.c ui/lineedit.h \
	ui/plot.c ui/plot.h \
	ui/term.c ui/term.h \
	ui/utf8.c ui/utf8.h \
	ui/xalloc.h
libui_a_CFLAGS = $(AM_CFLAGS) $(DRAW_CFLAGS) $(NCURSES_CFLAGS)
