/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * main.c - where the program starts: read the command line, hand over to what was asked for.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>

#include "app/app.h"
#include "app/compare.h"
#include "app/help.h"
#include "app/options.h"
#include "app/output.h"
#include "app/pelt_cmd.h"
#include "app/text.h"
#include "app/topo.h"
#include "config.h"

static int complain(const struct err *err)
{
	char clean[sizeof(err->msg)];

	text_clean(clean, sizeof(clean), err->msg);
	fprintf(stderr, "schedground: %s\n", clean);
	return exit_code_of(err);
}

int main(int argc, char **argv)
{
	struct options opt;
	struct err err = { 0 };
	int code = EXIT_DONE;

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	/* A reader that went away is an error of write(2), not the end. */
	signal(SIGPIPE, SIG_IGN);
	if (options_parse(&opt, argc, argv, &err)) {
		options_fini(&opt);
		return complain(&err);
	}
	if (output_check("--output", opt.out, &err) || output_check("--trace", opt.trace, &err)) {
		options_fini(&opt);
		return complain(&err);
	}
	switch (opt.sub) {
	case SUB_VERSION:
		printf("schedground %s\n", PACKAGE_VERSION);
		break;
	case SUB_HELP:
		if (help_print(opt.topic, &err))
			code = complain(&err);
		break;
	case SUB_LIST:
		code = list_run(&opt);
		break;
	case SUB_BENCH:
		code = bench_run(&opt);
		break;
	case SUB_TOPO:
		code = topo_run(&opt);
		break;
	case SUB_PELT:
		code = pelt_cmd(&opt);
		break;
	case SUB_COMPARE:
		code = compare_run(&opt);
		break;
	case SUB_SWEEP:
		code = sweep_run(&opt);
		break;
	case SUB_RUN:
		code = headless_run(&opt);
		break;
	case SUB_UI:
		code = opt.frame ? frame_run(&opt) : loop_run(&opt);
		break;
	}
	options_fini(&opt);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "schedground: could not write all of the output\n");
		if (code < EXIT_USAGE)
			code = EXIT_USAGE;
	}
	return code;
}
