/*
 * view_columns - the columns of tracks as bytes, for the page of a timeline.
 *
 *     view_data data = { .paths = { .width = 2 } };
 *     view_columns_of *c = view_columns_begin(&data, tl);
 *     view_columns_track(c, &tl->tracks.v[0], stdout);       // JSON: how many events, where the columns are
 *     view_columns_end(c);
 *     view_data_write(&data, stdout);
 *     view_data_free(&data);
 *
 * A column whose values are all the same is written as {"is":VALUE}, any other as
 * {"at":OFFSET} into the bytes.  What may be missing is stored plus one, 0 if it is.
 * Of events that windows cut, "cuts" lists how much is missing before and after.
 */
#ifndef VIEW_COLUMNS_H
#define VIEW_COLUMNS_H

#include "picture/view_data.h"
#include "picture/timeline.h"

typedef struct view_columns_of view_columns_of;

view_columns_of *view_columns_begin(view_data *d, const timeline *tl);
void view_columns_end(view_columns_of *c);

void view_columns_track(view_columns_of *c, const timeline_track *k, FILE *to);
void view_columns_counter(view_columns_of *c, const timeline_counter *k, FILE *to);
void view_columns_gaps(view_columns_of *c, FILE *to);

#endif
