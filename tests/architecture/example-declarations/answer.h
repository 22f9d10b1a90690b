#include "answer/answers.h"
#include "trace/rules.h"
static trace *t;
static const windows *all;
static const window *w;
static notes *say;
static const rules *purposes;
