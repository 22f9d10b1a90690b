#include "relate/job_clocks.h"
static job *j;
static notes *say;
