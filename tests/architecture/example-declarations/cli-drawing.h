#include "picture/plot_write.h"
static notes *say;
static picture pic;
