#include "answer/answers.h"
#include "cli/options.h"
#include <stddef.h>
static const opt_tool tool;
static void *params;
