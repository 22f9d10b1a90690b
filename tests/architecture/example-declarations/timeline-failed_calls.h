#include "timeline/failed_calls.h"
static trace *t;
void show(void *ctx, const trace_proc *p, const char *text);
