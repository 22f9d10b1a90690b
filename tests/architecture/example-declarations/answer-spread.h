#include "answer/answers.h"
static trace *t;
static const windows *all, *single;
static notes *say;
