static size_t n;
static int64_t *start;
static const void *trace;
int by_start(uint32_t a, uint32_t b, const void *ctx);
