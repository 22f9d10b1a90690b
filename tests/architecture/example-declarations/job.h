#include "timeline/window.h"
static trace *t;
static notes *say;
static const windows *all;
