#include "tui/outline_parts.h"
static outline *o;
