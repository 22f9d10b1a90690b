static size_t n;
void piece(void *ctx, size_t i);
static void *ctx;
