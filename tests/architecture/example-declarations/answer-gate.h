#include "answer/inputs.h"
static input_table in;
static notes *say;
