static size_t n;
