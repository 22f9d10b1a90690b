/*
 * view_columns - the data of a timeline's page: names, the ranges around events, and the columns of tracks as bytes.
 *
 *     view_data data = { .paths = { .width = 2 } };              // of all traces of a page
 *     view_columns_writer *c = view_columns_begin(&data, tl);
 *     view_columns_track(c, &tl->tracks.v[0], stdout);           // JSON: how many events, where the columns are
 *     view_columns_end(c);
 *     printf("%zu names in %zu bytes\n", data.names.n, data.bytes.n);
 *     view_data_free(&data);
 *
 * A column whose values are all the same is written as {"is":VALUE}, any other as {"at":OFFSET} into the bytes.  If
 * values of a column can be missing, one is added to each value, and 0 means missing.  "cuts" lists, for each event
 * that windows cut, how much is missing before and after.
 */
#pragma once

#include "base/group.h"
#include "picture/timeline.h"
#include "trace/rules.h"

#include <stdio.h>

typedef vec(bool) view_names;   /* by name: is it in the set? */

typedef struct {
	str_pool names;
	group paths;            /* the path of a range is a pair of numbers: (path of the range around it + 1, its own
				 * name + 1), where 0 means none */
	const rules *own;       /* the rules that give work its category; NULL: the category is the owner */
	vec(uint32_t) category; /* by name, for the full names of work: the name of the category, plus one; NONE: no
				 * rule matches; 0: it is not the full name of any work so far */
	view_names ranges;      /* by name: does a range have it? */
	vec(uint8_t) bytes;
} view_data;

void view_data_free(view_data *d);

/* Add a number, seven bits a byte, the lowest bits first. */
void view_data_put(view_data *d, uint64_t x);

typedef struct view_columns_writer view_columns_writer;

view_columns_writer *view_columns_begin(view_data *d, const timeline *tl);
void view_columns_end(view_columns_writer *c);

void view_columns_track(view_columns_writer *c, const timeline_track *k, FILE *to);
void view_columns_counter(view_columns_writer *c, const timeline_counter *k, FILE *to);
void view_columns_gaps(view_columns_writer *c, FILE *to);
