#include "picture/plot.h"
static notes *say;
static picture pic;
