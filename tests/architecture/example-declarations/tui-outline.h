#include "tui/outline.h"
static const around *a;
static const window *w;
