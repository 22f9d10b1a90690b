/*
 * advice - findings as short paragraphs for a terminal of 80 columns.
 *
 *     table rows = { 0 };                        // those of nsq-advise
 *     advice_print(&rows, 0, stdout);            // 0: all of them
 */
#ifndef ADVICE_H
#define ADVICE_H

#include "table/table.h"

#include <stdio.h>

/* The first n rows, or with 0 all; how many that are. */
size_t advice_print(const table *rows, size_t n, FILE *to);

#endif
