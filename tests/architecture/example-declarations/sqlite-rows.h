static const db *d;
static rows_reader reader;
static void *ctx;
