#include "answer/plot_write.h"
static notes *say;
static picture pic;
