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
 * In the JSON, a column whose values are all the same is {"is":VALUE}.  Any other column is {"at":OFFSET}: its values
 * begin at this offset into view_data.bytes.  If values of a column can be missing, one is added to each value, and 0
 * means missing.  "cuts" has columns, too: the events that windows cut, and how many ns each lacks before and after.
 */
#pragma once

#include "base/group.h"
#include "picture/timeline.h"
#include "trace/rules.h"

#include <stdio.h>

typedef vec(bool) view_names;   /* a set of names: for each id in view_data.names, is the name in the set? */

typedef struct {
	str_pool names;         /* all texts of the page */
	group paths;            /* paths: a path names a range and the ranges around it, and is a pair of numbers:
				 * (the path of the range around it + 1, its own name + 1); 0 means none */
	const rules *own;       /* the rules that give work its category; NULL: the category of work is its owner, which
				 * says what it is for (enum owner, "step/owners.h") */
	vec(uint32_t) category; /* for each name: if it is a full name of work, the id of its category's name + 1, or
				 * NONE if no rule matches; otherwise 0 */
	view_names ranges;      /* the names of ranges */
	vec(uint8_t) bytes;     /* the columns */
} view_data;

void view_data_free(view_data *d);

/* Add a number to the bytes: seven bits in each byte, the lowest bits first, with the eighth bit set in all bytes
 * but the last. */
void view_data_put(view_data *d, uint64_t x);

typedef struct view_columns_writer view_columns_writer;

/* Begin and end the columns of a trace. */
view_columns_writer *view_columns_begin(view_data *d, const timeline *tl);
void view_columns_end(view_columns_writer *c);

/* Write members of a JSON object about a track, a counter or the gaps; view_columns_gaps writes the whole object.  The
 * values of columns go to view_data.bytes. */
void view_columns_track(view_columns_writer *c, const timeline_track *k, FILE *to);
void view_columns_counter(view_columns_writer *c, const timeline_counter *k, FILE *to);
void view_columns_gaps(view_columns_writer *c, FILE *to);
