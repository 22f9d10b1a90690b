static const opt_tool *tool;
static void *params;
