#include "answer/gaps.h"
#include "cli/options.h"
#include <stddef.h>
static const opt_tool tool;
static void *params;
