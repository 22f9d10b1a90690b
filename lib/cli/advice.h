/*
 * advice - findings as short paragraphs for a terminal of 80 columns.
 *
 *     advise_params p = { .job = advise_begin(NULL) };
 *     table rows = { 0 };
 *     if (advise_answer.finish(&p, &rows, NULL))
 *         advice_print(&p, &rows, 0, stdout);            // 0: all of them
 *     advise_end(p.job);
 */
#pragma once

#include "answer/advise.h"

#include <stdio.h>

/* Of params that are advise_params: the first n rows, or with 0 all; how many that are. */
size_t advice_print(const void *params, const table *rows, size_t n, FILE *to);
