#include "capture/capturing.h"

static text_list words;
static capture_params params;
