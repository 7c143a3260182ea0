/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * main.c - where the program starts.
 */
#include <stdio.h>

#include "config.h"

int main(void)
{
	puts("schedground " PACKAGE_VERSION);
	return 0;
}
