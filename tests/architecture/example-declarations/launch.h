#include "launch/labels.h"
#include "timeline/window.h"
static trace *t;
static notes *say;
static uint32_t proc;
static const window *w;
static rules *r;
static around *a;
static const uint32_t *label, *se_label;
static size_t nlabels;
