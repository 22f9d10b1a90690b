#include "picture/timeline.h"
static trace *t;
static const windows *all;
