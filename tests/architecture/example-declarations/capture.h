#include "capture/manifest.h"
#include "capture/params.h"

static surroundings around;
static text_list words;
static capture_params params;
