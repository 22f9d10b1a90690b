static struct { int64_t *start; uint32_t *name; } *w;
static size_t n, to, from, rows;
static uint32_t *order;
