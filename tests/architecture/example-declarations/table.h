#include "base/notes.h"
#include "table/table.h"
static notes *say;
static table *t;
