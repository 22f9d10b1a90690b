#include "picture/plot_layout.h"
static notes *say;
static plot p;
