#include "picture/timeline.h"
static const timeline *tl;
