#include "step/inner_repeats.h"
static trace *t;
static const uint32_t *work;
static size_t n;
