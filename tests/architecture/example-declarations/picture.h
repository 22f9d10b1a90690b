#include "answer/gaps.h"
#include "picture/shown.h"
#include "relate/ranges_around.h"
#include "trace/rules.h"
static trace *t;
static const windows *all;
static const window *w;
static notes *say;
static const rules *purposes;
static around *a;
static shown *s;
