#include "base/notes.h"
#include "table/table.h"
#include <sqlite3.h>
static notes *say;
static const table *t;
static sqlite3 *sql;
