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
	ui/menu.c \
	ui/overlay.c ui/overlay.h \
	ui/plot.c ui/plot.h \
	ui/series.c ui/series.h \
	ui/term.c ui/term.h \
	ui/ui.c ui/ui.h \
	ui/utf8.c ui/utf8.h \
	ui/view.c ui/view.h ui/views.def \
	ui/view_header.c ui/view_heat.c ui/view_pelt.c \
	ui/view_domain.c ui/view_energy.c ui/view_nohz.c ui/view_script.c ui/view_task.c ui/view_trace.c \
	ui/xalloc.h
libui_a_CFLAGS = $(AM_CFLAGS) $(DRAW_CFLAGS) $(NCURSES_CFLAGS)
