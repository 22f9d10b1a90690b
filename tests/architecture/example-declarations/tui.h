#include "tui/tui.h"
static trace *t;
static const windows *all;
static notes *say;
static tui *ui;
