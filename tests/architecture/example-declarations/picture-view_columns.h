#include "relate/timeline.h"
static const timeline *tl;
