#include "step/stretches.h"
static trace *t;
static const uint32_t *work, *keys;
static size_t n, nkeys;
static const uint32_t *at;
