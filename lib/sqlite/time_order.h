/*
 * time_order - which pages of a table can hold what begins up to a moment, if its rows lie in order of time.
 *
 *     page_file *f = page_open("run.sqlite");
 *     page_list leaves = { 0 };                          // page.h: page_leaves lists those of a table
 *     time_order o = time_order_sample(&leaves);
 *     time_order_rows(&o, &o.page[0], (int64_t[]){ 5 }, (int64_t[]){ 9 }, 1);    // of each page of o.sample
 *     time_order_span(&o);
 *     printf("%zu of %zu\n", time_order_end(&o, f, &leaves, (int[]){ 0, 1 }, -1, 1000000000, PAR_ALONE), leaves.n);
 *     time_order_free(&o);
 *
 * nsys writes most tables in order of their starts, and some as a few runs that are each in order; nothing says which.
 * So pages are looked at that are evenly spread over the table, all of those near the moment, and those at its end.
 * The table is not in order if one begins clearly before one that precedes it, or a row on one of them before the row
 * that precedes it.  Rows in order of their ends look the same until a long one comes, which may be on none of these
 * pages: so one of the rows must also end before the row that precedes it.
 */
#pragma once

#include "base/parallel.h"
#include "sqlite/leaf.h"

/* Pages may begin out of order by up to this much, in ns. */
#define TIME_ORDER_MARGIN INT64_C(100000000)

typedef struct {                /* a page, as far as its rows are known */
	int64_t begins;         /* the first start from 0 on; -1: none */
	int64_t start, end;     /* of its last row; -1: it has none */
	int64_t latest;         /* of all ends */
} time_order_page;

typedef struct {
	page_list sample;       /* the pages that are spread over the table, the first and the last among them, */
	time_order_page *page;  /* and what is known of each */
	size_t stride;          /* 1: they are all pages */
	bool odd;               /* one of them cannot be read, or its rows are not in order */
	bool by_start;          /* a row ends before the one before it, so that they are not in order of ends */
	int64_t first, last;    /* of the starts of these pages, the first from 0 on and the last */
} time_order;

/* Choose the sample; its rows are for the caller to read, who has to anyway. */
time_order time_order_sample(const page_list *leaves);

/* Tell of rows of a page, in their order; different pages in different threads. */
void time_order_rows(time_order *o, time_order_page *page, const int64_t *start, const int64_t *end, size_t n);

/* Find first and last, once the rows are told. */
void time_order_span(time_order *o);

/* The pages from here on hold nothing that begins up to a moment; out of order: their number.  columns are start and
 * end. */
size_t time_order_end(time_order *o, const page_file *f, const page_list *leaves, const int columns[2], int key,
		      int64_t until, par threads);
void time_order_free(time_order *o);
