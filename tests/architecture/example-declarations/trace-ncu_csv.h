#include "base/notes.h"
static notes *say;
