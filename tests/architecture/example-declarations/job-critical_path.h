static trace *t;
static void (*take)(void *ctx, const path_link *link);
