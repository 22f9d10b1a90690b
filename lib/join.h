/*
 * join - work and the API calls that launched it.
 */
#ifndef JOIN_H
#define JOIN_H

#include "trace.h"

/* work.launch: the call of the same process with the same correlation id; of several, the one that
 * starts first.  The calls' own ids are freed. */
void join_calls(trace *t);

#endif
