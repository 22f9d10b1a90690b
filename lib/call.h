/*
 * call - loads CUDA API calls into trace.calls, and joins work to the calls that launched it.
 */
#ifndef CALL_H
#define CALL_H

#include "trace.h"

enum { CALL_COLS = 5 };

typedef struct {
	scan_col col[CALL_COLS];
	size_t n;
} call_raw;

bool call_scan(trace *t, call_raw *raw);
void call_ids(const call_raw *raw, dict *processes, dict *threads);
void call_build(trace *t, call_raw *raw);

/* work.launch: the call of the same process with the same correlation id; of several, the one
 * that starts first. */
void call_join(trace *t);

void call_raw_free(call_raw *raw);

#endif
