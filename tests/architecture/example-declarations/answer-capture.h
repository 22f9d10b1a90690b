#include "trace/trace.h"
static trace *t, *after;
