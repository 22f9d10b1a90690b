#include "answer/gaps.h"
static trace *t;
static const windows *all, *single;
static spread_ask *ask;
static notes *say;
