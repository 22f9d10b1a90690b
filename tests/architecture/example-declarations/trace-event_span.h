static const db *d;
static size_t k;
