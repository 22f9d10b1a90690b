#include "relate/timeline.h"
static timeline *tl;
static const windows *all;
