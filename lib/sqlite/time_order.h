/*
 * time_order - which pages of a table can hold what begins up to a moment, if its rows lie in order of time.
 *
 *     page_file *f = page_open("run.sqlite");
 *     page_list leaves = { 0 };                          // page.h: page_leaves lists those of a table
 *     time_order o = time_order_find(f, &leaves, (int[]){ 0, 1 }, -1, 1000000000, 2);  // its columns start, end
 *     printf("%zu of %zu pages, %zu looked at\n", o.end, leaves.n, o.sample.n);
 *     vec_free(&o.sample);
 *
 * nsys writes most tables in order of their starts, and some as a few runs that are each in order; nothing says which.
 * So pages are looked at that are evenly spread over the table, all of those near the moment, and those at its end.
 * The table is not in order if one begins clearly before one that precedes it, or a row on one of them before the row
 * that precedes it.  Rows in order of their ends look the same until a long one comes, which may be on none of these
 * pages: so one of the rows must also end before the row that precedes it.
 */
#pragma once

#include "sqlite/leaf.h"

/* Pages may begin out of order by up to this much, in ns. */
#define TIME_ORDER_MARGIN INT64_C(100000000)

typedef struct {
	page_list sample;       /* the pages that are spread over the table, the first and the last among them */
	size_t end;             /* the pages from here on hold nothing of that time; out of order: their number */
	int64_t first, last;    /* of the starts of these pages, the first from 0 on and the last */
} time_order;

time_order time_order_find(const page_file *f, const page_list *leaves, const int columns[2], int key, int64_t until,
			   int threads);
