#include "picture/timeline.h"
static timeline *tl;
static const windows *all;
