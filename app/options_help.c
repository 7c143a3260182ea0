/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options_help.c - what `schedground help` and --help say: usage by subcommand, around the options'
 * own lines.
 */
#include "app/options.h"

#include "app/bench.h"
#include "app/options_int.h"

#include <stdio.h>
#include <string.h>

int options_help(const char *topic, struct err *err)
{
	(void)err;
	if (topic && !strcmp(topic, "run")) {
		printf("schedground run FILE [options]\n"
		       "Runs a scenario without a terminal and prints what came out.\n\n");
		options_print(ON_RUN);
		printf("\nExit status: 0 done, 1 an expectation failed, 2 bad input, 3 a script "
		       "failed,\n4 not deterministic or an invariant broke, 5 a limit was reached, "
		       "130 interrupted.\n");
		return 0;
	}
	if (topic && !strcmp(topic, "list")) {
		printf("schedground list KIND [--json]\n"
		       "KIND: machines kernels policies scenarios workloads knobs views commands\n"
		       "      keys events metrics features rules\n\n");
		options_print(ON_LIST);
		return 0;
	}
	if (topic && !strcmp(topic, "bench")) {
		printf("schedground bench [CASE...] [options]\n"
		       "Measures simulated events per CPU-second and checks that each case did its "
		       "work.\n\n");
		options_print(ON_BENCH);
		printf("\nCases, all unless some are named:\n");
		bench_list();
		printf("\nInstructions per event, which travel better than times:\n"
		       "  valgrind --tool=callgrind --toggle-collect='measure*' schedground bench "
		       "W1 --quick\n"
		       "and with --toggle-collect=update_se those of an update of PELT:tick1.\n");
		return 0;
	}
	if (topic && !strcmp(topic, "topo")) {
		printf("schedground topo [MACHINE] [--json] [--lint]\n"
		       "Shows what a machine is and the sched domains a kernel would build on it.\n"
		       "MACHINE: as --machine takes it; 'host' is this one.\n\n");
		options_print(ON_TOPO);
		return 0;
	}
	if (topic && !strcmp(topic, "pelt")) {
		printf("schedground pelt FILE|- [options]\n"
		       "Averages and estimates of tasks along a timeline, CSV in and out.\n"
		       "In: t_us,cpu,task,state with state run, wait (runnable) or sleep; optional\n"
		       "capacity and freq_scale of the CPU (1..1024), nice of the task. Out: t_us,task,\n"
		       "util_avg,runnable_avg,load_avg,util_est whenever one changes.\n\n");
		options_print(ON_PELT);
		return 0;
	}
	if (topic && !strcmp(topic, "compare")) {
		printf("schedground compare FILE --vary NAME=A,B[,C] [--vary ...] [--seeds K] [options]\n"
		       "Runs FILE with every combination of values and each of K seeds, on all cores, and\n"
		       "prints a block per metric that differs: mean, standard deviation (sd), change\n"
		       "against the first variant, 95 %% confidence of the mean (Student: mean +- that), median,\n"
		       "number of runs, and the figure of the thread where the scenario knows it.\n"
		       "NAME is a policy slot, a knob, SLOT.PARAMETER, a tunable, kernel or machine.\n\n");
		options_print(ON_COMPARE);
		printf("\nExpectations of the scenario are for its own choices and do not count here. The\n"
		       "same command gives the same bytes, with any number of jobs.\n");
		return 0;
	}
	if (topic && !strcmp(topic, "sweep")) {
		printf("schedground sweep FILE --vary NAME=A,B[,C] [--vary ...] [--seeds K] [options]\n"
		       "The runs of compare, a JSON object on a line each, in order: vary, seed, and run\n"
		       "(schema schedground.run/1) or error.\n\n");
		options_print(ON_SWEEP);
		return 0;
	}
	printf("schedground - a playground for the Linux fair scheduler\n\n"
	       "  schedground [FILE] [options]      watch it in the terminal "
	       "(no FILE: octacore.lua)\n"
	       "  schedground run FILE [options]    the same without a terminal; summary on stdout\n"
	       "  schedground compare FILE --vary NAME=A,B [--seeds K]   table of variants\n"
	       "  schedground sweep FILE --vary ...  the same runs, a JSON line each\n"
	       "  schedground list KIND [--json]    machines kernels policies scenarios workloads\n"
	       "                                    knobs views commands keys events metrics "
	       "features rules\n"
	       "  schedground topo [MACHINE]        CPUs, caches, frequencies, sched domains of a machine\n"
	       "  schedground pelt FILE|-           PELT and util_est of a timeline in CSV\n"
	       "  schedground bench [CASE...]       how fast it is\n"
	       "  schedground help [TOPIC]          more on a subcommand or command\n\n"
	       "FILE is a scenario (.lua) or an rt-app workload (.json); a name that is no file "
	       "here is\nlooked up among the shipped ones.\n\nOptions:\n");
	options_print(ON_ALL);
	return 0;
}
