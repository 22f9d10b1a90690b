/*
 * api - how much time does the CPU spend in CUDA calls?
 *
 *     api_params p = { .mode = API_SUMS, .keys = API_BY_NAME, .class = API_ALL_CLASSES };
 *     table answer = { 0 };
 *     answer_rows(&api_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef API_H
#define API_H

#include "answer/question.h"
#include "trace/call_class.h"

enum { API_SUMS = 1, API_EACH = 2, API_LAUNCH = 4, API_LAUNCH_COUNTS = 8 };
enum { API_BY_NAME = 1, API_BY_CLASS = 2, API_BY_THREAD = 4, API_BY_PID = 8, API_BY_SOURCE = 16 };
enum { API_ALL_CLASSES = CALL_MPI + 1 };

typedef struct {
	unsigned mode;          /* API_SUMS; API_EACH: one row per call; API_LAUNCH: launches by process,
				    API_LAUNCH_COUNTS: only how many there are */
	unsigned keys;          /* API_BY_...: rows of API_SUMS */
	unsigned class;         /* enum call_class, or API_ALL_CLASSES */
} api_params;

extern const answer api_answer;

#endif
