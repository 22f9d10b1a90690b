/*
 * slice - a smaller trace that can be shared, or what such a trace would show.
 *
 *     slice_params p = { .mode = SLICE_WRITE, .how = { .path = "small.sqlite" } };
 *     table answer = { 0 };
 *     answer_rows(&slice_answer, t, all, &p, &answer, say);      // one row for each table
 *     table_free(&answer);
 */
#ifndef ANSWER_SLICE_H
#define ANSWER_SLICE_H

#include "answer/question.h"
#include "trace/slice_write.h"

enum { SLICE_WRITE = 1, SLICE_CHECK = 2 };

typedef struct {
	unsigned mode;
	slice_how how;
	const rules *private;   /* what looks private, of the texts that events show */
} slice_params;

extern const answer slice_answer;

#endif
