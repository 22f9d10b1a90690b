#include "timeline/window.h"
static trace *t;
static uint32_t proc;
static const windows *all;
