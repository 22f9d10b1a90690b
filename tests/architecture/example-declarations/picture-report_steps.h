#include "picture/report_parts.h"
#include "answer/gaps.h"
#include "relate/rules.h"
static trace *t;
static const windows *all;
static const window *w;
static notes *say;
static const rules *purposes;
static report *r;
